/* Indexed values of Alembic files in USD: indices of primvars are int[], which is all that OpenUSD takes, and
 * built-in attributes, which cannot have any there, are expanded. */

#include "abc_fixture.h"
#include "folder_fixture.h"
#include "program_fixture.h"
#include "ringlet/ringlet.h"

static const double still = (double)NAN;
static const rlti_array_type texture = {RLTI_FLOAT, 2, RLTI_ROLE_TEXTURE, 1},
                             normal = {RLTI_FLOAT, 3, RLTI_ROLE_NORMAL, 1};
/* Declares values, and behind them their indices; returns the handle of the values. */
static int add_indexed(abc_writing *w, int prim, rlti_attribute_class class_, const char *name,
                       rlti_array_type type, rlti_interpolation place, int own_count) {
    int values, indices;
    char index_name[64];
    rlti_attribute a = {.name = name,
                        .class_ = class_,
                        .type = type,
                        .interpolation = place,
                        .element_size = 1,
                        .indices = own_count + 1,
                        .type_name = ""};
    stage_ok(rlti_sink_attribute(w->sink, prim, &a, w->messages, &values), w->messages);
    snprintf(index_name, sizeof index_name, "%s:indices", name);
    a.name = index_name;
    a.type = abc_whole;
    a.indices = -1;
    a.is_index = 1;
    stage_ok(rlti_sink_attribute(w->sink, prim, &a, w->messages, &indices), w->messages);
    assert_int_equal(indices, values + 1);
    return values;
}

/* Two hairs of two points. Normals have moving values, widths moving indices, texture coordinates neither. */
static void write_hair(abc_writing *w) {
    static const float points[12] = {0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0};
    static const float coordinates[4] = {0.25f, 0.5f, 0.75f, 1.0f};
    static const float normals[2][6] = {{1, 0, 0, 0, 1, 0}, {0, 0, 1, 0, 1, 0}};
    static const float widths[2] = {0.125f, 0.5f};
    static const int32_t counts[2] = {2, 2}, uniform[2] = {1, 0}, vertex[2][4] = {{0, 1, 1, 0}, {1, 1, 1, 0}};
    int hair = abc_prim(w, -1, "hair", RLTI_PRIM_CURVES);
    int p = abc_attribute(w, hair, RLTI_BUILT_IN, "points", abc_point, RLTI_VERTEX);
    int n = abc_attribute(w, hair, RLTI_BUILT_IN, "curveVertexCounts", abc_whole, RLTI_UNIFORM);
    int st = add_indexed(w, hair, RLTI_PRIMVAR, "st", texture, RLTI_UNIFORM, 2);
    int normal_of = add_indexed(w, hair, RLTI_BUILT_IN, "normals", normal, RLTI_VERTEX, 4);
    int width = add_indexed(w, hair, RLTI_BUILT_IN, "widths", abc_number, RLTI_VERTEX, 6);
    abc_write(w, p, still, points, 4);
    abc_write(w, n, still, counts, 2);
    abc_write(w, st, still, coordinates, 2);
    abc_write(w, st + 1, still, uniform, 2);
    abc_write(w, normal_of, 1.0, normals[0], 2);
    abc_write(w, normal_of, 3.0, normals[1], 2);
    abc_write(w, normal_of + 1, still, vertex[0], 4);
    abc_write(w, width, still, widths, 2);
    abc_write(w, width + 1, 1.0, vertex[0], 4);
    abc_write(w, width + 1, 2.0, vertex[1], 4);
}

/* A square of two triangles with a normal for each corner, of which there are two. */
static void write_mesh(abc_writing *w) {
    static const float points[12] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0}, normals[6] = {0, 0, 1, 0, 1, 0};
    static const int32_t counts[2] = {3, 3}, faces[6] = {0, 1, 2, 0, 2, 3}, corners[6] = {0, 1, 0, 1, 1, 0};
    int mesh = abc_prim(w, -1, "skin", RLTI_PRIM_MESH);
    int p = abc_attribute(w, mesh, RLTI_BUILT_IN, "points", abc_point, RLTI_VERTEX);
    int c = abc_attribute(w, mesh, RLTI_BUILT_IN, "faceVertexCounts", abc_whole, RLTI_UNIFORM);
    int f = abc_attribute(w, mesh, RLTI_BUILT_IN, "faceVertexIndices", abc_whole, RLTI_FACE_VARYING);
    int n = add_indexed(w, mesh, RLTI_BUILT_IN, "normals", normal, RLTI_FACE_VARYING, 3);
    abc_write(w, p, still, points, 4);
    abc_write(w, c, still, counts, 2);
    abc_write(w, f, still, faces, 6);
    abc_write(w, n, still, normals, 2);
    abc_write(w, n + 1, still, corners, 6);
}

