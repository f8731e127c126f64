/* ringlet bench: published workloads, timed. The variants of a workload take turns, frame by frame, because
 * machines are shared and noisy: ratios are of what was measured in one run, times a frame are medians. */
#include "bench/bench.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_contacts.h"
#include "command.h"
#include "commands.h"
#include "console.h"
#include "interrupt.h"

static const bench_workload workloads[] = {
    {"strands", "redhead", bench_strands, 5, 1, 0,
     "the strand model of redhead alone, SIMD lanes and threads"},
    {"redhead", "redhead", bench_character, 10, 12, 0,
     "579 hairs, 44,552 points, 60 x 15 x 10 steps a frame"},
    {"horse", "horse", bench_character, 5, 12, 0, "9,700 hairs, 117,607 points, 30 x 15 x 10 steps"},
    {"horse-mane", "horse-mane", bench_character, 5, 12, 0, "2,604 hairs, 43,591 points"},
    {"horse-tail", "horse-tail", bench_character, 5, 12, 0, "425 hairs, 18,275 points"},
    {"horse-fetlocks-front", "horse-fetlocks-front", bench_character, 5, 12, 0, "996 hairs, 17,928 points"},
    {"horse-fetlocks-rear", "horse-fetlocks-rear", bench_character, 5, 12, 0, "726 hairs, 13,068 points"},
    {"horse-body", "horse-body", bench_character, 5, 12, 0, "4,949 hairs, 24,745 points"},
    {"scaling", "redhead", bench_scaling, 2, 2, 1,
     "redhead with 1, 4 and 16 times the hairs (minutes; only when named)"},
    {"growth", "straight", bench_growth, 2, 0, 1,
     "3,125 to 50,000 thinner and thinner hairs, up to 1,000,000 points (only when named)"},
    {"rods", "redhead", bench_rods, 3, 2, 1,
     "hair as rods: 1,000 x 30, 1,000 x 100 and 10,000 x 30 points, bodies and walk (only when named)"},
    {"coil", "coil", bench_rods, 5, 2, 1,
     "hair as coils: 500, 1,000 and 2,000 x 100 points, 3 Newton iterations a frame, walk (only when named)"},
    {"penny", "", bench_contacts, 5, 6, 1,
     "contacts and links solved, counts of the Rod's paper: 300 hairs, 5,918 points (only when named)"},
    {"penny-4x", "", bench_contacts, 3, 4, 1, "the same with 23,759 points (only when named)"},
    {"penny-8x", "", bench_contacts, 3, 4, 1, "the same with 47,456 points (only when named)"},
    {"penny-8x-1step", "", bench_contacts, 5, 8, 1,
     "the same in one step a frame, 3 Newton iterations of 16 back-solves (only when named)"},
    {"mane", "", bench_contacts, 5, 6, 1, "the same, 243 hairs on a horse, 2,430 points (only when named)"},
    {"tail", "", bench_contacts, 5, 6, 1, "the same, 45 hairs on a horse, 450 points (only when named)"},
    {"long", "", bench_contacts, 5, 6, 1, "the same, 256 long hairs, 6,400 points (only when named)"},
    {"hairball", "", bench_contacts, 1, 0, 1,
     "the same, 32,030 hairs, 960,900 points (minutes, gigabytes; only when named)"},
    {"coilball-2k", "", bench_contacts, 3, 2, 1,
     "2,000 wisps of 100 points on a ball, shaken, contacts solved, 1/30 s and 3 iterations (only when "
     "named)"},
    {"coilball-4k", "", bench_contacts, 3, 2, 1, "the same with 4,000 wisps (only when named)"},
    {"coilball-8k", "", bench_contacts, 2, 2, 1, "the same with 8,000 wisps (only when named)"},
    {"constraints", "redhead", bench_constraints, 4, 1, 1,
     "redhead with 10,000 points held, each kind of constraint (only when named)"},
    {"files", "", bench_files, 240, 0, 1,
     "2,228 hairs x 32 points in every format: load, cache written and read (only when named)"},
    {"files-large", "", bench_files, 600, 0, 1,
     "memory while a cache of about 1 GB is written (2 GB of disk; only when named)"},
    {"pictures", "redhead", bench_pictures, 1, 0, 1,
     "30,000 hairs of the red-haired head: points made and rays traced a second (only when named)"},
    {"pictures-large", "redhead", bench_pictures, 1, 0, 1,
     "memory of a picture of 1,000,000 hairs (only when named)"},
    {"live", "", bench_live, 48, 0, 1,
     "ringlet live: shipped scenes at live quality, and what its socket carries (only when named)"},
};

