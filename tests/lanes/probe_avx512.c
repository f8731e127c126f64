#define RLTI_LANES_AVX512
#define PROBE        probe_avx512
#define PROBE_NAME   "avx512"
#define PROBE_SIMD   RLT_SIMD_AVX512
#define PROBE_FAMILY PROBE_FLOATS
#include "probes.h"
#include "probe_body.h"
