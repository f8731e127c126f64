/* An Alembic file as a layer of USD, so that USD that references one is read through. Names, types and tokens
 * are those that a conversion to USD would write; times become time codes, 24 a second. */
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "formats/usd/usd_author.h"
#include "formats/usd/usd_layer.h"

#define CODES_PER_SECOND 24.0

/* Kinds of values, in rlti_usd_value.size; `where` has its number. */
enum { ATTRIBUTE, TOKEN, TRANSFORM, ORDER };

typedef struct alembic_layer {
    rlti_arena arena;
    rlti_stage *stage;
    rlti_sink view; /* of the stage's lists, for names and types */
    rlti_usd_naming names;
    int token_count;
    const char **tokens; /* values of all tokens */
} alembic_layer;

/* ---- values ---- */

static rlt_status read_text(const char *const *texts, size_t count, rlti_array_type type,
                            rlt_messages *messages, rlti_array *to) {
    size_t bytes = 1;
    char *out;
    for (size_t i = 0; i < count; i++)
        bytes += strlen(texts[i]) + 1;
    const char **list = rlti_array_reserve_texts(to, type, count, bytes, &out);
    if (list == NULL)
        return rlti_out_of_memory(messages);
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(texts[i]) + 1;
        memcpy(out, texts[i], length);
        list[i] = out;
        out += length;
    }
    return RLT_OK;
}

static rlt_status read_attribute(const alembic_layer *own, const rlti_usd_value *value,
                                 rlt_messages *messages, rlti_array *to) {
    int index = (int)(value->where >> 32), sample = (int)(value->where & 0xffffffff) - 1;
    const rlti_attribute *a = &own->stage->attributes[index];
    const rlti_prim *prim = &own->stage->prims[own->view.owner[index]];
    rlti_array raw = {0}, scratch = {0}, fitted = {0};
    rlt_status status = own->stage->reader->read(own->stage, prim, a, sample, messages, &raw);
    if (status == RLT_OK && raw.blocked) {
        to->type = value->type;
        to->count = 0;
        to->data = NULL;
        to->blocked = 1;
    } else if (status == RLT_OK) {
        status = rlti_usd_fit(&own->view, index, &raw, &scratch, &fitted, messages);
        if (status == RLT_OK && !rlti_array_copy(to, &fitted))
            status = rlti_out_of_memory(messages);
    }
    rlti_array_clear(&raw);
    rlti_array_clear(&scratch);
    return status;
}

static rlt_status read_transform(const alembic_layer *own, const rlti_usd_value *value,
                                 rlt_messages *messages, rlti_array *to) {
    const rlti_prim *prim = &own->stage->prims[value->where >> 32];
    int sample = (int)(value->where & 0xffffffff) - 1, resets;
    double *matrix = rlti_array_reserve(to, value->type, 1);
    if (matrix == NULL)
        return rlti_out_of_memory(messages);
    double time = sample >= 0 ? prim->transform_times[sample] : 0.0;
    return own->stage->reader->transform(own->stage, prim, time, messages, matrix, &resets);
}

static rlt_status read_value(const rlti_usd_layer *layer, const rlti_usd_value *value, rlt_messages *messages,
                             rlti_array *to) {
    const alembic_layer *own = layer->own;
    static const char *const order[] = {"!resetXformStack!", "xformOp:transform"};
    switch (value->size) {
    case TOKEN:
        return read_text(&own->tokens[value->where], 1, value->type, messages, to);
    case TRANSFORM:
        return read_transform(own, value, messages, to);
    case ORDER:
        return read_text(order + (value->where == 0), value->where == 0 ? 1 : 2, value->type, messages, to);
    default:
        return read_attribute(own, value, messages, to);
    }
}

static void close_layer(rlti_usd_layer *layer) {
    alembic_layer *own = layer->own;
    if (own == NULL)
        return;
    rlti_usd_naming_clear(&own->names);
    rlti_stage_close(own->stage);
    rlti_free(own->view.owner);
    rlti_arena_clear(&own->arena);
    rlti_free(own);
}

static const rlti_usd_layer_reader reader = {"abc", read_value, close_layer};

/* ---- the layer ---- */

static rlti_usd_property *add_property(rlti_usd_layer *layer, const char *name, const char *type_name) {
    rlti_usd_property *p = &layer->properties[layer->property_count++];
    *p = (rlti_usd_property){.name = name, .type_name = type_name, .interpolation = ""};
    rlti_usd_type(type_name, strlen(type_name), &p->type);
    return p;
}

/* Values with and without a time; 0 when out of memory. */
static int set_values(rlti_arena *arena, rlti_usd_property *p, int what, int index, int has_default,
                      int count, const double *times) {
    uint64_t where = (uint64_t)index << 32, size = (uint64_t)what;
    if (has_default || count == 0)
        p->value = (rlti_usd_value){RLTI_USD_VALUE, p->type, where, size};
    double *codes = rlti_arena_keep(arena, (size_t)count, sizeof *codes);
    rlti_usd_value *samples = rlti_arena_keep(arena, (size_t)count, sizeof *samples);
    if (codes == NULL || samples == NULL)
        return 0;
    for (int i = 0; i < count; i++) {
        codes[i] = times[i] * CODES_PER_SECOND;
        samples[i] = (rlti_usd_value){RLTI_USD_VALUE, p->type, where + (uint64_t)i + 1, size};
    }
    p->times = codes;
    p->samples = samples;
    p->sample_count = count;
    return 1;
}

