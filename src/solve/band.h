/* Symmetric positive definite band matrices in lanes: factor and solve, one strand a lane.
 *
 * Matrix: [row][entry][lane], rows of LANES values as in every tile. Entry k of row i is A(i, i - k), 0 <= k
 * <= width, where `width` is the half-bandwidth (10 for the Rod, 11 for the Coil). The upper half is not
 * stored, and entries with k > i are never read. Vectors: [row][lane].
 *
 * Factor: A = L D L^T, Cholesky's without square roots, in the same layout. Entry k >= 1 of row i is
 * L(i, i - k), entry 0 is 1 / D(i); L's unit diagonal is not stored. It is made row by row: a row reads the
 * `width` rows before it and writes itself only, so there is one load a fused operation and no store within
 * the sums.
 *
 * Strands of different length share a tile: a shorter one continues with rows of the identity (`band_pad`)
 * and a right-hand side of 0. These rows change no bit of the strand's own.
 *
 * Repair. A pivot D(i) that is not positive and finite, with a finite reciprocal, fails its lane. Lanes that
 * failed are factored again with larger diagonals; the others with the same numbers as before, so to the same
 * bits. The diagonal is
 *
 *   attempt 1, 2, ...   A(i, i) + sigma |A(i, i)|, sigma = BAND_SHIFT_FIRST, then BAND_SHIFT_GROWTH times the
 *                       last one; independent of units and of the scale of other unknowns
 *   the last            A(i, i) + 2 (sum of |A(i, j)| over the row): diagonally dominant, so positive
 *                       definite whatever A was
 *
 * and in each, 1 in the place of a diagonal that is 0. A lane that fails all of them (its numbers are not
 * finite, or overflow) gets the identity as its factor, so that a solve returns the right-hand side. Nothing
 * of this is silent: band_report has it lane by lane, and a caller must read it.
 *
 * Functions are inlined with `width` constant: give a literal where speed counts. Nothing allocates. */
#ifndef RLTI_SOLVE_BAND_H
#define RLTI_SOLVE_BAND_H

#include <string.h>

#include "base/lanes_math.h"

#define BAND_INLINE static inline __attribute__((always_inline))

enum { BAND_WIDTH_MAXIMUM = 11 };

/* 32 units of rounding first, since rounding is what makes a semi-definite matrix fail. */
#if RLTI_WORD_BITS == 32
#define BAND_SHIFT_FIRST  0x1p-19f
#define BAND_SHIFT_GROWTH 16.0f
enum { BAND_ATTEMPTS = 6 };
#else
#define BAND_SHIFT_FIRST  0x1p-48
#define BAND_SHIFT_GROWTH 256.0
enum { BAND_ATTEMPTS = 7 };
#endif

typedef struct band_report {
    unsigned repaired;   /* bit k: the factor of lane k is that of a matrix with a larger diagonal */
    unsigned failed;     /* bit k: lane k has no factor, the identity is in its place */
    int attempts[LANES]; /* made after the first; 0: the factor is A's own; BAND_ATTEMPTS: the dominant one */
    int row[LANES];      /* the first row of A whose pivot failed, or -1 */
    real shift[LANES];   /* sigma of the factor, or 0; not that of the last attempt, which has none */
} band_report;

/* Values in a matrix or a factor of a tile. */
static inline size_t band_reals(int rows, int width) {
    return (size_t)rows * (size_t)(width + 1) * LANES;
}

BAND_INLINE lane band_at(const real *rows, int width, int i, int entry) {
    return lane_load(rows + ((size_t)i * (size_t)(width + 1) + (size_t)entry) * LANES);
}
BAND_INLINE void band_put(real *rows, int width, int i, int entry, lane a) {
    lane_store(rows + ((size_t)i * (size_t)(width + 1) + (size_t)entry) * LANES, a);
}

/* Rows [from, rows) of one lane become the identity's. */
static inline void band_pad(real *matrix, int rows, int width, int lane_index, int from) {
    for (int i = from; i < rows; i++)
        for (int k = 0; k <= width; k++)
            matrix[((size_t)i * (size_t)(width + 1) + (size_t)k) * LANES + (size_t)lane_index] = k == 0;
}

/* ---- factor ---- */

/* Row i of the factor from row i of A, whose diagonal is given, and the `reach` rows before. Returns 1/D.
 * Loops have constant bounds, so that they are unrolled and the sums stay in registers; conditions on a
 * constant `reach` vanish. */
BAND_INLINE lane band_factor_row(const real *a, real *l, int i, int reach, int width, lane diagonal) {
    lane scaled[BAND_WIDTH_MAXIMUM + 1]; /* -L(i, i - k) D(i - k) */
#pragma GCC unroll 12
    for (int k = 0; k <= BAND_WIDTH_MAXIMUM; k++) /* for the compiler, which cannot know that all are set */
        scaled[k] = lane_set(0);
#pragma GCC unroll 11
    for (int k = BAND_WIDTH_MAXIMUM; k >= 1; k--) {
        if (k > reach)
            continue;
        lane sum = band_at(a, width, i, k);
#pragma GCC unroll 11
        for (int m = BAND_WIDTH_MAXIMUM; m > k; m--)
            if (m <= reach)
                sum = fused(scaled[m], band_at(l, width, i - k, m - k), sum);
        lane entry = sum * band_at(l, width, i - k, 0);
        scaled[k] = -sum;
        diagonal = fused(scaled[k], entry, diagonal);
        band_put(l, width, i, k, entry);
    }
    lane inverse = lane_set(1) / diagonal;
    band_put(l, width, i, 0, inverse);
    return inverse;
}

