/* Core spring, Taz equation (5): resists lengthening of the curl's core b = S_c e, never its compression.
 *
 * With extension x = |b_i| - |bbar_i| and z = x / l (l the mean segment, because the paper's blend over
 * [0, 0.5] is stated for 1-unit segments), E_i = (k l) P(z) with k as stated for 1-unit segments
 * (docs/design/formulations.md):
 *   P(z) = 0                  for z <= 0
 *          3 z^4 - 3.2 z^5    up to z = 1/2
 *          z^2/2 - 0.0375     beyond,
 * so that dE/dx = k H(2z) z with the cubic Hermite blend H(s) = s^2 (3 - 2 s). A second blend w(L), over the
 * total core length L = sum |b_i|, raises k from its base value to its maximum:
 *   E = sum (k_i + w(L) dk_i) l P(z_i),
 * whose gradient has the additional term w'(L) sum dk_j l P(z_j) along every b_i. */
#ifndef RLTI_MODEL_TAZ_CORE_H
#define RLTI_MODEL_TAZ_CORE_H

#include "base/lanes.h"

/* H(2z), clamped: 0 in compression, 1 beyond z = 1/2. */
static inline lane taz_core_blend(lane z) {
    lane s = lane_minimum(lane_maximum(z + z, lane_set(0)), lane_set(1));
    return s * s * fused(lane_set(-2), s, lane_set(3));
}

/* P(z) */
static inline lane taz_core_potential(lane z) {
    lane c = lane_minimum(lane_maximum(z, lane_set(0)), lane_set((real)0.5));
    lane c2 = c * c;
    lane low = c2 * c2 * fused(lane_set((real)-3.2), c, lane_set(3));
    lane far = lane_maximum(z, lane_set((real)0.5));
    return fused(lane_set((real)0.5), fused(far, far, lane_set((real)-0.25)), low);
}

/* w and dw/dL for the core stretch L / Lbar. `inverse_rest` = 1 / Lbar, `scale` = 1 / (end - begin). */
static inline lane taz_core_rise(lane length, lane inverse_rest, lane begin, lane scale, lane *slope) {
    lane s = fused(length, inverse_rest, -begin) * scale;
    s = lane_minimum(lane_maximum(s, lane_set(0)), lane_set(1));
    *slope = lane_set(6) * s * (lane_set(1) - s) * scale * inverse_rest;
    return s * s * fused(lane_set(-2), s, lane_set(3));
}

#endif
