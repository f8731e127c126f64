/* The Rod by itself: no contacts between hairs; bodies and the walk are on. Three sizes, each with the plain
 * double build, lanes, and lanes with several threads, which take turns frame by frame. And the Coil, one
 * step a frame with three Newton iterations, without bodies: nothing but evaluation, assembly and solve.
 *
 * Time is the CPU's in the phase `step` (Newton: evaluation, assembly, factor, solve, line search, start
 * and end of steps), divided by points and Newton iterations of strands. Lanes that wait for others cost
 * time, and only the iterations that a strand needs count. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "report/history.h"
#include "console.h"

enum { SIZES = 3, OVERRIDES = 8, TEXT = 64 };
typedef struct shape {
    int hairs, points;
} shape;
static const shape rods[SIZES] = {{1000, 30}, {1000, 100}, {10000, 30}},
                   coils[SIZES] = {{500, 100}, {1000, 100}, {2000, 100}};

enum {
    SCALAR,
    LANES,
    THREADS,
    AVX2,   /* where the lanes are wider */
    NARROW, /* the portable build, for its bytes, of the first size */
    VARIANTS
};
static const char *const names[VARIANTS] = {"plain double", "lanes", "threads", "AVX2", "portable"};
static const rlt_simd widths[VARIANTS] = {RLT_SIMD_REFERENCE, RLT_SIMD_AUTO, RLT_SIMD_AUTO, RLT_SIMD_AVX2,
                                          RLT_SIMD_PORTABLE};

typedef struct variant {
    rlt_simulation *simulation; /* NULL: not run */
    rlt_statistics start, now;  /* before the first timed frame, and after the last */
    double cpu;                 /* [s] of the timed frames: nothing else runs in this process meanwhile */
    double wall[BENCH_FRAMES_MAX];
} variant;

typedef struct size {
    variant variants[VARIANTS];
    int frames, same_bytes;
    double lanes_over_scalar, threads_over_1, wall_per_frame, per_point_newton, per_point_newton_scalar;
    double per_point_newton_avx2;              /* 0: not run */
    double factor, factor_scalar, factor_avx2; /* [s] a point */
    double iterations;                         /* of a step of a strand, mean */
    double bytes;                              /* a point */
} size;

static double phase(const variant *v, const char *name) {
    return history_phase(&v->now, name) - history_phase(&v->start, name);
}

/* CPU-seconds of Newton for each point and iteration of a variant of one thread: the phases' clocks also
 * count the time in which the machine did something else, so they only say how the CPU-seconds are shared
 * out. */
static double per_point_newton(const variant *v) {
    double all = 0.0;
    for (int p = 0; p < HISTORY_PHASES; p++)
        all += phase(v, history_phase_names[p]);
    double iterations = (double)(v->now.newton_iterations - v->start.newton_iterations);
    double points = (double)v->now.points / v->now.strands;
    return iterations > 0.0 && all > 0.0 ? v->cpu * phase(v, "step") / all / (iterations * points) : 0.0;
}

static double sum(const double *values, int count) {
    double total = 0.0;
    for (int i = 0; i < count; i++)
        total += values[i];
    return total;
}

/* Slope of log y over log x between the first and the last. */
static double exponent(double x0, double y0, double x1, double y1) {
    return x0 > 0.0 && y0 > 0.0 && y1 > 0.0 && x1 > x0 ? log(y1 / y0) / log(x1 / x0) : 0.0;
}

/* ---- running ---- */

/* 1: the workload is the Coil's. */
static int is_coil(const bench_workload *workload) {
    return strcmp(workload->name, "coil") == 0;
}

static const shape *shape_of(const bench_workload *workload, int index) {
    return is_coil(workload) ? &coils[index] : &rods[index];
}

/* 1: --set gives hairs of its own instead of the size's. */
static int own_hair(const bench_settings *settings) {
    for (int i = 0; i < settings->overrides.count; i++)
        if (strncmp(settings->overrides.texts[i], "hair.count=", 11) == 0)
            return 1;
    return 0;
}

