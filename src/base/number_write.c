#include "base/number.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 62 million floats go into a 232-frame file of 44,552 points, so the printing decides the writer's speed.
 * The method is R. Giulietti's "The Schubfach way to render doubles" (2020), in its form for floats: the
 * interval of reals that round to the value is scaled by a power of ten so that it holds at least one integer
 * and at most ten, and the integer (or the multiple of ten) inside it is the shortest decimal. */

#define POWER_MIN (-31)
#define POWER_MAX 45

/* floor(10^e 2^(63 - floor(log2 10^e))) + 1 for e = POWER_MIN .. POWER_MAX */
static const uint64_t powers_of_ten[POWER_MAX - POWER_MIN + 1] = {
    0x81ceb32c4b43fcf5, 0xa2425ff75e14fc32, 0xcad2f7f5359a3b3f, 0xfd87b5f28300ca0e, 0x9e74d1b791e07e49,
    0xc612062576589ddb, 0xf79687aed3eec552, 0x9abe14cd44753b53, 0xc16d9a0095928a28, 0xf1c90080baf72cb2,
    0x971da05074da7bef, 0xbce5086492111aeb, 0xec1e4a7db69561a6, 0x9392ee8e921d5d08, 0xb877aa3236a4b44a,
    0xe69594bec44de15c, 0x901d7cf73ab0acda, 0xb424dc35095cd810, 0xe12e13424bb40e14, 0x8cbccc096f5088cc,
    0xafebff0bcb24aaff, 0xdbe6fecebdedd5bf, 0x89705f4136b4a598, 0xabcc77118461cefd, 0xd6bf94d5e57a42bd,
    0x8637bd05af6c69b6, 0xa7c5ac471b478424, 0xd1b71758e219652c, 0x83126e978d4fdf3c, 0xa3d70a3d70a3d70b,
    0xcccccccccccccccd, 0x8000000000000001, 0xa000000000000001, 0xc800000000000001, 0xfa00000000000001,
    0x9c40000000000001, 0xc350000000000001, 0xf424000000000001, 0x9896800000000001, 0xbebc200000000001,
    0xee6b280000000001, 0x9502f90000000001, 0xba43b74000000001, 0xe8d4a51000000001, 0x9184e72a00000001,
    0xb5e620f480000001, 0xe35fa931a0000001, 0x8e1bc9bf04000001, 0xb1a2bc2ec5000001, 0xde0b6b3a76400001,
    0x8ac7230489e80001, 0xad78ebc5ac620001, 0xd8d726b7177a8001, 0x878678326eac9001, 0xa968163f0a57b401,
    0xd3c21bcecceda101, 0x84595161401484a1, 0xa56fa5b99019a5c9, 0xcecb8f27f4200f3b, 0x813f3978f8940985,
    0xa18f07d736b90be6, 0xc9f2c9cd04674edf, 0xfc6f7c4045812297, 0x9dc5ada82b70b59e, 0xc5371912364ce306,
    0xf684df56c3e01bc7, 0x9a130b963a6c115d, 0xc097ce7bc90715b4, 0xf0bdc21abb48db21, 0x96769950b50d88f5,
    0xbc143fa4e250eb32, 0xeb194f8e1ae525fe, 0x92efd1b8d0cf37bf, 0xb7abc627050305ae, 0xe596b7b0c643c71a,
    0x8f7e32ce7bea5c70, 0xb35dbf821ae4f38c,
};

static int floor_log2_power_of_ten(int e) {
    return (e * 1741647) >> 19;
}

/* floor(power * factor / 2^64), with the last bit set when something was cut off ("rounding to odd"), which
 * keeps comparisons with the interval's ends right. */
static uint32_t multiply_to_odd(uint64_t power, uint32_t factor) {
    uint64_t low = (power & 0xffffffffu) * factor;
    uint64_t high = (power >> 32) * factor + (low >> 32);
    return (uint32_t)(high >> 32) | ((uint32_t)high > 1u);
}

