/* Which builds of the sieve and of proximities this machine runs. */
#include "contact/edge/sift.h"

#include <ringlet/simulation.h>

#include "contact/edge/contacts_data.h"

const rlti_edge_kernel *rlti_edge_kernel_select(void) {
#if defined(RLTI_HAVE_X86)
    if (rlt_simd_available(RLT_SIMD_AVX512))
        return &rlti_edge_kernel_avx512;
    if (rlt_simd_available(RLT_SIMD_AVX2))
        return &rlti_edge_kernel_avx2;
#endif
    return &rlti_edge_kernel_portable;
}

const rlti_edge_sieve *rlti_edge_sieve_select(void) {
#if defined(RLTI_HAVE_X86)
    if (rlt_simd_available(RLT_SIMD_AVX512))
        return &rlti_edge_sieve_avx512;
    if (rlt_simd_available(RLT_SIMD_AVX2))
        return &rlti_edge_sieve_avx2;
#endif
    return &rlti_edge_sieve_portable;
}
