/* One rod by itself (ringlet/rod.h): definition, state, clamps and pins, steps, derivatives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ringlet/ringlet.h"

enum { POINTS = 12, UNKNOWNS = 4, WIDTH = 10 };

/* A helix of one turn, stiff against stretch. */
static rlt_rod_def helix(double shape[POINTS][3]) {
    rlt_rod_def def = rlt_rod_defaults();
    for (int i = 0; i < POINTS; i++) {
        double angle = 6.283185307179586 * i / (POINTS - 1);
        shape[i][0] = cos(angle);
        shape[i][1] = sin(angle);
        shape[i][2] = -0.1 * i;
    }
    def.points = POINTS;
    def.shape = shape[0];
    def.stretch = 1e3;
    def.bend[0] = 1.0;
    def.bend[1] = 1.5;
    def.twist = 0.7;
    def.mass = 1.0;
    return def;
}

static rlt_rod *make(const rlt_rod_def *def) {
    rlt_rod *rod = NULL;
    assert_int_equal(rlt_rod_create(def, NULL, &rod), RLT_OK);
    assert_non_null(rod);
    return rod;
}

static void test_defaults(void **state) {
    (void)state;
    rlt_rod_def def = rlt_rod_defaults();
    rlt_rod_step step = rlt_rod_step_defaults();
    assert_true(def.size == sizeof def && def.points == 0 && def.shape == NULL && def.simd == RLT_SIMD_AUTO);
    assert_true(step.size == sizeof step && step.seconds > 0.0 && step.iterations > 0 &&
                step.tolerance > 0.0);
    def.size = step.size = 0;
    assert_int_equal(rlt_rod_def_reset(&def), RLT_BAD_INPUT);
    assert_int_equal(rlt_rod_step_reset(&step), RLT_BAD_INPUT);
}

static void assert_refused(const rlt_rod_def *def, const char *text) {
    rlt_messages *messages = rlt_messages_create();
    rlt_rod *rod = (rlt_rod *)(uintptr_t)1;
    assert_int_equal(rlt_rod_create(def, messages, &rod), RLT_BAD_INPUT);
    assert_null(rod);
    assert_int_equal(rlt_messages_count(messages), 1);
    assert_non_null(strstr(rlt_messages_text(messages, 0), text));
    rlt_messages_destroy(messages);
}

static void test_no_rod(void **state) {
    (void)state;
    double shape[POINTS][3];
    const rlt_rod_def good = helix(shape);
    rlt_rod_def def = good;
    def.points = 1;
    assert_refused(&def, "at least 2 points");
    def = good;
    def.mass = 0.0;
    assert_refused(&def, "a mass above 0");
    def = good;
    def.bend[1] = -1.0;
    assert_refused(&def, "stiffnesses");
    def = good;
    def.twist = NAN;
    assert_refused(&def, "stiffnesses");
    def = good;
    def.simd = (rlt_simd)77;
    assert_refused(&def, "take another");
    def = good;
    memcpy(shape[4], shape[5], sizeof shape[4]);
    assert_refused(&def, "edge 4 has no length");
    rlt_rod_destroy(NULL);
}

/* Unstrained it has no energy and no forces, and stays where it is. */
static void test_rest(void **state) {
    (void)state;
    double shape[POINTS][3], x[POINTS][3], energies[4], gradient[POINTS][UNKNOWNS];
    rlt_rod_def def = helix(shape);
    rlt_rod *rod = make(&def);
    rlt_rod_step step = rlt_rod_step_defaults();
    assert_true(rlt_rod_advance(rod, &step) > 0);
    rlt_rod_get(rod, x[0], NULL, NULL, NULL);
    rlt_rod_energies(rod, energies);
    rlt_rod_derivatives(rod, gradient[0], NULL, NULL);
    for (int i = 0; i < POINTS; i++)
        for (int k = 0; k < 3; k++)
            assert_true(fabs(x[i][k] - shape[i][k]) < 1e-9 && fabs(gradient[i][k]) < 1e-6);
    for (int k = 0; k < 4; k++)
        assert_true(fabs(energies[k]) < 1e-12);
    rlt_rod_destroy(rod);
}

