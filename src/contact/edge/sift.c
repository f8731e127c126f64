/* Pairs of edges that are surely apart are dropped. */
#include "contact/edge/sift.h"

#include <ringlet/simulation.h>

#include "contact/edge/contacts_data.h"

const rlti_edge_sieve *rlti_edge_sieve_select(void) {
#if defined(RLTI_HAVE_X86)
    if (rlt_simd_available(RLT_SIMD_AVX512))
        return &rlti_edge_sieve_avx512;
    if (rlt_simd_available(RLT_SIMD_AVX2))
        return &rlti_edge_sieve_avx2;
#endif
    return &rlti_edge_sieve_portable;
}

int rlti_edge_sift(const rlti_edge_contacts *contacts, int run, double margin, const uint64_t *keys,
                   int count, uint64_t *left) {
    const rlti_edge_sieve *sieve = contacts->sieve;
    int kept = 0, own = contacts->run_point[run];
    float offset = (float)contacts->strands.offset * 1.000001f, more = (float)margin * 1.000001f;
    for (int from = 0; from < count; from += sieve->lanes) {
        int a[RLTI_EDGE_SIEVE_MOST], b[RLTI_EDGE_SIEVE_MOST],
            last = count - from < sieve->lanes ? count - from : sieve->lanes;
        for (int k = 0; k < sieve->lanes; k++) { /* the last ones again */
            uint64_t key = keys[from + (k < last ? k : 0)], other = rlti_edge_key_other(key);
            a[k] = own + rlti_edge_key_item(key);
            b[k] = contacts->run_point[other / RLTI_SWEEP_WIDTH] + (int)(other % RLTI_SWEEP_WIDTH);
        }
        unsigned pass, bits = sieve->sift((const float(*)[8])contacts->flat, a, b, offset, more, &pass);
        for (bits &= (1u << last) - 1u; bits != 0; bits &= bits - 1u) {
            int k = __builtin_ctz(bits);
            left[kept++] = keys[from + k] | (pass >> k & 1u);
        }
    }
    return kept;
}
