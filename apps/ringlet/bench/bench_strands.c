/* The strand model by itself: plain double against lanes, one thread against several. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/bench.h"
#include "report/history.h"
#include "console.h"

/* A variant of the workload. */
typedef struct variant {
    const char *name;
    rlt_simd simd;
    int threads;
    rlt_simulation *simulation;
    double wall[BENCH_FRAMES_MAX], cpu[BENCH_FRAMES_MAX]; /* seconds per frame, by round */
} variant;

enum { SCALAR, LANES1, LANES2, VARIANTS };

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

/* One frame of a variant; the CPU time is the whole process's. */
static rlt_status run_round(variant *v, int round, rlt_messages *messages) {
    rlt_statistics before = {.size = sizeof before}, after = {.size = sizeof after};
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
    json_string(out, "model", s->model);
    json_integer(out, "hairs", s->strands);
    json_integer(out, "points", s->points);
    json_integer(out, "threads", s->threads);
    json_integer(out, "ranks", s->ranks);
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
    json_number(out, "drive", history_phase(s, "drive") / advanced);
    json_number(out, "collide", history_phase(s, "collide") / advanced);
    json_number(out, "internal", history_phase(s, "step") / advanced);
    json_number(out, "check", history_phase(s, "check") / advanced);
    json_end_object(out);
    json_number(out, "contacts_mean", 0.0);
    json_integer(out, "constraints", 0);
    json_integer(out, "peak_bytes", (long long)bench_peak());
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

static void evaluate(variant *variants, int frames, const bench_settings *settings, strands_result *result) {
    variant *scalar = &variants[SCALAR], *one = &variants[LANES1], *two = &variants[LANES2];
    rlt_ranks_sum(settings->ranks, one->cpu, frames);
    rlt_ranks_sum(settings->ranks, two->cpu, frames);
    result->statistics.size = sizeof result->statistics;
    rlt_simulation_statistics(two->simulation, &result->statistics);
    result->frames = frames;
    result->lanes_over_scalar = ratio(scalar->wall, one->wall, frames);
    result->threads_over_1 = ratio(one->wall, two->wall, frames);
    result->scalar_per_frame = bench_median(scalar->wall, frames);
    result->lanes_per_frame = bench_median(one->wall, frames);
    result->wall_per_frame = bench_median(two->wall, frames);
    result->cpu_per_frame = bench_median(one->cpu, frames);
    result->cpu_best = bench_best(one->cpu, frames);
    result->cpu_threads = bench_median(two->cpu, frames);
    result->gflops = 1e-9 * result->statistics.flops_per_frame /
                     (result->lanes_per_frame * rlt_ranks_count(settings->ranks));
    result->peak = rlt_peak_gflops(RLT_SIMD_AUTO, 0.3);
    result->same_bytes = rlt_simulation_hash(one->simulation) == rlt_simulation_hash(two->simulation);
}

/* RedHead's hairs and points, the paper's 60 x 15 x 10 steps, walk cycle, strand model only. */
rlt_status bench_strands(const bench_workload *workload, const bench_settings *settings,
                         rlt_messages *messages, json *out) {
    static const char *const alone[] = {"colliders=[]", "hair.contact.enabled=off"};
    int frames = bench_frames(workload, settings);
    strands_result result = {0};
    rlt_scene *scene = NULL;
    variant *variants = bench_allocate(settings, VARIANTS, sizeof(variant));
    if (variants == NULL)
        return RLT_FAILED;
    variants[SCALAR] = (variant){.name = "scalar", .simd = RLT_SIMD_REFERENCE, .threads = 1};
    variants[LANES1] = (variant){.name = "lanes", .simd = RLT_SIMD_AUTO, .threads = 1};
    variants[LANES2] =
        (variant){.name = "threads", .simd = RLT_SIMD_AUTO, .threads = bench_threads(settings)};
    rlt_status status = bench_load(workload->scene, settings, 0, alone, 2, messages, &scene);
    for (int v = 0; v < VARIANTS && status == RLT_OK; v++) {
        rlt_simulation_def def = {.size = sizeof def,
                                  .threads = variants[v].threads,
                                  .simd = variants[v].simd,
                                  .ranks = settings->ranks};
        status = rlt_simulation_create(scene, &def, messages, &variants[v].simulation);
    }
    /* round -1 warms up caches and clocks; its times are overwritten */
    for (int round = -1; round < frames && status == RLT_OK; round++)
        for (int v = 0; v < VARIANTS && status == RLT_OK; v++) {
            if (round < 0 && v == SCALAR) /* nothing to warm up that takes seconds */
                continue;
            bench_say(settings, "strands: %s, frame %d of %d", variants[v].name, round + 1, frames);
            status = bench_continue(settings);
            if (status == RLT_OK)
                status = run_round(&variants[v], round < 0 ? 0 : round, messages);
        }
    if (status == RLT_OK)
        evaluate(variants, frames, settings, &result);
    if (status == RLT_OK && bench_leads(settings) && settings->json)
        write_strands(out, &result);
    else if (status == RLT_OK && bench_leads(settings))
        print_strands(&result);
    for (int v = 0; v < VARIANTS; v++)
        rlt_simulation_destroy(variants[v].simulation);
    rlt_scene_destroy(scene);
    free(variants);
    return status;
}
