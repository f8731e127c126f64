/* The Rod as a solver: what the simulation's table asks, answered by the implicit engine tile by tile. */
#include "solve/rod_solver.h"

#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/messages.h"
#include "scene/readers.h"
#include "shape/reshape.h"
#include "solve/rod_solver_data.h"

static rod_solver *of(rlti_solver *solver) {
    return (rod_solver *)solver;
}

static const rod_solver *as(const rlti_solver *solver) {
    return (const rod_solver *)solver;
}

/* ---- building ---- */

static void destroy(rlti_solver *solver) {
    rod_solver *s = of(solver);
    if (s == NULL)
        return;
    rlti_rod_solver_clear(s);
    if (s->owns_model)
        rlti_rod_model_destroy(s->model);
    rlti_free(s);
}

static rlt_status create_type(const rlti_solver_type *type, const rlti_solver_def *def,
                              rlt_messages *messages, rlti_solver **solver) {
    rod_solver *s = RLTI_NEW(rod_solver, 1);
    if (s == NULL)
        return rlti_out_of_memory(messages);
    s->base.type = type;
    s->def = *def;
    s->engine = rlti_implicit_select(def->simd);
    s->owns_model = 1;
    rlt_status status =
        type == &rlti_coil_solver
            ? rlti_coil_model_create(def->scene, def->strands, def->mine, def->matter, messages, &s->model)
            : rlti_rod_model_create(def->scene, def->strands, def->mine, def->matter, messages, &s->model);
    if (status != RLT_OK) {
        destroy(&s->base);
        return status;
    }
    *solver = &s->base;
    return RLT_OK;
}

static rlt_status create(const rlti_solver_def *def, rlt_messages *messages, rlti_solver **solver) {
    return create_type(&rlti_rod_solver, def, messages, solver);
}

static rlt_status create_coil(const rlti_solver_def *def, rlt_messages *messages, rlti_solver **solver) {
    return create_type(&rlti_coil_solver, def, messages, solver);
}

static uint64_t checksum(const rlti_solver *solver, uint64_t hash) {
    return rlti_rod_model_checksum(as(solver)->model, hash);
}

/* The shortest of its sections. */
static double shortest_step(const rlti_solver *solver) {
    const rlti_scene_data *scene = as(solver)->def.scene;
    return 1.0 / (scene->time.fps * scene->time.outer_steps);
}

static int meets(const rlti_solver *solver, int hair) {
    const rlti_scene_data *scene = as(solver)->def.scene;
    return scene->hair[hair].rod.steps <= scene->time.outer_steps &&
           !rlti_hair_solves_contacts(&scene->hair[hair]);
}

/* Bytes of a tile for each point of its longest strand, from the first one. */
static rlti_solver_cost cost(const rlti_solver *solver) {
    const rod_solver *s = as(solver);
    rlti_solver_cost cost = {.lanes = s->engine->lanes, .constants = (double)rlti_rod_model_bytes(s->model)};
    if (s->layout.tile_count > 0)
        cost.point_bytes =
            (double)s->engine->bytes(s->tiles[0]) / s->model->strands[s->layout.order[0]].points;
    return cost;
}

static rlt_status settle(rlti_solver *solver, const unsigned char *local, const rlti_vec3 *loads,
                         rlti_sag_result *results, rlt_messages *messages) {
    rod_solver *s = of(solver);
    return rlti_rod_sag_apply(s->model, &s->def, local, loads, messages, results);
}

static rlt_status start(rlti_solver *solver, rlti_drive *drive, const rlti_vec3 *loads,
                        rlt_messages *messages) {
    rod_solver *s = of(solver);
    s->drive = drive;
    s->loads = loads;
    rlt_status status = rlti_rod_solver_make(s, rlti_drive_local(drive), messages);
    if (status == RLT_OK && rlti_sag_wanted(s->def.scene) && rlti_reshape_wanted(s->def.scene)) {
        s->resag = rlti_rod_sag_create(s->model, rlti_pool_threads(s->def.pool));
        status = s->resag != NULL ? RLT_OK : rlti_out_of_memory(messages);
    }
    return status;
}

static rlt_status trial(const rlti_solver *solver, const unsigned char *here, const rlti_vec3 *loads,
                        rlt_messages *messages, rlti_solver **trial) {
    const rod_solver *from = as(solver);
    rod_solver *s = RLTI_NEW(rod_solver, 1);
    if (s == NULL)
        return rlti_out_of_memory(messages);
    *s = (rod_solver){
        .base = from->base, .def = from->def, .model = from->model, .engine = from->engine, .loads = loads};
    rlt_status status = rlti_rod_solver_make(s, here, messages);
    for (int i = 0; status == RLT_OK && loads != NULL && i < s->layout.count; i++) {
        rlti_place at = s->layout.places[s->layout.order[i]];
        s->engine->set_loads(s->tiles[at.tile], at.lane, loads + s->model->strands[s->layout.order[i]].first);
    }
    if (status != RLT_OK) {
        destroy(&s->base);
        return status;
    }
    *trial = &s->base;
    return RLT_OK;
}

