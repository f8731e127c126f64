/* Random numbers keyed by (seed, id, stream): the value depends on nothing else, so the order in which
 * strands are made, threads and ranks cannot change a result. */
#ifndef RLTI_BASE_RANDOM_H
#define RLTI_BASE_RANDOM_H

#include <stdint.h>

/* The finaliser of splitmix64 (Steele, Lea, Flood 2014): every input bit reaches every output bit. */
static inline uint64_t rlti_hash64(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Uniform in [0, 1), with 53 random bits. */
static inline double rlti_random(uint64_t seed, uint64_t id, uint64_t stream) {
    uint64_t bits = rlti_hash64(rlti_hash64(rlti_hash64(seed) ^ id) ^ stream);
    return (double)(bits >> 11) * 0x1.0p-53;
}

/* Uniform in [-1, 1). */
static inline double rlti_random_signed(uint64_t seed, uint64_t id, uint64_t stream) {
    return 2.0 * rlti_random(seed, id, stream) - 1.0;
}

#endif
