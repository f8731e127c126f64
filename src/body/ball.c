/* A ball, for hair all over: what hair does is seen from every side. Of the head's size, and moved by its
 * bones. */
#include "body/character.h"
#include "body/mesh.h"
#include "body/shape.h"

enum { RESOLUTION_MIN = 8 };

static const double radius = 9.0; /* [unit] */

static double ball_field(rlti_vec3 p) {
    return rlti_length(p) - radius;
}

static const char *const region_names[] = {RLTI_BALL_REGIONS};

static uint32_t regions_at(rlti_vec3 p) {
    (void)p;
    return 1u;
}

static int build(int resolution, rlti_mesh *mesh) {
    double cell = 40.8 / (resolution < RESOLUTION_MIN ? RESOLUTION_MIN : resolution), out = radius + 2.0;
    const double ranges[3][4] = {{-out, out, -out, out}, {-out, out, -out, out}, {-out, out, -out, out}};
    return rlti_mesh_build(ball_field, ranges, cell, cell, mesh) &&
           rlti_mesh_name_regions(mesh, region_names, 1, regions_at);
}

/* All of it is the head. */
static void weigh(rlti_vec3 p, double *weights) {
    (void)p;
    weights[0] = weights[1] = 0.0;
    weights[2] = 1.0;
}

/* The ball turns about its middle. */
static const rlti_joint joints[] = {{RLTI_BONE_TORSO, RLTI_BONE_NONE, {0.0, 0.0, 0.0}},
                                    {RLTI_BONE_NECK, RLTI_BONE_TORSO, {0.0, 0.0, 0.0}},
                                    {RLTI_BONE_HEAD, RLTI_BONE_NECK, {0.0, 0.0, 0.0}}};

const rlti_character rlti_ball = {
    .build = build, .joint_count = (int)(sizeof joints / sizeof joints[0]), .joints = joints, .weigh = weigh};
