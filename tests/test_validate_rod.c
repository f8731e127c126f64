/* `ringlet validate` with those tests of the Rod that take no time, from outside. The others are in
 * test_slow_validate.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json_fixture.h"
#include "program_fixture.h"

/* Results of one test: how many, all with that verdict but for `others`. */
static int count(const char *name, const char *verdict) {
    char wanted[96];
    int found = 0;
    snprintf(wanted, sizeof wanted, "\"name\": \"%s\"", name);
    for (const char *at = out_text; (at = strstr(at, wanted)) != NULL; at++) {
        const char *says = strstr(at, "\"verdict\": \"");
        assert_non_null(says);
        found += strncmp(says + 12, verdict, strlen(verdict)) == 0;
    }
    return found;
}

/* Runs `validate` with charts, and takes these away again; they must be there. */
static void validate(const char *names, const char *const *charts, int chart_count) {
    char folder[] = "validate-rod-XXXXXX", line[160];
    assert_non_null(mkdtemp(folder));
    snprintf(line, sizeof line, "validate %s --json -q --plots %s", names, folder);
    assert_int_equal(ringlet(line), 0);
    assert_one_json_object(out_text);
    assert_null(strstr(out_text, "\"model\": \"taz\""));
    for (int i = 0; i < chart_count; i++) {
        snprintf(line, sizeof line, "%s/%s.svg", folder, charts[i]);
        assert_int_equal(unlink(line), 0);
    }
    assert_int_equal(rmdir(folder), 0);
}

static void statics(void **state) {
    static const char *const charts[] = {"rod-figure-3", "rod-figure-4", "rod-figure-5", "rod-figure-5-curve",
                                         "rod-printed"};
    (void)state;
    validate("cantilever elastica arc-couple michell-ring helix-sag coil-hanging", charts, 5);
    assert_int_equal(count("cantilever", "pass"), 11);
    assert_int_equal(count("elastica", "pass"), 2);
    assert_int_equal(count("arc-couple", "pass"), 2);
    assert_int_equal(count("arc-couple", "not expected"), 1); /* the printed derivatives */
    assert_int_equal(count("michell-ring", "pass"), 2);
    assert_int_equal(count("cantilever", "not expected"), 3); /* Gamma 2000 and more */
    assert_int_equal(count("helix-sag", "pass"), 9);
    assert_int_equal(count("coil-hanging", "pass"), 5);
}

static double number_after(const char *at, const char *member) {
    const char *found = strstr(at, member);
    assert_non_null(found);
    return strtod(found + strlen(member), NULL);
}

/* All results of a test are off by at most so much, relative or in absolute; lengths are below 1e-3. */
static void assert_within(const char *name, double relative, double absolute) {
    char wanted[96];
    snprintf(wanted, sizeof wanted, "\"name\": \"%s\"", name);
    for (const char *at = out_text; (at = strstr(at, wanted)) != NULL; at++) {
        double measured = number_after(at, "\"measured\": "), reference = number_after(at, "\"reference\": ");
        int is_length = strncmp(strstr(at, "\"unit\": \"") + 9, "length", 6) == 0;
        if (is_length)
            assert_true(measured >= 0.0 && measured < 1e-3);
        else
            assert_true(fabs(measured - reference) <= fmax(relative * reference, absolute));
    }
}

static void friction(void **state) {
    static const char *const charts[] = {"stick-slip"};
    (void)state;
    validate("incline stick-slip capstan", charts, 1);
    assert_int_equal(count("incline", "pass"), 15);
    assert_int_equal(count("stick-slip", "pass"), 16);
    assert_int_equal(count("capstan", "pass"), 7);
    assert_within("incline", 0.01, 0.0);
    assert_within("stick-slip", 0.05, 0.005);
    assert_within("capstan", 0.03, 0.0);
}

/* What plates that cut through each other do to a hair is warned of, and not printed. */
static void impossible(void **state) {
    (void)state;
    validate("scissor", NULL, 0);
    assert_int_equal(count("scissor", "pass"), 4);
    assert_string_equal(err_text, "");
}

/* Hairs that meet hairs, by whole scenes: 500 throws each in one step a frame and in four. */
static void hair_on_hair(void **state) {
    (void)state;
    validate("throws hair-momentum", NULL, 0);
    assert_int_equal(count("throws", "pass"), 2);
    assert_int_equal(count("hair-momentum", "pass"), 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(statics), cmocka_unit_test(friction),
                                       cmocka_unit_test(impossible), cmocka_unit_test(hair_on_hair)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
