/* The writer of .usda files, read back by the reader. */
#include "layer_fixture.h"

#include <float.h>
#include <sys/stat.h>

#include "data_fixture.h"
#include "formats/usd/usd_author.h"
#include "io/file_map.h"

static const char path[] = "test_usda_sink.usda";
static const double never = (double)NAN; /* no time */

static rlti_sink_def plain_def(void) {
    return (rlti_sink_def){.codes_per_second = 24.0,
                           .frames_per_second = 24.0,
                           .metres_per_unit = 0.01,
                           .up_axis = 'Y',
                           .first_time = 1.0,
                           .last_time = 3.0,
                           .title = "say \"hi\"",
                           .default_prim = "Root"};
}

static rlti_sink *open_sink(const rlti_sink_def *def, rlt_messages *messages) {
    rlti_sink *sink;
    stage_ok(rlti_sink_open(path, def, messages, &sink), messages);
    return sink;
}

static int add_prim(rlti_sink *sink, int parent, const char *name, rlti_prim_kind kind) {
    int index;
    rlti_prim prim = {.name = name, .type_name = "", .kind = kind, .scheme = RLTI_SCHEME_NONE};
    assert_int_equal(rlti_sink_prim(sink, parent, &prim, NULL, &index), RLT_OK);
    return index;
}

static int add_attribute(rlti_sink *sink, int prim, const char *name, rlti_attribute_class class_,
                         rlti_array_type type, rlti_interpolation interpolation) {
    int index;
    rlti_attribute attribute = {
        .name = name, .class_ = class_, .type = type, .interpolation = interpolation, .indices = -1};
    assert_int_equal(rlti_sink_attribute(sink, prim, &attribute, NULL, &index), RLT_OK);
    return index;
}

static rlti_array array_of(rlti_array_type type, size_t count, const void *data) {
    return (rlti_array){.type = type, .count = count, .data = data};
}

static const rlti_array_type float3s = {RLTI_FLOAT, 3, RLTI_ROLE_POINT, 1};
static const rlti_array_type floats = {RLTI_FLOAT, 1, RLTI_ROLE_NONE, 1};
static const rlti_array_type ints = {RLTI_INT32, 1, RLTI_ROLE_NONE, 1};

static rlti_usd_layer *read_back(unsigned char **bytes) {
    size_t size;
    rlti_usd_layer *layer;
    rlt_messages *messages = rlt_messages_create();
    *bytes = bytes_read(path, &size);
    stage_ok(rlti_usda_layer_open(path, *bytes, size, NULL, messages, &layer), messages);
    rlt_messages_destroy(messages);
    return layer;
}

static int exists(const char *name) {
    struct stat found;
    return stat(name, &found) == 0;
}

/* ---- the text ---- */

