/* FNV-1a, 64 bits: for tables of names, and where a hash of results is published (rlt_simulation_hash), so
 * its values never change. For files that may be damaged there is base/checksum.h, which is faster. */
#ifndef RLTI_BASE_HASH_H
#define RLTI_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define RLTI_HASH_START ((uint64_t)0xcbf29ce484222325u)

/* One word more, of any width, as if it were a byte. */
static inline uint64_t rlti_hash_word(uint64_t hash, uint64_t word) {
    return (hash ^ word) * (uint64_t)0x100000001b3u;
}

static inline uint64_t rlti_hash_bytes(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++)
        hash = rlti_hash_word(hash, at[i]);
    return hash;
}

/* A name among those of one owner: a key of tables. */
static inline uint64_t rlti_hash_name(int owner, const char *name, size_t length) {
    return rlti_hash_bytes(rlti_hash_word(RLTI_HASH_START, (uint32_t)owner), name, length);
}

#endif
