/* Alembic files written and read again. */
#include "abc_fixture.h"
#include "formats/alembic/abc_data.h"
#include "formats/alembic/abc_headers.h"

#include "data_fixture.h"

static const double still = (double)NAN;

static void test_reference_groom_comes_back(void **state) {
    (void)state;
    char path[1024];
    if (!data_path("own_ref_groom_unreal_attrs.abc", path, sizeof path))
        skip();
    rlti_stage *stage = stage_open_good(path);
    assert_int_equal(stage_copy(stage, "again.abc"), 0);
    rlti_stage *again = stage_open_good("again.abc");
    stage_same(stage, again);
    stage_same(again, stage);
    assert_true(again->frames_per_second == 24.0);
    assert_int_equal(again->prims[0].transform_time_count, 2);
    /* once more gives the same bytes */
    stage_copy(again, "twice.abc");
    rlti_stage *twice = stage_open_good("twice.abc");
    stage_copy(twice, "thrice.abc");
    size_t size, size_again;
    unsigned char *bytes = bytes_read("twice.abc", &size),
                  *bytes_again = bytes_read("thrice.abc", &size_again);
    assert_int_equal(size, size_again);
    assert_memory_equal(bytes, bytes_again, size);
    free(bytes);
    free(bytes_again);
    rlti_stage_close(stage);
    rlti_stage_close(again);
    rlti_stage_close(twice);
    remove("again.abc");
    remove("twice.abc");
    remove("thrice.abc");
}

/* Every element type and arity, single values and arrays, still and moving, comes back bit for bit. */
static void test_every_type(void **state) {
    (void)state;
    static const int arities[] = {1, 2, 3, 4, 6, 9, 16};
    static const rlti_role roles[][7] = {{RLTI_ROLE_NONE, RLTI_ROLE_NONE, RLTI_ROLE_NONE, RLTI_ROLE_NONE,
                                          RLTI_ROLE_NONE, RLTI_ROLE_NONE, RLTI_ROLE_NONE},
                                         {RLTI_ROLE_NONE, RLTI_ROLE_TEXTURE, RLTI_ROLE_POINT,
                                          RLTI_ROLE_QUATERNION, RLTI_ROLE_BOX, RLTI_ROLE_MATRIX,
                                          RLTI_ROLE_MATRIX},
                                         {RLTI_ROLE_NONE, RLTI_ROLE_NONE, RLTI_ROLE_COLOUR, RLTI_ROLE_COLOUR,
                                          RLTI_ROLE_NONE, RLTI_ROLE_NONE, RLTI_ROLE_NONE},
                                         {RLTI_ROLE_NONE, RLTI_ROLE_NONE, RLTI_ROLE_NORMAL, RLTI_ROLE_NONE,
                                          RLTI_ROLE_NONE, RLTI_ROLE_NONE, RLTI_ROLE_NONE}};
    unsigned char raw[3][16 * 8 * 5];
    for (size_t i = 0; i < sizeof raw; i++)
        ((unsigned char *)raw)[i] = (unsigned char)(i * 151 + 7);
    abc_writing w = abc_begin("types.abc", 24.0, 0);
    int hair = abc_prim(&w, -1, "hair", RLTI_PRIM_CURVES), list[2000], counts[2000], times[2000], n = 0;
    for (int element = 0; element < RLTI_TEXT; element++)
        for (int a = 0; a < 7; a++)
            for (int role = 0; role < 4; role++)
                for (int moving = 0; moving < 3; moving++) {
                    char name[64];
                    snprintf(name, sizeof name, "e%d_a%d_r%d_m%d", element, a, role, moving);
                    rlti_array_type type = {(rlti_element)element, arities[a], roles[role][a], moving < 2};
                    list[n] =
                        abc_attribute(&w, hair, role == 3 ? RLTI_CUSTOM : RLTI_PRIMVAR, name, type,
                                      role == 3 || moving == 2 ? RLTI_CONSTANT : (rlti_interpolation)(n % 4));
                    counts[n] = moving == 2 ? 1 : 5;
                    times[n++] = moving;
                }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < (times[i] == 1 ? 3 : 1); k++) {
            rlti_element element = w.sink->attributes[list[i]].type.element;
            unsigned char bools[16 * 5];
            for (size_t b = 0; b < sizeof bools; b++)
                bools[b] = raw[k][b] & 1;
            abc_write(&w, list[i], times[i] == 1 ? (double)(k + 1) : still,
                      element == RLTI_BOOL ? bools : raw[k], (size_t)counts[i]);
        }
    abc_end(&w);
    rlti_stage *stage = stage_open_good("types.abc");
    assert_int_equal(stage->attribute_count, n + 1); /* and the box */
    const rlti_attribute *one = stage_need(stage, &stage->prims[0], RLTI_PRIMVAR, "e11_a2_r1_m1");
    assert_int_equal(one->sample_count, 3);
    assert_int_equal(one->type.element, RLTI_DOUBLE);
    assert_int_equal(one->type.role, RLTI_ROLE_POINT);
    rlti_array value = {0};
    stage_read(stage, &stage->prims[0], one, 2, &value);
    assert_memory_equal(value.data, raw[2], 5 * 3 * 8);
    one = stage_need(stage, &stage->prims[0], RLTI_PRIMVAR, "e10_a3_r1_m0"); /* a quaternion, turned twice */
    assert_int_equal(one->type.role, RLTI_ROLE_QUATERNION);
    stage_read(stage, &stage->prims[0], one, -1, &value);
    assert_memory_equal(value.data, raw[0], 5 * 4 * 4);
    rlti_array_clear(&value);
    stage_copy(stage, "types2.abc");
    rlti_stage *again = stage_open_good("types2.abc");
    stage_same(stage, again);
    rlti_stage_close(stage);
    rlti_stage_close(again);
    remove("types.abc");
    remove("types2.abc");
}

