/* A chain of the Rod between two kinematic points, lane by lane in doubles.
 *
 * Edges that were turned by a Newton step, each with its length, do not end at the next kinematic point but
 * miss it by m, of second order in the turns. Stretching them to meet it would cost more energy than the
 * step can gain, so it is turned into them: of all corrections with the sum m, take the one with the least
 * change of length,
 *   c_i = (I - a t_i t_i^T) mu,  (sum of I - a t_i t_i^T) mu = m,
 * with a little less than 1 for a, so that straight chains have an answer too. What is left after some
 * rounds (a place out of reach) is spread evenly. */
#ifndef RLTI_MODEL_ROD_PINS_H
#define RLTI_MODEL_ROD_PINS_H

#include "base/math.h"
#include "model/energy.h"

#define ROD_FIT_ALONG 0.999
enum { ROD_FIT_ROUNDS = 4 };

/* Where an energy has what is needed here: rows a point of its own, and the first of the wanted edge among
 * them; its unknowns; rows of constants, and the one that is the edge's stiffness. */
typedef struct rod_pin_rows {
    int own, edge, unknowns, constants, stretch;
} rod_pin_rows;

static rlti_vec3 rod_lane3(const real *rows, int k) {
    return rlti_v3((double)rows[k], (double)rows[LANES + k], (double)rows[2 * LANES + k]);
}
static void rod_put_lane3(real *rows, int k, rlti_vec3 a) {
    rows[k] = (real)a.x;
    rows[LANES + k] = (real)a.y;
    rows[2 * LANES + k] = (real)a.z;
}

/* x of N x = m, for a symmetric N (xx, yx, yy, zx, zy, zz): Cramer's rule. */
static rlti_vec3 rod_solve3(const double n[6], rlti_vec3 m) {
    rlti_vec3 a = rlti_v3(n[0], n[1], n[3]), b = rlti_v3(n[1], n[2], n[4]), c = rlti_v3(n[3], n[4], n[5]);
    rlti_vec3 bc = rlti_cross(b, c), ca = rlti_cross(c, a), ab = rlti_cross(a, b);
    double determinant = rlti_dot(a, bc);
    rlti_vec3 x = rlti_v3(rlti_dot(m, bc), rlti_dot(m, ca), rlti_dot(m, ab));
    return rlti_scale(determinant > 0.0 ? 1.0 / determinant : 0.0, x);
}

/* Turns the edges first .. last - 1 so that they miss less of `missed`. */
static void rod_turn_chain(const rod_pin_rows *at, int k, int first, int last, rlti_vec3 missed, real *own) {
    double n[6] = {0, 0, 0, 0, 0, 0};
    for (int i = first; i < last; i++) {
        rlti_vec3 t = rlti_normalize(rod_lane3(energy_at(own, at->own, i, at->edge), k));
        const double v[3] = {t.x, t.y, t.z};
        for (int a = 0, entry = 0; a < 3; a++)
            for (int b = 0; b <= a; b++, entry++)
                n[entry] += (a == b) - ROD_FIT_ALONG * v[a] * v[b];
    }
    rlti_vec3 mu = rod_solve3(n, missed);
    for (int i = first; i < last; i++) {
        real *row = energy_row(own, at->own, i, at->edge);
        rlti_vec3 e = rod_lane3(row, k);
        double length = rlti_length(e);
        if (!(length > 0.0))
            continue;
        rlti_vec3 t = rlti_scale(1.0 / length, e), by = rlti_madd(mu, -ROD_FIT_ALONG * rlti_dot(mu, t), t);
        double size = rlti_length(by), limit = 0.5 * length;
        e = rlti_madd(e, size > limit ? limit / size : 1.0, by);
        rod_put_lane3(row, k, rlti_scale(length, rlti_normalize(e)));
    }
}

/* Returns what the edges first .. last - 1 miss. */
static rlti_vec3 rod_missed(const rod_pin_rows *at, int k, int first, int last, const real *own,
                            const real *q) {
    rlti_vec3 missed = rlti_sub(rod_lane3(energy_at(q, at->unknowns, last, 0), k),
                                rod_lane3(energy_at(q, at->unknowns, first, 0), k));
    for (int i = first; i < last; i++)
        missed = rlti_sub(missed, rod_lane3(energy_at(own, at->own, i, at->edge), k));
    return missed;
}

/* Puts the points between kinematic ones of lane k right. `own` has the wanted edges where tangents will
 * be. */
static void rod_fit_pins(const energy_rows *r, const rod_pin_rows *at, int k, real *own, real *q) {
    for (int last = 1, first = 0; last < r->points; last++) {
        if (!((double)energy_at(r->constants, at->constants, last - 1, at->stretch)[k] > 0.0))
            break; /* the strand has ended */
        if ((double)energy_at(r->free, FREE_ROWS, last, FREE_POINT)[k] > 0.0)
            continue;
        for (int round = 0; round < ROD_FIT_ROUNDS && last - first > 1; round++)
            rod_turn_chain(at, k, first, last, rod_missed(at, k, first, last, own, q), own);
        rlti_vec3 left = rlti_scale(1.0 / (last - first), rod_missed(at, k, first, last, own, q));
        rlti_vec3 place = rod_lane3(energy_at(q, at->unknowns, first, 0), k);
        for (int i = first; i + 1 < last; i++) {
            place = rlti_add(place, rlti_add(left, rod_lane3(energy_at(own, at->own, i, at->edge), k)));
            rod_put_lane3(energy_row(q, at->unknowns, i + 1, 0), k, place);
        }
        first = last;
    }
}

#endif
