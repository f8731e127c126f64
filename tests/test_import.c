/* Grooms from files: what is taken, where it is bound, what is told, and the way back to the file. */
#include "import_fixture.h"

#include "files/convert.h"

#define SCENE SCENE_FILES SCENE_HAIR "}\n"

static void assert_near(const double *p, double x, double y, double z) {
    assert_true(fabs(p[0] - x) < 1e-5 && fabs(p[1] - y) < 1e-5 && fabs(p[2] - z) < 1e-5);
}

static void test_points_units_and_report(void **state) {
    import *f = *state;
    import_write(f, "s.usda", USDA_HEAD USDA_SKIN USDA_CURVES "}\n");
    rlt_frame_view view = import_good(f, SCENE);
    assert_int_equal(view.strand_count, 3);
    assert_int_equal(view.point_count, 12);
    assert_near(view.points, 0, 0.1, 0); /* metres became centimetres; the root stays off the skin */
    assert_near(view.points + 9, 0, 6, 0);
    assert_near(view.points + 3 * 11, 0, 6, 5);
    assert_int_equal(view.triangle_count, 2);
    import_expect(
        f, "s.yaml:3:14: hair.file: ", "/hair: 3 strands, 12 points of 3 curves (linear, nonperiodic)");
    import_expect(f, "s.yaml:3:14: hair.file: ",
                  "/hair: 3 roots bound to the closest point; distance to the body: mean 0.0333, median 0, "
                  "worst 0.1 (curve 0)");
}

static void test_source(void **state) {
    import *f = *state;
    import_write(f, "s.usda", USDA_HEAD USDA_SKIN USDA_CURVES "}\n");
    rlt_frame_view view = import_good(f, SCENE);
    assert_int_equal(view.source_count, 1);
    const rlt_source *source = view.sources[0];
    assert_string_equal(source->prim, "/hair");
    assert_string_equal(source->format, "usda");
    assert_string_equal(source->type, "linear");
    assert_string_equal(source->wrap, "nonperiodic");
    assert_non_null(strstr(source->file, "s.usda"));
    assert_int_equal(source->curve_count, 3);
    assert_int_equal(source->strand_count, 3);
    assert_true(source->metres_per_unit == 1.0 && source->up == 'Y');
    assert_true(source->time_code == 1.0);
    float points[36], velocities[36];
    rlt_source_points(source, &view, points, velocities);
    for (int i = 0; i < 36; i++)
        assert_true(fabsf(points[i] - source->points[i]) < 1e-7f);
    view = import_advance(f, 2);
    rlt_source_points(view.sources[0], &view, points, velocities);
    for (int p = 0; p < 12; p++)
        for (int k = 0; k < 3; k++) {
            assert_true(fabs(points[3 * p + k] - 0.01 * view.points[3 * p + k]) < 1e-7);
            assert_true(fabs(velocities[3 * p + k] - 0.01 * view.velocities[3 * p + k]) <
                        1e-5 * (1.0 + fabs(view.velocities[3 * p + k])));
        }
    assert_true(view.sources[0]->time_code == 3.0);
}

/* The same groom, Z up, in centimetres, below a transform that turns and moves it. */
static void test_axes_and_transform(void **state) {
    import *f = *state;
    import_write(f, "s.usda",
                 "#usda 1.0\n(\n    metersPerUnit = 0.01\n    upAxis = \"Z\"\n)\n"
                 "def Xform \"groom\"\n{\n    double3 xformOp:translate = (1, 2, 3)\n"
                 "    float3 xformOp:scale = (2, 2, 2)\n"
                 "    uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:scale\"]\n"
                 "    def BasisCurves \"hair\"\n    {\n        uniform token type = \"linear\"\n"
                 "        int[] curveVertexCounts = [3]\n        float[] widths = [0.02, 0.01, 0.005]\n"
                 "        point3f[] points = [(0, 0, 0), (0, 0, 1), (0, 1, 2)]\n    }\n}\n");
    rlt_frame_view view = import_good(f, "character: {kind: none}\ncolliders: []\n" SCENE_HAIR "}\n");
    assert_near(view.points, 1, 3, -2);
    assert_near(view.points + 3, 1, 5, -2);
    assert_near(view.points + 6, 1, 7, -4);
    assert_true(fabs(view.widths[0] - 0.04) < 1e-9 && fabs(view.widths[2] - 0.01) < 1e-9);
    import_expect(f, "s.yaml:3:14: hair.file: ", "1 root not bound to a body");
    float points[9];
    rlt_source_points(view.sources[0], &view, points, NULL);
    for (int i = 0; i < 9; i++)
        assert_true(fabsf(points[i] - view.sources[0]->points[i]) < 1e-5f);
    assert_int_equal(view.sources[0]->up, 'Z');
}