/* ---- strands ---- */

static void set(rlti_solver *solver, int strand, const rlti_vec3 *positions, const rlti_vec3 *velocities,
                const rlti_quat *rotation) {
    rod_solver *s = of(solver);
    rlti_place at = s->layout.places[strand];
    const rlti_rod_strand *rod = &s->model->strands[strand];
    if (s->model->coil) { /* has no frames but the clamp's */
        if (rotation != NULL)
            s->engine->set_clamp(s->tiles[at.tile], at.lane, rlti_quat_rotate(*rotation, rod->direction),
                                 rlti_quat_rotate(*rotation, rod->director));
        s->engine->set_state(s->tiles[at.tile], at.lane, positions, velocities, NULL, NULL);
        return;
    }
    rlti_vec3 *directors = s->spare + rod->first;
    if (rotation == NULL) { /* frames and spins as they are */
        double *spins = &directors->x;
        s->engine->get_state(s->tiles[at.tile], at.lane, NULL, NULL, NULL, spins);
        s->engine->set_state(s->tiles[at.tile], at.lane, positions, velocities, NULL, spins);
        return;
    }
    for (int i = 0; i + 1 < rod->points; i++)
        directors[i] = rlti_quat_rotate(*rotation, rlti_v3_at(s->model->directors[rod->first + i], 0));
    s->engine->set_clamp(s->tiles[at.tile], at.lane, rlti_quat_rotate(*rotation, rod->direction),
                         rlti_quat_rotate(*rotation, rod->director));
    s->engine->set_state(s->tiles[at.tile], at.lane, positions, velocities, directors, NULL);
}

static void get(const rlti_solver *solver, int strand, rlti_vec3 *positions, rlti_vec3 *velocities) {
    const rod_solver *s = as(solver);
    s->engine->get_state(s->tiles[s->layout.places[strand].tile], s->layout.places[strand].lane, positions,
                         velocities, NULL, NULL);
}

/* ---- a frame ---- */

static void begin_tile(void *context, int tile, int worker) {
    rod_solver *s = context;
    (void)worker;
    for (int lane = 0; lane < rlti_layout_size(&s->layout, tile); lane++) {
        int strand = rlti_layout_strand(&s->layout, tile, lane);
        rlti_root_motion root;
        s->tallies[strand] = (rod_tally){0};
        if (s->drive == NULL)
            continue;
        rlti_drive_begin_strand(s->drive, strand, &root);
        if (root.jumps)
            s->engine->carry(s->tiles[tile], lane, root.turn, root.velocity);
        s->engine->shift(s->tiles[tile], lane, root.shift);
        s->roots[strand] = root.motion;
    }
}

static void begin_frame(rlti_solver *solver) {
    rlti_pool_for(of(solver)->def.pool, of(solver)->layout.tile_count, begin_tile, solver);
}

static void look_tile(void *context, int tile, int worker) {
    rod_solver *s = context;
    const rod_work *w = &s->work[worker];
    double clock = rlti_seconds(CLOCK_MONOTONIC);
    for (int lane = 0; lane < rlti_layout_size(&s->layout, tile); lane++) {
        s->engine->get_state(s->tiles[tile], lane, w->positions, w->velocities, NULL, NULL);
        rlti_drive_show(s->drive, rlti_layout_strand(&s->layout, tile, lane), w->positions, w->velocities);
    }
    rlti_lap(&clock, &rlti_drive_laps(s->drive, worker)->detect);
}

static void look(rlti_solver *solver) {
    rlti_pool_for(of(solver)->def.pool, of(solver)->layout.tile_count, look_tile, solver);
}

/* ---- health ---- */

typedef struct measure_task {
    rod_solver *s;
    const double *gravity;
    rlti_measure *measures;
} measure_task;

static void measure_tile(void *context, int tile, int worker) {
    const measure_task *task = context;
    rod_solver *s = task->s;
    rlti_measure found[RLTI_BLOCK_STRANDS];
    s->engine->measure(s->tiles[tile], task->gravity, rod_scratch(s, worker), found);
    for (int lane = 0; lane < rlti_layout_size(&s->layout, tile); lane++)
        task->measures[rlti_layout_strand(&s->layout, tile, lane)] = found[lane];
}

static void measure(rlti_solver *solver, const double gravity[3], rlti_measure *measures) {
    measure_task task = {of(solver), gravity, measures};
    rlti_pool_for(of(solver)->def.pool, of(solver)->layout.tile_count, measure_tile, &task);
}

/* ---- checkpoints ---- */

/* Directors and spins are of edges: the tip's place is 0. */
static int fields(const rlti_solver *solver, rlti_state_field out[RLTI_FIELDS_MAX]) {
    (void)solver;
    out[0] = (rlti_state_field){"positions", 8, 3, 0};
    out[1] = (rlti_state_field){"velocities", 8, 3, 0};
    out[2] = (rlti_state_field){"directors", 8, 3, 0};
    out[3] = (rlti_state_field){"spins", 8, 1, 0};
    out[4] = (rlti_state_field){"clamps", 8, 0, 6};
    return 5;
}

