/* Arcs of every kind: classes, variants, instances, edited lists, relocates. What is expected here is what
 * OpenUSD makes of the same files (tests/npm/compose.mjs asks version 22, which has no relocates: those are
 * as its documentation says). */
#include <time.h>

#include "usd_fixture.h"

#include "io/inputs.h"
#include "ringlet/files.h"

typedef struct value {
    const char *path, *name;
    double number;
} value;

/* Every number as listed; of "-" as name, that the prim is not there. */
static void expect(const char *file, const value *values, size_t count) {
    rlti_stage *stage = usd_open(file);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(values[i].name, "-") == 0) {
            if (rlti_stage_find(stage, values[i].path) >= 0)
                fail_msg("%s: %s is there", file, values[i].path);
        } else if (usd_number(stage, values[i].path, values[i].name, 0, 0) != values[i].number) {
            fail_msg("%s: %s.%s is %g instead of %g", file, values[i].path, values[i].name,
                     usd_number(stage, values[i].path, values[i].name, 0, 0), values[i].number);
        }
    }
    rlti_stage_close(stage);
}
#define EXPECT(file, ...)                                                                                    \
    do {                                                                                                     \
        static const value wanted[] = {__VA_ARGS__};                                                         \
        expect(file, wanted, sizeof wanted / sizeof wanted[0]);                                              \
    } while (0)

static void test_inherits(void **state) {
    (void)state;
    usd_write("a.usda", "class \"_k\" { double a = 1\n double b = 2\n def \"kid\" { double k = 1 } }\n"
                        "class \"_m\" (inherits = </_k>) { double c = 3\n double b = 9 }\n"
                        "def Scope \"P\" (inherits = </_m>) { double z = 1 }\n"
                        "def Scope \"Q\" (inherits = [</_k>, </_m>]) { over \"kid\" { double q = 2 } }\n");
    EXPECT("a.usda", {"/P", "a", 1}, {"/P", "b", 9}, {"/P", "c", 3}, {"/P/kid", "k", 1}, {"/Q", "b", 2},
           {"/Q/kid", "q", 2}, {"/Q/kid", "k", 1}, {"/_k", "-", 0});
}

/* Classes of a referenced file count in the file that references it, too. */
static void test_implied_classes(void **state) {
    (void)state;
    usd_write("asset.usda",
              "(defaultPrim = \"A\")\n"
              "class \"_class_A\" { double a = 1\n double b = 1\n double c = 1\n double d = 1 }\n"
              "def Scope \"A\" (inherits = </_class_A>) { double b = 2\n"
              "  class \"_local\" { double l = 1\n double m = 1 }\n"
              "  def Scope \"kid\" (inherits = </A/_local>) { double m = 2\n double own = 3 } }\n");
    usd_write("shot.usda", "over \"_class_A\" { double c = 30\n double n = 5 }\n"
                           "def \"P\" (references = @asset.usda@) { double d = 40\n"
                           "  over \"_local\" { double l = 77\n double only = 1 } }\n"
                           "def \"Q\" (payload = @asset.usda@) {}\n"
                           "def \"R\" (references = </Q>) {}\n");
    EXPECT("shot.usda", {"/P", "a", 1}, {"/P", "b", 2}, {"/P", "c", 30}, {"/P", "d", 40}, {"/P", "n", 5},
           {"/P/kid", "l", 77}, {"/P/kid", "m", 2}, {"/P/kid", "only", 1}, {"/Q", "c", 30},
           {"/Q/kid", "l", 1}, {"/R", "c", 30}, {"/R/kid", "m", 2}, {"/P/_local", "-", 0});
    usd_write("cut.usda", "over \"_class_A\" { double a = 100\n double c = 300 }\n"
                          "def \"X\" (references = @shot.usda@</P>) {}\n");
    EXPECT("cut.usda", {"/X", "a", 100}, {"/X", "c", 300}, {"/X", "n", 5}, {"/X", "d", 40},
           {"/X/kid", "l", 77});
    /* a class that the file itself does not have */
    usd_write("bare.usda", "def Scope \"A\" (inherits = </_hook>) { double a = 1 }\n");
    usd_write("hooked.usda", "class \"_hook\" { double h = 3\n def \"kid\" { double k = 4 } }\n"
                             "def \"D\" (references = @bare.usda@</A>) {}\n");
    EXPECT("hooked.usda", {"/D", "a", 1}, {"/D", "h", 3}, {"/D/kid", "k", 4});
    /* classes of classes */
    usd_write("chain.usda", "class \"_base\" { double x = 1\n double y = 1 }\n"
                            "class \"_mid\" (inherits = </_base>) { double y = 2 }\n"
                            "def \"B\" (inherits = </_mid>) { double z = 3 }\n");
    usd_write("top.usda", "over \"_base\" { double top = 1 }\n"
                          "def \"P\" (references = @chain.usda@</B>) {}\n");
    EXPECT("top.usda", {"/P", "top", 1}, {"/P", "x", 1}, {"/P", "y", 2}, {"/P", "z", 3});
}

