/* Where the numbers of a plan come from: the groom and its contact graph, two frames on one thread, and a
 * network that is given, measured or assumed. The arithmetic is in plan_model.c. */
#include "ringlet/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/messages.h"
#include "base/sized.h"
#include "contact/hair/springs.h"
#include "distribute/ranks.h"
#include "scene/readers.h"
#include "sim/plan_model.h"
#include "sim/simulation_data.h"

/* A farm's network: 10 gigabit Ethernet through TCP. */
#define ASSUMED_LATENCY   25e-6
#define ASSUMED_BANDWIDTH 1.1e9

/* Bytes of contact lists per neighbour of a hair, where no simulation was run. */
#define ASSUMED_LIST 500.0

#define RANKS_MAX 1000000

struct rlt_plan {
    rlt_plan_summary summary;
    int count;
    rlt_plan_line *lines; /* [count] */
};

/* Everything built from the scene: a simulation on one thread, and lists of its strands. */
typedef struct builder {
    rlt_simulation *sim;
    const rlti_strands *strands; /* the simulation's */
    const rlti_particles *particles;
    const rlti_graph *graph;
    int *points, *kept, *order, *section; /* [strands] */
    int *part;                            /* [strands] */
    rlti_plan_input input;
} builder;

rlt_status rlt_plan_def_reset(rlt_plan_def *def) {
    const rlt_plan_def standard = {.threads_per_rank = 1,
                                   .partition = RLT_PARTITION_AUTO,
                                   .latency = -1.0,
                                   .latency_source = RLT_PLAN_GIVEN,
                                   .bandwidth_source = RLT_PLAN_GIVEN};
    return RLTI_WRITE(rlt_plan_def, def, &standard, NULL);
}

static void builder_destroy(builder *b) {
    rlt_simulation_destroy(b->sim);
    RLTI_FREE(b->points, b->kept, b->order, b->section, b->part);
}

typedef struct entry {
    int section, points, strand;
} entry;

/* The order in which a rank's strands fill its tiles (solve/layout.c). */
static int compare(const void *a, const void *b) {
    const entry *x = a, *y = b;
    if (x->section != y->section)
        return x->section < y->section ? -1 : 1;
    if (x->points != y->points)
        return x->points > y->points ? -1 : 1;
    return x->strand < y->strand ? -1 : x->strand > y->strand;
}

static int list_strands(builder *b) {
    int n = b->strands->strand_count;
    entry *entries = RLTI_NEW(entry, n);
    int ok = RLTI_ALLOCATE(RLTI_ITEMS(b->points, n), RLTI_ITEMS(b->kept, n), RLTI_ITEMS(b->order, n),
                           RLTI_ITEMS(b->section, n), RLTI_ITEMS(b->part, n)) &&
             entries != NULL;
    for (int s = 0; ok && s < n; s++) {
        b->points[s] = b->strands->first[s + 1] - b->strands->first[s];
        b->kept[s] = b->particles->first[s + 1] - b->particles->first[s];
        b->section[s] = b->strands->hair[s];
        entries[s] = (entry){b->section[s], b->points[s], s};
    }
    if (ok)
        qsort(entries, (size_t)n, sizeof(entry), compare);
    for (int i = 0; ok && i < n; i++)
        b->order[i] = entries[i].strand;
    rlti_free(entries);
    return ok;
}

/* Particles and what is seen of them: every rank has all. */
static double particle_memory(const builder *b) {
    return (double)b->particles->count *
           (2 * sizeof(int) + 2 * sizeof(float) + sizeof(rlti_vec3) + sizeof(rlti_seen) + 8 * sizeof(float));
}

/* The first model's; a plan for several takes it for all. */
static rlti_solver_cost cost_of(const builder *b) {
    return rlti_solver_cost_of(b->sim->solvers[0]);
}

/* Memory that every rank has: groom, constants, view, particles, graph, body. */
static double common_memory(const builder *b) {
    const rlti_mesh *mesh = rlti_body_mesh(b->sim->body);
    double point = sizeof(rlti_vec3) * 3 + sizeof(double) + sizeof(float);
    double strand = sizeof(rlti_root) + sizeof(rlti_vec3) + sizeof(rlti_measure) + 256;
    double end = 2 * sizeof(int); /* of an edge of the graph */
    double constants = (double)rlti_matter_bytes(b->sim->matter);
    for (int k = 0; k < b->sim->solver_count; k++)
        constants += rlti_solver_cost_of(b->sim->solvers[k]).constants;
    return constants + point * b->strands->point_count + strand * b->strands->strand_count +
           particle_memory(b) + end * (double)b->graph->first[b->graph->count] +
           2.0 * sizeof(rlti_vec3) * mesh->vertex_count + 3.0 * sizeof(int) * mesh->triangle_count;
}

/* Memory that this process really has now, 0 where the system does not say: lists have more capacity than
 * they use. */
static double resident_bytes(void) {
    long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file != NULL) {
        if (fscanf(file, "%*d %lld", &pages) != 1)
            pages = 0;
        fclose(file);
    }
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

