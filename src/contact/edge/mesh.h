/* A body for contacts with edges: its motion over one step, and a tree over its triangles. A sphere or a
 * capsule is its axis, a segment with a radius: one item instead of triangles. */
#ifndef RLTI_CONTACT_EDGE_MESH_H
#define RLTI_CONTACT_EDGE_MESH_H

#include "contact/body/shape.h"
#include "contact/body/surface.h"
#include "contact/edge/passing.h"
#include "contact/edge/sweep_tree.h"

/* A vertex at the start and at the end of the step; the fourth is 0, or 1 where it is not finite. */
typedef struct rlti_edge_vertex {
    float at[2][4];
} rlti_edge_vertex;

typedef struct rlti_edge_mesh {
    const rlti_surface *surface; /* posed at the end of the step while contacts are found; NULL: a shape */
    const rlti_shape *shape;     /* else NULL */
    int item_count;              /* triangles; 1: a shape */
    int sheet;                   /* 1: hair may be on both sides */
    rlti_moving *vertices;       /* [vertex_count] world; the two ends of a shape */
    rlti_edge_vertex *rows;      /* [vertex_count] the same from the centre; NULL: a shape */
    rlti_sweep_tree tree;        /* run r: triangles at places 8 r to 8 r + 7 of the surface's order */
    rlti_vec3 centre;            /* that boxes are relative to: the body's at the end */
    rlti_moving middle;          /* of a shape, and its turn back to the start of the step: */
    rlti_quat back;
} rlti_edge_mesh;

/* The surface, in its rest pose, must outlive the mesh. Returns 0 when out of memory (destroy still works).
 */
int rlti_edge_mesh_create(const rlti_surface *surface, rlti_edge_mesh *mesh);
int rlti_edge_mesh_create_shape(const rlti_shape *shape, rlti_edge_mesh *mesh);
void rlti_edge_mesh_destroy(rlti_edge_mesh *mesh);
size_t rlti_edge_mesh_bytes(const rlti_edge_mesh *mesh);

/* The step goes from one place of the body's motion to another, 0..1 of the frame interval. Does not
 * allocate. */
void rlti_edge_mesh_move(rlti_edge_mesh *mesh, double from, double to, rlti_pool *pool);

/* The displacement in the step of a shape's material that ends at a place. */
rlti_vec3 rlti_edge_mesh_carried(const rlti_edge_mesh *mesh, rlti_vec3 place);

/* The triangle that is the i-th item of a run, or -1. */
int rlti_edge_mesh_triangle(const rlti_edge_mesh *mesh, int run, int item);

/* A place on a triangle, as posed at the end, and a strand's place beside it. */
typedef struct rlti_edge_beside {
    int triangle;
    double weights[3]; /* of the corners, exactly 0 for those that the nearest feature does not touch */
    rlti_vec3 offset;  /* from the triangle to the strand */
} rlti_edge_beside;

/* The distance, negative inside; never for sheets and beyond the rim of a skin. */
double rlti_edge_mesh_signed(const rlti_edge_mesh *mesh, const rlti_edge_beside *beside);

/* The way out of the surface there: not normalised. */
rlti_vec3 rlti_edge_mesh_outward(const rlti_edge_mesh *mesh, const rlti_edge_beside *beside);

#endif
