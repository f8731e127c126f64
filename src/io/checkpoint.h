/* The byte format of checkpoints: named arrays of numbers, little endian, with a checksum over everything.
 *
 *   8 bytes   "RINGLETC"
 *   4 + 4     version of this format, number of fields
 *   each      name [16, padded with zeros], bytes of an element [4], zero [4], number of elements [8]
 *   each      the elements, padded with zeros to 8 bytes
 *   8         checksum of all the bytes before
 *
 * Those who save fields decide their meaning: sim/checkpoint.c, drive/ and files/writer_resume.c. */
#ifndef RLTI_IO_CHECKPOINT_H
#define RLTI_IO_CHECKPOINT_H

#include <stddef.h>

#include "ringlet/status.h"

#define RLTI_FIELD_NAME 16 /* with the terminating zero */

/* One array, to be saved from `data` or loaded into it. */
typedef struct rlti_field {
    const char *name;
    int element;     /* bytes of one number: 1, 4 or 8 */
    long long count; /* numbers */
    void *data;
} rlti_field;

#define RLTI_MARKED_FIELDS 6

/* Begins what else counts on a checkpoint: a writer, of which the core knows no more. `mark` puts everything
 * written so far on the disk and lists how far that is; the fields are valid until its next call. */
typedef struct rlti_marked {
    rlt_status (*mark)(struct rlti_marked *self, rlti_field fields[RLTI_MARKED_FIELDS],
                       rlt_messages *messages);
} rlti_marked;

/* Replaces `path` in one step: an older checkpoint stays whole until the new one is safe on the disk. */
rlt_status rlti_checkpoint_save(const char *path, const rlti_field *fields, int count,
                                rlt_messages *messages);

/* The same to memory: how many bytes it takes, and these. */
size_t rlti_checkpoint_size(const rlti_field *fields, int count);
rlt_status rlti_checkpoint_put(const rlti_field *fields, int count, void *bytes, rlt_messages *messages);

/* A checkpoint in memory, checked: sizes fit, the checksum is right. */
typedef struct rlti_checkpoint rlti_checkpoint;

rlt_status rlti_checkpoint_load(const char *path, rlt_messages *messages, rlti_checkpoint **checkpoint);
/* The same from bytes, which are copied; `name` stands for the file in messages. */
rlt_status rlti_checkpoint_parse(const char *name, const void *bytes, size_t size, rlt_messages *messages,
                                 rlti_checkpoint **checkpoint);
void rlti_checkpoint_destroy(rlti_checkpoint *checkpoint);

/* How many numbers a field has, or -1 where there is no field of that name and element size. */
long long rlti_checkpoint_count(const rlti_checkpoint *checkpoint, const char *name, int element);

/* Loads a field into field->data. RLT_BAD_INPUT where the checkpoint has none of that name, element size and
 * count. */
rlt_status rlti_checkpoint_get(const rlti_checkpoint *checkpoint, const rlti_field *field,
                               rlt_messages *messages);

/* All its bytes, to be sent to others; they belong to the checkpoint. */
void *rlti_checkpoint_bytes(rlti_checkpoint *checkpoint, size_t *size);

/* The file, for messages. */
const char *rlti_checkpoint_name(const rlti_checkpoint *checkpoint);

#endif
