#include "bench/bench_compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "console.h"

/* Without pruning every pair of hairs takes some 90 bytes: more pairs than these are not tried. */
#define PAIRS_MAX 8000000

static const int cut_counts[BENCH_CUT_COUNTS] = {2, 4, 8, 12};
enum { CUT_SHOWN = 1 }; /* the count that the shares are of: 4 */
static const rlt_partition cut_methods[BENCH_CUT_METHODS] = {RLT_PARTITION_SPLIT, RLT_PARTITION_GREEDY,
                                                             RLT_PARTITION_METIS};
enum { SPLIT, GREEDY, METIS };

/* ---- variants ---- */

static rlt_status add_variant(bench_compare *compare, const rlt_scene *scene, const bench_settings *settings,
                              int threads, rlt_messages *messages, bench_variant **variant) {
    *variant = &compare->owned[compare->owned_count++];
    return bench_variant_create(*variant, scene, settings, threads, messages);
}

static rlt_status add_unpruned(bench_compare *compare, const bench_workload *workload,
                               const bench_settings *settings, rlt_messages *messages) {
    static const char *const off[] = {"hair.prune.particles=off", "hair.prune.pairs=off"};
    rlt_statistics statistics = {.size = sizeof statistics};
    rlt_simulation_statistics(compare->main->simulation, &statistics);
    if (statistics.edges_full > PAIRS_MAX) {
        bench_say(settings, "%s: not run without pruning: %lld pairs of hairs", workload->name,
                  statistics.edges_full);
        return RLT_OK;
    }
    rlt_status status = bench_load(workload->scene, settings, bench_warmup(workload, settings), off, 2,
                                   messages, &compare->scene);
    if (status == RLT_OK)
        status = add_variant(compare, compare->scene, settings, 1, messages, &compare->unpruned);
    return status;
}

rlt_status bench_compare_create(bench_compare *compare, bench_variant *main, const bench_workload *workload,
                                const bench_settings *settings, const rlt_scene *scene,
                                rlt_messages *messages) {
    int threads = bench_threads(settings), warmup = bench_warmup(workload, settings);
    memset(compare, 0, sizeof *compare);
    compare->main = main;
    compare->owned = bench_allocate(settings, 3, sizeof(bench_variant));
    if (compare->owned == NULL)
        return RLT_FAILED;
    bench_say(settings, "%s: warm-up of what it is compared with, %d frames each", workload->name, warmup);
    compare->one = compare->two = main;
    rlt_status status = RLT_OK;
    if (threads != 1)
        status = add_variant(compare, scene, settings, 1, messages, &compare->one);
    if (status == RLT_OK && threads != 2)
        status = add_variant(compare, scene, settings, 2, messages, &compare->two);
    if (status == RLT_OK)
        status = add_unpruned(compare, workload, settings, messages);
    for (int v = 0; v < compare->owned_count; v++)
        for (int frame = 0; frame < warmup && status == RLT_OK; frame++)
            status = bench_variant_frame(&compare->owned[v], settings, 0, messages);
    return status;
}

/* ---- what pruning changes ---- */

typedef struct difference {
    double points, middles; /* of a hair, relative to its length */
} difference;

static difference compare_hair(const rlt_frame_view *a, const rlt_frame_view *b, int hair) {
    int first = a->first[hair], last = a->first[hair + 1];
    double length = 0.0, apart = 0.0, shift[3] = {0.0, 0.0, 0.0};
    for (int p = first; p < last; p++) {
        double squares = 0.0, edge = 0.0;
        for (int axis = 0; axis < 3; axis++) {
            double d = a->points[3 * p + axis] - b->points[3 * p + axis];
            double e = p > first ? a->rest[3 * p + axis] - a->rest[3 * (p - 1) + axis] : 0.0;
            shift[axis] += d;
            squares += d * d;
            edge += e * e;
        }
        apart += sqrt(squares);
        length += sqrt(edge);
    }
    double scale = length > 0.0 && last > first ? 1.0 / (length * (last - first)) : 0.0;
    double middle = sqrt(shift[0] * shift[0] + shift[1] * shift[1] + shift[2] * shift[2]);
    return (difference){scale * apart, scale * middle};
}

