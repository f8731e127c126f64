/* Properties after composition, and their values. */
#include <limits.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "formats/usd/usd_names.h"
#include "formats/usd/usd_stage.h"

typedef struct target_context {
    rlti_usd_own *own;
    const rlti_usd_site *site;
} target_context;

/* Without the variants it may name: "/A{look=red}/B" is "/A/B". NULL when out of memory. */
static const char *without_variants(rlti_arena *arena, const char *path) {
    if (strchr(path, '{') == NULL)
        return path;
    char *made = rlti_arena_text(arena, path, strlen(path)), *out = made;
    for (const char *in = made; made != NULL && *in != '\0';) {
        const char *end = *in == '{' ? strchr(in, '}') : NULL;
        if (end != NULL)
            in = end + 1;
        else
            *out++ = *in++;
    }
    if (made != NULL)
        *out = '\0';
    return made;
}

/* A target as a path of the stage; what leads out of a referenced prim counts for nothing. */
static int map_target(void *context, const void *item, const char **key) {
    const target_context *t = context;
    const char *path = without_variants(&t->own->arena, *(const char *const *)item);
    if (path == NULL)
        return -1;
    *key = rlti_usd_map_path(&t->own->arena, t->site, path);
    return *key != NULL;
}

static void add_notes(rlti_notes *to, const rlti_notes *stronger) {
    if (stronger == NULL)
        return;
    for (int i = 0; i < RLTI_NOTES; i++)
        if (stronger->texts[i] != NULL)
            to->texts[i] = stronger->texts[i];
    if (stronger->has_weight) {
        to->has_weight = 1;
        to->weight = stronger->weight;
    }
}

/* Adds what a stronger site says. */
static int strengthen(rlti_usd_own *own, rlti_usd_resolved *to, const rlti_usd_site *site,
                      const rlti_usd_property *p) {
    to->is_relationship = p->is_relationship;
    if (p->type_name[0] != '\0') {
        to->type_name = p->type_name;
        to->is_uniform = p->is_uniform;
    }
    to->is_custom |= p->is_custom;
    add_notes(&to->notes, p->notes);
    if (p->type_name[0] != '\0' || to->type_name[0] == '\0')
        to->type = p->type;
    if (p->interpolation[0] != '\0')
        to->interpolation = p->interpolation;
    if (p->element_size > 0)
        to->element_size = p->element_size;
    if (p->sample_count > 0) {
        to->samples = p;
        to->sample_layer = site->layer;
        to->sample_layers = NULL;
        to->offset = site->offset;
        to->scale = site->scale;
    } else if (p->value.kind != RLTI_USD_NO_VALUE) {
        to->samples = NULL; /* a stronger default hides weaker samples */
        to->sample_layer = NULL;
    }
    if (p->value.kind != RLTI_USD_NO_VALUE) {
        int is_blocked = p->value.kind == RLTI_USD_BLOCKED;
        to->value = is_blocked ? NULL : p;
        to->default_layer = is_blocked ? NULL : site->layer;
        to->default_offset = site->offset;
        to->default_scale = site->scale;
    }
    target_context context = {own, site};
    const rlti_usd_keys keys = {map_target, &context, sizeof(const char *), 0};
    return rlti_usd_edit_list(&own->arena, p->targets, &keys, &to->edited);
}

/* The targets that all layers together leave. */
static int list_targets(rlti_usd_own *own, rlti_usd_resolved *to) {
    if (to->edited.count == 0)
        return 1;
    to->targets = rlti_arena_keep(&own->arena, (size_t)to->edited.count, sizeof *to->targets);
    if (to->targets == NULL)
        return 0;
    to->target_count = to->edited.count;
    for (int i = 0; i < to->target_count; i++)
        to->targets[i] = to->edited.items[i].key;
    return 1;
}

