/* Fields: hair stays off a face, or off any collider, by a number; what grows in the field is left alone. */
#include <unistd.h>

#include "body/body.h"
#include "groom/mesh_tree.h"
#include "mpi_fixture.h"
#include "obj_fixture.h"
#include "run_fixture.h"
#include "scene/scene_data.h"

/* ---- the scene ---- */

/* The part of the body's mesh that a region is. */
typedef struct region {
    rlti_body *body;
    rlti_mesh mesh;
    rlti_mesh_tree *tree;
} region;

static void region_begin(region *r, const run *of, const char *name) {
    assert_int_equal(rlti_body_create(rlti_scene_get(of->scene), of->messages, &r->body), RLT_OK);
    const rlti_mesh *whole = rlti_body_mesh(r->body);
    int index = rlti_body_region(r->body, name);
    r->mesh = *whole;
    r->mesh.triangle_count = 0;
    r->mesh.triangles = malloc((size_t)whole->triangle_count * sizeof *r->mesh.triangles);
    assert_true(index >= 0 && r->mesh.triangles != NULL);
    for (int t = 0; t < whole->triangle_count; t++)
        if (whole->regions[t] >> index & 1)
            memcpy(r->mesh.triangles[r->mesh.triangle_count++], whole->triangles[t], 3 * sizeof(int));
    r->tree = rlti_mesh_tree_create(&r->mesh);
    assert_non_null(r->tree);
}

static void region_end(region *r) {
    rlti_mesh_tree_destroy(r->tree);
    rlti_body_destroy(r->body);
    free(r->mesh.triangles);
}

static double region_distance(const region *r, const double point[3]) {
    rlti_nearest nearest;
    rlti_vec3 at = rlti_v3(point[0], point[1], point[2]);
    rlti_mesh_tree_nearest(r->tree, at, &nearest);
    return rlti_length(rlti_sub(at, nearest.point));
}

/* The capsule of the scene: along z, at y = -1. */
static double view_distance(const double p[3]) {
    double z = p[2] < 2.0 ? 2.0 - p[2] : p[2] > 16.0 ? p[2] - 16.0 : 0.0;
    return sqrt(p[0] * p[0] + (p[1] + 1.0) * (p[1] + 1.0) + z * z) - 4.0;
}

/* Share of the points that are deeper in a field than their groom by a fifth of its range, and the greatest
 * depth [unit]. */
typedef struct inside {
    double skin, view, depth;
} inside;

static void count_inside(const run *r, inside *in) {
    rlt_frame_view view = run_view(r);
    region face;
    *in = (inside){0};
    region_begin(&face, r, "face");
    for (int p = 0; p < view.point_count; p++) {
        const double *now = view.points + 3 * (size_t)p, *rest = view.rest + 3 * (size_t)p;
        double skin = fmin(1.5, region_distance(&face, rest)) - region_distance(&face, now),
               eyes = fmin(2.0, view_distance(rest)) - view_distance(now);
        in->skin += (skin > 0.3) / (double)view.point_count;
        in->view += (eyes > 0.4) / (double)view.point_count;
        in->depth = fmax(in->depth, fmax(skin, eyes));
    }
    region_end(&face);
}

static void begin_face(run *r, const char *setting) {
    const char *settings[] = {"hair.count=24", "character.resolution=32", setting};
    *r = (run){.messages = rlt_messages_create()};
    assert_int_equal(
        rlt_scene_load_embedded("face", settings, setting != NULL ? 3 : 2, r->messages, &r->scene), RLT_OK);
    rlt_simulation_def def = {.size = sizeof def, .threads = 1};
    assert_int_equal(rlt_simulation_create(r->scene, &def, r->messages, &r->simulation), RLT_OK);
}

static void a_face_stays_free(void **state) {
    run with, without;
    inside a, b;
    (void)state;
    begin_face(&with, NULL);
    begin_face(&without, "constraints=[]");
    run_frames(&with, 40);
    run_frames(&without, 40);
    count_inside(&with, &a);
    count_inside(&without, &b);
    print_message("near the skin: %.1f%% of the points without, %.1f%% with; before the eyes %.1f%%, %.1f%%; "
                  "deepest %.2f, %.2f units\n",
                  100 * b.skin, 100 * a.skin, 100 * b.view, 100 * a.view, b.depth, a.depth);
    assert_true(b.view > 0.2 && b.skin > 0.3);
    assert_true(a.view < 0.01 && a.skin < 0.01);
    assert_true(a.depth < 0.6 && b.depth > 2.0);
    run_end(&with);
    run_end(&without);
}

