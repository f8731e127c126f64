/* Files through rlt_convert: the same groom in every format has the same arrays; what is read, written and
 * read again has the same bits; frames and prims can be chosen; malformed files end with exit code 2. */

#include "data_fixture.h"
#include "files/convert.h"
#include "folder_fixture.h"
#include "program_fixture.h"
#include "ringlet/ringlet.h"
#include "stage_fixture.h"

/* Two prims of curves with everything a format may trip over: uneven counts, values of every place, a mesh, a
 * transform that moves, samples that are not at whole frames. */
static const char text[] =
    "#usda 1.0\n"
    "(\n    defaultPrim = \"char\"\n    endTimeCode = 4\n    metersPerUnit = 0.01\n    startTimeCode = 1\n"
    "    timeCodesPerSecond = 24\n    upAxis = \"Y\"\n)\n"
    "def Xform \"char\"\n{\n"
    "    matrix4d xformOp:transform.timeSamples = {\n"
    "        1: ( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0.1, 0, 0, 1) ),\n"
    "        4: ( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0.7, 0, 3, 1) ),\n    }\n"
    "    uniform token[] xformOpOrder = [\"xformOp:transform\"]\n"
    "    def BasisCurves \"hair\"\n    {\n"
    "        uniform token type = \"linear\"\n"
    "        int[] curveVertexCounts = [3, 2, 4]\n"
    "        float[] widths = [0.1, 0.2, 0.3] (\n            interpolation = \"uniform\"\n        )\n"
    "        point3f[] points.timeSamples = {\n"
    "            1: [(0, 0.1, 1e-7), (0, 1, 0), (0, 2, 0), (1, 0, 0), (1, 1, 0.333333343), (2, 0, 0), (2, 1, "
    "0),"
    " (2, 2, 0), (2, 3, 0)],\n"
    "            2: [(0, 0.2, 1e-7), (0, 1, 0), (0, 2, 0), (1, 0, 0), (1, 1, 0.333333343), (2, 0, 0), (2, 1, "
    "0),"
    " (2, 2, 0), (2, 3, 0)],\n"
    "            4: [(0, 0.4, 1e-7), (0, 1, 0), (0, 2, 0), (1, 0, 0), (1, 1, 0.333333343), (2, 0, 0), (2, 1, "
    "0),"
    " (2, 2, 0), (2, 3, 0.25)],\n        }\n"
    "        float primvars:gain = 0.7\n"
    "        texCoord2f[] primvars:st = [(0.1, 0.2), (0.3, 0.4), (0.5, 0.6)] (\n"
    "            interpolation = \"uniform\"\n        )\n"
    "        int[] primvars:clump = [7, 8, 9] (\n            interpolation = \"uniform\"\n        )\n"
    "        float[] primvars:stiff = [1, 2, 3, 4, 5, 6, 7, 8, 9] (\n            interpolation = \"vertex\"\n"
    "        )\n    }\n"
    "    def BasisCurves \"guides\"\n    {\n"
    "        uniform token type = \"cubic\"\n        uniform token basis = \"bspline\"\n"
    "        uniform token purpose = \"guide\"\n"
    "        int[] curveVertexCounts = [4]\n"
    "        point3f[] points = [(0, 0, 0), (0, 1, 0), (0, 2, 0), (0, 3, 0)]\n    }\n"
    "    def Mesh \"skin\"\n    {\n"
    "        uniform token subdivisionScheme = \"none\"\n"
    "        int[] faceVertexCounts = [4, 3]\n        int[] faceVertexIndices = [0, 1, 2, 3, 2, 1, 4]\n"
    "        point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (2, 0, 0.5)]\n    }\n"
    "}\n";

static void convert_good(const char *from, const char *to, const rlt_convert_def *def) {
    rlt_messages *messages = rlt_messages_create();
    rlt_convert_def usual = rlt_convert_defaults();
    stage_ok(rlt_convert(from, to, def != NULL ? def : &usual, messages, NULL), messages);
    rlt_messages_destroy(messages);
}

