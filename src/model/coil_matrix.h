/* The Coil's matrix in lanes, from the vectors of the last evaluation: each row is a sum over the angles and
 * torsions that its point has a part in, and is written once. And what that matrix leaves out, to be added.
 *
 * Point p is the last of angle p - 1, the middle of angle p and the first of angle p + 1; and the last of
 * torsion p - 2 (about the edge from p - 2 to p - 1), the third of p - 1, the second of p and the first of p
 * + 1. Terms of points that have none of these are 0. Four points in a row: the half-bandwidth is 11. */
#ifndef RLTI_MODEL_COIL_MATRIX_H
#define RLTI_MODEL_COIL_MATRIX_H

#include "model/coil_energy.h"

enum { COIL_WIDTH = 11 };

/* One row's part of vectors of `reach` unknowns: the unknown `own` against itself and those before it. */
ENERGY_INLINE void coil_add_outer(const real *vectors, int count, int reach, int own, lane *entries) {
#pragma GCC unroll 4
    for (int s = 0; s < count; s++) {
        const real *v = vectors + (ptrdiff_t)s * reach * LANES;
        lane scaled = lane_load(v + (ptrdiff_t)own * LANES);
#pragma GCC unroll 12
        for (int k = 0; k <= own; k++)
            entries[own - k] = fused(scaled, lane_load(v + (ptrdiff_t)k * LANES), entries[own - k]);
    }
}

ENERGY_INLINE void coil_add_angle(const real *terms, int p, int own, lane *entries) {
    coil_add_outer(energy_at(terms, COIL_TERMS, p, COIL_ANGLE_TERMS), COIL_BEND_VECTORS, 9, own, entries);
}
ENERGY_INLINE void coil_add_twist(const real *terms, int p, int own, lane *entries) {
    coil_add_outer(energy_at(terms, COIL_TERMS, p, COIL_TORSION_TERMS), COIL_TORSION_VECTORS, 12, own,
                   entries);
}

/* The root's vector moves the first edge: x1, less x0. */
ENERGY_INLINE void coil_add_clamp(const energy_rows *r, const real *v, int p, int c, lane *e) {
    lane free = coil_free(r, p), both = free * coil_free(r, 0);
    lane mine = lane_load(v + (ptrdiff_t)c * LANES);
    for (int k = 0; k < 3; k++) {
        lane other = mine * lane_load(v + (ptrdiff_t)k * LANES);
        if (k <= c)
            e[c - k] = fused(free, other, e[c - k]);
        if (p == 1)
            e[3 + c - k] = fused(-both, other, e[3 + c - k]);
    }
}

/* Row c of point p. Entry k is A(i, i - k). */
ENERGY_INLINE void coil_assemble_row(const energy_rows *r, const real *terms, const real *blocks, int p,
                                     int c, real *matrix) {
    lane e[COIL_WIDTH + 1], zero = lane_set(0);
    const real *block = energy_at(blocks, BLOCK_ROWS, p, 0);
    const real *before = energy_at(terms, COIL_TERMS, p - 1, COIL_EDGE_BLOCK);
    const real *after = energy_at(terms, COIL_TERMS, p, COIL_EDGE_BLOCK);
    lane free = coil_free(r, p), both = free * coil_free(r, p - 1);
#pragma GCC unroll 12
    for (int k = 0; k <= COIL_WIDTH; k++)
        e[k] = zero;
    energy_take_edges(before, after, block, free, both, COIL_UNKNOWNS, c, e);
    coil_add_angle(terms, p + 1, c, e);
    coil_add_angle(terms, p, 3 + c, e);
    coil_add_angle(terms, p - 1, 6 + c, e);
    coil_add_twist(terms, p + 1, c, e);
    coil_add_twist(terms, p, 3 + c, e);
    coil_add_twist(terms, p - 1, 6 + c, e);
    if (p > 1)
        coil_add_twist(terms, p - 2, 9 + c, e);
    else if (r->clamp != NULL)
        coil_add_clamp(r, energy_at(terms, COIL_TERMS, 0, COIL_SIDE_TERMS), p, c, e);
    real *row = matrix + ((ptrdiff_t)p * COIL_UNKNOWNS + c) * (COIL_WIDTH + 1) * LANES;
#pragma GCC unroll 12
    for (int k = 0; k <= COIL_WIDTH; k++)
        lane_store(row + (ptrdiff_t)k * LANES, e[k]);
}

