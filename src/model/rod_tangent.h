/* The classical discrete rod of Bergou et al. 2010 in lanes, to compare with: curvature by the tangent of
 * half the turning angle, which has no bound towards a fold. Its energy is
 *   1/2 BEND_0 (kappa_0 - PHI_0)^2 + 1/2 BEND_1 (kappa_1 - PHI_1)^2 + 1/2 TWIST (theta - THETA)^2,
 * kappa_a the binormal 2 t0 x t1 / (1 + t0 . t1) times the mean of both edges' directors. Carried to the
 * tangent halfway these have the mean cos(theta / 2) D_a, so in the Rod's strains (rod_joint.h)
 *   kappa_a = cos(theta / 2) F phi_a,   F = 2 tan(Phi / 2) / Phi,   Phi^2 = phi_0^2 + phi_1^2 = P,
 * and with f = dF/dP, g = d2F/dP2, C and S the cosine and sine of theta / 2,
 *   dkappa_a/dphi_b = C (F [a = b] + 2 f phi_a phi_b),   dkappa_a/dtheta = -S F phi_a / 2.
 * Nothing fades. Within 2e-6 rad of a fold the tangent is cut to a million, so that numbers stay finite. */
#ifndef RLTI_MODEL_ROD_TANGENT_H
#define RLTI_MODEL_ROD_TANGENT_H

#include "model/rod_twist.h"

/* Strains phi_0, phi_1, theta; curvatures kappa_0, kappa_1, theta. */
enum { ROD_TANGENT_STRAINS = 3 };

typedef struct rod_tangents {
    lane kappa[2];
    lane rate[ROD_TANGENT_STRAINS][ROD_TANGENT_STRAINS]; /* of curvatures by strains */
    lane factor, first, second;                          /* F, f, g */
    rod_slope twist;                                     /* of theta */
} rod_tangents;

/* F, f and g by P; series where differences would cancel. */
ENERGY_INLINE void rod_tangent_factors(rod_tangents *k, lane square, lane beta, lane half_cosine) {
    static const real a[] = {1,
                             (real)(1.0 / 12),
                             (real)(1.0 / 120),
                             (real)(17.0 / 20160),
                             (real)(31.0 / 362880),
                             (real)(691.0 / 79833600),
                             (real)(5461.0 / 6227020800.0),
                             (real)(929569.0 / 10461394944000.0)};
    static const real b[] = {(real)(1.0 / 12),
                             (real)(1.0 / 60),
                             (real)(17.0 / 6720),
                             (real)(31.0 / 90720),
                             (real)(691.0 / 15966720),
                             (real)(5461.0 / 1037836800.0),
                             (real)(929569.0 / 1494484992000.0)};
    static const real c[] = {
        (real)(1.0 / 60),        (real)(17.0 / 3360),          (real)(31.0 / 30240),
        (real)(691.0 / 3991680), (real)(5461.0 / 207567360.0), (real)(929569.0 / 249080832000.0)};
    lane_mask flat = lane_less(square, lane_set((real)0.0625));
    lane one = lane_set(1), two = lane_set(2), safe = lane_select(flat, one, two * square);
    lane factor = one / (beta * half_cosine), secant = one / (half_cosine * half_cosine);
    lane first = (secant - factor) / safe;
    lane second = fused(lane_set((real)0.25) * factor, secant, lane_set(-3) * first) / safe;
    k->factor = lane_select(flat, RLTI_POLYNOMIAL(a, square), factor);
    k->first = lane_select(flat, RLTI_POLYNOMIAL(b, square), first);
    k->second = lane_select(flat, RLTI_POLYNOMIAL(c, square), second);
}

ENERGY_INLINE rod_tangents rod_tangents_of(const rod_joint *j, lane3 t0, lane inverse0, lane3 t1,
                                           lane inverse1) {
    rod_tangents k;
    lane half = lane_set((real)0.5), one = lane_set(1), two = lane_set(2), least = lane_set((real)1e-6);
    lane3 sum = add3(t0, t1);
    lane half_cosine = lane_maximum(half * lane_sqrt(dot3(sum, sum)), least);
    rod_tangent_factors(&k, dot3(j->turn, j->turn), j->beta, half_cosine);
    for (int a = 0; a < 2; a++) {
        k.kappa[a] = j->half.cos * k.factor * j->phi[a];
        for (int b = 0; b < 2; b++) {
            lane both = two * k.first * j->phi[a] * j->phi[b];
            if (a == b)
                both = both + k.factor;
            k.rate[a][b] = j->half.cos * both;
        }
        k.rate[a][2] = -half * j->half.sin * k.factor * j->phi[a];
        k.rate[2][a] = lane_set(0);
    }
    k.rate[2][2] = one;
    /* t0 x t1 / (1 + t0 . t1), whose denominator is 2 cos(Phi / 2)^2 */
    lane3 along = scale3(half / (half_cosine * half_cosine), j->cross);
    k.twist = (rod_slope){{scale3(inverse0, along), scale3(inverse1, along)}, {-one, one}};
    return k;
}

/* Slope of curvature i, by those of the three strains. */
ENERGY_INLINE rod_slope rod_tangent_slope(const rod_tangents *k, int i, const rod_slope strains[3]) {
    rod_slope s = {{zero3(), zero3()}, {lane_set(0), lane_set(0)}};
    for (int b = 0; b < ROD_TANGENT_STRAINS; b++)
        for (int e = 0; e < 2; e++) {
            s.edge[e] = fused3(k->rate[i][b], strains[b].edge[e], s.edge[e]);
            s.turn[e] = fused(k->rate[i][b], strains[b].turn[e], s.turn[e]);
        }
    return s;
}

#endif