static void the_text_is_what_usd_expects(void **state) {
    (void)state;
    rlti_sink_def def = plain_def();
    rlti_sink *sink = open_sink(&def, NULL);
    int root = add_prim(sink, -1, "Root", RLTI_PRIM_GROUP), hair, index;
    rlti_prim curves = {.name = "Hair",
                        .type_name = "AbcGeom_Curve_v2",
                        .api_schemas = "GroomAPI SkelBindingAPI",
                        .kind = RLTI_PRIM_CURVES,
                        .purpose = RLTI_PURPOSE_GUIDE,
                        .basis = RLTI_BASIS_CATMULL_ROM,
                        .wrap = RLTI_WRAP_PINNED};
    assert_int_equal(rlti_sink_prim(sink, root, &curves, NULL, &hair), RLT_OK);
    rlti_prim body = {.name = "Body",
                      .kind = RLTI_PRIM_MESH,
                      .left_handed = 1,
                      .is_hidden = 1,
                      .scheme = RLTI_SCHEME_CATMULL_CLARK};
    assert_int_equal(rlti_sink_prim(sink, -1, &body, NULL, &index), RLT_OK);
    static const double matrix[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.5, 0, 0, 1};
    assert_int_equal(rlti_sink_transform(sink, root, never, matrix, NULL), RLT_OK);
    int points = add_attribute(sink, hair, "points", RLTI_BUILT_IN, float3s, RLTI_VERTEX);
    int widths = add_attribute(sink, hair, "widths", RLTI_BUILT_IN, floats, RLTI_CONSTANT);
    rlti_attribute st = {.name = "st",
                         .class_ = RLTI_PRIMVAR,
                         .type = {RLTI_FLOAT, 2, RLTI_ROLE_TEXTURE, 1},
                         .interpolation = RLTI_UNIFORM,
                         .element_size = 2,
                         .indices = 3};
    rlti_attribute by = {
        .name = ".indices", .class_ = RLTI_PRIMVAR, .type = ints, .indices = -1, .is_index = 1};
    int st_index, by_index;
    assert_int_equal(rlti_sink_attribute(sink, hair, &st, NULL, &st_index), RLT_OK);
    assert_int_equal(rlti_sink_attribute(sink, hair, &by, NULL, &by_index), RLT_OK);
    float p[6] = {0, 0.1f, -0.0f, 1e10f, 1, 2};
    int32_t order[2] = {0, 0};
    rlti_array value = array_of(float3s, 2, p);
    assert_int_equal(rlti_sink_write(sink, points, 1.0, &value, NULL), RLT_OK);
    value = array_of(floats, 1, p + 1);
    assert_int_equal(rlti_sink_write(sink, widths, never, &value, NULL), RLT_OK);
    value = array_of(st.type, 1, p);
    assert_int_equal(rlti_sink_write(sink, st_index, never, &value, NULL), RLT_OK);
    value = array_of(ints, 2, order);
    assert_int_equal(rlti_sink_write(sink, by_index, never, &value, NULL), RLT_OK);
    value = (rlti_array){.type = float3s, .blocked = 1};
    assert_int_equal(rlti_sink_write(sink, points, 2.5, &value, NULL), RLT_OK);
    assert_int_equal(rlti_sink_close(sink, NULL), RLT_OK);
    size_t size;
    char *text = (char *)bytes_read(path, &size);
    text[size] = '\0';
    assert_string_equal(
        text,
        "#usda 1.0\n"
        "(\n"
        "    defaultPrim = \"Root\"\n"
        "    doc = \"say \\\"hi\\\"\"\n"
        "    endTimeCode = 3\n"
        "    framesPerSecond = 24\n"
        "    metersPerUnit = 0.01\n"
        "    startTimeCode = 1\n"
        "    timeCodesPerSecond = 24\n"
        "    upAxis = \"Y\"\n"
        ")\n"
        "\n"
        "def Xform \"Root\"\n"
        "{\n"
        "    matrix4d xformOp:transform = ( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0.5, 0, 0, 1) )\n"
        "    uniform token[] xformOpOrder = [\"xformOp:transform\"]\n"
        "\n"
        "    def BasisCurves \"Hair\" (\n"
        "        prepend apiSchemas = [\"GroomAPI\", \"SkelBindingAPI\"]\n"
        "    )\n"
        "    {\n"
        "        uniform token type = \"cubic\"\n"
        "        uniform token basis = \"catmullRom\"\n"
        "        uniform token wrap = \"pinned\"\n"
        "        uniform token purpose = \"guide\"\n"
        "        point3f[] points.timeSamples = {\n"
        "            1: [(0, 0.1, -0), (1e10, 1, 2)],\n"
        "            2.5: None,\n"
        "        }\n"
        "        float[] widths = [0.1] (\n"
        "            interpolation = \"constant\"\n"
        "        )\n"
        "        texCoord2f[] primvars:st = [(0, 0.1)] (\n"
        "            elementSize = 2\n"
        "            interpolation = \"uniform\"\n"
        "        )\n"
        "        int[] primvars:st:indices = [0, 0]\n"
        "    }\n"
        "}\n"
        "\n"
        "def Mesh \"Body\"\n"
        "{\n"
        "    uniform token orientation = \"leftHanded\"\n"
        "    uniform token subdivisionScheme = \"catmullClark\"\n"
        "    token visibility = \"invisible\"\n"
        "}\n");
    free(text);
    assert_false(exists("test_usda_sink.usda.part"));
}

