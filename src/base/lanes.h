/* Lanes: one strand per SIMD lane. The physics is written once over the type `lane`; this header gives it a
 * meaning for each build of the step kernel. Define exactly one of
 *
 *   RLTI_LANES_AVX512    16 floats in one register
 *   RLTI_LANES_AVX2       8 floats in one register
 *   RLTI_LANES_PORTABLE   4 floats, any machine; slow, the same bits
 *   RLTI_LANES_REFERENCE  1 double: the plain reference
 *
 * and RLTI_LANES_DOUBLE with one of the first three for doubles, half as many; without lane_gather4 and
 * lane_scatter4.
 *
 * The three float builds round identically, and so do the three in doubles: + - * / and square root are IEEE
 * exact, `fused` is one rounding everywhere (fmaf where there is no instruction), minimum and maximum return
 * the second operand when one is NaN (as x86 does), and nothing ever sums across lanes. The compiler must not
 * contract (-ffp-contract=off).
 */
#ifndef RLTI_BASE_LANES_H
#define RLTI_BASE_LANES_H

#include <math.h>
#include <stdint.h>

/* ---- the types; RLTI_LANES_OF names the instruction, or the function of libm, for them ---- */

#if defined(RLTI_LANES_AVX512)
#include <immintrin.h>
#if defined(RLTI_LANES_DOUBLE)
#define LANES               8
#define RLTI_LANES_OF(name) _mm512_##name##_pd
#define RLTI_LANES_COMPARE  _mm512_cmp_pd_mask
typedef double real;
typedef __m512d lane;
typedef __mmask8 lane_mask;
#else
#define LANES               16
#define RLTI_LANES_OF(name) _mm512_##name##_ps
#define RLTI_LANES_COMPARE  _mm512_cmp_ps_mask
typedef float real;
typedef __m512 lane;
typedef __mmask16 lane_mask;
#endif

#elif defined(RLTI_LANES_AVX2)
#include <immintrin.h>
#if defined(RLTI_LANES_DOUBLE)
#define LANES               4
#define RLTI_LANES_OF(name) _mm256_##name##_pd
typedef double real;
typedef __m256d lane;
#else
#define LANES               8
#define RLTI_LANES_OF(name) _mm256_##name##_ps
typedef float real;
typedef __m256 lane;
#endif
#define RLTI_LANES_COMPARE RLTI_LANES_OF(cmp)
typedef lane lane_mask;

#elif defined(RLTI_LANES_PORTABLE)
#if defined(RLTI_LANES_DOUBLE)
#define LANES               2
#define RLTI_LANES_OF(name) name
typedef double real;
typedef int64_t lane_mask __attribute__((vector_size(16)));
#else
#define LANES               4
#define RLTI_LANES_OF(name) name##f
typedef float real;
typedef int32_t lane_mask __attribute__((vector_size(16)));
#endif
typedef real lane __attribute__((vector_size(16), may_alias));

#elif defined(RLTI_LANES_REFERENCE)
#define LANES 1
typedef double real;
typedef double lane;
typedef int lane_mask;

#else
#error "define one RLTI_LANES_ build"
#endif

/* ---- arithmetic; of lane_bits, bit k is lane k's ---- */

#if defined(RLTI_LANES_AVX512) || defined(RLTI_LANES_AVX2)

static inline lane lane_set(real a) {
    return RLTI_LANES_OF(set1)(a);
}
static inline lane fused(lane a, lane b, lane c) {
    return RLTI_LANES_OF(fmadd)(a, b, c);
}
static inline lane lane_sqrt(lane a) {
    return RLTI_LANES_OF(sqrt)(a);
}
static inline lane lane_minimum(lane a, lane b) {
    return RLTI_LANES_OF(min)(a, b);
}
static inline lane lane_maximum(lane a, lane b) {
    return RLTI_LANES_OF(max)(a, b);
}
static inline lane_mask lane_less(lane a, lane b) {
    return RLTI_LANES_COMPARE(a, b, _CMP_LT_OQ);
}
#if defined(RLTI_LANES_AVX512)
static inline unsigned lane_bits(lane_mask m) {
    return m;
}
static inline lane lane_select(lane_mask m, lane yes, lane no) {
    return RLTI_LANES_OF(mask_blend)(m, no, yes);
}
#else
static inline unsigned lane_bits(lane_mask m) {
    return (unsigned)RLTI_LANES_OF(movemask)(m);
}
static inline lane lane_select(lane_mask m, lane yes, lane no) {
    return RLTI_LANES_OF(blendv)(no, yes, m);
}
#endif
static inline int lane_any(lane_mask m) {
    return lane_bits(m) != 0;
}

#elif defined(RLTI_LANES_PORTABLE)

#define RLTI_EACH(expression)                                                                                \
    lane result;                                                                                             \
    for (int k = 0; k < LANES; k++)                                                                          \
        result[k] = (expression);                                                                            \
    return result

