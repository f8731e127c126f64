/* The Coil's energy: gradient and second derivative against finite differences, every eigenvalue and
 * eigenvector against a numeric decomposition, filtered matrices without negative eigenvalues, rigid motions,
 * straight, folded and collapsed strands, and the same bits in every build. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#define RLTI_LANES_REFERENCE
#include "model/coil_angles.h"
#include "rod_fixture.h"

#include "model/coil.h"

enum { UNKNOWNS = 3, WIDTH = 11, POINTS = 8, STRANDS = 8, SIZE = 9 };

/* The Coil's, and those of the classical rod that it is compared with. */
enum { COILS = 4, ALL = 8 };
static const rlti_energy_kind kinds[ALL] = {RLTI_ENERGY_COIL,          RLTI_ENERGY_COIL_STRETCH,
                                            RLTI_ENERGY_COIL_GAUSS,    RLTI_ENERGY_COIL_UNFILTERED,
                                            RLTI_ENERGY_TANGENT,       RLTI_ENERGY_TANGENT_STRETCH,
                                            RLTI_ENERGY_TANGENT_GAUSS, RLTI_ENERGY_TANGENT_UNFILTERED};

typedef struct derived {
    double energies[RLTI_IMPLICIT_ENERGIES], gradient[ROD_POINTS_MAX][UNKNOWNS];
    double matrix[ROD_POINTS_MAX * UNKNOWNS][WIDTH + 1], second[ROD_POINTS_MAX * UNKNOWNS][WIDTH + 1];
    double strains[ROD_POINTS_MAX][RLTI_ROD_STRAINS];
} derived;

static derived results[3];

static void derive(const rod_tile *t, int lane_index, derived *out) {
    rlti_implicit_view view = {out->energies, out->gradient[0], out->matrix[0], out->second[0],
                               out->strains[0]};
    t->engine->derive(t->tile, lane_index, t->scratch, &view);
}

/* Random edges of unequal length that turn by up to `angle`, any rest shape. */
static void make_random(rod_strand *s, int points, double least, double angle, uint64_t seed) {
    memset(s, 0, sizeof(*s));
    s->points = points;
    rlti_vec3 t = rlti_normalize(rod_random_vector(seed, 1));
    for (int i = 0; i + 1 < points; i++) {
        if (i > 0) {
            rlti_vec3 axis = rlti_normalize(rlti_cross(t, rod_random_vector(seed, 10 + i)));
            double by = least + (angle - least) * sqrt(rlti_random(seed, (uint64_t)i, 4));
            t = rlti_normalize(rlti_quat_rotate(rlti_quat_axis_angle(axis, by), t));
        }
        s->x[i + 1] = rlti_madd(s->x[i], 0.5 + rlti_random(seed, (uint64_t)i, 5), t);
    }
    for (int i = 0; i < points; i++) {
        double *c = s->constants[i];
        for (int k = 0; k < RLTI_ROD_CONSTANTS; k++)
            c[k] = 0.2 + rlti_random(seed, (uint64_t)i, (uint64_t)(20 + k));
        c[RLTI_COIL_ANGLE] = 1.5 * rlti_random(seed, (uint64_t)i, 60);
        c[RLTI_COIL_TAU] = 1.5 * rlti_random_signed(seed, (uint64_t)i, 61);
        s->mass[i] = 1.0;
    }
}

static rod_tile tile_of(const rod_strand *s, rlti_energy_kind kind, int free_root) {
    rod_tile t = rod_tile_create(RLT_SIMD_AUTO, kind, (const rod_strand *const[]){s}, 1, 0, 0, free_root);
    if (!free_root) { /* a clamp that is turned against the first edge */
        rlti_vec3 u = rlti_normalize(rlti_madd(rod_tangent_of(s, 0), 0.4, rlti_v3(0.3, 0.5, -0.7)));
        t.engine->set_clamp(t.tile, 0, u, rlti_perpendicular(u));
    }
    return t;
}

