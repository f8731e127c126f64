/* What rlt_file tells of a file, and which problems it finds. */
#include <unistd.h>

#include "folder_fixture.h"
#include "program_fixture.h"
#include "ringlet/ringlet.h"

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

#define HEAD "#usda 1.0\n(\n    metersPerUnit = 0.1\n    upAxis = \"Z\"\n)\n"

static const char good[] =
    HEAD "def Xform \"a\"\n{\n"
         "    def BasisCurves \"hair\"\n    {\n"
         "        uniform token type = \"cubic\"\n        uniform token basis = \"catmullRom\"\n"
         "        uniform token wrap = \"pinned\"\n"
         "        int[] curveVertexCounts = [2, 3]\n"
         "        point3f[] points.timeSamples = {\n"
         "            1: [(0, 0, 0), (0, 1, 0), (1, 0, 0), (1, 1, 0), (1, 2, 0)],\n"
         "            2: [(0, 0, 0), (0, 1, 0), (1, 0, 0), (1, 1, 0), (1, 2, 1)],\n        }\n"
         "        float[] widths = [0.1] (\n            interpolation = \"constant\"\n        )\n    }\n}\n";

static void the_tree_is_told(void **state) {
    (void)state;
    rlt_file *file = NULL;
    rlt_file_facts facts = {.size = sizeof facts};
    rlt_file_prim prim = {.size = sizeof prim};
    rlt_file_attribute attribute = {.size = sizeof attribute};
    write_file("good.usda", good);
    assert_int_equal(rlt_file_open("good.usda", NULL, &file), RLT_OK);
    rlt_file_get(file, &facts);
    assert_string_equal(facts.format, "usda");
    assert_true(facts.metres_per_unit == 0.1 && facts.up_axis == 'Z');
    assert_int_equal(facts.prim_count, 2);
    assert_true(facts.bytes == (long long)strlen(good));
    assert_true(rlt_file_get_prim(file, 1, &prim));
    assert_string_equal(prim.path, "/a/hair");
    assert_string_equal(prim.kind, "curves");
    assert_string_equal(prim.basis, "catmullRom");
    assert_string_equal(prim.wrap, "pinned");
    assert_true(prim.curves == 2 && prim.points == 5 && prim.faces == -1);
    int found = 0;
    for (int i = 0; rlt_file_get_attribute(file, 1, i, &attribute); i++)
        if (strcmp(attribute.name, "points") == 0) {
            found = 1;
            assert_string_equal(attribute.type, "float3[]");
            assert_string_equal(attribute.role, "point");
            assert_int_equal(attribute.samples, 2);
            assert_true(attribute.values == 5 && attribute.bytes == 120);
            assert_true(attribute.first_time == 1.0 && attribute.last_time == 2.0);
        }
    assert_true(found);
    assert_false(rlt_file_get_prim(file, 2, &prim));
    assert_false(rlt_file_get_prim(file, -1, &prim));
    assert_false(rlt_file_get_attribute(file, 1, 99, &attribute));
    assert_int_equal(rlt_file_problems(file, NULL), 0);
    long long bytes = 0;
    assert_int_equal(rlt_file_read_all(file, NULL, &bytes), RLT_OK);
    assert_true(bytes >= 120 + 8 + 4);
    rlt_file_close(file);
    rlt_file_close(NULL);
}

/* Convert writes the file all the same, and warns of every problem once, in the same words. */
static void expect_convert_warns(const rlt_messages *listed, int first) {
    rlt_convert_def def = {.size = sizeof def};
    rlt_messages *messages = rlt_messages_create();
    assert_int_equal(rlt_convert_def_reset(&def), RLT_OK);
    assert_int_equal(rlt_convert("bad.usda", "converted.usda", &def, messages, NULL), RLT_OK);
    assert_int_equal(rlt_messages_count(messages), rlt_messages_count(listed) - first);
    for (int i = first; i < rlt_messages_count(listed); i++) {
        int found = 0;
        for (int k = 0; k < rlt_messages_count(messages); k++)
            found += strcmp(rlt_messages_text(messages, k), rlt_messages_text(listed, i)) == 0;
        if (found != 1)
            fail_msg("convert warns %d times of '%s'", found, rlt_messages_text(listed, i));
    }
    rlt_messages_destroy(messages);
}

