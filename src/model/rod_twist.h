/* Twist of the Rod in lanes. Its gradient,
 *   dtheta/de^j = tan(Phi/2) b / |e^j|,  dtheta/dtau = -1 and 1,
 * grows without bound towards a fold. So the strain is f(Phi) (theta - rest), where f is 1 up to 150 degrees
 * and falls smoothly to 0 at 180: part of the energy, so that the gradient below is exact and bounded. With
 * z = (1 + cos Phi) / (1 + cos 150) and k = t0 x t1 = sin Phi b,
 *   f = 1 - (1 - z)^3 for z < 1, and 1 above;   g = f / (1 + cos Phi) = (3 - 3 z + z^2) / (1 + cos 150)
 *   f tan(Phi/2) b = g k;   df/dPhi b = -3 (1 - z)^2 / (1 + cos 150) k
 * and with dPhi/de^j = s_j t_j x b / |e^j|, nothing divides by sin Phi. */
#ifndef RLTI_MODEL_ROD_TWIST_H
#define RLTI_MODEL_ROD_TWIST_H

#include "model/rod_bend.h"

#define ROD_FADE ((real)(1.0 - 0.86602540378443864676)) /* 1 + cos 150 */

typedef struct rod_twist {
    lane fade;     /* f */
    lane binormal; /* g */
    lane slope;    /* of f: df/dPhi b over k */
} rod_twist;

ENERGY_INLINE rod_twist rod_twist_fade(lane cosine) {
    lane one = lane_set(1), scale = lane_set(1 / ROD_FADE), above = one + cosine, z = above * scale;
    lane left = lane_maximum(one - z, lane_set(0));
    lane_mask fades = lane_less(z, one);
    lane near_fold = fused(z, z - lane_set(3), lane_set(3)) * scale;
    rod_twist t = {fused(-left * left, left, one), lane_select(fades, near_fold, one / above),
                   lane_set(-3) * left * left * scale};
    return t;
}

/* Gradient of the faded strain, where `strain` is theta - rest. */
ENERGY_INLINE rod_slope rod_twist_slope(const rod_joint *j, const rod_twist *f, lane strain, lane3 t0,
                                        lane inverse0, lane3 t1, lane inverse1) {
    lane3 along = scale3(f->binormal, j->cross);
    lane fall = f->slope * strain;
    rod_slope s = {{scale3(inverse0, fused3(fall, cross3(t0, j->cross), along)),
                    scale3(inverse1, fused3(-fall, cross3(t1, j->cross), along))},
                   {-f->fade, f->fade}};
    return s;
}

#endif
