#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "formats/alembic/abc_out.h"

typedef struct known {
    const char *name, *property;
    rlti_element element;
    int arity;
    int is_parameter;
    const char *metadata;
} known;

/* Names of the schemas; types are fixed, as the format's own library asks for them. */
static const known knowns[] = {
    {"points", "P", RLTI_FLOAT, 3, 0, "geoScope=vtx;interpretation=point"},
    {"velocities", ".velocities", RLTI_FLOAT, 3, 0, "interpretation=vector"},
    {"normals", "N", RLTI_FLOAT, 3, 1, ""},
    {"widths", "width", RLTI_FLOAT, 1, 1, ""},
    {"curveVertexCounts", "nVertices", RLTI_INT32, 1, 0, ""},
    {"pointWeights", "w", RLTI_FLOAT, 1, 0, ""},
    {"orders", ".orders", RLTI_UINT8, 1, 0, ""},
    {"knots", ".knots", RLTI_FLOAT, 1, 0, ""},
    {"faceVertexCounts", ".faceCounts", RLTI_INT32, 1, 0, ""},
    {"faceVertexIndices", ".faceIndices", RLTI_INT32, 1, 0, ""},
    {"holeIndices", ".holes", RLTI_INT32, 1, 0, ""},
    {"creaseIndices", ".creaseIndices", RLTI_INT32, 1, 0, ""},
    {"creaseLengths", ".creaseLengths", RLTI_INT32, 1, 0, ""},
    {"creaseSharpnesses", ".creaseSharpnesses", RLTI_FLOAT, 1, 0, ""},
    {"cornerIndices", ".cornerIndices", RLTI_INT32, 1, 0, ""},
    {"cornerSharpnesses", ".cornerSharpnesses", RLTI_FLOAT, 1, 0, ""},
};

static int is_numeric(rlti_array_type type, int arity) {
    return type.element != RLTI_TEXT && type.arity == arity;
}

static void use(rlti_abc_form *form, const known *k, rlti_role role) {
    if (strcmp(k->property, "N") == 0) /* the format's library takes no others */
        role = RLTI_ROLE_NORMAL;
    form->place = RLTI_ABC_SCHEMA;
    form->property = k->property;
    form->type = (rlti_array_type){k->element, k->arity, role, 1};
    form->is_parameter = k->is_parameter;
    form->metadata = k->metadata;
}

static void place_built_in(const rlti_prim *prim, const rlti_attribute *a, rlti_abc_form *form) {
    static const known faces = {"indices", ".faces", RLTI_INT32, 1, 0, ""};
    int is_shape = prim->kind == RLTI_PRIM_CURVES || prim->kind == RLTI_PRIM_MESH;
    if (prim->kind == RLTI_PRIM_FACE_SET && strcmp(a->name, "indices") == 0 && is_numeric(a->type, 1))
        use(form, &faces, RLTI_ROLE_NONE);
    if ((is_shape || prim->kind == RLTI_PRIM_FACE_SET) && strcmp(a->name, "extent") == 0 &&
        (is_numeric(a->type, 3) || is_numeric(a->type, 6))) {
        form->place = RLTI_ABC_BOUNDS;
        form->type = (rlti_array_type){RLTI_DOUBLE, 6, RLTI_ROLE_BOX, 0};
        form->metadata = "interpretation=box";
    }
    for (size_t i = 0; is_shape && i < sizeof knowns / sizeof knowns[0]; i++)
        if (strcmp(a->name, knowns[i].name) == 0 && is_numeric(a->type, knowns[i].arity))
            use(form, &knowns[i], a->type.role);
    if (strcmp(a->name, "visibility") == 0 && a->type.element == RLTI_TEXT) {
        form->place = RLTI_ABC_VISIBILITY;
        form->type = (rlti_array_type){RLTI_INT8, 1, RLTI_ROLE_NONE, 0};
    }
    form->is_counts = form->place == RLTI_ABC_SCHEMA && strcmp(a->name, "faceVertexCounts") == 0;
    form->needs_counts = form->place == RLTI_ABC_SCHEMA && strcmp(a->name, "faceVertexIndices") == 0;
}

