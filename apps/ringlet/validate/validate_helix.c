/* helix-sag: a helix of radius R and pitch angle a hangs under its own weight W. Its stiffness along the
 * axis is
 *   1 / k = l R^2 (cos^2 a / (G J) + sin^2 a / (E I)),
 * l the length of the wire, and its own weight makes it longer by W / (2 k). The weight is such that this
 * is 0.5% of its height. The ends of a helix are not on its axis, so there are many turns. */
#include <math.h>
#include <stdio.h>

#include "validate/validate_rod.h"

enum { TURNS = 16 };

static rlt_status hang(double pitch_angle, double twist, int per_turn, double *ratio, double *height,
                       int *unconverged) {
    rod_lab lab = {0};
    int points = TURNS * per_turn + 1;
    if (!lab_create(&lab, points))
        return RLT_FAILED;
    double sine = sin(pitch_angle), cosine = cos(pitch_angle), turn = 2.0 * ROD_PI / per_turn;
    double radius = 1.0, rise = radius * tan(pitch_angle); /* a radian */
    for (int i = 0; i < points; i++) {
        lab.x[3 * i] = radius * cos(turn * i);
        lab.x[3 * i + 1] = radius * sin(turn * i);
        lab.x[3 * i + 2] = -rise * turn * i;
    }
    double wire = radius * 2.0 * ROD_PI * TURNS / cosine;
    double give = wire * radius * radius * (cosine * cosine / twist + sine * sine);
    *height = rise * 2.0 * ROD_PI * TURNS;
    double weight = 2.0 * 0.005 * *height / give, gravity[3] = {0, 0, -weight / wire};
    lab.def.twist = twist;
    lab.def.stretch = 1e6;
    lab.period = wire * wire;
    rlt_status status = lab_build(&lab, 0);
    if (status == RLT_OK) {
        double before = lab.x[3 * (points - 1) + 2];
        lab_settle(&lab, gravity);
        *ratio = (before - lab.x[3 * (points - 1) + 2]) / (0.5 * weight * give);
        *unconverged += lab.unconverged;
    }
    lab_destroy(&lab);
    return status;
}

rlt_status validate_helix_sag(validate_run *run) {
    static const double angles[] = {10, 20, 35, 20}, twists[] = {2.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0, 1.0};
    rlt_status status = RLT_OK;
    for (int k = 0; k < 4 && status == RLT_OK; k++) {
        double ratio[2] = {0}, height = 0.0;
        int unconverged = 0;
        for (int n = 0; n < 2 && status == RLT_OK; n++)
            status = hang(angles[k] * ROD_PI / 180.0, twists[k], n == 0 ? 12 : 32, &ratio[n], &height,
                          &unconverged);
        if (status != RLT_OK)
            return status;
        validate_result r = {.verdict = unconverged > 0 ? VALIDATE_FAIL : VALIDATE_PASS};
        snprintf(r.name, sizeof r.name, "pitch %g degrees, G J / E I = %s", angles[k], k == 3 ? "1" : "2/3");
        snprintf(r.reason, sizeof r.reason,
                 "%d turns, %.1f radii high; with 12 and 32 vertices a turn off by %.2f%% and %.2f%%.", TURNS,
                 height, 100 * (ratio[0] - 1), 100 * (ratio[1] - 1));
        validate_detail(&r, "coarse", ratio[0]);
        validate_detail(&r, "unconverged", unconverged);
        status =
            rod_compare(run, &r, "of W/2k", ratio[1], 1.0, 0.03, "extension by its own weight within 3%");
    }
    return status;
}
