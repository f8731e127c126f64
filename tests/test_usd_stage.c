/* USD in the neutral words: what prims are, transforms, primvars, units and times; geometry in the world. */
#include "usd_fixture.h"

#include "data_fixture.h"
#include "geometry/geometry.h"

static void test_metadata(void **state) {
    (void)state;
    usd_write("a.usda", "def Xform \"A\" {}\n");
    rlti_stage *stage = usd_open("a.usda");
    assert_string_equal(stage->reader->format, "usda");
    assert_true(stage->metres_per_unit == 0.01 && stage->up_axis == 'Y' && stage->codes_per_second == 24.0);
    assert_true(stage->default_prim == -1 && stage->first_time == 0.0 && stage->last_time == 0.0);
    rlti_stage_close(stage);
    usd_write("b.usda", "(defaultPrim = \"B\"\n upAxis = \"Z\"\n metersPerUnit = 1\n framesPerSecond = 30\n"
                        " startTimeCode = 5\n endTimeCode = 9)\ndef Xform \"A\" {}\ndef Xform \"B\" {}\n");
    stage = usd_open("b.usda");
    assert_true(stage->metres_per_unit == 1.0 && stage->up_axis == 'Z' && stage->codes_per_second == 30.0);
    assert_true(stage->default_prim == 1 && stage->first_time == 5.0 && stage->last_time == 9.0);
    rlti_stage_close(stage);
}

static void test_prims(void **state) {
    (void)state;
    usd_write("a.usda", "def Xform \"A\" (prepend apiSchemas = [\"GroomAPI\", \"SkelBindingAPI\"]) {\n"
                        "  uniform token purpose = \"guide\"\n  token visibility = \"invisible\"\n"
                        "  def BasisCurves \"plain\" {}\n"
                        "  def BasisCurves \"words\" { uniform token type = \"linear\"\n uniform token basis "
                        "= \"catmullRom\"\n"
                        "    uniform token wrap = \"pinned\"\n uniform token purpose = \"default\" }\n}\n"
                        "def Mesh \"cage\" {}\n"
                        "def Mesh \"M\" { uniform token orientation = \"leftHanded\"\n"
                        "  uniform token subdivisionScheme = \"none\"\n def GeomSubset \"part\" {} }\n"
                        "def NurbsCurves \"N\" { int[] order = [4]\n double[] knots = [0, 1] }\n"
                        "def Skeleton \"S\" { def SkelAnimation \"motion\" {} }\n"
                        "def Camera \"C\" {}\ndef Scope \"G\" {}\ndef \"untyped\" {}\n");
    rlti_stage *stage = usd_open("a.usda");
    const rlti_prim *plain = usd_prim(stage, "/A/plain"), *words = usd_prim(stage, "/A/words");
    assert_string_equal(usd_prim(stage, "/A")->api_schemas, "GroomAPI SkelBindingAPI");
    assert_true(plain->kind == RLTI_PRIM_CURVES && plain->curve_type == RLTI_CURVE_CUBIC);
    assert_true(plain->basis == RLTI_BASIS_BEZIER && plain->wrap == RLTI_WRAP_NONPERIODIC);
    assert_true(plain->purpose == RLTI_PURPOSE_GUIDE && plain->is_hidden);
    assert_true(words->curve_type == RLTI_CURVE_LINEAR && words->basis == RLTI_BASIS_CATMULL_ROM);
    assert_true(words->wrap == RLTI_WRAP_PINNED && words->purpose == RLTI_PURPOSE_DEFAULT);
    assert_int_equal(words->attribute_count, 0);
    assert_int_equal(usd_prim(stage, "/cage")->scheme, RLTI_SCHEME_CATMULL_CLARK);
    const rlti_prim *mesh = usd_prim(stage, "/M");
    assert_true(mesh->kind == RLTI_PRIM_MESH && mesh->left_handed && mesh->scheme == RLTI_SCHEME_NONE);
    assert_int_equal(usd_prim(stage, "/M/part")->kind, RLTI_PRIM_FACE_SET);
    const rlti_prim *nurbs = usd_prim(stage, "/N");
    assert_true(nurbs->kind == RLTI_PRIM_CURVES && nurbs->curve_type == RLTI_CURVE_VARIABLE);
    stage_need(stage, nurbs, RLTI_BUILT_IN, "orders");
    stage_need(stage, nurbs, RLTI_BUILT_IN, "knots");
    assert_int_equal(usd_prim(stage, "/S")->kind, RLTI_PRIM_SKELETON);
    assert_int_equal(usd_prim(stage, "/S/motion")->kind, RLTI_PRIM_SKELETON_MOTION);
    assert_int_equal(usd_prim(stage, "/C")->kind, RLTI_PRIM_OTHER);
    assert_int_equal(usd_prim(stage, "/G")->kind, RLTI_PRIM_GROUP);
    assert_int_equal(usd_prim(stage, "/untyped")->kind, RLTI_PRIM_GROUP);
    rlti_stage_close(stage);
}

