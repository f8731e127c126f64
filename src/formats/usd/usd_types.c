/* The value types of USD by name, and what every layer has in common. */
#include <string.h>

#include "base/memory.h"
#include "formats/usd/usd_layer.h"

typedef struct type_name {
    const char *name;
    rlti_element element;
    int arity;
    rlti_role role;
    const char *array; /* the name with "[]" */
} type_name;

#define NAMED(name, element, arity, role)                                                                    \
    { name, element, arity, role, name "[]" }

/* The first name of a type is the one that is written. Names from "Vec2i" on are those of old files. */
static const type_name names[] = {
    NAMED("float", RLTI_FLOAT, 1, RLTI_ROLE_NONE),
    NAMED("int", RLTI_INT32, 1, RLTI_ROLE_NONE),
    NAMED("point3f", RLTI_FLOAT, 3, RLTI_ROLE_POINT),
    NAMED("vector3f", RLTI_FLOAT, 3, RLTI_ROLE_VECTOR),
    NAMED("normal3f", RLTI_FLOAT, 3, RLTI_ROLE_NORMAL),
    NAMED("color3f", RLTI_FLOAT, 3, RLTI_ROLE_COLOUR),
    NAMED("color4f", RLTI_FLOAT, 4, RLTI_ROLE_COLOUR),
    NAMED("texCoord2f", RLTI_FLOAT, 2, RLTI_ROLE_TEXTURE),
    NAMED("texCoord3f", RLTI_FLOAT, 3, RLTI_ROLE_TEXTURE),
    NAMED("token", RLTI_TEXT, 1, RLTI_ROLE_TOKEN),
    NAMED("string", RLTI_TEXT, 1, RLTI_ROLE_NONE),
    NAMED("asset", RLTI_TEXT, 1, RLTI_ROLE_ASSET),
    NAMED("bool", RLTI_BOOL, 1, RLTI_ROLE_NONE),
    NAMED("uchar", RLTI_UINT8, 1, RLTI_ROLE_NONE),
    NAMED("uint", RLTI_UINT32, 1, RLTI_ROLE_NONE),
    NAMED("int64", RLTI_INT64, 1, RLTI_ROLE_NONE),
    NAMED("uint64", RLTI_UINT64, 1, RLTI_ROLE_NONE),
    NAMED("half", RLTI_HALF, 1, RLTI_ROLE_NONE),
    NAMED("double", RLTI_DOUBLE, 1, RLTI_ROLE_NONE),
    NAMED("timecode", RLTI_DOUBLE, 1, RLTI_ROLE_NONE),
    NAMED("float2", RLTI_FLOAT, 2, RLTI_ROLE_NONE),
    NAMED("float3", RLTI_FLOAT, 3, RLTI_ROLE_NONE),
    NAMED("float4", RLTI_FLOAT, 4, RLTI_ROLE_NONE),
    NAMED("double2", RLTI_DOUBLE, 2, RLTI_ROLE_NONE),
    NAMED("double3", RLTI_DOUBLE, 3, RLTI_ROLE_NONE),
    NAMED("double4", RLTI_DOUBLE, 4, RLTI_ROLE_NONE),
    NAMED("half2", RLTI_HALF, 2, RLTI_ROLE_NONE),
    NAMED("half3", RLTI_HALF, 3, RLTI_ROLE_NONE),
    NAMED("half4", RLTI_HALF, 4, RLTI_ROLE_NONE),
    NAMED("int2", RLTI_INT32, 2, RLTI_ROLE_NONE),
    NAMED("int3", RLTI_INT32, 3, RLTI_ROLE_NONE),
    NAMED("int4", RLTI_INT32, 4, RLTI_ROLE_NONE),
    NAMED("point3d", RLTI_DOUBLE, 3, RLTI_ROLE_POINT),
    NAMED("point3h", RLTI_HALF, 3, RLTI_ROLE_POINT),
    NAMED("vector3d", RLTI_DOUBLE, 3, RLTI_ROLE_VECTOR),
    NAMED("vector3h", RLTI_HALF, 3, RLTI_ROLE_VECTOR),
    NAMED("normal3d", RLTI_DOUBLE, 3, RLTI_ROLE_NORMAL),
    NAMED("normal3h", RLTI_HALF, 3, RLTI_ROLE_NORMAL),
    NAMED("color3d", RLTI_DOUBLE, 3, RLTI_ROLE_COLOUR),
    NAMED("color3h", RLTI_HALF, 3, RLTI_ROLE_COLOUR),
    NAMED("color4d", RLTI_DOUBLE, 4, RLTI_ROLE_COLOUR),
    NAMED("color4h", RLTI_HALF, 4, RLTI_ROLE_COLOUR),
    NAMED("texCoord2d", RLTI_DOUBLE, 2, RLTI_ROLE_TEXTURE),
    NAMED("texCoord2h", RLTI_HALF, 2, RLTI_ROLE_TEXTURE),
    NAMED("texCoord3d", RLTI_DOUBLE, 3, RLTI_ROLE_TEXTURE),
    NAMED("texCoord3h", RLTI_HALF, 3, RLTI_ROLE_TEXTURE),
    NAMED("quatf", RLTI_FLOAT, 4, RLTI_ROLE_QUATERNION),
    NAMED("quatd", RLTI_DOUBLE, 4, RLTI_ROLE_QUATERNION),
    NAMED("quath", RLTI_HALF, 4, RLTI_ROLE_QUATERNION),
    NAMED("matrix2d", RLTI_DOUBLE, 4, RLTI_ROLE_MATRIX),
    NAMED("matrix3d", RLTI_DOUBLE, 9, RLTI_ROLE_MATRIX),
    NAMED("matrix4d", RLTI_DOUBLE, 16, RLTI_ROLE_MATRIX),
    NAMED("frame4d", RLTI_DOUBLE, 16, RLTI_ROLE_MATRIX),
    NAMED("pathExpression", RLTI_TEXT, 1, RLTI_ROLE_NONE),
    NAMED("Vec2i", RLTI_INT32, 2, RLTI_ROLE_NONE),
    NAMED("Vec3i", RLTI_INT32, 3, RLTI_ROLE_NONE),
    NAMED("Vec4i", RLTI_INT32, 4, RLTI_ROLE_NONE),
    NAMED("Vec2h", RLTI_HALF, 2, RLTI_ROLE_NONE),
    NAMED("Vec3h", RLTI_HALF, 3, RLTI_ROLE_NONE),
    NAMED("Vec4h", RLTI_HALF, 4, RLTI_ROLE_NONE),
    NAMED("Vec2f", RLTI_FLOAT, 2, RLTI_ROLE_NONE),
    NAMED("Vec3f", RLTI_FLOAT, 3, RLTI_ROLE_NONE),
    NAMED("Vec4f", RLTI_FLOAT, 4, RLTI_ROLE_NONE),
    NAMED("Vec2d", RLTI_DOUBLE, 2, RLTI_ROLE_NONE),
    NAMED("Vec3d", RLTI_DOUBLE, 3, RLTI_ROLE_NONE),
    NAMED("Vec4d", RLTI_DOUBLE, 4, RLTI_ROLE_NONE),
    NAMED("Point", RLTI_DOUBLE, 3, RLTI_ROLE_POINT),
    NAMED("PointFloat", RLTI_FLOAT, 3, RLTI_ROLE_POINT),
    NAMED("Vector", RLTI_DOUBLE, 3, RLTI_ROLE_VECTOR),
    NAMED("VectorFloat", RLTI_FLOAT, 3, RLTI_ROLE_VECTOR),
    NAMED("Normal", RLTI_DOUBLE, 3, RLTI_ROLE_NORMAL),
    NAMED("NormalFloat", RLTI_FLOAT, 3, RLTI_ROLE_NORMAL),
    NAMED("Color", RLTI_DOUBLE, 3, RLTI_ROLE_COLOUR),
    NAMED("ColorFloat", RLTI_FLOAT, 3, RLTI_ROLE_COLOUR),
    NAMED("Quath", RLTI_HALF, 4, RLTI_ROLE_QUATERNION),
    NAMED("Quatf", RLTI_FLOAT, 4, RLTI_ROLE_QUATERNION),
    NAMED("Quatd", RLTI_DOUBLE, 4, RLTI_ROLE_QUATERNION),
    NAMED("Matrix2d", RLTI_DOUBLE, 4, RLTI_ROLE_MATRIX),
    NAMED("Matrix3d", RLTI_DOUBLE, 9, RLTI_ROLE_MATRIX),
    NAMED("Matrix4d", RLTI_DOUBLE, 16, RLTI_ROLE_MATRIX),
    NAMED("Frame", RLTI_DOUBLE, 16, RLTI_ROLE_MATRIX),
    NAMED("Transform", RLTI_DOUBLE, 16, RLTI_ROLE_MATRIX),
    NAMED("PointIndex", RLTI_INT32, 1, RLTI_ROLE_NONE),
    NAMED("EdgeIndex", RLTI_INT32, 1, RLTI_ROLE_NONE),
    NAMED("FaceIndex", RLTI_INT32, 1, RLTI_ROLE_NONE),
};

