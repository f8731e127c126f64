/* Has a scene changed so that its motion, or what was already written, changes? */
#ifndef RLTI_SCENE_FINGERPRINT_H
#define RLTI_SCENE_FINGERPRINT_H

#include <stdint.h>

#include "scene/scene_data.h"

/* A hash of every value of the schema, but for those that a resumed run may change: title, time.last,
 * contacts.margin, and all of health, hair.fill, hair.look and render. A new row of the schema takes part by
 * itself. */
uint64_t rlti_scene_fingerprint(const rlti_scene_data *scene);

#endif
