/* Matrices of row vectors (p' = p M, sixteen numbers row after row) and rotations between keys. Only IEEE
 * operations and base/math.h: skinned bodies move simulations, which must not depend on the machine. */
#ifndef RLTI_BASE_MATRIX_H
#define RLTI_BASE_MATRIX_H

#include "base/math.h"

void rlti_matrix_identity(double m[16]);
int rlti_matrix_is_identity(const double m[16]);
void rlti_matrix_multiply(const double a[16], const double b[16], double product[16]); /* may be in place */
int rlti_matrix_inverse(const double m[16], double inverse[16]); /* 0 where there is none; may be in place */
double rlti_matrix_determinant3(const double m[16]);             /* of the upper 3 x 3 */
/* Transposed cofactors of the upper 3 x 3, which over the determinant (returned) are its inverse; the rest of
 * `to` becomes 0. */
double rlti_matrix_adjugate3(const double m[16], double to[16]);
/* Makes the inverse of an affine matrix from that of its upper 3 x 3: fills in the last row. */
void rlti_matrix_inverse_shift(const double m[16], double inverse[16]);
rlti_vec3 rlti_matrix_point(const double m[16], rlti_vec3 p); /* affine: no division */
rlti_vec3 rlti_matrix_vector(const double m[16], rlti_vec3 v);

void rlti_matrix_rotation(rlti_quat unit, double m[16]);
/* Sine and cosine of degrees: exact at multiples of 90. */
void rlti_degrees(double degrees, double *sine, double *cosine);

/* Great-circle path from a to b, the shorter one; both of unit length (made so). */
rlti_quat rlti_quat_slerp(rlti_quat a, rlti_quat b, double share);

/* The rotation of an orthonormal right-handed matrix; scale must be out of it. */
rlti_quat rlti_quat_from_matrix(const double m[16]);

#endif
