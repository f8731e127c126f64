#include "validate/validate_hairs.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD_SIZE = 4096, POINT_SIZE = 64 };

int hairs_create(hairs *h, int count, int points, uint64_t seed) {
    size_t values = 3 * (size_t)count * (size_t)points;
    *h = (hairs){.count = count, .points = points, .random = seed};
    h->size = HEAD_SIZE + count * (points + 1) * POINT_SIZE;
    h->x = calloc(values, sizeof *h->x);
    h->v = calloc(values, sizeof *h->v);
    h->text = calloc((size_t)h->size, 1);
    if (h->x != NULL && h->v != NULL && h->text != NULL)
        return 1;
    hairs_destroy(h);
    return 0;
}

void hairs_destroy(hairs *h) {
    free(h->x);
    free(h->v);
    free(h->text);
    *h = (hairs){0};
}

double *hairs_at(const hairs *h, int hair, int point) {
    return h->x + 3 * ((size_t)hair * (size_t)h->points + (size_t)point);
}

void hairs_add(hairs *h, const char *format, ...) {
    char line[HEAD_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    validate_text(h->text, h->size, &h->used, "%s", line);
}

void hairs_list(hairs *h, int first, int count, const int *order) {
    hairs_add(h, "  strands:\n");
    for (int k = first; k < first + count; k++) {
        hairs_add(h, "  - [");
        for (int i = 0; i < h->points; i++) {
            const double *p = hairs_at(h, order != NULL ? order[k] : k, i);
            hairs_add(h, "%s[%.9g, %.9g, %.9g]", i > 0 ? ", " : "", p[0], p[1], p[2]);
        }
        hairs_add(h, "]\n");
    }
}

/* splitmix64 */
static uint64_t next(hairs *h) {
    uint64_t x = h->random += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

double hairs_random(hairs *h, double low, double high) {
    return low + (high - low) * ((double)(next(h) >> 11) * 0x1.0p-53);
}

void hairs_direction(hairs *h, double direction[3]) {
    double z = hairs_random(h, -1.0, 1.0), turn = hairs_random(h, 0.0, 2.0 * HAIRS_PI);
    direction[0] = sqrt(1.0 - z * z) * cos(turn);
    direction[1] = sqrt(1.0 - z * z) * sin(turn);
    direction[2] = z;
}

void hairs_across(hairs *h, const double direction[3], double across[3]) {
    double length = 0.0, other[3];
    while (length < 0.1) {
        hairs_direction(h, other);
        hairs_cross(direction, other, across);
        length = sqrt(hairs_dot(across, across));
    }
    for (int k = 0; k < 3; k++)
        across[k] /= length;
}

double hairs_dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

void hairs_cross(const double a[3], const double b[3], double product[3]) {
    product[0] = a[1] * b[2] - a[2] * b[1];
    product[1] = a[2] * b[0] - a[0] * b[2];
    product[2] = a[0] * b[1] - a[1] * b[0];
}

double hairs_distance(const double a[3], const double b[3]) {
    double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return sqrt(hairs_dot(d, d));
}
