/* Skinning: cases worked out by hand, a second implementation to compare with, blend shapes, bad bindings. */
#include "usd_fixture.h"

#include "geometry/geometry.h"
#include "formats/usd/usd_skel.h"

#define IDENTITY "((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,0,1))"
#define UP_1     "((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,1,0,1))"

/* Two bones up the y axis; the second turns 90 degrees about z from time 0 to 10. */
static const char skeleton[] =
    "  def Skeleton \"skel\" {\n"
    "    uniform token[] joints = [\"Root\", \"Root/Tip\"]\n"
    "    uniform matrix4d[] bindTransforms = [" IDENTITY ", " UP_1 "]\n"
    "    uniform matrix4d[] restTransforms = [" IDENTITY ", " UP_1 "]\n"
    "    rel skel:animationSource = </R/skel/motion>\n"
    "    def SkelAnimation \"motion\" {\n"
    "      uniform token[] joints = [\"Root/Tip\"]\n"
    "      float3[] translations = [(0, 1, 0)]\n"
    "      quatf[] rotations.timeSamples = { 0: [(1, 0, 0, 0)], 10: [(0.70710678, 0, 0, 0.70710678)] }\n"
    "      half3[] scales = [(1, 1, 1)]\n"
    "    }\n"
    "  }\n";

static void write_rig(const char *root, const char *prim) {
    char text[8000];
    snprintf(text, sizeof text, "(metersPerUnit = 1)\ndef SkelRoot \"R\" {\n%s%s%s}\n", root, skeleton, prim);
    usd_write("a.usda", text);
}

/* Points of /R/m in the world. */
static void world_points(double time, double (*x)[3], int count) {
    rlti_stage *stage = usd_open("a.usda");
    rlti_geometry *g;
    rlti_geometry_def def = {.time = time};
    rlt_messages *messages = rlt_messages_create();
    int prim = rlti_stage_find(stage, "/R/m");
    rlti_geometry_space(stage, 1.0, 'Y', 1.0, 'Y', def.to_target);
    assert_true(rlti_skel_is_bound(stage, prim));
    stage_ok(rlti_geometry_open(stage, prim, &def, messages, &g), messages);
    assert_true(g->is_skinned && g->point_count == count);
    stage_ok(rlti_geometry_points(g, time, messages, x), messages);
    rlti_geometry_close(g);
    rlt_messages_destroy(messages);
    rlti_stage_close(stage);
}

static void expect(const double *p, double x, double y, double z) {
    if (fabs(p[0] - x) > 1e-6 || fabs(p[1] - y) > 1e-6 || fabs(p[2] - z) > 1e-6)
        fail_msg("(%g %g %g) instead of (%g %g %g)", p[0], p[1], p[2], x, y, z);
}

static const char strand[] = "  def BasisCurves \"m\" { int[] curveVertexCounts = [3]\n"
                             "    point3f[] points = [(0, 0, 0), (0, 1.5, 0), (0, 2, 0)]\n"
                             "    rel skel:skeleton = </R/skel>\n";
static const char influences[] =
    "    int[] primvars:skel:jointIndices = [0, 1, 0, 1, 1, 0] (elementSize = 2\n"
    "      interpolation = \"vertex\")\n"
    "    float[] primvars:skel:jointWeights = [1, 0, 0.5, 0.5, 1, 0] (elementSize = 2\n"
    "      interpolation = \"vertex\")\n";

static void test_linear(void **state) {
    (void)state;
    char prim[2000];
    double x[3][3], s = sqrt(0.5);
    snprintf(prim, sizeof prim, "%s%s}\n", strand, influences);
    write_rig("", prim);
    world_points(0, x, 3);
    expect(x[1], 0, 1.5, 0);
    world_points(10, x, 3);
    expect(x[0], 0, 0, 0);
    expect(x[2], -1, 1, 0);
    expect(x[1], -0.25, 1.25, 0); /* half of (0, 1.5) and half of (-0.5, 1) */
    world_points(5, x, 3);        /* 45 degrees: along the great circle, not the chord */
    expect(x[2], -s, 1 + s, 0);
    world_points(99, x, 3);
    expect(x[2], -1, 1, 0);
}

