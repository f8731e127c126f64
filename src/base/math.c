#include "base/math.h"

/* Pi/2 in three parts (Cody and Waite): n * part is exact for |n| < 2^20 in the first two. */
static const double half_pi_high = 0x1.921fb544p+0;
static const double half_pi_middle = 0x1.0b4611a6p-34;
static const double half_pi_low = 0x1.3198a2e037073p-69;

/* Taylor polynomials on |r| <= pi/4; the first dropped term is below 1e-17. */
static double sin_polynomial(double r) {
    double z = r * r;
    static const double c[] = {-1.0 / 6,
                               1.0 / 120,
                               -1.0 / 5040,
                               1.0 / 362880,
                               -1.0 / 39916800.0,
                               1.0 / 6227020800.0,
                               -1.0 / 1307674368000.0,
                               1.0 / 355687428096000.0};
    double sum = c[7];
    for (int i = 6; i >= 0; i--)
        sum = sum * z + c[i];
    return r + r * z * sum;
}

static double cos_polynomial(double r) {
    double z = r * r;
    static const double c[] = {
        -0.5,           1.0 / 24,          -1.0 / 720,           1.0 / 40320,
        -1.0 / 3628800, 1.0 / 479001600.0, -1.0 / 87178291200.0, 1.0 / 20922789888000.0};
    double sum = c[7];
    for (int i = 6; i >= 0; i--)
        sum = sum * z + c[i];
    return 1.0 + z * sum;
}

/* sin(x + quarter_turns * pi/2) */
static double sin_reduced(double x, int quarter_turns) {
    if (!(x > -1e9 && x < 1e9)) /* also NaN: no meaningful angle is that large */
        return x - x;
    double n = floor(x * (2.0 / RLTI_PI) + 0.5);
    double r = ((x - n * half_pi_high) - n * half_pi_middle) - n * half_pi_low;
    int quadrant = (int)((long long)n + quarter_turns) & 3;
    double value = (quadrant & 1) ? cos_polynomial(r) : sin_polynomial(r);
    return (quadrant & 2) ? -value : value;
}

double rlti_sin(double x) {
    return sin_reduced(x, 0);
}

double rlti_cos(double x) {
    return sin_reduced(x, 1);
}

double rlti_exp(double x) {
    if (x > 709.0)
        return HUGE_VAL;
    if (x < -740.0)
        return 0.0;
    if (!(x == x))
        return x;
    /* x = n ln2 + r, |r| <= ln2/2; ln2 in two parts */
    double n = floor(x * 1.4426950408889634 + 0.5);
    double r = (x - n * 0x1.62e42fefa38p-1) - n * 0x1.ef35793c7673p-45;
    double sum = 1.0;
    for (int i = 14; i >= 1; i--)
        sum = 1.0 + r * sum / i;
    return ldexp(sum, (int)n);
}

rlti_quat rlti_quat_axis_angle(rlti_vec3 axis, double angle) {
    double s = rlti_sin(0.5 * angle);
    rlti_quat q = {rlti_cos(0.5 * angle), s * axis.x, s * axis.y, s * axis.z};
    return q;
}

rlti_quat rlti_quat_from_axes(rlti_vec3 a, rlti_vec3 b, rlti_vec3 c) {
    /* The largest of the four squared components is computed first, so that no root nears zero. */
    double trace = a.x + b.y + c.z;
    rlti_quat q;
    if (trace > 0.0) {
        double s = 2.0 * sqrt(1.0 + trace);
        q = (rlti_quat){0.25 * s, (b.z - c.y) / s, (c.x - a.z) / s, (a.y - b.x) / s};
    } else if (a.x > b.y && a.x > c.z) {
        double s = 2.0 * sqrt(1.0 + a.x - b.y - c.z);
        q = (rlti_quat){(b.z - c.y) / s, 0.25 * s, (b.x + a.y) / s, (c.x + a.z) / s};
    } else if (b.y > c.z) {
        double s = 2.0 * sqrt(1.0 + b.y - a.x - c.z);
        q = (rlti_quat){(c.x - a.z) / s, (b.x + a.y) / s, 0.25 * s, (c.y + b.z) / s};
    } else {
        double s = 2.0 * sqrt(1.0 + c.z - a.x - b.y);
        q = (rlti_quat){(a.y - b.x) / s, (c.x + a.z) / s, (c.y + b.z) / s, 0.25 * s};
    }
    return rlti_quat_normalize(q);
}
