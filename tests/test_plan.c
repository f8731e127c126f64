/* Plans: the arithmetic against cases done by hand, and the command. */
#include <math.h>
#include <unistd.h>

#include "base/memory.h"
#include "contact/hair/spring_law.h"
#include "folder_fixture.h"
#include "mpi_fixture.h"
#include "ringlet/ringlet.h"
#include "sim/plan_model.h"

#define NEAR(a, b) assert_true(fabs((a) - (b)) <= 1e-9 * (1.0 + fabs(b)))

/* ---- by hand ---- */

/* Four hairs in a row: 0 - 1 - 2 - 3. */
static long long row_first[] = {0, 1, 3, 5, 6};
static int row_to[] = {1, 0, 2, 1, 3, 2};
static const rlti_graph row = {.count = 4, .first = row_first, .to = row_to, .edges_final = 3};
static const int row_points[] = {10, 20, 30, 40}, row_particles[] = {5, 10, 15, 20},
                 row_order[] = {3, 2, 1, 0}, row_section[] = {0, 0, 0, 0};

static rlti_plan_input row_input(void) {
    rlti_plan_input input = {.graph = &row,
                             .points = row_points,
                             .particles = row_particles,
                             .order = row_order,
                             .section = row_section,
                             .lanes = 2,
                             .threads = 1,
                             .exchanges = 3,
                             .seconds = 6.0,
                             .step_share = 1.0,
                             .latency = 0.5,
                             .bandwidth = 100.0,
                             .memory_common = 1000.0,
                             .memory_tile = 2.0,
                             .memory_edge = 3.0};
    return input;
}

static void two_ranks_by_hand(void **state) {
    (void)state;
    rlti_plan_input input = row_input();
    const int part[] = {0, 0, 1, 1};
    rlt_plan_line line = {.size = sizeof line};
    assert_int_equal(rlti_plan_line(&input, 2, part, NULL, &line), RLT_OK);
    assert_int_equal(line.ranks, 2);
    assert_true(line.possible);
    assert_int_equal(line.hairs_least, 2);
    assert_int_equal(line.hairs_most, 2);
    NEAR(line.hairs_mean, 2.0);
    assert_int_equal(line.points_most, 70);
    assert_int_equal(line.edges_cut, 1);
    NEAR(line.cut_share, 1.0 / 3.0);
    assert_int_equal(line.neighbours_most, 1);
    /* hair 1 goes to rank 1, hair 2 to rank 0; what is seen of a particle is sent */
    assert_int_equal(line.bytes_total, (long long)sizeof(rlti_seen) * (10 + 15));
    assert_int_equal(line.bytes_most, (long long)sizeof(rlti_seen) * 15);
    /* tiles of two: 40 and 30 on rank 1, as long as 40; all: 40 + 20 */
    NEAR(line.seconds_compute, 6.0 * 40.0 / 60.0);
    NEAR(line.seconds_exchange, 3 * (0.5 + (15.0 * sizeof(rlti_seen)) / 100.0));
    NEAR(line.seconds_gather, 0.5 + 48.0 * 50.0 / 100.0);
    NEAR(line.seconds, line.seconds_compute + line.seconds_exchange + line.seconds_gather);
    NEAR(line.memory_most, 1000.0 + 2.0 * 40.0 + 3.0 * 3.0);

    /* half of the time outside of the tiles, which goes by points */
    input.step_share = 0.5;
    assert_int_equal(rlti_plan_line(&input, 2, part, NULL, &line), RLT_OK);
    NEAR(line.seconds_compute, 6.0 * (0.5 * 40.0 / 60.0 + 0.5 * 70.0 / 100.0));

    /* two threads: only one tile on each rank, so the other thread has nothing to step */
    input.threads = 2;
    assert_int_equal(rlti_plan_line(&input, 2, part, NULL, &line), RLT_OK);
    NEAR(line.seconds_compute, 6.0 * (0.5 * 40.0 / 60.0 + 0.5 * 35.0 / 100.0));
}

