/* Hair against bodies: for each hair point near a surface, one contact plane, found once per outer step. The
 * response (a penalty along the plane's normal, with friction) is part of the step kernel. */
#ifndef RLTI_CONTACT_COLLIDE_H
#define RLTI_CONTACT_COLLIDE_H

#include "body/body.h"

/* Surface seen from a hair point: {x : normal . x = offset} in coordinates relative to the strand's origin,
 * moving with `velocity` (world, unit/s). normal points away from the body. */
typedef struct rlti_plane {
    int point; /* index along the strand */
    float normal[3];
    float offset;
    float velocity[3];
} rlti_plane;

typedef struct rlti_colliders rlti_colliders;

/* All colliders of the scene: spheres, capsules and the body mesh. */
rlt_status rlti_colliders_create(const rlti_scene_data *scene, const rlti_body *body, rlt_messages *messages,
                                 rlti_colliders **colliders);
void rlti_colliders_destroy(rlti_colliders *colliders);
int rlti_colliders_count(const rlti_colliders *colliders);

/* Once per frame interval [frame, frame + 1]: vertex motion and the grid over everything the mesh sweeps. Not
 * thread safe; does not allocate. */
void rlti_colliders_begin_frame(rlti_colliders *colliders, int frame);

/* Once per outer step, s in [0, 1] of the interval: poses everything. Not thread safe; does not allocate. */
void rlti_colliders_pose(rlti_colliders *colliders, double s);

/* Finds the planes for one strand: every point other than the root whose distance to a surface may fall below
 * `thickness` within `seconds` (given its velocity relative to the surface), the deepest surface for each. Safe
 * to call from many threads. `positions` are relative to `origin` (world); `velocities` are world. Returns how
 * many planes were written, at most point_count. */
int rlti_colliders_find(const rlti_colliders *colliders, const rlti_vec3 *origin, int point_count,
                        const float *positions /* [point_count][3] */, const float *velocities /* [point_count][3] */,
                        double thickness, double seconds, rlti_plane *planes);

/* Signed distance from a world point to the nearest surface in the present pose (negative inside), for tests
 * and reports; exact within `reach`, beyond it returns `reach`. */
double rlti_colliders_distance(const rlti_colliders *colliders, rlti_vec3 point, double reach);

#endif
