/* The steps behind partition.h. */
#ifndef RLTI_PARTITION_PARTITION_METHODS_H
#define RLTI_PARTITION_PARTITION_METHODS_H

#include "partition/partition.h"

/* Runs of equal work in the order of the groom; every part gets a hair. */
void rlti_partition_runs(int count, const int *work, int parts, int *part);

/* Edges between parts. */
long long rlti_partition_cut(const rlti_graph *graph, const int *part);

/* No part should have more work: 3% above the mean, or what the heaviest part of the equal runs has, if that
 * is more. Leaves `part` as the equal runs. */
long long rlti_partition_limit(int count, const int *work, int parts, int *part,
                               long long *loads /* [parts] */);

/* Swaps hairs between parts while that lowers the number of edges cut, and lifts no part above the limit;
 * then again after each of so many shakes. Returns 0 when out of memory. */
int rlti_partition_swap(const rlti_graph *graph, const int *work, int parts, long long limit, int shakes,
                        int *part);

/* Gives every part a hair and takes hairs from parts above the limit, where others have capacity. Returns 1
 * when all parts are within it, 0 when that was not reached, -1 when out of memory. */
int rlti_partition_even_out(const rlti_graph *graph, const int *work, int parts, long long limit, int *part);

/* One answer of METIS; `attempt` 0, 1, ... are different ones, always the same. Returns 0 when METIS fails or
 * was not built in. */
int rlti_partition_metis(const rlti_graph *graph, const int *work, int parts, int attempt, int *part);

#endif
