/* The Coil's energy in lanes: edges, turning angles and torsions of a strand, gradient and the vectors whose
 * squares are the matrix (coil_angles.h). The gradient is exact, damping included.
 *
 * A strain s with stiffness k, rest value s', viscous coefficient c and value s0 at the start of the step has
 *   1/2 k (s - s')^2 + 1/2 (c / h) (s - s0)^2,
 * so stress k (s - s') + (c / h) (s - s0) and stiffness k + c / h. Torsions have both parts times f^2. */
#ifndef RLTI_MODEL_COIL_ENERGY_H
#define RLTI_MODEL_COIL_ENERGY_H

#include "model/coil_angles.h"
#include "model/coil_motion.h"

/* Which parts of the second derivative the matrix has besides k grad grad^T. */
typedef enum coil_filter {
    COIL_FULL,         /* all that is positive; with coil_sharpen, all of it */
    COIL_STRETCH_ONLY, /* of stretch */
    COIL_NONE          /* Gauss-Newton */
} coil_filter;

/* Terms of a point: vectors of its angle by three points, of the torsion about the edge after it by four
 * (from the point before on), the block of that edge, and the root's vector of the torsion about the
 * director. */
enum {
    COIL_ANGLE_TERMS,
    COIL_TORSION_TERMS = COIL_BEND_VECTORS * 9,
    COIL_EDGE_BLOCK = COIL_TORSION_TERMS + COIL_TORSION_VECTORS * 12,
    COIL_SIDE_TERMS = COIL_EDGE_BLOCK + 6,
    COIL_TERMS = COIL_SIDE_TERMS + 3
};

/* |e| in divisions is at least this part of the rest length. */
#define COIL_SHORTEST ((real)1e-4)

typedef struct coil_edge {
    lane3 t, force; /* dE/de */
    lane length, inverse;
} coil_edge;

/* An angle's law. */
typedef struct coil_law {
    lane strain, change; /* from rest, from the start of the step */
    lane stress, stiffness, energy, damping;
} coil_law;

/* Results of an evaluation that are wanted; NULL: not that one. */
typedef struct coil_wanted {
    coil_filter filter;
    real *terms, *gradient; /* both or none */
    real *strains;
} coil_wanted;

ENERGY_INLINE lane coil_wrap(lane a) {
    lane half = lane_set((real)3.14159265358979323846), turn = half + half;
    a = lane_select(lane_less(half, a), a - turn, a);
    return lane_select(lane_less(a, -half), a + turn, a);
}

/* By three rows of constants from `which` on; `share` is f^2. */
ENERGY_INLINE coil_law coil_law_of(const energy_rows *r, int p, int which, int strain, lane angle, int wraps,
                                   lane share) {
    lane k = coil_constant(r, p, which), c = r->rate * coil_constant(r, p, which + 1),
         half = lane_set((real)0.5);
    coil_law law = {.strain = angle - coil_constant(r, p, which + 2),
                    .change = angle - lane_load(energy_at(r->before, RLTI_ROD_STRAINS, p, strain))};
    if (wraps) {
        law.strain = coil_wrap(law.strain);
        law.change = coil_wrap(law.change);
    }
    law.stress = share * fused(k, law.strain, c * law.change);
    law.stiffness = share * (k + c);
    law.energy = half * share * k * law.strain * law.strain;
    law.damping = half * share * c * law.change * law.change;
    return law;
}

ENERGY_INLINE void coil_put_strain(const coil_wanted *want, int p, int which, lane value) {
    if (want->strains != NULL)
        lane_store(energy_row(want->strains, RLTI_ROD_STRAINS, p, which), value);
}

ENERGY_INLINE void coil_count(const coil_law *law, int part, energy_sums *sums) {
    sums->parts[part] = sums->parts[part] + law->energy;
    sums->damping = sums->damping + law->damping;
}

/* ---- stretch ---- */

typedef struct coil_stretch {
    lane tension, along, across, energy, damping;
} coil_stretch;

ENERGY_INLINE coil_edge coil_edge_of(const energy_rows *r, const real *q, const real *own, int p) {
    coil_edge edge = {.t = coil_tangent(own, p), .force = zero3()};
    lane3 e = sub3(coil_position(q, p + 1), coil_position(q, p));
    edge.length = lane_sqrt(dot3(e, e));
    lane least = lane_set(COIL_SHORTEST) * coil_constant(r, p, COIL_LENGTH);
    edge.inverse = lane_set(1) / lane_maximum(edge.length, least);
    return edge;
}

