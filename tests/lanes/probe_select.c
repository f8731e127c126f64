#include "probes.h"

const lanes_probe *lanes_probe_at(int i) {
    const lanes_probe *const all[] = {
        &probe_portable,
#if defined(RLTI_HAVE_X86)
        &probe_avx2,
        &probe_avx512,
#endif
        &probe_portable_double,
#if defined(RLTI_HAVE_X86)
        &probe_avx2_double,
        &probe_avx512_double,
#endif
        &probe_reference,
    };
    for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++)
        if (rlt_simd_available(all[k]->simd) && i-- == 0)
            return all[k];
    return NULL;
}
