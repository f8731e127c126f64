/* Building a simulation from a scene, and looking at it. The time loop itself is in loop.c. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/messages.h"
#include "base/number.h"
#include "sim/groom_hold.h"
#include "sim/simulation_data.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

rlt_simulation_def rlt_simulation_defaults(void) {
    rlt_simulation_def def = {.threads = 0, .simd = RLT_SIMD_AUTO};
    return def;
}

void rlt_simulation_destroy(rlt_simulation *sim) {
    if (sim == NULL)
        return;
    for (int t = 0; sim->tiles != NULL && t < sim->layout.tile_count; t++)
        sim->kernel->destroy(sim->tiles[t]);
    rlti_free(sim->tiles);
    rlti_pool_destroy(sim->pool);
    rlti_colliders_destroy(sim->colliders);
    rlti_springs_destroy(sim->springs);
    rlti_holds_destroy(sim->holds);
    rlti_free(sim->poses);
    rlti_reshape_destroy(sim->reshape);
    rlti_layout_destroy(&sim->layout);
    rlti_spread_destroy(sim->spread);
    rlti_graph_destroy(sim->graph);
    rlti_particles_destroy(sim->particles);
    rlti_taz_model_destroy(sim->model);
    rlti_groom_destroy(sim->strands);
    rlti_body_destroy(sim->body);
    rlti_free(sim->thickness);
    rlti_free(sim->home);
    rlti_free(sim->memory);
    rlti_free(sim->any_side);
    rlti_free(sim->widths);
    rlti_free(sim->rest_loads);
    rlti_free(sim->size);
    rlti_free(sim->origins);
    rlti_free(sim->scratch);
    rlti_free(sim->floats);
    rlti_free(sim->pushes);
    rlti_free(sim->laps);
    rlti_free(sim->planes);
    rlti_free(sim->hold_room);
    rlti_free(sim->hold_rows);
    rlti_free(sim->tile_contacts);
    rlti_free(sim->contact_ends);
    rlti_free(sim->measures);
    rlti_free(sim->points);
    rlti_free(sim->velocities);
    rlti_free(sim->vertices);
    rlti_free(sim);
}

/* What the groom has inside colliders. */
typedef struct inside_count {
    int points, strands, through; /* through: strands that pass a sheet */
    int first, first_through;     /* strands */
} inside_count;

/* Hair grows out of the surface: a point that is groomed closer than the thickness keeps its groomed
 * distance, or it would be pushed out of its rest pose. So does one inside, unless it is to be pushed out:
 * then only as far as its own length reaches from the root. */
static double rest_thickness(const rlti_hair_data *hair, double distance, double from_root) {
    if (distance >= 0.0 || hair->inside == RLTI_INSIDE_LEAVE)
        return distance;
    return from_root < hair->thickness ? from_root : hair->thickness;
}

static void set_strand_thickness(rlt_simulation *sim, int s, inside_count *count) {
    int section = sim->strands->hair[s], first = sim->strands->first[s], last = sim->strands->first[s + 1];
    const rlti_hair_data *hair = &sim->scene->hair[section];
    const rlti_vec3 *points = sim->strands->points;
    int collide = hair->collide && rlti_colliders_count(sim->colliders) > 0, inside = 0;
    double from_root = 0.0;
    for (int p = first; p < last; p++) {
        double distance = hair->thickness;
        if (p > first)
            from_root += rlti_length(rlti_sub(points[p], points[p - 1]));
        if (collide)
            distance =
                rlti_colliders_distance(sim->colliders, section, points[p], hair->thickness, &sim->home[p]);
        /* the first few points are at the skin; what lies clearly below it is worth telling */
        inside += distance < -0.1 * hair->thickness && p > first;
        sim->thickness[p] = (float)rest_thickness(hair, distance, from_root);
        sim->widths[p] = sim->strands->widths != NULL && sim->strands->widths[p] > 0.0
                             ? sim->strands->widths[p]
                             : hair->width;
    }
    if (inside > 0 && count->strands++ == 0)
        count->first = s;
    count->points += inside;
    if (!collide ||
        !rlti_colliders_pass_through(sim->colliders, section, last - first, points + first, hair->thickness))
        return;
    sim->any_side[s] = hair->inside == RLTI_INSIDE_LEAVE;
    if (count->through++ == 0)
        count->first_through = s;
}

