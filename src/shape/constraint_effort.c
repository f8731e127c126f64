/* Effect of holds on points: the force that poses took, and what was seen when points froze. */
#include <string.h>

#include "shape/constraint_data.h"

_Static_assert(sizeof(((rlt_pose_report *)0)->name) == RLTI_NAME_SIZE, "a name fits");

/* As hold_distances and hold_places of the step kernel. */
rlti_vec3 rlti_hold_change(const rlti_hold_terms *terms, rlti_hold_class kind, rlti_vec3 arm,
                           rlti_vec3 velocity) {
    double lost = terms->keep - 1.0, pull = terms->pull, maximum = terms->speed, distance = rlti_length(arm);
    if (kind == RLTI_SOFT_PLACE || kind == RLTI_HARD_PLACE) {
        double share = pull * distance > maximum ? maximum / (pull * distance) : 1.0;
        return rlti_madd(rlti_scale(lost, velocity), -share * pull, arm);
    }
    if (!(distance > 0.0) || (terms->low < distance && distance < terms->high))
        return rlti_v3(0, 0, 0);
    rlti_vec3 n = rlti_scale(1.0 / distance, arm);
    double pulled = pull * (distance - (distance < terms->low ? terms->low : terms->high));
    pulled = fmax(fmin(pulled, maximum), -maximum);
    return rlti_scale(lost * rlti_dot(n, velocity) - pulled, n);
}

/* The constraint with this number of its kind. */
static int find(const rlti_holds *h, rlti_constraint_kind kind, int ordinal) {
    const rlti_constraint_data *all = h->def.scene->constraints;
    int c = 0;
    while (!(all[c].kind == kind && all[c].enabled && h->ordinal[c] == ordinal))
        c++;
    return c;
}

/* ---- poses ---- */

int rlti_pose_count(const rlti_holds *h) {
    return h->pose_count;
}

rlti_effort *rlti_pose_efforts(rlti_holds *h, int pose) {
    return h->efforts + (size_t)pose * (size_t)h->def.strands->strand_count;
}

int *rlti_pose_steps(rlti_holds *h) {
    return h->pose_steps;
}

int rlti_pose_frame(const rlti_holds *h, int pose) {
    return h->def.scene->constraints[find(h, RLTI_CONSTRAINT_POSE, pose)].frame;
}

void rlti_pose_arrive(rlti_holds *h, int pose, int strand, const rlti_vec3 *points) {
    int constraint = find(h, RLTI_CONSTRAINT_POSE, pose);
    rlti_effort *effort = &rlti_pose_efforts(h, pose)[strand];
    effort->off = effort->farthest = 0.0;
    for (int e = h->first[strand]; e < h->first[strand + 1]; e++) {
        const rlti_hold_entry *entry = &h->entries[e];
        if (entry->constraint != constraint)
            continue;
        rlti_quat turn;
        rlti_vec3 place = rlti_hold_motion_at(&h->motions[entry->motion], 1.0, &turn);
        place = rlti_madd(place, rlti_hold_size(h, entry), rlti_quat_rotate(turn, entry->offset));
        double off = rlti_length(rlti_sub(points[entry->point], place));
        effort->off += off;
        effort->farthest = fmax(effort->farthest, off);
    }
}

/* [unit/s^2] */
static double gravity_of(const rlti_scene_data *scene) {
    double g = rlti_length(rlti_v3(scene->gravity[0], scene->gravity[1], scene->gravity[2]));
    return g > 0.0 ? g : 9.81 / scene->metres_per_unit;
}

void rlti_pose_name(const rlti_holds *h, int pose, rlt_pose_report *report) {
    const rlti_constraint_data *data = &h->def.scene->constraints[find(h, RLTI_CONSTRAINT_POSE, pose)];
    *report = (rlt_pose_report){.frame = data->frame, .force_strand = -1, .off_strand = -1};
    memcpy(report->name, data->name, sizeof report->name);
}

