/* Contact planes in the implicit engine, in lanes: augmented Lagrange within Newton, on the point's own
 * block.
 *
 * gap = n . x - offset, where the plane has moved to the time that is solved for. With a stiffness kappa well
 * above the hair's own and a multiplier f, the potential ((max(0, f - kappa gap))^2 - f^2) / (2 kappa)
 * presses with p = max(0, f - kappa gap); once the iterate is near the minimum f becomes p, so that the gap
 * closes without kappa having to be great. A strand may limit p, for bodies that leave it no place: beyond
 * that the potential is linear, and the point gives way.
 *
 * Friction is the same in the plane: with the slip u since the start of the step, relative to the surface,
 * and multipliers g, the force is g - kappa u cut to the length mu f. Its potential is Huber's: quadratic
 * where it sticks, linear where it slides; f is the multiplier. So what sticks, sticks. A new contact slides
 * until it has one; one that was there when the step began starts with what it bore then (expect_force).
 *
 * Huber's corner is so small that Newton, coming from the linear part, jumps across it many times. So a
 * contact whose force was within the cone when multipliers were renewed is not cut until they are renewed
 * again, when it is seen whether it should have been. Fixed counts of iterations may end before that, and
 * friction without a bound would pull hair off its root: their contacts are always cut. */
#ifndef RLTI_SOLVE_IMPLICIT_PLANES_H
#define RLTI_SOLVE_IMPLICIT_PLANES_H

#include "solve/implicit_tile.h"

/* The change of a force (of the strand's greatest) that counts as none; the energy of an iterate's error, of
 * that of the forces, below which multipliers are renewed. */
#define PLANE_RIGHT   0.01
#define PLANE_SETTLED 0.01

typedef struct plane_contact {
    lane3 normal, grip; /* grip: g - kappa u, in the plane */
    lane gap, force;    /* force: p */
    lane full;          /* without its limit */
    lane bound;       /* of friction: mu f; infinite where it is taken as sticking, unless counts are fixed */
    lane length, cut; /* |grip|; min(1, bound / |grip|) */
    lane stiff;
} plane_contact;

/* Planes are numbered along the strand, SIDES to a point. */
static int has_plane(const rlti_implicit_tile *t, int j) {
    return t->planes != NULL && t->touched[j];
}

/* Bits of lanes that have a plane at all. */
static unsigned planes_lanes(const rlti_implicit_tile *t) {
    unsigned lanes = 0;
    for (int j = 0; t->planes != NULL && j < SIDES * t->points; j++)
        if (has_plane(t, j))
            lanes |= lane_bits(
                lane_less(lane_set(NO_PLANE), lane_load(energy_at(t->planes, P_ROWS, j, P_OFFSET))));
    return lanes;
}

/* Multipliers at the start of a step: no state outlives it. Where no lane has a plane they are 0. */
static void begin_planes(rlti_implicit_tile *t) {
    for (int j = 0; t->planes != NULL && j < SIDES * t->points; j++) {
        real *row = energy_row(t->planes, P_ROWS, j, 0);
        if (!t->touched[j])
            continue;
        t->touched[j] = (uint8_t)lane_any(lane_less(lane_set(NO_PLANE), lane_load(row + P_OFFSET * LANES)));
        for (int r = P_FORCE; r < P_STIFF; r++)
            lane_store(row + (ptrdiff_t)r * LANES, lane_set(0));
        stiffen_plane(t, j);
        for (int k = 0; k < t->strands; k++)
            if (*row_of(t->planes, P_ROWS, j, P_OFFSET, k) > NO_PLANE)
                expect_force(t, k, j);
    }
}

