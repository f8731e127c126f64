/* What leads from prim to prim of USD is kept: material bindings, shader networks, collections,
 * relationships, as they are composed, by `convert` in text and crate, and by `simulate --standalone`. */
#include "folder_fixture.h"
#include "program_fixture.h"
#include "stage_fixture.h"

static const char look[] =
    "#usda 1.0\n(\n    defaultPrim = \"Char\"\n    metersPerUnit = 0.01\n    upAxis = \"Y\"\n)\n"
    "def Xform \"Char\" (\n    kind = \"component\"\n    customData = { int a = 1 }\n    doc = \"text\"\n"
    "    prepend apiSchemas = [\"MaterialBindingAPI\", \"CollectionAPI:all\"]\n)\n{\n"
    "    rel material:binding:collection:all = [</Char.collection:all>, </Char/Looks/Skin>]\n"
    "    uniform token collection:all:expansionRule = \"expandPrims\"\n"
    "    rel collection:all:includes = </Char/Hair>\n"
    "    def BasisCurves \"Hair\" (\n"
    "        prepend apiSchemas = [\"MaterialBindingAPI\", \"SkelBindingAPI\"]\n    )\n    {\n"
    "        uniform token type = \"linear\"\n        int[] curveVertexCounts = [3]\n"
    "        point3f[] points = [(0, 0, 0), (0, 1, 0), (0, 2, 0)]\n"
    "        rel material:binding = </Char/Looks/Hair> (\n"
    "            bindMaterialAs = \"weakerThanDescendants\"\n        )\n"
    "        custom rel groom:scalp = </Char/Head>\n"
    "        rel skel:skeleton = </Char/Bones>\n    }\n"
    "    def Mesh \"Head\"\n    {\n        int[] faceVertexCounts = [3]\n"
    "        int[] faceVertexIndices = [0, 1, 2]\n"
    "        point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 0, 1)]\n"
    "        def GeomSubset \"Skin\"\n        {\n            int[] indices = [0]\n"
    "            rel material:binding = </Char/Looks/Skin>\n        }\n    }\n"
    "    def Scope \"Looks\"\n    {\n"
    "        def Material \"Hair\"\n        {\n"
    "            float inputs:rough = 0.3 (\n                connectability = \"interfaceOnly\"\n"
    "                displayGroup = \"Look\"\n                displayName = \"Roughness\"\n            )\n"
    "            token outputs:surface.connect = </Char/Looks/Hair/Surface.outputs:surface>\n"
    "            def Shader \"Surface\"\n            {\n"
    "                uniform token info:id = \"UsdPreviewSurface\"\n"
    "                color3f inputs:diffuseColor = (0.2, 0.1, 0.05)\n"
    "                color3f inputs:diffuseColor.connect = </Char/Maps/Map.outputs:rgb>\n"
    "                float inputs:roughness.connect = </Char/Looks/Hair.inputs:rough>\n"
    "                token outputs:surface\n            }\n        }\n"
    "        def Material \"Skin\"\n        {\n            token outputs:surface\n        }\n    }\n"
    "    def Scope \"Maps\"\n    {\n        def Shader \"Map\"\n        {\n"
    "            asset inputs:file = @hair.png@ (\n                colorSpace = \"sRGB\"\n            )\n"
    "            asset inputs:other = @not-here.png@\n"
    "            color3f outputs:rgb (\n                renderType = \"color\"\n            )\n        }\n"
    "        def BlendShape \"Smile\"\n        {\n"
    "            vector3f[] inbetweens:half = [(0, 0.2, 0)] (\n                weight = 0.25\n            )\n"
    "        }\n"
    "        def Shader \"Unused\"\n        {\n            color3f outputs:rgb\n        }\n    }\n}\n";

/* The same twice, by reference, with opinions of its own. */
static const char shot[] = "#usda 1.0\n"
                           "def Xform \"World\"\n{\n"
                           "    def \"A\" (\n        references = @look.usda@\n    )\n    {\n"
                           "        over \"Hair\"\n        {\n"
                           "            prepend rel groom:scalp = </World/B>\n"
                           "            rel material:binding (\n"
                           "                bindMaterialAs = \"strongerThanDescendants\"\n            )\n"
                           "        }\n    }\n"
                           "    def \"B\" (\n        references = @look.usda@\n    )\n    {\n    }\n}\n";

