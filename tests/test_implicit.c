/* The implicit engine with the Rod: steps of one tile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "rod_fixture.h"

static const rlti_implicit_step still = {
    .gravity = {0, 0, 0}, .seconds = 1.0 / 24, .iterations = 50, .tolerance = 1e-6};

static rlti_implicit_step with_gravity(double seconds) {
    rlti_implicit_step step = still;
    step.gravity[2] = -9.81;
    step.seconds = seconds;
    return step;
}

/* ---- statics ---- */

/* A straight rod clamped horizontally under its own weight: H / W against Gamma (validation.md, R1). */
static double cantilever(double gamma, int points, int *iterations) {
    rod_strand s;
    double length = 0.1;
    rod_make_straight(&s, points, length, rlti_v3(1, 0, 0));
    rod_make_rest(&s, &rod_hair);
    double bend = rod_hair.young * RLTI_PI / 4 * pow(rod_hair.radius, 4);
    double weight = rod_hair.density * RLTI_PI * rod_hair.radius * rod_hair.radius;
    rlti_implicit_step step = still;
    step.gravity[2] = -gamma * bend / (weight * length * length * length);
    step.seconds = 1e4; /* no inertia to speak of: one step is the equilibrium */
    step.iterations = 200;
    step.tolerance = 1e-9;
    rod_tile t = rod_tile_create(RLT_SIMD_AUTO, RLTI_ENERGY_ROD, (const rod_strand *const[]){&s}, 1, 0, 0, 0);
    rlti_implicit_result result;
    t.engine->step(t.tile, &step, t.scratch, &result);
    t.engine->get_state(t.tile, 0, s.x, NULL, NULL, NULL);
    rod_tile_destroy(&t);
    *iterations = result.iterations;
    assert_true(result.converged && !result.failed);
    rlti_vec3 tip = s.x[points - 1];
    return -tip.z / tip.x;
}

static void test_cantilever(void **state) {
    (void)state;
    static const struct {
        double gamma, ratio, allowed;
    } table[] = {{0.1, 0.0124991, 1e-3}, {1, 0.12456, 1e-3},  {5, 0.58572, 1e-3},
                 {10, 1.06680, 1e-3},    {100, 5.8881, 2e-3}, {1000, 21.335, 1e-2}};
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        int iterations;
        double ratio = cantilever(table[i].gamma, 102, &iterations), error = ratio / table[i].ratio - 1.0;
        printf("Gamma %g: H/W %.5f, off by %.4f%%, %d iterations\n", table[i].gamma, ratio, 100 * error,
               iterations);
        assert_true(fabs(error) < table[i].allowed);
    }
}

/* ---- motion ---- */

static rod_tile one(rod_strand *s, int holds, int planes, int free_root) {
    return rod_tile_create(RLT_SIMD_AUTO, RLTI_ENERGY_ROD, (const rod_strand *const[]){s}, 1, holds, planes,
                           free_root);
}

static double energy_of(const rod_tile *t, const double gravity[3]) {
    rlti_measure m;
    t->engine->measure(t->tile, gravity, t->scratch, &m);
    assert_true(m.finite);
    return m.kinetic + m.gravity + m.energies[0] + m.energies[1] + m.energies[2];
}

typedef struct momenta {
    rlti_vec3 linear, angular;
    double size[2];
} momenta;

static momenta momenta_of(const rod_tile *t, rod_strand *s) {
    momenta m = {.linear = rlti_v3(0, 0, 0), .angular = rlti_v3(0, 0, 0)};
    t->engine->get_state(t->tile, 0, s->x, s->v, NULL, NULL);
    for (int i = 0; i < s->points; i++) {
        rlti_vec3 p = rlti_scale(s->mass[i], s->v[i]), l = rlti_cross(s->x[i], p);
        m.linear = rlti_add(m.linear, p);
        m.angular = rlti_add(m.angular, l);
        m.size[0] += rlti_length(p);
        m.size[1] += rlti_length(l);
    }
    return m;
}

/* A free coil, pulled out of shape, that tumbles. */
static void make_tumbling(rod_strand *s, double damping) {
    rod_material m = rod_hair;
    m.damping = damping;
    rod_make_helix(s, 25, 0.01, 0.008, 3);
    rod_make_rest(s, &m);
    for (int i = 0; i < s->points; i++) {
        s->constants[i][RLTI_ROD_INERTIA] = 0.0; /* twist in equilibrium: spin carries no momentum */
        s->v[i] = rlti_add(rlti_cross(rlti_v3(3, 20, 5), s->x[i]), rlti_v3(0.1, 0.2, -0.1));
        s->v[i] = rlti_madd(s->v[i], 0.05, rod_random_vector(3, i));
    }
}

