/* Newton in the Rod solver: tiles, and strands that take long.
 *
 * A tile iterates until few of its strands are left. These are gathered, with those of the worker's other
 * tiles, into one tile that is iterated whenever it is full; their tile waits until the last of them is back,
 * is asked for new planes as it would have been at once, and ends its step. Which strands meet depends on
 * threads and on the width; what becomes of a strand does not. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "solve/rod_solver_data.h"
#include "scene/readers.h"

/* Open lanes, of all, at which a tile gives them away; and at which the gathered ones wait for more. */
#define ROD_FEW  0.38
#define ROD_LEFT 0.75

static int count_bits(unsigned bits) {
    int count = 0;
    for (; bits != 0; bits &= bits - 1)
        count++;
    return count;
}

/* ---- planes ---- */

/* Planes that led Newton astray are forgotten once in a step; sides of a crease that are met again stay.
 * 1: some strand must be computed again. Strands whose planes did not change stand still, so they need not be
 * asked for any more; others are, a few times, and whenever Newton has paused. The search counts as that, not
 * as Newton. */
static int find_planes(rod_solver *s, rod_job *job, int worker, double seconds) {
    const double deep = 2e-3; /* of a segment */
    const int rounds = 5;
    rlti_laps *laps = rlti_drive_laps(s->drive, worker);
    double clock = rlti_seconds(CLOCK_MONOTONIC), spent = 0.0;
    unsigned paused = s->engine->take_paused(s->tiles[job->tile]);
    job->changed = 0;
    for (int lane = 0; lane < rlti_layout_size(&s->layout, job->tile); lane++) {
        int strand = rlti_layout_strand(&s->layout, job->tile, lane);
        int anew = job->round == 0 || (paused >> lane & 1u);
        if (!(job->asks >> lane & 1u) || (!anew && job->rounds[lane] >= rounds))
            continue;
        double depth = anew ? -1.0 : deep * s->model->strands[strand].segment;
        int forget = anew && !(job->forgot >> lane & 1u);
        int set = rlti_rod_solver_meet(s, job, lane, worker, seconds, depth, forget);
        job->forgot |= paused & 1u << lane;
        job->changed |= (unsigned)set << lane;
        job->rounds[lane] = (unsigned char)(job->rounds[lane] + (set && !(paused >> lane & 1u)));
    }
    job->asks = job->changed;
    rlti_lap(&clock, &spent);
    laps->collide += spent;
    laps->step -= spent;
    return job->changed != 0;
}

static int seeks_planes(const rod_solver *s, int tile) {
    return rod_has_planes(s, tile) && s->now.ahead;
}

/* Planes at the first iterate, and again where Newton has come to. 0: nothing is left to do. */
int rlti_rod_solver_next_round(rod_solver *s, rod_job *job, int worker, const rlti_implicit_step *step) {
    if (seeks_planes(s, job->tile) ? !find_planes(s, job, worker, rlti_rod_solver_until(s, job->tile, step))
                                   : job->round > 0)
        return 0;
    job->round++;
    return 1;
}

/* ---- the end ---- */

static void count_results(rod_solver *s, int tile, const rlti_implicit_result *results,
                          const double *others) {
    for (int lane = 0; lane < rlti_layout_size(&s->layout, tile); lane++) {
        const rlti_implicit_result *r = &results[lane];
        int strand = rlti_layout_strand(&s->layout, tile, lane);
        double other = others != NULL ? others[lane] / s->model->strands[strand].segment : 0.0;
        rod_tally *t = &s->tallies[strand];
        t->steps++;
        t->iterations += r->iterations;
        t->repaired += r->repaired;
        t->failed += r->failed;
        t->fast += r->fast;
        if (r->converged && other == 0.0)
            continue;
        int fixed = rlti_hair_counts_iterations(rod_hair(s, tile));
        double correction = fixed && !r->failed ? 0.0 : r->correction;
        double off = correction > r->depth ? correction : r->depth;
        if (fixed && !r->failed && !(off > ROD_OFF_FIXED) && other == 0.0)
            continue;
        t->unconverged++;
        off = other > off ? other : off;
        off = isfinite(off) ? fmax(off, DBL_MIN) : HUGE_VAL; /* never 0, so that there is a worst one */
        t->correction = off > t->correction ? off : t->correction;
        t->off += r->failed || off > (rlti_rod_solver_touches(s, tile) ? ROD_OFF_MEETING : ROD_OFF);
    }
}

void rlti_rod_solver_end(rod_solver *s, rod_job *job, int worker, const rlti_implicit_step *step,
                         const double *off) {
    rlti_implicit_result results[RLTI_BLOCK_STRANDS];
    for (int lane = 0; seeks_planes(s, job->tile) && lane < rlti_layout_size(&s->layout, job->tile); lane++) {
        rod_tally *t = &s->tallies[rlti_layout_strand(&s->layout, job->tile, lane)];
        t->pinched = fmax(t->pinched, rlti_rod_solver_pinched(s, job, lane, worker));
    }
    s->engine->finish(s->tiles[job->tile], step, rod_scratch(s, worker), results);
    count_results(s, job->tile, results, off);
    job->tile = -1;
}

/* ---- strands that take long ---- */

/* Iterates the gathered strands until at most so many are open; the others return to their tiles. */
static void iterate_gathered(rod_solver *s, int worker, int left) {
    rod_work *w = &s->work[worker];
    rlti_implicit_step step = rlti_rod_solver_how(s, &s->def.scene->hair[w->hair]);
    unsigned open;
    do
        open = s->engine->iterate(w->gathered, &step, rod_scratch(s, worker));
    while (count_bits(open) > left);
    for (int k = 0; k < s->engine->lanes; k++) {
        rod_seat *seat = &w->seats[k];
        if (seat->job < 0 || (open >> k & 1u))
            continue;
        rod_job *job = &w->jobs[seat->job];
        s->engine->scatter(w->gathered, k, s->tiles[job->tile], seat->lane);
        job->waits &= ~(1u << seat->lane);
        seat->job = -1;
    }
}

