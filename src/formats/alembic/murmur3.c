#include "formats/alembic/murmur3.h"

#include <string.h>

static const uint64_t factor_1 = 0x87c37b91114253d5u, factor_2 = 0x4cf5ad432745937fu;

static uint64_t turned(uint64_t x, int bits) {
    return x << bits | x >> (64 - bits);
}

static uint64_t finished(uint64_t k) {
    k ^= k >> 33;
    k *= 0xff51afd7ed558ccdu;
    k ^= k >> 33;
    k *= 0xc4ceb9fe1a85ec53u;
    return k ^ k >> 33;
}

static uint64_t mixed_1(uint64_t k) {
    return turned(k * factor_1, 31) * factor_2;
}

static uint64_t mixed_2(uint64_t k) {
    return turned(k * factor_2, 33) * factor_1;
}

/* Up to eight bytes, lowest first. */
static uint64_t word_of(const unsigned char *bytes, size_t count) {
    uint64_t word = 0;
    for (size_t i = 0; i < count; i++)
        word |= (uint64_t)bytes[i] << (8 * i);
    return word;
}

static void mix(rlti_murmur3_state *state, const unsigned char *at, size_t blocks) {
    uint64_t a = state->a, b = state->b;
    for (size_t i = 0; i < blocks; i++, at += 16) {
        uint64_t k[2];
        memcpy(k, at, sizeof k);
        a = turned(a ^ mixed_1(k[0]), 27) + b;
        a = a * 5 + 0x52dce729u;
        b = turned(b ^ mixed_2(k[1]), 31) + a;
        b = b * 5 + 0x38495ab5u;
    }
    state->a = a;
    state->b = b;
}

void rlti_murmur3_add(rlti_murmur3_state *state, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    size_t waiting = state->size % 16, part = 16 - waiting < size ? 16 - waiting : size;
    state->size += size;
    if (waiting > 0) {
        memcpy(state->rest + waiting, at, part);
        if (waiting + part < 16)
            return;
        mix(state, state->rest, 1);
        at += part;
        size -= part;
    }
    mix(state, at, size / 16);
    if (size % 16 > 0)
        memcpy(state->rest, at + size / 16 * 16, size % 16);
}

void rlti_murmur3_end(const rlti_murmur3_state *state, uint64_t hash[2]) {
    uint64_t a = state->a, b = state->b;
    size_t rest = state->size % 16;
    if (rest > 8)
        b ^= mixed_2(word_of(state->rest + 8, rest - 8));
    if (rest > 0)
        a ^= mixed_1(word_of(state->rest, rest < 8 ? rest : 8));
    a ^= state->size;
    b ^= state->size;
    a += b;
    b += a;
    a = finished(a);
    b = finished(b);
    a += b;
    hash[0] = a;
    hash[1] = b + a;
}

void rlti_murmur3(const void *bytes, size_t size, uint64_t hash[2]) {
    rlti_murmur3_state state = {0};
    if (size > 0)
        rlti_murmur3_add(&state, bytes, size);
    rlti_murmur3_end(&state, hash);
}
