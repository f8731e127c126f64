/* Keeping the groom from sagging, when a simulation is built: what presses on hair at rest, the solve of
 * shape/sag.h, and what is told about it. */
#include <stdio.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/messages.h"
#include "base/number.h"
#include "shape/sag.h"
#include "sim/groom_hold.h"
#include "sim/groom_kick.h"

/* Every strand shows its particles as groomed, at rest. */
static void look_at_groom(rlt_simulation *sim) {
    const unsigned char *local = rlti_spread_local(sim->spread);
    float *positions = sim->floats, *velocities = positions + 3 * (size_t)sim->longest;
    for (int s = 0; s < sim->model->strand_count; s++) {
        if ((local != NULL && !local[s]) || !rlti_springs_has(sim->springs, s))
            continue;
        int first = sim->strands->first[s], n = sim->strands->first[s + 1] - first;
        rlti_vec3 root = sim->strands->points[first];
        for (int i = 0; i < n; i++) {
            rlti_vec3 arm = rlti_sub(sim->strands->points[first + i], root);
            const float p[3] = {(float)arm.x, (float)arm.y, (float)arm.z};
            for (int axis = 0; axis < 3; axis++) {
                positions[3 * i + axis] = p[axis];
                velocities[3 * i + axis] = 0.0f;
            }
        }
        rlti_springs_look(sim->springs, s, &root, positions, velocities);
    }
    rlti_spread_exchange(sim->spread, sim->springs);
}

/* Forces of the contacts of one strand, after one more step of their life. */
static int push_at_rest(rlt_simulation *sim, int s, rlti_vec3 *loads) {
    const rlti_particles *particles = sim->particles;
    int first = particles->first[s], count = particles->first[s + 1] - first;
    if (!rlti_springs_push(sim->springs, s, 0, sim->pushes, NULL))
        return 0;
    for (int k = 0; k < count; k++) {
        int p = sim->strands->first[s] + particles->point[first + k];
        const float *a = sim->pushes[k];
        loads[p] = rlti_scale(sim->model->mass[p], rlti_v3((double)a[0], (double)a[1], (double)a[2]));
    }
    return 1;
}

/* Contacts that the groom has: their springs live until they have risen to full strength, and are left so,
 * because the hair starts from the rest they are part of. */
static int load_by_contacts(rlt_simulation *sim, rlti_vec3 *loads) {
    const rlti_time_data *time = &sim->scene->time;
    const unsigned char *local = rlti_spread_local(sim->spread);
    const double most = 1000.0;
    double ramp = 0.0, steps;
    for (int h = 0; h < sim->scene->hair_count; h++)
        ramp = sim->scene->hair[h].contact_ramp > ramp ? sim->scene->hair[h].contact_ramp : ramp;
    steps = ramp * time->fps * time->outer_steps + 2.0;
    steps = steps < most ? steps : most;
    rlti_springs_begin_frame(sim->springs, sim->frame);
    rlti_springs_pose(sim->springs, 0.0);
    int fine = 1; /* if not, this rank goes on all the same: the others wait for what it shows */
    for (int n = 0; n < (int)steps; n++) {
        look_at_groom(sim);
        for (int s = 0; s < sim->model->strand_count; s++)
            if ((local == NULL || local[s]) && rlti_springs_has(sim->springs, s))
                fine = push_at_rest(sim, s, loads) && fine;
    }
    return fine;
}

/* Of all ranks. */
static void sum_over_ranks(const rlt_simulation *sim, rlt_sag_report *report) {
    rlt_ranks *ranks = rlti_spread_handle(sim->spread);
    double sums[] = {(double)report->strands,  (double)report->solved,    (double)report->stiffened,
                     (double)report->unstable, (double)report->unchecked, (double)report->kicked};
    double most[] = {report->ratio, report->factor, report->seconds};
    rlti_ranks_sum(ranks, sums, 6);
    rlti_ranks_max(ranks, most, 3);
    /* the first of all strands with that factor, as one rank alone would say */
    int mine = report->worst >= 0 && report->factor == most[1];
    double worst = mine ? -(double)report->worst : -HUGE_VAL;
    rlti_ranks_max(ranks, &worst, 1);
    report->strands = (int)sums[0];
    report->solved = (int)sums[1];
    report->stiffened = (int)sums[2];
    report->unstable = (int)sums[3];
    report->unchecked = (int)sums[4];
    report->kicked = (int)sums[5];
    report->ratio = most[0];
    report->factor = most[1];
    report->seconds = most[2];
    report->worst = sums[0] > 0.0 ? (int)-worst : -1;
}

