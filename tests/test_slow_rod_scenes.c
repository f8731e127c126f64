/* Every shipped scene runs with its hair as Rods: nothing is torn, hair stays out of bodies, and Newton converges
 * in nearly all steps. */
#include "run_fixture.h"

#include "base/clock.h"
#include "ringlet/diagnostics.h"

typedef struct outcome {
    double longest, deepest, unconverged, iterations, seconds;
    long long failed;
} outcome;

static double deepest_of(const rlt_simulation *simulation, rlt_messages *messages) {
    rlt_diagnostics *d = NULL;
    double deepest = 0.0;
    assert_int_equal(rlt_simulation_diagnose((rlt_simulation *)simulation, messages, &d), RLT_OK);
    for (int p = 0; p < d->point_count; p++)
        deepest = fmax(deepest, d->penetration[p]);
    rlt_diagnostics_destroy(d);
    return deepest;
}

static outcome run_scene(const char *name, rlt_scene *scene, rlt_messages *messages, int frames) {
    outcome out = {0};
    rlt_simulation *simulation = NULL;
    rlt_simulation_def def = {.size = sizeof def, .threads = 2};
    rlt_statistics s = {.size = sizeof s};
    double start = rlti_seconds(CLOCK_MONOTONIC);
    rlt_status status = rlt_simulation_create(scene, &def, messages, &simulation);
    for (int f = 0; f < frames && status == RLT_OK; f++) {
        status = rlt_simulation_advance(simulation, messages);
        rlt_simulation_statistics(simulation, &s);
        out.longest = fmax(out.longest, s.longest);
        if (status == RLT_OK && f % 4 == 3)
            out.deepest = fmax(out.deepest, deepest_of(simulation, messages));
    }
    if (status != RLT_OK)
        print_error("%s: %s\n", name, rlt_messages_text(messages, rlt_messages_count(messages) - 1));
    assert_int_equal(status, RLT_OK);
    out.unconverged = (double)s.newton_unconverged / fmax((double)s.newton_steps, 1.0);
    out.iterations = (double)s.newton_iterations / fmax((double)s.newton_steps, 1.0);
    out.failed = s.newton_failed;
    out.seconds = rlti_seconds(CLOCK_MONOTONIC) - start;
    rlt_simulation_destroy(simulation);
    print_message("%-22s longest %.3f, deepest %.3f, %.2g of steps not converged, %.2f iterations, %.1f s\n",
                  name, out.longest, out.deepest, out.unconverged, out.iterations, out.seconds);
    return out;
}

static void check(const char *name, rlt_scene *scene, rlt_messages *messages) {
    outcome out = run_scene(name, scene, messages, 16);
    assert_true(out.longest < 1.3);
    assert_true(out.failed == 0);
    assert_true(out.unconverged < 0.1);
}

static void embedded_scenes_run_as_rods(void **state) {
    (void)state;
    static const char *const overrides[] = {"hair.model=rod", "character.resolution=16", "time.preroll=4"};
    const char *name, *only = getenv("ROD_SCENE");
    for (int i = 0; (name = rlt_embedded_scene_name(i)) != NULL; i++) {
        rlt_messages *messages = rlt_messages_create();
        rlt_scene *scene = NULL;
        if (only != NULL && strcmp(only, name) != 0) {
            rlt_messages_destroy(messages);
            continue;
        }
        assert_int_equal(rlt_scene_load_embedded(name, overrides, 3, messages, &scene), RLT_OK);
        check(name, scene, messages);
        rlt_scene_destroy(scene);
        rlt_messages_destroy(messages);
    }
}

static void scenes_with_files_run_as_rods(void **state) {
    (void)state;
    static const char *const names[] = {"blend", "brow", "cut", "grow", "pillow", "puffball", "wind-up"};
    static const char *const overrides[] = {"hair.model=rod"};
    for (size_t i = 0; i < sizeof names / sizeof names[0] && getenv("ROD_SCENE") == NULL; i++) {
        char path[1024];
        rlt_messages *messages = rlt_messages_create();
        rlt_scene *scene = NULL;
        snprintf(path, sizeof path, "%s/scenes/files/%s.yaml", RLT_SOURCE_DIR, names[i]);
        assert_int_equal(rlt_scene_load_file(path, overrides, 1, messages, &scene), RLT_OK);
        check(names[i], scene, messages);
        rlt_scene_destroy(scene);
        rlt_messages_destroy(messages);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(embedded_scenes_run_as_rods),
        cmocka_unit_test(scenes_with_files_run_as_rods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
