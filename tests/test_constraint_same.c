/* Every kind of constraint gives the same bytes for any threads, ranks and SIMD builds, and after going on
 * from a checkpoint. */
#include "folder_fixture.h"
#include "mpi_fixture.h"
#include "ringlet/checkpoint.h"
#include "run_fixture.h"
#include "scene/schema.h"

/* Hair of a body that spins, in wind, with contacts, kept from sagging; and curves, with a rest shape that
 * follows, and a plate that move by their files; and a strand that falls. */
#define SCENE                                                                                                \
    "time: {last: 8, outer_steps: 4, force_steps: 16, damping_steps: 4}\ncharacter: {kind: file, file: "     \
    "body.usda}\n"                                                                                           \
    "motion: {kind: spin, spin: 4}\nwind: {velocity: [200, 0, 50], turbulence: 40}\n"                        \
    "hair:\n  - {name: own, preset: straight, region: all, count: 8, length: 12, segment: 2,\n"              \
    "     sag: {mode: solve}, reshape: {scale: on}}\n"                                                       \
    "  - {name: led, preset: straight, file: led.usda, bind: none, reshape: {curves: rest}}\n"               \
    "  - {name: loose, preset: straight, region: none, contact: {enabled: off}, drag: 0,\n"                  \
    "     strands: [[[0, 40, 0], [9, 40, 0], [18, 40, 0], [27, 40, 0]]]}\n"                                  \
    "colliders:\n  - {name: skin, kind: body}\n"                                                             \
    "  - {name: tie, kind: sphere, bone: torso, position: [0, 0, 0], radius: 3, group: tie}\n"               \
    "  - {name: plate, kind: mesh, file: plate.usda, group: tie}\n"

