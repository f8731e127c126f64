/* Memory of constraints: in checkpoints, and reported when a pose is reached. */
#ifndef RLTI_DRIVE_HOLD_STATE_H
#define RLTI_DRIVE_HOLD_STATE_H

#include "io/checkpoint.h"
#include "drive/drive_data.h"

typedef struct rlti_hold_state {
    int frozen_count, pose_count;
    rlti_vec3 *frozen;    /* [frozen_count][point_count] offsets from the root, turned back [unit] */
    rlti_effort *efforts; /* [pose_count][strand_count] */
    int *steps;           /* [pose_count] */
} rlti_hold_state;

#define RLTI_HOLD_FIELDS 3

/* Memory for all of it; 0 when out of memory. To be freed in any case. */
int rlti_hold_state_create(const rlti_drive *drive, rlti_hold_state *state);
void rlti_hold_state_free(rlti_hold_state *state);

/* The one list of fields, for saving and loading. */
void rlti_hold_fields(const rlti_drive *drive, const rlti_hold_state *state,
                      rlti_field fields[RLTI_HOLD_FIELDS]);

/* Everybody's strands, on rank 0. Collective. */
void rlti_hold_state_take(const rlti_drive *drive, rlti_hold_state *state);
/* From a checkpoint, checked. */
rlt_status rlti_hold_state_load(const rlti_drive *drive, const rlti_checkpoint *checkpoint,
                                rlti_hold_state *state, rlt_messages *messages);
void rlti_hold_state_give(rlti_drive *drive, int frame, const rlti_hold_state *state);

#endif
