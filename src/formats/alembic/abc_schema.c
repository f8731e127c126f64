/* Meaning of the properties of Alembic objects: their names and places in the neutral words of stage.h. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "formats/alembic/abc_data.h"
#include "formats/alembic/abc_out.h"

enum { COMPOUNDS_MAX = 16 /* user properties below one another */, NAME_MAX_BYTES = 1024 };

static int starts_with(rlti_abc_text text, const char *start) {
    size_t length = strlen(start);
    return text.size >= length && memcmp(text.at, start, length) == 0;
}

void rlti_abc_describe(rlti_abc_text metadata, rlti_prim *prim, char type[RLTI_ABC_TYPE]) {
    static const struct {
        const char *schema; /* any version of it */
        rlti_prim_kind kind;
        rlti_scheme scheme;
    } schemas[] = {{"AbcGeom_Xform_v", RLTI_PRIM_XFORM, RLTI_SCHEME_NONE},
                   {"AbcGeom_Curve_v", RLTI_PRIM_CURVES, RLTI_SCHEME_NONE},
                   {"AbcGeom_PolyMesh_v", RLTI_PRIM_MESH, RLTI_SCHEME_NONE},
                   {"AbcGeom_SubD_v", RLTI_PRIM_MESH, RLTI_SCHEME_CATMULL_CLARK},
                   {"AbcGeom_FaceSet_v", RLTI_PRIM_FACE_SET, RLTI_SCHEME_NONE}};
    rlti_abc_text schema = rlti_abc_metadata(metadata, "schema");
    prim->kind = schema.size > 0 ? RLTI_PRIM_OTHER : RLTI_PRIM_GROUP;
    size_t length = schema.size < RLTI_ABC_TYPE ? schema.size : RLTI_ABC_TYPE - 1;
    for (size_t i = 0; i < length; i++)
        type[i] = schema.at[i] > 0x20 && schema.at[i] < 0x7f ? schema.at[i] : '_';
    type[length] = '\0';
    prim->type_name = type;
    for (size_t i = 0; i < sizeof schemas / sizeof schemas[0]; i++)
        if (starts_with(schema, schemas[i].schema)) {
            prim->kind = schemas[i].kind;
            prim->scheme = schemas[i].scheme;
        }
    prim->left_handed = prim->kind == RLTI_PRIM_MESH;
    prim->basis = RLTI_BASIS_NONE;
}

/* ---- one attribute ---- */

typedef struct known {
    const char *property, *name;
    rlti_attribute_class class_;
    rlti_interpolation interpolation;
    rlti_role role;
    rlti_abc_reading reading;
} known;

