/* Bodies as contacts of edges, solved with Rods: what planes of points do not see. Hair lies on bodies that
 * are thinner than its edges, does not pass through thin ones, and is not pushed as groomed. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "folder_fixture.h"
#include "model_fixture.h"
#include "obj_fixture.h"

/* A hair along z whose root is at z = -3, one unit an edge: it swings down onto what is at z = `z`. */
#define SWINGS                                                                                               \
    "hair: {name: falls, model: rod, rod: {steps: %d}, collide: {thickness: 0.1}, contact: {%s}, strands:"   \
    " [[[0, %g, -3], [0, %g, -2], [0, %g, -1], [0, %g, 0], [0, %g, 1], [0, %g, 2], [0, %g, 3],"              \
    " [0, %g, 4]]]}\n"

static void begin(run *r, int threads, rlt_simd simd, const char *body, int steps, const char *contact,
                  double y) {
    run_begin(r, simd, threads, "time: {last: 99}\ncharacter: {kind: none}\n%s" SWINGS, body, steps, contact,
              y, y, y, y, y, y, y, y);
}

/* Height of the hair where it crosses z. */
static double height_at(const run *r, double z) {
    rlt_frame_view view = run_view(r);
    for (int i = 0; i < 7; i++) {
        const double *a = view.points + (size_t)3 * (size_t)i, *b = a + 3;
        if (a[2] <= z && b[2] > z)
            return a[1] + (b[1] - a[1]) * (z - a[2]) / (b[2] - a[2]);
    }
    return -1e9;
}

/* A box from a corner to the opposite one. */
static void write_box(const char *folder, const char *name, const double low[3], const double high[3]) {
    char text[1024];
    size_t used = 0;
    for (int v = 0; v < 8; v++)
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "v %.9g %.9g %.9g\n", v & 1 ? high[0] : low[0],
                             v & 2 ? high[1] : low[1], v & 4 ? high[2] : low[2]);
    snprintf(text + used, sizeof text - used,
             "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n");
    obj_write(folder, name, text);
}

/* One fall: the lowest height at z, and what must hold in every frame. */
static double fall(const char *body, int steps, int solved, double y, double z, double *rest) {
    double lowest = 1e9;
    run r;
    begin(&r, 1, RLT_SIMD_AUTO, body, steps, solved ? "method: solve" : "enabled: off", y);
    for (int f = 0; f < 50; f++) {
        run_frames(&r, 1);
        lowest = fmin(lowest, height_at(&r, z));
        rlt_statistics s = run_statistics(&r);
        assert_true(s.longest < 1.02);
        assert_int_equal(s.solved_passed + s.crossings_bodies, 0);
    }
    *rest = height_at(&r, z);
    run_end(&r);
    return lowest;
}

/* Falls from some heights, in one step a frame and in several: it never gets below `top`, lies there, and
 * falls through at least `falls` times where contacts are not solved, so the test could fail. */
static void fall_onto(const char *body, double z, double top, double higher, int falls) {
    const int steps[3] = {1, 3, 8};
    int through = 0;
    for (int k = 0; k < 3; k++) {
        double rest, y = top + 0.3 + higher * k;
        assert_true(fall(body, steps[k], 1, y, z, &rest) > top);
        assert_true(rest < top + 0.2 || higher > 0.1);
        through += fall(body, steps[k], 0, y, z, &rest) < top;
    }
    assert_true(through >= falls);
}

/* A thin bar across, between two points: points alone let it through. */
static void an_edge_lies_on_a_capsule(void **state) {
    (void)state;
    fall_onto("colliders: {kind: capsule, position: [-4, 0, 0.45], end: [4, 0, 0.45], radius: 0.1}\n", 0.45,
              0.1, 0.05, 3);
}

static void an_edge_lies_on_a_strap(void **state) {
    (void)state;
    char folder[64], body[256];
    obj_folder("rod-strap", folder, sizeof folder);
    write_box(folder, "strap.obj", (const double[3]){-4, -0.03, 0.3}, (const double[3]){4, 0.03, 0.7});
    snprintf(body, sizeof body, "colliders: {kind: mesh, file: '%sstrap.obj'}\n", folder);
    fall_onto(body, 0.5, 0.03, 0.05, 3);
    obj_remove(folder, "strap.obj");
    rmdir(folder);
}

/* A plate that hair of one step a frame would jump through. */
static void hair_does_not_pass_a_plate(void **state) {
    (void)state;
    char folder[64], body[256];
    obj_folder("rod-plate", folder, sizeof folder);
    write_box(folder, "plate.obj", (const double[3]){-4, -0.01, -1.7}, (const double[3]){4, 0.01, 6});
    snprintf(body, sizeof body, "colliders: {kind: mesh, file: '%splate.obj'}\n", folder);
    fall_onto(body, 2.5, 0.01, 0.7, 1);
    obj_remove(folder, "plate.obj");
    rmdir(folder);
}

