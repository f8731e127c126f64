/* Lumped masses in double precision. */
#define RLTI_COUPLE_FORM_NAME rlti_couple_form_double
#include "contact/couple/couple_lumped_body.h"
