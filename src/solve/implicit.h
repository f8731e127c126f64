/* The implicit engine: Newton steps for one tile of strands, whatever energy they have.
 *
 * The same source (implicit_body.h) is compiled once per instruction set, in doubles; each build is a table
 * of functions. One strand a lane. A lane's bits depend on its own strand only: not on the other lanes, the
 * tile or the width, so a strand that has converged stands still while others of its tile iterate.
 *
 * A step of h seconds solves for the unknowns q, positions and what else the energy has at a point (the Rod:
 * the turn of the edge after it),
 *   M (q - y) / h^2 + dE/dq + damping + drag + holds + planes = 0,  y = q0 + h v0 + h^2 (gravity + pushes)
 * as the minimum of an incremental potential: Newton with a banded factor and a line search. Implicit
 * midpoint solves the same for the middle of the step with h/2 and extrapolates to its end; a strand whose
 * edges turn too far for it takes that step by Euler.
 *
 * Kinematic unknowns are moved to their place first and stay there; their rows are the identity's:
 *   the root   point 0, and a kinematic edge before it (the clamp), against which the first edge bends and
 *   twists:
 *              direction and twist are held by the energy's first joint. Any hair of two points has that,
 *              too.
 *   pins       points by exact holds of place; directors of edges by pin_director
 * Points of `free_root` tiles are all free.
 *
 * All positions are relative to the strand's origin. Units are the scene's. */
#ifndef RLTI_SOLVE_IMPLICIT_H
#define RLTI_SOLVE_IMPLICIT_H

#include "contact/body/collide.h"
#include "ringlet/simulation.h"
#include "shape/constraint.h"
#include "solve/measure.h"

typedef struct rlti_implicit_tile rlti_implicit_tile;

/* Which energy; the constants of each are documented with it. */
typedef enum rlti_energy_kind {
    RLTI_ENERGY_ROD,         /* model/rod.h: the exact gradient */
    RLTI_ENERGY_ROD_PRINTED, /* the seed's approximate one, eq. 10 to 12 */
    /* model/coil.h, by what its matrix has of the strains' second derivatives: */
    RLTI_ENERGY_COIL,            /* their positive part */
    RLTI_ENERGY_COIL_STRETCH,    /* that of stretch only */
    RLTI_ENERGY_COIL_GAUSS,      /* nothing: Gauss-Newton */
    RLTI_ENERGY_COIL_UNFILTERED, /* all of them */
    /* model/rod_tangent.h, the classical rod, to compare with; strains PHI are its curvatures: */
    RLTI_ENERGY_TANGENT,
    RLTI_ENERGY_TANGENT_STRETCH,
    RLTI_ENERGY_TANGENT_GAUSS,
    RLTI_ENERGY_TANGENT_UNFILTERED,
    RLTI_ENERGY_KINDS
} rlti_energy_kind;

enum { RLTI_IMPLICIT_SIDES = 2 }; /* planes of a point: the sides of a crease */

/* Midpoint keeps energy while edges turn by less than this in a step [rad]: docs/design/rod.md. */
#define RLTI_IMPLICIT_TURN 0.12

enum { RLTI_IMPLICIT_ENERGIES = 3 }; /* of a model's own; the Rod: stretch, bend, twist */

typedef struct rlti_implicit_strand {
    int points;              /* at least 2 */
    double segment;          /* mean rest length of an edge [unit]: tolerances refer to it */
    const double *mass;      /* [points], positive */
    const double *drag;      /* [points] [1/s]; NULL: none */
    const double *constants; /* [points][constants of the energy] */
    double press;            /* a plane presses with no more than this [mass unit/s^2]; 0: as it must */
} rlti_implicit_strand;

typedef struct rlti_implicit_def {
    rlti_energy_kind energy;
    const rlti_implicit_strand *strands; /* [count] */
    int count;                           /* 1..lanes */
    int holds;                           /* the maximum of a strand at a time */
    int planes;                          /* 1: there can be planes, up to RLTI_IMPLICIT_SIDES a point */
    int free_root;                       /* 1: no point is kinematic */
    int meets;                           /* 1: strands meet others within a step: linearize, advance */
    int inverts;                         /* 1: and their matrices are inverted: get_inverse */
    int unloaded;                        /* 1: there are never loads: set_loads is not called */
} rlti_implicit_def;

