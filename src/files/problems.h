/* Problems of curves and meshes, in the same words wherever a file is read whole: rlt_file_problems and
 * rlt_convert. */
#ifndef RLTI_FILES_PROBLEMS_H
#define RLTI_FILES_PROBLEMS_H

#include "formats/tree/stage.h"

/* Findings about the points of a prim so far, sample after sample; starts as zeros. */
typedef struct rlti_points_watch {
    size_t first_count;
    unsigned char has_first, reported_count, reported_finite;
} rlti_points_watch;

/* Warns, once for a prim, of points that are not finite, and of another count than at first. Returns how many
 * problems are new. */
int rlti_watch_points(rlti_points_watch *watch, const rlti_stage *stage, const rlti_prim *prim, double time,
                      const rlti_array *points, rlt_messages *messages);

/* Warns of all other problems of a prim at a time, at which it has these points (NULL: reads them), and of
 * topology that changes unless it is written still. Reports nothing of values that cannot be read: writing
 * them fails. */
rlt_status rlti_prim_problems(const rlti_stage *stage, const rlti_prim *prim, double time, int is_still,
                              const rlti_array *points,
                              const unsigned char *unreadable /* [attribute_count] 1: left out */,
                              rlt_messages *messages);

#endif
