/* Building a simulation from a scene, and reading it. The time loop itself is in loop.c. */
#include <string.h>

#include "base/checksum.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/messages.h"
#include "base/sized.h"
#include "io/inputs.h"
#include "scene/files.h"
#include "scene/readers.h"
#include "sim/settle.h"
#include "sim/simulation_data.h"

rlt_status rlt_simulation_def_reset(rlt_simulation_def *def) {
    const rlt_simulation_def standard = {.threads = 0, .simd = RLT_SIMD_AUTO};
    return RLTI_WRITE(rlt_simulation_def, def, &standard, NULL);
}

/* Models, and what acts on them: all but groom and body. */
static void clear_models(rlt_simulation *sim) {
    for (int k = 0; k < sim->solver_count; k++)
        sim->solvers[k]->type->destroy(sim->solvers[k]);
    for (int k = 0; k < RLTI_SOLVERS_MAX; k++) {
        rlti_free(sim->mine[k]);
        sim->mine[k] = NULL;
        sim->solvers[k] = NULL;
    }
    rlti_drive_destroy(sim->drive);
    rlti_matter_destroy(sim->matter);
    RLTI_FREE(sim->solver_of, sim->rest_loads);
    sim->solver_count = 0;
    sim->drive = NULL;
    sim->matter = NULL;
    sim->solver_of = NULL;
    sim->rest_loads = NULL;
}

void rlt_simulation_destroy(rlt_simulation *sim) {
    if (sim == NULL)
        return;
    clear_models(sim);
    rlti_pool_destroy(sim->pool);
    rlti_groom_destroy(sim->strands);
    rlti_body_destroy(sim->body);
    rlti_live_destroy(sim->live);
    RLTI_FREE(sim->measures, sim->points, sim->velocities, sim->vertices, sim);
}

/* The groom carried rigidly to the pose of its root at the first simulated frame, moving with it. */
void rlti_simulation_place_groom(rlt_simulation *sim) {
    for (int s = 0; s < sim->strands->strand_count; s++) {
        if (!rlti_simulation_is_local(sim, s))
            continue;
        int first = sim->strands->first[s], n = sim->strands->first[s + 1] - first;
        rlti_vec3 *positions = sim->points + first, *velocities = sim->velocities + first;
        rlti_solver *solver = rlti_simulation_solver(sim, s);
        rlti_root_state root = rlti_drive_root(sim->drive, s, sim->frame);
        const rlti_vec3 *rest = rlti_drive_rest(sim->drive, s, 0);
        if (rest != NULL)
            solver->type->reshape(solver, s, rest, 0);
        rest = rest != NULL ? rest : sim->strands->points + first;
        for (int p = 0; p < n; p++) {
            positions[p] = rlti_quat_rotate(root.rotation, rlti_sub(rest[p], rest[0]));
            velocities[p] = rlti_add(root.velocity, rlti_cross(root.spin, positions[p]));
        }
        rlti_drive_origins(sim->drive)[s] = root.position;
        solver->type->set(solver, s, positions, velocities, &root.rotation);
        for (int p = 0; p < n; p++)
            positions[p] = rlti_add(positions[p], root.position);
    }
    rlti_body_vertices_sample(sim->body, sim->frame, sim->vertices);
}

static rlt_status create_arrays(rlt_simulation *sim, rlt_messages *messages) {
    int n = sim->strands->point_count;
    int done = RLTI_ALLOCATE(RLTI_ITEMS(sim->measures, sim->strands->strand_count),
                             RLTI_ITEMS(sim->points, n), RLTI_ITEMS(sim->velocities, n),
                             RLTI_ITEMS(sim->vertices, rlti_body_mesh(sim->body)->vertex_count));
    return done ? RLT_OK : rlti_out_of_memory(messages);
}

static rlt_status build_groom(rlt_simulation *sim, rlt_messages *messages) {
    int first_message = rlt_messages_count(messages);
    double clock = rlti_seconds(CLOCK_MONOTONIC);
    rlt_status status = rlti_body_create(sim->scene, messages, &sim->body);
    if (status == RLT_OK)
        status =
            rlti_inputs_gather(rlti_files_inputs(rlti_body_files(sim->body)), sim->scene_inputs, messages);
    if (status == RLT_OK)
        status = rlti_groom_create(sim->scene, sim->body, messages, &sim->strands);
    sim->seconds_load = rlti_seconds(CLOCK_MONOTONIC) - clock;
    rlti_messages_prefix(messages, first_message, sim->file);
    return status;
}

