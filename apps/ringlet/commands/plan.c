/* ringlet plan: what a scene would cost on 1 to many ranks. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "commands.h"
#include "console.h"
#include "run.h"

#define COUNTS_MAX 256
#define RANKS_MAX  1000000

static const char *const partition_names[] = {"auto", "split", "greedy", "metis", NULL};
static const char *const source_names[] = {"assumed", "measured", "given"};

typedef struct plan_settings {
    const char *scene;
    args_list overrides;
    const char *ranks; /* as given */
    int counts[COUNTS_MAX], count;
    int partition; /* rlt_partition */
    int threads;
    double seconds, latency, bandwidth;          /* -1: not given */
    double measured_latency, measured_bandwidth; /* 0: no others to ask */
    int json;
} plan_settings;

/* ---- the list of counts ---- */

/* Adds the counts that "..." stands for, before `last`: the ratio of the two before it continues if they have
 * one, else their difference. Returns 0 when that leads nowhere. */
static int fill_gap(plan_settings *settings, int last) {
    int n = settings->count;
    if (n < 2)
        return 0;
    long long a = settings->counts[n - 2], b = settings->counts[n - 1], next = b;
    int ratio = b % a == 0 && (n < 3 || a * a == b * settings->counts[n - 3]);
    for (;;) {
        next = ratio ? next * (b / a) : next + (b - a);
        if (next >= last)
            return 1;
        if (settings->count == COUNTS_MAX)
            return 0;
        settings->counts[settings->count++] = (int)next;
    }
}

/* "1,2,4,8" or "1,2,4,...,64", increasing. Returns what is wrong, or NULL. */
static const char *parse_counts(const char *text, plan_settings *settings) {
    int gap = 0;
    settings->count = 0;
    while (*text) {
        char word[16];
        size_t length = strcspn(text, ",");
        if (length >= sizeof word)
            return "must be whole numbers with commas between them, such as 1,2,4,8";
        memcpy(word, text, length);
        word[length] = 0;
        text += length + (text[length] == ',');
        if (text[-1] == ',' && !*text)
            return "ends with a comma";
        int number = 0;
        if (strcmp(word, "...") == 0 && !gap && settings->count >= 2 && *text) {
            gap = 1;
            continue;
        }
        if (!args_integer(word, &number))
            return strcmp(word, "...") == 0
                       ? "... stands between numbers, after at least two"
                       : "must be whole numbers with commas between them, such as 1,2,4,8";
        if (number < 1 || number > RANKS_MAX)
            return "must be 1 to 1000000";
        if (settings->count > 0 && number <= settings->counts[settings->count - 1])
            return "must increase";
        if ((gap && !fill_gap(settings, number)) || settings->count == COUNTS_MAX)
            return "too many numbers, at most 256";
        gap = 0;
        settings->counts[settings->count++] = number;
    }
    return settings->count > 0 ? NULL : "at least one number is needed";
}

/* ---- what was found, in words ---- */

static void print_lines(const rlt_plan *plan) {
    rlt_plan_line line = {.size = sizeof line};
    printf("\n%8s %20s %8s %18s %6s %19s %8s %9s %9s %6s\n", "", "hairs a rank", "points", "pairs cut",
           "neigh-", "kB an exchange", "MB", "s/frame", "", "effi-");
    printf("%8s %6s %6s %6s %8s %11s %6s %6s %9s %9s %8s %9s %9s %6s\n", "ranks", "least", "mean", "most",
           "at most", "", "", "bours", "a rank", "all", "a rank", "predicted", "speed-up", "ciency");
    for (int i = 0; rlt_plan_get(plan, i, &line); i++) {
        if (!line.possible) {
            printf("%8d not possible: more ranks than hairs\n", line.ranks);
            continue;
        }
        printf("%8d %6d %6.1f %6d %8lld %11lld %5.1f%% %6d %9.1f %9.1f %8.1f %9.4f %9.2f %5.0f%%\n",
               line.ranks, line.hairs_least, line.hairs_mean, line.hairs_most, line.points_most,
               line.edges_cut, 100.0 * line.cut_share, line.neighbours_most, 1e-3 * (double)line.bytes_most,
               1e-3 * (double)line.bytes_total, 1e-6 * line.memory_most, line.seconds, line.speedup,
               100.0 * line.efficiency);
    }
}

