#include "validate/validate_rod.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "console.h"

enum { UNKNOWNS = 4, WIDTH = 10 };

int lab_create(rod_lab *lab, int points) {
    size_t n = (size_t)points;
    *lab = (rod_lab){.points = points, .period = 1.0, .def = rlt_rod_defaults()};
    lab->x = calloc(n * (3 + 3 + 3 + UNKNOWNS + UNKNOWNS * (WIDTH + 1) + 4), sizeof(double));
    lab->fixed = calloc(2 * n, UNKNOWNS);
    lab->messages = rlt_messages_create();
    if (lab->x == NULL || lab->fixed == NULL || lab->messages == NULL) {
        lab_destroy(lab);
        return 0;
    }
    lab->d = lab->x + 3 * n;
    lab->rest = lab->d + 3 * n;
    lab->gradient = lab->rest + 3 * n;
    lab->hessian = lab->gradient + UNKNOWNS * n;
    lab->strains = lab->hessian + (size_t)UNKNOWNS * (WIDTH + 1) * n;
    lab->flat = lab->fixed != NULL ? lab->fixed + UNKNOWNS * n : NULL;
    lab->def.points = points;
    lab->def.shape = lab->x;
    lab->def.stretch = ROD_STRETCH;
    lab->def.bend[0] = lab->def.bend[1] = lab->def.twist = lab->def.mass = 1.0;
    return 1;
}

void lab_destroy(rod_lab *lab) {
    rlt_rod_destroy(lab->rod);
    rlt_messages_destroy(lab->messages);
    free(lab->x);
    free(lab->fixed);
    *lab = (rod_lab){0};
}

rlt_status lab_build(rod_lab *lab, int rested) {
    lab->def.rest = rested ? lab->rest : NULL;
    rlt_rod_destroy(lab->rod);
    lab->rod = NULL;
    rlt_status status = rlt_rod_create(&lab->def, lab->messages, &lab->rod);
    if (status != RLT_OK) {
        console_messages(lab->messages, 0);
        return RLT_FAILED; /* the rod is the test's own: not the user's mistake */
    }
    for (int i = 0; i < lab->points; i++) {
        unsigned char *fixed = lab->fixed + (size_t)UNKNOWNS * (size_t)i;
        memset(fixed, i == 0 && !lab->def.free_root, 3);
        fixed[3] = i + 1 == lab->points;
    }
    lab->edge = sqrt(pow(lab->x[3] - lab->x[0], 2.0) + pow(lab->x[4] - lab->x[1], 2.0) +
                     pow(lab->x[5] - lab->x[2], 2.0));
    rlt_rod_get(lab->rod, lab->x, NULL, lab->d, NULL);
    return RLT_OK;
}

void lab_line(rod_lab *lab, double length, const double direction[3]) {
    for (int i = 0; i < lab->points; i++)
        for (int k = 0; k < 3; k++)
            lab->x[3 * i + k] = length * i / (lab->points - 1) * direction[k];
}

void lab_pin_edge(rod_lab *lab, int edge) {
    for (int i = edge; i < edge + 2; i++) {
        rlt_rod_pin(lab->rod, i, lab->x + (ptrdiff_t)3 * i);
        memset(lab->fixed + (ptrdiff_t)UNKNOWNS * i, 1, 3);
    }
    rlt_rod_pin_director(lab->rod, edge, lab->d + (ptrdiff_t)3 * edge);
    lab->fixed[UNKNOWNS * edge + 3] = 1;
}

void lab_settle(rod_lab *lab, const double gravity[3]) {
    rlt_rod_step step = rlt_rod_step_defaults();
    step.seconds = 1e4 * lab->period; /* inertia counts for 1e-8 */
    step.iterations = 1000;
    step.tolerance = 1e-8;
    for (int k = 0; k < 3; k++)
        step.gravity[k] = gravity[k];
    lab->unconverged += rlt_rod_advance(lab->rod, &step) == 0;
    rlt_rod_get(lab->rod, lab->x, NULL, lab->d, NULL);
    lab_put(lab);
}

void lab_relax(rod_lab *lab, const double gravity[3], double seconds, int steps) {
    rlt_rod_step step = rlt_rod_step_defaults();
    step.seconds = seconds;
    step.tolerance = 1e-6;
    for (int k = 0; k < 3; k++)
        step.gravity[k] = gravity[k];
    for (int n = 0; n < steps; n++)
        rlt_rod_advance(lab->rod, &step);
    rlt_rod_get(lab->rod, lab->x, NULL, lab->d, NULL);
}

void lab_put(rod_lab *lab) {
    rlt_rod_set(lab->rod, lab->x, NULL, lab->d, NULL);
}

/* Row and column of what is fixed become the identity's. */
static void fix_unknowns(const rod_lab *lab, const unsigned char *fixed) {
    int rows = UNKNOWNS * lab->points;
    for (int i = 0; i < rows; i++)
        for (int k = 0; k <= WIDTH && k <= i; k++)
            if (fixed[i] || fixed[i - k])
                lab->hessian[i * (WIDTH + 1) + k] = k == 0 ? 1.0 : 0.0;
}

