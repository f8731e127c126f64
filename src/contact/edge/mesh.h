/* A body's surface for contacts with edges: its motion over one step, and a tree over its triangles. */
#ifndef RLTI_CONTACT_EDGE_MESH_H
#define RLTI_CONTACT_EDGE_MESH_H

#include "contact/body/surface.h"
#include "contact/edge/passing.h"
#include "contact/edge/sweep_tree.h"

typedef struct rlti_edge_mesh {
    const rlti_surface *surface; /* posed at the end of the step while contacts are found */
    rlti_moving *vertices;       /* [vertex_count] world */
    rlti_sweep_tree tree;        /* run r: triangles at places 8 r to 8 r + 7 of the surface's order */
    rlti_vec3 centre;            /* that boxes are relative to: the surface's at the end */
} rlti_edge_mesh;

/* The surface, in its rest pose, must outlive the mesh. Returns 0 when out of memory (destroy still works).
 */
int rlti_edge_mesh_create(const rlti_surface *surface, rlti_edge_mesh *mesh);
void rlti_edge_mesh_destroy(rlti_edge_mesh *mesh);

/* The surface is posed where the step starts. */
void rlti_edge_mesh_start(rlti_edge_mesh *mesh);

/* The surface is posed where the step ends. Does not allocate. */
void rlti_edge_mesh_end(rlti_edge_mesh *mesh, rlti_pool *pool);

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
