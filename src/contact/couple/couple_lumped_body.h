/* Forces by lumped masses: the paper's hybrid solver (Algorithm 1, lines 19 to 38). The body of both
 * precisions: define RLTI_COUPLE_SINGLE before for single precision. What strands do, sums of forces and
 * contacts as they are given are double in either; batches, and displacements within sweeps, as chosen.
 *
 * In the local model each point is free with its own mass, so the block of a contact is one number, and the
 * law is solved in world axes without a frame. A task, the items of two objects or of one, has all its sweeps
 * at once, while its batches and its points are in the cache: it sees its own forces at once (Gauss-Seidel),
 * and those of tasks that were before it.
 * Sweeps move points of the task; these displacements over the points' softness are what strands are solved
 * again with, so forces need not be summed over items for every back-solve. Now and then, and before the last
 * one, they are: rounding does not add up.
 *
 * Contacts and links lie in batches that are solved in lanes (couple_batches.c, sweep_body.h): in every sweep
 * all contacts of the task, then all its links. */
#include <math.h>
#include <string.h>

#include "base/list.h"
#include "contact/best_build.h"
#include "contact/couple/couple_data.h"
#include "contact/couple/sweep_names_body.h"

enum { BLOCK = 32 }; /* batches a block */

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

/* A worker's memory: rows of a task's points, and forces on these. */
static point_row *rows_of(const rlti_couple *couple, int worker) {
    return (point_row *)(void *)(couple->scratch + couple->scratch_bytes * (size_t)worker);
}
static rlti_vec3 *forces_of(const rlti_couple *couple, int worker) {
    return (rlti_vec3 *)(void *)(rows_of(couple, worker) + couple->most_members + 2);
}

static const rlti_couple_task *task_at(const rlti_couple_work *w, int index) {
    return &w->couple->plan.tasks[w->pool_first + index];
}
/* Its links; none: 0 batches. */
static rlti_couple_task links_of(const rlti_couple *couple, const rlti_couple_task *task) {
    return task->link >= 0 ? couple->link_plan.tasks[task->link] : (rlti_couple_task){.link = -1};
}

/* Batches of a block, of so many. */
static int size_of_block(int index, int batches) {
    return batches - index * BLOCK < BLOCK ? batches - index * BLOCK : BLOCK;
}

/* ---- filling batches ---- */

/* Asks for memory that is needed soon: items of a task lie scattered. */
static void fetch(const void *item, size_t size) {
    const char *at = item;
    for (size_t byte = 0; byte < size; byte += 64)
        __builtin_prefetch(at + byte);
}

/* Which contacts of a task are in which batches, and their points. */
static void place_contacts(const rlti_couple *couple, const rlti_couple_task *task) {
    lumps *batches = lumps_at(couple, task->batch);
    for (int b = 0; b < task->batches; b++) {
        lumps *l = &batches[b];
        l->used = 0;
        for (int k = 0; k < BATCH; k++) {
            l->item[k] = -1;
            l->point[0][k] = l->point[1][k] = task->members;
        }
    }
    for (int k = task->first; k < task->first + task->count; k++) {
        int lane = couple->plan.place[k] % BATCH;
        const int *points = couple->plan.points[k];
        lumps *l = &batches[couple->plan.place[k] / BATCH];
        l->item[lane] = couple->plan.list[k];
        l->point[0][lane] = points[0];
        if (points[1] >= 0)
            l->point[1][lane] = points[1];
    }
}

/* The contacts of a task, as they begin. They are asked for in their order first: memory gives what follows
 * each other many times as fast as what is scattered. */
static void fill_contacts(const rlti_couple_work *w, const rlti_couple_task *task) {
    lumps *batches = lumps_at(w->couple, task->batch);
    for (int k = task->first; k < task->first + task->count; k++)
        fetch(&w->items.contacts[rlti_couple_item(w->couple->plan.keys[k])], sizeof(rlti_couple_contact));
    for (int b = 0; b < task->batches; b++) {
        kernel_of(w->couple)->fill(&batches[b], w->items.contacts, w->settings->warm, task->members);
        if (!w->settings->accelerate)
            continue;
        memcpy(carried_at(w->couple, task->batch + b)->base, batches[b].r, sizeof batches[b].r);
        memcpy(carried_at(w->couple, task->batch + b)->last, batches[b].r, sizeof batches[b].r);
    }
}

