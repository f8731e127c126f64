/* The verbs of distribute/ranks.h over MPI. Only the main thread calls them. An error inside MPI (a lost
 * connection, a message of the wrong size) ends the whole job with MPI's own message: no rank could continue
 * without the others. */
#include "base/memory.h"
#include "base/messages.h"
#include "distribute/verbs.h"
#include "mpi/launcher.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

/* MPI counts in int; longer messages go in pieces. */
#define PIECE ((size_t)1 << 30)

enum { TAG_EXCHANGE = 1, TAG_GATHER, TAG_PING, TAG_TRADE };

typedef struct mpi_ranks {
    rlt_ranks base;
    MPI_Comm comm;         /* our own, so that a host program's messages and ours never meet */
    int owns_mpi;          /* we called MPI_Init, so we call MPI_Finalize */
    double *values;        /* [count][RLTI_COLLECT_MAX] */
    int *sizes;            /* [2][count] of a share: bytes, and where they begin */
    MPI_Request *requests; /* [2 * count] of a trade */
} mpi_ranks;

typedef struct mpi_exchange {
    rlti_exchange base;
    MPI_Request *requests;
    int count;
} mpi_exchange;

static MPI_Comm comm_of(const rlt_ranks *ranks) {
    return ((const mpi_ranks *)ranks)->comm;
}

int rlt_ranks_available(void) {
    return 1;
}

/* MPI on, or refused; all ranks come to the same answer, and one of them says why. */
static rlt_status start_mpi(const rlti_launcher *launcher, int *owns_mpi, rlt_messages *messages) {
    int running = 0, level = MPI_THREAD_SINGLE, count = 0;
    MPI_Initialized(&running);
    *owns_mpi = 0;
    if (!running) {
        if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS)
            return rlti_fail(messages, RLT_FAILED, "MPI: cannot be started");
        *owns_mpi = 1;
    }
    MPI_Query_thread(&level);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    int same = launcher->count < 0 || launcher->count == count;
    if (level >= MPI_THREAD_FUNNELED && same)
        return RLT_OK;
    if (launcher->rank <= 0 && !same)
        rlti_message(messages, RLT_ERROR,
                     "MPI: the launcher started %d processes, but there are %d; use the mpirun of the MPI "
                     "that Ringlet was built with",
                     launcher->count, count);
    else if (launcher->rank <= 0)
        rlti_message(messages, RLT_ERROR,
                     "MPI: does not allow threads; use one that has MPI_THREAD_FUNNELED");
    if (*owns_mpi)
        MPI_Finalize();
    *owns_mpi = 0;
    return RLT_BAD_INPUT;
}

static void finish_ranks(rlt_ranks *ranks) {
    mpi_ranks *own = (mpi_ranks *)ranks;
    MPI_Barrier(own->comm);
    MPI_Comm_free(&own->comm);
    if (own->owns_mpi)
        MPI_Finalize();
    RLTI_FREE(own->values, own->sizes, own->requests, own);
}

static void abort_ranks(rlt_ranks *ranks, int exit_code) {
    MPI_Abort(comm_of(ranks), exit_code);
}

/* Bytes to or from one rank, in pieces. */
static void send_bytes(const rlt_ranks *ranks, int to, const char *data, size_t bytes) {
    for (size_t at = 0; at < bytes; at += PIECE)
        MPI_Send(data + at, (int)(bytes - at < PIECE ? bytes - at : PIECE), MPI_BYTE, to, TAG_GATHER,
                 comm_of(ranks));
}

static void receive_bytes(const rlt_ranks *ranks, int from, char *data, size_t bytes) {
    for (size_t at = 0; at < bytes; at += PIECE)
        MPI_Recv(data + at, (int)(bytes - at < PIECE ? bytes - at : PIECE), MPI_BYTE, from, TAG_GATHER,
                 comm_of(ranks), MPI_STATUS_IGNORE);
}

