/* Where the numbers of a plan come from: the groom and its contact graph, two frames on one thread, and a
 * network that is given, measured or assumed. The arithmetic is in plan_model.c. */
#include "ringlet/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/messages.h"
#include "contact/springs.h"
#include "distribute/ranks.h"
#include "sim/plan_model.h"
#include "solve/kernel.h"

/* A farm's network: 10 gigabit Ethernet through TCP. */
#define ASSUMED_LATENCY   25e-6
#define ASSUMED_BANDWIDTH 1.1e9

/* Bytes of contact lists per neighbour of a hair, where no simulation was run. */
#define ASSUMED_LIST 500.0

#define MOST_RANKS 1000000

struct rlt_plan {
    rlt_plan_summary summary;
    int count;
    rlt_plan_line *lines; /* [count] */
};

/* What is built from the scene. */
typedef struct builder {
    const rlti_scene_data *scene;
    rlti_body *body;
    rlti_strands *strands;
    rlti_taz_model *model;
    rlti_particles *particles;
    rlti_graph *graph;
    rlti_pool *pool;
    int *points, *kept, *order, *section; /* [strands] */
    int *part;                            /* [strands] */
    rlti_plan_input input;
} builder;

rlt_plan_def rlt_plan_defaults(void) {
    rlt_plan_def def = {.threads_per_rank = 1,
                        .partition = RLT_PARTITION_AUTO,
                        .latency = -1.0,
                        .latency_source = RLT_PLAN_GIVEN,
                        .bandwidth_source = RLT_PLAN_GIVEN};
    return def;
}

static void builder_destroy(builder *b) {
    rlti_pool_destroy(b->pool);
    rlti_graph_destroy(b->graph);
    rlti_particles_destroy(b->particles);
    rlti_taz_model_destroy(b->model);
    rlti_groom_destroy(b->strands);
    rlti_body_destroy(b->body);
    rlti_free(b->points);
    rlti_free(b->kept);
    rlti_free(b->order);
    rlti_free(b->section);
    rlti_free(b->part);
}

typedef struct entry {
    int section, points, strand;
} entry;

/* The order in which a rank's strands fill its tiles (sim/layout.c). */
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
    b->points = RLTI_NEW(int, n);
    b->kept = RLTI_NEW(int, n);
    b->order = RLTI_NEW(int, n);
    b->section = RLTI_NEW(int, n);
    b->part = RLTI_NEW(int, n);
    int ok = entries != NULL && b->points != NULL && b->kept != NULL && b->order != NULL &&
             b->section != NULL && b->part != NULL;
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

/* Bytes of a tile per point of its longest strand, from one that is made for it. */
static double measure_tile_memory(const builder *b, const rlti_kernel *kernel) {
    const rlti_time_data *time = &b->scene->time;
    int count = 0, n = b->strands->strand_count;
    while (count < n && count < kernel->lanes && b->section[b->order[count]] == b->section[b->order[0]])
        count++;
    rlti_tile_def def = {.model = b->model,
                         .hair = &b->scene->hair[b->section[b->order[0]]],
                         .strands = b->order,
                         .count = count,
                         .force_step = 1.0 / (time->fps * time->outer_steps * time->force_steps),
                         .damping_steps = time->damping_steps};
    rlti_tile *tile = kernel->create(&def);
    double bytes = tile != NULL ? (double)kernel->bytes(tile) / b->points[b->order[0]] : 0.0;
    if (tile != NULL)
        kernel->destroy(tile);
    return bytes;
}

/* Particles and what is seen of them: every rank has all. */
static double particle_memory(const builder *b) {
    return (double)b->particles->count *
           (2 * sizeof(int) + 2 * sizeof(float) + sizeof(rlti_vec3) + sizeof(rlti_seen) + 8 * sizeof(float));
}

