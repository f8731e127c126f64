/* From positions to forces to velocities: the root's motion, the strand's springs, air, contact planes.
 *
 * Root to tip: edges, smoothed curves, frames, targets. Tip to root: edge forces, with the transposes of
 * frames and filters in the variational form. The formulas are in model/taz_*.h. */
#ifndef RLTI_SOLVE_KERNEL_FORCES_H
#define RLTI_SOLVE_KERNEL_FORCES_H

#include "body/segment.h"
#include "model/taz_bend.h"
#include "model/taz_core.h"
#include "model/taz_filter.h"
#include "model/taz_frame.h"
#include "model/taz_stretch.h"
#include "solve/kernel_tile.h"

/* The scalp frame at s (fraction of the frame). In double and per strand: a few operations per force step. */
static void aim_root(rlti_tile *t, double s) {
    for (int k = 0; k < t->strands; k++) {
        rlti_quat rotation = rlti_quat_normalize(rlti_segment_rotation(&t->motion[k], s));
        set_root_frame(t, k, rlti_quat_rotate(rotation, t->rest_u[k]),
                       rlti_quat_rotate(rotation, t->rest_n[k]));
    }
}

/* The root for the force step that begins at s: its frame now, its velocity in the middle of the step, and
 * where it will be at the end. */
static void drive_root(rlti_tile *t, double s, double frame_step, double rate) {
    aim_root(t, s);
    for (int k = 0; k < t->strands; k++) {
        rlti_vec3 velocity = rlti_segment_velocity(&t->motion[k], s + 0.5 * frame_step, rate);
        rlti_vec3 next = rlti_segment_position(&t->motion[k], s + frame_step);
        double v[3] = {velocity.x, velocity.y, velocity.z}, p[3] = {next.x, next.y, next.z};
        for (int axis = 0; axis < 3; axis++) {
            row(t->v, 3, 0, axis)[k] = (real)v[axis];
            real high = (real)p[axis];
            row(t->strand, L_ROWS, 0, L_NEXT_HIGH + axis)[k] = high;
            row(t->strand, L_ROWS, 0, L_NEXT_LOW + axis)[k] = (real)(p[axis] - (double)high);
        }
    }
}

INLINE lane strand_row(const rlti_tile *t, int which) {
    return lane_load(t->strand + (size_t)which * LANES);
}

INLINE taz_filter bend_filter(const rlti_tile *t) {
    taz_filter f = {strand_row(t, L_BEND_POLE), strand_row(t, L_BEND_Y), strand_row(t, L_BEND_D),
                    lane_set(1)};
    return f;
}

INLINE taz_filter core_filter(const rlti_tile *t) {
    taz_filter f = {strand_row(t, L_CORE_POLE), strand_row(t, L_CORE_Y), strand_row(t, L_CORE_D),
                    strand_row(t, L_CORE_UNSCALE)};
    return f;
}

/* Sums over a strand that the backward pass needs. */
typedef struct core_sums {
    lane length; /* L = sum |b_i| */
    lane rise;   /* sum dk_i l P(z_i): what the second blend multiplies */
} core_sums;

/* The springs take five short sweeps along the strand rather than two long ones: a sweep's chain of dependent
 * operations (filter, square root, division, rotation) is long, and short loop bodies let the processor work
 * on several edges at once. */

