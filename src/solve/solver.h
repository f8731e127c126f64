/* A solver moves the strands of one model. The simulation knows solvers by this table only: one instance for
 * each model that the scene's hair sections name, holding the strands of this rank that belong to it.
 *
 * A new model is one more table: constants from the groom, state, a step that asks the drive, and what
 * checkpoints, reports and pictures want to know. docs/design/architecture.md says which files that takes. */
#ifndef RLTI_SOLVE_SOLVER_H
#define RLTI_SOLVE_SOLVER_H

#include "drive/drive.h"
#include "ringlet/diagnostics.h"
#include "shape/sag.h"
#include "solve/measure.h"

#define RLTI_FIELDS_MAX 8 /* arrays of state */

/* Diagnostics that depend on the model; all others every model has. */
#define RLTI_SHOW_OWN                                                                                        \
    (RLT_SHOW_SMOOTHED | RLT_SHOW_CORE | RLT_SHOW_FRAMES | RLT_SHOW_TARGETS | RLT_SHOW_TWIST |               \
     RLT_SHOW_CURVATURE | RLT_SHOW_RESIDUAL | RLT_SHOW_FORCES)

typedef struct rlti_solver_type rlti_solver_type;

/* A contact that presses. */
typedef struct rlti_contact_force {
    rlti_vec3 place, other; /* on the hair, and on the other hair; with a body the same [unit] */
    rlti_vec3 force;        /* on the first hair, over its weight */
    int slips;
} rlti_contact_force;

/* The first member of every instance. */
typedef struct rlti_solver {
    const rlti_solver_type *type;
} rlti_solver;

typedef struct rlti_solver_def {
    const rlti_scene_data *scene;
    const char *file; /* the scene's, for messages */
    const rlti_strands *strands;
    rlti_matter *matter;       /* of all strands; a solver fills in its own */
    const unsigned char *mine; /* [strand_count] 1: its strand, on whichever rank */
    rlt_simd simd;
    rlti_pool *pool;
    int time_parts; /* 1: measure the parts of a step, which costs a little */
} rlti_solver_def;

/* An array of state with so many elements for each point or strand, as checkpoints hold it. */
typedef struct rlti_state_field {
    const char *name;
    int bytes; /* of an element: 4 or 8 */
    int per_point, per_strand;
} rlti_state_field;

/* Costs that a plan for many ranks must know. */
typedef struct rlti_solver_cost {
    int lanes;          /* strands that are computed together */
    double point_bytes; /* state of one point of the longest strand among these [byte] */
    double constants;   /* of the model, for all strands [byte] */
    double flops;       /* floating-point operations of a frame; 0: not counted */
} rlti_solver_cost;

struct rlti_solver_type {
    const char *name;            /* the word of hair.model */
    const char *about;           /* a line for lists of models */
    const char *const *energies; /* names of its own, NULL at the end */
    const char *const *parts;    /* names of the timed parts of its step, NULL at the end */
    unsigned constraints;        /* bit k: holds of rlti_constraint_kind k act on it */
    int settles;                 /* 1: hair.sag */
    int reshapes;                /* 1: hair.reshape */

    /* Constants from the groom, and matter. */
    rlt_status (*create)(const rlti_solver_def *def, rlt_messages *messages, rlti_solver **solver);
    void (*destroy)(rlti_solver *solver);
    /* Of the constants; NULL: matter and the scene say it all. */
    uint64_t (*checksum)(const rlti_solver *solver, uint64_t hash);
    size_t (*bytes)(const rlti_solver *solver);
    double (*shortest_step)(const rlti_solver *solver); /* [s]; NULL: an outer step */
    /* Refuses steps that are too long for the stiffness; NULL: any will do. */
    rlt_status (*admit)(const rlti_solver *solver, rlt_messages *messages);
    /* 1: it takes one step for each outer step in this section and meets groups within it
     * (rlti_drive_foresee); NULL: it does not. */
    int (*meets)(const rlti_solver *solver, int hair);
    rlti_solver_cost (*cost)(const rlti_solver *solver); /* NULL: unknown, strands one by one */

    /* Before the state is made: constants for which the groom is in equilibrium. results is [strand_count];
     * those of strands that are not its own, or not computed here, stay as they are. NULL unless it settles.
     */
    rlt_status (*settle)(rlti_solver *solver, const unsigned char *local, const rlti_vec3 *loads,
                         rlti_sag_result *results, rlt_messages *messages);

