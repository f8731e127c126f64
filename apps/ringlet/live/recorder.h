/* The user's doings, step by step, so that it can be done again to the same bytes. */
#ifndef RINGLET_APP_LIVE_RECORDER_H
#define RINGLET_APP_LIVE_RECORDER_H

#include <stdint.h>

#include "live/input.h"
#include "live/values.h"
#include "ringlet/ringlet.h"

/* How the simulation that was recorded began. */
typedef struct recorder_start {
    char scene[1024];    /* name of an embedded scene, or the path of a file */
    int is_full;         /* quality */
    double speed;        /* of the machine that live quality was fitted to; 0: 1 */
    live_values base;    /* overrides of the command line */
    live_values side[2]; /* and those that had been set when it began */
    int is_split;
    uint64_t fingerprint; /* of the simulation */
} recorder_start;

typedef struct recorder_line {
    long long step; /* steps that were done before it */
    live_input *input;
} recorder_line;

/* Starts all zero. */
typedef struct live_recorder {
    recorder_start start;
    int count, capacity;
    recorder_line *lines;
    int is_broken; /* 1: what came before it is not known (the scene's file changed); until the next reset */
    int failed;    /* out of memory: no longer whole */
    long long steps; /* that the recording has, once read; and the hash at its end */
    uint64_t hash;
} live_recorder;

enum { RECORDER_LINES_MAX = 2000000 };

/* Forgets all lines. `start` is filled in by the caller. */
void recorder_begin(live_recorder *recorder);
void recorder_add(live_recorder *recorder, long long step, const live_input *input);
void recorder_clear(live_recorder *recorder);

/* 1: a file of it would give the same bytes again. */
int recorder_is_whole(const live_recorder *recorder);

/* As a file: after `steps` steps the state had that hash. */
rlt_status recorder_write(const live_recorder *recorder, const char *path, long long steps, uint64_t hash,
                          char *problem, size_t size);
/* Prints what is wrong with the file, with its line, and returns RLT_BAD_INPUT. */
rlt_status recorder_read(live_recorder *recorder, const char *path);

#endif
