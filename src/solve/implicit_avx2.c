/* Four strands in doubles; needs AVX2 and FMA. */
#define RLTI_LANES_AVX2
#define RLTI_LANES_DOUBLE
#define RLTI_IMPLICIT_NAME rlti_implicit_avx2
#define RLTI_IMPLICIT_SIMD RLT_SIMD_AVX2
#include "solve/implicit_builds.h"
#include "solve/implicit_body.h"
