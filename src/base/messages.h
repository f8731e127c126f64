/* Appending to the caller's message list (the public side is ringlet/status.h). */
#ifndef RLTI_BASE_MESSAGES_H
#define RLTI_BASE_MESSAGES_H

#include <stddef.h>

#include "ringlet/status.h"

#if defined(__GNUC__)
#define RLTI_PRINTF(format_index, first_argument)                                                            \
    __attribute__((format(printf, format_index, first_argument)))
#else
#define RLTI_PRINTF(format_index, first_argument)
#endif

/* Adds one formatted message; a NULL list is allowed and drops it. */
void rlti_message(rlt_messages *messages, rlt_severity severity, const char *format, ...) RLTI_PRINTF(3, 4);
void rlti_warn(rlt_messages *messages, const char *format, ...) RLTI_PRINTF(2, 3);

/* Adds an error and returns the status, so that callers can write `return rlti_fail(...)`. */
rlt_status rlti_fail(rlt_messages *messages, rlt_status status, const char *format, ...) RLTI_PRINTF(3, 4);

/* The same for input that is refused: RLT_BAD_INPUT. */
rlt_status rlti_refuse(rlt_messages *messages, const char *format, ...) RLTI_PRINTF(2, 3);

/* The standard answer to a failed allocation. */
rlt_status rlti_out_of_memory(rlt_messages *messages);

/* Puts "PREFIX: " before every message from index `first` on, for messages made where the file is not known;
 * those that begin with "PREFIX:" already have it. */
void rlti_messages_prefix(rlt_messages *messages, int first, const char *prefix);

/* Drops the messages from index `first` on. */
void rlti_messages_drop(rlt_messages *messages, int first);

/* All messages as one run of bytes, to be sent to another process; free it with rlti_free. NULL when out of
 * memory. */
char *rlti_messages_pack(const rlt_messages *messages, size_t *size);

/* Adds packed messages, each with "PREFIX: " before it where `prefix` is not NULL. A message whose text is in
 * the list already is left out. */
void rlti_messages_unpack(rlt_messages *messages, const char *packed, size_t size, const char *prefix);

#endif
