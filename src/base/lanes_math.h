/* Elementary functions in lanes: acos, atan2, sin, cos, log, exp, for every build of lanes.h.
 *
 * Made of + - * /, square root, `fused`, comparisons and bits only, so that the float builds give the same
 * bits on every width, the double builds too, and the reference the same on every machine. Doubles have
 * constants of their own and the same source.
 *
 * Maximum error in units in the last place of the result, against libm in long double;
 * tests/test_lanes_math.c asserts these numbers over dense and random arguments. Below the smallest normal
 * number the unit is the smallest denormal.
 *
 *              float   double   arguments
 *   lane_sin    1.0      1.0    |x| <= 32768 rad; beyond, infinity: NaN
 *   lane_cos    1.0      1.0    the same
 *   lane_acos   1.3      1.3    [-1, 1]; outside: NaN
 *   lane_atan2  1.8      1.8    all
 *   lane_exp    1.2      1.2    all; overflows to infinity, underflows through denormals to 0
 *   lane_log    1.0      1.0    all; log(0) = -infinity, negative: NaN
 *
 * Zeros keep their sign, infinities are those of C's Annex F, NaN gives NaN. Which NaN (sign, payload) is not
 * promised. Denormals are taken and given: neither FTZ nor DAZ may be set.
 *
 * Polynomials are near-minimax for the relative error of the function (Remez exchange, coefficients rounded
 * one after another); they come within 2^-27.6 (float) and 2^-55.9 (double). */
#ifndef RLTI_BASE_LANES_MATH_H
#define RLTI_BASE_LANES_MATH_H

#include <float.h>
#include <string.h>

#include "base/lanes.h"

/* ---- bits ---- */

#if defined(RLTI_LANES_REFERENCE) || defined(RLTI_LANES_DOUBLE)
#define RLTI_WORD_BITS 64
typedef uint64_t lane_scalar_word;
#else
#define RLTI_WORD_BITS 32
typedef uint32_t lane_scalar_word;
#endif

#if LANES == 1
typedef lane_scalar_word lane_word;
static inline lane_word lane_to_word(lane a) {
    lane_word w;
    memcpy(&w, &a, sizeof(w));
    return w;
}
static inline lane lane_from_word(lane_word w) {
    lane a;
    memcpy(&a, &w, sizeof(a));
    return a;
}
#else
typedef lane_scalar_word lane_word __attribute__((vector_size(LANES * sizeof(real))));
static inline lane_word lane_to_word(lane a) {
    return (lane_word)a;
}
static inline lane lane_from_word(lane_word w) {
    return (lane)w;
}
#endif

#define RLTI_SIGN_BIT ((lane_scalar_word)1 << (RLTI_WORD_BITS - 1))

static inline lane lane_absolute(lane a) {
    return lane_from_word(lane_to_word(a) & (RLTI_SIGN_BIT - 1));
}
/* The magnitude of a with the sign of b. */
static inline lane lane_copysign(lane a, lane b) {
    return lane_from_word((lane_to_word(a) & (RLTI_SIGN_BIT - 1)) | (lane_to_word(b) & RLTI_SIGN_BIT));
}

/* ---- constants of the precision ---- */

/* RLTI_ROUNDER: a + RLTI_ROUNDER - RLTI_ROUNDER is the nearest whole number, and the low bits of the sum are
 * it. */
#if RLTI_WORD_BITS == 32

