/* ringlet bench from outside, on few hairs: the fields others rely on, and that they agree with each other.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "folder_fixture.h"
#include "json_fixture.h"
#include "mpi_fixture.h"
#include "program_fixture.h"

/* Short curls, few steps: milliseconds a frame. */
#define TINY                                                                                                 \
    " --set hair.count=12 --set hair.total_points=0 --set hair.length=8 --set time.outer_steps=4"            \
    " --set health.check_steps=off --quiet --frames 2 --warmup 1 "

static int enter_folder(void **state) {
    (void)state;
    return folder_enter("bench");
}

static double number(const char *name) {
    return json_number_of(out_text, name);
}

/* The sum of all phases in the object of that name. */
static double phases(const char *name) {
    static const char *const names[] = {"detect",   "internal", "contact", "damping", "collide",
                                        "exchange", "write",    "drive",   "check"};
    char key[64];
    double sum = 0.0;
    snprintf(key, sizeof key, "\"%s\": {", name);
    const char *at = strstr(out_text, key);
    assert_non_null(at);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        double part = json_number_of(at, names[i]);
        assert_true(part >= 0.0);
        sum += part;
    }
    return sum;
}

static void help_lists_the_workloads(void **state) {
    static const char *const names[] = {"strands",       "redhead",
                                        "horse",         "horse-mane",
                                        "horse-tail",    "horse-fetlocks-front",
                                        "horse-body",    "horse-fetlocks-rear",
                                        "scaling",       "growth",
                                        "rods",          "penny",
                                        "penny-4x",      "penny-8x",
                                        "mane",          "tail",
                                        "long",          "hairball",
                                        "penny-8x-1step"};
    (void)state;
    assert_int_equal(ringlet("bench --help"), 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char line[64];
        snprintf(line, sizeof line, "\n  %s ", names[i]);
        assert_says(out_text, line);
    }
}

static void wrong_use_is_told(void **state) {
    static const struct {
        const char *arguments, *message;
    } cases[] = {
        {"bench redhed", "no workload 'redhed'; did you mean 'redhead'?\n"},
        {"bench xyzzy-plugh", "no workload 'xyzzy-plugh'; `ringlet bench --help` lists them\n"},
        {"bench redhead --frames 0", "--frames: must be at least 1\n"},
        {"bench redhead --frames 1001", "--frames 1001: at most 1000\n"},
        {"bench redhead --warmup -1", "--warmup: must be at least 0\n"},
        {"bench redhead --set hair.cuont=3", "hair.cuont"},
        {"bench penny --set hair.cuont=3", "hair.cuont"},
        {"bench --scene", "--scene: name one workload\n"},
        {"bench files --scene", "--scene: files has no scene\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(ringlet(cases[i].arguments), 2);
        assert_says(err_text, cases[i].message);
    }
}

static void a_character_tells_everything(void **state) {
    (void)state;
    assert_int_equal(ringlet("bench redhead --json --threads 1" TINY), 0);
    assert_string_equal(err_text, "");
    assert_one_json_object(out_text);
    assert_says(out_text, "{\n  \"benchmarks\": [\n    {\n      \"name\": \"redhead\",");
    assert_says(out_text, "\"model\": \"taz\",");
    assert_int_equal(number("hairs"), 12);
    assert_int_equal(number("threads"), 1);
    assert_int_equal(number("ranks"), 1);
    assert_int_equal(number("frames"), 2);
    assert_int_equal(number("warmup"), 1);
    assert_int_equal(number("force_steps_per_frame"), 4 * 15);
    assert_int_equal(number("constraints"), 0);
    /* median of two frames is their mean, and the phases share out all of it */
    assert_true(fabs(phases("cpu_phases") - number("cpu_seconds_per_frame")) < 1e-9);
    assert_true(phases("phases") <= number("seconds_per_frame"));
    assert_true(number("cpu_seconds_per_frame_best") <= number("cpu_seconds_per_frame"));
    assert_true(number("seconds_per_frame_best") <= number("seconds_per_frame"));
    assert_int_equal(number("particles_before"), number("points"));
    assert_true(number("particles") > 0 && number("particles") < number("points"));
    assert_int_equal(number("edges_full"), 12 * 11 / 2);
    assert_true(number("edges") <= number("edges_near") && number("edges_near") <= number("edges_full"));
    assert_true(number("edges") > 0);
    assert_true(number("contacts_mean") <= number("contacts_worst"));
    assert_true(number("peak_bytes") > number("model_bytes"));
    assert_true(fabs(number("bytes_per_point") - number("model_bytes") / number("points")) < 1e-6);
    assert_null(strstr(out_text, "pruned_over_unpruned_speed"));
}

/* Contacts are part of what the model takes. */
static void memory_has_contacts_in_it(void **state) {
    (void)state;
    assert_int_equal(ringlet("bench redhead --json" TINY), 0);
    double with = number("model_bytes");
    assert_int_equal(ringlet("bench redhead --json --set hair.contact.enabled=off" TINY), 0);
    assert_true(number("model_bytes") < 0.9 * with);
    assert_int_equal(number("edges"), 0);
}

static void compare_adds_ratios(void **state) {
    static const int threads[] = {1, 3};
    (void)state;
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
        char line[512];
        snprintf(line, sizeof line, "bench redhead --json --compare --threads %d" TINY, threads[i]);
        assert_int_equal(ringlet(line), 0);
        assert_one_json_object(out_text);
        assert_int_equal(number("threads"), threads[i]);
        assert_true(number("pruned_over_unpruned_speed") > 0.0);
        assert_true(number("threads2_over_1") > 0.0);
        assert_int_equal(number("unpruned_particles"), number("points"));
        assert_int_equal(number("unpruned_edges"), 12 * 11 / 2);
        assert_true(number("pruned_position_error_mean") <= number("pruned_position_error_worst"));
        assert_true(number("pruned_middle_error_mean") <= number("pruned_position_error_mean"));
        assert_true(number("greedy_cut_share") >= 0.0 && number("greedy_cut_share") <= 1.0);
        assert_says(out_text, "\"metis_cut_share\": ");
        assert_says(out_text, "\"ranks\": 12,\n");
        assert_says(out_text, "\"same_bytes\": true");
    }
}

