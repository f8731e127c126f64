#include "contact/couple/couple.h"

#include <string.h>

#include "base/list.h"
#include "base/memory.h"
#include "contact/couple/couple_data.h"

enum { BLOCK = 256 };

/* ---- the handle ---- */

int rlti_couple_group(int strand_count, const int *first, const int *order, int points, int *object) {
    int count = 0, sum = 0;
    for (int k = 0; k < strand_count; k++) {
        int s = order != NULL ? order[k] : k, size = first[s + 1] - first[s];
        if (sum > 0 && sum + size > points) {
            sum = 0;
            count++;
        }
        sum += size;
        object[s] = count;
    }
    return strand_count > 0 ? count + 1 : 0;
}

static int build(rlti_couple *couple, const int *first, const int *object) {
    int strands = couple->strand_count;
    couple->point_count = first[strands];
    couple->first = RLTI_NEW(int, (size_t)strands + 1);
    couple->object = RLTI_NEW(int, strands);
    couple->work = RLTI_NEW(rlti_vec3, couple->point_count);
    couple->force = RLTI_NEW(rlti_vec3, couple->point_count);
    couple->strand_first = RLTI_NEW(int, (size_t)strands + 1);
    couple->touched = RLTI_NEW(int, strands);
    if (couple->first == NULL || couple->object == NULL || couple->work == NULL || couple->force == NULL ||
        couple->strand_first == NULL || couple->touched == NULL)
        return 0;
    memcpy(couple->first, first, ((size_t)strands + 1) * sizeof *first);
    for (int s = 0; s < strands; s++) {
        couple->object[s] = object[s];
        couple->object_count = object[s] + 1 > couple->object_count ? object[s] + 1 : couple->object_count;
    }
    couple->bucket = RLTI_NEW(int, (size_t)couple->object_count + 1);
    return couple->bucket != NULL;
}

rlti_couple *rlti_couple_create(int strand_count, const int *first, const int *object) {
    rlti_couple *couple = RLTI_NEW(rlti_couple, 1);
    if (couple == NULL)
        return NULL;
    couple->strand_count = strand_count;
    if (!build(couple, first, object)) {
        rlti_couple_destroy(couple);
        return NULL;
    }
    return couple;
}

void rlti_couple_destroy(rlti_couple *couple) {
    if (couple == NULL)
        return;
    RLTI_FREE(couple->first, couple->object, couple->work, couple->force, couple->strand_first,
              couple->touched, couple->locals, couple->springs, couple->memory, couple->strand_list,
              couple->bucket, couple->corner);
    rlti_couple_plan_free(&couple->plan);
    rlti_couple_free_batches(couple);
    rlti_couple_free_ranks(couple);
    rlti_free(couple);
}

size_t rlti_couple_bytes(const rlti_couple *couple) {
    return sizeof *couple + (size_t)couple->point_count * 2 * sizeof(rlti_vec3) +
           (size_t)couple->strand_count * 4 * sizeof(int) +
           (size_t)couple->local_capacity * sizeof *couple->locals +
           (size_t)couple->spring_capacity * sizeof *couple->springs +
           (size_t)couple->memory_capacity * sizeof *couple->memory +
           (size_t)couple->corner_capacity * sizeof *couple->corner +
           (size_t)couple->list_capacity * sizeof *couple->strand_list +
           rlti_couple_plan_bytes(&couple->plan) + rlti_couple_batch_bytes(couple) +
           rlti_couple_rank_bytes(couple);
}

/* Memory by inverses, with a quarter of the contacts to spare. */
static int reserve(rlti_couple *couple, const rlti_couple_items *items) {
    int links = items->link_count, contacts = items->contact_count;
    return (contacts <= couple->local_capacity ||
            RLTI_LIST_RESERVE(couple->locals, 0, contacts + contacts / 4 + 64, couple->local_capacity)) &&
           RLTI_LIST_RESERVE(couple->springs, 0, links, couple->spring_capacity) &&
           RLTI_LIST_RESERVE(couple->memory, 0, links, couple->memory_capacity) &&
           RLTI_LIST_RESERVE(couple->strand_list, 0, 2 * rlti_couple_count(items), couple->list_capacity) &&
           RLTI_LIST_RESERVE(couple->corner, 0, links > 0 ? couple->point_count : 0, couple->corner_capacity);
}

