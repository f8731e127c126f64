/* The program itself, as another process. */
#ifndef RINGLET_APP_LIVE_AGAIN_H
#define RINGLET_APP_LIVE_AGAIN_H

#include <sys/types.h>

enum { AGAIN_ARGUMENTS = 12 };

typedef enum again_flags {
    AGAIN_ERRORS = 1, /* its standard error goes into the pipe, too */
    AGAIN_GROUP = 2   /* Ctrl-C in the terminal does not reach it */
} again_flags;

/* Starts it with these arguments (without its own name, NULL at the end, fewer than AGAIN_ARGUMENTS), nothing
 * on its standard input and its standard output in a pipe, whose other end is `*output`. 0 where that
 * fails. */
int again_start(const char *const *arguments, unsigned flags, pid_t *process, int *output);

#endif
