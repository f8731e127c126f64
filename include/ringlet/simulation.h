/* Simulation: a scene in motion, one frame at a time. */
#ifndef RINGLET_SIMULATION_H
#define RINGLET_SIMULATION_H

#include <stddef.h>
#include <stdint.h>

#include "ringlet/ranks.h"
#include "ringlet/scene.h"
#include "ringlet/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which build of the step kernel runs. All but the reference give the same bytes. */
typedef enum rlt_simd {
    RLT_SIMD_AUTO = 0,
    RLT_SIMD_PORTABLE = 1,
    RLT_SIMD_AVX2 = 2,
    RLT_SIMD_AVX512 = 3,
    RLT_SIMD_REFERENCE = 4 /* plain double, one strand at a time */
} rlt_simd;

/* How hairs are given to ranks, from the contact graph. */
typedef enum rlt_partition {
    RLT_PARTITION_AUTO = 0,   /* METIS where it was built in, else greedy */
    RLT_PARTITION_SPLIT = 1,  /* equal runs in the order of the groom */
    RLT_PARTITION_GREEDY = 2, /* swaps that lower the number of edges cut */
    RLT_PARTITION_METIS = 3
} rlt_partition;

/* A task system of the caller's, which runs the work instead of threads of the library's: run() calls
 * job(context, i) once for every i in 0..count-1, in any order, on any threads, at the same time or one after
 * the other, and returns when all are done. Results do not depend on it. count is rlt_simulation_def.threads
 * at most; it is called many times in a step, never by two threads at once, and must not fail. */
typedef void rlt_job(void *context, int index);
typedef void rlt_run(void *user, int count, rlt_job *job, void *context);

/* How to run; start from rlt_simulation_defaults(). */
typedef struct rlt_simulation_def {
    size_t size;             /* of this struct: sizeof */
    int threads;             /* 1.., 0 = one per core */
    rlt_simd simd;           /* a build this CPU cannot run is an error */
    rlt_ranks *ranks;        /* the processes that share the work; NULL = this one alone */
    rlt_partition partition; /* how hairs are shared between ranks: changes speed only */
    int time_phases;         /* 1: measure how long each phase of the step takes (costs a little) */
    rlt_run *run;            /* NULL: threads of the library's own */
    void *run_user;          /* given to it */
} rlt_simulation_def;

/* Sets all of it but its size to the defaults. */
rlt_status rlt_simulation_def_reset(rlt_simulation_def *def);
static inline rlt_simulation_def rlt_simulation_defaults(void) {
    rlt_simulation_def def;
    def.size = sizeof def;
    rlt_simulation_def_reset(&def);
    return def;
}

/* 1 if this CPU and this build of the library can run it. */
int rlt_simd_available(rlt_simd simd);
/* "auto", "portable", "avx2", "avx512", "reference"; NULL for an unknown value. */
const char *rlt_simd_name(rlt_simd simd);

/* Strand models, counted from 0: the word of hair.model, and a line about it (NULL: not wanted); NULL after
 * the last. The first is what scenes have unless they name another. */
const char *rlt_model_name(int index, const char **about);

/* RLT_BAD_INPUT where a model that the scene's hair names does not exist, or cannot do what is asked of it:
 * known before anything is built. rlt_simulation_create checks the same. */
rlt_status rlt_model_check(const rlt_scene *scene, rlt_messages *messages);

typedef struct rlt_simulation rlt_simulation;

/* Builds the groom, the model and the state at the scene's first frame (or its preroll). The scene must
 * outlive the simulation. */
rlt_status rlt_simulation_create(const rlt_scene *scene, const rlt_simulation_def *def,
                                 rlt_messages *messages, rlt_simulation **simulation);
void rlt_simulation_destroy(rlt_simulation *simulation);

