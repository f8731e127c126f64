/* The hair scattering model: energy, densities and colours. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/random.h"
#include "render/hair_scatter.h"
#include "render/trace_sample.h"

#define INCLINATIONS 128
#define AZIMUTHS     256

static rlt_render_hair look_of(double roughness, double around) {
    rlt_render_hair look = rlt_render_defaults().hair;
    look.roughness = roughness;
    look.roughness_around = around;
    return look;
}

/* Integrals over all directions: light scattered, density, and moments of the density. */
typedef struct integral {
    double value[3], density, moments[6];
} integral;

static void add_moments(double moments[6], rlti_f3 d, double weight) {
    const double g[6] = {d.x, d.y, d.z, d.x * d.x, d.z * d.z, d.x * d.z};
    for (int i = 0; i < 6; i++)
        moments[i] += weight * g[i];
}

static integral integrate(const rlti_fibre *fibre, rlti_f3 absorption, float h, float sine) {
    rlti_scatter scatter;
    rlti_scatter_begin(fibre, absorption, h, sine, &scatter);
    integral sum = {0};
    double step = RLTI_PI_F / INCLINATIONS, turn = 2.0 * RLTI_PI_F / AZIMUTHS;
    for (int i = 0; i < INCLINATIONS; i++) {
        double theta = -0.5 * RLTI_PI_F + (i + 0.5) * step;
        for (int j = 0; j < AZIMUTHS; j++) {
            double phi = (j + 0.5) * turn;
            rlti_f3 in = {(float)sin(theta), (float)(cos(theta) * sin(phi)), (float)(cos(theta) * cos(phi))};
            rlti_f3 value;
            double area = cos(theta) * step * turn;
            double density = rlti_scatter_eval(fibre, &scatter, in, &value);
            sum.value[0] += area * value.x;
            sum.value[1] += area * value.y;
            sum.value[2] += area * value.z;
            sum.density += area * density;
            add_moments(sum.moments, in, area * density);
        }
    }
    return sum;
}

static const double roughnesses[] = {0.1, 0.3, 0.6, 1.0};
static const float places[] = {-0.95f, 0.0f, 0.6f};
static const float sines[] = {-0.9f, 0.15f};

/* Calls `check` for every roughness, place across the hair and inclination. */
static void for_all(void (*check)(const rlti_fibre *fibre, float h, float sine)) {
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) {
            rlt_render_hair look = look_of(roughnesses[a], roughnesses[b]);
            rlti_fibre fibre;
            rlti_fibre_prepare(&look, &fibre);
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 2; j++)
                    check(&fibre, places[i], sines[j]);
        }
}

static void check_furnace(const rlti_fibre *fibre, float h, float sine) {
    integral sum = integrate(fibre, rlti_f3_of(0.0f, 0.0f, 0.0f), h, sine);
    for (int c = 0; c < 3; c++)
        assert_true(fabs(sum.value[c] - 1.0) < 0.02);
}

/* A hair that absorbs nothing gives back all light, whatever its roughness. */
static void test_white_furnace(void **state) {
    (void)state;
    for_all(check_furnace);
}

static void check_density(const rlti_fibre *fibre, float h, float sine) {
    integral sum = integrate(fibre, rlti_f3_of(0.3f, 0.7f, 1.5f), h, sine);
    assert_true(fabs(sum.density - 1.0) < 0.005);
    for (int c = 0; c < 3; c++)
        assert_true(sum.value[c] > 0.0 && sum.value[c] < 1.0);
    assert_true(sum.value[0] > sum.value[1] && sum.value[1] > sum.value[2]);
}

static void test_density_is_one(void **state) {
    (void)state;
    for_all(check_density);
}

