/* How building, frames and memory grow with finer hair: a head of straight hair with 1, 4 and 16 times the
 * hairs, each guide the thinner the more there are (radii fall with the square root), so that the volume is
 * the same. A million points at the last size.
 *
 * Each size is built, run and freed before the next, so that the most memory a process has is that of its
 * size alone; all of it twice, and the better round counts, since other programs only ever make one slower.
 * Pairs of hairs still grow a little faster than hairs: the finer they are, the more of them a hair passes on
 * its way. That is in the result (neighbours). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/bench.h"

enum { SIZES = 3, ROUNDS = 2 };
static const int multiples[SIZES] = {1, 4, 16};

/* Of the first size. The user's own values come after these, the multiples after both. */
static const char *const base[] = {"hair.count=3125", "hair.total_points=62500", "hair.length_variation=0",
                                   "time.outer_steps=20", "time.force_steps=12"};
enum { BASE = (int)(sizeof base / sizeof base[0]), OVERRIDES = 3 };

typedef struct size {
    double build, frame; /* CPU-seconds; the best of all rounds */
    double peak;         /* [byte] */
    bench_variant variant;
    bench_totals totals;
} size;

static rlt_status load(int m, const rlt_statistics *first, const bench_workload *workload,
                       const bench_settings *settings, rlt_messages *messages, rlt_scene **scene) {
    char texts[OVERRIDES][64];
    const char *more[OVERRIDES];
    snprintf(texts[0], sizeof texts[0], "hair.contact.radius=%.9g", 0.2 / sqrt(m));
    snprintf(texts[1], sizeof texts[1], "hair.count=%d", m * first->strands);
    snprintf(texts[2], sizeof texts[2], "hair.total_points=%d", m * first->points);
    for (int i = 0; i < OVERRIDES; i++)
        more[i] = texts[i];
    return bench_load(workload->scene, settings, bench_warmup(workload, settings), more,
                      m == 1 ? 1 : OVERRIDES, messages, scene);
}

static void keep_better(double *best, double value, int round) {
    if (round == 0 || value < *best)
        *best = value;
}

static rlt_status run_size(size *s, int m, int round, const rlt_statistics *first,
                           const bench_workload *workload, const bench_settings *settings,
                           rlt_messages *messages) {
    int warmup = bench_warmup(workload, settings), frames = bench_frames(workload, settings);
    rlt_scene *scene = NULL;
    bench_say(settings, "%s: %d times the hair, round %d of %d", workload->name, m, round + 1, ROUNDS);
    s->variant = (bench_variant){0};
    bench_peak_restart();
    double cpu = bench_cpu_seconds();
    rlt_status status = load(m, first, workload, settings, messages, &scene);
    if (status == RLT_OK)
        status = bench_variant_create(&s->variant, scene, settings, bench_threads(settings), messages);
    cpu = bench_cpu_seconds() - cpu;
    for (int frame = 1 - warmup; frame <= frames && status == RLT_OK; frame++)
        status = bench_variant_frame(&s->variant, settings, frame >= 1, messages);
    if (status == RLT_OK) {
        rlt_ranks_sum(settings->ranks, &cpu, 1);
        bench_variant_sum(&s->variant, settings);
        s->totals = bench_total(&s->variant, settings, 0.0);
        keep_better(&s->build, cpu, round);
        keep_better(&s->frame, bench_median(s->variant.cpu, s->variant.count), round);
        keep_better(&s->peak, s->totals.peak, round);
    }
    bench_variant_destroy(&s->variant);
    rlt_scene_destroy(scene);
    return status;
}

/* The power of points with which a number grows from one size to the next. */
static double power(const size *sizes, int to, double from_value, double to_value) {
    double points = (double)sizes[to].variant.now.points / sizes[to - 1].variant.now.points;
    return points > 1.0 && from_value > 0.0 && to_value > 0.0 ? log(to_value / from_value) / log(points)
                                                              : 0.0;
}

typedef struct powers {
    double build, frame, bytes, peak;
} powers;

