/* centroid: Figure 1 of the talk on holding shapes. Wind pulls a set bob back, then stops; the middle of its
 * points brings the style back to the groom. */
#include <math.h>
#include <stdio.h>

#include "validate.h"

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
        .model = "taz",
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
