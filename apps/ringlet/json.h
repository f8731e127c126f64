/* Writing JSON into a growing buffer. Misuse cannot crash: out of memory is remembered and json_print says
 * so.
 *
 *     json out = {0};
 *     json_begin_object(&out, NULL);
 *     json_number(&out, "seconds", 1.5);
 *     json_begin_array(&out, "outputs");
 *     json_string(&out, NULL, "hair.usda");
 *     json_end_array(&out);
 *     json_end_object(&out);
 *     json_print(&out, stdout);
 *     json_free(&out);
 *
 * `name` is the member's name inside an object, NULL inside an array and at the top. */
#ifndef RINGLET_APP_JSON_H
#define RINGLET_APP_JSON_H

#include <stddef.h>
#include <stdio.h>

typedef struct json {
    char *text; /* NUL-terminated once anything was written */
    size_t size, capacity;
    int depth;     /* open objects and arrays */
    int has_items; /* the innermost one already has a member */
    int failed;    /* out of memory */
} json;

void json_begin_object(json *out, const char *name);
void json_end_object(json *out);
void json_begin_array(json *out, const char *name);
void json_end_array(json *out);

/* Text is escaped; NULL becomes null. Bytes are passed on as they are: the input should be UTF-8. */
void json_string(json *out, const char *name, const char *value);
/* The shortest of 9, 15 and 17 digits that reads back as the same double; not finite becomes null. */
void json_number(json *out, const char *name, double value);
/* Nine digits, for charts and lines of a page: a tenth of the time. */
void json_rounded(json *out, const char *name, double value);
void json_integer(json *out, const char *name, long long value);
/* Null where it is not known. */
void json_known(json *out, const char *name, double value, int known);
void json_boolean(json *out, const char *name, int value);
void json_null(json *out, const char *name);

/* Writes the text and a newline. Returns 1 when all went well. */
int json_print(const json *out, FILE *file);
void json_free(json *out);

#endif