/* A point at q with plane j. */
INLINE plane_contact contact_of(const rlti_implicit_tile *t, int j, const real *q, lane friction) {
    const real *row = energy_at(t->planes, P_ROWS, j, 0);
    int i = j / SIDES, u = t->energy->unknowns;
    plane_contact c = {.normal = load3(row + P_NORMAL * LANES), .stiff = lane_load(row + P_STIFF * LANES)};
    lane3 v = load3(row + P_VELOCITY * LANES), x = load3(energy_at(q, u, i, 0)),
          x0 = load3(energy_at(t->start, u, i, 0));
    lane zero = lane_set(0), one = lane_set(1), f = lane_load(row + P_FORCE * LANES);
    lane moved = lane_of(t->elapsed) * dot3(c.normal, v);
    c.gap = dot3(c.normal, x) - (lane_load(row + P_OFFSET * LANES) + moved);
    c.full = lane_maximum(fused(-c.stiff, c.gap, f), zero);
    c.force = lane_minimum(c.full, lane_of(t->press));
    lane3 slip = fused3(-lane_of(t->solved), v, sub3(x, x0));
    slip = fused3(-dot3(c.normal, slip), c.normal, slip);
    c.grip = fused3(-c.stiff, slip, load3(row + P_GRIP * LANES));
    lane_mask stuck = lane_less(zero, lane_load(row + P_STUCK * LANES));
    c.bound = friction * f;
    if (!t->plain)
        c.bound = lane_select(stuck, lane_set((real)INFINITY), c.bound);
    c.length = lane_sqrt(dot3(c.grip, c.grip));
    c.cut = lane_select(lane_less(c.bound, c.length), c.bound / c.length, one);
    return c;
}

/* Potential of all planes at q; the gradient is added unless NULL. */
static lane planes_potential(const rlti_implicit_tile *t, const real *q, double friction, real *gradient) {
    lane sum = lane_set(0), half = lane_set((real)0.5), mu = lane_set((real)friction);
    int u = t->energy->unknowns;
    for (int j = 0; j < SIDES * t->points; j++) {
        if (!has_plane(t, j))
            continue;
        int i = j / SIDES;
        plane_contact c = contact_of(t, j, q, mu);
        lane free = lane_load(energy_at(t->free, FREE_ROWS, i, FREE_POINT));
        lane huber = c.cut * c.length * (c.length - half * c.cut * c.length);
        sum = sum + free * fused(c.full - half * c.force, c.force, huber) / c.stiff;
        if (gradient == NULL)
            continue;
        real *row = energy_row(gradient, u, i, 0);
        lane3 pressed = fused3(-free * c.force, c.normal, load3(row));
        store3(row, fused3(-free * c.cut, c.grip, pressed));
    }
    return sum;
}

/* Blocks: kappa n n^T where it presses, less beyond its limit, and of friction kappa (I - n n^T) where it
 * sticks, the part across the slip where it slides. */
static void planes_blocks(const rlti_implicit_tile *t, const real *q, double friction, real *blocks) {
    lane zero = lane_set(0), one = lane_set(1), mu = lane_set((real)friction);
    for (int j = 0; j < SIDES * t->points; j++) {
        if (!has_plane(t, j))
            continue;
        int i = j / SIDES;
        plane_contact c = contact_of(t, j, q, mu);
        real *block = energy_row(blocks, BLOCK_ROWS, i, 0);
        lane free = lane_load(energy_at(t->free, FREE_ROWS, i, FREE_POINT));
        lane stiff = free * c.stiff, press = lane_select(lane_less(zero, c.force), stiff, zero);
        /* Beyond its limit the force is constant. By lumped masses the chord through where it began is taken:
         * with nothing against it, Newton's step would be as long as the force is great. */
        lane chord = zero;
        if (t->lumped)
            chord = press * (c.force / c.full);
        press = lane_select(lane_less(c.force, c.full), chord, press);
        lane grips = lane_select(lane_less(zero, c.bound), stiff * c.cut, zero);
        lane_mask slides = lane_less(c.cut, one);
        lane inverse = lane_select(slides, one / c.length, zero);
        lane3 n = c.normal, along = scale3(inverse, c.grip);
        lane normal = press - grips; /* grips I + (press - grips) n n^T - grips d d^T */
        const lane ns[3] = {n.x, n.y, n.z}, ds[3] = {along.x, along.y, along.z};
        for (int a = 0, at = BLOCK_XX; a < 3; a++)
            for (int b = 0; b <= a; b++, at++) {
                lane entry = fused(normal * ns[a], ns[b], -grips * ds[a] * ds[b]);
                real *to = block + (ptrdiff_t)at * LANES;
                if (a == b)
                    entry = entry + grips;
                lane_store(to, lane_load(to) + entry);
            }
    }
}

