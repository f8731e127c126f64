/* Inside of the Taz solver, shared by taz_solver*.c. */
#ifndef RLTI_SOLVE_TAZ_SOLVER_DATA_H
#define RLTI_SOLVE_TAZ_SOLVER_DATA_H

#include "solve/taz_sag.h"
#include "solve/kernel.h"
#include "solve/layout.h"
#include "solve/taz_solver.h"

typedef struct taz_solver {
    rlti_solver base;
    rlti_solver_def def;
    rlti_taz_model *model; /* its rest shape may change */
    int owns_model;        /* 0: a trial, on another's constants */
    const rlti_kernel *kernel;
    double force_step;      /* [s] */
    int force_steps;        /* per outer step: the scene's, or more where it leaves that to us */
    rlti_taz_sag *resag;    /* for rest shapes that change and must not sag; NULL: none */
    const rlti_vec3 *loads; /* [point_count] what presses on the groom at rest; NULL: nothing */

    rlti_drive *drive; /* NULL: a trial */
    rlti_layout layout;
    rlti_tile **tiles;    /* [tile_count] positions, velocities, contact planes */
    char *scratch;        /* [threads][scratch_bytes] the kernel's working memory */
    size_t scratch_bytes; /* of one thread, a multiple of 64 */
    int *hold_rows;       /* of each hold of the strands here: its row in the tile */
    int *first_row;       /* [strand_count] into hold_rows */
    rlti_interval now;    /* the present step */
} taz_solver;

/* Binds a tile to its worker's memory and returns it. */
static inline rlti_tile *taz_tile(const taz_solver *s, int tile, int worker) {
    s->kernel->bind(s->tiles[tile], s->scratch + (size_t)worker * s->scratch_bytes);
    return s->tiles[tile];
}

/* taz_solver_build.c: layout, tiles and working memory for strands with local[strand]. */
rlt_status rlti_taz_solver_make(taz_solver *s, const unsigned char *local, rlt_messages *messages);
void rlti_taz_solver_clear(taz_solver *s);

/* taz_solver_steps.c: steps that the scene leaves open, before anything is made of them. */
void rlti_taz_solver_choose_steps(taz_solver *s, rlt_messages *messages);

/* taz_solver_holds.c: the rows of a tile, by class and then by point; every hold of its strands then has its
 * row. Returns how many rows; writes at most `capacity`. `counts` is [2 * longest strand]. */
int rlti_taz_hold_rows(taz_solver *s, const int *strands, int count, int *counts, rlti_hold_slot *rows,
                       int capacity);
/* Holds of constraints on one tile's strands in this step. */
void rlti_taz_hold_tile(taz_solver *s, int tile, int worker);

/* taz_solver_steps.c: are the steps short enough? */
rlt_status rlti_taz_solver_admit(const rlti_solver *solver, rlt_messages *messages);

#endif
