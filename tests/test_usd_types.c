/* Names of USD's value types. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "formats/usd/usd_layer.h"

static int found(const char *name, rlti_array_type *type) {
    return rlti_usd_type(name, strlen(name), type);
}

static void every_name_goes_there_and_back(void **state) {
    (void)state;
    static const char *const all[] = {
        "bool",       "uchar",      "int",        "uint",     "int64",      "uint64",     "half",
        "float",      "double",     "string",     "token",    "asset",      "int2",       "int3",
        "int4",       "half2",      "half3",      "half4",    "float2",     "float3",     "float4",
        "double2",    "double3",    "double4",    "point3h",  "point3f",    "point3d",    "vector3h",
        "vector3f",   "vector3d",   "normal3h",   "normal3f", "normal3d",   "color3h",    "color3f",
        "color3d",    "color4h",    "color4f",    "color4d",  "texCoord2h", "texCoord2f", "texCoord2d",
        "texCoord3h", "texCoord3f", "texCoord3d", "quath",    "quatf",      "quatd",      "matrix2d",
        "matrix3d",   "matrix4d"};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        rlti_array_type type;
        assert_true(found(all[i], &type));
        assert_false(type.is_array);
        assert_string_equal(rlti_usd_type_name(type), all[i]);
        char array[32];
        size_t length = strlen(all[i]);
        memcpy(array, all[i], length);
        memcpy(array + length, "[]", 3);
        assert_true(found(array, &type));
        assert_true(type.is_array);
        assert_string_equal(rlti_usd_type_name(type), array);
    }
}

static void old_names_are_known(void **state) {
    (void)state;
    rlti_array_type type;
    assert_true(found("Vec3f[]", &type));
    assert_string_equal(rlti_usd_type_name(type), "float3[]");
    assert_true(found("PointFloat[]", &type));
    assert_string_equal(rlti_usd_type_name(type), "point3f[]");
    assert_true(found("Matrix4d", &type));
    assert_string_equal(rlti_usd_type_name(type), "matrix4d");
    assert_true(found("timecode", &type));
    assert_int_equal(type.element, RLTI_DOUBLE);
}

static void other_names_stay_raw(void **state) {
    (void)state;
    static const char *const unknown[] = {"",       "[]",          "float5", "Float",
                                          "opaque", "point3f[][]", "int[",   "floa"};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        rlti_array_type type;
        assert_false(found(unknown[i], &type));
        assert_int_equal(type.element, RLTI_TEXT);
        assert_int_equal(type.arity, 0);
    }
    rlti_array_type type;
    assert_false(rlti_usd_type("int\0xyz", 7, &type));
}

static void types_without_a_name(void **state) {
    (void)state;
    assert_string_equal(rlti_usd_type_name((rlti_array_type){RLTI_FLOAT, 3, RLTI_ROLE_BOX, 1}), "float3[]");
    assert_string_equal(rlti_usd_type_name((rlti_array_type){RLTI_INT16, 1, RLTI_ROLE_NONE, 1}), "int[]");
    assert_string_equal(rlti_usd_type_name((rlti_array_type){RLTI_INT32, 3, RLTI_ROLE_POINT, 0}), "int3");
    assert_null(rlti_usd_type_name((rlti_array_type){RLTI_FLOAT, 6, RLTI_ROLE_BOX, 1}));
    assert_null(rlti_usd_type_name((rlti_array_type){RLTI_UINT64, 2, RLTI_ROLE_NONE, 1}));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_name_goes_there_and_back),
        cmocka_unit_test(old_names_are_known),
        cmocka_unit_test(other_names_stay_raw),
        cmocka_unit_test(types_without_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
