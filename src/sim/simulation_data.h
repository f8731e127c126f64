/* Inside of the simulation handle, shared by the files of sim/. */
#ifndef RLTI_SIM_SIMULATION_DATA_H
#define RLTI_SIM_SIMULATION_DATA_H

#include "ringlet/simulation.h"
#include "solve/solver.h"

enum { RLTI_SOLVERS_MAX = 8 };

typedef struct rlti_live_run rlti_live_run; /* sim/live_data.h */

struct rlt_simulation {
    rlt_simulation_def def; /* how it runs */
    rlti_live_run *live;    /* what its caller moves; NULL: the scene says it all */
    /* constant once built */
    const rlti_scene_data *scene;
    const char *file; /* the scene's, for messages */
    const rlt_inputs *scene_inputs;
    rlti_body *body;
    rlti_strands *strands;
    rlti_matter *matter;
    rlti_pool *pool;
    rlti_drive *drive; /* all that acts on hair */
    int solver_count;
    rlti_solver *solvers[RLTI_SOLVERS_MAX]; /* one for each model of the scene */
    unsigned char *mine[RLTI_SOLVERS_MAX];  /* [strand_count] 1: that solver's strand */
    unsigned char *solver_of;               /* [strand_count] */
    uint64_t fingerprint;                   /* of the scene and the groom made of it, for checkpoints */
    rlti_vec3 *rest_loads; /* [point_count] what presses on the groom besides gravity; NULL: not needed */

    /* state; the rest of it is the solvers' and the drive's */
    int frame;
    rlt_status broken; /* RLT_OK; else the failure amid the frame after `frame`, which nothing can follow */
    const char *broken_by; /* that failure, for messages */

    rlti_measure *measures; /* [strand_count] */

    /* the view of the last good frame */
    rlti_vec3 *points, *velocities; /* [point_count] world */
    rlti_vec3 *vertices;            /* [vertex_count] */

    double seconds_load, seconds_drive, seconds_check;
    rlt_statistics statistics;
};

static inline rlti_solver *rlti_simulation_solver(const rlt_simulation *sim, int strand) {
    return sim->solvers[sim->solver_of[strand]];
}

static inline int rlti_simulation_is_local(const rlt_simulation *sim, int strand) {
    return rlti_drive_local(sim->drive)[strand];
}

static inline rlt_ranks *rlti_simulation_ranks(const rlt_simulation *sim) {
    return rlti_spread_handle(rlti_drive_spread(sim->drive));
}

/* simulation.c: builds it, whatever it has of `scene` and `live` already. On failure it is destroyed. sim
 * NULL: out of memory, which all `ranks` learn. */
rlt_status rlti_simulation_build(rlt_simulation *sim, const rlt_scene *scene, rlt_ranks *ranks,
                                 rlt_messages *messages);
/* Makes models, and all that acts on hair, anew from the scene's present values on the same groom and body:
 * every strand then stands in its groom, carried to where its root is. On failure nothing has changed. */
rlt_status rlti_simulation_renew(rlt_simulation *sim, rlt_messages *messages);
/* Every strand in its groom, carried to where its root is, moving with it. */
void rlti_simulation_place_groom(rlt_simulation *sim);

/* loop.c: rlt_simulation_advance, whether live or not. */
rlt_status rlti_simulation_advance(rlt_simulation *sim, rlt_messages *messages);

/* live.c: what is live of a simulation that is being built, once it has its groom. */
rlt_status rlti_live_begin(rlt_simulation *sim, rlt_messages *messages);
void rlti_live_destroy(rlti_live_run *live);

/* loop.c: makes the state of the present frame the view. */
void rlti_simulation_show(rlt_simulation *sim);

/* models.c: a solver for each model that the scene's hair names, with its constants. What a model cannot do,
 * and the scene asks of it, is refused with its place. */
rlt_status rlti_simulation_create_solvers(rlt_simulation *sim, const rlt_simulation_def *def,
                                          rlt_messages *messages);

/* diagnostics_show.c: what its models show of their own, as bits of rlt_show. */
unsigned rlti_simulation_shows(const rlt_simulation *sim);

/* statistics.c: what is known from the start; energies, from the measures of all strands. */
void rlti_statistics_begin(rlt_simulation *sim, const rlt_simulation_def *def);
void rlti_statistics_energies(rlt_simulation *sim);

/* checkpoint.c: what a checkpoint must agree in. The constants are the groom's, nothing has been done to them
 * yet. */
uint64_t rlti_simulation_fingerprint(const rlt_simulation *sim);

/* Checksums of the content of every file that drives the run. */
rlt_status rlti_simulation_contents(const rlt_simulation *sim, rlt_messages *messages, const uint64_t **sums,
                                    int *count);

/* loop.c: RLT_OK, or the failure that broke the state, with a message that names it and `what` is refused. */
rlt_status rlti_simulation_require_whole(const rlt_simulation *sim, const char *what, rlt_messages *messages);

/* health.c: checks every strand after a frame; RLT_DIVERGED names the first strand that failed, and why. */
rlt_status rlti_simulation_check(rlt_simulation *sim, rlt_messages *messages);

#endif
