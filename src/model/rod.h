/* The Rod's constants as the implicit engine takes them, and its strains. docs/design/rod.md derives the
 * energy; the lane code is in rod_frame.h, rod_stretch.h, rod_joint.h (bending and twist) and rod_energy.h.
 *
 * A strand of n points has the edges e_i = x_(i+1) - x_i, i = 0 .. n-2, each with a first director across it,
 * and a joint at every inner point i = 1 .. n-2, between the edges i-1 and i:
 *
 *   E = sum over edges   1/2 STRETCH (|e| - LENGTH)^2
 *     + sum over joints  1/2 BEND_0 (phi_0 - PHI_0)^2 + 1/2 BEND_1 (phi_1 - PHI_1)^2
 *                        + 1/2 TWIST (f(Phi) (theta - THETA))^2
 *
 * Stiffnesses include the lengths: with Young's modulus E, shear modulus G, area A, second moments I_0, I_1
 * and torsion constant J, edge length l and joint length lbar = (l_(i-1) + l_i) / 2,
 *   STRETCH = E A / l,  BEND_a = E I_a / lbar,  TWIST = G J / lbar.
 * The root is clamped by one more joint, i = 0, between a kinematic edge before it (direction and director of
 * set_root in solve/implicit.h) and edge 0. It bends over half an edge, lbar_0 = l_0 / 2, so that the hair
 * bends and twists over its whole length, to second order in the edges. Its strains at rest are 0 where the
 * kinematic edge has the direction and the director of edge 0 in the rest shape.
 *
 * phi_a is the turning angle's part about director a: phi_0 bends towards director 1 and belongs to the
 * moment of area about director 0, so an ellipse with half-axes a_0, a_1 along the directors has
 *   I_0 = pi/4 a_0 a_1^3,  I_1 = pi/4 a_1 a_0^3.
 *
 * Damping: a viscous part DAMP_... (time [s]) times the stiffness, on the same strains.
 * INERTIA [mass unit^2] is the edge's about itself, m r^2 / 2: the mass of its spin. It may be 0 where the
 * twist is bound by its stiffness. */
#ifndef RLTI_MODEL_ROD_H
#define RLTI_MODEL_ROD_H

/* Constants a point. Of an edge, they stand with its root-side point (those of the tip are not read); of a
 * joint, with its point (those of the tip are not read, nor those of a free root). All finite, none negative
 * but PHI_0, PHI_1, THETA. */
typedef enum rlti_rod_constant {
    RLTI_ROD_LENGTH,  /* edge [unit], positive */
    RLTI_ROD_STRETCH, /* edge [mass/s^2] */
    RLTI_ROD_INERTIA, /* edge [mass unit^2] */
    RLTI_ROD_BEND_0,  /* joint [mass unit^2/s^2], as the next two */
    RLTI_ROD_BEND_1,
    RLTI_ROD_TWIST,
    RLTI_ROD_PHI_0, /* joint, at rest [rad] */
    RLTI_ROD_PHI_1,
    RLTI_ROD_THETA,
    RLTI_ROD_DAMP_STRETCH, /* edge [s] */
    RLTI_ROD_DAMP_BEND,    /* joint [s] */
    RLTI_ROD_DAMP_TWIST,   /* joint [s] */
    RLTI_ROD_CONSTANTS
} rlti_rod_constant;

/* Strains a point: the edge's length after it, and those of its joint (0 at the tip). */
typedef enum rlti_rod_strain {
    RLTI_ROD_STRAIN_LENGTH, /* |e| [unit] */
    RLTI_ROD_STRAIN_PHI_0,  /* [rad] */
    RLTI_ROD_STRAIN_PHI_1,
    RLTI_ROD_STRAIN_THETA, /* in (-pi, pi] */
    RLTI_ROD_STRAIN_TWIST, /* f(Phi) (theta - THETA), what the energy has */
    RLTI_ROD_STRAINS
} rlti_rod_strain;

/* Indices of the energies of rlti_measure. */
typedef enum rlti_rod_energy {
    RLTI_ROD_ENERGY_STRETCH,
    RLTI_ROD_ENERGY_BEND,
    RLTI_ROD_ENERGY_TWIST
} rlti_rod_energy;

#endif
