#include "formats/usd/usda_values.h"

#include <math.h>
#include <string.h>

#include "base/number.h"

/* ---- one number ---- */

/* Whole numbers of every size, checked against the range of the element. */
static int read_integer(rlti_usda_cursor *c, rlti_element element, void *to) {
    static const struct {
        int64_t minimum;
        uint64_t greatest;
    } ranges[RLTI_ELEMENT_COUNT] = {
        [RLTI_BOOL] = {0, 1},
        [RLTI_UINT8] = {0, UINT8_MAX},
        [RLTI_INT8] = {INT8_MIN, INT8_MAX},
        [RLTI_UINT16] = {0, UINT16_MAX},
        [RLTI_INT16] = {INT16_MIN, INT16_MAX},
        [RLTI_UINT32] = {0, UINT32_MAX},
        [RLTI_INT32] = {INT32_MIN, INT32_MAX},
        [RLTI_UINT64] = {0, UINT64_MAX},
        [RLTI_INT64] = {INT64_MIN, INT64_MAX},
    };
    const char *start = c->at, *p = start;
    int is_negative = p < c->end && *p == '-', fits = 1;
    if (p < c->end && (*p == '-' || *p == '+'))
        p++;
    const char *digits = p;
    uint64_t size = 0;
    for (; p < c->end && *p >= '0' && *p <= '9'; p++) {
        fits &= size <= (UINT64_MAX - (uint64_t)(*p - '0')) / 10;
        size = 10 * size + (uint64_t)(*p - '0');
    }
    c->at = p;
    if (p == digits || !rlti_usda_at_delimiter(c)) {
        /* 3.0 is a whole number, and 3.12 is cut to one, as OpenUSD does */
        double value;
        p = rlti_scan_double(start, c->end, &value);
        if (p == NULL || !(fabs(value) <= 9007199254740992.0))
            return rlti_usda_fail(c, start, "a whole number is needed");
        size = (uint64_t)fabs(value);
        fits = 1;
        c->at = p;
    }
    uint64_t minimum = (uint64_t) - (ranges[element].minimum + 1) + 1; /* size of the most negative */
    if (!fits || size > (is_negative ? minimum : ranges[element].greatest))
        return rlti_usda_fail(c, start, "the number does not fit its type");
    uint64_t bits = is_negative ? 0 - size : size;
    switch (rlti_element_size(element)) {
    case 1:
        *(uint8_t *)to = (uint8_t)bits;
        break;
    case 2:
        *(uint16_t *)to = (uint16_t)bits;
        break;
    case 4:
        *(uint32_t *)to = (uint32_t)bits;
        break;
    default:
        *(uint64_t *)to = bits;
        break;
    }
    return 1;
}

static int read_bool(rlti_usda_cursor *c, void *to) {
    static const struct {
        const char *word;
        uint8_t value;
    } words[] = {{"true", 1}, {"false", 0}, {"True", 1}, {"False", 0}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t length = strlen(words[i].word);
        if ((size_t)(c->end - c->at) >= length && memcmp(c->at, words[i].word, length) == 0) {
            *(uint8_t *)to = words[i].value;
            c->at += length;
            return 1;
        }
    }
    return read_integer(c, RLTI_BOOL, to);
}

static int read_number(rlti_usda_cursor *c, rlti_element element, void *to) {
    const char *start = c->at;
    switch (element) {
    case RLTI_FLOAT: {
        float value; /* `to` may be any memory */
        c->at = rlti_scan_float(start, c->end, &value);
        if (c->at != NULL)
            *(float *)to = value;
        break;
    }
    case RLTI_DOUBLE:
        c->at = rlti_scan_double(start, c->end, to);
        break;
    case RLTI_HALF: {
        double value;
        c->at = rlti_scan_double(start, c->end, &value);
        if (c->at != NULL)
            *(uint16_t *)to = rlti_half_from_double(value);
        break;
    }
    case RLTI_BOOL:
        if (!read_bool(c, to))
            return 0;
        break;
    default:
        if (!read_integer(c, element, to))
            return 0;
        break;
    }
    if (c->at == NULL) {
        c->at = start;
        return rlti_usda_fail(c, start, "a number is needed");
    }
    return rlti_usda_at_delimiter(c) || rlti_usda_fail(c, start, "not a number");
}

/* ---- tuples ---- */

