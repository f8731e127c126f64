/* Poses: points that are at a chosen place at a chosen frame, brought there with the smallest force. */
#include "base/memory.h"
#include "base/messages.h"
#include "body/segment.h"
#include "groom/shapes.h"
#include "shape/constraint_data.h"

/* Of all paths of a free point to its place, tau seconds ahead, where it is to come to rest, the minimum of
 * the integral of the squared acceleration has a = -6 s / tau^2 - 4 v / tau: a spring of 6 / tau^2 with the
 * damping ratio RLTI_POSE_DAMPING. It is released by the same law backwards. */
double rlti_pose_stiffness(const rlti_constraint_data *pose, double fps, double frame, double maximum) {
    double ahead = pose->frame - frame, since = -ahead - pose->stay, share = 1.0, away = 0.0;
    if (ahead > pose->lead || since > pose->release)
        return 0.0;
    if (ahead > 0.0) {
        away = ahead / fps;
    } else if (since > 0.0) {
        away = since / fps;
        share = 1.0 - since / pose->release;
    }
    return share * (maximum * away * away > 6.0 ? 6.0 / (away * away) : maximum);
}

void rlti_constraint_span(const rlti_constraint_data *constraint, double span[2]) {
    int pose = constraint->kind == RLTI_CONSTRAINT_POSE;
    span[0] = pose ? constraint->frame - constraint->lead : -HUGE_VAL;
    span[1] = pose ? constraint->frame + constraint->stay + constraint->release : HUGE_VAL;
}

/* ---- places ---- */

/* The curves of one prim at the pose's frame, for chosen points from `i` on; returns the first that is of
 * another prim. */
static rlt_status read_prim(const rlti_holds *h, const rlti_constraint_data *pose,
                            const rlti_selection *chosen, int *i, rlti_vec3 *places, rlt_messages *messages) {
    const rlti_strands *strands = h->def.strands;
    int source = rlti_curve_source(strands, chosen->strand[*i]);
    if (source < 0)
        return rlti_refuse(
            messages,
            "%s: constraint '%s': target = file: hair '%s' is not from a file; choose groom or shape",
            pose->place, pose->name, h->def.scene->hair[strands->hair[chosen->strand[*i]]].name);
    rlti_curve_motion curves = {0};
    const rlt_source *prim = &strands->sources[source];
    int first = strands->first[prim->first_strand];
    int points = strands->first[prim->first_strand + prim->strand_count] - first;
    rlti_vec3 *all = RLTI_NEW(rlti_vec3, points);
    rlt_status status = rlti_curve_motion_create(strands, source, pose->place, messages, &curves);
    if (status == RLT_OK && all == NULL)
        status = rlti_out_of_memory(messages);
    if (status == RLT_OK)
        status = rlti_curve_motion_read(&curves, pose->frame, messages, all);
    for (; status == RLT_OK && *i < chosen->count && chosen->point[*i] < first + points; (*i)++)
        places[*i] = all[chosen->point[*i] - first];
    rlti_curve_motion_destroy(&curves);
    rlti_free(all);
    return status;
}

/* From places in the world at the pose's frame to offsets from the root in its frame. */
static void make_offsets(const rlti_holds *h, const rlti_constraint_data *pose, const rlti_selection *chosen,
                         rlti_vec3 *places) {
    rlti_motion_segment root = {0};
    rlti_quat back = {1.0, 0.0, 0.0, 0.0};
    for (int i = 0; i < chosen->count; i++) {
        int strand = chosen->strand[i];
        if (i == 0 || chosen->strand[i - 1] != strand) {
            rlti_body_root_segment(h->def.body, &h->def.strands->roots[strand], pose->frame, &root);
            back = rlti_quat_conjugate(rlti_quat_normalize(rlti_segment_rotation(&root, 0.0)));
        }
        places[i] = rlti_quat_rotate(back, rlti_sub(places[i], rlti_segment_position(&root, 0.0)));
    }
}

/* Offsets in a groom of role shape, for chosen points from `i` on; continues with the next section. */
static rlt_status read_shape(const rlti_holds *h, const rlti_constraint_data *data,
                             const rlti_selection *chosen, int *i, rlti_vec3 *offsets,
                             rlt_messages *messages) {
    const rlti_strands *strands = h->def.strands;
    int hair = strands->hair[chosen->strand[*i]], first = 0;
    while (strands->hair[first] != hair)
        first++;
    rlti_vec3 *points = NULL;
    rlt_status status =
        rlti_shape_points(h->def.scene, h->def.body, strands, hair,
                          rlti_hair_named(h->def.scene, data->shape), data->place, messages, &points);
    for (; status == RLT_OK && *i < chosen->count && strands->hair[chosen->strand[*i]] == hair; (*i)++) {
        const rlti_vec3 *root = points + (strands->first[chosen->strand[*i]] - strands->first[first]);
        offsets[*i] = rlti_sub(points[chosen->point[*i] - strands->first[first]], *root);
    }
    rlti_free(points);
    return status;
}

rlt_status rlti_holds_add_shape(rlti_holds *h, int constraint, const rlti_selection *chosen,
                                rlt_messages *messages) {
    const rlti_constraint_data *data = &h->def.scene->constraints[constraint];
    rlti_vec3 *offsets = RLTI_NEW(rlti_vec3, chosen->count);
    rlt_status status = offsets != NULL ? RLT_OK : rlti_out_of_memory(messages);
    for (int i = 0; i < chosen->count && status == RLT_OK;)
        status = read_shape(h, data, chosen, &i, offsets, messages);
    if (status == RLT_OK)
        status = rlti_holds_add_carried(h, constraint, chosen, offsets, messages);
    rlti_free(offsets);
    return status;
}

rlt_status rlti_holds_add_pose(rlti_holds *h, int constraint, const rlti_selection *chosen,
                               rlt_messages *messages) {
    const rlti_constraint_data *pose = &h->def.scene->constraints[constraint];
    rlti_vec3 *offsets = RLTI_NEW(rlti_vec3, chosen->count);
    rlt_status status = offsets != NULL ? rlti_body_begin_frame(h->def.body, pose->frame, messages)
                                        : rlti_out_of_memory(messages);
    for (int i = 0; i < chosen->count && status == RLT_OK;)
        status = read_prim(h, pose, chosen, &i, offsets, messages);
    if (status == RLT_OK) {
        make_offsets(h, pose, chosen, offsets);
        status = rlti_holds_add_carried(h, constraint, chosen, offsets, messages);
    }
    rlti_free(offsets);
    return status;
}