/* What every rank has: groom, constants, view, particles, graph, body. */
static double common_memory(const builder *b) {
    const rlti_mesh *mesh = rlti_body_mesh(b->body);
    double point = sizeof(rlti_vec3) * 3 + 16 * sizeof(double) + sizeof(double) + sizeof(float);
    double strand =
        sizeof(rlti_root) + sizeof(rlti_taz_strand) + sizeof(rlti_vec3) + sizeof(rlti_measure) + 256;
    double end = 2 * sizeof(int); /* of an edge of the graph */
    return point * b->strands->point_count + strand * b->strands->strand_count + particle_memory(b) +
           end * (double)b->graph->first[b->graph->count] + 2.0 * sizeof(rlti_vec3) * mesh->vertex_count +
           3.0 * sizeof(int) * mesh->triangle_count;
}

/* Memory that this process really has now, 0 where the system does not say: lists have more room than they
 * use. */
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

/* The second of two frames on one thread (in the first, memory and caches are new), in seconds of the
 * processor: what else runs on this machine does not count. */
static rlt_status measure_seconds(const rlt_scene *scene, rlt_messages *messages, rlt_plan_summary *summary,
                                  double *memory) {
    double resident = resident_bytes();
    rlt_simulation_def def = rlt_simulation_defaults();
    rlt_simulation *simulation = NULL;
    rlt_statistics before = {0}, after = {0};
    double wall = 0.0;
    def.threads = 1;
    rlt_status status = rlt_simulation_create(scene, &def, messages, &simulation);
    for (int frame = 0; frame < 2 && status == RLT_OK; frame++) {
        rlt_simulation_statistics(simulation, &before);
        double start = rlti_seconds(CLOCK_MONOTONIC);
        status = rlt_simulation_advance(simulation, messages);
        wall = rlti_seconds(CLOCK_MONOTONIC) - start;
    }
    if (status == RLT_OK) {
        rlt_simulation_statistics(simulation, &after);
        double share = wall > 0.0 ? (after.seconds_step - before.seconds_step) / wall : 1.0;
        summary->seconds = after.cpu_seconds - before.cpu_seconds;
        summary->step_share = share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share;
        *memory = resident_bytes() - resident;
    }
    rlt_simulation_destroy(simulation);
    return status;
}

static rlt_status build_groom(const rlt_scene *scene, rlt_messages *messages, builder *b) {
    b->scene = rlti_scene_get(scene);
    int first_message = rlt_messages_count(messages);
    rlt_status status = rlti_body_create(b->scene, messages, &b->body);
    if (status == RLT_OK)
        status = rlti_groom_create(b->scene, b->body, messages, &b->strands);
    if (status == RLT_OK)
        status = rlti_taz_model_create(b->scene, b->strands, messages, &b->model);
    if (status == RLT_OK)
        status = rlti_particles_create(b->scene, b->strands, b->model, messages, &b->particles);
    rlti_messages_prefix(messages, first_message, rlti_scene_file(scene));
    if (status != RLT_OK)
        return status;
    b->pool = rlti_pool_create(rlti_core_count());
    if (b->pool == NULL)
        return rlti_fail(messages, RLT_FAILED, "cannot start %d threads", rlti_core_count());
    status = rlti_graph_create(b->scene, b->strands, b->particles, b->pool, messages, &b->graph);
    if (status == RLT_OK && !list_strands(b))
        status = rlti_out_of_memory(messages);
    return status;
}

/* Lists of contacts, per neighbour of a hair [byte]: what a simulation took besides what is known. */
static double list_memory(const rlti_plan_input *input, double memory) {
    double ends = (double)input->graph->first[input->graph->count];
    double lists = memory - input->memory_common - input->memory_tile * rlti_plan_tiles(input);
    return ends > 0.0 && lists > 0.0 ? lists / ends : ASSUMED_LIST;
}

