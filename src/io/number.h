/* Numbers as text, the same in every locale. */
#ifndef RLTI_IO_NUMBER_H
#define RLTI_IO_NUMBER_H

#define RLTI_FLOAT_TEXT  16 /* longest is "-1.17549435e-38" */
#define RLTI_INT_TEXT    12
#define RLTI_DOUBLE_TEXT 32

/* Each writes without a terminating zero and returns the number of characters. */

/* The shortest decimal that reads back as exactly this float, at most 9 digits. Not finite: "inf", "-inf",
 * "nan". */
int rlti_format_float(float value, char *text);
int rlti_format_int(int value, char *text);

/* 15 digits where they read back as this double, else 16 or 17. Slow: for the few numbers of a header. */
int rlti_format_double(double value, char *text);

#endif
