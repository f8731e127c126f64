/* pruning: what leaving contacts out costs.
 *
 * Walk: the redhead with pruned particles and pairs, and with none left out. Both runs must put the hair in
 * the same place: the middles of a hair's points in the two runs are compared, relative to its length.
 *
 * Flip: pairs are chosen in the groom, and a hair flip brings hairs together that were never near each other
 * there. They pass through each other: the known failure of pruning. Pairs of points deep inside each other's
 * volume are counted after the flip; less pruning must mend it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "validate/validate.h"
#include "validate/validate_head.h"

static const double apart_limit = 0.05; /* of the hair's length */
static const double deep = 0.5;         /* of the distance at which two points touch */
static const double mended = 0.5;       /* of the deep pairs with the preset's pruning */

/* ---- walk ---- */

typedef struct walk_history {
    int frames, capacity; /* the settled frame first */
    int hairs;
    double *middles; /* [capacity][hairs][3] */
    double *lengths; /* [hairs] */
    rlt_statistics statistics;
} walk_history;

static int record_walk(const rlt_simulation *simulation, const rlt_frame_view *view, void *context) {
    walk_history *h = context;
    h->statistics.size = sizeof h->statistics;
    rlt_simulation_statistics(simulation, &h->statistics);
    if (h->middles == NULL) {
        size_t hairs = (size_t)view->strand_count;
        h->hairs = view->strand_count;
        h->middles = calloc(3 * hairs * (size_t)h->capacity + hairs, sizeof(double));
        if (h->middles == NULL)
            return 0;
        h->lengths = h->middles + 3 * hairs * (size_t)h->capacity;
        head_lengths(view, h->lengths);
    }
    if (view->frame >= 0 && h->frames < h->capacity)
        head_middles(view, h->middles + 3 * (size_t)h->hairs * (size_t)h->frames++);
    return 1;
}

/* Mean over hairs of the distance between their middles in the two runs, relative to the hair's length. */
static double apart(const walk_history *a, const walk_history *b, int frame) {
    const double *p = a->middles + 3 * (size_t)a->hairs * (size_t)frame;
    const double *q = b->middles + 3 * (size_t)a->hairs * (size_t)frame;
    double sum = 0.0;
    for (int s = 0; s < a->hairs; s++, p += 3, q += 3) {
        double x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2];
        sum += sqrt(x * x + y * y + z * z) / a->lengths[s];
    }
    return sum / a->hairs;
}

static rlt_status draw_walk(validate_run *run, const double *frame, const double *share, int count) {
    plot *chart = plot_create("Redhead on the walk, pruned against not pruned", "frame",
                              "distance of the hairs' middles / length");
    plot_series(chart, "mean over hairs", frame, share, count);
    plot_line(chart, "limit", apart_limit);
    return validate_plot(run, chart, "pruning-walk");
}

static rlt_status report_walk(validate_run *run, const walk_history *pruned, const walk_history *all) {
    int frames = pruned->frames < all->frames ? pruned->frames : all->frames;
    double *frame = calloc(2 * (size_t)frames, sizeof(double));
    double worst = 0.0, mean = 0.0;
    if (frame == NULL)
        return RLT_FAILED;
    double *share = frame + frames;
    for (int i = 0; i < frames; i++) {
        frame[i] = i;
        share[i] = apart(pruned, all, i);
        worst = fmax(worst, share[i]);
        mean += share[i] / frames;
    }
    validate_result r = {.unit = "length",
                         .name = "redhead, walk",
                         .measured = worst,
                         .reference = apart_limit,
                         .rule = "mean distance from the unpruned hair, in the worst frame <= reference",
                         .verdict = worst <= apart_limit ? VALIDATE_PASS : VALIDATE_FAIL};
    snprintf(r.reason, sizeof r.reason,
             "%.2f%% of the hair's length on average over %d frames, %.2f%% after settling; %d of %d points "
             "and %lld of %lld pairs of hairs take part.",
             100.0 * mean, frames - 1, 100.0 * share[0], pruned->statistics.particles,
             all->statistics.particles, pruned->statistics.edges, all->statistics.edges);
    validate_detail(&r, "mean", mean);
    validate_detail(&r, "settled", share[0]);
    validate_detail(&r, "cpu_s", pruned->statistics.cpu_seconds);
    validate_detail(&r, "cpu_unpruned_s", all->statistics.cpu_seconds);
    rlt_status status = validate_add(run, &r);
    if (status == RLT_OK && validate_plots(run))
        status = draw_walk(run, frame, share, frames);
    free(frame);
    return status;
}

static rlt_status walk(validate_run *run, int pruned, walk_history *h) {
    const head_kind *kind = head_find("redhead-small");
    int full = validate_full(run), frames = full ? 232 : 24;
    head_settings settings;
    h->capacity = frames + 1;
    head_begin(&settings, kind, full);
    head_set(&settings, "time.last=%d", frames);
    head_set(&settings, "time.preroll=24");
    if (!pruned) {
        head_set(&settings, "hair.prune.particles=off");
        head_set(&settings, "hair.prune.pairs=off");
    }
    validate_note(run, "redhead on the walk, %s", pruned ? "pruned" : "not pruned");
    rlt_status status = head_simulate(run, kind, &settings, record_walk, h);
    return status == RLT_OK && h->middles == NULL ? RLT_FAILED : status;
}

static rlt_status compare_walks(validate_run *run) {
    walk_history pruned = {0}, all = {0};
    rlt_status status = walk(run, 1, &pruned);
    if (status == RLT_OK)
        status = walk(run, 0, &all);
    if (status == RLT_OK)
        status = report_walk(run, &pruned, &all);
    free(pruned.middles);
    free(all.middles);
    return status;
}

