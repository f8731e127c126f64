/* capstan: a hair over a cylinder, pulled at both ends by T1 and T2. It slips if T2 / T1 > exp(mu phi), phi
 * the angle it is wrapped by. Beyond half a turn it winds along the cylinder, 0.2 R a turn, so that it does
 * not meet itself: the cylinder's part of its tangent then turns by 0.05% less. Lengths in R, forces in
 * T1, mass of a unit of length 1; bending counts for 1e-5.
 *
 * At a vertex that turns by d, T2 / T1 is (1 + mu tan(d/2)) / (1 - mu tan(d/2)): exp(mu d) but for mu d^3 /
 * 12. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "validate/validate_friction.h"

enum { SETTLE = 10, RAMP = 15, HOLD = 20, HALVINGS = 6 };

typedef struct winding {
    double phi, rise;   /* rise: along the cylinder, of a radian */
    double turn;        /* of a vertex */
    int around, before; /* edges on the cylinder, and of each straight end */
    double ends[2][3];  /* unit tangents at both ends, in the hair's direction */
} winding;

static winding wind(double phi, double turn) {
    winding w = {.phi = phi, .rise = phi > ROD_PI ? 0.2 / (2.0 * ROD_PI) : 0.0};
    w.around = (int)ceil(phi / turn);
    w.turn = phi / w.around;
    w.before = (int)ceil(1.0 / w.turn);
    for (int k = 0; k < 2; k++) {
        double at = k * phi, scale = 1.0 / sqrt(1.0 + w.rise * w.rise);
        w.ends[k][0] = -sin(at) * scale;
        w.ends[k][1] = w.rise * scale;
        w.ends[k][2] = -cos(at) * scale;
    }
    return w;
}

/* The hair at its i-th vertex: on the cylinder about y, or straight on. */
static void place(const winding *w, int i, double x[3]) {
    int on = i - w->before, beyond = on < 0 ? on : on > w->around ? on - w->around : 0;
    double at = w->turn * (on - beyond), edge = w->turn * sqrt(1.0 + w->rise * w->rise);
    const double *along = w->ends[beyond > 0];
    x[0] = cos(at) + beyond * edge * along[0];
    x[1] = w->rise * at + beyond * edge * along[1];
    x[2] = -sin(at) + beyond * edge * along[2];
}

static rlt_status build(friction_lab *f, const winding *w, double mu) {
    rlt_rod_body cylinder = rlt_rod_body_defaults();
    cylinder.axis[1] = cylinder.radius = 1.0;
    cylinder.axis[2] = 0.0;
    cylinder.friction = mu;
    if (!friction_create(f, w->around + 1 + 2 * w->before))
        return RLT_FAILED;
    f->lab.def.free_root = 1;
    f->lab.def.stretch = 1e3;
    f->lab.def.bend[0] = f->lab.def.bend[1] = f->lab.def.twist = 1e-5;
    f->lab.def.gyration = 1e-3;
    f->step.seconds = 0.25;
    for (int i = 0; i < f->lab.points; i++)
        place(w, i, f->lab.x + (ptrdiff_t)3 * i);
    rlt_status status = lab_build(&f->lab, 1); /* straight at rest */
    return status == RLT_OK ? friction_touch(f, &cylinder) : status;
}

/* Pulls with T2 = ratio T1; how far the end of T1 moves while that is held. */
static rlt_status pull(const winding *w, double mu, double ratio, double *moved, friction_lab *f) {
    rlt_status status = build(f, w, mu);
    double *forces = calloc((size_t)f->lab.points + 1, 3 * sizeof *forces), start[3] = {0};
    if (forces == NULL && status == RLT_OK)
        status = RLT_FAILED;
    for (int n = 0; n < SETTLE + RAMP + HOLD && status == RLT_OK; n++) {
        double share = fmin(fmax((n + 1 - SETTLE) / (double)RAMP, 0.0), 1.0),
               t2 = 1.0 + share * (ratio - 1.0);
        for (int k = 0; k < 3; k++) {
            forces[k] = -w->ends[0][k];
            forces[3 * (f->lab.points - 1) + k] = t2 * w->ends[1][k];
        }
        rlt_rod_load(f->lab.rod, forces);
        friction_step(f, NULL);
        for (int k = 0; k < 3 && n == SETTLE + RAMP - 1; k++)
            start[k] = f->lab.x[k];
    }
    *moved = 0.0;
    for (int k = 0; k < 3 && status == RLT_OK; k++)
        *moved += (f->lab.x[k] - start[k]) * w->ends[0][k];
    free(forces);
    return status;
}

/* The ratio at which it slips, between 0.9 and 1.1 of exp(mu phi); 0: it is not there. */
static rlt_status threshold(const winding *w, double mu, double *ratio, friction_lab *total) {
    double low = 0.9, high = 1.1, full = exp(mu * w->phi);
    rlt_status status = RLT_OK;
    for (int n = -2; n < HALVINGS && status == RLT_OK; n++) {
        double middle = n == -2 ? low : n == -1 ? high : 0.5 * (low + high), moved = 0.0;
        friction_lab f = {0};
        status = pull(w, mu, middle * full, &moved, &f);
        friction_add(total, &f);
        friction_destroy(&f);
        int slips = moved > 0.005; /* 5 units of time: 0.1% above is enough */
        if ((n == -2 && slips) || (n == -1 && !slips))
            low = high = 0.0;
        else if (n >= 0)
            *(slips ? &high : &low) = middle;
    }
    *ratio = 0.5 * (low + high) * full;
    return status;
}

static rlt_status one(validate_run *run, double half_turns, double mu, double turn) {
    winding w = wind(half_turns * ROD_PI, turn);
    friction_lab total = {0};
    double ratio = 0.0, full = exp(mu * w.phi);
    rlt_status status = threshold(&w, mu, &ratio, &total);
    if (status != RLT_OK)
        return status;
    validate_result r = {0};
    snprintf(r.name, sizeof r.name, "phi %g pi, mu %g, %.0f vertices a turn", half_turns, mu,
             2.0 * ROD_PI / w.turn);
    snprintf(r.reason, sizeof r.reason, "Off by %.2f%%; vertices by themselves make it %.2f%%.",
             100.0 * (ratio / full - 1.0),
             100.0 * (pow((1.0 + mu * tan(0.5 * w.turn)) / (1.0 - mu * tan(0.5 * w.turn)), w.around) / full -
                      1.0));
    friction_count(&total, &r);
    validate_note(run, "%s", r.name);
    return rod_compare(run, &r, "T2/T1", ratio, full, 0.03,
                       "ratio at which it slips within 3% of exp(mu phi)");
}

rlt_status validate_capstan(validate_run *run) {
    static const double cases[][3] = {{0.5, 0.3, 0.1}, {1, 0.3, 0.1}, {2, 0.3, 0.1}, {3, 0.3, 0.1},
                                      {1, 0.3, 0.2},   {1, 0.3, 0.4}, {1, 0.15, 0.1}};
    rlt_status status = RLT_OK;
    for (int k = 0; k < (int)(sizeof cases / sizeof cases[0]) && status == RLT_OK; k++)
        status = one(run, cases[k][0], cases[k][1], cases[k][2]);
    return status;
}