/* ---- one solution ---- */

/* Lists the strands that have items, and counts these: strand_first[s + 1] of strand s. */
static void list_touched(rlti_couple *couple, const rlti_couple_items *items) {
    int *first = couple->strand_first, sides = 2 * rlti_couple_count(items);
    memset(first, 0, ((size_t)couple->strand_count + 1) * sizeof *first);
    for (int k = 0; k < sides; k++) {
        int strand = rlti_couple_strand(items, k / 2, k & 1);
        if (strand >= 0)
            first[strand + 1]++;
    }
    couple->touched_count = 0;
    for (int s = 0; s < couple->strand_count; s++)
        if (first[s + 1] > 0)
            couple->touched[couple->touched_count++] = s;
}

/* Lists the items of every strand, in order; links by their place in the order of tasks. */
static void list_strands(rlti_couple *couple, const rlti_couple_items *items) {
    int *first = couple->strand_first, sides = 2 * rlti_couple_count(items);
    for (int s = 0; s < couple->strand_count; s++)
        first[s + 1] += first[s];
    for (int k = 0; k < sides; k++) {
        int item = k / 2, link = item - items->contact_count;
        int strand = rlti_couple_strand(
            items, link < 0 ? item : items->contact_count + couple->springs[link].item, k & 1);
        if (strand >= 0)
            couple->strand_list[first[strand]++] = k;
    }
    for (int s = couple->strand_count; s > 0; s--) /* each start has become the end */
        first[s] = first[s - 1];
    first[0] = 0;
}

static rlti_vec3 world_force(const rlti_couple_local *local, const double r[3]) {
    rlti_vec3 force = rlti_v3(0, 0, 0);
    for (int k = 0; k < 3; k++)
        force = rlti_madd(force, r[k], rlti_v3_at(local->axis[k], 0));
    return force;
}

static void push_contact(const rlti_couple *couple, const rlti_couple_local *local, int side) {
    rlti_vec3 f = world_force(local, local->r);
    for (int i = 0; i < 2; i++) {
        rlti_vec3 *at = &couple->force[local->point[side] + i];
        *at = rlti_madd(*at, local->weight[2 * side + i], f);
    }
}

static void push_link(const rlti_couple *couple, const rlti_couple_spring *spring, int side) {
    rlti_vec3 *at = &couple->force[spring->point[side]];
    *at = rlti_madd(*at, side == 0 ? spring->r : -spring->r, rlti_v3_at(spring->axis, 0));
}

/* The forces of all items of a strand. */
static void push_strand(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    rlti_couple *couple = w->couple;
    int strand = couple->touched[index], from = couple->first[strand], contacts = w->items.contact_count;
    (void)worker;
    memset(couple->force + from, 0, (size_t)(couple->first[strand + 1] - from) * sizeof *couple->force);
    for (int k = couple->strand_first[strand]; k < couple->strand_first[strand + 1]; k++) {
        int item = couple->strand_list[k] / 2, side = couple->strand_list[k] & 1;
        if (item < contacts)
            push_contact(couple, &couple->locals[item], side);
        else
            push_link(couple, &couple->springs[item - contacts], side);
    }
}

static void move_strands(rlti_couple_work *w) {
    rlti_couple *couple = w->couple;
    w->strands->solve(w->strands->context, couple->touched, couple->touched_count, couple->force,
                      couple->work);
    for (int t = 0; t < couple->touched_count; t++)
        for (int p = couple->first[couple->touched[t]]; p < couple->first[couple->touched[t] + 1]; p++)
            couple->work[p] = rlti_add(couple->free[p], couple->work[p]);
}

void rlti_couple_solve_strands(rlti_couple_work *w, rlti_pool *pool) {
    rlti_pool_for(pool, w->couple->touched_count, push_strand, w);
    move_strands(w);
}

/* W v, and the displacement that a law would be solved with: c = u - W r, where the contact itself gives
 * way. */
