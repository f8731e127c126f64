/* The Coil's constants as its lane code reads them, from those of model/coil.h. */
#ifndef RLTI_MODEL_COIL_CONSTANTS_H
#define RLTI_MODEL_COIL_CONSTANTS_H

#include <stddef.h>

#include "model/coil.h"

enum {
    COIL_LENGTH,
    COIL_STRETCH,
    COIL_VISCOUS_STRETCH, /* stiffness times damping time */
    COIL_BEND,            /* stiffness, viscous, at rest: as the next two */
    COIL_TORSION = COIL_BEND + 3,
    COIL_SIDE = COIL_TORSION + 3, /* root only */
    COIL_ROWS = COIL_SIDE + 3
};

/* An angle by its three rows. */
static void coil_fill_angle(double stiffness, double damping, double rest, double *rows) {
    const double turn = 6.283185307179586;
    rows[0] = stiffness;
    rows[1] = stiffness * damping;
    rows[2] = rest - turn * (double)(long)(rest / turn + (rest < 0.0 ? -0.5 : 0.5));
}

/* The tip has no edge, the last edge no torsion, a free root no clamp: no stiffness. Lengths are never 0.
 * Turning angles at rest are not wrapped: those below 0 or beyond pi are how a groom is kept from sagging. */
static void coil_fill(const double *c, int i, int points, int rooted, double *rows) {
    for (int k = 0; k < COIL_ROWS; k++)
        rows[k] = 0.0;
    rows[COIL_LENGTH] = 1.0;
    if (i + 1 < points) {
        rows[COIL_LENGTH] = c[RLTI_COIL_LENGTH];
        rows[COIL_STRETCH] = c[RLTI_COIL_STRETCH];
        rows[COIL_VISCOUS_STRETCH] = c[RLTI_COIL_STRETCH] * c[RLTI_COIL_DAMP_STRETCH];
    }
    if ((i == 0 && !rooted) || i + 1 >= points)
        return;
    coil_fill_angle(c[RLTI_COIL_BEND], c[RLTI_COIL_DAMP_BEND], 0.0, rows + COIL_BEND);
    rows[COIL_BEND + 2] = c[RLTI_COIL_ANGLE];
    if (i == 0)
        coil_fill_angle(c[RLTI_COIL_SIDE], c[RLTI_COIL_DAMP_BEND], c[RLTI_COIL_SIDE_ANGLE], rows + COIL_SIDE);
    if (i + 2 < points)
        coil_fill_angle(c[RLTI_COIL_TORSION], c[RLTI_COIL_DAMP_TORSION], c[RLTI_COIL_TAU],
                        rows + COIL_TORSION);
}

/* Stiffness of point i against a displacement across the hair: by the angles next to it. */
static double coil_hardness(const double *constants, int i, int points) {
    double sum = 0.0;
    for (int j = i - 1; j <= i + 1; j++) {
        if (j < 0 || j + 1 >= points)
            continue;
        const double *c = constants + (size_t)j * RLTI_ROD_CONSTANTS,
                     *before = j > 0 ? c - RLTI_ROD_CONSTANTS : c;
        double length = 0.5 * (c[RLTI_COIL_LENGTH] + before[RLTI_COIL_LENGTH]);
        sum += 2.0 * c[RLTI_COIL_BEND] / (length * length);
    }
    return sum;
}

#endif
