/* Whole runs with colliders from files: cloth in the way, a cut in the animation, hair groomed inside. */
#include "run_fixture.h"

#include "obj_fixture.h"

/* A closed box of 12 triangles, or its top alone. */
static void write_box(const char *folder, const char *name, const double low[3], const double high[3],
                      int only_front) {
    char text[1024];
    size_t used = 0;
    for (int i = 0; i < 8; i++)
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "v %.9g %.9g %.9g\n", i & 1 ? high[0] : low[0],
                             i & 2 ? high[1] : low[1], i & 4 ? high[2] : low[2]);
    snprintf(text + used, sizeof text - used, "%s",
             only_front ? "f 5 6 8 7\n"
                        : "f 5 6 8 7\nf 1 3 4 2\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n");
    obj_write(folder, name, text);
}

/* Straight hair hangs from y = 0 down to -20 along z = 0. `front` moves sheets and boxes along z. */
#define HANGING                                                                                              \
    "character: {kind: none}\n"                                                                              \
    "hair: {region: none, style: straight, count: 3, length: 20, spacing: 3, length_variation: 0, drag: 2, " \
    "core: {stiffness: 0, stiffness_max: 0}, collide: {%s}}\n"

static double least_z(const run *r, int from_point) {
    rlt_frame_view view = run_view(r);
    double least = INFINITY;
    for (int s = 0; s < view.strand_count; s++)
        for (int p = view.first[s] + from_point; p < view.first[s + 1]; p++)
            least = fmin(least, view.points[3 * p + 2]);
    return least;
}

/* A sheet, 6 units below the roots and lower, sweeps forward through where hair hangs, by `step` units a
 * frame: all points below its rim stay in front of it. */
static void check_sweep(const char *folder, double step, int frames) {
    char name[64];
    for (int f = 1; f <= frames; f++) {
        double z = -2.0 + step * (f - 1), low[3] = {-9, -30, z - 1}, high[3] = {9, -6, z};
        snprintf(name, sizeof name, "cloth.%03d.obj", f);
        write_box(folder, name, low, high, 1);
    }
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 2,
              "time: {last: %d, outer_steps: 60}\ncolliders: {kind: mesh, name: cloth, file: "
              "'%scloth.###.obj'}\n" HANGING,
              frames, folder, "thickness: 0.3");
    int behind = 0;
    double deepest = 0.0;
    for (int f = 2; f <= frames; f++) {
        run_frames(&r, 1);
        rlt_frame_view view = run_view(&r);
        double z = -2.0 + step * (f - 1);
        for (int p = 0; p < view.point_count; p++)
            if (view.points[3 * p + 1] < -6.5 && view.points[3 * p + 2] < z) {
                behind++;
                deepest = fmax(deepest, z - view.points[3 * p + 2]);
            }
    }
    if (behind > 0)
        print_message("sweep by %g a frame: %d points behind, deepest %.3f\n", step, behind, deepest);
    assert_true(deepest < 0.3);
    assert_true(least_z(&r, 12) > 0.5); /* it has indeed been carried along */
    run_end(&r);
    for (int f = 1; f <= frames; f++) {
        snprintf(name, sizeof name, "cloth.%03d.obj", f);
        obj_remove(folder, name);
    }
}

static void test_cloth_carries_hair(void **state) {
    check_sweep(*state, 0.5, 14);
    check_sweep(*state, 2.0, 6);
    check_sweep(*state, 12.0, 3); /* 288 unit/s */
}

/* A box stands beside the hair and jumps 100 units, onto it: nothing diverges, the run tells it once, and
 * hair comes out at no more than the push's speed. */
static void test_jump_onto_hair(void **state) {
    const char *folder = *state;
    char name[64];
    for (int f = 1; f <= 24; f++) {
        double x = f < 4 ? -100.0 : 0.0, low[3] = {x - 9, -14, -3}, high[3] = {x + 9, -8, 3};
        snprintf(name, sizeof name, "box.%03d.obj", f);
        write_box(folder, name, low, high, 0);
    }
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 2,
              "time: {last: 24, outer_steps: 60}\ncolliders: {kind: mesh, name: box, file: "
              "'%sbox.###.obj'}\n" HANGING,
              folder, "thickness: 0.3");
    double fastest = 0.0;
    for (int f = 2; f <= 24; f++) {
        run_frames(&r, 1);
        rlt_frame_view view = run_view(&r);
        for (int p = 0; p < view.point_count; p++)
            fastest = fmax(fastest, fabs(view.velocities[3 * p]));
    }
    assert_int_equal(rlt_messages_count(r.messages), 1);
    assert_non_null(strstr(rlt_messages_text(r.messages, 0), "test: collider 'box' jumps from frame 3 to 4"));
    assert_true(fastest < 150.0); /* the jump's own speed would be 2400 */
    rlt_frame_view view = run_view(&r);
    int inside = 0;
    for (int p = 0; p < view.point_count; p++)
        inside += view.points[3 * p + 1] > -13.5 && view.points[3 * p + 1] < -8.5 &&
                  fabs(view.points[3 * p + 2]) < 2.7;
    assert_int_equal(inside, 0);
    run_end(&r);
    for (int f = 1; f <= 24; f++) {
        snprintf(name, sizeof name, "box.%03d.obj", f);
        obj_remove(folder, name);
    }
}

