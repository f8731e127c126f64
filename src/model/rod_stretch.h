/* Stretch of the Rod in lanes: 1/2 k (|e| - l)^2, k = E A / l, with a viscous part on the same strain. Its
 * matrix is k t t^T + (tension / |e|) (I - t t^T); a compressed edge would make the second part negative,
 * which is left out then. */
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
    edge.along = k + c;
    edge.across = lane_maximum(edge.tension, zero) * edge.inverse;
    return edge;
}

#endif
