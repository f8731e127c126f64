/* Which points of the groom a constraint means: by hair section, region, strands, place along the strand and
 * ramp or map (scene key `constraints`). */
#ifndef RLTI_SHAPE_SELECT_H
#define RLTI_SHAPE_SELECT_H

#include "groom/strands.h"

typedef struct rlti_selection {
    int count;
    int *point;    /* [count] into the groom's points, ascending */
    int *strand;   /* [count] */
    double *share; /* [count] the ramp there, above 0 */
} rlti_selection;

/* Chooses the points of a constraint; never a root, which the body moves. Errors of the choice are
 * reported with the constraint's place in the scene: an unknown region, a map that generated hair has not, no
 * point at all. */
rlt_status rlti_select(const rlti_scene_data *scene, const rlti_body *body, const rlti_strands *strands,
                       const rlti_constraint_data *constraint, rlt_messages *messages,
                       rlti_selection *selection);
/* The bit of a region of the body that the constraint's `key` names; 0 with a message where there is none. */
int rlti_select_region(const rlti_body *body, const rlti_constraint_data *constraint, const char *key,
                       const char *name, rlt_messages *messages, uint32_t *bit);
void rlti_selection_free(rlti_selection *selection);

#endif