/* Root to tip: edge directions, tensions, and the directions u of the curve smoothed for bending. */
INLINE void smooth_edges(rlti_tile *t) {
    const real *const constant = t->constant;
    real *const damping = t->damping;
    real *const scratch = t->scratch;
    const int edges = t->points - 1;
    taz_filter bend = bend_filter(t);
    lane floor = strand_row(t, L_BEND_FLOOR), inverse_floor = strand_row(t, L_BEND_INVERSE_FLOOR);
    taz_filter_state bs = taz_filter_begin(&bend, load3(scratch + S_EDGE * LANES));
    for (int i = 0; i < edges; i++) {
        const real *c = constant + (size_t)i * C_ROWS * LANES;
        real *d = damping + (size_t)i * D_ROWS * LANES;
        real *s = scratch + (size_t)i * S_ROWS * LANES;
        lane3 e = load3(s + S_EDGE * LANES);
        lane length = lane_sqrt(dot3(e, e));
        lane inverse = lane_set(1) / lane_maximum(length, lane_set((real)1e-12));
        store3(d + D_EDGE * LANES, scale3(inverse, e));
        lane_store(s + S_TENSION * LANES,
                   taz_stretch_tension(lane_load(c + C_KS * LANES), length, lane_load(c + C_REST * LANES)));
        taz_filter_next(&bend, &bs, e);
        lane g, across;
        store3(s + S_U * LANES, taz_direction(bs.d, floor, inverse_floor, &g, &across));
        lane_store(s + S_G * LANES, g);
        lane_store(s + S_ACROSS * LANES, across);
    }
}

INLINE taz_frame root_frame(const rlti_tile *t) {
    taz_frame f = {load3(t->strand + L_ROOT_U * LANES), load3(t->strand + L_ROOT_N * LANES)};
    return f;
}

/* Root to tip: the scalp frame carried along u, and each edge's target in the frame of the edge before. */
INLINE void carry_frames(rlti_tile *t) {
    const real *const constant = t->constant;
    real *const scratch = t->scratch;
    const int edges = t->points - 1;
    taz_frame frame = root_frame(t);
    for (int i = 0; i < edges; i++) {
        const real *c = constant + (size_t)i * C_ROWS * LANES;
        real *s = scratch + (size_t)i * S_ROWS * LANES;
        store3(s + S_TARGET * LANES, taz_frame_vector(&frame, load3(c + C_TARGET * LANES)));
        taz_carry carry = taz_frame_carry(&frame, load3(s + S_U * LANES));
        store3(s + S_N * LANES, frame.n);
        lane_store(s + S_R * LANES, carry.r);
        lane_store(s + S_P * LANES, carry.p);
    }
}

/* Root to tip: the core's smoothed edges, how far they reach beyond rest, and the sums for the second blend.
 */
INLINE core_sums reach_of_core(rlti_tile *t) {
    const real *const constant = t->constant;
    real *const damping = t->damping;
    real *const scratch = t->scratch;
    const int edges = t->points - 1;
    taz_filter cores = core_filter(t);
    lane per_segment = strand_row(t, L_PER_SEGMENT);
    taz_filter_state cs = taz_filter_begin(&cores, load3(scratch + S_EDGE * LANES));
    core_sums sums = {lane_set(0), lane_set(0)};
    for (int i = 0; i < edges; i++) {
        const real *c = constant + (size_t)i * C_ROWS * LANES;
        real *d = damping + (size_t)i * D_ROWS * LANES;
        real *s = scratch + (size_t)i * S_ROWS * LANES;
        taz_filter_next(&cores, &cs, load3(s + S_EDGE * LANES));
        lane scaled = lane_sqrt(dot3(cs.d, cs.d));
        store3(d + D_CORE * LANES, scale3(lane_set(1) / lane_maximum(scaled, lane_set((real)1e-12)), cs.d));
        lane length = scaled * cores.unscale;
        lane x = length - lane_load(c + C_CORE_REST * LANES);
        lane z = x * per_segment;
        lane_store(s + S_BLEND * LANES, taz_core_blend(z));
        lane_store(s + S_REACH * LANES, x);
        sums.length = fused(length, lane_load(c + C_REAL * LANES), sums.length);
        sums.rise = fused(lane_load(c + C_DKC * LANES), taz_core_potential(z), sums.rise);
    }
    /* dk is per unit length, P wants l^2 */
    sums.rise = sums.rise / (per_segment * per_segment);
    return sums;
}

/* Tip to root: edge forces of stretch and bending, in the variational form with the gradient through the
 * frames and the smoothing. The force takes the target's place in the scratch rows. */
