/* Several hair sections that take curves of one prim: the file holds the motion of all of them. */
#include <unistd.h>

#include "folder_fixture.h"
#include "import_fixture.h"
#include "mpi_fixture.h"
#include "ringlet/cache.h"

#define MODEL                                                                                                \
    "contact: {enabled: off}, core: {stiffness: 0, stiffness_max: 0, damping: 0, damping_max: 0}, "          \
    "stretch: {stiffness: 1e6, damping: 1500}, bend: {damping: 400}"

#define HEAD                                                                                                 \
    "time: {last: 12, outer_steps: 10, force_steps: 60, damping_steps: 20}\n"                                \
    "character: {kind: none}\ncolliders: []\nmotion: {kind: spin, spin: 20, start: 0.2}\n"

#define WHOLE "  - {name: all, file: s.usda, " MODEL "}\n"
#define PARTS                                                                                                \
    "  - {name: a, file: s.usda, group: 1, " MODEL "}\n"                                                     \
    "  - {name: b, file: ./s.usda, group: 0, " MODEL "}\n"
#define OTHER "  - {name: grown, region: none, count: 2, total_points: 8, length: 4, spacing: 1, " MODEL "}\n"

#define GROUPS                                                                                               \
    "    uniform int[] primvars:groom_group_id = [0, 1, 0] (\n        interpolation = \"uniform\"\n    )\n"

static void put(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void run_command(const char *arguments) {
    if (ringlet(arguments) != 0)
        fail_msg("%s\n%s", arguments, err_text);
}

static void assert_says(const char *wanted) {
    if (strstr(err_text, wanted) == NULL)
        fail_msg("'%s' is not in:\n%s", wanted, err_text);
}

/* The same strands in one section and in two, whatever the file is. */
static void parts_give_the_bytes_of_the_whole(void **state) {
    (void)state;
    static const char *const options[] = {"a.usda",
                                          "a.usdc",
                                          "a.usda --standalone",
                                          "a.usdc --standalone",
                                          "a.abc",
                                          "a.hair",
                                          "a.abc --unreal",
                                          "a.usda --standalone --unreal",
                                          "a.abc --unreal=groom",
                                          "a.usda --no-velocities"};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        char line[256], name[16];
        sscanf(options[i], "%15s", name);
        snprintf(line, sizeof line, "simulate whole.yaml -q -t 1 -o %s", options[i]);
        run_command(line);
        snprintf(line, sizeof line, "mv %s first", name);
        assert_int_equal(system(line), 0);
        snprintf(line, sizeof line, "simulate parts.yaml -q -t 1 -o %s", options[i]);
        run_command(line);
        /* each file says what it was made from, which differs; what they hold must not */
        snprintf(line, sizeof line, "convert first first.usda");
        run_command(line);
        snprintf(line, sizeof line, "convert %s second.usda", name);
        run_command(line);
        if (system("cmp first.usda second.usda") != 0)
            fail_msg("%s: the files differ", options[i]);
    }
}

/* All points of the last frame: eight of the grown hair, twelve of the file's. */
static void read_last(const char *path, double points[60]) {
    rlt_messages *messages = rlt_messages_create();
    rlt_cache *cache = NULL;
    rlt_frame_view view = {.size = sizeof view};
    assert_int_equal(rlt_cache_open(path, messages, &cache), RLT_OK);
    assert_int_equal(rlt_cache_view(cache, 12, messages, &view), RLT_OK);
    assert_int_equal(view.point_count, 20);
    memcpy(points, view.points, 60 * sizeof *points);
    rlt_cache_close(cache);
    rlt_messages_destroy(messages);
}

/* With generated hair beside it the file has prims of its own: one for the source's prim, not two. */
static void beside_generated_hair_there_is_one_prim(void **state) {
    (void)state;
    static const char *const names[] = {"own.usda", "own.usdc", "own.abc"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        double one[60], two[60];
        char line[256];
        snprintf(line, sizeof line, "simulate whole-own.yaml -q -t 1 -o %s", names[i]);
        run_command(line);
        read_last(names[i], one);
        snprintf(line, sizeof line, "simulate parts-own.yaml -q -t 1 -o %s", names[i]);
        run_command(line);
        read_last(names[i], two);
        assert_memory_equal(one + 24, two + 24, 36 * sizeof *one); /* a section's place is in its seed */
    }
}

