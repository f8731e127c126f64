/* Contacts between Rods that are solved with their elasticity: hair that falls on hair does not pass, comes
 * to rest on it and stays; friction holds it; values that do nothing are warned of. */
#include "run_fixture.h"

/* A beam along x, and a hair across it, above, whose root is beside the beam: it swings down onto it. */
#define BEAM                                                                                                 \
    "- {name: beam, model: rod, sag: {mode: solve}, rod: {steps: %d, radius: 400}, contact: {%s,"            \
    " radius: 0.2, friction: %g}, strands: [[[-4, 0, 0], [-3, 0, 0], [-2, 0, 0], [-1, 0, 0], [0, 0, 0],"     \
    " [1, 0, 0], [2, 0, 0], [3, 0, 0], [4, 0, 0]]]}\n"
#define FALLING                                                                                              \
    "- {name: falls, model: rod, rod: {steps: %d}, contact: {%s, radius: 0.2, friction: %g},"                \
    " strands: [[[%g, %g, -3], [%g, %g, -2], [%g, %g, -1], [%g, %g, 0], [%g, %g, 1], [%g, %g, 2],"           \
    " [%g, %g, 3], [%g, %g, 4]]]}\n"

static void begin_with(run *r, const char *contact, int steps, double x, double y, double friction,
                       const char *more) {
    run_begin(r, RLT_SIMD_AUTO, 1, "time: {last: 99}\ncharacter: {kind: none}\n%shair:\n" BEAM FALLING, more,
              steps, contact, friction, steps, contact, friction, x, y, x, y, x, y, x, y, x, y, x, y, x, y, x,
              y);
}

static void begin(run *r, int steps, double x, double y, double friction, const char *more) {
    begin_with(r, "method: solve", steps, x, y, friction, more);
}

/* Height of the falling hair above the beam where it crosses it: at z = 0. */
static double height(const run *r) {
    rlt_frame_view view = run_view(r);
    const double *p = view.points + (size_t)3 * 9;
    for (int i = 0; i < 7; i++) {
        const double *a = p + (size_t)3 * (size_t)i, *b = a + 3;
        if (a[2] <= 0.0 && b[2] > 0.0)
            return a[1] + (b[1] - a[1]) * (0.0 - a[2]) / (b[2] - a[2]);
    }
    return -1e9;
}

/* The beam's, there. */
static double beam_height(const run *r, double x) {
    rlt_frame_view view = run_view(r);
    for (int i = 0; i < 8; i++) {
        const double *a = view.points + (size_t)3 * (size_t)i, *b = a + 3;
        if (a[0] <= x && b[0] > x)
            return a[1] + (b[1] - a[1]) * (x - a[0]) / (b[0] - a[0]);
    }
    return -1e9;
}

/* From several heights, at several places, in one step a frame and in several. */
static void falling_hair_does_not_pass(void **state) {
    (void)state;
    const int steps[3] = {1, 3, 8};
    for (int k = 0; k < 12; k++) {
        run r;
        begin(&r, steps[k % 3], -2.7 + 0.41 * k, 0.5 + 0.3 * k, 0.3, "");
        for (int f = 0; f < 30; f++) {
            run_frames(&r, 1);
            rlt_statistics s = run_statistics(&r);
            assert_int_equal(s.crossings, 0);
            assert_int_equal(s.crossings_checked, 15);
            assert_true(s.solved_deepest < 0.25); /* of a radius, in flight */
            assert_true(s.longest < 1.01);
        }
        run_end(&r);
    }
}

/* It comes to rest on the beam, as far from it as both radii, and stays there. */
static void hair_rests_on_hair(void **state) {
    (void)state;
    run r;
    begin(&r, 4, 0.3, 0.6, 0.5, "");
    run_frames(&r, 70);
    rlt_statistics s = run_statistics(&r);
    double above = height(&r) - beam_height(&r, 0.3);
    assert_true(s.solved_touching > 0.0);
    assert_true(above > 0.38 && above < 0.45);
    assert_true(s.solved_deepest < 0.02);
    double *before = run_points(&r);
    run_frames(&r, 20);
    rlt_frame_view view = run_view(&r);
    double moved = 0.0;
    for (int p = 0; p < 17; p++)
        moved =
            fmax(moved, run_distance(before + (size_t)3 * (size_t)p, view.points + (size_t)3 * (size_t)p));
    assert_true(moved < 0.01); /* units in 20 frames: no jitter, no creep */
    free(before);
    run_end(&r);
}