/* Properties of `.geom` beside the parameters every object may have. */
static const known knowns[] = {
    {"P", "points", RLTI_BUILT_IN, RLTI_VERTEX, RLTI_ROLE_POINT, RLTI_ABC_PLAIN},
    {".velocities", "velocities", RLTI_BUILT_IN, RLTI_VERTEX, RLTI_ROLE_VECTOR, RLTI_ABC_PLAIN},
    {"N", "normals", RLTI_BUILT_IN, RLTI_VERTEX, RLTI_ROLE_NORMAL, RLTI_ABC_PLAIN},
    {"width", "widths", RLTI_BUILT_IN, RLTI_VERTEX, RLTI_ROLE_NONE, RLTI_ABC_PLAIN},
    {"uv", "st", RLTI_PRIMVAR, RLTI_VERTEX, RLTI_ROLE_TEXTURE, RLTI_ABC_PLAIN},
    {".selfBnds", "extent", RLTI_BUILT_IN, RLTI_CONSTANT, RLTI_ROLE_BOX, RLTI_ABC_BOX},
    {"nVertices", "curveVertexCounts", RLTI_BUILT_IN, RLTI_UNIFORM, RLTI_ROLE_NONE, RLTI_ABC_PLAIN},
    {"w", "pointWeights", RLTI_BUILT_IN, RLTI_VERTEX, RLTI_ROLE_NONE, RLTI_ABC_PLAIN},
    {".orders", "orders", RLTI_BUILT_IN, RLTI_UNIFORM, RLTI_ROLE_NONE, RLTI_ABC_PLAIN},
    {".knots", "knots", RLTI_BUILT_IN, RLTI_CONSTANT, RLTI_ROLE_NONE, RLTI_ABC_PLAIN},
    {".faceCounts", "faceVertexCounts", RLTI_BUILT_IN, RLTI_UNIFORM, RLTI_ROLE_NONE, RLTI_ABC_PLAIN},
    {".faceIndices", "faceVertexIndices", RLTI_BUILT_IN, RLTI_FACE_VARYING, RLTI_ROLE_NONE, RLTI_ABC_PLAIN},
    {".holes", "holeIndices", RLTI_BUILT_IN, RLTI_CONSTANT, RLTI_ROLE_NONE, RLTI_ABC_PLAIN},
    {".creaseIndices", "creaseIndices", RLTI_BUILT_IN, RLTI_CONSTANT, RLTI_ROLE_NONE, RLTI_ABC_PLAIN},
    {".creaseLengths", "creaseLengths", RLTI_BUILT_IN, RLTI_CONSTANT, RLTI_ROLE_NONE, RLTI_ABC_PLAIN},
    {".creaseSharpnesses", "creaseSharpnesses", RLTI_BUILT_IN, RLTI_CONSTANT, RLTI_ROLE_NONE, RLTI_ABC_PLAIN},
    {".cornerIndices", "cornerIndices", RLTI_BUILT_IN, RLTI_CONSTANT, RLTI_ROLE_NONE, RLTI_ABC_PLAIN},
    {".cornerSharpnesses", "cornerSharpnesses", RLTI_BUILT_IN, RLTI_CONSTANT, RLTI_ROLE_NONE, RLTI_ABC_PLAIN},
    {".faces", "indices", RLTI_BUILT_IN, RLTI_CONSTANT, RLTI_ROLE_NONE, RLTI_ABC_PLAIN},
};

/* -1 where the property says nothing. */
static int stated_scope(const rlti_abc_property *p) {
    rlti_abc_text scope = rlti_abc_metadata(p->metadata, "geoScope");
    for (int i = RLTI_CONSTANT; i <= RLTI_FACE_VARYING; i++)
        if (rlti_abc_text_is(scope, rlti_abc_scopes[i]))
            return i;
    return -1;
}

static rlti_interpolation scope_of(const rlti_abc_property *p, rlti_interpolation otherwise) {
    int scope = stated_scope(p);
    return scope >= 0 ? (rlti_interpolation)scope : otherwise;
}

static int array_extent(const rlti_abc_property *p) {
    rlti_abc_text text = rlti_abc_metadata(p->metadata, "arrayExtent");
    int value = 0;
    for (size_t i = 0; i < text.size && i < 6; i++) {
        if (text.at[i] < '0' || text.at[i] > '9')
            return 1;
        value = 10 * value + (text.at[i] - '0');
    }
    return value > 1 ? value : 1;
}

/* Adds one property as an attribute of the prim added last. */
static rlt_status add(rlti_abc_builder *b, const rlti_abc_property *p, const char *name,
                      rlti_attribute_class class_, rlti_interpolation interpolation, rlti_role role,
                      rlti_abc_reading reading, int indices, int is_index) {
    rlti_attribute a = {.name = name,
                        .class_ = class_,
                        .interpolation = interpolation,
                        .indices = indices,
                        .is_index = is_index,
                        .origin = b->origin[0] != '\0' ? b->origin : NULL,
                        .type_name = rlti_abc_pod_name(p->pod)};
    int index, extent;
    a.type = rlti_abc_type(p, &extent);
    a.element_size = extent * (is_index ? 1 : array_extent(p));
    if (role != RLTI_ROLE_NONE && a.type.element != RLTI_TEXT && extent == 1)
        a.type.role = role;
    if (reading == RLTI_ABC_BOX)
        a.type = (rlti_array_type){RLTI_FLOAT, 3, RLTI_ROLE_BOX, 1};
    else if (reading == RLTI_ABC_VISIBLE)
        a.type = (rlti_array_type){RLTI_TEXT, 1, RLTI_ROLE_TOKEN, 0};
    else if (a.type.role == RLTI_ROLE_QUATERNION)
        reading = RLTI_ABC_QUATERNION;
    rlt_status status = rlti_abc_charge(b, sizeof a + strlen(name) + strlen(b->origin) + 32);
    if (status == RLT_OK)
        status = rlti_abc_keep(b, p, &index);
    if (status != RLT_OK)
        return status;
    a.where[0] = (uint64_t)index;
    a.where[1] = reading;
    a.has_default = p->sample_count > 0;
    if (rlti_abc_step_count(p) > 1) {
        status = rlti_abc_times(b, p, &a.sample_count);
        if (a.sample_count > 0)
            a.has_default = 0;
        a.times = b->times;
    }
    if (status == RLT_OK && rlti_stage_add_attribute(b->stage, &a) < 0)
        status = rlti_out_of_memory(b->messages);
    return status;
}

