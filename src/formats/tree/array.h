/* Arrays of values as files hold them: numbers with their own precision, or texts. */
#ifndef RLTI_FORMATS_TREE_ARRAY_H
#define RLTI_FORMATS_TREE_ARRAY_H

#include <stddef.h>
#include <stdint.h>

#include "ringlet/status.h"

typedef enum rlti_element {
    RLTI_BOOL, /* one byte, 0 or 1 */
    RLTI_UINT8,
    RLTI_INT8,
    RLTI_UINT16,
    RLTI_INT16,
    RLTI_UINT32,
    RLTI_INT32,
    RLTI_UINT64,
    RLTI_INT64,
    RLTI_HALF, /* IEEE binary16 */
    RLTI_FLOAT,
    RLTI_DOUBLE,
    RLTI_TEXT, /* UTF-8; one pointer per element: const char *const * */
    RLTI_ELEMENT_COUNT
} rlti_element;

/* Meaning of the numbers of one value: how they transform, and the type's name in files. */
typedef enum rlti_role {
    RLTI_ROLE_NONE,
    RLTI_ROLE_POINT,
    RLTI_ROLE_VECTOR,
    RLTI_ROLE_NORMAL,
    RLTI_ROLE_COLOUR,
    RLTI_ROLE_TEXTURE,    /* texture coordinates */
    RLTI_ROLE_QUATERNION, /* arity 4: x y z w in memory (USD text has w first) */
    RLTI_ROLE_MATRIX,     /* arity 4, 9 or 16, row after row, row vectors: p' = p M */
    RLTI_ROLE_TOKEN,      /* text from a small set of words; USD's token */
    RLTI_ROLE_ASSET,      /* text: a file name */
    RLTI_ROLE_BOX         /* arity 3 twice, or 6: least corner, greatest corner */
} rlti_role;

/* The type of one attribute. A value is `arity` elements; an array has any number of values. */
typedef struct rlti_array_type {
    rlti_element element;
    int arity; /* 1, 2, 3, 4, 6, 9, 16 */
    rlti_role role;
    int is_array; /* 0: always exactly one value */
} rlti_array_type;

/* Bytes of one element; of a text, of its pointer. */
size_t rlti_element_size(rlti_element element);

/* A value or an array of values. `data` may point into a mapped file (then `owned` is unused) or into
 * `owned`. An array may be used again and again: its memory is kept, so that reading frame after frame
 * allocates nothing. Zeroed is empty. */
typedef struct rlti_array {
    rlti_array_type type;
    size_t count;     /* values, each of type.arity elements */
    const void *data; /* count * arity elements, aligned for their type */
    int blocked;      /* 1: the file says "no value" here (USD's None) */
    void *owned;
    size_t capacity; /* bytes of `owned` */
} rlti_array;

/* Takes memory for `count` values of `type` in the array's own memory, sets data, and returns it for
 * writing; NULL when out of memory or when the size overflows. What was in it is lost. */
void *rlti_array_reserve(rlti_array *array, rlti_array_type type, size_t count);

/* The same for texts of `bytes` bytes in all (with their ends): pointers first, then memory for the bytes at
 * *text. */
const char **rlti_array_reserve_texts(rlti_array *array, rlti_array_type type, size_t count, size_t bytes,
                                      char **text);

/* Copies, texts and all, into the array's own memory. Returns 0 when out of memory. */
int rlti_array_copy(rlti_array *to, const rlti_array *from);

/* One array after another as doubles or ints; texts and blocked arrays give an error. The result has
 * count * arity elements. Returns 0 when out of memory or not numbers. */
int rlti_array_to_doubles(const rlti_array *from, double *to /* [count * arity] */);
int rlti_array_to_ints(const rlti_array *from, int *to /* [count * arity] */); /* 0 where one does not fit */

/* Stores element `i` of an array; a whole number is limited to its type's range, and cut off. */
void rlti_array_store(rlti_element element, void *to, size_t i, double value);

/* 1 when type, count and every byte are the same; texts by content; NaN equals NaN of the same bits. */
int rlti_array_equal(const rlti_array *a, const rlti_array *b);

void rlti_array_clear(rlti_array *array); /* frees what it owns, zeroes it */

double rlti_half_to_double(uint16_t half);
uint16_t rlti_half_from_double(double value); /* to nearest, ties to even */

#endif
