#include "body/body.h"
#include "body/segment.h"

#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "body/head.h"
#include "body/mesh.h"
#include "body/motion.h"
#include "base/number.h"

/* Samples that decide one frame interval: before, start, end, after. */
enum { STENCIL = 4, SKIN_BONES = 3 };

struct rlti_body {
    const rlti_scene_data *scene;
    rlti_mesh mesh;
    double (*weights)[SKIN_BONES]; /* [vertex_count] torso, neck, head */
};

/* The joints at scale 1: between the shoulders, at the neck's base, at the skull's base. The torso's is on
 * the vertical through the character's position, so that a spin turns about it. */
static const rlti_vec3 pivots[SKIN_BONES] = {{0.0, -24.0, 0.0}, {0.0, -17.0, -3.0}, {0.0, -8.5, -1.8}};

static rlti_vec3 to_world(const rlti_character_data *character, rlti_vec3 p) {
    const double *at = character->position;
    return rlti_madd(rlti_v3(at[0], at[1], at[2]), character->scale, p);
}

static rlt_status build_mesh(rlti_body *body) {
    const rlti_character_data *character = &body->scene->character;
    rlti_mesh *mesh = &body->mesh;
    if (!rlti_head_build(character->resolution, mesh))
        return RLT_FAILED;
    body->weights =
        (double(*)[SKIN_BONES])rlti_allocate((size_t)mesh->vertex_count, sizeof(double[SKIN_BONES]));
    if (body->weights == NULL)
        return RLT_FAILED;
    for (int v = 0; v < mesh->vertex_count; v++) {
        rlti_head_weights(mesh->vertices[v], body->weights[v]);
        mesh->vertices[v] = to_world(character, mesh->vertices[v]);
    }
    return RLT_OK;
}

static rlt_status must_be_positive(const char *key, double value, rlt_messages *messages) {
    char text[32];
    if (value > 0.0)
        return RLT_OK;
    rlti_number_format(value, text, sizeof text); /* the same in every locale */
    return rlti_fail(messages, RLT_BAD_INPUT, "%s = %s: must be > 0", key, text);
}

/* The scene's reader checks ranges; a caller that fills the data itself is checked here. */
static rlt_status check(const rlti_scene_data *scene, rlt_messages *messages) {
    const rlti_character_data *character = &scene->character;
    rlt_status status = must_be_positive("time.fps", scene->time.fps, messages);
    if (status == RLT_OK)
        status = must_be_positive("metres_per_unit", scene->metres_per_unit, messages);
    if (status == RLT_OK)
        status = must_be_positive("character.scale", character->scale, messages);
    if (status == RLT_OK && character->resolution > 1000)
        status = rlti_fail(messages, RLT_BAD_INPUT, "character.resolution = %d: must be <= 1000",
                           character->resolution);
    return status;
}

rlt_status rlti_body_create(const rlti_scene_data *scene, rlt_messages *messages, rlti_body **body) {
    *body = NULL;
    rlt_status status = check(scene, messages);
    if (status != RLT_OK)
        return status;
    rlti_body *made = RLTI_NEW(rlti_body, 1);
    if (made == NULL)
        return rlti_out_of_memory(messages);
    made->scene = scene;
    if (scene->character.kind == RLTI_CHARACTER_HEAD && build_mesh(made) != RLT_OK) {
        rlti_body_destroy(made);
        return rlti_out_of_memory(messages);
    }
    *body = made;
    return RLT_OK;
}

void rlti_body_destroy(rlti_body *body) {
    if (body == NULL)
        return;
    rlti_mesh_clear(&body->mesh);
    rlti_free(body->weights);
    rlti_free(body);
}

const rlti_mesh *rlti_body_mesh(const rlti_body *body) {
    return &body->mesh;
}

int rlti_body_region(const rlti_body *body, const char *name) {
    for (int r = 0; r < body->mesh.region_count; r++)
        if (strcmp(body->mesh.region_names[r].name, name) == 0)
            return r;
    return -1;
}

/* Child pose: turned by `rotation` about `pivot`, then carried by the parent. */
static rlti_pose attach(rlti_pose parent, rlti_quat rotation, rlti_vec3 pivot) {
    rlti_vec3 offset = rlti_sub(pivot, rlti_quat_rotate(rotation, pivot));
    rlti_pose pose;
    pose.rotation = rlti_quat_normalize(rlti_quat_multiply(parent.rotation, rotation));
    pose.translation = rlti_add(rlti_quat_rotate(parent.rotation, offset), parent.translation);
    return pose;
}

