/* UsdSkel: points of meshes and curves that follow a skeleton.
 *
 * A prim is bound when it has the primvars skel:jointIndices and skel:jointWeights (its own or, when
 * constant, a parent's) and skel:skeleton names a skeleton, on itself or a parent. With row vectors and
 * J(j) = joint's matrix in skeleton space at the time:
 *
 *     skinned = sum_k w_k  p G inverse(bind(j_k)) J(j_k)                                    (1)
 *
 * G: primvars:skel:geomBindTransform. Dual quaternion skinning blends the rigid parts as dual quaternions
 * and the scale linearly before them. Blend shapes are added to p first, straight from one of
 * their weights (0, in-betweens, 1) to the next; they need no joints.
 *
 * The result is in the space of the SKELETON prim, not of the bound prim: the world comes from
 * rlti_skel_world. (Functions of geometry/geometry.h do all this.) */
#ifndef RLTI_FORMATS_USD_USD_SKEL_H
#define RLTI_FORMATS_USD_USD_SKEL_H

#include "formats/tree/stage.h"

typedef struct rlti_skel rlti_skel;

/* 1 when the prim (an index) is bound to a skeleton that exists. */
int rlti_skel_is_bound(const rlti_stage *stage, int prim);

/* Reads everything that does not change. The stage must outlive it. */
rlt_status rlti_skel_open(const rlti_stage *stage, int prim, rlt_messages *messages, rlti_skel **skel);
void rlti_skel_close(rlti_skel *skel);

/* The prim's points at a time, skinned, in skeleton space. `points` are the prim's own (its attribute at that
 * time); as many as the weights need. `out` is double3. Not thread-safe for one skel. */
rlt_status rlti_skel_points(rlti_skel *skel, double time, rlt_messages *messages, const rlti_array *points,
                            rlti_array *out);

/* From skeleton space to the world at a time. */
rlt_status rlti_skel_world(const rlti_skel *skel, double time, rlt_messages *messages, double matrix[16]);

/* Times where the skinning changes: samples of the animation (not of transforms). */
int rlti_skel_times(const rlti_skel *skel, const double **times);

int rlti_skel_skeleton(const rlti_skel *skel); /* index of the skeleton prim */

#endif
