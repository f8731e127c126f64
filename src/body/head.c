/* A stylised head modelled as one implicit surface: ellipsoids and cones joined and carved by smooth minima.
 * Every dimension is in units (1 cm) with the head's centre at the origin, +Y up, the face towards +Z. */
#include "body/head.h"

#include <string.h>

#include "base/memory.h"
#include "body/mesh.h"

/* Resolutions below this would leave features thinner than a cell and tear the surface net. */
enum { LEAST_RESOLUTION = 24 };

/* Signed distance estimate to an axis-aligned ellipsoid: exact at the surface, first order near it. */
static double ellipsoid(rlti_vec3 p, rlti_vec3 centre, rlti_vec3 radii) {
    rlti_vec3 d = rlti_sub(p, centre);
    rlti_vec3 a = rlti_v3(d.x / radii.x, d.y / radii.y, d.z / radii.z);
    rlti_vec3 b = rlti_v3(a.x / radii.x, a.y / radii.y, a.z / radii.z);
    double k0 = rlti_length(a);
    double k1 = rlti_length(b);
    return k1 > 0.0 ? k0 * (k0 - 1.0) / k1 : -radii.y;
}

/* A capsule whose radius runs linearly from ra at a to rb at b. */
static double cone(rlti_vec3 p, rlti_vec3 a, double ra, rlti_vec3 b, double rb) {
    rlti_vec3 axis = rlti_sub(b, a);
    double t = rlti_dot(rlti_sub(p, a), axis) / rlti_dot(axis, axis);
    t = t < 0.0 ? 0.0 : (t > 1.0 ? 1.0 : t);
    return rlti_length(rlti_sub(p, rlti_madd(a, t, axis))) - (ra + t * (rb - ra));
}

/* Smooth minimum: the two surfaces melt into each other over a seam about `width` wide. */
static double join(double a, double b, double width) {
    double h = width - fabs(a - b);
    h = h > 0.0 ? h / width : 0.0;
    return (a < b ? a : b) - 0.25 * h * h * width;
}

/* Smooth a minus b. */
static double carve(double a, double b, double width) {
    return -join(-a, b, width);
}

/* The surface is mirror symmetric: callers pass |x|. */
static double skull(rlti_vec3 p) {
    double d = ellipsoid(p, rlti_v3(0, 3.0, -1.5), rlti_v3(7.6, 8.9, 9.0));
    d = join(d, ellipsoid(p, rlti_v3(0, 3.4, 1.4), rlti_v3(6.5, 7.2, 7.3)), 2.0);     /* forehead */
    d = join(d, ellipsoid(p, rlti_v3(0, -3.0, 2.2), rlti_v3(5.7, 7.0, 6.2)), 2.5);    /* face */
    d = join(d, ellipsoid(p, rlti_v3(1.2, -6.6, 3.4), rlti_v3(3.2, 3.4, 4.2)), 2.2);  /* jaw */
    return join(d, ellipsoid(p, rlti_v3(0, -9.2, 6.3), rlti_v3(1.7, 1.6, 1.9)), 2.6); /* chin */
}

static double features(rlti_vec3 p, double d) {
    d = join(d, ellipsoid(p, rlti_v3(3.3, -2.6, 5.7), rlti_v3(2.3, 1.9, 2.2)), 2.0);     /* cheek */
    d = join(d, cone(p, rlti_v3(1.0, 2.3, 7.5), 0.8, rlti_v3(4.4, 2.5, 5.9), 0.7), 2.0); /* brow */
    d = carve(d, ellipsoid(p, rlti_v3(3.0, 0.4, 9.7), rlti_v3(2.3, 1.3, 2.1)), 1.8);     /* eye socket */
    d = join(d, ellipsoid(p, rlti_v3(2.9, 0.0, 6.4), rlti_v3(1.9, 1.2, 1.75)), 0.7);     /* closed eye */
    d = join(d, cone(p, rlti_v3(0, 1.8, 7.9), 0.55, rlti_v3(0, -3.2, 9.9), 0.85), 1.3);  /* nose */
    d = join(d, ellipsoid(p, rlti_v3(0.85, -3.5, 8.9), rlti_v3(0.75, 0.6, 0.9)), 0.6);   /* nostril */
    d = join(d, ellipsoid(p, rlti_v3(0.6, -6.1, 7.5), rlti_v3(1.7, 0.75, 1.35)), 0.8);   /* upper lip */
    d = join(d, ellipsoid(p, rlti_v3(0, -7.5, 7.55), rlti_v3(1.9, 0.8, 1.3)), 0.6);      /* lower lip */
    d = join(d, ellipsoid(p, rlti_v3(7.0, 0.4, -1.3), rlti_v3(1.0, 2.2, 1.7)), 0.6);     /* ear */
    return join(d, ellipsoid(p, rlti_v3(6.5, -1.8, -0.8), rlti_v3(0.9, 1.5, 1.0)), 0.8); /* its lobe */
}

