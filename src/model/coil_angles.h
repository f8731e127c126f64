/* The Coil's two angles in lanes: their gradients, and the eigenvectors of a quadratic energy in them, in
 * closed form.
 *
 * An energy with stress g and stiffness K has the matrix K grad grad^T + g Hessian(angle). In coordinates
 * that measure each edge by its own length (or its distance from an axis) that matrix is the same for all
 * shapes but for the angle, and falls into blocks of two:
 *
 * turning angle phi of unit tangents t0, t1; n across both, m = n x t. Coordinates: changes of the edges over
 * their lengths.     (m0 - m1, t0 + t1)   [2K g; g 0]    K +- sqrt(K^2 + g^2)     (m0 + m1, t0 - t1)   [0 g;
 * g 0]     +- g     (n, n), (n, -n)                     -g tan(phi/2), g cot(phi/2)
 *
 * torsion tau about c = e1/|e1|; z0, z2 unit vectors across c towards e0 (backwards) and e2, at distances r0,
 * r2;   w = c x z. Coordinates: (de0 - (e0.c/|e1|) de1) / r0, the same of e2, and de1 across c over |e1|; x
 * and y are   the directions between z0 and z2, and across.     (w0 - w2, z0 + z2)   [2K g; g 0]    as above
 * (w0 + w2, z0 - z2)   [0 g; g 0]     (c + c, x)           g [0 m; m d]   m = sqrt(2) sin(tau/2), d = sin tau
 * (c - c, y)           g [0 m'; m' -d]   m' = sqrt(2) cos(tau/2)
 *
 * A vector is scaled by the root of its eigenvalue's magnitude: the matrix is the sum of v v^T over the
 * positive ones, less that over the negative ones. Back in the edges' own coordinates the sum of the positive
 * ones is still positive semi-definite, whatever their lengths (a congruence), and all of them together are
 * the exact matrix. */
#ifndef RLTI_MODEL_COIL_ANGLES_H
#define RLTI_MODEL_COIL_ANGLES_H

#include "model/energy.h"

enum { COIL_BEND_VECTORS = 3, COIL_TORSION_VECTORS = 4 };

/* Sines below this count as it, and below a millionth of it there is no plane [rad]. */
#define COIL_LEAST_SINE ((real)1e-7)
/* Squared sine of the angle between neighbouring edges below which torsion fades: 0.02 rad. */
#define COIL_FADES ((real)4e-4)

/* The derivative of something by the two edges of an angle, or the three of a torsion (e0 backwards). */
typedef struct coil_pair {
    lane3 e[2];
} coil_pair;
typedef struct coil_triple {
    lane3 e[3];
} coil_triple;

/* Which half of the eigenvectors: those of positive or of negative eigenvalues. */
typedef enum coil_sign { COIL_POSITIVE, COIL_NEGATIVE } coil_sign;

/* The pair of blocks that both angles have: coefficients of (m0, t0, m1, t1) of the first vector are (a, b,
 * -a, b), of the second (c, d, c, -d). */
typedef struct coil_planar {
    lane a, b, c, d;
} coil_planar;

ENERGY_INLINE coil_planar coil_planar_of(lane stiffness, lane stress, coil_sign sign) {
    lane half = lane_set((real)0.5), least = lane_set((real)1e-300);
    lane root = lane_sqrt(fused(stiffness, stiffness, stress * stress));
    lane scale = half / lane_sqrt(lane_maximum(root, least)), size = half * lane_sqrt(lane_absolute(stress));
    lane value = stiffness + root, along = lane_copysign(size, stress);
    if (sign == COIL_NEGATIVE) { /* K - root, without cancellation */
        value = -stress * stress / lane_maximum(value, least);
        along = -along;
    }
    coil_planar planar = {value * scale, stress * scale, size, along};
    return planar;
}

/* ---- turning angle ---- */

typedef struct coil_bend {
    lane3 n, t0, t1, m0, m1;
    lane sine, cosine, angle;
} coil_bend;

ENERGY_INLINE coil_bend coil_bend_of(lane3 t0, lane3 t1) {
    coil_bend b = {.n = cross3(t0, t1), .t0 = t0, .t1 = t1, .cosine = dot3(t0, t1)};
    lane least = lane_set((real)1e-6 * COIL_LEAST_SINE);
    b.sine = lane_sqrt(dot3(b.n, b.n));
    b.angle = lane_atan2(b.sine, b.cosine);
    lane_mask flat = lane_less(b.sine, least);
    b.n = scale3(lane_set(1) / lane_maximum(b.sine, least), b.n);
    if (lane_any(flat)) /* straight, or folded: any plane */
        b.n = select3(flat, energy_perpendicular(t0), b.n);
    b.m0 = cross3(b.n, t0);
    b.m1 = cross3(b.n, t1);
    return b;
}

