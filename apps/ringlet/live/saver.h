/* Files that a page asks for, in the folder the program was started in; never over a file that is there. */
#ifndef RINGLET_APP_LIVE_SAVER_H
#define RINGLET_APP_LIVE_SAVER_H

#include "live/stage.h"

/* The recording, to NAME.inputs, or NAME-2.inputs and so on where that is taken. `path` is where it went;
 * `problem` ([NOTICE_TEXT]) is filled in where it fails. */
rlt_status saver_recording(const live_stage *stage, const char *folder, const char *name, char *path,
                           size_t size, char *problem);

/* Side A's scene with what was changed, to NAME.yaml; with_motion: and the motion of the recording. */
rlt_status saver_scene(const live_stage *stage, const char *folder, const char *name, int with_motion,
                       char *path, size_t size, char *problem);

#endif
