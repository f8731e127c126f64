#include "io/key_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/list.h"
#include "base/memory.h"
#include "base/messages.h"
#include "base/number.h"
#include "io/file_map.h"

enum { COLUMNS = 7, WORD = 64, PROBLEMS = 10, KEYS_MOST = 1000000 };

static const char names[] = "frame, x, y, z, rx, ry, rz";
static const double greatest = 1e9; /* as in motion.keys */

typedef struct reader {
    const char *name;
    rlt_messages *messages;
    const char *at, *end, *line_begin;
    long long line;
    int problems;
    int column_count, column[COLUMNS]; /* which of the seven each column of the file is */
    int count, capacity;
    double (*keys)[COLUMNS];
} reader;

static void problem(reader *r, const char *at, const char *format, ...) RLTI_PRINTF(3, 4);

static void problem(reader *r, const char *at, const char *format, ...) {
    char text[256];
    va_list arguments;
    if (r->problems++ >= PROBLEMS)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    rlti_message(r->messages, RLT_ERROR, "%s:%lld:%lld: %s", r->name, r->line,
                 (long long)(at - r->line_begin) + 1, text);
}

static int is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static int is_comma(char c) {
    return c == ',' || c == ';';
}

static int at_end(const reader *r) {
    return r->at == r->end || *r->at == '\n' || *r->at == '#';
}

static void skip_blanks(reader *r) {
    while (r->at < r->end && is_blank(*r->at))
        r->at++;
}

static void skip_line(reader *r) {
    while (r->at < r->end && *r->at != '\n')
        r->at++;
}

/* The next value of the line and the comma after it, if there is one; what cannot be printed becomes '?'. A
 * missing one between two commas is empty. Returns where it begins; NULL at the end of the line. */
static const char *next_word(reader *r, char word[WORD], size_t *length) {
    skip_blanks(r);
    if (at_end(r))
        return NULL;
    const char *begin = r->at;
    while (!at_end(r) && !is_blank(*r->at) && !is_comma(*r->at))
        r->at++;
    *length = (size_t)(r->at - begin);
    size_t kept = *length < WORD ? *length : WORD - 1;
    for (size_t i = 0; i < kept; i++)
        word[i] = begin[i] > 0x20 && begin[i] < 0x7f ? begin[i] : '?';
    word[kept] = '\0';
    skip_blanks(r);
    if (!at_end(r) && is_comma(*r->at))
        r->at++;
    return begin;
}

/* Which of the seven a word means; -1: none. */
static int column_named(const char *word) {
    /* also as animation programs name them: tx, translateX, rotateX */
    static const char *const before[] = {"", "t", "translate", "r", "rotate"};
    static const char *const axes[] = {"x", "y", "z"};
    char name[32];
    if (strcasecmp(word, "frame") == 0)
        return 0;
    for (int b = 0; b < 5; b++)
        for (int a = 0; a < 3; a++) {
            snprintf(name, sizeof name, "%s%s", before[b], axes[a]);
            if (strcasecmp(word, name) == 0)
                return 1 + a + (b >= 3 ? 3 : 0);
        }
    return -1;
}

/* A first line of words: the columns' names. */
static void read_names(reader *r) {
    char word[WORD];
    size_t length;
    int seen[COLUMNS] = {0};
    const char *begin = r->at, *at;
    r->column_count = 0;
    while ((at = next_word(r, word, &length)) != NULL) {
        int column = column_named(word);
        if (column < 0)
            problem(r, at, "\"%s\" is no column; there are %s", word, names);
        else if (seen[column]++)
            problem(r, at, "\"%s\": the column is there already; remove one", word);
        else
            r->column[r->column_count++] = column;
    }
    if (!seen[0])
        problem(r, begin, "the columns need one named frame; there are %s", names);
}

