/* Which edges and triangles may be near each other.
 *
 * A full search goes through the tree, and keeps all pairs of edges that contacts may have, and by a margin
 * more, so that later searches of the step need only sift the list: known.c. */
#include <string.h>

#include "base/list.h"
#include "contact/edge/contacts_data.h"
#include "contact/edge/four.h"

enum { WIDTH = RLTI_SWEEP_WIDTH, BLOCK = 1024 };

/* ---- boxes and points ---- */

/* Strands of equal number meet; -1: none. */
static int group_of(const rlti_edge_contacts *contacts, int strand) {
    return contacts->strands.group != NULL ? contacts->strands.group[strand] : 0;
}

/* The box of a run, and what is measured of its halves. */
static rlti_sweep_box fit_run(void *context, int run) {
    const rlti_edge_contacts *contacts = context;
    int count = group_of(contacts, contacts->run_strand[run]) < 0 ? 0 : rlti_edge_run_length(contacts, run),
        place = contacts->tree.place[run];
    float margin = contacts->margin[place];
    rlti_sweep_node edges;
    contacts->run_alive[run] =
        (unsigned char)contacts->sieve->box(contacts->columns, RLTI_EDGE_RADIUS, contacts->run_point[run],
                                            count, 0.5 * contacts->strands.offset + (double)margin, &edges);
    contacts->sieve->chord(contacts->columns, contacts->run_point[run], count, margin, place % WIDTH,
                           &contacts->chords[place / WIDTH]);
    return rlti_sweep_node_box(&edges);
}

/* Points as the sieve and the kernel have them. */
static void fill_points(void *context, int index, int worker) {
    const rlti_edge_contacts *contacts = context;
    int count = contacts->strands.first[contacts->strands.strand_count];
    (void)worker;
    for (int p = index * BLOCK; p < (index + 1) * BLOCK && p < count; p++) {
        rlti_vec3 x = rlti_sub(contacts->end[p], contacts->centre),
                  v = rlti_sub(contacts->end[p], contacts->start[p]),
                  from = rlti_sub(contacts->start[p], contacts->centre);
        const double row[9] = {x.x, x.y, x.z, v.x, v.y, v.z, from.x, from.y, from.z};
        for (int c = 0; c < 9; c++)
            contacts->columns[RLTI_EDGE_END + c][p] = (float)row[c];
        contacts->rows[p] = (rlti_edge_row){contacts->end[p], contacts->strands.radius[p]};
        if (contacts->body_count > 0 && p + 1 < count)
            contacts->columns[RLTI_EDGE_BODY][p] = (float)rlti_edge_body_reach(contacts, p) * 1.000001f;
    }
}

/* ---- pairs whose boxes meet ---- */

static int add_key(rlti_edge_chunk *chunk, int item, uint64_t other) {
    if (!RLTI_LIST_RESERVE(chunk->keys, chunk->key_count, 1, chunk->key_capacity))
        return 0;
    chunk->keys[chunk->key_count++] = rlti_edge_key(item, other);
    return 1;
}

/* Of eight runs of the tree those from this one on. */
static unsigned char from_run(const rlti_sweep_tree *tree, const rlti_edge_eight *eight, int run) {
    typedef int32_t four __attribute__((vector_size(16)));
    const int *runs = tree->run + (ptrdiff_t)eight->node * WIDTH;
    const four from = {run, run, run, run};
    unsigned bits = 0;
    for (int i = 0; i < WIDTH; i += 4) {
        four other;
        memcpy(&other, runs + i, sizeof other);
        bits |= rlti_four_which(other >= from) << i;
    }
    return (unsigned char)(bits & eight->of);
}

/* Runs of a tree whose boxes meet one, by eights, to chunk->eights. Returns 0 when out of memory. */
static int walk_tree(const rlti_edge_contacts *contacts, const rlti_sweep_tree *tree,
                     const rlti_sweep_box *box, rlti_edge_chunk *chunk) {
    enum { ENOUGH = 64 };
    rlti_sweep_walk walk;
    rlti_sweep_walk_begin(&walk, tree, box);
    chunk->eight_count = 0;
    while (walk.depth > 0) {
        if (!RLTI_LIST_RESERVE(chunk->eights, chunk->eight_count, ENOUGH, chunk->eight_capacity))
            return 0;
        chunk->eight_count += contacts->sieve->walk(&walk, chunk->eights + chunk->eight_count, ENOUGH);
    }
    return 1;
}

