/* The Rod's energy, and that of the classical rod by tangents: the gradient against finite differences, the
 * matrix as a sum of squares, forces and torques in balance, the limits of straight and folded joints, an
 * independent scalar evaluation, and the same bits in every build. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "rod_fixture.h"

enum { JOINTS = 400, KINDS = 6 };

static const rlti_energy_kind kinds[KINDS] = {
    RLTI_ENERGY_ROD,     RLTI_ENERGY_ROD_PRINTED,   RLTI_ENERGY_TANGENT_UNFILTERED,
    RLTI_ENERGY_TANGENT, RLTI_ENERGY_TANGENT_GAUSS, RLTI_ENERGY_TANGENT_STRETCH};
/* The exact ones with all of their second derivatives. */
static const rlti_energy_kind exact_kinds[2] = {RLTI_ENERGY_ROD, RLTI_ENERGY_TANGENT_UNFILTERED};

typedef struct derived {
    double energies[RLTI_IMPLICIT_ENERGIES], gradient[ROD_POINTS_MAX][ROD_UNKNOWNS];
    double matrix[ROD_POINTS_MAX * ROD_UNKNOWNS][ROD_WIDTH + 1],
        second[ROD_POINTS_MAX * ROD_UNKNOWNS][ROD_WIDTH + 1];
    double strains[ROD_POINTS_MAX][RLTI_ROD_STRAINS];
} derived;

static derived results[2];

static void derive(const rod_tile *t, int lane, derived *out) {
    rlti_implicit_view view = {out->energies, out->gradient[0], out->matrix[0], out->second[0],
                               out->strains[0]};
    t->engine->derive(t->tile, lane, t->scratch, &view);
}

static double total(const double *energies) {
    return energies[0] + energies[1] + energies[2];
}

/* Random edges of unequal length, turning by up to `angle` at each joint, directors turned at random,
 * sections that are not round, any rest shape. */
static void make_random(rod_strand *s, int points, double angle, uint64_t seed) {
    memset(s, 0, sizeof(*s));
    s->points = points;
    rlti_vec3 t = rlti_normalize(rod_random_vector(seed, 1));
    for (int i = 0; i + 1 < points; i++) {
        if (i > 0) {
            rlti_vec3 axis = rlti_normalize(rlti_cross(t, rod_random_vector(seed, 10 + i)));
            double by = angle * sqrt(rlti_random(seed, (uint64_t)i, 4));
            t = rlti_normalize(rlti_quat_rotate(rlti_quat_axis_angle(axis, by), t));
        }
        s->x[i + 1] = rlti_madd(s->x[i], 0.5 + rlti_random(seed, (uint64_t)i, 5), t);
        s->d[i] = rod_turned(rlti_perpendicular(t), t, 3.0 * rlti_random_signed(seed, (uint64_t)i, 6));
    }
    for (int i = 0; i < points; i++) {
        double *c = s->constants[i];
        for (int k = 0; k < RLTI_ROD_CONSTANTS; k++)
            c[k] = 0.2 + rlti_random(seed, (uint64_t)i, (uint64_t)(20 + k));
        for (int k = RLTI_ROD_PHI_0; k <= RLTI_ROD_THETA; k++)
            c[k] = rlti_random_signed(seed, (uint64_t)i, (uint64_t)(40 + k));
        s->mass[i] = 1.0;
    }
}

/* The energy with one unknown changed: directors are carried without twist. */
static double energy_at(const rod_tile *t, const rod_strand *s, int point, int unknown, double by) {
    rod_strand moved = *s;
    double energies[RLTI_IMPLICIT_ENERGIES];
    rlti_implicit_view view = {.energies = energies};
    t->engine->set_state(t->tile, 0, s->x, s->v, s->d, s->spin);
    if (unknown < 3) {
        (&moved.x[point].x)[unknown] += by;
        t->engine->set_state(t->tile, 0, moved.x, moved.v, NULL, moved.spin);
    } else {
        moved.d[point] = rod_turned(s->d[point], rod_tangent_of(s, point), by);
        t->engine->set_state(t->tile, 0, moved.x, moved.v, moved.d, moved.spin);
    }
    t->engine->derive(t->tile, 0, t->scratch, &view);
    return total(energies);
}

