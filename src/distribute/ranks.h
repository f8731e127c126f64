/* All that ranks do with each other: a few verbs over the public handle. All are collective unless stated
 * otherwise; `ranks` NULL is one rank alone. What they do where there are several is in the handle
 * (verbs.h). */
#ifndef RLTI_DISTRIBUTE_RANKS_H
#define RLTI_DISTRIBUTE_RANKS_H

#include <stddef.h>

#include "ringlet/ranks.h"

/* Element-wise maximum over all ranks, in place. NaN is greater than everything. */
void rlti_ranks_max(rlt_ranks *ranks, double *values, int count);

/* Sends `counts[rank]` bytes of every rank to rank 0, one after the other in `all` (rank 0 only; may be NULL
 * elsewhere). `counts` [rank count] is known to all. */
void rlti_ranks_gather(rlt_ranks *ranks, const void *mine, const size_t *counts, void *all);

/* The same to every rank: `all` has everybody's bytes then, on all of them. `mine` may stand in its place in
 * `all` already. */
void rlti_ranks_share(rlt_ranks *ranks, const void *mine, const size_t *counts, void *all);

/* Rank 0's bytes to everybody. */
void rlti_ranks_broadcast(rlt_ranks *ranks, void *data, size_t bytes);

/* Gets every rank's value, [rank count]. */
void rlti_ranks_all(rlt_ranks *ranks, long long mine, long long *values);

/* A message to another rank, or from it. */
typedef struct rlti_parcel {
    int rank;     /* another one */
    int receives; /* 1: `data` is filled in, 0: it is sent */
    double *data;
    int count; /* of values; none is sent where it is 0. The other rank knows it */
} rlti_parcel;

/* Sends and receives all parcels, at most one to and one from each rank, and waits for them. Collective among
 * those that have any. */
void rlti_ranks_trade(rlt_ranks *ranks, const rlti_parcel *parcels, int count);

/* A fixed pattern of messages between neighbours, made once and used in every step. */
typedef struct rlti_exchange rlti_exchange;

typedef struct rlti_neighbour {
    int rank;                         /* another one, each at most once */
    size_t send_bytes, receive_bytes; /* per exchange */
    void *send, *receive;             /* buffers, owned by the caller and fixed */
} rlti_neighbour;

/* Not collective by itself, but the neighbours' sizes must match; nothing is sent where the size is 0. NULL
 * when out of memory. */
rlti_exchange *rlti_exchange_create(rlt_ranks *ranks, const rlti_neighbour *neighbours, int count);
void rlti_exchange_destroy(rlti_exchange *exchange);

/* Starts sending and receiving all buffers; nothing may touch them until rlti_exchange_finish returns. */
void rlti_exchange_begin(rlti_exchange *exchange);
void rlti_exchange_finish(rlti_exchange *exchange);

/* Seconds of a message of `bytes` (at most 1 GiB) to a rank half the ranks away and back, halved, best of
 * `repeats`, of the slowest pair: ranks next to each other are often on one machine. 0 alone. */
double rlti_ranks_ping(rlt_ranks *ranks, size_t bytes, int repeats);

#endif
