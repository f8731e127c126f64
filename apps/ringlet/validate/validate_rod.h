/* Experiments on one rod (ringlet/rod.h) that the tests of the Rod share. Lengths, E I and the mass of a
 * unit of length are 1 unless a test says otherwise, so Gamma, weight over bending stiffness, is the
 * gravity. */
#ifndef VALIDATE_ROD_H
#define VALIDATE_ROD_H

#include "validate/validate.h"

#define ROD_PI      3.14159265358979323846
#define ROD_STRETCH 1e7 /* E A L^2 / (E I): a hair of 10 cm and 40 um has 2.5e7 */

typedef struct rod_lab {
    rlt_rod *rod;
    int points;
    double *x;            /* [points][3] */
    double *d;            /* [points][3] directors of the edges */
    double *rest;         /* [points][3] */
    double *gradient;     /* [points][4] */
    double *hessian;      /* [points][4][11] */
    double *strains;      /* [points][4] */
    unsigned char *fixed; /* [points][4] unknowns that do not count for stability */
    double period;        /* the slowest, roughly: 1 unless the caller changes it */
    int unconverged;      /* settles that did not converge */
    rlt_rod_def def;      /* the caller's to change before lab_build */
    rlt_messages *messages;
} rod_lab;

/* A round rod of E I = G J = mass = 1, its points not yet anywhere; 0: out of memory. */
int lab_create(rod_lab *lab, int points);
void lab_destroy(rod_lab *lab);
/* Makes the rod with lab->x as its shape; rested: with lab->rest as unstrained bends and twists. */
rlt_status lab_build(rod_lab *lab, int rested);

/* Points on a line from the origin. */
void lab_line(rod_lab *lab, double length, const double direction[3]);
/* Holds the edge where it is now, its points and its director. */
void lab_pin_edge(rod_lab *lab, int edge);

/* The next equilibrium, into lab->x and lab->d. */
void lab_settle(rod_lab *lab, const double gravity[3]);
/* Steps of so many seconds: implicit Euler loses energy, so this comes to rest, too. */
void lab_relax(rod_lab *lab, const double gravity[3], double seconds, int steps);
/* Puts lab->x and lab->d into the rod, without velocities. */
void lab_put(rod_lab *lab);

/* Directions in which the energy falls, of second order, at the present state: negative pivots of the
 * factor of its second derivatives (Sylvester's law). 0: stable. */
int lab_unstable(rod_lab *lab);

/* Adds a number with its reference: fails outside of `tolerance` (relative), or where the verdict has failed
 * already. */
rlt_status rod_compare(validate_run *run, validate_result *r, const char *unit, double measured,
                       double reference, double tolerance, const char *rule);

/* Part of dynamics: natural frequencies, damping by the step. */
rlt_status validate_swing(validate_run *run);

#endif