enum { NAME_COUNT = sizeof names / sizeof names[0] };

int rlti_usd_type(const char *name, size_t length, rlti_array_type *type) {
    int is_array = length > 2 && memcmp(name + length - 2, "[]", 2) == 0;
    size_t plain = is_array ? length - 2 : length;
    for (size_t i = 0; i < NAME_COUNT; i++)
        if (strlen(names[i].name) == plain && memcmp(names[i].name, name, plain) == 0) {
            *type = (rlti_array_type){names[i].element, names[i].arity, names[i].role, is_array};
            return 1;
        }
    *type = (rlti_array_type){RLTI_TEXT, 0, RLTI_ROLE_NONE, is_array};
    return 0;
}

/* The next larger element USD has where it has none of this size. */
static rlti_element widened(rlti_element element) {
    return element == RLTI_INT8 || element == RLTI_INT16 || element == RLTI_UINT16 ? RLTI_INT32 : element;
}

static const type_name *find(rlti_element element, int arity, rlti_role role) {
    for (size_t i = 0; i < NAME_COUNT; i++)
        if (names[i].element == element && names[i].arity == arity && names[i].role == role)
            return &names[i];
    return NULL;
}

const char *rlti_usd_type_name(rlti_array_type type) {
    rlti_role role = type.role == RLTI_ROLE_BOX ? RLTI_ROLE_NONE : type.role;
    const type_name *found = find(widened(type.element), type.arity, role);
    if (found == NULL && role != RLTI_ROLE_NONE) /* a role on numbers that USD does not give it to */
        found = find(widened(type.element), type.arity, RLTI_ROLE_NONE);
    return found == NULL ? NULL : type.is_array ? found->array : found->name;
}

