/* The neutral stage over composed USD layers. */
#include "formats/usd/usd_stage.h"

#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "formats/tree/readers.h"
#include "formats/usd/usd_names.h"

/* ---- reading ---- */

static const rlti_usd_resolved *resolved_of(const rlti_stage *stage, const rlti_prim *prim,
                                            const rlti_attribute *attribute) {
    const rlti_usd_own *own = stage->own;
    return &own->properties[prim->where[0]][attribute->where[0]];
}

static rlt_status read_value(const rlti_stage *stage, const rlti_prim *prim, const rlti_attribute *attribute,
                             int sample, rlt_messages *messages, rlti_array *to) {
    int first = rlt_messages_count(messages);
    rlt_status status = rlti_usd_resolved_read(resolved_of(stage, prim, attribute), sample, stage->file,
                                               prim->path, messages, to);
    return rlti_inputs_settle(stage->inputs, status, first, messages);
}

static rlt_status read_transform(const rlti_stage *stage, const rlti_prim *prim, double time,
                                 rlt_messages *messages, double matrix[16], int *resets) {
    const rlti_usd_own *own = stage->own;
    const rlti_usd_xform *xform = own->xforms[prim->where[0]];
    int first = rlt_messages_count(messages);
    *resets = xform->resets;
    rlt_status status = rlti_usd_xform_at(xform, time, stage->file, prim->path, messages, matrix);
    return rlti_inputs_settle(stage->inputs, status, first, messages);
}

static int find_target(const rlti_stage *stage, const rlti_prim *prim, const char *relationship) {
    int count;
    const char *const *paths = rlti_usd_targets(stage, prim, relationship, &count);
    for (int i = 0; i < count; i++) {
        int index = rlti_stage_find(stage, paths[i]);
        if (index >= 0)
            return index;
    }
    return -1;
}

static const rlti_link *get_links(const rlti_stage *stage, const rlti_prim *prim, int *count) {
    const rlti_usd_own *own = stage->own;
    *count = own->link_counts[prim->where[0]];
    return own->links[prim->where[0]];
}

static void free_own(rlti_usd_own *own) {
    if (own == NULL)
        return;
    rlti_usd_composition_free(&own->composed);
    rlti_usd_layers_close(own->layers);
    RLTI_FREE(own->properties, own->property_counts, own->xforms, own->clips, own->links, own->link_counts);
    rlti_arena_clear(&own->arena);
    rlti_free(own);
}

static void close_stage(rlti_stage *stage) {
    free_own(stage->own);
}

const rlti_stage_reader rlti_usda_stage_reader = {"usda",      read_value,  read_transform,
                                                  find_target, close_stage, get_links};
const rlti_stage_reader rlti_usdc_stage_reader = {"usdc",      read_value,  read_transform,
                                                  find_target, close_stage, get_links};
const rlti_stage_reader rlti_usdz_stage_reader = {"usdz",      read_value,  read_transform,
                                                  find_target, close_stage, get_links};

int rlti_stage_is_usd(const rlti_stage *stage) {
    return stage->reader->close == close_stage;
}

const char *rlti_usd_layer_of(const rlti_stage *stage, const rlti_prim *prim,
                              const rlti_attribute *attribute) {
    if (!rlti_stage_is_usd(stage))
        return NULL;
    const rlti_usd_resolved *from = resolved_of(stage, prim, attribute);
    const rlti_usd_layer *layer = from->sample_layers != NULL ? from->sample_layers[0]
                                  : from->samples != NULL     ? from->sample_layer
                                                              : from->default_layer;
    return layer != NULL ? layer->file : NULL;
}

const char *const *rlti_usd_targets(const rlti_stage *stage, const rlti_prim *prim, const char *relationship,
                                    int *count) {
    *count = 0;
    if (!rlti_stage_is_usd(stage))
        return NULL;
    const rlti_usd_resolved *found = rlti_usd_property_named(stage->own, (int)prim->where[0], relationship);
    if (found == NULL || !found->is_relationship)
        return NULL;
    *count = found->target_count;
    return found->targets;
}

