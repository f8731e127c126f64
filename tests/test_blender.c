/* The Blender add-on of examples/blender, driven without a window (tests/blender). Skipped, with a notice,
 * where there is no Blender from 3.4 on; RINGLET_BLENDER=0 skips it, too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

static void blender_sends_hair_and_gets_it_back(void **state) {
    (void)state;
    const char *asked = getenv("RINGLET_BLENDER");
    if (asked != NULL && strcmp(asked, "0") == 0) {
        print_message("skipped: RINGLET_BLENDER=0\n");
        skip();
    }
    int code = system("'" RLT_SOURCE_DIR "/tests/blender/run' '" RLT_PROGRAM "' \"$PWD\" 2>&1");
    assert_true(WIFEXITED(code));
    if (WEXITSTATUS(code) == 77)
        skip();
    assert_int_equal(WEXITSTATUS(code), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(blender_sends_hair_and_gets_it_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
