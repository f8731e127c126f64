/* The twin of ranks_mpi.c for builds without MPI: one rank, and no handle is ever made. */
#include "base/messages.h"
#include "mpi/launcher.h"
#include "ringlet/ranks.h"

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
        rlti_message(messages, RLT_ERROR,
                     "MPI: the launcher started more than one process, but this Ringlet was built without "
                     "MPI: every process would do the whole work; start it without mpirun");
    return RLT_BAD_INPUT;
}
