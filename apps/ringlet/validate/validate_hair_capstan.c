/* hair-capstan: a hair wound around a hair that is held. Its root is held, too; its heavy tip falls, slowly,
 * and draws it over the other: all contacts slide, so the tension behind the
 * winding is exp(mu phi) times that before it, phi the angle it is wound by. The twin of capstan, by the
 * contacts of whole scenes. Tensions are measured by the hair's stretch, which is soft here for that.
 *
 * Beyond half a turn it winds along the held hair by 0.2 a turn. An edge that turns by d against its
 * neighbours holds (1 + mu tan(d/2)) / (1 - mu tan(d/2)) instead of exp(mu d). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validate/validate_hairs.h"

enum { FRAMES = 12, AWAY = 12, BEHIND = 8 };

static const double held = 0.9, own = 0.1;             /* contact radii: their axes are 1 apart [unit] */
static const double weight = 1320 * 9.81 * 0.01 / 1e6; /* of a unit of length / E A */
static const double tail = 6.0;                        /* that hangs down [unit] */

typedef struct winding {
    hairs h;
    double phi, turn, rise;
    int around;          /* edges on the held hair */
    double leave[3];     /* from the held hair to the root */
    int frames, samples; /* that were measured */
    double ratio, least, most, t1;
    double *rest; /* lengths of the hair's edges */
    double slipping, residual;
} winding;

/* The i-th point of the hair: from the root in a straight line to the held hair, around it, and down. The
 * held hair is along z; the hair leaves it at angle 0, downwards, so it comes to it at the angle phi. */
static void place(const winding *w, int i, double x[3]) {
    int on = i - AWAY, beyond = on < 0 ? on : on > w->around ? on - w->around : 0;
    double at = w->phi - w->turn * (on - beyond), edge = w->turn, z = w->rise * at;
    double out = beyond == 0 && on > 0 && on < w->around ? 1.0 / cos(0.5 * w->turn) : 1.0; /* edges touch */
    x[0] = out * cos(at);
    x[1] = out * sin(at);
    x[2] = z;
    for (int k = 0; k < 3 && beyond < 0; k++)
        x[k] += -beyond * edge * w->leave[k];
    if (beyond > 0)
        x[1] -= beyond * edge;
}

static void make(winding *w, double phi, double turn) {
    w->phi = phi;
    w->around = (int)ceil(phi / turn);
    w->turn = phi / w->around;
    w->rise = phi > HAIRS_PI ? 0.2 / (2.0 * HAIRS_PI) : 0.0;
    double scale = 1.0 / sqrt(1.0 + w->rise * w->rise);
    w->leave[0] = -sin(phi) * scale;
    w->leave[1] = cos(phi) * scale;
    w->leave[2] = w->rise * scale;
}

/* T2 / T1 with the hair's own weight: what its tangential part adds on the way, and what presses it on. From
 * where T1 is measured to the winding, around it, and down to where T2 is. */
static double expect(const winding *w, double mu, double t1) {
    const int parts = 10000;
    double t = t1 - weight * w->leave[1] * w->turn * 0.5 * AWAY, by = w->phi / parts;
    for (int i = 0; i < parts; i++) {
        double at = w->phi - (i + 0.5) * by, press = t + weight * sin(at);
        t += by * (mu * fmax(press, 0.0) - weight * cos(at));
    }
    return (t - weight * w->turn * (BEHIND + 2.0)) / t1;
}

static int measure(const rlt_simulation *simulation, const rlt_frame_view *view, void *context) {
    winding *w = context;
    int points = w->h.points;
    const double *x = view->points + 6; /* after the held one */
    double tension[2] = {0};
    rlt_statistics s = {.size = sizeof s};
    rlt_simulation_statistics(simulation, &s);
    if (w->frames++ == 0)
        for (int i = 0; i + 1 < points; i++)
            w->rest[i] = hairs_distance(x + 3 * (size_t)i, x + 3 * (size_t)(i + 1));
    if (w->frames <= FRAMES - 2)
        return 1;
    for (int k = 0; k < 2; k++) /* the middle of what is straight between root and winding, and behind it */
        for (int n = 0; n < 4; n++) {
            int i = k == 0 ? AWAY / 2 + n - 2 : AWAY + w->around + BEHIND + n;
            tension[k] +=
                (hairs_distance(x + 3 * (size_t)i, x + 3 * (size_t)(i + 1)) / w->rest[i] - 1.0) / 4.0;
        }
    double ratio = tension[1] / tension[0];
    w->ratio += ratio;
    w->t1 = tension[0];
    w->least = w->samples == 0 ? ratio : fmin(w->least, ratio);
    w->most = w->samples == 0 ? ratio : fmax(w->most, ratio);
    w->samples++;
    w->slipping = s.solved_touching > 0.0 ? s.solved_slipping / s.solved_touching : 0.0;
    w->residual = fmax(w->residual, s.solved_residual);
    return 1;
}

