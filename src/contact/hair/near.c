/* Who is near whom: each pair of hairs in the contact graph by itself, when their paths say that it may have
 * changed. Hairs are cut into short runs with a box each, so that few spheres are compared. What is found is
 * a superset of what acts; which superset, and when it was found, changes nothing. */
#include "contact/hair/springs_data.h"

#include <string.h>

#include "base/memory.h"

/* Room for `count` items in memory that grows by half. 0: out of memory. */
static int make_room(rlti_near **items, int *room, int count) {
    if (count <= *room)
        return 1;
    int wanted = count > 1000000000 ? count : count + count / 2 + 64;
    rlti_near *resized = rlti_resize(*items, (size_t)wanted, sizeof(rlti_near));
    if (resized == NULL)
        return 0;
    *items = resized;
    *room = wanted;
    return 1;
}

int rlti_near_list_room(rlti_near_list *list, int count) {
    if (count <= list->room || list->own)
        return make_room(&list->items, &list->room, count);
    rlti_near *items = NULL;
    int room = 0;
    if (!make_room(&items, &room, count) || items == NULL)
        return 0;
    if (list->used > 0)
        memcpy(items, list->items, (size_t)list->used * sizeof(rlti_near));
    *list = (rlti_near_list){list->blocks, list->wakes, items, list->used, room, 1};
    return 1;
}

/* ---- boxes ---- */

static float *rows_of(const rlti_springs *s, int run) {
    return s->rows + (size_t)run * 4 * RLTI_RUN;
}

/* A run as the lanes compare it. */
static void fill_rows(rlti_springs *s, int run, int begin, int end) {
    float *rows = rows_of(s, run);
    for (int k = 0; k < RLTI_RUN; k++) {
        int p = begin + k;
        for (int axis = 0; axis < 3; axis++)
            rows[axis * RLTI_RUN + k] = p < end ? s->seen[p].position[axis] : RLTI_FAR_AWAY;
        rows[3 * RLTI_RUN + k] = p < end ? s->def.particles->radius[p] : 0.0f;
    }
}

void rlti_near_boxes(rlti_springs *s, int strand) {
    const rlti_particles *particles = s->def.particles;
    rlti_run_box whole = rlti_run_box_empty();
    int place = s->place[strand];
    for (int r = s->first_run[place]; r < s->first_run[place + 1]; r++) {
        int begin = particles->first[strand] + (r - s->first_run[place]) * RLTI_RUN, end = begin + RLTI_RUN;
        rlti_run_box box = rlti_run_box_empty();
        for (int p = begin; p < end && p < particles->first[strand + 1]; p++) {
            rlti_run_box sphere = rlti_run_box_around(s->seen[p].position, particles->radius[p] * s->reach);
            rlti_run_box_include(&box, &sphere);
        }
        s->runs[r] = box;
        fill_rows(s, r, begin, end < particles->first[strand + 1] ? end : particles->first[strand + 1]);
        rlti_run_box_include(&whole, &box);
    }
    s->boxes[place] = whole;
}

/* How far apart two boxes are along one axis, 0 where they overlap. */
static inline float gap_along(const rlti_run_box *a, const rlti_run_box *b, int axis) {
    float below = a->low[axis] - b->high[axis], above = b->low[axis] - a->high[axis];
    float gap = below > above ? below : above;
    return gap > 0.0f ? gap : 0.0f;
}

/* Square of the distance between two boxes. */
static inline float gap2(const rlti_run_box *a, const rlti_run_box *b) {
    float x = gap_along(a, b, 0), y = gap_along(a, b, 1), z = gap_along(a, b, 2);
    return x * x + y * y + z * z;
}

/* ---- pairs ---- */

/* A search in one block. */
typedef struct search {
    rlti_near *items; /* where the next goes */
    int count;
    float free; /* everything not in the list is at least this far out of reach [unit] */
} search;

/* Returns how far the nearest pair that is left out is from acting. */
static float search_runs(const rlti_springs *s, int u, int w, int i0, int i1, int j0, int j1, int keep,
                         int sparse, float margin, search *found) {
    unsigned char masks[RLTI_RUN];
    float touch[RLTI_RUN][RLTI_RUN];
    rlti_near_runs runs = {
        .mine = rows_of(s, u),
        .other = rows_of(s, w),
        .mine_rest = (const float(*)[4])s->rest + i0,
        .other_rest = (const float(*)[4])s->rest + j0,
        .other_low = sparse ? s->runs[w].low : NULL,
        .other_high = s->runs[w].high,
        .mine_count = i1 - i0,
        .other_count = j1 - j0,
    };
    float gap = s->def.lanes->near(&runs, s->reach, margin, keep, masks, touch);
    for (int i = 0; i < i1 - i0; i++)
        for (unsigned bits = masks[i]; bits != 0; bits &= bits - 1u) {
            int j = __builtin_ctz(bits);
            found->items[found->count++] = (rlti_near){i0 + i, j0 + j, touch[i][j], 0.0f};
        }
    return gap;
}

