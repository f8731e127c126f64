/* Cem Yuksel's .hair and .obj through stages and sinks. */
#include "stage_fixture.h"

#include "data_fixture.h"

/* A header and what follows; lengths are the caller's. */
static size_t make_hair(unsigned char *bytes, uint32_t strands, uint32_t points, uint32_t arrays,
                        uint32_t segments, const uint16_t *list) {
    float defaults[5] = {0.5f, 0.25f, 0.1f, 0.2f, 0.3f};
    uint32_t numbers[4] = {strands, points, arrays, segments};
    size_t at = 128;
    memset(bytes, 0, 128);
    memcpy(bytes, "HAIR", 4);
    memcpy(bytes + 4, numbers, 16);
    memcpy(bytes + 20, defaults, 20);
    strcpy((char *)bytes + 40, "made by a test\n");
    if (arrays & 1) {
        memcpy(bytes + at, list, 2 * strands);
        at += 2 * (size_t)strands;
    }
    for (uint32_t bit = 2; bit <= 16; bit *= 2)
        if (arrays & bit)
            for (uint32_t i = 0; i < points * (bit == 2 || bit == 16 ? 3 : 1); i++, at += 4) {
                float value = (float)i + 0.125f * (float)bit;
                memcpy(bytes + at, &value, 4);
            }
    return at;
}

static const uint16_t uneven[3] = {3, 2, 1};

static void test_every_kind_of_values(void **state) {
    (void)state;
    unsigned char bytes[1024];
    for (uint32_t arrays = 2; arrays < 32; arrays += (arrays & 1) ? 3 : 1) {
        if ((arrays & 2) == 0)
            continue;
        rlti_array value = {0};
        size_t size = make_hair(bytes, 3, 9, arrays, 2, uneven);
        bytes_write("every.hair", bytes, size);
        rlti_stage *stage = stage_open_good("every.hair");
        const rlti_prim *prim = &stage->prims[0];
        assert_int_equal(prim->kind, RLTI_PRIM_CURVES);
        assert_int_equal(prim->curve_type, RLTI_CURVE_LINEAR);
        assert_string_equal(stage->version, "made by a test ");
        stage_read(stage, prim, stage_need(stage, prim, RLTI_BUILT_IN, "curveVertexCounts"), -1, &value);
        assert_int_equal(value.count, 3);
        for (int i = 0; i < 3; i++)
            assert_int_equal(((const int32_t *)value.data)[i], arrays & 1 ? uneven[i] + 1 : 3);
        stage_read(stage, prim, stage_need(stage, prim, RLTI_BUILT_IN, "points"), -1, &value);
        assert_int_equal(value.count, 9);
        assert_true(((const float *)value.data)[26] == 26.25f);
        const rlti_attribute *widths = stage_need(stage, prim, RLTI_BUILT_IN, "widths");
        stage_read(stage, prim, widths, -1, &value);
        assert_int_equal(widths->interpolation, arrays & 4 ? RLTI_VERTEX : RLTI_CONSTANT);
        assert_int_equal(value.count, arrays & 4 ? 9 : 1);
        assert_true(((const float *)value.data)[value.count - 1] == (arrays & 4 ? 8.5f : 0.5f));
        stage_read(stage, prim, stage_need(stage, prim, RLTI_PRIMVAR, "transparency"), -1, &value);
        assert_true(((const float *)value.data)[value.count - 1] == (arrays & 8 ? 9.0f : 0.25f));
        stage_read(stage, prim, stage_need(stage, prim, RLTI_PRIMVAR, "displayColor"), -1, &value);
        assert_true(((const float *)value.data)[3 * value.count - 1] == (arrays & 16 ? 28.0f : 0.3f));
        rlti_array_clear(&value);
        rlti_stage_close(stage);
    }
    remove("every.hair");
}

