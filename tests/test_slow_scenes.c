/* Every scene we ship runs, with few strands and for two frames: nothing to complain about, nothing diverges.
 */
#include "run_fixture.h"

static void assert_only_notes(const char *name, const rlt_messages *messages) {
    int bad = 0;
    for (int i = 0; i < rlt_messages_count(messages); i++)
        if (rlt_messages_severity(messages, i) != RLT_NOTE) {
            print_message("%s: %s\n", name, rlt_messages_text(messages, i));
            bad++;
        }
    assert_int_equal(bad, 0);
}

/* Scenes that have their strands in their text, one by one. */
static int is_drawn(const char *name) {
    static const char *const drawn[] = {"bun", "fringe", "lock", "ponytail", "spikes", "strap"};
    for (size_t k = 0; k < sizeof drawn / sizeof drawn[0]; k++)
        if (strcmp(name, drawn[k]) == 0)
            return 1;
    return 0;
}

static void assert_healthy(const char *name, const rlt_simulation *simulation) {
    rlt_frame_view view = {.size = sizeof view};
    rlt_statistics s = {.size = sizeof s};
    rlt_simulation_view(simulation, &view);
    rlt_simulation_statistics(simulation, &s);
    print_message("%-14s %4d points, fastest %.0f unit/s, longest edge %.3f\n", name, s.points, s.fastest,
                  s.longest);
    assert_int_equal(view.frame, 3);
    /* 24 in each section */
    assert_true(view.strand_count > 0 && (view.strand_count % 24 == 0 || is_drawn(name)));
    for (int k = 0; k < 3 * view.point_count; k++)
        assert_true(isfinite(view.points[k]) && isfinite(view.velocities[k]));
    assert_true(view.vertex_count > 0); /* all of them wear their hair on somebody */
    assert_true(s.longest < 1.3);
}

static void test_every_scene_runs(void **state) {
    (void)state;
    static const char *const overrides[] = {"time.preroll=0", "character.resolution=24", "hair.count=24",
                                            "hair.total_points=0"};
    int count = 0;
    for (const char *name; (name = rlt_embedded_scene_name(count)) != NULL; count++) {
        run r = {.messages = rlt_messages_create()};
        rlt_status status =
            rlt_scene_load_embedded(name, overrides, is_drawn(name) ? 2 : 4, r.messages, &r.scene);
        assert_only_notes(name, r.messages);
        assert_int_equal(status, RLT_OK);
        rlt_simulation_def def = rlt_simulation_defaults();
        def.threads = 2;
        status = rlt_simulation_create(r.scene, &def, r.messages, &r.simulation);
        assert_only_notes(name, r.messages);
        assert_int_equal(status, RLT_OK);
        run_frames(&r, 2);
        assert_only_notes(name, r.messages);
        assert_healthy(name, r.simulation);
        run_end(&r);
    }
    assert_true(count >= 9);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_scene_runs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