#define RLTI_MANTISSA_BITS 23
#define RLTI_EXPONENT_BIAS 127
#define RLTI_ROUNDER       0x1.8p23f
#define RLTI_HALF_PI_HIGH  0x1.921fb4p+0f /* below pi/2: a difference from x is exact when fused */
#define RLTI_HALF_PI_MID   0x1.4442dp-24f
#define RLTI_HALF_PI_LOW   0x1.84698ap-48f
#define RLTI_LN2_HIGH      0x1.62e4p-1f /* 15 bits: exact times any exponent */
#define RLTI_LN2_LOW       0x1.7f7d1cp-20f
#define RLTI_SQRT_HALF     0x1.6a09e6p-1f
#define RLTI_REAL_MINIMUM  FLT_MIN
#define RLTI_REAL_MAXIMUM  FLT_MAX
#define RLTI_REAL_LEAST    FLT_TRUE_MIN
#define RLTI_EXP_LOWEST    (-104.0f) /* exp is 0 here, and infinite at the highest */
#define RLTI_EXP_HIGHEST   89.0f
#define RLTI_SIN_TERMS     -0x1.555546p-3f, 0x1.110778p-7f, -0x1.995406p-13f
#define RLTI_COS_TERMS     0x1.55554ap-5f, -0x1.6c0c28p-10f, 0x1.99e80cp-16f
#define RLTI_EXP_TERMS     0x1.fffffcp-2f, 0x1.55548cp-3f, 0x1.555858p-5f, 0x1.123dep-7f, 0x1.6ac754p-10f
#define RLTI_LOG_TERMS     0x1.55557ap-1f, 0x1.995ed8p-2f, 0x1.31e03cp-2f
#define RLTI_ASIN_TERMS    0x1.5555c8p-3f, 0x1.330204p-4f, 0x1.747bb6p-5f, 0x1.8c3e76p-6f, 0x1.595c34p-5f
#define RLTI_ATAN_TERMS                                                                                      \
    -0x1.55553ep-2f, 0x1.9991e4p-3f, -0x1.2420aap-3f, 0x1.c0933cp-4f, -0x1.58356ep-4f, 0x1.db1fa2p-5f,       \
        -0x1.0011f4p-5f, 0x1.67bca8p-7f, -0x1.db0322p-10f

#else

#define RLTI_MANTISSA_BITS 52
#define RLTI_EXPONENT_BIAS 1023
#define RLTI_ROUNDER       0x1.8p52
/* 33 bits, the next 33, the rest: n times the first two is exact, since fused may round twice. */
#define RLTI_HALF_PI_HIGH  0x1.921fb544p+0
#define RLTI_HALF_PI_MID   0x1.0b4611a6p-34
#define RLTI_HALF_PI_LOW   0x1.3198a2e037073p-69
#define RLTI_LN2_HIGH      0x1.62e42fefa4p-1 /* 40 bits */
#define RLTI_LN2_LOW       -0x1.8432a1b0e2634p-43
#define RLTI_SQRT_HALF     0x1.6a09e667f3bcdp-1
#define RLTI_REAL_MINIMUM  DBL_MIN
#define RLTI_REAL_MAXIMUM  DBL_MAX
#define RLTI_REAL_LEAST    DBL_TRUE_MIN
#define RLTI_EXP_LOWEST    (-746.0)
#define RLTI_EXP_HIGHEST   710.0
#define RLTI_SIN_TERMS                                                                                       \
    -0x1.5555555555548p-3, 0x1.111111110f730p-7, -0x1.a01a019be9214p-13, 0x1.71de35552ab4ep-19,              \
        -0x1.ae5e4b82f5fbep-26, 0x1.5d8b552de384ap-33
#define RLTI_COS_TERMS                                                                                       \
    0x1.555555555554bp-5, -0x1.6c16c16c15015p-10, 0x1.a01a019c8f24fp-16, -0x1.27e4f7f190c47p-22,             \
        0x1.1ee9dbce6b7e0p-29, -0x1.8fa6841fe62bap-37
#define RLTI_EXP_TERMS                                                                                       \
    0x1.000000000000ap-1, 0x1.55555555554fap-3, 0x1.555555555088bp-5, 0x1.1111111127b51p-7,                  \
        0x1.6c16c18426811p-10, 0x1.a01a012a82e25p-13, 0x1.a0199a16ada4fp-16, 0x1.71df250230c85p-19,          \
        0x1.28ad68d4e05d0p-22, 0x1.ad7fd2b355b3bp-26
