/* A layer from a USD crate. Versions 0.4 to 0.12 are known whole; what is new in later ones is left out with
 * a warning. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "formats/tree/stage.h"
#include "formats/usd/usdc_crate.h"

/* Problems that are reported once for a file. */
enum { SAID_SPLINE = 1, SAID_TYPE = 2 };

enum { LONGEST_TYPE = 64 }; /* of the names of types that are known */

typedef struct builder {
    rlti_crate *crate;
    rlti_usd_layer *layer;
    int *order; /* [path_count] children in order, those of one path together */
    int ordered;
    int *slot_path;       /* [token_count] the child of that name */
    uint32_t *slot_owner; /* [token_count] of the path and kind being ordered */
} builder;

static void warn(rlti_crate *crate, unsigned what, int path, const char *text) {
    if (crate->warned & what)
        return;
    crate->warned |= what;
    const char *place = rlti_crate_path_text(crate, (uint64_t)path);
    rlti_warn(crate->messages, "%s: %s: %s", crate->file, place != NULL ? place : "?", text);
}

static rlt_status bad_field(rlti_crate *crate, int path, const char *field, const char *what) {
    const char *place = rlti_crate_path_text(crate, (uint64_t)path);
    return rlti_refuse(crate->messages, "%s: %s: %s: %s", crate->file, place != NULL ? place : "?", field,
                       what);
}

/* ---- fields ---- */

typedef rlt_status field_reader(builder *b, int path, const char *name, uint64_t rep, void *to);

/* Hands every field of a path's spec to the reader. */
static rlt_status each_field(builder *b, int path, field_reader *read, void *to) {
    const rlti_crate *crate = b->crate;
    rlt_status status = RLT_OK;
    for (size_t i = crate->paths[path].field_set; status == RLT_OK && crate->field_sets[i] != UINT32_MAX;
         i++) {
        uint32_t field = crate->field_sets[i];
        status = read(b, path, crate->tokens[crate->field_tokens[field]], crate->field_reps[field], to);
    }
    return status;
}

/* A field of another type than it should be is left out: there is no harm in that. */
static void set_number(const rlti_crate *crate, uint64_t rep, double *to) {
    double number;
    if (rlti_crate_number(crate, rep, &number))
        *to = number;
}

static void set_flag(const rlti_crate *crate, uint64_t rep, rlti_usd_flag *to) {
    double number;
    if (rlti_crate_number(crate, rep, &number))
        *to = number != 0.0 ? RLTI_USD_TRUE : RLTI_USD_FALSE;
}

static void set_text(const rlti_crate *crate, uint64_t rep, const char **to) {
    const char *text = rlti_crate_text(crate, rep);
    if (text != NULL)
        *to = text;
}

/* ---- the layer's own fields ---- */

typedef struct layer_fields {
    uint64_t sublayers, offsets; /* reps */
    int has_start, has_end;
} layer_fields;

