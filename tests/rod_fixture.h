/* Strands of the Rod for tests: points, directors and constants in one place, put into a tile of the
 * implicit engine. Units are SI where they matter. */
#ifndef RLTI_TESTS_ROD_FIXTURE_H
#define RLTI_TESTS_ROD_FIXTURE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "model/rod.h"
#include "solve/implicit.h"

enum { ROD_POINTS_MAX = 128, ROD_LANES_MAX = 8, ROD_UNKNOWNS = 4, ROD_WIDTH = 10 };

typedef struct rod_strand {
    int points;
    rlti_vec3 x[ROD_POINTS_MAX], v[ROD_POINTS_MAX], d[ROD_POINTS_MAX];
    double spin[ROD_POINTS_MAX], mass[ROD_POINTS_MAX], drag[ROD_POINTS_MAX];
    double constants[ROD_POINTS_MAX][RLTI_ROD_CONSTANTS];
    double press; /* most of a plane's force, 0: as it must be */
} rod_strand;

/* Strands in one tile, with the working memory. */
typedef struct rod_tile {
    const rlti_implicit *engine;
    rlti_implicit_tile *tile;
    void *scratch;
    int count;
} rod_tile;

/* What a material makes of a strand whose points are its rest shape: round sections of this radius. */
typedef struct rod_material {
    double radius, young, shear, density;
    double damping; /* [s] of all strains */
    double flat;    /* half-axis along director 1 / radius; 0: round */
} rod_material;

static const rod_material rod_hair = {40e-6, 4e9, 1.5e9, 1320.0, 0.0, 0.0};

static inline rlti_vec3 rod_random_vector(uint64_t seed, int id) {
    return rlti_v3(rlti_random_signed(seed, (uint64_t)id, 1), rlti_random_signed(seed, (uint64_t)id, 2),
                   rlti_random_signed(seed, (uint64_t)id, 3));
}

static inline rlti_vec3 rod_tangent_of(const rod_strand *s, int i) {
    return rlti_normalize(rlti_sub(s->x[i + 1], s->x[i]));
}

/* d turned about the unit vector t. */
static inline rlti_vec3 rod_turned(rlti_vec3 d, rlti_vec3 t, double angle) {
    return rlti_quat_rotate(rlti_quat_axis_angle(t, angle), d);
}

/* The smallest rotation from t to u. */
static inline rlti_vec3 rod_carried(rlti_vec3 d, rlti_vec3 t, rlti_vec3 u) {
    rlti_vec3 axis = rlti_cross(t, u);
    double s = rlti_length(axis);
    return s > 0.0 ? rlti_quat_rotate(
                         rlti_quat_axis_angle(rlti_scale(1.0 / s, axis), atan2(s, rlti_dot(t, u))), d)
                   : d;
}

/* Directors without twist from the first one on. */
static inline void rod_straight_directors(rod_strand *s) {
    s->d[0] = rlti_perpendicular(rod_tangent_of(s, 0));
    for (int i = 1; i + 1 < s->points; i++)
        s->d[i] = rod_carried(s->d[i - 1], rod_tangent_of(s, i - 1), rod_tangent_of(s, i));
}

static inline rod_tile rod_tile_create(rlt_simd simd, rlti_energy_kind energy,
                                       const rod_strand *const *strands, int count, int holds, int planes,
                                       int free_root) {
    rod_tile t = {.engine = rlti_implicit_select(simd), .count = count};
    rlti_implicit_strand all[ROD_LANES_MAX];
    int points = 0;
    for (int k = 0; k < count; k++) {
        const rod_strand *s = strands[k];
        double sum = 0.0;
        for (int i = 0; i + 1 < s->points; i++)
            sum += s->constants[i][RLTI_ROD_LENGTH];
        all[k] = (rlti_implicit_strand){s->points, sum / (s->points - 1), s->mass,
                                        s->drag,   s->constants[0],       s->press};
        points = s->points > points ? s->points : points;
    }
    rlti_implicit_def def = {energy, all, count, holds, planes, free_root, 0, 0, 0};
    t.tile = t.engine->create(&def);
    size_t bytes = (t.engine->scratch_bytes(energy, points) + 63) / 64 * 64;
    t.scratch = aligned_alloc(64, bytes);
    if (t.tile == NULL || t.scratch == NULL)
        abort();
    memset(t.scratch, 0xff, bytes);
    for (int k = 0; k < count; k++)
        t.engine->set_state(t.tile, k, strands[k]->x, strands[k]->v, strands[k]->d, strands[k]->spin);
    return t;
}