/* Which links are in which batches. */
static void plan_places(rlti_couple *couple) {
    const rlti_couple_plan *plan = &couple->link_plan;
    for (int k = 0; k < plan->batch_count; k++) {
        springs *batch = springs_at(couple, k);
        memset(batch, 0, sizeof *batch);
        for (int i = 0; i < BATCH; i++)
            batch->item[i] = -1;
    }
    for (int t = 0; t < plan->task_count; t++) {
        const rlti_couple_task *task = &plan->tasks[t];
        for (int k = task->first; k < task->first + task->count; k++) {
            springs *batch = springs_at(couple, task->batch + plan->place[k] / BATCH);
            int lane = plan->place[k] % BATCH;
            batch->item[lane] = plan->list[k];
            batch->used = (uint16_t)(batch->used | 1u << lane);
        }
    }
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

/* Where both pull and push may act: one by one. */
static void make_both(const rlti_couple_work *w, const rlti_couple_member *members, springs *l) {
    for (unsigned bits = l->both; bits != 0; bits &= bits - 1u) {
        int k = __builtin_ctz(bits);
        rlti_couple_spring spring;
        rlti_couple_memory memory;
        const double softness[2] = {members[l->point[0][k]].softness, members[l->point[1][k]].softness};
        rlti_couple_make_link(w->couple, &w->items.links[l->item[k]], softness, w->settings->warm, &spring,
                              &memory);
        put_link(&spring, &memory, l, k);
    }
}

/* The links of a task, as they begin. */
static void fill_links(const rlti_couple_work *w, const rlti_couple_task *task, const point_row *points) {
    const rlti_couple *couple = w->couple;
    rlti_couple_task links = links_of(couple, task);
    for (int b = links.batch; b < links.batch + links.batches; b++) {
        springs *l = springs_at(couple, b);
        const int(*local)[2] = (const int(*)[2])couple->link_plan.points + (ptrdiff_t)b * BATCH;
        for (int k = 0; k < BATCH && b + 1 < links.batch + links.batches; k++)
            fetch(&w->items.links[l[1].item[k] >= 0 ? l[1].item[k] : 0], sizeof(rlti_couple_link));
        for (int k = 0; k < BATCH; k++) {
            l->point[0][k] = local[k][0];
            l->point[1][k] = local[k][1];
        }
        kernel_of(couple)->make_links(l, w->items.links, w->settings->warm, points);
        make_both(w, couple->plan.members + task->member, l);
        if (w->settings->accelerate) {
            memcpy(carried_links_at(couple, b)->base, l->r, sizeof l->r);
            memcpy(carried_links_at(couple, b)->last, l->r, sizeof l->r);
        }
    }
}

/* Softness of a task's points, in rows: what blocks are made of. And which of them no other task meets
 * later. */
static void soften_points(const rlti_couple_work *w, const rlti_couple_task *task, point_row *rows) {
    rlti_couple_member *members = w->couple->plan.members + task->member;
    for (int k = 0; k < task->members; k++) {
        int point = members[k].point;
        members[k].softness = w->strands->softness[point];
        if (members[k].before + 1 == w->couple->share[point])
            members[k].before = -1 - members[k].before;
        rows[k][0] = rows[k][1] = rows[k][2] = 0;
        rows[k][3] = (number)members[k].softness;
    }
    memset(rows[task->members], 0, 2 * sizeof *rows);
}

static void fill_task(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    const rlti_couple_task *task = task_at(w, index);
    point_row *rows = rows_of(w->couple, worker);
    if (!rlti_couple_is_mine(w->couple, task))
        return;
    soften_points(w, task, rows);
    place_contacts(w->couple, task);
    fill_contacts(w, task);
    kernel_of(w->couple)->blocks(lumps_at(w->couple, task->batch), task->batches, (const point_row *)rows,
                                 w->settings->compliance);
    fill_links(w, task, (const point_row *)rows);
}

/* ---- points ---- */

static rlti_vec3 moved_by(const rlti_couple_work *w, int point) {
    return w->moved[1] != NULL ? rlti_add(w->moved[0][point], w->moved[1][point]) : w->moved[0][point];
}

/* Where the points of a task are: where strands are, or where tasks before have moved them. */
static void fill_rows(const rlti_couple_work *w, const rlti_couple_task *task, int fresh, point_row *rows) {
    const rlti_couple_member *members = w->couple->plan.members + task->member;
    const point_row *known = w->couple->rows;
    for (int k = 0; k < task->members; k++) {
        if (fresh || members[k].before == 0 || members[k].before == -1) {
            rlti_vec3 moved = moved_by(w, members[k].point);
            rows[k][0] = (number)moved.x;
            rows[k][1] = (number)moved.y;
            rows[k][2] = (number)moved.z;
        } else
            memcpy(rows[k], known[members[k].point], sizeof *rows);
        rows[k][3] = (number)members[k].softness;
    }
    memset(rows[task->members], 0, 2 * sizeof *rows);
}

/* Adds the forces that have moved the points of a task, by the last task that meets them; others hand them
 * on. */
static void push_rows(const rlti_couple_work *w, const rlti_couple_task *task, const point_row *rows) {
    const rlti_couple_member *members = w->couple->plan.members + task->member;
    point_row *known = w->couple->rows;
    for (int k = 0; k < task->members; k++) {
        if (members[k].before >= 0) {
            memcpy(known[members[k].point], rows[k], sizeof *rows);
            continue;
        }
        if (w->exact || !(members[k].softness > 0.0))
            continue;
        rlti_vec3 from = moved_by(w, members[k].point), *force = &w->couple->force[members[k].point];
        rlti_vec3 by = rlti_v3(rows[k][0] - (number)from.x, rows[k][1] - (number)from.y,
                               rows[k][2] - (number)from.z); /* as rows have rounded it */
        *force = rlti_madd(*force, 1.0 / members[k].softness, by);
    }
}

/* Adds the forces of a task's items. */
static void push_items(const rlti_couple_work *w, const rlti_couple_task *task, int worker) {
    const rlti_couple *couple = w->couple;
    const rlti_couple_member *members = couple->plan.members + task->member;
    rlti_couple_task links = links_of(couple, task);
    rlti_vec3 *forces = forces_of(couple, worker);
    memset(forces, 0, (size_t)task->members * sizeof *forces);
    kernel_of(couple)->push_contacts(lumps_at(couple, task->batch), task->batches, forces);
    kernel_of(couple)->push_links(springs_at(couple, links.batch), links.batches, forces);
    for (int k = 0; k < task->members; k++) {
        rlti_vec3 *force = &couple->force[members[k].point];
        *force = rlti_add(*force, forces[k]);
    }
}

/* ---- sweeps ---- */

static void sweep_task(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    const rlti_couple *couple = w->couple;
    const rlti_couple_task *task = task_at(w, index);
    rlti_couple_task links = links_of(couple, task);
    point_row *rows = rows_of(couple, worker);
    double most = 0.0;
    couple->plan.off[w->pool_first + index] = 0.0;
    if (!rlti_couple_is_mine(couple, task))
        return;
    fill_rows(w, task, 0, rows);
    for (int sweep = 0; sweep < w->settings->max_lcp; sweep++) {
        most =
            sqrt(kernel_of(couple)->contacts(lumps_at(couple, task->batch), task->batches, rows, sweep > 0));
        most = fmax(most, kernel_of(couple)->links(springs_at(couple, links.batch), links.batches, rows));
    }
    couple->plan.off[w->pool_first + index] = most;
    push_rows(w, task, (const point_row *)rows);
    if (w->exact && !w->settings->accelerate) /* else forces are carried on before they are summed */
        push_items(w, task, worker);
}

/* Tasks of one pool after those of another. Where points have been, and the forces on them, go along with
 * them from rank to rank: `rows`, `forces`. */
static void run_pools(rlti_couple_work *w, rlti_pool *pool, rlti_task *task, int rows, int forces) {
    const rlti_couple_plan *plan = &w->couple->plan;
    for (int p = 0; p < plan->pool_count; p++) {
        rlti_couple_hand_on(w->couple, p, rows ? sizeof(point_row) : 0, forces);
        w->pool_first = plan->pool_first[p];
        rlti_pool_for_from(pool, w->pool_first, plan->pool_first[p + 1] - w->pool_first, task, w);
    }
}

/* All tasks at once, where they write nothing that others have. */
static void run_all(rlti_couple_work *w, rlti_pool *pool, rlti_task *task) {
    w->pool_first = 0;
    rlti_pool_for(pool, w->couple->plan.task_count, task, w);
}

static void clear_strand(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    int strand = w->couple->touched[index], from = w->couple->first[strand];
    (void)worker;
    memset(w->couple->force + from, 0, (size_t)(w->couple->first[strand + 1] - from) * sizeof(rlti_vec3));
}

/* Returns by how much the largest change of the last sweep has moved its item. */
static double sweep_all(rlti_couple_work *w, rlti_pool *pool, int exact) {
    double most = 0.0;
    w->exact = exact;
    if (exact && !w->settings->accelerate)
        rlti_pool_for(pool, w->couple->touched_count, clear_strand, w);
    run_pools(w, pool, sweep_task, 1, exact && !w->settings->accelerate);
    for (int t = 0; t < w->couple->plan.task_count; t++)
        most = fmax(most, w->couple->plan.off[t]);
    return rlti_couple_greatest(w->couple, most);
}

/* ---- strands ---- */

static void push_task(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    if (rlti_couple_is_mine(w->couple, task_at(w, index)))
        push_items(w, task_at(w, index), worker);
}

/* Forces of all points, from those of items. */
static void sum_forces(rlti_couple_work *w, rlti_pool *pool) {
    rlti_pool_for(pool, w->couple->touched_count, clear_strand, w);
    run_pools(w, pool, push_task, 0, 1);
}

/* Where forces lead strands, by their matrices. */
static void move_strands(rlti_couple_work *w) {
    rlti_couple *couple = w->couple;
    rlti_couple_hand_forces(couple);
    w->strands->solve(w->strands->context, couple->touched, couple->touched_count, couple->force,
                      couple->work);
    rlti_couple_hand_moved(couple, couple->work);
    w->moved[1] = couple->work;
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
static void measure_task(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    const rlti_couple *couple = w->couple;
    const rlti_couple_task *task = task_at(w, index);
    rlti_couple_task links = links_of(couple, task);
    rlti_couple_result *result = &couple->parts[index];
    lumps *batches = lumps_at(couple, task->batch);
    point_row *rows = rows_of(couple, worker);
    *result = (rlti_couple_result){.deepest_contact = -1};
    if (!rlti_couple_is_mine(couple, task))
        return;
    fill_rows(w, task, 1, rows);
    kernel_of(couple)->measure(batches, task->batches, (const point_row *)rows, w->settings, result);
    kernel_of(couple)->measure_links(springs_at(couple, links.batch), links.batches, (const point_row *)rows,
                                     w->settings, result);
    for (int b = 0; b < task->batches; b++)
        show_states(w, &batches[b]);
}

static void measure(rlti_couple_work *w, rlti_pool *pool, rlti_couple_result *result) {
    int deepest_task = 0;
    run_all(w, pool, measure_task);
    rlti_couple_begin_result(w, result);
    for (int t = 0; t < w->couple->plan.task_count; t++) {
        const rlti_couple_result *part = &w->couple->parts[t];
        result->residual = fmax(result->residual, part->residual);
        result->unresolved += part->unresolved;
        result->unresolved_links += part->unresolved_links;
        result->touching += part->touching;
        result->bodies += part->bodies;
        result->bodies_touching += part->bodies_touching;
        result->slipping += part->slipping;
        if (part->deepest_of[0] > result->deepest_of[0]) {
            result->deepest_contact = part->deepest_contact;
            deepest_task = t;
        }
        for (int k = 0; k < 2; k++)
            result->deepest_of[k] = fmax(result->deepest_of[k], part->deepest_of[k]);
        result->deepest = fmax(result->deepest, part->deepest);
    }
    rlti_couple_combine(w->couple, deepest_task, result);
}

/* ---- acceleration ---- */

/* How far the forces of links turn back. */
static double turn_links(const springs *l, const carried_springs *c) {
    double back = 0.0;
    for (int k = 0; k < BATCH; k++)
        back += l->model[k] * (c->base[k] - l->r[k]) * (l->r[k] - c->last[k]);
    return back;
}

static void turn_task(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    const rlti_couple *couple = w->couple;
    const rlti_couple_task *task = task_at(w, index);
    rlti_couple_task links = links_of(couple, task);
    double back = 0.0;
    (void)worker;
    couple->parts[index].residual = 0.0;
    if (!rlti_couple_is_mine(couple, task))
        return;
    back += kernel_of(couple)->turn(lumps_at(couple, task->batch), task->batches,
                                    carried_at(couple, task->batch));
    for (int b = links.batch; b < links.batch + links.batches; b++)
        back += turn_links(springs_at(couple, b), carried_links_at(couple, b));
    couple->parts[index].residual = back;
}

/* Forces of links now, carried on by a share of their last change; count of them in a row. */
static void carry(number *r, number *base, number *last, int count, number share) {
    for (int k = 0; k < count; k++) {
        number now = r[k];
        r[k] = now + share * (now - last[k]);
        base[k] = r[k];
        last[k] = now;
    }
}

/* Carries the forces of a task on, and adds them to those of its points. */
static void carry_task(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    const rlti_couple_task *task = task_at(w, index);
    rlti_couple_task links = links_of(w->couple, task);
    if (!rlti_couple_is_mine(w->couple, task))
        return;
    kernel_of(w->couple)->carry(lumps_at(w->couple, task->batch), task->batches,
                                carried_at(w->couple, task->batch), (number)w->share);
    for (int b = links.batch; b < links.batch + links.batches; b++) {
        carried_springs *c = carried_links_at(w->couple, b);
        carry(springs_at(w->couple, b)->r, c->base, c->last, BATCH, (number)w->share);
    }
    push_items(w, task, worker);
}

/* Carries forces on in the direction of their last change (Nesterov), unless the step that was just made
 * points back (O'Donoghue and Candes), and sums them. `momentum` begins as 1. Returns whether it has. */
static int carry_on(rlti_couple_work *w, rlti_pool *pool, int plain, double *momentum) {
    double back = 0.0, next = 0.5 * (1.0 + sqrt(1.0 + 4.0 * *momentum * *momentum));
    run_all(w, pool, turn_task);
    for (int t = 0; t < w->couple->plan.task_count; t++)
        w->couple->plan.off[t] = w->couple->parts[t].residual;
    rlti_couple_add_up(w->couple, w->couple->plan.off, w->couple->plan.task_count);
    for (int t = 0; t < w->couple->plan.task_count; t++)
        back += w->couple->plan.off[t];
    int restart = plain || back > 0.0;
    w->share = restart ? 0.0 : (*momentum - 1.0) / next;
    *momentum = restart ? 1.0 : next;
    rlti_pool_for(pool, w->couple->touched_count, clear_strand, w);
    run_pools(w, pool, carry_task, 0, 1);
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

/* Where strands have come to, into the array without contacts. */
static void end_strand(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    int strand = w->couple->touched[index];
    rlti_vec3 *ends = w->ends;
    (void)worker;
    for (int p = w->couple->first[strand]; p < w->couple->first[strand + 1]; p++)
        ends[p] = rlti_add(ends[p], w->couple->work[p]);
}

/* Iterates until the tolerance is met or all back-solves are made. Items are measured when the last sweep
 * has hardly changed anything, and at the end. Where forces were carried on, one more plain iteration brings
 * them back into their cones. */
static int solve(rlti_couple_work *w, rlti_pool *pool, rlti_couple_result *result) {
    enum { EVERY = 16 }; /* iterations between sums of all forces */
    const rlti_couple_settings *settings = w->settings;
    double momentum = 1.0;
    int carried = 0, close = 0, done = 0, iterations = 0,
        unsolved = settings->unmeasured && w->strands->leave != NULL; /* the last back-solve is left out */
    if (rlti_couple_any_failed(w->couple, !rlti_couple_lay_out(w, pool)))
        return 0;
    rlti_couple_hand_moved(w->couple, w->ends);
    w->moved[0] = w->ends;
    run_all(w, pool, fill_task);
    if (settings->warm) {
        sum_forces(w, pool);
        move_strands(w);
    }
    while (!done) {
        int last = ++iterations == settings->max_cbs;
        double change = sweep_all(w, pool, settings->accelerate || last || iterations % EVERY == 0);
        if (settings->accelerate)
            carried = carry_on(w, pool, close || last, &momentum);
        close = 0;
        rlti_couple_begin_result(w, result);
        if (last && unsolved) {
            rlti_couple_hand_forces(w->couple);
            w->strands->leave(w->strands->context, w->couple->force);
            break;
        }
        move_strands(w);
        if ((last && !settings->unmeasured) || change <= settings->tolerance) {
            measure(w, pool, result);
            close = settings->tolerance > 0.0 && result->residual <= settings->tolerance;
        }
        done = last || (close && !carried);
    }
    result->iterations = iterations;
    rlti_pool_for(pool, blocks_of(w->couple->plan.batch_count), give_forces, w);
    rlti_pool_for(pool, blocks_of(w->couple->link_plan.batch_count), give_link_forces, w);
    if (done)
        rlti_pool_for(pool, w->couple->touched_count, end_strand, w);
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
    .place_links = plan_places,
    .solve = solve,
    .measure = measure,
};