static rlt_status read_layer_field(builder *b, int path, const char *name, uint64_t rep, void *to) {
    layer_fields *found = to;
    rlti_usd_layer *layer = b->layer;
    rlti_crate *crate = b->crate;
    if (strcmp(name, "upAxis") == 0) {
        const char *axis = "";
        set_text(crate, rep, &axis);
        layer->up_axis = axis[0] == 'Y' || axis[0] == 'Z' ? axis[0] : 0;
    } else if (strcmp(name, "metersPerUnit") == 0) {
        set_number(crate, rep, &layer->metres_per_unit);
    } else if (strcmp(name, "kilogramsPerUnit") == 0) {
        set_number(crate, rep, &layer->kilograms_per_unit);
    } else if (strcmp(name, "timeCodesPerSecond") == 0) {
        set_number(crate, rep, &layer->time_codes_per_second);
    } else if (strcmp(name, "framesPerSecond") == 0) {
        set_number(crate, rep, &layer->frames_per_second);
    } else if (strcmp(name, "startTimeCode") == 0 || strcmp(name, "startFrame") == 0) {
        found->has_start = rlti_crate_number(crate, rep, &layer->start_time);
    } else if (strcmp(name, "endTimeCode") == 0 || strcmp(name, "endFrame") == 0) {
        found->has_end = rlti_crate_number(crate, rep, &layer->end_time);
    } else if (strcmp(name, "defaultPrim") == 0) {
        set_text(crate, rep, &layer->default_prim);
    } else if (strcmp(name, "documentation") == 0) {
        set_text(crate, rep, &layer->documentation);
    } else if (strcmp(name, "customLayerData") == 0) {
        const char *text = rlti_crate_entry(crate, rep, RLTI_FINGERPRINT_KEY);
        layer->fingerprint = text != NULL ? text : "";
    } else if (strcmp(name, "subLayers") == 0) {
        found->sublayers = rep;
    } else if (strcmp(name, "subLayerOffsets") == 0) {
        found->offsets = rep;
    } else if (strcmp(name, "layerRelocates") == 0) {
        if (!rlti_crate_relocates(crate, rep, &layer->relocate_count, &layer->relocates))
            return bad_field(crate, path, name, "damaged");
    }
    return RLT_OK;
}

static rlt_status read_sublayers(builder *b, const layer_fields *found) {
    int count;
    const char *const *names;
    if (!rlti_crate_texts(b->crate, found->sublayers, &count, &names))
        return bad_field(b->crate, 0, "subLayers", "damaged");
    rlti_usd_arc *arcs = rlti_arena_keep(&b->crate->arena, (size_t)count, sizeof *arcs);
    if (arcs == NULL)
        return rlti_out_of_memory(b->crate->messages);
    for (int i = 0; i < count; i++)
        arcs[i] = (rlti_usd_arc){names[i], "", 0.0, 1.0};
    if (found->offsets != 0 && !rlti_crate_layer_offsets(b->crate, found->offsets, arcs, count))
        return bad_field(b->crate, 0, "subLayerOffsets", "damaged");
    b->layer->sublayers = arcs;
    b->layer->sublayer_count = count;
    return RLT_OK;
}

static rlt_status read_layer_fields(builder *b, int root) {
    layer_fields found = {0};
    rlt_status status = each_field(b, root, read_layer_field, &found);
    b->layer->has_range = found.has_start && found.has_end;
    if (status == RLT_OK && found.sublayers != 0)
        status = read_sublayers(b, &found);
    return status;
}

/* ---- properties ---- */

static rlt_status set_value(builder *b, int path, uint64_t rep, rlti_array_type declared,
                            rlti_usd_value *value) {
    rlti_crate *crate = b->crate;
    rep = rlti_crate_resolve(crate, rep);
    *value = (rlti_usd_value){.kind = RLTI_USD_NO_VALUE, .where = rep};
    if (RLTI_REP_TYPE(rep) == RLTI_CRATE_BLOCK) {
        value->kind = RLTI_USD_BLOCKED;
        value->type = declared;
    } else if (rlti_crate_array_type(rep, &value->type)) {
        value->kind = RLTI_USD_VALUE;
        if (value->type.element == declared.element && value->type.arity == declared.arity)
            value->type.role = declared.role;
    } else if (RLTI_REP_TYPE(rep) == RLTI_CRATE_ANIMATION_BLOCK) {
        value->kind = RLTI_USD_BLOCKED;
        value->type = declared;
    } else {
        char text[96];
        snprintf(text, sizeof text, "a value of type %d, which is not known, is left out",
                 RLTI_REP_TYPE(rep));
        warn(crate, SAID_TYPE, path, text);
    }
    return RLT_OK;
}

typedef struct property_fields {
    rlti_usd_property *property;
    uint64_t value, samples;
} property_fields;

/* A name may be as long as the file likes, and be that of many: only short ones are measured. */
static size_t short_length(const char *name) {
    size_t length = 0;
    while (length < LONGEST_TYPE && name[length] != '\0')
        length++;
    return length;
}

