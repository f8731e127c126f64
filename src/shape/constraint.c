#include "shape/constraint.h"

#include <string.h>

#include "base/memory.h"
#include "body/segment.h"
#include "shape/constraint_data.h"

/* A hard constraint that is not at full weight is a spring of this stiffness [1/s^2]: under gravity a point
 * hangs 0.001 units below its place. */
#define HARD_STIFFNESS 1e6

void rlti_holds_destroy(rlti_holds *holds) {
    if (holds == NULL)
        return;
    RLTI_FREE(holds->entries, holds->first, holds->seen, holds->groups, holds->laws, holds->size,
              holds->ordinal, holds->efforts, holds->pose_steps, holds->exchange, holds->motions,
              holds->first_motion, holds->knots, holds->knotted, holds->open, holds->knot_of, holds->trials);
    rlti_hold_curves_free(holds);
    rlti_hold_fields_free(holds);
    rlti_free(holds);
}

size_t rlti_holds_bytes(const rlti_holds *h) {
    return sizeof *h + (size_t)h->entry_capacity * sizeof *h->entries +
           (size_t)h->entry_count * sizeof *h->seen + (size_t)h->motion_capacity * sizeof *h->motions +
           (size_t)h->group_capacity * (sizeof *h->groups + 12 * sizeof(double)) +
           (size_t)h->def.strands->strand_count * (size_t)h->pose_count * sizeof *h->efforts +
           ((size_t)h->def.strands->strand_count + 1) * sizeof(int) + rlti_holds_live_bytes(h);
}

int rlti_holds_count(const rlti_holds *holds) {
    return holds->entry_count;
}

int rlti_holds_of(const rlti_holds *holds, int strand) {
    return holds->first[strand + 1] - holds->first[strand];
}

int rlti_holds_largest(const rlti_holds *holds) {
    return holds->maximum;
}

/* ---- time ---- */

rlt_status rlti_holds_begin_frame(rlti_holds *holds, int frame, rlt_messages *messages) {
    rlt_status status = rlti_hold_curves_begin(holds, frame, messages);
    if (status != RLT_OK)
        return status;
    for (int g = 0, last = -1; g < holds->group_count; g++) {
        rlti_motion_segment motion;
        rlti_hold_group *group = &holds->groups[g];
        if (group->strand == last) {
            group->reference = holds->groups[g - 1].reference;
            continue;
        }
        rlti_body_root_segment(holds->def.body, &holds->def.strands->roots[group->strand], frame, &motion);
        group->reference = motion.position[0];
        last = group->strand;
    }
    for (int m = 0; m < holds->shared_motions; m++)
        rlti_hold_motion_begin(holds, &holds->motions[m], frame);
    rlti_hold_fields_begin(holds);
    return RLT_OK;
}

void rlti_holds_begin_strand(rlti_holds *holds, int strand, int frame) {
    for (int m = holds->first_motion[strand]; m < holds->first_motion[strand + 1]; m++)
        rlti_hold_motion_begin(holds, &holds->motions[m], frame);
}

/* Whether a constraint had weight in the outer step before; the first of all counts as if: what is frozen
 * from the start is the groom. The time is made as that step's was, to the last bit. */
static int had_weight(const rlti_holds *holds, const rlti_constraint_data *data, int frame, double at) {
    const rlti_time_data *time = &holds->def.scene->time;
    int steps = time->outer_steps, step = (int)floor(at * steps + 0.5);
    if (frame + at <= time->first - time->preroll)
        return 1;
    frame -= step == 0;
    step = step == 0 ? steps - 1 : step - 1;
    return rlti_track_at(&data->weight, frame + (double)step / steps) > 0.0;
}

