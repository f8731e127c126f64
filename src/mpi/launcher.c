#include "mpi/launcher.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>

/* The value of an environment variable, -1 where it is not set or not a number. */
static int read_count(const char *name) {
    const char *text = name != NULL ? getenv(name) : NULL;
    if (text == NULL)
        return -1;
    char *end = NULL;
    long value = strtol(text, &end, 10);
    return end != text && *end == '\0' && value >= 0 && value <= INT_MAX ? (int)value : -1;
}

rlti_launcher rlti_launcher_find(void) {
    /* PMIx gives no count; Slurm, which uses it, does. Slurm's own variables are no sign by themselves: in a
     * batch script every process has them. */
    static const struct {
        const char *rank, *count;
    } names[] = {
        {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, /* Open MPI */
        {"PMI_RANK", "PMI_SIZE"},                         /* MPICH, Intel MPI */
        {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},   /* MVAPICH2 */
        {"PMIX_RANK", "SLURM_NTASKS"},
    };
    rlti_launcher launcher = {.found = 0, .rank = -1, .count = -1};
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !launcher.found; i++) {
        launcher.rank = read_count(names[i].rank);
        launcher.count = read_count(names[i].count);
        launcher.found = launcher.rank >= 0;
    }
    return launcher;
}
