/* Forces by lumped masses: the paper's hybrid solver (Algorithm 1, lines 19 to 38). The body of both
 * precisions: define RLTI_COUPLE_SINGLE before for single precision. What strands do, sums of forces and
 * contacts as they are given are double in either; batches, and displacements within sweeps, as chosen.
 *
 * In the local model each point is free with its own mass, so the block of a contact is one number, and the
 * law is solved in world axes without a frame. Sweeps move points by the changes of forces; these
 * displacements over the points' softness are what strands are solved again with, so forces need not be
 * summed over items for every back-solve. Now and then, and before the last one, they are: rounding does not
 * add up.
 *
 * Contacts and links lie in batches that are solved in lanes (couple_batches.c, sweep_body.h): in every sweep
 * all contacts, then all links. */
#include <math.h>
#include <string.h>

#include "base/list.h"
#include "contact/best_build.h"
#include "contact/couple/couple_data.h"
#include "contact/couple/sweep_names_body.h"

enum { BLOCK = 32, AHEAD = 12 }; /* batches a block; contacts that are asked for ahead */

static int blocks_of(int batches) {
    return (batches + BLOCK - 1) / BLOCK;
}

static rlti_vec3 lane3_of(const number (*rows)[BATCH], int k) {
    return rlti_v3(rows[0][k], rows[1][k], rows[2][k]);
}

static lumps *lumps_at(const rlti_couple *couple, int batch) {
    return (lumps *)couple->lumps + batch;
}
static springs *springs_at(const rlti_couple *couple, int batch) {
    return (springs *)couple->link_batches + batch;
}
static carried_lumps *carried_at(const rlti_couple *couple, int batch) {
    return (carried_lumps *)couple->carried + batch;
}
static carried_springs *carried_links_at(const rlti_couple *couple, int batch) {
    return (carried_springs *)couple->carried_links + batch;
}
static const kernel *kernel_of(const rlti_couple *couple) {
    return couple->kernel;
}
static number *row_at(void *rows, int point) {
    return (number *)rows + 4 * (size_t)point;
}

/* Batches of a block, of so many. */
static int size_of_block(int index, int batches) {
    return batches - index * BLOCK < BLOCK ? batches - index * BLOCK : BLOCK;
}

/* ---- filling batches ---- */

static void clear_contacts(const rlti_couple *couple, lumps *batch) {
    memset(batch, 0, sizeof *batch);
    for (int k = 0; k < BATCH; k++) {
        batch->item[k] = -1;
        batch->point[0][k] = batch->point[1][k] = couple->point_count;
    }
}

/* Items of a task lie scattered in the list: asks for one that is needed soon. */
static void fetch(const void *item, size_t size) {
    const char *at = item;
    for (size_t byte = 0; byte < size; byte += 64)
        __builtin_prefetch(at + byte);
}

/* A contact without a force, and open, is not written to as long as it stays so. */
static void begin_contact(rlti_couple_contact *c, int warm) {
    if (!warm && (c->force.x != 0.0 || c->force.y != 0.0 || c->force.z != 0.0))
        c->force = rlti_v3(0, 0, 0);
    if (c->state != RLTI_CONTACT_OPEN)
        c->state = RLTI_CONTACT_OPEN;
}

