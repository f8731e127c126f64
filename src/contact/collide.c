#include "contact/collide.h"

#include <float.h>

#include "base/memory.h"
#include "base/messages.h"
#include "contact/grid.h"

/* Closer than this the direction to the closest point is mostly rounding: the pseudonormal stands in. [unit]
 */
static const double tiny = 1e-3;

/* A stretch of the motion ends before a vertex gets further than this from its place half way. [unit] */
static const double stretch_travel = 0.25;
enum { MOST_STRETCHES = 32 };

/* A sphere or a capsule (a sphere's two ends are the same) on a bone. Its middle is carried like a hair's
 * root: interpolating the bone's own translation instead would lose all accuracy far from the world's origin,
 * where translation and rotation nearly cancel. */
typedef struct shape {
    rlti_root middle;
    rlti_vec3 half; /* from the middle to the second end, at rest */
    double radius;
    rlti_motion_segment motion; /* of the middle */

    /* now, world */
    rlti_vec3 ends[2];
    rlti_vec3 centre, velocity; /* of the middle */
    rlti_vec3 spin;             /* angular velocity [rad/s] */
    double fastest;             /* no point of the shape is faster than this [unit/s] */
} shape;

struct rlti_colliders {
    const rlti_body *body;
    double rate; /* frames per second */
    int shape_count;
    shape *shapes;

    int has_mesh;
    rlti_surface surface;
    rlti_grid grid;
    float reach;      /* the greatest thickness + RLTI_CONTACT_REACH */
    int stretches;    /* of the present frame interval */
    int grid_stretch; /* the one the grid is built for, -1 for none */
};

/* The nearest surface seen from a point. */
typedef struct hit {
    double distance;    /* signed */
    double normal[3];   /* outward unit vector */
    double height;      /* of the point over the plane through the surface with that normal */
    double velocity[3]; /* of the surface */
} hit;

static void add_shape(rlti_colliders *colliders, const rlti_collider_data *data) {
    const double *a = data->position;
    const double *b = data->kind == RLTI_COLLIDER_CAPSULE ? data->end : data->position;
    shape *s = &colliders->shapes[colliders->shape_count++];
    rlti_vec3 first = rlti_v3(a[0], a[1], a[2]), second = rlti_v3(b[0], b[1], b[2]);
    s->radius = data->radius;
    s->half = rlti_scale(0.5, rlti_sub(second, first));
    s->middle = (rlti_root){.triangle = -1, .bone = data->bone, .position = rlti_add(first, s->half)};
}

static rlt_status add_mesh(rlti_colliders *colliders, const rlti_collider_data *data,
                           rlt_messages *messages) {
    const rlti_mesh *mesh = colliders->body == NULL ? NULL : rlti_body_mesh(colliders->body);
    if (mesh == NULL || mesh->triangle_count == 0) {
        rlti_message(messages, RLT_WARNING,
                     "collider '%s': the scene has no character, so there is no body mesh", data->name);
        return RLT_OK;
    }
    if (colliders->has_mesh)
        return RLT_OK; /* the same mesh once more adds nothing */
    colliders->has_mesh = 1;
    if (!rlti_surface_create(mesh, &colliders->surface) ||
        !rlti_grid_create(&colliders->surface, &colliders->grid))
        return rlti_out_of_memory(messages);
    return RLT_OK;
}

static float greatest_reach(const rlti_scene_data *scene) {
    double thickness = 0.0;
    for (int h = 0; h < scene->hair_count; h++)
        if (scene->hair[h].collide && scene->hair[h].thickness > thickness)
            thickness = scene->hair[h].thickness;
    return (float)(thickness + RLTI_CONTACT_REACH);
}

rlt_status rlti_colliders_create(const rlti_scene_data *scene, const rlti_body *body, rlt_messages *messages,
                                 rlti_colliders **colliders) {
    rlt_status status = RLT_OK;
    rlti_colliders *made = RLTI_NEW(rlti_colliders, 1);
    *colliders = NULL;
    if (made == NULL)
        return rlti_out_of_memory(messages);
    made->body = body;
    made->rate = scene->time.fps;
    made->reach = greatest_reach(scene);
    made->shapes = RLTI_NEW(shape, scene->collider_count);
    if (made->shapes == NULL)
        status = rlti_out_of_memory(messages);
    for (int c = 0; c < scene->collider_count && status == RLT_OK; c++) {
        if (scene->colliders[c].kind == RLTI_COLLIDER_BODY)
            status = add_mesh(made, &scene->colliders[c], messages);
        else
            add_shape(made, &scene->colliders[c]);
    }
    if (status != RLT_OK) {
        rlti_colliders_destroy(made);
        return status;
    }
    rlti_colliders_pose_rest(made);
    *colliders = made;
    return RLT_OK;
}

