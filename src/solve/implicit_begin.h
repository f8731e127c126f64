/* Start of a step in the implicit engine: kinematic points, aims, and the first iterate. */
#ifndef RLTI_SOLVE_IMPLICIT_BEGIN_H
#define RLTI_SOLVE_IMPLICIT_BEGIN_H

#include "solve/implicit_newton.h"

/* The middle of the step is between start and end. */
static rlti_vec3 at_time(const rlti_implicit_tile *t, int k, rlti_vec3 start, rlti_vec3 end) {
    return t->middle >> k & 1u ? rlti_scale(0.5, rlti_add(start, end)) : end;
}

/* The greatest angle by which an edge of a lane would turn in the step, by the velocities it starts with, to
 * first order [rad]. */
static double turn_ahead(const rlti_implicit_tile *t, const rlti_implicit_step *step, int k) {
    const implicit_lane *l = &t->lanes[k];
    int u = t->energy->unknowns;
    double greatest = 0.0;
    rlti_vec3 x = get3(t->q0, u, 0, k), v = get3(t->v, u, 0, k);
    if (!t->free_root && l->root_given)
        v = rlti_scale(1.0 / step->seconds, rlti_sub(get3(t->root, 3, 0, k), x));
    for (int i = 1; i < l->points; i++) {
        rlti_vec3 next = get3(t->q0, u, i, k), faster = get3(t->v, u, i, k), e = rlti_sub(next, x);
        double rest = (double)*row_of(t->constants, t->energy->constant_rows, i - 1, t->energy->length, k);
        double square = fmax(rlti_dot(e, e), rest * rest);
        double turn = step->seconds * rlti_length(rlti_cross(e, rlti_sub(faster, v))) / square;
        greatest = fmax(greatest, turn);
        x = next;
        v = faster;
    }
    return greatest;
}

/* Which lanes take the step by midpoint: those whose edges turn little in it (docs/design/rod.md). Others
 * take it by Euler, whose energy never grows. A lane decides by its own motion alone. */
static void choose_integration(rlti_implicit_tile *t, const rlti_implicit_step *step) {
    t->middle = 0;
    for (int k = 0; k < LANES; k++) {
        if (step->midpoint && k < t->strands && turn_ahead(t, step, k) < RLTI_IMPLICIT_TURN)
            t->middle |= 1u << k;
        double solved = t->middle >> k & 1u ? 0.5 * step->seconds : step->seconds;
        t->solved[k] = (real)solved;
        t->elapsed[k] = (real)(solved - step->posed * step->seconds);
    }
}

/* Unknowns that no hold has are free, but for the root's and pinned directors; points stay in their place. */
static void free_points(rlti_implicit_tile *t) {
    lane zero = lane_set(0), one = lane_set(1);
    real counts[LANES];
    for (int k = 0; k < LANES; k++)
        counts[k] = (real)t->lanes[k].points;
    for (int i = 0; i < t->points; i++) {
        real *free = energy_row(t->free, FREE_ROWS, i, 0);
        lane3 pin = t->pins != NULL ? load3(energy_at(t->pins, 3, i, 0)) : zero3();
        lane point = lane_select(lane_less(lane_set((real)i), lane_of(counts)), one, zero);
        lane turn = lane_select(lane_less(lane_set((real)(i + 1)), lane_of(counts)), one, zero);
        lane_store(free + FREE_POINT * LANES, i == 0 && !t->free_root ? zero : point);
        lane_store(free + FREE_OTHER * LANES, lane_select(lane_less(zero, dot3(pin, pin)), zero, turn));
        if (i == 0 || t->hold_capacity > 0)
            store3(energy_row(t->place, 3, i, 0), load3(energy_at(t->q0, t->energy->unknowns, i, 0)));
    }
}