static void resampled_parts_keep_their_own_points(void **state) {
    import *f = *state;
    import_write(f, "s.usda", USDA_HEAD USDA_SKIN USDA_CURVES GROUPS "}\n");
    import_good(f, HEAD "hair:\n"
                        "  - {name: a, file: s.usda, group: 1, resample: 7, " MODEL "}\n"
                        "  - {name: b, file: s.usda, group: 0, " MODEL "}\n");
    rlt_frame_view view = import_advance(f, 8);
    assert_int_equal(view.source_count, 2);
    assert_true(view.sources[0]->resampled && !view.sources[1]->resampled);
    for (int k = 0; k < 2; k++) { /* either tells the whole prim */
        float points[36], velocities[36];
        rlt_source_points(view.sources[k], &view, points, velocities);
        for (int c = 0; c < 3; c++) {
            int tip = 3 * (4 * c + 3), strand = c == 1 ? 0 : (c == 0 ? 1 : 2);
            for (int x = 0; x < 3; x++) {
                int at = 3 * (view.first[strand + 1] - 1) + x;
                assert_true(fabs(points[tip + x] - 0.01 * view.points[at]) < 1e-7);
                assert_true(fabs(velocities[tip + x] - 0.01 * view.velocities[at]) < 1e-4);
            }
        }
    }
}

static void a_curve_in_two_sections_is_refused(void **state) {
    import *f = *state;
    import_write(f, "s.usda", USDA_HEAD USDA_SKIN USDA_CURVES GROUPS "}\n");
    import_refuse(f,
                  HEAD "hair:\n  - {name: a, file: s.usda, group: 0, " MODEL "}\n"
                       "  - {name: b, file: ./s.usda, " MODEL "}\n",
                  "s.yaml:7:21: hair[1].file: ",
                  "s.usda: /hair: hair[0] simulates 2 of its curves as well (0, 2); choose others by "
                  "hair.group, hair.prim or hair.guides");
    char line[1024];
    snprintf(line, sizeof line, "cp %ss.usda %sother.usda && mkdir %ssub && ln %ss.usda %ssub/s.usda",
             f->folder, f->folder, f->folder, f->folder, f->folder);
    assert_int_equal(system(line), 0);
    /* a copy is another file */
    import_good(f, HEAD "hair:\n  - {name: a, file: s.usda, " MODEL
                        "}\n  - {name: b, file: other.usda, " MODEL "}\n");
    /* a second name in another folder is not: what the file names beside itself would be others */
    import_refuse(f,
                  HEAD "hair:\n  - {name: a, file: s.usda, group: 0, " MODEL "}\n"
                       "  - {name: b, file: sub/s.usda, group: 1, " MODEL "}\n",
                  "s.yaml:7:21: hair[1].file: ", "sub/s.usda: is the same file as ");
    snprintf(line, sizeof line, "rm -r %ssub %sother.usda", f->folder, f->folder);
    assert_int_equal(system(line), 0);
}

static void check_refuses_what_simulate_refuses(void **state) {
    (void)state;
    put("twice.yaml", HEAD "hair:\n" WHOLE PARTS);
    assert_int_equal(ringlet("check twice.yaml"), 2);
    assert_says("twice.yaml:7:21: hair[1].file: ");
    assert_int_equal(ringlet("simulate twice.yaml -q -o twice.usda"), 2);
    assert_says("twice.yaml:8:21: hair[2].file: ");
    assert_int_not_equal(access("twice.usda", F_OK), 0);
}