static void rest_of(const rlti_couple_local *local, const double matrix[3][3], const double u[3],
                    const double r[3], double c[3]) {
    for (int i = 0; i < 3; i++) {
        c[i] = u[i] + (i == 0 ? local->give * r[0] : 0.0);
        for (int j = 0; j < 3; j++)
            c[i] -= matrix[i][j] * r[j];
    }
}

/* How far a contact is from its law, where the strands are now. */
static void measure_contact(const rlti_couple_work *w, int k) {
    rlti_couple_local *local = &w->couple->locals[k];
    rlti_couple_contact *contact = &w->items.contacts[k];
    double c[3], best[3], square = 0.0, lambda = local->lambda;
    rlti_coulomb_block law;
    rlti_couple_measure(local, contact, w->couple->work, local->u);
    if (!local->made && !(local->u[0] < 0.0)) { /* it has never touched */
        contact->state = RLTI_CONTACT_OPEN;
        local->off = 0.0;
        return;
    }
    if (!local->made)
        rlti_couple_make_blocks(w->couple, w->strands, w->settings, contact, local);
    rlti_coulomb_prepare((const double(*)[3])local->w, &law);
    rest_of(local, (const double(*)[3])local->w, local->u, local->r, c);
    contact->state = rlti_coulomb_solve(&law, c, local->friction, &lambda, best);
    for (int i = 0; i < 3; i++) {
        double off = 0.0;
        for (int j = 0; j < 3; j++)
            off += local->w[i][j] * (best[j] - local->r[j]);
        square += off * off;
        local->base[i] = local->r[i];
    }
    local->off = sqrt(square);
}

/* Ranks that share a solution measure what they have solved: only they know how often it has stuck again. */
static int measures(const rlti_couple_work *w, int item) {
    int link = item - w->items.contact_count;
    if (w->couple->ranks == NULL)
        return 1;
    if (link >= 0)
        item = w->items.contact_count + w->couple->springs[link].item;
    return rlti_couple_is_solved_here(w->couple, rlti_couple_strand(&w->items, item, 0),
                                      rlti_couple_strand(&w->items, item, 1));
}

static void measure_block(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    int contacts = w->items.contact_count;
    (void)worker;
    for (int k = index * BLOCK; k < (index + 1) * BLOCK && k < rlti_couple_count(&w->items); k++) {
        if (!measures(w, k))
            continue;
        if (k < contacts)
            measure_contact(w, k);
        else
            rlti_couple_measure_link(w->couple, k - contacts);
    }
}

/* Where a contact slips it rubs less than where it sticks, and may stick again for that: for ever. After a
 * few times it has the kinetic coefficient in both. */
void rlti_couple_apply(rlti_couple_local *local, const double c[3], double r[3]) {
    rlti_coulomb_state state = rlti_coulomb_solve(&local->law, c, local->friction, &local->lambda, r);
    local->again += local->state == RLTI_CONTACT_SLIP && state == RLTI_CONTACT_STICK;
    local->state = state;
    if (local->again >= RLTI_COUPLE_AGAIN && local->friction[1] < local->friction[0])
        local->friction[0] = local->friction[1];
    if (r[0] > local->most) /* it gives way, and stays in its cone */
        for (int k = 2; k >= 0; k--)
            r[k] *= local->most / r[0];
}

/* By blocks of the inverse: each item for itself. */
static void update_block(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    int contacts = w->items.contact_count;
    (void)worker;
    for (int k = index * BLOCK; k < (index + 1) * BLOCK && k < rlti_couple_count(&w->items); k++) {
        if (k >= contacts) {
            rlti_couple_update_link(w->couple, k - contacts);
            continue;
        }
        rlti_couple_local *local = &w->couple->locals[k];
        double c[3];
        rest_of(local, (const double(*)[3])local->model, local->u, local->base, c);
        rlti_couple_apply(local, c, local->r);
    }
}

static void update_all(rlti_couple_work *w, rlti_pool *pool) {
    rlti_pool_for(pool, (rlti_couple_count(&w->items) + BLOCK - 1) / BLOCK, update_block, w);
}

