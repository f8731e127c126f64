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

/* Torsion about the edge after point i, and the factor of its stiffness: softer by the arcs of both ends. The
 * clamp's director is across the root. */
static double torsion_at(int count, const rlti_vec3 *points, rlti_vec3 director, int i, double *arcs) {
    *arcs = 0.0;
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
    *arcs = sqrt(curves[0].twist * curves[1].twist);
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

/* Compliance times E I that bending beside the plane adds to 1 / G J of a torsion: x is the angle by
 * which the hair turns from here to its tip. An arc's weight bends it so by 1 - cos x and twists it by
 * x - sin x, a load on its tip by sin x and 1 - cos x: the tip then sinks by its weight as the Rod's. */
static double beside(double x) {
    const double half = 3.14159265358979323846, least = 1e-4;
    double angle = x > least ? x : least, sine = lane_sin(angle < half ? angle : half);
    return angle < half ? sine / (angle - sine) : 0.0;
}

void rlti_coil_soften(int count, double (*constants)[RLTI_ROD_CONSTANTS]) {
    double beyond = count > 2 ? 0.5 * constants[count - 2][RLTI_COIL_ANGLE] : 0.0; /* the last edge's half */
    for (int i = count - 3; i >= 0; i--) {
        double *c = constants[i], *next = constants[i + 1];
        double near = i > 0 ? lane_sin(c[RLTI_COIL_ANGLE]) : 1.0; /* the clamp's director is across */
        double bend = next[RLTI_COIL_BEND], twist = c[RLTI_COIL_TORSION];
        beyond += next[RLTI_COIL_ANGLE];
        c[RLTI_COIL_TORSION] *= rlti_coil_share(near, lane_sin(next[RLTI_COIL_ANGLE]));
        if (bend > 0.0)
            c[RLTI_COIL_TORSION] /= 1.0 + twist / bend * beside(beyond);
    }
}