static void test_attributes(void **state) {
    (void)state;
    usd_write(
        "a.usda",
        "def Xform \"A\" {\n float primvars:stiff = 3\n float[] primvars:many = [1, 2] (interpolation = "
        "\"vertex\")\n"
        "  def BasisCurves \"h\" {\n"
        "    float[] widths = [1]\n    normal3f[] normals = [(0, 0, 1)] (interpolation = \"uniform\")\n"
        "    texCoord2f[] primvars:st = [(0, 0), (1, 1)] (interpolation = \"uniform\")\n"
        "    int[] primvars:st:indices = [1, 0, 1]\n"
        "    int[] primvars:j = [0, 1] (elementSize = 2)\n"
        "    custom string note = \"x\"\n    double3 points = (1, 2, 3)\n float3[] extent = []\n  }\n}\n");
    rlti_stage *stage = usd_open("a.usda");
    const rlti_prim *h = usd_prim(stage, "/A/h"), *owner = NULL;
    assert_int_equal(stage_need(stage, h, RLTI_BUILT_IN, "widths")->interpolation, RLTI_VERTEX);
    assert_int_equal(stage_need(stage, h, RLTI_BUILT_IN, "normals")->interpolation, RLTI_UNIFORM);
    const rlti_attribute *st = stage_need(stage, h, RLTI_PRIMVAR, "st");
    assert_true(st->indices >= 0);
    assert_true(stage->attributes[h->first_attribute + st->indices].is_index);
    rlti_array array = {0};
    assert_int_equal(rlti_stage_flat(stage, h, st, 0, NULL, &array), RLT_OK);
    assert_true(array.count == 3 && ((const float *)array.data)[2] == 0.0F);
    rlti_array_clear(&array);
    const rlti_attribute *j = stage_need(stage, h, RLTI_PRIMVAR, "j");
    assert_true(j->element_size == 2 && j->interpolation == RLTI_CONSTANT);
    stage_need(stage, h, RLTI_CUSTOM, "note");
    /* constant primvars of parents count, others do not */
    int index = rlti_stage_find(stage, "/A/h");
    assert_non_null(rlti_stage_primvar(stage, index, "stiff", &owner));
    assert_string_equal(owner->path, "/A");
    assert_null(rlti_stage_primvar(stage, index, "many", &owner));
    rlti_stage_close(stage);
}

/* ---- transforms ---- */

static void world_point(const rlti_stage *stage, const char *path, double time, const double p[3],
                        double to[3]) {
    double m[16];
    rlt_messages *messages = rlt_messages_create();
    stage_ok(rlti_stage_world(stage, rlti_stage_find(stage, path), time, messages, m), messages);
    rlt_messages_destroy(messages);
    for (int c = 0; c < 3; c++)
        to[c] = p[0] * m[c] + p[1] * m[4 + c] + p[2] * m[8 + c] + m[12 + c];
}

static void expect_world(const rlti_stage *stage, const char *path, double time, double x, double y, double z,
                         double ex, double ey, double ez) {
    double p[3] = {x, y, z}, to[3];
    world_point(stage, path, time, p, to);
    near(to[0], ex, 1e-9);
    near(to[1], ey, 1e-9);
    near(to[2], ez, 1e-9);
}

