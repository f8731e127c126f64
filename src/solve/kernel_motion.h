/* Velocities damped, then to positions: the damping loop with the velocity limit, and the move with the
 * stretch limit. */
#ifndef RLTI_SOLVE_KERNEL_MOTION_H
#define RLTI_SOLVE_KERNEL_MOTION_H

#include <math.h>

#include "solve/kernel_forces.h"

/* A limiter's new velocity is taken only where the point becomes slower, as seen from the root. Without this
 * a single fast point would drag everything beyond it along, and the limiters would create energy instead of
 * removing it. A velocity whose square is infinite is kept for the health check: limited, it would be the
 * root's, and diverged hair would stand still as if all were well. */
INLINE void limit_velocity(lane3 root, lane3 limited, lane_mask over, lane3 *v) {
    lane3 before = sub3(*v, root), after = sub3(limited, root);
    lane gain = lane_select(over, dot3(after, after) - dot3(before, before), lane_set(1));
    gain = lane_select(lane_less(lane_set(-(real)INFINITY), gain), gain, lane_set(1));
    lane_mask slower = lane_less(gain, lane_set(0));
    *v = select3(slower, limited, *v);
}

/* One damping step: c_b dv + (c_s - c_b)(dv.ehat) ehat on each edge (equations 1 and 4), and the core's
 * S^T c_c (nu.bhat) bhat with nu = S dv (equation 5; without S^T in the paper's form). Forward: the velocity
 * limit, then what is along the edge and along the core. Backward: forces to velocities. */
INLINE void damping_step(rlti_tile *t, const int limit, const int variational, const int core) {
    real *const v = t->v;
    real *const damping = t->damping;
    const int edges = t->points - 1;
    taz_filter cores = core_filter(t);
    lane speed2 = strand_row(t, L_SPEED2);
    lane3 v0 = load3(v);
    taz_filter_state cs = {zero3(), zero3()};

    for (int i = 0; i < edges; i++) {
        real *d = damping + (size_t)i * D_ROWS * LANES;
        real *vp = v + (size_t)(i + 1) * 3 * LANES;
        lane3 v1 = load3(vp);
        lane3 dv = sub3(v1, v0);
        if (limit) {
            lane square = dot3(dv, dv);
            lane_mask over = lane_less(speed2, square);
            if (__builtin_expect(lane_any(over), 0)) {
                lane scale = strand_row(t, L_SPEED) / lane_sqrt(lane_maximum(square, lane_set((real)1e-30)));
                limit_velocity(load3(v), add3(v0, scale3(scale, dv)), over, &v1);
                dv = sub3(v1, v0);
                store3(vp, v1);
            }
        }
        lane_store(d + D_ALONG * LANES, lane_load(d + D_CSB * LANES) * dot3(dv, load3(d + D_EDGE * LANES)));
        if (core) {
            if (i == 0)
                cs = taz_filter_begin(&cores, dv);
            taz_filter_next(&cores, &cs, dv);
            lane_store(d + D_RATE * LANES, dot3(cs.d, load3(d + D_CORE * LANES)));
        }
        v0 = v1;
    }

    /* Few values are carried from edge to edge here, and velocities are loaded anew, so that all stay in
     * registers. */
    cs.y = zero3();
    cs.d = zero3();
    lane3 beyond = zero3();
    for (int i = edges - 1; i >= 0; i--) {
        const real *d = damping + (size_t)i * D_ROWS * LANES;
        real *vp = v + (size_t)i * 3 * LANES;
        lane3 v1 = load3(vp + 3 * LANES), dv = sub3(v1, load3(vp));
        lane3 f = zero3();
        if (core) {
            f = scale3(lane_load(d + D_RATE * LANES), load3(d + D_CORE * LANES));
            if (variational) {
                taz_filter_transpose_next(&cores, &cs, f);
                f = cs.y;
                if (i == 0)
                    f = add3(f, taz_filter_transpose_root(&cores, &cs));
            }
        }
        f = fused3(lane_load(d + D_CB * LANES), dv, f);
        f = fused3(lane_load(d + D_ALONG * LANES), load3(d + D_EDGE * LANES), f);
        lane w = lane_load(d + (D_ROWS + D_W) * LANES); /* of the point beyond */
        store3(vp + 3 * LANES, fused3(w, sub3(beyond, f), v1));
        beyond = f;
    }
    /* the root itself moves only where it is free */
    lane w = lane_load(damping + D_W * LANES);
    store3(v, fused3(w, beyond, load3(v)));
}

