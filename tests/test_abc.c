/* Alembic files as stages. */
#include "stage_fixture.h"

#include "data_fixture.h"

static const rlti_prim *prim_at(const rlti_stage *stage, const char *path) {
    int index = rlti_stage_find(stage, path);
    if (index < 0)
        fail_msg("no %s", path);
    return &stage->prims[index];
}

/* Reads into doubles; texts are not numbers. */
static size_t numbers(const rlti_stage *stage, const rlti_prim *prim, rlti_attribute_class class_,
                      const char *name, int sample, double *values, size_t most) {
    rlti_array array = {0};
    stage_read(stage, prim, stage_need(stage, prim, class_, name), sample, &array);
    size_t count = array.count * (size_t)array.type.arity;
    assert_true(count <= most);
    assert_true(rlti_array_to_doubles(&array, values));
    rlti_array_clear(&array);
    return count;
}

/* Made with the format's own library: a moving transform, hair, guides and a scalp, three samples. */
static void test_reference_groom(void **state) {
    (void)state;
    char path[1024];
    double v[128], matrix[16];
    int resets;
    if (!data_path("own_ref_groom_unreal_attrs.abc", path, sizeof path))
        skip();
    rlti_stage *stage = stage_open_good(path);
    assert_string_equal(stage->reader->format, "abc");
    assert_string_equal(stage->version, "1.8.12");
    assert_int_equal(stage->prim_count, 4);
    assert_true(stage->metres_per_unit == 0.0 && stage->up_axis == 0 && stage->codes_per_second == 1.0);
    assert_true(stage->frames_per_second == 24.0);
    assert_true(fabs(stage->first_time - 1.0 / 24.0) < 1e-12 && fabs(stage->last_time - 0.125) < 1e-12);

    const rlti_prim *groom = prim_at(stage, "/groom");
    assert_int_equal(groom->kind, RLTI_PRIM_XFORM);
    assert_int_equal(groom->transform_time_count, 2);
    assert_int_equal(stage->reader->transform(stage, groom, 0.0625, NULL, matrix, &resets), RLT_OK);
    assert_true(fabs(matrix[13] - 1.25) < 1e-12 && matrix[0] == 1.0 && resets == 0);
    assert_int_equal(stage->reader->transform(stage, groom, 9.0, NULL, matrix, &resets), RLT_OK);
    assert_true(matrix[13] == 1.5);
    assert_int_equal(numbers(stage, groom, RLTI_PRIMVAR, "groom_version_minor", -1, v, 128), 1);
    assert_true(v[0] == 5.0);
    rlti_array text = {0};
    stage_read(stage, groom, stage_need(stage, groom, RLTI_PRIMVAR, "groom_tool"), -1, &text);
    assert_int_equal(text.count, 1);
    assert_string_equal(((const char *const *)text.data)[0], "mkgroom");
    rlti_array_clear(&text);

    const rlti_prim *hair = prim_at(stage, "/groom/hair");
    assert_int_equal(hair->kind, RLTI_PRIM_CURVES);
    assert_int_equal(hair->curve_type, RLTI_CURVE_LINEAR);
    assert_string_equal(hair->type_name, "AbcGeom_Curve_v2");
    const rlti_attribute *points = stage_need(stage, hair, RLTI_BUILT_IN, "points");
    assert_int_equal(points->sample_count, 3);
    assert_true(fabs(points->times[2] - 0.125) < 1e-12);
    assert_int_equal(numbers(stage, hair, RLTI_BUILT_IN, "points", 2, v, 128), 72);
    assert_true((float)v[3] == 0.02f && (float)v[10] == 0.6f);
    assert_int_equal(numbers(stage, hair, RLTI_BUILT_IN, "extent", 2, v, 128), 6);
    assert_true((float)v[3] == 0.68f);
    assert_int_equal(numbers(stage, hair, RLTI_BUILT_IN, "curveVertexCounts", -1, v, 128), 6);
    assert_true(v[5] == 4.0);
    const rlti_attribute *widths = stage_need(stage, hair, RLTI_BUILT_IN, "widths");
    assert_int_equal(widths->interpolation, RLTI_VERTEX);
    assert_int_equal(numbers(stage, hair, RLTI_BUILT_IN, "widths", -1, v, 128), 24);
    const rlti_attribute *uv = stage_need(stage, hair, RLTI_PRIMVAR, "groom_root_uv");
    assert_int_equal(uv->interpolation, RLTI_UNIFORM);
    assert_int_equal(numbers(stage, hair, RLTI_PRIMVAR, "groom_root_uv", -1, v, 128), 12);
    assert_true((float)v[2] == 0.1f && v[3] == 0.5);
    assert_int_equal(numbers(stage, hair, RLTI_PRIMVAR, "groom_id", -1, v, 128), 6);
    assert_true(v[5] == 5.0);
    const rlti_attribute *none = stage_need(stage, hair, RLTI_PRIMVAR, "groom_guide"); /* no samples */
    assert_true(none->sample_count == 0 && !none->has_default);

    const rlti_prim *guides = prim_at(stage, "/groom/guides");
    assert_int_equal(guides->curve_type, RLTI_CURVE_CUBIC);
    assert_int_equal(guides->basis, RLTI_BASIS_CATMULL_ROM);
    assert_int_equal(numbers(stage, guides, RLTI_PRIMVAR, "groom_guide", -1, v, 128), 1);
    assert_true(v[0] == 1.0);

    const rlti_prim *scalp = prim_at(stage, "/groom/scalp");
    assert_int_equal(scalp->kind, RLTI_PRIM_MESH);
    assert_int_equal(scalp->left_handed, 1);
    assert_int_equal(numbers(stage, scalp, RLTI_BUILT_IN, "faceVertexIndices", -1, v, 128), 6);
    assert_true(v[1] == 2.0 && v[2] == 1.0);
    assert_int_equal(numbers(stage, scalp, RLTI_BUILT_IN, "points", 1, v, 128), 12);
    assert_true((float)v[1] == 0.1f);
    rlti_stage_close(stage);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reference_groom)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