static void an_over_says_only_what_changes(void **state) {
    (void)state;
    rlti_sink_def def = {.codes_per_second = 24.0, .last_time = -1.0, .over = "dir/a@b.usd"};
    rlti_sink *sink = open_sink(&def, NULL);
    int root = add_prim(sink, -1, "Root", RLTI_PRIM_XFORM);
    int hair = add_prim(sink, root, "Hair", RLTI_PRIM_CURVES);
    int points = add_attribute(sink, hair, "points", RLTI_BUILT_IN, float3s, RLTI_VERTEX);
    rlti_array value = array_of(float3s, 0, NULL);
    assert_int_equal(rlti_sink_write(sink, points, 7.0, &value, NULL), RLT_OK);
    assert_int_equal(rlti_sink_close(sink, NULL), RLT_OK);
    size_t size;
    char *text = (char *)bytes_read(path, &size);
    text[size] = '\0';
    assert_string_equal(text, "#usda 1.0\n"
                              "(\n"
                              "    subLayers = [\n"
                              "        @@@dir/a@b.usd@@@\n"
                              "    ]\n"
                              "    timeCodesPerSecond = 24\n"
                              ")\n"
                              "\n"
                              "over \"Root\"\n"
                              "{\n"
                              "\n"
                              "    over \"Hair\"\n"
                              "    {\n"
                              "        point3f[] points.timeSamples = {\n"
                              "            7: [],\n"
                              "        }\n"
                              "    }\n"
                              "}\n");
    free(text);
    unsigned char *bytes;
    rlti_usd_layer *layer = read_back(&bytes);
    assert_string_equal(layer->sublayers[0].asset, "dir/a@b.usd");
    assert_int_equal(layer->prims[1].specifier, RLTI_USD_OVER);
    rlti_usd_layer_close(layer);
    free(bytes);
}

/* ---- there and back ---- */

/* Bytes that are good elements of any number type: few bits for bools, no NaN with a payload. */
static void fill(rlti_element element, unsigned char *bytes, size_t count, uint32_t *seed) {
    static const float special[] = {0.0f,     -0.0f,        FLT_MIN,       FLT_MAX,    -FLT_MAX,
                                    1e-45f,   -3e-42f,      HUGE_VALF,     -HUGE_VALF, 0.1f,
                                    1.0f / 3, 123456789.0f, 5.9604645e-8f, 8388608.5f, -1e-38f};
    static const double wide[] = {0.0,     -0.0,     DBL_MIN,   DBL_MAX, 5e-324,
                                  -1e-310, HUGE_VAL, -HUGE_VAL, 0.1,     1.0 / 3.0};
    size_t size = rlti_element_size(element);
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = 0;
        for (int k = 0; k < 2; k++) {
            *seed = *seed * 1664525u + 1013904223u;
            bits = bits << 32 | (*seed ^ *seed >> 15);
        }
        if (element == RLTI_BOOL)
            bits &= 1;
        if (element == RLTI_FLOAT) {
            float value = special[i % (sizeof special / sizeof special[0])];
            uint32_t exponent = (uint32_t)bits & 0x7f800000u;
            if (i >= sizeof special / sizeof special[0] && exponent != 0x7f800000u)
                memcpy(&value, &bits, sizeof value);
            memcpy(&bits, &value, sizeof value);
        }
        if (element == RLTI_DOUBLE) {
            double value = wide[i % (sizeof wide / sizeof wide[0])];
            if (i >= sizeof wide / sizeof wide[0] && (bits & 0x7ff0000000000000u) != 0x7ff0000000000000u)
                memcpy(&value, &bits, sizeof value);
            memcpy(&bits, &value, sizeof value);
        }
        if (element == RLTI_HALF && (bits & 0x7c00) == 0x7c00)
            bits &= 0xfc00; /* infinite */
        memcpy(bytes + i * size, &bits, size);
    }
}

