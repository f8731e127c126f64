/* Contacts and links of lumped masses in batches for the sweeps' lanes.
 *
 * Items of a batch share no point, so that they may be solved at once; batches of a task are worked on one
 * after the other. An item goes into the first open batch after all that have one of its points: what
 * shares points keeps its order, so the result is that of items one by one, whatever the width of lanes. */
#include <math.h>
#include <string.h>

#include "base/list.h"
#include "base/memory.h"
#include "contact/best_build.h"
#include "contact/couple/couple_data.h"

enum { BATCH = RLTI_COUPLE_BATCH, ORDERS = 512, AHEAD = 12 };

void rlti_couple_set_plain(rlti_couple *couple) {
    couple->plain = 1;
}

/* ---- memory ---- */

static int allocate(rlti_couple *couple) {
    size_t points = (size_t)couple->point_count;
    if (couple->kernel != NULL)
        return 1;
    if (RLTI_ALLOCATE(RLTI_ITEMS(couple->rows, points + 2), RLTI_ITEMS(couple->old, points + 2),
                      RLTI_ITEMS(couple->share, points))) {
        couple->kernel = couple->plain ? &rlti_couple_kernel_portable : RLTI_BEST_BUILD(rlti_couple_kernel);
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
    size_t points = couple->kernel != NULL ? (size_t)couple->point_count : 0;
    return points * (2 * sizeof(rlti_couple_row) + (couple->link_share != NULL ? 2 : 1) * sizeof(int)) +
           (size_t)couple->lump_capacity * sizeof(rlti_couple_lumps) +
           (size_t)couple->carried_capacity * sizeof(rlti_couple_carried) +
           (size_t)couple->part_capacity * sizeof(rlti_couple_result) +
           (size_t)couple->link_capacity * sizeof *couple->link_points +
           (couple->linked != NULL ? (size_t)couple->strand_count : 0) +
           (size_t)couple->springs_capacity * sizeof(rlti_couple_springs) +
           (size_t)couple->carried_links_capacity * sizeof(rlti_couple_carried_links) +
           rlti_couple_plan_bytes(&couple->link_plan);
}

void rlti_couple_free_batches(rlti_couple *couple) {
    RLTI_FREE(couple->rows, couple->old, couple->share, couple->link_share, couple->lumps, couple->carried,
              couple->parts, couple->link_points, couple->linked, couple->link_batches,
              couple->carried_links);
    rlti_couple_plan_free(&couple->link_plan);
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
        plan->place[task->first + k] = batch * BATCH + filled[batch]++;
        if (filled[batch] == BATCH && batch + 1 < task->count)
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

static void clear_contacts(const rlti_couple *couple, rlti_couple_lumps *batch) {
    memset(batch, 0, sizeof *batch);
    for (int k = 0; k < BATCH; k++) {
        batch->item[k] = -1;
        batch->point[0][k] = batch->point[1][k] = couple->point_count;
    }
}

/* Contacts of a task lie scattered in the list: asks for one that is needed soon. */
static void fetch_contact(const rlti_couple_contact *contact) {
    const char *at = (const char *)contact;
    for (size_t byte = 0; byte < sizeof *contact; byte += 64)
        __builtin_prefetch(at + byte);
}

/* A contact without a force, and open, is not looked at again as long as it stays so. */
static void begin_contact(rlti_couple_contact *c, int warm) {
    if (!warm && (c->force.x != 0.0 || c->force.y != 0.0 || c->force.z != 0.0))
        c->force = rlti_v3(0, 0, 0);
    if (c->state != RLTI_CONTACT_OPEN)
        c->state = RLTI_CONTACT_OPEN;
}

static void put_contact(const rlti_couple_work *w, int item, rlti_couple_lumps *to, int lane) {
    const rlti_couple_contact *c = &w->items.contacts[item];
    const double holds = fmax(c->friction[0], 0.0);
    const rlti_vec3 r = c->force;
    int hair = c->strand[1] >= 0;
    const double normal[3] = {c->normal.x, c->normal.y, c->normal.z},
                 slip[3] = {c->slip.x, c->slip.y, c->slip.z},
                 force[3] = {r.x + 0.0, r.y + 0.0, r.z + 0.0}; /* no force has one sign, as sweeps have it */
    for (int i = 0; i < 3; i++) {
        to->normal[i][lane] = normal[i];
        to->slip[i][lane] = slip[i];
        to->r[i][lane] = force[i];
    }
    to->gap[lane] = c->gap;
    to->share[0][lane] = c->share[0];
    to->share[1][lane] = hair ? c->share[1] : 0.0;
    to->friction[0][lane] = holds;
    to->friction[1][lane] = fmin(fmax(c->friction[1], 0.0), holds);
    to->most[lane] = c->most > 0.0 ? c->most : HUGE_VAL;
    to->point[0][lane] = w->couple->first[c->strand[0]] + c->edge[0];
    if (hair)
        to->point[1][lane] = w->couple->first[c->strand[1]] + c->edge[1];
    to->item[lane] = item;
    to->used = (uint8_t)(to->used | 1u << lane);
    to->hair = (uint8_t)(to->hair | (unsigned)hair << lane);
    to->forces = (uint8_t)(to->forces | (unsigned)(r.x != 0.0 || r.y != 0.0 || r.z != 0.0) << lane);
}

/* Counts the contacts between objects that meet each point. */
static void share_points(rlti_couple *couple, const rlti_couple_lumps *l) {
    for (int k = 0; k < BATCH; k++)
        for (int side = 0; side < 2 && (l->used >> k & 1); side++) {
            if (side == 1 && !(l->hair >> k & 1))
                continue;
            couple->share[l->point[side][k]] += l->share[side][k] != 1.0;
            couple->share[l->point[side][k] + 1] += l->share[side][k] != 0.0;
        }
}

/* By pools: tasks share no point. */
static void place_task(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    rlti_couple *couple = w->couple;
    const rlti_couple_task *task = &couple->plan.tasks[w->pool_first + index];
    rlti_couple_lumps *batches = couple->lumps + task->batch;
    (void)worker;
    for (int k = 0; k < task->batches; k++)
        clear_contacts(couple, &batches[k]);
    for (int k = 0; k < task->count; k++) {
        int place = couple->plan.place[task->first + k];
        if (k + AHEAD < task->count)
            fetch_contact(&w->items.contacts[couple->plan.list[task->first + k + AHEAD]]);
        int item = couple->plan.list[task->first + k], other = w->items.contacts[item].strand[1];
        begin_contact(&w->items.contacts[item], w->settings->warm);
        put_contact(w, item, &batches[place / BATCH], place % BATCH);
        couple->strand_first[w->items.contacts[item].strand[0]] = 1;
        if (other >= 0)
            couple->strand_first[other] = 1;
    }
    for (int k = 0; k < task->batches && task->object[0] != task->object[1]; k++)
        share_points(couple, &batches[k]);
    if (!w->settings->accelerate)
        return;
    for (int k = 0; k < task->batches; k++) {
        memcpy(couple->carried[task->batch + k].base, batches[k].r, sizeof batches[k].r);
        memcpy(couple->carried[task->batch + k].last, batches[k].r, sizeof batches[k].r);
    }
}

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
        !reserve_batches((void **)&couple->lumps, sizeof *couple->lumps, couple->plan.batch_count,
                         &couple->lump_capacity) ||
        (w->settings->accelerate && !reserve_batches((void **)&couple->carried, sizeof *couple->carried,
                                                     couple->plan.batch_count, &couple->carried_capacity)))
        return 0;
    begin_shares(couple);
    for (int p = 0; p < couple->plan.pool_count; p++) {
        w->pool_first = couple->plan.pool_first[p];
        rlti_pool_for(pool, couple->plan.pool_first[p + 1] - w->pool_first, place_task, w);
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

/* Where links are in their batches, and how many between objects meet each point. */
static void plan_places(rlti_couple *couple) {
    const rlti_couple_plan *plan = &couple->link_plan;
    memset(couple->link_share, 0, (size_t)couple->point_count * sizeof *couple->link_share);
    for (int k = 0; k < plan->batch_count; k++) {
        rlti_couple_springs *batch = &couple->link_batches[k];
        memset(batch, 0, sizeof *batch);
        for (int i = 0; i < BATCH; i++) {
            batch->item[i] = -1;
            batch->point[0][i] = batch->point[1][i] = couple->point_count;
        }
    }
    for (int t = 0; t < plan->task_count; t++) {
        const rlti_couple_task *task = &plan->tasks[t];
        for (int k = task->first; k < task->first + task->count; k++) {
            rlti_couple_springs *batch = &couple->link_batches[task->batch + plan->place[k] / BATCH];
            int lane = plan->place[k] % BATCH, link = plan->list[k];
            batch->item[lane] = link;
            batch->used = (uint8_t)(batch->used | 1u << lane);
            for (int side = 0; side < 2; side++) {
                batch->point[side][lane] = couple->link_points[link][side];
                couple->link_share[couple->link_points[link][side]] += task->object[0] != task->object[1];
            }
        }
    }
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
         !reserve_batches((void **)&couple->link_batches, sizeof *couple->link_batches,
                          couple->link_plan.batch_count, &couple->springs_capacity)))
        return 0;
    for (int k = 0; k < w->items.link_count; k++) {
        points_of(couple, &w->items.links[k], couple->link_points[k]);
        couple->linked[w->items.links[k].strand[0]] = couple->linked[w->items.links[k].strand[1]] = 1;
    }
    plan_places(couple);
    couple->link_count = w->items.link_count;
    return 1;
}

int rlti_couple_lay_out(rlti_couple_work *w, rlti_pool *pool) {
    rlti_couple *couple = w->couple;
    if (!allocate(couple) || !plan_links(w, pool) ||
        (w->settings->accelerate &&
         !reserve_batches((void **)&couple->carried_links, sizeof *couple->carried_links,
                          couple->link_plan.batch_count, &couple->carried_links_capacity)))
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
