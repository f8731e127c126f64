/* Lumped masses in single precision: half of the memory that sweeps read, twice the items of a batch. */
#define RLTI_COUPLE_SINGLE
#define RLTI_COUPLE_FORM_NAME rlti_couple_form_single
#include "contact/couple/couple_lumped_body.h"
