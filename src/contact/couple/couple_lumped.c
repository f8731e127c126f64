/* Forces by lumped masses: the paper's hybrid solver (Algorithm 1, lines 19 to 38).
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
#include "contact/couple/couple_data.h"

enum { BATCH = RLTI_COUPLE_BATCH, BLOCK = 32 }; /* batches a block */

typedef rlti_couple_lumps lumps;

static int blocks_of(int batches) {
    return (batches + BLOCK - 1) / BLOCK;
}

static rlti_vec3 lane3_of(const double (*rows)[BATCH], int k) {
    return rlti_v3(rows[0][k], rows[1][k], rows[2][k]);
}

/* ---- blocks ---- */

static void block_contacts(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    int first = index * BLOCK, left = w->couple->plan.batch_count - first;
    (void)worker;
    w->couple->kernel->blocks(w->couple->lumps + first, left < BLOCK ? left : BLOCK,
                              (const rlti_couple_row *)w->couple->old, w->settings->compliance);
}

/* One link of a batch as it is by itself. */
static void get_link(const rlti_couple_springs *l, int k, rlti_couple_spring *spring,
                     rlti_couple_memory *memory) {
    rlti_v3_put(spring->axis, lane3_of((const double(*)[BATCH])l->axis, k));
    spring->r = l->r[k];
    spring->model = l->model[k];
    for (int i = 0; i < 2; i++) {
        spring->slope[i] = l->slope[i][k];
        spring->zero[i] = l->zero[i][k];
        spring->point[i] = l->point[i][k];
        memory->middle[i] = l->middle[i][k];
        memory->bound[i] = l->bound[i][k];
    }
}

static void put_link(const rlti_couple_spring *spring, const rlti_couple_memory *memory,
                     rlti_couple_springs *l, int k) {
    int both = spring->zero[0] < spring->zero[1];
    for (int i = 0; i < 3; i++)
        l->axis[i][k] = spring->axis[i];
    l->r[k] = spring->r;
    l->model[k] = spring->model;
    for (int i = 0; i < 2; i++) {
        l->slope[i][k] = spring->slope[i];
        l->zero[i][k] = spring->zero[i];
        l->middle[i][k] = both ? memory->middle[i] : 0.0;
        l->bound[i][k] = both ? memory->bound[i] : 0.0;
    }
    l->both = (uint8_t)(l->both | (unsigned)both << k);
}

