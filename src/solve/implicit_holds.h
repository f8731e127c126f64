/* Holds in the implicit engine: the law of shape/constraint.h as a potential of one point, so it adds to the
 * point's own block and never widens the band. One strand after the other in doubles, since each has its own.
 *
 * With mass m, stiffness k, damping c, and the seconds H that are solved for:
 *   place     1/2 m k |x - anchor|^2 + 1/2 (m c / H) |x - still|^2
 *   distance  1/2 m k s^2 + 1/2 (m c / H) (n . (x - still))^2, s the excess of |x - anchor| over low .. high,
 *             the second with n at the start and only if the point was out of range there
 * `still` is where the point would be if it moved with the anchor. The speed at which a point is drawn back
 * is limited by letting no more than `cap` of the excess count: as in the explicit law, pull = H k / (1 + H
 * c + H^2 k) times the excess is at most that speed. Exact holds of place are kinematic points; exact ones of
 * distance are so stiff that they are off by a millionth of what they would be without. */
#ifndef RLTI_SOLVE_IMPLICIT_HOLDS_H
#define RLTI_SOLVE_IMPLICIT_HOLDS_H

#include "solve/implicit_tile.h"

#define EXACT_STIFFNESS 1e6 /* times mass / H^2 */

static int is_place(const rlti_hold *hold) {
    return hold->kind == RLTI_SOFT_PLACE || hold->kind == RLTI_HARD_PLACE;
}
static int is_pin(const rlti_hold *hold) {
    return hold->exact && is_place(hold);
}

static implicit_hold *holds_of(const rlti_implicit_tile *t, int k) {
    return t->holds + (ptrdiff_t)k * t->hold_capacity;
}

/* Excess over the allowed distance. */
static double excess_of(const rlti_hold *hold, double distance) {
    double low = (double)hold->low, high = (double)hold->high;
    return distance < low ? distance - low : (distance > high ? distance - high : 0.0);
}

/* All that stays the same during the iterations. */
static void aim_hold(const rlti_implicit_tile *t, int k, implicit_hold *h) {
    const rlti_hold *g = &h->given;
    double step = (double)t->solved[k], mass = (double)*row_of(t->mass, MASS_ROWS, g->point, MASS_POINT, k);
    double stiffness = g->exact ? EXACT_STIFFNESS / (step * step) : g->stiffness;
    double damping = g->exact ? 0.0 : g->damping;
    rlti_vec3 x = get3(t->q0, t->energy->unknowns, g->point, k), v = rlti_v3_at(g->velocity, 0);
    h->anchor = rlti_madd(rlti_v3_at(g->anchor, 0), (double)t->elapsed[k], v);
    h->still = rlti_madd(x, step, v);
    rlti_vec3 arm = rlti_sub(h->still, h->anchor); /* at the start */
    double distance = rlti_length(arm),
           pull = step * stiffness / (1.0 + step * damping + step * step * stiffness);
    h->cap = pull > 0.0 ? (double)g->speed / pull : 0.0;
    if (is_place(g) && distance > h->cap)
        h->anchor = rlti_madd(h->anchor, 1.0 - h->cap / distance, arm);
    h->along = rlti_v3(0, 0, 0);
    if (!is_place(g) && excess_of(g, distance) != 0.0)
        h->along = rlti_normalize(arm);
    h->stiffness = mass * stiffness;
    h->damping = mass * damping / step;
}

/* Kinematic points get their place; returns 1 if there are any. */
static int aim_holds(rlti_implicit_tile *t, int k) {
    implicit_hold *holds = holds_of(t, k);
    int pins = 0;
    for (int j = 0; j < t->lanes[k].hold_count; j++) {
        aim_hold(t, k, &holds[j]);
        if (!is_pin(&holds[j].given))
            continue;
        put3(t->place, 3, holds[j].given.point, k, holds[j].anchor);
        pins = 1;
    }
    return pins;
}

