/* Hair in Alembic as other programs find it: curves that end where they end in the source, the places of
 * parameters without a scope, visibility, user properties, the up axis. */

#include "abc_fixture.h"
#include "base/memory.h"
#include "formats/alembic/abc_data.h"
#include "folder_fixture.h"
#include "program_fixture.h"
#include "ringlet/ringlet.h"

static void write_file(const char *path, const char *text) {
    bytes_write(path, text, strlen(text));
}

static void run_good(const char *line) {
    int code = ringlet(line);
    if (code != 0)
        fail_msg("%s: %d\n%s", line, code, err_text);
}

static void expect_said(const char *wanted) {
    if (strstr(err_text, wanted) == NULL)
        fail_msg("no '%s' in\n%s", wanted, err_text);
}

static void expect_same_bytes(const char *a, const char *b) {
    size_t n, m;
    unsigned char *x = bytes_read(a, &n), *y = bytes_read(b, &m);
    if (n != m || memcmp(x, y, n) != 0)
        fail_msg("%s and %s differ", a, b);
    free(x);
    free(y);
}

static const rlti_prim *need_prim(const rlti_stage *stage, const char *path) {
    int index = rlti_stage_find(stage, path);
    if (index < 0)
        fail_msg("%s: no %s", stage->file, path);
    return &stage->prims[index];
}

/* ---- what is in the file, by the format's own words ---- */

typedef struct archive {
    unsigned char *bytes;
    rlti_abc_archive in;
} archive;

static archive archive_open(const char *path) {
    archive a = {0};
    size_t size;
    a.bytes = bytes_read(path, &size);
    assert_null(rlti_abc_archive_open(&a.in, a.bytes, size, NULL));
    return a;
}

static void archive_close(archive *a) {
    rlti_abc_archive_close(&a->in);
    free(a->bytes);
}

/* The properties of an object ("/a/b"), or of a compound of it (".geom"); free the list. */
static rlti_abc_property *list_properties(const archive *a, const char *path, const char *compound,
                                          int *count) {
    rlti_ogawa_group group, top;
    assert_null(rlti_ogawa_group_at(&a->in.ogawa, a->in.top, &group));
    while (*path == '/') {
        rlti_abc_object *objects;
        int object_count, found = -1;
        size_t length = strcspn(++path, "/");
        assert_null(rlti_abc_objects(&a->in, &group, &objects, &object_count));
        for (int i = 0; i < object_count; i++)
            if (objects[i].name.size == length && memcmp(objects[i].name.at, path, length) == 0)
                found = i;
        if (found < 0)
            fail_msg("no object %s", path);
        assert_null(rlti_ogawa_group_at(&a->in.ogawa, objects[found].group, &group));
        rlti_free(objects);
        path += length;
    }
    assert_null(rlti_ogawa_group_at(&a->in.ogawa, rlti_ogawa_child(&group, 0), &top));
    rlti_abc_property *list;
    assert_null(rlti_abc_properties(&a->in, &top, &list, count));
    for (; compound != NULL && *compound != '\0'; compound += strcspn(compound, "/")) {
        char name[64];
        compound += *compound == '/';
        snprintf(name, sizeof name, "%.*s", (int)strcspn(compound, "/"), compound);
        const rlti_abc_property *inner = rlti_abc_find(list, *count, name);
        if (inner == NULL) {
            rlti_free(list);
            *count = 0;
            return NULL;
        }
        rlti_ogawa_group below = inner->group;
        rlti_free(list);
        assert_null(rlti_abc_properties(&a->in, &below, &list, count));
    }
    return list;
}

/* 1 where the object has this property there. */
static int has_property(const char *file, const char *path, const char *compound, const char *name) {
    archive a = archive_open(file);
    int count, found;
    rlti_abc_property *list = list_properties(&a, path, compound, &count);
    found = rlti_abc_find(list, count, name) != NULL;
    rlti_free(list);
    archive_close(&a);
    return found;
}

/* Type (0 cubic, 1 linear) and basis of curves, as programs that know nothing of Ringlet read them. */
static void expect_curves(const char *file, const char *path, int type, int basis) {
    archive a = archive_open(file);
    int count;
    rlti_ogawa_data data;
    rlti_abc_property *list = list_properties(&a, path, ".geom", &count);
    const rlti_abc_property *p = rlti_abc_find(list, count, "curveBasisAndType");
    assert_non_null(p);
    assert_null(rlti_abc_sample(&a.in, p, 0, &data));
    assert_int_equal(data.size, 4);
    assert_int_equal(data.bytes[0], type);
    assert_int_equal(data.bytes[1], 0);
    assert_int_equal(data.bytes[2], basis);
    rlti_free(list);
    archive_close(&a);
}

/* ---- pinned curves ---- */

