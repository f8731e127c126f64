/* The statistics of a simulation: sizes, energies and phases by name. */
#include <string.h>

#include "base/sized.h"
#include "sim/simulation_data.h"

double rlt_named_find(const rlt_named *list, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return list[i].value;
    return 0.0;
}

/* Adds to the value of that name, which is made where it is new. */
static void add(rlt_named *list, int *count, const char *name, double value) {
    int i = 0;
    while (i < *count && strcmp(list[i].name, name) != 0)
        i++;
    if (i == RLT_NAMED_MAX)
        return;
    if (i == *count)
        list[(*count)++] = (rlt_named){name, 0.0};
    list[i].value += value;
}

void rlti_statistics_begin(rlt_simulation *sim, const rlt_simulation_def *def) {
    rlt_statistics *stats = &sim->statistics;
    const rlti_particles *particles = rlti_drive_particles(sim->drive);
    const rlti_graph *graph = rlti_drive_graph(sim->drive);
    rlti_spread *spread = rlti_drive_spread(sim->drive);
    const rlti_holds *holds = rlti_drive_constraints(sim->drive);
    double sent = (double)rlti_spread_bytes(spread);
    rlt_ranks_sum(def->ranks, &sent, 1);
    stats->exchange_bytes = (long long)sent;
    stats->threads = rlti_pool_threads(sim->pool);
    stats->simd = rlt_simd_name(rlti_solver_simd(def->simd));
    stats->model = sim->solvers[0]->type->name;
    stats->strands = sim->strands->strand_count;
    stats->points = sim->strands->point_count;
    stats->ranks = rlti_spread_ranks(spread);
    stats->rank = rlti_spread_rank(spread);
    stats->particles = particles->count;
    stats->particles_before = particles->candidates;
    stats->edges_full = graph->edges_full;
    stats->edges_near = graph->edges_near;
    stats->edges = graph->edges_final;
    stats->constraints = holds != NULL ? rlti_holds_count(holds) : 0;
    stats->poses = rlti_drive_pose_count(sim->drive);
    stats->flops_per_frame = 0.0;
    for (int k = 0; k < sim->solver_count; k++)
        stats->flops_per_frame += rlti_solver_cost_of(sim->solvers[k]).flops;
}

void rlti_statistics_energies(rlt_simulation *sim) {
    rlt_statistics *stats = &sim->statistics;
    const double *g = sim->scene->gravity;
    double gravity = 0.0;
    stats->energy_count = 0;
    add(stats->energies, &stats->energy_count, "kinetic", 0.0);
    /* one pass in strand order: sums do not depend on threads and ranks */
    for (int s = 0; s < sim->strands->strand_count; s++) {
        const rlti_measure *m = &sim->measures[s];
        const char *const *names = rlti_simulation_solver(sim, s)->type->energies;
        const rlti_vec3 *o = &rlti_drive_origins(sim->drive)[s];
        stats->energies[0].value += m->kinetic;
        gravity += m->gravity - m->mass * (g[0] * o->x + g[1] * o->y + g[2] * o->z);
        for (int e = 0; names[e] != NULL; e++)
            add(stats->energies, &stats->energy_count, names[e], m->energies[e]);
    }
    add(stats->energies, &stats->energy_count, "gravity", gravity);
}

/* Seconds by phase since creation. */
static void list_phases(const rlt_simulation *sim, rlt_statistics *stats) {
    rlt_named *list = stats->phases;
    int *count = &stats->phase_count;
    rlti_laps sum = {0};
    *count = 0;
    for (int w = 0; w < rlti_pool_threads(sim->pool); w++) {
        const rlti_laps *laps = rlti_drive_laps(sim->drive, w);
        sum.detect += laps->detect;
        sum.collide += laps->collide;
        sum.contact += laps->contact;
        sum.step += laps->step;
        for (int p = 0; p < RLTI_PARTS_MAX; p++)
            sum.part[p] += laps->part[p];
    }
    add(list, count, "load", sim->seconds_load);
    add(list, count, "drive", sim->seconds_drive);
    add(list, count, "detect", sum.detect);
    add(list, count, "collide", sum.collide);
    add(list, count, "contact", sum.contact);
    add(list, count, "step", sum.step);
    add(list, count, "exchange", rlti_drive_seconds_exchange(sim->drive));
    add(list, count, "check", sim->seconds_check);
    for (int k = 0; k < sim->solver_count; k++) /* parts of "step" */
        for (int p = 0; p < RLTI_PARTS_MAX && sim->solvers[k]->type->parts[p] != NULL; p++)
            add(list, count, sim->solvers[k]->type->parts[p], sum.part[p]);
}

rlt_status rlt_simulation_statistics(const rlt_simulation *sim, rlt_statistics *statistics) {
    size_t points = (size_t)sim->strands->point_count, strands = (size_t)sim->strands->strand_count;
    rlt_statistics own = sim->statistics;
    list_phases(sim, &own);
    /* groom, view and measures; contact lists may grow, so all is counted when asked */
    own.bytes = points * 3 * sizeof(rlti_vec3) +
                strands * (sizeof(rlti_root) + sizeof(rlti_measure) + 3 * sizeof(int) + 1) +
                rlti_matter_bytes(sim->matter) + rlti_drive_bytes(sim->drive);
    for (int k = 0; k < sim->solver_count; k++)
        own.bytes += sim->solvers[k]->type->bytes(sim->solvers[k]);
    return RLTI_WRITE(rlt_statistics, statistics, &own, NULL);
}