/* A constraint in the outer step that begins at `at`. A pose is as stiff as in the middle of the step. */
static rlti_hold_law law_at(const rlti_holds *holds, const rlti_constraint_data *data, int frame, double at) {
    const rlti_time_data *time = &holds->def.scene->time;
    double weight = rlti_track_at(&data->weight, frame + at);
    rlti_hold_law law = {.weight = weight,
                         .stiffness = data->hard ? HARD_STIFFNESS : data->stiffness,
                         .damping_ratio = data->hard ? 1.0 : data->damping,
                         .exact = data->hard && weight >= 1.0};
    if (data->kind == RLTI_CONSTRAINT_POSE) {
        double maximum = law.stiffness, middle = frame + at + 0.5 / time->outer_steps;
        law.stiffness = rlti_pose_stiffness(data, time->fps, middle, maximum);
        law.begins = weight * rlti_pose_stiffness(data, time->fps, frame + at, maximum);
        law.leads = middle < data->frame && law.stiffness > 0.0;
        if (law.leads)
            law.damping_ratio = RLTI_POSE_DAMPING;
        law.exact = law.exact && middle > data->frame && !(law.stiffness < maximum);
    }
    if (data->kind == RLTI_CONSTRAINT_BLEND)
        law.stiffness = HARD_STIFFNESS; /* set_law makes its own */
    law.stiffness *= weight;
    if (data->kind == RLTI_CONSTRAINT_FREEZE && weight > 0.0)
        law.catches = !had_weight(holds, data, frame, at);
    return law;
}

static int differ(double a, double b) {
    return a < b || a > b;
}

double rlti_hold_size(const rlti_holds *holds, const rlti_hold_entry *entry) {
    const rlti_constraint_data *data = &holds->def.scene->constraints[entry->constraint];
    int own = data->kind != RLTI_CONSTRAINT_ATTACH && data->kind != RLTI_CONSTRAINT_FIELD &&
              data->target != RLTI_TARGET_FILE;
    return own ? holds->def.size[holds->def.strands->hair[entry->strand]] : 1.0;
}

/* Whether hair has grown since the last outer step. */
static int sample_size(rlti_holds *holds) {
    int changed = 0;
    for (int h = 0; h < holds->def.scene->hair_count; h++) {
        changed = changed || differ(holds->size[h], holds->def.size[h]);
        holds->size[h] = holds->def.size[h];
    }
    return changed;
}

void rlti_holds_pose(rlti_holds *holds, int frame, double at) {
    for (int c = 0; c < holds->def.scene->constraint_count; c++) {
        rlti_hold_law *law = &holds->laws[c], before = *law;
        const rlti_constraint_data *data = &holds->def.scene->constraints[c];
        if (!data->enabled)
            continue;
        *law = law_at(holds, data, frame, at);
        law->fresh = !holds->posed || law->exact != before.exact || differ(law->weight, before.weight) ||
                     differ(law->stiffness, before.stiffness) ||
                     differ(law->damping_ratio, before.damping_ratio);
        if (law->leads)
            holds->pose_steps[holds->ordinal[c]]++;
    }
    holds->resized = sample_size(holds);
    holds->posed = 1;
    holds->at = at;
    rlti_hold_fields_pose(holds, at);
    for (int g = 0; g < holds->group_count; g++)
        memset(holds->groups[g].sum, 0, sizeof holds->groups[g].sum);
}

rlti_hold_step rlti_hold_over(double h, double stiffness, double damping) {
    double left = 1.0 / (1.0 + h * damping + h * h * stiffness);
    return (rlti_hold_step){(float)left, (float)(h * stiffness * left)};
}

/* A blend of w with the animation: hair comes back to it within (1 - w) / w frames, without swinging. */
static double blend_stiffness(double w, double fps) {
    double rate = w < RLTI_BLEND_EXACT ? fps * w / (1.0 - w) : 0.0; /* [1/s] */
    return rate * rate;
}

double rlti_hold_limit(const rlti_holds *holds, const rlti_hold_entry *entry) {
    double outer = holds->def.outer_step;
    if (entry->group < 0)
        return HUGE_VAL;
    return (holds->groups[entry->group].solver != NULL ? RLTI_LIVE_LIMIT : 1.0) / (outer * outer);
}