/* ---- against finite differences ---- */

static void moved(const rod_tile *t, const rod_strand *s, int point, int c, double by, derived *out) {
    rod_strand m = *s;
    (&m.x[point].x)[c] += by;
    t->engine->set_state(t->tile, 0, m.x, m.v, NULL, NULL);
    derive(t, 0, out);
}

static double energy_of(const derived *d) {
    return d->energies[0] + d->energies[1] + d->energies[2];
}

static double entry_of(const double (*band)[WIDTH + 1], int i, int j) {
    int high = i > j ? i : j, low = i > j ? j : i;
    return high - low <= WIDTH ? band[high][high - low] : 0.0;
}

/* Greatest differences of gradient and second derivative from fourth-order finite differences, over the
 * greatest entries. */
static void differences(const rod_strand *s, int free_root, double error[2]) {
    rod_tile t = tile_of(s, RLTI_ENERGY_COIL, free_root);
    derived *d = &results[0], *p = &results[1];
    double h = 2e-4, largest[2] = {0}, slope, bend[POINTS][UNKNOWNS];
    error[0] = error[1] = 0.0;
    derive(&t, 0, d);
    for (int i = 0; i < s->points; i++)
        for (int c = 0; c < UNKNOWNS; c++) {
            static const double at[] = {1, -1, 2, -2}, weight[] = {8, -8, -1, 1};
            slope = 0.0;
            memset(bend, 0, sizeof bend);
            for (int k = 0; k < 4; k++) {
                moved(&t, s, i, c, at[k] * h, p);
                slope += weight[k] * energy_of(p) / (12 * h);
                for (int j = 0; j < s->points * UNKNOWNS; j++)
                    bend[j / UNKNOWNS][j % UNKNOWNS] +=
                        weight[k] * p->gradient[j / UNKNOWNS][j % UNKNOWNS] / (12 * h);
            }
            error[0] = fmax(error[0], fabs(slope - d->gradient[i][c]));
            largest[0] = fmax(largest[0], fabs(slope));
            for (int j = 0; j < s->points * UNKNOWNS; j++) {
                double have = entry_of((const double(*)[WIDTH + 1]) d->second, i * UNKNOWNS + c, j);
                error[1] = fmax(error[1], fabs(bend[j / UNKNOWNS][j % UNKNOWNS] - have));
                largest[1] = fmax(largest[1], fabs(bend[j / UNKNOWNS][j % UNKNOWNS]));
            }
        }
    error[0] /= largest[0];
    error[1] /= largest[1];
    rod_tile_destroy(&t);
}

static void test_derivatives(void **state) {
    (void)state;
    double worst[2] = {0};
    for (int j = 0; j < 200; j++) {
        rod_strand s;
        double error[2];
        make_random(&s, 2 + j % 7, 0.15, (j % 2 ? 165.0 : 60.0) * RLTI_PI / 180, (uint64_t)j);
        differences(&s, j % 3 == 0, error);
        for (int k = 0; k < 2; k++)
            worst[k] = fmax(worst[k], error[k]);
        if (!(error[0] < 1e-6 && error[1] < 1e-6))
            fail_msg("strand %d of %d points: gradient is off by %g, second derivative by %g", j, s.points,
                     error[0], error[1]);
    }
    printf("worst differences: gradient %.1e, second derivative %.1e\n", worst[0], worst[1]);
}

