/* Part of dynamics: natural frequencies of a clamped rod, and what the length of the step does to them.
 *
 * The rod is released in the shape of its n-th mode, cosh b s - cos b s - c (sinh b s - sin b s), so small
 * that the tip follows z(k + 1) = p z(k) - q z(k - 1) from step to step: p and q by least squares give
 * frequency and damping however few steps a period has. What they must be is known: an oscillator of w
 * radians a second has, with implicit Euler, the factor 1 / (1 - i w h) a step, so that
 *   damping ratio = s / sqrt(s^2 + t^2),   s = log(1 + (w h)^2) / 2,   t = atan(w h),
 * and with implicit midpoint none, t = 2 atan(w h / 2). */
#include <math.h>
#include <stdio.h>

#include "validate/validate_rod.h"

typedef struct mode {
    double root, blend; /* b, c */
} mode;

static const mode modes[] = {{1.8751040687119611, 0.7340955137589128}, {4.694091132974175, 1.0184673188}};

typedef struct swing {
    double frequency; /* [1/s] */
    double damping;   /* ratio of the critical */
} swing;

/* Slope of the mode at s. */
static double slope_of(const mode *m, double s) {
    double b = m->root, at = b * s;
    return b * (sinh(at) + sin(at) - m->blend * (cosh(at) - cos(at)));
}

/* Frequency and damping of the tip over so many steps. */
static swing follow(rod_lab *lab, const rlt_rod_step *step, int steps) {
    const double *tip = lab->x + (ptrdiff_t)3 * (lab->points - 1) + 2;
    double last = *tip, before = 0.0, aa = 0, ab = 0, bb = 0, ac = 0, bc = 0;
    for (int n = 0; n < steps; n++) {
        rlt_rod_advance(lab->rod, step);
        rlt_rod_get(lab->rod, lab->x, NULL, NULL, NULL);
        if (n > 0) { /* the first step has the velocity of none before it */
            aa += last * last;
            ab -= last * before;
            bb += before * before;
            ac += last * *tip;
            bc -= before * *tip;
        }
        before = last;
        last = *tip;
    }
    double det = aa * bb - ab * ab, p = (ac * bb - bc * ab) / det, q = (bc * aa - ac * ab) / det;
    double fall = -0.5 * log(q), turn = acos(fmax(-1.0, fmin(1.0, 0.5 * p / sqrt(q))));
    swing s = {turn / (2.0 * ROD_PI * step->seconds), fall / sqrt(fall * fall + turn * turn)};
    return s;
}

/* A rod of length, E I and mass 1, so that w = b^2. */
static rlt_status release(const mode *m, int points, double seconds, int midpoint, int steps, swing *out) {
    static const double along[3] = {1, 0, 0}, origin[3] = {0}, across[3] = {0, 1, 0};
    const double small = 1e-5;
    rod_lab lab = {0};
    if (!lab_create(&lab, points))
        return RLT_FAILED;
    lab_line(&lab, 1.0, along);
    lab.def.director = across;
    rlt_status status = lab_build(&lab, 0);
    if (status == RLT_OK) {
        double h = 1.0 / (points - 1);
        for (int i = 0; i + 1 < points; i++) {
            double angle = small * slope_of(m, (i + 0.5) * h);
            lab.x[3 * i + 3] = lab.x[3 * i] + h * cos(angle);
            lab.x[3 * i + 5] = lab.x[3 * i + 2] + h * sin(angle);
        }
        rlt_rod_clamp(lab.rod, origin, along, across);
        rlt_rod_set(lab.rod, lab.x, NULL, NULL, NULL);
        rlt_rod_step step = rlt_rod_step_defaults();
        step.seconds = seconds;
        step.midpoint = midpoint;
        step.tolerance = 1e-12;
        *out = follow(&lab, &step, steps);
    }
    lab_destroy(&lab);
    return status;
}

/* The second natural frequency over the first. */
static rlt_status second_over_first(validate_run *run) {
    swing s[2] = {{0}};
    rlt_status status = RLT_OK;
    for (int n = 0; n < 2 && status == RLT_OK; n++) {
        double period = 2.0 * ROD_PI / (modes[n].root * modes[n].root);
        status = release(&modes[n], 81, period / 400.0, 1, 800, &s[n]);
    }
    if (status != RLT_OK)
        return status;
    double first = modes[0].root * modes[0].root / (2.0 * ROD_PI), ratio = s[1].frequency / s[0].frequency;
    validate_result r = {.name = "second natural frequency / first"};
    snprintf(r.reason, sizeof r.reason,
             "81 vertices, midpoint, 400 steps a period; off by %.3f%%; the first by %.3f%%.",
             100.0 * (ratio / 6.267 - 1.0), 100.0 * (s[0].frequency / first - 1.0));
    validate_detail(&r, "first", s[0].frequency);
    validate_detail(&r, "second", s[1].frequency);
    return rod_compare(run, &r, "", ratio, 6.267, 0.01, "f2 / f1 within 1%");
}

/* Damping by the step alone, of a hair of 5 cm, 40 um, 4 GPa, 1320 kg/m3. */
static rlt_status by_step(validate_run *run) {
    static const int rates[] = {24, 48, 96, 240, 1000};
    const double radius = 40e-6, length = 0.05, b = modes[0].root;
    /* seconds of the rod of length, E I and mass 1 in one of the hair's */
    double unit = sqrt(4e9 * 0.25 * radius * radius / 1320.0) / (length * length), w = b * b;
    rlt_status status = RLT_OK;
    for (int midpoint = 0; midpoint < 2; midpoint++)
        for (int k = 0; k < 5 && status == RLT_OK; k++) {
            double h = unit / rates[k], a = w * h;
            double turn = midpoint ? 2.0 * atan(0.5 * a) : atan(a),
                   fall = midpoint ? 0.0 : 0.5 * log1p(a * a);
            double ratio = fall / sqrt(fall * fall + turn * turn);
            swing s = {0};
            status = release(&modes[0], 41, h, midpoint, rates[k] > 200 ? 200 : 24, &s);
            if (status != RLT_OK)
                return status;
            validate_result r = {.model = "rod",
                                 .unit = "of critical",
                                 .measured = s.damping,
                                 .reference = ratio,
                                 .tolerance = 0.005,
                                 .rule = "damping ratio by the step alone within 0.005 of the integrator's"};
            r.verdict = fabs(s.damping - ratio) <= 0.005 ? VALIDATE_PASS : VALIDATE_FAIL;
            snprintf(r.name, sizeof r.name, "hair of 5 cm, %s, 1/%d s", midpoint ? "midpoint" : "Euler",
                     rates[k]);
            snprintf(r.reason, sizeof r.reason,
                     "First frequency %.2f Hz where it is %.2f, off by %.1f%%, by the step alone %.1f%%.",
                     s.frequency * unit, w * unit / (2.0 * ROD_PI),
                     100.0 * (s.frequency * 2.0 * ROD_PI / w - 1.0), 100.0 * (turn / a - 1.0));
            validate_detail(&r, "frequency_hz", s.frequency * unit);
            status = validate_add(run, &r);
        }
    return status;
}

rlt_status validate_swing(validate_run *run) {
    rlt_status status = second_over_first(run);
    return status == RLT_OK ? by_step(run) : status;
}
