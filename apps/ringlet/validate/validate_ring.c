/* michell-ring: a closed ring of naturally straight rod, with a total twist Theta; flat until Theta = 2 pi
 * sqrt(3) E I / (G J).
 *
 * The ring is a rod whose last edge lies on its first and is held with it: any bent ring can be moved as
 * one piece until one of its edges is back, so this is the closed ring without its rigid motions. The flat
 * ring with even twist is an equilibrium; the second derivatives of the energy say whether it is a minimum.
 */
#include <math.h>
#include <stdio.h>

#include "validate/validate_rod.h"

static rlt_status make(rod_lab *lab, int edges, double twist) {
    static const double along[3] = {1, 0, 0}, up[3] = {0, 0, 1};
    if (!lab_create(lab, edges + 2))
        return RLT_FAILED;
    lab->def.free_root = 1;
    lab->def.twist = twist;
    lab->def.director = up;
    lab->def.stretch = ROD_STRETCH;
    lab_line(lab, (edges + 1.0) / edges, along);
    return lab_build(lab, 0);
}

/* The flat ring, twisted by `total`. */
static int unstable(rod_lab *lab, double total) {
    int edges = lab->points - 2;
    lab->x[0] = lab->x[1] = lab->x[2] = 0.0;
    for (int i = 0; i <= edges; i++) {
        double angle = 2.0 * ROD_PI * i / edges, c = cos(angle), s = sin(angle), turn = total * i / edges;
        lab->x[3 * i + 3] = lab->x[3 * i] + c / edges;
        lab->x[3 * i + 4] = lab->x[3 * i + 1] + s / edges;
        lab->x[3 * i + 5] = 0.0;
        lab->d[3 * i] = -sin(turn) * -s; /* up turned about the edge towards t x up */
        lab->d[3 * i + 1] = -sin(turn) * c;
        lab->d[3 * i + 2] = cos(turn);
    }
    lab_put(lab);
    lab_pin_edge(lab, 0);
    lab_pin_edge(lab, edges);
    lab->fixed[4 * (edges / 2) + 2] =
        1; /* turning about the held edge, sections turning back, costs nothing */
    return lab_unstable(lab);
}

static rlt_status threshold(int edges, double twist, double *found) {
    rod_lab lab = {0};
    rlt_status status = make(&lab, edges, twist);
    double expected = 2.0 * ROD_PI * sqrt(3.0) / twist, low = 0.5 * expected, high = 1.5 * expected;
    if (status == RLT_OK && (unstable(&lab, low) || !unstable(&lab, high)))
        low = high = 0.0; /* not where it should be */
    for (int k = 0; k < 30 && status == RLT_OK; k++) {
        double middle = 0.5 * (low + high);
        *(unstable(&lab, middle) ? &high : &low) = middle;
    }
    *found = low;
    lab_destroy(&lab);
    return status;
}

rlt_status validate_michell_ring(validate_run *run) {
    static const double twists[] = {2.0 / 3.0, 1.0};
    rlt_status status = RLT_OK;
    for (int k = 0; k < 2 && status == RLT_OK; k++) {
        double found[3] = {0}, expected = 2.0 * ROD_PI * sqrt(3.0) / twists[k];
        for (int n = 0; n < 3 && status == RLT_OK; n++)
            status = threshold(25 << n, twists[k], &found[n]);
        if (status != RLT_OK)
            return status;
        validate_result r = {0};
        snprintf(r.name, sizeof r.name, "G J / E I = %s, 100 edges", k == 0 ? "2/3" : "1");
        snprintf(r.reason, sizeof r.reason, "25, 50, 100 edges: off by %.2f%%, %.2f%%, %.2f%%.",
                 100 * (found[0] / expected - 1), 100 * (found[1] / expected - 1),
                 100 * (found[2] / expected - 1));
        status = rod_compare(run, &r, "rad", found[2], expected, 0.02,
                             "twist at which the flat ring becomes unstable, within 2%");
    }
    return status;
}