static void test_momentum(void **state) {
    (void)state;
    rod_strand s;
    make_tumbling(&s, 0.0);
    rod_tile t = one(&s, 0, 0, 1);
    rlti_implicit_step step = still;
    step.midpoint = 1;
    step.seconds = 2e-4;
    step.tolerance = 1e-12;
    momenta first = momenta_of(&t, &s);
    double linear = 0.0, angular = 0.0;
    for (int n = 0; n < 2500; n++) {
        t.engine->step(t.tile, &step, t.scratch, NULL);
        momenta now = momenta_of(&t, &s);
        linear = fmax(linear, rlti_length(rlti_sub(now.linear, first.linear)) / first.size[0]);
        angular = fmax(angular, rlti_length(rlti_sub(now.angular, first.angular)) / first.size[1]);
    }
    printf("0.5 s of a free coil: linear momentum %.1e, angular momentum %.1e\n", linear, angular);
    assert_true(linear < 1e-9 && angular < 1e-9);
    rod_tile_destroy(&t);
}

/* Greatest change of energy, and greatest growth from one step to the next, of the energy at the start. */
static void run_energy(rod_strand *s, int midpoint, double seconds, double step_seconds, double *off,
                       double *growth) {
    rod_tile t = one(s, 0, 0, 1);
    rlti_implicit_step step = still;
    step.midpoint = midpoint;
    step.seconds = step_seconds;
    step.tolerance = 1e-9;
    double first = energy_of(&t, step.gravity), last = first;
    *off = *growth = 0.0;
    for (int n = 0; n * step_seconds < seconds; n++) {
        t.engine->step(t.tile, &step, t.scratch, NULL);
        double now = energy_of(&t, step.gravity);
        *off = fmax(*off, fabs(now - first) / first);
        *growth = fmax(*growth, (now - last) / first);
        last = now;
    }
    rod_tile_destroy(&t);
}

static void test_energy(void **state) {
    (void)state;
    double off, growth;
    rod_strand s;
    make_tumbling(&s, 0.0);
    run_energy(&s, 1, 0.5, 1e-4, &off, &growth);
    printf("undamped, midpoint, 0.1 ms: energy within %.2e\n", off);
    assert_true(off < 0.01);
    /* edges end their steps with the length that they had, though they move along chords */
    run_energy(&s, 1, 0.5, 1.0 / 240, &off, &growth);
    printf("undamped, midpoint, 1/240 s: energy within %.2e\n", off);
    assert_true(off < 0.05);
    /* Euler never grows, whatever the step; midpoint while edges turn little in one, or so far that Euler
     * takes it; in between by little */
    static const double steps[] = {1e-4, 1e-3,      1.0 / 240, 1.0 / 24, 1e-4,
                                   1e-3, 1.0 / 240, 1.0 / 96,  1.0 / 24};
    for (int k = 0; k < 9; k++) {
        make_tumbling(&s, 2e-3);
        run_energy(&s, k >= 4, 0.5, steps[k], &off, &growth);
        printf("damped, %s, %.2g ms: energy falls by %.3f, grows by %.1e at most\n",
               k >= 4 ? "midpoint" : "Euler", 1e3 * steps[k], off, growth);
        assert_true(off > 0.01 && growth < (k < 6 || k == 8 ? 1e-9 : 1e-3));
    }
}

/* The first natural frequency of a clamped rod (validation.md, V15). */
static void test_frequency(void **state) {
    (void)state;
    rod_strand s;
    double length = 0.05, root = 1.8751040687;
    rod_make_straight(&s, 41, length, rlti_v3(1, 0, 0));
    rod_make_rest(&s, &rod_hair);
    double bend = rod_hair.young * RLTI_PI / 4 * pow(rod_hair.radius, 4);
    double line = rod_hair.density * RLTI_PI * pow(rod_hair.radius, 2);
    double expected = root * root / (2 * RLTI_PI) * sqrt(bend / (line * pow(length, 4)));
    rod_tile t = one(&s, 0, 0, 0);
    rlti_implicit_step step = still;
    /* bent by a small weight, then released */
    step.gravity[2] = -0.05;
    step.seconds = 1e4;
    t.engine->step(t.tile, &step, t.scratch, NULL);
    t.engine->get_state(t.tile, 0, s.x, NULL, s.d, NULL);
    t.engine->set_state(t.tile, 0, s.x, NULL, s.d, NULL);
    step.gravity[2] = 0.0;
    step.midpoint = 1;
    step.seconds = 1.0 / (400 * expected);
    double last = s.x[40].z, times[2] = {0, 0};
    int crossings = 0;
    for (int n = 1; n < 1000 && crossings < 4; n++) {
        t.engine->step(t.tile, &step, t.scratch, NULL);
        t.engine->get_state(t.tile, 0, s.x, NULL, NULL, NULL);
        double now = s.x[40].z;
        if ((now > 0) != (last > 0)) {
            times[crossings > 0] = (n - now / (now - last)) * step.seconds;
            crossings++;
        }
        last = now;
    }
    assert_int_equal(crossings, 4);
    double frequency = 1.5 / (times[1] - times[0]);
    printf("first frequency %.3f Hz, expected %.3f\n", frequency, expected);
    assert_true(fabs(frequency / expected - 1.0) < 0.01);
    rod_tile_destroy(&t);
}