static const char pinned_text[] =
    "#usda 1.0\n(\n    defaultPrim = \"c\"\n    metersPerUnit = 0.01\n    upAxis = \"Y\"\n"
    "    startTimeCode = 1\n    endTimeCode = 2\n)\n"
    "def Xform \"c\"\n{\n"
    "    def BasisCurves \"rom\"\n    {\n"
    "        uniform token type = \"cubic\"\n        uniform token basis = \"catmullRom\"\n"
    "        uniform token wrap = \"pinned\"\n        int[] curveVertexCounts = [4, 2]\n"
    "        point3f[] points.timeSamples = {\n"
    "            1: [(0, 0, 0), (1, 0, 0), (1, 1, 0), (2, 1, 0), (5, 0, 0), (5, 1, 0)],\n"
    "            2: [(0, 0, 0), (1, 0, 0), (1, 1, 0), (2, 1, 3), (5, 0, 0), (5, 1, 0)],\n        }\n"
    "        float[] widths = [6, 5, 4, 3, 2, 1] (\n            interpolation = \"vertex\"\n        )\n    "
    "}\n"
    "    def BasisCurves \"spline\"\n    {\n"
    "        uniform token type = \"cubic\"\n        uniform token basis = \"bspline\"\n"
    "        uniform token wrap = \"pinned\"\n"
    "        point3f[] points = [(0, 0, 0), (6, 0, 0), (6, 6, 0), (12, 6, 0), (5, 0, 0), (5, 1, 0)]\n"
    "        vector3f[] velocities = [(0, 0, 0), (6, 0, 0), (6, 6, 0), (12, 6, 0), (5, 0, 0), (5, 1, 0)]\n"
    "        int[] curveVertexCounts = [4, 2]\n"
    "        float[] primvars:tag = [6, 5, 4, 3, 2, 1] (\n            interpolation = \"vertex\"\n        )\n"
    "    }\n"
    "    def BasisCurves \"open\"\n    {\n"
    "        uniform token type = \"cubic\"\n        uniform token basis = \"catmullRom\"\n"
    "        uniform token wrap = \"nonperiodic\"\n        int[] curveVertexCounts = [4]\n"
    "        point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (2, 1, 0)]\n    }\n"
    "    def BasisCurves \"bezier\"\n    {\n"
    "        uniform token type = \"cubic\"\n        uniform token basis = \"bezier\"\n"
    "        uniform token wrap = \"pinned\"\n        int[] curveVertexCounts = [4]\n"
    "        point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (2, 1, 0)]\n    }\n"
    "}\n";

static void expect_floats(const char *file, const char *path, const char *name, int sample,
                          const float *wanted, size_t count) {
    rlti_stage *stage = stage_open_good(file);
    const rlti_prim *prim = need_prim(stage, path);
    const rlti_attribute *a = rlti_stage_attribute(stage, prim, RLTI_BUILT_IN, name);
    rlti_array value = {0};
    if (a == NULL)
        a = stage_need(stage, prim, RLTI_PRIMVAR, name);
    stage_read(stage, prim, a, sample, &value);
    assert_int_equal(value.count * (size_t)value.type.arity, count);
    for (size_t i = 0; i < count; i++)
        if (!(fabs((double)(((const float *)value.data)[i] - wanted[i])) < 1e-6))
            fail_msg("%s: %s.%s[%zu] = %g, not %g", file, path, name, i,
                     (double)((const float *)value.data)[i], (double)wanted[i]);
    rlti_array_clear(&value);
    rlti_stage_close(stage);
}

/* Straight pieces to both ends, and the same points: an open cubic curve loses its outer segments. */
static void pinned_curves_reach_their_ends(void **state) {
    (void)state;
    static const float moved[18] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 2, 1, 3, 5, 0, 0, 5, 1, 0},
                       widths[6] = {6, 5, 4, 3, 2, 1};
    /* a pinned B-spline starts and ends in its end points, and is at (a + 4 b + c) / 6 at those between */
    static const float joints[18] = {0, 0, 0, 5, 1, 0, 7, 5, 0, 12, 6, 0, 5, 0, 0, 5, 1, 0};
    run_good("convert pinned.usda pinned.abc");
    expect_said(
        "pinned.usda: /c/rom: pinned Catmull-Rom curves; pinned.abc has straight pieces between their "
        "points");
    expect_said("pinned.usda: /c/spline: pinned B-splines; pinned.abc has straight pieces between the points "
                "where their segments meet, (a + 4 b + c) / 6, and their end points; control points are not "
                "kept");
    expect_curves("pinned.abc", "/c/rom", 1, 0);
    expect_curves("pinned.abc", "/c/spline", 1, 0);
    expect_curves("pinned.abc", "/c/open", 0, 3); /* the source does not draw its ends either */
    expect_curves("pinned.abc", "/c/bezier", 0, 1);
    expect_floats("pinned.abc", "/c/rom", "points", 1, moved, 18);
    expect_floats("pinned.abc", "/c/rom", "widths", -1, widths, 6);
    expect_floats("pinned.abc", "/c/spline", "points", -1, joints, 18);
    expect_floats("pinned.abc", "/c/spline", "velocities", -1, joints, 18);
    expect_floats("pinned.abc", "/c/spline", "tag", -1, widths, 6);
}