/* What is specialized is weaker than all else, wherever it is written. */
static void test_specializes(void **state) {
    (void)state;
    usd_write("b.usda", "class \"_s\" { double a = 5\n double c = 6\n double d = 7 }\n"
                        "def \"B\" { double c = 3 }\n"
                        "def \"C\" (specializes = </_s>) { double a = 8 }\n");
    usd_write("a.usda", "class \"_s\" { double a = 1\n double b = 1\n double c = 1 }\n"
                        "class \"_i\" { double b = 2 }\n"
                        "def Scope \"P\" (specializes = </_s>\n inherits = </_i>\n"
                        " references = @b.usda@</B>) {}\n"
                        "def Scope \"Q\" (references = @b.usda@</C>) {}\n");
    EXPECT("a.usda", {"/P", "a", 1}, {"/P", "b", 2}, {"/P", "c", 3}, {"/Q", "a", 8}, {"/Q", "b", 1},
           {"/Q", "c", 1}, {"/Q", "d", 7});
    /* a class of the file above counts right before the one it is implied by, also below it */
    usd_write("c.usda", "def \"U\" (specializes = </_m>) {}\nclass \"_m\" {}\n"
                        "class \"_k\" { over \"y\" { double g = 58 } }\n"
                        "def \"W\" (specializes = </_w>) {}\n");
    usd_write("b.usda", "def Scope \"S\" (specializes = </_m>) {}\n"
                        "class \"_m\" { double f = 5\n def Scope \"y\" { double g = 6 } }\n");
    usd_write("a.usda", "def Scope \"Q\" (references = [@c.usda@</U>, @b.usda@</S>]) {}\n"
                        "class \"_m\" (references = @c.usda@</_k>) {}\n"
                        "def Scope \"T\" (references = [@b.usda@</S>, @c.usda@</W>]) {}\n"
                        "class \"_w\" { double f = 3 }\n");
    EXPECT("a.usda", {"/Q/y", "g", 58}, {"/T", "f", 5});
}

/* Classes come up through references within a file; what an arc to a missing prim names is taken. */
static void test_classes_through_references(void **state) {
    (void)state;
    usd_write("b.usda", "def Scope \"V\" (references = </_k>) {}\n"
                        "class \"_k\" (inherits = </_m>) { double b = 2 }\n"
                        "def Scope \"U\" (references = </_t>) {}\n"
                        "class \"_t\" (references = </_m>\n inherits = </_m>) {}\n");
    usd_write("a.usda", "def \"R\" (references = @b.usda@</V>) {}\n"
                        "class \"_m\" { double a = 1\n def Scope \"y\" { double c = 3 } }\n"
                        "def \"P\" (references = @b.usda@</U>) {}\n");
    EXPECT("a.usda", {"/R", "a", 1}, {"/R", "b", 2}, {"/R/y", "c", 3}, {"/P/y", "-", 0});
}

