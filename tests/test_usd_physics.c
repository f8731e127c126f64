/* Physics of deformable curves in USD: read as values of hair, and written. */
#include "import_fixture.h"

#include "formats/tree/stage.h"
#include "model/rod_model.h"

#define SCENE(extra)                                                                                         \
    "time: {last: 2}\ncharacter: {kind: file, file: s.usda}\nhair: {file: s.usda, " extra "}\n"

/* Three strands of four points in the schema, with `more` on the curves and `body` above them, bound to a
 * material with `values`. */
static void write_groom(import *f, const char *units, const char *body, const char *more,
                        const char *values) {
    char text[4096];
    snprintf(
        text, sizeof text,
        "#usda 1.0\n(\n    metersPerUnit = 1\n%s)\n" USDA_SKIN
        "def Xform \"body\" (\n    prepend apiSchemas = [\"PhysicsDeformableBodyAPI\"]\n)\n{\n%s"
        "    def BasisCurves \"hair\" (\n        prepend apiSchemas = [\"PhysicsCurvesDeformableSimAPI\", "
        "\"MaterialBindingAPI\"]\n    )\n    {\n        uniform token type = \"linear\"\n"
        "        rel material:binding:physics = </mat>\n"
        "        int[] curveVertexCounts = [4, 4, 4]\n        point3f[] points = [\n"
        "        (0, 0, 0), (0, 0.02, 0), (0, 0.04, 0), (0, 0.06, 0),\n"
        "        (0.05, 0, 0), (0.05, 0.02, 0), (0.05, 0.04, 0), (0.05, 0.06, 0),\n"
        "        (0, 0, 0.05), (0, 0.02, 0.05), (0, 0.04, 0.05), (0, 0.06, 0.05)]\n%s    }\n}\n"
        "def Material \"mat\" (\n    prepend apiSchemas = [\"PhysicsMaterialAPI\", "
        "\"PhysicsCurvesDeformableMaterialAPI\"]\n)\n{\n%s}\n",
        units, body, more, values);
    import_write(f, "s.usda", text);
}

#define MATERIAL                                                                                             \
    "    float physics:thickness = 0.00006\n    float physics:density = 1000\n"                              \
    "    float physics:stretchStiffness = 2e9\n    float physics:bendStiffness = 2e9\n"                      \
    "    float physics:twistStiffness = 7e8\n"

/* The Rod that a scene builds. */
typedef struct built {
    rlti_body *body;
    rlti_strands *strands;
    rlti_matter *matter;
    rlti_rod_model *model;
} built;

static built build(import *f, const char *text, int coil) {
    built b = {0};
    char name[160];
    snprintf(name, sizeof name, "%ss.yaml", f->folder);
    import_close(f);
    rlt_messages_clear(f->messages);
    rlt_status status = rlt_scene_load_text(name, text, strlen(text), NULL, 0, f->messages, &f->scene);
    if (status == RLT_OK)
        status = rlti_body_create(rlti_scene_get(f->scene), f->messages, &b.body);
    if (status == RLT_OK)
        status = rlti_groom_create(rlti_scene_get(f->scene), b.body, f->messages, &b.strands);
    if (status == RLT_OK)
        b.matter = rlti_matter_create(b.strands);
    if (status == RLT_OK)
        status = (coil ? rlti_coil_model_create : rlti_rod_model_create)(
            rlti_scene_get(f->scene), b.strands, NULL, b.matter, f->messages, &b.model);
    if (status != RLT_OK)
        import_print(f);
    assert_int_equal(status, RLT_OK);
    return b;
}

static void destroy(built *b) {
    rlti_rod_model_destroy(b->model);
    rlti_matter_destroy(b->matter);
    rlti_groom_destroy(b->strands);
    rlti_body_destroy(b->body);
}

static void assert_close(double a, double b) {
    if (fabs(a - b) > 1e-6 * fabs(b))
        print_message("%.9g is not %.9g\n", a, b);
    assert_true(fabs(a - b) <= 1e-6 * fabs(b));
}