static void one_rank_by_hand(void **state) {
    (void)state;
    rlti_plan_input input = row_input();
    const int part[] = {0, 0, 0, 0};
    rlt_plan_line line = {.size = sizeof line};
    assert_int_equal(rlti_plan_line(&input, 1, part, NULL, &line), RLT_OK);
    NEAR(line.seconds, 6.0);
    assert_int_equal(line.bytes_total, 0);
    assert_int_equal(line.neighbours_most, 0);
    NEAR(line.memory_most, 1000.0 + 2.0 * 60.0 + 3.0 * 6.0);
    /* lanes of one: tiles 40, 30, 20, 10 on three threads are 40, 30, 30 */
    input.lanes = 1;
    input.threads = 3;
    assert_int_equal(rlti_plan_line(&input, 1, part, NULL, &line), RLT_OK);
    NEAR(line.seconds_compute, 6.0 * 40.0 / 100.0);
    /* a section of its own starts a tile: 40, 30 | 20, 10 become 40 | 30, 20 | 10 */
    const int section[] = {1, 1, 1, 0}, order[] = {3, 2, 1, 0};
    input = row_input();
    input.section = section;
    input.order = order;
    assert_int_equal(rlti_plan_line(&input, 1, part, NULL, &line), RLT_OK);
    NEAR(line.memory_most, 1000.0 + 2.0 * (40.0 + 30.0 + 10.0) + 3.0 * 6.0);
}

/* A hair goes once to every rank that has a neighbour of it. */
/* What every rank does for all hair is shared by threads only. */
static void common_work_stays(void **state) {
    (void)state;
    rlti_plan_input input = row_input();
    const int alone[] = {0, 0, 0, 0}, part[] = {0, 1, 2, 3};
    rlt_plan_line line = {.size = sizeof line};
    input.step_share = 0.0;
    input.common_share = 0.75;
    assert_int_equal(rlti_plan_line(&input, 1, alone, NULL, &line), RLT_OK);
    NEAR(line.seconds_compute, 6.0);
    assert_int_equal(rlti_plan_line(&input, 4, part, NULL, &line), RLT_OK);
    NEAR(line.seconds_compute, 6.0 * (0.75 + 0.25 * 40.0 / 100.0));
    input.threads = 3;
    assert_int_equal(rlti_plan_line(&input, 4, part, NULL, &line), RLT_OK);
    NEAR(line.seconds_compute, 6.0 * (0.75 + 0.25 * 40.0 / 100.0) / 3.0);
}

static int is_told(const rlt_messages *messages, const char *text) {
    for (int k = 0; k < rlt_messages_count(messages); k++)
        if (strstr(rlt_messages_text(messages, k), text) != NULL)
            return 1;
    return 0;
}

/* Scenes with solved contacts: the share is measured, or its lack told. */
static void solved_contacts_are_common(void **state) {
    (void)state;
    static const char text[] = "time: {last: 4}\ncharacter: {kind: ball}\nhair: {preset: straight, model: "
                               "rod, region: all, count: 40, length: 20,\n"
                               "  total_points: 320, contact: {method: solve, radius: 2}}\n";
    const int counts[] = {1, 2};
    for (int given = 0; given < 2; given++) {
        rlt_messages *messages = rlt_messages_create();
        rlt_scene *scene = NULL;
        rlt_plan *plan = NULL;
        rlt_plan_def def = rlt_plan_defaults();
        rlt_plan_summary summary = {.size = sizeof summary};
        rlt_plan_line line = {.size = sizeof line};
        def.counts = counts;
        def.count = 2;
        def.seconds = given ? 1.0 : 0.0;
        assert_int_equal(rlt_scene_load_text("test", text, strlen(text), NULL, 0, messages, &scene), RLT_OK);
        assert_int_equal(rlt_plan_create(scene, &def, messages, &plan), RLT_OK);
        assert_int_equal(rlt_plan_summarise(plan, &summary), RLT_OK);
        assert_true(rlt_plan_get(plan, 1, &line));
        if (given)
            assert_true(summary.common_share == 0.0 && is_told(messages, "every rank's work"));
        else
            assert_true(summary.common_share > 0.0 && summary.step_share + summary.common_share <= 1.0 &&
                        line.seconds_compute >= summary.common_share * summary.seconds);
        rlt_plan_destroy(plan);
        rlt_scene_destroy(scene);
        rlt_messages_destroy(messages);
    }
}