/* ---- what a prim is ---- */

typedef struct maker {
    rlti_stage *stage;
    rlti_usd_own *own;
    rlt_messages *messages;
    double first, last; /* of all samples */
    int has_samples;
    signed char *purposes; /* [prim_count] authored or inherited, -1: neither */
} maker;

static rlti_prim_kind kind_of(const char *type) {
    static const struct {
        const char *type;
        rlti_prim_kind kind;
    } kinds[] = {{"", RLTI_PRIM_GROUP},
                 {"Scope", RLTI_PRIM_GROUP},
                 {"Xform", RLTI_PRIM_XFORM},
                 {"SkelRoot", RLTI_PRIM_XFORM},
                 {"BasisCurves", RLTI_PRIM_CURVES},
                 {"NurbsCurves", RLTI_PRIM_CURVES},
                 {"HermiteCurves", RLTI_PRIM_CURVES},
                 {"Mesh", RLTI_PRIM_MESH},
                 {"Skeleton", RLTI_PRIM_SKELETON},
                 {"SkelAnimation", RLTI_PRIM_SKELETON_MOTION},
                 {"GeomSubset", RLTI_PRIM_FACE_SET}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].type, type) == 0)
            return kinds[i].kind;
    return RLTI_PRIM_OTHER;
}

/* The place of a property's word in the list (ended by NULL), or -1: not there, or (with a warning) not one
 * of them. */
static rlt_status read_word(maker *m, int prim, const char *name, const char *const *words, int *place) {
    const rlti_usd_resolved *from = rlti_usd_property_named(m->own, prim, name);
    const char *path = m->own->composed.prims[prim].path;
    rlti_array array = {0};
    *place = -1;
    if (from == NULL || from->type.element != RLTI_TEXT || (from->samples == NULL && from->value == NULL))
        return RLT_OK;
    rlt_status status = rlti_usd_resolved_read(from, from->samples != NULL ? 0 : -1, m->stage->file, path,
                                               m->messages, &array);
    if (status == RLT_OK && !array.blocked && array.count == 1 && array.type.element == RLTI_TEXT) {
        const char *word = *(const char *const *)array.data;
        for (int i = 0; words[i] != NULL && *place < 0; i++)
            if (strcmp(words[i], word) == 0)
                *place = i;
        if (*place < 0)
            rlti_warn(m->messages, "%s: %s.%s = \"%s\": not known; taken as \"%s\"", m->stage->file, path,
                      name, word, words[0]);
    }
    rlti_array_clear(&array);
    return status;
}

static const char *const purposes[] = {"default", "render", "proxy", "guide", NULL};
static const char *const visibilities[] = {"inherited", "invisible", NULL};
static const char *const types[] = {"cubic", "linear", NULL};
static const char *const bases[] = {"bezier", "bspline", "catmullRom", "hermite", "power", NULL};
static const char *const wraps[] = {"nonperiodic", "periodic", "pinned", NULL};
static const char *const orientations[] = {"rightHanded", "leftHanded", NULL};
static const char *const schemes[] = {"catmullClark", "none", "loop", "bilinear", NULL};

static int at_least_0(int place) {
    return place > 0 ? place : 0;
}

static rlt_status describe_curves(maker *m, int prim, rlti_prim *to) {
    int type, basis, wrap;
    rlt_status status = read_word(m, prim, "type", types, &type);
    if (status == RLT_OK)
        status = read_word(m, prim, "basis", bases, &basis);
    if (status == RLT_OK)
        status = read_word(m, prim, "wrap", wraps, &wrap);
    if (status != RLT_OK)
        return status;
    to->curve_type = (rlti_curve_type)at_least_0(type);
    to->basis = (rlti_curve_basis)at_least_0(basis);
    to->wrap = (rlti_curve_wrap)at_least_0(wrap);
    if (strcmp(to->type_name, "NurbsCurves") == 0) {
        to->curve_type = RLTI_CURVE_VARIABLE;
        to->basis = RLTI_BASIS_BSPLINE;
        to->wrap = RLTI_WRAP_NONPERIODIC;
    } else if (strcmp(to->type_name, "HermiteCurves") == 0) {
        to->curve_type = RLTI_CURVE_CUBIC;
        to->basis = RLTI_BASIS_HERMITE;
        to->wrap = RLTI_WRAP_NONPERIODIC;
    }
    return RLT_OK;
}

