/* Locks on outputs, as writers take them (the public side is ringlet/lock.h). */
#ifndef RLTI_IO_LOCK_H
#define RLTI_IO_LOCK_H

#include "ringlet/lock.h"

/* Takes the lock of `path` unless `held` (which may be NULL) is just that; then *lock becomes NULL. */
rlt_status rlti_lock_take(const char *path, const rlt_lock *held, rlt_messages *messages, rlt_lock **lock);

#endif