static void assert_number(const rlti_stage *stage, const rlti_prim *prim, const char *name, double frame,
                          size_t count, size_t place, double wanted) {
    rlti_array value = {0};
    const rlti_attribute *a = stage_need(stage, prim, RLTI_BUILT_IN, name);
    stage_ok(rlti_stage_value(stage, prim, a, frame, NULL, &value), NULL);
    assert_int_equal(a->indices, -1);
    assert_int_equal(value.count, count);
    if (fabs((double)((const float *)value.data)[place] - wanted) > 1e-6)
        fail_msg("%s: %s.%s[%zu] at %g is %g, not %g", stage->file, prim->path, name, place, frame,
                 (double)((const float *)value.data)[place], wanted);
    rlti_array_clear(&value);
}

static void assert_no(const rlti_stage *stage, const rlti_prim *prim, const char *name) {
    for (int c = RLTI_BUILT_IN; c <= RLTI_CUSTOM; c++)
        if (rlti_stage_attribute(stage, prim, (rlti_attribute_class)c, name) != NULL)
            fail_msg("%s: %s has %s", stage->file, prim->path, name);
}

/* What every USD file made of that hair must have. */
static void assert_hair(const char *file) {
    rlti_stage *stage = stage_open_good(file);
    rlti_array value = {0};
    const rlti_prim *hair = &stage->prims[rlti_stage_find(stage, "/hair")];
    const rlti_attribute *st = stage_need(stage, hair, RLTI_PRIMVAR, "st"),
                         *by = stage_need(stage, hair, RLTI_PRIMVAR, "st:indices");
    assert_true(st->indices >= 0 && by->is_index);
    assert_string_equal(by->type_name, "int[]");
    stage_ok(rlti_stage_flat(stage, hair, st, 0.0, NULL, &value), NULL);
    assert_int_equal(value.count, 2);
    assert_true(((const float *)value.data)[0] == 0.75f && ((const float *)value.data)[2] == 0.25f);
    rlti_array_clear(&value);
    assert_no(stage, hair, "normals:indices");
    assert_no(stage, hair, "widths:indices");
    assert_number(stage, hair, "normals", 1.0, 4, 0, 1.0); /* 0 1 1 0 */
    assert_number(stage, hair, "normals", 1.0, 4, 4, 1.0);
    assert_number(stage, hair, "normals", 1.0, 4, 9, 1.0);
    assert_number(stage, hair, "normals", 3.0, 4, 0, 0.0);
    assert_number(stage, hair, "normals", 3.0, 4, 11, 1.0);
    assert_number(stage, hair, "widths", 1.0, 4, 0, 0.125);
    assert_number(stage, hair, "widths", 1.0, 4, 1, 0.5);
    assert_number(stage, hair, "widths", 2.0, 4, 0, 0.5);
    assert_number(stage, hair, "widths", 2.0, 4, 3, 0.125);
    assert_int_equal(stage_need(stage, hair, RLTI_BUILT_IN, "normals")->interpolation, RLTI_VERTEX);
    rlti_stage_close(stage);
}

static void convert_good(const char *from, const char *to, const rlt_convert_def *def) {
    rlt_messages *messages = rlt_messages_create();
    rlt_convert_def usual = rlt_convert_defaults();
    stage_ok(rlt_convert(from, to, def != NULL ? def : &usual, messages, NULL), messages);
    rlt_messages_destroy(messages);
}

