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
    lab->fixed = calloc(n, UNKNOWNS);
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
static void fix_unknowns(const rod_lab *lab) {
    int rows = UNKNOWNS * lab->points;
    for (int i = 0; i < rows; i++)
        for (int k = 0; k <= WIDTH && k <= i; k++)
            if (lab->fixed[i] || lab->fixed[i - k])
                lab->hessian[i * (WIDTH + 1) + k] = k == 0 ? 1.0 : 0.0;
}

int lab_unstable(rod_lab *lab) {
    int rows = UNKNOWNS * lab->points, negative = 0;
    double *a = lab->hessian;
    rlt_rod_derivatives(lab->rod, lab->gradient, a, lab->strains);
    fix_unknowns(lab);
    /* L D L^T in place, by rows: entry k of row i is L(i, i - k), entry 0 is D */
    for (int i = 0; i < rows; i++) {
        double *row = a + (ptrdiff_t)i * (WIDTH + 1), pivot = row[0];
        for (int k = i < WIDTH ? i : WIDTH; k > 0; k--) {
            const double *other = a + (ptrdiff_t)(i - k) * (WIDTH + 1);
            double sum = row[k];
            for (int j = k + 1; j <= WIDTH && j <= i; j++) /* column i - j, of both rows */
                if (j - k <= WIDTH)
                    sum -= row[j] * other[j - k] * a[(i - j) * (WIDTH + 1)];
            row[k] = sum / other[0];
        }
        for (int k = 1; k <= WIDTH && k <= i; k++)
            pivot -= row[k] * row[k] * a[(i - k) * (WIDTH + 1)];
        row[0] = pivot;
        negative += !(pivot > 0.0);
    }
    return negative;
}

rlt_status rod_compare(validate_run *run, validate_result *r, const char *unit, double measured,
                       double reference, double tolerance, const char *rule) {
    r->model = r->model != NULL ? r->model : "rod";
    r->unit = unit;
    r->measured = measured;
    r->reference = reference;
    r->tolerance = tolerance;
    r->rule = rule;
    if (!(fabs(measured - reference) <= tolerance * fabs(reference)))
        r->verdict = VALIDATE_FAIL;
    return validate_add(run, r);
}