static double energy_at(rlt_rod *rod, const double *x, const double *d) {
    double e[4];
    rlt_rod_set(rod, x, NULL, d, NULL);
    rlt_rod_energies(rod, e);
    return e[0] + e[1] + e[2];
}

/* Gradient and second derivatives in the direction of a displacement, against differences. Directors are
 * carried along without twist, as the derivatives have them. */
static void test_derivatives(void **state) {
    (void)state;
    double shape[POINTS][3], x[POINTS][3], d[POINTS][3], moved[POINTS][3], by[POINTS][3];
    double gradient[POINTS][UNKNOWNS], hessian[POINTS * UNKNOWNS][WIDTH + 1], strains[POINTS][4];
    rlt_rod_def def = helix(shape);
    def.free_root = 1;
    rlt_rod *rod = make(&def);
    rlt_rod_get(rod, x[0], NULL, d[0], NULL);
    for (int i = 0; i < POINTS; i++)
        for (int k = 0; k < 3; k++) {
            x[i][k] += 0.05 * sin(3.0 * i + 5.0 * k);
            by[i][k] = cos(7.0 * i + 2.0 * k);
        }
    rlt_rod_set(rod, x[0], NULL, NULL, NULL);
    rlt_rod_get(rod, NULL, NULL, d[0], NULL);
    rlt_rod_derivatives(rod, gradient[0], hessian[0], strains[0]);
    assert_true(strains[0][0] > 0.1 && strains[3][1] * strains[3][1] + strains[3][2] * strains[3][2] > 0.1);
    double slope = 0.0, second = 0.0, size = 0.0;
    for (int i = 0; i < POINTS; i++)
        for (int k = 0; k < 3; k++)
            slope += gradient[i][k] * by[i][k];
    for (int row = 0; row < POINTS * UNKNOWNS; row++)
        for (int k = 0; k <= WIDTH && k <= row; k++) {
            int column = row - k;
            if (row % UNKNOWNS == 3 || column % UNKNOWNS == 3)
                continue;
            double product = hessian[row][k] * by[row / UNKNOWNS][row % UNKNOWNS] *
                             by[column / UNKNOWNS][column % UNKNOWNS];
            second += (k > 0 ? 2.0 : 1.0) * product;
        }
    double energies[3];
    for (int n = -1; n <= 1; n++) {
        for (int i = 0; i < POINTS; i++)
            for (int k = 0; k < 3; k++)
                moved[i][k] = x[i][k] + 1e-5 * n * by[i][k];
        rlt_rod_set(rod, x[0], NULL, d[0], NULL);
        energies[n + 1] = energy_at(rod, moved[0], NULL);
    }
    size = fabs(slope);
    assert_true(size > 0.1 && fabs((energies[2] - energies[0]) / 2e-5 - slope) < 1e-6 * size);
    assert_true(fabs((energies[2] - 2 * energies[1] + energies[0]) / 1e-10 - second) < 1e-3 * fabs(second));
    rlt_rod_destroy(rod);
}

