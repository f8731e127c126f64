/* The smoothing filter of the Taz paper, equation (2), as two one-pole filters in a row
 * (docs/design/formulations.md).
 *
 * With q = 1 - beta = exp(-l/alpha), equation (2) is y_i = q y_{i-1} + beta e_i, d_i = q d_{i-1} + beta y_i,
 * started with y_{-1} = d_{-1} = e_0. The kernels use the scaled filter S' = S / beta^2, which needs one
 * fused operation per pole: y' = y / beta, d' = d / beta^2. Directions do not care; lengths are multiplied by
 * beta^2 where needed. The transpose runs the same two poles from tip to root. */
#ifndef RLTI_MODEL_TAZ_FILTER_H
#define RLTI_MODEL_TAZ_FILTER_H

#include "base/lanes.h"

typedef struct taz_filter {
    lane pole;    /* q */
    lane start_y; /* 1 / beta:   y'_{-1} = start_y e_0 */
    lane start_d; /* 1 / beta^2: d'_{-1} = start_d e_0 */
    lane unscale; /* beta^2: d = unscale d' */
} taz_filter;

static inline taz_filter taz_filter_make(double beta) {
    taz_filter f = {lane_set((real)(1.0 - beta)), lane_set((real)(1.0 / beta)),
                    lane_set((real)(1.0 / (beta * beta))), lane_set((real)(beta * beta))};
    return f;
}

typedef struct taz_filter_state {
    lane3 y, d;
} taz_filter_state;

/* Before edge 0, whose value is e0. */
static inline taz_filter_state taz_filter_begin(const taz_filter *f, lane3 e0) {
    taz_filter_state s = {scale3(f->start_y, e0), scale3(f->start_d, e0)};
    return s;
}

/* Takes in edge value e; afterwards state.d is d'_i. */
static inline void taz_filter_next(const taz_filter *f, taz_filter_state *s, lane3 e) {
    s->y = fused3(f->pole, s->y, e);
    s->d = fused3(f->pole, s->d, s->y);
}

/* Transpose, tip to root: takes in g_i; afterwards state.y is (S'^T g)_i for i > 0. Starts from zero. */
static inline void taz_filter_transpose_next(const taz_filter *f, taz_filter_state *s, lane3 g) {
    s->d = fused3(f->pole, s->d, g);
    s->y = fused3(f->pole, s->y, s->d);
}

/* Added to edge 0, through the starting values. */
static inline lane3 taz_filter_transpose_root(const taz_filter *f, const taz_filter_state *s) {
    return add3(scale3(f->pole * f->start_d, s->d), scale3(f->pole * f->start_y, s->y));
}

#endif
