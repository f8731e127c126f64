/* One moving surface hair collides with: posed, with the grid for the present stretch of its motion. */
#ifndef RLTI_CONTACT_BODY_MESH_COLLIDER_H
#define RLTI_CONTACT_BODY_MESH_COLLIDER_H

#include "contact/body/grid.h"
#include "contact/body/hit.h"

typedef struct rlti_mesh_collider {
    rlti_surface surface;
    rlti_grid grid;
    rlti_vec3 *rest;  /* [vertex_count] a copy */
    float reach;      /* the greatest thickness + RLTI_CONTACT_REACH */
    int stretches;    /* of the present frame interval */
    int grid_stretch; /* the one the grid is built for, -1 for none */
    double stretch;   /* how far a vertex may get from its place half way [unit]; 0 before the rest pose */
    int instant;      /* one pose an interval: the grid is built for that time alone, not for a stretch */
    int spins;        /* a pose is for so long that its turn is worth measuring: rlti_surface_spin */
    int still;        /* the motion has no velocity: one pose is enough */
    int posed;        /* and it is there */
    rlti_box box;     /* all that the grid covers, world */
    double s;         /* of the last pose */
    double fastest;   /* no vertex moves faster against the centre in this frame interval [unit per frame] */
    float moved;      /* nor has moved further, along its path, since the motion was set [unit] */
} rlti_mesh_collider;

/* Returns 0 when out of memory (destroy still works). The only function here that allocates. */
int rlti_mesh_collider_create(const rlti_mesh *mesh, rlti_surface_sides sides, float reach,
                              rlti_mesh_collider *collider);
void rlti_mesh_collider_destroy(rlti_mesh_collider *collider);

/* The rest pose, without motion. */
void rlti_mesh_collider_rest(rlti_mesh_collider *collider);

/* To be called after each change of surface.coefficients. */
void rlti_mesh_collider_set_motion(rlti_mesh_collider *collider);

void rlti_mesh_collider_pose(rlti_mesh_collider *collider, double s, double rate);

/* 1 when the surface may come nearer than `thickness` to the point within the time. `local` is relative to
 * the surface's centre. `wrong_side`, for sheets: the point has come through and is to be led back. `memory`,
 * unless NULL, is the point's memory; it must be zeroed when the motion is set. */
int rlti_mesh_collider_hit(const rlti_mesh_collider *collider, const float local[3], const float velocity[3],
                           double thickness, double seconds, int wrong_side, rlti_memory *memory,
                           rlti_hit *found);

/* Signed, exact within `reach`, beyond it `reach`. */
double rlti_mesh_collider_distance(const rlti_mesh_collider *collider, rlti_vec3 point, double reach);

#endif
