/* dynamics: how fast a rod swings, what a step's length does to that, and what a free rod keeps.
 *
 * A straight rod, clamped, is bent a little and released: its first natural frequency is 1.8751^2 / (2 pi)
 * sqrt(E I / (mass L^4)), and a hanging one without stiffness has 1.2024 / (2 pi) sqrt(g / L). Steps are
 * parts of the period. A free coil tumbles: without damping it keeps momenta (midpoint) and energy. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "validate/validate_curl.h"
#include "validate/validate_rod.h"

/* ---- swings ---- */

typedef struct swing {
    double frequency, damping; /* [1/s], ratio of the critical */
} swing;

/* Times of the tip's zero crossings and greatest offsets between them, over some periods. */
static swing watch(rod_lab *lab, rlt_rod_step *step, int axis, int periods) {
    enum { MOST = 64 };
    double times[MOST] = {0}, peaks[MOST] = {0}, peak = 0.0, last = lab->x[3 * (lab->points - 1) + axis];
    int crossings = 0;
    for (int n = 1; n < 200000 && crossings < 2 * periods + 1 && crossings < MOST; n++) {
        rlt_rod_advance(lab->rod, step);
        rlt_rod_get(lab->rod, lab->x, NULL, NULL, NULL);
        double now = lab->x[3 * (lab->points - 1) + axis];
        peak = fmax(peak, fabs(now));
        if ((now > 0) != (last > 0)) {
            times[crossings] = (n - now / (now - last)) * step->seconds;
            peaks[crossings++] = peak;
            peak = 0.0;
        }
        last = now;
    }
    swing s = {0};
    if (crossings < 3)
        return s;
    s.frequency = 0.5 * (crossings - 1) / (times[crossings - 1] - times[0]);
    double fall = log(peaks[1] / peaks[crossings - 1]) / (ROD_PI * (crossings - 2));
    s.damping = fall / sqrt(1.0 + fall * fall);
    return s;
}

/* A clamped rod, bent by a small weight and released, with steps of a part of its period. */
static rlt_status vibrate(int points, double parts, int midpoint, int periods, swing *out, double *expected) {
    static const double along[3] = {1, 0, 0};
    const double root = 1.8751040687119611, small[3] = {0, 0, -0.02}, none[3] = {0};
    rod_lab lab = {0};
    if (!lab_create(&lab, points))
        return RLT_FAILED;
    lab_line(&lab, 1.0, along);
    rlt_status status = lab_build(&lab, 0);
    *expected = root * root / (2.0 * ROD_PI);
    if (status == RLT_OK) {
        lab_settle(&lab, small);
        rlt_rod_step step = rlt_rod_step_defaults();
        memcpy(step.gravity, none, sizeof none);
        step.seconds = 1.0 / (*expected * parts);
        step.midpoint = midpoint;
        *out = watch(&lab, &step, 2, periods);
    }
    lab_destroy(&lab);
    return status;
}