static rlt_status describe_mesh(maker *m, int prim, rlti_prim *to) {
    static const rlti_scheme kinds[] = {RLTI_SCHEME_CATMULL_CLARK, RLTI_SCHEME_NONE, RLTI_SCHEME_LOOP,
                                        RLTI_SCHEME_BILINEAR};
    int orientation, scheme;
    rlt_status status = read_word(m, prim, "orientation", orientations, &orientation);
    if (status == RLT_OK)
        status = read_word(m, prim, "subdivisionScheme", schemes, &scheme);
    if (status != RLT_OK)
        return status;
    to->left_handed = orientation == 1;
    to->scheme = kinds[at_least_0(scheme)];
    return RLT_OK;
}

static void stretch_range(maker *m, const double *times, int count) {
    if (count == 0)
        return;
    m->first = m->has_samples && m->first < times[0] ? m->first : times[0];
    m->last = m->has_samples && m->last > times[count - 1] ? m->last : times[count - 1];
    m->has_samples = 1;
}

/* Applied schemas of all layers, with blanks between. */
static rlt_status list_schemas(maker *m, int prim, rlti_prim *to) {
    const rlti_usd_composed_prim *composed = &m->own->composed.prims[prim];
    const rlti_usd_keys keys = rlti_usd_text_keys();
    rlti_usd_edited schemas = {0};
    size_t length = 0;
    for (int s = composed->site_count - 1; s >= 0; s--)
        if (!rlti_usd_edit_list(&m->own->arena, composed->sites[s].prim->api_schemas, &keys, &schemas))
            return rlti_out_of_memory(m->messages);
    for (int i = 0; i < schemas.count; i++)
        length += strlen(schemas.items[i].key) + 1;
    if (length == 0)
        return RLT_OK;
    char *list = rlti_arena_keep(&m->own->arena, length + 1, 1), *out = list;
    if (list == NULL)
        return rlti_out_of_memory(m->messages);
    for (int i = 0; i < schemas.count; i++) {
        size_t own = strlen(schemas.items[i].key);
        if (own > 0 && out > list)
            *out++ = ' ';
        memcpy(out, schemas.items[i].key, own);
        out += own;
    }
    to->api_schemas = out > list ? list : NULL;
    return RLT_OK;
}

/* Metadata that is carried: of the strongest layer that has it. */
static void describe_model(const rlti_usd_composed_prim *composed, rlti_prim *to) {
    for (int s = composed->site_count - 1; s >= 0; s--) {
        const rlti_usd_prim *prim = composed->sites[s].prim;
        if (prim->kind[0] != '\0')
            to->model = prim->kind;
        if (prim->doc[0] != '\0')
            to->doc = prim->doc;
    }
}

