/* Ogawa, the container of Alembic files: groups of children and blocks of data, found by their offsets. Every
 * step is checked against the file's size. */
#ifndef RLTI_FORMATS_ALEMBIC_OGAWA_H
#define RLTI_FORMATS_ALEMBIC_OGAWA_H

#include <stddef.h>
#include <stdint.h>

#include "io/file_map.h"

#define RLTI_OGAWA_HEADER     16
#define RLTI_OGAWA_IS_DATA    0x8000000000000000u /* top bit of a child's reference */
#define RLTI_OGAWA_EMPTY_DATA RLTI_OGAWA_IS_DATA
#define RLTI_OGAWA_KEY        16 /* bytes in front of the values of a sample: their hash */

typedef struct rlti_ogawa {
    const unsigned char *bytes;
    size_t size;
    const rlti_file_pages *pages; /* of the file; NULL: all bytes are there */
} rlti_ogawa;

typedef struct rlti_ogawa_group {
    uint64_t count;
    const unsigned char *children; /* [count] references of 8 bytes */
} rlti_ogawa_group;

typedef struct rlti_ogawa_data {
    const unsigned char *bytes;
    size_t size;
} rlti_ogawa_data;

/* Functions return NULL, or what is wrong. */
const char *rlti_ogawa_open(rlti_ogawa *ogawa, const unsigned char *bytes, size_t size,
                            const rlti_file_pages *pages, rlti_ogawa_group *root);
const char *rlti_ogawa_group_at(const rlti_ogawa *ogawa, uint64_t reference, rlti_ogawa_group *group);
const char *rlti_ogawa_data_at(const rlti_ogawa *ogawa, uint64_t reference, rlti_ogawa_data *data);
/* The same, but the bytes may not be read yet. */
const char *rlti_ogawa_data_place(const rlti_ogawa *ogawa, uint64_t reference, rlti_ogawa_data *data);

/* Reference of a child, which must be below the count. */
uint64_t rlti_ogawa_child(const rlti_ogawa_group *group, uint64_t index);

#endif
