/* A stylised head modelled as one implicit surface: ellipsoids and cones joined and carved by smooth minima.
 * Every dimension is in units (1 cm) with the head's centre at the origin, +Y up, the face towards +Z. */
#include <string.h>

#include "base/memory.h"
#include "body/character.h"
#include "body/mesh.h"
#include "body/shape.h"

/* Resolutions below this would leave features thinner than a cell and tear the surface net. */
enum { RESOLUTION_MIN = 24 };

/* The surface is mirror symmetric: callers pass |x|. */
static double skull(rlti_vec3 p) {
    double d = rlti_shape_ellipsoid(p, rlti_v3(0, 3.0, -1.5), rlti_v3(7.6, 8.9, 9.0));
    d = rlti_shape_join(d, rlti_shape_ellipsoid(p, rlti_v3(0, 3.4, 1.4), rlti_v3(6.5, 7.2, 7.3)),
                        2.0); /* forehead */
    d = rlti_shape_join(d, rlti_shape_ellipsoid(p, rlti_v3(0, -3.0, 2.2), rlti_v3(5.7, 7.0, 6.2)),
                        2.5); /* face */
    d = rlti_shape_join(d, rlti_shape_ellipsoid(p, rlti_v3(1.2, -6.6, 3.4), rlti_v3(3.2, 3.4, 4.2)),
                        2.2); /* jaw */
    return rlti_shape_join(d, rlti_shape_ellipsoid(p, rlti_v3(0, -9.2, 6.3), rlti_v3(1.7, 1.6, 1.9)),
                           2.6); /* chin */
}

static double features(rlti_vec3 p, double d) {
    d = rlti_shape_join(d, rlti_shape_ellipsoid(p, rlti_v3(3.3, -2.6, 5.7), rlti_v3(2.3, 1.9, 2.2)),
                        2.0); /* cheek */
    d = rlti_shape_join(d, rlti_shape_cone(p, rlti_v3(1.0, 2.3, 7.5), 0.8, rlti_v3(4.4, 2.5, 5.9), 0.7),
                        2.0); /* brow */
    d = rlti_shape_carve(d, rlti_shape_ellipsoid(p, rlti_v3(3.0, 0.4, 9.7), rlti_v3(2.3, 1.3, 2.1)),
                         1.8); /* eye socket */
    d = rlti_shape_join(d, rlti_shape_ellipsoid(p, rlti_v3(2.9, 0.0, 6.4), rlti_v3(1.9, 1.2, 1.75)),
                        0.7); /* closed eye */
    d = rlti_shape_join(d, rlti_shape_cone(p, rlti_v3(0, 1.8, 7.9), 0.55, rlti_v3(0, -3.2, 9.9), 0.85),
                        1.3); /* nose */
    d = rlti_shape_join(d, rlti_shape_ellipsoid(p, rlti_v3(0.85, -3.5, 8.9), rlti_v3(0.75, 0.6, 0.9)),
                        0.6); /* nostril */
    d = rlti_shape_join(d, rlti_shape_ellipsoid(p, rlti_v3(0.6, -6.1, 7.5), rlti_v3(1.7, 0.75, 1.35)),
                        0.8); /* upper lip */
    d = rlti_shape_join(d, rlti_shape_ellipsoid(p, rlti_v3(0, -7.5, 7.55), rlti_v3(1.9, 0.8, 1.3)),
                        0.6); /* lower lip */
    d = rlti_shape_join(d, rlti_shape_ellipsoid(p, rlti_v3(7.0, 0.4, -1.3), rlti_v3(1.0, 2.2, 1.7)),
                        0.6); /* ear */
    return rlti_shape_join(d, rlti_shape_ellipsoid(p, rlti_v3(6.5, -1.8, -0.8), rlti_v3(0.9, 1.5, 1.0)),
                           0.8); /* its lobe */
}

static double trunk(rlti_vec3 p) {
    double d = rlti_shape_cone(p, rlti_v3(0, -6.0, -2.4), 4.3, rlti_v3(0, -20.0, -3.6), 4.5); /* neck */
    d = rlti_shape_join(d, rlti_shape_cone(p, rlti_v3(0, -15.5, -4.4), 2.8, rlti_v3(12.5, -23.0, -3.6), 2.8),
                        4.0); /* trapezius */
    d = rlti_shape_join(d, rlti_shape_ellipsoid(p, rlti_v3(0, -31.0, -2.9), rlti_v3(14.0, 11.5, 7.6)),
                        4.0); /* chest */
    return rlti_shape_join(d, rlti_shape_ellipsoid(p, rlti_v3(13.4, -26.4, -3.3), rlti_v3(4.6, 5.6, 4.4)),
                           4.0); /* shoulder */
}

