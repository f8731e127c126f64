#include <float.h>
#include <string.h>

#include "base/list.h"
#include "base/memory.h"
#include "contact/best_build.h"
#include "contact/edge/contacts_data.h"

enum { WIDTH = RLTI_SWEEP_WIDTH };

int rlti_edge_chunk_add(rlti_edge_chunk *chunk, const rlti_edge_contact *contact) {
    if (!RLTI_LIST_RESERVE(chunk->items, chunk->count, 1, chunk->capacity))
        return 0;
    chunk->items[chunk->count++] = *contact;
    return 1;
}

rlti_strand_edge rlti_strand_edge_of(const rlti_edge_contacts *contacts, int run, int item) {
    int strand = contacts->run_strand[run];
    int edge = (run - contacts->first_run[strand]) * WIDTH + item;
    int point = contacts->strands.first[strand] + edge;
    return (rlti_strand_edge){strand, edge, point, point + 2 == contacts->strands.first[strand + 1]};
}

int rlti_edge_run_length(const rlti_edge_contacts *contacts, int run) {
    rlti_strand_edge first = rlti_strand_edge_of(contacts, run, 0);
    int left = contacts->strands.first[first.strand + 1] - 1 - first.point;
    return left < WIDTH ? left : WIDTH;
}

double rlti_edge_body_reach(const rlti_edge_contacts *contacts, int point) {
    const rlti_edge_strands *strands = &contacts->strands;
    return rlti_edge_greatest_radius(strands->body_radius != NULL ? strands->body_radius : strands->radius,
                                     point) +
           strands->offset;
}

int rlti_edge_contacts_neighbours(const rlti_edge_contacts *contacts, int strand, int first, int second) {
    if (second - first < 2)
        return 1;
    int a = contacts->strands.first[strand] + first, b = contacts->strands.first[strand] + second;
    double arc = contacts->along[b] - contacts->along[a + 1];
    double reach = rlti_edge_greatest_radius(contacts->strands.radius, a) +
                   rlti_edge_greatest_radius(contacts->strands.radius, b) + contacts->strands.offset;
    return arc < 0.5 * RLTI_PI * reach;
}

/* ---- building ---- */

static int count_runs(rlti_edge_contacts *contacts) {
    const int *first = contacts->strands.first;
    for (int s = 0; s < contacts->strands.strand_count; s++) {
        int edges = first[s + 1] - first[s] - 1;
        contacts->first_run[s + 1] = contacts->first_run[s] + (edges > 0 ? (edges + WIDTH - 1) / WIDTH : 0);
    }
    return contacts->first_run[contacts->strands.strand_count];
}

static void measure_strands(rlti_edge_contacts *contacts, rlti_run_box *boxes) {
    const rlti_edge_strands *strands = &contacts->strands;
    for (int s = 0; s < strands->strand_count; s++) {
        for (int p = strands->first[s] + 1; p < strands->first[s + 1]; p++)
            contacts->along[p] =
                contacts->along[p - 1] + rlti_length(rlti_sub(strands->rest[p], strands->rest[p - 1]));
        for (int r = contacts->first_run[s]; r < contacts->first_run[s + 1]; r++) {
            contacts->run_strand[r] = s;
            contacts->run_point[r] = rlti_strand_edge_of(contacts, r, 0).point;
        }
    }
    for (int r = 0; r < contacts->run_count; r++) {
        const rlti_vec3 *points = strands->rest + rlti_strand_edge_of(contacts, r, 0).point;
        boxes[r] = rlti_sweep_box_around(points, points, rlti_edge_run_length(contacts, r) + 1,
                                         strands->rest[0], 0.0)
                       .at[0];
    }
}

/* Fills in those of the sieve's columns that never change. */
static int make_columns(rlti_edge_contacts *contacts) {
    const rlti_edge_strands *strands = &contacts->strands;
    size_t size = (size_t)strands->first[strands->strand_count] + RLTI_EDGE_BEYOND;
    float *all = RLTI_NEW(float, size *RLTI_EDGE_COLUMNS);
    for (int c = 0; all != NULL && c < RLTI_EDGE_COLUMNS; c++)
        contacts->columns[c] = all + size * (size_t)c;
    for (int s = 0; all != NULL && s < strands->strand_count; s++)
        for (int p = strands->first[s]; p + 1 < strands->first[s + 1]; p++) {
            contacts->columns[RLTI_EDGE_RADIUS][p] =
                (float)rlti_edge_greatest_radius(strands->radius, p) * (1.0f + FLT_EPSILON);
            contacts->columns[RLTI_EDGE_STRAND][p] =
                p + 2 < strands->first[s + 1] ? (float)s + 1.0f : -((float)s + 1.0f);
        }
    return all != NULL;
}

