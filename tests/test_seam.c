/* The seam: a strand model of one file (chain_solver.c) lives in the simulation without a line changed
 * elsewhere. It has roots, bodies, wind, constraints, checkpoints, ranks, files and statistics; what it
 * cannot do is refused in words. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "folder_fixture.h"
#include "model_fixture.h"

#include "chain_solver.c"

#define TIME "time: {last: 12, outer_steps: 4, force_steps: 15, damping_steps: 5}\n"
#define HEAD TIME "motion: {kind: walk, amount: 2}\ncharacter: {kind: head, resolution: 16}\n"
#define HAIR                                                                                                 \
    "hair: {model: chain, region: scalp, count: 24, total_points: 240, length: 16, drag: 1, fall: 0.9,"      \
    " bend: {stiffness: 30000}}\n"
#define LONE                                                                                                 \
    "character: {kind: none}\nhair: {model: chain, drag: 2, bend: {stiffness: 3000}, contact: {enabled: "    \
    "off},"                                                                                                  \
    " strands: [[[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0], [4, 0, 0]],"                                    \
    " [[0, 0, 5], [1, 0, 5], [2, 0, 5], [3, 0, 5], [4, 0, 5]]]}\n"
#define BUSY HEAD HAIR "wind: {velocity: [60, 0, 20], turbulence: 40}\n"

static char self[1024];

static void roots_follow_the_body(void **state) {
    (void)state;
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 2, HEAD HAIR);
    double before[3];
    memcpy(before, run_view(&r).points, sizeof before);
    run_frames(&r, 8);
    double moved = run_distance(run_view(&r).points, before);
    print_message("a root moved by %.3g\n", moved);
    assert_true(moved > 0.1);
    for (int s = 0; s < 24; s++)
        assert_true(model_distance_to_root(&r, s) < 1e-4);
    run_end(&r);
}

static void bodies_keep_it_out(void **state) {
    (void)state;
    run r;
    /* under one strand; the other falls as it likes */
    run_begin(&r, RLT_SIMD_AUTO, 2,
              TIME LONE "colliders: {kind: sphere, position: [3, -1.7, 0], radius: 1.5}\n");
    run_frames(&r, 10);
    rlt_statistics s = run_statistics(&r);
    assert_true(s.contacts > 0);
    double deepest = run_deepest(r.simulation, r.messages);
    rlt_frame_view view = run_view(&r);
    print_message("%lld planes, deepest %.3g; y %.3g and %.3g\n", s.contacts, deepest, view.points[3 * 3 + 1],
                  view.points[3 * 8 + 1]);
    assert_true(deepest < 0.05);
    assert_true(view.points[3 * 3 + 1] > -0.2 && view.points[3 * 8 + 1] < -0.5);
    run_end(&r);
}

static double tip_after(const char *more, int frames, int axis) {
    return model_point_after(TIME LONE, more, frames, 4, axis);
}

static void wind_blows_it(void **state) {
    (void)state;
    double calm = tip_after("", 8, 2), blown = tip_after("wind: {velocity: [0, 0, 100]}\n", 8, 2);
    print_message("the tip goes from %.3g to %.3g\n", calm, blown);
    assert_true(fabs(calm) < 1e-9 && blown > 0.05);
}

/* How far the two tips are off their groomed distance, in turbulent air. */
static double spread_of(const char *more) {
    return model_spread_of(TIME LONE, more, 4, 9);
}

static void pins_and_centroids_hold_it(void **state) {
    (void)state;
    double fallen = tip_after("", 10, 1);
    double pinned = tip_after("constraints: {kind: pin, along: [0.9, 1], hold: hard}\n", 10, 1);
    assert_true(fallen < -0.2);
    assert_true(fabs(pinned) < 1e-3);
    /* a gust pulls the two apart; a centroid keeps them as far as they were groomed */
    double loose = spread_of(""),
           bound = spread_of("constraints: {kind: centroid, along: [0.5, 1], stiffness: 3000}\n");
    print_message("tips are off their distance by %.3g, bound by %.3g\n", loose, bound);
    assert_true(loose > 0.05 && bound < 0.5 * loose);
}

static void what_it_cannot_do_is_refused_with_its_place(void **state) {
    (void)state;
    run_assert_refused(
        "character: {kind: none}\nhair: {count: 1, region: none, model: chain, sag: {mode: solve}}\n", -1,
        "s.yaml:2:39: hair.sag: not supported by hair.model: chain; set sag.mode: off, or choose another "
        "model");
    run_assert_refused("character: {kind: none}\nhair: {name: a, count: 2, region: none, model: chain}\n"
                       "constraints: {name: knot, kind: tips}\n",
                       -1,
                       "s.yaml:3:14: constraint 'knot': its kind is not supported by hair.model: chain of "
                       "hair 'a'; leave it out, or choose another model");
    run_assert_refused(
        "character: {kind: none}\nhair: {count: 1, region: none, model: tax}\n", -1,
        "s.yaml:2:39: hair.model = tax: must be one of taz, rod, coil, chain; did you mean taz?");
}

