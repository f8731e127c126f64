/* The cases of the talk on holding shapes. centroid, Figure 1: wind pulls a set bob back, then stops; the
 * middle of its points brings the style back to the groom. scalp-relative, section 3: a bun on a head that
 * raises its brows. */
#include <math.h>
#include <stdio.h>

#include "validate/validate.h"

/* Distance from the groom, root mean square over each strand in lengths of it, and the mean of that. */
static double from_groom(const rlt_frame_view *view) {
    double sum = 0.0;
    for (int s = 0; s < view->strand_count; s++) {
        double length = 0.0, squares = 0.0;
        for (int p = view->first[s]; p < view->first[s + 1]; p++) {
            double edge = 0.0;
            for (int k = 0; k < 3; k++) {
                const double *rest = view->rest + 3 * (size_t)p + k;
                double off = view->points[3 * (size_t)p + (size_t)k] - *rest;
                squares += off * off;
                if (p > view->first[s])
                    edge += (rest[0] - rest[-3]) * (rest[0] - rest[-3]);
            }
            length += sqrt(edge);
        }
        sum += sqrt(squares / (view->first[s + 1] - view->first[s])) / length;
    }
    return sum / view->strand_count;
}

typedef struct errors {
    int wind_frame;   /* the last one with the full wind */
    double wind, end; /* shares of the strand length */
} errors;

static int take_errors(const rlt_simulation *simulation, const rlt_frame_view *view, void *context) {
    errors *e = context;
    (void)simulation;
    e->end = from_groom(view);
    if (view->frame == e->wind_frame)
        e->wind = e->end;
    return 1;
}

static rlt_status run_bob(validate_run *run, const char *constraints, errors *e) {
    const char *settings[] = {"hair.count=40", "character.resolution=24", constraints};
    *e = (errors){.wind_frame = 48};
    return validate_simulate_scene(run, "bob", settings, constraints != NULL ? 3 : 2, take_errors, e, NULL);
}

rlt_status validate_centroid(validate_run *run) {
    errors held, loose;
    validate_note(run, "a bob in the wind, with and without its centroid constraint");
    rlt_status status = run_bob(run, NULL, &held);
    if (status == RLT_OK)
        status = run_bob(run, "constraints=[]", &loose);
    if (status != RLT_OK)
        return status;
    validate_result r = {
        .name = "bob, 2.5 s after the wind",
        .unit = "length",
        .measured = held.end,
        .reference = 0.05,
        .rule = "measured <= reference, and at least twice as far off without the constraint",
        .verdict = held.end <= 0.05 && loose.end >= 2.0 * held.end ? VALIDATE_PASS : VALIDATE_FAIL};
    snprintf(r.reason, sizeof r.reason,
             "The wind pulls the style %.1f%% of a strand's length from the groom; when it stops, %.1f%% are "
             "left. "
             "Without the constraint it is %.1f%% and %.1f%%.",
             100.0 * held.wind, 100.0 * held.end, 100.0 * loose.wind, 100.0 * loose.end);
    validate_detail(&r, "in_wind", held.wind);
    validate_detail(&r, "without_in_wind", loose.wind);
    validate_detail(&r, "without", loose.end);
    return validate_add(run, &r);
}

/* ---- the bun ---- */

typedef struct bun {
    double worst; /* displacement of the bun from the groom, shares of the strand length */
    int frame;    /* where */
} bun;

/* Distance of the outer half of each strand from the groom, root mean square in lengths of it, mean over the
 * strands. */
static double bun_displacement(const rlt_frame_view *view) {
    double sum = 0.0;
    for (int s = 0; s < view->strand_count; s++) {
        double length = 0.0, squares = 0.0;
        int first = view->first[s], end = view->first[s + 1], middle = first + (end - first) / 2;
        for (int p = first + 1; p < end; p++) {
            const double *rest = view->rest + 3 * (size_t)p, *now = view->points + 3 * (size_t)p;
            double edge = 0.0;
            for (int k = 0; k < 3; k++) {
                edge += (rest[k] - rest[k - 3]) * (rest[k] - rest[k - 3]);
                double off = now[k] - rest[k];
                squares += p >= middle ? off * off : 0.0;
            }
            length += sqrt(edge);
        }
        sum += sqrt(squares / (end - middle)) / length;
    }
    return sum / view->strand_count;
}

static int follow_bun(const rlt_simulation *simulation, const rlt_frame_view *view, void *context) {
    bun *b = context;
    (void)simulation;
    double displacement = bun_displacement(view);
    if (displacement > b->worst) {
        b->worst = displacement;
        b->frame = view->frame;
    }
    return 1;
}

static rlt_status run_bun(validate_run *run, const char *const *settings, int count, const char *name,
                          int expected, bun *b) {
    *b = (bun){0};
    rlt_status status = validate_simulate_scene(run, "bun", settings, count, follow_bun, b, NULL);
    if (status != RLT_OK)
        return status;
    int held = b->worst > 0.0 && b->worst <= 0.02;
    validate_result r = {.unit = "length",
                         .measured = b->worst,
                         .reference = 0.02,
                         .rule = "measured <= reference",
                         .verdict =
                             !expected ? VALIDATE_NOT_EXPECTED : (held ? VALIDATE_PASS : VALIDATE_FAIL)};
    snprintf(r.name, sizeof r.name, "%s", name);
    snprintf(
        r.reason, sizeof r.reason,
        "Brows rise by 1.5 units in 8 frames and fall again. The bun comes %.2f%% of a strand's length off "
        "its place at most, in frame %d.%s",
        100.0 * b->worst, b->frame,
        expected
            ? ""
            : " Turned roots drag tips along that are pinned to their groom: this is why the other exists.");
    return validate_add(run, &r);
}

rlt_status validate_scalp_relative(validate_run *run) {
    const char *pins[] = {"character.resolution=24",
                          "constraints=[{kind: pin, along: [0.95, 1], hold: hard}]"};
    bun b;
    validate_note(run,
                  "a bun on a head that raises its brows, by scalp-relative distance and by pinned tips");
    rlt_status status = run_bun(run, pins, 1, "bun, distance from the scalp", 1, &b);
    if (status == RLT_OK)
        status = run_bun(run, pins, 2, "bun, kinematic tips", 0, &b);
    return status;
}