static int build(rlti_edge_contacts *contacts) {
    const rlti_edge_strands *strands = &contacts->strands;
    contacts->first_run = RLTI_NEW(int, (size_t)strands->strand_count + 1);
    if (contacts->first_run == NULL)
        return 0;
    contacts->run_count = count_runs(contacts);
    contacts->chunk_count = (contacts->run_count + RLTI_EDGE_CHUNK - 1) / RLTI_EDGE_CHUNK;
    contacts->run_strand = RLTI_NEW(int, contacts->run_count);
    contacts->run_point = RLTI_NEW(int, contacts->run_count);
    contacts->known_end = RLTI_NEW(rlti_vec3, strands->first[strands->strand_count]);
    contacts->run_alive = RLTI_NEW(unsigned char, contacts->run_count);
    contacts->run_found = RLTI_NEW(rlti_edge_found, contacts->run_count);
    contacts->along = RLTI_NEW(double, strands->first[strands->strand_count]);
    contacts->chunks = RLTI_NEW(rlti_edge_chunk, contacts->chunk_count);
    contacts->chords = RLTI_NEW(rlti_edge_chords, (contacts->run_count + WIDTH - 1) / WIDTH);
    rlti_run_box *boxes = RLTI_NEW(rlti_run_box, contacts->run_count);
    int done = contacts->run_strand != NULL && contacts->run_point != NULL && contacts->run_alive != NULL &&
               contacts->run_found != NULL && contacts->known_end != NULL && contacts->along != NULL &&
               contacts->chunks != NULL && contacts->chords != NULL && boxes != NULL &&
               make_columns(contacts);
    if (done) {
        measure_strands(contacts, boxes);
        done = rlti_sweep_tree_create(boxes, contacts->run_count, &contacts->tree);
    }
    rlti_free(boxes);
    return done;
}

rlti_edge_contacts *rlti_edge_contacts_create(const rlti_edge_strands *strands) {
    rlti_edge_contacts *contacts = RLTI_NEW(rlti_edge_contacts, 1);
    if (contacts == NULL)
        return NULL;
    contacts->strands = *strands;
    contacts->sieve = RLTI_BEST_BUILD(rlti_edge_sieve);
    contacts->kernel = RLTI_BEST_BUILD(rlti_edge_kernel);
    if (!build(contacts)) {
        rlti_edge_contacts_destroy(contacts);
        return NULL;
    }
    return contacts;
}

void rlti_edge_contacts_destroy(rlti_edge_contacts *contacts) {
    if (contacts == NULL)
        return;
    for (int c = 0; c < contacts->chunk_count && contacts->chunks != NULL; c++)
        RLTI_FREE(contacts->chunks[c].items, contacts->chunks[c].runs, contacts->chunks[c].eights,
                  contacts->chunks[c].keys, contacts->chunks[c].edges.items,
                  contacts->chunks[c].triangles.keys);
    rlti_sweep_tree_destroy(&contacts->tree);
    RLTI_FREE(contacts->first_run, contacts->run_strand, contacts->run_point, contacts->run_alive,
              contacts->run_found, contacts->columns[0], contacts->known_end, contacts->along,
              contacts->chunks, contacts->chords, contacts->items, contacts->spare, contacts->kept);
    rlti_free(contacts);
}

void rlti_edge_contacts_set_plain(rlti_edge_contacts *contacts) {
    contacts->sieve = &rlti_edge_sieve_portable;
    contacts->kernel = &rlti_edge_kernel_portable;
}

/* ---- searching ---- */