static void save(const rlti_solver *solver, int strand, void *const data[]) {
    const rod_solver *s = as(solver);
    size_t tip = (size_t)s->model->strands[strand].points - 1;
    s->engine->get_state(s->tiles[s->layout.places[strand].tile], s->layout.places[strand].lane, data[0],
                         data[1], data[2], data[3]);
    ((rlti_vec3 *)data[2])[tip] = rlti_v3(0, 0, 0);
    ((double *)data[3])[tip] = 0.0;
    rlti_vec3 *clamp = data[4];
    s->engine->get_clamp(s->tiles[s->layout.places[strand].tile], s->layout.places[strand].lane, &clamp[0],
                         &clamp[1]);
}

static void load(rlti_solver *solver, int strand, const void *const data[]) {
    rod_solver *s = of(solver);
    s->engine->set_state(s->tiles[s->layout.places[strand].tile], s->layout.places[strand].lane, data[0],
                         data[1], data[2], data[3]);
    const rlti_vec3 *clamp = data[4];
    s->engine->set_clamp(s->tiles[s->layout.places[strand].tile], s->layout.places[strand].lane, clamp[0],
                         clamp[1]);
}

/* The Coil has points and the clamp. */
static int coil_fields(const rlti_solver *solver, rlti_state_field out[RLTI_FIELDS_MAX]) {
    (void)solver;
    out[0] = (rlti_state_field){"positions", 8, 3, 0};
    out[1] = (rlti_state_field){"velocities", 8, 3, 0};
    out[2] = (rlti_state_field){"clamps", 8, 0, 6};
    return 3;
}

static void save_coil(const rlti_solver *solver, int strand, void *const data[]) {
    const rod_solver *s = as(solver);
    rlti_place at = s->layout.places[strand];
    rlti_vec3 *clamp = data[2];
    s->engine->get_state(s->tiles[at.tile], at.lane, data[0], data[1], NULL, NULL);
    s->engine->get_clamp(s->tiles[at.tile], at.lane, &clamp[0], &clamp[1]);
}

static void load_coil(rlti_solver *solver, int strand, const void *const data[]) {
    rod_solver *s = of(solver);
    rlti_place at = s->layout.places[strand];
    const rlti_vec3 *clamp = data[2];
    s->engine->set_state(s->tiles[at.tile], at.lane, data[0], data[1], NULL, NULL);
    s->engine->set_clamp(s->tiles[at.tile], at.lane, clamp[0], clamp[1]);
}

static const char *const energy_names[] = {"stretch", "bend", "twist", NULL};
static const char *const coil_energy_names[] = {"stretch", "bend", "torsion", NULL};
static const char *const part_names[] = {NULL};

#define MORE_STEPS "raise hair.rod.steps or hair.rod.iterations"

/* All that both models have in common: everything but the shape of a strand's state. */
#define IMPLICIT_HAIR                                                                                        \
    .parts = part_names, .constraints = ~0u, .settles = 1, .reshapes = 1, .destroy = destroy,                \
    .checksum = checksum, .bytes = rlti_rod_solver_bytes, .shortest_step = shortest_step, .meets = meets,    \
    .cost = cost, .settle = settle, .describe_sag = rlti_rod_sag_describe, .start = start, .trial = trial,   \
    .set = set, .get = get, .reshape = rlti_rod_solver_reshape, .begin_frame = begin_frame, .look = look,    \
    .step = rlti_rod_solver_step, .measure = measure, .ahead = 1, .report = rlti_rod_solver_report

const rlti_solver_type rlti_rod_solver = {
    IMPLICIT_HAIR,
    .name = "rod",
    .about = "implicit elastic rods with the stiffness of real hair, right at any resolution",
    .energies = energy_names,
    .remedy = MORE_STEPS,
    .create = create,
    .fields = fields,
    .save = save,
    .load = load,
    .frames = rlti_rod_solver_frames,
    .shows = RLT_SHOW_FRAMES | RLT_SHOW_TARGETS | RLT_SHOW_TWIST | RLT_SHOW_CURVATURE | RLT_SHOW_RESIDUAL |
             RLT_SHOW_FORCES,
    .forces = rlti_rod_solver_forces,
    .show = rlti_rod_solver_show,
};

const rlti_solver_type rlti_coil_solver = {
    IMPLICIT_HAIR,
    .name = "coil",
    .about = "implicit hair of points alone with the stiffness of real hair, for tight curls",
    .energies = coil_energy_names,
    .remedy = MORE_STEPS "; hair that is soft: raise hair.coil.stretch",
    .create = create_coil,
    .admit = rlti_coil_solver_admit,
    .fields = coil_fields,
    .save = save_coil,
    .load = load_coil,
    .shows = RLT_SHOW_TWIST | RLT_SHOW_CURVATURE | RLT_SHOW_RESIDUAL | RLT_SHOW_FORCES,
    .forces = rlti_rod_solver_forces,
    .show = rlti_coil_solver_show,
};
