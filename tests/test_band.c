/* solve/band.h: backward error, LAPACK's banded solver, repair of factors that fail, lanes that do not
 * disturb each other, and the same bits in every build of a family. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "lanes/probe.h"

enum { STRANDS = 37, ROWS = 160, WIDTH = 11, EACH = ROWS * (WIDTH + 1) };

/* A set of systems, and what a build made of them. */
typedef struct systems {
    int width, count;
    probe_band band[STRANDS];
    double matrix[STRANDS][EACH], right[STRANDS][ROWS], solution[STRANDS][ROWS], factor[STRANDS][EACH];
} systems;

static systems *create(int width, int count) {
    systems *s = calloc(1, sizeof(*s));
    assert_non_null(s);
    s->width = width;
    s->count = count;
    for (int k = 0; k < count; k++)
        s->band[k] =
            (probe_band){.rows = ROWS - (k * 29) % (ROWS - 1), /* 160 down to a few; 37 different ones */
                         .matrix = s->matrix[k],
                         .right = s->right[k],
                         .solution = s->solution[k],
                         .factor = s->factor[k]};
    return s;
}

static systems *copy_of(const systems *from) {
    systems *s = create(from->width, from->count);
    memcpy(s->matrix, from->matrix, sizeof(s->matrix));
    memcpy(s->right, from->right, sizeof(s->right));
    for (int k = 0; k < from->count; k++)
        s->band[k].rows = from->band[k].rows;
    return s;
}

static double unit_of(const lanes_probe *probe) {
    return probe->real_bytes == 4 ? 0x1p-24 : 0x1p-53;
}

/* A build sees these numbers; so must what it is compared with. */
static systems *rounded_for(const lanes_probe *probe, const systems *from) {
    systems *s = copy_of(from);
    for (int k = 0; probe->real_bytes == 4 && k < s->count; k++) {
        for (int i = 0; i < EACH; i++)
            s->matrix[k][i] = (double)(float)s->matrix[k][i];
        for (int i = 0; i < ROWS; i++)
            s->right[k][i] = (double)(float)s->right[k][i];
    }
    return s;
}

static double *entry(double *band, int width, int i, int k) {
    return &band[i * (width + 1) + k];
}

/* A(i, j) of a whole symmetric matrix. */
static double element(const double *band, int width, int i, int j) {
    int k = i < j ? j - i : i - j, row = i < j ? j : i;
    return k > width ? 0.0 : band[row * (width + 1) + k];
}

/* ---- matrices ---- */

/* B B^T with a random lower band B, whose diagonal is 1 to 2: well conditioned. */
static void fill_random(systems *s, uint64_t seed) {
    for (int k = 0; k < s->count; k++) {
        double lower[EACH];
        int w = s->width, rows = s->band[k].rows;
        for (int i = 0; i < rows * (w + 1); i++)
            lower[i] =
                (i % (w + 1) == 0 ? 1.5 : 0.0) + 0.5 * rlti_random_signed(seed, (uint64_t)i, (uint64_t)k);
        for (int i = 0; i < rows; i++)
            for (int m = 0; m <= w && m <= i; m++) {
                double sum = 0.0;
                for (int j = i > w ? i - w : 0; j <= i - m; j++)
                    sum += element(lower, w, i, j) * element(lower, w, i - m, j);
                *entry(s->matrix[k], w, i, m) = sum;
            }
        for (int i = 0; i < rows; i++)
            s->right[k][i] = rlti_random_signed(seed + 1, (uint64_t)i, (uint64_t)k);
    }
}

/* A rod's: a sum of stiffness g g^T over all runs of width + 1 unknowns, the stiffness from 1 to `stiff` at
 * random, and `mass` on the diagonal. */