/* d angle / d e, with e0 in the direction of the strand. */
ENERGY_INLINE coil_pair coil_bend_slope(const coil_bend *b, lane inverse0, lane inverse1) {
    coil_pair slope = {{scale3(-inverse0, b->m0), scale3(inverse1, b->m1)}};
    return slope;
}

/* Eigenvalues of (n, n) and (n, -n). Where the angle is 0 or pi, and is so at rest, their limit is 2 K: as if
 * it were the least that counts off. */
typedef struct coil_across {
    lane same, opposite;
} coil_across;

ENERGY_INLINE coil_across coil_across_of(const coil_bend *b, lane stiffness, lane stress) {
    lane least = lane_set(COIL_LEAST_SINE), one = lane_set(1), zero = lane_set(0);
    lane inverse = one / lane_maximum(b->sine, least);
    lane shift = stiffness * lane_maximum(least - b->sine, zero);
    lane forward = lane_select(lane_less(zero, b->cosine), shift, zero), back = shift - forward;
    coil_across across = {(back - stress) * (one - b->cosine) * inverse,
                          (stress + forward) * (one + b->cosine) * inverse};
    return across;
}

ENERGY_INLINE void coil_bend_vectors(const coil_bend *b, lane inverse0, lane inverse1, lane stiffness,
                                     lane stress, coil_sign sign, coil_pair v[COIL_BEND_VECTORS]) {
    coil_planar p = coil_planar_of(stiffness, stress, sign);
    coil_across across = coil_across_of(b, stiffness, stress);
    lane half = lane_set((real)0.5), zero = lane_set(0);
    lane same = across.same, opposite = across.opposite;
    if (sign == COIL_NEGATIVE) {
        same = -same;
        opposite = -opposite;
    }
    lane size = lane_sqrt(half * lane_maximum(lane_maximum(same, opposite), zero));
    lane other = lane_select(lane_less(same, opposite), -size, size);
    v[0].e[0] = scale3(inverse0, fused3(p.a, b->m0, scale3(p.b, b->t0)));
    v[0].e[1] = scale3(inverse1, fused3(-p.a, b->m1, scale3(p.b, b->t1)));
    v[1].e[0] = scale3(inverse0, fused3(p.c, b->m0, scale3(p.d, b->t0)));
    v[1].e[1] = scale3(inverse1, fused3(p.c, b->m1, scale3(-p.d, b->t1)));
    v[2].e[0] = scale3(inverse0 * size, b->n);
    v[2].e[1] = scale3(inverse1 * other, b->n);
}

/* ---- torsion ---- */

typedef struct coil_torsion {
    lane3 c, z0, z2, w0, w2;
    lane inverse0, inverse2; /* 1 / r0, 1 / r2 */
    lane back0, back2;       /* e0 . c / |e1|, e2 . c / |e1| */
    lane inverse;            /* 1 / |e1| */
    lane sine, cosine, tau;
    lane fade;             /* f */
    lane near0, near2;     /* 1 - squared sines over COIL_FADES, at least 0; above 0 the torsion fades */
    lane along0, along2;   /* cosines of e0 and e2 with c */
    lane length0, length2; /* of edges, inverse */
} coil_torsion;

/* One side: e is t / inverse_e; its distance from the axis c, and the direction across. */
ENERGY_INLINE lane3 coil_side(lane3 c, lane3 t, lane inverse_e, lane inverse_c, lane *inverse, lane *back,
                              lane *along, lane *near) {
    lane one = lane_set(1), least = lane_set((real)1e-6 * COIL_LEAST_SINE);
    *along = dot3(t, c);
    lane3 across = fused3(-*along, c, t);
    lane square = dot3(across, across), sine = lane_maximum(lane_sqrt(square), least);
    *inverse = inverse_e / sine;
    *back = *along * inverse_c / inverse_e;
    *near = lane_maximum(fused(lane_set(1 / COIL_FADES), -square, one), lane_set(0));
    return scale3(one / sine, across);
}

/* Unit vectors t0 (backwards), c, t2 and the inverse lengths of their edges. */
ENERGY_INLINE coil_torsion coil_torsion_of(lane3 t0, lane inverse0, lane3 c, lane inverse1, lane3 t2,
                                           lane inverse2) {
    coil_torsion s = {.c = c, .inverse = inverse1, .length0 = inverse0, .length2 = inverse2};
    lane one = lane_set(1);
    s.z0 = coil_side(c, t0, inverse0, inverse1, &s.inverse0, &s.back0, &s.along0, &s.near0);
    s.z2 = coil_side(c, t2, inverse2, inverse1, &s.inverse2, &s.back2, &s.along2, &s.near2);
    s.w0 = cross3(c, s.z0);
    s.w2 = cross3(c, s.z2);
    s.sine = dot3(s.w0, s.z2);
    s.cosine = dot3(s.z0, s.z2);
    s.tau = lane_atan2(s.sine, s.cosine);
    s.fade = fused(-s.near0 * s.near0, s.near0, one) * fused(-s.near2 * s.near2, s.near2, one);
    return s;
}

