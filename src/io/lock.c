/* A lock is a file beside the output, locked by flock: on Linux that counts between processes and on network
 * file systems between machines, and the system releases it when the last descriptor is closed. The file's
 * text only says who has it. It is removed by its owner while it is still locked; who has opened it before
 * that finds out that the name leads elsewhere, and tries again. */
#define _POSIX_C_SOURCE 200809L /* O_NOFOLLOW, gethostname */
#include "io/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/messages.h"
#include "io/open_file.h"
#include "io/output.h"

#define SUFFIX ".lock"
#define MAGIC  "ringlet lock\n"
enum { ATTEMPTS = 100, TEXT_SIZE = 1024, COMMAND_SIZE = 400 };

struct rlt_lock {
    char *path; /* of the output */
    char *name; /* of the lock's own file */
    int file;
};

/* ---- who ---- */

/* The command line of this process; empty where the system does not say. */
static void read_command(char *text, size_t size) {
    int file = rlti_open("/proc/self/cmdline", O_RDONLY);
    ssize_t got = file >= 0 ? read(file, text, size - 1) : 0;
    if (file >= 0)
        close(file);
    size_t length = got > 0 ? (size_t)got : 0;
    while (length > 0 && text[length - 1] == '\0')
        length--;
    for (size_t i = 0; i < length; i++)
        if (text[i] == '\0')
            text[i] = ' ';
    text[length] = '\0';
}

/* A text that nobody could write is no loss: then it is another run, without a name. */
static void sign(int file) {
    char host[256] = "", since[32] = "", command[COMMAND_SIZE], text[TEXT_SIZE];
    time_t now = time(NULL);
    struct tm parts;
    if (gethostname(host, sizeof host - 1) != 0 || host[0] == '\0')
        snprintf(host, sizeof host, "?");
    if (gmtime_r(&now, &parts) == NULL || strftime(since, sizeof since, "%Y-%m-%d %H:%M:%S", &parts) == 0)
        snprintf(since, sizeof since, "?");
    read_command(command, sizeof command);
    int length =
        snprintf(text, sizeof text, MAGIC "%ld\n%s\n%s UTC\n%s\n", (long)getpid(), host, since, command);
    if (ftruncate(file, 0) == 0 && length > 0)
        (void)!pwrite(file, text, (size_t)length, 0);
}

/* The text of a lock's file; what would move a terminal's cursor becomes '?'. Returns 0 where the file is
 * somebody else's. */
static int read_sign(int file, char text[TEXT_SIZE]) {
    ssize_t got = pread(file, text, TEXT_SIZE - 1, 0);
    size_t length = got > 0 ? (size_t)got : 0;
    text[length] = '\0';
    for (size_t i = 0; i < length; i++)
        if (text[i] != '\n' && ((unsigned char)text[i] < 32 || text[i] == 127))
            text[i] = '?';
    return length == 0 || strncmp(text, MAGIC, sizeof MAGIC - 1) == 0;
}

/* Ends the line at `*at` and moves there; an empty text where there is none. */
static const char *next_line(char **at) {
    char *line = *at, *end = strchr(line, '\n');
    if (end != NULL)
        *end = '\0';
    *at = end != NULL ? end + 1 : line + strlen(line);
    return line;
}

static rlt_status is_held(const char *path, int file, rlt_messages *messages) {
    static const char remedy[] = "wait until it ends or choose another name";
    char text[TEXT_SIZE], *at = text;
    if (!read_sign(file, text) || text[0] == '\0')
        return rlti_fail(messages, RLT_FAILED, "%s: is being written by another run; %s", path, remedy);
    (void)next_line(&at);
    const char *pid = next_line(&at), *host = next_line(&at), *since = next_line(&at),
               *command = next_line(&at);
    return rlti_fail(messages, RLT_FAILED, "%s: is being written by process %s on %s since %s (%s); %s", path,
                     pid, host, since, command, remedy);
}

/* ---- taking ---- */

static rlt_status in_the_way(const rlt_lock *lock, const char *why, rlt_messages *messages) {
    return rlti_fail(messages, RLT_FAILED, "%s: cannot write: %s cannot be used: %s; remove it", lock->path,
                     lock->name, why);
}