#define RLTI_LOG_TERMS                                                                                       \
    0x1.5555555555592p-1, 0x1.999999997ff5fp-2, 0x1.24924941db9a1p-2, 0x1.c71c5219cb8fep-3,                  \
        0x1.74663bb4f4d94p-3, 0x1.39a209bbd57cdp-3, 0x1.2f0265d41074dp-3
#define RLTI_ASIN_TERMS                                                                                      \
    0x1.5555555555390p-3, 0x1.333333336e83bp-4, 0x1.6db6db42778b8p-5, 0x1.f1c72c3a14e67p-6,                  \
        0x1.6e89f42205180p-6, 0x1.1c6be39840bd7p-6, 0x1.c6fd986eda724p-7, 0x1.8ec41b4c31aa0p-7,              \
        0x1.abc5344092c4bp-8, 0x1.3ffbe71c57fabp-6, -0x1.09deeef3eb8a9p-6, 0x1.0571973edff0bp-5
#define RLTI_ATAN_TERMS                                                                                      \
    -0x1.5555555555526p-2, 0x1.99999999955b1p-3, -0x1.249249237f4b9p-3, 0x1.c71c717fccd9bp-4,                \
        -0x1.745d11ae4c46ap-4, 0x1.3b13669894ad8p-4, -0x1.110e511bfe733p-4, 0x1.e1bba5fd52cd4p-5,            \
        -0x1.ae5e712001074p-5, 0x1.82dad2f2c93d2p-5, -0x1.59a3f4e0aacd4p-5, 0x1.2c2e4b4085abep-5,            \
        -0x1.e9f9df51a6cc4p-6, 0x1.683c9a9d9fa65p-6, -0x1.c78f859166fa9p-7, 0x1.d7b8d6ec2fbabp-8,            \
        -0x1.7a395abe2015dp-9, 0x1.b3fa8986a3396p-11, -0x1.3f3626debdc82p-13, 0x1.bbed7d97d5499p-17

#endif

/* pi/2 and what it lacks; pi is twice both. */
#define RLTI_QUARTER_TURN     ((real)1.57079632679489661923)
#define RLTI_QUARTER_TURN_LOW ((real)(RLTI_WORD_BITS == 32 ? -0x1.777a5cp-25 : 0x1.1a62633145c07p-54))

/* c[0] + c[1] z + c[2] z^2 ... */
static inline __attribute__((always_inline)) lane lane_polynomial(const real *c, int terms, lane z) {
    lane sum = lane_set(c[terms - 1]);
#pragma GCC unroll 20
    for (int i = terms - 2; i >= 0; i--)
        sum = fused(sum, z, lane_set(c[i]));
    return sum;
}
#define RLTI_POLYNOMIAL(c, z) lane_polynomial(c, (int)(sizeof(c) / sizeof((c)[0])), z)

/* ---- sine and cosine ---- */

typedef struct lane_sine {
    lane sin, cos;
} lane_sine;

/* On |r + low| <= pi/4, where low is what r lacks; z = r^2. */
static inline lane lane_sin_near(lane r, lane low, lane z) {
    static const real c[] = {RLTI_SIN_TERMS};
    return r + fused(r * z, RLTI_POLYNOMIAL(c, z), low);
}
static inline lane lane_cos_near(lane r, lane low, lane z) {
    static const real c[] = {RLTI_COS_TERMS};
    lane half = lane_set((real)-0.5) * z, one = lane_set(1), head = one + half;
    lane lost = (one - head) + half;
    return head + fused(z * z, RLTI_POLYNOMIAL(c, z), fused(-r, low, lost));
}

