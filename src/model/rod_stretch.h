/* Stretch of the Rod in lanes: 1/2 k (|e| - l)^2, k = E A / l, with a viscous part on the same strain. Its
 * matrix is k t t^T + (tension / |e|) (I - t t^T); a compressed edge would make the second part negative,
 * which is left out then.
 *
 * Midpoint. An edge that turns by a moves along a chord, and is shorter by a^2 / 8 of its length in the
 * middle. Were its tension that of the middle, then edges would end their steps stretched by so much, and
 * stretch is stiff: at some step the energy grows without bound. So the tension is taken from both ends,
 *   (k ((l0 + l1) / 2 - l) + c (l1 - l0) / h) 2 e / (l0 + l1),   e1 = 2 e - e0,
 * whose work e1 - e0 times the first part is the energy's change and times the second never positive,
 * exactly (an energy-momentum method). That is no gradient; so its difference from the middle's tension is
 * constant within an iteration of Newton, and renewed for the next (rod_lead). */
#ifndef RLTI_MODEL_ROD_STRETCH_H
#define RLTI_MODEL_ROD_STRETCH_H

#include "model/rod_constants.h"
#include "model/rod_frame.h"

/* |e| in divisions is at least this part of the rest length: an edge without length has finite forces. */
#define ROD_SHORTEST ((real)1e-4)

typedef struct rod_edge {
    lane3 t, d;
    lane length, inverse; /* 1 / |e|, limited */
    lane tension;         /* elastic and viscous */
    lane energy, damping;
    lane along, across; /* of the matrix */
} rod_edge;

ENERGY_INLINE rod_edge rod_edge_of(const energy_rows *r, const real *q, const real *own, int p) {
    rod_edge edge = {.t = rod_tangent(own, p), .d = rod_director(own, p)};
    lane3 e = sub3(rod_position(q, p + 1), rod_position(q, p));
    lane rest = rod_constant(r, ROD_ROWS, p, ROD_LENGTH), half = lane_set((real)0.5), zero = lane_set(0);
    lane k = rod_constant(r, ROD_ROWS, p, ROD_STRETCH);
    lane c = r->rate * rod_constant(r, ROD_ROWS, p, ROD_VISCOUS_STRETCH);
    edge.length = lane_sqrt(dot3(e, e));
    edge.inverse = lane_set(1) / lane_maximum(edge.length, lane_set(ROD_SHORTEST) * rest);
    lane strain = edge.length - rest;
    lane change = edge.length - lane_load(energy_at(r->before, RLTI_ROD_STRAINS, p, RLTI_ROD_STRAIN_LENGTH));
    edge.tension = fused(k, strain, c * change);
    edge.energy = half * k * strain * strain;
    edge.damping = half * c * change * change;
    if (r->spare != NULL) {
        lane spare = lane_load(energy_at(r->spare, 1, p, 0));
        edge.tension = edge.tension - spare;
        edge.energy = fused(-spare, strain, edge.energy);
    }
    edge.along = k + c;
    edge.across = lane_maximum(edge.tension, zero) * edge.inverse;
    return edge;
}

static void rod_lead(const energy_rows *r, const real *q0, const real *q, real *spare) {
    lane half = lane_set((real)0.5);
    for (int p = 0; p + 1 < r->points; p++) {
        lane3 e0 = sub3(rod_position(q0, p + 1), rod_position(q0, p));
        lane3 e = sub3(rod_position(q, p + 1), rod_position(q, p)), e1 = sub3(add3(e, e), e0);
        lane rest = rod_constant(r, ROD_ROWS, p, ROD_LENGTH), k = rod_constant(r, ROD_ROWS, p, ROD_STRETCH);
        lane c = r->rate * rod_constant(r, ROD_ROWS, p, ROD_VISCOUS_STRETCH);
        lane l0 = lane_sqrt(dot3(e0, e0)), l = lane_sqrt(dot3(e, e)), l1 = lane_sqrt(dot3(e1, e1));
        lane mean = half * (l0 + l1);
        lane ends = fused(k, mean - rest, half * c * (l1 - l0)); /* the rate is that of half a step */
        ends = ends * l / lane_maximum(mean, lane_set(ROD_SHORTEST) * rest);
        lane_store(energy_row(spare, 1, p, 0), fused(k, l - rest, c * (l - l0)) - ends);
    }
}

#endif