/* Both ends held: they stay, and the clamp can be moved. Given rest bends count. */
static void test_held(void **state) {
    (void)state;
    double shape[POINTS][3], x[POINTS][3], v[POINTS][3], d[POINTS][3], spins[POINTS], rest[POINTS][3] = {{0}};
    const double root[3] = {0.5, 0, 0}, down[3] = {0, 0, -1}, side[3] = {1, 0, 0}, place[3] = {1, 1, -1};
    rlt_rod_def def = helix(shape);
    def.rest = rest[0]; /* straight */
    def.damping = 0.1;
    def.gyration = 0.01;
    rlt_rod *rod = make(&def);
    double before[4], after[4];
    rlt_rod_energies(rod, before);
    assert_true(before[1] > 0.1); /* bent */
    rlt_rod_clamp(rod, root, down, side);
    rlt_rod_pin(rod, POINTS - 1, place);
    rlt_rod_pin_director(rod, POINTS - 2, side);
    rlt_rod_pin(rod, -1, place);
    rlt_rod_pin(rod, POINTS, place);
    rlt_rod_pin_director(rod, POINTS - 1, side);
    rlt_rod_step step = rlt_rod_step_defaults();
    for (int n = 0; n < 5; n++)
        assert_true(rlt_rod_advance(rod, &step) > 0);
    rlt_rod_get(rod, x[0], v[0], d[0], spins);
    for (int k = 0; k < 3; k++)
        assert_true(fabs(x[0][k] - root[k]) < 1e-12 && fabs(x[POINTS - 1][k] - place[k]) < 1e-6);
    double along = 0.0, edge = 0.0;
    for (int k = 0; k < 3; k++) {
        double e = x[POINTS - 1][k] - x[POINTS - 2][k];
        along += e * d[POINTS - 2][k];
        edge += e * e;
    }
    assert_true(fabs(along) < 1e-6 * sqrt(edge)); /* the director stays across its edge, */
    assert_true(d[POINTS - 2][0] > 0.1);          /* near where it is held */
    rlt_rod_pin(rod, POINTS - 1, NULL);
    rlt_rod_pin_director(rod, POINTS - 2, NULL);
    rlt_rod_set(rod, x[0], NULL, d[0], NULL); /* at rest */
    step.seconds = 1e4;
    step.iterations = 500;
    assert_true(rlt_rod_advance(rod, &step) > 0);
    rlt_rod_get(rod, x[0], NULL, NULL, NULL);
    rlt_rod_energies(rod, after);
    assert_true(fabs(x[POINTS - 1][0] - root[0]) < 1e-3 && fabs(x[POINTS - 1][1]) < 1e-3); /* straight down */
    assert_true(after[1] < 1e-6);
    rlt_rod_destroy(rod);
}

/* Steps that are none move nothing. */
static void test_no_step(void **state) {
    (void)state;
    double shape[POINTS][3], before[POINTS][3], after[POINTS][3];
    rlt_rod_def def = helix(shape);
    rlt_rod *rod = make(&def);
    rlt_rod_get(rod, before[0], NULL, NULL, NULL);
    for (int k = 0; k < 7; k++) {
        rlt_rod_step step = rlt_rod_step_defaults();
        step.gravity[2] = -9.81;
        double *const numbers[5] = {&step.seconds, &step.seconds, &step.seconds, &step.gravity[1],
                                    &step.tolerance};
        const double wrong[5] = {0.0, NAN, INFINITY, NAN, -1.0};
        if (k < 5)
            *numbers[k] = wrong[k];
        step.iterations = k == 5 ? 0 : step.iterations;
        step.size = k == 6 ? 3 : step.size;
        assert_int_equal(rlt_rod_advance(rod, &step), 0);
        rlt_rod_get(rod, after[0], NULL, NULL, NULL);
        assert_memory_equal(before, after, sizeof before);
    }
    rlt_rod_destroy(rod);
}

/* A cantilever's tip comes down by w L^4 / (8 E I): the small experiment of docs/guide/library.md. */
static void test_sag(void **state) {
    (void)state;
    enum { MANY = 41 };
    double shape[3 * MANY] = {0}, x[3 * MANY];
    rlt_rod_def def = rlt_rod_defaults();
    rlt_rod_step step = rlt_rod_step_defaults();
    for (int i = 0; i < MANY; i++)
        shape[3 * i] = 0.02 * i / (MANY - 1);
    def.points = MANY;
    def.shape = shape;
    def.stretch = 20.1;
    def.bend[0] = def.bend[1] = 8.04e-9;
    def.twist = 6.03e-9;
    def.mass = 6.64e-6;
    step.seconds = 1e3;
    step.gravity[1] = -9.81;
    step.iterations = 200;
    rlt_rod *rod = make(&def);
    assert_true(rlt_rod_advance(rod, &step) > 0);
    rlt_rod_get(rod, x, NULL, NULL, NULL);
    double sag = -x[3 * (MANY - 1) + 1],
           thin = def.mass * 9.81 * 0.02 * 0.02 * 0.02 * 0.02 / (8.0 * def.bend[0]);
    print_message("the tip sags by %.6g, thin beams by %.6g\n", sag, thin);
    assert_true(fabs(sag / thin - 1.0) < 2e-3);
    rlt_rod_destroy(rod);
}

