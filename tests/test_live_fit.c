/* Live quality: what is left out before guides are, and how few guides there may be. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ringlet/live.h"
#include "ringlet/ringlet.h"

static const char text[] = "hair: {model: rod, count: 60, length: 40, segment: 1}\n"
                           "constraints:\n"
                           "  - {name: leash, kind: bound, hold: hard, bounds: [0, 1.1], along: [0.9, 1]}\n"
                           "  - {name: tip, kind: bound, stiffness: 50, bounds: [0, 1.2], along: [0.5, 1]}\n";

/* A scene as a machine of that speed has it. */
static rlt_scene *fit_text(const char *yaml, double speed, rlt_messages *messages) {
    rlt_scene *scene = NULL, *fitted = NULL;
    rlt_live_budget budget = rlt_live_budget_defaults();
    budget.speed = speed;
    if (rlt_scene_load_text("fit", yaml, strlen(yaml), NULL, 0, messages, &scene) != RLT_OK ||
        rlt_live_fit(scene, &budget, messages, &fitted) != RLT_OK)
        fail_msg("%s", rlt_messages_text(messages, 0));
    rlt_scene_destroy(scene);
    return fitted;
}

static rlt_scene *fit(double speed, rlt_messages *messages) {
    return fit_text(text, speed, messages);
}

static void value_of(const rlt_scene *scene, const char *key, int section, char *value, size_t size) {
    rlt_schema_entry row = {.size = sizeof row};
    for (int i = 0; rlt_schema_get(i, &row); i++)
        if (strcmp(row.key, key) == 0) {
            assert_true(rlt_scene_value(scene, i, section, value, size, NULL));
            return;
        }
    fail_msg("%s: no such key", key);
}

static int says(const rlt_messages *messages, const char *part) {
    int found = 0;
    for (int i = 0; i < rlt_messages_count(messages); i++)
        found |= strstr(rlt_messages_text(messages, i), part) != NULL;
    return found;
}

static void hard_bounds_become_springs_before_guides_become_fewer(void **state) {
    (void)state;
    rlt_messages *messages = rlt_messages_create();
    char value[64];
    rlt_scene *fitted = fit(1.0, messages);
    value_of(fitted, "constraints.hold", 0, value, sizeof value);
    assert_string_equal(value, "soft");
    value_of(fitted, "constraints.stiffness", 0, value, sizeof value);
    assert_true(strtod(value, NULL) > 1e4);
    value_of(fitted, "constraints.stiffness", 1, value, sizeof value); /* was a spring: as it was */
    assert_true(strtod(value, NULL) == 50.0);
    value_of(fitted, "hair.count", 0, value, sizeof value);
    assert_string_equal(value, "60");
    assert_true(says(messages, "hard bounds are held by stiff springs"));
    rlt_scene_destroy(fitted);
    rlt_messages_destroy(messages);
}

static void a_fast_machine_keeps_them_hard(void **state) {
    (void)state;
    rlt_messages *messages = rlt_messages_create();
    char value[64];
    rlt_scene *fitted = fit(100.0, messages);
    value_of(fitted, "constraints.hold", 0, value, sizeof value);
    assert_string_equal(value, "hard");
    assert_false(says(messages, "stiff springs"));
    rlt_scene_destroy(fitted);
    rlt_messages_destroy(messages);
}

static void no_machine_is_too_slow_for_sixteen_guides(void **state) {
    (void)state;
    rlt_messages *messages = rlt_messages_create();
    char value[64];
    rlt_scene *fitted = fit(0.001, messages);
    value_of(fitted, "hair.count", 0, value, sizeof value);
    assert_string_equal(value, "16");
    assert_true(says(messages, "16 guides instead of 60"));
    rlt_scene_destroy(fitted);
    rlt_messages_destroy(messages);
}

static double number_of(const rlt_scene *scene, const char *key) {
    char value[64];
    value_of(scene, key, 0, value, sizeof value);
    return strtod(value, NULL);
}

/* A few guides of taz: so little hair that there is time for more than one step. */
static void cheap_hair_takes_more_steps(void **state) {
    (void)state;
    static const char fringe[] = "hair: {preset: straight, region: front, count: 60, length: 13}\n"
                                 "character: {kind: head}\n";
    const double speeds[] = {1.0, 0.37, 0.05};
    const double steps[] = {3.0, 2.0, 1.0};
    for (int k = 0; k < 3; k++) {
        rlt_messages *messages = rlt_messages_create();
        rlt_scene *fitted = fit_text(fringe, speeds[k], messages);
        assert_true(number_of(fitted, "hair.rod.steps") == steps[k]);
        assert_true((number_of(fitted, "hair.count") == 60.0) == (steps[k] > 1.0));
        assert_int_equal(says(messages, "3 steps a frame"), k == 0);
        assert_int_equal(says(messages, "1 step a frame"), k == 2);
        rlt_scene_destroy(fitted);
        rlt_messages_destroy(messages);
    }
}

/* Points that are held in place leave no more guides out than springs do; other hard holds do. */
static void held_places_cost_what_springs_do(void **state) {
    (void)state;
    static const char *const holds[] = {"{kind: pin, hold: soft, along: [0.5, 1]}",
                                        "{kind: pin, hold: hard, along: [0.5, 1]}",
                                        "{kind: scalp, hold: hard, along: [0.5, 1]}"};
    double guides[3];
    for (int k = 0; k < 3; k++) {
        char yaml[256];
        rlt_messages *messages = rlt_messages_create();
        snprintf(yaml, sizeof yaml,
                 "character: {kind: head}\nhair: {model: rod, count: 600, length: 40}\nconstraints: [%s]\n",
                 holds[k]);
        rlt_scene *fitted = fit_text(yaml, 1.0, messages);
        guides[k] = number_of(fitted, "hair.count");
        rlt_scene_destroy(fitted);
        rlt_messages_destroy(messages);
    }
    assert_true(guides[0] == guides[1] && guides[1] > 1.5 * guides[2]);
}

static void budgets_are_finite_and_above_zero(void **state) {
    (void)state;
    rlt_scene *scene = NULL, *fitted = NULL;
    rlt_live_budget good = rlt_live_budget_defaults();
    assert_int_equal(rlt_scene_load_text("fit", text, sizeof text - 1, NULL, 0, NULL, &scene), RLT_OK);
    rlt_live_budget bad[] = {good, good, good, good};
    bad[0].rate = NAN;
    bad[1].share = INFINITY;
    bad[2].speed = 0.0;
    bad[3].cores = 0;
    for (int k = 0; k < 4; k++)
        assert_int_equal(rlt_live_fit(scene, &bad[k], NULL, &fitted), RLT_BAD_INPUT);
    rlt_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hard_bounds_become_springs_before_guides_become_fewer),
        cmocka_unit_test(a_fast_machine_keeps_them_hard),
        cmocka_unit_test(no_machine_is_too_slow_for_sixteen_guides),
        cmocka_unit_test(budgets_are_finite_and_above_zero),
        cmocka_unit_test(cheap_hair_takes_more_steps),
        cmocka_unit_test(held_places_cost_what_springs_do)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
