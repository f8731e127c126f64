#include "formats/usd/usd_author.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "formats/usd/usd_layer.h"

/* ---- prims ---- */

/* A schema's name, as far as one can know: Alembic's have '_', those of other formats start small. */
static int is_schema(const char *name) {
    if (name == NULL || name[0] < 'A' || name[0] > 'Z')
        return 0;
    for (const char *c = name; *c != '\0'; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9')))
            return 0;
    return 1;
}

static int is_one_of(const char *name, const char *a, const char *b) {
    return name != NULL && (strcmp(name, a) == 0 || strcmp(name, b) == 0);
}

const char *rlti_usd_prim_type(const rlti_prim *prim, int moves) {
    moves |= prim->has_transform;
    switch (prim->kind) {
    case RLTI_PRIM_CURVES:
        if (is_one_of(prim->type_name, "NurbsCurves", "HermiteCurves"))
            return prim->type_name;
        return prim->curve_type == RLTI_CURVE_VARIABLE ? "NurbsCurves" : "BasisCurves";
    case RLTI_PRIM_MESH:
        return "Mesh";
    case RLTI_PRIM_SKELETON:
        return "Skeleton";
    case RLTI_PRIM_SKELETON_MOTION:
        return "SkelAnimation";
    case RLTI_PRIM_FACE_SET:
        return "GeomSubset";
    case RLTI_PRIM_XFORM:
        return is_schema(prim->type_name) ? prim->type_name : "Xform";
    default:
        if (is_schema(prim->type_name) && !(moves && strcmp(prim->type_name, "Scope") == 0))
            return prim->type_name;
        return moves ? "Xform" : "Scope";
    }
}

static const char *const curve_types[] = {"cubic", "linear", NULL};
static const char *const bases[] = {"bezier", "bspline", "catmullRom", "hermite", "power", NULL};
static const char *const wraps[] = {"nonperiodic", "periodic", "pinned"};
static const char *const schemes[] = {"none", "catmullClark", "loop", "bilinear"};
static const char *const purposes[] = {"default", "render", "proxy", "guide"};
static const char *const interpolations[] = {"constant", "uniform", "varying", "vertex", "faceVarying"};

static int is_declared(const rlti_usd_naming *names, int prim, const char *name) {
    for (int i = names->first[prim]; i >= 0; i = names->next[i])
        if (strcmp(names->attributes[i], name) == 0)
            return 1;
    return 0;
}

int rlti_usd_prim_tokens(const rlti_sink *sink, const rlti_usd_naming *names, int prim,
                         rlti_usd_token tokens[RLTI_USD_TOKENS]) {
    const rlti_prim *p = &sink->prims[prim], *parent = p->parent >= 0 ? &sink->prims[p->parent] : NULL;
    rlti_usd_token all[RLTI_USD_TOKENS];
    int count = 0, kept = 0;
    if (sink->def.over != NULL)
        return 0;
    if (p->kind == RLTI_PRIM_CURVES && p->curve_type != RLTI_CURVE_VARIABLE) {
        all[count++] = (rlti_usd_token){"type", curve_types[p->curve_type], 1};
        if (p->curve_type == RLTI_CURVE_CUBIC && bases[p->basis] != NULL)
            all[count++] = (rlti_usd_token){"basis", bases[p->basis], 1};
        all[count++] = (rlti_usd_token){"wrap", wraps[p->wrap], 1};
    }
    if (p->kind == RLTI_PRIM_MESH) {
        all[count++] = (rlti_usd_token){"orientation", p->left_handed ? "leftHanded" : "rightHanded", 1};
        all[count++] = (rlti_usd_token){"subdivisionScheme", schemes[p->scheme], 1};
    }
    /* both are inherited */
    if (p->purpose != (parent != NULL ? parent->purpose : RLTI_PURPOSE_DEFAULT))
        all[count++] = (rlti_usd_token){"purpose", purposes[p->purpose], 1};
    if (p->is_hidden && !p->is_hidden_above)
        all[count++] = (rlti_usd_token){"visibility", "invisible", 0};
    for (int i = 0; i < count; i++)
        if (!is_declared(names, prim, all[i].name))
            tokens[kept++] = all[i];
    return kept;
}

/* ---- attributes ---- */

/* The types that USD's schemas fix. */
static const struct {
    const char *name, *type;
    int says_interpolation;
} built_in[] = {
    {"points", "point3f[]", 0},
    {"velocities", "vector3f[]", 0},
    {"accelerations", "vector3f[]", 0},
    {"normals", "normal3f[]", 1},
    {"widths", "float[]", 1},
    {"extent", "float3[]", 0},
    {"curveVertexCounts", "int[]", 0},
    {"faceVertexCounts", "int[]", 0},
    {"faceVertexIndices", "int[]", 0},
    {"holeIndices", "int[]", 0},
    {"order", "int[]", 0},
    {"orders", "int[]", 0},
    {"knots", "double[]", 0},
    {"pointWeights", "double[]", 0},
};

/* The file's own name of the type, where it says the same: "timecode", "frame4d". */
static const char *own_type_name(const rlti_attribute *a) {
    rlti_array_type type;
    const char *name = a->type_name;
    if (name == NULL || name[0] < 'a' || name[0] > 'z' || !rlti_usd_type(name, strlen(name), &type))
        return NULL;
    return type.element == a->type.element && type.arity == a->type.arity && type.role == a->type.role &&
                   type.is_array == a->type.is_array
               ? name
               : NULL;
}

static void fixed_form(const rlti_attribute *a, rlti_usd_form *form) {
    for (size_t i = 0; i < sizeof built_in / sizeof built_in[0]; i++)
        if (strcmp(built_in[i].name, a->name) == 0 && a->type.element != RLTI_TEXT) {
            form->type_name = built_in[i].type;
            rlti_usd_type(form->type_name, strlen(form->type_name), &form->type);
            if (built_in[i].says_interpolation)
                form->interpolation = interpolations[a->interpolation];
        }
}

rlti_usd_form rlti_usd_attribute_form(const rlti_attribute *a) {
    rlti_usd_form form = {.type = a->type, .element_size = a->element_size > 1 ? a->element_size : 0};
    if (a->class_ == RLTI_PRIMVAR && !a->is_index)
        form.interpolation = interpolations[a->interpolation];
    if (a->class_ == RLTI_BUILT_IN)
        fixed_form(a, &form);
    if (a->is_index && a->type.arity == 1 && a->type.element != RLTI_TEXT) { /* OpenUSD passes over others */
        form.type_name = "int[]";
        rlti_usd_type(form.type_name, strlen(form.type_name), &form.type);
    }
    if (form.type_name == NULL)
        form.type_name = own_type_name(a);
    if (form.type_name != NULL)
        return form;
    if (form.type.role == RLTI_ROLE_MATRIX && form.type.element != RLTI_TEXT)
        form.type.element = RLTI_DOUBLE; /* USD has no others */
    form.type_name = rlti_usd_type_name(form.type);
    if (form.type_name == NULL && form.type.arity > 1) {
        /* tuples that USD has no name for: the numbers one by one */
        form.element_size = (form.element_size > 1 ? form.element_size : 1) * form.type.arity;
        form.type = (rlti_array_type){form.type.element, 1, RLTI_ROLE_NONE, 1};
        form.type_name = rlti_usd_type_name(form.type);
    }
    if (form.type_name == NULL)
        form.type.arity = 0;
    else
        rlti_usd_type(form.type_name, strlen(form.type_name), &form.type);
    return form;
}

/* ---- values ---- */

static float outward(double value, int up) {
    float near = (float)value;
    if (up ? (double)near < value : (double)near > value)
        near = nextafterf(near, up ? HUGE_VALF : -HUGE_VALF);
    return near;
}

/* *fitted is the value itself or `scratch`. Returns 0 when out of memory, -1 where it cannot be. */
static int fit(const rlti_array *value, rlti_array_type type, rlti_array *scratch,
               const rlti_array **fitted) {
    *fitted = value;
    if (value->blocked || (value->type.element == type.element && value->type.arity == type.arity))
        return 1;
    if (value->type.element == RLTI_TEXT || type.element == RLTI_TEXT || type.arity <= 0)
        return -1;
    size_t elements = value->count * (size_t)value->type.arity, count = elements / (size_t)type.arity;
    if (count * (size_t)type.arity != elements)
        return -1;
    *fitted = scratch;
    void *to = rlti_array_reserve(scratch, type, count);
    if (to == NULL)
        return 0;
    if (value->type.element == type.element) {
        if (elements > 0)
            memcpy(to, value->data, elements * rlti_element_size(type.element));
        return 1;
    }
    if (type.element != RLTI_FLOAT && type.element != RLTI_DOUBLE && type.element != RLTI_INT32)
        return -1;
    double *numbers = RLTI_NEW(double, elements);
    int ok = numbers != NULL && rlti_array_to_doubles(value, numbers);
    for (size_t i = 0; ok && i < elements; i++)
        if (type.element == RLTI_FLOAT && value->type.role == RLTI_ROLE_BOX)
            ((float *)to)[i] = outward(numbers[i], i >= elements / 2);
        else
            rlti_array_store(type.element, to, i, numbers[i]);
    rlti_free(numbers);
    return ok;
}

rlt_status rlti_usd_fit(const rlti_sink *sink, int attribute, const rlti_array *value, rlti_array *scratch,
                        rlti_array *fitted, rlt_messages *messages) {
    const rlti_usd_form form = rlti_usd_attribute_form(&sink->attributes[attribute]);
    const rlti_array *found;
    int fits = fit(value, form.type, scratch, &found);
    if (fits == 0)
        return rlti_out_of_memory(messages);
    if (fits < 0 || (!found->blocked && !form.type.is_array && found->count != 1))
        return rlti_refuse(messages, "%s: %s.%s: the value is not a %s", sink->path,
                           sink->prims[sink->owner[attribute]].path, sink->attributes[attribute].name,
                           form.type_name);
    *fitted = *found;
    fitted->type = form.type;
    return RLT_OK;
}