/* How a step is taken. */
typedef struct rlti_implicit_step {
    double gravity[3];
    double seconds;   /* h */
    int midpoint;     /* 0: Euler; 1: where edges turn by less than RLTI_IMPLICIT_TURN, else Euler */
    int iterations;   /* of Newton, at most */
    double tolerance; /* greatest last correction of a point / segment that counts as converged; 0: do all */
    double posed;     /* when planes and anchors stand where they are given, 0: start of the step .. 1: end */
    double friction;  /* Coulomb's, on planes */
    int pause;        /* iterations with the same planes, after which a lane waits for others; 0: never */
    int plain;        /* 1: full Newton steps, however the potential changes, but for lanes with planes */
    int weightless;   /* 1: the first iterate is where velocities lead, without gravity and other forces */
    int lumped;   /* 1: forces of contacts are found by lumped masses: the matrix is never less than these,
                       * and a share of a step is judged by the least work of the forces */
    double limit; /* a step moves points by no more than this of a segment: a share of it is taken; 0: any */
    int straight; /* 1: points follow Newton's steps in straight lines; 0: edges turn */
} rlti_implicit_step;

/* Outcome of a step for one strand. */
typedef struct rlti_implicit_result {
    int iterations; /* done */
    int converged;  /* 0: the tolerance was not reached */
    int repaired;   /* factors that needed a shift */
    int fast;       /* 1: edges turned too far for midpoint, so Euler took the step */
    int failed;     /* 1: no factor, or numbers that are not finite: the strand kept its last good iterate */
    double correction; /* the last, greatest of a point / segment */
    double depth;      /* deepest point below its plane / segment, 0: none */
} rlti_implicit_result;

/* The elastic energy at the present state, for tests, sag and pictures. Any pointer may be NULL. Kinematic
 * unknowns are treated as free. The Rod has 4 unknowns a point (x, y, z, the turn of the edge after it) and
 * half-bandwidth 10, the Coil 3 and 11; strains are in model/rod.h and model/coil.h. */
typedef struct rlti_implicit_view {
    double *energies; /* [RLTI_IMPLICIT_ENERGIES] */
    double *gradient; /* [points][unknowns] */
    double *matrix;   /* [points * unknowns][width + 1], entry k of row i is A(i, i - k); without masses */
    double *second;   /* the same with the strains' second derivatives: of the energy, not always positive */
    double *strains;  /* [points][strains] */
} rlti_implicit_view;