rlt_status rlti_usd_resolve_prim(rlti_usd_own *own, int prim, rlt_messages *messages) {
    const rlti_usd_composed_prim *composed = &own->composed.prims[prim];
    rlti_usd_names names;
    long maximum = 0;
    for (int s = 0; s < composed->site_count; s++)
        maximum += composed->sites[s].prim->property_count;
    if (maximum == 0)
        return RLT_OK;
    int ok = maximum < INT_MAX && rlti_usd_names_create(&names, (int)maximum);
    for (int s = composed->site_count - 1; ok && s >= 0; s--) {
        const rlti_usd_site *site = &composed->sites[s];
        for (int i = 0; i < site->prim->property_count; i++)
            rlti_usd_names_put(&names, site->layer->properties[site->prim->first_property + i].name);
    }
    rlti_usd_resolved *list = ok ? rlti_arena_keep(&own->arena, (size_t)names.count, sizeof *list) : NULL;
    ok = list != NULL;
    for (int i = 0; ok && i < names.count; i++)
        list[i] = (rlti_usd_resolved){.name = names.list[i], .type_name = "", .interpolation = ""};
    int clips = own->clips[prim] != NULL ? rlti_usd_clips_place(own, prim) : -1;
    rlt_status status = RLT_OK;
    for (int s = composed->site_count - 1; ok && s >= 0; s--) {
        const rlti_usd_site *site = &composed->sites[s];
        for (int i = 0; i < names.count && s == clips && status == RLT_OK; i++)
            status = rlti_usd_clips_apply(own, prim, &list[i], messages);
        for (int i = 0; ok && i < site->prim->property_count; i++) {
            const rlti_usd_property *p = &site->layer->properties[site->prim->first_property + i];
            ok = strengthen(own, &list[rlti_usd_names_put(&names, p->name)], site, p);
        }
    }
    for (int i = 0; i < names.count && own->clips[prim] != NULL && clips < 0 && status == RLT_OK && ok; i++)
        status = rlti_usd_clips_apply(own, prim, &list[i], messages);
    for (int i = 0; ok && i < names.count; i++)
        ok = list_targets(own, &list[i]);
    own->properties[prim] = list;
    own->property_counts[prim] = ok ? names.count : 0;
    if (maximum < INT_MAX)
        rlti_usd_names_free(&names);
    return ok ? status : rlti_out_of_memory(messages);
}

const rlti_usd_resolved *rlti_usd_property_named(const rlti_usd_own *own, int prim, const char *name) {
    for (int i = 0; i < own->property_counts[prim]; i++)
        if (strcmp(own->properties[prim][i].name, name) == 0)
            return &own->properties[prim][i];
    return NULL;
}

/* ---- values ---- */

/* Numbers of another precision than the property's; 0 when out of memory. */
static int convert(rlti_array *array, rlti_array_type type) {
    size_t count = array->count * (size_t)type.arity;
    rlti_array made = {0};
    double *numbers = RLTI_NEW(double, count);
    void *values = rlti_array_reserve(&made, type, array->count);
    int ok = numbers != NULL && values != NULL && rlti_array_to_doubles(array, numbers);
    for (size_t i = 0; ok && i < count; i++)
        rlti_array_store(type.element, values, i,
                         numbers[i] == numbers[i] || type.element >= RLTI_HALF ? numbers[i] : 0.0);
    rlti_free(numbers);
    if (!ok) {
        rlti_array_clear(&made);
        return 0;
    }
    rlti_array_clear(array);
    *array = made;
    return 1;
}

/* Times of a layer become times of the stage; 0 when out of memory. */
static int map_times(const rlti_usd_resolved *property, int is_sample, rlti_array *array) {
    double offset = is_sample ? property->offset : property->default_offset;
    double scale = is_sample ? property->scale : property->default_scale;
    if (strncmp(property->type_name, "timecode", 8) != 0 || (offset == 0.0 && scale == 1.0))
        return 1;
    if (!convert(array, array->type)) /* a copy, since values may be in the file's own bytes */
        return 0;
    double *times = array->owned;
    for (size_t i = 0; i < array->count; i++)
        times[i] = scale * times[i] + offset;
    return 1;
}

rlt_status rlti_usd_resolved_read(const rlti_usd_resolved *property, int sample, const char *file,
                                  const char *path, rlt_messages *messages, rlti_array *to) {
    int is_sample = sample >= 0 && property->samples != NULL;
    const rlti_usd_property *from = is_sample ? property->samples : property->value;
    const rlti_usd_layer *layer = !is_sample                        ? property->default_layer
                                  : property->sample_layers != NULL ? property->sample_layers[sample]
                                                                    : property->sample_layer;
    const rlti_usd_value *value = from == NULL ? NULL : is_sample ? &from->samples[sample] : &from->value;
    if (value == NULL || value->kind != RLTI_USD_VALUE) {
        to->type = property->type;
        to->count = 0;
        to->data = NULL;
        to->blocked = 1;
        return RLT_OK;
    }
    rlt_status status = rlti_usd_layer_read(layer, value, messages, to);
    if (status != RLT_OK || to->blocked)
        return status;
    rlti_array_type wanted = property->type;
    if (wanted.arity == 0)
        return RLT_OK; /* a type of unknown name: the value's own */
    int texts = (wanted.element == RLTI_TEXT) + (to->type.element == RLTI_TEXT);
    if (to->type.arity != wanted.arity || texts == 1 || (!wanted.is_array && to->count != 1)) {
        const char *found = rlti_usd_type_name(to->type);
        return rlti_refuse(messages, "%s: %s.%s: a value of type %s (%zu of them), but it should be %s", file,
                           path, property->name, found != NULL ? found : "unknown", to->count,
                           property->type_name);
    }
    if (to->type.element != wanted.element && !convert(to, wanted))
        return rlti_out_of_memory(messages);
    to->type = wanted;
    return map_times(property, is_sample, to) ? RLT_OK : rlti_out_of_memory(messages);
}
