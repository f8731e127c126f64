/* Contacts and links of lumped masses in batches for the sweeps' lanes.
 *
 * Items of a batch share no point, so that they may be solved at once; batches of a task are worked on one
 * after the other. An item goes into the first open batch after all that have one of its points: what
 * shares points keeps its order, so the result is that of items one by one, whatever the width of lanes.
 *
 * A task is swept over as often as wanted while what it needs is in the cache. So it has points of its own,
 * its members: those that its items meet, in the order of slots, that the two points of an edge stay
 * neighbours. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/memory.h"
#include "contact/couple/couple_data.h"

enum { ORDERS = 512 };

void rlti_couple_set_plain(rlti_couple *couple) {
    couple->plain = 1;
}

/* ---- memory ---- */

static int words_of(const rlti_couple *couple) {
    return couple->slots.object != NULL ? couple->slots.object[couple->object_count] : 0;
}

/* Slots of all points, once objects know their words. */
static void fill_slots(const rlti_couple *couple, int *taken) {
    const rlti_couple_slots *slots = &couple->slots;
    for (int o = 0; o < couple->object_count; o++)
        taken[o] = 64 * slots->object[o];
    for (int s = 0; s < couple->strand_count; s++) {
        slots->strand[s] = taken[couple->object[s]];
        for (int p = couple->first[s]; p < couple->first[s + 1]; p++)
            slots->point[taken[couple->object[s]]++] = p;
    }
}

static int make_slots(rlti_couple *couple) {
    rlti_couple_slots *slots = &couple->slots;
    int objects = couple->object_count;
    if (!RLTI_ALLOCATE(RLTI_ITEMS(slots->strand, couple->strand_count),
                       RLTI_ITEMS(slots->object, (size_t)objects + 1)))
        return 0;
    for (int s = 0; s < couple->strand_count; s++)
        slots->object[couple->object[s] + 1] += couple->first[s + 1] - couple->first[s];
    for (int o = 0; o < objects; o++)
        slots->object[o + 1] = slots->object[o] + (slots->object[o + 1] + 63) / 64;
    size_t words = (size_t)slots->object[objects];
    if (!RLTI_ALLOCATE(RLTI_ITEMS(slots->point, 64 * words), RLTI_ITEMS(slots->rank, 64 * words),
                       RLTI_ITEMS(slots->marks, words)))
        return 0;
    fill_slots(couple, couple->bucket);
    return 1;
}

static void free_slots(rlti_couple_slots *slots) {
    RLTI_FREE(slots->strand, slots->object, slots->point, slots->rank, slots->marks);
    *slots = (rlti_couple_slots){0};
}

static int allocate(rlti_couple *couple) {
    if (couple->kernel != NULL)
        return 1;
    couple->share = RLTI_NEW(int, couple->point_count);
    couple->rows = rlti_allocate((size_t)couple->point_count, couple->form->row);
    if (couple->share != NULL && couple->rows != NULL && make_slots(couple)) {
        couple->kernel = couple->form->kernel(couple->plain);
        return 1;
    }
    RLTI_FREE(couple->share, couple->rows);
    couple->share = NULL;
    couple->rows = NULL;
    free_slots(&couple->slots);
    return 0;
}

/* Memory for so many batches, aligned to lanes; what was there is gone. */
static int reserve_batches(void **batches, size_t size, int count, int *capacity) {
    if (count <= *capacity)
        return 1;
    rlti_free(*batches);
    *capacity = count + count / 8 + 16;
    *batches = rlti_allocate((size_t)*capacity, size);
    *capacity = *batches != NULL ? *capacity : 0;
    return *batches != NULL;
}

/* Memory of workers: rows of a task's points, with one more edge that is nowhere, and forces on them. */
static int reserve_scratch(rlti_couple *couple, int threads) {
    size_t points = (size_t)couple->most_members + 2,
           each = rlti_cache_lines(points * (couple->form->row + sizeof(rlti_vec3)));
    if (each * (size_t)threads > couple->scratch_capacity) {
        rlti_free(couple->scratch);
        couple->scratch_capacity = (each + each / 4) * (size_t)threads;
        couple->scratch = rlti_allocate(couple->scratch_capacity, 1);
        couple->scratch_capacity = couple->scratch != NULL ? couple->scratch_capacity : 0;
    }
    couple->scratch_bytes = each;
    return couple->scratch != NULL;
}