/* Every expected number is worked out by hand. */
static void test_transform_operations(void **state) {
    (void)state;
    usd_write(
        "a.usda",
        /* p * scale * rotateZ * translate: the last of the list first */
        "def Xform \"trs\" { double3 xformOp:translate = (10, 0, 0)\n float xformOp:rotateZ = 90\n"
        "  float3 xformOp:scale = (2, 3, 4)\n"
        "  uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:rotateZ\", \"xformOp:scale\"]\n"
        "  def Xform \"child\" { double3 xformOp:translate = (1, 0, 0)\n"
        "    uniform token[] xformOpOrder = [\"xformOp:translate\"] }\n"
        "  def Xform \"reset\" { double3 xformOp:translate = (1, 0, 0)\n"
        "    uniform token[] xformOpOrder = [\"!resetXformStack!\", \"xformOp:translate\"] } }\n"
        /* turn about the point (1, 0, 0) */
        "def Xform \"pivot\" { double3 xformOp:translate:pivot = (1, 0, 0)\n float xformOp:rotateY = 90\n"
        "  uniform token[] xformOpOrder = [\"xformOp:translate:pivot\", \"xformOp:rotateY\",\n"
        "    \"!invert!xformOp:translate:pivot\"] }\n"
        "def Xform \"xyz\" { float3 xformOp:rotateXYZ = (90, 90, 0)\n"
        "  uniform token[] xformOpOrder = [\"xformOp:rotateXYZ\"] }\n"
        "def Xform \"zyx\" { float3 xformOp:rotateZYX = (90, 90, 0)\n"
        "  uniform token[] xformOpOrder = [\"xformOp:rotateZYX\"] }\n"
        "def Xform \"orient\" { quatf xformOp:orient = (0.70710678, 0, 0, 0.70710678)\n"
        "  uniform token[] xformOpOrder = [\"xformOp:orient\"] }\n"
        "def Xform \"matrix\" { matrix4d xformOp:transform = ((0, 1, 0, 0), (-1, 0, 0, 0), (0, 0, 1, 0), (5, "
        "6, "
        "7, 1))\n  uniform token[] xformOpOrder = [\"xformOp:transform\"] }\n"
        "def Xform \"inverse\" { matrix4d xformOp:transform = ((0, 1, 0, 0), (-1, 0, 0, 0), (0, 0, 1, 0), "
        "(5, 6, "
        "7, 1))\n  uniform token[] xformOpOrder = [\"!invert!xformOp:transform\"] }\n"
        "def Xform \"unused\" { double3 xformOp:translate = (1, 0, 0) }\n"
        "def Scope \"scope\" { double3 xformOp:translate = (1, 0, 0)\n"
        "  uniform token[] xformOpOrder = [\"xformOp:translate\"] }\n");
    rlti_stage *stage = usd_open("a.usda");
    expect_world(stage, "/trs", 0, 1, 1, 1, 10 - 3, 2, 4);
    expect_world(stage, "/trs/child", 0, 0, 1, 1, 10 - 3, 2, 4);
    expect_world(stage, "/trs/reset", 0, 0, 0, 0, 1, 0, 0);
    expect_world(stage, "/pivot", 0, 2, 0, 0, 1, 0, -1);
    expect_world(stage, "/pivot", 0, 1, 5, 0, 1, 5, 0);
    expect_world(stage, "/xyz", 0, 0, 1, 0, 1, 0, 0); /* y to z by X, z to x by Y */
    expect_world(stage, "/zyx", 0, 0, 1, 0, 0, 0, 1); /* y stays by Y, then to z by X */
    expect_world(stage, "/orient", 0, 1, 0, 0, 0, 1, 0);
    expect_world(stage, "/matrix", 0, 1, 0, 0, 5, 7, 7);
    expect_world(stage, "/inverse", 0, 5, 7, 7, 1, 0, 0);
    assert_false(usd_prim(stage, "/unused")->has_transform);
    assert_false(usd_prim(stage, "/scope")->has_transform);
    rlti_stage_close(stage);
}

