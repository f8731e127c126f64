/* Opening files that only this run writes: never through a link, never waiting for a pipe, never one that
 * another run has open. */
#ifndef RLTI_IO_OPEN_FILE_H
#define RLTI_IO_OPEN_FILE_H

#include "ringlet/status.h"

/* open(2), closed on exec, with a descriptor above 2: where the standard ones are closed, what somebody
 * prints must not land in the file. Returns it, or -1 with errno. */
int rlti_open(const char *path, int flags);

typedef enum rlti_file_state { RLTI_FILE_LOCKED, RLTI_FILE_HELD, RLTI_FILE_NO_LOCKS } rlti_file_state;

/* Locks an open file for this descriptor, until it is closed or the process ends: locked, held by another
 * descriptor, or on a file system without locks. */
rlti_file_state rlti_file_lock(int file);

/* 1: `path` still is the open file. */
int rlti_file_is(int file, const char *path);

/* Why `path` cannot serve as a file of this run's own ("it is a named pipe"), or NULL where it can or there
 * is none. Links are not followed. */
const char *rlti_file_unfit(const char *path);
/* The same of an open file. */
const char *rlti_file_unfit_open(int file);

/* Makes `path` anew and locks it. A file that a dead run has left there is replaced; RLT_FAILED where
 * something else has its name or a run that lives has it open. `target` is what messages speak of. */
rlt_status rlti_file_create(const char *path, const char *target, rlt_messages *messages, int *file);

/* Opens `path`, which a dead run has left, for reading and writing, and locks it. RLT_BAD_INPUT where there
 * is no such file, RLT_FAILED where a run that lives has it open. */
rlt_status rlti_file_reopen(const char *path, rlt_messages *messages, int *file);

#endif
