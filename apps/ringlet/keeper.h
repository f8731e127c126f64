/* Checkpoints of a run: where they stand, when one is due, and what an earlier run has left. */
#ifndef RINGLET_APP_KEEPER_H
#define RINGLET_APP_KEEPER_H

#include "ringlet/ringlet.h"

#define KEEPER_AUTOMATIC (-1)

typedef struct keeper {
    char *path;     /* OUT.usda.checkpoint */
    int interval;   /* frames from one to the next; 0: none; KEEPER_AUTOMATIC */
    int exists;     /* one stands on the disk, with the parts of the writer it was made with */
    int frame;      /* of the last one, or where the run began */
    double seconds; /* wall, for all of them */
    double cost;    /* wall seconds of the last one, or a guess */
    double since;   /* console_seconds() after the last one */
} keeper;

/* RLT_FAILED when out of memory. */
rlt_status keeper_open(keeper *state, const char *output, int interval);
void keeper_close(keeper *state);

/* RLT_FAILED where no checkpoint could be written: better reported now than after the first frames. */
rlt_status keeper_check(const keeper *state);

/* 1 where an earlier run has left a checkpoint. */
int keeper_finds(const keeper *state);

/* The run begins, or resumes, at this frame. */
void keeper_begin(keeper *state, int frame);

/* Is a checkpoint due at this frame? Automatic: after ten frames, and only as often as costs 2% of the time.
 */
int keeper_is_due(const keeper *state, int frame);

rlt_status keeper_write(keeper *state, int frame, rlt_simulation *simulation, rlt_writer *writer,
                        rlt_messages *messages);

/* Removes the checkpoint from the disk. */
rlt_status keeper_remove(keeper *state, rlt_messages *messages);

#endif
