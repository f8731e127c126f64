/* Four floats in a register of any machine: compilers do not make vector instructions of such loops. */
#ifndef RLTI_CONTACT_EDGE_FOUR_H
#define RLTI_CONTACT_EDGE_FOUR_H

#include <stdint.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

typedef float rlti_four __attribute__((vector_size(16), may_alias));
typedef int32_t rlti_four_bits __attribute__((vector_size(16)));

static inline rlti_four rlti_four_load(const float *row) {
    rlti_four value;
    memcpy(&value, row, sizeof value);
    return value;
}

/* One by one. */
static inline rlti_four rlti_four_least(rlti_four a, rlti_four b) {
#if defined(__SSE2__)
    return (rlti_four)_mm_min_ps((__m128)a, (__m128)b);
#else
    for (int k = 0; k < 4; k++)
        a[k] = a[k] < b[k] ? a[k] : b[k];
    return a;
#endif
}
static inline rlti_four rlti_four_most(rlti_four a, rlti_four b) {
    return -rlti_four_least(-a, -b);
}

/* Bit k: the k-th condition holds. */
static inline unsigned rlti_four_which(rlti_four_bits conditions) {
#if defined(__SSE2__)
    return (unsigned)_mm_movemask_ps((__m128)conditions);
#else
    unsigned bits = 0;
    for (int k = 0; k < 4; k++)
        bits |= (unsigned)(conditions[k] != 0) << k;
    return bits;
#endif
}

#endif
