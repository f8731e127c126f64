/* Every kind of constraint: that it holds what it says, by a number, and what is said where it cannot. */
#include <unistd.h>

#include "scalp_fixture.h"

#define TIME      "time: {last: 20, outer_steps: 12, force_steps: 12, damping_steps: 6}\n"
#define STEPS_OFF "health: {check_steps: off}\n"

/* ---- scalp ---- */

static void scalp_keeps_distances(void **state) {
    static const char *const laws[] = {"enabled: off", "stiffness: 3000", "hold: hard"};
    double off[3];
    (void)state;
    for (int k = 0; k < 3; k++) {
        run r;
        run_begin(
            &r, RLT_SIMD_AUTO, 1,
            TIME
            "character: {resolution: 24}\nwind: {velocity: [300, 100, 0]}\n"
            "hair: {preset: straight, region: top, count: 4, length: 8, drag: 5, contact: {enabled: off},\n"
            "  collide: {enabled: off}}\n"
            "constraints: {kind: scalp, scalp: all, %s}\n",
            laws[k]);
        run_frames(&r, 15);
        off[k] = scalp_off(&r);
        run_end(&r);
    }
    print_message("distances from the scalp change by %.2f without, %.3f soft, %.4f hard\n", off[0], off[1],
                  off[2]);
    assert_true(off[0] > 1.0);
    assert_true(off[1] < 0.5 * off[0]);
    assert_true(off[2] < 0.01);
}

/* ---- pins ---- */

static void pins_follow_the_root(void **state) {
    run r;
    (void)state;
    run_begin(&r, RLT_SIMD_AUTO, 1,
              TIME "character: {resolution: 24}\nmotion: {kind: spin, spin: 2}\n"
                   "hair: {preset: straight, region: left, count: 3, length: 8, contact: {enabled: off}}\n"
                   "constraints: {kind: pin, hold: hard}\n");
    run_frames(&r, 12);
    rlt_frame_view view = run_view(&r);
    double worst = 0.0, moved = 0.0;
    for (int s = 0; s < view.strand_count; s++)
        for (int p = view.first[s] + 1; p < view.first[s + 1]; p++) {
            size_t root = 3 * (size_t)view.first[s], at = 3 * (size_t)p;
            worst = fmax(worst, fabs(run_distance(view.points + at, view.points + root) -
                                     run_distance(view.rest + at, view.rest + root)));
            moved = fmax(moved, run_distance(view.points + at, view.rest + at));
        }
    print_message("pinned hair moved by %.1f units, and bent by %.4f\n", moved, worst);
    assert_true(moved > 5.0);
    assert_true(worst < 0.005);
    run_end(&r);
}

/* ---- objects ---- */

#define FLAT "[[0, 0, 0], [2, 0, 0], [4, 0, 0], [6, 0, 0], [8, 0, 0]]"
#define ONE_STRAND                                                                                           \
    "character: {kind: none, keys: [[1, 0, 0, 0, 0, 0, 0], [10, 0, 2, 0, 0, 0, 0]]}\n"                       \
    "hair: {preset: straight, region: none, contact: {enabled: off}, stretch: {limit: 0}, strands: [" FLAT   \
    "]}\n"

static void objects_hold_points(void **state) {
    run tied, gripped;
    const double tip[3] = {8, 0, 0}, hand[3] = {7, -3, 0};
    (void)state;
    run_begin(&tied, RLT_SIMD_AUTO, 1,
              TIME ONE_STRAND "colliders: {name: tie, kind: sphere, radius: 0.5, position: [9, 0, 0]}\n"
                              "constraints: {kind: attach, object: tie, along: [0.9, 1], hold: hard}\n");
    run_begin(&gripped, RLT_SIMD_AUTO, 1,
              TIME ONE_STRAND
              "colliders: {name: hand, kind: sphere, radius: 1, position: [7, -3, 0], group: none}\n"
              "constraints: {kind: attach, object: hand, grip: inside, along: [0.9, 1], hold: hard,\n"
              "  weight: [[1, 0], [4, 1]]}\n");
    run_frames(&tied, 15);
    run_frames(&gripped, 15);
    rlt_frame_view a = run_view(&tied), b = run_view(&gripped);
    double off = run_distance(a.points + 12, tip), in = run_distance(b.points + 12, hand);
    print_message("the tied tip is %.4f off, the gripped one %.3f from the middle of a hand of 1\n", off, in);
    assert_true(off < 0.005);
    assert_true(in < 1.005);
    run_end(&tied);
    run_end(&gripped);
}