/* k t t^T + tension / |e| (I - t t^T). */
ENERGY_INLINE coil_stretch coil_stretch_of(const energy_rows *r, int p, const coil_edge *edge) {
    lane k = coil_constant(r, p, COIL_STRETCH), c = r->rate * coil_constant(r, p, COIL_VISCOUS_STRETCH);
    lane half = lane_set((real)0.5), strain = edge->length - coil_constant(r, p, COIL_LENGTH);
    lane change =
        edge->length - lane_load(energy_at(r->before, RLTI_ROD_STRAINS, p, RLTI_COIL_STRAIN_LENGTH));
    coil_stretch s = {.tension = fused(k, strain, c * change),
                      .along = k + c,
                      .energy = half * k * strain * strain,
                      .damping = half * c * change * change};
    s.across = s.tension * edge->inverse;
    return s;
}

ENERGY_INLINE void coil_add_edge(const energy_rows *r, int p, coil_edge *edge, const coil_wanted *want,
                                 energy_sums *sums) {
    coil_stretch s = coil_stretch_of(r, p, edge);
    lane across = lane_maximum(s.across, lane_set(0));
    edge->force = scale3(s.tension, edge->t);
    sums->parts[RLTI_ROD_ENERGY_STRETCH] = sums->parts[RLTI_ROD_ENERGY_STRETCH] + s.energy;
    sums->damping = sums->damping + s.damping;
    for (int k = 0; want->strains != NULL && k < RLTI_ROD_STRAINS; k++)
        coil_put_strain(want, p, k, k == RLTI_COIL_STRAIN_LENGTH ? edge->length : lane_set(0));
    if (want->terms == NULL)
        return;
    if (want->filter == COIL_NONE)
        across = lane_set(0);
    real *block = energy_row(want->terms, COIL_TERMS, p, COIL_EDGE_BLOCK);
    const lane t[3] = {edge->t.x, edge->t.y, edge->t.z};
    for (int a = 0, at = BLOCK_XX; a < 3; a++)
        for (int b = 0; b <= a; b++, at++) {
            lane entry = (s.along - across) * t[a] * t[b];
            if (a == b)
                entry = entry + across;
            lane_store(block + (ptrdiff_t)at * LANES, entry);
        }
}

/* ---- turning angle at point p, between the edges before and after ---- */

/* 1 where the point that is `by` from p moves; the clamp's do not. */
ENERGY_INLINE lane coil_free(const energy_rows *r, int p) {
    return p < 0 ? lane_set(0) : lane_load(energy_at(r->free, FREE_ROWS, p, FREE_POINT));
}

ENERGY_INLINE void coil_put_pair(const energy_rows *r, int p, const coil_pair *v, real *row) {
    store3(row, scale3(-coil_free(r, p - 1), v->e[0]));
    store3(row + 3 * LANES, scale3(coil_free(r, p), sub3(v->e[0], v->e[1])));
    store3(row + 6 * LANES, scale3(coil_free(r, p + 1), v->e[1]));
}

ENERGY_INLINE void coil_add_bend(const energy_rows *r, int p, coil_edge *a, coil_edge *b,
                                 const coil_wanted *want, energy_sums *sums) {
    coil_bend bend = coil_bend_of(a->t, b->t);
    coil_law law = coil_law_of(r, p, COIL_BEND, RLTI_COIL_STRAIN_ANGLE, bend.angle, 0, lane_set(1));
    lane moves = p > 0 ? a->inverse : lane_set(0); /* the clamp's edge has none */
    coil_count(&law, RLTI_ROD_ENERGY_BEND, sums);
    coil_put_strain(want, p, RLTI_COIL_STRAIN_ANGLE, bend.angle);
    if (want->terms == NULL)
        return;
    coil_pair slope = coil_bend_slope(&bend, moves, b->inverse), vectors[COIL_BEND_VECTORS];
    a->force = fused3(law.stress, slope.e[0], a->force);
    b->force = fused3(law.stress, slope.e[1], b->force);
    lane stress = want->filter == COIL_FULL ? law.stress : lane_set(0);
    coil_bend_vectors(&bend, moves, b->inverse, law.stiffness, stress, COIL_POSITIVE, vectors);
    if (want->filter != COIL_FULL)
        vectors[2] = (coil_pair){{zero3(), zero3()}};
    for (int k = 0; k < COIL_BEND_VECTORS; k++)
        coil_put_pair(r, p, &vectors[k], energy_row(want->terms, COIL_TERMS, p, COIL_ANGLE_TERMS + 9 * k));
}

/* ---- torsion about the edge after point p ---- */

/* The clamp's edge does not move. */
ENERGY_INLINE void coil_put_triple(const energy_rows *r, int p, const coil_triple *v, real *row) {
    lane3 first = p > 0 ? v->e[0] : zero3();
    store3(row, scale3(coil_free(r, p - 1), first));
    store3(row + 3 * LANES, scale3(-coil_free(r, p), add3(first, v->e[1])));
    store3(row + 6 * LANES, scale3(coil_free(r, p + 1), sub3(v->e[1], v->e[2])));
    store3(row + 9 * LANES, scale3(coil_free(r, p + 2), v->e[2]));
}

