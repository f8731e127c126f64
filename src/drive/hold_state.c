#include "drive/hold_state.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "base/number.h"
#include "distribute/ranks.h"

/* ---- checkpoints ---- */

int rlti_hold_state_create(const rlti_drive *drive, rlti_hold_state *state) {
    *state = (rlti_hold_state){0};
    if (drive->holds != NULL) {
        state->frozen_count = rlti_freeze_count(drive->holds);
        state->pose_count = rlti_pose_count(drive->holds);
    }
    size_t points = (size_t)drive->def.matter->point_count, strands = (size_t)drive->def.matter->strand_count;
    return RLTI_ALLOCATE(RLTI_ITEMS(state->frozen, (size_t)state->frozen_count * points),
                         RLTI_ITEMS(state->efforts, (size_t)state->pose_count * strands),
                         RLTI_ITEMS(state->steps, state->pose_count));
}

void rlti_hold_state_free(rlti_hold_state *state) {
    RLTI_FREE(state->frozen, state->efforts, state->steps);
}

void rlti_hold_fields(const rlti_drive *drive, const rlti_hold_state *state,
                      rlti_field fields[RLTI_HOLD_FIELDS]) {
    long long points = drive->def.matter->point_count, strands = drive->def.matter->strand_count;
    const rlti_field all[RLTI_HOLD_FIELDS] = {
        {"frozen", 8, 3 * points * state->frozen_count, state->frozen},
        {"pose_efforts", 8, 4 * strands * state->pose_count, state->efforts},
        {"pose_steps", 4, state->pose_count, state->steps},
    };
    memcpy(fields, all, sizeof all);
}

void rlti_hold_state_take(const rlti_drive *drive, rlti_hold_state *state) {
    size_t points = (size_t)drive->def.matter->point_count, strands = (size_t)drive->def.matter->strand_count;
    for (int f = 0; f < state->frozen_count; f++) {
        rlti_vec3 *frozen = state->frozen + (size_t)f * points;
        for (int s = 0; s < drive->def.matter->strand_count; s++)
            rlti_freeze_get(drive->holds, f, s, frozen + drive->def.strands->first[s]);
        rlti_spread_gather_points(drive->spread, frozen, sizeof *frozen);
    }
    for (int p = 0; p < state->pose_count; p++) {
        rlti_effort *efforts = state->efforts + (size_t)p * strands;
        memcpy(efforts, rlti_pose_efforts(drive->holds, p), strands * sizeof *efforts);
        rlti_spread_gather_strands(drive->spread, efforts, sizeof *efforts);
        state->steps[p] = rlti_pose_steps(drive->holds)[p];
    }
}

rlt_status rlti_hold_state_load(const rlti_drive *drive, const rlti_checkpoint *checkpoint,
                                rlti_hold_state *state, rlt_messages *messages) {
    rlti_field fields[RLTI_HOLD_FIELDS];
    rlt_status status = RLT_OK;
    int sound = 1;
    rlti_hold_fields(drive, state, fields);
    for (int f = 0; f < RLTI_HOLD_FIELDS && status == RLT_OK; f++)
        status = rlti_checkpoint_get(checkpoint, &fields[f], messages);
    if (status != RLT_OK)
        return status;
    for (int f = 0; f < 2; f++)
        for (long long i = 0; i < fields[f].count; i++)
            sound = sound && isfinite(((const double *)fields[f].data)[i]);
    for (int p = 0; p < state->pose_count; p++)
        sound = sound && state->steps[p] >= 0;
    if (!sound)
        return rlti_refuse(messages, "%s: is damaged: the state of the constraints is out of range",
                           rlti_checkpoint_name(checkpoint));
    return RLT_OK;
}

void rlti_hold_state_give(rlti_drive *drive, int frame, const rlti_hold_state *state) {
    size_t points = (size_t)drive->def.matter->point_count, strands = (size_t)drive->def.matter->strand_count;
    for (int f = 0; f < state->frozen_count; f++)
        for (int s = 0; s < drive->def.matter->strand_count; s++)
            rlti_freeze_set(drive->holds, f, s,
                            state->frozen + (size_t)f * points + drive->def.strands->first[s]);
    for (int p = 0; p < state->pose_count; p++) {
        rlti_effort *efforts = rlti_pose_efforts(drive->holds, p);
        memcpy(efforts, state->efforts + (size_t)p * strands, strands * sizeof *efforts);
        rlti_pose_steps(drive->holds)[p] = state->steps[p];
        if (rlti_pose_frame(drive->holds, p) <= frame)
            rlti_pose_sum(drive->holds, p, &drive->poses[p]);
        else
            rlti_pose_name(drive->holds, p, &drive->poses[p]);
    }
}

/* ---- poses ---- */

/* All ranks' strands, added up in their order: the same numbers for any ranks. */
static void add_up(rlti_drive *drive, int pose, const rlti_vec3 *points) {
    rlti_effort *efforts = rlti_pose_efforts(drive->holds, pose);
    rlt_pose_report *report = &drive->poses[pose];
    for (int k = 0; k < drive->local_count; k++) {
        int s = drive->local[k];
        rlti_pose_arrive(drive->holds, pose, s, points + drive->def.strands->first[s]);
    }
    rlti_spread_gather_strands(drive->spread, efforts, sizeof *efforts);
    rlti_pose_sum(drive->holds, pose, report);
    rlti_ranks_broadcast(rlti_spread_handle(drive->spread), report, sizeof *report);
}

void rlti_drive_report_poses(rlti_drive *drive, int frame, const rlti_vec3 *points, rlt_messages *messages) {
    for (int p = 0; p < rlti_drive_pose_count(drive); p++) {
        char mean[32], maximum[32], rms[32], force[32];
        if (rlti_pose_frame(drive->holds, p) != frame)
            continue;
        add_up(drive, p, points);
        const rlt_pose_report *r = &drive->poses[p];
        rlti_number_short(100.0 * r->off_mean, mean, sizeof mean);
        rlti_number_short(100.0 * r->off_most, maximum, sizeof maximum);
        rlti_number_short(r->force_rms, rms, sizeof rms);
        rlti_number_short(r->force_most, force, sizeof force);
        rlti_message(messages, RLT_NOTE,
                     "%s: pose '%s' at frame %d: %d points are %s%% of their strand's length off, at most "
                     "%s%% (strand %d); it took %s g (rms), at most %s g (strand %d)",
                     drive->def.file, r->name, r->frame, r->points, mean, maximum, r->off_strand, rms, force,
                     r->force_strand);
    }
}

int rlti_drive_pose_count(const rlti_drive *drive) {
    return drive->holds != NULL ? rlti_pose_count(drive->holds) : 0;
}

const rlt_pose_report *rlti_drive_pose_report(const rlti_drive *drive, int pose) {
    return &drive->poses[pose];
}
