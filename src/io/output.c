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
#include "io/open_file.h"

static rlt_status cannot_write(const char *target, int error, rlt_messages *messages) {
    return rlti_fail(messages, RLT_FAILED, "%s: cannot write: %s", target, strerror(error));
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
        return rlti_refuse(messages, "output file: the name is empty");
    char *path = rlti_text_copy(target);
    if (path == NULL)
        return rlti_out_of_memory(messages);
    int error = make_parents(path);
    rlti_free(path);
    struct stat found;
    int exists = error == 0 && stat(target, &found) == 0;
    if (exists && S_ISDIR(found.st_mode))
        error = EISDIR;
    if (error != 0)
        return cannot_write(target, error, messages);
    if (exists && !S_ISREG(found.st_mode)) /* the finished file would replace it */
        return rlti_fail(messages, RLT_FAILED,
                         "%s: cannot write: it is a pipe or a device; choose another name", target);
    return RLT_OK;
}

rlt_status rlti_output_remove(const char *target, const char *suffix, rlt_messages *messages) {
    char *temporary = rlti_text_join(target, suffix);
    if (temporary == NULL)
        return rlti_out_of_memory(messages);
    rlt_status status = RLT_OK;
    const char *why = rlti_file_unfit(temporary);
    if (why != NULL)
        status = rlti_fail(messages, RLT_FAILED, "%s: cannot be removed: %s", temporary, why);
    else
        unlink(temporary);
    rlti_free(temporary);
    if (status != RLT_OK)
        return status;
    if (unlink(target) != 0 && errno != ENOENT)
        return rlti_fail(messages, RLT_FAILED, "%s: cannot be removed: %s", target, strerror(errno));
    return RLT_OK;
}

static void release(rlti_stream *stream) {
    if (stream->file >= 0)
        close(stream->file);
    RLTI_FREE(stream->target, stream->name, stream->buffer);
    *stream = (rlti_stream){.file = -1};
}

static int reserve(rlti_stream *stream, const char *target, const char *suffix, size_t capacity) {
    *stream = (rlti_stream){.file = -1, .capacity = capacity};
    stream->target = rlti_text_copy(target);
    stream->name = rlti_text_join(target, suffix);
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
    rlt_status status = rlti_file_create(stream->name, target, messages, &stream->file);
    if (status != RLT_OK)
        release(stream);
    return status;
}

static void write_all(rlti_stream *stream, const char *data, size_t size) {
    while (size > 0 && stream->error == 0) {
        ssize_t written = write(stream->file, data, size);
        if (written > 0) {
            rlti_sum_add(&stream->sum, data, (size_t)written);
            data += written;
            size -= (size_t)written;
        } else if (written == 0) {
            stream->error = ENOSPC; /* write(2) gives no reason with a zero count */
        } else if (errno != EINTR) {
            stream->error = errno;
        }
    }
}

void rlti_stream_flush(rlti_stream *stream) {
    write_all(stream, stream->buffer, stream->used);
    stream->used = 0;
}

char *rlti_stream_reserve(rlti_stream *stream, size_t bytes) {
    if (stream->capacity - stream->used < bytes)
        rlti_stream_flush(stream);
    return stream->buffer + stream->used;
}