static rlt_status first_frequency(validate_run *run) {
    static const struct {
        const char *name;
        double parts;
        int midpoint;
    } cases[] = {{"midpoint, 1/200 of the period", 200, 1}, {"midpoint, 1/20 of the period", 20, 1},
                 {"Euler, 1/2000 of the period", 2000, 0},  {"Euler, 1/200 of the period", 200, 0},
                 {"Euler, 1/20 of the period", 20, 0},      {"Euler, 1/5 of the period", 5, 0}};
    rlt_status status = RLT_OK;
    for (int k = 0; k < 6 && status == RLT_OK; k++) {
        swing s = {0};
        double expected = 0.0;
        status = vibrate(41, cases[k].parts, cases[k].midpoint, cases[k].parts > 100 ? 4 : 2, &s, &expected);
        if (status != RLT_OK)
            return status;
        validate_result r = {0};
        snprintf(r.name, sizeof r.name, "%s", cases[k].name);
        double theory = cases[k].midpoint ? 0.0 : ROD_PI / cases[k].parts;
        snprintf(r.reason, sizeof r.reason,
                 "41 vertices; off by %.3f%%; damping ratio %.4f by the step alone (implicit Euler to first "
                 "order: pi h / "
                 "period = %.4f).",
                 100 * (s.frequency / expected - 1), s.damping, theory);
        validate_detail(&r, "damping_ratio", s.damping);
        validate_detail(&r, "steps_per_period", cases[k].parts);
        int small = cases[k].midpoint || cases[k].parts >= 200;
        if (!small) { /* what a large step costs: stated, not judged */
            r.verdict = VALIDATE_NOT_EXPECTED;
            r.model = "rod";
            r.unit = "1/s";
            r.measured = s.frequency;
            r.reference = expected;
            r.tolerance = 0.01;
            r.rule = "first natural frequency within 1% at small steps";
            status = validate_add(run, &r);
        } else {
            status = rod_compare(run, &r, "1/s", s.frequency, expected, 0.01,
                                 "first natural frequency within 1% at small steps");
        }
    }
    return status;
}

/* A hanging rod of next to no stiffness, moved aside at the root's fixed place. */
static rlt_status chain(validate_run *run) {
    static const double down[3] = {0, 0, -1};
    rod_lab lab = {0};
    if (!lab_create(&lab, 81))
        return RLT_FAILED;
    const double gravity = 1.0, expected = 1.2024127788 / (2.0 * ROD_PI), pushed[3] = {0.01, 0, -1};
    lab.def.bend[0] = lab.def.bend[1] = lab.def.twist = 1e-6;
    lab.def.stretch = 1e3;
    lab_line(&lab, 1.0, down);
    rlt_status status = lab_build(&lab, 0);
    if (status == RLT_OK) {
        lab_settle(&lab, pushed);
        rlt_rod_step step = rlt_rod_step_defaults();
        step.gravity[2] = -gravity;
        step.seconds = 1.0 / (200.0 * expected);
        step.midpoint = 1;
        swing s = watch(&lab, &step, 0, 4);
        validate_result r = {.name = "hanging chain, midpoint, 1/200"};
        snprintf(
            r.reason, sizeof r.reason,
            "81 vertices, bending 1e-6 of weight times length squared, which its clamp shows; off by %.3f%%.",
            100 * (s.frequency / expected - 1));
        status = rod_compare(run, &r, "1/s", s.frequency, expected, 0.01, "frequency within 1%");
    }
    lab_destroy(&lab);
    return status;
}

/* ---- a free coil ---- */

/* Real hair: 3 turns of 1 cm, 8 mm apart, that tumbles at 20 rad/s, pulled out of shape. SI. */
static rlt_status tumble(rod_lab *lab, int per_turn, int printed, double damping) {
    const double radius = 40e-6, young = 4e9, shear = 1.5e9, density = 1320.0;
    int points = 3 * per_turn + 1;
    if (!lab_create(lab, points))
        return RLT_FAILED;
    double area = ROD_PI * radius * radius, moment = 0.25 * area * radius * radius;
    for (int i = 0; i < points; i++) {
        double angle = 2.0 * ROD_PI * i / per_turn;
        lab->x[3 * i] = 0.01 * (cos(angle) - 1.0);
        lab->x[3 * i + 1] = 0.01 * sin(angle);
        lab->x[3 * i + 2] = -0.008 * i / per_turn;
    }
    lab->def.stretch = young * area;
    lab->def.bend[0] = lab->def.bend[1] = young * moment;
    lab->def.twist = shear * 2.0 * moment;
    lab->def.mass = density * area;
    lab->def.damping = damping;
    lab->def.free_root = 1;
    lab->def.printed = printed;
    return lab_build(lab, 0);
}