static rlt_status add_prim(maker *m, int index) {
    const rlti_usd_composed_prim *composed = &m->own->composed.prims[index];
    rlti_prim prim = {.path = composed->path, .name = composed->name, .type_name = composed->type_name};
    double *times = NULL;
    int purpose, visibility;
    prim.parent = composed->parent;
    prim.kind = kind_of(composed->type_name);
    describe_model(composed, &prim);
    prim.where[0] = (uint64_t)index;
    rlt_status status = rlti_usd_clips_open(m->own, index, m->messages);
    if (status == RLT_OK)
        status = rlti_usd_resolve_prim(m->own, index, m->messages);
    if (status == RLT_OK)
        status = list_schemas(m, index, &prim);
    if (status == RLT_OK)
        status = read_word(m, index, "purpose", purposes, &purpose);
    if (status == RLT_OK)
        status = read_word(m, index, "visibility", visibilities, &visibility);
    if (status == RLT_OK && prim.kind == RLTI_PRIM_CURVES)
        status = describe_curves(m, index, &prim);
    if (status == RLT_OK && prim.kind == RLTI_PRIM_MESH)
        status = describe_mesh(m, index, &prim);
    if (status == RLT_OK && prim.kind != RLTI_PRIM_GROUP)
        status = rlti_usd_xform_open(m->own, index, m->stage->file, m->messages);
    if (status != RLT_OK)
        return status;
    int inherited = composed->parent >= 0 ? m->purposes[composed->parent] : -1;
    m->purposes[index] = (signed char)(purpose >= 0 ? purpose : inherited);
    prim.purpose = (rlti_purpose)at_least_0(m->purposes[index]);
    prim.is_hidden_above =
        visibility != 1 && composed->parent >= 0 && m->stage->prims[composed->parent].is_hidden;
    prim.is_hidden = visibility == 1 || prim.is_hidden_above;
    const rlti_usd_xform *xform = m->own->xforms[index];
    if (xform != NULL) {
        prim.has_transform = 1;
        prim.resets = xform->resets;
        status = rlti_usd_xform_times(xform, m->messages, &times, &prim.transform_time_count);
        prim.transform_times = times;
        if (status == RLT_OK)
            stretch_range(m, times, prim.transform_time_count);
    }
    if (status == RLT_OK && rlti_stage_add_prim(m->stage, &prim) < 0)
        status = rlti_out_of_memory(m->messages);
    rlti_free(times);
    return status;
}

/* ---- its attributes ---- */

static const struct {
    const char *usd, *name;
    rlti_interpolation interpolation;
} built_ins[] = {{"points", "points", RLTI_VERTEX},
                 {"velocities", "velocities", RLTI_VERTEX},
                 {"normals", "normals", RLTI_VERTEX},
                 {"widths", "widths", RLTI_VERTEX},
                 {"extent", "extent", RLTI_CONSTANT},
                 {"curveVertexCounts", "curveVertexCounts", RLTI_UNIFORM},
                 {"faceVertexCounts", "faceVertexCounts", RLTI_UNIFORM},
                 {"faceVertexIndices", "faceVertexIndices", RLTI_FACE_VARYING},
                 {"holeIndices", "holeIndices", RLTI_CONSTANT},
                 {"order", "orders", RLTI_UNIFORM},
                 {"knots", "knots", RLTI_CONSTANT},
                 {"pointWeights", "pointWeights", RLTI_VERTEX}};

/* Properties that became fields of the prim. */
static int is_field(const rlti_prim *prim, const char *name) {
    static const char *const of_all[] = {"purpose", "visibility", "xformOpOrder"};
    static const char *const of_curves[] = {"type", "basis", "wrap"};
    static const char *const of_meshes[] = {"orientation", "subdivisionScheme"};
    if (strncmp(name, "xformOp:", 8) == 0)
        return 1;
    for (int i = 0; i < 3; i++)
        if (strcmp(of_all[i], name) == 0 ||
            (prim->kind == RLTI_PRIM_CURVES && strcmp(of_curves[i], name) == 0) ||
            (prim->kind == RLTI_PRIM_MESH && i < 2 && strcmp(of_meshes[i], name) == 0))
            return 1;
    return 0;
}

/* Visibility that changes is an attribute, too. */
static int is_blinking(const rlti_usd_resolved *from) {
    return strcmp(from->name, "visibility") == 0 && from->type.element == RLTI_TEXT &&
           from->samples != NULL && from->samples->sample_count > 1;
}

static int ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

static int is_primvar(const char *name) {
    return strncmp(name, "primvars:", 9) == 0 && name[9] != '\0';
}

static rlti_interpolation interpolation_of(const char *word, rlti_interpolation fallback) {
    static const char *const words[] = {"constant", "uniform", "varying", "vertex", "faceVarying"};
    for (int i = 0; i < 5; i++)
        if (strcmp(words[i], word) == 0)
            return (rlti_interpolation)i;
    return fallback;
}

/* Built-in attributes that may be written as primvars, with indices, and then count before the plain ones. */
static const char *const indexable[] = {"normals", "widths"};

