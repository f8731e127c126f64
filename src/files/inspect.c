/* rlt_file: the tree of a file in public words. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "base/sized.h"
#include "files/inspect.h"

static const char *const kinds[] = {
    [RLTI_PRIM_GROUP] = "group",    [RLTI_PRIM_XFORM] = "xform",       [RLTI_PRIM_CURVES] = "curves",
    [RLTI_PRIM_MESH] = "mesh",      [RLTI_PRIM_SKELETON] = "skeleton", [RLTI_PRIM_SKELETON_MOTION] = "motion",
    [RLTI_PRIM_FACE_SET] = "faces", [RLTI_PRIM_OTHER] = "other"};
static const char *const purposes[] = {"default", "render", "proxy", "guide"};
static const char *const curve_types[] = {"cubic", "linear", "variable"};
static const char *const bases[] = {"bezier", "bspline", "catmullRom", "hermite", "power", "none"};
static const char *const wraps[] = {"nonperiodic", "periodic", "pinned"};
static const char *const schemes[] = {"none", "catmullClark", "loop", "bilinear"};
static const char *const classes[] = {"built-in", "primvar", "custom"};
static const char *const places[] = {"constant", "uniform", "varying", "vertex", "faceVarying"};
static const char *const roles[] = {"",           "point",  "vector", "normal", "colour", "texture",
                                    "quaternion", "matrix", "token",  "asset",  "box"};
static const char *const elements[] = {"bool",   "uint8", "int8", "uint16", "int16",  "uint32", "int32",
                                       "uint64", "int64", "half", "float",  "double", "text"};

enum { TYPE_TEXT = 16 };

/* Facts about an attribute, found when the file was opened. */
typedef struct facts {
    long long values; /* -1: cannot be read */
    long long bytes;  /* of that one value */
    char type[TYPE_TEXT];
} facts;

struct rlt_file {
    rlti_stage *stage;
    facts *attributes; /* [attribute_count] */
};

/* Messages of values that cannot be read belong to rlt_file_problems, not here. */
static rlt_status read_facts(const rlti_stage *stage, const rlti_prim *prim, const rlti_attribute *a,
                             facts *found, rlt_messages *messages, rlti_array *value) {
    const char *element = elements[a->type.element];
    if (a->type.arity == 1)
        snprintf(found->type, sizeof found->type, "%s%s", element, a->type.is_array ? "[]" : "");
    else
        snprintf(found->type, sizeof found->type, "%s%d%s", element, a->type.arity,
                 a->type.is_array ? "[]" : "");
    found->values = 0;
    if (a->sample_count == 0 && !a->has_default)
        return RLT_OK;
    int first_message = rlt_messages_count(messages);
    rlt_status status = stage->reader->read(stage, prim, a, a->sample_count > 0 ? 0 : -1, messages, value);
    if (status == RLT_BAD_INPUT) {
        rlti_messages_drop(messages, first_message);
        found->values = -1;
        return RLT_OK;
    }
    if (status != RLT_OK || value->blocked)
        return status;
    size_t elements_in = value->count * (size_t)(value->type.arity > 0 ? value->type.arity : 1);
    found->values = (long long)value->count;
    found->bytes = (long long)elements_in * (long long)rlti_element_size(value->type.element);
    if (value->type.element == RLTI_TEXT) {
        const char *const *texts = value->data;
        found->bytes = 0;
        for (size_t i = 0; i < elements_in; i++)
            found->bytes += (long long)strlen(texts[i]) + 1;
    }
    return RLT_OK;
}

rlt_status rlt_file_open(const char *path, rlt_messages *messages, rlt_file **file) {
    return rlt_file_open_as(path, NULL, messages, file);
}

rlt_status rlt_file_open_as(const char *path, const char *variants, rlt_messages *messages, rlt_file **file) {
    *file = NULL;
    rlti_stage *stage = NULL;
    rlt_status status = rlti_stage_open_as(path, variants != NULL ? variants : "", messages, &stage);
    if (status != RLT_OK)
        return status;
    rlt_file *made = RLTI_NEW(rlt_file, 1);
    facts *attributes = RLTI_NEW(facts, stage->attribute_count);
    if (made == NULL || attributes == NULL) {
        RLTI_FREE(made, attributes);
        rlti_stage_close(stage);
        return rlti_out_of_memory(messages);
    }
    rlti_array value = {0};
    made->stage = stage;
    made->attributes = attributes;
    for (int p = 0; p < stage->prim_count; p++)
        for (int i = 0; i < stage->prims[p].attribute_count && status == RLT_OK; i++) {
            int a = stage->prims[p].first_attribute + i;
            status =
                read_facts(stage, &stage->prims[p], &stage->attributes[a], &attributes[a], messages, &value);
        }
    rlti_array_clear(&value);
    if (status == RLT_OK)
        *file = made;
    else
        rlt_file_close(made);
    return status;
}

/* A copy of the value, as somebody who uses it would make; its bytes, or -1 when out of memory. */
static long long use_value(const rlti_array *value, rlti_array *copy) {
    if (value->blocked || value->count == 0)
        return 0;
    if (!rlti_array_copy(copy, value))
        return -1;
    return (long long)value->count * value->type.arity * (long long)rlti_element_size(value->type.element);
}