/* Particles that overlap in the groom stay as groomed, unless both sides want to push. */
static int keeps_groom(const rlti_springs *s, int strand, int other) {
    const rlti_hair_data *hair = s->def.scene->hair;
    const int *section = s->def.strands->hair;
    return hair[section[strand]].contact_groom == RLTI_GROOM_KEEP ||
           hair[section[other]].contact_groom == RLTI_GROOM_KEEP;
}

/* All pairs with one neighbour. `found` has the capacity for every pair. */
static void search_block(const rlti_springs *s, int strand, int other, search *found) {
    const int *first = s->def.particles->first;
    float margin = 0.5f * (s->margin[strand] + s->margin[other]), least2 = HUGE_VALF, least = HUGE_VALF;
    int keep = keeps_groom(s, strand, other), sparse = s->sparse[strand];
    const int *mine = &s->first_run[s->place[strand]], *others = &s->first_run[s->place[other]];
    for (int u = mine[0]; u < mine[1]; u++) {
        float gap = gap2(&s->runs[u], &s->boxes[s->place[other]]);
        if (!(gap < margin * margin)) {
            least2 = gap < least2 ? gap : least2;
            continue;
        }
        int i0 = first[strand] + (u - mine[0]) * RLTI_RUN;
        int i1 = i0 + RLTI_RUN < first[strand + 1] ? i0 + RLTI_RUN : first[strand + 1];
        for (int w = others[0]; w < others[1]; w++) {
            gap = gap2(&s->runs[u], &s->runs[w]);
            if (!(gap < margin * margin)) {
                least2 = gap < least2 ? gap : least2;
                continue;
            }
            int j0 = first[other] + (w - others[0]) * RLTI_RUN;
            int j1 = j0 + RLTI_RUN < first[other + 1] ? j0 + RLTI_RUN : first[other + 1];
            least = fminf(least, search_runs(s, u, w, i0, i1, j0, j1, keep, sparse, margin, found));
        }
    }
    found->free = fminf(least, sqrtf(least2));
}

/* The order of items in a block. */
static int comes_before(const rlti_springs *s, const rlti_near *a, const rlti_near *b, int strand,
                        int other) {
    const int *first = s->def.particles->first;
    int u = (a->mine - first[strand]) / RLTI_RUN, v = (b->mine - first[strand]) / RLTI_RUN;
    if (u != v)
        return u < v;
    int w = (a->other - first[other]) / RLTI_RUN, z = (b->other - first[other]) / RLTI_RUN;
    if (w != z)
        return w < z;
    return a->mine != b->mine ? a->mine < b->mine : a->other < b->other;
}

/* Ages of contacts that live go from the old list to the new one. A contact that lives is within reach, so it
 * is in the new list, unless it has just broken. */
static void carry_ages(const rlti_springs *s, int strand, const rlti_block *block, const rlti_near *old,
                       rlti_near *items, int count) {
    for (int i = 0, j = 0; i < block->count; i++) {
        if (!(old[i].age > 0.0f))
            continue;
        while (j < count && comes_before(s, &items[j], &old[i], strand, block->strand))
            j++;
        if (j < count && items[j].mine == old[i].mine && items[j].other == old[i].other)
            items[j].age = old[i].age;
    }
}

/* Moves all blocks together, so that what is free is at the end. */
static int compact(rlti_springs *s, int strand, rlti_springs_worker *worker) {
    rlti_near_list *list = &s->near[strand];
    long long degree = s->def.graph->first[strand + 1] - s->def.graph->first[strand];
    int used = 0;
    if (!make_room(&worker->spare, &worker->spare_room, list->used))
        return 0;
    for (long long b = 0; b < degree; b++) {
        rlti_block *block = &list->blocks[b];
        if (block->count > 0)
            memcpy(worker->spare + used, list->items + block->first,
                   (size_t)block->count * sizeof(rlti_near));
        block->first = used;
        block->room = block->count;
        used += block->count;
    }
    if (used > 0)
        memcpy(list->items, worker->spare, (size_t)used * sizeof(rlti_near));
    list->used = used;
    return 1;
}

/* A place for `count` items of a block, whose own items are no longer needed. */
static int make_place(rlti_springs *s, int strand, rlti_block *block, int count,
                      rlti_springs_worker *worker) {
    rlti_near_list *list = &s->near[strand];
    int wanted = count + 4; /* neighbours come one by one */
    block->count = block->room = 0;
    if (list->used > 1000000000 - wanted)
        return 0;
    if (list->used + wanted > list->room && !compact(s, strand, worker))
        return 0;
    if (!rlti_near_list_room(list, list->used + wanted))
        return 0;
    block->first = list->used;
    block->room = wanted;
    list->used += wanted;
    return 1;
}

/* Searches into the worker's own memory. 0: out of memory. */
static int search_pairs(const rlti_springs *s, int strand, int other, rlti_springs_worker *worker,
                        search *found) {
    const int *first = s->def.particles->first;
    long long most = (long long)(first[strand + 1] - first[strand]) * (first[other + 1] - first[other]);
    if (most > 1000000000 || !make_room(&worker->items, &worker->room, (int)most))
        return 0;
    *found = (search){.items = worker->items};
    search_block(s, strand, other, found);
    return 1;
}

