/* Two pairs, any machine: slow, the same bits. */
#define RLTI_LANES_PORTABLE
#define RLTI_EDGE_KERNEL_NAME rlti_edge_kernel_portable
#include "contact/edge/kernel_pairs_body.h"
