/* One elastic rod by itself: the energy and the steps of hair.model: rod without a scene, for experiments
 * whose answer is known. `ringlet validate rod` is made of it; docs/guide/library.md has a small one.
 *
 * Any consistent units. Arrays of vectors are x, y, z one after the other. Points are counted from the
 * root; edge i lies between the points i and i + 1; the joint at an inner point is between the edges next
 * to it. */
#ifndef RINGLET_ROD_H
#define RINGLET_ROD_H

#include "ringlet/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rlt_rod rlt_rod;

/* Which energy: the Rod's, or that of hair.model: coil, by what Newton's matrix has of the second derivatives
 * (hair.coil.matrix). The Coil has no directors, spins and twist but those of the clamp, bends alike in all
 * directions (bend[0]), and its `twist` is the torsion of the curve. The last four are the classical rod of
 * Bergou et al. 2010, to compare with: directors and twist as the Rod's, but curvature, also in strains, by
 * twice the tangent of half the turning angle, which has no bound. */
typedef enum rlt_rod_energy {
    RLT_ROD_ENERGY,
    RLT_COIL_ENERGY, /* filtered */
    RLT_COIL_ENERGY_STRETCH,
    RLT_COIL_ENERGY_GAUSS_NEWTON,
    RLT_COIL_ENERGY_UNFILTERED,
    RLT_TANGENT_ENERGY, /* filtered */
    RLT_TANGENT_ENERGY_STRETCH,
    RLT_TANGENT_ENERGY_GAUSS_NEWTON,
    RLT_TANGENT_ENERGY_UNFILTERED,
    RLT_ROD_ENERGIES /* their number */
} rlt_rod_energy;

/* Shape and material; start from rlt_rod_defaults(). */
typedef struct rlt_rod_def {
    size_t size;            /* of this struct: sizeof */
    int points;             /* 2.. */
    const double *shape;    /* [points][3] unstrained, and where the rod is at first */
    const double *rest;     /* [points][3] of each joint, unstrained: bends about both directors, twist [rad];
                             * NULL: those of `shape`. The root's is the clamp's */
    const double *director; /* [3] first director of the first edge; the others have no twist. NULL: any */
    double stretch;         /* E A */
    double bend[2];         /* E I about either director */
    double twist;           /* G J */
    double mass;            /* of a unit of length, above 0 */
    double gyration;        /* inertia of a section about the axis / mass; 0: spin has no inertia */
    double damping;         /* viscous part of all strains / stiffness [s] */
    int free_root;          /* 0: the root is clamped, in its place and by half an edge's bending */
    int printed;            /* 1: the seed's approximate derivatives instead of the exact gradient */
    rlt_simd simd;
    int curved; /* 1: the points of `shape` lie on a curve, as a groom's do, and joints are made as soft as its
                 * arcs; 0: bending and twist over the edges' lengths as they are */
    rlt_rod_energy energy;
} rlt_rod_def;

/* Sets all of it but its size to the defaults: none of the material, the root clamped, exact. */
rlt_status rlt_rod_def_reset(rlt_rod_def *def);
static inline rlt_rod_def rlt_rod_defaults(void) {
    rlt_rod_def def;
    def.size = sizeof def;
    rlt_rod_def_reset(&def);
    return def;
}

/* RLT_BAD_INPUT, with a message, for what is no rod. All arrays are copied. */
rlt_status rlt_rod_create(const rlt_rod_def *def, rlt_messages *messages, rlt_rod **rod);
void rlt_rod_destroy(rlt_rod *rod);

/* State: positions and velocities of points, first directors and spins of edges. Any of get may be NULL; of
 * set all but the positions: no velocities, directors carried along without twist, no spins. */
void rlt_rod_set(rlt_rod *rod, const double *positions, const double *velocities, const double *directors,
                 const double *spins);
void rlt_rod_get(const rlt_rod *rod, double *positions, double *velocities, double *directors, double *spins);

/* Moves the clamp of a root that is not free: at once, not within the next step. */
void rlt_rod_clamp(rlt_rod *rod, const double position[3], const double direction[3],
                   const double director[3]);
