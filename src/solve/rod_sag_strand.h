/* One Rod strand in equilibrium as it is groomed: the pass from tip to root, and its stability. */
#ifndef RLTI_SOLVE_ROD_SAG_STRAND_H
#define RLTI_SOLVE_ROD_SAG_STRAND_H

#include "model/rod_model.h"
#include "solve/implicit.h"

typedef struct rlti_rod_sag_outcome {
    int solved; /* 0: some joint has no stiffness, or is folded */
    double
        ratio; /* greatest change of a joint's rest angle, as the length of a Taz target: sqrt(1 + angle^2) */
} rlti_rod_sag_outcome;

/* Rest strains of a strand with the shape `points`, whose constants have that shape at rest. forces [points]:
 * the sum of all forces on the points beyond each one [mass unit/s^2]. */
rlti_rod_sag_outcome rlti_rod_sag_solve(rlti_rod_model *model, int strand, const rlti_vec3 *points,
                                        const rlti_vec3 *forces);

/* Working memory of rlti_rod_sag_is_stable for strands of so many points; NULL: out of memory. */
typedef struct rlti_rod_sag_scratch rlti_rod_sag_scratch;
rlti_rod_sag_scratch *rlti_rod_sag_scratch_create(const rlti_implicit *engine, int points);
void rlti_rod_sag_scratch_destroy(rlti_rod_sag_scratch *scratch);

/* 1: all of the energy's second derivative at the groom is positive; 0: it is not; 2: out of memory. */
int rlti_rod_sag_is_stable(rlti_rod_sag_scratch *scratch, const rlti_rod_model *model, int strand,
                           const rlti_vec3 *points);

#endif