/* Rank `from` sends its messages to rank 0, which adds those it has not itself: most warnings are found by
 * every rank. */
static void bring_messages(rlt_ranks *ranks, int from, const char *prefix, rlt_messages *messages) {
    unsigned long long size = 0; /* 0: none, or no memory for them in one of the two */
    char *packed = NULL;
    if (ranks->rank == from) {
        size_t bytes = 0;
        packed = rlti_messages_pack(messages, &bytes);
        size = packed != NULL ? bytes : 0;
        send_bytes(ranks, 0, (const char *)&size, sizeof size);
        receive_bytes(ranks, 0, (char *)&size, sizeof size);
        if (size > 0)
            send_bytes(ranks, 0, packed, bytes);
    } else if (ranks->rank == 0) {
        receive_bytes(ranks, from, (char *)&size, sizeof size);
        packed = RLTI_NEW(char, size);
        size = packed != NULL ? size : 0;
        send_bytes(ranks, from, (const char *)&size, sizeof size);
        if (size > 0) {
            receive_bytes(ranks, from, packed, (size_t)size);
            rlti_messages_unpack(messages, packed, (size_t)size, prefix);
        } else {
            rlti_message(messages, RLT_ERROR, "rank %d failed without a message; it may be out of memory",
                         from);
        }
    }
    rlti_free(packed);
}

static rlt_status agree(rlt_ranks *ranks, rlt_status status, rlt_messages *messages) {
    /* the lowest failing rank, and its status in tow */
    const int none = ranks->count;
    int mine[2] = {status != RLT_OK ? ranks->rank : none, (int)status}, first[2];
    MPI_Allreduce(mine, first, 1, MPI_2INT, MPI_MINLOC, comm_of(ranks));
    if (first[0] == none)
        return RLT_OK;
    rlt_status result = (rlt_status)first[1];
    if (first[0] != 0) {
        /* what fails on one machine only must say which; a diverged strand is the same everywhere */
        char prefix[32] = "";
        if (result == RLT_FAILED)
            snprintf(prefix, sizeof prefix, "rank %d", first[0]);
        bring_messages(ranks, first[0], prefix[0] != '\0' ? prefix : NULL, messages);
    }
    if (ranks->rank != 0)
        rlt_messages_clear(messages);
    return result;
}

static const double *collect(rlt_ranks *ranks, const double *values, int count) {
    double *all = ((mpi_ranks *)ranks)->values;
    MPI_Allgather(values, count, MPI_DOUBLE, all, count, MPI_DOUBLE, comm_of(ranks));
    return all;
}

static void gather(rlt_ranks *ranks, const void *mine, const size_t *counts, void *all) {
    int rank = ranks->rank, count = ranks->count;
    if (rank != 0) {
        send_bytes(ranks, 0, mine, counts[rank]);
        return;
    }
    char *at = all;
    if (counts[0] > 0 && all != mine)
        memmove(at, mine, counts[0]);
    for (int r = 1; r < count; r++) {
        at += counts[r - 1];
        receive_bytes(ranks, r, at, counts[r]);
    }
}

static void broadcast_from(rlt_ranks *ranks, int root, void *data, size_t bytes) {
    for (size_t at = 0; at < bytes; at += PIECE)
        MPI_Bcast((char *)data + at, (int)(bytes - at < PIECE ? bytes - at : PIECE), MPI_BYTE, root,
                  comm_of(ranks));
}

static void broadcast(rlt_ranks *ranks, void *data, size_t bytes) {
    broadcast_from(ranks, 0, data, bytes);
}

