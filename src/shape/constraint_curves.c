/* Pins to the curves of the groom's file as they move there. */
#include <string.h>

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

rlt_status rlti_holds_add_curves(rlti_holds *h, int constraint, const rlti_selection *chosen,
                                 rlt_messages *messages) {
    const rlti_strands *strands = h->def.strands;
    const rlti_constraint_data *data = &h->def.scene->constraints[constraint];
    rlt_status status = RLT_OK;
    for (int i = 0; i < chosen->count && status == RLT_OK; i++) {
        int strand = chosen->strand[i];
        if (i == 0 || chosen->strand[i - 1] != strand) {
            int source = rlti_curve_source(strands, strand);
            if (source < 0)
                return rlti_fail(messages, RLT_BAD_INPUT,
                                 "%s: constraint '%s': target = file: hair '%s' is not from a file",
                                 data->place, data->name, h->def.scene->hair[strands->hair[strand]].name);
            status = add_prim(h, source, data->place, messages);
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
    rlti_curve_motion_segment(c, frame, motion->curve_point, motion->segment.position);
}
