/* Constraints that live on files: meshes that move or bend, painted maps, curves, skin without area. */
#include "import_fixture.h"

#define TIME "time: {last: 20, outer_steps: 12, force_steps: 12, damping_steps: 6}\n"
#define HEAD "#usda 1.0\n(\n    metersPerUnit = 0.01\n    upAxis = \"Y\"\n    timeCodesPerSecond = 24\n)\n"

/* One strand of 8 units along x. */
#define STRAND                                                                                               \
    "character: {kind: none}\n"                                                                              \
    "hair: {preset: straight, region: none, contact: {enabled: off}, collide: {enabled: off},\n"             \
    "  stretch: {limit: 0}, strands: [[[0, 0, 0], [2, 0, 0], [4, 0, 0], [6, 0, 0], [8, 0, 0]]]}\n"

#define TIED                                                                                                 \
    TIME STRAND "colliders: {name: plate, kind: mesh, file: plate.usda}\n"                                   \
                "constraints: {kind: attach, object: plate, along: [0.9, 1], %s}\n"

static double tip_from(const rlt_frame_view *view, double x, double y, double z) {
    const double at[3] = {x, y, z};
    return run_distance(view->points + 12, at);
}

/* ---- meshes ---- */

/* A plate one unit below the strand's outer half; at frame 9 it has swung by 36.87 degrees about the y axis
 * (cosine 0.8, sine 0.6), and the tip beside it. */
static void write_plate(import *f) {
    static const double corners[4][2] = {{4, -1}, {10, -1}, {10, 1}, {4, 1}}; /* x, z */
    char text[2048], first[256] = "", second[256] = "";
    for (int k = 0; k < 4; k++) {
        double x = corners[k][0], z = corners[k][1];
        snprintf(first + strlen(first), sizeof first - strlen(first), "%s(%g, -1, %g)", k > 0 ? ", " : "", x,
                 z);
        snprintf(second + strlen(second), sizeof second - strlen(second), "%s(%.9g, -1, %.9g)",
                 k > 0 ? ", " : "", 0.8 * x + 0.6 * z, -0.6 * x + 0.8 * z);
    }
    snprintf(text, sizeof text,
             HEAD "def Mesh \"plate\"\n{\n    uniform token subdivisionScheme = \"none\"\n"
                  "    int[] faceVertexCounts = [4]\n    int[] faceVertexIndices = [0, 1, 2, 3]\n"
                  "    point3f[] points.timeSamples = {\n        1: [%s],\n        9: [%s]\n    }\n}\n",
             first, second);
    import_write(f, "plate.usda", text);
}

static void test_a_moving_mesh_leads(void **state) {
    import *f = *state;
    char text[1024];
    static const char *const laws[] = {"hold: hard", "stiffness: 1e4", "enabled: off"};
    double off[3];
    write_plate(f);
    for (int k = 0; k < 3; k++) {
        snprintf(text, sizeof text, TIED, laws[k]);
        import_good(f, text);
        rlt_frame_view view = import_advance(f, 8); /* frame 9, still under way */
        off[k] = tip_from(&view, 6.4, 0, -4.8);
    }
    print_message("off its place beside the plate: %.4f hard, %.3f soft, %.2f free\n", off[0], off[1],
                  off[2]);
    assert_true(off[0] < 0.005);
    assert_true(off[1] < 1.0);
    assert_true(off[2] > 4.0);
}

/* The tip lies in the triangle, at a third of each corner: there it stays while the triangle is pulled out of
 * shape. */
static void test_a_triangle_that_bends_leads(void **state) {
    import *f = *state;
    char text[1024];
    import_write(f, "plate.usda",
                 HEAD "def Mesh \"plate\"\n{\n    uniform token subdivisionScheme = \"none\"\n"
                      "    int[] faceVertexCounts = [3]\n    int[] faceVertexIndices = [0, 1, 2]\n"
                      "    point3f[] points.timeSamples = {\n"
                      "        1: [(7, 0, -1), (10, 0, -1), (7, 0, 2)],\n"
                      "        5: [(7, -1, -1), (10, -1, -1), (4, 2, 2)],\n"
                      "        12: [(6, -3, -2), (9, -1, -3), (4, 1, 2)]\n    }\n}\n");
    snprintf(text, sizeof text, TIED, "hold: hard");
    import_good(f, text);
    rlt_frame_view view = import_advance(f, 4);
    double first = tip_from(&view, 7, 0, 0);
    view = import_advance(f, 7);
    double second = tip_from(&view, 19.0 / 3.0, -1, -1);
    print_message("off the bent triangle: %.4f, %.4f\n", first, second);
    assert_true(first < 0.005 && second < 0.005);
}

