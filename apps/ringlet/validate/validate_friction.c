#include "validate/validate_friction.h"

#include "console.h"

int friction_create(friction_lab *f, int points) {
    *f = (friction_lab){.step = rlt_rod_step_defaults()};
    f->step.tolerance = 1e-6;
    f->step.iterations = 200;
    if (!lab_create(&f->lab, points))
        return 0;
    f->lab.def.gyration = 1e-6;
    return 1;
}

void friction_destroy(friction_lab *f) {
    lab_destroy(&f->lab);
}

rlt_status friction_touch(friction_lab *f, const rlt_rod_body *body) {
    rlt_status status = rlt_rod_touch(f->lab.rod, body, f->lab.messages);
    if (status != RLT_OK)
        console_messages(f->lab.messages, 0);
    return status == RLT_BAD_INPUT ? RLT_FAILED : status; /* the body is the test's own */
}

void friction_step(friction_lab *f, double *v) {
    int iterations = rlt_rod_advance(f->lab.rod, &f->step);
    f->steps++;
    f->iterations += iterations;
    f->unconverged += iterations == 0;
    rlt_rod_get(f->lab.rod, f->lab.x, v, f->lab.d, NULL);
}

void friction_add(friction_lab *total, const friction_lab *f) {
    total->steps += f->steps;
    total->iterations += f->iterations;
    total->unconverged += f->unconverged;
}

void friction_count(const friction_lab *f, validate_result *r) {
    validate_detail(r, "steps", f->steps);
    validate_detail(r, "iterations_a_step", f->steps > 0 ? (double)f->iterations / f->steps : 0.0);
    validate_detail(r, "unconverged", f->unconverged);
}
