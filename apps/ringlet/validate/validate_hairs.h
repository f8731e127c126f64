/* Scenes of many hairs given point by point, for the tests of hair that meets hair (hair.contact.method:
 * solve). Units of 1 cm. */
#ifndef VALIDATE_HAIRS_H
#define VALIDATE_HAIRS_H

#include <stdint.h>

#include "validate/validate.h"

#define HAIRS_PI 3.14159265358979323846

typedef struct hairs {
    int count, points; /* points of each hair */
    double *x;         /* [count][points][3] */
    double *v;         /* [count][points][3] velocities they are thrown with, 0 at first [unit/s] */
    char *text;        /* the scene */
    int size, used;
    uint64_t random;
} hairs;

/* 0: out of memory. The same seed gives the same random numbers. */
int hairs_create(hairs *h, int count, int points, uint64_t seed);
void hairs_destroy(hairs *h);
double *hairs_at(const hairs *h, int hair, int point);

/* Appends to the scene: text, and the list of so many hairs from `first` on, in the order of `order`, [count
 * of all] (NULL: as they are), which ends their section. */
void hairs_add(hairs *h, const char *format, ...) __attribute__((format(printf, 2, 3)));
void hairs_list(hairs *h, int first, int count, const int *order);

double hairs_random(hairs *h, double low, double high);
void hairs_direction(hairs *h, double direction[3]); /* unit length, all alike */
/* A unit vector across another, all alike. */
void hairs_across(hairs *h, const double direction[3], double across[3]);

double hairs_dot(const double a[3], const double b[3]);
void hairs_cross(const double a[3], const double b[3], double product[3]);
double hairs_distance(const double a[3], const double b[3]);

#endif