static void set_thickness(rlt_simulation *sim, rlt_messages *messages) {
    rlti_colliders_pose_rest(sim->colliders);
    for (int h = 0; h < sim->scene->hair_count; h++) {
        const rlti_hair_data *hair = &sim->scene->hair[h];
        const char *answer = hair->inside == RLTI_INSIDE_LEAVE ? "they keep their groomed depth"
                                                               : "they are pushed out gently";
        inside_count count = {0};
        for (int s = 0; s < sim->model->strand_count; s++)
            if (sim->strands->hair[s] == h)
                set_strand_thickness(sim, s, &count);
        if (count.points > 0)
            rlti_message(
                messages, RLT_WARNING,
                "%s: hair '%s': %d points of %d strands lie inside a collider (first in strand %d); %s",
                sim->file, hair->name, count.points, count.strands, count.first, answer);
        if (count.through > 0)
            rlti_message(
                messages, RLT_WARNING, "%s: hair '%s': %d strands pass through a sheet (first strand %d); %s",
                sim->file, hair->name, count.through, count.first_through,
                hair->inside == RLTI_INSIDE_LEAVE ? "they may go on doing so" : "they are led back gently");
    }
}

/* The groom carried rigidly to the pose of its root at the first simulated frame, moving with it. */
static void set_initial_state(rlt_simulation *sim) {
    rlti_vec3 *positions = sim->points, *velocities = sim->velocities;
    for (int tile = 0; tile < sim->layout.tile_count; tile++) {
        for (int i = sim->layout.first[tile]; i < sim->layout.first[tile + 1]; i++) {
            int s = sim->layout.order[i], first = sim->strands->first[s],
                n = sim->strands->first[s + 1] - first;
            rlti_motion_segment motion;
            rlti_vec3 root, root_velocity;
            rlti_quat rotation, rate;
            rlti_body_root_segment(sim->body, &sim->strands->roots[s], sim->frame, &motion);
            rlti_motion_segment_at(&motion, 0.0, sim->scene->time.fps, &root, &root_velocity, &rotation,
                                   &rate);
            rotation = rlti_quat_normalize(rotation);
            /* angular velocity 2 (dq/dt) q* */
            rlti_quat spin = rlti_quat_multiply(rate, rlti_quat_conjugate(rotation));
            rlti_vec3 omega = rlti_v3(2.0 * spin.x, 2.0 * spin.y, 2.0 * spin.z);
            int lane = i - sim->layout.first[tile];
            const rlti_vec3 *rest = rlti_simulation_reshape(sim, tile, lane, 0);
            rest = rest != NULL ? rest : sim->strands->points + first;
            for (int p = 0; p < n; p++) {
                rlti_vec3 arm = rlti_quat_rotate(rotation, rlti_sub(rest[p], rest[0]));
                positions[first + p] = arm;
                velocities[first + p] = rlti_add(root_velocity, rlti_cross(omega, arm));
            }
            sim->origins[s] = root;
            sim->kernel->set_state(sim->tiles[tile], lane, positions + first, velocities + first);
            sim->kernel->set_root_frame(sim->tiles[tile], lane,
                                        rlti_quat_rotate(rotation, sim->model->strands[s].root_direction),
                                        rlti_quat_rotate(rotation, sim->model->strands[s].root_normal));
            for (int p = 0; p < n; p++)
                positions[first + p] = rlti_add(positions[first + p], root);
        }
    }
    rlti_body_vertices_sample(sim->body, sim->frame, sim->vertices);
}

/* Rows of holds in one tile; *rows is the caller's. 0 when out of memory. */
static int make_hold_rows(rlt_simulation *sim, const int *strands, int count, rlti_hold_row **rows,
                          int *row_count) {
    *rows = NULL;
    *row_count = 0;
    if (sim->holds == NULL)
        return 1;
    *row_count = rlti_holds_rows(sim->holds, strands, count, NULL, 0);
    *rows = RLTI_NEW(rlti_hold_row, *row_count);
    if (*rows != NULL)
        rlti_holds_rows(sim->holds, strands, count, *rows, *row_count);
    return *rows != NULL;
}