/* ---- objects ---- */

#define TIME "time: {last: 40, outer_steps: 12, force_steps: 12, damping_steps: 6}\n"
#define STRAND                                                                                               \
    "[[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0], [4, 0, 0], [5, 0, 0], [6, 0, 0], [7, 0, 0], [8, 0, 0]]"

/* A strand falls over something round of radius 3 at (1.5, -6, 0) that it does not collide with. Returns the
 * least distance of its points from that, in the last frames. */
static double falls_over(const char *object, const char *constraint) {
    run r;
    double least = HUGE_VAL;
    run_begin(&r, RLT_SIMD_AUTO, 1,
              TIME "character: {kind: none}\ncolliders: {name: object, group: field, %s}\n"
                   "hair: {preset: straight, region: none, drag: 4, contact: {enabled: off},\n"
                   "  collide: {enabled: off}, strands: [" STRAND "]}\n"
                   "constraints: {kind: field, object: object, %s}\n",
              object, constraint);
    run_frames(&r, 30);
    for (int f = 0; f < 8; f++) {
        run_frames(&r, 1);
        rlt_frame_view view = run_view(&r);
        for (int p = 1; p < view.point_count; p++) {
            const double middle[3] = {1.5, -6, view.points[3 * (size_t)p + 2]};
            least = fmin(least, run_distance(view.points + 3 * (size_t)p, middle) - 3.0);
        }
    }
    run_end(&r);
    return least;
}

static void every_object_keeps_off(void **state) {
    static const char *const objects[] = {
        "kind: sphere, position: [1.5, -6, 0], radius: 3",
        "kind: capsule, position: [1.5, -6, -9], end: [1.5, -6, 9], radius: 3",
        "kind: mesh, file: field-ball.obj",
    };
    static char text[1 << 18];
    const double centre[3] = {1.5, -6, 0};
    (void)state;
    obj_ball(text, sizeof text, centre, 3.0, 24, 48);
    obj_write("", "field-ball.obj", text);
    for (int k = 0; k < 3; k++) {
        double none = falls_over(objects[k], "weight: 0"), soft = falls_over(objects[k], "stiffness: 1e4"),
               hard = falls_over(objects[k], "hold: hard, range: 1"),
               late = falls_over(objects[k], "stiffness: 1e4, weight: [[20, 0], [24, 1]]");
        print_message("%.20s: %.2f from it without, %.2f soft, %.2f hard, %.2f when switched on late\n",
                      objects[k], none, soft, hard, late);
        assert_true(none < 0.0);
        assert_true(soft > 1.7 && soft < 2.1); /* the range is 2 */
        assert_true(hard > 0.95 && hard < 1.1);
        assert_true(late > 1.7);
    }
    unlink("field-ball.obj");
}

#define HEAD "#usda 1.0\n(\n    metersPerUnit = 0.01\n    upAxis = \"Y\"\n    timeCodesPerSecond = 24\n)\n"

/* A plate rises below a strand that falls towards it: all but the points at the root come along above it. */
static void moving_objects_push(void **state) {
    run r;
    double least = HUGE_VAL, height = 0.0;
    (void)state;
    obj_write("", "field-plate.usda",
              HEAD "def Mesh \"plate\"\n{\n    uniform token subdivisionScheme = \"none\"\n"
                   "    int[] faceVertexCounts = [4]\n    int[] faceVertexIndices = [0, 1, 2, 3]\n"
                   "    point3f[] points.timeSamples = {\n"
                   "        9: [(-20, -6, -20), (-20, -6, 20), (20, -6, 20), (20, -6, -20)],\n"
                   "        21: [(-20, -1, -20), (-20, -1, 20), (20, -1, 20), (20, -1, -20)]\n    }\n}\n");
    run_begin(&r, RLT_SIMD_AUTO, 1,
              TIME "character: {kind: none}\n"
                   "colliders: {name: plate, kind: mesh, file: field-plate.usda, group: field}\n"
                   "hair: {preset: straight, region: none, drag: 4, contact: {enabled: off},\n"
                   "  collide: {enabled: off}, strands: [" STRAND "]}\n"
                   "constraints: {kind: field, object: plate, stiffness: 1e4, along: [0.3, 1]}\n");
    for (int frame = 2; frame <= 24; frame++) {
        run_frames(&r, 1);
        rlt_frame_view view = run_view(&r);
        height = frame < 9 ? -6.0 : frame > 21 ? -1.0 : -6.0 + 5.0 / 12.0 * (frame - 9);
        for (int p = 3; p < view.point_count; p++)
            least = fmin(least, view.points[3 * (size_t)p + 1] - height);
    }
    print_message("a plate that rises by 5 units never comes nearer than %.2f\n", least);
    assert_true(least > 1.5 && least < 2.1);
    run_end(&r);
    unlink("field-plate.usda");
}