/* Which more unknowns of a lane are kinematic, and where its points come to. */
static void pin_lane(rlti_implicit_tile *t, int k) {
    implicit_lane *l = &t->lanes[k];
    int u = t->energy->unknowns, rooted = !t->free_root;
    l->chain = 1;
    if (aim_holds(t, k))
        for (int j = 0; j < l->hold_count; j++) {
            const implicit_hold *h = holds_of(t, k) + j;
            if (!is_pin(&h->given) || (rooted && h->given.point == 0))
                continue;
            *row_of(t->free, FREE_ROWS, h->given.point, FREE_POINT, k) = 0;
            l->chain = 0;
        }
    if (!rooted)
        return;
    if (!l->root_given)
        set_root(t, k, get3(t->q0, u, 0, k), get3(t->clamps[CLAMP_START], CLAMP_ROWS, 0, k),
                 get3(t->clamps[CLAMP_START] + CLAMP_DIRECTOR * LANES, CLAMP_ROWS, 0, k));
    put3(t->place, 3, 0, k,
         at_time(t, k, get3(t->q0, u, 0, k), get3(t->root, 3, 0, k))); /* before any hold */
    rlti_vec3 frame[2];
    for (int c = 0; c < 2; c++) {
        ptrdiff_t at = (ptrdiff_t)c * CLAMP_DIRECTOR * LANES;
        rlti_vec3 end = get3(t->clamps[CLAMP_END] + at, CLAMP_ROWS, 0, k);
        frame[c] = at_time(t, k, get3(t->clamps[CLAMP_START] + at, CLAMP_ROWS, 0, k), end);
        if (rlti_dot(frame[c], frame[c]) < 0.01) /* turned by almost half a turn: no middle */
            frame[c] = end;
    }
    square_clamp(t, k, CLAMP_NOW, frame[0], frame[1]);
}

/* The place of a point that is kinematic: without holds all but the root stay. */
INLINE lane3 place_at(const rlti_implicit_tile *t, int i) {
    return load3(i == 0 || t->hold_capacity > 0 ? energy_at(t->place, 3, i, 0)
                                                : energy_at(t->q0, t->energy->unknowns, i, 0));
}

/* The force on a point besides all others. */
INLINE lane3 load_at(const rlti_implicit_tile *t, int i) {
    return t->load != NULL ? load3(energy_at(t->load, 3, i, 0)) : zero3();
}

/* Aims and weights: 1/2 m/H^2 |x - y|^2 + 1/2 m d/H |x - x0 - H air|^2 in one square. And the displacement
 * from the start for the first iterate: to the aim, or where velocities lead; or to the place of what is
 * kinematic. */
static void aim(rlti_implicit_tile *t, const rlti_implicit_step *step, real *by) {
    int u = t->energy->unknowns;
    lane h = lane_of(t->solved), square = h * h, one = lane_set(1), zero = lane_set(0);
    lane3 gravity = {lane_set((real)step->gravity[0]), lane_set((real)step->gravity[1]),
                     lane_set((real)step->gravity[2])};
    for (int i = 0; i < t->points; i++) {
        const real *free = energy_at(t->free, FREE_ROWS, i, 0), *mass = energy_at(t->mass, MASS_ROWS, i, 0);
        real *weight = energy_row(t->weight, MASS_ROWS, i, 0), *to = energy_row(t->aim, u, i, 0);
        lane m = lane_load(mass), other = lane_load(mass + LANES),
             drag = lane_load(energy_at(t->drag, 1, i, 0));
        lane3 x = load3(energy_at(t->q0, u, i, 0)), v = load3(energy_at(t->v, u, i, 0));
        lane_mask heavy = lane_less(zero, m), fixed = lane_less(lane_load(free), lane_set((real)0.5));
        lane per_mass = lane_select(heavy, one / m, zero);
        lane3 a = fused3(per_mass, load_at(t, i), add3(gravity, load3(energy_at(t->push, 3, i, 0))));
        a = fused3(drag, load3(energy_at(t->air, 3, i, 0)), a);
        lane damped = fused(h, drag, one);
        lane3 move = scale3(one / damped, fused3(square, a, scale3(h, v)));
        move = select3(fixed, sub3(place_at(t, i), x), move);
        store3(to, add3(x, move));
        if (step->weightless)
            move = select3(fixed, move, scale3(h, v));
        store3(energy_row(by, u, i, 0), move);
        lane_store(weight, lane_load(free) * m * damped / square);
        lane_store(weight + LANES, lane_load(free + LANES) * other / square);
        if (u > 3) {
            lane turn = lane_load(free + LANES) * h * lane_load(energy_at(t->v, u, i, 3));
            lane_store(to + (ptrdiff_t)3 * LANES, turn);
            lane_store(energy_row(by, u, i, 3), turn);
        }
    }
}

