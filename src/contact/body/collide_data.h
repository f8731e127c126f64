/* Inside of the colliders' handle, shared by collide.c and collide_find.c. */
#ifndef RLTI_CONTACT_BODY_COLLIDE_DATA_H
#define RLTI_CONTACT_BODY_COLLIDE_DATA_H

#include "contact/body/collide.h"
#include "contact/body/mesh_collider.h"
#include "contact/body/mesh_motion.h"
#include "contact/body/mesh_parts.h"
#include "contact/body/shape.h"

/* A mesh read from files, and where its parts are among the items. */
typedef struct rlti_loaded_mesh {
    rlti_mesh_motion motion;
    rlti_mesh_parts parts;
    int first_mesh; /* of the parts, in `meshes` */
} rlti_loaded_mesh;

/* One thing to collide with: a shape or a mesh. */
typedef struct rlti_collider_item {
    int collider; /* in the scene */
    int surface;  /* which of all surfaces: the body may be several items */
    const rlti_shape *shape;
    const rlti_mesh_collider *mesh;
} rlti_collider_item;

struct rlti_colliders {
    const rlti_body *body;
    double rate; /* frames per second */
    int shape_count;
    rlti_shape *shapes;
    int mesh_count;
    rlti_mesh_collider *meshes;
    int body_mesh;    /* the character's own in `meshes`, or -1: none, or one that came from a file */
    int body_surface; /* and as a surface */
    int body_loaded;  /* the character's own among `loaded`, or -1 */
    int surface_count;
    int loaded_count;
    rlti_loaded_mesh *loaded;

    /* the items each hair section meets: those of list[first[h]] to list[first[h + 1] - 1]; the last section
     * stands for all */
    int item_count;
    rlti_collider_item *items;
    int hair_count;
    int *first; /* [hair_count + 2] */
    const rlti_collider_item **list;
};

#endif
