/* incline: a straight hair lies on a plane that is inclined by a. It sticks if tan a <= mu; else it slides
 * with the acceleration g (sin a - mu cos a). A hair of 10 cm, 40 um, 4 GPa in steps of a frame (1/24 s),
 * along the slope and at 45 degrees to it. */
#include <math.h>
#include <stdio.h>

#include "validate/validate_friction.h"

enum { POINTS = 21, RATE = 24 };

static const double length = 0.1, gravity = 9.81; /* [m], [m/s^2] */

/* The plane rises against x. */
static rlt_status lay(friction_lab *f, double angle, double across, double friction) {
    double along[3] = {cos(angle) * cos(across), sin(across), -sin(angle) * cos(across)};
    if (!friction_create(f, POINTS))
        return RLT_FAILED;
    f->lab.def.stretch = 20.1;
    f->lab.def.bend[0] = f->lab.def.bend[1] = 8.04e-9;
    f->lab.def.twist = 6.03e-9;
    f->lab.def.mass = 6.64e-6;
    f->lab.def.gyration = 8e-10;
    f->lab.def.free_root = 1;
    lab_line(&f->lab, length, along);
    rlt_status status = lab_build(&f->lab, 0);
    if (status != RLT_OK)
        return status;
    rlt_rod_body plane = rlt_rod_body_defaults();
    plane.axis[0] = sin(angle);
    plane.axis[2] = cos(angle);
    plane.friction = friction;
    f->step.seconds = 1.0 / RATE;
    f->step.gravity[2] = -gravity;
    return friction_touch(f, &plane);
}

/* Greatest way of a point from where it was. */
static double farthest(const double *x, const double *from) {
    double most = 0.0;
    for (int i = 0; i < POINTS; i++) {
        double square = 0.0;
        for (int k = 0; k < 3; k++)
            square += (x[3 * i + k] - from[3 * i + k]) * (x[3 * i + k] - from[3 * i + k]);
        most = fmax(most, square);
    }
    return sqrt(most);
}

/* Mean velocity down the slope. */
static double downward(const double *v, double angle) {
    double sum = 0.0;
    for (int i = 0; i < POINTS; i++)
        sum += v[3 * i] * cos(angle) - v[3 * i + 2] * sin(angle);
    return sum / POINTS;
}

/* Creep / length in so many seconds, and the acceleration in the second half of them. */
static rlt_status slide(double angle, double across, double friction, int seconds, double *creep,
                        double *acceleration, friction_lab *f) {
    double start[3 * POINTS], v[3 * POINTS], half = 0.0;
    rlt_status status = lay(f, angle, across, friction);
    if (status != RLT_OK)
        return status;
    rlt_rod_get(f->lab.rod, start, NULL, NULL, NULL);
    for (int n = 1; n <= seconds * RATE; n++) {
        friction_step(f, v);
        if (2 * n == seconds * RATE)
            half = downward(v, angle);
    }
    *creep = farthest(f->lab.x, start) / length;
    *acceleration = (downward(v, angle) - half) / (0.5 * seconds);
    return RLT_OK;
}

/* One angle and friction; the worse of both directions. */
static rlt_status one(validate_run *run, double degrees, double share) {
    int sticks = share > 1.0;
    double angle = degrees * ROD_PI / 180.0, friction = share * tan(angle);
    double expected = gravity * (sin(angle) - friction * cos(angle)), worst = 0.0, off[2] = {0};
    friction_lab total = {0};
    validate_result r = {.model = "rod"};
    r.measured = sticks ? 0.0 : expected;
    for (int k = 0; k < 2; k++) {
        double creep = 0.0, acceleration = 0.0;
        friction_lab f = {0};
        rlt_status status =
            slide(angle, k * ROD_PI / 4.0, friction, sticks ? 10 : 2, &creep, &acceleration, &f);
        friction_add(&total, &f);
        friction_destroy(&f);
        if (status != RLT_OK)
            return status;
        double value = sticks ? creep : acceleration;
        off[k] = sticks ? creep : fabs(acceleration / expected - 1.0);
        if (off[k] >= worst) {
            worst = off[k];
            r.measured = value;
        }
    }
    friction_count(&total, &r);
    snprintf(r.name, sizeof r.name, "%g degrees, mu = %g tan a", degrees, share);
    if (!sticks) {
        snprintf(r.reason, sizeof r.reason,
                 "Slides; the acceleration is off by %.1e along the slope, %.1e at 45 degrees to it.", off[0],
                 off[1]);
        return rod_compare(run, &r, "m/s^2", r.measured, expected, 0.01,
                           "acceleration within 1% of g (sin a - mu cos a)");
    }
    snprintf(r.reason, sizeof r.reason,
             "Sticks; 10 s take it %.1e of its length along the slope, %.1e at 45 degrees to it.", off[0],
             off[1]);
    r.unit = "length";
    r.reference = 1e-3;
    r.rule = "creep in 10 s < reference";
    if (!(r.measured < r.reference))
        r.verdict = VALIDATE_FAIL;
    return validate_add(run, &r);
}

rlt_status validate_incline(validate_run *run) {
    static const double angles[] = {10, 20, 30, 45, 60}, shares[] = {1.02, 0.98, 0.5};
    rlt_status status = RLT_OK;
    for (int s = 0; s < 3; s++)
        for (int a = 0; a < 5 && status == RLT_OK; a++)
            status = one(run, angles[a], shares[s]);
    return status;
}
