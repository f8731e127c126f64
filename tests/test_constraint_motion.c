/* Constraints on a character that jumps, and in a preroll that eases in: what holds hair comes along. */
#include "import_fixture.h"

enum { LAST = 16, JUMP = 6 }; /* the jump is from frame 6 to 7 */

/* Two units a frame along x. One that jumps is turned by 90 degrees about y beyond it, far away. */
static void place(int jumps, int frame, const double from[3], double to[3]) {
    double way = 2.0 * (frame - 1);
    memcpy(to, from, 3 * sizeof *to);
    if (jumps && frame > JUMP) {
        to[0] = from[2] + 500.0;
        to[2] = -from[0] - way;
    } else {
        to[0] += way;
    }
}

/* The same as keys of a character. */
static const char *keys(int jumps) {
    static char text[2048];
    size_t used = 0;
    for (int frame = 0; frame <= LAST + 2; frame++) {
        const double zero[3] = {0, 0, 0};
        double at[3];
        place(jumps, frame, zero, at);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s[%d, %g, 0, %g, 0, %d, 0]",
                                 frame > 0 ? ", " : "", frame, at[0], at[2], jumps && frame > JUMP ? 90 : 0);
    }
    return text;
}

/* A prim whose points move in the same way; `head` is all of it before them. */
static void write_moving(import *f, const char *name, const char *head, const double (*points)[3], int count,
                         int jumps) {
    static char text[32768];
    size_t used = (size_t)snprintf(text, sizeof text,
                                   "#usda 1.0\n(\n    metersPerUnit = 0.01\n    upAxis = \"Y\"\n"
                                   "    timeCodesPerSecond = 24\n)\n%s    point3f[] points.timeSamples = {\n",
                                   head);
    for (int frame = 1; /* at rest there, as the keys are */ frame <= LAST + 2; frame++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "        %d: [", frame);
        for (int i = 0; i < count; i++) {
            double at[3];
            place(jumps, frame, points[i], at);
            used += (size_t)snprintf(text + used, sizeof text - used, "%s(%g, %g, %g)", i > 0 ? ", " : "",
                                     at[0], at[1], at[2]);
        }
        used += (size_t)snprintf(text + used, sizeof text - used, "],\n");
    }
    snprintf(text + used, sizeof text - used, "    }\n}\n");
    import_write(f, name, text);
}

static void write_files(import *f, int jumps) {
    static const double plate[4][3] = {{2, -1, -3}, {10, -1, -3}, {10, -1, 3}, {2, -1, 3}};
    static const double curves[8][3] = {{0, 0, 0}, {3, 0, 0}, {6, 0, 0}, {9, 0, 0},
                                        {0, 0, 1}, {3, 0, 1}, {6, 0, 1}, {9, 0, 1}};
    write_moving(f, "plate.usda",
                 "def Mesh \"plate\"\n{\n    uniform token subdivisionScheme = \"none\"\n"
                 "    int[] faceVertexCounts = [4]\n    int[] faceVertexIndices = [0, 1, 2, 3]\n",
                 plate, 4, jumps);
    write_moving(f, "hair.usda",
                 "def BasisCurves \"hair\"\n{\n    int[] curveVertexCounts = [4, 4]\n"
                 "    uniform token type = \"linear\"\n",
                 curves, 8, jumps);
    import_write(f, "still.obj", "v 2 -1 -3\nv 10 -1 -3\nv 10 -1 3\nv 2 -1 3\nf 1 2 3 4\n");
}

#define HAIR "contact: {enabled: off}, collide: {enabled: off}, drag: 0}\n"
#define DRAWN                                                                                                \
    "hair: {preset: straight, region: none, strands: [[[0, 0, 0], [3, 0, 0], [6, 0, 0], [9, 0, 0]], "        \
    "[[0, 0, 1], [3, 0, 1], [6, 0, 1], [9, 0, 1]]], " HAIR