static void compare_views(bench_compare *compare) {
    rlt_frame_view pruned = {.size = sizeof pruned}, full = {.size = sizeof full};
    double points = 0.0, middles = 0.0;
    rlt_simulation_view(compare->main->simulation, &pruned);
    rlt_simulation_view(compare->unpruned->simulation, &full);
    for (int h = 0; h < pruned.strand_count; h++) {
        difference d = compare_hair(&pruned, &full, h);
        points += d.points / pruned.strand_count;
        middles += d.middles / pruned.strand_count;
    }
    compare->points_sum += points;
    compare->middles_sum += middles;
    compare->points_worst = fmax(compare->points_worst, points);
    compare->middles_worst = fmax(compare->middles_worst, middles);
}

rlt_status bench_compare_frame(bench_compare *compare, const bench_settings *settings,
                               rlt_messages *messages) {
    rlt_status status = RLT_OK;
    for (int v = 0; v < compare->owned_count && status == RLT_OK; v++)
        status = bench_variant_frame(&compare->owned[v], settings, 1, messages);
    if (status == RLT_OK && compare->unpruned != NULL && bench_leads(settings))
        compare_views(compare);
    return status;
}

/* ---- cuts ---- */

/* The cuts of one method, on rank 0; METIS may be missing. */
static rlt_status find_cuts(bench_compare *compare, int method, const rlt_scene *scene) {
    rlt_messages *messages = rlt_messages_create();
    rlt_plan_def def = rlt_plan_defaults();
    rlt_plan *plan = NULL;
    rlt_plan_line line = {.size = sizeof line};
    def.counts = cut_counts;
    def.count = BENCH_CUT_COUNTS;
    def.partition = cut_methods[method];
    def.seconds = 1.0; /* nothing is to be measured: only the cuts are used */
    rlt_status status = messages != NULL ? rlt_plan_create(scene, &def, messages, &plan) : RLT_FAILED;
    for (int i = 0; i < BENCH_CUT_COUNTS; i++) {
        int known = status == RLT_OK && rlt_plan_get(plan, i, &line) && line.possible;
        compare->cuts[i][method] = known ? line.edges_cut : -1;
    }
    if (status == RLT_BAD_INPUT && method == METIS)
        status = RLT_OK; /* built without it */
    if (status != RLT_OK && messages != NULL)
        console_messages(messages, 0);
    rlt_plan_destroy(plan);
    rlt_messages_destroy(messages);
    return status;
}

rlt_status bench_compare_finish(bench_compare *compare, const bench_settings *settings,
                                const rlt_scene *scene, rlt_messages *messages) {
    rlt_status status = RLT_OK;
    for (int v = 0; v < compare->owned_count; v++)
        bench_variant_sum(&compare->owned[v], settings);
    compare->unpruned_bytes = compare->unpruned != NULL ? (double)compare->unpruned->now.bytes : 0.0;
    rlt_ranks_sum(settings->ranks, &compare->unpruned_bytes, 1);
    for (int method = 0; method < BENCH_CUT_METHODS && status == RLT_OK && bench_leads(settings); method++)
        status = find_cuts(compare, method, scene);
    return rlt_ranks_agree(settings->ranks, status, messages);
}

/* Relative to the equal split; -1 where there is no such number. */
static double cut_share(const bench_compare *compare, int count, int method) {
    long long split = compare->cuts[count][SPLIT], cut = compare->cuts[count][method];
    return split > 0 && cut >= 0 ? (double)cut / (double)split : -1.0;
}

/* ---- results ---- */

static double pruned_speed(const bench_compare *compare) {
    return bench_paired(compare->unpruned->cpu, compare->one->cpu, compare->one->count);
}

static double threads_speed(const bench_compare *compare) {
    return bench_paired(compare->one->wall, compare->two->wall, compare->one->count);
}

/* A number, or null where it is below 0. */
static void json_share(json *out, const char *name, double value) {
    if (value >= 0.0)
        json_number(out, name, value);
    else
        json_null(out, name);
}

