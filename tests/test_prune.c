/* Which points of a hair take part in contacts, and which pairs of hairs: by hand, and against counting
 * everything. */
#include "contact_fixture.h"

/* ---- particles: equation 6 ---- */

/* One vertical hair of `points` points, 0.5 apart; `values` are more of its values. */
static void one_hair(bundle *b, int points, const char *values) {
    char strand[4096];
    bundle_begin(b, 1, "character: {kind: none}\nhair: {region: none, strands: [%s], %s}\n",
                 straight(strand, sizeof strand, points, 1, 2, 3, 0, -0.5, 0), values);
}

/* Exactly these points are kept, and nothing but them is told about. */
static void assert_kept(const char *values, int points, const int *kept, int count, int candidates) {
    bundle b;
    one_hair(&b, points, values);
    assert_int_equal(b.particles->count, count);
    assert_int_equal(b.particles->candidates, candidates);
    assert_int_equal(b.particles->first[0], 0);
    assert_int_equal(b.particles->first[1], count);
    for (int k = 0; k < count; k++) {
        assert_int_equal(b.particles->point[k], kept[k]);
        assert_int_equal(b.particles->strand[k], 0);
        const rlti_vec3 *at = &b.particles->rest[k];
        assert_true(at->x == 1 && at->y == 2 - 0.5 * kept[k] && at->z == 3);
        double mass = b.model->mass[kept[k]];
        assert_true(b.particles->inverse_mass[k] == (kept[k] == 0 ? 0.0f : (float)(1.0 / mass)));
    }
    bundle_end(&b);
}

static void uniform_radii(void **state) {
    (void)state;
    /* more than 0.75 * 1.6 = 1.2 apart: every third point */
    const int three[] = {0, 3, 6, 9, 12, 15, 18};
    assert_kept("contact: {radius: 0.8}, prune: {sparsity: 0.75}", 21, three, 7, 21);
    assert_kept("contact: {radius: 0.8}", 21, three, 7, 21); /* what is standard */
    const int four[] = {0, 4, 8, 12, 16, 20};
    assert_kept("contact: {radius: 0.8}, prune: {sparsity: 1}", 21, four, 6, 21);
    /* spheres that just touch are not yet apart: 1.5 > 1, 1 is not */
    const int touching[] = {0, 3, 6, 9};
    assert_kept("contact: {radius: 0.5}, prune: {sparsity: 1}", 10, touching, 4, 10);
    const int root[] = {0};
    assert_kept("contact: {radius: 100}", 10, root, 1, 10);
    const int half[] = {0, 2, 4, 6, 8};
    assert_kept("contact: {radius: 1}, prune: {sparsity: 0.25}", 10, half, 5, 10);
}

/* Radii so large that nothing is left that springs could move are warned of; a few short hairs are not, nor
 * are contacts that are solved, which have no particles. */