static void test_another_number_of_points_is_told(void **state) {
    import *f = *state;
    char text[1024];
    import_write(f, "plate.usda",
                 HEAD "def Mesh \"plate\"\n{\n    uniform token subdivisionScheme = \"none\"\n"
                      "    int[] faceVertexCounts = [3]\n    int[] faceVertexIndices = [0, 1, 2]\n"
                      "    point3f[] points.timeSamples = {\n"
                      "        1: [(7, 0, -1), (10, 0, -1), (7, 0, 2)],\n"
                      "        4: [(7, 0, -1), (10, 0, -1)]\n    }\n}\n");
    snprintf(text, sizeof text, TIED, "hold: hard");
    import_good(f, text);
    rlt_status status = RLT_OK;
    for (int frame = 1; frame < 4 && status == RLT_OK; frame++)
        status = rlt_simulation_advance(f->simulation, f->messages);
    assert_int_equal(status, RLT_BAD_INPUT);
    import_expect(f,
                  "s.yaml:5:44: ", "plate.usda: /plate.points: 2 values at time 4, but there are 3 points");
}

/* Files that do not move, and numbered ones. */
static void test_obj_files_lead(void **state) {
    import *f = *state;
    char name[32], corners[128];
    import_write(f, "still.obj", "v 4 -1 -1\nv 10 -1 -1\nv 10 -1 1\nv 4 -1 1\nf 1 2 3 4\n");
    import_good(f, TIME STRAND "colliders: {name: plate, kind: mesh, file: still.obj}\n"
                               "constraints: {kind: attach, object: plate, along: [0.9, 1], hold: hard}\n");
    rlt_frame_view view = import_advance(f, 8);
    assert_true(tip_from(&view, 8, 0, 0) < 0.005);
    for (int frame = 1; frame <= 10; frame++) {
        double y = -1.0 - 0.2 * (frame - 1);
        snprintf(name, sizeof name, "m.%02d.obj", frame);
        snprintf(corners, sizeof corners, "v 4 %g -1\nv 10 %g -1\nv 10 %g 1\nv 4 %g 1\nf 1 2 3 4\n", y, y, y,
                 y);
        import_write(f, name, corners);
    }
    import_good(f, TIME STRAND "colliders: {name: plate, kind: mesh, file: 'm.##.obj'}\n"
                               "constraints: {kind: attach, object: plate, along: [0.9, 1], hold: hard}\n");
    view = import_advance(f, 8);
    assert_true(tip_from(&view, 8, -1.6, 0) < 0.005);
}

/* ---- maps ---- */

#define MAPS                                                                                                 \
    "    float[] primvars:perCurve = [0, 1, 0.5] (\n        interpolation = \"uniform\"\n    )\n"            \
    "    float[] primvars:perPoint = [1, 0, 0, 1, 1, 0.5, 0.25, 0, 1, 0, 0, 0] (\n"                          \
    "        interpolation = \"vertex\"\n    )\n"                                                            \
    "    float[] primvars:half = [0.5, 0.5, 0.5] (\n        interpolation = \"uniform\"\n    )\n"            \
    "    float[] primvars:none = [0, 0, 0] (\n        interpolation = \"uniform\"\n    )\n"                  \
    "    float[] primvars:much = [0, 2, 0] (\n        interpolation = \"uniform\"\n    )\n"                  \
    "    float[] primvars:short = [1, 1] (\n        interpolation = \"uniform\"\n    )\n"

#define MAPPED(ramp)                                                                                         \
    SCENE_FILES SCENE_HAIR "}\n"                                                                             \
                           "constraints:\n  - {name: map, kind: pin, stiffness: 1e4, ramp: " ramp "}\n"

static int held(import *f, const char *text) {
    rlt_statistics statistics = {.size = sizeof statistics};
    import_good(f, text);
    rlt_simulation_statistics(f->simulation, &statistics);
    return statistics.constraints;
}

static void test_maps_choose(void **state) {
    import *f = *state;
    import_write(f, "s.usda", USDA_HEAD USDA_SKIN USDA_CURVES MAPS "}\n");
    assert_int_equal(held(f, MAPPED("1")), 9); /* three strands of four points, without their roots */
    assert_int_equal(held(f, MAPPED("'attribute:perCurve'")), 6);
    assert_int_equal(held(f, MAPPED("'attribute:perPoint'")), 3);
    assert_int_equal(held(f, MAPPED("{attribute: perCurve, scale: -1, offset: 1}")), 6);
    /* the value is the factor on the stiffness, as a number is */
    import_good(f, MAPPED("0.5"));
    import_advance(f, 3);
    uint64_t hash = rlt_simulation_hash(f->simulation);
    import_good(f, MAPPED("'attribute:half'"));
    import_advance(f, 3);
    assert_true(rlt_simulation_hash(f->simulation) == hash);
    import_good(f, MAPPED("1"));
    import_advance(f, 3);
    assert_false(rlt_simulation_hash(f->simulation) == hash);
}

