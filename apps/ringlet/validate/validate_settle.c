/* settle: one 77-point helix of each preset's material, hung up in its groomed shape, comes to rest under
 * gravity: within 10 s at the preset's damping, within 30 s at a tenth of it (all with 60 x 15 x 10 steps a
 * frame, although the paper ran the horse with 30 x 15 x 10). The paper form of the forces runs beside the
 * variational one, but is not expected to pass.
 *
 * The presets have air drag, which the paper's table has not; a third run shows them without it.
 *
 * Hair sections do not touch each other here, so all presets hang in one scene and run in parallel. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validate/validate.h"

enum { PRESETS = 5, FPS = 24, FRAMES_MAX = 31 * FPS, SCENE_SIZE = 16384 };

static const double limit = 0.5; /* [unit/s] */

/* The presets' damping, and a tenth of it: a scene cannot say "a tenth of the preset's". check_table proves
 * that the first of the two is what the preset has. */
typedef struct damping {
    const char *stretch, *bend, *core, *core_max;
} damping;

static const struct {
    const char *name;
    damping full, tenth;
    int rests_without_drag; /* spring damping alone is enough, even for the swing of the whole strand */
} presets[PRESETS] = {
    {"redhead",
     {"[[0, 4743], [1, 4472]]", "[[0, 2495], [1, 40]]", "100", "1e4"},
     {"[[0, 474.3], [1, 447.2]]", "[[0, 249.5], [1, 4]]", "10", "1e3"},
     1},
    {"horse", {"6025", "[[0, 1083], [1, 22]]", "0", "0"}, {"602.5", "[[0, 108.3], [1, 2.2]]", "0", "0"}, 0},
    {"straight", {"3464", "[[0, 700], [1, 40]]", "0", "0"}, {"346.4", "[[0, 70], [1, 4]]", "0", "0"}, 0},
    {"wavy",
     {"4472", "[[0, 1340], [1, 49]]", "180", "4e3"},
     {"447.2", "[[0, 134], [1, 4.9]]", "18", "400"},
     0},
    {"coil",
     {"6325", "[[0, 1700], [1, 600]]", "280", "1e4"},
     {"632.5", "[[0, 170], [1, 60]]", "28", "1e3"},
     1},
};

typedef enum form { VARIATIONAL, PAPER, FORMS } form;
typedef enum level { FULL, TENTH, NO_DRAG, LEVELS } level;
enum { STRANDS = FORMS * PRESETS }; /* of one level, by form and preset */

static const char *const form_keys[FORMS] = {"variational", "paper"};
static const char *const level_texts[LEVELS] = {"preset's damping", "a tenth of the damping",
                                                "preset's damping, no air drag"};
static const int level_seconds[LEVELS] = {10, 30, 10}; /* to come to rest */
/* Watched after that: a hanging strand of this length stands still for an instant every 0.7 s, so its speed
 * at one instant says little. */
static const int watch_seconds = 1;

/* One strand's history. */
typedef struct history {
    int frames; /* recorded; fewer than asked for when it diverged */
    int diverged;
    double time[FRAMES_MAX + 1];
    double speed[FRAMES_MAX + 1]; /* of the fastest point [unit/s] */
} history;

/* One scene: the histories of its strands, in their order. */
typedef struct batch {
    int count;
    history *strands[STRANDS];
} batch;

static double fastest(const rlt_frame_view *view, int strand) {
    double greatest = 0.0;
    for (int i = view->first[strand]; i < view->first[strand + 1]; i++) {
        const double *v = view->velocities + 3 * i;
        double square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        greatest = square > greatest ? square : greatest;
    }
    return sqrt(greatest);
}

static int record(const rlt_simulation *simulation, const rlt_frame_view *view, void *context) {
    batch *b = context;
    (void)simulation;
    int frame = view->frame - 1;
    for (int s = 0; s < b->count && s < view->strand_count; s++) {
        history *h = b->strands[s];
        h->time[frame] = view->time;
        h->speed[frame] = fastest(view, s);
        h->frames = frame + 1;
    }
    return 1;
}

