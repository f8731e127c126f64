/* Hairs to processors: clusters of the contact graph with few edges between them and equal work in each (Taz
 * paper section 4.2). Deterministic; the choice changes speed only, never a result. */
#ifndef RLTI_PARTITION_PARTITION_H
#define RLTI_PARTITION_PARTITION_H

#include "contact/hair/graph.h"
#include "ringlet/simulation.h"

/* How good a partition is. */
typedef struct rlti_partition_quality {
    long long cut;          /* edges between parts */
    double balance;         /* work of the heaviest part / mean work; 1 is perfect */
    double split_share;     /* cut / all edges */
    int maximum, minimum;   /* hairs of the largest and of the smallest part */
    int largest_neighbours; /* parts that one part exchanges with, at most */
} rlti_partition_quality;

/* 1 where METIS was built in. */
int rlti_partition_has_metis(void);

/* part[h] in [0, parts) for every hair, every part with at least one; `work` weighs a hair (its points, >=
 * 0). 1 <= parts <= hairs. METIS is never worse than greedy, and is the same where it was not built in. Fails
 * only when out of memory. */
rlt_status rlti_partition(const rlti_graph *graph, const int *work /* [graph->count] */, int parts,
                          rlt_partition method, rlt_messages *messages, int *part);

/* Fails only when out of memory. */
rlt_status rlti_partition_measure(const rlti_graph *graph, const int *work, int parts, const int *part,
                                  rlt_messages *messages, rlti_partition_quality *quality);

#endif
