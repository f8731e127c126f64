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
        (unsigned char)contacts->sieve->box(contacts->columns, RLTI_EDGE_RADIUS, contacts->run_point[run],
                                            count, 0.5 * (contacts->strands.offset + contacts->margin), node);
    int place = contacts->tree.place[run];
    contacts->sieve->chord(contacts->columns, contacts->run_point[run], count, place % WIDTH,
                           &contacts->chords[place / WIDTH]);
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

/* Boxes of a run's edges, as near to a body as contacts reach, from its centre. */
static void box_for_body(const rlti_edge_contacts *contacts, int run, const rlti_edge_mesh *mesh,
                         rlti_sweep_node *own) {
    const float little = 5e-7f;
    rlti_vec3 by = rlti_sub(contacts->centre, mesh->centre);
    const float shift[3] = {(float)by.x, (float)by.y, (float)by.z};
    contacts->sieve->box(contacts->columns, RLTI_EDGE_BODY, contacts->run_point[run],
                         rlti_edge_run_length(contacts, run),
                         contacts->strands.planes ? 0.5 * contacts->margin : 0.0, own);
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
                (rlti_edge_near){e->node * RLTI_EDGE_HALVES + h, (uint16_t)(runs * 0x1111u), 0, 0};
            met += runs != 0;
        }
    if (tree->level_count > 1) /* else there is one run */
        met = contacts->sieve->meet(own, half, tree->nodes + tree->start[1], NULL, chunk->faces, met);
    if (!RLTI_LIST_RESERVE(chunk->faces, met, met * WIDTH, chunk->face_capacity))
        return 0;
    rlti_edge_near *all = chunk->faces + met;
    for (const rlti_edge_near *n = chunk->faces; n < all; n++)
        for (int i = 0; i < WIDTH; i++) {
            unsigned edges = (unsigned)n->mask >> i / RLTI_EDGE_HALVES & 0x1111u;
            all[found] = (rlti_edge_near){n->half * WIDTH + i, (uint16_t)(edges * 15u), 0, 0};
            found += edges != 0;
        }
    memmove(chunk->faces, all, (size_t)found * sizeof *all);
    *count = contacts->sieve->meet(own, half, tree->nodes, NULL, chunk->faces, found);
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
                                       &four, 0.5 * contacts->margin);
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
    int strand = contacts->run_strand[half / RLTI_EDGE_HALVES];
    if (other >= contacts->half_end[half][1] || contacts->run_strand[other / RLTI_EDGE_HALVES] != strand)
        return pairs_of(contacts, half, other);
    if (other < contacts->half_end[half][0])
        return 0;
    return pairs_of(contacts, half, other) & ~rlti_edge_neighbour_pairs(contacts, half, other);
}

/* The half runs near one. */
static int renew_half(const rlti_edge_contacts *contacts, int run, int half, rlti_edge_chunk *chunk) {
    int place = rlti_edge_chunk_place(contacts, run) * RLTI_EDGE_HALVES + half, count = 0,
        *first = chunk->edges.first + place, number = run * RLTI_EDGE_HALVES + half;
    first[0] = place > 0 ? first[0] : 0;
    if (!RLTI_LIST_RESERVE(chunk->edges.items, first[0], RLTI_EDGE_HALVES * chunk->run_count + 1,
                           chunk->edges.capacity))
        return 0;
    rlti_edge_near *near = chunk->edges.items + first[0];
    for (int k = 0; k < chunk->run_count; k++)
        for (int h = 0; h < RLTI_EDGE_HALVES; h++) {
            int other = rlti_near_run_of(chunk->runs[k]) * RLTI_EDGE_HALVES + h;
            if (!(chunk->runs[k] >> (RLTI_EDGE_HALVES * half + h) & 1u) || other < number)
                continue;
            near[count] = (rlti_edge_near){other, (uint16_t)meeting_pairs(contacts, number, other), 0, 0};
            count += near[count].mask != 0;
        }
    const rlti_sweep_tree *tree = &contacts->tree;
    const rlti_edge_limits limits = {contacts->strands.offset, contacts->margin, contacts->strands.keep};
    if (!contacts->short_edges)
        count = contacts->sieve->meet(&tree->nodes[tree->place[run]], half, tree->nodes, tree->place, near,
                                      count);
    contacts->sieve->sift(contacts->columns, contacts->run_point[run] + RLTI_EDGE_HALF * half,
                          contacts->run_point, &limits, near, count);
    first[1] = first[0];
    for (int k = 0; k < count; k++)
        if (near[k].mask != 0)
            chunk->edges.items[first[1]++] = near[k];
    return 1;
}

static int renew_edges(const rlti_edge_contacts *contacts, int run, rlti_edge_chunk *chunk) {
    int done = find_runs(contacts, run, chunk);
    for (int half = 0; half < RLTI_EDGE_HALVES && done; half++)
        done = renew_half(contacts, run, half, chunk);
    return done;
}

/* Pairs of a half run that may have contacts, edge by edge. */
static int list_half(const rlti_edge_contacts *contacts, int run, int half, rlti_edge_chunk *chunk) {
    const rlti_edge_limits limits = {contacts->strands.offset, -1.0, contacts->strands.keep};
    int place = rlti_edge_chunk_place(contacts, run) * RLTI_EDGE_HALVES + half;
    rlti_edge_near *near = chunk->edges.items + chunk->edges.first[place],
                   *end = chunk->edges.items + chunk->edges.first[place + 1];
    int entries = (int)(end - near), count = chunk->other_count;
    if (!contacts->renew)
        contacts->sieve->sift(contacts->columns, contacts->run_point[run] + RLTI_EDGE_HALF * half,
                              contacts->run_point, &limits, near, entries);
    if (!RLTI_LIST_RESERVE(chunk->others, count, RLTI_EDGE_HALF * RLTI_EDGE_HALF * entries,
                           chunk->other_capacity))
        return 0;
    for (int i = 0; i < RLTI_EDGE_HALF; i++) {
        for (const rlti_edge_near *k = near; k < end; k++)
            for (unsigned bits = (unsigned)k->near >> RLTI_EDGE_HALF * i & 15u; bits != 0;
                 bits &= bits - 1u) {
                int at = __builtin_ctz(bits);
                chunk->others[count++] =
                    rlti_edge_other(RLTI_EDGE_HALF * k->half + at, k->pass >> (RLTI_EDGE_HALF * i + at) & 1);
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

int rlti_edge_candidates_find(const rlti_edge_contacts *contacts, int run, rlti_edge_chunk *chunk) {
    /* without planes the nearest triangle counts, so no others may be listed */
    int bodies =
        contacts->renew || contacts->known_bodies != contacts->body_count || !contacts->strands.planes;
    if ((contacts->renew && !renew_edges(contacts, run, chunk)) ||
        (bodies && !renew_triangles(contacts, run, chunk)))
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