/* Every array of `a` that is named is in `b` at the same seconds with the same bits. */
static void assert_same_prim(const rlti_stage *a, const char *path_a, const rlti_stage *b, const char *path_b,
                             const char *const *names) {
    rlti_array x = {0}, y = {0};
    const rlti_prim *p = &a->prims[rlti_stage_find(a, path_a)];
    assert_true(rlti_stage_find(b, path_b) >= 0);
    const rlti_prim *q = &b->prims[rlti_stage_find(b, path_b)];
    for (; *names != NULL; names++) {
        const rlti_attribute *from = NULL, *to = NULL;
        for (int c = RLTI_BUILT_IN; c <= RLTI_CUSTOM && from == NULL; c++)
            from = rlti_stage_attribute(a, p, (rlti_attribute_class)c, *names);
        for (int c = RLTI_BUILT_IN; c <= RLTI_CUSTOM && to == NULL; c++)
            to = rlti_stage_attribute(b, q, (rlti_attribute_class)c, *names);
        assert_non_null(from);
        if (to == NULL) {
            fail_msg("%s: %s has no %s", b->file, path_b, *names);
            return;
        }
        assert_int_equal(from->interpolation, to->interpolation);
        if (from->sample_count > 1)
            assert_int_equal(from->sample_count, to->sample_count);
        for (int k = 0; k < from->sample_count || k == 0; k++) {
            int still = from->sample_count == 0;
            stage_read(a, p, from, still ? -1 : k, &x);
            stage_read(b, q, to, to->sample_count == 0 ? -1 : k, &y);
            x.type = y.type; /* a scalar may have become an array of one */
            if (!rlti_array_equal(&x, &y))
                fail_msg("%s: %s.%s: sample %d differs", b->file, path_b, *names, k);
            if (!still && to->sample_count > 1)
                assert_true(fabs(from->times[k] / a->codes_per_second - to->times[k] / b->codes_per_second) <
                            1e-12);
        }
    }
    rlti_array_clear(&x);
    rlti_array_clear(&y);
}

static const char *const hair_names[] = {
    "points", "curveVertexCounts", "widths", "gain", "st", "clump", "stiff", NULL};
static const char *const mesh_names[] = {"points", "faceVertexCounts", NULL};
static const char *const guide_names[] = {"points", "curveVertexCounts", NULL};

static void assert_same_scene(const char *a, const char *b) {
    rlti_stage *x = stage_open_good(a), *y = stage_open_good(b);
    assert_same_prim(x, "/char/hair", y, "/char/hair", hair_names);
    assert_same_prim(x, "/char/guides", y, "/char/guides", guide_names);
    assert_same_prim(x, "/char/skin", y, "/char/skin", mesh_names);
    double m[16], n[16];
    int p = rlti_stage_find(x, "/char/hair"), q = rlti_stage_find(y, "/char/hair");
    for (int frame = 1; frame <= 4; frame += 3) {
        stage_ok(rlti_stage_world(x, p, frame / 24.0 * x->codes_per_second, NULL, m), NULL);
        stage_ok(rlti_stage_world(y, q, frame / 24.0 * y->codes_per_second, NULL, n), NULL);
        for (int i = 0; i < 16; i++)
            assert_true(fabs(m[i] - n[i]) < 1e-12);
    }
    assert_int_equal(x->prims[p].curve_type, y->prims[q].curve_type);
    p = rlti_stage_find(x, "/char/guides");
    q = rlti_stage_find(y, "/char/guides");
    assert_int_equal(x->prims[p].basis, y->prims[q].basis);
    rlti_stage_close(x);
    rlti_stage_close(y);
}

static void every_format_gives_the_same_arrays(void **state) {
    (void)state;
    convert_good("in.usda", "a.usda", NULL);
    convert_good("in.usda", "a.usdc", NULL);
    convert_good("in.usda", "a.abc", NULL);
    assert_same_scene("in.usda", "a.usda");
    assert_same_scene("in.usda", "a.usdc");
    assert_same_scene("in.usda", "a.abc");
    /* and on, from each to each */
    convert_good("a.abc", "b.usdc", NULL);
    convert_good("a.usdc", "b.abc", NULL);
    convert_good("b.abc", "b.usda", NULL);
    assert_same_scene("in.usda", "b.usdc");
    assert_same_scene("in.usda", "b.abc");
    assert_same_scene("in.usda", "b.usda");
}

static void assert_same_bytes(const char *a, const char *b) {
    size_t n, m;
    unsigned char *x = bytes_read(a, &n), *y = bytes_read(b, &m);
    if (n != m || memcmp(x, y, n) != 0)
        fail_msg("%s and %s differ", a, b);
    free(x);
    free(y);
}

