/* Hair sections of role shape: grooms that are not simulated; other hair changes to them, strand by strand.
 */
#ifndef RLTI_GROOM_SHAPES_H
#define RLTI_GROOM_SHAPES_H

#include "groom/strands.h"

/* The strands of section `shape` with as many points each as those of section `hair` have: one strand after
 * the other, in the order of the groom, root first, in the rest pose; to be freed. Other numbers of points
 * are spread anew along the strand, at the same shares of its length; another number of strands is refused,
 * at `place` in the scene. */
rlt_status rlti_shape_points(const rlti_scene_data *scene, const rlti_body *body, const rlti_strands *strands,
                             int hair, int shape, const char *place, rlt_messages *messages,
                             rlti_vec3 **points);

#endif