static void roots_alone_are_warned_of(void **state) {
    (void)state;
    static const struct {
        const char *contact;
        int lines;
    } cases[] = {{"contact: {radius: 100}", 1},
                 {"contact: {radius: 1}", 0},
                 {"contact: {radius: 0}", 0},
                 {"model: rod, contact: {radius: 100}", 1},
                 {"model: rod, contact: {radius: 100, method: solve}", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bundle b;
        char strand[2][512];
        bundle_begin(&b, 2, "character: {kind: none}\nhair: {region: none, strands: [%s, %s], %s}\n",
                     straight(strand[0], sizeof strand[0], 10, 1, 2, 3, 0, -0.5, 0),
                     straight(strand[1], sizeof strand[1], 10, 2, 2, 3, 0, -0.5, 0), cases[i].contact);
        assert_int_equal(rlt_messages_count(b.messages), cases[i].lines);
        if (cases[i].lines > 0)
            assert_non_null(
                strstr(rlt_messages_text(b.messages, 0),
                       "hair 'hair': contact.radius of up to 100 units beside strands of 4.5: pruning "
                       "leaves nothing but the root of 2 of 2 strands"));
        bundle_end(&b);
    }
}

static void no_pruning_keeps_all(void **state) {
    (void)state;
    const int all[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    assert_kept("contact: {radius: 3}, prune: {sparsity: 0}", 10, all, 10, 10);
    assert_kept("contact: {radius: 3}, prune: {particles: off}", 10, all, 10, 10);
    assert_kept("contact: {radius: 3}, prune: {particles: off, sparsity: 2}", 10, all, 10, 10);
}

static void ramps(void **state) {
    (void)state;
    /* r_i = i / 16: by hand with s = 1. The root is kept, but has no sphere. */
    const int grows[] = {1, 2, 3, 4, 6, 8, 11, 15};
    assert_kept("contact: {radius: [[0, 0], [1, 1]]}, prune: {sparsity: 1}", 17, grows, 8, 16);
    /* r_i = 1 up to the middle, 0 beyond: nothing there, and points without a sphere keep nobody away */
    const int part[] = {0, 4, 8};
    assert_kept("contact: {radius: [[0, 0.9], [0.5, 0.9], [0.5001, 0], [1, 0]]}, prune: {sparsity: 1}", 17,
                part, 3, 9);
}

static void nothing_to_keep(void **state) {
    (void)state;
    assert_kept("contact: {radius: 0}", 10, NULL, 0, 0);
    assert_kept("contact: {enabled: off}", 10, NULL, 0, 0);
}

/* Straight out of the definition, over random grooms. */
static void particles_follow_equation_6(void **state) {
    (void)state;
    for (int trial = 0; trial < 12; trial++) {
        bundle b;
        double s = 0.25 * trial;
        bundle_begin(&b, 1,
                     "character: {kind: none}\n"
                     "hair: {region: none, count: 5, length: 20, length_variation: 0.5, seed: %d,"
                     " contact: {radius: [[0, 0.1], [0.4, 1.2], [0.9, 0.3], [1, 0]]},"
                     " prune: {sparsity: %g}}\n",
                     trial, s);
        const rlti_hair_data *hair = &b.data->hair[0];
        int found = 0;
        for (int h = 0; h < b.strands->strand_count; h++) {
            int first = b.strands->first[h], n = b.strands->first[h + 1] - first, j = 0;
            double at[512] = {0};
            assert_true(n < 512);
            for (int i = 1; i < n; i++)
                at[i] = at[i - 1] +
                        rlti_length(rlti_sub(b.strands->points[first + i], b.strands->points[first + i - 1]));
            assert_int_equal(b.particles->first[h], found);
            for (int k = 0; k < n; k++) {
                double rj = rlti_ramp_at(&hair->contact_radius, at[j] / at[n - 1]),
                       rk = rlti_ramp_at(&hair->contact_radius, at[k] / at[n - 1]);
                double room = at[k] - at[j] - s * (rj + rk);
                assert_true(k == 0 || s == 0 || fabs(room) > 1e-9); /* or rounding would decide */
                if (k > 0 && !(room > 0))
                    continue;
                j = k;
                if (!(rk > 1e-12))
                    continue;
                assert_int_equal(b.particles->point[found], k);
                assert_int_equal(b.particles->strand[found], h);
                assert_true(fabs((double)b.particles->radius[found] - rk) < 1e-6);
                found++;
            }
        }
        assert_int_equal(b.particles->count, found);
        bundle_end(&b);
    }
}

/* ---- the graph ---- */

/* n_ij by counting everything. Rounding may decide about spheres that just touch: `more` counts them, too. */
static void count_touches(const bundle *b, int s, int t, int *sure, int *more) {
    const rlti_particles *p = b->particles;
    double x = b->data->hair[b->strands->hair[s]].prune_reach,
           y = b->data->hair[b->strands->hair[t]].prune_reach;
    *sure = *more = 0;
    for (int i = p->first[s]; i < p->first[s + 1]; i++)
        for (int j = p->first[t]; j < p->first[t + 1]; j++) {
            double d = rlti_length(rlti_sub(p->rest[i], p->rest[j]));
            double room = d - x * (double)p->radius[i] - y * (double)p->radius[j];
            *sure += room < -1e-4;
            *more += room < 1e-4;
        }
}

static int meet_at_all(const bundle *b, int s, int t) {
    const rlti_hair_data *x = &b->data->hair[b->strands->hair[s]], *y = &b->data->hair[b->strands->hair[t]];
    const int *first = b->particles->first;
    return s != t && x->contact && y->contact && strcmp(x->contact_group, y->contact_group) == 0 &&
           first[s] < first[s + 1] && first[t] < first[t + 1];
}

/* Rows that say what they promise. */
static void assert_sound(const rlti_graph *graph) {
    assert_int_equal(graph->first[0], 0);
    for (int s = 0; s < graph->count; s++)
        for (long long e = graph->first[s]; e < graph->first[s + 1]; e++) {
            assert_int_not_equal(graph->to[e], s);
            assert_true(graph->to[e] >= 0 && graph->to[e] < graph->count);
            assert_true(e == graph->first[s] || graph->to[e - 1] < graph->to[e]);
            assert_true(joined(graph, graph->to[e], s));
        }
    assert_int_equal(graph->first[graph->count], 2 * graph->edges_final);
    assert_true(graph->edges_final <= graph->edges_near && graph->edges_near <= graph->edges_full);
}

/* The graph against all pairs; random fractions must be 0. Returns the pairs that were kept. */
static long long assert_counted(const bundle *b) {
    long long full = 0, kept = 0, doubtful = 0;
    assert_sound(b->graph);
    for (int s = 0; s < b->graph->count; s++)
        for (int t = 0; t < s; t++) {
            const rlti_hair_data *x = &b->data->hair[b->strands->hair[s]],
                                 *y = &b->data->hair[b->strands->hair[t]];
            int is = joined(b->graph, s, t), sure, more;
            if (!meet_at_all(b, s, t)) {
                assert_false(is);
                continue;
            }
            full++;
            kept += is;
            if (!x->prune_pairs || !y->prune_pairs) {
                assert_true(is);
                continue;
            }
            int enough = x->prune_touches < y->prune_touches ? x->prune_touches : y->prune_touches;
            count_touches(b, s, t, &sure, &more);
            doubtful += sure < enough && more >= enough;
            assert_true(is ? more >= enough : sure < enough);
        }
    assert_true(doubtful * 50 <= full); /* or the test would say little */
    assert_int_equal(b->graph->edges_full, full);
    assert_int_equal(b->graph->edges_final, kept);
    assert_int_equal(b->graph->edges_near, kept);
    return kept;
}

/* A few sections of curls in one place, with values of the last one. */
#define CURLS                                                                                                \
    "region: none, count: %d, spacing: 1.3, length: 12, length_variation: 0.5, variation: 0.5, seed: 7"

static void graphs_count_touches(void **state) {
    (void)state;
    static const struct {
        double reach;
        int touches;
    } cases[] = {{1, 1}, {1, 4}, {2, 1}, {2, 9}, {2, 40}, {5, 1}, {5, 100}, {0.3, 1}, {3, 0}, {1e4, 1}};
    long long last = -1, fewest = 1000000, most = 0;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        bundle b;
        bundle_begin(&b, 2,
                     "character: {kind: none}\n"
                     "hair: {" CURLS ", prune: {reach: %g, touches: %d, random: 0}}\n",
                     37, cases[c].reach, cases[c].touches);
        long long kept = assert_counted(&b);
        if (c > 0 && cases[c].reach == cases[c - 1].reach)
            assert_true(kept < last); /* more touches, fewer pairs */
        if (cases[c].touches == 0 || cases[c].reach > 1000)
            assert_int_equal(kept, 37 * 36 / 2);
        last = kept;
        fewest = kept < fewest ? kept : fewest;
        most = kept > most ? kept : most;
        bundle_end(&b);
    }
    assert_true(fewest < 37 && most == 37 * 36 / 2);
}

/* Sections with their own reach and touches, groups, contacts off, pruning of pairs off on one side only. */
static void sections_groups_and_switches(void **state) {
    (void)state;
    bundle b;
    bundle_begin(&b, 2,
                 "character: {kind: none}\n"
                 "hair:\n"
                 "  - {name: a, " CURLS ", prune: {reach: 1.5, touches: 3, random: 0}}\n"
                 "  - {name: b, " CURLS
                 ", prune: {reach: 3, touches: 6, random: 0}, contact: {radius: 0.5}}\n"
                 "  - {name: c, " CURLS ", contact: {group: other}, prune: {reach: 2, random: 0}}\n"
                 "  - {name: d, " CURLS ", contact: {group: other, enabled: off}, prune: {random: 0}}\n"
                 "  - {name: e, " CURLS ", prune: {pairs: off, random: 0.7}}\n"
                 "  - {name: f, " CURLS ", contact: {radius: 0}, prune: {pairs: off}}\n",
                 15, 14, 13, 12, 3, 4);
    assert_counted(&b);
    assert_int_equal(b.graph->edges_full, 32 * 31 / 2 + 13 * 12 / 2);
    for (int s = 0; s < b.graph->count; s++) {
        int section = b.strands->hair[s];
        long long degree = b.graph->first[s + 1] - b.graph->first[s];
        if (section == 4)
            assert_int_equal(degree, 31); /* everybody in its group */
        if (section == 3 || section == 5)
            assert_int_equal(degree, 0);
    }
    bundle_end(&b);
}

/* Pairs of the sorted search that begin far apart along x, and boxes that share an edge. */
static void far_and_flat_grooms(void **state) {
    (void)state;
    char text[20000] = "", strand[2048];
    size_t used = 0;
    for (int k = 0; k < 40; k++) /* long hairs along x over short ones across */
        used += (size_t)snprintf(
            text + used, sizeof text - used, "%s%s", k > 0 ? ", " : "",
            k < 10 ? straight(strand, sizeof strand, 30, -15, 0.3 * k, 0, 1, 0, 0)
                   : straight(strand, sizeof strand, 4, -20 + 1.25 * (k - 10), 1, 0.7, 0, 0.5, 0));
    bundle b;
    bundle_begin(
        &b, 2,
        "character: {kind: none}\n"
        "hair: {region: none, strands: [%s], contact: {radius: 0.4}, prune: {reach: 1.1, random: 0}}\n",
        text);
    long long kept = assert_counted(&b);
    assert_true(kept > 40 && kept < 500);
    bundle_end(&b);
}

#define RANDOM_SCENE                                                                                         \
    "character: {kind: none}\n"                                                                              \
    "hair:\n"                                                                                                \
    "  - {name: a, " CURLS ", prune: {random: %g, seed: %d}}\n"                                              \
    "  - {name: b, " CURLS ", prune: {random: %g, seed: %d}}\n"

static void random_fraction(void **state) {
    (void)state;
    bundle all, half, again, other, none;
    bundle_begin(&all, 2, RANDOM_SCENE, 60, 0.0, 1, 20, 0.0, 1);
    bundle_begin(&half, 2, RANDOM_SCENE, 60, 0.4, 1, 20, 0.9, 1);
    bundle_begin(&again, 1, RANDOM_SCENE, 60, 0.4, 1, 20, 0.9, 1);
    bundle_begin(&other, 2, RANDOM_SCENE, 60, 0.4, 2, 20, 0.9, 2);
    bundle_begin(&none, 2, RANDOM_SCENE, 60, 1.0, 1, 20, 1.0, 1);
    const bundle *each[] = {&half, &again, &other, &none};
    for (int k = 0; k < 4; k++) {
        assert_sound(each[k]->graph);
        assert_int_equal(each[k]->graph->edges_near, all.graph->edges_near);
        for (int s = 0; s < 80; s++)
            for (long long e = each[k]->graph->first[s]; e < each[k]->graph->first[s + 1]; e++)
                assert_true(joined(all.graph, s, each[k]->graph->to[e]));
    }
    /* 0.4 among the first section and between both (the lesser counts), 0.9 within the second */
    long long first = 0, second = 0, first_kept = 0, second_kept = 0, differ = 0;
    for (int s = 0; s < 80; s++)
        for (int t = 0; t < s; t++) {
            int is = joined(half.graph, s, t), was = joined(all.graph, s, t);
            first += t < 60 && was;
            first_kept += t < 60 && is;
            second += t >= 60 && was;
            second_kept += t >= 60 && is;
            assert_int_equal(is, joined(again.graph, s, t));
            differ += is != joined(other.graph, s, t);
        }
    double share = (double)first_kept / (double)first, sigma = sqrt(0.4 * 0.6 / (double)first);
    print_message("%lld of %lld pairs kept: %.3f\n", first_kept, first, share);
    assert_true(first > 500);
    assert_true(fabs(share - 0.6) < 4 * sigma);
    assert_true(second > 50 && second_kept < second / 4);
    assert_int_equal(none.graph->edges_final, 0);
    assert_true(differ > first / 4);
    bundle_end(&all);
    bundle_end(&half);
    bundle_end(&again);
    bundle_end(&other);
    bundle_end(&none);
}

static void threads_do_not_matter(void **state) {
    (void)state;
    bundle one;
    bundle_begin(&one, 1, RANDOM_SCENE, 90, 0.4, 1, 20, 0.9, 1);
    for (int threads = 2; threads <= 5; threads += 3) {
        bundle many;
        bundle_begin(&many, threads, RANDOM_SCENE, 90, 0.4, 1, 20, 0.9, 1);
        size_t hairs = (size_t)one.graph->count, ends = (size_t)one.graph->first[hairs];
        assert_int_equal(many.graph->count, one.graph->count);
        assert_memory_equal(many.graph->first, one.graph->first, (hairs + 1) * sizeof(long long));
        assert_memory_equal(many.graph->to, one.graph->to, ends * sizeof(int));
        assert_int_equal(many.graph->edges_full, one.graph->edges_full);
        assert_int_equal(many.graph->edges_near, one.graph->edges_near);
        assert_int_equal(many.graph->edges_final, one.graph->edges_final);
        bundle_end(&many);
    }
    bundle_end(&one);
}

/* Where the character stands must not matter: counts are taken in single precision. */
static void far_from_the_origin(void **state) {
    (void)state;
    const char *text = "character: {kind: none, position: [%g, %g, 0]}\n"
                       "hair: {" CURLS ", prune: {reach: 2, touches: 5, random: 0}}\n";
    bundle here, there;
    bundle_begin(&here, 2, text, 0.0, 0.0, 40);
    bundle_begin(&there, 2, text, 1e5, -2e5, 40);
    assert_counted(&there);
    long long differ = llabs(here.graph->edges_final - there.graph->edges_final);
    assert_true(differ <= here.graph->edges_final / 50);
    bundle_end(&here);
    bundle_end(&there);
}

static void empty_graphs(void **state) {
    (void)state;
    static const char *const values[] = {"count: 1", "count: 5, contact: {enabled: off}",
                                         "count: 5, contact: {radius: 0}", "count: 5, prune: {random: 1}"};
    for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
        bundle b;
        bundle_begin(&b, 2, "character: {kind: none}\nhair: {region: none, length: 5, %s}\n", values[k]);
        assert_int_equal(b.graph->count, k == 0 ? 1 : 5);
        assert_int_equal(b.graph->edges_final, 0);
        assert_int_equal(b.graph->edges_full, k == 3 ? 10 : 0);
        assert_sound(b.graph);
        bundle_end(&b);
    }
}

