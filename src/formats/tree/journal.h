/* The journal of a sink: the part files that stand beside the file until it is closed, the last time of each
 * attribute and transform, where a later run resumes, and how the parts become the file. One for all formats;
 * what the parts hold is the format's own. */
#ifndef RLTI_FORMATS_TREE_JOURNAL_H
#define RLTI_FORMATS_TREE_JOURNAL_H

#include "formats/tree/sink.h"

/* Tries whether a file can be made, and makes the parts anew in the place of what an earlier run has left,
 * unless they are to be resumed. On failure there are none. */
rlt_status rlti_journal_open(rlti_sink *sink, rlt_messages *messages);

/* Closes the parts; they stay on the disk where kept, else they are removed. */
void rlti_journal_close(rlti_sink *sink, int keep_parts);

/* RLT_OK where the time of the next value of `what`, an attribute or RLTI_TRANSFORM_OF(prim), is NaN or
 * increases. */
rlt_status rlti_journal_check_time(const rlti_sink *sink, int what, double time, rlt_messages *messages);
void rlti_journal_set_time(rlti_sink *sink, int what, double time);

/* Puts the file under its name: compose makes it from the parts. */
rlt_status rlti_journal_publish(rlti_sink *sink, rlt_messages *messages);

rlt_status rlti_journal_marks(rlti_sink *sink, rlti_stream_mark *marks, int *count, rlt_messages *messages);
rlt_status rlti_journal_resume(rlti_sink *sink, const rlti_stream_mark *marks, int count,
                               rlt_messages *messages);

/* ---- for a writer's `restore` ---- */

/* Reports that the parts were not written by a sink with these declarations. */
rlt_status rlti_journal_unfit(const rlti_sink *sink, rlt_messages *messages);

/* Notes that a value of `what` was written for this time; 0 where nothing like it is declared, or the time
 * does not increase. */
int rlti_journal_found(rlti_sink *sink, int64_t what, double time);

/* Hands every record of a part, of `size` bytes each, to `take`. */
rlt_status rlti_journal_records(rlti_sink *sink, int part, size_t size,
                                rlt_status (*take)(rlti_sink *sink, const void *record,
                                                   rlt_messages *messages),
                                rlt_messages *messages);

#endif