/* Velocities: a turn, and a stretch of the coil along its axis. */
static void throw_it(rod_lab *lab, double *v) {
    const vector spin = {3, 20, 5};
    for (int i = 0; i < lab->points; i++) {
        vector x = vector_at(lab->x, i), by = vector_cross(spin, x);
        v[3 * i] = by.x + 0.1;
        v[3 * i + 1] = by.y + 0.2;
        v[3 * i + 2] = by.z - 0.1 + 10.0 * (x.z + 0.012);
    }
    rlt_rod_set(lab->rod, lab->x, v, lab->d, NULL);
}

typedef struct momenta {
    vector linear, angular;
    double size[2];
} momenta;

static momenta momenta_of(const rod_lab *lab, double *v) {
    momenta m = {{0, 0, 0}, {0, 0, 0}, {0, 0}};
    rlt_rod_get(lab->rod, lab->x, v, NULL, NULL);
    for (int i = 0; i < lab->points; i++) {
        double mass = i == 0 || i + 1 == lab->points ? 0.5 : 1.0; /* equal edges */
        vector p = vector_scale(mass, vector_at(v, i)), l = vector_cross(vector_at(lab->x, i), p);
        m.linear = vector_add(m.linear, p);
        m.angular = vector_add(m.angular, l);
        m.size[0] += vector_length(p);
        m.size[1] += vector_length(l);
    }
    return m;
}

static double energy_of(const rod_lab *lab) {
    double e[4];
    rlt_rod_energies(lab->rod, e);
    return e[0] + e[1] + e[2] + e[3];
}

static rlt_status momentum(validate_run *run) {
    enum { POINTS = 25, STEPS = 2500 };
    double v[3 * POINTS];
    rod_lab lab = {0};
    rlt_status status = tumble(&lab, 8, 0, 0.0);
    if (status == RLT_OK) {
        rlt_rod_step step = rlt_rod_step_defaults();
        step.seconds = 2e-4;
        step.midpoint = 1;
        step.tolerance = 1e-12;
        throw_it(&lab, v);
        momenta first = momenta_of(&lab, v);
        double linear = 0.0, angular = 0.0;
        for (int n = 0; n < STEPS; n++) {
            rlt_rod_advance(lab.rod, &step);
            momenta now = momenta_of(&lab, v);
            linear = fmax(linear, vector_length(vector_sub(now.linear, first.linear)) / first.size[0]);
            angular = fmax(angular, vector_length(vector_sub(now.angular, first.angular)) / first.size[1]);
        }
        validate_result r = {.name = "momentum of a free coil, midpoint",
                             .model = "rod",
                             .unit = "",
                             .measured = fmax(linear, angular),
                             .reference = 1e-9,
                             .rule =
                                 "drift of linear and angular momentum / sum of the points' <= reference"};
        r.verdict = r.measured <= r.reference ? VALIDATE_PASS : VALIDATE_FAIL;
        snprintf(r.reason, sizeof r.reason, "0.5 s in steps of 0.2 ms: linear %.1e, angular %.1e.", linear,
                 angular);
        validate_detail(&r, "linear", linear);
        validate_detail(&r, "angular", angular);
        status = validate_add(run, &r);
    }
    lab_destroy(&lab);
    return status;
}

/* How far the energy strays, and how much it grows from one step to the next, of the energy at the start. */
typedef struct drift {
    double off, growth, end;
    int failed;
} drift;

static rlt_status run_energy(int printed, double damping, int midpoint, double seconds, double step_seconds,
                             drift *out) {
    enum { POINTS = 25 };
    double v[3 * POINTS];
    rod_lab lab = {0};
    rlt_status status = tumble(&lab, 8, printed, damping);
    *out = (drift){0};
    if (status == RLT_OK) {
        rlt_rod_step step = rlt_rod_step_defaults();
        step.seconds = step_seconds;
        step.midpoint = midpoint;
        throw_it(&lab, v);
        double first = energy_of(&lab), last = first;
        for (int n = 0; n * step_seconds < seconds; n++) {
            out->failed += rlt_rod_advance(lab.rod, &step) == 0;
            double now = energy_of(&lab);
            out->off = fmax(out->off, fabs(now / first - 1.0));
            out->growth = fmax(out->growth, (now - last) / first);
            last = now;
        }
        out->end = last / first;
    }
    lab_destroy(&lab);
    return status;
}

