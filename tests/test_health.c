/* Runs that cannot go well are refused before they start, with the number of steps that is enough;
 * near-degenerate grooms are handled; a run that diverges stops with strand, frame and cause, and keeps the
 * last good frame. */
#include "run_fixture.h"

/* The status and the first message of building a scene. */
static rlt_status try_build(const char *text, char *message, size_t size) {
    rlt_messages *messages = rlt_messages_create();
    rlt_scene *scene = NULL;
    rlt_simulation *simulation = NULL;
    rlt_simulation_def def = {.size = sizeof def, .threads = 1, .simd = RLT_SIMD_AUTO};
    rlt_status status = rlt_scene_load_text("s.yaml", text, strlen(text), NULL, 0, messages, &scene);
    assert_int_equal(status, RLT_OK);
    status = rlt_simulation_create(scene, &def, messages, &simulation);
    assert_true((status == RLT_OK) == (simulation != NULL));
    snprintf(message, size, "%s", rlt_messages_text(messages, 0));
    rlt_simulation_destroy(simulation);
    rlt_scene_destroy(scene);
    rlt_messages_destroy(messages);
    return status;
}

/* How many messages building it gives. */
static int count_messages(const char *text) {
    rlt_messages *messages = rlt_messages_create();
    rlt_scene *scene = NULL;
    rlt_simulation *simulation = NULL;
    rlt_simulation_def def = {.size = sizeof def, .threads = 1, .simd = RLT_SIMD_AUTO};
    assert_int_equal(rlt_scene_load_text("s.yaml", text, strlen(text), NULL, 0, messages, &scene), RLT_OK);
    assert_int_equal(rlt_simulation_create(scene, &def, messages, &simulation), RLT_BAD_INPUT);
    int count = rlt_messages_count(messages);
    rlt_scene_destroy(scene);
    rlt_messages_destroy(messages);
    return count;
}

static const char curl[] =
    "character: {kind: none}\n"
    "hair: {preset: redhead, region: none, strands: [[[0, 0, 0], [0, -1, 0], [0, -2, 0], [1, -2, 0]]]}\n";

static void test_steps_too_long_are_refused(void **state) {
    (void)state;
    char text[512], message[512];
    snprintf(text, sizeof(text), "time: {outer_steps: 10, force_steps: 9}\n%s", curl);
    assert_int_equal(try_build(text, message, sizeof(message)), RLT_BAD_INPUT);
    assert_string_equal(
        message,
        "s.yaml:1:38: time.force_steps = 9: too few for the stiffness of strand 0 (segments of 1 units); "
        "raise it to 13 (a run takes 1.44 times as long), lower the stiffness to 0.48 of it (softer hair), "
        "set hair.model to rod (steps of any length), or set health.check_steps: off (it may jitter)");
    snprintf(text, sizeof(text), "time: {outer_steps: 10, force_steps: 13}\n%s", curl);
    assert_int_equal(try_build(text, message, sizeof(message)), RLT_OK); /* what was asked for is enough */

    snprintf(text, sizeof(text), "time: {outer_steps: 10, force_steps: 15, damping_steps: 2}\n%s", curl);
    assert_int_equal(try_build(text, message, sizeof(message)), RLT_BAD_INPUT);
    assert_string_equal(
        message,
        "s.yaml:1:57: time.damping_steps = 2: too few for the damping of strand 0 (segments of 1 units); "
        "raise it to 5 (a run takes 1.38 times as long), lower the damping to 0.497 of it (softer hair), set "
        "hair.model to rod (steps of any length), or set health.check_steps: off (it may jitter)");
    snprintf(text, sizeof(text), "time: {outer_steps: 10, force_steps: 15, damping_steps: 5}\n%s", curl);
    assert_int_equal(try_build(text, message, sizeof(message)), RLT_OK);

    snprintf(text, sizeof(text), "time: {outer_steps: 1, force_steps: 1}\nhealth: {check_steps: off}\n%s",
             curl);
    assert_int_equal(try_build(text, message, sizeof(message)), RLT_OK);
}

/* Masses that single precision cannot hold: nothing after the first frame is believed, with every build of
 * the kernel. Double precision can. */
