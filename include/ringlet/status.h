/* Status codes and messages: how the library reports to its caller.
 *
 * The library never prints, exits or aborts. Every function that can fail returns an rlt_status and
 * appends human-readable lines to the rlt_messages list it is given (which may be NULL). */
#ifndef RINGLET_STATUS_H
#define RINGLET_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

/* The values are also the program's exit codes. */
typedef enum rlt_status {
    RLT_OK = 0,        /* done */
    RLT_FAILED = 1,    /* the run failed: out of memory, a file cannot be written, ... */
    RLT_BAD_INPUT = 2, /* wrong use or bad input; the messages say where and why */
    RLT_DIVERGED = 3   /* the simulation diverged; what was written so far is kept */
} rlt_status;

typedef enum rlt_severity {
    RLT_NOTE = 0,    /* worth knowing */
    RLT_WARNING = 1, /* handled as documented, but probably not what was meant */
    RLT_ERROR = 2    /* the call fails */
} rlt_severity;

/* A growing list of messages, oldest first. */
typedef struct rlt_messages rlt_messages;

/* Returns NULL when out of memory. */
rlt_messages *rlt_messages_create(void);
void rlt_messages_destroy(rlt_messages *messages);
void rlt_messages_clear(rlt_messages *messages);

/* How many there are; 0 for NULL. Where memory did not suffice for some, the last one reports that. */
int rlt_messages_count(const rlt_messages *messages);

/* The text of one message without a trailing newline, for example
 * "scene.yaml:41:18: hair.bend.stiffness = -3: must be >= 0". Valid until the list changes. */
const char *rlt_messages_text(const rlt_messages *messages, int index);
rlt_severity rlt_messages_severity(const rlt_messages *messages, int index);

#ifdef __cplusplus
}
#endif

#endif