/* Stopped after some frames and resumed, alone and shared among ranks. */
static void resumed_and_shared_runs_give_the_same_bytes(void **state) {
    (void)state;
    static const char *const names[] = {"r.usda", "r.usdc", "r.abc"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char line[512];
        snprintf(line, sizeof line, "simulate parts.yaml -q -t 1 --checkpoint 0 -o %s", names[i]);
        run_command(line);
        snprintf(line, sizeof line, "mv %s unbroken", names[i]);
        assert_int_equal(system(line), 0);
        /* too fast a strand ends the run; the last checkpoint stays */
        snprintf(line, sizeof line,
                 "simulate parts.yaml -q -t 1 --checkpoint 2 -o %s --set health.speed_limit=20", names[i]);
        assert_int_equal(ringlet(line), 3);
        snprintf(line, sizeof line, "simulate parts.yaml -q -t 1 --resume -o %s", names[i]);
        run_command(line);
        snprintf(line, sizeof line, "cmp unbroken %s", names[i]);
        assert_int_equal(system(line), 0);
    }
    mpi_needed();
    run_command("simulate parts.yaml -q -t 1 -o m.usda");
    assert_int_equal(rename("m.usda", "unbroken"), 0);
    assert_int_equal(mpi_run(2, "'" RLT_PROGRAM "' simulate parts.yaml -q -t 1 -o m.usda"), 0);
    assert_int_equal(system("cmp unbroken m.usda"), 0);
}

/* ---- curves that no section takes ---- */

#define MOVING_HEAD                                                                                          \
    "time: {first: 1, last: 4, outer_steps: 10, force_steps: 60, damping_steps: 20}\n"                       \
    "character: {kind: none}\ncolliders: []\n"

/* Three curves of three points that move by 5, 10 and 5 along x; the second one is in no section's group. */
static void put_moving(const char *path, const char *more) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("#usda 1.0\n(\n    defaultPrim = \"g\"\n    metersPerUnit = 0.01\n    upAxis = \"Y\"\n"
          "    timeCodesPerSecond = 24\n    startTimeCode = 1\n    endTimeCode = 4\n)\n"
          "def Xform \"g\"\n{\n    double3 xformOp:translate = (0, 7, 0)\n"
          "    uniform token[] xformOpOrder = [\"xformOp:translate\"]\n"
          "    def BasisCurves \"hair\"\n    {\n    uniform token type = \"linear\"\n"
          "    int[] curveVertexCounts = [3, 3, 3]\n    float[] widths = [0.1] (\n"
          "        interpolation = \"constant\"\n    )\n" GROUPS "    point3f[] points.timeSamples = {\n",
          file);
    static const int at[] = {0, 5, 15, 20};
    for (int frame = 1; frame <= 4; frame++) {
        fprintf(file, "        %d: [", frame);
        for (int i = 0; i < 9; i++)
            fprintf(file, "%s(%d, %d, 0.3)", i > 0 ? ", " : "", at[frame - 1] + 2 * (i / 3), -(i % 3));
        fputs("],\n", file);
    }
    fprintf(file, "    }\n%s    }\n}\n", more);
    assert_int_equal(fclose(file), 0);
}

/* The curve that was left out, which is strand `strand` of the file, has the places and speeds of its
 * source at every frame. */
static void expect_followed(const char *path, int strand, const double speeds[4]) {
    static const double at[] = {0, 5, 15, 20};
    rlt_messages *messages = rlt_messages_create();
    rlt_cache *cache = NULL;
    rlt_frame_view view = {.size = sizeof view};
    assert_int_equal(rlt_cache_open(path, messages, &cache), RLT_OK);
    for (int frame = 1; frame <= 4; frame++) {
        assert_int_equal(rlt_cache_view(cache, frame, messages, &view), RLT_OK);
        for (int i = 0; i < 3; i++) {
            const double *p = view.points + 3 * (view.first[strand] + i);
            const double *v = view.velocities + 3 * (view.first[strand] + i);
            if (fabs(p[0] - at[frame - 1] - 2) > 1e-5 || fabs(p[1] - 7 + i) > 1e-5 ||
                fabs(p[2] - 0.3) > 1e-5 || fabs(v[0] - speeds[frame - 1]) > 1e-3 || fabs(v[1]) > 1e-3)
                fail_msg("%s: frame %d, point %d: %g %g %g moves with %g %g", path, frame, i, p[0], p[1],
                         p[2], v[0], v[1]);
        }
    }
    rlt_cache_close(cache);
    rlt_messages_destroy(messages);
}

