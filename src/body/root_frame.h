/* How a hair root turns with the skin it grows on (Iben, Brooks and Bolwyn 2019, section 3;
 * docs/design/root-frames.md).
 *
 * By cross products: the frame of a triangle (first edge, across it, normal) now, against the same at rest.
 * Cheap, exact for rigid skin; but skin that shears turns the hair, and another first edge turns it
 * differently.
 *
 * By best fit: the rotation nearest to the skin's deformation. The deformation of a triangle is the linear
 * map from its edges and normal at rest to those now; at a root it is blended from the triangles around the
 * three corners, by area and barycentric weight, so that it changes smoothly over the skin. */
#ifndef RLTI_BODY_ROOT_FRAME_H
#define RLTI_BODY_ROOT_FRAME_H

#include "base/math.h"

/* A 3 x 3 matrix by columns. */
typedef struct rlti_matrix3 {
    rlti_vec3 column[3];
} rlti_matrix3;

/* From the triangle's frame at rest to that now; what the first takes from the rest pose stays. */
rlti_quat rlti_rest_turned_back(const rlti_vec3 rest[3]);
rlti_quat rlti_rotation_by_cross(rlti_quat rest_turned_back, const rlti_vec3 now[3]);

/* Twice the area. */
double rlti_triangle_twice_area(const rlti_vec3 corners[3]);

/* Adds weight times the triangle's deformation. A triangle without area at rest adds nothing; without area
 * now, only what its edges say. */
void rlti_deformation_add(rlti_matrix3 *sum, double weight, const rlti_vec3 rest[3], const rlti_vec3 now[3]);

/* The rotation nearest to m: the rotation part of its polar decomposition, and a defined answer for every
 * matrix. For a mirrored one it is the nearest proper rotation; where several are nearest, the one with the
 * smallest angle among those found; for a matrix without direction, none at all. */
rlti_quat rlti_nearest_rotation(const rlti_matrix3 *m);

#endif