/* At once where MPI can count the bytes, else one rank after the other. */
static void share(rlt_ranks *ranks, const void *mine, const size_t *counts, void *all) {
    mpi_ranks *own = (mpi_ranks *)ranks;
    size_t sum = 0, before = 0;
    for (int r = 0; r < ranks->count; r++) {
        before += r < ranks->rank ? counts[r] : 0;
        sum += counts[r];
    }
    char *to = all;
    if (counts[ranks->rank] > 0 && to + before != mine)
        memmove(to + before, mine, counts[ranks->rank]);
    if (sum > PIECE) {
        for (int r = 0; r < ranks->count; to += counts[r++])
            broadcast_from(ranks, r, to, counts[r]);
        return;
    }
    int *sizes = own->sizes, *places = own->sizes + ranks->count;
    for (int r = 0, at = 0; r < ranks->count; at += sizes[r++]) {
        sizes[r] = (int)counts[r];
        places[r] = at;
    }
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_BYTE, all, sizes, places, MPI_BYTE, own->comm);
}

static void gather_all(rlt_ranks *ranks, long long mine, long long *values) {
    MPI_Allgather(&mine, 1, MPI_LONG_LONG, values, 1, MPI_LONG_LONG, comm_of(ranks));
}

static void trade(rlt_ranks *ranks, const rlti_parcel *parcels, int count) {
    MPI_Request *requests = ((mpi_ranks *)ranks)->requests;
    int begun = 0;
    for (int receives = 1; receives >= 0; receives--) /* a message that finds its place ready is not copied */
        for (int k = 0; k < count; k++) {
            const rlti_parcel *p = &parcels[k];
            if (p->receives != receives || p->count == 0)
                continue;
            if (receives)
                MPI_Irecv(p->data, p->count, MPI_DOUBLE, p->rank, TAG_TRADE, comm_of(ranks),
                          &requests[begun++]);
            else
                MPI_Isend(p->data, p->count, MPI_DOUBLE, p->rank, TAG_TRADE, comm_of(ranks),
                          &requests[begun++]);
        }
    MPI_Waitall(begun, requests, MPI_STATUSES_IGNORE);
}

static size_t pieces(size_t bytes) {
    return (bytes + PIECE - 1) / PIECE;
}

/* Adds a persistent request for each piece of one buffer. */
static void add_requests(mpi_exchange *exchange, const rlt_ranks *ranks, int other, char *data, size_t bytes,
                         int receive) {
    for (size_t at = 0; at < bytes; at += PIECE) {
        int size = (int)(bytes - at < PIECE ? bytes - at : PIECE);
        MPI_Request *request = &exchange->requests[exchange->count++];
        if (receive)
            MPI_Recv_init(data + at, size, MPI_BYTE, other, TAG_EXCHANGE, comm_of(ranks), request);
        else
            MPI_Send_init(data + at, size, MPI_BYTE, other, TAG_EXCHANGE, comm_of(ranks), request);
    }
}

static rlti_exchange *exchange_create(rlt_ranks *ranks, const rlti_neighbour *neighbours, int count) {
    size_t requests = 0;
    for (int i = 0; i < count; i++)
        requests += pieces(neighbours[i].send_bytes) + pieces(neighbours[i].receive_bytes);
    mpi_exchange *exchange = RLTI_NEW(mpi_exchange, 1);
    if (exchange == NULL)
        return NULL;
    exchange->base.verbs = ranks->verbs;
    exchange->requests = RLTI_NEW(MPI_Request, requests);
    if (exchange->requests == NULL) {
        rlti_free(exchange);
        return NULL;
    }
    /* receives first: a message that finds its place ready is not copied */
    for (int i = 0; i < count; i++)
        add_requests(exchange, ranks, neighbours[i].rank, neighbours[i].receive, neighbours[i].receive_bytes,
                     1);
    for (int i = 0; i < count; i++)
        add_requests(exchange, ranks, neighbours[i].rank, neighbours[i].send, neighbours[i].send_bytes, 0);
    return &exchange->base;
}

static void exchange_destroy(rlti_exchange *exchange) {
    mpi_exchange *own = (mpi_exchange *)exchange;
    for (int i = 0; i < own->count; i++)
        MPI_Request_free(&own->requests[i]);
    RLTI_FREE(own->requests, own);
}

