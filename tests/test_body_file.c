/* Bodies and colliders from files: they move as their file says, frame by frame. */
#include "import_fixture.h"

#include "body/body.h"

/* A box from (-2, -2, -2) to (2, 2, 2) as OBJ or USD has it: corners in the same order. */
static const char *const faces_usda =
    "    int[] faceVertexCounts = [4, 4, 4, 4, 4, 4]\n"
    "    int[] faceVertexIndices = [4, 5, 7, 6, 0, 2, 3, 1, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, "
    "6, 2, 1, 3, 7, 5]\n";
static const char *const faces_obj = "f 5 6 8 7\nf 1 3 4 2\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";

static double corner(int i, int axis, const double shift[3]) {
    return ((i >> axis) & 1 ? 2.0 : -2.0) + shift[axis];
}

/* The box's corners as a USD list. */
static size_t add_points(char *text, size_t size, const double shift[3]) {
    size_t used = (size_t)snprintf(text, size, "[");
    for (int i = 0; i < 8; i++)
        used += (size_t)snprintf(text + used, size - used, "%s(%.9g, %.9g, %.9g)", i > 0 ? ", " : "",
                                 corner(i, 0, shift), corner(i, 1, shift), corner(i, 2, shift));
    return used + (size_t)snprintf(text + used, size - used, "]");
}

/* Where the box is at a frame: something that neither stands still nor moves evenly. */
static void shift_at(int frame, double shift[3]) {
    shift[0] = 0.0625 * frame * frame;
    shift[1] = 0.125 * frame;
    shift[2] = frame > 4 ? 0.25 : 0.0;
}

#define CENTIMETRES                                                                                          \
    "#usda 1.0\n(\n    metersPerUnit = 0.01\n    upAxis = \"Y\"\n    timeCodesPerSecond = 24\n)\n"

/* A box with a sample of points for each frame. */
static void write_moving_box(import *f, const char *name, int frames) {
    char text[16384];
    size_t used =
        (size_t)snprintf(text, sizeof text,
                         CENTIMETRES "def Mesh \"box\"\n{\n    uniform token subdivisionScheme = \"none\"\n%s"
                                     "    point3f[] points.timeSamples = {\n",
                         faces_usda);
    for (int i = 1; i <= frames; i++) {
        double shift[3];
        shift_at(i, shift);
        used += (size_t)snprintf(text + used, sizeof text - used, "        %d: ", i);
        used += add_points(text + used, sizeof text - used, shift);
        used += (size_t)snprintf(text + used, sizeof text - used, ",\n");
    }
    snprintf(text + used, sizeof text - used, "    }\n}\n");
    import_write(f, name, text);
}

#define STRANDS                                                                                              \
    "hair: {strands: [[[-1.9, 1.9, 2.1], [-1.9, 1.9, 3], [-1.9, 1.9, 4], [-1.9, 1.9, 5]]], core: "           \
    "{stiffness: 0, stiffness_max: 0}, region: %s}\n"

static void test_points_by_frame(void **state) {
    import *f = *state;
    char text[512];
    write_moving_box(f, "b.usda", 8);
    snprintf(text, sizeof text,
             "time: {last: 8, outer_steps: 10, force_steps: 20}\n"
             "character: {kind: file, file: b.usda}\n" STRANDS,
             "all");
    rlt_frame_view view = import_good(f, text);
    for (int frame = 1; frame <= 8; frame++) {
        double shift[3];
        shift_at(frame, shift);
        assert_int_equal(view.frame, frame);
        assert_int_equal(view.vertex_count, 8);
        for (int i = 0; i < 8; i++)
            for (int k = 0; k < 3; k++)
                assert_true(fabs(view.vertices[3 * i + k] - corner(i, k, shift)) < 1e-6);
        /* the root is carried along: the body was at shift(1) at rest */
        double first[3];
        shift_at(1, first);
        const double root[3] = {-1.9 + shift[0] - first[0], 0, 0};
        assert_true(fabs(view.points[0] - root[0]) < 1e-5);
        if (frame < 8)
            view = import_advance(f, 1);
    }
}

