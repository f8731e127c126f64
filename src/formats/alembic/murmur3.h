/* MurmurHash3 (x64, 128 bits, seed 0), by which Alembic knows samples. Little endian. */
#ifndef RLTI_FORMATS_ALEMBIC_MURMUR3_H
#define RLTI_FORMATS_ALEMBIC_MURMUR3_H

#include <stddef.h>
#include <stdint.h>

void rlti_murmur3(const void *bytes, size_t size, uint64_t hash[2]);

/* The same of bytes that come in pieces. Starts all zero. */
typedef struct rlti_murmur3_state {
    uint64_t a, b, size;
    unsigned char rest[16]; /* size % 16 bytes that are not mixed in yet */
} rlti_murmur3_state;

void rlti_murmur3_add(rlti_murmur3_state *state, const void *bytes, size_t size);
void rlti_murmur3_end(const rlti_murmur3_state *state, uint64_t hash[2]);

#endif
