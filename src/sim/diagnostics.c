/* The present frame from inside: filled in by the code that makes the motion. */
#include "ringlet/diagnostics.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "base/sized.h"
#include "io/frame_check.h"
#include "sim/simulation_data.h"

void rlt_diagnostics_destroy(rlt_diagnostics *d) {
    if (d == NULL)
        return;
    double *arrays[] = {d->stretch,       d->speed,         d->smoothed,   d->core,         d->frames,
                        d->targets,       d->penetration,   d->radii,      d->hold_anchors, d->hold_forces,
                        d->frame_origins, d->twist,         d->curvature,  d->residual,     d->force_places,
                        d->force_others,  d->force_vectors, d->force_sizes};
    for (size_t a = 0; a < sizeof(arrays) / sizeof(arrays[0]); a++)
        rlti_free(arrays[a]);
    RLTI_FREE(d->particle, d->springs, d->hold_points, d->force_slips, d);
}

/* ---- of a view ---- */

static void set_speed(rlt_diagnostics *d, const double *velocities) {
    for (int p = 0; p < d->point_count; p++)
        d->speed[p] = rlti_length(rlti_v3_at(velocities, p));
}

/* Edge lengths over `rest`, which holds each edge's at its root-side point. A rest length of 0 has no ratio:
 * it counts as 1. */
static void set_stretch(rlt_diagnostics *d, const int *first, const double *points, const double *rest) {
    for (int s = 0; s < d->strand_count; s++)
        for (int p = first[s]; p < first[s + 1]; p++) {
            int at = p + 1 < first[s + 1] ? p : p - 1; /* a tip takes the last edge's */
            d->stretch[p] = 1.0;
            if (at >= first[s] && rest[at] > 0.0)
                d->stretch[p] =
                    rlti_length(rlti_sub(rlti_v3_at(points, at + 1), rlti_v3_at(points, at))) / rest[at];
        }
}

rlt_status rlt_view_diagnose(const rlt_frame_view *view, rlt_messages *messages, rlt_diagnostics **out) {
    *out = NULL;
    rlt_frame_view own = {0};
    if (RLTI_READ(rlt_frame_view, &own, view, messages) != RLT_OK)
        return RLT_BAD_INPUT;
    view = &own;
    rlt_status status = rlti_frame_check("diagnostics", view, messages);
    if (status != RLT_OK)
        return status;
    int n = view->strand_count > 0 ? view->point_count : 0;
    rlt_diagnostics *d = RLTI_NEW(rlt_diagnostics, 1);
    double *rest = RLTI_NEW(double, n), *stretch = RLTI_NEW(double, n), *speed = RLTI_NEW(double, n);
    if (d == NULL || rest == NULL || stretch == NULL || speed == NULL) {
        RLTI_FREE(rest, stretch, speed, d);
        return rlti_out_of_memory(messages);
    }
    *d = (rlt_diagnostics){.size = sizeof *d,
                           .strand_count = view->strand_count,
                           .point_count = n,
                           .stretch = stretch,
                           .speed = speed};
    if (view->velocities != NULL) {
        set_speed(d, view->velocities);
    } else {
        rlti_free(d->speed);
        d->speed = NULL;
    }
    if (view->rest != NULL) {
        for (int p = 0; p + 1 < n; p++) /* across strands too, where nobody looks */
            rest[p] = rlti_length(rlti_sub(rlti_v3_at(view->rest, p + 1), rlti_v3_at(view->rest, p)));
        set_stretch(d, view->first, view->points, rest);
    } else {
        rlti_free(d->stretch);
        d->stretch = NULL;
    }
    rlti_free(rest);
    *out = d;
    return RLT_OK;
}

/* ---- of a simulation ---- */