/* Forces of the fade: energy falls with f. */
static void coil_add_fade(const coil_torsion *s, lane weight, coil_edge *a, coil_edge *b, coil_edge *c) {
    lane one = lane_set(1), six = lane_set(6 / COIL_FADES);
    lane other0 = fused(-s->near2 * s->near2, s->near2, one),
         other2 = fused(-s->near0 * s->near0, s->near0, one);
    /* d f / d cosine: f = 1 - near^3, near = 1 - (1 - cosine^2) / COIL_FADES */
    lane slope0 = -weight * other0 * six * s->near0 * s->near0 * s->along0;
    lane slope2 = -weight * other2 * six * s->near2 * s->near2 * s->along2;
    lane3 t0 = scale3(lane_set(-1), a->t), t2 = c->t;
    a->force = fused3(-slope0 * s->length0, fused3(-s->along0, t0, s->c), a->force);
    b->force = fused3(slope0 * s->inverse, fused3(-s->along0, s->c, t0), b->force);
    b->force = fused3(slope2 * s->inverse, fused3(-s->along2, s->c, t2), b->force);
    c->force = fused3(slope2 * s->length2, fused3(-s->along2, t2, s->c), c->force);
}

ENERGY_INLINE void coil_add_torsion(const energy_rows *r, int p, coil_edge *a, coil_edge *b, coil_edge *c,
                                    const coil_wanted *want, energy_sums *sums) {
    coil_torsion s =
        coil_torsion_of(scale3(lane_set(-1), a->t), a->inverse, b->t, b->inverse, c->t, c->inverse);
    coil_law law = coil_law_of(r, p, COIL_TORSION, RLTI_COIL_STRAIN_TAU, s.tau, 1, s.fade * s.fade);
    coil_count(&law, RLTI_ROD_ENERGY_TWIST, sums);
    coil_put_strain(want, p, RLTI_COIL_STRAIN_TAU, s.tau);
    coil_put_strain(want, p, RLTI_COIL_STRAIN_TORSION, s.fade * law.strain);
    if (want->terms == NULL)
        return;
    coil_triple slope = coil_torsion_slope(&s), vectors[COIL_TORSION_VECTORS];
    a->force = fused3(-law.stress, slope.e[0], a->force); /* backwards */
    b->force = fused3(law.stress, slope.e[1], b->force);
    c->force = fused3(law.stress, slope.e[2], c->force);
    lane zero = lane_set(0), near = lane_maximum(s.near0, s.near2);
    if (lane_any(lane_less(zero, near))) { /* f df (k strain^2 + c change^2) */
        lane k = coil_constant(r, p, COIL_TORSION), viscous = r->rate * coil_constant(r, p, COIL_TORSION + 1);
        lane squares = fused(k * law.strain, law.strain, viscous * law.change * law.change);
        coil_add_fade(&s, s.fade * squares, a, b, c);
    }
    lane stress = want->filter == COIL_FULL ? law.stress : zero;
    coil_torsion_vectors(&s, law.stiffness, stress, COIL_POSITIVE, vectors);
    for (int k = 0; k < COIL_TORSION_VECTORS; k++)
        coil_put_triple(r, p, &vectors[k],
                        energy_row(want->terms, COIL_TERMS, p, COIL_TORSION_TERMS + 12 * k));
}

/* No torsion about this edge. */
ENERGY_INLINE void coil_clear_torsion(int p, const coil_wanted *want) {
    for (int k = 0; want->terms != NULL && k < COIL_TORSION_VECTORS * 12; k++)
        lane_store(energy_row(want->terms, COIL_TERMS, p, COIL_TORSION_TERMS + k), lane_set(0));
}

/* ---- the clamp ---- */

/* The edge from the first of its points to the root, of length 1. */
ENERGY_INLINE coil_edge coil_clamp_edge(const energy_rows *r) {
    coil_edge edge = {.force = zero3(), .length = lane_set(1), .inverse = lane_set(1)};
    edge.t = scale3(lane_set(-1), load3(r->clamp + (ptrdiff_t)CLAMP_DIRECTOR * LANES));
    return edge;
}

/* The torsion of the first edge about the director, against the clamp's direction. */
ENERGY_INLINE coil_torsion coil_clamp_torsion(const energy_rows *r, const coil_edge *clamp,
                                              const coil_edge *b) {
    lane one = lane_set(1);
    return coil_torsion_of(load3(r->clamp), one, clamp->t, one, b->t, b->inverse);
}

