/* Large meshes are searched patch by patch: so many triangles that lie together. */
#ifndef RLTI_CONTACT_BODY_PATCHES_H
#define RLTI_CONTACT_BODY_PATCHES_H

#include "body/body.h"

/* Triangles to a patch, a power of two; 1 where the grid does as well with single triangles. */
int rlti_patch_size(int triangle_count);

/* Orders the mesh's triangles so that runs of 4, 8, 16, ... of them (each starting at a multiple of its
 * length) lie together in the rest pose. Returns 0 when out of memory. */
int rlti_patch_order(const rlti_mesh *mesh, int *order /* [mesh->triangle_count] triangle indices */);

#endif
