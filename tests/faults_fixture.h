/* Allocation faults: the n-th allocation of an operation fails, for n = 0, 1, 2, ... until the operation
 * succeeds; once by itself, and once with all that follow. Whatever n is:
 *   - the status is RLT_OK or RLT_FAILED, and a failure has an error among its messages;
 *   - RLT_OK means that the result is the one without faults, byte for byte;
 *   - as many allocations and open files are left as there were before, and no file beside the old ones.
 *
 * Only the library's own memory is covered, which comes from base/memory.c. What libyaml, Embree, libav,
 * libpng, OpenEXR, METIS, MPI and the C library (realpath, streams, threads) allocate is not.
 *
 * How many n of a long operation are tried depends on the environment: unset, some tens spread over all of
 * them (quick tests); RINGLET_FAULTS=full, the first ones each and some of the others (slow tests);
 * RINGLET_FAULTS=all, every n of everything, which takes minutes. */
#ifndef TESTS_FAULTS_FIXTURE_H
#define TESTS_FAULTS_FIXTURE_H

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/messages.h"
#include "ringlet/ringlet.h"

enum { FAULTS_QUICK, FAULTS_FULL, FAULTS_ALL };

enum {
    FAULTS_SPREAD = 24, /* quick: so many allocations fail */
    FAULTS_EACH = 200,  /* full: so many first allocations fail one after the other */
    FAULTS_REST = 40,   /* and so many of the others */
    FAULTS_SHOWN = 30   /* problems before a test stops */
};

static inline int faults_level(void) {
    const char *wish = getenv("RINGLET_FAULTS");
    return wish == NULL ? FAULTS_QUICK : strcmp(wish, "all") == 0 ? FAULTS_ALL : FAULTS_FULL;
}

/* The counter behind the allocator. */
static struct {
    atomic_llong live;  /* allocations not yet freed */
    atomic_llong asked; /* since the walk's last step began */
    atomic_llong fails; /* number of the one that fails, -1: none */
    atomic_int failed;  /* 1: it was reached */
    atomic_int stopped; /* 1: none fails, none is counted as asked for */
    int all;            /* 1: those after it fail, too */
    int problems;       /* that were found */
    long long steps;    /* with a fault since the test began */
} faults = {.fails = -1, .stopped = 1};

int rlti_memory_watch(int change) {
    if (change < 0) {
        atomic_fetch_sub(&faults.live, 1);
        return 1;
    }
    int stopped = atomic_load(&faults.stopped);
    long long number = stopped ? -1 : atomic_fetch_add(&faults.asked, 1), fails = atomic_load(&faults.fails);
    if (!stopped && fails >= 0 && (number == fails || (faults.all && number > fails))) {
        atomic_store(&faults.failed, 1);
        return 0;
    }
    atomic_fetch_add(&faults.live, change);
    return 1;
}

/* An operation and what it works on. It leaves nothing behind, whether it succeeds or not. */
typedef struct operation {
    const char *name;
    /* Creates, uses and frees; adds to *result what it has found or made. */
    rlt_status (*run)(const struct operation *o, rlt_messages *messages, uint64_t *result);
    /* Around each run, without faults; both may be NULL. */
    void (*before)(struct operation *o);
    void (*after)(struct operation *o);
    const char *from, *to; /* files */
    rlt_scene *scene;
    rlt_simulation *simulation;
    const rlt_frame_view *view;
    int mode, threads, unreal, partition;
    int stride; /* full: of the walk, for what takes long; 0: as said above */
} operation;

static inline void faults_hash(uint64_t *hash, const void *bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
        *hash = (*hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
}

/* Takes a file's bytes into the result, and removes it. */
static inline void faults_take(const char *path, uint64_t *hash) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    unsigned char bytes[4096];
    for (size_t size; (size = fread(bytes, 1, sizeof bytes, file)) > 0;)
        faults_hash(hash, bytes, size);
    fclose(file);
    assert_int_equal(remove(path), 0);
}

/* Stops faults and their count for a while, to take results. */
static inline void faults_stop(void) {
    atomic_store(&faults.stopped, 1);
}

static inline void faults_go(void) {
    atomic_store(&faults.stopped, 0);
}

/* A folder of the test's own becomes the present one; in memory where that is possible, since every
 * checkpoint waits for the disk. */
static inline int faults_enter(void **state) {
    static char folder[64];
    strcpy(folder, "/dev/shm/ringlet-faults-XXXXXX");
    if (mkdtemp(folder) == NULL)
        strcpy(folder, "ringlet-faults-XXXXXX");
    *state = folder;
    return (folder[0] != '/' && mkdtemp(folder) == NULL) || chdir(folder) != 0;
}