/* A phase of a frame, as a share of its seconds. */
static double phase_share(const rlt_statistics *before, const rlt_statistics *after, const char *name,
                          double seconds) {
    double phase = rlt_named_find(after->phases, after->phase_count, name) -
                   rlt_named_find(before->phases, before->phase_count, name);
    double share = seconds > 0.0 ? phase / seconds : 0.0;
    return share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share;
}

/* The second of two frames on one thread (in the first, memory and caches are new), in seconds of the
 * processor: what else runs on this machine does not count. */
static rlt_status measure_seconds(rlt_simulation *sim, rlt_messages *messages, rlt_plan_summary *summary) {
    rlt_statistics before = {.size = sizeof before}, after = before;
    rlt_status status = RLT_OK;
    double wall = 0.0;
    for (int frame = 0; frame < 2 && status == RLT_OK; frame++) {
        rlt_simulation_statistics(sim, &before);
        double start = rlti_seconds(CLOCK_MONOTONIC);
        status = rlt_simulation_advance(sim, messages);
        wall = rlti_seconds(CLOCK_MONOTONIC) - start;
    }
    if (status != RLT_OK)
        return status;
    rlt_simulation_statistics(sim, &after);
    double step = phase_share(&before, &after, "step", wall);
    summary->seconds = after.cpu_seconds - before.cpu_seconds;
    summary->step_share = wall > 0.0 ? step : 1.0;
    if (after.solved_steps > 0) {
        /* of finding and solving contacts half, about: trees, the list of all of them, who solves which
         * (bench/results/2026-11-18-ranks.md) */
        double common = 0.5 * (phase_share(&before, &after, "contact", wall) +
                               phase_share(&before, &after, "detect", wall));
        summary->common_share = common < 1.0 - step ? common : 1.0 - step;
    }
    return RLT_OK;
}

/* Lists of contacts, per neighbour of a hair [byte]: what a simulation took besides what is known. */
static double list_memory(const rlti_plan_input *input, double memory) {
    double ends = (double)input->graph->first[input->graph->count];
    double lists = memory - input->memory_common - input->memory_tile * rlti_plan_tiles(input);
    return ends > 0.0 && lists > 0.0 ? lists / ends : ASSUMED_LIST;
}

/* Warns where no frame is run: how much of it all ranks do alike is not known then. */
static void warn_of_common(const rlt_simulation *sim, const rlt_plan_def *def, rlt_messages *messages) {
    for (int h = 0; h < sim->scene->hair_count && def->seconds > 0.0; h++)
        if (rlti_hair_solves_contacts(&sim->scene->hair[h])) {
            rlti_warn(messages,
                      "seconds per frame are given, but a part of solving contacts is every rank's work; "
                      "leave them out to have that measured");
            return;
        }
}

static rlt_status build(const rlt_scene *scene, const rlt_plan_def *def, rlt_plan_summary *summary,
                        rlt_messages *messages, builder *b) {
    double resident = resident_bytes(), memory = 0.0;
    rlt_simulation_def alone = rlt_simulation_defaults();
    alone.threads = 1;
    rlt_status status = rlt_simulation_create(scene, &alone, messages, &b->sim);
    if (status == RLT_OK && def->seconds == 0.0) {
        status = measure_seconds(b->sim, messages, summary);
        memory = resident_bytes() - resident;
    }
    if (status != RLT_OK)
        return status;
    warn_of_common(b->sim, def, messages);
    b->strands = b->sim->strands;
    b->particles = rlti_drive_particles(b->sim->drive);
    b->graph = rlti_drive_graph(b->sim->drive);
    if (!list_strands(b))
        return rlti_out_of_memory(messages);
    b->input = (rlti_plan_input){
        .graph = b->graph,
        .points = b->points,
        .particles = b->kept,
        .order = b->order,
        .section = b->section,
        .lanes = cost_of(b).lanes,
        .threads = def->threads_per_rank,
        .exchanges = b->sim->scene->time.outer_steps,
        .seconds = summary->seconds,
        .step_share = summary->step_share,
        .common_share = summary->common_share,
        .latency = summary->latency,
        .bandwidth = summary->bandwidth,
        .memory_common = common_memory(b),
        .memory_tile = cost_of(b).point_bytes,
    };
    b->input.memory_edge = list_memory(&b->input, memory);
    return RLT_OK;
}

/* All problems of the def at once. */
static rlt_status check_def(const rlt_plan_def *def, rlt_messages *messages) {
    rlt_status status = RLT_OK;
    for (int i = 0; i < def->count; i++)
        if (def->counts[i] < 1 || def->counts[i] > RANKS_MAX)
            status = rlti_refuse(messages, "ranks = %d: must be 1 to %d", def->counts[i], RANKS_MAX);
    if (def->count < 1)
        status = rlti_refuse(messages, "ranks: at least one number is needed");
    if (def->threads_per_rank < 1 || def->threads_per_rank > 1024)
        status = rlti_refuse(messages, "threads per rank = %d: must be 1 to 1024", def->threads_per_rank);
    /* not (x < y): NaN is refused as well */
    if (!(def->seconds >= 0.0 && def->seconds < 1e9))
        status = rlti_refuse(messages, "seconds per frame: must be above 0, or 0 to measure");
    if (!(def->latency < 1e6))
        status = rlti_refuse(messages, "latency: must be a number of seconds");
    if (!(def->bandwidth >= 0.0 && def->bandwidth < 1e18))
        status = rlti_refuse(messages, "bandwidth: must be a number of bytes per second above 0");
    if (def->partition == RLT_PARTITION_METIS && !rlti_partition_has_metis())
        status = rlti_refuse(
            messages,
            "partition = metis: this Ringlet was built without METIS; choose auto, split or greedy");
    return status;
}