/* Stiffness of all edges and points alike; masses by a factor. */
static void assert_same_rod(const built *a, const built *b, double mass) {
    for (int p = 0; p < b->model->point_count; p++) {
        assert_close(a->model->mass[p], mass * b->model->mass[p]);
        for (int k = 0; k < RLTI_ROD_STIFFNESSES; k++)
            assert_close(a->model->stiffness[p][k], b->model->stiffness[p][k]);
    }
}

/* The file's material is the same as the same numbers in the scene. */
static void test_material(void **state) {
    import *f = *state;
    write_groom(f, "", "", "", "");
    built plain = build(f, SCENE("model: rod, rod: {radius: 30, young: 2e9, shear: 7e8, density: 1000}"), 0);
    write_groom(f, "", "", "", MATERIAL);
    built b = build(f, SCENE("model: rod"), 0);
    import_expect(
        f, "s.yaml:3:14: hair.file: ",
        "/body/hair: physics of the file: radius 30 um, Young's modulus 2e+09 Pa, shear modulus 7e+08 "
        "Pa, density 1e+03 kg/m^3 taken");
    assert_same_rod(&b, &plain, 1.0);
    destroy(&b);
    /* in centimetres and grams, as the later form of the draft has it: of the whole section */
    write_groom(f, "    kilogramsPerUnit = 0.001\n", "", "",
                "    float physics:thickness = 0.00006\n    float physics:density = 1000000\n"
                "    float physics:curvesStretchStiffness = 5654.86678\n"
                "    double physics:curvesBendStiffness = 1.27234502e-6\n"
                "    double physics:curvesTwistStiffness = 8.90641517e-7\n");
    b = build(f, SCENE("model: rod"), 0);
    assert_same_rod(&b, &plain, 1.0);
    destroy(&b);
    destroy(&plain);
}

static void test_the_scene_counts_first(void **state) {
    import *f = *state;
    write_groom(f, "", "", "", "");
    built plain = build(f, SCENE("model: rod, rod: {radius: 50, young: 3e9, shear: 7e8, density: 1200}"), 0);
    write_groom(f, "", "", "", MATERIAL);
    built b = build(f, SCENE("model: rod, rod: {radius: 50, young: 3e9, density: 1200}"), 0);
    import_expect(f, "s.yaml",
                  "shear modulus 7e+08 Pa taken; of the scene, and counts before it: "
                  "hair.rod.radius, hair.rod.young, hair.rod.density");
    assert_same_rod(&b, &plain, 1.0);
    destroy(&b);
    destroy(&plain);
}

/* A root without mass is one that is held. */
static void test_masses(void **state) {
    import *f = *state;
    write_groom(f, "", "", "", MATERIAL);
    built plain = build(f, SCENE("model: rod"), 0);
    /* twice the density: 2000 pi r^2 kg/m on 2 cm, half of it at the tips */
    const char *masses = "        float[] physics:masses = [0, 1.13097336e-7, 1.13097336e-7, 5.65486678e-8, "
                         "5.65486678e-8, 1.13097336e-7, 1.13097336e-7, 5.65486678e-8, "
                         "0, 1.13097336e-7, 1.13097336e-7, 5.65486678e-8]\n";
    write_groom(f, "", "", masses, MATERIAL);
    built b = build(f, SCENE("model: rod"), 0);
    import_expect(f, "s.yaml", "masses of points taken");
    assert_same_rod(&b, &plain, 2.0);
    destroy(&b);
    b = build(f, SCENE("model: rod, resample: 4"), 0);
    assert_same_rod(&b, &plain, 2.0);
    destroy(&b);
    destroy(&plain);
    /* the body's: three strands of 6 cm, before the material's density */
    write_groom(f, "", "    float physics:mass = 1.01787602e-6\n    float physics:density = 7\n", "",
                MATERIAL);
    b = build(f, SCENE("model: rod"), 0);
    import_expect(f, "s.yaml", "mass 1.02e-06 kg taken");
    built heavy = build(f, SCENE("model: rod"), 0);
    write_groom(f, "", "", "", MATERIAL);
    plain = build(f, SCENE("model: rod"), 0);
    assert_same_rod(&heavy, &plain, 2.0);
    destroy(&heavy);
    destroy(&plain);
    destroy(&b);
    /* Taz has masses of its own kind: only their spread counts */
    write_groom(f, "", "", "", MATERIAL);
    import_good(f, SCENE("contact: {enabled: off}"));
    import_expect(f, "s.yaml", "nothing taken; not of model taz: stiffness and thickness, mass");
    write_groom(f, "", "", masses, MATERIAL);
    import_good(f, SCENE("contact: {enabled: off}"));
    import_expect(f, "s.yaml", "masses of points taken; not of model taz: stiffness and thickness");
}

