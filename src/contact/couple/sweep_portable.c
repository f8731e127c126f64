/* Two items, any machine: slow, the same bits. */
#define RLTI_LANES_PORTABLE
#define RLTI_COUPLE_KERNEL_NAME rlti_couple_kernel_portable
#include "contact/couple/sweep_body.h"
