/* base/lanes_math.h against libm: error in units in the last place, special values, and the same bits in
 * every build of a family. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "lanes/probe.h"

#define COUNT 120000
#define PI    3.14159265358979323846

/* Errors that the header promises, float and double. */
static const struct {
    const char *name;
    double limit[2];
} functions[PROBE_FUNCTIONS] = {
    [PROBE_SIN] = {"sin", {1.0, 1.0}},   [PROBE_COS] = {"cos", {1.0, 1.0}},
    [PROBE_ACOS] = {"acos", {1.3, 1.3}}, [PROBE_EXP] = {"exp", {1.2, 1.2}},
    [PROBE_LOG] = {"log", {1.0, 1.0}},   [PROBE_ATAN2] = {"atan2", {1.8, 1.8}},
};

/* libm with 11 bits more than any build has; sin and cos as far as they are promised. */
static long double exact(probe_function function, double a, double b) {
    switch (function) {
    case PROBE_SIN:
        return fabs(a) <= 32768 ? sinl(a) : (long double)NAN;
    case PROBE_COS:
        return fabs(a) <= 32768 ? cosl(a) : (long double)NAN;
    case PROBE_ACOS:
        return acosl(a);
    case PROBE_EXP:
        return expl(a);
    case PROBE_LOG:
        return logl(a);
    default:
        return atan2l(a, b);
    }
}

/* The distance in units in the last place of the build's numbers; infinite where kind or sign differ. */
static double error_in_units(const lanes_probe *probe, double value, long double truth) {
    double rounded = probe->real_bytes == 4 ? (double)(float)truth : (double)truth;
    if (isnan(value) || isnan(rounded))
        return isnan(value) && isnan(rounded) ? 0.0 : INFINITY;
    if (signbit(value) != signbit(rounded))
        return INFINITY;
    if (isinf(value) || isinf(rounded))
        return value == rounded ? 0.0 : INFINITY;
    int lowest = probe->real_bytes == 4 ? -149 : -1074, digits = probe->real_bytes == 4 ? 24 : 53, exponent;
    frexpl(truth, &exponent);
    if (truth == 0.0L || exponent - digits < lowest)
        exponent = lowest + digits;
    return (double)(fabsl((long double)value - truth) / ldexpl(1.0L, exponent - digits));
}

/* The arguments of one function, rounded to float where a float build takes them. */
typedef struct arguments {
    size_t count;
    double a[COUNT], b[COUNT];
} arguments;

static void round_arguments(arguments *from, arguments *to) {
    to->count = from->count;
    for (size_t i = 0; i < from->count; i++) {
        to->a[i] = (double)(float)from->a[i];
        to->b[i] = (double)(float)from->b[i];
    }
}

/* Compares a function of one build, and returns its largest error. */
static double compare(const lanes_probe *probe, probe_function f, const arguments *in, double *out) {
    double worst = 0.0;
    probe->apply(f, in->a, in->b, out, in->count);
    for (size_t i = 0; i < in->count; i++) {
        double error = error_in_units(probe, out[i], exact(f, in->a[i], in->b[i]));
        if (error > functions[f].limit[probe->real_bytes == 8])
            fail_msg("%s: %s(%a, %a) is %a, wrong by %g units", probe->name, functions[f].name, in->a[i],
                     in->b[i], out[i], error);
        worst = fmax(worst, error);
    }
    return worst;
}

static void check_same_bits(const lanes_probe *probe, probe_function f, const arguments *in,
                            const double *out, const double *first) {
    for (size_t i = 0; i < in->count; i++)
        if (memcmp(&out[i], &first[i], sizeof(double)) != 0 && !(isnan(out[i]) && isnan(first[i])))
            fail_msg("%s: %s(%a, %a) is %a, and %a in the portable build", probe->name, functions[f].name,
                     in->a[i], in->b[i], out[i], first[i]);
}

/* All builds on the same arguments: the first of a family against libm, the others against the first. Prints
 * the errors, so that the header's table can be kept. */
