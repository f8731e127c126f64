/* Frames along the smoothed curve: the scalp frame carried from edge to edge by the smallest rotation
 * (parallel transport, Taz paper section 3.2).
 *
 * A frame is (u, n, u x n): u the direction of the smoothed curve, n perpendicular to it. Because R(u -> w)
 * takes u to w, only n has to be carried: for n perpendicular to u,
 *   R n = n - (w.n) r (u + w)  with r = 1 / (1 + u.w).
 *
 * Where the curve folds back on itself (1 + u.w -> 0) no rotation is smallest, and a frame that jumps there
 * makes energy out of nothing: folded hair would never come to rest. So below TAZ_FOLD (directions more than
 * 154 degrees apart) r continues as a straight line instead of 1 / s. There n shrinks for a moment instead of
 * jumping, and the bending energy stays smooth, with bounded forces, for any shape. The same is done for the
 * direction u = d / |d| where the smoothed edge d all but vanishes. Everywhere else frames are orthonormal to
 * rounding. */
#ifndef RLTI_MODEL_TAZ_FRAME_H
#define RLTI_MODEL_TAZ_FRAME_H

#include "base/lanes.h"
#include "base/math.h"

#define TAZ_FOLD   0.1f  /* 1 + u.w below this is a fold */
#define TAZ_VANISH 0.05f /* |d| below this part of the mean segment has hardly a direction */

/* 1/x down to x = floor, from there on its tangent: smooth, and at most 2 / floor. */
static inline lane taz_reciprocal(lane x, lane floor) {
    lane above = lane_maximum(x, floor), inverse = lane_set(1) / above;
    return fused((above - x) * inverse, inverse, inverse);
}

/* Its derivative, given its value and 1 / floor. */
static inline lane taz_reciprocal_slope(lane value, lane inverse_floor) {
    lane minimum = lane_minimum(value, inverse_floor);
    return -(minimum * minimum);
}

/* Direction of a smoothed edge: u = g d. `across` is what the gradient needs: dE/dd = g dE/du + across
 * (u.dE/du) u. */
static inline lane3 taz_direction(lane3 d, lane floor, lane inverse_floor, lane *g, lane *across) {
    lane length = lane_sqrt(dot3(d, d));
    *g = taz_reciprocal(length, floor);
    *across = -*g;
    lane_mask vanished = lane_less(length, floor);
    if (__builtin_expect(lane_any(vanished), 0)) {
        lane minimum = lane_maximum(length, lane_set((real)1e-6) * floor);
        *across =
            lane_select(vanished, taz_reciprocal_slope(*g, inverse_floor) / (minimum * *g * *g), *across);
    }
    return scale3(*g, d);
}

/* The same in all lanes. */
static inline lane3 taz_lane3(rlti_vec3 v) {
    lane3 r = {lane_set((real)v.x), lane_set((real)v.y), lane_set((real)v.z)};
    return r;
}

typedef struct taz_frame {
    lane3 u, n;
} taz_frame;

/* Values that the carry leaves for its gradient. */
typedef struct taz_carry {
    lane r; /* 1 / (1 + u.w) */
    lane p; /* w.n */
} taz_carry;

/* Carries `frame` to direction w. */
static inline taz_carry taz_frame_carry(taz_frame *frame, lane3 w) {
    lane3 u = frame->u;
    taz_carry c;
    c.r = taz_reciprocal(lane_set(1) + dot3(u, w), lane_set((real)TAZ_FOLD));
    c.p = dot3(w, frame->n);
    frame->n = fused3(-(c.p * c.r), add3(u, w), frame->n);
    frame->u = w;
    return c;
}

/* The vector with components c in the frame: c.x u + c.y n + c.z (u x n). */
static inline lane3 taz_frame_vector(const taz_frame *frame, lane3 c) {
    return fused3(c.z, cross3(frame->u, frame->n), fused3(c.y, frame->n, scale3(c.x, frame->u)));
}

#endif
