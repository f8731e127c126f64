/* ringlet bench: published workloads, timed. The variants of a workload take turns, frame by frame, because
 * machines are shared and noisy: ratios are of the sums over all rounds, times a frame are medians. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "args.h"
#include "commands.h"
#include "console.h"
#include "json.h"
#include "ringlet/ringlet.h"

enum { MOST_ROUNDS = 1000 };

/* One way to run the workload. */
typedef struct variant {
    const char *name;
    rlt_simd simd;
    int threads;
    rlt_simulation *simulation;
    double wall[MOST_ROUNDS], cpu[MOST_ROUNDS]; /* seconds per frame, by round */
} variant;

enum { SCALAR, LANES1, LANES2, VARIANTS };

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(const double *values, int count) {
    double sorted[MOST_ROUNDS];
    memcpy(sorted, values, (size_t)count * sizeof(double));
    qsort(sorted, (size_t)count, sizeof(double), ascending);
    return count % 2 == 1 ? sorted[count / 2] : 0.5 * (sorted[count / 2 - 1] + sorted[count / 2]);
}

/* Time of all rounds of `a` over that of `b`: the two took turns, so a slow spell of the machine hits both.
 */
static double ratio(const double *a, const double *b, int count) {
    double sum_a = 0.0, sum_b = 0.0;
    for (int i = 0; i < count; i++) {
        sum_a += a[i];
        sum_b += b[i];
    }
    return sum_a / sum_b;
}

/* The best round: whatever else the machine does only ever makes a round slower. */
static double best(const double *values, int count) {
    double least = values[0];
    for (int i = 1; i < count; i++)
        least = values[i] < least ? values[i] : least;
    return least;
}

static long long peak_bytes(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? 1024LL * usage.ru_maxrss : 0;
}

/* One frame of a variant; the CPU time is the whole process's. */
static rlt_status run_round(variant *v, int round, rlt_messages *messages) {
    rlt_statistics before, after;
    rlt_simulation_statistics(v->simulation, &before);
    double start = console_seconds();
    rlt_status status = rlt_simulation_advance(v->simulation, messages);
    v->wall[round] = console_seconds() - start;
    rlt_simulation_statistics(v->simulation, &after);
    v->cpu[round] = after.cpu_seconds - before.cpu_seconds;
    return status;
}

typedef struct strands_result {
    rlt_statistics statistics; /* of the threaded variant */
    int frames;
    double lanes_over_scalar, threads_over_1, cpu_per_frame, wall_per_frame, gflops, peak, same_bytes;
    double scalar_per_frame, lanes_per_frame, cpu_best, cpu_threads;
} strands_result;

static void write_strands(json *out, const strands_result *r) {
    const rlt_statistics *s = &r->statistics;
    json_begin_object(out, NULL);
    json_string(out, "name", "strands");
    json_string(out, "model", "taz");
    json_integer(out, "hairs", s->strands);
    json_integer(out, "points", s->points);
    json_integer(out, "threads", s->threads);
    json_integer(out, "ranks", 1);
    json_integer(out, "frames", r->frames);
    json_string(out, "simd", s->simd);
    json_number(out, "seconds_per_frame", r->wall_per_frame);
    json_number(out, "cpu_seconds_per_frame", r->cpu_per_frame);
    json_number(out, "cpu_seconds_per_frame_best", r->cpu_best);
    json_number(out, "cpu_seconds_per_frame_threads",
                r->cpu_threads); /* the threaded variant's, waiting included */
    json_number(out, "scalar_seconds_per_frame", r->scalar_per_frame);
    json_number(out, "lanes_seconds_per_frame", r->lanes_per_frame);
    json_begin_object(out, "phases");
    int advanced = r->frames + 1; /* with the warm-up frame */
    json_number(out, "drive", s->seconds_drive / advanced);
    json_number(out, "collide", s->seconds_collide / advanced);
    json_number(out, "internal", s->seconds_step / advanced);
    json_number(out, "check", s->seconds_check / advanced);
    json_end_object(out);
    json_number(out, "contacts_mean", 0.0);
    json_integer(out, "constraints", 0);
    json_integer(out, "peak_bytes", peak_bytes());
    json_integer(out, "model_bytes", (long long)s->bytes);
    json_number(out, "lanes_over_scalar", r->lanes_over_scalar);
    if (s->threads == 2)
        json_number(out, "threads2_over_1", r->threads_over_1);
    json_number(out, "threads_over_1", r->threads_over_1);
    json_number(out, "gflops", r->gflops);
    json_number(out, "peak_gflops", r->peak);
    json_number(out, "peak_share", r->peak > 0.0 ? r->gflops / r->peak : 0.0);
    json_boolean(out, "same_bytes", r->same_bytes != 0.0);
    json_end_object(out);
}