/* ---- flip ---- */

enum { STRONG, PRESET, LESS, NONE, LEVELS, FRAMES_MAX = 160 };

static const struct {
    const char *name, *settings[2];
} levels[LEVELS] = {
    {"strong pruning", {"hair.prune.reach=1", NULL}},
    {"the preset's pruning", {NULL, NULL}},
    {"less pruning", {"hair.prune.reach=10", "hair.prune.random=0"}},
    {"no pruning", {"hair.prune.particles=off", "hair.prune.pairs=off"}},
};

typedef struct flip_history {
    const head_kind *kind;
    int full, frames, out_of_memory;
    double *radii;
    double frame[FRAMES_MAX], pairs[FRAMES_MAX]; /* deep pairs per hair */
    long long edges;
} flip_history;

static int record_flip(const rlt_simulation *simulation, const rlt_frame_view *view, void *context) {
    flip_history *h = context;
    if (view->frame < 0 || h->frames == FRAMES_MAX)
        return 1;
    if (h->radii == NULL) {
        rlt_statistics statistics = {.size = sizeof statistics};
        rlt_simulation_statistics(simulation, &statistics);
        h->edges = statistics.edges;
        h->radii = malloc((size_t)view->point_count * sizeof(double));
        if (h->radii != NULL)
            head_radii(h->kind, h->full, view, h->radii);
    }
    long pairs = h->radii != NULL ? head_near_pairs(view, h->radii, deep) : -1;
    h->out_of_memory = pairs < 0;
    h->frame[h->frames] = view->frame;
    h->pairs[h->frames++] = (double)pairs / view->strand_count;
    return !h->out_of_memory;
}

/* Mean over the last half second. */
static double after_flip(const flip_history *h) {
    double sum = 0.0;
    int count = h->frames < 12 ? h->frames : 12;
    for (int i = h->frames - count; i < h->frames; i++)
        sum += h->pairs[i];
    return sum / count;
}

static rlt_status report_flip(validate_run *run, const flip_history *histories, int level) {
    const flip_history *h = &histories[level];
    double pairs = after_flip(h), usual = after_flip(&histories[PRESET]);
    validate_result r = {.unit = "pairs",
                         .measured = pairs,
                         .reference = mended * usual,
                         .tolerance = mended,
                         .rule = "deep pairs of points per hair after the flip <= half of those with the "
                                 "preset's pruning"};
    snprintf(r.name, sizeof r.name, "wavy, hair flip, %s", levels[level].name);
    if (level < LESS)
        r.verdict = VALIDATE_NOT_EXPECTED;
    else
        r.verdict = pairs <= mended * usual ? VALIDATE_PASS : VALIDATE_FAIL;
    snprintf(
        r.reason, sizeof r.reason,
        "%.1f pairs of points nearer than half their touching distance per hair in the last half second, "
        "%.1f before the flip; %lld pairs of hairs take part.%s",
        pairs, h->pairs[0], h->edges,
        level < LESS ? " The known failure: hair passes through hair it was not paired with." : "");
    validate_detail(&r, "before", h->pairs[0]);
    validate_detail(&r, "share_of_preset", pairs / usual);
    validate_detail(&r, "edges", (double)h->edges);
    return validate_add(run, &r);
}

static rlt_status draw_flip(validate_run *run, const flip_history *histories) {
    plot *chart = plot_create("Hair flip: how much hair is inside other hair", "frame",
                              "pairs nearer than half their touch, per hair");
    for (int k = 0; k < LEVELS; k++)
        if (histories[k].frames > 0)
            plot_series(chart, levels[k].name, histories[k].frame, histories[k].pairs, histories[k].frames);
    return validate_plot(run, chart, "pruning-flip");
}

static rlt_status flip(validate_run *run, int level, flip_history *h) {
    head_settings settings;
    h->kind = head_find("flip");
    h->full = validate_full(run);
    head_begin(&settings, h->kind, h->full);
    head_set(&settings, "motion.start=0");
    head_set(&settings, "time.preroll=%d", h->full ? 48 : 24);
    head_set(&settings, "time.last=%d", h->full ? 144 : 90);
    for (int k = 0; k < 2; k++)
        if (levels[level].settings[k] != NULL)
            head_set(&settings, "%s", levels[level].settings[k]);
    validate_note(run, "hair flip, %s", levels[level].name);
    rlt_status status = head_simulate(run, h->kind, &settings, record_flip, h);
    free(h->radii);
    h->radii = NULL;
    return status == RLT_OK && h->out_of_memory ? RLT_FAILED : status;
}

static rlt_status compare_flips(validate_run *run) {
    flip_history *histories = calloc(LEVELS, sizeof *histories);
    int count = validate_full(run) ? LEVELS : NONE; /* the slowest shows the least */
    rlt_status status = histories != NULL ? RLT_OK : RLT_FAILED;
    for (int k = 0; k < count && status == RLT_OK; k++)
        status = flip(run, k, &histories[k]);
    for (int k = 0; k < count && status == RLT_OK; k++)
        status = report_flip(run, histories, k);
    if (status == RLT_OK && validate_plots(run))
        status = draw_flip(run, histories);
    free(histories);
    return status;
}

rlt_status validate_pruning(validate_run *run) {
    rlt_status status = compare_walks(run);
    if (status == RLT_OK || status == RLT_DIVERGED) /* the report has it */
        status = compare_flips(run);
    return status == RLT_DIVERGED ? RLT_OK : status;
}
