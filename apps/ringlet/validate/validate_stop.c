/* abrupt-stop (Figure 10 of the paper): a strand of the redhead preset glides at 368 unit/s and is stopped at
 * 10 g and 30 g, once with its core springs and once without any. Core springs are there to keep the curl
 * from being pulled long: the greatest elongation (over the groomed curl, so the sag under gravity counts)
 * with them must be at most 0.6 of that without.
 *
 * The body's motion is sampled once a frame and the stop lasts three samples. To stop from the same speed at
 * either deceleration, the frame rate is 8 per g, and outer steps a frame are fewer in the same proportion:
 * the step size is that of 24 frames a second with 60 outer steps. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "validate/validate.h"
#include "validate/validate_curl.h"

enum { STRANDS = 2, SCENE_SIZE = 4096, OUTER_STEPS_PER_SECOND = 1440 };

static const double ratio_limit = 0.6;
static const double brake = 2.0;              /* the stop's brake begins this long after it starts [s] */
static const double end = 2.8;                /* [s] */
static const double settle = 4.0;             /* preroll [s] */
static const double standard_gravity = 981.0; /* [unit/s^2] */

static const char *const strand_names[STRANDS] = {"with core", "without"};

typedef struct history {
    double fps;
    int window; /* points to one turn */
    int frames; /* recorded, of capacity */
    int capacity;
    double *time;
    double *longer[STRANDS];  /* curl length minus that of the groom [unit] */
    double rest_length;       /* of the curl in the groom [unit] */
    double straight;          /* elongation of a curl pulled straight, at rest lengths of the edges [unit] */
    double settled[STRANDS];  /* elongation at the end of the preroll */
    double greatest[STRANDS]; /* from the brake on */
    double speed;             /* of the root before the brake [unit/s] */
    double deceleration;      /* of the root, greatest between two frames [unit/s^2] */
    double last_velocity;
} history;

static void measure_root(history *h, const rlt_frame_view *view) {
    double velocity = view->velocities[2]; /* the motion is along z */
    double deceleration = (h->last_velocity - velocity) * h->fps;
    if (view->time > 0.0 && deceleration > h->deceleration)
        h->deceleration = deceleration;
    h->speed = velocity > h->speed ? velocity : h->speed;
    h->last_velocity = velocity;
}

/* The centreline's length if the points lay on one straight line: a running mean over w points then advances
 * by the mean of w edges at each step. */
static double straight_length(const double *points, int count, int window) {
    double length = 0.0;
    for (int i = 0; i + window < count; i++)
        for (int k = i; k < i + window; k++)
            length += vector_length(vector_sub(vector_at(points, k + 1), vector_at(points, k))) / window;
    return length;
}

static int record(const rlt_simulation *simulation, const rlt_frame_view *view, void *context) {
    (void)simulation;
    history *h = context;
    if (h->window == 0) {
        double hand;
        h->window = (int)floor(curl_edges_per_turn(view->rest, view->first[1], &hand) + 0.5);
        h->rest_length = curl_length(view->rest, view->first[1], h->window);
        h->straight = straight_length(view->rest, view->first[1], h->window) - h->rest_length;
    }
    measure_root(h, view);
    if (view->time < 0.0 || h->frames == h->capacity)
        return 1;
    h->time[h->frames] = view->time;
    for (int s = 0; s < STRANDS; s++) {
        int count = view->first[s + 1] - view->first[s];
        double longer = curl_length(view->points + 3 * view->first[s], count, h->window) - h->rest_length;
        h->longer[s][h->frames] = longer;
        if (h->frames == 0)
            h->settled[s] = longer;
        if (view->time >= brake && longer > h->greatest[s])
            h->greatest[s] = longer;
    }
    h->frames++;
    return 1;
}

static void write_scene(char *text, int g, int fps) {
    int used = 0;
    validate_text(text, SCENE_SIZE, &used,
                  "character: {kind: none}\nmotion: {kind: stop, stop_g: %d, start: 0}\n"
                  "time: {fps: %d, first: 0, last: %d, preroll: %d, outer_steps: %d, force_steps: 15,\n"
                  "  damping_steps: 10}\nhair:\n",
                  g, fps, (int)floor(end * fps + 0.5), (int)(settle * fps), OUTER_STEPS_PER_SECOND / fps);
    for (int s = 0; s < STRANDS; s++)
        validate_text(text, SCENE_SIZE, &used,
                      "  - {preset: redhead, region: none, count: 1, total_points: 77, length_variation: 0,\n"
                      "     contact: {enabled: off},\n"
                      "     variation: 0%s}\n",
                      s == 0 ? "" : ", core: {stiffness: 0, stiffness_max: 0, damping: 0, damping_max: 0}");
}