/* A step that is not one, and builds that all give the same. */
static void test_steps(void **state) {
    (void)state;
    double shape[POINTS][3], x[2][POINTS][3];
    rlt_rod_def def = helix(shape);
    rlt_rod_step step = rlt_rod_step_defaults();
    step.gravity[2] = -9.81;
    for (int k = 0; k < 2; k++) {
        def.simd = k == 0 ? RLT_SIMD_AUTO : RLT_SIMD_PORTABLE;
        rlt_rod *rod = make(&def);
        rlt_rod_step wrong = step;
        wrong.size = 0;
        assert_int_equal(rlt_rod_advance(rod, &wrong), 0);
        step.midpoint = 0;
        assert_true(rlt_rod_advance(rod, &step) > 0);
        step.midpoint = 1;
        assert_true(rlt_rod_advance(rod, &step) > 0);
        rlt_rod_get(rod, x[k][0], NULL, NULL, NULL);
        assert_true(x[k][POINTS - 1][2] < shape[POINTS - 1][2] - 0.01); /* it has moved */
        rlt_rod_destroy(rod);
    }
    assert_memory_equal(x[0], x[1], sizeof x[0]);
}

static void test_factor_time(void **state) {
    (void)state;
    double seconds = rlt_rod_factor_seconds(RLT_SIMD_AUTO, 30, 0.01);
    assert_true(seconds > 1e-9 && seconds < 1e-3);
    assert_true(rlt_rod_factor_seconds((rlt_simd)77, 30, 0.01) == 0.0);
    assert_true(rlt_rod_factor_seconds(RLT_SIMD_AUTO, 1, 0.01) == 0.0);
    seconds = rlt_coil_factor_seconds(RLT_SIMD_AUTO, 30, 0.01);
    assert_true(seconds > 1e-9 && seconds < 1e-3);
}

/* One coil by itself, squashed to a thousandth, straightened, or shaken by half its radius: back after steps
 * of three iterations, whatever its hand. */
static void test_coil(void **state) {
    (void)state;
    for (int n = 0; n < 6; n++) {
        double x[POINTS][3], curl[POINTS][3], off = 0.0;
        rlt_rod_def made = helix(curl);
        for (int i = 0; i < POINTS; i++)
            curl[i][1] *= n % 2 ? 1 : -1;
        made.energy = RLT_COIL_ENERGY;
        made.damping = 0.01;
        rlt_rod *coil = make(&made);
        for (int i = 0; i < POINTS; i++)
            for (int k = 0; k < 3; k++) {
                double along = curl[i][2] - curl[0][2], noise = i > 0 ? 0.5 * sin(100.0 * i + 10.0 * k) : 0.0;
                const double put[3] = {k == 2 ? curl[0][2] + 1e-3 * along : curl[i][k],
                                       curl[0][k] + (k == 2 ? 6.0 * along : 0.0), curl[i][k] + noise};
                x[i][k] = put[n / 2];
            }
        rlt_rod_set(coil, x[0], NULL, NULL, NULL);
        rlt_rod_step step = rlt_rod_step_defaults();
        step.seconds = 10.0;
        step.iterations = 3;
        step.tolerance = 0.0;
        step.plain = 1;
        for (int k = 0; k < 60; k++)
            rlt_rod_advance(coil, &step);
        rlt_rod_get(coil, x[0], NULL, NULL, NULL);
        for (int i = 0; i < POINTS; i++)
            for (int k = 0; k < 3; k++)
                off = fmax(off, fabs(x[i][k] - curl[i][k]));
        print_message("coil %d: off by %.2g\n", n, off);
        assert_true(off < 1e-2);
        rlt_rod_destroy(coil);
    }
    double shape[POINTS][3];
    rlt_rod_def def = helix(shape);
    rlt_rod *rod = NULL;
    def.energy = (rlt_rod_energy)9;
    assert_int_equal(rlt_rod_create(&def, NULL, &rod), RLT_BAD_INPUT);
}