/* Greatest difference from the fourth-order finite difference, over the greatest entry. */
static double gradient_error(const rod_strand *s, rlti_energy_kind energy) {
    rod_tile t = rod_tile_create(RLT_SIMD_AUTO, energy, (const rod_strand *const[]){s}, 1, 0, 0, 1);
    derived *d = &results[0];
    derive(&t, 0, d);
    double worst = 0.0, largest = 0.0, h = 2e-4;
    for (int i = 0; i < s->points; i++)
        for (int c = 0; c < (i + 1 < s->points ? 4 : 3); c++) {
            double near = energy_at(&t, s, i, c, h) - energy_at(&t, s, i, c, -h);
            double far = energy_at(&t, s, i, c, 2 * h) - energy_at(&t, s, i, c, -2 * h);
            double slope = (8 * near - far) / (12 * h);
            worst = fmax(worst, fabs(slope - d->gradient[i][c]));
            largest = fmax(largest, fabs(slope));
        }
    rod_tile_destroy(&t);
    return worst / largest;
}

static void test_gradient(void **state) {
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        double worst = 0.0;
        for (int j = 0; j < JOINTS; j++) {
            rod_strand s;
            make_random(&s, 3 + j % 4, (j % 2 ? 172.0 : 60.0) * RLTI_PI / 180, (uint64_t)j);
            double error = gradient_error(&s, exact_kinds[kind]);
            worst = fmax(worst, error);
            if (!(error < 1e-7))
                fail_msg("strand %d: gradient is off by %g", j, error);
        }
        printf("gradient: worst difference %.1e\n", worst);
    }
}

/* One joint of two unit edges that turns by `angle`, directors at an angle to the binormal. */
static void make_joint(rod_strand *s, double angle, double twist) {
    memset(s, 0, sizeof(*s));
    s->points = 3;
    s->x[0] = rlti_v3(-1, 0, 0);
    s->x[2] = rlti_v3(cos(angle), sin(angle), 0);
    s->d[0] = rlti_v3(0, cos(0.7), sin(0.7));
    s->d[1] = rod_turned(rod_carried(s->d[0], rlti_v3(1, 0, 0), s->x[2]), s->x[2], twist);
    for (int i = 0; i < 3; i++) {
        double *c = s->constants[i];
        c[RLTI_ROD_LENGTH] = c[RLTI_ROD_STRETCH] = 1;
        c[RLTI_ROD_BEND_0] = 1.0;
        c[RLTI_ROD_BEND_1] = 2.0;
        c[RLTI_ROD_TWIST] = 0.7;
        c[RLTI_ROD_PHI_0] = 0.1;
        s->mass[i] = 1.0;
    }
}

/* The printed gradient is the exact one at small angles, and off as the specification has it at large
 * ones. */
static void test_printed(void **state) {
    (void)state;
    static const struct {
        double degrees, least, most;
    } expected[] = {{10, 0, 0.005}, {75, 0.005, 0.12}, {135, 0.03, 0.5}, {165, 0.05, 0.6}};
    for (size_t j = 0; j < sizeof(expected) / sizeof(expected[0]); j++) {
        rod_strand s;
        make_joint(&s, expected[j].degrees * RLTI_PI / 180, 0.0);
        double error = gradient_error(&s, RLTI_ENERGY_ROD_PRINTED);
        printf("printed form at %.0f degrees: off by %.3f\n", expected[j].degrees, error);
        assert_true(error >= expected[j].least && error <= expected[j].most);
    }
}

/* Straight: the limit is an ordinary case. Between 150 and 180 degrees the twist fades: the gradient stays
 * exact. */
static void test_limits(void **state) {
    (void)state;
    static const double exact[] = {0, 1e-12, 1e-6, 0.01, 0.2499, 0.2501, 1.5, 2.6, 2.62, 2.9, 3.1, 3.13};
    for (size_t j = 0; j < sizeof(exact) / sizeof(exact[0]); j++) {
        rod_strand s;
        make_joint(&s, exact[j], 0.4);
        for (int kind = 0; kind < 2 && (kind == 0 || exact[j] < 3.0); kind++) {
            double error = gradient_error(&s, exact_kinds[kind]);
            if (!(error < 1e-7))
                fail_msg("turning by %g: gradient is off by %g", exact[j], error);
        }
    }
    for (int j = 0; j < 60; j++) {
        rod_strand s;
        double off = pow(10.0, -0.3 * j);
        make_joint(&s, RLTI_PI - off, 0.4);
        if (j == 59)
            s.x[2] = s.x[0]; /* exactly back */
        rod_tile t =
            rod_tile_create(RLT_SIMD_AUTO, RLTI_ENERGY_ROD, (const rod_strand *const[]){&s}, 1, 0, 0, 1);
        derived *d = &results[0];
        derive(&t, 0, d);
        for (int i = 0; i < 3; i++)
            for (int c = 0; c < 4; c++)
                if (!(fabs(d->gradient[i][c]) < 30.0))
                    fail_msg("%g before the fold: gradient %g", off, d->gradient[i][c]);
        if (j > 20)
            assert_true(d->energies[RLTI_ROD_ENERGY_BEND] > 3.0); /* a fold keeps its bending energy */
        rod_tile_destroy(&t);
    }
}

