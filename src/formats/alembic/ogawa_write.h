/* Writing an Ogawa container: blocks and groups are appended, children before parents. */
#ifndef RLTI_FORMATS_ALEMBIC_OGAWA_WRITE_H
#define RLTI_FORMATS_ALEMBIC_OGAWA_WRITE_H

#include "formats/alembic/ogawa.h"
#include "io/output.h"

/* The header of a file that is not complete yet. */
void rlti_ogawa_begin(rlti_stream *out);

/* A block, optionally with a sample's key before its bytes; returns its reference. Bytes start at multiples
 * of 8, so that readers need not copy them. Failures show in rlti_stream_check. */
uint64_t rlti_ogawa_put_data(rlti_stream *out, const uint64_t *key, const void *bytes, size_t size);

/* The same in pieces: the place of a block with a key, whose bytes are written next; then its size and key,
 * which are known at its end. Returns the reference. */
uint64_t rlti_ogawa_begin_data(rlti_stream *out);
uint64_t rlti_ogawa_end_data(rlti_stream *out, uint64_t at, const uint64_t key[2]);

uint64_t rlti_ogawa_put_group(rlti_stream *out, const uint64_t *children, size_t count);

/* Says where the root is and that the file is complete. */
void rlti_ogawa_end(rlti_stream *out, uint64_t root);

#endif