/* The same of all runs, for a run. Eight runs that follow each other in the tree make one walk, with the
 * box of them all, which is little longer than that of each. */
static int walk_whole(const rlti_edge_contacts *contacts, int run, rlti_edge_chunk *chunk) {
    const rlti_sweep_tree *tree = &contacts->tree;
    int place = tree->place[run];
    rlti_sweep_box box = rlti_sweep_tree_box(tree, run);
    if (place % WIDTH == 0) {
        rlti_sweep_box wide = rlti_sweep_node_box(&tree->nodes[tree->start[1] + place / WIDTH]);
        if (!walk_tree(contacts, tree, &wide, chunk) ||
            !RLTI_LIST_RESERVE(chunk->wide, 0, chunk->eight_count, chunk->wide_capacity))
            return 0;
        chunk->wide_count = chunk->eight_count;
        for (int k = 0; k < chunk->wide_count; k++)
            chunk->wide[k] = rlti_edge_wide(&chunk->eights[k]);
    }
    chunk->eight_count = contacts->sieve->narrow(tree, &box, chunk->wide, chunk->wide_count, chunk->eights);
    return 1;
}

/* Runs that a run may meet whose boxes meet its own, by eights, and which of their halves are near: those
 * from itself on, or from the next strand on. `whole`: of all runs, else of those that are searched for anew.
 */
static int find_eights(const rlti_edge_contacts *contacts, int whole, int run, rlti_edge_chunk *chunk) {
    rlti_sweep_box box = rlti_sweep_tree_box(&contacts->tree, run);
    int left = 0, from = contacts->strands.self ? run : contacts->first_run[contacts->run_strand[run] + 1];
    int shared = whole && contacts->renew; /* else single runs are */
    if (!(shared ? walk_whole(contacts, run, chunk)
                 : walk_tree(contacts, whole ? &contacts->tree : &contacts->anew, &box, chunk)))
        return 0;
    for (int k = 0; k < chunk->eight_count; k++) {
        chunk->eights[left] = chunk->eights[k];
        chunk->eights[left].of = from_run(&contacts->tree, &chunk->eights[k], from);
        left += chunk->eights[left].of != 0;
    }
    chunk->eight_count = left;
    contacts->sieve->chords(contacts->chords, contacts->tree.place[run], contacts->strands.offset,
                            chunk->eights, chunk->eight_count);
    return 1;
}

static double slack_of(const rlti_edge_contacts *contacts, int run) {
    return (double)contacts->slack[contacts->tree.place[run]];
}

/* Boxes of a run's edges, as near to a body as contacts reach, from its centre. */
static void box_for_body(const rlti_edge_contacts *contacts, int run, const rlti_edge_mesh *mesh,
                         rlti_sweep_node *own) {
    const float little = 5e-7f;
    rlti_vec3 by = rlti_sub(contacts->centre, mesh->centre);
    const float shift[3] = {(float)by.x, (float)by.y, (float)by.z};
    contacts->sieve->box(contacts->columns, RLTI_EDGE_BODY, contacts->run_point[run],
                         rlti_edge_run_length(contacts, run),
                         contacts->strands.planes ? slack_of(contacts, run) : 0.0, own);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 2 * WIDTH && shift[k] != 0.0f; i++) {
            float *low = own->low[k][0] + i, *high = own->high[k][0] + i;
            if (*low > *high)
                continue; /* it is empty */
            *low += shift[k] - little * (fabsf(*low) + fabsf(shift[k]));
            *high += shift[k] + little * (fabsf(*high) + fabsf(shift[k]));
        }
}