/* ---- what acts from outside ---- */

/* A straight hair falls on a plane and lies there. */
static void test_plane(void **state) {
    (void)state;
    for (int rough = 0; rough < 2; rough++) {
        rod_strand s;
        rod_material m = rod_hair;
        m.damping = 0.02;
        rod_make_straight(&s, 15, 0.15, rlti_v3(1, 0, 0));
        rod_make_rest(&s, &m);
        rod_tile t = one(&s, 0, 1, 1);
        rlti_implicit_step step = with_gravity(1.0 / 96);
        step.friction = rough ? 0.5 : 0.0;
        step.tolerance = 1e-3;
        if (rough)
            step.gravity[0] = 0.4 * 9.81; /* less than friction holds */
        rlti_plane planes[15];
        for (int i = 0; i < 15; i++)
            planes[i] = (rlti_plane){i, {0, 0, 1}, -0.02f, {0, 0, 0}};
        double deepest = 0.0, before = 0.0;
        int unconverged = 0;
        for (int n = 0; n < 200; n++) {
            rlti_implicit_result result;
            t.engine->set_planes(t.tile, 0, planes, 15);
            t.engine->step(t.tile, &step, t.scratch, &result);
            deepest = fmax(deepest, result.depth);
            unconverged += !result.converged;
            if (n == 100) {
                t.engine->get_state(t.tile, 0, s.x, NULL, NULL, NULL);
                before = s.x[7].x;
            }
        }
        t.engine->get_state(t.tile, 0, s.x, s.v, NULL, NULL);
        for (int i = 0; i < 15; i++)
            assert_true(fabs(s.x[i].z + 0.02) < 1e-4 && fabs(s.v[i].z) < 1e-3);
        printf("plane: deepest %.1e of a segment, %d steps not converged, creep %.1e\n", deepest, unconverged,
               s.x[7].x - before);
        assert_true(deepest <= 1e-3 && unconverged == 0);
        if (rough)
            assert_true(fabs(s.x[7].x - before) < 1e-6);
        rod_tile_destroy(&t);
    }
}

/* Friction below what gravity asks for: it slides with what is left. */
static void test_slide(void **state) {
    (void)state;
    rod_strand s;
    rod_make_straight(&s, 10, 0.1, rlti_v3(1, 0, 0));
    rod_make_rest(&s, &rod_hair);
    rod_tile t = one(&s, 0, 1, 1);
    rlti_implicit_step step = with_gravity(1.0 / 240);
    step.gravity[0] = 5.0;
    step.friction = 0.2;
    rlti_plane planes[10];
    for (int i = 0; i < 10; i++)
        planes[i] = (rlti_plane){i, {0, 0, 1}, 0.0f, {0, 0, 0}};
    t.engine->set_planes(t.tile, 0, planes, 10);
    for (int n = 0; n < 120; n++)
        t.engine->step(t.tile, &step, t.scratch, NULL);
    t.engine->get_state(t.tile, 0, NULL, s.v, NULL, NULL);
    double expected = 0.5 * (5.0 - 0.2 * 9.81);
    printf("sliding: %.5f, expected %.5f\n", s.v[5].x, expected);
    assert_true(fabs(s.v[5].x / expected - 1.0) < 0.01);
    rod_tile_destroy(&t);
}

/* Two planes a point: a strand falls into a groove and rests at its bottom. */
static void test_groove(void **state) {
    (void)state;
    rod_strand s;
    rod_make_straight(&s, 10, 0.1, rlti_v3(0, 1, 0));
    rod_make_rest(&s, &rod_hair);
    rod_tile t = one(&s, 0, 1, 1);
    rlti_implicit_step step = with_gravity(1.0 / 240);
    rlti_plane planes[20];
    float across = (float)cos(0.35), up = (float)sin(0.35);
    for (int i = 0; i < 20; i++)
        planes[i] = (rlti_plane){i / 2, {i % 2 == 0 ? across : -across, 0, up}, -0.01f, {0, 0, 0}};
    t.engine->set_planes(t.tile, 0, planes, 20);
    double deepest = 0.0;
    int unconverged = 0;
    for (int n = 0; n < 120; n++) {
        rlti_implicit_result result;
        t.engine->step(t.tile, &step, t.scratch, &result);
        deepest = fmax(deepest, result.depth);
        unconverged += !result.converged;
    }
    t.engine->get_state(t.tile, 0, s.x, s.v, NULL, NULL);
    double bottom = -0.01 / (double)up;
    printf("groove: deepest %.1e of a segment, %d steps not converged, %.1e off its bottom\n", deepest,
           unconverged, hypot(s.x[5].x, s.x[5].z - bottom));
    assert_true(deepest <= 1e-3 && unconverged == 0);
    for (int i = 0; i < 10; i++)
        assert_true(hypot(s.x[i].x, s.x[i].z - bottom) < 1e-4 && rlti_length(s.v[i]) < 1e-3);
    rod_tile_destroy(&t);
}

