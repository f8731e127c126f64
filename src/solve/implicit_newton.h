/* Newton's iteration in the implicit engine, in lanes: one linear solve, a line search, and the acceptance
 * of a new iterate. Nothing here knows the model.
 *
 * The potential of a configuration is
 *   1/2 sum weight |q - aim|^2 + elastic and viscous energy (the energy's)  +  holds + planes,
 * where weight = m (1/H^2 + drag/H) and aim is where inertia, gravity, pushes and drag would bring the point
 * in the H seconds that are solved for. The first two are evaluated once a configuration, with all that the
 * matrix needs; the last two change with their multipliers and are cheap. */
#ifndef RLTI_SOLVE_IMPLICIT_NEWTON_H
#define RLTI_SOLVE_IMPLICIT_NEWTON_H

#include "solve/implicit_holds.h"
#include "solve/implicit_planes.h"

/* Armijo's condition: a step is taken where the potential falls by this part of what the slope promises;
 * changes below rounding of the potential count as none. */
#define LEAST_FALL 1e-4
#define ROUNDING   1e-12
enum { TRIALS = 10, SHARP_AFTER = 1 };

/* Points whose rows of the matrix are made and factored at a time: they stay in the first-level cache. */
enum { FACTOR_POINTS = 6 };

/* Working memory of a thread, as one tile sees it. */
typedef struct workspace {
    struct workspace_mark {
        const rlti_implicit_tile *tile; /* whose, and which iterate's, the evaluation is */
        uint64_t serial;
    } * mark;
    real *base;           /* [1] potential without holds and planes */
    real *q, *own;        /* trial */
    real *gradient, *all; /* [points][unknowns] without holds and planes; with them */
    real *step;           /* [points][unknowns] */
    real *strains;        /* [points][strains] */
    real *blocks;         /* [points][BLOCK_ROWS] */
    real *free;           /* [points][FREE_ROWS] all 1, for derive */
    real *terms;          /* [-1 .. points][terms] */
    real *matrix, *factor;
} workspace;

/* Shares out the memory; with NULL, only counts bytes. */
static size_t share_scratch(const energy_type *e, int points, void *memory, workspace *w) {
    size_t n = (size_t)points, band = band_reals(points * e->unknowns, e->width) / LANES;
    struct {
        real **array;
        size_t rows;
    } list[] = {{&w->base, 1},
                {&w->q, n * (size_t)e->unknowns},
                {&w->own, n * (size_t)e->own},
                {&w->gradient, n * (size_t)e->unknowns},
                {&w->all, n * (size_t)e->unknowns},
                {&w->step, n * (size_t)e->unknowns},
                {&w->strains, n * (size_t)e->strains},
                {&w->blocks, n * BLOCK_ROWS},
                {&w->free, n * FREE_ROWS},
                {&w->terms, (n + 2) * (size_t)e->terms},
                {&w->matrix, band},
                {&w->factor, band}};
    size_t at = RLTI_CACHE_LINE;
    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
        if (memory != NULL)
            *list[i].array = (real *)(void *)((char *)memory + at);
        at += list[i].rows * LANES * sizeof(real);
    }
    if (memory != NULL) {
        w->mark = memory;
        w->terms += (ptrdiff_t)e->terms * LANES;
    }
    return at;
}

/* Takes the memory for this tile. Returns 1 if it still has the evaluation of the present iterate. */
static int open_workspace(const rlti_implicit_tile *t, void *memory, workspace *w) {
    const energy_type *e = t->energy;
    share_scratch(e, t->points, memory, w);
    int kept = w->mark->tile == t && w->mark->serial == t->serial;
    if (kept)
        return 1;
    const int ends[] = {-1, 0, t->points - 1, t->points}; /* that have no joint */
    for (int k = 0; k < 4; k++)
        memset(energy_row(w->terms, e->terms, ends[k], 0), 0, (size_t)e->terms * LANES * sizeof(real));
    w->mark->tile = NULL;
    return 0;
}

static void keep_workspace(const rlti_implicit_tile *t, workspace *w) {
    w->mark->tile = t;
    w->mark->serial = t->serial;
}

static energy_rows rows_of_tile(const rlti_implicit_tile *t) {
    energy_rows r = {.points = t->points,
                     .constants = t->constants,
                     .free = t->free,
                     .clamp = t->free_root ? NULL : t->clamps[CLAMP_NOW],
                     .before = t->before,
                     .rate = lane_set((real)t->damped) / lane_of(t->solved),
                     .spare = t->middle != 0 ? t->spare : NULL};
    return r;
}

