/* The builds of the step kernel that exist. */
#ifndef RLTI_SOLVE_KERNEL_BUILDS_H
#define RLTI_SOLVE_KERNEL_BUILDS_H

#include "solve/kernel.h"

extern const rlti_kernel rlti_kernel_avx512;
extern const rlti_kernel rlti_kernel_avx2;
extern const rlti_kernel rlti_kernel_portable;
extern const rlti_kernel rlti_kernel_reference;

#endif