INLINE void damp_with(rlti_tile *t, const int variational, const int core) {
    /* the velocity limit once per force step: damping itself only brings velocities together */
    if (t->damping_steps > 0)
        damping_step(t, 1, variational, core);
    for (int n = 1; n < t->damping_steps; n++)
        damping_step(t, 0, variational, core);
}

static void damp(rlti_tile *t) {
    if (t->variational && t->core)
        damp_with(t, 1, 1);
    else if (t->core)
        damp_with(t, 0, 1);
    else
        damp_with(t, 0, 0);
}

/* high + low += change, exactly rounded sum in two parts (Knuth's two-sum). */
INLINE void add_exact(lane *high, lane *low, lane change) {
    lane increment = *low + change;
    lane sum = *high + increment;
    lane part = sum - *high;
    *low = (*high - (sum - part)) + (increment - part);
    *high = sum;
}

INLINE void add_exact3(lane3 *high, lane3 *low, lane3 change) {
    add_exact(&high->x, &low->x, change.x);
    add_exact(&high->y, &low->y, change.y);
    add_exact(&high->z, &low->z, change.z);
}

/* Velocities to positions, and the root-to-tip stretch limit (section 3.1): an edge that is too long is
 * shortened by moving its tip-side point, which also loses the velocity that lengthened it. */
static void move(rlti_tile *t) {
    real *const x = t->x;
    real *const velocity = t->v;
    real *const scratch = t->scratch;
    const real *const constant = t->constant;
    lane h = lane_set((real)t->force_step);
    lane3 high0, low0, v0 = load3(velocity);
    if (t->driven) {
        high0 = load3(t->strand + L_NEXT_HIGH * LANES);
        low0 = load3(t->strand + L_NEXT_LOW * LANES);
    } else {
        high0 = load3(x);
        low0 = load3(x + 3 * LANES);
        add_exact3(&high0, &low0, scale3(h, v0));
    }
    store3(x, high0);
    store3(x + 3 * LANES, low0);

    for (int i = 1; i < t->points; i++) {
        real *xp = x + (size_t)i * 6 * LANES;
        real *vp = velocity + (size_t)i * 3 * LANES;
        lane3 high = load3(xp), low = load3(xp + 3 * LANES), v = load3(vp);
        add_exact3(&high, &low, scale3(h, v));
        lane3 e = add3(sub3(high, high0), sub3(low, low0));
        lane limit2 = lane_load(constant + ((size_t)(i - 1) * C_ROWS + C_LIMIT2) * LANES);
        lane square = dot3(e, e);
        lane_mask over = lane_less(limit2, square);
        if (__builtin_expect(lane_any(over), 0)) {
            lane shrink = lane_select(over, lane_sqrt(limit2 / lane_maximum(square, lane_set((real)1e-30))),
                                      lane_set(1));
            add_exact3(&high, &low, scale3(shrink - lane_set(1), e));
            lane rate =
                lane_maximum(dot3(sub3(v, v0), e), lane_set(0)) / lane_maximum(square, lane_set((real)1e-30));
            limit_velocity(load3(velocity), fused3(-rate, e, v), over, &v);
            store3(vp, v);
            e = add3(sub3(high, high0), sub3(low, low0));
        }
        store3(xp, high);
        store3(xp + 3 * LANES, low);
        store3(scratch + ((size_t)(i - 1) * S_ROWS + S_EDGE) * LANES, e);
        high0 = high;
        low0 = low;
        v0 = v;
    }
}

#endif
