/* Material of a Rod at a place along a strand, in the scene's units: from hair.rod in SI, or converted from
 * Taz's springs.
 *
 * The conversion keeps what is seen of a strand, with its groomed shape and mass (docs/design/rod.md):
 *   bending   B = k_b lag^2 (1 + (q a)^2 / 4) / (1 + (q a)^2)^2, a = bend.smoothing: the smoothed frame
 *             follows bends that are long against a, and not the turns of a curl, of q radians a unit
 *   core      + C R^2 k_c: resistance of a curl of radius R to being pulled long, as of a coil spring
 *   stretch   k_s, but at least so stiff that 30 g stretch the strand by no more than its limit
 *   damping   c_b over the stiffness against a bend of the whole strand, or of the curl's turns */
#ifndef RLTI_MODEL_ROD_MATERIAL_H
#define RLTI_MODEL_ROD_MATERIAL_H

#include "groom/strands.h"

/* Per length of the strand. */
typedef struct rlti_rod_material {
    double mass;           /* [mass/unit] */
    double stretch;        /* E A [mass unit/s^2] */
    double bend_0, bend_1; /* E I about director 0, 1 [mass unit^3/s^2] */
    double twist;          /* G J [mass unit^3/s^2] */
    double gyration;       /* square of the radius of gyration about the strand [unit^2] */
    double damping;        /* [s] */
} rlti_rod_material;

/* The shape of a strand, as far as the conversion needs it. */
typedef struct rlti_rod_curl {
    double length;  /* [unit] */
    double turning; /* q: mean turning of the curl's windings [rad/unit]; 0: it has none */
    double radius;  /* R: of the curl [unit] */
    double cosine;  /* length of the curl's axis / length */
    double weight;  /* mass of the whole strand */
} rlti_rod_curl;

rlti_rod_curl rlti_rod_curl_of(const rlti_strands *strands, int strand, const rlti_hair_data *hair,
                               double *scratch /* [points of the strand] */);

/* At `position` of the strand (0 root, 1 tip): point `p`, or the middle of the edge after it. */
rlti_rod_material rlti_rod_material_at(const rlti_scene_data *scene, const rlti_strands *strands,
                                       const rlti_hair_data *hair, const rlti_rod_curl *curl, int p, int edge,
                                       double position);

/* Young's modulus of default hair that bends like this [Pa], for messages. */
double rlti_rod_young_of(const rlti_scene_data *scene, const rlti_rod_material *material);

#endif
