/* The Rod's constants, and the Coil's: everything that is computed once from the groom at rest. Only the rest
 * shape may change afterwards (shape/reshape.h), and rest strains by sag (solve/rod_sag.h).
 *
 * The material is stated in SI (hair.rod), of one hair. What hair does depends on the ratio of stiffness to
 * mass only, so the scene's unit of mass is free: hair of the default radius and density has hair.mass on a
 * unit of its length, as Taz has, and contacts between both know what to make of it. With rho, A, E, I in
 * SI, and u metres to a unit,
 *   mass per length  hair.mass hairs rho A / (rho A of default hair)
 *   E A              mass per length (E / rho) / u^2
 *   E I              mass per length (E I / (rho A)) / u^4,  G J alike.
 *
 * Where a section has Taz's material only, that is converted: rod_material.h. */
#ifndef RLTI_MODEL_ROD_MODEL_H
#define RLTI_MODEL_ROD_MODEL_H

#include "model/matter.h"
#include "model/rod.h"
#include "model/rod_curve.h"

/* One per strand. */
typedef struct rlti_rod_strand {
    int first;                     /* its root point in the arrays below */
    int points;                    /* edges = points - 1 */
    double segment;                /* mean rest edge [unit] */
    rlti_vec3 direction, director; /* of the root's edge in the rest pose */
    rlti_vec3 groomed[2];          /* the same in the groom, whatever the rest shape is now */
} rlti_rod_strand;

/* Stiffness per length: of the edge after the point, and of the joint at it. */
typedef enum rlti_rod_stiffness {
    RLTI_ROD_EA,   /* [mass unit/s^2] */
    RLTI_ROD_EI_0, /* about director 0 [mass unit^3/s^2], as the next two */
    RLTI_ROD_EI_1,
    RLTI_ROD_GJ,
    RLTI_ROD_STIFFNESSES
} rlti_rod_stiffness;

typedef struct rlti_rod_model {
    int coil; /* 1: constants, curve and rest shape are the Coil's (model/coil.h) */
    int strand_count, point_count;
    rlti_rod_strand *strands;                  /* [strand_count] */
    rlti_matter *matter;                       /* the groom's: segments are written there, too */
    double *mass, *drag, *rest;                /* [point_count] matter's */
    double (*stiffness)[RLTI_ROD_STIFFNESSES]; /* [point_count] */
    double (*constants)[RLTI_ROD_CONSTANTS];   /* [point_count] model/rod.h */
    double (*directors)[3];                    /* [point_count] of the edge after the point, at rest */
    rlti_rod_curve *curve; /* [point_count] of the joint at the point, in the rest shape */
} rlti_rod_model;

/* The one list of arrays with something at every point, and which models have them: allocate, free, count and
 * checksum follow it. */
#define RLTI_ROD_ARRAYS(X)                                                                                   \
    X(stiffness, 1)                                                                                          \
    X(constants, 1)                                                                                          \
    X(directors, !model->coil)                                                                               \
    X(curve, 1)

/* Fills in the matter of the strands with mine[strand] (NULL: all) and their constants; conversions from
 * Taz's material are noted. Fails only when out of memory: the groom has been checked. The matter must
 * outlive the model. */
rlt_status rlti_rod_model_create(const rlti_scene_data *scene, const rlti_strands *strands,
                                 const unsigned char *mine, rlti_matter *matter, rlt_messages *messages,
                                 rlti_rod_model **model);
/* The same for strands that are the Coil's. */
rlt_status rlti_coil_model_create(const rlti_scene_data *scene, const rlti_strands *strands,
                                  const unsigned char *mine, rlti_matter *matter, rlt_messages *messages,
                                  rlti_rod_model **model);
/* rod_check.c: warns of grooms that it does not keep as they are. All strands are read, whatever the rank. */
void rlti_rod_check(const rlti_scene_data *scene, const rlti_strands *strands, const unsigned char *mine,
                    rlt_messages *messages);
/* 1 where two edges make a fold of 180 degrees, which has no binormal: its rest shape is straight. */
int rlti_rod_is_folded(rlti_vec3 before, rlti_vec3 after);

void rlti_rod_model_destroy(rlti_rod_model *model);
size_t rlti_rod_model_bytes(const rlti_rod_model *model);
/* Of all constants: has a groom or its material changed? */
uint64_t rlti_rod_model_checksum(const rlti_rod_model *model, uint64_t hash);

/* Another rest shape for one strand: rest lengths, curvatures, twist. Mass and material stay, edge by edge.
 * It depends on these points only, not on shapes before. */
void rlti_rod_model_reshape(rlti_rod_model *model, int index, const rlti_vec3 *points);

#endif