/* Runs of a body whose boxes meet those of a half run's edges: half runs of triangles, and which edges. */
static int find_faces(const rlti_edge_contacts *contacts, const rlti_edge_mesh *mesh,
                      const rlti_sweep_node *own, int half, rlti_edge_chunk *chunk, int *count) {
    const rlti_sweep_tree *tree = &mesh->tree;
    int nodes = chunk->eight_count * RLTI_EDGE_HALVES, met = 0, found = 0;
    if (!RLTI_LIST_RESERVE(chunk->faces, 0, nodes, chunk->face_capacity))
        return 0;
    for (const rlti_edge_eight *e = chunk->eights; e < chunk->eights + chunk->eight_count; e++)
        for (int h = 0; h < RLTI_EDGE_HALVES; h++) {
            unsigned runs = (unsigned)e->of >> RLTI_EDGE_HALF * h & 15u;
            chunk->faces[met] =
                (rlti_edge_near){.half = e->node * RLTI_EDGE_HALVES + h, .mask = (uint16_t)(runs * 0x1111u)};
            met += runs != 0;
        }
    if (tree->level_count > 1) /* else there is one run */
        met = contacts->sieve->meet(own, half, tree->nodes + tree->start[1], chunk->faces, met);
    if (!RLTI_LIST_RESERVE(chunk->faces, met, met * WIDTH, chunk->face_capacity))
        return 0;
    rlti_edge_near *all = chunk->faces + met;
    for (const rlti_edge_near *n = chunk->faces; n < all; n++)
        for (int i = 0; i < WIDTH; i++) {
            unsigned edges = (unsigned)n->mask >> i / RLTI_EDGE_HALVES & 0x1111u;
            all[found] = (rlti_edge_near){.half = n->half * WIDTH + i, .mask = (uint16_t)(edges * 15u)};
            found += edges != 0;
        }
    memmove(chunk->faces, all, (size_t)found * sizeof *all);
    *count = contacts->sieve->meet(own, half, tree->nodes, chunk->faces, found);
    return 1;
}

/* Four triangles for the sieve: those that are not there are as the first. */
static void get_triangles(const rlti_edge_contacts *contacts, const rlti_edge_mesh *mesh,
                          const int triangle[RLTI_EDGE_HALF], rlti_edge_triangles *four) {
    rlti_vec3 by = rlti_sub(mesh->centre, contacts->centre);
    const float shift[3] = {(float)by.x, (float)by.y, (float)by.z};
    four->shift = fabsf(shift[0]) + fabsf(shift[1]) + fabsf(shift[2]);
    for (int k = 0; k < RLTI_EDGE_HALF; k++) {
        const int *corners = mesh->surface->triangles[triangle[k] >= 0 ? triangle[k] : triangle[0]];
        for (int c = 0; c < 3; c++)
            for (int i = 0; i < 6; i++)
                four->at[c][i][k] = mesh->rows[corners[c]].at[i / 3][i % 3] + shift[i % 3];
    }
}

/* Adds the pairs of a half run and four triangles that may have contacts. Where points have proximities, too,
 * the nearest triangle counts, and all are listed. */
static int add_faces(const rlti_edge_contacts *contacts, const rlti_edge_mesh *mesh, int run, int half,
                     const rlti_edge_near *near, uint64_t base, rlti_edge_chunk *chunk) {
    int triangle[RLTI_EDGE_HALF], done = 1, other = mesh->tree.run[near->half / RLTI_EDGE_HALVES],
                                  first = near->half % RLTI_EDGE_HALVES * RLTI_EDGE_HALF;
    unsigned mask = near->mask;
    for (int k = 0; k < RLTI_EDGE_HALF; k++)
        triangle[k] = rlti_edge_mesh_triangle(mesh, other, first + k);
    if (contacts->strands.planes && mesh->shape == NULL) {
        rlti_edge_triangles four;
        get_triangles(contacts, mesh, triangle, &four);
        mask &= contacts->sieve->faces(contacts->columns, contacts->run_point[run] + RLTI_EDGE_HALF * half,
                                       &four, slack_of(contacts, run));
    }
    for (; mask != 0 && done; mask &= mask - 1u) {
        int k = __builtin_ctz(mask);
        done = add_key(chunk, RLTI_EDGE_HALF * half + k / RLTI_EDGE_HALF,
                       base + (uint64_t)triangle[k % RLTI_EDGE_HALF]);
    }
    return done;
}

