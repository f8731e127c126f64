/* Locks on outputs: two runs that write one file would spoil each other's work. */
#ifndef RINGLET_LOCK_H
#define RINGLET_LOCK_H

#include "ringlet/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rlt_lock rlt_lock;

/* Takes the output `path` for this run, with all that stands beside it under longer names: PATH.lock is made
 * and locked. The system releases it when the process ends, however that ends; what a dead process has left
 * is taken over. RLT_FAILED at once where another run has it, with its process, host, start and command.
 * Writers take the lock of their file themselves; take it before where more than the writer counts on it, and
 * hand it to the writer. Where the file system has no locks the call succeeds with a warning. */
rlt_status rlt_lock_take(const char *path, rlt_messages *messages, rlt_lock **lock);

/* Releases it and removes PATH.lock. NULL is harmless. */
void rlt_lock_release(rlt_lock *lock);

#ifdef __cplusplus
}
#endif

#endif