static rlt_status report(validate_run *run, int g, const history *h, const char *diverged) {
    validate_result r = {.unit = "",
                         .measured = h->greatest[0] / h->greatest[1],
                         .reference = ratio_limit,
                         .rule = "greatest elongation with core springs / without them <= reference"};
    snprintf(r.name, sizeof r.name, "redhead, %d g", g);
    double reached = h->deceleration / standard_gravity;
    if (diverged[0] != '\0')
        r.measured = INFINITY;
    r.verdict = r.measured <= ratio_limit ? VALIDATE_PASS : VALIDATE_FAIL;
    if (diverged[0] != '\0')
        snprintf(r.reason, sizeof r.reason, "%.*s", VALIDATE_TEXT - 1, diverged);
    else
        snprintf(r.reason, sizeof r.reason,
                 "%.1f units longer than groomed with core springs, %.1f without (pulled straight: %.1f), of "
                 "which "
                 "%.1f and %.1f hang there before the stop; from %.0f unit/s, deceleration reached %.1f g.",
                 h->greatest[0], h->greatest[1], h->straight, h->settled[0], h->settled[1], h->speed,
                 reached);
    validate_detail(&r, "elongation_with_unit", h->greatest[0]);
    validate_detail(&r, "elongation_without_unit", h->greatest[1]);
    validate_detail(&r, "settled_with_unit", h->settled[0]);
    validate_detail(&r, "settled_without_unit", h->settled[1]);
    validate_detail(&r, "curl_length_unit", h->rest_length);
    validate_detail(&r, "straight_unit", h->straight);
    validate_detail(&r, "speed_unit_per_s", h->speed);
    validate_detail(&r, "deceleration_g", reached);
    return validate_add(run, &r);
}

static rlt_status draw(validate_run *run, const int *g, const history *histories, int count) {
    const double before = 0.2; /* how much of the glide is shown [s] */
    plot *chart = plot_create("Curl in an abrupt stop: redhead, brake at 2 s", "time [s]",
                              "elongation of the curl [unit]");
    for (int k = 0; k < count; k++)
        for (int s = 0; s < STRANDS; s++) {
            const history *h = &histories[k];
            char name[64];
            int first = (int)((brake - before) * h->fps);
            first = first < h->frames ? first : 0;
            snprintf(name, sizeof name, "%d g, %s", g[k], strand_names[s]);
            plot_series(chart, name, h->time + first, h->longer[s] + first, h->frames - first);
        }
    plot_line(chart, "pulled straight", histories[0].straight);
    return validate_plot(run, chart, "abrupt-stop");
}

/* One deceleration. The history's arrays are the caller's to free. */
static rlt_status stop(validate_run *run, int g, history *h) {
    char text[SCENE_SIZE], diverged[VALIDATE_TEXT] = "";
    int fps = 8 * g;
    h->fps = fps;
    h->capacity = (int)(end * fps) + 2;
    h->time = calloc((size_t)h->capacity * (STRANDS + 1), sizeof(double));
    if (h->time == NULL)
        return RLT_FAILED;
    for (int s = 0; s < STRANDS; s++)
        h->longer[s] = h->time + (s + 1) * h->capacity;
    validate_note(run, "%d g, with and without core springs", g);
    write_scene(text, g, fps);
    rlt_status status = validate_simulate(run, text, record, h, diverged);
    if (status == RLT_OK || status == RLT_DIVERGED)
        status = report(run, g, h, diverged);
    return status;
}

rlt_status validate_stop(validate_run *run) {
    enum { COUNT = 2 };
    static const int g[COUNT] = {10, 30};
    history histories[COUNT] = {0};
    rlt_status status = RLT_OK;
    for (int k = 0; k < COUNT && status == RLT_OK; k++)
        status = stop(run, g[k], &histories[k]);
    if (status == RLT_OK && validate_plots(run))
        status = draw(run, g, histories, COUNT);
    for (int k = 0; k < COUNT; k++)
        free(histories[k].time);
    return status;
}
