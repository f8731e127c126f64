/* ringlet validate: physical tests with a number, a limit and a verdict each. This file picks the tests and
 * reports; each test is a file of its own. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "commands.h"
#include "console.h"
#include "folder.h"
#include "json.h"
#include "list.h"
#include "validate/validate.h"

typedef struct test {
    const char *name;
    validate_function *run;
    const char *help;  /* one line */
    const char *group; /* a name for several, or NULL */
} test;

/* To add a test: a row here, a declaration in validate.h, a file validate_<name>.c, a section in
 * docs/guide/validation.md. */
static const test tests[] = {
    {"settle", validate_settle, "every preset on a helix comes to rest under gravity, in time", NULL},
    {"abrupt-stop", validate_stop, "core springs hold a curl's length in a stop at 10 g and 30 g (Figure 10)",
     NULL},
    {"curl-rotation", validate_rotation, "smoothed frames keep a curl from turning on a walk (Figure 2)",
     NULL},
    {"volume", validate_volume, "contacts keep the volume of the hair over the walk", NULL},
    {"sag", validate_sag, "grooms stand still under gravity, and come back after a kick", NULL},
    {"root-frames", validate_root_frames,
     "hair does not turn where skin is only stretched and sheared (Figure 3)", NULL},
    {"rest", validate_rest, "hair that touches comes to rest and does not jitter", NULL},
    {"pruning", validate_pruning, "pruned contacts move a walk little, and fail in a hair flip", NULL},
    {"centroid", validate_centroid, "a centroid constraint brings a style back after wind", NULL},
    {"scalp-relative", validate_scalp_relative, "a bun keeps its place while the brows are raised", NULL},
    {"cantilever", validate_cantilever, "a straight hair bends under its own weight", "rod"},
    {"elastica", validate_elastica, "a hair held at both ends is the elastica (Figure 5)", "rod"},
    {"arc-couple", validate_arc_couple, "bending does not depend on the resolution (Figures 3, 4)", "rod"},
    {"michell-ring", validate_michell_ring, "a twisted ring leaves its plane when it should", "rod"},
    {"perversion", validate_perversion, "a curl pulled straight and freed has two hands", "rod"},
    {"helical-buckling", validate_helical_buckling, "a twisted hair with slack buckles into a helix", "rod"},
    {"bend-twist", validate_bend_twist, "a hanging curl leaves its plane when it should", "rod"},
    {"lateral-buckling", validate_lateral_buckling, "a flat hair topples when it should", "rod"},
    {"helix-sag", validate_helix_sag, "a curl hangs as long as a spring of its material", "rod"},
    {"incline", validate_incline, "a hair on an incline sticks or slides as Coulomb's law has it", "rod"},
    {"stick-slip", validate_stick_slip, "the foot of a bent hair slips when its force leaves the cone",
     "rod"},
    {"capstan", validate_capstan, "a hair around a cylinder slips when T2 / T1 > exp(mu phi)", "rod"},
    {"scissor", validate_scissor,
     "a hair between plates that cut through each other stays whole, and is reported", "rod"},
    {"dynamics", validate_dynamics, "frequencies, damping by the step, momentum, energy", "rod"},
    {"hair-capstan", validate_hair_capstan,
     "a hair around a hair is drawn over it with T2 / T1 = exp(mu phi)", "hair-on-hair"},
    {"throws", validate_throws, "hairs that are thrown at each other do not pass", "hair-on-hair"},
    {"pile", validate_pile, "hairs that are dropped into a bowl come to rest and stay", "hair-on-hair"},
    {"hair-order", validate_hair_order, "the order of hairs counts for little", "hair-on-hair"},
    {"hair-momentum", validate_hair_momentum, "hairs that collide keep their momentum", "hair-on-hair"},
    {"coil-clumps", validate_coil_clumps, "few wisps on a ball clump when shaken, many do not", "coil"},
    {"coil-hanging", validate_coil_hanging, "a coil hangs as long as a spring of its material", "coil"},
    {"coil-torture", validate_coil_torture, "a coil that was squashed, shaken or straightened comes back",
     "coil"},
};
enum { TESTS = sizeof tests / sizeof tests[0], PATH_SIZE = 1024 };

typedef struct row {
    const char *test;
    validate_result result;
} row;

