/* Inside of the handle of ringlet/rod.h, shared by rod_alone.c and rod_alone_body.c. */
#ifndef RLTI_SOLVE_ROD_ALONE_H
#define RLTI_SOLVE_ROD_ALONE_H

#include "model/rod.h"
#include "ringlet/rod.h"
#include "solve/implicit.h"

struct rlt_rod {
    const rlti_implicit *engine;
    rlti_implicit_tile *tile;
    void *scratch;
    int points;
    int coil;                                /* 1: the energy is the Coil's */
    double segment;                          /* mean length of an edge */
    double (*constants)[RLTI_ROD_CONSTANTS]; /* [points] */
    double *mass;                            /* [points] */
    rlti_vec3 *places;                       /* [points] */
    unsigned char *pinned;                   /* [points] */
    rlti_hold *holds;                        /* [points] */
    rlti_vec3 *work[3];                      /* [points] */
    rlti_plane *planes;                      /* [points] */
    rlt_rod_body body;
    int touches;             /* 1: there is a body */
    double *spins, *strains; /* [points], [points][RLTI_ROD_STRAINS] */
};

/* Takes a step, with planes of the body at the first iterate and where Newton comes to, as those of scenes
 * are found. */
void rlti_rod_alone_step(rlt_rod *rod, const rlti_implicit_step *step, rlti_implicit_result *result);

#endif
