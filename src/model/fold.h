/* A strand's rest shape, from points to rest targets and back: "folded", it is the edges as seen from the
 * frames that the smoothed curve carries from root to tip. Folded shapes can be blended without becoming
 * shorter: a straight strand becomes a curl by winding up. */
#ifndef RLTI_MODEL_FOLD_H
#define RLTI_MODEL_FOLD_H

#include "base/math.h"

/* The minimum of a curve's smoothing that is kept: below it the smoothed curve is straight along the first
 * edge (alpha = infinity). */
#define RLTI_BETA_MIN 1e-4

/* beta = 1 - exp(-l / alpha), between RLTI_BETA_MIN and 1 (alpha = 0): smoothing over a length alpha of edges
 * l. */
double rlti_fold_beta(double segment, double alpha);

/* The frame of the root: direction and normal, u_{-1} and n_{-1}. */
typedef struct rlti_fold_root {
    rlti_vec3 u, n;
} rlti_fold_root;

/* That of a strand at rest: along the first edge. */
rlti_fold_root rlti_fold_root_of(const rlti_vec3 *points);

/* The frame carried to another direction by the smallest rotation. */
rlti_fold_root rlti_fold_root_carry(rlti_fold_root root, rlti_vec3 u);

/* tbar_i = F_{i-1}^T e_i of each edge, with the smoothing `beta`. */
void rlti_fold(double beta, int count, rlti_fold_root root, const rlti_vec3 *points /* [count] */,
               double (*target)[3] /* [count - 1] */);

/* The points that have these targets; points[0] is given. */
void rlti_unfold(double beta, int count, rlti_fold_root root, const double (*target)[3], rlti_vec3 *points);

/* Lengths |bbar_i| of the smoothed edges. */
void rlti_fold_smooth(double beta, int count, const rlti_vec3 *points, double *lengths /* [count - 1] */);

#endif