static void test_bad_maps_are_told(void **state) {
    import *f = *state;
    const char *at = "s.yaml:5:5: ";
    import_write(f, "s.usda", USDA_HEAD USDA_SKIN USDA_CURVES MAPS "}\n");
    import_refuse(f, MAPPED("'attribute:perCurv'"), at,
                  "/hair: constraints.ramp = attribute:perCurv: there is no such attribute; there are: "
                  "perCurve, perPoint, half, none, much, short; did you mean perCurve?");
    import_refuse(f, MAPPED("'attribute:short'"), at,
                  "/hair.short: has 2 values; 3 curves with 12 points would have 3, 12 or 1");
    import_refuse(f, MAPPED("'attribute:much'"), at, "/hair.much: curve 1 makes constraints.ramp 2: must be");
    import_refuse(f, MAPPED("'attribute:none'"), at,
                  "constraint 'map' chooses no points: no point of 3 strands is within along with a ramp "
                  "above 0");
}

/* ---- skin without area ---- */

/* A good triangle below the strand, and one whose corners are in a row. */
#define SKIN(second)                                                                                         \
    HEAD "def Mesh \"skin\"\n{\n    uniform token subdivisionScheme = \"none\"\n"                            \
         "    int[] faceVertexCounts = [3, 3]\n    int[] faceVertexIndices = [0, 1, 2, 3, 4, 5]\n"           \
         "    point3f[] points = [" second ", (4, 0, 0), (5, 0, 0), (6, 0, 0)]\n}\n"

#define GROWN                                                                                                \
    TIME "character: {kind: file, file: skin.usda}\n"                                                        \
         "hair: {preset: straight, region: all, contact: {enabled: off},\n"                                  \
         "  strands: [[[1, 0, -1], [3, 2, -1], [5, 2, 0], [6, 1, 0]]]}\n"                                    \
         "colliders: {name: body, kind: body, enabled: on}\n"                                                \
         "constraints:\n  - {name: bun, %s}\n"

static void test_skin_without_area_is_told(void **state) {
    static const char *const kinds[] = {"kind: scalp, scalp: all", "kind: attach, object: body"};
    import *f = *state;
    char text[1024];
    for (int k = 0; k < 2; k++) {
        import_write(f, "skin.usda", SKIN("(0, 0, 0), (2, 0, 0), (2, 0, -2)"));
        snprintf(text, sizeof text, GROWN, kinds[k]);
        import_good(f, text);
        import_expect(
            f, "s.yaml:7:5: ", "constraint 'bun': 1 triangles without area are left out (first triangle 1)");
        rlt_frame_view view = import_advance(f, 10);
        for (int i = 0; i < 3 * view.point_count; i++)
            assert_true(isfinite(view.points[i]));
    }
}

/* ---- curves ---- */

#define CURVES(second)                                                                                       \
    HEAD "def BasisCurves \"hair\"\n{\n    int[] curveVertexCounts = [4]\n"                                  \
         "    uniform token type = \"linear\"\n    point3f[] points.timeSamples = {\n"                       \
         "        1: [(0, 0, 0), (2, 0, 0), (4, 0, 0), (6, 0, 0)],\n        9: " second ",\n    }\n}\n"

/* Strands with other points than the file's curves: these are resampled alike. */
static void test_resampled_curves_lead(void **state) {
    import *f = *state;
    import_write(f, "moved.usda", CURVES("[(0, 0, 0), (2, 0, 0), (3.2, 1.6, 0), (4.4, 3.2, 0)]"));
    import_good(f, TIME "character: {kind: none}\n"
                        "hair: {preset: straight, file: moved.usda, resample: 7, contact: {enabled: off},\n"
                        "  stretch: {limit: 0}}\n"
                        "constraints:\n  - {name: rig, kind: pin, target: file, hold: hard}\n");
    rlt_frame_view view = import_advance(f, 8);
    const double half[3] = {2.6, 0.8, 0}, tip[3] = {4.4, 3.2, 0};
    assert_int_equal(view.point_count, 7);
    double off =
        fmax(run_distance(view.points + (size_t)3 * 3, half), run_distance(view.points + (size_t)3 * 6, tip));
    print_message("resampled curves: %.4f off\n", off);
    assert_true(off < 0.005);
}