void rlti_couple_begin_result(const rlti_couple_work *w, rlti_couple_result *result) {
    *result = (rlti_couple_result){.contacts = w->items.contact_count,
                                   .links = w->items.link_count,
                                   .iterations = result->iterations,
                                   .deepest_contact = -1,
                                   .pools = w->couple->plan.pool_count,
                                   .tasks = w->couple->plan.task_count};
}

/* Where the strands are now. */
static void measure_here(rlti_couple_work *w, rlti_pool *pool, rlti_couple_result *result) {
    rlti_pool_for(pool, (rlti_couple_count(&w->items) + BLOCK - 1) / BLOCK, measure_block, w);
    rlti_couple_begin_result(w, result);
    for (int k = 0; k < w->items.link_count; k++) {
        if (!measures(w, w->items.contact_count + k))
            continue;
        double off = w->couple->memory[k].off;
        result->residual = off > result->residual ? off : result->residual;
        result->unresolved_links += !(off <= w->settings->tolerance);
    }
    for (int k = 0; k < w->items.contact_count; k++) {
        const rlti_couple_local *local = &w->couple->locals[k];
        if (!measures(w, k))
            continue;
        result->residual = local->off > result->residual ? local->off : result->residual;
        result->unresolved += !(local->off <= w->settings->tolerance);
        result->touching += local->r[0] > 0.0;
        result->bodies += w->items.contacts[k].strand[1] < 0;
        result->bodies_touching += w->items.contacts[k].strand[1] < 0 && local->r[0] > 0.0;
        result->slipping += local->r[0] > 0.0 && w->items.contacts[k].state == RLTI_CONTACT_SLIP;
        double *deepest = &result->deepest_of[w->items.contacts[k].strand[1] < 0];
        result->deepest = fmax(result->deepest, -local->u[0]);
        if (!(-local->u[0] > *deepest))
            continue;
        *deepest = -local->u[0];
        if (w->items.contacts[k].strand[1] >= 0)
            result->deepest_contact = k;
    }
    rlti_couple_combine(w->couple, result->deepest_contact, result);
}

static void measure_all(rlti_couple_work *w, rlti_pool *pool, rlti_couple_result *result) {
    if (result->iterations > 0)
        rlti_couple_solve_strands(w, pool);
    measure_here(w, pool, result);
}

/* Carries forces on in the direction of their last change (Nesterov), unless the step that was just made
 * points back (O'Donoghue and Candes). `momentum` begins as 1. Returns whether it has. */
static int carry_on(rlti_couple_work *w, int plain, double *momentum) {
    double back = rlti_couple_links_back(w->couple, w->items.link_count);
    double next = 0.5 * (1.0 + sqrt(1.0 + 4.0 * *momentum * *momentum));
    for (int k = 0; k < w->items.contact_count; k++) {
        const rlti_couple_local *local = &w->couple->locals[k];
        for (int i = 0; i < 3; i++)
            back += local->model[0][0] * (local->base[i] - local->r[i]) * (local->r[i] - local->last[i]);
    }
    int restart = plain || back > 0.0;
    double share = restart ? 0.0 : (*momentum - 1.0) / next;
    *momentum = restart ? 1.0 : next;
    for (int k = 0; k < w->items.contact_count; k++) {
        rlti_couple_local *local = &w->couple->locals[k];
        for (int i = 0; i < 3; i++) {
            double now = local->r[i];
            local->r[i] += share * (now - local->last[i]);
            local->last[i] = now;
        }
    }
    rlti_couple_carry_links(w->couple, w->items.link_count, share);
    return share > 0.0;
}

/* Iterates until the tolerance is met or all back-solves are made. Where forces were carried on, one more
 * plain iteration brings them back into their cones. */
static void iterate(rlti_couple_work *w, rlti_pool *pool, rlti_couple_result *result) {
    const rlti_couple_settings *settings = w->settings;
    double momentum = 1.0;
    int carried = 0;
    if (settings->block == RLTI_COUPLE_WHOLE) {
        result->iterations = rlti_couple_sweep(w, pool);
        rlti_couple_share_items(w->couple);
        measure_all(w, pool, result);
        return;
    }
    if (settings->warm)
        rlti_couple_solve_strands(w, pool);
    measure_all(w, pool, result);
    while (result->iterations < settings->max_cbs) {
        int close = settings->tolerance > 0.0 && result->residual <= settings->tolerance;
        if (close && !carried)
            return;
        update_all(w, pool);
        result->iterations++;
        if (settings->accelerate)
            carried = carry_on(w, close || result->iterations == settings->max_cbs, &momentum);
        measure_all(w, pool, result);
    }
}