void rlti_colliders_destroy(rlti_colliders *colliders) {
    if (colliders == NULL)
        return;
    rlti_grid_destroy(&colliders->grid);
    rlti_surface_destroy(&colliders->surface);
    rlti_free(colliders->shapes);
    rlti_free(colliders);
}

int rlti_colliders_count(const rlti_colliders *colliders) {
    return colliders->shape_count + colliders->has_mesh;
}

/* As many equal stretches as keep the vertices near their places half way. */
static void cut_motion(rlti_colliders *colliders) {
    rlti_surface_set_motion(&colliders->surface);
    double travel = rlti_surface_sweep(&colliders->surface, 0.0, 1.0, colliders->grid.boxes);
    double stretches = ceil(travel / stretch_travel);
    colliders->stretches = stretches < MOST_STRETCHES ? (int)stretches : MOST_STRETCHES;
    if (!(stretches >= 1.0))
        colliders->stretches = 1;
    colliders->grid_stretch = -1;
}

static void pose_shape(shape *item, double s, double rate) {
    rlti_quat q, q_rate;
    rlti_motion_segment_at(&item->motion, s, rate, &item->centre, &item->velocity, &q, &q_rate);
    /* omega = 2 q' q^-1; a change of q's length goes to the scalar part only */
    double square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    rlti_quat conjugate = {q.w, -q.x, -q.y, -q.z};
    rlti_quat product = rlti_quat_multiply(q_rate, conjugate);
    item->spin = rlti_scale(square > 0.0 ? 2.0 / square : 0.0, rlti_v3(product.x, product.y, product.z));

    rlti_vec3 half = rlti_quat_rotate(rlti_quat_normalize(q), item->half);
    item->ends[0] = rlti_sub(item->centre, half);
    item->ends[1] = rlti_add(item->centre, half);
    item->fastest =
        rlti_length(item->velocity) + rlti_length(item->spin) * (rlti_length(half) + item->radius);
}

void rlti_colliders_pose_rest(rlti_colliders *colliders) {
    for (int i = 0; i < colliders->shape_count; i++) {
        shape *item = &colliders->shapes[i];
        item->motion = (rlti_motion_segment){.position = {item->middle.position}, .rotation = {{.w = 1.0}}};
    }
    if (colliders->has_mesh) {
        const rlti_mesh *mesh = rlti_body_mesh(colliders->body);
        for (int i = 0; i < 4; i++)
            for (int v = 0; v < mesh->vertex_count; v++)
                colliders->surface.coefficients[(size_t)i * (size_t)mesh->vertex_count + (size_t)v] =
                    i == 0 ? mesh->vertices[v] : rlti_v3(0, 0, 0);
        cut_motion(colliders);
    }
    rlti_colliders_pose(colliders, 0.0);
}

void rlti_colliders_begin_frame(rlti_colliders *colliders, int frame) {
    for (int i = 0; i < colliders->shape_count && colliders->body != NULL; i++) {
        shape *item = &colliders->shapes[i];
        rlti_body_root_segment(colliders->body, &item->middle, frame, &item->motion);
    }
    if (colliders->has_mesh) {
        rlti_body_vertex_segment(colliders->body, frame, colliders->surface.coefficients);
        cut_motion(colliders);
    }
}

void rlti_colliders_pose(rlti_colliders *colliders, double s) {
    s = s >= 0.0 ? (s <= 1.0 ? s : 1.0) : 0.0;
    for (int i = 0; i < colliders->shape_count; i++)
        pose_shape(&colliders->shapes[i], s, colliders->rate);
    if (!colliders->has_mesh)
        return;
    int stretch = (int)(s * colliders->stretches);
    stretch = stretch < colliders->stretches ? stretch : colliders->stretches - 1;
    if (stretch != colliders->grid_stretch) {
        double width = 1.0 / colliders->stretches;
        rlti_grid_build(&colliders->grid, &colliders->surface, stretch * width, (stretch + 1) * width,
                        colliders->reach);
        colliders->grid_stretch = stretch;
    }
    rlti_surface_pose(&colliders->surface, s, colliders->rate);
}

static float length3(float x, float y, float z) {
    return sqrtf(x * x + y * y + z * z);
}

