/* Output files: written under a temporary name beside the target, checked, and renamed when complete.
 *
 * A stream keeps its first error, so that code that formats can write on and ask once at the end of a frame.
 */
#ifndef RLTI_IO_OUTPUT_H
#define RLTI_IO_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

#include "base/checksum.h"
#include "ringlet/status.h"

typedef struct rlti_stream {
    char *target;    /* the name the caller asked for; messages speak of it */
    char *name;      /* the file that is open: target and a suffix */
    int file;        /* descriptor, or -1 */
    int error;       /* errno of the first failure, or 0 */
    char *buffer;    /* [capacity] */
    size_t used;     /* bytes waiting in the buffer */
    size_t capacity; /* [bytes] */
    rlti_sum sum;    /* of all bytes in the file */
} rlti_stream;

/* Creates the directories above `target` where they are missing and refuses a target that cannot become a
 * file: a folder, a pipe, a device. A link in its place is replaced by the file, not followed. */
rlt_status rlti_output_prepare(const char *target, rlt_messages *messages);

/* Makes `target` + `suffix` for writing, in the place of what a dead run has left; links, pipes and the files
 * of a run that lives are refused. On failure the stream is closed and holds nothing. */
rlt_status rlti_stream_open(rlti_stream *stream, const char *target, const char *suffix, size_t capacity,
                            rlt_messages *messages);

/* Removes `target`, and first `target` + `suffix`; either may be missing. */
rlt_status rlti_output_remove(const char *target, const char *suffix, rlt_messages *messages);

/* A stream in a checkpoint: how far it goes, and the checksum of all before. */
typedef struct rlti_stream_mark {
    long long length; /* [bytes] */
    uint64_t sum;
} rlti_stream_mark;

/* Flushes to the disk and reports how far the file goes. Failures show in rlti_stream_check. */
rlti_stream_mark rlti_stream_sync(rlti_stream *stream);

/* Opens `target` + `suffix`, written by an earlier run, to continue after the mark; what follows the mark is
 * cut off. All before it is read: RLT_BAD_INPUT where the file is missing, shorter, or a byte of it has
 * changed. */
rlt_status rlti_stream_reopen(rlti_stream *stream, const char *target, const char *suffix, size_t capacity,
                              const rlti_stream_mark *mark, rlt_messages *messages);

/* A place for at least `bytes` (at most the capacity) characters; the caller says how many it took. */
char *rlti_stream_reserve(rlti_stream *stream, size_t bytes);
static inline void rlti_stream_take(rlti_stream *stream, size_t bytes) {
    stream->used += bytes;
}

void rlti_stream_write(rlti_stream *stream, const void *data, size_t size);
void rlti_stream_text(rlti_stream *stream, const char *text);

/* Numbers, lowest byte first. */
void rlti_stream_u32(rlti_stream *stream, uint32_t value);
void rlti_stream_u64(rlti_stream *stream, uint64_t value);
static inline void rlti_bytes_put(unsigned char *bytes, uint64_t value, int count) {
    for (int i = 0; i < count; i++)
        bytes[i] = (unsigned char)(value >> (8 * i));
}

/* Zeros up to a multiple of 8 bytes; returns where that is. */
uint64_t rlti_stream_align(rlti_stream *stream);

/* Hands what waits in the buffer to the system, so that `sum` is of all bytes. */
void rlti_stream_flush(rlti_stream *stream);

/* Overwrites bytes that were written before, where the file holds what is only known at the end. */
void rlti_stream_patch(rlti_stream *stream, long long at, const void *data, size_t size);

/* Appends everything written to `part`, which must still be open. */
void rlti_stream_append(rlti_stream *stream, rlti_stream *part);

/* Bytes written so far. */
long long rlti_stream_length(const rlti_stream *stream);

/* Appends `length` bytes of `part`, which must still be open, from `offset` on. */
void rlti_stream_copy(rlti_stream *stream, rlti_stream *part, long long offset, long long length);

/* Reads back what was written; returns 0 where there are not so many bytes (or the reading failed). */
int rlti_stream_read(rlti_stream *stream, long long offset, void *to, size_t size);

/* RLT_OK, or RLT_FAILED with "TARGET: cannot write: REASON" of the first failure. */
rlt_status rlti_stream_check(const rlti_stream *stream, rlt_messages *messages);

/* Flushes to the disk, renames to the target, unless somebody else's file is in its place now, and closes; on
 * failure the temporary file is removed. */
rlt_status rlti_stream_publish(rlti_stream *stream, rlt_messages *messages);

/* Closes and leaves the temporary file as it is. Harmless on a closed or zeroed stream. */
void rlti_stream_leave(rlti_stream *stream);

/* Closes and removes the temporary file. Harmless on a closed or zeroed stream. */
void rlti_stream_discard(rlti_stream *stream);

#endif