static void test_prims(void **state) {
    import *f = *state;
    import_write(f, "s.usda",
                 USDA_HEAD USDA_SKIN "def Xform \"groom\"\n{\n" USDA_CURVES "}\n}\n" USDA_CURVES "}\n");
    assert_int_equal(import_good(f, SCENE).strand_count, 6);
    assert_int_equal(import_good(f, SCENE_FILES SCENE_HAIR ", prim: /groom/*}\n").strand_count, 3);
    assert_int_equal(import_good(f, SCENE_FILES SCENE_HAIR ", prim: /groom}\n").strand_count, 3);
    assert_int_equal(import_good(f, SCENE_FILES SCENE_HAIR ", prim: '/*'}\n").strand_count, 6);
    assert_int_equal(import_good(f, SCENE_FILES SCENE_HAIR ", prim: '/h*'}\n").strand_count, 3);
    rlt_frame_view view = import_good(f, SCENE_FILES SCENE_HAIR ", prim: '*/h?ir'}\n");
    assert_int_equal(view.source_count, 2);
    assert_string_equal(view.sources[0]->prim, "/groom/hair");
    assert_int_equal(view.sources[1]->first_strand, 3);
    import_refuse(
        f, SCENE_FILES SCENE_HAIR ", prim: /groom/hiar}\n", "s.yaml:3:14: hair.file: ",
        "s.usda: no curves at /groom/hiar; there are: /groom/hair, /hair; did you mean /groom/hair?");
    import_refuse(f, SCENE_FILES SCENE_HAIR ", prim: /skin}\n",
                  "s.yaml:3:14: hair.file: ", "/skin: is a Mesh, not curves");
    import_write(f, "s.usda", USDA_HEAD USDA_SKIN);
    import_refuse(f, SCENE,
                  "s.yaml:3:14: hair.file: ", "s.usda: no curves to take; there are: the file has none");
}