static const char scene[] = "time: {first: 1, last: 2, outer_steps: 10}\n"
                            "character: {kind: none}\nhair: {file: look.usda, bind: none}\n";

static void run_good(const char *line) {
    int code = ringlet(line);
    if (code != 0)
        fail_msg("%s: %d\n%s", line, code, err_text);
}

static void text_write(const char *name, const char *text) {
    bytes_write(name, text, strlen(text));
}

/* The prim's link of this name, or NULL; a prim that is not there has none. */
static const rlti_link *find_link(const rlti_stage *stage, const char *path, const char *name) {
    int count, prim = rlti_stage_find(stage, path);
    const rlti_link *links = prim >= 0 ? rlti_stage_links(stage, &stage->prims[prim], &count) : NULL;
    for (int i = 0; links != NULL && i < count; i++)
        if (strcmp(links[i].name, name) == 0)
            return &links[i];
    return NULL;
}

static const rlti_link *need_link(const rlti_stage *stage, const char *path, const char *name) {
    const rlti_link *link = find_link(stage, path, name);
    if (link == NULL)
        fail_msg("%s: %s has no %s", stage->file, path, name);
    return link;
}

/* "a b" are the targets of the link. */
static void assert_targets(const rlti_stage *stage, const char *path, const char *name, const char *wanted) {
    const rlti_link *link = need_link(stage, path, name);
    char got[400] = "";
    for (int i = 0; i < link->target_count; i++)
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s", i > 0 ? " " : "", link->targets[i]);
    assert_string_equal(got, wanted);
}

/* Bindings and networks of look.usda, whose /Char is `at`. */
static void assert_look(const rlti_stage *stage, const char *at, const char *strength) {
    char path[4][80], wanted[200];
    const char *const names[4] = {"Hair", "Looks/Hair", "Looks/Hair/Surface", "Maps/Map"};
    for (int i = 0; i < 4; i++)
        snprintf(path[i], sizeof path[i], "%s/%s", at, names[i]);
    assert_targets(stage, path[0], "material:binding", path[1]);
    assert_string_equal(need_link(stage, path[0], "material:binding")->notes.texts[0], strength);
    snprintf(wanted, sizeof wanted, "%s.collection:all %s/Looks/Skin", at, at);
    assert_targets(stage, at, "material:binding:collection:all", wanted);
    assert_targets(stage, at, "collection:all:includes", path[0]);
    stage_need(stage, &stage->prims[rlti_stage_find(stage, at)], RLTI_CUSTOM, "collection:all:expansionRule");
    assert_true(rlti_stage_find(stage, path[1]) >= 0);
    const rlti_notes *notes = &need_link(stage, path[1], "inputs:rough")->notes;
    assert_string_equal(notes->texts[3], "interfaceOnly");
    assert_string_equal(notes->texts[4], "Roughness");
    assert_string_equal(notes->texts[5], "Look");
    assert_string_equal(need_link(stage, path[3], "outputs:rgb")->notes.texts[2], "color");
    snprintf(wanted, sizeof wanted, "%s.outputs:surface", path[2]);
    assert_targets(stage, path[1], "outputs:surface", wanted);
    snprintf(wanted, sizeof wanted, "%s.outputs:rgb", path[3]);
    assert_targets(stage, path[2], "inputs:diffuseColor", wanted);
    assert_true(need_link(stage, path[2], "inputs:diffuseColor")->has_value);
    snprintf(wanted, sizeof wanted, "%s.inputs:rough", path[1]);
    assert_targets(stage, path[2], "inputs:roughness", wanted);
    assert_string_equal(need_link(stage, path[2], "outputs:surface")->type_name, "token");
    assert_string_equal(need_link(stage, path[3], "outputs:rgb")->type_name, "color3f");
    assert_string_equal(need_link(stage, path[3], "inputs:file")->notes.texts[1], "sRGB");
}