/* 1 for properties of a schema that may belong anywhere; the others' places are the format's. */
static int is_free(const known *like) {
    return like->property == NULL || strcmp(like->property, "N") == 0 ||
           strcmp(like->property, "width") == 0 || strcmp(like->property, "uv") == 0;
}

/* Where the values of `p` (or of the compound around them, NULL: none) belong; `counted`: the property with
 * one value, or index, per place. */
static rlti_interpolation place_of(rlti_abc_builder *b, const rlti_abc_property *compound,
                                   const rlti_abc_property *p, const rlti_abc_property *counted,
                                   const char *name, const known *like, rlti_abc_places *by) {
    int scope = compound != NULL ? stated_scope(compound) : -1;
    scope = scope >= 0 ? scope : stated_scope(p);
    if (scope >= 0)
        return (rlti_interpolation)scope;
    if (!is_free(like))
        return like->interpolation;
    int per_place = counted == p ? array_extent(p) : 1;
    return rlti_abc_guess_place(b, counted, per_place, name, by, like->interpolation);
}

/* A name that is safe to print and to join. */
static void copy_name(rlti_abc_text text, const char *prefix, char name[NAME_MAX_BYTES]) {
    size_t used = 0, skip = text.size > 1 && text.at[0] == '.';
    for (; prefix[used] != '\0'; used++)
        name[used] = prefix[used];
    for (size_t i = skip; i < text.size && used + 1 < NAME_MAX_BYTES; i++) {
        unsigned char c = (unsigned char)text.at[i];
        name[used++] = c < 0x20 || c == 0x7f ? '_' : (char)c;
    }
    name[used] = '\0';
}

static rlt_status add_custom(rlti_abc_builder *b, const rlti_abc_property *p, const char *prefix,
                             const char *home, int depth);

/* A parameter: values, or a compound of values and indices; another compound is kept as it is. */
static rlt_status add_parameter(rlti_abc_builder *b, const rlti_abc_property *p, const char *name,
                                const known *like, rlti_abc_places *by) {
    rlti_abc_property *list = NULL;
    int count = 0;
    rlt_status status = rlti_abc_charge(b, sizeof *p);
    if (status != RLT_OK)
        return status;
    if (p->kind != RLTI_ABC_COMPOUND) {
        return add(b, p, name, like->class_, place_of(b, NULL, p, p, name, like, by), like->role,
                   like->reading, -1, 0);
    }
    status = rlti_abc_problem(b, name, rlti_abc_properties(&b->abc->archive, &p->group, &list, &count));
    const rlti_abc_property *values = rlti_abc_find(list, count, ".vals"),
                            *indices = rlti_abc_find(list, count, ".indices");
    if (status == RLT_OK && values != NULL && values->kind != RLTI_ABC_COMPOUND) {
        rlti_abc_property whole = *values;
        whole.metadata = p->metadata.size > 0 ? p->metadata : values->metadata; /* the scope stands there */
        int has_indices = indices != NULL && indices->kind != RLTI_ABC_COMPOUND &&
                          indices->sample_count > 0 && (indices->pod == 5 || indices->pod == 6) &&
                          indices->extent == 1;
        rlti_interpolation scope = place_of(b, p, values, has_indices ? indices : values, name, like, by);
        const rlti_prim *prim = &b->stage->prims[b->stage->prim_count - 1];
        char index_name[NAME_MAX_BYTES + 16];
        snprintf(index_name, sizeof index_name, "%s:indices", name);
        status = add(b, &whole, name, like->class_, scope, like->role, like->reading,
                     has_indices ? prim->attribute_count + 1 : -1, 0);
        if (status == RLT_OK && has_indices)
            status = add(b, indices, index_name, like->class_, scope, RLTI_ROLE_NONE, RLTI_ABC_PLAIN, -1, 1);
    } else if (status == RLT_OK && like->property == NULL) {
        status = add_custom(b, p, "", "schema/.arbGeomParams/", 0);
    }
    rlti_free(list);
    return status;
}