/* Triangles of a body whose boxes meet those of this run's edges; `base` is the number of its first. */
static int find_triangles(const rlti_edge_contacts *contacts, int run, const rlti_edge_mesh *mesh,
                          uint64_t base, rlti_edge_chunk *chunk) {
    rlti_sweep_node own;
    box_for_body(contacts, run, mesh, &own);
    rlti_sweep_box whole = rlti_sweep_node_box(&own);
    int done = walk_tree(contacts, &mesh->tree, &whole, chunk);
    for (int half = 0; half < RLTI_EDGE_HALVES && done && chunk->eight_count > 0; half++) {
        int count = 0;
        done = find_faces(contacts, mesh, &own, half, chunk, &count);
        for (int k = 0; k < count && done; k++)
            done = add_faces(contacts, mesh, run, half, &chunk->faces[k], base, chunk);
    }
    return done;
}

/* Shell sort: lists are short. */
static void sort_keys(uint64_t *keys, int count) {
    static const int gaps[] = {9841, 3280, 1093, 364, 121, 40, 13, 4, 1};
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++)
        for (int i = gaps[g]; i < count; i++) {
            uint64_t key = keys[i];
            int j = i;
            for (; j >= gaps[g] && keys[j - gaps[g]] > key; j -= gaps[g])
                keys[j] = keys[j - gaps[g]];
            keys[j] = key;
        }
}

/* ---- what is kept ---- */

/* Boxes are relative to a place near all: that of bodies. It stays as long as they do. */
static void choose_centre(rlti_edge_contacts *contacts) {
    contacts->centre = contacts->run_count > 0 ? contacts->end[0] : rlti_v3(0, 0, 0);
    if (contacts->body_count > 0)
        contacts->centre = contacts->bodies[0]->centre;
    if (!(rlti_dot(contacts->centre, contacts->centre) < HUGE_VAL))
        contacts->centre = rlti_v3(0, 0, 0);
}

void rlti_edge_candidates_begin(rlti_edge_contacts *contacts, rlti_pool *pool) {
    int points = contacts->strands.first[contacts->strands.strand_count];
    rlti_edge_known_begin(contacts, pool);
    if (contacts->renew)
        choose_centre(contacts);
    rlti_pool_for(pool, (points + BLOCK - 1) / BLOCK, fill_points, contacts);
    if (contacts->renew)
        rlti_sweep_tree_fit(&contacts->tree, NULL, pool, fit_run, contacts);
    if (contacts->some) {
        rlti_sweep_tree_fit(&contacts->tree, contacts->run_anew, pool, fit_run, contacts);
        rlti_sweep_tree_put_part(&contacts->tree, contacts->run_anew, pool, &contacts->anew);
    }
}

/* Where some runs are searched for anew, all lists of a chunk are put together again. */
void rlti_edge_candidates_begin_chunk(const rlti_edge_contacts *contacts, rlti_edge_chunk *chunk) {
    rlti_edge_runs edges = chunk->edges;
    rlti_edge_list triangles = chunk->triangles;
    if (!contacts->some)
        return;
    chunk->edges = chunk->old_edges;
    chunk->old_edges = edges;
    chunk->triangles = chunk->old_triangles;
    chunk->old_triangles = triangles;
}

void rlti_edge_candidates_end(rlti_edge_contacts *contacts, int done) {
    contacts->known = done;
    contacts->known_bodies = contacts->body_count;
}

/* Memory for the chunk's keys as those of its next run, the place-th; NULL when out of memory. */
static uint64_t *reserve_keys(rlti_edge_list *list, int place, const rlti_edge_chunk *chunk) {
    int first = place > 0 ? list->first[place] : 0;
    if (!RLTI_LIST_RESERVE(list->keys, first, chunk->key_count + 1, list->capacity))
        return NULL;
    list->first[place] = first;
    list->first[place + 1] = first + chunk->key_count;
    return list->keys + first;
}