/* Where edges are nearly in line the torsion fades; the gradient stays exact. */
static void test_fade(void **state) {
    (void)state;
    for (int j = 0; j < 40; j++) {
        rod_strand s;
        make_random(&s, 6, 0.008, 0.03, (uint64_t)(300 + j));
        rod_tile t = tile_of(&s, RLTI_ENERGY_COIL, 1);
        derived *d = &results[0], *p = &results[1];
        double worst = 0.0, largest = 0.0, h = 2e-5;
        derive(&t, 0, d);
        for (int i = 0; i < s.points * UNKNOWNS; i++) {
            static const double at[] = {1, -1, 2, -2}, weight[] = {8, -8, -1, 1};
            double slope = 0.0;
            for (int k = 0; k < 4; k++) {
                moved(&t, &s, i / UNKNOWNS, i % UNKNOWNS, at[k] * h, p);
                slope += weight[k] * energy_of(p) / (12 * h);
            }
            worst = fmax(worst, fabs(slope - d->gradient[i / UNKNOWNS][i % UNKNOWNS]));
            largest = fmax(largest, fabs(slope));
        }
        rod_tile_destroy(&t);
        if (!(worst < 1e-6 * largest))
            fail_msg("strand %d: gradient is off by %g of %g", j, worst, largest);
    }
}

/* ---- eigenvalues ---- */

/* Jacobi's method: values on the diagonal of a, vectors in columns of v. */
static void decompose(double a[SIZE][SIZE], double v[SIZE][SIZE]) {
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++)
            v[i][j] = i == j;
    for (int sweep = 0; sweep < 60; sweep++)
        for (int p = 0; p < SIZE; p++)
            for (int q = p + 1; q < SIZE; q++) {
                if (a[p][q] == 0.0)
                    continue;
                double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
                double t = copysign(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1)),
                       c = 1 / sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < SIZE; k++) {
                    double x = a[k][p], y = a[k][q];
                    a[k][p] = c * x - s * y;
                    a[k][q] = s * x + c * y;
                }
                for (int k = 0; k < SIZE; k++) {
                    double x = a[p][k], y = a[q][k];
                    a[p][k] = c * x - s * y;
                    a[q][k] = s * x + c * y;
                    x = v[k][p];
                    y = v[k][q];
                    v[k][p] = c * x - s * y;
                    v[k][q] = s * x + c * y;
                }
            }
}

static lane3 across(rlti_vec3 a) {
    lane3 v = {a.x, a.y, a.z};
    return v;
}

/* Three edges, e0 backwards; an angle has the last two. */
typedef struct stencil {
    rlti_vec3 e[3];
    int torsion;
    double stiffness, stress;
} stencil;

static coil_torsion torsion_at(const rlti_vec3 e[3]) {
    double l[3] = {rlti_length(e[0]), rlti_length(e[1]), rlti_length(e[2])};
    return coil_torsion_of(across(rlti_scale(1 / l[0], e[0])), 1 / l[0], across(rlti_scale(1 / l[1], e[1])),
                           1 / l[1], across(rlti_scale(1 / l[2], e[2])), 1 / l[2]);
}
static coil_bend bend_at(const rlti_vec3 e[3]) {
    return coil_bend_of(across(rlti_normalize(e[1])), across(rlti_normalize(e[2])));
}

/* The angle's gradient by the edges. */
static double angle_at(const stencil *s, const rlti_vec3 e[3], lane3 slope[3]) {
    if (s->torsion) {
        coil_torsion t = torsion_at(e);
        coil_triple g = coil_torsion_slope(&t);
        memcpy(slope, g.e, sizeof g.e);
        return t.tau;
    }
    coil_bend b = bend_at(e);
    coil_pair g = coil_bend_slope(&b, 1 / rlti_length(e[1]), 1 / rlti_length(e[2]));
    slope[0] = zero3();
    slope[1] = g.e[0];
    slope[2] = g.e[1];
    return b.angle;
}