/* Arrays of the models' own that the scene's models have. NaN: hair of a model that does not fill it in. */
static int allocate_own(rlt_diagnostics *d, unsigned shows) {
    const struct {
        rlt_show show;
        double **array;
        size_t per_point;
    } own[] = {{RLT_SHOW_SMOOTHED, &d->smoothed, 3},   {RLT_SHOW_CORE, &d->core, 3},
               {RLT_SHOW_FRAMES, &d->frames, 9},       {RLT_SHOW_FRAMES, &d->frame_origins, 3},
               {RLT_SHOW_TARGETS, &d->targets, 3},     {RLT_SHOW_TWIST, &d->twist, 1},
               {RLT_SHOW_CURVATURE, &d->curvature, 1}, {RLT_SHOW_RESIDUAL, &d->residual, 1}};
    for (size_t k = 0; k < sizeof own / sizeof own[0]; k++) {
        size_t count = own[k].per_point * (size_t)d->point_count;
        if (!(shows & (unsigned)own[k].show))
            continue;
        *own[k].array = RLTI_NEW(double, count);
        if (*own[k].array == NULL)
            return 0;
        for (size_t i = 0; i < count; i++)
            (*own[k].array)[i] = NAN;
    }
    return 1;
}

static int allocate(rlt_diagnostics *d, unsigned shows) {
    size_t n = (size_t)d->point_count;
    return RLTI_ALLOCATE(RLTI_ITEMS(d->stretch, n), RLTI_ITEMS(d->speed, n), RLTI_ITEMS(d->penetration, n),
                         RLTI_ITEMS(d->radii, n), RLTI_ITEMS(d->particle, n)) &&
           allocate_own(d, shows);
}

/* On the blackboard, from which the drive's answers come. */
static void sample_strands(rlt_simulation *sim, rlt_diagnostics *d) {
    for (int k = 0; k < sim->solver_count; k++)
        sim->solvers[k]->type->look(sim->solvers[k]);
    for (int s = 0; s < sim->strands->strand_count; s++) {
        rlti_solver *solver = rlti_simulation_solver(sim, s);
        int first = sim->strands->first[s];
        if (solver->type->show != NULL)
            solver->type->show(solver, s, sim->points + first, d);
        rlti_drive_depths(sim->drive, s, d->penetration + first);
    }
}

static int point_of(const rlt_simulation *sim, int particle) {
    const rlti_particles *particles = rlti_drive_particles(sim->drive);
    return sim->strands->first[particles->strand[particle]] + particles->point[particle];
}

/* 0: out of memory. */
static int sample_contacts(const rlt_simulation *sim, rlt_diagnostics *d) {
    const rlti_springs *springs = rlti_drive_springs(sim->drive);
    rlti_particles_radii(sim->scene, sim->strands, sim->matter, d->radii);
    for (int p = 0; p < d->point_count; p++)
        d->particle[p] = d->radii[p] > 0.0 ? RLT_PARTICLE_PRUNED : RLT_PARTICLE_NONE;
    for (int k = 0; k < rlti_drive_particles(sim->drive)->count; k++)
        d->particle[point_of(sim, k)] = RLT_PARTICLE_KEPT;
    if (springs == NULL)
        return 1;
    long long count = rlti_springs_save(springs, NULL, 0);
    rlti_spring_memory *memories = RLTI_NEW(rlti_spring_memory, count);
    d->springs = RLTI_NEW(rlt_contact_spring, count);
    if (memories == NULL || d->springs == NULL) {
        rlti_free(memories);
        return 0;
    }
    d->spring_count = rlti_springs_save(springs, memories, count);
    for (long long k = 0; k < d->spring_count; k++)
        d->springs[k] = (rlt_contact_spring){point_of(sim, memories[k].particle),
                                             point_of(sim, memories[k].other), (double)memories[k].age};
    rlti_free(memories);
    return 1;
}

