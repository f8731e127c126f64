#include "formats/tree/array.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"

size_t rlti_element_size(rlti_element element) {
    static const unsigned char sizes[RLTI_ELEMENT_COUNT] = {[RLTI_BOOL] = 1,
                                                            [RLTI_UINT8] = 1,
                                                            [RLTI_INT8] = 1,
                                                            [RLTI_UINT16] = 2,
                                                            [RLTI_INT16] = 2,
                                                            [RLTI_UINT32] = 4,
                                                            [RLTI_INT32] = 4,
                                                            [RLTI_UINT64] = 8,
                                                            [RLTI_INT64] = 8,
                                                            [RLTI_HALF] = 2,
                                                            [RLTI_FLOAT] = 4,
                                                            [RLTI_DOUBLE] = 8,
                                                            [RLTI_TEXT] = sizeof(char *)};
    return sizes[element];
}

/* Bytes of `count` values, or 0 with *overflows set. */
static size_t bytes_of(rlti_array_type type, size_t count, int *overflows) {
    size_t one = rlti_element_size(type.element) * (size_t)(type.arity > 0 ? type.arity : 1);
    *overflows = count > SIZE_MAX / 2 / one;
    return *overflows ? 0 : count * one;
}

/* Own memory of at least this size; what was there is lost. */
static int reserve(rlti_array *array, size_t bytes) {
    if (array->owned != NULL && bytes <= array->capacity)
        return 1;
    rlti_free(array->owned);
    array->owned = rlti_allocate(bytes > 0 ? bytes : 1, 1);
    array->capacity = array->owned != NULL ? bytes : 0;
    return array->owned != NULL;
}

const char **rlti_array_reserve_texts(rlti_array *array, rlti_array_type type, size_t count, size_t bytes,
                                      char **text) {
    int overflows;
    size_t values = bytes_of(type, count, &overflows);
    array->count = 0;
    array->data = NULL;
    array->blocked = 0;
    if (overflows || bytes > SIZE_MAX / 2 || !reserve(array, values + bytes))
        return NULL;
    array->type = type;
    array->count = count;
    array->data = array->owned;
    *text = (char *)array->owned + values;
    return array->owned;
}

void *rlti_array_reserve(rlti_array *array, rlti_array_type type, size_t count) {
    char *end;
    return rlti_array_reserve_texts(array, type, count, 0, &end);
}

static size_t element_count(const rlti_array *array) {
    return array->count * (size_t)(array->type.arity > 0 ? array->type.arity : 1);
}

static int copy_texts(rlti_array *to, const rlti_array *from) {
    const char *const *texts = from->data;
    size_t count = element_count(from), bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += strlen(texts[i]) + 1;
    char *copy;
    const char **copies = rlti_array_reserve_texts(to, from->type, from->count, bytes, &copy);
    if (copies == NULL)
        return 0;
    for (size_t i = 0; i < count; i++) {
        size_t size = strlen(texts[i]) + 1;
        memcpy(copy, texts[i], size);
        copies[i] = copy;
        copy += size;
    }
    return 1;
}

int rlti_array_copy(rlti_array *to, const rlti_array *from) {
    if (from->type.element == RLTI_TEXT && from->count > 0 && !from->blocked) {
        if (!copy_texts(to, from))
            return 0;
    } else {
        void *copy = rlti_array_reserve(to, from->type, from->count);
        if (copy == NULL)
            return 0;
        if (from->count > 0 && from->data != NULL)
            memcpy(copy, from->data, element_count(from) * rlti_element_size(from->type.element));
    }
    to->blocked = from->blocked;
    return 1;
}

double rlti_half_to_double(uint16_t half) {
    int exponent = half >> 10 & 31, mantissa = half & 1023;
    double value = exponent == 31 ? (mantissa != 0 ? (double)NAN : HUGE_VAL)
                   : exponent > 0 ? ldexp(1024 + mantissa, exponent - 25)
                                  : ldexp(mantissa, -24);
    return half & 0x8000 ? -value : value;
}

