/* Forces by blocks of the inverse: projected gradients with momentum (Nesterov), each contact with its own
 * block D of W = J inverse(A) J^T as the metric.
 *
 * An iteration starts at y = r + carry (r - last), where displacements are known without a back-solve, since
 * they are linear: u(y) = u(r) + carry (u(r) - u(last)). Each contact solves its law as if all it felt were
 * its own force, with D enlarged by `size`: that brings forces nearer to the solution as long as
 *   d W d <= size d D d   for the step d = next - y,
 * which the back-solve of `next` shows: d W d = d (u(next) - u(y)). Where it does not hold, the step is made
 * again with a greater size; where it does, the size shrinks a little. Momentum begins anew whenever a step
 * points back (O'Donoghue and Candes). Forces are within their cones after every iteration.
 *
 * Contacts do not see each other within an iteration: their order plays no part. */
#include <math.h>
#include <string.h>

#include "contact/couple/couple_data.h"

enum { BLOCK = RLTI_COUPLE_BLOCK };

/* How the size grows beyond what was just seen, and shrinks. */
#define DESCENT_MORE 1.2
#define DESCENT_LESS 0.95

/* The compliance is part of W, exactly. */
static double give_of(const rlti_couple_local *local, int i) {
    return i == 0 ? local->give : 0.0;
}

/* The enlarged block: that of the strands, and the compliance as it is. */
static void enlarge(const rlti_couple_local *local, double size, double model[3][3]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            model[i][j] = size * (local->model[i][j] - (i == j ? give_of(local, i) : 0.0)) +
                          (i == j ? give_of(local, i) : 0.0);
}

/* From y to the force that the law gives there. */
static void step_block(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    rlti_couple_sums *sums = &w->couple->sums[index];
    (void)worker;
    *sums = (rlti_couple_sums){0};
    for (int k = index * BLOCK; k < (index + 1) * BLOCK && k < w->count; k++) {
        rlti_couple_local *local = &w->couple->locals[k];
        double model[3][3], c[3], square = 0.0;
        enlarge(local, w->size, model);
        for (int i = 0; i < 3; i++) {
            local->base[i] = local->r[i] + w->carry * (local->r[i] - local->last[i]);
            local->near_u[i] = local->u[i] + w->carry * (local->u[i] - local->last_u[i]);
        }
        for (int i = 0; i < 3; i++) {
            c[i] = local->near_u[i] + give_of(local, i) * local->base[i];
            for (int j = 0; j < 3; j++)
                c[i] -= model[i][j] * local->base[j];
        }
        rlti_couple_apply(local, (const double(*)[3])model, c, local->next);
        for (int i = 0; i < 3; i++) {
            double by = 0.0, d = local->next[i] - local->base[i];
            for (int j = 0; j < 3; j++)
                by += model[i][j] * (local->next[j] - local->base[j]);
            sums->model += d * (by - give_of(local, i) * d);
            sums->back -= d * (local->next[i] - local->r[i]) * local->model[0][0];
            square += by * by;
        }
        local->off = sqrt(square);
        sums->off = fmax(sums->off, local->off);
    }
}

/* Exchanges r and next, so that the back-solve takes the new forces. */
static void swap_block(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    (void)worker;
    for (int k = index * BLOCK; k < (index + 1) * BLOCK && k < w->count; k++) {
        rlti_couple_local *local = &w->couple->locals[k];
        for (int i = 0; i < 3; i++) {
            double r = local->r[i];
            local->r[i] = local->next[i];
            local->next[i] = r;
        }
    }
}

/* Displacements of the new forces, and how much the step bends them. The last ones move on to `last_u`. */
static void bend_block(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    rlti_couple_sums *sums = &w->couple->sums[index];
    (void)worker;
    for (int k = index * BLOCK; k < (index + 1) * BLOCK && k < w->count; k++) {
        rlti_couple_local *local = &w->couple->locals[k];
        double u[3];
        rlti_couple_measure(local, &w->contacts[k], w->couple->work, u);
        for (int i = 0; i < 3; i++) {
            sums->bent += (local->r[i] - local->base[i]) * (u[i] - local->near_u[i]);
            local->near_u[i] = u[i];
        }
    }
}

/* The new forces are kept, with their displacements. */
static void accept_block(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    (void)worker;
    for (int k = index * BLOCK; k < (index + 1) * BLOCK && k < w->count; k++) {
        rlti_couple_local *local = &w->couple->locals[k];
        for (int i = 0; i < 3; i++) {
            local->last[i] = local->next[i];
            local->last_u[i] = local->u[i];
            local->u[i] = local->near_u[i];
        }
    }
}

static void first_block(void *context, int index, int worker) {
    const rlti_couple_work *w = context;
    (void)worker;
    for (int k = index * BLOCK; k < (index + 1) * BLOCK && k < w->count; k++) {
        rlti_couple_local *local = &w->couple->locals[k];
        rlti_couple_measure(local, &w->contacts[k], w->couple->work, local->u);
        memcpy(local->last_u, local->u, sizeof local->u);
    }
}

/* Of all blocks, in order. */
static rlti_couple_sums sum_blocks(const rlti_couple_work *w, int blocks) {
    rlti_couple_sums all = {0};
    for (int b = 0; b < blocks; b++) {
        const rlti_couple_sums *part = &w->couple->sums[b];
        all.bent += part->bent;
        all.model += part->model;
        all.back += part->back;
        all.off = fmax(all.off, part->off);
    }
    return all;
}

int rlti_couple_descend(rlti_couple_work *w, rlti_pool *pool) {
    int blocks = (w->count + BLOCK - 1) / BLOCK, done = 0;
    double momentum = 1.0;
    w->size = 1.0;
    w->carry = 0.0;
    rlti_couple_solve_strands(w, pool);
    rlti_pool_for(pool, blocks, first_block, w);
    while (done < w->settings->max_cbs) {
        rlti_pool_for(pool, blocks, step_block, w);
        if (w->settings->tolerance > 0.0 && sum_blocks(w, blocks).off <= w->settings->tolerance) {
            if (w->carry == 0.0)
                break;      /* there already */
            w->carry = 0.0; /* if so from r, too */
            momentum = 1.0;
            continue;
        }
        rlti_pool_for(pool, blocks, swap_block, w);
        rlti_couple_solve_strands(w, pool);
        rlti_pool_for(pool, blocks, bend_block, w);
        done++;
        rlti_couple_sums sums = sum_blocks(w, blocks);
        /* the model's part of the sum has the size in it */
        if (sums.bent > sums.model * (1.0 + 1e-9) && done < w->settings->max_cbs) {
            w->size *= DESCENT_MORE * sums.bent / sums.model;
            rlti_pool_for(pool, blocks, swap_block, w);
            continue;
        }
        rlti_pool_for(pool, blocks, accept_block, w);
        double next = 0.5 * (1.0 + sqrt(1.0 + 4.0 * momentum * momentum));
        int restart = sums.back > 0.0 || !w->settings->accelerate;
        w->carry = restart ? 0.0 : (momentum - 1.0) / next;
        momentum = restart ? 1.0 : next;
        w->size = fmax(DESCENT_LESS * w->size, 1.0);
    }
    return done;
}