/* A file that Ringlet wrote comes out of it unchanged. */
static void the_same_format_again_gives_the_same_bytes(void **state) {
    (void)state;
    static const char *const endings[] = {"usda", "usdc", "abc"};
    for (int i = 0; i < 3; i++) {
        char once[32], twice[32], thrice[32];
        snprintf(once, sizeof once, "one.%s", endings[i]);
        snprintf(twice, sizeof twice, "two.%s", endings[i]);
        snprintf(thrice, sizeof thrice, "three.%s", endings[i]);
        convert_good("in.usda", once, NULL);
        convert_good(once, twice, NULL);
        convert_good(twice, thrice, NULL);
        assert_same_bytes(twice, thrice);
        assert_same_scene(once, twice);
    }
}

static int sample_count(const char *path, const char *prim, const char *name, double *first, double *last) {
    rlti_stage *stage = stage_open_good(path);
    int index = rlti_stage_find(stage, prim);
    assert_true(index >= 0);
    const rlti_attribute *a = stage_need(stage, &stage->prims[index], RLTI_BUILT_IN, name);
    int count = a->sample_count;
    if (count > 0) {
        *first = a->times[0];
        *last = a->times[count - 1];
    }
    rlti_stage_close(stage);
    return count;
}

static void frames_and_prims_can_be_chosen(void **state) {
    (void)state;
    double first = 0.0, last = 0.0;
    rlt_convert_def def = rlt_convert_defaults();
    def.has_first = def.has_last = 1;
    def.first = 2;
    def.last = 3;
    convert_good("in.usda", "some.usda", &def); /* 3 lies between two samples: one is made */
    assert_int_equal(sample_count("some.usda", "/char/hair", "points", &first, &last), 2);
    assert_true(first == 2.0 && last == 3.0);
    rlti_array value = {0};
    rlti_stage *stage = stage_open_good("some.usda");
    const rlti_prim *hair = &stage->prims[rlti_stage_find(stage, "/char/hair")];
    stage_read(stage, hair, stage_need(stage, hair, RLTI_BUILT_IN, "points"), 1, &value);
    assert_true(fabs((double)((const float *)value.data)[1] - 0.3) < 1e-6);
    rlti_stage_close(stage);

    def = rlt_convert_defaults();
    def.is_still = 1;
    convert_good("in.usda", "still.usdc", &def);
    assert_int_equal(sample_count("still.usdc", "/char/hair", "points", &first, &last), 0);

    def = rlt_convert_defaults();
    def.prims = "/char/g*";
    convert_good("in.usda", "guides.usda", &def);
    stage = stage_open_good("guides.usda");
    assert_true(rlti_stage_find(stage, "/char/guides") >= 0);
    assert_true(rlti_stage_find(stage, "/char/hair") < 0);
    assert_true(stage->prims[rlti_stage_find(stage, "/char")].has_transform);
    rlti_stage_close(stage);
    def.prims = "/none";
    assert_int_equal(rlt_convert("in.usda", "x.usda", &def, NULL, NULL), RLT_BAD_INPUT);
    assert_int_not_equal(access("x.usda", F_OK), 0);

    def = rlt_convert_defaults(); /* seconds to frames and back */
    def.has_first = def.has_last = 1;
    def.first = def.last = 2;
    convert_good("in.usda", "all.abc", NULL);
    convert_good("all.abc", "two.usda", &def);
    assert_int_equal(sample_count("two.usda", "/char/hair", "points", &first, &last), 1);
    assert_true(first == 2.0);
    rlti_array_clear(&value);
}

static void patterns(void **state) {
    (void)state;
    assert_true(rlti_path_fits("/a/b", "/a/b"));
    assert_true(rlti_path_fits("/a/bcd", "/a/b*"));
    assert_true(rlti_path_fits("/a/bcd", "/*/b?d"));
    assert_true(rlti_path_fits("/a/b/c", "/**/c"));
    assert_true(rlti_path_fits("/a/b/c", "/a/**"));
    assert_true(rlti_path_fits("/a/b/c", "/a/*"));
    assert_false(rlti_path_fits("/a/b/c", "/a/?"));
    assert_false(rlti_path_fits("/a/b", "/a"));
    assert_false(rlti_path_fits("/a", "/a/b"));
    assert_true(rlti_snap_time(12.0000004) == 12.0);
    assert_true(rlti_snap_time(12.5) == 12.5);
}