/* Blanks are mostly one space or none. */
static inline void skip(rlti_usda_cursor *c) {
    if (c->at < c->end && *c->at == ' ')
        c->at++;
    if (c->at >= c->end || (unsigned char)*c->at <= ' ' || *c->at == '#' || *c->at == '/')
        rlti_usda_skip_blanks(c);
}

static int expect(rlti_usda_cursor *c, char wanted, const char *where) {
    skip(c);
    if (c->at < c->end && *c->at == wanted && c->status == RLT_OK) {
        c->at++;
        return 1;
    }
    return rlti_usda_expect(c, wanted, where);
}

/* A comma may follow the last of a list. */
static int close_list(rlti_usda_cursor *c, const char *where) {
    skip(c);
    c->at += c->at < c->end && *c->at == ',';
    return expect(c, ')', where);
}

/* "(1, 2, 3)" as nearly all of a large file is: returns its end, or NULL where it has another form, which may
 * still be good. */
static const char *scan_floats(const char *p, const char *end, int count, float *to) {
    if (p >= end || *p != '(')
        return NULL;
    for (int i = 0; i < count; i++) {
        p++;
        p += p < end && *p == ' ';
        p = rlti_scan_float(p, end, &to[i]);
        if (p == NULL || p >= end || *p != (i + 1 < count ? ',' : ')'))
            return NULL;
    }
    return p + 1;
}

/* "(1, 2, 3)" of `count` numbers. */
static int read_tuple(rlti_usda_cursor *c, rlti_element element, int count, unsigned char *to) {
    const char *after = NULL;
    if (element == RLTI_FLOAT && c->status == RLT_OK)
        after = scan_floats(c->at, c->end, count, (float *)(void *)to);
    if (after != NULL) {
        c->at = after;
        return 1;
    }
    size_t size = rlti_element_size(element);
    if (!expect(c, '(', "before the numbers of one value"))
        return 0;
    for (int i = 0; i < count; i++) {
        if (i > 0 && !expect(c, ',', "before the next number of this value"))
            return 0;
        skip(c);
        if (!read_number(c, element, to + (size_t)i * size))
            return 0;
    }
    return close_list(c, "after the last number of this value");
}

static int read_matrix(rlti_usda_cursor *c, rlti_array_type type, unsigned char *to) {
    int rows = type.arity == 16 ? 4 : type.arity == 9 ? 3 : 2;
    size_t row_size = (size_t)rows * rlti_element_size(type.element);
    if (!expect(c, '(', "before the rows of a matrix"))
        return 0;
    for (int i = 0; i < rows; i++) {
        if (i > 0 && !expect(c, ',', "before the next row of this matrix"))
            return 0;
        if (!read_tuple(c, type.element, rows, to + (size_t)i * row_size))
            return 0;
    }
    return close_list(c, "after the last row of this matrix");
}

/* (w, x, y, z) in the text, x y z w in memory */
static int read_quaternion(rlti_usda_cursor *c, rlti_array_type type, unsigned char *to) {
    unsigned char w[8];
    size_t size = rlti_element_size(type.element);
    if (!read_tuple(c, type.element, 4, to))
        return 0;
    memcpy(w, to, size);
    memmove(to, to + size, 3 * size);
    memcpy(to + 3 * size, w, size);
    return 1;
}

static int read_one(rlti_usda_cursor *c, rlti_array_type type, unsigned char *to) {
    skip(c);
    if (c->status != RLT_OK)
        return 0;
    if (type.role == RLTI_ROLE_MATRIX)
        return read_matrix(c, type, to);
    if (type.role == RLTI_ROLE_QUATERNION)
        return read_quaternion(c, type, to);
    if (type.arity == 1)
        return read_number(c, type.element, to);
    return read_tuple(c, type.element, type.arity, to);
}

/* ---- arrays ---- */

/* After an element of a list: 1 when another follows, 0 at its end or on failure. */
static int list_continues(rlti_usda_cursor *c) {
    skip(c);
    if (c->at < c->end && *c->at == ',') {
        c->at++;
        skip(c);
        return c->status == RLT_OK && !(c->at < c->end && *c->at == ']');
    }
    if (c->status == RLT_OK && !(c->at < c->end && *c->at == ']'))
        rlti_usda_fail(c, c->at, "',' or ']' is needed after an element of a list");
    return 0;
}

