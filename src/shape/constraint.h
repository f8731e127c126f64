/* Constraints while the simulation runs: what holds points of hair, and where it pulls them now. The law of
 * one hold, and why any stiffness is stable, are in docs/design/constraints.md.
 *
 * A hold draws one point towards an anchor that moves evenly during an outer step. Anchors of the body come
 * from its motion; that of a group is the middle of its points, summed in whole numbers so that the order of
 * threads and ranks cannot be seen.
 *
 * In each outer step, in this order:
 *   rlti_holds_pose    weights at this time; groups forget
 *   rlti_holds_look    each strand shows its points to its groups             (any thread, one strand each)
 *   rlti_holds_meet    groups of all ranks together: their middles
 *   rlti_holds_react   each strand says what its groups' holds will do to it  (any thread, one strand each)
 *   rlti_holds_answer  of all ranks together: what keeps each group's momentum
 *   rlti_holds_fill    each strand gets its holds                            (any thread, one strand each)
 *
 * A group is live where one solver computes all of its points and meets groups within its steps. Such a
 * solver asks again, until the middles are those of where its strands come to:
 *   rlti_holds_foresee each strand shows where it ends                       (any thread, one strand each)
 *   rlti_holds_agree   of all ranks together: better middles, as long as 1
 *   rlti_holds_fill    each strand that has new ones (rlti_holds_stirs)      (any thread, one strand each)
 */
#ifndef RLTI_SHAPE_CONSTRAINT_H
#define RLTI_SHAPE_CONSTRAINT_H

#include <stddef.h>

#include "distribute/ranks.h"
#include "contact/body/collide.h"
#include "groom/strands.h"
#include "ringlet/simulation.h"

/* How a hold acts. Soft ones act with the forces, hard ones on the velocities that move the points. */
typedef enum rlti_hold_class {
    RLTI_SOFT_DISTANCE, /* along the line to the anchor */
    RLTI_SOFT_PLACE,    /* in all directions */
    RLTI_HARD_DISTANCE,
    RLTI_HARD_PLACE,
    RLTI_HOLD_CLASSES
} rlti_hold_class;

/* One hold during one outer step, in physical terms: with s the excess over the allowed distance and v the
 * velocity away from the anchor, an acceleration -stiffness s - damping v. How a step is taken with it is the
 * solver's business. */
typedef struct rlti_hold {
    int point; /* along the strand */
    rlti_hold_class kind;
    /* Single precision, but for those of live groups. */
    double anchor[3];          /* at the start of the outer step, relative to the strand's origin */
    double velocity[3];        /* of the anchor [unit/s] */
    double push[3];            /* acceleration besides [unit/s^2] */
    float low, high;           /* allowed distance [unit] */
    float speed;               /* at which the point is drawn back, at most [unit/s] */
    double stiffness, damping; /* [1/s^2], [1/s]; 0 and 0: it does nothing now */
    int exact;                 /* 1: the point is in its place, whatever the stiffness */
    int fresh; /* 1: more than anchor, velocity and push has changed since the last outer step */
} rlti_hold;

/* A hold over a step of h seconds, solved implicitly, v' = v - h (k (s + h v') + c v'), so that no stiffness
 * is too great: v := keep v - pull s. */
typedef struct rlti_hold_step {
    float keep, pull; /* [], [1/s] */
} rlti_hold_step;

rlti_hold_step rlti_hold_over(double seconds, double stiffness, double damping);

/* The law of a hold, where the lanes do not compute it: the change of velocity keep v - pull s - v, without
 * the other forces. `arm` and `velocity` are the point's, relative to the anchor's. */
typedef struct rlti_hold_terms {
    double low, high; /* [unit] */
    double keep, pull, speed;
} rlti_hold_terms;

rlti_vec3 rlti_hold_change(const rlti_hold_terms *terms, rlti_hold_class kind, rlti_vec3 arm,
                           rlti_vec3 velocity);

static inline rlti_vec3 rlti_hold_vector(const float v[3]) {
    return rlti_v3((double)v[0], (double)v[1], (double)v[2]);
}

/* Where one hold of a strand acts; never changes. */
typedef struct rlti_hold_slot {
    int point;
    rlti_hold_class kind;
} rlti_hold_slot;

typedef struct rlti_holds rlti_holds;

typedef struct rlti_holds_def {
    const rlti_scene_data *scene;
    const rlti_strands *strands;
    rlti_body *body;                 /* poses of files bring it to their frames */
    const rlti_colliders *colliders; /* that points may be attached to; NULL: none */
    const double *mass;              /* [point_count] */
    const double *size;              /* [hair_count] how large hair is now, against its groom */
    const void *const *meets; /* [hair_count] the solver that meets groups within its steps, each one outer
                               * step; NULL: it does not. The array may be NULL: none does */
    double outer_step;        /* [s] */
    double shortest_step;     /* of the solvers that ask [s]: for reports of forces */
} rlti_holds_def;

/* All constraints of the scene; *holds is NULL when there are none. All of the def's pointers must outlive
 * it. Errors of constraints are reported with their places in the scene, all at once. */
