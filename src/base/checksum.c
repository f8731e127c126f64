#include "base/checksum.h"

#include <string.h>

#include "base/random.h"

/* Up to 8 bytes as a number, lowest first, padded with zeros. */
static uint64_t word_of(const unsigned char *bytes, size_t size) {
    uint64_t word = 0;
    memcpy(&word, bytes, size);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

uint64_t rlti_checksum(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    while (size > 0) {
        size_t taken = size < 8 ? size : 8;
        hash = rlti_hash64(hash ^ word_of(at, taken));
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
            l.lane[k] = rlti_hash64(l.lane[k] ^ word_of(at + 8 * k, 8));
    l.lane[0] = rlti_checksum(l.lane[0], at, size);
    *lanes = l;
}

uint64_t rlti_checksum_sum(const rlti_checksum_lanes *lanes, uint64_t size) {
    return rlti_checksum(size, lanes->lane, sizeof lanes->lane);
}

/* Of the word with this number: a bijection of the word. */
static uint64_t placed(uint64_t index, uint64_t word) {
    return rlti_hash64(word ^ index * 0x9e3779b97f4a7c15u);
}

void rlti_sum_add(rlti_sum *sum, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    size_t waiting = (size_t)(sum->length % 8);
    uint64_t index = sum->length / 8, words = 0;
    sum->length += size;
    if (waiting > 0) {
        size_t taken = size < 8 - waiting ? size : 8 - waiting;
        memcpy(sum->rest + waiting, at, taken);
        at += taken;
        size -= taken;
        if (waiting + taken < 8)
            return;
        words += placed(index++, word_of(sum->rest, 8));
    }
    for (; size >= 8; at += 8, size -= 8)
        words += placed(index++, word_of(at, 8));
    memcpy(sum->rest, at, size);
    sum->words += words;
}

void rlti_sum_change(rlti_sum *sum, uint64_t at, const void *before, const void *after, size_t size) {
    const unsigned char *old = before, *new = after;
    uint64_t index = at / 8;
    for (; size >= 8; old += 8, new += 8, size -= 8, index++)
        sum->words += placed(index, word_of(new, 8)) - placed(index, word_of(old, 8));
    memcpy(sum->rest, new, size);
}

uint64_t rlti_sum_value(const rlti_sum *sum) {
    size_t waiting = (size_t)(sum->length % 8);
    return sum->words + (waiting > 0 ? placed(sum->length / 8, word_of(sum->rest, waiting)) : 0);
}
