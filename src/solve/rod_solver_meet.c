/* Contacts between strands, solved together with their elasticity: Algorithm 1 of the Rod's paper.
 *
 * A step of all strands that touch: each tile begins it and iterates a little by itself. Then, until nothing
 * moves any more, contacts are found where the iterates are; all tiles with open strands, or strands that
 * have contacts, factor their matrices; forces are solved for all of them at once (contact/couple); and every
 * strand takes Newton's step with its forces. Contacts do not outlive a step, so there is nothing to keep in
 * checkpoints. All ranks know all points and solve for the same forces; each moves its own strands. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/list.h"
#include "scene/readers.h"
#include "solve/rod_solver_contacts.h"

/* ---- where strands are ---- */

static void show_strand(rod_solver *s, int tile, int lane, int at_start) {
    rod_contacts *c = s->contacts;
    int strand = rlti_layout_strand(&s->layout, tile, lane), first = s->def.strands->first[strand];
    rlti_vec3 origin = rlti_drive_origins(s->drive)[strand], *x = (at_start ? c->start : c->end) + first;
    if (at_start)
        s->engine->get_state(s->tiles[tile], lane, x, NULL, NULL, NULL);
    else
        s->engine->get_iterate(s->tiles[tile], lane, x);
    for (int i = 0; i < s->model->strands[strand].points; i++)
        x[i] = rlti_add(x[i], origin);
}

static void show_tile(void *context, int index, int worker) {
    rod_solver *s = context;
    (void)worker;
    for (int lane = 0; lane < rlti_layout_size(&s->layout, s->contacts->tiles[index]); lane++)
        show_strand(s, s->contacts->tiles[index], lane, 0);
}

void rlti_rod_solver_show_ends(rod_solver *s) {
    rod_clear_points(s, s->contacts->end);
    rlti_pool_for(s->def.pool, s->contacts->tile_count, show_tile, s);
    rod_share_points(s, s->contacts->end);
}

/* ---- a step ---- */

rlti_implicit_step rlti_rod_solver_how_meeting(const rod_solver *s, int tile) {
    rlti_implicit_step step = rlti_rod_solver_how(s, rod_hair(s, tile));
    step.seconds *= s->contacts->part;
    step.posed = -s->contacts->from / s->contacts->part;
    step.pause = 0;
    step.midpoint = 0; /* contacts that are met half-way bounce */
    step.lumped = s->contacts->settings.block == RLTI_COUPLE_LUMPED;
    step.weightless = rlti_hair_root_is_free(rod_hair(s, tile));
    return step;
}

/* Whether full Newton steps are taken, a fixed count of them: coils say so themselves. */
static int is_plain(const rod_solver *s) {
    return rlti_rod_solver_how(s, rlti_rod_solver_touching(s)).plain;
}

/* Whether iterations are a fixed count: hair is not brought back after them. So few are the paper's. */
static int is_fixed(const rod_solver *s) {
    const int most = 3;
    return s->def.scene->contact_newton <= most || is_plain(s);
}

/* How far a strand may be moved by so few iterations [segments]: a segment, or twice the diameter of the
 * hair's contacts, where segments are shorter: what is left is in proportion to what contacts push by. */
static double most_correction(const rod_contacts *c) {
    return c->edge > 0.0 ? fmax(1.0, 40.0 * c->strands.offset / c->edge) : 1.0;
}

/* Whether so few steps of Newton are limited: single strands would be thrown, of hair that is held up well by
 * forces of more than the paper's back-solves. With fewer, all is pressed together, and shorter steps are
 * what helps. */
static int is_limited(const rod_solver *s) {
    const rlti_couple_settings *settings = &s->contacts->settings;
    return settings->block == RLTI_COUPLE_LUMPED && settings->accelerate && is_fixed(s) && !is_plain(s);
}

/* The same for strands that have had their iterations, and are pushed again. */
static rlti_implicit_step how_again(const rod_solver *s, int tile) {
    rlti_implicit_step step = rlti_rod_solver_how_meeting(s, tile);
    step.iterations += s->contacts->round + 1;
    if (is_limited(s)) /* the first one takes hair along with its roots and its weight */
        step.limit = 2.0 * most_correction(s->contacts) * pow(0.25, s->contacts->round);
    return step;
}

/* Newton iterations of strands by themselves. None of free hair: nothing but contacts may hold it, so by
 * itself it falls, into what it lies on (half a radius in a quarter of a frame, where radii are 0.2 units),
 * and contacts that are found there are others than those that hold it. It begins where it would come to
 * without weight; hair that lies still begins where it ends. */