static void usd_has_no_unsigned_indices(void **state) {
    (void)state;
    static const char *const files[] = {"a.usda", "a.usdc"};
    for (int i = 0; i < 2; i++) {
        convert_good("in.abc", files[i], NULL);
        assert_hair(files[i]);
        rlti_stage *stage = stage_open_good(files[i]);
        const rlti_prim *skin = &stage->prims[rlti_stage_find(stage, "/skin")];
        assert_no(stage, skin, "normals:indices");
        assert_int_equal(stage_need(stage, skin, RLTI_BUILT_IN, "normals")->interpolation, RLTI_FACE_VARYING);
        /* Alembic turns faces round, and the values of their corners with them: 0 0 1, 0 0 1 */
        assert_number(stage, skin, "normals", 0.0, 6, 2, 1.0);
        assert_number(stage, skin, "normals", 0.0, 6, 5, 1.0);
        assert_number(stage, skin, "normals", 0.0, 6, 7, 1.0);
        rlti_stage_close(stage);
    }
    size_t size;
    unsigned char *text = bytes_read("a.usda", &size);
    text[size] = '\0';
    assert_null(strstr((char *)text, "uint"));
    assert_non_null(strstr((char *)text, "int[] primvars:st:indices = [1, 0]"));
    free(text);
    convert_good("a.usda", "b.usdc", NULL); /* and on */
    assert_hair("b.usdc");
}

/* A part of the frames, and one frame only. */
static void chosen_frames_are_expanded(void **state) {
    (void)state;
    rlt_convert_def def = rlt_convert_defaults();
    def.has_first = def.has_last = 1;
    def.first = 2;
    def.last = 3;
    convert_good("in.abc", "some.usda", &def);
    rlti_stage *stage = stage_open_good("some.usda");
    const rlti_prim *hair = &stage->prims[rlti_stage_find(stage, "/hair")];
    assert_number(stage, hair, "normals", 2.0, 4, 0, 0.5);
    assert_number(stage, hair, "widths", 2.0, 4, 0, 0.5);
    rlti_stage_close(stage);
    def = rlt_convert_defaults();
    def.is_still = 1;
    convert_good("in.abc", "still.usda", &def);
    stage = stage_open_good("still.usda");
    hair = &stage->prims[rlti_stage_find(stage, "/hair")];
    assert_int_equal(stage_need(stage, hair, RLTI_BUILT_IN, "widths")->sample_count, 0);
    assert_number(stage, hair, "widths", 0.0, 4, 1, 0.5);
    rlti_stage_close(stage);
}

/* Alembic itself keeps them as they are, in the type its library has for them. */
static void alembic_keeps_indices(void **state) {
    (void)state;
    convert_good("in.abc", "again.abc", NULL);
    rlti_stage *stage = stage_open_good("again.abc");
    const rlti_prim *hair = &stage->prims[rlti_stage_find(stage, "/hair")];
    assert_true(stage_need(stage, hair, RLTI_BUILT_IN, "normals")->indices >= 0);
    const rlti_attribute *by = stage_need(stage, hair, RLTI_PRIMVAR, "st:indices");
    assert_int_equal(by->type.element, RLTI_UINT32);
    rlti_stage_close(stage);
}

/* USD has indexed normals and widths as primvars, which count before the plain attributes: they are the same
 * thing, and Alembic's N and width. */
static void primvars_that_are_built_in(void **state) {
    (void)state;
    static const char text[] =
        "#usda 1.0\ndef BasisCurves \"hair\"\n{\n"
        "    uniform token type = \"linear\"\n    int[] curveVertexCounts = [2, 2]\n"
        "    point3f[] points = [(0, 0, 0), (0, 1, 0), (1, 0, 0), (1, 1, 0)]\n"
        "    normal3f[] normals = [(9, 9, 9)] (\n        interpolation = \"constant\"\n    )\n"
        "    normal3f[] primvars:normals = [(1, 0, 0), (0, 1, 0)] (\n        interpolation = \"vertex\"\n    "
        ")\n"
        "    int[] primvars:normals:indices = [1, 0, 0, 1]\n"
        "    float[] primvars:widths = [0.25, 0.5] (\n        interpolation = \"uniform\"\n    )\n"
        "    int[] primvars:widths:indices = [1, 0]\n}\n";
    static const char *const files[] = {"plain.usda", "plain.usdc", "plain.abc", "plain2.usda"};
    bytes_write("primvars.usda", text, sizeof text - 1);
    for (int i = 0; i < 4; i++) {
        convert_good(i < 3 ? "primvars.usda" : "plain.abc", files[i], NULL);
        rlti_stage *stage = stage_open_good(files[i]);
        const rlti_prim *hair = &stage->prims[rlti_stage_find(stage, "/hair")];
        const rlti_attribute *n = stage_need(stage, hair, RLTI_BUILT_IN, "normals"),
                             *w = stage_need(stage, hair, RLTI_BUILT_IN, "widths");
        rlti_array value = {0};
        assert_int_equal(n->indices >= 0, i == 2);
        assert_int_equal(n->interpolation, RLTI_VERTEX);
        assert_int_equal(w->interpolation, RLTI_UNIFORM);
        stage_ok(rlti_stage_flat(stage, hair, n, 0.0, NULL, &value), NULL);
        assert_int_equal(value.count, 4);
        assert_true(((const float *)value.data)[1] == 1.0f && ((const float *)value.data)[3] == 1.0f);
        stage_ok(rlti_stage_flat(stage, hair, w, 0.0, NULL, &value), NULL);
        assert_int_equal(value.count, 2);
        assert_true(((const float *)value.data)[0] == 0.5f && ((const float *)value.data)[1] == 0.25f);
        assert_null(rlti_stage_attribute(stage, hair, RLTI_PRIMVAR, "normals"));
        rlti_array_clear(&value);
        rlti_stage_close(stage);
    }
}