/* Inertia and drag onto the gradient, unless NULL; returns their potential. */
static lane add_inertia(const rlti_implicit_tile *t, const real *q, real *gradient) {
    int u = t->energy->unknowns;
    lane sum = lane_set(0), half = lane_set((real)0.5);
    for (int i = 0; i < t->points; i++) {
        const real *now = energy_at(q, u, i, 0), *aim = energy_at(t->aim, u, i, 0);
        const real *weight = energy_at(t->weight, MASS_ROWS, i, 0);
        for (int c = 0; c < u; c++) {
            ptrdiff_t at = (ptrdiff_t)c * LANES;
            lane w = lane_load(weight + (c < 3 ? MASS_POINT : MASS_OTHER) * LANES);
            lane off = lane_load(now + at) - lane_load(aim + at), force = w * off;
            if (gradient != NULL) {
                real *g = energy_row(gradient, u, i, 0) + at;
                lane_store(g, lane_load(g) + force);
            }
            sum = fused(half * off, force, sum);
        }
    }
    return sum;
}

static lane outside(const rlti_implicit_tile *t, double friction, const real *q, real *gradient) {
    lane sum = planes_potential(t, q, friction, gradient);
    if (t->hold_capacity > 0)
        sum = sum + holds_potential(t, q, gradient);
    return sum;
}

static lane sum_of(const energy_sums *sums) {
    lane elastic = sums->damping;
    for (int k = 0; k < ENERGY_PARTS; k++)
        elastic = elastic + sums->parts[k];
    return elastic;
}

/* The potential of a configuration without holds and planes; leaves gradient and terms. */
static lane evaluate(const rlti_implicit_tile *t, workspace *w, const real *q, const real *own) {
    energy_rows r = rows_of_tile(t);
    energy_sums sums = t->energy->evaluate(&r, q, own, w->terms, w->gradient);
    return sum_of(&sums) + add_inertia(t, q, w->gradient);
}

/* The same potential, and nothing else. */
static lane weigh_strand(const rlti_implicit_tile *t, const real *q, const real *own) {
    energy_rows r = rows_of_tile(t);
    energy_sums sums = t->energy->weigh(&r, q, own, NULL);
    return sum_of(&sums) + add_inertia(t, q, NULL);
}

/* The potential with holds and planes, and nothing else. */
static lane weigh(const rlti_implicit_tile *t, double friction, const real *q, const real *own) {
    return weigh_strand(t, q, own) + outside(t, friction, q, NULL);
}

/* Midpoint: takes the forces' difference from a potential's at the present iterate, and evaluates that. Each
 * renewal leaves a part of the error before that grows with the angle by which edges turn in the step. */
static void lead(const rlti_implicit_tile *t, workspace *w) {
    if (t->middle == 0 || t->energy->lead == NULL)
        return;
    energy_rows r = rows_of_tile(t);
    t->energy->lead(&r, t->start, t->q, t->spare);
    lane_mask euler = lane_less(lane_of_bits(t->middle), lane_set((real)0.5));
    for (int i = 0; i + 1 < t->points; i++) {
        real *row = energy_row(t->spare, 1, i, 0);
        lane_store(row, lane_select(euler, lane_set(0), lane_load(row)));
    }
    lane_store(w->base, evaluate(t, w, t->q, t->own));
}

/* Blocks of all points: masses, planes, holds; 1 for what is not free. */
static void fill_blocks(const rlti_implicit_tile *t, double friction, workspace *w) {
    lane zero = lane_set(0), one = lane_set(1);
    for (int i = 0; i < t->points; i++) {
        const real *weight = energy_at(t->weight, MASS_ROWS, i, 0),
                   *free = energy_at(t->free, FREE_ROWS, i, 0);
        real *block = energy_row(w->blocks, BLOCK_ROWS, i, 0);
        lane point = lane_load(weight) + (one - lane_load(free));
        lane other = lane_load(weight + LANES) + (one - lane_load(free + LANES));
        const lane rows[BLOCK_ROWS] = {point, zero, point, zero, zero, point, other};
        for (int k = 0; k < BLOCK_ROWS; k++)
            lane_store(block + (ptrdiff_t)k * LANES, rows[k]);
    }
    planes_blocks(t, t->q, friction, w->blocks);
    if (t->hold_capacity > 0)
        holds_blocks(t, t->q, w->blocks);
}

