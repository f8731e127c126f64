/* elastica (Figure 5 of the seed): a rod held at both ends is the inflectional elastica with m = 7/10,
 *   theta = 2 asin(sqrt(m) sn(s|m)),  x = 2 E(am s|m) - s,  y = -2 sqrt(m) cn(s|m).
 * Over s in [-K, K] the ends have the greatest angle and no moment; over [-2K, 2K], which is the buckled
 * rod, they are parallel. The root is clamped as hair's is; the tip by its last edge, whose middle is the
 * curve's end. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "validate/validate_rod.h"

static const double m = 0.7, quarter = 2.0753631352924691; /* K(0.7) */
static const int counts[] = {8, 16, 32, 64, 128};
enum { COUNTS = sizeof counts / sizeof counts[0], SHARE = 2000 };

/* x, y and the angle at s: Runge and Kutta over theta'' = -sin(theta), from the middle, where theta = 0. */
static void follow(double s, double out[3]) {
    double state[4] = {0.0, -2.0 * sqrt(m), 0.0, 2.0 * sqrt(m)}; /* x, y, theta, theta' */
    int steps = 1 + (int)(fabs(s) * SHARE);
    double h = s / steps;
    for (int n = 0; n < steps; n++) {
        double slope[4][4], at[4];
        for (int stage = 0; stage < 4; stage++) {
            double part = stage == 0 ? 0.0 : (stage == 3 ? h : 0.5 * h);
            for (int k = 0; k < 4; k++)
                at[k] = state[k] + (stage > 0 ? part * slope[stage - 1][k] : 0.0);
            slope[stage][0] = cos(at[2]);
            slope[stage][1] = sin(at[2]);
            slope[stage][2] = at[3];
            slope[stage][3] = -sin(at[2]);
        }
        for (int k = 0; k < 4; k++)
            state[k] += h / 6.0 * (slope[0][k] + 2.0 * slope[1][k] + 2.0 * slope[2][k] + slope[3][k]);
    }
    for (int k = 0; k < 3; k++)
        out[k] = state[k];
}

/* Points on the curve, moved off it and settled again; the root mean square of their distances, in lengths.
 */
static rlt_status hold(int points, int quarters, double *rms, rod_lab *lab) {
    static const double none[3] = {0};
    double length = 2.0 * quarters * quarter, h = length / (points - 1.5), end[3], root[3];
    double *exact = calloc((size_t)points * 3, sizeof(double));
    if (exact == NULL || !lab_create(lab, points)) {
        free(exact);
        return RLT_FAILED;
    }
    lab->def.stretch = ROD_STRETCH;
    follow(-0.5 * length, root);
    follow(0.5 * length, end);
    for (int i = 0; i < points; i++) {
        lab->x[3 * i] = i * h; /* unstrained */
        double at[3];
        follow(-0.5 * length + i * h, at);
        for (int k = 0; k < 2; k++)
            exact[3 * i + k] = at[k];
    }
    double direction[3] = {cos(root[2]), sin(root[2]), 0}, up[3] = {0, 0, 1};
    lab->def.director = up;
    rlt_status status = lab_build(lab, 0);
    if (status == RLT_OK) {
        for (int i = 0; i < 3 * points; i++)
            lab->x[i] = exact[i];
        for (int k = 0; k < 2; k++) { /* the last edge: a chord of the clamp's direction */
            double t = k == 0 ? cos(end[2]) : sin(end[2]);
            lab->x[3 * (points - 2) + k] = end[k] - 0.5 * h * t;
            lab->x[3 * (points - 1) + k] = end[k] + 0.5 * h * t;
        }
        for (int i = 1; i + 2 < points; i++) /* as far off as the ends allow */
            lab->x[3 * i + 1] += 0.05 * length * sin(ROD_PI * i / (points - 2)) *
                                 sin(ROD_PI * i / (points - 2)) * sin(2 * ROD_PI * i / (points - 2));
        rlt_rod_clamp(lab->rod, exact, direction, up);
        for (int i = 0; i + 1 < points; i++) {
            lab->d[3 * i] = lab->d[3 * i + 1] = 0.0;
            lab->d[3 * i + 2] = 1.0;
        }
        lab_put(lab);
        lab_pin_edge(lab, points - 2);
        lab_settle(lab, none);
        double sum = 0.0;
        for (int i = 0; i < points; i++)
            for (int k = 0; k < 3; k++)
                sum += (lab->x[3 * i + k] - exact[3 * i + k]) * (lab->x[3 * i + k] - exact[3 * i + k]);
        *rms = sqrt(sum / points) / length;
    }
    free(exact);
    return status;
}

