/* The twin of ranks_mpi.c for builds without MPI: one rank, nothing to send. No handle is ever made, so
 * `ranks` is NULL everywhere. */
#include "base/memory.h"
#include "base/messages.h"
#include "distribute/launcher.h"
#include "distribute/ranks.h"

#include <string.h>

struct rlti_exchange {
    int unused;
};

int rlt_ranks_available(void) {
    return 0;
}

rlt_status rlt_ranks_start(rlt_messages *messages, rlt_ranks **ranks) {
    *ranks = NULL;
    rlti_launcher launcher = rlti_launcher_find();
    if (!launcher.found || launcher.count == 1)
        return RLT_OK;
    /* one message is enough, and only the first process is sure to exist */
    if (launcher.rank <= 0)
        rlti_message(
            messages, RLT_ERROR,
            "started by an MPI launcher with more than one process, but this Ringlet was built without "
            "MPI: every process would do the whole work");
    return RLT_BAD_INPUT;
}

void rlt_ranks_finish(rlt_ranks *ranks) {
    (void)ranks;
}

void rlt_ranks_abort(rlt_ranks *ranks, int exit_code) {
    (void)ranks;
    (void)exit_code;
}

int rlt_ranks_rank(const rlt_ranks *ranks) {
    (void)ranks;
    return 0;
}

int rlt_ranks_count(const rlt_ranks *ranks) {
    (void)ranks;
    return 1;
}

rlt_status rlt_ranks_agree(rlt_ranks *ranks, rlt_status status, rlt_messages *messages) {
    (void)ranks;
    (void)messages;
    return status;
}

void rlti_ranks_sum(rlt_ranks *ranks, double *values, int count) {
    (void)ranks;
    (void)values;
    (void)count;
}

void rlti_ranks_max(rlt_ranks *ranks, double *values, int count) {
    (void)ranks;
    (void)values;
    (void)count;
}

void rlti_ranks_gather(rlt_ranks *ranks, const void *mine, const size_t *counts, void *all) {
    (void)ranks;
    if (counts[0] > 0 && all != mine)
        memmove(all, mine, counts[0]);
}

void rlti_ranks_broadcast(rlt_ranks *ranks, void *data, size_t bytes) {
    (void)ranks;
    (void)data;
    (void)bytes;
}

void rlti_ranks_all(rlt_ranks *ranks, long long mine, long long *values) {
    (void)ranks;
    values[0] = mine;
}

rlti_exchange *rlti_exchange_create(rlt_ranks *ranks, const rlti_neighbour *neighbours, int count) {
    (void)ranks;
    (void)neighbours;
    (void)count;
    return RLTI_NEW(rlti_exchange, 1);
}

void rlti_exchange_destroy(rlti_exchange *exchange) {
    rlti_free(exchange);
}

void rlti_exchange_begin(rlti_exchange *exchange) {
    (void)exchange;
}

void rlti_exchange_finish(rlti_exchange *exchange) {
    (void)exchange;
}

double rlti_ranks_ping(rlt_ranks *ranks, size_t bytes, int repeats) {
    (void)ranks;
    (void)bytes;
    (void)repeats;
    return 0.0;
}
