#include "formats/usd_words.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "formats/convert.h"
#include "formats/usd_layer.h"

/* ---- prims ---- */

static int starts_with(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0;
}

static int is_identifier(const char *name) {
    if (name[0] == '\0' || (name[0] >= '0' && name[0] <= '9'))
        return 0;
    for (const char *c = name; *c != '\0'; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '_'))
            return 0;
    return 1;
}

/* A type of USD begins with a capital; Alembic's all begin alike. */
static int is_usd_type(const char *name) {
    return name != NULL && name[0] >= 'A' && name[0] <= 'Z' && is_identifier(name) &&
           !starts_with(name, "AbcGeom") && !starts_with(name, "AbcMaterial");
}

const char *rlti_usd_prim_type(const rlti_prim *prim) {
    const char *own = is_usd_type(prim->type_name) ? prim->type_name : "";
    switch (prim->kind) {
    case RLTI_PRIM_CURVES:
        return strcmp(own, "NurbsCurves") == 0 || strcmp(own, "HermiteCurves") == 0 ? own : "BasisCurves";
    case RLTI_PRIM_MESH:
        return "Mesh";
    case RLTI_PRIM_SKELETON:
        return "Skeleton";
    case RLTI_PRIM_SKELETON_MOTION:
        return "SkelAnimation";
    case RLTI_PRIM_FACE_SET:
        return "GeomSubset";
    case RLTI_PRIM_XFORM:
        return own[0] != '\0' ? own : "Xform";
    case RLTI_PRIM_GROUP:
        return own[0] != '\0' ? own : prim->has_transform ? "Xform" : "Scope";
    default:
        return own;
    }
}

static const char *const bases[] = {[RLTI_BASIS_BEZIER] = "bezier",
                                    [RLTI_BASIS_BSPLINE] = "bspline",
                                    [RLTI_BASIS_CATMULL_ROM] = "catmullRom"};
static const char *const wraps[] = {"nonperiodic", "periodic", "pinned"};
static const char *const schemes[] = {"none", "catmullClark", "loop", "bilinear"};
static const char *const purposes[] = {"default", "render", "proxy", "guide"};

int rlti_usd_words(const rlti_prim *prim, rlti_usd_word words[RLTI_USD_WORDS]) {
    int count = 0;
    if (prim->purpose != RLTI_PURPOSE_DEFAULT)
        words[count++] = (rlti_usd_word){"purpose", purposes[prim->purpose], 1};
    if (prim->is_hidden)
        words[count++] = (rlti_usd_word){"visibility", "invisible", 0};
    if (prim->kind == RLTI_PRIM_CURVES && strcmp(rlti_usd_prim_type(prim), "BasisCurves") == 0) {
        int is_cubic = prim->curve_type == RLTI_CURVE_CUBIC && prim->basis <= RLTI_BASIS_CATMULL_ROM;
        words[count++] = (rlti_usd_word){"type", is_cubic ? "cubic" : "linear", 1};
        if (is_cubic)
            words[count++] = (rlti_usd_word){"basis", bases[prim->basis], 1};
        words[count++] = (rlti_usd_word){"wrap", wraps[prim->wrap], 1};
    }
    if (prim->kind == RLTI_PRIM_MESH) {
        words[count++] = (rlti_usd_word){"subdivisionScheme", schemes[prim->scheme], 1};
        if (prim->left_handed)
            words[count++] = (rlti_usd_word){"orientation", "leftHanded", 1};
    }
    return count;
}

/* ---- names ---- */

static char *legal(const char *prefix, const char *name, int colons) {
    size_t before = strlen(prefix), length = strlen(name);
    char *text = rlti_allocate(before + length + 2, 1); /* one more for a '_' before a digit */
    if (text == NULL)
        return NULL;
    memcpy(text, prefix, before);
    rlti_usd_name(name, colons, text + before);
    return text;
}