static rlti_hold hold_of(int point, rlti_hold_class kind, rlti_vec3 anchor, double stiffness, int exact) {
    return (rlti_hold){.point = point,
                       .kind = kind,
                       .anchor = {(float)anchor.x, (float)anchor.y, (float)anchor.z},
                       .high = kind == RLTI_SOFT_DISTANCE || kind == RLTI_HARD_DISTANCE ? 0.02f : 0.0f,
                       .speed = 1e3f,
                       .stiffness = stiffness,
                       .damping = 20.0,
                       .exact = exact,
                       .fresh = 1};
}

/* Soft holds draw the tip near, by distance within the range; exact ones are met, and by the speed
 * allowed. */
static void test_holds(void **state) {
    (void)state;
    static const rlti_hold_class kinds[] = {RLTI_SOFT_PLACE, RLTI_SOFT_DISTANCE, RLTI_HARD_PLACE,
                                            RLTI_HARD_DISTANCE};
    rlti_vec3 anchor = rlti_v3(0.05, 0.03, -0.05);
    for (int k = 0; k < 4; k++) {
        rod_strand s;
        rod_material m = rod_hair;
        m.damping = 0.02;
        rod_make_straight(&s, 12, 0.11, rlti_v3(0, 0, -1));
        rod_make_rest(&s, &m);
        rod_tile t = one(&s, 2, 0, 0);
        rlti_implicit_step step = with_gravity(1.0 / 24);
        rlti_hold hold = hold_of(11, kinds[k], anchor, k < 2 ? 1e8 : 0.0, k >= 2);
        t.engine->set_holds(t.tile, 0, &hold, 1);
        rlti_implicit_result result;
        int unconverged = 0;
        for (int n = 0; n < 48; n++) {
            t.engine->step(t.tile, &step, t.scratch, &result);
            unconverged += !result.converged;
        }
        t.engine->get_state(t.tile, 0, s.x, NULL, NULL, NULL);
        double distance = rlti_length(rlti_sub(s.x[11], anchor));
        printf("hold %d: distance %.6f, %d steps not converged\n", k, distance, unconverged);
        static const double expected[] = {0.0, 0.02, 0.0, 0.02}, off[] = {1e-3, 1e-3, 1e-8, 1e-6};
        assert_true(fabs(distance - expected[k]) < off[k]);
        assert_true(unconverged <= 1);     /* the first: the tip is half a length away */
        if (kinds[k] == RLTI_HARD_PLACE) { /* released, then drawn back at 0.12 a second */
            t.engine->set_holds(t.tile, 0, NULL, 0);
            for (int n = 0; n < 48; n++)
                t.engine->step(t.tile, &step, t.scratch, NULL);
            t.engine->get_state(t.tile, 0, s.x, NULL, NULL, NULL);
            double far = rlti_length(rlti_sub(s.x[11], anchor));
            hold.speed = 0.12f;
            t.engine->set_holds(t.tile, 0, &hold, 1);
            t.engine->step(t.tile, &step, t.scratch, NULL);
            t.engine->get_state(t.tile, 0, s.x, NULL, NULL, NULL);
            assert_true(far > 0.03);
            assert_true(fabs(far - rlti_length(rlti_sub(s.x[11], anchor)) - 0.005) < 1e-6);
        }
        rod_tile_destroy(&t);
    }
}

/* Clamped at both ends and twisted by 60 degrees: the twist is the same all along, half of it at the root's
 * joint, which has half the length. And a pin that moves between iterations is followed. */
static void test_twist(void **state) {
    (void)state;
    rod_strand s;
    rod_make_straight(&s, 12, 0.11, rlti_v3(0, 0, -1));
    rod_make_rest(&s, &rod_hair);
    rod_tile t = one(&s, 2, 0, 0);
    rlti_implicit_step step = still;
    double angle = RLTI_PI / 3, strains[12][RLTI_ROD_STRAINS];
    rlti_vec3 director = rod_turned(s.d[10], rlti_v3(0, 0, -1), angle);
    rlti_hold holds[2] = {hold_of(10, RLTI_HARD_PLACE, s.x[10], 0.0, 1),
                          hold_of(11, RLTI_HARD_PLACE, s.x[11], 0.0, 1)};
    t.engine->set_holds(t.tile, 0, holds, 2);
    t.engine->pin_director(t.tile, 0, 10, &director);
    t.engine->step(t.tile, &step, t.scratch, NULL);
    rlti_implicit_view view = {.strains = strains[0]};
    t.engine->derive(t.tile, 0, t.scratch, &view);
    for (int i = 0; i < 11; i++)
        assert_true(fabs(strains[i][RLTI_ROD_STRAIN_THETA] - angle / 10.5 * (i == 0 ? 0.5 : 1.0)) < 1e-6);
    t.engine->begin(t.tile, &step, t.scratch);
    t.engine->iterate(t.tile, &step, t.scratch);
    holds[0].anchor[2] += 0.001f;
    holds[1].anchor[2] += 0.001f;
    t.engine->set_holds(t.tile, 0, holds, 2);
    while (t.engine->iterate(t.tile, &step, t.scratch)) {
    }
    rlti_implicit_result result;
    t.engine->finish(t.tile, &step, t.scratch, &result);
    t.engine->get_state(t.tile, 0, s.x, NULL, NULL, NULL);
    assert_true(result.converged && fabs(s.x[11].z + 0.109) < 1e-7 && fabs(s.x[10].z + 0.099) < 1e-7);
    rod_tile_destroy(&t);
}

