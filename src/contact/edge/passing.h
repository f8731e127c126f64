/* Continuous detection: whether two edges, or a point and a triangle, meet while their points move evenly
 * along straight lines for one step.
 *
 * Four points can meet only when they lie in one plane: when a cubic in time, the volume of their
 * tetrahedron, is zero. Its Bernstein coefficients bound it on any part of the step, with the rounding of
 * the coefficients taken as part of zero. Parts of the step are halved, the earlier half first, and left
 * out when either the cubic has no zero there or the distance half-way is more than can be covered; so an
 * answer of no is always right, at the ends of the step too, and what moves within one plane all the time
 * is no special case. Answers of yes include near misses by less than 1e-6 of an edge. */
#ifndef RLTI_CONTACT_EDGE_PASSING_H
#define RLTI_CONTACT_EDGE_PASSING_H

#include "base/math.h"

typedef struct rlti_passing {
    double time;       /* in [0, 1] of the step */
    double weights[4]; /* of the four points there: a0, a1, b0, b1, or point (1) and corners */
} rlti_passing;

/* Places at the start and at the end of the step. */
typedef struct rlti_moving {
    rlti_vec3 from, to;
} rlti_moving;

static inline rlti_vec3 rlti_moving_at(rlti_moving point, double time) {
    return rlti_madd(rlti_scale(1.0 - time, point.from), time, point.to);
}

/* Edges a and b, two points each. Returns 1 where they meet, and the first time. */
int rlti_passing_edges(const rlti_moving points[4], rlti_passing *passing);

/* A point, then the three corners of a triangle. */
int rlti_passing_face(const rlti_moving points[4], rlti_passing *passing);

#endif
