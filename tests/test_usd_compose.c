/* USD layers put together: which opinion wins, whose times count, and what is left out. Arcs of every kind
 * are in test_usd_arcs.c. */
#include "usd_fixture.h"

#include "crate_fixture.h"
#include "formats/usd/usd_layers.h"

static void test_sublayers(void **state) {
    (void)state;
    usd_write("weak.usda",
              "(timeCodesPerSecond = 24)\n"
              "def Xform \"A\" { double x = 1\n double y = 2\n double z.timeSamples = {1: 10, 3: 30}\n"
              "  def Scope \"first\" {}\n  def Scope \"second\" {} }\n"
              "def Xform \"Only\" {}\n");
    usd_write("middle.usda", "(subLayers = [@weak.usda@ (offset = 10; scale = 2)])\n"
                             "over \"A\" { double x = 5\n double w = 7\n  over \"second\" { int k = 3 } }\n");
    usd_write("strong.usda", "(subLayers = [@./middle.usda@]\n upAxis = \"Z\"\n metersPerUnit = 1)\n"
                             "over \"A\" { double x = 9\n  def Scope \"third\" {} }\nover \"Nowhere\" {}\n");
    rlti_stage *stage = usd_open("strong.usda");
    assert_int_equal(stage->prim_count, 5);
    assert_int_equal(usd_prim(stage, "/A")->kind, RLTI_PRIM_XFORM);
    near(usd_number(stage, "/A", "x", 0, 0), 9, 0);
    near(usd_number(stage, "/A", "y", 0, 0), 2, 0);
    near(usd_number(stage, "/A", "w", 0, 0), 7, 0);
    near(usd_number(stage, "/A/second", "k", 0, 0), 3, 0);
    /* 1 and 3 become 2 * 1 + 10 and 2 * 3 + 10 */
    const rlti_attribute *z = stage_need(stage, usd_prim(stage, "/A"), RLTI_CUSTOM, "z");
    assert_int_equal(z->sample_count, 2);
    near(z->times[0], 12, 0);
    near(z->times[1], 16, 0);
    near(usd_number(stage, "/A", "z", 13, 0), 15, 1e-12);
    near(stage->first_time, 12, 0);
    /* children: those of weaker layers first */
    assert_string_equal(stage->prims[1].name, "first");
    assert_string_equal(stage->prims[3].name, "third");
    assert_true(stage->up_axis == 'Z' && stage->metres_per_unit == 1.0);
    rlti_stage_close(stage);
}

static void test_values_of_several_layers(void **state) {
    (void)state;
    usd_write("base.usda", "def Scope \"A\" {\n"
                           "  double hidden.timeSamples = {1: 1, 2: 2}\n"
                           "  double kept = 4\n"
                           "  double blocked = 5\n"
                           "  float[] primvars:w = [1, 2] (interpolation = \"uniform\")\n}\n");
    usd_write("top.usda", "(subLayers = [@base.usda@])\nover \"A\" {\n"
                          "  double hidden = 8\n"
                          "  double kept.timeSamples = {1: 40, 2: None}\n"
                          "  double blocked = None\n"
                          "  float[] primvars:w = [3, 4]\n}\n");
    rlti_stage *stage = usd_open("top.usda");
    const rlti_prim *a = usd_prim(stage, "/A");
    near(usd_number(stage, "/A", "hidden", 1.5, 0), 8, 0); /* a stronger default hides weaker samples */
    const rlti_attribute *kept = stage_need(stage, a, RLTI_CUSTOM, "kept");
    assert_true(kept->has_default && kept->sample_count == 2); /* the default is the weaker layer's */
    rlti_array array = {0};
    stage_read(stage, a, kept, -1, &array);
    near(*(const double *)array.data, 4, 0);
    stage_read(stage, a, kept, 1, &array);
    assert_true(array.blocked);
    rlti_array_clear(&array);
    assert_null(rlti_stage_attribute(stage, a, RLTI_CUSTOM, "blocked"));
    const rlti_attribute *w = stage_need(stage, a, RLTI_PRIMVAR, "w");
    assert_int_equal(w->interpolation, RLTI_UNIFORM); /* metadata of the weaker layer */
    near(usd_number(stage, "/A", "w", 0, 0), 3, 0);
    rlti_stage_close(stage);
}