/* Advances by one frame. A fresh simulation stands at the first frame minus the preroll; frame numbers below
 * the scene's first are preroll. RLT_DIVERGED names strand, frame and cause in the messages; the view then
 * still shows the last good frame. After that, or after memory ran out amid a frame, the state is broken:
 * further calls return the same status and say so, until a checkpoint is read. A frame that failed before
 * anything moved can be tried again. */
rlt_status rlt_simulation_advance(rlt_simulation *simulation, rlt_messages *messages);

/* Adds a velocity [unit/s] to every point of hair but roots that are held, between two frames: how a groom
 * answers a kick shows whether it stands firm. Collective. */
void rlt_simulation_kick(rlt_simulation *simulation, const double velocity[3]);
/* The same with a velocity for each point, [point_count][3]: hair that is thrown. */
void rlt_simulation_kick_points(rlt_simulation *simulation, const double *velocities);

typedef struct rlt_source rlt_source; /* ringlet/source.h */
typedef struct rlt_inputs rlt_inputs; /* ringlet/inputs.h */

/* The present frame; the arrays belong to the simulation and stay valid until the next call to
 * rlt_simulation_advance or rlt_simulation_destroy. */
typedef struct rlt_frame_view {
    size_t size; /* of this struct: sizeof */
    int frame;   /* frame number */
    double time; /* seconds since the first frame; negative in the preroll */
    int strand_count;
    int point_count;
    const int *first;         /* [strand_count + 1] */
    const double *points;     /* [point_count][3] world, unit */
    const double *velocities; /* [point_count][3] unit/s */
    const double *rest;       /* [point_count][3] the groom */
    const double *widths;     /* [point_count] drawn diameter, unit */
    const int *hair;          /* [strand_count] hair section of the scene */
    int vertex_count;         /* the character's mesh; 0 without one */
    int triangle_count;
    const double *vertices;           /* [vertex_count][3] */
    const int *triangles;             /* [triangle_count][3] */
    int source_count;                 /* prims of files that hair was read from; 0: all of it was generated */
    const rlt_source *const *sources; /* [source_count] in the order of their strands */
    const rlt_inputs *inputs;         /* files that were read for it: no writer replaces them; may be NULL */
    /* [strand_count] 1: its file hides it at this frame; NULL where no file changes what it shows. For fills
     * and pictures; previews draw all */
    const unsigned char *hidden;
} rlt_frame_view;

rlt_status rlt_simulation_view(const rlt_simulation *simulation, rlt_frame_view *view);

/* How far the middle of the body is at another frame from where it is now, without simulating [unit]: where a
 * camera must look. 0 without a body, for one that a file moves and when out of memory. */
void rlt_simulation_travel(const rlt_simulation *simulation, int frame, double move[3]);

/* Physics of one point of hair in SI units. */
enum {
    RLT_PHYSICS_MASS,    /* [kg] */
    RLT_PHYSICS_RADIUS,  /* of the section [m] */
    RLT_PHYSICS_STRETCH, /* stiffness against stretching, E A [N]; 0: of a model without it (taz) */
    RLT_PHYSICS_BEND,    /* against bending, E I [N m^2] */
    RLT_PHYSICS_TWIST,   /* against twisting, G J [N m^2] */
    RLT_PHYSICS_COUNT
};

/* Masses and stiffness of hair as it was made, the same on every rank: physics is
 * [point_count][RLT_PHYSICS_COUNT]. */
rlt_status rlt_simulation_physics(const rlt_simulation *simulation, rlt_messages *messages, double *physics);

/* A 64-bit hash of every position and velocity of the present frame: equal hashes, equal bytes. */
uint64_t rlt_simulation_hash(const rlt_simulation *simulation);

/* The same in a fiftieth of the time, for every frame of a live simulation. Another number than the hash, and
 * not one to be kept: another version may count otherwise. */
uint64_t rlt_simulation_checksum(const rlt_simulation *simulation);

