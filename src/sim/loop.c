/* The one visible time loop: what happens in a frame, in order. No formulas here; follow the calls.
 *
 *   drive    roots and body over this frame; a new origin for every strand
 *   each outer step:
 *     collide  pose the colliders, find contact planes; look at the wind
 *     step     force and damping loops of every tile (solve/kernel_body.h)
 *   check    every strand healthy?
 *   show     the frame becomes the view */
#include "base/clock.h"
#include "base/messages.h"
#include "sim/simulation_data.h"

typedef struct outer_step {
    rlt_simulation *sim;
    rlti_step step;
    double time;     /* seconds at the start of the outer step, since the first frame */
    double duration; /* of an outer step [s] */
    int look_at_wind;
} outer_step;

static void drive_tile(void *context, int tile, int worker) {
    rlt_simulation *sim = context;
    (void)worker;
    for (int i = sim->layout.first[tile]; i < sim->layout.first[tile + 1]; i++) {
        int s = sim->layout.order[i];
        rlti_motion_segment motion;
        rlti_body_root_segment(sim->body, &sim->strands->roots[s], sim->frame, &motion);
        rlti_vec3 origin = motion.position[0];
        rlti_vec3 shift = rlti_sub(origin, sim->origins[s]);
        motion.position[0] = rlti_v3(0, 0, 0);
        sim->origins[s] = origin;
        sim->kernel->begin_frame(sim->tiles[tile], i - sim->layout.first[tile], &motion, shift);
    }
}

/* Contact planes of one tile's strands. */
static void collide_tile(void *context, int tile, int worker) {
    const outer_step *outer = context;
    rlt_simulation *sim = outer->sim;
    float *positions = sim->floats + (size_t)worker * 6 * (size_t)sim->longest;
    float *velocities = positions + 3 * (size_t)sim->longest;
    rlti_plane *planes = sim->planes + (size_t)worker * (size_t)sim->longest;
    rlti_tile *t = sim->tiles[tile];

    sim->kernel->clear_planes(t);
    sim->tile_contacts[tile] = 0;
    for (int i = sim->layout.first[tile]; i < sim->layout.first[tile + 1]; i++) {
        int s = sim->layout.order[i], lane = i - sim->layout.first[tile];
        int first = sim->strands->first[s], n = sim->strands->first[s + 1] - first;
        const rlti_hair_data *hair = &sim->scene->hair[sim->strands->hair[s]];
        if (!hair->collide)
            continue;
        sim->kernel->get_floats(t, lane, positions, velocities);
        rlti_allowance allowance = {sim->thickness + first, sim->home + first, sim->any_side[s]};
        int count = rlti_colliders_find(sim->colliders, sim->strands->hair[s], &sim->origins[s], n, positions,
                                        velocities, hair->thickness, &allowance, outer->duration, planes);
        sim->kernel->set_planes(t, lane, planes, count);
        sim->tile_contacts[tile] += count;
    }
}

/* The air at every point of one tile's strands. */
static void wind_tile(void *context, int tile, int worker) {
    const outer_step *outer = context;
    rlt_simulation *sim = outer->sim;
    float *positions = sim->floats + (size_t)worker * 6 * (size_t)sim->longest;
    float *wind = positions + 3 * (size_t)sim->longest;
    for (int i = sim->layout.first[tile]; i < sim->layout.first[tile + 1]; i++) {
        int s = sim->layout.order[i], lane = i - sim->layout.first[tile];
        int n = sim->model->strands[s].points;
        sim->kernel->get_floats(sim->tiles[tile], lane, positions, wind);
        for (int p = 0; p < n; p++) {
            const rlti_vec3 *o = &sim->origins[s];
            double world[3] = {o->x + (double)positions[3 * p], o->y + (double)positions[3 * p + 1],
                               o->z + (double)positions[3 * p + 2]};
            double v[3];
            rlti_wind_at(&sim->wind, world, outer->time, v);
            for (int axis = 0; axis < 3; axis++)
                wind[3 * p + axis] = (float)v[axis];
        }
        sim->kernel->set_wind(sim->tiles[tile], lane, wind);
    }
}

