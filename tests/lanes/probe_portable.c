#define RLTI_LANES_PORTABLE
#define PROBE        probe_portable
#define PROBE_NAME   "portable"
#define PROBE_SIMD   RLT_SIMD_PORTABLE
#define PROBE_FAMILY PROBE_FLOATS
#include "probes.h"
#include "probe_body.h"