static rlt_status build(const rlt_scene *scene, const rlt_plan_def *def, const rlt_plan_summary *summary,
                        double memory, rlt_messages *messages, builder *b) {
    /* the simulation that was timed has told of the groom already: not twice */
    rlt_messages *again = rlt_messages_create();
    size_t size = 0;
    rlt_status status = build_groom(scene, again, b);
    char *packed = rlti_messages_pack(again, &size);
    rlt_messages_destroy(again);
    if (packed != NULL)
        rlti_messages_unpack(messages, packed, size, NULL);
    rlti_free(packed);
    if (status != RLT_OK)
        return status;

    const rlti_kernel *kernel = rlti_kernel_select(RLT_SIMD_AUTO);
    b->input = (rlti_plan_input){
        .graph = b->graph,
        .points = b->points,
        .particles = b->kept,
        .order = b->order,
        .section = b->section,
        .lanes = kernel->lanes,
        .threads = def->threads_per_rank,
        .exchanges = b->scene->time.outer_steps,
        .seconds = summary->seconds,
        .step_share = summary->step_share,
        .latency = summary->latency,
        .bandwidth = summary->bandwidth,
        .memory_common = common_memory(b),
        .memory_tile = measure_tile_memory(b, kernel),
    };
    b->input.memory_edge = list_memory(&b->input, memory);
    return RLT_OK;
}

/* All problems of the def at once. */
static rlt_status check_def(const rlt_plan_def *def, rlt_messages *messages) {
    rlt_status status = RLT_OK;
    for (int i = 0; i < def->count; i++)
        if (def->counts[i] < 1 || def->counts[i] > MOST_RANKS)
            status =
                rlti_fail(messages, RLT_BAD_INPUT, "ranks = %d: must be 1 to %d", def->counts[i], MOST_RANKS);
    if (def->count < 1)
        status = rlti_fail(messages, RLT_BAD_INPUT, "ranks: at least one number is needed");
    if (def->threads_per_rank < 1 || def->threads_per_rank > 1024)
        status = rlti_fail(messages, RLT_BAD_INPUT, "threads per rank = %d: must be 1 to 1024",
                           def->threads_per_rank);
    /* not (x < y): NaN is refused as well */
    if (!(def->seconds >= 0.0 && def->seconds < 1e9))
        status = rlti_fail(messages, RLT_BAD_INPUT, "seconds per frame: must be above 0, or 0 to measure");
    if (!(def->latency < 1e6))
        status = rlti_fail(messages, RLT_BAD_INPUT, "latency: must be a number of seconds");
    if (!(def->bandwidth >= 0.0 && def->bandwidth < 1e18))
        status =
            rlti_fail(messages, RLT_BAD_INPUT, "bandwidth: must be a number of bytes per second above 0");
    if (def->partition == RLT_PARTITION_METIS && !rlti_partition_has_metis())
        status =
            rlti_fail(messages, RLT_BAD_INPUT, "partition = metis: this Ringlet was built without METIS");
    return status;
}

/* One count; the partition is left in b->part. */
static rlt_status look_at(builder *b, int ranks, rlt_partition method, rlt_messages *messages,
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
    rlt_status status = RLT_OK;
    double memory = 0.0;
    if (def->seconds == 0.0)
        status = measure_seconds(scene, messages, &plan->summary, &memory);
    if (status == RLT_OK)
        status = build(scene, def, &plan->summary, memory, messages, b);
    rlt_plan_line alone = {0};
    if (status == RLT_OK)
        status = look_at(b, 1, def->partition, messages, &alone);
    for (int i = 0; i < def->count && status == RLT_OK; i++)
        status = look_at(b, def->counts[i], def->partition, messages, &plan->lines[i]);
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
    *plan = NULL;
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
    rlti_free(plan->lines);
    rlti_free(plan);
}

void rlt_plan_summarise(const rlt_plan *plan, rlt_plan_summary *summary) {
    *summary = plan->summary;
}

int rlt_plan_get(const rlt_plan *plan, int index, rlt_plan_line *line) {
    if (index < 0 || index >= plan->count)
        return 0;
    *line = plan->lines[index];
    return 1;
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