static void test_texts_and_indices(void **state) {
    (void)state;
    static const char *const words[2][4] = {{"", "strand", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "x"},
                                            {"other", "y", "", ""}};
    static const rlti_array_type text = {RLTI_TEXT, 1, RLTI_ROLE_NONE, 1},
                                 one_text = {RLTI_TEXT, 1, RLTI_ROLE_NONE, 0},
                                 uv = {RLTI_FLOAT, 2, RLTI_ROLE_TEXTURE, 1};
    static const float values[2][2] = {{0.25f, 0.5f}, {1.0f, 2.0f}};
    static const int32_t indices[4] = {1, 0, 0, 1};
    abc_writing w = abc_begin("texts.abc", 1.0, 0);
    int hair = abc_prim(&w, -1, "hair", RLTI_PRIM_CURVES), index, st;
    int names = abc_attribute(&w, hair, RLTI_PRIMVAR, "names", text, RLTI_UNIFORM);
    int tool = abc_attribute(&w, hair, RLTI_CUSTOM, "tool", one_text, RLTI_CONSTANT);
    rlti_attribute a = {.name = "st",
                        .class_ = RLTI_PRIMVAR,
                        .type = uv,
                        .interpolation = RLTI_UNIFORM,
                        .element_size = 1,
                        .indices = 3,
                        .type_name = ""};
    stage_ok(rlti_sink_attribute(w.sink, hair, &a, w.messages, &st), w.messages);
    a = (rlti_attribute){.name = "st:indices",
                         .class_ = RLTI_PRIMVAR,
                         .type = abc_whole,
                         .interpolation = RLTI_UNIFORM,
                         .element_size = 1,
                         .indices = -1,
                         .is_index = 1,
                         .type_name = ""};
    stage_ok(rlti_sink_attribute(w.sink, hair, &a, w.messages, &index), w.messages);
    abc_write(&w, names, 1.0, words[0], 4);
    abc_write(&w, names, 2.0, words[1], 2);
    abc_write(&w, names, 3.0, words[1], 0);
    abc_write(&w, tool, still, words[0] + 2, 1);
    abc_write(&w, st, still, values, 2);
    abc_write(&w, index, still, indices, 4);
    abc_end(&w);
    rlti_stage *stage = stage_open_good("texts.abc");
    const rlti_prim *prim = &stage->prims[0];
    rlti_array value = {0};
    const rlti_attribute *found = stage_need(stage, prim, RLTI_PRIMVAR, "names");
    assert_int_equal(found->sample_count, 3);
    stage_read(stage, prim, found, 0, &value);
    assert_int_equal(value.count, 4);
    for (int i = 0; i < 4; i++)
        assert_string_equal(((const char *const *)value.data)[i], words[0][i]);
    stage_read(stage, prim, found, 1, &value);
    assert_int_equal(value.count, 2);
    stage_read(stage, prim, found, 2, &value);
    assert_int_equal(value.count, 0);
    stage_read(stage, prim, stage_need(stage, prim, RLTI_CUSTOM, "tool"), -1, &value);
    assert_string_equal(((const char *const *)value.data)[0], words[0][2]);
    found = stage_need(stage, prim, RLTI_PRIMVAR, "st");
    assert_true(found->indices >= 0);
    assert_int_equal(rlti_stage_flat(stage, prim, found, 0.0, NULL, &value), RLT_OK);
    assert_int_equal(value.count, 4);
    assert_true(((const float *)value.data)[0] == 1.0f && ((const float *)value.data)[2] == 0.25f);
    rlti_array_clear(&value);
    rlti_stage_close(stage);
    remove("texts.abc");
}

