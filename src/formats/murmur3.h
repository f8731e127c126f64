/* MurmurHash3 (x64, 128 bits, seed 0), by which Alembic knows samples. Little endian. */
#ifndef RLTI_FORMATS_MURMUR3_H
#define RLTI_FORMATS_MURMUR3_H

#include <stddef.h>
#include <stdint.h>

void rlti_murmur3(const void *bytes, size_t size, uint64_t hash[2]);

#endif
