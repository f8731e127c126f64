/* The functions behind the verbs of ranks.h where there are several ranks: a table that whoever makes a
 * handle puts into it, src/mpi. So the core has no word of MPI, and a process without ranks loads none of
 * it. */
#ifndef RLTI_DISTRIBUTE_VERBS_H
#define RLTI_DISTRIBUTE_VERBS_H

#include "distribute/ranks.h"

/* Values that one call of `collect` takes. */
#define RLTI_COLLECT_MAX 256

/* As the functions of these names do, for a handle that is not NULL. */
typedef struct rlti_rank_verbs {
    void (*finish)(rlt_ranks *ranks);
    void (*abort)(rlt_ranks *ranks, int exit_code);
    rlt_status (*agree)(rlt_ranks *ranks, rlt_status status, rlt_messages *messages);
    /* Every rank's values, [rank][count], count <= RLTI_COLLECT_MAX; valid until the next call. */
    const double *(*collect)(rlt_ranks *ranks, const double *values, int count);
    void (*gather)(rlt_ranks *ranks, const void *mine, const size_t *counts, void *all);
    void (*share)(rlt_ranks *ranks, const void *mine, const size_t *counts, void *all);
    void (*broadcast)(rlt_ranks *ranks, void *data, size_t bytes);
    void (*all)(rlt_ranks *ranks, long long mine, long long *values);
    void (*trade)(rlt_ranks *ranks, const rlti_parcel *parcels, int count);
    rlti_exchange *(*exchange_create)(rlt_ranks *ranks, const rlti_neighbour *neighbours, int count);
    void (*exchange_destroy)(rlti_exchange *exchange);
    void (*exchange_begin)(rlti_exchange *exchange);
    void (*exchange_finish)(rlti_exchange *exchange);
    double (*ping)(rlt_ranks *ranks, size_t bytes, int repeats);
} rlti_rank_verbs;

/* A handle begins with this. */
struct rlt_ranks {
    const rlti_rank_verbs *verbs;
    int rank, count;
};

/* And so does an exchange. */
struct rlti_exchange {
    const rlti_rank_verbs *verbs; /* NULL: alone, nothing to send */
};

#endif