/* Without the solution it falls through: the test above could fail. */
static void without_contacts_it_passes(void **state) {
    (void)state;
    run r;
    begin_with(&r, "enabled: off", 4, 0.3, 0.6, 0.5, "");
    run_frames(&r, 70);
    assert_true(height(&r) < beam_height(&r, 0.3) - 0.05);
    assert_int_equal(run_statistics(&r).solved_steps, 0);
    run_end(&r);
}

/* The paper's lumped masses hold it, too, with more iterations. */
static void lumped_masses(void **state) {
    (void)state;
    run r;
    begin(&r, 4, 0.3, 0.6, 0.5, "contacts: {block: lumped, iterations: 200, newton: 10}\n");
    for (int f = 0; f < 40; f++) {
        run_frames(&r, 1);
        assert_int_equal(run_statistics(&r).crossings, 0);
    }
    double above = height(&r) - beam_height(&r, 0.3);
    assert_true(above > 0.36 && above < 0.5);
    run_end(&r);
}

/* A free hair across two held rails that fall by 20 degrees along z: tan 20 = 0.364. How far it has come down
 * them in 4 frames, after a kick at first. */
static double slide_down(const char *friction, double kick) {
    const double slope[3] = {0.0, -0.342020143, 0.939692621};
    run r;
    char text[2048];
    int used = snprintf(
        text, sizeof text,
        "time: {last: 99}\ncharacter: {kind: none}\nconstraints: {kind: freeze, hair: rails}\n"
        "contacts: {newton: 20}\nhair:\n- {name: rails, model: rod, contact: {method: solve, radius: 0.1,"
        " groom: push, %s}, strands: [",
        friction);
    for (int k = 0; k < 2; k++)
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "[[%d, 3.42020143, -9.39692621], [%d, -3.42020143,"
                         " 9.39692621]]%s",
                         2 * k - 1, 2 * k - 1, k == 0 ? ", " : "]}\n");
    snprintf(text + used, sizeof text - (size_t)used,
             "- {name: hair, model: rod, drag: 0, rod: {root: free, radius: 100, tolerance: 1e-6}, contact: "
             "{method:"
             " solve, radius: 0.1, groom: push, %s}, strands: [[[-1.5, 0.213, 0], [-0.5, 0.213, 0], [0.5, "
             "0.213, 0],"
             " [1.5, 0.213, 0]]]}\n",
             friction);
    run_begin(&r, RLT_SIMD_AUTO, 1, "%s", text);
    run_frames(&r, 4);
    double velocity[3] = {0.0, kick * slope[1], kick * slope[2]};
    rlt_simulation_kick(r.simulation, velocity);
    const double *x = run_view(&r).points + (size_t)3 * 6;
    double from = x[1] * slope[1] + x[2] * slope[2];
    run_frames(&r, 4);
    x = run_view(&r).points + (size_t)3 * 6;
    double moved = x[1] * slope[1] + x[2] * slope[2] - from;
    run_end(&r);
    return moved;
}

/* It sticks up to the static coefficient; once it slides faster than that stops within a step, the kinetic
 * one counts. */
static void static_friction(void **state) {
    (void)state;
    const double seconds = 4.0 / 24, net = 981.0 * (0.342020143 - 0.2 * 0.939692621);
    assert_true(slide_down("friction: 0.2, static_friction: 0.5", 0.0) < 0.01);
    assert_true(slide_down("friction: 0.2", 0.0) > 0.4 * net * seconds * seconds);
    double thrown = slide_down("friction: 0.2, static_friction: 0.5", 20.0);
    assert_true(fabs(thrown - 20.0 * seconds - 0.5 * net * seconds * seconds) < 0.1 * thrown);
    assert_true(slide_down("friction: 0.5", 20.0) < 20.0 * seconds); /* it is slowed */
}

