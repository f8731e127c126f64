/* The reader of .usda layers: grammar, every type, and what is refused. */
#include "layer_fixture.h"

#include "edits_fixture.h"

#include <float.h>

#include "base/number.h"
#include "data_fixture.h"
#include "io/file_map.h"

#define HEADER "#usda 1.0\n"

/* ---- numbers ---- */

static float scan_float(const char *text) {
    float value = -1.0f;
    const char *end = text + strlen(text);
    assert_ptr_equal(rlti_scan_float(text, end, &value), end);
    return value;
}

static double scan_double(const char *text) {
    double value = -1.0;
    const char *end = text + strlen(text);
    assert_ptr_equal(rlti_scan_double(text, end, &value), end);
    return value;
}

static void numbers_round_correctly(void **state) {
    (void)state;
    static const char *const texts[] = {"0",
                                        "-0",
                                        "1",
                                        "16777217",
                                        "0.1",
                                        "3.4028235e38",
                                        "1.1754944e-38",
                                        "1e-45",
                                        "7e-46",
                                        "1.401298464324817e-45",
                                        "123456789012345678901234567890",
                                        "0.000000000000000000000000000000000001",
                                        "5e-324",
                                        "2.2250738585072011e-308",
                                        "1e22",
                                        "1e23",
                                        "9007199254740993",
                                        ".5",
                                        "5.",
                                        "+2",
                                        "1.00000005960464477539062499",
                                        "1.00000005960464477539062501",
                                        "1.000000059604644775390625",
                                        "8388608.5",
                                        "8388609.5",
                                        "33554434.999999996",
                                        "0.30000001192092896",
                                        "1E5",
                                        "1e-5"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        /* the tests run in the C locale, where strtod is the yardstick */
        double wide = strtod(texts[i], NULL), got_wide = scan_double(texts[i]);
        float narrow = strtof(texts[i], NULL), got_narrow = scan_float(texts[i]);
        assert_memory_equal(&wide, &got_wide, sizeof wide);
        assert_memory_equal(&narrow, &got_narrow, sizeof narrow);
    }
    assert_true(isinf(scan_float("inf")) && scan_float("-inf") < 0.0f);
    assert_true(isnan(scan_double("nan")) && isnan(scan_float("-nan")));
    assert_true(isinf(scan_double("1e999")));
    float value;
    static const char *const bad[] = {"", "-", ".", "e5", "1e", "1e+", "x", "in"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_null(rlti_scan_float(bad[i], bad[i] + strlen(bad[i]), &value));
}

/* Every kind of float, as it is printed and with many digits, comes back with the same bits. */
static void numbers_come_back(void **state) {
    (void)state;
    uint32_t bits = 1;
    for (int i = 0; i < 200000; i++) {
        bits = bits * 1664525u + 1013904223u;
        float value, back;
        char text[64];
        memcpy(&value, &bits, sizeof value);
        if (isnan(value))
            continue;
        int length = rlti_format_float(value, text);
        assert_ptr_equal(rlti_scan_float(text, text + length, &back), text + length);
        assert_memory_equal(&value, &back, sizeof value);
        if (i % 20 != 0)
            continue;
        uint64_t wide_bits = ((uint64_t)bits << 32) | (bits * 2654435761u);
        double wide, wide_back;
        memcpy(&wide, &wide_bits, sizeof wide);
        if (isnan(wide))
            continue;
        length = rlti_format_double(wide, text);
        assert_ptr_equal(rlti_scan_double(text, text + length, &wide_back), text + length);
        assert_memory_equal(&wide, &wide_back, sizeof wide);
    }
}

/* ---- grammar ---- */

static void header_and_metadata(void **state) {
    (void)state;
    rlti_usd_layer *layer =
        layer_open("\xef\xbb\xbf#usda 1.0 made by hand\r\n"
                   "(\r\n"
                   "    \"a comment\"\r\n"
                   "    doc = \"\"\"two\r\nlines\"\"\"\r\n"
                   "    defaultPrim = 'Root' # why not\r\n"
                   "    metersPerUnit = 0.01; upAxis = \"Z\"; startFrame = 3\r\n"
                   "    endTimeCode = 1e2\r\n"
                   "    timeCodesPerSecond = 24\r\n"
                   "    framesPerSecond = 30\r\n"
                   "    customLayerData = { string a = \")\"; dictionary d = { int[] b = [1, 2] } }\r\n"
                   "    subLayers = [ @a.usd@ (offset = 10; scale = 2), @@@b@.usd@@@, ]\r\n"
                   "    expressionVariables = {}\r\n"
                   "    relocates = { </a>: </b> }\r\n"
                   ")\r\n"
                   "/* block\r\n comment */ // and line\r\n"
                   "reorder rootPrims = [\"Root\"]\r\n"
                   "def \"Root\" {}\r\n");
    assert_string_equal(layer->version, "1.0");
    assert_string_equal(layer->documentation, "two\nlines");
    assert_string_equal(layer->default_prim, "Root");
    assert_true(layer->metres_per_unit == 0.01 && layer->up_axis == 'Z');
    assert_true(layer->has_range && layer->start_time == 3.0 && layer->end_time == 100.0);
    assert_true(layer->time_codes_per_second == 24.0 && layer->frames_per_second == 30.0);
    assert_int_equal(layer->sublayer_count, 2);
    assert_string_equal(layer->sublayers[0].asset, "a.usd");
    assert_true(layer->sublayers[0].offset == 10.0 && layer->sublayers[0].scale == 2.0);
    assert_string_equal(layer->sublayers[1].asset, "b@.usd");
    assert_true(layer->sublayers[1].offset == 0.0 && layer->sublayers[1].scale == 1.0);
    assert_int_equal(layer->prim_count, 1);
    rlti_usd_layer_close(layer);
    layer = layer_open("#usda 1.0");
    assert_int_equal(layer->prim_count, 0);
    assert_int_equal(layer->has_range, 0);
    rlti_usd_layer_close(layer);
}

static void prims_nest(void **state) {
    (void)state;
    rlti_usd_layer *layer =
        layer_open(HEADER "def Xform \"a\" { float x = 1; def Mesh \"b\" (kind = \"prop\"\n"
                          "active = false; instanceable = true) { int y = 2 }\n"
                          "float z = 3; class \"c\"\n{\n} }\nover \"d\" {}");
    assert_int_equal(layer->prim_count, 4);
    const rlti_usd_prim *a = layer_prim(layer, "/a"), *b = layer_prim(layer, "/a/b");
    assert_string_equal(a->type_name, "Xform");
    assert_int_equal(a->parent, -1);
    assert_int_equal(a->property_count, 2);
    assert_string_equal(layer->properties[a->first_property + 1].name, "z");
    assert_string_equal(b->name, "b");
    assert_string_equal(b->kind, "prop");
    assert_int_equal(b->parent, 0);
    assert_int_equal(b->active, RLTI_USD_FALSE);
    assert_int_equal(b->instanceable, RLTI_USD_TRUE);
    assert_true(a->active == RLTI_USD_UNSAID && a->instanceable == RLTI_USD_UNSAID);
    assert_int_equal(b->property_count, 1);
    assert_int_equal(layer_prim(layer, "/a/c")->specifier, RLTI_USD_CLASS);
    assert_int_equal(layer_prim(layer, "/d")->specifier, RLTI_USD_OVER);
    assert_string_equal(layer_prim(layer, "/d")->type_name, "");
    rlti_usd_layer_close(layer);
}

static void prims_are_composed(void **state) {
    (void)state;
    rlti_usd_layer *layer = layer_open(
        HEADER
        "def \"p\" (\n"
        "    \"comment\"\n"
        "    append references = @late.usd@</X> (offset = -1; scale = 0.5; customData = { int a = 1 })\n"
        "    prepend references = [@first.usd@, </other/prim>]\n"
        "    delete references = @never.usd@\n"
        "    payload = [@p.usd@</Y>, <>]\n    symmetryFunction = \n"
        "    prepend apiSchemas = [\"A\", \"B:c\"]\n"
        "    inherits = </class>\n"
        "    add specializes = [</u>, <../v>]\n"
        "    variants = { string look = \"red\"\n string size = 'big' }\n"
        "    prepend variantSets = [\"look\", \"size\"]\n"
        "    clips = { dictionary default = { double2[] times = [(0, 0)] } }\n"
        "    assetInfo = { asset identifier = @x@ }\n"
        ")\n"
        "{\n"
        "    variantSet \"look\" = {\n"
        "        \"red\" (doc = \"}\") { float inside = 1; def \"hidden\" { } }\n"
        "        \"blue\" { }\n"
        "    }\n"
        "    reorder nameChildren = [\"a\", \"b\"]\n"
        "    reorder properties = [\"a\"]\n"
        "    rel none\n"
        "}\n"
        "def \"q\" ( references = None; payload = @only.usd@ ) {}\n");
    const rlti_usd_prim *p = layer_prim(layer, "/p"), *q = layer_prim(layer, "/q");
    assert_int_equal(layer->prim_count, 5); /* two of them variants, and one is in a variant */
    const rlti_usd_list *references = p->references;
    assert_false(references->is_explicit);
    assert_int_equal(edits_count(references, RLTI_USD_PREPENDED), 2);
    assert_string_equal(edits_arc(references, RLTI_USD_PREPENDED, 0)->asset, "first.usd");
    assert_string_equal(edits_arc(references, RLTI_USD_PREPENDED, 0)->prim_path, "");
    assert_string_equal(edits_arc(references, RLTI_USD_PREPENDED, 1)->asset, "");
    assert_string_equal(edits_arc(references, RLTI_USD_PREPENDED, 1)->prim_path, "/other/prim");
    assert_string_equal(edits_arc(references, RLTI_USD_APPENDED, 0)->prim_path, "/X");
    assert_true(edits_arc(references, RLTI_USD_APPENDED, 0)->offset == -1.0 &&
                edits_arc(references, RLTI_USD_APPENDED, 0)->scale == 0.5);
    assert_string_equal(edits_arc(references, RLTI_USD_DELETED, 0)->asset, "never.usd");
    assert_true(p->payloads->is_explicit && edits_count(p->payloads, RLTI_USD_EXPLICIT) == 2);
    assert_string_equal(edits_arc(p->payloads, RLTI_USD_EXPLICIT, 0)->prim_path, "/Y");
    assert_string_equal(edits_arc(p->payloads, RLTI_USD_EXPLICIT, 1)->asset, "");
    assert_string_equal(edits_arc(p->payloads, RLTI_USD_EXPLICIT, 1)->prim_path, "");
    assert_int_equal(edits_count(p->api_schemas, RLTI_USD_PREPENDED), 2);
    assert_string_equal(edits_text(p->api_schemas, RLTI_USD_PREPENDED, 1), "B:c");
    assert_string_equal(edits_text(p->inherits, RLTI_USD_EXPLICIT, 0), "/class");
    assert_int_equal(edits_count(p->specializes, RLTI_USD_ADDED), 2);
    assert_string_equal(edits_text(p->specializes, RLTI_USD_ADDED, 1), "/v");
    assert_int_equal(edits_count(p->variant_sets, RLTI_USD_PREPENDED), 2);
    assert_int_equal(p->selection_count, 2);
    assert_string_equal(p->selections[1].set, "size");
    assert_string_equal(p->selections[1].variant, "big");
    assert_int_equal(p->clip_count, 1);
    assert_int_equal(p->clips[0].time_count, 1);
    assert_string_equal(p->clips[0].name, "default");
    assert_int_equal(p->property_count, 1);
    assert_true(layer->prims[1].is_variant && layer->prims[1].parent == 0);
    assert_string_equal(layer->prims[1].name, "{look=red}");
    assert_string_equal(layer->prims[1].path, "/p");
    assert_string_equal(layer->prims[2].path, "/p/hidden");
    assert_int_equal(layer->prims[2].parent, 1);
    assert_true(q->references->is_explicit && edits_count(q->references, RLTI_USD_EXPLICIT) == 0);
    assert_int_equal(edits_count(q->payloads, RLTI_USD_EXPLICIT), 1);
    assert_null(q->variant_sets);
    rlti_usd_layer_close(layer);
}

/* What OpenUSD takes in place of what the type asks for. */
static void values_of_other_forms_are_taken(void **state) {
    (void)state;
    rlti_usd_layer *layer =
        layer_open(HEADER "def \"p\" {\n    asset a = \"file \\\"x\"\n    asset[] b = ['one', @two@]\n"
                          "    token t = </A/b>\n    int i = 3.12\n    int[] j = [-3.9, 1e2, 7.]\n}\n");
    rlti_array value = {0};
    layer_value(layer, &layer_property(layer, "/p", "a")->value, &value);
    assert_string_equal(((const char *const *)value.data)[0], "file \"x");
    layer_value(layer, &layer_property(layer, "/p", "b")->value, &value);
    assert_string_equal(((const char *const *)value.data)[0], "one");
    assert_string_equal(((const char *const *)value.data)[1], "two");
    layer_value(layer, &layer_property(layer, "/p", "t")->value, &value);
    assert_string_equal(((const char *const *)value.data)[0], "/A/b");
    layer_value(layer, &layer_property(layer, "/p", "i")->value, &value);
    assert_int_equal(((const int *)value.data)[0], 3);
    layer_value(layer, &layer_property(layer, "/p", "j")->value, &value);
    assert_int_equal(((const int *)value.data)[0], -3);
    assert_int_equal(((const int *)value.data)[1], 100);
    assert_int_equal(((const int *)value.data)[2], 7);
    rlti_array_clear(&value);
    rlti_usd_layer_close(layer);
}

static void properties_and_their_metadata(void **state) {
    (void)state;
    rlti_usd_layer *layer = layer_open_warned(
        HEADER "def \"a\" { def \"p\" {\n"
               "    custom uniform float [ ] primvars:w = [1, 2,] (\n"
               "        interpolation = \"vertex\"; elementSize = 2\n"
               "        doc = '''it's'''\n"
               "        customData = { bool x = true }\n"
               "    )\n"
               "    float[] primvars:w.timeSamples = { 3: [5], 1 : None, 2: [7], 3: [6], }\n"
               "    double s.timeSamples = { }\n"
               "    double t.timeSamples = { -1.5: 2 } (interpolation = \"constant\")\n"
               "    double u.spline = { bezier, 1: 2; post held, }\n"
               "    token v.connect = </m.outputs:s>\n"
               "    prepend token v.connect = [<../x.y>, <.z>]\n"
               "    double m.mapper[ </x.y> ] = TestMapper { int i = 0 }\n"
               "    This::Bogus n = bogus (hidden = true; symmetryFunction = )\n"
               "    varying rel o.default = </a>\n"
               "    double m.mapper[ </x.y> ] = TestMapper { int i = 0 }\n"
               "    This::Bogus n = bogus (hidden = true; symmetryFunction = )\n"
               "    varying rel o.default = </a>\n"
               "    color3f blocked = None\n"
               "    strange[] w = { what is this }\n"
               "    rel r = [</one>, <two/three>, <../../four>,]\n"
               "    append rel r2 = </last>\n"
               "    delete rel r2 = </gone>\n"
               "    custom rel e = None (doc = \"x\")\n"
               "    timecode tc = 4\n"
               "} }\n",
        1); /* of the spline */
    const rlti_usd_property *w = layer_property(layer, "/a/p", "primvars:w");
    rlti_array value = {0};
    assert_true(w->is_custom && w->is_uniform && !w->is_relationship);
    assert_string_equal(w->type_name, "float[]");
    assert_string_equal(w->interpolation, "vertex");
    assert_int_equal(w->element_size, 2);
    assert_int_equal(w->sample_count, 3);
    assert_true(w->times[0] == 1.0 && w->times[1] == 2.0 && w->times[2] == 3.0);
    assert_int_equal(w->samples[0].kind, RLTI_USD_BLOCKED);
    layer_value(layer, &w->samples[0], &value);
    assert_true(value.blocked);
    layer_value(layer, &w->samples[2], &value); /* of two at one time the last counts */
    assert_true(!value.blocked && value.count == 1 && ((const float *)value.data)[0] == 6.0f);
    layer_value(layer, &w->value, &value);
    assert_int_equal(value.count, 2);
    assert_int_equal(layer_property(layer, "/a/p", "s")->sample_count, 0);
    const rlti_usd_property *t = layer_property(layer, "/a/p", "t");
    assert_true(t->sample_count == 1 && t->times[0] == -1.5);
    assert_int_equal(t->value.kind, RLTI_USD_NO_VALUE);
    assert_string_equal(t->interpolation, "constant");
    const rlti_usd_property *v = layer_property(layer, "/a/p", "v");
    assert_false(v->targets->is_explicit); /* of a list and edits of one the last counts, as in OpenUSD */
    assert_int_equal(edits_count(v->targets, RLTI_USD_EXPLICIT), 0);
    assert_int_equal(edits_count(v->targets, RLTI_USD_PREPENDED), 2);
    assert_string_equal(edits_text(v->targets, RLTI_USD_PREPENDED, 0), "/a/x.y");
    assert_string_equal(edits_text(v->targets, RLTI_USD_PREPENDED, 1), "/a/p.z");
    assert_int_equal(layer_property(layer, "/a/p", "blocked")->value.kind, RLTI_USD_BLOCKED);
    const rlti_usd_property *strange = layer_property(layer, "/a/p", "w");
    assert_int_equal(strange->type.arity, 0);
    layer_value(layer, &strange->value, &value);
    assert_string_equal(((const char *const *)value.data)[0], "{ what is this }");
    const rlti_usd_property *r = layer_property(layer, "/a/p", "r");
    assert_true(r->is_relationship);
    assert_int_equal(edits_count(r->targets, RLTI_USD_EXPLICIT), 3);
    assert_string_equal(edits_text(r->targets, RLTI_USD_EXPLICIT, 0), "/one");
    assert_string_equal(edits_text(r->targets, RLTI_USD_EXPLICIT, 1), "/a/p/two/three");
    assert_string_equal(edits_text(r->targets, RLTI_USD_EXPLICIT, 2), "/four");
    const rlti_usd_property *edited = layer_property(layer, "/a/p", "r2");
    assert_string_equal(edits_text(edited->targets, RLTI_USD_APPENDED, 0), "/last");
    assert_string_equal(edits_text(edited->targets, RLTI_USD_DELETED, 0), "/gone");
    assert_true(layer_property(layer, "/a/p", "e")->targets->is_explicit);
    assert_int_equal(edits_count(layer_property(layer, "/a/p", "e")->targets, RLTI_USD_EXPLICIT), 0);
    assert_int_equal(layer_property(layer, "/a/p", "tc")->type.element, RLTI_DOUBLE);
    rlti_array_clear(&value);
    rlti_usd_layer_close(layer);
}

/* ---- values ---- */

static void every_type_is_read(void **state) {
    (void)state;
    rlti_usd_layer *layer =
        layer_open(HEADER "def \"p\" {\n"
                          "bool b = true; bool[] bs = [0, 1, false, true]\n"
                          "uchar c = 255; int i = -2147483648; uint u = 4294967295\n"
                          "int64 l = -9223372036854775808; uint64 m = 18446744073709551615\n"
                          "int whole = 3.0\n"
                          "half h = 0.5; half3[] hs = [(1, 2, 65504)]\n"
                          "float f = 1 // an int\n"
                          "double[] ds = [inf, -inf, nan, -0, 1e-310]\n"
                          "float3 x = (1, /* two */ 2,\n 3)\n"
                          "point3f[] empty = [ ]\n"
                          "quatf q = (1, 2, 3, 4)\n"
                          "matrix2d m2 = ((1, 2), (3, 4))\n"
                          "matrix4d m4 = ( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (5, 6, 7, 1) )\n"
                          "string s = \"a\\\"b\\\\\\n\\x41\\101\"; string t = '''x\n'y' \"\"\"'''\n"
                          "token[] ts = [\"one\", 'two', \"\"]\n"
                          "asset a = @dir/file.png@; asset[] as = [@@, @@@x\\@@@y@@@@]\n"
                          "Vec3f[] old = [(1, 2, 3)]\n"
                          "PointIndex[] older = [7]\n"
                          "string utf = \"\xc3\xa9\"\n"
                          "}\n");
    rlti_array v = {0};
#define READ(name) layer_value(layer, &layer_property(layer, "/p", name)->value, &v)
    READ("b");
    assert_int_equal(*(const uint8_t *)v.data, 1);
    READ("bs");
    assert_memory_equal(v.data, ((uint8_t[]){0, 1, 0, 1}), 4);
    READ("c");
    assert_int_equal(*(const uint8_t *)v.data, 255);
    READ("i");
    assert_true(*(const int32_t *)v.data == INT32_MIN);
    READ("u");
    assert_true(*(const uint32_t *)v.data == UINT32_MAX);
    READ("l");
    assert_true(*(const int64_t *)v.data == INT64_MIN);
    READ("m");
    assert_true(*(const uint64_t *)v.data == UINT64_MAX);
    READ("whole");
    assert_int_equal(*(const int32_t *)v.data, 3);
    READ("h");
    assert_int_equal(*(const uint16_t *)v.data, 0x3800);
    READ("hs");
    assert_memory_equal(v.data, ((uint16_t[]){0x3c00, 0x4000, 0x7bff}), 6);
    READ("f");
    assert_true(*(const float *)v.data == 1.0f);
    READ("ds");
    const double *d = v.data;
    assert_int_equal(v.count, 5);
    assert_true(d[0] > DBL_MAX && d[1] < -DBL_MAX && isnan(d[2]) && d[3] == 0.0 && signbit(d[3]) &&
                d[4] == 1e-310);
    READ("x");
    assert_memory_equal(v.data, ((float[]){1, 2, 3}), 12);
    READ("empty");
    assert_int_equal(v.count, 0);
    assert_int_equal(v.type.arity, 3);
    READ("q");
    assert_memory_equal(v.data, ((float[]){2, 3, 4, 1}), 16);
    READ("m2");
    assert_memory_equal(v.data, ((double[]){1, 2, 3, 4}), 32);
    READ("m4");
    assert_memory_equal(v.data, ((double[]){1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1}), 128);
    READ("s");
    assert_string_equal(*(const char *const *)v.data, "a\"b\\\nAA");
    READ("t");
    assert_string_equal(*(const char *const *)v.data, "x\n'y' \"\"\"");
    READ("ts");
    assert_int_equal(v.count, 3);
    assert_string_equal(((const char *const *)v.data)[1], "two");
    assert_string_equal(((const char *const *)v.data)[2], "");
    READ("a");
    assert_string_equal(*(const char *const *)v.data, "dir/file.png");
    READ("as");
    assert_string_equal(((const char *const *)v.data)[0], "");
    assert_string_equal(((const char *const *)v.data)[1], "x@@@y@");
    READ("old");
    assert_int_equal(v.type.element, RLTI_FLOAT);
    READ("older");
    assert_int_equal(*(const int32_t *)v.data, 7);
    READ("utf");
    assert_string_equal(*(const char *const *)v.data, "\xc3\xa9");
#undef READ
    rlti_array_clear(&v);
    rlti_usd_layer_close(layer);
}

/* ---- what is refused ---- */

static void refuse(const char *text, const char *place) {
    rlti_usd_layer *layer;
    rlt_messages *messages = rlt_messages_create();
    rlt_status status =
        rlti_usda_layer_open("test.usda", (const unsigned char *)text, strlen(text), NULL, messages, &layer);
    if (status != RLT_BAD_INPUT || layer != NULL)
        fail_msg("accepted: %s", text);
    assert_int_equal(rlt_messages_count(messages), 1);
    const char *said = rlt_messages_text(messages, 0);
    if (strncmp(said, "test.usda:", 10) != 0 || strncmp(said + 10, place, strlen(place)) != 0)
        fail_msg("'%s' at '%s', not %s", text, said, place);
    rlt_messages_destroy(messages);
}

static void malformed_texts_are_refused_with_the_place(void **state) {
    (void)state;
    static const struct {
        const char *text, *place;
    } bad[] = {
        {"", "1:1:"},
        {"#usda", "1:1:"},
        {"#usda 2.0", "1:7:"},
        {"#sdf 1.0", "1:1:"},
        {HEADER "( ", "2:"},
        {HEADER "(\n upAxis = \"X\" )", "3:11:"},
        {HEADER "( metersPerUnit = 0 )", "2:19:"},
        {HEADER "( metersPerUnit = \"a\" )", "2:19:"},
        {HEADER "( timeCodesPerSecond = nan )", "2:24:"},
        {HEADER "( subLayers = [@a )", "2:16:"},
        {HEADER "( subLayers = [\"a\"] )", "2:16:"},
        {HEADER "( = 2 )", "2:3:"},
        {HEADER "( a 2 )", "2:5:"},
        {HEADER "( a = )", "2:7:"},
        {HEADER "foo", "2:1:"},
        {HEADER "def", "2:4:"},
        {HEADER "def Xform", "2:10:"},
        {HEADER "def Xform \"a", "2:11:"},
        {HEADER "def Xform \"a\"", "2:14:"},
        {HEADER "def Xform \"a\" {", "2:16:"},
        {HEADER "def Xform \"\" {}", "2:11:"},
        {HEADER "def Xform \"a/b\" {}", "2:11:"},
        {HEADER "def \"a\" {} def \"a\" {}", "2:16:"},
        {HEADER "def \"a\" ( references = \"x\" ) {}", "2:24:"},
        {HEADER "def \"a\" ( references = @x ) {}", "2:24:"},
        {HEADER "def \"a\" ( references = <x ) {}", "2:24:"},
        {HEADER "def \"a\" ( active = maybe ) {}", "2:20:"},
        {HEADER "def \"a\" { float }", "2:17:"},
        {HEADER "def \"a\" { float[ x }", "2:18:"},
        {HEADER "def \"a\" { float x. = 1 }", "2:20:"},
        {HEADER "def \"a\" { float x = }", "2:21:"},
        {HEADER "def \"a\" { float[] x = [1, 2 }", "2:29:"},
        {HEADER "def \"a\" { float[] x = [(1, 2] }", "2:29:"},
        {HEADER "def \"a\" { float x = 1 ( }", "2:25:"},
        {HEADER "def \"a\" { float x (elementSize = 0) }", "2:34:"},
        {HEADER "def \"a\" { float x (elementSize = 1.5) }", "2:34:"},
        {HEADER "def \"a\" { float x.timeSamples = [1] }", "2:33:"},
        {HEADER "def \"a\" { float x.timeSamples = { a: 1 } }", "2:35:"},
        {HEADER "def \"a\" { float x.timeSamples = { inf: 1 } }", "2:35:"},
        {HEADER "def \"a\" { float x.timeSamples = { 1 2 } }", "2:37:"},
        {HEADER "def \"a\" { float x.timeSamples = { 1: 2 3: 4 } }", "2:40:"},
        {HEADER "def \"a\" { float x.timeSamples = { 1: } }", "2:38:"},
        {HEADER "def \"a\" { rel x = 3 }", "2:19:"},
        {HEADER "def \"a\" { rel x = [</a> }", "2:25:"},
        {HEADER "def \"a\" { rel x; float x }", "2:24:"},
        {HEADER "def \"a\" { variantSet \"x\" = 1 }", "2:"},
        {HEADER "/* never ends", "2:1:"},
        {HEADER "def \"a\" { string x = \"one\ntwo\" }", "2:22:"},
        {HEADER "def \"a\" { string x = '''one\ntwo\" }", "2:22:"},
        {HEADER "}", "2:1:"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        refuse(bad[i].text, bad[i].place);
    static const char zero[] = HEADER "def \"a\" { float[] x = [1,\0 2] }";
    rlti_usd_layer *layer;
    rlt_messages *messages = rlt_messages_create();
    assert_int_equal(
        rlti_usda_layer_open("z", (const unsigned char *)zero, sizeof zero - 1, NULL, messages, &layer),
        RLT_BAD_INPUT);
    assert_int_equal(rlti_usda_layer_open("z", NULL, 0, NULL, messages, &layer), RLT_BAD_INPUT);
    rlt_messages_destroy(messages);
}

static void values_of_the_wrong_shape_are_refused(void **state) {
    (void)state;
    static const char *const bad[] = {"float x = \"a\"",
                                      "float x = [1]",
                                      "float[] x = 1",
                                      "float[] x = (1)",
                                      "float3 x = (1, 2)",
                                      "float3 x = (1, 2, 3, 4)",
                                      "float3 x = 1",
                                      "float3[] x = [1, 2, 3]",
                                      "float3[] x = [(1, 2, 3) (4, 5, 6)]",
                                      "float x = 1.2.3",
                                      "float x = 1f",
                                      "float x = --1",
                                      "int x = inf",
                                      "int x = 2147483648",
                                      "int x = -2147483649",
                                      "uint x = -1",
                                      "uchar x = 256",
                                      "uint64 x = 18446744073709551616",
                                      "int64 x = 9223372036854775808",
                                      "bool x = 2",
                                      "bool x = yes",
                                      "string x = @a@",
                                      "string x = a",
                                      "asset x = </a>",
                                      "token[] x = [a]",
                                      "matrix4d x = (1, 2, 3)",
                                      "matrix2d x = ((1, 2), (3))",
                                      "matrix2d x = ((1, 2), (3, 4), (5, 6))",
                                      "quatf x = (1, 2, 3)",
                                      "float[] x = [1 2]",
                                      "float[] x = [,]",
                                      "float[] x = [1,,2]",
                                      "float[] x = [[1], [2]]",
                                      "float[] x = [1, None]",
                                      "float x = {}",
                                      "int x = nan",
                                      "float3[] x = [(1, 2, 3), (1, 2)]"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[256];
        rlti_array value = {0};
        snprintf(text, sizeof text, HEADER "def \"a\" {\n%s\n}", bad[i]);
        rlti_usd_layer *layer = layer_open(text);
        rlt_messages *messages = rlt_messages_create();
        rlt_status status =
            rlti_usd_layer_read(layer, &layer_property(layer, "/a", "x")->value, messages, &value);
        if (status != RLT_BAD_INPUT)
            fail_msg("accepted: %s", bad[i]);
        assert_int_equal(rlt_messages_count(messages), 1);
        assert_true(strncmp(rlt_messages_text(messages, 0), "test.usda:3:", 12) == 0);
        assert_int_equal(value.count, 0);
        rlt_messages_destroy(messages);
        rlti_array_clear(&value);
        rlti_usd_layer_close(layer);
    }
}

/* Every beginning of a text that has everything: no crash, and a message where it is refused. */
static void beginnings_are_refused_or_read(void **state) {
    (void)state;
    static const char text[] =
        HEADER "(\n doc = '''x''' ; subLayers = [@a@ (offset = 1)]\n)\n"
               "def Xform \"a\" (prepend references = @@@b@@@</c> ; variants = {string v = \"w\"})\n{\n"
               " uniform token[] t = [\"a\", 'b'] (interpolation = \"vertex\")\n"
               " point3f[] p.timeSamples = { 1: [(1, 2, 3)], 2: None }\n"
               " rel r = [</a>, <b>] /* c */ # d\n"
               " variantSet \"v\" = { \"w\" { float x = 1 } }\n}\n";
    for (size_t length = 0; length < sizeof text; length++) {
        unsigned char *copy = malloc(length + 1); /* its own memory, so that the sanitizer sees every byte */
        rlti_usd_layer *layer;
        rlt_messages *messages = rlt_messages_create();
        memcpy(copy, text, length);
        rlt_status status = rlti_usda_layer_open("cut", copy, length, NULL, messages, &layer);
        assert_true(status == RLT_OK || status == RLT_BAD_INPUT);
        assert_true((status == RLT_OK) == (layer != NULL));
        assert_true(status == RLT_OK || rlt_messages_count(messages) == 1);
        rlti_usd_layer_close(layer);
        rlt_messages_destroy(messages);
        free(copy);
    }
}

/* The text with everything, with bytes changed, doubled and taken out: no crash, no leak. */
static void damaged_texts_are_refused_or_read(void **state) {
    (void)state;
    size_t size;
    unsigned char *good = bytes_read(RLT_SOURCE_DIR "/tests/corpus/usda/everything.usda", &size);
    uint32_t seed = 1;
    rlti_array value = {0};
    int refused = 0;
    for (int round = 0; round < 3000; round++) {
        unsigned char *copy = malloc(size + 64);
        size_t length = size;
        memcpy(copy, good, size);
        for (int change = round == 0 ? 3 : round % 3; change < 3; change++) {
            seed = seed * 1664525u + 1013904223u;
            size_t at = (seed >> 8) % (length - 16), from = (seed >> 3) % (length - 16), count = seed >> 28;
            if (seed & 64)
                copy[at] ^= (unsigned char)(1u << (seed >> 5 & 7));
            else if (seed & 128)
                memmove(copy + at, copy + from, count);
            else
                memmove(copy + at, copy + at + count, (length -= count) - at);
        }
        rlti_usd_layer *layer;
        rlt_messages *messages = rlt_messages_create();
        rlt_status status = rlti_usda_layer_open("damaged", copy, length, NULL, messages, &layer);
        assert_true(round > 0 || status == RLT_OK);
        assert_true((status == RLT_OK) == (layer != NULL));
        refused += status != RLT_OK;
        for (int i = 0; layer != NULL && i < layer->property_count; i++) {
            const rlti_usd_property *p = &layer->properties[i];
            if (p->value.kind == RLTI_USD_VALUE)
                rlti_usd_layer_read(layer, &p->value, messages, &value);
            for (int s = 0; s < p->sample_count; s++)
                rlti_usd_layer_read(layer, &p->samples[s], messages, &value);
        }
        rlti_usd_layer_close(layer);
        rlt_messages_destroy(messages);
        free(copy);
    }
    assert_true(refused > 300 && refused < 3000);
    rlti_array_clear(&value);
    free(good);
}

static char *repeat(const char *before, const char *middle, size_t count, const char *after) {
    size_t a = strlen(before), b = strlen(middle), c = strlen(after);
    char *made = malloc(a + b * count + c + 1);
    assert_non_null(made);
    memcpy(made, before, a);
    for (size_t i = 0; i < count; i++)
        memcpy(made + a + i * b, middle, b);
    memcpy(made + a + b * count, after, c + 1);
    return made;
}

static void depth_and_size_have_limits(void **state) {
    (void)state;
    char *text = repeat(HEADER, "def \"a\" {", 100000, "");
    refuse(text, "2:");
    free(text);
    text = repeat(HEADER "def \"a\" { float x = ", "[", 100000, "");
    refuse(text, "2:");
    free(text);
    text = repeat(HEADER "def \"a\" { float x = ", "(1,", 100000, "");
    refuse(text, "2:");
    free(text);
    /* a huge tuple where three numbers belong */
    text = repeat(HEADER "def \"a\" {\nfloat3 x = (", "1, ", 100000, "1) }");
    rlti_usd_layer *layer = layer_open(text);
    rlt_messages *messages = rlt_messages_create();
    rlti_array value = {0};
    assert_int_equal(rlti_usd_layer_read(layer, &layer_property(layer, "/a", "x")->value, messages, &value),
                     RLT_BAD_INPUT);
    assert_true(value.capacity < 64);
    rlti_array_clear(&value);
    rlt_messages_destroy(messages);
    rlti_usd_layer_close(layer);
    free(text);
    /* a long name that each of many children repeats in its path */
    char *name = repeat("", "n", 100000, "");
    char *start = repeat(HEADER "def \"", name, 1, "\" {\n");
    size_t length = strlen(start), room = length + 20000 * 16 + 8;
    char *made = malloc(room);
    memcpy(made, start, length);
    for (int i = 0; i < 20000; i++)
        length += (size_t)snprintf(made + length, room - length, "def\"c%05d\"{}\n", i);
    made[length] = '\0';
    refuse(made, "");
    free(made);
    free(start);
    free(name);
}

/* Many properties and prims in one place take time in proportion. */
static void many_things_are_quick(void **state) {
    (void)state;
    size_t room = 4000000, length = 0;
    char *text = malloc(room);
    length += (size_t)snprintf(text, room, HEADER "def \"a\" {\n");
    for (int i = 0; i < 50000; i++)
        length += (size_t)snprintf(text + length, room - length, "int p%d = %d\ndef \"c%d\" {}\n", i, i, i);
    snprintf(text + length, room - length, "}\n");
    rlti_usd_layer *layer = layer_open(text);
    assert_int_equal(layer->property_count, 50000);
    assert_int_equal(layer->prim_count, 50001);
    const rlti_usd_property *last = &layer->properties[49999];
    rlti_array value = {0};
    layer_value(layer, &last->value, &value);
    assert_int_equal(*(const int32_t *)value.data, 49999);
    rlti_array_clear(&value);
    rlti_usd_layer_close(layer);
    free(text);
}

/* ---- real files ---- */

static rlti_usd_layer *layer_of_file(const char *name, rlti_file_map *map) {
    char path[1024];
    if (!data_path(name, path, sizeof path))
        skip();
    rlti_usd_layer *layer;
    rlt_messages *messages = rlt_messages_create();
    stage_ok(rlti_file_map_open(path, NULL, messages, map), messages);
    stage_ok(rlti_usda_layer_open(path, map->bytes, map->size, NULL, messages, &layer), messages);
    rlt_messages_destroy(messages);
    return layer;
}

static void the_ratboy_is_read(void **state) {
    (void)state;
    rlti_file_map map = {0};
    rlti_usd_layer *layer = layer_of_file("ratboy_mohawk_2228x32.usda", &map);
    rlti_array value = {0};
    layer_value(layer, &layer_property(layer, "/ratboy/mohawk", "points")->value, &value);
    assert_int_equal(value.count, 71296);
    const float *points = value.data;
    assert_true(points[0] == -0.0551619418f && points[1] == 0.446692973f && points[2] == -0.0672704577f);
    layer_value(layer, &layer_property(layer, "/ratboy/body", "faceVertexIndices")->value, &value);
    assert_int_equal(value.count, 77442);
    assert_string_equal(layer->default_prim, "ratboy");
    rlti_array_clear(&value);
    rlti_usd_layer_close(layer);
    rlti_file_map_close(&map);
}

static void other_real_files_are_read(void **state) {
    (void)state;
    static const char *const names[] = {"openusd_BasisCurves1_16curves.usda", "openusd_pinnedCurves.usda",
                                        "own_timesampled_groom.usda",
                                        "tinyusdz_hair_blender301_1000curves.usda"};
    for (size_t f = 0; f < sizeof names / sizeof names[0]; f++) {
        rlti_file_map map = {0};
        rlti_usd_layer *layer = layer_of_file(names[f], &map);
        rlti_array value = {0};
        assert_true(layer->prim_count > 0);
        for (int i = 0; i < layer->property_count; i++) {
            const rlti_usd_property *p = &layer->properties[i];
            assert_true(p->is_relationship || p->type.arity > 0);
            if (p->value.kind != RLTI_USD_NO_VALUE)
                layer_value(layer, &p->value, &value);
            for (int s = 0; s < p->sample_count; s++)
                layer_value(layer, &p->samples[s], &value);
        }
        rlti_array_clear(&value);
        rlti_usd_layer_close(layer);
        rlti_file_map_close(&map);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_round_correctly),
        cmocka_unit_test(numbers_come_back),
        cmocka_unit_test(header_and_metadata),
        cmocka_unit_test(prims_nest),
        cmocka_unit_test(prims_are_composed),
        cmocka_unit_test(values_of_other_forms_are_taken),
        cmocka_unit_test(properties_and_their_metadata),
        cmocka_unit_test(every_type_is_read),
        cmocka_unit_test(malformed_texts_are_refused_with_the_place),
        cmocka_unit_test(values_of_the_wrong_shape_are_refused),
        cmocka_unit_test(beginnings_are_refused_or_read),
        cmocka_unit_test(damaged_texts_are_refused_or_read),
        cmocka_unit_test(depth_and_size_have_limits),
        cmocka_unit_test(many_things_are_quick),
        cmocka_unit_test(the_ratboy_is_read),
        cmocka_unit_test(other_real_files_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