/* Sampled directions have the moments of the density, and bring the light of the integral. */
static void check_samples(double roughness, double around) {
    enum { SAMPLES = 8192 };
    rlt_render_hair look = look_of(roughness, around);
    rlti_fibre fibre;
    rlti_fibre_prepare(&look, &fibre);
    rlti_f3 absorption = {0.3f, 0.7f, 1.5f};
    integral expected = integrate(&fibre, absorption, 0.4f, 0.3f);
    rlti_scatter scatter;
    rlti_scatter_begin(&fibre, absorption, 0.4f, 0.3f, &scatter);
    double moments[6] = {0}, light = 0.0;
    for (int s = 0; s < SAMPLES; s++) {
        float u[4];
        for (int k = 0; k < 4; k++)
            u[k] = (float)rlti_random(7, (uint64_t)s, (uint64_t)k) * 0.999999f;
        rlti_f3 in = rlti_scatter_sample(&fibre, &scatter, u);
        assert_true(fabsf(rlti_f3_dot(in, in) - 1.0f) < 1e-4f);
        rlti_f3 value;
        float density = rlti_scatter_eval(&fibre, &scatter, in, &value);
        assert_true(density > 0.0f);
        light += value.x / density / SAMPLES;
        add_moments(moments, in, 1.0 / SAMPLES);
    }
    for (int i = 0; i < 6; i++)
        assert_true(fabs(moments[i] - expected.moments[i]) < 0.03);
    assert_true(fabs(light - expected.value[0]) < 0.02);
}

static void test_samples_follow_density(void **state) {
    (void)state;
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++)
            check_samples(roughnesses[a], roughnesses[b]);
}

/* Mirror image: light reflected at the surface of a hair met at its side goes to that side. */
static void test_reflection_turns_outward(void **state) {
    (void)state;
    rlt_render_hair look = look_of(0.1, 0.1);
    look.tilt = 0.0;
    rlti_fibre fibre;
    rlti_fibre_prepare(&look, &fibre);
    rlti_scatter scatter;
    rlti_scatter_begin(&fibre, rlti_f3_of(50.0f, 50.0f, 50.0f), 0.5f, 0.0f, &scatter);
    /* the normal is 30 degrees towards +y, so the mirror direction is 60 degrees */
    rlti_f3 outward, inward;
    rlti_scatter_eval(&fibre, &scatter, rlti_f3_of(0.0f, 0.8660254f, 0.5f), &outward);
    rlti_scatter_eval(&fibre, &scatter, rlti_f3_of(0.0f, -0.8660254f, 0.5f), &inward);
    assert_true(outward.x > 100.0f * inward.x);
}

static void test_melanin_darkens(void **state) {
    (void)state;
    double before = 2.0;
    for (int i = 0; i < 6; i++) {
        rlt_render_hair look = look_of(0.3, 0.4);
        look.pheomelanin = 0.1;
        look.eumelanin = 0.4 * i;
        rlti_fibre fibre;
        rlti_fibre_prepare(&look, &fibre);
        rlti_f3 absorption = rlti_fibre_absorption(&look);
        rlti_forward forward;
        rlti_forward_prepare(&fibre, absorption, &forward);
        double light = integrate(&fibre, absorption, 0.3f, 0.2f).value[1] + rlti_forward_at(&forward, 0.2f).y;
        assert_true(light < before);
        before = light;
    }
    rlt_render_hair red = look_of(0.3, 0.4);
    rlti_f3 absorption = rlti_fibre_absorption(&red);
    assert_true(absorption.x < absorption.y && absorption.y < absorption.z);
    red.dyed = 1;
    red.dye[0] = red.dye[1] = red.dye[2] = 1.0; /* white hair absorbs next to nothing */
    assert_true(rlti_fibre_absorption(&red).x < 1e-4f);
}

/* What passes ahead is part of the light: most of it, for hair without pigment. */
static void test_forward_share(void **state) {
    (void)state;
    rlt_render_hair look = look_of(0.3, 0.3);
    rlti_fibre fibre;
    rlti_forward forward;
    rlti_fibre_prepare(&look, &fibre);
    rlti_forward_prepare(&fibre, rlti_f3_of(0.0f, 0.0f, 0.0f), &forward);
    for (int i = 0; i <= 10; i++) {
        rlti_f3 pass = rlti_forward_at(&forward, 0.1f * (float)i);
        assert_true(pass.x > 0.3f && pass.x <= 1.001f);
    }
}

