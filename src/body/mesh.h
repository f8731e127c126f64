/* Triangle meshes extracted from a distance-like field, for characters that are generated and not loaded. */
#ifndef RLTI_BODY_MESH_H
#define RLTI_BODY_MESH_H

#include "body/body.h"

/* Negative inside, positive outside, roughly a distance near the surface. */
typedef double rlti_field(rlti_vec3 point);

/* The planes of a rectilinear lattice; spacing may vary, so that a face gets more cells than a back. */
typedef struct rlti_lattice {
    int count[3];
    double *at[3]; /* [count[axis]] increasing */
} rlti_lattice;

/* Replaces `mesh` (zeroed) by the field's zero surface: closed, counter-clockwise seen from outside, evenly
 * spaced. The surface must lie inside the lattice. Regions are all zero. Returns 0 when out of memory, 1
 * else. */
int rlti_mesh_extract(rlti_field *field, const rlti_lattice *lattice, rlti_mesh *mesh);

/* The same on a lattice made here. Axis by axis, `ranges` gives the box that holds the surface (from, to) and
 * where in it spacing is `fine` (from, to); outside that it grows to `coarse`. */
int rlti_mesh_build(rlti_field *field, const double ranges[3][4], double fine, double coarse,
                    rlti_mesh *mesh);

/* Names the regions and sets each triangle's bits by its centre. On failure (out of memory) clears the mesh
 * and returns 0, else 1. */
int rlti_mesh_name_regions(rlti_mesh *mesh, const char *const *names, int count,
                           uint32_t (*regions_at)(rlti_vec3 centre));

/* The box around the vertices, of which there must be one. */
void rlti_mesh_bounds(const rlti_mesh *mesh, rlti_vec3 *low, rlti_vec3 *high);

/* Frees what the mesh owns and zeroes it. */
void rlti_mesh_clear(rlti_mesh *mesh);

#endif
