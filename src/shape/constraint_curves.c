/* Pins to the curves of the groom's file as they move there. */

#include "base/memory.h"
#include "base/messages.h"
#include "shape/constraint_data.h"

void rlti_hold_curves_free(rlti_holds *h) {
    for (int c = 0; c < h->curves_count; c++)
        rlti_curve_motion_destroy(&h->curves[c]);
    rlti_free(h->curves);
}

/* The prim's moving curves, once for all constraints. */
static rlt_status add_prim(rlti_holds *h, int source, const char *place, rlt_messages *messages) {
    const rlti_strands *strands = h->def.strands;
    for (int c = 0; c < h->curves_count; c++)
        if (h->curves[c].curves == &strands->curves[source])
            return RLT_OK;
    if (h->curves == NULL)
        h->curves = RLTI_NEW(rlti_curve_motion, strands->source_count);
    if (h->curves == NULL)
        return rlti_out_of_memory(messages);
    return rlti_curve_motion_create(strands, source, place, messages, &h->curves[h->curves_count++]);
}

int rlti_hold_curves_lead(rlti_holds *h, int constraint, int strand, rlt_messages *messages,
                          rlt_status *status) {
    const rlti_strands *strands = h->def.strands;
    const rlti_constraint_data *data = &h->def.scene->constraints[constraint];
    int follows = data->kind == RLTI_CONSTRAINT_PIN || data->kind == RLTI_CONSTRAINT_BLEND;
    int source = rlti_curve_source(strands, strand), lead = follows && data->target == RLTI_TARGET_FILE;
    if (data->target == RLTI_TARGET_AUTO && data->kind == RLTI_CONSTRAINT_BLEND)
        lead = source >= 0 && strands->curves[source].geometry->time_count > 1;
    if (lead && source < 0)
        *status = rlti_refuse(
            messages,
            "%s: constraint '%s': target = file: hair '%s' is not from a file; choose groom or shape",
            data->place, data->name, h->def.scene->hair[strands->hair[strand]].name);
    else if (lead)
        *status = add_prim(h, source, data->place, messages);
    return lead;
}

rlt_status rlti_hold_curves_begin(rlti_holds *h, int frame, rlt_messages *messages) {
    rlt_status status = RLT_OK;
    for (int c = 0; c < h->curves_count && status == RLT_OK; c++)
        status = rlti_curve_motion_begin(&h->curves[c], frame, messages);
    return status;
}

void rlti_hold_curves_segment(const rlti_holds *h, int frame, rlti_hold_motion *motion) {
    const rlti_curve_motion *c = h->curves;
    while (!rlti_curve_motion_has(c, motion->strand))
        c++;
    rlti_curve_motion_segment(c, frame, rlti_body_jumps(h->def.body, frame), motion->curve_point,
                              motion->segment.position);
}