/* Pruning that leaves nothing out changes nothing. */
static void no_pruning_gives_no_difference(void **state) {
    (void)state;
    assert_int_equal(ringlet("bench redhead --json --compare" TINY
                             "--set hair.prune.particles=off --set hair.prune.pairs=off --set hair.count=60"),
                     0);
    assert_true(number("contacts_worst") > 0);
    assert_true(number("pruned_position_error_worst") == 0.0);
    assert_int_equal(number("edges"), number("unpruned_edges"));
}

/* In words, and several in one run. */
static void the_horse_has_all_its_hair(void **state) {
    (void)state;
    assert_int_equal(ringlet("bench horse redhead" TINY "--frames 1 --warmup 0"), 0);
    assert_says(out_text, "horse: 60 hairs, ");
    assert_says(out_text, "redhead: 12 hairs, ");
}

static void scaling_multiplies_hair(void **state) {
    static const int multiples[] = {1, 4, 16};
    (void)state;
    assert_int_equal(ringlet("bench scaling --json" TINY), 0);
    assert_one_json_object(out_text);
    assert_true(isfinite(number("cost_exponent")));
    const char *at = strstr(out_text, "\"sizes\": [");
    assert_non_null(at);
    double points = json_number_of(at, "points");
    for (int i = 0; i < 3; i++) {
        at = strstr(at, "\"multiple\": ");
        assert_non_null(at);
        assert_int_equal(json_number_of(at, "multiple"), multiples[i]);
        assert_int_equal(json_number_of(at, "hairs"), 12 * multiples[i]);
        assert_int_equal(json_number_of(at, "points"), points * multiples[i]);
        assert_true(json_number_of(at, "bytes_per_point") > 0.0);
        at++;
    }
    assert_int_equal(number("hairs"), 16 * 12); /* of the largest */
}

static void growth_makes_hair_thinner(void **state) {
    static const int multiples[] = {1, 4, 16};
    (void)state;
    assert_int_equal(ringlet("bench growth --json" TINY), 0);
    assert_one_json_object(out_text);
    const char *at = strstr(out_text, "\"sizes\": [");
    assert_non_null(at);
    double points = json_number_of(at, "points");
    for (int i = 0; i < 3; i++) {
        at = strstr(at, "\"multiple\": ");
        assert_non_null(at);
        assert_int_equal(json_number_of(at, "multiple"), multiples[i]);
        assert_int_equal(json_number_of(at, "hairs"), 12 * multiples[i]);
        assert_int_equal(json_number_of(at, "points"), points * multiples[i]);
        assert_true(json_number_of(at, "build_cpu_seconds") > 0.0);
        assert_true(json_number_of(at, "cpu_seconds_per_frame") > 0.0);
        if (i > 0)
            assert_true(isfinite(json_number_of(at, "build_exponent")) &&
                        isfinite(json_number_of(at, "frame_exponent")) &&
                        fabs(json_number_of(at, "bytes_exponent") - 1.0) < 0.3);
        at++;
    }
    assert_int_equal(number("hairs"), 16 * 12); /* of the largest */
    assert_int_equal(ringlet("bench growth" TINY), 0);
    assert_says(out_text, "from 4 to 16: building grows as points to the power of ");
}