static void put_contact(const rlti_couple_work *w, int item, lumps *to, int lane) {
    const rlti_couple_contact *c = &w->items.contacts[item];
    const double holds = fmax(c->friction[0], 0.0);
    const rlti_vec3 r = c->force;
    int hair = c->strand[1] >= 0;
    const double normal[3] = {c->normal.x, c->normal.y, c->normal.z},
                 slip[3] = {c->slip.x, c->slip.y, c->slip.z},
                 force[3] = {r.x + 0.0, r.y + 0.0, r.z + 0.0}; /* no force has one sign, as sweeps have it */
    for (int i = 0; i < 3; i++) {
        to->normal[i][lane] = (number)normal[i];
        to->slip[i][lane] = (number)slip[i];
        to->r[i][lane] = (number)force[i];
    }
    to->gap[lane] = (number)c->gap;
    to->share[0][lane] = (number)c->share[0];
    to->share[1][lane] = (number)(hair ? c->share[1] : 0.0);
    to->friction[0][lane] = (number)holds;
    to->friction[1][lane] = (number)fmin(fmax(c->friction[1], 0.0), holds);
    to->most[lane] = (number)(c->most > 0.0 ? c->most : HUGE_VAL);
    to->point[0][lane] = w->couple->first[c->strand[0]] + c->edge[0];
    if (hair)
        to->point[1][lane] = w->couple->first[c->strand[1]] + c->edge[1];
    to->item[lane] = item;
    to->used = (uint16_t)(to->used | 1u << lane);
    to->hair = (uint16_t)(to->hair | (unsigned)hair << lane);
    to->forces = (uint16_t)(to->forces | (unsigned)(r.x != 0.0 || r.y != 0.0 || r.z != 0.0) << lane);
}

/* Counts the contacts between objects that meet each point. */
static void share_points(rlti_couple *couple, const lumps *l) {
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
    lumps *batches = lumps_at(couple, task->batch);
    (void)worker;
    for (int k = 0; k < task->batches; k++)
        clear_contacts(couple, &batches[k]);
    for (int k = 0; k < task->count; k++) {
        int place = couple->plan.place[task->first + k];
        if (k + AHEAD < task->count)
            fetch(&w->items.contacts[couple->plan.list[task->first + k + AHEAD]],
                  sizeof(rlti_couple_contact));
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
        memcpy(carried_at(couple, task->batch + k)->base, batches[k].r, sizeof batches[k].r);
        memcpy(carried_at(couple, task->batch + k)->last, batches[k].r, sizeof batches[k].r);
    }
}

/* Where links are in their batches, and how many between objects meet each point. */
static void plan_places(rlti_couple *couple) {
    const rlti_couple_plan *plan = &couple->link_plan;
    memset(couple->link_share, 0, (size_t)couple->point_count * sizeof *couple->link_share);
    for (int k = 0; k < plan->batch_count; k++) {
        springs *batch = springs_at(couple, k);
        memset(batch, 0, sizeof *batch);
        for (int i = 0; i < BATCH; i++) {
            batch->item[i] = -1;
            batch->point[0][i] = batch->point[1][i] = couple->point_count;
        }
    }
    for (int t = 0; t < plan->task_count; t++) {
        const rlti_couple_task *task = &plan->tasks[t];
        for (int k = task->first; k < task->first + task->count; k++) {
            springs *batch = springs_at(couple, task->batch + plan->place[k] / BATCH);
            int lane = plan->place[k] % BATCH, link = plan->list[k];
            batch->item[lane] = link;
            batch->used = (uint16_t)(batch->used | 1u << lane);
            for (int side = 0; side < 2; side++) {
                batch->point[side][lane] = couple->link_points[link][side];
                couple->link_share[couple->link_points[link][side]] += task->object[0] != task->object[1];
            }
        }
    }
}

/* ---- blocks ---- */

static void block_contacts(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    const rlti_couple *couple = w->couple;
    (void)worker;
    kernel_of(couple)->blocks(lumps_at(couple, index * BLOCK), size_of_block(index, couple->plan.batch_count),
                              couple->old, w->settings->compliance);
}

static void put_link(const rlti_couple_spring *spring, const rlti_couple_memory *memory, springs *l, int k) {
    int both = spring->zero[0] < spring->zero[1];
    for (int i = 0; i < 3; i++)
        l->axis[i][k] = (number)spring->axis[i];
    l->r[k] = (number)spring->r;
    l->model[k] = (number)spring->model;
    for (int i = 0; i < 2; i++) {
        l->slope[i][k] = (number)spring->slope[i];
        l->zero[i][k] = (number)spring->zero[i];
        l->middle[i][k] = (number)(both ? memory->middle[i] : 0.0);
        l->bound[i][k] = (number)(both ? memory->bound[i] : 0.0);
    }
    l->both = (uint16_t)(l->both | (unsigned)both << k);
}