static int create_tiles(rlt_simulation *sim) {
    int moving_air = 0;
    for (int p = 0; p < sim->model->point_count; p++)
        moving_air = moving_air || sim->model->drag[p] > 0.0;
    sim->tiles = RLTI_NEW(rlti_tile *, sim->layout.tile_count);
    if (sim->tiles == NULL)
        return 0;
    for (int t = 0; t < sim->layout.tile_count; t++) {
        const int *strands = sim->layout.order + sim->layout.first[t];
        rlti_tile_def def = {.model = sim->model,
                             .hair = &sim->scene->hair[sim->strands->hair[strands[0]]],
                             .strands = strands,
                             .count = sim->layout.first[t + 1] - sim->layout.first[t],
                             .force_step = sim->force_step,
                             .damping_steps = sim->scene->time.damping_steps,
                             .wind = moving_air,
                             .pushed = sim->springs != NULL};
        rlti_hold_row *rows;
        int made = make_hold_rows(sim, strands, def.count, &rows, &def.hold_count);
        def.holds = rows;
        sim->tiles[t] = made ? sim->kernel->create(&def) : NULL;
        rlti_free(rows);
        if (sim->tiles[t] == NULL)
            return 0;
        sim->statistics.bytes += sim->kernel->bytes(sim->tiles[t]);
    }
    return 1;
}

static int create_arrays(rlt_simulation *sim) {
    int n = sim->model->point_count, strands = sim->model->strand_count,
        threads = rlti_pool_threads(sim->pool);
    for (int s = 0; s < strands; s++)
        sim->longest =
            sim->model->strands[s].points > sim->longest ? sim->model->strands[s].points : sim->longest;
    sim->scratch_bytes =
        (sim->kernel->scratch_bytes(sim->longest) + RLTI_CACHE_LINE - 1) / RLTI_CACHE_LINE * RLTI_CACHE_LINE;
    sim->scratch = rlti_allocate((size_t)threads, sim->scratch_bytes);
    sim->thickness = RLTI_NEW(float, n);
    sim->home = RLTI_NEW(int, n);
    sim->memory = RLTI_NEW(rlti_memory, n);
    sim->any_side = RLTI_NEW(unsigned char, strands);
    sim->widths = RLTI_NEW(double, n);
    sim->origins = RLTI_NEW(rlti_vec3, strands);
    sim->floats = RLTI_NEW(float, (size_t)threads *RLTI_BLOCK_STRANDS * 6 * (size_t)sim->longest);
    sim->pushes = rlti_allocate((size_t)threads * (size_t)sim->longest, sizeof(*sim->pushes));
    sim->laps = RLTI_NEW(rlti_laps, threads);
    sim->planes = RLTI_NEW(rlti_plane, (size_t)threads * (size_t)sim->longest);
    size_t holds = (size_t)threads * (size_t)(sim->holds != NULL ? rlti_holds_most(sim->holds) : 0);
    sim->hold_room = RLTI_NEW(rlti_hold, holds);
    sim->hold_rows = RLTI_NEW(int, holds);
    sim->tile_contacts = RLTI_NEW(long long, sim->layout.tile_count);
    sim->contact_ends = RLTI_NEW(double, sim->scene->time.outer_steps);
    sim->measures = RLTI_NEW(rlti_measure, strands);
    sim->points = RLTI_NEW(rlti_vec3, n);
    sim->velocities = RLTI_NEW(rlti_vec3, n);
    sim->vertices = RLTI_NEW(rlti_vec3, rlti_body_mesh(sim->body)->vertex_count);
    return sim->scratch != NULL && sim->thickness != NULL && sim->home != NULL && sim->memory != NULL &&
           sim->any_side != NULL && sim->widths != NULL && sim->origins != NULL && sim->floats != NULL &&
           sim->hold_room != NULL && sim->hold_rows != NULL && sim->pushes != NULL && sim->laps != NULL &&
           sim->planes != NULL && sim->tile_contacts != NULL && sim->contact_ends != NULL &&
           sim->measures != NULL && sim->points != NULL && sim->velocities != NULL && sim->vertices != NULL;
}

