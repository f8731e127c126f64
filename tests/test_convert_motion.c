/* Transforms keyed as operations and written as matrices: between the keys they stay what they were. */
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "abc_fixture.h"
#include "formats/alembic/abc_headers.h"
#include "files/transform_times.h"
#include "folder_fixture.h"
#include "program_fixture.h"
#include "ringlet/ringlet.h"

/* Everything that does not blend as a matrix does, and what does. Frames 1 to 25. */
static const char text[] =
    "#usda 1.0\n"
    "(\n    endTimeCode = 25\n    metersPerUnit = 0.01\n    startTimeCode = 1\n"
    "    timeCodesPerSecond = 24\n    upAxis = \"Y\"\n)\n"
    "def Xform \"quarter\"\n{\n"
    "    float xformOp:rotateY.timeSamples = { 1: 0, 25: 90 }\n"
    "    uniform token[] xformOpOrder = [\"xformOp:rotateY\"]\n}\n"
    "def Xform \"turns\"\n{\n" /* the same matrix at both keys and half way */
    "    double3 xformOp:translate = (1000, 0, 0)\n"
    "    float xformOp:rotateZ.timeSamples = { 1: 0, 25: 720 }\n"
    "    uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:rotateZ\"]\n}\n"
    "def Xform \"pivot\"\n{\n"
    "    double3 xformOp:translate.timeSamples = { 1: (0, 0, 0), 13: (5, 1, 0), 25: (5, -80, 2) }\n"
    "    double3 xformOp:translate:pivot = (10, 20, 30)\n"
    "    float3 xformOp:rotateXYZ.timeSamples = { 1: (0, 0, 0), 25: (90, -120, 300) }\n"
    "    float3 xformOp:scale.timeSamples = { 1: (1, 2, 3), 20: (0.1, 5, 3) }\n"
    "    uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:translate:pivot\","
    " \"xformOp:rotateXYZ\", \"xformOp:scale\", \"!invert!xformOp:translate:pivot\"]\n}\n"
    "def Xform \"orient\"\n{\n"
    "    quatf xformOp:orient.timeSamples = { 1: (1, 0, 0, 0), 25: (0.0871557, 0, 0.9961947, 0) }\n"
    "    uniform token[] xformOpOrder = [\"xformOp:orient\"]\n}\n"
    "def Xform \"orbit\"\n{\n" /* goes round without turning */
    "    float xformOp:rotateY.timeSamples = { 1: 0, 25: 180 }\n"
    "    double3 xformOp:translate = (7, 0, 0)\n"
    "    uniform token[] xformOpOrder = [\"xformOp:rotateY\", \"xformOp:translate\","
    " \"!invert!xformOp:rotateY\"]\n}\n"
    "def Xform \"slides\"\n{\n" /* straight: its keys are enough */
    "    double3 xformOp:translate.timeSamples = { 1: (0, 0, 0), 5: (1, 2, 3), 25: (0, 1000, 0.1) }\n"
    "    float xformOp:rotateX = 33\n"
    "    uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:rotateX\"]\n}\n"
    "def Xform \"matrix\"\n{\n" /* blended as one, shrinking as it says */
    "    matrix4d xformOp:transform.timeSamples = {\n"
    "        1: ( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0.1, 0, 0, 1) ),\n"
    "        25: ( (0, 1, 0, 0), (-1, 0, 0, 0), (0, 0, 1, 0), (0.7, 0, 3, 1) ),\n    }\n"
    "    uniform token[] xformOpOrder = [\"xformOp:transform\"]\n}\n";

static void convert_good(const char *from, const char *to, const rlt_convert_def *def) {
    rlt_messages *messages = rlt_messages_create();
    rlt_convert_def usual = rlt_convert_defaults();
    stage_ok(rlt_convert(from, to, def != NULL ? def : &usual, messages, NULL), messages);
    for (int i = 0; i < rlt_messages_count(messages); i++)
        if (strstr(rlt_messages_text(messages, i), "turns too fast") != NULL)
            fail_msg("%s", rlt_messages_text(messages, i));
    rlt_messages_destroy(messages);
}

