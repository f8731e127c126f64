/* What a run does not simulate, or shows only later, is not lost: curves beside those that a section takes
 * move as their file has them, and hair that is hidden at first is simulated and written with its
 * visibility. */
#include "folder_fixture.h"
#include "program_fixture.h"
#include "ringlet/cache.h"
#include "ringlet/ringlet.h"
#include "stage_fixture.h"

static const char layer[] =
    "#usda 1.0\n(metersPerUnit = 0.01\nupAxis = \"Y\"\ntimeCodesPerSecond = 24\nstartTimeCode = 1\n"
    "endTimeCode = 3)\n"
    "def Scope \"x\" {\n"
    "  def BasisCurves \"c\" {\n"
    "    uniform token type = \"linear\"\n    int[] curveVertexCounts = [3, 3]\n"
    "    int[] primvars:groom_group_id = [0, 1] (interpolation = \"uniform\")\n"
    "    point3f[] points.timeSamples = {\n"
    "      1: [(0,0,0),(0,-1,0),(0,-2,0), (5,0,0),(5,-1,0),(5,-2,0)],\n"
    "      3: [(0,0,0),(0,-1,0),(0,-2,0), (9,0,0),(9,-1,0),(9,-2,0)] }\n"
    "    token visibility.timeSamples = {1: \"invisible\", 2: \"inherited\"}\n"
    "  }\n}\n";

