/* Slow references for distance tests: nothing in common with the code under test. */
#ifndef TESTS_REFERENCE_MESH_H
#define TESTS_REFERENCE_MESH_H

#include <float.h>
#include <math.h>

#include "base/random.h"
#include "body/body.h"

static inline double segment_distance(rlti_vec3 p, rlti_vec3 a, rlti_vec3 b) {
    rlti_vec3 ab = rlti_sub(b, a);
    double square = rlti_dot(ab, ab);
    double t = square > 0.0 ? rlti_dot(rlti_sub(p, a), ab) / square : 0.0;
    t = t < 0.0 ? 0.0 : (t > 1.0 ? 1.0 : t);
    return rlti_length(rlti_sub(p, rlti_madd(a, t, ab)));
}

static inline double triangle_distance(rlti_vec3 p, rlti_vec3 a, rlti_vec3 b, rlti_vec3 c) {
    rlti_vec3 n = rlti_normalize(rlti_cross(rlti_sub(b, a), rlti_sub(c, a)));
    rlti_vec3 corners[3] = {a, b, c};
    double least = DBL_MAX;
    int over = 1;
    for (int k = 0; k < 3; k++) {
        rlti_vec3 from = corners[k], to = corners[(k + 1) % 3];
        least = fmin(least, segment_distance(p, from, to));
        over = over && rlti_dot(rlti_cross(n, rlti_sub(to, from)), rlti_sub(p, from)) > 0.0;
    }
    return over ? fabs(rlti_dot(n, rlti_sub(p, a))) : least;
}

/* The solid angle of a triangle (Van Oosterom and Strackee 1983). */
static inline double solid_angle(rlti_vec3 p, rlti_vec3 a, rlti_vec3 b, rlti_vec3 c) {
    a = rlti_sub(a, p);
    b = rlti_sub(b, p);
    c = rlti_sub(c, p);
    double la = rlti_length(a), lb = rlti_length(b), lc = rlti_length(c);
    double bottom = la * lb * lc + rlti_dot(a, b) * lc + rlti_dot(b, c) * la + rlti_dot(c, a) * lb;
    return 2.0 * atan2(rlti_dot(a, rlti_cross(b, c)), bottom);
}

/* Distance over all triangles, inside by winding number. */
static inline double reference_distance(const rlti_mesh *mesh, const rlti_vec3 *vertices, rlti_vec3 p) {
    double least = DBL_MAX, angle = 0.0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *v = mesh->triangles[t];
        rlti_vec3 a = vertices[v[0]], b = vertices[v[1]], c = vertices[v[2]];
        least = fmin(least, triangle_distance(p, a, b, c));
        angle += solid_angle(p, a, b, c);
    }
    return angle > 2.0 * RLTI_PI ? -least : least;
}

static inline rlti_vec3 random_point(int id, double size) {
    return rlti_v3(size * rlti_random_signed(21, (uint64_t)id, 0),
                   size * rlti_random_signed(21, (uint64_t)id, 1),
                   size * rlti_random_signed(21, (uint64_t)id, 2));
}

#endif