/* Ringlet itself knows what straight pieces were made from, and loses nothing on the way back. */
static void pinned_curves_come_back(void **state) {
    (void)state;
    run_good("convert pinned.usda there.abc");
    run_good("convert there.abc back.usda");
    run_good("convert there.abc again.abc");
    run_good("convert again.abc third.abc");
    expect_same_bytes("again.abc", "third.abc");
    rlti_stage *stage = stage_open_good("back.usda");
    const rlti_prim *rom = need_prim(stage, "/c/rom"), *spline = need_prim(stage, "/c/spline");
    assert_int_equal(rom->curve_type, RLTI_CURVE_CUBIC);
    assert_int_equal(rom->basis, RLTI_BASIS_CATMULL_ROM);
    assert_int_equal(rom->wrap, RLTI_WRAP_PINNED);
    assert_int_equal(spline->curve_type, RLTI_CURVE_LINEAR); /* its points are no longer a spline's */
    rlti_stage_close(stage);
}

/* Simulated, generated and filled hair all end where they should. */
static void every_command_writes_the_same_curves(void **state) {
    (void)state;
    write_file("rom.yaml", "time: {first: 1, last: 2, outer_steps: 10}\ncharacter: {kind: none}\n"
                           "hair: {file: pinned.usda, prim: /c/rom, bind: none}\n");
    run_good("simulate rom.yaml -o rom.abc -q");
    expect_said("straight pieces");
    expect_curves("rom.abc", "/c/rom", 1, 0);
    write_file(
        "own.yaml",
        "time: {last: 2, outer_steps: 12, force_steps: 15, damping_steps: 5}\ncharacter: {kind: none}\n"
        "hair: {preset: redhead, region: none, spacing: 1, count: 3, total_points: 84, length: 26}\n");
    run_good("simulate own.yaml -o own.abc -q");
    expect_curves("own.abc", "/Ringlet/Hair", 1, 0);
    run_good("fill own.abc -o filled.abc --hairs 20 -q");
    expect_curves("filled.abc", "/Ringlet/Hair", 1, 0);
    run_good("convert filled.abc filled.usda");
    rlti_stage *stage = stage_open_good("filled.usda");
    assert_int_equal(need_prim(stage, "/Ringlet/Hair")->wrap, RLTI_WRAP_PINNED);
    rlti_stage_close(stage);
}

/* ---- parameters without a scope ---- */

/* Removes what the file says about places, as some exporters leave it out: the words stay as long. */
static void forget_scopes(const char *path) {
    size_t size;
    unsigned char *bytes = bytes_read(path, &size);
    int found = 0;
    for (size_t i = 0; i + 9 <= size; i++)
        if (memcmp(bytes + i, "geoScope=", 9) == 0) {
            memcpy(bytes + i, "forgotten", 8);
            found++;
        }
    assert_true(found > 0);
    bytes_write(path, bytes, size);
    free(bytes);
}

static const double still = (double)NAN;

static void add_numbers(abc_writing *w, int prim, const char *name, int arity, size_t count) {
    static const float numbers[64];
    rlti_array_type type = {RLTI_FLOAT, arity, RLTI_ROLE_NONE, 1};
    int is_own = strcmp(name, "widths") == 0 || strcmp(name, "normals") == 0;
    int index = abc_attribute(w, prim, is_own ? RLTI_BUILT_IN : RLTI_PRIMVAR, name, type, RLTI_CONSTANT);
    abc_write(w, index, still, numbers, count);
}

/* Two values chosen by `count` indices. */
static void add_indexed(abc_writing *w, int prim, const char *name, int own, size_t count) {
    static const float pairs[4] = {0.1f, 0.2f, 0.3f, 0.4f};
    static const uint32_t indices[64] = {0, 1, 1};
    static const rlti_array_type pair = {RLTI_FLOAT, 2, RLTI_ROLE_TEXTURE, 1},
                                 whole = {RLTI_UINT32, 1, RLTI_ROLE_NONE, 1};
    char text[64];
    int values, index;
    rlti_attribute a = {.name = name,
                        .class_ = RLTI_PRIMVAR,
                        .type = pair,
                        .interpolation = RLTI_CONSTANT,
                        .element_size = 1,
                        .indices = own + 1,
                        .type_name = ""};
    stage_ok(rlti_sink_attribute(w->sink, prim, &a, w->messages, &values), w->messages);
    snprintf(text, sizeof text, "%s:indices", name);
    a.name = text;
    a.type = whole;
    a.indices = -1;
    a.is_index = 1;
    stage_ok(rlti_sink_attribute(w->sink, prim, &a, w->messages, &index), w->messages);
    abc_write(w, values, still, pairs, 2);
    abc_write(w, index, still, indices, count);
}

