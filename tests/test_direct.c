/* Directing a shot: poses that are reached at a frame with the smallest force, and hair that freezes. */
#include <unistd.h>

#include "mpi_fixture.h"
#include "run_fixture.h"

static void write_text(const char *name, const char *text) {
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static rlt_pose_report pose_of(const run *r, int pose) {
    rlt_pose_report report = {.size = sizeof report};
    assert_int_equal(rlt_simulation_pose(r->simulation, pose, &report), RLT_OK);
    return report;
}

/* Greatest distance between the points of two runs. */
static double apart(const run *a, const run *b) {
    rlt_frame_view x = run_view(a), y = run_view(b);
    double worst = 0.0;
    for (int p = 0; p < x.point_count; p++)
        worst = fmax(worst, run_distance(x.points + 3 * (size_t)p, y.points + 3 * (size_t)p));
    return worst;
}

/* ---- poses ---- */

/* Points that nothing but the pose moves: 2 units up in half a second, on a root that moves along. */
#define FREE_FILE                                                                                            \
    "#usda 1.0\n(\n    metersPerUnit = 0.01\n    upAxis = \"Y\"\n    timeCodesPerSecond = 24\n)\n"           \
    "def BasisCurves \"hair\"\n{\n    int[] curveVertexCounts = [4]\n    uniform token type = \"linear\"\n"  \
    "    point3f[] points.timeSamples = {\n"                                                                 \
    "        1: [(0, 0, 0), (2, 0, 0), (4, 0, 0), (6, 0, 0)],\n"                                             \
    "        13: [(0, 0, 0), (2, 2, 0), (4, 2, 0), (6, 2, 0)],\n    }\n}\n"
#define FREE(outer, constraint)                                                                              \
    "time: {last: 20, outer_steps: " #outer ", force_steps: 8, damping_steps: 2}\n"                          \
    "gravity: [0, 0, 0]\ncharacter: {kind: none}\n"                                                          \
    "hair: {preset: straight, file: free.usda, contact: {enabled: off}, drag: 0,\n"                          \
    "  stretch: {limit: 0, velocity_limit: 0, stiffness: 0, damping: 0},\n"                                  \
    "  bend: {stiffness: 0, damping: 0}, core: {stiffness: 0, damping: 0}}\n"                                \
    "constraints: " constraint "\n"

static void poses_take_the_smallest_force(void **state) {
    run r, fine;
    const double d = 2.0, T = 0.5, g = 981.0;
    (void)state;
    write_text("free.usda", FREE_FILE);
    run_begin(&r, RLT_SIMD_AUTO, 1, FREE(20, "{kind: pose, target: file, frame: 13}"));
    run_begin(&fine, RLT_SIMD_AUTO, 1, FREE(40, "{kind: pose, target: file, frame: 13}"));
    assert_false(pose_of(&r, 0).reached);
    run_frames(&r, 12);
    run_frames(&fine, 12);
    rlt_pose_report a = pose_of(&r, 0), b = pose_of(&fine, 0);
    double effort = a.force_rms * a.force_rms * g * g * T, least = 12.0 * d * d / (T * T * T);
    /* a critically damped spring that comes within 1% in the same time: (1 + w T) exp(-w T) = 0.01 */
    double w = 6.638 / T, spring = d * d * w * w * w / 4.0;
    print_message("effort %.1f, the least is %.1f, a spring's %.1f; at most %.4f g of %.4f g; off by %.1e\n",
                  effort, least, spring, a.force_most, 6.0 * d / (T * T) / g, a.off_most);
    assert_true(a.reached && a.points == 3 && a.strands == 1 && a.frame == 13);
    assert_true(fabs(effort / least - 1.0) < 0.05);
    assert_true(effort < 0.2 * spring);
    assert_true(fabs(a.force_most / (6.0 * d / (T * T) / g) - 1.0) < 0.15);
    assert_true(a.off_most < 1e-3);
    assert_true(fabs(a.force_rms / b.force_rms - 1.0) < 0.01);
    run_frames(&r, 7);
    double overshoot = fabs(run_view(&r).points[10] - d);
    print_message("seven frames later %.1e units from the pose\n", overshoot);
    assert_true(overshoot < 0.01); /* it came to rest there */
    run_end(&r);
    run_end(&fine);
    unlink("free.usda");
}

#define REDHEAD(outer, constraints)                                                                          \
    "time: {last: 40, outer_steps: " #outer ", force_steps: 12, damping_steps: 6}\n"                         \
    "character: {resolution: 24}\nmotion: {kind: calisthenics}\n"                                            \
    "hair: {preset: redhead, region: top, count: 3, total_points: 150, contact: {enabled: off}}\n"           \
    "constraints: " constraints "\n"

static void hair_reaches_its_pose(void **state) {
    run r, fine;
    (void)state;
    run_begin(&r, RLT_SIMD_AUTO, 1, REDHEAD(15, "{name: up, kind: pose, frame: 20, lead: 10}"));
    run_begin(&fine, RLT_SIMD_AUTO, 1, REDHEAD(30, "{name: up, kind: pose, frame: 20, lead: 10}"));
    run_frames(&r, 19);
    run_frames(&fine, 19);
    rlt_pose_report a = pose_of(&r, 0), b = pose_of(&fine, 0);
    const char *said = rlt_messages_text(r.messages, rlt_messages_count(r.messages) - 1);
    print_message("%s\n%s\n%.4f units apart with half the steps\n", said,
                  rlt_messages_text(fine.messages, rlt_messages_count(fine.messages) - 1), apart(&r, &fine));
    assert_true(a.off_most < 0.01 && a.off_mean <= a.off_most);
    assert_true(a.force_rms > 0.5 && a.force_rms < a.force_most);
    assert_true(fabs(a.force_rms / b.force_rms - 1.0) < 0.08);
    assert_true(apart(&r, &fine) < 0.2);
    assert_memory_equal(said, "test: pose 'up' at frame 20: 147 points are ", 44);
    assert_int_equal(rlt_messages_severity(r.messages, rlt_messages_count(r.messages) - 1), RLT_NOTE);
    run_end(&r);
    run_end(&fine);
}

/* Outside of its time a pose is nothing, to the last bit. */
static void poses_begin_and_end(void **state) {
    run none, later, hard;
    (void)state;
    run_begin(&none, RLT_SIMD_AUTO, 1, REDHEAD(10, "[]"));
    run_begin(&later, RLT_SIMD_AUTO, 1, REDHEAD(10, "{kind: pose, frame: 20, lead: 8}"));
    run_begin(&hard, RLT_SIMD_AUTO, 1,
              REDHEAD(10, "{kind: pose, frame: 10, lead: 8, stay: 4, release: 2, hold: hard}"));
    run_frames(&none, 11);
    run_frames(&later, 11);
    run_frames(&hard, 12);
    assert_true(rlt_simulation_hash(none.simulation) == rlt_simulation_hash(later.simulation));
    rlt_frame_view view = run_view(&hard); /* frame 13: held exactly */
    double worst = 0.0;
    for (int s = 0; s < view.strand_count; s++)
        for (int p = view.first[s] + 1; p < view.first[s + 1]; p++) {
            size_t root = 3 * (size_t)view.first[s], at = 3 * (size_t)p;
            worst = fmax(worst, fabs(run_distance(view.points + at, view.points + root) -
                                     run_distance(view.rest + at, view.rest + root)));
        }
    print_message("held in its pose, hair is bent by %.1e units\n", worst);
    assert_true(worst < 0.005);
    run_end(&none);
    run_end(&later);
    run_end(&hard);
}

/* ---- freezing ---- */

#define FREEZE "{kind: freeze, weight: [[8, 0], [8.01, 1], [14, 1], [14.01, 0]]}"

/* Greatest change of a distance from the root between the view and `before`. */
static double bent(const run *r, const double *before) {
    rlt_frame_view view = run_view(r);
    double worst = 0.0;
    for (int s = 0; s < view.strand_count; s++)
        for (int p = view.first[s] + 1; p < view.first[s + 1]; p++) {
            size_t root = 3 * (size_t)view.first[s], at = 3 * (size_t)p;
            worst = fmax(worst, fabs(run_distance(view.points + at, view.points + root) -
                                     run_distance(before + at, before + root)));
        }
    return worst;
}

static void frozen_hair_keeps_its_shape(void **state) {
    run r, loose, groomed;
    (void)state;
    run_begin(&r, RLT_SIMD_AUTO, 1, REDHEAD(20, FREEZE));
    run_begin(&loose, RLT_SIMD_AUTO, 1, REDHEAD(20, "[]"));
    run_begin(&groomed, RLT_SIMD_AUTO, 1, REDHEAD(20, "{kind: freeze}"));
    run_frames(&r, 7);
    run_frames(&loose, 7);
    assert_true(rlt_simulation_hash(r.simulation) == rlt_simulation_hash(loose.simulation));
    double *at_8 = run_points(&loose), moved = bent(&loose, run_view(&loose).rest);
    run_frames(&r, 1);
    double *at_9 = run_points(&r);
    run_frames(&r, 5); /* frame 14 */
    run_frames(&loose, 6);
    run_frames(&groomed, 13);
    double frozen = bent(&r, at_9), caught = bent(&r, at_8), loosely = bent(&loose, at_8);
    double kept = bent(&groomed, run_view(&groomed).rest);
    print_message(
        "hair that had moved by %.2f is frozen to %.1e (%.3f since its frame), free it moves by %.2f; "
        "frozen from the start %.1e\n",
        moved, frozen, caught, loosely, kept);
    assert_true(moved > 1.0 && loosely > 1.0);
    assert_true(frozen < 1e-3 && kept < 1e-3);
    assert_true(caught < 0.5); /* it moved on for a step */
    run_frames(&r, 4);
    assert_true(bent(&r, at_9) > 0.1); /* let go */
    free(at_8);
    free(at_9);
    run_end(&r);
    run_end(&loose);
    run_end(&groomed);
}

/* ---- looking ---- */

/* Hair at rest on soft pins: each bears a point's weight. */
static void holds_are_seen(void **state) {
    static const char *const laws[] = {"stiffness: 2e5", "hold: hard"};
    (void)state;
    for (int k = 0; k < 2; k++) {
        run r;
        rlt_diagnostics *d = NULL;
        run_begin(
            &r, RLT_SIMD_AUTO, 1,
            "time: {last: 40, outer_steps: 10, force_steps: 12, damping_steps: 6}\n"
            "character: {kind: none}\n"
            "hair: {preset: straight, region: none, drag: 4, contact: {enabled: off},\n"
            "  bend: {stiffness: 0, damping: 0}, strands: [[[0, 0, 0], [2, 0, 0], [4, 0, 0], [6, 0, 0]]]}\n"
            "constraints: {kind: pin, %s}\n",
            laws[k]);
        run_frames(&r, 30);
        uint64_t before = rlt_simulation_hash(r.simulation);
        assert_int_equal(rlt_simulation_diagnose(r.simulation, r.messages, &d), RLT_OK);
        assert_true(rlt_simulation_hash(r.simulation) == before);
        assert_int_equal(d->hold_count, 3);
        for (int i = 0; i < 3; i++) {
            print_message("%s: point %d to (%.3f %.3f %.3f) with %.3f g\n", laws[k], d->hold_points[i],
                          d->hold_anchors[3 * i], d->hold_anchors[3 * i + 1], d->hold_anchors[3 * i + 2],
                          d->hold_forces[i]);
            assert_int_equal(d->hold_points[i], i + 1);
            assert_true(fabs(d->hold_anchors[3 * i] - 2.0 * (i + 1)) < 1e-5);
            assert_true(fabs(d->hold_forces[i] - (k == 0 ? 1.0 : -1.0)) < (k == 0 ? 0.02 : 1e-9));
        }
        rlt_diagnostics_destroy(d);
        run_end(&r);
    }
}

/* ---- the same bytes ---- */

#define BOTH                                                                                                 \
    "time: {last: 12, preroll: 1, outer_steps: 10, force_steps: 12, damping_steps: 4}\n"                     \
    "character: {resolution: 24}\nmotion: {kind: walk, amount: 2}\n"                                         \
    "hair: {preset: straight, count: 20, length: 12, segment: 1.5}\n"                                        \
    "constraints:\n  - {name: a, kind: pose, frame: 9, lead: 6, along: [0.5, 1], region: left}\n"            \
    "  - {name: b, kind: freeze, region: right, weight: [[4, 0], [5, 1], [7, 1], [8, 0], [10, 1]]}\n"

static void same_reports(const run *a, const run *b) {
    rlt_pose_report x = pose_of(a, 0), y = pose_of(b, 0);
    assert_true(x.reached && y.reached);
    assert_memory_equal(&x.force_rms, &y.force_rms, sizeof x.force_rms);
    assert_memory_equal(&x.force_most, &y.force_most, sizeof x.force_most);
    assert_memory_equal(&x.off_mean, &y.off_mean, sizeof x.off_mean);
    assert_int_equal(x.force_strand, y.force_strand);
}

static void threads_do_not_show(void **state) {
    run one, other;
    (void)state;
    run_begin(&one, RLT_SIMD_AUTO, 1, BOTH);
    run_frames(&one, 11);
    for (int threads = 2; threads <= 3; threads++) {
        run_begin(&other, threads == 2 ? RLT_SIMD_AUTO : RLT_SIMD_PORTABLE, threads, BOTH);
        run_frames(&other, 11);
        assert_true(rlt_simulation_hash(one.simulation) == rlt_simulation_hash(other.simulation));
        same_reports(&one, &other);
        run_end(&other);
    }
    run_end(&one);
}

/* From the middle of the lead and while frozen (frame 6), and after both (frame 9). */
static void checkpoints_go_on(void **state) {
    run whole, first, second;
    (void)state;
    run_begin(&whole, RLT_SIMD_AUTO, 1, BOTH);
    run_frames(&whole, 12);
    for (int frames = 6; frames <= 9; frames += 3) {
        run_begin(&first, RLT_SIMD_AUTO, 2, BOTH);
        run_begin(&second, RLT_SIMD_PORTABLE, 1, BOTH);
        run_frames(&first, frames);
        assert_int_equal(rlt_checkpoint_write("direct.ckpt", first.simulation, NULL, first.messages), RLT_OK);
        assert_int_equal(rlt_checkpoint_read("direct.ckpt", second.simulation, second.messages), RLT_OK);
        run_frames(&second, 12 - frames);
        assert_true(rlt_simulation_hash(whole.simulation) == rlt_simulation_hash(second.simulation));
        same_reports(&whole, &second);
        run_end(&first);
        run_end(&second);
    }
    unlink("direct.ckpt");
    run_end(&whole);
}

static void ranks_do_not_show(void **state) {
    (void)state;
    mpi_needed();
    write_text("direct.yaml", BOTH);
    assert_int_equal(ringlet("simulate direct.yaml -o direct-1.usda --threads 1 --quiet"), 0);
    char said[4096];
    snprintf(said, sizeof said, "%s", strstr(err_text, "note: "));
    *strchr(said, '\n') = 0;
    assert_non_null(strstr(said, "pose 'a' at frame 9"));
    assert_int_equal(mpi_run(2, RLT_PROGRAM " simulate direct.yaml -o direct-2.usda --threads 1 --quiet"), 0);
    assert_int_equal(system("cmp direct-1.usda direct-2.usda"), 0);
    if (strstr(err_text, said) == NULL)
        fail_msg("\"%s\" is not in \"%s\"", said, err_text);
    unlink("direct.yaml");
    unlink("direct-1.usda");
    unlink("direct-2.usda");
}

static void reports_are_told(void **state) {
    (void)state;
    write_text("direct-json.yaml", BOTH);
    assert_int_equal(ringlet("simulate direct-json.yaml -o direct-json.usda --quiet --json"), 0);
    assert_non_null(strstr(out_text, "\"poses\": ["));
    assert_non_null(strstr(out_text, "\"reached\": true"));
    const char *force = strstr(out_text, "\"force_rms\": ");
    assert_non_null(force);
    assert_true(atof(force + 13) > 0.1);
    unlink("direct-json.yaml");
    unlink("direct-json.usda");
}

/* ---- bad ones ---- */

static void assert_refused(const char *constraint, const char *message) {
    char text[2048];
    snprintf(text, sizeof text,
             "character: {kind: none}\n"
             "hair: {name: lock, preset: straight, region: none, count: 2}\n"
             "constraints:\n  - %s\n",
             constraint);
    run_assert_refused(text, 0, message);
}

static void bad_ones_are_told(void **state) {
    (void)state;
    assert_refused("{kind: pose}", "s.yaml:4:12: constraints[0].frame = 0: must be after time.first (1): a "
                                   "pose takes time to reach");
    assert_refused("{kind: pose, frame: 1}",
                   "s.yaml:4:25: constraints[0].frame = 1: must be after time.first "
                   "(1): a pose takes time to reach");
    assert_refused("{kind: pose, frame: 9, lead: 0}",
                   "s.yaml:4:34: constraints[0].lead = 0: must be within 0.1..100000");
    assert_refused(
        "{name: p, kind: pose, frame: 9, target: file}",
        "s.yaml:4:5: constraint 'p': target = file: hair 'lock' is not from a file; choose groom or shape");
    assert_refused(
        "{name: p, kind: pose, frame: 9, hold: hard, stay: 2}\n  - {name: f, kind: freeze}",
        "s.yaml:5:5: constraint 'f' conflicts with 'p' (s.yaml:4:5): both hold 86 points in place, "
        "hard, at the same time (first in strand 0); make one soft, or give them weights in turn");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poses_take_the_smallest_force),
        cmocka_unit_test(hair_reaches_its_pose),
        cmocka_unit_test(poses_begin_and_end),
        cmocka_unit_test(frozen_hair_keeps_its_shape),
        cmocka_unit_test(holds_are_seen),
        cmocka_unit_test(threads_do_not_show),
        cmocka_unit_test(checkpoints_go_on),
        cmocka_unit_test(ranks_do_not_show),
        cmocka_unit_test(reports_are_told),
        cmocka_unit_test(bad_ones_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