static void print_strands(const strands_result *r) {
    const rlt_statistics *s = &r->statistics;
    printf("strands: %d hairs, %d points, no hair-hair contacts, no bodies; %d frames a variant\n",
           s->strands, s->points, r->frames);
    printf("  plain double, 1 thread   %8.3f s a frame\n", r->scalar_per_frame);
    printf("  %-8s lanes, 1 thread  %8.3f s a frame   %.2f times the plain double\n", s->simd,
           r->lanes_per_frame, r->lanes_over_scalar);
    printf("  %-8s lanes, %d threads%8.3f s a frame   %.2f times one thread\n", s->simd, s->threads,
           r->wall_per_frame, r->threads_over_1);
    printf("  %.3f CPU-seconds a frame (best %.3f), %.1f GFLOP/s a core, %.0f%% of this core's measured peak "
           "of %.1f\n",
           r->cpu_per_frame, r->cpu_best, r->gflops, r->peak > 0.0 ? 100.0 * r->gflops / r->peak : 0.0,
           r->peak);
    printf("  one and %d threads gave %s bytes\n", s->threads,
           r->same_bytes != 0.0 ? "the same" : "DIFFERENT");
}

/* RedHead's hairs and points, the paper's 60 x 15 x 10 steps, walk cycle, strand model only. */
static rlt_status bench_strands(int frames, int threads, int quiet, rlt_messages *messages,
                                strands_result *result) {
    static const char *const overrides[] = {"colliders=[]", "time.preroll=0"};
    memset(result, 0, sizeof(*result));
    rlt_scene *scene = NULL;
    variant *variants = calloc(VARIANTS, sizeof(variant));
    if (variants == NULL)
        return RLT_FAILED;
    variants[SCALAR] = (variant){.name = "scalar", .simd = RLT_SIMD_REFERENCE, .threads = 1};
    variants[LANES1] = (variant){.name = "lanes", .simd = RLT_SIMD_AUTO, .threads = 1};
    variants[LANES2] = (variant){.name = "threads", .simd = RLT_SIMD_AUTO, .threads = threads};
    rlt_status status = rlt_scene_load_embedded("redhead", overrides, 2, messages, &scene);
    for (int v = 0; v < VARIANTS && status == RLT_OK; v++) {
        rlt_simulation_def def = {.threads = variants[v].threads, .simd = variants[v].simd};
        status = rlt_simulation_create(scene, &def, messages, &variants[v].simulation);
    }
    /* round -1 warms up caches and clocks; its times are overwritten */
    for (int round = -1; round < frames && status == RLT_OK; round++)
        for (int v = 0; v < VARIANTS && status == RLT_OK; v++) {
            if (round < 0 && v == SCALAR) /* nothing to warm up that takes seconds */
                continue;
            if (!quiet)
                fprintf(stderr, "strands: %s, frame %d of %d\n", variants[v].name, round + 1, frames);
            status = run_round(&variants[v], round < 0 ? 0 : round, messages);
        }
    if (status == RLT_OK) {
        const variant *scalar = &variants[SCALAR], *one = &variants[LANES1], *two = &variants[LANES2];
        rlt_simulation_statistics(two->simulation, &result->statistics);
        result->frames = frames;
        result->lanes_over_scalar = ratio(scalar->wall, one->wall, frames);
        result->threads_over_1 = ratio(one->wall, two->wall, frames);
        result->scalar_per_frame = median(scalar->wall, frames);
        result->lanes_per_frame = median(one->wall, frames);
        result->wall_per_frame = median(two->wall, frames);
        result->cpu_per_frame = median(one->cpu, frames);
        result->cpu_best = best(one->cpu, frames);
        result->cpu_threads = median(two->cpu, frames);
        result->gflops = 1e-9 * result->statistics.flops_per_frame / result->lanes_per_frame;
        result->peak = rlt_peak_gflops(RLT_SIMD_AUTO, 0.3);
        result->same_bytes = rlt_simulation_hash(one->simulation) == rlt_simulation_hash(two->simulation);
    }
    for (int v = 0; v < VARIANTS; v++)
        rlt_simulation_destroy(variants[v].simulation);
    rlt_scene_destroy(scene);
    free(variants);
    return status;
}