static void convert_keeps_links(void **state) {
    static const char *const files[] = {"o.usda", "o.usdc"};
    static char one[TEXT_SIZE], two[TEXT_SIZE];
    (void)state;
    for (int i = 0; i < 2; i++) {
        char line[100];
        snprintf(line, sizeof line, "convert look.usda %s -q", files[i]);
        run_good(line);
        rlti_stage *stage = stage_open_good(files[i]);
        assert_look(stage, "/Char", "weakerThanDescendants");
        assert_targets(stage, "/Char/Hair", "groom:scalp", "/Char/Head");
        assert_targets(stage, "/Char/Hair", "skel:skeleton", "/Char/Bones");
        assert_targets(stage, "/Char/Head/Skin", "material:binding", "/Char/Looks/Skin");
        assert_true(need_link(stage, "/Char/Maps/Smile", "inbetweens:half")->notes.weight == 0.25);
        assert_string_equal(stage->prims[rlti_stage_find(stage, "/Char/Maps/Unused")].type_name, "Shader");
        rlti_stage_close(stage);
    }
    run_good("convert o.usdc again.usda -q");
    read_file("o.usda", one);
    read_file("again.usda", two);
    assert_string_equal(one, two);
}

/* Of other metadata `kind` and `doc`, of prims and of the file, go from USD to USD, through either form. */
static void kind_and_doc_are_kept(void **state) {
    static const char *const lines[] = {"convert m.usda m.usdc -q", "convert m.usdc n.usda -q",
                                        "convert m.usda m.usda.usda -q"};
    static char one[TEXT_SIZE], two[TEXT_SIZE];
    (void)state;
    text_write("strong.usda", "#usda 1.0\nover \"P\" (\n    kind = \"group\"\n)\n{\n}\n");
    text_write("m.usda",
               "#usda 1.0\n(\n    doc = \"of the file\"\n    subLayers = [@strong.usda@]\n)\n"
               "def Xform \"P\" (\n    kind = \"component\"\n    doc = \"\"\"two\n\"lines\\\"\"\"\"\n"
               "    customData = { int a = 1 }\n    assetInfo = { string name = \"n\" }\n)\n{\n"
               "    def Scope \"Odd\" (\n        doc = None\n    )\n    {\n    }\n}\n");
    for (int i = 0; i < 3; i++)
        run_good(lines[i]);
    rlti_stage *stage = stage_open_good("n.usda");
    assert_string_equal(stage->doc, "of the file");
    assert_string_equal(stage->prims[0].model, "component");
    assert_string_equal(stage->prims[0].doc, "two\n\"lines\"");
    assert_true(stage->prims[1].model == NULL && stage->prims[1].doc == NULL);
    rlti_stage_close(stage);
    read_file("n.usda", one);
    read_file("m.usda.usda", two);
    assert_string_equal(one, two);
    assert_null(strstr(one, "customData")); /* dictionaries are not kept */
    assert_null(strstr(one, "assetInfo"));
}

/* Where the target has no links, one line says how many are left out; `inspect` counts them. */
static void links_left_out_are_counted(void **state) {
    static const char *const files[] = {"o.abc", "o.hair", "o.obj"};
    static const char said[] = "cannot hold links between prims, and leaves out 9 ";
    (void)state;
    for (int i = 0; i < 3; i++) {
        char line[100];
        snprintf(line, sizeof line, "convert look.usda %s", files[i]);
        run_good(line);
        const char *at = strstr(err_text, said);
        if (at == NULL || strstr(at + 1, said) != NULL)
            fail_msg("%s: not once\n%s", files[i], err_text);
    }
    run_good("convert look.usda o.usda");
    assert_null(strstr(err_text, "links"));
    run_good("inspect look.usda");
    assert_non_null(
        strstr(out_text, "Hair  curves (BasisCurves), 1 curves, 3 points, linear nonperiodic, 3 links\n"));
    run_good("simulate look.yaml -o alone.abc");
    assert_non_null(strstr(err_text, "alone.abc: cannot hold links between prims, and leaves out "));
}

