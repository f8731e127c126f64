/* Forces by the whole inverses of the strands' matrices: Gauss-Seidel over all contacts.
 *
 * Each contact in its turn sees where its strands are with all other forces, solves its law with its own
 * block of W = J inverse(A) J^T, and moves both strands, root to tip, by the change. So what a strand passes
 * on from one contact to another is exact at once, however stiff it is, and there are no back-solves.
 * Contacts that are open and have no force cost a look.
 *
 * Tasks of a pool have no strand in common: the result is that of working through them one after the other.
 */
#include <math.h>
#include <string.h>

#include "contact/couple/couple_data.h"

/* Changes of less than this share of the tolerance are left for later. */
#define WHOLE_SKIP 0.1

static double square_of(double a) {
    return a * a;
}

/* Moves a strand by a force at one of its edges. */
static void move_strand(const rlti_couple_work *w, int strand, int edge, const double weight[2],
                        rlti_vec3 force) {
    const double f[6] = {weight[0] * force.x, weight[0] * force.y, weight[0] * force.z,
                         weight[1] * force.x, weight[1] * force.y, weight[1] * force.z};
    w->strands->push(w->strands->context, strand, edge, f, w->couple->work + w->couple->first[strand]);
}

/* Returns how far the contact was from its law [unit]. */
static double update_contact(const rlti_couple_work *w, int k) {
    rlti_couple_local *local = &w->couple->locals[k];
    const rlti_couple_contact *contact = &w->items.contacts[k];
    double u[3], c[3], r[3], square = 0.0;
    rlti_couple_measure(local, contact, w->couple->work, u);
    int rests = local->r[0] == 0.0 && local->r[1] == 0.0 && local->r[2] == 0.0;
    if (rests && u[0] >= 0.0)
        return 0.0;
    if (!local->made)
        rlti_couple_make_blocks(w->couple, w->strands, w->settings, contact, local);
    for (int i = 0; i < 3; i++) {
        c[i] = u[i] + (i == 0 ? local->give * local->r[0] : 0.0);
        for (int j = 0; j < 3; j++)
            c[i] -= local->w[i][j] * local->r[j];
    }
    rlti_couple_apply(local, c, r);
    rlti_vec3 force = rlti_v3(0, 0, 0);
    for (int i = 0; i < 3; i++) {
        double by = 0.0;
        for (int j = 0; j < 3; j++)
            by += local->w[i][j] * (r[j] - local->r[j]);
        square += by * by;
        force = rlti_madd(force, r[i] - local->r[i], rlti_v3_at(local->axis[i], 0));
    }
    if (square <= square_of(WHOLE_SKIP * w->settings->tolerance))
        return sqrt(square); /* not worth moving strands for */
    for (int i = 0; i < 3; i++)
        local->r[i] = r[i];
    for (int side = 0; side < 2 && contact->strand[side] >= 0; side++)
        move_strand(w, contact->strand[side], contact->edge[side], local->weight + 2 * side, force);
    return sqrt(square);
}

static double update_link(const rlti_couple_work *w, int k) {
    rlti_couple_spring *spring = &w->couple->springs[k];
    const rlti_couple_link *link = &w->items.links[spring->item];
    double change = rlti_couple_change_link(w->couple, k), off = spring->model * fabs(change);
    if (off <= WHOLE_SKIP * w->settings->tolerance)
        return off;
    spring->r += change;
    for (int side = 0; side < 2; side++) {
        int strand = link->strand[side], points = w->couple->first[strand + 1] - w->couple->first[strand];
        int last = link->point[side] == points - 1;
        const double weight[2] = {last ? 0.0 : 1.0, last ? 1.0 : 0.0};
        move_strand(w, strand, link->point[side] - last, weight,
                    rlti_scale(side == 0 ? change : -change, rlti_v3_at(spring->axis, 0)));
    }
    return off;
}

static void run_task(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    const rlti_couple_task *task = &w->couple->plan.tasks[w->pool_first + index];
    double off = 0.0;
    (void)worker;
    w->couple->plan.off[w->pool_first + index] = 0.0;
    if (!rlti_couple_is_mine(w->couple, task))
        return;
    for (int k = 0; k < task->contacts; k++)
        off = fmax(off, update_contact(w, w->couple->plan.list[task->first + k]));
    for (int k = 0; k < task->count - task->contacts; k++)
        off = fmax(off, update_link(w, task->spring + k));
    w->couple->plan.off[w->pool_first + index] = off;
}

/* Tasks of the present pool, by several threads where they are worth a barrier. */
static void run_pool(rlti_couple_work *w, rlti_pool *pool, int tasks) {
    enum { WORTH = 128 };
    int contacts = 0;
    for (int t = 0; t < tasks; t++)
        contacts += w->couple->plan.tasks[w->pool_first + t].count;
    if (contacts >= WORTH)
        rlti_pool_for(pool, tasks, run_task, w);
    for (int t = 0; t < tasks && contacts < WORTH; t++)
        run_task(w, t, 0);
}

int rlti_couple_sweep(rlti_couple_work *w, rlti_pool *pool) {
    rlti_couple *couple = w->couple;
    int done = 0;
    rlti_couple_solve_strands(w, pool); /* by the forces they start with */
    while (done < w->settings->max_cbs) {
        double off = 0.0;
        if (done > 0)
            rlti_couple_hand_strands(couple, couple->plan.pool_count);
        for (int p = 0; p < couple->plan.pool_count; p++) {
            rlti_couple_hand_strands(couple, p);
            w->pool_first = couple->plan.pool_first[p];
            run_pool(w, pool, couple->plan.pool_first[p + 1] - w->pool_first);
        }
        for (int t = 0; t < couple->plan.task_count; t++)
            off = fmax(off, couple->plan.off[t]);
        off = rlti_couple_greatest(couple, off);
        done++;
        if (off <= w->settings->tolerance)
            break;
    }
    return done;
}
