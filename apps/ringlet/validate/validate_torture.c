/* coil-torture: a coil is squashed along its axis, its points are shaken, or it is pulled straight; then it
 * is released at rest, where it was put, and must come back. Steps of 1/30 s with three Newton iterations.
 * The talk's tests (docs/design/coil.md).
 *
 * A wisp of five turns, radius 4 mm, pitch 4 mm, that bends a hundred times as stiffly as one hair of 40 um
 * and 4 GPa, damped by 0.01 s; it has come back where no more than 1% of the radius is left, as RMS over the
 * points. Left- and right-handed, 5 to 20 points a turn, several seeds; a coil that is exactly straight has
 * no side to curl to, so a straightened one is shaken by 1e-6 of its radius.
 *
 * The Coil must come back from all of it, by full Newton steps. Other matrices, a line search in every
 * iteration, points that move in straight lines, the Rod, and the classical rod whose curvature is a tangent
 * (the talk's DER), are run on the same cases, to compare; where they fail, the longest step of 1/60, 1/120,
 * ... s with which the first case that failed comes back is sought. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "validate/validate_rod.h"

enum { TURNS = 5, SEEDS = 20, POINTS_MAX = TURNS * 20 + 1, KINDS = 7, HALVINGS = 12 };

static const double radius = 4e-3, pitch = 4e-3; /* [m] */
static const double straight_noise = 1e-6;       /* of the radius */
static const double patience = 30.0;             /* [s] */

typedef struct edit {
    const char *name;
    double squashed, jitter; /* by this part; by so much [m] */
    int straight;
} edit;

static const edit edits[KINDS] = {
    {"squashed by 30%", 0.3, 0, 0},
    {"squashed by 60%", 0.6, 0, 0},
    {"squashed by 99.999%", 0.99999, 0, 0},
    {"shaken by 0.5 mm", 0, 0.5e-3, 0},
    {"shaken by 2 mm", 0, 2e-3, 0},
    {"shaken by 5 mm", 0, 5e-3, 0},
    {"straightened", 0, 0, 1},
};

/* How a step is taken: full ones, with a line search, or full ones along which points move in straight lines,
 * as in the talk's programs. */
typedef enum way { FULL, SEARCH, STRAIGHT } way;

typedef struct variant {
    const char *name, *model;
    rlt_rod_energy energy;
    way way;
    int must, printed; /* must 1: it is to pass */
} variant;

static const variant variants[] = {
    {"filtered", "coil", RLT_COIL_ENERGY, FULL, 1, 0},
    {"stretch filtered", "coil", RLT_COIL_ENERGY_STRETCH, FULL, 0, 0},
    {"Gauss-Newton", "coil", RLT_COIL_ENERGY_GAUSS_NEWTON, FULL, 0, 0},
    {"unfiltered", "coil", RLT_COIL_ENERGY_UNFILTERED, FULL, 0, 0},
    {"filtered, line search", "coil", RLT_COIL_ENERGY, SEARCH, 0, 0},
    {"stretch filtered, line search", "coil", RLT_COIL_ENERGY_STRETCH, SEARCH, 0, 0},
    {"Gauss-Newton, line search", "coil", RLT_COIL_ENERGY_GAUSS_NEWTON, SEARCH, 0, 0},
    {"unfiltered, line search", "coil", RLT_COIL_ENERGY_UNFILTERED, SEARCH, 0, 0},
    {"filtered, straight", "coil", RLT_COIL_ENERGY, STRAIGHT, 0, 0},
    {"stretch filtered, straight", "coil", RLT_COIL_ENERGY_STRETCH, STRAIGHT, 0, 0},
    {"Gauss-Newton, straight", "coil", RLT_COIL_ENERGY_GAUSS_NEWTON, STRAIGHT, 0, 0},
    {"unfiltered, straight", "coil", RLT_COIL_ENERGY_UNFILTERED, STRAIGHT, 0, 0},
    {"rod", "rod", RLT_ROD_ENERGY, SEARCH, 0, 0},
    {"rod, printed gradient", "rod", RLT_ROD_ENERGY, SEARCH, 0, 1},
    {"tangent, filtered", "tangent", RLT_TANGENT_ENERGY, FULL, 0, 0},
    {"tangent, stretch filtered", "tangent", RLT_TANGENT_ENERGY_STRETCH, FULL, 0, 0},
    {"tangent, Gauss-Newton", "tangent", RLT_TANGENT_ENERGY_GAUSS_NEWTON, FULL, 0, 0},
    {"tangent, unfiltered", "tangent", RLT_TANGENT_ENERGY_UNFILTERED, FULL, 0, 0},
    {"tangent, filtered, straight", "tangent", RLT_TANGENT_ENERGY, STRAIGHT, 0, 0},
    {"tangent, stretch filtered, straight", "tangent", RLT_TANGENT_ENERGY_STRETCH, STRAIGHT, 0, 0},
    {"tangent, Gauss-Newton, straight", "tangent", RLT_TANGENT_ENERGY_GAUSS_NEWTON, STRAIGHT, 0, 0},
    {"tangent, unfiltered, straight", "tangent", RLT_TANGENT_ENERGY_UNFILTERED, STRAIGHT, 0, 0},
};
enum { VARIANTS = sizeof variants / sizeof variants[0] };

