/* Numbers in [0, 1) for the samples of a pixel: pairs from Sobol's first two dimensions, scrambled after Owen
 * and shuffled by hashes (B. Burley: Practical Hash-based Owen Scrambling, JCGT 2020). Each depends on pixel,
 * sample and pair alone, so that no order of work changes it. */
#ifndef RLTI_RENDER_TRACE_SAMPLE_H
#define RLTI_RENDER_TRACE_SAMPLE_H

#include "render/trace.h"

/* A finaliser for 32 bits: every input bit reaches every output bit. */
static inline uint32_t rlti_hash32(uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

static inline uint32_t rlti_reverse_bits(uint32_t x) {
    x = (x << 16) | (x >> 16);
    x = ((x & 0x00ff00ffu) << 8) | ((x & 0xff00ff00u) >> 8);
    x = ((x & 0x0f0f0f0fu) << 4) | ((x & 0xf0f0f0f0u) >> 4);
    x = ((x & 0x33333333u) << 2) | ((x & 0xccccccccu) >> 2);
    return ((x & 0x55555555u) << 1) | ((x & 0xaaaaaaaau) >> 1);
}

/* Scrambles from the highest bit down: each bit is flipped by a hash of those above it. Works on reversed
 * bits, where multiplication carries the right way. */
static inline uint32_t rlti_scramble(uint32_t x, uint32_t seed) {
    x = rlti_reverse_bits(x);
    x ^= x * 0x3d20adeau;
    x += seed;
    x *= (seed >> 16) | 1u;
    x ^= x * 0x05526c56u;
    x ^= x * 0x53a22864u;
    return rlti_reverse_bits(x);
}

/* Sobol's second dimension: Pascal's triangle modulo 2 times the bits of the index, five steps for 32
 * columns. */
static inline uint32_t rlti_sobol_second(uint32_t index) {
    uint32_t x = rlti_reverse_bits(index);
    x ^= x << 16;
    x ^= (x & 0x00ff00ffu) << 8;
    x ^= (x & 0x0f0f0f0fu) << 4;
    x ^= (x & 0x33333333u) << 2;
    return x ^ ((x & 0x55555555u) << 1);
}

static inline float rlti_unit_float(uint32_t x) {
    return (float)(x >> 8) * 0x1.0p-24f;
}

/* The next two numbers. */
static inline void rlti_sampler_next(rlti_sampler *sampler, float u[2]) {
    uint32_t key = rlti_hash32(sampler->key ^ rlti_hash32(0x9e3779b9u * ++sampler->pair));
    uint32_t index = rlti_scramble(sampler->index, key); /* shuffled, each run of 2^k kept together */
    u[0] = rlti_unit_float(rlti_scramble(rlti_reverse_bits(index), rlti_hash32(key ^ 0xa511e9b3u)));
    u[1] = rlti_unit_float(rlti_scramble(rlti_sobol_second(index), rlti_hash32(key ^ 0x63d83595u)));
}

#endif
