/* Strands whose stability nothing else can look at are kicked when the simulation is built: those that come
 * back are told from those that do not. */
#include "run_fixture.h"

static const char head[] =
    "time: {last: 3, outer_steps: 10, force_steps: 24, damping_steps: 6}\ncharacter: {resolution: 16}\n"
    "hair: {name: long, preset: straight, count: 20, length: 40, segment: 2.5, formulation: %s,\n"
    "  contact: {enabled: off}, sag: {mode: solve, check: %s, stiffen: %s}}\n"
    "health: {check_steps: off}\n";

static rlt_sag_report report(rlt_simd simd, const char *form, const char *check, const char *stiffen) {
    run r;
    rlt_statistics s = {.size = sizeof s};
    run_begin(&r, simd, 1, head, form, check, stiffen);
    rlt_simulation_statistics(r.simulation, &s);
    int warned = 0, told = 0;
    for (int i = 0; i < rlt_messages_count(r.messages); i++) {
        const char *text = rlt_messages_text(r.messages, i);
        warned +=
            rlt_messages_severity(r.messages, i) == RLT_WARNING && strstr(text, "is not stable") != NULL;
        told += strstr(text, "of 20 that have no other check, 16 were kicked") != NULL;
    }
    assert_int_equal(warned, s.sag.unstable > 0);
    assert_int_equal(told, s.sag.kicked > 0);
    run_end(&r);
    return s.sag;
}

static void test_the_papers_form_is_kicked(void **state) {
    (void)state;
    rlt_sag_report soft = report(RLT_SIMD_AUTO, "paper", "on", "1"),
                   portable = report(RLT_SIMD_PORTABLE, "paper", "on", "1"),
                   stiff = report(RLT_SIMD_AUTO, "paper", "on", "1000");
    print_message("of 16 soft strands %d do not come back, of 16 stiffened ones %d\n", soft.unstable,
                  stiff.unstable);
    assert_int_equal(soft.kicked, 16);
    assert_int_equal(soft.unchecked, 4);
    assert_true(soft.unstable > 0);
    assert_int_equal(portable.unstable, soft.unstable);
    assert_int_equal(stiff.kicked, 16);
    assert_int_equal(stiff.unstable, 0);
}

static void test_others_are_not(void **state) {
    (void)state;
    rlt_sag_report checked = report(RLT_SIMD_AUTO, "variational", "on", "1000"),
                   unchecked = report(RLT_SIMD_AUTO, "paper", "off", "1000");
    assert_int_equal(checked.kicked, 0);
    assert_int_equal(checked.unchecked, 0);
    assert_int_equal(unchecked.kicked, 0);
    assert_int_equal(unchecked.unchecked, 20);
}

/* Too long for the second derivative. Hanging it comes back; where it stands on its root it cannot. */
static void test_long_strands_are_kicked(void **state) {
    (void)state;
    for (int stands = 0; stands < 2; stands++) {
        run r;
        rlt_statistics s = {.size = sizeof s};
        run_begin(&r, RLT_SIMD_AUTO, 1,
                  "time: {last: 2, outer_steps: 10, force_steps: 40, damping_steps: 4}\n"
                  "character: {kind: none}\ngravity: [0, %d, 0]\n"
                  "hair: {preset: straight, region: none, count: 1, length: 41, segment: 0.1,\n"
                  "  stretch: {stiffness: 2e4, damping: 100}, bend: {damping: 50},\n"
                  "  core: {stiffness: 0, stiffness_max: 0, damping: 0, damping_max: 0},\n"
                  "  contact: {enabled: off}, sag: {mode: solve}}\n",
                  stands ? 4000 : -4000);
        rlt_simulation_statistics(r.simulation, &s);
        assert_int_equal(s.sag.kicked, 1);
        assert_int_equal(s.sag.unchecked, 0);
        assert_int_equal(s.sag.unstable, stands);
        run_end(&r);
    }
}

/* The kick leaves nothing behind: the groom is where it was, and stands. */
static void test_nothing_is_left_of_it(void **state) {
    (void)state;
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        run r;
        run_begin(&r, RLT_SIMD_AUTO, 1, head, "paper", k == 0 ? "on" : "off", "1000");
        run_frames(&r, 2);
        hash[k] = rlt_simulation_hash(r.simulation);
        run_end(&r);
    }
    assert_true(hash[0] == hash[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_papers_form_is_kicked),
        cmocka_unit_test(test_others_are_not),
        cmocka_unit_test(test_long_strands_are_kicked),
        cmocka_unit_test(test_nothing_is_left_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