static void fill_stiff(systems *s, uint64_t seed, double stiff, double mass) {
    fill_random(s, seed);
    for (int k = 0; k < s->count; k++) {
        int w = s->width, rows = s->band[k].rows;
        memset(s->matrix[k], 0, sizeof(s->matrix[k]));
        for (int i = 0; i < rows; i++)
            *entry(s->matrix[k], w, i, 0) = mass;
        for (int first = 0; first + w < rows; first++) {
            double scale = pow(stiff, rlti_random(seed, (uint64_t)first, (uint64_t)(1000 + k))), g[WIDTH + 1];
            for (int j = 0; j <= w; j++)
                g[j] = rlti_random_signed(seed, (uint64_t)(first * 64 + j), (uint64_t)(2000 + k));
            for (int i = 0; i <= w; i++)
                for (int j = 0; j <= i; j++)
                    *entry(s->matrix[k], w, first + i, i - j) += scale * g[i] * g[j];
        }
    }
}

/* ---- what must hold ---- */

/* max |b - A x| / (max row sum of |A| max |x| + max |b|), in units of rounding. */
static double backward_error(const lanes_probe *probe, const systems *s, int k) {
    int w = s->width, rows = s->band[k].rows;
    double residual = 0.0, norm = 0.0, largest = 0.0, right = 0.0;
    for (int i = 0; i < rows; i++) {
        long double sum = s->right[k][i];
        double row = 0.0;
        for (int j = i > w ? i - w : 0; j <= i + w && j < rows; j++) {
            double a = element(s->matrix[k], w, i, j);
            sum -= (long double)a * s->solution[k][j];
            row += fabs(a);
        }
        residual = fmax(residual, (double)fabsl(sum));
        norm = fmax(norm, row);
        largest = fmax(largest, fabs(s->solution[k][i]));
        right = fmax(right, fabs(s->right[k][i]));
        assert_true(isfinite(s->solution[k][i]));
    }
    return residual / (norm * largest + right) / unit_of(probe);
}

static void run(const lanes_probe *probe, systems *s, int more) {
    probe->solve(s->band, s->count, s->width, more);
}

static void check_same(const systems *a, int ka, const systems *b, int kb) {
    size_t rows = (size_t)a->band[ka].rows;
    assert_int_equal(a->band[ka].rows, b->band[kb].rows);
    assert_memory_equal(a->solution[ka], b->solution[kb], rows * sizeof(double));
    assert_memory_equal(a->factor[ka], b->factor[kb], rows * (size_t)(a->width + 1) * sizeof(double));
    assert_int_equal(a->band[ka].repaired, b->band[kb].repaired);
    assert_int_equal(a->band[ka].failed, b->band[kb].failed);
    assert_int_equal(a->band[ka].attempts, b->band[kb].attempts);
    assert_int_equal(a->band[ka].row, b->band[kb].row);
    assert_true(a->band[ka].shift == b->band[kb].shift);
}

/* The result of a family's first build is kept to compare its others with. */
static void keep_first(systems *first[PROBE_FAMILIES], const lanes_probe *probe, systems *s) {
    if (first[probe->family] == NULL)
        first[probe->family] = s;
    else
        free(s);
}
static void free_families(systems *first[PROBE_FAMILIES]) {
    for (int f = 0; f < PROBE_FAMILIES; f++)
        free(first[f]);
}

/* Every build on one set: all factored as they are, a small backward error, a family with the same bits. */
static void check_set(const systems *set, double limit, const char *which) {
    systems *first[PROBE_FAMILIES] = {NULL};
    for (int p = 0; lanes_probe_at(p) != NULL; p++) {
        const lanes_probe *probe = lanes_probe_at(p);
        systems *s = rounded_for(probe, set);
        double worst = 0.0;
        run(probe, s, 0);
        for (int k = 0; k < s->count; k++) {
            assert_int_equal(s->band[k].repaired | s->band[k].failed | s->band[k].attempts, 0);
            assert_int_equal(s->band[k].row, -1);
            worst = fmax(worst, backward_error(probe, s, k));
            if (first[probe->family] != NULL)
                check_same(first[probe->family], k, s, k);
        }
        print_message("%-24s width %2d %-15s backward error %.2f units\n", which, s->width, probe->name,
                      worst);
        assert_true(worst <= limit);
        keep_first(first, probe, s);
    }
    free_families(first);
}

