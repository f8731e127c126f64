/* Bending spring, Taz equation (4): E_b = sum k_b,i/2 |e_i - t_i|^2, where the target t_i = F_{i-1} tbar_i is
 * the rest edge carried by the frame of the smoothed curve.
 *
 * The paper applies only the direct force k_b (e_i - t_i). But t_i moves with every point nearer the root,
 * and leaving that part out pumps energy in (docs/design/formulations.md). The variational form adds it by
 * one pass over the frames, tip to root: the derivative of the energy with respect to each frame's u and n is
 * carried back through the steps that made the frames (reverse differentiation), and the filter's transpose
 * takes dE/dd to the edges. Away from folds this equals the closed form of that page, with its moments M_i
 * and torques a_j. */
#ifndef RLTI_MODEL_TAZ_BEND_H
#define RLTI_MODEL_TAZ_BEND_H

#include "base/lanes.h"
#include "model/taz_frame.h"

/* Direct part of dE/de_i. */
static inline lane3 taz_bend_direct(lane stiffness, lane3 edge, lane3 target) {
    return scale3(stiffness, sub3(edge, target));
}

static inline lane taz_bend_energy(lane stiffness, lane3 edge, lane3 target) {
    lane3 x = sub3(edge, target);
    return lane_set((real)0.5) * stiffness * dot3(x, x);
}

/* Carried by the backward pass: dE/du_j and dE/dn_j from everything beyond frame j. */
typedef struct taz_bend_back {
    lane3 du, dn;
} taz_bend_back;

static inline taz_bend_back taz_bend_back_begin(void) {
    taz_bend_back b = {zero3(), zero3()};
    return b;
}

/* Back over the carry from frame `before` (j-1) to direction w = u_j: completes dE/du_j, which is returned,
 * and leaves what frame j-1 gets. n_j = n - p r (u + w), r = r(1 + u.w), p = w.n. */
static inline lane3 taz_bend_back_carry(taz_bend_back *b, const taz_frame *before, lane3 w, taz_carry c) {
    lane k = dot3(add3(before->u, w), b->dn);
    lane rk = c.r * k, pr = c.p * c.r;
    lane slope = c.p * k * taz_reciprocal_slope(c.r, lane_set((real)(1 / TAZ_FOLD)));
    lane3 shared = scale3(-pr, b->dn); /* through u + w: the same for both */
    lane3 dw = add3(b->du, fused3(-slope, before->u, fused3(-rk, before->n, shared)));
    b->du = fused3(-slope, w, shared);
    b->dn = fused3(-rk, w, b->dn);
    return dw;
}

/* Adds edge j's target, made in frame `before` (j-1) with components c; direct = k_b (e - t) = -dE/dt. */
static inline void taz_bend_back_target(taz_bend_back *b, const taz_frame *before, lane3 c, lane3 direct) {
    b->du = fused3(-c.x, direct, fused3(c.z, cross3(direct, before->n), b->du));
    b->dn = fused3(-c.y, direct, fused3(c.z, cross3(before->u, direct), b->dn));
}

/* After edge 0: the torque the strand exerts on the scalp frame, -(u x dE/du + n x dE/dn). Newton's third law
 * needs it: with it, a strand and a free scalp together keep their angular momentum. */
static inline lane3 taz_bend_root_torque(const taz_bend_back *b, const taz_frame *root) {
    return add3(cross3(b->du, root->u), cross3(b->dn, root->n));
}

#endif
