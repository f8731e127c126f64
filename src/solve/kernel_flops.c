#include "solve/kernel.h"

/* Counted, not estimated: add, subtract, multiply, divide, square root, minimum and maximum instructions
 * executed by the reference build on one strand of 1,001 points, under an instruction-counting emulator
 * (callgrind), divided by the edges. Forces 264 and 204, positions 38. */
double rlti_kernel_force_flops(int core) {
    return core ? 302.0 : 242.0;
}

double rlti_kernel_damping_flops(int core) {
    return core ? 71.0 : 35.0;
}
