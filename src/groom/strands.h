/* Strands at rest: the groom, whether generated or given in the scene file. */
#ifndef RLTI_GROOM_STRANDS_H
#define RLTI_GROOM_STRANDS_H

#include "body/body.h"

typedef struct rlti_strands {
    int strand_count;
    int point_count;
    int *first;        /* [strand_count + 1] index of each strand's root point; the last is point_count */
    rlti_vec3 *points; /* [point_count] rest pose, root first */
    rlti_root *roots;  /* [strand_count] */
    int *hair;         /* [strand_count] which hair section of the scene the strand belongs to */
} rlti_strands;

/* Makes the strands of every hair section: generated on a region of the body's mesh, hung on the head bone
 * (region none), or the inline strands of the file (root bound to the closest triangle; to the head bone when
 * there is no mesh or the region is none). Reports every problem with its hair section and strand. */
rlt_status rlti_groom_create(const rlti_scene_data *scene, const rlti_body *body, rlt_messages *messages,
                             rlti_strands **strands);
void rlti_groom_destroy(rlti_strands *strands);

#endif