static rlt_status add_parameters(rlti_abc_builder *b, const rlti_abc_property *compound,
                                 rlti_abc_places *by) {
    static const known like = {NULL, NULL, RLTI_PRIMVAR, RLTI_CONSTANT, RLTI_ROLE_NONE, RLTI_ABC_PLAIN};
    rlti_abc_property *list;
    int count;
    rlt_status status = rlti_abc_problem(
        b, ".arbGeomParams", rlti_abc_properties(&b->abc->archive, &compound->group, &list, &count));
    for (int i = 0; status == RLT_OK && i < count; i++) {
        char name[NAME_MAX_BYTES];
        copy_name(list[i].name, "", name);
        status = add_parameter(b, &list[i], name, &like, by);
    }
    rlti_free(list);
    return status;
}

/* Where a property stands below `home`, with `end` behind it; "" where that is not known. */
static void join_origin(const char *home, rlti_abc_text name, const char *end, char to[RLTI_ABC_ORIGIN]) {
    size_t length = strlen(home);
    to[0] = '\0';
    if (length == 0 || name.size == 0 || length + name.size + 2 > RLTI_ABC_ORIGIN ||
        memchr(name.at, '/', name.size) != NULL || memchr(name.at, '\0', name.size) != NULL)
        return;
    snprintf(to, RLTI_ABC_ORIGIN, "%s%.*s%s", home, (int)name.size, name.at, end);
}

static const char user_home[] = "schema/.userProperties/";

/* Everything else that is there, compounds with their names before a colon; `home` as in
 * rlti_attribute.origin, with a '/' at its end. */
static rlt_status add_custom(rlti_abc_builder *b, const rlti_abc_property *p, const char *prefix,
                             const char *home, int depth) {
    char name[NAME_MAX_BYTES], below[RLTI_ABC_ORIGIN];
    rlti_abc_property *list;
    int count;
    rlt_status status = rlti_abc_charge(b, sizeof *p); /* also where it leads back to itself */
    if (status != RLT_OK)
        return status;
    copy_name(p->name, prefix, name);
    if (p->kind != RLTI_ABC_COMPOUND) {
        if (strcmp(home, user_home) != 0 || !rlti_abc_text_is(p->name, name))
            join_origin(home, p->name, "", b->origin);
        status =
            add(b, p, name, RLTI_CUSTOM, scope_of(p, RLTI_CONSTANT), RLTI_ROLE_NONE, RLTI_ABC_PLAIN, -1, 0);
        b->origin[0] = '\0';
        return status;
    }
    size_t length = strlen(name);
    join_origin(home, p->name, "/", below);
    if (depth == COMPOUNDS_MAX || length + 2 > NAME_MAX_BYTES / 2)
        return RLT_OK;
    name[length++] = ':';
    name[length] = '\0';
    status = rlti_abc_problem(b, name, rlti_abc_properties(&b->abc->archive, &p->group, &list, &count));
    for (int i = 0; status == RLT_OK && i < count; i++)
        status = add_custom(b, &list[i], name, below, depth + 1);
    rlti_free(list);
    return status;
}

static rlt_status add_user(rlti_abc_builder *b, const rlti_abc_property *compound, const rlti_prim *prim) {
    rlti_abc_property *list;
    int count;
    rlt_status status = rlti_abc_problem(
        b, ".userProperties", rlti_abc_properties(&b->abc->archive, &compound->group, &list, &count));
    for (int i = 0; status == RLT_OK && i < count; i++)
        status = add_custom(b, &list[i], "", prim->kind != RLTI_PRIM_OTHER ? user_home : "", 0);
    rlti_free(list);
    return status;
}

/* ---- prims ---- */

