/* Numbered files: "body.####.obj" is body.0001.obj, body.0002.obj, ... A run of # in the file's name stands
 * for the frame number, padded with zeros to at least as many digits. */
#ifndef RLTI_IO_SEQUENCE_H
#define RLTI_IO_SEQUENCE_H

#include <stddef.h>

#include "io/inputs.h"
#include "ringlet/status.h"

typedef struct rlti_sequence {
    char *pattern;   /* the path with its run of # */
    int start;       /* where the run is; equal to `end` for a plain file */
    int end;         /* one past the run */
    int first, last; /* frames there are files for; 0 and 0 for a plain file */
} rlti_sequence;

/* Lists the frames there are. Without a # nothing is searched. RLT_BAD_INPUT when the pattern is wrong,
 * when there is no file, or when one is missing between the first and the last: it is named. On failure
 * nothing is kept. */
rlt_status rlti_sequence_open(const char *pattern, rlt_messages *messages, rlti_sequence *sequence);
void rlti_sequence_close(rlti_sequence *sequence);

int rlti_sequence_is_numbered(const rlti_sequence *sequence);

/* The frame whose file holds at `frame`: the nearest there is. */
int rlti_sequence_hold(const rlti_sequence *sequence, int frame);

/* Adds every file of it to those that are read. */
rlt_status rlti_sequence_list(const rlti_sequence *sequence, rlt_inputs *inputs, rlt_messages *messages);

/* Bytes a path needs, with its zero byte. */
size_t rlti_sequence_path_size(const rlti_sequence *sequence);

/* The path of a frame's file. */
void rlti_sequence_path(const rlti_sequence *sequence, int frame, char *path, size_t size);

#endif
