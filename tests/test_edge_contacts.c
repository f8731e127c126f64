/* Contacts of edges: nothing is missed, one order, the same bytes, and what they say is so. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ringlet/simulation.h>

#include "base/memory.h"
#include "base/random.h"
#include "contact/edge/contacts_data.h"
#include "contact/edge/missed.h"
#include "edge_fixture.h"

static int allocations; /* counted by the watch below */
static int refused;     /* the allocation that fails, from 1; 0: none */

int rlti_memory_watch(int change) {
    int count = __atomic_add_fetch(&allocations, change >= 0, __ATOMIC_RELAXED);
    return change < 0 || count != refused;
}

/* ---- soups ---- */

static int edge_count(const hair *h, int strand) {
    return h->first[strand + 1] - h->first[strand] - 1;
}

static rlti_strand_edge edge_of(const hair *h, int strand, int edge) {
    return (rlti_strand_edge){strand, edge, h->first[strand] + edge, edge + 1 == edge_count(h, strand)};
}

/* Calls the function for every pair of edges, in the order of the list. */
static void for_pairs(hair *h,
                      void (*visit)(hair *, const rlti_strand_edge *, const rlti_strand_edge *, void *),
                      void *context) {
    for (int s = 0; s < h->strands.strand_count; s++)
        for (int e = 0; e < edge_count(h, s); e++)
            for (int t = s; t < h->strands.strand_count; t++)
                for (int f = t == s ? e + 1 : 0; f < edge_count(h, t); f++) {
                    rlti_strand_edge a = edge_of(h, s, e), b = edge_of(h, t, f);
                    if (s != t || !rlti_edge_contacts_neighbours(h->contacts, s, e, f))
                        visit(h, &a, &b, context);
                }
}

typedef struct all_pairs {
    int count;
    rlti_edge_contact items[20000];
} all_pairs;

static void list_pair(hair *h, const rlti_strand_edge *a, const rlti_strand_edge *b, void *context) {
    all_pairs *all = context;
    assert_true(all->count + 2 <= 20000);
    all->count += rlti_edge_pair(h->contacts, a, b, 1, all->items + all->count);
}

/* The tree and the sieve leave nothing out, also where radii are longer than edges or the groom limits them,
 * and the list is in order. */
static void as_all_pairs(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        hair *h = make_hair(20, seed % 2 ? 30 : 9, seed == 4 ? 0.9 : 0.1, 0.05);
        h->strands.keep = seed == 1 || seed >= 4;
        all_pairs *all = calloc(1, sizeof *all);
        make_soup(h, 10 * seed, seed < 3 ? 0.3 : 3.0);
        int count;
        const rlti_edge_contact *list = find(h, NULL, 0, &count);
        assert_non_null(all);
        for_pairs(h, list_pair, all);
        assert_true(count > 20);
        assert_int_equal(count, all->count);
        assert_memory_equal(list, all->items, (size_t)count * sizeof *list);
        free(all);
        free_hair(h);
    }
}

/* A pair that is near is listed, or passed on to a later pair that is as near. */
static void pair_is_listed(hair *h, const rlti_strand_edge *a, const rlti_strand_edge *b, void *context) {
    double best = HUGE_VAL;
    for (int i = 0; i <= 40; i++)
        for (int j = 0; j <= 40; j++) {
            rlti_vec3 p = rlti_between(h->end[a->point], h->end[a->point + 1], i / 40.0),
                      q = rlti_between(h->end[b->point], h->end[b->point + 1], j / 40.0);
            best = fmin(best, rlti_length(rlti_sub(p, q)));
        }
    int count;
    const rlti_edge_contact *list = rlti_edge_contacts_list(h->contacts, &count);
    if (best > 0.2 + 0.05) /* at 1/40 of an edge */
        return;
    ++*(int *)context;
    for (int k = 0; k < count; k++) {
        const rlti_edge_contact *c = &list[k];
        if (c->strand[0] == a->strand && c->strand[1] == b->strand && c->edge[0] >= a->edge &&
            c->edge[1] >= b->edge && (c->passage || c->gap + c->radius <= best + 1e-9))
            return;
    }
    fail_msg("edges %d.%d and %d.%d are %g apart and not listed", a->strand, a->edge, b->strand, b->edge,
             best);
}

static void near_pairs_are_listed(void **state) {
    (void)state;
    int near = 0, count;
    for (uint64_t seed = 0; seed < 2; seed++) {
        hair *h = make_hair(12, 15, 0.1, 0.05);
        make_soup(h, 100 + 10 * seed, 0.1);
        find(h, NULL, 0, &count);
        for_pairs(h, pair_is_listed, &near);
        free_hair(h);
    }
    assert_true(near > 50);
}