static int read_numbers(rlti_usda_cursor *c, rlti_array_type type, size_t commas, rlti_array *to) {
    size_t maximum = commas / (size_t)type.arity + 1, count = 0;
    unsigned char *values = rlti_array_reserve(to, type, maximum);
    if (values == NULL)
        return rlti_usda_no_memory(c);
    size_t size = rlti_element_size(type.element) * (size_t)type.arity;
    c->at++;
    skip(c);
    int more = !(c->at < c->end && *c->at == ']');
    while (more && c->status == RLT_OK) {
        if (!read_one(c, type, values + count * size))
            return 0;
        count++;
        more = list_continues(c);
    }
    to->count = count;
    return c->status == RLT_OK;
}

/* One text of any kind, decoded; *out moves behind it and its zero byte. */
static int read_text(rlti_usda_cursor *c, rlti_role role, char **out) {
    rlti_usda_piece piece;
    skip(c);
    /* OpenUSD takes a file in quotes, and a path where a word is wanted */
    char first = c->at < c->end ? *c->at : '\0';
    int is_quoted = first == '"' || first == '\'', is_path = first == '<' && role == RLTI_ROLE_TOKEN;
    int is_asset = role == RLTI_ROLE_ASSET && !is_quoted;
    if (is_path)
        piece = rlti_usda_path(c);
    else
        piece = is_asset ? rlti_usda_asset(c) : rlti_usda_quoted(c);
    if (piece.at == NULL)
        return 0;
    *out += is_asset || is_path ? rlti_usda_decode_asset(piece, *out) : rlti_usda_decode(piece, *out);
    *(*out)++ = '\0';
    return 1;
}

static int read_texts(rlti_usda_cursor *c, rlti_array_type type, size_t commas, const char *end,
                      rlti_array *to) {
    size_t maximum = commas + 1, count = 0;
    char *out;
    /* a text takes at least its quotes, so the zero byte always fits */
    const char **texts = rlti_array_reserve_texts(to, type, maximum, (size_t)(end - c->at) + 1, &out);
    if (texts == NULL)
        return rlti_usda_no_memory(c);
    c->at++;
    skip(c);
    int more = !(c->at < c->end && *c->at == ']');
    while (more && c->status == RLT_OK) {
        texts[count++] = out;
        if (!read_text(c, type.role, &out))
            return 0;
        more = list_continues(c);
    }
    to->count = count;
    return c->status == RLT_OK;
}

static int read_single(rlti_usda_cursor *c, rlti_array_type type, const char *end, rlti_array *to) {
    if (type.element != RLTI_TEXT) {
        unsigned char *values = rlti_array_reserve(to, type, 1);
        if (values == NULL)
            return rlti_usda_no_memory(c);
        return read_one(c, type, values);
    }
    char *out;
    const char **texts = rlti_array_reserve_texts(to, type, 1, (size_t)(end - c->at) + 1, &out);
    if (texts == NULL)
        return rlti_usda_no_memory(c);
    texts[0] = out;
    return read_text(c, type.role, &out);
}

static int keep_raw(rlti_usda_cursor *c, rlti_array_type type, const char *end, rlti_array *to) {
    char *out;
    size_t length = (size_t)(end - c->at);
    const char **texts = rlti_array_reserve_texts(to, type, 1, length + 1, &out);
    if (texts == NULL)
        return rlti_usda_no_memory(c);
    memcpy(out, c->at, length);
    out[length] = '\0';
    texts[0] = out;
    c->at = end;
    return 1;
}

int rlti_usda_value(rlti_usda_cursor *c, rlti_array_type type, rlti_array *to) {
    size_t commas;
    rlti_usda_skip_blanks(c);
    const char *start = c->at;
    if (!rlti_usda_skip_value(c, &commas))
        return 0;
    const char *end = c->at;
    rlti_usda_piece whole = {start, (size_t)(end - start)};
    c->at = start;
    if (rlti_usda_is(whole, "None") || rlti_usda_is(whole, "AnimationBlock")) {
        if (rlti_array_reserve(to, type, 0) == NULL)
            return rlti_usda_no_memory(c);
        to->blocked = 1;
        c->at = end;
        return 1;
    }
    if (type.arity == 0)
        return keep_raw(c, type, end, to);
    if (type.is_array && *start != '[')
        return rlti_usda_fail(c, start, "'[' is needed: the type is an array");
    if (!type.is_array && *start == '[')
        return rlti_usda_fail(c, start, "a list where the type is a single value");
    if (!type.is_array)
        return read_single(c, type, end, to);
    int ok =
        type.element == RLTI_TEXT ? read_texts(c, type, commas, end, to) : read_numbers(c, type, commas, to);
    return ok && rlti_usda_expect(c, ']', "at the end of a list");
}