/* Hairs between guides have a place of their own, too. */
static void filled_hair_is_reported(void **state) {
    static const char *const lines[] = {"fill look.usda -o hairs.usda --hairs 3",
                                        "fill look.yaml -o hairs.usda --hairs 3 --frames 1"};
    static const char said[] = "hairs.usda: hairs do not get the 3 links of their guides";
    (void)state;
    for (int i = 0; i < 2; i++) {
        run_good(lines[i]);
        const char *at = strstr(err_text, said);
        if (at == NULL || strstr(at + 1, said) != NULL)
            fail_msg("%s: not once\n%s", lines[i], err_text);
    }
}

/* Two files with prims of the same names, a material bound above the curves and one through a collection. */
static const char above[] =
    "#usda 1.0\n(\n    metersPerUnit = 0.01\n    upAxis = \"Y\"\n)\n"
    "def Xform \"Char\" (\n    prepend apiSchemas = [\"MaterialBindingAPI\", \"CollectionAPI:some\"]\n)\n{\n"
    "    rel material:binding = </Char/Looks/Hair>\n"
    "    rel material:binding:full = </Char/Looks/Nothing>\n"
    "    rel material:binding:preview = </Char/Looks/Plain> (\n"
    "        bindMaterialAs = \"strongerThanDescendants\"\n    )\n"
    "    rel material:binding:collection:full:some = [</Char.collection:some>, </Char/Looks/Full>]\n"
    "    rel collection:some:includes = [</Char/Groom>, </Char/Other.collection:none>]\n"
    "    rel collection:some:excludes = </Char/Groom/Beard>\n"
    "    def Xform \"Groom\"\n    {\n"
    "        def BasisCurves \"Hair\"\n        {\n"
    "            uniform token type = \"linear\"\n            int[] curveVertexCounts = [3, 2]\n"
    "            point3f[] points = [(5, 0, 0), (5, 1, 0), (5, 2, 0), (6, 0, 0), (6, 2, 0)]\n"
    "            uniform int[] primvars:group_id = [0, 1] (\n                interpolation = \"uniform\"\n"
    "            )\n"
    "            rel material:binding:preview = </Char/Looks/Full>\n"
    "            rel groom:twin = </Char/Groom/Beard>\n"
    "            def GeomSubset \"Tips\"\n            {\n                int[] indices = [1]\n"
    "                rel material:binding = </Char/Looks/Full>\n            }\n        }\n"
    "        def BasisCurves \"Beard\"\n        {\n"
    "            uniform token type = \"linear\"\n            int[] curveVertexCounts = [2]\n"
    "            point3f[] points = [(7, 0, 0), (7, 2, 0)]\n        }\n    }\n"
    "    def Scope \"Looks\"\n    {\n"
    "        def Material \"Hair\"\n        {\n            float inputs:a = 7\n        }\n"
    "        def Material \"Full\"\n        {\n        }\n"
    "        def Material \"Plain\"\n        {\n        }\n"
    "        def Material \"Unused\"\n        {\n        }\n    }\n}\n";

/* Hair of several files has a place of its own; what it is bound to follows it there, under names of its own,
 * once for each file, however many sections take hair from it. */
