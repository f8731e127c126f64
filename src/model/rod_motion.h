/* Configurations of the Rod in lanes: frames for given positions, displacement by a Newton step, rotation as
 * one piece. */
#ifndef RLTI_MODEL_ROD_MOTION_H
#define RLTI_MODEL_ROD_MOTION_H

#include "model/rod_constants.h"
#include "model/rod_frame.h"

/* Tangents from positions, directors made square to them. An edge without length gets a tangent across its
 * director: a rule that needs no history, so that a resumed run has the same bits. */
static void rod_start(const energy_rows *r, const real *q, real *own) {
    for (int p = 0; p + 1 < r->points; p++) {
        lane3 e = sub3(rod_position(q, p + 1), rod_position(q, p)), d = rod_director(own, p);
        lane length = lane_sqrt(dot3(e, e)), rest = rod_constant(r, ROD_ROWS, p, ROD_LENGTH);
        lane3 t = rod_direction(e, length, rest, rod_perpendicular(rod_square(d, zero3())));
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

/* Edge p and the point at its end: `at` is where its root-side point has come to. Returns where the end
 * does. */
ENERGY_INLINE lane3 rod_move_edge(const energy_rows *r, const energy_step *s, const real *q, const real *own,
                                  real *own_to, int p, lane3 at) {
    const real *step = energy_at(s->step, ROD_UNKNOWNS, p, 0);
    lane3 da = load3(step), db = load3(step + (ptrdiff_t)ROD_UNKNOWNS * LANES);
    lane3 a = rod_position(q, p), b = rod_position(q, p + 1), t = rod_tangent(own, p);
    lane zero = lane_set(0), half = lane_set((real)0.5), rest = rod_constant(r, ROD_ROWS, p, ROD_LENGTH);
    lane3 e = sub3(b, a), by = scale3(s->share, sub3(db, da)), to = fused3(s->share, db, b);
    lane length = lane_sqrt(dot3(e, e));
    lane3 turned = add3(e, by);
    lane3 u = rod_direction(turned, lane_sqrt(dot3(turned, turned)), rest, t);
    lane want = s->keep_lengths ? length : lane_maximum(length + dot3(t, by), lane_set((real)0.1) * length);
    lane free = lane_load(energy_at(r->free, FREE_ROWS, p + 1, FREE_POINT));
    lane3 end = select3(lane_less(half, s->chain * free), fused3(want, u, at), to);
    lane3 d = rod_carry(rod_director(own, p), t, u);
    d = rod_square(rod_turn(d, u, s->share * lane_load(step + (ptrdiff_t)ROD_TURN * LANES)), u);
    lane_mask moves = lane_less(zero, s->share);
    rod_put_frame(own_to, p, select3(moves, u, t), select3(moves, d, rod_director(own, p)));
    return select3(moves, end, b);
}

static void rod_move(const energy_rows *r, const energy_step *s, const real *q, const real *own, real *q_to,
                     real *own_to) {
    lane3 at = fused3(s->share, load3(s->step), rod_position(q, 0));
    at = select3(lane_less(lane_set(0), s->share), at, rod_position(q, 0));
    for (int p = 0; p < r->points; p++) {
        const real *from = energy_at(q, ROD_UNKNOWNS, p, ROD_TURN);
        lane turn =
            fused(s->share, lane_load(energy_at(s->step, ROD_UNKNOWNS, p, ROD_TURN)), lane_load(from));
        store3(energy_row(q_to, ROD_UNKNOWNS, p, 0), at);
        lane_store(energy_row(q_to, ROD_UNKNOWNS, p, ROD_TURN), turn);
        if (p + 1 < r->points)
            at = rod_move_edge(r, s, q, own, own_to, p, at);
    }
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
