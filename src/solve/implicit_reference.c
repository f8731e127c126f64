/* One strand at a time: the plain reference for tests and benchmarks. */
#define RLTI_LANES_REFERENCE
#define RLTI_IMPLICIT_NAME rlti_implicit_reference
#define RLTI_IMPLICIT_SIMD RLT_SIMD_REFERENCE
#include "solve/implicit_builds.h"
#include "solve/implicit_body.h"