static void write_unplaced(const char *path) {
    static const float points[12][3] = {{0}};
    static const int32_t four[3] = {4, 4, 4}, quads[2] = {4, 4}, corners[8] = {0, 1, 2, 3, 1, 4, 5, 2};
    abc_writing w = abc_begin(path, 24.0, 0);
    int hair, skin;
    rlti_prim curves = {.name = "hair",
                        .type_name = "",
                        .kind = RLTI_PRIM_CURVES,
                        .curve_type = RLTI_CURVE_CUBIC,
                        .basis = RLTI_BASIS_CATMULL_ROM},
              mesh = {.name = "skin", .type_name = "", .kind = RLTI_PRIM_MESH, .left_handed = 1};
    stage_ok(rlti_sink_prim(w.sink, -1, &curves, w.messages, &hair), w.messages);
    abc_write(&w, abc_attribute(&w, hair, RLTI_BUILT_IN, "points", abc_point, RLTI_VERTEX), still, points,
              12);
    abc_write(&w, abc_attribute(&w, hair, RLTI_BUILT_IN, "curveVertexCounts", abc_whole, RLTI_UNIFORM), still,
              four, 3);
    add_indexed(&w, hair, "st", 2, 3);
    add_numbers(&w, hair, "normals", 3, 3);
    add_numbers(&w, hair, "widths", 1, 6); /* at the ends of the segments that are drawn */
    add_numbers(&w, hair, "one", 1, 1);
    add_numbers(&w, hair, "per_curve", 2, 3);
    add_numbers(&w, hair, "per_point", 1, 12);
    add_numbers(&w, hair, "odd", 1, 5);
    add_numbers(&w, hair, "odder", 1, 7);
    stage_ok(rlti_sink_prim(w.sink, -1, &mesh, w.messages, &skin), w.messages);
    abc_write(&w, abc_attribute(&w, skin, RLTI_BUILT_IN, "points", abc_point, RLTI_VERTEX), still, points, 6);
    abc_write(&w, abc_attribute(&w, skin, RLTI_BUILT_IN, "faceVertexCounts", abc_whole, RLTI_UNIFORM), still,
              quads, 2);
    abc_write(&w, abc_attribute(&w, skin, RLTI_BUILT_IN, "faceVertexIndices", abc_whole, RLTI_FACE_VARYING),
              still, corners, 8);
    add_indexed(&w, skin, "st", 3, 8);
    add_numbers(&w, skin, "normals", 3, 8);
    add_numbers(&w, skin, "per_face", 1, 2);
    add_numbers(&w, skin, "per_point", 1, 6);
    abc_end(&w);
    forget_scopes(path);
}

/* The count says where values belong, also those of the format's own parameters. */
static void counts_tell_the_scope(void **state) {
    (void)state;
    static const struct {
        const char *prim, *name;
        rlti_interpolation place;
    } cases[] = {{"/hair", "st", RLTI_UNIFORM},           {"/hair", "normals", RLTI_UNIFORM},
                 {"/hair", "widths", RLTI_VARYING},       {"/hair", "one", RLTI_CONSTANT},
                 {"/hair", "per_curve", RLTI_UNIFORM},    {"/hair", "per_point", RLTI_VERTEX},
                 {"/hair", "odd", RLTI_CONSTANT},         {"/skin", "st", RLTI_FACE_VARYING},
                 {"/skin", "normals", RLTI_FACE_VARYING}, {"/skin", "per_face", RLTI_UNIFORM},
                 {"/skin", "per_point", RLTI_VERTEX}};
    rlti_stage *stage;
    rlt_messages *messages = rlt_messages_create();
    write_unplaced("unplaced.abc");
    stage_ok(rlti_stage_open("unplaced.abc", messages, &stage), messages);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const rlti_prim *prim = need_prim(stage, cases[i].prim);
        const rlti_attribute *a = rlti_stage_attribute(stage, prim, RLTI_BUILT_IN, cases[i].name);
        if (a == NULL)
            a = stage_need(stage, prim, RLTI_PRIMVAR, cases[i].name);
        if (a->interpolation != cases[i].place)
            fail_msg("%s.%s: place %d", cases[i].prim, cases[i].name, (int)a->interpolation);
    }
    assert_int_equal(rlt_messages_count(messages), 2); /* what fits nothing: the first, and how many more */
    assert_non_null(strstr(rlt_messages_text(messages, 0), "unplaced.abc: /hair.odd: "));
    assert_non_null(strstr(rlt_messages_text(messages, 0), "5 values"));
    assert_non_null(strstr(rlt_messages_text(messages, 1), "1 more"));
    rlti_stage_close(stage);
    rlt_messages_destroy(messages);
}

/* ---- widths ---- */

/* Metres, below a transform that doubles everything; `widths` says what the curves have of their own. */
static void write_bare(const char *path, const char *name, const char *widths) {
    char text[2000];
    snprintf(
        text, sizeof text,
        "#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = \"Y\"\n)\n"
        "def Xform \"c\"\n{\n    float3 xformOp:scale = (2, 2, 2)\n"
        "    uniform token[] xformOpOrder = [\"xformOp:scale\"]\n"
        "    def BasisCurves \"%s\"\n    {\n        uniform token type = \"linear\"\n"
        "        int[] curveVertexCounts = [3, 3]\n"
        "        point3f[] points = [(0, 0, 0), (0, -0.05, 0), (0, -0.1, 0), (0.1, 0, 0), (0.1, -0.05, 0),"
        " (0.1, -0.1, 0)]\n%s    }\n}\n",
        name, widths);
    write_file(path, text);
}

static void expect_width(const char *file, const char *path, double wanted) {
    float value = (float)wanted;
    expect_floats(file, path, "widths", -1, &value, 1);
}