/* 1 for "primvars:normals", "primvars:normals:indices" and the like of a shape. */
static int is_built_in_primvar(const rlti_prim *prim, const char *name) {
    for (size_t i = 0; i < sizeof indexable / sizeof indexable[0]; i++) {
        size_t length = strlen(indexable[i]);
        if ((prim->kind == RLTI_PRIM_CURVES || prim->kind == RLTI_PRIM_MESH) &&
            strncmp(name, indexable[i], length) == 0 &&
            (name[length] == '\0' || strcmp(name + length, ":indices") == 0))
            return 1;
    }
    return 0;
}

/* 1 for "normals" where there are "primvars:normals". */
static int is_outvoted(const rlti_usd_own *own, const rlti_prim *prim, const char *name) {
    char primvar[32] = "primvars:";
    if (strlen(name) >= sizeof primvar - 9 || strchr(name, ':') != NULL || !is_built_in_primvar(prim, name))
        return 0;
    memcpy(primvar + 9, name, strlen(name) + 1);
    const rlti_usd_resolved *stronger = rlti_usd_property_named(own, (int)prim->where[0], primvar);
    return stronger != NULL && (stronger->samples != NULL || stronger->value != NULL);
}

/* Class, name and interpolation from the property's name. */
static void classify(const rlti_prim *prim, const rlti_usd_resolved *from, rlti_attribute *to) {
    to->name = from->name;
    to->class_ = RLTI_CUSTOM;
    to->interpolation = interpolation_of(from->interpolation, RLTI_CONSTANT);
    if (is_primvar(from->name)) {
        to->name = from->name + 9;
        to->class_ = is_built_in_primvar(prim, to->name) ? RLTI_BUILT_IN : RLTI_PRIMVAR;
        return;
    }
    if (is_blinking(from))
        to->class_ = RLTI_BUILT_IN;
    if (prim->kind != RLTI_PRIM_CURVES && prim->kind != RLTI_PRIM_MESH && strcmp(from->name, "extent") != 0)
        return;
    for (size_t i = 0; i < sizeof built_ins / sizeof built_ins[0]; i++)
        if (strcmp(built_ins[i].usd, from->name) == 0) {
            to->name = built_ins[i].name;
            to->class_ = RLTI_BUILT_IN;
            to->interpolation = interpolation_of(from->interpolation, built_ins[i].interpolation);
        }
}

static rlt_status add_attribute(maker *m, const rlti_prim *prim, int place) {
    const rlti_usd_resolved *from = &m->own->properties[prim->where[0]][place];
    rlti_attribute made = {.type = from->type, .type_name = from->type_name, .indices = -1};
    if (made.type.arity == 0) { /* a type of a name that is not known, with values that are */
        const rlti_usd_property *p = from->samples != NULL ? from->samples : from->value;
        made.type = from->samples != NULL ? p->samples[0].type : p->value.type;
        if (made.type.arity == 0)
            return RLT_OK;
    }
    classify(prim, from, &made);
    made.element_size = from->element_size > 0 ? from->element_size : 1;
    made.is_uniform = from->is_uniform;
    made.has_default = from->value != NULL;
    made.sample_count = from->samples != NULL ? from->samples->sample_count : 0;
    made.where[0] = (uint64_t)place;
    double *mapped = NULL;
    if (made.sample_count > 0) {
        made.times = from->samples->times;
        if (from->offset != 0.0 || from->scale != 1.0) {
            mapped = RLTI_NEW(double, made.sample_count);
            for (int i = 0; mapped != NULL && i < made.sample_count; i++)
                mapped[i] = from->scale * from->samples->times[i] + from->offset;
            made.times = mapped;
        }
        if (made.times != NULL)
            stretch_range(m, made.times, made.sample_count);
    }
    rlt_status status = RLT_OK;
    if ((made.sample_count > 0 && made.times == NULL) || rlti_stage_add_attribute(m->stage, &made) < 0)
        status = rlti_out_of_memory(m->messages);
    rlti_free(mapped);
    return status;
}