static void backward_errors_are_small(void **state) {
    (void)state;
    const int widths[] = {10, 11, 4, 1};
    for (int w = 0; w < 4; w++) {
        systems *s = create(widths[w], STRANDS);
        fill_random(s, 1);
        check_set(s, 4.0, "random");
        fill_stiff(s, 2, 1e2, 1.0);
        check_set(s, 4.0, "stiff, to 1e2");
        fill_stiff(s, 3, 1e5, 1.0); /* as far as floats bear: unit of rounding times condition is 0.05 */
        check_set(s, 4.0, "stiff, to 1e5");
        free(s);
    }
}

static void doubles_bear_stiffer_ones(void **state) {
    (void)state;
    for (int p = 0; lanes_probe_at(p) != NULL; p++) {
        const lanes_probe *probe = lanes_probe_at(p);
        if (probe->real_bytes < 8)
            continue;
        systems *s = create(10, STRANDS);
        fill_stiff(s, 4, 1e13, 1.0);
        run(probe, s, 0);
        for (int k = 0; k < s->count; k++) {
            assert_int_equal(s->band[k].attempts, 0);
            assert_true(backward_error(probe, s, k) <= 4.0);
        }
        free(s);
    }
}

/* ---- LAPACK ---- */

#if RLTI_HAVE_LAPACK
void dpbtrf_(const char *half, const int *n, const int *width, double *band, const int *stride, int *info,
             size_t);
void dpbtrs_(const char *half, const int *n, const int *width, const int *vectors, const double *band,
             const int *stride, double *vector, const int *n_vector, int *info, size_t);
void dpbcon_(const char *half, const int *n, const int *width, const double *band, const int *stride,
             const double *norm, double *reciprocal, double *work, int *integers, int *info, size_t);

/* LAPACK's factor (lower, column j's entry k at [j][k]) and solution; returns the condition number. */
static double solve_by_lapack(const systems *s, int k, double *band, double *x) {
    int rows = s->band[k].rows, w = s->width, stride = w + 1, one = 1, info, integers[ROWS];
    double norm = 0.0, reciprocal, work[3 * ROWS];
    for (int j = 0; j < rows; j++) {
        double sum = 0.0;
        for (int i = j > w ? j - w : 0; i <= j + w && i < rows; i++)
            sum += fabs(element(s->matrix[k], w, i, j));
        norm = fmax(norm, sum);
        for (int m = 0; m <= w; m++)
            band[j * stride + m] = j + m < rows ? element(s->matrix[k], w, j + m, j) : 0.0;
    }
    memcpy(x, s->right[k], sizeof(s->right[k]));
    dpbtrf_("L", &rows, &w, band, &stride, &info, 1);
    assert_int_equal(info, 0);
    dpbtrs_("L", &rows, &w, &one, band, &stride, x, &rows, &info, 1);
    assert_int_equal(info, 0);
    dpbcon_("L", &rows, &w, band, &stride, &norm, &reciprocal, work, integers, &info, 1);
    assert_int_equal(info, 0);
    return 1.0 / reciprocal;
}

/* Units of rounding times condition by which the solution differs from LAPACK's, relative to its largest
 * value, or L sqrt(D) from its factor, relative to the largest diagonal: the larger of both. */
static double difference(const lanes_probe *probe, const systems *s, int k, double *conditions) {
    double band[EACH], x[ROWS], most = 0.0, largest = 0.0, factor = 0.0, pivot = 0.0;
    double condition = solve_by_lapack(s, k, band, x);
    int rows = s->band[k].rows, w = s->width;
    for (int i = 0; i < rows; i++) {
        most = fmax(most, fabs(s->solution[k][i] - x[i]));
        largest = fmax(largest, fabs(x[i]));
        pivot = fmax(pivot, band[i * (w + 1)]);
        for (int m = 0; m <= w && m <= i; m++) {
            double root = sqrt(1.0 / s->factor[k][(i - m) * (w + 1)]);
            double mine = m == 0 ? root : s->factor[k][i * (w + 1) + m] * root;
            factor = fmax(factor, fabs(mine - band[(i - m) * (w + 1) + m]));
        }
    }
    *conditions = fmax(*conditions, condition);
    return fmax(most / largest, factor / pivot) / (unit_of(probe) * condition);
}