/* The constants of every model. */
static rlt_status build_models(rlt_simulation *sim, const rlt_simulation_def *def, rlt_messages *messages) {
    sim->matter = rlti_matter_create(sim->strands);
    rlt_status status = sim->matter != NULL ? RLT_OK : rlti_out_of_memory(messages);
    if (status == RLT_OK)
        status = rlti_simulation_create_solvers(sim, def, messages);
    for (int k = 0; k < sim->solver_count && status == RLT_OK && sim->scene->check_steps; k++)
        if (sim->solvers[k]->type->admit != NULL)
            status = sim->solvers[k]->type->admit(sim->solvers[k], messages);
    return status;
}

/* Which solver meets the groups of each section within its steps. */
static const void **find_meets(const rlt_simulation *sim) {
    const void **meets = rlti_allocate((size_t)sim->scene->hair_count, sizeof *meets);
    for (int i = 0; meets != NULL && i < sim->strands->strand_count; i++) {
        const rlti_solver *solver = rlti_simulation_solver(sim, i);
        int hair = sim->strands->hair[i];
        if (solver->type->meets != NULL && solver->type->meets(solver, hair))
            meets[hair] = solver;
    }
    return meets;
}

/* All that acts on the groom. */
static rlt_status build_drive(rlt_simulation *sim, const rlt_simulation_def *def, rlt_messages *messages) {
    rlti_drive_def drive = {.scene = sim->scene,
                            .file = sim->file,
                            .body = sim->body,
                            .strands = sim->strands,
                            .matter = sim->matter,
                            .springs = rlti_solver_springs(def->simd),
                            .pool = sim->pool,
                            .ranks = def->ranks,
                            .partition = def->partition,
                            .pulls = sim->live != NULL,
                            .shortest_step = 1.0 / (sim->scene->time.fps * sim->scene->time.outer_steps)};
    for (int k = 0; k < sim->solver_count; k++) {
        double step = rlti_solver_shortest_step(sim->solvers[k], drive.shortest_step);
        drive.shortest_step = step < drive.shortest_step ? step : drive.shortest_step;
    }
    const void **meets = find_meets(sim);
    drive.meets = meets;
    rlt_status status =
        meets != NULL ? rlti_drive_create(&drive, messages, &sim->drive) : rlti_out_of_memory(messages);
    rlti_free(meets);
    if (status == RLT_OK)
        sim->fingerprint = rlti_simulation_fingerprint(sim);
    return status;
}

/* State of the settled groom: every strand where its root is at the first frame. */
static rlt_status build_state(rlt_simulation *sim, rlt_messages *messages) {
    rlt_status status = RLT_OK;
    for (int k = 0; k < sim->solver_count && status == RLT_OK; k++)
        status = sim->solvers[k]->type->start(sim->solvers[k], sim->drive, sim->rest_loads, messages);
    if (status == RLT_OK)
        status = rlti_drive_settle(sim->drive, sim->frame, messages);
    if (status == RLT_OK)
        status = rlti_groom_place_sources(sim->strands, sim->frame, messages);
    if (status == RLT_OK) {
        rlti_groom_show_sources(sim->strands);
        rlti_simulation_place_groom(sim);
    }
    return status;
}

/* Threads, of its own or the caller's. */
static rlt_status build_pool(rlt_simulation *sim, rlt_messages *messages) {
    const rlt_simulation_def *def = &sim->def;
    if (def->threads < 0 || def->threads > 1024)
        return rlti_refuse(messages, "threads = %d: must be 0 (one per core) to 1024", def->threads);
    int threads = def->threads > 0 ? def->threads : rlti_core_count();
    sim->pool =
        def->run != NULL ? rlti_pool_borrow(threads, def->run, def->run_user) : rlti_pool_create(threads);
    if (sim->pool == NULL)
        return rlti_fail(messages, RLT_FAILED, "threads = %d: cannot be started; choose fewer", threads);
    return RLT_OK;
}

/* All of it but the state; waits for no other rank. */
static rlt_status build(rlt_simulation *sim, const rlt_scene *scene, rlt_messages *messages) {
    if (sim == NULL)
        return rlti_out_of_memory(messages);
    const rlt_simulation_def *def = &sim->def;
    sim->scene = rlti_scene_get(scene);
    sim->file = rlti_scene_file(scene);
    sim->scene_inputs = rlt_scene_inputs(scene);
    sim->frame = sim->scene->time.first - sim->scene->time.preroll;
    if (rlti_solver_springs(def->simd) == NULL) {
        const char *name = rlt_simd_name(def->simd);
        return rlti_refuse(messages,
                           "simd = %s: this build of the step kernel cannot run on this CPU; choose auto",
                           name != NULL ? name : "unknown");
    }
    rlt_status status = build_pool(sim, messages);
    if (status == RLT_OK)
        status = build_groom(sim, messages);
    if (status == RLT_OK && sim->live != NULL)
        status = rlti_live_begin(sim, messages);
    if (status == RLT_OK)
        status = build_models(sim, def, messages);
    if (status == RLT_OK)
        status = build_drive(sim, def, messages);
    if (status == RLT_OK)
        status = create_arrays(sim, messages);
    if (status == RLT_OK)
        status = rlti_files_protect(rlti_body_files(sim->body), messages);
    return status;
}

