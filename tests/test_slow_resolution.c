/* What a user must not notice: half the time step, twice the points. Every preset's material on the same
 * helix, settled under gravity. The rescaling of coefficients is derived in docs/design/resolution.md. */
#include "run_fixture.h"

static const char *const presets[] = {"redhead", "horse", "straight", "wavy", "coil"};
enum { PRESETS = 5, SECONDS = 8 };

/* All presets side by side, one strand each; returns the settled points. */
static double *settled(int outer_steps, int points) {
    char hair[4096];
    int used = 0;
    for (int i = 0; i < PRESETS; i++)
        used +=
            snprintf(hair + used, sizeof(hair) - (size_t)used,
                     "  - {preset: %s, style: helix, region: none, count: 1, total_points: %d, length: "
                     "76, radius: 1.6,"
                     " pitch: 3.2, taper: 0, straight_root: 0.1, variation: 0, contact: {enabled: off}}\n",
                     presets[i], points);
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 2,
              "time: {last: 240, outer_steps: %d, damping_steps: 5}\ncharacter: {kind: none}\nhair:\n%s",
              outer_steps, hair);
    run_frames(&r, 24 * SECONDS);
    rlt_statistics s = {.size = sizeof s};
    rlt_simulation_statistics(r.simulation, &s);
    print_message("%d outer steps, %d points: fastest point %.2g unit/s\n", outer_steps, points, s.fastest);
    double *now = run_points(&r);
    run_end(&r);
    return now;
}

/* Largest distance between corresponding points of strand i, in percent of the length; b has `step` times as
 * many edges. */
static double moved(const double *a, const double *b, int i, int step) {
    double worst = 0;
    for (int p = 0; p < 77; p++) {
        double d = run_distance(a + 3 * (77 * i + p), b + 3 * ((76 * step + 1) * i + step * p));
        worst = d > worst ? d : worst;
    }
    return 100 * worst / 76;
}

static void test_half_the_time_step_and_twice_the_points(void **state) {
    (void)state;
    double *plain = settled(60, 77), *half = settled(120, 77), *twice = settled(60, 153);
    for (int i = 0; i < PRESETS; i++) {
        double by_step = moved(plain, half, i, 1), by_points = moved(plain, twice, i, 2);
        print_message("%-8s settled shape moves by %.3g%% of the length with half the time step, %.3g%% with "
                      "twice the points\n",
                      presets[i], by_step, by_points);
        assert_true(by_step < 1.0);
        assert_true(by_points < 5.0);
    }
    free(plain);
    free(half);
    free(twice);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_half_the_time_step_and_twice_the_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