/* Metadata that is kept, but for nothing else. */
static rlt_status read_note(builder *b, const char *name, uint64_t rep, rlti_usd_property *property) {
    int note = rlti_usd_note_find(name, short_length(name)), is_weight = strcmp(name, "weight") == 0;
    if (note < 0 && !is_weight)
        return RLT_OK;
    if (property->notes == NULL)
        property->notes = rlti_arena_keep(&b->crate->arena, 1, sizeof *property->notes);
    if (property->notes == NULL)
        return rlti_out_of_memory(b->crate->messages);
    if (note >= 0)
        set_text(b->crate, rep, &property->notes->texts[note]);
    else
        property->notes->has_weight =
            rlti_crate_number(b->crate, rep, &property->notes->weight) && isfinite(property->notes->weight);
    return RLT_OK;
}

static rlt_status read_property_field(builder *b, int path, const char *name, uint64_t rep, void *to) {
    property_fields *found = to;
    rlti_usd_property *property = found->property;
    rlti_crate *crate = b->crate;
    if (strcmp(name, "typeName") == 0) {
        set_text(crate, rep, &property->type_name);
    } else if (strcmp(name, "variability") == 0) {
        property->is_uniform = RLTI_REP_TYPE(rep) == RLTI_CRATE_VARIABILITY && (rep & 0xff) == 1;
    } else if (strcmp(name, "custom") == 0) {
        rlti_usd_flag flag = RLTI_USD_UNSAID;
        set_flag(crate, rep, &flag);
        property->is_custom = flag == RLTI_USD_TRUE;
    } else if (strcmp(name, "default") == 0) {
        found->value = rep;
    } else if (strcmp(name, "timeSamples") == 0) {
        found->samples = rep;
    } else if (strcmp(name, "interpolation") == 0) {
        set_text(crate, rep, &property->interpolation);
    } else if (strcmp(name, "elementSize") == 0) {
        double size = 0.0;
        set_number(crate, rep, &size);
        property->element_size = size >= 1.0 && size <= 1e6 ? (int)size : 0;
    } else if (strcmp(name, "targetPaths") == 0 || strcmp(name, "connectionPaths") == 0) {
        if (!rlti_crate_text_list(crate, rep, &property->targets))
            return bad_field(crate, path, name, "damaged");
    } else if (strcmp(name, "spline") == 0) {
        warn(crate, SAID_SPLINE, path, "animation splines are not read; bake them to time samples");
    } else {
        return read_note(b, name, rep, property);
    }
    return RLT_OK;
}

static rlt_status read_samples(builder *b, int path, uint64_t rep, rlti_usd_property *property) {
    rlti_crate *crate = b->crate;
    rlti_span reps;
    int count;
    if (!rlti_crate_time_samples(crate, rep, &count, &property->times, &reps))
        return bad_field(crate, path, "timeSamples", "damaged, or its times do not increase");
    rlti_usd_value *samples = rlti_arena_keep(&crate->arena, (size_t)count, sizeof *samples);
    if (samples == NULL)
        return rlti_out_of_memory(crate->messages);
    rlt_status status = RLT_OK;
    for (int i = 0; i < count && status == RLT_OK; i++)
        status = set_value(b, path, rlti_span_u64(&reps), property->type, &samples[i]);
    property->samples = samples;
    property->sample_count = count;
    return status;
}

static const char *name_of(const rlti_crate *crate, int path) {
    int32_t token = crate->paths[path].token;
    return crate->tokens[token < 0 ? -token : token];
}

static rlt_status add_property(builder *b, int path) {
    rlti_usd_layer *layer = b->layer;
    rlti_usd_property *property = &layer->properties[layer->property_count++];
    property_fields found = {.property = property};
    property->name = name_of(b->crate, path);
    property->type_name = "";
    property->interpolation = "";
    property->is_relationship = b->crate->paths[path].spec == RLTI_SPEC_RELATIONSHIP;
    rlt_status status = each_field(b, path, read_property_field, &found);
    rlti_usd_type(property->type_name, short_length(property->type_name), &property->type);
    if (status == RLT_OK && found.value != 0)
        status = set_value(b, path, found.value, property->type, &property->value);
    if (status == RLT_OK && found.samples != 0)
        status = read_samples(b, path, found.samples, property);
    return status;
}