static void test_variant_within_its_own_set(void **state) {
    (void)state;
    usd_write("b.usda", "def Scope \"B\" (variants = { string v = \"one\" }\n"
                        " prepend variantSets = \"v\") { variantSet \"v\" = {\n"
                        " \"one\" { double d = 1 }\n \"two\" { double d = 2 } } }\n");
    usd_write("a.usda",
              "def \"P\" (references = @b.usda@</B>\n prepend variantSets = \"v\") {\n"
              " variantSet \"v\" = {\n \"one\" (variants = { string v = \"two\" }) { double c = 1 }\n"
              " \"two\" { double c = 2 } } }\n");
    EXPECT("a.usda", {"/P", "c", 1}, {"/P", "d", 1});
}

static const char varied[] =
    "def Scope \"P\" (\n variants = { string look = \"red\"\n string size = \"big\" }\n"
    " prepend variantSets = [\"look\", \"size\"]) { double a = 1\n"
    " variantSet \"look\" = {\n  \"red\" { double a = 10\n double c = 1\n def \"kid\" { double k = 1 } }\n"
    "  \"blue\" { double c = 2 } }\n"
    " variantSet \"size\" = {\n  \"big\" (references = @b.usda@</B>) { double c = 5\n double s = 6\n"
    "   rel to = </P/kid> }\n  \"small\" { double s = 7 } } }\n"
    "def Scope \"None\" (prepend variantSets = \"look\") {\n"
    " variantSet \"look\" = { \"x\" { double a = 1 } }\n double own = 4 }\n"
    "def \"O\" (references = </P>\n variants = { string look = \"blue\" }) {}\n";

static void test_variants(void **state) {
    (void)state;
    usd_write("b.usda", "def \"B\" { double c = 3\n double b = 4 }\n");
    usd_write("a.usda", varied);
    EXPECT("a.usda", {"/P", "a", 1}, {"/P", "c", 1}, {"/P", "s", 6}, {"/P", "b", 4}, {"/P/kid", "k", 1},
           {"/O", "a", 1}, {"/O", "c", 2}, {"/O", "s", 6}, {"/O/kid", "-", 0}, {"/None", "own", 4});
    rlti_stage *stage = usd_open("a.usda");
    assert_int_equal(stage->reader->target(stage, usd_prim(stage, "/P"), "to"),
                     rlti_stage_find(stage, "/P/kid"));
    rlti_stage_close(stage);
    /* chosen in another file; of a prim below; in a variant; in a class; by another variant */
    usd_write(
        "c.usda",
        "def \"X\" (references = @a.usda@</P>\n variants = { string size = \"small\" }) {}\n"
        "def \"Y\" (references = @a.usda@</P/kid>) { double y = 1 }\n"
        "def Scope \"N\" (variants = { string v = \"one\" }\n add variantSets = \"v\") {\n"
        " variantSet \"v\" = { \"one\" (variants = { string w = \"in\" }\n prepend variantSets = \"w\") {\n"
        "  double n = 1\n  variantSet \"w\" = { \"in\" { double n = 2\n double m = 3 } } } } }\n"
        "class \"_vk\" (prepend variantSets = \"q\") {\n variantSet \"q\" = { \"u\" { double u = 1 } } }\n"
        "def Scope \"I\" (inherits = </_vk>\n variants = { string q = \"u\" }) {}\n"
        "def Scope \"S\" (prepend variantSets = [\"a\", \"b\"]\n variants = { string a = \"one\" }) {\n"
        " variantSet \"a\" = { \"one\" (variants = { string b = \"two\" }) { double va = 1 } }\n"
        " variantSet \"b\" = { \"two\" { double vb = 2\n double va = 5 } } }\n");
    EXPECT("c.usda", {"/X", "s", 7}, {"/X", "c", 1}, {"/Y", "k", 1}, {"/Y", "y", 1}, {"/N", "n", 1},
           {"/N", "m", 3}, {"/I", "u", 1}, {"/S", "va", 1}, {"/S", "vb", 2});
    /* a class of a variant, across a reference */
    usd_write("d.usda", "class \"_vc\" { double a = 1 }\n"
                        "def Scope \"V\" (prepend variantSets = \"s\"\n variants = { string s = \"x\" }) {\n"
                        " variantSet \"s\" = { \"x\" (inherits = </_vc>) { double b = 2 } } }\n");
    usd_write("e.usda", "over \"_vc\" { double a = 11 }\ndef \"P\" (references = @d.usda@</V>) {}\n");
    EXPECT("e.usda", {"/P", "a", 11}, {"/P", "b", 2});
}