static void test_transform_times(void **state) {
    (void)state;
    usd_write("a.usda",
              "def Xform \"A\" { double3 xformOp:translate.timeSamples = {1: (0, 0, 0), 3: (2, 0, 0)}\n"
              "  quatf xformOp:orient.timeSamples = {2: (1, 0, 0, 0), 4: (0, 0, 0, 1)}\n"
              "  uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"] }\n");
    rlti_stage *stage = usd_open("a.usda");
    const rlti_prim *a = usd_prim(stage, "/A");
    assert_int_equal(a->transform_time_count, 4);
    assert_true(a->transform_times[0] == 1 && a->transform_times[3] == 4);
    assert_true(stage->first_time == 1.0 && stage->last_time == 4.0);
    assert_true(rlti_stage_world_moves(stage, 0));
    expect_world(stage, "/A", 0, 1, 0, 0, 1, 0, 0);
    expect_world(stage, "/A", 2, 1, 0, 0, 1 + 1, 0, 0);
    double s = sqrt(0.5); /* half way to 180 degrees, a quarter of it is 45 */
    expect_world(stage, "/A", 2.5, 1, 0, 0, 1.5 + s, s, 0);
    expect_world(stage, "/A", 3, 1, 0, 0, 2, 1, 0);
    expect_world(stage, "/A", 9, 1, 0, 0, 2 - 1, 0, 0);
    rlti_stage_close(stage);
}

static void test_bad_transforms(void **state) {
    (void)state;
    usd_write("a.usda", "def Xform \"A\" { string xformOp:translate = \"x\"\n"
                        "  uniform token[] xformOpOrder = [\"xformOp:translate\"] }\n");
    usd_refused("a.usda", "/A.xformOp:translate", "cannot be a step of a transform");
    usd_write("b.usda", "def Xform \"A\" { double3 xformOp:scale = (0, 1, 1)\n"
                        "  uniform token[] xformOpOrder = [\"!invert!xformOp:scale\"] }\n");
    rlti_stage *stage = usd_open("b.usda");
    double m[16];
    rlt_messages *messages = rlt_messages_create();
    assert_int_equal(rlti_stage_world(stage, 0, 0, messages, m), RLT_BAD_INPUT);
    assert_non_null(strstr(rlt_messages_text(messages, 0), "b.usda: /A.xformOp:scale: cannot be inverted"));
    rlti_stage_close(stage);
    rlt_messages_clear(messages);
    usd_write("c.usda",
              "def Xform \"A\" { uniform token[] xformOpOrder = [\"xformOp:gone\", \"xformOp:scale\"] }\n");
    assert_int_equal(rlti_stage_open(usd_path("c.usda"), messages, &stage), RLT_OK);
    assert_int_equal(rlt_messages_count(messages), 2);
    assert_int_equal(rlt_messages_severity(messages, 0), RLT_WARNING);
    rlti_stage_close(stage);
    rlt_messages_destroy(messages);
}

/* ---- geometry ---- */

static rlti_geometry *open_geometry(const rlti_stage *stage, const char *path, int levels) {
    rlti_geometry *geometry;
    rlti_geometry_def def = {.time = stage->first_time, .levels = levels};
    rlt_messages *messages = rlt_messages_create();
    rlti_geometry_space(stage, 1.0, 'Y', 1.0, 'Y', def.to_target);
    stage_ok(rlti_geometry_open(stage, rlti_stage_find(stage, path), &def, messages, &geometry), messages);
    rlt_messages_destroy(messages);
    return geometry;
}