static void test_references(void **state) {
    (void)state;
    assert_int_equal(mkdir(usd_path("props"), 0777), 0);
    usd_write("props/leaf.usda", "(defaultPrim = \"Leaf\")\n"
                                 "def Mesh \"Leaf\" { double v = 1\n double u.timeSamples = {0: 0, 10: 1}\n"
                                 "  rel to = [</Leaf/in>, </Out>]\n  def Scope \"in\" { double q = 1 } }\n"
                                 "def Scope \"Out\" {}\n");
    usd_write("props/tree.usda",
              "(defaultPrim = \"Tree\")\n"
              "def Xform \"Tree\" {\n"
              "  def \"near\" (references = @leaf.usda@) { double v = 2 }\n"
              "  def \"far\" (payload = @./leaf.usda@</Leaf> (offset = 5; scale = 3)) {}\n}\n");
    usd_write("shot.usda",
              "(subLayers = [@over.usda@])\n"
              "def \"A\" (prepend references = @props/tree.usda@) { over \"near\" { double v = 3 } }\n"
              "def \"B\" (references = [@props/tree.usda@</Tree/near> (offset = 100), </Extra>]) {}\n"
              "def Scope \"Extra\" { double v = 70\n double e = 71 }\n"
              "class \"C\" { double v = 80 }\n"
              "def \"D\" (references = </C>) {}\n");
    usd_write("over.usda", "over \"A\" { over \"far\" { double v = 4\n over \"in\" { double q = 9 } } }\n");
    rlti_stage *stage = usd_open("shot.usda");
    assert_int_equal(usd_prim(stage, "/A")->kind, RLTI_PRIM_XFORM);
    assert_int_equal(usd_prim(stage, "/A/near")->kind, RLTI_PRIM_MESH);
    near(usd_number(stage, "/A/near", "v", 0, 0), 3, 0);
    near(usd_number(stage, "/A/far", "v", 0, 0), 4, 0);
    near(usd_number(stage, "/A/far/in", "q", 0, 0), 9, 0);
    near(usd_number(stage, "/A/near/in", "q", 0, 0), 1, 0);
    near(usd_number(stage, "/A/far", "u", 5 + 3 * 5, 0), 0.5, 1e-12);
    /* the first reference is the stronger; what only the second has shows through */
    near(usd_number(stage, "/B", "v", 0, 0), 2, 0);
    near(usd_number(stage, "/B", "e", 0, 0), 71, 0);
    near(usd_number(stage, "/B", "u", 105, 0), 0.5, 1e-12);
    near(usd_number(stage, "/D", "v", 0, 0), 80, 0);
    assert_int_equal(rlti_stage_find(stage, "/C"), -1);
    /* targets are those of the stage; what lies outside the referenced prim is lost */
    int near_in = rlti_stage_find(stage, "/A/near/in");
    assert_int_equal(stage->reader->target(stage, usd_prim(stage, "/A/near"), "to"), near_in);
    assert_int_equal(stage->reader->target(stage, usd_prim(stage, "/B"), "to"),
                     rlti_stage_find(stage, "/B/in"));
    assert_int_equal(stage->reader->target(stage, usd_prim(stage, "/B"), "from"), -1);
    rlti_stage_close(stage);
}

/* References before payloads, whichever is written first; arcs authored on a child before those of its
 * parent. */
static void test_strength(void **state) {
    (void)state;
    usd_write("r.usda", "def \"P\" { double a = 1\n def \"c\" { double k = 1 } }\n");
    usd_write("p.usda",
              "def \"P\" { double a = 2\n double b = 2\n def \"c\" { double k = 2\n double m = 2 } }\n");
    usd_write("d.usda", "def \"P\" { double k = 5\n double m = 6 }\n");
    usd_write("top.usda", "def Scope \"X\" (payload = @p.usda@</P>\n references = @r.usda@</P>) {\n"
                          "  over \"c\" (references = @d.usda@</P>) {} }\n");
    rlti_stage *stage = usd_open("top.usda");
    near(usd_number(stage, "/X", "a", 0, 0), 1, 0);
    near(usd_number(stage, "/X", "b", 0, 0), 2, 0);
    near(usd_number(stage, "/X/c", "k", 0, 0), 5, 0); /* the child's own reference */
    near(usd_number(stage, "/X/c", "m", 0, 0), 6, 0);
    rlti_stage_close(stage);
}

/* How many prims a file has. */
static int count_prims(const char *name) {
    rlti_stage *stage = usd_open(name);
    int count = stage->prim_count;
    rlti_stage_close(stage);
    return count;
}

