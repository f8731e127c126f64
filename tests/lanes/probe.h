/* The lane code of src/, compiled here once per build of base/lanes.h (probe_*.c), behind one table each.
 * Arguments and results are doubles, whatever the build computes in, so that a test has one source for all. */
#ifndef RLTI_TESTS_LANES_PROBE_H
#define RLTI_TESTS_LANES_PROBE_H

#include <stddef.h>

#include "ringlet/ringlet.h"

typedef enum probe_function {
    PROBE_SIN,
    PROBE_COS,
    PROBE_ACOS,
    PROBE_EXP,
    PROBE_LOG,
    PROBE_ATAN2, /* the one of two arguments: y, x */
    PROBE_FUNCTIONS
} probe_function;

typedef struct lanes_probe {
    const char *name;
    rlt_simd simd;
    int lanes, real_bytes;
    /* out[i] = function(a[i], b[i]); b may be NULL but for atan2. */
    void (*apply)(probe_function function, const double *a, const double *b, double *out, size_t count);
} lanes_probe;

/* Builds that this CPU runs: the i-th, or NULL after the last one. Portable floats first, the reference last. */
const lanes_probe *lanes_probe_at(int i);

#endif