/* Six times the volume that the triangles enclose: > 0 when they are counter-clockwise from outside. */
static double volume(rlti_geometry *g, double time) {
    double(*x)[3] = calloc((size_t)g->point_count, sizeof *x), sum = 0.0;
    assert_int_equal(rlti_geometry_points(g, time, NULL, x), RLT_OK);
    for (int t = 0; t < g->triangle_count; t++) {
        const double *a = x[g->triangles[t][0]], *b = x[g->triangles[t][1]], *c = x[g->triangles[t][2]];
        sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
               a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    free(x);
    return sum;
}

static const char cube[] =
    "  int[] faceVertexCounts = [4, 4, 4, 4, 4, 4]\n"
    "  point3f[] points = [(-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1),\n"
    "    (-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1)]\n"
    "  texCoord2f[] primvars:st = [(0, 0), (1, 0), (1, 1), (0, 1)] (interpolation = "
    "\"faceVarying\")\n"
    "  int[] primvars:st:indices = [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, "
    "3, 0, 1, 2, 3]\n";
static const char outside[] =
    "  int[] faceVertexIndices = [0, 3, 2, 1, 4, 5, 6, 7, 0, 1, 5, 4, 1, 2, 6, 5, 2, 3, 7, 6, 3, 0, 4, 7]\n";
static const char inside[] =
    "  int[] faceVertexIndices = [1, 2, 3, 0, 7, 6, 5, 4, 4, 5, 1, 0, 5, 6, 2, 1, 6, 7, 3, 2, 7, 4, 0, 3]\n";

static void test_winding(void **state) {
    (void)state;
    char text[6000];
    snprintf(text, sizeof text,
             "(metersPerUnit = 0.5)\n"
             "def Mesh \"right\" {\n%s%s}\n"
             "def Mesh \"left\" { uniform token orientation = \"leftHanded\"\n%s%s}\n"
             "def Xform \"mirror\" { float3 xformOp:scale = (-1, 1, 1)\n"
             "  uniform token[] xformOpOrder = [\"xformOp:scale\"]\n def Mesh \"m\" {\n%s%s} }\n"
             "def Mesh \"open\" { int[] holeIndices = [0]\n%s%s}\n",
             cube, outside, cube, inside, cube, outside, cube, outside);
    usd_write("a.usda", text);
    rlti_stage *stage = usd_open("a.usda");
    const char *paths[] = {"/right", "/left", "/mirror/m"};
    for (int i = 0; i < 3; i++) {
        rlti_geometry *g = open_geometry(stage, paths[i], 0);
        assert_int_equal(g->triangle_count, 12);
        near(volume(g, 0), 6.0, 1e-12); /* a side of 1 m */
        rlti_geometry_close(g);
    }
    rlti_geometry *g = open_geometry(stage, "/open", 0);
    assert_int_equal(g->triangle_count, 10);
    for (int t = 0; t < g->triangle_count; t++)
        assert_true(g->triangle_faces[t] != 0);
    rlti_geometry_close(g);
    /* smoothed, with texture coordinates at the corners: each corner lies in its square */
    g = open_geometry(stage, "/right", 2);
    assert_int_equal(g->triangle_count, 2 * 6 * 16);
    assert_true(volume(g, 0) > 2.0 && volume(g, 0) < 6.0);
    const rlti_attribute *st = stage_need(stage, usd_prim(stage, "/right"), RLTI_PRIMVAR, "st");
    double *uv = calloc((size_t)g->triangle_count * 6, sizeof *uv), area = 0.0;
    assert_int_equal(rlti_geometry_corner_values(g, st, 0, NULL, uv), RLT_OK);
    for (int t = 0; t < g->triangle_count; t++) {
        const double *a = uv + 6 * t;
        area += fabs((a[2] - a[0]) * (a[5] - a[1]) - (a[4] - a[0]) * (a[3] - a[1])) / 2;
    }
    near(area, 6.0, 1e-9); /* six whole squares */
    free(uv);
    rlti_geometry_close(g);
    rlti_stage_close(stage);
}

static void test_up_axis(void **state) {
    (void)state;
    usd_write("a.usda",
              "(upAxis = \"Z\"\n metersPerUnit = 1)\ndef BasisCurves \"h\" { int[] curveVertexCounts = [2]\n"
              "  point3f[] points = [(0, 0, 0), (1, 2, 3)] }\n");
    rlti_stage *stage = usd_open("a.usda");
    rlti_geometry *g = open_geometry(stage, "/h", 0);
    double x[2][3];
    assert_int_equal(rlti_geometry_points(g, 0, NULL, x), RLT_OK);
    assert_true(x[1][0] == 1 && x[1][1] == 3 && x[1][2] == -2);
    rlti_geometry_close(g);
    rlti_stage_close(stage);
}

/* An arrow head, a star and a quad that is concave at its first corner: the area is that of the polygon. */
static void test_concave(void **state) {
    (void)state;
    usd_write("a.usda",
              "(metersPerUnit = 1)\ndef Mesh \"m\" { uniform token subdivisionScheme = \"none\"\n"
              "  int[] faceVertexCounts = [4, 10, 4]\n"
              "  int[] faceVertexIndices = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]\n"
              "  point3f[] points = [(1, 1, 0), (0, 4, 0), (0, 0, 0), (4, 0, 0),\n"
              "   (0, 4, 1), (-1, 1, 1), (-4, 1, 1), (-1, -1, 1), (-2, -4, 1), (0, -2, 1), (2, -4, 1), (1, "
              "-1, 1), (4, "
              "1, 1), (1, 1, 1),\n   (0, 0, 2), (4, 0, 2), (1, 1, 2), (0, 4, 2)] }\n");
    rlti_stage *stage = usd_open("a.usda");
    rlti_geometry *g = open_geometry(stage, "/m", 0);
    double x[18][3], areas[3] = {0}, signed_areas[3] = {0}, expected[3] = {0};
    assert_int_equal(rlti_geometry_points(g, 0, NULL, x), RLT_OK);
    assert_int_equal(g->triangle_count, 2 + 8 + 2);
    for (int t = 0; t < g->triangle_count; t++) {
        const double *a = x[g->triangles[t][0]], *b = x[g->triangles[t][1]], *c = x[g->triangles[t][2]];
        double area = ((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])) / 2;
        areas[g->triangle_faces[t]] += fabs(area);
        signed_areas[g->triangle_faces[t]] += area;
    }
    int first[4] = {0, 4, 14, 18};
    for (int f = 0; f < 3; f++) {
        for (int i = first[f]; i < first[f + 1]; i++) {
            int j = i + 1 < first[f + 1] ? i + 1 : first[f];
            expected[f] += (x[i][0] * x[j][1] - x[j][0] * x[i][1]) / 2;
        }
        near(areas[f], fabs(expected[f]), 1e-9); /* nothing is covered twice */
        near(signed_areas[f], expected[f], 1e-9);
    }
    rlti_geometry_close(g);
    rlti_stage_close(stage);
}

