/* The Rod's energy in lanes: all edges and joints of a strand, gradient and Gauss-Newton matrix.
 *
 * A strain s with stiffness k, rest value s', viscous coefficient c and value s0 at the start of the step has
 *   1/2 k (s - s')^2 + 1/2 (c / h) (s - s0)^2,
 * gradient (k (s - s') + (c / h) (s - s0)) grad s and matrix (k + c / h) grad s grad s^T: positive
 * semi-definite, whatever the configuration. The gradient is exact, damping included.
 *
 * A joint has 11 unknowns in a row: x, tau of the point before, of its own, x of the point after. So the
 * half- bandwidth is 10. */
#ifndef RLTI_MODEL_ROD_ENERGY_H
#define RLTI_MODEL_ROD_ENERGY_H

#include "model/rod_motion.h"
#include "model/rod_stretch.h"
#include "model/rod_tangent.h"

enum { ROD_WIDTH = 10, ROD_REACH = 11, ROD_JOINT_STRAINS = 3 };

/* Terms of a point: its joint's three gradients and their weights, and the block of the edge after it. */
enum {
    ROD_SLOPES,
    ROD_WEIGHTS = ROD_JOINT_STRAINS * ROD_REACH,
    ROD_EDGE_BLOCK = ROD_WEIGHTS + ROD_JOINT_STRAINS,
    ROD_TERMS = ROD_EDGE_BLOCK + 6
};

/* Adds one strain of joint p: its forces to both edges, its row of terms. */
typedef struct rod_strain_law {
    lane stress, weight, energy, damping;
} rod_strain_law;

ENERGY_INLINE rod_strain_law rod_law(lane stiffness, lane viscous, lane strain, lane change) {
    lane half = lane_set((real)0.5);
    rod_strain_law law = {fused(stiffness, strain, viscous * change), stiffness + viscous,
                          half * stiffness * strain * strain, half * viscous * change * change};
    return law;
}

/* Forces on the two edges of a joint: dE/de and dE/dtau. */
typedef struct rod_force {
    lane3 edge;
    lane turn;
} rod_force;

ENERGY_INLINE void rod_add_strain(const energy_rows *r, int p, int which, const rod_slope *s,
                                  const rod_strain_law *law, rod_force *before, rod_force *after,
                                  real *terms) {
    before->edge = fused3(law->stress, s->edge[0], before->edge);
    before->turn = fused(law->stress, s->turn[0], before->turn);
    after->edge = fused3(law->stress, s->edge[1], after->edge);
    after->turn = fused(law->stress, s->turn[1], after->turn);
    const real *free = energy_at(r->free, FREE_ROWS, p, 0);
    lane f[2 * FREE_ROWS + 1] = {lane_set(0), lane_set(0)}; /* before the root: kinematic */
    for (int k = p > 0 ? 0 : FREE_ROWS; k <= 2 * FREE_ROWS; k++)
        f[k] = lane_load(free + (ptrdiff_t)(k - FREE_ROWS) * LANES);
    real *row = energy_row(terms, ROD_TERMS, p, ROD_SLOPES + which * ROD_REACH);
    store3(row, scale3(-f[0], s->edge[0]));
    lane_store(row + 3 * LANES, f[1] * s->turn[0]);
    store3(row + 4 * LANES, scale3(f[2], sub3(s->edge[0], s->edge[1])));
    lane_store(row + 7 * LANES, f[3] * s->turn[1]);
    store3(row + 8 * LANES, scale3(f[4], s->edge[1]));
    lane_store(energy_row(terms, ROD_TERMS, p, ROD_WEIGHTS + which), law->weight);
}

/* Results of an evaluation that are wanted; NULL: not that one. */
typedef struct rod_wanted {
    int printed;
    int tangent;            /* 1: curvature by tangents (rod_tangent.h) */
    int gauss;              /* 1: nothing of the stretch's second derivative in the matrix */
    real *terms, *gradient; /* both or none */
    real *strains;
} rod_wanted;

/* A curvature of joint p, or its twist, by its law. */
ENERGY_INLINE rod_strain_law rod_tangent_law(const energy_rows *r, int p, int k, lane value) {
    const real *start = energy_at(r->before, RLTI_ROD_STRAINS, p, RLTI_ROD_STRAIN_PHI_0);
    lane viscous = r->rate * rod_constant(r, ROD_ROWS, p, ROD_VISCOUS_BEND + k);
    return rod_law(rod_constant(r, ROD_ROWS, p, ROD_BEND + k), viscous,
                   value - rod_constant(r, ROD_ROWS, p, ROD_REST_PHI + k),
                   value - lane_load(start + (ptrdiff_t)k * LANES));
}

