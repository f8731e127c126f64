/* Inside of the Rod solver, shared by rod_solver*.c. */
#ifndef RLTI_SOLVE_ROD_SOLVER_DATA_H
#define RLTI_SOLVE_ROD_SOLVER_DATA_H

#include "base/trouble.h"
#include "contact/couple/couple.h"
#include "contact/edge/missed.h"
#include "solve/implicit.h"
#include "solve/layout.h"
#include "solve/rod_sag.h"
#include "solve/rod_solver.h"

/* A step that did not converge is warned of where its last correction, a depth in a body, or the error of a
 * group is beyond this share of a segment; less is not seen. */
#define ROD_OFF 0.01
/* Strands that meet others are pushed about until the last iteration: this much is seen. */
#define ROD_OFF_MEETING 0.1
/* A fixed count of iterations was asked for: only a depth in a body that may be seen is warned of. */
#define ROD_OFF_FIXED 0.5

/* Iterations after which planes are sought anew: Newton may never meet those of the first iterate. */
enum { ROD_PAUSE = 20 };

/* Tiles of each worker from which on strands are gathered. */
enum { ROD_TILES = 8 };

/* Newton's work on one strand in the present frame. */
typedef struct rod_tally {
    int steps, iterations, unconverged, repaired, failed;
    int off;           /* of the unconverged, those beyond ROD_OFF (ROD_OFF_MEETING) or given up */
    int fast;          /* left to Euler by midpoint */
    double correction; /* greatest of a step that did not converge, or depth below a plane / segment */
    double pinched;    /* greatest depth in two bodies that leave no place between them [unit]; 0: none */
} rod_tally;

/* Kinds of trouble that may last for many frames. */
enum { ROD_TROUBLE_NEWTON, ROD_TROUBLE_PINCHED, ROD_TROUBLE_PASSED, ROD_TROUBLE_DEEP, ROD_TROUBLES };

/* Sides of bodies that a point has met in the present step, where they are at its end. */
typedef struct rod_met {
    rlti_plane planes[RLTI_IMPLICIT_SIDES];
    int count;
} rod_met;

/* A tile within a step. */
typedef struct rod_job {
    int tile;                                 /* -1: none */
    int round;                                /* searches for planes that were made */
    unsigned lanes;                           /* for which planes are sought */
    unsigned forgot;                          /* lanes that have forgotten the first planes they met */
    unsigned asks;                            /* of these, those that have moved since the last search */
    unsigned char rounds[RLTI_BLOCK_STRANDS]; /* how often a lane's planes were set */
    unsigned changed;                         /* of these, the ones that met others in the last search */
    unsigned waits;                           /* lanes that are finished elsewhere */
    rod_met *met;                             /* [lanes][longest] */
} rod_job;

/* A tile whose strands meet in groups within a step. */
typedef struct rod_live {
    rod_job job;
    unsigned lanes; /* with points in live groups */
} rod_live;

/* Where a strand sits that is finished elsewhere. */
typedef struct rod_seat {
    int job, lane; /* job -1: free */
} rod_seat;

/* One worker's memory for a strand, besides the engine's. Strands that take long are gathered from its tiles
 * into one, `gathered`, and their tiles wait: at most one for each seat, and the one that is worked on. */
typedef struct rod_work {
    rlti_vec3 *positions, *velocities; /* [longest] */
    rlti_vec3 *accelerations;          /* [maximum of holds of a strand] */
    rlti_plane *planes;                /* [longest][RLTI_IMPLICIT_SIDES] */
    int longest;                       /* points of the longest strand */
    rlti_implicit_tile *gathered;      /* NULL: lanes that take long are not gathered */
    int hair;                          /* section of the strands in it */
    long long moved;                   /* strands that were gathered so far */
    rod_seat seats[RLTI_BLOCK_STRANDS];
    rod_job jobs[RLTI_BLOCK_STRANDS + 1];
    rod_met *met; /* of all jobs */
} rod_work;

/* Contacts between strands that are solved with them: what happened in the present frame. */
typedef struct rod_contact_tally {
    int steps;                                          /* of all strands together */
    long long contacts, touching, slipping, unresolved; /* sums over steps */
    long long rounds, sweeps, retreated, halved;
    double residual;                   /* from Coulomb's law, the greatest / mean radius */
    double deepest;                    /* / mean radius */
    int deepest_strands[2];            /* that are so deep in each other */
    rlti_missed missed;                /* of the last step */
    long long bodies, bodies_touching; /* contacts with bodies, sums over steps */
    double bodies_deepest;             /* / mean radius */
    long long passed;                  /* edges that have passed through a body in any step */
} rod_contact_tally;

typedef struct rod_contacts rod_contacts; /* rod_solver_contacts.c */
typedef struct rod_links rod_links;       /* rod_solver_links.c */

