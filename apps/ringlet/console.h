/* Lines on standard error, and the clock of the program. */
#ifndef RINGLET_APP_CONSOLE_H
#define RINGLET_APP_CONSOLE_H

#include "json.h"
#include "ringlet/status.h"

/* Prints the messages from index `first` on, one a line; notes and warnings say what they are. */
void console_messages(const rlt_messages *messages, int first);

/* "ringlet: ..." with a newline. */
void console_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same, and returns the status. */
rlt_status console_fail(rlt_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A line as it is, with a newline. */
void console_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* From now on nothing is printed by the functions above: for all ranks but the first, which says the same. */
void console_silence(void);

/* Member "messages": an array of {"severity", "text"}. */
void console_json_messages(json *out, const rlt_messages *messages);

/* The end of the object that a command prints about its run: messages, to standard output, and the memory is
 * freed. Returns the status, or RLT_FAILED where all was well but it cannot be printed. */
rlt_status console_json_end(json *out, const rlt_messages *messages, rlt_status status);

/* "done", "failed", "bad input" or "diverged"; "interrupted" where that is why. */
const char *console_status_name(rlt_status status, int interrupted);

/* [byte] of a file; 0 where there is none. */
long long console_file_size(const char *path);

/* Wall-clock seconds from some fixed start, never running backwards. */
double console_seconds(void);

#endif
