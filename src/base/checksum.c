#include "base/checksum.h"

#include <string.h>

#include "base/random.h"

uint64_t rlti_checksum(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    while (size > 0) {
        size_t taken = size < 8 ? size : 8;
        uint64_t word = 0;
        memcpy(&word, at, taken);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        word = __builtin_bswap64(word);
#endif
        hash = rlti_hash64(hash ^ word);
        at += taken;
        size -= taken;
    }
    return hash;
}