static void test_dual_quaternion(void **state) {
    (void)state;
    char prim[2000];
    double x[3][3], s = sqrt(0.5);
    snprintf(prim, sizeof prim, "%s%s uniform token primvars:skel:skinningMethod = \"dualQuaternion\" }\n",
             strand, influences);
    write_rig("", prim);
    world_points(10, x, 3);
    expect(x[2], -1, 1, 0);
    expect(x[1], -0.5 * s, 1 + 0.5 * s, 0); /* half the angle about the joint: no loss of length */
    expect(x[0], 0, 0, 0);
}

/* With one joint for each point both ways are the same, scale and all. */
static void test_scale(void **state) {
    (void)state;
    static const char *const methods[] = {"classicLinear", "dualQuaternion"};
    for (int i = 0; i < 2; i++) {
        char text[3000];
        double x[3][3];
        snprintf(
            text, sizeof text,
            "(metersPerUnit = 1)\ndef SkelRoot \"R\" {\n  def Skeleton \"skel\" {\n"
            "    uniform token[] joints = [\"Root\"]\n    uniform matrix4d[] bindTransforms = [" UP_1 "]\n"
            "    rel skel:animationSource = </R/motion>\n  }\n  def SkelAnimation \"motion\" {\n"
            "    uniform token[] joints = [\"Root\"]\n    float3[] translations = [(0, 0, 5)]\n"
            "    quatf[] rotations = [(0.70710678, 0, 0, 0.70710678)]\n    half3[] scales = [(1, 2, 3)]\n  "
            "}\n"
            "%s    int[] primvars:skel:jointIndices = [0]\n    float[] primvars:skel:jointWeights = [1]\n"
            "    uniform token primvars:skel:skinningMethod = \"%s\" }\n}\n",
            strand, methods[i]);
        usd_write("a.usda", text);
        world_points(0, x, 3);
        /* (0, 2, 0) is (0, 1, 0) from the joint: twice as long, turned to -x, then moved */
        expect(x[2], -2, 0, 5);
        expect(x[0], 2, 0, 5);
    }
}

/* The prim's own order of joints, its own place, the skeleton's place, weights for the whole prim. */
static void test_binding(void **state) {
    (void)state;
    double x[3][3];
    char prim[2000];
    snprintf(prim, sizeof prim,
             "%s  uniform token[] skel:joints = [\"Root/Tip\", \"Root\"]\n"
             "    int[] primvars:skel:jointIndices = [0] (interpolation = \"constant\")\n"
             "    float[] primvars:skel:jointWeights = [1] (interpolation = \"constant\")\n"
             "    matrix4d primvars:skel:geomBindTransform = " UP_1 "\n"
             "    double3 xformOp:translate = (100, 0, 0)\n"
             "    uniform token[] xformOpOrder = [\"xformOp:translate\"] }\n",
             strand);
    write_rig(
        "  double3 xformOp:translate = (0, 0, 7)\n  uniform token[] xformOpOrder = [\"xformOp:translate\"]\n",
        prim);
    world_points(10, x, 3);
    /* (0, 0, 0) is bound at (0, 1, 0), the joint: it stays; the prim's own transform does not count */
    expect(x[0], 0, 1, 7);
    expect(x[1], -1.5, 1, 7);
    expect(x[2], -2, 1, 7);
}

/* Inherited skel:skeleton and constant influences from the parent. */
static void test_inherited(void **state) {
    (void)state;
    double x[3][3];
    write_rig("  rel skel:skeleton = </R/skel>\n  int[] primvars:skel:jointIndices = [1]\n"
              "  float[] primvars:skel:jointWeights = [1]\n",
              "  def BasisCurves \"m\" { int[] curveVertexCounts = [3]\n"
              "    point3f[] points = [(0, 0, 0), (0, 1.5, 0), (0, 2, 0)] }\n");
    world_points(10, x, 3);
    expect(x[0], 1, 1, 0);
    expect(x[2], -1, 1, 0);
}

