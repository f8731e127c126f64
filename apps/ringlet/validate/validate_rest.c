/* rest: heads of hair that stand still, with contacts. After settling, points must not accelerate: springs
 * between hairs that are switched on and off, or too stiff for their steps, would show as jitter.
 *
 * A frame is 15 outer steps here, an odd number, so that a point that goes to and fro with every outer
 * step is seen. Accelerations are differences of velocity between such frames. The ratio of the mean speed to
 * the mean displacement in 1/24 s separates jitter (large) from slow sliding (1). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validate/validate.h"
#include "validate/validate_head.h"

enum { OUTER_STEPS = 15, SAMPLES_MAX = 24 * 12, HEADS = 5 };
static const double gravity = 981.0;                     /* [unit/s^2] */
static const double mean_limit = 0.001, limit_99 = 0.01; /* of gravity */
static const double watched = 0.5;                       /* at the end [s] */

static const struct {
    const char *name;
    double seconds, full_seconds; /* to settle */
} heads[HEADS] = {
    {"redhead", 4.5, 7.5}, {"wavy", 5.5, 7.5},       {"straight", 5.5, 7.5},
    {"coil", 3.5, 7.5},    {"horse-mane", 5.5, 7.5},
};

typedef struct history {
    double end;          /* [s] */
    int per_sample;      /* frames in 1/24 s */
    int frames;          /* so far */
    int watched;         /* of these, at the end */
    int displaced;       /* samples at the end */
    double *before;      /* [points][3] velocities one frame ago */
    double *place;       /* [points][3] one sample ago */
    double *sizes;       /* [points] accelerations */
    double mean;         /* of the accelerations in the watched time, summed over its frames [unit/s^2] */
    double worst_99;     /* 99th percentile in its worst frame */
    double greatest;     /* of all */
    double speed;        /* mean over frames, summed [unit/s] */
    double displacement; /* mean over samples, summed [unit/s] */
    long long contacts;
    int samples; /* for the chart */
    double time[SAMPLES_MAX], acceleration[SAMPLES_MAX];
} history;

static double length3(double x, double y, double z) {
    return sqrt(x * x + y * y + z * z);
}