void rlti_pose_sum(const rlti_holds *h, int pose, rlt_pose_report *report) {
    int constraint = find(h, RLTI_CONSTRAINT_POSE, pose);
    const rlti_strands *strands = h->def.strands;
    double square = 0.0, g = gravity_of(h->def.scene);
    rlti_pose_name(h, pose, report);
    report->reached = 1;
    for (int s = 0; s < h->def.strands->strand_count; s++) {
        const rlti_effort *effort =
            &h->efforts[(size_t)pose * (size_t)h->def.strands->strand_count + (size_t)s];
        int points = 0;
        for (int e = h->first[s]; e < h->first[s + 1]; e++)
            points += h->entries[e].constraint == constraint;
        if (points == 0)
            continue;
        double length = rlti_points_length(strands->points + strands->first[s],
                                           strands->first[s + 1] - strands->first[s]),
               off = effort->farthest / length;
        report->strands++;
        report->points += points;
        square += effort->square;
        report->off_mean += effort->off / length;
        if (effort->maximum / g > report->force_most || report->force_strand < 0) {
            report->force_most = effort->maximum / g;
            report->force_strand = s;
        }
        if (off > report->off_most || report->off_strand < 0) {
            report->off_most = off;
            report->off_strand = s;
        }
    }
    report->off_mean /= report->points;
    if (h->pose_steps[pose] > 0)
        report->force_rms = sqrt(square / ((double)report->points * h->pose_steps[pose])) / g;
}

/* ---- looking ---- */

int rlti_holds_lines(const rlti_holds *h, int strand, const rlti_vec3 *origin, const float *positions,
                     const float *velocities, rlti_hold *scratch, rlti_hold_line *lines) {
    int count = 0;
    double outer = h->def.outer_step, step = h->def.shortest_step, g = gravity_of(h->def.scene);
    if (!h->posed)
        return 0;
    rlti_holds_fill(h, strand, origin, scratch);
    for (int k = 0; k < rlti_holds_of(h, strand); k++) {
        const rlti_hold_entry *entry = &h->entries[h->first[strand] + k];
        rlti_hold *hold = &scratch[k];
        if (!hold->exact && !(hold->stiffness > 0.0))
            continue;
        size_t at = 3 * (size_t)entry->point;
        for (int axis = 0; axis < 3; axis++)
            hold->anchor[axis] =
                (double)((float)hold->anchor[axis] + (float)outer * (float)hold->velocity[axis]);
        rlti_hold_step over = rlti_hold_over(step, hold->stiffness, hold->damping);
        rlti_hold_terms terms = {.low = (double)hold->low,
                                 .high = (double)hold->high,
                                 .keep = (double)over.keep,
                                 .pull = (double)over.pull,
                                 .speed = (double)hold->speed};
        rlti_vec3 anchor = rlti_v3_at(hold->anchor, 0);
        rlti_vec3 arm = rlti_sub(rlti_hold_vector(positions + at), anchor);
        rlti_vec3 v = rlti_sub(rlti_hold_vector(velocities + at), rlti_v3_at(hold->velocity, 0));
        rlti_vec3 change = rlti_hold_change(&terms, entry->kind, arm, v);
        /* over keep, because the point is where the hold has left it: at rest k s */
        rlti_vec3 force = rlti_madd(rlti_v3_at(hold->push, 0), 1.0 / (step * terms.keep), change);
        if (entry->group < 0 && entry->motion < 0) { /* a field: to where it pushes, if it does */
            double distance = rlti_length(arm);
            if (!(distance < (double)hold->low) || !(distance > 0.0))
                continue;
            anchor = rlti_madd(anchor, (double)hold->low / distance, arm);
        }
        lines[count++] = (rlti_hold_line){.point = entry->point,
                                          .anchor = rlti_add(*origin, anchor),
                                          .force = hold->exact ? -1.0 : rlti_length(force) / g};
    }
    return count;
}

/* ---- freezing ---- */

int rlti_freeze_count(const rlti_holds *h) {
    return h->freeze_count;
}

void rlti_freeze_get(const rlti_holds *h, int freeze, int strand, rlti_vec3 *points) {
    int constraint = find(h, RLTI_CONSTRAINT_FREEZE, freeze);
    for (int e = h->first[strand]; e < h->first[strand + 1]; e++)
        if (h->entries[e].constraint == constraint)
            points[h->entries[e].point] = h->entries[e].offset;
}

void rlti_freeze_set(rlti_holds *h, int freeze, int strand, const rlti_vec3 *points) {
    int constraint = find(h, RLTI_CONSTRAINT_FREEZE, freeze);
    for (int e = h->first[strand]; e < h->first[strand + 1]; e++)
        if (h->entries[e].constraint == constraint)
            h->entries[e].offset = points[h->entries[e].point];
}
