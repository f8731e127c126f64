/* The drive in time: what a frame interval and a step of it bring. */
#include <limits.h>
#include <string.h>

#include "base/clock.h"
#include "base/messages.h"
#include "body/segment.h"
#include "drive/drive_data.h"

void rlti_lap(double *since, double *sum) {
    double now = rlti_seconds(CLOCK_MONOTONIC);
    *sum += now - *since;
    *since = now;
}

int rlti_drive_has_planes(const rlti_drive *d) {
    return rlti_colliders_count(d->colliders) > 0;
}

int rlti_drive_has_air(const rlti_drive *d) {
    return !rlti_wind_is_zero(&d->wind);
}

int rlti_drive_has_pushes(const rlti_drive *d) {
    return d->springs != NULL || d->def.pulls;
}

int rlti_drive_interval(const rlti_drive *d) {
    if (rlti_drive_has_planes(d) || d->springs != NULL || d->holds != NULL || d->pull_count > 0)
        return 1;
    return rlti_drive_has_air(d) || d->reshape != NULL ? d->slow_interval : d->def.scene->time.outer_steps;
}

/* ---- a frame ---- */

rlt_status rlti_drive_place_body(rlti_drive *d, int frame, rlt_messages *messages) {
    int first_message = rlt_messages_count(messages);
    rlt_status status = rlti_body_begin_frame(d->def.body, frame, messages);
    rlti_messages_prefix(messages, first_message, d->def.file);
    return status;
}

rlt_status rlti_drive_begin_frame(rlti_drive *d, int frame, rlt_messages *messages) {
    rlt_status status = rlti_drive_place_body(d, frame, messages);
    int first_message = rlt_messages_count(messages);
    d->now.frame = frame;
    if (status == RLT_OK && rlti_drive_has_planes(d)) {
        status = rlti_colliders_begin_frame(d->colliders, frame, messages);
        if (status == RLT_OK)
            d->posed = frame;
    }
    if (status == RLT_OK && d->holds != NULL)
        status = rlti_holds_begin_frame(d->holds, frame, messages);
    if (status == RLT_OK && d->reshape != NULL)
        status = rlti_reshape_begin_frame(d->reshape, frame, messages);
    rlti_messages_prefix(messages, first_message, d->def.file);
    if (status == RLT_OK && d->springs != NULL)
        rlti_springs_begin_frame(d->springs, frame);
    return status;
}

void rlti_drive_begin_strand(rlti_drive *d, int s, rlti_root_motion *root) {
    const rlti_strands *strands = d->def.strands;
    int frame = d->now.frame, first = strands->first[s];
    rlti_body_root_segment(d->def.body, &strands->roots[s], frame, &root->motion);
    rlti_vec3 origin = root->motion.position[0];
    root->shift = rlti_sub(origin, d->origins[s]);
    root->motion.position[0] = rlti_v3(0, 0, 0);
    root->jumps = rlti_body_root_jump(d->def.body, &strands->roots[s], frame, &root->turn);
    if (root->jumps) {
        root->shift = rlti_v3(0, 0, 0);
        root->velocity = rlti_segment_velocity(&root->motion, 0.0, d->def.scene->time.fps);
    }
    d->origins[s] = origin;
    memset(d->memory + first, 0, (size_t)(strands->first[s + 1] - first) * sizeof *d->memory);
    if (d->holds != NULL)
        rlti_holds_begin_strand(d->holds, s, frame);
    if (d->reshape != NULL)
        rlti_reshape_begin_strand(d->reshape, s, frame);
}

rlti_root_state rlti_drive_root(const rlti_drive *d, int strand, int frame) {
    rlti_root_state state;
    rlti_motion_segment motion;
    rlti_quat rate;
    rlti_body_root_segment(d->def.body, &d->def.strands->roots[strand], frame, &motion);
    rlti_motion_segment_at(&motion, 0.0, d->def.scene->time.fps, &state.position, &state.velocity,
                           &state.rotation, &rate);
    state.rotation = rlti_quat_normalize(state.rotation);
    /* angular velocity 2 (dq/dt) q* */
    rlti_quat spin = rlti_quat_multiply(rate, rlti_quat_conjugate(state.rotation));
    state.spin = rlti_v3(2.0 * spin.x, 2.0 * spin.y, 2.0 * spin.z);
    return state;
}

/* ---- a step ---- */

int rlti_drive_needs_look(const rlti_drive *d) {
    return rlti_drive_has_planes(d) || d->springs != NULL || d->holds != NULL || d->airs || d->pull_count > 0;
}

void rlti_drive_pose(rlti_drive *d, const rlti_interval *now) {
    double at = rlti_interval_at(now), clock = rlti_seconds(CLOCK_MONOTONIC);
    int slow = now->first % d->slow_interval == 0;
    d->now = *now;
    d->airs = slow && rlti_drive_has_air(d);
    d->reshapes = slow && d->reshape != NULL;
    d->wind_strength = rlti_track_at(&d->def.scene->wind.strength, now->frame + at);
    if (rlti_drive_has_planes(d))
        rlti_colliders_pose(d->colliders, now->ahead ? (double)(now->first + now->count) / now->steps : at);
    rlti_lap(&clock, &d->laps[0].collide);
    if (d->springs != NULL)
        rlti_springs_pose(d->springs, at);
    if (d->reshapes)
        rlti_reshape_pose(d->reshape, now->frame, at);
    if (d->holds != NULL)
        rlti_holds_pose(d->holds, now->frame, at);
}

