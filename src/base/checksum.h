/* A 64-bit checksum: for damage and changes, not for secrets. */
#ifndef RLTI_BASE_CHECKSUM_H
#define RLTI_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Checksum of `size` bytes that follow those `hash` was made of; every change within one 8-byte word changes
 * it. A size that is no multiple of 8 is padded with zeros. The same on machines of either byte order. */
uint64_t rlti_checksum(uint64_t hash, const void *bytes, size_t size);

/* The same promise in four chains, which a processor works on side by side: for whole files. Not the same
 * number. */
typedef struct rlti_checksum_lanes {
    uint64_t lane[4];
} rlti_checksum_lanes;

/* Adds bytes; all calls but the last have a size that is a multiple of 32. */
void rlti_checksum_add(rlti_checksum_lanes *lanes, const void *bytes, size_t size);
uint64_t rlti_checksum_sum(const rlti_checksum_lanes *lanes, uint64_t size);

/* A checksum of a file that grows at its end and is changed here and there: the sum over its 8-byte words of
 * a hash of word and place. A change within one word is found for certain, others but for one chance in 2^64.
 * Zeroed, it is that of an empty file. */
typedef struct rlti_sum {
    uint64_t words;        /* the sum of the whole words */
    uint64_t length;       /* [bytes] */
    unsigned char rest[8]; /* the bytes after the last whole word */
} rlti_sum;

void rlti_sum_add(rlti_sum *sum, const void *bytes, size_t size);

/* `size` bytes from `at` on, a multiple of 8, become others. They end at the end of a word or of the file. */
void rlti_sum_change(rlti_sum *sum, uint64_t at, const void *before, const void *after, size_t size);

uint64_t rlti_sum_value(const rlti_sum *sum);

#endif
