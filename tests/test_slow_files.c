/* Caches that are much larger than the memory they are written with. */
#define _DEFAULT_SOURCE /* wait4 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "ringlet/ringlet.h"

enum { STRANDS = 2000, POINTS = 32 };

/* The peak of a child that writes 200 MB [MB]. */
static long peak_of(const char *path) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        static double points[3 * STRANDS * POINTS], speeds[3 * STRANDS * POINTS], widths[STRANDS * POINTS];
        static int first[STRANDS + 1];
        for (int s = 0; s <= STRANDS; s++)
            first[s] = s * POINTS;
        rlt_frame_view view = {.size = sizeof view,
                               .strand_count = STRANDS,
                               .point_count = STRANDS * POINTS,
                               .first = first,
                               .points = points,
                               .velocities = speeds,
                               .widths = widths};
        rlt_writer *writer = NULL;
        rlt_writer_def def = {.size = sizeof def, .frames_per_second = 24.0, .metres_per_unit = 0.01};
        rlt_status status = rlt_writer_open(path, &def, NULL, &writer);
        for (int f = 1; f <= 135 && status == RLT_OK; f++) {
            for (int i = 0; i < 3 * STRANDS * POINTS; i++)
                speeds[i] = -(points[i] = i * 1e-3 + f);
            view.frame = f;
            status = rlt_writer_add(writer, &view, NULL);
        }
        if (status == RLT_OK)
            status = rlt_writer_close(writer, NULL);
        _exit(status == RLT_OK ? 0 : 1);
    }
    int code = 0;
    struct rusage usage;
    assert_int_equal(wait4(child, &code, 0, &usage), child);
    assert_true(WIFEXITED(code) && WEXITSTATUS(code) == 0);
    struct stat found;
    assert_int_equal(stat(path, &found), 0);
    assert_true(found.st_size > 200000000);
    assert_int_equal(unlink(path), 0);
    return usage.ru_maxrss / 1024;
}

static int is_sanitized(void) {
#if defined(__SANITIZE_ADDRESS__)
    return 1;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
    return 1;
#endif
#endif
    return 0;
}

static void large_caches_take_little_memory(void **state) {
    (void)state;
    static const char *const files[] = {"big.usdc", "big.abc"};
    if (is_sanitized()) {
        print_message("sanitizers have memory of their own\n");
        skip();
    }
    for (int i = 0; i < 2; i++) {
        long peak = peak_of(files[i]);
        print_message("%s: 200 MB written with a peak of %ld MB\n", files[i], peak);
        assert_true(peak < 64);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(large_caches_take_little_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
