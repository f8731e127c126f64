/* The Coil: hair as points alone, after the talk "Lifted Curls". docs/design/coil.md derives the energy and
 * its eigenvalues; the lane code is in coil_angles.h (bend and torsion), coil_energy.h and coil_matrix.h.
 *
 * A strand of n points has the edges e_i = x_(i+1) - x_i, i = 0 .. n-2; an angle by which it turns at every
 * inner point i = 1 .. n-2; and about every edge i = 1 .. n-3 the torsion, the angle between the planes of
 * its edges before and after:
 *
 *   E = sum over edges   1/2 STRETCH (|e| - LENGTH)^2
 *     + sum over points  1/2 BEND (angle - ANGLE)^2
 *     + sum over edges   1/2 TORSION (f (tau - TAU))^2        tau - TAU in (-pi, pi]
 *
 * Stiffnesses include the lengths: STRETCH = E A / l, BEND = E I / lbar with lbar = (l_(i-1) + l_i) / 2,
 * TORSION = G J / l. f is 1 but where a neighbouring edge is in line with the edge within a degree: there are
 * no planes then, and the torsion fades away.
 *
 * The root is clamped by a kinematic frame as the Rod's: two points before it, x_0 + d and x_0 + d + t, where
 * t is the direction of the clamp and d its director. So the first edge has an angle to d (at point 0), a
 * torsion about d against t (SIDE), both with E I over half an edge, and about edge 0 a torsion against d.
 *
 * Constants and strains stand where the Rod's do, so that whatever handles them need not know which model it
 * is. */
#ifndef RLTI_MODEL_COIL_H
#define RLTI_MODEL_COIL_H

#include "model/rod.h"

/* Constants a point: those of an edge and of the torsion about it stand with its root-side point. */
enum {
    RLTI_COIL_LENGTH = RLTI_ROD_LENGTH,             /* edge [unit], positive */
    RLTI_COIL_STRETCH = RLTI_ROD_STRETCH,           /* edge [mass/s^2] */
    RLTI_COIL_BEND = RLTI_ROD_BEND_0,               /* point [mass unit^2/s^2], as the next two */
    RLTI_COIL_SIDE = RLTI_ROD_BEND_1,               /* root only */
    RLTI_COIL_TORSION = RLTI_ROD_TWIST,             /* edge */
    RLTI_COIL_ANGLE = RLTI_ROD_PHI_0,               /* point, at rest [rad], as the next two */
    RLTI_COIL_SIDE_ANGLE = RLTI_ROD_PHI_1,          /* root only */
    RLTI_COIL_TAU = RLTI_ROD_THETA,                 /* edge */
    RLTI_COIL_DAMP_STRETCH = RLTI_ROD_DAMP_STRETCH, /* [s], as the next two */
    RLTI_COIL_DAMP_BEND = RLTI_ROD_DAMP_BEND,
    RLTI_COIL_DAMP_TORSION = RLTI_ROD_DAMP_TWIST
};

/* Strains a point. */
enum {
    RLTI_COIL_STRAIN_LENGTH = RLTI_ROD_STRAIN_LENGTH, /* |e| [unit] */
    RLTI_COIL_STRAIN_ANGLE = RLTI_ROD_STRAIN_PHI_0,   /* [rad] 0: straight; of the clamp's, pi/2 */
    RLTI_COIL_STRAIN_SIDE = RLTI_ROD_STRAIN_PHI_1,    /* root only */
    RLTI_COIL_STRAIN_TAU = RLTI_ROD_STRAIN_THETA,     /* in (-pi, pi] */
    RLTI_COIL_STRAIN_TORSION = RLTI_ROD_STRAIN_TWIST  /* f (tau - TAU), what the energy has */
};

/* Turning angle at rest [rad] below which a curve's planes count for less, and torsion about it with them. */
#define RLTI_COIL_STRAIGHT 0.02

/* Share of the torsion's stiffness about an edge whose ends turn by these angles at rest: nearly 1 for curls,
 * 0 for straight hair, whose torsion has no meaning. */
static inline double rlti_coil_share(double sine_before, double sine_after) {
    double x = sine_before * sine_after / (RLTI_COIL_STRAIGHT * RLTI_COIL_STRAIGHT);
    return x * x / (1.0 + x * x);
}

#endif
