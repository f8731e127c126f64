#include "formats/usd/usda_print.h"

#include <string.h>

#include "base/number.h"

void rlti_usda_print_double(rlti_stream *stream, double value) {
    rlti_stream_take(stream,
                     (size_t)rlti_format_double(value, rlti_stream_reserve(stream, RLTI_DOUBLE_TEXT)));
}

void rlti_usda_print_quoted(rlti_stream *stream, const char *text) {
    static const char hex[] = "0123456789abcdef";
    rlti_stream_text(stream, "\"");
    for (const char *c = text; *c != '\0'; c++) {
        unsigned char byte = (unsigned char)*c;
        if (byte == '"' || byte == '\\') {
            char escaped[2] = {'\\', *c};
            rlti_stream_write(stream, escaped, 2);
        } else if (byte == '\n') {
            rlti_stream_write(stream, "\\n", 2);
        } else if (byte < 0x20) {
            char escaped[4] = {'\\', 'x', hex[byte >> 4], hex[byte & 15]};
            rlti_stream_write(stream, escaped, 4);
        } else {
            rlti_stream_write(stream, c, 1);
        }
    }
    rlti_stream_text(stream, "\"");
}

void rlti_usda_print_asset(rlti_stream *stream, const char *file) {
    const char *mark = strchr(file, '@') != NULL ? "@@@" : "@";
    rlti_stream_text(stream, mark);
    for (const char *c = file; *c != '\0'; c++) {
        if (strncmp(c, "@@@", 3) == 0) {
            rlti_stream_text(stream, "\\@@@");
            c += 2;
        } else if ((unsigned char)*c >= 0x20) { /* a line end cannot stand in it */
            rlti_stream_write(stream, c, 1);
        }
    }
    rlti_stream_text(stream, mark);
}

/* ---- numbers ---- */

static int format_unsigned(uint64_t value, int is_negative, char *text) {
    char digits[24];
    int start = 24;
    do {
        digits[--start] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    if (is_negative)
        digits[--start] = '-';
    memcpy(text, digits + start, (size_t)(24 - start));
    return 24 - start;
}

static int format_signed(int64_t value, char *text) {
    return format_unsigned(value < 0 ? 0 - (uint64_t)value : (uint64_t)value, value < 0, text);
}

/* At most RLTI_DOUBLE_TEXT characters. */
static int format_element(rlti_element element, const void *data, size_t i, char *text) {
    switch (element) {
    case RLTI_FLOAT:
        return rlti_format_float(((const float *)data)[i], text);
    case RLTI_DOUBLE:
        return rlti_format_double(((const double *)data)[i], text);
    case RLTI_HALF: /* a float holds every half, and its shortest text leads back to it */
        return rlti_format_float((float)rlti_half_to_double(((const uint16_t *)data)[i]), text);
    case RLTI_INT32:
        return rlti_format_int(((const int32_t *)data)[i], text);
    case RLTI_BOOL:
    case RLTI_UINT8:
        return rlti_format_int(((const uint8_t *)data)[i], text);
    case RLTI_INT8:
        return rlti_format_int(((const int8_t *)data)[i], text);
    case RLTI_UINT16:
        return rlti_format_int(((const uint16_t *)data)[i], text);
    case RLTI_INT16:
        return rlti_format_int(((const int16_t *)data)[i], text);
    case RLTI_UINT32:
        return format_unsigned(((const uint32_t *)data)[i], 0, text);
    case RLTI_UINT64:
        return format_unsigned(((const uint64_t *)data)[i], 0, text);
    case RLTI_INT64:
        return format_signed(((const int64_t *)data)[i], text);
    default:
        return 0;
    }
}

static char *put(char *out, const char *text) {
    while (*text != '\0')
        *out++ = *text++;
    return out;
}

/* "(1, 2, 3)" of elements first.. in the order given, or one number alone */
static char *put_tuple(char *out, const rlti_array *value, size_t first, int count, int rotate) {
    *out++ = '(';
    for (int i = 0; i < count; i++) {
        if (i > 0)
            out = put(out, ", ");
        out += format_element(value->type.element, value->data, first + (size_t)((i + rotate) % count), out);
    }
    *out++ = ')';
    return out;
}

static char *put_matrix(char *out, const rlti_array *value, size_t first, int rows) {
    out = put(out, "( ");
    for (int i = 0; i < rows; i++) {
        if (i > 0)
            out = put(out, ", ");
        out = put_tuple(out, value, first + (size_t)(i * rows), rows, 0);
    }
    return put(out, " )");
}

static char *put_one(char *out, const rlti_array *value, size_t i) {
    int arity = value->type.arity;
    size_t first = i * (size_t)arity;
    if (value->type.role == RLTI_ROLE_MATRIX)
        return put_matrix(out, value, first, arity == 16 ? 4 : arity == 9 ? 3 : 2);
    if (arity == 1)
        return out + format_element(value->type.element, value->data, first, out);
    /* quaternions are x y z w in memory, w x y z in text */
    return put_tuple(out, value, first, arity, value->type.role == RLTI_ROLE_QUATERNION ? 3 : 0);
}

static void print_text(rlti_stream *stream, const rlti_array *value, size_t i) {
    const char *text = ((const char *const *)value->data)[i];
    if (value->type.role == RLTI_ROLE_ASSET)
        rlti_usda_print_asset(stream, text);
    else
        rlti_usda_print_quoted(stream, text);
}

void rlti_usda_print_elements(rlti_stream *stream, const rlti_array *value, int is_first) {
    /* the longest: a matrix of 16 doubles with its brackets */
    enum { LONGEST = 16 * (RLTI_DOUBLE_TEXT + 2) + 32 };
    for (size_t i = 0; i < value->count; i++) {
        int has_comma = i > 0 || !is_first;
        if (value->type.element == RLTI_TEXT) {
            if (has_comma)
                rlti_stream_text(stream, ", ");
            print_text(stream, value, i);
            continue;
        }
        char *text = rlti_stream_reserve(stream, LONGEST), *out = text;
        if (has_comma) {
            *out++ = ',';
            *out++ = ' ';
        }
        out = put_one(out, value, i);
        rlti_stream_take(stream, (size_t)(out - text));
    }
}

void rlti_usda_print_value(rlti_stream *stream, const rlti_array *value) {
    if (value->blocked) {
        rlti_stream_text(stream, "None");
        return;
    }
    if (value->type.is_array)
        rlti_stream_text(stream, "[");
    rlti_usda_print_elements(stream, value, 1);
    if (value->type.is_array)
        rlti_stream_text(stream, "]");
}