/* Four bytes: type (0 cubic, 1 linear, 2 variable order), wrap, basis, and the basis again. */
static void read_basis(const rlti_abc_builder *b, const rlti_abc_property *p, rlti_prim *prim) {
    static const rlti_curve_basis bases[] = {RLTI_BASIS_NONE,        RLTI_BASIS_BEZIER,  RLTI_BASIS_BSPLINE,
                                             RLTI_BASIS_CATMULL_ROM, RLTI_BASIS_HERMITE, RLTI_BASIS_POWER};
    rlti_ogawa_data data;
    if (p == NULL || p->kind == RLTI_ABC_COMPOUND || p->sample_count == 0 ||
        rlti_abc_sample(&b->abc->archive, p, 0, &data) != NULL || data.size < 3)
        return;
    prim->curve_type = data.bytes[0] == 1   ? RLTI_CURVE_LINEAR
                       : data.bytes[0] == 2 ? RLTI_CURVE_VARIABLE
                                            : RLTI_CURVE_CUBIC;
    prim->wrap = data.bytes[1] != 0 ? RLTI_WRAP_PERIODIC : RLTI_WRAP_NONPERIODIC;
    if (data.bytes[2] < sizeof bases / sizeof bases[0])
        prim->basis = bases[data.bytes[2]];
    if (prim->curve_type == RLTI_CURVE_LINEAR &&
        rlti_abc_text_is(rlti_abc_metadata(p->metadata, "ringletCurves"), rlti_abc_was_pinned)) {
        prim->curve_type = RLTI_CURVE_CUBIC; /* straight for others only */
        prim->basis = RLTI_BASIS_CATMULL_ROM;
        prim->wrap = RLTI_WRAP_PINNED;
    }
}

static void read_scheme(const rlti_abc_builder *b, const rlti_abc_property *p, rlti_prim *prim) {
    rlti_ogawa_data data;
    if (p == NULL || p->kind == RLTI_ABC_COMPOUND || p->pod != RLTI_ABC_STRING || p->sample_count == 0 ||
        rlti_abc_sample(&b->abc->archive, p, 0, &data) != NULL || data.size == 0)
        return;
    rlti_abc_text text = {(const char *)data.bytes, data.size - 1};
    if (rlti_abc_text_is(text, "loop"))
        prim->scheme = RLTI_SCHEME_LOOP;
    else if (rlti_abc_text_is(text, "bilinear"))
        prim->scheme = RLTI_SCHEME_BILINEAR;
}

/* One byte: 0 hides it and all below, 1 shows it, -1 leaves that to the parent. */
static int is_visible(const rlti_abc_property *p) {
    return p != NULL && p->kind == RLTI_ABC_SCALAR && p->extent == 1 && p->sample_count > 0 && p->pod <= 2;
}

/* At the first time. */
static void read_visible(const rlti_abc_builder *b, const rlti_abc_property *p, rlti_prim *prim) {
    rlti_ogawa_data data;
    int hides = is_visible(p) && rlti_abc_sample(&b->abc->archive, p, 0, &data) == NULL && data.size == 1 &&
                data.bytes[0] == 0;
    prim->is_hidden_above = prim->is_hidden && !hides;
    prim->is_hidden |= hides;
}

/* Where it changes. Its steps say nothing about the frame rate. */
static rlt_status add_visible(rlti_abc_builder *b, const rlti_abc_property *p) {
    double frames = b->stage->frames_per_second;
    if (!is_visible(p) || rlti_abc_step_count(p) < 2)
        return RLT_OK;
    rlt_status status =
        add(b, p, "visibility", RLTI_BUILT_IN, RLTI_CONSTANT, RLTI_ROLE_NONE, RLTI_ABC_VISIBLE, -1, 0);
    b->stage->frames_per_second = frames;
    return status;
}

static const known *find_known(const rlti_abc_property *p) {
    for (size_t i = 0; i < sizeof knowns / sizeof knowns[0]; i++)
        if (rlti_abc_text_is(p->name, knowns[i].property))
            return &knowns[i];
    return NULL;
}