/* Drag brings a free hair to the air's speed; pushes and loads accelerate it. */
static void test_air(void **state) {
    (void)state;
    rod_strand s;
    rod_make_straight(&s, 8, 0.07, rlti_v3(0, 1, 0));
    rod_make_rest(&s, &rod_hair);
    float air[8][3], push[8][3];
    rlti_vec3 loads[8];
    int all[8];
    for (int i = 0; i < 8; i++) {
        s.drag[i] = 3.0;
        air[i][0] = 2.0f;
        air[i][1] = air[i][2] = push[i][0] = push[i][1] = 0.0f;
        push[i][2] = 1.5f;
        loads[i] = rlti_v3(0, 0.6 * s.mass[i], 0);
        all[i] = i;
    }
    rod_tile t = one(&s, 0, 0, 1);
    rlti_implicit_step step = still;
    step.seconds = 1.0 / 100;
    t.engine->set_air(t.tile, 0, air[0]);
    t.engine->set_pushes(t.tile, 0, all, (const float(*)[3])push, 8);
    t.engine->set_loads(t.tile, 0, loads);
    for (int n = 0; n < 100; n++)
        t.engine->step(t.tile, &step, t.scratch, NULL);
    t.engine->get_state(t.tile, 0, NULL, s.v, NULL, NULL);
    double left = pow(1.0 / 1.03, 100); /* implicit decay */
    assert_true(fabs(s.v[4].x - 2.0 * (1 - left)) < 1e-9);
    assert_true(fabs(s.v[4].z - 1.5 / 3 * (1 - left)) < 1e-6);
    assert_true(fabs(s.v[4].y - 0.6 / 3 * (1 - left)) < 1e-9);
    rod_tile_destroy(&t);
}

/* ---- hard cases ---- */

/* The root moves at 5 m/s and stops within one frame, over 12 g, at one step a frame; then it rests. */
static void stop_abruptly(rod_strand *s, rlti_vec3 direction, double speed) {
    rod_tile t = one(s, 0, 0, 0);
    rlti_implicit_step step = with_gravity(1.0 / 24);
    rlti_measure m;
    step.tolerance = 1e-3;
    step.iterations = 60;
    rod_strand rest = *s;
    rlti_vec3 at = s->x[0], u = rod_tangent_of(s, 0), d = s->d[0];
    double longest = 0.0;
    int unconverged = 0, most = 0;
    for (int n = 0; n < 24 * 14; n++) {
        rlti_implicit_result result;
        if (n >= 24 * 5 && n < 24 * 6)
            at = rlti_madd(at, speed / 24, direction);
        t.engine->set_root(t.tile, 0, at, u, d);
        t.engine->step(t.tile, &step, t.scratch, &result);
        t.engine->measure(t.tile, step.gravity, t.scratch, &m);
        assert_true(m.finite && !result.failed);
        longest = fmax(longest, m.longest);
        unconverged += !result.converged;
        most = result.iterations > most ? result.iterations : most;
        if (n == 24 * 5 - 1)
            t.engine->get_state(t.tile, 0, rest.x, NULL, NULL, NULL);
    }
    t.engine->get_state(t.tile, 0, s->x, s->v, NULL, NULL);
    double off = 0.0, length = 0.0;
    for (int i = 0; i + 1 < s->points; i++)
        length += s->constants[i][RLTI_ROD_LENGTH];
    for (int i = 0; i < s->points; i++)
        off =
            fmax(off, rlti_length(rlti_sub(rlti_sub(s->x[i], at), rlti_sub(rest.x[i], rest.x[0]))) / length);
    printf("stop: back within %.1e, longest %.4f, %d steps not converged, %d iterations at most\n", off,
           longest, unconverged, most);
    assert_true(off < 0.01 && longest < 1.02 && unconverged == 0);
    rod_tile_destroy(&t);
}

static void test_stop(void **state) {
    (void)state;
    rod_material m = rod_hair;
    m.damping = 0.02;
    rod_strand s;
    for (int k = 0; k < 3; k++) {
        rod_make_straight(&s, 30, 0.25, rlti_normalize(rlti_v3(0.3, 0, -1)));
        if (k == 1)
            rod_make_helix(&s, 40, 0.01, 0.02, 5);
        if (k == 2)
            rod_make_helix(&s, 40, 0.006, 0.006, 8);
        rod_make_rest(&s, &m);
        stop_abruptly(&s, rlti_v3(1, 0.2, 0), 12.5); /* 30 g over one frame */
    }
}

