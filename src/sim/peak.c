#include <time.h>

#include "solve/kernel.h"

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double rlt_peak_gflops(rlt_simd simd, double seconds) {
    const rlti_kernel *kernel = rlti_kernel_select(simd);
    if (kernel == NULL)
        return 0.0;
    /* the best of many short spins: other work on the machine only ever makes one slower */
    double best = 0.0, sink = 0.0, end = now() + seconds;
    do {
        double start = now(), operations = kernel->spin(200000, &sink), rate = operations / (now() - start);
        best = rate > best ? rate : best;
    } while (now() < end && sink == sink);
    return 1e-9 * best;
}