static void test_coil_and_rest(void **state) {
    import *f = *state;
    const char *rest = "        point3f[] physics:restShapePoints = [\n"
                       "        (0, 0, 0), (0, 0.01, 0), (0, 0.02, 0), (0, 0.03, 0),\n"
                       "        (0.05, 0, 0), (0.05, 0.01, 0), (0.05, 0.02, 0), (0.05, 0.03, 0),\n"
                       "        (0, 0, 0.05), (0, 0.01, 0.05), (0, 0.02, 0.05), (0, 0.03, 0.05)]\n";
    write_groom(f, "", "", "", MATERIAL);
    built plain = build(f, SCENE("model: coil"), 1);
    write_groom(f, "", "", rest,
                "    float physics:thickness = 0.00006\n    float physics:density = 1000\n"
                "    float physics:stretchStiffness = 4e9\n    float physics:bendStiffness = 2e9\n"
                "    float physics:twistStiffness = 7e8\n    float physics:shearStiffness = 7e8\n");
    built b = build(f, SCENE("model: coil"), 1);
    import_expect(f, "s.yaml", "modulus against stretching 4e+09 Pa");
    import_expect(f, "s.yaml", "not of model coil: stiffness against shear");
    assert_close(b.model->stiffness[0][RLTI_ROD_EA], 2.0 * plain.model->stiffness[0][RLTI_ROD_EA]);
    assert_close(b.strands->points[3].y, 3.0);
    assert_close(plain.strands->points[3].y, 6.0);
    destroy(&b);
    b = build(f, SCENE("model: rod, rest: points"), 0);
    import_expect(f, "s.yaml", "stiffness against stretching, which is that against bending here");
    assert_close(b.strands->points[3].y, 6.0);
    destroy(&b);
    destroy(&plain);
}