/* Joint p by tangents. */
ENERGY_INLINE void rod_add_tangents(const energy_rows *r, int p, const rod_edge *a, const rod_edge *b,
                                    rod_force *before, rod_force *after, const rod_wanted *want,
                                    energy_sums *sums) {
    rod_joint j = rod_joint_between(a->t, a->d, b->t, b->d);
    rod_tangents tangents = rod_tangents_of(&j, a->t, a->inverse, b->t, b->inverse);
    const rod_slope slopes[3] = {rod_bend_slope(&j, 0, 0, a->t, a->inverse, b->t, b->inverse),
                                 rod_bend_slope(&j, 1, 0, a->t, a->inverse, b->t, b->inverse),
                                 tangents.twist};
    for (int k = 0; k < ROD_TANGENT_STRAINS; k++) {
        lane value = j.theta;
        if (k < 2)
            value = tangents.kappa[k];
        rod_strain_law law = rod_tangent_law(r, p, k, value);
        int part = k < 2 ? RLTI_ROD_ENERGY_BEND : RLTI_ROD_ENERGY_TWIST;
        if (want->terms != NULL) {
            rod_slope slope = rod_tangent_slope(&tangents, k, slopes);
            rod_add_strain(r, p, k, &slope, &law, before, after, want->terms);
        }
        if (want->strains != NULL)
            lane_store(energy_row(want->strains, RLTI_ROD_STRAINS, p, RLTI_ROD_STRAIN_PHI_0 + k), value);
        sums->parts[part] = sums->parts[part] + law.energy;
        sums->damping = sums->damping + law.damping;
    }
    if (want->strains != NULL)
        lane_store(energy_row(want->strains, RLTI_ROD_STRAINS, p, RLTI_ROD_STRAIN_TWIST),
                   j.theta - rod_constant(r, ROD_ROWS, p, ROD_REST_THETA));
}

/* Joint p between edges a and b. */
ENERGY_INLINE void rod_add_joint(const energy_rows *r, int p, const rod_edge *a, const rod_edge *b,
                                 rod_force *before, rod_force *after, const rod_wanted *want,
                                 energy_sums *sums) {
    if (want->tangent) {
        rod_add_tangents(r, p, a, b, before, after, want, sums);
        return;
    }
    rod_joint j = rod_joint_between(a->t, a->d, b->t, b->d);
    const real *start = energy_at(r->before, RLTI_ROD_STRAINS, p, RLTI_ROD_STRAIN_PHI_0);
    for (int k = 0; k < 2; k++) {
        lane rest = rod_constant(r, ROD_ROWS, p, ROD_REST_PHI + k), phi = j.phi[k];
        lane viscous = r->rate * rod_constant(r, ROD_ROWS, p, ROD_VISCOUS_BEND + k);
        rod_strain_law law = rod_law(rod_constant(r, ROD_ROWS, p, ROD_BEND + k), viscous, phi - rest,
                                     phi - lane_load(start + (ptrdiff_t)k * LANES));
        if (want->terms != NULL) {
            rod_slope slope = rod_bend_slope(&j, k, want->printed, a->t, a->inverse, b->t, b->inverse);
            rod_add_strain(r, p, k, &slope, &law, before, after, want->terms);
        }
        if (want->strains != NULL)
            lane_store(energy_row(want->strains, RLTI_ROD_STRAINS, p, RLTI_ROD_STRAIN_PHI_0 + k), phi);
        sums->parts[RLTI_ROD_ENERGY_BEND] = sums->parts[RLTI_ROD_ENERGY_BEND] + law.energy;
        sums->damping = sums->damping + law.damping;
    }
    rod_twist twist = rod_twist_fade(j.cosine);
    lane strain = j.theta - rod_constant(r, ROD_ROWS, p, ROD_REST_THETA);
    lane faded = twist.fade * strain, change = faded - lane_load(start + (ptrdiff_t)3 * LANES);
    lane viscous = r->rate * rod_constant(r, ROD_ROWS, p, ROD_VISCOUS_TWIST);
    rod_strain_law law = rod_law(rod_constant(r, ROD_ROWS, p, ROD_TWIST), viscous, faded, change);
    if (want->terms != NULL) {
        rod_slope slope = rod_twist_slope(&j, &twist, strain, a->t, a->inverse, b->t, b->inverse);
        rod_add_strain(r, p, 2, &slope, &law, before, after, want->terms);
    }
    if (want->strains != NULL) {
        lane_store(energy_row(want->strains, RLTI_ROD_STRAINS, p, RLTI_ROD_STRAIN_THETA), j.theta);
        lane_store(energy_row(want->strains, RLTI_ROD_STRAINS, p, RLTI_ROD_STRAIN_TWIST), faded);
    }
    sums->parts[RLTI_ROD_ENERGY_TWIST] = sums->parts[RLTI_ROD_ENERGY_TWIST] + law.energy;
    sums->damping = sums->damping + law.damping;
}

ENERGY_INLINE void rod_put_block(const rod_edge *edge, lane across, real *block) {
    lane3 t = edge->t, scaled = scale3(edge->along - across, t);
    lane_store(block + BLOCK_XX * LANES, fused(scaled.x, t.x, across));
    lane_store(block + BLOCK_YX * LANES, scaled.y * t.x);
    lane_store(block + BLOCK_YY * LANES, fused(scaled.y, t.y, across));
    lane_store(block + BLOCK_ZX * LANES, scaled.z * t.x);
    lane_store(block + BLOCK_ZY * LANES, scaled.z * t.y);
    lane_store(block + BLOCK_ZZ * LANES, fused(scaled.z, t.z, across));
}