int command_bench(int argc, char **argv) {
    int frames = 5, threads = 2, as_json = 0, quiet = 0;
    const args_option options[] = {
        {.name = "frames",
         .kind = ARGS_INT,
         .value = &frames,
         .argument = "N",
         .minimum = 1,
         .help = "frames timed for each variant"},
        {.name = "threads",
         .kind = ARGS_INT,
         .value = &threads,
         .argument = "N",
         .minimum = 1,
         .help = "threads of the threaded variant"},
        {.name = "json", .kind = ARGS_FLAG, .value = &as_json, .help = "one JSON object on standard output"},
        {.name = "quiet", .letter = 'q', .kind = ARGS_FLAG, .value = &quiet, .help = "no progress"},
        {0},
    };
    const args_command command = {
        .name = "bench",
        .usage = "[NAME...] [options]",
        .summary = "Times published workloads and prints ratios measured in one run. "
                   "Workloads: strands (579 hairs, 44,552 points, 60 x 15 x 10 steps a frame).",
        .options = options,
        .examples = "  ringlet bench strands\n  ringlet bench strands --frames 9 --json\n",
        .least = 0,
        .most = -1};
    args_list names = {0};
    args_result parsed = args_parse(&command, argc, argv, &names);
    int code = parsed == ARGS_WRONG ? RLT_BAD_INPUT : RLT_OK;
    for (int i = 0; parsed == ARGS_RUN && i < names.count; i++)
        if (strcmp(names.texts[i], "strands") != 0) {
            console_error("bench: no workload '%s'; known: strands", names.texts[i]);
            code = RLT_BAD_INPUT;
        }
    if (parsed == ARGS_RUN && code == RLT_OK && frames > MOST_ROUNDS) {
        console_error("bench: --frames %d: at most %d", frames, MOST_ROUNDS);
        code = RLT_BAD_INPUT;
    }
    if (parsed == ARGS_RUN && code == RLT_OK) {
        rlt_messages *messages = rlt_messages_create();
        strands_result result;
        code = (int)bench_strands(frames, threads, quiet, messages, &result);
        console_messages(messages, 0);
        rlt_messages_destroy(messages);
        if (code == RLT_OK && as_json) {
            json out = {0};
            json_begin_object(&out, NULL);
            json_begin_array(&out, "benchmarks");
            write_strands(&out, &result);
            json_end_array(&out);
            json_end_object(&out);
            if (!json_print(&out, stdout))
                code = RLT_FAILED;
            json_free(&out);
        } else if (code == RLT_OK) {
            print_strands(&result);
        }
    }
    args_list_free(&names);
    return code;
}
