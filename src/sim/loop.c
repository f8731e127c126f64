/* The one visible time loop: what happens in a frame, in order. No formulas here; follow the calls.
 *
 * - drive: roots and body over this frame; a new origin for every strand
 * - each outer step:
 *   - look: pose the colliders, find contact planes; show particles to other hair, and points to constraints;
 *     look at the wind
 *   - exchange: particles that other ranks see; middles of constrained points
 *   - step: the rest shape of this moment, contact springs, holds, then the force and damping loops of every
 * tile (solve/kernel_body.h)
 * - check: every strand healthy?
 * - show: the frame becomes the view; poses that were to be reached in it are told */
#include <string.h>

#include "base/clock.h"
#include "base/messages.h"
#include "body/segment.h"
#include "sim/hold_state.h"

typedef struct outer_step {
    rlt_simulation *sim;
    rlti_step step;
    double time;                         /* seconds at the start of the outer step, since the first frame */
    double duration;                     /* of an outer step [s] */
    int collide, wind, contact, reshape; /* what is looked at in this one */
    double wind_strength;
} outer_step;

/* Adds the time since *since to *sum and restarts the clock. */
static void lap(double *since, double *sum) {
    double now = rlti_seconds(CLOCK_MONOTONIC);
    *sum += now - *since;
    *since = now;
}

static void drive_tile(void *context, int tile, int worker) {
    rlt_simulation *sim = context;
    (void)worker;
    for (int i = sim->layout.first[tile]; i < sim->layout.first[tile + 1]; i++) {
        int s = sim->layout.order[i];
        rlti_motion_segment motion;
        rlti_body_root_segment(sim->body, &sim->strands->roots[s], sim->frame, &motion);
        rlti_vec3 origin = motion.position[0];
        rlti_vec3 shift = rlti_sub(origin, sim->origins[s]);
        rlti_quat turn;
        motion.position[0] = rlti_v3(0, 0, 0);
        if (rlti_body_root_jump(sim->body, &sim->strands->roots[s], sim->frame, &turn)) {
            shift = rlti_v3(0, 0, 0);
            sim->kernel->carry(sim->tiles[tile], i - sim->layout.first[tile], turn,
                               rlti_segment_velocity(&motion, 0.0, sim->scene->time.fps));
        }
        sim->origins[s] = origin;
        int first = sim->strands->first[s];
        memset(sim->memory + first, 0, (size_t)(sim->strands->first[s + 1] - first) * sizeof *sim->memory);
        sim->kernel->begin_frame(sim->tiles[tile], i - sim->layout.first[tile], &motion, shift);
        if (sim->holds != NULL)
            rlti_holds_begin_strand(sim->holds, s, sim->frame);
        if (sim->reshape != NULL)
            rlti_reshape_begin_strand(sim->reshape, s, sim->frame);
    }
}

const rlti_vec3 *rlti_simulation_reshape(rlt_simulation *sim, int tile, int lane, int worker) {
    int strand = sim->layout.order[sim->layout.first[tile] + lane];
    const rlti_vec3 *points = sim->reshape != NULL ? rlti_reshape_strand(sim->reshape, strand, worker) : NULL;
    if (points != NULL)
        sim->kernel->reshape(sim->tiles[tile], lane, sim->model, strand);
    return points;
}

/* Positions and velocities of one lane in the worker's memory; velocities follow after `longest` positions.
 */
static float *floats_of(const rlt_simulation *sim, int worker, int lane) {
    return sim->floats + ((size_t)worker * RLTI_BLOCK_STRANDS + (size_t)lane) * 6 * (size_t)sim->longest;
}

