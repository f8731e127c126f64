/* Runs programs under mpirun, also as root and in a bare container, and keeps what they said. */
#ifndef MPI_FIXTURE_H
#define MPI_FIXTURE_H

#include <unistd.h>

#include "mpi_environment.h"
#include "program_fixture.h"
#include "ringlet/ranks.h"

/* Runs `mpirun -n RANKS COMMAND`, where the command is quoted for the shell; returns the exit code, fills
 * out_text and err_text. A job that hangs ends after two minutes with code 124. */
static inline int mpi_run(int ranks, const char *command) {
    char line[4096], out[64], err[64];
    snprintf(out, sizeof out, "mpi-%ld.out", (long)getpid());
    snprintf(err, sizeof err, "mpi-%ld.err", (long)getpid());
    int length =
        snprintf(line, sizeof line, MPI_ENVIRONMENT " timeout 600 mpirun -n %d %s%s > %s 2> %s < /dev/null",
                 ranks, command, strstr(command, " simulate ") ? " --force" : "", out, err);
    assert_true(length > 0 && length < (int)sizeof line);
    int code = system(line);
    assert_true(WIFEXITED(code));
    read_file(out, out_text);
    read_file(err, err_text);
    unlink(out);
    unlink(err);
    return WEXITSTATUS(code);
}

/* Skips the test, saying why, where no job can be run: built without MPI, no mpirun, or a machine without any
 * network interface. */
static inline void mpi_needed(void) {
    if (!rlt_ranks_available()) {
        print_message("built without MPI\n");
        skip();
    }
    if (system("command -v mpirun > /dev/null 2>&1") != 0) {
        print_message("there is no mpirun\n");
        skip();
    }
    static int tried = -1; /* a start takes half a second: once is enough */
    if (tried < 0)
        tried = mpi_run(2, "true");
    if (tried != 0) {
        print_message("mpirun cannot run here:\n%s", err_text);
        skip();
    }
}

#endif