static void check_against_lapack(const systems *set, int bytes, const char *which) {
    for (int p = 0; lanes_probe_at(p) != NULL; p++) {
        const lanes_probe *probe = lanes_probe_at(p);
        if (probe->real_bytes < bytes)
            continue;
        systems *s = rounded_for(probe, set);
        double worst = 0.0, condition = 0.0;
        run(probe, s, 0);
        for (int k = 0; k < s->count; k++)
            worst = fmax(worst, difference(probe, s, k, &condition));
        print_message("%-24s %-15s differs from LAPACK by %.3f units x condition (to %.1e)\n", which,
                      probe->name, worst, condition);
        assert_true(worst <= 1.0);
        free(s);
    }
}

static void solutions_and_factors_are_those_of_lapack(void **state) {
    (void)state;
    for (int w = 10; w <= WIDTH; w++) {
        systems *s = create(w, STRANDS);
        fill_random(s, 11);
        check_against_lapack(s, 4, "random");
        fill_stiff(s, 12, 1e3, 1.0);
        check_against_lapack(s, 4, "stiff");
        fill_stiff(s, 13, 1.0, 1e-4); /* long runs of unknowns that hardly anything holds */
        check_against_lapack(s, 4, "near-singular");
        fill_stiff(s, 14, 1e10, 1.0);
        check_against_lapack(s, 8, "stiff, for doubles");
        fill_stiff(s, 15, 1.0, 1e-11);
        check_against_lapack(s, 8, "near-singular, doubles");
        free(s);
    }
}
#else
static void solutions_and_factors_are_those_of_lapack(void **state) {
    (void)state;
    print_message(
        "LAPACK was not found when this was built; its comparison is skipped (Debian: liblapack-dev)\n");
    skip();
}
#endif

/* ---- lanes ---- */

/* Alone, among others, in another lane, with rows of padding: one result. */
static void strands_do_not_depend_on_their_tile(void **state) {
    (void)state;
    for (int p = 0; lanes_probe_at(p) != NULL; p++) {
        const lanes_probe *probe = lanes_probe_at(p);
        systems *s = create(10, STRANDS), *padded, *alone = create(10, 1);
        fill_stiff(s, 21, 1e3, 1.0);
        padded = copy_of(s);
        run(probe, s, 0);
        run(probe, padded, 7);
        for (int k = 0; k < s->count; k++) {
            check_same(s, k, padded, k);
            alone->band[0].rows = s->band[k].rows;
            memcpy(alone->matrix[0], s->matrix[k], sizeof(s->matrix[k]));
            memcpy(alone->right[0], s->right[k], sizeof(s->right[k]));
            run(probe, alone, 0);
            check_same(s, k, alone, 0);
        }
        free(s);
        free(padded);
        free(alone);
    }
}

/* ---- repair ---- */

/* Runs `bad`, which is `good` but for strand `odd`: all others keep their bits, and are not reported. */
static void check_others(const lanes_probe *probe, const systems *good, systems *bad, int odd) {
    systems *before = copy_of(good);
    run(probe, before, 0);
    run(probe, bad, 0);
    for (int k = 0; k < bad->count; k++)
        if (k != odd) {
            check_same(before, k, bad, k);
            assert_int_equal(bad->band[k].attempts, 0);
        }
    free(before);
}

/* max |L D L^T - A'| over max |A'|, where A' is A with the diagonal that the report says. */
static double factor_error(const systems *s, int k, int dominant) {
    int w = s->width, rows = s->band[k].rows;
    const double *l = s->factor[k];
    double most = 0.0, largest = 0.0;
    for (int i = 0; i < rows; i++)
        for (int m = 0; m <= w && m <= i; m++) {
            double a = element(s->matrix[k], w, i, i - m), sum = 0.0, row = 0.0;
            for (int j = i > w ? i - w : 0; j <= i + w && j < rows; j++)
                row += fabs(element(s->matrix[k], w, i, j));
            if (m == 0)
                a += dominant ? 2.0 * row : s->band[k].shift * fabs(a);
            if (m == 0 && a == 0.0)
                a = 1.0;
            for (int j = i > w ? i - w : 0; j <= i - m; j++)
                sum += (j == i ? 1.0 : l[i * (w + 1) + i - j]) *
                       (j == i - m ? 1.0 : l[(i - m) * (w + 1) + i - m - j]) / l[j * (w + 1)];
            most = fmax(most, fabs(sum - a));
            largest = fmax(largest, fabs(a));
        }
    return most / largest;
}