/* Which pairs of two half runs there are: of edges that are alive, each pair of one half once. */
static unsigned pairs_of(const rlti_edge_contacts *contacts, int half, int other) {
    static const unsigned short spread[16] = {0x0000, 0x0001, 0x0010, 0x0011, 0x0100, 0x0101, 0x0110, 0x0111,
                                              0x1000, 0x1001, 0x1010, 0x1011, 0x1100, 0x1101, 0x1110, 0x1111};
    const unsigned after = 0x08ce; /* the k-th beyond the i-th */
    unsigned own = (unsigned)contacts->run_alive[half / RLTI_EDGE_HALVES] >> RLTI_EDGE_HALF * (half & 1),
             others = (unsigned)contacts->run_alive[other / RLTI_EDGE_HALVES] >> RLTI_EDGE_HALF * (other & 1);
    return spread[own & 15u] * (others & 15u) & (half == other ? after : ~0u);
}

/* The same without pairs that are too near along their strand to meet. */
static unsigned meeting_pairs(const rlti_edge_contacts *contacts, int half, int other) {
    const int *end = contacts->half_end[half];
    int strand = contacts->run_strand[half / RLTI_EDGE_HALVES];
    if (other >= end[1] || contacts->run_strand[other / RLTI_EDGE_HALVES] != strand)
        return pairs_of(contacts, half, other);
    if (other < end[0])
        return 0;
    return pairs_of(contacts, half, other) & ~(unsigned)contacts->neighbours[end[2] + other - end[0]];
}

/* Half runs whose chords are near one's, by their places in the tree, each pair of halves once; returns how
 * many. */
static int list_near(const rlti_edge_contacts *contacts, int half, const rlti_edge_chunk *chunk,
                     rlti_edge_near *near) {
    const unsigned all = 0xffff;
    const int self = contacts->strands.self, after = contacts->half_end[half][0], *run = contacts->tree.run;
    int count = 0;
    for (const rlti_edge_eight *e = chunk->eights; e < chunk->eights + chunk->eight_count; e++)
        for (unsigned left = e->near[half % RLTI_EDGE_HALVES]; left != 0; left &= left - 1u) {
            int bit = __builtin_ctz(left), place = e->node * WIDTH + bit % WIDTH, other = bit / WIDTH;
            unsigned may = (unsigned)e->pass[half % RLTI_EDGE_HALVES] >> bit & 1u;
            near[count] = (rlti_edge_near){.half = place * RLTI_EDGE_HALVES + other,
                                           .mask = (uint16_t)all,
                                           .may = (uint16_t)(may * all)};
            count += !self || run[place] * RLTI_EDGE_HALVES + other >= after;
        }
    return count;
}

/* Puts one among those that are listed, in the order of half runs; lists are short. */
static void put_sorted(rlti_edge_near near, rlti_edge_near *first, rlti_edge_near *end) {
    for (; end > first && end[-1].half > near.half; end--)
        *end = end[-1];
    *end = near;
}

/* The half runs near one, among those of chunk->eights, to its list, behind what has been carried over. */
static int renew_half(const rlti_edge_contacts *contacts, int run, int half, int carried,
                      rlti_edge_chunk *chunk) {
    const rlti_sweep_tree *tree = &contacts->tree;
    int place = rlti_edge_chunk_place(contacts, run) * RLTI_EDGE_HALVES + half, most = 0,
        *first = chunk->edges.first + place, number = run * RLTI_EDGE_HALVES + half;
    const rlti_edge_limits limits = {contacts->strands.offset, contacts->slack[tree->place[run]],
                                     contacts->wild ? NULL : contacts->slack, contacts->strands.keep};
    for (const rlti_edge_eight *e = chunk->eights; e < chunk->eights + chunk->eight_count; e++)
        most += e->near[half] != 0 ? RLTI_EDGE_CHORDS : 0;
    if (!RLTI_LIST_RESERVE(chunk->edges.items, first[0] + carried, most + 1, chunk->edges.capacity))
        return 0;
    rlti_edge_near *list = chunk->edges.items + first[0], *near = list + carried, *end = near;
    int count = list_near(contacts, number, chunk, near),
        group = group_of(contacts, contacts->run_strand[run]);
    contacts->sieve->sift(contacts->columns, contacts->run_point[run] + RLTI_EDGE_HALF * half,
                          contacts->place_point, &limits, near, count);
    for (int k = 0; k < count; k++) {
        rlti_edge_near one = near[k];
        if (contacts->wild)
            one.mask = one.near;
        if (one.mask == 0)
            continue;
        int other = tree->run[one.half / RLTI_EDGE_HALVES];
        one.half = other * RLTI_EDGE_HALVES + one.half % RLTI_EDGE_HALVES;
        one.mask &= (uint16_t)meeting_pairs(contacts, number, one.half);
        one.near &= one.mask;
        one.pass &= one.mask;
        one.may &= one.mask;
        if (one.mask != 0 && group_of(contacts, contacts->run_strand[other]) == group)
            put_sorted(one, list, end++);
    }
    first[1] = (int)(end - chunk->edges.items);
    return 1;
}