/* A stiffness that is too great for single precision is as good as none that gives way. */
static number stiff(double value) {
    return (number)fmin(value, sizeof(number) < sizeof value ? 1e30 : HUGE_VAL);
}

static void give_link(const rlti_couple_link *link, int warm, given_links *to, int k) {
    to->apart[0][k] = (number)link->apart.x;
    to->apart[1][k] = (number)link->apart.y;
    to->apart[2][k] = (number)link->apart.z;
    to->grown[k] = (number)link->grown;
    to->rest[k] = (number)link->rest;
    to->force[k] = (number)(warm ? link->force : 0.0);
    for (int i = 0; i < 2; i++) {
        to->stiffness[i][k] = stiff(link->stiffness[i]);
        to->damping[i][k] = stiff(link->damping[i]);
    }
}

/* Where both pull and push may act: one by one. */
static void make_both(const rlti_couple_work *w, springs *l) {
    const rlti_couple *couple = w->couple;
    for (unsigned bits = l->both; bits != 0; bits &= bits - 1u) {
        int k = __builtin_ctz(bits);
        rlti_couple_spring spring;
        rlti_couple_memory memory;
        double softness[2];
        for (int side = 0; side < 2; side++)
            softness[side] =
                w->strands->softness[l->point[side][k]] * (double)couple->share[l->point[side][k]];
        rlti_couple_make_link(couple, &w->items.links[l->item[k]], softness, w->settings->warm, &spring,
                              &memory);
        put_link(&spring, &memory, l, k);
    }
}

/* Springs as they begin. */
static void block_links(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    const rlti_couple *couple = w->couple;
    int end = index * BLOCK + size_of_block(index, couple->link_plan.batch_count);
    given_links given = {0};
    (void)worker;
    for (int b = index * BLOCK; b < end; b++) {
        springs *l = springs_at(couple, b);
        for (int k = 0; k < BATCH && b + 1 < end; k++)
            fetch(&w->items.links[l[1].item[k] >= 0 ? l[1].item[k] : 0], sizeof(rlti_couple_link));
        for (int k = 0; k < BATCH; k++)
            if (l->used >> k & 1)
                give_link(&w->items.links[l->item[k]], w->settings->warm, &given, k);
        kernel_of(couple)->make_links(l, &given, couple->old);
        make_both(w, l);
        if (w->settings->accelerate) {
            memcpy(carried_links_at(couple, b)->base, l->r, sizeof l->r);
            memcpy(carried_links_at(couple, b)->last, l->r, sizeof l->r);
        }
    }
}

/* ---- points ---- */

/* Rows of a strand from couple->work. */
static void fill_strand(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    const rlti_couple *couple = w->couple;
    int strand = couple->touched[index];
    (void)worker;
    for (int p = couple->first[strand]; p < couple->first[strand + 1]; p++) {
        number *row = row_at(couple->rows, p);
        row[0] = (number)couple->work[p].x;
        row[1] = (number)couple->work[p].y;
        row[2] = (number)couple->work[p].z;
        row[3] = (number)w->strands->softness[p];
    }
}

/* The same, and what blocks are made of: `old` is not in use yet. */
static void begin_strand(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    const rlti_couple *couple = w->couple;
    int strand = couple->touched[index];
    fill_strand(context, index, worker);
    for (int p = couple->first[strand]; p < couple->first[strand + 1]; p++) {
        row_at(couple->old, p)[0] = (number)w->strands->softness[p];
        row_at(couple->old, p)[1] = (number)couple->share[p];
    }
}