/* The point of a shape's axis closest to a world point. */
static rlti_vec3 axis_point(const shape *item, rlti_vec3 point) {
    rlti_vec3 axis = rlti_sub(item->ends[1], item->ends[0]);
    double square = rlti_dot(axis, axis);
    double along = rlti_dot(rlti_sub(point, item->ends[0]), axis);
    if (!(along > 0.0) || !(square > 0.0))
        return item->ends[0];
    return along < square ? rlti_madd(item->ends[0], along / square, axis) : item->ends[1];
}

/* Out from the axis; on it any direction across it will do. */
static rlti_vec3 shape_normal(const shape *item, rlti_vec3 from_axis, double length) {
    if (length > 0.0)
        return rlti_scale(1.0 / length, from_axis);
    rlti_vec3 axis = rlti_normalize(rlti_sub(item->ends[1], item->ends[0]));
    return rlti_dot(axis, axis) > 0.0 ? rlti_perpendicular(axis) : rlti_v3(0, 1, 0);
}

static int hit_shape(const shape *item, rlti_vec3 point, const float velocity[3], double thickness,
                     double seconds, hit *found) {
    rlti_vec3 from_axis = rlti_sub(point, axis_point(item, point));
    double square = rlti_dot(from_axis, from_axis);
    double speed = item->fastest + (double)length3(velocity[0], velocity[1], velocity[2]);
    double far = item->radius + thickness + RLTI_CONTACT_SLACK + seconds * speed;
    if (!(far > 0.0 && square < far * far))
        return 0;
    double length = sqrt(square);
    rlti_vec3 normal = shape_normal(item, from_axis, length);
    rlti_vec3 arm = rlti_sub(rlti_madd(point, item->radius - length, normal), item->centre);
    rlti_vec3 surface = rlti_add(item->velocity, rlti_cross(item->spin, arm));
    *found = (hit){length - item->radius,
                   {normal.x, normal.y, normal.z},
                   length - item->radius,
                   {surface.x, surface.y, surface.z}};
    return 1;
}

/* The direction of the signed distance's gradient: along the offset, turned outward; where the offset is tiny
 * the pseudonormal, and should that vanish the face's. */
static void mesh_normal(const rlti_surface *surface, const rlti_closest *closest, double distance,
                        double normal[3]) {
    float pseudonormal[3];
    if (fabs(distance) > tiny) {
        for (int k = 0; k < 3; k++)
            normal[k] = (double)closest->offset[k] / distance;
        return;
    }
    rlti_surface_pseudonormal(surface, closest, pseudonormal);
    double square = 0.0;
    for (int k = 0; k < 3; k++)
        square += (double)pseudonormal[k] * (double)pseudonormal[k];
    const float *direction = square > 1e-6 ? pseudonormal : surface->faces[closest->triangle].normal;
    double length = square > 1e-6 ? sqrt(square) : 1.0;
    for (int k = 0; k < 3; k++)
        normal[k] = (double)direction[k] / length;
}

static void mesh_hit(const rlti_surface *surface, const rlti_closest *closest, double distance, hit *found) {
    const int *corners = surface->triangles[closest->triangle];
    found->distance = distance;
    mesh_normal(surface, closest, distance, found->normal);
    found->height = 0.0;
    for (int k = 0; k < 3; k++) {
        found->height += found->normal[k] * (double)closest->offset[k];
        found->velocity[k] = 0.0;
        for (int corner = 0; corner < 3; corner++)
            found->velocity[k] +=
                (double)closest->weights[corner] * (double)surface->velocity[corners[corner]][k];
    }
}

/* `local` is relative to the mesh's centre. */
static int hit_mesh(const rlti_colliders *colliders, const float local[3], const float velocity[3],
                    double thickness, double seconds, hit *found) {
    const rlti_surface *surface = &colliders->surface;
    rlti_closest closest;
    float from_centre2, distance;
    const rlti_grid_cell *cell = rlti_grid_look_up(&colliders->grid, local, &from_centre2);
    if (cell == NULL)
        return 0;
    float speed = surface->spread + length3(velocity[0] - surface->drift[0], velocity[1] - surface->drift[1],
                                            velocity[2] - surface->drift[2]);
    float reach = (float)(thickness + RLTI_CONTACT_SLACK + seconds * (double)speed);
    if (!rlti_grid_closest(&colliders->grid, surface, cell, from_centre2, local, reach, &closest, &distance))
        return 0;
    mesh_hit(surface, &closest, (double)distance, found);
    return 1;
}

/* Whether the point may reach the plane within the time. */
static int is_near(const hit *found, const float velocity[3], double thickness, double seconds) {
    double approach = 0.0;
    for (int k = 0; k < 3; k++)
        approach -= found->normal[k] * ((double)velocity[k] - found->velocity[k]);
    double path = approach > 0.0 ? approach * seconds : 0.0;
    return found->distance < thickness + path + RLTI_CONTACT_SLACK;
}