/* A hash of all that the frames depend on: the scene's values and what was built from them and from its
 * files. The number of threads and ranks and the SIMD width do not count, but for the double-precision
 * reference; nor do title, time.last, contacts.margin, and all of health, hair.fill, hair.look and render. 0
 * where a file cannot be read any more. */
uint64_t rlt_simulation_fingerprint(const rlt_simulation *simulation);

/* The bending frames of one strand now: frame -1 (the scalp's) and one per edge, each three columns
 * (tangent of the smoothed curve, normal, binormal) in world space. `frames` is [edges + 1][9], column major.
 */
rlt_status rlt_simulation_strand_frames(const rlt_simulation *simulation, int strand, double *frames);

/* The effect of hair.sag, which keeps the groom from sagging, when the simulation was created. */
typedef struct rlt_sag_report {
    int strands;    /* of sections that ask for it; the numbers below are of these */
    int solved;     /* in equilibrium as groomed */
    int stiffened;  /* whose bending was made stiffer for that */
    int unstable;   /* whose equilibrium is not stable all the same */
    int unchecked;  /* whose stability was not checked */
    int kicked;     /* checked by a small kick: do they come back? */
    double ratio;   /* greatest length of a rest target / length of its edge */
    double factor;  /* greatest factor on bending stiffness */
    int worst;      /* the strand with it, -1: none */
    double seconds; /* taken */
} rlt_sag_report;

/* Effort to reach a pose (a constraint of that kind), in multiples of gravity (9.81 m/s^2 where the
 * scene has none), and how near the points came. */
typedef struct rlt_pose_report {
    size_t size;   /* of this struct: sizeof */
    char name[64]; /* of the constraint */
    int frame;     /* when it is to be reached */
    int reached;   /* 1: that frame has come; the numbers below are 0 before, and the strands -1 */
    int strands, points;
    double force_rms, force_most; /* acceleration by the constraint over the lead [g] */
    int force_strand;             /* the one with the maximum */
    double off_mean, off_most;    /* distance from the pose at the frame, in lengths of the strand */
    int off_strand;
} rlt_pose_report;

/* A number with its name; the name is the library's. */
typedef struct rlt_named {
    const char *name;
    double value;
} rlt_named;

#define RLT_NAMED_MAX 16

/* The value of that name, or 0. */
double rlt_named_find(const rlt_named *list, int count, const char *name);