/* Samples that repeat are stored once, and times that are uneven are kept one by one. */
static void test_times_and_repeats(void **state) {
    (void)state;
    static const float places[4][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}};
    static const int which[8] = {0, 0, 0, 1, 2, 2, 3, 3};
    static const double uneven[5] = {1.0, 2.0, 2.5, 7.0, 7.25};
    abc_writing w = abc_begin("times.abc", 25.0, 0);
    int hair = abc_prim(&w, -1, "hair", RLTI_PRIM_CURVES),
        other = abc_prim(&w, -1, "other", RLTI_PRIM_CURVES);
    int points = abc_attribute(&w, hair, RLTI_BUILT_IN, "points", abc_point, RLTI_VERTEX);
    int counts = abc_attribute(&w, hair, RLTI_BUILT_IN, "curveVertexCounts", abc_whole, RLTI_UNIFORM);
    int more = abc_attribute(&w, other, RLTI_BUILT_IN, "points", abc_point, RLTI_VERTEX);
    int32_t n = 1;
    abc_write(&w, counts, still, &n, 1);
    for (int i = 0; i < 8; i++)
        abc_write(&w, points, 101.0 + i, places[which[i]], 1);
    for (int i = 0; i < 5; i++)
        abc_write(&w, more, uneven[i], places[i % 4], 1);
    rlti_array late = {.type = abc_point, .count = 1, .data = places};
    assert_int_equal(rlti_sink_write(w.sink, more, 7.0, &late, w.messages), RLT_BAD_INPUT); /* not later */
    w.sink->failed = 0;
    abc_end(&w);
    rlti_stage *stage = stage_open_good("times.abc");
    assert_true(fabs(stage->first_time - 0.04) < 1e-12 && fabs(stage->last_time - 108.0 / 25.0) < 1e-12);
    const rlti_prim *prim = &stage->prims[0];
    const rlti_attribute *a = stage_need(stage, prim, RLTI_BUILT_IN, "points");
    rlti_array value = {0};
    for (int i = 0; i < 8; i++) { /* at each time what was written, between two the middle */
        assert_int_equal(rlti_stage_value(stage, prim, a, (101.0 + i) / 25.0, NULL, &value), RLT_OK);
        assert_true(fabsf(((const float *)value.data)[0] - places[which[i]][0]) < 1e-5f);
        if (i < 7) {
            assert_int_equal(rlti_stage_value(stage, prim, a, (101.5 + i) / 25.0, NULL, &value), RLT_OK);
            assert_true(fabsf(((const float *)value.data)[0] -
                              0.5f * (places[which[i]][0] + places[which[i + 1]][0])) < 1e-5f);
        }
    }
    assert_true(stage_need(stage, prim, RLTI_BUILT_IN, "curveVertexCounts")->has_default);
    prim = &stage->prims[1];
    a = stage_need(stage, prim, RLTI_BUILT_IN, "points");
    assert_int_equal(a->sample_count, 5);
    for (int i = 0; i < 5; i++)
        assert_true(fabs(a->times[i] - uneven[i] / 25.0) < 1e-12);
    rlti_array_clear(&value);
    rlti_stage_close(stage);
    remove("times.abc");
}