/* One row for each kind and what it holds by; a kind of the schema without any is a failure. */
static const struct {
    const char *kind, *rest;
} rows[] = {
    {"centroid", "hair: own, stiffness: 3000, along: [0.5, 1]"},
    {"centroid",
     "hair: own, hold: hard, first_strand: 3, last_strand: 6, weight: [[1, 0], [4, 1], [7, 0.5]]"},
    {"scalp", "hair: own, stiffness: 2000"},
    {"scalp", "hair: own, hold: hard, along: [0.6, 1]"},
    {"pin", "hair: own, ramp: [[0, 1], [1, 0.1]]"},
    {"pin", "hair: own, hold: hard, along: [0, 0.4], weight: [[3, 1], [5, 0]]"},
    {"pin", "hair: led, target: file, stiffness: 3000"},
    {"attach", "hair: own, object: skin"},
    {"attach", "hair: own, object: tie, along: [0.8, 1]"},
    {"attach", "hair: own, object: tie, grip: inside, along: [0.8, 1], weight: [[1, 0], [6, 1]]"},
    {"attach", "hair: led, object: plate, hold: hard, along: [0.9, 1]"},
    {"tips", "hair: own, touch: 40, stiffness: 2000, along: [0.7, 1]"},
    {"bound", "hair: own, bounds: [0.95, 1.0], stiffness: 3000"},
    {"bound", "hair: own, bounds: [0, 0.95], hold: hard, along: [0.99, 1]"},
    {"blend", "hair: own, ramp: 0.4"},
    {"blend", "hair: led, ramp: [[0, 0.9], [1, 0.2]], weight: [[1, 0.2], [5, 1]]"},
    {"pose", "hair: own, frame: 6, lead: 4, stay: 1"},
    {"pose", "hair: led, target: file, frame: 6, lead: 4, stay: 1, release: 1, hold: hard"},
    {"freeze", "hair: own, along: [0.5, 1], weight: [[2, 0], [3, 1], [6, 1], [7, 0]]"},
    {"field", "hair: own, object: skin, part: all, range: 6, stiffness: 1e4"},
    {"field", "hair: own, object: tie, range: 12, stiffness: 3000, weight: [[1, 0], [3, 1]]"},
    {"field", "hair: led, object: plate, range: 4, hold: hard"},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static void write_text(const char *name, const char *text) {
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

#define HEAD "#usda 1.0\n(\n    metersPerUnit = 0.01\n    upAxis = \"Y\"\n    timeCodesPerSecond = 24\n)\n"

static int enter_folder(void **state) {
    (void)state;
    if (folder_enter("constraint-same") != 0)
        return 1;
    write_text(
        "body.usda", HEAD
        "def Mesh \"body\"\n{\n    uniform token subdivisionScheme = \"none\"\n"
        "    int[] faceVertexCounts = [3, 3, 3, 3, 3, 3, 3, 3]\n"
        "    int[] faceVertexIndices = [0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, "
        "5]\n"
        "    point3f[] points = [(8, 0, 0), (-8, 0, 0), (0, 0, -8), (0, 0, 8), (0, 8, 0), (0, -8, 0)]\n}\n");
    write_text("led.usda",
               HEAD "def BasisCurves \"hair\"\n{\n    uniform token type = \"linear\"\n"
                    "    int[] curveVertexCounts = [5, 5]\n    point3f[] points.timeSamples = {\n"
                    "        1: [(0, 20, 0), (2, 20, 0), (4, 20, 0), (6, 20, 0), (8, 20, 0),\n"
                    "            (0, 22, 0), (2, 22, 0), (4, 22, 0), (6, 22, 0), (8, 22, 0)],\n"
                    "        8: [(0, 20, 0), (2, 21, 0), (4, 22, 0), (6, 23, 1), (8, 24, 1),\n"
                    "            (0, 22, 0), (2, 23, 0), (4, 24, 0), (6, 25, 1), (8, 26, 1)]\n    }\n}\n");
    write_text("plate.usda",
               HEAD "def Mesh \"plate\"\n{\n    uniform token subdivisionScheme = \"none\"\n"
                    "    int[] faceVertexCounts = [3]\n    int[] faceVertexIndices = [0, 1, 2]\n"
                    "    point3f[] points.timeSamples = {\n"
                    "        1: [(7, 19, -1), (10, 19, -1), (7, 19, 2)],\n"
                    "        6: [(7, 21, -1), (10, 20, -1), (5, 21, 2)]\n    }\n}\n");
    return 0;
}

static void begin(run *r, int row, rlt_simd simd, int threads) {
    run_begin(r, simd, threads, SCENE "constraints: {enabled: %s, kind: %s, %s}\n", row < 0 ? "off" : "on",
              rows[row < 0 ? 0 : row].kind, rows[row < 0 ? 0 : row].rest);
}

static void every_kind_has_a_row(void **state) {
    (void)state;
    const char *word = rlti_schema_row(rlti_schema_find("constraints.kind"))->range;
    while (word != NULL) {
        const char *end = strstr(word, " | ");
        size_t length = end != NULL ? (size_t)(end - word) : strlen(word);
        int found = 0;
        for (int row = 0; row < ROWS; row++)
            found += strlen(rows[row].kind) == length && strncmp(rows[row].kind, word, length) == 0;
        if (found == 0)
            fail_msg("constraints.kind: %.*s has no row in this test", (int)length, word);
        word = end != NULL ? end + 3 : NULL;
    }
}

/* Greatest distance between the points of two runs. */
static double apart(const run *a, const run *b) {
    rlt_frame_view u = run_view(a), v = run_view(b);
    double worst = 0.0;
    for (size_t p = 0; p < (size_t)u.point_count; p++)
        worst = fmax(worst, run_distance(u.points + 3 * p, v.points + 3 * p));
    return worst;
}

static void assert_same(int row, const run *a, const run *b, const char *what) {
    if (rlt_simulation_hash(a->simulation) != rlt_simulation_hash(b->simulation))
        fail_msg("%s, %s: other bytes %s", rows[row].kind, rows[row].rest, what);
}

/* Of each row: one thread; three of the portable build; two that go on from a checkpoint; and doubles, which
 * tell how much is rounding. */
static void threads_simd_and_checkpoints_do_not_show(void **state) {
    (void)state;
    double most = 0.0, least = HUGE_VAL;
    run loose;
    begin(&loose, -1, RLT_SIMD_AUTO, 1);
    run_frames(&loose, 4);
    for (int row = 0; row < ROWS; row++) {
        run one, three, later, doubles;
        begin(&one, row, RLT_SIMD_AUTO, 1);
        begin(&three, row, RLT_SIMD_PORTABLE, 3);
        begin(&later, row, RLT_SIMD_AUTO, 2);
        begin(&doubles, row, RLT_SIMD_REFERENCE, 1);
        run_frames(&one, 2);
        run_frames(&doubles, 2);
        most = fmax(most, apart(&one, &doubles));
        assert_int_equal(rlt_checkpoint_write("held.checkpoint", one.simulation, NULL, one.messages), RLT_OK);
        assert_int_equal(rlt_checkpoint_read("held.checkpoint", later.simulation, later.messages), RLT_OK);
        run_frames(&one, 2);
        run_frames(&three, 4);
        run_frames(&later, 2);
        assert_same(row, &one, &three, "with three threads of the portable build");
        assert_same(row, &one, &later, "after a checkpoint");
        least = fmin(least, apart(&one, &loose));
        run_end(&one);
        run_end(&three);
        run_end(&later);
        run_end(&doubles);
    }
    run_end(&loose);
    print_message("floats and doubles differ by up to %.2g units after two frames; every constraint moves a "
                  "point by %.2g or more\n",
                  most, least);
    assert_true(most < 1e-3);
    assert_true(least > 0.01);
}

/* As constraints.weight says. */
static void weight_zero_is_nothing(void **state) {
    (void)state;
    run loose;
    begin(&loose, -1, RLT_SIMD_AUTO, 1);
    run_frames(&loose, 4);
    for (int row = 0; row < ROWS; row++) {
        run r;
        if (strstr(rows[row].rest, "weight") != NULL)
            continue;
        run_begin(&r, RLT_SIMD_AUTO, 1, SCENE "constraints: {kind: %s, %s, weight: 0}\n", rows[row].kind,
                  rows[row].rest);
        run_frames(&r, 4);
        assert_same(row, &loose, &r, "although its weight is 0");
        run_end(&r);
    }
    run_end(&loose);
}

/* The loose strand falls faster than this after frame 4; nothing else is half as fast. */
#define LIMIT  "150"
#define BROKEN "4"

/* All of them at once, so that mpirun is started only twice; those that hold hard would fight. */
static void ranks_do_not_show(void **state) {
    (void)state;
    mpi_needed();
    static char text[8192] = SCENE "constraints:\n";
    for (int row = 0; row < ROWS; row++)
        if (strstr(rows[row].rest, "hard") == NULL || strstr(rows[row].rest, "weight") != NULL)
            snprintf(text + strlen(text), sizeof text - strlen(text), "  - {name: c%d, kind: %s, %s}\n", row,
                     rows[row].kind, rows[row].rest);
    write_text("all.yaml", text);
    assert_int_equal(ringlet("simulate all.yaml -o one.usda --quiet --threads 2"), 0);
    for (int ranks = 2; ranks <= 3; ranks++) {
        assert_int_equal(mpi_run(ranks, RLT_PROGRAM " simulate all.yaml -o many.usda --quiet --threads 1"),
                         0);
        assert_int_equal(system("cmp one.usda many.usda"), 0);
    }
    /* broken off by a limit on the way, and gone on with by others */
    for (int ranks = 1; ranks <= 3; ranks += 2) {
        char line[256];
        assert_int_equal(system("rm -f many.usda*"), 0);
        assert_int_equal(mpi_run(2, RLT_PROGRAM " simulate all.yaml -o many.usda --quiet --threads 1 "
                                                "--checkpoint 1 --set health.speed_limit=" LIMIT),
                         3);
        assert_int_equal(access("many.usda.checkpoint", F_OK), 0);
        snprintf(line, sizeof line,
                 RLT_PROGRAM " simulate all.yaml -o many.usda --json --threads 1 --resume");
        assert_int_equal(mpi_run(ranks, line), 0);
        assert_non_null(strstr(out_text, "\"resumed_from\": " BROKEN));
        assert_int_equal(system("cmp one.usda many.usda"), 0);
    }
}

/* What is told about sag is the same too: of strands that are alike the first is named, and those that are
 * kicked are the same. */
static void ranks_do_not_show_in_what_is_told(void **state) {
    (void)state;
    mpi_needed();
    static char alone[TEXT_SIZE], text[4096];
    size_t used = (size_t)snprintf(
        text, sizeof text,
        "time: {last: 2, outer_steps: 20, force_steps: 20, damping_steps: 8}\ncharacter: {kind: none}\n"
        "hair: {name: row, preset: straight, region: none, formulation: paper, contact: {enabled: off},\n"
        "  sag: {mode: solve}, strands: [");
    for (int s = 0; s < 20; s++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "[[0, 0, %d], [4, 0, %d], [8, 0, %d], [12, 0, %d]]%s", s, s, s, s,
                                 s < 19 ? ", " : "]}\n");
    write_text("alike.yaml", text);
    assert_int_equal(ringlet("simulate alike.yaml -o one.usda --quiet --threads 1"), 0);
    memcpy(alone, err_text, sizeof alone);
    assert_non_null(strstr(alone, " times (strand 0)"));
    assert_non_null(strstr(alone, "of 20 that have no other check, 16 were kicked"));
    assert_int_equal(mpi_run(2, RLT_PROGRAM " simulate alike.yaml -o many.usda --quiet --threads 1"), 0);
    assert_string_equal(err_text, alone);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_has_a_row),
        cmocka_unit_test(weight_zero_is_nothing),
        cmocka_unit_test(threads_simd_and_checkpoints_do_not_show),
        cmocka_unit_test(ranks_do_not_show),
        cmocka_unit_test(ranks_do_not_show_in_what_is_told),
    };
    return cmocka_run_group_tests(tests, enter_folder, folder_leave);
}