/* ---- bad input: it is said, the run continues and stays bounded ---- */

/* Frames in which the hair keeps its length, but for so much. */
static void run_bounded(run *r, int frames, double longest) {
    for (int f = 0; f < frames; f++) {
        run_frames(r, 1);
        rlt_statistics s = run_statistics(r);
        assert_true(s.longest < longest && s.fastest < 1000.0);
    }
}

/* A strap that is inside out is turned, an open one is a sheet: hair lies on both. */
static void inverted_and_open_bodies(void **state) {
    (void)state;
    static const char *const faces[2] = {"f 2 4 3 1\nf 7 8 6 5\nf 5 6 2 1\nf 4 8 7 3\nf 3 7 5 1\nf 6 8 4 2\n",
                                         "f 1 2 6 5\nf 1 3 4 2\nf 3 7 8 4\nf 5 6 8 7\nf 1 5 7 3\n"};
    static const char *const says[2] = {"inside out: turned", "the mesh is open"};
    char folder[64], body[256], text[1024];
    obj_folder("rod-odd", folder, sizeof folder);
    for (int k = 0; k < 2; k++) {
        run r;
        snprintf(
            text, sizeof text,
            "v -4 -.03 .3\nv 4 -.03 .3\nv -4 .03 .3\nv 4 .03 .3\nv -4 -.03 .7\nv 4 -.03 .7\nv -4 .03 .7\n"
            "v 4 .03 .7\n%s",
            faces[k]);
        obj_write(folder, "strap.obj", text);
        snprintf(body, sizeof body, "colliders: {kind: mesh, file: '%sstrap.obj'}\n", folder);
        begin(&r, 1, RLT_SIMD_AUTO, body, 4, "method: solve", 0.35);
        assert_int_equal(run_said(&r, says[k]), 1);
        run_bounded(&r, 40, 1.03);
        assert_true(height_at(&r, 0.5) > 0.03);
        run_end(&r);
        obj_remove(folder, "strap.obj");
    }
    rmdir(folder);
}

/* Points groomed inside of a body, and edges that go through one, stay as they are groomed. */
static void hair_that_starts_inside(void **state) {
    (void)state;
    char folder[64], body[256];
    run r;
    obj_folder("rod-inside", folder, sizeof folder);
    write_box(folder, "box.obj", (const double[3]){-1, -1, 1.5}, (const double[3]){1, 1, 3.5});
    snprintf(body, sizeof body, "colliders: {kind: mesh, file: '%sbox.obj'}\n", folder);
    begin(&r, 1, RLT_SIMD_AUTO, body, 4, "method: solve", 0.3);
    assert_int_equal(run_said(&r, "2 points of 1 strand lie inside a collider"), 1);
    run_bounded(&r, 40, 1.03);
    run_end(&r);
    write_box(folder, "box.obj", (const double[3]){-1, -1, 0.3}, (const double[3]){1, 1, 0.7});
    begin(&r, 1, RLT_SIMD_AUTO, body, 4, "method: solve", 0.3);
    assert_int_equal(
        run_said(&r,
                 "hair 'falls': 1 edge goes through a collider with both points outside (first in strand 0)"),
        1);
    run_bounded(&r, 40, 1.03);
    run_end(&r);
    obj_remove(folder, "box.obj");
    rmdir(folder);
}

/* Bars that the head swings through its hair. */
#define BARS                                                                                                 \
    "time: {last: 12}\nmotion: {kind: walk, amount: 3}\ncharacter: {kind: head, resolution: 16}\n"           \
    "colliders:\n- {name: skin, kind: body}\n"                                                               \
    "- {name: one, kind: capsule, position: [-14, -9, -7], end: [14, -9, -9], radius: 0.15}\n"               \
    "- {name: two, kind: capsule, bone: head, position: [-14, -6, 4], end: [14, -6, -12], radius: 0.1}\n"    \
    "hair: {model: rod, preset: straight, region: scalp, count: 24, total_points: 288, length: 26,"          \
    " rod: {steps: 2}, collide: {thickness: 0.2}, contact: {method: solve, radius: 0.2}}\n"

static char self[1024];