static double row_length(const double *v) {
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* Own transforms of a prim in two files, at many times between two [s]: rows within the error that is
 * promised (and a little, for the comparison is at other times than the writer's), places within the same of
 * `way`. */
static void assert_follows(const char *a, const char *b, const char *path, double first, double last,
                           double way) {
    rlti_stage *x = stage_open_good(a), *y = stage_open_good(b);
    const rlti_prim *p = &x->prims[rlti_stage_find(x, path)], *q = &y->prims[rlti_stage_find(y, path)];
    for (int i = 0; i <= 997; i++) {
        double m[16], n[16], seconds = first + (last - first) * i / 997.0;
        int resets;
        stage_ok(x->reader->transform(x, p, seconds * x->codes_per_second, NULL, m, &resets), NULL);
        stage_ok(y->reader->transform(y, q, seconds * y->codes_per_second, NULL, n, &resets), NULL);
        double size = fmax(row_length(m), fmax(row_length(m + 4), row_length(m + 8)));
        for (int row = 0; row < 4; row++) {
            double d[3] = {n[4 * row] - m[4 * row], n[4 * row + 1] - m[4 * row + 1],
                           n[4 * row + 2] - m[4 * row + 2]};
            if (row_length(d) > 1.2e-4 * (row < 3 ? size : way) + 1e-9)
                fail_msg("%s: %s: row %d is off by %g at %g s", b, path, row, row_length(d), seconds);
        }
    }
    rlti_stage_close(x);
    rlti_stage_close(y);
}

static int transform_count(const char *file, const char *path) {
    rlti_stage *stage = stage_open_good(file);
    int count = stage->prims[rlti_stage_find(stage, path)].transform_time_count;
    rlti_stage_close(stage);
    return count;
}

static const struct {
    const char *path;
    double way;
} prims[] = {{"/quarter", 0.0}, {"/turns", 0.0},     {"/pivot", 200.0}, {"/orient", 0.0},
             {"/orbit", 14.0},  {"/slides", 1000.0}, {"/matrix", 3.0}};
enum { PRIM_COUNT = sizeof prims / sizeof prims[0] };

static void turns_do_not_shrink(void **state) {
    (void)state;
    static const char *const files[] = {"a.usda", "a.usdc", "a.abc"};
    for (int f = 0; f < 3; f++) {
        convert_good("in.usda", files[f], NULL);
        for (int i = 0; i < PRIM_COUNT; i++)
            assert_follows("in.usda", files[f], prims[i].path, 0.0, 1.2, prims[i].way);
        /* half way of a quarter: the length of a row was 0.707 */
        rlti_stage *stage = stage_open_good(files[f]);
        double m[16];
        stage_ok(rlti_stage_world(stage, rlti_stage_find(stage, "/quarter"),
                                  13.0 / 24.0 * stage->codes_per_second, NULL, m),
                 NULL);
        assert_true(fabs(row_length(m) - 1.0) < 1e-4);
        rlti_stage_close(stage);
        /* USD has the operations; else no more samples than it takes: 64 give 1.4 degrees each */
        assert_int_equal(transform_count(files[f], "/quarter"), f < 2 ? 2 : 65);
        assert_int_equal(transform_count(files[f], "/slides"), 3);
        assert_int_equal(transform_count(files[f], "/matrix"), 2);
    }
    /* and once more: matrices as they are */
    convert_good("a.abc", "b.usdc", NULL);
    assert_int_equal(transform_count("b.usdc", "/quarter"), 65);
    assert_follows("in.usda", "b.usdc", "/pivot", 0.0, 1.2, 200.0);
    convert_good("a.usdc", "b.abc", NULL);
    assert_follows("in.usda", "b.abc", "/pivot", 0.0, 1.2, 200.0);
}

static void assert_text(const char *file, const char *wanted) {
    size_t size;
    unsigned char *bytes = bytes_read(file, &size);
    bytes[size] = '\0';
    if (strstr((char *)bytes, wanted) == NULL)
        fail_msg("'%s' is not in:\n%s", wanted, (char *)bytes);
    free(bytes);
}

/* From USD to USD operations stay what they were, also those that say that parents do not count. */
static void operations_are_kept(void **state) {
    (void)state;
    static const char more[] =
        "#usda 1.0\n"
        "def Xform \"top\"\n{\n"
        "    double3 xformOp:translate = (1, 2, 3)\n"
        "    uniform token[] xformOpOrder = [\"xformOp:translate\"]\n"
        "    def Mesh \"free\"\n    {\n"
        "        float3 xformOp:rotateZYX:odd.timeSamples = { 1: (0, 0, 0), 2: None, 3: (9, 8, 7) }\n"
        "        half3 xformOp:scale = (1, 2, 4)\n"
        "        point3f[] points = [(0, 0, 0)]\n"
        "        texCoord2f[] primvars:st = [(0, 1)] (\n            interpolation = \"vertex\"\n        )\n"
        "        int[] primvars:st:indices = [0]\n"
        "        uniform token[] xformOpOrder = [\"!resetXformStack!\", \"xformOp:rotateZYX:odd\","
        " \"xformOp:scale\", \"!invert!xformOp:rotateZYX:odd\"]\n    }\n"
        "    def Xform \"unknown\"\n    {\n" /* not all of it is known: a matrix */
        "        float xformOp:rotateX.timeSamples = { 1: 0, 3: 90 }\n"
        "        uniform token[] xformOpOrder = [\"xformOp:rotateX\", \"xformOp:shear\"]\n    }\n}\n";
    bytes_write("more.usda", more, sizeof more - 1);
    convert_good("more.usda", "more.usdc", NULL);
    convert_good("more.usdc", "more2.usda", NULL);
    assert_text("more2.usda", "double3 xformOp:translate = (1, 2, 3)\n");
    assert_text("more2.usda", "uniform token[] xformOpOrder = [\"xformOp:translate\"]\n");
    assert_text("more2.usda", "float3 xformOp:rotateZYX:odd.timeSamples = {\n"
                              "            1: (0, 0, 0),\n            2: None,\n            3: (9, 8, 7),\n");
    assert_text("more2.usda", "half3 xformOp:scale = (1, 2, 4)\n");
    assert_text("more2.usda",
                "uniform token[] xformOpOrder = [\"!resetXformStack!\", \"xformOp:rotateZYX:odd\", "
                "\"xformOp:scale\", \"!invert!xformOp:rotateZYX:odd\"]\n");
    assert_text("more2.usda", "int[] primvars:st:indices = [0]\n");
    assert_true(transform_count("more2.usda", "/top/unknown") > 32);
    assert_follows("more.usda", "more2.usda", "/top/unknown", 1.0 / 24.0, 3.0 / 24.0, 0.0);
}

static void chosen_frames_follow_too(void **state) {
    (void)state;
    rlt_convert_def def = rlt_convert_defaults();
    def.has_first = def.has_last = 1;
    def.first = 7;
    def.last = 19.5;
    convert_good("in.usda", "some.usda", &def);
    for (int i = 0; i < PRIM_COUNT; i++)
        assert_follows("in.usda", "some.usda", prims[i].path, 7.0 / 24.0, 19.5 / 24.0, prims[i].way);
    rlti_stage *stage = stage_open_good("some.usda");
    const rlti_prim *prim = &stage->prims[rlti_stage_find(stage, "/quarter")];
    assert_true(prim->transform_times[0] == 7.0);
    assert_true(prim->transform_times[prim->transform_time_count - 1] == 19.5);
    rlti_stage_close(stage);
    char longer[sizeof text];
    memcpy(longer, text, sizeof text);
    memcpy(strstr(longer, "endTimeCode = 25"), "endTimeCode = 40", 16);
    bytes_write("longer.usda", longer, sizeof text - 1);
    def.first = 30; /* behind the last key, but not behind the last frame */
    def.last = 31;
    convert_good("longer.usda", "late.usda", &def);
    assert_follows("longer.usda", "late.usda", "/quarter", 30.0 / 24.0, 31.0 / 24.0, 0.0);
}

/* A million turns between two keys: as many samples as are allowed, and a word about it. */
static void what_cannot_be_followed_is_said(void **state) {
    (void)state;
    static const char fast[] = "#usda 1.0\ndef Xform \"top\"\n{\n"
                               "    double xformOp:rotateY.timeSamples = { 1: 0, 25: 360123456 }\n"
                               "    uniform token[] xformOpOrder = [\"xformOp:rotateY\"]\n}\n";
    bytes_write("fast.usda", fast, sizeof fast - 1);
    assert_int_equal(ringlet("convert fast.usda fast.abc"), 0);
    assert_non_null(
        strstr(err_text, "fast.usda: /top: turns too fast between two keys; in fast.abc it is off"));
    assert_int_equal(transform_count("fast.abc", "/top"), 4097);
}

/* ---- Alembic with rotations ---- */

/* "spin": moved, turned about y and by an axis and an angle, at 0 s and 1 s. */
static void write_spin(const char *path) {
    static const unsigned char operations[3] = {0x10, 0x50, 0x20}, yes = 1;
    static const double values[2][8] = {{1, 2, 3, 10, 0, 0, 1, 0}, {4, 2, 3, 130, 0, 0, 1, 100}};
    static const rlti_array_type bytes_type = {RLTI_UINT8, 3, RLTI_ROLE_NONE, 0},
                                 numbers = {RLTI_DOUBLE, 8, RLTI_ROLE_NONE, 0},
                                 flag = {RLTI_BOOL, 1, RLTI_ROLE_NONE, 0};
    rlt_messages *messages = rlt_messages_create();
    rlti_stream out = {0};
    rlti_abc_children roots = {0}, none = {0};
    rlti_abc_compound properties = {0}, xform = {0};
    double times[2] = {0.0, 1.0};
    uint64_t data[2];
    stage_ok(rlti_stream_open(&out, path, ".part", 65536, messages), messages);
    rlti_ogawa_begin(&out);
    rlti_abc_headers h = {.out = &out, .codes_per_second = 1.0, .frames_per_second = 24.0};
    for (int i = 0; i < 2; i++) {
        uint64_t key[2];
        rlti_murmur3(values[i], sizeof values[i], key);
        data[i] = rlti_ogawa_put_data(&out, key, values[i], sizeof values[i]);
    }
    rlti_abc_track track = {.times = times, .data = data, .count = 2, .capacity = 2};
    rlti_abc_add_still(&h, &xform, ".inherits", "", flag, &yes, 1, NULL);
    rlti_abc_add_still(&h, &xform, ".ops", "", bytes_type, operations, sizeof operations, NULL);
    rlti_abc_add_track(&h, &xform, ".vals", "", numbers, &track, NULL);
    rlti_abc_add_compound(&h, &properties, ".xform", "schema=AbcGeom_Xform_v3", &xform);
    rlti_abc_add_object(&h, &roots, "spin", "schema=AbcGeom_Xform_v3", &properties, &none);
    rlti_abc_end_archive(&h, rlti_abc_end_top(&h, &roots), "_ai_Application=test");
    rlti_abc_headers_free(&h);
    assert_int_equal(h.failed, 0);
    stage_ok(rlti_stream_publish(&out, messages), messages);
    rlt_messages_destroy(messages);
}

static void rotations_of_alembic_are_followed(void **state) {
    (void)state;
    static const char *const files[] = {"spin.usda", "spin.usdc", "spin2.abc"};
    write_spin("spin.abc");
    assert_int_equal(transform_count("spin.abc", "/spin"), 2);
    for (int i = 0; i < 3; i++) {
        convert_good("spin.abc", files[i], NULL);
        assert_follows("spin.abc", files[i], "/spin", 0.0, 1.0, 3.0);
    }
}

/* ---- prims that do not follow their parents ---- */

static const char free_text[] =
    "#usda 1.0\n(\n    metersPerUnit = 0.01\n    upAxis = \"Z\"\n)\n"
    "def Xform \"top\"\n{\n"
    "    double3 xformOp:translate.timeSamples = { 1: (10, 0, 0), 3: (30, 0, 0) }\n"
    "    uniform token[] xformOpOrder = [\"xformOp:translate\"]\n"
    "    def BasisCurves \"hair\"\n    {\n"
    "        double3 xformOp:translate = (1, 2, 3)\n"
    "        uniform token[] xformOpOrder = [\"!resetXformStack!\", \"xformOp:translate\"]\n"
    "        uniform token type = \"linear\"\n        int[] curveVertexCounts = [2]\n"
    "        point3f[] points = [(0, 0, 0), (0, 0, 1)]\n    }\n"
    "    def Xform \"bare\"\n    {\n"
    "        uniform token[] xformOpOrder = [\"!resetXformStack!\"]\n    }\n}\n";

static const char free_scene[] = "time: {first: 1, last: 3, outer_steps: 10}\ncharacter: {kind: none}\n"
                                 "hair: {file: free.usda, bind: none}\n";

/* The prim is at (x, y, z) at frame 3, and says that its parents do not count. */
static void assert_free(const char *file, const char *path, double x, double y, double z) {
    rlti_stage *stage = stage_open_good(file);
    int prim = rlti_stage_find(stage, path);
    double m[16], frame = stage->codes_per_second == 1.0 ? 1.0 / 24.0 : 1.0;
    if (prim < 0)
        fail_msg("%s: no %s", file, path);
    assert_int_equal(stage->prims[prim].resets, 1);
    stage_ok(rlti_stage_world(stage, prim, 3.0 * frame, NULL, m), NULL);
    if (fabs(m[12] - x) > 1e-9 || fabs(m[13] - y) > 1e-9 || fabs(m[14] - z) > 1e-9)
        fail_msg("%s: %s is at %g %g %g", file, path, m[12], m[13], m[14]);
    rlti_stage_close(stage);
}

static void resets_are_kept(void **state) {
    (void)state;
    static const char *const chain[] = {"free.usda",  "free1.usdc", "free2.abc", "free3.abc",
                                        "free4.usdc", "free5.usda", "free6.abc"};
    bytes_write("free.usda", free_text, sizeof free_text - 1);
    for (int i = 0; i < 7; i++) {
        if (i > 0)
            convert_good(chain[i - 1], chain[i], NULL);
        int is_turned = i >= 2; /* Z up became Y up */
        assert_free(chain[i], "/top/hair", 1.0, is_turned ? 3.0 : 2.0, is_turned ? -2.0 : 3.0);
        assert_free(chain[i], "/top/bare", 0.0, 0.0, 0.0);
    }
    rlt_convert_def def = rlt_convert_defaults();
    def.is_still = 1;
    for (int i = 0; i < 2; i++) { /* a matrix in place of operations */
        convert_good("free.usda", i == 0 ? "still.usda" : "still.usdc", &def);
        assert_free(i == 0 ? "still.usda" : "still.usdc", "/top/hair", 1.0, 2.0, 3.0);
    }
    convert_good("free.usda", "free.hair", &def);
    rlti_stage *stage = stage_open_good("free.hair");
    rlti_array value = {0};
    stage_read(stage, &stage->prims[0], stage_need(stage, &stage->prims[0], RLTI_BUILT_IN, "points"), -1,
               &value);
    assert_true(((const float *)value.data)[0] == 1.0f && ((const float *)value.data)[5] == 4.0f);
    rlti_array_clear(&value);
    rlti_stage_close(stage);
    bytes_write("free.yaml", free_scene, sizeof free_scene - 1);
    assert_int_equal(ringlet("simulate free.yaml -o alone.usda --standalone -q"), 0);
    assert_free("alone.usda", "/top/hair", 1.0, 2.0, 3.0);
    assert_int_equal(ringlet("simulate free.yaml -o alone.abc -q"), 0);
    assert_free("alone.abc", "/top/hair", 1.0, 3.0, -2.0);
}

/* "top/child", moved by 1 each; the child follows from 1 s on. */
static void write_changing(const char *path) {
    static const unsigned char flags[2] = {0, 1}, translate = 0x10;
    static const double values[3] = {1, 0, 0};
    static const rlti_array_type flag = {RLTI_BOOL, 1, RLTI_ROLE_NONE, 0},
                                 byte = {RLTI_UINT8, 1, RLTI_ROLE_NONE, 0},
                                 numbers = {RLTI_DOUBLE, 3, RLTI_ROLE_NONE, 0};
    rlt_messages *messages = rlt_messages_create();
    rlti_stream out = {0};
    rlti_abc_children roots = {0}, below = {0}, none = {0};
    double times[2] = {0.0, 1.0};
    uint64_t data[2];
    stage_ok(rlti_stream_open(&out, path, ".part", 65536, messages), messages);
    rlti_ogawa_begin(&out);
    rlti_abc_headers h = {.out = &out, .codes_per_second = 1.0, .frames_per_second = 24.0};
    for (int i = 0; i < 2; i++) {
        uint64_t key[2];
        rlti_murmur3(&flags[i], 1, key);
        data[i] = rlti_ogawa_put_data(&out, key, &flags[i], 1);
    }
    rlti_abc_track track = {.times = times, .data = data, .count = 2, .capacity = 2};
    for (int i = 0; i < 2; i++) {
        rlti_abc_compound properties = {0}, xform = {0};
        if (i == 0)
            rlti_abc_add_track(&h, &xform, ".inherits", "", flag, &track, NULL);
        rlti_abc_add_still(&h, &xform, ".ops", "", byte, &translate, 1, NULL);
        rlti_abc_add_still(&h, &xform, ".vals", "", numbers, values, sizeof values, NULL);
        rlti_abc_add_compound(&h, &properties, ".xform", "schema=AbcGeom_Xform_v3", &xform);
        rlti_abc_add_object(&h, i == 0 ? &below : &roots, i == 0 ? "child" : "top", "schema=AbcGeom_Xform_v3",
                            &properties, i == 0 ? &none : &below);
    }
    rlti_abc_end_archive(&h, rlti_abc_end_top(&h, &roots), "_ai_Application=test");
    rlti_abc_headers_free(&h);
    stage_ok(rlti_stream_publish(&out, messages), messages);
    rlt_messages_destroy(messages);
}

static void resets_that_change(void **state) {
    (void)state;
    write_changing("changing.abc");
    rlti_stage *stage = stage_open_good("changing.abc");
    double m[16];
    assert_int_equal(stage->prims[1].resets, 1);
    stage_ok(rlti_stage_world(stage, 1, 0.5, NULL, m), NULL);
    assert_true(m[12] == 1.0);
    stage_ok(rlti_stage_world(stage, 1, 1.5, NULL, m), NULL);
    assert_true(m[12] == 2.0);
    rlti_stage_close(stage);
    assert_int_equal(ringlet("convert changing.abc changed.usda --metres-per-unit 1 --up Y"), 0);
    assert_non_null(strstr(err_text,
                           "changing.abc: /top/child: follows its parents' transforms at some times "
                           "only; in changed.usda never, as at its first\n"));
    stage = stage_open_good("changed.usda");
    assert_int_equal(stage->prims[1].resets, 1);
    rlti_stage_close(stage);
}

/* ---- simulated hair that stands alone ---- */

/* Turns by 40 degrees a frame, from half a frame on. */
static const char groom[] =
    "#usda 1.0\n(\n    endTimeCode = 5\n    metersPerUnit = 0.01\n"
    "    startTimeCode = 1\n    timeCodesPerSecond = 24\n    upAxis = \"Y\"\n)\n"
    "def Xform \"head\"\n{\n"
    "    double3 xformOp:translate = (0, 30, 0)\n"
    "    float xformOp:rotateX.timeSamples = { 1: 0, 1.5: 0, 5: 140, 60: 2000 }\n"
    "    uniform token[] xformOpOrder = [\"xformOp:rotateX\", \"xformOp:translate\"]\n"
    "    def BasisCurves \"hair\"\n    {\n"
    "        uniform token type = \"linear\"\n"
    "        int[] curveVertexCounts = [3]\n"
    "        point3f[] points = [(0, 0, 0), (0, 1, 0), (0, 2, 0)]\n    }\n}\n";
static const char groom_scene[] = "time: {first: 1, last: 5}\ncharacter: {kind: none}\n"
                                  "health: {check_steps: off}\nhair: {file: groom.usda, bind: none}\n";

static void simulated_heads_turn_too(void **state) {
    (void)state;
    static const char *const files[] = {"alone.usda", "alone.usdc", "alone.abc"};
    bytes_write("groom.usda", groom, sizeof groom - 1);
    bytes_write("groom.yaml", groom_scene, sizeof groom_scene - 1);
    for (int i = 0; i < 3; i++) {
        char line[100];
        snprintf(line, sizeof line, "simulate groom.yaml -o %s --standalone -q", files[i]);
        if (ringlet(line) != 0)
            fail_msg("%s", err_text);
        assert_follows("groom.usda", files[i], "/head", 1.0 / 24.0, 5.0 / 24.0, 60.0);
    }
}

/* Runs until there is a checkpoint, and is killed. */
static void kill_run(const char *output, const char *checkpoint) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (!freopen("child.txt", "w", stderr))
            _exit(99);
        execl(RLT_PROGRAM, RLT_PROGRAM, "simulate", "long.yaml", "-o", output, "--standalone", "-q",
              "--checkpoint", "1", "-t", "1", (char *)NULL);
        _exit(98);
    }
    for (int i = 0; i < 20000 && access(checkpoint, F_OK) != 0; i++)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    kill(child, SIGKILL);
    int code = 0;
    assert_int_equal(waitpid(child, &code, 0), child);
    print_message("%s: %s\n", output, WIFSIGNALED(code) ? "killed" : "done before it was killed");
}