/* What is held between frames has the even times of frames; what is blended between two has its own. */
static void test_held_times_are_even(void **state) {
    (void)state;
    static const float places[2][3] = {{0, 0, 0}, {1, 0, 0}};
    static const struct {
        double time;
        float value;
    } held[] = {{3, 5}, {5, 5}, {6, 7}, {9, 7}, {10, 8}}, sloping[] = {{3, 0}, {6, 3}};
    static const rlti_array_type number = {RLTI_FLOAT, 1, RLTI_ROLE_NONE, 0};
    abc_writing w = abc_begin("held.abc", 24.0, 0);
    int hair = abc_prim(&w, -1, "hair", RLTI_PRIM_CURVES);
    int points = abc_attribute(&w, hair, RLTI_BUILT_IN, "points", abc_point, RLTI_VERTEX);
    int a = abc_attribute(&w, hair, RLTI_PRIMVAR, "held", number, RLTI_CONSTANT);
    int b = abc_attribute(&w, hair, RLTI_PRIMVAR, "sloping", number, RLTI_CONSTANT);
    for (int i = 0; i < 10; i++)
        abc_write(&w, points, 3.0 + i, places[i % 2], 1);
    for (int i = 0; i < 5; i++)
        abc_write(&w, a, held[i].time, &held[i].value, 1);
    for (int i = 0; i < 2; i++)
        abc_write(&w, b, sloping[i].time, &sloping[i].value, 1);
    abc_end(&w);
    static const double cycle[2] = {0.25, 0.75}; /* twice a second, not evenly */
    rlti_abc_sampling repeats = {.cycle = 1.0, .count = 2, .times = (const unsigned char *)cycle};
    assert_true(rlti_abc_time(&repeats, 1) == 0.75 && rlti_abc_time(&repeats, 4) == 2.25);
    rlti_stage *stage = stage_open_good("held.abc");
    const rlti_abc *abc = stage->own;
    const rlti_attribute *found = stage_need(stage, &stage->prims[0], RLTI_PRIMVAR, "held");
    const rlti_abc_property
        *p = &abc->properties[found->where[0]],
        *of_points = &abc->properties[stage_need(stage, &stage->prims[0], RLTI_BUILT_IN, "points")->where[0]];
    assert_int_equal(p->sampling, of_points->sampling);
    assert_int_equal(p->sample_count, 8);
    assert_int_equal(abc->archive.samplings[p->sampling].count, 1);
    rlti_array value = {0};
    for (int i = 0; i < 5; i++) {
        stage_ok(rlti_stage_value(stage, &stage->prims[0], found, held[i].time / 24.0, NULL, &value), NULL);
        assert_true(*(const float *)value.data == held[i].value);
    }
    found = stage_need(stage, &stage->prims[0], RLTI_PRIMVAR, "sloping");
    stage_ok(rlti_stage_value(stage, &stage->prims[0], found, 4.0 / 24.0, NULL, &value), NULL);
    assert_true(fabsf(*(const float *)value.data - 1.0f) < 1e-6f);
    rlti_array_clear(&value);
    rlti_stage_close(stage);
    remove("held.abc");
}

/* ---- instances ---- */

/* An instance: an object with a mark and the path it stands for. */
static void add_instance(rlti_abc_headers *h, rlti_abc_children *to, const char *name, const char *source) {
    static const rlti_array_type text = {RLTI_TEXT, 1, RLTI_ROLE_NONE, 0};
    rlti_abc_compound properties = {0};
    rlti_abc_children none = {0};
    rlti_abc_add_still(h, &properties, ".instanceSource", "", text, source, strlen(source) + 1, NULL);
    rlti_abc_add_object(h, to, name, "isInstance=1", &properties, &none);
}

/* A transform that moves by x, which ends here. */
static void add_moved(rlti_abc_headers *h, rlti_abc_children *to, const char *name, double x,
                      rlti_abc_children *children) {
    static const rlti_array_type byte = {RLTI_UINT8, 1, RLTI_ROLE_NONE, 0},
                                 numbers = {RLTI_DOUBLE, 3, RLTI_ROLE_NONE, 0};
    static const unsigned char translate = 0x10;
    rlti_abc_compound properties = {0}, xform = {0};
    double values[3] = {x, 0, 0};
    rlti_abc_add_still(h, &xform, ".ops", "", byte, &translate, 1, NULL);
    rlti_abc_add_still(h, &xform, ".vals", "", numbers, values, sizeof values, NULL);
    rlti_abc_add_compound(h, &properties, ".xform", "schema=AbcGeom_Xform_v3", &xform);
    rlti_abc_add_object(h, to, name, "schema=AbcGeom_Xform_v3", &properties, children);
}

