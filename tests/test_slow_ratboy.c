/* A production groom on its body, moved by an animated transform: 2,228 strands of 32 points, one of them
 * 0.0007 units long. */
#include "data_fixture.h"
#include "import_fixture.h"

#define RATBOY "ratboy_mohawk_2228x32.usda"

static const char *const scene =
    "time: {first: 1, last: 24, outer_steps: 12, force_steps: 18, damping_steps: 14}\n"
    "character: {kind: file, file: move.usda}\n"
    "hair:\n"
    "  file: move.usda\n"
    "  segment_floor: 0.5\n"
    "  stretch: {stiffness: 2e5, damping: 300}\n"
    "  bend: {stiffness: [[0, 2e4], [1, 500]], damping: [[0, 300], [1, 40]]}\n"
    "  core: {stiffness: 0, stiffness_max: 0, damping: 0, damping_max: 0}\n"
    "  collide: {thickness: 0.1}\n"
    "  contact: {enabled: off}\n";

/* A file of the data folder, from the root on: scenes and layers count paths from their own folder. */
static int whole_path(const char *name, char *path, size_t size) {
    char given[1024], here[1024];
    if (!data_path(name, given, sizeof given))
        return 0;
    assert_non_null(getcwd(here, sizeof here));
    snprintf(path, size, "%s%s%s", given[0] == '/' ? "" : here, given[0] == '/' ? "" : "/", given);
    return 1;
}

/* A layer that refers to the groom and moves it. */
static int write_layer(import *f) {
    char path[2100], text[4096];
    if (!whole_path(RATBOY, path, sizeof path))
        return 0;
    snprintf(text, sizeof text,
             "#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = \"Y\"\n    timeCodesPerSecond = 24\n"
             "    startTimeCode = 1\n    endTimeCode = 24\n)\n"
             "def Xform \"World\"\n{\n"
             "    double3 xformOp:translate.timeSamples = { 1: (0, 0, 0), 8: (0.02, 0.01, 0.1), 12: (-0.05, "
             "0, 0.3), "
             "24: (0, 0, 0.2) }\n"
             "    double xformOp:rotateY.timeSamples = { 1: 0, 6: 30, 12: -40, 24: 20 }\n"
             "    uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:rotateY\"]\n"
             "    def \"Rat\" (\n        references = @%s@\n    )\n    {\n    }\n}\n",
             path);
    import_write(f, "move.usda", text);
    return 1;
}

static double edge(const double *points, int p) {
    return run_distance(points + 3 * p, points + 3 * (p - 1));
}

static void test_ratboy(void **state) {
    import *f = *state;
    if (!write_layer(f))
        return;
    rlt_frame_view view = import_good(f, scene);
    rlt_statistics stats = {.size = sizeof stats};
    rlt_simulation_statistics(f->simulation, &stats);
    print_message("read and bound in %.3f s\n", rlt_named_find(stats.phases, stats.phase_count, "load"));
    assert_int_equal(view.strand_count, 2228);
    assert_int_equal(view.point_count, 71296);
    import_expect(f, "s.yaml:4:9: hair.file: ",
                  "/World/Rat/mohawk: 1 near-degenerate curve, with segments down to 1.3e-05 "
                  "units (435)");
    import_expect(
        f, "s.yaml:4:9: hair.file: ",
        "2228 roots bound to the closest point; distance to the body: mean 0.00242, median 2.34e-05, worst "
        "0.0694 (curve 740)");
    double longest = 0.0, fastest = 0.0;
    while (view.frame < 24) {
        view = import_advance(f, 1); /* the health check stops what diverges */
        rlt_simulation_statistics(f->simulation, &stats);
        fastest = fmax(fastest, stats.fastest);
        for (int s = 0; s < view.strand_count; s++)
            for (int p = view.first[s] + 1; p < view.first[s + 1]; p++)
                longest = fmax(longest, edge(view.points, p) / edge(view.rest, p));
    }
    print_message("longest edge %.3f of its rest length, fastest point %.0f unit/s\n", longest, fastest);
    assert_true(longest < 1.11);
    assert_true(fastest < 1000.0); /* the body moves at some 200 */
    /* what is written over the source is near where the groom was: the body carries it in the prim's space */
    const rlt_source *source = view.sources[0];
    float *points = malloc(3 * sizeof(float) * (size_t)source->point_count);
    assert_non_null(points);
    rlt_source_points(source, &view, points, NULL);
    double furthest = 0.0;
    for (int s = 0; s < view.strand_count; s++) {
        const float *a = points + 3 * 32 * (size_t)s, *b = source->points + 3 * 32 * (size_t)s;
        double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
        furthest = fmax(furthest, sqrt(x * x + y * y + z * z));
    }
    free(points);
    assert_true(furthest < 1e-4); /* roots, in metres */
}

