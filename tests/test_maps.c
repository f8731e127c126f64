/* Attributes of a groom that drive values of its hair section. */
#include "import_fixture.h"

#include "model/rod_model.h"

#define SCENE(extra) SCENE_FILES SCENE_HAIR ", " extra "}\n"

#define MAPS                                                                                                 \
    "    float[] primvars:perCurve = [1, 2, 3] (\n        interpolation = \"uniform\"\n    )\n"              \
    "    float[] primvars:perPoint = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] (\n"                            \
    "        interpolation = \"vertex\"\n    )\n"                                                            \
    "    double primvars:one = 0.5\n    int[] primvars:groupId = [4, 5, 6] (\n"                              \
    "        interpolation = \"uniform\"\n    )\n"                                                           \
    "    color3f[] primvars:displayColor = [(1, 0, 0)]\n    string primvars:word = \"x\"\n"                  \
    "    float[] primvars:short = [1, 2] (\n        interpolation = \"uniform\"\n    )\n"                    \
    "    float[] primvars:minus = [1, 1, -1] (\n        interpolation = \"uniform\"\n    )\n"

/* Body, strands and model of a scene text. */
typedef struct built {
    rlti_body *body;
    rlti_strands *strands;
    rlti_matter *matter;
    rlti_taz_model *model;
} built;

static built build(import *f, const char *text) {
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
        status =
            rlti_taz_model_create(rlti_scene_get(f->scene), b.strands, NULL, b.matter, f->messages, &b.model);
    if (status != RLT_OK)
        import_print(f);
    assert_int_equal(status, RLT_OK);
    return b;
}

static void destroy(built *b) {
    rlti_taz_model_destroy(b->model);
    rlti_matter_destroy(b->matter);
    rlti_groom_destroy(b->strands);
    rlti_body_destroy(b->body);
}

static void assert_close(double a, double b) {
    assert_true(fabs(a - b) <= 1e-6 * fabs(b));
}

static void write_groom(import *f) {
    import_write(f, "s.usda", USDA_HEAD USDA_SKIN USDA_CURVES MAPS "}\n");
}

/* Against the same values written as numbers. */
static void test_per_strand(void **state) {
    import *f = *state;
    write_groom(f);
    built b = build(f, SCENE("mass: 'attribute:perCurve', drag: {attribute: groupId, scale: 2, offset: -1}"));
    built plain = build(f, SCENE("mass: 1, drag: 1"));
    for (int p = 0; p < 12; p++) {
        assert_close(b.model->mass[p], plain.model->mass[p] * (1 + p / 4));
        assert_close(b.model->drag[p], 2.0 * (4 + p / 4) - 1.0);
    }
    destroy(&b);
    destroy(&plain);
}

static void test_per_point_and_constant(void **state) {
    import *f = *state;
    write_groom(f);
    built b = build(f, SCENE("mass: 'attribute:one', drag: 'attribute:perPoint'"));
    built plain = build(f, SCENE("mass: 0.5, drag: 1"));
    for (int p = 0; p < 12; p++) {
        assert_close(b.model->mass[p], plain.model->mass[p]);
        assert_close(b.model->drag[p], p + 1.0);
    }
    destroy(&b);
    destroy(&plain);
}

/* Edges take the mean of their ends. */
static void test_edges(void **state) {
    import *f = *state;
    write_groom(f);
    const char *format = SCENE_FILES "hair: {file: s.usda, bend: {stiffness: %s}, stretch: {stiffness: %s}, "
                                     "core: {stiffness: 0, stiffness_max: 0}}\n";
    char text[512];
    snprintf(text, sizeof text, format, "{attribute: perPoint, scale: 100}",
             "{attribute: perCurve, scale: 1e6}");
    built b = build(f, text);
    snprintf(text, sizeof text, format, "100", "1e6");
    built plain = build(f, text);
    for (int s = 0; s < 3; s++)
        for (int i = 0; i < 3; i++) {
            int p = 4 * s + i;
            assert_close(b.model->bend_k[p], plain.model->bend_k[p] * (p + 1.5));
            assert_close(b.model->stretch_k[p], plain.model->stretch_k[p] * (s + 1));
        }
    destroy(&b);
    destroy(&plain);
}

static void test_resampled(void **state) {
    import *f = *state;
    write_groom(f);
    built b = build(f, SCENE("resample: 7, drag: 'attribute:perPoint'"));
    assert_int_equal(b.model->point_count, 21);
    for (int i = 0; i < 7; i++) /* the second strand has equal segments */
        assert_close(b.model->drag[7 + i], 5.0 + 0.5 * i);
    destroy(&b);
}

