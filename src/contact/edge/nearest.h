/* Nearest points of two segments, and of a point and a triangle, in double precision. Whatever is given,
 * segments without length and triangles without area included, the distance is right to rounding. */
#ifndef RLTI_CONTACT_EDGE_NEAREST_H
#define RLTI_CONTACT_EDGE_NEAREST_H

#include "base/math.h"

/* Edges whose directions differ by less than this count as parallel: square of the sine (about 8 degrees). */
#define RLTI_EDGE_PARALLEL 0.02
/* The same for lines whose nearest points are not sought: beyond, shares have four digits and distances all.
 */
#define RLTI_EDGE_SINGULAR 1e-12

/* a + s (b - a) */
static inline rlti_vec3 rlti_between(rlti_vec3 a, rlti_vec3 b, double s) {
    return rlti_v3(a.x + s * (b.x - a.x), a.y + s * (b.y - a.y), a.z + s * (b.z - a.z));
}

/* The share of the segment from a to b, in [0, 1], that is nearest to the point; 0 without length. */
static inline double rlti_nearest_share(rlti_vec3 point, rlti_vec3 a, rlti_vec3 b) {
    rlti_vec3 edge = rlti_sub(b, a);
    double along = rlti_dot(rlti_sub(point, a), edge), square = rlti_dot(edge, edge);
    return along > 0.0 ? (along < square ? along / square : 1.0) : 0.0;
}

/* Shares of both segments, exactly 0 or 1 at their ends; returns the distance. */
double rlti_nearest_edges(const rlti_vec3 a[2], const rlti_vec3 b[2], double share[2]);

/* Weights of the three corners, exactly 0 for those that the nearest feature does not touch; returns the
 * distance. */
double rlti_nearest_face(rlti_vec3 point, const rlti_vec3 corners[3], double weights[3]);

#endif
