/* Eight pairs; needs AVX2 and FMA. */
#define RLTI_LANES_AVX2
#define RLTI_EDGE_SIEVE_NAME rlti_edge_sieve_avx2
#include "contact/edge/sift_body.h"