/* Springs as they begin. */
static void block_links(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    const rlti_couple *couple = w->couple;
    (void)worker;
    for (int b = index * BLOCK; b < (index + 1) * BLOCK && b < couple->link_plan.batch_count; b++) {
        rlti_couple_springs *l = &couple->link_batches[b];
        l->both = 0;
        for (int k = 0; k < BATCH; k++) {
            rlti_couple_spring spring;
            rlti_couple_memory memory;
            double softness[2];
            if (!(l->used >> k & 1))
                continue;
            for (int side = 0; side < 2; side++)
                softness[side] =
                    w->strands->softness[l->point[side][k]] * (double)couple->share[l->point[side][k]];
            rlti_couple_make_link(couple, &w->items.links[l->item[k]], softness, w->settings->warm, &spring,
                                  &memory);
            put_link(&spring, &memory, l, k);
        }
        if (w->settings->accelerate) {
            memcpy(couple->carried_links[b].base, l->r, sizeof l->r);
            memcpy(couple->carried_links[b].last, l->r, sizeof l->r);
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
        double *row = couple->rows[p];
        row[0] = couple->work[p].x;
        row[1] = couple->work[p].y;
        row[2] = couple->work[p].z;
        row[3] = w->strands->softness[p];
    }
}

/* The same, and what blocks are made of: `old` is not in use yet. */
static void begin_strand(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    const rlti_couple *couple = w->couple;
    int strand = couple->touched[index];
    fill_strand(context, index, worker);
    for (int p = couple->first[strand]; p < couple->first[strand + 1]; p++) {
        couple->old[p][0] = w->strands->softness[p];
        couple->old[p][1] = (double)couple->share[p];
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

static const rlti_couple_row *seen_by(const rlti_couple *couple, const rlti_couple_task *task) {
    return (const rlti_couple_row *)(task->object[0] != task->object[1] ? couple->old : couple->rows);
}

/* Items between objects read where points were when the sweep began. */
static void run_contacts(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    rlti_couple *couple = w->couple;
    const rlti_couple_task *task = &couple->plan.tasks[w->pool_first + index];
    (void)worker;
    couple->plan.off[w->pool_first + index] = sqrt(couple->kernel->contacts(
        couple->lumps + task->batch, task->batches, couple->rows, seen_by(couple, task)));
}

static void run_links(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    rlti_couple *couple = w->couple;
    const rlti_couple_task *task = &couple->link_plan.tasks[w->pool_first + index];
    (void)worker;
    couple->link_plan.off[w->pool_first + index] = couple->kernel->links(
        couple->link_batches + task->batch, task->batches, couple->rows, seen_by(couple, task));
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
    memcpy(w->couple->old + from, w->couple->rows + from,
           (size_t)(w->couple->first[strand + 1] - from) * sizeof(rlti_couple_row));
}

/* Adds the forces that have moved the points of a strand in the sweeps since couple->work. */
static void push_strand(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    const rlti_couple *couple = w->couple;
    int strand = couple->touched[index];
    (void)worker;
    for (int p = couple->first[strand]; p < couple->first[strand + 1]; p++) {
        const double *now = couple->rows[p];
        rlti_vec3 moved = rlti_sub(rlti_v3(now[0], now[1], now[2]), couple->work[p]);
        if (now[3] > 0.0)
            couple->force[p] = rlti_madd(couple->force[p], 1.0 / now[3], moved);
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

/* Sums of forces are made in `old`, which is taken anew in the next sweep. */
static void clear_strand(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    int strand = w->couple->touched[index];
    (void)worker;
    for (int p = w->couple->first[strand]; p < w->couple->first[strand + 1]; p++) {
        double *row = w->couple->old[p];
        row[0] = row[1] = row[2] = 0.0;
        row[3] = 1.0;
    }
}

static void take_strand(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    int strand = w->couple->touched[index];
    (void)worker;
    for (int p = w->couple->first[strand]; p < w->couple->first[strand + 1]; p++)
        w->couple->force[p] = rlti_v3_at(w->couple->old[p], 0);
}

static void push_contacts(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    const rlti_couple *couple = w->couple;
    const rlti_couple_task *task = &couple->plan.tasks[w->pool_first + index];
    (void)worker;
    couple->kernel->push_contacts(couple->lumps + task->batch, task->batches, couple->old);
}

static void push_links(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    const rlti_couple *couple = w->couple;
    const rlti_couple_task *task = &couple->link_plan.tasks[w->pool_first + index];
    (void)worker;
    couple->kernel->push_links(couple->link_batches + task->batch, task->batches, couple->old);
}

/* Forces of all points, from those of items. */
static void sum_forces(rlti_couple_work *w, rlti_pool *pool) {
    rlti_pool_for(pool, w->couple->touched_count, clear_strand, w);
    run_pools(w, pool, &w->couple->plan, push_contacts);
    run_pools(w, pool, &w->couple->link_plan, push_links);
    rlti_pool_for(pool, w->couple->touched_count, take_strand, w);
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

/* What contacts do; those that are open say so only where they were known to do something. */
static void show_states(const rlti_couple_work *w, lumps *l) {
    unsigned acts = l->sticks | l->slides;
    for (unsigned bits = acts | l->shown; bits != 0; bits &= bits - 1u) {
        int k = __builtin_ctz(bits);
        w->items.contacts[l->item[k]].state = l->slides >> k & 1   ? RLTI_CONTACT_SLIP
                                              : l->sticks >> k & 1 ? RLTI_CONTACT_STICK
                                                                   : RLTI_CONTACT_OPEN;
    }
    l->shown = (uint8_t)acts;
}

/* How far items are from their laws, where the strands are now. */
static void measure_contacts(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    const rlti_couple *couple = w->couple;
    rlti_couple_result *result = &couple->parts[index];
    int first = index * BLOCK, left = couple->plan.batch_count - first, count = left < BLOCK ? left : BLOCK;
    (void)worker;
    *result = (rlti_couple_result){.deepest_contact = -1};
    couple->kernel->measure(couple->lumps + first, count, (const rlti_couple_row *)couple->rows, w->settings,
                            result);
    for (int b = first; b < first + count; b++)
        show_states(w, &couple->lumps[b]);
}

static void measure_links(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    const rlti_vec3 *work = w->couple->work;
    rlti_couple_result *result = &w->couple->parts[blocks_of(w->couple->plan.batch_count) + index];
    (void)worker;
    *result = (rlti_couple_result){.deepest_contact = -1};
    for (int b = index * BLOCK; b < (index + 1) * BLOCK && b < w->couple->link_plan.batch_count; b++)
        for (int k = 0; k < BATCH; k++) {
            const rlti_couple_springs *l = &w->couple->link_batches[b];
            rlti_couple_spring spring;
            rlti_couple_memory memory;
            if (!(l->used >> k & 1))
                continue;
            get_link(l, k, &spring, &memory);
            double u =
                rlti_dot(rlti_v3_at(spring.axis, 0), rlti_sub(work[spring.point[0]], work[spring.point[1]]));
            double off =
                spring.model *
                fabs(rlti_couple_link_force(&spring, &memory, u - spring.model * spring.r) - spring.r);
            result->residual = off > result->residual ? off : result->residual;
            result->unresolved_links += !(off <= w->settings->tolerance);
        }
}

void rlti_couple_measure_lumped(rlti_couple_work *w, rlti_pool *pool, rlti_couple_result *result) {
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

/* How far the forces of contacts turn back; by a share of their last change. */
static double contacts_back(const rlti_couple_work *w) {
    double back = 0.0;
    for (int b = 0; b < w->couple->plan.batch_count; b++) {
        const lumps *l = &w->couple->lumps[b];
        const rlti_couple_carried *c = &w->couple->carried[b];
        for (int k = 0; k < BATCH; k++) {
            double turned = 0.0, gives = l->inverse[0][k] > 0.0 ? 1.0 / l->inverse[0][k] : 0.0;
            for (int i = 0; i < 3; i++)
                turned += (c->base[i][k] - l->r[i][k]) * (l->r[i][k] - c->last[i][k]);
            back += gives * turned;
        }
    }
    return back;
}

static double links_back(const rlti_couple_work *w) {
    double back = 0.0;
    for (int b = 0; b < w->couple->link_plan.batch_count; b++) {
        const rlti_couple_springs *l = &w->couple->link_batches[b];
        const rlti_couple_carried_links *c = &w->couple->carried_links[b];
        for (int k = 0; k < BATCH; k++)
            back += l->model[k] * (c->base[k] - l->r[k]) * (l->r[k] - c->last[k]);
    }
    return back;
}

/* Forces now, carried on by a share of their last change; count of them in a row. */
static void carry(double *r, double *base, double *last, int count, double share) {
    for (int k = 0; k < count; k++) {
        double now = r[k];
        r[k] = now + share * (now - last[k]);
        base[k] = r[k];
        last[k] = now;
    }
}

/* Carries forces on in the direction of their last change (Nesterov), unless the step that was just made
 * points back (O'Donoghue and Candes). `momentum` begins as 1. Returns whether it has. */
static int carry_on(rlti_couple_work *w, int plain, double *momentum) {
    rlti_couple *couple = w->couple;
    double back = links_back(w) + contacts_back(w);
    double next = 0.5 * (1.0 + sqrt(1.0 + 4.0 * *momentum * *momentum));
    int restart = plain || back > 0.0;
    double share = restart ? 0.0 : (*momentum - 1.0) / next;
    *momentum = restart ? 1.0 : next;
    for (int b = 0; b < couple->plan.batch_count; b++) {
        couple->lumps[b].forces = UINT8_MAX; /* they are carried on from what they were */
        carry(*couple->lumps[b].r, *couple->carried[b].base, *couple->carried[b].last, 3 * BATCH, share);
    }
    for (int b = 0; b < couple->link_plan.batch_count; b++)
        carry(couple->link_batches[b].r, couple->carried_links[b].base, couple->carried_links[b].last, BATCH,
              share);
    return share > 0.0;
}

/* ---- solving ---- */

static void give_forces(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    (void)worker;
    for (int b = index * BLOCK; b < (index + 1) * BLOCK && b < w->couple->plan.batch_count; b++) {
        const lumps *l = &w->couple->lumps[b];
        for (int k = 0; k < BATCH && l->forces != 0; k++) /* contacts begin without one, or with theirs */
            if (l->used >> k & 1)
                w->items.contacts[l->item[k]].force = lane3_of((const double(*)[BATCH])l->r, k);
    }
}

static void give_link_forces(const rlti_couple_work *w) {
    for (int b = 0; b < w->couple->link_plan.batch_count; b++) {
        const rlti_couple_springs *l = &w->couple->link_batches[b];
        for (int k = 0; k < BATCH; k++)
            if (l->used >> k & 1)
                w->items.links[l->item[k]].force = l->r[k];
    }
}

/* Iterates until the tolerance is met or all back-solves are made. Items are measured when the last sweep
 * has hardly changed anything, and at the end. Where forces were carried on, one more plain iteration brings
 * them back into their cones. */
int rlti_couple_solve_lumped(rlti_couple_work *w, rlti_pool *pool, rlti_couple_result *result) {
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
            carried = carry_on(w, close || last, &momentum);
        if (last || carried || iterations % EVERY == 0)
            sum_forces(w, pool);
        move_strands(w, pool);
        close = 0;
        rlti_couple_begin_result(w, result);
        if ((last && !settings->unmeasured) || change <= settings->tolerance) {
            rlti_couple_measure_lumped(w, pool, result);
            close = settings->tolerance > 0.0 && result->residual <= settings->tolerance;
        }
        done = last || (close && !carried);
    }
    result->iterations = iterations;
    rlti_pool_for(pool, blocks_of(w->couple->plan.batch_count), give_forces, w);
    give_link_forces(w);
    return 1;
}