static void hair_of_several_files_keeps_its_looks(void **state) {
    static const char *const files[] = {"two.usda", "two.usdc"};
    (void)state;
    text_write("above.usda", above);
    text_write("two.yaml", "time: {first: 1, last: 2, outer_steps: 10}\ncharacter: {kind: none}\n"
                           "hair:\n  - {file: look.usda, bind: none}\n"
                           "  - {file: above.usda, prim: /Char/Groom/Hair, group: 0, bind: none}\n"
                           "  - {file: above.usda, prim: /Char/Groom/Hair, group: 1, bind: none}\n"
                           "  - {file: above.usda, prim: /Char/Groom/Beard, bind: none}\n");
    for (int i = 0; i < 2; i++) {
        char line[100];
        snprintf(line, sizeof line, "simulate two.yaml -o %s", files[i]);
        run_good(line);
        /* the scalp is not there */
        assert_non_null(strstr(err_text,
                               ": hair of several sources is written under /Ringlet: 1 of its links "
                               "lead to prims that are not there, and are left out; "));
        rlti_stage *stage = stage_open_good(files[i]);
        assert_targets(stage, "/Ringlet/Hair", "material:binding", "/Ringlet/Looks/Hair");
        assert_targets(stage, "/Ringlet/Looks/Hair", "outputs:surface",
                       "/Ringlet/Looks/Hair/Surface.outputs:surface");
        assert_targets(stage, "/Ringlet/Looks/Hair/Surface", "inputs:diffuseColor",
                       "/Ringlet/Looks/Map.outputs:rgb");
        assert_string_equal(need_link(stage, "/Ringlet/Looks/Map", "inputs:file")->notes.texts[1], "sRGB");
        assert_targets(stage, "/Ringlet/Hair_", "material:binding", "/Ringlet/Looks/Hair_");
        assert_targets(stage, "/Ringlet/Hair_", "material:binding:full", "/Ringlet/Looks/Full");
        assert_targets(stage, "/Ringlet/Hair_", "material:binding:preview", "/Ringlet/Looks/Plain");
        assert_targets(stage, "/Ringlet/Hair_", "groom:twin", "/Ringlet/Beard");
        assert_targets(stage, "/Ringlet/Hair_/Tips", "material:binding", "/Ringlet/Looks/Full");
        assert_targets(stage, "/Ringlet/Beard", "material:binding", "/Ringlet/Looks/Hair_");
        assert_null(find_link(stage, "/Ringlet/Beard", "material:binding:full")); /* excluded */
        int made = rlti_stage_find(stage, "/Ringlet/Looks/Hair_");
        stage_need(stage, &stage->prims[made], RLTI_CUSTOM, "inputs:a");
        assert_int_equal(rlti_stage_find(stage, "/Ringlet/Looks/Full_"), -1);
        assert_int_equal(rlti_stage_find(stage, "/Ringlet/Looks/Unused"), -1);
        assert_int_equal(rlti_stage_find(stage, "/Ringlet/Looks/Skin"), -1); /* weaker than its own */
        assert_string_equal(stage->prims[rlti_stage_find(stage, "/Ringlet/Beard")].api_schemas,
                            "MaterialBindingAPI");
        rlti_stage_close(stage);
    }
}

/* Clips become samples; instances and what is relocated or chosen stand where the stage has them. */
static void composed_stages_are_written_out(void **state) {
    static const char *const files[] = {"made.usda", "made.usdc"};
    (void)state;
    text_write("shape.usda",
               "#usda 1.0\ndef Scope \"M\" { double a\n def Scope \"arm\" { double b = 4 } }\n");
    text_write("clip.usda", "#usda 1.0\nover \"M\" { double a.timeSamples = {0: 1, 1: 2} }\n");
    text_write("arcs.usda",
               "#usda 1.0\ndef \"P\" (references = @shape.usda@</M>\n"
               " relocates = { <arm>: <limb> }\n clips = { dictionary default = {\n"
               "  asset[] assetPaths = [@clip.usda@]\n string primPath = \"/M\"\n"
               "  double2[] active = [(1, 0)]\n double2[] times = [(1, 0), (2, 1)]\n } }) {}\n"
               "def \"I\" (references = @shape.usda@</M>\n instanceable = true) {}\n"
               "def Scope \"V\" (variants = { string v = \"two\" }\n prepend variantSets = \"v\") {\n"
               " variantSet \"v\" = { \"one\" { double c = 1 }\n \"two\" { double c = 2 } } }\n");
    for (int i = 0; i < 4; i++) {
        char line[100];
        snprintf(line, sizeof line, "convert arcs.usda %s -q --force%s", files[i % 2],
                 i >= 2 ? " --variant v=one" : "");
        run_good(line);
        rlti_stage *stage = stage_open_good(files[i % 2]);
        const rlti_prim *prim = &stage->prims[rlti_stage_find(stage, "/P")];
        const rlti_attribute *a = stage_need(stage, prim, RLTI_CUSTOM, "a");
        assert_int_equal(a->sample_count, 2);
        assert_true(a->times[0] == 1.0 && a->times[1] == 2.0);
        assert_int_equal(rlti_stage_find(stage, "/P/arm"), -1);
        stage_need(stage, &stage->prims[rlti_stage_find(stage, "/P/limb")], RLTI_CUSTOM, "b");
        stage_need(stage, &stage->prims[rlti_stage_find(stage, "/I/arm")], RLTI_CUSTOM, "b");
        rlti_array value = {0};
        prim = &stage->prims[rlti_stage_find(stage, "/V")];
        a = stage_need(stage, prim, RLTI_CUSTOM, "c");
        assert_int_equal(rlti_stage_value(stage, prim, a, 0.0, NULL, &value), RLT_OK);
        assert_true(*(const double *)value.data == (i >= 2 ? 1.0 : 2.0));
        rlti_array_clear(&value);
        rlti_stage_close(stage);
    }
}