/* Pairs of different strands that do not pass each other wait until there are enough of them. */
static int meet_edges(const rlti_edge_contacts *contacts, const rlti_strand_edge *edge, uint64_t key,
                      rlti_edge_waiting *waiting, rlti_edge_chunk *chunk) {
    uint64_t other = rlti_edge_key_other(key);
    if (contacts->only_passages && !(key & 1u))
        return 1;
    rlti_strand_edge second = rlti_strand_edge_of(contacts, (int)(other / WIDTH), (int)(other % WIDTH));
    if (second.strand == edge->strand &&
        rlti_edge_contacts_neighbours(contacts, edge->strand, edge->edge, second.edge))
        return 1;
    if (second.strand != edge->strand && !(key & 1u)) {
        waiting->edge[0][waiting->count] = *edge;
        waiting->edge[1][waiting->count++] = second;
        return waiting->count < RLTI_EDGE_PACK || rlti_edge_pairs_meet(contacts, waiting, chunk);
    }
    if (!rlti_edge_pairs_meet(contacts, waiting, chunk) ||
        !RLTI_LIST_RESERVE(chunk->items, chunk->count, 2, chunk->capacity))
        return 0;
    rlti_edge_contact *found = chunk->items + chunk->count;
    int count = rlti_edge_pair(contacts, edge, &second, key & 1u, found);
    chunk->count += contacts->only_passages && count > 0 ? found->passage : count;
    return 1;
}

/* The pairs of one edge with one body's triangles, which stand in a row. */
static int meet_body(const rlti_edge_contacts *contacts, const rlti_strand_edge *edge, uint64_t *others,
                     int count, rlti_edge_chunk *chunk) {
    uint64_t base = (uint64_t)contacts->run_count * WIDTH;
    int body = 0;
    while (others[0] >= base + (uint64_t)contacts->bodies[body]->item_count)
        base += (uint64_t)contacts->bodies[body++]->item_count;
    uint64_t end = base + (uint64_t)contacts->bodies[body]->item_count;
    int same = 0;
    for (; same < count && others[same] < end; same++)
        others[same] -= base;
    int done = contacts->bodies[body]->shape != NULL
                   ? rlti_edge_shape(contacts, edge, body, chunk)
                   : rlti_edge_faces(contacts, edge, body, others, same, chunk);
    return done ? same : 0;
}

/* All pairs of the run, in order. */
static int meet_all(const rlti_edge_contacts *contacts, int run, rlti_edge_chunk *chunk) {
    const uint64_t bodies = (uint64_t)contacts->run_count * WIDTH;
    uint64_t *keys = chunk->keys;
    rlti_edge_waiting waiting;
    waiting.count = 0;
    for (int k = 0; k < chunk->key_count;) {
        int item = rlti_edge_key_item(keys[k]), end = k;
        rlti_strand_edge edge = rlti_strand_edge_of(contacts, run, item);
        while (end < chunk->key_count && rlti_edge_key_item(keys[end]) == item)
            end++;
        for (; k < end && rlti_edge_key_other(keys[k]) < bodies; k++)
            if (!meet_edges(contacts, &edge, keys[k], &waiting, chunk))
                return 0;
        if (k < end && !rlti_edge_pairs_meet(contacts, &waiting, chunk))
            return 0;
        for (int i = k; i < end; i++)
            keys[i] = rlti_edge_key_other(keys[i]);
        for (int used = 1; k < end; k += used) {
            used = meet_body(contacts, &edge, keys + k, end - k, chunk);
            if (used == 0)
                return 0;
        }
    }
    return rlti_edge_pairs_meet(contacts, &waiting, chunk);
}

static void search_chunk(void *context, int index, int worker) {
    const rlti_edge_contacts *contacts = context;
    rlti_edge_chunk *chunk = &contacts->chunks[index];
    (void)worker;
    chunk->failed = 0;
    chunk->count = 0;
    chunk->pairs = 0;
    for (int place = index * RLTI_EDGE_CHUNK;
         place < (index + 1) * RLTI_EDGE_CHUNK && place < contacts->run_count && !chunk->failed; place++) {
        int run = contacts->tree.run[place];
        rlti_edge_found *found = &contacts->run_found[run];
        found->first = chunk->count;
        chunk->failed |= !rlti_edge_candidates_find(contacts, run, chunk) || !meet_all(contacts, run, chunk);
        found->count = chunk->count - found->first;
        found->passages = 0;
        for (int k = found->first; k < chunk->count; k++)
            found->passages += chunk->items[k].passage;
    }
}

enum { COPY_BLOCK = 128 };

