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

int rlti_edge_seconds(const rlti_edge_contact *items, int first, int count, int **second, int *capacity) {
    if (!RLTI_LIST_RESERVE(*second, first, count - first, *capacity))
        return 0;
    for (int k = first; k < count; k++)
        (*second)[k] = items[k].strand[1];
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

/* Bits of pairs of two half runs of one strand whose edges never meet, or are not there. */
static unsigned neighbour_pairs(const rlti_edge_contacts *contacts, int half, int other) {
    int strand = contacts->run_strand[half / RLTI_EDGE_HALVES],
        first = RLTI_EDGE_HALVES * contacts->first_run[strand],
        edges = contacts->strands.first[strand + 1] - contacts->strands.first[strand] - 1;
    unsigned bits = 0;
    for (int k = 0; k < RLTI_EDGE_HALF * RLTI_EDGE_HALF; k++) {
        int a = (half - first) * RLTI_EDGE_HALF + k / RLTI_EDGE_HALF,
            b = (other - first) * RLTI_EDGE_HALF + k % RLTI_EDGE_HALF;
        if (a >= edges || b >= edges || rlti_edge_contacts_neighbours(contacts, strand, a, b))
            bits |= 1u << k;
    }
    return bits;
}

/* Where edges of a half run have neighbours: all of those are within half a turn around the strand's greatest
 * radius; and which, where strands meet themselves. `count` bits are there so far; returns 0 when out of
 * memory. */
static int find_half_ends(rlti_edge_contacts *contacts, int half, double greatest, int *count) {
    const rlti_edge_strands *strands = &contacts->strands;
    const unsigned all = 0xffff;
    int strand = contacts->run_strand[half / RLTI_EDGE_HALVES], first = strands->first[strand],
        last = strands->first[strand + 1] - 1, *end = contacts->half_end[half],
        from = (half - RLTI_EDGE_HALVES * contacts->first_run[strand] + 1) * RLTI_EDGE_HALF;
    double far = 0.5 * RLTI_PI * (2.0 * greatest + strands->offset);
    end[0] = half;
    end[1] = half + 1;
    end[2] = *count;
    for (int edge = from; first + edge < last; edge += RLTI_EDGE_HALF, end[1]++)
        if (edge > from && contacts->along[first + edge] - contacts->along[first + from] >= far)
            break;
    while (end[0] < end[1] && neighbour_pairs(contacts, half, end[0]) == all)
        end[0]++;
    if (!strands->self)
        return 1;
    if (!RLTI_LIST_RESERVE(contacts->neighbours, *count, end[1] - end[0], contacts->neighbour_capacity))
        return 0;
    for (int other = end[0]; other < end[1]; other++)
        contacts->neighbours[(*count)++] = (uint16_t)neighbour_pairs(contacts, half, other);
    return 1;
}

/* Which edges of a strand are too near along it to meet; and whether edges are short. Returns 0 when out of
 * memory. */
static int measure_halves(rlti_edge_contacts *contacts) {
    const rlti_edge_strands *strands = &contacts->strands;
    double length = 0.0, radii = 0.0;
    int edges = 0, bits = 0, done = 1;
    for (int s = 0; s < strands->strand_count && done; s++) {
        double greatest = 0.0;
        for (int p = strands->first[s]; p < strands->first[s + 1]; p++) {
            greatest = fmax(greatest, fabs(strands->radius[p]));
            radii += 2.0 * fabs(strands->radius[p]);
        }
        for (int half = RLTI_EDGE_HALVES * contacts->first_run[s];
             half < RLTI_EDGE_HALVES * contacts->first_run[s + 1] && done; half++)
            done = find_half_ends(contacts, half, greatest, &bits);
        if (strands->first[s + 1] > strands->first[s]) {
            length += contacts->along[strands->first[s + 1] - 1];
            edges += strands->first[s + 1] - strands->first[s] - 1;
        }
    }
    contacts->short_edges = length < radii;
    contacts->edge = edges > 0 ? length / edges : 0.0;
    return done;
}

/* Fills in those of the sieve's columns, and of the kernel's rows, that never change. */
static int make_columns(rlti_edge_contacts *contacts) {
    const rlti_edge_strands *strands = &contacts->strands;
    int points = strands->first[strands->strand_count];
    size_t size = (size_t)points + RLTI_EDGE_BEYOND;
    float *all = RLTI_NEW(float, size *RLTI_EDGE_COLUMNS);
    contacts->rows = RLTI_NEW(rlti_edge_row, size);
    contacts->groom = strands->keep ? RLTI_NEW(rlti_edge_row, size) : NULL;
    contacts->columns[0] = all;
    if (all == NULL || contacts->rows == NULL || (strands->keep && contacts->groom == NULL))
        return 0;
    for (int c = 0; c < RLTI_EDGE_COLUMNS; c++)
        contacts->columns[c] = all + size * (size_t)c;
    for (int s = 0; s < strands->strand_count; s++)
        for (int p = strands->first[s]; p + 1 < strands->first[s + 1]; p++) {
            contacts->columns[RLTI_EDGE_RADIUS][p] =
                (float)rlti_edge_greatest_radius(strands->radius, p) * (1.0f + FLT_EPSILON);
            contacts->columns[RLTI_EDGE_STRAND][p] =
                p + 2 < strands->first[s + 1] ? (float)s + 1.0f : -((float)s + 1.0f);
        }
    for (int p = 0; p < points; p++) {
        rlti_vec3 x = rlti_sub(strands->rest[p], strands->rest[0]);
        const double row[3] = {x.x, x.y, x.z};
        for (int c = 0; c < 3; c++)
            contacts->columns[RLTI_EDGE_REST + c][p] = (float)row[c];
        if (strands->keep)
            contacts->groom[p].at = strands->rest[p];
    }
    return 1;
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
    contacts->place_point = RLTI_NEW(int, contacts->run_count);
    contacts->run_anew = RLTI_NEW(unsigned char, contacts->run_count);
    contacts->run_change = RLTI_NEW(float, contacts->run_count);
    contacts->margin = RLTI_NEW(float, contacts->run_count);
    contacts->slack = RLTI_NEW(float, contacts->run_count);
    contacts->known_end = rlti_allocate((size_t)contacts->run_count, sizeof *contacts->known_end);
    contacts->run_alive = RLTI_NEW(unsigned char, contacts->run_count);
    contacts->half_end =
        rlti_allocate((size_t)RLTI_EDGE_HALVES * (size_t)contacts->run_count, sizeof *contacts->half_end);
    contacts->run_found = RLTI_NEW(rlti_edge_found, contacts->run_count);
    contacts->along = RLTI_NEW(double, strands->first[strands->strand_count]);
    contacts->chunks = RLTI_NEW(rlti_edge_chunk, contacts->chunk_count);
    contacts->chords = RLTI_NEW(rlti_edge_chords, (contacts->run_count + WIDTH - 1) / WIDTH);
    rlti_run_box *boxes = RLTI_NEW(rlti_run_box, contacts->run_count);
    int done = contacts->run_strand != NULL && contacts->run_point != NULL && contacts->place_point != NULL &&
               contacts->run_alive != NULL && contacts->half_end != NULL && contacts->run_found != NULL &&
               contacts->known_end != NULL && contacts->run_anew != NULL && contacts->run_change != NULL &&
               contacts->margin != NULL && contacts->slack != NULL && contacts->along != NULL &&
               contacts->chunks != NULL && contacts->chords != NULL && boxes != NULL &&
               make_columns(contacts);
    if (done) {
        measure_strands(contacts, boxes);
        done = measure_halves(contacts) &&
               rlti_sweep_tree_create(boxes, contacts->run_count, 0, &contacts->tree);
    }
    if (done)
        done = rlti_sweep_tree_create_part(&contacts->tree, &contacts->anew);
    for (int p = 0; done && p < contacts->run_count; p++)
        contacts->place_point[p] = contacts->run_point[contacts->tree.run[p]];
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
        RLTI_FREE(contacts->chunks[c].items, contacts->chunks[c].second, contacts->chunks[c].eights,
                  contacts->chunks[c].wide, contacts->chunks[c].keys, contacts->chunks[c].others,
                  contacts->chunks[c].held, contacts->chunks[c].faces, contacts->chunks[c].edges.items,
                  contacts->chunks[c].old_edges.items, contacts->chunks[c].old_triangles.keys,
                  contacts->chunks[c].triangles.keys);
    rlti_sweep_tree_destroy(&contacts->tree);
    rlti_sweep_tree_destroy_part(&contacts->anew);
    RLTI_FREE(contacts->first_run, contacts->run_strand, contacts->run_point, contacts->place_point,
              contacts->run_alive, contacts->half_end, contacts->neighbours, contacts->run_found,
              contacts->columns[0], contacts->rows, contacts->groom, contacts->known_end, contacts->run_anew,
              contacts->run_change, contacts->margin, contacts->slack, contacts->along, contacts->chunks,
              contacts->chords, contacts->items, contacts->kept, contacts->rank_chunk, contacts->rank_bytes,
              contacts->counts, contacts->shared, contacts->second);
    rlti_free(contacts);
}

void rlti_edge_contacts_set_plain(rlti_edge_contacts *contacts) {
    contacts->sieve = &rlti_edge_sieve_portable;
    contacts->kernel = &rlti_edge_kernel_portable;
}

/* ---- searching ---- */

/* The pairs of one edge with one body's triangles, which stand in a row. */
static int meet_body(const rlti_edge_contacts *contacts, const rlti_strand_edge *edge, uint64_t *others,
                     int count, rlti_edge_chunk *chunk) {
    uint64_t base = 0;
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

/* All pairs of the run with bodies, in order. */
static int meet_bodies(const rlti_edge_contacts *contacts, int run, rlti_edge_chunk *chunk) {
    uint64_t *keys = chunk->keys;
    for (int k = 0; k < chunk->key_count;) {
        int item = rlti_edge_key_item(keys[k]), end = k;
        rlti_strand_edge edge = rlti_strand_edge_of(contacts, run, item);
        for (; end < chunk->key_count && rlti_edge_key_item(keys[end]) == item; end++)
            keys[end] = rlti_edge_key_triangle(keys[end]);
        for (int used = 1; k < end; k += used) {
            used = meet_body(contacts, &edge, keys + k, end - k, chunk);
            if (used == 0)
                return 0;
        }
    }
    return 1;
}

/* All pairs of the run, in order: contacts with bodies are found first, and put among those of hair. */
static int meet_all(const rlti_edge_contacts *contacts, int run, rlti_edge_waiting *waiting,
                    rlti_edge_chunk *chunk) {
    int first = chunk->count;
    if (!meet_bodies(contacts, run, chunk))
        return 0;
    int held = chunk->count - first;
    if (!RLTI_LIST_RESERVE(chunk->held, chunk->held_count, held, chunk->held_capacity))
        return 0;
    if (held > 0)
        memcpy(chunk->held + chunk->held_count, chunk->items + first, (size_t)held * sizeof *chunk->held);
    chunk->held_count += held;
    chunk->count = first;
    return rlti_edge_pairs_meet(contacts, run, waiting, chunk);
}

/* Chunks that are searched here, from this one on. */
typedef struct chunk_range {
    const rlti_edge_contacts *contacts;
    int first;
} chunk_range;

static void search_chunk(void *context, int index, int worker) {
    const chunk_range *range = context;
    const rlti_edge_contacts *contacts = range->contacts;
    rlti_edge_chunk *chunk = &contacts->chunks[range->first + index];
    rlti_edge_waiting waiting; /* not cleared: there are many chunks */
    (void)worker;
    index += range->first;
    int first = index * RLTI_EDGE_CHUNK, end = first + RLTI_EDGE_CHUNK;
    end = end < contacts->run_count ? end : contacts->run_count;
    chunk->failed = 0;
    chunk->count = chunk->held_count = 0;
    chunk->pairs = 0;
    rlti_edge_candidates_begin_chunk(contacts, chunk);
    rlti_edge_pairs_begin(contacts, first, &waiting);
    for (int place = first; place < end && !chunk->failed; place++) {
        int run = contacts->tree.run[place];
        chunk->failed |=
            !rlti_edge_candidates_find(contacts, run, chunk) || !meet_all(contacts, run, &waiting, chunk);
        chunk->pairs += chunk->other_count + chunk->key_count;
    }
    chunk->failed |=
        chunk->failed || !rlti_edge_pairs_end(contacts, end, &waiting, chunk) ||
        !rlti_edge_seconds(chunk->items, 0, chunk->count, &chunk->second, &chunk->second_capacity);
}

/* Where the contacts of each run stand in the list; returns 0 where there is none. */
static int place_runs(rlti_edge_contacts *contacts, int done) {
    long long count = 0;
    for (int run = 0; run < contacts->run_count && done; run++) {
        contacts->run_found[run].place = (int)count;
        count += contacts->run_found[run].count;
        done = count <= INT32_MAX / 2;
    }
    contacts->count = done ? (int)count : 0;
    return done;
}

/* The list, without passages of earlier searches. */
static int search(rlti_edge_contacts *contacts, rlti_pool *pool, const rlti_vec3 *start, const rlti_vec3 *end,
                  const rlti_edge_mesh *const *bodies, int body_count) {
    contacts->count = 0;
    contacts->start = start;
    contacts->end = end;
    contacts->bodies = bodies;
    contacts->body_count = body_count;
    rlti_edge_candidates_begin(contacts, pool);
    chunk_range range = {contacts, 0};
    int chunk_end = contacts->chunk_count, failed = 0;
    rlti_edge_share_chunks(contacts, &range.first, &chunk_end);
    rlti_pool_for(pool, chunk_end - range.first, search_chunk, &range);
    for (int c = 0; c < contacts->chunk_count && contacts->ranks == NULL; c++)
        failed |= contacts->chunks[c].failed;
    if (contacts->ranks != NULL)
        failed = !rlti_edge_share_found(contacts);
    rlti_edge_candidates_end(contacts, !failed);
    return !failed;
}

int rlti_edge_contacts_find(rlti_edge_contacts *contacts, rlti_pool *pool, const rlti_vec3 *start,
                            const rlti_vec3 *end, const rlti_edge_mesh *const *bodies, int body_count) {
    int done = search(contacts, pool, start, end, bodies, body_count) && rlti_edge_contacts_keep(contacts);
    return place_runs(contacts, done);
}

int rlti_edge_contacts_find_passages(rlti_edge_contacts *contacts, rlti_pool *pool, const rlti_vec3 *start,
                                     const rlti_vec3 *end) {
    contacts->only_passages = 1;
    int done = search(contacts, pool, start, end, NULL, 0);
    contacts->only_passages = 0;
    return place_runs(contacts, done);
}

int rlti_edge_contacts_count(const rlti_edge_contacts *contacts) {
    return contacts->count;
}

int rlti_edge_contacts_part_count(const rlti_edge_contacts *contacts) {
    return contacts->count > 0 ? contacts->run_count : 0;
}

rlti_edge_part rlti_edge_contacts_part(const rlti_edge_contacts *contacts, int index) {
    const rlti_edge_found *found = &contacts->run_found[index];
    const int *second =
        contacts->ranks != NULL ? contacts->second : rlti_edge_chunk_of(contacts, index)->second;
    return (rlti_edge_part){rlti_edge_run_items(contacts, index),
                            found->count > 0 ? second + found->first : NULL, found->place, found->count};
}

int rlti_edge_contacts_first_part(const rlti_edge_contacts *contacts, int strand) {
    return contacts->count > 0 ? contacts->first_run[strand] : 0;
}

const rlti_edge_contact *rlti_edge_contacts_list(rlti_edge_contacts *contacts, int *count) {
    *count = 0;
    if (!RLTI_LIST_RESERVE(contacts->items, 0, contacts->count, contacts->capacity))
        return NULL;
    for (int k = 0; k < rlti_edge_contacts_part_count(contacts); k++) {
        rlti_edge_part part = rlti_edge_contacts_part(contacts, k);
        if (part.count > 0)
            memcpy(contacts->items + part.first, part.items, (size_t)part.count * sizeof *part.items);
    }
    *count = contacts->count;
    return contacts->items;
}

rlti_edge_contacts_cost rlti_edge_contacts_cost_of(const rlti_edge_contacts *contacts) {
    rlti_edge_contacts_cost cost = {0, (size_t)contacts->capacity * sizeof(rlti_edge_contact) +
                                           (size_t)contacts->kept_capacity * sizeof(rlti_edge_kept)};
    for (int c = 0; c < contacts->chunk_count; c++) {
        const rlti_edge_chunk *chunk = &contacts->chunks[c];
        cost.pairs += chunk->pairs;
        cost.bytes += (size_t)chunk->capacity * sizeof(rlti_edge_contact) +
                      (size_t)chunk->second_capacity * sizeof(int) +
                      (size_t)chunk->eight_capacity * sizeof(rlti_edge_eight) +
                      (size_t)chunk->wide_capacity * sizeof(uint32_t) +
                      (size_t)chunk->key_capacity * sizeof(uint64_t) +
                      (size_t)chunk->other_capacity * sizeof(int) +
                      (size_t)chunk->held_capacity * sizeof(rlti_edge_contact) +
                      (size_t)(chunk->edges.capacity + chunk->face_capacity) * sizeof(rlti_edge_near) +
                      (size_t)chunk->old_edges.capacity * sizeof(rlti_edge_near) +
                      (size_t)(chunk->triangles.capacity + chunk->old_triangles.capacity) * sizeof(uint64_t);
    }
    return cost;
}