struct validate_run {
    const char *test;  /* the one that runs now */
    const char *plots; /* directory, or NULL */
    int threads;
    int quiet, as_json; /* no progress; one JSON object instead of a table */
    int full;           /* whole heads and cycles */
    int kicked;         /* kick at kick_frame */
    int kick_frame;
    double kick[3];       /* [unit/s] */
    const double *throws; /* a velocity for each point instead, or NULL */
    int expects;          /* warnings are counted, not printed */
    int warnings;         /* of the last simulation */
    rlt_messages *messages;
    row *rows;
    int count, capacity;
    double seconds[TESTS]; /* wall; below 0: not asked for */
};

/* ---- what the tests use ---- */

rlt_status validate_add(validate_run *run, const validate_result *result) {
    if (!list_reserve(&run->rows, run->count, &run->capacity, sizeof *run->rows))
        return console_fail(RLT_FAILED, "validate: out of memory");
    row *added = &run->rows[run->count++];
    *added = (row){run->test, *result};
    if (added->result.model == NULL)
        added->result.model = rlt_model_name(0, NULL);
    return RLT_OK;
}

void validate_detail(validate_result *result, const char *name, double value) {
    if (result->detail_count == VALIDATE_DETAILS)
        return;
    result->details[result->detail_count].name = name;
    result->details[result->detail_count++].value = value;
}

void validate_note(const validate_run *run, const char *format, ...) {
    if (run->quiet)
        return;
    va_list arguments;
    fprintf(stderr, "%s: ", run->test);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

void validate_text(char *text, int size, int *used, const char *format, ...) {
    if (*used >= size)
        return;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text + *used, (size_t)(size - *used), format, arguments);
    va_end(arguments);
    *used += length > 0 ? length : 0;
    if (*used >= size) /* half a scene must not pass for a whole one */
        snprintf(text, (size_t)size, "scene text too long");
}

void validate_kick(validate_run *run, int frame, const double velocity[3]) {
    run->kicked = velocity != NULL;
    run->kick_frame = frame;
    for (int axis = 0; axis < 3; axis++)
        run->kick[axis] = velocity != NULL ? velocity[axis] : 0.0;
}

void validate_expect_warnings(validate_run *run, int expected) {
    run->expects = expected;
}

int validate_warnings(const validate_run *run) {
    return run->warnings;
}

void validate_kick_points(validate_run *run, int frame, const double *velocities) {
    run->kick_frame = frame;
    run->throws = velocities;
}

/* All frames of a simulation that exists. */
static rlt_status advance_all(const validate_run *run, const rlt_scene *scene, rlt_simulation *simulation,
                              validate_frame on_frame, void *context, rlt_messages *messages) {
    rlt_frame_view view = {.size = sizeof view};
    rlt_simulation_view(simulation, &view);
    int go_on = on_frame(simulation, &view, context);
    rlt_status status = RLT_OK;
    while (go_on && status == RLT_OK && view.frame < rlt_scene_last_frame(scene)) {
        if (run->kicked && view.frame == run->kick_frame)
            rlt_simulation_kick(simulation, run->kick);
        if (run->throws != NULL && view.frame == run->kick_frame)
            rlt_simulation_kick_points(simulation, run->throws);
        status = rlt_simulation_advance(simulation, messages);
        rlt_simulation_view(simulation, &view);
        if (status == RLT_OK)
            go_on = on_frame(simulation, &view, context);
    }
    return status;
}

/* Runs a scene that was loaded, or not, and frees it. `before`: messages there were before loading. */
static rlt_status simulate(validate_run *run, rlt_status status, rlt_scene *scene, int before,
                           validate_frame on_frame, void *context, char *diverged) {
    rlt_simulation *simulation = NULL;
    rlt_simulation_def def = rlt_simulation_defaults();
    def.threads = run->threads;
    if (status == RLT_OK)
        status = rlt_simulation_create(scene, &def, run->messages, &simulation);
    if (status == RLT_OK)
        status = advance_all(run, scene, simulation, on_frame, context, run->messages);
    int after = rlt_messages_count(run->messages);
    if (status == RLT_DIVERGED && diverged != NULL)
        snprintf(diverged, VALIDATE_TEXT, "%s",
                 after > before ? rlt_messages_text(run->messages, after - 1) : "diverged");
    else if (!run->expects || (status != RLT_OK && status != RLT_DIVERGED))
        console_messages(run->messages, before);
    run->warnings = 0;
    for (int i = before; i < after; i++)
        run->warnings += rlt_messages_severity(run->messages, i) == RLT_WARNING;
    if (status == RLT_BAD_INPUT) /* the scene is the test's own: not the user's mistake */
        status = RLT_FAILED;
    rlt_simulation_destroy(simulation);
    rlt_scene_destroy(scene);
    return status;
}

