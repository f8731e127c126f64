#define RLTI_LANES_AVX2
#define PROBE        probe_avx2
#define PROBE_NAME   "avx2"
#define PROBE_SIMD   RLT_SIMD_AVX2
#define PROBE_FAMILY PROBE_FLOATS
#include "probes.h"
#include "probe_body.h"
