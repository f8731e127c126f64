/* What a checkpoint holds of a writer: how far each of its parts had come. */
#ifndef RLTI_IO_WRITER_STATE_H
#define RLTI_IO_WRITER_STATE_H

#include <stdint.h>

#include "io/checkpoint.h"
#include "ringlet/write.h"

#define RLTI_WRITER_PARTS  7
#define RLTI_WRITER_FIELDS 4

typedef struct rlti_writer_state {
    int64_t frames[3];                  /* how many, first, last */
    int64_t lengths[RLTI_WRITER_PARTS]; /* of the part files [bytes], -1: there is no such part */
    uint64_t tails[RLTI_WRITER_PARTS];  /* checksums of their last bytes */
    double shift[3];                    /* fixed by the first frame [unit] */
} rlti_writer_state;

/* The one list of fields, for saving and loading. */
void rlti_writer_fields(rlti_writer_state *state, rlti_field fields[RLTI_WRITER_FIELDS]);

/* Puts everything written so far on the disk, and tells how far that is. */
rlt_status rlti_writer_mark(rlt_writer *writer, rlti_writer_state *state, rlt_messages *messages);

#endif