typedef void spoil_strand(systems *s, int k);

static void for_each_build(int width, spoil_strand *spoil,
                           void (*check)(const lanes_probe *, systems *, int)) {
    for (int p = 0; lanes_probe_at(p) != NULL; p++)
        for (int odd = 0; odd < STRANDS; odd += 9) {
            systems *good = create(width, STRANDS), *bad;
            fill_stiff(good, 31, 1e2, 1.0);
            for (int k = 0; k < STRANDS; k++)
                good->band[k].rows = good->band[k].rows < 40 ? 40 : good->band[k].rows;
            fill_stiff(good, 31, 1e2, 1.0);
            systems *rounded = rounded_for(lanes_probe_at(p), good);
            bad = copy_of(rounded);
            spoil(bad, odd);
            check_others(lanes_probe_at(p), rounded, bad, odd);
            for (int i = 0; i < bad->band[odd].rows; i++)
                assert_true(isfinite(bad->solution[odd][i]) || bad->band[odd].failed);
            check(lanes_probe_at(p), bad, odd);
            free(good);
            free(rounded);
            free(bad);
        }
}

/* (1, 1; 1, 1) at rows 20 and 21, nothing else there: the second pivot is exactly 0. */
static void make_singular(systems *s, int k) {
    int w = s->width;
    for (int i = 20; i <= 21 + w; i++)
        for (int m = 0; m <= w; m++)
            if (i <= 21 || i - m == 20 || i - m == 21)
                *entry(s->matrix[k], w, i, m) = 0.0;
    *entry(s->matrix[k], w, 20, 0) = *entry(s->matrix[k], w, 21, 0) = *entry(s->matrix[k], w, 21, 1) = 1.0;
}

static void is_shifted_a_little(const lanes_probe *probe, systems *s, int k) {
    assert_int_equal(s->band[k].repaired, 1);
    assert_int_equal(s->band[k].failed, 0);
    assert_int_equal(s->band[k].attempts, 1);
    assert_int_equal(s->band[k].row, 21);
    assert_true(s->band[k].shift == 32 * unit_of(probe));
    assert_true(factor_error(s, k, 0) <= 4.0 * unit_of(probe));
}

static void a_singular_matrix_is_shifted(void **state) {
    (void)state;
    for_each_build(10, make_singular, is_shifted_a_little);
    for_each_build(11, make_singular, is_shifted_a_little);
}

/* An unknown that nothing holds. */
static void make_empty(systems *s, int k) {
    make_singular(s, k);
    *entry(s->matrix[k], s->width, 20, 0) = *entry(s->matrix[k], s->width, 21, 1) = 0.0;
}

static void keeps_its_right_hand_side(const lanes_probe *probe, systems *s, int k) {
    assert_int_equal(s->band[k].repaired, 1);
    assert_int_equal(s->band[k].attempts, 1);
    assert_int_equal(s->band[k].row, 20);
    assert_true(s->solution[k][20] == s->right[k][20]);
    assert_true(factor_error(s, k, 0) <= 4.0 * unit_of(probe));
}

static void an_unknown_that_nothing_holds_is_left_alone(void **state) {
    (void)state;
    for_each_build(10, make_empty, keeps_its_right_hand_side);
}

/* Eigenvalues 3 and -1: shifts below 1 are not enough. */
static void make_indefinite(systems *s, int k) {
    make_singular(s, k);
    *entry(s->matrix[k], s->width, 21, 1) = 2.0;
}
static void make_negative(systems *s, int k) {
    *entry(s->matrix[k], s->width, 5, 0) *= -1.0;
}

