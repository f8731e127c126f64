/* Four strands in a plain vector; runs anywhere, slowly, and gives the same bits. */
#define RLTI_LANES_PORTABLE
#define RLTI_KERNEL_NAME rlti_kernel_portable
#define RLTI_KERNEL_SIMD RLT_SIMD_PORTABLE
#include "solve/kernel_builds.h"
#include "solve/kernel_body.h"
