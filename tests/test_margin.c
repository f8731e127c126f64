/* contacts.margin: what is remembered as near changes memory and searches, never the motion; `auto` follows
 * the radii. */
#include "mpi_fixture.h"
#include "run_fixture.h"

/* 150 thin hairs side by side, which swing in gusts and touch. `margin` is what follows "margin: ". */
#define THIN                                                                                                 \
    "character: {kind: none}\nmotion: {kind: spin, spin: 0.2, start: -1}\n"                                  \
    "time: {outer_steps: 20, force_steps: 8, damping_steps: 4}\nhealth: {check_steps: off}\n"                \
    "wind: {velocity: [30, 0, 10], gust_strength: 0.5, turbulence: 20, turbulence_length: 2}\n"              \
    "hair: {region: none, preset: straight, count: 150, spacing: 0.22, length: 4, segment: 0.25, drag: 4,"   \
    " contact: {radius: 0.1}, prune: {random: 0}}\n"                                                         \
    "contacts: {margin: %s}\n"

typedef struct result {
    uint64_t hash;
    rlt_statistics statistics;
} result;

static result simulate(const char *margin, int threads, int frames) {
    run r;
    result made;
    run_begin(&r, RLT_SIMD_AUTO, threads, THIN, margin);
    run_frames(&r, frames);
    made.hash = rlt_simulation_hash(r.simulation);
    made.statistics.size = sizeof made.statistics;
    rlt_simulation_statistics(r.simulation, &made.statistics);
    run_end(&r);
    return made;
}

static void motion_is_the_same(void **state) {
    static const struct {
        const char *margin;
        int threads;
    } cases[] = {{"auto", 2}, {"auto", 3}, {"0.1", 1}, {"0.8", 2}, {"0", 1}};
    result first = simulate("auto", 1, 3);
    (void)state;
    assert_true(first.statistics.hair_contacts_worst > 50);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        result other = simulate(cases[i].margin, cases[i].threads, 3);
        assert_true(other.hash == first.hash);
        assert_true(other.statistics.hair_contacts_worst == first.statistics.hair_contacts_worst);
    }
}

/* The default is nearly as small as the best of what could be asked for, with hardly more searches. */
static void the_default_suits_thin_hair(void **state) {
    static const char *const margins[] = {"0.025", "0.05", "0.2", "0.4"};
    double least = HUGE_VAL, fewest = HUGE_VAL;
    (void)state;
    char scene[2048];
    snprintf(scene, sizeof scene, "%s", THIN);
    *strstr(scene, "contacts:") = '\0'; /* nothing is said about the margin */
    run r;
    result standard;
    run_begin(&r, RLT_SIMD_AUTO, 1, "%s", scene);
    run_frames(&r, 3);
    standard.statistics.size = sizeof standard.statistics;
    rlt_simulation_statistics(r.simulation, &standard.statistics);
    run_end(&r);
    for (size_t i = 0; i < sizeof margins / sizeof margins[0]; i++) {
        result made = simulate(margins[i], 1, 3);
        print_message("margin %s: %zu bytes, %lld searches\n", margins[i], made.statistics.bytes,
                      made.statistics.searches);
        least = fmin(least, (double)made.statistics.bytes);
        fewest = fmin(fewest, (double)made.statistics.searches);
    }
    print_message("auto: %zu bytes, %lld searches\n", standard.statistics.bytes,
                  standard.statistics.searches);
    result wide = simulate("0.8", 1, 3);
    assert_true((double)standard.statistics.bytes < 1.5 * least);
    assert_true((double)wide.statistics.bytes > 4.0 * (double)standard.statistics.bytes);
    assert_true((double)standard.statistics.searches < 1.2 * fewest);
}

/* Each pair of hairs has the margin of its two: a few thick hairs elsewhere cost the thin ones nothing. */
static void thick_hair_leaves_thin_hair_alone(void **state) {
    static const char *const sections[] = {
        "  - {name: thick, region: none, count: 2, spacing: 9, length: 20, contact: {radius: 4, group: b}}\n",
        "  - {name: none, region: none, count: 2, spacing: 9, length: 20, contact: {enabled: off}}\n",
    };
    size_t bytes[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        run r;
        rlt_statistics statistics = {.size = sizeof statistics};
        run_begin(&r, RLT_SIMD_AUTO, 1,
                  "character: {kind: none}\nhealth: {check_steps: off}\nhair:\n"
                  "  - {name: thin, region: none, count: 400, spacing: 0.22, length: 4, segment: 0.25,"
                  " contact: {radius: 0.1}, prune: {random: 0}}\n%s",
                  sections[i]);
        rlt_simulation_statistics(r.simulation, &statistics);
        bytes[i] = statistics.bytes;
        run_end(&r);
    }
    assert_true((double)bytes[0] < 1.1 * (double)bytes[1]);
}

static void ranks_and_margins_give_one_file(void **state) {
    static const char *const margins[] = {"auto", "0.1", "0.8"};
    char command[512], first[32] = "", scene[64], output[64];
    (void)state;
    mpi_needed();
    snprintf(scene, sizeof scene, "margin-%ld.yaml", (long)getpid());
    snprintf(output, sizeof output, "margin-%ld.usda", (long)getpid());
    FILE *file = fopen(scene, "w");
    assert_non_null(file);
    fprintf(file, THIN, "auto");
    fclose(file);
    for (int i = 0; i < 3; i++)
        for (int ranks = 1; ranks <= 3; ranks += 2) {
            snprintf(
                command, sizeof command,
                "'%s' simulate %s -o %s --frames 1:2 --threads 1 --quiet --json --set contacts.margin=%s",
                RLT_PROGRAM, scene, output, margins[i]);
            assert_int_equal(mpi_run(ranks, command), 0);
            const char *hash = strstr(out_text, "\"hash\": \"");
            assert_non_null(hash);
            if (first[0] == '\0')
                snprintf(first, sizeof first, "%.26s", hash);
            assert_memory_equal(hash, first, 26);
        }
    unlink(scene);
    unlink(output);
}

static void what_a_margin_may_be(void **state) {
    (void)state;
    run_assert_refused("contacts: {margin: wide}\n", 0,
                       "s.yaml:1:20: contacts.margin = \"wide\": must be auto or a number");
    run_assert_refused("contacts: {margin: -1}\n", 0,
                       "s.yaml:1:20: contacts.margin = -1: must be auto or >= 0");
    run_assert_refused("contacts: {margin: [auto]}\n", 0,
                       "s.yaml:1:20: contacts.margin = [\"auto\"]: must be auto or a number");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motion_is_the_same),
        cmocka_unit_test(the_default_suits_thin_hair),
        cmocka_unit_test(thick_hair_leaves_thin_hair_alone),
        cmocka_unit_test(ranks_and_margins_give_one_file),
        cmocka_unit_test(what_a_margin_may_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
