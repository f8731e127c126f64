/* Spheres and capsules (a sphere's two ends are the same) on a bone.
 *
 * A shape's middle is carried like a hair's root: interpolating the bone's own translation instead would lose
 * all accuracy far from the world's origin, where translation and rotation nearly cancel. */
#ifndef RLTI_CONTACT_BODY_SHAPE_H
#define RLTI_CONTACT_BODY_SHAPE_H

#include "body/body.h"
#include "contact/body/hit.h"

typedef struct rlti_shape {
    rlti_root middle;
    rlti_vec3 half; /* from the middle to the second end, at rest */
    double radius;
    rlti_motion_segment motion; /* of the middle */

    /* now, world */
    rlti_vec3 ends[2];
    rlti_vec3 centre, velocity; /* of the middle */
    rlti_vec3 spin;             /* angular velocity [rad/s] */
    double fastest;             /* no point of the shape is faster than this [unit/s] */
    rlti_box box;
} rlti_shape;

void rlti_shape_create(const rlti_collider_data *data, rlti_shape *shape);
void rlti_shape_rest(rlti_shape *shape);
void rlti_shape_begin_frame(rlti_shape *shape, const rlti_body *body, int frame);
void rlti_shape_pose(rlti_shape *shape, double s, double rate);

/* 1 when the shape may come nearer than `thickness` to the world point within the time. */
int rlti_shape_hit(const rlti_shape *shape, rlti_vec3 point, const float velocity[3], double thickness,
                   double seconds, rlti_hit *found);

/* Signed. */
double rlti_shape_distance(const rlti_shape *shape, rlti_vec3 point);

#endif
