/* The implicit engine with planes that press with no more than their limit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "rod_fixture.h"

static const double length = 0.15;
enum { POINTS = 15 };

/* Newton's first step, in segments, where the middle of a straight hair begins that deep [m] in a plane that
 * may press with 2% of what stretches the hair to twice its length. */
static double first_correction(double depth, int lumped) {
    rod_strand s;
    rod_make_straight(&s, POINTS, length, rlti_v3(1, 0, 0));
    rod_make_rest(&s, &rod_hair);
    s.press = 0.02 * rod_hair.young * RLTI_PI * rod_hair.radius * rod_hair.radius;
    rod_tile t = rod_tile_create(RLT_SIMD_AUTO, RLTI_ENERGY_ROD, (const rod_strand *const[]){&s}, 1, 0, 1, 1);
    rlti_implicit_step step = {
        .gravity = {0, 0, -9.81}, .seconds = 1.0 / 24, .iterations = 1, .tolerance = 1e-6, .lumped = lumped};
    rlti_plane plane = {7, {0, 0, 1}, (float)depth, {0, 0, 0}};
    t.engine->set_planes(t.tile, 0, &plane, 1);
    rlti_implicit_result result;
    t.engine->step(t.tile, &step, t.scratch, &result);
    rod_tile_destroy(&t);
    return result.correction;
}

/* A plane at its limit presses with all of it, whatever the point does. By lumped masses Newton's matrix
 * knows how far it presses, so the step is as long as the point is deep, and not as the force is great. */
static void test_beyond_the_limit(void **state) {
    (void)state;
    const double segment = length / (POINTS - 1);
    for (double depth = 0.3; depth < 10.0; depth *= 3.0) {
        double thrown = first_correction(depth, 0), led = first_correction(depth, 1);
        printf("%.0f segments deep: first correction %.3g segments, by lumped masses %.3g\n", depth / segment,
               thrown, led);
        assert_true(led < 1.5 * depth / segment && thrown > 10.0 * led);
    }
}

/* Below its limit a plane does the same in either case. */
static void test_below_the_limit(void **state) {
    (void)state;
    double whole = first_correction(0.05, 0), lumped = first_correction(0.05, 1);
    printf("5 segments deep: %.3g and %.3g\n", whole, lumped);
    assert_true(whole > 1.0 && fabs(lumped / whole - 1.0) < 0.05);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_beyond_the_limit),
        cmocka_unit_test(test_below_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