static void write_scene(winding *w, double mu) {
    int points = w->h.points;
    double length = w->turn * (points - 1), heavy = 1.0 - 0.3 * tail / length;
    for (int i = 0; i < points; i++)
        place(w, i, hairs_at(&w->h, 0, i));
    hairs_add(
        &w->h,
        "time: {first: 0, last: %d}\ncontacts: {newton: 12, iterations: 200, tolerance: 1e-6, compliance: "
        "0}\n"
        "character: {kind: none}\nconstraints: {kind: freeze, hair: held}\nhair:\n"
        "- name: held\n  model: rod\n  contact: {method: solve, radius: %g, friction: %g, groom: push}\n"
        "  strands: [[[0, 0, -4], [0, 0, 4]]]\n",
        FRAMES, held, mu);
    hairs_add(&w->h,
              "- name: wound\n  model: rod\n  drag: 1000\n"
              "  rod: {steps: 4, tolerance: 1e-7, radius: [[0, 40], [%.9g, 40], [%.9g, 400], [1, 400]],"
              " young: [[0, 1e6], [%.9g, 1e6], [%.9g, 1e4], [1, 1e4]], shear: 1e3}\n"
              "  contact: {method: solve, radius: %g, friction: %g, groom: push}\n",
              heavy, heavy + 0.001, heavy, heavy + 0.001, own, mu);
    hairs_list(&w->h, 0, 1, NULL);
}

static rlt_status one(validate_run *run, double half_turns, double mu, double turn) {
    winding w = {0};
    make(&w, half_turns * HAIRS_PI, turn);
    int points = AWAY + w.around + 1 + (int)(tail / w.turn);
    w.rest = calloc((size_t)points, sizeof *w.rest);
    if (w.rest == NULL || !hairs_create(&w.h, 1, points, 1)) {
        free(w.rest);
        return RLT_FAILED;
    }
    validate_result r = {.model = "rod"};
    snprintf(r.name, sizeof r.name, "phi %g pi, mu %g, %.0f vertices a turn", half_turns, mu,
             2.0 * HAIRS_PI / w.turn);
    validate_note(run, "%s", r.name);
    write_scene(&w, mu);
    rlt_status status = validate_simulate(run, w.h.text, measure, &w, NULL);
    double full = exp(mu * w.phi), half = mu * tan(0.5 * w.turn);
    r.measured = w.samples > 0 ? w.ratio / w.samples : 0.0;
    r.reference = expect(&w, mu, w.t1);
    snprintf(r.reason, sizeof r.reason,
             "Off by %.2f%%; edges by themselves make it %.2f%%. Without its own weight it were %.4g.",
             100.0 * (r.measured / r.reference - 1.0),
             100.0 * (pow((1.0 + half) / (1.0 - half), w.around) / full - 1.0), full);
    r.tolerance = 0.03;
    r.unit = "T2/T1";
    r.rule = "ratio within 3% of exp(mu phi) with the hair's own weight";
    validate_detail(&r, "exponential", full);
    validate_detail(&r, "least", w.least);
    validate_detail(&r, "most", w.most);
    validate_detail(&r, "slipping_share", w.slipping);
    validate_detail(&r, "residual_of_radius", w.residual);
    r.verdict = fabs(r.measured / r.reference - 1.0) <= r.tolerance ? VALIDATE_PASS : VALIDATE_FAIL;
    hairs_destroy(&w.h);
    free(w.rest);
    return status == RLT_OK ? validate_add(run, &r) : status;
}

rlt_status validate_hair_capstan(validate_run *run) {
    static const double cases[][3] = {
        {0.5, 0.3, 0.2}, {1, 0.3, 0.2}, {2, 0.3, 0.2}, {3, 0.3, 0.2}, {1, 0.15, 0.2}};
    rlt_status status = RLT_OK;
    for (int k = 0; k < (int)(sizeof cases / sizeof cases[0]) && status == RLT_OK; k++)
        status = one(run, cases[k][0], cases[k][1], cases[k][2]);
    return status;
}