/* Written and read again: the same bytes, but for the text and values that no list needs. */
static void test_round_trip_is_exact(void **state) {
    (void)state;
    unsigned char bytes[1024];
    for (uint32_t arrays = 2; arrays < 32; arrays++) {
        size_t again;
        if ((arrays & 2) == 0)
            continue;
        size_t size = make_hair(bytes, 3, 9, arrays, arrays & 1 ? 0 : 2, uneven);
        float none[5] = {arrays & 4 ? 0.0f : 0.5f, arrays & 8 ? 0.0f : 0.25f, 0.1f, 0.2f, 0.3f};
        if (arrays & 16)
            none[2] = none[3] = none[4] = 1.0f;
        memcpy(bytes + 20, none, sizeof none);
        memset(bytes + 40, 0, 88);
        bytes_write("trip.hair", bytes, size);
        rlti_stage *stage = stage_open_good("trip.hair");
        assert_int_equal(stage_copy(stage, "trip2.hair"), 0);
        rlti_stage_close(stage);
        unsigned char *copy = bytes_read("trip2.hair", &again);
        assert_int_equal(again, size);
        assert_memory_equal(copy, bytes, size);
        free(copy);
    }
    remove("trip.hair");
    remove("trip2.hair");
    assert_int_not_equal(access("trip2.hair.part", F_OK), 0);
    assert_int_not_equal(access("trip2.hair.values.part", F_OK), 0);
}

static void test_bad_files(void **state) {
    (void)state;
    unsigned char bytes[1024];
    size_t size = make_hair(bytes, 3, 9, 31, 0, uneven);
    bytes_write("bad.hair", bytes, 100);
    stage_open_bad("bad.hair", "bad.hair: 100 bytes: shorter than the header");
    for (size_t cut = 128; cut < size; cut++) {
        bytes_write("bad.hair", bytes, cut);
        stage_open_bad("bad.hair", "too few for 3 strands of 9 points in all");
    }
    static const struct {
        size_t at;
        uint32_t value;
        const char *text;
    } lies[] = {{4, 0, "there are no strands"},
                {4, 0xffffffff, "too few for 4294967295 strands"},
                {8, 0xffffffff, "too few for 3 strands of 4294967295 points"},
                {8, 8, "8 points, but the strands have 9 together"},
                {12, 29, "has no points"},
                {12, 2, "9 points, but the strands have 3 together"}};
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        uint32_t kept;
        memcpy(&kept, bytes + lies[i].at, 4);
        memcpy(bytes + lies[i].at, &lies[i].value, 4);
        bytes_write("bad.hair", bytes, size);
        stage_open_bad("bad.hair", lies[i].text);
        memcpy(bytes + lies[i].at, &kept, 4);
    }
    remove("bad.hair");
}

/* Curves under a transform, frame after frame, with uniform widths: the first frame in the world. */
static void test_sink_writes_the_world_once(void **state) {
    (void)state;
    rlti_sink *sink;
    rlti_sink_def def = {.codes_per_second = 24.0, .title = "two strands"};
    rlt_messages *messages = rlt_messages_create();
    int xform, curves, points, counts, widths, other;
    float p[5][3] = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 1, 0}, {1, 2, 0}}, w[2] = {0.5f, 0.25f};
    int32_t n[2] = {2, 3};
    const double twice[16] = {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 10, 20, 30, 1};
    rlti_array value = {.type = {RLTI_FLOAT, 3, RLTI_ROLE_POINT, 1}, .count = 5, .data = p};
    stage_ok(rlti_sink_open("world.hair", &def, messages, &sink), messages);
    rlti_prim prim = {.name = "root", .type_name = "Xform", .kind = RLTI_PRIM_XFORM, .has_transform = 1};
    stage_ok(rlti_sink_prim(sink, -1, &prim, messages, &xform), messages);
    prim = (rlti_prim){.name = "hair", .type_name = "", .kind = RLTI_PRIM_CURVES};
    stage_ok(rlti_sink_prim(sink, xform, &prim, messages, &curves), messages);
    rlti_attribute a = {.name = "points", .type = value.type, .interpolation = RLTI_VERTEX, .indices = -1};
    stage_ok(rlti_sink_attribute(sink, curves, &a, messages, &points), messages);
    a.name = "curveVertexCounts";
    a.type = (rlti_array_type){RLTI_INT32, 1, RLTI_ROLE_NONE, 1};
    stage_ok(rlti_sink_attribute(sink, curves, &a, messages, &counts), messages);
    a.name = "widths";
    a.type.element = RLTI_FLOAT;
    a.interpolation = RLTI_UNIFORM;
    stage_ok(rlti_sink_attribute(sink, curves, &a, messages, &widths), messages);
    assert_int_equal(rlt_messages_count(messages), 0);
    a.name = "hairId";
    a.class_ = RLTI_PRIMVAR;
    stage_ok(rlti_sink_attribute(sink, curves, &a, messages, &other), messages);
    assert_int_equal(rlt_messages_count(messages), 1); /* cannot be held */
    stage_ok(rlti_sink_transform(sink, xform, (double)NAN, twice, messages), messages);
    for (int frame = 0; frame < 3; frame++) {
        stage_ok(rlti_sink_write(sink, points, frame, &value, messages), messages);
        p[0][0] += 100.0f;
    }
    assert_int_equal(rlt_messages_count(messages), 2); /* has no time: said once */
    value = (rlti_array){.type = {RLTI_INT32, 1, RLTI_ROLE_NONE, 1}, .count = 2, .data = n};
    stage_ok(rlti_sink_write(sink, counts, (double)NAN, &value, messages), messages);
    value = (rlti_array){.type = {RLTI_FLOAT, 1, RLTI_ROLE_NONE, 1}, .count = 2, .data = w};
    stage_ok(rlti_sink_write(sink, widths, (double)NAN, &value, messages), messages);
    stage_ok(rlti_sink_close(sink, messages), messages);
    rlt_messages_destroy(messages);

    size_t size;
    unsigned char *bytes = bytes_read("world.hair", &size);
    assert_int_equal(size, 128 + 2 * 2 + 5 * 12 + 5 * 4);
    float first[6], thick[5];
    memcpy(first, bytes + 132, sizeof first);
    memcpy(thick, bytes + 132 + 60, sizeof thick);
    static const float expected[6] = {10, 20, 30, 10, 22, 30}, wide[5] = {1, 1, 0.5f, 0.5f, 0.5f};
    assert_memory_equal(first, expected, sizeof first);
    assert_memory_equal(thick, wide, sizeof thick);
    assert_string_equal((char *)bytes + 40, "two strands");
    free(bytes);
    remove("world.hair");
}