static inline lane lane_set(real a) {
    RLTI_EACH(a);
}
static inline lane fused(lane a, lane b, lane c) {
    RLTI_EACH(RLTI_LANES_OF(fma)(a[k], b[k], c[k]));
}
static inline lane lane_sqrt(lane a) {
    RLTI_EACH(RLTI_LANES_OF(sqrt)(a[k]));
}
static inline lane lane_minimum(lane a, lane b) {
    RLTI_EACH(a[k] < b[k] ? a[k] : b[k]);
}
static inline lane lane_maximum(lane a, lane b) {
    RLTI_EACH(a[k] > b[k] ? a[k] : b[k]);
}
static inline lane_mask lane_less(lane a, lane b) {
    return a < b;
}
static inline int lane_any(lane_mask m) {
    int any = 0;
    for (int k = 0; k < LANES; k++)
        any |= m[k] != 0;
    return any;
}
static inline unsigned lane_bits(lane_mask m) {
    unsigned bits = 0;
    for (int k = 0; k < LANES; k++)
        bits |= m[k] ? 1u << k : 0u;
    return bits;
}
static inline lane lane_select(lane_mask m, lane yes, lane no) {
    RLTI_EACH(m[k] ? yes[k] : no[k]);
}

#else

static inline lane lane_set(real a) {
    return a;
}
/* Two roundings: the reference is plain arithmetic, and a library fma would be unfairly slow. */
static inline lane fused(lane a, lane b, lane c) {
    return a * b + c;
}
static inline lane lane_sqrt(lane a) {
    return sqrt(a);
}
static inline lane lane_minimum(lane a, lane b) {
    return a < b ? a : b;
}
static inline lane lane_maximum(lane a, lane b) {
    return a > b ? a : b;
}
static inline lane_mask lane_less(lane a, lane b) {
    return a < b;
}
static inline int lane_any(lane_mask m) {
    return m;
}
static inline unsigned lane_bits(lane_mask m) {
    return (unsigned)m;
}
static inline lane lane_select(lane_mask m, lane yes, lane no) {
    return m ? yes : no;
}

#endif

/* ---- floats in rows of four ---- */

#if !defined(RLTI_LANES_DOUBLE)
#if defined(RLTI_LANES_AVX512)

static inline __m512 rlti_four_rows(const float *a, const float *b, const float *c, const float *d) {
    __m512 all = _mm512_castps128_ps512(_mm_loadu_ps(a));
    all = _mm512_insertf32x4(all, _mm_loadu_ps(b), 1);
    all = _mm512_insertf32x4(all, _mm_loadu_ps(c), 2);
    return _mm512_insertf32x4(all, _mm_loadu_ps(d), 3);
}
static inline void lane_gather4(const float *const rows[], lane columns[4]) {
    __m512 r[4];
    for (int k = 0; k < 4; k++)
        r[k] = rlti_four_rows(rows[k], rows[k + 4], rows[k + 8], rows[k + 12]);
    __m512 a = _mm512_unpacklo_ps(r[0], r[1]), b = _mm512_unpackhi_ps(r[0], r[1]);
    __m512 c = _mm512_unpacklo_ps(r[2], r[3]), d = _mm512_unpackhi_ps(r[2], r[3]);
    columns[0] = _mm512_shuffle_ps(a, c, 0x44);
    columns[1] = _mm512_shuffle_ps(a, c, 0xee);
    columns[2] = _mm512_shuffle_ps(b, d, 0x44);
    columns[3] = _mm512_shuffle_ps(b, d, 0xee);
}
/* Eight floats, aligned, in the lower lanes and again in the upper ones. */
static inline lane lane_twice(const float *row) {
    return _mm512_broadcast_f32x8(_mm256_load_ps(row));
}
/* One number in the lower eight lanes, another in the upper ones. */
static inline lane lane_halves(float lower, float upper) {
    return _mm512_insertf32x8(_mm512_set1_ps(lower), _mm256_set1_ps(upper), 1);
}
static inline void lane_scatter4(const lane columns[4], float rows[][4]) {
    __m512 a = _mm512_unpacklo_ps(columns[0], columns[1]), b = _mm512_unpackhi_ps(columns[0], columns[1]);
    __m512 c = _mm512_unpacklo_ps(columns[2], columns[3]), d = _mm512_unpackhi_ps(columns[2], columns[3]);
    const __m512 r[4] = {_mm512_shuffle_ps(a, c, 0x44), _mm512_shuffle_ps(a, c, 0xee),
                         _mm512_shuffle_ps(b, d, 0x44), _mm512_shuffle_ps(b, d, 0xee)};
    for (int k = 0; k < 4; k++) {
        _mm_store_ps(rows[k], _mm512_castps512_ps128(r[k]));
        _mm_store_ps(rows[k + 4], _mm512_extractf32x4_ps(r[k], 1));
        _mm_store_ps(rows[k + 8], _mm512_extractf32x4_ps(r[k], 2));
        _mm_store_ps(rows[k + 12], _mm512_extractf32x4_ps(r[k], 3));
    }
}

#elif defined(RLTI_LANES_AVX2)