/* Edges changed by `by` in the coordinate k of coil_angles.h. */
static void change(const stencil *s, int k, double by, rlti_vec3 e[3]) {
    rlti_vec3 d = rlti_v3(k % 3 == 0 ? by : 0, k % 3 == 1 ? by : 0, k % 3 == 2 ? by : 0);
    memcpy(e, s->e, 3 * sizeof *e);
    if (!s->torsion) {
        e[k / 3] = rlti_madd(s->e[k / 3], rlti_length(s->e[k / 3]), d);
        return;
    }
    coil_torsion t = torsion_at(s->e);
    double length = rlti_length(s->e[1]);
    if (k / 3 == 0)
        e[0] = rlti_madd(s->e[0], 1 / t.inverse0, d);
    else if (k / 3 == 2)
        e[2] = rlti_madd(s->e[2], 1 / t.inverse2, d);
    else {
        e[1] = rlti_madd(s->e[1], length, d);
        e[0] = rlti_madd(s->e[0], t.back0 * length, d);
        e[2] = rlti_madd(s->e[2], t.back2 * length, d);
    }
}

/* The gradient in those coordinates (taken at s). */
static void gradient_in(const stencil *s, const lane3 slope[3], double g[SIZE]) {
    for (int k = 0; k < SIZE; k++) {
        rlti_vec3 e[3];
        change(s, k, 1.0, e);
        g[k] = 0.0;
        for (int i = 0; i < 3; i++) {
            rlti_vec3 d = rlti_sub(e[i], s->e[i]);
            g[k] += d.x * slope[i].x + d.y * slope[i].y + d.z * slope[i].z;
        }
    }
}

/* K grad grad^T + g Hessian in those coordinates, by differences of the gradient. */
static void matrix_in(const stencil *s, double a[SIZE][SIZE]) {
    static const double at[] = {1, -1, 2, -2}, weight[] = {8, -8, -1, 1};
    double g[SIZE], h = 1e-3;
    lane3 slope[3];
    if (!s->torsion) /* small against the angle's distance from 0 and pi */
        h = fmin(h, 1e-2 * bend_at(s->e).sine);
    angle_at(s, s->e, slope);
    gradient_in(s, slope, g);
    for (int k = 0; k < SIZE; k++) {
        for (int j = 0; j < SIZE; j++)
            a[k][j] = s->stiffness * g[k] * g[j];
        for (int n = 0; n < 4; n++) {
            rlti_vec3 e[3];
            double moved_slope[SIZE];
            change(s, k, at[n] * h, e);
            angle_at(s, e, slope);
            gradient_in(s, slope, moved_slope);
            for (int j = 0; j < SIZE; j++)
                a[k][j] += s->stress * weight[n] * moved_slope[j] / (12 * h);
        }
    }
}

