/* Forces by lumped masses: the paper's hybrid solver (Algorithm 1, lines 19 to 38).
 *
 * In the local model each point is free with its own mass, so the block of a contact is one number, and the
 * law is solved in world axes without a frame. Sweeps move points by the changes of forces; these
 * displacements over the points' softness are what strands are solved again with, so forces need not be
 * summed over items for every back-solve. Now and then, and before the last one, they are: rounding does not
 * add up.
 *
 * Contacts and links lie in memory in the order in which they are worked on. Neighbours in that order share
 * no point where that can be had: a contact then need not wait for what the one before has stored. */
#include <math.h>
#include <string.h>

#include "contact/couple/couple_data.h"

enum { BLOCK = 256, ORDERS = 512 };

typedef rlti_couple_lump lump;

/* ---- order ---- */

/* Where a contact stands in the rounds of its task: the k-th contacts of all even edges, then of all odd
 * ones. */
static int round_of(const rlti_couple_contact *contact, int rank) {
    int round = 2 * rank + (contact->edge[0] & 1);
    return round < ORDERS ? round : ORDERS - 1;
}

/* Puts a task's contacts, which are sorted by first strands and edges, in the order of rounds. */
static void order_task(rlti_couple *couple, const rlti_couple_items *items, const rlti_couple_task *task) {
    int first[ORDERS] = {0}, rank = 0, *list = couple->list + task->first;
    int *sorted = couple->colour; /* free once tasks have their pools */
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < task->contacts; k++) {
            const rlti_couple_contact *c = &items->contacts[list[k]],
                                      *before = &items->contacts[list[k > 0 ? k - 1 : 0]];
            int same = k > 0 && c->strand[0] == before->strand[0] && c->edge[0] == before->edge[0];
            rank = same ? rank + 1 : 0;
            int *place = &first[round_of(c, rank)];
            if (pass == 1)
                sorted[*place] = list[k];
            ++*place;
        }
        for (int o = 0, sum = 0; o < ORDERS && pass == 0; o++) { /* counts become starts */
            int here = first[o];
            first[o] = sum;
            sum += here;
        }
    }
    memcpy(list, sorted, (size_t)task->contacts * sizeof *list);
}

/* Contacts in the order of tasks. */
static void place_contacts(rlti_couple *couple, const rlti_couple_items *items) {
    for (int t = 0; t < couple->task_count; t++) {
        const rlti_couple_task *task = &couple->tasks[t];
        order_task(couple, items, task);
        for (int k = 0; k < task->contacts; k++)
            couple->lumps[task->lump + k].item = couple->list[task->first + k];
    }
}

/* ---- blocks ---- */

static int sides_of(const lump *l) {
    return l->point[1] < 0 ? 1 : 2;
}

/* Weight of the k-th point: a0, a1, b0, b1; negative for b. */
static double weight_of(const lump *l, int k) {
    double weight = k & 1 ? l->share[k / 2] : 1.0 - l->share[k / 2];
    return k < 2 ? weight : -weight;
}

static int point_of(const lump *l, int k) {
    return l->point[k / 2] + (k & 1);
}

static void place_block(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    rlti_couple *couple = w->couple;
    (void)worker;
    for (int s = index * BLOCK; s < (index + 1) * BLOCK && s < w->items.contact_count; s++) {
        lump *l = &couple->lumps[s];
        const rlti_couple_contact *c = &w->items.contacts[l->item];
        int none = c->strand[1] < 0;
        double holds = fmax(c->friction[0], 0.0);
        *l = (lump){.item = l->item,
                    .normal = c->normal,
                    .slip = c->slip,
                    .gap = c->gap,
                    .share = {c->share[0], none ? 0.0 : c->share[1]},
                    .r = w->settings->warm ? c->force : rlti_v3(0, 0, 0),
                    .friction = {holds, fmin(fmax(c->friction[1], 0.0), holds)},
                    .point = {couple->first[c->strand[0]] + c->edge[0],
                              none ? -1 : couple->first[c->strand[1]] + c->edge[1]},
                    .most = c->most > 0.0 ? c->most : HUGE_VAL,
                    .state = RLTI_CONTACT_OPEN};
        couple->carried[s] = (rlti_couple_carried){.base = l->r, .last = l->r};
    }
}

