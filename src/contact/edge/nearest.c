#include "contact/edge/nearest.h"

static double square_at(const rlti_vec3 a[2], const rlti_vec3 b[2], double s, double t) {
    rlti_vec3 d = rlti_sub(rlti_between(a[0], a[1], s), rlti_between(b[0], b[1], t));
    return rlti_dot(d, d);
}

/* The best of the four pairs of an end and a segment: the answer where no inner pair is nearer. */
static double nearest_ends(const rlti_vec3 a[2], const rlti_vec3 b[2], double share[2]) {
    double best = HUGE_VAL;
    for (int k = 0; k < 4; k++) {
        int end = k & 1;
        double s = k < 2 ? (double)end : rlti_nearest_share(b[end], a[0], a[1]);
        double t = k < 2 ? rlti_nearest_share(a[end], b[0], b[1]) : (double)end;
        double square = square_at(a, b, s, t);
        if (square < best) {
            best = square;
            share[0] = s;
            share[1] = t;
        }
    }
    return sqrt(best);
}

/* Two linear equations say where the lines are nearest. Where that is within both segments it is the answer;
 * else an end of one of them is nearest, and where the lines are parallel to rounding an end is as near. */
double rlti_nearest_edges(const rlti_vec3 a[2], const rlti_vec3 b[2], double share[2]) {
    rlti_vec3 u = rlti_sub(a[1], a[0]), v = rlti_sub(b[1], b[0]), w = rlti_sub(a[0], b[0]);
    double uu = rlti_dot(u, u), vv = rlti_dot(v, v), uv = rlti_dot(u, v), uw = rlti_dot(u, w),
           vw = rlti_dot(v, w);
    double denominator = uu * vv - uv * uv;
    if (denominator > RLTI_EDGE_SINGULAR * uu * vv) {
        double s = (uv * vw - uw * vv) / denominator, t = (uu * vw - uv * uw) / denominator;
        if (s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0) {
            share[0] = s;
            share[1] = t;
            return sqrt(square_at(a, b, s, t));
        }
    }
    share[0] = share[1] = 0.0; /* of what is not a number */
    return nearest_ends(a, b, share);
}

double rlti_nearest_face(rlti_vec3 point, const rlti_vec3 corners[3], double weights[3]) {
    const double flat = 1e-24; /* square of a sine: a triangle without area is its sides */
    rlti_vec3 u = rlti_sub(corners[1], corners[0]), v = rlti_sub(corners[2], corners[0]),
              w = rlti_sub(point, corners[0]), n = rlti_cross(u, v);
    double square = rlti_dot(n, n);
    if (square > flat * rlti_dot(u, u) * rlti_dot(v, v)) {
        double second = rlti_dot(rlti_cross(w, v), n) / square,
               third = rlti_dot(rlti_cross(u, w), n) / square;
        if (second > 0.0 && third > 0.0 && second + third < 1.0) {
            weights[0] = 1.0 - second - third;
            weights[1] = second;
            weights[2] = third;
            return fabs(rlti_dot(w, n)) / sqrt(square);
        }
    }
    double best = HUGE_VAL;
    weights[0] = weights[1] = weights[2] = 0.0;
    for (int k = 0; k < 3; k++) {
        rlti_vec3 from = corners[k], to = corners[(k + 1) % 3];
        double share = rlti_nearest_share(point, from, to);
        double distance = rlti_length(rlti_sub(point, rlti_between(from, to, share)));
        if (distance < best) {
            best = distance;
            weights[k] = 1.0 - share;
            weights[(k + 1) % 3] = share;
            weights[(k + 2) % 3] = 0.0;
        }
    }
    return best;
}