/* Variants that the caller chooses count before those of any layer. */
static void test_chosen_variants(void **state) {
    (void)state;
    rlt_messages *messages = rlt_messages_create();
    rlti_stage *stage = NULL;
    usd_write("b.usda", "def \"B\" { double c = 3\n double b = 4 }\n");
    usd_write("a.usda", varied);
    stage_ok(rlti_stage_open_as(usd_path("a.usda"), "look=blue,size=small", messages, &stage), messages);
    near(usd_number(stage, "/P", "c", 0, 0), 2, 0);
    near(usd_number(stage, "/P", "s", 0, 0), 7, 0);
    near(usd_number(stage, "/O", "s", 0, 0), 7, 0);
    assert_int_equal(rlt_messages_count(messages), 0);
    assert_string_equal(stage->variants, "look=blue,size=small");
    rlti_stage_close(stage);
    static const char *const wrong[][2] = {{"look=none", "the set 'look' has no variant 'none'"},
                                           {"nothing=x", "no prim has a variant set 'nothing'"}};
    for (int i = 0; i < 2; i++) {
        stage_ok(rlti_stage_open_as(usd_path("a.usda"), wrong[i][0], messages, &stage), messages);
        rlti_stage_close(stage);
        assert_int_equal(rlt_messages_count(messages), 1);
        assert_non_null(strstr(rlt_messages_text(messages, 0), wrong[i][1]));
        rlt_messages_clear(messages);
    }
    assert_int_equal(rlti_stage_open_as(usd_path("a.usda"), "look", messages, &stage), RLT_BAD_INPUT);
    assert_non_null(strstr(rlt_messages_text(messages, 0), "must be SET=NAME"));
    rlt_messages_destroy(messages);
}

/* Edits of lists by layers over layers. */
static void test_edited_lists(void **state) {
    (void)state;
    static const struct {
        const char *strong, *middle;
        const char *found; /* x, the first reference's; then which of a b c d are there */
    } cases[] = {{"delete references = @r.usda@</B>", "add references = @r.usda@</C>", "1ac"},
                 {"prepend references = @r.usda@</C>", "append references = @r.usda@</A>", "3abc"},
                 {"append references = @r.usda@</A>", "prepend references = @r.usda@</B>", "2ab"},
                 {"references = @r.usda@</D>", "", "4d"},
                 {"references = None", "", "0"},
                 {"reorder references = [@r.usda@</B>, @r.usda@</A>]", "", "2ab"},
                 {"add references = @./r.usda@</A>", "", "1ab"}};
    char text[300];
    usd_write("r.usda",
              "def \"A\" { double x = 1\n double a = 1 }\ndef \"B\" { double x = 2\n double b = 1 }\n"
              "def \"C\" { double x = 3\n double c = 1 }\ndef \"D\" { double x = 4\n double d = 1 }\n");
    usd_write("weak.usda", "def Scope \"P\" (references = [@r.usda@</A>, @r.usda@</B>]) {}\n");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(text, sizeof text, "(subLayers = [@weak.usda@])\nover \"P\" (%s) {}\n", cases[i].middle);
        usd_write("middle.usda", text);
        snprintf(text, sizeof text, "(subLayers = [@middle.usda@])\nover \"P\" (%s) {}\n", cases[i].strong);
        usd_write("top.usda", text);
        rlti_stage *stage = usd_open("top.usda");
        const rlti_prim *p = usd_prim(stage, "/P");
        char found[8] = "0";
        size_t used = 1;
        if (rlti_stage_attribute(stage, p, RLTI_CUSTOM, "x") != NULL)
            found[0] = (char)('0' + (int)usd_number(stage, "/P", "x", 0, 0));
        for (const char *name = "a\0b\0c\0d\0"; *name != '\0'; name += 2)
            if (rlti_stage_attribute(stage, p, RLTI_CUSTOM, name) != NULL)
                found[used++] = *name;
        if (strcmp(found, cases[i].found) != 0)
            fail_msg("%s: %s instead of %s", cases[i].strong, found, cases[i].found);
        rlti_stage_close(stage);
    }
    /* targets and schemas */
    usd_write("weak.usda",
              "def Scope \"P\" (prepend apiSchemas = [\"A\", \"B\"]) { rel r = [</P/a>, </P/b>]\n"
              " def \"a\" {}\n def \"b\" {}\n def \"c\" {} }\n");
    usd_write("top.usda", "(subLayers = [@weak.usda@])\n"
                          "over \"P\" (prepend apiSchemas = \"Z\"\n delete apiSchemas = \"B\") {\n"
                          " prepend rel r = </P/c>\n delete rel r = </P/a> }\n");
    rlti_stage *stage = usd_open("top.usda");
    assert_string_equal(usd_prim(stage, "/P")->api_schemas, "Z A");
    assert_int_equal(stage->reader->target(stage, usd_prim(stage, "/P"), "r"),
                     rlti_stage_find(stage, "/P/c"));
    rlti_stage_close(stage);
}

