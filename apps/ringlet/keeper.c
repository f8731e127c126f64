#include "keeper.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "console.h"

#define SUFFIX           ".checkpoint"
#define AUTOMATIC_FRAMES 10
#define SHARE            0.02 /* of the time, at most, when automatic */
#define FIRST_COST       0.02 /* guess of the first one's seconds: runs of a second have none */

rlt_status keeper_open(keeper *state, const char *output, int interval) {
    size_t size = strlen(output) + sizeof SUFFIX;
    memset(state, 0, sizeof *state);
    state->interval = interval;
    state->cost = FIRST_COST;
    state->path = malloc(size);
    if (!state->path)
        return console_fail(RLT_FAILED, "out of memory");
    snprintf(state->path, size, "%s%s", output, SUFFIX);
    return RLT_OK;
}

/* With the ending that it has while it is written. */
static int is_too_long(const char *path) {
    struct stat found;
    size_t size = strlen(path) + sizeof ".tmp";
    char *longest = malloc(size);
    int too_long = 0;
    if (longest) {
        snprintf(longest, size, "%s.tmp", path);
        too_long = lstat(longest, &found) != 0 && errno == ENAMETOOLONG;
    }
    free(longest);
    return too_long;
}

rlt_status keeper_check(const keeper *state) {
    struct stat found;
    if (state->interval == 0)
        return RLT_OK;
    if (is_too_long(state->path))
        return console_fail(
            RLT_FAILED,
            "%s: the name is too long; choose a shorter one for the output, or add --checkpoint 0",
            state->path);
    if (lstat(state->path, &found) == 0 && !S_ISREG(found.st_mode))
        return console_fail(
            RLT_FAILED,
            "%s: is not a file, so checkpoints cannot be written; remove it, or add --checkpoint 0",
            state->path);
    return RLT_OK;
}

void keeper_close(keeper *state) {
    free(state->path);
    state->path = NULL;
}

int keeper_finds(const keeper *state) {
    struct stat found;
    return lstat(state->path, &found) == 0 && S_ISREG(found.st_mode);
}

void keeper_begin(keeper *state, int frame) {
    state->frame = frame;
    state->since = console_seconds();
}

int keeper_is_due(const keeper *state, int frame) {
    int passed = frame - state->frame;
    if (state->interval >= 0)
        return state->interval > 0 && passed >= state->interval;
    return passed >= AUTOMATIC_FRAMES && state->cost <= SHARE * (console_seconds() - state->since);
}

rlt_status keeper_write(keeper *state, int frame, rlt_simulation *simulation, rlt_writer *writer,
                        rlt_messages *messages) {
    double begun = console_seconds();
    rlt_status status = rlt_checkpoint_write(state->path, simulation, writer, messages);
    state->since = console_seconds();
    state->cost = state->since - begun;
    state->seconds += state->cost;
    if (status == RLT_OK) {
        state->frame = frame;
        state->exists = 1;
    }
    return status;
}

rlt_status keeper_remove(keeper *state, rlt_messages *messages) {
    rlt_status status = rlt_checkpoint_remove(state->path, messages);
    state->exists = status != RLT_OK && keeper_finds(state);
    return status;
}
