/* The Rod's constants as its lane code reads them, from those of model/rod.h. */
#ifndef RLTI_MODEL_ROD_CONSTANTS_H
#define RLTI_MODEL_ROD_CONSTANTS_H

#include <stddef.h>

#include "model/rod.h"

enum {
    ROD_LENGTH,
    ROD_STRETCH,
    ROD_VISCOUS_STRETCH, /* stiffness times damping time */
    ROD_BEND,            /* two */
    ROD_TWIST = ROD_BEND + 2,
    ROD_VISCOUS_BEND, /* two */
    ROD_VISCOUS_TWIST = ROD_VISCOUS_BEND + 2,
    ROD_REST_PHI, /* two */
    ROD_REST_THETA = ROD_REST_PHI + 2,
    ROD_ROWS
};

/* The tip has no joint and no edge, a free root no joint: no stiffness. Lengths are never 0. */
static void rod_fill(const double *c, int i, int points, int rooted, double *rows) {
    for (int k = 0; k < ROD_ROWS; k++)
        rows[k] = 0.0;
    rows[ROD_LENGTH] = 1.0;
    if (i + 1 < points) {
        rows[ROD_LENGTH] = c[RLTI_ROD_LENGTH];
        rows[ROD_STRETCH] = c[RLTI_ROD_STRETCH];
        rows[ROD_VISCOUS_STRETCH] = c[RLTI_ROD_STRETCH] * c[RLTI_ROD_DAMP_STRETCH];
    }
    if ((i == 0 && !rooted) || i + 1 >= points)
        return;
    for (int a = 0; a < 2; a++) {
        rows[ROD_BEND + a] = c[RLTI_ROD_BEND_0 + a];
        rows[ROD_VISCOUS_BEND + a] = c[RLTI_ROD_BEND_0 + a] * c[RLTI_ROD_DAMP_BEND];
        rows[ROD_REST_PHI + a] = c[RLTI_ROD_PHI_0 + a];
    }
    rows[ROD_TWIST] = c[RLTI_ROD_TWIST];
    rows[ROD_VISCOUS_TWIST] = c[RLTI_ROD_TWIST] * c[RLTI_ROD_DAMP_TWIST];
    rows[ROD_REST_THETA] = c[RLTI_ROD_THETA];
}

/* Stiffness of point i against a displacement across the hair: by the joints next to it. */
static double rod_hardness(const double *constants, int i, int points) {
    double sum = 0.0;
    for (int j = i - 1; j <= i + 1; j++) {
        if (j < 0 || j + 1 >= points)
            continue;
        const double *c = constants + (size_t)j * RLTI_ROD_CONSTANTS,
                     *before = j > 0 ? c - RLTI_ROD_CONSTANTS : c;
        double length = 0.5 * (c[RLTI_ROD_LENGTH] + before[RLTI_ROD_LENGTH]);
        sum += (c[RLTI_ROD_BEND_0] + c[RLTI_ROD_BEND_1]) / (length * length);
    }
    return sum;
}

#endif
