/* Links of Rods in the simulation: hair that is blown apart stays together, as stiff as asked; threads,
 * lanes, ranks and checkpoints do not show. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "folder_fixture.h"
#include "model_fixture.h"

/* Two hairs that hang side by side, of which the second is blown away from the first. */
#define HANG(z)                                                                                              \
    "strands: [[[0, 0, " #z "], [0, -1, " #z "], [0, -2, " #z "], [0, -3, " #z "], [0, -4, " #z              \
    "], [0, -5, " #z "], [0, -6, " #z "], [0, -7, " #z "], [0, -8, " #z "]]]"
#define PAIR                                                                                                 \
    "time: {last: 60}\ncharacter: {kind: none}\nwind: {velocity: [0, 0, 60]}\n"                              \
    "contacts: {newton: 20, iterations: 300, tolerance: 1e-4}\nhair:\n"                                      \
    "- {name: a, model: rod, preset: straight, drag: 2, rod: {steps: %d, tolerance: 1e-4}, contact: "        \
    "{method: solve,"                                                                                        \
    " radius: 0.1}, link: {%s}, " HANG(0) "}\n"                                                              \
                                          "- {name: b, model: rod, preset: straight, drag: 12, rod: "        \
                                          "{steps: %d, tolerance: 1e-4}, contact: {method: solve,"           \
                                          " radius: 0.1}, link: {%s}, " HANG(1) "}\n"
#define BUSY                                                                                                 \
    "time: {last: 12}\nmotion: {kind: walk, amount: 2}\ncharacter: {kind: head, resolution: 16}\n"           \
    "hair:\n- {name: a, model: rod, preset: straight, region: scalp, count: 30, total_points: 300,"          \
    " length: 20, rod: {steps: 2}, contact: {method: solve}, link: {count: 4, reach: 4, self: 6}}\n"         \
    "- {name: b, model: rod, region: scalp, count: 9, total_points: 90, length: 12, rod: {steps: 2},"        \
    " contact: {method: solve}, link: {count: 2, reach: 6, fade: 1.2}}\n"

/* One hair that is solved and one that is not: of two ranks, one has none. */
#define APART                                                                                                \
    "time: {last: 12}\ncharacter: {kind: none}\nhair:\n"                                                     \
    "- {name: a, model: rod, rod: {steps: 4}, contact: {method: solve}, " HANG(                              \
        0) "}\n"                                                                                             \
           "- {name: b, model: rod, rod: {steps: 4}, contact: {enabled: off}, " HANG(3) "}\n"

static char self[1024];

/* Distance of the tips when all is at rest. */
static double tips_apart(int steps, const char *links) {
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 1, PAIR, steps, links, steps, links);
    run_frames(&r, 36);
    rlt_frame_view view = run_view(&r);
    double apart = run_distance(view.points + 3 * 8, view.points + 3 * 17);
    run_end(&r);
    return apart;
}

static void links_hold_hair_together(void **state) {
    (void)state;
    double none = tips_apart(4, "count: 0"), before = none;
    assert_true(none > 2.5);
    static const char *const links[] = {
        "count: 3, reach: 1.6, stretch_stiffness: 100, compress_stiffness: 100",
        "count: 3, reach: 1.6, stretch_stiffness: 1000, compress_stiffness: 1000",
        "count: 3, reach: 1.6, stretch_stiffness: 1e5, compress_stiffness: 1e5",
    };
    for (int k = 0; k < 3; k++) {
        double apart = tips_apart(4, links[k]);
        assert_true(apart < before - 0.01);
        assert_true(fabs(apart - tips_apart(12, links[k])) < 5e-4 * (none - 1.0)); /* whatever the steps */
        before = apart;
    }
    assert_true(fabs(before - 1.0) < 0.01);
}

static void pull_and_push_are_two_things(void **state) {
    (void)state;
    double none = tips_apart(4, "count: 0");
    double pushes = tips_apart(4, "count: 3, reach: 1.1, stretch_stiffness: 0, compress_stiffness: 1e6"),
           pulls = tips_apart(4, "count: 3, reach: 1.1, stretch_stiffness: 1e4, compress_stiffness: 0"),
           fades = tips_apart(4, "count: 3, reach: 1.1, stretch_stiffness: 100, fade: 1.5"),
           lasts = tips_apart(4, "count: 3, reach: 1.1, stretch_stiffness: 100, fade: 15");
    assert_true(fabs(pushes - none) < 1e-3);
    assert_true(pulls < 1.3);
    assert_true(lasts < none - 0.05 && fades > lasts + 0.02);
    /* along the hair: at the root half only */
    double half =
        tips_apart(4, "count: 3, reach: 1.1, stretch_stiffness: [[0, 1e4], [0.5, 1e4], [0.51, 0], [1, 0]]");
    assert_true(half > pulls + 0.1 && half < none - 0.1);
}

static void links_that_are_not_found(void **state) {
    (void)state;
    run r;
    int said = 0;
    run_begin(&r, RLT_SIMD_AUTO, 1, PAIR, 2, "count: 3, reach: 0.5", 2, "count: 0");
    for (int i = 0; i < rlt_messages_count(r.messages); i++)
        said += strstr(rlt_messages_text(r.messages, i),
                       "test: hair 'a': link.count is 3, but no points of two hairs of its contact group are "
                       "within 0.5 units of each other; raise hair.link.reach") != NULL;
    assert_int_equal(said, 1);
    run_frames(&r, 2);
    run_end(&r);
}

