/* Four pairs, any machine. */
#define RLTI_LANES_PORTABLE
#define RLTI_EDGE_SIEVE_NAME rlti_edge_sieve_portable
#include "contact/edge/sift_body.h"