/* The same, once in the code, where speed does not count. */
static __attribute__((noinline, unused)) lane band_factor_any_row(const real *a, real *l, int i, int width,
                                                                  lane diagonal) {
    return band_factor_row(a, l, i, i < width ? i : width, width, diagonal);
}

/* `good`, or 0 in lanes whose pivot failed. */
BAND_INLINE lane band_check(lane inverse, lane good) {
    lane zero = lane_set(0);
    good = lane_select(lane_less(zero, inverse), good, zero);
    return lane_select(lane_less(inverse, lane_set((real)INFINITY)), good, zero);
}

/* The bits of lanes that `good` has at 0. */
static inline unsigned band_bad_lanes(lane good) {
    return lane_bits(lane_less(good, lane_set((real)0.5)));
}

/* Sum of |A(i, j)| over row i, the diagonal included. */
static inline lane band_row_sum(const real *a, int rows, int width, int i) {
    lane sum = lane_absolute(band_at(a, width, i, 0));
    for (int k = 1; k <= width; k++) {
        if (k <= i)
            sum = sum + lane_absolute(band_at(a, width, i, k));
        if (i + k < rows)
            sum = sum + lane_absolute(band_at(a, width, i + k, k));
    }
    return sum;
}

/* The diagonal of row i as lanes want it: sigma 0 leaves it, infinity stands for the last attempt. */
static inline lane band_shifted(const real *a, int rows, int width, int i, lane sigma) {
    lane diagonal = band_at(a, width, i, 0), size = lane_absolute(diagonal);
    lane larger = fused(sigma, size, diagonal);
    lane dominant = fused(lane_set(2), band_row_sum(a, rows, width, i), diagonal);
    larger = lane_select(lane_less(sigma, lane_set((real)INFINITY)), larger, dominant);
    larger = lane_select(lane_less(lane_absolute(larger), lane_set(RLTI_REAL_LEAST)), lane_set(1), larger);
    return lane_select(lane_less(lane_set(0), sigma), larger, diagonal);
}

/* All rows with larger diagonals; the same operations as band_factor's, in the same order. */
static inline unsigned band_factor_shifted(const real *a, real *l, int rows, int width, const real *sigmas) {
    lane good = lane_set(1), sigma;
    memcpy(&sigma, sigmas, sizeof(sigma));
    for (int i = 0; i < rows; i++)
        good = band_check(band_factor_any_row(a, l, i, width, band_shifted(a, rows, width, i, sigma)), good);
    return band_bad_lanes(good);
}

/* The first row whose pivot failed. */
static inline int band_failed_row(const real *l, int rows, int width, int lane_index) {
    for (int i = 0; i < rows; i++) {
        real inverse = l[(size_t)i * (size_t)(width + 1) * LANES + (size_t)lane_index];
        if (!(inverse > 0 && inverse < (real)INFINITY))
            return i;
    }
    return -1;
}

/* Attempts until no lane is `bad`, or none is left. */
static inline void band_repair(const real *a, real *l, int rows, int width, unsigned bad,
                               band_report *report) {
    for (int k = 0; k < LANES; k++)
        if (bad >> k & 1u)
            report->row[k] = band_failed_row(l, rows, width, k);
    report->repaired = bad;
    real next = BAND_SHIFT_FIRST, sigmas[LANES] = {0};
    for (int attempt = 1; attempt <= BAND_ATTEMPTS && bad != 0; attempt++, next *= BAND_SHIFT_GROWTH) {
        for (int k = 0; k < LANES; k++)
            if (bad >> k & 1u) {
                sigmas[k] = attempt < BAND_ATTEMPTS ? next : (real)INFINITY;
                report->attempts[k] = attempt;
                report->shift[k] = attempt < BAND_ATTEMPTS ? next : 0;
            }
        bad = band_factor_shifted(a, l, rows, width, sigmas);
    }
    for (int k = 0; k < LANES; k++)
        if (bad >> k & 1u)
            band_pad(l, rows, width, k, 0);
    report->repaired &= ~bad;
    report->failed = bad;
}

/* Factors the rows first .. end - 1 after those before them; `l` may be `a`. Returns `good`, or 0 in lanes
 * that failed. */
BAND_INLINE lane band_factor_rows(const real *a, real *l, int first, int end, int width, lane good) {
    int i = first;
    for (; i < end && i < width; i++)
        good = band_check(band_factor_any_row(a, l, i, width, band_at(a, width, i, 0)), good);
    for (; i < end; i++)
        good = band_check(band_factor_row(a, l, i, width, width, band_at(a, width, i, 0)), good);
    return good;
}