size_t rlti_couple_batch_bytes(const rlti_couple *couple) {
    const rlti_couple_form *form = couple->form;
    size_t points = couple->kernel != NULL ? (size_t)couple->point_count : 0,
           words = (size_t)words_of(couple);
    if (form == NULL)
        return 0;
    return points * form->row +
           (points + words * (2 * 64 + sizeof(uint64_t) / sizeof(int)) + (size_t)couple->strand_count +
            (size_t)couple->object_count) *
               sizeof(int) +
           (size_t)couple->lump_capacity * form->lumps + (size_t)couple->carried_capacity * form->carried +
           (size_t)couple->part_capacity * sizeof(rlti_couple_result) + couple->scratch_capacity +
           (size_t)(couple->link_capacity + couple->link_slot_capacity) * sizeof *couple->link_points +
           (size_t)couple->link_pair_capacity * sizeof(int) +
           (couple->linked != NULL ? (size_t)couple->strand_count : 0) +
           (size_t)couple->springs_capacity * form->springs +
           (size_t)couple->carried_links_capacity * form->carried_links +
           rlti_couple_plan_bytes(&couple->link_plan);
}

void rlti_couple_free_batches(rlti_couple *couple) {
    free_slots(&couple->slots);
    RLTI_FREE(couple->share, couple->rows, couple->lumps, couple->carried, couple->parts, couple->scratch,
              couple->link_points, couple->link_slots, couple->link_pairs, couple->linked,
              couple->link_batches, couple->carried_links);
    rlti_couple_plan_free(&couple->link_plan);
}

void rlti_couple_set_form(rlti_couple *couple, const rlti_couple_form *form) {
    if (couple->form == form)
        return;
    rlti_couple_free_batches(couple);
    couple->form = form;
    couple->kernel = couple->rows = couple->lumps = couple->carried = couple->link_batches =
        couple->carried_links = NULL;
    couple->parts = NULL;
    couple->share = couple->link_pairs = NULL;
    couple->scratch = NULL;
    couple->link_points = couple->link_slots = NULL;
    couple->linked = NULL;
    couple->lump_capacity = couple->carried_capacity = couple->part_capacity = couple->link_capacity = 0;
    couple->springs_capacity = couple->carried_links_capacity = couple->link_count = 0;
    couple->link_slot_capacity = couple->link_pair_capacity = 0;
    couple->scratch_capacity = 0;
}

/* ---- order ---- */

/* Where a contact stands in the rounds of its task: the k-th contacts of all even edges, then of all odd
 * ones. Those that are likely to stay open come after the others, so that whole batches of them are passed
 * over. Links are in an order of their own. */
static int round_of(const rlti_couple_brief *contact, int rank) {
    int round = 2 * rank + contact->odd, half = ORDERS / 2;
    return (round < half ? round : half - 1) + (contact->closed ? 0 : half);
}

/* Points of a link. */
static void points_of(const rlti_couple *couple, const rlti_couple_link *link, int points[2]) {
    for (int side = 0; side < 2; side++)
        points[side] = couple->first[link->strand[side]] + link->point[side];
}

/* Puts a task's contacts, which are sorted by first strands and edges, in the order of rounds: so that items
 * that follow each other rarely share a point. Their points are counted within the task. */
static void order_task(const rlti_couple_slots *slots, rlti_couple_plan *plan, const rlti_couple_task *task) {
    int first[ORDERS] = {0}, rank = 0, before = -1, *list = plan->list + task->first,
        *sorted = plan->place + task->first, *round = plan->filled + task->first; /* not in use yet */
    for (int k = 0; k < task->count; k++) {
        const rlti_couple_brief *brief = &plan->briefs[list[k]];
        rank = brief->slot[0] == before ? rank + 1 : 0;
        before = brief->slot[0];
        round[k] = round_of(brief, rank);
        first[round[k]]++;
    }
    for (int o = 0, sum = 0; o < ORDERS; o++) { /* counts become starts */
        int here = first[o];
        first[o] = sum;
        sum += here;
    }
    for (int k = 0; k < task->count; k++) {
        int place = first[round[k]]++, *points = plan->points[task->first + place];
        const int *slot = plan->briefs[list[k]].slot;
        sorted[place] = list[k];
        points[0] = slots->rank[slot[0]];
        points[1] = slot[1] >= 0 ? slots->rank[slot[1]] : -1;
    }
    memcpy(list, sorted, (size_t)task->count * sizeof *list);
}

/* ---- batches ---- */

/* The first batch from this one on that is not full; `open` leads there, by shorter ways each time. */
static int find_open(int *open, int batch) {
    while (open[batch] != batch)
        batch = open[batch] = open[open[batch]];
    return batch;
}

/* Batches and lanes of a task's items, whose points are known. `last` has -1 for each of these, and then its
 * last batch; `edge`: items have two points on a side, 0: one. */
