/* Writing an Ogawa container: blocks and groups are appended, children before parents. */
#ifndef RLTI_FORMATS_ALEMBIC_OGAWA_WRITE_H
#define RLTI_FORMATS_ALEMBIC_OGAWA_WRITE_H

#include "formats/alembic/ogawa.h"
#include "io/output.h"

typedef struct rlti_ogawa_out {
    rlti_stream stream;
    uint64_t at; /* bytes so far */
} rlti_ogawa_out;

/* The header of a file that is not complete yet. */
void rlti_ogawa_begin(rlti_ogawa_out *out);

/* A block, optionally with a sample's key before its bytes; returns its reference. Bytes start at multiples
 * of 8, so that readers need not copy them. Failures show in rlti_stream_check. */
uint64_t rlti_ogawa_put_data(rlti_ogawa_out *out, const uint64_t *key, const void *bytes, size_t size);

/* The same in pieces: the place of a block with a key, whose bytes follow; then its size and key, which are
 * known at its end. Returns the reference. */
uint64_t rlti_ogawa_begin_data(rlti_ogawa_out *out);
void rlti_ogawa_add_data(rlti_ogawa_out *out, const void *bytes, size_t size);
uint64_t rlti_ogawa_end_data(rlti_ogawa_out *out, uint64_t at, const uint64_t key[2]);

uint64_t rlti_ogawa_put_group(rlti_ogawa_out *out, const uint64_t *children, size_t count);

/* Says where the root is and that the file is complete. */
void rlti_ogawa_end(rlti_ogawa_out *out, uint64_t root);

#endif
