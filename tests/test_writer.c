/* simulate -o in every format: the same points, resumed to the same bytes; layers over a source; caches
 * larger than the memory they are written with. */
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "folder_fixture.h"
#include "program_fixture.h"
#include "ringlet/ringlet.h"
#include "stage_fixture.h"

/* Curls on a bone that walks: frames of a few milliseconds. */
static const char scene[] = "time: {last: 30, outer_steps: 12, force_steps: 15, damping_steps: 5}\n"
                            "motion: {kind: walk, amount: 2}\n"
                            "character: {kind: none}\n"
                            "hair: {preset: redhead, region: none, spacing: 1, count: 9, total_points: 250,"
                            " length: 26, drag: 2, stretch: {stiffness: 1e6, damping: 1000}}\n";

/* Inches, Z up, a prim that is moved: everything has to be undone on the way back. */
static const char groom[] =
    "#usda 1.0\n(\n    defaultPrim = \"char\"\n    endTimeCode = 5\n    metersPerUnit = 0.0254\n"
    "    startTimeCode = 1\n    timeCodesPerSecond = 24\n    upAxis = \"Z\"\n)\n"
    "def Xform \"char\"\n{\n"
    "    double3 xformOp:translate.timeSamples = {\n        1: (1, 2, 3),\n        5: (3, 2, 3),\n    }\n"
    "    float xformOp:rotateZ = 30\n    float3 xformOp:scale = (2, 2, 2)\n"
    "    uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:rotateZ\", \"xformOp:scale\"]\n"
    "    def BasisCurves \"hair\"\n    {\n"
    "        uniform token type = \"cubic\"\n        uniform token basis = \"bspline\"\n"
    "        int[] curveVertexCounts = [4, 1, 5]\n"
    "        point3f[] points = [(0, 0, 0), (0, 0, 1), (0, 0, 2), (0, 0, 3), (9, 9, 9), (1, 0, 0), (1, 0, 1),"
    " (1, 0.5, 2), (1, 1, 3), (1, 1, 4)]\n"
    "        float[] widths = [0.1] (\n            interpolation = \"constant\"\n        )\n"
    "        int[] primvars:clump = [4, 5, 6] (\n            interpolation = \"uniform\"\n        )\n"
    "        float[] primvars:stiff = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] (\n"
    "            interpolation = \"vertex\"\n        )\n    }\n}\n";
static const char groom_scene[] = "time: {first: 1, last: 5, outer_steps: 10}\n"
                                  "character: {kind: none}\n"
                                  "hair: {file: groom.usda, bind: none}\n";

static void write_file(const char *path, const char *text) {
    bytes_write(path, text, strlen(text));
}

static void run_good(const char *line) {
    int code = ringlet(line);
    if (code != 0)
        fail_msg("%s: %d\n%s", line, code, err_text);
}

static int exists(const char *path) {
    return access(path, F_OK) == 0;
}

/* Points and velocities of all samples are the same bits. */
static void assert_same_motion(const char *a, const char *b, const char *path) {
    static const char *const names[] = {"points", "velocities"};
    rlti_stage *x = stage_open_good(a), *y = stage_open_good(b);
    rlti_array v = {0}, w = {0};
    const rlti_prim *p = &x->prims[rlti_stage_find(x, path)], *q = &y->prims[rlti_stage_find(y, path)];
    for (int n = 0; n < 2; n++) {
        const rlti_attribute *from = stage_need(x, p, RLTI_BUILT_IN, names[n]);
        const rlti_attribute *to = stage_need(y, q, RLTI_BUILT_IN, names[n]);
        assert_true(from->sample_count > 1);
        assert_int_equal(from->sample_count, to->sample_count);
        for (int k = 0; k < from->sample_count; k++) {
            stage_read(x, p, from, k, &v);
            stage_read(y, q, to, k, &w);
            if (!rlti_array_equal(&v, &w))
                fail_msg("%s and %s: sample %d of %s differs", a, b, k, names[n]);
            assert_true(fabs(from->times[k] / x->codes_per_second - to->times[k] / y->codes_per_second) <
                        1e-12);
        }
    }
    rlti_array_clear(&v);
    rlti_array_clear(&w);
    rlti_stage_close(x);
    rlti_stage_close(y);
}

/* A groom of one frame as a layer over a file that moves would stand where the file is at another frame. */
static void a_groom_over_what_moves_is_refused(void **state) {
    (void)state;
    char line[1024];
    snprintf(line, sizeof line,
             "simulate %s/scenes/files/puffball.yaml -q --set time.preroll=0 --unreal groom --frames 2:2 -o",
             RLT_SOURCE_DIR);
    char over[1100], alone[1100];
    snprintf(over, sizeof over, "%s over.usda", line);
    snprintf(alone, sizeof alone, "%s alone.usda --standalone", line);
    assert_int_equal(ringlet(over), 2);
    assert_non_null(strstr(err_text, "/puffball"));
    assert_non_null(strstr(err_text, "write a standalone file"));
    run_good(alone);
}

