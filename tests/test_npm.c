/* Parsers of USD from npm read what Ringlet wrote (tests/npm). Skipped, with a notice, where there is no node
 * or no way to the packages; RINGLET_NPM=0 skips it, too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

static void other_parsers_read_what_was_written(void **state) {
    (void)state;
    const char *asked = getenv("RINGLET_NPM");
    if (asked != NULL && strcmp(asked, "0") == 0) {
        print_message("skipped: RINGLET_NPM=0\n");
        skip();
    }
    int code = system("'" RLT_SOURCE_DIR "/tests/npm/run' '" RLT_PROGRAM "' \"$PWD\" 2>&1");
    assert_true(WIFEXITED(code));
    if (WEXITSTATUS(code) == 77)
        skip();
    assert_int_equal(WEXITSTATUS(code), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(other_parsers_read_what_was_written)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