/* One prim of curves with these attributes; the problem must be told. */
static void expect(const char *inside, const char *wanted) {
    char text[2048];
    rlt_file *file = NULL;
    rlt_messages *messages = rlt_messages_create();
    snprintf(text, sizeof text, HEAD "def %s \"p\"\n{\n%s}\n",
             strstr(inside, "faceVertexCounts") ? "Mesh" : "BasisCurves", inside);
    write_file("bad.usda", text);
    assert_int_equal(rlt_file_open("bad.usda", messages, &file), RLT_OK);
    int first = rlt_messages_count(messages);
    int count = rlt_file_problems(file, messages);
    assert_true(count > 0);
    assert_int_equal(rlt_messages_count(messages) - first, count); /* each is listed once */
    int found = 0;
    for (int i = first; i < rlt_messages_count(messages); i++)
        found |= strstr(rlt_messages_text(messages, i), wanted) != NULL;
    if (!found)
        fail_msg("'%s' is not told; the first is '%s'", wanted, rlt_messages_text(messages, first));
    rlt_file_close(file);
    expect_convert_warns(messages, first);
    rlt_messages_destroy(messages);
}

/* Variants that the caller chooses. */
static void variants_are_chosen(void **state) {
    (void)state;
    static const char *const chosen[] = {NULL, "length=long", "length=none"};
    write_file("v.usda", HEAD "def Scope \"p\" (prepend variantSets = \"length\"\n"
                              "variants = { string length = \"short\" }) {\n variantSet \"length\" = {\n"
                              "\"short\" { int a = 1 }\n\"long\" { int a = 1\n int b = 2 } } }\n");
    for (int i = 0; i < 3; i++) {
        rlt_file *file = NULL;
        rlt_file_prim prim = {.size = sizeof prim};
        rlt_messages *messages = rlt_messages_create();
        assert_int_equal(rlt_file_open_as("v.usda", chosen[i], messages, &file), RLT_OK);
        assert_true(rlt_file_get_prim(file, 0, &prim));
        assert_int_equal(prim.attribute_count, i == 0 ? 1 : i == 1 ? 2 : 0);
        assert_int_equal(rlt_messages_count(messages), i == 2);
        rlt_file_close(file);
        rlt_messages_destroy(messages);
    }
}

static void problems_are_found(void **state) {
    (void)state;
    expect("int[] curveVertexCounts = [3, 2, 4]\npoint3f[] points = [(0, 0, 0), (1, 0, 0), (2, 0, 0), (0, 1, "
           "0), "
           "(1, 1, 0), (0, 2, 0), (1, 2, 0), (2, 2, 0), (3, 2, 0)]\n",
           "2 cubic curves of 2 or 3 points, the first is number 0");
    expect("int[] curveVertexCounts = [2]\npoint3f[] points = [(0, 0, 0), (1, 0, 0)]\nstring s = @x@\n",
           "(/p.s); left out");
    expect("int[] curveVertexCounts = [2, 2]\npoint3f[] points = [(0, 0, 0), (1, 0, 0), (2, 0, 0)]\n",
           "ask for 4 points, there are 3");
    expect("int[] curveVertexCounts = [2, -1]\npoint3f[] points = [(0, 0, 0)]\n", "is no count");
    expect("int[] curveVertexCounts = [1, 2]\npoint3f[] points = [(0, 0, 0), (1, 0, 0), (2, 0, 0)]\n",
           "1 strands with fewer than 2 points");
    expect("int[] curveVertexCounts = [2]\npoint3f[] points = [(0, nan, 0), (1, 0, 0)]\n", "not finite");
    expect("int[] curveVertexCounts = [2]\npoint3f[] points.timeSamples = {\n"
           "1: [(0, 0, 0), (1, 0, 0)],\n2: [(0, 0, 0)],\n}\n",
           "topology changes: 1 points at time 2");
    expect("int[] curveVertexCounts.timeSamples = {\n1: [2, 3],\n2: [3, 2],\n}\n"
           "point3f[] points = [(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0), (4, 0, 0)]\n",
           "topology changes: curveVertexCounts");
    expect(
        "int[] curveVertexCounts = [2, 2]\npoint3f[] points = [(0, 0, 0), (1, 0, 0), (2, 0, 0), (2, 0, 0)]\n",
        "1 strands almost without length, the first is number 1");
    expect("int[] curveVertexCounts = [2, 2]\npoint3f[] points = [(1, 0, 0), (1, 0, 0), (2, 0, 0), (2, 0, "
           "0)]\n",
           "2 strands almost without length, the first is number 0, the shortest 0 long");
    expect("int[] curveVertexCounts = [3]\npoint3f[] points = [(0, 0, 0), (0, 0, 0), (2, 0, 0)]\n",
           "points almost in one place");
    expect("int[] curveVertexCounts = [2]\npoint3f[] points = [(0, 0, 0), (1, 0, 0)]\n"
           "float[] primvars:x = [1, 2, 3] (\ninterpolation = \"vertex\"\n)\n",
           "p.x: 3 values, but 2 places");
    expect("point3f[] points = [(0, 0, 0)]\n", "has no curveVertexCounts");
    expect("int[] faceVertexCounts = [3]\nint[] faceVertexIndices = [0, 1, 7]\n"
           "point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]\n",
           "corner 2 names point 7 of 3");
    expect("int[] faceVertexCounts = [4]\nint[] faceVertexIndices = [0, 1, 2]\n"
           "point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]\n",
           "ask for 4 corners, there are 3");
}