void rlti_stream_write(rlti_stream *stream, const void *data, size_t size) {
    if (size > stream->capacity - stream->used)
        rlti_stream_flush(stream);
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

void rlti_stream_u32(rlti_stream *stream, uint32_t value) {
    unsigned char bytes[4];
    rlti_bytes_put(bytes, value, 4);
    rlti_stream_write(stream, bytes, sizeof bytes);
}

void rlti_stream_u64(rlti_stream *stream, uint64_t value) {
    unsigned char bytes[8];
    rlti_bytes_put(bytes, value, 8);
    rlti_stream_write(stream, bytes, sizeof bytes);
}

uint64_t rlti_stream_align(rlti_stream *stream) {
    static const unsigned char zeros[8];
    rlti_stream_write(stream, zeros, (size_t)(-rlti_stream_length(stream) & 7));
    return (uint64_t)rlti_stream_length(stream);
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

enum { PATCH_BYTES = 128 };

/* The sum after the next patch of up to PATCH_BYTES: of the whole words around it. */
static void sum_patch(rlti_stream *stream, uint64_t at, const unsigned char *data, size_t size) {
    unsigned char before[PATCH_BYTES + 16], after[PATCH_BYTES + 16];
    uint64_t from = at / 8 * 8, end = (at + size + 7) / 8 * 8;
    end = end < stream->sum.length ? end : stream->sum.length;
    if (at + size > end) {
        stream->error = EINVAL; /* nothing was written there */
        return;
    }
    size_t around = (size_t)(end - from);
    if (!read_all(stream->file, (long long)from, (char *)before, around, &stream->error))
        return;
    memcpy(after, before, around);
    memcpy(after + (at - from), data, size);
    rlti_sum_change(&stream->sum, from, before, after, around);
}

static void patch_all(rlti_stream *stream, long long at, const unsigned char *from, size_t size) {
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

void rlti_stream_patch(rlti_stream *stream, long long at, const void *data, size_t size) {
    const unsigned char *from = data;
    rlti_stream_flush(stream);
    while (size > 0 && stream->error == 0) {
        size_t now = size < PATCH_BYTES ? size : PATCH_BYTES;
        sum_patch(stream, (uint64_t)at, from, now);
        patch_all(stream, at, from, now);
        from += now;
        at += (long long)now;
        size -= now;
    }
}

void rlti_stream_append(rlti_stream *stream, rlti_stream *part) {
    rlti_stream_flush(part);
    rlti_stream_flush(stream);
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

long long rlti_stream_length(const rlti_stream *stream) {
    return (long long)stream->sum.length + (long long)stream->used;
}

int rlti_stream_read(rlti_stream *stream, long long offset, void *to, size_t size) {
    int error = 0;
    rlti_stream_flush(stream);
    return offset >= 0 && stream->error == 0 && read_all(stream->file, offset, to, size, &error);
}

void rlti_stream_copy(rlti_stream *stream, rlti_stream *part, long long offset, long long length) {
    rlti_stream_flush(part);
    if (part->error != 0 && stream->error == 0)
        stream->error = part->error;
    while (length > 0 && stream->error == 0) {
        if (stream->used == stream->capacity)
            rlti_stream_flush(stream);
        size_t left = stream->capacity - stream->used;
        size_t now = length < (long long)left ? (size_t)length : left;
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

rlti_stream_mark rlti_stream_sync(rlti_stream *stream) {
    rlti_stream_mark mark = {0, 0};
    rlti_stream_flush(stream);
    if (stream->error == 0 && fdatasync(stream->file) != 0 && errno != EINVAL)
        stream->error = errno;
    if (stream->error == 0)
        mark = (rlti_stream_mark){(long long)stream->sum.length, rlti_sum_value(&stream->sum)};
    return mark;
}

/* Reads the file up to the mark; 1 where it is the one that the mark was made of. */
static int is_same(rlti_stream *stream, const rlti_stream_mark *mark) {
    int error = 0;
    for (long long at = 0; at < mark->length;) {
        long long left = mark->length - at;
        size_t now = left < (long long)stream->capacity ? (size_t)left : stream->capacity;
        if (!read_all(stream->file, at, stream->buffer, now, &error))
            return 0;
        rlti_sum_add(&stream->sum, stream->buffer, now);
        at += (long long)now;
    }
    return rlti_sum_value(&stream->sum) == mark->sum;
}

rlt_status rlti_stream_reopen(rlti_stream *stream, const char *target, const char *suffix, size_t capacity,
                              const rlti_stream_mark *mark, rlt_messages *messages) {
    if (!reserve(stream, target, suffix, capacity))
        return rlti_out_of_memory(messages);
    rlt_status status = rlti_file_reopen(stream->name, messages, &stream->file);
    if (status == RLT_OK && !is_same(stream, mark))
        status =
            rlti_refuse(messages,
                        "%s: cannot resume it: it is not what the checkpoint was made with; start over from "
                        "the first frame",
                        stream->name);
    else if (status == RLT_OK && (ftruncate(stream->file, (off_t)mark->length) != 0 ||
                                  lseek(stream->file, (off_t)mark->length, SEEK_SET) < 0))
        status = cannot_write(target, errno, messages);
    if (status != RLT_OK)
        release(stream);
    return status;
}

rlt_status rlti_stream_check(const rlti_stream *stream, rlt_messages *messages) {
    return stream->error == 0 ? RLT_OK : cannot_write(stream->target, stream->error, messages);
}

/* Removes the temporary file, unless it is somebody else's by now. */
static void remove_own(const rlti_stream *stream) {
    if (rlti_file_is(stream->file, stream->name))
        unlink(stream->name);
}

/* The rename itself must survive a power cut; file systems that cannot sync a directory are left alone. */
static void sync_directory_of(const char *path) {
    char *directory = rlti_text_copy(path);
    if (directory == NULL)
        return;
    char *slash = strrchr(directory, '/');
    if (slash != NULL)
        slash[slash == directory ? 1 : 0] = '\0';
    int file = rlti_open(slash != NULL ? directory : ".", O_RDONLY);
    if (file >= 0) {
        (void)fsync(file);
        close(file);
    }
    rlti_free(directory);
}

rlt_status rlti_stream_publish(rlti_stream *stream, rlt_messages *messages) {
    rlti_stream_flush(stream);
    /* EINVAL: a file system that cannot sync */
    if (stream->error == 0 && fsync(stream->file) != 0 && errno != EINVAL)
        stream->error = errno;
    /* still open, thus locked: nobody takes it for a dead run's and puts another in its place */
    int is_own = rlti_file_is(stream->file, stream->name);
    if (stream->error == 0 && is_own && rename(stream->name, stream->target) != 0)
        stream->error = errno;
    rlt_status status = rlti_stream_check(stream, messages);
    if (status == RLT_OK && !is_own)
        status = rlti_fail(messages, RLT_FAILED,
                           "%s: cannot write: %s was removed or replaced meanwhile; run again",
                           stream->target, stream->name);
    if (status == RLT_OK)
        sync_directory_of(stream->target);
    else
        remove_own(stream);
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
    remove_own(stream);
    release(stream);
}