static void json_unpruned(json *out, const bench_compare *compare) {
    int frames = compare->one->count;
    if (compare->unpruned == NULL) {
        json_null(out, "pruned_over_unpruned_speed");
        return;
    }
    const rlt_statistics *s = &compare->unpruned->now;
    json_number(out, "pruned_over_unpruned_speed", pruned_speed(compare));
    json_number(out, "pruned_position_error_mean", compare->points_sum / frames);
    json_number(out, "pruned_position_error_worst", compare->points_worst);
    json_number(out, "pruned_middle_error_mean", compare->middles_sum / frames);
    json_number(out, "pruned_middle_error_worst", compare->middles_worst);
    json_number(out, "unpruned_cpu_seconds_per_frame", bench_median(compare->unpruned->cpu, frames));
    json_integer(out, "unpruned_particles", s->particles);
    json_integer(out, "unpruned_edges", s->edges);
    json_number(out, "unpruned_contacts_mean", compare->unpruned->contacts / frames);
    json_integer(out, "unpruned_model_bytes", (long long)compare->unpruned_bytes);
}

static void json_cuts(json *out, const bench_compare *compare) {
    json_begin_array(out, "cuts");
    for (int i = 0; i < BENCH_CUT_COUNTS; i++) {
        if (compare->cuts[i][SPLIT] < 0)
            continue;
        json_begin_object(out, NULL);
        json_integer(out, "ranks", cut_counts[i]);
        json_integer(out, "split_cut", compare->cuts[i][SPLIT]);
        json_integer(out, "greedy_cut", compare->cuts[i][GREEDY]);
        if (compare->cuts[i][METIS] >= 0)
            json_integer(out, "metis_cut", compare->cuts[i][METIS]);
        else
            json_null(out, "metis_cut");
        json_share(out, "greedy_cut_share", cut_share(compare, i, GREEDY));
        json_share(out, "metis_cut_share", cut_share(compare, i, METIS));
        json_end_object(out);
    }
    json_end_array(out);
}

void bench_compare_json(json *out, const bench_compare *compare) {
    int frames = compare->one->count;
    json_unpruned(out, compare);
    json_number(out, "threads2_over_1", threads_speed(compare));
    json_number(out, "threads1_seconds_per_frame", bench_median(compare->one->wall, frames));
    json_number(out, "threads2_seconds_per_frame", bench_median(compare->two->wall, frames));
    json_number(out, "threads1_cpu_seconds_per_frame", bench_median(compare->one->cpu, frames));
    json_share(out, "greedy_cut_share", cut_share(compare, CUT_SHOWN, GREEDY));
    json_share(out, "metis_cut_share", cut_share(compare, CUT_SHOWN, METIS));
    json_cuts(out, compare);
    json_boolean(out, "same_bytes",
                 rlt_simulation_hash(compare->one->simulation) ==
                     rlt_simulation_hash(compare->two->simulation));
}

static void print_cuts(const bench_compare *compare) {
    printf("  pairs cut, relative to an equal split:");
    for (int i = 0; i < BENCH_CUT_COUNTS; i++) {
        if (cut_share(compare, i, GREEDY) < 0.0)
            continue;
        printf("  %d ranks greedy %.2f", cut_counts[i], cut_share(compare, i, GREEDY));
        if (cut_share(compare, i, METIS) >= 0.0)
            printf(" METIS %.2f", cut_share(compare, i, METIS));
    }
    printf("\n");
}

void bench_compare_print(const bench_compare *compare) {
    int frames = compare->one->count;
    if (compare->unpruned != NULL)
        printf("  pruned %.2f times as fast as unpruned; points differ by %.2f%% of the hair length, in the "
               "worst frame %.2f%%\n",
               pruned_speed(compare), 100.0 * compare->points_sum / frames, 100.0 * compare->points_worst);
    else
        printf("  too many pairs of hairs to run it without pruning\n");
    printf("  2 threads %.2f times as fast as 1 (%.3f and %.3f s a frame, nothing written), %s bytes\n",
           threads_speed(compare), bench_median(compare->two->wall, frames),
           bench_median(compare->one->wall, frames),
           rlt_simulation_hash(compare->one->simulation) == rlt_simulation_hash(compare->two->simulation)
               ? "the same"
               : "DIFFERENT");
    print_cuts(compare);
}

void bench_compare_destroy(bench_compare *compare) {
    for (int v = 0; v < compare->owned_count; v++)
        bench_variant_destroy(&compare->owned[v]);
    free(compare->owned);
    rlt_scene_destroy(compare->scene);
}