/* Hair whose file gives no widths is as wide as the scene says, in the unit of the curves. */
static void files_without_widths_get_the_scene_s(void **state) {
    (void)state;
    write_bare("bare.usda", "hair", "");
    write_bare("wide.usda", "wide",
               "        float[] widths = [0.001] (\n            interpolation = \"constant\"\n        )\n");
    write_file("bare.yaml", "time: {first: 1, last: 2, outer_steps: 10}\ncharacter: {kind: none}\n"
                            "hair: {file: bare.usda, bind: none, width: 0.3}\n");
    run_good("simulate bare.yaml -o over.usda -q");
    run_good("simulate bare.yaml -o alone.usda -q --standalone");
    run_good("simulate bare.yaml -o bare.abc -q");
    expect_width("over.usda", "/c/hair", 0.0015); /* 0.3 cm, halved by the transform */
    expect_width("alone.usda", "/c/hair", 0.0015);
    expect_width("bare.abc", "/c/hair", 0.0015);
    static const float box[6] = {-0.00075f, -0.10075f, -0.00075f, 0.10075f, 0.00075f, 0.00075f};
    expect_floats("over.usda", "/c/hair", "extent", 0, box, 6); /* boxes hold the widths, too */

    /* from two files: everything is in the scene's unit */
    write_file("both.yaml", "time: {first: 1, last: 2, outer_steps: 10}\ncharacter: {kind: none}\n"
                            "hair:\n  - {file: bare.usda, bind: none, width: 0.3}\n"
                            "  - {file: wide.usda, bind: none, width: 0.4}\n");
    run_good("simulate both.yaml -o both.usda -q");
    expect_width("both.usda", "/Ringlet/hair", 0.3);
    expect_width("both.usda", "/Ringlet/wide", 0.2); /* the file's own 1 mm, doubled */
}

/* ---- visibility ---- */

static const char blinking_text[] =
    "#usda 1.0\n(\n    defaultPrim = \"c\"\n    metersPerUnit = 0.01\n    upAxis = \"Y\"\n"
    "    startTimeCode = 1\n    endTimeCode = 4\n    timeCodesPerSecond = 24\n)\n"
    "def Xform \"c\"\n{\n"
    "    token visibility.timeSamples = {\n        1: \"inherited\",\n        3: \"invisible\",\n    }\n"
    "    def BasisCurves \"hair\"\n    {\n        uniform token type = \"linear\"\n"
    "        token visibility.timeSamples = {\n        1: \"inherited\",\n        2: \"invisible\",\n"
    "        3: \"inherited\",\n    }\n"
    "        int[] curveVertexCounts = [3]\n"
    "        point3f[] points = [(0, 0, 0), (0, -5, 0), (0, -10, 0)]\n    }\n"
    "    def Xform \"never\"\n    {\n        token visibility = \"invisible\"\n    }\n"
    "    def Xform \"always\"\n    {\n    }\n}\n"
    "def Xform \"late\"\n{\n"
    "    token visibility.timeSamples = {\n        1: \"invisible\",\n        3: \"inherited\",\n    }\n"
    "    def Xform \"child\"\n    {\n    }\n"
    "    def Xform \"gone\"\n    {\n        token visibility = \"invisible\"\n    }\n}\n";

static void visibility_changes_in_every_format(void **state) {
    (void)state;
    static const char *const files[] = {"blink.usda", "b.usda", "b.usdc", "b.abc", "c.abc", "c.usda"};
    write_file("blink.usda", blinking_text);
    run_good("convert blink.usda b.usda");
    run_good("convert blink.usda b.usdc");
    run_good("convert blink.usda b.abc");
    run_good("convert b.abc c.abc");
    run_good("convert b.abc c.usda");
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        stage_visible(files[i], "/c", "ii..");
        stage_visible(files[i], "/c/hair", "i.ii");
        stage_visible(files[i], "/c/never", "....");
        stage_visible(files[i], "/c/always", "iiii");
        stage_visible(files[i], "/late", "..ii");
        stage_visible(files[i], "/late/child", "iiii");
        stage_visible(files[i], "/late/gone", "....");
    }
    run_good("convert blink.usda part.usda --prim /c/hair"); /* what is above hides it, too */
    stage_visible("part.usda", "/c", "ii..");
    run_good("convert blink.usda still.usda --static --frames 2:2");
    stage_visible("still.usda", "/c/hair", "....");
    write_file("blink.yaml", "time: {first: 1, last: 4, outer_steps: 10}\ncharacter: {kind: none}\n"
                             "hair: {file: blink.usda, bind: none}\n");
    run_good("simulate blink.yaml -o s.usda -q --standalone");
    run_good("simulate blink.yaml -o s.abc -q");
    stage_visible("s.usda", "/c", "ii..");
    stage_visible("s.usda", "/c/hair", "i.ii");
    stage_visible("s.abc", "/c", "ii..");
    stage_visible("s.abc", "/c/hair", "i.ii");
    assert_true(has_property("s.abc", "/c", "", "visible"));
}

/* ---- user properties ---- */