#define WORKLOAD_COUNT ((int)(sizeof workloads / sizeof workloads[0]))

int bench_frames(const bench_workload *workload, const bench_settings *settings) {
    return settings->frames > 0 ? settings->frames : workload->frames;
}

int bench_warmup(const bench_workload *workload, const bench_settings *settings) {
    return settings->warmup >= 0 ? settings->warmup : workload->warmup;
}

int bench_threads(const bench_settings *settings) {
    if (settings->threads > 0)
        return settings->threads;
    return rlt_ranks_count(settings->ranks) > 1 ? 1 : 2;
}

int bench_leads(const bench_settings *settings) {
    return rlt_ranks_rank(settings->ranks) == 0;
}

void bench_say(const bench_settings *settings, const char *format, ...) {
    if (settings->quiet || !bench_leads(settings))
        return;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

void *bench_allocate(const bench_settings *settings, size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (memory == NULL) {
        console_error("out of memory");
        rlt_ranks_abort(settings->ranks, RLT_FAILED);
    }
    return memory;
}

rlt_status bench_continue(const bench_settings *settings) {
    return rlt_ranks_agree(settings->ranks, interrupt_asked() ? RLT_FAILED : RLT_OK, NULL);
}

/* ---- which ones ---- */

static const bench_workload *find(const char *name) {
    for (int i = 0; i < WORKLOAD_COUNT; i++)
        if (strcmp(workloads[i].name, name) == 0)
            return &workloads[i];
    return NULL;
}

static int check_names(const args_list *names) {
    const char *known[WORKLOAD_COUNT];
    int good = 1;
    for (int i = 0; i < WORKLOAD_COUNT; i++)
        known[i] = workloads[i].name;
    for (int i = 0; i < names->count; i++) {
        if (find(names->texts[i]) != NULL)
            continue;
        (void)args_unknown("bench: no workload", names->texts[i], known, WORKLOAD_COUNT,
                           "`ringlet bench --help` lists them");
        good = 0;
    }
    return good;
}

/* Text of the scene of a workload; NULL: it has none. `own` holds one that is made here. */
static const char *scene_text(const bench_workload *workload, char *own, size_t size) {
    if (bench_contacts_scene(workload->name, own, size))
        return own;
    for (int i = 0; rlt_embedded_scene_name(i) != NULL; i++)
        if (strcmp(workload->scene, rlt_embedded_scene_name(i)) == 0)
            return rlt_embedded_scene_text(i);
    return NULL;
}

static rlt_status print_scenes(const args_list *names) {
    char own[BENCH_SCENE_SIZE];
    if (names->count != 1)
        return console_fail(RLT_BAD_INPUT, "bench: --scene: name one workload");
    const char *text = scene_text(find(names->texts[0]), own, sizeof own);
    if (text == NULL)
        return console_fail(RLT_BAD_INPUT, "bench: --scene: %s has no scene", names->texts[0]);
    fputs(text, stdout);
    return RLT_OK;
}

/* All that were named, in that order, or all that are not left for being named. */
static rlt_status run_all(const args_list *names, const bench_settings *settings, rlt_messages *messages,
                          json *out) {
    rlt_status status = RLT_OK;
    int reported = 0;
    int count = names->count > 0 ? names->count : WORKLOAD_COUNT;
    for (int i = 0; i < count && status == RLT_OK; i++) {
        const bench_workload *workload = names->count > 0 ? find(names->texts[i]) : &workloads[i];
        if (names->count == 0 && workload->asked_only)
            continue;
        status = workload->run(workload, settings, messages, out);
        console_messages(messages, reported);
        reported = rlt_messages_count(messages);
    }
    if (interrupt_asked())
        console_error("stopped on request");
    return status;
}

static rlt_status bench(void *context, const args_list *names, rlt_messages *messages) {
    const bench_settings *settings = context;
    json out = {0};
    if (settings->frames > BENCH_FRAMES_MAX)
        return console_fail(RLT_BAD_INPUT, "bench: --frames %d: at most %d", settings->frames,
                            BENCH_FRAMES_MAX);
    if (!check_names(names))
        return RLT_BAD_INPUT;
    if (settings->scene)
        return bench_leads(settings) ? print_scenes(names) : RLT_OK;
    interrupt_catch();
    json_begin_object(&out, NULL);
    json_begin_array(&out, "benchmarks");
    rlt_status status = run_all(names, settings, messages, &out);
    json_end_array(&out);
    console_json_messages(&out, messages);
    json_end_object(&out);
    if (settings->json && bench_leads(settings) && !json_print(&out, stdout) && status == RLT_OK)
        status = RLT_FAILED;
    json_free(&out);
    return status;
}

/* ---- command line ---- */

/* The table of workloads as help text. */
static void describe(char *text, size_t size) {
    int used = snprintf(text, size,
                        "Times the workloads of Table 2 in \"Artistic Simulation of Curly Hair\" on "
                        "generated characters,\nwith contacts, bodies, walk and writing, and prints ratios "
                        "measured in one run. Under mpirun the\nranks share the work. Workloads:\n");
    for (int i = 0; i < WORKLOAD_COUNT && used > 0 && (size_t)used < size; i++)
        used += snprintf(text + used, size - (size_t)used, "  %-21s %s%s", workloads[i].name,
                         workloads[i].help, i + 1 < WORKLOAD_COUNT ? "\n" : "");
}

int command_bench(int argc, char **argv) {
    bench_settings settings = {.warmup = -1};
    char summary[4096];
    const args_option options[] = {
        {"frames", 'f', ARGS_INT, &settings.frames, "N",
         "frames timed (default: 10 for redhead, 5 for strands, horses and solved contacts, 3 for rods, "
         "penny-4x and penny-8x, 2 for scaling and growth, 1 for hairball)",
         1, NULL},
        {"warmup", 0, ARGS_INT, &settings.warmup, "N",
         "frames of preroll before them (default 12; 4 to 8 for solved contacts, 2 for scaling and rods, 0 "
         "for growth and "
         "hairball)",
         0, NULL},
        {"threads", 't', ARGS_INT, &settings.threads, "N",
         "threads of each process (default 2; 1 under mpirun)", 1, NULL},
        {"compare", 0, ARGS_FLAG, &settings.compare, NULL,
         "characters: also without pruning, with 1 and 2 threads; cuts of partitions; solved contacts: with "
         "1 and "
         "2 threads and without lanes",
         0, NULL},
        {"scene", 0, ARGS_FLAG, &settings.scene, NULL, "print the scene of a workload instead", 0, NULL},
        {"set", 0, ARGS_LIST, &settings.overrides, "KEY=VALUE",
         "replace a value of the scenes, which are then no longer the published ones", 0, NULL},
        {"json", 0, ARGS_FLAG, &settings.json, NULL, "one JSON object on standard output", 0, NULL},
        ARGS_QUIET(&settings.quiet),
        {0},
    };
    describe(summary, sizeof summary);
    const args_command command = {
        .name = "bench",
        .usage = "[NAME...] [options]",
        .summary = summary,
        .options = options,
        .examples = "  ringlet bench redhead\n  ringlet bench redhead horse --compare --json\n"
                    "  ringlet bench scaling\n  ringlet bench penny --compare\n"
                    "  ringlet bench penny --scene > penny.yaml\n  mpirun -n 2 ringlet bench redhead\n",
        .minimum = 0,
        .maximum = -1};
    return command_run(&command, argc, argv, &settings.ranks, bench, &settings);
}