static void test_blend_shapes(void **state) {
    (void)state;
    double x[3][3];
    usd_write(
        "a.usda",
        "(metersPerUnit = 1)\ndef SkelRoot \"R\" {\n"
        "  def Skeleton \"skel\" {\n    uniform token[] joints = [\"Root\"]\n"
        "    uniform matrix4d[] bindTransforms = [" IDENTITY "]\n"
        "    rel skel:animationSource = </R/motion>\n  }\n"
        "  def SkelAnimation \"motion\" {\n    uniform token[] joints = [\"Root\"]\n"
        "    float3[] translations = [(0, 0, 5)]\n    quatf[] rotations = [(1, 0, 0, 0)]\n"
        "    half3[] scales = [(2, 2, 2)]\n"
        "    uniform token[] blendShapes = [\"other\", \"wide\", \"tall\"]\n"
        "    float[] blendShapeWeights.timeSamples = {0: [1, 0, 0], 10: [1, 1, 0.5]}\n  }\n"
        "  def BasisCurves \"m\" { int[] curveVertexCounts = [3]\n"
        "    point3f[] points = [(0, 0, 0), (0, 1, 0), (0, 2, 0)]\n    rel skel:skeleton = </R/skel>\n"
        "    int[] primvars:skel:jointIndices = [0]\n    float[] primvars:skel:jointWeights = [1]\n"
        "    uniform token[] skel:blendShapes = [\"tall\", \"wide\"]\n"
        "    rel skel:blendShapeTargets = [</R/m/tall>, </R/m/wide>]\n"
        "    def BlendShape \"tall\" { uniform vector3f[] offsets = [(0, 4, 0)]\n"
        "      uniform int[] pointIndices = [2] }\n"
        "    def BlendShape \"wide\" { uniform vector3f[] offsets = [(1, 0, 0), (2, 0, 0), (3, 0, 0)] }\n"
        "  }\n}\n");
    world_points(10, x, 3);
    expect(x[0], 2, 0, 5); /* (p + offset) * 2, then 5 along z */
    expect(x[2], 6, 8, 5);
    world_points(5, x, 3);
    expect(x[1], 2, 2, 5);
}

/* In-betweens: straight from weight to weight, and on beyond the outermost two. The skeleton has no joints,
 * the mesh no influences: it stays where its own transform puts it. Frame 10 w has the weight w. */
static void test_in_betweens(void **state) {
    (void)state;
    double x[3][3];
    static const struct {
        double weight, up, aside; /* of point 2; and of point 1, by the second shape with weight / 2 */
    } cases[] = {
        {0.25, 0.8, 0.125 / 0.5}, /* the in-between itself */
        {0.125, 0.4, 0.125},      /* half way to it */
        {0.75, 0.5, 0.75},        /* the second one */
        {0.5, 0.65, 0.5},         /* between both: (0.8 + 0.5) / 2 */
        {0.875, 2.25, 0.875},     /* between the second and the shape */
        {1, 4, 1},
        {1.5, 11, 1.5},       /* on along 0.5 -> 4: 14 per unit of weight */
        {-1, -6, -1},         /* the one at -0.5, and on: 3 at -0.5, 0 at 0 */
        {-0.25, -1.5, -0.25}, /* half way to that */
    };
    usd_write("a.usda",
              "(metersPerUnit = 1)\ndef SkelRoot \"R\" {\n"
              "  def Skeleton \"skel\" { rel skel:animationSource = </R/motion> }\n"
              "  def SkelAnimation \"motion\" {\n"
              "    uniform token[] blendShapes = [\"a\", \"b\"]\n"
              "    float[] blendShapeWeights.timeSamples = {-100: [-10, -5], 100: [10, 5]}\n  }\n"
              "  def Mesh \"m\" { double3 xformOp:translate = (100, 0, 0)\n"
              "    uniform token[] xformOpOrder = [\"xformOp:translate\"]\n"
              "    int[] faceVertexCounts = [3]\n    int[] faceVertexIndices = [0, 1, 2]\n"
              "    point3f[] points = [(0, 0, 0), (0, 1, 0), (0, 2, 0)]\n    rel skel:skeleton = </R/skel>\n"
              "    uniform token[] skel:blendShapes = [\"a\", \"b\"]\n"
              "    rel skel:blendShapeTargets = [</R/m/a>, </R/m/b>]\n"
              "    def BlendShape \"a\" { uniform vector3f[] offsets = [(0, 4, 0)]\n"
              "      uniform vector3f[] inbetweens:late = [(0, 0.5, 0)] (weight = 0.75)\n"
              "      uniform vector3f[] inbetweens:soon = [(0, 0.8, 0)] (weight = 0.25)\n"
              "      uniform vector3f[] inbetweens:back = [(0, -3, 0)] (weight = -0.5)\n"
              "      uniform vector3f[] inbetweens:late:normalOffsets = [(9, 9, 9)]\n"
              "      uniform vector3f[] inbetweens:weightless = [(9, 9, 9)]\n"
              "      uniform int[] pointIndices = [2] }\n"
              "    def BlendShape \"b\" { uniform vector3f[] offsets = [(0, 0, 0), (2, 0, 0)] }\n"
              "  }\n}\n");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        world_points(10 * cases[i].weight, x, 3);
        expect(x[0], 100, 0, 0);
        expect(x[1], 100 + cases[i].aside, 1, 0);
        expect(x[2], 100, 2 + cases[i].up, 0);
    }
}