/* Of the pairs listed now those that may have contacts in this search. */
static void sift_listed(const rlti_edge_contacts *contacts, int run, int half, rlti_edge_near *near,
                        int count) {
    const rlti_edge_limits limits = {contacts->strands.offset, 0.0f, NULL, contacts->strands.keep};
    contacts->sieve->sift(contacts->columns, contacts->run_point[run] + RLTI_EDGE_HALF * half,
                          contacts->run_point, &limits, near, count);
}

/* Pairs of the old list of a half run, without those that are searched for anew; returns how many, -1 when
 * out of memory. */
static int carry_half(const rlti_edge_contacts *contacts, int run, int half, rlti_edge_chunk *chunk) {
    int place = rlti_edge_chunk_place(contacts, run) * RLTI_EDGE_HALVES + half, count = 0,
        first = chunk->edges.first[place], from = chunk->old_edges.first[place],
        to = chunk->old_edges.first[place + 1];
    if (!RLTI_LIST_RESERVE(chunk->edges.items, first, to - from + 1, chunk->edges.capacity))
        return -1;
    rlti_edge_near *near = chunk->edges.items + first;
    for (int k = from; k < to; k++) {
        near[count] = chunk->old_edges.items[k];
        count += !contacts->run_anew[near[count].half / RLTI_EDGE_HALVES];
    }
    sift_listed(contacts, run, half, near, count);
    return count;
}

/* The half runs near both halves of a run. Where it keeps its list, those that are searched for anew. */
static int renew_edges(const rlti_edge_contacts *contacts, int run, rlti_edge_chunk *chunk) {
    int anew = rlti_edge_is_anew(contacts, run), done = find_eights(contacts, anew, run, chunk);
    if (rlti_edge_chunk_place(contacts, run) == 0)
        chunk->edges.first[0] = 0;
    for (int half = 0; half < RLTI_EDGE_HALVES && done; half++) {
        int carried = anew ? 0 : carry_half(contacts, run, half, chunk);
        done = carried >= 0 && renew_half(contacts, run, half, carried, chunk);
    }
    return done;
}

/* Four bits of pairs as a list: 2 x their places, one after the other, and how many. */
static const struct {
    uint8_t place[4], count;
} four_pairs[16] = {{{0, 0, 0, 0}, 0}, {{0, 0, 0, 0}, 1}, {{2, 0, 0, 0}, 1}, {{0, 2, 0, 0}, 2},
                    {{4, 0, 0, 0}, 1}, {{0, 4, 0, 0}, 2}, {{2, 4, 0, 0}, 2}, {{0, 2, 4, 0}, 3},
                    {{6, 0, 0, 0}, 1}, {{0, 6, 0, 0}, 2}, {{2, 6, 0, 0}, 2}, {{0, 2, 6, 0}, 3},
                    {{4, 6, 0, 0}, 2}, {{0, 4, 6, 0}, 3}, {{2, 4, 6, 0}, 3}, {{0, 2, 4, 6}, 4}};

/* Pairs of a half run that may have contacts, edge by edge. Four are written whatever there are: bits are as
 * good as random, and a branch for each would be foreseen as badly. */
