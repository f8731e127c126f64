/* Runs of the program under test: with a signal at some instant, limits, closed descriptors, or ranks. Every
 * child has a time limit and a process group of its own. */
#ifndef TORTURE_CHILD_H
#define TORTURE_CHILD_H

#include <sys/types.h>

#include "trial.h"

#define ARGUMENT_SIZE 2048
#define CHILD_SECONDS 60.0 /* time limit unless another one is given */

typedef struct launch {
    char arguments[ARGUMENT_SIZE]; /* of ringlet, separated by spaces */
    int ranks;                     /* above 1: by mpirun */
    long long file_limit;          /* bytes of a file, a multiple of 512; 0: no limit */
    int limit_kills;               /* SIGXFSZ ends it; else the write fails */
    int closed;                    /* bit d: descriptor d is closed */
    int signal;                    /* 0: none */
    int rank;                      /* the one of several ranks that gets it */
    double after;                  /* seconds until the signal */
    const char *await;             /* NULL, or the file from whose appearance on these seconds count */
    double seconds;                /* time limit; 0: CHILD_SECONDS */
} launch;

typedef struct child {
    pid_t pid;
    int number;
    double begun;
    launch what;
    int ended, status;
} child;

/* How a child ended. */
typedef struct ending {
    int code; /* exit code; below 0: minus the signal that ended it */
    int late; /* it was ended by the time limit */
    double seconds;
    char said[2048]; /* the begin of standard error */
} ending;

double clock_seconds(void);
void sleep_seconds(double seconds);

child child_start(trial *t, const launch *what);
/* 1 once it has ended; does not wait. */
int child_has_ended(child *c);
/* Stops it (1), or finds that it has ended (0); child_continue lets it run on. */
int child_stop(child *c);
void child_continue(child *c);
ending child_wait(trial *t, child *c);
/* All of it. */
ending child_run(trial *t, const launch *what);

/* A line for the shell, logged; 1 where it succeeds in time. */
int child_command(trial *t, const char *line, double seconds);

/* Waits for processes that children have left behind; how many had to be ended. */
int child_sweep(void);

#endif