/* Links "primvars:NAME:indices" to "primvars:NAME". */
static rlt_status link_indices(maker *m, const rlti_prim *prim) {
    rlti_attribute *list = m->stage->attributes != NULL ? m->stage->attributes + prim->first_attribute : NULL;
    rlti_usd_names names;
    int count = 0;
    const rlti_usd_resolved *properties = m->own->properties[prim->where[0]];
    for (int i = 0; list != NULL && i < prim->attribute_count; i++)
        count += is_primvar(properties[list[i].where[0]].name) && ends_with(list[i].name, ":indices");
    if (count == 0)
        return RLT_OK;
    int ok = rlti_usd_names_create(&names, prim->attribute_count);
    for (int i = 0; ok && i < prim->attribute_count; i++)
        rlti_usd_names_put(&names, properties[list[i].where[0]].name);
    for (int i = 0; ok && i < prim->attribute_count; i++) {
        const char *full = properties[list[i].where[0]].name;
        if (!is_primvar(full) || !ends_with(full, ":indices"))
            continue;
        char *name = rlti_arena_text(&m->own->arena, full, strlen(full) - 8);
        ok = name != NULL;
        int found = ok ? rlti_usd_names_find(&names, name) : -1;
        if (found >= 0) {
            list[found].indices = i;
            list[i].is_index = 1;
        }
    }
    rlti_usd_names_free(&names);
    return ok ? RLT_OK : rlti_out_of_memory(m->messages);
}

static rlt_status add_attributes(maker *m, int index) {
    rlt_status status = RLT_OK;
    for (int i = 0; i < m->own->property_counts[index] && status == RLT_OK; i++) {
        const rlti_usd_resolved *from = &m->own->properties[index][i];
        const rlti_prim *prim = &m->stage->prims[index];
        if (!from->is_relationship && (from->samples != NULL || from->value != NULL) &&
            (!is_field(prim, from->name) || is_blinking(from)) && !is_outvoted(m->own, prim, from->name))
            status = add_attribute(m, prim, i);
    }
    if (status == RLT_OK)
        status = link_indices(m, &m->stage->prims[index]);
    if (status == RLT_OK && !rlti_usd_links_open(m->own, index))
        status = rlti_out_of_memory(m->messages);
    return status;
}

/* ---- the whole ---- */

static void describe_stage(maker *m) {
    rlti_stage *stage = m->stage;
    const rlti_usd_layer *root = rlti_usd_layers_get(m->own->layers, 0);
    stage->metres_per_unit = root->metres_per_unit > 0.0 ? root->metres_per_unit : 0.01;
    stage->up_axis = root->up_axis == 'Z' ? 'Z' : 'Y';
    stage->states_unit = root->metres_per_unit > 0.0;
    stage->kilograms_per_unit = root->kilograms_per_unit > 0.0 ? root->kilograms_per_unit : 1.0;
    stage->states_axis = root->up_axis != 0;
    stage->codes_per_second = rlti_usd_codes_per_second(root);
    stage->frames_per_second = root->frames_per_second > 0.0 ? root->frames_per_second : 24.0;
    stage->first_time = root->has_range ? root->start_time : (m->has_samples ? m->first : 0.0);
    stage->last_time = root->has_range ? root->end_time : (m->has_samples ? m->last : 0.0);
    stage->version = root->version != NULL ? root->version : "";
    rlti_stage_fingerprint(stage, root->fingerprint, strlen(root->fingerprint));
    stage->doc = root->documentation[0] != '\0' ? root->documentation : NULL;
    for (int i = 0; i < stage->prim_count && root->default_prim[0] != '\0'; i++)
        if ((stage->prims[i].parent < 0 && strcmp(stage->prims[i].name, root->default_prim) == 0) ||
            strcmp(stage->prims[i].path, root->default_prim) == 0)
            stage->default_prim = i;
}

