/* Four pairs; needs AVX2 and FMA. */
#define RLTI_LANES_AVX2
#define RLTI_EDGE_KERNEL_NAME rlti_edge_kernel_avx2
#include "contact/edge/kernel_pairs_body.h"