static int early_iterations(const rod_solver *s, int tile) {
    return rlti_hair_root_is_free(rod_hair(s, tile)) ? 0 : s->def.scene->contact_early;
}

/* The first iterates, of strands by themselves. */
static void begin_tile(void *context, int index, int worker) {
    rod_solver *s = context;
    rod_contacts *c = s->contacts;
    int tile = c->tiles[index];
    double clock = rlti_seconds(CLOCK_MONOTONIC);
    rlti_implicit_step step = rlti_rod_solver_how_meeting(s, tile);
    for (int lane = 0; lane < rlti_layout_size(&s->layout, tile); lane++)
        rlti_rod_solver_root(s, rlti_layout_strand(&s->layout, tile, lane), c->at);
    rlti_rod_solver_begin(s, &c->jobs[index], tile, worker, &step);
    if (!rod_is_supported(s, tile))
        rlti_rod_solver_next_round(s, &c->jobs[index], worker, &step);
    c->lanes[tile] = ~0u;
    for (int k = 0; k < early_iterations(s, tile) && c->lanes[tile] != 0; k++)
        c->lanes[tile] = s->engine->iterate(s->tiles[tile], &step, rod_scratch(s, worker));
    for (int lane = 0; lane < rlti_layout_size(&s->layout, tile); lane++)
        show_strand(s, tile, lane, 1);
    rlti_lap(&clock, &rlti_drive_laps(s->drive, worker)->step);
}

/* Which lanes have contacts or links. Free strands whose contacts are gone take part to the end of the step:
 * the other side has lost that force, and momentum would not be kept. */
static void mark_lanes(rod_solver *s) {
    rod_contacts *c = s->contacts;
    rlti_rod_solver_mark_links(s, c->lanes);
    for (int strand = 0; strand < c->strands.strand_count; strand++) {
        if (!c->touches[strand] || s->layout.places[strand].tile < 0)
            continue;
        c->lanes[s->layout.places[strand].tile] |= 1u << s->layout.places[strand].lane;
    }
    for (int k = 0; k < c->tile_count; k++) {
        int tile = c->tiles[k];
        c->had[tile] = c->round > 0 ? c->had[tile] : 0;
        if (!rlti_hair_root_is_free(rod_hair(s, tile)))
            continue;
        c->lanes[tile] |= c->had[tile];
        c->had[tile] |= c->lanes[tile];
    }
}

/* Strands that stand still have no step and no softness: these are 0 before. */
static void linearize_tile(void *context, int index, int worker) {
    rod_solver *s = context;
    rod_contacts *c = s->contacts;
    int tile = c->tiles[index];
    double clock = rlti_seconds(CLOCK_MONOTONIC);
    rlti_implicit_step step = how_again(s, tile);
    unsigned moving = 0;
    if (c->anew[tile] != 0)
        rlti_rod_solver_plane_anew(s, index, worker, step.seconds);
    if (c->lanes[tile] != 0)
        moving = s->engine->linearize(s->tiles[tile], &step, c->lanes[tile], rod_scratch(s, worker));
    c->lanes[tile] = moving;
    for (int lane = 0; lane < rlti_layout_size(&s->layout, tile); lane++) {
        int first = s->def.strands->first[rlti_layout_strand(&s->layout, tile, lane)];
        if (!(moving >> lane & 1u))
            continue;
        s->engine->get_newton(s->tiles[tile], lane, c->moved + first);
        s->engine->get_softness(s->tiles[tile], lane, c->softness + first);
    }
    rlti_lap(&clock, &rlti_drive_laps(s->drive, worker)->step);
}

/* Newton's steps with the forces, which the last response has left in the tiles, and planes where they lead.
 */
static void advance_tile(void *context, int index, int worker) {
    rod_solver *s = context;
    rod_contacts *c = s->contacts;
    int tile = c->tiles[index];
    double clock = rlti_seconds(CLOCK_MONOTONIC);
    rlti_implicit_step step = how_again(s, tile);
    if (c->lanes[tile] == 0)
        return;
    unsigned moving = c->lanes[tile];
    c->lanes[tile] = s->engine->advance(s->tiles[tile], &step, rod_scratch(s, worker));
    rlti_rod_solver_ask_again(&c->jobs[index], moving);
    if (!rod_is_supported(s, tile) && rlti_rod_solver_next_round(s, &c->jobs[index], worker, &step) &&
        rod_has_planes(s, tile))
        c->lanes[tile] |= c->jobs[index].changed;
    rlti_lap(&clock, &rlti_drive_laps(s->drive, worker)->step);
}