static void print_plan(const plan_settings *settings, const rlt_plan *plan) {
    rlt_plan_summary s = {.size = sizeof s};
    rlt_plan_summarise(plan, &s);
    printf("%s: %d hairs, %d points; %lld pairs of hairs may touch, with %d particles\n", settings->scene,
           s.strands, s.points, s.edges, s.particles);
    printf("a frame on one thread: %.4g s (%s); %d exchanges a frame; threads a rank: %d\n", s.seconds,
           source_names[s.seconds_source], s.exchanges, settings->threads);
    if (s.common_share > 0.0)
        printf(
            "%.0f%% of it every rank does for all hair, and only its threads share it: half of finding and "
            "solving contacts\n",
            100.0 * s.common_share);
    printf("network: %.3g us (%s), %.3g GB/s (%s)\n", 1e6 * s.latency, source_names[s.latency_source],
           1e-9 * s.bandwidth, source_names[s.bandwidth_source]);
    print_lines(plan);
    printf("\n");
    if (s.fastest_ranks == 0)
        printf("none of these is possible\n");
    else
        printf("fastest: %d rank%s%s\n", s.fastest_ranks, s.fastest_ranks == 1 ? "" : "s",
               s.still_gaining ? ", the largest possible of these numbers"
                               : "; past that more ranks do not help");
    if (s.efficient_ranks > 0)
        printf("at least 50%% efficient up to %d rank%s\n", s.efficient_ranks,
               s.efficient_ranks == 1 ? "" : "s");
}

/* ---- what was found, as JSON ---- */

static void json_line(json *out, const rlt_plan_line *line) {
    json_begin_object(out, NULL);
    json_integer(out, "ranks", line->ranks);
    json_boolean(out, "possible", line->possible);
    if (!line->possible) {
        json_string(out, "reason", "more ranks than hairs");
        json_end_object(out);
        return;
    }
    json_integer(out, "hairs_least", line->hairs_least);
    json_number(out, "hairs_mean", line->hairs_mean);
    json_integer(out, "hairs_most", line->hairs_most);
    json_integer(out, "points_most", line->points_most);
    json_integer(out, "edges_cut", line->edges_cut);
    json_number(out, "cut_share", line->cut_share);
    json_integer(out, "neighbours_most", line->neighbours_most);
    json_integer(out, "bytes_most", line->bytes_most);
    json_integer(out, "bytes_total", line->bytes_total);
    json_number(out, "memory_most", line->memory_most);
    json_number(out, "seconds_compute", line->seconds_compute);
    json_number(out, "seconds_exchange", line->seconds_exchange);
    json_number(out, "seconds_gather", line->seconds_gather);
    json_number(out, "seconds_per_frame", line->seconds);
    json_number(out, "speedup", line->speedup);
    json_number(out, "efficiency", line->efficiency);
    json_end_object(out);
}

static rlt_status print_json(const plan_settings *settings, rlt_status status, const rlt_plan *plan,
                             const rlt_messages *messages) {
    json out = {0};
    json_begin_object(&out, NULL);
    json_string(&out, "scene", settings->scene);
    json_string(&out, "status", console_status_name(status, 0));
    if (plan) {
        rlt_plan_summary s = {.size = sizeof s};
        rlt_plan_line line = {.size = sizeof line};
        rlt_plan_summarise(plan, &s);
        json_integer(&out, "hairs", s.strands);
        json_integer(&out, "points", s.points);
        json_integer(&out, "particles", s.particles);
        json_integer(&out, "edges", s.edges);
        json_integer(&out, "exchanges_per_frame", s.exchanges);
        json_integer(&out, "threads_per_rank", settings->threads);
        json_string(&out, "partition", partition_names[settings->partition]);
        json_number(&out, "seconds_one_thread", s.seconds);
        json_string(&out, "seconds_source", source_names[s.seconds_source]);
        json_number(&out, "step_share", s.step_share);
        json_number(&out, "common_share", s.common_share);
        json_number(&out, "latency", s.latency);
        json_string(&out, "latency_source", source_names[s.latency_source]);
        json_number(&out, "bandwidth", s.bandwidth);
        json_string(&out, "bandwidth_source", source_names[s.bandwidth_source]);
        json_begin_array(&out, "plans");
        for (int i = 0; rlt_plan_get(plan, i, &line); i++)
            json_line(&out, &line);
        json_end_array(&out);
        json_integer(&out, "fastest_ranks", s.fastest_ranks);
        json_boolean(&out, "still_gaining", s.still_gaining);
        json_integer(&out, "efficient_ranks", s.efficient_ranks);
    }
    return console_json_end(&out, messages, status);
}

/* ---- the command ---- */

/* Checks beyond the table of options. */
static int check(plan_settings *settings) {
    const char *wrong = parse_counts(settings->ranks, settings);
    if (wrong)
        console_error("--ranks %s: %s", settings->ranks, wrong);
    return !wrong;
}