/* Lanes with kinematic points beside the root. */
static unsigned pinned_lanes(const rlti_implicit_tile *t) {
    unsigned pinned = 0;
    for (int k = 0; k < LANES && k < t->strands; k++) /* the compiler cannot know */
        pinned |= (unsigned)!t->lanes[k].chain << k;
    return pinned;
}

/* Sums over the strand that decide about a step. */
typedef struct descent {
    lane slope;      /* gradient . step */
    lane correction; /* greatest displacement of a point [unit], or turn [rad] of a segment's length */
    lane shift;      /* of a point alone */
} descent;

/* Lanes that take the second derivatives into their matrix: the first iterations do well without. They may
 * take away from it what masses give: forces that were found by masses would overshoot. */
static unsigned sharp_lanes(const rlti_implicit_tile *t) {
    unsigned sharp = 0;
    int after = t->energy->sharp == ENERGY_SHARP_ALWAYS ? 0 : SHARP_AFTER;
    if (t->energy->sharpen == NULL || t->energy->sharp == ENERGY_SHARP_NEVER ||
        ((t->plain || t->lumped) && after > 0))
        return 0;
    for (int k = 0; k < t->strands; k++)
        if ((t->open >> k & 1u) && t->lanes[k].result.iterations >= after)
            sharp |= 1u << k;
    return sharp;
}

/* Assembles and factors the matrix some points at a time, in place, while its rows are in the cache. A
 * point's rows are complete when the joint behind it is added. Returns the bits of lanes that failed. */
INLINE unsigned factor_at_once(const rlti_implicit_tile *t, workspace *w, unsigned sharp, int width) {
    const energy_type *e = t->energy;
    energy_rows r = rows_of_tile(t);
    lane good = lane_set(1), share = lane_of_bits(sharp);
    for (int first = 0, joint = 0, row = 0; first < t->points; first += FACTOR_POINTS) {
        int end = first + FACTOR_POINTS, last = end >= t->points;
        energy_range points = {first, last ? t->points : end}, joints = {joint, points.end - !last};
        e->assemble(&r, w->terms, w->blocks, points, w->factor);
        if (sharp != 0)
            e->sharpen(&r, t->q, t->own, share, joints, w->factor);
        int done = (last ? t->points : joints.end - e->reach) * e->unknowns;
        good = band_factor_rows(w->factor, w->factor, row, done, width, good);
        joint = joints.end;
        row = done;
    }
    return band_bad_lanes(good);
}

INLINE void factor_width(const rlti_implicit_tile *t, workspace *w, int width, band_report *report) {
    const energy_type *e = t->energy;
    energy_rows r = rows_of_tile(t);
    energy_range all = {0, t->points};
    unsigned sharp = sharp_lanes(t), bad;
    while (((bad = factor_at_once(t, w, sharp, width)) & sharp) != 0 && e->sharp != ENERGY_SHARP_ALWAYS)
        sharp &= ~bad;
    memset(report, 0, sizeof(*report));
    if (bad == 0)
        return;
    e->assemble(&r, w->terms, w->blocks, all, w->matrix);
    if (sharp != 0)
        e->sharpen(&r, t->q, t->own, lane_of_bits(sharp), all, w->matrix);
    band_factor(w->matrix, w->factor, t->points * e->unknowns, width, report);
}

/* Factors the matrix of each lane: with the second derivatives where it takes them and they leave it
 * positive (near a minimum they do), else Gauss-Newton's. Written out for the width that is in use. */
static void factor(const rlti_implicit_tile *t, workspace *w, band_report *report) {
    if (t->energy->width == 10)
        factor_width(t, w, 10, report);
    else
        factor_width(t, w, BAND_WIDTH_MAXIMUM, report);
}

/* The displacement that counts: of a point, or of the turn of its edge at a segment's distance. */
INLINE lane correction_of(lane square, lane turn, lane segment) {
    return lane_maximum(lane_sqrt(square), turn * segment);
}

/* step := -A^-1 gradient. */
static descent solve(const rlti_implicit_tile *t, workspace *w, lane segment) {
    int u = t->energy->unknowns, rows = t->points * u;
    lane zero = lane_set(0), square = zero, turn = zero;
    descent d = {zero, zero, zero};
    for (int i = 0; i < rows; i++)
        lane_store(w->step + (ptrdiff_t)i * LANES, -lane_load(w->all + (ptrdiff_t)i * LANES));
    if (t->energy->width == 10)
        band_solve(w->factor, w->step, rows, 10);
    else
        band_solve(w->factor, w->step, rows, BAND_WIDTH_MAXIMUM);
    for (int i = 0; i < rows; i++)
        d.slope = fused(lane_load(w->step + (ptrdiff_t)i * LANES), lane_load(w->all + (ptrdiff_t)i * LANES),
                        d.slope);
    for (int i = 0; i < t->points; i++) {
        lane3 by = load3(energy_at(w->step, u, i, 0));
        square = lane_maximum(dot3(by, by), square);
        if (u > 3)
            turn = lane_maximum(lane_absolute(lane_load(energy_at(w->step, u, i, 3))), turn);
    }
    d.shift = lane_sqrt(square);
    d.correction = correction_of(square, turn, segment);
    return d;
}

