/* Frames along the smoothed curve: the scalp frame carried from edge to edge by the smallest rotation
 * (parallel transport, Taz paper section 3.2).
 *
 * A frame is (u, n, u x n): u the direction of the smoothed curve, n perpendicular to it. Because R(u -> w)
 * takes u to w, only n has to be rotated: for n perpendicular to u, R n = n - (w.n) / (1 + u.w) (u + w). */
#ifndef RLTI_MODEL_TAZ_FRAME_H
#define RLTI_MODEL_TAZ_FRAME_H

#include "base/lanes.h"

/* 1 + u.w is kept above this: where the curve turns back on itself (within 2.6 degrees of opposite) the
 * rotation's axis is not defined; n is then carried almost unchanged, and curvature stays below 90. Never a
 * NaN. */
#define TAZ_FOLD 1e-3f

typedef struct taz_frame {
    lane3 u, n;
} taz_frame;

/* Carries `frame` to direction w. Also gives the curvature binormal kb = 2 u x w / (1 + u.w). */
static inline void taz_frame_carry(taz_frame *frame, lane3 w, lane3 *binormal) {
    lane3 u = frame->u;
    lane inverse = lane_set(1) / lane_maximum(lane_set(1) + dot3(u, w), lane_set((real)TAZ_FOLD));
    lane along = -(dot3(w, frame->n) * inverse);
    frame->n = fused3(along, add3(u, w), frame->n);
    frame->u = w;
    *binormal = scale3(lane_set(2) * inverse, cross3(u, w));
}

/* The vector with components c in the frame: c.x u + c.y n + c.z (u x n). */
static inline lane3 taz_frame_vector(const taz_frame *frame, lane3 c) {
    return fused3(c.z, cross3(frame->u, frame->n), fused3(c.y, frame->n, scale3(c.x, frame->u)));
}

#endif