/* Checks the open file; *done where it is this run's from now on. */
static rlt_status claim(rlt_lock *lock, rlt_messages *messages, int *done) {
    char text[TEXT_SIZE];
    const char *why = rlti_file_unfit_open(lock->file);
    if (why != NULL)
        return in_the_way(lock, why, messages);
    rlti_file_state state = rlti_file_lock(lock->file);
    if (state == RLTI_FILE_HELD)
        return is_held(lock->path, lock->file, messages);
    if (!rlti_file_is(lock->file, lock->name)) /* its owner has just released it */
        return RLT_OK;
    if (!read_sign(lock->file, text))
        return in_the_way(lock, "it is not a lock of Ringlet", messages);
    if (state == RLTI_FILE_NO_LOCKS)
        rlti_warn(
            messages,
            "%s: cannot be locked: this file system has no locks; make sure that no other run writes it",
            lock->path);
    sign(lock->file);
    *done = 1;
    return RLT_OK;
}

/* Another user's lock can be read at best: it says who that is, if the run still lives. */
static rlt_status cannot_open(const rlt_lock *lock, int error, rlt_messages *messages) {
    int file = error == EACCES ? rlti_open(lock->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) : -1;
    if (file < 0)
        return rlti_fail(messages, RLT_FAILED, "%s: cannot write: %s", lock->path, strerror(error));
    rlt_status status = rlti_file_lock(file) == RLTI_FILE_HELD
                            ? is_held(lock->path, file, messages)
                            : in_the_way(lock, "a dead run of another user has left it", messages);
    close(file);
    return status;
}

static rlt_status take(rlt_lock *lock, rlt_messages *messages) {
    rlt_status status = RLT_OK;
    int done = 0;
    for (int attempt = 0; attempt < ATTEMPTS && status == RLT_OK && !done; attempt++) {
        const char *why = rlti_file_unfit(lock->name);
        if (why != NULL)
            return in_the_way(lock, why, messages);
        lock->file = rlti_open(lock->name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK);
        if (lock->file < 0)
            return cannot_open(lock, errno, messages);
        status = claim(lock, messages, &done);
        if (!done) {
            close(lock->file);
            lock->file = -1;
        }
    }
    if (status == RLT_OK && !done)
        status = rlti_fail(messages, RLT_FAILED, "%s: other runs keep taking its lock; choose another name",
                           lock->path);
    return status;
}

static void destroy(rlt_lock *lock) {
    if (lock->file >= 0)
        close(lock->file);
    RLTI_FREE(lock->path, lock->name, lock);
}

rlt_status rlt_lock_take(const char *path, rlt_messages *messages, rlt_lock **lock) {
    *lock = NULL;
    rlt_status status = rlti_output_prepare(path, messages);
    if (status != RLT_OK)
        return status;
    size_t length = strlen(path);
    rlt_lock *made = RLTI_NEW(rlt_lock, 1);
    if (made == NULL)
        return rlti_out_of_memory(messages);
    made->file = -1;
    if (!RLTI_ALLOCATE(RLTI_ITEMS(made->path, length + 1), RLTI_ITEMS(made->name, length + sizeof SUFFIX))) {
        destroy(made);
        return rlti_out_of_memory(messages);
    }
    memcpy(made->path, path, length + 1);
    memcpy(made->name, path, length);
    memcpy(made->name + length, SUFFIX, sizeof SUFFIX);
    status = take(made, messages);
    if (status == RLT_OK)
        *lock = made;
    else
        destroy(made);
    return status;
}

rlt_status rlti_lock_take(const char *path, const rlt_lock *held, rlt_messages *messages, rlt_lock **lock) {
    *lock = NULL;
    if (held != NULL && strcmp(held->path, path) == 0)
        return RLT_OK;
    return rlt_lock_take(path, messages, lock);
}

void rlt_lock_release(rlt_lock *lock) {
    if (lock == NULL)
        return;
    if (rlti_file_is(lock->file, lock->name))
        unlink(lock->name);
    destroy(lock);
}