static void unreal_attributes_are_added(void **state) {
    (void)state;
    static const char *const endings[] = {"groom.abc", "groom.usda"};
    rlt_convert_def def = rlt_convert_defaults();
    for (int i = 0; i < 2; i++) {
        def.unreal = i == 0 ? RLT_UNREAL_CACHE : RLT_UNREAL_GROOM;
        convert_good("in.usda", endings[i], &def);
        rlti_stage *stage = stage_open_good(endings[i]);
        const rlti_prim *top = &stage->prims[rlti_stage_find(stage, "/char")];
        const rlti_prim *hair = &stage->prims[rlti_stage_find(stage, "/char/hair")];
        const rlti_prim *guides = &stage->prims[rlti_stage_find(stage, "/char/guides")];
        rlti_array value = {0};
        int numbers[3];
        stage_read(stage, top, stage_need(stage, top, RLTI_PRIMVAR, "groom_version_major"),
                   i - 1 < 0 ? 0 : -1, &value);
        assert_true(rlti_array_to_ints(&value, numbers));
        assert_int_equal(numbers[0], 1);
        assert_int_equal(value.type.element, i == 0 ? RLTI_INT16 : RLTI_INT32);
        const rlti_attribute *a = stage_need(stage, guides, RLTI_PRIMVAR, "groom_guide");
        stage_read(stage, guides, a, a->sample_count > 0 ? 0 : -1, &value);
        assert_true(rlti_array_to_ints(&value, numbers));
        assert_int_equal(numbers[0], 1);
        a = stage_need(stage, hair, RLTI_PRIMVAR, "groom_root_uv");
        stage_read(stage, hair, a, a->sample_count > 0 ? 0 : -1, &value);
        assert_int_equal(value.count, 3);
        stage_need(stage, hair, RLTI_PRIMVAR, "groom_id");
        stage_need(stage, hair, RLTI_PRIMVAR, "groom_group_id");
        stage_need(stage, hair, RLTI_PRIMVAR, "groom_width");
        assert_int_equal(stage_need(stage, hair, RLTI_BUILT_IN, "points")->sample_count > 1, i == 0);
        rlti_array_clear(&value);
        rlti_stage_close(stage);
    }
}

static int says(const rlt_messages *messages, const char *words) {
    for (int i = 0; i < rlt_messages_count(messages); i++)
        if (strstr(rlt_messages_text(messages, i), words) != NULL)
            return 1;
    return 0;
}

/* Settings that a target has no use for are told, and a rate that contradicts the file is refused. */
static void idle_settings_are_told(void **state) {
    (void)state;
    rlt_messages *messages = rlt_messages_create();
    rlt_convert_def def = rlt_convert_defaults();
    def.unreal = RLT_UNREAL_GROOM;
    def.keep_axis = 1;
    assert_int_equal(rlt_convert("in.usda", "idle.hair", &def, messages, NULL), RLT_OK);
    assert_true(says(messages, "idle.hair: cannot hold Unreal's attributes"));
    assert_true(says(messages, "idle.hair: the axis is kept anyway"));
    rlt_messages_destroy(messages);
    messages = rlt_messages_create();
    assert_int_equal(rlt_convert("in.usda", "idle.abc", &def, messages, NULL), RLT_OK);
    assert_false(says(messages, "cannot hold Unreal"));
    assert_true(says(messages, "idle.abc: the axis is kept anyway: only Z is turned to Y up"));
    rlt_messages_destroy(messages);
    messages = rlt_messages_create();
    def = rlt_convert_defaults();
    def.frames_per_second = -1.0;
    assert_int_equal(rlt_convert("in.usda", "idle.usda", &def, messages, NULL), RLT_BAD_INPUT);
    assert_true(says(messages, "in.usda: frames per second = -1: must be > 0"));
    def.frames_per_second = 11.0;
    assert_int_equal(rlt_convert("in.usda", "idle.usda", &def, messages, NULL), RLT_BAD_INPUT);
    assert_true(says(messages, "frames per second, not 11; leave the rate out"));
    rlt_messages_destroy(messages);
}

/* Alembic has seconds: a rate at which its frames are none is warned of, and 0 is none. */
static void rates_that_fit_no_frame_are_warned_of(void **state) {
    (void)state;
    convert_good("in.usda", "rate.abc", NULL);
    assert_int_equal(ringlet("convert rate.abc rate.usda --fps 30"), 0);
    assert_non_null(strstr(err_text,
                           "rate.abc: its samples are frames of 24 a second; at 30 they lie between "
                           "frames, with time codes that have fractions; leave the rate out, or give 24"));
    static const char *const quiet[] = {"--fps 24", "--fps 48", ""};
    for (int i = 0; i < 3; i++) {
        char line[96];
        snprintf(line, sizeof line, "convert rate.abc rate.usda %s", quiet[i]);
        assert_int_equal(ringlet(line), 0);
        assert_null(strstr(err_text, "lie between frames"));
    }
    assert_int_equal(ringlet("convert rate.abc rate.usda --fps 0"), 2);
    assert_non_null(strstr(err_text, "--fps: must be above 0"));
    assert_int_equal(ringlet("convert rate.abc rate.usda --metres-per-unit 0"), 2);
    assert_non_null(strstr(err_text, "--metres-per-unit: must be above 0"));
}

