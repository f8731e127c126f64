/* The Coil's rest shape from points: angles, torsions, and shares of the stiffness. */
#ifndef RLTI_MODEL_COIL_SHAPE_H
#define RLTI_MODEL_COIL_SHAPE_H

#include "base/math.h"
#include "model/coil.h"
#include "model/rod_curve.h"

/* A strand of `count` points whose clamp has this direction and director. Of its constants the angles are
 * set; curve [count] gets the factors of bending at each point and of torsion about the edge after it by the
 * arcs they stand for. Edges without length have angles of 0. */
void rlti_coil_shape(int count, const rlti_vec3 *points, rlti_vec3 direction, rlti_vec3 director,
                     double (*constants)[RLTI_ROD_CONSTANTS], rlti_rod_curve *curve);

/* Makes torsions softer, once lengths, angles and stiffnesses of a strand's constants are set: by what its
 * hair bends beside its plane instead of twisting, and to 0 where it is straight (docs/design/coil.md). */
void rlti_coil_soften(int count, double (*constants)[RLTI_ROD_CONSTANTS]);

#endif
