/* Factors of a joint's stiffness where its points lie on a curve, and edges are chords of it.
 *
 * Of a turning angle a at rest, a joint stands for an arc a / (2 sin(a / 2)) times as long as the chord: it
 * gives way by so much more, and bears so much more mass, which the stiffness has, too, since mass is of the
 * chords. A load on a curl twists it by the lever from its axis; the chord's is cos(a / 2) of the arc's, and
 * its effect, a twist times the lever again, the square of it. So with as many points as one likes,
 *   bending  (sin(a / 2) / (a / 2))^2       1 - a^2 / 12
 *   twist    the same times cos(a / 2)^2    1 - a^2 / 3
 * of E I and G J. docs/design/rod.md has what this changes. A right angle is the most that counts: beyond it
 * hair is folded, not curved. */
#ifndef RLTI_MODEL_ROD_CURVE_H
#define RLTI_MODEL_ROD_CURVE_H

#include <math.h>

typedef struct rlti_rod_curve {
    double bend, twist;
} rlti_rod_curve;

/* By the turning angle, its sine and its cosine. */
static inline rlti_rod_curve rlti_rod_curve_of(double angle, double sine, double cosine) {
    const double right = 1.57079632679489662;
    if (cosine < 0.0) {
        angle = right;
        sine = 1.0;
        cosine = 0.0;
    }
    double half = 0.5 * (1.0 + cosine); /* cos(a / 2)^2 */
    double arc = angle > 0.0 ? sine / (sqrt(half) * angle) : 1.0;
    rlti_rod_curve curve = {arc * arc, arc * arc * half};
    return curve;
}

#endif