/* Holds a point at a position (in single precision), an edge's first director; NULL: free again. */
void rlt_rod_pin(rlt_rod *rod, int point, const double position[3]);
void rlt_rod_pin_director(rlt_rod *rod, int edge, const double director[3]);

/* A body that the points of the rod stay outside of: without a radius, the half space below the plane
 * through `point` with `axis` as its normal; with one, a cylinder without ends about the axis through
 * `point`. Contacts and Coulomb friction are those of hair and bodies in scenes. Start from
 * rlt_rod_body_defaults(). */
typedef struct rlt_rod_body {
    size_t size;        /* of this struct: sizeof */
    double point[3];    /* at the end of the next step (in single precision, as all of it) */
    double axis[3];     /* of any length above 0 */
    double radius;      /* 0: a plane */
    double velocity[3]; /* of its surface */
    double friction;    /* Coulomb's coefficient, static and kinetic */
} rlt_rod_body;

/* Sets all of it but its size to the defaults: a floor at z = 0 without friction, at rest. */
rlt_status rlt_rod_body_reset(rlt_rod_body *body);
static inline rlt_rod_body rlt_rod_body_defaults(void) {
    rlt_rod_body body;
    body.size = sizeof body;
    rlt_rod_body_reset(&body);
    return body;
}

/* Sets the body that the rod touches, until it is set anew; NULL: none. RLT_BAD_INPUT, with a message, and
 * nothing changes, for what is no body. */
rlt_status rlt_rod_touch(rlt_rod *rod, const rlt_rod_body *body, rlt_messages *messages);
/* Forces on the points, until they are set anew; NULL: none. */
void rlt_rod_load(rlt_rod *rod, const double *forces);

/* How a step is taken; start from rlt_rod_step_defaults(). */
typedef struct rlt_rod_step {
    size_t size;       /* of this struct: sizeof */
    double seconds;    /* of a rod at rest, so long that inertia counts for nothing: the next equilibrium */
    double gravity[3]; /* acceleration */
    int midpoint;      /* 1: implicit midpoint; 0: implicit Euler */
    int iterations;    /* of Newton, at most */
    double tolerance;  /* of the last correction / mean edge; 0: all iterations, and never converged */
    int plain;         /* 1: full Newton steps without a line search, unless it touches a body */
    int straight;      /* 1: points follow Newton's steps in straight lines, which stretches edges that turn;
                        * 0: edges are turned, and put together from the root */
} rlt_rod_step;

/* Sets all of it but its size to the defaults: one frame of 1/24 s without gravity, to 1e-9. */
rlt_status rlt_rod_step_reset(rlt_rod_step *step);
static inline rlt_rod_step rlt_rod_step_defaults(void) {
    rlt_rod_step step;
    step.size = sizeof step;
    rlt_rod_step_reset(&step);
    return step;
}

/* Takes one step. Returns Newton's iterations; 0: it did not converge, and the rod is where the last
 * iteration left it. A step whose size is not set, or with numbers that are none (seconds and iterations
 * above 0, the tolerance at least 0, all finite), is 0 as well, and moves nothing. */
int rlt_rod_advance(rlt_rod *rod, const rlt_rod_step *step);

/* The state's energies: stretch, bend, twist, kinetic. */
void rlt_rod_energies(rlt_rod *rod, double energies[4]);

/* Derivatives of the elastic energy at the present state, all unknowns free. A point has four: x, y, z, and
 * the turn of the edge after it. Any may be NULL.   gradient  [points][4]   hessian   [4 points][11], entry k
 * of row i is element (i, i - k)   strains   [points][4] of the edge and the joint: length, bends about both
 * directors, twist A point of the Coil has three, [points][3] and [3 points][12]; its strains are length,
 * turning angle, 0 (of the root: the angle about the director) and torsion. */
void rlt_rod_derivatives(rlt_rod *rod, double *gradient, double *hessian, double *strains);

/* The banded factor and solve of one Newton iteration, of strands of so many points, as many as there are
 * lanes: seconds for one point of one strand, measured now for about `seconds`. 0 where the build cannot
 * run. */
double rlt_rod_factor_seconds(rlt_simd simd, int points, double seconds);
/* The same of the Coil. */
double rlt_coil_factor_seconds(rlt_simd simd, int points, double seconds);

#ifdef __cplusplus
}
#endif

#endif
