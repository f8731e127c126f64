#define RLTI_LANES_REFERENCE
#define PROBE        probe_reference
#define PROBE_NAME   "reference"
#define PROBE_SIMD   RLT_SIMD_REFERENCE
#define PROBE_FAMILY PROBE_REFERENCE
#include "probes.h"
#include "probe_body.h"