static void place_items(rlti_couple_plan *plan, rlti_couple_task *task, int size, int edge, int *last) {
    int *open = plan->open + task->first, *filled = plan->filled + task->first;
    const int(*points)[2] = (const int(*)[2])plan->points + task->first;
    for (int k = 0; k < task->count; k++) {
        open[k] = k;
        filled[k] = 0;
    }
    task->batches = 0;
    for (int k = 0; k < task->count; k++) {
        int after = -1;
        for (int side = 0; side < 2 && points[k][side] >= 0; side++) {
            const int *at = last + points[k][side];
            after = at[0] > after ? at[0] : after;
            after = at[edge] > after ? at[edge] : after;
        }
        int batch = find_open(open, after + 1);
        for (int side = 0; side < 2 && points[k][side] >= 0; side++)
            last[points[k][side]] = last[points[k][side] + edge] = batch;
        plan->place[task->first + k] = batch * size + filled[batch]++;
        if (filled[batch] == size && batch + 1 < task->count)
            open[batch] = batch + 1;
        task->batches = batch + 1 > task->batches ? batch + 1 : task->batches;
    }
}

/* Memory for places of so many items. */
static int reserve_places(rlti_couple_plan *plan, int count) {
    int most = count + count / 4 + 64, capacity[3];
    capacity[0] = capacity[1] = capacity[2] = plan->place_capacity;
    return count <= plan->place_capacity || (RLTI_LIST_RESERVE(plan->place, 0, most, capacity[0]) &&
                                             RLTI_LIST_RESERVE(plan->open, 0, most, capacity[1]) &&
                                             RLTI_LIST_RESERVE(plan->points, 0, most, capacity[2]) &&
                                             RLTI_LIST_RESERVE(plan->filled, 0, most, plan->place_capacity));
}

/* Where the batches of each task begin. */
static void number_batches(rlti_couple_plan *plan) {
    plan->batch_count = 0;
    for (int t = 0; t < plan->task_count; t++) {
        plan->tasks[t].batch = plan->batch_count;
        plan->batch_count += plan->tasks[t].batches;
    }
}

/* ---- members ---- */

static void mark(const rlti_couple_slots *slots, int slot) {
    slots->marks[slot / 64] |= (uint64_t)1 << (slot % 64);
}

/* Slots of a task's links, of both sides. */
static const int *link_slots(const rlti_couple *couple, const rlti_couple_task *task, int *count) {
    const rlti_couple_task *links = &couple->link_plan.tasks[task->link];
    *count = 2 * links->batches * couple->form->batch;
    return couple->link_slots[links->batch * couple->form->batch];
}

static void mark_task(const rlti_couple *couple, const rlti_couple_plan *plan, const rlti_couple_task *task) {
    const rlti_couple_slots *slots = &couple->slots;
    for (int side = 0; side < 2; side++) {
        int first = slots->object[task->object[side]], end = slots->object[task->object[side] + 1];
        memset(slots->marks + first, 0, (size_t)(end - first) * sizeof *slots->marks);
    }
    for (int k = task->first; k < task->first + task->count; k++) {
        const int *slot = plan->briefs[plan->list[k]].slot;
        for (int side = 0; side < 2 && slot[side] >= 0; side++) {
            mark(slots, slot[side]);
            mark(slots, slot[side] + 1);
        }
    }
    if (task->link < 0)
        return;
    int count;
    const int *slot = link_slots(couple, task, &count);
    for (int k = 0; k < count; k++)
        if (slot[k] >= 0)
            mark(slots, slot[k]);
}

/* Lists the points that are marked, and counts the task in them. */
static void list_members(const rlti_couple *couple, rlti_couple_plan *plan, rlti_couple_task *task) {
    const rlti_couple_slots *slots = &couple->slots;
    rlti_couple_member *members = plan->members + task->member;
    int count = 0, sides = task->object[0] != task->object[1] ? 2 : 1;
    for (int side = 0; side < sides; side++)
        for (int w = slots->object[task->object[side]]; w < slots->object[task->object[side] + 1]; w++) {
            for (uint64_t bits = slots->marks[w]; bits != 0; bits &= bits - 1u) {
                int slot = 64 * w + __builtin_ctzll(bits), point = slots->point[slot];
                slots->rank[slot] = count;
                members[count++] = (rlti_couple_member){.point = point, .before = couple->share[point]++};
            }
        }
    task->members = count;
}