static void curves_of_no_section_follow_their_file(void **state) {
    (void)state;
    static const double differences[] = {120, 180, 180, 120}, stated[] = {9, 9, 9, 9};
    static const char *const options[] = {"f.usda", "f.usdc --standalone", "f.abc", "f.abc --unreal"};
    put_moving("moving.usda", "");
    put_moving("stated.usda", "    vector3f[] velocities = [(9,0,0), (9,0,0), (9,0,0), (9,0,0), (9,0,0), "
                              "(9,0,0), (9,0,0), (9,0,0), (9,0,0)]\n");
    put("moving.yaml", MOVING_HEAD "hair:\n  - {name: a, file: moving.usda, group: 0, " MODEL "}\n");
    put("stated.yaml", MOVING_HEAD "hair:\n  - {name: a, file: stated.usda, group: 0, " MODEL "}\n");
    put("beside.yaml", MOVING_HEAD "hair:\n  - {name: a, file: moving.usda, group: 0, " MODEL "}\n" OTHER);
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        char line[256], name[16];
        sscanf(options[i], "%15s", name);
        snprintf(line, sizeof line, "simulate moving.yaml -q -t 1 -o %s", options[i]);
        run_command(line);
        expect_followed(name, 1, differences);
    }
    run_command("simulate stated.yaml -q -t 1 -o f.usda");
    expect_followed("f.usda", 1, stated);
    run_command("simulate beside.yaml -q -t 1 -o f.usda");
    expect_followed("f.usda", 3, differences);
    run_command("simulate beside.yaml -q -t 1 -o f.abc");
    expect_followed("f.abc", 3, differences);
}

/* Curves of no section depend on the frame alone, not on where a run begins or who runs it. */
static void curves_of_no_section_are_the_same_when_resumed(void **state) {
    (void)state;
    put_moving("moving.usda", "");
    put("moving.yaml", HEAD "hair:\n  - {name: a, file: moving.usda, group: 0, " MODEL "}\n");
    run_command("simulate moving.yaml -q -t 1 -o w.usda");
    assert_int_equal(rename("w.usda", "unbroken"), 0);
    assert_int_equal(
        ringlet("simulate moving.yaml -q -t 1 --checkpoint 2 -o w.usda --set health.speed_limit=20"), 3);
    run_command("simulate moving.yaml -q -t 1 --resume -o w.usda");
    assert_int_equal(system("cmp unbroken w.usda"), 0);
    mpi_needed();
    assert_int_equal(mpi_run(2, "'" RLT_PROGRAM "' simulate moving.yaml -q -t 1 -o w.usda"), 0);
    assert_int_equal(system("cmp unbroken w.usda"), 0);
}

static int enter_folder(void **state) {
    (void)state;
    if (folder_enter("sections") != 0)
        return 1;
    put("s.usda", USDA_HEAD USDA_CURVES GROUPS "}\n");
    put("whole.yaml", HEAD "hair:\n" WHOLE);
    put("parts.yaml", HEAD "hair:\n" PARTS);
    put("whole-own.yaml", HEAD "hair:\n" WHOLE OTHER);
    put("parts-own.yaml", HEAD "hair:\n" PARTS OTHER);
    return 0;
}

#define IMPORT(test) cmocka_unit_test_setup_teardown(test, import_setup, import_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_give_the_bytes_of_the_whole),
        cmocka_unit_test(beside_generated_hair_there_is_one_prim),
        IMPORT(resampled_parts_keep_their_own_points),
        IMPORT(a_curve_in_two_sections_is_refused),
        cmocka_unit_test(check_refuses_what_simulate_refuses),
        cmocka_unit_test(resumed_and_shared_runs_give_the_same_bytes),
        cmocka_unit_test(curves_of_no_section_follow_their_file),
        cmocka_unit_test(curves_of_no_section_are_the_same_when_resumed),
    };
    return cmocka_run_group_tests(tests, enter_folder, folder_leave);
}
