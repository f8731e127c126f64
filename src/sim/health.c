/* The health check: after each frame, every strand is finite, not absurdly fast and not absurdly long. A run
 * that fails it stops with strand, frame and cause; nothing is ever reset silently. */
#include "base/messages.h"
#include "base/number.h"
#include "sim/simulation_data.h"

#include <float.h>
#include <stdio.h>

static int is_healthy(const rlt_simulation *sim, const rlti_measure *m) {
    return m->finite && !(m->fastest > sim->scene->speed_limit) && !(m->longest > sim->scene->stretch_alarm);
}

/* Names the strand and what is wrong with it. */
static rlt_status report_failure(const rlt_simulation *sim, int strand, int failed, rlt_messages *messages) {
    const rlti_measure *m = &sim->measures[strand];
    const char *name = sim->scene->hair[sim->strands->hair[strand]].name;
    const char *remedy = rlti_simulation_solver(sim, strand)->type->remedy;
    if (remedy == NULL)
        remedy = "raise time.outer_steps or time.force_steps, or lower the stiffness";
    char cause[160], value[32], limit[32];
    int too_fast = m->fastest > sim->scene->speed_limit;
    rlti_number_short(too_fast ? m->fastest : m->longest, value, sizeof(value));
    rlti_number_format(too_fast ? sim->scene->speed_limit : sim->scene->stretch_alarm, limit, sizeof(limit));
    if (!m->finite && !(m->mass > 0.0 && m->mass <= DBL_MAX)) {
        snprintf(cause, sizeof(cause), "its mass is too %s for the precision of the step kernel",
                 m->mass > 0.0 ? "large" : "small");
        remedy = m->mass > 0.0 ? "lower hair.mass" : "raise hair.mass";
    } else if (!m->finite)
        snprintf(cause, sizeof(cause), "a position or velocity is not a finite number");
    else if (too_fast)
        snprintf(cause, sizeof(cause), "a point moves at %s unit/s (health.speed_limit = %s)", value, limit);
    else
        snprintf(cause, sizeof(cause), "an edge is %s times its rest length (health.stretch_alarm = %s)",
                 value, limit);
    return rlti_fail(messages, RLT_DIVERGED, "%s: frame %d: strand %d of %s diverged: %s%s; %s", sim->file,
                     sim->frame + 1, strand, name[0] != '\0' ? name : "hair", cause,
                     failed > 1 ? " (and others)" : "", remedy);
}

rlt_status rlti_simulation_check(rlt_simulation *sim, rlt_messages *messages) {
    rlti_spread *spread = rlti_drive_spread(sim->drive);
    rlt_statistics *stats = &sim->statistics;
    int failed = 0, first_failed = -1;
    for (int k = 0; k < sim->solver_count; k++)
        sim->solvers[k]->type->measure(sim->solvers[k], sim->scene->gravity, sim->measures);
    rlti_spread_gather_strands(spread, sim->measures, sizeof(rlti_measure));
    rlti_spread_gather_strands(spread, rlti_drive_origins(sim->drive), sizeof(rlti_vec3));
    if (rlti_spread_rank(spread) > 0)
        return RLT_OK; /* rank 0 checks all strands, and its word counts */
    stats->fastest = stats->longest = 0.0;
    for (int s = 0; s < sim->strands->strand_count; s++) {
        const rlti_measure *m = &sim->measures[s];
        if (!is_healthy(sim, m) && failed++ == 0)
            first_failed = s;
        stats->fastest = m->fastest > stats->fastest ? m->fastest : stats->fastest;
        stats->longest = m->longest > stats->longest ? m->longest : stats->longest;
    }
    rlti_statistics_energies(sim);
    return failed > 0 ? report_failure(sim, first_failed, failed, messages) : RLT_OK;
}
