/* Sixteen pairs; needs AVX-512 F, DQ and VL. */
#define RLTI_LANES_AVX512
#define RLTI_EDGE_SIEVE_NAME rlti_edge_sieve_avx512
#include "contact/edge/sift_body.h"
