#include "groom/curve_motion.h"

#include "base/memory.h"
#include "base/messages.h"
#include "body/jump.h"

int rlti_curve_source(const rlti_strands *strands, int strand) {
    int source = strands->source_count - 1;
    while (source >= 0 &&
           (strand < strands->sources[source].first_strand ||
            strand >= strands->sources[source].first_strand + strands->sources[source].strand_count))
        source--;
    return source;
}

int rlti_curve_motion_has(const rlti_curve_motion *m, int strand) {
    return strand >= m->first_strand && strand < m->first_strand + m->curves->strand_count;
}

rlt_status rlti_curve_motion_create(const rlti_strands *strands, int source, const char *place,
                                    rlt_messages *messages, rlti_curve_motion *m) {
    *m = (rlti_curve_motion){.strands = strands,
                             .curves = &strands->curves[source],
                             .first_strand = strands->sources[source].first_strand,
                             .place = place};
    int points = strands->first[m->first_strand + m->curves->strand_count] - strands->first[m->first_strand];
    int done = RLTI_ALLOCATE(RLTI_ITEMS(m->own, m->curves->point_count),
                             RLTI_ITEMS(m->component, m->curves->point_count), RLTI_ITEMS(m->values, points));
    for (int k = 0; k < RLTI_STENCIL; k++) {
        m->sample[k] = RLTI_NEW(rlti_vec3, points);
        done = done && m->sample[k] != NULL;
    }
    return done ? RLT_OK : rlti_out_of_memory(messages);
}

void rlti_curve_motion_destroy(rlti_curve_motion *m) {
    for (int k = 0; k < RLTI_STENCIL; k++)
        rlti_free(m->sample[k]);
    RLTI_FREE(m->own, m->component, m->values);
}

rlt_status rlti_curve_motion_read(rlti_curve_motion *m, int frame, rlt_messages *messages, rlti_vec3 *to) {
    const rlti_curves *curves = m->curves;
    double time = rlti_files_time(curves->scene, curves->stage, curves->geometry, frame);
    int first_message = rlt_messages_count(messages);
    rlt_status status = rlti_geometry_points(curves->geometry, time, messages, (double(*)[3])(void *)m->own);
    rlti_messages_prefix(messages, first_message, m->place);
    const int *first = m->strands->first + m->first_strand;
    for (int axis = 0; axis < 3 && status == RLT_OK; axis++) {
        for (int p = 0; p < curves->point_count; p++)
            m->component[p] = axis == 0 ? m->own[p].x : (axis == 1 ? m->own[p].y : m->own[p].z);
        for (int s = 0; s < curves->strand_count; s++) {
            rlti_vec3 *points = to + (first[s] - first[0]);
            rlti_curves_values(curves, s, m->component, m->values);
            for (int i = 0; i < first[s + 1] - first[s]; i++)
                *(axis == 0 ? &points[i].x : (axis == 1 ? &points[i].y : &points[i].z)) = m->values[i];
        }
    }
    return status;
}

static int frame_of(const rlti_curve_motion *m, int frame, int k) {
    return rlti_body_held_frame(m->curves->scene, frame + k - 1);
}

static const rlti_vec3 *sample_of(const rlti_curve_motion *m, int frame) {
    for (int k = 0; k < RLTI_STENCIL; k++)
        if (m->full[k] && m->frames[k] == frame)
            return m->sample[k];
    return NULL;
}

rlt_status rlti_curve_motion_begin(rlti_curve_motion *m, int frame, rlt_messages *messages) {
    rlt_status status = RLT_OK;
    for (int k = 0; k < RLTI_STENCIL; k++) /* what is no longer needed is replaced */
        m->full[k] = m->full[k] && m->frames[k] >= frame_of(m, frame, 0) &&
                     m->frames[k] <= frame_of(m, frame, RLTI_STENCIL - 1);
    for (int k = 0; k < RLTI_STENCIL && status == RLT_OK; k++) {
        int wanted = frame_of(m, frame, k), slot = 0;
        if (sample_of(m, wanted) != NULL)
            continue;
        while (m->full[slot])
            slot++;
        status = rlti_curve_motion_read(m, wanted, messages, m->sample[slot]);
        m->frames[slot] = wanted;
        m->full[slot] = status == RLT_OK;
    }
    return status;
}

/* The first edge of a strand that has next to no length, of its rest's; -1: none. */
static int find_point(const rlti_vec3 *now, const rlti_vec3 *rest, int count) {
    const double shortest = 1e-6;
    for (int i = 0; i + 1 < count; i++)
        if (rlti_length(rlti_sub(now[i + 1], now[i])) <=
            shortest * rlti_length(rlti_sub(rest[i + 1], rest[i])))
            return i;
    return -1;
}

void rlti_curve_motion_warn(rlti_curve_motion *m, int frame, rlt_messages *messages) {
    int end = frame_of(m, frame, 2), at = -1, strand = -1, count = 0;
    const rlti_vec3 *sample = sample_of(m, end);
    const int *first = m->strands->first + m->first_strand;
    for (int s = 0; !m->reported && s < m->curves->strand_count; s++) {
        int point = find_point(sample + (first[s] - first[0]), m->strands->points + first[s],
                               first[s + 1] - first[s]);
        if (point >= 0 && count++ == 0) {
            at = point;
            strand = s;
        }
    }
    if (count == 0)
        return;
    m->reported = 1;
    rlti_message(
        messages, RLT_WARNING,
        "%s: %s: %s: %d curve%s with two successive points at one place at frame %d (first: curve %d, "
        "points %d and %d): a rest shape with an edge without length, which hair may not survive; move "
        "one of the two, or set reshape.curves to off",
        m->place, m->curves->stage->file, rlti_curves_path(m->curves), count, count == 1 ? "" : "s", end,
        m->curves->curve[strand], at, at + 1);
}

void rlti_curve_motion_segment(const rlti_curve_motion *m, int frame, int jumps, int point, rlti_vec3 to[4]) {
    rlti_vec3 p[RLTI_STENCIL], rest = m->strands->points[point];
    for (int k = 0; k < RLTI_STENCIL; k++) {
        double part = rlti_body_pose_part(&m->curves->scene->time, frame + k - 1);
        p[k] = sample_of(m, frame_of(m, frame, k))[point - m->strands->first[m->first_strand]];
        if (part < 1.0)
            p[k] = rlti_madd(rest, part, rlti_sub(p[k], rest));
    }
    rlti_jump_positions(p, jumps);
    rlti_vec3 m1 = rlti_scale(0.5, rlti_sub(p[2], p[0])), m2 = rlti_scale(0.5, rlti_sub(p[3], p[1]));
    rlti_vec3 d = rlti_sub(p[2], p[1]);
    to[0] = p[1];
    to[1] = m1;
    to[2] = rlti_sub(rlti_madd(rlti_scale(3.0, d), -2.0, m1), m2);
    to[3] = rlti_madd(rlti_add(m1, m2), -2.0, d);
}
