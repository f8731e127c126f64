/* Configurations of the Coil in lanes: points, and of every edge the tangent it last had, which stands for
 * that of an edge without length. A step turns edges and puts them together from the root, as the Rod's
 * (rod_motion.h). */
#ifndef RLTI_MODEL_COIL_MOTION_H
#define RLTI_MODEL_COIL_MOTION_H

#include <string.h>

#include "model/coil_constants.h"
#include "model/rod_pins.h"

enum { COIL_UNKNOWNS = 3, COIL_OWN = 3 };

ENERGY_INLINE lane3 coil_position(const real *q, int point) {
    return load3(energy_at(q, COIL_UNKNOWNS, point, 0));
}
ENERGY_INLINE lane3 coil_tangent(const real *own, int point) {
    return load3(energy_at(own, COIL_OWN, point, 0));
}
ENERGY_INLINE lane coil_constant(const energy_rows *r, int point, int which) {
    return lane_load(energy_at(r->constants, COIL_ROWS, point, which));
}

/* An edge without length has the direction of the one before it, the first one z. */
static void coil_start(const energy_rows *r, const real *q, real *own) {
    lane3 t = {lane_set(0), lane_set(0), lane_set(1)};
    for (int p = 0; p + 1 < r->points; p++) {
        lane3 e = sub3(coil_position(q, p + 1), coil_position(q, p));
        t = energy_direction(e, lane_sqrt(dot3(e, e)), coil_constant(r, p, COIL_LENGTH), t);
        store3(energy_row(own, COIL_OWN, p, 0), t);
    }
}

/* There is nothing but points. */
static void coil_pin(const energy_rows *r, const real *directors, real *own) {
    (void)r;
    (void)directors;
    (void)own;
}

/* The wanted edge p after the step: turned as both ends say, its length changed as they say to first order.
 */
ENERGY_INLINE lane3 coil_wanted_edge(const energy_rows *r, const energy_step *s, const real *q,
                                     const real *own, int p) {
    const real *step = energy_at(s->step, COIL_UNKNOWNS, p, 0);
    lane3 t = coil_tangent(own, p), e = sub3(coil_position(q, p + 1), coil_position(q, p));
    lane3 by = scale3(s->share, sub3(load3(step + (ptrdiff_t)COIL_UNKNOWNS * LANES), load3(step)));
    lane3 turned = add3(e, by);
    lane length = lane_sqrt(dot3(e, e)), want = length, rest = coil_constant(r, p, COIL_LENGTH);
    lane3 u = energy_direction(turned, lane_sqrt(dot3(turned, turned)), rest, t);
    if (!s->keep_lengths)
        want = lane_maximum(length + dot3(t, by), lane_set((real)0.1) * length);
    return scale3(want, u);
}

static void coil_move_points(const energy_rows *r, const energy_step *s, const real *q, const real *own,
                             real *q_to, real *own_to) {
    lane half = lane_set((real)0.5);
    lane_mask moves = lane_less(lane_set(0), s->share);
    lane3 at = zero3(), edge = at;
    for (int p = 0; p < r->points; p++) {
        lane3 from = coil_position(q, p),
              to = fused3(s->share, load3(energy_at(s->step, COIL_UNKNOWNS, p, 0)), from);
        if (s->chain && p > 0) {
            lane free = lane_load(energy_at(r->free, FREE_ROWS, p, FREE_POINT));
            to = select3(lane_less(half, free), add3(at, edge), to);
        }
        at = to;
        store3(energy_row(q_to, COIL_UNKNOWNS, p, 0), select3(moves, to, from));
        if (!s->chain || p + 1 == r->points)
            continue;
        edge = coil_wanted_edge(r, s, q, own, p);
        store3(energy_row(own_to, COIL_OWN, p, 0), edge);
    }
}

static void coil_move(const energy_rows *r, const energy_step *s, const real *q, const real *own, real *q_to,
                      real *own_to) {
    static const rod_pin_rows rows = {COIL_OWN, 0, COIL_UNKNOWNS, COIL_ROWS, COIL_STRETCH};
    lane_mask moves = lane_less(lane_set(0), s->share);
    real shares[LANES];
    memcpy(shares, &s->share, sizeof(shares));
    coil_move_points(r, s, q, own, q_to, own_to);
    for (int k = 0; k < LANES && s->chain; k++)
        if ((s->pinned >> k & 1u) && shares[k] > 0)
            rod_fit_pins(r, &rows, k, own_to, q_to);
    for (int p = 0; p + 1 < r->points; p++) {
        lane3 t = coil_tangent(own, p), e = sub3(coil_position(q_to, p + 1), coil_position(q_to, p));
        lane3 u = energy_direction(e, lane_sqrt(dot3(e, e)), coil_constant(r, p, COIL_LENGTH), t);
        store3(energy_row(own_to, COIL_OWN, p, 0), select3(moves, u, t));
    }
}

ENERGY_INLINE lane3 coil_rotate(const energy_turn *turn, lane3 a) {
    lane3 v = {dot3(turn->rows[0], a), dot3(turn->rows[1], a), dot3(turn->rows[2], a)};
    return v;
}

static void coil_turn_all(const energy_rows *r, const energy_turn *turn, const real *q, const real *own,
                          real *q_to, real *own_to) {
    for (int p = 0; p < r->points; p++) {
        lane3 x = sub3(coil_position(q, p), turn->from);
        store3(energy_row(q_to, COIL_UNKNOWNS, p, 0), add3(coil_rotate(turn, x), turn->to));
        store3(energy_row(own_to, COIL_OWN, p, 0), coil_rotate(turn, coil_tangent(own, p)));
    }
}

#endif