/* Hairs of two and three points, points in one place, folds: steps stay finite, and come to rest. */
static void test_degenerate(void **state) {
    (void)state;
    for (int which = 0; which < 6; which++) {
        rod_material m = rod_hair;
        m.damping = 0.02;
        rod_strand s;
        rod_make_straight(&s, which < 2 ? 2 + which : 6, 0.05, rlti_normalize(rlti_v3(1, 0.2, 0.1)));
        rod_make_rest(&s, &m);
        rlti_vec3 u = rod_tangent_of(&s, 0), d = s.d[0];
        if (which == 2)
            s.x[3] = s.x[2];
        if (which == 3)
            for (int i = 1; i < 6; i++)
                s.x[i] = s.x[0];
        if (which == 4)
            s.x[4] = s.x[2], s.x[5] = s.x[1]; /* folded back on itself */
        if (which == 5)
            s.x[1] = s.x[0];
        rod_tile t = one(&s, 0, 0, 0);
        t.engine->set_clamp(t.tile, 0, u, d);
        t.engine->set_root(t.tile, 0, s.x[0], u, d);
        rlti_implicit_step step = with_gravity(1.0 / 24);
        rlti_implicit_result result;
        rlti_measure measure;
        for (int n = 0; n < 200; n++) {
            t.engine->step(t.tile, &step, t.scratch, &result);
            t.engine->measure(t.tile, step.gravity, t.scratch, &measure);
            assert_true(measure.finite && !result.failed);
        }
        printf("degenerate %d: speed %.1e, stretch %.4f\n", which, measure.fastest, measure.longest);
        assert_true(measure.fastest < 1e-4 && measure.longest < 1.01);
        rod_tile_destroy(&t);
    }
}

/* Numbers that are not finite stay in their lane. */
static void test_bad_lane(void **state) {
    (void)state;
    rod_strand s[2];
    for (int k = 0; k < 2; k++) {
        rod_make_helix(&s[k], 20, 0.01, 0.01, 2);
        rod_make_rest(&s[k], &rod_hair);
    }
    s[1].v[7].y = NAN;
    rod_tile t = rod_tile_create(RLT_SIMD_AUTO, RLTI_ENERGY_ROD, (const rod_strand *const[]){&s[0], &s[1]}, 2,
                                 0, 0, 0);
    rlti_implicit_step step = with_gravity(1.0 / 24);
    rlti_implicit_result results[2];
    rlti_measure measures[2];
    for (int n = 0; n < 3; n++)
        t.engine->step(t.tile, &step, t.scratch, results);
    t.engine->measure(t.tile, step.gravity, t.scratch, measures);
    assert_true(results[0].converged && !results[0].failed && measures[0].finite);
    assert_true(results[1].failed && !measures[1].finite);
    rod_tile_destroy(&t);
}

/* ---- builds and lanes ---- */

/* Eight strands of different lengths under everything at once; returns the state after some steps. */
enum { STRANDS = 8, STEPS = 6 };

typedef struct states {
    rlti_vec3 x[STRANDS][ROD_POINTS_MAX], v[STRANDS][ROD_POINTS_MAX], d[STRANDS][ROD_POINTS_MAX];
    double spin[STRANDS][ROD_POINTS_MAX];
    rlti_implicit_result result[STRANDS];
} states;

static void drive(const rod_tile *t, int lane, const rod_strand *s, int k, int n) {
    rlti_plane planes[2 * ROD_POINTS_MAX];
    int count = 0;
    for (int i = 1; i < s->points; i++)
        if (k % 3 == 1)
            planes[count++] = (rlti_plane){i, {0, 0, 1}, -0.03f, {0.1f, 0, 0}};
    for (int i = 2; i < s->points; i++)
        for (int side = 0; k % 3 == 2 && side < 2; side++)
            planes[count++] = (rlti_plane){i, {side == 0 ? 0.8f : -0.8f, 0, 0.6f}, -0.1f, {0, 0, 0}};
    rlti_hold holds[2] = {hold_of(s->points - 1, RLTI_SOFT_DISTANCE, rlti_v3(0.02, 0.02, -0.02), 500.0, 0),
                          hold_of(s->points / 2, RLTI_HARD_PLACE, rlti_v3(0.01, 0, -0.02), 0.0, 1)};
    t->engine->set_planes(t->tile, lane, planes, count);
    t->engine->set_holds(t->tile, lane, holds, k % 4 == 2 ? 2 : k % 4);
    rlti_vec3 u = rod_tangent_of(s, 0);
    t->engine->set_root(t->tile, lane, rlti_v3(0.002 * n * (k + 1), 0, 0),
                        rlti_madd(u, 0.05 * n, rlti_v3(1, 0, 0)), s->d[0]);
}