/* Work of the forces of contacts from the iterate to a trial, which is `share` of the step away. Edges turn
 * on the way there, so it is not a share of the work along the straight step: where two hairs press from both
 * sides the difference is more than what Newton's step gains, and the search would hardly move the strand.
 * Of hair that is held it is taken as a share all the same: between plates that leave no place it is
 * stretched less for that. By lumped masses the lesser of both: a step many times as long as what the edges'
 * turning lets points go would pay for itself. */
static lane work_of_forces(const rlti_implicit_tile *t, const real *step, lane share, const real *q) {
    int u = t->energy->unknowns;
    lane work = lane_set(0), straight = work;
    for (int i = 0; i < t->points; i++) {
        lane3 force = load3(energy_at(t->forces, 3, i, 0)), by = load3(energy_at(step, u, i, 0));
        straight = straight + dot3(force, by);
        by = sub3(load3(energy_at(q, u, i, 0)), load3(energy_at(t->q, u, i, 0)));
        work = work + dot3(force, by);
    }
    if (t->free_root)
        return work;
    if (t->lumped)
        return lane_minimum(work, share * straight);
    return share * straight;
}

/* Takes shares of the step, lane by lane, until the potential falls: the trial is then in the workspace.
 * Lanes with 0 in `open` stay. `pushed`: forces of contacts count, and the trial is only weighed, as other
 * tiles come before this one's next iteration; else it is evaluated. Returns the shares, 0 where
 * none was found, and the potential. */
static lane search(const rlti_implicit_tile *t, const rlti_implicit_step *step, workspace *w, lane before,
                   lane slope, int pushed, lane open, lane *after) {
    lane zero = lane_set(0), one = lane_set(1), share = open,
         slack = fused(lane_set((real)ROUNDING), lane_absolute(before), lane_set((real)1e-300));
    energy_rows r = rows_of_tile(t);
    /* forces of planes are far from linear: full steps would jump across them */
    lane full = lane_of_bits(t->energy->approximate ? ~0u : step->plain ? ~planes_lanes(t) : 0u);
    for (int trial = 0;; trial++) {
        energy_step by = {share, w->step, !step->straight, pinned_lanes(t), 0};
        t->energy->move(&r, &by, t->q, t->own, w->q, w->own);
        lane base = pushed ? weigh_strand(t, w->q, w->own) : evaluate(t, w, w->q, w->own);
        *after = base + outside(t, step->friction, w->q, NULL);
        if (pushed)
            *after = *after - work_of_forces(t, w->step, share, w->q);
        lane_store(w->base, base);
        lane limit = fused(lane_set((real)LEAST_FALL) * share, slope, before + slack);
        limit = lane_select(lane_less(zero, full), lane_set((real)INFINITY), limit);
        /* 1 where the step is too long: also where the potential is not a number */
        lane bad = lane_select(lane_less(*after, limit), zero, one);
        bad = lane_select(lane_less(zero, share), bad, zero);
        if (!lane_any(lane_less(zero, bad)))
            return share;
        /* the minimum of the parabola through what is known, within limits */
        lane bow = *after - before - share * slope;
        lane best = lane_set((real)-0.5) * slope * share / bow;
        best = lane_maximum(lane_minimum(best, lane_set((real)0.5)), lane_set((real)0.1)); /* NaN: 0.1 */
        if (trial + 1 == TRIALS)
            best = zero;
        share = lane_select(lane_less(zero, bad), share * best, share);
    }
}

/* The trial becomes the iterate. */
static void accept(rlti_implicit_tile *t, workspace *w) {
    size_t n = (size_t)t->points * LANES * sizeof(real);
    memcpy(t->q, w->q, n * (size_t)t->energy->unknowns);
    memcpy(t->own, w->own, n * (size_t)t->energy->own);
    t->serial++;
    keep_workspace(t, w);
}

/* Notes what became of the lanes that iterate, and closes those that are done. Of free hair the correction of
 * points is noted: where it is straight nothing resists its spin about itself, which nobody sees. */
