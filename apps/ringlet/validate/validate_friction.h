/* One rod that touches a body with friction: what incline, stick-slip and capstan share. How contacts are
 * solved is decided in validate_friction.c alone, so that the same experiments can be made with another
 * solver of contacts. */
#ifndef VALIDATE_FRICTION_H
#define VALIDATE_FRICTION_H

#include "validate/validate_rod.h"

typedef struct friction_lab {
    rod_lab lab;
    rlt_rod_step step; /* the caller's to change */
    int steps, iterations, unconverged;
} friction_lab;

/* A rod as of lab_create, with inertia about its axis (a free one would spin without); 0: out of memory. */
int friction_create(friction_lab *f, int points);
void friction_destroy(friction_lab *f);
/* The body that the rod touches from now on. */
rlt_status friction_touch(friction_lab *f, const rlt_rod_body *body);
/* Takes a step; positions are in lab.x then, velocities in v, [points][3], unless NULL. */
void friction_step(friction_lab *f, double *v);

/* Adds the counts of steps to those of several rods, and to a result. */
void friction_add(friction_lab *total, const friction_lab *f);
void friction_count(const friction_lab *f, validate_result *r);

#endif