/* Every type that USD has, alone and in arrays, with the values that are hard: bit for bit. */
static void every_type_comes_back(void **state) {
    (void)state;
    static const char *const names[] = {
        "bool",     "uchar",    "int",      "uint",     "int64",      "uint64",     "half",    "float",
        "double",   "timecode", "int2",     "int4",     "half2",      "half4",      "float2",  "float3",
        "float4",   "double2",  "double3",  "double4",  "point3f",    "point3d",    "point3h", "vector3f",
        "normal3f", "color3f",  "color4f",  "color4h",  "texCoord2f", "texCoord3d", "quatf",   "quatd",
        "quath",    "matrix2d", "matrix3d", "matrix4d", "frame4d"};
    enum { COUNT = sizeof names / sizeof names[0], VALUES = 200 };
    static unsigned char data[2 * COUNT][VALUES * 16 * 8];
    rlti_sink_def def = plain_def();
    rlti_sink *sink = open_sink(&def, NULL);
    rlti_array_type types[2 * COUNT];
    uint32_t seed = 7;
    add_prim(sink, -1, "Root", RLTI_PRIM_XFORM);
    for (int i = 0; i < 2 * COUNT; i++) {
        char type_name[32], name[32];
        snprintf(type_name, sizeof type_name, "%s%s", names[i / 2], i % 2 ? "[]" : "");
        snprintf(name, sizeof name, "a%d", i);
        assert_true(rlti_usd_type(type_name, strlen(type_name), &types[i]));
        fill(types[i].element, data[i], VALUES * (size_t)types[i].arity, &seed);
        rlti_attribute attribute = {.name = name,
                                    .class_ = RLTI_CUSTOM,
                                    .type = types[i],
                                    .indices = -1,
                                    .is_uniform = i % 3 == 0,
                                    .type_name = type_name};
        int index;
        assert_int_equal(rlti_sink_attribute(sink, 0, &attribute, NULL, &index), RLT_OK);
        rlti_array value = array_of(types[i], types[i].is_array ? VALUES : 1, data[i]);
        assert_int_equal(rlti_sink_write(sink, index, i % 4 < 2 ? never : -2.5, &value, NULL), RLT_OK);
    }
    assert_int_equal(rlti_sink_close(sink, NULL), RLT_OK);
    unsigned char *bytes;
    rlti_usd_layer *layer = read_back(&bytes);
    rlti_array value = {0};
    assert_int_equal(layer->property_count, 2 * COUNT);
    for (int i = 0; i < 2 * COUNT; i++) {
        const rlti_usd_property *p = &layer->properties[i];
        layer_value(layer, i % 4 < 2 ? &p->value : &p->samples[0], &value);
        rlti_array wanted = array_of(types[i], types[i].is_array ? VALUES : 1, data[i]);
        if (!rlti_array_equal(&value, &wanted))
            fail_msg("%s %s changed", p->type_name, p->name);
        assert_int_equal(p->is_uniform, i % 3 == 0);
        if (i % 2 == 0)
            assert_string_equal(p->type_name, names[i / 2]);
    }
    rlti_array_clear(&value);
    rlti_usd_layer_close(layer);
    free(bytes);
}

