/* The implicit engine with the Rod: steps of one tile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "rod_fixture.h"

static const rlti_implicit_step still = {
    .gravity = {0, 0, 0}, .seconds = 1.0 / 24, .iterations = 30, .tolerance = 1e-6};

static rlti_implicit_step with_gravity(double seconds) {
    rlti_implicit_step step = still;
    step.gravity[2] = -9.81;
    step.seconds = seconds;
    return step;
}

/* ---- statics ---- */

/* A straight rod clamped horizontally under its own weight: H / W against Gamma (validation.md, R1). */
static double cantilever(double gamma, int points, int *iterations) {
    rod_strand s;
    double length = 0.1;
    rod_make_straight(&s, points, length, rlti_v3(1, 0, 0));
    rod_make_rest(&s, &rod_hair);
    double bend = rod_hair.young * RLTI_PI / 4 * pow(rod_hair.radius, 4);
    double weight = rod_hair.density * RLTI_PI * rod_hair.radius * rod_hair.radius;
    rlti_implicit_step step = still;
    step.gravity[2] = -gamma * bend / (weight * length * length * length);
    step.seconds = 1e4; /* no inertia to speak of: one step is the equilibrium */
    step.iterations = 200;
    step.tolerance = 1e-9;
    rod_tile t = rod_tile_create(RLT_SIMD_AUTO, RLTI_ENERGY_ROD, (const rod_strand *const[]){&s}, 1, 0, 0, 0);
    rlti_implicit_result result;
    t.engine->step(t.tile, &step, t.scratch, &result);
    t.engine->get_state(t.tile, 0, s.x, NULL, NULL, NULL);
    rod_tile_destroy(&t);
    *iterations = result.iterations;
    assert_true(result.converged && !result.failed);
    rlti_vec3 tip = s.x[points - 1];
    return -tip.z / tip.x;
}

static void test_cantilever(void **state) {
    (void)state;
    static const struct {
        double gamma, ratio, allowed;
    } table[] = {{0.1, 0.0124991, 1e-3}, {1, 0.12456, 1e-3},  {5, 0.58572, 1e-3},
                 {10, 1.06680, 1e-3},    {100, 5.8881, 2e-3}, {1000, 21.335, 1e-2}};
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        int iterations;
        double ratio = cantilever(table[i].gamma, 102, &iterations), error = ratio / table[i].ratio - 1.0;
        printf("Gamma %g: H/W %.5f, off by %.4f%%, %d iterations\n", table[i].gamma, ratio, 100 * error,
               iterations);
        assert_true(fabs(error) < table[i].allowed);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cantilever),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