/* The analytic vectors in those coordinates; returns how many. */
static int vectors_in(const stencil *s, coil_sign sign, double out[COIL_TORSION_VECTORS][SIZE]) {
    memset(out, 0, COIL_TORSION_VECTORS * sizeof *out);
    if (s->torsion) {
        coil_torsion t = torsion_at(s->e);
        coil_triple v[COIL_TORSION_VECTORS];
        t.inverse0 = t.inverse2 = t.inverse = 1.0; /* coordinates as they are */
        t.back0 = t.back2 = 0.0;
        coil_torsion_vectors(&t, s->stiffness, s->stress, sign, v);
        memcpy(out, v, sizeof v);
        return COIL_TORSION_VECTORS;
    }
    coil_bend b = bend_at(s->e);
    coil_pair v[COIL_BEND_VECTORS];
    coil_bend_vectors(&b, 1.0, 1.0, s->stiffness, s->stress, sign, v);
    for (int k = 0; k < COIL_BEND_VECTORS; k++)
        memcpy(out[k] + 3, &v[k], sizeof v[k]);
    return COIL_BEND_VECTORS;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Every analytic value is a numeric one and the other way round, and its vector is one of the matrix. */
static double check_stencil(const stencil *s) {
    double a[SIZE][SIZE], whole[SIZE][SIZE], v[SIZE][SIZE], numeric[SIZE], mine[SIZE] = {0}, worst = 0.0,
                                                                           size = 0.0;
    int count = 0;
    matrix_in(s, a);
    memcpy(whole, a, sizeof a);
    decompose(a, v);
    for (int i = 0; i < SIZE; i++) {
        numeric[i] = a[i][i];
        size = fmax(size, fabs(a[i][i]));
    }
    for (int sign = 0; sign < 2; sign++) {
        double vectors[COIL_TORSION_VECTORS][SIZE];
        int n = vectors_in(s, sign ? COIL_NEGATIVE : COIL_POSITIVE, vectors);
        for (int k = 0; k < n; k++) {
            double square = 0.0;
            for (int i = 0; i < SIZE; i++)
                square += vectors[k][i] * vectors[k][i];
            double value = sign ? -square : square;
            mine[count++] = value;
            for (int i = 0; i < SIZE && square > 1e-9 * size; i++) {
                double sum = -value * vectors[k][i];
                for (int j = 0; j < SIZE; j++)
                    sum += whole[i][j] * vectors[k][j];
                worst = fmax(worst, fabs(sum) / sqrt(square));
            }
        }
    }
    assert_true(count <= SIZE);
    qsort(numeric, SIZE, sizeof *numeric, by_value);
    qsort(mine, SIZE, sizeof *mine, by_value);
    for (int i = 0; i < SIZE; i++)
        worst = fmax(worst, fabs(mine[i] - numeric[i]));
    return worst / size;
}

/* Turning angles at both ends of the middle edge, and shortest edges. */
typedef struct region {
    const char *name;
    double least, most, shortest;
} region;

static void test_eigenvalues(void **state) {
    (void)state;
    static const region regions[] = {{"random", 0.1, 3.0, 0.3},
                                     {"near-straight", 1e-4, 2e-3, 0.3},
                                     {"near-folded", 3.139, 3.1415, 0.3},
                                     {"near-collapsed", 0.1, 3.0, 1e-5}};
    for (size_t r = 0; r < sizeof regions / sizeof regions[0]; r++) {
        double worst = 0.0;
        for (int j = 0; j < 200; j++) {
            uint64_t seed = 1000 * r + (uint64_t)j;
            stencil s = {.torsion = j % 2,
                         .stiffness = 0.2 + rlti_random(seed, 0, 0),
                         .stress = 2 * rlti_random_signed(seed, 0, 1)};
            rlti_vec3 t = rlti_normalize(rod_random_vector(seed, 1));
            for (int k = 0; k < 3; k++) {
                double length =
                    regions[r].shortest * pow(1 / regions[r].shortest, rlti_random(seed, (uint64_t)k, 2));
                if (k > 0) {
                    rlti_vec3 axis = rlti_normalize(rlti_cross(t, rod_random_vector(seed, 10 + k)));
                    double by = regions[r].least +
                                (regions[r].most - regions[r].least) * rlti_random(seed, (uint64_t)k, 3);
                    t = rlti_normalize(rlti_quat_rotate(rlti_quat_axis_angle(axis, by), t));
                }
                s.e[k] = rlti_scale(k == 0 ? -length : length, t);
            }
            double error = check_stencil(&s);
            worst = fmax(worst, error);
            if (!(error < 1e-6))
                fail_msg("%s stencil %d: off by %g", regions[r].name, j, error);
        }
        printf("%s: worst difference from a numeric decomposition %.1e\n", regions[r].name, worst);
    }
}

/* ---- limits ---- */

static int is_finite(const derived *d, int points) {
    double sum = energy_of(d);
    for (int i = 0; i < points * UNKNOWNS; i++) {
        sum += d->gradient[i / UNKNOWNS][i % UNKNOWNS];
        for (int k = 0; k <= WIDTH; k++)
            sum += d->matrix[i][k] + d->second[i][k];
    }
    return isfinite(sum);
}

/* x^T A x >= 0 for many x, and for A's own worst: a Cholesky factor of A shifted by a little. */
static int is_positive(const double (*band)[WIDTH + 1], int rows) {
    static double l[POINTS * UNKNOWNS][POINTS * UNKNOWNS];
    double largest = 0.0;
    for (int i = 0; i < rows; i++)
        largest = fmax(largest, band[i][0]);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j <= i; j++) {
            double sum = entry_of(band, i, j) + (i == j ? 1e-10 * largest : 0.0);
            for (int k = 0; k < j; k++)
                sum -= l[i][k] * l[j][k];
            if (i == j && !(sum > 0.0))
                return 0;
            l[i][j] = i == j ? sqrt(sum) : sum / l[j][j];
        }
    return 1;
}

