/* The Taz strand as a solver: what the simulation's table asks, answered by the step kernel tile by tile. */
#include "solve/taz_solver.h"

#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/messages.h"
#include "model/taz_look.h"
#include "shape/reshape.h"
#include "solve/taz_solver_data.h"

/* Real numbers of each, as in kernel.h. */
enum { POSITION_REALS = 6 /* high, low */, VELOCITY_REALS = 3, ROOT_REALS = 6 /* direction, normal */ };

static taz_solver *of(rlti_solver *solver) {
    return (taz_solver *)solver;
}

static const taz_solver *as(const rlti_solver *solver) {
    return (const taz_solver *)solver;
}

/* ---- building ---- */

static void destroy(rlti_solver *solver) {
    taz_solver *s = of(solver);
    if (s == NULL)
        return;
    rlti_taz_solver_clear(s);
    if (s->owns_model)
        rlti_taz_model_destroy(s->model);
    rlti_free(s);
}

static rlt_status create(const rlti_solver_def *def, rlt_messages *messages, rlti_solver **solver) {
    const rlti_time_data *time = &def->scene->time;
    taz_solver *s = RLTI_NEW(taz_solver, 1);
    if (s == NULL)
        return rlti_out_of_memory(messages);
    s->base.type = &rlti_taz_solver;
    s->def = *def;
    s->force_steps = time->force_steps;
    s->force_step = 1.0 / (time->fps * time->outer_steps * time->force_steps);
    s->kernel = rlti_kernel_select(def->simd);
    s->owns_model = 1;
    rlt_status status =
        rlti_taz_model_create(def->scene, def->strands, def->mine, def->matter, messages, &s->model);
    if (status != RLT_OK) {
        destroy(&s->base);
        return status;
    }
    rlti_taz_solver_choose_steps(s, messages);
    *solver = &s->base;
    return RLT_OK;
}

static uint64_t checksum(const rlti_solver *solver, uint64_t hash) {
    return rlti_taz_model_checksum(as(solver)->model, hash);
}

static size_t bytes(const rlti_solver *solver) {
    const taz_solver *s = as(solver);
    size_t sum = sizeof *s + rlti_taz_model_bytes(s->model) +
                 (size_t)s->model->strand_count * sizeof *s->layout.places +
                 (size_t)rlti_pool_threads(s->def.pool) * s->scratch_bytes;
    for (int t = 0; t < s->layout.tile_count; t++)
        sum += s->kernel->bytes(s->tiles[t]);
    return sum;
}

static double shortest_step(const rlti_solver *solver) {
    return as(solver)->force_step;
}

/* Bytes of a tile for each point of its longest strand, from the first one. */
static rlti_solver_cost cost(const rlti_solver *solver) {
    const taz_solver *s = as(solver);
    const rlti_time_data *time = &s->def.scene->time;
    double force_steps = (double)time->outer_steps * s->force_steps;
    rlti_solver_cost cost = {.lanes = s->kernel->lanes, .constants = (double)rlti_taz_model_bytes(s->model)};
    if (s->layout.tile_count > 0)
        cost.point_bytes =
            (double)s->kernel->bytes(s->tiles[0]) / s->model->strands[s->layout.order[0]].points;
    for (int k = 0; k < s->model->strand_count; k++) {
        const rlti_taz_strand *strand = &s->model->strands[k];
        if (strand->points == 0)
            continue;
        int core = s->model->core_k[strand->first] > 0.0 || s->model->core_dk[strand->first] > 0.0;
        cost.flops += (strand->points - 1) * force_steps *
                      (rlti_kernel_force_flops(core) + time->damping_steps * rlti_kernel_damping_flops(core));
    }
    return cost;
}

static rlt_status settle(rlti_solver *solver, const unsigned char *local, const rlti_vec3 *loads,
                         rlti_sag_result *results, rlt_messages *messages) {
    taz_solver *s = of(solver);
    rlti_taz_sag_def def = {.scene = s->def.scene,
                            .strands = s->def.strands,
                            .mine = s->def.mine,
                            .local = local,
                            .loads = loads,
                            .force_step = s->force_step,
                            .pool = s->def.pool};
    return rlti_taz_sag_apply(&def, s->model, messages, results);
}

