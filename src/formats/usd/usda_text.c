#include "formats/usd/usda_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/messages.h"
#include "base/number.h"

/* ---- bytes ---- */

enum { WINDOW = 1024 * 1024 }; /* [bytes] read ahead; values longer than this are not kept */

int rlti_usda_reach(rlti_usda_cursor *c, const char *p) {
    if (p >= c->end)
        return 0;
    if (c->ready < c->end && c->ready - p <= 16) {
        const char *from = c->ready, *next = p > from ? p : from;
        c->ready = c->end - next > WINDOW ? next + WINDOW : c->end;
        rlti_file_pages_need(c->pages, from, (size_t)(c->ready - from));
    }
    return 1;
}

void rlti_usda_forget(rlti_usda_cursor *c, const char *from, const char *to) {
    if (c->pages != NULL && to - from > WINDOW)
        rlti_file_pages_forget(c->pages, from, (size_t)(to - from));
}

/* ---- failing ---- */

static void count_lines(const char *bytes, size_t count, long *line, long *column) {
    for (size_t i = 0; i < count; i++) {
        *column = bytes[i] == '\n' ? 1 : *column + 1;
        *line += bytes[i] == '\n';
    }
}

/* Where a place of the text is; what is not in memory is read once more. */
static void find_line(const rlti_usda_cursor *c, const char *place, long *line, long *column) {
    char copy[8192];
    size_t offset = c->before + (size_t)(place - c->start);
    if (c->pages == NULL)
        count_lines(c->start, (size_t)(place - c->start), line, column);
    for (size_t at = 0; c->pages != NULL && at < offset; at += sizeof copy) {
        size_t count = offset - at < sizeof copy ? offset - at : sizeof copy;
        rlti_file_pages_copy(c->pages, c->text + at, count, copy);
        count_lines(copy, count, line, column);
    }
}

int rlti_usda_fail(rlti_usda_cursor *c, const char *place, const char *format, ...) {
    if (c->status != RLT_OK)
        return 0;
    long line = 1, column = 1;
    find_line(c, place, &line, &column);
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    c->status = rlti_refuse(c->messages, "%s:%ld:%ld: %s", c->file, line, column, text);
    return 0;
}

int rlti_usda_no_memory(rlti_usda_cursor *c) {
    if (c->status == RLT_OK)
        c->status = rlti_out_of_memory(c->messages);
    return 0;
}

/* ---- characters ---- */

enum { BLANK = 1, WORD = 2, DELIMITER = 4, DIGIT = 8 };

