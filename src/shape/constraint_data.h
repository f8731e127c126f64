/* Inside of the constraints, shared by constraint*.c. */
#ifndef RLTI_SHAPE_CONSTRAINT_DATA_H
#define RLTI_SHAPE_CONSTRAINT_DATA_H

#include <stdint.h>

#include "contact/body/mesh_motion.h"
#include "groom/curve_motion.h"
#include "shape/constraint.h"
#include "shape/select.h"

/* One point held by one constraint. */
typedef struct rlti_hold_entry {
    int strand;
    int point;      /* along the strand */
    int constraint; /* of the scene */
    int group;      /* its middle is the anchor, or -1 */
    int motion;     /* carries the anchor, or -1; both -1: a field's */
    rlti_hold_class kind;
    float share;      /* the ramp's value */
    float low, high;  /* allowed distance [unit] */
    float mass;       /* as a multiple of the group's mean */
    rlti_vec3 offset; /* from the motion's place to the anchor, at rest; turns with it */
    /* the law at the present weight */
    double stiffness, damping; /* [1/s^2], [1/s] */
    int exact;
    float keep_outer, pull_outer; /* what its group answers with, over an outer step */
} rlti_hold_entry;

typedef enum rlti_carrier {
    RLTI_CARRIER_ROOT, /* a point of the body */
    RLTI_CARRIER_BONE,
    RLTI_CARRIER_MESH, /* a triangle of a collider from a file */
    RLTI_CARRIER_CURVE /* a point of the groom's file */
} rlti_carrier;

/* Something of the scene that carries anchors, over one frame interval. */
typedef struct rlti_hold_motion {
    rlti_carrier carrier;
    int strand; /* whose anchors it carries; -1: of many */
    int turns;  /* 0: only its place matters */
    /* what every outer step reads stands together: there are thousands of these */
    rlti_motion_segment segment; /* of roots and bones; places of curve points */
    rlti_root root;
    rlti_bone bone;
    const rlti_mesh_motion *mesh;
    int corners[3];
    double barycentric[3];
    int curve_point;        /* into the groom's points */
    rlti_vec3 corner[4][3]; /* coefficients of a triangle's corners */
} rlti_hold_motion;

/* Points with a common middle. */
typedef struct rlti_hold_group {
    int constraint;
    int strand;          /* whose root the sums are relative to: small numbers are exact ones */
    int count;           /* of points; their relative masses add up to it */
    int reacts;          /* what its holds do is given back to all its points */
    const void *solver;  /* that meets it within its steps; NULL: it is not live */
    rlti_vec3 reference; /* that root, during this frame interval [unit] */
    rlti_vec3 middle;    /* relative to the reference */
    rlti_vec3 velocity;  /* [unit/s] */
    rlti_vec3 push;      /* [unit/s^2] */
    int64_t sum[6];      /* positions and velocities, or what the holds do, in steps of 1 / RLTI_SUM_SCALE */
} rlti_hold_group;

/* Sums of up to 1e6 points within RLTI_SUM_MAX of the reference fit 63 bits. */
#define RLTI_SUM_SCALE 16777216.0 /* 2^24 */
#define RLTI_SUM_MAX   1e5        /* [unit], [unit/s] */

/* A constraint at the present time. */
typedef struct rlti_hold_law {
    double weight;
    double stiffness; /* with its weight [1/s^2] */
    double damping_ratio;
    int exact;     /* hard, with full weight */
    int fresh;     /* changed in this outer step */
    int catches;   /* points are held as they are now, from now on */
    int leads;     /* before its pose is reached */
    double begins; /* its stiffness at the start of the outer step [1/s^2] */
} rlti_hold_law;

typedef struct rlti_field_surface rlti_field_surface; /* constraint_field.c */

/* Live groups take at most this times 1 / H^2: at ten times as much some no longer agree at one step a frame
 * (docs/design/constraints.md). */
#define RLTI_LIVE_LIMIT 100.0

