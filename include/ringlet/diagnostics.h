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

/* Parts of diagnostics, as overlays draw them. Those of a model's own are there where the scene has hair of
 * such a model: smoothed and core of Taz; twist, curvature, residual and forces of Rods and Coils; frames and
 * targets of Taz and Rods. */
typedef enum rlt_show {
    RLT_SHOW_GUIDES = 1,        /* the simulated strands */
    RLT_SHOW_SMOOTHED = 2,      /* the smoothed curve that bending takes its frames from */
    RLT_SHOW_CORE = 4,          /* the smoothed curve of the core springs */
    RLT_SHOW_FRAMES = 8,        /* tangent red, normal green, binormal blue; of a Rod its directors */
    RLT_SHOW_TARGETS = 16,      /* the vectors that bending draws each edge to, from the edge's root side */
    RLT_SHOW_CONTACTS = 32,     /* contact spheres, and springs between those that touch */
    RLT_SHOW_PRUNED = 64,       /* which points take part in contacts, and which are left out */
    RLT_SHOW_STRETCH = 128,     /* length over rest length, as colour */
    RLT_SHOW_PENETRATION = 256, /* depth within the distance to keep from bodies, as colour */
    RLT_SHOW_SPEED = 512,       /* as colour */
    RLT_SHOW_HOLDS = 1024,      /* lines from points to what constraints draw them to; the force as colour */
    RLT_SHOW_TWIST = 2048,      /* of the hair about itself, against rest, as colour */
    RLT_SHOW_CURVATURE = 4096,  /* against rest, as colour */
    RLT_SHOW_RESIDUAL = 8192,   /* how far the last step is from its solution, as colour */
    RLT_SHOW_FORCES =
        16384 /* lines along the forces of contacts, their size as colour; dots: stick or slip */
} rlt_show;

/* Those that have a scale of colours, so that a picture has one of them at most. */
#define RLT_SHOW_VALUES                                                                                      \
    (RLT_SHOW_STRETCH | RLT_SHOW_PENETRATION | RLT_SHOW_SPEED | RLT_SHOW_HOLDS | RLT_SHOW_TWIST |            \
     RLT_SHOW_CURVATURE | RLT_SHOW_RESIDUAL | RLT_SHOW_FORCES)
#define RLT_SHOW_SIMULATION 32126 /* those that need the diagnostics of a simulation */

/* "guides", "smoothed", ...: the name of bit `index`; NULL past the last. */
const char *rlt_show_name(int index);

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

/* Of one frame; arrays are by point of the view. Those that need a simulation are NULL for a bare view. Those
 * of a model's own are NULL where the scene has no hair of such a model, and NaN at strands of others. */
typedef struct rlt_diagnostics {
    size_t size; /* of this struct, set by the library */
    int strand_count, point_count;

    double *stretch; /* [point_count] length / rest length of the edge that begins here, at a tip of the one
                      * that ends there; NULL where there is no rest shape */
    double *speed;   /* [point_count] [unit/s]; NULL where there are no velocities */

    double *smoothed;    /* [point_count][3] curve of the smoothed edges of bending, from the root on */
    double *core;        /* [point_count][3] the same for the core springs */
    double *frames;      /* [point_count][9] columns (tangent, normal, binormal) of the frame that carries
                          * the target of the edge that begins here: of Taz on the smoothed curve, of a Rod
                          * tangent and directors of the edge that ends here; at a root the scalp's */
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

    double *frame_origins; /* [point_count][3] where each frame is: of Taz its point of the smoothed curve, of
                            * a Rod the middle of its edge; at a root the root */
    double *twist;         /* [point_count] twist of the joint here less that at rest, over the joint's length
                            * [rad/unit]; the joint of a root is half as long, a tip has its neighbour's */
    double *curvature;     /* [point_count] the same of the turning angle: above 0 it is bent more */
    double *residual;      /* [point_count] how far one more iteration of the last step would move the point,
                            * over the mean segment of the strand; NaN before the first step, infinite where
                            * no iteration is possible */

    int force_count;      /* contacts that press, of the last step: of points and edges with bodies, and where
                            * hair.contact.method is solve, of hair with hair */
    double *force_places; /* [force_count][3] on the hair; of hair with hair on the first */
    double *force_others; /* [force_count][3] on the second hair; with a body the same place */
    double *force_vectors;      /* [force_count][3] on the (first) hair, over its weight */
    double *force_sizes;        /* [force_count] their lengths */
    unsigned char *force_slips; /* [force_count] 1: it slips, 0: friction holds it */
} rlt_diagnostics;

/* Of the present frame of a simulation. It changes nothing of its motion. RLT_BAD_INPUT where several
 * processes share the simulation; after a frame that failed, its status. */
rlt_status rlt_simulation_diagnose(rlt_simulation *simulation, rlt_messages *messages,
                                   rlt_diagnostics **diagnostics);

/* Whether its diagnostics hold `show`, bits of rlt_show. RLT_BAD_INPUT where one of them is of no model that
 * the scene's hair has: the message has the place of hair.model, and the models that would do. Where some
 * sections' hair has it and some has not, it is RLT_OK with a warning. */
rlt_status rlt_simulation_check_show(const rlt_simulation *simulation, unsigned show, rlt_messages *messages);

/* Stretch and speed alone, which follow from a frame without its simulation: of a cache, for example. */
rlt_status rlt_view_diagnose(const rlt_frame_view *view, rlt_messages *messages,
                             rlt_diagnostics **diagnostics);

void rlt_diagnostics_destroy(rlt_diagnostics *diagnostics);

#ifdef __cplusplus
}
#endif

#endif