static double head_field(rlti_vec3 p) {
    p.x = fabs(p.x);
    double d = rlti_shape_join(features(p, skull(p)), trunk(p), 1.8);
    return rlti_shape_carve(d, p.y + 33.0, 1.5); /* the bust ends in a flat base */
}

enum { ALL, SCALP, TOP, FRONT, LEFT, RIGHT, BACK, NAPE, FACE, NECK, SHOULDERS, REGIONS };

static const char *const region_names[REGIONS] = {RLTI_HEAD_REGIONS};

/* Height of the hairline by where one looks from: `facing` is 1 in front, 0 at the ears, -1 behind. */
static double hairline(double facing) {
    static const double knots[][2] = {{-1.0, -7.2}, {-0.45, -5.2}, {-0.25, 0.8}, {0.0, 2.6},
                                      {0.35, 2.2},  {0.6, 4.4},    {0.8, 6.6},   {1.0, 7.2}};
    int last = (int)(sizeof knots / sizeof knots[0]) - 1;
    for (int k = 0; k < last; k++) {
        if (facing > knots[k + 1][0])
            continue;
        double s = (facing - knots[k][0]) / (knots[k + 1][0] - knots[k][0]);
        return knots[k][1] + (knots[k + 1][1] - knots[k][1]) * rlti_smoothstep(s);
    }
    return knots[last][1];
}

static uint32_t regions_at(rlti_vec3 p) {
    uint32_t bits = 1u << ALL;
    double around = sqrt(p.x * p.x + p.z * p.z);
    double facing = around > 0.0 ? p.z / around : -1.0;
    if (p.y > -12.5 && p.y > hairline(facing)) {
        bits |= 1u << SCALP;
        if (p.y > 9.0)
            bits |= 1u << TOP;
        if (p.z > 3.0 && p.y > 4.0 && fabs(p.x) < 6.0)
            bits |= 1u << FRONT;
        if (p.x > 2.5)
            bits |= 1u << LEFT;
        if (p.x < -2.5)
            bits |= 1u << RIGHT;
        if (p.z < -3.0)
            bits |= 1u << BACK;
        if (p.z < -2.0 && p.y < -2.0)
            bits |= 1u << NAPE;
    } else if (p.y > -11.6 && p.z > 1.5) {
        bits |= 1u << FACE;
    } else if (p.y <= -20.0) {
        bits |= 1u << SHOULDERS;
    } else if (p.y < -7.0) {
        bits |= 1u << (fabs(p.x) > 7.5 ? SHOULDERS : NECK);
    }
    return bits;
}

static int build(int resolution, rlti_mesh *mesh) {
    /* At the default 48 a cell of the face is 0.85 units, one of the shoulders 1.7. */
    double fine = 40.8 / (resolution < RESOLUTION_MIN ? RESOLUTION_MIN : resolution);
    static const double ranges[3][4] = {
        {-21.0, 21.0, -5.0, 5.0}, {-36.0, 14.0, -9.5, 3.5}, {-14.0, 14.0, 4.0, 14.0}};
    return rlti_mesh_build(head_field, ranges, fine, 2.0 * fine, mesh) &&
           rlti_mesh_name_regions(mesh, region_names, REGIONS, regions_at);
}

/* A strap lies in a plane through the trunk, over the left shoulder and under the right arm: a ring of round
 * edged sections, as far from the skin as asked for. */
enum { STRAP_STATIONS = 96, STRAP_SECTION = 8 };

static const rlti_vec3 strap_middle = {-3.0, -27.5, -3.3}, strap_up = {0.66, 0.7513, 0.0},
                       strap_across = {-0.7513, 0.66, 0.0};

/* Distance from the middle at which the strap begins, in a direction within its plane. */
static double strap_reach(rlti_vec3 direction, double height) {
    double low = 0.0, high = 40.0;
    for (int k = 0; k < 60; k++) {
        double half = 0.5 * (low + high);
        rlti_vec3 p = rlti_madd(strap_middle, half, direction);
        p.x = fabs(p.x);
        *(trunk(p) < height ? &low : &high) = half;
    }
    return high;
}

static rlti_vec3 strap_vertex(int station, int k, double height) {
    const double wide = 1.4, thick = 0.2; /* half of both */
    double angle = 2.0 * RLTI_PI * station / STRAP_STATIONS, turn = 2.0 * RLTI_PI * (k + 0.5) / STRAP_SECTION;
    rlti_vec3 out = rlti_madd(rlti_scale(cos(angle), strap_up), sin(angle), rlti_v3(0, 0, 1));
    double reach = strap_reach(out, height) + thick + thick * fmax(-1.0, fmin(1.0, 1.5 * sin(turn)));
    return rlti_madd(rlti_madd(strap_middle, reach, out), wide * fmax(-1.0, fmin(1.0, 1.09 * cos(turn))),
                     strap_across);
}

