/* stick-slip (Sano, Yamaguchi & Wada): a straight weightless rod, clamped upright at its upper end, stands on
 * a plane; the clamp is lowered by eps L. While the foot sticks the rod is the elastica that is clamped and
 * hinged; it slips when its force leaves the cone of friction. Above mu = 0.3564 it never does: the foot lies
 * down first. Lowered by 1e-3 L in a period of the slowest mode, by implicit Euler with 5 steps a period,
 * and with one, as animations take them. */
#include <math.h>
#include <stdio.h>

#include "validate/validate_friction.h"

enum { POINTS = 21, CURVE = 400 };

static const double period = 0.4075; /* of the rod, clamped and hinged: 2 pi / 15.418 */
static const double slow = 1e-3, far = 1e-3, deepest = 0.36;

/* Where it slips, from the equations: eps, mu. */
static const double table[][2] = {{.0072, .0381}, {.0288, .0773}, {.0643, .1188},
                                  {.1130, .1643}, {.1739, .2159}, {.2457, .2770},
                                  {.2853, .3126}, {.3270, .3530}, {.3303, .3564}};
enum { TABLE = sizeof table / sizeof table[0] };

/* eps / mu^2 is nearly straight between the table's lines. */
static double slips_at(double mu) {
    int k = 0;
    while (k + 2 < TABLE && table[k + 1][1] < mu)
        k++;
    double low = table[k][1], high = table[k + 1][1], share = (mu - low) / (high - low);
    double a = table[k][0] / (low * low), b = table[k + 1][0] / (high * high);
    return mu * mu * (a + share * (b - a));
}

typedef struct course {
    double slip;                     /* eps at which the foot had moved by `far`; 0: it never did */
    double creep;                    /* way of the foot up to 0.95 of that */
    double farthest;                 /* and in all */
    int count;                       /* of these: */
    double eps[CURVE], ratio[CURVE]; /* tangential over normal force of the ground */
    double moved[CURVE];
} course;

/* The ground's force over its normal part: what the rod's own forces on points that touch add up to. */
static double lean(friction_lab *f) {
    double sum[3] = {0};
    rlt_rod_derivatives(f->lab.rod, f->lab.gradient, NULL, NULL);
    for (int i = 1; i < POINTS; i++)
        for (int k = 0; k < 3 && f->lab.x[3 * i + 2] < 1e-4; k++)
            sum[k] += f->lab.gradient[4 * i + k];
    return sum[2] > 0.0 ? sqrt(sum[0] * sum[0] + sum[1] * sum[1]) / sum[2] : 0.0;
}

/* Upright, and a little bent, so that it knows where to go. */
static rlt_status stand(friction_lab *f, double mu) {
    static const double down[3] = {0, 0, -1};
    rlt_rod_body ground = rlt_rod_body_defaults();
    ground.friction = mu;
    if (!friction_create(f, POINTS))
        return RLT_FAILED;
    f->lab.def.stretch = 1e6;
    lab_line(&f->lab, 1.0, down);
    for (int i = 0; i < POINTS; i++)
        f->lab.x[3 * i + 2] += 1.0;
    rlt_status status = lab_build(&f->lab, 0);
    for (int i = 0; i < POINTS && status == RLT_OK; i++) /* 1e-3 L */
        f->lab.x[3 * i] = 5e-4 * (1.0 - cos(2.0 * ROD_PI * i / (POINTS - 1)));
    if (status != RLT_OK)
        return status;
    lab_put(&f->lab);
    return friction_touch(f, &ground);
}

