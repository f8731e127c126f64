/* Lanes that take long, gathered from many tiles into one: rows of a strand within a step, there and back.
 *
 * A tile iterates until its last strand has converged, and lanes that wait cost as much as those that work.
 * So a strand's rows may be copied to a lane of another tile between two iterations, iterated there with
 * strands of other tiles, and its iterate copied back: a lane's bits depend on its own strand only.
 *
 * Copied is all that an iteration reads: the iterate, the start of the step, aims, constants, planes with
 * their multipliers, holds, counters. A strand of fewer points than its new tile is padded with points in the
 * place of its last one that are not free and have no constants. */
#ifndef RLTI_SOLVE_IMPLICIT_GATHER_H
#define RLTI_SOLVE_IMPLICIT_GATHER_H

#include "solve/implicit_tile.h"

typedef struct gather_rows {
    real *to;
    const real *from;
    int rows;
    int last; /* point of `from` that stands for all behind it */
} gather_rows;

/* One lane's column of an array, points of `to` in all. */
static void gather_column(const gather_rows *g, int points, int seat, int k) {
    for (int i = 0; i < points; i++) {
        const real *from = energy_at(g->from, g->rows, i < g->last ? i : g->last, 0) + k;
        real *to = row_of(g->to, g->rows, i, 0, seat);
        for (int r = 0; r < g->rows; r++)
            to[r * LANES] = from[r * LANES];
    }
}

/* Planes of the lane; where its tile has none, nothing to touch. */
static void gather_planes(rlti_implicit_tile *to, int seat, const rlti_implicit_tile *from, int k) {
    for (int j = 0; to->planes != NULL && j < SIDES * to->points; j++) {
        real *p = row_of(to->planes, P_ROWS, j, 0, seat);
        int there = from->planes != NULL && j < SIDES * from->points;
        const real *old = there ? energy_at(from->planes, P_ROWS, j, 0) + k : NULL;
        if (there && from->touched[j]) {
            for (int r = 0; r < P_ROWS; r++)
                p[r * LANES] = old[r * LANES];
        } else {
            clear_plane(to, seat, j);
            p[P_STIFF * LANES] = 1;
        }
        lane offset = lane_load(energy_at(to->planes, P_ROWS, j, P_OFFSET));
        to->touched[j] = (uint8_t)lane_any(lane_less(lane_set(NO_PLANE), offset));
    }
}

static void gather_lane(rlti_implicit_tile *to, int seat, const rlti_implicit_tile *from, int k) {
    const energy_type *e = from->energy;
    int tip = from->points - 1;
    const gather_rows list[] = {{to->q0, from->q0, e->unknowns, tip},
                                {to->q, from->q, e->unknowns, tip},
                                {to->own, from->own, e->own, tip - 1}, /* of edges */
                                {to->aim, from->aim, e->unknowns, tip},
                                {to->weight, from->weight, MASS_ROWS, tip},
                                {to->mass, from->mass, MASS_ROWS, tip},
                                {to->free, from->free, FREE_ROWS, tip},
                                {to->constants, from->constants, e->constant_rows, tip},
                                {to->before, from->before, e->strains, tip}};
    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
        gather_column(&list[i], to->points, seat, k);
    for (int i = from->points; i < to->points; i++)
        for (int r = 0; r < 2; r++) {
            *row_of(to->weight, MASS_ROWS, i, r, seat) = 0;
            *row_of(to->mass, MASS_ROWS, i, r, seat) = 0;
            *row_of(to->free, FREE_ROWS, i, r, seat) = 0;
        }
    const gather_rows clamp = {to->clamps[CLAMP_NOW], from->clamps[CLAMP_NOW], CLAMP_ROWS, 0};
    gather_column(&clamp, 1, seat, k);
    gather_planes(to, seat, from, k);
    to->lanes[seat] = from->lanes[k];
    to->lanes[seat].hold_count = 0;
    to->middle = (to->middle & ~(1u << seat)) | (from->middle >> k & 1u) << seat;
    to->solved[seat] = from->solved[k];
    to->elapsed[seat] = from->elapsed[k];
}

/* 1: strands of `from` can be iterated with those that are in `to`, and little of it would be padding. */
static int gather_fits(const rlti_implicit_tile *to, const rlti_implicit_tile *from) {
    if (from->energy != to->energy || from->free_root != to->free_root || from->points > to->capacity ||
        (to->open != 0 && from->plain != to->plain) || from->hold_capacity > to->hold_capacity ||
        (from->planes != NULL && to->planes == NULL))
        return 0;
    return to->open == 0 || (from->points <= to->points && 4 * from->points >= 3 * to->points);
}

static int gather(rlti_implicit_tile *to, int seat, rlti_implicit_tile *from, int k) {
    if (!gather_fits(to, from))
        return 0;
    if (to->open == 0) { /* a new start; lanes without a strand must be some strand's, too */
        to->points = from->points;
        to->plain = from->plain;
        to->damped = 0;
        for (int other = 0; other < LANES; other++)
            if (other != seat)
                gather_lane(to, other, from, k);
    }
    gather_lane(to, seat, from, k);
    for (int j = 0; j < from->lanes[k].hold_count; j++)
        to->holds[seat * to->hold_capacity + j] = from->holds[k * from->hold_capacity + j];
    to->lanes[seat].hold_count = from->lanes[k].hold_count;
    to->damped |= from->damped;
    to->open |= 1u << seat;
    from->open &= ~(1u << k);
    to->serial++;
    return 1;
}

static void scatter(rlti_implicit_tile *from, int seat, rlti_implicit_tile *to, int k) {
    const energy_type *e = to->energy;
    int last = to->lanes[k].points - 1;
    const gather_rows points = {to->q, from->q, e->unknowns, last},
                      edges = {to->own, from->own, e->own, last};
    gather_column(&points, last + 1, k, seat);
    gather_column(&edges, last, k, seat);
    for (int j = 0; to->planes != NULL && j < SIDES * to->points; j++)
        for (int r = P_FORCE; to->touched[j] && r < P_STIFF; r++)
            *row_of(to->planes, P_ROWS, j, r, k) = *row_of(from->planes, P_ROWS, j, r, seat);
    to->lanes[k].result = from->lanes[seat].result;
    from->lanes[seat].hold_count = 0;
    from->open &= ~(1u << seat);
    to->paused |= (from->paused >> seat & 1u) << k;
    from->paused &= ~(1u << seat);
    to->serial++;
}

#endif