static int add_transform(alembic_layer *own, rlti_usd_layer *layer, int index) {
    const rlti_prim *prim = &own->stage->prims[index];
    double matrix[16];
    int resets = 0;
    (void)own->stage->reader->transform(own->stage, prim,
                                        prim->transform_time_count > 0 ? prim->transform_times[0] : 0.0, NULL,
                                        matrix, &resets);
    rlti_usd_property *p = add_property(layer, "xformOp:transform", "matrix4d");
    if (!set_values(&own->arena, p, TRANSFORM, index, 0, prim->transform_time_count, prim->transform_times))
        return 0;
    p = add_property(layer, "xformOpOrder", "token[]");
    p->is_uniform = 1;
    p->value = (rlti_usd_value){RLTI_USD_VALUE, p->type, resets ? 1 : 0, ORDER};
    return 1;
}

static int add_prim(alembic_layer *own, rlti_usd_layer *layer, int index) {
    const rlti_prim *from = &own->stage->prims[index];
    rlti_usd_prim *prim = &layer->prims[index];
    rlti_usd_token tokens[RLTI_USD_TOKENS];
    *prim = (rlti_usd_prim){.name = own->names.prims[index],
                            .type_name = rlti_usd_prim_type(from, 0),
                            .parent = from->parent,
                            .kind = "",
                            .doc = "",
                            .first_property = layer->property_count};
    prim->path = rlti_arena_join(&own->arena, from->parent >= 0 ? layer->prims[from->parent].path : "", "/",
                                 prim->name);
    int count = rlti_usd_prim_tokens(&own->view, &own->names, index, tokens), ok = prim->path != NULL;
    for (int i = 0; i < count && ok; i++) {
        rlti_usd_property *p = add_property(layer, tokens[i].name, "token");
        p->is_uniform = tokens[i].is_uniform;
        p->value = (rlti_usd_value){RLTI_USD_VALUE, p->type, (uint64_t)own->token_count, TOKEN};
        own->tokens[own->token_count++] = tokens[i].value;
    }
    if (ok && from->has_transform)
        ok = add_transform(own, layer, index);
    for (int i = own->names.first[index]; i >= 0 && ok; i = own->names.next[i]) {
        const rlti_attribute *a = &own->stage->attributes[i];
        rlti_usd_form form = rlti_usd_attribute_form(a);
        if (form.type.arity == 0 || form.type_name == NULL || (a->sample_count == 0 && !a->has_default))
            continue;
        rlti_usd_property *p = add_property(layer, own->names.attributes[i], form.type_name);
        p->type = form.type;
        p->interpolation = form.interpolation != NULL ? form.interpolation : "";
        p->element_size = form.element_size;
        ok = set_values(&own->arena, p, ATTRIBUTE, i, a->has_default, a->sample_count, a->times);
    }
    prim->property_count = layer->property_count - prim->first_property;
    return ok;
}

static int build(alembic_layer *own, rlti_usd_layer *layer) {
    rlti_stage *stage = own->stage;
    enum { OTHERS = RLTI_USD_TOKENS + 2 };
    size_t properties = (size_t)stage->attribute_count + OTHERS * (size_t)stage->prim_count;
    own->view = (rlti_sink){.prim_count = stage->prim_count,
                            .attribute_count = stage->attribute_count,
                            .prims = stage->prims,
                            .attributes = stage->attributes,
                            .owner = RLTI_NEW(int, stage->attribute_count)};
    layer->prims = rlti_arena_keep(&own->arena, (size_t)stage->prim_count, sizeof *layer->prims);
    layer->properties = rlti_arena_keep(&own->arena, properties, sizeof *layer->properties);
    own->tokens =
        rlti_arena_keep(&own->arena, RLTI_USD_TOKENS * (size_t)stage->prim_count, sizeof *own->tokens);
    if (own->tokens == NULL || own->view.owner == NULL || layer->prims == NULL || layer->properties == NULL)
        return 0;
    for (int p = 0; p < stage->prim_count; p++)
        for (int i = 0; i < stage->prims[p].attribute_count; i++)
            own->view.owner[stage->prims[p].first_attribute + i] = p;
    int ok = rlti_usd_naming_make(&own->view, &own->names);
    layer->prim_count = stage->prim_count;
    for (int i = 0; i < stage->prim_count && ok; i++)
        ok = add_prim(own, layer, i);
    if (ok && stage->prim_count > 0)
        layer->default_prim = own->names.prims[0];
    return ok;
}

rlt_status rlti_usd_alembic_open(const char *file, rlt_messages *messages, rlti_usd_layer **layer) {
    alembic_layer *own = RLTI_NEW(alembic_layer, 1);
    rlti_usd_layer *made = RLTI_NEW(rlti_usd_layer, 1);
    *layer = NULL;
    if (own == NULL || made == NULL) {
        RLTI_FREE(own, made);
        return rlti_out_of_memory(messages);
    }
    *made = (rlti_usd_layer){.reader = &reader,
                             .own = own,
                             .version = "",
                             .default_prim = "",
                             .documentation = "",
                             .fingerprint = "",
                             .time_codes_per_second = CODES_PER_SECOND};
    made->file = rlti_arena_text(&own->arena, file, strlen(file));
    rlt_status status =
        made->file != NULL ? rlti_stage_open(file, messages, &own->stage) : rlti_out_of_memory(messages);
    if (status == RLT_OK && !build(own, made))
        status = rlti_out_of_memory(messages);
    if (status == RLT_OK)
        *layer = made;
    else
        rlti_usd_layer_close(made);
    return status;
}