/* Indices of values that are not there are refused whatever the target, built in or not, moving or not. */
static void indices_that_are_not_there(void **state) {
    (void)state;
    static const char *const targets[] = {"bad.usda", "bad.usdc", "bad.abc"},
                             *const names[] = {"widths", "tint"},
                             *const indices[] = {" = [1, 0, -1]", " = [1, 0, 7]",
                                                 ".timeSamples = { 1: [1, 0, 1], 2: [0, 1, 2] }"},
                             *const said[] = {"index -1 at place 2", "index 7 at place 2",
                                              "index 2 at place 2"};
    for (int i = 0; i < 3; i++)
        for (int n = 0; n < 2; n++) {
            char text[1024], line[100];
            int size = snprintf(text, sizeof text,
                                "#usda 1.0\n( metersPerUnit = 0.01\n upAxis = \"Y\" )\n"
                                "def BasisCurves \"c\" {\n    uniform token type = \"linear\"\n"
                                "    int[] curveVertexCounts = [2, 2, 2]\n"
                                "    point3f[] points = [(0, 0, 0), (0, 1, 0), (1, 0, 0), (1, 1, 0), (2, 0, "
                                "0), (2, 1, 0)]\n"
                                "    float[] primvars:%s = [0.1, 0.2] ( interpolation = \"uniform\" )\n"
                                "    int[] primvars:%s:indices%s\n}\n",
                                names[n], names[n], indices[i]);
            bytes_write("bad-indices.usda", text, (size_t)size);
            for (int t = 0; t < 3; t++) {
                snprintf(line, sizeof line, "convert bad-indices.usda %s -q", targets[t]);
                int code = ringlet(line);
                if (code != 2 || strstr(err_text, said[i]) == NULL)
                    fail_msg("%s%s to %s: exit %d: %s", names[n], indices[i], targets[t], code, err_text);
                assert_int_not_equal(access(targets[t], F_OK), 0);
            }
        }
}

static void simulated_hair_is_the_same(void **state) {
    (void)state;
    static const char scene[] =
        "time: {first: 1, last: 3}\nhealth: {check_steps: off}\ncharacter: {kind: none}\n"
        "hair: {file: in.abc, prim: /hair, bind: none}\n"
        "files: {metres_per_unit: 0.01, up: Y}\n";
    static const char *const files[] = {"sim.usda", "sim.usdc"};
    char line[100];
    bytes_write("sim.yaml", scene, sizeof scene - 1);
    for (int i = 0; i < 2; i++) {
        snprintf(line, sizeof line, "simulate sim.yaml -o %s --standalone -q", files[i]);
        if (ringlet(line) != 0)
            fail_msg("%s", err_text);
        assert_hair(files[i]);
    }
}

static int enter_folder(void **state) {
    (void)state;
    if (folder_enter("indices") != 0)
        return 1;
    abc_writing w = abc_begin("in.abc", 24.0, 0);
    write_hair(&w);
    write_mesh(&w);
    abc_end(&w);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usd_has_no_unsigned_indices), cmocka_unit_test(chosen_frames_are_expanded),
        cmocka_unit_test(alembic_keeps_indices),       cmocka_unit_test(primvars_that_are_built_in),
        cmocka_unit_test(indices_that_are_not_there),  cmocka_unit_test(simulated_hair_is_the_same)};
    return cmocka_run_group_tests(tests, enter_folder, folder_leave);
}