/* A part of a body from a file: the upper half of a diamond, or the lower one. */
static double tip_over(const char *part) {
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 1,
              TIME
              "character: {kind: file, file: field-body.usda}\ncolliders: {name: skin, kind: body}\n"
              "hair: {preset: straight, region: none, drag: 4, contact: {enabled: off},\n"
              "  collide: {enabled: off}, bend: {stiffness: 500, damping: 50},\n"
              "  strands: [[[0, 9, 0], [1, 9, 0], [2, 9, 0], [3, 9, 0], [4, 9, 0], [5, 9, 0], [6, 9, 0]]]}\n"
              "constraints: {kind: field, object: skin, part: %s, stiffness: 1e4}\n",
              part);
    run_frames(&r, 12); /* before it slides off the edge below it */
    rlt_frame_view view = run_view(&r);
    double height = view.points[3 * (size_t)(view.point_count - 1) + 1];
    run_end(&r);
    return height;
}

static void parts_of_files_keep_off(void **state) {
    (void)state;
    obj_write("", "field-body.usda",
              HEAD
              "def Mesh \"body\"\n{\n    uniform token subdivisionScheme = \"none\"\n"
              "    int[] faceVertexCounts = [3, 3, 3, 3, 3, 3, 3, 3]\n"
              "    int[] faceVertexIndices = [0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, "
              "5, 0, 3, 5]\n"
              "    point3f[] points = [(9, 0, 0), (-9, 0, 0), (0, 0, -9), (0, 0, 9), (0, 6, 0), (0, -6, "
              "0)]\n"
              "    def GeomSubset \"upper\"\n    {\n        uniform token elementType = \"face\"\n"
              "        int[] indices = [0, 1, 2, 3]\n    }\n"
              "    def GeomSubset \"lower\"\n    {\n        uniform token elementType = \"face\"\n"
              "        int[] indices = [4, 5, 6, 7]\n    }\n}\n");
    double upper = tip_over("upper"), lower = tip_over("lower"), all = tip_over("all");
    print_message("a tip above a diamond comes down to %.2f off its upper half, %.2f off all, %.2f off the "
                  "lower half\n",
                  upper, all, lower);
    assert_true(fabs(upper - all) < 0.05);
    assert_true(lower < upper - 1.0);
    unlink("field-body.usda");
}

/* Hair that is groomed in the field is at peace there. */
static void the_groom_is_left_alone(void **state) {
    run r;
    (void)state;
    run_begin(&r, RLT_SIMD_AUTO, 1,
              TIME "gravity: [0, 0, 0]\ncharacter: {kind: none}\n"
                   "colliders: {name: ball, kind: sphere, position: [4, 0, 0], radius: 2, group: field}\n"
                   "hair: {preset: straight, region: none, contact: {enabled: off},\n"
                   "  collide: {enabled: off}, strands: [" STRAND "]}\n"
                   "constraints: {kind: field, object: ball, range: 3, stiffness: 1e5}\n");
    run_frames(&r, 10);
    rlt_frame_view view = run_view(&r);
    double worst = 0.0;
    for (int p = 0; p < view.point_count; p++)
        worst = fmax(worst, run_distance(view.points + 3 * (size_t)p, view.rest + 3 * (size_t)p));
    print_message("a groom through the middle of a field moves by %.2g units\n", worst);
    assert_true(worst < 1e-4);
    run_end(&r);
}

/* ---- the same bytes ---- */