static int prepare(rlti_couple_work *w, rlti_pool *pool) {
    rlti_couple *couple = w->couple;
    if (!rlti_couple_lay_out(w, pool))
        return 0;
    int contacts = blocks_of(couple->plan.batch_count), links = blocks_of(couple->link_plan.batch_count);
    if (!RLTI_LIST_RESERVE(couple->parts, 0, contacts + links, couple->part_capacity))
        return 0;
    rlti_pool_for(pool, couple->touched_count, begin_strand, w);
    rlti_pool_for(pool, contacts, block_contacts, w);
    rlti_pool_for(pool, links, block_links, w);
    return 1;
}

/* ---- sweeps ---- */

static const point_row *seen_by(const rlti_couple *couple, const rlti_couple_task *task) {
    return task->object[0] != task->object[1] ? couple->old : couple->rows;
}

/* Items between objects read where points were when the sweep began. */
static void run_contacts(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    rlti_couple *couple = w->couple;
    const rlti_couple_task *task = &couple->plan.tasks[w->pool_first + index];
    (void)worker;
    couple->plan.off[w->pool_first + index] = sqrt(kernel_of(couple)->contacts(
        lumps_at(couple, task->batch), task->batches, couple->rows, seen_by(couple, task)));
}

static void run_links(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    rlti_couple *couple = w->couple;
    const rlti_couple_task *task = &couple->link_plan.tasks[w->pool_first + index];
    (void)worker;
    couple->link_plan.off[w->pool_first + index] = kernel_of(couple)->links(
        springs_at(couple, task->batch), task->batches, couple->rows, seen_by(couple, task));
}

static void run_pools(rlti_couple_work *w, rlti_pool *pool, const rlti_couple_plan *plan, rlti_task *task) {
    for (int p = 0; p < plan->pool_count; p++) {
        w->pool_first = plan->pool_first[p];
        rlti_pool_for(pool, plan->pool_first[p + 1] - w->pool_first, task, w);
    }
}

static void keep_strand(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    int strand = w->couple->touched[index], from = w->couple->first[strand];
    (void)worker;
    memcpy(row_at(w->couple->old, from), row_at(w->couple->rows, from),
           (size_t)(w->couple->first[strand + 1] - from) * sizeof(point_row));
}

/* Adds the forces that have moved the points of a strand in the sweeps since couple->work. */
static void push_strand(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    const rlti_couple *couple = w->couple;
    int strand = couple->touched[index];
    (void)worker;
    for (int p = couple->first[strand]; p < couple->first[strand + 1]; p++) {
        const number *now = row_at(couple->rows, p);
        const rlti_vec3 *work = &couple->work[p]; /* as rows have rounded it */
        rlti_vec3 moved =
            rlti_v3(now[0] - (number)work->x, now[1] - (number)work->y, now[2] - (number)work->z);
        if (w->strands->softness[p] > 0.0)
            couple->force[p] = rlti_madd(couple->force[p], 1.0 / w->strands->softness[p], moved);
    }
}

/* Returns by how much the largest change of the last sweep has moved its item. */
static double sweep_all(rlti_couple_work *w, rlti_pool *pool) {
    rlti_couple *couple = w->couple;
    double most = 0.0;
    for (int sweep = 0; sweep < w->settings->max_lcp; sweep++) {
        rlti_pool_for(pool, couple->touched_count, keep_strand, w);
        run_pools(w, pool, &couple->plan, run_contacts);
        run_pools(w, pool, &couple->link_plan, run_links);
    }
    rlti_pool_for(pool, couple->touched_count, push_strand, w);
    for (int t = 0; t < couple->plan.task_count; t++)
        most = fmax(most, couple->plan.off[t]);
    for (int t = 0; t < couple->link_plan.task_count; t++)
        most = fmax(most, couple->link_plan.off[t]);
    return most;
}

/* ---- strands ---- */

static void clear_strand(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    int strand = w->couple->touched[index], from = w->couple->first[strand];
    (void)worker;
    memset(w->couple->force + from, 0, (size_t)(w->couple->first[strand + 1] - from) * sizeof(rlti_vec3));
}

