#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L /* fsync, open flags */
#endif
#include "io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checksum.h"
#include "base/memory.h"
#include "base/messages.h"

static rlt_status cannot_write(const char *target, int error, rlt_messages *messages) {
    return rlti_fail(messages, RLT_FAILED, "%s: cannot write: %s", target, strerror(error));
}

static char *join(const char *first, const char *second) {
    size_t a = strlen(first);
    size_t b = strlen(second);
    char *text = rlti_allocate(a + b + 1, 1);
    if (text != NULL) {
        memcpy(text, first, a);
        memcpy(text + a, second, b + 1);
    }
    return text;
}

/* Makes every directory named before a '/' of the path; returns 0 or errno. */
static int make_parents(char *path) {
    for (char *c = path + 1; *c != '\0'; c++) {
        if (*c != '/' || c[-1] == '/')
            continue;
        *c = '\0';
        struct stat found;
        int missing = stat(path, &found) != 0;
        int failed = missing && mkdir(path, 0777) != 0 && errno != EEXIST;
        int error = failed ? errno : 0;
        *c = '/';
        if (error != 0)
            return error;
    }
    return 0;
}

rlt_status rlti_output_prepare(const char *target, rlt_messages *messages) {
    if (target == NULL || target[0] == '\0')
        return rlti_fail(messages, RLT_BAD_INPUT, "output file: the name is empty");
    char *path = join(target, "");
    if (path == NULL)
        return rlti_out_of_memory(messages);
    int error = make_parents(path);
    rlti_free(path);
    struct stat found;
    if (error == 0 && stat(target, &found) == 0 && S_ISDIR(found.st_mode))
        error = EISDIR;
    return error == 0 ? RLT_OK : cannot_write(target, error, messages);
}

rlt_status rlti_output_remove(const char *target, const char *suffix, rlt_messages *messages) {
    char *temporary = join(target, suffix);
    if (temporary == NULL)
        return rlti_out_of_memory(messages);
    unlink(temporary);
    rlti_free(temporary);
    if (unlink(target) != 0 && errno != ENOENT)
        return rlti_fail(messages, RLT_FAILED, "%s: cannot be removed: %s", target, strerror(errno));
    return RLT_OK;
}

static void release(rlti_stream *stream) {
    if (stream->file >= 0)
        close(stream->file);
    rlti_free(stream->target);
    rlti_free(stream->name);
    rlti_free(stream->buffer);
    *stream = (rlti_stream){.file = -1};
}

static int reserve(rlti_stream *stream, const char *target, const char *suffix, size_t capacity) {
    *stream = (rlti_stream){.file = -1, .capacity = capacity};
    stream->target = join(target, "");
    stream->name = join(target, suffix);
    stream->buffer = rlti_allocate(capacity, 1);
    if (stream->target != NULL && stream->name != NULL && stream->buffer != NULL)
        return 1;
    release(stream);
    return 0;
}

