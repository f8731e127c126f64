/* Eight strands in doubles; needs AVX-512 F, DQ and VL. */
#define RLTI_LANES_AVX512
#define RLTI_LANES_DOUBLE
#define RLTI_IMPLICIT_NAME rlti_implicit_avx512
#define RLTI_IMPLICIT_SIMD RLT_SIMD_AVX512
#include "solve/implicit_builds.h"
#include "solve/implicit_body.h"
