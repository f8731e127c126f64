/* Times at which a prim's transform is written as matrices, so that blends of them follow it. */
#ifndef RLTI_FILES_TRANSFORM_TIMES_H
#define RLTI_FILES_TRANSFORM_TIMES_H

#include "formats/tree/stage.h"

/* A file may key operations: between two keys angles are blended, and so are axes and lengths (USD and this
 * reader of Alembic, formats/alembic/abc_xform.c). What is written are matrices, between which numbers are
 * blended: half of a turn by 90 degrees would shrink everything by 29 %. So there are samples between the
 * keys, until a blend is off by at most this share: the upper 3 x 3 of its own size, the place of the longest
 * way from the first key's. */
#define RLTI_TRANSFORM_ERROR 1e-4

typedef struct rlti_transform_times {
    double *list; /* [count] increasing; freed by the caller (rlti_free) */
    int count, capacity;
    int is_coarse; /* a limit was reached: the error may be larger */
} rlti_transform_times;

/* The longest displacement from the first key's place, at the keys and between them; 0 where nothing
 * moves. */
rlt_status rlti_transform_extent(const rlti_stage *stage, const rlti_prim *prim, rlt_messages *messages,
                                 double *extent);

/* Adds `from`, what is needed between, and `to`; keys between are always there, but for those as good as at
 * an end. Times that are no keys are at least `minimum` from others. */
rlt_status rlti_transform_times_add(const rlti_stage *stage, const rlti_prim *prim, double from, double to,
                                    double extent, double minimum, rlt_messages *messages,
                                    rlti_transform_times *times);

#endif
