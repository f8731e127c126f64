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

/* The block with points' own masses; `split`: among the items that share them. */
static double block_of(const rlti_couple_work *w, const lumps *l, int k, int split) {
    double sum = 0.0;
    for (int side = 0; side < 1 + (l->hair >> k & 1); side++)
        for (int i = 0; i < 2; i++) {
            double weight = i == 1 ? l->share[side][k] : 1.0 - l->share[side][k];
            int point = l->point[side][k] + i;
            double own = weight * weight * w->strands->softness[point];
            sum += split ? own * (double)w->couple->share[point] : own;
        }
    return sum;
}

/* How far a force along the normal moves the freer point of each edge: what compliance is measured by. A
 * place next to a point that is held moves little, and would take any force to be moved. */
static double give_of(const rlti_couple_work *w, const lumps *l, int k) {
    const double *softness = w->strands->softness;
    double sum = 0.0;
    for (int side = 0; side < 1 + (l->hair >> k & 1); side++)
        sum += fmax(softness[l->point[side][k]], softness[l->point[side][k] + 1]);
    return w->settings->compliance * sum;
}

/* Contacts that nothing can move have no force. */
static void block_contacts(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    (void)worker;
    for (int b = index * BLOCK; b < (index + 1) * BLOCK && b < w->couple->plan.batch_count; b++) {
        lumps *l = &w->couple->lumps[b];
        for (int k = 0; k < BATCH; k++) {
            if (!(l->used >> k & 1))
                continue;
            double model = block_of(w, l, k, 1), give = give_of(w, l, k);
            int moves = model > 0.0 && isfinite(model + give);
            l->model[k] = moves ? model : 0.0;
            l->inverse[0][k] = moves ? 1.0 / (model + give) : 0.0;
            l->inverse[1][k] = moves ? 1.0 / model : 0.0;
        }
    }
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

static int prepare(rlti_couple_work *w, rlti_pool *pool) {
    rlti_couple *couple = w->couple;
    if (!rlti_couple_lay_out(w, pool))
        return 0;
    int contacts = blocks_of(couple->plan.batch_count), links = blocks_of(couple->link_plan.batch_count);
    if (!RLTI_LIST_RESERVE(couple->parts, 0, contacts + links, couple->part_capacity))
        return 0;
    rlti_pool_for(pool, contacts, block_contacts, w);
    rlti_pool_for(pool, links, block_links, w);
    rlti_pool_for(pool, couple->touched_count, fill_strand, w);
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
    for (const lumps *l = couple->lumps + task->batch, *end = l + task->batches; l < end; l++)
        for (int k = 0; k < BATCH; k++)
            for (int side = 0; side < 2 && ((side == 0 ? l->used : l->hair) >> k & 1); side++) {
                rlti_vec3 *at = &couple->force[l->point[side][k]],
                          r = lane3_of((const double(*)[BATCH])l->r, k);
                double sign = side == 0 ? 1.0 : -1.0;
                at[0] = rlti_madd(at[0], sign * (1.0 - l->share[side][k]), r);
                at[1] = rlti_madd(at[1], sign * l->share[side][k], r);
            }
}

static void push_links(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    const rlti_couple *couple = w->couple;
    const rlti_couple_task *task = &couple->link_plan.tasks[w->pool_first + index];
    (void)worker;
    for (int b = task->batch; b < task->batch + task->batches; b++) {
        const rlti_couple_springs *l = &couple->link_batches[b];
        for (int k = 0; k < BATCH; k++) {
            if (!(l->used >> k & 1))
                continue;
            rlti_vec3 force = rlti_scale(l->r[k], lane3_of((const double(*)[BATCH])l->axis, k)),
                      *at[2] = {&couple->force[l->point[0][k]], &couple->force[l->point[1][k]]};
            *at[0] = rlti_add(*at[0], force);
            *at[1] = rlti_sub(*at[1], force);
        }
    }
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

/* The law of one contact whose points have moved so: its force where they give way by `own`, and by `give`
 * along the normal. */
static rlti_coulomb_state law(const lumps *l, int k, rlti_vec3 moved, double own, double give, rlti_vec3 *r) {
    rlti_vec3 normal = lane3_of((const double(*)[BATCH])l->normal, k),
              slip = lane3_of((const double(*)[BATCH])l->slip, k),
              now = lane3_of((const double(*)[BATCH])l->r, k);
    double inverse[2] = {own > 0.0 ? 1.0 / (own + give) : 0.0, own > 0.0 ? 1.0 / own : 0.0};
    double push = -(l->gap[k] + rlti_dot(normal, moved) - own * rlti_dot(normal, now)) * inverse[0];
    rlti_vec3 q = rlti_sub(rlti_add(moved, slip), rlti_scale(own, now));
    rlti_vec3 slid = rlti_madd(q, -rlti_dot(normal, q), normal);
    double rub = sqrt(rlti_dot(slid, slid)) * inverse[1];
    *r = rlti_v3(0, 0, 0);
    if (!(push > 0.0) || !(rub >= 0.0)) /* not a number */
        return RLTI_CONTACT_OPEN;
    int stick = rub <= l->friction[0][k] * push;
    double share = stick ? inverse[1] : l->friction[1][k] * push / rub * inverse[1];
    *r = rlti_madd(rlti_scale(push, normal), -share, slid);
    if (push > l->most[k]) /* it gives way, and stays in its cone */
        *r = rlti_scale(l->most[k] / push, *r);
    return stick ? RLTI_CONTACT_STICK : RLTI_CONTACT_SLIP;
}

static void measure_contact(const rlti_couple_work *w, const lumps *l, int k, rlti_couple_result *result) {
    double give = give_of(w, l, k), own = block_of(w, l, k, 0), s = l->share[0][k], t = l->share[1][k];
    rlti_vec3 moved = rlti_v3(0, 0, 0), force, normal = lane3_of((const double(*)[BATCH])l->normal, k),
              now = lane3_of((const double(*)[BATCH])l->r, k);
    const rlti_vec3 *a = w->couple->work + l->point[0][k], *b = w->couple->work + l->point[1][k];
    moved = rlti_add(rlti_scale(1.0 - s, a[0]), rlti_scale(s, a[1]));
    if (l->hair >> k & 1)
        moved = rlti_sub(moved, rlti_add(rlti_scale(1.0 - t, b[0]), rlti_scale(t, b[1])));
    rlti_coulomb_state state = law(l, k, moved, own, give, &force);
    rlti_vec3 change = rlti_sub(force, now);
    double along = rlti_dot(change, normal), across = fmax(rlti_dot(change, change) - along * along, 0.0),
           off = sqrt(across * own * own + along * along * (own + give) * (own + give)),
           deep = -(l->gap[k] + rlti_dot(normal, moved));
    int touches = rlti_dot(now, normal) > 0.0, body = !(l->hair >> k & 1);
    w->items.contacts[l->item[k]].state = state;
    result->residual = off > result->residual ? off : result->residual;
    result->unresolved += !(off <= w->settings->tolerance);
    result->touching += touches;
    result->bodies += body;
    result->bodies_touching += body && touches;
    result->slipping += touches && state == RLTI_CONTACT_SLIP;
    double *deepest = &result->deepest_of[body];
    *deepest = deep > *deepest ? deep : *deepest;
    if (deep > result->deepest) {
        result->deepest = deep;
        result->deepest_contact = l->item[k];
    }
}

/* How far items are from their laws, where the strands are now. */
static void measure_contacts(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    rlti_couple_result *result = &w->couple->parts[index];
    (void)worker;
    *result = (rlti_couple_result){.deepest_contact = -1};
    for (int b = index * BLOCK; b < (index + 1) * BLOCK && b < w->couple->plan.batch_count; b++)
        for (int k = 0; k < BATCH; k++)
            if (w->couple->lumps[b].used >> k & 1)
                measure_contact(w, &w->couple->lumps[b], k, result);
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
        for (int k = 0; k < BATCH; k++)
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