static void texts_come_back(void **state) {
    (void)state;
    static const char *const texts[] = {
        "",       "plain",     "quote \" and ' and \\", "line\nend\ttab\x01", "\xc3\xa9\xe2\x82\xac", "@at@",
        "\"\"\"", "ends in \\"};
    static const char *const files[] = {"", "a.png", "a@b.png", "a@@@b", "ends@@", "\xc3\xa9.usd", "b c"};
    static const rlti_array_type types[] = {{RLTI_TEXT, 1, RLTI_ROLE_NONE, 1},
                                            {RLTI_TEXT, 1, RLTI_ROLE_TOKEN, 1},
                                            {RLTI_TEXT, 1, RLTI_ROLE_ASSET, 1},
                                            {RLTI_TEXT, 1, RLTI_ROLE_NONE, 0}};
    rlti_sink_def def = plain_def();
    rlti_sink *sink = open_sink(&def, NULL);
    rlti_array values[4] = {array_of(types[0], 8, texts), array_of(types[1], 8, texts),
                            array_of(types[2], 7, files), array_of(types[3], 1, &texts[3])};
    add_prim(sink, -1, "Root", RLTI_PRIM_XFORM);
    for (int i = 0; i < 4; i++) {
        static const char *const names[] = {"a", "b", "c", "d"};
        int index = add_attribute(sink, 0, names[i], RLTI_CUSTOM, types[i], RLTI_CONSTANT);
        assert_int_equal(rlti_sink_write(sink, index, never, &values[i], NULL), RLT_OK);
    }
    assert_int_equal(rlti_sink_close(sink, NULL), RLT_OK);
    unsigned char *bytes;
    rlti_usd_layer *layer = read_back(&bytes);
    rlti_array value = {0};
    for (int i = 0; i < 4; i++) {
        layer_value(layer, &layer->properties[i].value, &value);
        assert_true(rlti_array_equal(&value, &values[i]));
    }
    rlti_array_clear(&value);
    rlti_usd_layer_close(layer);
    free(bytes);
}

