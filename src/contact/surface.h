/* A moving triangle mesh, posed for distance queries.
 *
 * Coordinates are single precision relative to the mesh's centre, the mean of its vertices, which moves along
 * a cubic of its own: common translation costs neither precision nor room in the grid. */
#ifndef RLTI_CONTACT_SURFACE_H
#define RLTI_CONTACT_SURFACE_H

#include "body/body.h"
#include "contact/closest.h"

/* What lies on the two sides of a surface. */
typedef enum rlti_surface_sides {
    RLTI_SOLID, /* closed: inside and outside, however deep */
    RLTI_SKIN,  /* open, but of a body: behind its faces is inside, as deep as the grid looks; beyond its rim
                   not */
    RLTI_SHEET  /* hair may be on both sides: distances have no sign */
} rlti_surface_sides;

typedef struct rlti_surface {
    rlti_surface_sides sides; /* RLTI_SOLID unless the caller sets it */
    int vertex_count, triangle_count;
    int (*triangles)[3]; /* [triangle_count], a copy */
    int (*adjacent)[3];  /* [triangle_count] across edge k; -1 at a boundary */
    unsigned char *rim;  /* [vertex_count] 1 at a boundary */
    rlti_vec3
        *coefficients; /* [4][vertex_count] of the present frame interval, as rlti_body_vertex_segment */
    rlti_vec3 path[4]; /* coefficients of the centre */

    /* of the present pose */
    rlti_vec3 centre;          /* world */
    float drift[3];            /* velocity of the centre [unit/s] */
    float spread;              /* no vertex is faster than this relative to the centre [unit/s] */
    float (*position)[3];      /* [vertex_count] relative to the centre */
    float (*velocity)[3];      /* [vertex_count] world */
    float (*corner_normal)[3]; /* [vertex_count] angle-weighted, not normalised */
    float (*angle)[3];         /* [triangle_count] weight of each corner */
    rlti_triangle *faces;      /* [triangle_count] */
    float (*spheres)[4];       /* [triangle_count] bounding sphere: centre and radius */
} rlti_surface;

/* Returns 0 when out of memory (destroy still works). The only function here that allocates. */
int rlti_surface_create(const rlti_mesh *mesh, rlti_surface *surface);
void rlti_surface_destroy(rlti_surface *surface);

/* Takes the motion now in `coefficients`: to be called after each change of them. */
void rlti_surface_set_motion(rlti_surface *surface);

/* Weighs the corners by their angles at s; they change so little within a stretch of the motion that the
 * grid's builder does this once for it. */
void rlti_surface_weigh(rlti_surface *surface, double s);

/* Poses everything at s in [0, 1]; `rate` is frames per second. */
void rlti_surface_pose(rlti_surface *surface, double s, double rate);

/* Boxes swept by the vertices relative to the centre while s runs over [from, to]: [vertex_count][6], least
 * corner then greatest. Exact: a cubic stays in the hull of its Bezier points. Returns how far (at most) a
 * vertex gets from where it is half way. */
float rlti_surface_sweep(const rlti_surface *surface, double from, double to, float (*boxes)[6]);

/* The normal that decides the sign of the distance at a feature (Baerentzen and Aanaes 2005): of the face,
 * the sum of an edge's two faces, or the angle-weighted sum at a corner. Not normalised. */
void rlti_surface_pseudonormal(const rlti_surface *surface, const rlti_closest *closest, float normal[3]);

/* The signed distance at a closest point found: its length, negative inside. */
float rlti_surface_signed(const rlti_surface *surface, const rlti_closest *closest);

/* Closest point over all triangles nearer than closest->distance2; for tests and rare cases. Returns 1 if
 * found. */
int rlti_surface_closest(const rlti_surface *surface, const float point[3], rlti_closest *closest);

#endif
