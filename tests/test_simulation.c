/* Questions to a simulation that need no frame: models, named numbers, fingerprint, peak speed. */
#include <unistd.h>

#include "run_fixture.h"

#define SCENE                                                                                                \
    "time: {last: %d, outer_steps: 20}\n"                                                                    \
    "character: {kind: none}\n"                                                                              \
    "hair: {region: none, count: 2, length: %s}\n"

static void models_are_counted_from_0(void **state) {
    (void)state;
    const char *about = NULL;
    int count = 0;
    assert_string_equal(rlt_model_name(0, &about), "taz"); /* the model of scenes that name none */
    while (rlt_model_name(count, &about) != NULL) {
        assert_true(about != NULL && strlen(about) > 0);
        count++;
    }
    assert_null(about); /* past the end */
    assert_true(count >= 1);
    assert_null(rlt_model_name(-1, NULL));
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 1, SCENE, 3, "5");
    rlt_statistics s = {.size = sizeof s};
    rlt_simulation_statistics(r.simulation, &s);
    assert_string_equal(s.model, rlt_model_name(0, NULL));
    run_end(&r);
}

static void named_numbers_are_found_by_name(void **state) {
    (void)state;
    const rlt_named list[] = {{"stretch", 1.5}, {"bend", -2.0}, {"bends", 3.0}};
    assert_true(rlt_named_find(list, 3, "bend") == -2.0);
    assert_true(rlt_named_find(list, 3, "bends") == 3.0);
    assert_true(rlt_named_find(list, 2, "bends") == 0.0); /* past the count */
    assert_true(rlt_named_find(list, 3, "ben") == 0.0);
    assert_true(rlt_named_find(NULL, 0, "bend") == 0.0);
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 1, SCENE, 3, "5");
    run_frames(&r, 1);
    rlt_statistics s = {.size = sizeof s};
    rlt_simulation_statistics(r.simulation, &s);
    assert_true(rlt_named_find(s.energies, s.energy_count, "kinetic") > 0.0); /* it falls */
    assert_true(rlt_named_find(s.phases, s.phase_count, "step") > 0.0);
    run_end(&r);
}

static uint64_t fingerprint(rlt_simd simd, int threads, int last, const char *length) {
    run r;
    run_begin(&r, simd, threads, SCENE, last, length);
    uint64_t fingerprint = rlt_simulation_fingerprint(r.simulation);
    run_frames(&r, 1);
    assert_true(rlt_simulation_fingerprint(r.simulation) == fingerprint); /* of the run, not of a frame */
    run_end(&r);
    return fingerprint;
}

static void fingerprints_are_equal_for_equal_motions(void **state) {
    (void)state;
    uint64_t one = fingerprint(RLT_SIMD_AUTO, 1, 3, "5");
    assert_true(one != 0);
    assert_true(fingerprint(RLT_SIMD_AUTO, 2, 3, "5") == one);
    assert_true(fingerprint(RLT_SIMD_PORTABLE, 1, 3, "5") == one);
    assert_true(fingerprint(RLT_SIMD_AUTO, 1, 4, "5") == one);
    assert_true(fingerprint(RLT_SIMD_AUTO, 1, 3, "5.5") != one);
    assert_true(fingerprint(RLT_SIMD_REFERENCE, 1, 3, "5") != one); /* other bytes */
}

/* Equal for equal bytes with any threads, and another one for every frame. */
static void checksums_tell_states_apart(void **state) {
    (void)state;
    run one, two;
    run_begin(&one, RLT_SIMD_AUTO, 1, SCENE, 3, "5");
    run_begin(&two, RLT_SIMD_PORTABLE, 2, SCENE, 3, "5");
    uint64_t before = 0;
    for (int f = 0; f < 3; f++) {
        run_frames(&one, 1);
        run_frames(&two, 1);
        uint64_t sum = rlt_simulation_checksum(one.simulation);
        assert_true(sum == rlt_simulation_checksum(two.simulation));
        assert_true(sum != before);
        before = sum;
    }
    run_end(&one);
    run_end(&two);
}

/* Two frames under "made.usda" with this fingerprint. */
static void write_frames(run *r, const rlt_writer_def *def) {
    rlt_writer *writer = NULL;
    assert_int_equal(rlt_writer_open("made.usda", def, r->messages, &writer), RLT_OK);
    for (int f = 0; f < 2; f++) {
        rlt_frame_view view = run_view(r);
        assert_int_equal(rlt_writer_add(writer, &view, r->messages), RLT_OK);
        run_frames(r, 1);
    }
    assert_int_equal(rlt_writer_close(writer, r->messages), RLT_OK);
}

static void a_file_knows_what_it_was_made_from(void **state) {
    (void)state;
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 1, SCENE, 3, "5");
    rlt_writer_def def = {
        .size = sizeof def, .frames_per_second = 24.0, .metres_per_unit = 0.01, .title = "made"};
    unlink("made.usda");
    assert_int_equal(rlt_writer_made("made.usda", &def, 1, 2), RLT_MADE_NOTHING);
    write_frames(&r, &def);
    def.fingerprint = rlt_simulation_fingerprint(r.simulation);
    assert_int_equal(rlt_writer_made("made.usda", &def, 1, 2), RLT_MADE_BY_OTHERS); /* it had none */
    run_end(&r);
    run_begin(&r, RLT_SIMD_AUTO, 1, SCENE, 3, "5");
    write_frames(&r, &def);
    assert_int_equal(rlt_writer_made("made.usda", &def, 1, 2), RLT_MADE_THE_SAME);
    assert_int_equal(rlt_writer_made("made.usda", &def, 1, 3), RLT_MADE_DIFFERENT);
    rlt_writer_def other = def;
    other.title = "another";
    assert_int_equal(rlt_writer_made("made.usda", &other, 1, 2), RLT_MADE_DIFFERENT);
    other = def;
    other.fingerprint++;
    assert_int_equal(rlt_writer_made("made.usda", &other, 1, 2), RLT_MADE_DIFFERENT);
    other = def;
    other.look = "{hair: {look: {eumelanin: 8}}}";
    assert_int_equal(rlt_writer_made("made.usda", &other, 1, 2), RLT_MADE_DIFFERENT);
    other = def;
    other.colours = (const double[3]){0.1, 0.2, 0.3};
    other.colour_count = 1;
    assert_int_equal(rlt_writer_made("made.usda", &other, 1, 2), RLT_MADE_DIFFERENT);
    unlink("made.usda");
    run_end(&r);
}

static void peak_speed_is_measured_where_it_can_run(void **state) {
    (void)state;
    for (int simd = RLT_SIMD_PORTABLE; simd <= RLT_SIMD_REFERENCE; simd++) {
        double found = rlt_peak_gflops((rlt_simd)simd, 0.01);
        if (!rlt_simd_available((rlt_simd)simd))
            assert_true(found == 0.0);
        else /* from a machine that is busy to one that is not built yet */
            assert_true(found > 0.01 && found < 1e5);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_are_counted_from_0),
        cmocka_unit_test(named_numbers_are_found_by_name),
        cmocka_unit_test(fingerprints_are_equal_for_equal_motions),
        cmocka_unit_test(checksums_tell_states_apart),
        cmocka_unit_test(a_file_knows_what_it_was_made_from),
        cmocka_unit_test(peak_speed_is_measured_where_it_can_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