static void friction_that_is_refused(void **state) {
    (void)state;
    run_assert_refused(
        "hair: {model: rod, region: none, count: 3, contact: {method: solve, friction: 0.5,"
        " static_friction: 0.3}}\n",
        0,
        "s.yaml:1:101: hair.contact.static_friction = 0.3: hair that slides is not held harder than "
        "hair that sticks; give at least contact.friction (0.5), or auto");
    run_assert_refused("hair: {model: rod, region: none, count: 3, contact: {friction: -0.5}}\n", 0,
                       "s.yaml:1:64: hair.contact.friction = -0.5: must be within 0..10");
    run_assert_refused(
        "hair: {model: rod, region: none, count: 3, sag: {mode: solve}, rod: {root: free}}\n", 0,
        "s.yaml:1:76: hair.rod.root = \"free\": hair that nothing holds falls whatever its rest "
        "shape; set hair.sag.mode to off");
}

/* Nothing holds them: they fall as stones do, points that are kicked fly apart, and bodies stop roots, too.
 */
static void free_roots(void **state) {
    (void)state;
    run r;
    run_begin(
        &r, RLT_SIMD_AUTO, 1,
        "time: {last: 99}\ncharacter: {kind: none}\ncolliders: {kind: sphere, position: [0, -1005, 0],"
        " radius: 1000}\nhair: {model: rod, drag: 0, rod: {root: free, steps: 4}, collide: {thickness: 0.3},"
        " strands: [[[0, 0, 0], [1, 0, 0], [2, 0, 0]], [[9, 0, 0], [10, 0, 0], [11, 0, 0]]]}\n");
    double velocities[18] = {0};
    for (int i = 3; i < 6; i++)
        velocities[3 * i + 2] = 12.0;
    rlt_simulation_kick_points(r.simulation, velocities);
    run_frames(&r, 2);
    const double *x = run_view(&r).points;
    for (int i = 0; i < 6; i++) {
        assert_true(fabs(x[3 * i + 1] + 981.0 * 8 * 9 / 2.0 / (96.0 * 96.0)) < 1e-6); /* Euler's 8 steps */
        assert_true(fabs(x[3 * i + 2] - (i < 3 ? 0.0 : 1.0)) < 1e-6);
    }
    run_frames(&r, 40);
    x = run_view(&r).points;
    for (int i = 0; i < 6; i++)
        assert_true(x[3 * i + 1] > -4.85 && x[3 * i + 1] < -4.65);
    run_end(&r);
}

