/* The health check: after each frame, every strand is finite, not absurdly fast and not absurdly long. A run
 * that fails it stops with strand, frame and cause; nothing is ever reset silently. */
#include "base/messages.h"
#include "base/number.h"
#include "sim/simulation_data.h"

#include <stdio.h>

static void measure_tile(void *context, int tile, int worker) {
    rlt_simulation *sim = context;
    rlti_measure measures[RLTI_BLOCK_STRANDS];
    sim->kernel->measure(rlti_simulation_tile(sim, tile, worker), sim->scene->gravity, measures);
    int first = sim->layout.first[tile];
    for (int k = 0; first + k < sim->layout.first[tile + 1]; k++)
        sim->measures[sim->layout.order[first + k]] = measures[k];
}

rlt_status rlti_simulation_check(rlt_simulation *sim, rlt_messages *messages) {
    rlti_pool_for(sim->pool, sim->layout.tile_count, measure_tile, sim);

    rlti_spread_gather_strands(sim->spread, sim->measures, sizeof(rlti_measure));
    rlti_spread_gather_strands(sim->spread, sim->origins, sizeof(rlti_vec3));
    if (rlti_spread_rank(sim->spread) > 0)
        return RLT_OK; /* rank 0 looks at all strands, and its word counts */

    /* one pass in strand order: sums do not depend on threads and ranks */
    rlt_statistics *stats = &sim->statistics;
    stats->fastest = stats->longest = 0.0;
    stats->kinetic = stats->stretch = stats->bend = stats->core = stats->gravity = 0.0;
    const double *g = sim->scene->gravity;
    int failed = 0, first_failed = -1;
    for (int s = 0; s < sim->model->strand_count; s++) {
        const rlti_measure *m = &sim->measures[s];
        if (!m->finite || m->fastest > sim->scene->speed_limit || m->longest > sim->scene->stretch_alarm) {
            if (failed++ == 0)
                first_failed = s;
        }
        stats->fastest = m->fastest > stats->fastest ? m->fastest : stats->fastest;
        stats->longest = m->longest > stats->longest ? m->longest : stats->longest;
        stats->kinetic += m->kinetic;
        stats->stretch += m->stretch;
        stats->bend += m->bend;
        stats->core += m->core;
        const rlti_vec3 *o = &sim->origins[s];
        stats->gravity += m->gravity - m->mass * (g[0] * o->x + g[1] * o->y + g[2] * o->z);
    }
    if (failed == 0)
        return RLT_OK;

    const rlti_measure *m = &sim->measures[first_failed];
    const char *name = sim->scene->hair[sim->strands->hair[first_failed]].name;
    char cause[160], value[32], limit[32];
    int too_fast = m->fastest > sim->scene->speed_limit;
    rlti_number_format(too_fast ? m->fastest : m->longest, value, sizeof(value));
    rlti_number_format(too_fast ? sim->scene->speed_limit : sim->scene->stretch_alarm, limit, sizeof(limit));
    if (!m->finite)
        snprintf(cause, sizeof(cause), "a position or velocity is not a finite number");
    else if (too_fast)
        snprintf(cause, sizeof(cause), "a point moves at %s unit/s (health.speed_limit = %s)", value, limit);
    else
        snprintf(cause, sizeof(cause), "an edge is %s times its rest length (health.stretch_alarm = %s)",
                 value, limit);
    return rlti_fail(messages, RLT_DIVERGED,
                     "%s: frame %d: strand %d of %s diverged: %s%s; more steps or less stiffness may help",
                     sim->file, sim->frame + 1, first_failed, name[0] != '\0' ? name : "hair", cause,
                     failed > 1 ? " (and others)" : "");
}