/* "P", a Scope with one flag, as a crate. */
static void write_crate(const char *name, const char *flag, unsigned value) {
    crate *c = malloc(sizeof *c);
    size_t size;
    crate_begin(c, 8);
    crate_spec(c, RLTI_SPEC_ROOT, "", 0, -1);
    crate_field(c, "primChildren", crate_tokens(c, "P"));
    crate_spec(c, RLTI_SPEC_PRIM, "P", 0, -2);
    crate_field(c, "specifier", crate_inlined(RLTI_CRATE_SPECIFIER, 0));
    crate_field(c, "typeName", crate_token_rep(c, "Scope"));
    crate_field(c, flag, crate_inlined(RLTI_CRATE_BOOL, value));
    unsigned char *bytes = crate_finish(c, 1, &size);
    FILE *file = fopen(usd_path(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    free(bytes);
    free(c);
}

/* The strongest layer that says whether a prim is active counts, whatever brings the weaker one. */
static void test_strongest_active(void **state) {
    (void)state;
    static const char *const arcs[] = {"(subLayers = [@%s@])\nover \"P\" (%s) {}\n",
                                       "#\ndef \"P\" (references = @%s@</P>\n%s) {}\n",
                                       "#\ndef \"P\" (payload = @%s@</P>\n%s) {}\n"};
    static const struct {
        const char *strong, *weak;
        int count;
    } cases[] = {{"active = true", "active = false", 2},
                 {"active = false", "active = true", 0},
                 {"active = false", "active = false", 0},
                 {"active = true", "active = true", 2},
                 {"active = true", "", 2},
                 {"active = false", "", 0},
                 {"", "active = false", 0},
                 {"", "active = true", 2}};
    char text[200];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(text, sizeof text, "def Scope \"P\" (%s) { def \"c\" {} }\n", cases[i].weak);
        usd_write("weak.usda", text);
        for (size_t a = 0; a < sizeof arcs / sizeof arcs[0]; a++) {
            snprintf(text, sizeof text, arcs[a], "weak.usda", cases[i].strong);
            usd_write("top.usda", text);
            if (count_prims("top.usda") != cases[i].count)
                fail_msg("%s over '%s': %d prims", text, cases[i].weak, count_prims("top.usda"));
        }
    }
    /* a crate says both values, too, on either side */
    for (unsigned value = 0; value < 2; value++) {
        write_crate("weak.usdc", "active", value);
        snprintf(text, sizeof text, arcs[0], "weak.usdc", "active = true");
        usd_write("top.usda", text);
        assert_int_equal(count_prims("top.usda"), 1);
        usd_write("weak.usda", value ? "def \"P\" (active = false) {}\n" : "def \"P\" (active = true) {}\n");
        usd_write("top.usda", "(subLayers = [@weak.usdc@, @weak.usda@])\n");
        assert_int_equal(count_prims("top.usda"), value);
    }
}

/* Below an instance only its own arcs count, so "mine" is there only where the strongest opinion is against
 * instancing. */
static void test_strongest_instanceable(void **state) {
    (void)state;
    static const struct {
        const char *strong, *weak;
        int is_instance;
    } cases[] = {{"instanceable = false", "instanceable = true", 0},
                 {"instanceable = true", "instanceable = false", 1},
                 {"instanceable = true", "", 1},
                 {"", "instanceable = true", 1},
                 {"instanceable = false", "", 0},
                 {"", "instanceable = false", 0}};
    char text[300];
    usd_write("leaf.usda", "def Scope \"L\" { def \"c\" {} }\n");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(text, sizeof text, "def Scope \"P\" (references = @leaf.usda@</L>\n%s) {}\n", cases[i].weak);
        usd_write("weak.usda", text);
        snprintf(text, sizeof text,
                 "(subLayers = [@weak.usda@])\nover \"P\" (%s) { def Scope \"mine\" {} }\n", cases[i].strong);
        usd_write("top.usda", text);
        assert_int_equal(count_prims("top.usda"), cases[i].is_instance ? 2 : 3);
        for (int k = 0; k < 2; k++) { /* over a reference and a payload */
            snprintf(text, sizeof text, "#\ndef \"P\" (%s = @weak.usda@</P>\n%s) { def Scope \"mine\" {} }\n",
                     k ? "payload" : "references", cases[i].strong);
            usd_write("top.usda", text);
            assert_int_equal(count_prims("top.usda"), cases[i].is_instance ? 2 : 3);
        }
    }
    for (unsigned value = 0; value < 2; value++) { /* a crate over a text */
        write_crate("strong.usdc", "instanceable", value);
        snprintf(text, sizeof text,
                 "def \"P\" (references = @leaf.usda@</L>\ninstanceable = %s) { def Scope \"mine\" {} }\n",
                 value ? "false" : "true");
        usd_write("weak.usda", text);
        usd_write("top.usda", "(subLayers = [@strong.usdc@, @weak.usda@])\n");
        assert_int_equal(count_prims("top.usda"), value ? 2 : 3);
    }
}