/* Counts and times up to now. */
typedef struct rlt_statistics {
    size_t size; /* of this struct: sizeof */
    int threads;
    const char *simd;
    const char *model; /* strand model, of the first hair section where there are several */
    int strands, points;
    int ranks, rank;
    long long force_steps; /* since creation */
    /* Seconds since creation, by phase; those of the steps are summed over this rank's threads:
     *   load      building or reading body and groom, and binding them, before the first frame
     *   drive     roots and bodies at the start of a frame
     *   detect    who is near whom among hairs
     *   collide   contact planes with bodies; wind; constraints
     *   contact   contact springs between hairs
     *   step      the models' own steps; parts of it follow at the end by their names (taz: internal, forces
     *             and positions, and damping), 0 unless phases are timed
     *   exchange  waiting for other ranks, and sending
     *   check     health and view */
    int phase_count;
    rlt_named phases[RLT_NAMED_MAX];
    double cpu_seconds; /* of the whole process inside rlt_simulation_advance */
    double fastest;     /* point speed at the end of the last frame [unit/s] */
    double longest;     /* greatest edge length / rest length at the end of the last frame */
    /* Energies at the end of the last frame [mass unit^2/s^2]: kinetic, those of the models (taz: stretch,
     * bend, core; rod: stretch, bend, twist), gravity. */
    int energy_count;
    rlt_named energies[RLT_NAMED_MAX];
    long long contacts;            /* hair-body planes in the last outer step */
    int particles;                 /* points that take part in hair-hair contacts, after pruning */
    int particles_before;          /* and before */
    long long edges_full;          /* pairs of hairs that could touch */
    long long edges_near;          /* of these, near enough in the groom */
    long long edges;               /* of these, kept after the random fraction: the contact graph */
    long long hair_contacts;       /* contacts between hairs in the last outer step */
    double hair_contacts_mean;     /* over all outer steps of the last frame */
    long long hair_contacts_worst; /* maximum of any outer step since creation */
    /* particles that bear less than their contacts' full force, last outer step */
    long long hair_contacts_limited;
    long long searches;       /* for near particles, since creation; depends on threads and ranks, too */
    int constraints;          /* points held; one that several constraints hold counts several times */
    int poses;                /* constraints that are poses: rlt_simulation_pose reports more */
    long long exchange_bytes; /* sent by all ranks in one outer step */
    size_t bytes;             /* memory of model and state on this rank, contacts included */
    double flops_per_frame;   /* floating-point operations of the step kernel per frame, 0: not counted */
    rlt_sag_report sag;
    /* Newton's work of implicit models (rod) since creation, of all ranks: steps of strands, iterations,
     * steps that did not converge, factors that needed a repair, steps that were given up */
    long long newton_steps, newton_iterations, newton_unconverged, newton_repaired, newton_failed;
    /* of the steps that did not converge, those that matter: given up, or with a last correction, or a depth
     * in a body, of more than a hundredth of a segment. These are warned of, the others only counted */
    long long newton_off;
    double newton_worst;   /* greatest last correction, depth or error of a group of a step that did not
                            * converge / segment */
    long long newton_fast; /* steps that midpoint left to Euler, because edges turned too far in them */
    /* Contacts between hairs that are solved with them (hair.contact.method: solve), of the last frame */
    long long solved_steps;   /* of all strands together; 0: none are solved */
    double solved_contacts;   /* near enough to be solved for, mean over steps */
    double solved_touching;   /* of these, with a force */
    double solved_slipping;   /* of these, in motion along each other */
    double solved_unresolved; /* contacts that were further from their law than contacts.tolerance */
    double solved_newton;     /* iterations a step in which they were solved */
    double solved_sweeps;     /* for each of these */
    double solved_residual;   /* how far the worst contact of any step was from its law / mean radius */
    double solved_deepest;    /* deepest penetration of hair in hair, of any step / mean radius */
    long long solved_links;   /* hair.link */
    /* an independent check of some edges at the end of the frame: how many, how many pairs of edges have
     * passed through each other in the last step, and of these, how many had no contact */
    long long crossings_checked, crossings, crossings_missed;
    /* Contacts of solved hair with bodies, besides points of held hair that lie on them: edges on ridges and
     * rims, what passes through thin bodies, and points of free hair; mean over steps, and of these, with a
     * force */
    double solved_bodies, solved_bodies_touching;
    double solved_bodies_deepest; /* deepest penetration of these in any step / mean radius */
    long long solved_passed;      /* edges that have passed through a body in any step of the last frame */
    /* of crossings and crossings_missed, those of hair with bodies */
    long long crossings_bodies, crossings_bodies_missed;
    double solved_retreated; /* strands a step that were brought back because they had passed others */
    long long solved_halved; /* steps, and parts of steps, that were taken again in two halves */
} rlt_statistics;

rlt_status rlt_simulation_statistics(const rlt_simulation *simulation, rlt_statistics *statistics);

/* One of the scene's poses, counted from 0 in the scene's order; RLT_BAD_INPUT where there are fewer. */
rlt_status rlt_simulation_pose(const rlt_simulation *simulation, int pose, rlt_pose_report *report);

/* The peak of one core of this machine: billions of floating-point operations per second of
 * independent fused multiply-adds in the given build's registers, measured now for about `seconds`. 0 where
 * it cannot run. */
double rlt_peak_gflops(rlt_simd simd, double seconds);

#ifdef __cplusplus
}
#endif

#endif