/* ---- real files, where they are ---- */

static void a_real_groom_is_the_same_in_every_format(void **state) {
    (void)state;
    char usda[400], hair[400], tfx[400];
    static const char *const names[] = {"points", "curveVertexCounts", NULL};
    static const char *const all[] = {"points", "curveVertexCounts", "widths", "st", NULL};
    if (!data_path("ratboy_mohawk_2228x32.usda", usda, sizeof usda) ||
        !data_path("ratboy_mohawk_2228x32.hair", hair, sizeof hair) ||
        !data_path("Ratboy_mohawk.tfx", tfx, sizeof tfx))
        skip();
    convert_good(usda, "r.usdc", NULL);
    convert_good(usda, "r.abc", NULL);
    convert_good("r.abc", "r.hair", NULL);
    rlti_stage *first = stage_open_good(usda);
    const char *const others[] = {hair, tfx, "r.hair"};
    for (int i = 0; i < 3; i++) {
        rlti_stage *other = stage_open_good(others[i]);
        assert_same_prim(first, "/ratboy/mohawk", other, other->prims[0].path, names);
        rlti_stage_close(other);
    }
    const char *const whole[] = {"r.usdc", "r.abc"};
    for (int i = 0; i < 2; i++) {
        rlti_stage *other = stage_open_good(whole[i]);
        assert_same_prim(first, "/ratboy/mohawk", other, "/ratboy/mohawk", all);
        assert_same_prim(first, "/ratboy/body", other, "/ratboy/body", mesh_names);
        rlti_stage_close(other);
    }
    rlti_stage_close(first);
}

/* ---- the program ---- */

static void assert_says(const char *text_said, const char *wanted) {
    if (!strstr(text_said, wanted))
        fail_msg("'%s' is not in:\n%s", wanted, text_said);
}

static void the_program_converts(void **state) {
    (void)state;
    assert_int_equal(ringlet("convert in.usda p.usdc"), 0);
    assert_says(err_text, "p.usdc: 4 prims");
    assert_int_equal(ringlet("convert in.usda p.abc --json -q"), 0);
    assert_says(out_text, "\"status\": \"done\"");
    assert_int_equal(ringlet("convert in.usda p.hair --frames 2:2"), 0);
    assert_says(err_text, "left out");
    assert_int_equal(ringlet("convert p.hair h.usda"), 0);
    assert_says(err_text, "does not state its unit");
    assert_int_equal(ringlet("convert p.hair h.usda --metres-per-unit 0.01 --up Z"), 0);
    static const char skinned[] =
        "#usda 1.0\ndef SkelRoot \"R\" {\n"
        "  def Skeleton \"s\" { uniform token[] joints = [\"A\"] }\n"
        "  def BasisCurves \"c\" {\n"
        "    int[] curveVertexCounts = [2]\n"
        "    point3f[] points = [(0, 0, 0), (0, 1, 0)]\n"
        "    uniform token type = \"linear\"\n"
        "    rel skel:skeleton = </R/s>\n"
        "    int[] primvars:skel:jointIndices = [0] (interpolation = \"constant\")\n"
        "    float[] primvars:skel:jointWeights = [1] (interpolation = \"constant\")\n"
        "  }\n}\n";
    bytes_write("skinned.usda", skinned, sizeof skinned - 1);
    assert_int_equal(ringlet("convert skinned.usda p.usdc"), 0);
    assert_says(err_text, "/R/c: moved by a skeleton");
    assert_int_equal(ringlet("convert in.usda"), 2);
    assert_int_equal(ringlet("convert in.usda out.fbx"), 2);
    assert_says(err_text, "the name must end in");
    assert_int_equal(ringlet("convert none.usda out.abc"), 2);
    assert_int_equal(ringlet("convert in.usda /proc/none/x.abc"), 1);
}

/* Counts down; stops at 0. */
static int stop_later(double share, void *context) {
    int *left = context;
    assert_true(share >= 0.0 && share <= 1.0);
    return (*left)-- == 0;
}