static void tell(const rlt_simulation *sim, int h, const rlt_sag_report *r, rlt_messages *messages) {
    const rlti_hair_data *hair = &sim->scene->hair[h];
    char factor[32], ratio[32];
    rlti_number_format(floor(r->factor * 100.0 + 0.5) / 100.0, factor, sizeof factor);
    rlti_number_format(floor(r->ratio * 100.0 + 0.5) / 100.0, ratio, sizeof ratio);
    if (hair->sag.mode == RLTI_SAG_PRELOAD) {
        if (r->ratio > 1.5)
            rlti_message(
                messages, RLT_WARNING,
                "%s: hair '%s': sag.mode: preload lifts rest targets to %s times their edges: hair so "
                "soft does not stay there; solve would stiffen it",
                sim->file, hair->name, ratio);
        return;
    }
    char stiffened[96] = "";
    if (r->stiffened > 0)
        snprintf(stiffened, sizeof stiffened, "; bending of %d was stiffened, most in strand %d: %s times",
                 r->stiffened, r->worst, factor);
    char kicked[96] = "";
    if (r->kicked > 0)
        snprintf(kicked, sizeof kicked, "; of %d that have no other check, %d were kicked",
                 r->unchecked + r->kicked, r->kicked);
    rlti_message(messages, RLT_NOTE, "%s: hair '%s': sag: %d of %d strands are in equilibrium as groomed%s%s",
                 sim->file, hair->name, r->solved, r->strands, stiffened, kicked);
    if (r->solved < r->strands)
        rlti_message(messages, RLT_WARNING,
                     "%s: hair '%s': sag: %d strands have edges without bending stiffness, which will sag",
                     sim->file, hair->name, r->strands - r->solved);
    if (r->unstable > 0)
        rlti_message(messages, RLT_WARNING,
                     "%s: hair '%s': sag: the equilibrium of %d strands is not stable (rest targets up to %s "
                     "times their "
                     "edges); more bend.stiffness, or a greater sag.stiffen, or more force steps would help",
                     sim->file, hair->name, r->unstable, ratio);
}

rlt_status rlti_simulation_hold_groom(rlt_simulation *sim, rlt_messages *messages) {
    if (!rlti_sag_wanted(sim->scene))
        return RLT_OK;
    double clock = rlti_seconds(CLOCK_MONOTONIC);
    rlt_status status = RLT_OK;
    rlti_sag_result *results = RLTI_NEW(rlti_sag_result, sim->model->strand_count);
    rlti_vec3 *loads = RLTI_NEW(rlti_vec3, sim->model->point_count);
    if (results == NULL || loads == NULL)
        status = rlti_out_of_memory(messages);
    /* all ranks, or none: what follows waits for the others */
    status = rlt_ranks_agree(rlti_spread_handle(sim->spread), status, messages);
    if (status == RLT_OK && sim->springs != NULL && !load_by_contacts(sim, loads))
        status = rlti_out_of_memory(messages);
    rlti_sag_def def = {.scene = sim->scene,
                        .strands = sim->strands,
                        .local = rlti_spread_local(sim->spread),
                        .loads = loads,
                        .force_step = sim->force_step,
                        .pool = sim->pool};
    if (status == RLT_OK)
        status = rlti_sag_apply(&def, sim->model, messages, results);
    status = rlt_ranks_agree(rlti_spread_handle(sim->spread), status, messages);
    if (status == RLT_OK)
        status = rlti_simulation_kick_groom(sim, loads, results, messages);
    status = rlt_ranks_agree(rlti_spread_handle(sim->spread), status, messages);
    for (int h = 0; h < sim->scene->hair_count && status == RLT_OK; h++) {
        if (sim->scene->hair[h].sag.mode == RLTI_SAG_OFF)
            continue;
        rlt_sag_report report = rlti_sag_sum(&def, results, h);
        sum_over_ranks(sim, &report);
        tell(sim, h, &report, messages);
    }
    if (status == RLT_OK) {
        sim->statistics.sag = rlti_sag_sum(&def, results, -1);
        sim->statistics.sag.seconds = rlti_seconds(CLOCK_MONOTONIC) - clock;
        sum_over_ranks(sim, &sim->statistics.sag);
    }
    rlti_free(results);
    if (status == RLT_OK && rlti_reshape_wanted(sim->scene))
        sim->rest_loads = loads; /* needed again with every new rest shape */
    else
        rlti_free(loads);
    return status;
}
