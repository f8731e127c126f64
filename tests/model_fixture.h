/* Questions about a strand model at work in the simulation, whichever it is. */
#ifndef MODEL_FIXTURE_H
#define MODEL_FIXTURE_H

#include "mpi_fixture.h"
#include "run_fixture.h"
#include "sim/simulation_data.h"

static inline double model_distance_to_root(const run *r, int strand) {
    rlt_frame_view view = run_view(r);
    rlti_root_state root = rlti_drive_root(r->simulation->drive, strand, view.frame);
    return run_distance(view.points + 3 * view.first[strand], &root.position.x);
}

/* Where a point is after so many frames of two texts' scene. */
static inline double model_point_after(const char *scene, const char *more, int frames, int point, int axis) {
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 1, "%s%s", scene, more);
    run_frames(&r, frames);
    double at = run_view(&r).points[3 * point + axis];
    run_end(&r);
    return at;
}

/* How far two points, groomed 5 units apart, are off that in turbulent air. */
static inline double model_spread_of(const char *scene, const char *more, int one, int other) {
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 1, "%sgravity: [0, 0, 0]\nwind: {turbulence: 300, turbulence_length: 6}\n%s",
              scene, more);
    double worst = 0.0;
    for (int f = 0; f < 10; f++) {
        run_frames(&r, 1);
        rlt_frame_view view = run_view(&r);
        worst = fmax(worst, fabs(run_distance(view.points + 3 * one, view.points + 3 * other) - 5.0));
    }
    run_end(&r);
    return worst;
}

/* The hash after six frames; with `resumed`, by a checkpoint of the third that is read two frames later. */
static inline uint64_t model_hash(rlt_simd simd, int threads, int resumed, const char *text) {
    run r;
    run_begin(&r, simd, threads, "%s", text);
    run_frames(&r, 3);
    if (resumed) {
        assert_int_equal(rlt_checkpoint_write("model.checkpoint", r.simulation, NULL, r.messages), RLT_OK);
        run_frames(&r, 2);
        assert_int_equal(rlt_checkpoint_read("model.checkpoint", r.simulation, r.messages), RLT_OK);
    }
    run_frames(&r, 3);
    uint64_t hash = rlt_simulation_hash(r.simulation);
    run_end(&r);
    return hash;
}

/* One rank of a job; rank 0 prints the hash after six frames. */
static inline int model_work(const char *text) {
    rlt_messages *messages = rlt_messages_create();
    rlt_simulation_def def = {.size = sizeof def, .threads = 1};
    rlt_scene *scene = NULL;
    rlt_simulation *simulation = NULL;
    rlt_status status = rlt_ranks_start(messages, &def.ranks);
    if (status == RLT_OK)
        status = rlt_scene_load_text("test", text, strlen(text), NULL, 0, messages, &scene);
    if (status == RLT_OK)
        status = rlt_simulation_create(scene, &def, messages, &simulation);
    for (int f = 0; f < 6 && status == RLT_OK; f++)
        status = rlt_simulation_advance(simulation, messages);
    if (status == RLT_OK && rlt_ranks_rank(def.ranks) == 0)
        printf("%016llx\n", (unsigned long long)rlt_simulation_hash(simulation));
    rlt_simulation_destroy(simulation);
    rlt_scene_destroy(scene);
    rlt_ranks_finish(def.ranks);
    rlt_messages_destroy(messages);
    return (int)status;
}

/* Two ranks of the program `self`, which calls model_work where it has an argument, come to this hash. */
static inline void model_assert_ranks(const char *self, uint64_t hash) {
    char command[1100], wanted[32];
    snprintf(command, sizeof command, "'%s' rank", self);
    snprintf(wanted, sizeof wanted, "%016llx\n", (unsigned long long)hash);
    assert_int_equal(mpi_run(2, command), 0);
    assert_string_equal(out_text, wanted);
}

#endif
