/* Keeping the groom from sagging, when a simulation is built: what presses on hair at rest, each model's own
 * solve, and the report. */
#include <stdio.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/messages.h"
#include "shape/reshape.h"
#include "sim/settle.h"
#include "sim/settle_kick.h"

/* Of all ranks. */
static void sum_over_ranks(const rlt_simulation *sim, rlt_sag_report *report) {
    rlt_ranks *ranks = rlti_simulation_ranks(sim);
    double sums[] = {(double)report->strands,  (double)report->solved,    (double)report->stiffened,
                     (double)report->unstable, (double)report->unchecked, (double)report->kicked};
    double maximum[] = {report->ratio, report->factor, report->seconds};
    rlt_ranks_sum(ranks, sums, 6);
    rlti_ranks_max(ranks, maximum, 3);
    /* the first of all strands with that factor, as one rank alone would say */
    int mine = report->worst >= 0 && report->factor == maximum[1];
    double worst = mine ? -(double)report->worst : -HUGE_VAL;
    rlti_ranks_max(ranks, &worst, 1);
    report->strands = (int)sums[0];
    report->solved = (int)sums[1];
    report->stiffened = (int)sums[2];
    report->unstable = (int)sums[3];
    report->unchecked = (int)sums[4];
    report->kicked = (int)sums[5];
    report->ratio = maximum[0];
    report->factor = maximum[1];
    report->seconds = maximum[2];
    report->worst = sums[0] > 0.0 ? (int)-worst : -1;
}

static void report_section(const rlt_simulation *sim, int h, const rlt_sag_report *r,
                           rlt_messages *messages) {
    const rlti_hair_data *hair = &sim->scene->hair[h];
    rlti_sag_words words;
    rlti_solver_find(hair->model)->describe_sag(hair, r->ratio, &words);
    if (hair->sag.mode == RLTI_SAG_PRELOAD) {
        if (r->ratio > 1.5)
            rlti_message(messages, RLT_WARNING,
                         "%s: hair '%s': sag.mode: preload %s: hair so soft does not stay there; sag.mode: "
                         "solve stiffens it",
                         sim->file, hair->name, words.changed);
        return;
    }
    char stiffened[96] = "";
    if (r->stiffened > 0)
        snprintf(stiffened, sizeof stiffened, "; bending of %d was stiffened, at most %.3g times (strand %d)",
                 r->stiffened, r->factor, r->worst);
    char kicked[96] = "";
    if (r->kicked > 0)
        snprintf(kicked, sizeof kicked, "; of %d that have no other check, %d were kicked",
                 r->unchecked + r->kicked, r->kicked);
    rlti_message(messages, RLT_NOTE, "%s: hair '%s': sag: %d of %d strands are in equilibrium as groomed%s%s",
                 sim->file, hair->name, r->solved, r->strands, stiffened, kicked);
    if (r->solved < r->strands)
        rlti_message(messages, RLT_WARNING, "%s: hair '%s': sag: %d strands have %s, which will sag; %s",
                     sim->file, hair->name, r->strands - r->solved, words.weak, words.stiffen);
    if (r->unstable > 0)
        rlti_message(messages, RLT_WARNING,
                     "%s: hair '%s': sag: the equilibrium of %d strands is not stable (%s); %s", sim->file,
                     hair->name, r->unstable, words.reach, words.steady);
}

/* Every model settles its strands; those that have no other check are kicked. */
static rlt_status settle_models(rlt_simulation *sim, const rlti_vec3 *loads, rlti_sag_result *results,
                                rlt_messages *messages) {
    rlt_status status = RLT_OK;
    for (int s = 0; s < sim->strands->strand_count; s++)
        results[s] = (rlti_sag_result){.ratio = 1.0, .factor = 1.0, .stable = 2};
    for (int k = 0; k < sim->solver_count && status == RLT_OK; k++)
        if (sim->solvers[k]->type->settles)
            status = sim->solvers[k]->type->settle(sim->solvers[k], rlti_drive_local(sim->drive), loads,
                                                   results, messages);
    status = rlt_ranks_agree(rlti_simulation_ranks(sim), status, messages);
    if (status == RLT_OK)
        status = rlti_simulation_kick_groom(sim, rlti_drive_springs(sim->drive) != NULL ? loads : NULL,
                                            results, messages);
    return rlt_ranks_agree(rlti_simulation_ranks(sim), status, messages);
}

static void report(rlt_simulation *sim, const rlti_sag_result *results, double seconds,
                   rlt_messages *messages) {
    const unsigned char *local = rlti_drive_local(sim->drive);
    for (int h = 0; h < sim->scene->hair_count; h++) {
        if (sim->scene->hair[h].sag.mode == RLTI_SAG_OFF)
            continue;
        rlt_sag_report section = rlti_sag_sum(sim->scene, sim->strands, local, results, h);
        sum_over_ranks(sim, &section);
        report_section(sim, h, &section, messages);
    }
    sim->statistics.sag = rlti_sag_sum(sim->scene, sim->strands, local, results, -1);
    sim->statistics.sag.seconds = seconds;
    sum_over_ranks(sim, &sim->statistics.sag);
}

rlt_status rlti_simulation_settle(rlt_simulation *sim, rlt_messages *messages) {
    if (!rlti_sag_wanted(sim->scene))
        return RLT_OK;
    double clock = rlti_seconds(CLOCK_MONOTONIC);
    rlti_sag_result *results = RLTI_NEW(rlti_sag_result, sim->strands->strand_count);
    rlti_vec3 *loads = RLTI_NEW(rlti_vec3, sim->strands->point_count);
    rlt_status status = results != NULL && loads != NULL ? RLT_OK : rlti_out_of_memory(messages);
    /* all ranks, or none: what follows waits for the others */
    status = rlt_ranks_agree(rlti_simulation_ranks(sim), status, messages);
    if (status == RLT_OK && !rlti_drive_press(sim->drive, sim->frame, loads))
        status = rlti_out_of_memory(messages);
    status = rlt_ranks_agree(rlti_simulation_ranks(sim), status, messages);
    if (status == RLT_OK)
        status = settle_models(sim, loads, results, messages);
    if (status == RLT_OK)
        report(sim, results, rlti_seconds(CLOCK_MONOTONIC) - clock, messages);
    rlti_free(results);
    if (status == RLT_OK && rlti_reshape_wanted(sim->scene))
        sim->rest_loads = loads; /* needed again with every new rest shape */
    else
        rlti_free(loads);
    return status;
}