/* `files.variants` of a scene chooses what is simulated. */
static void a_scene_chooses_variants(void **state) {
    static const char curves[] = "uniform token type = \"linear\"\n int[] curveVertexCounts = [2]\n"
                                 " point3f[] points = [(0, 0, 0), (0, 1, 0)]\n";
    char text[1000];
    (void)state;
    snprintf(
        text, sizeof text,
        "#usda 1.0\ndef Xform \"V\" (variants = { string v = \"one\" }\n prepend variantSets = \"v\") {\n"
        " variantSet \"v\" = { \"one\" { def BasisCurves \"H\" { %s } }\n"
        " \"two\" { def BasisCurves \"G\" { %s } } } }\n",
        curves, curves);
    text_write("v.usda", text);
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text,
                 "time: {first: 1, last: 1}\ncharacter: {kind: none}\n%shair: {file: v.usda, bind: none}\n",
                 i == 0 ? "" : "files: {variants: \"v=two\"}\n");
        text_write("v.yaml", text);
        run_good("simulate v.yaml -o vs.usda --standalone --force -q");
        rlti_stage *stage = stage_open_good("vs.usda");
        assert_true((rlti_stage_find(stage, "/V/H") >= 0) == (i == 0));
        assert_true((rlti_stage_find(stage, "/V/G") >= 0) == (i == 1));
        rlti_stage_close(stage);
    }
}

static void targets_are_as_composed(void **state) {
    (void)state;
    run_good("convert shot.usda s.usdc -q");
    rlti_stage *stage = stage_open_good("s.usdc");
    assert_look(stage, "/World/A", "strongerThanDescendants");
    assert_look(stage, "/World/B", "weakerThanDescendants");
    assert_targets(stage, "/World/A/Hair", "groom:scalp", "/World/B /World/A/Head");
    rlti_stage_close(stage);
}

static void chosen_prims_keep_their_looks(void **state) {
    (void)state;
    run_good("convert shot.usda p.usda --prim /World/A/Hair -q");
    rlti_stage *stage = stage_open_good("p.usda");
    assert_look(stage, "/World/A", "strongerThanDescendants");
    assert_int_equal(rlti_stage_find(stage, "/World/B"), -1);
    assert_int_equal(rlti_stage_find(stage, "/World/A/Head"), -1);
    assert_int_equal(rlti_stage_find(stage, "/World/A/Maps/Unused"), -1);
    rlti_stage_close(stage);
}

static void simulated_hair_keeps_its_look(void **state) {
    static const char *const files[] = {"alone.usda", "alone.usdc"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        char line[100];
        snprintf(line, sizeof line, "simulate look.yaml -o %s --standalone -q", files[i]);
        run_good(line);
        rlti_stage *stage = stage_open_good(files[i]);
        assert_look(stage, "/Char", "weakerThanDescendants");
        assert_null(find_link(stage, "/Char/Hair", "skel:skeleton")); /* its points have that motion */
        assert_string_equal(stage->prims[rlti_stage_find(stage, "/Char/Hair")].api_schemas,
                            "MaterialBindingAPI");
        assert_string_equal(stage->prims[rlti_stage_find(stage, "/Char")].model, "component");
        assert_int_equal(rlti_stage_find(stage, "/Char/Head"), -1);
        rlti_stage_close(stage);
    }
}

