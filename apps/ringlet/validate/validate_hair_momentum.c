/* hair-momentum: two swarms of free hairs fly at each other without gravity and air. Whatever happens between
 * them, contacts and friction act on both sides alike: the momentum of all hair stays. Angular momentum is
 * reported only: implicit Euler loses some of it by itself, and forces act at the axes of hairs, their radii
 * apart. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "validate/validate_hairs.h"

enum { HAIRS = 24, POINTS = 9, FRAMES = 24 };

static const double edge = 1.0; /* [unit] */

typedef struct swarm {
    hairs h;
    int frames;
    double momentum[3], angular[3]; /* at first */
    double total;                   /* sum of the sizes of all points' momenta at first */
    double turning;                 /* the same of angular momenta */
    double off, angular_off;        /* greatest change / these */
    double touching, deepest, retreated;
} swarm;

/* Mass of a point: half of the edges beside it. */
static double mass_of(int point) {
    return point == 0 || point == POINTS - 1 ? 0.5 : 1.0;
}

static void add_up(const rlt_frame_view *view, double momentum[3], double angular[3], double *total,
                   double *turning) {
    for (int k = 0; k < 3; k++)
        momentum[k] = angular[k] = 0.0;
    *total = *turning = 0.0;
    for (int i = 0; i < view->point_count; i++) {
        double mass = mass_of(i % POINTS), arm[3];
        const double *v = view->velocities + 3 * (size_t)i;
        hairs_cross(view->points + 3 * (size_t)i, v, arm);
        for (int k = 0; k < 3; k++) {
            momentum[k] += mass * v[k];
            angular[k] += mass * arm[k];
        }
        *total += mass * sqrt(hairs_dot(v, v));
        *turning += mass * sqrt(hairs_dot(arm, arm));
    }
}

static int watch(const rlt_simulation *simulation, const rlt_frame_view *view, void *context) {
    swarm *w = context;
    double momentum[3], angular[3], total, turning;
    rlt_statistics s = {.size = sizeof s};
    rlt_simulation_statistics(simulation, &s);
    add_up(view, momentum, angular, &total, &turning);
    if (w->frames++ == 1) { /* thrown, and one frame on */
        for (int k = 0; k < 3; k++) {
            w->momentum[k] = momentum[k];
            w->angular[k] = angular[k];
        }
        w->total = total;
        w->turning = turning;
    }
    if (w->frames > 1) {
        w->off = fmax(w->off, hairs_distance(momentum, w->momentum) / w->total);
        w->angular_off = fmax(w->angular_off, hairs_distance(angular, w->angular) / w->turning);
    }
    w->touching = fmax(w->touching, s.solved_touching);
    w->deepest = fmax(w->deepest, s.solved_deepest);
    w->retreated += s.solved_retreated * (double)s.solved_steps;
    return 1;
}

/* A swarm on either side of x = 0, each hair in a direction of its own. */
static void make(swarm *w, double speed) {
    for (int hair = 0; hair < HAIRS; hair++) {
        int side = hair % 2 ? 1 : -1;
        double along[3], middle[3] = {side * hairs_random(&w->h, 1.0, 4.0), hairs_random(&w->h, -4.0, 4.0),
                                      hairs_random(&w->h, -4.0, 4.0)};
        hairs_direction(&w->h, along);
        for (int i = 0; i < POINTS; i++) {
            double *x = hairs_at(&w->h, hair, i), *v = w->h.v + (x - w->h.x);
            for (int k = 0; k < 3; k++)
                x[k] = middle[k] + edge * (i - 0.5 * (POINTS - 1)) * along[k];
            v[0] = -side * speed;
        }
    }
}

static rlt_status one(validate_run *run, double speed, double friction, const char *block) {
    swarm w = {0};
    if (!hairs_create(&w.h, HAIRS, POINTS, 5))
        return RLT_FAILED;
    make(&w, speed);
    hairs_add(&w.h,
              "time: {first: 0, last: %d}\ncontacts: {block: %s}\ncharacter: {kind: none}\n"
              "gravity: [0, 0, 0]\n"
              "hair:\n- model: rod\n  rod: {root: free, tolerance: 1e-9}\n  drag: 0\n"
              "  contact: {method: solve, radius: 0.3, friction: %g}\n",
              FRAMES, block, friction);
    hairs_list(&w.h, 0, HAIRS, NULL);
    validate_kick_points(run, 0, w.h.v);
    rlt_status status = validate_simulate(run, w.h.text, watch, &w, NULL);
    validate_kick_points(run, 0, NULL);
    hairs_destroy(&w.h);
    if (status != RLT_OK)
        return status;
    validate_result r = {.model = "rod",
                         .unit = "share",
                         .measured = w.off,
                         .reference = 1e-8,
                         .rule = "change of momentum / sum of all sizes <= reference"};
    snprintf(r.name, sizeof r.name, "%d free hairs, %g unit/s, mu %g, %s", HAIRS, speed, friction, block);
    snprintf(r.reason, sizeof r.reason,
             "Up to %.0f contacts touch at a time; angular momentum changes by %.1e of all sizes.",
             w.touching, w.angular_off);
    validate_detail(&r, "angular", w.angular_off);
    validate_detail(&r, "touching", w.touching);
    validate_detail(&r, "deepest_of_radius", w.deepest);
    validate_detail(&r, "retreated", w.retreated);
    r.verdict = r.measured <= r.reference && w.touching > 10.0 ? VALIDATE_PASS : VALIDATE_FAIL;
    return validate_add(run, &r);
}

rlt_status validate_hair_momentum(validate_run *run) {
    static const struct {
        double speed, friction;
        const char *block;
    } cases[] = {{12.0, 0.0, "whole"}, {12.0, 0.5, "whole"}, {60.0, 0.5, "whole"}, {60.0, 0.5, "lumped"}};
    rlt_status status = RLT_OK;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0] && status == RLT_OK; k++)
        status = one(run, cases[k].speed, cases[k].friction, cases[k].block);
    return status;
}
