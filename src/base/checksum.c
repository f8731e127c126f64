#include "base/checksum.h"

#include <string.h>

#include "base/random.h"

/* The next 8 bytes, or what is left of them and zeros. */
static uint64_t word_at(const unsigned char *at, size_t size) {
    uint64_t word = 0;
    memcpy(&word, at, size < 8 ? size : 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

uint64_t rlti_checksum(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    while (size > 0) {
        size_t taken = size < 8 ? size : 8;
        hash = rlti_hash64(hash ^ word_at(at, size));
        at += taken;
        size -= taken;
    }
    return hash;
}

void rlti_checksum_add(rlti_checksum_lanes *lanes, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    rlti_checksum_lanes l = *lanes;
    for (; size >= 32; at += 32, size -= 32)
        for (int k = 0; k < 4; k++)
            l.lane[k] = rlti_hash64(l.lane[k] ^ word_at(at + 8 * k, 8));
    l.lane[0] = rlti_checksum(l.lane[0], at, size);
    *lanes = l;
}

uint64_t rlti_checksum_sum(const rlti_checksum_lanes *lanes, uint64_t size) {
    return rlti_checksum(size, lanes->lane, sizeof lanes->lane);
}