/* 1: the machine's lanes are wider than AVX2's. */
static int has_wider(const variant *lanes) {
    rlt_statistics now = {.size = sizeof now};
    rlt_simulation_statistics(lanes->simulation, &now);
    return strcmp(now.simd, "avx512") == 0;
}

static rlt_status create(size *s, int index, const bench_workload *workload, const bench_settings *settings,
                         rlt_messages *messages, rlt_scene **scene) {
    const shape *made = shape_of(workload, index);
    char counts[2][TEXT];
    const char *more[OVERRIDES] = {"hair.contact.enabled=off", "hair.model=rod"};
    int used = 2;
    if (is_coil(workload)) {
        static const char *const few[] = {"hair.rod.tolerance=0", "hair.rod.iterations=3", "hair.rod.steps=1",
                                          "hair.collide.enabled=off"};
        more[1] = "hair.model=coil";
        for (int i = 0; i < 4; i++)
            more[used++] = few[i];
    }
    snprintf(counts[0], TEXT, "hair.count=%d", made->hairs);
    snprintf(counts[1], TEXT, "hair.total_points=%d", made->hairs * made->points);
    for (int i = 0; i < 2 && !own_hair(settings); i++)
        more[used++] = counts[i];
    bench_say(settings, "%s: %d x %d, building", workload->name, made->hairs, made->points);
    rlt_status status =
        bench_load(workload->scene, settings, bench_warmup(workload, settings), more, used, messages, scene);
    for (int v = 0; v < VARIANTS && status == RLT_OK; v++) {
        rlt_simulation_def def = rlt_simulation_defaults();
        def.threads = v == THREADS ? bench_threads(settings) : 1;
        def.simd = widths[v];
        def.ranks = settings->ranks;
        if ((v == NARROW && index > 0) || (v == AVX2 && !has_wider(&s->variants[LANES])))
            continue;
        status = rlt_simulation_create(*scene, &def, messages, &s->variants[v].simulation);
    }
    return status;
}

static rlt_status advance(variant *v, int round, rlt_messages *messages) {
    if (round <= 0) {
        v->cpu = 0.0;
        v->start.size = sizeof v->start;
        rlt_simulation_statistics(v->simulation, &v->start);
    }
    double start = console_seconds(), cpu = bench_cpu_seconds();
    rlt_status status = rlt_simulation_advance(v->simulation, messages);
    v->wall[round < 0 ? 0 : round] = console_seconds() - start;
    v->cpu += bench_cpu_seconds() - cpu;
    v->now.size = sizeof v->now;
    rlt_simulation_statistics(v->simulation, &v->now);
    return status;
}

static void evaluate(const bench_workload *workload, size *s, int frames) {
    double (*factor)(rlt_simd, int, double) =
        is_coil(workload) ? rlt_coil_factor_seconds : rlt_rod_factor_seconds;
    const variant *scalar = &s->variants[SCALAR], *lanes = &s->variants[LANES],
                  *threads = &s->variants[THREADS];
    uint64_t hash = rlt_simulation_hash(lanes->simulation);
    int points = lanes->now.points / lanes->now.strands;
    s->frames = frames;
    s->per_point_newton = per_point_newton(lanes);
    s->per_point_newton_scalar = per_point_newton(scalar);
    s->lanes_over_scalar = s->per_point_newton > 0.0 ? s->per_point_newton_scalar / s->per_point_newton : 0.0;
    s->threads_over_1 = sum(lanes->wall, frames) / sum(threads->wall, frames);
    s->wall_per_frame = bench_median(threads->wall, frames);
    s->iterations = (double)lanes->now.newton_iterations / (double)lanes->now.newton_steps;
    s->bytes = (double)lanes->now.bytes / lanes->now.points;
    s->factor = factor(RLT_SIMD_AUTO, points, 0.2);
    s->factor_scalar = factor(RLT_SIMD_REFERENCE, points, 0.2);
    if (s->variants[AVX2].simulation != NULL) {
        s->per_point_newton_avx2 = per_point_newton(&s->variants[AVX2]);
        s->factor_avx2 = factor(RLT_SIMD_AVX2, points, 0.2);
    }
    s->same_bytes = 1;
    for (int v = THREADS; v < VARIANTS; v++)
        if (s->variants[v].simulation != NULL)
            s->same_bytes = s->same_bytes && hash == rlt_simulation_hash(s->variants[v].simulation);
}

