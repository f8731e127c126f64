#include "formats/alembic/abc_values.h"

#include <math.h>
#include <string.h>

#include "io/span.h"

static const struct {
    rlti_element element;
    const char *name;
} pods[RLTI_ABC_PODS] = {{RLTI_BOOL, "bool_t"},     {RLTI_UINT8, "uint8_t"},   {RLTI_INT8, "int8_t"},
                         {RLTI_UINT16, "uint16_t"}, {RLTI_INT16, "int16_t"},   {RLTI_UINT32, "uint32_t"},
                         {RLTI_INT32, "int32_t"},   {RLTI_UINT64, "uint64_t"}, {RLTI_INT64, "int64_t"},
                         {RLTI_HALF, "float16_t"},  {RLTI_FLOAT, "float32_t"}, {RLTI_DOUBLE, "float64_t"},
                         {RLTI_TEXT, "string"},     {RLTI_TEXT, "wstring"}};

const char *rlti_abc_pod_name(int pod) {
    return pods[pod].name;
}

static rlti_role role_of(rlti_abc_text interpretation, int extent) {
    static const struct {
        const char *word;
        rlti_role role;
        int extent; /* 0: any */
    } words[] = {{"point", RLTI_ROLE_POINT, 3},    {"vector", RLTI_ROLE_VECTOR, 3},
                 {"normal", RLTI_ROLE_NORMAL, 3},  {"rgb", RLTI_ROLE_COLOUR, 3},
                 {"rgba", RLTI_ROLE_COLOUR, 4},    {"quat", RLTI_ROLE_QUATERNION, 4},
                 {"matrix", RLTI_ROLE_MATRIX, 16}, {"matrix", RLTI_ROLE_MATRIX, 9},
                 {"box", RLTI_ROLE_BOX, 6},        {"vector", RLTI_ROLE_TEXTURE, 2}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (words[i].extent == extent && rlti_abc_text_is(interpretation, words[i].word))
            return words[i].role;
    return RLTI_ROLE_NONE;
}

rlti_array_type rlti_abc_type(const rlti_abc_property *p, int *element_size) {
    int e = p->extent;
    int fits = e == 1 || e == 2 || e == 3 || e == 4 || e == 6 || e == 9 || e == 16;
    rlti_array_type type = {
        .element = pods[p->pod].element, .arity = e, .is_array = p->kind != RLTI_ABC_SCALAR};
    *element_size = 1;
    if (type.element == RLTI_TEXT || !fits) {
        *element_size = e;
        type.arity = 1;
        type.is_array |= e > 1;
    } else {
        type.role = role_of(rlti_abc_metadata(p->metadata, "interpretation"), e);
    }
    return type;
}

/* ---- texts ---- */

static const char *read_strings(rlti_ogawa_data data, rlti_array_type type, rlti_array *to) {
    const char *from = (const char *)data.bytes;
    size_t count = 0;
    char *out;
    for (size_t i = 0; i < data.size; i++)
        count += from[i] == '\0';
    if (data.size > 0 && from[data.size - 1] != '\0')
        return "a text does not end";
    const char **texts = rlti_array_reserve_texts(to, type, count, data.size, &out);
    if (texts == NULL)
        return rlti_abc_no_memory;
    if (data.size > 0)
        memcpy(out, from, data.size);
    for (size_t i = 0; i < count; i++) {
        texts[i] = out;
        out += strlen(out) + 1;
    }
    return NULL;
}

static char *put_utf8(char *to, uint32_t c) {
    if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        c = 0xfffd; /* not a character */
    if (c < 0x80) {
        *to++ = (char)c;
    } else if (c < 0x800) {
        *to++ = (char)(0xc0 | c >> 6);
        *to++ = (char)(0x80 | (c & 63));
    } else {
        if (c < 0x10000) {
            *to++ = (char)(0xe0 | c >> 12);
        } else {
            *to++ = (char)(0xf0 | c >> 18);
            *to++ = (char)(0x80 | (c >> 12 & 63));
        }
        *to++ = (char)(0x80 | (c >> 6 & 63));
        *to++ = (char)(0x80 | (c & 63));
    }
    return to;
}

/* Wide texts: 32 bits per character, at most as many bytes as UTF-8. */
static const char *read_wide_strings(rlti_ogawa_data data, rlti_array_type type, rlti_array *to) {
    rlti_span span = {.bytes = data.bytes, .size = data.size};
    size_t length = data.size / 4, count = 0;
    char *out;
    uint32_t c = 0;
    for (size_t i = 0; i < length; i++) {
        c = rlti_span_u32(&span);
        count += c == 0;
    }
    if (data.size % 4 != 0 || c != 0)
        return "a text does not end";
    const char **texts = rlti_array_reserve_texts(to, type, count, data.size, &out);
    if (texts == NULL)
        return rlti_abc_no_memory;
    rlti_span_seek(&span, 0);
    for (size_t i = 0, at_start = 1, text = 0; i < length; i++) {
        if (at_start)
            texts[text++] = out;
        c = rlti_span_u32(&span);
        at_start = c == 0;
        out = put_utf8(out, c);
    }
    return NULL;
}

/* ---- numbers ---- */

/* The nearest float that is not greater. */
static float float_below(double value) {
    float near = (float)value;
    return (double)near > value ? nextafterf(near, -HUGE_VALF) : near;
}

static const char *read_box(rlti_ogawa_data data, const rlti_abc_property *p, rlti_array *to) {
    static const rlti_array_type corners = {RLTI_FLOAT, 3, RLTI_ROLE_BOX, 1};
    rlti_span span = {.bytes = data.bytes, .size = data.size};
    if (data.size != (p->pod == 11 ? 48u : 24u))
        return "a box has six numbers";
    float *corners_to = rlti_array_reserve(to, corners, 2);
    if (corners_to == NULL)
        return rlti_abc_no_memory;
    for (int i = 0; i < 6; i++) {
        double value = p->pod == 11 ? rlti_span_double(&span) : (double)rlti_span_float(&span);
        corners_to[i] = i < 3 ? float_below(value) : -float_below(-value);
    }
    return NULL;
}

static const char *read_visible(rlti_ogawa_data data, rlti_array *to) {
    static const rlti_array_type word = {RLTI_TEXT, 1, RLTI_ROLE_TOKEN, 0};
    static const char words[2][12] = {"inherited", "invisible"};
    char *text;
    if (data.size != 1)
        return "visibility has one byte";
    const char **texts = rlti_array_reserve_texts(to, word, 1, sizeof words[0], &text);
    if (texts == NULL)
        return rlti_abc_no_memory;
    memcpy(text, words[data.bytes[0] == 0], sizeof words[0]);
    texts[0] = text;
    return NULL;
}

static void turn_quaternions(const unsigned char *from, unsigned char *to, size_t count, size_t size) {
    for (size_t i = 0; i < count; i++, from += 4 * size, to += 4 * size) {
        memcpy(to, from + size, 3 * size);
        memcpy(to + 3 * size, from, size);
    }
}

static const char *read_numbers(const rlti_file_pages *pages, rlti_ogawa_data data, rlti_array_type type,
                                rlti_abc_reading reading, rlti_array *to) {
    size_t size = rlti_element_size(type.element), one = size * (size_t)type.arity;
    size_t count = data.size / one;
    if (data.size % one != 0)
        return "the size of a sample is no multiple of its values'";
    int is_copied = pages != NULL && reading == RLTI_ABC_PLAIN && data.size >= RLTI_COPIED;
    if (!is_copied)
        rlti_file_pages_need(pages, data.bytes, data.size);
    if (!is_copied && reading == RLTI_ABC_PLAIN && type.element != RLTI_BOOL &&
        (uintptr_t)data.bytes % size == 0) {
        to->type = type;
        to->count = count;
        to->data = data.bytes;
        to->blocked = 0;
        return NULL;
    }
    unsigned char *values = rlti_array_reserve(to, type, count);
    if (values == NULL)
        return rlti_abc_no_memory;
    if (is_copied)
        rlti_file_pages_copy(pages, data.bytes, data.size, values);
    else if (reading == RLTI_ABC_QUATERNION && type.arity == 4)
        turn_quaternions(data.bytes, values, count, size);
    else if (count > 0)
        memcpy(values, data.bytes, data.size);
    for (size_t i = 0; type.element == RLTI_BOOL && i < data.size; i++)
        values[i] = values[i] != 0;
    return NULL;
}

const char *rlti_abc_value(const rlti_abc_archive *archive, const rlti_abc_property *p, uint32_t sample,
                           rlti_abc_reading reading, rlti_array *to) {
    rlti_ogawa_data data;
    int element_size;
    rlti_array_type type = rlti_abc_type(p, &element_size);
    const rlti_file_pages *pages = archive->ogawa.pages;
    const char *problem = rlti_abc_locate(archive, p, sample, &data);
    if (problem != NULL)
        return problem;
    if (reading == RLTI_ABC_BOX || p->pod >= RLTI_ABC_STRING)
        rlti_file_pages_need(pages, data.bytes, data.size);
    if (reading == RLTI_ABC_BOX)
        return read_box(data, p, to);
    if (reading == RLTI_ABC_VISIBLE)
        return read_visible(data, to);
    if (p->pod == RLTI_ABC_STRING)
        problem = read_strings(data, type, to);
    else if (p->pod == RLTI_ABC_WSTRING)
        problem = read_wide_strings(data, type, to);
    else
        problem = read_numbers(pages, data, type, reading, to);
    if (problem == NULL && !type.is_array && to->count != 1)
        problem = "a single value has another size";
    return problem;
}

size_t rlti_abc_value_count(const rlti_abc_archive *archive, const rlti_abc_property *p, uint32_t sample) {
    rlti_ogawa_data data;
    if (p->sample_count == 0 || p->kind == RLTI_ABC_COMPOUND ||
        rlti_abc_locate(archive, p, sample, &data) != NULL)
        return 0;
    if (p->pod < RLTI_ABC_STRING)
        return data.size / (rlti_element_size(pods[p->pod].element) * (size_t)p->extent);
    rlti_file_pages_need(archive->ogawa.pages, data.bytes, data.size);
    size_t count = 0, width = p->pod == RLTI_ABC_STRING ? 1 : 4;
    for (size_t i = 0; i + width <= data.size; i += width)
        count += width == 1
                     ? data.bytes[i] == 0
                     : (data.bytes[i] | data.bytes[i + 1] | data.bytes[i + 2] | data.bytes[i + 3]) == 0;
    return count;
}