static void test_instances(void **state) {
    (void)state;
    usd_write("b.usda", "def Xform \"Tree\" { def Scope \"geo\" { double g = 2 } }\n"
                        "def Xform \"Set\" { def \"one\" (instanceable = true\n references = </Tree>) {\n"
                        " over \"geo\" { double g = 6 } } }\n");
    usd_write("a.usda",
              "def Xform \"Proto\" { double p = 1\n def Scope \"geo\" { double g = 1 } }\n"
              "def \"I\" (instanceable = true\n references = </Proto>) { double p = 2\n"
              " over \"geo\" { double g = 9 }\n def \"extra\" {} }\n"
              "def Xform \"Plain\" (instanceable = true) { def \"kid\" { double a = 1 } }\n"
              "def \"G\" (references = @b.usda@</Set>) { over \"one\" { over \"geo\" { double g = 5 } } }\n");
    EXPECT("a.usda", {"/I", "p", 2}, {"/I/geo", "g", 1}, {"/I/extra", "-", 0}, {"/Plain/kid", "a", 1},
           {"/G/one/geo", "g", 2});
    /* what usdcat --flatten leaves of instances */
    usd_write("c.usda", "class \"Flattened_Prototype_1\" { def Mesh \"m\" {} }\n"
                        "def Xform \"A\" (instanceable = true\n references = </Flattened_Prototype_1>) {}\n");
    rlti_stage *stage = usd_open("c.usda");
    assert_int_equal(usd_prim(stage, "/A/m")->kind, RLTI_PRIM_MESH);
    rlti_stage_close(stage);
}

static void test_relocates(void **state) {
    (void)state;
    usd_write("b.usda",
              "def Scope \"B\" { double b = 1\n def \"arm\" { double a = 1\n def \"hand\" { double h = 1 }\n"
              " rel to = </B/arm/hand> } }\n");
    usd_write("a.usda", "def \"P\" (references = @b.usda@</B>\n"
                        " relocates = { <arm>: <limb>, <arm/hand>: <claw> }) {\n"
                        " over \"limb\" { double own = 2 }\n over \"claw\" { double own = 3 } }\n");
    EXPECT("a.usda", {"/P", "b", 1}, {"/P/arm", "-", 0}, {"/P/limb", "a", 1}, {"/P/limb", "own", 2},
           {"/P/claw", "h", 1}, {"/P/claw", "own", 3});
    rlti_stage *stage = usd_open("a.usda");
    assert_true(stage->reader->target(stage, usd_prim(stage, "/P/limb"), "to") >= 0);
    rlti_stage_close(stage);
    usd_write("c.usda", "(relocates = { </P/arm>: </P/limb> })\ndef \"P\" (references = @b.usda@</B>) {}\n");
    EXPECT("c.usda", {"/P/arm", "-", 0}, {"/P/limb", "a", 1}, {"/P/limb/hand", "h", 1});
}