static double trunk(rlti_vec3 p) {
    double d = cone(p, rlti_v3(0, -6.0, -2.4), 4.3, rlti_v3(0, -20.0, -3.6), 4.5);            /* neck */
    d = join(d, cone(p, rlti_v3(0, -15.5, -4.4), 2.8, rlti_v3(12.5, -23.0, -3.6), 2.8), 4.0); /* trapezius */
    d = join(d, ellipsoid(p, rlti_v3(0, -31.0, -2.9), rlti_v3(14.0, 11.5, 7.6)), 4.0);        /* chest */
    return join(d, ellipsoid(p, rlti_v3(13.4, -26.4, -3.3), rlti_v3(4.6, 5.6, 4.4)), 4.0);    /* shoulder */
}

static double head_field(rlti_vec3 p) {
    p.x = fabs(p.x);
    double d = join(features(p, skull(p)), trunk(p), 1.8);
    return carve(d, p.y + 33.0, 1.5); /* the bust ends in a flat base */
}

/* Lattice planes from `from` to `to`: spacing `fine` within [fine_from, fine_to], growing to `coarse`
 * outside. With `at` NULL only counts. */
static int planes(double from, double to, double fine_from, double fine_to, double fine, double coarse,
                  double *at) {
    int count = 0;
    double x = from;
    for (;; count++) {
        if (at != NULL)
            at[count] = x;
        if (x >= to)
            return count + 1;
        double away = x < fine_from ? fine_from - x : (x > fine_to ? x - fine_to : 0.0);
        x += fine + (coarse - fine) * rlti_smoothstep(away / 6.0);
    }
}

static int make_lattice(int resolution, rlti_lattice *lattice) {
    /* At the default 48 a cell of the face is 0.85 units, one of the shoulders 1.7. */
    double fine = 40.8 / resolution;
    double coarse = 2.0 * fine;
    static const double range[3][4] = {
        {-21.0, 21.0, -5.0, 5.0}, {-36.0, 14.0, -9.5, 3.5}, {-14.0, 14.0, 4.0, 14.0}};
    for (int axis = 0; axis < 3; axis++) {
        const double *r = range[axis];
        double from = r[0] - 2.0 * coarse;
        double to = r[1] + 2.0 * coarse;
        lattice->count[axis] = planes(from, to, r[2], r[3], fine, coarse, NULL);
        lattice->at[axis] = RLTI_NEW(double, lattice->count[axis]);
        if (lattice->at[axis] == NULL)
            return 0;
        planes(from, to, r[2], r[3], fine, coarse, lattice->at[axis]);
    }
    return 1;
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

static int name_regions(rlti_mesh *mesh) {
    mesh->region_names = RLTI_NEW(rlti_region, REGIONS);
    if (mesh->region_names == NULL)
        return 0;
    mesh->region_count = REGIONS;
    for (int r = 0; r < REGIONS; r++)
        memcpy(mesh->region_names[r].name, region_names[r], strlen(region_names[r]) + 1);
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *v = mesh->triangles[t];
        rlti_vec3 sum = rlti_add(mesh->vertices[v[0]], rlti_add(mesh->vertices[v[1]], mesh->vertices[v[2]]));
        mesh->regions[t] = regions_at(rlti_scale(1.0 / 3.0, sum));
    }
    return 1;
}

int rlti_head_build(int resolution, rlti_mesh *mesh) {
    rlti_lattice lattice = {0};
    int done = make_lattice(resolution < LEAST_RESOLUTION ? LEAST_RESOLUTION : resolution, &lattice) &&
               rlti_mesh_extract(head_field, &lattice, mesh) && name_regions(mesh);
    for (int axis = 0; axis < 3; axis++)
        rlti_free(lattice.at[axis]);
    if (!done)
        rlti_mesh_clear(mesh);
    return done;
}

void rlti_head_weights(rlti_vec3 p, double weights[3]) {
    /* The seam between head and neck slants from under the chin up to the nape; all of the scalp is above it.
     */
    double head = rlti_smoothstep((p.y + 0.2 * p.z + 14.5) / 4.5);
    double torso = rlti_smoothstep((-15.0 - p.y) / 5.0);
    weights[0] = torso * (1.0 - head);
    weights[1] = (1.0 - torso) * (1.0 - head);
    weights[2] = head;
}