    /* State and working memory of its strands that are computed here. */
    rlt_status (*start)(rlti_solver *solver, rlti_drive *drive, const rlti_vec3 *loads,
                        rlt_messages *messages);
    /* Another instance on the same constants with strands of `here` only, no drive, and constant loads [mass
     * unit/s^2] on all points: what would they do left alone? NULL unless it settles. */
    rlt_status (*trial)(const rlti_solver *solver, const unsigned char *here /* [strand_count] */,
                        const rlti_vec3 *loads, rlt_messages *messages, rlti_solver **trial);

    /* ---- strands one by one, from any thread; positions are relative to the strand's origin ---- */

    /* `rotation` takes the root from its rest pose to the present one. */
    void (*set)(rlti_solver *solver, int strand, const rlti_vec3 *positions, const rlti_vec3 *velocities,
                const rlti_quat *rotation /* NULL: as it is */);
    void (*get)(const rlti_solver *solver, int strand, rlti_vec3 *positions, rlti_vec3 *velocities);
    /* Another rest shape. NULL unless it reshapes. */
    void (*reshape)(rlti_solver *solver, int strand, const rlti_vec3 *points, int worker);

    /* ---- all its strands; runs the pool itself ---- */

    void (*begin_frame)(rlti_solver *solver);                         /* roots */
    void (*look)(rlti_solver *solver);                                /* to the blackboard */
    void (*step)(rlti_solver *solver, const rlti_interval *interval); /* asks the drive */
    void (*measure)(rlti_solver *solver, const double gravity[3],
                    rlti_measure *measures /* [strand_count] */);

    /* ---- checkpoints ---- */

    int (*fields)(const rlti_solver *solver, rlti_state_field fields[RLTI_FIELDS_MAX]);
    /* data[f] is the strand's part of field f. */
    void (*save)(const rlti_solver *solver, int strand, void *const data[]);
    void (*load)(rlti_solver *solver, int strand, const void *const data[]);

    /* ---- pictures ---- */

    /* Bending frames, [edges + 1][9]; NULL: it has none. */
    void (*frames)(rlti_solver *solver, int strand, double *frames);
    unsigned shows; /* of rlt_show: what `show` fills in, among RLTI_SHOW_OWN */
    /* Its own diagnostics; `points` are world. NULL: none. */
    void (*show)(rlti_solver *solver, int strand, const rlti_vec3 *points, rlt_diagnostics *diagnostics);

    /* Forces of contacts in the last step, for all its strands; `points` are world, of all strands. With
     * forces NULL it counts them only. NULL: none. */
    int (*forces)(const rlti_solver *solver, const rlti_vec3 *points, rlti_contact_force *forces);

    /* ---- reports ---- */

    int ahead;          /* 1: it would have bodies where they are at the end of a step (rlti_interval) */
    const char *remedy; /* what helps hair that has diverged; NULL: more steps of the scene */
    /* After each frame, which it names: how its steps went. Collective. NULL: there is nothing to say. */
    void (*report)(rlti_solver *solver, int frame, rlt_ranks *ranks, rlt_statistics *statistics,
                   rlt_messages *messages);
    /* Its sag in words, for messages; `ratio` as in rlti_sag_result. NULL unless it settles. */
    void (*describe_sag)(const rlti_hair_data *hair, double ratio, rlti_sag_words *words);
};

/* Defaults for what a solver's table leaves out. */
rlti_solver_cost rlti_solver_cost_of(const rlti_solver *solver);
uint64_t rlti_solver_checksum(const rlti_solver *solver, uint64_t hash);
double rlti_solver_shortest_step(const rlti_solver *solver, double outer_step);

/* The model of this name, or NULL. */
const rlti_solver_type *rlti_solver_find(const char *name);
/* Counted from 0; NULL after the last. */
const rlti_solver_type *rlti_solver_type_at(int index);

/* The instruction set that runs where this one is asked for. */
rlt_simd rlti_solver_simd(rlt_simd simd);
/* Contact springs as they are compiled for an instruction set; NULL where it cannot run. */
const rlti_spring_lanes *rlti_solver_springs(rlt_simd simd);

/* More models, counted from 0, NULL after the last: a program that has models of its own defines this
 * function, and they are there. */
const rlti_solver_type *rlti_more_solvers(int index);

#endif