/* Edges without length, points in the same place, and a fold: finite numbers. */
static void test_no_length(void **state) {
    (void)state;
    for (int which = 0; which < 5 * KINDS; which++) {
        rod_strand s;
        make_random(&s, 5, 1.0, 77);
        for (int i = 0; i < 4; i++)
            if (which / KINDS == i || which / KINDS == 3)
                s.x[i + 1] = s.x[i];
        if (which / KINDS == 4)
            s.x[3] = s.x[1];
        rod_tile t =
            rod_tile_create(RLT_SIMD_AUTO, kinds[which % KINDS], (const rod_strand *const[]){&s}, 1, 0, 0, 1);
        derived *d = &results[0];
        derive(&t, 0, d);
        assert_true(isfinite(total(d->energies)));
        for (int i = 0; i < 5 * 4; i++) {
            assert_true(isfinite(d->gradient[i / 4][i % 4]));
            for (int k = 0; k <= ROD_WIDTH; k++)
                assert_true(isfinite(d->matrix[i][k]) && isfinite(d->second[i][k]));
        }
        rod_tile_destroy(&t);
    }
}

/* Forces of all points, and torques of forces and turns, are 0 together. */
static void test_balance(void **state) {
    (void)state;
    for (int j = 0; j < 100; j++) {
        rod_strand s;
        make_random(&s, 8, 2.9, (uint64_t)(500 + j));
        for (int kind = 0; kind < 3; kind++) {
            rod_tile t =
                rod_tile_create(RLT_SIMD_AUTO, kinds[kind], (const rod_strand *const[]){&s}, 1, 0, 0, 1);
            derived *d = &results[0];
            derive(&t, 0, d);
            rlti_vec3 force = rlti_v3(0, 0, 0), torque = force;
            double size = 0.0;
            for (int i = 0; i < s.points; i++) {
                rlti_vec3 f = rlti_v3(d->gradient[i][0], d->gradient[i][1], d->gradient[i][2]);
                force = rlti_add(force, f);
                torque = rlti_add(torque, rlti_cross(s.x[i], f));
                if (i + 1 < s.points)
                    torque = rlti_madd(torque, d->gradient[i][3], rod_tangent_of(&s, i));
                size += rlti_length(f);
            }
            assert_true(rlti_length(force) < 1e-13 * size);
            assert_true(rlti_length(torque) < 1e-12 * size);
            rod_tile_destroy(&t);
        }
    }
}

/* Derivatives with the strand's unknowns moved by `by` times x, frames carried along and then turned. */
static void derive_moved(const rod_tile *t, const rod_strand *s, double by, const double *x, derived *out) {
    rod_strand m = *s;
    t->engine->set_state(t->tile, 0, s->x, s->v, s->d, s->spin);
    for (int i = 0; i < s->points; i++)
        m.x[i] = rlti_madd(s->x[i], by, rlti_v3(x[4 * i], x[4 * i + 1], x[4 * i + 2]));
    t->engine->set_state(t->tile, 0, m.x, m.v, NULL, m.spin);
    t->engine->get_state(t->tile, 0, NULL, NULL, m.d, NULL);
    for (int i = 0; i + 1 < s->points; i++)
        m.d[i] = rod_turned(m.d[i], rod_tangent_of(&m, i), by * x[4 * i + 3]);
    t->engine->set_state(t->tile, 0, m.x, m.v, m.d, m.spin);
    derive(t, 0, out);
}

/* x^T A x of the band. */
static double quadratic(const derived *d, int rows, const double *x) {
    double sum = 0.0;
    for (int i = 0; i < rows; i++)
        for (int k = 0; k <= ROD_WIDTH && k <= i; k++)
            sum += (k == 0 ? 1.0 : 2.0) * d->matrix[i][k] * x[i] * x[i - k];
    return sum;
}

/* The matrix without the geometric part of stretch is the sum of stiffness grad s grad s^T: by differences
 * of the strains. Stretch of compressed edges has no other part. And it is never negative. */
