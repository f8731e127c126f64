/* The body of every probe_*.c, which defines RLTI_LANES_..., PROBE, PROBE_NAME and PROBE_SIMD. */
#include <assert.h>

#include "base/lanes_math.h"
#include "lanes/probe.h"

static lane evaluate(probe_function function, lane a, lane b) {
    switch (function) {
    case PROBE_SIN:
        return lane_sin(a);
    case PROBE_COS:
        return lane_cos(a);
    case PROBE_ACOS:
        return lane_acos(a);
    case PROBE_EXP:
        return lane_exp(a);
    case PROBE_LOG:
        return lane_log(a);
    case PROBE_ATAN2:
        return lane_atan2(a, b);
    default:
        assert(0);
        return a;
    }
}

static void apply(probe_function function, const double *a, const double *b, double *out, size_t count) {
    union {
        lane all;
        real each[LANES];
    } x, y, result;
    for (size_t first = 0; first < count; first += LANES) {
        for (size_t k = 0; k < LANES; k++) {
            size_t i = first + k < count ? first + k : first;
            x.each[k] = (real)a[i];
            y.each[k] = b != NULL ? (real)b[i] : 0;
        }
        result.all = evaluate(function, x.all, y.all);
        for (size_t k = 0; k < LANES && first + k < count; k++)
            out[first + k] = (double)result.each[k];
    }
}

const lanes_probe PROBE = {
    .name = PROBE_NAME,
    .simd = PROBE_SIMD,
    .lanes = LANES,
    .real_bytes = (int)sizeof(real),
    .apply = apply,
};