static void four_ranks_by_hand(void **state) {
    (void)state;
    rlti_plan_input input = row_input();
    const int part[] = {2, 0, 3, 1};
    rlt_plan_line line = {.size = sizeof line};
    assert_int_equal(rlti_plan_line(&input, 4, part, NULL, &line), RLT_OK);
    assert_int_equal(line.edges_cut, 3);
    assert_int_equal(line.neighbours_most, 2);
    assert_int_equal(line.bytes_total, (long long)sizeof(rlti_seen) * (5 + 2 * 10 + 2 * 15 + 20));
    assert_int_equal(line.bytes_most,
                     (long long)sizeof(rlti_seen) * 30); /* rank 3 sends hair 2 twice, and receives 10 + 20 */
    NEAR(line.seconds_compute, 6.0 * 40.0 / 60.0);
    NEAR(line.seconds_exchange, 3 * (2 * 0.5 + (30.0 * sizeof(rlti_seen)) / 100.0));
    NEAR(line.seconds_gather, 3 * 0.5 + 48.0 * 75.0 / 100.0);
}

static void the_point_where_ranks_stop_helping(void **state) {
    (void)state;
    rlt_plan_line lines[] = {
        {.ranks = 1, .possible = 1, .seconds = 8.0},  {.ranks = 2, .possible = 1, .seconds = 4.5},
        {.ranks = 4, .possible = 1, .seconds = 4.0},  {.ranks = 8, .possible = 1, .seconds = 4.0},
        {.ranks = 16, .possible = 1, .seconds = 9.0}, {.ranks = 32, .possible = 0}};
    rlt_plan_summary summary = {.size = sizeof summary};
    rlti_plan_judge(8.0, lines, 6, &summary);
    assert_int_equal(summary.fastest_ranks, 4);
    assert_false(summary.still_gaining);
    assert_int_equal(summary.efficient_ranks, 4);
    NEAR(lines[1].speedup, 8.0 / 4.5);
    NEAR(lines[2].efficiency, 0.5);
    assert_true(lines[4].speedup < 1.0);
    rlti_plan_judge(8.0, lines, 3, &summary);
    assert_int_equal(summary.fastest_ranks, 4);
    assert_true(summary.still_gaining);
    rlti_plan_judge(8.0, lines + 5, 1, &summary);
    assert_int_equal(summary.fastest_ranks, 0);
    assert_false(summary.still_gaining);
    assert_int_equal(summary.efficient_ranks, 0);
}

/* ---- through the library ---- */

static rlt_scene *small_scene(void) {
    static const char *const overrides[] = {
        "hair.count=60",    "hair.total_points=0", "character.kind=none", "hair.region=none",
        "hair.spacing=1.5", "motion.kind=still",   "hair.prune.touches=1"};
    rlt_scene *scene = NULL;
    rlt_messages *messages = rlt_messages_create();
    rlt_status status = rlt_scene_load_embedded("redhead", overrides, 7, messages, &scene);
    if (status != RLT_OK)
        print_message("%s\n", rlt_messages_text(messages, 0));
    rlt_messages_destroy(messages);
    assert_int_equal(status, RLT_OK);
    return scene;
}

