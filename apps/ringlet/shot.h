/* One camera for a whole shot: it does not depend on which frames of it are asked for. */
#ifndef RINGLET_APP_SHOT_H
#define RINGLET_APP_SHOT_H

#include "frames.h"
#include "studio.h"

/* Places the studio's automatic camera: of a scene by the groom and where the body goes from its first
 * frame to its last, which needs no simulation; of a file by frames all over it. The input is at its
 * first. */
rlt_status shot_camera(studio *s, frames_input *input, rlt_messages *messages);

#endif