static void test_refused(void **state) {
    import *f = *state;
    write_groom(f);
    const char *at = "s.yaml:3:14: hair.file: ";
    import_refuse(
        f, SCENE("drag: 'attribute:perCurv'"), at,
        "/hair: hair.drag = attribute:perCurv: there is no such attribute; there are: perCurve, perPoint, "
        "one, groupId, short, minus; did you mean perCurve?");
    import_refuse(f, SCENE("drag: 'attribute:displayColor'"), at,
                  "/hair.displayColor: cannot drive hair.drag: a map has one number per place");
    import_refuse(f, SCENE("drag: 'attribute:word'"), at, "/hair.word: cannot drive hair.drag");
    import_refuse(f, SCENE("drag: 'attribute:short'"), at,
                  "/hair.short: has 2 values; 3 curves with 12 points would have 3, 12 or 1");
    import_refuse(f, SCENE("drag: 'attribute:minus'"), at,
                  "/hair.minus: curve 2 makes hair.drag -1: must be >= 0");
    import_refuse(
        f, SCENE_FILES "hair: {file: s.usda, core: {stiffness_max: {attribute: perCurve, scale: 1e8}}}\n",
        "s.yaml:3:14: hair.file: ",
        "hair.core.stiffness_max is 100000000 at strand 0, point 0: must be below hair.stretch.stiffness");
}

/* Maps are read, and held against rules, by the model that reads their values. */
static void test_of_models(void **state) {
    import *f = *state;
    write_groom(f);
#define RODS(extra) SCENE_FILES "hair: {file: s.usda, " extra "}\n"
    import_good(f, RODS("model: rod, core: {stiffness_max: {attribute: perCurve, scale: 1e8}}"));
    import_good(f, RODS("model: rod, rod: {young: 4e9}, core: {damping: 'attribute:nowhere'}"));
    import_expect(f, "s.yaml:3:", "hair.core.damping = \"attribute:nowhere\": does nothing: model rod");
    import_good(f, RODS("rod: {young: 'attribute:perCurve'}"));
    import_refuse(f, RODS("model: rod, rod: {young: 'attribute:perCurve'}"), "s.yaml:3:14: hair.file: ",
                  "/hair.perCurve: curve 0 makes hair.rod.young 1 (the worst of 3 curves), at point 0: no "
                  "material is outside 1e3..2e12 Pa; hair has 4e9 (4 GPa are 4e9); mend its scale");
    import_refuse(f, RODS("model: rod, rod: {shear: {attribute: perPoint, scale: 3e11}}"),
                  "s.yaml:3:14: hair.file: ",
                  "/hair.perPoint: curve 2 makes hair.rod.shear 3.6e+12 (the worst of 2 curves), at point 3: "
                  "no material");
}

/* Radii that no hair has, and pairs of moduli: refused or warned of as numbers of the scene are, with the
 * worst. */
static void test_rod_material(void **state) {
    import *f = *state;
    const char *at = "s.yaml:3:14: hair.file: ";
    write_groom(f);
    import_refuse(
        f, RODS("model: rod, rod: {radius: {attribute: perCurve, scale: -1}}"), at,
        "/hair.perCurve: curve 2 makes hair.rod.radius -3 (the worst of 3 curves): must be > 0; mend "
        "the attribute, or scale and offset");
    import_refuse(f, RODS("model: rod, rod: {radius: {attribute: perCurve, offset: -1}}"), at,
                  "/hair.perCurve: curve 0 makes hair.rod.radius 0: must be > 0");
    import_refuse(
        f, RODS("model: rod, rod: {radius: {attribute: perPoint, scale: 1e-5}}"), at,
        "/hair.perPoint: curve 0 makes hair.rod.radius 1e-05 (the worst of 3 curves), at point 0: no "
        "hair is outside 1e-3..1e7 micrometres; real hair has 20 to 100; mend its scale");
    import_refuse(f, RODS("model: rod, rod: {radius: {attribute: perPoint, scale: 9e5}}"), at,
                  "/hair.perPoint: curve 2 makes hair.rod.radius 1.08e+07, at point 3: no hair is outside");
    import_good(f, RODS("model: rod, rod: {radius: {attribute: perCurve, scale: 0.04}}"));
    import_expect(
        f, at,
        "/hair.perCurve: curve 0 makes hair.rod.radius 0.04 (the worst of 3 curves), at point 0: is "
        "in micrometres; real hair has 20 to 100; mend its scale");
    import_good(f, RODS("model: rod, rod: {shear: {attribute: perPoint, scale: 2.5e8}}"));
    import_expect(f, at, "/hair.perPoint: curve 2 makes hair.rod.shear 3e+09, at point 3, 0.75 times");
    import_good(f, RODS("model: rod, rod: {young: {attribute: perCurve, scale: 2e9}}"));
    import_expect(
        f, at,
        "/hair.perCurve: curve 0 makes hair.rod.shear 1.5e+09, at point 0, 0.75 times "
        "hair.rod.young: above half of rod.young a material has a Poisson's ratio below 0; hair has "
        "1.5e9 beside 4e9; mend its scale");
    import_good(f, RODS("model: rod, rod: {radius: {attribute: perCurve, scale: 40}, shear: {attribute: "
                        "perCurve, scale: 5e8}}"));
    assert_null(import_message(f, at, " makes "));
    import_good(f, RODS("rod: {radius: {attribute: perCurve, scale: -1}}")); /* of no interest to Taz */
}