/* Who may touch whom, which strands are computed here, and the springs between them. */
static rlt_status create_contacts(rlt_simulation *sim, const rlt_simulation_def *def,
                                  rlt_messages *messages) {
    const rlti_time_data *time = &sim->scene->time;
    rlt_statistics *stats = &sim->statistics;
    rlt_status status =
        rlti_particles_create(sim->scene, sim->strands, sim->model, messages, &sim->particles);
    if (status == RLT_OK)
        status =
            rlti_graph_create(sim->scene, sim->strands, sim->particles, sim->pool, messages, &sim->graph);
    if (status == RLT_OK)
        status = rlti_spread_create(def->ranks, def->partition, sim->strands, sim->particles, sim->graph,
                                    messages, &sim->spread);
    if (status != RLT_OK)
        return status;
    stats->particles = sim->particles->count;
    stats->particles_before = sim->particles->candidates;
    stats->edges_full = sim->graph->edges_full;
    stats->edges_near = sim->graph->edges_near;
    stats->edges = sim->graph->edges_final;
    stats->ranks = rlti_spread_ranks(sim->spread);
    stats->rank = rlti_spread_rank(sim->spread);
    if (sim->graph->edges_final == 0)
        return RLT_OK;
    rlti_springs_def springs = {.scene = sim->scene,
                                .strands = sim->strands,
                                .particles = sim->particles,
                                .graph = sim->graph,
                                .body = sim->body,
                                .lanes = &sim->kernel->springs,
                                .local = rlti_spread_local(sim->spread),
                                .threads = rlti_pool_threads(sim->pool),
                                .outer_step = 1.0 / (time->fps * time->outer_steps)};
    return rlti_springs_create(&springs, messages, &sim->springs);
}

static rlt_status create_holds(rlt_simulation *sim, rlt_messages *messages) {
    const rlti_time_data *time = &sim->scene->time;
    rlti_holds_def def = {.scene = sim->scene,
                          .strands = sim->strands,
                          .body = sim->body,
                          .colliders = sim->colliders,
                          .mass = sim->model->mass,
                          .size = sim->size,
                          .outer_step = 1.0 / (time->fps * time->outer_steps),
                          .force_step = sim->force_step};
    rlt_status status = rlti_holds_create(&def, messages, &sim->holds);
    if (status != RLT_OK || sim->holds == NULL)
        return status;
    sim->statistics.constraints = rlti_holds_count(sim->holds);
    sim->statistics.bytes += rlti_holds_bytes(sim->holds);
    sim->statistics.poses = rlti_pose_count(sim->holds);
    sim->poses = RLTI_NEW(rlt_pose_report, sim->statistics.poses);
    if (sim->poses == NULL)
        return rlti_out_of_memory(messages);
    for (int p = 0; p < sim->statistics.poses; p++)
        rlti_pose_name(sim->holds, p, &sim->poses[p]);
    return RLT_OK;
}

/* A rest shape that changes, and what it is at the first frame. */
static rlt_status create_reshape(rlt_simulation *sim, rlt_messages *messages) {
    if (!rlti_reshape_wanted(sim->scene))
        return RLT_OK;
    rlti_reshape_def def = {.scene = sim->scene,
                            .strands = sim->strands,
                            .body = sim->body,
                            .model = sim->model,
                            .loads = sim->rest_loads,
                            .force_step = sim->force_step,
                            .size = sim->size,
                            .pool = sim->pool};
    int first_message = rlt_messages_count(messages);
    rlt_status status = rlti_reshape_create(&def, messages, &sim->reshape);
    if (status == RLT_OK)
        status = rlti_reshape_begin_frame(sim->reshape, sim->frame, messages);
    rlti_messages_prefix(messages, first_message, sim->file);
    if (status != RLT_OK)
        return status;
    for (int s = 0; s < sim->strands->strand_count; s++)
        rlti_reshape_begin_strand(sim->reshape, s, sim->frame);
    rlti_reshape_pose(sim->reshape, sim->frame, 0.0);
    sim->statistics.bytes += rlti_reshape_bytes(sim->reshape);
    return RLT_OK;
}