static void the_program_inspects(void **state) {
    (void)state;
    write_file("good.usda", good);
    assert_int_equal(ringlet("inspect good.usda"), 0);
    assert_non_null(strstr(out_text, "good.usda: usda"));
    assert_non_null(
        strstr(out_text, "hair  curves (BasisCurves), 2 curves, 5 points, cubic catmullRom pinned"));
    assert_non_null(strstr(out_text, "no problems"));
    assert_int_equal(ringlet("inspect good.usda --json"), 0);
    assert_non_null(strstr(out_text, "\"problems\": 0"));
    assert_non_null(strstr(out_text, "\"path\": \"/a/hair\""));
    assert_int_equal(ringlet("inspect none.usda good.usda"), 2);
    assert_non_null(strstr(err_text, "none.usda"));
    assert_non_null(strstr(out_text, "no problems"));
}

#define STRAND "int[] curveVertexCounts = [2]\npoint3f[] points = [(0, 0, 0), (1, 0, 0)]\n"

/* A value that is left out is listed once, and the file is read all the same. */
static void an_unreadable_value_is_listed_once(void **state) {
    (void)state;
    write_file("pv.usda", HEAD "def BasisCurves \"p\" {\nuniform token type = \"linear\"\n" STRAND
                               "float[] primvars:foo = [\"a\"]\n}\n");
    assert_int_equal(ringlet("inspect pv.usda"), 0);
    assert_non_null(strstr(out_text, "1 problem\n"));
    const char *listed = strstr(out_text, "a number is needed (/p.foo); left out");
    assert_non_null(listed);
    assert_null(strstr(listed + 1, "a number is needed"));
}

/* What a file refers to and cannot be read is a problem of that file, with and without JSON. */
static void a_lost_reference_is_counted(void **state) {
    (void)state;
    write_file("ref.usda", HEAD "def \"a\" (prepend references = @nowhere.usda@</x>) {\n}\n"
                                "def BasisCurves \"p\" {\nuniform token type = \"linear\"\n" STRAND "}\n");
    assert_int_equal(ringlet("inspect ref.usda"), 0);
    assert_non_null(strstr(out_text, "1 problem\n  ref.usda: /a: reference to nowhere.usda"));
    assert_null(strstr(err_text, "nowhere"));
    assert_int_equal(ringlet("inspect ref.usda --json"), 0);
    assert_non_null(strstr(out_text, "\"problems\": 1"));
}

/* A strand of which a point is not finite has no length to report. */
static void a_point_that_is_not_finite_is_one_problem(void **state) {
    (void)state;
    write_file("nan.usda", HEAD "def BasisCurves \"p\" {\nuniform token type = \"linear\"\n"
                                "int[] curveVertexCounts = [2]\npoint3f[] points = [(0, nan, 0), (1, 0, "
                                "0)]\n}\n");
    assert_int_equal(ringlet("inspect nan.usda"), 0);
    assert_non_null(strstr(out_text, "1 problem\n"));
    assert_non_null(strstr(out_text, "not finite"));
}

/* A file of many prims does not flood the terminal. */
static void output_is_bounded(void **state) {
    (void)state;
    FILE *file = fopen("many.usda", "w");
    assert_non_null(file);
    fputs(HEAD, file);
    for (int i = 0; i < 500; i++)
        fprintf(file, "def Xform \"x%d\"\n{\n}\n", i);
    fclose(file);
    assert_int_equal(ringlet("inspect many.usda"), 0);
    assert_non_null(strstr(out_text, "... and 400 more prims (--all)"));
    assert_null(strstr(out_text, "x400 "));
    assert_int_equal(ringlet("inspect many.usda --all"), 0);
    assert_non_null(strstr(out_text, "x499 "));
}

static int enter_folder(void **state) {
    (void)state;
    return folder_enter("inspect");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tree_is_told),
        cmocka_unit_test(problems_are_found),
        cmocka_unit_test(variants_are_chosen),
        cmocka_unit_test(the_program_inspects),
        cmocka_unit_test(output_is_bounded),
        cmocka_unit_test(an_unreadable_value_is_listed_once),
        cmocka_unit_test(a_lost_reference_is_counted),
        cmocka_unit_test(a_point_that_is_not_finite_is_one_problem),
    };
    return cmocka_run_group_tests(tests, enter_folder, folder_leave);
}
