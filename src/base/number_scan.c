/* Numbers out of large texts: most take the short path of W. D. Clinger, "How to read floating point numbers
 * accurately" (1990): digits that fit 53 bits, times or divided by a power of ten that is exact, round once
 * and so correctly. The rest goes through the C library, in the C locale. */
#define _GNU_SOURCE /* strtod_l, newlocale */
#include "base/number.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct decimal {
    uint64_t digits; /* the first 19 */
    int exponent;    /* value = digits 10^exponent */
    int is_negative;
    int is_cut; /* there were more digits */
    const char *end;
} decimal;

/* A double needs 767 digits at most; more than COUNT_MAX are no number, and the exponent cannot overflow. */
enum { EXPONENT_MAX = 100000, COUNT_MAX = 1000000, TEXT_MAX = 1200 };

static int is_digit(char c) {
    return c >= '0' && c <= '9';
}

static const char *scan_digits(const char *p, const char *end, int is_fraction, decimal *d, int *count) {
    for (; p < end && is_digit(*p) && *count < COUNT_MAX; p++, ++*count) {
        if (d->digits >= 1000000000000000000u) { /* 19 digits are there */
            d->is_cut |= *p != '0';
            d->exponent += is_fraction ? 0 : 1;
        } else {
            d->digits = 10 * d->digits + (uint64_t)(*p - '0');
            d->exponent -= is_fraction;
        }
    }
    return p;
}

static int scan_exponent(const char *p, const char *end, decimal *d) {
    int is_negative = p < end && *p == '-', value = 0;
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    if (p >= end || !is_digit(*p))
        return 0;
    for (; p < end && is_digit(*p); p++)
        value = value < EXPONENT_MAX ? 10 * value + (*p - '0') : value;
    d->exponent += is_negative ? -value : value;
    d->end = p;
    return 1;
}

/* Most numbers: up to 18 digits, a point among them or not. Returns 0, and nothing else, for all others. */
static int scan_short(const char *text, const char *end, decimal *d) {
    const char *p = text, *point = NULL;
    uint64_t digits = 0;
    int is_negative = p < end && *p == '-';
    p += is_negative;
    const char *start = p, *stop = end - p > 19 ? p + 19 : end;
    for (; p < stop; p++) {
        unsigned digit = (unsigned char)*p - (unsigned)'0';
        if (digit <= 9)
            digits = 10 * digits + digit;
        else if (*p == '.' && point == NULL)
            point = p;
        else
            break;
    }
    if (p == stop || p - start <= (point != NULL) || *p == 'e' || *p == 'E' || *p == '.')
        return 0;
    *d = (decimal){digits, point != NULL ? (int)(point + 1 - p) : 0, is_negative, 0, p};
    return 1;
}

/* Returns 0 where there is no number. */
static int scan_decimal(const char *text, const char *end, decimal *d) {
    const char *p = text;
    int count = 0;
    if (scan_short(text, end, d))
        return 1;
    *d = (decimal){0};
    if (p < end && (*p == '-' || *p == '+'))
        d->is_negative = *p++ == '-';
    p = scan_digits(p, end, 0, d, &count);
    if (p < end && *p == '.')
        p = scan_digits(p + 1, end, 1, d, &count);
    if (count == 0)
        return 0;
    d->end = p;
    return p >= end || (*p != 'e' && *p != 'E') || scan_exponent(p + 1, end, d);
}

static const char *scan_word(const char *text, const char *end, double *value) {
    const char *p = text;
    int is_negative = 0;
    if (p < end && (*p == '-' || *p == '+'))
        is_negative = *p++ == '-';
    if (end - p < 3)
        return NULL;
    double size;
    if (memcmp(p, "inf", 3) == 0)
        size = HUGE_VAL;
    else if (memcmp(p, "nan", 3) == 0)
        size = (double)NAN;
    else
        return NULL;
    *value = is_negative ? -size : size;
    return p + 3;
}

/* The digits fit a double, and the power of ten is one. */
static int is_simple(const decimal *d) {
    return !d->is_cut && d->digits <= (uint64_t)1 << 53 && d->exponent >= -22 && d->exponent <= 22;
}

static double simple_value(const decimal *d) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    double value = (double)d->digits;
    value = d->exponent < 0 ? value / powers[-d->exponent] : value * powers[d->exponent];
    return d->is_negative ? -value : value;
}

/* 1 where rounding this double to a float rounds as the number itself would: not half way between two
 * floats, and a normal float. */
static int rounds_once(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    double size = fabs(value);
    return size == 0.0 ||
           ((bits & 0x1fffffffu) != 0x10000000u && size >= (double)FLT_MIN && size < (double)FLT_MAX);
}

/* The long path; returns 0 where it fails (text of absurd length, no memory). */
static int convert(const char *text, const char *end, double *to_double, float *to_float) {
    char copy[TEXT_MAX + 1];
    size_t length = (size_t)(end - text);
    if (length > TEXT_MAX)
        return 0;
    memcpy(copy, text, length);
    copy[length] = '\0';
    locale_t locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (locale == (locale_t)0)
        return 0;
    if (to_double != NULL)
        *to_double = strtod_l(copy, NULL, locale);
    if (to_float != NULL)
        *to_float = strtof_l(copy, NULL, locale);
    freelocale(locale);
    return 1;
}

const char *rlti_scan_double(const char *text, const char *end, double *value) {
    decimal d;
    if (!scan_decimal(text, end, &d))
        return scan_word(text, end, value);
    if (is_simple(&d))
        *value = simple_value(&d);
    else if (!convert(text, d.end, value, NULL))
        return NULL;
    return d.end;
}

const char *rlti_scan_float(const char *text, const char *end, float *value) {
    decimal d;
    double wide;
    if (!scan_decimal(text, end, &d)) {
        const char *after = scan_word(text, end, &wide);
        if (after != NULL)
            *value = (float)wide;
        return after;
    }
    if (is_simple(&d)) {
        wide = simple_value(&d);
        if (rounds_once(wide)) {
            *value = (float)wide;
            return d.end;
        }
    }
    return convert(text, d.end, NULL, value) ? d.end : NULL;
}