/* A run that ends after the points and goes on later gives the same file. */
static void test_resume(void **state) {
    (void)state;
    unsigned char bytes[1024];
    size_t size = make_hair(bytes, 3, 9, 31, 0, uneven), again;
    bytes_write("resume.hair", bytes, size);
    rlti_stage *stage = stage_open_good("resume.hair");
    rlti_sink_def def = stage_def(stage);
    rlti_sink *sink;
    rlti_stream_mark marks[RLTI_SINK_MARKS];
    int count;
    rlti_array value = {0};
    rlt_messages *messages = rlt_messages_create();
    stage_ok(rlti_sink_open("resumed.hair", &def, messages, &sink), messages);
    stage_declare(stage, sink, messages);
    stage_read(stage, &stage->prims[0], &stage->attributes[0], -1, &value);
    stage_ok(rlti_sink_write(sink, 0, (double)NAN, &value, messages), messages);
    stage_ok(rlti_sink_marks(sink, marks, &count, messages), messages);
    stage_read(stage, &stage->prims[0], &stage->attributes[1], -1, &value);
    stage_ok(rlti_sink_write(sink, 1, (double)NAN, &value, messages), messages); /* lost */
    rlti_sink_leave(sink);
    def.resumes = 1; /* else what was left is removed */
    stage_ok(rlti_sink_open("resumed.hair", &def, messages, &sink), messages);
    stage_declare(stage, sink, messages);
    stage_ok(rlti_sink_resume(sink, marks, count, messages), messages);
    for (int i = 1; i < stage->attribute_count; i++) {
        stage_read(stage, &stage->prims[0], &stage->attributes[i], -1, &value);
        stage_ok(rlti_sink_write(sink, i, (double)NAN, &value, messages), messages);
    }
    stage_ok(rlti_sink_close(sink, messages), messages);
    unsigned char *copy = bytes_read("resumed.hair", &again);
    assert_int_equal(again, size);
    assert_memory_equal(copy + 128, bytes + 128, size - 128);
    free(copy);
    rlti_array_clear(&value);
    rlti_stage_close(stage);
    rlt_messages_destroy(messages);
    remove("resume.hair");
    remove("resumed.hair");
}