static void end_tile(void *context, int index, int worker) {
    rod_solver *s = context;
    rlti_implicit_step step = rlti_rod_solver_how_meeting(s, s->contacts->tiles[index]);
    rlti_rod_solver_end(s, &s->contacts->jobs[index], worker, &step, NULL);
}

static int find(rod_solver *s, rod_contacts *c) {
    double clock = rlti_seconds(CLOCK_MONOTONIC), spent = 0.0;
    if (!rlti_edge_contacts_find(c->found, s->def.pool, c->start, c->end, c->bodies, c->body_count))
        return 0;
    rlti_rod_solver_lead_back(s);
    if (!rlti_rod_solver_take_found(s) || !rlti_rod_solver_support(s))
        return 0;
    rlti_lap(&clock, &spent);
    for (int w = 0; w < rlti_pool_threads(s->def.pool); w++)
        rlti_drive_laps(s->drive, w)->detect += spent;
    return 1;
}

static int solve_forces(rod_solver *s, rod_contacts *c, rlti_couple_result *result) {
    double clock = rlti_seconds(CLOCK_MONOTONIC), spent = 0.0;
    const rlti_couple_operator strands = rlti_rod_solver_operator(s);
    rlti_couple_settings settings = c->settings;
    settings.warm = c->round > 0; /* before that there are no forces */
    c->links = rlti_rod_solver_take_links(
        s, c->start, c->end, c->part * rlti_rod_solver_how(s, rlti_rod_solver_touching(s)).seconds,
        c->round > 0, &c->link_count);
    if (c->settings.block == RLTI_COUPLE_WHOLE) /* else what is needed is sent */
        rod_share_points(s, c->moved);
    rlti_spread_share_points(rlti_drive_spread(s->drive), c->softness, sizeof *c->softness);
    int done = c->settings.block != RLTI_COUPLE_WHOLE || rlti_rod_solver_invert(s);
    done = done && rlti_couple_solve(c->couple, s->def.pool, &strands, &settings, c->list, c->count, c->links,
                                     c->link_count, c->moved, result);
    rlti_rod_solver_keep_supports(s);
    rlti_lap(&clock, &spent);
    for (int w = 0; w < rlti_pool_threads(s->def.pool); w++)
        rlti_drive_laps(s->drive, w)->contact += spent;
    return done;
}

static int is_open(rod_solver *s, const rod_contacts *c) {
    double open = 0.0;
    for (int k = 0; k < c->tile_count; k++)
        open += c->lanes[c->tiles[k]] != 0;
    rlt_ranks_sum(rod_ranks(s), &open, 1);
    return open > 0.0;
}

static void count_contacts(rod_contacts *c, const rlti_couple_result *result) {
    rod_contact_tally *t = &c->tally;
    double radius = 10.0 * c->strands.offset;
    t->steps++;
    t->bodies += result->bodies;
    t->bodies_touching += result->bodies_touching;
    t->contacts += result->contacts;
    t->touching += result->touching;
    t->slipping += result->slipping;
    t->unresolved += result->unresolved;
    t->residual = fmax(t->residual, radius > 0.0 ? result->residual / radius : 0.0);
    if (radius > 0.0 && result->deepest_of[0] / radius > t->deepest) {
        t->deepest = result->deepest_of[0] / radius;
        memcpy(t->deepest_strands, c->list[result->deepest_contact].strand, sizeof t->deepest_strands);
    }
    t->bodies_deepest = fmax(t->bodies_deepest, radius > 0.0 ? result->deepest_of[1] / radius : 0.0);
}

/* Contacts of the last search are measured where the step ends: Newton's last step was a prediction, by
 * straight lines, of which strands have taken a share. `moved` has been given the places where contacts were
 * found. */
static void measure_ends(rod_solver *s, rlti_couple_result *result) {
    rod_contacts *c = s->contacts;
    const rlti_couple_operator strands = rlti_rod_solver_operator(s);
    rlti_rod_solver_show_ends(s);
    for (int i = 0; i < c->strands.first[c->strands.strand_count]; i++)
        c->moved[i] = rlti_sub(c->end[i], c->moved[i]);
    rlti_couple_measure_again(c->couple, s->def.pool, &strands, &c->settings, c->list, c->count, c->links,
                              c->link_count, c->moved, result);
}

/* Whether hair has passed through bodies, of the edges for which a search of the step has found that they
 * might; and through hair and bodies in the last step of a frame: some edges, others in every frame. */