/* What a contact says is so: checked from points alone. */
static void check_contact(const hair *h, const rlti_edge_contact *c) {
    const rlti_vec3 *x = h->end + h->first[c->strand[0]] + c->edge[0],
                    *y = h->end + h->first[c->strand[1]] + c->edge[1];
    rlti_vec3 apart = rlti_sub(rlti_between(x[0], x[1], c->share[0]), rlti_between(y[0], y[1], c->share[1]));
    assert_true(fabs(rlti_length(c->normal) - 1.0) < 1e-12);
    assert_true(fabs(rlti_dot(apart, c->normal) - c->radius - c->gap) < 1e-9);
    assert_true(c->radius <= 0.2 + 1e-12);
    assert_true(fabs(c->friction[0] - 0.4 - 0.005 * (c->strand[0] + c->strand[1])) < 1e-12);
    if (c->passage) {
        assert_true(rlti_dot(apart, c->normal) < 1e-5); /* on the other side, or just there */
        return;
    }
    assert_true(c->gap < 0.05 && c->time == 1.0);
    assert_true(fabs(rlti_length(apart) - c->gap - c->radius) < 1e-9); /* along the normal */
}

static int compare(const rlti_edge_contact *a, const rlti_edge_contact *b) {
    int x[5] = {a->strand[0], a->edge[0], a->strand[1], a->edge[1], a->part},
        y[5] = {b->strand[0], b->edge[0], b->strand[1], b->edge[1], b->part};
    for (int k = 0; k < 5; k++)
        if (x[k] != y[k])
            return x[k] < y[k] ? -1 : 1;
    return 0;
}

static void contacts_are_as_said(void **state) {
    (void)state;
    int passages = 0, proximities = 0;
    for (uint64_t seed = 0; seed < 4; seed++) {
        hair *h = make_hair(40, 30, 0.1, 0.05);
        make_soup(h, 1000 + 10 * seed, 0.5);
        int count;
        const rlti_edge_contact *list = find(h, NULL, 0, &count);
        for (int k = 0; k < count; k++) {
            check_contact(h, &list[k]);
            passages += list[k].passage;
            proximities += !list[k].passage;
            assert_true(k == 0 || compare(&list[k - 1], &list[k]) < 0);
        }
        free_hair(h);
    }
    assert_true(passages > 100 && proximities > 100);
}

/* Later searches of a step, which sift the pairs of the first, find what full ones do; and each build of the
 * sieve leaves the same. */
static void later_searches(void **state) {
    (void)state;
    const rlti_edge_sieve *sieves[3] = {&rlti_edge_sieve_portable, &rlti_edge_sieve_portable,
                                        &rlti_edge_sieve_portable};
#if defined(RLTI_HAVE_X86)
    sieves[1] = rlt_simd_available(RLT_SIMD_AVX2) ? &rlti_edge_sieve_avx2 : sieves[0];
    sieves[2] = rlt_simd_available(RLT_SIMD_AVX512) ? &rlti_edge_sieve_avx512 : sieves[0];
#endif
    int sifted = 0, some = 0, passages = 0;
    for (int k = 0; k < 9; k++) {
        hair *h = make_hair(30, 20, 0.1, 0.05);
        make_soup(h, 40 + (uint64_t)k, k % 3 == 0 ? 0.05 : (k % 3 == 1 ? 0.3 : 2.0));
        h->strands.keep = k % 2;
        rlti_edge_contacts *full = rlti_edge_contacts_create(&h->strands);
        assert_non_null(full);
        for (int round = 0; round < 12; round++) {
            int count, expected;
            for (int p = 0; p < h->first[30] && round % 6 > 0; p++) /* of most hairs; one goes far */
                h->end[p] = rlti_add(
                    h->end[p],
                    random_vector(900 + (uint64_t)round, p,
                                  p / 20 == round && round % 6 == 2 ? 1.0 : 0.2 * pow(0.3, round % 6)));
            if (round % 6 == 0)
                rlti_edge_contacts_begin(full);
            const rlti_edge_contact *list;
            if (round % 6 == 0) {
                list = find(h, NULL, 0, &count);
            } else {
                h->contacts->sieve = sieves[k / 3];
                assert_true(rlti_edge_contacts_find(h->contacts, h->pool, h->start, h->end, NULL, 0));
                list = rlti_edge_contacts_list(h->contacts, &count);
            }
            full->known = 0;
            assert_true(rlti_edge_contacts_find(full, h->pool, h->start, h->end, NULL, 0));
            assert_true(full->renew);
            const rlti_edge_contact *all = rlti_edge_contacts_list(full, &expected);
            assert_int_equal(count, expected);
            assert_memory_equal(list, all, (size_t)count * sizeof *list);
            sifted += !h->contacts->renew && !h->contacts->some;
            some += h->contacts->some;
            int listed = 0;
            for (int c = 0; c < count; c++)
                if (list[c].passage)
                    assert_memory_equal(rlti_edge_contacts_passage(h->contacts, listed++), &list[c],
                                        sizeof *list);
            assert_null(rlti_edge_contacts_passage(h->contacts, listed));
            passages += listed;
        }
        rlti_edge_contacts_destroy(full);
        free_hair(h);
    }
    assert_true(sifted > 20 && some > 20 && passages > 100);
}