/* Maps of springs survive where these become a Rod's material. */
static void test_converted(void **state) {
    import *f = *state;
    write_groom(f);
    built b = build(f, RODS("model: rod, bend: {stiffness: {attribute: perCurve, scale: 1e4}, damping: "
                            "'attribute:perPoint'}, core: {stiffness: 0, stiffness_max: 0}"));
    rlti_rod_model *rods = NULL;
    assert_int_equal(
        rlti_rod_model_create(rlti_scene_get(f->scene), b.strands, NULL, b.matter, f->messages, &rods),
        RLT_OK);
    for (int s = 1; s < 3; s++)
        assert_close(rods->stiffness[4 * s + 1][RLTI_ROD_EI_0], (s + 1) * rods->stiffness[1][RLTI_ROD_EI_0]);
    assert_true(rods->constants[2][RLTI_ROD_DAMP_BEND] > 1.4 * rods->constants[1][RLTI_ROD_DAMP_BEND]);
    import_expect(f, "s.yaml:3:29: hair 'hair': model: rod: no hair.rod material is given, so Taz's is ",
                  "; others by their maps: hair.bend.stiffness, hair.bend.damping");
    rlti_rod_model_destroy(rods);
    destroy(&b);
}

static void test_texts(void **state) {
    import *f = *state;
    write_groom(f);
    import_refuse(f, SCENE("length: 'attribute:one'"), "s.yaml:3:",
                  "is one number for the whole section; attributes can drive hair.mass, hair.drag, "
                  "hair.stretch.stiffness");
    import_refuse(f, "hair: {count: 3, drag: 'attribute:one'}\n",
                  "s.yaml:1:24: hair.drag = \"attribute:one\": ", "needs a groom from a file");
    import_refuse(f, SCENE("drag: 'attribute:'"), "s.yaml:3:", "must name an attribute of the groom");
    import_refuse(f, SCENE("drag: {attribute: one, size: 3}"),
                  "s.yaml:3:", "unknown key; a map has attribute, scale and offset");
    import_refuse(f, SCENE("drag: {attribute: one, scale: big}"), "s.yaml:3:", "hair.drag.scale");
}

/* A map that says the same for all gives the same bytes as the number. */
static void test_same_bytes(void **state) {
    import *f = *state;
    import_write(f, "s.usda",
                 USDA_HEAD USDA_SKIN USDA_CURVES
                 "    double primvars:half = 0.5\n    float[] primvars:drag = [2, 2, 2] (\n"
                 "        interpolation = \"uniform\"\n    )\n}\n");
    import_good(f, SCENE("mass: 0.5, drag: 2"));
    import_advance(f, 3);
    uint64_t hash = rlt_simulation_hash(f->simulation);
    import_good(f, SCENE("mass: 'attribute:half', drag: 'attribute:drag'"));
    import_advance(f, 3);
    assert_true(rlt_simulation_hash(f->simulation) == hash);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, import_setup, import_teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_per_strand), TEST(test_per_point_and_constant),
        TEST(test_edges),      TEST(test_resampled),
        TEST(test_refused),    TEST(test_texts),
        TEST(test_of_models),  TEST(test_rod_material),
        TEST(test_converted),  TEST(test_same_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
