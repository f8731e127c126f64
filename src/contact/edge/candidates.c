/* Which edges and triangles may be near each other.
 *
 * A full search goes through the tree, and keeps all pairs of edges that contacts may have, and by a margin
 * more. As long as no two points have come nearer to each other than by that since, what is in contact is
 * among these: later searches of the step only sift the list. The contacts do not depend on what was kept. */
#include <string.h>

#include "base/list.h"
#include "contact/edge/contacts_data.h"

enum { WIDTH = RLTI_SWEEP_WIDTH, BLOCK = 1024 };

/* ---- boxes and points ---- */

/* Strands of equal number meet; -1: none. */
static int group_of(const rlti_edge_contacts *contacts, int strand) {
    return contacts->strands.group != NULL ? contacts->strands.group[strand] : 0;
}

/* Boxes of a run's edges. */
static void fill_run(void *context, int run, rlti_sweep_node *node) {
    const rlti_edge_contacts *contacts = context;
    int count = group_of(contacts, contacts->run_strand[run]) < 0 ? 0 : rlti_edge_run_length(contacts, run);
    contacts->run_alive[run] =
        (unsigned char)contacts->sieve->box(contacts->columns, contacts->run_point[run], count,
                                            0.5 * (contacts->strands.offset + contacts->margin), node);
    int place = contacts->tree.place[run];
    contacts->sieve->chord(contacts->columns, contacts->run_point[run], count, place % WIDTH,
                           &contacts->chords[place / WIDTH]);
}

/* Points in single precision. */
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
    }
}

/* ---- pairs whose boxes meet ---- */

static int add_key(rlti_edge_chunk *chunk, int item, uint64_t other) {
    if (!RLTI_LIST_RESERVE(chunk->keys, chunk->key_count, 1, chunk->key_capacity))
        return 0;
    chunk->keys[chunk->key_count++] = rlti_edge_key(item, other);
    return 1;
}

/* By insertion: lists are short. */
static void sort_runs(uint64_t *runs, int count) {
    for (int i = 1; i < count; i++) {
        uint64_t run = runs[i];
        int j = i;
        for (; j > 0 && runs[j - 1] > run; j--)
            runs[j] = runs[j - 1];
        runs[j] = run;
    }
}

/* Of eight runs of the tree those from this one on. */
static unsigned char from_run(const rlti_sweep_tree *tree, const rlti_edge_eight *eight, int run) {
    unsigned from = 0;
    for (unsigned left = eight->of; left != 0; left &= left - 1u) {
        int i = __builtin_ctz(left);
        from |= (unsigned)(tree->run[eight->node * WIDTH + i] >= run) << i;
    }
    return (unsigned char)from;
}

/* Runs of a tree whose boxes meet one, by eights, to chunk->eights. */
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

/* Runs from this one on whose boxes meet its own, by eights, and which of their halves are near. */
static int find_eights(const rlti_edge_contacts *contacts, int run, rlti_edge_chunk *chunk) {
    rlti_sweep_box box = rlti_sweep_tree_box(&contacts->tree, run);
    int left = 0;
    if (!walk_tree(contacts, &contacts->tree, &box, chunk))
        return 0;
    for (int k = 0; k < chunk->eight_count; k++) {
        chunk->eights[left] = chunk->eights[k];
        chunk->eights[left].of = from_run(&contacts->tree, &chunk->eights[k], run);
        left += chunk->eights[left].of != 0;
    }
    chunk->eight_count = left;
    contacts->sieve->chords(contacts->chords, contacts->tree.place[run], contacts->strands.offset,
                            contacts->margin, chunk->eights, chunk->eight_count);
    return 1;
}