static powers powers_of(const size *sizes, int to) {
    const size *a = &sizes[to - 1], *b = &sizes[to];
    return (powers){power(sizes, to, a->build, b->build), power(sizes, to, a->frame, b->frame),
                    power(sizes, to, a->totals.bytes, b->totals.bytes), power(sizes, to, a->peak, b->peak)};
}

static void write_json(const size *sizes, const bench_workload *workload, const bench_settings *settings,
                       json *out) {
    const size *largest = &sizes[SIZES - 1];
    json_begin_object(out, NULL);
    bench_json_common(out, workload, settings, &largest->variant, &largest->totals);
    json_begin_array(out, "sizes");
    for (int i = 0; i < SIZES; i++) {
        const bench_variant *v = &sizes[i].variant;
        json_begin_object(out, NULL);
        json_integer(out, "multiple", multiples[i]);
        json_integer(out, "hairs", v->now.strands);
        json_integer(out, "points", v->now.points);
        json_integer(out, "particles", v->now.particles);
        json_number(out, "neighbours", 2.0 * (double)v->now.edges / v->now.strands);
        json_number(out, "contacts_mean", v->contacts / v->count);
        json_number(out, "build_cpu_seconds", sizes[i].build);
        json_number(out, "cpu_seconds_per_frame", sizes[i].frame);
        json_number(out, "detect_cpu_seconds", sizes[i].totals.cpu.of[BENCH_DETECT]);
        json_number(out, "contact_cpu_seconds", sizes[i].totals.cpu.of[BENCH_CONTACT]);
        json_number(out, "bytes_per_point", sizes[i].totals.bytes / v->now.points);
        json_integer(out, "peak_bytes", (long long)sizes[i].peak);
        if (i > 0) {
            powers p = powers_of(sizes, i);
            json_number(out, "build_exponent", p.build);
            json_number(out, "frame_exponent", p.frame);
            json_number(out, "bytes_exponent", p.bytes);
            json_number(out, "peak_exponent", p.peak);
        }
        json_end_object(out);
    }
    json_end_array(out);
    json_end_object(out);
}

static void print_text(const size *sizes, const bench_workload *workload) {
    printf("%s: radii fall with the square root of the hairs\n", workload->name);
    for (int i = 0; i < SIZES; i++) {
        const bench_variant *v = &sizes[i].variant;
        printf("  %2d times the hair: %6d hairs, %7d points, built in %7.2f CPU-seconds, %7.2f a frame, "
               "%4.0f neighbours, %5.0f MB at most\n",
               multiples[i], v->now.strands, v->now.points, sizes[i].build, sizes[i].frame,
               2.0 * (double)v->now.edges / v->now.strands, sizes[i].peak / 1e6);
    }
    for (int i = 1; i < SIZES; i++) {
        powers p = powers_of(sizes, i);
        printf("  from %d to %d: building grows as points to the power of %.2f, a frame %.2f, memory %.2f\n",
               multiples[i - 1], multiples[i], p.build, p.frame, p.peak);
    }
}

rlt_status bench_growth(const bench_workload *workload, const bench_settings *settings,
                        rlt_messages *messages, json *out) {
    size *sizes = bench_allocate(settings, SIZES, sizeof(size));
    bench_settings own = *settings;
    own.overrides = (args_list){0};
    rlt_status status = sizes != NULL ? RLT_OK : RLT_FAILED;
    for (int i = 0; i < BASE; i++)
        args_list_add(&own.overrides, base[i]);
    for (int i = 0; i < settings->overrides.count; i++)
        args_list_add(&own.overrides, settings->overrides.texts[i]);
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < SIZES && status == RLT_OK; i++) {
            rlt_statistics first = sizes[0].variant.now;
            status = run_size(&sizes[i], multiples[i], round, &first, workload, &own, messages);
        }
    if (status == RLT_OK && bench_leads(settings) && settings->json)
        write_json(sizes, workload, settings, out);
    else if (status == RLT_OK && bench_leads(settings))
        print_text(sizes, workload);
    args_list_free(&own.overrides);
    free(sizes);
    return status;
}