/* Contact planes of one strand. */
static int collide_strand(const outer_step *outer, rlti_tile *t, int lane, int s, int worker) {
    rlt_simulation *sim = outer->sim;
    const rlti_hair_data *hair = &sim->scene->hair[sim->strands->hair[s]];
    if (!hair->collide)
        return 0;
    int first = sim->strands->first[s], n = sim->strands->first[s + 1] - first;
    const float *positions = floats_of(sim, worker, lane), *velocities = positions + 3 * (size_t)sim->longest;
    rlti_plane *planes = sim->planes + (size_t)worker * (size_t)sim->longest;
    rlti_allowance allowance = {sim->thickness + first, sim->home + first, sim->any_side[s]};
    int count =
        rlti_colliders_find(sim->colliders, sim->strands->hair[s], &sim->origins[s], n, positions, velocities,
                            hair->thickness, &allowance, outer->duration, sim->memory + first, planes);
    sim->kernel->set_planes(t, lane, planes, count);
    return count;
}

/* The air at every point of one strand; takes the place of its velocities. */
static void wind_strand(const outer_step *outer, rlti_tile *t, int lane, int s, int worker) {
    rlt_simulation *sim = outer->sim;
    float *positions = floats_of(sim, worker, lane), *wind = positions + 3 * (size_t)sim->longest;
    for (int p = 0; p < sim->model->strands[s].points; p++) {
        const rlti_vec3 *o = &sim->origins[s];
        double world[3] = {o->x + (double)positions[3 * p], o->y + (double)positions[3 * p + 1],
                           o->z + (double)positions[3 * p + 2]};
        double v[3];
        rlti_wind_at(&sim->wind, world, outer->time, v);
        for (int axis = 0; axis < 3; axis++)
            wind[3 * p + axis] = (float)(outer->wind_strength * v[axis]);
    }
    sim->kernel->set_wind(t, lane, wind);
}

/* What one tile's strands meet, and what others see of them. */
static void look_tile(void *context, int tile, int worker) {
    const outer_step *outer = context;
    rlt_simulation *sim = outer->sim;
    rlti_laps *laps = &sim->laps[worker];
    rlti_tile *t = sim->tiles[tile];
    const int *order = sim->layout.order + sim->layout.first[tile];
    int count = sim->layout.first[tile + 1] - sim->layout.first[tile];
    double clock = rlti_seconds(CLOCK_MONOTONIC);

    for (int k = 0; k < count; k++) {
        float *positions = floats_of(sim, worker, k), *velocities = positions + 3 * (size_t)sim->longest;
        sim->kernel->get_floats(t, k, positions, velocities);
        if (outer->contact && rlti_springs_has(sim->springs, order[k]))
            rlti_springs_look(sim->springs, order[k], &sim->origins[order[k]], positions, velocities);
        if (sim->holds != NULL)
            rlti_holds_look(sim->holds, order[k], &sim->origins[order[k]], positions, velocities);
    }
    lap(&clock, &laps->detect);
    sim->tile_contacts[tile] = 0;
    if (outer->collide) {
        sim->kernel->clear_planes(t);
        for (int k = 0; k < count; k++)
            sim->tile_contacts[tile] += collide_strand(outer, t, k, order[k], worker);
    }
    for (int k = 0; k < count && outer->wind; k++)
        wind_strand(outer, t, k, order[k], worker);
    lap(&clock, &laps->collide);
}

/* Contact springs of one tile's strands. */
static void push_tile(rlt_simulation *sim, int tile, int worker) {
    rlti_laps *laps = &sim->laps[worker];
    rlti_tile *t = sim->tiles[tile];
    float(*pushes)[3] = sim->pushes + (size_t)worker * (size_t)sim->longest;
    const rlti_particles *particles = sim->particles;
    sim->kernel->clear_pushes(t);
    for (int i = sim->layout.first[tile]; i < sim->layout.first[tile + 1]; i++) {
        int s = sim->layout.order[i], first = particles->first[s];
        if (!rlti_springs_has(sim->springs, s))
            continue;
        if (!rlti_springs_push(sim->springs, s, worker, pushes, &laps->detect)) {
            laps->out_of_memory = 1;
            continue;
        }
        sim->kernel->set_pushes(t, i - sim->layout.first[tile], particles->point + first,
                                (const float(*)[3])pushes, particles->first[s + 1] - first);
    }
}

