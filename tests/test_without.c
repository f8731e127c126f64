/* The program built without optional libraries: it says so, and the rest works. `ringlet-plain` has none of
 * Embree, OpenEXR and libav*, `ringlet-no-files` has Embree where this build has it. Both stand beside this
 * test. */
#define _DEFAULT_SOURCE /* mkdtemp */
#include <unistd.h>

#undef RLT_PROGRAM
#define RLT_PROGRAM program

static char program[600];

#include "program_fixture.h"
#include "ringlet/ringlet.h"

static char tests[300], directory[300];

#define SMALL                                                                                                \
    "--set time.preroll=0 --set hair.count=12 --set hair.total_points=120 --set time.outer_steps=20 "        \
    "--set character.resolution=12 --threads 1 "
#define QUICK "--size 32x32 --samples 1 --hairs 50 --draft --threads 1 "

static int enter(void **state) {
    (void)state;
    const char *base = getenv("TMPDIR");
    if (getcwd(tests, sizeof tests) == NULL)
        return -1;
    snprintf(directory, sizeof directory, "%s/ringlet-without-XXXXXX", base != NULL ? base : ".");
    return mkdtemp(directory) != NULL && chdir(directory) == 0 && getcwd(directory, sizeof directory) != NULL
               ? 0
               : -1;
}

static int leave(void **state) {
    (void)state;
    char line[400];
    snprintf(line, sizeof line, "rm -rf -- '%s'", directory);
    return chdir("..") == 0 && system(line) == 0 ? 0 : -1;
}

static void use(const char *name) {
    snprintf(program, sizeof program, "%s/%s", tests, name);
    assert_int_equal(access(program, X_OK), 0);
}

static void run(const char *arguments, int code, const char *part) {
    int found = ringlet(arguments);
    if (found != code || strstr(err_text, part) == NULL)
        fail_msg("%s: exit code %d: %s", arguments, found, err_text);
}

static int exists(const char *path) {
    return access(path, F_OK) == 0;
}

/* Everything but pictures. */
static void nothing_at_all(void **state) {
    (void)state;
    use("ringlet-plain");
    run("simulate redhead -o a.usdc --frames 1:2 --checkpoint 0 --report r " SMALL, 0, "frame 2/2");
    assert_true(exists("a.usdc") && exists("r/index.html"));
    run("render a.usdc -o a.png " QUICK, 2, "built without Embree; install it (Debian: libembree-dev)");
    run("render nobody -o a.png " QUICK, 2, "built without Embree"); /* before anything is read */
    assert_false(exists("a.png"));
    run("fill a.usdc -o b.abc --hairs 100", 0, "b.abc: 2 frames, 100 hairs");
    run("convert b.abc c.usda -q", 0, "");
    run("inspect c.usda", 0, "");
    run("demo redhead --out d --frames 1:2 " SMALL, 0, "built without Embree: a preview instead");
    assert_true(exists("d/redhead.usdc") && exists("d/redhead.png") && exists("d/report.html"));
}

static void no_movies_and_no_exr(void **state) {
    (void)state;
    use("ringlet-no-files");
    run("simulate redhead -o a.usdc --frames 1:2 --checkpoint 0 -q " SMALL, 0, "");
    run("render a.usdc -o e.exr " QUICK, 2, "built without OpenEXR; write .png instead");
    if (!rlt_render_available()) {
        print_message("built without Embree: no pictures\n");
        return;
    }
    run("render a.usdc -o m.mp4 " QUICK, 0, "built without libav*: pictures are written instead");
    assert_true(exists("m.0001.png") && exists("m.0002.png") && !exists("m.mp4"));
    run("render a.usdc -o m.mp4 --codec h264 -q " QUICK, 0, "built without libav*");
    run("demo redhead --out e --frames 1:2 --draft " SMALL, 0, "built without libav*");
    assert_true(exists("e/redhead.png") && exists("e/redhead.0002.png") && exists("e/report.html"));
}

int main(void) {
    const struct CMUnitTest all[] = {cmocka_unit_test(nothing_at_all),
                                     cmocka_unit_test(no_movies_and_no_exr)};
    return cmocka_run_group_tests(all, enter, leave);
}
