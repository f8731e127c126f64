#define _GNU_SOURCE /* strtod_l, newlocale */
#include "base/number.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static size_t digits(const char *text) {
    return strspn(text, "0123456789");
}

/* Length of the decimal number at the start of the text, 0 when there is none. */
static size_t number_length(const char *text) {
    const char *p = text;
    if (*p == '+' || *p == '-')
        p++;
    size_t whole = digits(p);
    p += whole;
    size_t fraction = 0;
    if (*p == '.') {
        fraction = digits(p + 1);
        p += 1 + fraction;
    }
    if (whole + fraction == 0)
        return 0;
    if (*p == 'e' || *p == 'E') {
        const char *exponent = p + 1;
        if (*exponent == '+' || *exponent == '-')
            exponent++;
        if (digits(exponent) == 0)
            return 0;
        p = exponent + digits(exponent);
    }
    return (size_t)(p - text);
}

static int is_not_finite_word(const char *text) {
    static const char *const words[] = {".inf", "inf", "infinity", ".nan", "nan"};
    if (*text == '+' || *text == '-')
        text++;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcasecmp(text, words[i]) == 0)
            return 1;
    return 0;
}

rlti_number_kind rlti_number_parse(const char *text, size_t length, double *value) {
    if (strlen(text) != length || length == 0)
        return RLTI_NUMBER_NONE;
    if (number_length(text) != length)
        return is_not_finite_word(text) ? RLTI_NUMBER_NOT_FINITE : RLTI_NUMBER_NONE;
    /* strtod rounds correctly but follows the locale's decimal point, hence the locale given by hand */
    locale_t locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (locale == (locale_t)0)
        return RLTI_NUMBER_NO_MEMORY;
    *value = strtod_l(text, NULL, locale);
    freelocale(locale);
    return isfinite(*value) ? RLTI_NUMBER_FINITE : RLTI_NUMBER_NOT_FINITE;
}

static void format(double value, int digits, char *text, size_t size) {
    char raw[64];
    snprintf(raw, sizeof raw, "%.*g", digits, value);
    /* whatever the locale uses as decimal point, possibly several bytes, becomes one '.' */
    size_t out = 0;
    int in_point = 0;
    for (const char *p = raw; *p != '\0' && out + 1 < size; p++) {
        int plain = strchr("0123456789+-einfa", *p) != NULL;
        if (plain)
            text[out++] = *p;
        else if (!in_point)
            text[out++] = '.';
        in_point = !plain;
    }
    if (size > 0)
        text[out] = '\0';
}

void rlti_number_format(double value, char *text, size_t size) {
    format(value, 12, text, size);
}

void rlti_number_short(double value, char *text, size_t size) {
    format(value, 3, text, size);
}
