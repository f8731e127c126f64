/* Eight items, in single precision; needs AVX2 and FMA. */
#define RLTI_LANES_AVX2
#define RLTI_COUPLE_SINGLE
#define RLTI_COUPLE_KERNEL_NAME rlti_couple_kernel_single_avx2
#include "contact/couple/sweep_body.h"
