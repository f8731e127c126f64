/* The drive: everything that acts on hair from outside. Solvers ask it, and each decides how often.
 *
 * It owns what moves roots (the body), what hair must not pass (colliders), the air, what holds points
 * (constraints), other hair (contact springs), rest shapes that change, and which strands are computed on
 * which rank. It knows no strand model: of a strand it has the groom, the matter and what its solver shows.
 *
 * In each frame interval [frame, frame + 1]:
 *   rlti_drive_begin_frame    reads what files have for it                    (one thread; can fail)
 *   rlti_drive_begin_strand   the root's motion, a new origin                 (any thread, a strand each)
 * and then, as often as the solvers need:
 *   rlti_drive_pose           brings everything to a time of the interval     (one thread)
 *   rlti_drive_board, _shown  where solvers put their strands for others      (any thread, a strand each)
 *   rlti_drive_meet           groups and neighbours of all ranks              (one thread; collective)
 *   rlti_drive_rest, _planes, _air, _pushes, _holds                           (any thread, a strand each) */
#ifndef RLTI_DRIVE_DRIVE_H
#define RLTI_DRIVE_DRIVE_H

#include "contact/body/collide.h"
#include "contact/edge/contacts.h"
#include "contact/hair/springs.h"
#include "drive/spread.h"
#include "model/matter.h"
#include "parallel/pool.h"
#include "shape/constraint.h"

typedef struct rlti_drive rlti_drive;
typedef struct rlti_drive_edges rlti_drive_edges;

typedef struct rlti_drive_def {
    const rlti_scene_data *scene;
    const char *file; /* the scene's, for messages */
    rlti_body *body;
    const rlti_strands *strands;
    const rlti_matter *matter;
    const rlti_spring_lanes *springs; /* contact springs of the instruction set */
    rlti_pool *pool;
    rlt_ranks *ranks;
    rlt_partition partition;
    double shortest_step;     /* of all solvers [s] */
    int pulls;                /* 1: points may be pulled (rlti_drive_pull) */
    const void *const *meets; /* [hair_count] as in rlti_holds_def; used while it is created */
} rlti_drive_def;

/* All of the def's pointers must outlive it. Colliders stand in the rest pose; rlti_drive_settle must follow.
 * Collective. */
rlt_status rlti_drive_create(const rlti_drive_def *def, rlt_messages *messages, rlti_drive **drive);
void rlti_drive_destroy(rlti_drive *drive);

/* Forces on the groom at rest besides gravity, [point_count] [mass unit/s^2]: contacts that it has from
 * the start. 0: out of memory. Collective. */
int rlti_drive_press(rlti_drive *drive, int frame, rlti_vec3 *loads);

/* Once the groom is settled: how far each point stays from bodies; the body at the first frame, and rest
 * shapes that change as they are there. */
rlt_status rlti_drive_settle(rlti_drive *drive, int frame, rlt_messages *messages);
/* The body alone at a frame, for roots. */
rlt_status rlti_drive_place_body(rlti_drive *drive, int frame, rlt_messages *messages);

/* Memory, lists that grow included [byte]. */
size_t rlti_drive_bytes(const rlti_drive *drive);
/* Checksum of what a checkpoint must agree in: bodies that hair meets. */
uint64_t rlti_drive_checksum(const rlti_drive *drive);

/* ---- which strands are computed here ---- */

rlti_spread *rlti_drive_spread(const rlti_drive *drive);
const unsigned char *rlti_drive_local(const rlti_drive *drive); /* [strand_count] 1: computed here */

/* ---- a frame ---- */

/* Outer steps from one pose to the next: as few poses as what acts allows, if solvers can do without more. */
int rlti_drive_interval(const rlti_drive *drive);

rlt_status rlti_drive_begin_frame(rlti_drive *drive, int frame, rlt_messages *messages);

/* How a strand's root moves in this interval. */
typedef struct rlti_root_motion {
    rlti_motion_segment motion; /* relative to the new origin */
    rlti_vec3 shift;            /* the new origin minus the old one; 0 where it jumps */
    int jumps;                  /* 1: the strand goes along in one piece, turned about its root */
    rlti_quat turn;
    rlti_vec3 velocity; /* of the root after the jump [unit/s] */
} rlti_root_motion;

void rlti_drive_begin_strand(rlti_drive *drive, int strand, rlti_root_motion *root);

