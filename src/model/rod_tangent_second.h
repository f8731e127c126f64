/* Second derivatives of the classical rod (rod_tangent.h) in lanes, and their filter.
 *
 * Its energy W is a function of the Rod's three strains s of a joint, so
 *   Hessian = sum of W_ab grad s_a grad s_b^T + sum of W_a Hessian(s_a),
 * where rod_second.h has the last part for any stresses W_a. In the joint's eight coordinates, both edges and
 * both turns, measured by the edges' lengths, the filtered matrix is the one whose negative eigenvalues are
 * left out, found by Jacobi's method: this energy is for comparisons, and has no eigenvalues in closed form.
 * Every lane makes the same rotations in the same order, so its bits are its own. */
#ifndef RLTI_MODEL_ROD_TANGENT_SECOND_H
#define RLTI_MODEL_ROD_TANGENT_SECOND_H

#include "model/rod_second.h"

enum { ROD_TANGENT_SWEEPS = 10 };

/* A joint's matrices, whole ones: of Gauss-Newton, and of all derivatives. */
typedef struct rod_tangent_joint {
    lane gauss[SECOND_ROWS][SECOND_ROWS], all[SECOND_ROWS][SECOND_ROWS];
    lane length[SECOND_ROWS]; /* that coordinates are measured by */
} rod_tangent_joint;

/* A slope in the joint's coordinates. */
ENERGY_INLINE void rod_slope_row(const rod_slope *s, lane row[SECOND_ROWS]) {
    for (int c = 0; c < SECOND_TURN; c++)
        row[c] = rod_component(s->edge[c / 3], c % 3);
    row[SECOND_TURN] = s->turn[0];
    row[SECOND_TURN + 1] = s->turn[1];
}

/* The second derivatives of kappa_0 and kappa_1 by the strains, times their stresses. */
ENERGY_INLINE void rod_tangent_bow(const rod_tangents *k, const rod_joint *j, const lane stress[2],
                                   lane bow[ROD_TANGENT_STRAINS][ROD_TANGENT_STRAINS]) {
    lane two = lane_set(2), four = lane_set(4), half = lane_set((real)0.5), quarter = lane_set((real)0.25);
    lane sum = fused(stress[0], j->phi[0], stress[1] * j->phi[1]);
    for (int b = 0; b < 2; b++) {
        for (int c = 0; c < 2; c++) {
            lane mixed = fused(stress[b], j->phi[c], stress[c] * j->phi[b]);
            if (b == c)
                mixed = mixed + sum;
            bow[b][c] =
                j->half.cos * fused(four * k->second * sum * j->phi[b], j->phi[c], two * k->first * mixed);
        }
        bow[b][2] = bow[2][b] =
            -half * j->half.sin * fused(k->factor, stress[b], two * k->first * sum * j->phi[b]);
    }
    bow[2][2] = -quarter * j->half.cos * k->factor * sum;
}

static void rod_tangent_derive(const energy_rows *r, int p, const rod_edge *a, const rod_edge *b,
                               rod_tangent_joint *out) {
    rod_stressed s = rod_stressed_between(a, b);
    rod_tangents k = rod_tangents_of(&s.j, a->t, a->inverse, b->t, b->inverse);
    const rod_slope slopes[3] = {s.slope[0], s.slope[1], k.twist};
    lane stress[3], weight[3], rows[2][3][SECOND_ROWS], bow[3][3], lower[SECOND_ROWS][SECOND_ROWS];
    for (int i = 0; i < 3; i++) {
        rod_slope slope = rod_tangent_slope(&k, i, slopes);
        lane value = s.j.theta;
        if (i < 2)
            value = k.kappa[i];
        rod_strain_law law = rod_tangent_law(r, p, i, value);
        stress[i] = law.stress;
        weight[i] = law.weight;
        rod_slope_row(&slope, rows[0][i]);
        rod_slope_row(&slopes[i], rows[1][i]);
    }
    for (int c = 0; c < 3; c++)
        s.stress[c] =
            fused(stress[0], k.rate[0][c], fused(stress[1], k.rate[1][c], stress[2] * k.rate[2][c]));
    rod_stress_joint(&s);
    rod_second_matrix(&s, lower);
    rod_tangent_bow(&k, &s.j, stress, bow);
    for (int u = 0; u < SECOND_ROWS; u++) {
        lane one = lane_set(1), inverse = s.inverse[u / 3 % 2];
        out->length[u] = one;
        if (u < SECOND_TURN) /* the clamp's edge has none */
            out->length[u] = lane_select(lane_less(lane_set(0), inverse), one / inverse, one);
        for (int v = 0; v <= u; v++) {
            lane gauss = lane_set(0), all = lower[u][v];
            for (int i = 0; i < 3; i++) {
                gauss = fused(weight[i] * rows[0][i][u], rows[0][i][v], gauss);
                for (int c = 0; c < 3; c++)
                    all = fused(bow[i][c] * rows[1][i][u], rows[1][c][v], all);
            }
            out->gauss[u][v] = out->gauss[v][u] = gauss;
            out->all[u][v] = out->all[v][u] = gauss + all;
        }
    }
}

