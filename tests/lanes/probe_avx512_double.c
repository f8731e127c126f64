#define RLTI_LANES_AVX512
#define RLTI_LANES_DOUBLE
#define PROBE        probe_avx512_double
#define PROBE_NAME   "avx512-double"
#define PROBE_SIMD   RLT_SIMD_AVX512
#define PROBE_FAMILY PROBE_DOUBLES
#include "probes.h"
#include "probe_body.h"