static inline void rod_tile_destroy(rod_tile *t) {
    t->engine->destroy(t->tile);
    free(t->scratch);
}

/* Makes the present shape the rest shape: lengths, curvatures and twist by the reference engine, stiffness
 * and masses of the material, half an edge's mass at either end. */
static inline void rod_make_rest(rod_strand *s, const rod_material *m) {
    int n = s->points;
    double pi = RLTI_PI, a = m->radius, b = m->flat > 0.0 ? m->flat * a : a, area = pi * a * b;
    memset(s->constants, 0, sizeof(s->constants));
    memset(s->mass, 0, sizeof(s->mass));
    for (int i = 0; i < n; i++) {
        double *c = s->constants[i], before = i > 0 ? s->constants[i - 1][RLTI_ROD_LENGTH] : 0.0;
        double l = i + 1 < n ? rlti_length(rlti_sub(s->x[i + 1], s->x[i])) : before;
        double joint = 0.5 * (before + l); /* the clamp's: half an edge */
        c[RLTI_ROD_LENGTH] = l;
        c[RLTI_ROD_STRETCH] = m->young * area / l;
        c[RLTI_ROD_BEND_0] = m->young * pi / 4 * a * b * b * b / joint;
        c[RLTI_ROD_BEND_1] = m->young * pi / 4 * b * a * a * a / joint;
        c[RLTI_ROD_TWIST] = m->shear * pi * a * a * a * b * b * b / (a * a + b * b) / joint;
        c[RLTI_ROD_DAMP_STRETCH] = c[RLTI_ROD_DAMP_BEND] = c[RLTI_ROD_DAMP_TWIST] = m->damping;
        double edge = i + 1 < n ? m->density * area * l : 0.0;
        c[RLTI_ROD_INERTIA] = edge * (a * a + b * b) / 4;
        s->mass[i] += 0.5 * edge;
        if (i + 1 < n)
            s->mass[i + 1] += 0.5 * edge;
    }
    double strains[ROD_POINTS_MAX][RLTI_ROD_STRAINS];
    rod_tile t =
        rod_tile_create(RLT_SIMD_REFERENCE, RLTI_ENERGY_ROD, (const rod_strand *const[]){s}, 1, 0, 0, 1);
    rlti_implicit_view view = {.strains = strains[0]};
    t.engine->derive(t.tile, 0, t.scratch, &view);
    for (int i = 0; i < n; i++) {
        s->constants[i][RLTI_ROD_PHI_0] = strains[i][RLTI_ROD_STRAIN_PHI_0];
        s->constants[i][RLTI_ROD_PHI_1] = strains[i][RLTI_ROD_STRAIN_PHI_1];
        s->constants[i][RLTI_ROD_THETA] = strains[i][RLTI_ROD_STRAIN_THETA];
    }
    rod_tile_destroy(&t);
}

/* A straight hair from the origin. */
static inline void rod_make_straight(rod_strand *s, int points, double length, rlti_vec3 direction) {
    memset(s, 0, sizeof(*s));
    s->points = points;
    for (int i = 0; i < points; i++)
        s->x[i] = rlti_scale(length * i / (points - 1), direction);
    rod_straight_directors(s);
}

/* A helix about the z axis, downwards, the root at the origin. */
static inline void rod_make_helix(rod_strand *s, int points, double radius, double pitch, double turns) {
    memset(s, 0, sizeof(*s));
    s->points = points;
    for (int i = 0; i < points; i++) {
        double angle = 2 * RLTI_PI * turns * i / (points - 1);
        s->x[i] =
            rlti_v3(radius * (cos(angle) - 1.0), radius * sin(angle), -pitch * turns * i / (points - 1));
    }
    rod_straight_directors(s);
}

/* The i-th build of the engine that runs here: portable, avx2, avx512; NULL after the last. */
static inline const rlti_implicit *rod_build(int i) {
    static const rlt_simd all[] = {RLT_SIMD_PORTABLE, RLT_SIMD_AVX2, RLT_SIMD_AVX512};
    int found = 0;
    for (int k = 0; k < 3; k++) {
        const rlti_implicit *engine = rlti_implicit_select(all[k]);
        if (engine != NULL && found++ == i)
            return engine;
    }
    return NULL;
}

#endif