/* Both at the price of one. x = n pi/2 + r; n's low bits say which polynomial, and its sign. */
static inline lane_sine lane_sincos(lane x) {
    lane magnitude = lane_absolute(x);
    x = lane_select(lane_less(lane_set(32768), magnitude), lane_set((real)NAN), x);
    lane biased = fused(x, lane_set((real)0.63661977236758134308), lane_set(RLTI_ROUNDER));
    lane n = biased - lane_set(RLTI_ROUNDER);
    lane far = fused(n, lane_set(-RLTI_HALF_PI_HIGH), x); /* exact */
    lane part = n * lane_set(RLTI_HALF_PI_MID), lost = fused(n, lane_set(RLTI_HALF_PI_MID), -part);
    lane r = far - part, moved = r - far; /* and what that loses: Knuth's sum of two */
    lane low = (far - (r - moved)) - (part + moved);
    low = fused(n, lane_set(-RLTI_HALF_PI_LOW), low - lost);
    lane z = r * r, s = lane_sin_near(r, low, z), c = lane_cos_near(r, low, z);
    lane_word turn = lane_to_word(biased);
    /* bit 0 at the place where it makes 2 of 0 */
    lane_mask odd = lane_less(lane_set(1), lane_from_word((turn & 1) << (RLTI_WORD_BITS - 2)));
    lane_word sin_sign = (turn & 2) << (RLTI_WORD_BITS - 2);
    lane_word cos_sign = ((turn + 1) & 2) << (RLTI_WORD_BITS - 2);
    lane sine = lane_from_word(lane_to_word(lane_select(odd, c, s)) ^ sin_sign);
    lane cosine = lane_from_word(lane_to_word(lane_select(odd, s, c)) ^ cos_sign);
    lane_sine both = {lane_select(lane_less(lane_set(0), magnitude), sine, x), cosine}; /* -0 stays */
    return both;
}
static inline lane lane_sin(lane x) {
    return lane_sincos(x).sin;
}
static inline lane lane_cos(lane x) {
    return lane_sincos(x).cos;
}

/* ---- angles ---- */

/* offset + a, where the offset is 0, pi/2 or pi in two parts. */
static inline lane lane_add_turns(lane quarter_turns, lane a) {
    lane low = fused(quarter_turns, lane_set(RLTI_QUARTER_TURN_LOW), a);
    return fused(quarter_turns, lane_set(RLTI_QUARTER_TURN), low);
}

/* The angle in [0, pi] whose cosine is x. Between directions prefer atan2(|a x b|, a.b): a cosine near 1 has
 * lost the angle. */
static inline lane lane_acos(lane x) {
    static const real c[] = {RLTI_ASIN_TERMS};
    lane a = lane_absolute(x), one = lane_set(1), two = lane_set(2), zero = lane_set(0);
    lane_mask outer = lane_less(lane_set((real)0.5), a), negative = lane_less(x, zero);
    /* acos(a) = 2 asin(sqrt((1 - a) / 2)), and pi/2 - asin(a) nearer to 0 */
    lane z = lane_select(outer, fused(lane_set((real)-0.5), a, lane_set((real)0.5)), x * x);
    lane s = lane_select(outer, lane_sqrt(z), a);
    lane asin = fused(s * z, RLTI_POLYNOMIAL(c, z), s);
    lane factor = lane_select(outer, lane_select(negative, -two, two), lane_select(negative, one, -one));
    return lane_add_turns(lane_select(outer, lane_select(negative, two, zero), one), factor * asin);
}

/* The angle of the point (x, y) in [-pi, pi], as C's atan2: zeros by their signs, infinities as limits. */
static inline lane lane_atan2(lane y, lane x) {
    static const real c[] = {RLTI_ATAN_TERMS};
    lane ax = lane_absolute(x), ay = lane_absolute(y), one = lane_set(1), zero = lane_set(0);
    /* Minimum and maximum return the second operand for NaN: one of them is NaN then, and so the quotient. */
    lane small = lane_minimum(ax, ay), large = lane_maximum(ay, ax);
    lane q = small / lane_maximum(lane_set(RLTI_REAL_LEAST), large); /* 0/0 becomes 0, infinity/infinity 1 */
    q = lane_select(lane_less(lane_set(RLTI_REAL_MAXIMUM), small), lane_minimum(one, large), q);
    lane z = q * q;
    lane angle = fused(q * z, RLTI_POLYNOMIAL(c, z), q);
    lane_mask steep = lane_less(ax, ay), behind = lane_less(lane_copysign(one, x), zero);
    lane turns = lane_select(steep, one, lane_select(behind, one + one, zero));
    angle = lane_select(steep, lane_select(behind, angle, -angle), lane_select(behind, -angle, angle));
    return lane_copysign(lane_add_turns(turns, angle), y);
}