static void test_matrix(void **state) {
    (void)state;
    for (int j = 0; j < 60; j++) {
        rod_strand s;
        int n = 6, rows = 4 * n;
        make_random(&s, n, 2.5, (uint64_t)(900 + j));
        for (int i = 0; i < n; i++)
            s.constants[i][RLTI_ROD_LENGTH] = 2.0; /* compressed */
        rod_tile t =
            rod_tile_create(RLT_SIMD_AUTO, exact_kinds[j % 2], (const rod_strand *const[]){&s}, 1, 0, 0, 1);
        derived *d = &results[0], *e = &results[1];
        double x[4 * 6], h = 1e-5, expected = 0.0;
        for (int i = 0; i < rows; i++)
            x[i] = i == rows - 1 ? 0.0 : rlti_random_signed(5, (uint64_t)i, (uint64_t)j);
        derive(&t, 0, d);
        double value = quadratic(d, rows, x), rates[6][RLTI_ROD_STRAINS];
        for (int side = -1; side <= 1; side += 2) {
            derive_moved(&t, &s, side * h, x, e);
            for (int i = 0; i < n; i++)
                for (int k = 0; k < RLTI_ROD_STRAINS; k++)
                    rates[i][k] = (side < 0 ? 0.0 : rates[i][k]) + side * e->strains[i][k] / (2 * h);
        }
        for (int i = 0; i < n; i++) {
            const double *c = s.constants[i], *r = rates[i];
            if (i + 1 < n)
                expected += c[RLTI_ROD_STRETCH] * r[RLTI_ROD_STRAIN_LENGTH] * r[RLTI_ROD_STRAIN_LENGTH];
            if (i > 0 && i + 1 < n)
                expected += c[RLTI_ROD_BEND_0] * r[RLTI_ROD_STRAIN_PHI_0] * r[RLTI_ROD_STRAIN_PHI_0] +
                            c[RLTI_ROD_BEND_1] * r[RLTI_ROD_STRAIN_PHI_1] * r[RLTI_ROD_STRAIN_PHI_1] +
                            c[RLTI_ROD_TWIST] * r[RLTI_ROD_STRAIN_TWIST] * r[RLTI_ROD_STRAIN_TWIST];
        }
        if (!(fabs(value - expected) < 1e-5 * expected))
            fail_msg("strand %d: %g, by differences %g", j, value, expected);
        for (int trial = 0; trial < 50; trial++) {
            for (int i = 0; i < rows; i++)
                x[i] = rlti_random_signed((uint64_t)(6 + trial), (uint64_t)i, (uint64_t)j);
            assert_true(quadratic(d, rows, x) >= 0.0);
        }
        rod_tile_destroy(&t);
    }
}

/* x^T H y of the band with second derivatives, row by row. */
static double second_row(const derived *d, int rows, int i, const double *x) {
    double sum = 0.0;
    for (int j = 0; j < rows; j++) {
        int k = i > j ? i - j : j - i;
        if (k <= ROD_WIDTH)
            sum += d->second[i > j ? i : j][k] * x[j];
    }
    return sum;
}

/* The second derivatives against differences of the gradient, in the symmetric part: x^T H x and, since that
 * decides all of it, many x. */
static void test_second(void **state) {
    (void)state;
    double worst = 0.0;
    for (int j = 0; j < 400; j++) {
        rod_strand s;
        int n = 3 + j % 4, rows = 4 * n;
        make_random(&s, n, 2.2, (uint64_t)(4000 + j));
        rod_tile t =
            rod_tile_create(RLT_SIMD_AUTO, exact_kinds[j / 200], (const rod_strand *const[]){&s}, 1, 0, 0, 1);
        derived *d = &results[0], *e = &results[1];
        double x[ROD_POINTS_MAX * 4], h = 1e-4, value = 0.0, difference = 0.0, size = 0.0;
        for (int i = 0; i < rows; i++)
            x[i] = i == rows - 1 ? 0.0 : rlti_random_signed(15, (uint64_t)i, (uint64_t)j);
        derive(&t, 0, d);
        for (int i = 0; i < rows; i++) {
            value += x[i] * second_row(d, rows, i, x);
            size += fabs(x[i] * second_row(d, rows, i, x));
        }
        for (int side = -2; side <= 2; side++) {
            static const double weights[] = {1, -8, 0, 8, -1};
            if (side == 0)
                continue;
            derive_moved(&t, &s, side * h, x, e);
            for (int i = 0; i < rows; i++)
                difference += weights[side + 2] * x[i] * e->gradient[i / 4][i % 4] / (12 * h);
        }
        worst = fmax(worst, fabs(value - difference) / size);
        if (!(fabs(value - difference) < 1e-6 * size))
            fail_msg("strand %d: %g, by differences %g", j, value, difference);
        rod_tile_destroy(&t);
    }
    printf("second derivatives: worst difference %.1e\n", worst);
}