/* Between frames and at their ends the motion is that of a cubic through the samples. */
static void test_segments(void **state) {
    import *f = *state;
    write_moving_box(f, "b.usda", 8);
    const char *text =
        "time: {last: 8}\ncharacter: {kind: file, file: b.usda}\nhair: {count: 1, region: all}\n";
    assert_int_equal(rlt_scene_load_text(f->folder, text, strlen(text), NULL, 0, f->messages, &f->scene),
                     RLT_OK);
    rlti_body *body = NULL;
    assert_int_equal(rlti_body_create(rlti_scene_get(f->scene), f->messages, &body), RLT_OK);
    rlti_vec3 coefficients[32], now[8], sample[8];
    assert_int_equal(rlti_body_begin_frame(body, 3, f->messages), RLT_OK);
    rlti_body_vertex_segment(body, 3, coefficients);
    rlti_body_vertices_at(body, coefficients, 1.0, 24.0, now, NULL);
    rlti_body_vertices_sample(body, 4, sample);
    for (int v = 0; v < 8; v++)
        assert_true(rlti_length(rlti_sub(now[v], sample[v])) < 1e-9);
    rlti_body_vertices_at(body, coefficients, 0.5, 24.0, now, NULL);
    assert_true(fabs(now[0].x - (-2.0 + 0.0625 * 3.5 * 3.5)) < 1e-9); /* a parabola is met exactly */
    /* before the scene's first frame the first pose holds */
    assert_int_equal(rlti_body_begin_frame(body, -5, f->messages), RLT_OK);
    rlti_body_vertices_sample(body, -5, sample);
    assert_true(fabs(sample[0].x + 2.0 - 0.0625) < 1e-9);
    rlti_body_destroy(body);
}

/* The same motion by a transform, by keys and by points. */
static void test_transform_and_keys(void **state) {
    import *f = *state;
    const double none[3] = {0};
    char points[512], text[2048];
    add_points(points, sizeof points, none);
    snprintf(text, sizeof text,
             CENTIMETRES "def Xform \"move\"\n{\n"
                         "    double3 xformOp:translate.timeSamples = { 1: (0, 0, 0), 5: (8, 0, 4) }\n"
                         "    float xformOp:rotateY.timeSamples = { 1: 0, 5: 90 }\n"
                         "    uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:rotateY\"]\n"
                         "    def Mesh \"box\"\n    {\n%s    point3f[] points = %s\n    }\n}\n",
             faces_usda, points);
    import_write(f, "b.usda", text);
    snprintf(text, sizeof text,
             "time: {last: 5, outer_steps: 10, force_steps: 20}\n"
             "character: {kind: file, file: b.usda}\n" STRANDS,
             "all");
    import_good(f, text);
    import_expect(f, "s.yaml:2:31: character.file: ", "/move/box: is the cage of a subdivision surface");
    rlt_frame_view view = import_advance(f, 4);
    /* a quarter turn about y takes (2, 2, 2) to (2, 2, -2) */
    assert_true(fabs(view.vertices[21] - 10.0) < 1e-5 && fabs(view.vertices[23] - 2.0) < 1e-5);
    assert_true(fabs(view.points[2] - 5.9) < 0.05); /* the root has turned with the box */

    snprintf(text, sizeof text, CENTIMETRES "def Mesh \"box\"\n{\n%s    point3f[] points = %s\n}\n",
             faces_usda, points);
    import_write(f, "b.usda", text);
    snprintf(text, sizeof text,
             "time: {last: 5, outer_steps: 10, force_steps: 20}\n"
             "character: {kind: file, file: b.usda, keys: [[1, 0, 0, 0, 0, 0, 0], [5, 8, 0, 4, 0, 90, "
             "0]]}\n" STRANDS,
             "all");
    import_good(f, text);
    view = import_advance(f, 4);
    assert_true(fabs(view.vertices[21] - 10.0) < 1e-9 && fabs(view.vertices[23] - 2.0) < 1e-9);
    assert_true(fabs(view.points[2] - 5.9) < 0.05);
}

static void test_subdivide(void **state) {
    import *f = *state;
    const double none[3] = {0};
    char points[512], text[2048];
    add_points(points, sizeof points, none);
    snprintf(text, sizeof text, CENTIMETRES "def Mesh \"box\"\n{\n%s    point3f[] points = %s\n}\n",
             faces_usda, points);
    import_write(f, "b.usda", text);
    const char *scene =
        "character: {kind: file, file: b.usda, subdivide: 2}\nhair: {count: 5, region: all}\n";
    rlt_frame_view view = import_good(f, scene);
    assert_int_equal(view.triangle_count, 6 * 16 * 2);
    import_no_message(f, "cage");
    for (int v = 0; v < view.vertex_count; v++) /* smoothed: corners are gone */
        assert_true(run_distance(view.vertices + 3 * v, none) < 2.6);
    assert_int_equal(view.strand_count, 5); /* generated hair grows on it too */
}