static void bodies_hold_points(void **state) {
    run r;
    (void)state;
    run_begin(&r, RLT_SIMD_AUTO, 1,
              TIME "character: {resolution: 24}\nmotion: {kind: spin, spin: 2}\n"
                   "hair: {preset: straight, region: left, count: 3, length: 8, contact: {enabled: off}}\n"
                   "colliders: {name: skin, kind: body}\n"
                   "constraints: {kind: attach, object: skin, hold: hard}\n");
    run_frames(&r, 12);
    rlt_frame_view view = run_view(&r);
    double worst = 0.0;
    for (int s = 0; s < view.strand_count; s++)
        for (int p = view.first[s] + 1; p < view.first[s + 1]; p++)
            worst =
                fmax(worst,
                     fabs(run_distance(view.points + 3 * (size_t)p, view.points + 3 * (size_t)view.first[s]) -
                          run_distance(view.rest + 3 * (size_t)p, view.rest + 3 * (size_t)view.first[s])));
    assert_true(worst < 0.01); /* the head is rigid */
    run_end(&r);
}

/* ---- tips ---- */

static double gap_of_tips(const char *constraints) {
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 1,
              TIME "character: {kind: none}\nwind: {velocity: [0, 0, 400]}\n"
                   "hair:\n"
                   "  - {name: a, preset: straight, region: none, drag: 0, contact: {enabled: off},\n"
                   "     strands: [[[0, 0, 0], [0, -2, 0], [0, -4, 0], [0, -6, 0]]]}\n"
                   "  - {name: b, preset: straight, region: none, drag: 8, contact: {enabled: off},\n"
                   "     strands: [[[0, 0, 1], [0, -2, 0.9], [0, -4, 0.7], [0, -6, 0.5]]]}\n"
                   "%s",
              constraints);
    run_frames(&r, 15);
    rlt_frame_view view = run_view(&r);
    double gap = run_distance(view.points + 9, view.points + 21);
    run_end(&r);
    return gap;
}

static void tips_stay_together(void **state) {
    double loose = gap_of_tips(""),
           tied = gap_of_tips("constraints: {kind: tips, along: [0.9, 1], hold: hard}\n");
    (void)state;
    print_message("tips 0.5 apart: %.2f apart without, %.3f with their tie\n", loose, tied);
    assert_true(loose > 1.5);
    assert_true(tied > 0.4 && tied < 0.7);
}

/* ---- bounds ---- */

static double stretch_of_curl(const char *constraints) {
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 1,
              TIME STEPS_OFF
              "character: {kind: none}\n"
              "hair: {preset: straight, style: helix, radius: 1, pitch: 2, length: 20, region: none,\n"
              "  count: 1, contact: {enabled: off}, bend: {stiffness: 5e3}}\n"
              "%s",
              constraints);
    run_frames(&r, 15);
    rlt_frame_view view = run_view(&r);
    size_t tip = 3 * (size_t)(view.point_count - 1);
    double length = run_distance(view.points, view.points + tip) / run_distance(view.rest, view.rest + tip);
    run_end(&r);
    return length;
}

static void bounds_keep_a_curl_short(void **state) {
    (void)state;
    double loose = stretch_of_curl(""),
           leash = stretch_of_curl(
               "constraints: {kind: bound, along: [0.99, 1], hold: hard, bounds: [0, 1.05]}\n"),
           pair = stretch_of_curl("constraints: {kind: bound, hold: hard, bounds: [0, 1.05]}\n");
    print_message("a curl hangs %.2f times as long, %.3f on its leash, %.3f by its ends\n", loose, leash,
                  pair);
    assert_true(loose > 1.2);
    assert_true(leash < 1.06);
    assert_true(pair < 1.1);
}

/* ---- curves of a file ---- */