/* Memory of groom, model, view and workers; tiles and contacts are counted by their owners. */
static size_t count_bytes(const rlt_simulation *sim) {
    size_t points = (size_t)sim->model->point_count, strands = (size_t)sim->model->strand_count;
    size_t threads = (size_t)rlti_pool_threads(sim->pool), longest = (size_t)sim->longest;
    size_t point = 16 * sizeof(double) /* rlti_taz_model */ + 3 * sizeof(rlti_vec3) + sizeof(double) +
                   sizeof(float) + sizeof(int);
    size_t strand = sizeof(rlti_taz_strand) + sizeof(rlti_root) + sizeof(rlti_vec3) + sizeof(rlti_measure) +
                    3 * sizeof(int) + 1;
    size_t worker = sim->scratch_bytes + longest * (RLTI_BLOCK_STRANDS * 6 * sizeof(float) +
                                                    sizeof(*sim->pushes) + sizeof(rlti_plane));
    return points * point + strands * strand + threads * worker;
}

/* Operations of the step kernel per frame, for benchmarks. */
static double count_flops(const rlt_simulation *sim) {
    const rlti_time_data *time = &sim->scene->time;
    double force_steps = (double)time->outer_steps * time->force_steps, sum = 0.0;
    for (int s = 0; s < sim->model->strand_count; s++) {
        const rlti_taz_strand *strand = &sim->model->strands[s];
        int core = sim->model->core_k[strand->first] > 0.0 || sim->model->core_dk[strand->first] > 0.0;
        sum += (strand->points - 1) * force_steps *
               (rlti_kernel_force_flops(core) + time->damping_steps * rlti_kernel_damping_flops(core));
    }
    return sum;
}

/* One refusal: `key` has `steps`, which is `load` times too few. */
static rlt_status refuse_steps(const rlt_simulation *sim, const char *place, const char *key, int steps,
                               double load, const char *what, int strand, rlt_messages *messages) {
    const double most = 1000.0; /* what the key may say */
    double needed = ceil(steps * load);
    char segment[32], advice[96], outer[32];
    rlti_number_format(sim->model->strands[strand].segment, segment, sizeof(segment));
    rlti_number_format(ceil(sim->scene->time.outer_steps * load), outer, sizeof(outer));
    if (needed <= most)
        snprintf(advice, sizeof(advice), "%d would do", (int)needed);
    else
        snprintf(advice, sizeof(advice), "time.outer_steps = %s would do", outer);
    return rlti_fail(
        messages, RLT_BAD_INPUT,
        "%s: %s = %d: too few for the %s of strand %d (segments of %s units); %s, or less %s, or "
        "health.check_steps: off",
        place, key, steps, what, strand, segment, advice, what);
}

/* Damping that the steps bear may still be so strong that springs cannot work against it: an edge that was
 * pulled or pressed once keeps its wrong length for many frames. */
static void tell_slow_edges(const rlt_simulation *sim, rlt_messages *messages) {
    const rlti_time_data *time = &sim->scene->time;
    const double slow = 0.2, quick = 0.05; /* [s] */
    const int most = 1000;                 /* what the key may say */
    int strand = 0, other, steps = time->force_steps;
    double seconds = rlti_taz_model_return(sim->model, sim->force_step, time->damping_steps, &strand);
    char shown[32], segment[32], advice[64] = "less stretch.damping would help";
    if (seconds < slow)
        return;
    do
        steps++;
    while (steps < most && rlti_taz_model_return(sim->model, sim->force_step * time->force_steps / steps,
                                                 time->damping_steps, &other) > quick);
    if (steps < most)
        snprintf(advice, sizeof advice, "%d would do, or less stretch.damping", steps);
    rlti_number_format(floor(seconds * 100.0 + 0.5) / 100.0, shown, sizeof shown);
    rlti_number_format(sim->model->strands[strand].segment, segment, sizeof segment);
    rlti_message(
        messages, RLT_NOTE,
        "%s: time.force_steps = %d: with so strong a damping, strand %d (segments of %s units) takes "
        "%s s to come back to its length; %s",
        time->force_steps_place, time->force_steps, strand, segment, shown, advice);
}

/* Explicit steps too long for the stiffness do not always diverge, because the limiters hold hair together,
 * but then it jitters. Better to say so before the run, with the number of steps that is enough. */
