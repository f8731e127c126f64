/* The page of `ringlet live` in a real browser (tests/live). Skipped, with a notice, where there is no
 * chromium or no node, or the program has no viewer; RINGLET_LIVE_PAGE=0 skips it, too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

static void a_browser_shows_it(void **state) {
    (void)state;
    const char *asked = getenv("RINGLET_LIVE_PAGE");
    if (asked != NULL && strcmp(asked, "0") == 0) {
        print_message("skipped: RINGLET_LIVE_PAGE=0\n");
        skip();
    }
    int code = system("'" RLT_SOURCE_DIR "/tests/live/run' '" RLT_PROGRAM "' \"$PWD\" 2>&1");
    assert_true(WIFEXITED(code));
    if (WEXITSTATUS(code) == 77)
        skip();
    assert_int_equal(WEXITSTATUS(code), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_browser_shows_it)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