rlt_status validate_simulate(validate_run *run, const char *scene_text, validate_frame on_frame,
                             void *context, char *diverged) {
    rlt_scene *scene = NULL;
    int before = rlt_messages_count(run->messages);
    rlt_status status =
        rlt_scene_load_text(run->test, scene_text, strlen(scene_text), NULL, 0, run->messages, &scene);
    return simulate(run, status, scene, before, on_frame, context, diverged);
}

rlt_status validate_simulate_scene(validate_run *run, const char *name, const char *const *overrides,
                                   int override_count, validate_frame on_frame, void *context,
                                   char *diverged) {
    rlt_scene *scene = NULL;
    int before = rlt_messages_count(run->messages);
    rlt_status status = rlt_scene_load_embedded(name, overrides, override_count, run->messages, &scene);
    return simulate(run, status, scene, before, on_frame, context, diverged);
}

int validate_full(const validate_run *run) {
    return run->full;
}

int validate_plots(const validate_run *run) {
    return run->plots != NULL;
}

rlt_status validate_plot(validate_run *run, plot *chart, const char *name) {
    char path[PATH_SIZE];
    rlt_status status = RLT_OK;
    if (run->plots != NULL) {
        int length = snprintf(path, sizeof path, "%s/%s.svg", run->plots, name);
        status = length >= PATH_SIZE ? RLT_FAILED : plot_write(chart, path);
    }
    plot_destroy(chart);
    if (status != RLT_OK)
        console_error("validate: cannot write %s/%s.svg", run->plots, name);
    return status;
}

/* ---- the report ---- */

static const char *verdict_name(validate_verdict verdict) {
    static const char *const names[] = {"pass", "fail", "not expected"};
    return names[verdict];
}

static int count_verdict(const validate_run *run, validate_verdict verdict) {
    int count = 0;
    for (int i = 0; i < run->count; i++)
        count += run->rows[i].result.verdict == verdict;
    return count;
}

static void write_row(json *out, const row *r) {
    json_begin_object(out, NULL);
    json_string(out, "name", r->test);
    json_string(out, "case", r->result.name);
    json_string(out, "model", r->result.model);
    json_number(out, "measured", r->result.measured);
    json_number(out, "reference", r->result.reference);
    json_number(out, "tolerance", r->result.tolerance);
    json_string(out, "unit", r->result.unit);
    json_string(out, "rule", r->result.rule);
    json_string(out, "verdict", verdict_name(r->result.verdict));
    json_string(out, "reason", r->result.reason);
    json_begin_object(out, "details");
    for (int i = 0; i < r->result.detail_count; i++)
        json_number(out, r->result.details[i].name, r->result.details[i].value);
    json_end_object(out);
    json_end_object(out);
}

static int print_json(const validate_run *run) {
    json out = {0};
    json_begin_object(&out, NULL);
    json_begin_array(&out, "tests");
    for (int i = 0; i < run->count; i++)
        write_row(&out, &run->rows[i]);
    json_end_array(&out);
    json_begin_object(&out, "seconds");
    for (int t = 0; t < TESTS; t++)
        if (run->seconds[t] >= 0.0)
            json_number(&out, tests[t].name, run->seconds[t]);
    json_end_object(&out);
    json_end_object(&out);
    int done = json_print(&out, stdout);
    json_free(&out);
    return done;
}

/* A number for the table; a run that diverged has none. */
static void print_number(double value) {
    if (isfinite(value))
        printf("%12.4g", value);
    else
        printf("%12s", "diverged");
}

static void print_table(const validate_run *run) {
    for (int t = 0; t < TESTS; t++) {
        if (run->seconds[t] < 0.0)
            continue;
        printf("%s: %s (%.1f s)\n", tests[t].name, tests[t].help, run->seconds[t]);
        const char *rule = "";
        for (int i = 0; i < run->count; i++) {
            const validate_result *r = &run->rows[i].result;
            if (run->rows[i].test != tests[t].name)
                continue;
            if (strcmp(rule, r->rule) != 0) {
                rule = r->rule;
                printf("  passes when %s\n  %-44s%12s%12s  %-9s%s\n", rule, "case", "measured", "reference",
                       "unit", "verdict");
            }
            printf("  %-44s", r->name);
            print_number(r->measured);
            print_number(r->reference);
            printf("  %-8s %s\n      %s\n", r->unit, verdict_name(r->verdict), r->reason);
        }
        printf("\n");
    }
    printf("%d passed, %d failed, %d not expected to pass\n", count_verdict(run, VALIDATE_PASS),
           count_verdict(run, VALIDATE_FAIL), count_verdict(run, VALIDATE_NOT_EXPECTED));
}