/* The classical rod's filtered matrix: no less than 0, no less than the second derivative in any direction,
 * and equal to it where there are no stresses. */
static void test_filter(void **state) {
    (void)state;
    int negative = 0;
    for (int j = 0; j < 60; j++) {
        rod_strand s;
        enum { N = 6, ROWS = 4 * N };
        make_random(&s, N, j % 2 ? 3.0 : 1.5, (uint64_t)(8000 + j));
        for (int kind = 0; kind < 2; kind++) {
            rod_tile t =
                rod_tile_create(RLT_SIMD_AUTO, kind ? RLTI_ENERGY_TANGENT : RLTI_ENERGY_TANGENT_UNFILTERED,
                                (const rod_strand *const[]){&s}, 1, 0, 0, 1);
            derive(&t, 0, &results[kind]);
            rod_tile_destroy(&t);
        }
        for (int trial = 0; trial < 400; trial++) {
            double x[ROWS], value[2] = {0}, size = 0.0;
            for (int i = 0; i < ROWS; i++)
                x[i] = rlti_random_signed((uint64_t)(trial), (uint64_t)i, (uint64_t)j);
            for (int k = 0; k < 2; k++)
                for (int i = 0; i < ROWS - 1; i++) {
                    value[k] += x[i] * second_row(&results[k], ROWS - 1, i, x);
                    size += fabs(x[i] * second_row(&results[k], ROWS - 1, i, x));
                }
            negative += value[0] < 0.0;
            assert_true(value[1] > -1e-12 * size && value[1] > value[0] - 1e-12 * size);
        }
        for (int i = 0; i < N; i++) { /* at rest */
            s.constants[i][RLTI_ROD_LENGTH] = results[0].strains[i][RLTI_ROD_STRAIN_LENGTH];
            for (int k = 0; k < 3; k++)
                s.constants[i][RLTI_ROD_PHI_0 + k] = results[0].strains[i][RLTI_ROD_STRAIN_PHI_0 + k];
        }
        for (int kind = 0; kind < 2; kind++) {
            rod_tile t =
                rod_tile_create(RLT_SIMD_AUTO, kind ? RLTI_ENERGY_TANGENT : RLTI_ENERGY_TANGENT_UNFILTERED,
                                (const rod_strand *const[]){&s}, 1, 0, 0, 1);
            derive(&t, 0, &results[kind]);
            rod_tile_destroy(&t);
        }
        double largest = 0.0;
        for (int i = 0; i < ROWS; i++)
            largest = fmax(largest, results[0].second[i][0]);
        for (int i = 0; i < ROWS; i++)
            for (int k = 0; k <= ROD_WIDTH; k++)
                assert_true(fabs(results[0].second[i][k] - results[1].second[i][k]) < 1e-9 * largest);
    }
    printf("filter: %d of %d directions were negative before\n", negative, 60 * 400);
    assert_true(negative > 100);
}

/* ---- an independent evaluation ---- */

/* Strains by the definitions, in plain C with libm: rotations, slerp, angles. */
static void plain_strains(const rod_strand *s, int i, double out[3]) {
    rlti_vec3 t0 = rod_tangent_of(s, i - 1), t1 = rod_tangent_of(s, i);
    rlti_vec3 middle = rlti_normalize(rlti_add(t0, t1)), b = rlti_normalize(rlti_cross(t0, t1));
    double phi = acos(fmax(-1.0, fmin(1.0, rlti_dot(t0, t1))));
    rlti_vec3 u0 = rod_carried(s->d[i - 1], t0, middle), u1 = rod_carried(s->d[i], t1, middle);
    double theta = atan2(rlti_dot(rlti_cross(u0, u1), middle), rlti_dot(u0, u1));
    rlti_vec3 d0 = rod_turned(u0, middle, 0.5 * theta), d1 = rlti_cross(middle, d0);
    out[0] = phi * rlti_dot(d0, b);
    out[1] = phi * rlti_dot(d1, b);
    out[2] = theta;
}