static rlt_status start(rlti_solver *solver, rlti_drive *drive, const rlti_vec3 *loads,
                        rlt_messages *messages) {
    taz_solver *s = of(solver);
    s->drive = drive;
    s->loads = loads;
    rlt_status status = rlti_taz_solver_make(s, rlti_drive_local(drive), messages);
    if (status == RLT_OK && rlti_sag_wanted(s->def.scene) && rlti_reshape_wanted(s->def.scene)) {
        s->resag = rlti_taz_sag_create(s->model, rlti_pool_threads(s->def.pool));
        status = s->resag != NULL ? RLT_OK : rlti_out_of_memory(messages);
    }
    return status;
}

/* Forces on the groom at rest, as a constant push on every point. */
static int push_trial(taz_solver *s, const rlti_vec3 *loads) {
    int longest = rlti_matter_longest(s->def.matter);
    int *points = RLTI_NEW(int, longest);
    float(*pushes)[3] = rlti_allocate((size_t)longest, sizeof *pushes);
    int done = points != NULL && pushes != NULL;
    for (int i = 0; done && i < s->layout.count; i++) {
        const rlti_taz_strand *strand = &s->model->strands[s->layout.order[i]];
        rlti_place at = s->layout.places[s->layout.order[i]];
        for (int p = 0; p < strand->points; p++) {
            rlti_vec3 a = rlti_scale(1.0 / s->model->mass[strand->first + p], loads[strand->first + p]);
            points[p] = p;
            rlti_v3_round(pushes[p], a);
        }
        s->kernel->set_pushes(s->tiles[at.tile], at.lane, points, (const float(*)[3])pushes, strand->points);
    }
    rlti_free(points);
    rlti_free(pushes);
    return done;
}

static rlt_status trial(const rlti_solver *solver, const unsigned char *here, const rlti_vec3 *loads,
                        rlt_messages *messages, rlti_solver **trial) {
    const taz_solver *from = as(solver);
    taz_solver *s = RLTI_NEW(taz_solver, 1);
    if (s == NULL)
        return rlti_out_of_memory(messages);
    *s = (taz_solver){.base = from->base,
                      .def = from->def,
                      .model = from->model,
                      .kernel = from->kernel,
                      .force_step = from->force_step,
                      .force_steps = from->force_steps,
                      .loads = loads};
    rlt_status status = rlti_taz_solver_make(s, here, messages);
    if (status == RLT_OK && loads != NULL && !push_trial(s, loads))
        status = rlti_out_of_memory(messages);
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
    taz_solver *s = of(solver);
    rlti_place at = s->layout.places[strand];
    const rlti_taz_strand *model = &s->model->strands[strand];
    s->kernel->set_state(s->tiles[at.tile], at.lane, positions, velocities);
    if (rotation != NULL)
        s->kernel->set_root_frame(s->tiles[at.tile], at.lane,
                                  rlti_quat_rotate(*rotation, model->root_direction),
                                  rlti_quat_rotate(*rotation, model->root_normal));
}

static void get(const rlti_solver *solver, int strand, rlti_vec3 *positions, rlti_vec3 *velocities) {
    const taz_solver *s = as(solver);
    s->kernel->get_state(s->tiles[s->layout.places[strand].tile], s->layout.places[strand].lane, positions,
                         velocities);
}

static void reshape(rlti_solver *solver, int strand, const rlti_vec3 *points, int worker) {
    taz_solver *s = of(solver);
    rlti_place at = s->layout.places[strand];
    const rlti_hair_data *hair = &s->def.scene->hair[s->def.strands->hair[strand]];
    rlti_taz_model_reshape(s->model, strand, hair, points);
    if (hair->sag.mode != RLTI_SAG_OFF) {
        rlti_taz_sag_def sag = {
            .scene = s->def.scene, .strands = s->def.strands, .loads = s->loads, .force_step = s->force_step};
        rlti_taz_sag_again(&sag, s->model, s->resag, strand, worker, points);
    }
    s->kernel->reshape(s->tiles[at.tile], at.lane, s->model, strand);
}

/* ---- a frame ---- */

static void begin_tile(void *context, int tile, int worker) {
    taz_solver *s = context;
    (void)worker;
    for (int lane = 0; lane < rlti_layout_size(&s->layout, tile); lane++) {
        rlti_root_motion root = {.motion = {.rotation = {{1.0, 0.0, 0.0, 0.0}}}}; /* still */
        if (s->drive != NULL)
            rlti_drive_begin_strand(s->drive, rlti_layout_strand(&s->layout, tile, lane), &root);
        if (root.jumps)
            s->kernel->carry(s->tiles[tile], lane, root.turn, root.velocity);
        s->kernel->begin_frame(s->tiles[tile], lane, &root.motion, root.shift);
    }
}