/* 1: a number of the key, now in *value. */
static int read_number(reader *r, const char *at, const char *word, size_t length, double *value) {
    rlti_number_kind kind = length < WORD ? rlti_number_parse(word, length, value) : RLTI_NUMBER_NONE;
    if (kind == RLTI_NUMBER_FINITE && *value >= -greatest && *value <= greatest)
        return 1;
    problem(r, at, kind == RLTI_NUMBER_NONE ? "\"%s\" is no number" : "%s: must be within -1e9..1e9", word);
    return 0;
}

static void read_key(reader *r) {
    double key[COLUMNS] = {0.0}, value;
    char word[WORD];
    size_t length;
    int found = 0, good = 1;
    const char *begin = r->at, *at;
    while ((at = next_word(r, word, &length)) != NULL && good) {
        if (found < r->column_count) {
            good = read_number(r, at, word, length, &value);
            key[r->column[found]] = good ? value : 0.0;
        }
        found++;
    }
    if (!good) {
        skip_line(r);
        return;
    }
    if (found != r->column_count) {
        problem(r, begin, "has %d numbers, not %d; a key is %s", found, r->column_count,
                r->column_count == COLUMNS ? names : "as the first line names them");
        return;
    }
    if (r->count > 0 && !(key[0] > r->keys[r->count - 1][0])) {
        problem(r, begin, "frames must increase");
        return;
    }
    memcpy(r->keys[r->count++], key, sizeof key);
}

/* Starts with a letter: no number does, but nan and inf, which are refused as columns as well. */
static int is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '"';
}

static rlt_status read_lines(reader *r) {
    int had_line = 0;
    for (; r->at < r->end && r->problems < PROBLEMS; r->line++) {
        r->line_begin = r->at;
        skip_blanks(r);
        if (!at_end(r)) {
            if (r->count >= KEYS_MOST) {
                problem(r, r->at, "too many: at most %d keys are allowed", KEYS_MOST);
                break;
            }
            if (!RLTI_LIST_RESERVE(r->keys, r->count, 1, r->capacity))
                return rlti_out_of_memory(r->messages);
            if (!had_line && is_name(*r->at))
                read_names(r);
            else
                read_key(r);
            had_line = 1;
        }
        skip_line(r);
        if (r->at < r->end)
            r->at++;
    }
    if (r->problems == 0 && r->count == 0)
        return rlti_refuse(r->messages, "%s: has no keys; a line is %s", r->name, names);
    return r->problems > 0 ? RLT_BAD_INPUT : RLT_OK;
}

rlt_status rlti_key_text_read(const char *name, const char *text, size_t size, rlt_messages *messages,
                              double (**keys)[7], int *count) {
    static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8, as spreadsheets write it */
    reader r = {.name = name, .messages = messages, .line = 1, .column_count = COLUMNS};
    *keys = NULL;
    *count = 0;
    if (size >= 3 && memcmp(text, mark, 3) == 0) {
        text += 3;
        size -= 3;
    }
    r.at = text;
    r.end = size > 0 ? text + size : text;
    for (int i = 0; i < COLUMNS; i++)
        r.column[i] = i;
    rlt_status status = read_lines(&r);
    if (status != RLT_OK) {
        rlti_free(r.keys);
        return status;
    }
    *keys = r.keys;
    *count = r.count;
    return RLT_OK;
}

rlt_status rlti_key_file_read(const char *path, rlt_inputs *inputs, rlt_messages *messages,
                              double (**keys)[7], int *count) {
    rlti_file_map map = {0};
    int first = rlt_messages_count(messages);
    *keys = NULL;
    *count = 0;
    rlt_status status = rlti_file_map_open(path, inputs, messages, &map);
    if (status == RLT_OK) {
        rlti_file_pages_need(map.pages, map.bytes, map.size);
        status = rlti_key_text_read(path, map.bytes != NULL ? (const char *)map.bytes : "", map.size,
                                    messages, keys, count);
    }
    rlti_file_map_close(&map);
    if (inputs != NULL)
        status = rlti_inputs_explain(inputs, status, first, messages);
    if (status != RLT_OK) {
        rlti_free(*keys);
        *keys = NULL;
        *count = 0;
    }
    return status;
}
