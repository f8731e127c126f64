/* A strand's rest shape, from points to rest targets and back: "folded", it is the edges as seen from the
 * frames that the smoothed curve carries from root to tip. Folded shapes can be blended without becoming
 * shorter: a straight strand becomes a curl by winding up. */
#ifndef RLTI_MODEL_TAZ_REST_H
#define RLTI_MODEL_TAZ_REST_H

#include "model/taz_model.h"

/* The frame of the root: direction and normal, u_{-1} and n_{-1}. */
typedef struct rlti_taz_root {
    rlti_vec3 u, n;
} rlti_taz_root;

/* That of a strand at rest: along the first edge. */
rlti_taz_root rlti_taz_root_of(const rlti_vec3 *points);

/* The frame carried to another direction by the smallest rotation. */
rlti_taz_root rlti_taz_root_carry(rlti_taz_root root, rlti_vec3 u);

/* tbar_i = F_{i-1}^T e_i of each edge and, unless NULL, |bbar_i|; smoothing and number of points are the
 * strand's. */
void rlti_taz_fold(const rlti_taz_strand *strand, rlti_taz_root root, const rlti_vec3 *points,
                   double (*target)[3], double *core_rest);

/* The points that have these targets; points[0] is given. */
void rlti_taz_unfold(const rlti_taz_strand *strand, rlti_taz_root root, const double (*target)[3],
                     rlti_vec3 *points);

#endif
