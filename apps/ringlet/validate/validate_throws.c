/* throws: pairs of hairs thrown at each other. Each hair is held at both ends, with slack, and bows away from
 * the other; thrown, their middles would go through each other. The ends of one are out of the other's reach,
 * so whether they have passed is a fact of topology, however they moved in between: closed by arcs that lead
 * far away, a pair is linked or not. That is counted by Gauss's integral, which has nothing in common with
 * the search for contacts.
 *
 * Speeds are spread evenly in their logarithm: from a hair's thickness to a hundred hair lengths a frame. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validate/validate_hairs.h"

enum { POINTS = 9, PAIRS = 500, FRAMES = 6, CLOSED = POINTS + 4 };

static const double chord = 9.0, bow = 1.8, gap = 0.5, radius = 0.1; /* [unit] */
static const double slowest = 30.0, fastest = 3e4;                   /* [unit/s] */

typedef struct arena {
    hairs h;
    double (*toward)[3];         /* [pairs] from the second hair to the first */
    unsigned char passed[PAIRS]; /* linked at the end of some frame */
    double deepest;              /* / radius */
} arena;

static void add_scaled(double x[3], double by, const double a[3]) {
    for (int k = 0; k < 3; k++)
        x[k] += by * a[k];
}

/* One hair of a pair: along `along`, on the side of `toward`, bowed away from the other. */
static void lay(arena *a, int hair, const double middle[3], const double along[3], const double toward[3],
                double speed) {
    double slant[3];
    hairs_direction(&a->h, slant);
    for (int i = 0; i < POINTS; i++) {
        double s = 2.0 * i / (POINTS - 1) - 1.0, *x = hairs_at(&a->h, hair, i), *v = a->h.v + (x - a->h.x),
               share = hairs_random(&a->h, 0.6, 1.0);
        memcpy(x, middle, 3 * sizeof *x);
        add_scaled(x, 0.5 * chord * s, along);
        add_scaled(x, gap + bow * (1.0 - s * s), toward);
        for (int k = 0; k < 3 && i > 0 && i < POINTS - 1; k++)
            v[k] = -share * speed * (toward[k] + 0.3 * slant[k]);
    }
}

static void make_pair(arena *a, int pair) {
    double middle[3] = {30.0 * (pair % 25), 30.0 * (pair / 25), 0.0}, *n = a->toward[pair], back[3], along[3],
           across[3], other[3];
    hairs_direction(&a->h, n);
    hairs_across(&a->h, n, along);
    hairs_cross(n, along, across);
    double turn = hairs_random(&a->h, 50.0, 130.0) * HAIRS_PI / 180.0,
           speed = slowest * pow(fastest / slowest, hairs_random(&a->h, 0.0, 1.0));
    for (int k = 0; k < 3; k++) {
        other[k] = cos(turn) * along[k] + sin(turn) * across[k];
        back[k] = -n[k];
    }
    lay(a, 2 * pair, middle, along, n, speed);
    lay(a, 2 * pair + 1, middle, other, back, speed);
}

/* ---- linked or not ---- */

/* The hair, closed by an arc that leads away from the other one. */
static void close_hair(const double *points, const double toward[3], double sign, double closed[CLOSED][3]) {
    double along[3] = {0};
    memcpy(closed, points, (size_t)3 * POINTS * sizeof(double));
    add_scaled(along, 1.0, points + (size_t)3 * (POINTS - 1));
    add_scaled(along, -1.0, points);
    for (int k = 0; k < 4; k++) {
        int at_tip = k < 2, far = k == 1 || k == 2;
        memcpy(closed[POINTS + k], closed[at_tip ? POINTS - 1 : 0], 3 * sizeof(double));
        add_scaled(closed[POINTS + k], at_tip ? 10.0 : -10.0, along);
        add_scaled(closed[POINTS + k], far ? sign * 1e3 : 0.0, toward);
    }
}

/* Solid angle that the directions from one segment to another cover, with its sign, / 4 pi (Klenin and
 * Langowski 2000). */
static double gauss(const double a[3], const double b[3], const double c[3], const double d[3]) {
    const double *ends[4] = {c, d, d, c}, *starts[4] = {a, a, b, b};
    double r[4][3], n[4][3], sum = 0.0, ab[3], cd[3], normal[3], between[3];
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            r[i][k] = ends[i][k] - starts[i][k];
    for (int i = 0; i < 4; i++) {
        hairs_cross(r[i], r[(i + 1) % 4], n[i]);
        double length = sqrt(hairs_dot(n[i], n[i]));
        if (!(length > 0.0))
            return 0.0;
        for (int k = 0; k < 3; k++)
            n[i][k] /= length;
    }
    for (int i = 0; i < 4; i++)
        sum += asin(fmax(-1.0, fmin(1.0, hairs_dot(n[i], n[(i + 1) % 4]))));
    for (int k = 0; k < 3; k++) {
        ab[k] = b[k] - a[k];
        cd[k] = d[k] - c[k];
        between[k] = c[k] - a[k];
    }
    hairs_cross(cd, ab, normal);
    return copysign(sum, hairs_dot(normal, between)) / (4.0 * HAIRS_PI);
}

