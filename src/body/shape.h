/* Distance-like fields of simple solids and their smooth unions, from which the generated characters are
 * made. Negative inside; exact at the surface, first order near it. */
#ifndef RLTI_BODY_SHAPE_H
#define RLTI_BODY_SHAPE_H

#include "base/math.h"

/* An axis-aligned ellipsoid. */
static inline double rlti_shape_ellipsoid(rlti_vec3 p, rlti_vec3 centre, rlti_vec3 radii) {
    rlti_vec3 d = rlti_sub(p, centre);
    rlti_vec3 a = rlti_v3(d.x / radii.x, d.y / radii.y, d.z / radii.z);
    rlti_vec3 b = rlti_v3(a.x / radii.x, a.y / radii.y, a.z / radii.z);
    double k0 = rlti_length(a);
    double k1 = rlti_length(b);
    return k1 > 0.0 ? k0 * (k0 - 1.0) / k1 : -radii.y;
}

/* A capsule whose radius runs linearly from ra at a to rb at b. */
static inline double rlti_shape_cone(rlti_vec3 p, rlti_vec3 a, double ra, rlti_vec3 b, double rb) {
    rlti_vec3 axis = rlti_sub(b, a);
    double t = rlti_dot(rlti_sub(p, a), axis) / rlti_dot(axis, axis);
    t = t < 0.0 ? 0.0 : (t > 1.0 ? 1.0 : t);
    return rlti_length(rlti_sub(p, rlti_madd(a, t, axis))) - (ra + t * (rb - ra));
}

/* Smooth minimum: the two surfaces melt into each other over a seam about `width` wide. */
static inline double rlti_shape_join(double a, double b, double width) {
    double h = width - fabs(a - b);
    h = h > 0.0 ? h / width : 0.0;
    return (a < b ? a : b) - 0.25 * h * h * width;
}

/* Smooth a minus b. */
static inline double rlti_shape_carve(double a, double b, double width) {
    return -rlti_shape_join(-a, b, width);
}

#endif
