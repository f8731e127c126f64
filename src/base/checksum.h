/* A 64-bit checksum: for damage and changes, not for secrets. */
#ifndef RLTI_BASE_CHECKSUM_H
#define RLTI_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Checksum of `size` bytes that follow those `hash` was made of; every change within one 8-byte word changes
 * it. A size that is no multiple of 8 is padded with zeros. The same on machines of either byte order. */
uint64_t rlti_checksum(uint64_t hash, const void *bytes, size_t size);

#endif