/* Samples from other files: of one list of them, and of names with numbers. */
static void test_value_clips(void **state) {
    (void)state;
    usd_write("shape.usda", "def Scope \"M\" { double a\n double still = 5\n def \"kid\" { double k } }\n");
    usd_write("one.usda", "over \"M\" { double a.timeSamples = {0: 0, 1: 10, 5: 50}\n"
                          " over \"kid\" { double k.timeSamples = {0: 1, 1: 2} } }\n");
    usd_write("two.usda", "over \"M\" { double a.timeSamples = {0: 100, 1: 110, 2: 120}\n"
                          " double still.timeSamples = {0: 9}\n}\n");
    usd_write("a.usda",
              "def \"P\" (references = @shape.usda@</M>\n clips = { dictionary default = {\n"
              "  asset[] assetPaths = [@one.usda@, @two.usda@]\n  string primPath = \"/M\"\n"
              "  double2[] active = [(1, 0), (3, 1)]\n"
              "  double2[] times = [(1, 0), (3, 2), (3, 0), (5, 2)]\n } }) {\n double local = 3 }\n");
    rlti_stage *stage = usd_open("a.usda");
    const rlti_attribute *a = stage_need(stage, usd_prim(stage, "/P"), RLTI_CUSTOM, "a");
    assert_int_equal(a->sample_count, 5);
    static const double wanted[][2] = {{1, 0}, {2, 10}, {3, 100}, {4, 110}, {5, 120}};
    for (int i = 0; i < 5; i++) {
        near(a->times[i], wanted[i][0], 0);
        near(usd_number(stage, "/P", "a", wanted[i][0], 0), wanted[i][1], 0);
    }
    near(usd_number(stage, "/P/kid", "k", 2, 0), 2, 0);
    near(usd_number(stage, "/P", "still", 3, 0), 9, 0); /* stronger than what is referenced */
    near(usd_number(stage, "/P", "local", 3, 0), 3, 0);
    rlti_stage_close(stage);
    usd_write("c.001.usda", "over \"M\" { double a.timeSamples = {1: 7} }\n");
    usd_write("c.003.usda", "over \"M\" { double a.timeSamples = {3: 8} }\n");
    usd_write("b.usda", "def \"P\" (references = @shape.usda@</M>\n clips = { dictionary default = {\n"
                        "  string templateAssetPath = \"./c.###.usda\"\n  double templateStartTime = 1\n"
                        "  double templateEndTime = 3\n  double templateStride = 1\n"
                        "  string primPath = \"/M\" } }) {}\n");
    stage = usd_open("b.usda");
    near(usd_number(stage, "/P", "a", 1, 0), 7, 0);
    near(usd_number(stage, "/P", "a", 3, 0), 8, 0);
    rlti_stage_close(stage);
    /* what is missing is told; what makes no sense is left out */
    usd_write(
        "c.usda",
        "def \"P\" (clips = { dictionary default = { asset[] assetPaths = [@none.usda@]\n"
        " string primPath = \"/M\"\n double2[] active = [(0, 0), (1, 7), (2, -1)] } }) { double a = 1 }\n");
    rlti_stage_close(usd_warned("c.usda", "c.usda: /P: value clip none.usda: cannot read", "left out"));
    usd_write("d.usda",
              "def \"P\" (clips = { dictionary default = { asset[] assetPaths = [@one.usda@] } }) {}\n");
    rlti_stage_close(usd_warned("d.usda", "value clips: primPath is needed", "left out"));
}

