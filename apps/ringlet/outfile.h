/* Small files of text that appear whole or not at all, and the lock on an output. */
#ifndef RINGLET_APP_OUTFILE_H
#define RINGLET_APP_OUTFILE_H

#include <stdio.h>

#include "ringlet/ringlet.h"

/* A text for a file, all in memory. */
typedef struct outfile {
    FILE *text; /* print to it */
    char *bytes;
    size_t size;
} outfile;

/* Returns 0 when out of memory. */
int outfile_begin(outfile *out);

/* Writes what was printed, unless !good (out of memory), and frees it; prints why where that fails. */
rlt_status outfile_end(outfile *out, int good, const char *path);

/* RLT_BAD_INPUT, with a line printed, where a finished file would be replaced without --force. */
rlt_status outfile_check_new(const char *path, int force);

/* Takes the lock of an output (ringlet/lock.h), and prints why where that fails. */
rlt_status outfile_lock(const char *path, rlt_lock **lock);

#endif