static void same_bytes_and_no_allocation(void **state) {
    (void)state;
    hair *h = make_hair(40, 30, 0.1, 0.05);
    make_soup(h, 7, 1.0);
    int count, again;
    const rlti_edge_contact *list = find(h, NULL, 0, &count);
    size_t bytes = (size_t)count * sizeof *list;
    rlti_edge_contact *kept = malloc(bytes);
    assert_non_null(kept);
    memcpy(kept, list, bytes);
    for (int threads = 1; threads <= 3; threads += 2) {
        rlti_pool_destroy(h->pool);
        h->pool = rlti_pool_create(threads);
        rlti_edge_contacts_cost cost = rlti_edge_contacts_cost_of(h->contacts);
        int before = allocations;
        list = find(h, NULL, 0, &again);
        assert_int_equal(allocations, before);
        assert_int_equal(again, count);
        assert_memory_equal(list, kept, bytes);
        assert_int_equal(rlti_edge_contacts_cost_of(h->contacts).bytes, cost.bytes);
        assert_int_equal(rlti_edge_contacts_cost_of(h->contacts).pairs, cost.pairs);
    }
    free(kept);
    free_hair(h);
}

/* The independent count finds nothing that the search has missed; and it finds what an empty list misses. */
static void nothing_is_missed(void **state) {
    (void)state;
    long long passed = 0;
    for (uint64_t seed = 0; seed < 4; seed++) {
        hair *h = make_hair(40, 30, 0.0, 0.0);
        make_soup(h, 500 + 10 * seed, 1.0);
        int count;
        find(h, NULL, 0, &count);
        rlti_missed all = rlti_missed_count(h->contacts, h->start, h->end, NULL, 0, 100000, 0);
        rlti_missed some = rlti_missed_count(h->contacts, h->start, h->end, NULL, 0, 100, seed);
        assert_int_equal(all.missed, 0);
        assert_int_equal(all.edges, 40 * 29);
        assert_int_equal(some.missed, 0);
        assert_true(some.edges > 50 && some.edges < 150 && some.passed > 0);
        passed += all.passed;
        rlti_vec3 end[MOST_POINTS];
        memcpy(end, h->end, sizeof end);
        memcpy(h->end, h->start, sizeof end);
        find(h, NULL, 0, &count); /* nothing moves */
        rlti_missed blind = rlti_missed_count(h->contacts, h->start, end, NULL, 0, 100000, 0);
        assert_int_equal(blind.passed, all.passed);
        assert_true(blind.missed > all.passed / 2);
        free_hair(h);
    }
    assert_true(passed > 500);
}

/* Passages stay for the rest of the step, with the gap that they have then; in order, and until the next
 * step. */
static void passages_are_kept(void **state) {
    (void)state;
    hair *h = make_hair(40, 30, 0.0, 0.0);
    make_soup(h, 9, 0.5);
    int before, count, kept = 0;
    const rlti_edge_contact *list = find(h, NULL, 0, &before);
    assert_true(before > 50);
    rlti_vec3 end[MOST_POINTS];
    memcpy(end, h->end, sizeof end);
    for (int p = 0; p < 1200; p++) /* half-way back: some do not pass any more */
        h->end[p] = rlti_between(h->start[p], end[p], 0.5);
    assert_true(rlti_edge_contacts_find(h->contacts, h->pool, h->start, h->end, NULL, 0));
    list = rlti_edge_contacts_list(h->contacts, &count);
    assert_true(count >= before);
    for (int k = 0; k < count; k++) {
        const rlti_vec3 *x = h->end + h->first[list[k].strand[0]] + list[k].edge[0],
                        *y = h->end + h->first[list[k].strand[1]] + list[k].edge[1];
        rlti_vec3 apart =
            rlti_sub(rlti_between(x[0], x[1], list[k].share[0]), rlti_between(y[0], y[1], list[k].share[1]));
        assert_true(fabs(rlti_dot(apart, list[k].normal) - list[k].gap - list[k].radius) < 1e-9);
        assert_true(k == 0 || compare(&list[k - 1], &list[k]) < 0);
        kept += list[k].passage && list[k].gap > 0.0;
    }
    assert_true(kept > 20);
    find(h, NULL, 0, &count);
    assert_true(count < before);
    free_hair(h);
}