static void place_link_block(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    (void)worker;
    for (int k = index * BLOCK; k < (index + 1) * BLOCK && k < w->items.link_count; k++)
        rlti_couple_place_link(w->couple, w->items.links, w->settings->warm, k);
}

/* Counts the items between objects that meet each point. */
static void count_shares(rlti_couple *couple) {
    for (int i = 0; i < couple->point_count; i++)
        couple->share[i] = 1;
    for (int t = 0; t < couple->task_count; t++) {
        const rlti_couple_task *task = &couple->tasks[t];
        int between = task->object[0] != task->object[1];
        for (int s = task->lump; s < task->lump + task->contacts && between; s++)
            for (int k = 0; k < 4; k++)
                couple->share[point_of(&couple->lumps[s], k)] += weight_of(&couple->lumps[s], k) != 0.0;
        for (int k = task->spring; k < task->spring + task->count - task->contacts && between; k++)
            for (int side = 0; side < 2; side++)
                couple->share[couple->springs[k].point[side]]++;
    }
}

/* The block with points' own masses; `split`: among the items that share them. */
static double block_of(const rlti_couple_work *w, const lump *l, int split) {
    double sum = 0.0;
    for (int k = 0; k < 2 * sides_of(l); k++) {
        double weight = weight_of(l, k), own = weight * weight * w->strands->softness[point_of(l, k)];
        sum += split ? own * (double)w->couple->share[point_of(l, k)] : own;
    }
    return sum;
}

/* How far a force along the normal moves the freer point of each edge: what compliance is measured by. A
 * place next to a point that is held moves little, and would take any force to be moved. */
static double give_of(const rlti_couple_work *w, const lump *l) {
    const double *softness = w->strands->softness;
    double sum = 0.0;
    for (int side = 0; side < sides_of(l); side++)
        sum += fmax(softness[l->point[side]], softness[l->point[side] + 1]);
    return w->settings->compliance * sum;
}

/* Contacts that nothing can move have no force. */
static void block_block(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    (void)worker;
    for (int s = index * BLOCK; s < (index + 1) * BLOCK && s < w->items.contact_count; s++) {
        lump *l = &w->couple->lumps[s];
        double model = block_of(w, l, 1), give = give_of(w, l);
        int moves = model > 0.0 && isfinite(model + give);
        l->model = moves ? model : 0.0;
        w->couple->carried[s].give = moves ? give : 0.0;
        l->inverse[0] = moves ? 1.0 / (model + give) : 0.0;
        l->inverse[1] = moves ? 1.0 / model : 0.0;
    }
}

static void link_block(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    (void)worker;
    for (int k = index * BLOCK; k < (index + 1) * BLOCK && k < w->items.link_count; k++)
        rlti_couple_prepare_link(w->couple, w->strands, RLTI_COUPLE_LUMPED, w->items.links, k);
}

static void prepare(rlti_couple_work *w, rlti_pool *pool) {
    int contacts = (w->items.contact_count + BLOCK - 1) / BLOCK,
        links = (w->items.link_count + BLOCK - 1) / BLOCK;
    place_contacts(w->couple, &w->items);
    rlti_pool_for(pool, contacts, place_block, w);
    rlti_pool_for(pool, links, place_link_block, w);
    count_shares(w->couple);
    rlti_pool_for(pool, contacts, block_block, w);
    rlti_pool_for(pool, links, link_block, w);
}

/* ---- the law ---- */

/* Relative displacement of the contact, where points have moved so. */
static inline rlti_vec3 moved_by(const lump *l, const rlti_vec3 *x) {
    const rlti_vec3 *a = x + l->point[0];
    double s = l->share[0], t = l->share[1], one_s = 1.0 - s, one_t = 1.0 - t;
    if (l->point[1] < 0)
        return rlti_v3(one_s * a[0].x + s * a[1].x, one_s * a[0].y + s * a[1].y, one_s * a[0].z + s * a[1].z);
    const rlti_vec3 *b = x + l->point[1];
    return rlti_v3((one_s * a[0].x + s * a[1].x) - (one_t * b[0].x + t * b[1].x),
                   (one_s * a[0].y + s * a[1].y) - (one_t * b[0].y + t * b[1].y),
                   (one_s * a[0].z + s * a[1].z) - (one_t * b[0].z + t * b[1].z));
}

