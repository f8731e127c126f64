/* One trial of the torture program: a folder of its own, random numbers that its seed repeats, a script of
 * all that was done, and whether a promise was broken. */
#ifndef TORTURE_TRIAL_H
#define TORTURE_TRIAL_H

#include <stdint.h>
#include <stdio.h>

#define PATH_SIZE 512

/* What holds for all trials. */
typedef struct torture {
    char program[PATH_SIZE]; /* ringlet, an absolute path */
    char scenes[PATH_SIZE];  /* the folder scenes/files */
    char root[PATH_SIZE];    /* the folder of all trials */
    int has_ranks;           /* mpirun runs this program here */
    int has_mounts;          /* a small file system can be mounted */
    int simd_count;
    const char *simds[4]; /* names for --simd this processor has; portable is not among them */
} torture;

typedef struct trial {
    const torture *torture;
    uint64_t random;
    char
        folder[PATH_SIZE]; /* holds inputs/, work/ (the current folder of the trial), said/ and commands.sh */
    FILE *script;          /* commands.sh, which does it all again */
    int launches;          /* children so far: names of the files in said/ */
    int mounted;           /* a small file system at work/small */
    int failed;
    int skipped; /* nothing was tried */
    char why[1024];
} trial;

/* A kind of trouble. */
typedef struct kind {
    const char *name;
    const char *about;
    void (*run)(trial *t);
} kind;

extern const kind kinds[];
extern const int kind_count;

/* Makes the folder and enters work/; 0 where that fails. */
int trial_begin(trial *t, const torture *settings, const char *name, uint64_t seed);
/* Leaves the folder, and removes it unless it is to be kept. */
void trial_end(trial *t, int keep);

/* A whole number below `count`, a number of 0..1, and 1 with a chance of one in `count`. */
int trial_pick(trial *t, int count);
double trial_fraction(trial *t);
int trial_one_in(trial *t, int count);

/* Adds a line to the script. */
void trial_log(trial *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Notes a broken promise; the first one is kept. */
void trial_fail(trial *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void trial_skip(trial *t, const char *why);

/* 1 once Ctrl-C was pressed. */
int torture_is_stopped(void);

#endif