char *rlti_usd_property_name(const rlti_attribute *attribute) {
    int has_prefix = attribute->class_ == RLTI_PRIMVAR && !starts_with(attribute->name, "primvars:");
    return legal(has_prefix ? "primvars:" : "", attribute->name, 1);
}

char *rlti_usd_prim_name(const char *name) {
    return legal("", name, 0);
}

const char *rlti_usd_interpolation(const rlti_attribute *attribute) {
    static const char *const names[] = {"constant", "uniform", "varying", "vertex", "faceVarying"};
    int has = attribute->class_ == RLTI_PRIMVAR ||
              (attribute->class_ == RLTI_BUILT_IN &&
               (strcmp(attribute->name, "widths") == 0 || strcmp(attribute->name, "normals") == 0));
    return has && !attribute->is_index ? names[attribute->interpolation] : "";
}

int rlti_usd_is_custom(const rlti_attribute *attribute) {
    /* with a namespace it is some schema's */
    return attribute->class_ == RLTI_CUSTOM && strchr(attribute->name, ':') == NULL;
}

/* ---- types ---- */

rlti_array_type rlti_usd_stored_type(rlti_array_type type) {
    if (type.role == RLTI_ROLE_BOX && type.element != RLTI_TEXT)
        return (rlti_array_type){RLTI_FLOAT, 3, RLTI_ROLE_NONE, 1};
    if (type.role == RLTI_ROLE_MATRIX && type.element == RLTI_FLOAT)
        type.element = RLTI_DOUBLE;
    type = rlti_usd_wide_type(type);
    if (rlti_usd_type_name(type) != NULL)
        return type;
    rlti_array_type whole = type; /* bytes and unsigned numbers come alone; int2 to int4 are signed */
    if (type.element == RLTI_UINT8 || type.element == RLTI_BOOL)
        whole.element = RLTI_INT32;
    if (rlti_usd_type_name(whole) != NULL)
        return whole;
    return (rlti_array_type){type.element, 1, RLTI_ROLE_NONE, 1};
}

/* To the float at or outside, so that a box still holds what it held. */
static float outward(double value, int is_least) {
    float near = (float)value;
    if (is_least ? (double)near > value : (double)near < value)
        near = nextafterf(near, is_least ? -INFINITY : INFINITY);
    return near;
}

static void put(rlti_element element, void *to, size_t i, double value) {
    switch (element) {
    case RLTI_FLOAT:
        ((float *)to)[i] = (float)value;
        break;
    case RLTI_DOUBLE:
        ((double *)to)[i] = value;
        break;
    default:
        ((int32_t *)to)[i] = (int32_t)value;
        break;
    }
}

const rlti_array *rlti_usd_stored(const rlti_array *from, rlti_array_type stored, rlti_array *scratch) {
    rlti_array_type type = from->type;
    size_t numbers = from->count * (size_t)(type.arity > 0 ? type.arity : 1);
    if (from->blocked || (type.element == stored.element && type.arity == stored.arity))
        return from;
    if (type.element == stored.element) { /* the same numbers in other tuples */
        rlti_free(scratch->owned);
        *scratch = *from;
        scratch->owned = NULL;
        scratch->room = 0;
        scratch->type = stored;
        scratch->count = numbers / (size_t)stored.arity;
        return scratch;
    }
    rlti_array wide = {0};
    double *values = rlti_array_room(&wide, (rlti_array_type){RLTI_DOUBLE, 1, RLTI_ROLE_NONE, 1}, numbers);
    void *room = rlti_array_room(scratch, stored, numbers / (size_t)stored.arity);
    int ok = values != NULL && room != NULL && rlti_array_to_doubles(from, values);
    for (size_t i = 0; i < numbers && ok; i++) {
        if (type.role == RLTI_ROLE_BOX)
            ((float *)room)[i] = outward(values[i], i % 6 < 3);
        else
            put(stored.element, room, i, values[i]);
    }
    rlti_array_clear(&wide);
    return ok ? scratch : NULL;
}