static rlt_status make_plan(void *context, const args_list *rest, rlt_messages *messages) {
    plan_settings *settings = context;
    rlt_scene *scene = NULL;
    rlt_plan *plan = NULL;
    settings->scene = rest->texts[0];
    if (!check(settings))
        return RLT_BAD_INPUT;
    rlt_plan_def def = rlt_plan_defaults();
    def.counts = settings->counts;
    def.count = settings->count;
    def.threads_per_rank = settings->threads;
    def.partition = (rlt_partition)settings->partition;
    def.seconds = settings->seconds >= 0.0 ? settings->seconds : 0.0;
    if (settings->latency >= 0.0) {
        def.latency = settings->latency;
    } else if (settings->measured_latency > 0.0) {
        def.latency = settings->measured_latency;
        def.latency_source = RLT_PLAN_MEASURED;
    }
    if (settings->bandwidth >= 0.0) {
        def.bandwidth = settings->bandwidth;
    } else if (settings->measured_bandwidth > 0.0) {
        def.bandwidth = settings->measured_bandwidth;
        def.bandwidth_source = RLT_PLAN_MEASURED;
    }
    rlt_status status = run_load(settings->scene, 0, NULL, &settings->overrides, messages, &scene);
    if (status == RLT_OK)
        status = rlt_plan_create(scene, &def, messages, &plan);
    console_messages(messages, 0);
    if (settings->json)
        status = print_json(settings, status, plan, messages);
    else if (status == RLT_OK)
        print_plan(settings, plan);
    rlt_plan_destroy(plan);
    rlt_scene_destroy(scene);
    return status;
}

/* Under mpirun all processes measure the network together, then all but the first are done. Returns -1 to
 * continue, else the exit code. */
static int ask_others(plan_settings *settings) {
    rlt_messages *messages = rlt_messages_create();
    rlt_ranks *ranks = NULL;
    rlt_status status = rlt_ranks_start(messages, &ranks);
    int rank = rlt_ranks_rank(ranks);
    console_messages(messages, 0);
    rlt_messages_destroy(messages);
    rlt_plan_measure_network(ranks, &settings->measured_latency, &settings->measured_bandwidth);
    rlt_ranks_finish(ranks);
    if (status != RLT_OK)
        return (int)status;
    return rank == 0 ? -1 : RLT_OK;
}

int command_plan(int argc, char **argv) {
    plan_settings settings = {
        .ranks = "1,2,4,...,4096", .threads = 1, .seconds = -1, .latency = -1, .bandwidth = -1};
    const args_option options[] = {
        {"ranks", 'n', ARGS_TEXT, &settings.ranks, "LIST",
         "numbers of ranks, such as 1,2,4,8 or 1,2,4,...,4096 (default)", 0, NULL},
        {"threads-per-rank", 't', ARGS_INT, &settings.threads, "N",
         "threads of each rank, one a core (default 1)", 1, NULL},
        {"partition", 0, ARGS_CHOICE, &settings.partition, "NAME",
         "how hairs are shared: auto, split, greedy or metis", 0, partition_names},
        {"latency", 0, ARGS_NUMBER, &settings.latency, "SECONDS",
         "latency of a small message (default: measured under mpirun, or 25e-6)", 0, NULL},
        {"bandwidth", 0, ARGS_POSITIVE, &settings.bandwidth, "BYTES/S",
         "bandwidth between two ranks (default: measured under mpirun, or 1.1e9)", 0, NULL},
        {"seconds-per-frame", 0, ARGS_POSITIVE, &settings.seconds, "SECONDS",
         "of the scene on one thread; else two frames are run", 0, NULL},
        ARGS_SET(&settings.overrides),
        {"json", 0, ARGS_FLAG, &settings.json, NULL, "print one JSON object on standard output", 0, NULL},
        {0},
    };
    const args_command command = {
        .name = "plan",
        .usage = "SCENE [options]",
        .summary = "Predicts what a scene costs when its hairs are shared between processes (ranks), on this "
                   "machine or on many: hairs, points, pairs cut, bytes exchanged, memory and seconds a "
                   "frame, and past which number more ranks do not help. Nothing is written. Under mpirun "
                   "the network between the processes is measured.",
        .options = options,
        .examples = "  ringlet plan redhead\n"
                    "  ringlet plan shot.yaml --ranks 1,2,4,...,64 --threads-per-rank 16 --latency 1.5e-6 "
                    "--bandwidth "
                    "1e10\n"
                    "  mpirun -n 2 -host one,two ringlet plan shot.yaml\n",
        .minimum = 1,
        .maximum = 1,
    };
    int exit_code = ask_others(&settings);
    return exit_code >= 0 ? exit_code : command_run(&command, argc, argv, NULL, make_plan, &settings);
}