typedef struct rod_solver {
    rlti_solver base;
    rlti_solver_def def;
    rlti_rod_model *model; /* its rest shape may change */
    int owns_model;        /* 0: a trial, on another's constants */
    const rlti_implicit *engine;
    rlti_rod_sag *resag;    /* for rest shapes that change and must not sag; NULL: none */
    const rlti_vec3 *loads; /* [point_count] what presses on the groom at rest; NULL: nothing */

    rlti_drive *drive; /* NULL: a trial */
    rlti_layout layout;
    rlti_implicit_tile **tiles; /* [tile_count] */
    rlti_motion_segment *roots; /* [strand_count] over the present frame */
    rod_tally *tallies;         /* [strand_count] */
    char *scratch;              /* [threads][scratch_bytes] the engine's working memory */
    size_t scratch_bytes;       /* of one thread, a multiple of 64 */
    rod_work *work;             /* [threads] */
    int gathers;                /* 1: strands that take long are gathered */
    rod_contacts *contacts;     /* NULL: none are solved */
    rod_links *links;           /* NULL: there are none */
    int live_count;
    rod_live *live;         /* [live_count] */
    int *live_of;           /* [tile_count] into live, -1: none */
    rod_met *live_met;      /* of all these */
    int meeting;            /* 1: live groups act in the present step */
    double group_tolerance; /* [unit] */
    rlti_vec3 *spare;  /* [point_count] where strands that are set prepare their frames; not the Coil's */
    rlti_interval now; /* the present step */
    rlti_trouble troubles[ROD_TROUBLES];
} rod_solver;

static inline void *rod_scratch(const rod_solver *s, int worker) {
    return s->scratch + (size_t)worker * s->scratch_bytes;
}

/* The section of a tile's strands. */
static inline const rlti_hair_data *rod_hair(const rod_solver *s, int tile) {
    return &s->def.scene->hair[s->def.strands->hair[rlti_layout_strand(&s->layout, tile, 0)]];
}

/* 1: a tile's strands are kept out of bodies. */
static inline int rod_has_planes(const rod_solver *s, int tile) {
    return s->drive != NULL && rlti_drive_has_planes(s->drive) && rod_hair(s, tile)->collide;
}

/* rod_solver_bodies.c: the greatest force by which a plane presses on a point of the strand; 0: any. */
double rlti_rod_solver_press(const rod_solver *s, int strand);

/* A strand's constants, as the engine takes them. */
static inline rlti_implicit_strand rod_strand(const rod_solver *s, int strand) {
    const rlti_rod_strand *rod = &s->model->strands[strand];
    return (rlti_implicit_strand){.points = rod->points,
                                  .segment = rod->segment,
                                  .mass = s->model->mass + rod->first,
                                  .drag = s->model->drag + rod->first,
                                  .constants = s->model->constants[rod->first],
                                  .press = rlti_rod_solver_press(s, strand)};
}

/* rod_solver_build.c: layout, tiles and working memory for strands with local[strand]. */
rlt_status rlti_rod_solver_make(rod_solver *s, const unsigned char *local, rlt_messages *messages);
void rlti_rod_solver_clear(rod_solver *s);
size_t rlti_rod_solver_bytes(const rlti_solver *solver);
/* Values of rod_met for one job: planes that were met need memory only where there are any. */
size_t rlti_rod_solver_met(const rod_solver *s);

/* rod_solver_step.c */
void rlti_rod_solver_step(rlti_solver *solver, const rlti_interval *interval);
/* The root of a strand where it is `at` (0..1) of the present frame. */
void rlti_rod_solver_root(rod_solver *s, int strand, double at);
/* Another rest shape. */
void rlti_rod_solver_reshape(rlti_solver *solver, int strand, const rlti_vec3 *points, int worker);
/* Newton's work in this frame. */
void rlti_rod_solver_report(rlti_solver *solver, int frame, rlt_ranks *ranks, rlt_statistics *statistics,
                            rlt_messages *messages);

/* rod_solver_newton.c: Newton for a tile, for which all that acts is known. It may stay unfinished until
 * `drain`, which a worker's tiles need after the last. */
void rlti_rod_solver_newton(rod_solver *s, int tile, int worker, const rlti_implicit_step *step);
void rlti_rod_solver_drain(rod_solver *s, int worker);
/* Its parts, for tiles that wait for others: `converge` may come again, after holds of the job's lanes were
 * set anew; `end` counts strands that were off by `off` [lanes] [unit] for other reasons, NULL: none. */
void rlti_rod_solver_begin(rod_solver *s, rod_job *job, int tile, int worker, const rlti_implicit_step *step);
void rlti_rod_solver_converge(rod_solver *s, rod_job *job, int worker, const rlti_implicit_step *step);
void rlti_rod_solver_end(rod_solver *s, rod_job *job, int worker, const rlti_implicit_step *step,
                         const double *off);
