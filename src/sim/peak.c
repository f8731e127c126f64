#include "base/clock.h"
#include "solve/kernel.h"

double rlt_peak_gflops(rlt_simd simd, double seconds) {
    const rlti_kernel *kernel = rlti_kernel_select(simd);
    if (kernel == NULL)
        return 0.0;
    /* the best of many short spins: other work on the machine only ever makes one slower */
    double best = 0.0, sink = 0.0, end = rlti_seconds(CLOCK_MONOTONIC) + seconds;
    do {
        double start = rlti_seconds(CLOCK_MONOTONIC), operations = kernel->spin(200000, &sink),
               rate = operations / (rlti_seconds(CLOCK_MONOTONIC) - start);
        best = rate > best ? rate : best;
    } while (rlti_seconds(CLOCK_MONOTONIC) < end && sink == sink);
    return 1e-9 * best;
}