/* value = digits 10^exponent for the float of this significand and binary exponent (significand > 0). */
static uint32_t shortest_decimal(uint32_t significand, int binary_exponent, int lower_is_closer,
                                 int *exponent) {
    /* k = floor(log10 of the interval's width): of 2^q, or of 3/4 2^q below a power of two */
    int k = (binary_exponent * 1262611 - (lower_is_closer ? 524031 : 0)) >> 22;
    int shift = binary_exponent + floor_log2_power_of_ten(-k) + 1;
    uint64_t power = powers_of_ten[-k - POWER_MIN];
    uint32_t middle = 4 * significand;
    uint32_t below = multiply_to_odd(power, (middle - 2 + (lower_is_closer ? 1 : 0)) << shift);
    uint32_t scaled = multiply_to_odd(power, middle << shift);
    uint32_t above = multiply_to_odd(power, (middle + 2) << shift);

    /* an odd significand does not win ties, so the ends are outside */
    uint32_t odd = significand & 1;
    below += odd;
    above -= odd;

    uint32_t s = scaled / 4;
    if (s >= 10) {
        uint32_t tens = s / 10;
        int down = below <= 40 * tens;
        int up = 40 * tens + 40 <= above;
        if (down != up) {
            *exponent = k + 1;
            return tens + (uint32_t)up;
        }
    }
    *exponent = k;
    int down = below <= 4 * s;
    int up = 4 * s + 4 <= above;
    if (down != up)
        return s + (uint32_t)up;
    uint32_t half = 4 * s + 2;
    return s + (scaled > half || (scaled == half && (s & 1)));
}

/* Places `count` digits with the decimal point after `point` of them; 1e-4 and 1e9 bound the plain form. */
static int place_digits(const char *digits, int count, int point, char *text) {
    char *out = text;
    if (point > 9 || point < -3) {
        *out++ = digits[0];
        if (count > 1) {
            *out++ = '.';
            memcpy(out, digits + 1, (size_t)(count - 1));
            out += count - 1;
        }
        *out++ = 'e';
        return (int)(out - text) + rlti_format_int(point - 1, out);
    }
    if (point <= 0) {
        *out++ = '0';
        *out++ = '.';
        for (int i = point; i < 0; i++)
            *out++ = '0';
        memcpy(out, digits, (size_t)count);
        return (int)(out - text) + count;
    }
    for (int i = 0; i < point; i++)
        *out++ = i < count ? digits[i] : '0';
    if (count > point) {
        *out++ = '.';
        memcpy(out, digits + point, (size_t)(count - point));
        out += count - point;
    }
    return (int)(out - text);
}

static int copy_text(const char *from, char *text) {
    size_t length = strlen(from);
    memcpy(text, from, length);
    return (int)length;
}

int rlti_format_float(float value, char *text) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t fraction = bits & 0x7fffffu;
    int biased = (int)(bits >> 23) & 0xff;
    if (biased == 0xff)
        return copy_text(fraction != 0 ? "nan" : ((bits >> 31) ? "-inf" : "inf"), text);
    char *out = text;
    if (bits >> 31)
        *out++ = '-';
    if ((bits & 0x7fffffffu) == 0) {
        *out++ = '0';
        return (int)(out - text);
    }
    uint32_t significand = biased == 0 ? fraction : fraction | 0x800000u;
    int binary_exponent = (biased == 0 ? 1 : biased) - 150;
    int exponent;
    uint32_t number = shortest_decimal(significand, binary_exponent, fraction == 0 && biased > 1, &exponent);

    char digits[10] = {0};
    int start = 10;
    while (number != 0) {
        digits[--start] = (char)('0' + number % 10);
        number /= 10;
    }
    int point = 10 - start + exponent;
    int end = 10;
    while (digits[end - 1] == '0')
        end--;
    return (int)(out - text) + place_digits(digits + start, end - start, point, out);
}

int rlti_format_int(int value, char *text) {
    unsigned rest = value < 0 ? 0u - (unsigned)value : (unsigned)value;
    char digits[RLTI_INT_TEXT];
    int start = RLTI_INT_TEXT;
    do {
        digits[--start] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest != 0);
    if (value < 0)
        digits[--start] = '-';
    memcpy(text, digits + start, (size_t)(RLTI_INT_TEXT - start));
    return RLTI_INT_TEXT - start;
}

int rlti_format_double(double value, char *text) {
    if (!isfinite(value))
        return rlti_format_float((float)value, text);
    char buffer[64];
    int precision = 15;
    do {
        snprintf(buffer, sizeof buffer, "%.*g", precision, value);
    } while (strtod(buffer, NULL) != value && ++precision <= 17);

    /* whatever the locale puts between the digits is the decimal point */
    int length = 0;
    int in_point = 0;
    for (const char *c = buffer; *c != '\0'; c++) {
        int number = (*c >= '0' && *c <= '9') || *c == '-' || *c == '+' || *c == 'e';
        if (number)
            text[length++] = *c;
        else if (!in_point)
            text[length++] = '.';
        in_point = !number;
    }
    return length;
}
