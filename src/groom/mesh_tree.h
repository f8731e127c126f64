/* The nearest point of a triangle mesh at rest: a tree of boxes over the triangles, and a sampled distance
 * field for the many rough queries of the generators.
 *
 * Not the tree of colliders (contact/body/box_tree.h), though both find closest points. That one is in single
 * precision around the mesh's moving centre, with boxes that bound a stretch of motion, a limit and a start
 * for each search, and a rule for ties that contacts depend on; grooms need double precision, barycentric
 * weights that add up to that precision, and the side of the nearest triangle. Either in place of the other
 * would move every root or every contact by rounding. */
#ifndef RLTI_GROOM_MESH_TREE_H
#define RLTI_GROOM_MESH_TREE_H

#include <stdatomic.h>

#include "body/body.h"

typedef struct rlti_mesh_tree rlti_mesh_tree;

typedef struct rlti_nearest {
    int triangle;
    double barycentric[3];
    rlti_vec3 point;
    rlti_vec3 normal; /* unit; corner normals interpolated, so that it varies smoothly over the surface */
    double distance;  /* [unit] negative inside */
} rlti_nearest;

/* The mesh must outlive the tree and have triangles. Returns NULL when out of memory. */
rlti_mesh_tree *rlti_mesh_tree_create(const rlti_mesh *mesh);
void rlti_mesh_tree_destroy(rlti_mesh_tree *tree);

void rlti_mesh_tree_nearest(const rlti_mesh_tree *tree, rlti_vec3 point, rlti_nearest *nearest);

/* The smooth unit normal at a point of a triangle. */
rlti_vec3 rlti_mesh_tree_normal(const rlti_mesh_tree *tree, int triangle, const double barycentric[3]);

/* Signed distance to the mesh on a lattice, interpolated linearly between its points. Most of the lattice is
 * never asked for: a point is computed when it first is. Threads may ask at once: whichever computes a point
 * finds the same. */
typedef struct rlti_distance_grid {
    const rlti_mesh_tree *tree;
    int count[3];
    double cell, inverse; /* [unit], and 1 / cell */
    rlti_vec3 origin;
    _Atomic float *values; /* not a number: not yet computed */
} rlti_distance_grid;

/* Covers the mesh and `margin` around it; the tree must outlive it. Returns 0 when out of memory, 1 else. */
int rlti_distance_grid_create(const rlti_mesh_tree *tree, double cell, double margin,
                              rlti_distance_grid *grid);
void rlti_distance_grid_clear(rlti_distance_grid *grid);

/* Distance at a point, and the unit direction in which it grows. Outside the lattice, the distance to the
 * lattice is added. */
double rlti_distance_grid_at(const rlti_distance_grid *grid, rlti_vec3 point, rlti_vec3 *normal);

/* 1 where the distance is surely more than this: a quick look that may say 0 for some such points. */
int rlti_distance_grid_beyond(const rlti_distance_grid *grid, rlti_vec3 point, double distance);

#endif