static int list_half(const rlti_edge_contacts *contacts, int run, int half, rlti_edge_chunk *chunk) {
    int place = rlti_edge_chunk_place(contacts, run) * RLTI_EDGE_HALVES + half;
    rlti_edge_near *near = chunk->edges.items + chunk->edges.first[place],
                   *end = chunk->edges.items + chunk->edges.first[place + 1];
    int entries = (int)(end - near), count = chunk->other_count;
    if (!contacts->renew && !contacts->some)
        sift_listed(contacts, run, half, near, entries);
    if (!RLTI_LIST_RESERVE(chunk->others, count, RLTI_EDGE_HALF * RLTI_EDGE_HALF * (entries + 1),
                           chunk->other_capacity))
        return 0;
    for (int i = 0; i < RLTI_EDGE_HALF; i++) {
        for (const rlti_edge_near *k = near; k < end; k++) {
            unsigned bits = (unsigned)k->near >> RLTI_EDGE_HALF * i & 15u,
                     pass = (unsigned)k->pass >> RLTI_EDGE_HALF * i & 15u;
            int *to = chunk->others + count, base = rlti_edge_other(RLTI_EDGE_HALF * k->half, 0);
            for (int j = 0; j < RLTI_EDGE_HALF; j++) {
                int at = four_pairs[bits].place[j];
                to[j] = base + at + (int)(pass >> at / 2 & 1u);
            }
            count += four_pairs[bits].count;
        }
        chunk->other_end[RLTI_EDGE_HALF * half + i] = count;
    }
    chunk->other_count = count;
    return 1;
}

static int renew_triangles(const rlti_edge_contacts *contacts, int run, rlti_edge_chunk *chunk) {
    uint64_t base = 0;
    int done = 1;
    chunk->key_count = 0;
    for (int b = 0; b < contacts->body_count && done; b++) {
        if (rlti_edge_meets(contacts, contacts->run_strand[run], b))
            done = find_triangles(contacts, run, contacts->bodies[b], base, chunk);
        base += (uint64_t)contacts->bodies[b]->item_count;
    }
    sort_keys(chunk->keys, chunk->key_count);
    uint64_t *list =
        done ? reserve_keys(&chunk->triangles, rlti_edge_chunk_place(contacts, run), chunk) : NULL;
    if (list != NULL && chunk->key_count > 0)
        memcpy(list, chunk->keys, (size_t)chunk->key_count * sizeof *list);
    return list != NULL;
}

/* Triangles of the old list of a run. */
static int carry_triangles(const rlti_edge_contacts *contacts, int run, rlti_edge_chunk *chunk) {
    int place = rlti_edge_chunk_place(contacts, run), from = chunk->old_triangles.first[place];
    chunk->key_count = chunk->old_triangles.first[place + 1] - from;
    uint64_t *list = reserve_keys(&chunk->triangles, place, chunk);
    if (list != NULL && chunk->key_count > 0)
        memcpy(list, chunk->old_triangles.keys + from, (size_t)chunk->key_count * sizeof *list);
    return list != NULL;
}

/* Lists of a run as they have to be in this search. */
static int bring_lists(const rlti_edge_contacts *contacts, int run, rlti_edge_chunk *chunk) {
    /* without planes the nearest triangle counts, so no others may be listed */
    int bodies = rlti_edge_is_anew(contacts, run) || contacts->known_bodies != contacts->body_count ||
                 !contacts->strands.planes;
    if ((contacts->renew || contacts->some) && !renew_edges(contacts, run, chunk))
        return 0;
    if (bodies)
        return renew_triangles(contacts, run, chunk);
    return !contacts->some || carry_triangles(contacts, run, chunk);
}

int rlti_edge_candidates_find(const rlti_edge_contacts *contacts, int run, rlti_edge_chunk *chunk) {
    if (!bring_lists(contacts, run, chunk))
        return 0;
    chunk->other_count = 0;
    for (int half = 0; half < RLTI_EDGE_HALVES; half++)
        if (!list_half(contacts, run, half, chunk))
            return 0;
    const int *triangles = chunk->triangles.first + rlti_edge_chunk_place(contacts, run);
    chunk->key_count = triangles[1] - triangles[0];
    if (!RLTI_LIST_RESERVE(chunk->keys, 0, chunk->key_count, chunk->key_capacity))
        return 0;
    if (chunk->key_count > 0)
        memcpy(chunk->keys, chunk->triangles.keys + triangles[0],
               (size_t)chunk->key_count * sizeof *chunk->keys);
    return 1;
}
