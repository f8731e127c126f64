/* The generated motions: what each joint does at time t. */
#ifndef RLTI_BODY_MOTION_H
#define RLTI_BODY_MOTION_H

#include "base/math.h"
#include "scene/scene_data.h"

/* Rotations about the joints relative to the parent joint, and where the whole character has moved to. */
typedef struct rlti_joints {
    rlti_vec3 travel; /* [unit] */
    rlti_quat torso;
    rlti_quat neck;
    rlti_quat head;
} rlti_joints;

/* The joints `seconds` after the scene's first frame; before it, as at it. */
rlti_joints rlti_motion_at(const rlti_scene_data *scene, double seconds);

/* When the stop motion begins to brake and how fast it is then: seconds after the first frame, unit/s. */
void rlti_motion_stop_brake(const rlti_scene_data *scene, double *seconds, double *speed);

#endif
