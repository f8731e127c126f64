/* perversion: a rod with natural curvature k, pulled straight by T, its ends clamped without rotation.
 * Straight is unstable below T = (E I k)^2 / (G J) - 4 pi^2 E I / L^2; then it curls into two helices of
 * opposite hands, since its ends cannot turn. Both ends are edges that are held, their middles a length
 * apart. */
#include <math.h>
#include <stdio.h>

#include "validate/validate_rod.h"

static const double soft = 2.0 / 3.0; /* G J / (E I) */

/* The rod straight under the pull T; joints want to turn by curvature times their length. */
static rlt_status make(rod_lab *lab, int points, double curvature) {
    static const double along[3] = {0, 0, 1}, side[3] = {1, 0, 0};
    if (!lab_create(lab, points))
        return RLT_FAILED;
    double h = 1.0 / (points - 2);
    lab->def.free_root = 1;
    lab->def.twist = soft;
    lab->def.director = side;
    lab_line(lab, h * (points - 1), along);
    for (int i = 1; i + 1 < points; i++)
        lab->rest[3 * i] = curvature * h;
    return lab_build(lab, 1);
}

static int unstable(rod_lab *lab, double pull) {
    double h = (1.0 + pull / ROD_STRETCH) / (lab->points - 2);
    for (int i = 0; i < lab->points; i++) {
        lab->x[3 * i] = lab->x[3 * i + 1] = 0.0;
        lab->x[3 * i + 2] = i * h;
    }
    lab_put(lab);
    lab_pin_edge(lab, 0);
    lab_pin_edge(lab, lab->points - 2);
    return lab_unstable(lab);
}

static rlt_status threshold(int points, double curvature, double expected, double *found) {
    rod_lab lab = {0};
    rlt_status status = make(&lab, points, curvature);
    double low = 0.5 * expected, high = 1.5 * expected;
    if (status == RLT_OK && (!unstable(&lab, low) || unstable(&lab, high)))
        low = high = 0.0;
    for (int k = 0; k < 30 && status == RLT_OK; k++) {
        double middle = 0.5 * (low + high);
        *(unstable(&lab, middle) ? &low : &high) = middle;
    }
    *found = low;
    lab_destroy(&lab);
    return status;
}

/* Handedness of a stretch of points, -1 to 1: triple products of the edges, their sum over that of their
 * sizes. */
static double hand(const double *x, int first, int last) {
    double sum = 0.0, size = 0.0;
    for (int i = first; i + 3 <= last; i++) {
        double e[3][3];
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                e[j][k] = x[3 * (i + j + 1) + k] - x[3 * (i + j) + k];
        double product = e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
                         e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
                         e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
        sum += product;
        size += fabs(product);
    }
    return size > 0.0 ? sum / size : 0.0;
}

/* Ends brought together to 0.7 of the length. */
static rlt_status curl(validate_run *run) {
    enum { POINTS = 122, STEPS = 60 };
    const double curvature = 20.0, shortening = 0.3;
    static const double none[3] = {0};
    rod_lab lab = {0};
    rlt_status status = make(&lab, POINTS, curvature);
    for (int n = 1; n <= STEPS && status == RLT_OK; n++) {
        double scale = n == 1 ? 1.0 : 1.0 - shortening * n / STEPS;
        if (n == 1)
            for (int i = 2; i + 2 < POINTS; i++) { /* out of every plane */
                lab.x[3 * i] += 1e-3 * sin(2.0 * ROD_PI * i / (POINTS - 1));
                lab.x[3 * i + 1] += 1e-3 * sin(ROD_PI * i / (POINTS - 1));
            }
        double h = 1.0 / (POINTS - 2);
        for (int k = 0; k < 2; k++)
            lab.x[3 * (POINTS - 2 + k) + 2] = (scale * (POINTS - 2) + k) * h;
        if (n == 1)
            lab_pin_edge(&lab, 0);
        lab_pin_edge(&lab, POINTS - 2);
        if (n == 1)
            lab_put(&lab);
        lab_relax(&lab, none, 0.05, 6);
    }
    if (status == RLT_OK)
        lab_relax(&lab, none, 0.2, 100);
    if (status == RLT_OK) {
        double first = hand(lab.x, 1, POINTS / 2), second = hand(lab.x, POINTS / 2, POINTS - 2);
        lab_put(&lab);
        int falls = lab_unstable(&lab);
        validate_result r = {.name = "hands of the halves, k L = 20, 30% slack",
                             .model = "rod",
                             .unit = "",
                             .measured = second / first,
                             .reference = -1.0,
                             .tolerance = 0.1,
                             .rule = "handedness of the second half / that of the first, within 10% of -1"};
        r.verdict =
            fabs(r.measured + 1.0) <= 0.1 && fabs(first) > 0.8 && falls == 0 ? VALIDATE_PASS : VALIDATE_FAIL;
        snprintf(r.reason, sizeof r.reason,
                 "Handedness, from -1 to 1: %.3f and %.3f; the ends do not turn, so the link stays 0. "
                 "Directions in "
                 "which the energy falls: %d.",
                 first, second, falls);
        status = validate_add(run, &r);
    }
    lab_destroy(&lab);
    return status;
}

rlt_status validate_perversion(validate_run *run) {
    static const double curvatures[] = {8, 14, 20};
    rlt_status status = RLT_OK;
    for (int k = 0; k < 3 && status == RLT_OK; k++) {
        double found[2] = {0}, c = curvatures[k], expected = c * c / soft - 4.0 * ROD_PI * ROD_PI;
        for (int n = 0; n < 2 && status == RLT_OK; n++)
            status = threshold(42 + 40 * n, c, expected, &found[n]);
        if (status != RLT_OK)
            return status;
        validate_result r = {0};
        snprintf(r.name, sizeof r.name, "straight from this pull on: k L = %g", c);
        snprintf(r.reason, sizeof r.reason, "82 vertices. 42 and 82: off by %.2f%%, %.2f%%.",
                 100 * (found[0] / expected - 1), 100 * (found[1] / expected - 1));
        status = rod_compare(run, &r, "EI/L^2", found[1], expected, 0.03, "pull within 3%");
    }
    return status == RLT_OK ? curl(run) : status;
}
