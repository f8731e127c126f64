/* pile: 200 free hairs are dropped into a bowl, come to rest and stay. The bowl is a floor with a wall of
 * capsules. After settling, nothing may jitter, the pile may not sink into itself, and no hair may have
 * passed another: the program's own count of crossings, which shares nothing with the search for contacts,
 * over all frames. --full takes 100 sweeps and 15 iterations instead of the usual 20 and 6. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validate/validate_hairs.h"

enum { HAIRS = 200, POINTS = 8, WALLS = 16, SETTLE = 60, WATCH = 24 };

static const double edge = 1.0, radius = 0.2, bowl = 7.0, wall = 4.0; /* [unit] */

typedef struct heap {
    hairs h;
    int frames;
    double *place;           /* [points][3] when it is settled */
    double speed, fastest;   /* mean and greatest of a point while it is watched [unit/s] */
    double height[2];        /* mean of all points, then and at the end */
    double deepest;          /* of the watched frames / radius */
    double retreated, drift; /* strands; mean displacement over the watched time [unit] */
    long long crossings, checked;
    double touching;
} heap;

/* Layers of ten hairs side by side, each layer in a direction of its own, above the bowl. */
static void make(heap *p) {
    double at = 0.0;
    for (int hair = 0; hair < HAIRS; hair++) {
        int place = hair % 10;
        double tilt = hairs_random(&p->h, -0.05, 0.05), aside = 1.1 * (place - 4.5);
        if (place == 0)
            at = hairs_random(&p->h, 0.0, 2.0 * HAIRS_PI);
        for (int i = 0; i < POINTS; i++) {
            double s = edge * (i - 0.5 * (POINTS - 1)), *x = hairs_at(&p->h, hair, i);
            x[0] = s * cos(at) - aside * sin(at);
            x[1] = 2.0 + 1.2 * (hair / 10) + s * sin(tilt);
            x[2] = s * sin(at) + aside * cos(at);
        }
    }
}

static void sum_up(heap *p, const rlt_frame_view *view, double *height) {
    *height = 0.0;
    for (int i = 0; i < view->point_count; i++)
        *height += view->points[3 * (size_t)i + 1] / view->point_count;
    p->drift = 0.0;
    for (int i = 0; i < view->point_count; i++)
        p->drift +=
            hairs_distance(view->points + 3 * (size_t)i, p->place + 3 * (size_t)i) / view->point_count;
}

static int watch(const rlt_simulation *simulation, const rlt_frame_view *view, void *context) {
    heap *p = context;
    rlt_statistics s = {.size = sizeof s};
    rlt_simulation_statistics(simulation, &s);
    p->crossings += s.crossings;
    p->checked += s.crossings_checked;
    p->retreated += s.solved_retreated * (double)s.solved_steps;
    p->touching = s.solved_touching;
    if (p->frames == SETTLE) {
        memcpy(p->place, view->points, 3 * (size_t)view->point_count * sizeof(double));
        sum_up(p, view, &p->height[0]);
    }
    if (p->frames++ <= SETTLE)
        return 1;
    double mean = 0.0;
    for (int i = 0; i < view->point_count; i++) {
        const double *v = view->velocities + 3 * (size_t)i;
        double size = sqrt(hairs_dot(v, v));
        mean += size / view->point_count;
        p->fastest = fmax(p->fastest, size);
    }
    p->speed = fmax(p->speed, mean);
    p->deepest = fmax(p->deepest, s.solved_deepest);
    sum_up(p, view, &p->height[1]);
    return 1;
}

static void write_scene(heap *p, int full) {
    hairs_add(&p->h,
              "time: {first: 0, last: %d}\ncontacts: {%s}\ncharacter: {kind: none}\ncolliders:\n"
              "- {kind: sphere, position: [0, -1000, 0], radius: 1000}\n",
              SETTLE + WATCH, full ? "iterations: 100, newton: 15" : "newton: 6");
    for (int k = 0; k < 2 * WALLS; k++) {
        double r = bowl + wall + 3.0 * (k / WALLS), y = 2.0 + 5.0 * (k / WALLS),
               a = 2.0 * HAIRS_PI * (k % WALLS) / WALLS, b = 2.0 * HAIRS_PI * (k % WALLS + 1) / WALLS;
        hairs_add(&p->h,
                  "- {kind: capsule, position: [%.6g, %.6g, %.6g], end: [%.6g, %.6g, %.6g], radius: %g}\n",
                  r * cos(a), y, r * sin(a), r * cos(b), y, r * sin(b), wall);
    }
    hairs_add(
        &p->h,
        "hair:\n- model: rod\n  rod: {root: free, steps: 4}\n  collide: {friction: 0.5, thickness: %g}\n"
        "  contact: {method: solve, radius: %g, friction: 0.5, groom: push}\n",
        radius, radius);
    hairs_list(&p->h, 0, HAIRS, NULL);
}

static rlt_status add(validate_run *run, const heap *p, const char *name, const char *unit, double measured,
                      double reference, const char *rule, int pass) {
    validate_result r = {
        .model = "rod", .unit = unit, .measured = measured, .reference = reference, .rule = rule};
    snprintf(r.name, sizeof r.name, "%s", name);
    snprintf(r.reason, sizeof r.reason,
             "The fastest point %.2g unit/s; points have moved by %.2g units in 1 s; mean height %.3g, then "
             "%.3g units; %.0f contacts touch.",
             p->fastest, p->drift, p->height[0], p->height[1], p->touching);
    validate_detail(&r, "fastest_units_per_s", p->fastest);
    validate_detail(&r, "drift_units", p->drift);
    validate_detail(&r, "height_units", p->height[1]);
    validate_detail(&r, "touching", p->touching);
    validate_detail(&r, "deepest_of_radius", p->deepest);
    validate_detail(&r, "retreated", p->retreated);
    validate_detail(&r, "edges_checked", (double)p->checked);
    r.verdict = pass ? VALIDATE_PASS : VALIDATE_FAIL;
    return validate_add(run, &r);
}

rlt_status validate_pile(validate_run *run) {
    heap p = {0};
    if (!hairs_create(&p.h, HAIRS, POINTS, 3))
        return RLT_FAILED;
    p.place = calloc((size_t)HAIRS * POINTS * 3, sizeof(double));
    rlt_status status = p.place != NULL ? RLT_OK : RLT_FAILED;
    make(&p);
    write_scene(&p, validate_full(run));
    if (status == RLT_OK)
        status = validate_simulate(run, p.h.text, watch, &p, NULL);
    double sunk = p.height[0] - p.height[1];
    if (status == RLT_OK)
        status = add(run, &p, "at rest", "unit/s", p.speed, 0.5, "mean speed in 1 s after 2.5 s <= reference",
                     p.speed <= 0.5);
    if (status == RLT_OK)
        status = add(run, &p, "volume", "unit", sunk, 0.02 * p.height[0],
                     "the pile sinks by at most 2% of its mean height in 1 s", sunk <= 0.02 * p.height[0]);
    if (status == RLT_OK)
        status = add(run, &p, "crossings", "pairs", (double)p.crossings, 0.0,
                     "no crossing in the sample of all frames", p.crossings == 0 && p.checked > 0);
    hairs_destroy(&p.h);
    free(p.place);
    return status;
}
