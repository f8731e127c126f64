/* The lane type in doubles, for builds of lanes.h with RLTI_LANES_DOUBLE; included by it alone. As with
 * floats, the three round identically, and `fused` is one rounding. Half as many lanes; no lane_gather4 and
 * lane_scatter4. */
#ifndef RLTI_BASE_LANES_DOUBLE_H
#define RLTI_BASE_LANES_DOUBLE_H

typedef double real;

#if defined(RLTI_LANES_AVX512)

#include <immintrin.h>
#define LANES 8
typedef __m512d lane;
typedef __mmask8 lane_mask;

static inline lane lane_set(real a) {
    return _mm512_set1_pd(a);
}
static inline lane fused(lane a, lane b, lane c) {
    return _mm512_fmadd_pd(a, b, c);
}
static inline lane lane_sqrt(lane a) {
    return _mm512_sqrt_pd(a);
}
static inline lane lane_minimum(lane a, lane b) {
    return _mm512_min_pd(a, b);
}
static inline lane lane_maximum(lane a, lane b) {
    return _mm512_max_pd(a, b);
}
static inline lane_mask lane_less(lane a, lane b) {
    return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ);
}
static inline int lane_any(lane_mask m) {
    return m != 0;
}
static inline unsigned lane_bits(lane_mask m) {
    return m;
}
static inline lane lane_select(lane_mask m, lane yes, lane no) {
    return _mm512_mask_blend_pd(m, no, yes);
}

#elif defined(RLTI_LANES_AVX2)

#include <immintrin.h>
#define LANES 4
typedef __m256d lane;
typedef __m256d lane_mask;

static inline lane lane_set(real a) {
    return _mm256_set1_pd(a);
}
static inline lane fused(lane a, lane b, lane c) {
    return _mm256_fmadd_pd(a, b, c);
}
static inline lane lane_sqrt(lane a) {
    return _mm256_sqrt_pd(a);
}
static inline lane lane_minimum(lane a, lane b) {
    return _mm256_min_pd(a, b);
}
static inline lane lane_maximum(lane a, lane b) {
    return _mm256_max_pd(a, b);
}
static inline lane_mask lane_less(lane a, lane b) {
    return _mm256_cmp_pd(a, b, _CMP_LT_OQ);
}
static inline int lane_any(lane_mask m) {
    return _mm256_movemask_pd(m) != 0;
}
static inline unsigned lane_bits(lane_mask m) {
    return (unsigned)_mm256_movemask_pd(m);
}
static inline lane lane_select(lane_mask m, lane yes, lane no) {
    return _mm256_blendv_pd(no, yes, m);
}

#elif defined(RLTI_LANES_PORTABLE)

#define LANES 2
typedef double lane __attribute__((vector_size(16), may_alias));
typedef int64_t lane_mask __attribute__((vector_size(16)));

static inline lane lane_set(real a) {
    return (lane){a, a};
}
static inline lane fused(lane a, lane b, lane c) {
    return (lane){fma(a[0], b[0], c[0]), fma(a[1], b[1], c[1])};
}
static inline lane lane_sqrt(lane a) {
    return (lane){sqrt(a[0]), sqrt(a[1])};
}
static inline lane lane_minimum(lane a, lane b) {
    return (lane){a[0] < b[0] ? a[0] : b[0], a[1] < b[1] ? a[1] : b[1]};
}
static inline lane lane_maximum(lane a, lane b) {
    return (lane){a[0] > b[0] ? a[0] : b[0], a[1] > b[1] ? a[1] : b[1]};
}
static inline lane_mask lane_less(lane a, lane b) {
    return a < b;
}
static inline int lane_any(lane_mask m) {
    return (m[0] | m[1]) != 0;
}
static inline unsigned lane_bits(lane_mask m) {
    return (m[0] ? 1u : 0u) | (m[1] ? 2u : 0u);
}
static inline lane lane_select(lane_mask m, lane yes, lane no) {
    return (lane){m[0] ? yes[0] : no[0], m[1] ? yes[1] : no[1]};
}

#else
#error "define one RLTI_LANES_ build"
#endif

#endif