static const char *const kinds[] = {
    DRAWN "constraints: {kind: pin, along: [0.5, 1]}\n",
    DRAWN "constraints: {kind: centroid, stiffness: 4000}\n",
    DRAWN "constraints: {kind: tips, stiffness: 4000}\n",
    DRAWN "constraints: {kind: bound, bounds: [0.99, 1.01], stiffness: 4000}\n",
    DRAWN "colliders: {name: tie, kind: sphere, bone: head, position: [9, 0, 0], radius: 1}\n"
          "constraints: {kind: attach, object: tie, along: [0.9, 1]}\n",
    DRAWN "colliders: {name: plate, kind: mesh, bone: head, file: still.obj}\n"
          "constraints: {kind: attach, object: plate, along: [0.9, 1]}\n",
    DRAWN "colliders: {name: plate, kind: mesh, file: plate.usda}\n"
          "constraints: {kind: attach, object: plate, along: [0.9, 1], hold: hard}\n",
    "hair: {preset: straight, file: hair.usda, prim: /hair, " HAIR "constraints: {kind: pin, target: file, "
    "along: [0.5, 1]}\n",
    "hair: {preset: straight, file: hair.usda, prim: /hair, " HAIR
    "constraints: {kind: blend, ramp: [[0, 1], [1, 0.3]]}\n",
    DRAWN "constraints: {kind: pose, frame: 9, lead: 5, stay: 1}\n",
    "hair: {preset: straight, file: hair.usda, prim: /hair, " HAIR
    "constraints: {kind: pose, target: file, frame: 9, lead: 5, stay: 1}\n",
    DRAWN "constraints: {kind: freeze, weight: [[4, 0], [5, 1]]}\n",
    "hair: {preset: straight, file: hair.usda, prim: /hair, reshape: {curves: posed}, " HAIR,
    DRAWN "colliders: {name: plate, kind: mesh, file: plate.usda}\n"
          "constraints: {kind: field, object: plate, range: 3, stiffness: 1e3}\n",
    DRAWN "colliders: {name: ball, kind: sphere, bone: head, position: [6, -2, 0], radius: 1}\n"
          "constraints: {kind: field, object: ball, range: 3, stiffness: 1e3}\n",
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* All points in all frames from the kick on. */
static int run_kind(import *f, int kind, int jumps, const char *how, double (*points)[64]) {
    static char text[4096];
    const double kick[3] = {0, 20, 30};
    write_files(f, jumps);
    snprintf(text, sizeof text,
             "time: {last: %d, outer_steps: 20, force_steps: 15, damping_steps: 3}\ngravity: [0, 0, 0]\n"
             "character: {kind: none, %s, keys: [%s]}\n%s",
             LAST, how, keys(jumps), kinds[kind]);
    import_good(f, text);
    import_advance(f, 2);
    rlt_simulation_kick(f->simulation, kick);
    rlt_frame_view view = {.size = sizeof view};
    for (int frame = 3; frame < LAST; frame++) {
        view = import_advance(f, 1);
        assert_true(view.point_count * 3 <= 64);
        memcpy(points[frame], view.points, (size_t)view.point_count * 3 * sizeof(double));
    }
    assert_true(!jumps || fabs(view.points[0] - 500.0) < 5.0);
    return view.point_count;
}

/* Shape is all distances between points: as on a walk without the jump. */
static void test_what_holds_jumps_along(void **state) {
    import *f = *state;
    static double even[LAST][64], jump[LAST][64];
    for (int kind = 0; kind < KINDS; kind++) {
        int count = run_kind(f, kind, 0, "jump: 100", even);
        run_kind(f, kind, 1, "jump: 100", jump);
        double worst = 0.0;
        for (int frame = 3; frame < LAST; frame++)
            for (int p = 0; p < count; p++)
                for (int q = 0; q < p; q++)
                    worst = fmax(worst, fabs(run_distance(even[frame] + (size_t)3 * (size_t)p,
                                                          even[frame] + (size_t)3 * (size_t)q) -
                                             run_distance(jump[frame] + (size_t)3 * (size_t)p,
                                                          jump[frame] + (size_t)3 * (size_t)q)));
        print_message("%d: a jump changes the shape by %.2g units\n", kind, worst);
        assert_true(worst < 1e-3);
    }
}

/* A cut that is named does the same, to the bit; so the length of the way does not matter. */
static void test_a_cut_is_a_jump(void **state) {
    import *f = *state;
    static double jump[LAST][64], cut[LAST][64];
    for (int kind = 0; kind < KINDS; kind++) {
        run_kind(f, kind, 1, "jump: 100", jump);
        run_kind(f, kind, 1, "cuts: [7]", cut);
        assert_memory_equal(jump[3], cut[3], sizeof jump - 3 * sizeof jump[0]);
    }
    run_kind(f, 0, 1, "jump: 100", jump);
    run_kind(f, 0, 1, "cuts: 7, jump: 1e6", cut); /* one frame alone; too far for the other to see */
    assert_memory_equal(jump[3], cut[3], sizeof jump - 3 * sizeof jump[0]);
}

/* ---- easing in ---- */

static double longest_edge(const rlt_frame_view *v) {
    double most = 0.0;
    for (int s = 0; s < v->strand_count; s++)
        for (int p = v->first[s] + 1; p < v->first[s + 1]; p++)
            most = fmax(
                most, run_distance(v->points + (size_t)3 * (size_t)p, v->points + (size_t)3 * (size_t)p - 3));
    return most;
}

/* The shot begins at frame 16, 30 units from where the hair was groomed. In the preroll hair, mesh and curves
 * go there together, from rest; nothing is pulled apart on the way, and the last quarter is still. */
static void test_what_holds_eases_in(void **state) {
    import *f = *state;
    static char text[4096];
    write_files(f, 0);
    for (int kind = 0; kind < KINDS; kind++) {
        if (strstr(kinds[kind], "kind: pose") != NULL || strstr(kinds[kind], "curves: posed") != NULL)
            continue; /* refused before the first frame */
        snprintf(text, sizeof text,
                 "time: {first: 16, last: 17, preroll: 16, preroll_pose: ease, outer_steps: 20, force_steps: "
                 "15, damping_steps: 3}\ngravity: [0, 0, 0]\n"
                 "character: {kind: none, keys: [%s]}\n%s",
                 keys(0), kinds[kind]);
        rlt_frame_view view = import_good(f, text);
        const double groomed = longest_edge(&view);
        double longest = groomed, before = -1.0;
        assert_int_equal(view.frame, 0);
        assert_true(run_distance(view.points, view.rest) < 1e-9);
        for (int frame = 1; frame <= 16; frame++) {
            view = import_advance(f, 1);
            longest = fmax(longest, longest_edge(&view));
            assert_true(view.points[0] > before - 1e-9);
            before = view.points[0];
        }
        size_t tip = (size_t)3 * (size_t)(view.first[1] - 1);
        double off = fabs(view.points[tip] - view.rest[tip] - 30.0);
        print_message("%d: edges of %.2f at most %.2f long on the way; the tip is %.3f off at the start\n",
                      kind, groomed, longest, off);
        assert_true(fabs(view.points[0] - view.rest[0] - 30.0) < 1e-6);
        assert_true(longest < 1.01 * groomed);
        assert_true(off < 0.5);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_what_holds_jumps_along, import_setup, import_teardown),
        cmocka_unit_test_setup_teardown(test_a_cut_is_a_jump, import_setup, import_teardown),
        cmocka_unit_test_setup_teardown(test_what_holds_eases_in, import_setup, import_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