/* Curvatures of Bergou et al. 2010: the binormal times the mean of both edges' directors. */
static void plain_curvatures(const rod_strand *s, int i, double out[3]) {
    rlti_vec3 t0 = rod_tangent_of(s, i - 1), t1 = rod_tangent_of(s, i);
    rlti_vec3 kb = rlti_scale(2.0 / (1.0 + rlti_dot(t0, t1)), rlti_cross(t0, t1));
    plain_strains(s, i, out);
    out[0] = 0.5 * rlti_dot(kb, rlti_add(s->d[i - 1], s->d[i]));
    out[1] = 0.5 * rlti_dot(kb, rlti_add(rlti_cross(t0, s->d[i - 1]), rlti_cross(t1, s->d[i])));
}

static void test_plain(void **state) {
    (void)state;
    static const rlt_simd builds[] = {RLT_SIMD_REFERENCE, RLT_SIMD_AUTO};
    for (int j = 0; j < 200; j++) {
        rod_strand s;
        make_random(&s, 7, 2.4, (uint64_t)(3000 + j));
        for (int b = 0; b < 2; b++) {
            int tangent = j >= 100;
            rod_tile t =
                rod_tile_create(builds[b], exact_kinds[tangent], (const rod_strand *const[]){&s}, 1, 0, 0, 1);
            derived *d = &results[0];
            double energies[3] = {0, 0, 0};
            derive(&t, 0, d);
            for (int i = 0; i + 1 < s.points; i++) {
                const double *c = s.constants[i];
                double off = rlti_length(rlti_sub(s.x[i + 1], s.x[i])) - c[RLTI_ROD_LENGTH], strains[3];
                energies[0] += 0.5 * c[RLTI_ROD_STRETCH] * off * off;
                if (i == 0)
                    continue;
                (tangent ? plain_curvatures : plain_strains)(&s, i, strains);
                for (int k = 0; k < 3; k++) {
                    assert_true(fabs(strains[k] - d->strains[i][RLTI_ROD_STRAIN_PHI_0 + k]) < 1e-12);
                    off = strains[k] - c[RLTI_ROD_PHI_0 + k];
                    energies[k < 2 ? 1 : 2] += 0.5 * c[RLTI_ROD_BEND_0 + k] * off * off;
                }
            }
            for (int k = 0; k < 3; k++)
                assert_true(fabs(energies[k] - d->energies[k]) < 1e-11 * (1.0 + energies[k]));
            rod_tile_destroy(&t);
        }
    }
}

/* ---- builds ---- */

/* Strands of different lengths in one tile give the bits that each gives alone, in every build. */
static void test_bits(void **state) {
    (void)state;
    static rod_strand s[ROD_LANES_MAX];
    const rod_strand *all[ROD_LANES_MAX];
    for (int k = 0; k < ROD_LANES_MAX; k++) {
        make_random(&s[k], 3 + (5 * k) % 11, 3.0, (uint64_t)(7000 + k));
        all[k] = &s[k];
    }
    for (int kind = 0; kind < KINDS; kind++)
        for (int k = 0; k < ROD_LANES_MAX; k++) {
            size_t n = (size_t)s[k].points;
            rod_tile alone = rod_tile_create(RLT_SIMD_PORTABLE, kinds[kind], &all[k], 1, 0, 0, 1);
            derive(&alone, 0, &results[0]);
            rod_tile_destroy(&alone);
            for (int b = 0; rod_build(b) != NULL; b++) {
                int lanes = rod_build(b)->lanes, first = k / lanes * lanes;
                rod_tile t = rod_tile_create(rod_build(b)->simd, kinds[kind], &all[first], lanes, 0, 0, 1);
                derive(&t, k - first, &results[1]);
                assert_memory_equal(results[0].energies, results[1].energies, sizeof(results[0].energies));
                assert_memory_equal(results[0].gradient, results[1].gradient,
                                    n * sizeof(results[0].gradient[0]));
                assert_memory_equal(results[0].strains, results[1].strains,
                                    n * sizeof(results[0].strains[0]));
                assert_memory_equal(results[0].second, results[1].second,
                                    4 * n * sizeof(results[0].second[0]));
                assert_memory_equal(results[0].matrix, results[1].matrix,
                                    4 * n * sizeof(results[0].matrix[0]));
                rod_tile_destroy(&t);
            }
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradient),  cmocka_unit_test(test_printed), cmocka_unit_test(test_limits),
        cmocka_unit_test(test_no_length), cmocka_unit_test(test_balance), cmocka_unit_test(test_matrix),
        cmocka_unit_test(test_second),    cmocka_unit_test(test_filter),  cmocka_unit_test(test_plain),
        cmocka_unit_test(test_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
