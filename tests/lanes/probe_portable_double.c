#define RLTI_LANES_PORTABLE
#define RLTI_LANES_DOUBLE
#define PROBE        probe_portable_double
#define PROBE_NAME   "portable-double"
#define PROBE_SIMD   RLT_SIMD_PORTABLE
#define PROBE_FAMILY PROBE_DOUBLES
#include "probes.h"
#include "probe_body.h"