static void test_masses_beyond_the_precision_are_seen(void **state) {
    (void)state;
    static const struct {
        const char *mass, *cause;
    } cases[] = {{"1e-300", "its mass is too small"}, {"1e300", "its mass is too large"}};
    for (int i = 0; i < 2; i++)
        for (rlt_simd simd = RLT_SIMD_PORTABLE; simd <= RLT_SIMD_REFERENCE; simd++) {
            run r;
            if (!rlt_simd_available(simd))
                continue;
            run_begin(&r, simd, 1,
                      "gravity: [300, -981, 0]\ncharacter: {kind: none}\nhealth: {check_steps: off}\n"
                      "hair: {region: none, count: 3, total_points: 30, length: 10, mass: %s}\n",
                      cases[i].mass);
            if (simd == RLT_SIMD_REFERENCE && i == 1) {
                run_frames(&r, 3);
            } else if (simd != RLT_SIMD_REFERENCE) {
                assert_int_equal(rlt_simulation_advance(r.simulation, r.messages), RLT_DIVERGED);
                const char *said = rlt_messages_text(r.messages, rlt_messages_count(r.messages) - 1);
                if (strstr(said, cases[i].cause) == NULL)
                    fail_msg("%s", said);
            }
            run_end(&r);
        }
}

/* Twelve points of 0.45 units in a storm that stops: how far edges are off their length afterwards. */
static double off_length(int force_steps, char *message, size_t size) {
    run r;
    run_begin(
        &r, RLT_SIMD_AUTO, 1,
        "time: {last: 30, outer_steps: 30, force_steps: %d}\ncharacter: {kind: none}\ngravity: [0, 0, 0]\n"
        "wind: {velocity: [2e4, 0, 0], strength: [[1, 1], [6, 1], [8, 0]]}\n"
        "hair: {preset: wavy, region: none, count: 1, length: 4.95, length_variation: 0, segment: 0.45,\n"
        "  radius: 0.15, pitch: 1.5}\n",
        force_steps);
    message[0] = 0;
    for (int i = 0; i < rlt_messages_count(r.messages); i++)
        if (strstr(rlt_messages_text(r.messages, i), "time.force_steps") != NULL)
            snprintf(message, size, "%s", rlt_messages_text(r.messages, i));
    run_frames(&r, 29);
    rlt_frame_view view = run_view(&r);
    double most = 0.0;
    for (int p = 1; p < view.point_count; p++) {
        double now = run_distance(view.points + 3 * (size_t)p, view.points + 3 * (size_t)(p - 1)),
               rest = run_distance(view.rest + 3 * (size_t)p, view.rest + 3 * (size_t)(p - 1));
        most = fmax(most, fabs(now / rest - 1.0));
    }
    run_end(&r);
    return most;
}

/* Steps that are stable, but in which damping takes away all that springs give. */
static void test_slow_edges_are_told(void **state) {
    (void)state;
    char slow[512], quick[512];
    double off = off_length(15, slow, sizeof slow);
    assert_non_null(strstr(slow, "test:1:48: time.force_steps = 15: with so strong a damping, strand 0 "));
    assert_non_null(
        strstr(slow, " takes 3.17 s to come back to its length; raise it to 23, or lower stretch.damping"));
    double better = off_length(23, quick, sizeof quick);
    print_message("edges are off by up to %.3g with 15 steps, %.3g with 23\n", off, better);
    assert_string_equal(quick, "");
    assert_true(off > 0.002 && better < 0.1 * off);
}

/* Steps that are not given: more force steps and less damping where the hair needs it, as is said; and what
 * was chosen is what would have been refused with less. */