/* The root at the start of the present interval: place, velocity, rotation from rest, angular velocity. */
typedef struct rlti_root_state {
    rlti_vec3 position, velocity, spin; /* [unit], [unit/s], [rad/s] */
    rlti_quat rotation;
} rlti_root_state;

rlti_root_state rlti_drive_root(const rlti_drive *drive, int strand, int frame);

/* Positions on the blackboard and in solvers are relative to these. [strand_count] world [unit] */
rlti_vec3 *rlti_drive_origins(rlti_drive *drive);

/* ---- a step ---- */

/* A part of the frame interval, counted in outer steps. */
typedef struct rlti_interval {
    int frame;
    int first, count; /* outer steps */
    int steps;        /* outer steps of a frame */
    double rate;      /* frames per second */
    double gravity[3];
    int ahead; /* 1: bodies stand where they are at its end, all else as at its start */
} rlti_interval;

/* [s] */
static inline double rlti_interval_seconds(const rlti_interval *now) {
    return now->count / (now->rate * now->steps);
}

/* 0..1 of the frame interval. */
static inline double rlti_interval_at(const rlti_interval *now) {
    return (double)now->first / now->steps;
}

void rlti_drive_pose(rlti_drive *drive, const rlti_interval *now);
/* 1: solvers must show their strands before anything is asked. */
int rlti_drive_needs_look(const rlti_drive *drive);

/* The blackboard: what others may see of a strand, in the order of the groom. */
typedef struct rlti_look {
    float *positions;  /* [points][3] relative to the strand's origin [unit] */
    float *velocities; /* [points][3] world [unit/s] */
} rlti_look;

rlti_look rlti_drive_board(const rlti_drive *drive, int strand);
/* The strand is there: contacts and constraints see it, while it is in the cache. */
void rlti_drive_shown(rlti_drive *drive, int strand);
/* Puts a strand there that its solver has in double precision, and shows it. */
void rlti_drive_show(rlti_drive *drive, int strand, const rlti_vec3 *positions, const rlti_vec3 *velocities);
void rlti_drive_meet(rlti_drive *drive);

/* The answers belong to the worker until it asks again. */

/* The rest points of the strand at this time, root first, or NULL where they are as they were. */
const rlti_vec3 *rlti_drive_rest(rlti_drive *drive, int strand, int worker);
/* How large hair is now, against its groom: [hair_count]. */
const double *rlti_drive_sizes(const rlti_drive *drive);
/* Its holds; returns how many. */
int rlti_drive_holds(const rlti_drive *drive, int strand, int worker, const rlti_hold **holds);
/* Live groups (shape/constraint.h), for a solver that meets them within its steps: which strands have them,
 * whether any act now; where a strand ends; whether groups must be met again, and by which strands; how far
 * they were off in the end [unit]. All but the second to last are asked between two rounds of all strands. */
int rlti_drive_live(const rlti_drive *drive, int strand);
int rlti_drive_groups_act(const rlti_drive *drive, const void *solver);
void rlti_drive_foresee(rlti_drive *drive, int strand, const rlti_vec3 *ends, const rlti_vec3 *accelerations);
int rlti_drive_agree(rlti_drive *drive, const void *solver, double tolerance); /* collective */
int rlti_drive_stirs(const rlti_drive *drive, int strand);
double rlti_drive_off(const rlti_drive *drive, int strand);
/* Planes that it must not pass; returns how many. */
int rlti_drive_planes(rlti_drive *drive, int strand, int worker, const rlti_plane **planes);
/* Bodies for a solver that meets edges with them (contact/edge), within its steps. It must ask for them
 * before rlti_drive_settle, for strands with met[strand]; 0: out of memory. */
int rlti_drive_ask_edges(rlti_drive *drive, const unsigned char *met);
/* Puts in all that contacts with bodies need to know of strands; nothing where nobody has asked. Contents
 * come with rlti_drive_settle. */
void rlti_drive_edge_rules(const rlti_drive *drive, rlti_edge_strands *strands);
/* Bodies as they move from one time to another, 0..1 of the present frame; returns how many. */
int rlti_drive_move_edges(rlti_drive *drive, double from, double to, const rlti_edge_mesh *const **bodies);
/* [point_count] which sides points are led back to: planes leave them alone. NULL: nobody has asked. */
rlti_passed *rlti_drive_passed(const rlti_drive *drive);

