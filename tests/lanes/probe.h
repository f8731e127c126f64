/* The lane code of src/, compiled here once per build of base/lanes.h (probe_*.c), behind one table each.
 * Arguments and results are doubles, whatever the build computes in: a test has one source for all. */
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

/* One system of a strand: the band as in solve/band.h, without lanes. */
typedef struct probe_band {
    int rows;
    const double *matrix; /* [rows][width + 1] */
    const double *right;
    double *solution;
    double *factor; /* [rows][width + 1], or NULL */
    /* as in band_report */
    int repaired, failed, attempts, row;
    double shift;
} probe_band;

/* Builds that must give the same bits. */
typedef enum probe_family { PROBE_FLOATS, PROBE_DOUBLES, PROBE_REFERENCE, PROBE_FAMILIES } probe_family;

typedef struct lanes_probe {
    const char *name;
    rlt_simd simd;
    probe_family family;
    int lanes, real_bytes;
    /* out[i] = function(a[i], b[i]); b may be NULL but for atan2. */
    void (*apply)(probe_function function, const double *a, const double *b, double *out, size_t count);
    /* Factors and solves, LANES strands a tile in this order, each tile with `more` rows than its longest. */
    void (*solve)(probe_band *bands, int count, int width, int more);
} lanes_probe;

/* The i-th build that this CPU runs, or NULL after the last: floats, doubles, the reference, and the portable
 * build first in its family. */
const lanes_probe *lanes_probe_at(int i);

#endif