static void begin_frame(rlti_solver *solver) {
    rlti_pool_for(of(solver)->def.pool, of(solver)->layout.tile_count, begin_tile, solver);
}

static void look_tile(void *context, int tile, int worker) {
    taz_solver *s = context;
    double clock = rlti_seconds(CLOCK_MONOTONIC);
    for (int lane = 0; lane < rlti_layout_size(&s->layout, tile); lane++) {
        int strand = rlti_layout_strand(&s->layout, tile, lane);
        rlti_look look = rlti_drive_board(s->drive, strand);
        s->kernel->get_floats(s->tiles[tile], lane, look.positions, look.velocities);
        rlti_drive_shown(s->drive, strand);
    }
    rlti_lap(&clock, &rlti_drive_laps(s->drive, worker)->detect);
}

static void look(rlti_solver *solver) {
    rlti_pool_for(of(solver)->def.pool, of(solver)->layout.tile_count, look_tile, solver);
}

/* ---- a step ---- */

/* Contact planes and air of one tile's strands. */
static void meet_bodies(taz_solver *s, int tile, int worker) {
    if (rlti_drive_has_planes(s->drive))
        s->kernel->clear_planes(s->tiles[tile]);
    for (int lane = 0; lane < rlti_layout_size(&s->layout, tile); lane++) {
        int strand = rlti_layout_strand(&s->layout, tile, lane);
        const rlti_plane *planes = NULL;
        int count = rlti_drive_planes(s->drive, strand, worker, &planes);
        if (count > 0)
            s->kernel->set_planes(s->tiles[tile], lane, planes, count);
        const float *air = rlti_drive_air(s->drive, strand, worker);
        if (air != NULL)
            s->kernel->set_wind(s->tiles[tile], lane, air);
    }
}

/* Contact springs of one tile's strands. */
static void meet_hair(taz_solver *s, int tile, int worker) {
    s->kernel->clear_pushes(s->tiles[tile]);
    for (int lane = 0; lane < rlti_layout_size(&s->layout, tile); lane++) {
        const int *points = NULL;
        const float(*pushes)[3] = NULL;
        int count = rlti_drive_pulled_pushes(s->drive, rlti_layout_strand(&s->layout, tile, lane), worker,
                                             &points, &pushes);
        if (count > 0)
            s->kernel->set_pushes(s->tiles[tile], lane, points, pushes, count);
    }
}

/* All that acts on one tile's strands in this step. */
static void ask_drive(taz_solver *s, int tile, int worker, double *clock) {
    rlti_laps *laps = rlti_drive_laps(s->drive, worker);
    for (int lane = 0; lane < rlti_layout_size(&s->layout, tile); lane++) {
        int strand = rlti_layout_strand(&s->layout, tile, lane);
        const rlti_vec3 *rest = rlti_drive_rest(s->drive, strand, worker);
        if (rest != NULL)
            reshape(&s->base, strand, rest, worker);
    }
    meet_bodies(s, tile, worker);
    rlti_lap(clock, &laps->collide);
    if (rlti_drive_has_pushes(s->drive)) {
        double searched = laps->detect;
        meet_hair(s, tile, worker);
        rlti_lap(clock, &laps->contact);
        laps->contact -= laps->detect - searched;
    }
    if (s->hold_rows != NULL)
        rlti_taz_hold_tile(s, tile, worker);
    rlti_lap(clock, &laps->collide);
}

static void step_tile(void *context, int tile, int worker) {
    taz_solver *s = context;
    const rlti_interval *now = &s->now;
    int force_steps = s->force_steps;
    double clock = rlti_seconds(CLOCK_MONOTONIC);
    rlti_laps *laps = s->drive != NULL ? rlti_drive_laps(s->drive, worker) : NULL;
    rlti_step step = {.gravity = {now->gravity[0], now->gravity[1], now->gravity[2]},
                      .force_steps = now->count * force_steps,
                      .first_force_step = now->first * force_steps,
                      .frame_step = 1.0 / ((double)now->steps * force_steps),
                      .rate = now->rate,
                      .seconds = laps != NULL && s->def.time_parts ? laps->part : NULL};
    if (s->drive != NULL)
        ask_drive(s, tile, worker, &clock);
    s->kernel->run(taz_tile(s, tile, worker), &step);
    if (laps != NULL)
        rlti_lap(&clock, &laps->step);
}