/* The groom settled, its state, and the view of it. */
static rlt_status finish(rlt_simulation *sim, rlt_messages *messages) {
    rlt_status status = rlti_simulation_settle(sim, messages); /* the same for all */
    if (status == RLT_OK)
        status = rlt_ranks_agree(sim->def.ranks, build_state(sim, messages), messages);
    if (status != RLT_OK)
        return status;
    rlti_spread *spread = rlti_drive_spread(sim->drive);
    rlti_spread_gather_points(spread, sim->points, sizeof(rlti_vec3));
    rlti_spread_gather_points(spread, sim->velocities, sizeof(rlti_vec3));
    rlti_statistics_begin(sim, &sim->def);
    return RLT_OK;
}

rlt_status rlti_simulation_build(rlt_simulation *sim, const rlt_scene *scene, rlt_ranks *ranks,
                                 rlt_messages *messages) {
    /* all ranks, or none: nobody may wait for one that has given up, be it for want of `sim` itself */
    rlt_status status = rlt_ranks_agree(ranks, build(sim, scene, messages), messages);
    if (status == RLT_OK)
        status = finish(sim, messages);
    if (status != RLT_OK)
        rlt_simulation_destroy(sim);
    return status;
}

rlt_status rlti_simulation_renew(rlt_simulation *sim, rlt_messages *messages) {
    rlt_simulation old = *sim;
    sim->matter = NULL;
    sim->drive = NULL;
    sim->solver_count = 0;
    sim->solver_of = NULL;
    sim->rest_loads = NULL;
    for (int k = 0; k < RLTI_SOLVERS_MAX; k++) {
        sim->solvers[k] = NULL;
        sim->mine[k] = NULL;
    }
    rlt_status status = build_models(sim, &sim->def, messages);
    if (status == RLT_OK)
        status = build_drive(sim, &sim->def, messages);
    if (status == RLT_OK)
        status = finish(sim, messages);
    if (status == RLT_OK) {
        clear_models(&old);
        sim->broken = RLT_OK;
    } else {
        clear_models(sim);
        *sim = old;
    }
    return status;
}

rlt_status rlt_simulation_create(const rlt_scene *scene, const rlt_simulation_def *def,
                                 rlt_messages *messages, rlt_simulation **simulation) {
    *simulation = NULL;
    rlt_simulation_def own = rlt_simulation_defaults();
    if (def != NULL && RLTI_READ(rlt_simulation_def, &own, def, messages) != RLT_OK)
        return RLT_BAD_INPUT;
    rlt_simulation *sim = RLTI_NEW(rlt_simulation, 1);
    if (sim != NULL)
        sim->def = own;
    rlt_status status = rlti_simulation_build(sim, scene, own.ranks, messages);
    if (status == RLT_OK)
        *simulation = sim;
    return status;
}

/* rlti_vec3 is three doubles in a row, so arrays of it are [n][3]. */
_Static_assert(sizeof(rlti_vec3) == 3 * sizeof(double), "rlti_vec3 is packed");

const rlt_inputs *rlt_simulation_inputs(const rlt_simulation *sim) {
    return rlti_files_inputs(rlti_body_files(sim->body));
}

void rlt_simulation_travel(const rlt_simulation *sim, int frame, double move[3]) {
    int count = rlti_body_mesh(sim->body)->vertex_count;
    rlti_vec3 sum = rlti_v3(0, 0, 0);
    rlti_vec3 *there = rlti_body_is_file(sim->body) || count == 0 ? NULL : RLTI_NEW(rlti_vec3, count);
    if (there != NULL) {
        rlti_body_vertices_sample(sim->body, frame, there);
        for (int v = 0; v < count; v++)
            sum = rlti_add(sum, rlti_sub(there[v], sim->vertices[v]));
        sum = rlti_scale(1.0 / count, sum);
    }
    rlti_v3_put(move, sum);
    rlti_free(there);
}

