/* How a hair scatters light: the near-field model of
 *   M. J.-Y. Chiang, B. Bitterli, C. Tappan, B. Burley: A Practical and Controllable Hair and Fur Model for
 *   Production Path Tracing, Eurographics 2016 ("C"),
 * with the longitudinal function of
 *   E. d'Eon, G. Francois, M. Hill, J. Letteri, J.-M. Aubry: An Energy-Conserving Hair Reflectance Model,
 *   EGSR 2011 ("E").
 * Four lobes p: reflected at the surface (0), through the hair (1), reflected once inside (2), and all that
 * is reflected more often (3).
 *
 * Directions are in a frame of the hair: x along it, z across it towards the eye, y to the side. The eye's
 * direction has y = 0. Both directions point away from the hair. h is where the ray meets the hair across its
 * width, -1 to 1 along y. */
#ifndef RLTI_RENDER_HAIR_SCATTER_H
#define RLTI_RENDER_HAIR_SCATTER_H

#include "render/trace_vector.h"
#include "ringlet/render.h"

enum { RLTI_LOBES = 4 };

/* Constants of all hairs of a look. */
typedef struct rlti_fibre {
    float variance[RLTI_LOBES];     /* along the hair */
    float scale[RLTI_LOBES];        /* 1 / (v (1 - exp(-2 / v))) */
    float logistic;                 /* scale s around the hair */
    float logistic_low;             /* its distribution function at -pi */
    float logistic_mass;            /* and its mass within -pi .. pi */
    float sin_tilt[3], cos_tilt[3]; /* of 2, 1 and 4 times the cuticle's tilt: lobes 0, 1 and 2 */
    float ior;
} rlti_fibre;

/* Absorption per radius of the hair [1], linear red, green and blue. */
rlti_f3 rlti_fibre_absorption(const rlt_render_hair *look);
/* The colour of a mass of hairs with this absorption and roughness around: light that has been scattered many
 * times. */
rlti_f3 rlti_fibre_albedo(rlti_f3 absorption, float around);
void rlti_fibre_prepare(const rlt_render_hair *look, rlti_fibre *fibre);

/* A hair where a ray from the eye meets it. */
typedef struct rlti_scatter {
    rlti_f3 weight[RLTI_LOBES]; /* share of light that each lobe keeps (A_p) */
    float choice[RLTI_LOBES];   /* probability with which each is sampled */
    float centre[3];            /* azimuth of the lobes */
    float sin_out[RLTI_LOBES],
        cos_out[RLTI_LOBES]; /* inclination of the eye, tilted with the lobe's scales */
} rlti_scatter;

void rlti_scatter_begin(const rlti_fibre *fibre, rlti_f3 absorption, float h, float sin_out,
                        rlti_scatter *scatter);

/* Scattering function times cosine of the inclination, for light from `in`; returns the density with which
 * rlti_scatter_sample picks `in` [1/sr]. */
float rlti_scatter_eval(const rlti_fibre *fibre, const rlti_scatter *scatter, rlti_f3 in, rlti_f3 *value);

/* A direction that light comes from, for four numbers in [0, 1). */
rlti_f3 rlti_scatter_sample(const rlti_fibre *fibre, const rlti_scatter *scatter, const float u[4]);

/* The share of light that a hair passes on into the half space ahead, averaged over its width, by the sine of
 * the ray's inclination: what a shadow ray keeps at each hair it crosses. */
enum { RLTI_FORWARD_STEPS = 16 };
typedef struct rlti_forward {
    rlti_f3 pass[RLTI_FORWARD_STEPS + 1]; /* at |sine| i / RLTI_FORWARD_STEPS */
} rlti_forward;

void rlti_forward_prepare(const rlti_fibre *fibre, rlti_f3 absorption, rlti_forward *forward);

static inline rlti_f3 rlti_forward_at(const rlti_forward *forward, float sine) {
    float at = fabsf(sine) * RLTI_FORWARD_STEPS;
    int i = (int)at;
    if (i >= RLTI_FORWARD_STEPS)
        return forward->pass[RLTI_FORWARD_STEPS];
    return rlti_f3_mix(forward->pass[i], forward->pass[i + 1], at - (float)i);
}

#endif