/* Whichever allocation fails, the search reports it with an empty list, and the next one succeeds. */
static void out_of_memory(void **state) {
    (void)state;
    hair *h = make_hair(10, 30, 0.1, 0.05);
    make_soup(h, 7, 1.0);
    int count, again, failures = 0;
    find(h, NULL, 0, &count);
    for (int fails = 1;; fails++) {
        refused = allocations + fails;
        rlti_edge_contacts *contacts = rlti_edge_contacts_create(&h->strands);
        int made = contacts != NULL;
        int done = made && rlti_edge_contacts_find(contacts, h->pool, h->start, h->end, NULL, 0);
        int last = allocations < refused;
        refused = 0;
        if (made && !done) {
            rlti_edge_contacts_list(contacts, &again);
            assert_int_equal(again, 0);
            assert_true(rlti_edge_contacts_find(contacts, h->pool, h->start, h->end, NULL, 0));
        }
        if (made) {
            rlti_edge_contacts_list(contacts, &again);
            assert_int_equal(again, count);
        }
        failures += !done;
        rlti_edge_contacts_destroy(contacts);
        if (last)
            break;
        assert_false(done);
    }
    assert_true(failures > 20);
    free_hair(h);
}

/* ---- one hair ---- */

/* A hairpin: down one side, half a turn of the given radius, up the other. */
static void make_hairpin(hair *h, double bend) {
    int points = h->first[1];
    for (int i = 0; i < points; i++) {
        int middle = points / 2;
        double along = 0.2 * (i - middle), turn = along / bend;
        int round = fabs(turn) < RLTI_PI / 2;
        double x = round ? bend * sin(turn) : (turn > 0 ? bend : -bend);
        double y = round ? -bend * cos(turn) : fabs(along) - bend * RLTI_PI / 2;
        h->start[i] = h->end[i] = rlti_v3(x, y, 0);
        h->rest[i] = rlti_v3(0.2 * i, 0, 0); /* straight */
    }
}

static void a_hair_meets_itself(void **state) {
    (void)state;
    hair *h = make_hair(1, 41, 0.15, 0.01);
    int count;
    make_hairpin(h, 0.14); /* legs 0.28 apart, radii 0.3 */
    const rlti_edge_contact *list = find(h, NULL, 0, &count);
    assert_true(count >= 15);
    for (int k = 0; k < count; k++) {
        assert_true(list[k].edge[1] - list[k].edge[0] >= 2);
        double arc = 0.2 * (list[k].edge[1] - list[k].edge[0] - 1);
        assert_true(arc >= 0.5 * RLTI_PI * 0.31);
        assert_true(fabs(list[k].gap - (0.28 - 0.3)) < 0.03);
    }
    make_hairpin(h, 0.2); /* legs 0.4 apart */
    find(h, NULL, 0, &count);
    assert_int_equal(count, 0);
    memcpy(h->end, h->rest, sizeof h->rest); /* straight: neighbours do not count, nor what was a fold */
    memcpy(h->start, h->rest, sizeof h->rest);
    find(h, NULL, 0, &count);
    assert_int_equal(count, 0);
    free_hair(h);
    h = make_hair(1, 41, 0.15, 0.01);
    h->strands.self = 0;
    make_hairpin(h, 0.14);
    find(h, NULL, 0, &count);
    assert_int_equal(count, 0);
    free_hair(h);
}

/* Groomed within their radii: free as groomed, in contact when nearer. */
static void the_groom_is_free(void **state) {
    (void)state;
    hair *h = make_hair(2, 20, 0.5, 0.0);
    int count;
    h->strands.keep = 1;
    for (int p = 0; p < 40; p++) {
        h->rest[p] = rlti_v3(p % 20, p < 20 ? 0.0 : 0.7, 0.0);
        h->start[p] = h->end[p] = h->rest[p];
    }
    const rlti_edge_contact *list = find(h, NULL, 0, &count);
    assert_int_equal(count, 0);
    for (int p = 20; p < 40; p++)
        h->end[p].y = 0.6;
    list = find(h, NULL, 0, &count);
    assert_int_equal(count, 20); /* parallel: one at every point */
    for (int k = 0; k < count; k++)
        assert_true(fabs(list[k].gap + 0.1) < 1e-12 && fabs(list[k].radius - 0.7) < 1e-12);
    free_hair(h);
}

/* ---- odd hair ---- */

