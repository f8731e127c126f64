/* Every shipped motion, whole, with hair as Rods that take one step for a 24 Hz frame: nothing is torn,
 * thrown about or given up. Few hairs: what counts is what their roots and bodies do. */
#include "long_fixture.h"
#include "run_fixture.h"

#include "base/clock.h"

enum { STRANDS = 24 };

typedef struct outcome {
    double longest, fastest;        /* the greatest of any frame */
    double kinetic;                 /* energy a point, the greatest of any frame [mass unit^2/s^2] */
    double last;                    /* longest in the last frame */
    double unconverged, iterations; /* share of the steps, mean */
    long long failed;
    int frames;
} outcome;

static double kinetic_of(const rlt_statistics *s) {
    for (int e = 0; e < s->energy_count; e++)
        if (strcmp(s->energies[e].name, "kinetic") == 0)
            return s->energies[e].value;
    fail_msg("no kinetic energy");
    return 0.0;
}

static outcome run_whole(const char *name, rlt_scene *scene, rlt_messages *messages) {
    outcome out = {0};
    rlt_simulation *simulation = NULL;
    rlt_simulation_def def = {.size = sizeof def, .threads = 2};
    rlt_statistics s = {.size = sizeof s};
    rlt_frame_view view = {.size = sizeof view};
    double start = rlti_seconds(CLOCK_MONOTONIC);
    rlt_status status = rlt_simulation_create(scene, &def, messages, &simulation);
    if (status == RLT_OK)
        rlt_simulation_view(simulation, &view);
    while (status == RLT_OK && view.frame < rlt_scene_last_frame(scene)) {
        status = rlt_simulation_advance(simulation, messages);
        rlt_simulation_view(simulation, &view);
        rlt_simulation_statistics(simulation, &s);
        out.longest = fmax(out.longest, s.longest);
        out.last = s.longest;
        out.fastest = fmax(out.fastest, s.fastest);
        out.kinetic = fmax(out.kinetic, kinetic_of(&s) / s.points);
        out.frames++;
    }
    if (status != RLT_OK)
        print_error("%s: %s\n", name, rlt_messages_text(messages, rlt_messages_count(messages) - 1));
    assert_int_equal(status, RLT_OK);
    out.unconverged = (double)s.newton_unconverged / fmax((double)s.newton_steps, 1.0);
    out.iterations = (double)s.newton_iterations / fmax((double)s.newton_steps, 1.0);
    out.failed = s.newton_failed;
    rlt_simulation_destroy(simulation);
    print_message(
        "%-20s %3d frames: longest %.3f, fastest %5.0f unit/s, kinetic %.2g, %.2g of steps not converged, "
        "%.1f iterations, %.1f s\n",
        name, out.frames, out.longest, out.fastest, out.kinetic, out.unconverged, out.iterations,
        rlti_seconds(CLOCK_MONOTONIC) - start);
    return out;
}

/* `more`: one override beside the usual ones, or NULL. */
static outcome check(const char *name, const char *more) {
    char count[32], total[32];
    int per_strand = strncmp(name, "horse", 5) == 0                         ? 20
                     : strcmp(name, "curls") * strcmp(name, "redhead") == 0 ? 77
                                                                            : 0;
    const char *overrides[6] = {"hair.model=rod", "hair.rod.steps=1", "character.resolution=16", count};
    int given = 4;
    rlt_messages *messages = rlt_messages_create();
    rlt_scene *scene = NULL;
    snprintf(count, sizeof count, "hair.count=%d", STRANDS);
    snprintf(total, sizeof total, "hair.total_points=%d", STRANDS * per_strand);
    if (per_strand > 0)
        overrides[given++] = total;
    if (more != NULL)
        overrides[given++] = more;
    assert_int_equal(rlt_scene_load_embedded(name, overrides, given, messages, &scene), RLT_OK);
    outcome out = run_whole(name, scene, messages);
    assert_int_equal(out.failed, 0);
    assert_true(out.last < 1.05); /* the horses still run */
    assert_true(out.unconverged < 0.1);
    rlt_scene_destroy(scene);
    rlt_messages_destroy(messages);
    return out;
}

/* One scene of each motion; all of them in a long run. */
static int is_taken(const char *name, const char *only) {
    static const char *const motions[] = {"straight", "flip", "spin", "calisthenics", "stop", "horse-tail"};
    if (only != NULL || is_long_run())
        return only == NULL || strcmp(only, name) == 0;
    for (size_t i = 0; i < sizeof motions / sizeof motions[0]; i++)
        if (strcmp(motions[i], name) == 0)
            return 1;
    return 0;
}

static void one_step_a_frame_is_stable(void **state) {
    (void)state;
    const char *name, *only = getenv("ROD_SCENE");
    for (int i = 0; (name = rlt_embedded_scene_name(i)) != NULL; i++)
        if (is_taken(name, only)) {
            outcome out = check(name, NULL);
            assert_true(out.longest < 1.1);
            assert_true(out.fastest < 2000.0); /* of units, here centimetres: the stop begins with 1,330 */
        }
}

/* From 37 m/s in three frames: hair passes over the whole head in one of them, and keeps its length. */
static void a_stop_at_30_g_too(void **state) {
    (void)state;
    outcome out = check("stop", "motion.stop_g=30");
    assert_true(out.longest < 1.02);
    assert_true(out.fastest < 5000.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_step_a_frame_is_stable),
        cmocka_unit_test(a_stop_at_30_g_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