/* L D L^T in place, by rows: entry k of row i is L(i, i - k), entry 0 is D. Returns the negative pivots. */
static int factor(double *a, int rows) {
    int negative = 0;
    for (int i = 0; i < rows; i++) {
        double *row = a + (ptrdiff_t)i * (WIDTH + 1), pivot = row[0];
        int most = i < WIDTH ? i : WIDTH;
        for (int k = most; k > 0; k--) {
            const double *other = a + (ptrdiff_t)(i - k) * (WIDTH + 1);
            double sum = row[k];
            for (int j = k + 1; j <= most; j++) /* column i - j, of both rows */
                sum -= row[j] * other[j - k] * a[(i - j) * (WIDTH + 1)];
            row[k] = sum / other[0];
        }
        for (int k = 1; k <= most; k++)
            pivot -= row[k] * row[k] * a[(i - k) * (WIDTH + 1)];
        row[0] = pivot;
        negative += !(pivot > 0.0);
    }
    return negative;
}

static void solve(const double *a, int rows, double *x) {
    for (int i = 0; i < rows; i++)
        for (int k = 1; k <= WIDTH && k <= i; k++)
            x[i] -= a[i * (WIDTH + 1) + k] * x[i - k];
    for (int i = 0; i < rows; i++)
        x[i] /= a[i * (WIDTH + 1)];
    for (int i = rows - 1; i >= 0; i--)
        for (int k = 1; k <= WIDTH && k <= i; k++)
            x[i - k] -= a[i * (WIDTH + 1) + k] * x[i];
}

int lab_unstable(rod_lab *lab) {
    rlt_rod_derivatives(lab->rod, lab->gradient, lab->hessian, lab->strains);
    fix_unknowns(lab, lab->fixed);
    return factor(lab->hessian, UNKNOWNS * lab->points);
}

/* ---- flat equilibria ---- */

static double mass_of(const rod_lab *lab, int point) {
    return lab->def.mass * lab->edge * (point == 0 || point + 1 == lab->points ? 0.5 : 1.0);
}

/* Elastic energy and that of the weight. */
static double potential(const rod_lab *lab, const double gravity[3]) {
    double e[4], sum;
    rlt_rod_energies(lab->rod, e);
    sum = e[0] + e[1] + e[2];
    for (int i = 0; i < lab->points; i++)
        for (int k = 0; k < 3; k++)
            sum -= mass_of(lab, i) * gravity[k] * lab->x[3 * i + k];
    return sum;
}

/* x and z moved by a share of the step; lab->rest is free for use once the rod is built. */
static void move_flat(rod_lab *lab, const double *from, double share) {
    for (int i = 0; i < lab->points; i++)
        for (int k = 0; k < 3; k += 2)
            lab->x[3 * i + k] = from[3 * i + k] + share * lab->gradient[UNKNOWNS * i + k];
    lab_put(lab);
}

/* Newton's step into lab->gradient; returns its greatest displacement. */
static double flat_step(rod_lab *lab, const double gravity[3]) {
    int rows = UNKNOWNS * lab->points;
    double greatest = 0.0;
    rlt_rod_derivatives(lab->rod, lab->gradient, lab->hessian, NULL);
    for (int i = 0; i < rows; i++) {
        int c = i % UNKNOWNS;
        lab->flat[i] = lab->fixed[i] || c == 1 || c == 3;
        lab->gradient[i] = -lab->gradient[i] + (c < 3 ? mass_of(lab, i / UNKNOWNS) * gravity[c] : 0.0);
        if (lab->flat[i])
            lab->gradient[i] = 0.0;
    }
    fix_unknowns(lab, lab->flat);
    factor(lab->hessian, rows);
    solve(lab->hessian, rows, lab->gradient);
    for (int i = 0; i < rows; i++)
        greatest = fmax(greatest, fabs(lab->gradient[i]));
    return greatest;
}

void lab_settle_flat(rod_lab *lab, const double gravity[3]) {
    enum { MOST = 200 };
    double *from = lab->rest;
    for (int n = 0; n < MOST; n++) {
        double before = potential(lab, gravity), share = 1.0, size = flat_step(lab, gravity);
        memcpy(from, lab->x, (size_t)lab->points * 3 * sizeof *from);
        move_flat(lab, from, share);
        if (size < 1e-10)
            return;
        for (int trial = 0; trial < 20 && !(potential(lab, gravity) <= before + 1e-12 * fabs(before));
             trial++)
            move_flat(lab, from, share *= 0.5);
    }
    lab->unconverged++;
}

rlt_status rod_compare(validate_run *run, validate_result *r, const char *unit, double measured,
                       double reference, double tolerance, const char *rule) {
    r->model = "rod";
    r->unit = unit;
    r->measured = measured;
    r->reference = reference;
    r->tolerance = tolerance;
    r->rule = rule;
    if (!(fabs(measured - reference) <= tolerance * fabs(reference)))
        r->verdict = VALIDATE_FAIL;
    return validate_add(run, r);
}