static void test_refused(void **state) {
    import *f = *state;
    const double none[3] = {0};
    char points[512], text[4096];
    add_points(points, sizeof points, none);
    snprintf(
        text, sizeof text,
        CENTIMETRES
        "def Mesh \"body\"\n{\n%s    point3f[] points = %s\n}\ndef Mesh \"eye\"\n{\n%s    point3f[] points "
        "= %s\n}\n",
        faces_usda, points, faces_usda, points);
    import_write(f, "b.usda", text);
    const char *hair = "hair: {count: 5, region: all}\n";
    snprintf(text, sizeof text, "character: {kind: file, file: b.usda}\n%s", hair);
    import_refuse(f, text, "s.yaml:1:31: character.file: ",
                  "b.usda: 2 of kind mesh fit, one is wanted: name it; there are: /body, /eye");
    snprintf(text, sizeof text, "character: {kind: file, file: b.usda, prim: /bdy}\n%s", hair);
    import_refuse(f, text, "s.yaml:1:31: character.file: ", "did you mean /body?");
    snprintf(text, sizeof text, "character: {kind: file, file: b.usda, prim: /b*}\nmotion: {kind: walk}\n%s",
             hair);
    import_refuse(f, text, "s.yaml:2:", "a body from a file moves as its file says");
    snprintf(text, sizeof text, "character: {kind: file, file: b.usda, prim: /b*, scale: 2}\n%s", hair);
    import_refuse(f, text, "s.yaml: character: ", "position and scale are for generated characters");
    snprintf(text, sizeof text, "character: {kind: file, file: b.usda, prim: /b*}\nhair: {count: 5}\n");
    import_refuse(f, text, "s.yaml: hair.region = \"scalp\": ", "no such region; known: all, none");
    snprintf(text, sizeof text, "character: {keys: [[1, 0, 0, 0, 0, 0, 0]]}\n%s", hair);
    import_refuse(f, text, "s.yaml:1:", "a generated character moves by motion.kind");
    snprintf(text, sizeof text,
             "character: {kind: none, keys: [[2, 0, 0, 0, 0, 0, 0], [2, 0, 0, 0, 0, 0, 0]]}\n%s", hair);
    import_refuse(f, text, "s.yaml:1:", "character.keys[1] = 2: frames must increase");
    snprintf(text, sizeof text, "character: {kind: none, keys: [[2, 0, 0, 0]]}\n%s", hair);
    import_refuse(f, text, "s.yaml:1:", "must be seven numbers");
    snprintf(text, sizeof text,
             CENTIMETRES
             "def Mesh \"body\"\n{\n%s    point3f[] points.timeSamples = { 1: %s, 2: [(0, 0, 0)] }\n}\n",
             faces_usda, points);
    import_write(f, "b.usda", text);
    snprintf(text, sizeof text, "character: {kind: file, file: b.usda}\n%s", hair);
    import_refuse(f, text, "s.yaml:1:31: character.file: ", "/body");
}

/* Face sets are regions. */
static void test_regions(void **state) {
    import *f = *state;
    const double none[3] = {0};
    char points[512], text[2048];
    add_points(points, sizeof points, none);
    snprintf(
        text, sizeof text,
        CENTIMETRES
        "def Mesh \"box\"\n{\n    uniform token subdivisionScheme = \"none\"\n%s    point3f[] points = %s\n"
        "    def GeomSubset \"top\"\n    {\n        uniform token elementType = \"face\"\n"
        "        int[] indices = [3]\n    }\n}\n",
        faces_usda, points);
    import_write(f, "b.usda", text);
    rlt_frame_view view =
        import_good(f, "character: {kind: file, file: b.usda}\nhair: {count: 9, region: top, length: 5}\n");
    for (int s = 0; s < 9; s++)
        assert_true(fabs(view.points[3 * view.first[s] + 1] - 2.0) < 1e-9);
}

