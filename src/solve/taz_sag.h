/* A Taz groom that does not sag (docs/design/sag.md): rest targets, and rest lengths, for which the groom as
 * delivered is in equilibrium under gravity and whatever else presses on it at rest.
 *
 * Three modes, chosen by hair.sag.mode:
 *   off      the rest shape is the groom: it sags under its weight
 *   preload  each target is lifted by c M g / k_b, M the mass of the point or of all beyond it (the 2019
 *            talk); exact in the paper's form of the forces with c = 1 and summed mass, else approximate
 *   solve    exact in both forms, one pass from tip to root; bending is stiffened where the equilibrium
 *            would not be stable */
#ifndef RLTI_SOLVE_TAZ_SAG_H
#define RLTI_SOLVE_TAZ_SAG_H

#include "model/taz_model.h"
#include "parallel/pool.h"
#include "shape/sag.h"

typedef struct rlti_taz_sag_def {
    const rlti_scene_data *scene;
    const rlti_strands *strands;
    const unsigned char *mine;  /* [strand_count] 1: the model's; NULL: all are */
    const unsigned char *local; /* [strand_count] 1: computed here; NULL: all are */
    const rlti_vec3 *loads;     /* [point_count] forces at rest beside gravity [mass unit/s^2]; NULL: none */
    double force_step;          /* [s] bounds how far bending may be stiffened */
    rlti_pool *pool;
} rlti_taz_sag_def;

/* Changes target, rest, bend_k and bend_c of the model's local strands; results is [strand_count]. Fails only
 * when out of memory. */
rlt_status rlti_taz_sag_apply(const rlti_taz_sag_def *def, rlti_taz_model *model, rlt_messages *messages,
                              rlti_sag_result *results);

/* In words, for messages. */
void rlti_taz_sag_describe(const rlti_hair_data *hair, double ratio, rlti_sag_words *words);

/* Working memory for the same, for single strands whose rest shape has changed. */
typedef struct rlti_taz_sag rlti_taz_sag;
rlti_taz_sag *rlti_taz_sag_create(const rlti_taz_model *model, int threads); /* NULL: out of memory */
void rlti_taz_sag_destroy(rlti_taz_sag *sag);

/* One strand whose rest shape has changed to `points`, with the stiffness it has now: from any thread, one
 * strand each. */
void rlti_taz_sag_again(const rlti_taz_sag_def *def, rlti_taz_model *model, rlti_taz_sag *sag, int strand,
                        int worker, const rlti_vec3 *points);

#endif
