/* `ringlet validate` with those tests of the Rod that take no time, from outside. The others are in
 * test_slow_validate.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

static void statics(void **state) {
    static const char *const charts[] = {"rod-figure-3", "rod-figure-4", "rod-figure-5", "rod-figure-5-curve",
                                         "rod-printed"};
    char folder[] = "validate-rod-XXXXXX", line[128];
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(line, sizeof line,
             "validate cantilever elastica arc-couple michell-ring helix-sag --json -q --plots %s", folder);
    assert_int_equal(ringlet(line), 0);
    assert_one_json_object(out_text);
    assert_int_equal(count("cantilever", "pass"), 11);
    assert_int_equal(count("elastica", "pass"), 2);
    assert_int_equal(count("arc-couple", "pass"), 2);
    assert_int_equal(count("arc-couple", "not expected"), 1); /* the printed derivatives */
    assert_int_equal(count("michell-ring", "pass"), 2);
    assert_int_equal(count("cantilever", "not expected"), 3); /* Gamma 2000 and more */
    assert_int_equal(count("helix-sag", "pass"), 9);
    assert_null(strstr(out_text, "\"model\": \"taz\""));
    for (size_t i = 0; i < sizeof charts / sizeof charts[0]; i++) {
        struct stat info;
        snprintf(line, sizeof line, "%s/%s.svg", folder, charts[i]);
        assert_int_equal(stat(line, &info), 0);
        assert_int_equal(unlink(line), 0);
    }
    assert_int_equal(rmdir(folder), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(statics)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
