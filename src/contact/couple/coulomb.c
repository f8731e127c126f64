#include "contact/couple/coulomb.h"

#include <float.h>
#include <math.h>

void rlti_coulomb_prepare(const double w[3][3], rlti_coulomb_block *block) {
    double nn = w[0][0], x = w[0][1] / nn, y = w[0][2] / nn;
    *block = (rlti_coulomb_block){.normal = nn, .x = x, .y = y, .plain = 0};
    if (!(nn > 0.0))
        return;
    if (w[0][1] == 0.0 && w[0][2] == 0.0 && w[1][2] == 0.0 && w[1][1] == w[2][2]) {
        block->plain = w[1][1] > 0.0;
        block->s[0] = block->s[1] = w[1][1];
        return;
    }
    double a = w[1][1] - x * w[0][1], d = w[2][2] - y * w[0][2], e = w[1][2] - x * w[0][2];
    double half = 0.5 * (a - d), length = sqrt(half * half + e * e), mean = 0.5 * (a + d);
    block->s[0] = mean + length;
    block->s[1] = (a * d - e * e) / block->s[0]; /* without cancellation */
    /* of the two forms of the axis the one without cancellation */
    double u = half >= 0.0 ? half + length : fabs(e), v = half >= 0.0 ? e : copysign(length - half, e);
    double norm = sqrt(u * u + v * v);
    block->axis[0] = norm > 0.0 ? u / norm : 1.0;
    block->axis[1] = norm > 0.0 ? v / norm : 0.0;
    block->lean[0] = block->axis[0] * x + block->axis[1] * y;
    block->lean[1] = block->axis[0] * y - block->axis[1] * x;
}

/* One displacement: tangential, in the block's axes, and the normal force without friction. */
typedef struct slip {
    double b[2], push;
} slip;

/* The force at one lambda: along the axes (less its sign) and the normal, and what is tangential in all. */
typedef struct pull {
    double d[2], t[2], normal, tangent;
} pull;

static inline pull pull_at(const rlti_coulomb_block *p, const slip *c, double lambda) {
    pull f = {.d = {1.0 / (p->s[0] + lambda), 1.0 / (p->s[1] + lambda)}};
    f.t[0] = c->b[0] * f.d[0];
    f.t[1] = c->b[1] * f.d[1];
    f.normal = c->push + p->lean[0] * f.t[0] + p->lean[1] * f.t[1];
    f.tangent = sqrt(f.t[0] * f.t[0] + f.t[1] * f.t[1]);
    return f;
}

static void put_force(const rlti_coulomb_block *p, const pull *f, double r[3]) {
    r[0] = f->normal;
    r[1] = -(p->axis[0] * f->t[0] - p->axis[1] * f->t[1]);
    r[2] = -(p->axis[1] * f->t[0] + p->axis[0] * f->t[1]);
}

/* Newton's next lambda, for mu r_n / |r_t|, which is nearly a line in lambda: a line where friction is the
 * same in all directions and does not press. From the left it stays on the left then. */
static inline double next_lambda(const rlti_coulomb_block *p, const pull *f, double mu, double lambda) {
    double t0 = f->t[0] * f->d[0], t1 = f->t[1] * f->d[1], square = f->tangent * f->tangent;
    double slope = f->normal * (f->t[0] * t0 + f->t[1] * t1) / square - (p->lean[0] * t0 + p->lean[1] * t1);
    return lambda + (f->tangent - mu * f->normal) / (mu * slope);
}

/* The force where it slips; `f` is that at lambda = 0, outside of the cone, and *start where to begin, 0: not
 * known. Where Newton leaves the bracket, and in every eighth step, that is halved in z, lambda =
 * s z / (1 - z), so that it always ends. */
static void slide(const rlti_coulomb_block *p, const slip *c, double mu, pull f, double *start, double r[3]) {
    double scale = sqrt(p->s[0] * p->s[1]), low = 0.0, high = HUGE_VAL, lambda = 0.0;
    for (int i = 0; i < 512; i++) {
        double next = i == 0 && *start > 0.0 ? *start : next_lambda(p, &f, mu, lambda);
        if (i % 8 == 7 || !(next > low && next < high)) {
            double z = 0.5 * (low / (scale + low) + (high < HUGE_VAL ? high / (scale + high) : 1.0));
            next = scale * z / (1.0 - z);
        }
        if (!(next > low && next < high))
            break;
        lambda = next;
        f = pull_at(p, c, lambda);
        double excess = f.tangent - mu * f.normal;
        if (fabs(excess) <= 4.0 * DBL_EPSILON * mu * f.normal) {
            put_force(p, &f, r);
            *start = lambda;
            return;
        }
        if (excess > 0.0)
            low = lambda;
        else
            high = lambda;
    }
    if (high < HUGE_VAL) {
        f = pull_at(p, c, high);
        put_force(p, &f, r);
        return;
    }
    r[0] = c->push; /* slides as if there were no friction, to rounding */
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

rlti_coulomb_state rlti_coulomb_solve(const rlti_coulomb_block *block, const double c[3],
                                      const double friction[2], double *lambda, double r[3]) {
    double holds = friction[0] > 0.0 ? friction[0] : 0.0, rubs = friction[1] > 0.0 ? friction[1] : 0.0;
    const double mu[2] = {holds, rubs < holds ? rubs : holds};
    r[0] = r[1] = r[2] = 0.0;
    if (!(c[0] < 0.0))
        return RLTI_CONTACT_OPEN;
    if (block->plain)
        return solve_plain(block->normal, block->s[0], c, mu, r);
    double b1 = c[1] - block->x * c[0], b2 = c[2] - block->y * c[0];
    const slip p = {{block->axis[0] * b1 + block->axis[1] * b2, block->axis[0] * b2 - block->axis[1] * b1},
                    -c[0] / block->normal};
    if (!(block->s[0] > 0.0) || !(block->s[1] > 0.0) || p.push != p.push || p.b[0] != p.b[0] ||
        p.b[1] != p.b[1])
        return RLTI_CONTACT_OPEN;
    pull f = pull_at(block, &p, 0.0);
    if (f.tangent <= mu[0] * f.normal) {
        put_force(block, &f, r);
        return RLTI_CONTACT_STICK;
    }
    r[0] = p.push;
    if (mu[1] > 0.0)
        slide(block, &p, mu[1], f, lambda, r);
    return RLTI_CONTACT_SLIP;
}