static void test_steps_by_themselves(void **state) {
    (void)state;
    static const char fine[] =
        "character: {kind: none}\nhair: {preset: redhead, region: none, count: 2, length: 8,"
        " segment: 0.1, length_variation: 0}\n";
    char text[512], message[512];
    run r;
    snprintf(text, sizeof text, "time: {steps: fixed}\n%s", fine);
    assert_int_equal(try_build(text, message, sizeof message), RLT_BAD_INPUT);
    assert_non_null(strstr(message, "time.force_steps = 15: too few for the stiffness"));
    int needed = atoi(strstr(message, "raise it to ") + strlen("raise it to "));
    assert_true(needed > 15 && needed <= 60);
    run_begin(&r, RLT_SIMD_AUTO, 1, "%s", fine);
    char said[64];
    snprintf(said, sizeof said, "time.steps = auto: %d force steps instead of 15", needed);
    assert_non_null(strstr(rlt_messages_text(r.messages, 0), said));
    assert_non_null(strstr(rlt_messages_text(r.messages, 1), "the damping of 2 strands was lowered"));
    run_frames(&r, 12); /* and it holds: the health check stops what diverges */
    rlt_statistics s = {.size = sizeof s};
    rlt_simulation_statistics(r.simulation, &s);
    assert_true(s.force_steps == 12LL * 60 * needed);
    assert_true(s.longest < 1.05);
    run_end(&r);
    /* what is given counts as it is, and beyond four times the cost it is refused with all that helps */
    snprintf(text, sizeof text, "time: {force_steps: 15}\n%s", fine);
    assert_int_equal(try_build(text, message, sizeof message), RLT_BAD_INPUT);
    assert_int_equal(
        try_build("character: {kind: none}\nhair: {preset: redhead, region: none, count: 2, length: 8, "
                  "segment: 0.02}\n",
                  message, sizeof message),
        RLT_BAD_INPUT);
    assert_non_null(strstr(message, "too few for the stiffness"));
    assert_int_equal(count_messages("character: {kind: none}\nhair: {preset: redhead, region: none, count: 2,"
                                    " length: 8, segment: 0.02}\n"),
                     1); /* not of damping as well, which is lowered once the force steps are enough */
}

/* Segments that would leave a curl two points a turn are no remedy. */
static void test_remedies_keep_the_curl(void **state) {
    char message[512];
    (void)state;
    assert_int_equal(
        try_build("character: {kind: none}\nhair: {preset: redhead, region: none, count: 1, length: 60, "
                  "radius: 1.3, pitch: 3.4, mass: 1e-4}\n",
                  message, sizeof message),
        RLT_BAD_INPUT);
    assert_non_null(strstr(message, "times as long), lower the stiffness to "));
    assert_null(strstr(message, "make segments"));
}

/* Bending without smoothing is up to four times as stiff as its coefficient; absurd values give sane advice.
 */
static void test_step_check_knows_bending_and_absurd_values(void **state) {
    (void)state;
    char message[512];
    assert_int_equal(
        try_build("time: {outer_steps: 1, force_steps: 120}\ncharacter: {kind: none}\n"
                  "hair: {preset: straight, region: none, count: 1, total_points: 20, length: 19,"
                  " bend: {smoothing: 0, stiffness: 3e6}, stretch: {stiffness: 3e5}}\n",
                  message, sizeof(message)),
        RLT_BAD_INPUT);
    assert_non_null(
        strstr(message, "s.yaml:1:37: time.force_steps = 120: too few for the stiffness of strand 0"));
    assert_int_equal(
        try_build(
            "character: {kind: none}\nhair: {preset: straight, region: none, count: 1, total_points: 20,"
            " length: 19, stretch: {stiffness: 1e300}}\n",
            message, sizeof(message)),
        RLT_BAD_INPUT);
    assert_non_null(strstr(message, "s.yaml: time.force_steps = 15: too few for the stiffness of strand 0"));
    assert_non_null(strstr(message, " units long by a lower hair.total_points "));
    /* what was measured has three digits; more outer steps than there may be are no advice */
    assert_int_equal(
        try_build(
            "character: {kind: none}\nhair: {preset: straight, region: none, count: 1, total_points: 20,"
            " length: 25, length_variation: 0, stretch: {stiffness: 1e11}}\n",
            message, sizeof(message)),
        RLT_BAD_INPUT);
    assert_non_null(strstr(message, " of strand 0 (segments of 1.32 units); raise it to "));
    assert_int_equal(
        try_build(
            "character: {kind: none}\nhair: {preset: straight, region: none, count: 1, total_points: 20,"
            " length: 25, length_variation: 0, stretch: {stiffness: 1e13}}\n",
            message, sizeof(message)),
        RLT_BAD_INPUT);
    assert_non_null(strstr(message, "; raise time.outer_steps to "));
}

/* The limit the check knows is the real one: undamped hair swings on just inside it and blows up just
 * outside. */