/* Factors all lanes of `a` into `l` (band_reals values each, not the same memory). Returns the bits of the
 * lanes that failed; nothing is repaired. */
BAND_INLINE unsigned band_factor_once(const real *a, real *l, int rows, int width) {
    return band_bad_lanes(band_factor_rows(a, l, 0, rows, width, lane_set(1)));
}

/* The same with repair, and reports. Returns 0 when every lane has its own matrix's factor, which is the
 * rule. */
BAND_INLINE int band_factor(const real *a, real *l, int rows, int width, band_report *report) {
    memset(report, 0, sizeof(*report));
    memset(report->row, -1, sizeof(report->row));
    unsigned bad = band_factor_once(a, l, rows, width);
    if (bad != 0)
        band_repair(a, l, rows, width, bad, report);
    return bad != 0;
}

/* ---- solve ---- */

/* Row i of L y = b, after the `reach` rows before it. */
BAND_INLINE void band_forward_row(const real *l, real *x, int i, int reach, int width) {
    lane sum = lane_load(x + (size_t)i * LANES);
#pragma GCC unroll 11
    for (int k = reach; k >= 1; k--)
        sum = fused(-band_at(l, width, i, k), lane_load(x + (size_t)(i - k) * LANES), sum);
    lane_store(x + (size_t)i * LANES, sum);
}

/* Row i of L^T x = D^-1 y, after the `reach` rows behind it. */
BAND_INLINE void band_backward_row(const real *l, real *x, int i, int reach, int width) {
    lane sum = lane_load(x + (size_t)i * LANES) * band_at(l, width, i, 0);
#pragma GCC unroll 11
    for (int k = reach; k >= 1; k--)
        sum = fused(-band_at(l, width, i + k, k), lane_load(x + (size_t)(i + k) * LANES), sum);
    lane_store(x + (size_t)i * LANES, sum);
}

/* The same rows of three vectors, `apart` numbers after each other: each waits for its rows before, not
 * for the other two. */
BAND_INLINE void band_forward_three(const real *l, real *x, size_t apart, int i, int reach, int width) {
    lane sum[3];
    for (int c = 0; c < 3; c++)
        sum[c] = lane_load(x + (size_t)c * apart + (size_t)i * LANES);
#pragma GCC unroll 11
    for (int k = reach; k >= 1; k--) {
        lane entry = -band_at(l, width, i, k);
        for (int c = 0; c < 3; c++)
            sum[c] = fused(entry, lane_load(x + (size_t)c * apart + (size_t)(i - k) * LANES), sum[c]);
    }
    for (int c = 0; c < 3; c++)
        lane_store(x + (size_t)c * apart + (size_t)i * LANES, sum[c]);
}
BAND_INLINE void band_backward_three(const real *l, real *x, size_t apart, int i, int reach, int width) {
    lane sum[3];
    for (int c = 0; c < 3; c++)
        sum[c] = lane_load(x + (size_t)c * apart + (size_t)i * LANES) * band_at(l, width, i, 0);
#pragma GCC unroll 11
    for (int k = reach; k >= 1; k--) {
        lane entry = -band_at(l, width, i + k, k);
        for (int c = 0; c < 3; c++)
            sum[c] = fused(entry, lane_load(x + (size_t)c * apart + (size_t)(i + k) * LANES), sum[c]);
    }
    for (int c = 0; c < 3; c++)
        lane_store(x + (size_t)c * apart + (size_t)i * LANES, sum[c]);
}

/* The rows from `first` on of the solutions of A x = b with the factor of A, for three b that are 0 before
 * that row, `apart` numbers after each other; `x` holds them before and the solutions after. */
BAND_INLINE void band_solve_three(const real *l, real *x, size_t apart, int first, int rows, int width) {
    int i = first, tail = rows - 1 - width > first - 1 ? rows - 1 - width : first - 1;
    for (; i < rows && i - first < width; i++)
        band_forward_three(l, x, apart, i, i - first, width);
    for (; i < rows; i++)
        band_forward_three(l, x, apart, i, width, width);
    for (i = rows - 1; i > tail; i--)
        band_backward_three(l, x, apart, i, rows - 1 - i, width);
    for (; i >= first; i--)
        band_backward_three(l, x, apart, i, width, width);
}

/* Solves A x = b with the factor of A; `x` holds b before and the solution after. */
BAND_INLINE void band_solve(const real *l, real *x, int rows, int width) {
    int head = rows < width ? rows : width;
    for (int i = 0; i < head; i++)
        band_forward_row(l, x, i, i, width);
    for (int i = head; i < rows; i++)
        band_forward_row(l, x, i, width, width);
    for (int i = rows - 1; i >= rows - head; i--)
        band_backward_row(l, x, i, rows - 1 - i, width);
    for (int i = rows - head - 1; i >= 0; i--)
        band_backward_row(l, x, i, width, width);
}

#endif
