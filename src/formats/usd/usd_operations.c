/* Transform stacks as attributes, for writers that can hold them as they are. */
#include <string.h>

#include "base/messages.h"
#include "formats/usd/usd_stage.h"

/* The property as an attribute; 0 when out of memory. */
static int describe(rlti_usd_own *own, const rlti_usd_resolved *from, int place, rlti_attribute *to) {
    *to = (rlti_attribute){.name = from->name,
                           .class_ = RLTI_CUSTOM,
                           .type = from->type,
                           .type_name = from->type_name,
                           .element_size = 1,
                           .indices = -1,
                           .is_uniform = from->is_uniform,
                           .has_default = from->value != NULL,
                           .where = {(uint64_t)place, 0}};
    if (from->samples == NULL)
        return 1;
    to->sample_count = from->samples->sample_count;
    double *times = rlti_arena_keep(&own->arena, (size_t)to->sample_count, sizeof *times);
    for (int i = 0; times != NULL && i < to->sample_count; i++)
        times[i] = from->scale * from->samples->times[i] + from->offset;
    to->times = times;
    return times != NULL;
}

/* 1 where the property is one of the operations. */
static int is_step(const rlti_usd_xform *xform, const rlti_usd_resolved *property) {
    for (int i = 0; i < xform->count; i++)
        if (xform->ops[i].from == property)
            return 1;
    return 0;
}

int rlti_usd_operation_count(const rlti_stage *stage, const rlti_prim *prim) {
    const rlti_usd_own *own = stage->own;
    if (!rlti_stage_is_usd(stage))
        return 0;
    const rlti_usd_xform *xform = own->xforms[prim->where[0]];
    if (xform == NULL || !xform->is_whole)
        return 0;
    int count = 1;
    for (int i = 0; i < own->property_counts[prim->where[0]]; i++)
        count += is_step(xform, &own->properties[prim->where[0]][i]);
    return count;
}

rlt_status rlti_usd_operations(const rlti_stage *stage, const rlti_prim *prim, rlt_messages *messages,
                               const rlti_attribute **list) {
    rlti_usd_own *own = stage->own;
    const rlti_usd_xform *xform = own->xforms[prim->where[0]];
    const rlti_usd_resolved *properties = own->properties[prim->where[0]];
    int count = rlti_usd_operation_count(stage, prim), made = 0;
    rlti_attribute *attributes = rlti_arena_keep(&own->arena, (size_t)count, sizeof *attributes);
    int ok = attributes != NULL;
    *list = attributes;
    for (int i = 0; ok && i < own->property_counts[prim->where[0]]; i++)
        if (is_step(xform, &properties[i]) || strcmp(properties[i].name, "xformOpOrder") == 0)
            ok = describe(own, &properties[i], i, &attributes[made++]);
    return ok ? RLT_OK : rlti_out_of_memory(messages);
}

int rlti_usd_turns_between(const rlti_stage *stage, const rlti_prim *prim) {
    const rlti_usd_own *own = stage->own;
    const rlti_usd_xform *xform = own->xforms[prim->where[0]];
    for (int i = 0; i < xform->count; i++)
        if (xform->ops[i].type == RLTI_USD_ORIENT && xform->ops[i].from->samples != NULL)
            return 1;
    return 0;
}