/* What USD has no type for, or another one: widened, or number by number, or left out with a warning. */
static void other_types_are_fitted(void **state) {
    (void)state;
    rlti_sink_def def = plain_def();
    rlt_messages *messages = rlt_messages_create();
    rlti_sink *sink = open_sink(&def, messages);
    int curves = add_prim(sink, -1, "Root", RLTI_PRIM_CURVES);
    static const rlti_array_type box = {RLTI_DOUBLE, 6, RLTI_ROLE_BOX, 0},
                                 six = {RLTI_FLOAT, 6, RLTI_ROLE_NONE, 1},
                                 shorts = {RLTI_INT16, 1, RLTI_ROLE_NONE, 1},
                                 raw = {RLTI_TEXT, 0, RLTI_ROLE_NONE, 0},
                                 doubles = {RLTI_DOUBLE, 3, RLTI_ROLE_POINT, 1};
    static const double corners[6] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
    static const float numbers[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    static const int16_t small[2] = {-5, 5};
    int extent = add_attribute(sink, curves, "extent", RLTI_BUILT_IN, box, RLTI_CONSTANT);
    int sixes = add_attribute(sink, curves, "sixes", RLTI_PRIMVAR, six, RLTI_UNIFORM);
    int few = add_attribute(sink, curves, "few", RLTI_PRIMVAR, shorts, RLTI_UNIFORM);
    int points = add_attribute(sink, curves, "points", RLTI_BUILT_IN, doubles, RLTI_VERTEX);
    int unknown;
    rlti_attribute strange = {.name = "strange", .class_ = RLTI_CUSTOM, .type = raw, .indices = -1};
    assert_int_equal(rlti_sink_attribute(sink, curves, &strange, messages, &unknown), RLT_OK);
    assert_int_equal(rlt_messages_count(messages), 1);
    rlti_array value = array_of(box, 1, corners);
    assert_int_equal(rlti_sink_write(sink, extent, never, &value, messages), RLT_OK);
    value = array_of(six, 2, numbers);
    assert_int_equal(rlti_sink_write(sink, sixes, never, &value, messages), RLT_OK);
    value = array_of(shorts, 2, small);
    assert_int_equal(rlti_sink_write(sink, few, never, &value, messages), RLT_OK);
    value = array_of(doubles, 2, corners);
    assert_int_equal(rlti_sink_write(sink, points, never, &value, messages), RLT_OK);
    static const char *const text = "x";
    value = array_of(raw, 1, &text);
    assert_int_equal(rlti_sink_write(sink, unknown, never, &value, messages), RLT_OK);
    assert_int_equal(rlti_sink_close(sink, messages), RLT_OK);
    rlt_messages_destroy(messages);
    unsigned char *bytes;
    rlti_usd_layer *layer = read_back(&bytes);
    rlti_array got = {0};
    const rlti_usd_property *p = layer_property(layer, "/Root", "extent");
    assert_string_equal(p->type_name, "float3[]");
    layer_value(layer, &p->value, &got);
    assert_int_equal(got.count, 2);
    assert_true((double)((const float *)got.data)[0] < 0.1 && (double)((const float *)got.data)[3] > 0.1);
    p = layer_property(layer, "/Root", "primvars:sixes");
    assert_string_equal(p->type_name, "float[]");
    assert_int_equal(p->element_size, 6);
    layer_value(layer, &p->value, &got);
    assert_int_equal(got.count, 12);
    p = layer_property(layer, "/Root", "primvars:few");
    assert_string_equal(p->type_name, "int[]");
    layer_value(layer, &p->value, &got);
    assert_int_equal(((const int32_t *)got.data)[0], -5);
    assert_string_equal(layer_property(layer, "/Root", "points")->type_name, "point3f[]");
    rlti_array_clear(&got);
    rlti_usd_layer_close(layer);
    free(bytes);
}

static void names_are_made_legal_and_stay_apart(void **state) {
    (void)state;
    static const char *const prims[] = {"a b", "a_b", "a-b", "1st", "", "\xc3\xa9", "a_b_1"};
    static const char *const wanted[] = {"a_b_2", "a_b", "a_b_3", "_1st", "_", "\xc3\xa9", "a_b_1"};
    rlti_sink_def def = plain_def();
    def.default_prim = "a b";
    rlti_sink *sink = open_sink(&def, NULL);
    for (int i = 0; i < 7; i++)
        assert_int_equal(add_prim(sink, -1, prims[i], RLTI_PRIM_GROUP), i);
    add_attribute(sink, 0, "x:y.z", RLTI_CUSTOM, floats, RLTI_CONSTANT);
    add_attribute(sink, 0, "x:y_z", RLTI_CUSTOM, floats, RLTI_CONSTANT);
    add_attribute(sink, 0, "2:3:", RLTI_PRIMVAR, floats, RLTI_CONSTANT);
    assert_int_equal(rlti_sink_close(sink, NULL), RLT_OK);
    unsigned char *bytes;
    rlti_usd_layer *layer = read_back(&bytes);
    assert_int_equal(layer->prim_count, 7);
    for (int i = 0; i < 7; i++)
        assert_string_equal(layer->prims[i].name, wanted[i]);
    assert_string_equal(layer->default_prim, "a_b_2");
    assert_string_equal(layer->properties[0].name, "x:y_z_1");
    assert_string_equal(layer->properties[1].name, "x:y_z");
    assert_string_equal(layer->properties[2].name, "primvars:_2:_3_");
    rlti_usd_layer_close(layer);
    free(bytes);
}

/* ---- going on ---- */

static void declare(rlti_sink *sink, int handles[2]) {
    int root = add_prim(sink, -1, "Root", RLTI_PRIM_XFORM);
    int hair = add_prim(sink, root, "Hair", RLTI_PRIM_CURVES);
    handles[0] = add_attribute(sink, hair, "points", RLTI_BUILT_IN, float3s, RLTI_VERTEX);
    handles[1] = add_attribute(sink, hair, "velocities", RLTI_BUILT_IN, float3s, RLTI_VERTEX);
}

static void write_frames(rlti_sink *sink, const int handles[2], int first, int end) {
    for (int frame = first; frame < end; frame++) {
        float points[6] = {(float)frame, 0.5f, 1, 2, 3, 4};
        double matrix[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, frame, 0, 0, 1};
        rlti_array value = array_of(float3s, 2, points);
        assert_int_equal(rlti_sink_write(sink, handles[0], frame, &value, NULL), RLT_OK);
        assert_int_equal(rlti_sink_transform(sink, 0, frame, matrix, NULL), RLT_OK);
        if (frame % 3 == 0)
            assert_int_equal(rlti_sink_write(sink, handles[1], frame, &value, NULL), RLT_OK);
    }
}

/* A run that is killed and goes on gives the same bytes as one that is not; so does publishing on the way. */
static void a_killed_run_goes_on(void **state) {
    (void)state;
    rlti_sink_def def = plain_def();
    int handles[2], count;
    size_t size, again_size;
    rlti_sink *sink = open_sink(&def, NULL);
    declare(sink, handles);
    write_frames(sink, handles, 0, 40);
    assert_int_equal(rlti_sink_close(sink, NULL), RLT_OK);
    unsigned char *whole = bytes_read(path, &size);

    rlti_stream_mark marks[RLTI_SINK_MARKS];
    sink = open_sink(&def, NULL);
    declare(sink, handles);
    write_frames(sink, handles, 0, 17);
    assert_int_equal(rlti_sink_publish(sink, NULL), RLT_OK);
    assert_int_equal(rlti_sink_marks(sink, marks, &count, NULL), RLT_OK);
    write_frames(sink, handles, 17, 30); /* lost */
    rlti_sink_leave(sink);
    assert_true(exists("test_usda_sink.usda.part"));
    unsigned char *bytes;
    rlti_usd_layer *layer = read_back(&bytes); /* what was published */
    assert_int_equal(layer_property(layer, "/Root/Hair", "points")->sample_count, 17);
    rlti_usd_layer_close(layer);
    free(bytes);

    def.resumes = 1;
    sink = open_sink(&def, NULL);
    declare(sink, handles);
    assert_int_equal(rlti_sink_resume(sink, marks, count, NULL), RLT_OK);
    write_frames(sink, handles, 17, 40);
    assert_int_equal(rlti_sink_close(sink, NULL), RLT_OK);
    unsigned char *again = bytes_read(path, &again_size);
    assert_int_equal(size, again_size);
    assert_memory_equal(whole, again, size);
    free(whole);
    free(again);
}

static void a_wrong_part_is_refused(void **state) {
    (void)state;
    rlti_sink_def def = plain_def();
    int handles[2], count;
    rlti_stream_mark marks[RLTI_SINK_MARKS];
    rlti_sink *sink = open_sink(&def, NULL);
    declare(sink, handles);
    write_frames(sink, handles, 0, 5);
    assert_int_equal(rlti_sink_marks(sink, marks, &count, NULL), RLT_OK);
    rlti_sink_leave(sink);
    def.resumes = 1;
    for (int kind = 0; kind < 3; kind++) {
        rlt_messages *messages = rlt_messages_create();
        sink = open_sink(&def, messages);
        if (kind == 0)
            add_prim(sink, -1, "Root", RLTI_PRIM_XFORM); /* fewer things than were written */
        else
            declare(sink, handles);
        if (kind == 1)
            marks[0].sum ^= 1;
        if (kind == 2)
            marks[0].length = -1;
        assert_int_equal(rlti_sink_resume(sink, marks, count, messages), RLT_BAD_INPUT);
        assert_int_equal(rlti_sink_publish(sink, messages), RLT_FAILED);
        rlti_sink_leave(sink);
        rlt_messages_destroy(messages);
    }
    remove("test_usda_sink.usda.part");
}

static void values_that_cannot_be_are_refused(void **state) {
    (void)state;
    for (int kind = 0; kind < 5; kind++) {
        rlti_sink_def def = plain_def();
        int handles[2];
        rlt_messages *messages = rlt_messages_create();
        rlti_sink *sink = open_sink(&def, messages);
        declare(sink, handles);
        write_frames(sink, handles, 0, 2);
        float points[7] = {0};
        static const char *const text = "x";
        rlti_array value = array_of(kind == 3 ? floats : float3s, kind == 3 ? 7 : 1, points);
        if (kind == 2)
            value = array_of((rlti_array_type){RLTI_TEXT, 1, RLTI_ROLE_NONE, 1}, 1, &text);
        double time = kind == 0 ? 1.0 : kind == 1 ? HUGE_VAL : 2.0;
        rlt_status status = kind == 4 ? rlti_sink_transform(sink, 0, 0.5, (const double[16]){0}, messages)
                                      : rlti_sink_write(sink, handles[0], time, &value, messages);
        assert_int_equal(status, RLT_BAD_INPUT);
        assert_int_equal(rlt_messages_count(messages), 1);
        assert_int_equal(rlti_sink_close(sink, messages), RLT_FAILED);
        assert_false(exists("test_usda_sink.usda.part"));
        rlt_messages_destroy(messages);
    }
}

/* ---- real files ---- */

/* Everything a real file holds, written again: the same arrays, bit for bit. */
static void real_files_pass_through(void **state) {
    (void)state;
    static const char *const names[] = {"ratboy_mohawk_2228x32.usda", "openusd_BasisCurves1_16curves.usda",
                                        "openusd_pinnedCurves.usda", "own_timesampled_groom.usda",
                                        "tinyusdz_hair_blender301_1000curves.usda"};
    for (size_t f = 0; f < sizeof names / sizeof names[0]; f++) {
        char from[1024];
        if (!data_path(names[f], from, sizeof from))
            skip();
        rlti_stage *stage = stage_open_good(from);
        stage_copy(stage, path);
        rlti_stage *copy = stage_open_good(path);
        rlti_array a = {0}, b = {0};
        assert_int_equal(stage->prim_count, copy->prim_count);
        for (int p = 0; p < stage->prim_count; p++) {
            const rlti_prim *x = &stage->prims[p], *y = &copy->prims[p];
            assert_string_equal(x->path, y->path);
            assert_int_equal(x->kind, y->kind);
            assert_true(x->curve_type == y->curve_type && x->basis == y->basis && x->wrap == y->wrap &&
                        x->scheme == y->scheme && x->left_handed == y->left_handed &&
                        x->purpose == y->purpose && x->has_transform == y->has_transform);
            for (int i = 0; i < x->attribute_count; i++) {
                const rlti_attribute *u = &stage->attributes[x->first_attribute + i];
                const rlti_attribute *v = stage_need(copy, y, u->class_, u->name);
                assert_int_equal(u->sample_count, v->sample_count);
                assert_int_equal(u->has_default, v->has_default);
                for (int s = u->has_default ? -1 : 0; s < u->sample_count; s++) {
                    stage_read(stage, x, u, s, &a);
                    stage_read(copy, y, v, s, &b);
                    assert_true(rlti_array_equal(&a, &b));
                }
            }
        }
        rlti_array_clear(&a);
        rlti_array_clear(&b);
        rlti_stage_close(stage);
        rlti_stage_close(copy);
    }
}

static int clean(void **state) {
    (void)state;
    remove(path);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_text_is_what_usd_expects),
        cmocka_unit_test(an_over_says_only_what_changes),
        cmocka_unit_test(every_type_comes_back),
        cmocka_unit_test(texts_come_back),
        cmocka_unit_test(other_types_are_fitted),
        cmocka_unit_test(names_are_made_legal_and_stay_apart),
        cmocka_unit_test(a_killed_run_goes_on),
        cmocka_unit_test(a_wrong_part_is_refused),
        cmocka_unit_test(values_that_cannot_be_are_refused),
        cmocka_unit_test(real_files_pass_through),
    };
    return cmocka_run_group_tests(tests, NULL, clean);
}