/* The same helix for every preset, so that the material is what differs. `values` NULL: the preset's own. */
static void write_section(char *text, int *used, const char *preset, form f, const damping *values,
                          int drag) {
    validate_text(text, SCENE_SIZE, used,
                  "  - {name: %s-%s, preset: %s, formulation: %s, region: none, count: 1, total_points: 77,\n"
                  "     contact: {enabled: off},\n"
                  "     style: helix, length: 76, length_variation: 0, radius: 1.6, pitch: 3.2, taper: 0,\n"
                  "     straight_root: 0, variation: 0",
                  preset, form_keys[f], preset, form_keys[f]);
    if (values != NULL)
        validate_text(text, SCENE_SIZE, used,
                      ",\n     stretch: {damping: %s}, bend: {damping: %s},\n"
                      "     core: {damping: %s, damping_max: %s}",
                      values->stretch, values->bend, values->core, values->core_max);
    validate_text(text, SCENE_SIZE, used, drag ? "}\n" : ", drag: 0}\n");
}

static void write_head(char *text, int *used, int frames) {
    validate_text(text, SCENE_SIZE, used,
                  "gravity: [0, -981, 0]\ncharacter: {kind: none}\nmotion: {kind: still}\n"
                  "time: {fps: %d, first: 1, last: %d, outer_steps: 60, force_steps: 15, damping_steps: 10}\n"
                  "hair:\n",
                  FPS, frames + 1);
}

static int hash_last(const rlt_simulation *simulation, const rlt_frame_view *view, void *context) {
    (void)view;
    *(uint64_t *)context = rlt_simulation_hash(simulation);
    return 1;
}

/* One frame of all presets must be the same bytes with the preset's damping and with the table's. */
static rlt_status check_table(validate_run *run, int *matches) {
    uint64_t hashes[2] = {0, 1};
    rlt_status status = RLT_OK;
    for (int k = 0; k < 2 && status == RLT_OK; k++) {
        char text[SCENE_SIZE];
        int used = 0;
        write_head(text, &used, 1);
        for (int p = 0; p < PRESETS; p++)
            write_section(text, &used, presets[p].name, VARIATIONAL, k == 0 ? NULL : &presets[p].full, 1);
        status = validate_simulate(run, text, hash_last, &hashes[k], NULL);
    }
    *matches = hashes[0] == hashes[1];
    return status;
}

/* Marks the strands the message names ("strand 3 of horse-paper diverged"); returns how many. */
static int mark_diverged(const char *why, history *strands) {
    int found = 0;
    for (int s = 0; s < STRANDS; s++) {
        char named[64];
        snprintf(named, sizeof named, " of %s-%s diverged", presets[s % PRESETS].name,
                 form_keys[s / PRESETS]);
        if (!strands[s].diverged && strstr(why, named) != NULL)
            found += strands[s].diverged = 1;
    }
    return found;
}

/* All presets in both forms; one that diverges stops the scene, so the others start again without it. */
static rlt_status run_level(validate_run *run, level l, history *strands) {
    for (;;) {
        char text[SCENE_SIZE], why[VALIDATE_TEXT];
        int used = 0;
        batch b = {0};
        write_head(text, &used, (level_seconds[l] + watch_seconds) * FPS);
        for (int s = 0; s < STRANDS; s++) {
            const int p = s % PRESETS;
            if (strands[s].diverged)
                continue;
            b.strands[b.count++] = &strands[s];
            write_section(text, &used, presets[p].name, (form)(s / PRESETS),
                          l == TENTH ? &presets[p].tenth : NULL, l != NO_DRAG);
        }
        rlt_status status = b.count > 0 ? validate_simulate(run, text, record, &b, why) : RLT_OK;
        if (status != RLT_DIVERGED)
            return status;
        validate_note(run, "%s", why);
        if (mark_diverged(why, strands) == 0)
            return RLT_FAILED;
    }
}

/* Seconds after which the strand stayed below the limit; infinite when it never did. */
static double rest_after(const history *h) {
    int n = h->frames;
    while (n > 0 && h->speed[n - 1] < limit)
        n--;
    if (h->diverged || n == h->frames)
        return INFINITY;
    return h->time[n];
}