static void every_format_has_the_same_points(void **state) {
    (void)state;
    run_good("simulate shot.yaml -o s.usda -q --frames :6");
    run_good("simulate shot.yaml -o s.usdc -q --frames :6");
    run_good("simulate shot.yaml -o s.abc -q --frames :6 --unreal");
    run_good("simulate shot.yaml -o s.hair -q --frames :1");
    assert_same_motion("s.usda", "s.usdc", "/Ringlet/Hair");
    assert_same_motion("s.usda", "s.abc", "/Ringlet/Hair");
    rlti_stage *x = stage_open_good("s.usda"), *y = stage_open_good("s.hair");
    rlti_array v = {0}, w = {0};
    const rlti_prim *p = &x->prims[rlti_stage_find(x, "/Ringlet/Hair")];
    stage_read(x, p, stage_need(x, p, RLTI_BUILT_IN, "points"), 0, &v);
    stage_read(y, y->prims, stage_need(y, y->prims, RLTI_BUILT_IN, "points"), -1, &w);
    assert_true(rlti_array_equal(&v, &w));
    rlti_stage_close(x);
    rlti_stage_close(y);
    x = stage_open_good("s.abc");
    p = &x->prims[rlti_stage_find(x, "/Ringlet")];
    assert_int_equal(stage_need(x, p, RLTI_PRIMVAR, "groom_version_major")->type.element, RLTI_INT16);
    p = &x->prims[rlti_stage_find(x, "/Ringlet/Hair")];
    stage_need(x, p, RLTI_PRIMVAR, "groom_group_id");
    rlti_stage_close(x);
    run_good("simulate shot.yaml -o n.usdc -q --frames :2 --no-velocities");
    x = stage_open_good("n.usdc");
    p = &x->prims[rlti_stage_find(x, "/Ringlet/Hair")];
    assert_null(rlti_stage_attribute(x, p, RLTI_BUILT_IN, "velocities"));
    rlti_stage_close(x);
    rlti_array_clear(&v);
    rlti_array_clear(&w);
    assert_int_equal(system("ls | grep -q part"), 256); /* nothing is left behind */
}

/* ---- going on ---- */

static void sleep_ms(long ms) {
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

/* Killed once a checkpoint is there; 0 when it was done before. */
static int kill_run(const char *output, const char *checkpoint) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (!freopen("child.txt", "w", stderr))
            _exit(99);
        execl(RLT_PROGRAM, RLT_PROGRAM, "simulate", "shot.yaml", "-o", output, "-q", "--checkpoint", "1",
              "-t", "1", (char *)NULL);
        _exit(98);
    }
    for (int i = 0; i < 20000 && !exists(checkpoint); i++)
        sleep_ms(1);
    sleep_ms(20);
    kill(child, SIGKILL);
    int code = 0;
    assert_int_equal(waitpid(child, &code, 0), child);
    return WIFSIGNALED(code);
}

static void killed_runs_go_on_to_the_same_bytes(void **state) {
    (void)state;
    static const char *const endings[] = {"usdc", "abc", "usda"};
    for (int i = 0; i < 3; i++) {
        char line[200], whole[32], broken[32], kept[64];
        snprintf(whole, sizeof whole, "whole.%s", endings[i]);
        snprintf(broken, sizeof broken, "broken.%s", endings[i]);
        snprintf(kept, sizeof kept, "%s.checkpoint", broken);
        snprintf(line, sizeof line, "simulate shot.yaml -o %s -q --checkpoint 0", whole);
        run_good(line);
        int killed = kill_run(broken, kept);
        print_message("%s: %s\n", broken, killed ? "killed" : "done before it was killed");
        snprintf(line, sizeof line, "simulate shot.yaml -o %s -q --resume", broken);
        run_good(line);
        size_t n, m;
        unsigned char *x = bytes_read(whole, &n), *y = bytes_read(broken, &m);
        if (n != m || memcmp(x, y, n) != 0)
            fail_msg("%s differs from the unbroken run's", broken);
        free(x);
        free(y);
        assert_false(exists(kept));
        run_good(line); /* and once more: it is complete */
        assert_non_null(strstr(err_text, ": is complete, frames 1 to 30"));
    }
}

static void other_options_are_refused(void **state) {
    (void)state;
    if (!kill_run("other.usdc", "other.usdc.checkpoint"))
        skip();
    assert_int_equal(ringlet("simulate shot.yaml -o other.usdc -q --resume --no-velocities"), 2);
    assert_non_null(strstr(err_text, "other options of the output"));
    run_good("simulate shot.yaml -o other.usdc -q --resume");
}

/* ---- over a source ---- */

static void points_of(const char *file, double time, rlti_array *value) {
    rlti_stage *stage = stage_open_good(file);
    int index = rlti_stage_find(stage, "/char/hair");
    assert_true(index >= 0);
    const rlti_prim *prim = &stage->prims[index];
    rlti_array got = {0};
    stage_ok(
        rlti_stage_value(stage, prim, stage_need(stage, prim, RLTI_BUILT_IN, "points"), time, NULL, &got),
        NULL);
    assert_true(rlti_array_copy(value, &got));
    rlti_array_clear(&got);
    rlti_stage_close(stage);
}