static rlt_status run(size *s, int index, const bench_workload *workload, const bench_settings *settings,
                      rlt_messages *messages) {
    rlt_scene *scene = NULL;
    int frames = bench_frames(workload, settings);
    rlt_status status = create(s, index, workload, settings, messages, &scene);
    /* warm-up first: the scene's preroll; only the timed frames take turns */
    for (int round = -bench_warmup(workload, settings); round < frames && status == RLT_OK; round++)
        for (int v = 0; v < VARIANTS && status == RLT_OK; v++) {
            if (s->variants[v].simulation == NULL)
                continue;
            bench_say(settings, "%s: %d x %d, %s, frame %d of %d", workload->name,
                      shape_of(workload, index)->hairs, shape_of(workload, index)->points, names[v],
                      round + 1, frames);
            status = bench_continue(settings);
            if (status == RLT_OK)
                status =
                    advance(&s->variants[v], round, v == LANES ? messages : NULL); /* one warns for all */
        }
    if (status == RLT_OK)
        evaluate(workload, s, frames);
    for (int v = 0; v < VARIANTS; v++)
        rlt_simulation_destroy(s->variants[v].simulation);
    rlt_scene_destroy(scene);
    return status;
}

/* ---- the report ---- */

static void write_size(json *out, const size *s) {
    const rlt_statistics *now = &s->variants[THREADS].now;
    json_begin_object(out, NULL);
    json_integer(out, "hairs", now->strands);
    json_integer(out, "points", now->points);
    json_integer(out, "frames", s->frames);
    json_number(out, "seconds_per_frame", s->wall_per_frame);
    json_number(out, "iterations_per_step", s->iterations);
    json_integer(out, "steps_unconverged", now->newton_unconverged);
    json_integer(out, "steps", now->newton_steps);
    json_number(out, "microseconds_per_point_newton", 1e6 * s->per_point_newton);
    json_number(out, "scalar_microseconds_per_point_newton", 1e6 * s->per_point_newton_scalar);
    json_number(out, "lanes_over_scalar", s->lanes_over_scalar);
    if (s->per_point_newton_avx2 > 0.0) {
        json_number(out, "avx2_microseconds_per_point_newton", 1e6 * s->per_point_newton_avx2);
        json_number(out, "avx2_over_scalar", s->per_point_newton_scalar / s->per_point_newton_avx2);
        json_number(out, "avx2_factor_ns_per_point", 1e9 * s->factor_avx2);
    }
    if (now->threads == 2)
        json_number(out, "threads2_over_1", s->threads_over_1);
    json_number(out, "threads_over_1", s->threads_over_1);
    json_number(out, "factor_ns_per_point", 1e9 * s->factor);
    json_number(out, "scalar_factor_ns_per_point", 1e9 * s->factor_scalar);
    json_number(out, "bytes_per_point", s->bytes);
    json_boolean(out, "same_bytes", s->same_bytes);
    json_begin_object(out, "phases"); /* of one thread's lanes, seconds a frame */
    for (int p = 0; p < HISTORY_PHASES; p++)
        json_number(out, history_phase_names[p],
                    phase(&s->variants[LANES], history_phase_names[p]) / s->frames);
    json_end_object(out);
    json_end_object(out);
}