static void explain(validate_result *r, const history *h, form f, level l, double rest) {
    char what[160];
    if (h->diverged)
        snprintf(what, sizeof what, "Diverged after %.2f s.", h->time[h->frames - 1]);
    else if (r->measured < limit)
        snprintf(what, sizeof what, "At rest from %.2f s on.", rest);
    else
        snprintf(what, sizeof what, "Still moving, at up to %.3g unit/s, after %d s.", r->measured,
                 level_seconds[l]);
    const char *why = "";
    if (f == PAPER && r->measured < limit)
        why = " The printed force leaves out part of the gradient and need not settle; here it did.";
    else if (f == PAPER)
        why = " The printed force leaves out the part of the energy's gradient that acts through frames and "
              "smoothed curve, and so can add energy.";
    else if (l == NO_DRAG && !(r->measured < limit))
        why = " What is left is the swing of the whole strand, which damping in the springs hardly reaches "
              "and air "
              "drag, part of every preset but not of the paper's table, brakes.";
    snprintf(r->reason, sizeof r->reason, "%s%s", what, why);
}

static rlt_status report(validate_run *run, int preset, form f, level l, const history *h) {
    validate_result r = {.unit = "unit/s",
                         .reference = limit,
                         .rule = "fastest point's speed in the second after the deadline < reference"};
    double rest = rest_after(h);
    snprintf(r.name, sizeof r.name, "%s, %s, %s", presets[preset].name, level_texts[l], form_keys[f]);
    int deadline = level_seconds[l] * FPS;
    r.measured = h->diverged ? INFINITY : 0.0;
    for (int i = deadline; i < h->frames; i++)
        r.measured = h->speed[i] > r.measured ? h->speed[i] : r.measured;
    if (f == PAPER || (l == NO_DRAG && !presets[preset].rests_without_drag))
        r.verdict = VALIDATE_NOT_EXPECTED;
    else
        r.verdict = r.measured < limit ? VALIDATE_PASS : VALIDATE_FAIL;
    explain(&r, h, f, l, rest);
    validate_detail(&r, "deadline_s", level_seconds[l]);
    validate_detail(&r, "speed_at_deadline_unit_per_s", h->diverged ? INFINITY : h->speed[deadline]);
    validate_detail(&r, "rest_after_s", rest);
    return validate_add(run, &r);
}

static rlt_status draw(validate_run *run, int preset, history (*strands)[STRANDS]) {
    char name[64], title[128];
    snprintf(title, sizeof title, "%s on a 77-point helix: coming to rest", presets[preset].name);
    plot *chart = plot_create(title, "time [s]", "speed of the fastest point [unit/s]");
    plot_scales(chart, PLOT_LINEAR, PLOT_LOG);
    for (int f = 0; f < FORMS; f++)
        for (int l = 0; l <= TENTH; l++) {
            const history *h = &strands[l][f * PRESETS + preset];
            snprintf(name, sizeof name, "%s%s", form_keys[f], l == TENTH ? ", damping / 10" : "");
            /* from frame 1 on: at frame 0 everything stands still */
            plot_series(chart, name, h->time + 1, h->speed + 1, h->frames - 1);
        }
    plot_line(chart, "at rest below", limit);
    snprintf(name, sizeof name, "settle-%s", presets[preset].name);
    return validate_plot(run, chart, name);
}

static rlt_status report_table(validate_run *run) {
    validate_result r = {.unit = "",
                         .reference = 1.0,
                         .rule = "the table of damping values in the test equals the presets'",
                         .verdict = VALIDATE_FAIL};
    snprintf(r.name, sizeof r.name, "table of damping values");
    snprintf(
        r.reason, sizeof r.reason,
        "The presets' damping is not what this test takes a tenth of: the table in the test is out of date.");
    return validate_add(run, &r);
}

rlt_status validate_settle(validate_run *run) {
    int matches = 0;
    history(*strands)[STRANDS] = calloc(LEVELS, sizeof *strands);
    if (strands == NULL)
        return RLT_FAILED;
    rlt_status status = check_table(run, &matches);
    if (status == RLT_OK && !matches)
        status = report_table(run);
    for (int l = 0; l < LEVELS && status == RLT_OK; l++) {
        validate_note(run, "%d presets, both forms, %s, %d s", PRESETS, level_texts[l], level_seconds[l]);
        status = run_level(run, (level)l, strands[l]);
    }
    for (int f = 0; f < FORMS; f++)
        for (int l = 0; l < LEVELS; l++)
            for (int p = 0; p < PRESETS && status == RLT_OK; p++)
                status = report(run, p, (form)f, (level)l, &strands[l][f * PRESETS + p]);
    for (int p = 0; p < PRESETS && status == RLT_OK && validate_plots(run); p++)
        status = draw(run, p, strands);
    free(strands);
    return status;
}