static void test_instances(void **state) {
    (void)state;
    static const struct {
        const char *path;
        double x;
    } wanted[] = {{"/lock", 1},   {"/lock/tip", 3}, {"/row", 10},     {"/row/a", 11},      {"/row/a/tip", 13},
                  {"/row/b", 12}, {"/rows", 10},    {"/rows/a", 11},  {"/rows/a/tip", 13}, {"/rows/b", 12},
                  {"/gone", 0},   {"/self", 0},     {"/self/self", 0}};
    rlt_messages *messages = rlt_messages_create();
    rlti_stream out = {0};
    rlti_abc_children roots = {0}, none = {0}, below = {0};
    stage_ok(rlti_stream_open(&out, "instances.abc", ".part", 65536, messages), messages);
    rlti_ogawa_begin(&out);
    rlti_abc_headers h = {.out = &out, .codes_per_second = 1.0, .frames_per_second = 24.0};
    add_moved(&h, &below, "tip", 2.0, &none);
    add_moved(&h, &roots, "lock", 1.0, &below);
    add_instance(&h, &below, "a", "/lock");
    add_instance(&h, &below, "b", "/lock/tip");
    add_moved(&h, &roots, "row", 10.0, &below);
    add_instance(&h, &roots, "rows", "/row"); /* of one that holds instances */
    add_instance(&h, &roots, "gone", "/nobody");
    add_instance(&h, &below, "self", "/self");
    add_moved(&h, &roots, "self", 0.0, &below);
    rlti_abc_end_archive(&h, rlti_abc_end_top(&h, &roots), "_ai_Application=test");
    rlti_abc_headers_free(&h);
    stage_ok(rlti_stream_publish(&out, messages), messages);
    rlti_stage *stage;
    stage_ok(rlti_stage_open("instances.abc", messages, &stage), messages);
    assert_int_equal(stage->prim_count, sizeof wanted / sizeof wanted[0]);
    for (int i = 0; i < stage->prim_count; i++) {
        double m[16];
        assert_string_equal(stage->prims[i].path, wanted[i].path);
        stage_ok(rlti_stage_world(stage, i, 0.0, messages, m), messages);
        assert_true(m[12] == wanted[i].x);
    }
    assert_int_equal(rlt_messages_count(messages), 2);
    assert_string_equal(rlt_messages_text(messages, 0),
                        "instances.abc: /gone: an instance of /nobody, which is not there; left empty");
    assert_string_equal(rlt_messages_text(messages, 1),
                        "instances.abc: /self/self: an instance of /self, which holds it; left empty");
    rlti_stage_close(stage);
    rlt_messages_destroy(messages);
    remove("instances.abc");
}