/* A groom in Alembic below a USD file, with its times and its transform. */
static void test_alembic(void **state) {
    (void)state;
    usd_write("g.usda",
              "(timeCodesPerSecond = 24)\ndef Xform \"g\" { double3 xformOp:translate = (1, 2, 3)\n"
              " uniform token[] xformOpOrder = [\"xformOp:translate\"]\n"
              " def BasisCurves \"h\" { uniform token type = \"linear\"\n int[] curveVertexCounts = [2]\n"
              "  point3f[] points.timeSamples = {24: [(0, 0, 0), (0, 1, 0)], 48: [(0, 0, 0), (0, 5, 0)]}\n"
              "  float[] primvars:tone = [7] (interpolation = \"uniform\") } }\n");
    char from[600], to[600];
    snprintf(from, sizeof from, "%s", usd_path("g.usda"));
    snprintf(to, sizeof to, "%s", usd_path("g.abc"));
    rlt_convert_def def = rlt_convert_defaults();
    assert_int_equal(rlt_convert(from, to, &def, NULL, NULL), RLT_OK);
    usd_write("a.usda", "(timeCodesPerSecond = 48)\ndef \"A\" (references = @g.abc@</g>) {\n"
                        " over \"h\" { double extra = 4 } }\ndef \"B\" (payload = @g.abc@) {}\n");
    rlti_stage *stage = usd_open("a.usda");
    const rlti_prim *h = usd_prim(stage, "/A/h");
    assert_int_equal(h->kind, RLTI_PRIM_CURVES);
    assert_int_equal(h->curve_type, RLTI_CURVE_LINEAR);
    near(usd_number(stage, "/A/h", "points", 96, 4), 5, 0); /* second 2 */
    near(usd_number(stage, "/A/h", "points", 72, 4), 3, 1e-6);
    near(usd_number(stage, "/A/h", "tone", 0, 0), 7, 0);
    near(usd_number(stage, "/A/h", "extra", 0, 0), 4, 0);
    double world[16];
    assert_int_equal(rlti_stage_world(stage, rlti_stage_find(stage, "/B/h"), 0.0, NULL, world), RLT_OK);
    near(world[12], 1, 0);
    near(world[14], 3, 0);
    assert_int_equal(rlt_inputs_count(stage->inputs), 2);
    rlti_stage_close(stage);
}

/* What was found by stages made at random, brought down to a few lines; the numbers are OpenUSD's. */
static void test_found_at_random(void **state) {
    (void)state;
    /* a variant that is found below a specialized class */
    usd_write("b.usda", "over \"T\" { def Scope \"y\" (specializes = </_k>) {} }\n"
                        "class \"_k\" (prepend variantSets = \"v\") { variantSet \"v\" = {\n"
                        "\"one\" { double r = 5 } } }\n");
    usd_write("a.usda", "def Scope \"R\" (payload = @b.usda@</T>) {\n"
                        "  def Scope \"y\" (variants = { string v = \"one\" }) {} }\n");
    EXPECT("a.usda", {"/R/y", "r", 5});
    /* a class that a reference without opinions does not stand for */
    usd_write("b.usda", "def Scope \"S\" (specializes = </_m>) {}\n");
    usd_write("a.usda", "def \"R\" (variants = { string v = \"two\" }\n prepend variantSets = \"v\") {\n"
                        "  variantSet \"v\" = { \"two\" (references = @b.usda@</_m>) {\n"
                        "    def \"y\" (references = @b.usda@</S/y>) {} } } }\n"
                        "class \"_m\" { over \"y\" { double e = 26 } }\n");
    EXPECT("a.usda", {"/R/y", "e", 26});
    /* a variant within one of the same name, chosen above the target of a reference */
    usd_write("c.usda", "class \"_k\" (specializes = </_m>\n variants = { string v = \"one\" }) {}\n");
    usd_write("b.usda", "class \"_k\" (prepend variantSets = \"v\") { variantSet \"v\" = {\n"
                        "  \"two\" { def \"x\" { double r = 3 } } } }\n"
                        "class \"_m\" (references = @c.usda@</_k>\n prepend variantSets = \"v\") {\n"
                        "  variantSet \"v\" = { \"one\" (variants = { string v = \"two\" }) {} } }\n");
    usd_write("a.usda", "def Scope \"R\" { def \"y\" (references = @b.usda@</_m/x>) {} }\n");
    EXPECT("a.usda", {"/R/y", "r", 3});
}

