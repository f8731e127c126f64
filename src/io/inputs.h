/* Files that were opened for reading: who they are, how they were then, and what they hold. Outputs are kept
 * off them (ringlet/inputs.h), a file that changes while it is in use is found, and a checkpoint knows the
 * content of those that drive the run. */
#ifndef RLTI_IO_INPUTS_H
#define RLTI_IO_INPUTS_H

#include <stddef.h>
#include <stdint.h>

#include "ringlet/inputs.h"

/* A file, whatever it is called, and the state of its content. */
typedef struct rlti_identity {
    uint64_t device, inode;
    int64_t size;                 /* [bytes] */
    int64_t seconds, nanoseconds; /* of the last change of its content */
} rlti_identity;

/* Of the file at `path` (links are followed) or of an open one; 0: there is none. */
int rlti_identity_of(const char *path, rlti_identity *identity);
int rlti_identity_of_open(int file, rlti_identity *identity);

int rlti_identity_same_file(const rlti_identity *a, const rlti_identity *b);
/* The same file, and nobody wrote to it in between. */
int rlti_identity_unchanged(const rlti_identity *a, const rlti_identity *b);

/* The folder of a path. */
int rlti_identity_of_folder(const char *path, rlti_identity *identity);

/* Adds a file as it was when it was opened; a NULL list takes nothing. `drives` 1: the motion depends on its
 * content. */
rlt_status rlti_inputs_add(rlt_inputs *inputs, const char *path, const rlti_identity *identity, int drives,
                           rlt_messages *messages);

/* Adds a file that is not read, but must not be replaced; nothing where there is none, or it is there. */
rlt_status rlti_inputs_add_unread(rlt_inputs *inputs, const char *path, rlt_messages *messages);

/* Adds all files of another list. */
rlt_status rlti_inputs_gather(rlt_inputs *inputs, const rlt_inputs *from, rlt_messages *messages);

/* "FILE: changed while read; run again when it is complete", which is RLT_FAILED. */
rlt_status rlti_input_changed(const char *path, rlt_messages *messages);

/* RLT_OK while `path` is the file that was added, and nobody wrote to it since; one that is gone is reported
 * where it is opened. */
rlt_status rlti_inputs_still(const rlt_inputs *inputs, const char *path, rlt_messages *messages);

/* Content of a file that was added, and the open file that can be read for it while the list is in use. */
void rlti_inputs_set_content(rlt_inputs *inputs, int item, const void *bytes, size_t size);
void rlti_inputs_set_file(rlt_inputs *inputs, int item, int file);

/* Reports that a file was not what it had been when it was opened, or (`error` is an errno) that it could not
 * be read; the first counts. Thread-safe. */
void rlti_inputs_spoil(rlt_inputs *inputs, int item, int error);

/* RLT_OK, or what is wrong with the file that was spoiled: in place of the messages from `first` on, which
 * are about what was read of it. A NULL list is good. */
rlt_status rlti_inputs_settle(const rlt_inputs *inputs, rlt_status status, int first, rlt_messages *messages);

/* The same after a failure to understand them: also where a file has changed since it was read. */
rlt_status rlti_inputs_explain(rlt_inputs *inputs, rlt_status status, int first, rlt_messages *messages);

/* The content of those that drive the motion: a checksum of each, in the order they were added. Each file is
 * read once, when first asked for; one that has changed since it was added is RLT_FAILED. The array belongs
 * to the list. */
rlt_status rlti_inputs_contents(rlt_inputs *inputs, rlt_messages *messages, const uint64_t **sums,
                                int *count);

/* The path that one of the sums is of. */
const char *rlti_inputs_driver(const rlt_inputs *inputs, int sum);

#endif