/* Strands that are straight, folded, collapsed to a point in part or whole. */
static void spoil(rod_strand *s, int how) {
    for (int i = 0; i < s->points; i++)
        if (how == 1) /* straight */
            s->x[i] = rlti_v3(0.1 * i, 0, 0);
        else if (how == 2) /* folded */
            s->x[i] = rlti_v3(0.3 * (i % 2), 0, 0);
        else if (how == 3 || (how == 4 && i % 3 == 2)) /* collapsed */
            s->x[i] = i > 0 ? s->x[i - 1] : s->x[i];
        else if (how == 5) /* nearly */
            s->x[i] = rlti_scale(1e-13, s->x[i]);
        else if (how == 6) /* nearly straight */
            s->x[i] = rlti_madd(rlti_v3(0.1 * i, 0, 0), 1e-14, s->x[i]);
}

static void test_limits(void **state) {
    (void)state;
    for (int j = 0; j < 140; j++) {
        rod_strand s;
        make_random(&s, 2 + j % 7, 0.1, 3.0, (uint64_t)(600 + j));
        spoil(&s, j % 20 % 7);
        for (int kind = 0; kind < COILS; kind++) {
            rod_tile t = tile_of(&s, kinds[kind], j % 2);
            derived *d = &results[0];
            derive(&t, 0, d);
            assert_true(is_finite(d, s.points));
            if (kinds[kind] != RLTI_ENERGY_COIL_UNFILTERED) /* derive: without what is added later */
                assert_true(is_positive((const double(*)[WIDTH + 1]) d->matrix, s.points * UNKNOWNS));
            rlti_implicit_step step = {.gravity = {0, 0, -1}, .seconds = 0.1, .iterations = 3};
            rlti_measure m;
            for (int n = 0; n < 3; n++)
                t.engine->step(t.tile, &step, t.scratch, NULL);
            t.engine->measure(t.tile, step.gravity, t.scratch, &m);
            assert_true(m.finite);
            rod_tile_destroy(&t);
        }
    }
}

/* A strand that is straight, at rest, too: bending is as stiff in every direction across it. */
static void test_straight(void **state) {
    (void)state;
    rod_strand s;
    rod_make_straight(&s, 3, 2.0, rlti_v3(0, 0, 1));
    for (int i = 0; i < 3; i++) {
        s.constants[i][RLTI_COIL_LENGTH] = 1.0;
        s.constants[i][RLTI_COIL_BEND] = 3.0;
        s.mass[i] = 1.0;
    }
    rod_tile t =
        rod_tile_create(RLT_SIMD_AUTO, RLTI_ENERGY_COIL, (const rod_strand *const[]){&s}, 1, 0, 0, 1);
    derived *d = &results[0];
    derive(&t, 0, d);
    rod_tile_destroy(&t);
    for (int c = 0; c < 2; c++) { /* the middle point: (1 + 1)^2 K */
        assert_true(fabs(d->matrix[3 + c][0] - 12.0) < 1e-9);
        assert_true(fabs(d->matrix[6 + c][3] + 6.0) < 1e-9);
    }
}

