#define _DEFAULT_SOURCE         /* flock */
#define _POSIX_C_SOURCE 200809L /* O_NOFOLLOW, lstat */
#include "io/open_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/messages.h"

enum { FIRST_DESCRIPTOR = 3, ATTEMPTS = 100 };

int rlti_open(const char *path, int flags) {
    int file = open(path, flags | O_CLOEXEC, 0666);
    if (file < 0 || file >= FIRST_DESCRIPTOR)
        return file;
    int higher = fcntl(file, F_DUPFD_CLOEXEC, FIRST_DESCRIPTOR), error = errno;
    close(file);
    errno = error;
    return higher;
}

rlti_file_state rlti_file_lock(int file) {
    while (flock(file, LOCK_EX | LOCK_NB) != 0)
        if (errno != EINTR)
            return errno == EWOULDBLOCK ? RLTI_FILE_HELD : RLTI_FILE_NO_LOCKS;
    return RLTI_FILE_LOCKED;
}

int rlti_file_is(int file, const char *path) {
    struct stat open_one, named;
    return fstat(file, &open_one) == 0 && lstat(path, &named) == 0 && open_one.st_ino == named.st_ino &&
           open_one.st_dev == named.st_dev;
}

static const char *unfit(const struct stat *found) {
    if (S_ISLNK(found->st_mode))
        return "it is a symbolic link";
    if (S_ISFIFO(found->st_mode))
        return "it is a named pipe";
    if (S_ISDIR(found->st_mode))
        return "it is a folder";
    if (!S_ISREG(found->st_mode))
        return "it is not a regular file";
    return found->st_nlink > 1 ? "it has other names (hard links)" : NULL;
}

const char *rlti_file_unfit(const char *path) {
    struct stat found;
    return lstat(path, &found) == 0 ? unfit(&found) : NULL;
}

const char *rlti_file_unfit_open(int file) {
    struct stat found;
    return fstat(file, &found) == 0 ? unfit(&found) : strerror(errno);
}

static rlt_status in_the_way(const char *path, const char *target, const char *why, rlt_messages *messages) {
    return rlti_fail(messages, RLT_FAILED, "%s: cannot write: %s cannot be used: %s; remove it", target, path,
                     why);
}

static rlt_status is_held(const char *path, const char *target, rlt_messages *messages) {
    return rlti_fail(messages, RLT_FAILED,
                     "%s: is being written by another run, which has %s open; wait until it ends or choose "
                     "another name",
                     target, path);
}

static rlt_status cannot_write(const char *target, int error, rlt_messages *messages) {
    return rlti_fail(messages, RLT_FAILED, "%s: cannot write: %s", target, strerror(error));
}

/* Removes what a dead run has left. */
static rlt_status remove_stale(const char *path, const char *target, rlt_messages *messages) {
    const char *why = rlti_file_unfit(path);
    if (why != NULL)
        return in_the_way(path, target, why, messages);
    int old = rlti_open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
    if (old < 0)
        return errno == ENOENT ? RLT_OK : cannot_write(target, errno, messages);
    rlt_status status = RLT_OK;
    why = rlti_file_unfit_open(old); /* it may have changed since */
    if (why != NULL)
        status = in_the_way(path, target, why, messages);
    else if (rlti_file_lock(old) == RLTI_FILE_HELD)
        status = is_held(path, target, messages);
    else if (rlti_file_is(old, path) && unlink(path) != 0 && errno != ENOENT)
        status = cannot_write(target, errno, messages);
    close(old);
    return status;
}

rlt_status rlti_file_create(const char *path, const char *target, rlt_messages *messages, int *file) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        *file = rlti_open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW);
        if (*file >= 0) {
            /* another run may have taken it for a dead one's before it was locked */
            if (rlti_file_lock(*file) != RLTI_FILE_HELD && rlti_file_is(*file, path))
                return RLT_OK;
            close(*file);
            *file = -1;
            continue;
        }
        rlt_status status =
            errno == EEXIST ? remove_stale(path, target, messages) : cannot_write(target, errno, messages);
        if (status != RLT_OK)
            return status;
    }
    return is_held(path, target, messages);
}

rlt_status rlti_file_reopen(const char *path, rlt_messages *messages, int *file) {
    const char *why = rlti_file_unfit(path);
    rlt_status status = RLT_OK;
    *file = why == NULL ? rlti_open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK) : -1;
    if (why == NULL)
        why = *file < 0 ? strerror(errno) : rlti_file_unfit_open(*file);
    if (why != NULL)
        status = rlti_refuse(messages, "%s: cannot resume it: %s", path, why);
    else if (rlti_file_lock(*file) == RLTI_FILE_HELD)
        status = rlti_fail(messages, RLT_FAILED,
                           "%s: cannot resume it: another run writes it; wait until it ends", path);
    if (status != RLT_OK && *file >= 0) {
        close(*file);
        *file = -1;
    }
    return status;
}