/* Runs from this one on whose chords are near its own, in order. */
static int find_runs(const rlti_edge_contacts *contacts, int run, rlti_edge_chunk *chunk) {
    int self = contacts->strands.self, strand = contacts->run_strand[run], group = group_of(contacts, strand);
    chunk->run_count = 0;
    if (!find_eights(contacts, run, chunk))
        return 0;
    for (const rlti_edge_eight *e = chunk->eights; e < chunk->eights + chunk->eight_count; e++) {
        unsigned any = (unsigned)(e->near[0] | e->near[1]);
        if (!RLTI_LIST_RESERVE(chunk->runs, chunk->run_count, WIDTH, chunk->run_capacity))
            return 0;
        for (unsigned left = (any | any >> WIDTH) & ((1u << WIDTH) - 1u); left != 0; left &= left - 1u) {
            int i = __builtin_ctz(left), other = contacts->tree.run[e->node * WIDTH + i];
            if ((!self && contacts->run_strand[other] == strand) ||
                group_of(contacts, contacts->run_strand[other]) != group)
                continue;
            unsigned halves = 0;
            for (int h = 0; h < RLTI_EDGE_HALVES; h++)
                for (int k = 0; k < RLTI_EDGE_HALVES; k++)
                    halves |= (unsigned)(e->near[h] >> (WIDTH * k + i) & 1) << (2 * h + k);
            chunk->runs[chunk->run_count++] = rlti_near_run(other, halves);
        }
    }
    sort_runs(chunk->runs, chunk->run_count);
    return 1;
}

/* Triangles of a run of a body whose boxes meet those of a strand's edges. */
static int find_in_body(const rlti_edge_mesh *mesh, int other, const rlti_sweep_box *items,
                        const rlti_sweep_node *own, uint64_t base, rlti_edge_chunk *chunk) {
    rlti_sweep_box whole = rlti_sweep_tree_box(&mesh->tree, other);
    int done = 1;
    for (unsigned near = rlti_sweep_node_meet(own, &whole); near != 0; near &= near - 1u) {
        int i = __builtin_ctz(near);
        for (unsigned bits = rlti_sweep_tree_meet(&mesh->tree, other, &items[i]); bits != 0 && done;
             bits &= bits - 1u) {
            int triangle = rlti_edge_mesh_triangle(mesh, other, __builtin_ctz(bits));
            done = add_key(chunk, i, base + (uint64_t)triangle);
        }
    }
    return done;
}

