/* Vectors in single precision, for rays. */
#ifndef RLTI_RENDER_TRACE_VECTOR_H
#define RLTI_RENDER_TRACE_VECTOR_H

#include <math.h>

#define RLTI_PI_F 3.14159265f

typedef struct rlti_f3 {
    float x, y, z;
} rlti_f3;

/* Inline where fmaxf and fminf are calls; of something and no number they give the second. */
static inline float rlti_max(float a, float b) {
    return a > b ? a : b;
}
static inline float rlti_min(float a, float b) {
    return a < b ? a : b;
}

static inline rlti_f3 rlti_f3_of(float x, float y, float z) {
    rlti_f3 v = {x, y, z};
    return v;
}
static inline rlti_f3 rlti_f3_add(rlti_f3 a, rlti_f3 b) {
    return rlti_f3_of(a.x + b.x, a.y + b.y, a.z + b.z);
}
static inline rlti_f3 rlti_f3_sub(rlti_f3 a, rlti_f3 b) {
    return rlti_f3_of(a.x - b.x, a.y - b.y, a.z - b.z);
}
static inline rlti_f3 rlti_f3_scale(float s, rlti_f3 a) {
    return rlti_f3_of(s * a.x, s * a.y, s * a.z);
}
/* a + s b */
static inline rlti_f3 rlti_f3_madd(rlti_f3 a, float s, rlti_f3 b) {
    return rlti_f3_of(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}
/* component by component, for colours */
static inline rlti_f3 rlti_f3_times(rlti_f3 a, rlti_f3 b) {
    return rlti_f3_of(a.x * b.x, a.y * b.y, a.z * b.z);
}
static inline rlti_f3 rlti_f3_mix(rlti_f3 a, rlti_f3 b, float s) {
    return rlti_f3_madd(rlti_f3_scale(1.0f - s, a), s, b);
}
static inline float rlti_f3_dot(rlti_f3 a, rlti_f3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline rlti_f3 rlti_f3_cross(rlti_f3 a, rlti_f3 b) {
    return rlti_f3_of(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
/* The zero vector stays zero. */
static inline rlti_f3 rlti_f3_normalize(rlti_f3 a) {
    float square = rlti_f3_dot(a, a);
    return square > 0.0f ? rlti_f3_scale(1.0f / sqrtf(square), a) : a;
}
/* A unit vector perpendicular to the unit vector a. */
static inline rlti_f3 rlti_f3_perpendicular(rlti_f3 a) {
    rlti_f3 axis = fabsf(a.x) < 0.6f ? rlti_f3_of(1, 0, 0) : rlti_f3_of(0, 1, 0);
    return rlti_f3_normalize(rlti_f3_cross(a, axis));
}
static inline float rlti_f3_largest(rlti_f3 a) {
    return rlti_max(a.x, rlti_max(a.y, a.z));
}
/* Luminance of linear sRGB. */
static inline float rlti_f3_luminance(rlti_f3 a) {
    return 0.2126f * a.x + 0.7152f * a.y + 0.0722f * a.z;
}
static inline rlti_f3 rlti_f3_of_doubles(const double v[3]) {
    return rlti_f3_of((float)v[0], (float)v[1], (float)v[2]);
}

#endif
