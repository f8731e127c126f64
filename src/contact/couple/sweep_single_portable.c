/* Four items, in single precision, on any machine. */
#define RLTI_LANES_PORTABLE
#define RLTI_COUPLE_SINGLE
#define RLTI_COUPLE_KERNEL_NAME rlti_couple_kernel_single_portable
#include "contact/couple/sweep_body.h"