INLINE void bend_forces(rlti_tile *t, const int variational) {
    const real *const constant = t->constant;
    const real *const damping = t->damping;
    real *const scratch = t->scratch;
    taz_filter bend = bend_filter(t);
    taz_frame root = root_frame(t);
    taz_bend_back back = taz_bend_back_begin();
    taz_filter_state bs = {zero3(), zero3()};
    for (int i = t->points - 2; i >= 0; i--) {
        const real *c = constant + (size_t)i * C_ROWS * LANES;
        const real *d = damping + (size_t)i * D_ROWS * LANES;
        real *s = scratch + (size_t)i * S_ROWS * LANES;
        lane3 direct = taz_bend_direct(lane_load(c + C_KB * LANES), load3(s + S_EDGE * LANES),
                                       load3(s + S_TARGET * LANES));
        lane3 f = fused3(lane_load(s + S_TENSION * LANES), load3(d + D_EDGE * LANES), direct);
        if (variational) {
            const real *before = s - (size_t)S_ROWS * LANES;
            taz_frame frame =
                i > 0 ? (taz_frame){load3(before + S_U * LANES), load3(before + S_N * LANES)} : root;
            taz_carry carry = {lane_load(s + S_R * LANES), lane_load(s + S_P * LANES)};
            lane3 u = load3(s + S_U * LANES);
            lane3 du = taz_bend_back_carry(&back, &frame, u, carry);
            lane3 dd = fused3(lane_load(s + S_ACROSS * LANES) * dot3(u, du), u,
                              scale3(lane_load(s + S_G * LANES), du));
            taz_bend_back_target(&back, &frame, load3(c + C_TARGET * LANES), direct);
            taz_filter_transpose_next(&bend, &bs, dd);
            f = add3(f, bs.y);
            if (i == 0)
                f = add3(f, taz_filter_transpose_root(&bend, &bs));
        }
        store3(s + S_FORCE * LANES, f);
    }
    store3(t->strand + L_TORQUE * LANES, taz_bend_root_torque(&back, &root));
}

/* Tip to root: the core's force joins, and all of it goes to the velocities, with gravity. */
INLINE void push_points(rlti_tile *t, const double gravity[3], core_sums sums, const int variational,
                        const int core) {
    const real *const constant = t->constant;
    real *const damping = t->damping;
    const real *const scratch = t->scratch;
    real *const v = t->v;
    taz_filter cores = core_filter(t);
    taz_filter_state cs = {zero3(), zero3()};
    lane slope = lane_set(0), rise = lane_set(0), core_c_scale = strand_row(t, L_CORE_C_SCALE);
    if (core)
        rise = taz_core_rise(sums.length, strand_row(t, L_CORE_PER_LENGTH), strand_row(t, L_CORE_BEGIN),
                             strand_row(t, L_CORE_SCALE), &slope);
    lane everywhere = slope * sums.rise; /* w'(L) sum dk l P */
    lane h = lane_set((real)t->force_step);
    lane3 fall = {h * lane_set((real)gravity[0]), h * lane_set((real)gravity[1]),
                  h * lane_set((real)gravity[2])};
    lane3 beyond = zero3(); /* force of the edge beyond the point */
    for (int i = t->points - 2; i >= -1; i--) {
        lane3 f = zero3();
        if (i >= 0) {
            const real *c = constant + (size_t)i * C_ROWS * LANES;
            real *d = damping + (size_t)i * D_ROWS * LANES;
            const real *s = scratch + (size_t)i * S_ROWS * LANES;
            f = load3(s + S_FORCE * LANES);
            if (core) {
                lane3 direction = load3(d + D_CORE * LANES);
                lane k = fused(rise, lane_load(c + C_DKC * LANES), lane_load(c + C_KC * LANES));
                lane blend = lane_load(s + S_BLEND * LANES);
                lane pull = k * blend * lane_load(s + S_REACH * LANES);
                if (variational) {
                    pull = fused(everywhere, lane_load(c + C_REAL * LANES), pull) * cores.unscale;
                    taz_filter_transpose_next(&cores, &cs, scale3(pull, direction));
                    f = add3(f, cs.y);
                    if (i == 0)
                        f = add3(f, taz_filter_transpose_root(&cores, &cs));
                } else {
                    f = fused3(pull, direction, f);
                }
                lane cc = fused(rise, lane_load(c + C_DCC * LANES), lane_load(c + C_CC * LANES));
                /* the damping loop wants sqrt(c) bhat: its force is (nu.that) that */
                store3(d + D_CORE * LANES, scale3(lane_sqrt(cc * blend * core_c_scale), direction));
            }
        }
        /* point i + 1: pulled by the edge beyond, held by this one */
        real *vp = v + (ptrdiff_t)(i + 1) * 3 * LANES;
        lane3 v1 = load3(vp);
        lane w = lane_load(damping + ((ptrdiff_t)(i + 1) * D_ROWS + D_W) * LANES);
        lane3 change = fused3(w, sub3(beyond, f), fall);
        store3(vp, add3(v1, select3(lane_less(lane_set(0), w), change, zero3())));
        beyond = f;
    }
}