/* Edge p, its block and its energy. */
ENERGY_INLINE rod_force rod_add_edge(const rod_edge *edge, int p, const rod_wanted *want, energy_sums *sums) {
    lane across = edge->across;
    if (want->gauss)
        across = lane_set(0);
    if (want->terms != NULL)
        rod_put_block(edge, across, energy_row(want->terms, ROD_TERMS, p, ROD_EDGE_BLOCK));
    if (want->strains != NULL) {
        real *row = energy_row(want->strains, RLTI_ROD_STRAINS, p, 0);
        lane_store(row, edge->length);
        for (int k = 1; k < RLTI_ROD_STRAINS; k++)
            lane_store(row + (ptrdiff_t)k * LANES, lane_set(0));
    }
    sums->parts[RLTI_ROD_ENERGY_STRETCH] = sums->parts[RLTI_ROD_ENERGY_STRETCH] + edge->energy;
    sums->damping = sums->damping + edge->damping;
    rod_force force = {scale3(edge->tension, edge->t), lane_set(0)};
    return force;
}

/* Point p's gradient: the edge before it pulls with its force, the one after it against. */
ENERGY_INLINE void rod_put_gradient(const energy_rows *r, int p, const rod_force *before,
                                    const rod_force *after, real *gradient) {
    if (gradient == NULL)
        return;
    const real *free = energy_at(r->free, FREE_ROWS, p, 0);
    real *row = energy_row(gradient, ROD_UNKNOWNS, p, 0);
    store3(row, scale3(lane_load(free), sub3(before->edge, after->edge)));
    lane_store(row + (ptrdiff_t)ROD_TURN * LANES, lane_load(free + LANES) * after->turn);
}

/* Inlined for each of the functions below: what is not wanted is not computed. */
ENERGY_INLINE energy_sums rod_evaluate_all(const energy_rows *r, const real *q, const real *own,
                                           rod_wanted want) {
    lane zero = lane_set(0);
    energy_sums sums = {{zero, zero, zero}, zero};
    const rod_force none = {zero3(), zero};
    rod_force before = none, after;
    rod_edge a, b = rod_edge_of(r, q, own, 0);
    after = rod_add_edge(&b, 0, &want, &sums);
    if (r->clamp != NULL) { /* its edge feels nothing: no slope along it */
        a = (rod_edge){.t = load3(r->clamp), .d = load3(r->clamp + (ptrdiff_t)CLAMP_DIRECTOR * LANES)};
        a.inverse = zero;
        rod_add_joint(r, 0, &a, &b, &before, &after, &want, &sums);
    }
    rod_force last = none;
    for (int p = 1; p + 1 < r->points; p++) {
        a = b;
        before = after;
        b = rod_edge_of(r, q, own, p);
        after = rod_add_edge(&b, p, &want, &sums);
        rod_add_joint(r, p, &a, &b, &before, &after, &want, &sums);
        rod_put_gradient(r, p - 1, &last, &before, want.gradient);
        last = before;
    }
    int tip = r->points - 1;
    rod_put_gradient(r, tip - 1, &last, &after, want.gradient);
    rod_put_gradient(r, tip, &after, &none, want.gradient);
    for (int k = 0; want.strains != NULL && k < RLTI_ROD_STRAINS; k++)
        lane_store(energy_row(want.strains, RLTI_ROD_STRAINS, tip, k), zero);
    return sums;
}

static energy_sums rod_evaluate(const energy_rows *r, const real *q, const real *own, real *terms,
                                real *gradient) {
    return rod_evaluate_all(r, q, own, (rod_wanted){.terms = terms, .gradient = gradient});
}
static energy_sums rod_evaluate_printed(const energy_rows *r, const real *q, const real *own, real *terms,
                                        real *gradient) {
    return rod_evaluate_all(r, q, own, (rod_wanted){.printed = 1, .terms = terms, .gradient = gradient});
}
static energy_sums rod_weigh(const energy_rows *r, const real *q, const real *own, real *strains) {
    return rod_evaluate_all(r, q, own, (rod_wanted){.strains = strains});
}
static energy_sums rod_evaluate_tangent(const energy_rows *r, const real *q, const real *own, real *terms,
                                        real *gradient) {
    return rod_evaluate_all(r, q, own, (rod_wanted){.tangent = 1, .terms = terms, .gradient = gradient});
}
static energy_sums rod_evaluate_tangent_gauss(const energy_rows *r, const real *q, const real *own,
                                              real *terms, real *gradient) {
    return rod_evaluate_all(r, q, own,
                            (rod_wanted){.tangent = 1, .gauss = 1, .terms = terms, .gradient = gradient});
}
static energy_sums rod_weigh_tangent(const energy_rows *r, const real *q, const real *own, real *strains) {
    return rod_evaluate_all(r, q, own, (rod_wanted){.tangent = 1, .strains = strains});
}

#endif