static void step(rlti_solver *solver, const rlti_interval *interval) {
    of(solver)->now = *interval;
    rlti_pool_for(of(solver)->def.pool, of(solver)->layout.tile_count, step_tile, solver);
}

/* ---- health ---- */

typedef struct measure_task {
    taz_solver *s;
    const double *gravity;
    rlti_measure *measures;
} measure_task;

static void measure_tile(void *context, int tile, int worker) {
    const measure_task *task = context;
    taz_solver *s = task->s;
    rlti_measure found[RLTI_BLOCK_STRANDS];
    s->kernel->measure(taz_tile(s, tile, worker), task->gravity, found);
    for (int lane = 0; lane < rlti_layout_size(&s->layout, tile); lane++)
        task->measures[rlti_layout_strand(&s->layout, tile, lane)] = found[lane];
}

static void measure(rlti_solver *solver, const double gravity[3], rlti_measure *measures) {
    measure_task task = {of(solver), gravity, measures};
    rlti_pool_for(of(solver)->def.pool, of(solver)->layout.tile_count, measure_tile, &task);
}

/* ---- checkpoints ---- */

static int fields(const rlti_solver *solver, rlti_state_field out[RLTI_FIELDS_MAX]) {
    int real = as(solver)->kernel->real_bytes;
    out[0] = (rlti_state_field){"positions", real, POSITION_REALS, 0};
    out[1] = (rlti_state_field){"velocities", real, VELOCITY_REALS, 0};
    out[2] = (rlti_state_field){"roots", real, 0, ROOT_REALS};
    return 3;
}

static void save(const rlti_solver *solver, int strand, void *const data[]) {
    const taz_solver *s = as(solver);
    s->kernel->save(s->tiles[s->layout.places[strand].tile], s->layout.places[strand].lane, data[0], data[1],
                    data[2]);
}

static void load(rlti_solver *solver, int strand, const void *const data[]) {
    taz_solver *s = of(solver);
    s->kernel->load(s->tiles[s->layout.places[strand].tile], s->layout.places[strand].lane, data[0], data[1],
                    data[2]);
}

/* ---- pictures ---- */

static void frames(rlti_solver *solver, int strand, double *out) {
    taz_solver *s = of(solver);
    s->kernel->frames(taz_tile(s, s->layout.places[strand].tile, 0), s->layout.places[strand].lane, out);
}

static void show(rlti_solver *solver, int strand, const rlti_vec3 *points, rlt_diagnostics *d) {
    taz_solver *s = of(solver);
    size_t first = (size_t)s->def.strands->first[strand];
    frames(solver, strand, d->frames + 9 * first);
    rlti_taz_look(s->model, strand, points, (const double(*)[9])(d->frames + 9 * first),
                  (rlti_vec3 *)d->smoothed + first, (rlti_vec3 *)d->core + first,
                  (rlti_vec3 *)d->targets + first);
    memcpy(d->frame_origins + 3 * first, d->smoothed + 3 * first,
           3 * sizeof(double) * (size_t)(s->def.strands->first[strand + 1] - s->def.strands->first[strand]));
}

static const char *const energy_names[] = {"stretch", "bend", "core", NULL};
static const char *const part_names[] = {"internal", "damping", NULL};

const rlti_solver_type rlti_taz_solver = {
    .name = "taz",
    .about = "explicit springs with smoothed bending frames and core springs: curls",
    .energies = energy_names,
    .parts = part_names,
    .constraints = ~0u,
    .settles = 1,
    .reshapes = 1,
    .create = create,
    .destroy = destroy,
    .checksum = checksum,
    .bytes = bytes,
    .shortest_step = shortest_step,
    .admit = rlti_taz_solver_admit,
    .cost = cost,
    .settle = settle,
    .describe_sag = rlti_taz_sag_describe,
    .start = start,
    .trial = trial,
    .set = set,
    .get = get,
    .reshape = reshape,
    .begin_frame = begin_frame,
    .look = look,
    .step = step,
    .measure = measure,
    .fields = fields,
    .save = save,
    .load = load,
    .frames = frames,
    .shows = RLT_SHOW_SMOOTHED | RLT_SHOW_CORE | RLT_SHOW_FRAMES | RLT_SHOW_TARGETS,
    .show = show,
};
