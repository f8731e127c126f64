/* A groom that does not sag (docs/design/sag.md): rest targets, and rest lengths, for which the groom as
 * delivered is in equilibrium under gravity and whatever else presses on it at rest.
 *
 * Three ways, chosen by hair.sag.mode:
 *   off      the rest shape is the groom: it sags under its weight
 *   preload  each target is lifted by c M g / k_b, M the mass of the point or of all beyond it (the 2019
 * talk); exact in the paper's form of the forces with c = 1 and summed mass, else approximate solve    exact
 * in both forms, one pass from tip to root; bending is stiffened where the equilibrium would not be stable */
#ifndef RLTI_SHAPE_SAG_H
#define RLTI_SHAPE_SAG_H

#include "model/taz_model.h"
#include "parallel/pool.h"
#include "ringlet/simulation.h"

typedef struct rlti_sag_def {
    const rlti_scene_data *scene;
    const rlti_strands *strands;
    const unsigned char *local; /* [strand_count] 1: computed here; NULL: all are */
    const rlti_vec3 *loads;     /* [point_count] forces at rest beside gravity [mass unit/s^2]; NULL: none */
    double force_step;          /* [s] bounds how far bending may be stiffened */
    rlti_pool *pool;
} rlti_sag_def;

/* What became of one strand. */
typedef struct rlti_sag_result {
    double ratio;         /* greatest |t| / |e| of its edges */
    double factor;        /* greatest factor on k_b, 1: not stiffened */
    unsigned char solved; /* 1: in equilibrium */
    unsigned char stable; /* 1: shown to be stable, 0: not so, 2: not looked at */
    unsigned char kicked; /* 1: that was found by a small kick */
} rlti_sag_result;

/* Whether any section asks for it; the rest of this header is for those that do. */
int rlti_sag_wanted(const rlti_scene_data *scene);

/* Changes target, rest, bend_k and bend_c of the model's local strands; results is [strand_count]. Fails only
 * when out of memory. */
rlt_status rlti_sag_apply(const rlti_sag_def *def, rlti_taz_model *model, rlt_messages *messages,
                          rlti_sag_result *results);

/* The same for one strand whose rest shape has changed to `points`, with the stiffness it has now: from any
 * thread, one strand each. */
typedef struct rlti_sag_rooms rlti_sag_rooms;
rlti_sag_rooms *rlti_sag_rooms_create(const rlti_taz_model *model, int threads); /* NULL: out of memory */
void rlti_sag_rooms_destroy(rlti_sag_rooms *rooms);
void rlti_sag_again(const rlti_sag_def *def, rlti_taz_model *model, rlti_sag_rooms *rooms, int strand,
                    int worker, const rlti_vec3 *points);

/* Adds up the results of the strands computed here. */
rlt_sag_report rlti_sag_sum(const rlti_sag_def *def, const rlti_sag_result *results, int hair /* -1: all */);

#endif