uint16_t rlti_half_from_double(double value) {
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    double size = fabs(value);
    if (isnan(value))
        return (uint16_t)(sign | 0x7e00);
    if (size >= 65520.0) /* half way to 65536 rounds to infinity */
        return (uint16_t)(sign | 0x7c00);
    int exponent;
    frexp(size, &exponent); /* size = f 2^exponent, 0.5 <= f < 1 */
    if (size == 0.0 || exponent < -13)
        exponent = -13; /* subnormal: steps of 2^-24 */
    double steps = nearbyint(ldexp(size, 11 - exponent));
    uint32_t bits = steps >= 1024.0 ? ((uint32_t)(exponent + 13) << 10) + (uint32_t)steps : (uint32_t)steps;
    return (uint16_t)(sign | bits);
}

/* Whole numbers: element, type, and the minimum and maximum that a double is stored as; beyond 2^53 doubles
 * are no exact whole numbers. */
#define WHOLE_NUMBERS(X)                                                                                     \
    X(RLTI_UINT8, uint8_t, 0, UINT8_MAX)                                                                     \
    X(RLTI_INT8, int8_t, INT8_MIN, INT8_MAX)                                                                 \
    X(RLTI_UINT16, uint16_t, 0, UINT16_MAX)                                                                  \
    X(RLTI_INT16, int16_t, INT16_MIN, INT16_MAX)                                                             \
    X(RLTI_UINT32, uint32_t, 0, UINT32_MAX)                                                                  \
    X(RLTI_INT32, int32_t, INT32_MIN, INT32_MAX)                                                             \
    X(RLTI_UINT64, uint64_t, 0, 9007199254740992.0)                                                          \
    X(RLTI_INT64, int64_t, -9007199254740992.0, 9007199254740992.0)

static double number_at(const rlti_array *array, size_t i) {
    switch (array->type.element) {
#define READ(element, type, minimum, maximum)                                                                \
    case element:                                                                                            \
        return (double)((const type *)array->data)[i];
        WHOLE_NUMBERS(READ)
        READ(RLTI_BOOL, uint8_t, 0, 1)
        READ(RLTI_FLOAT, float, 0, 0)
        READ(RLTI_DOUBLE, double, 0, 0)
#undef READ
    case RLTI_HALF:
        return rlti_half_to_double(((const uint16_t *)array->data)[i]);
    default:
        return 0.0;
    }
}

int rlti_array_to_doubles(const rlti_array *from, double *to) {
    if (from->blocked || from->type.element == RLTI_TEXT)
        return 0;
    size_t count = element_count(from);
    for (size_t i = 0; i < count; i++)
        to[i] = number_at(from, i);
    return 1;
}

int rlti_array_to_ints(const rlti_array *from, int *to) {
    if (from->blocked || from->type.element == RLTI_TEXT)
        return 0;
    size_t count = element_count(from);
    for (size_t i = 0; i < count; i++) {
        double value = number_at(from, i);
        if (!(value >= INT_MIN && value <= INT_MAX) || value != floor(value))
            return 0;
        to[i] = (int)value;
    }
    return 1;
}

/* NaN is the minimum. */
static double limited(double value, double minimum, double maximum) {
    return !(value > minimum) ? minimum : (value > maximum ? maximum : value);
}

void rlti_array_store(rlti_element element, void *to, size_t i, double value) {
    switch (element) {
#define STORE(element, type, minimum, maximum)                                                               \
    case element:                                                                                            \
        ((type *)to)[i] = (type)limited(value, (minimum), (maximum));                                        \
        break;
        WHOLE_NUMBERS(STORE)
#undef STORE
    case RLTI_BOOL:
        ((uint8_t *)to)[i] = value != 0.0;
        break;
    case RLTI_HALF:
        ((uint16_t *)to)[i] = rlti_half_from_double(value);
        break;
    case RLTI_FLOAT:
        ((float *)to)[i] = (float)value;
        break;
    default:
        ((double *)to)[i] = value;
        break;
    }
}

int rlti_array_equal(const rlti_array *a, const rlti_array *b) {
    if (a->blocked != b->blocked || a->count != b->count || a->type.element != b->type.element ||
        a->type.arity != b->type.arity)
        return 0;
    size_t count = element_count(a);
    if (a->blocked || count == 0)
        return 1;
    if (a->type.element != RLTI_TEXT)
        return memcmp(a->data, b->data, count * rlti_element_size(a->type.element)) == 0;
    const char *const *x = a->data, *const *y = b->data;
    for (size_t i = 0; i < count; i++)
        if (strcmp(x[i], y[i]) != 0)
            return 0;
    return 1;
}

void rlti_array_clear(rlti_array *array) {
    rlti_free(array->owned);
    *array = (rlti_array){0};
}