static void test_bad_geometry(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"def Mesh \"m\" { int[] faceVertexCounts = [3]\n int[] faceVertexIndices = [0, 1, 2] }\n",
         "/m: has no points"},
        {"def Mesh \"m\" { point3f[] points = [(0,0,0)]\n int[] faceVertexCounts = [3]\n"
         " int[] faceVertexIndices = [0, 0, 1] }\n",
         "corner 2 of face 0 is point 1, but there are 1"},
        {"def Mesh \"m\" { point3f[] points = [(0,0,0)]\n int[] faceVertexCounts = [3]\n"
         " int[] faceVertexIndices = [0, 0, -1] }\n",
         "corner 2 of face 0 is point -1"},
        {"def Mesh \"m\" { point3f[] points = [(0,0,0)]\n int[] faceVertexCounts = [4, -1]\n"
         " int[] faceVertexIndices = [0, 0, 0] }\n",
         "face 1 has -1 corners"},
        {"def Mesh \"m\" { point3f[] points = [(0,0,0)]\n int[] faceVertexCounts = [3, 2147483647]\n"
         " int[] faceVertexIndices = [0, 0, 0] }\n",
         "add up to 2147483650, but there are 3"},
        {"def Mesh \"m\" { point3f[] points = [(0,0,0)]\n int[] faceVertexCounts.timeSamples = {0: [3], 2: "
         "[4]}\n"
         " int[] faceVertexIndices = [0, 0, 0] }\n",
         "/m.faceVertexCounts: changes at time 2"},
        {"def BasisCurves \"m\" { point3f[] points = [(0,0,0), (1,0,0)]\n int[] curveVertexCounts = [3] }\n",
         "curveVertexCounts add up to 3, but there are 2 points"},
        {"def BasisCurves \"m\" { point3f[] points = [(0,0,0), (1,nan,0)]\n int[] curveVertexCounts = [2] "
         "}\n",
         "/m.points: point 1 at time 0 is not a finite number"},
        {"def BasisCurves \"m\" { point3f[] points = [(0,0,0), (1e30,0,0)]\n int[] curveVertexCounts = [2] "
         "}\n",
         "/m.points: point 1 at time 0 is 1e+28 units from the origin; at most 1e9"},
        {"def BasisCurves \"m\" { point3f[] points.timeSamples = {0: [(0,0,0), (1,0,0)], 1: [(0,0,0)]}\n"
         " int[] curveVertexCounts = [2] }\n",
         "/m.points: 1 values at time 1, but there are 2 points"},
        {"def Mesh \"m\" { point3f[] points = [(0,0,0)] }\n", "the mesh has no faces"},
        {"def Xform \"m\" {}\n", "neither a mesh nor curves"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        usd_write("a.usda", cases[i].text);
        rlti_stage *stage = usd_open("a.usda");
        rlt_messages *messages = rlt_messages_create();
        rlti_geometry *g;
        rlti_geometry_def def = {.time = 0};
        double x[16][3];
        rlti_geometry_space(stage, 1.0, 'Y', 1.0, 'Y', def.to_target);
        rlt_status status = rlti_geometry_open(stage, 0, &def, messages, &g);
        for (int time = 0; time < 2 && status == RLT_OK; time++)
            status = rlti_geometry_points(g, time, messages, x);
        assert_int_equal(status, RLT_BAD_INPUT);
        if (strstr(rlt_messages_text(messages, 0), cases[i].message) == NULL)
            fail_msg("'%s' instead of '%s'", rlt_messages_text(messages, 0), cases[i].message);
        rlti_geometry_close(g);
        rlt_messages_destroy(messages);
        rlti_stage_close(stage);
    }
}

