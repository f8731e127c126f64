/* A rest shape that changes while the simulation runs (docs/design/reshape.md): it follows the moving curves
 * of the groom's file, is blended with another groom, or grows with the character. Solvers ask for the shape
 * of a moment, and find anew what it needs to not sag. */
#ifndef RLTI_SHAPE_RESHAPE_H
#define RLTI_SHAPE_RESHAPE_H

#include "groom/strands.h"
#include "parallel/pool.h"

typedef struct rlti_reshape rlti_reshape;

typedef struct rlti_reshape_def {
    const rlti_scene_data *scene;
    const rlti_strands *strands;
    const rlti_body *body;
    double *size; /* [hair_count] how large hair is now, against its groom, for others to see */
    rlti_pool *pool;
} rlti_reshape_def;

/* Whether any section asks for it; the rest of this header is for those that do. */
int rlti_reshape_wanted(const rlti_scene_data *scene);

/* All of the def's pointers must outlive it. */
rlt_status rlti_reshape_create(const rlti_reshape_def *def, rlt_messages *messages, rlti_reshape **reshape);
void rlti_reshape_destroy(rlti_reshape *reshape);
size_t rlti_reshape_bytes(const rlti_reshape *reshape);

/* Once per frame interval [frame, frame + 1], after the body. The first reads moving curves, and fails only
 * where a file does; the second is for each strand computed here, from any thread. */
rlt_status rlti_reshape_begin_frame(rlti_reshape *reshape, int frame, rlt_messages *messages);
void rlti_reshape_begin_strand(rlti_reshape *reshape, int strand, int frame);

/* Once per outer step; `at` in [0, 1] of the interval. Nothing is allocated. */
void rlti_reshape_pose(rlti_reshape *reshape, int frame, double at);

/* The rest points of one strand at this moment, or NULL where they are as they were. From any thread, one
 * strand each; the points are the worker's until its next call. */
const rlti_vec3 *rlti_reshape_strand(rlti_reshape *reshape, int strand, int worker);

#endif