/* Layers of other time codes per second are fitted, as USD does. */
static void test_time_codes(void **state) {
    (void)state;
    usd_write("slow.usda", "(timeCodesPerSecond = 12)\ndef \"P\" { double a.timeSamples = {0: 0, 12: 1} }\n");
    usd_write("top.usda", "(timeCodesPerSecond = 48)\ndef Scope \"X\" (references = @slow.usda@</P>) {}\n");
    rlti_stage *stage = usd_open("top.usda");
    near(stage->codes_per_second, 48, 0);
    near(stage_need(stage, usd_prim(stage, "/X"), RLTI_CUSTOM, "a")->times[1], 48, 0); /* one second */
    rlti_stage_close(stage);
}

/* The time in the stage of the sample at time 10 of "a" of a prim. */
static double time_of_ten(const char *file, const char *path) {
    rlti_stage *stage = usd_open(file);
    const rlti_attribute *a = stage_need(stage, usd_prim(stage, path), RLTI_CUSTOM, "a");
    assert_int_equal(a->sample_count, 2);
    double time = a->times[1];
    rlti_stage_close(stage);
    return time;
}

#define RATE(n) "(timeCodesPerSecond = " #n ")\n"
#define SAMPLES "{ double a.timeSamples = {0: 0, 10: 1} }\n"

/* Layers of several rates within one another: each ratio counts once. A time of a layer is scaled and moved
 * by the arc that brings it, whose scale has the ratio of the rates of the layer with the arc and of the
 * layer it leads to; so at every step a second stays a second where no arc says else. */
static void test_nested_time_codes(void **state) {
    (void)state;
    usd_write("leaf48.usda", RATE(48) "def \"P\" " SAMPLES);
    usd_write("leaf12.usda", RATE(12) "def \"P\" " SAMPLES);
    /* a reference and a payload in a sub-layer: 10 / 48 s are 5 / 24 s, and 10 / 12 s are 20 / 24 s */
    usd_write("sub48.usda", RATE(48) "def \"A\" (references = @leaf48.usda@</P>) {}\n"
                                     "def \"B\" (payload = @leaf48.usda@</P>) {}\n"
                                     "def \"C\" (references = @leaf12.usda@</P>) {}\n"
                                     "def \"D\" (payload = @leaf12.usda@</P> (offset = 6; scale = 2)) {}\n"
                                     "def \"E\" " SAMPLES "def \"F\" (references = </E>) {}\n"
                                     "def \"G\" (references = </A>) {}\n"
                                     "def \"H\" (references = </E> (offset = 1; scale = 3)) {}\n");
    usd_write("top.usda", "(timeCodesPerSecond = 24\nsubLayers = [@sub48.usda@])\n");
    near(time_of_ten("top.usda", "/A"), 5, 1e-12);
    near(time_of_ten("top.usda", "/B"), 5, 1e-12);
    near(time_of_ten("top.usda", "/C"), 20, 1e-12);
    /* in the sub-layer 2 * 48 / 12 * 10 + 6 = 86; half of that here */
    near(time_of_ten("top.usda", "/D"), 43, 1e-12);
    near(time_of_ten("top.usda", "/E"), 5, 1e-12);
    /* prims of the same stack: its layers have their ratios already */
    near(time_of_ten("top.usda", "/F"), 5, 1e-12);
    near(time_of_ten("top.usda", "/G"), 5, 1e-12);
    near(time_of_ten("top.usda", "/H"), 3 * 5 + 1, 1e-12);
    /* a sub-layer in a sub-layer, with offsets: 10 -> 2 * 48 / 12 * 10 + 4 = 84 -> 24 / 48 * 84 + 1 = 43 */
    usd_write("deep12.usda", RATE(12) "def \"S\" " SAMPLES "def \"R\" (references = @leaf48.usda@</P>) {}\n");
    usd_write("mid48.usda", "(timeCodesPerSecond = 48\n"
                            "subLayers = [@deep12.usda@ (offset = 4; scale = 2)])\n");
    usd_write("top.usda", "(timeCodesPerSecond = 24\nsubLayers = [@mid48.usda@ (offset = 1)])\n");
    near(time_of_ten("top.usda", "/S"), 43, 1e-12);
    /* and a reference in the deepest: 10 -> 12 / 48 * 10 = 2.5 -> 8 * 2.5 + 4 = 24 -> 13 */
    near(time_of_ten("top.usda", "/R"), 13, 1e-12);
    /* sub-layers in what is referenced: 43 and 13 as above, then 96 / 24 as much */
    usd_write("shot.usda", RATE(96) "def \"X\" (references = @top.usda@</S>) {}\n"
                                    "def \"Y\" (payload = @top.usda@</R> (offset = 3)) {}\n");
    near(time_of_ten("shot.usda", "/X"), 172, 1e-12);
    near(time_of_ten("shot.usda", "/Y"), 55, 1e-12);
    /* that again in a sub-layer, whose own rate is half of it */
    usd_write("cut.usda", "(timeCodesPerSecond = 48\nsubLayers = [@shot.usda@])\n");
    near(time_of_ten("cut.usda", "/X"), 86, 1e-12);
    near(time_of_ten("cut.usda", "/Y"), 27.5, 1e-12);
    /* without its own word a layer has its framesPerSecond, and without that 24 */
    usd_write("sub.usda", "(framesPerSecond = 12)\ndef \"A\" (references = @plain.usda@</P>) {}\n");
    usd_write("plain.usda", "#\ndef \"P\" " SAMPLES);
    usd_write("top.usda", "(timeCodesPerSecond = 48\nsubLayers = [@sub.usda@])\n");
    near(time_of_ten("top.usda", "/A"), 20, 1e-12);
}