static void react_tile(void *context, int tile, int worker) {
    rlt_simulation *sim = context;
    (void)worker;
    for (int i = sim->layout.first[tile]; i < sim->layout.first[tile + 1]; i++)
        rlti_holds_react(sim->holds, sim->layout.order[i]);
}

/* What constraints do to one tile's strands in this outer step. */
static void hold_tile(rlt_simulation *sim, int tile, int worker) {
    size_t room = (size_t)worker * (size_t)rlti_holds_most(sim->holds);
    rlti_hold *holds = sim->hold_room + room;
    int *rows = sim->hold_rows + room;
    sim->kernel->begin_holds(sim->tiles[tile]);
    for (int i = sim->layout.first[tile]; i < sim->layout.first[tile + 1]; i++) {
        int s = sim->layout.order[i], count = rlti_holds_of(sim->holds, s);
        rlti_holds_fill(sim->holds, s, &sim->origins[s], holds, rows);
        for (int k = 0; k < count; k++)
            sim->kernel->set_hold(sim->tiles[tile], i - sim->layout.first[tile], rows[k], &holds[k]);
    }
}

static void step_tile(void *context, int tile, int worker) {
    const outer_step *outer = context;
    rlt_simulation *sim = outer->sim;
    rlti_laps *laps = &sim->laps[worker];
    double clock = rlti_seconds(CLOCK_MONOTONIC);
    for (int lane = 0; outer->reshape && lane < sim->layout.first[tile + 1] - sim->layout.first[tile]; lane++)
        rlti_simulation_reshape(sim, tile, lane, worker);
    if (outer->contact) {
        double searched = laps->detect;
        push_tile(sim, tile, worker);
        lap(&clock, &laps->contact);
        laps->contact -= laps->detect - searched;
    }
    if (sim->holds != NULL) {
        hold_tile(sim, tile, worker);
        lap(&clock, &laps->collide);
    }
    rlti_step step = outer->step;
    step.seconds = sim->time_phases ? laps->kernel : NULL;
    sim->kernel->run(rlti_simulation_tile(sim, tile, worker), &step);
    lap(&clock, &laps->step);
}

/* World positions for the view. The tiles have moved on to the next frame; origins are this frame's. */
static void show_tile(void *context, int tile, int worker) {
    rlt_simulation *sim = context;
    (void)worker;
    for (int i = sim->layout.first[tile]; i < sim->layout.first[tile + 1]; i++) {
        int s = sim->layout.order[i], first = sim->strands->first[s];
        sim->kernel->get_state(sim->tiles[tile], i - sim->layout.first[tile], sim->points + first,
                               sim->velocities + first);
        for (int p = first; p < sim->strands->first[s + 1]; p++)
            sim->points[p] = rlti_add(sim->points[p], sim->origins[s]);
    }
}

void rlti_simulation_show(rlt_simulation *sim) {
    rlti_pool_for(sim->pool, sim->layout.tile_count, show_tile, sim);
    rlti_spread_gather_points(sim->spread, sim->points, sizeof(rlti_vec3));
    rlti_spread_gather_points(sim->spread, sim->velocities, sizeof(rlti_vec3));
    rlti_body_vertices_sample(sim->body, sim->frame, sim->vertices);
}

rlt_status rlti_simulation_begin_frame(rlt_simulation *sim, int frame, rlt_messages *messages) {
    int first_message = rlt_messages_count(messages);
    rlt_status status = rlti_body_begin_frame(sim->body, frame, messages);
    rlti_messages_prefix(messages, first_message, sim->file);
    return status;
}

/* Bodies, colliders and curves from files: the samples this frame needs. */
static rlt_status begin_bodies(rlt_simulation *sim, rlt_messages *messages) {
    rlt_status status = rlti_simulation_begin_frame(sim, sim->frame, messages);
    int first_message = rlt_messages_count(messages);
    if (status == RLT_OK && rlti_colliders_count(sim->colliders) > 0) {
        status = rlti_colliders_begin_frame(sim->colliders, sim->frame, messages);
        if (status == RLT_OK)
            sim->posed = sim->frame;
    }
    if (status == RLT_OK && sim->holds != NULL)
        status = rlti_holds_begin_frame(sim->holds, sim->frame, messages);
    if (status == RLT_OK && sim->reshape != NULL)
        status = rlti_reshape_begin_frame(sim->reshape, sim->frame, messages);
    rlti_messages_prefix(messages, first_message, sim->file);
    return status;
}