typedef struct subject {
    int per_turn, hand; /* hand 1 or -1 */
    int seed;
} subject;

/* -1 to 1, the same everywhere. */
static double noise(int seed, int point, int axis) {
    unsigned h = 2654435761u * (unsigned)(seed + 1) ^ 2246822519u * (unsigned)(point + 1) ^
                 3266489917u * (unsigned)(axis + 1);
    for (int k = 0; k < 2; k++) {
        h ^= h >> 15;
        h *= 2246822519u;
        h ^= h >> 13;
        h *= 3266489917u;
    }
    h ^= h >> 16;
    return 2.0 * h / 4294967295.0 - 1.0;
}

static void place(const subject *s, int points, double *x) {
    double turn = 2.0 * ROD_PI / s->per_turn;
    for (int i = 0; i < points; i++) {
        x[3 * i] = radius * cos(turn * i);
        x[3 * i + 1] = s->hand * radius * sin(turn * i);
        x[3 * i + 2] = -pitch * i / s->per_turn;
    }
}

/* The root stays. */
static void spoil(const subject *s, const edit *e, const double *rest, int points, double *x) {
    double along = 0.0;
    for (int i = 0; i < points; i++) {
        double edge = 0.0;
        for (int k = 0; k < 3 && i > 0; k++)
            edge += (rest[3 * i + k] - rest[3 * i - 3 + k]) * (rest[3 * i + k] - rest[3 * i - 3 + k]);
        along += sqrt(edge);
        for (int k = 0; k < 3; k++) {
            double by = i > 0 ? noise(s->seed, i, k) : 0.0;
            x[3 * i + k] = rest[3 * i + k] + e->jitter * by;
            if (k == 2)
                x[3 * i + k] = rest[k] + (1.0 - e->squashed) * (x[3 * i + k] - rest[k]);
            if (e->straight)
                x[3 * i + k] = rest[k] - (k == 2 ? along : 0.0) + straight_noise * radius * by;
        }
    }
}

static double distance(const double *x, const double *rest, int points) {
    double sum = 0.0;
    for (int i = 0; i < 3 * points; i++)
        sum += (x[i] - rest[i]) * (x[i] - rest[i]);
    return sqrt(sum / points) / radius;
}

/* Steps until it is back for good, in seconds; below 0: never. */
static rlt_status release(const variant *v, const subject *s, const edit *e, double seconds, double *after) {
    double rest[3 * POINTS_MAX];
    rod_lab lab = {0};
    int points = TURNS * s->per_turn + 1, steps = (int)ceil(patience / seconds), back = 0;
    *after = -1.0;
    if (!lab_create(&lab, points))
        return RLT_FAILED;
    double area = ROD_PI * 40e-6 * 40e-6, wisp = 100.0;
    place(s, points, lab.x);
    lab.def.energy = v->energy;
    lab.def.printed = v->printed;
    lab.def.stretch = 4e9 * area;
    lab.def.bend[0] = lab.def.bend[1] = wisp * 4e9 * area * 40e-6 * 40e-6 / 4;
    lab.def.twist = wisp * 1.5e9 * area * 40e-6 * 40e-6 / 2;
    lab.def.mass = 1320.0 * area;
    lab.def.gyration = 40e-6 * 40e-6 / 2;
    lab.def.damping = 0.01;
    lab.def.curved = 1;
    rlt_status status = lab_build(&lab, 0);
    for (int i = 0; i < 3 * points; i++)
        rest[i] = lab.x[i];
    if (status == RLT_OK) {
        spoil(s, e, rest, points, lab.x);
        rlt_rod_set(lab.rod, lab.x, NULL, NULL, NULL);
    }
    rlt_rod_step step = rlt_rod_step_defaults();
    step.seconds = seconds;
    step.iterations = 3;
    step.tolerance = 0.0;
    step.plain = v->way != SEARCH;
    step.straight = v->way == STRAIGHT;
    for (int n = 1; n <= steps && status == RLT_OK && back < 5; n++) {
        rlt_rod_advance(lab.rod, &step);
        rlt_rod_get(lab.rod, lab.x, NULL, NULL, NULL);
        double left = distance(lab.x, rest, points);
        back = left < 0.01 ? back + 1 : 0;
        if (back == 1)
            *after = n * seconds;
        if (back == 0)
            *after = -1.0;
        if (!isfinite(left) || left > 1e6)
            break;
    }
    lab_destroy(&lab);
    return status;
}