/* The printed form is held against the same bound, but need not keep it. */
static rlt_status energy(validate_run *run) {
    const double seconds = 10.0, step = validate_full(run) ? 1e-4 : 5e-4;
    rlt_status status = RLT_OK;
    for (int printed = 0; printed < 2 && status == RLT_OK; printed++) {
        drift d;
        validate_note(run, "free coil, %g s of energy%s", seconds, printed ? ", printed form" : "");
        status = run_energy(printed, 0.0, 1, seconds, step, &d);
        if (status != RLT_OK)
            return status;
        validate_result r = {.model = "rod",
                             .unit = "",
                             .measured = d.off,
                             .reference = 0.01,
                             .rule = "energy of an undamped free coil stays within reference for 10 s"};
        r.verdict = d.off <= r.reference ? VALIDATE_PASS : (printed ? VALIDATE_NOT_EXPECTED : VALIDATE_FAIL);
        snprintf(r.name, sizeof r.name, "energy, midpoint, %g ms, %s", 1e3 * step,
                 printed ? "printed form" : "exact");
        snprintf(r.reason, sizeof r.reason,
                 "%g s; at the end %.4f of the start's%s; %d steps did not converge.", seconds, d.end,
                 printed ? "; the printed derivatives are not those of an energy" : "", d.failed);
        validate_detail(&r, "seconds", seconds);
        validate_detail(&r, "end", d.end);
        status = validate_add(run, &r);
    }
    return status;
}

/* A damped free coil. Midpoint's stretch keeps energy whatever the step; its bending and twist are off by the
 * third power of the angle by which edges turn in one, up to that at which Euler takes the step. */
static rlt_status damped_energy(validate_run *run) {
    static const struct {
        double step;
        int midpoint, small;
    } cases[] = {{1e-4, 0, 1}, {1e-3, 0, 1}, {1.0 / 240, 0, 1}, {1.0 / 24, 0, 1},
                 {1e-4, 1, 1}, {1e-3, 1, 1}, {1.0 / 240, 1, 0}, {1.0 / 96, 1, 0}};
    rlt_status status = RLT_OK;
    for (int k = 0; k < 8 && status == RLT_OK; k++) {
        drift d;
        double seconds = cases[k].small ? 1.0 : 5.0;
        status = run_energy(0, 2e-3, cases[k].midpoint, seconds, cases[k].step, &d);
        if (status != RLT_OK)
            return status;
        validate_result r = {.model = "rod",
                             .unit = "",
                             .measured = d.growth,
                             .reference = 1e-9,
                             .rule =
                                 "energy of a damped free coil never grows: from step to step <= reference"};
        r.verdict = d.growth <= 1e-9 ? VALIDATE_PASS : VALIDATE_FAIL;
        if (!cases[k].small && d.growth <= 1e-3)
            r.verdict = VALIDATE_NOT_EXPECTED;
        snprintf(r.name, sizeof r.name, "damped, %s, steps of %.3g ms",
                 cases[k].midpoint ? "midpoint" : "Euler", 1e3 * cases[k].step);
        snprintf(r.reason, sizeof r.reason,
                 "%g s; at the end %.3f of the start's; %d steps did not converge.%s", seconds, d.end,
                 d.failed,
                 cases[k].small ? ""
                                : " Edges turn by 20 rad/s: midpoint wants less than 0.04 in a step, Euler "
                                  "takes those beyond 0.12.");
        validate_detail(&r, "end", d.end);
        validate_detail(&r, "unconverged", d.failed);
        status = validate_add(run, &r);
    }
    return status;
}

/* ---- twice the points ---- */

