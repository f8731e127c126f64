/* helix-sag: a helix of radius R and pitch angle a hangs under its own weight W. Its stiffness along the
 * axis is
 *   1 / k = l R^2 (cos^2 a / (G J) + sin^2 a / (E I)),
 * l the length of the wire, and its own weight makes it longer by W / (2 k). The weight is such that this
 * is 0.5% of its height. The ends of a helix are not on its axis, so there are many turns.
 *
 * Then the weight grows until the wire is nearly straight. At every place it is a helix whose axial load P is
 * the weight below and whose axial torque is 0, since the tip is free. With bend k = O cos a and twist t = O
 * sin a, O radians a unit of wire and k0, t0 at rest, that is
 *   E I (k - k0) cos a + G J (t - t0) sin a = 0,  P cos a = O (G J (t - t0) cos a - E I (k - k0) sin a),
 * the height is the sum of sin a. Ends, where the wire is not yet a helix, are left out of the reference. */
#include <math.h>
#include <stdio.h>

#include "validate/validate_rod.h"

enum { TURNS = 16 };

static rlt_status hang(rlt_rod_energy energy, double pitch_angle, double twist, int per_turn, double *ratio,
                       double *height, int *unconverged) {
    rod_lab lab = {0};
    int points = TURNS * per_turn + 1;
    if (!lab_create(&lab, points))
        return RLT_FAILED;
    double sine = sin(pitch_angle), cosine = cos(pitch_angle), turn = 2.0 * ROD_PI / per_turn;
    double radius = 1.0, rise = radius * tan(pitch_angle); /* a radian */
    for (int i = 0; i < points; i++) {
        lab.x[3 * i] = radius * cos(turn * i);
        lab.x[3 * i + 1] = radius * sin(turn * i);
        lab.x[3 * i + 2] = -rise * turn * i;
    }
    double wire = radius * 2.0 * ROD_PI * TURNS / cosine;
    double give = wire * radius * radius * (cosine * cosine / twist + sine * sine);
    *height = rise * 2.0 * ROD_PI * TURNS;
    double weight = 2.0 * 0.005 * *height / give, gravity[3] = {0, 0, -weight / wire};
    lab.def.energy = energy;
    lab.def.twist = twist;
    lab.def.stretch = 1e6;
    lab.def.curved = 1;
    lab.period = wire * wire;
    rlt_status status = lab_build(&lab, 0);
    if (status == RLT_OK) {
        double before = lab.x[3 * (points - 1) + 2];
        lab_settle(&lab, gravity);
        *ratio = (before - lab.x[3 * (points - 1) + 2]) / (0.5 * weight * give);
        *unconverged += lab.unconverged;
    }
    lab_destroy(&lab);
    return status;
}

/* ---- unwinding ---- */

typedef struct coil {
    double sine, cosine, twist; /* of the pitch angle at rest; G J. Radius and E I are 1 */
} coil;

/* Axial load of a uniform helix that has this pitch angle and no axial torque. */
static double load_of(const coil *c, double angle) {
    double s = sin(angle), k = cos(angle), k0 = c->cosine * c->cosine, t0 = c->sine * c->cosine;
    double turn = (k0 * k + c->twist * t0 * s) / (k * k + c->twist * s * s);
    return turn * (c->twist * (turn * s - t0) - (turn * k - k0) * s / k);
}

/* Height of the coil under its own weight: pitch angles by halving. */
static double height_of(const coil *c, double wire, double weight) {
    enum { PARTS = 4000 };
    double height = 0.0;
    for (int i = 0; i < PARTS; i++) {
        double load = weight * (i + 0.5) / PARTS, low = asin(c->sine), high = 0.5 * ROD_PI - 1e-9;
        for (int n = 0; n < 50; n++) {
            double middle = 0.5 * (low + high);
            *(load_of(c, middle) < load ? &low : &high) = middle;
        }
        height += sin(low) * wire / PARTS;
    }
    return height;
}

enum { WEIGHTS = 5 };