static void step_tile(void *context, int tile, int worker) {
    const outer_step *outer = context;
    outer->sim->kernel->run(rlti_simulation_tile(outer->sim, tile, worker), &outer->step);
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
    rlti_body_vertices_sample(sim->body, sim->frame, sim->vertices);
}

/* Adds the wall time since *since to *sum and restarts the clock. */
static void lap(double *since, double *sum) {
    double now = rlti_seconds(CLOCK_MONOTONIC);
    *sum += now - *since;
    *since = now;
}

static rlt_status begin_colliders(rlt_simulation *sim, rlt_messages *messages) {
    int first_message = rlt_messages_count(messages);
    rlt_status status = rlti_colliders_begin_frame(sim->colliders, sim->frame, messages);
    rlti_messages_prefix(messages, first_message, sim->file);
    return status;
}

rlt_status rlt_simulation_advance(rlt_simulation *sim, rlt_messages *messages) {
    if (sim->diverged)
        return rlti_fail(messages, RLT_DIVERGED,
                         "%s: the simulation has diverged after frame %d and cannot go on", sim->file,
                         sim->frame);
    const rlti_time_data *time = &sim->scene->time;
    rlt_statistics *stats = &sim->statistics;
    int tiles = sim->layout.tile_count, collide = rlti_colliders_count(sim->colliders) > 0;
    int wind = !rlti_wind_is_zero(&sim->wind);
    double clock = rlti_seconds(CLOCK_MONOTONIC), cpu = rlti_seconds(CLOCK_PROCESS_CPUTIME_ID);

    /* first, because it can fail, and nothing has moved yet then */
    rlt_status ready = collide ? begin_colliders(sim, messages) : RLT_OK;
    if (ready != RLT_OK)
        return ready;
    rlti_pool_for(sim->pool, tiles, drive_tile, sim);
    lap(&clock, &stats->seconds_drive);

    outer_step outer = {.sim = sim, .duration = 1.0 / (time->fps * time->outer_steps)};
    outer.step =
        (rlti_step){.gravity = {sim->scene->gravity[0], sim->scene->gravity[1], sim->scene->gravity[2]},
                    .force_steps = time->force_steps,
                    .frame_step = 1.0 / ((double)time->outer_steps * time->force_steps),
                    .rate = time->fps};
    /* where nothing is looked at between outer steps, a tile goes through them in one visit */
    int visit = collide ? 1 : wind ? sim->wind_interval : time->outer_steps;
    for (int o = 0; o < time->outer_steps; o += visit) {
        int steps = o + visit < time->outer_steps ? visit : time->outer_steps - o;
        outer.time = (sim->frame - time->first) / time->fps + o * outer.duration;
        outer.step.first_force_step = o * time->force_steps;
        outer.step.force_steps = steps * time->force_steps;
        if (collide) {
            rlti_colliders_pose(sim->colliders, (double)o / time->outer_steps);
            rlti_pool_for(sim->pool, tiles, collide_tile, &outer);
        }
        if (wind && o % sim->wind_interval == 0)
            rlti_pool_for(sim->pool, tiles, wind_tile, &outer);
        lap(&clock, &stats->seconds_collide);
        rlti_pool_for(sim->pool, tiles, step_tile, &outer);
        lap(&clock, &stats->seconds_step);
    }
    stats->force_steps += (long long)time->outer_steps * time->force_steps;
    stats->contacts = 0;
    for (int t = 0; t < tiles; t++)
        stats->contacts += sim->tile_contacts[t];

    rlt_status status = rlti_simulation_check(sim, messages);
    if (status == RLT_OK) {
        sim->frame++;
        rlti_simulation_show(sim);
    }
    sim->diverged = status != RLT_OK;
    lap(&clock, &stats->seconds_check);
    stats->cpu_seconds += rlti_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    return status;
}