static void odd_hair(void **state) {
    (void)state;
    hair *h = make_hair(10, 12, 0.1, 0.05);
    make_soup(h, 3, 0.2);
    int count, fewer, none;
    find(h, NULL, 0, &count);
    h->end[h->first[2] + 5].y = NAN;
    h->start[h->first[4] + 1].x = HUGE_VAL;
    const rlti_edge_contact *list = find(h, NULL, 0, &fewer);
    assert_true(fewer > 0 && fewer <= count);
    for (int k = 0; k < fewer; k++)
        for (int side = 0; side < 2; side++) {
            int strand = list[k].strand[side], edge = list[k].edge[side];
            assert_false(strand == 2 && (edge == 4 || edge == 5));
            assert_false(strand == 4 && (edge == 0 || edge == 1));
        }
    for (int p = 0; p < 120; p++) /* all in one place, no length */
        h->start[p] = h->end[p] = rlti_v3(1, 2, 3);
    list = find(h, NULL, 0, &count);
    assert_true(count > 0);
    for (int k = 0; k < count; k++)
        assert_true(fabs(rlti_length(list[k].normal) - 1.0) < 1e-12);
    free_hair(h);
    h = make_hair(3, 1, 0.1, 0.05); /* strands without edges */
    find(h, NULL, 0, &none);
    assert_int_equal(none, 0);
    free_hair(h);
    h = make_hair(0, 1, 0.1, 0.05);
    find(h, NULL, 0, &none);
    assert_int_equal(none, 0);
    free_hair(h);
}

/* ---- bodies ---- */

typedef struct thing {
    rlti_mesh mesh;
    rlti_surface surface;
    rlti_edge_mesh edges;
    const rlti_edge_mesh *list[1];
} thing;

/* A body that moves by `shift` and turns a little in the step. */
static void begin_thing(thing *t, rlti_surface_sides sides, rlti_vec3 shift, double turn, rlti_pool *pool) {
    int count = t->mesh.vertex_count;
    assert_int_equal(rlti_surface_create(&t->mesh, &t->surface), 1);
    t->surface.sides = sides;
    for (int v = 0; v < count; v++) {
        t->surface.coefficients[v] = t->mesh.vertices[v];
        t->surface.coefficients[count + v] =
            rlti_add(shift, rlti_scale(turn, rlti_cross(rlti_v3(0, 0, 1), t->mesh.vertices[v])));
    }
    rlti_surface_set_motion(&t->surface);
    rlti_surface_weigh(&t->surface, 0.5);
    rlti_surface_pose(&t->surface, 0.0, 24.0);
    assert_int_equal(rlti_edge_mesh_create(&t->surface, &t->edges), 1);
    rlti_surface_pose(&t->surface, 1.0, 24.0);
    rlti_edge_mesh_move(&t->edges, 0.0, 1.0, pool);
    t->list[0] = &t->edges;
}

static void end_thing(thing *t) {
    rlti_edge_mesh_destroy(&t->edges);
    rlti_surface_destroy(&t->surface);
    free(t->mesh.vertices);
    free(t->mesh.triangles);
}

static void allocate_mesh(rlti_mesh *mesh, int vertices, int triangles) {
    *mesh = (rlti_mesh){.vertex_count = vertices, .triangle_count = triangles};
    mesh->vertices = calloc((size_t)vertices, sizeof *mesh->vertices);
    mesh->triangles = calloc((size_t)triangles, sizeof *mesh->triangles);
    assert_non_null(mesh->vertices);
    assert_non_null(mesh->triangles);
}