/* The air at every point, [points][3] [unit/s]; NULL: as it was. */
const float *rlti_drive_air(rlti_drive *drive, int strand, int worker);
/* Accelerations by other hair of some of its points [unit/s^2]; returns how many. Advances the contacts'
 * memory: once a step. */
int rlti_drive_pushes(rlti_drive *drive, int strand, int worker, const int **points,
                      const float (**accelerations)[3]);

/* A point that is drawn to a place, as by a hand. */
typedef struct rlti_pull {
    int strand, point; /* along it */
    rlti_vec3 target;  /* world */
} rlti_pull;

enum { RLTI_PULLS_MAX = 64, RLTI_PULLS_STRAND = 8 /* of one strand */ };

/* From now on these are pulled, critically damped. `stiffness` [1/s^2]. */
void rlti_drive_pull(rlti_drive *drive, const rlti_pull *pulls, int count, double stiffness);
/* Pulls that a strand can have, at most; 0: nothing is ever pulled. */
int rlti_drive_pull_capacity(const rlti_drive *drive);
/* A strand's holds with its pulls as further ones, for a solver whose steps are implicit; and its pushes with
 * them, each as it acts over an outer step. A solver asks for one of the two, instead of rlti_drive_holds or
 * rlti_drive_pushes. */
int rlti_drive_pulled_holds(const rlti_drive *drive, int strand, int worker, const rlti_hold **holds);
int rlti_drive_pulled_pushes(rlti_drive *drive, int strand, int worker, const int **points,
                             const float (**accelerations)[3]);
const rlti_pull *rlti_drive_pulls(const rlti_drive *drive, int *count, double *stiffness);
/* Reads again what is read once: the wind. */
void rlti_drive_retune(rlti_drive *drive);

/* Which of these there can be at all. */
int rlti_drive_has_planes(const rlti_drive *drive);
int rlti_drive_has_air(const rlti_drive *drive);
int rlti_drive_has_pushes(const rlti_drive *drive);
const rlti_holds *rlti_drive_constraints(const rlti_drive *drive); /* NULL: none */

/* After the solvers have stepped: counts contacts. */
void rlti_drive_end_step(rlti_drive *drive, const rlti_interval *now);

/* ---- time spent ---- */

enum { RLTI_PARTS_MAX = 3 };

/* Seconds one worker has spent on each part of a step; a cache line of its own. */
typedef struct rlti_laps {
    double detect, collide, contact, step;
    double part[RLTI_PARTS_MAX]; /* of a solver's step, by its own names */
    int out_of_memory;           /* in a task, which cannot fail by itself */
    int padding;
} rlti_laps;

rlti_laps *rlti_drive_laps(const rlti_drive *drive, int worker);
double rlti_drive_seconds_exchange(const rlti_drive *drive);

/* Adds the time since *since to *sum and restarts the clock. */
void rlti_lap(double *since, double *sum);

/* ---- reports ---- */

/* At the end of a frame: contacts of all ranks. Collective; RLT_FAILED where a task was out of memory. */
rlt_status rlti_drive_report(rlti_drive *drive, rlt_statistics *statistics, rlt_messages *messages);

/* Poses that were to be reached in this frame: what they took. `points` [point_count] world. Collective. */
void rlti_drive_report_poses(rlti_drive *drive, int frame, const rlti_vec3 *points, rlt_messages *messages);
int rlti_drive_pose_count(const rlti_drive *drive);
const rlt_pose_report *rlti_drive_pose_report(const rlti_drive *drive, int pose);

/* Brings colliders to the present frame, for diagnostics. */
rlt_status rlti_drive_pose_frame(rlti_drive *drive, int frame, rlt_messages *messages);
/* How deep a strand's points on the blackboard are below their planes [unit], [points]. */
void rlti_drive_depths(rlti_drive *drive, int strand, double *depths);
const rlti_graph *rlti_drive_graph(const rlti_drive *drive);
const rlti_particles *rlti_drive_particles(const rlti_drive *drive);
rlti_springs *rlti_drive_springs(const rlti_drive *drive); /* NULL: no contacts */

/* Drawn diameter of every point [unit]. */
const double *rlti_drive_widths(const rlti_drive *drive);

#endif