rlt_status rlt_simulation_view(const rlt_simulation *sim, rlt_frame_view *view) {
    const rlti_mesh *mesh = rlti_body_mesh(sim->body);
    const rlt_frame_view own = {
        .frame = sim->frame,
        .time = (sim->frame - sim->scene->time.first) / sim->scene->time.fps,
        .strand_count = sim->strands->strand_count,
        .point_count = sim->strands->point_count,
        .first = sim->strands->first,
        .points = (const double *)sim->points,
        .velocities = (const double *)sim->velocities,
        .rest = (const double *)sim->strands->points,
        .widths = rlti_drive_widths(sim->drive),
        .hair = sim->strands->hair,
        .vertex_count = mesh->vertex_count,
        .triangle_count = mesh->triangle_count,
        .vertices = (const double *)sim->vertices,
        .triangles = (const int *)mesh->triangles,
        .source_count = sim->strands->source_count,
        .sources = sim->strands->source_list,
        .inputs = rlt_simulation_inputs(sim),
        .hidden = sim->strands->hidden,
    };
    return RLTI_WRITE(rlt_frame_view, view, &own, NULL);
}

uint64_t rlt_simulation_hash(const rlt_simulation *sim) {
    size_t size = (size_t)sim->strands->point_count * sizeof(rlti_vec3);
    uint64_t hash = rlti_hash_bytes(RLTI_HASH_START, sim->points, size);
    return rlti_hash_bytes(hash, sim->velocities, size);
}

static uint64_t turn_word(uint64_t word) {
    return word << 29 | word >> 35;
}

/* Eight chains side by side, each a bijection of every word: a multiplication a word, and a turn that brings
 * what has gone up down again. */
static uint64_t sum_numbers(const double *numbers, size_t count) {
    enum { CHAINS = 8 };
    uint64_t chain[CHAINS] = {1, 2, 3, 4, 5, 6, 7, 8}, word;
    size_t i = 0;
    for (; i + CHAINS <= count; i += CHAINS)
        for (int k = 0; k < CHAINS; k++) {
            memcpy(&word, numbers + i + k, sizeof word);
            chain[k] = turn_word(rlti_hash_word(chain[k], word));
        }
    for (int k = 0; i < count; i++, k++) {
        memcpy(&word, numbers + i, sizeof word);
        chain[k] = turn_word(rlti_hash_word(chain[k], word));
    }
    return rlti_checksum(count, chain, sizeof chain);
}

uint64_t rlt_simulation_checksum(const rlt_simulation *sim) {
    size_t count = 3 * (size_t)sim->strands->point_count;
    uint64_t sums[2] = {sum_numbers((const double *)sim->points, count),
                        sum_numbers((const double *)sim->velocities, count)};
    return rlti_checksum(0, sums, sizeof sums);
}

rlt_status rlt_simulation_strand_frames(const rlt_simulation *sim, int strand, double *frames) {
    if (strand < 0 || strand >= sim->strands->strand_count)
        return RLT_BAD_INPUT;
    rlti_solver *solver = rlti_simulation_solver(sim, strand);
    if (solver->type->frames == NULL)
        return RLT_BAD_INPUT;
    if (rlti_simulation_is_local(sim, strand))
        solver->type->frames(solver, strand, frames);
    return RLT_OK;
}

/* One velocity for all points, or one for each. */
static void kick(rlt_simulation *sim, const double *velocities, int each) {
    for (int s = 0; s < sim->strands->strand_count; s++) {
        if (!rlti_simulation_is_local(sim, s))
            continue;
        int first = sim->strands->first[s];
        rlti_solver *solver = rlti_simulation_solver(sim, s);
        solver->type->get(solver, s, sim->points + first, sim->velocities + first);
        int held = !rlti_hair_root_is_free(&sim->scene->hair[sim->strands->hair[s]]);
        for (int p = first + held; p < sim->strands->first[s + 1]; p++)
            sim->velocities[p] = rlti_add(sim->velocities[p], rlti_v3_at(velocities, each ? p : 0));
        solver->type->set(solver, s, sim->points + first, sim->velocities + first, NULL);
    }
    rlti_simulation_show(sim);
}

void rlt_simulation_kick(rlt_simulation *sim, const double velocity[3]) {
    kick(sim, velocity, 0);
}

void rlt_simulation_kick_points(rlt_simulation *sim, const double *velocities) {
    kick(sim, velocities, 1);
}

rlt_status rlt_simulation_pose(const rlt_simulation *sim, int pose, rlt_pose_report *report) {
    if (pose < 0 || pose >= rlti_drive_pose_count(sim->drive))
        return RLT_BAD_INPUT;
    return RLTI_WRITE(rlt_pose_report, report, rlti_drive_pose_report(sim->drive, pose), NULL);
}
