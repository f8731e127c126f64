/* The step kernel: one outer step of the Taz strand for one tile of strands.
 *
 * The same source (kernel_body.h) is compiled once per instruction set; each build is a table of functions. A
 * tile holds as many strands as the build has lanes (sixteen strands make a block: one AVX-512 tile or two
 * AVX2 tiles).
 *
 * The nested loops (Taz paper section 5; what differs is in docs/design/formulations.md):
 *   outer step:  contact planes, contact forces of other hair, holds and wind are given from outside and kept
 *     force step:    internal and external forces, soft holds, collision response  -> velocities
 *       damping step:  spring damping                                  -> velocities
 *                      (the first one begins with the root-to-tip velocity limit)
 *       hard holds -> velocities -> positions, root-to-tip stretch limit
 *
 * Positions are kept relative to an origin per strand (the root at the start of the frame) as an unevaluated
 * sum of two reals, high and low: single precision alone would freeze slow hair and make stiff edges noisy.
 */
#ifndef RLTI_SOLVE_KERNEL_H
#define RLTI_SOLVE_KERNEL_H

#include "contact/body/collide.h"
#include "contact/hair/spring_law.h"
#include "model/taz_model.h"
#include "ringlet/simulation.h"
#include "shape/constraint.h"
#include "solve/measure.h"

typedef struct rlti_tile rlti_tile;

/* Strands of one hair section that share a tile. */
typedef struct rlti_tile_def {
    const rlti_taz_model *model;
    const rlti_hair_data *hair;
    const int *strands;          /* [count] */
    int count;                   /* 1..lanes */
    double force_step;           /* [s] */
    int damping_steps;           /* per force step, 0 = no damping */
    int wind;                    /* 1: the air moves, or drags */
    int pushed;                  /* 1: contacts with other hair */
    const rlti_hold_slot *holds; /* [hold_count] rows of constraints, by class and then by point */
    int hold_count;
} rlti_tile_def;

/* One outer step, or several in a row. */
typedef struct rlti_step {
    double gravity[3];
    int force_steps;
    int first_force_step; /* counted from the start of the frame */
    double frame_step;    /* a force step as a fraction of the frame */
    double rate;          /* frames per second */
    double *seconds;      /* [2] where to add the time spent on forces and on damping; NULL: do not look */
} rlti_step;

/* Indices of the energies of rlti_measure. */
typedef enum rlti_taz_energy {
    RLTI_TAZ_ENERGY_STRETCH,
    RLTI_TAZ_ENERGY_BEND,
    RLTI_TAZ_ENERGY_CORE
} rlti_taz_energy;

typedef struct rlti_kernel {
    rlt_simd simd;
    int lanes;
    int real_bytes; /* of this build's real numbers: 4, the reference 8 */

    rlti_tile *(*create)(const rlti_tile_def *def); /* NULL: out of memory */
    void (*destroy)(rlti_tile *tile);
    size_t (*bytes)(const rlti_tile *tile);

    /* The model's strand has another rest shape now. */
    void (*reshape)(rlti_tile *tile, int lane, const rlti_taz_model *model, int strand);

    /* State in and out; positions relative to the strand's origin. */
    void (*set_state)(rlti_tile *tile, int lane, const rlti_vec3 *positions, const rlti_vec3 *velocities);
    void (*get_state)(const rlti_tile *tile, int lane, rlti_vec3 *positions, rlti_vec3 *velocities);
    void (*get_floats)(const rlti_tile *tile, int lane, float *positions, float *velocities);

    /* The whole state between two frames, to the last bit, as this build's real numbers: positions high and
     * low, [points][6], velocities, [points][3], and the root frame's direction and normal, [6]. */
    void (*save)(const rlti_tile *tile, int lane, void *positions, void *velocities, void *root);
    void (*load)(rlti_tile *tile, int lane, const void *positions, const void *velocities, const void *root);

    /* The strand is turned about its root as one piece, velocities relative to the root's with it, and moves
     * on with the root's new velocity; the root is then at the origin. */
    void (*carry)(rlti_tile *tile, int lane, rlti_quat turn, rlti_vec3 velocity);

    /* New frame: the root's motion (relative to the new origin), and the new origin minus the old one. */
    void (*begin_frame)(rlti_tile *tile, int lane, const rlti_motion_segment *motion, rlti_vec3 shift);

    /* New outer step: contact planes (all lanes are cleared first) and the wind at each point [unit/s]. */
    void (*clear_planes)(rlti_tile *tile);
    void (*set_planes)(rlti_tile *tile, int lane, const rlti_plane *planes, int count);
    void (*set_wind)(rlti_tile *tile, int lane, const float *wind /* [points][3] */);

    /* New outer step: accelerations by contacts with other hair, at some points of a strand [unit/s^2]; held
     * for the step. All lanes are cleared first. Only for tiles made with `pushed`. */
    void (*clear_pushes)(rlti_tile *tile);
    void (*set_pushes)(rlti_tile *tile, int lane, const int *points, const float (*accelerations)[3],
                       int count);

    /* New outer step: the clock of the holds starts anew; a strand's hold in one of the tile's rows. */
    void (*begin_holds)(rlti_tile *tile);
    void (*set_hold)(rlti_tile *tile, int lane, int row, const rlti_hold *hold);

    /* Working memory, aligned to 64 bytes; a tile must be bound to some before anything below is called, and
     * anew when another tile has used it since. Any content will do. */
    size_t (*scratch_bytes)(int points);
    void (*bind)(rlti_tile *tile, void *scratch);

    void (*run)(rlti_tile *tile, const rlti_step *step);

    /* All strands of the tile at once, [count]. */
    void (*measure)(rlti_tile *tile, const double gravity[3], rlti_measure *measures);
    /* Frames -1 .. edges-1 as columns (u, n, u x n), [edges + 1][9]. */
    void (*frames)(rlti_tile *tile, int lane, double *frames);

    /* The parts of a force step, for tests: forces -> velocities; damping; positions. */
    void (*forces)(rlti_tile *tile, const double gravity[3]);
    void (*damp)(rlti_tile *tile);
    void (*move)(rlti_tile *tile);
    /* For tests with a free root: its frame, and the torque on that frame in the last force step. */
    void (*set_root_frame)(rlti_tile *tile, int lane, rlti_vec3 direction, rlti_vec3 normal);
    rlti_vec3 (*root_torque)(const rlti_tile *tile, int lane);
    void (*free_root)(rlti_tile *tile);

    rlti_spring_lanes springs; /* contacts with other hair */

    /* Benchmarks: arithmetic only, returns how many operations were done; *sink keeps the compiler honest. */
    double (*spin)(long iterations, double *sink);
} rlti_kernel;

/* The build for this CPU (RLT_SIMD_AUTO picks the widest), or NULL where it cannot run. */
const rlti_kernel *rlti_kernel_select(rlt_simd simd);

/* Floating-point operations (a fused multiply-add counts as two) per point of the force pass and the position
 * update, and of one damping step; with and without core springs, variational form, no contacts, no wind.
 * Counted by an emulator, see kernel_flops.c; bench uses them. */
double rlti_kernel_force_flops(int core);
double rlti_kernel_damping_flops(int core);

#endif