static void a_layer_stands_over_its_source(void **state) {
    (void)state;
    rlti_array before = {0}, after = {0};
    assert_true(mkdir("out", 0777) == 0 || exists("out"));
    run_good("simulate groom.yaml -o out/over.usda -q");
    size_t size;
    char *text = (char *)bytes_read("out/over.usda", &size);
    text[size] = 0;
    assert_non_null(strstr(text, "@../groom.usda@"));
    assert_non_null(strstr(text, "over \"char\""));
    assert_null(strstr(text, "def "));
    assert_null(strstr(text, "widths"));
    assert_non_null(strstr(text, "metersPerUnit = 0.0254"));
    assert_non_null(strstr(text, "upAxis = \"Z\""));
    free(text);
    /* the first frame is the groom, in the prim's own space; the strand left out stays */
    points_of("groom.usda", 1.0, &before);
    points_of("out/over.usda", 1.0, &after);
    assert_int_equal(after.count, 10);
    const float *x = before.data, *y = after.data;
    for (int i = 0; i < 30; i++)
        assert_true(fabs((double)(x[i] - y[i])) < 1e-5);
    points_of("out/over.usda", 5.0, &after);
    y = after.data;
    assert_true(fabs((double)y[12] - 9.0) < 1e-6);
    double moved = 0.0;
    for (int i = 0; i < 30; i++)
        moved = fmax(moved, fabs((double)(x[i] - y[i])));
    assert_true(moved > 1e-3); /* it fell, or was left behind */
    rlti_array_clear(&before);
    rlti_array_clear(&after);

    /* what the source has is seen through the layer */
    rlti_stage *stage = stage_open_good("out/over.usda");
    const rlti_prim *prim = &stage->prims[rlti_stage_find(stage, "/char/hair")];
    stage_need(stage, prim, RLTI_PRIMVAR, "clump");
    assert_int_equal(prim->basis, RLTI_BASIS_BSPLINE);
    rlti_stage_close(stage);
    assert_int_equal(ringlet("simulate groom.yaml -o groom.usda -q"), 2); /* not over the file itself */
}

static void standalone_keeps_attributes(void **state) {
    (void)state;
    static const char *const files[] = {"alone.usda", "alone.usdc", "alone.abc"};
    run_good("simulate groom.yaml -o over.usdc -q");
    for (int i = 0; i < 3; i++) {
        char line[100];
        snprintf(line, sizeof line, "simulate groom.yaml -o %s --standalone -q", files[i]);
        run_good(line);
        assert_same_motion("over.usdc", files[i], "/char/hair");
        rlti_stage *stage = stage_open_good(files[i]);
        const rlti_prim *prim = &stage->prims[rlti_stage_find(stage, "/char/hair")];
        assert_int_equal(prim->basis, RLTI_BASIS_BSPLINE);
        rlti_array value = {0};
        stage_ok(
            rlti_stage_value(stage, prim, stage_need(stage, prim, RLTI_PRIMVAR, "clump"), 0, NULL, &value),
            NULL);
        assert_int_equal(value.count, 3);
        assert_int_equal(((const int32_t *)value.data)[2], 6);
        stage_ok(
            rlti_stage_value(stage, prim, stage_need(stage, prim, RLTI_PRIMVAR, "stiff"), 0, NULL, &value),
            NULL);
        assert_int_equal(value.count, 10);
        stage_need(stage, prim, RLTI_PRIMVAR, "rest");
        rlti_array_clear(&value);
        rlti_stage_close(stage);
    }
    /* the same place in the world, through layer and file */
    rlti_stage *over = stage_open_good("over.usdc"), *alone = stage_open_good("alone.usda");
    double m[16], n[16];
    stage_ok(rlti_stage_world(over, rlti_stage_find(over, "/char/hair"), 3.0, NULL, m), NULL);
    stage_ok(rlti_stage_world(alone, rlti_stage_find(alone, "/char/hair"), 3.0, NULL, n), NULL);
    for (int i = 0; i < 16; i++)
        assert_true(fabs(m[i] - n[i]) < 1e-9);
    rlti_stage_close(over);
    rlti_stage_close(alone);
}

static int enter_folder(void **state) {
    (void)state;
    if (folder_enter("writer") != 0)
        return 1;
    write_file("shot.yaml", scene);
    write_file("groom.usda", groom);
    write_file("groom.yaml", groom_scene);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_has_the_same_points),
        cmocka_unit_test(a_groom_over_what_moves_is_refused),
        cmocka_unit_test(killed_runs_go_on_to_the_same_bytes),
        cmocka_unit_test(other_options_are_refused),
        cmocka_unit_test(a_layer_stands_over_its_source),
        cmocka_unit_test(standalone_keeps_attributes),

    };
    return cmocka_run_group_tests(tests, enter_folder, folder_leave);
}