static void copy_runs(void *context, int index, int worker) {
    const rlti_edge_contacts *contacts = context;
    (void)worker;
    for (int run = index * COPY_BLOCK; run < (index + 1) * COPY_BLOCK && run < contacts->run_count; run++) {
        const rlti_edge_found *found = &contacts->run_found[run];
        const rlti_edge_chunk *chunk = &contacts->chunks[contacts->tree.place[run] / RLTI_EDGE_CHUNK];
        if (found->count > 0)
            memcpy(contacts->items + found->place, chunk->items + found->first,
                   (size_t)found->count * sizeof *chunk->items);
    }
}

/* One list of all runs', in their order. */
static int gather(rlti_edge_contacts *contacts, rlti_pool *pool) {
    long long count = 0;
    int failed = 0;
    for (int c = 0; c < contacts->chunk_count; c++) {
        count += contacts->chunks[c].count;
        failed |= contacts->chunks[c].failed || count > INT32_MAX / 2;
    }
    if (failed || !RLTI_LIST_RESERVE(contacts->items, 0, (int)count, contacts->capacity))
        return 0;
    for (int run = 0, place = 0; run < contacts->run_count; run++) {
        contacts->run_found[run].place = place;
        place += contacts->run_found[run].count;
    }
    rlti_pool_for(pool, (contacts->run_count + COPY_BLOCK - 1) / COPY_BLOCK, copy_runs, contacts);
    contacts->count = (int)count;
    return 1;
}

/* The list, without passages of earlier searches. */
static int search(rlti_edge_contacts *contacts, rlti_pool *pool, const rlti_vec3 *start, const rlti_vec3 *end,
                  const rlti_edge_mesh *const *bodies, int body_count) {
    contacts->count = 0;
    contacts->start = start;
    contacts->end = end;
    contacts->bodies = bodies;
    contacts->body_count = body_count;
    contacts->centre = contacts->run_count > 0 ? end[0] : rlti_v3(0, 0, 0);
    if (!(rlti_dot(contacts->centre, contacts->centre) < HUGE_VAL))
        contacts->centre = rlti_v3(0, 0, 0);
    rlti_edge_candidates_begin(contacts, pool);
    rlti_pool_for(pool, contacts->chunk_count, search_chunk, contacts);
    int done = gather(contacts, pool);
    rlti_edge_candidates_end(contacts, done);
    return done;
}

int rlti_edge_contacts_find(rlti_edge_contacts *contacts, rlti_pool *pool, const rlti_vec3 *start,
                            const rlti_vec3 *end, const rlti_edge_mesh *const *bodies, int body_count) {
    int done = search(contacts, pool, start, end, bodies, body_count) && rlti_edge_contacts_keep(contacts);
    contacts->count = done ? contacts->count : 0;
    return done;
}

int rlti_edge_contacts_find_passages(rlti_edge_contacts *contacts, rlti_pool *pool, const rlti_vec3 *start,
                                     const rlti_vec3 *end) {
    contacts->only_passages = 1;
    int done = search(contacts, pool, start, end, NULL, 0);
    contacts->only_passages = 0;
    contacts->count = done ? contacts->count : 0;
    return done;
}

const rlti_edge_contact *rlti_edge_contacts_list(const rlti_edge_contacts *contacts, int *count) {
    *count = contacts->count;
    return contacts->items;
}

rlti_edge_contacts_cost rlti_edge_contacts_cost_of(const rlti_edge_contacts *contacts) {
    rlti_edge_contacts_cost cost = {0, (size_t)(contacts->capacity + contacts->spare_capacity) *
                                               sizeof(rlti_edge_contact) +
                                           (size_t)contacts->kept_capacity * sizeof(rlti_edge_kept)};
    for (int c = 0; c < contacts->chunk_count; c++) {
        const rlti_edge_chunk *chunk = &contacts->chunks[c];
        cost.pairs += chunk->pairs;
        cost.bytes += (size_t)chunk->capacity * sizeof(rlti_edge_contact) +
                      (size_t)chunk->run_capacity * sizeof(uint64_t) +
                      (size_t)chunk->eight_capacity * sizeof(rlti_edge_eight) +
                      (size_t)chunk->key_capacity * sizeof(uint64_t) +
                      (size_t)chunk->edges.capacity * sizeof(rlti_edge_near) +
                      (size_t)chunk->triangles.capacity * sizeof(uint64_t);
    }
    return cost;
}
