/* Builds of the sweeps by lumped masses: one source, an instruction set each, in double and in single
 * precision. All of one precision round alike. */
#ifndef RLTI_CONTACT_COUPLE_SWEEP_H
#define RLTI_CONTACT_COUPLE_SWEEP_H

#include <stdint.h>

#include "contact/couple/couple.h"

/* Items of a batch share no point: they are solved at once. */
enum { RLTI_COUPLE_BATCH = 8, RLTI_COUPLE_BATCH_SINGLE = 16 };

/* Contacts that have stuck again so often after slipping have the kinetic coefficient only. */
enum { RLTI_COUPLE_AGAIN = 4 };

#define RLTI_COUPLE_REAL       double
#define RLTI_COUPLE_LANES      RLTI_COUPLE_BATCH
#define RLTI_COUPLE_OF(name)   name
#define RLTI_COUPLE_BUILD(set) rlti_couple_kernel_##set
#include "contact/couple/sweep_types_body.h"
#undef RLTI_COUPLE_REAL
#undef RLTI_COUPLE_LANES
#undef RLTI_COUPLE_OF
#undef RLTI_COUPLE_BUILD
#define RLTI_COUPLE_REAL       float
#define RLTI_COUPLE_LANES      RLTI_COUPLE_BATCH_SINGLE
#define RLTI_COUPLE_OF(name)   name##_single
#define RLTI_COUPLE_BUILD(set) rlti_couple_kernel_single_##set
#include "contact/couple/sweep_types_body.h"
#undef RLTI_COUPLE_REAL
#undef RLTI_COUPLE_LANES
#undef RLTI_COUPLE_OF
#undef RLTI_COUPLE_BUILD

#endif