/* Hair groomed through a box: left as it is, or pushed out within a second; told with counts. */
static void test_groomed_inside(void **state) {
    const char *folder = *state;
    const double low[3] = {-9, -14, -1}, high[3] = {9, -8, 4};
    write_box(folder, "box.obj", low, high, 0);
    for (int push = 0; push <= 1; push++) {
        run r;
        run_begin(&r, RLT_SIMD_AUTO, 2,
                  "time: {last: 30, outer_steps: 60}\ncolliders: {kind: mesh, name: box, file: "
                  "'%sbox.obj'}\n" HANGING,
                  folder, push ? "inside: push" : "inside: leave");
        assert_int_equal(rlt_messages_count(r.messages), 1);
        assert_non_null(strstr(rlt_messages_text(r.messages, 0),
                               " points of 3 strands lie inside a collider (first "
                               "in strand 0); they "));
        assert_non_null(strstr(rlt_messages_text(r.messages, 0),
                               push ? "are pushed out gently" : "keep their groomed depth"));
        run_frames(&r, 28);
        double z = 0.0;
        rlt_frame_view view = run_view(&r);
        int inside = 0;
        for (int p = 0; p < view.point_count; p++)
            if (view.points[3 * p + 1] > -13.6 && view.points[3 * p + 1] < -8.4) {
                z = fmax(z, fabs(view.points[3 * p + 2] - view.rest[3 * p + 2]));
                inside += view.points[3 * p + 2] > -0.95 && view.points[3 * p + 2] < 3.95;
            }
        if (push)
            assert_int_equal(inside, 0);
        else
            assert_true(inside > 9 && z < 0.2);
        run_end(&r);
    }
    obj_remove(folder, "box.obj");
}

/* A groom that passes through a sheet is told, and goes on passing. */
static void test_groomed_through_a_sheet(void **state) {
    const char *folder = *state;
    obj_write(folder, "floor.obj", "v -9 -10 -9\nv -9 -10 9\nv 9 -10 9\nv 9 -10 -9\nf 1 2 3 4\n");
    run r;
    run_begin(
        &r, RLT_SIMD_AUTO, 1,
        "time: {last: 10, outer_steps: 60}\ncolliders: {kind: mesh, name: f, file: '%sfloor.obj'}\n" HANGING,
        folder, "inside: leave");
    assert_int_equal(rlt_messages_count(r.messages), 2);
    assert_non_null(strstr(rlt_messages_text(r.messages, 1),
                           "hair 'hair': 3 strands pass through a sheet (first strand 0); they may stay so"));
    run_frames(&r, 8);
    rlt_frame_view view = run_view(&r);
    for (int s = 0; s < 3; s++)
        assert_true(view.points[3 * (view.first[s + 1] - 1) + 1] < -18.0);
    run_end(&r);
    obj_remove(folder, "floor.obj");
}

/* Files are looked for beside the scene's file. */
static void test_paths_count_from_the_scene(void **state) {
    const char *folder = *state;
    const double low[3] = {-9, -14, 0.5}, high[3] = {9, -8, 4};
    char path[128], told[256];
    write_box(folder, "box.obj", low, high, 0);
    obj_write(folder, "s.yaml",
              "character: {kind: none}\nhair: {region: none, count: 1, length: 5}\n"
              "colliders: {kind: mesh, file: box.obj}\n");
    snprintf(path, sizeof path, "%ss.yaml", folder);
    rlt_messages *messages = rlt_messages_create();
    static const char *const absent[] = {"colliders.file=no.obj"};
    for (int bad = 0; bad <= 1; bad++) {
        rlt_scene *scene;
        rlt_simulation *simulation;
        assert_int_equal(rlt_scene_load_file(path, absent, bad, messages, &scene), RLT_OK);
        assert_int_equal(rlt_simulation_create(scene, NULL, messages, &simulation),
                         bad ? RLT_BAD_INPUT : RLT_OK);
        rlt_simulation_destroy(simulation);
        rlt_scene_destroy(scene);
    }
    snprintf(told, sizeof told, "%s: %sno.obj: cannot be read: No such file or directory", path, folder);
    assert_int_equal(rlt_messages_count(messages), 1);
    assert_string_equal(rlt_messages_text(messages, 0), told);
    rlt_messages_destroy(messages);
    obj_remove(folder, "box.obj");
    obj_remove(folder, "s.yaml");
}

/* The same bytes for any number of threads. */
static void test_threads_do_not_matter(void **state) {
    const char *folder = *state;
    const double low[3] = {-9, -14, 0.5}, high[3] = {9, -8, 4};
    write_box(folder, "box.obj", low, high, 0);
    uint64_t hash[2];
    for (int threads = 1; threads <= 2; threads++) {
        run r;
        run_begin(&r, RLT_SIMD_AUTO, threads,
                  "time: {last: 10, outer_steps: 60}\nmotion: {kind: walk}\ncolliders:\n- {kind: mesh, file: "
                  "'%sbox.obj', "
                  "bone: head}\n- {radius: 3, position: [0, -5, 3]}\n" HANGING,
                  folder, "inside: push");
        run_frames(&r, 5);
        hash[threads - 1] = rlt_simulation_hash(r.simulation);
        run_end(&r);
    }
    assert_true(hash[0] == hash[1]);
    obj_remove(folder, "box.obj");
}

static int make_folder(void **state) {
    static char folder[64];
    obj_folder("scenes", folder, sizeof folder);
    *state = folder;
    return 0;
}

static int remove_folder(void **state) {
    rmdir(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cloth_carries_hair),
        cmocka_unit_test(test_jump_onto_hair),
        cmocka_unit_test(test_groomed_inside),
        cmocka_unit_test(test_groomed_through_a_sheet),
        cmocka_unit_test(test_paths_count_from_the_scene),
        cmocka_unit_test(test_threads_do_not_matter),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
