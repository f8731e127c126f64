/* Two strands in doubles; any machine, the same bits. */
#define RLTI_LANES_PORTABLE
#define RLTI_LANES_DOUBLE
#define RLTI_IMPLICIT_NAME rlti_implicit_portable
#define RLTI_IMPLICIT_SIMD RLT_SIMD_PORTABLE
#include "solve/implicit_builds.h"
#include "solve/implicit_body.h"