static void push_contacts(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    const rlti_couple *couple = w->couple;
    const rlti_couple_task *task = &couple->plan.tasks[w->pool_first + index];
    (void)worker;
    kernel_of(couple)->push_contacts(lumps_at(couple, task->batch), task->batches, couple->force);
}

static void push_links(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    const rlti_couple *couple = w->couple;
    const rlti_couple_task *task = &couple->link_plan.tasks[w->pool_first + index];
    (void)worker;
    kernel_of(couple)->push_links(springs_at(couple, task->batch), task->batches, couple->force);
}

/* Forces of all points, from those of items. */
static void sum_forces(rlti_couple_work *w, rlti_pool *pool) {
    rlti_pool_for(pool, w->couple->touched_count, clear_strand, w);
    run_pools(w, pool, &w->couple->plan, push_contacts);
    run_pools(w, pool, &w->couple->link_plan, push_links);
}

/* Adds what forces do to what strands do without them. */
static void add_strand(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    const rlti_couple *couple = w->couple;
    int strand = couple->touched[index];
    for (int p = couple->first[strand]; p < couple->first[strand + 1]; p++)
        couple->work[p] = rlti_add(couple->free[p], couple->work[p]);
    fill_strand(context, index, worker);
}

/* Where forces lead strands, by their matrices. */
static void move_strands(rlti_couple_work *w, rlti_pool *pool) {
    rlti_couple *couple = w->couple;
    w->strands->solve(w->strands->context, couple->touched, couple->touched_count, couple->force,
                      couple->work);
    rlti_pool_for(pool, couple->touched_count, add_strand, w);
}

/* ---- measuring ---- */

/* Notes which contacts stick or slip; open ones only where they were known to do so. */
static void show_states(const rlti_couple_work *w, lumps *l) {
    unsigned acts = l->sticks | l->slides;
    for (unsigned bits = acts | l->shown; bits != 0; bits &= bits - 1u) {
        int k = __builtin_ctz(bits);
        w->items.contacts[l->item[k]].state = l->slides >> k & 1   ? RLTI_CONTACT_SLIP
                                              : l->sticks >> k & 1 ? RLTI_CONTACT_STICK
                                                                   : RLTI_CONTACT_OPEN;
    }
    l->shown = (uint16_t)acts;
}

/* How far items are from their laws, where the strands are now. */
static void measure_contacts(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    const rlti_couple *couple = w->couple;
    rlti_couple_result *result = &couple->parts[index];
    lumps *batches = lumps_at(couple, index * BLOCK);
    int count = size_of_block(index, couple->plan.batch_count);
    (void)worker;
    *result = (rlti_couple_result){.deepest_contact = -1};
    kernel_of(couple)->measure(batches, count, couple->rows, w->settings, result);
    for (int b = 0; b < count; b++)
        show_states(w, &batches[b]);
}

static void measure_links(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    const rlti_couple *couple = w->couple;
    rlti_couple_result *result = &couple->parts[blocks_of(couple->plan.batch_count) + index];
    (void)worker;
    *result = (rlti_couple_result){.deepest_contact = -1};
    kernel_of(couple)->measure_links(springs_at(couple, index * BLOCK),
                                     size_of_block(index, couple->link_plan.batch_count), couple->rows,
                                     w->settings, result);
}

static void measure(rlti_couple_work *w, rlti_pool *pool, rlti_couple_result *result) {
    int contacts = blocks_of(w->couple->plan.batch_count),
        links = blocks_of(w->couple->link_plan.batch_count);
    rlti_pool_for(pool, w->couple->touched_count, fill_strand, w);
    rlti_pool_for(pool, contacts, measure_contacts, w);
    rlti_pool_for(pool, links, measure_links, w);
    rlti_couple_begin_result(w, result);
    for (int p = 0; p < contacts + links; p++) {
        const rlti_couple_result *part = &w->couple->parts[p];
        result->residual = fmax(result->residual, part->residual);
        result->unresolved += part->unresolved;
        result->unresolved_links += part->unresolved_links;
        result->touching += part->touching;
        result->bodies += part->bodies;
        result->bodies_touching += part->bodies_touching;
        result->slipping += part->slipping;
        for (int k = 0; k < 2; k++)
            result->deepest_of[k] = fmax(result->deepest_of[k], part->deepest_of[k]);
        if (part->deepest > result->deepest) {
            result->deepest = part->deepest;
            result->deepest_contact = part->deepest_contact;
        }
    }
}