static void plans_follow_the_network(void **state) {
    (void)state;
    const int counts[] = {1, 2, 4, 8, 16, 60, 61};
    rlt_scene *scene = small_scene();
    rlt_plan_def def = rlt_plan_defaults();
    rlt_plan_summary summary = {.size = sizeof summary};
    rlt_plan_line line = {.size = sizeof line}, before = line;
    rlt_plan *plan = NULL;
    def.counts = counts;
    def.count = 7;
    def.seconds = 1.0;
    def.latency = 0.0; /* a network that costs next to nothing */
    def.bandwidth = 1e17;
    assert_int_equal(rlt_plan_create(scene, &def, NULL, &plan), RLT_OK);
    rlt_plan_summarise(plan, &summary);
    assert_int_equal(summary.strands, 60);
    assert_true(summary.edges > 0);
    assert_true(summary.particles > 0 && summary.particles <= summary.points);
    assert_int_equal(summary.exchanges, 60);
    assert_int_equal(summary.seconds_source, RLT_PLAN_GIVEN);
    assert_int_equal(summary.latency_source, RLT_PLAN_GIVEN);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(rlt_plan_get(plan, i, &line), 1);
        assert_int_equal(line.ranks, counts[i]);
        assert_true(line.possible);
        assert_true(line.hairs_least >= 1 && line.hairs_least <= line.hairs_mean &&
                    line.hairs_mean <= line.hairs_most);
        assert_true(line.efficiency <= 1.0 + 1e-9);
        if (i > 0) {
            assert_true(line.points_most < before.points_most);
            assert_true(line.seconds_compute <= before.seconds_compute);
            assert_true(line.edges_cut >= before.edges_cut);
            assert_true(line.memory_most <= before.memory_most);
        }
        before = line;
    }
    assert_int_equal(line.edges_cut, summary.edges); /* every hair alone */
    assert_int_equal(line.hairs_most, 1);
    assert_int_equal(rlt_plan_get(plan, 6, &line), 1);
    assert_false(line.possible);
    assert_int_equal(rlt_plan_get(plan, 7, &line), 0);
    assert_int_equal(rlt_plan_get(plan, -1, &line), 0);
    assert_true(summary.fastest_ranks > 1);
    rlt_plan_destroy(plan);

    def.latency = 10.0; /* by post */
    assert_int_equal(rlt_plan_create(scene, &def, NULL, &plan), RLT_OK);
    rlt_plan_summarise(plan, &summary);
    assert_int_equal(summary.fastest_ranks, 1);
    assert_int_equal(summary.efficient_ranks, 1);
    assert_false(summary.still_gaining);
    rlt_plan_destroy(plan);

    /* better clusters, fewer bytes */
    def.latency = -1.0;
    def.bandwidth = 0.0;
    def.partition = RLT_PARTITION_SPLIT;
    assert_int_equal(rlt_plan_create(scene, &def, NULL, &plan), RLT_OK);
    rlt_plan_get(plan, 2, &before);
    rlt_plan_destroy(plan);
    def.partition = RLT_PARTITION_GREEDY;
    assert_int_equal(rlt_plan_create(scene, &def, NULL, &plan), RLT_OK);
    rlt_plan_get(plan, 2, &line);
    rlt_plan_summarise(plan, &summary);
    assert_int_equal(summary.latency_source, RLT_PLAN_ASSUMED);
    assert_int_equal(summary.bandwidth_source, RLT_PLAN_ASSUMED);
    assert_true(line.edges_cut <= before.edges_cut);
    rlt_plan_destroy(plan);
    rlt_plan_destroy(NULL);
    rlt_scene_destroy(scene);
}

static void seconds_are_measured_when_not_given(void **state) {
    (void)state;
    const int counts[] = {1, 2};
    rlt_scene *scene = small_scene();
    rlt_plan_def def = rlt_plan_defaults();
    rlt_plan *plan = NULL;
    rlt_plan_summary summary = {.size = sizeof summary};
    rlt_plan_line line = {.size = sizeof line};
    def.counts = counts;
    def.count = 2;
    assert_int_equal(rlt_plan_create(scene, &def, NULL, &plan), RLT_OK);
    rlt_plan_summarise(plan, &summary);
    assert_int_equal(summary.seconds_source, RLT_PLAN_MEASURED);
    assert_true(summary.seconds > 0.0);
    assert_true(summary.step_share > 0.0 && summary.step_share <= 1.0);
    rlt_plan_get(plan, 0, &line);
    NEAR(line.seconds, summary.seconds);
    rlt_plan_destroy(plan);
    rlt_scene_destroy(scene);
}