/* How the strands of a section take a step of so many in the present interval. */
rlti_implicit_step rlti_rod_solver_how(const rod_solver *s, const rlti_hair_data *hair);
int rlti_rod_solver_steps(const rod_solver *s, const rlti_hair_data *hair);

/* Planes of these lanes are sought again as after the first search. */
void rlti_rod_solver_ask_again(rod_job *job, unsigned lanes);
int rlti_rod_solver_next_round(rod_solver *s, rod_job *job, int worker, const rlti_implicit_step *step);

/* rod_solver_contacts.c: contacts between strands, where any are solved, 0 when out of memory; whether a
 * tile's strands have such; rod_solver_meet.c: the steps of all these tiles. */
int rlti_rod_solver_find_contacts(rod_solver *s, rlt_messages *messages);
void rlti_rod_solver_free_contacts(rod_solver *s);
size_t rlti_rod_solver_contact_bytes(const rod_solver *s);
int rlti_rod_solver_touches(const rod_solver *s, int tile);
void rlti_rod_solver_meet_contacts(rod_solver *s);
/* From the start of a tile's step to the time that bodies are posed at: longer than the step where that is a
 * part of one [s]. */
double rlti_rod_solver_until(const rod_solver *s, int tile, const rlti_implicit_step *step);
/* Reports the frame's contacts, and starts to count anew. */
void rlti_rod_solver_report_contacts(rod_solver *s, int frame, rlt_statistics *statistics,
                                     rlt_messages *messages);

/* rod_solver_links.c: links of strands in one group [strand_count], -1: none, found once; 0 when out of
 * memory. */
int rlti_rod_solver_find_links(rod_solver *s, const int *group, rlt_messages *messages);
void rlti_rod_solver_free_links(rod_solver *s);
int rlti_rod_solver_link_count(const rod_solver *s);
size_t rlti_rod_solver_link_bytes(const rod_solver *s);
/* Marks the lanes of strands with links [tiles of the layout]; links where points have come from `start` to
 * `end` within a step; and their forces, once solved, added to points. */
void rlti_rod_solver_mark_links(const rod_solver *s, unsigned *lanes);
/* The rest shape of a strand has changed; and all ranks learn of it, before the next steps: collective. */
void rlti_rod_solver_reshape_links(rod_solver *s, int strand, const rlti_vec3 *points);
void rlti_rod_solver_share_links(rod_solver *s);
rlti_couple_link *rlti_rod_solver_take_links(rod_solver *s, const rlti_vec3 *start, const rlti_vec3 *end,
                                             double seconds, int warm, int *count);

/* rod_solver_groups.c: which tiles have strands in live groups, 0 when out of memory; the first iterates of
 * one of them; and all of them, until the groups agree. */
int rlti_rod_solver_find_live(rod_solver *s);
size_t rlti_rod_solver_live_bytes(const rod_solver *s);
void rlti_rod_solver_begin_live(rod_solver *s, int tile, int worker, const rlti_implicit_step *step);
void rlti_rod_solver_meet_groups(rod_solver *s);

/* rod_solver_planes.c: planes of bodies at the end of a step of `seconds`, where a strand's iterate is. The
 * engine moves planes along with their velocity, so they are put back by that. Unless it is the first time in
 * a step (depth < 0), planes are set only where they change something: if a point has come deeper than
 * `depth` below one. What the strand has met before in this step counts unless it is to `forget` it. 1: they
 * were set. */
int rlti_rod_solver_meet(rod_solver *s, const rod_job *job, int lane, int worker, double seconds,
                         double depth, int forget);
/* How deep the deepest point of a lane is in both sides that it has met, beyond its thickness [unit]: bodies
 * leave it no place. 0: none is. */
double rlti_rod_solver_pinched(const rod_solver *s, const rod_job *job, int lane, int worker);

/* rod_solver_show.c: frames, rest edges, strains and residuals for pictures. */
void rlti_rod_solver_frames(rlti_solver *solver, int strand, double *frames);
void rlti_rod_solver_show(rlti_solver *solver, int strand, const rlti_vec3 *points, rlt_diagnostics *d);
/* rod_solver_forces.c: contacts that press, of both. */
int rlti_rod_solver_forces(const rlti_solver *solver, const rlti_vec3 *points, rlti_contact_force *forces);
/* Of the Coil, which has no frames: strains and residuals. */
void rlti_coil_solver_show(rlti_solver *solver, int strand, const rlti_vec3 *points, rlt_diagnostics *d);

/* Warns of hair that is almost straight, for the Coil. */
rlt_status rlti_coil_solver_admit(const rlti_solver *solver, rlt_messages *messages);

#endif