/* After outer step `o`. */
static void count_contacts(rlt_simulation *sim, int o) {
    rlti_springs_count count = rlti_springs_counts(sim->springs);
    sim->contact_ends[o] = (double)count.ends;
    sim->statistics.hair_contacts_limited = count.limited;
    sim->statistics.searches = count.searches;
}

/* Middles of constrained points, of all ranks, once all strands have been looked at. */
static void gather_holds(rlt_simulation *sim) {
    rlt_ranks *ranks = rlti_spread_handle(sim->spread);
    rlti_holds_meet(sim->holds, ranks);
    if (!rlti_holds_reacts(sim->holds))
        return;
    rlti_pool_for(sim->pool, sim->layout.tile_count, react_tile, sim);
    rlti_holds_answer(sim->holds, ranks);
}

/* All outer steps of a frame. An error here is told to the other ranks at the end of the frame: until then
 * this rank goes on, so that nobody waits for it. */
static rlt_status step_frame(rlt_simulation *sim, rlt_messages *messages) {
    const rlti_time_data *time = &sim->scene->time;
    int tiles = sim->layout.tile_count, collide = rlti_colliders_count(sim->colliders) > 0,
        wind = !rlti_wind_is_zero(&sim->wind), contact = sim->springs != NULL;
    outer_step outer = {.sim = sim,
                        .duration = 1.0 / (time->fps * time->outer_steps),
                        .collide = collide,
                        .contact = contact};
    outer.step =
        (rlti_step){.gravity = {sim->scene->gravity[0], sim->scene->gravity[1], sim->scene->gravity[2]},
                    .frame_step = 1.0 / ((double)time->outer_steps * time->force_steps),
                    .rate = time->fps};
    /* where nothing is looked at between outer steps, a tile goes through them in one visit */
    int hold = sim->holds != NULL, reshape = sim->reshape != NULL;
    int visit = collide || contact || hold ? 1 : wind || reshape ? sim->slow_interval : time->outer_steps;
    for (int o = 0; o < time->outer_steps; o += visit) {
        int steps = o + visit < time->outer_steps ? visit : time->outer_steps - o;
        outer.time = (sim->frame - time->first) / time->fps + o * outer.duration;
        outer.step.first_force_step = o * time->force_steps;
        outer.step.force_steps = steps * time->force_steps;
        outer.wind = wind && o % sim->slow_interval == 0;
        outer.wind_strength =
            rlti_track_at(&sim->scene->wind.strength, sim->frame + (double)o / time->outer_steps);
        if (collide) {
            double clock = rlti_seconds(CLOCK_MONOTONIC);
            rlti_colliders_pose(sim->colliders, (double)o / time->outer_steps);
            lap(&clock, &sim->laps[0].collide);
        }
        if (contact)
            rlti_springs_pose(sim->springs, (double)o / time->outer_steps);
        outer.reshape = reshape && o % sim->slow_interval == 0;
        if (outer.reshape)
            rlti_reshape_pose(sim->reshape, sim->frame, (double)o / time->outer_steps);
        if (hold)
            rlti_holds_pose(sim->holds, sim->frame, (double)o / time->outer_steps);
        if (collide || contact || hold || outer.wind)
            rlti_pool_for(sim->pool, tiles, look_tile, &outer);
        if (hold)
            gather_holds(sim);
        if (contact) {
            double clock = rlti_seconds(CLOCK_MONOTONIC);
            rlti_spread_exchange(sim->spread, sim->springs);
            lap(&clock, &sim->statistics.seconds_exchange);
        }
        rlti_pool_for(sim->pool, tiles, step_tile, &outer);
        if (contact)
            count_contacts(sim, o);
    }
    sim->statistics.force_steps += (long long)time->outer_steps * time->force_steps;
    int out_of_memory = 0;
    for (int w = 0; w < rlti_pool_threads(sim->pool); w++)
        out_of_memory = out_of_memory || sim->laps[w].out_of_memory;
    return out_of_memory ? rlti_out_of_memory(messages) : RLT_OK;
}