static void add_origin(abc_writing *w, int prim, rlti_attribute_class class_, const char *name,
                       const char *origin) {
    static const int32_t seven = 7;
    rlti_attribute a = {.name = name,
                        .class_ = class_,
                        .type = {RLTI_INT32, 1, RLTI_ROLE_NONE, 0},
                        .element_size = 1,
                        .indices = -1,
                        .origin = origin,
                        .type_name = ""};
    int index;
    stage_ok(rlti_sink_attribute(w->sink, prim, &a, w->messages, &index), w->messages);
    abc_write(w, index, still, &seven, 1);
}

/* As exporters of grooms write it: properties of the transform and of the curves, in compounds, beside the
 * schema and inside it. */
static void write_decorated(const char *path) {
    static const float points[3][3] = {{0, 0, 0}, {0, -5, 0}, {0, -10, 0}};
    static const int32_t three = 3;
    abc_writing w = abc_begin(path, 24.0, 0);
    int group = abc_prim(&w, -1, "groom", RLTI_PRIM_XFORM),
        hair = abc_prim(&w, group, "hair", RLTI_PRIM_CURVES);
    abc_write(&w, abc_attribute(&w, hair, RLTI_BUILT_IN, "points", abc_point, RLTI_VERTEX), still, points, 3);
    abc_write(&w, abc_attribute(&w, hair, RLTI_BUILT_IN, "curveVertexCounts", abc_whole, RLTI_UNIFORM), still,
              &three, 1);
    for (int i = 0; i < 2; i++) {
        int prim = i == 0 ? group : hair;
        add_origin(&w, prim, RLTI_CUSTOM, "plain", NULL);
        add_origin(&w, prim, RLTI_PRIMVAR, "parameter", NULL);
        add_origin(&w, prim, RLTI_CUSTOM, "blender:resolution", NULL); /* a name, no compound */
        add_origin(&w, prim, RLTI_CUSTOM, "x:a", "schema/.userProperties/x/a");
        add_origin(&w, prim, RLTI_CUSTOM, "x:y:b", "schema/.userProperties/x/y/b");
        add_origin(&w, prim, RLTI_CUSTOM, "x:c", "schema/.userProperties/x/c");
        add_origin(&w, prim, RLTI_CUSTOM, "z:d", "schema/.arbGeomParams/z/d");
        add_origin(&w, prim, RLTI_CUSTOM, "inside", "schema/inside");
        add_origin(&w, prim, RLTI_CUSTOM, "beside", "object/beside");
        add_origin(&w, prim, RLTI_CUSTOM, "xgen:seed", "object/.xgen/seed");
    }
    abc_end(&w);
}

static void expect_decorated(const char *file) {
    static const struct {
        const char *compound, *name;
    } homes[] = {{"S/.userProperties", "plain"},
                 {"S/.arbGeomParams", "parameter"},
                 {"S/.userProperties/x", "a"},
                 {"S/.userProperties/x/y", "b"},
                 {"S/.userProperties/x", "c"},
                 {"S/.userProperties", "blender:resolution"},
                 {"S/.arbGeomParams/z", "d"},
                 {"S", "inside"},
                 {"", "beside"},
                 {".xgen", "seed"}};
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < sizeof homes / sizeof homes[0]; k++) {
            char compound[100];
            int in_schema = homes[k].compound[0] == 'S';
            snprintf(compound, sizeof compound, "%s%s", in_schema ? i == 0 ? ".xform" : ".geom" : "",
                     homes[k].compound + in_schema);
            if (!has_property(file, i == 0 ? "/groom" : "/groom/hair", compound, homes[k].name))
                fail_msg("%s: no %s in %s of %s", file, homes[k].name, compound,
                         i == 0 ? "/groom" : "/groom/hair");
        }
}

static void user_properties_stay_where_they_were(void **state) {
    (void)state;
    write_decorated("xgen.abc");
    expect_decorated("xgen.abc");
    run_good("convert xgen.abc once.abc");
    expect_decorated("once.abc");
    run_good("convert once.abc twice.abc");
    expect_same_bytes("once.abc", "twice.abc");
    write_file("xgen.yaml", "time: {first: 1, last: 2, outer_steps: 10}\ncharacter: {kind: none}\n"
                            "hair: {file: xgen.abc, bind: none}\n");
    run_good("simulate xgen.yaml -o xgen-sim.abc -q");
    expect_decorated("xgen-sim.abc");
    run_good("convert xgen.abc xgen.usda");
    rlti_stage *stage = stage_open_good("xgen.usda");
    stage_need(stage, need_prim(stage, "/groom"), RLTI_CUSTOM, "x:y:b");
    rlti_stage_close(stage);
}

/* ---- the up axis ---- */