/* How far the tip of an arc that turns by `all` [rad] sinks, loaded across its plane. */
static double arc_sinks(double all, rlt_rod_energy energy) {
    double shape[POINTS][3], x[POINTS][3];
    rlt_rod_def def = helix(shape);
    for (int i = 0; i < POINTS; i++) {
        double angle = all * i / (POINTS - 1), size = 3.141592653589793 / all;
        shape[i][0] = size * (cos(angle) - 1.0);
        shape[i][1] = 0.0;
        shape[i][2] = -size * sin(angle);
    }
    def.energy = energy;
    def.bend[1] = def.bend[0];
    def.curved = 1;
    def.stretch = 1e5;
    rlt_rod *rod = make(&def);
    rlt_rod_step step = rlt_rod_step_defaults();
    step.seconds = 1e4;
    step.iterations = 500;
    step.gravity[1] = -1e-3;
    assert_true(rlt_rod_advance(rod, &step) > 0);
    rlt_rod_get(rod, x[0], NULL, NULL, NULL);
    rlt_rod_destroy(rod);
    return -x[POINTS - 1][1];
}

/* Arcs of a sixth to a whole turn, all as long, are loaded across their plane: they turn about their edges
 * and bend, which torsion and the clamp resist as the Rod does. Without torsion edges would swing freely, and
 * the tip would sink two hundred times as far; with all of it, as if hair could not bend beside its plane,
 * half to a third as far. */
static void test_coil_arc(void **state) {
    (void)state;
    static const double turns[] = {1.0, 2.0, 3.141592653589793, 6.283185307179586};
    for (int k = 0; k < 4; k++) {
        double rod = arc_sinks(turns[k], RLT_ROD_ENERGY), coil = arc_sinks(turns[k], RLT_COIL_ENERGY);
        double off = coil / rod - 1.0;
        print_message("an arc of %.3g rad: its tip sinks by %.5g, the Rod's by %.5g: %+.1f%%\n", turns[k],
                      coil, rod, 100.0 * off);
        assert_true(fabs(off) < 0.15);
    }
}

/* Tied at both ends, as by a hair tie: a coil is pushed together by its tip and let out again. Its edges keep
 * their length, and it comes back to where it was. A director that is held does nothing: there is no twist
 * along an edge. */
static void test_coil_tied(void **state) {
    (void)state;
    double shape[POINTS][3], x[2][POINTS][3], worst = 0.0;
    const double side[3] = {0, 1, 0};
    rlt_rod_def def = helix(shape);
    def.energy = RLT_COIL_ENERGY;
    def.damping = 0.05;
    def.stretch = 1e5;
    rlt_rod *rods[2] = {make(&def), make(&def)};
    rlt_rod_step step = rlt_rod_step_defaults();
    step.seconds = 10.0;
    rlt_rod_pin_director(rods[1], POINTS - 2, side);
    for (int n = 0; n < 60; n++) {
        double in = 0.4 * sin(3.141592653589793 * fmin(n / 30.0, 1.0));
        double place[3] = {shape[POINTS - 1][0] - in, shape[POINTS - 1][1] + in,
                           (1.0 - in) * shape[POINTS - 1][2]};
        for (int k = 0; k < 2; k++) {
            rlt_rod_pin(rods[k], POINTS - 1, place);
            assert_true(rlt_rod_advance(rods[k], &step) > 0);
            rlt_rod_get(rods[k], x[k][0], NULL, NULL, NULL);
        }
        assert_memory_equal(x[0], x[1], sizeof x[0]);
        for (int k = 0; k < 3; k++)
            assert_true(fabs(x[0][POINTS - 1][k] - place[k]) < 1e-6);
        for (int i = 0; i + 1 < POINTS; i++) {
            double edge = 0.0, rest = 0.0;
            for (int k = 0; k < 3; k++) {
                edge += (x[0][i + 1][k] - x[0][i][k]) * (x[0][i + 1][k] - x[0][i][k]);
                rest += (shape[i + 1][k] - shape[i][k]) * (shape[i + 1][k] - shape[i][k]);
            }
            worst = fmax(worst, fabs(sqrt(edge / rest) - 1.0));
        }
    }
    double off = 0.0;
    for (int i = 0; i < 3 * POINTS; i++)
        off = fmax(off, fabs(x[0][i / 3][i % 3] - shape[i / 3][i % 3]));
    print_message("tied at both ends: edges by %.2g, back to %.2g\n", worst, off);
    assert_true(worst < 0.01 && off < 0.01);
    rlt_rod_destroy(rods[0]);
    rlt_rod_destroy(rods[1]);
}