/* Contacts with other hair. */
INLINE void push_pass(rlti_tile *t) {
    for (int i = 1; i < t->points; i++) {
        if (!t->pushed[i])
            continue;
        real *vp = t->v + (size_t)i * 3 * LANES;
        store3(vp, add3(load3(vp), load3(t->push + (size_t)i * 3 * LANES)));
    }
}

/* Air drag, dv/dt = drag (wind - v), integrated implicitly: dv = a / (1 + a) (wind - v) with a = h drag. */
INLINE void air_pass(rlti_tile *t) {
    for (int i = 1; i < t->points; i++) {
        const real *a = t->air + (size_t)i * 4 * LANES;
        real *vp = t->v + (size_t)i * 3 * LANES;
        lane3 v = load3(vp);
        store3(vp, fused3(lane_load(a + 3 * LANES), sub3(load3(a), v), v));
    }
}

/* Points behind their contact plane: an implicit damped spring along the normal, Coulomb friction across it.
 * The push-out speed is limited so that hair that starts inside a body comes out gently. */
INLINE void contact_pass(rlti_tile *t) {
    lane k = lane_set(t->contact_k), inverse = lane_set(t->contact_inverse), push = lane_set(t->contact_push);
    lane friction = lane_set(t->friction), zero = lane_set(0), time = lane_set(t->contact_time);
    for (int i = 1; i < t->points; i++) {
        if (!t->touched[i])
            continue;
        const real *p = t->planes + (size_t)i * P_ROWS * LANES;
        lane3 normal = load3(p + P_NORMAL * LANES), surface = load3(p + P_VELOCITY * LANES);
        lane3 x = fused3(-time, surface, load3(t->x + (size_t)i * 6 * LANES));
        lane depth = lane_load(p + P_OFFSET * LANES) - dot3(normal, x);
        lane_mask inside = lane_less(zero, depth);
        if (!lane_any(inside))
            continue;
        real *vp = t->v + (size_t)i * 3 * LANES;
        lane3 v = load3(vp), relative = sub3(v, surface);
        lane vn = dot3(normal, relative);
        lane wanted = lane_minimum(fused(k, depth, vn) * inverse, lane_maximum(vn, push));
        lane kick = lane_maximum(wanted - vn, zero);
        lane3 across = fused3(-vn, normal, relative);
        lane speed = lane_sqrt(dot3(across, across));
        lane keep =
            lane_maximum(zero, lane_set(1) - friction * kick / lane_maximum(speed, lane_set((real)1e-12)));
        lane3 moved = fused3(vn + kick, normal, fused3(keep, across, surface));
        store3(vp, select3(inside, moved, v));
    }
}

/* From the anchor to the point now; the anchor moves evenly. */
INLINE lane3 hold_arm(const rlti_tile *t, const real *h, int point) {
    const real *x = t->x + (size_t)point * 6 * LANES;
    lane3 anchor = fused3(lane_set(t->hold_time), load3(h + H_VELOCITY * LANES), load3(h + H_ANCHOR * LANES));
    return add3(sub3(load3(x), anchor), load3(x + 3 * LANES));
}

