/* How the cost grows with the hair: RedHead with 1, 4 and 16 times its hairs and points, all else as it is.
 *
 * With m times the guides on the same head a hair would have m times the neighbours, and the pairs would grow
 * with the square of the hair. That is what pair pruning is for: hair.prune.random is raised until a hair has
 * as many neighbours in the contact graph as at first. What grows is then the hair, not the crowd. How many
 * there would be is in the result (near_neighbours, before the random fraction). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/bench.h"

enum { SIZES = 3, OVERRIDES = 3 };
static const int multiples[SIZES] = {1, 4, 16};

typedef struct size {
    double random; /* hair.prune.random; -1: the scene's */
    rlt_scene *scene;
    bench_variant variant;
    bench_totals totals;
} size;

/* Slope of log y over log x. */
static double exponent(const double *x, const double *y, int count) {
    double mx = 0.0, my = 0.0, xx = 0.0, xy = 0.0;
    for (int i = 0; i < count; i++) {
        mx += log(x[i]) / count;
        my += log(y[i]) / count;
    }
    for (int i = 0; i < count; i++) {
        xx += (log(x[i]) - mx) * (log(x[i]) - mx);
        xy += (log(x[i]) - mx) * (log(y[i]) - my);
    }
    return xx > 0.0 ? xy / xx : 0.0;
}

/* The scene with m times the hairs of the first size, of which a fraction `random` of the pairs is left out.
 */
static rlt_status load(int m, const rlt_statistics *first, double random, const bench_workload *workload,
                       const bench_settings *settings, rlt_messages *messages, rlt_scene **scene) {
    char texts[OVERRIDES][96];
    const char *more[OVERRIDES];
    snprintf(texts[0], sizeof texts[0], "hair.count=%d", m * first->strands);
    snprintf(texts[1], sizeof texts[1], "hair.total_points=%d", m * first->points);
    snprintf(texts[2], sizeof texts[2], "hair.prune.random=%.6f", random);
    for (int i = 0; i < OVERRIDES; i++)
        more[i] = texts[i];
    return bench_load(workload->scene, settings, bench_warmup(workload, settings), more, OVERRIDES, messages,
                      scene);
}

/* The random fraction that leaves a hair as many neighbours as at first. Without any pair left nothing but
 * the graph is built. */
static rlt_status find_random(int m, const rlt_statistics *first, const bench_workload *workload,
                              const bench_settings *settings, rlt_messages *messages, double *random) {
    rlt_scene *scene = NULL;
    rlt_simulation *probe = NULL;
    rlt_statistics statistics = {.size = sizeof statistics};
    rlt_simulation_def def = rlt_simulation_defaults();
    def.threads = bench_threads(settings);
    def.ranks = settings->ranks;
    rlt_status status = load(m, first, 1.0, workload, settings, messages, &scene);
    if (status == RLT_OK)
        status = rlt_simulation_create(scene, &def, messages, &probe);
    if (status == RLT_OK)
        rlt_simulation_statistics(probe, &statistics);
    double wanted = (double)first->edges * m, near = (double)statistics.edges_near;
    *random = near > wanted ? 1.0 - wanted / near : 0.0;
    rlt_simulation_destroy(probe);
    rlt_scene_destroy(scene);
    return status;
}

static rlt_status create(size *sizes, const bench_workload *workload, const bench_settings *settings,
                         rlt_messages *messages) {
    rlt_statistics first = {.size = sizeof first};
    int warmup = bench_warmup(workload, settings);
    bench_say(settings, "%s: building", workload->name);
    rlt_status status = bench_load(workload->scene, settings, warmup, NULL, 0, messages, &sizes[0].scene);
    for (int i = 0; i < SIZES && status == RLT_OK; i++) {
        size *s = &sizes[i];
        s->random = -1.0;
        if (i > 0)
            status = find_random(multiples[i], &first, workload, settings, messages, &s->random);
        if (status == RLT_OK && i > 0)
            status = load(multiples[i], &first, s->random, workload, settings, messages, &s->scene);
        if (status == RLT_OK)
            status = bench_variant_create(&s->variant, s->scene, settings, bench_threads(settings), messages);
        if (status == RLT_OK && i == 0)
            rlt_simulation_statistics(s->variant.simulation, &first);
    }
    return status;
}

