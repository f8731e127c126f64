#include "model/coil_shape.h"

/* Angles have the same bits on every machine. */
#define RLTI_LANES_REFERENCE
#include "model/coil_angles.h"

static lane3 unit_of(rlti_vec3 a) {
    rlti_vec3 u = rlti_normalize(a);
    lane3 t = {u.x, u.y, u.z};
    return t;
}

/* The turning angle at point i, i > 0: that of the curve which its points lie on. */
static coil_bend turning_at(int count, const rlti_vec3 *points, int i) {
    if (i + 1 >= count)
        return (coil_bend){.cosine = 1.0};
    return coil_bend_of(unit_of(rlti_sub(points[i], points[i - 1])),
                        unit_of(rlti_sub(points[i + 1], points[i])));
}

/* Torsion about the edge after point i, and its share of the stiffness: softer by the arcs of both ends. The
 * clamp's director is across the root. */
static double torsion_at(int count, const rlti_vec3 *points, rlti_vec3 director, int i, double *share) {
    *share = 0.0;
    if (i + 2 >= count)
        return 0.0;
    lane3 before = unit_of(i > 0 ? rlti_sub(points[i - 1], points[i]) : director);
    lane3 axis = unit_of(rlti_sub(points[i + 1], points[i])),
          after = unit_of(rlti_sub(points[i + 2], points[i + 1]));
    coil_torsion s = coil_torsion_of(before, 1.0, axis, 1.0, after, 1.0);
    coil_bend near = i > 0 ? turning_at(count, points, i) : turning_at(count, points, i + 1),
              far = turning_at(count, points, i + 1);
    rlti_rod_curve curves[2] = {rlti_rod_curve_of(near.angle, near.sine, near.cosine),
                                rlti_rod_curve_of(far.angle, far.sine, far.cosine)};
    *share = sqrt(curves[0].twist * curves[1].twist) * rlti_coil_share(i > 0 ? near.sine : 1.0, far.sine);
    return s.tau;
}

void rlti_coil_shape(int count, const rlti_vec3 *points, rlti_vec3 direction, rlti_vec3 director,
                     double (*constants)[RLTI_ROD_CONSTANTS], rlti_rod_curve *curve) {
    lane3 axis = unit_of(rlti_scale(-1.0, director)), first = unit_of(rlti_sub(points[1], points[0]));
    for (int i = 0; i + 1 < count; i++) {
        double *c = constants[i];
        coil_bend bend = i > 0 ? turning_at(count, points, i) : coil_bend_of(axis, first);
        curve[i].bend = i > 0 ? rlti_rod_curve_of(bend.angle, bend.sine, bend.cosine).bend : 1.0;
        c[RLTI_COIL_ANGLE] = bend.angle;
        c[RLTI_COIL_SIDE_ANGLE] = 0.0;
        c[RLTI_COIL_TAU] = torsion_at(count, points, director, i, &curve[i].twist);
    }
    coil_torsion side = coil_torsion_of(unit_of(direction), 1.0, axis, 1.0, first, 1.0);
    constants[0][RLTI_COIL_SIDE_ANGLE] = side.tau;
}
