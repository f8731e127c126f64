/* Eight pairs; needs AVX-512 F, DQ and VL. */
#define RLTI_LANES_AVX512
#define RLTI_EDGE_KERNEL_NAME rlti_edge_kernel_avx512
#include "contact/edge/kernel_pairs_body.h"
