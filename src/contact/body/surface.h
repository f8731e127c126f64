/* A moving triangle mesh, posed for distance queries.
 *
 * Coordinates are single precision relative to the mesh's centre, the mean of its vertices, which moves along
 * a cubic of its own: common translation costs neither precision nor cells of the grid.
 *
 * Of a large mesh a step needs few triangles, so posing it stops at the vertices: faces are made where they
 * are asked for. The grid of one that is not small holds patches of triangles that lie together. */
#ifndef RLTI_CONTACT_BODY_SURFACE_H
#define RLTI_CONTACT_BODY_SURFACE_H

#include <stddef.h>

#include "body/body.h"
#include "contact/body/closest.h"

/* Vertex boxes are grown by this to cover the rounding to single precision of meshes up to 1000 units wide.
 * [unit] */
#define RLTI_SURFACE_ROUNDING 1e-3f

/* The two sides of a surface. */
typedef enum rlti_surface_sides {
    RLTI_SOLID, /* closed: inside and outside, however deep */
    RLTI_SKIN,  /* open, but of a body: behind its faces is inside, as deep as the grid looks; beyond its rim
                   not */
    RLTI_SHEET  /* hair may be on both sides: distances have no sign */
} rlti_surface_sides;

/* The path of a vertex in a stretch of the motion: within `aside` of the place that moves evenly from start
 * to end, along every axis. */
typedef struct rlti_vertex_path {
    float start[3], end[3], aside[3];
} rlti_vertex_path;

typedef struct rlti_surface {
    rlti_surface_sides sides; /* RLTI_SOLID unless the caller sets it */
    int vertex_count, triangle_count;
    int patch_size;      /* triangles to a patch: t belongs to patch t / patch_size; 1 for small meshes */
    int patch_count;     /* the last may have fewer triangles */
    int (*triangles)[3]; /* [triangle_count], a copy; of a large mesh in the order of the patches */
    int *order; /* [triangle_count] triangles so that runs of them lie together, or NULL: they do so */
    int *place; /* [triangle_count] where in `order` a triangle is, or NULL */
    int (*adjacent)[3]; /* [triangle_count] across edge k; -1 at a boundary */
    unsigned char *rim; /* [vertex_count] 1 at a boundary */
    int rim_count;      /* boundary edges */
    int *rim_sides;     /* [rim_count] 3 * triangle + edge */
    int *ring_start;    /* [vertex_count + 1] into ring */
    int *ring;          /* [3 triangle_count] for each vertex its sides, 3 * triangle + corner, increasing */
    rlti_vec3
        *coefficients; /* [4][vertex_count] of the present frame interval, as rlti_body_vertex_segment */
    rlti_vec3 path[4]; /* coefficients of the centre */

    float (*middle)[4]; /* [vertex_count] where rlti_surface_weigh found the vertices, then 0 */
    double fastest;     /* no vertex is faster in the range last swept [unit per frame] */

    /* of the present pose */
    double s, rate;
    rlti_vec3 centre;     /* world */
    float drift[3];       /* velocity of the centre [unit/s] */
    float spread;         /* no vertex is faster than this relative to the centre [unit/s] */
    float spin[3];        /* as if the surface turned around its centre [rad/s], */
    float apart;          /* but for velocities up to this [unit/s]: rlti_surface_spin */
    float (*position)[4]; /* [vertex_count] relative to the centre, then 0: a register full */
    rlti_triangle *faces; /* [triangle_count]; NULL: too many of them */
} rlti_surface;

/* Returns 0 when out of memory (destroy still works). The only function here that allocates. */
int rlti_surface_create(const rlti_mesh *mesh, rlti_surface *surface);
void rlti_surface_destroy(rlti_surface *surface);

/* Takes the motion now in `coefficients`: to be called after each change of them. */
void rlti_surface_set_motion(rlti_surface *surface);

/* Takes the corners' angles, their weights in pseudonormals, from the pose at s; they change so little within
 * a stretch of the motion that the grid's builder does this once for it. */
void rlti_surface_weigh(rlti_surface *surface, double s);

/* Poses everything at s in the range last swept; `rate` is frames per second. */
void rlti_surface_pose(rlti_surface *surface, double s, double rate);

/* Measures the turn of the pose; else it is none. */
void rlti_surface_spin(rlti_surface *surface);

/* Boxes swept by the vertices relative to the centre while s runs over [from, to]: [vertex_count][6], least
 * corner then greatest. Exact: a cubic stays in the hull of its Bezier points. Returns how far (at most) a
 * vertex gets from where it is half way. `paths`, unless NULL, gets the same more closely. */
float rlti_surface_sweep(rlti_surface *surface, double from, double to, float (*boxes)[6],
                         rlti_vertex_path *paths /* [vertex_count] or NULL */);

/* The triangle after the last of a patch. */
static inline int rlti_surface_patch_end(const rlti_surface *surface, int patch) {
    int end = (patch + 1) * surface->patch_size;
    return end < surface->triangle_count ? end : surface->triangle_count;
}

/* The triangle at a place in the order in which runs of triangles lie together. */
static inline int rlti_surface_ordered(const rlti_surface *surface, int place) {
    return surface->order != NULL ? surface->order[place] : place;
}

/* The inverse of that. */
static inline int rlti_surface_place(const rlti_surface *surface, int triangle) {
    return surface->place != NULL ? surface->place[triangle] : triangle;
}

/* A posed triangle: the stored one, or made in `scratch`. */
const rlti_triangle *rlti_surface_face(const rlti_surface *surface, int triangle, rlti_triangle *scratch);

/* The mean of a posed triangle's corners. */
void rlti_surface_centroid(const rlti_surface *surface, int triangle, float centroid[3]);

/* Velocity of a vertex, world [unit/s]. */
void rlti_surface_velocity(const rlti_surface *surface, int vertex, float velocity[3]);

/* The normal that decides the sign of the distance at a feature (Baerentzen and Aanaes 2005): of the face,
 * the sum of an edge's two faces, or the angle-weighted sum at a corner. Not normalised. */
void rlti_surface_pseudonormal(const rlti_surface *surface, const rlti_closest *closest, float normal[3]);

/* The signed distance at a closest point found: its length, negative inside. */
float rlti_surface_signed(const rlti_surface *surface, const rlti_closest *closest);

/* Closest point over all triangles nearer than closest->distance2; for tests and rare cases. Returns 1 if
 * found. */
int rlti_surface_closest(const rlti_surface *surface, const float point[3], rlti_closest *closest);

#endif