static void test_real_files(void **state) {
    (void)state;
    char path[1024];
    size_t size, again;
    if (!data_path("own_ref.hair", path, sizeof path))
        skip();
    rlti_array value = {0};
    rlti_stage *stage = stage_open_good(path);
    stage_read(stage, &stage->prims[0], stage_need(stage, &stage->prims[0], RLTI_BUILT_IN, "widths"), -1,
               &value);
    assert_int_equal(value.count, 9);
    assert_true(fabsf(((const float *)value.data)[8] - 0.09f) < 1e-7f);
    rlti_array_clear(&value);
    rlti_stage_close(stage);
    assert_true(data_path("ratboy_mohawk_2228x32.hair", path, sizeof path));
    stage = stage_open_good(path);
    stage_copy(stage, "ratboy.hair");
    rlti_stage_close(stage);
    unsigned char *original = bytes_read(path, &size), *copy = bytes_read("ratboy.hair", &again);
    assert_int_equal(size, again);
    assert_memory_equal(copy, original, 40);
    assert_memory_equal(copy + 128, original + 128, size - 128);
    free(original);
    free(copy);
    remove("ratboy.hair");
}

/* ---- .obj ---- */

static void expect_same(const char *path, const char *copy, int attributes) {
    rlti_stage *stage = stage_open_good(path);
    assert_int_equal(stage_copy(stage, copy), 0);
    rlti_stage *again = stage_open_good(copy);
    assert_int_equal(stage->attribute_count, attributes);
    stage_same(stage, again);
    rlti_stage_close(stage);
    rlti_stage_close(again);
}

static void test_obj(void **state) {
    (void)state;
    static const char plain[] = "v 0 0 0\nv 1 0 0\nv 1 1 0.1\nv 0 1 0\nf 1 2 3\nf 1 2 3 4\n",
                      textured[] = "v 0 0 0\nv 1 0 0\nv 1 1 0.1\nv 0 1 0\nvt 0 0\nvt .5 0.25\nvt 1 1 0\n"
                                   "f 1/1/1 2/2 3/3 \\\n 4/-1 # quad\nvt 3 4\nf -4/-1 3/1 4/2\n",
                      partly[] = "v 0 0 0\nv 1 0 0\nv 1 1 0.1\nvt 0 0\nf 1/1 2/1 3\n",
                      lying[] = "v 0 0 0\nv 1 0 0\nv 1 1 0.1\nvt 0 0\nf 1/1 2/1 3/2\n";
    static const int32_t counts[2] = {4, 3}, corners[7] = {0, 1, 2, 3, 0, 2, 3},
                         uv[7] = {0, 1, 2, 2, 3, 0, 1};
    rlti_array value = {0};
    bytes_write("mesh.obj", plain, sizeof plain - 1);
    expect_same("mesh.obj", "mesh2.obj", 3);
    bytes_write("mesh.obj", textured, sizeof textured - 1);
    expect_same("mesh.obj", "mesh2.obj", 5);
    rlti_stage *stage = stage_open_good("mesh2.obj");
    const rlti_prim *prim = &stage->prims[0];
    assert_int_equal(prim->kind, RLTI_PRIM_MESH);
    stage_read(stage, prim, stage_need(stage, prim, RLTI_BUILT_IN, "faceVertexCounts"), -1, &value);
    assert_memory_equal(value.data, counts, sizeof counts);
    stage_read(stage, prim, stage_need(stage, prim, RLTI_BUILT_IN, "faceVertexIndices"), -1, &value);
    assert_memory_equal(value.data, corners, sizeof corners);
    stage_read(stage, prim, stage_need(stage, prim, RLTI_PRIMVAR, "st:indices"), -1, &value);
    assert_memory_equal(value.data, uv, sizeof uv);
    assert_int_equal(
        rlti_stage_flat(stage, prim, stage_need(stage, prim, RLTI_PRIMVAR, "st"), 0.0, NULL, &value), RLT_OK);
    assert_true(value.count == 7 && ((const float *)value.data)[3] == 0.25f);
    rlti_array_clear(&value);
    rlti_stage_close(stage);
    bytes_write("mesh.obj", partly, sizeof partly - 1); /* not every corner has one, or it leads nowhere */
    expect_same("mesh.obj", "mesh2.obj", 3);
    bytes_write("mesh.obj", lying, sizeof lying - 1);
    expect_same("mesh.obj", "mesh2.obj", 3);
    remove("mesh.obj");
    remove("mesh2.obj");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind_of_values),
        cmocka_unit_test(test_round_trip_is_exact),
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_sink_writes_the_world_once),
        cmocka_unit_test(test_resume),
        cmocka_unit_test(test_real_files),
        cmocka_unit_test(test_obj),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
