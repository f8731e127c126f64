/* Values of a .usda text, read when asked for. */
#ifndef RLTI_FORMATS_USD_USDA_VALUES_H
#define RLTI_FORMATS_USD_USDA_VALUES_H

#include "formats/tree/array.h"
#include "formats/usd/usda_text.h"

/* The value at the cursor, which must be of this type; blocked for None. An unknown type (arity 0) gives one
 * text: the value as it stands in the file. */
int rlti_usda_value(rlti_usda_cursor *c, rlti_array_type type, rlti_array *to);

#endif
