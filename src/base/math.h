/* Small double-precision vectors, quaternions and the elementary functions that decide results.
 *
 * Library sin, cos and exp differ in the last bit between machines (glibc picks variants by CPU), and the
 * same scene must give the same bytes everywhere. So whatever reaches a result uses the functions below:
 * only IEEE basic operations and sqrt, which are exact everywhere. */
#ifndef RLTI_BASE_MATH_H
#define RLTI_BASE_MATH_H

#include <math.h>
#include <stddef.h>

#define RLTI_PI 3.14159265358979323846

typedef struct rlti_vec3 {
    double x, y, z;
} rlti_vec3;

/* Unit quaternion w + xi + yj + zk; rotates by v' = q v q*. */
typedef struct rlti_quat {
    double w, x, y, z;
} rlti_quat;

static inline rlti_vec3 rlti_v3(double x, double y, double z) {
    rlti_vec3 v = {x, y, z};
    return v;
}
/* The i-th of vectors as three doubles in a row. */
static inline rlti_vec3 rlti_v3_at(const double *vectors, int i) {
    const double *v = vectors + 3 * (size_t)i;
    return rlti_v3(v[0], v[1], v[2]);
}
static inline void rlti_v3_put(double to[3], rlti_vec3 v) {
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
}
static inline void rlti_v3_round(float to[3], rlti_vec3 v) {
    to[0] = (float)v.x;
    to[1] = (float)v.y;
    to[2] = (float)v.z;
}
static inline rlti_vec3 rlti_add(rlti_vec3 a, rlti_vec3 b) {
    return rlti_v3(a.x + b.x, a.y + b.y, a.z + b.z);
}
static inline rlti_vec3 rlti_sub(rlti_vec3 a, rlti_vec3 b) {
    return rlti_v3(a.x - b.x, a.y - b.y, a.z - b.z);
}
static inline rlti_vec3 rlti_scale(double s, rlti_vec3 a) {
    return rlti_v3(s * a.x, s * a.y, s * a.z);
}
/* a + s b */
static inline rlti_vec3 rlti_madd(rlti_vec3 a, double s, rlti_vec3 b) {
    return rlti_v3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}
static inline double rlti_dot(rlti_vec3 a, rlti_vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline rlti_vec3 rlti_cross(rlti_vec3 a, rlti_vec3 b) {
    return rlti_v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline double rlti_length(rlti_vec3 a) {
    return sqrt(rlti_dot(a, a));
}
/* The zero vector stays zero. */
static inline rlti_vec3 rlti_normalize(rlti_vec3 a) {
    double length = rlti_length(a);
    return length > 0.0 ? rlti_scale(1.0 / length, a) : a;
}
/* A unit vector perpendicular to the unit vector a: the axis with the minimum along a, made orthogonal. */
static inline rlti_vec3 rlti_perpendicular(rlti_vec3 a) {
    rlti_vec3 axis =
        fabs(a.x) < 0.6 ? rlti_v3(1, 0, 0) : (fabs(a.y) < 0.6 ? rlti_v3(0, 1, 0) : rlti_v3(0, 0, 1));
    return rlti_normalize(rlti_madd(axis, -rlti_dot(axis, a), a));
}

static inline rlti_quat rlti_quat_multiply(rlti_quat a, rlti_quat b) {
    rlti_quat q = {
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
    return q;
}
/* Of a unit quaternion, the rotation back. */
static inline rlti_quat rlti_quat_conjugate(rlti_quat q) {
    return (rlti_quat){q.w, -q.x, -q.y, -q.z};
}
static inline rlti_quat rlti_quat_normalize(rlti_quat q) {
    double n = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    double s = n > 0.0 ? 1.0 / n : 0.0;
    rlti_quat unit = {n > 0.0 ? s * q.w : 1.0, s * q.x, s * q.y, s * q.z};
    return unit;
}
static inline rlti_vec3 rlti_quat_rotate(rlti_quat q, rlti_vec3 v) {
    rlti_vec3 u = rlti_v3(q.x, q.y, q.z);
    rlti_vec3 t = rlti_scale(2.0, rlti_cross(u, v));
    return rlti_add(rlti_madd(v, q.w, t), rlti_cross(u, t));
}

/* Sine, cosine and exponential with the same bits on every machine; error below 1e-14 of the result's
 * scale for |x| up to 1e6 (sin, cos) and for the finite range (exp). */
double rlti_sin(double x);
double rlti_cos(double x);
double rlti_exp(double x);

/* The rotation by `angle` (radians) about the unit vector `axis`. */
rlti_quat rlti_quat_axis_angle(rlti_vec3 axis, double angle);

/* The rotation whose matrix has the orthonormal right-handed columns a, b, c. */
rlti_quat rlti_quat_from_axes(rlti_vec3 a, rlti_vec3 b, rlti_vec3 c);

/* Cubic blend from 0 to 1 over s in [0, 1], flat at both ends: s^2 (3 - 2 s), clamped outside. */
static inline double rlti_smoothstep(double s) {
    s = s < 0.0 ? 0.0 : (s > 1.0 ? 1.0 : s);
    return s * s * (3.0 - 2.0 * s);
}

#endif
