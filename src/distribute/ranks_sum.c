/* A verb that callers of the library need as well; the same for both twins. */
#include "distribute/ranks.h"

void rlt_ranks_sum(rlt_ranks *ranks, double *values, int count) {
    rlti_ranks_sum(ranks, values, count);
}