/* The same groom from every format is the same strands. */
static void test_formats_agree(void **state) {
    import *f = *state;
    static const char *const names[] = {RATBOY, "ratboy_mohawk_2228x32.hair", "Ratboy_mohawk.tfx"};
    double *first = NULL;
    for (int i = 0; i < 3; i++) {
        char path[2100], text[4096];
        if (!whole_path(names[i], path, sizeof path))
            break;
        snprintf(text, sizeof text,
                 "files: {metres_per_unit: 1}\ncharacter: {kind: none}\nhealth: {check_steps: off}\n"
                 "hair: {file: %s, contact: {enabled: off}}\n",
                 path);
        rlt_frame_view view = import_good(f, text);
        size_t size = 3 * sizeof(double) * (size_t)view.point_count;
        rlt_statistics stats = {.size = sizeof stats};
        rlt_simulation_statistics(f->simulation, &stats);
        print_message("%s: read in %.3f s\n", names[i],
                      rlt_named_find(stats.phases, stats.phase_count, "load"));
        if (first == NULL) {
            first = malloc(size);
            assert_non_null(first);
            memcpy(first, view.rest, size);
        }
        assert_int_equal(view.point_count, 71296);
        assert_memory_equal(first, view.rest, size);
    }
    free(first);
}

/* The number behind `words` in a message. */
static double number_behind(const char *text, const char *words) {
    const char *at = strstr(text, words);
    if (at == NULL)
        fail_msg("'%s' is not in: %s", words, text);
    return strtod(at + strlen(words), NULL);
}

/* Builds the groom with `more` of its hair and `time`; the first error, or "". */
static void build_with(const char *time, const char *more, char error[1024]) {
    char path[2100], text[4096];
    rlt_scene *built = NULL;
    rlt_simulation *simulation = NULL;
    rlt_simulation_def def = {.size = sizeof def};
    rlt_messages *messages = rlt_messages_create();
    assert_true(whole_path(RATBOY, path, sizeof path));
    snprintf(text, sizeof text, "time: {%s}\ncharacter: {kind: none}\nhair: {file: %s, bind: none%s}\n", time,
             path, more);
    assert_int_equal(rlt_scene_load_text("s.yaml", text, strlen(text), NULL, 0, messages, &built), RLT_OK);
    rlt_status status = rlt_simulation_create(built, &def, messages, &simulation);
    error[0] = 0;
    for (int i = 0; status != RLT_OK && i < rlt_messages_count(messages) && error[0] == 0; i++)
        if (rlt_messages_severity(messages, i) == RLT_ERROR)
            snprintf(error, 1024, "%s", rlt_messages_text(messages, i));
    assert_true((status == RLT_OK) == (error[0] == 0));
    rlt_simulation_destroy(simulation);
    rlt_scene_destroy(built);
    rlt_messages_destroy(messages);
}

/* What a refusal offers is enough, remedy by remedy. */
static void test_remedies_hold(void **state) {
    char error[1024], again[1024], more[256];
    (void)state;
    if (!whole_path(RATBOY, error, sizeof error))
        return;
    build_with("steps: fixed", "", error);
    assert_non_null(strstr(error, "too few for the stiffness"));
    double share = number_behind(error, "set hair.segment_floor to ");
    snprintf(more, sizeof more, ", segment_floor: %g", share);
    build_with("steps: fixed", more, again);
    assert_null(strstr(again, "for the stiffness"));
    /* of the damping, which asks for more than a floor can give */
    assert_null(strstr(again, "set hair.segment_floor"));
    snprintf(more, sizeof more, ", segment_floor: 1, resample_segment: %g",
             number_behind(again, "make segments "));
    build_with("steps: fixed", more, again);
    assert_string_equal(again, "");
    /* stiffer: all segments are too short, so a floor is not offered, but a resampling */
    build_with("steps: auto", ", bend: {stiffness: 1e9}", error);
    assert_null(strstr(error, "set hair.segment_floor"));
    snprintf(more, sizeof more, ", bend: {stiffness: 1e9}, segment_floor: 1, resample_segment: %g",
             number_behind(error, "make segments "));
    build_with("steps: auto", more, again);
    assert_string_equal(again, "");
    snprintf(more, sizeof more, "force_steps: %g", number_behind(error, "raise it to "));
    build_with(more, ", bend: {stiffness: 1e9}", again);
    assert_string_equal(again, "");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, import_setup, import_teardown)
    const struct CMUnitTest tests[] = {TEST(test_ratboy), TEST(test_formats_agree), TEST(test_remedies_hold)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