/* Points of a task's links, counted within the task. */
static void number_links(const rlti_couple *couple, const rlti_couple_task *task) {
    int count, *points;
    const int *slot = link_slots(couple, task, &count);
    points = couple->link_plan.points[couple->link_plan.tasks[task->link].batch * couple->form->batch];
    for (int k = 0; k < count; k++)
        points[k] = slot[k] >= 0 ? couple->slots.rank[slot[k]] : task->members;
}

/* Members of a task are no more than its objects have points, and its items. */
static int most_members(const rlti_couple *couple, const rlti_couple_task *task) {
    const int *object = couple->slots.object;
    int points = 64 * (object[task->object[0] + 1] - object[task->object[0]] + object[task->object[1] + 1] -
                       object[task->object[1]]),
        items = 2 * task->links + 4 * task->count;
    return items < points ? items : points;
}

static int reserve_members(rlti_couple *couple, rlti_couple_plan *plan, int threads) {
    long long sum = 0;
    couple->most_members = 0;
    for (int t = 0; t < plan->task_count; t++) {
        int most = rlti_couple_is_near(couple, &plan->tasks[t]) ? most_members(couple, &plan->tasks[t]) : 0;
        plan->tasks[t].member = (int)sum;
        sum += most;
        couple->most_members = most > couple->most_members ? most : couple->most_members;
        if (sum > INT32_MAX / 2)
            return 0;
    }
    return (sum <= plan->member_capacity ||
            RLTI_LIST_RESERVE(plan->members, 0, (int)sum + (int)sum / 4, plan->member_capacity)) &&
           reserve_scratch(couple, threads);
}

/* ---- contacts ---- */

/* Tasks of a pool have no object in common, so points and slots belong to one task at a time. */
static void lay_out_task(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    rlti_couple *couple = w->couple;
    rlti_couple_plan *plan = &couple->plan;
    rlti_couple_task *task = &plan->tasks[w->pool_first + index];
    int *last = (int *)(void *)(couple->scratch + couple->scratch_bytes * (size_t)worker);
    if (!rlti_couple_is_near(couple, task))
        return;
    mark_task(couple, plan, task);
    list_members(couple, plan, task);
    if (!rlti_couple_is_mine(couple, task))
        return;
    if (task->link >= 0)
        number_links(couple, task);
    if (task->count == 0)
        return;
    order_task(&couple->slots, plan, task);
    for (int k = 0; k < task->members; k++)
        last[k] = -1;
    place_items(plan, task, couple->form->batch, 1, last);
}

static int lay_out_contacts(rlti_couple_work *w, rlti_pool *pool) {
    rlti_couple *couple = w->couple;
    rlti_couple_plan *plan = &couple->plan;
    const rlti_couple_items contacts = {w->items.contacts, w->items.contact_count, NULL, 0};
    int count = contacts.contact_count;
    memset(couple->share, 0, (size_t)couple->point_count * sizeof *couple->share);
    if ((count > plan->brief_capacity &&
         !RLTI_LIST_RESERVE(plan->briefs, 0, count + count / 4 + 64, plan->brief_capacity)) ||
        !rlti_couple_schedule(couple, pool, plan, &contacts, w->settings->warm, &couple->link_plan))
        return 0;
    rlti_couple_assign(couple);
    if (!reserve_places(plan, count) || !reserve_members(couple, plan, rlti_pool_threads(pool)))
        return 0;
    for (int p = 0; p < plan->pool_count; p++) {
        w->pool_first = plan->pool_first[p];
        rlti_pool_for_from(pool, w->pool_first, plan->pool_first[p + 1] - w->pool_first, lay_out_task, w);
    }
    number_batches(plan);
    return reserve_batches(&couple->lumps, couple->form->lumps, plan->batch_count, &couple->lump_capacity) &&
           (!w->settings->accelerate || reserve_batches(&couple->carried, couple->form->carried,
                                                        plan->batch_count, &couple->carried_capacity)) &&
           RLTI_LIST_RESERVE(couple->parts, 0, plan->task_count, couple->part_capacity) &&
           rlti_couple_plan_hands(couple);
}

/* ---- links ---- */

/* Whether the plan is for these links. */
static int is_planned(const rlti_couple *couple, const rlti_couple_items *items) {
    int points[2];
    if (couple->link_count != items->link_count)
        return 0;
    for (int k = 0; k < items->link_count; k++) {
        points_of(couple, &items->links[k], points);
        if (points[0] != couple->link_points[k][0] || points[1] != couple->link_points[k][1])
            return 0;
    }
    return 1;
}

