/* The Rod's frames in lanes: an edge has its tangent t and its first director d across it; the second is
 * t x d. Frames are carried from one tangent to another without twist, by the smallest rotation (the seed's
 * P, eq. 4), both along the hair and in time. */
#ifndef RLTI_MODEL_ROD_FRAME_H
#define RLTI_MODEL_ROD_FRAME_H

#include "model/energy.h"
#include "model/rod.h"

/* Own rows of a configuration; one point's belong to the edge after it. */
enum { ROD_TANGENT, ROD_DIRECTOR = 3, ROD_OWN = 6 };
enum { ROD_UNKNOWNS = 4, ROD_TURN = 3 };

/* The part of d across the unit vector t, of length 1; any such vector where d has none. */
ENERGY_INLINE lane3 rod_square(lane3 d, lane3 t) {
    lane3 across = fused3(-dot3(d, t), t, d);
    lane square = dot3(across, across);
    lane_mask bad = lane_less(square, lane_set((real)1e-12));
    lane3 unit = scale3(lane_set(1) / lane_sqrt(square), across);
    lane_mask good = lane_less(lane_set((real)1e-12), square); /* NaN is neither: it stays */
    if (lane_any(bad))
        unit = select3(good, unit, select3(bad, energy_perpendicular(t), unit));
    return unit;
}

/* The smallest rotation from t to u, applied to d, which is across t. Where u = -t, d is across u already. */
ENERGY_INLINE lane3 rod_carry(lane3 d, lane3 t, lane3 u) {
    lane sum = lane_set(1) + dot3(t, u);
    lane_mask turned = lane_less(sum, lane_set((real)1e-12));
    lane factor = lane_select(turned, lane_set(0), -dot3(d, u) / sum);
    return fused3(factor, add3(t, u), d);
}

/* d turned about the unit vector t. */
ENERGY_INLINE lane3 rod_turn(lane3 d, lane3 t, lane angle) {
    lane_sine turn = lane_sincos(angle);
    return fused3(turn.sin, cross3(t, d), scale3(turn.cos, d));
}

ENERGY_INLINE lane rod_constant(const energy_rows *r, int rows, int point, int which) {
    return lane_load(energy_at(r->constants, rows, point, which));
}
ENERGY_INLINE lane3 rod_position(const real *q, int point) {
    return load3(energy_at(q, ROD_UNKNOWNS, point, 0));
}
ENERGY_INLINE lane3 rod_tangent(const real *own, int point) {
    return load3(energy_at(own, ROD_OWN, point, ROD_TANGENT));
}
ENERGY_INLINE lane3 rod_director(const real *own, int point) {
    return load3(energy_at(own, ROD_OWN, point, ROD_DIRECTOR));
}
ENERGY_INLINE void rod_put_frame(real *own, int point, lane3 t, lane3 d) {
    store3(energy_row(own, ROD_OWN, point, ROD_TANGENT), t);
    store3(energy_row(own, ROD_OWN, point, ROD_DIRECTOR), d);
}

#endif