static void judge(rlti_implicit_tile *t, const rlti_implicit_step *step, const band_report *report,
                  lane share, const descent *d, lane off) {
    real shares[LANES], corrections[LANES], shifts[LANES], slopes[LANES], offs[LANES];
    lane_out(share, shares);
    lane_out(d->correction, corrections);
    lane_out(t->free_root ? d->shift : d->correction, shifts);
    lane_out(d->slope, slopes);
    lane_out(off, offs);
    for (int k = 0; k < t->strands; k++) {
        rlti_implicit_result *r = &t->lanes[k].result;
        if (!(t->open >> k & 1u))
            continue;
        r->iterations++;
        r->repaired += (int)(report->repaired >> k & 1u);
        r->correction = (double)shifts[k] / t->lanes[k].segment;
        r->failed = (int)(report->failed >> k & 1u) || !(fabs((double)slopes[k]) < HUGE_VAL);
        int small = step->tolerance > 0.0 && (double)corrections[k] / t->lanes[k].segment <= step->tolerance;
        int closed = (double)offs[k] <= 1.0;
        r->converged = !r->failed && small && closed; /* by the whole correction, however much was taken */
        int done =
            r->failed || r->converged || r->iterations >= step->iterations || (shares[k] <= 0 && closed);
        int pauses = ++t->lanes[k].since == step->pause && !done;
        t->open &= ~((unsigned)(done || pauses) << k);
        t->paused |= (unsigned)pauses << k;
    }
}

static lane segments_of(const rlti_implicit_tile *t) {
    real segments[LANES];
    for (int k = 0; k < LANES; k++)
        segments[k] = (real)(k < t->strands ? t->lanes[k].segment : 1.0);
    return lane_of(segments);
}

/* Newton's step from the iterate, whose evaluation the workspace has; `before` is its potential. */
static descent propose(const rlti_implicit_tile *t, double friction, workspace *w, lane segment,
                       band_report *report, lane *before) {
    size_t rows = (size_t)t->points * (size_t)t->energy->unknowns;
    memcpy(w->all, w->gradient, rows * LANES * sizeof(real));
    *before = lane_load(w->base) + outside(t, friction, t->q, w->all);
    fill_blocks(t, friction, w);
    factor(t, w, report);
    return solve(t, w, segment);
}

/* Takes the proposed step, or a share of it, in all lanes that are open, and judges it. */
static void take(rlti_implicit_tile *t, const rlti_implicit_step *step, workspace *w,
                 const band_report *report, const descent *d, lane before, int pushed) {
    lane segment = segments_of(t), open = lane_of_bits(t->open), zero = lane_set(0);
    unsigned good = ~report->failed & lane_bits(lane_less(lane_absolute(d->slope), lane_set((real)INFINITY)));
    lane after, first = open * lane_of_bits(t->open & good);
    if (step->limit > 0.0) {
        lane most = lane_set((real)step->limit) * segment;
        first = first * lane_select(lane_less(most, d->correction), most / d->correction, lane_set(1));
    }
    lane share = search(t, step, w, before, d->slope, pushed, first, &after);
    accept(t, w);
    if (pushed)
        w->mark->tile = NULL; /* it was only weighed */
    lane one = lane_set(1), settled = lane_select(lane_less(share, one), zero, open), off = zero;
    if (t->planes != NULL) {
        /* The error before the step, or how much the step's promise of -slope / 2 was off: the lesser bounds
         * the error now. */
        lane press = planes_press(t, t->q, step->friction), half = lane_set((real)0.5);
        lane error = lane_minimum(-d->slope, lane_absolute(fused(half, d->slope, before - after)));
        settled = lane_select(lane_less(lane_set((real)PLANE_SETTLED) * press, error), zero, settled);
        off = renew_planes(t, t->q, step->friction, settled, one / segment);
        lane unsettled = lane_select(lane_less(zero, settled), zero, lane_set(2));
        off = lane_select(lane_less(zero, press), lane_maximum(off, unsettled), off);
    }
    judge(t, step, report, lane_select(lane_less(zero, open), share, zero), d, off);
}

/* One iteration of all lanes that are open. */
static void iterate_once(rlti_implicit_tile *t, const rlti_implicit_step *step, workspace *w) {
    lane before;
    band_report report;
    lead(t, w);
    descent d = propose(t, step->friction, w, segments_of(t), &report, &before);
    take(t, step, w, &report, &d, before, 0);
}

#endif
