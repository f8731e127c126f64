/* The verbs for one rank alone, which is NULL, and for several, through their handle's table. */
#include "distribute/ranks.h"

#include <string.h>

#include "base/memory.h"
#include "distribute/verbs.h"

void rlt_ranks_finish(rlt_ranks *ranks) {
    if (ranks != NULL)
        ranks->verbs->finish(ranks);
}

void rlt_ranks_abort(rlt_ranks *ranks, int exit_code) {
    if (ranks != NULL && ranks->count > 1)
        ranks->verbs->abort(ranks, exit_code);
}

int rlt_ranks_rank(const rlt_ranks *ranks) {
    return ranks != NULL ? ranks->rank : 0;
}

int rlt_ranks_count(const rlt_ranks *ranks) {
    return ranks != NULL ? ranks->count : 1;
}

rlt_status rlt_ranks_agree(rlt_ranks *ranks, rlt_status status, rlt_messages *messages) {
    return rlt_ranks_count(ranks) > 1 ? ranks->verbs->agree(ranks, status, messages) : status;
}

static double add(double sum, double value) {
    return sum + value;
}

static double larger(double maximum, double value) {
    return value > maximum || value != value ? value : maximum;
}

/* Each value becomes that of all ranks together, taken in their order. */
static void combine(rlt_ranks *ranks, double *values, int count, double (*two)(double, double)) {
    for (int at = 0; ranks != NULL && at < count; at += RLTI_COLLECT_MAX) {
        int n = count - at < RLTI_COLLECT_MAX ? count - at : RLTI_COLLECT_MAX;
        const double *all = ranks->verbs->collect(ranks, values + at, n);
        for (int i = 0; i < n; i++) {
            values[at + i] = all[i];
            for (int r = 1; r < ranks->count; r++)
                values[at + i] = two(values[at + i], all[(size_t)r * (size_t)n + (size_t)i]);
        }
    }
}

void rlt_ranks_sum(rlt_ranks *ranks, double *values, int count) {
    combine(ranks, values, count, add);
}

void rlti_ranks_max(rlt_ranks *ranks, double *values, int count) {
    combine(ranks, values, count, larger);
}

void rlti_ranks_gather(rlt_ranks *ranks, const void *mine, const size_t *counts, void *all) {
    if (ranks != NULL)
        ranks->verbs->gather(ranks, mine, counts, all);
    else if (counts[0] > 0 && all != mine)
        memmove(all, mine, counts[0]);
}

void rlti_ranks_share(rlt_ranks *ranks, const void *mine, const size_t *counts, void *all) {
    if (ranks != NULL)
        ranks->verbs->share(ranks, mine, counts, all);
    else if (counts[0] > 0 && all != mine)
        memmove(all, mine, counts[0]);
}

void rlti_ranks_broadcast(rlt_ranks *ranks, void *data, size_t bytes) {
    if (ranks != NULL)
        ranks->verbs->broadcast(ranks, data, bytes);
}

void rlti_ranks_all(rlt_ranks *ranks, long long mine, long long *values) {
    if (ranks != NULL)
        ranks->verbs->all(ranks, mine, values);
    else
        values[0] = mine;
}

void rlti_ranks_trade(rlt_ranks *ranks, const rlti_parcel *parcels, int count) {
    if (ranks != NULL && count > 0)
        ranks->verbs->trade(ranks, parcels, count);
}

rlti_exchange *rlti_exchange_create(rlt_ranks *ranks, const rlti_neighbour *neighbours, int count) {
    return ranks != NULL ? ranks->verbs->exchange_create(ranks, neighbours, count)
                         : RLTI_NEW(rlti_exchange, 1);
}

void rlti_exchange_destroy(rlti_exchange *exchange) {
    if (exchange != NULL && exchange->verbs != NULL)
        exchange->verbs->exchange_destroy(exchange);
    else
        rlti_free(exchange);
}

void rlti_exchange_begin(rlti_exchange *exchange) {
    if (exchange->verbs != NULL)
        exchange->verbs->exchange_begin(exchange);
}

void rlti_exchange_finish(rlti_exchange *exchange) {
    if (exchange->verbs != NULL)
        exchange->verbs->exchange_finish(exchange);
}

double rlti_ranks_ping(rlt_ranks *ranks, size_t bytes, int repeats) {
    return rlt_ranks_count(ranks) > 1 ? ranks->verbs->ping(ranks, bytes, repeats) : 0.0;
}
