/* Bending of the Rod in lanes: how the material curvatures phi_a (rod_joint.h) change with the edges.
 *
 * The first-order changes of a joint, with dt = (I - t t^T) de / |e| and m_j = t_j x b:
 *   dPhi = m_0 . dt0 - m_1 . dt1
 *   dpsi = (dtau0 + dtau1) / 2 - cot(Phi/2) / 2 b . (dt1 - dt0)
 * where psi is the angle of the vertex directors about b: phi_0 = Phi cos psi, phi_1 = -+ Phi sin psi. Put
 * together,
 *   dphi_a/de^j = s_j t_j x w_a / |e^j|,  w_a = beta D_a + gamma phi_a (Phi b),  s_0 = 1, s_1 = -1
 *   dphi_0/dtau = phi_1 / 2,  dphi_1/dtau = -phi_0 / 2  for either edge
 * with beta = (Phi/2) / sin(Phi/2) and gamma = (1 - beta) / Phi^2 -> -1/24. Out of the plane of the joint the
 * factor is beta, in the plane it is 1. The seed's eq. 10 and 11 have w_a = beta D_a: beta in both. */
#ifndef RLTI_MODEL_ROD_BEND_H
#define RLTI_MODEL_ROD_BEND_H

#include "model/rod_joint.h"

/* The gradient of a strain of a joint. */
typedef struct rod_slope {
    lane3 edge[2];
    lane turn[2];
} rod_slope;

ENERGY_INLINE rod_slope rod_bend_slope(const rod_joint *j, int a, int printed, lane3 t0, lane inverse0,
                                       lane3 t1, lane inverse1) {
    lane3 w = scale3(j->beta, j->director[a]);
    if (!printed)
        w = fused3(j->gamma * j->phi[a], j->turn, w);
    lane half = lane_set((real)(a == 0 ? 0.5 : -0.5)), turn = half * j->phi[1 - a];
    rod_slope s = {{scale3(inverse0, cross3(t0, w)), scale3(-inverse1, cross3(t1, w))}, {turn, turn}};
    return s;
}

#endif