/* The coefficients of one hold. */
static void set_law(const rlti_holds *holds, rlti_hold_entry *entry) {
    const rlti_hold_law *law = &holds->laws[entry->constraint];
    const rlti_scene_data *scene = holds->def.scene;
    double outer = holds->def.outer_step, maximum = rlti_hold_limit(holds, entry);
    double stiffness = fmin(law->stiffness * (double)entry->share, maximum), ratio = law->damping_ratio;
    int exact = law->exact && entry->group < 0 && entry->share >= 1.0f;
    if (scene->constraints[entry->constraint].kind == RLTI_CONSTRAINT_BLEND) {
        double blend = law->weight * (double)entry->share;
        stiffness = blend_stiffness(blend, scene->time.fps);
        ratio = 1.0;
        exact = blend >= RLTI_BLEND_EXACT;
    }
    entry->stiffness = stiffness;
    entry->damping = 2.0 * ratio * sqrt(stiffness);
    entry->exact = exact;
    entry->keep_outer = rlti_hold_over(outer, stiffness, entry->damping).keep;
    entry->pull_outer = (float)(outer * stiffness); /* exact at rest, and no more than 1 / H for groups */
}

/* Rounds to what solvers of any precision see alike. */
static void put_rounded(double to[3], rlti_vec3 v) {
    rlti_v3_put(to, rlti_v3((double)(float)v.x, (double)(float)v.y, (double)(float)v.z));
}

/* ---- anchors that are carried ---- */

/* A motion at both ends of the outer step: many holds of a strand share it. */
typedef struct carried {
    int motion; /* -1: none yet */
    rlti_vec3 place[2];
    rlti_quat turn[2];
} carried;

static void carry(const rlti_holds *holds, int motion, carried *now) {
    double step = holds->def.outer_step * holds->def.scene->time.fps;
    if (now->motion == motion)
        return;
    now->motion = motion;
    for (int k = 0; k < 2; k++)
        now->place[k] = rlti_hold_motion_at(&holds->motions[motion], holds->at + k * step, &now->turn[k]);
}

/* The anchor moves from its place at the start of the step to that at its end. */
static void put_carried(const rlti_holds *holds, const rlti_hold_entry *entry, const rlti_vec3 *origin,
                        const carried *now, rlti_hold *out) {
    rlti_vec3 place[2] = {now->place[0], now->place[1]};
    for (int k = 0; k < 2 && holds->motions[entry->motion].turns; k++)
        place[k] =
            rlti_madd(place[k], rlti_hold_size(holds, entry), rlti_quat_rotate(now->turn[k], entry->offset));
    put_rounded(out->anchor, rlti_sub(place[0], *origin));
    put_rounded(out->velocity, rlti_scale(1.0 / holds->def.outer_step, rlti_sub(place[1], place[0])));
}

/* Points that freeze: from now on their offset is what it is now. */
static void catch_points(rlti_holds *holds, int strand, const rlti_vec3 *origin, const float *positions) {
    carried now = {.motion = -1};
    for (int e = holds->first[strand]; e < holds->first[strand + 1]; e++) {
        rlti_hold_entry *entry = &holds->entries[e];
        if (!holds->laws[entry->constraint].catches)
            continue;
        const float *x = positions + 3 * (size_t)entry->point;
        rlti_vec3 at = rlti_add(*origin, rlti_v3((double)x[0], (double)x[1], (double)x[2]));
        carry(holds, entry->motion, &now);
        entry->offset =
            rlti_scale(1.0 / rlti_hold_size(holds, entry),
                       rlti_quat_rotate(rlti_quat_conjugate(now.turn[0]), rlti_sub(at, now.place[0])));
    }
}

/* Effort of poses on a strand during their lead: the law at the start of the outer step. */
static void note_efforts(rlti_holds *holds, int strand, const rlti_vec3 *origin, const float *positions,
                         const float *velocities) {
    carried now = {.motion = -1};
    for (int e = holds->first[strand]; e < holds->first[strand + 1]; e++) {
        const rlti_hold_entry *entry = &holds->entries[e];
        if (!holds->laws[entry->constraint].leads)
            continue;
        const rlti_hold_law *law = &holds->laws[entry->constraint];
        double stiffness = law->begins * (double)entry->share;
        rlti_effort *effort = &rlti_pose_efforts(holds, holds->ordinal[entry->constraint])[strand];
        rlti_hold_terms terms = {.keep = (double)(float)(1.0 - 2.0 * law->damping_ratio * sqrt(stiffness)),
                                 .pull = (double)(float)stiffness,
                                 .speed = HUGE_VAL}; /* the change per second */
        rlti_hold hold;
        size_t at = 3 * (size_t)entry->point;
        carry(holds, entry->motion, &now);
        put_carried(holds, entry, origin, &now, &hold);
        rlti_vec3 arm = rlti_sub(rlti_hold_vector(positions + at), rlti_v3_at(hold.anchor, 0));
        rlti_vec3 v = rlti_sub(rlti_hold_vector(velocities + at), rlti_v3_at(hold.velocity, 0));
        double acceleration = rlti_length(rlti_hold_change(&terms, entry->kind, arm, v));
        effort->square += acceleration * acceleration;
        effort->maximum = fmax(effort->maximum, acceleration);
    }
}