/* ---- prims ---- */

static rlt_status read_prim_list(builder *b, int path, const char *name, uint64_t rep, rlti_usd_prim *prim) {
    const struct {
        const char *name;
        int is_arcs;
        const rlti_usd_list **list;
    } lists[] = {{"apiSchemas", 0, &prim->api_schemas},  {"references", 1, &prim->references},
                 {"payload", 1, &prim->payloads},        {"inheritPaths", 0, &prim->inherits},
                 {"specializes", 0, &prim->specializes}, {"variantSetNames", 0, &prim->variant_sets}};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        if (strcmp(name, lists[i].name) != 0)
            continue;
        int ok = lists[i].is_arcs ? rlti_crate_arc_list(b->crate, rep, lists[i].list)
                                  : rlti_crate_text_list(b->crate, rep, lists[i].list);
        return ok ? RLT_OK : bad_field(b->crate, path, name, "damaged");
    }
    return RLT_OK;
}

static rlt_status read_prim_field(builder *b, int path, const char *name, uint64_t rep, void *to) {
    rlti_usd_prim *prim = to;
    rlti_crate *crate = b->crate;
    if (strcmp(name, "specifier") == 0) {
        unsigned specifier = (unsigned)(rep & 0xff);
        if (RLTI_REP_TYPE(rep) != RLTI_CRATE_SPECIFIER || specifier > RLTI_USD_CLASS)
            return bad_field(b->crate, path, name, "damaged");
        prim->specifier = (rlti_usd_specifier)specifier;
    } else if (strcmp(name, "typeName") == 0) {
        set_text(crate, rep, &prim->type_name);
    } else if (strcmp(name, "kind") == 0) {
        set_text(crate, rep, &prim->kind);
    } else if (strcmp(name, "documentation") == 0) {
        set_text(crate, rep, &prim->doc);
    } else if (strcmp(name, "active") == 0) {
        set_flag(crate, rep, &prim->active);
    } else if (strcmp(name, "instanceable") == 0) {
        set_flag(crate, rep, &prim->instanceable);
    } else if (strcmp(name, "clips") == 0) {
        if (!rlti_crate_clips(crate, rep, &prim->clip_count, &prim->clips))
            return bad_field(crate, path, name, "damaged");
    } else if (strcmp(name, "variantSelection") == 0) {
        if (!rlti_crate_selections(crate, rep, &prim->selection_count, &prim->selections))
            return bad_field(crate, path, name, "damaged");
    } else {
        return read_prim_list(b, path, name, rep, prim);
    }
    return RLT_OK;
}

/* ---- order ---- */

typedef struct child_lists {
    uint64_t prims, properties; /* reps of the lists of names; 0: there is none */
} child_lists;

static rlt_status read_child_field(builder *b, int path, const char *name, uint64_t rep, void *to) {
    child_lists *found = to;
    (void)b;
    (void)path;
    if (strcmp(name, "primChildren") == 0)
        found->prims = rep;
    else if (strcmp(name, "properties") == 0)
        found->properties = rep;
    return RLT_OK;
}

/* Children that are prims (or properties) of this layer; those of variants are not. */
static int is_wanted(const rlti_crate *crate, int path, int properties) {
    int spec = crate->paths[path].spec;
    if (properties)
        return crate->paths[path].token < 0 &&
               (spec == RLTI_SPEC_ATTRIBUTE || spec == RLTI_SPEC_RELATIONSHIP);
    return crate->paths[path].token >= 0 && spec == RLTI_SPEC_PRIM && name_of(crate, path)[0] != '{';
}

