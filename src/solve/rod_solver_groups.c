/* Live groups in the Rod solver: strands whose groups have the middles of where they come to.
 *
 * Tiles with such strands wait, converged but not finished, until all are there. Groups then compare what the
 * strands were given with where they end, and those that do not agree give new values; their strands continue
 * from where they are. Other lanes of the tile stand still, so their bits are those of a tile without groups.
 */
#include "base/clock.h"
#include "base/memory.h"
#include "solve/rod_solver_data.h"

/* Shares of hair.rod.tolerance. What Newton leaves is far less than its last correction, and must be less
 * than groups are allowed to be off. */
#define GROUP_SHARE  0.01
#define NEWTON_SHARE 0.01

/* ---- building ---- */

static double tolerance_of(const rlti_hair_data *hair) {
    return hair->rod.tolerance > 0.0 ? hair->rod.tolerance : 1e-3;
}

/* Of all ranks' strands, so that all have the same. */
static double find_tolerance(const rod_solver *s) {
    double least = HUGE_VAL;
    for (int i = 0; i < s->model->strand_count; i++)
        if (s->def.mine[i] && rlti_drive_live(s->drive, i))
            least = fmin(least, GROUP_SHARE * tolerance_of(&s->def.scene->hair[s->def.strands->hair[i]]) *
                                    s->model->strands[i].segment);
    return least;
}

static unsigned live_lanes(const rod_solver *s, int tile) {
    unsigned lanes = 0;
    for (int lane = 0; s->drive != NULL && lane < rlti_layout_size(&s->layout, tile); lane++)
        if (rlti_drive_live(s->drive, rlti_layout_strand(&s->layout, tile, lane)))
            lanes |= 1u << lane;
    return lanes;
}

/* Holds of a strand, at most; 0 where there are no live groups. */
static int largest_holds(const rod_solver *s) {
    if (s->live_count == 0)
        return 0;
    return rlti_holds_largest(rlti_drive_constraints(s->drive)) + rlti_drive_pull_capacity(s->drive);
}

int rlti_rod_solver_find_live(rod_solver *s) {
    size_t each = rlti_rod_solver_met(s);
    s->live_of = RLTI_NEW(int, s->layout.tile_count);
    if (s->live_of == NULL)
        return 0;
    for (int t = 0; t < s->layout.tile_count; t++)
        s->live_of[t] = live_lanes(s, t) != 0 ? s->live_count++ : -1;
    if (!RLTI_ALLOCATE(RLTI_ITEMS(s->live, s->live_count),
                       RLTI_ITEMS(s->live_met, (size_t)s->live_count * each)))
        return 0;
    for (int t = 0; t < s->layout.tile_count; t++)
        if (s->live_of[t] >= 0)
            s->live[s->live_of[t]] =
                (rod_live){.lanes = live_lanes(s, t),
                           .job = {.tile = -1, .met = s->live_met + (size_t)s->live_of[t] * each}};
    int holds = largest_holds(s), done = 1;
    for (int w = 0; done && w < rlti_pool_threads(s->def.pool); w++) {
        s->work[w].accelerations = RLTI_NEW(rlti_vec3, holds);
        done = s->work[w].accelerations != NULL;
    }
    s->group_tolerance = s->drive != NULL ? find_tolerance(s) : 0.0;
    return done;
}

size_t rlti_rod_solver_live_bytes(const rod_solver *s) {
    size_t threads = (size_t)rlti_pool_threads(s->def.pool);
    size_t met = rlti_rod_solver_met(s) * sizeof *s->live_met;
    size_t holds = (size_t)largest_holds(s);
    return (size_t)s->live_count * (sizeof *s->live + met) +
           (size_t)s->layout.tile_count * sizeof *s->live_of + threads * holds * sizeof(rlti_vec3);
}

/* ---- a step ---- */

static void show_ends(rod_solver *s, int tile, unsigned lanes, int worker) {
    const rod_work *w = &s->work[worker];
    for (int lane = 0; lane < rlti_layout_size(&s->layout, tile); lane++) {
        if (!(lanes >> lane & 1u))
            continue;
        s->engine->foresee(s->tiles[tile], lane, w->positions, w->accelerations);
        rlti_drive_foresee(s->drive, rlti_layout_strand(&s->layout, tile, lane), w->positions,
                           w->accelerations);
    }
}

void rlti_rod_solver_begin_live(rod_solver *s, int tile, int worker, const rlti_implicit_step *step) {
    rod_live *live = &s->live[s->live_of[tile]];
    rlti_rod_solver_begin(s, &live->job, tile, worker, step);
    rlti_rod_solver_converge(s, &live->job, worker, step);
    show_ends(s, tile, live->lanes, worker);
}

/* In every round strands have all their iterations anew: where there are few, groups are met all the same. */
static rlti_implicit_step how(const rod_solver *s, int tile) {
    const rlti_hair_data *hair = rod_hair(s, tile);
    rlti_implicit_step step = rlti_rod_solver_how(s, hair);
    step.iterations *= 1 + s->meeting;
    step.tolerance = hair->rod.tolerance > 0.0 ? NEWTON_SHARE * hair->rod.tolerance : 0.0;
    return step;
}

static void continue_live(void *context, int index, int worker) {
    rod_solver *s = context;
    rod_live *live = &s->live[index];
    int tile = live->job.tile;
    double clock = rlti_seconds(CLOCK_MONOTONIC);
    rlti_implicit_step step = how(s, tile);
    live->job.lanes = 0;
    for (int lane = 0; lane < rlti_layout_size(&s->layout, tile); lane++) {
        int strand = rlti_layout_strand(&s->layout, tile, lane);
        const rlti_hold *holds = NULL;
        if (!(live->lanes >> lane & 1u) || !rlti_drive_stirs(s->drive, strand))
            continue;
        int count = rlti_drive_pulled_holds(s->drive, strand, worker, &holds);
        s->engine->set_holds(s->tiles[tile], lane, holds, count);
        live->job.lanes |= 1u << lane;
    }
    if (live->job.lanes != 0) {
        rlti_rod_solver_converge(s, &live->job, worker, &step);
        show_ends(s, tile, live->job.lanes, worker);
    }
    rlti_lap(&clock, &rlti_drive_laps(s->drive, worker)->step);
}

/* Strands are off where their groups do not agree. */
static void end_live(void *context, int index, int worker) {
    rod_solver *s = context;
    rod_live *live = &s->live[index];
    int tile = live->job.tile;
    double off[RLTI_BLOCK_STRANDS] = {0};
    rlti_implicit_step step = how(s, tile);
    for (int lane = 0; lane < rlti_layout_size(&s->layout, tile); lane++) {
        double by = rlti_drive_off(s->drive, rlti_layout_strand(&s->layout, tile, lane));
        off[lane] = by <= s->group_tolerance ? 0.0 : by;
    }
    rlti_rod_solver_end(s, &live->job, worker, &step, off);
}

void rlti_rod_solver_meet_groups(rod_solver *s) {
    for (; rlti_drive_agree(s->drive, s, s->group_tolerance); s->meeting++)
        rlti_pool_for(s->def.pool, s->live_count, continue_live, s);
    rlti_pool_for(s->def.pool, s->live_count, end_live, s);
}