typedef struct rlti_implicit {
    rlt_simd simd;
    int lanes;

    /* Sizes of an energy. */
    int (*constants)(rlti_energy_kind energy); /* a point */
    int (*unknowns)(rlti_energy_kind energy);  /* a point */
    int (*width)(rlti_energy_kind energy);     /* half-bandwidth */
    int (*strains)(rlti_energy_kind energy);   /* a point */

    rlti_implicit_tile *(*create)(const rlti_implicit_def *def); /* NULL: out of memory */
    void (*destroy)(rlti_implicit_tile *tile);
    size_t (*bytes)(const rlti_implicit_tile *tile);
    /* Another rest shape or material, same count of points. */
    void (*set_constants)(rlti_implicit_tile *tile, int lane, const rlti_implicit_strand *strand);

    /* State between steps, to the last bit. Directors: the first one of every edge, [points - 1]; spins: of
     * every edge about itself, [points - 1] [rad/s]. Of set, each of the last three may be NULL: velocities
     * 0, directors as they are and carried to the new tangents without twist (if there are none yet: carried
     * along the strand without twist from the root's), spins 0. Of get, any may be NULL. */
    void (*set_state)(rlti_implicit_tile *tile, int lane, const rlti_vec3 *positions,
                      const rlti_vec3 *velocities, const rlti_vec3 *directors, const double *spins);
    void (*get_state)(const rlti_implicit_tile *tile, int lane, rlti_vec3 *positions, rlti_vec3 *velocities,
                      rlti_vec3 *directors, double *spins);

    /* A new origin: positions -= by. */
    void (*shift)(rlti_implicit_tile *tile, int lane, rlti_vec3 by);
    /* A jump: the strand is turned about its root as one piece, velocities relative to the root's with it,
     * and continues with the root's new velocity; the root is then at the origin. */
    void (*carry)(rlti_implicit_tile *tile, int lane, rlti_quat turn, rlti_vec3 velocity);

    /* The clamp as it is now, state as well: set_root has the next one. Until it is set, it is the first
     * edge. */
    void (*set_clamp)(rlti_implicit_tile *tile, int lane, rlti_vec3 direction, rlti_vec3 director);
    void (*get_clamp)(rlti_implicit_tile *tile, int lane, rlti_vec3 *direction, rlti_vec3 *director);

    /* ---- for the next step, kept until set anew ---- */

    /* The root at the end of the step: its place, and the clamp's direction and first director (the
     * director's part across the direction counts). Without it the root stays as it is. */
    void (*set_root)(rlti_implicit_tile *tile, int lane, rlti_vec3 position, rlti_vec3 direction,
                     rlti_vec3 director);
    /* The director of an edge at the end of the step; NULL: free again. For clamps other than the root's. */
    void (*pin_director)(rlti_implicit_tile *tile, int lane, int edge, const rlti_vec3 *director);
    /* All planes of the lane anew, points ascending; count 0: none. Also between two iterations: sides of
     * points that had a plane keep its contact force as a start. */
    void (*set_planes)(rlti_implicit_tile *tile, int lane, const rlti_plane *planes, int count);
    /* Whether plane j of the lane, RLTI_IMPLICIT_SIDES to a point, pressed in the last step, with what force
     * [mass unit/s^2], and whether its point slips. */
    int (*get_pressing)(const rlti_implicit_tile *tile, int lane, int j, rlti_vec3 *force, int *slips);
    /* All holds of the lane anew; also between two iterations, where exact ones must stay the same points. */
    void (*set_holds)(rlti_implicit_tile *tile, int lane, const rlti_hold *holds, int count);
    void (*set_air)(rlti_implicit_tile *tile, int lane, const float *air); /* [points][3] [unit/s]; NULL: 0 */
    /* Constant forces [mass unit/s^2], [points]; NULL: none. */
    void (*set_loads)(rlti_implicit_tile *tile, int lane, const rlti_vec3 *forces);
    /* Accelerations of some points by other hair [unit/s^2]; all others of the lane get none. */
    void (*set_pushes)(rlti_implicit_tile *tile, int lane, const int *points, const float (*accelerations)[3],
                       int count);

    /* ---- a step ---- */

    /* Working memory of a thread, aligned to 64 bytes, for strands of so many points; any content will do. */
    size_t (*scratch_bytes)(rlti_energy_kind energy, int points);

    /* In parts, for callers that ask the drive within Newton:
     *   begin; do { get_iterate, set_planes, set_holds } while (iterate()); finish.
     * `iterate` returns the bits of lanes that have not converged and have iterations left; a lane whose
     * planes or holds were set anew is computed again. Scratch need not be the same in each call. */
    void (*begin)(rlti_implicit_tile *tile, const rlti_implicit_step *step, void *scratch);
    unsigned (*iterate)(rlti_implicit_tile *tile, const rlti_implicit_step *step, void *scratch);
    /* Bits of lanes that wait for new planes: they are open again once these are set. */
    unsigned (*take_paused)(rlti_implicit_tile *tile);
    void (*get_iterate)(const rlti_implicit_tile *tile, int lane, rlti_vec3 *positions);
    /* Where the points come to if the iterate is the last one, and what each hold does to its point, without
     * its push [unit/s^2]; [points] and [holds]. */
    void (*foresee)(const rlti_implicit_tile *tile, int lane, rlti_vec3 *ends, rlti_vec3 *accelerations);
    void (*finish)(rlti_implicit_tile *tile, const rlti_implicit_step *step, void *scratch,
                   rlti_implicit_result *results /* [count], or NULL */);
    /* All of it. */
    void (*step)(rlti_implicit_tile *tile, const rlti_implicit_step *step, void *scratch,
                 rlti_implicit_result *results /* [count], or NULL */);

    /* Newton's iteration in parts, for strands that meet others (contacts) in the same solve: all tiles, made
     * with `meets`, between two barriers each. After begin, and any number of iterations,
     *   linearize   the matrix of the iterate, its factor, and Newton's step without the others, for open
     *               lanes and those in `lanes`, which are opened again; returns which can be moved
     *   get_newton  that step of the points, [points] [unit]
     *   set_forces  forces of contacts on the points of a lane [mass unit/s^2]; 0 after linearize
     *   respond     the displacements that the forces cause by themselves, by the factor; as often as wanted
     *   get_response    of the points, [points]
     *   get_softness    h^2/m of each point: its displacement a force if it were alone; 0: kinematic
     *   advance     Newton's step with the forces, or the share of it that lowers the potential and what the
     *               forces have; returns the lanes that have not converged */
    unsigned (*linearize)(rlti_implicit_tile *tile, const rlti_implicit_step *step, unsigned lanes,
                          void *scratch);
    void (*get_newton)(const rlti_implicit_tile *tile, int lane, rlti_vec3 *moved);
    void (*set_forces)(rlti_implicit_tile *tile, int lane, const rlti_vec3 *forces);
    void (*respond)(rlti_implicit_tile *tile);
    void (*get_response)(const rlti_implicit_tile *tile, int lane, rlti_vec3 *moved);
    /* The whole inverse of a lane's matrix for its points, [3 points][3 points], for the lanes with a place
     * to put it; NULL: not wanted. */
    void (*get_inverse)(rlti_implicit_tile *tile, float *const inverses[]);
    /* x += the six columns of an inverse, each of `size`, that begin at `columns`, times f. */
    void (*add_columns)(const float *columns, int size, const double f[6], double *x);
    void (*get_softness)(const rlti_implicit_tile *tile, int lane, double *softness);
    unsigned (*advance)(rlti_implicit_tile *tile, const rlti_implicit_step *step, void *scratch);
    /* The last correction of a lane within the step, greatest of a point / segment. */
    double (*get_correction)(const rlti_implicit_tile *tile, int lane);
    /* Forces of contacts that were set last, less what the momentum of the iterate agrees with, summed over a
     * strand: a share of Newton's step does not see to that. With the strand's mass / h^2; both [count].
     * Returns the lanes that nothing else acts on from outside: neither planes nor holds. */
    unsigned (*get_unbalanced)(rlti_implicit_tile *tile, const rlti_implicit_step *step, rlti_vec3 *forces,
                               double *weights, void *scratch);
    /* Moves the strands of these lanes in one piece, [count]. */
    void (*move_iterate)(rlti_implicit_tile *tile, unsigned lanes, const rlti_vec3 *by);
    /* Takes points of these lanes a share of the way back to where the step started, moved by by[lane]. */
    void (*retreat)(rlti_implicit_tile *tile, unsigned lanes, double share, const rlti_vec3 *by,
                    void *scratch);

    /* Strands that take long, finished together. Between begin and finish, `gather` moves an open lane of a
     * tile into a free lane, the seat, of another tile that has no strands of its own: `iterate` it with the
     * same step, and `scatter` seats whose bits are no longer open back to where they came from. Both give
     * the bits that iterating in place gives. `gather` returns 0 where the strand does not fit: another
     * energy, another step, more points than a seat has, or far fewer than the others there; with all seats
     * free only more points, holds or planes than the tile was made for. */
    int (*gather)(rlti_implicit_tile *to, int seat, rlti_implicit_tile *from, int lane);
    void (*scatter)(rlti_implicit_tile *from, int seat, rlti_implicit_tile *to, int lane);

    /* Of the last step: how far one more iteration would move each point, in the measure of a result's
     * `correction`, by the same matrix; [points]. Planes and holds count as they stood when it ended. NaN
     * where no step was taken since the state was set, infinite where there is no factor. */
    void (*residuals)(rlti_implicit_tile *tile, int lane, void *scratch, double *residuals);

    void (*measure)(rlti_implicit_tile *tile, const double gravity[3], void *scratch,
                    rlti_measure *measures /* [count] */);
    void (*derive)(rlti_implicit_tile *tile, int lane, void *scratch, const rlti_implicit_view *view);

    /* Factors and solves a matrix of strands of so many points, so many times: for measurements. */
    void (*exercise)(rlti_energy_kind energy, int points, int times, void *scratch);
} rlti_implicit;

/* The build for this CPU (RLT_SIMD_AUTO picks the widest), or NULL where it cannot run: as
 * rlti_kernel_select. */
const rlti_implicit *rlti_implicit_select(rlt_simd simd);

#endif