static int32_t token_of(const rlti_crate *crate, int path) {
    int32_t token = crate->paths[path].token;
    return token < 0 ? -token : token;
}

/* Puts a path's children into b->order: first those the list names, as it names them, then the others. */
static rlt_status order_children(builder *b, int parent, uint64_t list, int properties, int *count) {
    rlti_crate *crate = b->crate;
    uint32_t owner = 2 * (uint32_t)parent + (uint32_t)properties + 1;
    int first = b->ordered;
    for (int c = crate->paths[parent].child; c >= 0; c = crate->paths[c].sibling) {
        int32_t token = token_of(crate, c);
        if (!is_wanted(crate, c, properties))
            continue;
        if (b->slot_owner[token] == owner)
            return bad_field(crate, c, "path", "there twice");
        b->slot_owner[token] = owner;
        b->slot_path[token] = c;
    }
    size_t names = 0;
    rlti_span span = {0};
    if (list != 0 && !rlti_crate_token_vector(crate, list, &span, &names))
        return bad_field(crate, parent, properties ? "properties" : "primChildren", "damaged");
    for (size_t i = 0; i < names; i++) {
        uint32_t token = rlti_span_u32(&span);
        if (token >= crate->token_count || b->slot_owner[token] != owner || b->slot_path[token] < 0)
            continue;
        b->order[b->ordered++] = b->slot_path[token];
        b->slot_path[token] = -1;
    }
    for (int c = crate->paths[parent].child; c >= 0; c = crate->paths[c].sibling)
        if (is_wanted(crate, c, properties) && b->slot_path[token_of(crate, c)] == c)
            b->order[b->ordered++] = c;
    *count = b->ordered - first;
    return RLT_OK;
}

static rlt_status add_children(builder *b, int path, uint64_t list, int parent);
static rlt_status add_variants(builder *b, int path, int parent);

/* Depth is bounded by that of paths. */
static rlt_status add_prim(builder *b, int path, int parent) {
    rlti_usd_layer *layer = b->layer;
    int index = layer->prim_count++, count = 0;
    rlti_usd_prim *prim = &layer->prims[index];
    child_lists lists = {0};
    prim->path = rlti_crate_path_text(b->crate, (uint64_t)path);
    prim->name = name_of(b->crate, path);
    prim->type_name = prim->kind = prim->doc = "";
    prim->specifier = RLTI_USD_OVER;
    prim->parent = parent;
    prim->first_property = layer->property_count;
    if (prim->path == NULL)
        return bad_field(b->crate, 0, "path", "paths are too long");
    rlt_status status = each_field(b, path, read_prim_field, prim);
    if (status == RLT_OK)
        status = each_field(b, path, read_child_field, &lists);
    int first = b->ordered;
    if (status == RLT_OK)
        status = order_children(b, path, lists.properties, 1, &count);
    for (int i = 0; i < count && status == RLT_OK; i++)
        status = add_property(b, b->order[first + i]);
    prim->property_count = layer->property_count - prim->first_property;
    if (status == RLT_OK)
        status = add_children(b, path, lists.prims, index);
    return status == RLT_OK ? add_variants(b, path, index) : status;
}

static rlt_status add_variants(builder *b, int path, int parent) {
    rlt_status status = RLT_OK;
    for (int c = b->crate->paths[path].child; c >= 0 && status == RLT_OK; c = b->crate->paths[c].sibling)
        if (b->crate->paths[c].spec == RLTI_SPEC_VARIANT && b->crate->paths[c].token >= 0 &&
            name_of(b->crate, c)[0] == '{') {
            int index = b->layer->prim_count;
            status = add_prim(b, c, parent);
            b->layer->prims[index].is_variant = 1;
        }
    return status;
}

static rlt_status add_children(builder *b, int path, uint64_t list, int parent) {
    int first = b->ordered, count = 0;
    rlt_status status = order_children(b, path, list, 0, &count);
    for (int i = 0; i < count && status == RLT_OK; i++)
        status = add_prim(b, b->order[first + i], parent);
    return status;
}

