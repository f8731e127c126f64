/* A generated character, as body.c needs it: its surface, its skeleton, where its coat lies. All in
 * the character's own coordinates at scale 1 (1 unit = 1 cm), before it is placed in the scene. */
#ifndef RLTI_BODY_CHARACTER_H
#define RLTI_BODY_CHARACTER_H

#include "body/body.h"

typedef struct rlti_joint {
    rlti_bone bone;   /* that turns about this joint */
    rlti_bone parent; /* it is carried by; none for the first */
    rlti_vec3 pivot;  /* rest pose */
} rlti_joint;

typedef struct rlti_character {
    /* The mesh and its regions into `mesh` (zeroed). Returns 0 when out of memory, 1 else. */
    int (*build)(int resolution, rlti_mesh *mesh);
    int joint_count;
    const rlti_joint *joints; /* parents before their children; the first is the torso */
    /* Adds a strap at this height over the skin, a closed piece of its own without regions, which moves with
     * the first joint; or NULL: there is none. Returns 0 when out of memory. */
    int (*strap)(double height, rlti_mesh *mesh);
    /* How much a rest point moves with the bone of each joint; weights[joint_count] add up to 1. */
    void (*weigh)(rlti_vec3 point, double *weights);
    /* The direction (not unit) in which hair of region `region` is combed at a rest point, or NULL: the
     * character has no coat. */
    rlti_vec3 (*comb)(int region, rlti_vec3 point);
    /* Where a rest point goes when the brows are raised by 1 unit, or NULL: there are none. */
    rlti_vec3 (*lift)(rlti_vec3 point);
} rlti_character;

extern const rlti_character rlti_head;
extern const rlti_character rlti_horse;
extern const rlti_character rlti_ball;

/* Child pose: turned by `rotation` about `pivot` (rest pose), then carried by the parent. */
static inline rlti_pose rlti_pose_attach(rlti_pose parent, rlti_quat rotation, rlti_vec3 pivot) {
    rlti_vec3 offset = rlti_sub(pivot, rlti_quat_rotate(rotation, pivot));
    rlti_pose pose;
    pose.rotation = rlti_quat_normalize(rlti_quat_multiply(parent.rotation, rotation));
    pose.translation = rlti_add(rlti_quat_rotate(parent.rotation, offset), parent.translation);
    return pose;
}

static inline rlti_vec3 rlti_pose_apply(const rlti_pose *pose, rlti_vec3 p) {
    return rlti_add(rlti_quat_rotate(pose->rotation, p), pose->translation);
}

#endif
