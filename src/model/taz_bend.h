/* Bending spring, Taz equation (4): E_b = sum k_b,i/2 |e_i - t_i|^2, where the target t_i = F_{i-1} tbar_i is
 * the rest edge carried by the frame of the smoothed curve.
 *
 * The paper applies only the direct force k_b (e_i - t_i). But t_i moves with every point nearer the root,
 * and leaving that part out pumps energy in (models.md, "Two formulations"). The variational form adds it by
 * one backward pass over the frames, tip to root:
 *
 *   M_i  = k_b,i t_i x e_i                            moment of edge i on its frame
 *   a_j  = a_{j+1} + M_{j+1}.u_j                      torque about u_j of everything beyond
 *   dE/du_j = -M_{j+1} x u_j + (a_j kb_j + a_{j+1} kb_{j+1}) / 2
 *   dE/dd_j = (I - u_j u_j^T) dE/du_j / |d_j|         then the filter's transpose takes it to the edges */
#ifndef RLTI_MODEL_TAZ_BEND_H
#define RLTI_MODEL_TAZ_BEND_H

#include "base/lanes.h"

/* Direct part of dE/de_i. */
static inline lane3 taz_bend_direct(lane stiffness, lane3 edge, lane3 target) {
    return scale3(stiffness, sub3(edge, target));
}

static inline lane taz_bend_energy(lane stiffness, lane3 edge, lane3 target) {
    lane3 x = sub3(edge, target);
    return lane_set((real)0.5) * stiffness * dot3(x, x);
}

/* What the backward pass carries from edge j+1 to edge j. */
typedef struct taz_bend_back {
    lane3 moment;   /* M_{j+1} */
    lane torque;    /* a_{j+1} */
    lane3 binormal; /* kb_{j+1} */
} taz_bend_back;

static inline taz_bend_back taz_bend_back_begin(void) {
    taz_bend_back b = {zero3(), lane_set(0), zero3()};
    return b;
}

/* One step of the pass at frame j: u = u_j, binormal = kb_j, inverse = 1/|d_j|. Returns dE/dd_j. */
static inline lane3 taz_bend_back_next(taz_bend_back *b, lane3 u, lane3 binormal, lane inverse) {
    lane torque = b->torque + dot3(b->moment, u);
    lane half = lane_set((real)0.5);
    lane3 du = cross3(u, b->moment); /* = -M x u */
    du = fused3(half * torque, binormal, du);
    du = fused3(half * b->torque, b->binormal, du);
    lane3 across = fused3(-dot3(u, du), u, du);
    b->torque = torque;
    b->binormal = binormal;
    return scale3(inverse, across);
}

/* Enters edge j's own moment, for the step to frame j - 1. */
static inline void taz_bend_back_enter(taz_bend_back *b, lane stiffness, lane3 edge, lane3 target) {
    b->moment = scale3(stiffness, cross3(target, edge));
}

/* After frame 0: the torque the strand exerts on the scalp frame (whose direction is u_{-1}), -dE/d(rotation)
 * = M_0 + a_0 (u_{-1} - u_{-1} x kb_0 / 2). Newton's third law needs it: with it, a strand and a free scalp
 * together keep their angular momentum. */
static inline lane3 taz_bend_root_torque(const taz_bend_back *b, lane3 root_direction) {
    lane3 axis = fused3(lane_set((real)-0.5), cross3(root_direction, b->binormal), root_direction);
    return fused3(b->torque, axis, b->moment);
}

#endif