/* ---- groups ---- */

static int is_active(const rlti_holds *holds, int entry) {
    return rlti_constraint_acts(holds, holds->entries[entry].constraint);
}

/* Where a field has its anchor for this point now. */
static void sample_field(rlti_holds *holds, int e, const rlti_vec3 *origin, const float *positions,
                         const float *velocities) {
    const rlti_hold_entry *entry = &holds->entries[e];
    if (entry->group < 0 && entry->motion < 0 && is_active(holds, e))
        rlti_hold_field_look(holds, entry, origin, positions + 3 * (size_t)entry->point,
                             velocities + 3 * (size_t)entry->point, holds->seen[e]);
}

void rlti_holds_look(rlti_holds *holds, int strand, const rlti_vec3 *origin, const float *positions,
                     const float *velocities) {
    int e = holds->first[strand], end = holds->first[strand + 1];
    for (int k = e; k < end; k++)
        if (holds->laws[holds->entries[k].constraint].fresh)
            set_law(holds, &holds->entries[k]);
    if (holds->freeze_count > 0)
        catch_points(holds, strand, origin, positions);
    if (holds->pose_count > 0)
        note_efforts(holds, strand, origin, positions, velocities);
    while (e < end) {
        int group = holds->entries[e].group;
        if (group < 0 || !is_active(holds, e)) {
            sample_field(holds, e, origin, positions, velocities);
            e++;
            continue;
        }
        rlti_hold_group *to = &holds->groups[group];
        rlti_vec3 shift = rlti_sub(*origin, to->reference);
        const double from[6] = {shift.x, shift.y, shift.z, 0.0, 0.0, 0.0};
        int64_t sum[6] = {0};
        for (; e < end && holds->entries[e].group == group; e++) {
            const rlti_hold_entry *entry = &holds->entries[e];
            for (int k = 0; k < 6; k++) {
                float value = k < 3 ? positions[3 * entry->point + k] : velocities[3 * entry->point + k - 3];
                double here = from[k] + (double)value;
                holds->seen[e][k] = (float)here;
                sum[k] += rlti_hold_whole((double)entry->mass * here);
            }
        }
        for (int k = 0; k < 6; k++) /* whole numbers: in any order the same sum */
            __atomic_fetch_add(&to->sum[k], sum[k], __ATOMIC_RELAXED);
    }
}

void rlti_holds_meet(rlti_holds *holds, rlt_ranks *ranks) {
    rlti_holds_sum(holds, NULL, holds->group_count, ranks);
    for (int g = 0; g < holds->group_count; g++) {
        rlti_hold_group *group = &holds->groups[g];
        double mean[6];
        for (int k = 0; k < 6; k++)
            mean[k] = (double)group->sum[k] / (RLTI_SUM_SCALE * group->count);
        group->middle = rlti_v3(mean[0], mean[1], mean[2]);
        group->velocity = rlti_v3(mean[3], mean[4], mean[5]);
        group->push = rlti_v3(0, 0, 0);
        memset(group->sum, 0, sizeof group->sum);
    }
    rlti_holds_begin_live(holds);
}

int rlti_holds_reacts(const rlti_holds *holds) {
    return holds->reacts;
}

/* The change of velocity that a hold makes in an outer step, without the other forces. Its answer moves the
 * whole group and changes no distance from the middle, so it need not be implicit; the elastic part is what
 * the hold bears at rest, so that the answer is exact there for any step. */