/* ---- a second way: column vectors, plain loops ---- */

typedef struct affine {
    double m[3][3], t[3];
} affine; /* x' = m x + t */

static affine after(affine a, affine b) { /* first a, then b */
    affine c;
    for (int i = 0; i < 3; i++) {
        c.t[i] = b.t[i];
        for (int j = 0; j < 3; j++) {
            c.t[i] += b.m[i][j] * a.t[j];
            c.m[i][j] = 0;
            for (int k = 0; k < 3; k++)
                c.m[i][j] += b.m[i][k] * a.m[k][j];
        }
    }
    return c;
}

static affine inverse(affine a) {
    affine r;
    double det = 0;
    for (int i = 0; i < 3; i++)
        det += a.m[0][i] *
               (a.m[1][(i + 1) % 3] * a.m[2][(i + 2) % 3] - a.m[1][(i + 2) % 3] * a.m[2][(i + 1) % 3]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r.m[j][i] = (a.m[(i + 1) % 3][(j + 1) % 3] * a.m[(i + 2) % 3][(j + 2) % 3] -
                         a.m[(i + 1) % 3][(j + 2) % 3] * a.m[(i + 2) % 3][(j + 1) % 3]) /
                        det;
    for (int i = 0; i < 3; i++) {
        r.t[i] = 0;
        for (int j = 0; j < 3; j++)
            r.t[i] -= r.m[i][j] * a.t[j];
    }
    return r;
}

static affine trs(const float *t, const float *q /* w x y z */, double scale) {
    double n = sqrt((double)q[0] * q[0] + (double)q[1] * q[1] + (double)q[2] * q[2] + (double)q[3] * q[3]);
    double w = q[0] / n, x = q[1] / n, y = q[2] / n, z = q[3] / n;
    affine a = {{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                 {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                 {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}},
                {t[0], t[1], t[2]}};
    for (int i = 0; i < 9; i++)
        a.m[i / 3][i % 3] *= scale;
    return a;
}

static size_t put_matrix(char *text, size_t size, affine a) {
    return (size_t)snprintf(text, size,
                            "((%.17g,%.17g,%.17g,0),(%.17g,%.17g,%.17g,0),(%.17g,%.17g,%.17g,0),(%.17g,"
                            "%.17g,%.17g,1)), ",
                            a.m[0][0], a.m[1][0], a.m[2][0], a.m[0][1], a.m[1][1], a.m[2][1], a.m[0][2],
                            a.m[1][2], a.m[2][2], a.t[0], a.t[1], a.t[2]);
}

static float noise(unsigned *seed) { /* -1 to 1 in steps of 1/1024: exact in text */
    *seed = *seed * 1664525u + 1013904223u;
    return (float)((int)(*seed >> 21) - 1024) / 1024.0F;
}

enum { JOINTS = 5, POINTS = 40, EACH = 3 };

static void test_against_second_way(void **state) {
    (void)state;
    static const char *const names[JOINTS] = {"a", "a/b", "a/b/c", "a/d", "a/d/e"};
    static const int parents[JOINTS] = {-1, 0, 1, 0, 3};
    static char text[20000];
    unsigned seed = 7;
    affine bind[JOINTS], pose[JOINTS], geometry = trs((float[]){1, 2, 3}, (float[]){2, 1, 0, 1}, 0.5);
    float points[POINTS][3];
    int joints[POINTS][EACH];
    float weights[POINTS][EACH];
    size_t used = 0;
#define PUT(...) used += (size_t)snprintf(text + used, sizeof text - used, __VA_ARGS__)
    PUT("(metersPerUnit = 1)\ndef SkelRoot \"R\" {\n  def Skeleton \"skel\" {\n"
        "    uniform token[] joints = [\"a\", \"a/b\", \"a/b/c\", \"a/d\", \"a/d/e\"]\n"
        "    uniform matrix4d[] bindTransforms = [");
    for (int j = 0; j < JOINTS; j++) {
        float t[3] = {noise(&seed), noise(&seed), noise(&seed)};
        float q[4] = {1, noise(&seed), noise(&seed), noise(&seed)};
        affine local = trs(t, q, 1.0);
        bind[j] = parents[j] >= 0 ? after(local, bind[parents[j]]) : local;
        used += put_matrix(text + used, sizeof text - used, bind[j]);
    }
    char translations[600] = "", rotations[600] = "", scales[300] = "";
    for (int j = JOINTS - 1; j >= 0; j--) { /* the motion lists them backwards */
        float t[3] = {noise(&seed), noise(&seed), noise(&seed)};
        float q[4] = {1, noise(&seed), noise(&seed), noise(&seed)};
        double scale = j == 2 ? 1.5 : 1.0;
        pose[j] = trs(t, q, scale);
        snprintf(translations + strlen(translations), sizeof translations - strlen(translations),
                 "(%.9g,%.9g,%.9g), ", t[0], t[1], t[2]);
        snprintf(rotations + strlen(rotations), sizeof rotations - strlen(rotations),
                 "(%.9g,%.9g,%.9g,%.9g), ", q[0], q[1], q[2], q[3]);
        snprintf(scales + strlen(scales), sizeof scales - strlen(scales), "(%g,%g,%g), ", scale, scale,
                 scale);
    }
    for (int j = 1; j < JOINTS; j++)
        pose[j] = after(pose[j], pose[parents[j]]);
    PUT("]\n    rel skel:animationSource = </R/motion>\n  }\n  def SkelAnimation \"motion\" {\n    uniform "
        "token[] "
        "joints = [");
    for (int j = JOINTS - 1; j >= 0; j--)
        PUT("\"%s\", ", names[j]);
    PUT("]\n    float3[] translations = [%s]\n    quatf[] rotations = [%s]\n    half3[] scales = [%s]\n  }\n",
        translations, rotations, scales);
    PUT("  def BasisCurves \"m\" { int[] curveVertexCounts = [%d]\n    rel skel:skeleton = </R/skel>\n"
        "    matrix4d primvars:skel:geomBindTransform = ",
        POINTS);
    used += put_matrix(text + used, sizeof text - used, geometry) - 2;
    PUT("\n    point3f[] points = [");
    for (int i = 0; i < POINTS; i++) {
        for (int c = 0; c < 3; c++)
            points[i][c] = noise(&seed);
        PUT("(%.9g,%.9g,%.9g), ", points[i][0], points[i][1], points[i][2]);
    }
    PUT("]\n    int[] primvars:skel:jointIndices = [");
    for (int i = 0; i < POINTS * EACH; i++) {
        joints[i / EACH][i % EACH] = (i * 7 + i / EACH) % JOINTS;
        PUT("%d, ", joints[i / EACH][i % EACH]);
    }
    PUT("] (elementSize = %d\n interpolation = \"vertex\")\n    float[] primvars:skel:jointWeights = [",
        EACH);
    for (int i = 0; i < POINTS; i++) {
        weights[i][0] = fabsf(noise(&seed)) * 0.5F;
        weights[i][1] = 0.25F;
        weights[i][2] = 0.75F - weights[i][0];
        PUT("%.9g, %.9g, %.9g, ", weights[i][0], weights[i][1], weights[i][2]);
    }
    PUT("] (elementSize = %d\n interpolation = \"vertex\")\n  }\n}\n", EACH);
    usd_write("a.usda", text);
    double x[POINTS][3];
    world_points(0, x, POINTS);
    for (int i = 0; i < POINTS; i++)
        for (int c = 0; c < 3; c++) {
            double sum = 0;
            for (int k = 0; k < EACH; k++) {
                int j = joints[i][k];
                affine all = after(after(geometry, inverse(bind[j])), pose[j]);
                sum += weights[i][k] * (all.m[c][0] * points[i][0] + all.m[c][1] * points[i][1] +
                                        all.m[c][2] * points[i][2] + all.t[c]);
            }
            near(x[i][c], sum, 1e-12);
        }
}

static void test_bad_bindings(void **state) {
    (void)state;
    static const struct {
        const char *prim, *message;
    } cases[] = {
        {"int[] primvars:skel:jointIndices = [2]\n float[] primvars:skel:jointWeights = [1]\n",
         "/R/m.primvars:skel:jointIndices: joint 2 at place 0, but there are 2 joints"},
        {"int[] primvars:skel:jointIndices = [-1]\n float[] primvars:skel:jointWeights = [1]\n", "joint -1"},
        {"int[] primvars:skel:jointIndices = [0, 1]\n float[] primvars:skel:jointWeights = [1]\n",
         "do not fit"},
        {"int[] primvars:skel:jointIndices = [0, 1] (interpolation = \"vertex\")\n"
         " float[] primvars:skel:jointWeights = [1, 1] (interpolation = \"vertex\")\n",
         "3 points at time 0, but joint weights for 2 points"},
        {"int[] primvars:skel:jointIndices = [0]\n float[] primvars:skel:jointWeights = [nan]\n",
         "not finite"},
        {"int[] primvars:skel:jointIndices = [0]\n float[] primvars:skel:jointWeights = [1]\n"
         " uniform token[] skel:joints = [\"Leg\"]\n",
         "/R/skel has no joint 'Leg'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char prim[2000];
        double x[3][3];
        snprintf(prim, sizeof prim, "%s%s}\n", strand, cases[i].prim);
        write_rig("", prim);
        rlti_stage *stage = usd_open("a.usda");
        rlti_geometry *g;
        rlti_geometry_def def = {0};
        rlt_messages *messages = rlt_messages_create();
        rlti_geometry_space(stage, 1.0, 'Y', 1.0, 'Y', def.to_target);
        rlt_status status = rlti_geometry_open(stage, rlti_stage_find(stage, "/R/m"), &def, messages, &g);
        if (status == RLT_OK)
            status = rlti_geometry_points(g, 0, messages, x);
        assert_int_equal(status, RLT_BAD_INPUT);
        if (strstr(rlt_messages_text(messages, 0), cases[i].message) == NULL)
            fail_msg("'%s' instead of '%s'", rlt_messages_text(messages, 0), cases[i].message);
        rlti_geometry_close(g);
        rlt_messages_destroy(messages);
        rlti_stage_close(stage);
    }
}

int main(void) {
#define ONE(test) cmocka_unit_test_setup_teardown(test, usd_setup, usd_teardown)
    const struct CMUnitTest tests[] = {
        ONE(test_linear),      ONE(test_dual_quaternion),    ONE(test_scale),
        ONE(test_binding),     ONE(test_inherited),          ONE(test_blend_shapes),
        ONE(test_in_betweens), ONE(test_against_second_way), ONE(test_bad_bindings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
