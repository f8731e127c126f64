/* Hair against bodies: for each hair point near a surface, one contact plane, found once per outer step. The
 * response (a penalty along the plane's normal, with friction) is part of the step kernel. */
#ifndef RLTI_CONTACT_BODY_COLLIDE_H
#define RLTI_CONTACT_BODY_COLLIDE_H

#include <stdint.h>

#include "body/body.h"
#include "contact/body/hit.h"
#include "contact/body/shape.h"
#include "contact/body/surface.h"
#include "parallel/pool.h"

/* The boundary a hair point must respect: {x : normal . x = offset} in coordinates relative to the strand's
 * origin, moving with `velocity` (world, unit/s; that of the surface's material, so it also drives friction).
 * `normal` is a unit vector that points away from the body. `offset` includes the thickness: the plane is the
 * surface shifted outward by it, and the response acts when normal . x < offset, with
 * depth = offset - normal . x. */
typedef struct rlti_plane {
    int point; /* index along the strand */
    float normal[3];
    float offset;
    float velocity[3];
} rlti_plane;

/* The grid finds whatever is nearer to the mesh than the greatest thickness in the scene plus this [unit]. A
 * point would have to cross it within one outer step to be missed: at 24 x 60 steps a second, at over 1300
 * unit/s. */
#define RLTI_CONTACT_REACH 1.0

typedef struct rlti_colliders rlti_colliders;

/* A side of a surface that a point has passed through, and is led back to: planes of that surface that lead
 * the other way are left out. */
typedef struct rlti_passed {
    int surface; /* its number + 1; 0: none */
    float normal[3];
} rlti_passed;

/* Thickness that the groom allows one strand. Hair grows out of the surface, so near the root the thickness
 * should be the minimum of the section's and the rest distance: the groomed pose is then free of contact. */
typedef struct rlti_allowance {
    const float
        *thickness;  /* [point_count] replaces the section's thickness point by point; may be negative */
    const int *home; /* [point_count] or NULL: the one collider, as rlti_colliders_distance names it, that a
                      * negative thickness holds for; for the others it is 0 */
    int any_side;    /* the strand may pass through sheets, because its groom does */
    const rlti_passed *passed; /* [point_count] or NULL: none has passed */
    int free_root;             /* the root is met as other points are: nothing holds it */
} rlti_allowance;

/* Which colliders are meant: those that hair section `hair` meets (groups, exceptions, switches), or all. */
#define RLTI_ALL_COLLIDERS (-1)

/* All colliders of the scene: spheres, capsules, the body mesh and meshes from files, in the rest pose. Reads
 * the files and reports what is wrong with them. A body collider without a mesh is ignored with a warning.
 * `body` must outlive the colliders. */
rlt_status rlti_colliders_create(const rlti_scene_data *scene, const rlti_body *body, rlt_messages *messages,
                                 rlti_colliders **colliders);
void rlti_colliders_destroy(rlti_colliders *colliders);

/* How many things hair can collide with; a mesh from a file may be several. */
int rlti_colliders_count(const rlti_colliders *colliders);

/* The same as surfaces, numbered from 0: one that is several colliders is one. Each is a mesh's surface, or
 * a shape; the other is NULL. */
int rlti_colliders_surface_count(const rlti_colliders *colliders);
const rlti_surface *rlti_colliders_surface(const rlti_colliders *colliders, int surface);
const rlti_shape *rlti_colliders_shape(const rlti_colliders *colliders, int surface);
/* 1: hair section `hair` meets it. */
int rlti_colliders_meets(const rlti_colliders *colliders, int hair, int surface);

/* Of all meshes at rest: has a file changed since a checkpoint? */
uint64_t rlti_colliders_checksum(const rlti_colliders *colliders);

/* Poses are worked out by these threads from now on, with the same results. They outlive the colliders. */
void rlti_colliders_share(rlti_colliders *colliders, rlti_pool *pool);

/* Poses everything in the rest pose (for rest distances of the groom). Not thread safe; does not allocate. */
void rlti_colliders_pose_rest(rlti_colliders *colliders);

/* Once per frame interval [frame, frame + 1]: takes the motion of bones and vertices, which for a sequence of
 * files means to read the next one; of jumps it warns. Fails only when a file cannot be read:
 * nothing has moved then. Not thread safe; allocates nothing that stays. A call of rlti_colliders_pose must
 * follow before anything is looked up. */
rlt_status rlti_colliders_begin_frame(rlti_colliders *colliders, int frame, rlt_messages *messages);

/* Once per outer step, s in [0, 1] of the interval: poses everything. Where a mesh moves fast the interval
 * is cut into stretches, each with a grid of its own, made here when s enters it: s should not jump back and
 * forth. Not thread safe; does not allocate. */
void rlti_colliders_pose(rlti_colliders *colliders, double s);

/* Finds the planes for one strand: every point (the root only where it is free) whose distance to a surface
 * may fall below `thickness` within `seconds` (given its velocity relative to the surface), the deepest
 * surface for each. Safe to call from many threads; the answer depends on the pose and on this strand only.
 * `hair` is the strand's section in the scene. `positions` are relative to `origin` (world); `velocities` are
 * world. `allowance` may be NULL. Points that are not finite get no plane. `memory`, unless NULL, is a memory
 * of this strand's that makes it faster; it must be zeroed at rlti_colliders_begin_frame. Returns how many
 * planes were written, at most point_count, in the order of the points. */
int rlti_colliders_find(const rlti_colliders *colliders, int hair, const rlti_vec3 *origin, int point_count,
                        const float *positions /* [point_count][3] */,
                        const float *velocities /* [point_count][3] */, double thickness,
                        const rlti_allowance *allowance, double seconds,
                        rlti_memory *memory /* [point_count] or NULL */, rlti_plane *planes);

/* Signed distance from a world point to the nearest surface in the present pose (negative inside, never for
 * sheets), for rest distances, tests and reports; exact within `reach`, beyond it returns `reach`. Fast near
 * the mesh and where `reach` is below RLTI_CONTACT_REACH, elsewhere it checks every triangle.
 * `nearest`, unless NULL, gets which surface it is, or -1. */
double rlti_colliders_distance(const rlti_colliders *colliders, int hair, rlti_vec3 point, double reach,
                               int *nearest);

/* 1 when an edge with both ends outside goes through a solid body in the present pose. */
int rlti_colliders_pierced(const rlti_colliders *colliders, int hair, rlti_vec3 from, rlti_vec3 to);

/* 1 when the strand passes through a sheet in the present pose. */
int rlti_colliders_pass_through(const rlti_colliders *colliders, int hair, int point_count,
                                const rlti_vec3 *points, double thickness);

#endif