static void values_that_do_nothing(void **state) {
    (void)state;
    static const struct {
        const char *scene, *says;
    } cases[] = {
        {"hair: {model: rod, region: none, count: 3, contact: {method: solve, stiffness: 9}}",
         "contact.stiffness = 9: does nothing: contacts are solved"},
        {"hair: {model: rod, region: none, count: 3, contact: {method: solve}, rod: {integration: midpoint}}",
         "does nothing: hair whose contacts are solved takes Euler's steps"},
        {"hair: {model: taz, region: none, count: 3, contact: {method: solve}}", "contact.method"},
        {"hair: {model: rod, region: none, count: 3, contact: {static_friction: 0.5}}",
         "does nothing: springs have one friction; set hair.contact.method to solve, or remove it"},
        {"contacts: {iterations: 9}\nhair: {model: rod, region: none, count: 3}",
         "no hair solves its contacts"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        run r;
        run_begin(&r, RLT_SIMD_AUTO, 1, "character: {kind: none}\n%s\n", cases[k].scene);
        if (run_said(&r, cases[k].says) != 1)
            print_message("not said: %s\n", cases[k].says);
        assert_int_equal(run_said(&r, cases[k].says), 1);
        run_end(&r);
    }
}

/* Straight hairs in layers, `across` side by side, each layer in a direction of its own, which turns by
 * `turn` for a layer and by `more` for its square: a list for a scene. */
static void write_layers(char *text, size_t size, int hairs, int across, double turn, double more) {
    enum { POINTS = 8 };
    size_t used = 0;
    for (int hair = 0; hair < hairs; hair++)
        for (int i = 0; i < POINTS; i++) {
            int layer = hair / across;
            double s = i - 0.5 * (POINTS - 1), at = turn * layer + more * layer * layer,
                   aside = 1.1 * (hair % across - 0.5 * (across - 1));
            used += (size_t)snprintf(text + used, size - used, "%s[%.6g, %.6g, %.6g]%s",
                                     i == 0 ? "\n  - [" : ", ", s * cos(at) - aside * sin(at),
                                     2.0 + 1.2 * layer + 0.03 * s * (hair % 3 - 1),
                                     s * sin(at) + aside * cos(at), i == POINTS - 1 ? "]" : "");
        }
    assert_true(used < size);
}

/* Free hairs that fall on each other and on a floor, both blocks: they stay there. Each was once moved by
 * what its own momentum lacked, planes of bodies included: within ten frames they flew at 9e4 units/s. */
static void a_heap_stays_on_the_floor(void **state) {
    enum { HAIRS = 12, SIZE = 8192 };
    const char *const blocks[2] = {"whole", "lumped"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[SIZE];
        write_layers(text, sizeof text, HAIRS, 4, 1.3, 0.0);
        run r;
        run_begin(&r, RLT_SIMD_AUTO, 1,
                  "time: {last: 40}\ncontacts: {block: %s}\ncharacter: {kind: none}\ncolliders:\n"
                  "- {kind: sphere, position: [0, -1000, 0], radius: 1000}\nhair:\n- model: rod\n"
                  "  rod: {root: free}\n  collide: {friction: 0.5, thickness: 0.2}\n"
                  "  contact: {method: solve, radius: 0.2, friction: 0.5, groom: push}\n  strands:%s\n",
                  blocks[k], text);
        for (int f = 0; f < 20; f++) {
            run_frames(&r, 1);
            assert_true(run_statistics(&r).fastest < 150.0); /* they fall at 70 units/s */
        }
        assert_true(run_statistics(&r).solved_touching > 4.0);
        assert_true(run_statistics(&r).fastest < 1.0); /* at rest: 0.02 */
        rlt_frame_view view = run_view(&r);
        for (int p = 0; p < view.point_count; p++)
            assert_true(view.points[3 * (size_t)p + 1] > 0.0 && view.points[3 * (size_t)p + 1] < 4.5);
        run_end(&r);
    }
}

/* 50 free hairs fall into a bowl and lie still, with the iterations that everyone has by default. Where they
 * began each step by falling into each other they moved at 1.3 units/s for ever, and were 0.7 of a radius
 * deep in each other. */
static void a_pile_lies_still(void **state) {
    enum { HAIRS = 50, WALLS = 8, SIZE = 14000 };
    char text[SIZE], walls[1024];
    int used = 0;
    double mean = 0.0;
    (void)state;
    write_layers(text, sizeof text, HAIRS, 5, 0.0, 2.1);
    for (int k = 0; k < WALLS; k++) {
        double turn = 6.283185307 / WALLS, r = 9.0;
        used +=
            snprintf(walls + used, sizeof walls - (size_t)used,
                     "- {kind: capsule, position: [%.6g, 2, %.6g], end: [%.6g, 2, %.6g], radius: 4}\n",
                     r * cos(k * turn), r * sin(k * turn), r * cos((k + 1) * turn), r * sin((k + 1) * turn));
    }
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 1,
              "time: {last: 40}\ncharacter: {kind: none}\ncolliders:\n"
              "- {kind: sphere, position: [0, -1000, 0], radius: 1000}\n%shair:\n- model: rod\n"
              "  rod: {root: free}\n  collide: {friction: 0.5, thickness: 0.2}\n"
              "  contact: {method: solve, radius: 0.2, friction: 0.5, groom: push}\n  strands:%s\n",
              walls, text);
    run_frames(&r, 24);
    for (int f = 0; f < 4; f++) {
        run_frames(&r, 1);
        rlt_frame_view view = run_view(&r);
        for (int p = 0; p < view.point_count; p++) {
            const double *v = view.velocities + 3 * (size_t)p;
            mean += sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / (4.0 * view.point_count);
        }
        assert_true(run_statistics(&r).solved_deepest < 0.1);
        assert_int_equal(run_statistics(&r).solved_halved, 0);
    }
    if (mean >= 0.1)
        print_message("mean speed %.3g units/s\n", mean);
    assert_true(run_statistics(&r).solved_touching > 100.0);
    assert_true(mean < 0.1); /* 0.03; 0.15 where free hair lay on bodies by planes */
    run_end(&r);
}

