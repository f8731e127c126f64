/* Paint on generated characters: on the sides of the head, where nothing is drawn as a line, it has no edges;
 * the horse is a bay. */
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
                rlti_f3 at = rlti_dress_at(rlti_f3_of(x, y, z), 0).tint;
                most = fmaxf(most, differ(at, rlti_dress_at(rlti_f3_of(x, y + step, z), 0).tint));
                most = fmaxf(most, differ(at, rlti_dress_at(rlti_f3_of(x, y, z + step), 0).tint));
                most = fmaxf(most, differ(at, rlti_dress_at(rlti_f3_of(x + step, y, z), 0).tint));
            }
    print_message("tints of neighbours differ by %.3f at most\n", (double)most);
    assert_true(most < 0.1f);
}

static void horses_have_dark_legs(void **state) {
    (void)state;
    rlti_makeup flank = rlti_dress_at(rlti_f3_of(28.0f, 120.0f, 0.0f), 1);
    rlti_makeup cannon = rlti_dress_at(rlti_f3_of(16.0f, 30.0f, 41.0f), 1);
    rlti_makeup muzzle = rlti_dress_at(rlti_f3_of(3.0f, 144.0f, 145.0f), 1);
    assert_true(flank.tint.x == 1.0f && flank.coat == 1.0f && flank.cloth == 0.0f);
    assert_true(cannon.tint.x < 0.3f && muzzle.tint.x < 0.5f);
    assert_true(rlti_dress_at(rlti_f3_of(10.5f, 180.0f, 114.0f), 1).tint.x < 0.2f); /* an eye */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sides_have_no_edges),
                                       cmocka_unit_test(horses_have_dark_legs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