static void run_all(const rlti_implicit *engine, int lanes, const rod_strand *s, int midpoint,
                    double tolerance, states *out) {
    memset(out, 0, sizeof(*out));
    for (int first = 0; first < STRANDS; first += lanes) {
        const rod_strand *all[STRANDS];
        for (int k = 0; k < lanes; k++)
            all[k] = &s[first + k];
        rod_tile t = rod_tile_create(engine->simd, RLTI_ENERGY_ROD, all, lanes, 2, 1, 0);
        rlti_implicit_step step = with_gravity(1.0 / 48);
        step.midpoint = midpoint;
        step.tolerance = tolerance;
        step.friction = 0.3;
        for (int n = 1; n <= STEPS; n++) {
            for (int k = 0; k < lanes; k++)
                drive(&t, k, &s[first + k], first + k, n);
            engine->step(t.tile, &step, t.scratch, out->result + first);
        }
        for (int k = 0; k < lanes; k++)
            engine->get_state(t.tile, k, out->x[first + k], out->v[first + k], out->d[first + k],
                              out->spin[first + k]);
        rod_tile_destroy(&t);
    }
}

static void make_strands(rod_strand *s) {
    for (int k = 0; k < STRANDS; k++) {
        rod_material m = rod_hair;
        m.damping = 0.001 * k;
        m.flat = k % 2 ? 0.6 : 0.0;
        rod_make_helix(&s[k], 2 + (7 * k) % 23, 0.008, 0.01, 1 + 0.3 * k);
        rod_make_rest(&s[k], &m);
    }
}

static void test_bits(void **state) {
    (void)state;
    static rod_strand s[STRANDS];
    static states alone, tiles;
    make_strands(s);
    for (int midpoint = 0; midpoint < 2; midpoint++) {
        run_all(rlti_implicit_select(RLT_SIMD_PORTABLE), 1, s, midpoint, 1e-3, &alone);
        int fast = 0; /* tiles have lanes of both kinds */
        for (int k = 0; k < STRANDS; k++)
            fast += alone.result[k].fast;
        assert_true(midpoint ? fast > 0 && fast < STRANDS : fast == 0);
        for (int b = 0; rod_build(b) != NULL; b++) {
            run_all(rod_build(b), rod_build(b)->lanes, s, midpoint, 1e-3, &tiles);
            assert_memory_equal(&alone, &tiles, sizeof(alone));
        }
        run_all(rlti_implicit_select(RLT_SIMD_AUTO), 1, s, midpoint, 1e-9, &alone);
        run_all(rlti_implicit_select(RLT_SIMD_REFERENCE), 1, s, midpoint, 1e-9, &tiles);
        for (int k = 0; k < STRANDS; k++)
            for (int i = 0; i < s[k].points; i++)
                assert_true(rlti_length(rlti_sub(alone.x[k][i], tiles.x[k][i])) < 1e-4);
    }
}

/* Finishes the strands in `seats`, and brings them back to their tiles. */
static void finish_gathered(const rod_tile *gathered, const rlti_implicit_step *step, const rod_tile *tiles,
                            int seats[STRANDS]) {
    const rlti_implicit *engine = gathered->engine;
    unsigned open = ~0u;
    while (open != 0) {
        open = engine->iterate(gathered->tile, step, gathered->scratch);
        for (int k = 0; k < engine->lanes; k++) {
            if (seats[k] < 0 || (open >> k & 1u))
                continue;
            engine->scatter(gathered->tile, k, tiles[seats[k]].tile, 0);
            seats[k] = -1;
        }
    }
}

/* Strands of a tile each, gathered after `own` iterations in it. Returns how many were. */
static int gather_all(const rlti_implicit *engine, const rod_strand *s, int midpoint, int own, states *out) {
    rod_tile tiles[STRANDS];
    const rod_strand *longest[ROD_LANES_MAX];
    int moved = 0, seats[STRANDS];
    memset(out, 0, sizeof(*out));
    for (int k = 0; k < STRANDS; k++) {
        tiles[k] =
            rod_tile_create(engine->simd, RLTI_ENERGY_ROD, (const rod_strand *const[]){&s[k]}, 1, 2, 1, 0);
        longest[0] = k == 0 || s[k].points > longest[0]->points ? &s[k] : longest[0];
        seats[k] = -1;
    }
    for (int k = 1; k < engine->lanes; k++)
        longest[k] = longest[0];
    rod_tile gathered = rod_tile_create(engine->simd, RLTI_ENERGY_ROD, longest, engine->lanes, 2, 1, 0);
    rlti_implicit_step step = with_gravity(1.0 / 48);
    step.midpoint = midpoint;
    step.tolerance = 1e-3;
    step.friction = 0.3;
    for (int n = 1; n <= STEPS; n++) {
        for (int k = 0; k < STRANDS; k++) {
            unsigned open = 1;
            drive(&tiles[k], 0, &s[k], k, n);
            engine->begin(tiles[k].tile, &step, tiles[k].scratch);
            for (int i = 0; i < own && open != 0; i++)
                open = engine->iterate(tiles[k].tile, &step, tiles[k].scratch);
            int seat = 0;
            while (seat < engine->lanes && seats[seat] >= 0)
                seat++;
            if (open == 0)
                continue;
            if (seat == engine->lanes || !engine->gather(gathered.tile, seat, tiles[k].tile, 0)) {
                finish_gathered(&gathered, &step, tiles, seats);
                seat = 0;
                assert_true(engine->gather(gathered.tile, seat, tiles[k].tile, 0));
            }
            seats[seat] = k;
            moved++;
        }
        finish_gathered(&gathered, &step, tiles, seats);
        for (int k = 0; k < STRANDS; k++)
            engine->finish(tiles[k].tile, &step, tiles[k].scratch, &out->result[k]);
    }
    for (int k = 0; k < STRANDS; k++) {
        engine->get_state(tiles[k].tile, 0, out->x[k], out->v[k], out->d[k], out->spin[k]);
        rod_tile_destroy(&tiles[k]);
    }
    rod_tile_destroy(&gathered);
    return moved;
}

