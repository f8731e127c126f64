/* volume: the redhead on her walk, with contacts between hairs and without. The volume of the hair is the
 * number of cells of a grid of 2 units that have a point in them, as a share of the groom's. Contacts are
 * there to keep it: over the walk it stays near its value after settling, and well above that without
 * contacts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "validate/validate.h"
#include "validate/validate_head.h"

enum { RUNS = 2 };
static const char *const run_names[RUNS] = {"with contacts", "without"};
static const double change_limit = 0.10;
static const double gain_minimum = 1.15;
static const double cell = 2.0; /* [unit] */

typedef struct history {
    int frames, capacity; /* of the walk, the settled frame first */
    int out_of_memory;
    double *frame, *volume; /* share of the groom's */
} history;

static int record(const rlt_simulation *simulation, const rlt_frame_view *view, void *context) {
    history *h = context;
    (void)simulation;
    if (view->frame < 0 || h->frames == h->capacity)
        return 1;
    long groom = head_cells(view->rest, view->point_count, cell);
    long now = head_cells(view->points, view->point_count, cell);
    h->out_of_memory = groom <= 0 || now < 0;
    h->frame[h->frames] = view->frame;
    h->volume[h->frames++] = (double)now / (double)groom;
    return !h->out_of_memory;
}

static void range_of(const history *h, double *minimum, double *maximum, double *mean) {
    *minimum = INFINITY;
    *maximum = -INFINITY;
    *mean = 0.0;
    for (int i = 0; i < h->frames; i++) {
        *minimum = fmin(*minimum, h->volume[i]);
        *maximum = fmax(*maximum, h->volume[i]);
        *mean += h->volume[i] / h->frames;
    }
}

static rlt_status report_kept(validate_run *run, const history *with) {
    double minimum, maximum, mean, settled = with->volume[0];
    range_of(with, &minimum, &maximum, &mean);
    validate_result r = {.unit = "",
                         .name = "redhead, walk, volume kept",
                         .measured = fmax(maximum / settled, 2.0 - minimum / settled) - 1.0,
                         .reference = change_limit,
                         .rule = "greatest change of the volume since the walk began <= reference"};
    r.verdict = r.measured <= change_limit ? VALIDATE_PASS : VALIDATE_FAIL;
    snprintf(r.reason, sizeof r.reason,
             "With contacts the hair fills %.3f of the groom's volume after settling, and %.3f to %.3f over "
             "%d frames of the walk.",
             settled, minimum, maximum, with->frames - 1);
    validate_detail(&r, "settled", settled);
    validate_detail(&r, "least", minimum);
    validate_detail(&r, "most", maximum);
    validate_detail(&r, "mean", mean);
    validate_detail(&r, "frames", with->frames - 1);
    return validate_add(run, &r);
}

static rlt_status report_gain(validate_run *run, const history *with, const history *without) {
    double minimum, maximum, mean, gain = INFINITY;
    range_of(without, &minimum, &maximum, &mean);
    for (int i = 0; i < with->frames && i < without->frames; i++)
        gain = fmin(gain, with->volume[i] / without->volume[i]);
    validate_result r = {.unit = "",
                         .name = "redhead, walk, against no contacts",
                         .measured = gain,
                         .reference = gain_minimum,
                         .rule = "volume with contacts / without, in the worst frame >= reference"};
    r.verdict = gain >= gain_minimum ? VALIDATE_PASS : VALIDATE_FAIL;
    snprintf(r.reason, sizeof r.reason,
             "Without contacts the hair fills %.3f of the groom's volume after settling, and %.3f to %.3f "
             "over the walk.",
             without->volume[0], minimum, maximum);
    validate_detail(&r, "settled", without->volume[0]);
    validate_detail(&r, "least", minimum);
    validate_detail(&r, "most", maximum);
    validate_detail(&r, "mean", mean);
    return validate_add(run, &r);
}

static rlt_status draw(validate_run *run, const history *histories) {
    plot *chart =
        plot_create("Volume of the redhead's hair on the walk", "frame", "volume / volume of the groom");
    for (int k = 0; k < RUNS; k++)
        plot_series(chart, run_names[k], histories[k].frame, histories[k].volume, histories[k].frames);
    plot_line(chart, "groom", 1.0);
    return validate_plot(run, chart, "volume");
}

static rlt_status walk(validate_run *run, int contacts, history *h) {
    const head_kind *kind = head_find("redhead");
    int full = validate_full(run), frames = full ? 232 : 48;
    head_settings settings;
    h->capacity = frames + 1;
    h->frame = calloc(2 * (size_t)h->capacity, sizeof(double));
    if (h->frame == NULL)
        return RLT_FAILED;
    h->volume = h->frame + h->capacity;
    head_begin(&settings, kind, full);
    head_set(&settings, "time.last=%d", frames);
    head_set(&settings, "time.preroll=%d", full ? 72 : 48);
    head_set(&settings, "hair.contact.enabled=%s", contacts ? "on" : "off");
    validate_note(run, "redhead on the walk, %s", run_names[contacts ? 0 : 1]);
    rlt_status status = head_simulate(run, kind, &settings, record, h);
    return status == RLT_OK && h->out_of_memory ? RLT_FAILED : status;
}

rlt_status validate_volume(validate_run *run) {
    history histories[RUNS] = {0};
    rlt_status status = walk(run, 1, &histories[0]);
    if (status == RLT_OK)
        status = walk(run, 0, &histories[1]);
    if (status == RLT_OK)
        status = report_kept(run, &histories[0]);
    if (status == RLT_OK)
        status = report_gain(run, &histories[0], &histories[1]);
    if (status == RLT_OK && validate_plots(run))
        status = draw(run, histories);
    for (int k = 0; k < RUNS; k++)
        free(histories[k].frame);
    return status == RLT_DIVERGED ? RLT_OK : status; /* the report has it */
}