typedef struct tally {
    int cases, back;
    double slowest; /* of those that came back [s] */
    subject failed; /* the first of those that did not */
} tally;

static rlt_status release_all(const validate_run *run, const variant *v, const edit *e, tally *t) {
    static const int per_turn[] = {5, 10, 20, 7, 8, 12, 15};
    int turns = validate_full(run) ? 7 : 3, seeds = validate_full(run) ? SEEDS : v->must ? 5 : 2;
    int shaken = e->jitter > 0.0 || e->straight;
    *t = (tally){0};
    for (int k = 0; k < turns; k++)
        for (int hand = -1; hand <= 1; hand += 2)
            for (int seed = 0; seed < (shaken ? seeds : 1); seed++) {
                subject s = {per_turn[k], hand, seed};
                double after;
                rlt_status status = release(v, &s, e, 1.0 / 30, &after);
                if (status != RLT_OK)
                    return status;
                if (after < 0.0 && t->back == t->cases)
                    t->failed = s;
                t->cases++;
                t->back += after >= 0.0;
                t->slowest = fmax(t->slowest, after);
            }
    return RLT_OK;
}

/* The longest step of 1/60, 1/120, ... s with which a case comes back; 0: none. */
static rlt_status find_step(const validate_run *run, const variant *v, const edit *e, const subject *failed,
                            double *found) {
    double seconds = 1.0 / 30, after = -1.0;
    rlt_status status = RLT_OK;
    for (int n = 0; n < (validate_full(run) ? HALVINGS : 5) && after < 0.0 && status == RLT_OK; n++) {
        seconds /= 2.0;
        status = release(v, failed, e, seconds, &after);
    }
    *found = after >= 0.0 ? seconds : 0.0;
    return status;
}

static rlt_status one(validate_run *run, const variant *v, const edit *e) {
    tally t;
    rlt_status status = release_all(run, v, e, &t);
    validate_result r = {.model = v->model,
                         .unit = "of cases",
                         .measured = t.cases > 0 ? (double)t.back / t.cases : 0.0,
                         .reference = 1.0,
                         .rule = "back to 1% of the radius in every case"};
    if (status != RLT_OK)
        return status;
    r.verdict = t.back == t.cases ? VALIDATE_PASS : v->must ? VALIDATE_FAIL : VALIDATE_NOT_EXPECTED;
    snprintf(r.name, sizeof r.name, "%s: %s", v->name, e->name);
    int used = 0;
    validate_text(r.reason, sizeof r.reason, &used, "%d of %d come back", t.back, t.cases);
    if (t.back > 0)
        validate_text(r.reason, sizeof r.reason, &used, ", the slowest after %.0f steps", 30.0 * t.slowest);
    if (t.back < t.cases) {
        double step = 0.0;
        status = find_step(run, v, e, &t.failed, &step);
        validate_text(r.reason, sizeof r.reason, &used,
                      "; the first that does not (%d points a turn, %s-handed, seed %d) ", t.failed.per_turn,
                      t.failed.hand > 0 ? "right" : "left", t.failed.seed);
        if (step > 0.0)
            validate_text(r.reason, sizeof r.reason, &used, "does in steps of 1/%.0f s", 1.0 / step);
        else
            validate_text(r.reason, sizeof r.reason, &used, "does in none of the steps tried");
        validate_detail(&r, "recovers_at_s", step);
    }
    validate_text(r.reason, sizeof r.reason, &used, ".");
    validate_detail(&r, "cases", t.cases);
    validate_detail(&r, "slowest_s", t.slowest);
    return status == RLT_OK ? validate_add(run, &r) : status;
}

rlt_status validate_coil_torture(validate_run *run) {
    rlt_status status = RLT_OK;
    for (int v = 0; v < VARIANTS; v++)
        for (int e = 0; e < KINDS && status == RLT_OK; e++) {
            validate_note(run, "%s, %s", variants[v].name, edits[e].name);
            status = one(run, &variants[v], &edits[e]);
        }
    return status;
}
