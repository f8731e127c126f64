/* The workloads of Tables 1 and 2 in "Efficient and Stable Approach to Elasticity and Collisions for Hair
 * Animation" (2015), as scenes on generated characters. Radii are such that about as many contacts are solved
 * for as in the tables, links such that there are about as many as the tables have constraints, and the
 * character's resolution such that it has about as many vertices. docs/design/rod-tables.md has what came of
 * it. And balls of coils. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/bench_contacts.h"

/* How the hair is made, of which the tables say nothing. */
typedef struct recipe {
    const char *title, *character;
    int resolution;
    const char *motion, *preset, *region;
    double fall;           /* hair.fall */
    double length, radius; /* [unit] of hair, and of contacts */
    int links;             /* of a point, at most */
    double reach;          /* [unit] of links */
} recipe;

typedef struct row {
    bench_published published;
    recipe made;
} row;

#define PENNY "long hair on a walk", "head", 109, "{kind: walk, start: -1}", "straight", "nape", 0.85
#define HORSE "horse", 51, "{kind: walk, start: -1}"

static const row rows[] = {
    {{"penny", 300, 5918, 15795, 38432, 17184, 8, 3, {0.739, 0.423, 0.392, 0.352}, 0.471, 0.108},
     {PENNY, 50, 0.4, 14, 6}},
    {{"penny-4x", 300, 23759, 15795, 48059, 123221, 8, 3, {2.657, 1.067, 0.814, 0.766}, 0, 0},
     {PENNY, 50, 0.68, 4, 6}},
    {{"penny-8x", 300, 47456, 15795, 95397, 423937, 8, 3, {6.882, 2.519, 1.824, 1.547}, 2.180, 0.407},
     {PENNY, 50, 0.93, 4, 6}},
    /* not in the tables: one step a frame, with more back-solves of one sweep each */
    {{"penny-8x-1step", 300, 47456, 15795, 95397, 423937, 1, 16, {0}, 0, 0}, {PENNY, 50, 0.93, 4, 6}},
    {{"mane", 243, 2430, 10534, 6015, 1118, 8, 3, {0, 0, 0, 0.109}, 0.123, 0.37},
     {"a horse's mane on a walk", HORSE, "horse-mane", "mane", 1, 34, 0.35, 6, 8}},
    {{"tail", 45, 450, 10534, 4485, 433, 8, 3, {0, 0, 0, 0.082}, 0.091, 0.33},
     {"a horse's tail on a walk", HORSE, "horse-tail", "tail", 1, 60, 0.6, 22, 30}},
    {{"long", 256, 6400, 6850, 19060, 30517, 8, 3, {0, 0, 0, 0.304}, 0.482, 0.111},
     {"a long hair style, the head turns", "head", 72, "{kind: calisthenics, start: -0.5}", "straight",
      "scalp", 0.85, 45, 1.5, 7, 4}},
    {{"hairball", 32030, 960900, 72000, 0, 273216, 4, 12, {0, 0, 0, 204.3}, 688, 31.04},
     {"hair all over, turned and stopped", "head", 232, "{kind: spin, spin: 0.5, start: -4}", "straight",
      "all", 0.5, 30, 0.05, 0, 2}},
};

/* Balls of coils after the talk "Lifted Curls" (2023): so many wisps of 100 points, each shown as 100, 50 or
 * 25 hairs; a step of 1/30 s with 3 Newton iterations. The talk has no times. */
static const bench_published balls[] = {
    {.name = "coilball-2k", .hairs = 2000, .points = 200000, .steps = 1, .iterations = 3},
    {.name = "coilball-4k", .hairs = 4000, .points = 400000, .steps = 1, .iterations = 3},
    {.name = "coilball-8k", .hairs = 8000, .points = 800000, .steps = 1, .iterations = 3},
};

static const bench_published *find_ball(const char *name) {
    for (size_t i = 0; i < sizeof balls / sizeof balls[0]; i++)
        if (strcmp(balls[i].name, name) == 0)
            return &balls[i];
    return NULL;
}

/* A wisp bends as if five of its hairs cling to each other, and is as thick as its hairs side by side: all
 * balls have the same volume of hair. The ball moves by eight segments in a step for two seconds, and rests
 * for one. */
static int ball_scene(const bench_published *p, char *text, size_t size) {
    int hairs = 200000 / p->hairs;
    int length = snprintf(
        text, size,
        "title: \"%s: coils on a ball, shaken\"\n\n"
        "time: {fps: 30, last: 90}\n\n"
        "character:\n  kind: ball\n\n"
        "motion: {kind: shake}\n\n"
        "hair:\n  style: coil\n  model: coil\n  region: all\n"
        "  count: %d\n  total_points: %d\n  length: 26\n  length_variation: 0\n  radius: 0.5\n  pitch: 0.6\n"
        "  taper: 0\n  straight_root: 0.02\n  variation: 0.3\n  fall: 0\n"
        "  rod: {steps: %d, iterations: %d, tolerance: 0, hairs: %d}\n"
        "  coil: {bend: 5, torsion: 5}\n"
        "  contact: {method: solve, radius: %.3g}\n"
        "  look: {eumelanin: 3.2, pheomelanin: 0.2}\n\n"
        "contacts:\n  block: lumped\n  early: 0\n  newton: %d\n  iterations: 3\n  sweeps: 3\n",
        p->name, p->hairs, p->points, p->steps, p->iterations, hairs, 0.05 * sqrt(hairs / 100.0),
        p->iterations);
    return length > 0 && (size_t)length < size;
}

static const row *find(const char *name) {
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].published.name, name) == 0)
            return &rows[i];
    return NULL;
}

const bench_published *bench_contacts_published(const char *name) {
    const row *r = find(name);
    return r != NULL ? &r->published : find_ball(name);
}

int bench_contacts_scene(const char *name, char *text, size_t size) {
    const row *r = find(name);
    if (find_ball(name) != NULL)
        return ball_scene(find_ball(name), text, size);
    if (r == NULL)
        return 0;
    const bench_published *p = &r->published;
    const recipe *m = &r->made;
    int once = p->steps == 1;
    int length = snprintf(text, size,
                          "title: \"%s: %s\"\n\n"
                          "time:\n  last: 120\n\n"
                          "character:\n  kind: %s\n  resolution: %d\n\n"
                          "motion: %s\n\n"
                          "hair:\n  preset: %s\n  model: rod\n  region: %s\n"
                          "  count: %d\n  total_points: %d\n  length: %g\n  fall: %g\n"
                          "  rod: {steps: %d}\n"
                          "  contact: {method: solve, radius: %g}\n"
                          "  link: {count: %d, reach: %g}\n\n"
                          "# the paper's solver: newton_max, cbs_max and lcp_max\n"
                          "contacts:\n  block: lumped\n  early: 0\n  newton: %d\n  iterations: %d\n"
                          "  sweeps: %d\n  self: on\n",
                          p->name, m->title, m->character, m->resolution, m->motion, m->preset, m->region,
                          p->hairs, p->points, m->length, m->fall, p->steps, m->radius, m->links, m->reach,
                          once ? 3 : 2, p->iterations, once ? 1 : 3);
    return length > 0 && (size_t)length < size;
}
