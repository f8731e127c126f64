/* Is a frame view fit to be written? Shared by every writer. */
#ifndef RLTI_IO_FRAME_CHECK_H
#define RLTI_IO_FRAME_CHECK_H

#include "ringlet/simulation.h"

/* Checks counts, indices and that every number fits single precision; `velocities`, `rest` and `hair` may be
 * NULL. RLT_BAD_INPUT with "TARGET: frame 12: ..." for the first problem. */
rlt_status rlti_frame_check(const char *target, const rlt_frame_view *view, rlt_messages *messages);

#endif