/* Poses of torso, neck and head at a frame sample. */
static void skin_poses(const rlti_body *body, int frame, rlti_pose poses[SKIN_BONES]) {
    const rlti_scene_data *scene = body->scene;
    /* in double: frame and first may be far apart */
    double seconds = ((double)frame - (double)scene->time.first) / scene->time.fps;
    rlti_joints joints = rlti_motion_at(scene, seconds);
    rlti_pose world = {{1.0, 0.0, 0.0, 0.0}, joints.travel};
    poses[0] = attach(world, joints.torso, to_world(&scene->character, pivots[0]));
    poses[1] = attach(poses[0], joints.neck, to_world(&scene->character, pivots[1]));
    poses[2] = attach(poses[1], joints.head, to_world(&scene->character, pivots[2]));
}

static rlti_vec3 apply(const rlti_pose *pose, rlti_vec3 p) {
    return rlti_add(rlti_quat_rotate(pose->rotation, p), pose->translation);
}

rlti_pose rlti_body_bone_sample(const rlti_body *body, rlti_bone bone, int frame) {
    rlti_pose poses[SKIN_BONES];
    switch (bone) {
    case RLTI_BONE_TORSO:
        skin_poses(body, frame, poses);
        return poses[0];
    case RLTI_BONE_NECK:
        skin_poses(body, frame, poses);
        return poses[1];
    case RLTI_BONE_HEAD:
        skin_poses(body, frame, poses);
        return poses[2];
    case RLTI_BONE_NONE:
    case RLTI_BONE_COUNT:
        break;
    }
    return (rlti_pose){{1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
}

/* Linear blend skinning: the weighted mean of where the bones would take the vertex. A bone without weight is
 * skipped, so that vertices of one bone only move exactly rigidly. */
static rlti_vec3 skin(const rlti_body *body, const rlti_pose poses[SKIN_BONES], int vertex) {
    rlti_vec3 sum = rlti_v3(0, 0, 0);
    for (int b = 0; b < SKIN_BONES; b++)
        if (body->weights[vertex][b] != 0.0)
            sum = rlti_madd(sum, body->weights[vertex][b], apply(&poses[b], body->mesh.vertices[vertex]));
    return sum;
}

/* Cubic Hermite coefficients in s of the interval between p[1] and p[2], with Catmull-Rom tangents. */
static void hermite(const double p[STENCIL], double c[STENCIL]) {
    double m1 = 0.5 * (p[2] - p[0]);
    double m2 = 0.5 * (p[3] - p[1]);
    double d = p[2] - p[1];
    c[0] = p[1];
    c[1] = m1;
    c[2] = 3.0 * d - 2.0 * m1 - m2;
    c[3] = m1 + m2 - 2.0 * d;
}

static void hermite_vector(const rlti_vec3 p[STENCIL], rlti_vec3 c[STENCIL]) {
    double x[STENCIL], y[STENCIL], z[STENCIL];
    double cx[STENCIL], cy[STENCIL], cz[STENCIL];
    for (int k = 0; k < STENCIL; k++) {
        x[k] = p[k].x;
        y[k] = p[k].y;
        z[k] = p[k].z;
    }
    hermite(x, cx);
    hermite(y, cy);
    hermite(z, cz);
    for (int k = 0; k < STENCIL; k++)
        c[k] = rlti_v3(cx[k], cy[k], cz[k]);
}

/* q and -q are the same rotation: each sample takes the sign nearer to its predecessor, else the cubic would
 * run through zero. */
static void align_signs(rlti_quat q[STENCIL]) {
    for (int k = 1; k < STENCIL; k++) {
        const rlti_quat *a = &q[k - 1];
        rlti_quat *b = &q[k];
        if (a->w * b->w + a->x * b->x + a->y * b->y + a->z * b->z < 0.0)
            *b = (rlti_quat){-b->w, -b->x, -b->y, -b->z};
    }
}

static void segment_from_samples(const rlti_vec3 p[STENCIL], rlti_quat q[STENCIL],
                                 rlti_motion_segment *segment) {
    align_signs(q);
    hermite_vector(p, segment->position);
    double component[4][STENCIL], c[4][STENCIL];
    for (int k = 0; k < STENCIL; k++) {
        component[0][k] = q[k].w;
        component[1][k] = q[k].x;
        component[2][k] = q[k].y;
        component[3][k] = q[k].z;
    }
    for (int i = 0; i < 4; i++)
        hermite(component[i], c[i]);
    for (int k = 0; k < STENCIL; k++)
        segment->rotation[k] = (rlti_quat){c[0][k], c[1][k], c[2][k], c[3][k]};
}

/* Orthonormal frame of a triangle: along its first edge, across it, along its normal. */
static rlti_quat triangle_frame(const rlti_vec3 corners[3]) {
    rlti_vec3 edge = rlti_sub(corners[1], corners[0]);
    rlti_vec3 normal = rlti_normalize(rlti_cross(edge, rlti_sub(corners[2], corners[0])));
    edge = rlti_normalize(edge);
    return rlti_quat_from_axes(edge, rlti_cross(normal, edge), normal);
}

static void root_sample(const rlti_body *body, const rlti_root *root, int frame, rlti_vec3 *position,
                        rlti_quat *rotation) {
    rlti_pose poses[SKIN_BONES];
    if (root->triangle < 0 || root->triangle >= body->mesh.triangle_count) {
        rlti_pose pose = rlti_body_bone_sample(body, root->bone, frame);
        *position = apply(&pose, root->position);
        *rotation = pose.rotation;
        return;
    }
    skin_poses(body, frame, poses);
    const int *corner = body->mesh.triangles[root->triangle];
    rlti_vec3 rest[3], now[3];
    *position = rlti_v3(0, 0, 0);
    for (int k = 0; k < 3; k++) {
        rest[k] = body->mesh.vertices[corner[k]];
        now[k] = skin(body, poses, corner[k]);
        *position = rlti_madd(*position, root->barycentric[k], now[k]);
    }
    rlti_quat from = triangle_frame(rest);
    rlti_quat inverse = {from.w, -from.x, -from.y, -from.z};
    *rotation = rlti_quat_normalize(rlti_quat_multiply(triangle_frame(now), inverse));
}

/* Frame samples are asked for one before and two after the interval; at the ends of int, the last one holds.
 */
static int stencil_frame(int frame, int k) {
    long long wanted = (long long)frame + k - 1;
    return wanted > INT32_MAX ? INT32_MAX : (wanted < INT32_MIN ? INT32_MIN : (int)wanted);
}

void rlti_body_root_segment(const rlti_body *body, const rlti_root *root, int frame,
                            rlti_motion_segment *segment) {
    rlti_vec3 p[STENCIL];
    rlti_quat q[STENCIL];
    for (int k = 0; k < STENCIL; k++)
        root_sample(body, root, stencil_frame(frame, k), &p[k], &q[k]);
    segment_from_samples(p, q, segment);
}

void rlti_body_bone_segment(const rlti_body *body, rlti_bone bone, int frame, rlti_motion_segment *segment) {
    rlti_vec3 p[STENCIL];
    rlti_quat q[STENCIL];
    for (int k = 0; k < STENCIL; k++) {
        rlti_pose pose = rlti_body_bone_sample(body, bone, stencil_frame(frame, k));
        p[k] = pose.translation;
        q[k] = pose.rotation;
    }
    segment_from_samples(p, q, segment);
}

void rlti_motion_segment_at(const rlti_motion_segment *segment, double s, double rate, rlti_vec3 *position,
                            rlti_vec3 *velocity, rlti_quat *rotation, rlti_quat *rotation_rate) {
    const rlti_quat *q = segment->rotation;
    *position = rlti_segment_position(segment, s);
    *velocity = rlti_segment_velocity(segment, s, rate);
    *rotation = rlti_segment_rotation(segment, s);
    rotation_rate->w = rate * rlti_cubic_slope(q[1].w, q[2].w, q[3].w, s);
    rotation_rate->x = rate * rlti_cubic_slope(q[1].x, q[2].x, q[3].x, s);
    rotation_rate->y = rate * rlti_cubic_slope(q[1].y, q[2].y, q[3].y, s);
    rotation_rate->z = rate * rlti_cubic_slope(q[1].z, q[2].z, q[3].z, s);
}

void rlti_body_vertex_segment(const rlti_body *body, int frame, rlti_vec3 *coefficients) {
    rlti_pose poses[STENCIL][SKIN_BONES];
    size_t count = (size_t)body->mesh.vertex_count;
    for (int k = 0; k < STENCIL; k++)
        skin_poses(body, stencil_frame(frame, k), poses[k]);
    for (size_t v = 0; v < count; v++) {
        rlti_vec3 p[STENCIL], c[STENCIL];
        for (int k = 0; k < STENCIL; k++)
            p[k] = skin(body, poses[k], (int)v);
        hermite_vector(p, c);
        for (size_t k = 0; k < STENCIL; k++)
            coefficients[k * count + v] = c[k];
    }
}

void rlti_body_vertices_at(const rlti_body *body, const rlti_vec3 *coefficients, double s, double rate,
                           rlti_vec3 *positions, rlti_vec3 *velocities) {
    size_t count = (size_t)body->mesh.vertex_count;
    for (size_t v = 0; v < count; v++) {
        positions[v] = rlti_cubic_vector(coefficients + v, count, s);
        if (velocities != NULL)
            velocities[v] = rlti_scale(rate, rlti_cubic_vector_slope(coefficients + v, count, s));
    }
}

void rlti_body_vertices_sample(const rlti_body *body, int frame, rlti_vec3 *positions) {
    rlti_pose poses[SKIN_BONES];
    skin_poses(body, frame, poses);
    for (int v = 0; v < body->mesh.vertex_count; v++)
        positions[v] = skin(body, poses, v);
}