/* ---- acceleration ---- */

/* How far the forces of a block's contacts, then links, turn back. Contacts without a force have had none. */
static void turn_contacts(void *context, int index, int worker) {
    const rlti_couple *couple = ((const rlti_couple_work *)context)->couple;
    const lumps *batches = lumps_at(couple, index * BLOCK);
    double back = 0.0;
    (void)worker;
    for (int b = 0; b < size_of_block(index, couple->plan.batch_count); b++) {
        const lumps *l = &batches[b];
        const carried_lumps *c = carried_at(couple, index * BLOCK + b);
        for (int k = 0; k < BATCH && l->forces != 0; k++) {
            double turned = 0.0, gives = l->inverse[0][k] > 0 ? 1.0 / l->inverse[0][k] : 0.0;
            for (int i = 0; i < 3; i++)
                turned += (c->base[i][k] - l->r[i][k]) * (l->r[i][k] - c->last[i][k]);
            back += gives * turned;
        }
    }
    couple->parts[index].residual = back;
}

static void turn_links(void *context, int index, int worker) {
    const rlti_couple *couple = ((const rlti_couple_work *)context)->couple;
    int count = size_of_block(index, couple->link_plan.batch_count);
    double back = 0.0;
    (void)worker;
    for (int b = index * BLOCK; b < index * BLOCK + count; b++) {
        const springs *l = springs_at(couple, b);
        const carried_springs *c = carried_links_at(couple, b);
        for (int k = 0; k < BATCH; k++)
            back += l->model[k] * (c->base[k] - l->r[k]) * (l->r[k] - c->last[k]);
    }
    couple->parts[blocks_of(couple->plan.batch_count) + index].residual = back;
}

/* Forces now, carried on by a share of their last change; count of them in a row. */
static void carry(number *r, number *base, number *last, int count, number share) {
    for (int k = 0; k < count; k++) {
        number now = r[k];
        r[k] = now + share * (now - last[k]);
        base[k] = r[k];
        last[k] = now;
    }
}

static void carry_contacts(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    int count = size_of_block(index, w->couple->plan.batch_count);
    (void)worker;
    for (int b = index * BLOCK; b < index * BLOCK + count; b++) {
        lumps *l = lumps_at(w->couple, b);
        carried_lumps *c = carried_at(w->couple, b);
        if (l->forces == 0)
            continue;
        l->forces = UINT16_MAX; /* they are carried on from what they were */
        carry(*l->r, *c->base, *c->last, 3 * BATCH, (number)w->share);
    }
}

static void carry_links(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    int count = size_of_block(index, w->couple->link_plan.batch_count);
    (void)worker;
    for (int b = index * BLOCK; b < index * BLOCK + count; b++) {
        carried_springs *c = carried_links_at(w->couple, b);
        carry(springs_at(w->couple, b)->r, c->base, c->last, BATCH, (number)w->share);
    }
}

/* Carries forces on in the direction of their last change (Nesterov), unless the step that was just made
 * points back (O'Donoghue and Candes). `momentum` begins as 1. Returns whether it has. */