static rlt_status make_lists(maker *m) {
    size_t count = (size_t)m->own->composed.count;
    if (!RLTI_ALLOCATE(RLTI_ITEMS(m->own->properties, count), RLTI_ITEMS(m->own->property_counts, count),
                       RLTI_ITEMS(m->own->xforms, count), RLTI_ITEMS(m->own->clips, count),
                       RLTI_ITEMS(m->own->links, count), RLTI_ITEMS(m->own->link_counts, count),
                       RLTI_ITEMS(m->purposes, count)))
        return rlti_out_of_memory(m->messages);
    return RLT_OK;
}

static const rlti_stage_reader *reader_of(const char *format) {
    if (strcmp(format, "usdc") == 0)
        return &rlti_usdc_stage_reader;
    return strcmp(format, "usdz") == 0 ? &rlti_usdz_stage_reader : &rlti_usda_stage_reader;
}

/* "look=red,size=big" */
static rlt_status read_choices(rlti_arena *arena, const char *text, rlt_messages *messages,
                               rlti_usd_choices *choices) {
    size_t maximum = 1;
    for (const char *c = text; *c != '\0'; c++)
        maximum += *c == ',';
    rlti_usd_selection *list = rlti_arena_keep(arena, maximum, sizeof *list);
    *choices = (rlti_usd_choices){0, list, rlti_arena_keep(arena, maximum, 1)};
    if (list == NULL || choices->met == NULL)
        return rlti_out_of_memory(messages);
    while (*text != '\0') {
        size_t length = strcspn(text, ","), name = strcspn(text, "=");
        if (name == 0 || name >= length)
            return rlti_refuse(messages, "variant '%.*s': must be SET=NAME",
                               (int)(length < 200 ? length : 200), text);
        rlti_usd_selection *made = &list[choices->count++];
        made->set = rlti_arena_text(arena, text, name);
        made->variant = rlti_arena_text(arena, text + name + 1, length - name - 1);
        if (made->set == NULL || made->variant == NULL)
            return rlti_out_of_memory(messages);
        text += length + (text[length] == ',');
    }
    return RLT_OK;
}

rlt_status rlti_usd_stage_open_as(const char *path, rlti_file_map *map, const char *variants,
                                  rlt_messages *messages, rlti_stage **stage) {
    const char *format = rlti_stage_format(map->bytes, map->size < 4096 ? map->size : 4096);
    rlti_usd_own *own = RLTI_NEW(rlti_usd_own, 1);
    maker m = {.own = own, .messages = messages};
    rlti_usd_choices choices = {0};
    *stage = NULL;
    if (own == NULL) {
        rlti_file_map_close(map);
        return rlti_out_of_memory(messages);
    }
    rlt_status status = rlti_usd_layers_open(path, map, &own->arena, messages, &own->layers);
    if (status == RLT_OK)
        status = read_choices(&own->arena, variants, messages, &choices);
    if (status == RLT_OK)
        status = rlti_usd_compose(own->layers, &choices, &own->arena, messages, &own->composed);
    if (status == RLT_OK)
        status = make_lists(&m);
    if (status == RLT_OK) {
        m.stage = rlti_stage_create(path, reader_of(format != NULL ? format : ""), own);
        if (m.stage == NULL)
            status = rlti_out_of_memory(messages);
    }
    for (int i = 0; status == RLT_OK && i < own->composed.count; i++) {
        status = add_prim(&m, i);
        if (status == RLT_OK)
            status = add_attributes(&m, i);
    }
    rlti_free(m.purposes);
    if (status == RLT_OK && m.stage != NULL) {
        describe_stage(&m);
        if (m.stage->prim_count == 0 && rlti_usd_layers_get(own->layers, 0)->prim_count > 0)
            rlti_warn(messages,
                      "%s: holds no defined prims, only overs or classes; open the layer that defines them",
                      path);
        *stage = m.stage;
    } else if (m.stage != NULL) {
        rlti_stage_close(m.stage);
    } else {
        free_own(own);
    }
    return status;
}

rlt_status rlti_usd_stage_open(const char *path, rlti_file_map *map, rlt_messages *messages,
                               rlti_stage **stage) {
    return rlti_usd_stage_open_as(path, map, "", messages, stage);
}
