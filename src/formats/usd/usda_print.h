/* Values as .usda text. */
#ifndef RLTI_FORMATS_USD_USDA_PRINT_H
#define RLTI_FORMATS_USD_USDA_PRINT_H

#include "formats/tree/array.h"
#include "io/output.h"

void rlti_usda_print_value(rlti_stream *stream, const rlti_array *value); /* None where it is blocked */
/* The elements alone, with commas between them and, unless they are the first, before them. */
void rlti_usda_print_elements(rlti_stream *stream, const rlti_array *value, int is_first);
void rlti_usda_print_double(rlti_stream *stream, double value);
void rlti_usda_print_quoted(rlti_stream *stream, const char *text);
void rlti_usda_print_asset(rlti_stream *stream, const char *file);

#endif