/* One count; the partition is left in b->part. */
static rlt_status predict(builder *b, int ranks, rlt_partition method, rlt_messages *messages,
                          rlt_plan_line *line) {
    *line = (rlt_plan_line){.ranks = ranks};
    if (ranks > b->graph->count)
        return RLT_OK;
    rlt_status status = rlti_partition(b->graph, b->points, ranks, method, messages, b->part);
    if (status == RLT_OK)
        status = rlti_plan_line(&b->input, ranks, b->part, messages, line);
    return status;
}

static rlt_status fill(rlt_plan *plan, const rlt_scene *scene, const rlt_plan_def *def,
                       rlt_messages *messages, builder *b) {
    plan->summary = (rlt_plan_summary){
        .seconds = def->seconds,
        .step_share = 1.0,
        .latency = def->latency >= 0.0 ? def->latency : ASSUMED_LATENCY,
        .bandwidth = def->bandwidth > 0.0 ? def->bandwidth : ASSUMED_BANDWIDTH,
        .seconds_source = def->seconds > 0.0 ? RLT_PLAN_GIVEN : RLT_PLAN_MEASURED,
        .latency_source = def->latency >= 0.0 ? def->latency_source : RLT_PLAN_ASSUMED,
        .bandwidth_source = def->bandwidth > 0.0 ? def->bandwidth_source : RLT_PLAN_ASSUMED,
    };
    rlt_status status = build(scene, def, &plan->summary, messages, b);
    rlt_plan_line alone = {0};
    if (status == RLT_OK)
        status = predict(b, 1, def->partition, messages, &alone);
    for (int i = 0; i < def->count && status == RLT_OK; i++)
        status = predict(b, def->counts[i], def->partition, messages, &plan->lines[i]);
    if (status != RLT_OK)
        return status;
    plan->summary.strands = b->strands->strand_count;
    plan->summary.points = b->strands->point_count;
    plan->summary.particles = b->particles->count;
    plan->summary.edges = b->graph->edges_final;
    plan->summary.exchanges = b->input.exchanges;
    rlti_plan_judge(alone.seconds, plan->lines, plan->count, &plan->summary);
    return RLT_OK;
}

rlt_status rlt_plan_create(const rlt_scene *scene, const rlt_plan_def *def, rlt_messages *messages,
                           rlt_plan **plan) {
    rlt_plan_def own = rlt_plan_defaults();
    *plan = NULL;
    if (RLTI_READ(rlt_plan_def, &own, def, messages) != RLT_OK)
        return RLT_BAD_INPUT;
    def = &own;
    rlt_status status = check_def(def, messages);
    if (status != RLT_OK)
        return status;
    builder b = {0};
    rlt_plan *made = RLTI_NEW(rlt_plan, 1);
    if (made != NULL) {
        made->count = def->count;
        made->lines = RLTI_NEW(rlt_plan_line, def->count);
    }
    if (made == NULL || made->lines == NULL)
        status = rlti_out_of_memory(messages);
    else
        status = fill(made, scene, def, messages, &b);
    builder_destroy(&b);
    if (status == RLT_OK)
        *plan = made;
    else
        rlt_plan_destroy(made);
    return status;
}

void rlt_plan_destroy(rlt_plan *plan) {
    if (plan == NULL)
        return;
    RLTI_FREE(plan->lines, plan);
}

rlt_status rlt_plan_summarise(const rlt_plan *plan, rlt_plan_summary *summary) {
    return RLTI_WRITE(rlt_plan_summary, summary, &plan->summary, NULL);
}

int rlt_plan_get(const rlt_plan *plan, int index, rlt_plan_line *line) {
    return index >= 0 && index < plan->count &&
           RLTI_WRITE(rlt_plan_line, line, &plan->lines[index], NULL) == RLT_OK;
}

void rlt_plan_measure_network(rlt_ranks *ranks, double *latency, double *bandwidth) {
    const size_t large = 4 << 20;
    if (rlt_ranks_count(ranks) < 2)
        return;
    /* on a busy machine a small message may happen to take longer than a large one */
    for (int tries = 0; tries < 5; tries++) {
        double small_time = rlti_ranks_ping(ranks, 8, 200), large_time = rlti_ranks_ping(ranks, large, 10);
        *latency = small_time;
        if (!(large_time > small_time))
            continue;
        *bandwidth = (double)large / (large_time - small_time);
        return;
    }
}
