/* The curves that a strand's springs see, for inspection. */
#ifndef RLTI_MODEL_TAZ_LOOK_H
#define RLTI_MODEL_TAZ_LOOK_H

#include "model/taz_model.h"

/* The smoothed edges of bending and of the core laid end to end from the root on, and each edge's target in
 * the frame before it. All arrays are [points of the strand]; the last target is 0. */
void rlti_taz_look(const rlti_taz_model *model, int strand, const rlti_vec3 *points,
                   const double (*frames)[9] /* -1 .. edges - 1, columns (u, n, u x n) */,
                   rlti_vec3 *smoothed, rlti_vec3 *core, rlti_vec3 *targets);

#endif