static inline void lane_gather4(const float *const rows[], lane columns[4]) {
    __m256 r[4];
    for (int k = 0; k < 4; k++)
        r[k] =
            _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(rows[k])), _mm_loadu_ps(rows[k + 4]), 1);
    __m256 a = _mm256_unpacklo_ps(r[0], r[1]), b = _mm256_unpackhi_ps(r[0], r[1]);
    __m256 c = _mm256_unpacklo_ps(r[2], r[3]), d = _mm256_unpackhi_ps(r[2], r[3]);
    columns[0] = _mm256_shuffle_ps(a, c, 0x44);
    columns[1] = _mm256_shuffle_ps(a, c, 0xee);
    columns[2] = _mm256_shuffle_ps(b, d, 0x44);
    columns[3] = _mm256_shuffle_ps(b, d, 0xee);
}
static inline void lane_scatter4(const lane columns[4], float rows[][4]) {
    __m256 a = _mm256_unpacklo_ps(columns[0], columns[1]), b = _mm256_unpackhi_ps(columns[0], columns[1]);
    __m256 c = _mm256_unpacklo_ps(columns[2], columns[3]), d = _mm256_unpackhi_ps(columns[2], columns[3]);
    const __m256 r[4] = {_mm256_shuffle_ps(a, c, 0x44), _mm256_shuffle_ps(a, c, 0xee),
                         _mm256_shuffle_ps(b, d, 0x44), _mm256_shuffle_ps(b, d, 0xee)};
    for (int k = 0; k < 4; k++) {
        _mm_store_ps(rows[k], _mm256_castps256_ps128(r[k]));
        _mm_store_ps(rows[k + 4], _mm256_extractf128_ps(r[k], 1));
    }
}

#elif defined(RLTI_LANES_PORTABLE)

/* Four floats in a row for each lane, anywhere in memory: column c gets the c-th of every row. */
static inline void lane_gather4(const float *const rows[], lane columns[4]) {
    for (int c = 0; c < 4; c++)
        for (int k = 0; k < LANES; k++)
            columns[c][k] = rows[k][c];
}
/* The inverse: row k gets lane k of the four columns. Rows are aligned to 16 bytes. */
static inline void lane_scatter4(const lane columns[4], float rows[][4]) {
    for (int c = 0; c < 4; c++)
        for (int k = 0; k < LANES; k++)
            rows[k][c] = columns[c][k];
}

#else

static inline void lane_gather4(const float *const rows[], lane columns[4]) {
    for (int c = 0; c < 4; c++)
        columns[c] = (double)rows[0][c];
}
static inline void lane_scatter4(const lane columns[4], float rows[][4]) {
    for (int c = 0; c < 4; c++)
        rows[0][c] = (float)columns[c];
}

#endif
#endif

/* Rows of LANES values. Tiles keep them aligned, arrays of a function need not be. */
typedef lane lane_row __attribute__((aligned(sizeof(real)), may_alias));
static inline lane lane_load(const real *row) {
    return *(const lane_row *)(const void *)row;
}
static inline void lane_store(real *row, lane a) {
    *(lane_row *)(void *)row = a;
}

/* Three components, one strand per lane. */
typedef struct lane3 {
    lane x, y, z;
} lane3;

static inline lane3 load3(const real *rows) {
    lane3 v = {lane_load(rows), lane_load(rows + LANES), lane_load(rows + 2 * LANES)};
    return v;
}
static inline void store3(real *rows, lane3 v) {
    lane_store(rows, v.x);
    lane_store(rows + LANES, v.y);
    lane_store(rows + 2 * LANES, v.z);
}
static inline lane3 zero3(void) {
    lane3 v = {lane_set(0), lane_set(0), lane_set(0)};
    return v;
}
static inline lane3 add3(lane3 a, lane3 b) {
    lane3 v = {a.x + b.x, a.y + b.y, a.z + b.z};
    return v;
}
static inline lane3 sub3(lane3 a, lane3 b) {
    lane3 v = {a.x - b.x, a.y - b.y, a.z - b.z};
    return v;
}
static inline lane3 scale3(lane s, lane3 a) {
    lane3 v = {s * a.x, s * a.y, s * a.z};
    return v;
}
/* s a + b */
static inline lane3 fused3(lane s, lane3 a, lane3 b) {
    lane3 v = {fused(s, a.x, b.x), fused(s, a.y, b.y), fused(s, a.z, b.z)};
    return v;
}
static inline lane dot3(lane3 a, lane3 b) {
    return fused(a.z, b.z, fused(a.y, b.y, a.x * b.x));
}
static inline lane3 cross3(lane3 a, lane3 b) {
    lane3 v = {fused(a.y, b.z, -(a.z * b.y)), fused(a.z, b.x, -(a.x * b.z)), fused(a.x, b.y, -(a.y * b.x))};
    return v;
}
static inline lane3 select3(lane_mask m, lane3 yes, lane3 no) {
    lane3 v = {lane_select(m, yes.x, no.x), lane_select(m, yes.y, no.y), lane_select(m, yes.z, no.z)};
    return v;
}

#endif