static void the_same_bytes(void **state) {
    (void)state;
    uint64_t hash = model_hash(RLT_SIMD_AUTO, 1, 0, BUSY);
    assert_true(hash == model_hash(RLT_SIMD_AUTO, 3, 0, BUSY));
    assert_true(hash == model_hash(RLT_SIMD_AUTO, 1, 1, BUSY));
    assert_true(hash == model_hash(RLT_SIMD_PORTABLE, 2, 0, BUSY));
}

static void ranks_do_not_show(void **state) {
    (void)state;
    mpi_needed();
    model_assert_ranks(self, model_hash(RLT_SIMD_AUTO, 1, 0, BUSY));
}

/* Two hairs that hang one unit apart become a groom whose tips are five apart. */
#define RESHAPED(count, end)                                                                                 \
    "time: {last: 40}\ngravity: [0, 0, 0]\ncharacter: {kind: none}\nhair:\n"                                 \
    "- {name: a, model: rod, rod: {steps: 4}, contact: {method: solve, radius: 0.1},"                        \
    " link: {count: " #count ", reach: 1.6, stretch_stiffness: 1e5, compress_stiffness: 1e5},"               \
    " reshape: {groom: wide, blend: [[0, 0], [" #end ", 1]]},"                                               \
    " strands: [[[0, 0, 0], [0, -1, 0], [0, -2, 0], [0, -3, 0], [0, -4, 0]],"                                \
    " [[0, 0, 1], [0, -1, 1], [0, -2, 1], [0, -3, 1], [0, -4, 1]]]}\n"                                       \
    "- {name: wide, role: shape,"                                                                            \
    " strands: [[[0, 0, 0], [0, -1, 0], [0, -1.9, -0.4], [0, -2.6, -1.1], [0, -3.3, -2]],"                   \
    " [[0, 0, 1], [0, -1, 1], [0, -1.9, 1.4], [0, -2.6, 2.1], [0, -3.3, 3]]]}\n"

/* Links that are stiffer than the hairs rest there; they would hold them together at their old lengths. */
static void links_follow_the_rest_shape(void **state) {
    (void)state;
    const char *const scenes[2] = {RESHAPED(0, 12), RESHAPED(3, 12)};
    for (int linked = 0; linked < 2; linked++) {
        run r;
        run_begin(&r, RLT_SIMD_AUTO, 1, "%s", scenes[linked]);
        run_frames(&r, 36);
        rlt_frame_view view = run_view(&r);
        double apart = run_distance(view.points + 3 * 4, view.points + 3 * 9);
        if (fabs(apart - 5.0) > 0.05)
            print_message("%s links the tips are %.3g apart\n", linked ? "with" : "without", apart);
        assert_true(fabs(apart - 5.0) < 0.05);
        assert_true(!linked || run_statistics(&r).solved_links > 4);
        run_end(&r);
    }
}

/* Two ranks with a hair each, and a checkpoint amid the change. */
static void rest_shapes_of_links_on_ranks(void **state) {
    (void)state;
    uint64_t hash = model_hash(RLT_SIMD_AUTO, 1, 0, RESHAPED(3, 4));
    assert_true(hash == model_hash(RLT_SIMD_AUTO, 2, 1, RESHAPED(3, 4)));
    mpi_needed();
    char command[1100], wanted[32];
    snprintf(command, sizeof command, "'%s' reshaped", self);
    snprintf(wanted, sizeof wanted, "%016llx\n", (unsigned long long)hash);
    assert_int_equal(mpi_run(2, command), 0);
    assert_string_equal(out_text, wanted);
}

static int enter_folder(void **state) {
    (void)state;
    return folder_enter("rod_links");
}

static void a_rank_without_contacts(void **state) {
    (void)state;
    mpi_needed();
    char command[1100], wanted[32];
    snprintf(command, sizeof command, "'%s' apart", self);
    snprintf(wanted, sizeof wanted, "%016llx\n", (unsigned long long)model_hash(RLT_SIMD_AUTO, 1, 0, APART));
    assert_int_equal(mpi_run(2, command), 0);
    assert_string_equal(out_text, wanted);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_hold_hair_together),    cmocka_unit_test(pull_and_push_are_two_things),
        cmocka_unit_test(links_that_are_not_found),    cmocka_unit_test(the_same_bytes),
        cmocka_unit_test(ranks_do_not_show),           cmocka_unit_test(a_rank_without_contacts),
        cmocka_unit_test(links_follow_the_rest_shape), cmocka_unit_test(rest_shapes_of_links_on_ranks),
    };
    if (argc > 1 && strcmp(argv[1], "reshaped") == 0)
        return model_work(RESHAPED(3, 4));
    if (argc > 1)
        return model_work(strcmp(argv[1], "apart") == 0 ? APART : BUSY);
    if (realpath(argv[0], self) == NULL)
        return 1;
    return cmocka_run_group_tests(tests, enter_folder, folder_leave);
}
