/* bend-twist and lateral-buckling: hair that bends in a plane under its weight until that is no longer
 * stable.
 *
 *   bend-twist        natural curvature k in a plane, clamped at the top with the tangent down
 *   lateral-buckling  a straight strip clamped horizontally, its stiff side up
 *
 * The flat equilibrium is followed from no weight on; the second derivatives of the energy say whether it
 * is a minimum, which gives the threshold by halving. Then the rod is pushed a little out of its plane 10%
 * (3%) below and above the reference, and left alone: it must come back, and must not. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "validate/validate_rod.h"

typedef struct setup {
    double curvature; /* k L */
    double bend[2];   /* E I: about the director across the plane, and in it */
    double twist;     /* G J */
    double expected;  /* Gamma at which it becomes unstable; 0: never */
    double push;      /* out of the plane / length */
    double steps;     /* of loading */
    int points;
} setup;

/* Lies in the plane x, z; directors 0 stand across it. */
static rlt_status make(rod_lab *lab, const setup *s) {
    static const double across[3] = {0, 1, 0}, origin[3] = {0};
    if (!lab_create(lab, s->points))
        return RLT_FAILED;
    double h = 1.0 / (s->points - 1), turn = s->curvature * h;
    double down = s->curvature > 0.0 ? 0.5 * ROD_PI : 0.0; /* of the clamp, from x to -z */
    double direction[3] = {cos(down), 0, -sin(down)};
    for (int i = 0; i + 1 < s->points; i++) {
        double angle = down + turn * (i + 0.5); /* of the edge's middle */
        lab->x[3 * i + 3] = lab->x[3 * i] + h * cos(angle);
        lab->x[3 * i + 5] = lab->x[3 * i + 2] - h * sin(angle);
        lab->rest[3 * i] = i > 0 ? turn : 0.5 * turn;
    }
    lab->def.bend[0] = s->bend[0];
    lab->def.bend[1] = s->bend[1];
    lab->def.twist = s->twist;
    lab->def.director = across;
    rlt_status status = lab_build(lab, 1);
    if (status == RLT_OK)
        rlt_rod_clamp(lab->rod, origin, direction, across);
    return status;
}

/* The flat equilibrium under this gravity, step by step from the unstrained shape. */
static rlt_status load(rod_lab *lab, const setup *s, double gamma) {
    rlt_status status = make(lab, s);
    int steps = 1 + (int)(s->steps * gamma);
    for (int n = 1; n <= steps && status == RLT_OK; n++) {
        double gravity[3] = {0, 0, -gamma * n / steps};
        lab_settle(lab, gravity);
        for (int i = 0; i < lab->points; i++) { /* rounding must not decide */
            lab->x[3 * i + 1] = 0.0;
            lab->d[3 * i] = lab->d[3 * i + 2] = 0.0;
            lab->d[3 * i + 1] = 1.0;
        }
        lab_put(lab);
    }
    return status;
}

static rlt_status is_unstable(const setup *s, double gamma, int *unstable, int *unconverged) {
    rod_lab lab = {0};
    rlt_status status = load(&lab, s, gamma);
    if (status == RLT_OK)
        *unstable = lab_unstable(&lab) > 0;
    *unconverged += lab.unconverged;
    lab_destroy(&lab);
    return status;
}

/* Halves `low`, `high` until they are 0.2% apart. */
static rlt_status find_threshold(const setup *s, double low, double high, double *found, int *unconverged) {
    int at_low = 0, at_high = 0;
    rlt_status status = is_unstable(s, low, &at_low, unconverged);
    if (status == RLT_OK)
        status = is_unstable(s, high, &at_high, unconverged);
    if (status == RLT_OK && (at_low || !at_high)) { /* not in this range */
        *found = at_low ? 0.0 : INFINITY;
        return status;
    }
    while (status == RLT_OK && high - low > 0.002 * high) {
        double middle = 0.5 * (low + high);
        status = is_unstable(s, middle, &at_high, unconverged);
        *(at_high ? &high : &low) = middle;
    }
    *found = 0.5 * (low + high);
    return status;
}

/* Pushed out of the plane and left alone: how far out it ends. */
static rlt_status push(const setup *s, double gamma, double *out) {
    rod_lab lab = {0};
    rlt_status status = load(&lab, s, gamma);
    double gravity[3] = {0, 0, -gamma};
    *out = 0.0;
    if (status == RLT_OK) {
        for (int i = 1; i < lab.points; i++) {
            double along = (double)i / (lab.points - 1);
            lab.x[3 * i + 1] = s->push * along * along;
        }
        rlt_rod_set(lab.rod, lab.x, NULL, NULL, NULL);
        lab_relax(&lab, gravity, 1.0, 600);
        for (int i = 0; i < lab.points; i++)
            *out = fmax(*out, fabs(lab.x[3 * i + 1]));
    }
    lab_destroy(&lab);
    return status;
}

