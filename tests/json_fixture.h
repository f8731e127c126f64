/* A strict little JSON reader: tests want to know that a text is one JSON object, and to look into it. */
#ifndef JSON_FIXTURE_H
#define JSON_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static inline void assert_says(const char *text, const char *wanted) {
    if (!strstr(text, wanted))
        fail_msg("'%s' is not in:\n%s", wanted, text);
}

/* ---- each returns the end of the value, or NULL ---- */

static inline const char *skip_space(const char *p) {
    return p + strspn(p, " \t\r\n");
}

static inline const char *json_text(const char *p) {
    if (*p != '"')
        return NULL;
    for (p++; *p && *p != '"'; p++) {
        if ((unsigned char)*p < 0x20)
            return NULL;
        if (*p == '\\' && !*++p)
            return NULL;
    }
    return *p ? p + 1 : NULL;
}

static inline const char *json_value(const char *p);

static inline const char *json_group(const char *p, char close, int named) {
    p = skip_space(p + 1);
    if (*p == close)
        return p + 1;
    for (;;) {
        if (named) {
            p = json_text(skip_space(p));
            if (!p || *(p = skip_space(p)) != ':')
                return NULL;
            p++;
        }
        p = json_value(p);
        if (!p)
            return NULL;
        p = skip_space(p);
        if (*p == close)
            return p + 1;
        if (*p++ != ',')
            return NULL;
    }
}

static inline const char *json_value(const char *p) {
    static const char *const words[] = {"true", "false", "null"};
    p = skip_space(p);
    if (*p == '{')
        return json_group(p, '}', 1);
    if (*p == '[')
        return json_group(p, ']', 0);
    if (*p == '"')
        return json_text(p);
    for (int i = 0; i < 3; i++)
        if (strncmp(p, words[i], strlen(words[i])) == 0)
            return p + strlen(words[i]);
    if (*p != '-' && (*p < '0' || *p > '9'))
        return NULL;
    char *end = NULL;
    strtod(p, &end);
    return end;
}

static inline void assert_one_json_object(const char *text) {
    assert_int_equal(text[0], '{');
    const char *end = json_value(text);
    if (!end || *skip_space(end))
        fail_msg("not exactly one JSON object:\n%s", text);
}

/* The number after "name": in a text of one member a line, from `from` on. */
static inline double json_number_of(const char *from, const char *name) {
    char key[96];
    snprintf(key, sizeof key, "\"%s\": ", name);
    const char *at = strstr(from, key);
    if (!at)
        fail_msg("no %s in:\n%s", name, from);
    char *end = NULL;
    double value = strtod(at + strlen(key), &end);
    if (end == at + strlen(key))
        fail_msg("%s is not a number in:\n%s", name, from);
    return value;
}

#endif
