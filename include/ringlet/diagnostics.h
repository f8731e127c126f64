/* Diagnostics: what the springs, the contacts and the limits of one frame see, for inspection.
 *
 * All of it comes from the code that makes the motion: the same filters, frames, targets, contact planes and
 * contact springs. ringlet/overlay.h draws it over a picture. */
#ifndef RINGLET_DIAGNOSTICS_H
#define RINGLET_DIAGNOSTICS_H

#include <stddef.h>

#include "ringlet/simulation.h"
#include "ringlet/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Role of a point in the contacts between hairs. */
typedef enum rlt_particle {
    RLT_PARTICLE_NONE = 0,   /* no part in them */
    RLT_PARTICLE_PRUNED = 1, /* left out: its neighbours' spheres stand for it */
    RLT_PARTICLE_KEPT = 2
} rlt_particle;

/* A contact spring between two points of two hairs. */
typedef struct rlt_contact_spring {
    int point, other; /* point < other */
    double age;       /* 0..1: how far its stiffness has risen */
} rlt_contact_spring;

/* Of one frame; arrays are by point of the view. Those that need a simulation are NULL for a bare view. */
typedef struct rlt_diagnostics {
    size_t size; /* of this struct, set by the library */
    int strand_count, point_count;

    double *stretch; /* [point_count] length / rest length of the edge that begins here, at a tip of the one
                      * that ends there; NULL where there is no rest shape */
    double *speed;   /* [point_count] [unit/s]; NULL where there are no velocities */

    double *smoothed;    /* [point_count][3] curve of the smoothed edges of bending, from the root on */
    double *core;        /* [point_count][3] the same for the core springs */
    double *frames;      /* [point_count][9] columns (tangent, normal, binormal) of the frame that carries
                          * the target of the edge that begins here; at a root the scalp's */
    double *targets;     /* [point_count][3] target vector of the edge that begins here; 0 at a tip */
    double *penetration; /* [point_count] how far the point is within the distance that it has to keep from
                          * bodies, where the response acts: beyond its thickness it is inside; 0: free
                          * [unit] */
    double *radii;       /* [point_count] of its contact sphere, pruned or not; 0: none [unit] */
    unsigned char *particle;     /* [point_count] rlt_particle */
    long long spring_count;      /* that live, as of the last outer step */
    rlt_contact_spring *springs; /* [spring_count] */
    int hold_count;              /* points that constraints hold, as of the last outer step; one may be held
                                  * several times, and those without weight are left out */
    int *hold_points;            /* [hold_count] */
    double *hold_anchors;        /* [hold_count][3] where it is drawn to, or keeps its distance from */
    double *hold_forces;         /* [hold_count] acceleration by the constraint, in multiples of gravity (9.81
                                  * m/s^2 where there is none); -1: held exactly, whatever it takes */
} rlt_diagnostics;

/* Of the present frame of a simulation. It changes nothing of its motion. RLT_BAD_INPUT where several
 * processes share the simulation; after a frame that failed, its status. */
rlt_status rlt_simulation_diagnose(rlt_simulation *simulation, rlt_messages *messages,
                                   rlt_diagnostics **diagnostics);

/* Stretch and speed alone, which follow from a frame without its simulation: of a cache, for example. */
rlt_status rlt_view_diagnose(const rlt_frame_view *view, rlt_messages *messages,
                             rlt_diagnostics **diagnostics);

void rlt_diagnostics_destroy(rlt_diagnostics *diagnostics);

#ifdef __cplusplus
}
#endif

#endif