static void exchange_begin(rlti_exchange *exchange) {
    mpi_exchange *own = (mpi_exchange *)exchange;
    if (own->count > 0)
        MPI_Startall(own->count, own->requests);
}

static void exchange_finish(rlti_exchange *exchange) {
    mpi_exchange *own = (mpi_exchange *)exchange;
    if (own->count > 0)
        MPI_Waitall(own->count, own->requests, MPI_STATUSES_IGNORE);
}

static double ping(rlt_ranks *ranks, size_t bytes, int repeats) {
    int half = ranks->count / 2;
    int size = (int)(bytes < PIECE ? bytes : PIECE);
    char *buffer = RLTI_NEW(char, size);
    double worst[2] = {buffer == NULL, 0.0};
    rlti_ranks_max(ranks, worst, 1);
    if (worst[0] == 0.0 && ranks->rank < 2 * half) {
        int first = ranks->rank < half, other = first ? ranks->rank + half : ranks->rank - half;
        double best = 0.0;
        for (int i = 0; i < repeats; i++) {
            double start = MPI_Wtime();
            if (first)
                MPI_Send(buffer, size, MPI_BYTE, other, TAG_PING, comm_of(ranks));
            MPI_Recv(buffer, size, MPI_BYTE, other, TAG_PING, comm_of(ranks), MPI_STATUS_IGNORE);
            if (!first)
                MPI_Send(buffer, size, MPI_BYTE, other, TAG_PING, comm_of(ranks));
            double seconds = 0.5 * (MPI_Wtime() - start);
            if (i == 0 || seconds < best)
                best = seconds;
        }
        /* the second of a pair also waits for the first to begin: only the first's clock counts */
        worst[1] = first ? best : 0.0;
    }
    rlti_ranks_max(ranks, worst + 1, 1);
    rlti_free(buffer);
    return worst[1];
}

static const rlti_rank_verbs verbs = {
    .finish = finish_ranks,
    .abort = abort_ranks,
    .agree = agree,
    .collect = collect,
    .gather = gather,
    .share = share,
    .broadcast = broadcast,
    .all = gather_all,
    .trade = trade,
    .exchange_create = exchange_create,
    .exchange_destroy = exchange_destroy,
    .exchange_begin = exchange_begin,
    .exchange_finish = exchange_finish,
    .ping = ping,
};

rlt_status rlt_ranks_start(rlt_messages *messages, rlt_ranks **ranks) {
    *ranks = NULL;
    int running = 0, owns_mpi = 0;
    MPI_Initialized(&running);
    rlti_launcher launcher = rlti_launcher_find();
    if (!launcher.found && !running)
        return RLT_OK;
    rlt_status status = start_mpi(&launcher, &owns_mpi, messages);
    if (status != RLT_OK)
        return status;

    mpi_ranks *made = RLTI_NEW(mpi_ranks, 1);
    int count = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    double *values = RLTI_NEW(double, (size_t)count *RLTI_COLLECT_MAX);
    int *sizes = RLTI_NEW(int, 2 * (size_t)count);
    MPI_Request *requests = RLTI_NEW(MPI_Request, 2 * (size_t)count);
    if (made == NULL || values == NULL || sizes == NULL || requests == NULL) {
        /* the others wait for us in MPI_Comm_dup and cannot be reached otherwise */
        RLTI_FREE(made, values, sizes, requests);
        if (count > 1)
            MPI_Abort(MPI_COMM_WORLD, RLT_FAILED);
        if (owns_mpi)
            MPI_Finalize();
        return rlti_out_of_memory(messages);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &made->comm);
    MPI_Comm_set_errhandler(made->comm, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_rank(made->comm, &made->base.rank);
    made->base.verbs = &verbs;
    made->base.count = count;
    made->owns_mpi = owns_mpi;
    made->values = values;
    made->sizes = sizes;
    made->requests = requests;
    *ranks = &made->base;
    return RLT_OK;
}