/* Live groups that share strands, directly or by others. */
typedef struct rlti_hold_knot {
    int first, count;  /* into rlti_holds.knotted */
    int active;        /* one of them acts in this step */
    int done;          /* they agree, or were given up */
    int rounds;        /* comparisons after which they did not agree; changes between these are remembered */
    double off, least; /* greatest difference of a group, now and of the base [unit] */
    double reach;      /* how far the last step moved a group [unit] */
} rlti_hold_knot;

/* Changes of a live group that are remembered. */
enum { RLTI_TRIALS = 8 };

/* Values of a live group [unit]: what its middle moves in an outer step, what its push moves points; and by
 * how much that was wrong. */
typedef struct rlti_hold_values {
    double given[6], off[6];
} rlti_hold_values;

typedef struct rlti_hold_trial {
    rlti_hold_values now, base; /* of this round, of the best */
    rlti_hold_values change[RLTI_TRIALS];
    double step[6];
} rlti_hold_trial;

struct rlti_holds {
    rlti_holds_def def;
    int entry_count, entry_capacity, maximum;
    rlti_hold_entry *entries; /* by strand, constraint, point */
    int *first;               /* [strand_count + 1] into entries */
    float (*seen)[6]; /* [entry_count] position and velocity: of a group's point, relative to the group's
                       * reference; of a field's anchor, relative to the strand's origin */
    int group_count, group_capacity;
    rlti_hold_group *groups;
    rlti_hold_law *laws; /* [constraint_count] */
    int *ordinal;        /* [constraint_count] of its kind among the enabled ones */
    int pose_count, freeze_count;
    rlti_effort *efforts; /* [pose_count][strand_count] */
    int *pose_steps;      /* [pose_count] */
    int motion_count, motion_capacity;
    rlti_hold_motion *motions; /* those of many strands first, then by strand */
    int *first_motion;         /* [strand_count + 1] */
    int shared_motions;
    int field_count;
    rlti_field_surface *fields; /* of all fields, by constraint */
    int curves_count;
    rlti_curve_motion *curves; /* of prims of the groom's file */
    double at;                 /* of the present outer step in the frame interval */
    double *exchange;          /* [12 * group_count] sums between ranks */
    double *size;              /* [hair_count] of the outer step before */
    int resized;               /* it was another */
    int reacts, posed;
    int longest; /* points of the longest strand */
    int live_count, knot_count;
    rlti_hold_knot *knots;   /* live groups */
    int *knotted;            /* [live_count] groups, knot by knot */
    int *open;               /* [live_count] groups of knots that are not done */
    int *knot_of;            /* [strand_count] -1: none */
    rlti_hold_trial *trials; /* [live_count] in the order of knotted */
};

/* constraint_build.c: adds an entry or a group; 0 when out of memory. */
int rlti_holds_add(rlti_holds *holds, const rlti_hold_entry *entry);
int rlti_holds_add_group(rlti_holds *holds, const rlti_hold_group *group);

int rlti_holds_add_motion(rlti_holds *holds, const rlti_hold_motion *motion);

/* Values that all holds of a selection have in common. */
rlti_hold_entry rlti_hold_entry_of(const rlti_holds *holds, const rlti_selection *chosen, int i,
                                   int constraint);

/* Adds the holds of one constraint. */
typedef rlt_status rlti_hold_maker(rlti_holds *holds, int constraint, const rlti_selection *chosen,
                                   rlt_messages *messages);

/* constraint_scalp.c: kinds with anchors on the body or on an object. */
rlti_hold_maker rlti_holds_add_scalp, rlti_holds_add_attach;

/* The collider that a constraint's object names, or -1. */
int rlti_hold_object(const rlti_holds *holds, int constraint);

/* constraint_field.c: points that stay at a distance from an object. In each frame interval and each outer
 * step after the colliders; then the anchor of each hold, from any thread. Nothing is allocated but when
 * adding. */
rlti_hold_maker rlti_holds_add_field;
void rlti_hold_fields_begin(rlti_holds *holds);
void rlti_hold_fields_pose(rlti_holds *holds, double at);
void rlti_hold_field_look(const rlti_holds *holds, const rlti_hold_entry *entry, const rlti_vec3 *origin,
                          const float position[3], const float velocity[3], float seen[6]);