/* Batches of all links: points are those of all arrays. */
static void assign_links(rlti_couple *couple, const rlti_couple_link *links) {
    rlti_couple_plan *plan = &couple->link_plan;
    for (int t = 0; t < plan->task_count; t++) {
        rlti_couple_task *task = &plan->tasks[t];
        for (int k = task->first; k < task->first + task->count; k++) {
            points_of(couple, &links[plan->list[k]], plan->points[k]);
            couple->share[plan->points[k][0]] = couple->share[plan->points[k][1]] = -1;
        }
        place_items(plan, task, couple->form->batch, 0, couple->share);
    }
    number_batches(plan);
}

static int compare_keys(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Tasks of links, ascending by their objects: a key holds a task as it holds an item. */
static void sort_pairs(rlti_couple *couple) {
    const rlti_couple_plan *plan = &couple->link_plan;
    for (int t = 0; t < plan->task_count; t++)
        plan->keys[t] = ((uint64_t)plan->tasks[t].object[0] << RLTI_COUPLE_OBJECT_BITS |
                         (uint64_t)plan->tasks[t].object[1])
                            << RLTI_COUPLE_ITEM_BITS |
                        (uint64_t)t;
    qsort(plan->keys, (size_t)plan->task_count, sizeof *plan->keys, compare_keys);
    for (int t = 0; t < plan->task_count; t++)
        couple->link_pairs[t] = rlti_couple_item(plan->keys[t]);
}

/* Slots of links in the order of batches. */
static void fill_link_slots(const rlti_couple *couple, const rlti_couple_link *links) {
    const rlti_couple_plan *plan = &couple->link_plan;
    int size = couple->form->batch;
    for (int k = 0; k < plan->batch_count * size; k++)
        couple->link_slots[k][0] = couple->link_slots[k][1] = -1;
    for (int t = 0; t < plan->task_count; t++) {
        const rlti_couple_task *task = &plan->tasks[t];
        for (int k = task->first; k < task->first + task->count; k++) {
            const rlti_couple_link *link = &links[plan->list[k]];
            for (int side = 0; side < 2; side++)
                couple->link_slots[task->batch * size + plan->place[k]][side] =
                    couple->slots.strand[link->strand[side]] + link->point[side];
        }
    }
}

static int plan_links(rlti_couple_work *w, rlti_pool *pool) {
    rlti_couple *couple = w->couple;
    rlti_couple_plan *plan = &couple->link_plan;
    const rlti_couple_items links = {NULL, 0, w->items.links, w->items.link_count};
    int count = links.link_count;
    if (is_planned(couple, &links))
        return 1;
    if (couple->linked == NULL && (couple->linked = RLTI_NEW(unsigned char, couple->strand_count)) == NULL)
        return 0;
    memset(couple->linked, 0, (size_t)couple->strand_count);
    couple->link_count = plan->task_count = plan->pool_count = plan->batch_count = 0;
    if (count == 0)
        return 1;
    if (!RLTI_LIST_RESERVE(couple->link_points, 0, count, couple->link_capacity) ||
        !rlti_couple_schedule(couple, pool, plan, &links, 0, NULL) || !reserve_places(plan, count) ||
        !RLTI_LIST_RESERVE(couple->link_pairs, 0, plan->task_count, couple->link_pair_capacity))
        return 0;
    assign_links(couple, links.links);
    int lanes = plan->batch_count * couple->form->batch;
    if (!reserve_places(plan, lanes) ||
        !RLTI_LIST_RESERVE(couple->link_slots, 0, lanes, couple->link_slot_capacity) ||
        !reserve_batches(&couple->link_batches, couple->form->springs, plan->batch_count,
                         &couple->springs_capacity))
        return 0;
    for (int k = 0; k < count; k++) {
        points_of(couple, &links.links[k], couple->link_points[k]);
        couple->linked[links.links[k].strand[0]] = couple->linked[links.links[k].strand[1]] = 1;
    }
    sort_pairs(couple);
    fill_link_slots(couple, links.links);
    couple->form->place_links(couple);
    couple->link_count = count;
    return 1;
}

int rlti_couple_lay_out(rlti_couple_work *w, rlti_pool *pool) {
    rlti_couple *couple = w->couple;
    if (!allocate(couple) || !plan_links(w, pool) ||
        (w->settings->accelerate &&
         !reserve_batches(&couple->carried_links, couple->form->carried_links, couple->link_plan.batch_count,
                          &couple->carried_links_capacity)))
        return 0;
    for (int k = 0; k < couple->strand_count; k++)
        couple->strand_first[k] = couple->linked != NULL && couple->linked[k];
    if (!lay_out_contacts(w, pool))
        return 0;
    couple->touched_count = 0;
    for (int k = 0; k < couple->strand_count; k++)
        if (couple->strand_first[k])
            couple->touched[couple->touched_count++] = k;
    return 1;
}
