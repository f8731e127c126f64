#define RLTI_LANES_AVX2
#define RLTI_LANES_DOUBLE
#define PROBE        probe_avx2_double
#define PROBE_NAME   "avx2-double"
#define PROBE_SIMD   RLT_SIMD_AVX2
#define PROBE_FAMILY PROBE_DOUBLES
#include "probes.h"
#include "probe_body.h"