/* It can be stopped between any two of its few values, which may be large, and leaves nothing behind. */
static void stops_between_values(void **state) {
    (void)state;
    static const char *const targets[] = {"stop.usda", "stop.usdc", "stop.abc", "stop.hair"};
    for (int t = 0; t < 4; t++)
        for (int after = 0; after < 4; after++) {
            int left = after;
            char line[100];
            rlt_convert_def def = rlt_convert_defaults();
            def.prims = "/char/guides";
            def.progress = stop_later;
            def.context = &left;
            if (rlt_convert("in.usda", targets[t], &def, NULL, NULL) != RLT_FAILED)
                fail_msg("%s is not stopped after %d values", targets[t], after);
            snprintf(line, sizeof line, "ls -a | grep -q '^[.]*%s'", targets[t]);
            assert_int_not_equal(system(line), 0);
        }
}

/* .obj: curves become lines, which are not read again; that is reported, and so are texture coordinates. */
static void what_obj_loses_is_reported(void **state) {
    (void)state;
    assert_int_equal(ringlet("convert in.usda lines.obj -q"), 0);
    assert_int_equal(ringlet("convert lines.obj l.usda -q"), 0);
    assert_says(err_text, "lines.obj: 4 lines are left out, their points stay in the mesh");
    static const char half[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nvt 0 0\nvt 1 0\nvt 1 1\n"
                               "f 1/1 2/2 3/3\nf 2 4 3\n";
    bytes_write("half.obj", half, sizeof half - 1);
    assert_int_equal(ringlet("convert half.obj l.usda -q"), 0);
    assert_says(err_text, "half.obj: texture coordinates are left out: a corner has none");
    bytes_write("half.obj", half, sizeof half - 1 - strlen("f 2 4 3\n"));
    assert_int_equal(ringlet("convert half.obj l.usda -q --metres-per-unit 1 --up Y"), 0);
    assert_string_equal(err_text, "");
}

/* in.usda states centimetres and Y up: another unit or axis would make its numbers mean something else. */
static void what_a_file_states_counts(void **state) {
    (void)state;
    static const char *const targets[] = {"w.usda", "w.usdc", "w.abc", "w.hair", "w.obj"};
    char line[100];
    for (int k = 0; k < 5; k++) {
        snprintf(line, sizeof line, "convert in.usda %s --metres-per-unit 1", targets[k]);
        assert_int_equal(ringlet(line), 2);
        assert_says(err_text, "in.usda: states that its unit is 0.01 m, which 1 metres per unit contradicts; "
                              "leave them out");
        snprintf(line, sizeof line, "convert in.usda %s --up Z", targets[k]);
        assert_int_equal(ringlet(line), 2);
        assert_says(err_text, "in.usda: states that Y is up, not Z; leave the axis out");
        assert_int_not_equal(access(targets[k], F_OK), 0);
    }
    assert_int_equal(ringlet("convert in.usda w.usda --metres-per-unit 0.01 --up Y"), 0);

    /* one that states nothing has the usual unit and axis, and may be said to have others */
    static const char mute[] = "#usda 1.0\ndef BasisCurves \"c\" {\n    int[] curveVertexCounts = [2]\n"
                               "    point3f[] points = [(0, 0, 0), (0, 1, 0)]\n}\n";
    bytes_write("mute.usda", mute, sizeof mute - 1);
    assert_int_equal(ringlet("convert mute.usda w.usda --metres-per-unit 1 --up Z"), 0);
    rlti_stage *stage = stage_open_good("w.usda");
    assert_true(stage->metres_per_unit == 1.0 && stage->up_axis == 'Z');
    rlti_stage_close(stage);
}

/* in.usda has frames 1 to 4. */
static void frames_that_are_not_there(void **state) {
    (void)state;
    static const char *const sources[] = {"in.usda", "f.abc"}, *const targets[] = {"t.usda", "t.abc",
                                                                                   "t.hair"};
    char line[100];
    double first = 0.0, last = 0.0;
    assert_int_equal(ringlet("convert in.usda f.abc -q"), 0);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++) {
            snprintf(line, sizeof line, "convert %s %s --frames 7:9 --up Y --metres-per-unit 0.01",
                     sources[i], targets[k]);
            assert_int_equal(ringlet(line), 2);
            assert_says(err_text, "has frames 1 to 4, none of those asked for");
            assert_int_not_equal(access(targets[k], F_OK), 0);
        }
    assert_int_equal(ringlet("convert in.usda t.usda --frames :0"), 2);
    assert_int_equal(ringlet("convert in.usda t.usda --frames 2:9"), 0);
    assert_says(err_text, "in.usda: has frames 1 to 4 only; the others asked for are not written");
    sample_count("t.usda", "/char/hair", "points", &first, &last);
    assert_true(first == 2.0 && last == 4.0);
    assert_int_equal(ringlet("convert in.usda t.usda --frames 1:4"), 0);
    assert_null(strstr(err_text, "has frames"));
    assert_int_equal(ringlet("convert in.usda t.usda --frames 2"), 0); /* one frame */
    assert_int_equal(sample_count("t.usda", "/char/hair", "points", &first, &last), 1);
    assert_true(first == 2.0);
    assert_int_equal(ringlet("convert in.usda t.usda --frames 2x"), 2);
    assert_says(err_text, "--frames 2x: must be A, A:B, A: or :B with whole numbers");
}