/* A contact whose points have moved so: its force where they give way by `model`, and by `give` along the
 * normal. */
static inline short law(const lump *l, rlti_vec3 moved, double model, const double inverse[2], rlti_vec3 *r) {
    double push = -(l->gap + rlti_dot(l->normal, moved) - model * rlti_dot(l->normal, l->r)) * inverse[0];
    rlti_vec3 q = rlti_sub(rlti_add(moved, l->slip), rlti_scale(model, l->r));
    rlti_vec3 slid = rlti_madd(q, -rlti_dot(l->normal, q), l->normal);
    double rub = sqrt(rlti_dot(slid, slid)) * inverse[1];
    if (!(push > 0.0) || !(rub >= 0.0)) { /* not a number */
        *r = rlti_v3(0, 0, 0);
        return RLTI_CONTACT_OPEN;
    }
    int stick = rub <= l->friction[0] * push;
    double share = stick ? inverse[1] : l->friction[1] * push / rub * inverse[1];
    *r = rlti_madd(rlti_scale(push, l->normal), -share, slid);
    if (push > l->most) /* it gives way, and stays in its cone */
        *r = rlti_scale(l->most / push, *r);
    return stick ? RLTI_CONTACT_STICK : RLTI_CONTACT_SLIP;
}

/* ---- sweeps ---- */

/* Where a contact slips it rubs less than where it sticks, and may stick again for that: for ever. After a
 * few times it has the kinetic coefficient in both. */
static void remember(lump *l, short state) {
    if (l->state == RLTI_CONTACT_SLIP && state == RLTI_CONTACT_STICK && l->again < RLTI_COUPLE_AGAIN)
        l->again++;
    l->state = state;
    if (l->again >= RLTI_COUPLE_AGAIN && l->friction[1] < l->friction[0])
        l->friction[0] = l->friction[1];
}

static inline void add_to(rlti_vec3 *x, double share, double softness, rlti_vec3 force) {
    *x = rlti_madd(*x, share * softness, force);
}

/* Contacts between objects read where points were when the sweep began. Returns by how much the largest
 * change of a force moves its contact, squared. */
static double sweep_contacts(const rlti_couple_work *w, const rlti_couple_task *task) {
    rlti_vec3 *work = w->couple->work, force;
    const rlti_vec3 *seen = task->object[0] != task->object[1] ? w->couple->old : work;
    const double *softness = w->strands->softness;
    double most = 0.0;
    for (lump *l = w->couple->lumps + task->lump, *end = l + task->contacts; l < end; l++) {
        rlti_vec3 moved = moved_by(l, seen);
        if (l->r.x == 0.0 && l->r.y == 0.0 && l->r.z == 0.0 && !(l->gap + rlti_dot(l->normal, moved) < 0.0)) {
            l->state = RLTI_CONTACT_OPEN;
            continue;
        }
        remember(l, law(l, moved, l->model, l->inverse, &force));
        rlti_vec3 change = rlti_sub(force, l->r);
        l->r = force;
        double by = l->model * l->model * rlti_dot(change, change);
        most = by > most ? by : most;
        int a = l->point[0], b = l->point[1];
        add_to(&work[a], 1.0 - l->share[0], softness[a], change);
        add_to(&work[a + 1], l->share[0], softness[a + 1], change);
        if (b < 0)
            continue;
        add_to(&work[b], l->share[1] - 1.0, softness[b], change);
        add_to(&work[b + 1], -l->share[1], softness[b + 1], change);
    }
    return most;
}

static void run_task(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    rlti_couple *couple = w->couple;
    const rlti_couple_task *task = &couple->tasks[w->pool_first + index];
    (void)worker;
    double contacts = sweep_contacts(w, task);
    double links = rlti_couple_sweep_links(couple, w->strands->softness, task);
    couple->off[w->pool_first + index] = fmax(sqrt(contacts), links);
}

static void keep_strand(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    int strand = w->couple->touched[index], from = w->couple->first[strand];
    (void)worker;
    memcpy(w->couple->old + from, w->couple->work + from,
           (size_t)(w->couple->first[strand + 1] - from) * sizeof(rlti_vec3));
}