/* Holds by distance: the velocity away from the anchor becomes keep v - pull s, s the excess over the allowed
 * distance; for hard ones the excess over what is allowed at the end of the step. */
INLINE void hold_distances(rlti_tile *t, rlti_hold_class kind) {
    const int hard = kind == RLTI_HARD_DISTANCE;
    lane zero = lane_set(0), step = lane_set((real)t->force_step);
    for (int r = t->hold_first[kind]; r < t->hold_first[kind + 1]; r++) {
        const real *h = t->hold + (size_t)r * H_ROWS * LANES;
        const int i = t->hold_point[r];
        real *vp = t->v + (size_t)i * 3 * LANES;
        lane3 arm = hold_arm(t, h, i), v = load3(vp);
        if (!hard) /* a force like the others: it comes before the spring that answers them all */
            v = add3(v, load3(h + H_PUSH * LANES));
        lane distance = lane_sqrt(dot3(arm, arm));
        lane3 n = scale3(lane_set(1) / lane_maximum(distance, lane_set((real)1e-12)), arm);
        lane away = dot3(n, sub3(v, load3(h + H_VELOCITY * LANES)));
        lane low = lane_load(h + H_LOW * LANES), high = lane_load(h + H_HIGH * LANES);
        lane there = hard ? fused(step, away, distance) : distance;
        lane excess = distance - lane_minimum(lane_maximum(there, low), high);
        lane speed = lane_load(h + H_SPEED * LANES);
        lane pulled = lane_maximum(lane_minimum(lane_load(h + H_PULL * LANES) * excess, speed), -speed);
        lane change = lane_load(h + H_KEEP * LANES) * away - pulled - away;
        /* between the bounds nothing acts */
        change =
            lane_select(lane_less(low, there), lane_select(lane_less(there, high), zero, change), change);
        store3(vp, fused3(change, n, v));
    }
}

/* Holds in place: the same in all directions. */
INLINE void hold_places(rlti_tile *t, rlti_hold_class kind) {
    for (int r = t->hold_first[kind]; r < t->hold_first[kind + 1]; r++) {
        const real *h = t->hold + (size_t)r * H_ROWS * LANES;
        const int i = t->hold_point[r];
        real *vp = t->v + (size_t)i * 3 * LANES;
        lane3 anchor = load3(h + H_VELOCITY * LANES), relative = sub3(load3(vp), anchor);
        lane3 pulled = scale3(lane_load(h + H_PULL * LANES), hold_arm(t, h, i));
        lane fast = lane_sqrt(dot3(pulled, pulled)), speed = lane_load(h + H_SPEED * LANES);
        lane share = lane_minimum(lane_set(1), speed / lane_maximum(fast, lane_set((real)1e-12)));
        lane3 kept = fused3(lane_load(h + H_KEEP * LANES), relative, anchor);
        store3(vp, fused3(-share, pulled, kept));
    }
}

INLINE void forces_of(rlti_tile *t, const double gravity[3], const int variational, const int core) {
    core_sums sums = {lane_set(0), lane_set(0)};
    smooth_edges(t);
    carry_frames(t);
    if (core)
        sums = reach_of_core(t);
    bend_forces(t, variational);
    push_points(t, gravity, sums, variational, core);
}

static void forces(rlti_tile *t, const double gravity[3]) {
    if (t->variational && t->core)
        forces_of(t, gravity, 1, 1);
    else if (t->variational)
        forces_of(t, gravity, 1, 0);
    else if (t->core)
        forces_of(t, gravity, 0, 1);
    else
        forces_of(t, gravity, 0, 0);
    if (t->push != NULL)
        push_pass(t);
    if (t->air != NULL)
        air_pass(t);
    hold_distances(t, RLTI_SOFT_DISTANCE);
    hold_places(t, RLTI_SOFT_PLACE);
    contact_pass(t);
}

#endif
