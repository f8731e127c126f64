/* Sixteen items, in single precision; needs AVX-512 F, DQ and VL. */
#define RLTI_LANES_AVX512
#define RLTI_COUPLE_SINGLE
#define RLTI_COUPLE_KERNEL_NAME rlti_couple_kernel_single_avx512
#include "contact/couple/sweep_body.h"