static void bad_defs_are_refused(void **state) {
    (void)state;
    const int good[] = {1}, bad[] = {0, 1000001};
    rlt_scene *scene = small_scene();
    rlt_plan *plan = NULL;
    rlt_messages *messages = rlt_messages_create();
    rlt_plan_def def = rlt_plan_defaults();
    assert_int_equal(rlt_plan_create(scene, &def, messages, &plan), RLT_BAD_INPUT);
    assert_null(plan);
    def.counts = bad;
    def.count = 2;
    def.threads_per_rank = 0;
    def.seconds = NAN;
    def.latency = NAN;
    def.bandwidth = -1.0;
    rlt_messages_clear(messages);
    assert_int_equal(rlt_plan_create(scene, &def, messages, &plan), RLT_BAD_INPUT);
    assert_int_equal(rlt_messages_count(messages), 6); /* all of them */
    def = rlt_plan_defaults();
    def.counts = good;
    def.count = 1;
    def.seconds = INFINITY;
    assert_int_equal(rlt_plan_create(scene, &def, NULL, &plan), RLT_BAD_INPUT);
    rlt_messages_destroy(messages);
    rlt_scene_destroy(scene);
}

/* ---- the command ---- */

static int enter_folder(void **state) {
    (void)state;
    return folder_enter("plan");
}

#define SMALL                                                                                                \
    "plan redhead --set hair.count=20 --set hair.total_points=0 --set character.kind=none "                  \
    "--set hair.region=none --set motion.kind=still --seconds-per-frame 0.5 "

static void says(const char *text, const char *part) {
    if (!strstr(text, part))
        fail_msg("'%s' is not in:\n%s", part, text);
}

static int occurrences(const char *text, const char *part) {
    int count = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part))
        count++;
    return count;
}

static void json_has_every_line(void **state) {
    static const char *const names[] = {
        "hairs_least",    "hairs_mean",        "hairs_most",      "points_most",
        "edges_cut",      "cut_share",         "neighbours_most", "bytes_most",
        "bytes_total",    "memory_most",       "seconds_compute", "seconds_exchange",
        "seconds_gather", "seconds_per_frame", "speedup",         "efficiency"};
    static const char *const once[] = {"scene",
                                       "status",
                                       "hairs",
                                       "points",
                                       "particles",
                                       "edges",
                                       "exchanges_per_frame",
                                       "threads_per_rank",
                                       "partition",
                                       "seconds_one_thread",
                                       "seconds_source",
                                       "latency",
                                       "latency_source",
                                       "bandwidth",
                                       "bandwidth_source",
                                       "plans",
                                       "fastest_ranks",
                                       "still_gaining",
                                       "efficient_ranks",
                                       "messages"};
    (void)state;
    assert_int_equal(ringlet(SMALL "--ranks 1,2,4,...,64 --json --latency 1e-6 --threads-per-rank 2"), 0);
    assert_string_equal(err_text, "");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char text[64];
        snprintf(text, sizeof text, "\"%s\": ", names[i]);
        assert_int_equal(occurrences(out_text, text), 5); /* 1, 2, 4, 8, 16 */
    }
    for (size_t i = 0; i < sizeof once / sizeof once[0]; i++) {
        char text[64];
        snprintf(text, sizeof text, "\"%s\": ", once[i]);
        assert_int_equal(occurrences(out_text, text), 1);
    }
    assert_int_equal(occurrences(out_text, "\"ranks\": "), 7);
    assert_int_equal(occurrences(out_text, "\"possible\": false"), 2); /* 32 and 64 */
    says(out_text, "\"latency_source\": \"given\"");
    says(out_text, "\"bandwidth_source\": \"assumed\"");
    says(out_text, "\"threads_per_rank\": 2,");
    assert_int_equal(ringlet("plan nothing --json"), 2);
    says(out_text, "\"status\": \"bad input\"");
}

static void the_table_says_what_is_not_possible(void **state) {
    (void)state;
    assert_int_equal(ringlet(SMALL "--ranks 1,20,21"), 0);
    says(out_text, "redhead: 20 hairs, ");
    says(out_text, "      21 not possible: more ranks than hairs\n");
    says(out_text, "fastest: ");
    assert_int_equal(ringlet(SMALL "--ranks 1,2 --latency 10"), 0);
    says(out_text, "fastest: 1 rank; past that more ranks do not help\n");
}