/* One threshold: by second derivatives, and by what a push does on either side. */
static rlt_status judge(validate_run *run, const setup *s, double side, double tolerance, const char *rule,
                        validate_result *r) {
    double found = 0.0, out[2] = {0};
    int unconverged = 0;
    rlt_status status = find_threshold(s, (1.0 - 2.0 * side) * s->expected, (1.0 + 2.0 * side) * s->expected,
                                       &found, &unconverged);
    for (int k = 0; k < 2 && status == RLT_OK; k++)
        status = push(s, s->expected * (k == 0 ? 1.0 - side : 1.0 + side), &out[k]);
    if (status != RLT_OK)
        return status;
    r->verdict = out[0] <= 1e-2 && out[1] > 1e-2 ? VALIDATE_PASS : VALIDATE_FAIL;
    snprintf(r->reason, sizeof r->reason,
             "Off by %.2f%% at %d vertices; pushed %g out of the plane, it ends %.1e out %.0f%% below the "
             "reference, "
             "%.2f above.",
             100.0 * (found / s->expected - 1.0), s->points, s->push, out[0], 100.0 * side, out[1]);
    validate_detail(r, "out_below", out[0]);
    validate_detail(r, "out_above", out[1]);
    validate_detail(r, "unconverged", unconverged);
    return rod_compare(run, r, "Gamma", found, s->expected, tolerance, rule);
}

/* A curl of this curvature, in the table's resolution: 20 edges a turn at least. */
static setup curl_of(double curvature, double twist, double expected) {
    setup s = {.curvature = curvature,
               .bend = {1, 1},
               .twist = twist,
               .expected = expected,
               .push = 1e-4,
               .steps = 0.25};
    int turn = (int)ceil(20.0 * curvature / (2.0 * ROD_PI));
    s.points = 1 + (turn > 80 ? turn : 80);
    return s;
}

/* Curls that stay flat whatever they weigh: up to Gamma 320 nothing has a direction to fall. */
static rlt_status stays_flat(validate_run *run, double curvature, double twist) {
    setup s = curl_of(curvature, twist, 0.0);
    int found = 0, unconverged = 0, loads = 0;
    rlt_status status = RLT_OK;
    for (double gamma = 5.0; gamma <= 321.0 && status == RLT_OK; gamma *= pow(2.0, 0.25)) {
        int unstable = 0;
        status = is_unstable(&s, gamma, &unstable, &unconverged);
        found += unstable;
        loads++;
    }
    if (status != RLT_OK)
        return status;
    validate_result r = {.model = "rod", .unit = "of loads", .measured = found, .rule = "never unstable"};
    r.verdict = found == 0 && unconverged == 0 ? VALIDATE_PASS : VALIDATE_FAIL;
    snprintf(r.name, sizeof r.name, "k L = %g, G J / E I = %s: flat", curvature, twist < 1.0 ? "2/3" : "1");
    snprintf(r.reason, sizeof r.reason, "%d loads, Gamma 5 to 320: %d unstable.", loads, found);
    validate_detail(&r, "unconverged", unconverged);
    return validate_add(run, &r);
}

/* Where the flat shape becomes stable again: halves Gamma between the two, of which the first is unstable. */
static rlt_status flat_again(validate_run *run, double curvature, double expected) {
    setup s = curl_of(curvature, 2.0 / 3.0, expected);
    double low = 0.8 * expected, high = 1.2 * expected;
    int at[2] = {0}, unconverged = 0;
    rlt_status status = is_unstable(&s, low, &at[0], &unconverged);
    if (status == RLT_OK)
        status = is_unstable(&s, high, &at[1], &unconverged);
    int bracketed = at[0] && !at[1];
    while (status == RLT_OK && bracketed && high - low > 0.002 * high) {
        double middle = 0.5 * (low + high);
        int unstable = 0;
        status = is_unstable(&s, middle, &unstable, &unconverged);
        *(unstable ? &low : &high) = middle;
    }
    if (status != RLT_OK)
        return status;
    double found = bracketed ? 0.5 * (low + high) : 0.0;
    validate_result r = {.verdict = bracketed && unconverged == 0 ? VALIDATE_PASS : VALIDATE_FAIL};
    snprintf(r.name, sizeof r.name, "k L = %g, G J / E I = 2/3: flat again", curvature);
    snprintf(r.reason, sizeof r.reason, "Off by %.2f%%: heavier curls of few turns hang flat.",
             100.0 * (found / expected - 1.0));
    validate_detail(&r, "unconverged", unconverged);
    return rod_compare(run, &r, "Gamma", found, expected, 0.1, "flat 10% above the reference, not 10% below");
}

