/* Steps of the Rod solver: everything that acts on a tile's strands, then Newton. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/messages.h"
#include "base/number.h"
#include "body/segment.h"
#include "scene/readers.h"
#include "solve/rod_solver_data.h"

void rlti_rod_solver_root(rod_solver *s, int strand, double at) {
    const rlti_motion_segment *motion = &s->roots[strand];
    const rlti_rod_strand *rod = &s->model->strands[strand];
    rlti_quat turn = rlti_quat_normalize(rlti_segment_rotation(motion, at));
    s->engine->set_root(s->tiles[s->layout.places[strand].tile], s->layout.places[strand].lane,
                        rlti_segment_position(motion, at), rlti_quat_rotate(turn, rod->direction),
                        rlti_quat_rotate(turn, rod->director));
}

void rlti_rod_solver_reshape(rlti_solver *solver, int strand, const rlti_vec3 *points, int worker) {
    rod_solver *s = (rod_solver *)solver;
    const rlti_hair_data *hair = &s->def.scene->hair[s->def.strands->hair[strand]];
    rlti_rod_model_reshape(s->model, strand, points);
    rlti_rod_solver_reshape_links(s, strand, points);
    if (hair->sag.mode != RLTI_SAG_OFF)
        rlti_rod_sag_again(s->resag, s->model, &s->def, s->loads, strand, worker, points);
    rlti_implicit_strand constants = rod_strand(s, strand);
    s->engine->set_constants(s->tiles[s->layout.places[strand].tile], s->layout.places[strand].lane,
                             &constants);
}

/* ---- everything that acts ---- */

/* Bodies as they are at the start of the step, moving on with their velocity. */
static void meet_bodies(rod_solver *s, int tile, int lane, int strand, int worker) {
    const rlti_plane *planes = NULL;
    int count = rlti_drive_planes(s->drive, strand, worker, &planes);
    s->engine->set_planes(s->tiles[tile], lane, planes, count);
}

static void meet_hair(rod_solver *s, int tile, int lane, int strand, int worker) {
    const int *points = NULL;
    const float(*pushes)[3] = NULL;
    int count = rlti_drive_pushes(s->drive, strand, worker, &points, &pushes);
    s->engine->set_pushes(s->tiles[tile], lane, points, pushes, count);
}

static void meet_holds(rod_solver *s, int tile, int lane, int strand, int worker) {
    const rlti_hold *holds = NULL;
    int count = rlti_drive_pulled_holds(s->drive, strand, worker, &holds);
    s->engine->set_holds(s->tiles[tile], lane, holds, count);
}

static void ask_drive(rod_solver *s, int tile, int worker, double *clock) {
    rlti_laps *laps = rlti_drive_laps(s->drive, worker);
    int holds = rlti_drive_constraints(s->drive) != NULL || rlti_drive_pull_capacity(s->drive) > 0,
        pushes = rlti_drive_has_pushes(s->drive);
    for (int lane = 0; lane < rlti_layout_size(&s->layout, tile); lane++) {
        int strand = rlti_layout_strand(&s->layout, tile, lane);
        const rlti_vec3 *rest = rlti_drive_rest(s->drive, strand, worker);
        if (rest != NULL)
            rlti_rod_solver_reshape(&s->base, strand, rest, worker);
        const float *air = rlti_drive_air(s->drive, strand, worker);
        if (air != NULL)
            s->engine->set_air(s->tiles[tile], lane, air);
        if (rod_has_planes(s, tile) && !s->now.ahead)
            meet_bodies(s, tile, lane, strand, worker);
        if (holds)
            meet_holds(s, tile, lane, strand, worker);
    }
    rlti_lap(clock, &laps->collide);
    double searched = laps->detect;
    for (int lane = 0; pushes && lane < rlti_layout_size(&s->layout, tile); lane++)
        meet_hair(s, tile, lane, rlti_layout_strand(&s->layout, tile, lane), worker);
    if (pushes)
        rlti_lap(clock, &laps->contact);
    laps->contact -= laps->detect - searched;
}

/* ---- Newton ---- */

/* Sections that meet each other within a step take as many as the one that takes most. */
static int steps_of(const rod_solver *s, const rlti_hair_data *hair) {
    int most = hair->rod.steps;
    for (int h = 0; h < s->def.scene->hair_count; h++)
        if (rlti_hair_solves_with(hair, &s->def.scene->hair[h]) && s->def.scene->hair[h].rod.steps > most)
            most = s->def.scene->hair[h].rod.steps;
    return most;
}

int rlti_rod_solver_steps(const rod_solver *s, const rlti_hair_data *hair) {
    int steps = (s->now.count * steps_of(s, hair) + s->now.steps - 1) / s->now.steps;
    return steps > 1 ? steps : 1;
}