/* Hairs of so many points that whole inverses would not fit: lumped masses, and it is said. */
static void hairs_of_many_points(void **state) {
    (void)state;
    run r;
    run_begin(
        &r, RLT_SIMD_AUTO, 1,
        "character: {kind: none}\nhair: {model: rod, region: none, count: 2, total_points: 11400, length: 20,"
        " contact: {method: solve, radius: 0.05}}\n");
    assert_int_equal(
        run_said(&r, "contacts.block = whole would take up to 2.3 GB for hairs of up to 5741 points"), 1);
    run_frames(&r, 1);
    assert_true(run_statistics(&r).bytes < 200e6);
    run_end(&r);
}

/* Taz beside Rods: springs between them, solutions among the Rods. */
static void with_other_models(void **state) {
    (void)state;
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 2,
              "time: {last: 4}\ncharacter: {kind: head, resolution: 16}\nmotion: {kind: walk}\nhair:\n"
              "- {name: a, model: rod, region: scalp, count: 12, total_points: 120, length: 10,"
              " contact: {method: solve}}\n"
              "- {name: b, model: taz, region: scalp, count: 12, total_points: 120, length: 10}\n");
    run_frames(&r, 3);
    rlt_statistics s = run_statistics(&r);
    assert_true(s.solved_steps > 0 && s.edges > 0);
    run_end(&r);
}

/* One step a frame, 3 iterations. Returns how many steps were halved. */
static int run_few_iterations(const char *hair, const char *solves, int frames, double deepest,
                              double longest) {
    run r;
    char scene[1024];
    int halved = 0;
    snprintf(scene, sizeof scene,
             "time: {last: 40}\ncharacter: {kind: head, resolution: 16}\nmotion: {kind: walk, start: -1}\n"
             "hair: {preset: straight, model: rod, region: nape, length: 50, fall: 0.85, rod: {steps: 1},"
             " %s}\n"
             "contacts: {block: lumped, early: 0, newton: 3, %s}\n",
             hair, solves);
    run_begin(&r, RLT_SIMD_AUTO, 2, scene);
    for (int f = 0; f < frames; f++) {
        run_frames(&r, 1);
        rlt_statistics s = run_statistics(&r);
        halved += s.solved_halved;
        assert_true(s.solved_deepest < deepest);
        assert_true(s.longest < longest);
    }
    run_end(&r);
    return halved;
}

/* The paper's few iterations in one step a frame, with links: Newton is lost in fast steps, which are taken
 * by halves. It was thrown about by hundreds of radii before. */
static void few_iterations_stay_bounded(void **state) {
    (void)state;
    assert_true(run_few_iterations("count: 100, total_points: 2000, contact: {method: solve, radius: 0.6},"
                                   " link: {count: 14, reach: 6}",
                                   "iterations: 3, sweeps: 3", 12, 6.0, 1.1) > 0);
    /* radii longer than edges, of 0.85 units */
    assert_true(run_few_iterations("count: 30, total_points: 1800, contact: {method: solve, radius: 1.2},"
                                   " link: {count: 14, reach: 6}",
                                   "iterations: 3, sweeps: 3", 6, 6.0, 1.1) > 0);
}

/* With more back-solves a limit of each strand's step is enough: none is begun anew. */
static void more_back_solves_stay_whole(void **state) {
    (void)state;
    assert_int_equal(
        run_few_iterations("count: 30, total_points: 1800, contact: {method: solve, radius: 1.2},"
                           " link: {count: 14, reach: 6}",
                           "iterations: 16, sweeps: 1", 12, 6.0, 1.02),
        0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_iterations_stay_bounded), cmocka_unit_test(more_back_solves_stay_whole),
        cmocka_unit_test(falling_hair_does_not_pass),  cmocka_unit_test(hair_rests_on_hair),
        cmocka_unit_test(without_contacts_it_passes),  cmocka_unit_test(lumped_masses),
        cmocka_unit_test(values_that_do_nothing),      cmocka_unit_test(with_other_models),
        cmocka_unit_test(a_heap_stays_on_the_floor),   cmocka_unit_test(a_pile_lies_still),
        cmocka_unit_test(hairs_of_many_points),        cmocka_unit_test(static_friction),
        cmocka_unit_test(friction_that_is_refused),    cmocka_unit_test(free_roots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