/* 0: out of memory. */
static int sample_holds(const rlt_simulation *sim, rlt_diagnostics *d) {
    const rlti_holds *holds = rlti_drive_constraints(sim->drive);
    int maximum = holds != NULL ? rlti_holds_count(holds) : 0;
    rlti_hold_line *lines = RLTI_NEW(rlti_hold_line, maximum);
    rlti_hold *scratch = RLTI_NEW(rlti_hold, maximum);
    int done =
        RLTI_ALLOCATE(RLTI_ITEMS(d->hold_points, maximum), RLTI_ITEMS(d->hold_anchors, 3 * (size_t)maximum),
                      RLTI_ITEMS(d->hold_forces, maximum)) &&
        lines != NULL && scratch != NULL;
    for (int s = 0; s < sim->strands->strand_count && done && maximum > 0; s++) {
        rlti_look look = rlti_drive_board(sim->drive, s);
        int count = rlti_holds_lines(holds, s, &rlti_drive_origins(sim->drive)[s], look.positions,
                                     look.velocities, scratch, lines);
        for (int k = 0; k < count; k++, d->hold_count++) {
            d->hold_points[d->hold_count] = sim->strands->first[s] + lines[k].point;
            memcpy(d->hold_anchors + 3 * (size_t)d->hold_count, &lines[k].anchor, sizeof(rlti_vec3));
            d->hold_forces[d->hold_count] = lines[k].force;
        }
    }
    RLTI_FREE(lines, scratch);
    return done;
}

static int list_forces(const rlt_simulation *sim, rlti_contact_force *forces) {
    int count = 0;
    for (int k = 0; k < sim->solver_count; k++)
        if (sim->solvers[k]->type->forces != NULL)
            count += sim->solvers[k]->type->forces(sim->solvers[k], sim->points,
                                                   forces != NULL ? forces + count : NULL);
    return count;
}

/* 0: out of memory. */
static int sample_forces(const rlt_simulation *sim, rlt_diagnostics *d) {
    size_t count = (size_t)list_forces(sim, NULL);
    rlti_contact_force *forces = RLTI_NEW(rlti_contact_force, count);
    int done = RLTI_ALLOCATE(RLTI_ITEMS(d->force_places, 3 * count), RLTI_ITEMS(d->force_others, 3 * count),
                             RLTI_ITEMS(d->force_vectors, 3 * count), RLTI_ITEMS(d->force_sizes, count),
                             RLTI_ITEMS(d->force_slips, count)) &&
               forces != NULL;
    d->force_count = done ? list_forces(sim, forces) : 0;
    for (int k = 0; k < d->force_count; k++) {
        rlti_v3_put(d->force_places + 3 * (size_t)k, forces[k].place);
        rlti_v3_put(d->force_others + 3 * (size_t)k, forces[k].other);
        rlti_v3_put(d->force_vectors + 3 * (size_t)k, forces[k].force);
        d->force_sizes[k] = rlti_length(forces[k].force);
        d->force_slips[k] = (unsigned char)forces[k].slips;
    }
    rlti_free(forces);
    return done;
}

rlt_status rlt_simulation_diagnose(rlt_simulation *sim, rlt_messages *messages, rlt_diagnostics **out) {
    *out = NULL;
    rlt_status status = rlti_simulation_require_whole(sim, "no diagnostics", messages);
    if (status != RLT_OK)
        return status;
    int ranks = rlt_ranks_count(rlti_simulation_ranks(sim));
    if (ranks > 1)
        return rlti_refuse(messages,
                           "%s: diagnostics: the simulation is shared by %d processes; run it in one",
                           sim->file, ranks);
    status = rlti_drive_pose_frame(sim->drive, sim->frame, messages);
    if (status != RLT_OK)
        return status;
    rlt_diagnostics *d = RLTI_NEW(rlt_diagnostics, 1);
    if (d != NULL) {
        d->size = sizeof *d;
        d->strand_count = sim->strands->strand_count;
        d->point_count = sim->strands->point_count;
    }
    if (d == NULL || !allocate(d, rlti_simulation_shows(sim)) || !sample_contacts(sim, d)) {
        rlt_diagnostics_destroy(d);
        return rlti_out_of_memory(messages);
    }
    set_speed(d, (const double *)sim->velocities);
    set_stretch(d, sim->strands->first, (const double *)sim->points, sim->matter->rest);
    sample_strands(sim, d);
    if (!sample_holds(sim, d) || !sample_forces(sim, d)) {
        rlt_diagnostics_destroy(d);
        return rlti_out_of_memory(messages);
    }
    *out = d;
    return RLT_OK;
}