/* Lowers the clamp until the foot slips, `steps` to a period. */
static rlt_status lower(friction_lab *f, double mu, int steps, course *c) {
    static const double down[3] = {0, 0, -1}, side[3] = {0, 1, 0};
    rlt_status status = stand(f, mu);
    *c = (course){0};
    if (status != RLT_OK)
        return status;
    const double *foot = f->lab.x + (ptrdiff_t)3 * (POINTS - 1);
    f->step.seconds = period / steps;
    for (int n = 1; n * slow / steps < deepest && c->slip == 0.0; n++) {
        double eps = n * slow / steps, clamp[3] = {0, 0, 1.0 - eps};
        rlt_rod_clamp(f->lab.rod, clamp, down, side);
        friction_step(f, NULL);
        double moved = sqrt(foot[0] * foot[0] + foot[1] * foot[1]);
        c->farthest = fmax(c->farthest, moved);
        if (moved > far)
            c->slip = eps;
        if (n % steps == 0 && c->count < CURVE) {
            c->eps[c->count] = eps;
            c->moved[c->count] = moved;
            c->ratio[c->count++] = lean(f);
        }
    }
    for (int k = 0; k < c->count; k++)
        if (c->slip == 0.0 || c->eps[k] < 0.95 * c->slip)
            c->creep = fmax(c->creep, c->moved[k]);
    return RLT_OK;
}

static rlt_status report(validate_run *run, double mu, const friction_lab *f, const course *c,
                         validate_result *r) {
    r->model = "rod";
    r->tolerance = 0.05;
    validate_detail(r, "creep_length", c->creep);
    friction_count(f, r);
    if (mu > table[TABLE - 1][1]) {
        r->unit = "length";
        r->measured = c->farthest;
        r->reference = far;
        r->rule = "the foot moves by less than reference";
        if (c->slip > 0.0)
            r->verdict = VALIDATE_FAIL;
        snprintf(r->reason, sizeof r->reason, "Lowered to eps %g the foot moved by %.1e L.", deepest,
                 c->farthest);
        return validate_add(run, r);
    }
    r->unit = "eps";
    r->measured = c->slip;
    r->reference = slips_at(mu);
    r->rule = "slips within 5% or 0.005 of eps, creep before < 1e-3 L";
    double off = fabs(c->slip - r->reference);
    if (!(off <= fmax(0.05 * r->reference, 0.005) && c->slip > 0.0 && c->creep < 1e-3))
        r->verdict = VALIDATE_FAIL;
    snprintf(r->reason, sizeof r->reason, "Off by %.4f, %.1f%%. Creep up to 0.95 of eps: %.1e L.",
             c->slip - r->reference, 100.0 * (c->slip / r->reference - 1.0), c->creep);
    return validate_add(run, r);
}

static rlt_status draw(validate_run *run, const course *c) {
    double eps[TABLE], mu[TABLE];
    int upright = 0;
    plot *chart = plot_create("Stick-slip: force of the ground over the clamp's way", "eps",
                              "tangential / normal force");
    for (int k = 0; k < TABLE; k++) {
        eps[k] = table[k][0];
        mu[k] = table[k][1];
    }
    while (upright < c->count && c->eps[upright] <= table[TABLE - 1][0])
        upright++; /* it lies down then */
    plot_series(chart, "equations", eps, mu, TABLE);
    plot_series(chart, "rod of 21 vertices", c->eps, c->ratio, upright);
    return validate_plot(run, chart, "stick-slip");
}

rlt_status validate_stick_slip(validate_run *run) {
    static const double mus[] = {0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.34, 0.4};
    static const int steps[] = {1, 5};
    enum { MUS = sizeof mus / sizeof mus[0] };
    course c;
    rlt_status status = RLT_OK;
    for (int k = 0; k < 2 * MUS && status == RLT_OK; k++) {
        double mu = mus[k % MUS];
        friction_lab f = {0};
        validate_result r = {0};
        snprintf(r.name, sizeof r.name, "mu %g, steps a period: %d", mu, steps[k / MUS]);
        validate_note(run, "%s", r.name);
        status = lower(&f, mu, steps[k / MUS], &c);
        if (status == RLT_OK)
            status = report(run, mu, &f, &c, &r);
        friction_destroy(&f);
    }
    return status == RLT_OK && validate_plots(run) ? draw(run, &c) : status; /* of the last, which sticks */
}
