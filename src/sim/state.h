/* All that changes in a simulation, as arrays over the whole groom: what checkpoints and saved states
 * hold. */
#ifndef RLTI_SIM_STATE_H
#define RLTI_SIM_STATE_H

#include "drive/contact_state.h"
#include "drive/hold_state.h"
#include "io/checkpoint.h"
#include "sim/simulation_data.h"

#define RLTI_STATE_VERSION 32

/* One array of a solver's state over the whole groom; "0.positions" is the first solver's. */
typedef struct rlti_state_array {
    const rlti_solver *solver;
    rlti_state_field field;
    int index; /* of the field in its solver's list */
    char name[RLTI_FIELD_NAME];
    char *data;
} rlti_state_array;

enum {
    RLTI_STATE_ORIGIN = 3, /* say whether the rest can be used at all */
    RLTI_STATE_OWN = 5,
    RLTI_STATE_ARRAYS = RLTI_SOLVERS_MAX * RLTI_FIELDS_MAX,
    RLTI_STATE_FIELDS_MAX =
        RLTI_STATE_OWN + RLTI_STATE_ARRAYS + RLTI_CONTACT_FIELDS + RLTI_HOLD_FIELDS + RLTI_MARKED_FIELDS + 1
};

/* All that changes, as one checkpoint holds it. */
typedef struct rlti_state {
    char version[RLTI_STATE_VERSION]; /* of the library: another one may give other bytes */
    uint64_t fingerprint;             /* of the scene and what was built from it */
    int32_t precision;                /* 8: by the reference builds; 4: by lanes */
    int32_t frame;
    rlti_vec3 *origins; /* [strand_count] world [unit] */
    int array_count;
    rlti_state_array arrays[RLTI_STATE_ARRAYS];
    rlti_contact_state contacts;
    rlti_hold_state holds;
} rlti_state;

/* Memory for all of it; 0: out of memory. To be destroyed in any case. */
int rlti_state_create(const rlt_simulation *sim, rlti_state *s);
void rlti_state_destroy(rlti_state *s);

/* The one list of what is held, but for contacts, holds and the writer, which have lists of their own: saving
 * and loading both follow it. Returns how many. */
int rlti_state_fields(const rlt_simulation *sim, rlti_state *s, rlti_field fields[RLTI_STATE_FIELDS_MAX]);

/* 8: the reference builds, in plain doubles; 4: lanes. */
int32_t rlti_state_precision(const rlt_simulation *sim);

/* This rank's strands; then everybody's, and contacts, on rank 0. */
void rlti_state_take(const rlt_simulation *sim, rlti_state *s);
rlt_status rlti_state_gather(const rlt_simulation *sim, rlti_state *s, rlt_messages *messages);

/* 1: all numbers of these fields are finite, from origins on. */
int rlti_state_is_finite(const rlti_field *fields, int count);

/* Makes it the simulation's, all but its contacts. */
void rlti_state_give(rlt_simulation *sim, const rlti_state *s);

#endif