/* A straight hair of 1 unit, free, along x at the height z. */
static rlt_rod *straight(double shape[POINTS][3], double z) {
    rlt_rod_def def = helix(shape);
    for (int i = 0; i < POINTS; i++) {
        shape[i][0] = (double)i / (POINTS - 1);
        shape[i][1] = 0.0;
        shape[i][2] = z;
    }
    def.free_root = 1;
    def.gyration = 1e-4;
    return make(&def);
}

/* Loads push a rod down onto a floor: it stops there, and friction takes mu times the load from what pulls it
 * along. */
static void test_body(void **state) {
    (void)state;
    double shape[POINTS][3], x[POINTS][3], v[POINTS][3], forces[POINTS][3];
    rlt_rod *rod = straight(shape, 0.01);
    rlt_rod_body floor = rlt_rod_body_defaults();
    rlt_rod_step step = rlt_rod_step_defaults();
    step.tolerance = 1e-6;
    floor.friction = 0.25;
    assert_int_equal(rlt_rod_touch(rod, &floor, NULL), RLT_OK);
    for (int i = 0; i < POINTS; i++) { /* as its mass is shared out */
        double mass = (i == 0 || i + 1 == POINTS ? 0.5 : 1.0) / (POINTS - 1);
        forces[i][0] = mass;
        forces[i][1] = 0.0;
        forces[i][2] = -2.0 * mass;
    }
    rlt_rod_load(rod, forces[0]);
    for (int n = 0; n < 48; n++)
        assert_true(rlt_rod_advance(rod, &step) > 0);
    rlt_rod_get(rod, x[0], v[0], NULL, NULL);
    double before = v[0][0];
    for (int i = 0; i < POINTS; i++)
        assert_true(fabs(x[i][2]) < 1e-6 && fabs(v[i][2]) < 1e-5);
    for (int n = 0; n < 24; n++)
        assert_true(rlt_rod_advance(rod, &step) > 0);
    rlt_rod_get(rod, x[0], v[0], NULL, NULL);
    assert_true(fabs(v[0][0] - before - 0.5) < 1e-3);
    rlt_rod_load(rod, NULL); /* no weight, no friction, no force: it glides on */
    assert_int_equal(rlt_rod_touch(rod, NULL, NULL), RLT_OK);
    before = v[0][0];
    assert_true(rlt_rod_advance(rod, &step) > 0);
    rlt_rod_get(rod, NULL, v[0], NULL, NULL);
    assert_true(fabs(v[0][0] - before) < 1e-6);
    rlt_rod_destroy(rod);
}

