#include "solve/kernel.h"

/* Counted, not estimated: add, subtract, multiply, divide, square root, minimum and maximum instructions
 * executed by the reference build on one strand of 1,001 points, under an instruction-counting emulator
 * (callgrind), divided by the edges. Forces 379 with core springs and 315 without, positions 38. */
double rlti_kernel_force_flops(int core) {
    return core ? 417.0 : 353.0;
}

double rlti_kernel_damping_flops(int core) {
    return core ? 70.0 : 35.0;
}