/* Each reader, with its file cut short, and with lies in it: a message and exit code 2, and no file. */
/* What inspect calls a problem, convert warns of, and both go on: only what places points is needed. */
static void unreadable_attributes_are_left_out(void **state) {
    (void)state;
    static const char file[] = "#usda 1.0\ndef BasisCurves \"h\" {\n uniform token type = \"linear\"\n"
                               " int[] curveVertexCounts = [2]\n point3f[] points = [(0, 0, 0), (1, 0, 0)]\n"
                               " string bad = @x@\n float[] primvars:worse = [1, x] (interpolation = "
                               "\"vertex\")\n int good = 3\n}\n";
    bytes_write("odd.usda", file, sizeof file - 1);
    rlt_messages *messages = rlt_messages_create();
    rlt_convert_def def = rlt_convert_defaults();
    stage_ok(rlt_convert("odd.usda", "odd.usdc", &def, messages, NULL), messages);
    assert_int_equal(rlt_messages_count(messages), 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(rlt_messages_severity(messages, i), RLT_WARNING);
        assert_non_null(
            strstr(rlt_messages_text(messages, i), i == 0 ? "(/h.bad); left out" : "(/h.worse); left out"));
    }
    rlti_stage *stage = stage_open_good("odd.usdc");
    assert_null(rlti_stage_attribute(stage, &stage->prims[0], RLTI_CUSTOM, "bad"));
    assert_non_null(rlti_stage_attribute(stage, &stage->prims[0], RLTI_CUSTOM, "good"));
    rlti_stage_close(stage);
    rlt_messages_destroy(messages);
}

/* Files that are something else say what, and the remedy. */
static void foreign_files_are_recognised(void **state) {
    (void)state;
    static const char pointer[] = "version https://git-lfs.github.com/spec/v1\noid sha256:0123\nsize 12\n";
    static const char old[] = "\x89HDF\r\n\x1a\n and more";
    bytes_write("lfs.usda", pointer, sizeof pointer - 1);
    stage_open_bad("lfs.usda",
                   "lfs.usda: a Git LFS pointer in place of the file; get the file itself: git lfs pull");
    bytes_write("old.abc", old, sizeof old - 1);
    stage_open_bad("old.abc", "old.abc: Alembic in its old HDF5 form");
}

/* One frame that was asked for is no loss. */
static void one_frame_asked_for_is_no_loss(void **state) {
    (void)state;
    rlt_messages *messages = rlt_messages_create();
    rlt_convert_def def = rlt_convert_defaults();
    for (int i = 0; i < 2; i++) {
        def.has_first = def.has_last = i;
        def.first = def.last = 2;
        stage_ok(rlt_convert("in.usda", "one.hair", &def, messages, NULL), messages);
        int said = 0;
        for (int m = 0; m < rlt_messages_count(messages); m++)
            said |= strstr(rlt_messages_text(messages, m), "one frame only") != NULL;
        assert_int_equal(said, !i);
        rlt_messages_clear(messages);
    }
    rlt_messages_destroy(messages);
}

