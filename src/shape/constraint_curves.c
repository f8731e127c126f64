/* Pins to the curves of the groom's file, which an animator or a rig has moved: read frame by frame, with the
 * same smooth way between frames as the body's. */
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "groom/import.h"
#include "shape/constraint_data.h"

enum { STENCIL = 4 }; /* frames that decide an interval: before, start, end, after */

void rlti_hold_curves_free(rlti_holds *h) {
    for (int c = 0; c < h->curves_count; c++) {
        for (int k = 0; k < STENCIL; k++)
            rlti_free(h->curves[c].sample[k]);
        rlti_free(h->curves[c].own);
        rlti_free(h->curves[c].component);
        rlti_free(h->curves[c].values);
    }
    rlti_free(h->curves);
}

static int points_of(const rlti_holds *h, const rlti_hold_curves *c) {
    const int *first = h->def.strands->first;
    return first[c->first_strand + c->curves->strand_count] - first[c->first_strand];
}

/* The prim's moving curves, once for all constraints. */
static rlt_status add_prim(rlti_holds *h, int source, int constraint, rlt_messages *messages) {
    const rlti_strands *strands = h->def.strands;
    rlti_hold_curves made = {.curves = &strands->curves[source],
                             .first_strand = strands->sources[source].first_strand,
                             .constraint = constraint};
    for (int c = 0; c < h->curves_count; c++)
        if (h->curves[c].curves == made.curves)
            return RLT_OK;
    if (h->curves == NULL)
        h->curves = RLTI_NEW(rlti_hold_curves, strands->source_count);
    int points = points_of(h, &made), done = h->curves != NULL;
    made.own = RLTI_NEW(rlti_vec3, made.curves->point_count);
    made.component = RLTI_NEW(double, made.curves->point_count);
    made.values = RLTI_NEW(double, points);
    done = done && made.own != NULL && made.component != NULL && made.values != NULL;
    for (int k = 0; k < STENCIL; k++) {
        made.sample[k] = RLTI_NEW(rlti_vec3, points);
        done = done && made.sample[k] != NULL;
    }
    if (h->curves != NULL)
        h->curves[h->curves_count++] = made;
    return done ? RLT_OK : rlti_out_of_memory(messages);
}

rlt_status rlti_holds_add_curves(rlti_holds *h, int constraint, const rlti_selection *chosen,
                                 rlt_messages *messages) {
    const rlti_strands *strands = h->def.strands;
    const rlti_constraint_data *data = &h->def.scene->constraints[constraint];
    rlt_status status = RLT_OK;
    for (int i = 0, source = -1; i < chosen->count && status == RLT_OK; i++) {
        int strand = chosen->strand[i];
        if (i == 0 || chosen->strand[i - 1] != strand) {
            for (source = strands->source_count - 1; source >= 0; source--)
                if (strand >= strands->sources[source].first_strand &&
                    strand < strands->sources[source].first_strand + strands->sources[source].strand_count)
                    break;
            if (source < 0)
                return rlti_fail(messages, RLT_BAD_INPUT,
                                 "%s: constraint '%s': target = file: hair '%s' is not from a file",
                                 data->place, data->name, h->def.scene->hair[strands->hair[strand]].name);
            status = add_prim(h, source, constraint, messages);
        }
        rlti_hold_motion motion = {
            .carrier = RLTI_CARRIER_CURVE, .strand = strand, .curve_point = chosen->point[i]};
        rlti_hold_entry entry = rlti_hold_entry_of(h, chosen, i, constraint);
        entry.kind = data->hard ? RLTI_HARD_PLACE : RLTI_SOFT_PLACE;
        entry.motion = h->motion_count;
        if (status == RLT_OK && (!rlti_holds_add_motion(h, &motion) || !rlti_holds_add(h, &entry)))
            status = rlti_out_of_memory(messages);
    }
    return status;
}

/* One frame's curves, as the strands have their points. */
static rlt_status read_sample(const rlti_holds *h, rlti_hold_curves *c, int frame, rlti_vec3 *to,
                              rlt_messages *messages) {
    rlti_curves *curves = c->curves;
    double time = rlti_files_time(curves->scene, curves->stage, curves->geometry, frame);
    int first_message = rlt_messages_count(messages);
    rlt_status status = rlti_geometry_points(curves->geometry, time, messages, (double(*)[3])(void *)c->own);
    rlti_messages_prefix(messages, first_message, h->def.scene->constraints[c->constraint].place);
    const int *first = h->def.strands->first + c->first_strand;
    for (int axis = 0; axis < 3 && status == RLT_OK; axis++) {
        for (int p = 0; p < curves->point_count; p++)
            c->component[p] = axis == 0 ? c->own[p].x : (axis == 1 ? c->own[p].y : c->own[p].z);
        for (int s = 0; s < curves->strand_count; s++) {
            rlti_vec3 *points = to + (first[s] - first[0]);
            rlti_curves_values(curves, s, c->component, c->values);
            for (int i = 0; i < first[s + 1] - first[s]; i++)
                *(axis == 0 ? &points[i].x : (axis == 1 ? &points[i].y : &points[i].z)) = c->values[i];
        }
    }
    return status;
}

/* Before the scene's first frame the first one holds, as for the body. */
static int frame_of(const rlti_holds *h, int frame, int k) {
    int wanted = frame + k - 1, first = h->def.scene->time.first;
    return wanted < first ? first : wanted;
}

static const rlti_vec3 *sample_of(const rlti_hold_curves *c, int frame) {
    for (int k = 0; k < STENCIL; k++)
        if (c->full[k] && c->frames[k] == frame)
            return c->sample[k];
    return NULL;
}

rlt_status rlti_hold_curves_begin(rlti_holds *h, int frame, rlt_messages *messages) {
    rlt_status status = RLT_OK;
    for (int n = 0; n < h->curves_count; n++) {
        rlti_hold_curves *c = &h->curves[n];
        for (int k = 0; k < STENCIL; k++) /* what is no longer needed makes room */
            c->full[k] = c->full[k] && c->frames[k] >= frame_of(h, frame, 0) && c->frames[k] <= frame + 2;
        for (int k = 0; k < STENCIL && status == RLT_OK; k++) {
            int wanted = frame_of(h, frame, k), slot = 0;
            if (sample_of(c, wanted) != NULL)
                continue;
            while (c->full[slot])
                slot++;
            status = read_sample(h, c, wanted, c->sample[slot], messages);
            c->frames[slot] = wanted;
            c->full[slot] = status == RLT_OK;
        }
    }
    return status;
}

void rlti_hold_curves_segment(const rlti_holds *h, int frame, rlti_hold_motion *motion) {
    const rlti_hold_curves *c = h->curves;
    while (motion->strand < c->first_strand || motion->strand >= c->first_strand + c->curves->strand_count)
        c++;
    rlti_vec3 p[STENCIL], *to = motion->segment.position;
    for (int k = 0; k < STENCIL; k++)
        p[k] =
            sample_of(c, frame_of(h, frame, k))[motion->curve_point - h->def.strands->first[c->first_strand]];
    /* cubic Hermite with Catmull-Rom tangents */
    rlti_vec3 m1 = rlti_scale(0.5, rlti_sub(p[2], p[0])), m2 = rlti_scale(0.5, rlti_sub(p[3], p[1]));
    rlti_vec3 d = rlti_sub(p[2], p[1]);
    to[0] = p[1];
    to[1] = m1;
    to[2] = rlti_sub(rlti_madd(rlti_scale(3.0, d), -2.0, m1), m2);
    to[3] = rlti_madd(rlti_add(m1, m2), -2.0, d);
}
