/* Plans: what a scene would cost on more ranks than there are here, from its contact graph. */
#ifndef RINGLET_PLAN_H
#define RINGLET_PLAN_H

#include <stddef.h>

#include "ringlet/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where a number of the plan comes from. */
typedef enum rlt_plan_source {
    RLT_PLAN_ASSUMED = 0, /* a typical value */
    RLT_PLAN_MEASURED = 1,
    RLT_PLAN_GIVEN = 2
} rlt_plan_source;

/* Machines to plan for; start from rlt_plan_defaults(). */
typedef struct rlt_plan_def {
    size_t size;       /* of this struct: sizeof */
    const int *counts; /* [count] numbers of ranks to plan for, each 1 .. 1,000,000 */
    int count;
    int threads_per_rank;    /* 1 .. 1024, each on a core of its own */
    rlt_partition partition; /* how hairs are shared; METIS is an error where it was not built in */
    double seconds;          /* of a frame of the whole scene on one thread; 0: measured here, now */
    double latency;          /* of a small message between two ranks [s]; negative: assumed */
    double bandwidth;        /* between two ranks [byte/s]; 0: assumed */
    rlt_plan_source latency_source, bandwidth_source; /* where they come from, if they are not assumed */
} rlt_plan_def;

/* Sets all of it but its size to the defaults. */
rlt_status rlt_plan_def_reset(rlt_plan_def *def);
static inline rlt_plan_def rlt_plan_defaults(void) {
    rlt_plan_def def;
    def.size = sizeof def;
    rlt_plan_def_reset(&def);
    return def;
}

/* One number of ranks. */
typedef struct rlt_plan_line {
    size_t size; /* of this struct: sizeof */
    int ranks;
    int possible;                /* 0: more ranks than hairs; nothing below is then set */
    int hairs_least, hairs_most; /* of a rank */
    double hairs_mean;
    long long points_most; /* of a rank */
    long long edges_cut;   /* pairs of hairs that may touch and are on two ranks */
    double cut_share;      /* of all such pairs */
    int neighbours_most;   /* ranks that one rank exchanges with */
    long long bytes_most;  /* that a rank sends in one exchange, or receives if that is more */
    long long bytes_total; /* that all ranks send in one exchange */
    double memory_most;    /* bytes of model and state on the heaviest rank */
    /* predicted seconds per frame */
    double seconds_compute;  /* of the rank with the maximum of work */
    double seconds_exchange; /* of the rank that sends the maximum, all exchanges of a frame */
    double seconds_gather;   /* bringing the frame to rank 0 */
    double seconds;          /* all three */
    double speedup;          /* over one rank with as many threads */
    double efficiency;       /* speedup / ranks */
} rlt_plan_line;

/* The whole. */
typedef struct rlt_plan_summary {
    size_t size; /* of this struct: sizeof */
    int strands, points;
    int particles;     /* points that take part in contacts between hairs */
    long long edges;   /* pairs of hairs that may touch */
    int exchanges;     /* per frame: one in every outer step */
    double seconds;    /* of a frame on one thread */
    double step_share; /* of these, spent in the step kernel, where a tile costs the same however full */
    double latency, bandwidth;
    rlt_plan_source seconds_source, latency_source, bandwidth_source;
    int fastest_ranks;   /* the count with the minimum of seconds per frame, the smallest of equals: past it
                          * more ranks do not help. 0 when none is possible */
    int still_gaining;   /* 1: that is the largest possible count in the list, so there may be more to gain */
    int efficient_ranks; /* the largest count with an efficiency of at least one half; 0 when there is none */
    double common_share; /* of the seconds: what every rank does for all hair, so that only its threads share
                          * it: half of finding and solving contacts; 0 where no frame was run */
} rlt_plan_summary;

typedef struct rlt_plan rlt_plan;

/* Builds groom, model and contact graph, runs two frames on one thread where the time is to be measured, and
 * works out every count. More ranks than hairs is no error: such a line says that it is not possible. */
rlt_status rlt_plan_create(const rlt_scene *scene, const rlt_plan_def *def, rlt_messages *messages,
                           rlt_plan **plan);
void rlt_plan_destroy(rlt_plan *plan);

/* Results. Line `index` is of the def's count of that index; returns 0 past the end and for
 * a size that is not set, 1 otherwise. */
rlt_status rlt_plan_summarise(const rlt_plan *plan, rlt_plan_summary *summary);
int rlt_plan_get(const rlt_plan *plan, int index, rlt_plan_line *line);

/* Measures latency [s] and bandwidth [byte/s] between the ranks that run now, the slowest pair of those
 * tried. Collective; leaves both values alone where there is one rank only. */
void rlt_plan_measure_network(rlt_ranks *ranks, double *latency, double *bandwidth);

#ifdef __cplusplus
}
#endif

#endif
