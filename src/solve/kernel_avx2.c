/* Eight strands per register; needs AVX2 and FMA. */
#define RLTI_LANES_AVX2
#define RLTI_KERNEL_NAME rlti_kernel_avx2
#define RLTI_KERNEL_SIMD RLT_SIMD_AVX2
#include "solve/kernel_builds.h"
#include "solve/kernel_body.h"