static rlt_status draw(validate_run *run, const double rms[2][COUNTS]) {
    static const char *const names[2] = {"from -K to K", "from -2K to 2K"};
    double x[COUNTS], second[COUNTS];
    plot *chart = plot_create("Elastica, m = 0.7: distance from the curve (Figure 5)", "vertices",
                              "root mean square / length");
    plot_scales(chart, PLOT_LOG, PLOT_LOG);
    for (int k = 0; k < COUNTS; k++) {
        x[k] = counts[k];
        second[k] = rms[1][COUNTS - 1] * pow((double)counts[COUNTS - 1] / counts[k], 2.0);
    }
    for (int c = 0; c < 2; c++)
        plot_series(chart, names[c], x, rms[c], COUNTS);
    plot_series(chart, "second order", x, second, COUNTS);
    return validate_plot(run, chart, "rod-figure-5");
}

static rlt_status draw_curve(validate_run *run, const rod_lab *lab) {
    enum { SHOWN = 400 };
    double x[SHOWN], y[SHOWN], px[256], py[256];
    plot *chart = plot_create("Elastica, m = 0.7: curve and rod of 32 vertices (Figure 5)", "x", "y");
    for (int i = 0; i < SHOWN; i++) {
        double at[3];
        follow(quarter * (4.0 * i / (SHOWN - 1) - 2.0), at);
        x[i] = at[0];
        y[i] = at[1];
    }
    for (int i = 0; i < lab->points; i++) {
        px[i] = lab->x[3 * i];
        py[i] = lab->x[3 * i + 1];
    }
    plot_series(chart, "curve", x, y, SHOWN);
    plot_series(chart, "rod", px, py, lab->points);
    return validate_plot(run, chart, "rod-figure-5-curve");
}

rlt_status validate_elastica(validate_run *run) {
    double rms[2][COUNTS] = {{0}};
    rlt_status status = RLT_OK;
    for (int c = 0; c < 2; c++) {
        int unconverged = 0;
        for (int k = 0; k < COUNTS && status == RLT_OK; k++) {
            rod_lab lab = {0};
            status = hold(counts[k], c + 1, &rms[c][k], &lab);
            unconverged += lab.unconverged;
            if (status == RLT_OK && c == 1 && counts[k] == 32 && validate_plots(run))
                status = draw_curve(run, &lab);
            lab_destroy(&lab);
        }
        if (status != RLT_OK)
            return status;
        double order = log2(rms[c][2] / rms[c][4]) / log2((counts[4] - 1.5) / (counts[2] - 1.5));
        validate_result r = {
            .model = "rod", .unit = "length", .rule = "RMS at 64 vertices <= reference, order >= 1.8"};
        r.measured = rms[c][3];
        r.reference = 1e-3;
        r.verdict =
            r.measured <= r.reference && order >= 1.8 && unconverged == 0 ? VALIDATE_PASS : VALIDATE_FAIL;
        snprintf(r.name, sizeof r.name, "from -%s to %s", c == 0 ? "K" : "2K", c == 0 ? "K" : "2K");
        snprintf(r.reason, sizeof r.reason,
                 "8, 16, 32, 64, 128 vertices: %.1e, %.1e, %.1e, %.1e, %.1e; order %.2f.", rms[c][0],
                 rms[c][1], rms[c][2], rms[c][3], rms[c][4], order);
        validate_detail(&r, "order", order);
        validate_detail(&r, "rms_16", rms[c][1]);
        validate_detail(&r, "rms_32", rms[c][2]);
        validate_detail(&r, "rms_128", rms[c][4]);
        validate_detail(&r, "unconverged", unconverged);
        status = validate_add(run, &r);
        if (status != RLT_OK)
            return status;
    }
    return validate_plots(run) ? draw(run, rms) : RLT_OK;
}
