/* Configurations of the Rod in lanes: frames for given positions, displacement by a Newton step, rotation as
 * one piece. */
#ifndef RLTI_MODEL_ROD_MOTION_H
#define RLTI_MODEL_ROD_MOTION_H

#include <string.h>

#include "model/rod_constants.h"
#include "model/rod_frame.h"
#include "model/rod_pins.h"

/* Tangents from positions, directors made square to them. An edge without length gets a tangent across its
 * director: a rule that needs no history, so that a resumed run has the same bits. */
static void rod_start(const energy_rows *r, const real *q, real *own) {
    for (int p = 0; p + 1 < r->points; p++) {
        lane3 e = sub3(rod_position(q, p + 1), rod_position(q, p)), d = rod_director(own, p);
        lane length = lane_sqrt(dot3(e, e)), rest = rod_constant(r, ROD_ROWS, p, ROD_LENGTH);
        lane3 t = energy_direction(e, length, rest, energy_perpendicular(rod_square(d, zero3())));
        rod_put_frame(own, p, t, rod_square(d, t));
    }
}

static void rod_pin(const energy_rows *r, const real *directors, real *own) {
    for (int p = 0; p + 1 < r->points; p++) {
        lane3 want = load3(energy_at(directors, 3, p, 0)), t = rod_tangent(own, p);
        lane free = lane_load(energy_at(r->free, FREE_ROWS, p, FREE_OTHER)), half = lane_set((real)0.5);
        lane there = lane_select(lane_less(free, half), dot3(want, want), lane_set(0));
        lane3 d = select3(lane_less(half, there), rod_square(want, t), rod_director(own, p));
        store3(energy_row(own, ROD_OWN, p, ROD_DIRECTOR), d);
    }
}

/* The wanted edge p after the step: turned as both ends say, its length changed as they say to first
 * order. */
ENERGY_INLINE lane3 rod_wanted_edge(const energy_rows *r, const energy_step *s, const real *q,
                                    const real *own, int p) {
    const real *step = energy_at(s->step, ROD_UNKNOWNS, p, 0);
    lane3 t = rod_tangent(own, p), e = sub3(rod_position(q, p + 1), rod_position(q, p));
    lane3 by = scale3(s->share, sub3(load3(step + (ptrdiff_t)ROD_UNKNOWNS * LANES), load3(step))),
          turned = add3(e, by);
    lane length = lane_sqrt(dot3(e, e)), want = length;
    lane3 u = energy_direction(turned, lane_sqrt(dot3(turned, turned)),
                               rod_constant(r, ROD_ROWS, p, ROD_LENGTH), t);
    if (!s->keep_lengths)
        want = lane_maximum(length + dot3(t, by), lane_set((real)0.1) * length);
    return scale3(want, u);
}

/* Positions after the step, and the wanted edges where tangents will be. */
static void rod_move_points(const energy_rows *r, const energy_step *s, const real *q, const real *own,
                            real *q_to, real *own_to) {
    lane half = lane_set((real)0.5), zero = lane_set(0);
    lane_mask moves = lane_less(zero, s->share);
    lane3 at = zero3(), edge = at;
    for (int p = 0; p < r->points; p++) {
        const real *step = energy_at(s->step, ROD_UNKNOWNS, p, 0), *from = energy_at(q, ROD_UNKNOWNS, p, 0);
        lane3 to = fused3(s->share, load3(step), load3(from));
        lane turn = fused(s->share, lane_load(step + (ptrdiff_t)ROD_TURN * LANES),
                          lane_load(from + (ptrdiff_t)ROD_TURN * LANES));
        if (s->chain && p > 0) {
            lane free = lane_load(energy_at(r->free, FREE_ROWS, p, FREE_POINT));
            to = select3(lane_less(half, free), add3(at, edge), to);
        }
        at = to;
        store3(energy_row(q_to, ROD_UNKNOWNS, p, 0), select3(moves, to, load3(from)));
        lane_store(energy_row(q_to, ROD_UNKNOWNS, p, ROD_TURN), turn);
        if (!s->chain || p + 1 == r->points)
            continue;
        edge = rod_wanted_edge(r, s, q, own, p);
        store3(energy_row(own_to, ROD_OWN, p, ROD_TANGENT), edge);
    }
}

/* Frames after the step: carried to the new tangents without twist, turned by the step. */
static void rod_move_frames(const energy_rows *r, const energy_step *s, const real *own, const real *q_to,
                            real *own_to) {
    lane_mask moves = lane_less(lane_set(0), s->share);
    for (int p = 0; p + 1 < r->points; p++) {
        lane3 t = rod_tangent(own, p), d = rod_director(own, p);
        lane3 e = sub3(rod_position(q_to, p + 1), rod_position(q_to, p));
        lane3 u = energy_direction(e, lane_sqrt(dot3(e, e)), rod_constant(r, ROD_ROWS, p, ROD_LENGTH), t);
        lane angle = s->share * lane_load(energy_at(s->step, ROD_UNKNOWNS, p, ROD_TURN));
        lane3 turned = rod_square(rod_turn(rod_carry(d, t, u), u, angle), u);
        rod_put_frame(own_to, p, select3(moves, u, t), select3(moves, turned, d));
    }
}

static void rod_move(const energy_rows *r, const energy_step *s, const real *q, const real *own, real *q_to,
                     real *own_to) {
    static const rod_pin_rows rows = {ROD_OWN, ROD_TANGENT, ROD_UNKNOWNS, ROD_ROWS, ROD_STRETCH};
    real shares[LANES];
    memcpy(shares, &s->share, sizeof(shares));
    rod_move_points(r, s, q, own, q_to, own_to);
    for (int k = 0; k < LANES && s->chain; k++)
        if ((s->pinned >> k & 1u) && shares[k] > 0)
            rod_fit_pins(r, &rows, k, own_to, q_to);
    rod_move_frames(r, s, own, q_to, own_to);
}

ENERGY_INLINE lane3 rod_rotate(const energy_turn *turn, lane3 a) {
    lane3 v = {dot3(turn->rows[0], a), dot3(turn->rows[1], a), dot3(turn->rows[2], a)};
    return v;
}

/* As one piece, an edge turns about itself against the frame that is carried without twist: by that angle. */
static void rod_turn_all(const energy_rows *r, const energy_turn *turn, const real *q, const real *own,
                         real *q_to, real *own_to) {
    for (int p = 0; p < r->points; p++) {
        lane3 x = sub3(rod_position(q, p), turn->from);
        store3(energy_row(q_to, ROD_UNKNOWNS, p, 0), add3(rod_rotate(turn, x), turn->to));
        lane3 t = rod_tangent(own, p), d = rod_director(own, p);
        lane3 u = rod_rotate(turn, t), f = rod_rotate(turn, d), carried = rod_carry(d, t, u);
        lane angle = lane_atan2(dot3(cross3(carried, f), u), dot3(carried, f));
        angle = angle + lane_load(energy_at(q, ROD_UNKNOWNS, p, ROD_TURN));
        lane_store(energy_row(q_to, ROD_UNKNOWNS, p, ROD_TURN), angle);
        rod_put_frame(own_to, p, u, f);
    }
}

#endif
