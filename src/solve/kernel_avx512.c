/* Sixteen strands per register; needs AVX-512 F, DQ and VL. */
#define RLTI_LANES_AVX512
#define RLTI_KERNEL_NAME rlti_kernel_avx512
#define RLTI_KERNEL_SIMD RLT_SIMD_AVX512
#include "solve/kernel_builds.h"
#include "solve/kernel_body.h"
