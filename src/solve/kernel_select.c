#include "solve/kernel_builds.h"

#include <stddef.h>

#if defined(RLTI_HAVE_X86)
static int cpu_has(rlt_simd simd) {
    __builtin_cpu_init();
    if (simd == RLT_SIMD_AVX512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

const rlti_kernel *rlti_kernel_select(rlt_simd simd) {
#if defined(RLTI_HAVE_X86)
    if ((simd == RLT_SIMD_AUTO || simd == RLT_SIMD_AVX512) && cpu_has(RLT_SIMD_AVX512))
        return &rlti_kernel_avx512;
    if ((simd == RLT_SIMD_AUTO || simd == RLT_SIMD_AVX2) && cpu_has(RLT_SIMD_AVX2))
        return &rlti_kernel_avx2;
#endif
    if (simd == RLT_SIMD_AUTO || simd == RLT_SIMD_PORTABLE)
        return &rlti_kernel_portable;
    if (simd == RLT_SIMD_REFERENCE)
        return &rlti_kernel_reference;
    return NULL;
}

int rlt_simd_available(rlt_simd simd) {
    return rlti_kernel_select(simd) != NULL;
}

const char *rlt_simd_name(rlt_simd simd) {
    static const char *const names[] = {"auto", "portable", "avx2", "avx512", "reference"};
    return simd >= RLT_SIMD_AUTO && simd <= RLT_SIMD_REFERENCE ? names[simd] : NULL;
}