static void is_dominant(const lanes_probe *probe, systems *s, int k) {
    assert_int_equal(s->band[k].repaired, 1);
    assert_int_equal(s->band[k].failed, 0);
    assert_int_equal(s->band[k].attempts, probe->real_bytes == 4 ? 6 : 7);
    assert_true(s->band[k].shift == 0.0);
    assert_true(factor_error(s, k, 1) <= 16.0 * unit_of(probe)); /* sums of rows are rounded, too */
}

static void an_indefinite_matrix_becomes_dominant(void **state) {
    (void)state;
    for_each_build(10, make_indefinite, is_dominant);
    for_each_build(11, make_negative, is_dominant);
}

static void make_nan(systems *s, int k) {
    *entry(s->matrix[k], s->width, 30, 3) = NAN;
}
static void make_nan_diagonal(systems *s, int k) {
    *entry(s->matrix[k], s->width, 30, 0) = NAN;
}
static void make_infinite(systems *s, int k) {
    *entry(s->matrix[k], s->width, 30, 0) = INFINITY;
}

static void has_no_factor(const lanes_probe *probe, systems *s, int k) {
    assert_int_equal(s->band[k].failed, 1);
    assert_int_equal(s->band[k].repaired, 0);
    assert_int_equal(s->band[k].attempts, probe->real_bytes == 4 ? 6 : 7);
    assert_int_equal(s->band[k].row, 30);
    assert_memory_equal(s->solution[k], s->right[k], (size_t)s->band[k].rows * sizeof(double));
}

static void numbers_that_are_not_finite_fail_their_lane(void **state) {
    (void)state;
    for_each_build(10, make_nan, has_no_factor);
    for_each_build(10, make_nan_diagonal, has_no_factor);
    for_each_build(11, make_infinite, has_no_factor);
}

/* Gauss-Newton without masses: as singular as a rod is that nothing holds. Rounding decides which strands
 * fail; all end with a finite solution and a factor that is the matrix's, or the reported one's. */
static void semi_definite_matrices_are_repaired(void **state) {
    (void)state;
    systems *set = create(10, STRANDS), *first[PROBE_FAMILIES] = {NULL};
    fill_stiff(set, 41, 1e2, 0.0);
    for (int p = 0; lanes_probe_at(p) != NULL; p++) {
        const lanes_probe *probe = lanes_probe_at(p);
        systems *s = rounded_for(probe, set);
        int repaired = 0;
        run(probe, s, 0);
        for (int k = 0; k < s->count; k++) {
            assert_int_equal(s->band[k].failed, 0);
            assert_true(s->band[k].attempts <= 2);
            assert_int_equal(s->band[k].repaired, s->band[k].attempts > 0);
            assert_int_equal(s->band[k].row >= 0, s->band[k].repaired);
            assert_true(factor_error(s, k, 0) <= 16.0 * unit_of(probe));
            for (int i = 0; i < s->band[k].rows; i++)
                assert_true(isfinite(s->solution[k][i]));
            repaired += s->band[k].repaired;
            if (first[probe->family] != NULL)
                check_same(first[probe->family], k, s, k);
        }
        print_message("semi-definite: %d of %d strands repaired by %s\n", repaired, s->count, probe->name);
        assert_true(repaired > 0);
        keep_first(first, probe, s);
    }
    free_families(first);
    free(set);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(backward_errors_are_small),
        cmocka_unit_test(doubles_bear_stiffer_ones),
        cmocka_unit_test(solutions_and_factors_are_those_of_lapack),
        cmocka_unit_test(strands_do_not_depend_on_their_tile),
        cmocka_unit_test(a_singular_matrix_is_shifted),
        cmocka_unit_test(an_unknown_that_nothing_holds_is_left_alone),
        cmocka_unit_test(an_indefinite_matrix_becomes_dominant),
        cmocka_unit_test(numbers_that_are_not_finite_fail_their_lane),
        cmocka_unit_test(semi_definite_matrices_are_repaired),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