rlt_status rlti_stream_open(rlti_stream *stream, const char *target, const char *suffix, size_t capacity,
                            rlt_messages *messages) {
    if (!reserve(stream, target, suffix, capacity))
        return rlti_out_of_memory(messages);
    stream->file = open(stream->name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (stream->file < 0) {
        int error = errno;
        release(stream);
        return cannot_write(target, error, messages);
    }
    return RLT_OK;
}

static void write_all(rlti_stream *stream, const char *data, size_t size) {
    while (size > 0 && stream->error == 0) {
        ssize_t written = write(stream->file, data, size);
        if (written > 0) {
            data += written;
            size -= (size_t)written;
        } else if (written == 0) {
            stream->error = ENOSPC; /* write(2) gives no reason with a zero count */
        } else if (errno != EINTR) {
            stream->error = errno;
        }
    }
}

static void flush(rlti_stream *stream) {
    write_all(stream, stream->buffer, stream->used);
    stream->used = 0;
}

char *rlti_stream_room(rlti_stream *stream, size_t bytes) {
    if (stream->capacity - stream->used < bytes)
        flush(stream);
    return stream->buffer + stream->used;
}

void rlti_stream_write(rlti_stream *stream, const void *data, size_t size) {
    if (size > stream->capacity - stream->used)
        flush(stream);
    if (size > stream->capacity) {
        write_all(stream, data, size);
        return;
    }
    memcpy(stream->buffer + stream->used, data, size);
    stream->used += size;
}

void rlti_stream_text(rlti_stream *stream, const char *text) {
    rlti_stream_write(stream, text, strlen(text));
}

void rlti_stream_patch(rlti_stream *stream, long long at, const void *data, size_t size) {
    const char *from = data;
    flush(stream);
    while (size > 0 && stream->error == 0) {
        ssize_t written = pwrite(stream->file, from, size, (off_t)at);
        if (written > 0) {
            from += written;
            at += written;
            size -= (size_t)written;
        } else if (written == 0) {
            stream->error = ENOSPC;
        } else if (errno != EINTR) {
            stream->error = errno;
        }
    }
}

void rlti_stream_append(rlti_stream *stream, rlti_stream *part) {
    flush(part);
    flush(stream);
    if (part->error != 0 && stream->error == 0)
        stream->error = part->error;
    if (stream->error == 0 && lseek(part->file, 0, SEEK_SET) < 0)
        stream->error = errno;
    while (stream->error == 0) {
        ssize_t got = read(part->file, stream->buffer, stream->capacity);
        if (got == 0)
            break;
        if (got > 0)
            write_all(stream, stream->buffer, (size_t)got);
        else if (errno != EINTR)
            stream->error = errno;
    }
}

long long rlti_stream_length(rlti_stream *stream) {
    off_t length = lseek(stream->file, 0, SEEK_CUR);
    if (length < 0 && stream->error == 0)
        stream->error = errno;
    return (long long)length + (long long)stream->used;
}

static int read_all(int file, long long offset, char *to, size_t size, int *error) {
    size_t done = 0;
    while (done < size) {
        ssize_t got = pread(file, to + done, size - done, (off_t)offset + (off_t)done);
        if (got > 0) {
            done += (size_t)got;
        } else if (got == 0 || errno != EINTR) {
            *error = got == 0 ? EIO : errno; /* EIO: the file is shorter than it must be */
            return 0;
        }
    }
    return 1;
}

int rlti_stream_read(rlti_stream *stream, long long offset, void *to, size_t size) {
    int error = 0;
    flush(stream);
    return offset >= 0 && stream->error == 0 && read_all(stream->file, offset, to, size, &error);
}

void rlti_stream_copy(rlti_stream *stream, rlti_stream *part, long long offset, long long length) {
    flush(part);
    if (part->error != 0 && stream->error == 0)
        stream->error = part->error;
    while (length > 0 && stream->error == 0) {
        if (stream->used == stream->capacity)
            flush(stream);
        size_t room = stream->capacity - stream->used;
        size_t now = length < (long long)room ? (size_t)length : room;
        int error = 0;
        if (!read_all(part->file, offset, stream->buffer + stream->used, now, &error)) {
            stream->error = error;
            return;
        }
        stream->used += now;
        offset += (long long)now;
        length -= (long long)now;
    }
}

/* Checksum of the last bytes before `length`, at most a buffer full, which must be empty. */
static uint64_t tail_of(rlti_stream *stream, long long length) {
    size_t wanted = length < (long long)stream->capacity ? (size_t)length : stream->capacity, done = 0;
    while (done < wanted && stream->error == 0) {
        ssize_t got = pread(stream->file, stream->buffer + done, wanted - done,
                            (off_t)(length - (long long)(wanted - done)));
        if (got > 0)
            done += (size_t)got;
        else if (got == 0)
            stream->error = EIO; /* the file is shorter than what was written */
        else if (errno != EINTR)
            stream->error = errno;
    }
    return rlti_checksum((uint64_t)length, stream->buffer, done);
}

rlti_stream_mark rlti_stream_sync(rlti_stream *stream) {
    rlti_stream_mark mark = {0, 0};
    flush(stream);
    if (stream->error == 0 && fdatasync(stream->file) != 0 && errno != EINVAL)
        stream->error = errno;
    off_t length = lseek(stream->file, 0, SEEK_CUR);
    if (stream->error == 0 && length < 0)
        stream->error = errno;
    if (stream->error == 0) {
        mark.length = (long long)length;
        mark.tail = tail_of(stream, mark.length);
    }
    return mark;
}

rlt_status rlti_stream_reopen(rlti_stream *stream, const char *target, const char *suffix, size_t capacity,
                              const rlti_stream_mark *mark, rlt_messages *messages) {
    if (!reserve(stream, target, suffix, capacity))
        return rlti_out_of_memory(messages);
    rlt_status status = RLT_OK;
    struct stat found;
    stream->file = open(stream->name, O_RDWR | O_CLOEXEC);
    if (stream->file < 0 || fstat(stream->file, &found) != 0)
        status =
            rlti_fail(messages, RLT_BAD_INPUT, "%s: cannot go on with it: %s", stream->name, strerror(errno));
    else if (!S_ISREG(found.st_mode) || found.st_size < mark->length ||
             tail_of(stream, mark->length) != mark->tail)
        status =
            rlti_fail(messages, RLT_BAD_INPUT,
                      "%s: cannot go on with it: it is not what the checkpoint was made with", stream->name);
    else if (ftruncate(stream->file, (off_t)mark->length) != 0 ||
             lseek(stream->file, (off_t)mark->length, SEEK_SET) < 0)
        status = cannot_write(target, errno, messages);
    if (status != RLT_OK)
        release(stream);
    return status;
}

rlt_status rlti_stream_check(const rlti_stream *stream, rlt_messages *messages) {
    return stream->error == 0 ? RLT_OK : cannot_write(stream->target, stream->error, messages);
}

/* The rename itself must survive a power cut; file systems that cannot sync a directory are left alone. */
static void sync_directory_of(const char *path) {
    char *directory = join(path, "");
    if (directory == NULL)
        return;
    char *slash = strrchr(directory, '/');
    if (slash != NULL)
        slash[slash == directory ? 1 : 0] = '\0';
    int file = open(slash != NULL ? directory : ".", O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        (void)fsync(file);
        close(file);
    }
    rlti_free(directory);
}

rlt_status rlti_stream_publish(rlti_stream *stream, rlt_messages *messages) {
    flush(stream);
    /* EINVAL: a file that cannot be synced, such as a pipe */
    if (stream->error == 0 && fsync(stream->file) != 0 && errno != EINVAL)
        stream->error = errno;
    if (close(stream->file) != 0 && stream->error == 0)
        stream->error = errno;
    stream->file = -1;
    if (stream->error == 0 && rename(stream->name, stream->target) != 0)
        stream->error = errno;
    rlt_status status = rlti_stream_check(stream, messages);
    if (status == RLT_OK)
        sync_directory_of(stream->target);
    else
        unlink(stream->name);
    release(stream);
    return status;
}

void rlti_stream_leave(rlti_stream *stream) {
    if (stream->name != NULL)
        release(stream);
}

void rlti_stream_discard(rlti_stream *stream) {
    if (stream->name == NULL)
        return;
    unlink(stream->name);
    release(stream);
}