static int carry_on(rlti_couple_work *w, rlti_pool *pool, int plain, double *momentum) {
    int contacts = blocks_of(w->couple->plan.batch_count),
        links = blocks_of(w->couple->link_plan.batch_count);
    double back = 0.0, next = 0.5 * (1.0 + sqrt(1.0 + 4.0 * *momentum * *momentum));
    rlti_pool_for(pool, contacts, turn_contacts, w);
    rlti_pool_for(pool, links, turn_links, w);
    for (int p = 0; p < contacts + links; p++)
        back += w->couple->parts[p].residual;
    int restart = plain || back > 0.0;
    w->share = restart ? 0.0 : (*momentum - 1.0) / next;
    *momentum = restart ? 1.0 : next;
    rlti_pool_for(pool, contacts, carry_contacts, w);
    rlti_pool_for(pool, links, carry_links, w);
    return w->share > 0.0;
}

/* ---- solving ---- */

static void give_forces(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    (void)worker;
    for (int b = index * BLOCK; b < (index + 1) * BLOCK && b < w->couple->plan.batch_count; b++) {
        const lumps *l = lumps_at(w->couple, b);
        for (int k = 0; k < BATCH && l->forces != 0; k++) /* contacts begin without one, or with theirs */
            if (l->used >> k & 1)
                w->items.contacts[l->item[k]].force = lane3_of((const number(*)[BATCH])l->r, k);
    }
}

static void give_link_forces(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    int end = index * BLOCK + size_of_block(index, w->couple->link_plan.batch_count);
    (void)worker;
    for (int b = index * BLOCK; b < end; b++) {
        const springs *l = springs_at(w->couple, b);
        for (int k = 0; k < BATCH; k++)
            if (l->used >> k & 1)
                w->items.links[l->item[k]].force = l->r[k];
    }
}

/* Iterates until the tolerance is met or all back-solves are made. Items are measured when the last sweep
 * has hardly changed anything, and at the end. Where forces were carried on, one more plain iteration brings
 * them back into their cones. */
static int solve(rlti_couple_work *w, rlti_pool *pool, rlti_couple_result *result) {
    enum { EVERY = 16 }; /* iterations between sums of all forces */
    const rlti_couple_settings *settings = w->settings;
    double momentum = 1.0;
    int carried = 0, close = 0, done = 0, iterations = 0;
    if (!prepare(w, pool))
        return 0;
    if (settings->warm) {
        sum_forces(w, pool);
        move_strands(w, pool);
    }
    while (!done) {
        double change = sweep_all(w, pool);
        int last = ++iterations == settings->max_cbs;
        if (settings->accelerate)
            carried = carry_on(w, pool, close || last, &momentum);
        if (last || carried || iterations % EVERY == 0)
            sum_forces(w, pool);
        move_strands(w, pool);
        close = 0;
        rlti_couple_begin_result(w, result);
        if ((last && !settings->unmeasured) || change <= settings->tolerance) {
            measure(w, pool, result);
            close = settings->tolerance > 0.0 && result->residual <= settings->tolerance;
        }
        done = last || (close && !carried);
    }
    result->iterations = iterations;
    rlti_pool_for(pool, blocks_of(w->couple->plan.batch_count), give_forces, w);
    rlti_pool_for(pool, blocks_of(w->couple->link_plan.batch_count), give_link_forces, w);
    return 1;
}

/* ---- this precision ---- */

#if defined(RLTI_COUPLE_SINGLE)
static const void *build_of(int plain) {
    return plain ? &rlti_couple_kernel_single_portable : RLTI_BEST_BUILD(rlti_couple_kernel_single);
}
#else
static const void *build_of(int plain) {
    return plain ? &rlti_couple_kernel_portable : RLTI_BEST_BUILD(rlti_couple_kernel);
}
#endif

const rlti_couple_form RLTI_COUPLE_FORM_NAME = {
    .batch = BATCH,
    .row = sizeof(point_row),
    .lumps = sizeof(lumps),
    .springs = sizeof(springs),
    .carried = sizeof(carried_lumps),
    .carried_links = sizeof(carried_springs),
    .kernel = build_of,
    .place_contacts = place_task,
    .place_links = plan_places,
    .solve = solve,
    .measure = measure,
};
