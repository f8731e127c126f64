#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "base/random.h"
#include "drive/wind.h"

static rlti_wind_data breeze(void) {
    rlti_wind_data data = {.velocity = {30.0, 0.0, -10.0},
                           .gust_strength = 0.4,
                           .gust_period = 2.0,
                           .turbulence = 12.0,
                           .turbulence_length = 25.0,
                           .seed = 7};
    return data;
}

static double turbulent_square(const rlti_wind *wind, const double position[3], double time, double part[3]) {
    double whole[3], mean[3];
    rlti_wind_at(wind, position, time, whole);
    rlti_wind_mean(wind, time, mean);
    for (int k = 0; k < 3; k++)
        part[k] = whole[k] - mean[k];
    return part[0] * part[0] + part[1] * part[1] + part[2] * part[2];
}

static void test_turbulence_has_the_rms_asked_for(void **state) {
    (void)state;
    for (int seed = 0; seed < 4; seed++) {
        rlti_wind_data data = breeze();
        data.seed = seed;
        rlti_wind wind;
        rlti_wind_create(&data, &wind);
        double square = 0.0, sum[3] = {0, 0, 0};
        const int samples = 20000;
        for (int i = 0; i < samples; i++) {
            double p[3], part[3];
            for (int k = 0; k < 3; k++)
                p[k] = 2000.0 * rlti_random(11, (uint64_t)i, (uint64_t)k);
            square += turbulent_square(&wind, p, 100.0 * rlti_random(11, (uint64_t)i, 9), part);
            for (int k = 0; k < 3; k++)
                sum[k] += part[k];
        }
        double rms = sqrt(square / samples);
        assert_true(fabs(rms - 12.0) < 1.2);
        for (int k = 0; k < 3; k++)
            assert_true(fabs(sum[k] / samples) < 0.4);
    }
}

/* At a fixed place the waves pass by: the average over time is that of space. */
static void test_turbulence_changes_in_time(void **state) {
    (void)state;
    rlti_wind_data data = breeze();
    data.velocity[0] = data.velocity[2] = 0.0;
    rlti_wind wind;
    rlti_wind_create(&data, &wind);
    const double p[3] = {3.0, 4.0, 5.0};
    double square = 0.0, product = 0.0, before[3] = {0, 0, 0};
    const int samples = 20000;
    for (int i = 0; i < samples; i++) {
        double now[3];
        square += turbulent_square(&wind, p, 10.0 * i, now);
        product += now[0] * before[0] + now[1] * before[1] + now[2] * before[2];
        memcpy(before, now, sizeof now);
    }
    assert_true(fabs(sqrt(square / samples) - 12.0) < 1.2);
    /* eddies turn over in 25 / 12 s or less; 10 s later little is left but what few modes have by chance */
    assert_true(fabs(product) < 0.7 * square);
}

static void test_turbulence_is_free_of_divergence(void **state) {
    (void)state;
    rlti_wind_data data = breeze();
    rlti_wind wind;
    rlti_wind_create(&data, &wind);
    const double h = 1e-3;
    for (int i = 0; i < 200; i++) {
        double p[3], divergence = 0.0, gradient = 0.0;
        for (int k = 0; k < 3; k++)
            p[k] = 100.0 * rlti_random_signed(3, (uint64_t)i, (uint64_t)k);
        for (int k = 0; k < 3; k++) {
            double a[3], b[3], q[3] = {p[0], p[1], p[2]};
            q[k] = p[k] + h;
            rlti_wind_at(&wind, q, 1.5, a);
            q[k] = p[k] - h;
            rlti_wind_at(&wind, q, 1.5, b);
            divergence += (a[k] - b[k]) / (2.0 * h);
            for (int c = 0; c < 3; c++)
                gradient += fabs(a[c] - b[c]) / (2.0 * h);
        }
        assert_true(fabs(divergence) < 1e-6 * (1.0 + gradient));
    }
    for (int m = 0; m < wind.mode_count; m++) {
        double length = 2.0 * RLTI_PI /
                        sqrt(wind.modes[m].wave[0] * wind.modes[m].wave[0] +
                             wind.modes[m].wave[1] * wind.modes[m].wave[1] +
                             wind.modes[m].wave[2] * wind.modes[m].wave[2]);
        assert_true(length < 25.0 * (1.0 + 1e-12));
        assert_true(length > 25.0 / 4.0 * (1.0 - 1e-12));
    }
}

/* Seen from the steady wind, the turbulence is what it would be in still air. */
static void test_modes_move_with_the_mean_wind(void **state) {
    (void)state;
    rlti_wind_data data = breeze(), still = breeze();
    memset(still.velocity, 0, sizeof still.velocity);
    rlti_wind carried, resting;
    rlti_wind_create(&data, &carried);
    rlti_wind_create(&still, &resting);
    const double time = 2.5, p[3] = {1.0, 2.0, 3.0};
    double q[3], a[3], b[3];
    for (int k = 0; k < 3; k++)
        q[k] = p[k] + time * data.velocity[k];
    turbulent_square(&carried, q, time, a);
    turbulent_square(&resting, p, time, b);
    for (int k = 0; k < 3; k++)
        assert_true(fabs(a[k] - b[k]) < 1e-9);
}

