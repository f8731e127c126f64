/* The geometry of a joint of the Rod in lanes: turning angle, curvature binormal, vertex directors, twist.
 *
 * Between unit tangents t0 and t1 lies the turning angle Phi (seed eq. 2) about the binormal b, and
 * Phi b = (Phi / sin Phi) t0 x t1 (eq. 3). Both edges' directors are carried without twist to the tangent
 * halfway, where the angle from the first to the second is the twist theta; the vertex directors D_0, D_1
 * (eq. 4) are the first edge's turned by theta / 2. Then phi_a = D_a . Phi b.
 *
 * Nothing divides by Phi: the limit Phi = 0 is an ordinary case. At Phi = pi exactly the binormal is
 * undefined, and the first edge's director stands for it: finite, with the full bending energy of a fold. */
#ifndef RLTI_MODEL_ROD_JOINT_H
#define RLTI_MODEL_ROD_JOINT_H

#include "model/rod_frame.h"

typedef struct rod_joint {
    lane3 cross;       /* t0 x t1 = sin Phi b */
    lane cosine;       /* t0 . t1 = cos Phi */
    lane3 turn;        /* Phi b */
    lane3 director[2]; /* D_0, D_1 */
    lane phi[2], theta;
    lane_sine half; /* of theta / 2 */
    lane beta;      /* (Phi / 2) / sin(Phi / 2), eq. 12 */
    lane gamma;     /* (1 - beta) / Phi^2 */
} rod_joint;

/* sin and cos of half the angle whose sine and cosine are given, for angles in [-pi, pi], without loss. */
ENERGY_INLINE lane_sine rod_half_angle(lane sine, lane cosine) {
    lane half = lane_set((real)0.5), zero = lane_set(0);
    lane large = lane_sqrt(fused(half, lane_absolute(cosine), half));
    lane small = half * lane_absolute(sine) / large;
    lane_mask blunt = lane_less(cosine, zero);
    lane_sine h = {lane_copysign(lane_select(blunt, large, small), sine), lane_select(blunt, small, large)};
    return h;
}

/* beta and gamma. (x / sin x - 1) / (2 x)^2 as a series in Phi^2 where the difference would cancel. */
ENERGY_INLINE void rod_factors(rod_joint *j, lane phi, lane half_sine) {
    static const real c[] = {(real)(1.0 / 24), (real)(7.0 / 5760), (real)(31.0 / 967680),
                             (real)(127.0 / 154828800), (real)(73.0 / 3503554560.0)};
    lane square = phi * phi, one = lane_set(1), series = RLTI_POLYNOMIAL(c, square);
    lane_mask flat = lane_less(square, lane_set((real)0.0625));
    lane beta = lane_set((real)0.5) * phi / half_sine;
    j->beta = lane_select(flat, fused(series, square, one), beta);
    j->gamma = lane_select(flat, -series, (one - beta) / square);
}

ENERGY_INLINE rod_joint rod_joint_between(lane3 t0, lane3 d0, lane3 t1, lane3 d1) {
    rod_joint j;
    lane one = lane_set(1), zero = lane_set(0);
    j.cross = cross3(t0, t1);
    j.cosine = dot3(t0, t1);
    lane sine = lane_sqrt(dot3(j.cross, j.cross)), phi = lane_atan2(sine, j.cosine);
    lane_mask behind = lane_less(j.cosine, zero), flat = lane_less(sine, lane_set((real)1e-7));
    j.turn = scale3(lane_select(lane_less(sine, lane_set((real)1e-100)), one, phi / sine), j.cross);
    lane3 sum = add3(t0, t1);
    lane length = lane_sqrt(dot3(sum, sum)); /* 2 cos(Phi / 2) */
    lane3 middle = scale3(one / length, sum);
    lane folded = lane_select(behind, lane_select(flat, one, zero), zero);
    lane_mask fold = lane_less(zero, folded);
    if (lane_any(fold)) {
        j.turn = select3(fold, scale3(phi, d0), j.turn);
        middle = select3(fold, cross3(d0, t0), middle);
    }
    lane half_sine = lane_select(behind, lane_sqrt(lane_set((real)0.5) * (one - j.cosine)), sine / length);
    rod_factors(&j, phi, half_sine);

    lane3 u0 = rod_carry(d0, t0, middle), u1 = rod_carry(d1, t1, middle), v0 = cross3(middle, u0);
    lane s = dot3(v0, u1), c = dot3(u0, u1);
    j.theta = lane_atan2(s, c);
    lane norm = one / lane_sqrt(fused(s, s, c * c)); /* 1 but for rounding */
    lane_sine h = j.half = rod_half_angle(s * norm, c * norm);
    j.director[0] = fused3(h.sin, v0, scale3(h.cos, u0));
    j.director[1] = fused3(h.cos, v0, scale3(-h.sin, u0));
    j.phi[0] = dot3(j.director[0], j.turn);
    j.phi[1] = dot3(j.director[1], j.turn);
    return j;
}

#endif