rlti_implicit_step rlti_rod_solver_how(const rod_solver *s, const rlti_hair_data *hair) {
    const rlti_interval *now = &s->now;
    int seeks = s->drive != NULL && rlti_drive_has_planes(s->drive) && hair->collide && now->ahead;
    return (rlti_implicit_step){.gravity = {now->gravity[0], now->gravity[1], now->gravity[2]},
                                .seconds = rlti_interval_seconds(now) / rlti_rod_solver_steps(s, hair),
                                .midpoint = !s->model->coil && hair->rod.integration == RLTI_ROD_MIDPOINT,
                                .iterations = hair->rod.iterations,
                                .tolerance = hair->rod.tolerance,
                                .friction = hair->friction,
                                .pause = seeks ? ROD_PAUSE : 0,
                                .plain = rlti_hair_counts_iterations(hair)};
}

static void step_tile(void *context, int tile, int worker) {
    rod_solver *s = context;
    const rlti_interval *now = &s->now;
    const rlti_hair_data *hair = rod_hair(s, tile);
    int steps = rlti_rod_solver_steps(s, hair);
    double clock = rlti_seconds(CLOCK_MONOTONIC);
    rlti_implicit_step step = rlti_rod_solver_how(s, hair);
    if (s->drive != NULL)
        ask_drive(s, tile, worker, &clock);
    if (rlti_rod_solver_touches(s, tile))
        return;
    for (int k = 0; k < steps; k++) {
        double end = (now->first + now->count * (k + 1.0) / steps) / now->steps;
        for (int lane = 0; lane < rlti_layout_size(&s->layout, tile); lane++)
            rlti_rod_solver_root(s, rlti_layout_strand(&s->layout, tile, lane), end);
        step.posed = -k; /* planes and anchors are those of the interval's start */
        if (s->meeting && s->live_of[tile] >= 0)
            rlti_rod_solver_begin_live(s, tile, worker, &step);
        else
            rlti_rod_solver_newton(s, tile, worker, &step);
    }
    if (s->drive != NULL)
        rlti_lap(&clock, &rlti_drive_laps(s->drive, worker)->step);
}

/* Any thread may take a worker's part, with its memory. */
static void drain(void *context, int part, int worker) {
    rod_solver *s = context;
    double clock = rlti_seconds(CLOCK_MONOTONIC);
    (void)worker;
    rlti_rod_solver_drain(s, part);
    if (s->drive != NULL)
        rlti_lap(&clock, &rlti_drive_laps(s->drive, part)->step);
}

void rlti_rod_solver_step(rlti_solver *solver, const rlti_interval *interval) {
    rod_solver *s = (rod_solver *)solver;
    s->now = *interval;
    s->meeting = s->drive != NULL && rlti_drive_groups_act(s->drive, s);
    rlti_pool_for(s->def.pool, s->layout.tile_count, step_tile, s);
    if (s->gathers)
        rlti_pool_for(s->def.pool, rlti_pool_threads(s->def.pool), drain, s);
    if (s->meeting)
        rlti_rod_solver_meet_groups(s);
    if (s->contacts != NULL)
        rlti_rod_solver_meet_contacts(s);
}

/* ---- reports ---- */

static double correction_of(const rod_tally *tally) {
    return tally->correction;
}
static double pinched_of(const rod_tally *tally) {
    return tally->pinched;
}

/* The strand with the greatest of a tally's values of all ranks, the first of equals; -1: all are 0. */
static int find_worst(const rod_solver *s, rlt_ranks *ranks, double (*value_of)(const rod_tally *),
                      double *value) {
    double mine = 0.0, strand = -HUGE_VAL;
    int worst = -1;
    for (int i = 0; i < s->model->strand_count; i++)
        if (value_of(&s->tallies[i]) > mine) {
            mine = value_of(&s->tallies[i]);
            worst = i;
        }
    *value = mine;
    rlti_ranks_max(ranks, value, 1);
    if (worst >= 0 && mine >= *value)
        strand = -(double)worst;
    rlti_ranks_max(ranks, &strand, 1);
    return *value > 0.0 ? (int)-strand : -1;
}

/* Sums over strands of one frame. */
enum {
    SUM_STEPS,
    SUM_ITERATIONS,
    SUM_UNCONVERGED,
    SUM_REPAIRED,
    SUM_FAILED,
    SUM_OFF,
    SUM_FAST,
    SUM_PINCHED,
    SUMS
};