/* Alembic's faces are clockwise: right-handed ones are turned, with what rides on their corners. */
static void test_faces_are_turned(void **state) {
    (void)state;
    static const float p[5][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {2, 2, 0}};
    static const int32_t counts[2] = {4, 3}, indices[7] = {0, 1, 2, 3, 1, 4, 2};
    static const float corners[7] = {10, 11, 12, 13, 20, 21, 22};
    for (int left = 0; left < 2; left++)
        for (int late = 0; late < 2; late++) {
            int mesh;
            abc_writing w = abc_begin("faces.abc", 24.0, 0);
            rlti_prim prim = {.name = "mesh", .type_name = "", .kind = RLTI_PRIM_MESH, .left_handed = left};
            stage_ok(rlti_sink_prim(w.sink, -1, &prim, w.messages, &mesh), w.messages);
            int points = abc_attribute(&w, mesh, RLTI_BUILT_IN, "points", abc_point, RLTI_VERTEX);
            int c = abc_attribute(&w, mesh, RLTI_BUILT_IN, "faceVertexCounts", abc_whole, RLTI_UNIFORM);
            int i = abc_attribute(&w, mesh, RLTI_BUILT_IN, "faceVertexIndices", abc_whole, RLTI_FACE_VARYING);
            int v = abc_attribute(&w, mesh, RLTI_PRIMVAR, "value", abc_number, RLTI_FACE_VARYING);
            int per_point = abc_attribute(&w, mesh, RLTI_PRIMVAR, "other", abc_number, RLTI_VERTEX);
            abc_write(&w, points, still, p, 5);
            if (!late)
                abc_write(&w, c, still, counts, 2);
            abc_write(&w, i, still, indices, 7);
            abc_write(&w, v, still, corners, 7);
            abc_write(&w, per_point, still, corners, 5);
            if (late)
                abc_write(&w, c, still, counts, 2);
            abc_end(&w);
            rlti_stage *stage = stage_open_good("faces.abc");
            static const int32_t turned[7] = {0, 3, 2, 1, 1, 2, 4};
            static const float turned_corners[7] = {10, 13, 12, 11, 20, 22, 21};
            rlti_array value = {0};
            const rlti_prim *read = &stage->prims[0];
            assert_int_equal(read->left_handed, 1);
            stage_read(stage, read, stage_need(stage, read, RLTI_BUILT_IN, "faceVertexIndices"), -1, &value);
            assert_memory_equal(value.data, left ? indices : turned, sizeof turned);
            stage_read(stage, read, stage_need(stage, read, RLTI_PRIMVAR, "value"), -1, &value);
            assert_memory_equal(value.data, left ? corners : turned_corners, sizeof corners);
            stage_read(stage, read, stage_need(stage, read, RLTI_PRIMVAR, "other"), -1, &value);
            assert_memory_equal(value.data, corners, 5 * sizeof(float));
            stage_read(stage, read, stage_need(stage, read, RLTI_BUILT_IN, "extent"), -1, &value);
            static const float box[6] = {0, 0, 0, 2, 2, 0};
            assert_memory_equal(value.data, box, sizeof box);
            rlti_array_clear(&value);
            rlti_stage_close(stage);
        }
    remove("faces.abc");
}

/* Curves with a transform of their own become a transform and a shape below it. */
static void test_own_transforms(void **state) {
    (void)state;
    static const float p[2][3] = {{0, 0, 0}, {0, 1, 0}};
    static const int32_t two = 2;
    double matrix[16] = {0, 2, 0, 0, -2, 0, 0, 0, 0, 0, 2, 0, 5, 6, 7, 1};
    abc_writing w = abc_begin("moved.abc", 24.0, 0);
    int group = abc_prim(&w, -1, "group", RLTI_PRIM_GROUP);
    int hair = abc_prim(&w, group, "hair", RLTI_PRIM_CURVES);
    int child = abc_prim(&w, hair, "hairShape", RLTI_PRIM_XFORM); /* takes the shape's name */
    int points = abc_attribute(&w, hair, RLTI_BUILT_IN, "points", abc_point, RLTI_VERTEX);
    int counts = abc_attribute(&w, hair, RLTI_BUILT_IN, "curveVertexCounts", abc_whole, RLTI_UNIFORM);
    abc_write(&w, points, still, p, 2);
    abc_write(&w, counts, still, &two, 1);
    for (int frame = 1; frame <= 3; frame++) {
        matrix[12] = 5.0 + frame;
        stage_ok(rlti_sink_transform(w.sink, hair, frame, matrix, w.messages), w.messages);
    }
    stage_ok(rlti_sink_transform(w.sink, child, still, matrix, w.messages), w.messages);
    abc_end(&w);
    rlti_stage *stage = stage_open_good("moved.abc");
    assert_int_equal(stage->prim_count, 4);
    assert_int_equal(stage->prims[0].kind, RLTI_PRIM_XFORM);
    assert_int_equal(stage->prims[0].has_transform, 0);
    int xform = rlti_stage_find(stage, "/group/hair"),
        shape = rlti_stage_find(stage, "/group/hair/hairShape_");
    assert_true(xform >= 0 && shape >= 0 && rlti_stage_find(stage, "/group/hair/hairShape") >= 0);
    assert_int_equal(stage->prims[shape].kind, RLTI_PRIM_CURVES);
    assert_int_equal(stage->prims[xform].transform_time_count, 3);
    double world[16];
    assert_int_equal(rlti_stage_world(stage, shape, 2.5 / 24.0, NULL, world), RLT_OK);
    matrix[12] = 7.5;
    for (int i = 0; i < 16; i++)
        assert_true(fabs(world[i] - matrix[i]) < 1e-9);
    rlti_stage_close(stage);
    remove("moved.abc");
}

