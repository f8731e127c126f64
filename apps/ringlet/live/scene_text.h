/* A scene as YAML with only what differs from the defaults and from its preset: what "save as scene"
 * writes. */
#ifndef RINGLET_APP_LIVE_SCENE_TEXT_H
#define RINGLET_APP_LIVE_SCENE_TEXT_H

#include <stddef.h>

#include "ringlet/ringlet.h"

/* Keys of a motion: [frame, x, y, z, rx, ry, rz] each, units and degrees. */
typedef struct scene_motion {
    int count;
    const double (*keys)[7];
} scene_motion;

/* The text, to be freed with free(); NULL, and `problem` filled in, where it cannot be written so that
 * loading it gives the same values. `folder` is that of the scene's file, which relative names in it are
 * of; `motion` may be NULL: the scene's own. */
char *scene_text(const rlt_scene *scene, const char *folder, const scene_motion *motion, char *problem,
                 size_t size);

#endif