/* A contact has two ends, maybe on two ranks: halved when all are added up. */
static void add_up_contacts(rlt_simulation *sim) {
    rlt_statistics *stats = &sim->statistics;
    int steps = sim->scene->time.outer_steps;
    rlti_ranks_sum(rlti_spread_handle(sim->spread), sim->contact_ends, steps);
    double all = 0.0;
    for (int o = 0; o < steps; o++) {
        stats->hair_contacts = (long long)(sim->contact_ends[o] / 2);
        all += sim->contact_ends[o];
        if (stats->hair_contacts > stats->hair_contacts_worst)
            stats->hair_contacts_worst = stats->hair_contacts;
    }
    stats->hair_contacts_mean = all / (2.0 * steps);
}

/* The workers' laps since creation, and the contacts of all ranks. */
static void add_up(rlt_simulation *sim) {
    rlt_statistics *stats = &sim->statistics;
    stats->contacts = 0;
    for (int t = 0; t < sim->layout.tile_count; t++)
        stats->contacts += sim->tile_contacts[t];
    stats->seconds_detect = stats->seconds_collide = stats->seconds_contact = stats->seconds_step = 0.0;
    stats->seconds_internal = stats->seconds_damping = 0.0;
    for (int w = 0; w < rlti_pool_threads(sim->pool); w++) {
        const rlti_laps *laps = &sim->laps[w];
        stats->seconds_detect += laps->detect;
        stats->seconds_collide += laps->collide;
        stats->seconds_contact += laps->contact;
        stats->seconds_step += laps->step;
        stats->seconds_internal += laps->kernel[0];
        stats->seconds_damping += laps->kernel[1];
    }
    double sums[3] = {(double)stats->contacts, (double)stats->hair_contacts_limited, (double)stats->searches};
    rlti_ranks_sum(rlti_spread_handle(sim->spread), sums, 3);
    stats->contacts = (long long)sums[0];
    stats->hair_contacts_limited = (long long)sums[1];
    stats->searches = (long long)sums[2];
    if (sim->springs != NULL)
        add_up_contacts(sim);
}

rlt_status rlt_simulation_advance(rlt_simulation *sim, rlt_messages *messages) {
    if (sim->diverged)
        return rlti_fail(messages, RLT_DIVERGED,
                         "%s: the simulation has diverged after frame %d and cannot go on", sim->file,
                         sim->frame);
    rlt_statistics *stats = &sim->statistics;
    double clock = rlti_seconds(CLOCK_MONOTONIC), cpu = rlti_seconds(CLOCK_PROCESS_CPUTIME_ID);

    /* first, because it can fail, and nothing has moved yet then */
    rlt_status ready =
        rlt_ranks_agree(rlti_spread_handle(sim->spread), begin_bodies(sim, messages), messages);
    if (ready != RLT_OK)
        return ready;
    rlti_pool_for(sim->pool, sim->layout.tile_count, drive_tile, sim);
    if (sim->springs != NULL)
        rlti_springs_begin_frame(sim->springs, sim->frame);
    lap(&clock, &stats->seconds_drive);

    rlt_status status = step_frame(sim, messages);
    add_up(sim);
    clock = rlti_seconds(CLOCK_MONOTONIC);
    rlt_status checked = rlti_simulation_check(sim, messages);
    status = rlt_ranks_agree(rlti_spread_handle(sim->spread), status != RLT_OK ? status : checked, messages);
    if (status == RLT_OK) {
        sim->frame++;
        rlti_simulation_show(sim);
        rlti_simulation_tell_poses(sim, messages);
        status = rlti_groom_place_sources(sim->strands, sim->frame, messages);
    }
    sim->diverged = status != RLT_OK;
    lap(&clock, &stats->seconds_check);
    stats->cpu_seconds += rlti_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    return status;
}