/* Properties of the schema's own compound: .geom, .xform, .faceset. */
static rlt_status add_schema(rlti_abc_builder *b, const rlti_abc_property *list, int count,
                             const rlti_prim *prim) {
    static const char *const done[] = {
        "curveBasisAndType", ".scheme",    ".childBnds",           ".ops", ".vals",
        ".inherits",         ".animChans", "isNotConstantIdentity"};
    rlti_abc_places by = rlti_abc_places_of(b, list, count, prim);
    rlt_status status = RLT_OK;
    for (int i = 0; status == RLT_OK && i < count; i++) {
        const rlti_abc_property *p = &list[i];
        int is_done = 0;
        for (size_t k = 0; k < sizeof done / sizeof done[0]; k++)
            is_done |= rlti_abc_text_is(p->name, done[k]);
        const known *like = find_known(p);
        if (is_done)
            continue;
        if (rlti_abc_text_is(p->name, ".arbGeomParams") && p->kind == RLTI_ABC_COMPOUND)
            status = add_parameters(b, p, &by);
        else if (rlti_abc_text_is(p->name, ".userProperties") && p->kind == RLTI_ABC_COMPOUND)
            status = add_user(b, p, prim);
        else if (like != NULL)
            status = add_parameter(b, p, like->name, like, &by);
        else
            status = add_custom(b, p, "", prim->kind != RLTI_PRIM_OTHER ? "schema/" : "", 0);
    }
    return status;
}

static rlt_status add_stage_prim(rlti_abc_builder *b, const rlti_prim *prim, int *index) {
    rlt_status status = rlti_abc_charge(b, sizeof *prim + 2 * strlen(prim->path) + 64);
    if (status != RLT_OK)
        return status;
    *index = rlti_stage_add_prim(b->stage, prim);
    return *index >= 0 ? RLT_OK : rlti_out_of_memory(b->messages);
}

/* Names that writers give to an object's own schema. */
static int is_schema_name(rlti_abc_text name) {
    return rlti_abc_text_is(name, ".geom") || rlti_abc_text_is(name, ".xform") ||
           rlti_abc_text_is(name, ".faceset");
}

rlt_status rlti_abc_add_prim(rlti_abc_builder *b, const rlti_ogawa_group *object, rlti_prim *prim,
                             int *index) {
    rlti_ogawa_group top = {0, NULL};
    rlti_abc_property *list = NULL, *inner = NULL;
    int count = 0, inner_count = 0;
    rlt_status status = RLT_OK;
    const char *own = prim->kind == RLTI_PRIM_XFORM      ? ".xform"
                      : prim->kind == RLTI_PRIM_FACE_SET ? ".faceset"
                                                         : ".geom";
    if (object->count > 0)
        status = rlti_abc_problem(
            b, "", rlti_ogawa_group_at(&b->abc->archive.ogawa, rlti_ogawa_child(object, 0), &top));
    if (status == RLT_OK)
        status = rlti_abc_problem(b, "", rlti_abc_properties(&b->abc->archive, &top, &list, &count));
    const rlti_abc_property *schema = rlti_abc_find(list, count, own);
    if (status == RLT_OK && schema != NULL && schema->kind == RLTI_ABC_COMPOUND)
        status = rlti_abc_problem(
            b, own, rlti_abc_properties(&b->abc->archive, &schema->group, &inner, &inner_count));
    if (status == RLT_OK) {
        read_visible(b, rlti_abc_find(list, count, "visible"), prim);
        if (prim->kind == RLTI_PRIM_CURVES)
            read_basis(b, rlti_abc_find(inner, inner_count, "curveBasisAndType"), prim);
        if (prim->kind == RLTI_PRIM_MESH)
            read_scheme(b, rlti_abc_find(inner, inner_count, ".scheme"), prim);
        if (prim->kind == RLTI_PRIM_XFORM)
            status = rlti_abc_add_xform(b, inner, inner_count, prim);
    }
    if (status == RLT_OK)
        status = add_stage_prim(b, prim, index);
    if (status == RLT_OK)
        status = add_visible(b, rlti_abc_find(list, count, "visible"));
    if (status == RLT_OK)
        status = add_schema(b, inner, inner_count, prim);
    for (int i = 0; status == RLT_OK && i < count; i++)
        if (&list[i] != schema && !rlti_abc_text_is(list[i].name, "visible"))
            status = add_custom(b, &list[i], "", is_schema_name(list[i].name) ? "" : "object/", 0);
    RLTI_FREE(list, inner);
    return status;
}
