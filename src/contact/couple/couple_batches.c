/* Contacts and links of lumped masses in batches for the sweeps' lanes.
 *
 * Items of a batch share no point, so that they may be solved at once; batches of a task are worked on one
 * after the other. An item goes into the first open batch after all that have one of its points: what
 * shares points keeps its order, so the result is that of items one by one, whatever the width of lanes. */
#include <math.h>
#include <string.h>

#include "base/list.h"
#include "base/memory.h"
#include "contact/couple/couple_data.h"

enum { ORDERS = 512 };

void rlti_couple_set_plain(rlti_couple *couple) {
    couple->plain = 1;
}

/* ---- memory ---- */

static int allocate(rlti_couple *couple) {
    size_t points = (size_t)couple->point_count;
    if (couple->kernel != NULL)
        return 1;
    couple->rows = rlti_allocate(points + 2, couple->form->row);
    couple->old = rlti_allocate(points + 2, couple->form->row);
    couple->share = RLTI_NEW(int, points);
    if (couple->rows != NULL && couple->old != NULL && couple->share != NULL) {
        couple->kernel = couple->form->kernel(couple->plain);
        return 1;
    }
    RLTI_FREE(couple->rows, couple->old, couple->share);
    couple->rows = couple->old = NULL;
    couple->share = NULL;
    return 0;
}