/* A collider that moves by samples in one file is the same as one that moves by a sequence of OBJ files. */
static void test_collider_like_a_sequence(void **state) {
    import *f = *state;
    char text[1024], scene[1024], name[32];
    const char *format =
        "time: {last: 8, outer_steps: 30}\ncharacter: {kind: none}\n"
        "hair: {region: none, style: straight, count: 3, length: 20, spacing: 3, length_variation: 0, "
        "core: {stiffness: 0, stiffness_max: 0}}\n"
        "colliders: {kind: mesh, file: '%s'}\n";
    write_moving_box(f, "b.usda", 8);
    for (int i = 1; i <= 8; i++) {
        double shift[3];
        size_t used = 0;
        shift_at(i, shift);
        for (int v = 0; v < 8; v++)
            used += (size_t)snprintf(text + used, sizeof text - used, "v %.9g %.9g %.9g\n",
                                     corner(v, 0, shift), corner(v, 1, shift), corner(v, 2, shift));
        snprintf(text + used, sizeof text - used, "%s", faces_obj);
        snprintf(name, sizeof name, "b.%d.obj", i);
        import_write(f, name, text);
    }
    uint64_t hash[2];
    for (int i = 0; i < 2; i++) {
        snprintf(scene, sizeof scene, format, i == 0 ? "b.#.obj" : "b.usda");
        import_good(f, scene);
        import_advance(f, 6);
        hash[i] = rlt_simulation_hash(f->simulation);
    }
    assert_true(hash[0] == hash[1]);
    snprintf(scene, sizeof scene, format, "b.usda', prim: '/bix");
    import_refuse(f, scene, "s.yaml:4:", "no mesh at /bix; there are: /box; did you mean /box?");
}

/* A run that goes on from a checkpoint reads the samples it needs, and gives the same bytes. */
static void test_checkpoint(void **state) {
    import *f = *state;
    char path[160], text[512];
    write_moving_box(f, "b.usda", 8);
    import_write(f, "b.checkpoint", "");
    snprintf(path, sizeof path, "%sb.checkpoint", f->folder);
    snprintf(text, sizeof text,
             "time: {last: 8, outer_steps: 10, force_steps: 20}\n"
             "character: {kind: file, file: b.usda}\n" STRANDS,
             "all");
    import_good(f, text);
    import_advance(f, 3);
    assert_int_equal(rlt_checkpoint_write(path, f->simulation, NULL, f->messages), RLT_OK);
    rlt_frame_view view = import_advance(f, 3);
    uint64_t hash = rlt_simulation_hash(f->simulation);
    double corner_x = view.vertices[0];
    import_good(f, text);
    assert_int_equal(rlt_checkpoint_read(path, f->simulation, f->messages), RLT_OK);
    rlt_simulation_view(f->simulation, &view);
    assert_true(fabs(view.vertices[0] - (-2.0 + 0.0625 * 16)) < 1e-6);
    view = import_advance(f, 3);
    assert_true(rlt_simulation_hash(f->simulation) == hash);
    assert_true(view.vertices[0] == corner_x);
}

/* The body is also a collider: hair that falls on it stays on it. */
static void test_body_collides(void **state) {
    import *f = *state;
    const double none[3] = {0};
    char points[512], text[2048];
    add_points(points, sizeof points, none);
    snprintf(text, sizeof text,
             CENTIMETRES "def Mesh \"box\"\n{\n    uniform token subdivisionScheme = \"none\"\n%s    "
                         "point3f[] points = %s\n}\n",
             faces_usda, points);
    import_write(f, "b.usda", text);
    import_good(f, "time: {last: 12, outer_steps: 30}\ncharacter: {kind: file, file: b.usda}\n"
                   "hair: {strands: [[[0, 2, 0], [0, 2.5, 0], [0.5, 2.9, 0], [1, 2.9, 0], [1.5, 2.9, 0]]], "
                   "bend: {stiffness: 50}, "
                   "core: {stiffness: 0, stiffness_max: 0}}\n");
    rlt_frame_view view = import_advance(f, 11);
    for (int p = 1; p < view.point_count; p++)
        assert_true(view.points[3 * p + 1] > 2.0);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, import_setup, import_teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_points_by_frame),
        TEST(test_segments),
        TEST(test_transform_and_keys),
        TEST(test_subdivide),
        TEST(test_refused),
        TEST(test_regions),
        TEST(test_collider_like_a_sequence),
        TEST(test_body_collides),
        TEST(test_checkpoint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