/* Values that are times of their layer become times of the stage, as the times of samples do. */
static void test_values_that_are_times(void **state) {
    (void)state;
    static const double wanted[] = {22, 82, 22, 42};
    usd_write("leaf12.usda", RATE(12) "def \"P\" {\n    timecode t.timeSamples = {0: 5, 10: 20}\n"
                                      "    timecode[] all = [5, 10]\n    double plain = 5\n}\n");
    usd_write(
        "top.usda",
        RATE(48) "def Scope \"X\" (references = @leaf12.usda@</P> (offset = 2)) { timecode own = 7 }\n");
    rlti_stage *stage = usd_open("top.usda");
    const rlti_prim *prim = usd_prim(stage, "/X");
    rlti_array value = {0};
    for (int i = 0; i < 6; i++) {
        const rlti_attribute *a = stage_need(stage, prim, RLTI_CUSTOM,
                                             i < 2    ? "t"
                                             : i < 4  ? "all"
                                             : i == 4 ? "plain"
                                                      : "own");
        assert_int_equal(rlti_stage_value(stage, prim, a, i < 2 ? a->times[i] : 0.0, NULL, &value), RLT_OK);
        assert_int_equal(value.type.element, RLTI_DOUBLE);
        near(((const double *)value.data)[i == 3], i < 4 ? wanted[i] : i == 4 ? 5 : 7, 0);
    }
    rlti_array_clear(&value);
    rlti_stage_close(stage);
}

static void test_not_listed(void **state) {
    (void)state;
    usd_write("a.usda",
              "def \"Off\" (active = false) { def \"c\" {} }\nclass \"K\" { def \"c\" {} }\n"
              "over \"Only\" { def \"c\" {} }\ndef Scope \"On\" { over \"o\" {}\n class \"k\" {} }\n");
    rlti_stage *stage = usd_open("a.usda");
    assert_int_equal(stage->prim_count, 1);
    assert_string_equal(stage->prims[0].path, "/On");
    rlti_stage_close(stage);
    usd_write("b.usda", "over \"Only\" { double a = 1 }\n");
    rlt_messages *messages = rlt_messages_create();
    assert_int_equal(rlti_stage_open(usd_path("b.usda"), messages, &stage), RLT_OK);
    assert_int_equal(rlt_messages_count(messages), 1);
    assert_int_equal(rlt_messages_severity(messages, 0), RLT_WARNING);
    rlt_messages_destroy(messages);
    rlti_stage_close(stage);
}