static void malformed_files_end_with_code_2(void **state) {
    (void)state;
    static const char *const files[] = {"in.usda", "p.usdc", "p.abc", "p.hair"};
    assert_int_equal(ringlet("convert in.usda p.usdc -q"), 0);
    assert_int_equal(ringlet("convert in.usda p.abc -q"), 0);
    assert_int_equal(ringlet("convert in.usda p.hair -q"), 0);
    for (int i = 0; i < 4; i++) {
        size_t size;
        char line[64];
        const char *ending = strrchr(files[i], '.');
        unsigned char *bytes = bytes_read(files[i], &size);
        for (int k = 1; k <= 3; k++) {
            snprintf(line, sizeof line, "cut%s", ending);
            bytes_write(line, bytes, i == 0 ? 300u * (unsigned)k : size * (size_t)k / 4);
            snprintf(line, sizeof line, "convert cut%s cut-out.usdc -q", ending);
            assert_int_equal(ringlet(line), 2);
            snprintf(line, sizeof line, "cut%s:", ending);
            assert_says(err_text, line);
            assert_int_not_equal(access("cut-out.usdc", F_OK), 0);
            snprintf(line, sizeof line, "inspect cut%s", ending);
            assert_int_equal(ringlet(line), 2);
        }
        free(bytes);
    }
    bytes_write("none.abc", "\x89HDF\r\n\x1a\n old", 12);
    assert_int_equal(ringlet("inspect none.abc"), 2);
    assert_says(err_text, "abcconvert");
    bytes_write("empty.usdc", "", 0);
    assert_int_equal(ringlet("inspect empty.usdc"), 2);
    bytes_write("other.usda", "hello there", 11);
    assert_int_equal(ringlet("convert other.usda x.abc"), 2);
    assert_says(err_text, "not a format that is known");
}

static int enter_folder(void **state) {
    (void)state;
    if (folder_enter("convert") != 0)
        return 1;
    bytes_write("in.usda", text, sizeof text - 1);
    return 0;
}

/* Every row of the guide's tables of features names tests, and these exist. */
static void rows_of_the_guide_name_their_tests(void **state) {
    static char guide[1 << 18], program[1 << 20];
    int rows = 0;
    (void)state;
    FILE *file = fopen(RLT_SOURCE_DIR "/docs/guide/formats.md", "r");
    assert_non_null(file);
    guide[fread(guide, 1, sizeof guide - 1, file)] = '\0';
    fclose(file);
    char *end = strstr(guide, "\n## What is in a file"), *row = strstr(guide, "## Features of USD");
    assert_true(row != NULL && end != NULL);
    *end = '\0';
    for (row = strstr(row, "\n| "); row != NULL; row = strstr(row + 1, "\n| ")) {
        char line[1000] = "", path[300], *saved = NULL, *more = NULL;
        snprintf(line, sizeof line, "%.*s", (int)strcspn(row + 1, "\n"), row + 1);
        line[strlen(line) - 2] = '\0'; /* " |" */
        char *tests = strrchr(line, '|') + 2;
        if (strcmp(tests, "tested by") == 0)
            continue;
        rows++;
        for (char *group = strtok_r(tests, ";", &saved); group != NULL; group = strtok_r(NULL, ";", &saved)) {
            char *name = strtok_r(group, ":", &more), *each = strtok_r(NULL, ":", &more);
            name += strspn(name, " ");
            snprintf(path, sizeof path, RLT_SOURCE_DIR "/tests/%s.c", name);
            file = fopen(path, "r");
            if (file == NULL)
                fail_msg("%s\n%s is not there", line, path);
            program[fread(program, 1, sizeof program - 1, file)] = '\0';
            fclose(file);
            for (char *one = each != NULL ? strtok_r(each, ", ", &more) : NULL; one != NULL;
                 one = strtok_r(NULL, ", ", &more)) {
                char call[100];
                snprintf(call, sizeof call, "static void %s(void **state)", one);
                if (strstr(program, call) == NULL)
                    fail_msg("%s\n%s has no %s", line, path, one);
            }
        }
    }
    assert_true(rows >= 30);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_gives_the_same_arrays),
        cmocka_unit_test(the_same_format_again_gives_the_same_bytes),
        cmocka_unit_test(frames_and_prims_can_be_chosen),
        cmocka_unit_test(patterns),
        cmocka_unit_test(unreal_attributes_are_added),
        cmocka_unit_test(idle_settings_are_told),
        cmocka_unit_test(rates_that_fit_no_frame_are_warned_of),
        cmocka_unit_test(a_real_groom_is_the_same_in_every_format),
        cmocka_unit_test(the_program_converts),
        cmocka_unit_test(stops_between_values),
        cmocka_unit_test(what_obj_loses_is_reported),
        cmocka_unit_test(what_a_file_states_counts),
        cmocka_unit_test(frames_that_are_not_there),
        cmocka_unit_test(unreadable_attributes_are_left_out),
        cmocka_unit_test(foreign_files_are_recognised),
        cmocka_unit_test(one_frame_asked_for_is_no_loss),
        cmocka_unit_test(malformed_files_end_with_code_2),
        cmocka_unit_test(rows_of_the_guide_name_their_tests),
    };
    return cmocka_run_group_tests(tests, enter_folder, folder_leave);
}