/* Strands that are gathered from their tiles within a step, of other lengths, with planes, holds and pins,
 * come to the same bits. */
static void test_gather(void **state) {
    (void)state;
    static rod_strand s[STRANDS];
    static states alone, moved;
    make_strands(s);
    for (int k = 4; k < STRANDS; k++) { /* near in length: seats that are longer than the strand */
        rod_material m = rod_hair;
        m.damping = k < 6 ? 0.0 : 0.01;
        rod_make_helix(&s[k], 14 + k, 0.008, 0.01, 1 + 0.3 * k);
        rod_make_rest(&s[k], &m);
    }
    for (int midpoint = 0; midpoint < 2; midpoint++) {
        run_all(rlti_implicit_select(RLT_SIMD_PORTABLE), 1, s, midpoint, 1e-3, &alone);
        for (int b = 0; rod_build(b) != NULL; b++)
            for (int own = 1; own < 4; own++) {
                int count = gather_all(rod_build(b), s, midpoint, own, &moved);
                printf("gathered %d after %d iterations\n", count, own);
                assert_true(count > STEPS);
                assert_memory_equal(&alone, &moved, sizeof(alone));
            }
    }
}

/* A step in parts, with scratch that others use in between, and from a state that was saved: the same
 * bits. */
static void test_parts(void **state) {
    (void)state;
    static rod_strand s[STRANDS];
    make_strands(s);
    rod_strand a = s[7], b = s[7];
    rod_tile whole = one(&s[7], 2, 1, 0), parts = one(&s[7], 2, 1, 0);
    rlti_implicit_step step = with_gravity(1.0 / 24);
    for (int n = 1; n < 5; n++) {
        drive(&whole, 0, &s[7], 7, n);
        drive(&parts, 0, &s[7], 7, n);
        whole.engine->step(whole.tile, &step, whole.scratch, NULL);
        rlti_vec3 direction, director;
        parts.engine->get_state(parts.tile, 0, b.x, b.v, b.d, b.spin);
        parts.engine->get_clamp(parts.tile, 0, &direction, &director);
        rod_tile fresh = one(&b, 2, 1, 0);
        fresh.engine->set_clamp(fresh.tile, 0, direction, director);
        drive(&fresh, 0, &s[7], 7, n);
        rod_tile_destroy(&parts);
        parts = fresh;
        parts.engine->begin(parts.tile, &step, parts.scratch);
        do {
            parts.engine->get_iterate(parts.tile, 0, b.x);
            memset(parts.scratch, 0xff, 4096);
        } while (parts.engine->iterate(parts.tile, &step, parts.scratch));
        parts.engine->finish(parts.tile, &step, parts.scratch, NULL);
    }
    whole.engine->get_state(whole.tile, 0, a.x, a.v, a.d, a.spin);
    parts.engine->get_state(parts.tile, 0, b.x, b.v, b.d, b.spin);
    assert_memory_equal(a.x, b.x, sizeof(a.x));
    assert_memory_equal(a.v, b.v, sizeof(a.v));
    assert_memory_equal(a.d, b.d, sizeof(a.d));
    assert_memory_equal(a.spin, b.spin, sizeof(a.spin));
    rod_tile_destroy(&whole);
    rod_tile_destroy(&parts);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cantilever), cmocka_unit_test(test_momentum), cmocka_unit_test(test_energy),
        cmocka_unit_test(test_frequency),  cmocka_unit_test(test_plane),    cmocka_unit_test(test_slide),
        cmocka_unit_test(test_groove),     cmocka_unit_test(test_holds),    cmocka_unit_test(test_twist),
        cmocka_unit_test(test_air),        cmocka_unit_test(test_stop),     cmocka_unit_test(test_degenerate),
        cmocka_unit_test(test_bad_lane),   cmocka_unit_test(test_bits),     cmocka_unit_test(test_gather),
        cmocka_unit_test(test_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
