/* Eight items; needs AVX-512 F, DQ and VL. */
#define RLTI_LANES_AVX512
#define RLTI_COUPLE_KERNEL_NAME rlti_couple_kernel_avx512
#include "contact/couple/sweep_body.h"