static void rods_has_its_fields(void **state) {
    static const char *const names[] = {"microseconds_per_point_newton", "lanes_over_scalar",
                                        "threads2_over_1", "factor_ns_per_point", "bytes_per_point"};
    (void)state;
    assert_int_equal(
        ringlet("bench rods --json --set hair.count=12 --set hair.total_points=120 --set hair.length=8 "
                "--quiet --frames 2 --warmup 1"),
        0);
    assert_one_json_object(out_text);
    const char *sizes = strstr(out_text, "\"sizes\": [");
    assert_non_null(sizes);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_true(number(names[i]) > 0.0 && json_number_of(sizes, names[i]) > 0.0);
    assert_true(number("bytes_per_point") < 3000.0);
    assert_true(isfinite(number("cost_exponent")) && isfinite(number("frame_exponent")));
    assert_int_equal(json_number_of(sizes, "hairs"), 12);
    assert_true(json_number_of(sizes, "iterations_per_step") >= 1.0);
    assert_says(out_text, "\"same_bytes\": true");
    assert_null(strstr(out_text, "\"same_bytes\": false"));
    assert_int_equal(
        ringlet("bench rods --set hair.count=12 --set hair.total_points=120 --set hair.length=8 --quiet "
                "--frames 1 --warmup 0"),
        0);
    assert_says(out_text, "microseconds a point and iteration");
}

/* Every workload of the Rod's paper: the scene is good and has the counts of Tables 1 and 2. Not grown: the
 * heads have up to 72,000 vertices. */
static void the_rods_paper_has_its_counts(void **state) {
    static const struct {
        const char *name;
        int hairs, points, steps, newton, iterations, sweeps;
    } rows[] = {{"penny", 300, 5918, 8, 2, 3, 3},     {"penny-4x", 300, 23759, 8, 2, 3, 3},
                {"penny-8x", 300, 47456, 8, 2, 3, 3}, {"penny-8x-1step", 300, 47456, 1, 3, 16, 1},
                {"mane", 243, 2430, 8, 2, 3, 3},      {"tail", 45, 450, 8, 2, 3, 3},
                {"long", 256, 6400, 8, 2, 3, 3},      {"hairball", 32030, 960900, 4, 2, 12, 3}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char line[256];
        snprintf(line, sizeof line, "bench %s --scene", rows[i].name);
        assert_int_equal(ringlet(line), 0);
        snprintf(line, sizeof line, "\n  count: %d\n  total_points: %d\n", rows[i].hairs, rows[i].points);
        assert_says(out_text, line);
        snprintf(line, sizeof line, "\n  rod: {steps: %d}\n", rows[i].steps);
        assert_says(out_text, line);
        snprintf(line, sizeof line, "\n  newton: %d\n  iterations: %d\n  sweeps: %d\n", rows[i].newton,
                 rows[i].iterations, rows[i].sweeps);
        assert_says(out_text, line);
        FILE *file = fopen("workload.yaml", "w");
        assert_non_null(file);
        fputs(out_text, file);
        assert_int_equal(fclose(file), 0);
        assert_int_equal(ringlet("check --syntax-only workload.yaml"), 0);
        assert_null(strstr(err_text, "warning"));
    }
    assert_int_equal(unlink("workload.yaml"), 0);
    assert_int_equal(ringlet("bench rods --scene"), 0); /* that of a scene that is built in */
    assert_says(out_text, "preset: redhead");
}

/* One frame of one step, on a coarse head: all counts but the contacts are those of the table already. */
static void penny_solves_contacts_and_links(void **state) {
    static const char *const positive[] = {
        "contacts_mean",         "touching",   "residual",         "deepest",
        "cpu_seconds_per_frame", "peak_bytes", "seconds_per_frame"};
    (void)state;
    assert_int_equal(ringlet("bench penny --json --frames 1 --warmup 0 --compare --quiet"
                             " --set character.resolution=16 --set hair.rod.steps=1"),
                     0);
    assert_one_json_object(out_text);
    assert_int_equal(number("hairs"), 300);
    assert_int_equal(number("points"), 5918);
    assert_true(fabs(number("links") / 38432 - 1.0) < 0.1);
    assert_int_equal(number("steps_per_frame"), 1);
    assert_int_equal(number("newton"), 2);
    assert_int_equal(number("sweeps"), 3);
    assert_int_equal(number("crossings_missed"), 0);
    for (size_t i = 0; i < sizeof positive / sizeof positive[0]; i++)
        assert_true(number(positive[i]) > 0.0);
    assert_true(number("detect_share") > 0.0 && number("detect_share") < 1.0);
    assert_true(number("lanes_over_scalar") > 0.0 && number("step_lanes_over_scalar") > 0.0 &&
                number("threads2_over_1") > 0.0);
    assert_says(out_text, "\"same_bytes\": true");
    const char *published = strstr(out_text, "\"published\": {");
    assert_non_null(published);
    assert_int_equal(json_number_of(published, "contacts_mean"), 17184);
    assert_true(json_number_of(published, "seconds_per_frame_12_threads") == 0.352);
    assert_int_equal(ringlet("bench tail --frames 1 --warmup 0 --quiet --set character.resolution=16"), 0);
    assert_says(out_text, "tail: 1 frames, 8 steps each");
    assert_says(out_text, "45 hairs (45), 450 points (450)");
    assert_says(out_text, "published: 0.082 s with 12\n");
}

