/* Names of one precision: double, or single where RLTI_COUPLE_SINGLE is defined. Bodies include it once. */
#include "contact/couple/sweep.h"

#if defined(RLTI_COUPLE_SINGLE)
typedef float number;
typedef rlti_couple_row_single point_row;
typedef rlti_couple_lumps_single lumps;
typedef rlti_couple_springs_single springs;
typedef rlti_couple_carried_single carried_lumps;
typedef rlti_couple_carried_links_single carried_springs;
typedef rlti_couple_kernel_single kernel;
enum { BATCH = RLTI_COUPLE_BATCH_SINGLE };
#else
typedef double number;
typedef rlti_couple_row point_row;
typedef rlti_couple_lumps lumps;
typedef rlti_couple_springs springs;
typedef rlti_couple_carried carried_lumps;
typedef rlti_couple_carried_links carried_springs;
typedef rlti_couple_kernel kernel;
enum { BATCH = RLTI_COUPLE_BATCH };
#endif
