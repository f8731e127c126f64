/* The body of every probe_*.c, which defines RLTI_LANES_..., and PROBE and its NAME, SIMD, FAMILY. */
#include <stdlib.h>

#include "base/lanes_math.h"
#include "probe.h"
#include "solve/band.h"

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
        abort();
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

/* ---- bands ---- */

typedef struct tile {
    int rows, width;
    real *matrix, *factor, *vector;
} tile;

static real *rows_of(size_t reals) {
    size_t bytes = (reals * sizeof(real) + 63) / 64 * 64;
    real *memory = aligned_alloc(64, bytes);
    if (memory == NULL)
        abort();
    memset(memory, 0, bytes);
    return memory;
}

static tile create_tile(const probe_band *bands, int count, int width, int more) {
    tile t = {.rows = 0, .width = width};
    for (int k = 0; k < count; k++)
        t.rows = bands[k].rows > t.rows ? bands[k].rows : t.rows;
    t.rows += more;
    t.matrix = rows_of(band_reals(t.rows, width));
    t.factor = rows_of(band_reals(t.rows, width));
    t.vector = rows_of((size_t)t.rows * LANES);
    for (int k = 0; k < LANES; k++) {
        int rows = k < count ? bands[k].rows : 0, each = width + 1;
        for (int i = 0; i < rows * each; i++)
            t.matrix[(size_t)i * LANES + (size_t)k] = (real)bands[k].matrix[i];
        for (int i = 0; i < rows; i++)
            t.vector[(size_t)i * LANES + (size_t)k] = (real)bands[k].right[i];
        band_pad(t.matrix, t.rows, width, k, rows);
    }
    return t;
}

static void read_tile(const tile *t, const band_report *report, probe_band *bands, int count) {
    for (int k = 0; k < count; k++) {
        probe_band *band = &bands[k];
        for (int i = 0; i < band->rows; i++)
            band->solution[i] = (double)t->vector[(size_t)i * LANES + (size_t)k];
        for (int i = 0; band->factor != NULL && i < band->rows * (t->width + 1); i++)
            band->factor[i] = (double)t->factor[(size_t)i * LANES + (size_t)k];
        band->repaired = (int)(report->repaired >> k & 1u);
        band->failed = (int)(report->failed >> k & 1u);
        band->attempts = report->attempts[k];
        band->row = report->row[k];
        band->shift = (double)report->shift[k];
    }
}

static void solve_tile(tile *t, band_report *report) {
    switch (t->width) { /* constants, as the models give them; any other works too */
    case 10:
        band_factor(t->matrix, t->factor, t->rows, 10, report);
        break;
    case 11:
        band_factor(t->matrix, t->factor, t->rows, 11, report);
        break;
    default:
        band_factor(t->matrix, t->factor, t->rows, t->width, report);
        break;
    }
    switch (t->width) {
    case 10:
        band_solve(t->factor, t->vector, t->rows, 10);
        break;
    case 11:
        band_solve(t->factor, t->vector, t->rows, 11);
        break;
    default:
        band_solve(t->factor, t->vector, t->rows, t->width);
        break;
    }
}

static void solve(probe_band *bands, int count, int width, int more) {
    for (int first = 0; first < count; first += LANES) {
        int here = count - first < LANES ? count - first : LANES;
        band_report report;
        tile t = create_tile(bands + first, here, width, more);
        solve_tile(&t, &report);
        read_tile(&t, &report, bands + first, here);
        free(t.matrix);
        free(t.factor);
        free(t.vector);
    }
}

const lanes_probe PROBE = {
    .name = PROBE_NAME,
    .simd = PROBE_SIMD,
    .family = PROBE_FAMILY,
    .lanes = LANES,
    .real_bytes = (int)sizeof(real),
    .apply = apply,
    .solve = solve,
};