/* The first 2^(a + b) pairs have one in each box of 2^-a by 2^-b, also scrambled. */
static void test_samples_fill_boxes(void **state) {
    (void)state;
    for (int a = 0; a <= 4; a++) {
        int seen[16] = {0};
        for (uint32_t i = 0; i < 16; i++) {
            rlti_sampler sampler = {.key = 1234567u, .index = i, .pair = 3};
            float u[2];
            rlti_sampler_next(&sampler, u);
            assert_true(u[0] >= 0.0f && u[0] < 1.0f && u[1] >= 0.0f && u[1] < 1.0f);
            int x = (int)(u[0] * (float)(1 << a));
            int y = (int)(u[1] * (float)(1 << (4 - a)));
            seen[(x << (4 - a)) + y]++;
        }
        for (int i = 0; i < 16; i++)
            assert_int_equal(seen[i], 1);
    }
}

/* CIE L*a*b* (D65) of a colour in linear sRGB. */
static void lab_of(rlti_f3 c, double lab[3]) {
    double r = (double)c.x, g = (double)c.y, b = (double)c.z;
    const double xyz[3] = {(0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505,
                           0.2126 * r + 0.7152 * g + 0.0722 * b,
                           (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089};
    double f[3];
    for (int i = 0; i < 3; i++)
        f[i] = xyz[i] > 0.008856 ? cbrt(xyz[i]) : 7.787 * xyz[i] + 16.0 / 116.0;
    lab[0] = 116.0 * f[1] - 16.0;
    lab[1] = 500.0 * (f[0] - f[1]);
    lab[2] = 200.0 * (f[1] - f[2]);
}

/* The colour of a mass of hair, with a hundredth of the light reflected by the surfaces, against what is
 * measured on tresses: black L* 18, dark brown L* 22 to 24, a* 3.4 to 4.3, b* 3.9 to 5.4 (Measurement of hair
 * luster, J. Cosmet. Sci. 51, 2000, tables III and IV); blond and red by how they differ from brown:
 * lightness, and a hue well on the red side of it. White without pigment. */
static void test_colours_of_melanin(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double eumelanin, pheomelanin;
        double low[3], high[3];
    } hairs[] = {
        {"black", 4.0, 0.2, {8, -2, -2}, {20, 6, 7}},  {"dark brown", 2.0, 0.2, {15, 2, 3}, {25, 9, 14}},
        {"brown", 1.3, 0.3, {18, 3, 5}, {32, 10, 22}}, {"blond", 0.1, 0.1, {50, 0, 14}, {72, 8, 28}},
        {"red", 0.1, 1.3, {26, 14, 16}, {42, 28, 34}}, {"white", 0.0, 0.0, {97, -1, -1}, {101, 1, 1}},
        {"grey", 0.04, 0.0, {65, -2, 0}, {90, 4, 15}},
    };
    double hue[7];
    for (int i = 0; i < 7; i++) {
        rlt_render_hair look = {.eumelanin = hairs[i].eumelanin, .pheomelanin = hairs[i].pheomelanin};
        rlti_f3 mass = rlti_fibre_albedo(rlti_fibre_absorption(&look), 0.45f);
        double lab[3];
        lab_of(rlti_f3_madd(rlti_f3_scale(0.99f, mass), 0.01f, rlti_f3_of(1, 1, 1)), lab);
        print_message("%s: %.1f %.1f %.1f\n", hairs[i].name, lab[0], lab[1], lab[2]);
        for (int k = 0; k < 3; k++)
            assert_true(lab[k] >= hairs[i].low[k] && lab[k] <= hairs[i].high[k]);
        hue[i] = lab[1] / (fabs(lab[2]) + 1.0);
    }
    assert_true(hue[4] > 1.4 * hue[2]); /* red is redder than brown of about the same lightness */
    assert_true(hue[4] > 1.5 * hue[3]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_white_furnace),          cmocka_unit_test(test_density_is_one),
        cmocka_unit_test(test_samples_follow_density), cmocka_unit_test(test_reflection_turns_outward),
        cmocka_unit_test(test_melanin_darkens),        cmocka_unit_test(test_forward_share),
        cmocka_unit_test(test_samples_fill_boxes),     cmocka_unit_test(test_colours_of_melanin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