static void coil_assemble(const energy_rows *r, const real *terms, const real *blocks, energy_range range,
                          real *matrix) {
    for (int p = range.first; p < range.end; p++) {
        coil_assemble_row(r, terms, blocks, p, 0, matrix);
        coil_assemble_row(r, terms, blocks, p, 1, matrix);
        coil_assemble_row(r, terms, blocks, p, 2, matrix);
    }
}

/* ---- what it leaves out ---- */

/* matrix -= share v v^T, v of `count` unknowns from point `first` on. Points before the root have 0. */
static void coil_subtract(const real *v, int count, int first, lane share, real *matrix) {
    lane_mask adds = lane_less(lane_set(0), share);
    for (int i = 0; i < count; i++) {
        ptrdiff_t row = (ptrdiff_t)first * COIL_UNKNOWNS + i;
        lane mine = -share * lane_load(v + (ptrdiff_t)i * LANES);
        for (int k = 0; row >= 0 && k <= i && k <= row; k++) {
            real *entry = matrix + (row * (COIL_WIDTH + 1) + k) * LANES;
            lane old = lane_load(entry);
            lane_store(entry,
                       lane_select(adds, fused(mine, lane_load(v + (ptrdiff_t)(i - k) * LANES), old), old));
        }
    }
}

/* A compressed edge's part. */
static void coil_subtract_edge(const energy_rows *r, int p, const coil_edge *edge, lane share, real *matrix) {
    coil_stretch s = coil_stretch_of(r, p, edge);
    lane root = lane_sqrt(lane_maximum(-s.across, lane_set(0)));
    lane3 n = energy_perpendicular(edge->t), b = cross3(edge->t, n);
    for (int k = 0; k < 2; k++) { /* two directions across the edge */
        real rows[6 * LANES] __attribute__((aligned(64)));
        lane3 across = scale3(root, k == 0 ? n : b);
        store3(rows, scale3(-coil_free(r, p), across));
        store3(rows + 3 * LANES, scale3(coil_free(r, p + 1), across));
        coil_subtract(rows, 6, p, share, matrix);
    }
}

static void coil_subtract_angle(const energy_rows *r, int p, const coil_edge *a, const coil_edge *b,
                                lane share, real *matrix) {
    coil_bend bend = coil_bend_of(a->t, b->t);
    coil_law law = coil_law_of(r, p, COIL_BEND, RLTI_COIL_STRAIN_ANGLE, bend.angle, 0, lane_set(1));
    lane moves = p > 0 ? a->inverse : lane_set(0);
    coil_pair v[COIL_BEND_VECTORS];
    coil_bend_vectors(&bend, moves, b->inverse, law.stiffness, law.stress, COIL_NEGATIVE, v);
    for (int k = 0; k < COIL_BEND_VECTORS; k++) {
        real rows[9 * LANES] __attribute__((aligned(64)));
        coil_put_pair(r, p, &v[k], rows);
        coil_subtract(rows, 9, p - 1, share, matrix);
    }
}

static void coil_subtract_torsion(const energy_rows *r, int p, const coil_edge *a, const coil_edge *b,
                                  const coil_edge *c, lane share, real *matrix) {
    coil_torsion s =
        coil_torsion_of(scale3(lane_set(-1), a->t), a->inverse, b->t, b->inverse, c->t, c->inverse);
    coil_law law = coil_law_of(r, p, COIL_TORSION, RLTI_COIL_STRAIN_TAU, s.tau, 1, s.fade * s.fade);
    coil_triple v[COIL_TORSION_VECTORS];
    coil_torsion_vectors(&s, law.stiffness, law.stress, COIL_NEGATIVE, v);
    for (int k = 0; k < COIL_TORSION_VECTORS; k++) {
        real rows[12 * LANES] __attribute__((aligned(64)));
        coil_put_triple(r, p, &v[k], rows);
        coil_subtract(rows, 12, p - 1, share, matrix);
    }
}