static void check(probe_function f, arguments *in, const char *which) {
    static double out[COUNT], first[PROBE_FAMILIES][COUNT];
    static arguments floats;
    int seen[PROBE_FAMILIES] = {0};
    round_arguments(in, &floats);
    for (int i = 0; lanes_probe_at(i) != NULL; i++) {
        const lanes_probe *probe = lanes_probe_at(i);
        const arguments *use = probe->real_bytes == 4 ? &floats : in;
        if (seen[probe->family]++ == 0) {
            double worst = compare(probe, f, use, first[probe->family]);
            print_message("%-6s %-15s %-22s %.3f units\n", functions[f].name, probe->name, which, worst);
        } else {
            probe->apply(f, use->a, use->b, out, use->count);
            check_same_bits(probe, f, use, out, first[probe->family]);
        }
    }
}

static arguments *make(size_t count) {
    static arguments in;
    in.count = count;
    return &in;
}

/* ---- arguments ---- */

/* Evenly spaced over [low, high], ends included. */
static void check_dense(probe_function f, double low, double high, const char *which) {
    arguments *in = make(COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        double s = (double)i / (COUNT - 1);
        in->a[i] = low + (high - low) * s;
        in->b[i] = 1.0;
    }
    check(f, in, which);
}

/* Every magnitude there is, both signs: random bits of a float, or of a double in the reference. */
static double random_bits(uint64_t id, uint64_t stream) {
    uint64_t bits = rlti_hash64(rlti_hash64(id) + stream);
    if (id & 1) {
        uint32_t half = (uint32_t)bits;
        float value;
        memcpy(&value, &half, sizeof(value));
        return (double)value;
    }
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static void check_bits(probe_function f) {
    arguments *in = make(COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        in->a[i] = random_bits(i, 1);
        in->b[i] = random_bits(i, 2);
    }
    check(f, in, "random bits");
}

/* Numbers on both sides of `centre`, ever nearer. */
static void check_near(probe_function f, double centre, const char *which) {
    arguments *in = make(20000);
    for (size_t i = 0; i < in->count; i++) {
        double distance = exp2(-60.0 * rlti_random(3, i, 0));
        in->a[i] = centre + (i & 1 ? distance : -distance);
        in->b[i] = 1.0;
    }
    check(f, in, which);
}

static const double specials[] = {0.0,
                                  0x1p-149,
                                  0x1.8p-149 * 3,
                                  FLT_MIN,
                                  0x1p-1074,
                                  DBL_MIN,
                                  0.5,
                                  0.70710678118654752440,
                                  1.0,
                                  1.0 + FLT_EPSILON,
                                  1.0 - FLT_EPSILON,
                                  1.0 - DBL_EPSILON,
                                  PI / 4,
                                  PI / 2,
                                  PI,
                                  2 * PI,
                                  32768.0,
                                  32769.0,
                                  88.72283,
                                  88.72284,
                                  103.27892,
                                  103.9721,
                                  709.78271289338397,
                                  709.78271289338403,
                                  745.13321910194122,
                                  745.2,
                                  FLT_MAX,
                                  DBL_MAX,
                                  INFINITY,
                                  NAN};
enum { SPECIALS = 2 * sizeof(specials) / sizeof(specials[0]) };

static double special(size_t i) {
    return i & 1 ? -specials[i / 2] : specials[i / 2];
}

static void check_specials(probe_function f) {
    arguments *in = make((size_t)SPECIALS * SPECIALS);
    for (size_t i = 0; i < in->count; i++) {
        in->a[i] = special(i / SPECIALS);
        in->b[i] = special(i % SPECIALS);
    }
    check(f, in, "special values");
}

/* ---- tests ---- */

static void sine_and_cosine(void **state) {
    (void)state;
    for (probe_function f = PROBE_SIN; f <= PROBE_COS; f++) {
        check_dense(f, -PI, PI, "[-pi, pi]");
        check_dense(f, -300, 300, "[-300, 300]");
        check_dense(f, -32768, 32768, "[-32768, 32768]");
        check_bits(f);
        check_specials(f);
    }
}

/* The worst arguments of the reduction: numbers next to multiples of pi/2. */
static void sine_and_cosine_where_they_vanish(void **state) {
    (void)state;
    arguments *in = make(4 * 20860);
    for (size_t i = 0; i < in->count; i++) {
        double at = (double)(i / 4) * (PI / 2);
        double next = i & 2 ? nextafter(at, 1e9) : (double)nextafterf((float)at, 1e9f);
        in->a[i] = i & 1 ? -next : (i & 2 ? at : next);
    }
    check(PROBE_SIN, in, "multiples of pi/2");
    check(PROBE_COS, in, "multiples of pi/2");
}

static void arc_cosine(void **state) {
    (void)state;
    check_dense(PROBE_ACOS, -1, 1, "[-1, 1]");
    check_dense(PROBE_ACOS, 0.999, 1, "[0.999, 1]");
    check_near(PROBE_ACOS, 0, "near 0");
    check_near(PROBE_ACOS, 0.5, "near 1/2");
    check_near(PROBE_ACOS, 1, "near 1");
    check_near(PROBE_ACOS, -1, "near -1");
    check_bits(PROBE_ACOS);
    check_specials(PROBE_ACOS);
}

static void angle_of_a_point(void **state) {
    (void)state;
    check_dense(PROBE_ATAN2, -10, 10, "y in [-10, 10], x = 1");
    check_near(PROBE_ATAN2, 0, "y near 0");
    check_near(PROBE_ATAN2, 1, "y near x");
    arguments *in = make(COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        double turn = 2 * PI * rlti_random(4, i, 0), length = exp2(40 * rlti_random_signed(4, i, 1));
        in->a[i] = length * sin(turn);
        in->b[i] = length * cos(turn);
    }
    check(PROBE_ATAN2, in, "all around");
    check_bits(PROBE_ATAN2);
    check_specials(PROBE_ATAN2);
}

static void exponential(void **state) {
    (void)state;
    check_dense(PROBE_EXP, -1, 1, "[-1, 1]");
    check_dense(PROBE_EXP, -110, 95, "[-110, 95]");
    check_dense(PROBE_EXP, -750, 715, "[-750, 715]");
    check_near(PROBE_EXP, 0, "near 0");
    check_bits(PROBE_EXP);
    check_specials(PROBE_EXP);
}

static void logarithm(void **state) {
    (void)state;
    check_dense(PROBE_LOG, 0.5, 2, "[0.5, 2]");
    check_dense(PROBE_LOG, 0, 1000, "[0, 1000]");
    check_dense(PROBE_LOG, 0, 4.0 * (double)FLT_MIN, "denormal floats");
    check_dense(PROBE_LOG, 0, 4.0 * DBL_MIN, "denormal doubles");
    check_near(PROBE_LOG, 1, "near 1");
    check_bits(PROBE_LOG);
    check_specials(PROBE_LOG);
}

/* A value depends on its argument alone, not on the lane or on what stands in the others. */
static void lanes_do_not_disturb_each_other(void **state) {
    (void)state;
    enum { MANY = 61 };
    double a[MANY], b[MANY], alone, together[MANY];
    for (int i = 0; i < MANY; i++) {
        a[i] = i % 3 == 0 ? special((size_t)i % SPECIALS) : rlti_random_signed(5, (uint64_t)i, 0);
        b[i] = i % 5 == 0 ? special((size_t)(7 * i) % SPECIALS) : rlti_random_signed(5, (uint64_t)i, 1);
    }
    for (int p = 0; lanes_probe_at(p) != NULL; p++)
        for (probe_function f = 0; f < PROBE_FUNCTIONS; f++) {
            lanes_probe_at(p)->apply(f, a, b, together, MANY);
            for (int i = 0; i < MANY; i++) {
                lanes_probe_at(p)->apply(f, a + i, b + i, &alone, 1);
                assert_true(memcmp(&alone, &together[i], sizeof(alone)) == 0 || isnan(alone));
            }
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sine_and_cosine),
        cmocka_unit_test(sine_and_cosine_where_they_vanish),
        cmocka_unit_test(arc_cosine),
        cmocka_unit_test(angle_of_a_point),
        cmocka_unit_test(exponential),
        cmocka_unit_test(logarithm),
        cmocka_unit_test(lanes_do_not_disturb_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
