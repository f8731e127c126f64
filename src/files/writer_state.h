/* A writer in a checkpoint: how far each of its parts had come. */
#ifndef RLTI_FILES_WRITER_STATE_H
#define RLTI_FILES_WRITER_STATE_H

#include "formats/tree/sink.h"
#include "io/checkpoint.h"
#include "ringlet/write.h"

#define RLTI_WRITER_OPTIONS 4

typedef struct rlti_writer_state {
    int64_t frames[3];                    /* how many, first, last */
    int64_t options[RLTI_WRITER_OPTIONS]; /* mode, without velocities, extras, axis kept */
    double times[2];                      /* time codes of the first and last frame */
    int64_t lengths[RLTI_SINK_MARKS];     /* of the part files [bytes], -1: there is no such part */
    uint64_t sums[RLTI_SINK_MARKS];       /* checksums of all their bytes */
    double shift[3];                      /* fixed by the first frame [unit] */
} rlti_writer_state;

/* rlti_marked of a writer. */
rlt_status rlti_writer_mark(rlti_marked *self, rlti_field fields[RLTI_MARKED_FIELDS], rlt_messages *messages);

#endif
