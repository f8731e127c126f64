/* Which values of a scene can change while a simulation runs, and how. */
#ifndef RLTI_SCENE_LIVE_H
#define RLTI_SCENE_LIVE_H

#include "ringlet/scene.h"
#include "scene/scene_data.h"
#include "scene/schema.h"

/* Work that a change of a row takes, from least to most. */
typedef enum rlti_change {
    RLTI_CHANGE_NONE,    /* the same value */
    RLTI_CHANGE_LOOK,    /* the motion does not read it */
    RLTI_CHANGE_DIRECT,  /* it is read anew in every step */
    RLTI_CHANGE_DRIVE,   /* models and all that acts on hair are made anew, on the same groom and body */
    RLTI_CHANGE_REBUILD, /* groom or body are others */
} rlti_change;

rlti_change rlti_row_change(const rlti_row *row);

/* The most that any value takes to get from one scene to the other; *key is one that takes it, or NULL. */
rlti_change rlti_scene_compare(const rlt_scene *from, const rlt_scene *to, const char **key);

/* Exchanges the values of two scenes that differ by no more than RLTI_CHANGE_DRIVE; addresses of the data, of
 * its sections and strands stay as they are. */
void rlti_scene_exchange(rlt_scene *a, rlt_scene *b);

/* The data of a scene that nobody else has yet: for what a caller gives besides the text. */
rlti_scene_data *rlti_scene_own(rlt_scene *scene);

#endif
