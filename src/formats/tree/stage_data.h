/* The stage with what only its builder needs. */
#ifndef RLTI_FORMATS_TREE_STAGE_DATA_H
#define RLTI_FORMATS_TREE_STAGE_DATA_H

#include "base/arena.h"
#include "formats/tree/stage.h"

typedef struct rlti_stage_private {
    rlti_stage stage; /* first, so that pointers to both are the same */
    int prim_capacity, attribute_capacity;
    rlti_arena arena; /* of texts and times */
} rlti_stage_private;

#endif