static double fastest_with(int force_steps) {
    rlt_messages *messages = rlt_messages_create();
    rlt_scene *scene = NULL;
    rlt_simulation *simulation = NULL;
    char text[512];
    snprintf(text, sizeof(text),
             "time: {last: 13, outer_steps: 1, force_steps: %d, damping_steps: 1}\ncharacter: {kind: none}\n"
             "health: {check_steps: off}\nhair: {preset: straight, region: none, count: 1, total_points: 41, "
             "length: 40,"
             " direction: [1, -1, 0], drag: 0, stretch: {damping: 0, limit: 0, velocity_limit: 0}, bend: "
             "{damping: 0}}\n",
             force_steps);
    assert_int_equal(rlt_scene_load_text("s.yaml", text, strlen(text), NULL, 0, messages, &scene), RLT_OK);
    assert_int_equal(rlt_simulation_create(scene, NULL, messages, &simulation), RLT_OK);
    double fastest = 0;
    for (int f = 0; f < 12; f++) {
        if (rlt_simulation_advance(simulation, messages) != RLT_OK) {
            fastest = HUGE_VAL;
            break;
        }
        rlt_statistics s = {.size = sizeof s};
        rlt_simulation_statistics(simulation, &s);
        fastest = s.fastest > fastest ? s.fastest : fastest;
    }
    rlt_simulation_destroy(simulation);
    rlt_scene_destroy(scene);
    rlt_messages_destroy(messages);
    return fastest;
}

static void test_the_limit_is_where_the_check_says(void **state) {
    (void)state;
    /* 24 fps, k_s + k_b = 3.03e6 on unit masses: h sqrt(4 k / m) = 2 at 72.5 steps; the tip's half mass asks
     * for more */
    assert_true(fastest_with(110) < 2000);
    assert_true(fastest_with(60) > 20000);
}

/* Real grooms have edges of a thousandth of a unit. They must not ask for thousands of steps, nor tremble. */
static void test_near_degenerate_edges_are_calm(void **state) {
    (void)state;
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 1,
              "time: {last: 49}\ncharacter: {kind: none}\nhair: {preset: straight, region: none, strands: [["
              "[0, 0, 0], [0, -1, 0], [0, -2, 0], [0, -2.000001, 0], [0, -3, 0], [0, -4, 0], [0, -4.001, 0], "
              "[0, -5, 0]]]}\n");
    run_frames(&r, 48);
    rlt_statistics s = {.size = sizeof s};
    rlt_simulation_statistics(r.simulation, &s);
    assert_true(s.fastest < 0.1);
    assert_true(s.longest < 1.1);
    run_end(&r);
}

static void test_divergence_names_strand_frame_and_cause(void **state) {
    (void)state;
    run r;
    run_begin(
        &r, RLT_SIMD_AUTO, 1,
        "time: {last: 10}\ncharacter: {kind: none}\nhealth: {speed_limit: 60}\n"
        "hair: {name: locks, preset: straight, drag: 0, region: none, strands: ["
        "[[0, 0, 0], [0, -1, 0], [0, -2, 0]], [[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0], [40, 0, 0]]]}\n");
    rlt_status status = RLT_OK;
    int frames = 0;
    while (status == RLT_OK && frames < 10) {
        status = rlt_simulation_advance(r.simulation, r.messages);
        frames += status == RLT_OK;
    }
    assert_int_equal(status, RLT_DIVERGED);
    const char *message = rlt_messages_text(r.messages, rlt_messages_count(r.messages) - 1);
    char expected[96];
    snprintf(expected, sizeof(expected), "test: frame %d: strand 1 of locks diverged: a point moves at ",
             frames + 2);
    assert_true(strncmp(message, expected, strlen(expected)) == 0);
    assert_non_null(strstr(message, "unit/s (health.speed_limit = 60)"));
    assert_int_equal(run_view(&r).frame, frames + 1); /* the last good frame */
    assert_int_equal(rlt_simulation_advance(r.simulation, r.messages), RLT_DIVERGED); /* and no way on */
    assert_int_equal(run_view(&r).frame, frames + 1);
    rlt_diagnostics *diagnostics = NULL;
    assert_int_equal(rlt_simulation_diagnose(r.simulation, r.messages, &diagnostics), RLT_DIVERGED);
    assert_null(diagnostics);
    run_end(&r);
}

