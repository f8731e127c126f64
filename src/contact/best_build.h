/* Which of a kernel's builds this machine runs: one source, an instruction set each. */
#ifndef RLTI_CONTACT_BEST_BUILD_H
#define RLTI_CONTACT_BEST_BUILD_H

#include <ringlet/simulation.h>

/* The widest of name_avx512, name_avx2 and name_portable that this machine has. */
#if defined(RLTI_HAVE_X86)
#define RLTI_BEST_BUILD(name)                                                                                \
    (rlt_simd_available(RLT_SIMD_AVX512) ? &name##_avx512                                                    \
     : rlt_simd_available(RLT_SIMD_AVX2) ? &name##_avx2                                                      \
                                         : &name##_portable)
#else
#define RLTI_BEST_BUILD(name) (&name##_portable)
#endif

#endif