/* Writes the file, which is read but for one thing: its warning holds both texts. */
static void read_but(const char *name, const char *text, const char *a, const char *b) {
    usd_write(name, text);
    rlti_stage_close(usd_warned(name, a, b));
}

/* What cannot be found or followed is left out with its place, and the rest is there. */
static void test_missing_files(void **state) {
    (void)state;
    char text[600];
    usd_write("a.usda", "def \"A\" (references = @no/such.usda@) { double own = 3 }\n");
    snprintf(text, sizeof text, "%s: /A: reference to no/such.usda: cannot read: No such file",
             usd_path("a.usda"));
    rlti_stage *stage = usd_warned("a.usda", text, "; left out");
    near(usd_number(stage, "/A", "own", 0, 0), 3, 0);
    rlti_stage_close(stage);
    read_but("b.usda", "def \"A\" (payload = @no.usdc@</X>) {}\n", "/A: payload of no.usdc: cannot read",
             "b.usda: ");
    read_but("c.usda", "(subLayers = [@gone.usda@])\ndef \"A\" {}\n",
             "c.usda: sub-layer gone.usda: cannot read", "No such file");
    read_but("d.usda", "def \"A\" (references = @https://example.org/x.usda@) {}\n",
             "/A: reference to https://", "not a local file, which is not read");
    usd_write("empty.usda", "def \"Z\" {}\n");
    read_but("e.usda", "def \"A\" (references = @empty.usda@) {}\n", "reference to empty.usda",
             "no default prim");
    read_but("f.usda", "def \"A\" (references = @empty.usda@</Q/W>) {}\n", "reference to empty.usda",
             "there is no prim </Q/W>");
    usd_write("broken.usda", "def \"Z\" {\n  double = \n}\n");
    read_but("g.usda", "def \"A\" (references = @broken.usda@</Z>) {}\n",
             "g.usda: /A: reference to broken.usda: ", "broken.usda:3:");
    bytes_write(usd_path("usd.txt"), "hello", 5);
    read_but("h.usda", "def \"A\" (references = @usd.txt@</Z>) {}\n", "reference to usd.txt",
             "not a USD layer");
    read_but("i.usda", "def \"A\" (references = @empty.usda@</Z> (scale = -1)) {}\n",
             "reference to empty.usda", "time scale must be > 0");
    /* several problems are all told, up to twenty */
    size_t used = 0;
    char many[4000];
    for (int i = 0; i < 25; i++)
        used += (size_t)snprintf(many + used, sizeof many - used,
                                 "def \"A%d\" (references = @u%d.usda@) {}\n", i, i);
    usd_write("j.usda", many);
    rlt_messages *messages = rlt_messages_create();
    assert_int_equal(rlti_stage_open(usd_path("j.usda"), messages, &stage), RLT_OK);
    assert_int_equal(stage->prim_count, 25);
    assert_int_equal(rlt_messages_count(messages), 21);
    assert_non_null(strstr(rlt_messages_text(messages, 20), "5 further problems"));
    rlt_messages_destroy(messages);
    rlti_stage_close(stage);
}

