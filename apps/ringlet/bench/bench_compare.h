/* --compare: the same workload in other variants beside the main one, frame by frame in turn, and how well
 * its hairs could be shared between ranks. */
#ifndef RINGLET_APP_BENCH_COMPARE_H
#define RINGLET_APP_BENCH_COMPARE_H

#include "bench/bench.h"

enum { BENCH_CUT_COUNTS = 4, BENCH_CUT_METHODS = 3 };

typedef struct bench_compare {
    bench_variant *main;
    bench_variant *one, *two; /* one and two threads; one of them may be the main one */
    bench_variant *unpruned;  /* one thread; NULL where there would be too many pairs */
    bench_variant *owned;     /* [3] those that are not the main one */
    int owned_count;
    rlt_scene *scene; /* without pruning */
    /* distance between the hairs with and without pruning, relative to their length; rank 0 only */
    double points_sum, points_worst;   /* between points, mean over a hair and over all hairs */
    double middles_sum, middles_worst; /* between the mean positions of hairs, mean over all hairs */
    double unpruned_bytes;             /* of model and state, all ranks */
    /* edges cut, by number of ranks and method (equal split, greedy, METIS); -1: not possible */
    long long cuts[BENCH_CUT_COUNTS][BENCH_CUT_METHODS];
} bench_compare;

/* Builds the other variants and brings them to where the main one is, `warmup` frames on. Collective. */
rlt_status bench_compare_create(bench_compare *compare, bench_variant *main, const bench_workload *workload,
                                const bench_settings *settings, const rlt_scene *scene,
                                rlt_messages *messages);
/* A timed frame of each, after the main one's. Collective. */
rlt_status bench_compare_frame(bench_compare *compare, const bench_settings *settings,
                               rlt_messages *messages);
/* After the last frame: sums over ranks, partitions. Collective. */
rlt_status bench_compare_finish(bench_compare *compare, const bench_settings *settings,
                                const rlt_scene *scene, rlt_messages *messages);
void bench_compare_json(json *out, const bench_compare *compare);
void bench_compare_print(const bench_compare *compare);
void bench_compare_destroy(bench_compare *compare);

#endif