static void test_patterns(void **state) {
    (void)state;
    static const struct {
        const char *path, *pattern;
        int fits;
    } cases[] = {{"/a/b", "/a/b", 1},
                 {"/a/b", "/a/c", 0},
                 {"/a/b", "/a", 0},
                 {"/a/x/b", "/*/b", 1},
                 {"/a/x/b", "*b", 1},
                 {"/a/x/bc", "*/b", 0},
                 {"/a/x/b", "*/?/b", 1},
                 {"/hair_1", "/h*_?", 1},
                 {"/hair_1", "/h*_?1", 0},
                 {"/axbxc", "/a*b*c", 1},
                 {"", "", 1},
                 {"", "*", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(rlti_path_fits(cases[i].path, cases[i].pattern), cases[i].fits);
    /* hostile, but not slow */
    char path[2000], pattern[512];
    memset(path, 'a', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    for (size_t i = 0; i + 3 < sizeof pattern; i += 3)
        memcpy(pattern + i, "**a", 4);
    assert_int_equal(rlti_path_fits(path, pattern), 1);
    memcpy(pattern + 507, "**b", 4);
    assert_int_equal(rlti_path_fits(path, pattern), 0);
}

static void test_bad_files(void **state) {
    import *f = *state;
    import_refuse(f, SCENE_HAIR "}\n", "s.yaml:1:14: hair.file: ", "s.usda: cannot");
    import_write(f, "s.usda",
                 USDA_HEAD "def BasisCurves \"hair\"\n{\n    int[] curveVertexCounts = [3, 2]\n"
                           "    point3f[] points = [(0,0,0), (0,1,0), (0,2,0), (0,3,0)]\n}\n");
    import_refuse(f, "character: {kind: none}\n" SCENE_HAIR "}\n", "s.yaml:2:14: hair.file: ", "/hair");
    import_write(f, "s.usda",
                 USDA_HEAD "def BasisCurves \"hair\"\n{\n    int[] curveVertexCounts = [2, 2]\n"
                           "    point3f[] points = [(0,0,0), (0,1,0), (0,2,0), (0,nan,0)]\n}\n");
    import_refuse(f, "character: {kind: none}\n" SCENE_HAIR "}\n", "s.yaml:2:14: hair.file: ", "/hair");
    import_write(f, "s.usda",
                 USDA_HEAD "def BasisCurves \"hair\"\n{\n"
                           "    int[] curveVertexCounts.timeSamples = { 1: [2, 2], 2: [3, 1] }\n"
                           "    point3f[] points = [(0,0,0), (0,1,0), (0,2,0), (0,3,0)]\n}\n");
    import_refuse(f, "character: {kind: none}\n" SCENE_HAIR "}\n", "s.yaml:2:14: hair.file: ", "/hair");
}

/* One point, no length, points at one place, a strand thousands of times shorter than the others. */
static void test_odd_strands(void **state) {
    import *f = *state;
    import_write(f, "s.usda",
                 USDA_HEAD "def BasisCurves \"hair\"\n{\n    uniform token type = \"linear\"\n"
                           "    uniform token wrap = \"periodic\"\n"
                           "    int[] curveVertexCounts = [3, 1, 3, 4, 3]\n    point3f[] points = [\n"
                           "        (0, 0, 0), (0, 0.02, 0), (0, 0.04, 0),\n        (0.01, 0, 0),\n"
                           "        (0.02, 0, 0), (0.02, 0, 0), (0.02, 0, 0),\n"
                           "        (0.03, 0, 0), (0.03, 0.02, 0), (0.03, 0.02, 0), (0.03, 0.04, 0),\n"
                           "        (0.04, 0, 0), (0.04, 2e-6, 0), (0.04, 4e-6, 0)]\n}\n");
    rlt_frame_view view =
        import_good(f, "time: {last: 4, outer_steps: 10, force_steps: 40, damping_steps: 40}\n"
                       "character: {kind: none}\ncolliders: []\n" SCENE_HAIR "}\n");
    assert_int_equal(view.strand_count, 3);
    import_expect(f, "s.yaml:4:14: hair.file: ", "/hair: 1 curve left out: fewer than 2 points (1)");
    import_expect(
        f, "s.yaml:4:14: hair.file: ", "/hair: 1 curve left out: no length, all points at one place (2)");
    import_expect(f, "s.yaml:4:14: hair.file: ", "/hair: 2 near-degenerate curves");
    import_expect(
        f, "s.yaml:4:14: hair.file: ", "(3, 4); simulated with the stiffness and mass of longer segments");
    import_expect(f, "s.yaml:4:14: hair.file: ", "periodic curves are simulated as open ones");
    const rlt_source *source = view.sources[0];
    assert_int_equal(source->curve[0], 0);
    assert_int_equal(source->curve[1], 3);
    assert_int_equal(source->curve[2], 4);
    view = import_advance(f, 3);
    float points[42];
    rlt_source_points(view.sources[0], &view, points, NULL);
    for (int i = 9; i < 21; i++) /* those left out are as in the file */
        assert_true(points[i] == view.sources[0]->points[i]);
    for (int i = 0; i < 42; i++)
        assert_true(isfinite(points[i]) && fabsf(points[i]) < 0.1f);
    import_good(f, "time: {last: 4}\ncharacter: {kind: none}\ncolliders: []\n" SCENE_HAIR ", model: rod}\n");
    import_expect(f, "s.yaml:4:14: hair.file: ",
                  "(3, 4); simulated, segments below 1/1000 of their strand's mean with the stiffness and "
                  "mass of that length");
}

/* A fold that has no side: its curve is named as the file counts it. */
static void test_folded_rods(void **state) {
    import *f = *state;
    import_write(f, "s.usda",
                 USDA_HEAD "def BasisCurves \"hair\"\n{\n    uniform token type = \"linear\"\n"
                           "    int[] curveVertexCounts = [1, 3, 4]\n    point3f[] points = [\n"
                           "        (0, 0, 0), (0.02, 0, 0), (0.02, 0.02, 0), (0.02, 0.04, 0),\n"
                           "        (0.03, 0, 0), (0.03, 0.02, 0), (0.03, 0.04, 0), (0.03, 0.01, 0)]\n}\n");
    import_good(f, "character: {kind: none}\ncolliders: []\n"
                   "hair: {file: s.usda, bind: none, model: rod}\n");
    import_expect(
        f, "s.yaml:3:41: hair 'hair': model: rod: 1 of 2 strands fold back by exactly 180 degrees (first: ",
        "s.usda: /hair: curve 2, point 2)");
}

/* Rest shapes that move to where an edge has no length: warned of once, with the frame. */
static void test_moving_shapes_without_length(void **state) {
    import *f = *state;
    import_write(
        f, "s.usda",
        "#usda 1.0\n(metersPerUnit = 0.01\ntimeCodesPerSecond = 24\nstartTimeCode = 1\nendTimeCode = 4)\n"
        "def BasisCurves \"hair\"\n{\n    uniform token type = \"linear\"\n"
        "    int[] curveVertexCounts = [3, 4]\n    point3f[] points.timeSamples = {\n"
        "      1: [(0,0,0),(0,-1,0),(0,-2,0), (5,0,0),(5,-1,0),(5,-2,0),(5,-3,0)],\n"
        "      3: [(0,0,0),(0,-1,0),(0,-2,0), (5,0,0),(5,-1,0),(5,-1,0),(5,-3,0)],\n"
        "      4: [(0,0,0),(0,-1,0),(0,-1,0), (5,0,0),(5,-1,0),(5,-1,0),(5,-3,0)] }\n}\n");
    import_good(f,
                "time: {last: 4}\ncharacter: {kind: none}\ncolliders: []\n"
                "hair: {file: s.usda, bind: none, model: rod, preset: straight, reshape: {curves: rest}}\n");
    while (rlt_simulation_advance(f->simulation, f->messages) == RLT_OK)
        continue; /* it may well diverge there */
    import_expect(
        f, "s.yaml:4:14: ",
        "s.usda: /hair: 1 curve with two successive points at one place at frame 3 (first: curve 1, "
        "points 1 and 2): a rest shape with an edge without length");
    int found = 0;
    for (int i = 0; i < rlt_messages_count(f->messages); i++)
        found += strstr(rlt_messages_text(f->messages, i), "two successive points") != NULL;
    assert_int_equal(found, 1);
}

static void test_guides_and_groups(void **state) {
    import *f = *state;
    import_write(f, "s.usda",
                 USDA_HEAD USDA_SKIN USDA_CURVES
                 "    int[] primvars:groom_guide = [1, 0, 1] (\n        interpolation = \"uniform\"\n    )\n"
                 "    int[] primvars:groom_group_id = [7, 8, 8] (\n        interpolation = \"uniform\"\n    "
                 ")\n}\n");
    rlt_frame_view view = import_good(f, SCENE);
    assert_int_equal(view.strand_count, 2);
    import_expect(f,
                  "s.yaml:3:14: hair.file: ", "2 guides are simulated, 1 other curves are left as they are");
    assert_int_equal(import_good(f, SCENE_FILES SCENE_HAIR ", guides: all}\n").strand_count, 3);
    view = import_good(f, SCENE_FILES SCENE_HAIR ", guides: hairs}\n");
    assert_int_equal(view.strand_count, 1);
    assert_int_equal(view.sources[0]->curve[0], 1);
    view = import_good(f, SCENE_FILES SCENE_HAIR ", guides: all, group: 8}\n");
    assert_int_equal(view.strand_count, 2);
    import_refuse(f, SCENE_FILES SCENE_HAIR ", group: 9}\n",
                  "s.yaml:3:14: hair.file: ", "has no curve to simulate");
    import_write(f, "s.usda", USDA_HEAD USDA_SKIN USDA_CURVES "}\n");
    import_refuse(f, SCENE_FILES SCENE_HAIR ", guides: guides}\n", "s.yaml:3:14: hair.file: ",
                  "none of 3 curves is marked as a guide (purpose guide, groom_guide); choose all");
}

static void test_rest_and_widths(void **state) {
    import *f = *state;
    import_write(f, "s.usda",
                 USDA_HEAD USDA_SKIN
                 "def BasisCurves \"hair\"\n{\n    uniform token type = \"linear\"\n"
                 "    int[] curveVertexCounts = [3]\n"
                 "    point3f[] points = [(0, 0, 0), (0.02, 0, 0), (0.04, 0, 0)]\n"
                 "    point3f[] primvars:rest = [(0, 0, 0), (0, 0.02, 0), (0, 0.04, 0)] (\n"
                 "        interpolation = \"vertex\"\n    )\n"
                 "    float primvars:radius = 0.0001 (\n        interpolation = \"constant\"\n    )\n}\n");
    rlt_frame_view view = import_good(f, SCENE);
    assert_near(view.points + 6, 0, 4, 0);
    assert_true(fabs(view.widths[1] - 0.02) < 1e-9); /* twice the radius, in centimetres */
    view = import_good(f, SCENE_FILES SCENE_HAIR ", rest: points}\n");
    assert_near(view.points + 6, 4, 0, 0);
}

static void test_resample(void **state) {
    import *f = *state;
    import_write(f, "s.usda", USDA_HEAD USDA_SKIN USDA_CURVES "}\n");
    rlt_frame_view view = import_good(f, SCENE_FILES SCENE_HAIR ", resample: 7}\n");
    assert_int_equal(view.point_count, 21);
    assert_near(view.points + 3 * 20, 0, 6, 5);
    assert_near(view.points + 3 * 18, 0, 4, 5);
    float points[36];
    rlt_source_points(view.sources[0], &view, points, NULL);
    for (int i = 0; i < 36; i++)
        assert_true(fabsf(points[i] - view.sources[0]->points[i]) < 1e-6f);
    assert_int_equal(view.sources[0]->resampled, 1);
    assert_int_equal(import_good(f, SCENE_FILES SCENE_HAIR ", resample_segment: 0.5}\n").first[1], 13);
    import_refuse(f, SCENE_FILES SCENE_HAIR ", resample: 2}\n",
                  "s.yaml:3:", "hair.resample = 2: must be at least 3");
}

/* Longer strands are cut, their points at the same shares of what is left; shorter ones stay. */
static void test_cut(void **state) {
    import *f = *state;
    import_write(f, "s.usda", USDA_HEAD USDA_SKIN USDA_CURVES "}\n");
    rlt_frame_view whole = import_good(f, SCENE_FILES SCENE_HAIR "}\n");
    assert_near(whole.points + 3 * 11, 0, 6, 5);
    rlt_frame_view view = import_good(f, SCENE_FILES SCENE_HAIR ", cut: 4.5}\n");
    assert_int_equal(view.point_count, 12);
    assert_near(view.points + 3 * 8, 0, 0, 5);
    assert_near(view.points + 3 * 9, 0, 1.5, 5);
    assert_near(view.points + 3 * 10, 0, 3, 5);
    assert_near(view.points + 3 * 11, 0, 4.5, 5);
    view = import_good(f, SCENE_FILES SCENE_HAIR ", cut: 7}\n");
    assert_near(view.points + 3 * 11, 0, 6, 5);
}

/* The root uv says another place than the nearest. */
static void test_bind_uv(void **state) {
    import *f = *state;
    import_write(f, "s.usda",
                 USDA_HEAD USDA_SKIN USDA_CURVES
                 "    texCoord2f[] primvars:st = [(0.5, 0.5), (0.75, 0.5), (0.5, 0.25)] (\n"
                 "        interpolation = \"uniform\"\n    )\n}\n");
    import_good(f, SCENE);
    import_expect(f, "s.yaml:3:14: hair.file: ", "3 roots bound by uv; distance to the body: mean 0.0333");
    import_write(f, "s.usda",
                 USDA_HEAD USDA_SKIN USDA_CURVES
                 "    texCoord2f[] primvars:groom_root_uv = [(0.1, 0.1), (0.9, 0.1), (7, 7)] (\n"
                 "        interpolation = \"uniform\"\n    )\n}\n");
    import_good(f, SCENE);
    import_expect(f, "s.yaml:3:14: hair.file: ", "the root uv does not fit the body");
    import_expect(f, "s.yaml:3:14: hair.file: ", "3 roots bound to the closest point");
    import_good(f, SCENE_FILES SCENE_HAIR ", bind: uv}\n");
    import_expect(f, "s.yaml:3:14: hair.file: ", "3 roots bound by uv");
    import_expect(
        f, "s.yaml:3:14: hair.file: ", "1 of 3 roots have texture coordinates that are nowhere on the body");
    import_expect(f, "s.yaml:3:14: hair.file: ", "2 roots further than 1 units from the body (0, 1)");
    import_write(f, "s.usda", USDA_HEAD USDA_SKIN USDA_CURVES "}\n");
    import_refuse(f, SCENE_FILES SCENE_HAIR ", bind: uv}\n",
                  "s.yaml:3:14: hair.file: ", "hair.bind: uv, but the curves have no root uv");
    import_good(f, SCENE_FILES SCENE_HAIR ", bind: none}\n");
    import_expect(f, "s.yaml:3:14: hair.file: ", "3 roots not bound to a body");
}

static void test_far_from_the_body(void **state) {
    import *f = *state;
    import_write(f, "s.usda",
                 USDA_HEAD USDA_SKIN
                 "def Xform \"off\"\n{\n    double3 xformOp:translate = (0, 3, 0)\n"
                 "    uniform token[] xformOpOrder = [\"xformOp:translate\"]\n" USDA_CURVES "}\n}\n");
    import_refuse(f, SCENE, "s.yaml:3:14: hair.file: ",
                  "/off/hair: no root is near the body: the nearest is 300 units away");
}

/* .hair states no units: a groom in metres read as centimetres is told. */
static void test_units_not_stated(void **state) {
    import *f = *state;
    unsigned char bytes[128 + 2 * 3 * 3 * 4] = "HAIR";
    const uint32_t header[] = {2, 6, 2, 2};
    const float numbers[] = {0.001f, 0, 0.5f, 0.5f, 0.5f};
    const float points[] = {0, 0, 0, 0, 0, 0.0003f, 0, 0, 0.0006f, 1, 0, 0, 1, 0, 0.0003f, 1, 0, 0.0006f};
    memcpy(bytes + 4, header, sizeof header);
    memcpy(bytes + 20, numbers, sizeof numbers);
    memcpy(bytes + 128, points, sizeof points);
    import_write_bytes(f, "s.hair", bytes, sizeof bytes);
    const char *hair =
        "character: {kind: none}\ncolliders: []\nhealth: {check_steps: off}\nhair: {file: s.hair}\n";
    char text[256];
    import_good(f, hair);
    import_expect(f, "s.yaml:4:14: hair.file: ",
                  "is 0.006 mm long: is one unit of the file really 0.01 m? (the "
                  "file does not say: files.metres_per_unit)");
    snprintf(text, sizeof text, "files: {metres_per_unit: 100, up: Z}\n%s", hair);
    rlt_frame_view view = import_good(f, text);
    assert_near(view.points + 6, 0, 6, 0);
    assert_near(view.points + 15, 10000, 6, 0);
    import_no_message(f, "really");
    assert_true(fabs(view.widths[0] - 10.0) < 1e-5);
}

/* Without a body the roots of curves that move stay where they are, and that is told. */
static void test_moving_curves_without_body(void **state) {
    import *f = *state;
    import_write(f, "s.usda",
                 USDA_HEAD "def Xform \"groom\"\n{\n"
                           "    double3 xformOp:translate.timeSamples = { 1: (0, 0, 0), 4: (0.1, 0, 0) }\n"
                           "    uniform token[] xformOpOrder = [\"xformOp:translate\"]\n" USDA_CURVES
                           "}\n}\n");
    import_good(
        f, "time: {outer_steps: 10, force_steps: 60, damping_steps: 20}\ncharacter: {kind: none}\n" SCENE_HAIR
           "}\n");
    import_expect(f, "s.yaml:3:14: hair.file: ",
                  "/groom/hair: the file moves these curves, but roots that are not bound");
    rlt_frame_view view = import_advance(f, 3);
    assert_near(view.points, 0, 0.1, 0);
    float points[36], velocities[36];
    rlt_source_points(view.sources[0], &view, points, velocities);
    assert_true(fabsf(points[0] + 0.1f) < 1e-6f); /* in the prim's space, which has moved on */
    assert_true(velocities[0] < -0.3f);
}

/* The example in the repository. */
static void test_example(void **state) {
    import *f = *state;
    const char *few[] = {"time.outer_steps=10", "time.force_steps=45"};
    import_close(f);
    assert_int_equal(
        rlt_scene_load_file(RLT_SOURCE_DIR "/scenes/files/puffball.yaml", few, 2, f->messages, &f->scene),
        RLT_OK);
    assert_int_equal(rlt_simulation_create(f->scene, NULL, f->messages, &f->simulation), RLT_OK);
    rlt_frame_view view = import_advance(f, 8);
    assert_int_equal(view.strand_count, 90);
    assert_string_equal(view.sources[0]->basis, "catmullRom");
    assert_true(view.vertices[0] > 0.5); /* it has begun to hop */
    assert_true(view.points[0] > 0.5);
    import_expect(f, "", "90 roots bound by uv");
}

static void test_rules(void **state) {
    import *f = *state;
    import_refuse(f, "hair: {file: s.usda, strands: [[[0, 0, 0], [0, 1, 0]]]}\n",
                  "s.yaml:1:", "either strands or a file, not both");
    import_refuse(f, "character: {kind: file}\nhair: {count: 3, region: all}\n",
                  "s.yaml:1:", "character.file = \"\": must name a file");
    import_refuse(f, "character: {file: s.usda}\nhair: {count: 3}\n",
                  "s.yaml:1:", "needs character.kind: file");
    import_refuse(f, "character: {kind: none}\nhair: {file: s.usda, bind: closest}\n",
                  "s.yaml:2:", "needs a character");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, import_setup, import_teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_points_units_and_report),
        TEST(test_source),
        TEST(test_axes_and_transform),
        TEST(test_prims),
        TEST(test_bad_files),
        cmocka_unit_test(test_patterns),
        TEST(test_odd_strands),
        TEST(test_folded_rods),
        TEST(test_moving_shapes_without_length),
        TEST(test_guides_and_groups),
        TEST(test_rest_and_widths),
        TEST(test_resample),
        TEST(test_cut),
        TEST(test_bind_uv),
        TEST(test_far_from_the_body),
        TEST(test_units_not_stated),
        TEST(test_moving_curves_without_body),
        TEST(test_example),
        TEST(test_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