/* Rigid motions cost nothing, forces and torques are in balance, and a mirrored strand is the same. */
static void test_rigid(void **state) {
    (void)state;
    for (int j = 0; j < 40; j++) {
        rod_strand s, other;
        make_random(&s, POINTS, 0.15, 2.8, (uint64_t)(900 + j));
        other = s;
        rlti_quat turn = rlti_quat_axis_angle(rlti_normalize(rod_random_vector(5, j)), 2.0);
        for (int i = 0; i < s.points; i++) {
            if (j % 2) {
                other.x[i] = rlti_add(rlti_quat_rotate(turn, s.x[i]), rlti_v3(1, 2, 3));
            } else {
                other.x[i].y = -s.x[i].y;
                other.constants[i][RLTI_COIL_TAU] = -s.constants[i][RLTI_COIL_TAU];
            }
        }
        rod_tile a = tile_of(&s, RLTI_ENERGY_COIL, 1), b = tile_of(&other, RLTI_ENERGY_COIL, 1);
        derive(&a, 0, &results[0]);
        derive(&b, 0, &results[1]);
        rod_tile_destroy(&a);
        rod_tile_destroy(&b);
        for (int k = 0; k < RLTI_IMPLICIT_ENERGIES; k++)
            assert_true(fabs(results[0].energies[k] - results[1].energies[k]) <
                        1e-12 * energy_of(&results[0]));
        rlti_vec3 force = rlti_v3(0, 0, 0), torque = force;
        double size = 0.0;
        for (int i = 0; i < s.points; i++) {
            rlti_vec3 f = rlti_v3_at(results[0].gradient[i], 0);
            force = rlti_add(force, f);
            torque = rlti_add(torque, rlti_cross(s.x[i], f));
            size += rlti_length(f) * (1.0 + rlti_length(s.x[i]));
        }
        assert_true(rlti_length(force) < 1e-13 * size && rlti_length(torque) < 1e-13 * size);
    }
}

/* Linear and angular momentum of a free coil that tumbles, by the midpoint rule: kept but for what Newton
 * leaves. */
static void test_momentum(void **state) {
    (void)state;
    rod_strand s;
    rod_material m = rod_hair;
    rod_make_helix(&s, 25, 0.01, 0.008, 3);
    rod_make_rest(&s, &m);
    for (int i = 0; i < s.points; i++) {
        s.constants[i][RLTI_COIL_ANGLE] = 0.7;
        s.constants[i][RLTI_COIL_TAU] = 0.1;
        s.v[i] = rlti_add(rlti_cross(rlti_v3(3, 20, 5), s.x[i]), rlti_v3(0.1, 0.2, -0.1));
    }
    rod_tile t =
        rod_tile_create(RLT_SIMD_AUTO, RLTI_ENERGY_COIL, (const rod_strand *const[]){&s}, 1, 0, 0, 1);
    rlti_implicit_step step = {.seconds = 2e-4, .midpoint = 1, .iterations = 50, .tolerance = 1e-12};
    rlti_vec3 momentum[2][2];
    double size[2] = {0};
    for (int n = 0; n <= 500; n++) {
        rlti_vec3 *p = momentum[n > 0];
        t.engine->get_state(t.tile, 0, s.x, s.v, NULL, NULL);
        p[0] = p[1] = rlti_v3(0, 0, 0);
        for (int i = 0; i < s.points; i++) {
            rlti_vec3 one = rlti_scale(s.mass[i], s.v[i]), turn = rlti_cross(s.x[i], one);
            p[0] = rlti_add(p[0], one);
            p[1] = rlti_add(p[1], turn);
            size[0] += n > 0 ? 0.0 : rlti_length(one);
            size[1] += n > 0 ? 0.0 : rlti_length(turn);
        }
        t.engine->step(t.tile, &step, t.scratch, NULL);
    }
    rod_tile_destroy(&t);
    for (int k = 0; k < 2; k++) {
        double off = rlti_length(rlti_sub(momentum[1][k], momentum[0][k])) / size[k];
        printf("%s momentum off by %.1e\n", k ? "angular" : "linear", off);
        assert_true(off < 1e-8);
    }
}