/* A file in metres, with z up. */
static void test_curves_in_other_units_lead(void **state) {
    import *f = *state;
    import_write(f, "moved.usda",
                 "#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = \"Z\"\n    timeCodesPerSecond = 24\n)\n"
                 "def BasisCurves \"hair\"\n{\n    int[] curveVertexCounts = [4]\n"
                 "    uniform token type = \"linear\"\n    point3f[] points.timeSamples = {\n"
                 "        1: [(0, 0, 0), (0.02, 0, 0), (0.04, 0, 0), (0.06, 0, 0)],\n"
                 "        9: [(0, 0, 0), (0.02, 0, 0), (0.032, 0, 0.016), (0.044, 0, 0.032)]\n    }\n}\n");
    import_good(f, TIME "character: {kind: none}\n"
                        "hair: {preset: straight, file: moved.usda, contact: {enabled: off},\n"
                        "  stretch: {limit: 0}}\n"
                        "constraints:\n  - {name: rig, kind: pin, target: file, hold: hard}\n");
    rlt_frame_view view = import_advance(f, 8);
    const double tip[3] = {4.4, 3.2, 0};
    assert_true(run_distance(view.points + 9, tip) < 0.005);
}

/* ---- conflicts ---- */

static void test_fights_are_told(void **state) {
    import *f = *state;
    import_write(f, "still.obj", "v 4 -1 -1\nv 10 -1 -1\nv 10 -1 1\nv 4 -1 1\nf 1 2 3 4\n");
    import_refuse(f,
                  TIME STRAND "colliders: {name: plate, kind: mesh, file: still.obj}\n"
                              "constraints:\n  - {name: a, kind: pin, hold: hard, along: [0.5, 1]}\n"
                              "  - {name: b, kind: attach, object: plate, hold: hard, along: [0.75, 1]}\n",
                  "s.yaml:8:5: ", "constraint 'b' conflicts with 'a' (");
    import_expect(f, "s.yaml:8:5: ", "s.yaml:7:5): both hold 2 points in place, hard, at the same time");
    /* two ties at each tip are one point each; the strand is the first of those in place */
    import_good(f, TIME "character: {kind: none}\n"
                        "hair: {preset: straight, region: none, contact: {enabled: off}, strands: [\n"
                        "  [[0, 0, 0], [0, -2, 0], [0, -4, 0]], [[0, 0, 0.2], [0, -2, 0.2], [0, -4, 0.2]],\n"
                        "  [[0, 0, 0.4], [0, -2, 0.4], [0, -4, 0.4]]]}\n"
                        "constraints:\n  - {name: t, kind: tips, hold: hard, along: [0.9, 1]}\n"
                        "  - {name: p, kind: pin, hold: hard, first_strand: 1}\n");
    import_expect(
        f, "s.yaml:8:5: ", "s.yaml:7:5): both hold 2 points hard (first in strand 1); where they disagree");
    /* one of the two soft, or on other points: nothing to say */
    import_good(f, TIME STRAND "colliders: {name: plate, kind: mesh, file: still.obj}\n"
                               "constraints:\n  - {name: a, kind: pin, hold: hard, along: [0, 0.7]}\n"
                               "  - {name: b, kind: attach, object: plate, hold: hard, along: [0.75, 1]}\n"
                               "  - {name: c, kind: pin, along: [0.5, 1]}\n");
    import_no_message(f, "conflict");
}

/* One point is enough for all kinds that hold a point to something else. */
static void test_one_point(void **state) {
    static const char *const kinds[] = {"kind: pin", "kind: attach, object: plate", "kind: bound"};
    import *f = *state;
    char text[1024];
    import_write(f, "still.obj", "v 4 -1 -1\nv 10 -1 -1\nv 10 -1 1\nv 4 -1 1\nf 1 2 3 4\n");
    for (int k = 0; k < 3; k++) {
        snprintf(text, sizeof text,
                 TIME STRAND "colliders: {name: plate, kind: mesh, file: still.obj}\n"
                             "constraints:\n  - {name: one, along: [0.9, 1], %s}\n",
                 kinds[k]);
        assert_int_equal(held(f, text), 1);
        import_advance(f, 2);
    }
    import_refuse(
        f, TIME STRAND "constraints:\n  - {name: one, along: [0.9, 1], kind: centroid}\n", "s.yaml:6:5: ",
        "constraint 'one' chooses one point (strand 0): a centroid needs at least two; widen along");
    import_refuse(f, TIME STRAND "constraints:\n  - {name: one, along: [0.9, 1], kind: tips}\n",
                  "s.yaml:6:5: ", "constraint 'one': no chosen points of two strands come within");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, import_setup, import_teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_a_moving_mesh_leads),
        TEST(test_a_triangle_that_bends_leads),
        TEST(test_obj_files_lead),
        TEST(test_another_number_of_points_is_told),
        TEST(test_maps_choose),
        TEST(test_bad_maps_are_told),
        TEST(test_skin_without_area_is_told),
        TEST(test_resampled_curves_lead),
        TEST(test_curves_in_other_units_lead),
        TEST(test_fights_are_told),
        TEST(test_one_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