static void test_circles(void **state) {
    (void)state;
    usd_write("b.usda", "(subLayers = [@a.usda@])\n");
    read_but("a.usda", "(subLayers = [@b.usda@])\ndef \"A\" {}\n", "sub-layers form a cycle", "b.usda <- ");
    usd_write("d.usda", "def \"B\" (references = @c.usda@</A>) { double b = 2 }\n");
    read_but("c.usda", "def \"A\" (references = @d.usda@</B>) {}\n", "forms a cycle", "c.usda</A> -> ");
    rlti_stage *stage = usd_warned("c.usda", "d.usda</B> -> ", "reference to c.usda");
    near(usd_number(stage, "/A", "b", 0, 0), 2, 0);
    rlti_stage_close(stage);
    read_but("e.usda", "def \"A\" (references = </A>) {}\n", "forms a cycle", "/A");
    read_but("e.usda", "def \"A\" (inherits = </A>) {}\n", "A: inherits /A: forms a cycle", "/A");
    read_but("e.usda", "def \"A\" (specializes = </B>) {}\nclass \"B\" (inherits = </A>) {}\n",
             "/B: inherits /A: forms a cycle", "/A");
    read_but("e.usda",
             "def \"A\" (prepend variantSets = \"v\"\n variants = { string v = \"x\" }) {\n"
             " variantSet \"v\" = { \"x\" (references = </A>) {} } }\n",
             "/A: reference to /A: forms a cycle", "/A");
    read_but("f.usda", "def \"A\" { def \"B\" (references = </A>) {} }\n", "forms a cycle", "/A/B");
    read_but("g.usda",
             "def \"A\" (references = </B/D>) {}\n"
             "def \"B\" (references = </A/C>) { def \"D\" {} }\n",
             "forms a cycle", "g.usda: /B: reference to /A/C");
    /* twice the same is no circle */
    usd_write("h.usda", "(subLayers = [@i.usda@, @j.usda@])\ndef \"A\" (references = </S>) {}\n"
                        "def \"B\" (references = </S>) {}\n");
    usd_write("i.usda", "(subLayers = [@j.usda@])\n");
    usd_write("j.usda", "def Scope \"S\" {}\n");
    stage = usd_open("h.usda");
    assert_int_equal(stage->prim_count, 3);
    rlti_stage_close(stage);
}

/* Each prim references the one before twice: 2^40 prims from a few lines. */
static void test_explosion(void **state) {
    (void)state;
    char text[8000];
    size_t used = (size_t)snprintf(text, sizeof text, "def \"P0\" {}\n");
    for (int i = 1; i <= 40; i++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "def \"P%d\" { def \"a\" (references = </P%d>) {}\n"
                                 " def \"b\" (references = </P%d>) {} }\n",
                                 i, i - 1, i - 1);
    usd_write("a.usda", text);
    usd_refused("a.usda", "references within references give more than", "a.usda");
    /* and a chain that is too long */
    used = (size_t)snprintf(text, sizeof text, "def \"Q0\" {}\n");
    for (int i = 1; i <= 80; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "def \"Q%d\" (references = </Q%d>) {}\n", i,
                                 i - 1);
    usd_write("b.usda", text);
    rlti_stage_close(usd_warned("b.usda", "more than 64 references within references", "reference to /Q"));
}

static void test_names_of_files(void **state) {
    (void)state;
    static const struct {
        const char *from, *asset, *resolved;
    } cases[] = {
        {"shot.usda", "a.usda", "a.usda"},
        {"dir/shot.usda", "a.usda", "dir/a.usda"},
        {"dir/shot.usda", "./a.usda", "dir/a.usda"},
        {"dir/shot.usda", "../a.usda", "a.usda"},
        {"dir/shot.usda", "../../x/./y//a.usda", "../x/y/a.usda"},
        {"../dir/shot.usda", "../../a.usda", "../../a.usda"},
        {"/abs/dir/shot.usda", "../a.usda", "/abs/a.usda"},
        {"/abs/shot.usda", "../../../a.usda", "/a.usda"},
        {"dir/shot.usda", "/abs/a.usda", "/abs/a.usda"},
        {"dir/shot.usda", "p.usdz[in/a.usdc]", "dir/p.usdz[in/a.usdc]"},
        {"dir/p.usdz[in/a.usdc]", "b.usdc", "dir/p.usdz[in/b.usdc]"},
        {"dir/p.usdz[in/a.usdc]", "../b.usdc", "dir/p.usdz[b.usdc]"},
        {"p.usdz[a.usdc]", "q.usdz[b.usda]", "q.usdz[b.usda]"},
        {"shot.usda", "a.usda:SDF_FORMAT_ARGS:x=1", "a.usda"},
    };
    rlti_arena arena = {0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(rlti_usd_resolve(&arena, cases[i].from, cases[i].asset), cases[i].resolved);
    rlti_arena_clear(&arena);
}

int main(void) {
#define ONE(test) cmocka_unit_test_setup_teardown(test, usd_setup, usd_teardown)
    const struct CMUnitTest tests[] = {
        ONE(test_sublayers),         ONE(test_values_of_several_layers),
        ONE(test_references),        ONE(test_strength),
        ONE(test_time_codes),        ONE(test_not_listed),
        ONE(test_nested_time_codes), ONE(test_values_that_are_times),
        ONE(test_strongest_active),  ONE(test_strongest_instanceable),
        ONE(test_missing_files),     ONE(test_circles),
        ONE(test_explosion),         cmocka_unit_test(test_names_of_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