static void write_plane(const hit *found, int point, const float position[3], double thickness,
                        rlti_plane *plane) {
    double offset = thickness - found->height;
    for (int k = 0; k < 3; k++) {
        offset += found->normal[k] * (double)position[k];
        plane->normal[k] = (float)found->normal[k];
        plane->velocity[k] = (float)found->velocity[k];
    }
    plane->point = point;
    plane->offset = (float)offset;
}

static int is_finite(const float position[3], const float velocity[3]) {
    float sum = 0.0f; /* x - x is NaN for NaN and infinity */
    for (int k = 0; k < 3; k++)
        sum += (position[k] - position[k]) + (velocity[k] - velocity[k]);
    return sum == 0.0f;
}

/* The deepest of all surfaces a point may touch; returns 0 if there is none. */
static int find_hit(const rlti_colliders *colliders, const rlti_vec3 *origin, const float shift[3],
                    const float position[3], const float velocity[3], double thickness, double seconds,
                    hit *best) {
    hit next;
    int found = 0;
    if (colliders->has_mesh) {
        float local[3] = {position[0] + shift[0], position[1] + shift[1], position[2] + shift[2]};
        found = hit_mesh(colliders, local, velocity, thickness, seconds, best) &&
                is_near(best, velocity, thickness, seconds);
    }
    if (colliders->shape_count == 0)
        return found;
    rlti_vec3 world =
        rlti_add(*origin, rlti_v3((double)position[0], (double)position[1], (double)position[2]));
    for (int i = 0; i < colliders->shape_count; i++) {
        if (hit_shape(&colliders->shapes[i], world, velocity, thickness, seconds, &next) &&
            is_near(&next, velocity, thickness, seconds) && (!found || next.distance < best->distance)) {
            *best = next;
            found = 1;
        }
    }
    return found;
}

int rlti_colliders_find(const rlti_colliders *colliders, const rlti_vec3 *origin, int point_count,
                        const float *positions, const float *velocities, double thickness,
                        const float *point_thickness, double seconds, rlti_plane *planes) {
    int count = 0;
    rlti_vec3 from_centre = rlti_sub(*origin, colliders->surface.centre);
    const float shift[3] = {(float)from_centre.x, (float)from_centre.y, (float)from_centre.z};
    for (int i = 1; i < point_count; i++) {
        const float *position = positions + 3 * (size_t)i, *velocity = velocities + 3 * (size_t)i;
        double own = point_thickness != NULL ? (double)point_thickness[i] : thickness;
        hit found;
        if (is_finite(position, velocity) &&
            find_hit(colliders, origin, shift, position, velocity, own, seconds, &found))
            write_plane(&found, i, position, own, &planes[count++]);
    }
    return count;
}

/* The mesh's part of rlti_colliders_distance: by the grid where that is exact, by all triangles elsewhere. */
static double mesh_distance(const rlti_colliders *colliders, rlti_vec3 point, double reach) {
    const rlti_surface *surface = &colliders->surface;
    const rlti_grid *grid = &colliders->grid;
    rlti_vec3 from_centre = rlti_sub(point, surface->centre);
    const float local[3] = {(float)from_centre.x, (float)from_centre.y, (float)from_centre.z};
    rlti_closest closest;
    float from_centre2, distance = 0.0f;
    const rlti_grid_cell *cell = rlti_grid_look_up(grid, local, &from_centre2);
    int found = cell != NULL && rlti_grid_closest(grid, surface, cell, from_centre2, local, (float)reach,
                                                  &closest, &distance);
    if (found && fabsf(distance) < grid->margin)
        return (double)distance;
    if (!found && reach <= (double)grid->margin)
        return reach;
    /* far away: the sign is known (what was not found is outside) */
    closest.distance2 = FLT_MAX;
    if (!rlti_surface_closest(surface, local, &closest))
        return reach;
    double length = sqrt((double)closest.distance2);
    return found && distance < 0.0f ? -length : fmin(length, reach);
}

double rlti_colliders_distance(const rlti_colliders *colliders, rlti_vec3 point, double reach) {
    double least = reach;
    if (colliders->has_mesh)
        least = fmin(least, mesh_distance(colliders, point, reach));
    for (int i = 0; i < colliders->shape_count; i++) {
        const shape *item = &colliders->shapes[i];
        double length = rlti_length(rlti_sub(point, axis_point(item, point)));
        least = fmin(least, length - item->radius);
    }
    return least;
}
