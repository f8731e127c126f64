/* Evaluating a motion segment: the kernel does it for every strand in every force step, so these are inline.
 */
#ifndef RLTI_BODY_SEGMENT_H
#define RLTI_BODY_SEGMENT_H

#include <stddef.h>

#include "body/body.h"

/* c0 + s (c1 + s (c2 + s c3)) and its derivative with respect to s */
static inline double rlti_cubic(double c0, double c1, double c2, double c3, double s) {
    return c0 + s * (c1 + s * (c2 + s * c3));
}

static inline double rlti_cubic_slope(double c1, double c2, double c3, double s) {
    return c1 + s * (2.0 * c2 + s * 3.0 * c3);
}

static inline rlti_vec3 rlti_cubic_vector(const rlti_vec3 *c, size_t stride, double s) {
    const rlti_vec3 *a = c, *b = c + stride, *d = c + 2 * stride, *e = c + 3 * stride;
    return rlti_v3(rlti_cubic(a->x, b->x, d->x, e->x, s), rlti_cubic(a->y, b->y, d->y, e->y, s),
                   rlti_cubic(a->z, b->z, d->z, e->z, s));
}

static inline rlti_vec3 rlti_cubic_vector_slope(const rlti_vec3 *c, size_t stride, double s) {
    const rlti_vec3 *b = c + stride, *d = c + 2 * stride, *e = c + 3 * stride;
    return rlti_v3(rlti_cubic_slope(b->x, d->x, e->x, s), rlti_cubic_slope(b->y, d->y, e->y, s),
                   rlti_cubic_slope(b->z, d->z, e->z, s));
}

static inline rlti_vec3 rlti_segment_position(const rlti_motion_segment *segment, double s) {
    return rlti_cubic_vector(segment->position, 1, s);
}

/* [unit/s]; `rate` is frames per second */
static inline rlti_vec3 rlti_segment_velocity(const rlti_motion_segment *segment, double s, double rate) {
    return rlti_scale(rate, rlti_cubic_vector_slope(segment->position, 1, s));
}

/* Not normalised. */
static inline rlti_quat rlti_segment_rotation(const rlti_motion_segment *segment, double s) {
    const rlti_quat *q = segment->rotation;
    rlti_quat r = {
        rlti_cubic(q[0].w, q[1].w, q[2].w, q[3].w, s), rlti_cubic(q[0].x, q[1].x, q[2].x, q[3].x, s),
        rlti_cubic(q[0].y, q[1].y, q[2].y, q[3].y, s), rlti_cubic(q[0].z, q[1].z, q[2].z, q[3].z, s)};
    return r;
}

#endif