/* Height of the rod under growing weights [E I / R^2], each from the shape before. */
static rlt_status unwind(const coil *c, int per_turn, const double *weights, double *heights, double *wire,
                         int *unconverged) {
    rod_lab lab = {0};
    int points = TURNS * per_turn + 1;
    if (!lab_create(&lab, points))
        return RLT_FAILED;
    double turn = 2.0 * ROD_PI / per_turn, last = 0.0;
    for (int i = 0; i < points; i++) {
        lab.x[3 * i] = cos(turn * i);
        lab.x[3 * i + 1] = sin(turn * i);
        lab.x[3 * i + 2] = -c->sine / c->cosine * turn * i;
    }
    *wire = 2.0 * ROD_PI * TURNS / c->cosine;
    lab.def.twist = c->twist;
    lab.def.stretch = 1e6;
    lab.def.curved = 1;
    lab.period = *wire * *wire;
    rlt_status status = lab_build(&lab, 0);
    for (int k = 0; k < WEIGHTS && status == RLT_OK; k++) {
        double gravity[3] = {0};
        for (int n = 1; n <= 4; n++) { /* the coil turns many times as it unwinds: let it, and settle then */
            gravity[2] = -(last + (weights[k] - last) * n / 4) / *wire;
            lab_relax(&lab, gravity, 0.01 * lab.period, n < 4 ? 10 : 60);
        }
        lab_put(&lab);
        lab_settle(&lab, gravity);
        last = weights[k];
        heights[k] = -lab.x[3 * (points - 1) + 2];
    }
    *unconverged += lab.unconverged;
    lab_destroy(&lab);
    return status;
}

static rlt_status sweep(validate_run *run) {
    static const double weights[WEIGHTS] = {0.1, 0.3, 1, 3, 10};
    const double angle = 10.0 * ROD_PI / 180.0;
    coil c = {sin(angle), cos(angle), 2.0 / 3.0};
    double heights[2][WEIGHTS] = {{0}}, wire = 0.0;
    int unconverged = 0;
    rlt_status status = RLT_OK;
    for (int n = 0; n < 2 && status == RLT_OK; n++)
        status = unwind(&c, n == 0 ? 12 : 32, weights, heights[n], &wire, &unconverged);
    for (int k = 0; k < WEIGHTS && status == RLT_OK; k++) {
        double expected = height_of(&c, wire, weights[k]), rest = c.sine * wire, found = heights[1][k];
        validate_result r = {.verdict = unconverged > 0 ? VALIDATE_FAIL : VALIDATE_PASS};
        snprintf(r.name, sizeof r.name, "unwinding, weight %g E I / R^2", weights[k]);
        snprintf(r.reason, sizeof r.reason,
                 "%.2f times as long as at rest, %.0f%% of the wire; with 12 vertices a turn %.2f times.",
                 found / rest, 100.0 * found / wire, heights[0][k] / rest);
        validate_detail(&r, "coarse", heights[0][k] / rest);
        validate_detail(&r, "extension_of_rest", found / rest - 1.0);
        validate_detail(&r, "unconverged", unconverged);
        if (k > 0 && found <= heights[1][k - 1])
            r.verdict = VALIDATE_FAIL;
        status = rod_compare(run, &r, "rest height", found / rest, expected / rest, 0.03,
                             "height within 3%, and greater for every greater weight");
    }
    return status;
}

/* Both models: `of` names it. */
static rlt_status hang_all(validate_run *run, rlt_rod_energy energy, const char *of) {
    static const double angles[] = {10, 20, 35, 20}, twists[] = {2.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0, 1.0};
    rlt_status status = RLT_OK;
    for (int k = 0; k < 4 && status == RLT_OK; k++) {
        double ratio[2] = {0}, height = 0.0;
        int unconverged = 0;
        for (int n = 0; n < 2 && status == RLT_OK; n++)
            status = hang(energy, angles[k] * ROD_PI / 180.0, twists[k], n == 0 ? 12 : 32, &ratio[n], &height,
                          &unconverged);
        if (status != RLT_OK)
            return status;
        validate_result r = {.model = of, .verdict = unconverged > 0 ? VALIDATE_FAIL : VALIDATE_PASS};
        if (energy != RLT_ROD_ENERGY && !(fabs(ratio[0] / ratio[1] - 1.0) < 0.02))
            r.verdict = VALIDATE_FAIL;
        snprintf(r.name, sizeof r.name, "pitch %g degrees, G J / E I = %s", angles[k], k == 3 ? "1" : "2/3");
        snprintf(r.reason, sizeof r.reason,
                 "%d turns, %.1f radii high; with 12 and 32 vertices a turn off by %.2f%% and %.2f%%.", TURNS,
                 height, 100 * (ratio[0] - 1), 100 * (ratio[1] - 1));
        validate_detail(&r, "coarse", ratio[0]);
        validate_detail(&r, "unconverged", unconverged);
        status =
            rod_compare(run, &r, "of W/2k", ratio[1], 1.0, 0.03, "extension by its own weight within 3%");
    }
    return status;
}

