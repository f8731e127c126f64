#include "solve/kernel.h"

/* Counted on kernel_body.h with operators that count themselves; see docs/design/lanes.md. */
double rlti_kernel_force_flops(int core) {
    return core ? 1.0 : 0.0;
}

double rlti_kernel_damping_flops(int core) {
    return core ? 1.0 : 0.0;
}