/* One prim with thousands of arcs of each kind, long chains and circles: in time and memory that the file
 * accounts for, and with a message where they do not end. */
static void test_thousands_of_arcs(void **state) {
    enum { COUNT = 1500 };
    static const char *const kinds[] = {"references", "inherits", "specializes"};
    static char text[200 * COUNT];
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        int used = snprintf(text, sizeof text, "def Scope \"P\" (\n prepend %s = [", kinds[kind]);
        for (int i = 0; i < COUNT; i++)
            used += snprintf(text + used, sizeof text - (size_t)used, "%s</k%d>", i > 0 ? ", " : "", i);
        used += snprintf(text + used, sizeof text - (size_t)used, "]\n) {\n}\n");
        for (int i = 0; i < COUNT; i++)
            used += snprintf(text + used, sizeof text - (size_t)used,
                             "class \"k%d\" {\n double d%d = %d\n double all = %d\n}\n", i, i, i, i);
        usd_write("many.usda", text);
        usd_write("through.usda", "def \"A\" (references = @many.usda@</P>) {}\n");
        clock_t began = clock();
        EXPECT("many.usda", {"/P", "d0", 0}, {"/P", "d1499", 1499}, {"/P", "all", 0});
        EXPECT("through.usda", {"/A", "d0", 0}, {"/A", "d1499", 1499}, {"/A", "all", 0});
        double seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
        if (seconds > 5.0) /* 0.2 s; 20 s where each arc is compared with every other through the tree */
            fail_msg("%s: %d arcs take %g s", kinds[kind], COUNT, seconds);
    }
    for (int round = 0; round < 2; round++) { /* a chain of classes, and a circle of references */
        int used = 0;
        for (int i = 0; i < COUNT; i++)
            used += snprintf(text + used, sizeof text - (size_t)used,
                             "def Scope \"k%d\" (\n %s = </k%d>\n) {\n}\n", i,
                             round == 0 ? "inherits" : "references", round == 0 ? i + 1 : (i + 1) % COUNT);
        usd_write("long.usda", text);
        rlt_messages *messages = rlt_messages_create();
        rlti_stage *stage = NULL;
        assert_int_equal(rlti_stage_open(usd_path("long.usda"), messages, &stage), RLT_OK);
        assert_non_null(strstr(rlt_messages_text(messages, 0), "more than 64 references within references"));
        assert_in_range(rlt_messages_count(messages), 20, 22); /* and how many more there are */
        rlti_stage_close(stage);
        rlt_messages_destroy(messages);
    }
    /* twice as many prims with every reference */
    int used = 0;
    for (int i = 0; i < 40; i++)
        used +=
            snprintf(text + used, sizeof text - (size_t)used,
                     "def Scope \"b%d\" (\n references = [</b%d>, </b%d/x>]\n) {\n def Scope \"x\" {}\n}\n",
                     i, i + 1, i + 1);
    usd_write("long.usda", text);
    rlt_messages *messages = rlt_messages_create();
    rlti_stage *stage = NULL;
    assert_int_equal(rlti_stage_open(usd_path("long.usda"), messages, &stage), RLT_BAD_INPUT);
    assert_non_null(strstr(rlt_messages_text(messages, rlt_messages_count(messages) - 1),
                           "references within references give more than"));
    rlt_messages_destroy(messages);
}

int main(void) {
#define ONE(test) cmocka_unit_test_setup_teardown(test, usd_setup, usd_teardown)
    const struct CMUnitTest tests[] = {
        ONE(test_inherits),
        ONE(test_implied_classes),
        ONE(test_specializes),
        ONE(test_classes_through_references),
        ONE(test_variant_within_its_own_set),
        ONE(test_variants),
        ONE(test_edited_lists),
        ONE(test_instances),
        ONE(test_relocates),
        ONE(test_chosen_variants),
        ONE(test_value_clips),
        ONE(test_found_at_random),
        ONE(test_thousands_of_arcs),
        ONE(test_alembic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