/* ---- the command ---- */

/* Marks the tests that were named, all of them where none was. Returns RLT_BAD_INPUT for a wrong name. */
static rlt_status choose(const args_list *names, int *chosen) {
    const char *known[TESTS];
    rlt_status status = RLT_OK;
    for (int t = 0; t < TESTS; t++) {
        known[t] = tests[t].name;
        chosen[t] = names->count == 0;
    }
    for (int i = 0; i < names->count; i++) {
        int found = 0;
        for (int t = 0; t < TESTS; t++)
            if (strcmp(names->texts[i], known[t]) == 0 ||
                (tests[t].group != NULL && strcmp(names->texts[i], tests[t].group) == 0))
                chosen[t] = found = 1;
        if (found)
            continue;
        status = args_unknown("validate: no test", names->texts[i], known, TESTS,
                              "`ringlet validate --help` lists them");
    }
    return status;
}

static rlt_status run_tests(validate_run *run, const int *chosen) {
    rlt_status status = RLT_OK;
    if (run->plots != NULL && !folder_make(run->plots)) {
        console_error("validate: cannot make the directory %s: %s", run->plots, strerror(errno));
        status = RLT_FAILED;
    }
    for (int t = 0; t < TESTS; t++) {
        run->seconds[t] = -1.0;
        if (!chosen[t] || status != RLT_OK)
            continue;
        run->test = tests[t].name;
        double start = console_seconds();
        status = tests[t].run(run);
        run->seconds[t] = console_seconds() - start;
        rlt_messages_clear(run->messages);
    }
    return status;
}

/* "Tests: settle (...), ..." for the help, from the table. */
static void describe(char *text, int size) {
    int used = 0;
    validate_text(text, size, &used, "Runs physical tests and reports pass or fail of each. Tests:");
    for (int t = 0; t < TESTS; t++) {
        if (tests[t].group != NULL && (t == 0 || tests[t - 1].group != tests[t].group))
            validate_text(text, size, &used, "\nAll of these as '%s':", tests[t].group);
        validate_text(text, size, &used, "\n  %-16s %s", tests[t].name, tests[t].help);
    }
}

static rlt_status validate(void *context, const args_list *names, rlt_messages *messages) {
    validate_run *run = context;
    int chosen[TESTS];
    rlt_status status = choose(names, chosen);
    if (status != RLT_OK)
        return status;
    run->messages = messages;
    status = run_tests(run, chosen);
    if (!run->as_json && (status == RLT_OK || run->count > 0))
        print_table(run);
    if (run->as_json && !print_json(run))
        status = RLT_FAILED;
    if (status == RLT_OK && count_verdict(run, VALIDATE_FAIL) > 0)
        status = RLT_FAILED;
    free(run->rows);
    return status;
}

int command_validate(int argc, char **argv) {
    char summary[4096];
    validate_run run = {0};
    const args_option options[] = {
        {.name = "json",
         .kind = ARGS_FLAG,
         .value = &run.as_json,
         .help = "print one JSON object on standard output"},
        {.name = "plots",
         .kind = ARGS_TEXT,
         .value = &run.plots,
         .argument = "DIR",
         .help = "write charts as SVG files into this directory"},
        {.name = "threads",
         .kind = ARGS_INT,
         .value = &run.threads,
         .argument = "N",
         .minimum = 0,
         .help = "threads, 0 = one per core; the numbers do not depend on it"},
        {.name = "full",
         .kind = ARGS_FLAG,
         .value = &run.full,
         .help = "volume, rest, pruning, sag: all hairs and frames of the scenes, an hour or more; "
                 "dynamics, helical-buckling: longer runs"},
        {.name = "quiet", .letter = 'q', .kind = ARGS_FLAG, .value = &run.quiet, .help = "print no progress"},
        {0},
    };
    describe(summary, sizeof summary);
    const args_command command = {.name = "validate",
                                  .usage = "[NAME...] [options]",
                                  .summary = summary,
                                  .options = options,
                                  .examples = "  ringlet validate\n"
                                              "  ringlet validate abrupt-stop --plots out/plots\n"
                                              "  ringlet validate rod --plots out/plots\n"
                                              "  ringlet validate settle --json > settle.json\n",
                                  .minimum = 0,
                                  .maximum = -1};
    return command_run(&command, argc, argv, NULL, validate, &run);
}
