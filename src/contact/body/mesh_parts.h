/* A mesh from outside, made fit for distance queries: checked, mended where that is safe, and cut into parts
 * that each have one kind of sides. What was found is reported in the messages, with counts.
 *
 *   vertices at the same place    joined (files often repeat them along seams)
 *   triangles without area        left out where two corners coincide; never the closest otherwise
 *   winding that does not agree   turned to agree with the neighbours
 *   closed but inside out         turned
 *   open, or not orientable       a sheet with two sides, or the skin of a body (colliders.sides: one)
 *   edges of three or more faces  reported; signs next to such an edge may be wrong
 *   faces that cut each other     reported (every closed piece is a solid of its own: pieces may overlap) */
#ifndef RLTI_CONTACT_BODY_MESH_PARTS_H
#define RLTI_CONTACT_BODY_MESH_PARTS_H

#include "body/body.h"
#include "contact/body/surface.h"
#include "io/obj.h"

/* The largest closed pieces get a part each; what is beyond this shares the last ones. */
#define RLTI_PARTS_MAX 8

typedef struct rlti_mesh_part {
    rlti_surface_sides sides;
    rlti_mesh mesh;
    int *from; /* [mesh.vertex_count] vertex of the file */
} rlti_mesh_part;

typedef struct rlti_mesh_parts {
    int count;
    rlti_mesh_part part[RLTI_PARTS_MAX];
} rlti_mesh_parts;

/* `name` is the collider's. Without a triangle that has an area it is RLT_BAD_INPUT. On failure nothing is
 * kept. */
rlt_status rlti_mesh_parts_create(const char *name, const rlti_obj *obj, rlti_sides sides,
                                  rlt_messages *messages, rlti_mesh_parts *parts);
void rlti_mesh_parts_destroy(rlti_mesh_parts *parts);

#endif