/* A plane that rises takes the rod along, with friction sideways as well. */
static void test_moving_body(void **state) {
    (void)state;
    double shape[POINTS][3], x[POINTS][3], gravity = 10.0;
    rlt_rod *rod = straight(shape, 0.0);
    rlt_rod_body floor = rlt_rod_body_defaults();
    rlt_rod_step step = rlt_rod_step_defaults();
    step.tolerance = 1e-6;
    step.gravity[2] = -gravity;
    floor.friction = 1.0;
    floor.velocity[1] = 0.1;
    floor.velocity[2] = 0.2;
    for (int n = 1; n <= 24; n++) {
        floor.point[2] = 0.2 * n / 24.0;
        assert_int_equal(rlt_rod_touch(rod, &floor, NULL), RLT_OK);
        assert_true(rlt_rod_advance(rod, &step) > 0);
    }
    rlt_rod_get(rod, x[0], NULL, NULL, NULL);
    for (int i = 0; i < POINTS; i++)
        assert_true(fabs(x[i][2] - 0.2) < 1e-5 && fabs(x[i][1] - 0.1) < 1e-5);
    rlt_rod_destroy(rod);
}

/* Hair at rest on an incline that is a little less steep than friction needs: contacts know their forces when
 * a step begins, so that Newton does not have to find out that it sticks. */
static void test_stick(void **state) {
    (void)state;
    const double angle = 0.5, across = 0.7;
    double shape[POINTS][3], x[POINTS][3];
    rlt_rod_def def = helix(shape);
    for (int i = 0; i < POINTS; i++) {
        double s = (double)i / (POINTS - 1);
        shape[i][0] = s * cos(across) * cos(angle);
        shape[i][1] = s * sin(across);
        shape[i][2] = -s * cos(across) * sin(angle);
    }
    def.free_root = 1;
    def.gyration = 1e-4;
    rlt_rod *rod = make(&def);
    rlt_rod_body plane = rlt_rod_body_defaults();
    rlt_rod_step step = rlt_rod_step_defaults();
    step.tolerance = 1e-6;
    step.gravity[2] = -10.0;
    plane.axis[0] = sin(angle);
    plane.axis[2] = cos(angle);
    plane.friction = 1.02 * tan(angle);
    assert_int_equal(rlt_rod_touch(rod, &plane, NULL), RLT_OK);
    for (int n = 0; n < 48; n++) {
        int iterations = rlt_rod_advance(rod, &step);
        assert_true(iterations > 0 && iterations <= 6);
    }
    rlt_rod_get(rod, x[0], NULL, NULL, NULL);
    for (int i = 0; i < POINTS; i++)
        for (int k = 0; k < 3; k++)
            assert_true(fabs(x[i][k] - shape[i][k]) < 1e-5);
    rlt_rod_destroy(rod);
}

static void test_no_body(void **state) {
    (void)state;
    double shape[POINTS][3];
    rlt_rod *rod = straight(shape, 0.0);
    rlt_messages *messages = rlt_messages_create();
    rlt_rod_body bad = rlt_rod_body_defaults();
    bad.friction = -0.1;
    assert_int_equal(rlt_rod_touch(rod, &bad, messages), RLT_BAD_INPUT);
    assert_non_null(strstr(rlt_messages_text(messages, 0), "a friction of at least 0"));
    bad = rlt_rod_body_defaults();
    bad.axis[2] = 0.0;
    assert_int_equal(rlt_rod_touch(rod, &bad, NULL), RLT_BAD_INPUT);
    bad = rlt_rod_body_defaults();
    bad.radius = NAN;
    assert_int_equal(rlt_rod_touch(rod, &bad, NULL), RLT_BAD_INPUT);
    bad.size = 0;
    assert_int_equal(rlt_rod_touch(rod, &bad, NULL), RLT_BAD_INPUT);
    rlt_messages_destroy(messages);
    rlt_rod_destroy(rod);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),    cmocka_unit_test(test_no_rod),
        cmocka_unit_test(test_rest),        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_held),        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_factor_time), cmocka_unit_test(test_coil),
        cmocka_unit_test(test_no_step),     cmocka_unit_test(test_coil_arc),
        cmocka_unit_test(test_coil_tied),   cmocka_unit_test(test_sag),
        cmocka_unit_test(test_body),        cmocka_unit_test(test_moving_body),
        cmocka_unit_test(test_no_body),     cmocka_unit_test(test_stick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