rlti_abc_form rlti_abc_form_of(const rlti_prim *prim, const rlti_attribute *a) {
    static const known uv = {"st", "uv", RLTI_FLOAT, 2, 1, ""};
    rlti_abc_form form = {.place = a->class_ == RLTI_PRIMVAR ? RLTI_ABC_PARAMETER
                                   : a->origin != NULL       ? RLTI_ABC_ORIGINAL
                                                             : RLTI_ABC_USER,
                          .type = a->type,
                          .is_parameter = a->class_ == RLTI_PRIMVAR && a->type.is_array,
                          .metadata = ""};
    int is_shape = prim->kind == RLTI_PRIM_CURVES || prim->kind == RLTI_PRIM_MESH;
    if (a->class_ == RLTI_BUILT_IN)
        place_built_in(prim, a, &form);
    else if (is_shape && a->class_ == RLTI_PRIMVAR && strcmp(a->name, "st") == 0 &&
             a->type.element == RLTI_FLOAT && is_numeric(a->type, 2) && a->type.is_array)
        use(&form, &uv, RLTI_ROLE_TEXTURE);
    if (a->is_index) {
        form.place = RLTI_ABC_NOWHERE; /* written with the values it belongs to */
        form.type = (rlti_array_type){RLTI_UINT32, 1, RLTI_ROLE_NONE, 1};
    } else if (prim->kind == RLTI_PRIM_MESH && a->interpolation == RLTI_FACE_VARYING &&
               a->class_ != RLTI_CUSTOM && a->indices < 0 && form.place != RLTI_ABC_USER) {
        form.needs_counts = 1;
    }
    form.needs_counts &= !prim->left_handed;
    form.is_counts &= !prim->left_handed;
    form.needs_counts |= rlti_abc_needs_joints(prim, a);
    form.is_counts |= rlti_abc_has_joints(prim) && form.place == RLTI_ABC_SCHEMA &&
                      strcmp(a->name, "curveVertexCounts") == 0;
    return form;
}

int rlti_abc_pod_of(rlti_element element) {
    static const signed char pods[RLTI_ELEMENT_COUNT] = {
        [RLTI_BOOL] = 0,   [RLTI_UINT8] = 1,   [RLTI_INT8] = 2,   [RLTI_UINT16] = 3, [RLTI_INT16] = 4,
        [RLTI_UINT32] = 5, [RLTI_INT32] = 6,   [RLTI_UINT64] = 7, [RLTI_INT64] = 8,  [RLTI_HALF] = 9,
        [RLTI_FLOAT] = 10, [RLTI_DOUBLE] = 11, [RLTI_TEXT] = 12};
    return pods[element];
}

/* ---- values in another type ---- */

static void store(void *to, rlti_element element, size_t i, double value) {
    switch (element) {
    case RLTI_FLOAT:
        ((float *)to)[i] = (float)value;
        break;
    case RLTI_DOUBLE:
        ((double *)to)[i] = value;
        break;
    case RLTI_INT32:
        ((int32_t *)to)[i] = value >= INT32_MIN && value <= INT32_MAX ? (int32_t)value : 0;
        break;
    case RLTI_UINT32:
        ((uint32_t *)to)[i] = value >= 0.0 && value <= UINT32_MAX ? (uint32_t)value : 0;
        break;
    default:
        ((uint8_t *)to)[i] = value >= 0.0 && value <= 255.0 ? (uint8_t)value : 0;
        break;
    }
}

static int turn_quaternions(const rlti_array *value, rlti_array *scratch) {
    size_t size = rlti_element_size(value->type.element);
    const unsigned char *from = value->data;
    unsigned char *to = rlti_array_reserve(scratch, value->type, value->count);
    for (size_t i = 0; to != NULL && i < value->count; i++, from += 4 * size, to += 4 * size) {
        memcpy(to, from + 3 * size, size);
        memcpy(to + size, from, 3 * size);
    }
    return scratch->data != NULL;
}

int rlti_abc_fit(const rlti_array *value, rlti_array_type type, rlti_array *scratch,
                 const rlti_array **fitted) {
    enum { SOME = 256 };
    size_t arity = (size_t)value->type.arity, count = value->count * arity;
    double numbers[SOME];
    *fitted = value;
    if (type.role == RLTI_ROLE_QUATERNION && type.arity == 4 && value->type.element == type.element) {
        *fitted = scratch;
        return turn_quaternions(value, scratch);
    }
    if (value->type.element == type.element && value->type.arity == type.arity)
        return 1;
    if (value->type.element == RLTI_TEXT || type.element == RLTI_TEXT || count % (size_t)type.arity != 0)
        return -1;
    unsigned char *to = rlti_array_reserve(scratch, type, count / (size_t)type.arity);
    if (to == NULL)
        return 0;
    size_t size = rlti_element_size(value->type.element);
    for (size_t first = 0; first < count; first += SOME) {
        size_t some = count - first < SOME ? count - first : SOME;
        rlti_array part = {
            .type = value->type, .count = some, .data = (const char *)value->data + first * size};
        part.type.arity = 1;
        if (!rlti_array_to_doubles(&part, numbers))
            return -1;
        for (size_t i = 0; i < some; i++)
            store(to, type.element, first + i, numbers[i]);
    }
    *fitted = scratch;
    return 1;
}