static void count_crossings(rod_solver *s) {
    enum { SAMPLE = 64 };
    rod_contacts *c = s->contacts;
    int suspects = rlti_missed_suspects(c->found), last = c->at >= 1.0;
    if (!suspects && !last)
        return;
    rlti_rod_solver_show_ends(s);
    if (suspects)
        c->tally.passed += rlti_missed_passed(c->found, c->start, c->end, c->bodies, c->body_count);
    if (last)
        c->tally.missed = rlti_missed_count(c->found, c->start, c->end, c->bodies, c->body_count, SAMPLE,
                                            (uint64_t)(uint32_t)s->now.frame);
}

/* Whether Newton is lost: the last correction of a strand, of any rank, is longer than it may be. */
static int is_lost(rod_solver *s, const rod_contacts *c, int fixed) {
    double lost = 0.0, most = fixed ? most_correction(c) : 1.0;
    for (int k = 0; k < c->tile_count; k++)
        for (int lane = 0; lane < rlti_layout_size(&s->layout, c->tiles[k]); lane++) {
            if (!(c->lanes[c->tiles[k]] >> lane & 1u))
                continue;
            lost += !(s->engine->get_correction(s->tiles[c->tiles[k]], lane) <= most);
        }
    rlt_ranks_sum(rod_ranks(s), &lost, 1);
    return lost > 0.0;
}

/* A step, or the part of it that is set. 0: Newton is lost, and the caller may try shorter parts; nothing has
 * moved then. */
static int take_step(rod_solver *s, int may_fail) {
    rod_contacts *c = s->contacts;
    rlti_pool *pool = s->def.pool;
    rlti_couple_result result = {0};
    int done = 1, settled = 0, solved = 0, fixed = is_fixed(s);
    size_t points = (size_t)c->strands.first[c->strands.strand_count];
    rod_clear_points(s, c->start);
    rlti_pool_for(pool, c->tile_count, begin_tile, s);
    rod_share_points(s, c->start);
    rlti_edge_contacts_begin(c->found);
    c->too_deep = 0;
    rlti_rod_solver_move_bodies(s);
    for (c->round = 0; done && c->round < s->def.scene->contact_newton; c->round++) {
        rlti_rod_solver_show_ends(s);
        done = find(s, c);
        mark_lanes(s);
        settled = !is_open(s, c);
        solved = done && !settled;
        if (!solved)
            break;
        rod_clear_points(s, c->moved);
        memset(c->softness, 0, points * sizeof *c->softness);
        rlti_pool_for(pool, c->tile_count, linearize_tile, s);
        done = solve_forces(s, c, &result);
        c->tally.rounds++;
        c->tally.sweeps += result.iterations;
        rlti_pool_for(pool, c->tile_count, advance_tile, s);
        settled = !is_open(s, c);
        if (settled)
            break;
    }
    /* what is led out of a body from so deep gets only faster in shorter steps */
    if (done && !settled && may_fail && (fixed || !c->too_deep) && !is_plain(s) && !is_limited(s) &&
        is_lost(s, c, fixed)) {
        rlti_rod_solver_end_bodies(s);
        return 0;
    }
    memcpy(c->moved, c->end, points * sizeof *c->moved); /* where contacts were found */
    if (done && solved)
        rlti_rod_solver_balance(s);
    if (done && !settled && !fixed)
        done = rlti_rod_solver_retreat(s);
    rlti_drive_laps(s->drive, 0)->out_of_memory |= !done;
    if (done && solved)
        measure_ends(s, &result);
    count_contacts(c, &result);
    count_crossings(s);
    rlti_rod_solver_end_bodies(s);
    rlti_pool_for(pool, c->tile_count, end_tile, s);
    return 1;
}

/* The part of the interval from `from` on, both in steps of `steps`; by halves where Newton is lost. */
static void take_part(rod_solver *s, int steps, double from, double part) {
    const double least = 1.0 / 16;
    rod_contacts *c = s->contacts;
    c->from = from;
    c->part = part;
    c->at = (s->now.first + s->now.count * (from + part) / steps) / s->now.steps;
    c->ahead = ceil(from + part) - (from + part);
    if (take_step(s, part > least))
        return;
    c->tally.halved++;
    take_part(s, steps, from, 0.5 * part);
    take_part(s, steps, from + 0.5 * part, 0.5 * part);
}

void rlti_rod_solver_meet_contacts(rod_solver *s) {
    int steps = rlti_rod_solver_steps(s, rlti_rod_solver_touching(s)); /* also of a rank without tiles */
    rlti_rod_solver_share_links(s);
    for (int index = 0; index < steps; index++)
        take_part(s, steps, index, 1.0);
}