static void coil_subtract_side(const energy_rows *r, const coil_edge *b, lane share, real *matrix) {
    coil_edge clamp = coil_clamp_edge(r);
    coil_torsion s = coil_clamp_torsion(r, &clamp, b);
    coil_law law = coil_law_of(r, 0, COIL_SIDE, RLTI_COIL_STRAIN_SIDE, s.tau, 1, s.fade * s.fade);
    lane3 v = coil_side_vector(&s, law.stiffness, law.stress, COIL_NEGATIVE);
    real rows[6 * LANES] __attribute__((aligned(64)));
    store3(rows, scale3(-coil_free(r, 0), v));
    store3(rows + 3 * LANES, scale3(coil_free(r, 1), v));
    coil_subtract(rows, 6, 0, share, matrix);
}

/* The negative part of all that ends at the point after p: the edge, the angle at p, the torsion about the
 * edge before p. Lanes with 0 keep their bits. */
static void coil_sharpen(const energy_rows *r, const real *q, const real *own, lane share, energy_range range,
                         real *matrix) {
    int clamped = r->clamp != NULL;
    for (int p = range.first; p < range.end && p + 1 < r->points; p++) {
        coil_edge e[3] = {{.t = zero3()}, {.t = zero3()}, coil_edge_of(r, q, own, p)};
        for (int k = 1; k <= 2; k++) {
            if (p >= k)
                e[2 - k] = coil_edge_of(r, q, own, p - k);
            else if (p + 1 == k && clamped)
                e[2 - k] = coil_clamp_edge(r);
        }
        coil_subtract_edge(r, p, &e[2], share, matrix);
        if (p == 0 && clamped)
            coil_subtract_side(r, &e[2], share, matrix);
        if (p > 0 || clamped)
            coil_subtract_angle(r, p, &e[1], &e[2], share, matrix);
        if (p > 1 || (p == 1 && clamped))
            coil_subtract_torsion(r, p - 1, &e[0], &e[1], &e[2], share, matrix);
    }
}

/* Energies by what their matrix has. */
#define COIL_TABLE(evaluation, sharpness, left)                                                              \
    {                                                                                                        \
        .constants = RLTI_ROD_CONSTANTS, .constant_rows = COIL_ROWS, .unknowns = COIL_UNKNOWNS,              \
        .width = COIL_WIDTH, .strains = RLTI_ROD_STRAINS, .own = COIL_OWN, .terms = COIL_TERMS,              \
        .inertia = RLTI_ROD_INERTIA, .damping = RLTI_COIL_DAMP_STRETCH, .length = COIL_LENGTH,               \
        .director = ENERGY_NO_DIRECTOR, .reach = 2, .sharp = (sharpness), .fill = coil_fill,                 \
        .hardness = coil_hardness, .start = coil_start, .pin = coil_pin, .move = coil_move,                  \
        .turn = coil_turn_all, .evaluate = (evaluation), .weigh = coil_weigh, .assemble = coil_assemble,     \
        .sharpen = (left)                                                                                    \
    }

static const energy_type coil_energy = COIL_TABLE(coil_evaluate, ENERGY_SHARP_LATER, coil_sharpen);
static const energy_type coil_energy_unfiltered =
    COIL_TABLE(coil_evaluate, ENERGY_SHARP_ALWAYS, coil_sharpen);
static const energy_type coil_energy_gauss = COIL_TABLE(coil_evaluate_gauss, ENERGY_SHARP_NEVER, NULL);
static const energy_type coil_energy_stretch = COIL_TABLE(coil_evaluate_stretch, ENERGY_SHARP_NEVER, NULL);

#endif
