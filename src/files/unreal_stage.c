/* Unreal's attributes from what a stage has. */
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "files/unreal.h"

static const char *const groom_names[] = {"groom_guide",   "groom_group_id", "groom_id",
                                          "groom_root_uv", "groom_width",    NULL};

/* The first of these names that the prim has, as a primvar or a built-in attribute. */
static const rlti_attribute *find(const rlti_stage *stage, const rlti_prim *prim, const char *const *names) {
    for (; *names != NULL; names++)
        for (int c = RLTI_BUILT_IN; c <= RLTI_CUSTOM; c++) {
            const rlti_attribute *a = rlti_stage_attribute(stage, prim, (rlti_attribute_class)c, *names);
            if (a != NULL)
                return a;
        }
    return NULL;
}

/* One int per curve, or NULL where there are none. */
static int *ints_of(const rlti_stage *stage, const rlti_prim *prim, const char *const *names, double time,
                    int count, rlt_messages *messages) {
    const rlti_attribute *a = find(stage, prim, names);
    rlti_array value = {0};
    int *ints = NULL;
    if (a == NULL || a->interpolation != RLTI_UNIFORM)
        return NULL;
    if (rlti_stage_flat(stage, prim, a, time, messages, &value) == RLT_OK && value.count == (size_t)count &&
        value.type.arity == 1) {
        ints = RLTI_NEW(int, count);
        if (ints != NULL && !rlti_array_to_ints(&value, ints)) {
            rlti_free(ints);
            ints = NULL;
        }
    }
    rlti_array_clear(&value);
    return ints;
}

static int curve_count(const rlti_stage *stage, const rlti_prim *prim, double time, rlt_messages *messages) {
    const rlti_attribute *a = rlti_stage_attribute(stage, prim, RLTI_BUILT_IN, "curveVertexCounts");
    rlti_array value = {0};
    int count = 0;
    if (a != NULL && rlti_stage_value(stage, prim, a, time, messages, &value) == RLT_OK && !value.blocked &&
        value.count <= INT32_MAX)
        count = (int)value.count;
    rlti_array_clear(&value);
    return count;
}

rlt_status rlti_unreal_from_stage(const rlti_stage *stage, int index, double time, rlti_sink *sink, int to,
                                  int writes, rlt_messages *messages) {
    static const char *const group_names[] = {"groupId", "group_id", NULL};
    static const char *const id_names[] = {"hairId", "hair_id", "id", NULL};
    static const char *const uv_names[] = {"st", "uv", "UVMap", "surface_uv_coordinate", NULL};
    static const char *const width_names[] = {"widths", "width", "pscale", NULL};
    const rlti_prim *prim = &stage->prims[index];
    const char *has[sizeof groom_names / sizeof groom_names[0]] = {NULL};
    int has_count = 0;
    for (int i = 0; groom_names[i] != NULL; i++)
        for (int c = RLTI_BUILT_IN; c <= RLTI_CUSTOM; c++)
            if (rlti_stage_attribute(stage, prim, (rlti_attribute_class)c, groom_names[i]) != NULL) {
                has[has_count++] = groom_names[i];
                break;
            }
    rlti_unreal_curves curves = {.curve_count = curve_count(stage, prim, time, messages),
                                 .is_guide = prim->purpose == RLTI_PURPOSE_GUIDE};
    int *groups = ints_of(stage, prim, group_names, time, curves.curve_count, messages);
    int *ids = ints_of(stage, prim, id_names, time, curves.curve_count, messages);
    rlti_array uv = {0}, widths = {0};
    const rlti_attribute *a = find(stage, prim, uv_names);
    rlt_status status = RLT_OK;
    if (a != NULL && a->interpolation == RLTI_UNIFORM && a->type.arity == 2 && a->type.element == RLTI_FLOAT)
        status = rlti_stage_flat(stage, prim, a, time, messages, &uv);
    if (uv.count == (size_t)curves.curve_count && !uv.blocked)
        curves.root_uv = uv.data;
    a = find(stage, prim, width_names);
    if (status == RLT_OK && a != NULL && a->type.arity == 1 && a->type.element == RLTI_FLOAT &&
        (a->interpolation == RLTI_CONSTANT || a->interpolation == RLTI_UNIFORM ||
         a->interpolation == RLTI_VERTEX)) {
        status = rlti_stage_flat(stage, prim, a, time, messages, &widths);
        if (status == RLT_OK && !widths.blocked && widths.count > 0) {
            curves.widths = widths.data;
            curves.width_count = widths.count;
            curves.width_place = a->interpolation;
        }
    }
    curves.group_ids = groups;
    curves.ids = ids;
    if (status == RLT_OK)
        status = rlti_unreal_add(sink, to, &curves, has, writes, messages);
    RLTI_FREE(groups, ids);
    rlti_array_clear(&uv);
    rlti_array_clear(&widths);
    return status;
}

char *rlti_unreal_schemas(const char *schemas) {
    size_t length = schemas != NULL ? strlen(schemas) : 0;
    char *all = rlti_allocate(length + sizeof RLTI_UNREAL_SCHEMA + 1, 1);
    if (all == NULL)
        return NULL;
    if (length > 0) {
        memcpy(all, schemas, length);
        if (strstr(schemas, RLTI_UNREAL_SCHEMA) != NULL)
            return all;
        all[length++] = ' ';
    }
    memcpy(all + length, RLTI_UNREAL_SCHEMA, sizeof RLTI_UNREAL_SCHEMA);
    return all;
}