rlt_status rlti_holds_create(const rlti_holds_def *def, rlt_messages *messages, rlti_holds **holds);
void rlti_holds_destroy(rlti_holds *holds);
size_t rlti_holds_bytes(const rlti_holds *holds);

/* Holds of all strands together, and of one. */
int rlti_holds_count(const rlti_holds *holds);
int rlti_holds_of(const rlti_holds *holds, int strand);
/* Holds of the strand with the maximum. */
int rlti_holds_largest(const rlti_holds *holds);

/* The k-th of a strand's holds, in the order of rlti_holds_fill. */
rlti_hold_slot rlti_holds_slot(const rlti_holds *holds, int strand, int k);

/* Once per frame interval [frame, frame + 1], after body and colliders. The first reads moving curves, and
 * fails only where a file does; the second is for each strand computed here, from any thread. */
rlt_status rlti_holds_begin_frame(rlti_holds *holds, int frame, rlt_messages *messages);
void rlti_holds_begin_strand(rlti_holds *holds, int strand, int frame);

/* Once per outer step, in the order given above; `at` in [0, 1] of the interval. Nothing is allocated. */
void rlti_holds_pose(rlti_holds *holds, int frame, double at);
void rlti_holds_look(rlti_holds *holds, int strand, const rlti_vec3 *origin,
                     const float *positions /* [points][3] relative to origin */,
                     const float *velocities /* [points][3] world */);
void rlti_holds_meet(rlti_holds *holds, rlt_ranks *ranks);
/* 1: the next two have something to do. */
int rlti_holds_reacts(const rlti_holds *holds);
void rlti_holds_react(rlti_holds *holds, int strand);
void rlti_holds_answer(rlti_holds *holds, rlt_ranks *ranks);
/* Writes rlti_holds_of(strand) holds. */
void rlti_holds_fill(const rlti_holds *holds, int strand, const rlti_vec3 *origin, rlti_hold *out);

/* ---- live groups: within a step ---- */

/* 1: the strand has points in live groups. */
int rlti_holds_live(const rlti_holds *holds, int strand);
/* 1: a live group of this solver acts in this outer step. */
int rlti_holds_acts(const rlti_holds *holds, const void *solver);
/* Where the strand would be at the end of the outer step, and what its holds do to it, pushes left out. */
void rlti_holds_foresee(rlti_holds *holds, int strand, const rlti_vec3 *origin,
                        const rlti_vec3 *ends /* [points] relative to origin */,
                        const rlti_vec3 *accelerations /* [rlti_holds_of(strand)] [unit/s^2] */);
/* Compares live groups with what was foreseen; 1: some were off by more than `tolerance` [unit] and are
 * given better values. A push counts as the distance it moves a point in an outer step. */
int rlti_holds_agree(rlti_holds *holds, const void *solver, double tolerance, rlt_ranks *ranks);
/* 1: groups of the strand have new values. */
int rlti_holds_stirs(const rlti_holds *holds, int strand);
/* How far the strand's live groups were off in the end [unit]. */
double rlti_holds_off(const rlti_holds *holds, int strand);

/* ---- poses: what they took ---- */

/* One strand's part in a pose. */
typedef struct rlti_effort {
    double square,
        maximum;          /* sum over points and steps of the squared acceleration, the greatest [unit/s^2] */
    double off, farthest; /* from the pose at its frame: sum over points, the greatest [unit] */
} rlti_effort;

int rlti_pose_count(const rlti_holds *holds);
/* State: [strand_count] of one pose, of strands computed here; outer steps that count, [pose_count]. */
rlti_effort *rlti_pose_efforts(rlti_holds *holds, int pose);
int *rlti_pose_steps(rlti_holds *holds);
int rlti_pose_frame(const rlti_holds *holds, int pose);
/* Looks how near a strand came, at the end of the frame interval. */
void rlti_pose_arrive(rlti_holds *holds, int pose, int strand, const rlti_vec3 *points /* world */);
/* The report before its frame has come. */
void rlti_pose_name(const rlti_holds *holds, int pose, rlt_pose_report *report);
/* Adds up the efforts of all strands in their order. */
void rlti_pose_sum(const rlti_holds *holds, int pose, rlt_pose_report *report);

/* ---- effect of holds, for inspection ---- */

/* As of the end of the last outer step. */
typedef struct rlti_hold_line {
    int point;        /* along the strand */
    rlti_vec3 anchor; /* world */
    double force;     /* [g], -1: exact */
} rlti_hold_line;

/* Those of one strand that act; returns how many. `scratch` and `lines` have rlti_holds_of(strand). */
int rlti_holds_lines(const rlti_holds *holds, int strand, const rlti_vec3 *origin, const float *positions,
                     const float *velocities, rlti_hold *scratch, rlti_hold_line *lines);

/* ---- freezing: what was seen when it began ---- */

int rlti_freeze_count(const rlti_holds *holds);
/* Offsets of one strand's points, by point of the strand; those that are not held are left alone. */
void rlti_freeze_get(const rlti_holds *holds, int freeze, int strand, rlti_vec3 *points);
void rlti_freeze_set(rlti_holds *holds, int freeze, int strand, const rlti_vec3 *points);

#endif
