#include "json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void append(json *out, const char *text, size_t size) {
    if (out->failed)
        return;
    if (out->size + size + 1 > out->capacity) {
        size_t capacity = 2 * (out->size + size + 1) + 1024;
        char *grown = realloc(out->text, capacity);
        if (!grown) {
            out->failed = 1;
            return;
        }
        out->text = grown;
        out->capacity = capacity;
    }
    memcpy(out->text + out->size, text, size);
    out->size += size;
    out->text[out->size] = 0;
}

static void append_text(json *out, const char *text) {
    append(out, text, strlen(text));
}

static int needs_escape(unsigned char c) {
    return c == '"' || c == '\\' || c < 0x20 || c == 0x7f;
}

/* Characters that need no escape go out in one piece. */
static void append_quoted(json *out, const char *text) {
    append(out, "\"", 1);
    while (*text) {
        size_t plain = 0;
        while (text[plain] && !needs_escape((unsigned char)text[plain]))
            plain++;
        append(out, text, plain);
        text += plain;
        if (!*text)
            break;
        unsigned char c = (unsigned char)*text++;
        char escaped[8];
        if (c == '"' || c == '\\')
            snprintf(escaped, sizeof escaped, "\\%c", c);
        else if (c == '\n')
            snprintf(escaped, sizeof escaped, "\\n");
        else
            snprintf(escaped, sizeof escaped, "\\u%04x", c);
        append_text(out, escaped);
    }
    append(out, "\"", 1);
}

static void new_line(json *out) {
    append(out, "\n", 1);
    for (int i = 0; i < out->depth; i++)
        append(out, "  ", 2);
}

/* Comma, line break, indentation and the name: everything before a value. */
static void begin_value(json *out, const char *name) {
    if (out->has_items)
        append(out, ",", 1);
    if (out->depth > 0)
        new_line(out);
    if (name) {
        append_quoted(out, name);
        append(out, ": ", 2);
    }
    out->has_items = 1;
}

static void open_group(json *out, const char *name, const char *bracket) {
    begin_value(out, name);
    append_text(out, bracket);
    out->depth++;
    out->has_items = 0;
}

static void close_group(json *out, const char *bracket) {
    out->depth--;
    if (out->has_items)
        new_line(out);
    append_text(out, bracket);
    out->has_items = 1; /* of the group around it: this one */
}

void json_begin_object(json *out, const char *name) {
    open_group(out, name, "{");
}

void json_end_object(json *out) {
    close_group(out, "}");
}

void json_begin_array(json *out, const char *name) {
    open_group(out, name, "[");
}

void json_end_array(json *out) {
    close_group(out, "]");
}

void json_null(json *out, const char *name) {
    begin_value(out, name);
    append_text(out, "null");
}

void json_string(json *out, const char *name, const char *value) {
    if (!value) {
        json_null(out, name);
        return;
    }
    begin_value(out, name);
    append_quoted(out, value);
}

void json_number(json *out, const char *name, double value) {
    static const int digits[] = {9, 15, 17};
    char text[40] = "";
    if (!isfinite(value)) {
        json_null(out, name);
        return;
    }
    /* The program never calls setlocale, so the decimal point is a point. */
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text, "%.*g", digits[i], value);
        if (strtod(text, NULL) == value)
            break;
    }
    begin_value(out, name);
    append_text(out, text);
}

/* Digits of a whole number, before `end`; returns where they begin. */
static char *put_digits(char *end, unsigned long long value) {
    do
        *--end = (char)('0' + value % 10);
    while ((value /= 10) > 0);
    return end;
}

/* As a whole number and a power of ten: printf takes ten times as long. */
void json_rounded(json *out, const char *name, double value) {
    enum { DIGITS = 9 };
    char text[48], *end = text + sizeof text - 1;
    if (!isfinite(value)) {
        json_null(out, name);
        return;
    }
    double size = fabs(value);
    int power = size > 1e-99 ? (int)floor(log10(size)) - (DIGITS - 1) : 0;
    unsigned long long digits = size > 1e-99 ? (unsigned long long)llround(size * pow(10.0, -power)) : 0;
    for (; digits > 0 && digits % 10 == 0; power++)
        digits /= 10;
    *end = '\0';
    char *at = end;
    if (digits > 0 && power != 0) {
        at = put_digits(at, (unsigned long long)abs(power));
        if (power < 0)
            *--at = '-';
        *--at = 'e';
    }
    at = put_digits(at, digits);
    if (value < 0.0 && digits > 0)
        *--at = '-';
    begin_value(out, name);
    append_text(out, at);
}

void json_known(json *out, const char *name, double value, int known) {
    if (known)
        json_number(out, name, value);
    else
        json_null(out, name);
}

void json_integer(json *out, const char *name, long long value) {
    char text[32], *end = text + sizeof text - 1;
    *end = '\0';
    char *at = put_digits(end, value < 0 ? 0ull - (unsigned long long)value : (unsigned long long)value);
    if (value < 0)
        *--at = '-';
    begin_value(out, name);
    append_text(out, at);
}

void json_boolean(json *out, const char *name, int value) {
    begin_value(out, name);
    append_text(out, value ? "true" : "false");
}

int json_print(const json *out, FILE *file) {
    if (out->failed || !out->text)
        return 0;
    int written = fwrite(out->text, 1, out->size, file) == out->size && fputc('\n', file) != EOF;
    return fflush(file) == 0 && written;
}

void json_free(json *out) {
    free(out->text);
    memset(out, 0, sizeof *out);
}