/* Z up: curves below a transform that moves, curves at the root without one, and a skin. */
static const char upright_text[] =
    "#usda 1.0\n(\n    metersPerUnit = 0.01\n    upAxis = \"Z\"\n    startTimeCode = 1\n"
    "    endTimeCode = 3\n    timeCodesPerSecond = 24\n)\n"
    "def Xform \"c\"\n{\n"
    "    double3 xformOp:translate.timeSamples = {\n        1: (1, 2, 30),\n        3: (3, 2, 30),\n    }\n"
    "    float xformOp:rotateZ = 30\n"
    "    uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:rotateZ\"]\n"
    "    def BasisCurves \"hair\"\n    {\n        uniform token type = \"linear\"\n"
    "        int[] curveVertexCounts = [3]\n"
    "        point3f[] points = [(0, 0, 0), (0, 1, -5), (0, 2, -10)]\n"
    "        vector3f[] velocities = [(0, 0, 1), (0, 0, 1), (0, 0, 1)]\n    }\n}\n"
    "def BasisCurves \"loose\"\n{\n    uniform token type = \"linear\"\n"
    "    int[] curveVertexCounts = [3]\n"
    "    point3f[] points = [(0, 0, 40), (0, 1, 35), (0, 2, 30)]\n}\n"
    "def Scope \"group\"\n{\n    def Mesh \"skin\"\n    {\n        uniform token subdivisionScheme = "
    "\"none\"\n"
    "        int[] faceVertexCounts = [3]\n        int[] faceVertexIndices = [0, 1, 2]\n"
    "        point3f[] points = [(0, 0, 7), (1, 0, 7), (0, 1, 8)]\n    }\n}\n";

/* The prim's points in the world at a frame, each as (x, y, z). */
static void world_points(const char *file, const char *path, double frame, double to[3][3]) {
    rlti_stage *stage = stage_open_good(file);
    int index = (int)(need_prim(stage, path) - stage->prims);
    const rlti_prim *prim = &stage->prims[index];
    double time = frame / 24.0 * stage->codes_per_second, m[16];
    rlti_array value = {0};
    stage_ok(rlti_stage_world(stage, index, time, NULL, m), NULL);
    stage_ok(
        rlti_stage_value(stage, prim, stage_need(stage, prim, RLTI_BUILT_IN, "points"), time, NULL, &value),
        NULL);
    assert_int_equal(value.count, 3);
    const float *p = value.data;
    for (int i = 0; i < 3; i++, p += 3)
        for (int c = 0; c < 3; c++)
            to[i][c] = (double)p[0] * m[c] + (double)p[1] * m[4 + c] + (double)p[2] * m[8 + c] + m[12 + c];
    rlti_array_clear(&value);
    rlti_stage_close(stage);
}

/* The same place in the world: (x, y, z) of a Z-up file is (x, z, -y) where Y is up. */
static void expect_turned(const char *from, const char *path, const char *file, const char *other,
                          int turned) {
    for (int frame = 1; frame <= 3; frame++) {
        double a[3][3], b[3][3];
        world_points(from, path, frame, a);
        world_points(file, other, frame, b);
        for (int i = 0; i < 3; i++) {
            double x[3] = {a[i][0], turned ? a[i][2] : a[i][1], turned ? -a[i][1] : a[i][2]};
            for (int c = 0; c < 3; c++)
                if (!(fabs(b[i][c] - x[c]) < 1e-4))
                    fail_msg("%s: %s[%d] at %d: %g %g %g, not %g %g %g", file, other, i, frame, b[i][0],
                             b[i][1], b[i][2], x[0], x[1], x[2]);
        }
    }
}

static void z_up_becomes_y_up_in_alembic(void **state) {
    (void)state;
    write_file("upright.usda", upright_text);
    run_good("convert upright.usda upright.abc");
    expect_said("Y up");
    expect_turned("upright.usda", "/c/hair", "upright.abc", "/c/hair", 1);
    expect_turned("upright.usda", "/loose", "upright.abc", "/loose/looseShape", 1);
    expect_turned("upright.usda", "/group/skin", "upright.abc", "/group/skin", 1);
    run_good("convert upright.usda kept.abc --keep-axis");
    expect_turned("upright.usda", "/c/hair", "kept.abc", "/c/hair", 0);
    expect_turned("upright.usda", "/loose", "kept.abc", "/loose", 0);
    run_good("convert upright.usda upright.usdc"); /* says its axis */
    expect_turned("upright.usda", "/c/hair", "upright.usdc", "/c/hair", 0);
    run_good("convert kept.abc again.abc --up Z"); /* what the file cannot say */
    expect_turned("upright.usda", "/c/hair", "again.abc", "/c/hair", 1);

    /* a simulated groom: hair, skin and gravity agree with the layer over the source */
    write_file("upright.yaml", "time: {first: 1, last: 3, outer_steps: 10}\n"
                               "character: {kind: file, file: upright.usda, prim: /group/skin}\n"
                               "hair: {file: upright.usda, prim: /c/hair, bind: none}\n");
    run_good("simulate upright.yaml -o up-over.usdc -q");
    run_good("simulate upright.yaml -o up.abc -q");
    expect_said("Y up");
    expect_turned("up-over.usdc", "/c/hair", "up.abc", "/c/hair", 1);
    expect_turned("upright.usda", "/group/skin", "up.abc", "/Ringlet/Body", 1);
    run_good("simulate upright.yaml -o up-kept.abc -q --keep-axis");
    expect_turned("up-over.usdc", "/c/hair", "up-kept.abc", "/c/hair", 0);
    if (strstr(err_text, "is kept anyway") != NULL)
        fail_msg("%s", err_text);
    run_good("simulate upright.yaml -o up-idle.usda -q --keep-axis");
    expect_said("up-idle.usda: the axis is kept anyway: only Alembic is turned to Y up; leave keep-axis out");
    run_good("simulate upright.yaml -o up-idle.abc -q --keep-axis --set hair.file= --set hair.count=2 --set "
             "hair.region=none --set hair.prim=");
    expect_said("up-idle.abc: the axis is kept anyway: only Z is turned to Y up");

    /* a groom from Alembic whose numbers are Z up goes back into the same space */
    write_file("kept.yaml", "time: {first: 1, last: 3, outer_steps: 10}\ncharacter: {kind: none}\n"
                            "files: {up: Z}\nhair: {file: kept.abc, prim: /c/hair, bind: none}\n");
    run_good("simulate kept.yaml -o kept-sim.abc -q");
    expect_said("Z is up");
    expect_turned("up-over.usdc", "/c/hair", "kept-sim.abc", "/c/hair", 0);
}