/* Triangles of a body whose boxes meet those of this run's edges; `base` is the number of its first. */
static int find_triangles(const rlti_edge_contacts *contacts, int run, const rlti_edge_mesh *mesh,
                          uint64_t base, rlti_edge_chunk *chunk) {
    const rlti_edge_strands *strands = &contacts->strands;
    rlti_sweep_box items[WIDTH], whole = rlti_sweep_box_empty();
    rlti_sweep_node own;
    int done = 1, count = rlti_edge_run_length(contacts, run);
    for (int i = 0; i < WIDTH; i++) {
        int point = contacts->run_point[run] + i;
        items[i] = rlti_sweep_box_empty();
        if (i < count) {
            double far =
                rlti_edge_body_reach(contacts, point) + (strands->planes ? 0.5 * contacts->margin : 0.0);
            items[i] =
                rlti_sweep_box_around(contacts->start + point, contacts->end + point, 2, mesh->centre, far);
        }
        for (int e = 0; e < 2; e++)
            rlti_run_box_include(&whole.at[e], &items[i].at[e]);
        rlti_sweep_node_put(&own, i, &items[i]);
    }
    done = walk_tree(contacts, &mesh->tree, &whole, chunk);
    for (int k = 0; k < chunk->eight_count && done; k++)
        for (unsigned left = chunk->eights[k].of; left != 0 && done; left &= left - 1u) {
            int place = chunk->eights[k].node * WIDTH + __builtin_ctz(left);
            done = find_in_body(mesh, mesh->tree.run[place], items, &own, base, chunk);
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

/* By how much two points may have come nearer since the last full search; not a number where one is not. */
static double nearer_by(const rlti_edge_contacts *contacts) {
    int count = contacts->strands.first[contacts->strands.strand_count];
    double square = 0.0, sum = 0.0;
    for (int p = 0; p < count; p++) {
        rlti_vec3 d = rlti_sub(contacts->end[p], contacts->known_end[p]);
        double length = rlti_dot(d, d);
        square = length > square ? length : square;
        sum += length - length;
    }
    return 2.0 * sqrt(square) + sum;
}

/* The margin for the next search: Newton's corrections become smaller, and the first one is about that of the
 * last step. A large margin lists more than it saves: beyond a third of what two radii reach, two full
 * searches cost less than one with it and a second one of its list. */
static void choose_margin(rlti_edge_contacts *contacts, double nearer) {
    const double least = 0.25, most = 6.0; /* of the offset, a tenth of the mean radius */
    double margin = 1.5 * (contacts->searches == 0 ? contacts->first_change : nearer);
    if (!(margin <= most * contacts->strands.offset))
        margin = 0.0;
    contacts->margin = fmax(margin, least * contacts->strands.offset);
}

void rlti_edge_candidates_begin(rlti_edge_contacts *contacts, rlti_pool *pool) {
    int points = contacts->strands.first[contacts->strands.strand_count];
    double nearer = contacts->known ? nearer_by(contacts) : 0.0;
    contacts->renew = !contacts->known || !(nearer <= contacts->margin);
    if (contacts->searches == 1) /* one quiet step does not make the next one so */
        contacts->first_change = fmax(nearer, 0.7 * contacts->first_change);
    if (contacts->renew) {
        choose_margin(contacts, nearer);
        memcpy(contacts->known_end, contacts->end, (size_t)points * sizeof *contacts->end);
    }
    contacts->searches++;
    rlti_pool_for(pool, (points + BLOCK - 1) / BLOCK, fill_points, contacts);
    if (contacts->renew)
        rlti_sweep_tree_refit(&contacts->tree, pool, fill_run, contacts);
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

/* Which pairs of a group, whose first edge is `item`, and a run there are: of edges that are alive, each pair
 * of one run once. */
static unsigned pairs_of(const rlti_edge_contacts *contacts, int run, int item, int other) {
    unsigned own = (unsigned)contacts->run_alive[run] >> item, others = contacts->run_alive[other],
             after = other == run ? ~((2u << item) - 1u) : ~0u; /* beyond the first edge */
    return (own & 1u ? others & after : 0u) | (own & 2u ? others & (after << (other == run)) : 0u) << 8;
}

/* The runs near a group of a run's edges. */
static int renew_group(const rlti_edge_contacts *contacts, int run, int group, rlti_edge_chunk *chunk) {
    int item = group * RLTI_EDGE_GROUP,
        place = rlti_edge_chunk_place(contacts, run) * RLTI_EDGE_GROUPS + group, count = 0,
        *first = chunk->edges.first + place;
    first[0] = place > 0 ? first[0] : 0;
    if (!RLTI_LIST_RESERVE(chunk->edges.items, first[0], chunk->run_count + 1, chunk->edges.capacity))
        return 0;
    rlti_edge_near *near = chunk->edges.items + first[0];
    int shift = 2 * (group / (RLTI_EDGE_GROUPS / RLTI_EDGE_HALVES)); /* to the bits of this half */
    for (int k = 0; k < chunk->run_count; k++) {
        static const unsigned of_halves[4] = {0, 0x0f0f, 0xf0f0, 0xffff};
        unsigned halves = of_halves[chunk->runs[k] >> shift & 3u];
        int other = rlti_near_run_of(chunk->runs[k]);
        unsigned mask = halves != 0 ? pairs_of(contacts, run, item, other) & halves : 0u;
        if (mask != 0)
            near[count++] = (rlti_edge_near){other, (uint16_t)mask, 0, 0};
    }
    const rlti_sweep_tree *tree = &contacts->tree;
    count =
        contacts->sieve->meet(&tree->nodes[tree->place[run]], item, tree->nodes, tree->place, near, count);
    contacts->sieve->sift(contacts->columns, contacts->run_point[run] + item, contacts->run_point,
                          contacts->strands.offset, contacts->margin, near, count);
    first[1] = first[0];
    for (int k = 0; k < count; k++)
        if (near[k].mask != 0)
            chunk->edges.items[first[1]++] = near[k];
    return 1;
}

static int renew_edges(const rlti_edge_contacts *contacts, int run, rlti_edge_chunk *chunk) {
    int done = find_runs(contacts, run, chunk);
    for (int g = 0; g < RLTI_EDGE_GROUPS && done; g++)
        done = renew_group(contacts, run, g, chunk);
    return done;
}

/* Keys of a group's pairs that may have contacts, edge by edge. */
static int list_group(const rlti_edge_contacts *contacts, int run, int group, rlti_edge_chunk *chunk) {
    int item = group * RLTI_EDGE_GROUP,
        place = rlti_edge_chunk_place(contacts, run) * RLTI_EDGE_GROUPS + group, pairs = 0;
    rlti_edge_near *near = chunk->edges.items + chunk->edges.first[place],
                   *end = chunk->edges.items + chunk->edges.first[place + 1];
    if (!contacts->renew)
        contacts->sieve->sift(contacts->columns, contacts->run_point[run] + item, contacts->run_point,
                              contacts->strands.offset, -1.0, near, (int)(end - near));
    for (const rlti_edge_near *k = near; k < end; k++)
        pairs += __builtin_popcount(k->near);
    if (!RLTI_LIST_RESERVE(chunk->keys, chunk->key_count, pairs, chunk->key_capacity))
        return 0;
    for (int i = 0; i < RLTI_EDGE_GROUP; i++)
        for (const rlti_edge_near *k = near; k < end; k++)
            for (unsigned bits = (unsigned)k->near >> WIDTH * i & ((1u << WIDTH) - 1u); bits != 0;
                 bits &= bits - 1u) {
                int at = __builtin_ctz(bits);
                chunk->keys[chunk->key_count++] =
                    rlti_edge_key(item + i, (uint64_t)k->run * WIDTH + (uint64_t)at) |
                    ((unsigned)k->pass >> (WIDTH * i + at) & 1u);
            }
    return 1;
}

static int renew_triangles(const rlti_edge_contacts *contacts, int run, rlti_edge_chunk *chunk) {
    uint64_t base = (uint64_t)contacts->run_count * WIDTH;
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

/* Keys of triangles put among those of edges, both in order: from the last on. */
static int merge(rlti_edge_chunk *chunk, const uint64_t *triangles, int count) {
    if (!RLTI_LIST_RESERVE(chunk->keys, chunk->key_count, count, chunk->key_capacity))
        return 0;
    int from = chunk->key_count - 1, to = chunk->key_count + count - 1;
    chunk->key_count += count;
    for (int k = count - 1; k >= 0; to--) {
        int edge = from >= 0 && chunk->keys[from] > triangles[k];
        chunk->keys[to] = edge ? chunk->keys[from--] : triangles[k--];
    }
    return 1;
}

int rlti_edge_candidates_find(const rlti_edge_contacts *contacts, int run, rlti_edge_chunk *chunk) {
    /* without planes the nearest triangle counts, so no others may be listed */
    int bodies =
        contacts->renew || contacts->known_bodies != contacts->body_count || !contacts->strands.planes;
    if ((contacts->renew && !renew_edges(contacts, run, chunk)) ||
        (bodies && !renew_triangles(contacts, run, chunk)))
        return 0;
    chunk->key_count = 0;
    for (int g = 0; g < RLTI_EDGE_GROUPS; g++)
        if (!list_group(contacts, run, g, chunk))
            return 0;
    const int *triangles = chunk->triangles.first + rlti_edge_chunk_place(contacts, run);
    return merge(chunk, chunk->triangles.keys + triangles[0], triangles[1] - triangles[0]);
}