static rlt_status check_steps(const rlt_simulation *sim, rlt_messages *messages) {
    const rlti_time_data *time = &sim->scene->time;
    rlti_taz_load load = rlti_taz_model_load(sim->model, sim->force_step, time->damping_steps);
    rlt_status status = RLT_OK;
    if (load.force > 1.0)
        status = refuse_steps(sim, time->force_steps_place, "time.force_steps", time->force_steps, load.force,
                              "stiffness", load.force_strand, messages);
    if (load.damping > 1.0)
        status = refuse_steps(sim, time->damping_steps_place, "time.damping_steps", time->damping_steps,
                              load.damping, "damping", load.damping_strand, messages);
    if (status == RLT_OK)
        tell_slow_edges(sim, messages);
    return status;
}

static rlt_status build(rlt_simulation *sim, const rlt_simulation_def *def, rlt_messages *messages) {
    const rlti_time_data *time = &sim->scene->time;
    sim->frame = time->first - time->preroll;
    sim->posed = INT_MIN;
    sim->force_step = 1.0 / (time->fps * time->outer_steps * time->force_steps);
    sim->slow_interval = time->outer_steps / 10 > 1 ? time->outer_steps / 10 : 1;
    sim->kernel = rlti_kernel_select(def->simd);
    if (sim->kernel == NULL) {
        const char *name = rlt_simd_name(def->simd);
        return rlti_fail(messages, RLT_BAD_INPUT, "the %s build of the step kernel cannot run on this CPU",
                         name != NULL ? name : "unknown");
    }
    if (def->threads < 0 || def->threads > 1024)
        return rlti_fail(messages, RLT_BAD_INPUT, "threads = %d: must be 0 (one per core) to 1024",
                         def->threads);

    int first_message = rlt_messages_count(messages);
    double clock = rlti_seconds(CLOCK_MONOTONIC);
    rlt_status status = rlti_body_create(sim->scene, messages, &sim->body);
    if (status == RLT_OK)
        status = rlti_groom_create(sim->scene, sim->body, messages, &sim->strands);
    sim->statistics.seconds_load = rlti_seconds(CLOCK_MONOTONIC) - clock;
    if (status == RLT_OK)
        status = rlti_taz_model_create(sim->scene, sim->strands, messages, &sim->model);
    if (status == RLT_OK)
        status = rlti_colliders_create(sim->scene, sim->body, messages, &sim->colliders);
    if (status == RLT_OK)
        sim->fingerprint = rlti_simulation_fingerprint(sim);
    rlti_messages_prefix(messages, first_message, sim->file);
    if (status == RLT_OK && sim->scene->check_steps)
        status = check_steps(sim, messages);
    if (status != RLT_OK)
        return status;
    rlti_wind_create(&sim->scene->wind, &sim->wind);

    int threads = def->threads > 0 ? def->threads : rlti_core_count();
    sim->pool = rlti_pool_create(threads);
    if (sim->pool == NULL)
        return rlti_fail(messages, RLT_FAILED, "cannot start %d threads", threads);
    sim->size = RLTI_NEW(double, sim->scene->hair_count);
    if (sim->size == NULL)
        return rlti_out_of_memory(messages);
    for (int h = 0; h < sim->scene->hair_count; h++)
        sim->size[h] = 1.0;
    status = create_holds(sim, messages);
    if (status == RLT_OK)
        status = create_contacts(sim, def, messages);
    if (status != RLT_OK)
        return status;
    if (!rlti_layout_create(sim->model, rlti_spread_local(sim->spread), sim->kernel->lanes, &sim->layout) ||
        !create_arrays(sim))
        return rlti_out_of_memory(messages);
    status = rlti_simulation_hold_groom(sim, messages);
    if (status == RLT_OK && !create_tiles(sim))
        status = rlti_out_of_memory(messages);
    if (status != RLT_OK)
        return status;
    set_thickness(sim, messages);
    status = rlti_simulation_begin_frame(sim, sim->frame, messages);
    if (status == RLT_OK)
        status = rlti_groom_place_sources(sim->strands, sim->frame, messages);
    if (status == RLT_OK)
        status = create_reshape(sim, messages);
    if (status != RLT_OK)
        return status;
    set_initial_state(sim);

    rlt_statistics *stats = &sim->statistics;
    stats->threads = rlti_pool_threads(sim->pool);
    stats->simd = rlt_simd_name(sim->kernel->simd);
    stats->strands = sim->model->strand_count;
    stats->points = sim->model->point_count;
    stats->bytes += count_bytes(sim);
    stats->flops_per_frame = count_flops(sim);
    return RLT_OK;
}