ENERGY_INLINE void coil_add_side(const energy_rows *r, const coil_edge *clamp, coil_edge *b,
                                 const coil_wanted *want, energy_sums *sums) {
    coil_torsion s = coil_clamp_torsion(r, clamp, b);
    coil_law law = coil_law_of(r, 0, COIL_SIDE, RLTI_COIL_STRAIN_SIDE, s.tau, 1, s.fade * s.fade);
    coil_count(&law, RLTI_ROD_ENERGY_BEND, sums);
    coil_put_strain(want, 0, RLTI_COIL_STRAIN_SIDE, s.tau);
    if (want->terms == NULL)
        return;
    b->force = fused3(law.stress * s.inverse2, s.w2, b->force);
    lane k = coil_constant(r, 0, COIL_SIDE), viscous = r->rate * coil_constant(r, 0, COIL_SIDE + 1);
    lane squares = fused(k * law.strain, law.strain, viscous * law.change * law.change);
    if (lane_any(lane_less(lane_set(0), s.near2))) {
        coil_edge none = {.t = scale3(lane_set(-1), load3(r->clamp)), .force = zero3()}, axis = none;
        coil_add_fade(&s, s.fade * squares, &none, &axis, b);
    }
    lane stress = want->filter == COIL_FULL ? law.stress : lane_set(0);
    store3(energy_row(want->terms, COIL_TERMS, 0, COIL_SIDE_TERMS),
           coil_side_vector(&s, law.stiffness, stress, COIL_POSITIVE));
}

/* ---- all of it ---- */

/* Point p's gradient: the edge before it pulls with its force, the one after it against. */
ENERGY_INLINE void coil_put_gradient(const energy_rows *r, int p, lane3 before, lane3 after, real *gradient) {
    if (gradient != NULL)
        store3(energy_row(gradient, COIL_UNKNOWNS, p, 0), scale3(coil_free(r, p), sub3(before, after)));
}

/* Inlined for each of the functions below: what is not wanted is not computed. */
ENERGY_INLINE energy_sums coil_evaluate_all(const energy_rows *r, const real *q, const real *own,
                                            coil_wanted want) {
    lane zero = lane_set(0);
    energy_sums sums = {{zero, zero, zero}, zero};
    int tip = r->points - 1, clamped = r->clamp != NULL;
    coil_edge a = {.t = zero3(), .force = zero3(), .length = zero, .inverse = lane_set(1)}, b, c = a;
    lane3 last = zero3();
    b = coil_edge_of(r, q, own, 0);
    coil_add_edge(r, 0, &b, &want, &sums);
    if (clamped) {
        a = coil_clamp_edge(r);
        coil_add_side(r, &a, &b, &want, &sums);
    }
    for (int p = 0; p < tip; p++) {
        if (p + 1 < tip) {
            c = coil_edge_of(r, q, own, p + 1);
            coil_add_edge(r, p + 1, &c, &want, &sums);
        }
        if (p > 0 || clamped)
            coil_add_bend(r, p, &a, &b, &want, &sums);
        if (p + 1 < tip && (p > 0 || clamped))
            coil_add_torsion(r, p, &a, &b, &c, &want, &sums);
        else
            coil_clear_torsion(p, &want);
        if (p > 0) {
            coil_put_gradient(r, p - 1, last, a.force, want.gradient);
            last = a.force;
        }
        a = b;
        b = c;
    }
    coil_put_gradient(r, tip - 1, last, a.force, want.gradient);
    coil_put_gradient(r, tip, a.force, zero3(), want.gradient);
    for (int k = 0; k < RLTI_ROD_STRAINS; k++)
        coil_put_strain(&want, tip, k, zero);
    return sums;
}

static energy_sums coil_evaluate(const energy_rows *r, const real *q, const real *own, real *terms,
                                 real *gradient) {
    return coil_evaluate_all(r, q, own, (coil_wanted){COIL_FULL, terms, gradient, NULL});
}
static energy_sums coil_evaluate_stretch(const energy_rows *r, const real *q, const real *own, real *terms,
                                         real *gradient) {
    return coil_evaluate_all(r, q, own, (coil_wanted){COIL_STRETCH_ONLY, terms, gradient, NULL});
}
static energy_sums coil_evaluate_gauss(const energy_rows *r, const real *q, const real *own, real *terms,
                                       real *gradient) {
    return coil_evaluate_all(r, q, own, (coil_wanted){COIL_NONE, terms, gradient, NULL});
}
static energy_sums coil_weigh(const energy_rows *r, const real *q, const real *own, real *strains) {
    return coil_evaluate_all(r, q, own, (coil_wanted){COIL_FULL, NULL, NULL, strains});
}

#endif
