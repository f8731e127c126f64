/* The generated motions: what each joint does at time t. */
#ifndef RLTI_BODY_MOTION_H
#define RLTI_BODY_MOTION_H

#include "base/math.h"
#include "body/body.h"
#include "scene/scene_data.h"

/* Rotations about the joints relative to the parent joint, and where the whole character has moved to. */
typedef struct rlti_joints {
    rlti_vec3 travel; /* [unit] */
    rlti_quat turn[RLTI_BONE_COUNT];
} rlti_joints;

/* Keys of a rigid motion, of a scene or of a file. */
typedef struct rlti_key_list {
    int count;
    const double (*key)[7]; /* frame, shift [unit], turn [degrees] */
} rlti_key_list;

/* The joints `seconds` after the scene's first frame. Before it as at it, unless motion.start is negative.
 * `keys` are those of motion.kind keys. */
rlti_joints rlti_motion_at(const rlti_scene_data *scene, const rlti_key_list *keys, double seconds);

/* When the stop motion begins to brake and how fast it is then: seconds after the first frame, unit/s. */
void rlti_motion_stop_brake(const rlti_scene_data *scene, double *seconds, double *speed);

/* Where keys have moved the whole to at a frame, turned by this share of their angles; without keys it stays
 * where it is. */
rlti_pose rlti_keys_at(const rlti_key_list *keys, double share, double frame);
rlti_key_list rlti_key_list_of(const rlti_keys *keys);

/* Quintic blend from 0 to 1 over s in [0, 1]: first and second derivatives vanish at both ends. */
double rlti_ease(double s);

/* Its integral from 0, continuing with slope 1 past the end. */
double rlti_ease_integral(double s);

/* In degrees: yaw turns to the character's left (+X), nod bows forward, tilt leans to its right (-X). */
rlti_quat rlti_turn(double yaw, double nod, double tilt);

typedef struct rlti_key {
    double time; /* [s] */
    double yaw, nod, tilt;
} rlti_key;

/* The angles between keys; each key is a rest, so the blend is smooth whatever the spacing. */
rlti_key rlti_key_at(const rlti_key *keys, int count, double time);

/* The horse's own motions, `t` seconds after they began; `joints` comes at rest. */
void rlti_horse_walk(const rlti_scene_data *scene, double t, rlti_joints *joints);
void rlti_horse_sidestep(const rlti_scene_data *scene, double t, rlti_joints *joints);

#endif