const char *rlti_usd_variant_name(rlti_arena *arena, const char *set, const char *variant) {
    size_t a = strlen(set), b = strlen(variant);
    char *name = rlti_arena_keep(arena, a + b + 4, 1);
    if (name != NULL) {
        name[0] = '{';
        memcpy(name + 1, set, a);
        name[a + 1] = '=';
        memcpy(name + a + 2, variant, b);
        name[a + b + 2] = '}';
    }
    return name;
}

static const struct {
    const char *name;
    int is_token;
} notes[RLTI_NOTES] = {{"bindMaterialAs", 1}, {"colorSpace", 1},  {"renderType", 1},
                       {"connectability", 1}, {"displayName", 0}, {"displayGroup", 0}};

const char *rlti_usd_note_name(int note, int *is_token) {
    *is_token = notes[note].is_token;
    return notes[note].name;
}

int rlti_usd_note_find(const char *name, size_t length) {
    for (int i = 0; i < RLTI_NOTES; i++)
        if (strlen(notes[i].name) == length && memcmp(notes[i].name, name, length) == 0)
            return i;
    return -1;
}

void rlti_usd_layer_close(rlti_usd_layer *layer) {
    if (layer == NULL)
        return;
    if (layer->reader != NULL && layer->reader->close != NULL)
        layer->reader->close(layer);
    rlti_free(layer);
}