/* ---- going on ---- */

enum { FRAMES = 6, POINTS = 200 };

static void declare_shot(abc_writing *w) {
    int mesh, hair = abc_prim(w, -1, "hair", RLTI_PRIM_CURVES);
    rlti_prim prim = {.name = "mesh", .type_name = "", .kind = RLTI_PRIM_MESH};
    stage_ok(rlti_sink_prim(w->sink, hair, &prim, w->messages, &mesh), w->messages);
    static const rlti_array_type text = {RLTI_TEXT, 1, RLTI_ROLE_NONE, 1};
    abc_attribute(w, hair, RLTI_BUILT_IN, "points", abc_point, RLTI_VERTEX);
    abc_attribute(w, hair, RLTI_PRIMVAR, "names", text, RLTI_CONSTANT);
    abc_attribute(w, mesh, RLTI_BUILT_IN, "faceVertexCounts", abc_whole, RLTI_UNIFORM);
    abc_attribute(w, mesh, RLTI_BUILT_IN, "faceVertexIndices", abc_whole, RLTI_FACE_VARYING);
    abc_attribute(w, mesh, RLTI_PRIMVAR, "colour", abc_point, RLTI_FACE_VARYING);
}

static void feed_shot(abc_writing *w, int first, int end) {
    static const int32_t three = 3, indices[3] = {0, 1, 2};
    for (int frame = first; frame < end; frame++) {
        float p[POINTS][3];
        const char *names[1] = {frame % 2 ? "odd" : "even"};
        double matrix[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, frame, 0, 0, 1};
        for (int i = 0; i < POINTS * 3; i++)
            p[i / 3][i % 3] = (float)(frame / 2 * 1000 + i); /* two frames are the same each */
        if (frame == 0) {
            abc_write(w, 2, still, &three, 1);
            abc_write(w, 3, still, indices, 3);
        }
        abc_write(w, 0, frame, p, POINTS);
        abc_write(w, 1, frame, names, 1);
        abc_write(w, 4, frame, p, 3);
        stage_ok(rlti_sink_transform(w->sink, 0, frame, matrix, w->messages), w->messages);
    }
}

static void expect_same_file(const char *path, const char *other) {
    size_t size, other_size;
    unsigned char *bytes = bytes_read(path, &size), *others = bytes_read(other, &other_size);
    assert_int_equal(size, other_size);
    assert_memory_equal(bytes, others, size);
    free(bytes);
    free(others);
}

/* A run that was cut off and goes on writes the same bytes as one that was not. */
static void test_resume(void **state) {
    (void)state;
    abc_writing w = abc_begin("whole.abc", 24.0, 0);
    declare_shot(&w);
    feed_shot(&w, 0, FRAMES);
    abc_end(&w);
    for (int cut = 0; cut <= FRAMES; cut++) {
        rlti_stream_mark marks[RLTI_SINK_MARKS];
        int count;
        w = abc_begin("cut.abc", 24.0, 0);
        declare_shot(&w);
        feed_shot(&w, 0, cut);
        stage_ok(rlti_sink_marks(w.sink, marks, &count, w.messages), w.messages);
        feed_shot(&w, cut, cut < FRAMES ? cut + 1 : cut); /* lost */
        rlti_sink_leave(w.sink);
        rlt_messages_destroy(w.messages);
        w = abc_begin("cut.abc", 24.0, 1);
        declare_shot(&w);
        stage_ok(rlti_sink_resume(w.sink, marks, count, w.messages), w.messages);
        feed_shot(&w, cut, FRAMES);
        abc_end(&w);
        expect_same_file("cut.abc", "whole.abc");
        assert_int_not_equal(access("cut.abc.samples.part", F_OK), 0);
        assert_int_not_equal(access("cut.abc.index.part", F_OK), 0);
    }
    rlti_stage *stage = stage_open_good("whole.abc");
    int shape = rlti_stage_find(stage, "/hair/hairShape");
    const rlti_attribute *a = stage_need(stage, &stage->prims[shape], RLTI_BUILT_IN, "points");
    assert_int_equal(a->sample_count, 5); /* the last frame is the one before it again */
    rlti_stage_close(stage);
    remove("cut.abc");
    remove("whole.abc");
}

