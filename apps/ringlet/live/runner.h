/* "Simulate in full": the program itself, as another process, on a scene that was saved; its progress for the
 * page. */
#ifndef RINGLET_APP_LIVE_RUNNER_H
#define RINGLET_APP_LIVE_RUNNER_H

#include "live/board.h"

typedef struct live_runner live_runner;

/* Where there is nothing to run yet; NULL when out of memory. */
live_runner *live_runner_create(live_board *board);

/* Simulates `scene` to `output`; NULL, or what stands against it. One at a time. */
const char *live_runner_start(live_runner *runner, const char *scene, const char *output, int last);

/* Ends it as Ctrl-C would: the frames written until then are kept. */
void live_runner_stop(live_runner *runner);

/* Stops it and waits for it. */
void live_runner_destroy(live_runner *runner);

#endif
