#include "formats/usd/usdc_pack.h"

#include <lz4.h>
#include <string.h>

#include "base/memory.h"

/* One LZ4 block takes at most this much; longer input is cut into chunks. */
enum { CHUNK = LZ4_MAX_INPUT_SIZE };

/* ---- fast compression ---- */

size_t rlti_fast_limit(size_t packed) {
    return packed > SIZE_MAX / 512 ? SIZE_MAX / 2 : packed * 255 + 64;
}

static int unpack_block(const unsigned char *packed, size_t size, unsigned char *to, size_t capacity,
                        size_t *got) {
    if (size == 0 || size > (size_t)LZ4_COMPRESSBOUND(CHUNK))
        return 0;
    int maximum = capacity < CHUNK ? (int)capacity : CHUNK;
    int made = LZ4_decompress_safe((const char *)packed, (char *)to, (int)size, maximum);
    *got = made > 0 ? (size_t)made : 0;
    return made >= 0;
}

static uint32_t little32(const unsigned char *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

int rlti_fast_unpack(const unsigned char *packed, size_t size, void *to, size_t capacity, size_t *got) {
    unsigned char *place = to;
    *got = 0;
    if (size < 2)
        return 0;
    int chunks = packed[0];
    if (chunks == 0)
        return unpack_block(packed + 1, size - 1, place, capacity, got);
    size_t at = 1;
    for (int i = 0; i < chunks; i++) {
        if (size - at < 4)
            return 0;
        size_t length = little32(packed + at), made;
        at += 4;
        if (length > size - at || !unpack_block(packed + at, length, place + *got, capacity - *got, &made))
            return 0;
        at += length;
        *got += made;
    }
    return 1;
}

size_t rlti_fast_bound(size_t size) {
    size_t chunks = size / CHUNK + 1;
    return size > SIZE_MAX / 4 ? 0 : 1 + size + size / 255 + chunks * 20;
}

static size_t pack_block(const unsigned char *from, size_t size, unsigned char *to) {
    int made = LZ4_compress_default((const char *)from, (char *)to, (int)size, LZ4_compressBound((int)size));
    return made > 0 ? (size_t)made : 0;
}

size_t rlti_fast_pack(const void *from, size_t size, unsigned char *to) {
    const unsigned char *source = from;
    size_t chunks = (size + CHUNK - 1) / CHUNK;
    if (chunks > 127)
        return 0;
    to[0] = chunks > 1 ? (unsigned char)chunks : 0;
    if (chunks <= 1) {
        size_t made = pack_block(source, size, to + 1);
        return made > 0 ? made + 1 : 0;
    }
    size_t at = 1;
    for (size_t done = 0; done < size; done += CHUNK) {
        size_t made = pack_block(source + done, size - done < CHUNK ? size - done : CHUNK, to + at + 4);
        if (made == 0)
            return 0;
        for (int k = 0; k < 4; k++)
            to[at + (size_t)k] = (unsigned char)(made >> (8 * k));
        at += 4 + made;
    }
    return at;
}

/* ---- integers ---- */

/* Coded: the commonest difference, 2 bits a number (4 in a byte, lowest first), then the differences that are
 * not the commonest, in the size their code says. */
static size_t code_bytes(size_t count) {
    return count / 4 + (count % 4 != 0);
}

static size_t coded_bound(size_t count, size_t width) {
    return count > SIZE_MAX / 32 ? 0 : width + code_bytes(count) + count * width;
}

/* Bytes of a difference by its code: 0, then a quarter, half and all of the width. */
static size_t code_size(unsigned code, size_t width) {
    return code == 0 ? 0 : width >> (3 - code);
}

static int is_complete(const unsigned char *coded, size_t size, size_t count, size_t width) {
    size_t codes = code_bytes(count), needed = width + codes;
    if (size < needed)
        return 0;
    for (size_t i = 0; i < count; i++)
        needed += code_size(coded[width + i / 4] >> (2 * (i % 4)) & 3, width);
    return size >= needed;
}

rlti_ints_result rlti_ints_begin(rlti_ints *ints, const unsigned char *packed, size_t size, uint64_t count,
                                 size_t width) {
    *ints = (rlti_ints){.width = width};
    if (count == 0)
        return RLTI_INTS_OK;
    size_t limit = rlti_fast_limit(size);
    if (count / 4 > limit) /* a number needs two bits */
        return RLTI_INTS_DAMAGED;
    size_t capacity = coded_bound((size_t)count, width);
    if (capacity == 0)
        return RLTI_INTS_DAMAGED;
    if (capacity > limit)
        capacity = limit;
    ints->coded = rlti_allocate(capacity, 1);
    if (ints->coded == NULL)
        return RLTI_INTS_NO_MEMORY;
    ints->count = (size_t)count;
    if (rlti_fast_unpack(packed, size, ints->coded, capacity, &ints->size) &&
        is_complete(ints->coded, ints->size, ints->count, width))
        return RLTI_INTS_OK;
    rlti_ints_end(ints);
    return RLTI_INTS_DAMAGED;
}

/* A signed little-endian number of 1, 2, 4 or 8 bytes. */
static uint64_t signed_at(const unsigned char *bytes, size_t size) {
    uint64_t value = 0;
    for (size_t k = 0; k < size; k++)
        value |= (uint64_t)bytes[k] << (8 * k);
    uint64_t sign = (uint64_t)1 << (8 * size - 1);
    return (value ^ sign) - sign; /* modulo 2^64 */
}

void rlti_ints_decode(const rlti_ints *ints, void *to) {
    size_t width = ints->width;
    if (ints->count == 0)
        return;
    const unsigned char *codes = ints->coded + width, *next = codes + code_bytes(ints->count);
    uint64_t common = signed_at(ints->coded, width), value = 0;
    for (size_t i = 0; i < ints->count; i++) {
        unsigned code = codes[i / 4] >> (2 * (i % 4)) & 3;
        size_t size = code_size(code, width);
        value += code == 0 ? common : signed_at(next, size);
        next += size;
        if (width == 4)
            ((uint32_t *)to)[i] = (uint32_t)value;
        else
            ((uint64_t *)to)[i] = value;
    }
}

void rlti_ints_end(rlti_ints *ints) {
    rlti_free(ints->coded);
    *ints = (rlti_ints){0};
}

size_t rlti_ints_bound(size_t count, size_t width) {
    size_t coded = coded_bound(count, width);
    return coded == 0 ? 0 : rlti_fast_bound(coded);
}

/* The difference to the number before, as a signed number of the width. */
static int64_t difference(const void *from, size_t i, size_t width) {
    if (width == 4) {
        const uint32_t *ints = from;
        uint32_t step = ints[i] - (i > 0 ? ints[i - 1] : 0);
        return (int64_t)signed_at((const unsigned char[]){(unsigned char)step, (unsigned char)(step >> 8),
                                                          (unsigned char)(step >> 16),
                                                          (unsigned char)(step >> 24)},
                                  4);
    }
    const uint64_t *ints = from;
    uint64_t step = ints[i] - (i > 0 ? ints[i - 1] : 0);
    int64_t value;
    memcpy(&value, &step, sizeof value);
    return value;
}

/* The commonest difference, or nearly: one that shares a slot with another loses what that one has. Any value
 * is right, a rare one only packs worse. */
static int64_t commonest(const void *from, size_t count, size_t width) {
    enum { SLOTS = 1024 };
    struct {
        int64_t value;
        size_t count;
    } slots[SLOTS];
    memset(slots, 0, sizeof slots);
    for (size_t i = 0; i < count; i++) {
        int64_t step = difference(from, i, width);
        size_t slot = (size_t)((uint64_t)step * 0x9E3779B97F4A7C15u >> 54);
        if (slots[slot].count == 0)
            slots[slot].value = step;
        if (slots[slot].value == step)
            slots[slot].count++;
        else
            slots[slot].count--;
    }
    size_t best = 0;
    for (size_t s = 1; s < SLOTS; s++)
        if (slots[s].count > slots[best].count)
            best = s;
    return slots[best].value;
}

static void put_little(unsigned char *to, int64_t value, size_t size) {
    for (size_t k = 0; k < size; k++)
        to[k] = (unsigned char)((uint64_t)value >> (8 * k));
}

static unsigned code_of(int64_t step, int64_t common, size_t width) {
    int64_t small = width == 4 ? INT8_MAX : INT16_MAX, medium = width == 4 ? INT16_MAX : INT32_MAX;
    if (step == common)
        return 0;
    if (step >= -small - 1 && step <= small)
        return 1;
    return step >= -medium - 1 && step <= medium ? 2 : 3;
}

size_t rlti_ints_pack(const void *from, size_t count, size_t width, unsigned char *to) {
    size_t capacity = coded_bound(count, width);
    unsigned char *coded = capacity > 0 ? rlti_allocate(capacity, 1) : NULL;
    if (coded == NULL)
        return 0;
    int64_t common = commonest(from, count, width);
    put_little(coded, common, width);
    unsigned char *codes = coded + width, *next = codes + code_bytes(count);
    for (size_t i = 0; i < count; i++) {
        int64_t step = difference(from, i, width);
        unsigned code = code_of(step, common, width);
        size_t size = code_size(code, width);
        codes[i / 4] = (unsigned char)(codes[i / 4] | code << (2 * (i % 4)));
        put_little(next, step, size);
        next += size;
    }
    size_t made = rlti_fast_pack(coded, (size_t)(next - coded), to);
    rlti_free(coded);
    return made;
}