/* Classes of a byte. */
static int class_of(char c) {
    unsigned char byte = (unsigned char)c;
    if ((byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' || byte >= 128)
        return WORD;
    if (byte >= '0' && byte <= '9')
        return WORD | DIGIT;
    if (byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r' || byte == '\v' || byte == '\f')
        return BLANK | DELIMITER;
    return byte != '\0' && strchr("()[]{},;:=#/\"'@<>", c) != NULL ? DELIMITER : 0;
}

static void skip_line(rlti_usda_cursor *c) {
    const char *end = NULL;
    while (end == NULL && rlti_usda_has(c, c->at)) {
        end = memchr(c->at, '\n', (size_t)(c->ready - c->at));
        c->at = end != NULL ? end : c->ready;
    }
}

static void skip_block_comment(rlti_usda_cursor *c) {
    const char *start = c->at;
    for (const char *p = c->at + 2; rlti_usda_has(c, p) && c->end - p >= 2; p++)
        if (p[0] == '*' && p[1] == '/') {
            c->at = p + 2;
            return;
        }
    rlti_usda_fail(c, start, "this comment does not end");
    c->at = c->end;
}

/* Over a comment, if there is one. */
static int skip_comment(rlti_usda_cursor *c) {
    if (*c->at == '#') {
        skip_line(c);
        return 1;
    }
    if (*c->at != '/' || c->end - c->at < 2)
        return 0;
    if (c->at[1] == '/')
        skip_line(c);
    else if (c->at[1] == '*')
        skip_block_comment(c);
    else
        return 0;
    return 1;
}

void rlti_usda_skip_blanks(rlti_usda_cursor *c) {
    while (rlti_usda_has(c, c->at))
        if (class_of(*c->at) & BLANK)
            c->at++;
        else if (!skip_comment(c))
            return;
}

char rlti_usda_peek(rlti_usda_cursor *c) {
    rlti_usda_skip_blanks(c);
    return c->at < c->end && c->status == RLT_OK ? *c->at : '\0';
}

int rlti_usda_accept(rlti_usda_cursor *c, char wanted) {
    if (rlti_usda_peek(c) != wanted || c->at >= c->end || c->status != RLT_OK)
        return 0;
    c->at++;
    return 1;
}

int rlti_usda_expect(rlti_usda_cursor *c, char wanted, const char *where) {
    if (rlti_usda_accept(c, wanted))
        return 1;
    if (c->at >= c->end)
        return rlti_usda_fail(c, c->at, "the text ends where '%c' is needed %s", wanted, where);
    return rlti_usda_fail(c, c->at, "'%c' is needed %s", wanted, where);
}

int rlti_usda_at_delimiter(const rlti_usda_cursor *c) {
    return c->at >= c->end || (class_of(*c->at) & DELIMITER) != 0;
}

rlti_usda_piece rlti_usda_word(rlti_usda_cursor *c, int namespaced) {
    rlti_usda_skip_blanks(c);
    const char *start = c->at, *p = start;
    if (c->status != RLT_OK)
        return (rlti_usda_piece){start, 0};
    while (rlti_usda_has(c, p) && ((class_of(*p) & WORD) || (namespaced && *p == ':')))
        p++;
    c->at = p;
    return (rlti_usda_piece){start, (size_t)(p - start)};
}

int rlti_usda_is(rlti_usda_piece piece, const char *word) {
    return strlen(word) == piece.length && memcmp(piece.at, word, piece.length) == 0;
}

/* ---- texts ---- */

static const rlti_usda_piece nothing = {NULL, 0};

static rlti_usda_piece fail_piece(rlti_usda_cursor *c, const char *place, const char *what) {
    rlti_usda_fail(c, place, "%s", what);
    c->at = c->end;
    return nothing;
}

rlti_usda_piece rlti_usda_quoted(rlti_usda_cursor *c) {
    char quote = rlti_usda_peek(c);
    const char *place = c->at;
    if (quote != '"' && quote != '\'')
        return fail_piece(c, place, "a text in quotes is needed");
    int triple = c->end - place >= 3 && place[1] == quote && place[2] == quote;
    const char *start = place + (triple ? 3 : 1);
    for (const char *p = start; rlti_usda_has(c, p); p++) {
        if (*p == '\\') {
            p++;
        } else if (*p == '\0' || (!triple && *p == '\n')) {
            break;
        } else if (*p == quote && (!triple || (c->end - p >= 3 && p[1] == quote && p[2] == quote))) {
            c->at = p + (triple ? 3 : 1);
            return (rlti_usda_piece){start, (size_t)(p - start)};
        }
    }
    return fail_piece(c, place, triple ? "this text does not end" : "this text does not end on its line");
}

rlti_usda_piece rlti_usda_asset(rlti_usda_cursor *c) {
    if (rlti_usda_peek(c) != '@')
        return fail_piece(c, c->at, "a file between @ is needed");
    const char *place = c->at;
    int triple = c->end - place >= 3 && place[1] == '@' && place[2] == '@';
    const char *start = place + (triple ? 3 : 1);
    for (const char *p = start; rlti_usda_has(c, p) && *p != '\n' && *p != '\0'; p++) {
        if (triple && c->end - p >= 4 && memcmp(p, "\\@@@", 4) == 0) {
            p += 3;
        } else if (!triple && *p == '@') {
            c->at = p + 1;
            return (rlti_usda_piece){start, (size_t)(p - start)};
        } else if (triple && c->end - p >= 3 && memcmp(p, "@@@", 3) == 0) {
            for (int i = 0; i < 2 && c->end - p > 3 && p[3] == '@'; i++) /* the name itself may end in @ */
                p++;
            c->at = p + 3;
            return (rlti_usda_piece){start, (size_t)(p - start)};
        }
    }
    return fail_piece(c, place, "the file name after this @ does not end on its line");
}

rlti_usda_piece rlti_usda_path(rlti_usda_cursor *c) {
    if (rlti_usda_peek(c) != '<')
        return fail_piece(c, c->at, "a path between < and > is needed");
    const char *place = c->at;
    for (const char *p = place + 1; rlti_usda_has(c, p) && *p != '\n' && *p != '\0'; p++)
        if (*p == '>') {
            c->at = p + 1;
            return (rlti_usda_piece){place + 1, (size_t)(p - place - 1)};
        }
    return fail_piece(c, place, "this path does not end on its line");
}

static int hex_value(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The character an escape means; `p` is after the backslash and moves to the escape's last character. */
static char escaped(const char **p, const char *end) {
    static const char names[] = "abfnrtv", meanings[] = "\a\b\f\n\r\t\v";
    const char *found = **p != '\0' ? strchr(names, **p) : NULL;
    if (found != NULL)
        return meanings[found - names];
    int value = 0;
    if (**p == 'x') {
        for (int i = 0; i < 2 && *p + 1 < end && hex_value((*p)[1]) >= 0; i++)
            value = 16 * value + hex_value(*++*p);
        return (char)value;
    }
    if (**p < '0' || **p > '7')
        return **p;
    value = **p - '0';
    for (int i = 0; i < 2 && *p + 1 < end && (*p)[1] >= '0' && (*p)[1] <= '7'; i++)
        value = 8 * value + (*++*p - '0');
    return (char)value;
}

size_t rlti_usda_decode(rlti_usda_piece piece, char *to) {
    const char *end = piece.at + piece.length;
    char *out = to;
    for (const char *p = piece.at; p < end; p++) {
        char c = *p;
        if (c == '\\' && p + 1 < end) {
            p++;
            c = escaped(&p, end);
        } else if (c == '\r' && p + 1 < end && p[1] == '\n') {
            continue; /* line ends are one character, whatever made the file */
        }
        if (c != '\0')
            *out++ = c;
    }
    return (size_t)(out - to);
}

size_t rlti_usda_decode_asset(rlti_usda_piece piece, char *to) {
    const char *end = piece.at + piece.length;
    int triple = piece.length > 0 && piece.at[-1] == '@' && piece.at[-2] == '@';
    char *out = to;
    for (const char *p = piece.at; p < end; p++)
        if (!(triple && end - p >= 4 && memcmp(p, "\\@@@", 4) == 0))
            *out++ = *p;
    return (size_t)(out - to);
}

static const char *keep(rlti_usda_cursor *c, rlti_arena *arena, rlti_usda_piece piece,
                        size_t (*decode)(rlti_usda_piece piece, char *to)) {
    if (c->status != RLT_OK)
        return NULL;
    char *made = rlti_arena_keep(arena, piece.length + 1, 1);
    if (made == NULL)
        rlti_usda_no_memory(c);
    else
        decode(piece, made);
    return made;
}

const char *rlti_usda_keep_text(rlti_usda_cursor *c, rlti_arena *arena, rlti_usda_piece quoted) {
    return keep(c, arena, quoted, rlti_usda_decode);
}

const char *rlti_usda_keep_asset(rlti_usda_cursor *c, rlti_arena *arena, rlti_usda_piece asset) {
    return keep(c, arena, asset, rlti_usda_decode_asset);
}

/* ---- values ---- */

int rlti_usda_number(rlti_usda_cursor *c, double *value) {
    rlti_usda_skip_blanks(c);
    if (c->status != RLT_OK)
        return 0;
    enum { NUMBER = 2048 }; /* [bytes] more than any number has */
    if (c->ready - c->at < NUMBER && c->at < c->end)
        rlti_usda_reach(c, c->end - c->at > NUMBER ? c->at + NUMBER : c->end - 1);
    const char *start = c->at, *after = rlti_scan_double(c->at, c->ready, value);
    if (after == NULL)
        return rlti_usda_fail(c, start, "a number is needed");
    c->at = after;
    return rlti_usda_at_delimiter(c) || rlti_usda_fail(c, start, "not a number");
}

enum { BRACKETS_MAX = 64 };

/* Anything that is no bracket. `commas` as below. */
static int skip_atom(rlti_usda_cursor *c) {
    switch (*c->at) {
    case '"':
    case '\'':
        return rlti_usda_quoted(c).at != NULL;
    case '@':
        return rlti_usda_asset(c).at != NULL;
    case '<':
        return rlti_usda_path(c).at != NULL;
    default:
        break;
    }
    const char *start = c->at;
    while (rlti_usda_has(c, c->at) && !(class_of(*c->at) & DELIMITER))
        c->at++;
    return c->at > start || rlti_usda_fail(c, start, "a value is needed");
}

enum { BLOCK = 64 };

/* Counts of what a run of bytes holds of an array of numbers. */
typedef struct block {
    unsigned char commas, opened, closed; /* of ',', '(' and ')' */
    unsigned char others;                 /* bytes that do not belong there */
} block;

/* Counts without branches, so that the compiler makes wide instructions of it. */
static block count_block(const char *bytes) {
    block b = {0};
    for (int i = 0; i < BLOCK; i++) {
        unsigned char byte = (unsigned char)bytes[i];
        unsigned char is_number = (unsigned char)((unsigned char)(byte - '(') <= '9' - '(') &
                                  (unsigned char)(byte != '/') & (unsigned char)(byte != '*');
        unsigned char is_other =
            (unsigned char)(byte == ' ') | (unsigned char)(byte == 'e') | (unsigned char)(byte == '\n');
        b.commas = (unsigned char)(b.commas + (byte == ','));
        b.opened = (unsigned char)(b.opened + (byte == '('));
        b.closed = (unsigned char)(b.closed + (byte == ')'));
        b.others = (unsigned char)(b.others + !(is_number | is_other));
    }
    return b;
}

/* Over as many blocks of an array of numbers or tuples as there are; `closing` are the brackets that are
 * open. Whether tuples are what they should be is seen when they are read. */
static void skip_blocks(rlti_usda_cursor *c, char closing[BRACKETS_MAX], int *depth, size_t *commas) {
    int base = *depth; /* the innermost array has the brackets up to here */
    while (base > 0 && closing[base - 1] == ')')
        base--;
    if (base == 0 || closing[base - 1] != ']' || base + 3 > BRACKETS_MAX)
        return;
    while (c->ready - c->at >= BLOCK) {
        block b = count_block(c->at);
        int after = *depth + b.opened - b.closed;
        if (b.others > 0 || after < base || after > base + 2)
            return;
        for (int i = *depth; i < after; i++)
            closing[i] = ')';
        *depth = after;
        *commas += b.commas;
        c->at += BLOCK;
    }
}

/* From the opening bracket to the one that closes it. */
static int skip_brackets(rlti_usda_cursor *c, size_t *commas) {
    char closing[BRACKETS_MAX];
    int depth = 0;
    const char *start = c->at;
    while (rlti_usda_has(c, c->at) && c->status == RLT_OK) {
        char byte = *c->at;
        if ((byte >= '0' && byte <= '9') || byte == '.' || byte == ' ' || byte == '-') {
            c->at++; /* nearly all of a large array */
        } else if (byte == ',') {
            ++*commas;
            c->at++;
        } else if (byte == '(' || byte == '[' || byte == '{') {
            if (depth == BRACKETS_MAX)
                return rlti_usda_fail(c, c->at, "more than %d brackets inside each other", BRACKETS_MAX);
            closing[depth++] = byte == '(' ? ')' : byte == '[' ? ']' : '}';
            c->at++;
            skip_blocks(c, closing, &depth, commas);
        } else if (byte == ')' || byte == ']' || byte == '}') {
            if (byte != closing[depth - 1])
                return rlti_usda_fail(c, c->at, "'%c' where '%c' is needed", byte, closing[depth - 1]);
            c->at++;
            if (--depth == 0)
                return 1;
        } else if (byte == '"' || byte == '\'' || byte == '@' || byte == '<') {
            skip_atom(c);
        } else if (byte == '\0') {
            return rlti_usda_fail(c, c->at, "a zero byte: this is not text");
        } else if (!skip_comment(c)) {
            c->at++;
        }
    }
    return rlti_usda_fail(c, start, "this bracket is never closed");
}

int rlti_usda_skip_value(rlti_usda_cursor *c, size_t *commas) {
    char first = rlti_usda_peek(c);
    *commas = 0;
    if (c->status != RLT_OK)
        return 0;
    if (first == '\0')
        return rlti_usda_fail(c, c->at, "a value is needed");
    if (first == '(' || first == '[' || first == '{')
        return skip_brackets(c, commas);
    return skip_atom(c);
}
