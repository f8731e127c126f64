/* Four floats in a register of any machine: compilers do not make vector instructions of such loops. */
#ifndef RLTI_CONTACT_EDGE_FOUR_H
#define RLTI_CONTACT_EDGE_FOUR_H

#include <stdint.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

typedef float rlti_four __attribute__((vector_size(16), may_alias));
typedef int32_t rlti_four_bits __attribute__((vector_size(16)));

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
