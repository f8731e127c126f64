/* The one visible time loop: what happens in a frame, in order. No formulas here; follow the calls.
 *
 * - begin: what files have for this frame; roots, a new origin for every strand
 * - each step:
 *   - pose: everything that acts on hair, at this time
 *   - look: solvers show their strands
 *   - meet: contacts and groups, of all ranks
 *   - step: every solver asks what acts on its strands, and moves them
 * - check: every strand healthy?
 * - show: the frame becomes the view; poses that were to be reached in it are reported */
#include "base/clock.h"
#include "base/messages.h"
#include "ringlet/live.h"
#include "sim/simulation_data.h"

/* Bodies can be ahead of the steps where all models would have it so. */
static int is_ahead(const rlt_simulation *sim) {
    int ahead = 1;
    for (int k = 0; k < sim->solver_count; k++)
        ahead = ahead && sim->solvers[k]->type->ahead;
    return ahead;
}

/* Force steps per outer step: the scene's, or what a solver has chosen in their place. */
static int most_force_steps(const rlt_simulation *sim) {
    const rlti_time_data *time = &sim->scene->time;
    double outer = 1.0 / (time->fps * time->outer_steps);
    int most = time->force_steps;
    for (int k = 0; k < sim->solver_count; k++) {
        int steps = (int)(outer / rlti_solver_shortest_step(sim->solvers[k], outer) + 0.5);
        most = steps > most ? steps : most;
    }
    return most;
}

static void step_frame(rlt_simulation *sim) {
    const rlti_time_data *time = &sim->scene->time;
    const double *g = sim->scene->gravity;
    int every = rlti_drive_interval(sim->drive);
    for (int first = 0; first < time->outer_steps; first += every) {
        int left = time->outer_steps - first;
        rlti_interval now = {.frame = sim->frame,
                             .first = first,
                             .count = every < left ? every : left,
                             .steps = time->outer_steps,
                             .rate = time->fps,
                             .gravity = {g[0], g[1], g[2]},
                             .ahead = is_ahead(sim)};
        rlti_drive_pose(sim->drive, &now);
        if (rlti_drive_needs_look(sim->drive))
            for (int k = 0; k < sim->solver_count; k++)
                sim->solvers[k]->type->look(sim->solvers[k]);
        rlti_drive_meet(sim->drive);
        for (int k = 0; k < sim->solver_count; k++)
            sim->solvers[k]->type->step(sim->solvers[k], &now);
        rlti_drive_end_step(sim->drive, &now);
    }
    sim->statistics.force_steps += (long long)time->outer_steps * most_force_steps(sim);
}

/* World positions for the view. The solvers have moved to the next frame; origins are this frame's. */
static void show_strand(void *context, int s, int worker) {
    rlt_simulation *sim = context;
    (void)worker;
    if (!rlti_simulation_is_local(sim, s))
        return;
    int first = sim->strands->first[s];
    rlti_solver *solver = rlti_simulation_solver(sim, s);
    rlti_vec3 origin = rlti_drive_origins(sim->drive)[s];
    solver->type->get(solver, s, sim->points + first, sim->velocities + first);
    for (int p = first; p < sim->strands->first[s + 1]; p++)
        sim->points[p] = rlti_add(sim->points[p], origin);
}

void rlti_simulation_show(rlt_simulation *sim) {
    rlti_spread *spread = rlti_drive_spread(sim->drive);
    rlti_pool_for(sim->pool, sim->strands->strand_count, show_strand, sim);
    rlti_body_vertices_sample(sim->body, sim->frame, sim->vertices);
    rlti_spread_gather_points(spread, sim->points, sizeof(rlti_vec3));
    rlti_spread_gather_points(spread, sim->velocities, sizeof(rlti_vec3));
}

/* An error in a step is known to the other ranks at the end of the frame only: nobody waits for a rank that
 * gave up. */
static rlt_status finish_frame(rlt_simulation *sim, rlt_messages *messages) {
    rlt_status stepped = rlti_drive_report(sim->drive, &sim->statistics, messages);
    for (int k = 0; k < sim->solver_count; k++)
        if (sim->solvers[k]->type->report != NULL)
            sim->solvers[k]->type->report(sim->solvers[k], sim->frame + 1, rlti_simulation_ranks(sim),
                                          &sim->statistics, messages);
    rlt_status checked = rlti_simulation_check(sim, messages);
    rlt_status status =
        rlt_ranks_agree(rlti_simulation_ranks(sim), stepped != RLT_OK ? stepped : checked, messages);
    sim->broken_by = status == RLT_DIVERGED ? "the simulation diverged" : "out of memory";
    if (status == RLT_OK) {
        status = rlt_ranks_agree(rlti_simulation_ranks(sim),
                                 rlti_groom_place_sources(sim->strands, sim->frame + 1, messages), messages);
        sim->broken_by = "the curves it was read from could not be placed";
    }
    if (status == RLT_OK) {
        sim->frame++;
        rlti_simulation_show(sim);
        rlti_groom_show_sources(sim->strands);
        rlti_drive_report_poses(sim->drive, sim->frame, sim->points, messages);
    }
    sim->broken = status;
    return status;
}

rlt_status rlti_simulation_require_whole(const rlt_simulation *sim, const char *what,
                                         rlt_messages *messages) {
    if (sim->broken == RLT_OK)
        return RLT_OK;
    return rlti_fail(messages, sim->broken,
                     "%s: %s: frame %d failed earlier (%s); create the simulation anew or resume it from a "
                     "checkpoint",
                     sim->file, what, sim->frame + 1, sim->broken_by);
}

rlt_status rlt_simulation_advance(rlt_simulation *sim, rlt_messages *messages) {
    if (sim->live != NULL)
        return rlt_simulation_step(sim, rlt_simulation_tick(sim), messages);
    return rlti_simulation_advance(sim, messages);
}

rlt_status rlti_simulation_advance(rlt_simulation *sim, rlt_messages *messages) {
    rlt_status status = rlti_simulation_require_whole(sim, "cannot advance", messages);
    if (status != RLT_OK)
        return status;
    double clock = rlti_seconds(CLOCK_MONOTONIC), cpu = rlti_seconds(CLOCK_PROCESS_CPUTIME_ID);
    /* first, because it can fail, and nothing has moved yet then */
    status = rlt_ranks_agree(rlti_simulation_ranks(sim),
                             rlti_drive_begin_frame(sim->drive, sim->frame, messages), messages);
    if (status != RLT_OK)
        return status;
    for (int k = 0; k < sim->solver_count; k++)
        sim->solvers[k]->type->begin_frame(sim->solvers[k]);
    rlti_lap(&clock, &sim->seconds_drive);
    step_frame(sim);
    clock = rlti_seconds(CLOCK_MONOTONIC);
    status = finish_frame(sim, messages);
    rlti_lap(&clock, &sim->seconds_check);
    sim->statistics.cpu_seconds += rlti_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    return status;
}
