/* One strand of the Coil in equilibrium as it is groomed: the pass from tip to root, and its stability. The
 * counterparts of rod_sag_strand.h. */
#ifndef RLTI_SOLVE_COIL_SAG_STRAND_H
#define RLTI_SOLVE_COIL_SAG_STRAND_H

#include "solve/rod_sag_strand.h"

/* An edge's stretch, its turning angle and the torsion about the edge before act across each other on it, so
 * what the edge bears gives the three stresses at once. Joints that are straight have no plane to bend in and
 * are left as they are: `solved` is 0 then, unless they bear next to nothing. */
rlti_rod_sag_outcome rlti_coil_sag_solve(rlti_rod_model *model, int strand, const rlti_vec3 *points,
                                         const rlti_vec3 *forces);

/* 1: all of the energy's second derivative at the groom is positive; 0: it is not; 2: out of memory. */
int rlti_coil_sag_is_stable(const rlti_implicit *engine, const rlti_rod_model *model, int strand,
                            const rlti_vec3 *points);

#endif
