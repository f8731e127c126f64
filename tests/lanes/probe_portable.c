#define RLTI_LANES_PORTABLE
#define PROBE      probe_portable
#define PROBE_NAME "portable"
#define PROBE_SIMD RLT_SIMD_PORTABLE
#include "lanes/probes.h"
#include "lanes/probe_body.h"
