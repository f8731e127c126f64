/* Warm-up frames: the pose eases in from the rest pose, for bones, keys and bodies from files. */
#include "import_fixture.h"

#include "body/body.h"
#include "scene/scene_data.h"

static const char keyed[] = "time: {first: 1, last: 3, preroll: %d, preroll_pose: %s, outer_steps: 30, "
                            "force_steps: 15, damping_steps: 3}\n"
                            "character: {kind: none, keys: [[1, 30, 0, 0, 0, 0, 80]]}\n"
                            "hair: {preset: horse, region: none, count: 2, length: 10, sag: {mode: solve}}\n";

typedef struct loaded {
    rlt_messages *messages;
    rlt_scene *scene;
    rlt_simulation *simulation;
    rlt_frame_view view;
} loaded;

static void load(loaded *l, int preroll, const char *pose) {
    char text[1024];
    snprintf(text, sizeof text, keyed, preroll, pose);
    l->messages = rlt_messages_create();
    assert_int_equal(rlt_scene_load_text("test", text, strlen(text), NULL, 0, l->messages, &l->scene),
                     RLT_OK);
    assert_int_equal(rlt_simulation_create(l->scene, NULL, l->messages, &l->simulation), RLT_OK);
    l->view.size = sizeof l->view;
    rlt_simulation_view(l->simulation, &l->view);
}

static void unload(loaded *l) {
    rlt_simulation_destroy(l->simulation);
    rlt_scene_destroy(l->scene);
    rlt_messages_destroy(l->messages);
}

static double distance(const double *a, const double *b) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

/* Hair begins as groomed, its root moves smoothly to the first pose and stands there in the last quarter. */
static void test_hair_starts_from_its_groom(void **state) {
    (void)state;
    loaded ease, hold;
    load(&ease, 16, "ease");
    load(&hold, 16, "first");
    int points = ease.view.point_count;
    double turned = 0.0;
    for (int p = 0; p < points; p++) {
        assert_true(distance(ease.view.points + 3 * p, ease.view.rest + 3 * p) < 1e-9);
        assert_true(distance(ease.view.velocities + 3 * p, (const double[3]){0, 0, 0}) < 10.0); /* hardly */
        turned = fmax(turned, distance(hold.view.points + 3 * p, hold.view.rest + 3 * p));
    }
    assert_true(turned > 20.0);
    double before[3], way = 0.0, longest = 0.0;
    memcpy(before, ease.view.points, sizeof before);
    while (ease.view.frame < 1) {
        assert_int_equal(rlt_simulation_advance(ease.simulation, ease.messages), RLT_OK);
        rlt_simulation_view(ease.simulation, &ease.view);
        double step = distance(ease.view.points, before);
        way += step;
        longest = fmax(longest, step);
        memcpy(before, ease.view.points, sizeof before);
        if (ease.view.frame > 1 - 4)
            assert_true(step < 1e-9);
    }
    assert_true(distance(ease.view.points, hold.view.points) < 1e-9); /* there, to the rounding of floats */
    assert_true(longest < 0.25 * way);
    unload(&ease);
    unload(&hold);
}

/* No preroll, or the first frame and later: the word changes nothing. */
static void test_the_shot_itself_is_the_same(void **state) {
    (void)state;
    loaded ease, hold;
    load(&ease, 0, "ease");
    load(&hold, 0, "first");
    for (int frame = 0; frame < 2; frame++) {
        assert_true(rlt_simulation_hash(ease.simulation) == rlt_simulation_hash(hold.simulation));
        assert_int_equal(rlt_simulation_advance(ease.simulation, ease.messages), RLT_OK);
        assert_int_equal(rlt_simulation_advance(hold.simulation, hold.messages), RLT_OK);
    }
    unload(&ease);
    unload(&hold);
}

/* A body from a file goes from the pose of the file's rest to that of the first frame. */
static void test_bodies_from_files(void **state) {
    import *f = *state;
    import_write(
        f, "b.usda",
        "#usda 1.0\n(\n    metersPerUnit = 0.01\n    upAxis = \"Y\"\n    timeCodesPerSecond = 24\n)\n"
        "def Mesh \"body\"\n{\n    uniform token subdivisionScheme = \"none\"\n"
        "    int[] faceVertexCounts = [3]\n    int[] faceVertexIndices = [0, 1, 2]\n"
        "    point3f[] points.timeSamples = {\n"
        "        1: [(0, 0, 0), (0, 0, 5), (5, 0, 0)],\n"
        "        20: [(0, 8, 0), (0, 8, 5), (5, 12, 0)]\n    }\n}\n");
    rlt_frame_view view = import_good(
        f,
        "time: {first: 20, last: 21, preroll: 8, preroll_pose: ease, outer_steps: 10, force_steps: 20}\n"
        "character: {kind: file, file: b.usda}\ncolliders: {kind: body, enabled: off}\n"
        "hair: {preset: straight, region: all, strands: [[[1, 0, 1], [1, 1, 1], [1, 2, 1], [1, 3, 1]]]}\n");
    assert_int_equal(view.frame, 12);
    assert_true(fabs(view.vertices[1]) < 1e-9 && fabs(view.points[1]) < 1e-9);
    double last = 0.0;
    while (view.frame < 20) {
        assert_int_equal(rlt_simulation_advance(f->simulation, f->messages), RLT_OK);
        rlt_simulation_view(f->simulation, &view);
        assert_true(view.vertices[1] >= last);
        last = view.vertices[1];
        if (view.frame == 15) /* half of six frames */
            assert_true(fabs(view.vertices[1] - 4.0) < 1e-6);
    }
    assert_true(fabs(view.vertices[1] - 8.0) < 1e-6 && fabs(view.vertices[7] - 12.0) < 1e-6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hair_starts_from_its_groom),
        cmocka_unit_test(test_the_shot_itself_is_the_same),
        cmocka_unit_test_setup_teardown(test_bodies_from_files, import_setup, import_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
