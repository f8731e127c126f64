#include "io/obj.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/list.h"
#include "base/memory.h"
#include "base/messages.h"
#include "base/number.h"

enum { BLOCK = 1 << 16, WORD = 64, PROBLEMS = 10 };

/* A stream of characters with one character of look-ahead, and what is being built from it. */
typedef struct reader {
    const char *name;
    rlt_messages *messages;
    FILE *file;           /* NULL: all the text is in `at` */
    const char *at, *end; /* what is left of the block */
    int error;            /* errno of a failed read */
    long long line;
    int problems;
    int no_memory;

    int fixed; /* vertices go to the caller's array of this many; faces are only hashed */
    int vertex_count, triangle_count, face_count;
    int vertex_capacity, triangle_capacity;
    double (*vertices)[3];
    int (*triangles)[3];
    uint64_t topology;
    long long greatest, greatest_line; /* index used, and where */
    char block[BLOCK];
} reader;

static void problem(reader *r, const char *format, ...) RLTI_PRINTF(2, 3);

static void problem(reader *r, const char *format, ...) {
    char text[160];
    va_list arguments;
    if (r->problems++ >= PROBLEMS)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    rlti_message(r->messages, RLT_ERROR, "%s:%lld: %s", r->name, r->line, text);
}

static int give_up(const reader *r) {
    return r->problems >= PROBLEMS || r->no_memory || r->error != 0;
}

/* The next character without taking it; EOF at the end. */
static int peek(reader *r) {
    if (r->at == r->end) {
        if (r->file == NULL)
            return EOF;
        errno = 0;
        size_t count = fread(r->block, 1, BLOCK, r->file);
        if (count == 0) {
            if (ferror(r->file))
                r->error = errno != 0 ? errno : EIO;
            return EOF;
        }
        r->at = r->block;
        r->end = r->block + count;
    }
    return (unsigned char)*r->at;
}

static int is_end(int c) {
    return c == EOF || c == '\n';
}