/* Adds the forces that have moved the points of a strand in the sweep. */
static void push_strand(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    const rlti_couple *couple = w->couple;
    int strand = couple->touched[index];
    (void)worker;
    for (int p = couple->first[strand]; p < couple->first[strand + 1]; p++) {
        double softness = w->strands->softness[p];
        if (softness > 0.0)
            couple->force[p] =
                rlti_madd(couple->force[p], 1.0 / softness, rlti_sub(couple->work[p], couple->old[p]));
    }
}

/* Returns by how much the largest change of the last sweep has moved its item. */
static double sweep_all(rlti_couple_work *w, rlti_pool *pool) {
    rlti_couple *couple = w->couple;
    double most = 0.0;
    for (int sweep = 0; sweep < w->settings->max_lcp; sweep++) {
        rlti_pool_for(pool, couple->touched_count, keep_strand, w);
        for (int p = 0; p < couple->pool_count; p++) {
            w->pool_first = couple->pool_first[p];
            rlti_pool_for(pool, couple->pool_first[p + 1] - w->pool_first, run_task, w);
        }
        rlti_pool_for(pool, couple->touched_count, push_strand, w);
    }
    for (int t = 0; t < couple->task_count; t++)
        most = fmax(most, couple->off[t]);
    return most;
}

/* ---- strands ---- */

static void clear_strand(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    int strand = w->couple->touched[index], from = w->couple->first[strand];
    (void)worker;
    memset(w->couple->force + from, 0, (size_t)(w->couple->first[strand + 1] - from) * sizeof(rlti_vec3));
}

static void push_task(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    const rlti_couple *couple = w->couple;
    const rlti_couple_task *task = &couple->tasks[w->pool_first + index];
    (void)worker;
    for (const lump *l = couple->lumps + task->lump, *end = l + task->contacts; l < end; l++)
        for (int k = 0; k < 2 * sides_of(l); k++)
            couple->force[point_of(l, k)] = rlti_madd(couple->force[point_of(l, k)], weight_of(l, k), l->r);
    for (int k = task->spring; k < task->spring + task->count - task->contacts; k++) {
        const rlti_couple_spring *spring = &couple->springs[k];
        rlti_vec3 force = rlti_scale(spring->r, rlti_v3_at(spring->axis, 0));
        couple->force[spring->point[0]] = rlti_add(couple->force[spring->point[0]], force);
        couple->force[spring->point[1]] = rlti_sub(couple->force[spring->point[1]], force);
    }
}

/* Forces of all points, from those of items. */
static void sum_forces(rlti_couple_work *w, rlti_pool *pool) {
    rlti_couple *couple = w->couple;
    rlti_pool_for(pool, couple->touched_count, clear_strand, w);
    for (int p = 0; p < couple->pool_count; p++) {
        w->pool_first = couple->pool_first[p];
        rlti_pool_for(pool, couple->pool_first[p + 1] - w->pool_first, push_task, w);
    }
}

/* ---- measuring ---- */

/* How far items are from their laws, where the strands are now. */
static void measure_block(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    (void)worker;
    for (int s = index * BLOCK; s < (index + 1) * BLOCK && s < w->items.contact_count; s++) {
        const lump *l = &w->couple->lumps[s];
        rlti_couple_carried *more = &w->couple->carried[s];
        double own = block_of(w, l, 0), normal = own + more->give;
        const double inverse[2] = {own > 0.0 ? 1.0 / normal : 0.0, own > 0.0 ? 1.0 / own : 0.0};
        rlti_vec3 moved = moved_by(l, w->couple->work), force;
        w->items.contacts[l->item].state = (rlti_coulomb_state)law(l, moved, own, inverse, &force);
        rlti_vec3 change = rlti_sub(force, l->r);
        double along = rlti_dot(change, l->normal),
               across = fmax(rlti_dot(change, change) - along * along, 0.0);
        more->off = sqrt(across * own * own + along * along * normal * normal);
        more->deep = -(l->gap + rlti_dot(l->normal, moved));
    }
}