static void print_size(const bench_workload *workload, const size *s) {
    const rlt_statistics *now = &s->variants[THREADS].now;
    printf("%s: %d hairs, %d points, %s, no hair-hair contacts; %d frames a variant\n", workload->name,
           now->strands, now->points, is_coil(workload) ? "walk" : "bodies and walk", s->frames);
    printf("  %.3f s a frame with %d threads (%.2f times one), %.1f Newton iterations a step, %lld of %lld "
           "steps did "
           "not converge\n",
           s->wall_per_frame, now->threads, s->threads_over_1, s->iterations, now->newton_unconverged,
           now->newton_steps);
    printf("  %-8s lanes          %7.3f microseconds a point and iteration, %.2f times the plain double "
           "(%.3f)\n",
           now->simd, 1e6 * s->per_point_newton, s->lanes_over_scalar, 1e6 * s->per_point_newton_scalar);
    if (s->per_point_newton_avx2 > 0.0)
        printf("  %-8s lanes          %7.3f microseconds, %.2f times; factor and solve %.1f ns\n", "avx2",
               1e6 * s->per_point_newton_avx2, s->per_point_newton_scalar / s->per_point_newton_avx2,
               1e9 * s->factor_avx2);
    printf("  factor and solve alone  %7.1f ns a point (plain double %.1f)\n", 1e9 * s->factor,
           1e9 * s->factor_scalar);
    printf("  %.0f bytes a point; threads and widths gave %s bytes\n", s->bytes,
           s->same_bytes ? "the same" : "DIFFERENT");
}

/* Cost against points: of one Newton iteration of all strands, and of a frame. */
static void finish(const bench_workload *workload, const size *sizes, const bench_settings *settings,
                   json *out) {
    const size *a = &sizes[0], *b = &sizes[SIZES - 1];
    double x0 = a->variants[LANES].now.points, x1 = b->variants[LANES].now.points;
    double newton = exponent(x0, x0 * a->per_point_newton, x1, x1 * b->per_point_newton);
    double frame = exponent(x0, a->variants[LANES].cpu, x1, b->variants[LANES].cpu);
    int same = 1;
    for (int i = 0; i < SIZES; i++)
        same = same && sizes[i].same_bytes;
    if (!settings->json) {
        for (int i = 0; i < SIZES; i++)
            print_size(workload, &sizes[i]);
        printf("  cost grows with points to the %.2f (a Newton iteration), %.2f (a frame)\n", newton, frame);
        return;
    }
    json_begin_object(out, NULL);
    json_string(out, "name", workload->name);
    json_string(out, "model", a->variants[LANES].now.model);
    json_string(out, "simd", a->variants[LANES].now.simd);
    json_integer(out, "threads", a->variants[THREADS].now.threads);
    json_integer(out, "ranks", a->variants[THREADS].now.ranks);
    json_number(out, "microseconds_per_point_newton", 1e6 * a->per_point_newton);
    if (is_coil(workload))
        json_number(out, "microseconds_per_vertex_newton", 1e6 * a->per_point_newton);
    json_number(out, "lanes_over_scalar", a->lanes_over_scalar);
    if (a->variants[THREADS].now.threads == 2)
        json_number(out, "threads2_over_1", b->threads_over_1); /* of the most hairs */
    json_number(out, "factor_ns_per_point", 1e9 * a->factor);
    json_number(out, "bytes_per_point", a->bytes);
    json_number(out, "cost_exponent", newton);
    json_number(out, "frame_exponent", frame);
    json_boolean(out, "same_bytes", same);
    json_begin_array(out, "sizes");
    for (int i = 0; i < SIZES; i++)
        write_size(out, &sizes[i]);
    json_end_array(out);
    json_end_object(out);
}

rlt_status bench_rods(const bench_workload *workload, const bench_settings *settings, rlt_messages *messages,
                      json *out) {
    size *sizes = bench_allocate(settings, SIZES, sizeof(size));
    if (sizes == NULL)
        return RLT_FAILED;
    rlt_status status = RLT_OK;
    for (int i = 0; i < SIZES && status == RLT_OK; i++)
        status = run(&sizes[i], i, workload, settings, messages);
    if (status == RLT_OK && bench_leads(settings))
        finish(workload, sizes, settings, out);
    free(sizes);
    return status;
}