/* ---- exponential and logarithm ---- */

/* 2^n, where `biased` is n + RLTI_ROUNDER and n the exponent of a normal number. */
static inline lane lane_power_of_two(lane biased) {
    return lane_from_word((lane_to_word(biased) + RLTI_EXPONENT_BIAS) << RLTI_MANTISSA_BITS);
}

/* x = n ln2 + r; the power is applied in two halves, so that denormals are rounded once. */
static inline lane lane_exp(lane x) {
    static const real c[] = {RLTI_EXP_TERMS};
    const lane rounder = lane_set(RLTI_ROUNDER);
    x = lane_minimum(lane_set(RLTI_EXP_HIGHEST), lane_maximum(lane_set(RLTI_EXP_LOWEST), x));
    lane n = fused(x, lane_set((real)1.44269504088896340736), rounder) - rounder;
    lane r = fused(n, lane_set(-RLTI_LN2_HIGH), x);
    r = fused(n, lane_set(-(RLTI_LN2_LOW)), r);
    lane value = lane_set(1) + fused(r * r, RLTI_POLYNOMIAL(c, r), r);
    lane half = fused(n, lane_set((real)0.5), rounder);
    lane rest = n - (half - rounder) + rounder;
    return value * lane_power_of_two(half) * lane_power_of_two(rest);
}

/* x = 2^n (1 + f) with 1 + f between sqrt(1/2) and sqrt(2); s = f / (2 + f), log(1 + f) = 2 atanh(s). */
static inline lane lane_log(lane x) {
    static const real c[] = {RLTI_LOG_TERMS};
    const real up = (real)((uint64_t)1 << (RLTI_MANTISSA_BITS + 1)),
               whole = (real)((uint64_t)1 << RLTI_MANTISSA_BITS);
    lane_mask tiny = lane_less(x, lane_set(RLTI_REAL_MINIMUM));
    lane_word bits = lane_to_word(lane_select(tiny, x * lane_set(up), x));
    const lane_word bias = lane_to_word(lane_set(1)) - lane_to_word(lane_set(RLTI_SQRT_HALF));
    lane_word exponent = (bits + bias) >> RLTI_MANTISSA_BITS; /* n + bias of the exponent */
    lane f = lane_from_word(bits - ((exponent - RLTI_EXPONENT_BIAS) << RLTI_MANTISSA_BITS)) - lane_set(1);
    lane n = lane_from_word(lane_to_word(lane_set(whole)) + exponent) - lane_set(whole + RLTI_EXPONENT_BIAS);
    n = lane_select(tiny, n - lane_set(RLTI_MANTISSA_BITS + 1), n);
    lane s = f / (lane_set(2) + f), z = s * s, half_square = lane_set((real)0.5) * f * f;
    lane tail = fused(s, fused(z, RLTI_POLYNOMIAL(c, z), half_square), n * lane_set(RLTI_LN2_LOW));
    lane value = n * lane_set(RLTI_LN2_HIGH) - ((half_square - tail) - f);
    value = lane_select(lane_less(x, lane_set((real)INFINITY)), value, x); /* also NaN */
    lane pole = lane_select(lane_less(x, lane_set(0)), lane_set((real)NAN), lane_set(-(real)INFINITY));
    return lane_select(lane_less(x, lane_set(RLTI_REAL_LEAST)), pole, value);
}

#endif