rlt_status validate_helix_sag(validate_run *run) {
    rlt_status status = hang_all(run, RLT_ROD_ENERGY, "rod");
    return status == RLT_OK ? sweep(run) : status;
}

/* ---- in steps ---- */

/* A curl of one hair, radius and pitch 4 mm, five turns, falls and comes to rest in steps of so many seconds
 * with three Newton iterations: how far its tip has sunk [m], as the mean of the last second. */
static rlt_status fall(int per_turn, double seconds, double *sunk) {
    enum { CURLS = 5, FALL = 10 };
    const double radius = 4e-3, pitch = 4e-3, hair = 40e-6, area = ROD_PI * hair * hair;
    rod_lab lab = {0};
    int points = CURLS * per_turn + 1, steps = (int)(FALL / seconds + 0.5), last = (int)(1.0 / seconds + 0.5);
    *sunk = 0.0;
    if (!lab_create(&lab, points))
        return RLT_FAILED;
    for (int i = 0; i < points; i++) {
        double angle = 2.0 * ROD_PI * i / per_turn;
        lab.x[3 * i] = radius * cos(angle);
        lab.x[3 * i + 1] = radius * sin(angle);
        lab.x[3 * i + 2] = -pitch * i / per_turn;
    }
    lab.def.energy = RLT_COIL_ENERGY;
    lab.def.stretch = 4e9 * area;
    lab.def.bend[0] = lab.def.bend[1] = 4e9 * area * hair * hair / 4;
    lab.def.twist = 1.5e9 * area * hair * hair / 2;
    lab.def.mass = 1320.0 * area;
    lab.def.damping = 0.01;
    lab.def.curved = 1;
    rlt_status status = lab_build(&lab, 0);
    double before = lab.x[3 * (points - 1) + 2];
    rlt_rod_step step = rlt_rod_step_defaults();
    step.seconds = seconds;
    step.gravity[2] = -9.81;
    step.iterations = 3;
    step.tolerance = 0.0;
    step.plain = 1;
    for (int n = 0; n < steps && status == RLT_OK; n++) {
        rlt_rod_advance(lab.rod, &step);
        rlt_rod_get(lab.rod, lab.x, NULL, NULL, NULL);
        if (n >= steps - last)
            *sunk += (before - lab.x[3 * (points - 1) + 2]) / last;
    }
    lab_destroy(&lab);
    return status;
}

/* Twice the points and half the step. */
static rlt_status fall_both(validate_run *run) {
    double sunk[2] = {0};
    rlt_status status = RLT_OK;
    for (int n = 0; n < 2 && status == RLT_OK; n++)
        status = fall(n == 0 ? 10 : 20, n == 0 ? 1.0 / 30 : 1.0 / 60, &sunk[n]);
    if (status != RLT_OK)
        return status;
    validate_result r = {.model = "coil", .name = "twice the points, half the step"};
    snprintf(r.reason, sizeof r.reason,
             "One hair of 5 turns, 20 mm high, sinks by %.3f mm with 10 vertices a turn in steps of 1/30 s.",
             1e3 * sunk[0]);
    return rod_compare(run, &r, "of the sag", sunk[1] / sunk[0], 1.0, 0.02, "sag within 2%");
}

rlt_status validate_coil_hanging(validate_run *run) {
    rlt_status status = hang_all(run, RLT_COIL_ENERGY, "coil");
    return status == RLT_OK ? fall_both(run) : status;
}