/* Air as thick as honey stops hair, it does not throw it. */
static void test_strong_drag_is_stable(void **state) {
    (void)state;
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 1,
              "time: {last: 5}\ncharacter: {kind: none}\nhair: {preset: redhead, region: none, count: 1, "
              "total_points: 30,"
              " length: 29, drag: 1e6}\n");
    run_frames(&r, 4);
    rlt_statistics s = {.size = sizeof s};
    rlt_simulation_statistics(r.simulation, &s);
    assert_true(s.fastest < 1.0);
    run_end(&r);
}

/* Frames can be looked at before the first step: the scalp's is orthonormal and its tangent is the first
 * edge. */
static void test_frames_of_a_fresh_simulation(void **state) {
    (void)state;
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 1,
              "time: {last: 5}\ncharacter: {kind: none}\nhair: {preset: redhead, region: none, count: 1, "
              "total_points: 30,"
              " length: 29}\n");
    double frames[30 * 9];
    assert_int_equal(rlt_simulation_strand_frames(r.simulation, 0, frames), RLT_OK);
    rlt_frame_view v = run_view(&r);
    double length = run_distance(v.points, v.points + 3), along = 0;
    for (int axis = 0; axis < 3; axis++)
        along += frames[axis] * (v.points[3 + axis] - v.points[axis]);
    assert_true(fabs(along / length - 1) < 1e-5);
    for (int f = 0; f < 30; f++) {
        const double *u = frames + 9 * f, *n = u + 3;
        assert_true(fabs(u[0] * u[0] + u[1] * u[1] + u[2] * u[2] - 1) < 1e-4);
        assert_true(fabs(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1) < 1e-4);
        assert_true(fabs(u[0] * n[0] + u[1] * n[1] + u[2] * n[2]) < 1e-4);
    }
    run_end(&r);
}

/* Masses so small that the square of a velocity is infinite: the limiters must not take that for a velocity
 * to cut down to the root's, which would show hair at rest and no message. */
static void test_infinite_velocities_are_not_limited_to_rest(void **state) {
    (void)state;
    static const char *const masses[] = {"1e-20", "1e-25", "1e-28", "1e-30", "1e-32", "1e-34", "1e-36",
                                         "1e-37", "1e-38", "1e-39", "1e-40", "1e-42", "1e-44"};
    static const char *const styles[] = {"style: straight", "style: helix, radius: 1, pitch: 3"};
    for (size_t i = 0; i < sizeof(masses) / sizeof(masses[0]); i++)
        for (rlt_simd simd = RLT_SIMD_PORTABLE; simd < RLT_SIMD_REFERENCE; simd++)
            for (int style = 0; style < 2; style++) {
                run r;
                if (!rlt_simd_available(simd))
                    continue;
                run_begin(&r, simd, 1,
                          "gravity: [300, -981, 0]\ncharacter: {kind: none}\nhealth: {check_steps: off}\n"
                          "hair: {region: none, count: 3, total_points: 30, length: 10, %s, mass: %s}\n",
                          styles[style], masses[i]);
                rlt_status status = rlt_simulation_advance(r.simulation, r.messages);
                if (status == RLT_OK)
                    status = rlt_simulation_advance(r.simulation, r.messages);
                if (status != RLT_DIVERGED)
                    fail_msg("mass %s, %s, simd %d: status %d", masses[i], styles[style], (int)simd,
                             (int)status);
                run_end(&r);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_too_long_are_refused),
        cmocka_unit_test(test_masses_beyond_the_precision_are_seen),
        cmocka_unit_test(test_infinite_velocities_are_not_limited_to_rest),
        cmocka_unit_test(test_slow_edges_are_told),
        cmocka_unit_test(test_steps_by_themselves),
        cmocka_unit_test(test_remedies_keep_the_curl),
        cmocka_unit_test(test_step_check_knows_bending_and_absurd_values),
        cmocka_unit_test(test_the_limit_is_where_the_check_says),
        cmocka_unit_test(test_strong_drag_is_stable),
        cmocka_unit_test(test_frames_of_a_fresh_simulation),
        cmocka_unit_test(test_near_degenerate_edges_are_calm),
        cmocka_unit_test(test_divergence_names_strand_frame_and_cause),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
