#include "contact/couple/coulomb.h"

#include <float.h>
#include <math.h>

/* The tangential part with the normal one eliminated, in its own axes: r_t = -b_i / (s_i + lambda), and
 * r_n = push + sum of lean_i b_i / (s_i + lambda). */
typedef struct slip {
    double axis[2]; /* the first principal axis; the second is (-axis[1], axis[0]) */
    double s[2], b[2], lean[2], push;
} slip;

static int reduce(const double w[3][3], const double c[3], slip *p) {
    double nn = w[0][0], x = w[0][1], y = w[0][2];
    if (!(nn > 0.0))
        return 0;
    double a = w[1][1] - x * x / nn, d = w[2][2] - y * y / nn, e = w[1][2] - x * y / nn;
    double half = 0.5 * (a - d), length = sqrt(half * half + e * e), mean = 0.5 * (a + d);
    p->s[0] = mean + length;
    p->s[1] = (a * d - e * e) / p->s[0]; /* without cancellation */
    if (!(p->s[0] > 0.0) || !(p->s[1] > 0.0))
        return 0;
    /* of the two forms of the axis the one without cancellation */
    double u = half >= 0.0 ? half + length : fabs(e), v = half >= 0.0 ? e : copysign(length - half, e);
    double norm = sqrt(u * u + v * v);
    p->axis[0] = norm > 0.0 ? u / norm : 1.0;
    p->axis[1] = norm > 0.0 ? v / norm : 0.0;
    double b1 = c[1] - x * c[0] / nn, b2 = c[2] - y * c[0] / nn;
    p->b[0] = p->axis[0] * b1 + p->axis[1] * b2;
    p->b[1] = p->axis[0] * b2 - p->axis[1] * b1;
    p->lean[0] = (p->axis[0] * x + p->axis[1] * y) / nn;
    p->lean[1] = (p->axis[0] * y - p->axis[1] * x) / nn;
    p->push = -c[0] / nn;
    return p->push == p->push && p->b[0] == p->b[0] && p->b[1] == p->b[1];
}

/* The force at lambda; returns by how much it is outside of the cone. */
static double force_at(const slip *p, double lambda, double mu, double r[3]) {
    double t0 = p->b[0] / (p->s[0] + lambda), t1 = p->b[1] / (p->s[1] + lambda);
    r[0] = p->push + p->lean[0] * t0 + p->lean[1] * t1;
    r[1] = -(p->axis[0] * t0 - p->axis[1] * t1);
    r[2] = -(p->axis[1] * t0 + p->axis[0] * t1);
    return sqrt(t0 * t0 + t1 * t1) - mu * r[0];
}

/* lambda = s z / (1 - z), z in [0, 1): the excess is positive at 0 and negative at 1. Regula falsi with
 * Dowell's and Jarratt's factor where the same side moves twice; every fourth step halves, so that it
 * always ends. */
static void slide(const slip *p, double mu, double r[3]) {
    double scale = sqrt(p->s[0] * p->s[1]), low = 0.0, high = 1.0;
    double at_low = force_at(p, 0.0, mu, r), at_high = -mu * p->push;
    int last = 0; /* the side that moved: -1, 1 */
    for (int i = 0; i < 256; i++) {
        double z = high - at_high * (high - low) / (at_high - at_low);
        if (i % 4 == 3 || !(z > low && z < high))
            z = 0.5 * (low + high);
        if (!(z > low && z < high))
            break;
        double excess = force_at(p, scale * z / (1.0 - z), mu, r);
        if (fabs(excess) <= 4.0 * DBL_EPSILON * mu * r[0])
            return;
        if (excess > 0.0) {
            at_high *= last < 0 ? at_low / (at_low + excess) : 1.0;
            low = z;
            at_low = excess;
            last = -1;
        } else {
            at_low *= last > 0 ? at_high / (at_high + excess) : 1.0;
            high = z;
            at_high = excess;
            last = 1;
        }
    }
    if (high < 1.0) {
        force_at(p, scale * high / (1.0 - high), mu, r);
        return;
    }
    r[0] = p->push; /* slides as if there were no friction, to rounding */
    r[1] = r[2] = 0.0;
}

/* Where normal and tangents have nothing to do with each other, as with lumped masses, a slip goes where it
 * would without friction. */
static rlti_coulomb_state solve_plain(double normal, double tangent, const double c[3],
                                      const double friction[2], double r[3]) {
    double slid = sqrt(c[1] * c[1] + c[2] * c[2]), push = -c[0] / normal, rub = slid / tangent;
    if (!(push > 0.0) || !(rub >= 0.0)) /* not a number */
        return RLTI_CONTACT_OPEN;
    r[0] = push;
    rlti_coulomb_state state = rub <= friction[0] * push ? RLTI_CONTACT_STICK : RLTI_CONTACT_SLIP;
    double share = state == RLTI_CONTACT_STICK ? 1.0 : friction[1] * push / rub;
    r[1] = -share * c[1] / tangent;
    r[2] = -share * c[2] / tangent;
    return state;
}

rlti_coulomb_state rlti_coulomb_solve(const double w[3][3], const double c[3], const double friction[2],
                                      double r[3]) {
    slip p;
    double holds = friction[0] > 0.0 ? friction[0] : 0.0, rubs = friction[1] > 0.0 ? friction[1] : 0.0;
    const double mu[2] = {holds, rubs < holds ? rubs : holds};
    r[0] = r[1] = r[2] = 0.0;
    if (!(c[0] < 0.0))
        return RLTI_CONTACT_OPEN;
    if (w[0][1] == 0.0 && w[0][2] == 0.0 && w[1][2] == 0.0 && w[1][1] == w[2][2] && w[0][0] > 0.0 &&
        w[1][1] > 0.0)
        return solve_plain(w[0][0], w[1][1], c, mu, r);
    if (!reduce(w, c, &p))
        return RLTI_CONTACT_OPEN;
    if (force_at(&p, 0.0, mu[0], r) <= 0.0)
        return RLTI_CONTACT_STICK;
    if (mu[1] > 0.0)
        slide(&p, mu[1], r);
    else {
        r[0] = p.push;
        r[1] = r[2] = 0.0;
    }
    return RLTI_CONTACT_SLIP;
}