static void warn(const rod_solver *s, int frame, const double sums[SUMS], int worst, double correction,
                 rlt_messages *messages) {
    const rlti_hair_data *hair = &s->def.scene->hair[worst >= 0 ? s->def.strands->hair[worst] : 0];
    char off[32], failed[64] = "";
    double limit = s->contacts != NULL ? ROD_OFF_MEETING : ROD_OFF;
    if (rlti_hair_counts_iterations(hair))
        limit = ROD_OFF_FIXED;
    snprintf(off, sizeof off, "%.2g", correction);
    if (sums[SUM_FAILED] > 0.0)
        snprintf(failed, sizeof failed, ", %.0f of them for want of finite numbers", sums[SUM_FAILED]);
    rlti_warn(messages,
              "%s: frame %d: Newton has not converged to %g of a segment in %.0f of %.0f steps of "
              "strands%s; worst is strand %d of %s, whose last correction, depth in a body or error of a "
              "group was %s of a "
              "segment; raise hair.rod.steps or hair.rod.iterations%s",
              s->def.file, frame, limit, sums[SUM_OFF], sums[SUM_STEPS], failed, worst, hair->name, off,
              strcmp(hair->model, "coil") == 0
                  ? "; hair that is almost straight: set hair.model to rod; limp "
                    "hair: raise hair.coil.bend"
                  : "");
}

static void warn_of_pinched(const rod_solver *s, int frame, int strands, int worst, double depth,
                            rlt_messages *messages) {
    rlti_warn(messages,
              "%s: frame %d: bodies leave %d strand%s no place between them; worst is strand %d of %s, %.2g "
              "units deep on both of its sides; move the bodies apart, let hair pass one of them "
              "(hair.collide.groups), or comb out hair that begins inside of one",
              s->def.file, frame, strands, strands == 1 ? "" : "s", worst,
              s->def.scene->hair[s->def.strands->hair[worst]].name, depth);
}

/* Troubles that lasted longer than they were reported. */
static void sum_up(const rod_solver *s, rlt_messages *messages) {
    static const struct {
        const char *what, *of_what;
    } texts[ROD_TROUBLES] = {[ROD_TROUBLE_NEWTON] = {"Newton had not converged", "of a segment"},
                             [ROD_TROUBLE_PINCHED] = {"bodies left hair no place between them", "units deep"},
                             [ROD_TROUBLE_PASSED] = {"hair had passed through bodies", "edges"},
                             [ROD_TROUBLE_DEEP] = {"hair was deep in hair", "mean contact radii"}};
    for (int k = 0; k < ROD_TROUBLES; k++)
        rlti_trouble_sum_up(&s->troubles[k], s->def.file, texts[k].what, texts[k].of_what, messages);
}

void rlti_rod_solver_report(rlti_solver *solver, int frame, rlt_ranks *ranks, rlt_statistics *statistics,
                            rlt_messages *messages) {
    rod_solver *s = (rod_solver *)solver;
    double sums[SUMS] = {0}, correction = 0.0, depth = 0.0;
    for (int i = 0; i < s->layout.count; i++) {
        const rod_tally *t = &s->tallies[s->layout.order[i]];
        const int counts[SUMS] = {t->steps,  t->iterations, t->unconverged, t->repaired,
                                  t->failed, t->off,        t->fast,        t->pinched > 0.0};
        for (int k = 0; k < SUMS; k++)
            sums[k] += counts[k];
    }
    rlt_ranks_sum(ranks, sums, SUMS);
    int worst = find_worst(s, ranks, correction_of, &correction),
        pinched = find_worst(s, ranks, pinched_of, &depth);
    if (s->contacts != NULL)
        rlti_rod_solver_report_contacts(s, frame, statistics, messages);
    statistics->newton_steps += (long long)sums[SUM_STEPS];
    statistics->newton_iterations += (long long)sums[SUM_ITERATIONS];
    statistics->newton_unconverged += (long long)sums[SUM_UNCONVERGED];
    statistics->newton_repaired += (long long)sums[SUM_REPAIRED];
    statistics->newton_failed += (long long)sums[SUM_FAILED];
    statistics->newton_off += (long long)sums[SUM_OFF];
    statistics->newton_fast += (long long)sums[SUM_FAST];
    statistics->newton_worst = fmax(statistics->newton_worst, correction);
    if (sums[SUM_OFF] > 0.0 && rlti_trouble_note(&s->troubles[ROD_TROUBLE_NEWTON], frame, correction))
        warn(s, frame, sums, worst, correction, messages);
    if (pinched >= 0 && rlti_trouble_note(&s->troubles[ROD_TROUBLE_PINCHED], frame, depth))
        warn_of_pinched(s, frame, (int)sums[SUM_PINCHED], pinched, depth, messages);
    if (frame == s->def.scene->time.last)
        sum_up(s, messages);
}
