/* Paint on the generated head: on its sides, where nothing is drawn as a line, it has no edges. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "render/dress.h"

static float differ(rlti_f3 a, rlti_f3 b) {
    return fmaxf(fabsf(a.x - b.x), fmaxf(fabsf(a.y - b.y), fabsf(a.z - b.z)));
}

static void sides_have_no_edges(void **state) {
    (void)state;
    const float step = 0.05f; /* [unit], a pixel of a close-up */
    float most = 0.0f;
    for (float x = 5.6f; x < 8.0f; x += 0.3f)
        for (float y = -10.0f; y < 4.5f; y += step)
            for (float z = -9.0f; z < 6.0f; z += step) {
                rlti_f3 at = rlti_dress_at(rlti_f3_of(x, y, z)).tint;
                most = fmaxf(most, differ(at, rlti_dress_at(rlti_f3_of(x, y + step, z)).tint));
                most = fmaxf(most, differ(at, rlti_dress_at(rlti_f3_of(x, y, z + step)).tint));
                most = fmaxf(most, differ(at, rlti_dress_at(rlti_f3_of(x + step, y, z)).tint));
            }
    print_message("tints of neighbours differ by %.3f at most\n", (double)most);
    assert_true(most < 0.1f);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sides_have_no_edges)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
