/* A Rod groom that does not sag (docs/design/rod.md): rest curvatures, twists and lengths for which the
 * groom as delivered is in equilibrium under gravity and whatever else presses on it at rest.
 *
 * At the groom's shape the equations of equilibrium are linear in the stresses: from tip to root, two
 * bending moments and a torque for each joint and a tension for each edge. Rest strain = strain - stress /
 * stiffness. Whether that equilibrium is stable is seen from the second derivative of the energy,
 * unfiltered; where it is not, bending and twisting of the strand are made stiffer, and it is solved again.
 */
#ifndef RLTI_SOLVE_ROD_SAG_H
#define RLTI_SOLVE_ROD_SAG_H

#include "model/rod_model.h"
#include "shape/sag.h"
#include "solve/solver.h"

/* Changes constants and stiffness of the solver's strands with local[strand]; results is [strand_count].
 * Fails only when out of memory. */
rlt_status rlti_rod_sag_apply(rlti_rod_model *model, const rlti_solver_def *def, const unsigned char *local,
                              const rlti_vec3 *loads, rlt_messages *messages, rlti_sag_result *results);

/* In words, for messages. */
void rlti_rod_sag_describe(const rlti_hair_data *hair, double ratio, rlti_sag_words *words);

/* Working memory for the same, for single strands whose rest shape has changed. */
typedef struct rlti_rod_sag rlti_rod_sag;
rlti_rod_sag *rlti_rod_sag_create(const rlti_rod_model *model, int threads); /* NULL: out of memory */
void rlti_rod_sag_destroy(rlti_rod_sag *sag);

/* One strand whose rest shape has changed to `points`, with the stiffness it has now: from any thread, one
 * strand each. */
void rlti_rod_sag_again(rlti_rod_sag *sag, rlti_rod_model *model, const rlti_solver_def *def,
                        const rlti_vec3 *loads, int strand, int worker, const rlti_vec3 *points);

#endif