void rlti_hold_fields_free(rlti_holds *holds);

/* constraint_pairs.c: kinds that hold two points together. */
rlti_hold_maker rlti_holds_add_tips, rlti_holds_add_bound;

/* A blend of this much or more is exact: to hair it is the same (docs/design/constraints.md). */
#define RLTI_BLEND_EXACT 0.999

/* constraint_curves.c: pins to the curves of a file. 1 when the strand follows them; *status is what came of
 * opening them. */
int rlti_hold_curves_lead(rlti_holds *holds, int constraint, int strand, rlt_messages *messages,
                          rlt_status *status);
rlt_status rlti_hold_curves_begin(rlti_holds *holds, int frame, rlt_messages *messages);
void rlti_hold_curves_segment(const rlti_holds *holds, int frame, rlti_hold_motion *motion);
void rlti_hold_curves_free(rlti_holds *holds);

/* constraint_build.c: points carried by the root of their strand, at offsets [chosen->count] from it in the
 * rest pose; NULL: as groomed, or led by the curves of the groom's file. */
rlt_status rlti_holds_add_carried(rlti_holds *holds, int constraint, const rlti_selection *chosen,
                                  const rlti_vec3 *offsets, rlt_messages *messages);

/* constraint_pose.c: points carried by the root as another groom has them; points that are brought to the
 * pose that the file's curves have at a frame. */
rlti_hold_maker rlti_holds_add_shape, rlti_holds_add_pose;
/* Stiffness [1/s^2] of a pose at a time [frame], at most `maximum`; its damping ratio until its frame. */
double rlti_pose_stiffness(const rlti_constraint_data *pose, double fps, double frame, double maximum);
#define RLTI_POSE_DAMPING 0.816496580927726 /* 4 / (2 sqrt(6)) */
/* Frames in which a constraint acts at all, apart from its weight. */
void rlti_constraint_span(const rlti_constraint_data *constraint, double span[2]);

/* constraint_check.c: constraints that pull at the same points. */
rlt_status rlti_holds_check(const rlti_holds *holds, rlt_messages *messages);

/* constraint_motion.c: brings a motion to a frame interval; its place and turn at `at`. */
void rlti_hold_motion_begin(const rlti_holds *holds, rlti_hold_motion *motion, int frame);
rlti_vec3 rlti_hold_motion_at(const rlti_hold_motion *motion, double at, rlti_quat *turn);

/* constraint.c: how large what an entry keeps is now, against the groom: hair may grow with its character.
 * What comes from an object or a file has its size from there. */
double rlti_hold_size(const rlti_holds *holds, const rlti_hold_entry *entry);

/* A point's part in its group's sums, saturated. */
static inline int64_t rlti_hold_whole(double value) {
    const double maximum = RLTI_SUM_MAX * RLTI_SUM_SCALE;
    value *= RLTI_SUM_SCALE;
    if (!(value > -maximum)) /* also where it is not a number: the health check reports it */
        return (int64_t)-maximum;
    return (int64_t)(value < maximum ? value : maximum);
}

/* Whether a constraint acts in this outer step. */
static inline int rlti_constraint_acts(const rlti_holds *holds, int constraint) {
    const rlti_hold_law *law = &holds->laws[constraint];
    return law->weight > 0.0 && law->stiffness > 0.0;
}

/* constraint.c: the greatest stiffness that an entry takes [1/s^2]. */
double rlti_hold_limit(const rlti_holds *holds, const rlti_hold_entry *entry);

/* constraint_groups.c: the sums of all ranks, of so many groups; NULL: of the first ones. */
void rlti_holds_sum(rlti_holds *holds, const int *groups, int count, rlt_ranks *ranks);

/* constraint_live.c: which groups are live; 0 when out of memory. What they are given at the start of a step.
 */
int rlti_holds_find_live(rlti_holds *holds);
void rlti_holds_begin_live(rlti_holds *holds);
size_t rlti_holds_live_bytes(const rlti_holds *holds);

#endif
