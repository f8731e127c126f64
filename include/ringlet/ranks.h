/* Ranks: the processes that share one simulation, on this machine or on many (MPI). Without MPI, or when the
 * program was not started by mpirun, there is one rank and everything works the same. The first two functions
 * are in the library ringlet-mpi, all others in the core: a process without ranks needs no MPI. */
#ifndef RINGLET_RANKS_H
#define RINGLET_RANKS_H

#include "ringlet/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rlt_ranks rlt_ranks;

/* 1 where ringlet-mpi was built with MPI. */
int rlt_ranks_available(void);

/* Joins the other ranks when the process was started by an MPI launcher; alone otherwise (*ranks is then
 * NULL, and MPI is not touched). Started by mpirun but built without MPI is an error: every process would do
 * the whole work. Where all ranks fail alike, only one has a message. Call once, before anything else. Where
 * the caller has started MPI itself, it stays running after rlt_ranks_finish. */
rlt_status rlt_ranks_start(rlt_messages *messages, rlt_ranks **ranks);

/* Leaves; waits for the others. */
void rlt_ranks_finish(rlt_ranks *ranks);

/* Ends all ranks at once with this exit code, for errors that the others cannot know of. Does not return
 * where there are others; alone it does nothing. */
void rlt_ranks_abort(rlt_ranks *ranks, int exit_code);

/* 0 .. count - 1; NULL is alone: rank 0 of 1. */
int rlt_ranks_rank(const rlt_ranks *ranks);
int rlt_ranks_count(const rlt_ranks *ranks);

/* Collective: every rank gives its own status and messages; all get the first failing rank's status, and rank
 * 0 gets its messages (the other ranks' are dropped), so that one message is shown. Rank 0 keeps what it had
 * and does not get the same text twice. Where all are well nothing changes. */
rlt_status rlt_ranks_agree(rlt_ranks *ranks, rlt_status status, rlt_messages *messages);

/* Collective: element-wise sums over all ranks, in place, for what each measures by itself (such as the
 * seconds and bytes of rlt_statistics). Taken in the order of the ranks, so that they are the same on every
 * run. Alone it changes nothing. */
void rlt_ranks_sum(rlt_ranks *ranks, double *values, int count);

#ifdef __cplusplus
}
#endif

#endif
