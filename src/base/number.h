/* Numbers as text, the same in every locale. */
#ifndef RLTI_BASE_NUMBER_H
#define RLTI_BASE_NUMBER_H

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

/* For large files: the decimal number, "inf" or "nan" (with a sign or without) that `text` starts with,
 * correctly rounded; too large is infinite. Returns where it ends, NULL where there is none before `end`. */
const char *rlti_scan_double(const char *text, const char *end, double *value);
const char *rlti_scan_float(const char *text, const char *end, float *value);

/* Writes a number with at most 12 digits and a terminating zero, for messages. */
void rlti_number_format(double value, char *text, size_t size);

/* The same with three digits, which are enough for a report. */
void rlti_number_short(double value, char *text, size_t size);

#define RLTI_FLOAT_TEXT  16 /* longest is "-1.17549435e-38" */
#define RLTI_INT_TEXT    12
#define RLTI_DOUBLE_TEXT 32

/* For files. Each writes without a terminating zero and returns the number of characters. */

/* The shortest decimal that reads back as exactly this float, at most 9 digits. Not finite: "inf", "-inf",
 * "nan". */
int rlti_format_float(float value, char *text);
int rlti_format_int(int value, char *text);

/* 15 digits where they read back as this double, else 16 or 17. Slow: for the few numbers of a header. */
int rlti_format_double(double value, char *text);

#endif