static void lists_of_ranks_are_checked(void **state) {
    static const struct {
        const char *list, *message;
    } cases[] = {
        {"", "at least one number"},
        {",", "ends with a comma"},
        {"1,", "ends with a comma"},
        {",1", "must be whole numbers"},
        {"1,,2", "must be whole numbers"},
        {"two", "must be whole numbers"},
        {"1.5", "must be whole numbers"},
        {"1e2", "must be whole numbers"},
        {"0", "must be 1 to 1000000"},
        {"-4", "must be 1 to 1000000"},
        {"1,1000001", "must be 1 to 1000000"},
        {"99999999999999999999", "must be whole numbers"},
        {"2,1", "must increase"},
        {"2,2", "must increase"},
        {"...", "after at least two"},
        {"1,...,4", "after at least two"},
        {"1,2,...", "after at least two"},
        {"1,2,3,...,900", "too many numbers"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char line[256];
        snprintf(line, sizeof line, SMALL "--ranks '%s'", cases[i].list);
        assert_int_equal(ringlet(line), 2);
        assert_string_equal(out_text, "");
        says(err_text, "--ranks");
        says(err_text, cases[i].message);
    }
    assert_int_equal(ringlet(SMALL "--ranks 1 --bandwidth 0"), 2);
    says(err_text, "--bandwidth: must be above 0");
    assert_int_equal(ringlet(SMALL "--ranks 1 --latency fast"), 2);
    says(err_text, "--latency fast: must be a number");
    assert_int_equal(ringlet("plan redhead --seconds-per-frame 0"), 2);
    says(err_text, "--seconds-per-frame: must be above 0");
    assert_int_equal(ringlet(SMALL "--partition best"), 2);
    says(err_text, "must be one of auto, split, greedy, metis");
}

static void dots_go_on_as_they_began(void **state) {
    static const struct {
        const char *list;
        int lines;
    } cases[] = {{"1,2,...,16", 5},
                 {"1,2,3,...,9", 9},
                 {"3,6,...,20", 4},
                 {"1,3,9,...,81,100", 6},
                 {"2,4,6,...,11", 6}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char line[256];
        snprintf(line, sizeof line, SMALL "--partition split --json --ranks '%s'", cases[i].list);
        assert_int_equal(ringlet(line), 0);
        assert_int_equal(occurrences(out_text, "\"ranks\": "), cases[i].lines);
    }
}

/* One table, whatever the number of processes, with a network that was measured between them. */
static void mpirun_measures_the_network(void **state) {
    (void)state;
    mpi_needed();
    assert_int_equal(mpi_run(2, "'" RLT_PROGRAM "' " SMALL "--ranks 1,2 --json"), 0);
    assert_int_equal(occurrences(out_text, "\"latency_source\": \"measured\""), 1);
    says(out_text, "\"bandwidth_source\": \"measured\"");
    assert_int_equal(mpi_run(3, "'" RLT_PROGRAM "' plan redhead --ranks x"), 2);
    assert_int_equal(occurrences(err_text, "--ranks x: must be whole numbers"), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_rank_by_hand),
        cmocka_unit_test(two_ranks_by_hand),
        cmocka_unit_test(common_work_stays),
        cmocka_unit_test(solved_contacts_are_common),
        cmocka_unit_test(four_ranks_by_hand),
        cmocka_unit_test(the_point_where_ranks_stop_helping),
        cmocka_unit_test(plans_follow_the_network),
        cmocka_unit_test(seconds_are_measured_when_not_given),
        cmocka_unit_test(bad_defs_are_refused),
        cmocka_unit_test(json_has_every_line),
        cmocka_unit_test(the_table_says_what_is_not_possible),
        cmocka_unit_test(lists_of_ranks_are_checked),
        cmocka_unit_test(dots_go_on_as_they_began),
        cmocka_unit_test(mpirun_measures_the_network),
    };
    return cmocka_run_group_tests(tests, enter_folder, folder_leave);
}