static void test_gusts_swing_around_the_steady_wind(void **state) {
    (void)state;
    rlti_wind_data data = breeze();
    rlti_wind wind;
    rlti_wind_create(&data, &wind);
    double sum = 0.0, least = 1e9, most = -1e9, steepest = 0.0, before = 0.0;
    int crossings = 0;
    const int samples = 100000; /* 1000 s */
    for (int i = 0; i < samples; i++) {
        double v[3];
        rlti_wind_mean(&wind, 0.01 * i, v);
        double g = (v[0] / 30.0 - 1.0) / 0.4;
        assert_true(fabs(v[2] * 3.0 + v[0]) < 1e-9); /* the direction stays */
        sum += g;
        least = g < least ? g : least;
        most = g > most ? g : most;
        if (i > 0) {
            steepest = fabs(g - before) > steepest ? fabs(g - before) : steepest;
            crossings += (g > 0.0) != (before > 0.0);
        }
        before = g;
    }
    assert_true(fabs(sum / samples) < 0.02);
    assert_true(least >= -1.0 && most <= 1.0);
    assert_true(least < -0.8 && most > 0.8);
    assert_true(steepest < 2.0 * RLTI_PI * 1.76 / 2.0 * 0.01); /* no frequency above 1.76 / period */
    double period = 2.0 * 1000.0 / crossings;
    assert_true(period > 1.2 && period < 2.8);
}

static void test_same_seed_same_wind(void **state) {
    (void)state;
    rlti_wind_data data = breeze();
    rlti_wind a, b, c;
    rlti_wind_create(&data, &a);
    rlti_wind_create(&data, &b);
    data.seed = 8;
    rlti_wind_create(&data, &c);
    const double p[3] = {10.0, 20.0, 30.0};
    double u[3], v[3], w[3];
    rlti_wind_at(&a, p, 3.25, u);
    rlti_wind_at(&b, p, 3.25, v);
    rlti_wind_at(&c, p, 3.25, w);
    assert_memory_equal(u, v, sizeof u);
    assert_memory_not_equal(u, w, sizeof u);
}

static void test_phases_continue_the_modes(void **state) {
    (void)state;
    rlti_wind_data data = breeze();
    rlti_wind wind;
    rlti_wind_create(&data, &wind);
    const double origin[3] = {100000.0, -5.0, 40.0}, near[3] = {1.5, -0.5, 2.0};
    double p[3], expected[3], sum[3], phases[RLTI_WIND_MODES];
    for (int k = 0; k < 3; k++)
        p[k] = origin[k] + near[k];
    rlti_wind_at(&wind, p, 9.0, expected);
    rlti_wind_mean(&wind, 9.0, sum);
    rlti_wind_phases(&wind, origin, 9.0, phases);
    for (int m = 0; m < wind.mode_count; m++) {
        const rlti_wind_mode *mode = &wind.modes[m];
        assert_true(fabs(phases[m]) <= RLTI_PI + 1e-9);
        double angle =
            phases[m] + mode->wave[0] * near[0] + mode->wave[1] * near[1] + mode->wave[2] * near[2];
        for (int k = 0; k < 3; k++)
            sum[k] += mode->amplitude[k] * sin(angle);
    }
    for (int k = 0; k < 3; k++)
        assert_true(fabs(sum[k] - expected[k]) < 1e-7);
}

static void test_no_wind_is_zero(void **state) {
    (void)state;
    rlti_wind_data data = {0};
    data.gust_strength = 0.5;
    data.gust_period = 2.0;
    rlti_wind wind;
    rlti_wind_create(&data, &wind);
    assert_int_equal(rlti_wind_is_zero(&wind), 1);
    const double p[3] = {1.0, 2.0, 3.0};
    double v[3];
    rlti_wind_at(&wind, p, 5.0, v);
    for (int k = 0; k < 3; k++)
        assert_true(v[k] == 0.0);

    data.turbulence = 1.0;
    data.turbulence_length = 10.0;
    rlti_wind_create(&data, &wind);
    assert_int_equal(rlti_wind_is_zero(&wind), 0);
    data = (rlti_wind_data){.velocity = {0.0, 1.0, 0.0}};
    rlti_wind_create(&data, &wind);
    assert_int_equal(rlti_wind_is_zero(&wind), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turbulence_has_the_rms_asked_for),
        cmocka_unit_test(test_turbulence_changes_in_time),
        cmocka_unit_test(test_turbulence_is_free_of_divergence),
        cmocka_unit_test(test_modes_move_with_the_mean_wind),
        cmocka_unit_test(test_gusts_swing_around_the_steady_wind),
        cmocka_unit_test(test_same_seed_same_wind),
        cmocka_unit_test(test_phases_continue_the_modes),
        cmocka_unit_test(test_no_wind_is_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