static void strands_keeps_its_fields(void **state) {
    static const char *const names[] = {"hairs",
                                        "points",
                                        "threads",
                                        "ranks",
                                        "frames",
                                        "peak_bytes",
                                        "lanes_over_scalar",
                                        "gflops",
                                        "peak_share",
                                        "seconds_per_frame",
                                        "constraints",
                                        "threads2_over_1",
                                        "threads_over_1",
                                        "contacts_mean",
                                        "cpu_seconds_per_frame"};
    (void)state;
    assert_int_equal(ringlet("bench strands --json" TINY), 0);
    assert_one_json_object(out_text);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        number(names[i]);
    assert_says(out_text, "\"same_bytes\": true");
}

/* The frames go to a folder that is gone afterwards, whatever happened. */
static void nothing_is_left_behind(void **state) {
    (void)state;
    assert_int_equal(system("mkdir -p place"), 0);
    assert_int_equal(setenv("TMPDIR", "place", 1), 0);
    int done = ringlet("bench redhead --json" TINY), written = number("write") > 0.0;
    int diverged = ringlet("bench redhead --json --set hair.stretch.stiffness=1e14"
                           " --set hair.stretch.limit=0 --set hair.stretch.velocity_limit=0" TINY);
    assert_one_json_object(out_text);
    assert_says(out_text, "\"benchmarks\": []");
    assert_int_equal(setenv("TMPDIR", "nowhere", 1), 0);
    int failed = ringlet("bench redhead --json" TINY);
    assert_int_equal(unsetenv("TMPDIR"), 0);
    assert_says(err_text, "cannot make a folder in nowhere");
    assert_int_equal(done, 0);
    assert_true(written);
    assert_int_equal(diverged, 3);
    assert_int_equal(failed, 1);
    assert_int_equal(system("rmdir place"), 0); /* only where it is empty */
}

static void ranks_share_the_work(void **state) {
    char line[1024];
    (void)state;
    mpi_needed();
    snprintf(line, sizeof line, "'%s' bench redhead --json" TINY, RLT_PROGRAM);
    assert_int_equal(mpi_run(2, line), 0);
    assert_one_json_object(out_text); /* rank 0's only */
    assert_int_equal(number("ranks"), 2);
    assert_int_equal(number("threads"), 1);
    assert_true(number("exchange_bytes") > 0);
    assert_true(number("write") > 0.0);
    assert_true(fabs(phases("cpu_phases") - number("cpu_seconds_per_frame")) < 1e-9);
    snprintf(line, sizeof line, "'%s' bench redhed", RLT_PROGRAM);
    assert_int_equal(mpi_run(2, line), 2);
    const char *first = strstr(err_text, "did you mean");
    assert_non_null(first);
    assert_null(strstr(first + 1, "did you mean")); /* said once */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_lists_the_workloads),
        cmocka_unit_test(wrong_use_is_told),
        cmocka_unit_test(a_character_tells_everything),
        cmocka_unit_test(memory_has_contacts_in_it),
        cmocka_unit_test(compare_adds_ratios),
        cmocka_unit_test(no_pruning_gives_no_difference),
        cmocka_unit_test(the_horse_has_all_its_hair),
        cmocka_unit_test(scaling_multiplies_hair),
        cmocka_unit_test(growth_makes_hair_thinner),
        cmocka_unit_test(strands_keeps_its_fields),
        cmocka_unit_test(rods_has_its_fields),
        cmocka_unit_test(the_rods_paper_has_its_counts),
        cmocka_unit_test(penny_solves_contacts_and_links),
        cmocka_unit_test(nothing_is_left_behind),
        cmocka_unit_test(ranks_share_the_work),
    };
    return cmocka_run_group_tests(tests, enter_folder, folder_leave);
}