/* ---- the whole ---- */

static int find_root(const rlti_crate *crate) {
    for (size_t i = 0; i < crate->path_count; i++)
        if (crate->paths[i].parent == -1)
            return (int)i;
    return -1;
}

static rlt_status build(builder *b) {
    rlti_crate *crate = b->crate;
    rlti_usd_layer *layer = b->layer;
    int root = find_root(crate);
    child_lists lists = {0};
    if (root < 0 || crate->paths[root].spec != RLTI_SPEC_ROOT)
        return rlti_crate_damaged(crate, crate->messages, "section SPECS", "the layer itself has no spec");
    layer->prims = rlti_arena_keep(&crate->arena, crate->prim_specs, sizeof *layer->prims);
    layer->properties = rlti_arena_keep(&crate->arena, crate->property_specs, sizeof *layer->properties);
    if (!RLTI_ALLOCATE(RLTI_ITEMS(b->order, crate->path_count), RLTI_ITEMS(b->slot_path, crate->token_count),
                       RLTI_ITEMS(b->slot_owner, crate->token_count)) ||
        layer->prims == NULL || layer->properties == NULL)
        return rlti_out_of_memory(crate->messages);
    rlt_status status = read_layer_fields(b, root);
    if (status == RLT_OK)
        status = each_field(b, root, read_child_field, &lists);
    return status == RLT_OK ? add_children(b, root, lists.prims, -1) : status;
}

static rlt_status read_value(const rlti_usd_layer *layer, const rlti_usd_value *value, rlt_messages *messages,
                             rlti_array *to) {
    if (value->kind == RLTI_USD_VALUE)
        return rlti_crate_read_value(layer->own, value->where, value->type, messages, to);
    to->type = value->type;
    to->count = 0;
    to->data = NULL;
    to->blocked = 1;
    return RLT_OK;
}

static void close_layer(rlti_usd_layer *layer) {
    rlti_crate_free(layer->own);
}

static const rlti_usd_layer_reader reader = {"usdc", read_value, close_layer};

static const char *version_text(rlti_crate *crate) {
    char text[32];
    int length = snprintf(text, sizeof text, "0.%d.%d", crate->bytes[9], crate->bytes[10]);
    return rlti_arena_text(&crate->arena, text, (size_t)length);
}

rlt_status rlti_usdc_layer_open(const char *file, const unsigned char *bytes, size_t size,
                                const rlti_file_pages *pages, rlt_messages *messages,
                                rlti_usd_layer **layer) {
    *layer = NULL;
    rlti_crate *crate = RLTI_NEW(rlti_crate, 1);
    rlti_usd_layer *made = RLTI_NEW(rlti_usd_layer, 1);
    if (crate == NULL || made == NULL) {
        RLTI_FREE(crate, made);
        return rlti_out_of_memory(messages);
    }
    *made = (rlti_usd_layer){
        .reader = &reader, .own = crate, .default_prim = "", .documentation = "", .fingerprint = ""};
    crate->bytes = bytes;
    crate->size = size;
    crate->pages = pages;
    crate->messages = messages;
    crate->items_left = 65536 + 16 * (uint64_t)size;
    crate->text_left = 1048576 + 64 * (uint64_t)size;
    crate->file = made->file = rlti_arena_text(&crate->arena, file, strlen(file));
    builder b = {.crate = crate, .layer = made};
    rlt_status status = crate->file != NULL ? rlti_crate_read_tables(crate) : rlti_out_of_memory(messages);
    if (status == RLT_OK) {
        made->version = version_text(crate);
        status = made->version != NULL ? build(&b) : rlti_out_of_memory(messages);
    }
    RLTI_FREE(b.order, b.slot_path, b.slot_owner);
    crate->messages = NULL;
    if (status == RLT_OK)
        *layer = made;
    else
        rlti_usd_layer_close(made);
    return status;
}