static void the_same_bytes(void **state) {
    (void)state;
    double touching = 0.0;
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 1, "%s", BARS);
    for (int f = 0; f < 6; f++) {
        run_frames(&r, 1);
        touching += run_statistics(&r).solved_bodies_touching;
    }
    uint64_t hash = rlt_simulation_hash(r.simulation);
    run_end(&r);
    print_message("touching %g\n", touching);
    assert_true(touching > 3.0);
    assert_true(hash == model_hash(RLT_SIMD_AUTO, 3, 1, BARS));
    assert_true(hash == model_hash(RLT_SIMD_PORTABLE, 2, 0, BARS));
}

static void ranks_do_not_show(void **state) {
    (void)state;
    mpi_needed();
    model_assert_ranks(self, model_hash(RLT_SIMD_AUTO, 1, 0, BARS));
}

/* Free hairs that fall on a ball and on each other. */
#define LYING                                                                                                \
    "time: {last: 12}\ncharacter: {kind: none}\ncolliders:\n"                                                \
    "- {kind: sphere, position: [0, -50, 0], radius: 50}\n"                                                  \
    "- {kind: capsule, position: [-3, 0, -3], end: [3, 0, -3], radius: 0.5}\n"                               \
    "hair: {model: rod, rod: {root: free}, collide: {friction: 0.5, thickness: 0.2}, contact: {method: "     \
    "solve, radius: 0.2, groom: push}, strands: ["                                                           \
    "[[-2, 0.5, 0], [-1, 0.5, 0], [0, 0.5, 0], [1, 0.5, 0], [2, 0.5, 0]],"                                   \
    "[[0, 1, -3], [0, 1, -2], [0, 1, -1], [0, 1, 0], [0, 1, 1]],"                                            \
    "[[1, 1.5, -3], [1, 1.5, -2], [1, 1.5, -1], [1, 1.5, 0]],"                                               \
    "[[-2, 2, 1], [-1, 2, 0.5], [0, 2, 0], [1, 2, -0.5], [2, 2, -1]]]}\n"

/* Free hair lies on bodies by contacts, which all ranks share. */
static void free_hair_has_the_same_bytes(void **state) {
    (void)state;
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 1, "%s", LYING);
    run_frames(&r, 6);
    uint64_t hash = rlt_simulation_hash(r.simulation);
    assert_true(run_statistics(&r).solved_bodies_touching > 2.0);
    assert_true(run_statistics(&r).solved_touching > run_statistics(&r).solved_bodies_touching + 1.0);
    rlt_frame_view view = run_view(&r);
    for (int p = 0; p < view.point_count; p++) { /* above the ball by their thickness */
        const double *x = view.points + 3 * (size_t)p, from[3] = {0.0, -50.0, 0.0};
        assert_true(run_distance(x, from) > 50.2 - 0.01);
    }
    run_end(&r);
    assert_true(hash == model_hash(RLT_SIMD_AUTO, 3, 1, LYING));
    assert_true(hash == model_hash(RLT_SIMD_PORTABLE, 2, 0, LYING));
}

/* Free hair that begins in the middle of a ball is led out: in shorter and shorter steps it was thrown at
 * 5,000 units/s. */
static void free_hair_that_starts_inside(void **state) {
    (void)state;
    run r;
    run_begin(
        &r, RLT_SIMD_AUTO, 1,
        "time: {last: 6}\ncharacter: {kind: none}\ncolliders: [{kind: sphere, radius: 5}]\n"
        "hair: {model: rod, rod: {root: free, steps: 4}, collide: {friction: 0.5, thickness: 0.2, inside: "
        "push}, contact: {method: solve, radius: 0.2, groom: push}, strands: [[[0, 0, -3], [0, 0, -2],"
        " [0, 0, -1], [0, 0, 0], [0, 0, 1], [0, 0, 2], [0, 0, 3]]]}\n");
    assert_int_equal(run_said(&r, "lie inside a collider (first in strand 0); they are pushed out gently"),
                     1);
    for (int f = 0; f < 6; f++) {
        run_frames(&r, 1);
        assert_true(run_statistics(&r).fastest < 500.0); /* 349 */
    }
    run_end(&r);
}

static void ranks_do_not_show_in_free_hair(void **state) {
    (void)state;
    mpi_needed();
    char command[1100], wanted[32];
    snprintf(command, sizeof command, "'%s' lying", self);
    snprintf(wanted, sizeof wanted, "%016llx\n", (unsigned long long)model_hash(RLT_SIMD_AUTO, 1, 0, LYING));
    assert_int_equal(mpi_run(2, command), 0);
    assert_string_equal(out_text, wanted);
}

/* A hair that the head carries, with a bar, against another bar: it has no place between them, which is said
 * when it begins, and once more in the end, while the run goes on. */
