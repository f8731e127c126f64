/* The words of a .usda text: blanks, comments, names, texts, brackets. A cursor keeps its first failure, with
 * the place; after that every function fails at once. */
#ifndef RLTI_FORMATS_USD_USDA_TEXT_H
#define RLTI_FORMATS_USD_USDA_TEXT_H

#include <stddef.h>

#include "base/arena.h"
#include "io/file_map.h"
#include "ringlet/status.h"

/* A text may be longer than memory: what is behind `ready` is not there yet, and what was passed over may
 * have been given back. */
typedef struct rlti_usda_cursor {
    const char *file; /* for messages */
    const char *start, *end;
    const char *at;
    const char *ready;            /* up to here bytes can be used; `end` where all are there */
    const rlti_file_pages *pages; /* NULL: all are there */
    const char *text;             /* the file's first byte, where there are pages */
    size_t before;                /* bytes of the file before `start`, which may be a copy of a part */
    rlt_messages *messages;
    rlt_status status; /* RLT_OK until something fails */
} rlti_usda_cursor;

/* A piece of the text. `at` NULL: nothing. */
typedef struct rlti_usda_piece {
    const char *at;
    size_t length;
} rlti_usda_piece;

/* Adds "FILE:LINE:COLUMN: ..." once and returns 0. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
int rlti_usda_fail(rlti_usda_cursor *c, const char *place, const char *format, ...);
int rlti_usda_no_memory(rlti_usda_cursor *c); /* returns 0 */

/* Reads on, so that the byte at `p` can be used and some behind it; 0 where the text ends before. */
int rlti_usda_reach(rlti_usda_cursor *c, const char *p);
/* 1 when there is a byte at `p`, and it and the next 16 can be used as far as there are any. */
static inline int rlti_usda_has(rlti_usda_cursor *c, const char *p) {
    return c->ready - p > 16 || rlti_usda_reach(c, p);
}
/* Gives back the memory of a long value that was passed over. */
void rlti_usda_forget(rlti_usda_cursor *c, const char *from, const char *to);

/* Over blanks, line ends and comments. */
void rlti_usda_skip_blanks(rlti_usda_cursor *c);

/* Over blanks and then this character, if it is there. */
int rlti_usda_accept(rlti_usda_cursor *c, char wanted);
/* The same; fails with "expected ... WHERE" where it is not there. */
int rlti_usda_expect(rlti_usda_cursor *c, char wanted, const char *where);
/* The next character that counts, or 0 at the end. */
char rlti_usda_peek(rlti_usda_cursor *c);

/* A word of letters, digits, '_', bytes above 127, and ':' with `namespaced`; length 0 where there is none.
 */
rlti_usda_piece rlti_usda_word(rlti_usda_cursor *c, int namespaced);
int rlti_usda_is(rlti_usda_piece piece, const char *word);

/* "...", '...', and the same with three quotes. The piece is what stands between them; decoded by
 * rlti_usda_decode. Fails where there is no text, or no end of it. */
rlti_usda_piece rlti_usda_quoted(rlti_usda_cursor *c);
/* @...@ or @@@...@@@ */
rlti_usda_piece rlti_usda_asset(rlti_usda_cursor *c);
/* <...> */
rlti_usda_piece rlti_usda_path(rlti_usda_cursor *c);

/* Decodes a piece between quotes; the result is never longer. Returns its length; no zero byte is written,
 * nor made by an escape. */
size_t rlti_usda_decode(rlti_usda_piece piece, char *to);
/* Of an asset with three @: \@@@ is @@@. */
size_t rlti_usda_decode_asset(rlti_usda_piece piece, char *to);

/* Decoded copies; NULL when out of memory (the cursor has failed then). */
const char *rlti_usda_keep_text(rlti_usda_cursor *c, rlti_arena *arena, rlti_usda_piece quoted);
const char *rlti_usda_keep_asset(rlti_usda_cursor *c, rlti_arena *arena, rlti_usda_piece asset);

/* Over one value of any kind, brackets and all. *commas counts the commas inside (in comments and texts, too,
 * it may be more than there are): an upper bound for elements. */
int rlti_usda_skip_value(rlti_usda_cursor *c, size_t *commas);

/* A number. */
int rlti_usda_number(rlti_usda_cursor *c, double *value);

/* 1 at the end of a bare word or number: a blank, bracket, separator or the end of the text. */
int rlti_usda_at_delimiter(const rlti_usda_cursor *c);

#endif