static int is_linked(const double *one, const double *other, const double toward[3]) {
    double a[CLOSED][3], b[CLOSED][3], sum = 0.0;
    close_hair(one, toward, 1.0, a);
    close_hair(other, toward, -1.0, b);
    for (int i = 0; i < CLOSED; i++)
        for (int j = 0; j < CLOSED; j++)
            sum += gauss(a[i], a[(i + 1) % CLOSED], b[j], b[(j + 1) % CLOSED]);
    return fabs(sum) > 0.5;
}

/* ---- runs ---- */

static int count(const rlt_simulation *simulation, const rlt_frame_view *view, void *context) {
    arena *a = context;
    rlt_statistics s = {.size = sizeof s};
    rlt_simulation_statistics(simulation, &s);
    a->deepest = fmax(a->deepest, s.solved_deepest);
    for (int pair = 0; pair < PAIRS; pair++) {
        const double *one = view->points + (size_t)pair * 6 * POINTS, *other = one + (size_t)3 * POINTS;
        a->passed[pair] |= (unsigned char)is_linked(one, other, a->toward[pair]);
    }
    return 1;
}

static rlt_status throw_pairs(validate_run *run, int seed, int steps, int touch, arena *a) {
    if (!hairs_create(&a->h, 2 * PAIRS, POINTS, (uint64_t)seed))
        return RLT_FAILED;
    a->toward = calloc(PAIRS, sizeof *a->toward);
    if (a->toward == NULL)
        return RLT_FAILED;
    for (int pair = 0; pair < PAIRS; pair++)
        make_pair(a, pair);
    hairs_add(&a->h,
              "time: {first: 0, last: %d}\ncharacter: {kind: none}\ngravity: [0, 0, 0]\n"
              "constraints: {kind: pin, along: [0.99, 1], hold: hard}\n"
              "hair:\n- model: rod\n  rod: {steps: %d}\n"
              "  contact: {enabled: %s, method: solve, radius: %g, friction: 0.3, groom: push}\n",
              FRAMES, steps, touch ? "on" : "off", radius);
    hairs_list(&a->h, 0, 2 * PAIRS, NULL);
    validate_kick_points(run, 0, a->h.v);
    rlt_status status = validate_simulate(run, a->h.text, count, a, NULL);
    validate_kick_points(run, 0, NULL);
    return status;
}

static void destroy(arena *a) {
    hairs_destroy(&a->h);
    free(a->toward);
}

static rlt_status one(validate_run *run, int steps, int throws) {
    validate_result r = {.model = "rod", .unit = "pairs", .rule = "none has passed"};
    int would = 0, passed = 0, runs = (throws + PAIRS - 1) / PAIRS;
    double deepest = 0.0;
    rlt_status status = RLT_OK;
    for (int seed = 0; seed < runs && status == RLT_OK; seed++) {
        validate_note(run, "%d steps a frame, throws %d to %d of %d", steps, seed * PAIRS + 1,
                      (seed + 1) * PAIRS, runs * PAIRS);
        for (int touch = 0; touch < 2 && status == RLT_OK; touch++) {
            arena a = {0};
            status = throw_pairs(run, seed, steps, touch, &a);
            for (int pair = 0; pair < PAIRS; pair++)
                *(touch ? &passed : &would) += a.passed[pair];
            deepest = fmax(deepest, a.deepest);
            destroy(&a);
        }
    }
    if (status != RLT_OK)
        return status;
    r.measured = passed;
    snprintf(r.name, sizeof r.name, "%d throws, %d step%s a frame", runs * PAIRS, steps,
             steps > 1 ? "s" : "");
    snprintf(r.reason, sizeof r.reason, "Without contacts %d of them pass.", would);
    validate_detail(&r, "would_pass", would);
    validate_detail(&r, "deepest_of_radius", deepest);
    r.verdict = r.measured > 0.0 || would < runs * PAIRS / 4 ? VALIDATE_FAIL : VALIDATE_PASS;
    return validate_add(run, &r);
}

rlt_status validate_throws(validate_run *run) {
    static const int steps[] = {1, 4};
    rlt_status status = RLT_OK;
    for (int k = 0; k < 2 && status == RLT_OK; k++)
        status = one(run, steps[k], validate_full(run) ? 10000 : PAIRS);
    return status;
}