rlt_status rlt_simulation_create(const rlt_scene *scene, const rlt_simulation_def *def,
                                 rlt_messages *messages, rlt_simulation **simulation) {
    *simulation = NULL;
    rlt_simulation *sim = RLTI_NEW(rlt_simulation, 1);
    if (sim == NULL)
        return rlti_out_of_memory(messages);
    rlt_simulation_def standard = rlt_simulation_defaults();
    sim->scene = rlti_scene_get(scene);
    sim->file = rlti_scene_file(scene);
    def = def != NULL ? def : &standard;
    sim->time_phases = def->time_phases;
    /* all ranks, or none: nobody may wait for one that has given up */
    rlt_status status = rlt_ranks_agree(def->ranks, build(sim, def, messages), messages);
    if (status != RLT_OK) {
        rlt_simulation_destroy(sim);
        return status;
    }
    rlti_spread_gather_points(sim->spread, sim->points, sizeof(rlti_vec3));
    rlti_spread_gather_points(sim->spread, sim->velocities, sizeof(rlti_vec3));
    double sent = (double)rlti_spread_bytes(sim->spread);
    rlti_ranks_sum(def->ranks, &sent, 1);
    sim->statistics.exchange_bytes = (long long)sent;
    *simulation = sim;
    return RLT_OK;
}

/* rlti_vec3 is three doubles in a row, so arrays of it are [n][3]. */
_Static_assert(sizeof(rlti_vec3) == 3 * sizeof(double), "rlti_vec3 is packed");

void rlt_simulation_view(const rlt_simulation *sim, rlt_frame_view *view) {
    const rlti_mesh *mesh = rlti_body_mesh(sim->body);
    *view = (rlt_frame_view){
        .frame = sim->frame,
        .time = (sim->frame - sim->scene->time.first) / sim->scene->time.fps,
        .strand_count = sim->model->strand_count,
        .point_count = sim->model->point_count,
        .first = sim->strands->first,
        .points = (const double *)sim->points,
        .velocities = (const double *)sim->velocities,
        .rest = (const double *)sim->strands->points,
        .widths = sim->widths,
        .hair = sim->strands->hair,
        .vertex_count = mesh->vertex_count,
        .triangle_count = mesh->triangle_count,
        .vertices = (const double *)sim->vertices,
        .triangles = (const int *)mesh->triangles,
        .source_count = sim->strands->source_count,
        .sources = sim->strands->sources,
    };
}

/* FNV-1a, 64 bits. */
static uint64_t hash_bytes(uint64_t hash, const void *data, size_t size) {
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

uint64_t rlt_simulation_hash(const rlt_simulation *sim) {
    size_t size = (size_t)sim->model->point_count * sizeof(rlti_vec3);
    uint64_t hash = hash_bytes(0xcbf29ce484222325u, sim->points, size);
    return hash_bytes(hash, sim->velocities, size);
}

rlt_status rlt_simulation_strand_frames(const rlt_simulation *sim, int strand, double *frames) {
    if (strand < 0 || strand >= sim->model->strand_count)
        return RLT_BAD_INPUT;
    for (int t = 0; t < sim->layout.tile_count; t++)
        for (int i = sim->layout.first[t]; i < sim->layout.first[t + 1]; i++)
            if (sim->layout.order[i] == strand)
                sim->kernel->frames(rlti_simulation_tile(sim, t, 0), i - sim->layout.first[t], frames);
    return RLT_OK;
}

void rlt_simulation_statistics(const rlt_simulation *sim, rlt_statistics *statistics) {
    *statistics = sim->statistics;
    /* contact lists may grow: counted when asked. The graph and the particles are in there. */
    if (sim->springs != NULL)
        statistics->bytes += rlti_springs_bytes(sim->springs);
}