static void write_text(const char *name, const char *text) {
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void run(const char *command) {
    if (ringlet(command) != 0)
        fail_msg("ringlet %s:\n%s", command, err_text);
}

static void assert_holds(const char *path, const char *wanted) {
    static char text[TEXT_SIZE];
    read_file(path, text);
    if (strstr(text, wanted) == NULL)
        fail_msg("%s: '%s' is not in:\n%s", path, wanted, text);
}

static void write_scene(void) {
    write_text("left.usda", layer);
    write_text("left.yaml", "time: {first: 1, last: 3}\ncharacter: {kind: none}\n"
                            "hair: {file: left.usda, group: 0, bind: none, preset: straight}\n"
                            "health: {check_steps: off}\n");
}

static void curves_left_out_move_as_their_file_has_them(void **state) {
    (void)state;
    static const char *const options[] = {"left-a.usda", "left-a.usda --standalone", "left-a.usdc",
                                          "left-a.abc"};
    write_scene();
    for (int i = 0; i < 4; i++) {
        char line[128], name[32];
        sscanf(options[i], "%31s", name);
        snprintf(line, sizeof line, "simulate left.yaml -q -t 1 -o %s", options[i]);
        run(line);
        snprintf(line, sizeof line, "convert %s left-b.usda", name);
        run(line);
        assert_holds("left-b.usda", "(7, 0, 0), (7, -1, 0), (7, -2, 0)"); /* half way, at frame 2 */
        assert_holds("left-b.usda", "(9, 0, 0), (9, -1, 0), (9, -2, 0)");
        assert_holds("left-b.usda", "(48, 0, 0), (48, 0, 0), (48, 0, 0)"); /* 2 units a frame */
    }
}

/* Hair that stands still in the world below a transform of 1 unit a frame: -24 units/s in its own space, on
 * the first and the last frame, too. */
static void velocities_below_a_moving_transform_are_whole(void **state) {
    (void)state;
    static char text[TEXT_SIZE];
    write_text(
        "moved.usda",
        "#usda 1.0\n(metersPerUnit = 0.01\nupAxis = \"Y\"\ntimeCodesPerSecond = 24\nstartTimeCode = 1\n"
        "endTimeCode = 4)\n"
        "def Xform \"x\" {\n"
        "  double3 xformOp:translate.timeSamples = {1: (0, 0, 0), 4: (3, 0, 0)}\n"
        "  uniform token[] xformOpOrder = [\"xformOp:translate\"]\n"
        "  def BasisCurves \"c\" {\n"
        "    uniform token type = \"linear\"\n    int[] curveVertexCounts = [3]\n"
        "    point3f[] points = [(0, 0, 0), (0, -1, 0), (0, -2, 0)]\n  }\n}\n");
    write_text("moved.yaml", "time: {first: 1, last: 4}\ncharacter: {kind: none}\n"
                             "hair: {file: moved.usda, bind: none}\nhealth: {check_steps: off}\n");
    run("simulate moved.yaml -q -t 1 -o moved-a.usda");
    read_file("moved-a.usda", text);
    char *at = strstr(text, "velocities.timeSamples");
    assert_non_null(at);
    for (int frame = 1; frame <= 4; frame++) {
        char wanted[64];
        snprintf(wanted, sizeof wanted, "%d: [(-24, 0, 0), (-24,", frame);
        at = strstr(at, wanted);
        if (at == NULL)
            fail_msg("frame %d:\n%s", frame, text);
    }
}

static void hair_hidden_at_first_is_not_lost(void **state) {
    (void)state;
    write_scene();
    run("simulate left.yaml -q -t 1 -o left-a.usda --standalone");
    assert_holds("left-a.usda", "BasisCurves \"c\"");
    assert_holds("left-a.usda", "1: \"invisible\"");
    assert_holds("left-a.usda", "2: \"inherited\"");
}

/* Hair made between guides is hidden when all of these are, whatever it is written to, and not drawn. */
static void filled_and_rendered_hair_is_hidden_with_its_guides(void **state) {
    (void)state;
    static const char *const lines[] = {"fill left.usda -o left-f.usda --hairs 4 -q",
                                        "fill left.usda -o left-f.abc --hairs 4 -q",
                                        "fill left.yaml -o left-f.usdc --hairs 4 -q"};
    char line[128], name[32];
    write_scene();
    for (int i = 0; i < 3; i++) {
        run(lines[i]);
        assert_null(strstr(err_text, "visib"));
        sscanf(strstr(lines[i], "left-f"), "%31s", name);
        snprintf(line, sizeof line, "convert %s left-g.usda -q", name);
        run(line);
        assert_holds("left-g.usda", "1: \"invisible\"");
        assert_holds("left-g.usda", "2: \"inherited\"");
    }
    if (rlt_render_available()) {
        run("render left.usda -o left-1.png --draft --frames 1 --json");
        assert_non_null(strstr(out_text, "\"points\": 0,"));
        run("render left.usda -o left-2.png --draft --frames 2 --json");
        assert_null(strstr(out_text, "\"points\": 0,"));
    }
}

/* One object of curves has one visibility: where it cannot say what the guides' do, that is reported. */
static void a_part_that_is_hidden_is_reported(void **state) {
    (void)state;
    char text[2 * sizeof layer];
    const char *prim = strstr(layer, "  def BasisCurves"), *hidden = strstr(layer, "    token visibility");
    snprintf(text, sizeof text, "%.*s  def BasisCurves \"d\" {\n%.*s}\n%s", (int)(prim - layer), layer,
             (int)(hidden - strchr(prim, '\n') - 1), strchr(prim, '\n') + 1, prim);
    write_text("left.usda", text);
    run("fill left.usda -o left-f.usda --hairs 8 -q");
    assert_non_null(strstr(err_text, "left-f.usda: frame 1: a part of its guides is hidden; all hair is "
                                     "written as visible"));
    assert_null(strstr(strstr(err_text, "a part of its guides") + 1, "a part of its guides"));
}

#define LATE(name, more)                                                                                     \
    "    def BasisCurves \"" name "\"\n    {\n        uniform token type = \"linear\"\n" more                \
    "        int[] curveVertexCounts = [3]\n"                                                                \
    "        point3f[] points = [(0, 0, 0), (0, -5, 0), (0, -10, 0)]\n    }\n"
#define FROM_3                                                                                               \
    "token visibility.timeSamples = {\n        1: \"invisible\",\n        2.5: \"inherited\",\n    }\n"

static const char late_head[] =
    "#usda 1.0\n(\n    defaultPrim = \"c\"\n    metersPerUnit = 0.01\n    upAxis = \"Y\"\n"
    "    startTimeCode = 1\n    endTimeCode = 4\n    timeCodesPerSecond = 24\n)\n";

static int count_strands(const char *path) {
    rlt_cache *cache = NULL;
    rlt_messages *messages = rlt_messages_create();
    rlt_cache_facts facts = {.size = sizeof facts};
    assert_int_equal(rlt_cache_open(path, messages, &cache), RLT_OK);
    rlt_cache_get(cache, &facts);
    rlt_cache_close(cache);
    rlt_messages_destroy(messages);
    return facts.strands;
}

/* Hidden at first, by itself or from above, but not for good. */
static void hair_that_is_shown_later_is_simulated(void **state) {
    (void)state;
    static const char *const files[] = {"t.usda", "t.abc"};
    char text[4096];
    snprintf(text, sizeof text, "%s%s", late_head,
             "def Xform \"c\"\n{\n" LATE("hair", FROM_3) LATE("gone", "token visibility = \"invisible\"\n")
                 LATE("never", "token visibility.timeSamples = { 1: \"invisible\", 2: \"invisible\" }\n")
                     LATE("shown", "") "}\n"
                                       "def Xform \"d\"\n{\n    " FROM_3 LATE("below", "") "}\n");
    write_text("late.usda", text);
    run("convert late.usda late.abc");
    write_text("late.yaml", "time: {first: 1, last: 4, outer_steps: 10}\ncharacter: {kind: none}\n"
                            "hair: {file: late.usda, bind: none}\n");
    write_text("late-abc.yaml", "time: {first: 1, last: 4, outer_steps: 10}\ncharacter: {kind: none}\n"
                                "hair: {file: late.abc, bind: none}\n");
    write_text("late-own.yaml", "time: {first: 1, last: 4, outer_steps: 10}\ncharacter: {kind: none}\n"
                                "hair:\n  - {file: late.usda, bind: none}\n"
                                "  - {name: g, region: none, count: 2, total_points: 8, length: 4}\n");
    run("simulate late.yaml -o t.usda -q --standalone");
    run("simulate late-abc.yaml -o t.abc -q");
    for (int i = 0; i < 2; i++) {
        stage_visible(files[i], "/c/hair", "..ii");
        stage_visible(files[i], "/c/shown", "iiii");
        stage_visible(files[i], "/d", "..ii");
        stage_visible(files[i], "/d/below", "iiii");
        rlti_stage *stage = stage_open_good(files[i]);
        assert_int_equal(rlti_stage_find(stage, "/c/gone"), -1);
        assert_int_equal(rlti_stage_find(stage, "/c/never"), -1);
        rlti_stage_close(stage);
        assert_int_equal(count_strands(files[i]), 3);
    }
    run("simulate late-own.yaml -o own.usda -q");
    stage_visible("own.usda", "/Ringlet/hair", "..ii");
    stage_visible("own.usda", "/Ringlet/below", "..ii"); /* what hid it is not there */
    stage_visible("own.usda", "/Ringlet/shown", "iiii");
    assert_int_equal(count_strands("late.usda"), 3);
    assert_int_equal(count_strands("late.abc"), 3);
}

/* Who finds nothing to take is told why. */
static void hair_that_is_never_shown_is_told(void **state) {
    (void)state;
    char text[2048];
    snprintf(text, sizeof text, "%s%s", late_head,
             "def Xform \"c\"\n{\n    token visibility = \"invisible\"\n" LATE("hair", FROM_3) "}\n");
    write_text("gone.usda", text);
    write_text("gone.yaml", "time: {first: 1, last: 4, outer_steps: 10}\ncharacter: {kind: none}\n"
                            "hair: {file: gone.usda, bind: none}\n");
    assert_int_equal(ringlet("check gone.yaml"), 2);
    if (strstr(err_text,
               "gone.usda: no curves to take: all are invisible at every time or proxies; show them "
               "in the file or name them by prim; there are: /c/hair") == NULL)
        fail_msg("%s", err_text);
    run("check gone.yaml --set hair.prim=/c/hair");
}

static void frames_that_are_not_there_are_refused(void **state) {
    (void)state;
    write_scene();
    assert_int_equal(ringlet("convert left.usda left-c.usda --frames 7:9"), 2);
    assert_non_null(strstr(err_text, "has frames 1 to 3, none of those asked for"));
    run("convert left.usda left-c.usda --frames 2:9");
}

/* Squares of its accelerations are beyond single precision; it must not stand still with exit 0. */
static void hair_of_no_weight_is_not_frozen_silently(void **state) {
    (void)state;
    static const char *const masses[] = {"1e-20", "1e-30", "1e-38", "1e-44", "1e-300", "1e300"};
    for (int i = 0; i < 6; i++) {
        char line[200];
        snprintf(line, sizeof line,
                 "simulate straight -o left-m.usda -q --frames 1:3 --set hair.count=4 --set time.preroll=0 "
                 "--set health.check_steps=off --set character.resolution=12 --set hair.mass=%s",
                 masses[i]);
        assert_int_equal(ringlet(line), 3);
        if (i == 0 || i >= 4) /* what is wrong with it, and what helps */
            assert_non_null(strstr(err_text, i == 0   ? "raise time.outer_steps"
                                             : i == 4 ? "is too small for the precision of the step kernel"
                                                      : "is too large for the precision of the step kernel"));
        if (i >= 4)
            assert_non_null(strstr(err_text, i == 4 ? "; raise hair.mass" : "; lower hair.mass"));
    }
}

static int enter_folder(void **state) {
    (void)state;
    return folder_enter("left");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves_left_out_move_as_their_file_has_them),
        cmocka_unit_test(velocities_below_a_moving_transform_are_whole),
        cmocka_unit_test(hair_hidden_at_first_is_not_lost),
        cmocka_unit_test(hair_that_is_shown_later_is_simulated),
        cmocka_unit_test(hair_that_is_never_shown_is_told),
        cmocka_unit_test(filled_and_rendered_hair_is_hidden_with_its_guides),
        cmocka_unit_test(a_part_that_is_hidden_is_reported),
        cmocka_unit_test(frames_that_are_not_there_are_refused),
        cmocka_unit_test(hair_of_no_weight_is_not_frozen_silently),
    };
    return cmocka_run_group_tests(tests, enter_folder, folder_leave);
}