/* The directors of kinematic edges at the time that is solved for. */
static void aim_pins(const rlti_implicit_tile *t, real *pins) {
    for (int i = 0; i < t->points; i++)
        for (int k = 0; k < LANES; k++) {
            rlti_vec3 pin = get3(t->pins, 3, i, k), now = get_director(t, i, k);
            rlti_vec3 mean = at_time(t, k, now, pin);
            if (rlti_dot(pin, pin) > 0.0)
                pin = rlti_normalize(rlti_dot(mean, mean) > 0.01 ? mean : pin);
            put3(pins, 3, i, k, pin);
        }
}

/* The rotation that takes the clamp from the start to where it is now, and the root with it. */
static energy_turn root_turn(const rlti_implicit_tile *t) {
    energy_turn turn = {.from = load3(t->q0), .to = load3(t->q0)};
    lane one = lane_set(1), zero = lane_set(0);
    for (int r = 0; r < 3; r++)
        turn.rows[r] = (lane3){r == 0 ? one : zero, r == 1 ? one : zero, r == 2 ? one : zero};
    if (t->free_root)
        return turn;
    lane3 t0 = load3(t->clamps[CLAMP_START]), d0 = load3(t->clamps[CLAMP_START] + CLAMP_DIRECTOR * LANES);
    lane3 t1 = load3(t->clamps[CLAMP_NOW]), d1 = load3(t->clamps[CLAMP_NOW] + CLAMP_DIRECTOR * LANES);
    lane3 c0 = cross3(t0, d0), c1 = cross3(t1, d1);
    /* columns t1, d1, c1 times rows t0, d0, c0 */
    const lane t1s[3] = {t1.x, t1.y, t1.z}, d1s[3] = {d1.x, d1.y, d1.z}, c1s[3] = {c1.x, c1.y, c1.z};
    for (int r = 0; r < 3; r++)
        turn.rows[r] = fused3(t1s[r], t0, fused3(d1s[r], d0, scale3(c1s[r], c0)));
    turn.to = load3(t->place);
    return turn;
}

/* Kinematic points exactly where they belong. */
static void put_places(const rlti_implicit_tile *t, real *q) {
    for (int i = 0; i < t->points; i++) {
        real *row = energy_row(q, t->energy->unknowns, i, 0);
        lane free = lane_load(energy_at(t->free, FREE_ROWS, i, FREE_POINT));
        lane_mask fixed = lane_less(free, lane_set((real)0.5));
        store3(row, select3(fixed, place_at(t, i), load3(row)));
    }
}

/* Rows of the lanes with 1 in `which` are copied. */
static void copy_lanes(real *to, const real *from, size_t rows, lane which) {
    lane_mask yes = lane_less(lane_set((real)0.5), which);
    for (size_t i = 0; i < rows; i++)
        lane_store(to + i * LANES, lane_select(yes, lane_load(from + i * LANES), lane_load(to + i * LANES)));
}

/* The first iterate is the better of two: the strand carried along by its root as one piece, or every edge
 * turned to where inertia would have it, with its length. Without this, a root that moves far in one step
 * would stretch the first edges many times over, and Newton would spend its iterations on that. */
