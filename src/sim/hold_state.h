/* What constraints remember: in checkpoints, and told when a pose is reached. */
#ifndef RLTI_SIM_HOLD_STATE_H
#define RLTI_SIM_HOLD_STATE_H

#include "io/checkpoint.h"
#include "sim/simulation_data.h"

typedef struct rlti_hold_state {
    int frozen_count, pose_count;
    rlti_vec3 *frozen;    /* [frozen_count][point_count] offsets from the root, turned back [unit] */
    rlti_effort *efforts; /* [pose_count][strand_count] */
    int *steps;           /* [pose_count] */
} rlti_hold_state;

#define RLTI_HOLD_FIELDS 3

/* Room for all of it; 0 when out of memory. To be freed in any case. */
int rlti_hold_state_create(const rlt_simulation *sim, rlti_hold_state *state);
void rlti_hold_state_free(rlti_hold_state *state);

/* The one list of fields, for saving and loading. */
void rlti_hold_fields(const rlt_simulation *sim, const rlti_hold_state *state,
                      rlti_field fields[RLTI_HOLD_FIELDS]);

/* Everybody's strands, on rank 0. Collective. */
void rlti_hold_state_take(const rlt_simulation *sim, rlti_hold_state *state);
/* From a checkpoint, checked. */
rlt_status rlti_hold_state_load(const rlt_simulation *sim, const rlti_checkpoint *checkpoint,
                                rlti_hold_state *state, rlt_messages *messages);
void rlti_hold_state_give(rlt_simulation *sim, const rlti_hold_state *state);

/* After a frame: tells of poses that were to be reached in it what they took. Collective. */
void rlti_simulation_tell_poses(rlt_simulation *sim, rlt_messages *messages);

#endif
