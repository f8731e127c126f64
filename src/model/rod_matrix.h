/* The Rod's matrix in lanes, from the terms of the last evaluation: each row is a sum over the joints at and
 * next to its point, and is written once.
 *
 * Point p is the last of joint p - 1 (its unknowns 8 to 10), the middle of joint p (4 to 7) and the first of
 * joint p + 1 (0 to 3). The last point has no joint, nor has the first where it is free: their terms are 0,
 * and so are those of one point more on either side. */
#ifndef RLTI_MODEL_ROD_MATRIX_H
#define RLTI_MODEL_ROD_MATRIX_H

#include "model/rod_energy.h"

ENERGY_INLINE lane rod_slope_at(const real *terms, int joint, int strain, int unknown) {
    return lane_load(energy_at(terms, ROD_TERMS, joint, ROD_SLOPES + strain * ROD_REACH + unknown));
}

/* One row's part of one joint: the joint's unknown `own` against itself and those before it. */
ENERGY_INLINE void rod_add_outer(const real *terms, int joint, int own, lane *entries) {
#pragma GCC unroll 3
    for (int s = 0; s < ROD_JOINT_STRAINS; s++) {
        lane weight = lane_load(energy_at(terms, ROD_TERMS, joint, ROD_WEIGHTS + s));
        lane scaled = weight * rod_slope_at(terms, joint, s, own);
#pragma GCC unroll 11
        for (int k = 0; k <= own; k++)
            entries[own - k] = fused(scaled, rod_slope_at(terms, joint, s, k), entries[own - k]);
    }
}

/* Row `unknown` of point p. Entry k is A(i, i - k). */
ENERGY_INLINE void rod_assemble_row(const energy_rows *r, const real *terms, const real *blocks, int p,
                                    int unknown, real *matrix) {
    lane e[ROD_WIDTH + 1], zero = lane_set(0);
    const real *block = energy_at(blocks, BLOCK_ROWS, p, 0);
#pragma GCC unroll 11
    for (int k = 0; k <= ROD_WIDTH; k++)
        e[k] = zero;
    if (unknown == ROD_TURN) {
        e[0] = lane_load(block + (ptrdiff_t)BLOCK_OTHER * LANES);
    } else {
        const real *before = energy_at(terms, ROD_TERMS, p - 1, ROD_EDGE_BLOCK);
        const real *after = energy_at(terms, ROD_TERMS, p, ROD_EDGE_BLOCK);
        lane free = lane_load(energy_at(r->free, FREE_ROWS, p, FREE_POINT));
        lane both = free * lane_load(energy_at(r->free, FREE_ROWS, p > 0 ? p - 1 : 0, FREE_POINT));
        energy_take_edges(before, after, block, free, both, ROD_UNKNOWNS, unknown, e);
    }
    rod_add_outer(terms, p + 1, unknown, e);
    rod_add_outer(terms, p, 4 + unknown, e);
    if (unknown != ROD_TURN)
        rod_add_outer(terms, p - 1, 8 + unknown, e);
    real *row = matrix + ((ptrdiff_t)p * ROD_UNKNOWNS + unknown) * (ROD_WIDTH + 1) * LANES;
#pragma GCC unroll 11
    for (int k = 0; k <= ROD_WIDTH; k++)
        lane_store(row + (ptrdiff_t)k * LANES, e[k]);
}

static void rod_assemble(const energy_rows *r, const real *terms, const real *blocks, energy_range range,
                         real *matrix) {
    for (int p = range.first; p < range.end; p++) {
        rod_assemble_row(r, terms, blocks, p, 0, matrix);
        rod_assemble_row(r, terms, blocks, p, 1, matrix);
        rod_assemble_row(r, terms, blocks, p, 2, matrix);
        rod_assemble_row(r, terms, blocks, p, 3, matrix);
    }
}

#endif