int rlti_abc_turn(const rlti_array *value, const rlti_array *counts, int per_corner, rlti_array *scratch) {
    const int32_t *faces = counts->data;
    size_t one = rlti_element_size(value->type.element) * (size_t)value->type.arity * (size_t)per_corner;
    size_t corners = value->count / (size_t)per_corner, corner = 0;
    if (value->count % (size_t)per_corner != 0)
        return -1;
    unsigned char *to = rlti_array_reserve(scratch, value->type, value->count);
    if (to == NULL)
        return 0;
    for (size_t f = 0; f < counts->count; f++) {
        size_t count = faces[f] > 0 ? (size_t)faces[f] : 0;
        if (faces[f] < 0 || count > corners - corner)
            return -1;
        for (size_t k = 0; k < count; k++)
            memcpy(to + (corner + k) * one,
                   (const char *)value->data + (corner + (k > 0 ? count - k : 0)) * one, one);
        corner += count;
    }
    return corner == corners ? 1 : -1;
}

/* ---- metadata ---- */

const char *const rlti_abc_scopes[] = {[RLTI_CONSTANT] = "con",
                                       [RLTI_UNIFORM] = "uni",
                                       [RLTI_VARYING] = "var",
                                       [RLTI_VERTEX] = "vtx",
                                       [RLTI_FACE_VARYING] = "fvr"};

static const char *interpretation(rlti_array_type type) {
    switch (type.role) {
    case RLTI_ROLE_POINT:
        return type.arity == 3 ? "point" : NULL;
    case RLTI_ROLE_VECTOR:
        return type.arity == 3 ? "vector" : NULL;
    case RLTI_ROLE_NORMAL:
        return type.arity == 3 ? "normal" : NULL;
    case RLTI_ROLE_COLOUR:
        return type.arity == 3 ? "rgb" : type.arity == 4 ? "rgba" : NULL;
    case RLTI_ROLE_TEXTURE:
        return type.arity == 2 ? "vector" : NULL;
    case RLTI_ROLE_QUATERNION:
        return type.arity == 4 ? "quat" : NULL;
    case RLTI_ROLE_MATRIX:
        return type.arity == 9 || type.arity == 16 ? "matrix" : NULL;
    case RLTI_ROLE_BOX:
        return type.arity == 6 ? "box" : NULL;
    default:
        return NULL;
    }
}

void rlti_abc_parameter_text(const rlti_attribute *a, const rlti_abc_form *form, char *text, size_t size) {
    static const char *const pods[] = {"bool_t",    "uint8_t",   "int8_t",   "uint16_t", "int16_t",
                                       "uint32_t",  "int32_t",   "uint64_t", "int64_t",  "float16_t",
                                       "float32_t", "float64_t", "string"};
    const char *meaning = interpretation(form->type);
    if (!form->is_parameter) {
        if (form->metadata[0] != '\0' || meaning == NULL)
            snprintf(text, size, "%s", form->metadata);
        else
            snprintf(text, size, "interpretation=%s", meaning);
        return;
    }
    snprintf(text, size, "arrayExtent=%d;geoScope=%s;%s%s%sisGeomParam=true;podExtent=%d;podName=%s",
             a->element_size > 1 ? a->element_size : 1, rlti_abc_scopes[a->interpolation],
             meaning != NULL ? "interpretation=" : "", meaning != NULL ? meaning : "",
             meaning != NULL ? ";" : "", form->type.arity, pods[rlti_abc_pod_of(form->type.element)]);
}

/* ---- indices ---- */

/* The prim's attribute with this number among its own, or -1. */
static int own_attribute(const rlti_sink *sink, int prim, int number) {
    for (int i = 0; number >= 0 && i < sink->attribute_count; i++)
        if (sink->owner[i] == prim && number-- == 0)
            return i;
    return -1;
}

int rlti_abc_indices_of(const rlti_sink *sink, int attribute) {
    int index = own_attribute(sink, sink->owner[attribute], sink->attributes[attribute].indices);
    return index >= 0 && sink->attributes[index].is_index ? index : -1;
}

int rlti_abc_indexed_by(const rlti_sink *sink, int attribute) {
    for (int i = 0; i < sink->attribute_count; i++)
        if (sink->owner[i] == sink->owner[attribute] && sink->attributes[i].indices >= 0 &&
            rlti_abc_indices_of(sink, i) == attribute)
            return i;
    return -1;
}