/* ---- real files ---- */

static void test_real_files(void **state) {
    (void)state;
    static const struct {
        const char *file, *path;
        int points, parts; /* curves or triangles */
        double metres;
        char up;
        rlti_curve_basis basis;
        rlti_curve_wrap wrap;
    } cases[] = {
        {"openusd_BasisCurves1_16curves.usda", "/px_basisCurves1", 226, 16, 0.01, 'Y', RLTI_BASIS_BEZIER,
         RLTI_WRAP_NONPERIODIC},
        {"openusd_pinnedCurves.usda", "/World/curve", 11, 4, 0.01, 'Y', RLTI_BASIS_BSPLINE, RLTI_WRAP_PINNED},
        {"own_timesampled_groom.usda", "/groom/hair", 5, 2, 0.01, 'Y', RLTI_BASIS_BEZIER,
         RLTI_WRAP_NONPERIODIC},
        {"tinyusdz_hair_blender301_1000curves.usda", "/Cube/ParticleSystem", 9000, 1000, 1, 'Z',
         RLTI_BASIS_BSPLINE, RLTI_WRAP_NONPERIODIC},
        {"tinyusdz_hair_blender301_1000curves.usda", "/Cube/Cube", 8, 12, 1, 'Z', 0, 0},
        {"ratboy_mohawk_2228x32.usda", "/ratboy/mohawk", 71296, 2228, 1, 'Y', RLTI_BASIS_BEZIER,
         RLTI_WRAP_NONPERIODIC},
        {"ratboy_mohawk_2228x32.usda", "/ratboy/body", 12909, 25814, 1, 'Y', 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char path[1024];
        if (!data_path(cases[i].file, path, sizeof path))
            skip();
        rlti_stage *stage = stage_open_good(path);
        const rlti_prim *prim = usd_prim(stage, cases[i].path);
        rlti_geometry *g = open_geometry(stage, cases[i].path, 0);
        assert_true(stage->metres_per_unit == cases[i].metres && stage->up_axis == cases[i].up);
        assert_true(prim->basis == cases[i].basis && prim->wrap == cases[i].wrap);
        assert_int_equal(g->point_count, cases[i].points);
        assert_int_equal(prim->kind == RLTI_PRIM_MESH ? g->triangle_count : g->curve_count, cases[i].parts);
        assert_false(g->is_skinned);
        double(*x)[3] = calloc((size_t)g->point_count, sizeof *x);
        assert_int_equal(rlti_geometry_points(g, stage->first_time, NULL, x), RLT_OK);
        if (prim->kind == RLTI_PRIM_MESH)
            assert_true(volume(g, 0) > 0.0);
        free(x);
        rlti_geometry_close(g);
        rlti_stage_close(stage);
    }
}

/* The groom with time samples: its own and its parent's motion, and a sample without a value. */
static void test_timed_groom(void **state) {
    (void)state;
    char path[1024];
    if (!data_path("own_timesampled_groom.usda", path, sizeof path))
        skip();
    rlti_stage *stage = stage_open_good(path);
    rlti_geometry *g = open_geometry(stage, "/groom/hair", 0),
                  *scalp = open_geometry(stage, "/groom/scalp", 0);
    double x[5][3], y[4][3];
    rlt_messages *messages = rlt_messages_create();
    assert_int_equal(g->time_count, 3);
    assert_int_equal(rlti_geometry_points(g, 1.5, messages, x), RLT_OK);
    near(x[1][0], 0.0005, 1e-9); /* centimetres; half way from 0 to 0.1 */
    near(x[1][1], 0.01 * (1 + 1 + 0.125), 1e-9);
    assert_int_equal(rlt_messages_count(messages), 0);
    assert_int_equal(rlti_geometry_points(scalp, 2, messages, y), RLT_OK);
    assert_int_equal(rlt_messages_count(messages), 1); /* blocked: held, and told */
    near(y[0][1], 0.0125, 1e-9);
    rlt_messages_destroy(messages);
    rlti_geometry_close(g);
    rlti_geometry_close(scalp);
    rlti_stage_close(stage);
}

/* A text that is read piece by piece: values, names and comments lie across the pieces, and none is kept. */
static void test_long_text(void **state) {
    (void)state;
    enum { POINTS = 60000, SAMPLES = 4, COMMENT = 1300000 };
    FILE *file = fopen(usd_path("long.usda"), "w");
    assert_non_null(file);
    fprintf(file, "#usda 1.0\n# ");
    for (int i = 0; i < COMMENT; i++)
        fputc('c', file);
    fprintf(file, "\ndef BasisCurves \"h\" {\n    string long = \"");
    for (int i = 0; i < COMMENT; i++)
        fputc('s', file);
    fprintf(file, "\"\n    int[] curveVertexCounts = [%d]\n    point3f[] points.timeSamples = {\n", POINTS);
    for (int k = 0; k < SAMPLES; k++) {
        fprintf(file, "        %d: [", k);
        for (int i = 0; i < POINTS; i++)
            fprintf(file, "%s(%d.25, -1.5e-1, %d)", i > 0 ? ", " : "", i, k);
        fprintf(file, "],\n");
    }
    fprintf(file, "    }\n    int after = 7\n    int[] bad = [1, x]\n}\n");
    assert_int_equal(fclose(file), 0);
    rlti_stage *stage = usd_open("long.usda");
    const rlti_prim *prim = usd_prim(stage, "/h");
    near(usd_number(stage, "/h", "after", 0, 0), 7, 0);
    const rlti_attribute *points = stage_need(stage, prim, RLTI_BUILT_IN, "points");
    rlti_array value = {0};
    for (int k = SAMPLES - 1; k >= 0; k--) {
        stage_read(stage, prim, points, k, &value);
        assert_int_equal(value.count, POINTS);
        const float *last = (const float *)value.data + 3 * (POINTS - 1);
        assert_true(last[0] == (float)POINTS - 0.75F && last[1] == -0.15F && last[2] == (float)k);
    }
    stage_read(stage, prim, stage_need(stage, prim, RLTI_CUSTOM, "long"), -1, &value);
    assert_int_equal(strlen(((const char *const *)value.data)[0]), COMMENT);
    /* a place far behind is told as in a short text */
    rlt_messages *messages = rlt_messages_create();
    const rlti_attribute *bad = stage_need(stage, prim, RLTI_CUSTOM, "bad");
    assert_int_equal(stage->reader->read(stage, prim, bad, -1, messages, &value), RLT_BAD_INPUT);
    assert_non_null(strstr(rlt_messages_text(messages, 0), "long.usda:13:21: "));
    rlt_messages_destroy(messages);
    rlti_array_clear(&value);
    rlti_stage_close(stage);
}

/* Splines are newer than what is read: told once, and the rest is there. */
static void test_splines(void **state) {
    (void)state;
    usd_write(
        "a.usda",
        "def Scope \"A\" {\n double x.spline = {\n  bezier,\n  0: 1; post curve (0.3, 0),\n  5: 2,\n }\n"
        " double z.spline = { 0: 1 }\n double y = 2\n}\n");
    rlti_stage *stage = usd_warned("a.usda", "a.usda: /A.x: animation splines are not read", "bake them");
    near(usd_number(stage, "/A", "y", 0, 0), 2, 0);
    rlti_stage_close(stage);
}

int main(void) {
#define ONE(test) cmocka_unit_test_setup_teardown(test, usd_setup, usd_teardown)
    const struct CMUnitTest tests[] = {
        ONE(test_splines),
        ONE(test_long_text),
        ONE(test_metadata),
        ONE(test_prims),
        ONE(test_attributes),
        ONE(test_transform_operations),
        ONE(test_transform_times),
        ONE(test_bad_transforms),
        ONE(test_winding),
        ONE(test_up_axis),
        ONE(test_concave),
        ONE(test_bad_geometry),
        cmocka_unit_test(test_real_files),
        cmocka_unit_test(test_timed_groom),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