rlt_status rlt_file_read_all(const rlt_file *file, rlt_messages *messages, long long *bytes) {
    const rlti_stage *stage = file->stage;
    rlti_array value = {0}, copy = {0};
    rlt_status status = RLT_OK;
    *bytes = 0;
    for (int p = 0; p < stage->prim_count && status == RLT_OK; p++) {
        const rlti_prim *prim = &stage->prims[p];
        for (int i = 0; i < prim->attribute_count && status == RLT_OK; i++) {
            const rlti_attribute *a = &stage->attributes[prim->first_attribute + i];
            for (int k = a->has_default ? -1 : 0; k < a->sample_count && status == RLT_OK; k++) {
                status = stage->reader->read(stage, prim, a, k, messages, &value);
                long long used = status == RLT_OK ? use_value(&value, &copy) : 0;
                if (used < 0)
                    status = rlti_out_of_memory(messages);
                *bytes += used;
            }
        }
    }
    rlti_array_clear(&value);
    rlti_array_clear(&copy);
    return status;
}

void rlt_file_close(rlt_file *file) {
    if (file == NULL)
        return;
    rlti_stage_close(file->stage);
    RLTI_FREE(file->attributes, file);
}

int rlti_file_is_readable(const rlt_file *file, int attribute) {
    return file->attributes[attribute].values >= 0;
}

const rlti_stage *rlti_file_stage(const rlt_file *file) {
    return file->stage;
}

rlt_status rlt_file_get(const rlt_file *file, rlt_file_facts *found) {
    const rlti_stage *s = file->stage;
    const rlt_file_facts own = {.format = s->reader->format,
                                .version = s->version != NULL ? s->version : "",
                                .bytes = (long long)s->file_bytes,
                                .metres_per_unit = s->metres_per_unit,
                                .up_axis = s->up_axis,
                                .codes_per_second = s->codes_per_second,
                                .frames_per_second = s->frames_per_second,
                                .first_time = s->first_time,
                                .last_time = s->last_time,
                                .prim_count = s->prim_count,
                                .default_prim = s->default_prim};
    return RLTI_WRITE(rlt_file_facts, found, &own, NULL);
}

/* How many values a built-in attribute has at its first sample; -1 without it. */
static long long count_of(const rlt_file *file, const rlti_prim *prim, const char *name) {
    const rlti_attribute *a = rlti_stage_attribute(file->stage, prim, RLTI_BUILT_IN, name);
    return a != NULL ? file->attributes[a - file->stage->attributes].values : -1;
}

int rlt_file_get_prim(const rlt_file *file, int index, rlt_file_prim *found) {
    if (index < 0 || index >= file->stage->prim_count)
        return 0;
    const rlti_prim *prim = &file->stage->prims[index];
    int is_curves = prim->kind == RLTI_PRIM_CURVES, is_mesh = prim->kind == RLTI_PRIM_MESH;
    const rlt_file_prim own = {.path = prim->path,
                               .name = prim->name,
                               .kind = kinds[prim->kind],
                               .type_name = prim->type_name,
                               .parent = prim->parent,
                               .purpose = purposes[prim->purpose],
                               .is_hidden = prim->is_hidden,
                               .links = rlti_stage_count_links(file->stage, prim),
                               .curves = is_curves ? count_of(file, prim, "curveVertexCounts") : -1,
                               .faces = is_mesh ? count_of(file, prim, "faceVertexCounts") : -1,
                               .points = is_curves || is_mesh ? count_of(file, prim, "points") : -1,
                               .curve_type = is_curves ? curve_types[prim->curve_type] : "",
                               .basis = is_curves ? bases[prim->basis] : "",
                               .wrap = is_curves ? wraps[prim->wrap] : "",
                               .scheme = is_mesh ? schemes[prim->scheme] : "",
                               .left_handed = is_mesh && prim->left_handed,
                               .transform_samples = prim->has_transform ? prim->transform_time_count : -1,
                               .attribute_count = prim->attribute_count};
    return RLTI_WRITE(rlt_file_prim, found, &own, NULL) == RLT_OK;
}

int rlt_file_get_attribute(const rlt_file *file, int prim, int attribute, rlt_file_attribute *found) {
    if (prim < 0 || prim >= file->stage->prim_count || attribute < 0 ||
        attribute >= file->stage->prims[prim].attribute_count)
        return 0;
    int index = file->stage->prims[prim].first_attribute + attribute;
    const rlti_attribute *a = &file->stage->attributes[index];
    const facts *f = &file->attributes[index];
    long long held = a->sample_count > 0 ? a->sample_count : a->has_default;
    const rlt_file_attribute own = {.name = a->name,
                                    .class_name = classes[a->class_],
                                    .type = f->type,
                                    .role = roles[a->type.role],
                                    .interpolation = places[a->interpolation],
                                    .is_indexed = a->indices >= 0,
                                    .has_default = a->has_default,
                                    .samples = a->sample_count,
                                    .first_time = a->sample_count > 0 ? a->times[0] : 0.0,
                                    .last_time = a->sample_count > 0 ? a->times[a->sample_count - 1] : 0.0,
                                    .values = f->values,
                                    .bytes = f->values >= 0 ? f->bytes * held : -1,
                                    .element_size = a->element_size > 0 ? a->element_size : 1};
    return RLTI_WRITE(rlt_file_attribute, found, &own, NULL) == RLT_OK;
}