static int is_blank(int c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* Blanks within the line; a backslash before the line's end continues in the next line. */
static void skip_blanks(reader *r) {
    for (;;) {
        int c = peek(r);
        if (c == '\\') {
            r->at++;
            while (is_blank(peek(r)))
                r->at++;
            if (peek(r) == '\n') {
                r->at++;
                r->line++;
            }
        } else if (is_blank(c)) {
            r->at++;
        } else {
            return;
        }
    }
}

/* The next word of the line, cut short to WORD - 1 characters; its true length, 0 at the end of the line. A
 * comment ends the line. */
static size_t next_word(reader *r, char word[WORD]) {
    size_t length = 0;
    skip_blanks(r);
    int c = peek(r);
    while (!is_end(c) && !is_blank(c) && c != '\\' && c != '#') {
        if (length + 1 < WORD)
            word[length] = (char)c;
        length++;
        r->at++;
        c = peek(r);
    }
    word[length < WORD ? length : WORD - 1] = '\0';
    return length;
}

static void skip_line(reader *r) {
    while (!is_end(peek(r))) {
        const char *stop = memchr(r->at, '\n', (size_t)(r->end - r->at));
        r->at = stop != NULL ? stop : r->end;
    }
}

/* Text of the file made safe to print. */
static const char *shown(char word[WORD]) {
    for (char *c = word; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f)
            *c = '?';
    return word;
}

/* Whether one more is allowed; where not, reading ends. */
static int is_allowed(reader *r, int count, int maximum) {
    if (count < maximum)
        return 1;
    problem(r, "too many: at most %d are allowed", maximum);
    r->problems = PROBLEMS;
    return 0;
}

static int read_coordinate(reader *r, double *value) {
    char word[WORD];
    size_t length = next_word(r, word);
    if (length == 0) {
        problem(r, "a vertex needs three numbers");
        return 0;
    }
    rlti_number_kind kind = length < WORD ? rlti_number_parse(word, strlen(word), value) : RLTI_NUMBER_NONE;
    if (kind == RLTI_NUMBER_NO_MEMORY)
        r->no_memory = 1;
    else if (kind == RLTI_NUMBER_NOT_FINITE)
        problem(r, "a coordinate is not finite: '%s'", shown(word));
    else if (kind == RLTI_NUMBER_NONE)
        problem(r, "not a number: '%s'", shown(word));
    else if (!(*value >= -RLTI_OBJ_FURTHEST && *value <= RLTI_OBJ_FURTHEST))
        problem(r, "a coordinate is beyond 1e9: '%s'", shown(word));
    else
        return 1;
    return 0;
}

static void read_vertex(reader *r) {
    double point[3];
    for (int k = 0; k < 3; k++)
        if (!read_coordinate(r, &point[k]))
            return;
    /* what may follow (weight, colour) is of no use here */
    if (r->fixed) {
        if (r->vertex_count < r->vertex_capacity)
            memcpy(r->vertices[r->vertex_count], point, sizeof point);
        if (r->vertex_count < RLTI_OBJ_VERTICES_MAX)
            r->vertex_count++;
        return;
    }
    if (!is_allowed(r, r->vertex_count, RLTI_OBJ_VERTICES_MAX))
        return;
    r->no_memory |= !RLTI_LIST_RESERVE(r->vertices, r->vertex_count, 1, r->vertex_capacity);
    if (!r->no_memory)
        memcpy(r->vertices[r->vertex_count++], point, sizeof point);
}

/* "12", "12/3", "12//7", "-1/-1/-1": the first number, from 0; -1 after a problem. */
static long long read_corner(reader *r, char word[WORD], size_t length) {
    const char *p = word;
    int negative = *p == '-';
    p += *p == '-' || *p == '+';
    long long index = 0;
    int digits = 0;
    for (; *p >= '0' && *p <= '9' && digits < 12; p++, digits++)
        index = 10 * index + (*p - '0');
    if (digits == 0 || (*p != '\0' && *p != '/') || length >= WORD) {
        problem(r, "not a corner of a face: '%s'", shown(word));
        return -1;
    }
    long long from_zero = negative ? r->vertex_count - index : index - 1;
    if (index == 0 || from_zero < 0) {
        problem(r, "a face uses vertex %s%lld: there %s %d before it", negative ? "-" : "", index,
                r->vertex_count == 1 ? "is" : "are", r->vertex_count);
        return -1;
    }
    if (from_zero > r->greatest) { /* vertices may follow: checked in the end */
        r->greatest = from_zero;
        r->greatest_line = r->line;
    }
    return from_zero;
}

static void add_triangle(reader *r, int a, int b, int c) {
    const int corners[3] = {a, b, c};
    for (int k = 0; k < 3; k++)
        r->topology = rlti_hash_word(r->topology, (uint64_t)corners[k]);
    if (r->fixed) {
        r->triangle_count += r->triangle_count < RLTI_OBJ_TRIANGLES_MAX;
        return;
    }
    if (!is_allowed(r, r->triangle_count, RLTI_OBJ_TRIANGLES_MAX))
        return;
    r->no_memory |= !RLTI_LIST_RESERVE(r->triangles, r->triangle_count, 1, r->triangle_capacity);
    if (!r->no_memory)
        memcpy(r->triangles[r->triangle_count++], corners, sizeof corners);
}

static void read_face(reader *r) {
    char word[WORD];
    long long first = 0, last = 0;
    int count = 0;
    for (size_t length; !give_up(r) && (length = next_word(r, word)) > 0; count++) {
        long long corner = read_corner(r, word, length);
        if (corner < 0)
            return;
        if (corner >= RLTI_OBJ_VERTICES_MAX) {
            problem(r, "a face uses vertex %lld: at most %d are allowed", corner + 1, RLTI_OBJ_VERTICES_MAX);
            return;
        }
        if (count == 0)
            first = corner;
        if (count >= 2)
            add_triangle(r, (int)first, (int)last, (int)corner);
        last = corner;
    }
    if (count < 3)
        problem(r, "a face has %d corner%s: needs at least 3", count, count == 1 ? "" : "s");
    r->face_count += r->face_count < RLTI_OBJ_TRIANGLES_MAX;
}

static void read_lines(reader *r) {
    char word[WORD];
    r->line = 1;
    r->greatest = -1;
    r->topology = RLTI_HASH_START;
    while (peek(r) != EOF && !give_up(r)) {
        next_word(r, word);
        if (strcmp(word, "v") == 0)
            read_vertex(r);
        else if (strcmp(word, "f") == 0 || strcmp(word, "fo") == 0)
            read_face(r);
        skip_line(r);
        if (peek(r) == '\n') {
            r->at++;
            r->line++;
        }
    }
}

/* Checks that need the end of the file. */
static rlt_status finish(reader *r) {
    if (r->error != 0)
        return rlti_refuse(r->messages, "%s: cannot be read: %s", r->name, strerror(r->error));
    if (r->no_memory)
        return rlti_out_of_memory(r->messages);
    if (r->problems == 0 && r->greatest >= r->vertex_count) {
        r->line = r->greatest_line;
        problem(r, "a face uses vertex %lld: the file has %d", r->greatest + 1, r->vertex_count);
    }
    if (r->problems >= PROBLEMS)
        rlti_message(r->messages, RLT_ERROR, "%s: there may be more problems", r->name);
    if (r->problems > 0)
        return RLT_BAD_INPUT;
    if (r->triangle_count == 0)
        return rlti_refuse(r->messages, "%s: holds no faces (is it an OBJ file?)", r->name);
    return RLT_OK;
}

static rlt_status open_file(reader *r) {
    r->file = fopen(r->name, "rb");
    if (r->file == NULL)
        return rlti_refuse(r->messages, "%s: cannot be read: %s", r->name, strerror(errno));
    return RLT_OK;
}

static rlt_status build(reader *r, rlti_obj **obj) {
    rlti_obj *made = RLTI_NEW(rlti_obj, 1);
    if (made == NULL)
        r->no_memory = 1;
    else
        read_lines(r);
    rlt_status status = finish(r);
    if (status == RLT_OK) {
        *made = (rlti_obj){r->vertex_count, r->triangle_count, r->face_count,
                           r->vertices,     r->triangles,      r->topology};
        *obj = made;
        return RLT_OK;
    }
    RLTI_FREE(r->vertices, r->triangles, made);
    return status;
}

rlt_status rlti_obj_read(const char *path, rlt_messages *messages, rlti_obj **obj) {
    *obj = NULL;
    reader *r = RLTI_NEW(reader, 1);
    if (r == NULL)
        return rlti_out_of_memory(messages);
    r->name = path;
    r->messages = messages;
    rlt_status status = open_file(r);
    if (status == RLT_OK) {
        status = build(r, obj);
        fclose(r->file);
    }
    rlti_free(r);
    return status;
}

rlt_status rlti_obj_parse(const char *name, const char *text, size_t size, rlt_messages *messages,
                          rlti_obj **obj) {
    *obj = NULL;
    reader *r = RLTI_NEW(reader, 1);
    if (r == NULL)
        return rlti_out_of_memory(messages);
    r->name = name;
    r->messages = messages;
    r->at = text;
    r->end = text == NULL ? NULL : text + size;
    rlt_status status = build(r, obj);
    rlti_free(r);
    return status;
}

void rlti_obj_destroy(rlti_obj *obj) {
    if (obj == NULL)
        return;
    RLTI_FREE(obj->vertices, obj->triangles, obj);
}

rlt_status rlti_obj_read_vertices(const char *path, const rlti_obj *like, const char *first,
                                  rlt_messages *messages, double (*vertices)[3]) {
    reader *r = RLTI_NEW(reader, 1);
    if (r == NULL)
        return rlti_out_of_memory(messages);
    r->name = path;
    r->messages = messages;
    r->fixed = 1;
    r->vertices = vertices;
    r->vertex_capacity = like->vertex_count;
    rlt_status status = open_file(r);
    if (status == RLT_OK) {
        read_lines(r);
        status = finish(r);
        fclose(r->file);
    }
    if (status == RLT_OK && r->vertex_count != like->vertex_count)
        status = rlti_refuse(messages,
                             "%s: has %d vertices, %s has %d: all files of a sequence must have the same",
                             path, r->vertex_count, first, like->vertex_count);
    else if (status == RLT_OK && r->topology != like->topology)
        status = rlti_refuse(
            messages, "%s: has other faces than %s: all files of a sequence must have the same", path, first);
    rlti_free(r);
    return status;
}
