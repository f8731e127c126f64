#include "solve/implicit_builds.h"

#include <stddef.h>

#include "solve/kernel.h"

/* Where a build of the step kernel runs, so does the engine's: they need the same instructions. */
const rlti_implicit *rlti_implicit_select(rlt_simd simd) {
    const rlti_kernel *kernel = rlti_kernel_select(simd);
    switch (kernel != NULL ? kernel->simd : RLT_SIMD_AUTO) {
#if defined(RLTI_HAVE_X86)
    case RLT_SIMD_AVX512:
        return &rlti_implicit_avx512;
    case RLT_SIMD_AVX2:
        return &rlti_implicit_avx2;
#endif
    case RLT_SIMD_PORTABLE:
        return &rlti_implicit_portable;
    case RLT_SIMD_REFERENCE:
        return &rlti_implicit_reference;
    default:
        return NULL;
    }
}