#define MANY                                                                                                 \
    "time: {last: 6, outer_steps: 6, force_steps: 12, damping_steps: 4}\n"                                   \
    "character: {resolution: 24}\nmotion: {kind: walk, amount: 2}\n"                                         \
    "hair: {preset: straight, region: front, count: 20, length: 12, segment: 1.5, fall: 0.3}\n"              \
    "colliders:\n  - {name: head, kind: body}\n"                                                             \
    "  - {name: ball, kind: sphere, bone: head, position: [0, 4, 10], radius: 4, group: field}\n"            \
    "constraints:\n  - {kind: field, object: head, part: face, stiffness: 1e4}\n"                            \
    "  - {kind: field, object: head, range: 1, hold: hard}\n  - {kind: field, object: ball}\n"

static void threads_do_not_show(void **state) {
    run one, three;
    (void)state;
    run_begin(&one, RLT_SIMD_AUTO, 1, MANY);
    run_begin(&three, RLT_SIMD_PORTABLE, 3, MANY);
    run_frames(&one, 5);
    run_frames(&three, 5);
    assert_true(rlt_simulation_hash(one.simulation) == rlt_simulation_hash(three.simulation));
    run_end(&one);
    run_end(&three);
}

static void a_run_can_be_resumed(void **state) {
    run whole, again;
    (void)state;
    run_begin(&whole, RLT_SIMD_AUTO, 1, MANY);
    run_begin(&again, RLT_SIMD_AUTO, 2, MANY);
    run_frames(&whole, 2);
    assert_int_equal(rlt_checkpoint_write("field.checkpoint", whole.simulation, NULL, whole.messages),
                     RLT_OK);
    run_frames(&whole, 3);
    assert_int_equal(rlt_checkpoint_read("field.checkpoint", again.simulation, again.messages), RLT_OK);
    run_frames(&again, 3);
    assert_true(rlt_simulation_hash(whole.simulation) == rlt_simulation_hash(again.simulation));
    assert_int_equal(rlt_checkpoint_remove("field.checkpoint", whole.messages), RLT_OK);
    run_end(&whole);
    run_end(&again);
}

static void ranks_do_not_show(void **state) {
    (void)state;
    mpi_needed();
    obj_write("", "field.yaml", MANY);
    assert_int_equal(ringlet("simulate field.yaml -o field-1.usda --quiet --threads 2"), 0);
    assert_int_equal(mpi_run(2, RLT_PROGRAM " simulate field.yaml -o field-2.usda --quiet --threads 1"), 0);
    assert_int_equal(system("cmp field-1.usda field-2.usda"), 0);
    unlink("field.yaml");
    unlink("field-1.usda");
    unlink("field-2.usda");
}

/* ---- bad ones ---- */

static void assert_refused(const char *character, const char *constraint, const char *message) {
    char text[2048];
    snprintf(text, sizeof text,
             TIME "character: {kind: %s}\n"
                  "colliders: [{name: skin, kind: body}, {name: ball, kind: sphere, radius: 1}]\n"
                  "hair: {preset: straight, region: none, strands: [" STRAND "]}\n"
                  "constraints:\n  - {name: f, kind: field, %s}\n",
             character, constraint);
    run_assert_refused(text, -1, message);
}

static void bad_ones_are_told(void **state) {
    (void)state;
    assert_refused("head", "object: bal",
                   "s.yaml:6:36: constraints[0].object = \"bal\": must name a collider; there is skin, ball; "
                   "did you mean ball?");
    assert_refused(
        "none", "object: skin",
        "s.yaml:6:36: constraints[0].object = \"skin\": needs a character: character.kind is none");
    assert_refused(
        "head", "object: ball, part: face",
        "s.yaml:6:48: constraints[0].part = \"face\": needs a collider of kind body; ball is none");
    assert_refused("head", "object: skin, part: nose",
                   "s.yaml:6:5: constraint 'f': part = nose: no such region of the body; known: all, scalp, "
                   "top, front, left, right, back, nape, face, neck, shoulders");
    assert_refused("head", "object: ball, range: 0", "s.yaml:6:49: constraints[0].range = 0: must be > 0");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_face_stays_free),       cmocka_unit_test(every_object_keeps_off),
        cmocka_unit_test(moving_objects_push),     cmocka_unit_test(parts_of_files_keep_off),
        cmocka_unit_test(the_groom_is_left_alone), cmocka_unit_test(threads_do_not_show),
        cmocka_unit_test(a_run_can_be_resumed),    cmocka_unit_test(ranks_do_not_show),
        cmocka_unit_test(bad_ones_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