/* The same for links. */
static int allocate_links(rlti_couple *couple) {
    if (couple->linked != NULL || RLTI_ALLOCATE(RLTI_ITEMS(couple->link_share, couple->point_count),
                                                RLTI_ITEMS(couple->linked, couple->strand_count)))
        return 1;
    RLTI_FREE(couple->link_share, couple->linked);
    couple->link_share = NULL;
    couple->linked = NULL;
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

size_t rlti_couple_batch_bytes(const rlti_couple *couple) {
    const rlti_couple_form *form = couple->form;
    size_t points = couple->kernel != NULL ? (size_t)couple->point_count : 0;
    if (form == NULL)
        return 0;
    return points * (2 * form->row + (couple->link_share != NULL ? 2 : 1) * sizeof(int)) +
           (size_t)couple->lump_capacity * form->lumps + (size_t)couple->carried_capacity * form->carried +
           (size_t)couple->part_capacity * sizeof(rlti_couple_result) +
           (size_t)couple->link_capacity * sizeof *couple->link_points +
           (couple->linked != NULL ? (size_t)couple->strand_count : 0) +
           (size_t)couple->springs_capacity * form->springs +
           (size_t)couple->carried_links_capacity * form->carried_links +
           rlti_couple_plan_bytes(&couple->link_plan);
}

void rlti_couple_free_batches(rlti_couple *couple) {
    RLTI_FREE(couple->rows, couple->old, couple->share, couple->link_share, couple->lumps, couple->carried,
              couple->parts, couple->link_points, couple->linked, couple->link_batches,
              couple->carried_links);
    rlti_couple_plan_free(&couple->link_plan);
}

void rlti_couple_set_form(rlti_couple *couple, const rlti_couple_form *form) {
    if (couple->form == form)
        return;
    rlti_couple_free_batches(couple);
    couple->form = form;
    couple->kernel = couple->rows = couple->old = couple->lumps = couple->carried = NULL;
    couple->link_batches = couple->carried_links = NULL;
    couple->parts = NULL;
    couple->share = couple->link_share = NULL;
    couple->link_points = NULL;
    couple->linked = NULL;
    couple->lump_capacity = couple->carried_capacity = couple->part_capacity = couple->link_capacity = 0;
    couple->springs_capacity = couple->carried_links_capacity = couple->link_count = 0;
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
 * that follow each other rarely share a point. */
static void order_task(rlti_couple_plan *plan, const rlti_couple_task *task) {
    int first[ORDERS] = {0}, rank = 0, before = -1, *list = plan->list + task->first,
        *sorted = plan->place + task->first, *round = plan->filled + task->first; /* not in use yet */
    for (int k = 0; k < task->count; k++) {
        const rlti_couple_brief *brief = &plan->briefs[list[k]];
        rank = brief->point[0] == before ? rank + 1 : 0;
        before = brief->point[0];
        round[k] = round_of(brief, rank);
        first[round[k]]++;
    }
    for (int o = 0, sum = 0; o < ORDERS; o++) { /* counts become starts */
        int here = first[o];
        first[o] = sum;
        sum += here;
    }
    for (int k = 0; k < task->count; k++) {
        int place = first[round[k]]++;
        sorted[place] = list[k];
        memcpy(plan->points[task->first + place], plan->briefs[list[k]].point, sizeof plan->points[0]);
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

/* One solution's items of one kind. */
typedef struct layout {
    rlti_couple *couple;
    rlti_couple_plan *plan;
    rlti_couple_items items; /* of that kind only */
    int pool_first;          /* of the present pool */
} layout;

/* Tasks of a pool have no object in common, so points know the batches of one task at a time. */
static void assign_task(void *context, int index, int worker) {
    const layout *l = context;
    rlti_couple_plan *plan = l->plan;
    rlti_couple_task *task = &plan->tasks[l->pool_first + index];
    int *last = l->couple->share, *open = plan->open + task->first, *filled = plan->filled + task->first,
        size = l->couple->form->batch,
        edge = l->items.contact_count > 0; /* items have two points on a side, or one */
    const int(*points)[2] = (const int(*)[2])plan->points + task->first;
    (void)worker;
    if (edge)
        order_task(plan, task);
    for (int k = 0; k < task->count && !edge; k++)
        points_of(l->couple, &l->items.links[plan->list[task->first + k]], plan->points[task->first + k]);
    for (int k = 0; k < task->count; k++) {
        for (int side = 0; side < 2 && points[k][side] >= 0; side++)
            last[points[k][side]] = last[points[k][side] + edge] = -1;
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

/* Places of all items, and how many batches there are. */
static int assign(layout *l, rlti_pool *pool) {
    rlti_couple_plan *plan = l->plan;
    int count = rlti_couple_count(&l->items), capacity[3], most = count + count / 4 + 64;
    capacity[0] = capacity[1] = capacity[2] = plan->place_capacity;
    if (count > plan->place_capacity && !(RLTI_LIST_RESERVE(plan->place, 0, most, capacity[0]) &&
                                          RLTI_LIST_RESERVE(plan->open, 0, most, capacity[1]) &&
                                          RLTI_LIST_RESERVE(plan->points, 0, most, capacity[2]) &&
                                          RLTI_LIST_RESERVE(plan->filled, 0, most, plan->place_capacity)))
        return 0;
    for (int p = 0; p < plan->pool_count; p++) {
        l->pool_first = plan->pool_first[p];
        rlti_pool_for(pool, plan->pool_first[p + 1] - l->pool_first, assign_task, l);
    }
    plan->batch_count = 0;
    for (int t = 0; t < plan->task_count; t++) {
        plan->tasks[t].batch = plan->batch_count;
        plan->batch_count += plan->tasks[t].batches;
    }
    return 1;
}

/* ---- contacts ---- */

/* Counts the links between objects that meet each point, and 1. */
static void begin_shares(const rlti_couple *couple) {
    for (int p = 0; p < couple->point_count; p++)
        couple->share[p] = 1 + (couple->link_share != NULL ? couple->link_share[p] : 0);
}

static int lay_out_contacts(rlti_couple_work *w, rlti_pool *pool) {
    rlti_couple *couple = w->couple;
    layout l = {couple, &couple->plan, {w->items.contacts, w->items.contact_count, NULL, 0}, 0};
    int contacts = w->items.contact_count;
    couple->plan.task_count = couple->plan.pool_count = couple->plan.batch_count = 0;
    begin_shares(couple);
    if (w->items.contact_count == 0)
        return 1;
    if ((contacts > couple->plan.brief_capacity &&
         !RLTI_LIST_RESERVE(couple->plan.briefs, 0, contacts + contacts / 4 + 64,
                            couple->plan.brief_capacity)) ||
        !rlti_couple_schedule(couple, pool, &couple->plan, &l.items, w->settings->warm) ||
        !assign(&l, pool) ||
        !reserve_batches(&couple->lumps, couple->form->lumps, couple->plan.batch_count,
                         &couple->lump_capacity) ||
        (w->settings->accelerate && !reserve_batches(&couple->carried, couple->form->carried,
                                                     couple->plan.batch_count, &couple->carried_capacity)))
        return 0;
    begin_shares(couple);
    for (int p = 0; p < couple->plan.pool_count; p++) {
        w->pool_first = couple->plan.pool_first[p];
        rlti_pool_for(pool, couple->plan.pool_first[p + 1] - w->pool_first, couple->form->place_contacts, w);
    }
    return 1;
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

static int plan_links(rlti_couple_work *w, rlti_pool *pool) {
    rlti_couple *couple = w->couple;
    layout l = {couple, &couple->link_plan, {NULL, 0, w->items.links, w->items.link_count}, 0};
    if (is_planned(couple, &l.items))
        return 1;
    if (!allocate_links(couple))
        return 0;
    memset(couple->linked, 0, (size_t)couple->strand_count);
    couple->link_count = 0;
    couple->link_plan.task_count = couple->link_plan.pool_count = couple->link_plan.batch_count = 0;
    if (w->items.link_count > 0 &&
        (!RLTI_LIST_RESERVE(couple->link_points, 0, w->items.link_count, couple->link_capacity) ||
         !rlti_couple_schedule(couple, pool, &couple->link_plan, &l.items, 0) || !assign(&l, pool) ||
         !reserve_batches(&couple->link_batches, couple->form->springs, couple->link_plan.batch_count,
                          &couple->springs_capacity)))
        return 0;
    for (int k = 0; k < w->items.link_count; k++) {
        points_of(couple, &w->items.links[k], couple->link_points[k]);
        couple->linked[w->items.links[k].strand[0]] = couple->linked[w->items.links[k].strand[1]] = 1;
    }
    couple->form->place_links(couple);
    couple->link_count = w->items.link_count;
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