/* From the coordinates above to the edges: parts of both sides, and of the middle across c. */
ENERGY_INLINE coil_triple coil_spread(const coil_torsion *s, lane3 side0, lane3 middle, lane3 side2) {
    lane3 first = scale3(s->inverse0, side0), last = scale3(s->inverse2, side2);
    coil_triple v = {
        {first, fused3(s->inverse, middle, fused3(-s->back0, first, scale3(-s->back2, last))), last}};
    return v;
}

/* d tau / d e. */
ENERGY_INLINE coil_triple coil_torsion_slope(const coil_torsion *s) {
    return coil_spread(s, scale3(lane_set(-1), s->w0), zero3(), s->w2);
}

/* One block g [0 m; m d]: coefficients of the vector, whose eigenvalue has the sign asked for. `root` is that
 * of |g|, with_sign the sign of g. */
typedef struct coil_tilt {
    lane along, across;
} coil_tilt;

ENERGY_INLINE coil_tilt coil_tilt_of(lane root, lane with_sign, lane m, lane d, coil_sign sign) {
    lane size = lane_sqrt(fused(lane_set(4) * m, m, d * d)), half = lane_set((real)0.5);
    lane scale = root / lane_sqrt(lane_maximum(size, lane_set((real)1e-300)));
    lane signed_size = size;
    if (sign == COIL_NEGATIVE)
        signed_size = -size;
    coil_tilt tilt = {scale * with_sign * m, scale * half * fused(with_sign, d, signed_size)};
    return tilt;
}

ENERGY_INLINE void coil_torsion_vectors(const coil_torsion *s, lane stiffness, lane stress, coil_sign sign,
                                        coil_triple v[COIL_TORSION_VECTORS]) {
    coil_planar p = coil_planar_of(stiffness, stress, sign);
    lane half = lane_set((real)0.5), one = lane_set(1), zero = lane_set(0);
    lane half_cos = lane_sqrt(half * lane_maximum(one + s->cosine, zero));
    lane half_sin = lane_copysign(lane_sqrt(half * lane_maximum(one - s->cosine, zero)), s->sine);
    lane3 x = fused3(half_cos, s->z0, scale3(half_sin, s->w0)), y = cross3(s->c, x);
    lane root = lane_sqrt(lane_absolute(stress)), with_sign = lane_copysign(one, stress);
    lane two = lane_set((real)1.41421356237309504880), inverse = lane_set((real)0.70710678118654752440);
    coil_tilt first = coil_tilt_of(root, with_sign, two * half_sin, s->sine, sign);
    coil_tilt second = coil_tilt_of(root, with_sign, two * half_cos, -s->sine, sign);
    v[0] = coil_spread(s, fused3(p.a, s->w0, scale3(p.b, s->z0)), zero3(),
                       fused3(-p.a, s->w2, scale3(p.b, s->z2)));
    v[1] = coil_spread(s, fused3(p.c, s->w0, scale3(p.d, s->z0)), zero3(),
                       fused3(p.c, s->w2, scale3(-p.d, s->z2)));
    lane3 along = scale3(inverse * first.along, s->c);
    v[2] = coil_spread(s, along, scale3(first.across, x), along);
    along = scale3(inverse * second.along, s->c);
    v[3] = coil_spread(s, along, scale3(second.across, y), scale3(lane_set(-1), along));
}

/* The torsion about the clamp's director, of which only the last edge moves: d tau / d e2, and the one vector
 * of [0 -g; -g K] in (z2, w2). */
ENERGY_INLINE lane3 coil_side_vector(const coil_torsion *s, lane stiffness, lane stress, coil_sign sign) {
    lane two = lane_set(2), least = lane_set((real)1e-300);
    lane root = lane_sqrt(fused(stiffness, stiffness, lane_set(4) * stress * stress));
    lane value = lane_set((real)0.5) * (stiffness + root);
    if (sign == COIL_NEGATIVE)
        value = -two * stress * stress / lane_maximum(stiffness + root, least);
    lane scale = s->inverse2 / lane_sqrt(lane_maximum(root, least));
    return fused3(scale * value, s->w2, scale3(-scale * stress, s->z2));
}

#endif
