/* Contacts and links solved together with rods: the workloads of the Rod's paper, beside its numbers. */
#ifndef RINGLET_APP_BENCH_CONTACTS_H
#define RINGLET_APP_BENCH_CONTACTS_H

#include "bench/bench.h"

enum { BENCH_PUBLISHED_THREADS = 4, BENCH_SCENE_SIZE = 2048 };

/* A line of the paper's Tables 1 and 2. */
typedef struct bench_published {
    const char *name;
    int hairs, points, vertices; /* `vertices`: of all colliders */
    int links;                   /* "constraints" */
    int contacts;                /* average */
    int steps, iterations;       /* "substeps" of a frame, "cbs_max" */
    double
        seconds[BENCH_PUBLISHED_THREADS]; /* of a frame, average, 1, 4, 8 and 12 threads; 0: not published */
    double slowest, detect;               /* [s] with 12 threads; 0: not published */
} bench_published;

/* NULL where the tables have no such line. */
const bench_published *bench_contacts_published(const char *name);
/* The scene's text; 0 where there is none of that name, or it is longer than `size`. */
int bench_contacts_scene(const char *name, char *text, size_t size);

#endif