/* The first seat of those that are taken, or of those that are not; -1: none. */
static int find_seat(const rod_solver *s, const rod_work *w, int taken) {
    for (int k = 0; k < s->engine->lanes; k++)
        if ((w->seats[k].job >= 0) == taken)
            return k;
    return -1;
}

/* 0: the lane's kind does not fit. */
static int gather(rod_solver *s, int job, int lane, int worker) {
    rod_work *w = &s->work[worker];
    int tile = w->jobs[job].tile, hair = s->def.strands->hair[rlti_layout_strand(&s->layout, tile, 0)];
    if (find_seat(s, w, 1) >= 0 && w->hair != hair)
        iterate_gathered(s, worker, 0);
    if (find_seat(s, w, 0) < 0)
        iterate_gathered(s, worker, (int)(ROD_LEFT * s->engine->lanes));
    int seat = find_seat(s, w, 0), done = s->engine->gather(w->gathered, seat, s->tiles[tile], lane);
    if (!done && find_seat(s, w, 1) >= 0) { /* too long or too short for what is there */
        iterate_gathered(s, worker, 0);
        seat = find_seat(s, w, 0);
        done = s->engine->gather(w->gathered, seat, s->tiles[tile], lane);
    }
    if (!done)
        return 0;
    w->hair = hair;
    w->moved++;
    w->seats[seat] = (rod_seat){job, lane};
    w->jobs[job].waits |= 1u << lane;
    return 1;
}

/* Iterates a tile until all of its strands have converged or are gathered. */
static void iterate_job(rod_solver *s, int job, int worker, const rlti_implicit_step *step, int gathers) {
    rlti_implicit_tile *tile = s->tiles[s->work[worker].jobs[job].tile];
    int few = gathers ? (int)fmax(ROD_FEW * s->engine->lanes, 1.0) : 0;
    unsigned open;
    do
        open = s->engine->iterate(tile, step, rod_scratch(s, worker));
    while (count_bits(open) > few);
    for (int lane = 0; lane < s->engine->lanes; lane++)
        if ((open >> lane & 1u) && gather(s, job, lane, worker))
            open &= ~(1u << lane);
    while (open != 0)
        open = s->engine->iterate(tile, step, rod_scratch(s, worker));
}

/* ---- tiles ---- */

static void continue_job(rod_solver *s, int index, int worker, const rlti_implicit_step *step, int gathers) {
    rod_job *job = &s->work[worker].jobs[index];
    do {
        if (!rlti_rod_solver_next_round(s, job, worker, step)) {
            rlti_rod_solver_end(s, job, worker, step, NULL);
            return;
        }
        iterate_job(s, index, worker, step, gathers);
    } while (job->waits == 0);
}

/* Tiles whose strands are back. */
static void continue_jobs(rod_solver *s, int worker, int gathers) {
    rod_work *w = &s->work[worker];
    for (int k = 0; k <= s->engine->lanes; k++) {
        if (w->jobs[k].tile < 0 || w->jobs[k].waits != 0)
            continue;
        rlti_implicit_step step = rlti_rod_solver_how(s, rod_hair(s, w->jobs[k].tile));
        continue_job(s, k, worker, &step, gathers);
        k = -1; /* others may have become ready */
    }
}

void rlti_rod_solver_begin(rod_solver *s, rod_job *job, int tile, int worker,
                           const rlti_implicit_step *step) {
    *job = (rod_job){.tile = tile, .lanes = ~0u, .asks = ~0u, .met = job->met};
    /* none of the last step's planes */
    for (int lane = 0; seeks_planes(s, tile) && lane < rlti_layout_size(&s->layout, tile); lane++)
        s->engine->set_planes(s->tiles[tile], lane, NULL, 0);
    s->engine->begin(s->tiles[tile], step, rod_scratch(s, worker));
}

static void iterate_tile(rod_solver *s, int tile, int worker, const rlti_implicit_step *step) {
    while (s->engine->iterate(s->tiles[tile], step, rod_scratch(s, worker)) != 0) {
    }
}

void rlti_rod_solver_ask_again(rod_job *job, unsigned lanes) {
    job->round = 1;
    job->lanes = job->asks = lanes;
    memset(job->rounds, 1, sizeof job->rounds);
}

void rlti_rod_solver_converge(rod_solver *s, rod_job *job, int worker, const rlti_implicit_step *step) {
    if (job->round > 0) { /* planes are there */
        rlti_rod_solver_ask_again(job, job->lanes);
        iterate_tile(s, job->tile, worker, step);
    }
    while (rlti_rod_solver_next_round(s, job, worker, step))
        iterate_tile(s, job->tile, worker, step);
}

void rlti_rod_solver_newton(rod_solver *s, int tile, int worker, const rlti_implicit_step *step) {
    rod_work *w = &s->work[worker];
    int job = 0, gathers = s->gathers && rlti_rod_solver_steps(s, rod_hair(s, tile)) == 1;
    while (w->jobs[job].tile >= 0)
        job++;
    rlti_rod_solver_begin(s, &w->jobs[job], tile, worker, step);
    continue_job(s, job, worker, step, gathers);
    continue_jobs(s, worker, gathers);
}

void rlti_rod_solver_drain(rod_solver *s, int worker) {
    rod_work *w = &s->work[worker];
    while (find_seat(s, w, 1) >= 0) {
        iterate_gathered(s, worker, 0);
        continue_jobs(s, worker, 0);
    }
}