/* Rotates rows and columns u < v of m so that m[u][v] is 0, and the vectors, which are the rows of `axes`. */
ENERGY_INLINE void rod_jacobi(lane m[SECOND_ROWS][SECOND_ROWS], lane axes[SECOND_ROWS][SECOND_ROWS], int u,
                              int v) {
    lane one = lane_set(1), zero = lane_set(0), half = lane_set((real)0.5);
    lane off = m[u][v], apart = half * (m[v][v] - m[u][u]);
    lane reach = lane_absolute(apart) + lane_sqrt(fused(apart, apart, off * off));
    lane tangent = off / lane_maximum(reach, lane_set((real)1e-300));
    tangent = lane_select(lane_less(apart, zero), -tangent, tangent);
    lane cosine = one / lane_sqrt(fused(tangent, tangent, one)), sine = tangent * cosine;
    for (int k = 0; k < SECOND_ROWS; k++) {
        lane a = m[u][k], b = m[v][k];
        m[u][k] = fused(cosine, a, -sine * b);
        m[v][k] = fused(sine, a, cosine * b);
        a = axes[u][k];
        b = axes[v][k];
        axes[u][k] = fused(cosine, a, -sine * b);
        axes[v][k] = fused(sine, a, cosine * b);
    }
    for (int k = 0; k < SECOND_ROWS; k++) {
        lane a = m[k][u], b = m[k][v];
        m[k][u] = fused(cosine, a, -sine * b);
        m[k][v] = fused(sine, a, cosine * b);
    }
}

/* Leaves the negative eigenvalues of `all` out. */
static void rod_tangent_positive(rod_tangent_joint *joint) {
    lane m[SECOND_ROWS][SECOND_ROWS], axes[SECOND_ROWS][SECOND_ROWS];
    for (int u = 0; u < SECOND_ROWS; u++)
        for (int v = 0; v < SECOND_ROWS; v++) {
            m[u][v] = joint->length[u] * joint->length[v] * joint->all[u][v];
            axes[u][v] = lane_set((real)(u == v));
        }
    for (int sweep = 0; sweep < ROD_TANGENT_SWEEPS; sweep++)
        for (int u = 0; u + 1 < SECOND_ROWS; u++)
            for (int v = u + 1; v < SECOND_ROWS; v++)
                rod_jacobi(m, axes, u, v);
    for (int u = 0; u < SECOND_ROWS; u++)
        for (int v = 0; v <= u; v++) {
            lane sum = lane_set(0);
            for (int k = 0; k < SECOND_ROWS; k++)
                sum = fused(lane_maximum(m[k][k], lane_set(0)) * axes[k][u], axes[k][v], sum);
            joint->all[u][v] = joint->all[v][u] = sum / (joint->length[u] * joint->length[v]);
        }
}

/* Adds what the matrix of Gauss-Newton leaves out of all joints: all of it, or its positive part. */
ENERGY_INLINE void rod_tangent_add(const energy_rows *r, const real *q, const real *own, lane share,
                                   energy_range range, int filtered, real *matrix) {
    rod_edge a = {.t = zero3()}, b;
    if (range.first > 0)
        a = rod_edge_of(r, q, own, range.first - 1);
    for (int p = range.first; p < range.end && p + 1 < r->points; p++) {
        b = rod_edge_of(r, q, own, p);
        if (!filtered)
            rod_add_compression(r, p, &b, share, matrix);
        if (p == 0 && r->clamp != NULL)
            a = (rod_edge){.t = load3(r->clamp),
                           .d = load3(r->clamp + (ptrdiff_t)CLAMP_DIRECTOR * LANES),
                           .inverse = lane_set(0)};
        if (p > 0 || r->clamp != NULL) {
            rod_tangent_joint joint;
            lane rest[SECOND_ROWS][SECOND_ROWS];
            rod_tangent_derive(r, p, &a, &b, &joint);
            if (filtered)
                rod_tangent_positive(&joint);
            for (int u = 0; u < SECOND_ROWS; u++)
                for (int v = 0; v <= u; v++)
                    rest[u][v] = joint.all[u][v] - joint.gauss[u][v];
            rod_spread_second(r, p, rest, share, matrix);
        }
        a = b;
    }
}

static void rod_tangent_sharpen(const energy_rows *r, const real *q, const real *own, lane share,
                                energy_range range, real *matrix) {
    rod_tangent_add(r, q, own, share, range, 0, matrix);
}
static void rod_tangent_filter(const energy_rows *r, const real *q, const real *own, lane share,
                               energy_range range, real *matrix) {
    rod_tangent_add(r, q, own, share, range, 1, matrix);
}

#define ROD_TANGENT_TABLE(evaluation, sharpness, left)                                                       \
    {                                                                                                        \
        .constants = RLTI_ROD_CONSTANTS, .constant_rows = ROD_ROWS, .unknowns = ROD_UNKNOWNS,                \
        .width = ROD_WIDTH, .strains = RLTI_ROD_STRAINS, .own = ROD_OWN, .terms = ROD_TERMS,                 \
        .inertia = RLTI_ROD_INERTIA, .damping = RLTI_ROD_DAMP_STRETCH, .length = ROD_LENGTH,                 \
        .director = ROD_DIRECTOR, .reach = 1, .sharp = (sharpness), .fill = rod_fill,                        \
        .hardness = rod_hardness, .start = rod_start, .pin = rod_pin, .move = rod_move,                      \
        .turn = rod_turn_all, .evaluate = (evaluation), .weigh = rod_weigh_tangent,                          \
        .assemble = rod_assemble, .sharpen = (left)                                                          \
    }

static const energy_type rod_tangent_energy =
    ROD_TANGENT_TABLE(rod_evaluate_tangent, ENERGY_SHARP_ALWAYS, rod_tangent_filter);
static const energy_type rod_tangent_energy_unfiltered =
    ROD_TANGENT_TABLE(rod_evaluate_tangent, ENERGY_SHARP_ALWAYS, rod_tangent_sharpen);
static const energy_type rod_tangent_energy_gauss =
    ROD_TANGENT_TABLE(rod_evaluate_tangent_gauss, ENERGY_SHARP_NEVER, NULL);
static const energy_type rod_tangent_energy_stretch =
    ROD_TANGENT_TABLE(rod_evaluate_tangent, ENERGY_SHARP_NEVER, NULL);

#endif