static void measure_link_block(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    (void)worker;
    for (int k = index * BLOCK; k < (index + 1) * BLOCK && k < w->items.link_count; k++)
        rlti_couple_measure_link(w->couple, k);
}

void rlti_couple_measure_lumped(rlti_couple_work *w, rlti_pool *pool, rlti_couple_result *result) {
    rlti_pool_for(pool, (w->items.contact_count + BLOCK - 1) / BLOCK, measure_block, w);
    rlti_pool_for(pool, (w->items.link_count + BLOCK - 1) / BLOCK, measure_link_block, w);
    rlti_couple_begin_result(w, result);
    for (int s = 0; s < w->items.contact_count; s++) {
        const lump *l = &w->couple->lumps[s];
        const rlti_couple_carried *more = &w->couple->carried[s];
        int touches = rlti_dot(l->r, l->normal) > 0.0;
        result->residual = more->off > result->residual ? more->off : result->residual;
        result->unresolved += !(more->off <= w->settings->tolerance);
        result->touching += touches;
        result->slipping += touches && w->items.contacts[l->item].state == RLTI_CONTACT_SLIP;
        double *deepest = &result->deepest_of[l->point[1] < 0];
        *deepest = more->deep > *deepest ? more->deep : *deepest;
        if (more->deep > result->deepest) {
            result->deepest = more->deep;
            result->deepest_contact = l->item;
        }
    }
}

/* ---- acceleration ---- */

/* Carries forces on in the direction of their last change (Nesterov), unless the step that was just made
 * points back (O'Donoghue and Candes). `momentum` begins as 1. Returns whether it has. */
static int carry_on(rlti_couple_work *w, int plain, double *momentum) {
    rlti_couple *couple = w->couple;
    double back = rlti_couple_links_back(couple, w->items.link_count);
    double next = 0.5 * (1.0 + sqrt(1.0 + 4.0 * *momentum * *momentum));
    for (int s = 0; s < w->items.contact_count; s++) {
        const lump *l = &couple->lumps[s];
        const rlti_couple_carried *c = &couple->carried[s];
        back += (l->model + c->give) * rlti_dot(rlti_sub(c->base, l->r), rlti_sub(l->r, c->last));
    }
    int restart = plain || back > 0.0;
    double share = restart ? 0.0 : (*momentum - 1.0) / next;
    *momentum = restart ? 1.0 : next;
    for (int s = 0; s < w->items.contact_count; s++) {
        lump *l = &couple->lumps[s];
        rlti_couple_carried *c = &couple->carried[s];
        rlti_vec3 now = l->r;
        l->r = rlti_madd(now, share, rlti_sub(now, c->last));
        c->base = l->r;
        c->last = now;
    }
    rlti_couple_carry_links(couple, w->items.link_count, share);
    return share > 0.0;
}

/* ---- solving ---- */

/* Iterates until the tolerance is met or all back-solves are made. Items are measured when the last sweep
 * has hardly changed anything, and at the end. Where forces were carried on, one more plain iteration brings
 * them back into their cones. */
void rlti_couple_solve_lumped(rlti_couple_work *w, rlti_pool *pool, rlti_couple_result *result) {
    enum { EVERY = 16 }; /* iterations between sums of all forces */
    const rlti_couple_settings *settings = w->settings;
    double momentum = 1.0;
    int carried = 0, close = 0, done = 0, iterations = 0;
    prepare(w, pool);
    if (settings->warm) {
        sum_forces(w, pool);
        rlti_couple_move_strands(w);
    }
    while (!done) {
        double change = sweep_all(w, pool);
        int last = ++iterations == settings->max_cbs;
        if (settings->accelerate)
            carried = carry_on(w, close || last, &momentum);
        if (last || carried || iterations % EVERY == 0)
            sum_forces(w, pool);
        rlti_couple_move_strands(w);
        close = 0;
        if (last || change <= settings->tolerance) {
            rlti_couple_measure_lumped(w, pool, result);
            close = settings->tolerance > 0.0 && result->residual <= settings->tolerance;
        }
        done = last || (close && !carried);
    }
    result->iterations = iterations;
    for (int s = 0; s < w->items.contact_count; s++)
        w->items.contacts[w->couple->lumps[s].item].force = w->couple->lumps[s].r;
}