static int strap(double height, rlti_mesh *mesh) {
    enum { VERTICES = STRAP_STATIONS * STRAP_SECTION };
    size_t vertices = (size_t)mesh->vertex_count + VERTICES,
           triangles = (size_t)mesh->triangle_count + 2 * (size_t)VERTICES;
    rlti_mesh with = {.vertices = RLTI_NEW(rlti_vec3, vertices),
                      .triangles = rlti_allocate(triangles, sizeof *mesh->triangles),
                      .regions = RLTI_NEW(uint32_t, triangles)};
    if (with.vertices == NULL || with.triangles == NULL || with.regions == NULL) {
        rlti_mesh_clear(&with);
        return 0;
    }
    memcpy(with.vertices, mesh->vertices, (size_t)mesh->vertex_count * sizeof *mesh->vertices);
    memcpy(with.triangles, mesh->triangles, (size_t)mesh->triangle_count * sizeof *mesh->triangles);
    memcpy(with.regions, mesh->regions, (size_t)mesh->triangle_count * sizeof *mesh->regions);
    for (int i = 0; i < VERTICES; i++) {
        int first = mesh->vertex_count, s = i / STRAP_SECTION, k = i % STRAP_SECTION,
            next = (s + 1) % STRAP_STATIONS, beside = (k + 1) % STRAP_SECTION, a = first + i,
            b = first + next * STRAP_SECTION + k, c = first + next * STRAP_SECTION + beside,
            d = first + s * STRAP_SECTION + beside;
        const int faces[2][3] = {{a, b, c}, {a, c, d}};
        with.vertices[first + i] = strap_vertex(s, k, height);
        memcpy(with.triangles[mesh->triangle_count + 2 * i], faces, sizeof faces);
    }
    RLTI_FREE(mesh->vertices, mesh->triangles, mesh->regions);
    mesh->vertices = with.vertices;
    mesh->triangles = with.triangles;
    mesh->regions = with.regions;
    mesh->vertex_count = (int)vertices;
    mesh->triangle_count = (int)triangles;
    return 1;
}

static void weigh(rlti_vec3 p, double *weights) {
    /* The seam between head and neck slants from under the chin up to the nape; all of the scalp is above it.
     */
    double head = rlti_smoothstep((p.y + 0.2 * p.z + 14.5) / 4.5);
    double torso = rlti_smoothstep((-15.0 - p.y) / 5.0);
    weights[0] = torso * (1.0 - head);
    weights[1] = (1.0 - torso) * (1.0 - head);
    weights[2] = head;
}

/* Raised brows draw the forehead and the front of the scalp upwards and back, less and less towards the
 * crown. */
static rlti_vec3 lift(rlti_vec3 p) {
    double height = p.y < 3.0 ? rlti_smoothstep((p.y + 1.0) / 4.0) : 1.0 - rlti_smoothstep((p.y - 3.0) / 9.0);
    double front = rlti_smoothstep((p.z + 1.0) / 6.0);
    return rlti_scale(height * front, rlti_v3(0.0, 1.0, -0.3));
}

/* Hair is combed away from a parting a little to the left of the middle, and back from the face. */
static rlti_vec3 comb(int region, rlti_vec3 p) {
    const double parting = 1.2;
    double from = p.x - parting, side = from < 0.0 ? -1.0 : 1.0;
    double front = rlti_smoothstep((p.z + 2.0) / 9.0), top = rlti_smoothstep((p.y - 2.0) / 9.0);
    double parted = 0.15 + 0.85 * rlti_smoothstep((p.z + 7.0) / 7.0); /* the parting ends at the crown */
    (void)region;
    return rlti_v3(parted * (0.35 + 0.65 * top) * side, -0.2 - 0.8 * (1.0 - top),
                   -0.2 - 1.1 * front - 0.8 * (1.0 - parted));
}

/* Between the shoulders, at the neck's base, at the skull's base. The torso's is on the vertical through the
 * character's position, so that a spin turns about it. */
static const rlti_joint joints[] = {{RLTI_BONE_TORSO, RLTI_BONE_NONE, {0.0, -24.0, 0.0}},
                                    {RLTI_BONE_NECK, RLTI_BONE_TORSO, {0.0, -17.0, -3.0}},
                                    {RLTI_BONE_HEAD, RLTI_BONE_NECK, {0.0, -8.5, -1.8}}};

const rlti_character rlti_head = {.build = build,
                                  .joint_count = (int)(sizeof joints / sizeof joints[0]),
                                  .joints = joints,
                                  .strap = strap,
                                  .weigh = weigh,
                                  .comb = comb,
                                  .lift = lift};
