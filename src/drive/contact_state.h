/* The memory of hair-hair contacts in a checkpoint: two lists over the whole groom, both sorted, so that they
 * do not show how many ranks there were. */
#ifndef RLTI_DRIVE_CONTACT_STATE_H
#define RLTI_DRIVE_CONTACT_STATE_H

#include "io/checkpoint.h"
#include "drive/drive_data.h"

/* A particle that bears less than the whole of its contact forces. */
typedef struct rlti_share_memory {
    int particle;
    float share; /* 0..1 */
} rlti_share_memory;

typedef struct rlti_contact_state {
    long long spring_count, share_count;
    rlti_spring_memory *springs; /* by (particle, other) */
    rlti_share_memory *shares;   /* by particle */
} rlti_contact_state;

#define RLTI_CONTACT_FIELDS 2

/* The one list of fields, for saving and loading. */
void rlti_contact_fields(rlti_contact_state *state, rlti_field fields[RLTI_CONTACT_FIELDS]);

/* All contacts of all ranks, on rank 0; elsewhere nothing. Collective. `state` is zero before. */
rlt_status rlti_contact_state_take(const rlti_drive *drive, rlti_contact_state *state,
                                   rlt_messages *messages);

/* From a checkpoint, checked. `state` is zero before. */
rlt_status rlti_contact_state_load(const rlti_drive *drive, const rlti_checkpoint *checkpoint,
                                   rlti_contact_state *state, rlt_messages *messages);

/* Gives the simulation what is its own of it. Fails only when out of memory. */
rlt_status rlti_contact_state_give(rlti_drive *drive, const rlti_contact_state *state,
                                   rlt_messages *messages);

/* Frees the lists. */
void rlti_contact_state_free(rlti_contact_state *state);

#endif
