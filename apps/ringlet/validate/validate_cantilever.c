/* cantilever: a straight rod, clamped horizontally, bends under its own weight. H / W of its tip against
 * Gamma, from theta'' = -Gamma (1 - s) cos(theta); three sets of lengths and materials must fall on one
 * curve. */
#include <math.h>
#include <stdio.h>

#include "validate/validate_rod.h"

enum { POINTS = 100, SETS = 3 };

static const struct reference {
    double gamma, ratio;
} curve[] = {{0.1, 0.01250}, {1, 0.12456},   {2, 0.24667},   {5, 0.58572},   {10, 1.06680},
             {20, 1.86393},  {50, 3.70556},  {100, 5.8881},  {200, 8.9068},  {500, 14.769},
             {1000, 21.335}, {2000, 30.608}, {5000, 48.994}, {10000, 69.709}};
enum { CURVE = sizeof curve / sizeof curve[0] };

/* Length, E I, mass of a unit of length, radius. */
static const double sets[SETS][4] = {
    {1.0, 1.0, 1.0, 6e-4}, {0.05, 3e-9, 2e-6, 4e-5}, {30.0, 0.02, 7.0, 0.04}};

static rlt_status hang(double gamma, int points, const double set[4], double *ratio, int *unconverged) {
    static const double along[3] = {1, 0, 0};
    rod_lab lab;
    if (!lab_create(&lab, points))
        return RLT_FAILED;
    double length = set[0], gravity[3] = {0, 0, -gamma * set[1] / (set[2] * length * length * length)};
    lab.def.bend[0] = lab.def.bend[1] = lab.def.twist = set[1];
    lab.def.stretch = 4.0 * set[1] / (set[3] * set[3]);
    lab.def.mass = set[2];
    lab.period = length * length * sqrt(set[2] / set[1]);
    lab_line(&lab, length, along);
    rlt_status status = lab_build(&lab, 0);
    if (status == RLT_OK) {
        lab_settle(&lab, gravity);
        const double *tip = lab.x + (ptrdiff_t)3 * (points - 1);
        *ratio = -tip[2] / tip[0];
        *unconverged += lab.unconverged;
    }
    lab_destroy(&lab);
    return status;
}

static rlt_status one(validate_run *run, const struct reference *at) {
    double ratios[SETS] = {0}, coarse[2] = {0}, spread = 0.0;
    int unconverged = 0;
    rlt_status status = RLT_OK;
    for (int s = 0; s < SETS && status == RLT_OK; s++) {
        status = hang(at->gamma, POINTS, sets[s], &ratios[s], &unconverged);
        spread = fmax(spread, fabs(ratios[s] / ratios[0] - 1.0));
    }
    for (int k = 0; k < 2 && status == RLT_OK; k++)
        status = hang(at->gamma, k == 0 ? 25 : 50, sets[0], &coarse[k], &unconverged);
    if (status != RLT_OK)
        return status;
    validate_result r = {0};
    double order = log2((coarse[0] / at->ratio - 1.0) / (coarse[1] / at->ratio - 1.0)) /
                   log2(49.0 / 24.0); /* edges: the root's joint bends over half of one */
    snprintf(r.name, sizeof r.name, "Gamma %g, %d vertices", at->gamma, POINTS);
    snprintf(
        r.reason, sizeof r.reason,
        "Off by %.3f%%; three sets of dimensions differ by %.0e; 25 vertices: off by %.2f%%, 50: %.2f%%.",
        100.0 * (ratios[0] / at->ratio - 1.0), spread, 100.0 * (coarse[0] / at->ratio - 1.0),
        100.0 * (coarse[1] / at->ratio - 1.0));
    validate_detail(&r, "spread", spread);
    validate_detail(&r, "order", order);
    validate_detail(&r, "unconverged", unconverged);
    r.verdict = spread < 1e-3 && unconverged == 0 ? VALIDATE_PASS : VALIDATE_FAIL;
    if (at->gamma > 1000.0) { /* the bend is in the first edges: L / sqrt(Gamma) long */
        r = (validate_result){.model = "rod",
                              .unit = "H/W",
                              .measured = ratios[0],
                              .reference = at->ratio,
                              .tolerance = 0.01,
                              .rule = "H / W within 1%, the three sets within 0.1% of each other",
                              .verdict = VALIDATE_NOT_EXPECTED};
        snprintf(r.name, sizeof r.name, "Gamma %g, %d vertices", at->gamma, POINTS);
        snprintf(r.reason, sizeof r.reason,
                 "Off by %.2f%%: 1%% needs edges below 0.4 L / sqrt(Gamma), %d vertices.",
                 100.0 * (ratios[0] / at->ratio - 1.0), 1 + (int)ceil(2.5 * sqrt(at->gamma)));
        return validate_add(run, &r);
    }
    return rod_compare(run, &r, "H/W", ratios[0], at->ratio, 0.01,
                       "H / W within 1%, the three sets within 0.1% of each other");
}

rlt_status validate_cantilever(validate_run *run) {
    rlt_status status = RLT_OK;
    for (int k = 0; k < CURVE && status == RLT_OK; k++)
        status = one(run, &curve[k]);
    return status;
}