/* Names of files that are there are seen from the new place. */
static void textures_are_found_again(void **state) {
    static const char *const lines[] = {"convert shot.usda new/s.usda -q",
                                        "simulate look.yaml -o new/s.usda --standalone -q",
                                        "convert new/s.usda new/t.usda -q"};
    static char text[TEXT_SIZE];
    (void)state;
    for (int i = 0; i < 3; i++) {
        run_good(lines[i]);
        read_file(i < 2 ? "new/s.usda" : "new/t.usda", text);
        assert_non_null(strstr(text, "inputs:file = @../hair.png@"));
        assert_non_null(strstr(text, "inputs:other = @not-here.png@"));
    }
}

/* Values that are times of the stage stay such values, also in crates, whose version says that it has them.
 */
static void time_codes_are_kept(void **state) {
    static const char times[] =
        "#usda 1.0\ndef Scope \"P\"\n{\n    timecode t.timeSamples = {1: 5, 2: 20.1}\n"
        "    timecode[] all = [5, 0.1]\n    timecode one = 7\n}\n";
    static const char wanted[] = "    timecode t.timeSamples = {\n        1: 5,\n        2: 20.1,\n    }\n"
                                 "    timecode[] all = [5, 0.1]\n    timecode one = 7\n";
    static char text[TEXT_SIZE];
    (void)state;
    bytes_write("times.usda", times, sizeof times - 1);
    run_good("convert times.usda times.usdc -q");
    run_good("convert times.usdc times2.usdc -q");
    run_good("convert times2.usdc times2.usda -q");
    read_file("times2.usdc", text);
    assert_int_equal(text[9], 9);
    read_file("times2.usda", text);
    assert_non_null(strstr(text, wanted));
    read_file("o.usdc", text);
    assert_int_equal(text[9], 8);
}

/* Of two links with one name the one declared last is written. */
static void the_last_link_counts(void **state) {
    static const char *const files[] = {"last.usda", "last.usdc"}, *const targets[] = {"/a", "/b", "/c"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        rlti_sink *sink;
        rlti_sink_def def = {.codes_per_second = 24.0};
        rlti_prim prim = {.name = "p", .type_name = "Scope"};
        int index;
        stage_ok(rlti_sink_open(files[k], &def, NULL, &sink), NULL);
        stage_ok(rlti_sink_prim(sink, -1, &prim, NULL, &index), NULL);
        for (int i = 0; i < 3; i++) {
            rlti_link link = {.name = i == 1 ? "other" : "r", .type_name = "", .target_count = 1};
            link.targets = &targets[i];
            stage_ok(rlti_sink_link(sink, index, &link, NULL), NULL);
        }
        stage_ok(rlti_sink_close(sink, NULL), NULL);
        rlti_stage *stage = stage_open_good(files[k]);
        assert_targets(stage, "/p", "r", "/c");
        assert_targets(stage, "/p", "other", "/b");
        int count;
        rlti_stage_links(stage, &stage->prims[0], &count);
        assert_int_equal(count, 2);
        rlti_stage_close(stage);
    }
}

static int enter_folder(void **state) {
    (void)state;
    if (folder_enter("links") != 0 || system("mkdir -p new") != 0)
        return 1;
    bytes_write("look.usda", look, strlen(look));
    bytes_write("shot.usda", shot, strlen(shot));
    bytes_write("look.yaml", scene, strlen(scene));
    bytes_write("hair.png", "x", 1);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(convert_keeps_links),
                                       cmocka_unit_test(targets_are_as_composed),
                                       cmocka_unit_test(chosen_prims_keep_their_looks),
                                       cmocka_unit_test(simulated_hair_keeps_its_look),
                                       cmocka_unit_test(textures_are_found_again),
                                       cmocka_unit_test(time_codes_are_kept),
                                       cmocka_unit_test(the_last_link_counts),
                                       cmocka_unit_test(kind_and_doc_are_kept),
                                       cmocka_unit_test(links_left_out_are_counted),
                                       cmocka_unit_test(hair_of_several_files_keeps_its_looks),
                                       cmocka_unit_test(filled_hair_is_reported),
                                       cmocka_unit_test(composed_stages_are_written_out),
                                       cmocka_unit_test(a_scene_chooses_variants)};
    return cmocka_run_group_tests(tests, enter_folder, folder_leave);
}
