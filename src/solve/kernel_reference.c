/* One strand at a time in double precision: the reference for tests and benchmarks. */
#define RLTI_LANES_REFERENCE
#define RLTI_KERNEL_NAME rlti_kernel_reference
#define RLTI_KERNEL_SIMD RLT_SIMD_REFERENCE
#include "solve/kernel_builds.h"
#include "solve/kernel_body.h"
