#include "contact/body/shape.h"

void rlti_shape_create(const rlti_collider_data *data, rlti_shape *shape) {
    const double *a = data->position;
    const double *b = data->kind == RLTI_COLLIDER_CAPSULE ? data->end : data->position;
    rlti_vec3 first = rlti_v3(a[0], a[1], a[2]), second = rlti_v3(b[0], b[1], b[2]);
    shape->radius = data->radius;
    shape->half = rlti_scale(0.5, rlti_sub(second, first));
    shape->middle = (rlti_root){.triangle = -1, .bone = data->bone, .position = rlti_add(first, shape->half)};
}

void rlti_shape_rest(rlti_shape *shape) {
    shape->motion = (rlti_motion_segment){.position = {shape->middle.position}, .rotation = {{.w = 1.0}}};
}

void rlti_shape_begin_frame(rlti_shape *shape, const rlti_body *body, int frame) {
    rlti_body_root_segment(body, &shape->middle, frame, &shape->motion);
}

static void set_box(rlti_shape *shape) {
    const rlti_vec3 *a = &shape->ends[0], *b = &shape->ends[1];
    const double from[3] = {a->x, a->y, a->z}, to[3] = {b->x, b->y, b->z};
    for (int k = 0; k < 3; k++) {
        shape->box.minimum[k] = fmin(from[k], to[k]) - shape->radius;
        shape->box.maximum[k] = fmax(from[k], to[k]) + shape->radius;
    }
}

void rlti_shape_pose(rlti_shape *shape, double s, double rate) {
    rlti_quat q, q_rate;
    rlti_motion_segment_at(&shape->motion, s, rate, &shape->centre, &shape->velocity, &q, &q_rate);
    /* omega = 2 q' q^-1; a change of q's length goes to the scalar part only */
    double square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    rlti_quat product = rlti_quat_multiply(q_rate, rlti_quat_conjugate(q));
    shape->spin = rlti_scale(square > 0.0 ? 2.0 / square : 0.0, rlti_v3(product.x, product.y, product.z));

    rlti_vec3 half = rlti_quat_rotate(rlti_quat_normalize(q), shape->half);
    shape->ends[0] = rlti_sub(shape->centre, half);
    shape->ends[1] = rlti_add(shape->centre, half);
    shape->fastest =
        rlti_length(shape->velocity) + rlti_length(shape->spin) * (rlti_length(half) + shape->radius);
    set_box(shape);
}

/* The point of the axis closest to a world point. */
static rlti_vec3 axis_point(const rlti_shape *shape, rlti_vec3 point) {
    rlti_vec3 axis = rlti_sub(shape->ends[1], shape->ends[0]);
    double square = rlti_dot(axis, axis);
    double along = rlti_dot(rlti_sub(point, shape->ends[0]), axis);
    if (!(along > 0.0) || !(square > 0.0))
        return shape->ends[0];
    return along < square ? rlti_madd(shape->ends[0], along / square, axis) : shape->ends[1];
}

/* Out from the axis; on it any direction across it will do. */
static rlti_vec3 normal_at(const rlti_shape *shape, rlti_vec3 from_axis, double length) {
    if (length > 0.0)
        return rlti_scale(1.0 / length, from_axis);
    rlti_vec3 axis = rlti_normalize(rlti_sub(shape->ends[1], shape->ends[0]));
    return rlti_dot(axis, axis) > 0.0 ? rlti_perpendicular(axis) : rlti_v3(0, 1, 0);
}

int rlti_shape_hit(const rlti_shape *shape, rlti_vec3 point, const float velocity[3], double thickness,
                   double seconds, rlti_hit *found) {
    rlti_vec3 from_axis = rlti_sub(point, axis_point(shape, point));
    double square = rlti_dot(from_axis, from_axis);
    double speed = shape->fastest + (double)rlti_length3(velocity);
    double far = shape->radius + thickness + RLTI_CONTACT_SLACK + seconds * speed;
    if (!(far > 0.0 && square < far * far))
        return 0;
    double length = sqrt(square);
    rlti_vec3 normal = normal_at(shape, from_axis, length);
    rlti_vec3 arm = rlti_sub(rlti_madd(point, shape->radius - length, normal), shape->centre);
    rlti_vec3 surface = rlti_add(shape->velocity, rlti_cross(shape->spin, arm));
    *found = (rlti_hit){length - shape->radius,
                        {normal.x, normal.y, normal.z},
                        length - shape->radius,
                        {surface.x, surface.y, surface.z}};
    return 1;
}

double rlti_shape_distance(const rlti_shape *shape, rlti_vec3 point) {
    return rlti_length(rlti_sub(point, axis_point(shape, point))) - shape->radius;
}