enum { SHAKEN = 720 };

/* A clamped coil hangs from a root that is shaken by 5 cm at 2 Hz for 3 s; where its tip is. As a groom's,
 * its points lie on the curve. */
static rlt_status shake(int per_turn, int curved, double tips[SHAKEN][3]) {
    rod_lab lab = {0};
    rlt_status status = tumble(&lab, per_turn, 0, 5e-3);
    lab.def.free_root = 0;
    lab.def.curved = curved;
    if (status == RLT_OK)
        status = lab_build(&lab, 0);
    if (status == RLT_OK) {
        rlt_rod_step step = rlt_rod_step_defaults();
        step.seconds = 1.0 / 240;
        step.tolerance = 1e-7;
        step.gravity[2] = -9.81;
        vector along = vector_sub(vector_at(lab.x, 1), vector_at(lab.x, 0));
        const double direction[3] = {along.x, along.y, along.z}, director[3] = {lab.d[0], lab.d[1], lab.d[2]};
        for (int n = 0; n < SHAKEN; n++) {
            double root[3] = {0.05 * sin(2.0 * ROD_PI * 2.0 * (n + 1) / 240), 0, 0};
            rlt_rod_clamp(lab.rod, root, direction, director);
            rlt_rod_advance(lab.rod, &step);
            rlt_rod_get(lab.rod, lab.x, NULL, NULL, NULL);
            memcpy(tips[n], lab.x + (ptrdiff_t)3 * (lab.points - 1), 3 * sizeof(double));
        }
    }
    lab_destroy(&lab);
    return status;
}

/* Greatest distance of the tips with so many points a turn and twice as many, of the length. */
static rlt_status refine(int per_turn, int curved, double *off) {
    static double tips[2][SHAKEN][3];
    double length = 3.0 * sqrt(pow(2.0 * ROD_PI * 0.01, 2.0) + 0.008 * 0.008);
    rlt_status status = RLT_OK;
    *off = 0.0;
    for (int k = 0; k < 2 && status == RLT_OK; k++)
        status = shake(per_turn << k, curved, tips[k]);
    for (int n = 0; n < SHAKEN && status == RLT_OK; n++)
        *off = fmax(*off,
                    vector_length(vector_sub(vector_at(tips[0][n], 0), vector_at(tips[1][n], 0))) / length);
    return status;
}

static rlt_status twice(validate_run *run) {
    static const int counts[] = {4, 6, 10, 20};
    rlt_status status = RLT_OK;
    for (int k = 0; k < 4 && status == RLT_OK; k++) {
        double off = 0.0, chords = 0.0;
        status = refine(counts[k], 1, &off);
        if (status == RLT_OK)
            status = refine(counts[k], 0, &chords);
        if (status != RLT_OK)
            return status;
        validate_result r = {.model = "rod",
                             .unit = "length",
                             .measured = off,
                             .reference = 0.03,
                             .rule = "shaken curls with twice the points: tips apart by <= reference"};
        r.verdict = off <= 0.03 ? VALIDATE_PASS : VALIDATE_FAIL;
        snprintf(r.name, sizeof r.name, "%d and %d points a turn", counts[k], 2 * counts[k]);
        snprintf(r.reason, sizeof r.reason,
                 "3 s: %.2f%% of the length apart; with joints as stiff as their chords %.1f%%.", 100 * off,
                 100 * chords);
        validate_detail(&r, "chords", chords);
        status = validate_add(run, &r);
    }
    return status;
}

rlt_status validate_dynamics(validate_run *run) {
    rlt_status status = first_frequency(run);
    if (status == RLT_OK)
        status = validate_swing(run);
    if (status == RLT_OK)
        status = chain(run);
    if (status == RLT_OK)
        status = momentum(run);
    if (status == RLT_OK)
        status = energy(run);
    if (status == RLT_OK)
        status = damped_energy(run);
    return status == RLT_OK ? twice(run) : status;
}