rlti_look rlti_drive_board(const rlti_drive *d, int strand) {
    size_t first = 3 * (size_t)d->def.strands->first[strand];
    return (rlti_look){d->positions + first, d->velocities + first};
}

void rlti_drive_shown(rlti_drive *d, int s) {
    rlti_look board = rlti_drive_board(d, s);
    if (d->springs != NULL && rlti_springs_has(d->springs, s))
        rlti_springs_look(d->springs, s, &d->origins[s], board.positions, board.velocities);
    if (d->holds != NULL)
        rlti_holds_look(d->holds, s, &d->origins[s], board.positions, board.velocities);
}

void rlti_drive_show(rlti_drive *d, int strand, const rlti_vec3 *positions, const rlti_vec3 *velocities) {
    rlti_look look = rlti_drive_board(d, strand);
    const double *x = &positions->x, *v = &velocities->x; /* three doubles in a row */
    for (int k = 0; k < 3 * rlti_matter_points(d->def.matter, strand); k++) {
        look.positions[k] = (float)x[k];
        look.velocities[k] = (float)v[k];
    }
    rlti_drive_shown(d, strand);
}

/* Strands that a task takes at once. */
enum { BLOCK = 16 };

static int block_count(const rlti_drive *d) {
    return (d->local_count + BLOCK - 1) / BLOCK;
}

static int block_end(const rlti_drive *d, int block) {
    return (block + 1) * BLOCK < d->local_count ? (block + 1) * BLOCK : d->local_count;
}

static void react(void *context, int block, int worker) {
    rlti_drive *d = context;
    (void)worker;
    for (int k = block * BLOCK; k < block_end(d, block); k++)
        rlti_holds_react(d->holds, d->local[k]);
}

/* Middles of constrained points, once all strands are on the blackboard. */
static void meet_groups(rlti_drive *d) {
    rlt_ranks *ranks = rlti_spread_handle(d->spread);
    rlti_holds_meet(d->holds, ranks);
    if (!rlti_holds_reacts(d->holds))
        return;
    rlti_pool_for(d->def.pool, block_count(d), react, d);
    rlti_holds_answer(d->holds, ranks);
}

void rlti_drive_meet(rlti_drive *d) {
    if (d->holds != NULL)
        meet_groups(d);
    double clock = rlti_seconds(CLOCK_MONOTONIC);
    if (d->springs != NULL)
        rlti_spread_exchange(d->spread, d->springs);
    rlti_lap(&clock, &d->seconds_exchange);
}

int rlti_drive_agree(rlti_drive *d, const void *solver, double tolerance) {
    return rlti_holds_agree(d->holds, solver, tolerance, rlti_spread_handle(d->spread));
}

void rlti_drive_end_step(rlti_drive *d, const rlti_interval *now) {
    if (d->springs == NULL)
        return;
    rlti_springs_count count = rlti_springs_counts(d->springs);
    d->contact_ends[now->first] = (double)count.ends;
    d->limited = count.limited;
    d->searches = count.searches;
}

/* ---- reports ---- */

/* A contact has two ends, maybe on two ranks: halved when all are added up. */
static void add_up_contacts(rlti_drive *d, rlt_statistics *stats) {
    int steps = d->def.scene->time.outer_steps;
    rlt_ranks_sum(rlti_spread_handle(d->spread), d->contact_ends, steps);
    double all = 0.0;
    for (int o = 0; o < steps; o++) {
        stats->hair_contacts = (long long)(d->contact_ends[o] / 2);
        all += d->contact_ends[o];
        if (stats->hair_contacts > stats->hair_contacts_worst)
            stats->hair_contacts_worst = stats->hair_contacts;
    }
    stats->hair_contacts_mean = all / (2.0 * steps);
}

rlt_status rlti_drive_report(rlti_drive *d, rlt_statistics *stats, rlt_messages *messages) {
    double planes = 0.0;
    int out_of_memory = 0;
    for (int s = 0; s < d->def.matter->strand_count; s++)
        planes += (double)d->plane_counts[s];
    double sums[3] = {planes, (double)d->limited, (double)d->searches};
    rlt_ranks_sum(rlti_spread_handle(d->spread), sums, 3);
    stats->contacts = (long long)sums[0];
    stats->hair_contacts_limited = (long long)sums[1];
    stats->searches = (long long)sums[2];
    if (d->springs != NULL)
        add_up_contacts(d, stats);
    for (int w = 0; w < rlti_pool_threads(d->def.pool); w++) {
        out_of_memory = out_of_memory || d->laps[w].out_of_memory;
        d->laps[w].out_of_memory = 0; /* a checkpoint may be read next */
    }
    return out_of_memory ? rlti_out_of_memory(messages) : RLT_OK;
}

rlt_status rlti_drive_pose_frame(rlti_drive *d, int frame, rlt_messages *messages) {
    if (!rlti_drive_has_planes(d))
        return RLT_OK;
    if (d->posed != INT_MIN && d->posed == frame - 1) {
        rlti_colliders_pose(d->colliders, 1.0);
        return RLT_OK;
    }
    rlt_status status = rlti_colliders_begin_frame(d->colliders, frame, messages);
    if (status == RLT_OK) {
        d->posed = frame;
        rlti_colliders_pose(d->colliders, 0.0);
    }
    return status;
}
