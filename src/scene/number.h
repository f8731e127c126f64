/* Numbers as text, the same in every locale. */
#ifndef RLTI_SCENE_NUMBER_H
#define RLTI_SCENE_NUMBER_H

#include <stddef.h>

typedef enum rlti_number_kind {
    RLTI_NUMBER_NONE,       /* the text is not a number */
    RLTI_NUMBER_FINITE,     /* a number, now in *value */
    RLTI_NUMBER_NOT_FINITE, /* NaN, infinity, or too large for a double */
    RLTI_NUMBER_NO_MEMORY
} rlti_number_kind;

/* Reads a decimal number: sign, digits, point, exponent; nothing before or after it. `text` ends in a zero
 * byte after `length` bytes. */
rlti_number_kind rlti_number_parse(const char *text, size_t length, double *value);

/* Writes a number with at most 12 digits, for messages. */
void rlti_number_format(double value, char *text, size_t size);

#endif
