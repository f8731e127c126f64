/* Health and energies of a strand, as every model reports them. */
#ifndef RLTI_SOLVE_MEASURE_H
#define RLTI_SOLVE_MEASURE_H

#include "model/matter.h"

#define RLTI_ENERGIES_MAX 4 /* of a model's own, besides kinetic and gravity */

typedef struct rlti_measure {
    int finite;     /* 0: some position, velocity, spin or mass is not a number */
    double fastest; /* [unit/s] */
    double longest; /* greatest edge length / rest length */
    double kinetic; /* [mass unit^2/s^2], as all energies; spin included */
    double gravity; /* of positions relative to the origin */
    double mass;
    double energies[RLTI_ENERGIES_MAX]; /* by the names of the solver's type */
} rlti_measure;

/* Measures that every model has, from a strand's points relative to its origin; energies are left 0. */
rlti_measure rlti_measure_points(const rlti_matter *matter, int strand, const rlti_vec3 *positions,
                                 const rlti_vec3 *velocities, const double gravity[3]);

#endif