/* The least curvature that is unstable under this weight. */
static rlt_status lower_edge(validate_run *run, double gamma, double expected) {
    double low = 0.95 * expected, high = 1.05 * expected;
    int at[2] = {0}, unconverged = 0;
    setup s = curl_of(low, 2.0 / 3.0, 0.0), t = curl_of(high, 2.0 / 3.0, 0.0);
    rlt_status status = is_unstable(&s, gamma, &at[0], &unconverged);
    if (status == RLT_OK)
        status = is_unstable(&t, gamma, &at[1], &unconverged);
    int bracketed = !at[0] && at[1];
    while (status == RLT_OK && bracketed && high - low > 0.0005 * high) {
        double middle = 0.5 * (low + high);
        int unstable = 0;
        s = curl_of(middle, 2.0 / 3.0, 0.0);
        status = is_unstable(&s, gamma, &unstable, &unconverged);
        *(unstable ? &high : &low) = middle;
    }
    if (status != RLT_OK)
        return status;
    double found = bracketed ? 0.5 * (low + high) : 0.0;
    validate_result r = {.verdict = bracketed && unconverged == 0 ? VALIDATE_PASS : VALIDATE_FAIL};
    snprintf(r.name, sizeof r.name, "Gamma %g, G J / E I = 2/3: least k L", gamma);
    snprintf(r.reason, sizeof r.reason, "Off by %.2f%%.", 100.0 * (found / expected - 1.0));
    validate_detail(&r, "unconverged", unconverged);
    return rod_compare(run, &r, "k L", found, expected, 0.02, "flat below, not above: k L within 2%");
}

/* The table's other statements: the wedge's edges, and curls that stay flat. */
static rlt_status wedge(validate_run *run) {
    static const double edges[][2] = {{20, 5.58}, {30, 5.79}, {50, 6.33}, {100, 7.57}};
    rlt_status status = flat_again(run, 6.0, 37.8);
    for (int k = 0; k < 4 && status == RLT_OK; k++)
        status = lower_edge(run, edges[k][0], edges[k][1]);
    if (status == RLT_OK)
        status = stays_flat(run, 5.5, 2.0 / 3.0);
    return status == RLT_OK ? stays_flat(run, 6.0, 1.0) : status;
}

rlt_status validate_bend_twist(validate_run *run) {
    static const double curvatures[] = {6, 7, 8, 9, 10, 12, 15, 20, 30};
    static const double expected[2][9] = {{11.87, 14.54, 19.25, 24.30, 28.77, 33.68, 49.32, 65.92, 105.3},
                                          {0, 20.77, 28.48, 36.25, 43.08, 50.47, 75.26, 101.4, 166.0}};
    rlt_status status = RLT_OK;
    for (int t = 0; t < 2; t++)
        for (int k = 0; k < 9 && status == RLT_OK; k++) {
            setup s = curl_of(curvatures[k], t == 0 ? 2.0 / 3.0 : 1.0, expected[t][k]);
            if (!(s.expected > 0.0))
                continue;
            validate_note(run, "k L = %g, G J / E I = %.2f", s.curvature, s.twist);
            validate_result r = {0};
            snprintf(r.name, sizeof r.name, "k L = %g, G J / E I = %s", s.curvature, t == 0 ? "2/3" : "1");
            status =
                judge(run, &s, 0.1, 0.1, "flat below and not above, 10% either side of the reference", &r);
        }
    return status == RLT_OK ? wedge(run) : status;
}

/* Torsion of a rectangle: G J = G factor w h^3. */
static double torsion_factor(double ratio) {
    double sum = 0.0;
    for (int n = 1; n < 200; n += 2)
        sum += tanh(0.5 * n * ROD_PI * ratio) / pow(n, 5.0);
    return (1.0 - 192.0 / (pow(ROD_PI, 5.0) * ratio) * sum) / 3.0;
}

rlt_status validate_lateral_buckling(validate_run *run) {
    enum { RATIOS = 10, POISSONS = 3 };
    static const double ratios[RATIOS] = {2, 3, 4, 5, 7, 10, 15, 20, 50, 100};
    static const double poisson[POISSONS] = {0.5, 0.35, 0.3};
    static const double expected[POISSONS][RATIOS] = {
        {21.26, 15.73, 14.93, 14.69, 14.57, 14.57, 14.62, 14.66, 14.76, 14.80},
        {24.05, 16.83, 15.85, 15.55, 15.39, 15.37, 15.41, 15.45, 15.56, 15.60},
        {25.25, 17.25, 16.19, 15.87, 15.69, 15.67, 15.71, 15.75, 15.85, 15.90}};
    rlt_status status = RLT_OK;
    for (int p = 0; p < POISSONS; p++)
        for (int k = 0; k < RATIOS && status == RLT_OK; k++) {
            double ratio = ratios[k];
            setup s = {.bend = {ratio * ratio, 1.0},
                       .twist = 6.0 * torsion_factor(ratio) / (1.0 + poisson[p]),
                       .expected = expected[p][k],
                       .push = 1e-3,
                       .steps = 0.2,
                       .points = 61};
            validate_note(run, "w / h = %g, nu = %g", ratio, poisson[p]);
            validate_result r = {0};
            snprintf(r.name, sizeof r.name, "w / h = %g, nu = %g", ratio, poisson[p]);
            status =
                judge(run, &s, 0.03, 0.03, "topples above, not below, 3% either side of the reference", &r);
        }
    return status;
}