/* Potential of a hold at x, and its gradient. */
static double hold_potential(const rlti_implicit_tile *t, int k, const implicit_hold *h, rlti_vec3 x,
                             rlti_vec3 *gradient) {
    const rlti_hold *g = &h->given;
    rlti_vec3 arm = rlti_sub(x, h->anchor), drift = rlti_sub(x, h->still);
    double mass = (double)*row_of(t->mass, MASS_ROWS, g->point, MASS_POINT, k);
    rlti_vec3 push = rlti_scale(-mass, rlti_v3_at(g->push, 0));
    double energy = rlti_dot(push, drift);
    *gradient = push;
    if (is_place(g)) {
        *gradient = rlti_madd(rlti_madd(*gradient, h->stiffness, arm), h->damping, drift);
        return energy + 0.5 * h->stiffness * rlti_dot(arm, arm) + 0.5 * h->damping * rlti_dot(drift, drift);
    }
    double distance = rlti_length(arm), s = excess_of(g, distance), along = rlti_dot(h->along, drift);
    double counts = fmin(fabs(s), h->cap);
    energy += h->stiffness * counts * (fabs(s) - 0.5 * counts) + 0.5 * h->damping * along * along;
    *gradient = rlti_madd(*gradient, h->damping * along, h->along);
    if (distance > 0.0)
        *gradient = rlti_madd(*gradient, h->stiffness * copysign(counts, s) / distance, arm);
    return energy;
}

/* a n n^T + b (I - n n^T) onto the block of a point. */
static void add_block(real *block, double a, double b, rlti_vec3 n) {
    const double v[3] = {n.x, n.y, n.z};
    for (int i = 0, at = BLOCK_XX; i < 3; i++)
        for (int j = 0; j <= i; j++, at++)
            block[at * LANES] += (real)((a - b) * v[i] * v[j] + (i == j ? b : 0.0));
}

static void hold_block(const implicit_hold *h, rlti_vec3 x, real *block) {
    if (is_place(&h->given)) {
        add_block(block, h->stiffness + h->damping, h->stiffness + h->damping, rlti_v3(0, 0, 0));
        return;
    }
    rlti_vec3 arm = rlti_sub(x, h->anchor);
    double distance = rlti_length(arm), s = excess_of(&h->given, distance);
    add_block(block, h->damping * rlti_dot(h->along, h->along), 0.0, h->along);
    if (s == 0.0 || !(distance > 0.0))
        return;
    double across = s > 0.0 ? h->stiffness * fmin(s, h->cap) / distance : 0.0; /* pushing would be negative */
    add_block(block, fabs(s) < h->cap ? h->stiffness : 0.0, across, rlti_scale(1.0 / distance, arm));
}

static int hold_acts(const rlti_implicit_tile *t, int k, const implicit_hold *h) {
    return (double)*row_of(t->free, FREE_ROWS, h->given.point, FREE_POINT, k) > 0.0;
}

/* Potential of all holds at q; the gradient is added unless NULL. */
static lane holds_potential(const rlti_implicit_tile *t, const real *q, real *gradient) {
    real sums[LANES] = {0};
    int u = t->energy->unknowns;
    for (int k = 0; k < t->strands; k++) {
        const implicit_hold *holds = holds_of(t, k);
        double sum = 0.0;
        for (int j = 0; j < t->lanes[k].hold_count; j++) {
            int p = holds[j].given.point;
            rlti_vec3 slope;
            if (!hold_acts(t, k, &holds[j]))
                continue;
            sum += hold_potential(t, k, &holds[j], get3(q, u, p, k), &slope);
            if (gradient != NULL)
                put3(gradient, u, p, k, rlti_add(get3(gradient, u, p, k), slope));
        }
        sums[k] = (real)sum;
    }
    return lane_of(sums);
}

static void holds_blocks(const rlti_implicit_tile *t, const real *q, real *blocks) {
    for (int k = 0; k < t->strands; k++) {
        const implicit_hold *holds = holds_of(t, k);
        for (int j = 0; j < t->lanes[k].hold_count; j++)
            if (hold_acts(t, k, &holds[j]))
                hold_block(&holds[j], get3(q, t->energy->unknowns, holds[j].given.point, k),
                           row_of(blocks, BLOCK_ROWS, holds[j].given.point, 0, k));
    }
}

#endif