void rlti_near_tell_twin(rlti_springs *s, const rlti_block *block, double empty_until) {
    float until = nextafterf((float)empty_until, -HUGE_VALF); /* never later */
    atomic_store_explicit(&s->empty_until[block - s->blocks], until, memory_order_relaxed);
}

int rlti_near_search(rlti_springs *s, int strand, rlti_block *block, double paths,
                     rlti_springs_worker *worker) {
    rlti_near_list *list = &s->near[strand];
    search found;
    if (!search_pairs(s, strand, block->strand, worker, &found))
        return 0;
    if (block->count > 0)
        carry_ages(s, strand, block, list->items + block->first, found.items, found.count);
    if (found.count > block->room && !make_place(s, strand, block, found.count, worker))
        return 0;
    if (found.count > 0)
        memcpy(list->items + block->first, found.items, (size_t)found.count * sizeof(rlti_near));
    block->count = found.count;
    block->valid = paths + (double)found.free;
    list->wakes[block - list->blocks] = found.count > 0 ? paths : block->valid;
    rlti_near_tell_twin(s, block, found.count > 0 ? -HUGE_VAL : block->valid);
    block->still = s->drift[strand] + s->drift[block->strand] + (double)found.free;
    block->strain = s->clusters[s->cluster_of[strand]].strain;
    block->span = found.free + s->reach_of[strand] + s->reach_of[block->strand];
    s->searches[strand]++;
    return 1;
}

/* Particles where the groom has them, relative to their cluster's first strand. */
static void see_groom(rlti_springs *s) {
    const rlti_particles *particles = s->def.particles;
    for (int h = 0; h < particles->strand_count; h++) {
        if (s->cluster_of[h] < 0)
            continue;
        rlti_vec3 origin = particles->rest[particles->first[s->clusters[s->cluster_of[h]].strand]];
        for (int p = particles->first[h]; p < particles->first[h + 1]; p++) {
            rlti_vec3 at = rlti_sub(particles->rest[p], origin);
            s->seen[p] = (rlti_seen){.position = {(float)at.x, (float)at.y, (float)at.z},
                                     .share = 1.0f,
                                     .radius = particles->radius[p]};
            memcpy(s->rest[p], s->seen[p].position, 3 * sizeof(float));
        }
        rlti_near_boxes(s, h);
    }
}

/* What the strand's list will most likely need: each pair of two local hairs is searched from one end only.
 */
static int reserve_pairs(rlti_springs *s, int strand, long long *wanted) {
    const double crowding = 2.5; /* hair that has sagged and swings is about twice as crowded as the groom */
    rlti_springs_worker *worker = &s->workers[0];
    long long degree = s->local[strand] ? s->def.graph->first[strand + 1] - s->def.graph->first[strand] : 0;
    for (long long b = 0; b < degree; b++) {
        int other = s->near[strand].blocks[b].strand;
        if (other < strand && s->local[other])
            continue;
        search found;
        if (!search_pairs(s, strand, other, worker, &found))
            return 0;
        long long items = (long long)(crowding * found.count);
        wanted[strand] += items;
        wanted[other] += items;
    }
    wanted[strand] += 64 + 4 * degree;
    return 1;
}

/* Gives every local strand its part of one reserve; returns the longest, or -1 when out of memory. */
static int share_reserve(rlti_springs *s, const long long *wanted) {
    const rlti_graph *graph = s->def.graph;
    long long total = 0, longest = 0;
    for (int h = 0; h < graph->count; h++)
        if (s->local[h] && graph->first[h] < graph->first[h + 1]) {
            total += wanted[h];
            longest = wanted[h] > longest ? wanted[h] : longest;
        }
    if (longest > 1000000000)
        return -1;
    /* not cleared: what is never used never takes memory */
    s->reserve = rlti_resize(NULL, (size_t)total + 1, sizeof(rlti_near));
    if (s->reserve == NULL)
        return -1;
    rlti_near *next = s->reserve;
    for (int k = 0; k < graph->count; k++) {
        int h = graph->order[k];
        if (!s->local[h] || graph->first[h] == graph->first[h + 1])
            continue;
        s->near[h].items = next;
        s->near[h].room = (int)wanted[h];
        next += wanted[h];
    }
    return (int)longest;
}

int rlti_near_prepare(rlti_springs *s) {
    int strands = s->def.particles->strand_count, longest = 0, done = 1;
    long long *wanted = RLTI_NEW(long long, strands);
    if (wanted == NULL)
        return 0;
    see_groom(s);
    for (int k = 0; k < strands && done; k++) /* neighbours after each other: they are in the cache */
        done = reserve_pairs(s, s->def.graph->order[k], wanted);
    if (done)
        longest = share_reserve(s, wanted);
    rlti_free(wanted);
    done = done && longest >= 0;
    for (int t = 0; t < s->def.threads && done; t++)
        done = make_room(&s->workers[t].items, &s->workers[t].room, s->workers[0].room) &&
               make_room(&s->workers[t].spare, &s->workers[t].spare_room, longest);
    return done;
}
