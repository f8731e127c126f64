/* Was this process started by an MPI launcher? Found out from the environment, since MPI itself may be asked
 * only after MPI_Init, which costs plain runs time and is not there without MPI. */
#ifndef RLTI_MPI_LAUNCHER_H
#define RLTI_MPI_LAUNCHER_H

typedef struct rlti_launcher {
    int found; /* 1: started by mpirun, mpiexec, srun --mpi=... */
    int rank;  /* as the launcher says; -1 when it does not */
    int count; /* processes it started; -1 when it does not say */
} rlti_launcher;

rlti_launcher rlti_launcher_find(void);

#endif