/* What is written between two frames does not depend on the frames before. */
static void resumed_heads_turn_the_same(void **state) {
    (void)state;
    static const char scene[] = "time: {first: 1, last: 60}\ncharacter: {kind: none}\n"
                                "health: {check_steps: off}\nhair: {file: groom.usda, bind: none}\n";
    static const char *const endings[] = {"usda", "usdc", "abc"};
    bytes_write("groom.usda", groom, sizeof groom - 1);
    bytes_write("long.yaml", scene, sizeof scene - 1);
    for (int i = 0; i < 3; i++) {
        char line[160], whole[32], broken[32], kept[64];
        snprintf(whole, sizeof whole, "whole.%s", endings[i]);
        snprintf(broken, sizeof broken, "broken.%s", endings[i]);
        snprintf(kept, sizeof kept, "%s.checkpoint", broken);
        snprintf(line, sizeof line, "simulate long.yaml -o %s --standalone -q --checkpoint 0", whole);
        assert_int_equal(ringlet(line), 0);
        kill_run(broken, kept);
        snprintf(line, sizeof line, "simulate long.yaml -o %s --standalone -q --resume", broken);
        if (ringlet(line) != 0)
            fail_msg("%s", err_text);
        size_t n, m;
        unsigned char *x = bytes_read(whole, &n), *y = bytes_read(broken, &m);
        assert_int_equal(n, m);
        assert_memory_equal(x, y, n);
        free(x);
        free(y);
    }
}

static int enter_folder(void **state) {
    (void)state;
    if (folder_enter("motion") != 0)
        return 1;
    bytes_write("in.usda", text, sizeof text - 1);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_do_not_shrink),
        cmocka_unit_test(operations_are_kept),
        cmocka_unit_test(chosen_frames_follow_too),
        cmocka_unit_test(what_cannot_be_followed_is_said),
        cmocka_unit_test(rotations_of_alembic_are_followed),
        cmocka_unit_test(resets_are_kept),
        cmocka_unit_test(resets_that_change),
        cmocka_unit_test(simulated_heads_turn_too),
        cmocka_unit_test(resumed_heads_turn_the_same),
    };
    return cmocka_run_group_tests(tests, enter_folder, folder_leave);
}