/* ---- builds ---- */

static void run_all(const rlti_implicit *engine, int lanes, rlti_energy_kind kind, const rod_strand *s,
                    rlti_vec3 (*x)[ROD_POINTS_MAX]) {
    for (int first = 0; first < STRANDS; first += lanes) {
        const rod_strand *all[STRANDS];
        for (int k = 0; k < lanes; k++)
            all[k] = &s[first + k];
        rod_tile t = rod_tile_create(engine->simd, kind, all, lanes, 1, 1, 0);
        rlti_implicit_step step = {.gravity = {0, 0, -9.81},
                                   .seconds = 1.0 / 30,
                                   .iterations = 6,
                                   .tolerance = 1e-4,
                                   .friction = 0.3};
        for (int n = 0; n < 8; n++) {
            for (int k = 0; k < lanes; k++) {
                rlti_plane planes[ROD_POINTS_MAX];
                for (int i = 1; i < all[k]->points; i++)
                    planes[i - 1] = (rlti_plane){i, {0, 0, 1}, -0.01f, {0.1f, 0, 0}};
                rlti_hold hold = {.point = all[k]->points - 1,
                                  .kind = RLTI_HARD_PLACE,
                                  .anchor = {0.01f, 0.01f, 0},
                                  .speed = INFINITY,
                                  .exact = 1};
                engine->set_planes(t.tile, k, planes, (first + k) % 3 == 1 ? all[k]->points - 1 : 0);
                engine->set_holds(t.tile, k, &hold, (first + k) % 4 == 2);
                engine->set_root(t.tile, k, rlti_v3(0.002 * n, 0, 0), rlti_v3(0.1 * n, 0.3, -1),
                                 rlti_v3(1, 0, 0));
            }
            engine->step(t.tile, &step, t.scratch, NULL);
        }
        for (int k = 0; k < lanes; k++)
            engine->get_state(t.tile, k, x[first + k], NULL, NULL, NULL);
        rod_tile_destroy(&t);
    }
}

static void test_bits(void **state) {
    (void)state;
    static rod_strand s[STRANDS];
    static rlti_vec3 alone[STRANDS][ROD_POINTS_MAX], tiles[STRANDS][ROD_POINTS_MAX];
    for (int k = 0; k < STRANDS; k++) {
        rod_material m = rod_hair;
        m.damping = 0.001 * k;
        rod_make_helix(&s[k], 2 + (7 * k) % 23, 0.008, 0.01, 1 + 0.3 * k);
        rod_make_rest(&s[k], &m);
        for (int i = 0; i < s[k].points; i++) { /* any curl will do */
            s[k].constants[i][RLTI_COIL_ANGLE] = i > 0 ? 0.5 : RLTI_PI / 2;
            s[k].constants[i][RLTI_COIL_TAU] = 0.2;
        }
    }
    for (int kind = 0; kind < ALL; kind++) {
        memset(alone, 0, sizeof alone);
        memset(tiles, 0, sizeof tiles);
        run_all(rlti_implicit_select(RLT_SIMD_PORTABLE), 1, kinds[kind], s, alone);
        for (int k = 0; k < STRANDS; k++)
            for (int i = 0; i < s[k].points; i++)
                assert_true(isfinite(alone[k][i].x + alone[k][i].y + alone[k][i].z));
        for (int b = 0; rod_build(b) != NULL; b++) {
            run_all(rod_build(b), rod_build(b)->lanes, kinds[kind], s, tiles);
            assert_memory_equal(alone, tiles, sizeof alone);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives), cmocka_unit_test(test_fade),
        cmocka_unit_test(test_eigenvalues), cmocka_unit_test(test_limits),
        cmocka_unit_test(test_straight),    cmocka_unit_test(test_rigid),
        cmocka_unit_test(test_momentum),    cmocka_unit_test(test_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