/* All of that is known before anything is built. */
static void models_are_checked_alone(void **state) {
    (void)state;
    static const struct {
        const char *text;
        rlt_status status;
    } cases[] = {
        {"hair: [{count: 1, model: chain}, {count: 1, model: tax, role: shape}]\n", RLT_OK},
        {"hair: [{count: 1, model: chain}, {count: 1, model: tax}]\n", RLT_BAD_INPUT},
        {"hair: {count: 1, model: chain, sag: {mode: solve}}\n", RLT_BAD_INPUT},
    };
    for (int i = 0; i < 3; i++) {
        rlt_messages *messages = rlt_messages_create();
        rlt_scene *scene = NULL;
        assert_int_equal(
            rlt_scene_load_text("s.yaml", cases[i].text, strlen(cases[i].text), NULL, 0, messages, &scene),
            RLT_OK);
        assert_int_equal(rlt_model_check(scene, messages), cases[i].status);
        assert_int_equal(rlt_messages_count(messages), cases[i].status == RLT_OK ? 0 : 1);
        rlt_scene_destroy(scene);
        rlt_messages_destroy(messages);
    }
    assert_int_equal(rlt_model_check(NULL, NULL), RLT_BAD_INPUT);
}

static void threads_and_checkpoints_give_the_same_bytes(void **state) {
    (void)state;
    uint64_t first = model_hash(RLT_SIMD_AUTO, 1, 0, BUSY);
    assert_true(model_hash(RLT_SIMD_AUTO, 3, 0, BUSY) == first);
    assert_true(model_hash(RLT_SIMD_AUTO, 2, 1, BUSY) == first);
}

static void ranks_give_the_same_bytes(void **state) {
    (void)state;
    mpi_needed();
    model_assert_ranks(self, model_hash(RLT_SIMD_AUTO, 1, 0, BUSY));
}

static void it_is_written_and_reported(void **state) {
    (void)state;
    run r;
    rlt_writer *writer = NULL;
    rlt_writer_def def = {.size = sizeof def, .frames_per_second = 24.0, .metres_per_unit = 0.01};
    rlt_file *file = NULL;
    rlt_file_facts facts = {.size = sizeof facts};
    run_begin(&r, RLT_SIMD_AUTO, 2, HEAD HAIR);
    assert_int_equal(rlt_writer_open("chain.usda", &def, r.messages, &writer), RLT_OK);
    for (int f = 0; f < 3; f++) {
        rlt_frame_view view = run_view(&r);
        assert_int_equal(rlt_writer_add(writer, &view, r.messages), RLT_OK);
        run_frames(&r, 1);
    }
    assert_int_equal(rlt_writer_close(writer, r.messages), RLT_OK);
    assert_int_equal(rlt_file_open("chain.usda", r.messages, &file), RLT_OK);
    rlt_file_get(file, &facts);
    assert_true(facts.first_time < facts.last_time);
    rlt_file_close(file);
    rlt_statistics s = run_statistics(&r);
    assert_true(rlt_named_find(s.energies, s.energy_count, "springs") > 0.0);
    assert_true(rlt_named_find(s.energies, s.energy_count, "kinetic") > 0.0);
    assert_true(rlt_named_find(s.energies, s.energy_count, "bend") == 0.0); /* no other model's */
    assert_true(rlt_named_find(s.phases, s.phase_count, "drive") > 0.0);
    assert_true(s.bytes > 0 && s.fastest > 0.0 && s.longest > 0.5);
    run_end(&r);
}

/* Two models in one scene: each moves as it does alone, where they do not touch. */
static void two_models_share_a_scene(void **state) {
    (void)state;
    static const char taz[] =
        "  - {name: a, region: none, count: 3, spacing: 3, length: 8, contact: {enabled: off}}\n";
    static const char chain_hair[] =
        "  - {name: b, model: chain, bend: {stiffness: 3000}, contact: {enabled: off},"
        " strands: [[[0, 0, 50], [1, 0, 50], [2, 0, 50], [3, 0, 50]]]}\n";
    run both, one, other;
    run_begin(&both, RLT_SIMD_AUTO, 2,
              TIME "health: {check_steps: off}\ncharacter: {kind: none}\nhair:\n%s%s", taz, chain_hair);
    run_begin(&one, RLT_SIMD_AUTO, 2, TIME "health: {check_steps: off}\ncharacter: {kind: none}\nhair:\n%s",
              taz);
    run_begin(&other, RLT_SIMD_AUTO, 2, TIME "health: {check_steps: off}\ncharacter: {kind: none}\nhair:\n%s",
              chain_hair);
    run_frames(&both, 4);
    run_frames(&one, 4);
    run_frames(&other, 4);
    rlt_frame_view all = run_view(&both), a = run_view(&one), b = run_view(&other);
    assert_int_equal(all.point_count, a.point_count + b.point_count);
    assert_memory_equal(all.points, a.points, (size_t)a.point_count * 3 * sizeof(double));
    assert_memory_equal(all.points + 3 * (size_t)a.point_count, b.points,
                        (size_t)b.point_count * 3 * sizeof(double));
    run_end(&both);
    run_end(&one);
    run_end(&other);
}

static int enter_folder(void **state) {
    (void)state;
    return folder_enter("seam");
}

int main(int argc, char **argv) {
    if (argc > 1)
        return model_work(BUSY);
    if (realpath(argv[0], self) == NULL)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roots_follow_the_body),
        cmocka_unit_test(bodies_keep_it_out),
        cmocka_unit_test(wind_blows_it),
        cmocka_unit_test(pins_and_centroids_hold_it),
        cmocka_unit_test(what_it_cannot_do_is_refused_with_its_place),
        cmocka_unit_test(models_are_checked_alone),
        cmocka_unit_test(threads_and_checkpoints_give_the_same_bytes),
        cmocka_unit_test(ranks_give_the_same_bytes),
        cmocka_unit_test(it_is_written_and_reported),
        cmocka_unit_test(two_models_share_a_scene),
    };
    return cmocka_run_group_tests(tests, enter_folder, folder_leave);
}