static void choose_start(rlti_implicit_tile *t, const rlti_implicit_step *step, workspace *w) {
    const energy_type *e = t->energy;
    size_t n = (size_t)t->points;
    real chains[LANES];
    for (int k = 0; k < LANES; k++)
        chains[k] = (real)t->lanes[k].chain;
    real *pins = w->all; /* unused until the first iteration */
    energy_rows r = rows_of_tile(t);
    lane one = lane_set(1), zero = lane_set(0);
    if (t->pinned)
        aim_pins(t, pins);
    energy_turn turn = root_turn(t);
    e->turn(&r, &turn, t->q, t->own, w->q, w->own);
    put_places(t, w->q);
    if (t->pinned)
        e->pin(&r, pins, w->own);
    lane carried = weigh(t, step->friction, w->q, w->own);
    /* the iterate becomes the other one, and then the better */
    real *kept_q = w->matrix, *kept_own = w->factor;
    memcpy(kept_q, w->q, n * (size_t)e->unknowns * LANES * sizeof(real));
    memcpy(kept_own, w->own, n * (size_t)e->own * LANES * sizeof(real));
    energy_step by = {one, w->step, 1, pinned_lanes(t), 1};
    e->move(&r, &by, t->q, t->own, w->q, w->own);
    put_places(t, w->q);
    if (t->pinned)
        e->pin(&r, pins, w->own);
    lane moved = weigh(t, step->friction, w->q, w->own);
    lane better = lane_select(lane_less(carried, moved), lane_of(chains), zero);
    if (lane_any(lane_less(zero, better))) {
        copy_lanes(w->q, kept_q, n * (size_t)e->unknowns, better);
        copy_lanes(w->own, kept_own, n * (size_t)e->own, better);
    }
    lane_store(w->base, evaluate(t, w, w->q, w->own));
    accept(t, w);
}

/* Forces by which planes would keep points at rest: elastic ones against all that is given. None without
 * friction: multipliers begin at 0 then. */
static void find_reactions(const rlti_implicit_tile *t, const rlti_implicit_step *step, workspace *w) {
    int u = t->energy->unknowns;
    if (t->planes == NULL || !(step->friction > 0.0))
        return;
    energy_rows r = rows_of_tile(t);
    r.rate = lane_set(0);
    r.spare = NULL;
    r.clamp = t->free_root ? NULL : t->clamps[CLAMP_START];
    t->energy->evaluate(&r, t->q, t->own, w->terms, w->gradient);
    lane3 gravity = {lane_set((real)step->gravity[0]), lane_set((real)step->gravity[1]),
                     lane_set((real)step->gravity[2])};
    for (int i = 0; i < t->points; i++) {
        lane mass = lane_load(energy_at(t->mass, MASS_ROWS, i, MASS_POINT)),
             drag = lane_load(energy_at(t->drag, 1, i, 0));
        lane3 air = sub3(load3(energy_at(t->air, 3, i, 0)), load3(energy_at(t->v, u, i, 0)));
        lane3 pull = fused3(drag, air, add3(gravity, load3(energy_at(t->push, 3, i, 0))));
        pull = fused3(mass, pull, load_at(t, i));
        store3(energy_row(t->reaction, 3, i, 0), sub3(load3(energy_at(w->gradient, u, i, 0)), pull));
    }
}

static void begin(rlti_implicit_tile *t, const rlti_implicit_step *step, void *scratch) {
    workspace w;
    const energy_type *e = t->energy;
    size_t n = (size_t)t->points * LANES * sizeof(real);
    t->serial++;
    open_workspace(t, scratch, &w);
    choose_integration(t, step);
    t->open = 0;
    t->renewed = 0;
    t->paused = 0;
    t->friction = step->friction;
    t->plain = step->plain;
    t->lumped = step->lumped;
    know_clamps(t);
    free_points(t);
    for (int k = 0; k < LANES; k++) {
        t->lanes[k].result = (rlti_implicit_result){.fast = step->midpoint && !(t->middle >> k & 1u)};
        t->lanes[k].since = 0;
        pin_lane(t, k);
        if (k < t->strands && step->iterations > 0)
            t->open |= 1u << k;
    }
    if (t->spare != NULL)
        memset(t->spare, 0, n);
    memcpy(t->q, t->q0, n * (size_t)e->unknowns);
    memcpy(t->own, t->own0, n * (size_t)e->own);
    energy_rows r = rows_of_tile(t);
    e->start(&r, t->q, t->own);
    if (t->damped) {
        r.rate = lane_set(0);
        r.spare = NULL;
        r.clamp = t->free_root ? NULL : t->clamps[CLAMP_START];
        e->weigh(&r, t->q, t->own, t->before);
    }
    aim(t, step, w.step);
    find_reactions(t, step, &w);
    begin_planes(t);
    choose_start(t, step, &w);
}

#endif