static double change(const double *a, const double *b, int i) {
    a += 3 * (size_t)i;
    b += 3 * (size_t)i;
    return length3(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Fills h->sizes with the points' accelerations, and returns their mean [unit/s^2]. */
static double accelerations(history *h, const rlt_frame_view *view) {
    double fps = 24.0 * h->per_sample, sum = 0.0;
    for (int i = 0; i < view->point_count; i++) {
        h->sizes[i] = fps * change(view->velocities, h->before, i);
        sum += h->sizes[i];
    }
    return sum / view->point_count;
}

static void watch(history *h, const rlt_frame_view *view, double mean) {
    int count = view->point_count;
    double speed = 0.0;
    qsort(h->sizes, (size_t)count, sizeof *h->sizes, ascending);
    for (int i = 0; i < count; i++) {
        const double *v = view->velocities + 3 * (size_t)i;
        speed += length3(v[0], v[1], v[2]);
    }
    h->watched++;
    h->mean += mean;
    h->worst_99 = fmax(h->worst_99, h->sizes[(int)(0.99 * (count - 1))]);
    h->greatest = fmax(h->greatest, h->sizes[count - 1]);
    h->speed += speed / count;
}

/* Once in 1/24 s. */
static void sample(history *h, const rlt_frame_view *view, double mean, int at_end) {
    if (h->samples < SAMPLES_MAX) {
        h->time[h->samples] = view->time;
        h->acceleration[h->samples++] = mean / gravity;
    }
    double displacement = 0.0;
    for (int i = 0; at_end && i < view->point_count; i++)
        displacement += 24.0 * change(view->points, h->place, i) / view->point_count;
    h->displacement += displacement;
    h->displaced += at_end;
    memcpy(h->place, view->points, 3 * (size_t)view->point_count * sizeof(double));
}

static int record(const rlt_simulation *simulation, const rlt_frame_view *view, void *context) {
    history *h = context;
    size_t points = (size_t)view->point_count;
    if (h->frames == 0) {
        h->before = malloc(7 * points * sizeof(double));
        if (h->before == NULL)
            return 0;
        h->place = h->before + 3 * points;
        h->sizes = h->place + 3 * points;
        memcpy(h->place, view->points, 3 * points * sizeof(double));
    } else {
        double mean = accelerations(h, view);
        int at_end = view->time > h->end - watched + 1e-6;
        if (at_end)
            watch(h, view, mean);
        if (h->frames % h->per_sample == 0)
            sample(h, view, mean, at_end);
    }
    memcpy(h->before, view->velocities, 3 * points * sizeof(double));
    h->frames++;
    rlt_statistics statistics = {.size = sizeof statistics};
    rlt_simulation_statistics(simulation, &statistics);
    h->contacts = statistics.hair_contacts;
    return 1;
}

static rlt_status report(validate_run *run, const char *name, const history *h) {
    double mean = h->mean / h->watched / gravity, part_99 = h->worst_99 / gravity;
    double speed = h->speed / h->watched, displacement = h->displacement / h->displaced;
    validate_result r = {.unit = "g",
                         .measured = mean,
                         .reference = mean_limit,
                         .tolerance = limit_99,
                         .rule = "mean acceleration <= reference, and 99 of 100 points <= tolerance"};
    snprintf(r.name, sizeof r.name, "%s, still", name);
    r.verdict = mean <= mean_limit && part_99 <= limit_99 ? VALIDATE_PASS : VALIDATE_FAIL;
    snprintf(r.reason, sizeof r.reason,
             "After %.1f s and with %lld contacts: 99 of 100 points below %.2g g, the worst at %.2g g; mean "
             "speed %.2g unit/s, %.2f times the displacement of the points in 1/24 s.",
             h->end - watched, h->contacts, part_99, h->greatest / gravity, speed,
             displacement > 0.0 ? speed / displacement : 0.0);
    validate_detail(&r, "acceleration_99_g", part_99);
    validate_detail(&r, "acceleration_worst_g", h->greatest / gravity);
    validate_detail(&r, "speed_unit_per_s", speed);
    validate_detail(&r, "displacement_unit_per_s", displacement);
    validate_detail(&r, "jitter_ratio", displacement > 0.0 ? speed / displacement : 0.0);
    validate_detail(&r, "contacts", (double)h->contacts);
    validate_detail(&r, "settled_for_s", h->end - watched);
    return validate_add(run, &r);
}

static rlt_status stand(validate_run *run, int head, history *h) {
    const head_kind *kind = head_find(heads[head].name);
    int full = validate_full(run);
    head_settings settings;
    h->per_sample = kind->outer_steps / OUTER_STEPS / 24;
    h->end = (full ? heads[head].full_seconds : heads[head].seconds) + watched;
    head_begin(&settings, kind, full);
    head_set(&settings, "motion.kind=still");
    head_set(&settings, "wind.velocity=[0, 0, 0]");
    head_set(&settings, "wind.turbulence=0");
    head_set(&settings, "time.fps=%d", 24 * h->per_sample);
    head_set(&settings, "time.outer_steps=%d", OUTER_STEPS);
    head_set(&settings, "time.preroll=0");
    head_set(&settings, "time.last=%d", 1 + (int)(h->end * 24 * h->per_sample + 0.5));
    validate_note(run, "%s", kind->name);
    rlt_status status = head_simulate(run, kind, &settings, record, h);
    if (status == RLT_OK && (h->before == NULL || h->watched == 0))
        status = RLT_FAILED;
    return status == RLT_OK ? report(run, kind->name, h) : status;
}

static rlt_status draw(validate_run *run, const history *histories) {
    plot *chart = plot_create("Hair with contacts comes to rest", "time [s]", "mean acceleration / gravity");
    plot_scales(chart, PLOT_LINEAR, PLOT_LOG);
    for (int k = 0; k < HEADS; k++)
        plot_series(chart, heads[k].name, histories[k].time, histories[k].acceleration, histories[k].samples);
    plot_line(chart, "limit", mean_limit);
    return validate_plot(run, chart, "rest");
}

rlt_status validate_rest(validate_run *run) {
    history *histories = calloc(HEADS, sizeof *histories);
    rlt_status status = histories != NULL ? RLT_OK : RLT_FAILED;
    for (int k = 0; k < HEADS && status == RLT_OK; k++) {
        status = stand(run, k, &histories[k]);
        free(histories[k].before);
        if (status == RLT_DIVERGED) /* the report has it */
            status = RLT_OK;
    }
    if (status == RLT_OK && validate_plots(run))
        status = draw(run, histories);
    free(histories);
    return status;
}