/* Twice the energy of the forces at q: what the error of an iterate is compared with. */
static lane planes_press(const rlti_implicit_tile *t, const real *q, double friction) {
    lane sum = lane_set(0), mu = lane_set((real)friction);
    for (int j = 0; j < SIDES * t->points; j++) {
        if (!has_plane(t, j))
            continue;
        int i = j / SIDES;
        plane_contact c = contact_of(t, j, q, mu);
        lane free = lane_load(energy_at(t->free, FREE_ROWS, i, FREE_POINT)), grip = c.cut * c.length;
        sum = sum + free * fused(c.force, c.force, grip * grip) / c.stiff;
    }
    return sum;
}

/* New multipliers for the lanes with 1 in `renews`: those whose forces are right for the old ones. Returns
 * how far off the worst point of each lane is, where 1 is what counts as closed: its gap, and its forces
 * against the old ones. */
static lane renew_planes(rlti_implicit_tile *t, const real *q, double friction, lane renews,
                         lane per_segment) {
    lane zero = lane_set(0), half = lane_set((real)0.5), open = zero, off = zero, strongest = zero;
    lane mu = lane_set((real)friction), one = lane_set(1);
    lane_mask renew = lane_less(half, renews);
    for (int j = 0; j < SIDES * t->points; j++) {
        if (!has_plane(t, j))
            continue;
        int i = j / SIDES;
        real *row = energy_row(t->planes, P_ROWS, j, 0);
        plane_contact c = contact_of(t, j, q, mu);
        lane free = lane_load(energy_at(t->free, FREE_ROWS, i, FREE_POINT)),
             old = lane_load(row + P_FORCE * LANES);
        lane bound = mu * c.force, cut = lane_select(lane_less(bound, c.length), bound / c.length, one);
        lane3 held = load3(row + P_GRIP * LANES), grip = scale3(cut, c.grip), change = sub3(grip, held);
        lane stuck = lane_load(row + P_STUCK * LANES), both = lane_minimum(old, bound);
        lane sticks =
            lane_select(lane_less(bound, c.length), zero, lane_select(lane_less(zero, both), one, zero));
        lane3 excess = sub3(scale3(stuck, c.grip), scale3(stuck, grip));
        lane_mask presses = lane_less(zero, c.force);
        lane gap = lane_select(presses, lane_absolute(c.gap), lane_maximum(-c.gap, zero));
        open = lane_maximum(free * gap, open);
        off = lane_maximum(free * lane_absolute(c.force - old), off);
        off = lane_maximum(free * lane_sqrt(lane_maximum(dot3(change, change), dot3(excess, excess))), off);
        strongest = lane_maximum(free * c.force, strongest);
        lane_store(row + P_FORCE * LANES, lane_select(renew, c.force, old));
        store3(row + P_GRIP * LANES, select3(renew, grip, held));
        lane_store(row + P_STUCK * LANES, lane_select(renew, sticks, stuck));
    }
    open = open * per_segment * lane_set((real)(1.0 / PLANE_CLOSED));
    off = lane_select(lane_less(zero, off), off / (lane_set((real)PLANE_RIGHT) * strongest), zero);
    return lane_maximum(open, off);
}

/* Deepest point below its plane, of a segment. */
static lane planes_depth(const rlti_implicit_tile *t, const real *q, lane per_segment) {
    lane zero = lane_set(0), deepest = zero;
    for (int j = 0; j < SIDES * t->points; j++) {
        if (!has_plane(t, j))
            continue;
        int i = j / SIDES;
        plane_contact c = contact_of(t, j, q, zero);
        lane free = lane_load(energy_at(t->free, FREE_ROWS, i, FREE_POINT));
        deepest = lane_maximum(-free * c.gap * per_segment, deepest);
    }
    return deepest;
}

#endif