static rlti_vec3 change_of(const rlti_holds *holds, int e) {
    const rlti_hold_entry *entry = &holds->entries[e];
    const rlti_hold_group *group = &holds->groups[entry->group];
    const float *seen = holds->seen[e];
    rlti_vec3 arm = rlti_sub(rlti_hold_vector(seen), group->middle);
    rlti_vec3 v = rlti_sub(rlti_hold_vector(seen + 3), group->velocity);
    double size = rlti_hold_size(holds, entry);
    rlti_hold_terms terms = {.low = size * (double)entry->low,
                             .high = size * (double)entry->high,
                             .keep = (double)entry->keep_outer,
                             .pull = (double)entry->pull_outer,
                             .speed = holds->def.scene->constraints[entry->constraint].speed};
    return rlti_hold_change(&terms, RLTI_SOFT_DISTANCE, arm, v);
}

void rlti_holds_react(rlti_holds *holds, int strand) {
    int e = holds->first[strand], end = holds->first[strand + 1];
    while (e < end) {
        int group = holds->entries[e].group;
        if (group < 0 || !holds->groups[group].reacts || !is_active(holds, e)) {
            e++;
            continue;
        }
        int64_t sum[3] = {0};
        for (; e < end && holds->entries[e].group == group; e++) {
            rlti_vec3 change = rlti_scale((double)holds->entries[e].mass, change_of(holds, e));
            sum[0] += rlti_hold_whole(change.x);
            sum[1] += rlti_hold_whole(change.y);
            sum[2] += rlti_hold_whole(change.z);
        }
        for (int k = 0; k < 3; k++)
            __atomic_fetch_add(&holds->groups[group].sum[k], sum[k], __ATOMIC_RELAXED);
    }
}

void rlti_holds_answer(rlti_holds *holds, rlt_ranks *ranks) {
    rlti_holds_sum(holds, NULL, holds->group_count, ranks);
    for (int g = 0; g < holds->group_count; g++) {
        rlti_hold_group *group = &holds->groups[g];
        double scale = -1.0 / (RLTI_SUM_SCALE * group->count * holds->def.outer_step);
        group->push = rlti_v3(scale * (double)group->sum[0], scale * (double)group->sum[1],
                              scale * (double)group->sum[2]);
        memset(group->sum, 0, sizeof group->sum);
    }
}

/* ---- to the solvers ---- */

rlti_hold_slot rlti_holds_slot(const rlti_holds *holds, int strand, int k) {
    const rlti_hold_entry *entry = &holds->entries[holds->first[strand] + k];
    return (rlti_hold_slot){entry->point, entry->kind};
}

void rlti_holds_fill(const rlti_holds *holds, int strand, const rlti_vec3 *origin, rlti_hold *out) {
    carried now = {.motion = -1};
    for (int e = holds->first[strand]; e < holds->first[strand + 1]; e++, out++) {
        const rlti_hold_entry *entry = &holds->entries[e];
        float size = (float)rlti_hold_size(holds, entry);
        *out = (rlti_hold){.point = entry->point,
                           .kind = entry->kind,
                           .low = size * entry->low,
                           .high = size * entry->high,
                           .stiffness = entry->stiffness,
                           .damping = entry->damping,
                           .exact = entry->exact,
                           .fresh = holds->resized || holds->laws[entry->constraint].fresh,
                           .speed = (float)holds->def.scene->constraints[entry->constraint].speed};
        if (!is_active(holds, e)) /* an anchor at rest leaves velocities as they are, to the last bit */
            continue;
        if (entry->motion >= 0) {
            carry(holds, entry->motion, &now);
            put_carried(holds, entry, origin, &now, out);
            continue;
        }
        if (entry->group < 0) {
            rlti_v3_put(out->anchor, rlti_hold_vector(holds->seen[e]));
            rlti_v3_put(out->velocity, rlti_hold_vector(holds->seen[e] + 3));
            continue;
        }
        const rlti_hold_group *group = &holds->groups[entry->group];
        void (*put)(double to[3], rlti_vec3 v) = group->solver != NULL ? rlti_v3_put : put_rounded;
        put(out->anchor, rlti_add(rlti_sub(group->reference, *origin), group->middle));
        put(out->velocity, group->velocity);
        put(out->push, group->push);
    }
}