static void bodies_that_leave_no_place(void **state) {
    (void)state;
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 1,
              "time: {last: 20}\ngravity: [0, 0, 0]\ncharacter: {kind: head, resolution: 16}\n"
              "motion: {kind: keys, pivot: torso, keys: [[0, 0, 0, 0, 0, 0, 0], [12, 3.5, 0, 0, 0, 0, 0],"
              " [40, 3.5, 0, 0, 0, 0, 0]]}\ncolliders:\n"
              "- {kind: capsule, bone: head, position: [-6, 19, -20], end: [-6, 19, 20], radius: 5}\n"
              "- {kind: capsule, position: [7, 19, -20], end: [7, 19, 20], radius: 5}\n"
              "hair: {model: rod, rod: {steps: 4}, collide: {friction: 0.5, thickness: 0.2},"
              " contact: {method: solve, radius: 0.2, groom: push}, strands: [[[0, 13, 0], [0, 14, 0],"
              " [0, 15, 0], [0, 16, 0], [0, 17, 0], [0, 18, 0], [0, 19, 0], [0, 20, 0], [0, 21, 0],"
              " [0, 22, 0], [0, 23, 0], [0, 24, 0]]]}\n");
    run_bounded(&r, 20, 1.1);
    assert_int_equal(run_said(&r, "bodies leave 1 strand no place between them; worst is strand 0 of hair"),
                     1);
    assert_int_equal(run_said(&r, "move the bodies apart"), 1);
    assert_int_equal(run_said(&r, ": bodies left hair no place between them in "), 1);
    run_end(&r);
}

#define PAIR                                                                                                 \
    "time: {last: 99}\ncharacter: {kind: none}\nhair: {model: rod, contact: {method: solve, radius: %g, "    \
    "groom: %s}, strands: [[[0, 0, 0], [0, 0, 1], [0, 0, 2], [0, 0, 3], [0, 0, 4]], [[%g, 0, 0], [%g, 0, "   \
    "1], [%g, 0, 2], [%g, 0, 3], [%g, 0, 4]]]}\n"

/* Hair in the same place as other hair, and radii much larger than edges. */
static void hair_that_starts_in_hair(void **state) {
    (void)state;
    static const struct {
        const char *groom, *says;
        double radius, apart;
    } cases[] = {
        {"keep", "1 hair lies in another hair along most of its length (first strand 0)", 0.2, 0.0},
        {"push", "1 hair lies in another hair along most of its length (first strand 0)", 0.2, 1e-4},
        {"push", "begins deep in other hair (worst are strands 0 and 1, by 0.3 of 0.4 units)", 0.2, 0.1},
        {"push", "hair.contact.radius is 11 units in the mean, more than ten times the 1 of an edge", 11.0,
         0.5},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double x = cases[k].apart;
        run r;
        run_begin(&r, RLT_SIMD_AUTO, 1, PAIR, cases[k].radius, cases[k].groom, x, x, x, x, x);
        assert_int_equal(run_said(&r, cases[k].says), 1);
        run_bounded(&r, 40, 1.01);
        if (k == 2) /* near roots it is held apart by no more than there is room for */
            assert_true(run_statistics(&r).solved_deepest < 0.05);
        run_end(&r);
    }
}

static void negative_friction(void **state) {
    (void)state;
    run_assert_refused("hair: {count: 1, collide: {friction: -0.1}}\n", 0,
                       "s.yaml:1:38: hair.collide.friction = -0.1: must be within 0..10");
    run_assert_refused("hair: {count: 1, contact: {friction: -1}}\n", 0,
                       "s.yaml:1:38: hair.contact.friction = -1: must be within 0..10");
}

static int enter_folder(void **state) {
    (void)state;
    return folder_enter("rod_bodies");
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_edge_lies_on_a_capsule),
        cmocka_unit_test(an_edge_lies_on_a_strap),
        cmocka_unit_test(hair_does_not_pass_a_plate),
        cmocka_unit_test(inverted_and_open_bodies),
        cmocka_unit_test(hair_that_starts_inside),
        cmocka_unit_test(hair_that_starts_in_hair),
        cmocka_unit_test(negative_friction),
        cmocka_unit_test(the_same_bytes),
        cmocka_unit_test(ranks_do_not_show),
        cmocka_unit_test(free_hair_has_the_same_bytes),
        cmocka_unit_test(bodies_that_leave_no_place),
        cmocka_unit_test(ranks_do_not_show_in_free_hair),
        cmocka_unit_test(free_hair_that_starts_inside),
    };
    if (argc > 1)
        return model_work(strcmp(argv[1], "lying") == 0 ? LYING : BARS);
    if (realpath(argv[0], self) == NULL)
        return 1;
    return cmocka_run_group_tests(tests, enter_folder, folder_leave);
}