/* Four times the hairs, half as thick and half as far apart: four times the work (a deeper tree adds to it),
 * in one section or in two, however the groom lies. */
static void work_grows_with_the_hair(void **state) {
    static const char *const directions[] = {"[0, -1, 0]", "[1, -1, 1]"};
    (void)state;
    for (int sections = 1; sections <= 2; sections++)
        for (int d = 0; d < 2; d++) {
            double first = 0;
            for (int m = 1; m <= 16; m *= 4) {
                char hair[1024], text[3072];
                snprintf(hair, sizeof hair,
                         "{region: none, direction: %s, style: straight, count: %d, spacing: %g, length: 12,"
                         " segment: 1, contact: {radius: %g}}",
                         directions[d], 600 * m / sections, 0.5 / sqrt(m), 0.08 / sqrt(m));
                snprintf(text, sizeof text, sections == 1 ? "%s" : "[%s, %s]", hair, hair);
                bundle b;
                bundle_begin(&b, 2, "character: {kind: none}\nhair: %s\n", text);
                double work = (double)b.graph->looked;
                print_message("%d sections, %d hairs: %g looked at, %lld near\n", sections, b.graph->count,
                              work, b.graph->edges_near);
                assert_true(b.graph->edges_near > 100 * m);
                if (m == 1)
                    first = work;
                assert_true(work < 1.7 * m * first);
                bundle_end(&b);
            }
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniform_radii),         cmocka_unit_test(roots_alone_are_warned_of),
        cmocka_unit_test(no_pruning_keeps_all),  cmocka_unit_test(ramps),
        cmocka_unit_test(nothing_to_keep),       cmocka_unit_test(particles_follow_equation_6),
        cmocka_unit_test(graphs_count_touches),  cmocka_unit_test(sections_groups_and_switches),
        cmocka_unit_test(far_and_flat_grooms),   cmocka_unit_test(random_fraction),
        cmocka_unit_test(threads_do_not_matter), cmocka_unit_test(far_from_the_origin),
        cmocka_unit_test(empty_graphs),          cmocka_unit_test(work_grows_with_the_hair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