/* Links in the order of tasks. */
static void place_links(rlti_couple *couple, const rlti_couple_items *items) {
    int spring = 0;
    for (int t = 0; t < couple->plan.task_count; t++) {
        rlti_couple_task *task = &couple->plan.tasks[t];
        task->spring = spring;
        for (int k = task->contacts; k < task->count; k++)
            couple->springs[spring++].item = couple->plan.list[task->first + k] - items->contact_count;
    }
}

/* By blocks of the inverse, or whole inverses; 0 when out of memory. */
static int solve_inverse(rlti_couple_work *w, rlti_pool *pool, rlti_couple_result *result) {
    int done = reserve(w->couple, &w->items) &&
               rlti_couple_schedule(w->couple, pool, &w->couple->plan, &w->items, 0, NULL);
    if (done)
        rlti_couple_assign(w->couple);
    done = done && rlti_couple_plan_strands(w->couple, &w->items);
    if (rlti_couple_any_failed(w->couple, !done))
        return 0;
    list_touched(w->couple, &w->items);
    place_links(w->couple, &w->items);
    list_strands(w->couple, &w->items);
    rlti_couple_prepare(w->couple, pool, w->strands, w->settings, &w->items);
    iterate(w, pool, result);
    for (int k = 0; k < w->items.contact_count; k++)
        w->items.contacts[k].force = world_force(&w->couple->locals[k], w->couple->locals[k].r);
    for (int k = 0; k < w->items.link_count; k++)
        w->items.links[w->couple->springs[k].item].force = w->couple->springs[k].r;
    return 1;
}

int rlti_couple_solve(rlti_couple *couple, rlti_pool *pool, const rlti_couple_operator *strands,
                      const rlti_couple_settings *settings, rlti_couple_contact *contacts, int count,
                      rlti_couple_link *links, int link_count, rlti_vec3 *moved, rlti_couple_result *result) {
    rlti_couple_work w = {.couple = couple,
                          .strands = strands,
                          .settings = settings,
                          .items = {contacts, count, links, link_count},
                          .ends = moved};
    *result = (rlti_couple_result){.deepest_contact = -1};
    if (count + link_count == 0)
        return 1;
    memset(couple->force, 0,
           (size_t)couple->point_count * sizeof *couple->force); /* of all, not only listed */
    if (settings->block == RLTI_COUPLE_LUMPED) {
        rlti_couple_set_form(couple, settings->single ? &rlti_couple_form_single : &rlti_couple_form_double);
        return couple->form->solve(&w, pool, result);
    }
    couple->free = moved; /* which is written at the end */
    memcpy(couple->work, moved, (size_t)couple->point_count * sizeof *moved);
    if (!solve_inverse(&w, pool, result))
        return 0;
    for (int t = 0; t < couple->touched_count; t++) {
        int from = couple->first[couple->touched[t]], end = couple->first[couple->touched[t] + 1];
        memcpy(moved + from, couple->work + from, (size_t)(end - from) * sizeof *moved);
    }
    return 1;
}

void rlti_couple_measure_again(rlti_couple *couple, rlti_pool *pool, const rlti_couple_operator *strands,
                               const rlti_couple_settings *settings, rlti_couple_contact *contacts, int count,
                               rlti_couple_link *links, int link_count, const rlti_vec3 *moved,
                               rlti_couple_result *result) {
    rlti_couple_work w = {.couple = couple,
                          .strands = strands,
                          .settings = settings,
                          .items = {contacts, count, links, link_count},
                          .moved = {moved, NULL}};
    if (count + link_count == 0)
        return;
    if (settings->block == RLTI_COUPLE_LUMPED) {
        couple->form->measure(&w, pool, result);
        return;
    }
    memcpy(couple->work, moved, (size_t)couple->point_count * sizeof *moved);
    measure_here(&w, pool, result);
}