/* A file published on the way is complete, and the run goes on. */
static void test_publish_and_go_on(void **state) {
    (void)state;
    abc_writing w = abc_begin("whole.abc", 24.0, 0);
    declare_shot(&w);
    feed_shot(&w, 0, FRAMES);
    abc_end(&w);
    w = abc_begin("steps.abc", 24.0, 0);
    declare_shot(&w);
    for (int frame = 0; frame < FRAMES; frame++) {
        feed_shot(&w, frame, frame + 1);
        stage_ok(rlti_sink_publish(w.sink, w.messages), w.messages);
        rlti_stage *stage = stage_open_good("steps.abc");
        int shape = rlti_stage_find(stage, "/hair/hairShape");
        assert_int_equal(stage_need(stage, &stage->prims[shape], RLTI_PRIMVAR, "names")->sample_count,
                         frame == 0 ? 0 : frame + 1);
        rlti_stage_close(stage);
    }
    abc_end(&w);
    expect_same_file("steps.abc", "whole.abc");
    remove("steps.abc");
    remove("whole.abc");
}

/* What is hidden stays hidden, with all below it; subdivision and face sets keep what they are. */
static void test_kinds(void **state) {
    (void)state;
    static const int32_t faces[2] = {0, 2};
    int top, mesh, set, index;
    abc_writing w = abc_begin("kinds.abc", 24.0, 0);
    rlti_prim prim = {.name = "top", .type_name = "", .kind = RLTI_PRIM_GROUP, .is_hidden = 1};
    stage_ok(rlti_sink_prim(w.sink, -1, &prim, w.messages, &top), w.messages);
    prim = (rlti_prim){.name = "mesh", .type_name = "", .kind = RLTI_PRIM_MESH, .scheme = RLTI_SCHEME_LOOP};
    stage_ok(rlti_sink_prim(w.sink, top, &prim, w.messages, &mesh), w.messages);
    prim = (rlti_prim){.name = "set", .type_name = "", .kind = RLTI_PRIM_FACE_SET};
    stage_ok(rlti_sink_prim(w.sink, mesh, &prim, w.messages, &set), w.messages);
    index = abc_attribute(&w, set, RLTI_BUILT_IN, "indices", abc_whole, RLTI_CONSTANT);
    abc_write(&w, index, still, faces, 2);
    abc_prim(&w, -1, "shown", RLTI_PRIM_SKELETON);
    assert_int_equal(rlt_messages_count(w.messages), 1); /* no skeletons in Alembic */
    abc_end(&w);
    rlti_stage *stage = stage_open_good("kinds.abc");
    assert_int_equal(stage->prim_count, 4);
    assert_true(stage->prims[0].is_hidden && stage->prims[1].is_hidden && !stage->prims[3].is_hidden);
    assert_string_equal(stage->prims[1].type_name, "AbcGeom_SubD_v1");
    assert_int_equal(stage->prims[1].scheme, RLTI_SCHEME_LOOP);
    assert_int_equal(stage->prims[2].kind, RLTI_PRIM_FACE_SET);
    rlti_array value = {0};
    stage_read(stage, &stage->prims[2], stage_need(stage, &stage->prims[2], RLTI_BUILT_IN, "indices"), -1,
               &value);
    assert_memory_equal(value.data, faces, sizeof faces);
    rlti_array_clear(&value);
    rlti_stage_close(stage);
    remove("kinds.abc");
}

static void test_abandoned(void **state) {
    (void)state;
    abc_writing w = abc_begin("gone.abc", 24.0, 0);
    declare_shot(&w);
    feed_shot(&w, 0, 2);
    rlti_sink_abandon(w.sink);
    rlt_messages_destroy(w.messages);
    assert_int_not_equal(access("gone.abc", F_OK), 0);
    assert_int_not_equal(access("gone.abc.samples.part", F_OK), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference_groom_comes_back),
        cmocka_unit_test(test_every_type),
        cmocka_unit_test(test_texts_and_indices),
        cmocka_unit_test(test_times_and_repeats),
        cmocka_unit_test(test_held_times_are_even),
        cmocka_unit_test(test_instances),
        cmocka_unit_test(test_faces_are_turned),
        cmocka_unit_test(test_own_transforms),
        cmocka_unit_test(test_resume),
        cmocka_unit_test(test_publish_and_go_on),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_abandoned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
