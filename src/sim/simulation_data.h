/* Inside of the simulation handle, shared by the files of sim/. */
#ifndef RLTI_SIM_SIMULATION_DATA_H
#define RLTI_SIM_SIMULATION_DATA_H

#include "parallel/pool.h"
#include "ringlet/simulation.h"
#include "shape/reshape.h"
#include "sim/layout.h"
#include "sim/spread.h"
#include "sim/wind.h"
#include "solve/kernel.h"

/* Seconds one worker has spent on each part of a step; a cache line of its own. */
typedef struct rlti_laps {
    double detect, collide, contact, step, kernel[2];
    int out_of_memory; /* in a task, which cannot fail by itself */
    int padding[3];
} rlti_laps;

struct rlt_simulation {
    /* constant once built */
    const rlti_scene_data *scene;
    const char *file; /* the scene's, for messages */
    rlti_body *body;
    rlti_strands *strands;
    rlti_taz_model *model; /* its rest shape may change: reshape */
    const rlti_kernel *kernel;
    rlti_particles *particles; /* of hair-hair contacts */
    rlti_graph *graph;         /* which hairs may touch */
    rlti_spread *spread;       /* which strands are computed here */
    rlti_layout layout;        /* of these */
    rlti_wind wind;
    float *thickness;        /* [point_count] how far each point stays from bodies: less near the roots */
    int *home;               /* [point_count] the collider it was groomed nearest to, or -1 */
    rlti_memory *memory;     /* [point_count] of colliders near by, within the present frame */
    unsigned char *any_side; /* [strand_count] 1: groomed through a sheet, and left so */
    double *widths;          /* [point_count] */
    double force_step;       /* [s] */
    uint64_t fingerprint;    /* of the scene and the groom made of it, for checkpoints */
    rlti_vec3 *rest_loads;   /* [point_count] what presses on the groom besides gravity; NULL: not needed */
    int slow_interval;       /* outer steps between two looks at the wind and at rest shapes that change */
    int time_phases;

    /* state */
    rlti_tile **tiles;  /* [tile_count] positions, velocities, contact planes */
    rlti_vec3 *origins; /* [strand_count] world; positions in tiles are relative to these */
    int frame;
    int posed;    /* the frame whose interval the colliders are in; INT_MIN: still at rest */
    int diverged; /* the state is broken: no way on from here */

    /* working memory, allocated once */
    rlti_colliders *colliders;
    rlti_springs *springs;  /* hair-hair contacts: their memory is state */
    rlti_holds *holds;      /* constraints; NULL: none */
    rlt_pose_report *poses; /* [statistics.poses] */
    rlti_reshape *reshape;  /* a rest shape that changes; NULL: it does not */
    double *size;           /* [hair_count] how large its hair is now, against the groom */
    rlti_pool *pool;
    rlti_laps *laps;          /* [threads] */
    char *scratch;            /* [threads][scratch_bytes] the kernel's working memory */
    size_t scratch_bytes;     /* of one thread, a multiple of 64 */
    float *floats;            /* [threads][RLTI_BLOCK_STRANDS][6 * longest strand] */
    float (*pushes)[3];       /* [threads][longest strand] */
    rlti_plane *planes;       /* [threads][longest strand] */
    rlti_hold *hold_room;     /* [threads][most holds of a strand] */
    int *hold_rows;           /* the same */
    long long *tile_contacts; /* [tile_count] */
    double *contact_ends;     /* [outer_steps] of hair-hair contacts here, in each step of the frame */
    rlti_measure *measures;   /* [strand_count] */
    int longest;              /* points of the longest strand */

    /* the view of the last good frame */
    rlti_vec3 *points, *velocities; /* [point_count] world */
    rlti_vec3 *vertices;            /* [vertex_count] */

    rlt_statistics statistics;
};

/* Binds a tile to its worker's memory and returns it. */
static inline rlti_tile *rlti_simulation_tile(const rlt_simulation *sim, int tile, int worker) {
    sim->kernel->bind(sim->tiles[tile], sim->scratch + (size_t)worker * sim->scratch_bytes);
    return sim->tiles[tile];
}

/* loop.c: reads what frame `frame` and the way to the next need of a body from a file. */
rlt_status rlti_simulation_begin_frame(rlt_simulation *sim, int frame, rlt_messages *messages);

/* loop.c: makes the state of the present frame the view. */
void rlti_simulation_show(rlt_simulation *sim);

/* loop.c: brings a strand's rest shape to the moment that reshape is in; returns its points, or NULL where it
 * stays as it is. */
const rlti_vec3 *rlti_simulation_reshape(rlt_simulation *sim, int tile, int lane, int worker);

/* checkpoint.c: what a checkpoint must agree in. The model is the groom's, nothing has been done to it yet.
 */
uint64_t rlti_simulation_fingerprint(const rlt_simulation *sim);

/* health.c: looks at every strand after a frame; RLT_DIVERGED names the first strand that failed, and why. */
rlt_status rlti_simulation_check(rlt_simulation *sim, rlt_messages *messages);

#endif
