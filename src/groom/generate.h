/* Generators of hair: from one hair section of the scene to strands. */
#ifndef RLTI_GROOM_GENERATE_H
#define RLTI_GROOM_GENERATE_H

#include "groom/mesh_tree.h"
#include "groom/strands.h"

/* The strands of one hair section; `first` as in rlti_strands. */
typedef struct rlti_lock {
    int strand_count;
    int point_count;
    int *first;
    rlti_vec3 *points;
    rlti_root *roots;
    /* of a groom from a file: as in rlti_strands, points counted from the lock's first */
    double *widths, *minimum;
    int map_count;
    rlti_map *maps;
    int source_count;
    rlti_curves *curves; /* [source_count] */
} rlti_lock;

/* Allocates and numbers the strands' points from their counts. Returns 0 when out of memory, 1 else. */
int rlti_lock_create(int strand_count, const int *counts, rlti_lock *lock);
void rlti_lock_clear(rlti_lock *lock);

/* "hair" when the scene has one hair section, else "hair[2]": how messages name section `index`. */
typedef struct rlti_section_name {
    char text[24];
} rlti_section_name;
rlti_section_name rlti_section(const rlti_scene_data *scene, int index);

/* The strands of section `index`, generated, given in the scene or read from a file, checked and bound to the
 * body (strands.c). `tree` is of the body's mesh; NULL without triangles. Sections with the same seed still
 * differ, but for the one that is made `like` another: it has its roots, and its luck. */
rlt_status rlti_lock_make(const rlti_scene_data *scene, const rlti_body *body, const rlti_mesh_tree *tree,
                          int index, int like, rlt_messages *messages, rlti_lock *lock);

/* The strands of a caller's memory, bound to the mesh (given.c). */
rlt_status rlti_lock_given(const rlti_given_groom *groom, const rlti_mesh *mesh, const rlti_mesh_tree *tree,
                           const char *section, rlt_messages *messages, rlti_lock *lock);

/* Generates section `index`; `tree` and `like` as above. */
rlt_status rlti_generate(const rlti_scene_data *scene, const rlti_body *body, const rlti_mesh_tree *tree,
                         int index, int like, rlt_messages *messages, rlti_lock *lock);

/* How many strands and points that would be, without growing them. `body` may be NULL for a section that has
 * a count. */
rlt_status rlti_generate_count(const rlti_scene_data *scene, const rlti_body *body, int index,
                               rlt_messages *messages, int *strands, long long *points);

#endif