/* A box around the origin; triangles face outward. */
static void make_box(rlti_mesh *mesh, rlti_vec3 half) {
    static const int triangles[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                         {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    allocate_mesh(mesh, 8, 12);
    memcpy(mesh->triangles, triangles, sizeof triangles);
    for (int v = 0; v < 8; v++)
        mesh->vertices[v] =
            rlti_v3(v & 1 ? half.x : -half.x, v & 2 ? half.y : -half.y, v & 4 ? half.z : -half.z);
}

static void make_torus(rlti_mesh *mesh) {
    enum { RING = 40, TUBE = 20, N = RING * TUBE };
    allocate_mesh(mesh, N, 2 * N);
    for (int i = 0; i < N; i++) {
        double u = 2.0 * RLTI_PI * (i / TUBE) / RING, v = 2.0 * RLTI_PI * (i % TUBE) / TUBE;
        double bump = 2.0 + 0.2 * sin(3.0 * v + 5.0 * u), r = 6.0 + bump * cos(v);
        mesh->vertices[i] = rlti_v3(r * cos(u), bump * sin(v), r * sin(u));
        int next = i % TUBE == TUBE - 1 ? i + 1 - TUBE : i + 1;
        int first[3] = {i, next, (i + TUBE) % N}, second[3] = {next, (next + TUBE) % N, (i + TUBE) % N};
        memcpy(mesh->triangles[2 * i], first, sizeof first);
        memcpy(mesh->triangles[2 * i + 1], second, sizeof second);
    }
}

/* A level hair of three points that falls from one height to another. */
static hair *falling_hair(double from, double to) {
    hair *h = make_hair(1, 3, 0.01, 0.0);
    for (int p = 0; p < 3; p++) {
        h->rest[p] = h->start[p] = rlti_v3(0.5 * p - 0.4, 0.1, from);
        h->end[p] = rlti_v3(0.5 * p - 0.4, 0.1, to);
    }
    return h;
}

/* Faces only: contacts of points. */
static int faces_of(const rlti_edge_contact *list, int count, rlti_edge_contact *last) {
    int faces = 0;
    for (int k = 0; k < count; k++)
        if (list[k].part == 0) {
            *last = list[k];
            faces++;
        }
    return faces;
}

static void through_thin_bodies(void **state) {
    (void)state;
    const rlti_surface_sides sides[2] = {RLTI_SOLID, RLTI_SHEET};
    for (int k = 0; k < 4; k++) { /* a plate, a sheet; hair falls, or the body rises */
        hair *h = falling_hair(3.0, k & 2 ? 3.0 : -3.0);
        thing t = {0};
        int count;
        rlti_edge_contact last = {0};
        make_box(&t.mesh, rlti_v3(10, 10, k & 1 ? 0.0 : 0.05));
        if (k & 1)
            t.mesh.triangle_count = 2; /* its lower face only */
        begin_thing(&t, sides[k & 1], rlti_v3(0, 0, k & 2 ? 6 : 0), 0.0, h->pool);
        const rlti_edge_contact *list = find(h, t.list, 1, &count);
        assert_int_equal(faces_of(list, count, &last), 2); /* both points but the root */
        assert_true(last.passage && last.strand[1] == 1);
        assert_true(fabs(last.normal.z - 1.0) < 1e-6); /* where it came from */
        double top = k & 1 ? 0.0 : 0.05;
        assert_true(fabs(last.gap - (-3.0 - top - 0.01)) < 1e-5);
        assert_true(fabs(last.time - (3.0 - top) / 6.0) < 1e-5);
        assert_true(fabs(last.moved.z - (k & 2 ? 6.0 : 0.0)) < 1e-5);
        assert_true(last.share[0] == 1.0 && fabs(last.friction[0] - 0.4) < 1e-12);
        assert_int_equal(rlti_missed_count(h->contacts, h->start, h->end, t.list, 1, 100, 0).missed, 0);
        end_thing(&t);
        free_hair(h);
    }
}

/* Out of a solid is no contact; through a sheet is one from either side. */
static void the_other_way(void **state) {
    (void)state;
    hair *h = falling_hair(0.0, 3.0);
    thing t = {0};
    int count;
    make_box(&t.mesh, rlti_v3(10, 10, 0.5));
    begin_thing(&t, RLTI_SOLID, rlti_v3(0, 0, 0), 0.0, h->pool);
    find(h, t.list, 1, &count);
    assert_int_equal(count, 0);
    end_thing(&t);
    free_hair(h);
    h = falling_hair(-3.0, 3.0);
    rlti_edge_contact last = {0};
    make_box(&t.mesh, rlti_v3(10, 10, 0.0));
    t.mesh.triangle_count = 2;
    begin_thing(&t, RLTI_SHEET, rlti_v3(0, 0, 0), 0.0, h->pool);
    const rlti_edge_contact *list = find(h, t.list, 1, &count);
    assert_int_equal(faces_of(list, count, &last), 2);
    assert_true(last.passage && fabs(last.normal.z + 1.0) < 1e-6 && fabs(last.gap + 3.01) < 1e-5);
    end_thing(&t);
    free_hair(h);
}

/* An edge that lies over a ridge, or cuts it, with its points outside of the body. */
static void over_a_ridge(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        hair *h = make_hair(1, 3, 0.05, 0.0);
        thing t = {0};
        int count, sides = 0;
        double over = k == 0 ? 0.03 : -0.02;
        make_box(&t.mesh, rlti_v3(1, 4, 1));
        begin_thing(&t, RLTI_SOLID, rlti_v3(0, 0, 0), 0.0, h->pool);
        double at = 1.0 + over / sqrt(2.0); /* across the edge x = 1, z = 1 */
        h->end[0] = rlti_v3(at - 2.0, 0.3, at + 2.0);
        h->end[1] = rlti_v3(at - 0.5, 0.3, at + 0.5);
        h->end[2] = rlti_v3(at + 0.5, 0.3, at - 0.5);
        memcpy(h->start, h->end, sizeof h->end);
        memcpy(h->rest, h->end, sizeof h->end);
        const rlti_edge_contact *list = find(h, t.list, 1, &count);
        for (int c = 0; c < count; c++)
            if (list[c].part > 0) {
                sides++;
                assert_true(fabs(list[c].normal.x - sqrt(0.5)) < 1e-6 &&
                            fabs(list[c].normal.z - sqrt(0.5)) < 1e-6);
                assert_true(fabs(list[c].gap - (over - 0.05)) < 1e-6);
                assert_true(fabs(list[c].share[0] - 0.5) < 1e-6 && list[c].edge[0] == 1);
            }
        assert_int_equal(sides, 1); /* the diagonals of the faces do not count */
        end_thing(&t);
        free_hair(h);
    }
}

/* Points near a bumpy body: the gap is the distance, inside and outside. */
static void near_a_torus(void **state) {
    (void)state;
    hair *h = make_hair(12, 30, 0.2, 0.1);
    thing t = {0};
    int count, near = 0, inside = 0;
    make_torus(&t.mesh);
    begin_thing(&t, RLTI_SOLID, rlti_v3(0.3, 0.2, 0.1), 0.02, h->pool);
    for (int p = 0; p < 360; p++) {
        rlti_moving vertex = t.edges.vertices[p * 337 % t.mesh.vertex_count];
        h->end[p] = rlti_add(vertex.to, random_vector(5, p, 0.3));
        h->start[p] = h->rest[p] =
            h->end[p]; /* does not pass: the body moves, points are put beside its end */
    }
    const rlti_edge_contact *list = find(h, t.list, 1, &count);
    for (int s = 0; s < 12; s++)
        for (int i = 1; i < 30; i++) {
            rlti_vec3 local = rlti_sub(h->end[h->first[s] + i], t.surface.centre);
            float point[3];
            rlti_closest closest = {.distance2 = 1.0f};
            rlti_v3_round(point, local);
            if (!rlti_surface_closest(&t.surface, point, &closest))
                continue;
            double distance = (double)rlti_surface_signed(&t.surface, &closest), best = HUGE_VAL;
            int passages = 0;
            for (int k = 0; k < count; k++)
                if (list[k].strand[0] == s && list[k].edge[0] == i - 1 && list[k].strand[1] == 12 &&
                    list[k].part == 0) {
                    best = list[k].passage ? best : fmin(best, list[k].gap + list[k].radius);
                    passages += list[k].passage;
                }
            if (passages > 0 || fabs(distance) > 0.29)
                continue;
            near++;
            inside += distance < 0.0;
            assert_true(fabs(best - distance) < 1e-4);
        }
    assert_true(near > 100 && inside > 20);
    end_thing(&t);
    free_hair(h);
}

/* What rlti_edge_faces finds among all triangles. */
static int all_faces(hair *h, const rlti_edge_contacts *contacts, const thing *t, rlti_edge_chunk *chunk) {
    static uint64_t triangles[4096], some[4096];
    int all = t->edges.item_count;
    assert_true(all <= 4096);
    for (int k = 0; k < all; k++)
        triangles[k] = (uint64_t)k;
    chunk->count = 0;
    for (int s = 0; s < h->strands.strand_count; s++)
        for (int e = 0; e < edge_count(h, s); e++) {
            rlti_strand_edge edge = edge_of(h, s, e);
            memcpy(some, triangles, sizeof some);
            assert_true(rlti_edge_faces(contacts, &edge, 0, some, all, chunk));
        }
    return chunk->count;
}

/* Hair along a torus, with points in and out of it, that moves with it and beside it; radii differ, and some
 * edges have slack. */
static void lay_on_torus(hair *h, const thing *t, int seed, double speed, double *slack) {
    for (int p = 0; p < 360; p++) {
        int place = (17 * (p / 30) + 23 * (p % 30)) % t->mesh.vertex_count;
        rlti_moving vertex = t->edges.vertices[place];
        rlti_vec3 beside = random_vector((uint64_t)seed, p, 0.4);
        h->start[p] = h->rest[p] = rlti_add(vertex.from, beside);
        h->end[p] = rlti_add(rlti_add(vertex.to, beside), random_vector((uint64_t)seed + 1, p, speed));
        h->radius[p] = p % 7 == 0 ? -0.1 : 0.1 + 0.2 * (p % 3);
        slack[p] = p % 5 == 0 ? 0.05 : 0.0;
    }
}

/* Where points are left to planes, triangles are sieved by single precision, and listed for later searches of
 * a step: with the contacts that all triangles would have. */
static void bodies_beside_planes(void **state) {
    (void)state;
    static double slack[MOST_POINTS];
    int passages = 0, proximities = 0, sifted = 0, some = 0;
    for (int k = 0; k < 12; k++) {
        hair *h = make_hair(12, 30, 0.2, 0.02);
        thing t = {0};
        rlti_edge_chunk chunk = {0};
        make_torus(&t.mesh);
        begin_thing(&t, k & 1 ? RLTI_SHEET : RLTI_SOLID, rlti_v3(0.6, -1, 1), k & 2 ? 0.1 : 0.0, h->pool);
        h->strands.planes = 1;
        h->strands.body_slack = slack;
        h->strands.self = 0;
        lay_on_torus(h, &t, 80 + k, k < 4 ? 0.02 : (k < 8 ? 0.3 : 3.0), slack);
        for (int round = 0; round < 4; round++) {
            int count;
            const rlti_edge_contact *list;
            for (int p = 0; p < 360 && round > 0; p++)
                h->end[p] =
                    rlti_add(h->end[p], random_vector(300 + (uint64_t)round, p,
                                                      round == 3 && p / 30 == round ? 0.3 : 0.004 / round));
            if (round == 0) {
                list = find(h, t.list, 1, &count);
            } else {
                h->contacts->kept_count = 0; /* no passages of searches before */
                assert_true(rlti_edge_contacts_find(h->contacts, h->pool, h->start, h->end, t.list, 1));
                list = rlti_edge_contacts_list(h->contacts, &count);
            }
            if (k % 3 == 1)
                rlti_edge_contacts_set_plain(h->contacts);
            sifted += !h->contacts->renew && !h->contacts->some;
            some += h->contacts->some;
            int expected = all_faces(h, h->contacts, &t, &chunk), found = 0;
            for (int c = 0; c < count; c++) {
                if (list[c].strand[1] < 12)
                    continue;
                assert_true(found < expected);
                assert_memory_equal(&list[c], &chunk.items[found], sizeof *list);
                passages += list[c].passage;
                proximities += !list[c].passage;
                found++;
            }
            assert_int_equal(found, expected);
        }
        rlti_free(chunk.items);
        end_thing(&t);
        free_hair(h);
    }
    assert_true(passages > 100 && proximities > 100 && sifted > 5 && some > 5);
}

/* Hair thrown through a body that moves and turns. */
static void thrown_through_a_torus(void **state) {
    (void)state;
    long long passed = 0;
    for (int k = 0; k < 4; k++) {
        hair *h = make_hair(4, 20, 0.02, 0.01);
        thing t = {0};
        int count, again;
        make_torus(&t.mesh);
        begin_thing(&t, k & 1 ? RLTI_SHEET : RLTI_SOLID, rlti_v3(2, -1, 1), 0.3, h->pool);
        for (int p = 0; p < 80; p++) {
            rlti_vec3 from = random_vector(60 + (uint64_t)k, p, 9.0),
                      to = random_vector(70 + (uint64_t)k, p, 9.0);
            h->start[p] = h->rest[p] = rlti_v3(from.x, 8.0 + 0.1 * from.y, from.z);
            h->end[p] = rlti_v3(to.x, -8.0 + to.y, to.z);
        }
        const rlti_edge_contact *list = find(h, t.list, 1, &count);
        rlti_missed all = rlti_missed_count(h->contacts, h->start, h->end, t.list, 1, 100000, 0);
        assert_int_equal(all.missed, 0);
        passed += all.passed;
        rlti_edge_contact *kept = malloc((size_t)count * sizeof *kept);
        assert_non_null(kept);
        memcpy(kept, list, (size_t)count * sizeof *kept);
        for (int c = 1; c < count; c++)
            assert_true(compare(&list[c - 1], &list[c]) < 0);
        rlti_pool_destroy(h->pool);
        h->pool = rlti_pool_create(3);
        list = find(h, t.list, 1, &again);
        assert_int_equal(again, count);
        assert_memory_equal(list, kept, (size_t)count * sizeof *kept);
        free(kept);
        end_thing(&t);
        free_hair(h);
    }
    assert_true(passed > 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_all_pairs),
        cmocka_unit_test(near_pairs_are_listed),
        cmocka_unit_test(contacts_are_as_said),
        cmocka_unit_test(later_searches),
        cmocka_unit_test(same_bytes_and_no_allocation),
        cmocka_unit_test(nothing_is_missed),
        cmocka_unit_test(passages_are_kept),
        cmocka_unit_test(out_of_memory),
        cmocka_unit_test(a_hair_meets_itself),
        cmocka_unit_test(the_groom_is_free),
        cmocka_unit_test(odd_hair),
        cmocka_unit_test(through_thin_bodies),
        cmocka_unit_test(the_other_way),
        cmocka_unit_test(over_a_ridge),
        cmocka_unit_test(near_a_torus),
        cmocka_unit_test(bodies_beside_planes),
        cmocka_unit_test(thrown_through_a_torus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