/* ---- going on ---- */

/* A shot with all of it: turned, pinned B-splines whose counts a later run needs, visibility. */
static abc_writing begin_shot(const char *path, int resumes) {
    static const rlti_array_type word = {RLTI_TEXT, 1, RLTI_ROLE_TOKEN, 0};
    abc_writing w = {.messages = rlt_messages_create()};
    rlti_sink_def def = {
        .codes_per_second = 24.0, .frames_per_second = 24.0, .up_axis = 'Z', .resumes = resumes};
    rlti_prim prim = {.name = "hair",
                      .type_name = "",
                      .kind = RLTI_PRIM_CURVES,
                      .curve_type = RLTI_CURVE_CUBIC,
                      .basis = RLTI_BASIS_BSPLINE,
                      .wrap = RLTI_WRAP_PINNED};
    int top, hair;
    stage_ok(rlti_sink_open(path, &def, w.messages, &w.sink), w.messages);
    top = abc_prim(&w, -1, "top", RLTI_PRIM_XFORM);
    stage_ok(rlti_sink_prim(w.sink, top, &prim, w.messages, &hair), w.messages);
    abc_attribute(&w, hair, RLTI_BUILT_IN, "curveVertexCounts", abc_whole, RLTI_UNIFORM);
    abc_attribute(&w, hair, RLTI_BUILT_IN, "points", abc_point, RLTI_VERTEX);
    abc_attribute(&w, hair, RLTI_BUILT_IN, "visibility", word, RLTI_CONSTANT);
    return w;
}

static void feed_shot(abc_writing *w, int first, int end) {
    static const int32_t counts[2] = {3, 4};
    if (first == 0)
        abc_write(w, 0, still, counts, 2);
    for (int frame = first; frame < end; frame++) {
        const char *visible = frame % 3 == 1 ? "invisible" : "inherited";
        float p[7][3];
        double matrix[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, frame, 2, 3, 1};
        for (int i = 0; i < 21; i++)
            p[i / 3][i % 3] = (float)(frame * 100 + i * i);
        abc_write(w, 1, frame, p, 7);
        abc_write(w, 2, frame, &visible, 1);
        stage_ok(rlti_sink_transform(w->sink, 0, frame, matrix, w->messages), w->messages);
    }
}

static void a_run_that_goes_on_gives_the_same_bytes(void **state) {
    (void)state;
    enum { FRAMES = 5 };
    abc_writing w = begin_shot("whole.abc", 0);
    feed_shot(&w, 0, FRAMES);
    abc_end(&w);
    for (int cut = 1; cut < FRAMES; cut++) {
        rlti_stream_mark marks[RLTI_SINK_MARKS];
        int count;
        w = begin_shot("cut.abc", 0);
        feed_shot(&w, 0, cut);
        stage_ok(rlti_sink_marks(w.sink, marks, &count, w.messages), w.messages);
        rlti_sink_leave(w.sink);
        rlt_messages_destroy(w.messages);
        w = begin_shot("cut.abc", 1);
        stage_ok(rlti_sink_resume(w.sink, marks, count, w.messages), w.messages);
        feed_shot(&w, cut, FRAMES);
        abc_end(&w);
        expect_same_bytes("cut.abc", "whole.abc");
    }
}

static int enter_folder(void **state) {
    (void)state;
    if (folder_enter("abc-hair") != 0)
        return 1;
    write_file("pinned.usda", pinned_text);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pinned_curves_reach_their_ends),
        cmocka_unit_test(pinned_curves_come_back),
        cmocka_unit_test(every_command_writes_the_same_curves),
        cmocka_unit_test(counts_tell_the_scope),
        cmocka_unit_test(files_without_widths_get_the_scene_s),
        cmocka_unit_test(visibility_changes_in_every_format),
        cmocka_unit_test(user_properties_stay_where_they_were),
        cmocka_unit_test(z_up_becomes_y_up_in_alembic),
        cmocka_unit_test(a_run_that_goes_on_gives_the_same_bytes),
    };
    return cmocka_run_group_tests(tests, enter_folder, folder_leave);
}