static void write_text(const char *name, const char *text) {
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

#define CURVES(second)                                                                                       \
    "#usda 1.0\n(\n    metersPerUnit = 0.01\n    upAxis = \"Y\"\n    timeCodesPerSecond = 24\n)\n"           \
    "def BasisCurves \"hair\"\n{\n    int[] curveVertexCounts = [4]\n    uniform token type = \"linear\"\n"  \
    "    point3f[] points.timeSamples = {\n"                                                                 \
    "        1: [(0, 0, 0), (2, 0, 0), (4, 0, 0), (6, 0, 0)],\n        9: " second ",\n    }\n}\n"

#define MOVED                                                                                                \
    "time: {last: 12, outer_steps: 12, force_steps: 12, damping_steps: 6}\ncharacter: {kind: none}\n"        \
    "hair: {preset: straight, file: moved.usda, contact: {enabled: off}, stretch: {limit: 0}}\n"             \
    "constraints:\n  - {name: rig, kind: pin, target: file, hold: hard}\n"

static void curves_of_the_file_lead(void **state) {
    run r;
    const double tip[3] = {5, 2, 1};
    (void)state;
    write_text("moved.usda", CURVES("[(0, 0, 0), (2, 0.5, 0), (4, 1, 0), (5, 2, 1)]"));
    run_begin(&r, RLT_SIMD_AUTO, 1, MOVED);
    run_frames(&r, 8); /* frame 9 */
    rlt_frame_view view = run_view(&r);
    double off = run_distance(view.points + 9, tip);
    print_message("the tip is %.4f off the file's\n", off);
    assert_true(off < 0.005);
    run_end(&r);

    /* another number of points in a later sample */
    write_text("moved.usda", CURVES("[(0, 0, 0), (2, 0.5, 0), (4, 1, 0)]"));
    rlt_messages *messages = rlt_messages_create();
    rlt_scene *scene = NULL;
    rlt_simulation *simulation = NULL;
    rlt_status status = rlt_scene_load_text("s.yaml", MOVED, strlen(MOVED), NULL, 0, messages, &scene);
    if (status == RLT_OK)
        status = rlt_simulation_create(scene, NULL, messages, &simulation);
    for (int f = 0; f < 9 && status == RLT_OK; f++)
        status = rlt_simulation_advance(simulation, messages);
    assert_int_equal(status, RLT_BAD_INPUT);
    const char *said = rlt_messages_text(messages, rlt_messages_count(messages) - 1);
    assert_memory_equal(said, "s.yaml:5:5: ", 12);
    assert_non_null(strstr(said, "moved.usda"));
    rlt_simulation_destroy(simulation);
    rlt_scene_destroy(scene);
    rlt_messages_destroy(messages);
    unlink("moved.usda");
}

/* ---- bad ones ---- */

static void assert_told(rlt_status wanted, const char *constraints, const char *message) {
    char text[2048];
    rlt_messages *messages = rlt_messages_create();
    rlt_scene *scene = NULL;
    rlt_simulation *simulation = NULL;
    int size = snprintf(
        text, sizeof text,
        TIME "character: {kind: none}\ncolliders: {name: tie, kind: capsule, radius: 1, end: [0, 1, 0]}\n"
             "hair: {name: a, preset: straight, region: none, strands: [" FLAT ",\n"
             "    [[0, 0, 9], [2, 0, 9], [4, 0, 9], [6, 0, 9], [8, 0, 9]]]}\n"
             "constraints:\n%s",
        constraints);
    rlt_status status = rlt_scene_load_text("s.yaml", text, (size_t)size, NULL, 0, messages, &scene);
    if (status == RLT_OK)
        status = rlt_simulation_create(scene, NULL, messages, &simulation);
    assert_int_equal(status, wanted);
    assert_string_equal(rlt_messages_text(messages, rlt_messages_count(messages) - 1), message);
    rlt_simulation_destroy(simulation);
    rlt_scene_destroy(scene);
    rlt_messages_destroy(messages);
}

static void bad_ones_are_told(void **state) {
    (void)state;
    assert_told(RLT_BAD_INPUT, "  - {kind: attach, object: tei}\n",
                "s.yaml:7:28: constraints[0].object = \"tei\": must name a collider; there is tie; did you "
                "mean tie?");
    assert_told(RLT_BAD_INPUT, "  - {kind: attach, object: tie, grip: inside}\n",
                "s.yaml:7:39: constraints[0].grip = \"inside\": needs a sphere; tie is none");
    assert_told(RLT_BAD_INPUT, "  - {kind: scalp}\n",
                "s.yaml:7:12: constraints[0].kind = \"scalp\": needs a character: character.kind is none");
    assert_told(RLT_BAD_INPUT, "  - {name: t, kind: tips}\n",
                "s.yaml:7:5: constraint 't': no chosen points touch: the nearest are 9 units apart, and "
                "touch within 1.6; raise touch, or hair.contact.radius");
    assert_told(
        RLT_BAD_INPUT, "  - {name: f, kind: pin, target: file}\n",
        "s.yaml:7:5: constraint 'f': target = file: hair 'a' is not from a file; choose groom or shape");
    assert_told(
        RLT_BAD_INPUT,
        "  - {name: x, kind: pin, hold: hard}\n"
        "  - {name: y, kind: attach, object: tie, hold: hard, first_strand: 1}\n",
        "s.yaml:8:5: constraint 'y' conflicts with 'x' (s.yaml:7:5): both hold 4 points in place, hard, "
        "at the same "
        "time (first in strand 1); make one soft, or give them weights in turn");
    assert_told(
        RLT_OK,
        "  - {name: x, kind: pin, hold: hard}\n"
        "  - {name: y, kind: bound, along: [0.9, 1], hold: hard}\n",
        "s.yaml:8:5: constraint 'y' may conflict with 'x' (s.yaml:7:5): both hold 2 points hard (first "
        "in strand 0); "
        "where they disagree, the one in place wins, or the later one");
    /* in turn is fine */
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 1,
              TIME ONE_STRAND "constraints:\n  - {kind: pin, hold: hard, weight: [[1, 1], [5, 0]]}\n"
                              "  - {kind: pin, hold: hard, weight: [[5, 0], [9, 1]]}\n");
    run_end(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalp_keeps_distances),   cmocka_unit_test(pins_follow_the_root),
        cmocka_unit_test(objects_hold_points),     cmocka_unit_test(bodies_hold_points),
        cmocka_unit_test(tips_stay_together),      cmocka_unit_test(bounds_keep_a_curl_short),
        cmocka_unit_test(curves_of_the_file_lead), cmocka_unit_test(bad_ones_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