static double fit(const size *sizes) {
    double points[SIZES], seconds[SIZES];
    for (int i = 0; i < SIZES; i++) {
        points[i] = sizes[i].variant.now.points;
        seconds[i] = bench_median(sizes[i].variant.cpu, sizes[i].variant.count);
    }
    return exponent(points, seconds, SIZES);
}

static void write_json(const size *sizes, const bench_workload *workload, const bench_settings *settings,
                       json *out) {
    const size *largest = &sizes[SIZES - 1];
    json_begin_object(out, NULL);
    bench_json_common(out, workload, settings, &largest->variant, &largest->totals);
    json_number(out, "cost_exponent", fit(sizes));
    json_begin_array(out, "sizes");
    for (int i = 0; i < SIZES; i++) {
        const bench_variant *v = &sizes[i].variant;
        json_begin_object(out, NULL);
        json_integer(out, "multiple", multiples[i]);
        json_integer(out, "hairs", v->now.strands);
        json_integer(out, "points", v->now.points);
        json_integer(out, "particles", v->now.particles);
        json_integer(out, "edges", v->now.edges);
        json_number(out, "neighbours", 2.0 * (double)v->now.edges / v->now.strands);
        json_number(out, "near_neighbours", 2.0 * (double)v->now.edges_near / v->now.strands);
        if (sizes[i].random >= 0.0)
            json_number(out, "random", sizes[i].random);
        json_number(out, "contacts_mean", v->contacts / v->count);
        json_number(out, "seconds_per_frame", bench_median(v->wall, v->count));
        json_number(out, "cpu_seconds_per_frame", bench_median(v->cpu, v->count));
        json_number(out, "cpu_seconds_per_frame_best", bench_best(v->cpu, v->count));
        bench_json_phases(out, "cpu_phases", &sizes[i].totals.cpu);
        json_number(out, "bytes_per_point", sizes[i].totals.bytes / v->now.points);
        json_end_object(out);
    }
    json_end_array(out);
    json_end_object(out);
}

static void print_text(const size *sizes, const bench_workload *workload) {
    printf("%s: CPU-seconds a frame grow as points to the power of %.2f\n", workload->name, fit(sizes));
    for (int i = 0; i < SIZES; i++) {
        const bench_variant *v = &sizes[i].variant;
        printf("  %2d times the hair: %6d hairs, %7d points, %8.3f CPU-seconds a frame, %4.0f neighbours, "
               "%8.0f contacts, %5.0f bytes a point\n",
               multiples[i], v->now.strands, v->now.points, bench_median(v->cpu, v->count),
               2.0 * (double)v->now.edges / v->now.strands, v->contacts / v->count,
               sizes[i].totals.bytes / v->now.points);
    }
}

rlt_status bench_scaling(const bench_workload *workload, const bench_settings *settings,
                         rlt_messages *messages, json *out) {
    size *sizes = bench_allocate(settings, SIZES, sizeof(size));
    if (sizes == NULL)
        return RLT_FAILED;
    bench_peak_restart();
    rlt_status status = create(sizes, workload, settings, messages);
    bench_variant *turns[SIZES];
    for (int i = 0; i < SIZES; i++)
        turns[i] = &sizes[i].variant;
    if (status == RLT_OK)
        status = bench_variants_run(turns, SIZES, workload, settings, messages);
    for (int i = 0; i < SIZES && status == RLT_OK; i++) {
        bench_variant_sum(&sizes[i].variant, settings);
        sizes[i].totals = bench_total(&sizes[i].variant, settings, 0.0);
    }
    if (status == RLT_OK && bench_leads(settings) && settings->json)
        write_json(sizes, workload, settings, out);
    else if (status == RLT_OK && bench_leads(settings))
        print_text(sizes, workload);
    for (int i = 0; i < SIZES; i++) {
        bench_variant_destroy(&sizes[i].variant);
        rlt_scene_destroy(sizes[i].scene);
    }
    free(sizes);
    return status;
}