static void test_malformed(void **state) {
    import *f = *state;
    write_groom(f, "", "", "", "");
    built plain = build(f, SCENE("model: rod"), 0);
    import_no_message(f, "physics of the file");
    write_groom(f, "", "",
                "        float[] physics:masses = [1, 2]\n        point3f[] physics:restShapePoints = []\n",
                "    float physics:thickness = -3\n    float physics:density = nan\n"
                "    float physics:stretchStiffness = -inf\n    float physics:bendStiffness = inf\n"
                "    float[] physics:twistStiffness = [7e8, 7e8]\n");
    built b = build(f, SCENE("model: rod"), 0);
    assert_same_rod(&b, &plain, 1.0);
    import_expect(f, "s.yaml",
                  "/body/hair.physics:masses: has 2 values, not one for each of 12 points; left out");
    import_expect(f, "s.yaml", "/mat.physics:thickness: is not one number above 0; left out");
    import_expect(f, "s.yaml", "/mat.physics:density: is not one number above 0; left out");
    import_expect(f, "s.yaml", "/mat.physics:bendStiffness: is not one number above 0; left out");
    import_expect(f, "s.yaml", "/mat.physics:twistStiffness: is not one number above 0; left out");
    import_no_message(f, "stretchStiffness"); /* -inf: the draft's word for none */
    destroy(&b);
    const struct {
        const char *masses, *message;
    } rows[] = {{"[1, 1, 1, 1, 1, 1, -1, 1, 1, 1, 1, 1]", "has a mass below 0"},
                {"[1, 1, 1, 1, 1, 1, nan, 1, 1, 1, 1, 1]", "has a mass that is not finite"},
                {"[1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1]", "has a curve without mass"},
                {"[1, 1, 1]", "has 3 values, not one for each of 12 points"}, /* one for each curve */
                {"[1]", "has 1 value, not one for each of 12 points"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char masses[160], message[160];
        snprintf(masses, sizeof masses, "        float[] physics:masses = %s\n", rows[i].masses);
        snprintf(message, sizeof message, "/body/hair.physics:masses: %s; left out", rows[i].message);
        write_groom(f, "", "", masses, "");
        b = build(f, SCENE("model: rod"), 0);
        import_expect(f, "s.yaml", message);
        assert_same_rod(&b, &plain, 1.0);
        destroy(&b);
    }
    destroy(&plain);
    write_groom(f, "", "", "", "    float physics:bendStiffness = 4\n");
    import_refuse(f, SCENE("model: rod"), "s.yaml", "bendStiffness is 4 Pa: no material is outside");
    write_groom(f, "", "", "", "    float physics:thickness = 80\n");
    import_refuse(f, SCENE("model: rod"), "s.yaml", "mend it, or give hair.rod.radius");
    write_groom(f, "", "", "        point3f[] physics:restShapePoints = [(0, 0, 0)]\n", "");
    import_refuse(f, SCENE("model: rod"), "s.yaml", "physics:restShapePoints");
}

/* A material that gives nothing is reported: one that is not there, and one without the schema. */
static void test_material_without_physics(void **state) {
    import *f = *state;
    const char *text = USDA_HEAD USDA_SKIN
        "def BasisCurves \"hair\" (\n    prepend apiSchemas = [\"PhysicsCurvesDeformableSimAPI\"]\n)\n{\n"
        "    uniform token type = \"linear\"\n    rel material:binding:physics = </%s>\n"
        "    int[] curveVertexCounts = [3]\n    point3f[] points = [(0, 0, 0), (0, 0.03, 0), (0, 0.06, 0)]\n"
        "}\ndef Material \"look\"\n{\n    float physics:thickness = 0.00006\n}\n";
    char groom[2048];
    snprintf(groom, sizeof groom, text, "none");
    import_write(f, "s.usda", groom);
    import_good(f, SCENE("model: rod"));
    import_expect(f, "s.yaml",
                  "/hair.material:binding:physics: there is no /none, so nothing is taken from it");
    snprintf(groom, sizeof groom, text, "look");
    import_write(f, "s.usda", groom);
    import_good(f, SCENE("model: rod"));
    import_expect(f, "s.yaml",
                  "/look: is bound for physics, but has no PhysicsCurvesDeformableMaterialAPI, so nothing");
}

/* ---- writing ---- */

/* Writes the first frame of the simulation that stands in `f`. */
static rlt_status write_frame(import *f, const char *name, rlt_writer_mode mode) {
    char path[160];
    rlt_frame_view view = {.size = sizeof view};
    assert_int_equal(rlt_simulation_view(f->simulation, &view), RLT_OK);
    double *physics = calloc((size_t)view.point_count, RLT_PHYSICS_COUNT * sizeof *physics);
    assert_int_equal(rlt_simulation_physics(f->simulation, f->messages, physics), RLT_OK);
    rlt_writer_def def = {.size = sizeof def, .frames_per_second = 24, .metres_per_unit = 0.01};
    def.mode = mode;
    def.physics = physics;
    rlt_writer *writer = NULL;
    import_write(f, name, ""); /* so that it is removed */
    snprintf(path, sizeof path, "%s%s", f->folder, name);
    rlt_status status = rlt_writer_open(path, &def, f->messages, &writer);
    if (status == RLT_OK) {
        assert_int_equal(rlt_writer_add(writer, &view, f->messages), RLT_OK);
        status = rlt_writer_close(writer, f->messages);
    }
    free(physics);
    return status;
}

#define BACK(name)                                                                                           \
    "time: {last: 2}\ncharacter: {kind: file, file: " name ", prim: /Ringlet/Body}\n"                        \
    "hair: {model: rod, file: " name "}\n"

/* What was written is read back as the same hair, from text and crates, of a file's curves and of own ones.
 */
static void test_round_trip(void **state) {
    import *f = *state;
    const char *rod = "model: rod, rod: {radius: 55, young: 3e9, shear: 1e9, density: 1100}, mass: 1.5";
    char scene[512];
    import_write(f, "s.usda", USDA_HEAD USDA_SKIN USDA_CURVES "}\n");
    snprintf(scene, sizeof scene, SCENE("%s"), rod);
    built plain = build(f, scene, 0);
    import_good(f, scene);
    assert_int_equal(write_frame(f, "a.usda", RLT_WRITE_AUTO), RLT_OK);
    import_good(f, scene);
    assert_int_equal(write_frame(f, "b.usdc", RLT_WRITE_STANDALONE), RLT_OK);
    const char *back[] = {BACK("a.usda"), BACK("b.usdc")};
    for (int i = 0; i < 2; i++) {
        built b = build(f, back[i], 0);
        import_expect(f, "s.yaml",
                      "radius 55 um, Young's modulus 4.5e+09 Pa, shear modulus 1.5e+09 Pa, masses of "
                      "points taken");
        assert_same_rod(&b, &plain, 1.0);
        destroy(&b);
    }
    destroy(&plain);
    /* generated hair, with values along it: the material is their mean, masses are as they are */
    snprintf(
        scene, sizeof scene,
        "time: {last: 2}\ncharacter: {kind: file, file: s.usda}\nhair: {region: none, count: 2, length: 8, "
        "length_variation: 0, style: straight, model: rod, rod: {radius: 40}, mass: [[0, 2], [1, 1]]}\n");
    plain = build(f, scene, 0);
    import_good(f, scene);
    assert_int_equal(write_frame(f, "c.usda", RLT_WRITE_AUTO), RLT_OK);
    built b = build(f, BACK("c.usda"), 0);
    double sum = 0.0, kept = 0.0, bend = 0.0, mean = 0.0;
    for (int p = 0; p < b.model->point_count; p++) {
        sum += plain.model->mass[p];
        kept += b.model->mass[p];
        mean += plain.model->stiffness[p][RLTI_ROD_EI_0] / b.model->point_count;
        bend += b.model->stiffness[p][RLTI_ROD_EI_0] / b.model->point_count;
    }
    assert_true(fabs(kept - sum) < 0.01 * sum); /* between points, masses are those of edges here */
    assert_true(fabs(bend - mean) < 0.01 * mean);
    destroy(&b);
    destroy(&plain);
}

/* Resampled strands put their mass on the curves' own points; curves that are left out have none. */
static void test_masses_written(void **state) {
    import *f = *state;
    char path[160];
    import_write(f, "s.usda",
                 USDA_HEAD USDA_SKIN
                 "def BasisCurves \"hair\"\n{\n    uniform token type = \"cubic\"\n"
                 "    uniform token basis = \"catmullRom\"\n    uniform token wrap = \"pinned\"\n"
                 "    int[] curveVertexCounts = [1, 3]\n    point3f[] points = [(0, 0, 0), "
                 "(0.05, 0, 0), (0.05, 0.03, 0), (0.05, 0.09, 0)]\n}\n");
    import_good(f, SCENE("model: rod, resample: 7, rod: {radius: 40, density: 1000}"));
    assert_int_equal(write_frame(f, "d.usda", RLT_WRITE_AUTO), RLT_OK);
    import_expect(f, "d.usda", "/hair: the physics of USD knows linear curves only");
    rlti_stage *stage = NULL;
    snprintf(path, sizeof path, "%sd.usda", f->folder);
    assert_int_equal(rlti_stage_open(path, f->messages, &stage), RLT_OK);
    const rlti_prim *hair = &stage->prims[rlti_stage_find(stage, "/hair")];
    const rlti_attribute *a = rlti_stage_attribute(stage, hair, RLTI_CUSTOM, "physics:masses");
    rlti_array masses = {0};
    double values[4] = {0}, line = 3.14159265358979 * 40e-6 * 40e-6 * 1000;
    assert_int_equal(rlti_stage_value(stage, hair, a, 0.0, f->messages, &masses), RLT_OK);
    assert_int_equal(masses.count, 4);
    assert_true(rlti_array_to_doubles(&masses, values));
    assert_true(values[0] == 0.0);
    assert_close(values[1], line * 0.015);
    assert_close(values[2], line * 0.045);
    assert_close(values[3], line * 0.03);
    a = rlti_stage_attribute(stage, hair, RLTI_CUSTOM, "physics:restNormals");
    double normals[12];
    rlti_array_clear(&masses);
    assert_int_equal(rlti_stage_value(stage, hair, a, 0.0, f->messages, &masses), RLT_OK);
    assert_true(masses.count == 4 && rlti_array_to_doubles(&masses, normals));
    for (int i = 3; i < 12; i += 3) /* across the strand, which goes up */
        assert_true(normals[i + 1] == 0.0 &&
                    normals[i] * normals[i] + normals[i + 2] * normals[i + 2] > 0.99);
    rlti_array_clear(&masses);
    rlti_stage_close(stage);
}

static void test_not_written(void **state) {
    import *f = *state;
    write_groom(f, "", "", "", MATERIAL);
    import_good(f, SCENE("model: rod"));
    assert_int_equal(write_frame(f, "e.abc", RLT_WRITE_AUTO), RLT_BAD_INPUT);
    import_expect(f, "e.abc", "physics of curves is written to USD files that stand alone");
    assert_int_equal(write_frame(f, "e.usda", RLT_WRITE_OVER), RLT_BAD_INPUT);
    /* a file's own physics stays as it is */
    assert_int_equal(write_frame(f, "e.usda", RLT_WRITE_AUTO), RLT_OK);
    built plain = build(f, SCENE("model: rod"), 0);
    built b = build(f, BACK("e.usda"), 0);
    assert_same_rod(&b, &plain, 1.0);
    destroy(&b);
    destroy(&plain);
    import_write(f, "s.usda", USDA_HEAD USDA_SKIN USDA_CURVES "}\n");
    import_good(f, SCENE("contact: {enabled: off}"));
    assert_int_equal(write_frame(f, "t.usda", RLT_WRITE_AUTO), RLT_OK);
    import_expect(f, "t.usda", "hair of model taz has springs");
    b = build(f, BACK("t.usda"), 0);
    import_expect(f, "s.yaml", "physics of the file: radius 40 um, masses of points taken");
    destroy(&b);
}

/* Attributes of a file whose curves have no such schema give way to what is written. */
static void test_replaced(void **state) {
    import *f = *state;
    char path[160];
    rlti_array rest = {0};
    double y[9] = {0};
    import_write(f, "s.usda",
                 USDA_HEAD USDA_SKIN
                 "def BasisCurves \"hair\"\n{\n    uniform token type = \"linear\"\n"
                 "    int[] curveVertexCounts = [3]\n    point3f[] points = [(0, 0, 0), (0, 0.03, 0), "
                 "(0, 0.06, 0)]\n    point3f[] physics:restShapePoints = [(0, 0, 0), (0, 1, 0), (0, 2, 0)]\n"
                 "    float[] physics:masses.timeSamples = {1: [1, 1, 1], 2: [2, 2, 2]}\n}\n");
    import_good(f, SCENE("model: rod"));
    assert_int_equal(write_frame(f, "r.usda", RLT_WRITE_AUTO), RLT_OK);
    rlti_stage *stage = NULL;
    snprintf(path, sizeof path, "%sr.usda", f->folder);
    assert_int_equal(rlti_stage_open(path, f->messages, &stage), RLT_OK);
    const rlti_prim *hair = &stage->prims[rlti_stage_find(stage, "/hair")];
    assert_null(rlti_stage_attribute(stage, hair, RLTI_CUSTOM, "physics:masses_1"));
    assert_null(rlti_stage_attribute(stage, hair, RLTI_CUSTOM, "physics:restShapePoints_1"));
    assert_int_equal(rlti_stage_attribute(stage, hair, RLTI_CUSTOM, "physics:masses")->sample_count, 0);
    const rlti_attribute *a = rlti_stage_attribute(stage, hair, RLTI_CUSTOM, "physics:restShapePoints");
    assert_int_equal(rlti_stage_value(stage, hair, a, 0.0, f->messages, &rest), RLT_OK);
    assert_true(rest.count == 3 && rlti_array_to_doubles(&rest, y));
    assert_close(y[4], 0.03);
    rlti_array_clear(&rest);
    rlti_stage_close(stage);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, import_setup, import_teardown)
    const struct CMUnitTest tests[] = {TEST(test_material),       TEST(test_the_scene_counts_first),
                                       TEST(test_masses),         TEST(test_coil_and_rest),
                                       TEST(test_malformed),      TEST(test_round_trip),
                                       TEST(test_masses_written), TEST(test_not_written),
                                       TEST(test_replaced),       TEST(test_material_without_physics)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