/* Removes it, which must be empty. */
static inline int faults_leave(void **state) {
    char path[1024];
    (void)state;
    return getcwd(path, sizeof path) == NULL || chdir("..") != 0 || rmdir(path) != 0;
}

/* Names in a folder; 0 where it cannot be read. */
static inline int faults_names(const char *path) {
    DIR *folder = opendir(path);
    int count = 0;
    while (folder != NULL && readdir(folder) != NULL)
        count++;
    if (folder != NULL)
        closedir(folder);
    return count;
}

static inline void faults_complain(const operation *o, const rlt_messages *messages, const char *what) {
    for (int i = 0; i < rlt_messages_count(messages); i++)
        print_error("    %s\n", rlt_messages_text(messages, i));
    print_error("%s: %s with allocation %lld failing%s\n", o->name, what, atomic_load(&faults.fails),
                faults.all ? ", and all after it" : "");
    faults.problems++;
}

static inline int faults_has_error(const rlt_messages *messages) {
    for (int i = 0; i < rlt_messages_count(messages); i++)
        if (rlt_messages_severity(messages, i) == RLT_ERROR)
            return 1;
    return 0;
}

/* Runs the operation once; returns its result, and in *asked how many allocations it made. */
static inline uint64_t faults_step(operation *o, long long fails, uint64_t expected, long long *asked) {
    long long live = atomic_load(&faults.live);
    int files = faults_names("/proc/self/fd"), names = faults_names(".");
    uint64_t result = 0xcbf29ce484222325u;
    rlt_messages *messages = rlt_messages_create();
    if (o->before != NULL)
        o->before(o);
    atomic_store(&faults.asked, 0);
    atomic_store(&faults.failed, 0);
    atomic_store(&faults.fails, fails);
    faults_go();
    rlt_status status = o->run(o, messages, &result);
    faults_stop();
    *asked = atomic_load(&faults.asked);
    int failed = atomic_load(&faults.failed);
    if (status != RLT_OK && (status != RLT_FAILED || !failed))
        faults_complain(o, messages, "a wrong status");
    if (fails >= 0 && !failed && o->threads < 2) /* with more of them the number differs from run to run */
        faults_complain(o, messages, "not reached");
    if (status != RLT_OK && !faults_has_error(messages))
        faults_complain(o, messages, "no message");
    if (status == RLT_OK && fails >= 0 && result != expected)
        faults_complain(o, messages, "RLT_OK and another result");
    if (o->after != NULL)
        o->after(o);
    if (faults_names(".") != names)
        faults_complain(o, messages, "a file left behind");
    if (faults_names("/proc/self/fd") != files)
        faults_complain(o, messages, "a file left open");
    rlt_messages_destroy(messages);
    if (fails >= 0 && atomic_load(&faults.live) != live)
        faults_complain(o, NULL, "a leak");
    return result;
}

/* The end of a test: it has tried something and found no problem. */
static inline void faults_none(void) {
    int problems = faults.problems;
    long long steps = faults.steps;
    faults.problems = 0;
    faults.steps = 0;
    assert_int_equal(problems, 0);
    assert_true(steps > 0);
}

/* The n after this one. */
static inline long long faults_next(const operation *o, long long n, long long total) {
    switch (faults_level()) {
    case FAULTS_QUICK:
        return n + total / FAULTS_SPREAD + 1;
    case FAULTS_FULL:
        if (o->stride > 0)
            return n + o->stride;
        return n < FAULTS_EACH ? n + 1 : n + (total - FAULTS_EACH) / FAULTS_REST + 1;
    default:
        return n + 1;
    }
}

static inline void faults_walk(operation *o) {
    long long total, asked;
    clock_t begun = clock();
    int problems = faults.problems;
    faults_step(o, -1, 0, &total); /* must succeed */
    assert_int_equal(faults.problems, problems);
    uint64_t expected = faults_step(o, -1, 0, &total); /* without what only the first run builds */
    for (faults.all = 0; faults.all < 2; faults.all++) /* the two begin apart: they try different n */
        for (long long n = faults.all * faults_next(o, -1, total) / 2;
             n < total && faults.problems < FAULTS_SHOWN; n = faults_next(o, n, total), faults.steps++)
            faults_step(o, n, expected, &asked);
    faults.all = 0;
    if (faults_level() != FAULTS_QUICK)
        print_message("    %s: %lld allocations, %.3f s\n", o->name, total,
                      (double)(clock() - begun) / CLOCKS_PER_SEC);
}

#endif
