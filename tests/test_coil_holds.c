/* Every control of the Shape paper on Coils: what it holds, with it and without it, and the same of Rods. A
 * row is a scene, a switch and a measure; the table is in docs/design/coil.md. */
#include "scalp_fixture.h"

typedef double measure(const run *r);

/* ---- measures ---- */

static size_t tip_of(const rlt_frame_view *v, int strand) {
    return 3 * (size_t)(v->first[strand + 1] - 1);
}

/* Root mean square distance of the points from the groom, carried by the roots without their turn. */
static double off_groom(const run *r) {
    rlt_frame_view v = run_view(r);
    double sum = 0.0;
    for (int s = 0; s < v.strand_count; s++)
        for (int p = v.first[s]; p < v.first[s + 1]; p++)
            for (size_t k = 0, root = 3 * (size_t)v.first[s], at = 3 * (size_t)p; k < 3; k++) {
                double off = v.points[at + k] - v.points[root + k] - (v.rest[at + k] - v.rest[root + k]);
                sum += off * off;
            }
    return sqrt(sum / v.point_count);
}

/* Greatest distance of a tip from its groomed place. */
static double tips_off(const run *r) {
    rlt_frame_view v = run_view(r);
    double worst = 0.0;
    for (int s = 0; s < v.strand_count; s++)
        worst = fmax(worst, run_distance(v.points + tip_of(&v, s), v.rest + tip_of(&v, s)));
    return worst;
}

/* Root mean square change of the distances from the middle of all points. */
static double off_middle(const run *r) {
    rlt_frame_view v = run_view(r);
    double now[3] = {0}, rest[3] = {0}, sum = 0.0;
    for (int i = 0; i < 3 * v.point_count; i++) {
        now[i % 3] += v.points[i] / v.point_count;
        rest[i % 3] += v.rest[i] / v.point_count;
    }
    for (int p = 0; p < v.point_count; p++) {
        double off = run_distance(v.points + 3 * (size_t)p, now) - run_distance(v.rest + 3 * (size_t)p, rest);
        sum += off * off;
    }
    return sqrt(sum / v.point_count);
}

/* By how much the distance of the tips of a strand and its partner in the other half has changed, mean. */
static double tips_part(const run *r) {
    rlt_frame_view v = run_view(r);
    int half = v.strand_count / 2;
    double sum = 0.0;
    for (int s = 0; s < half; s++) {
        size_t a = tip_of(&v, s), b = tip_of(&v, s + half);
        sum += fabs(run_distance(v.points + a, v.points + b) - run_distance(v.rest + a, v.rest + b));
    }
    return sum / half;
}

/* How much longer than groomed the way from root to tip is, at most: 0.1 is a tenth. */
static double reach(const run *r) {
    rlt_frame_view v = run_view(r);
    double longest = 0.0;
    for (int s = 0; s < v.strand_count; s++) {
        size_t root = 3 * (size_t)v.first[s], tip = tip_of(&v, s);
        longest = fmax(longest, run_distance(v.points + root, v.points + tip) /
                                    run_distance(v.rest + root, v.rest + tip));
    }
    return longest - 1.0;
}

/* The same where the ball has grown to twice its size: how much of that the hair has not. */
static double half_grown(const run *r) {
    return fabs(reach(r) - 1.0);
}

/* Greatest displacement of a point that is groomed in the tie. */
static double tie_slips(const run *r) {
    rlt_frame_view v = run_view(r);
    const double tie[3] = {0.0, 7.0, -11.5};
    double worst = 0.0;
    for (int p = 0; p < v.point_count; p++)
        if (run_distance(v.rest + 3 * (size_t)p, tie) < 1.1)
            worst = fmax(worst, run_distance(v.rest + 3 * (size_t)p, v.points + 3 * (size_t)p));
    return worst;
}

/* How deep the deepest point is in the ball of the field's row, its range with it. */
static double in_the_way(const run *r) {
    rlt_frame_view v = run_view(r);
    const double middle[3] = {3.0, -3.0, 0.0};
    double deepest = 0.0;
    for (int p = 0; p < v.point_count; p++)
        deepest = fmax(deepest, 2.0 - run_distance(v.points + 3 * (size_t)p, middle));
    return deepest;
}

/* Greatest speed relative to the root [unit/s]. */
static double whips(const run *r) {
    rlt_frame_view v = run_view(r);
    double fastest = 0.0;
    for (int s = 0; s < v.strand_count; s++)
        for (int p = v.first[s]; p < v.first[s + 1]; p++)
            fastest = fmax(fastest, run_distance(v.velocities + 3 * p, v.velocities + 3 * v.first[s]));
    return fastest;
}

/* ---- the table ---- */

typedef struct row {
    const char *control;
    const char *scene; /* %1$s: the model, %2$s: the switch */
    const char *off, *on;
    measure *held;
    int frame;          /* at which */
    double free, bound; /* without it at least, with it at most */
} row;

#define CURL  "style: coil, segment: 0.3, radius: 0.5, pitch: 0.8, rod: {radius: 40, damping: 0.02, steps: 2}"
#define ALONE ", contact: {enabled: off}, collide: {enabled: off}"
#define ONE   CURL ALONE ", region: none, count: 1, length: 12"
#define NONE  "character: {kind: none}\n"
#define HAIR  "hair: {model: %1$s, " CURL ALONE
#define FILES RLT_SOURCE_DIR "/scenes/files/"
#define FOUR  NONE HAIR ", region: none, count: 4, spacing: 1.5, length: 12, drag: 5%2$s}\n"
#define LONG  NONE HAIR ", region: none, count: 2, length: 40, drag: 5%2$s}\n"
#define STORM "wind: {velocity: [500, 100, 0]}\n"
#define HOLD  "}\nconstraints: {kind: "

static const row rows[] = {
    {"sag: solve", LONG, "", ", sag: {mode: solve}", off_groom, 8, 0.5, 1e-9},
    {"sag: preload", LONG, "", ", sag: {mode: preload, amount: 1}", off_groom, 8, 0.5, 0.5},
    {"root frames",
     "character: {kind: file, file: '" FILES "brow.usda', root_frames: %2$s}\n" HAIR
     ", region: all, count: 2, length: 6, fall: 1, sag: {mode: solve}}\n",
     "cross", "best-fit", off_groom, 30, 0.1, 0.01},
    {"reshape: scale",
     "character: {kind: file, file: '" FILES "grow.usda'}\n" HAIR
     ", region: all, count: 1, length: 4, sag: {mode: solve}, reshape: {scale: %2$s}}\n",
     "off", "on", half_grown, 60, 0.9, 0.05},
    {"tie",
     STORM "character: {resolution: 12}\n" HAIR ", region: scalp, count: 8, length: 40, drag: 5%2$s}\n", "",
     ", tie: {style: ponytail, position: [0, 7, -11.5]}", tie_slips, 8, -1.0, 1e-3},
    {"centroid", STORM FOUR, "", HOLD "centroid, stiffness: 3e4", off_middle, 8, 0.3, 0.15},
    {"scalp, hard",
     STORM "character: {resolution: 12}\n" HAIR ", region: top, count: 3, length: 12, drag: 5%2$s}\n", "",
     HOLD "scalp, scalp: all, hold: hard", scalp_off, 6, 1.0, 1e-3},
    {"pin, hard", STORM FOUR, "", HOLD "pin, hold: hard", off_groom, 8, 1.0, 1e-6},
    {"pin, soft", STORM FOUR, "", HOLD "pin, stiffness: 1e5", off_groom, 8, 1.0, 0.05},
    {"blend, w = 1", STORM FOUR, "", HOLD "blend, ramp: 1", off_groom, 8, 1.0, 1e-6},
    {"blend, w = 0.9", STORM FOUR, "", HOLD "blend, ramp: 0.9", off_groom, 8, 1.0, 0.1},
    {"freeze", STORM FOUR, "", HOLD "freeze", off_groom, 8, 1.0, 1e-6},
    {"pose", STORM FOUR, "", HOLD "pose, frame: 8, lead: 6, along: [0.3, 1]", off_groom, 8, 1.0, 0.3},
    {"attach",
     STORM "colliders: {name: tie, kind: sphere, radius: 0.5, position: [9, 0, 0], group: none}\n" FOUR, "",
     HOLD "attach, object: tie, along: [0.9, 1], hold: hard", tips_off, 8, 1.0, 1e-6},
    {"bound, leash", LONG, "", HOLD "bound, along: [0.995, 1], hold: hard, bounds: [0, 1.05]", reach, 12, 0.1,
     0.051},
    {"bound, ends", LONG, "", HOLD "bound, hold: hard, bounds: [0, 1.05]", reach, 12, 0.1, 0.1},
    {"field",
     "colliders: {name: ball, kind: sphere, radius: 1, position: [3, -3, 0], group: none}\n"
     "wind: {velocity: [500, 0, 0]}\n" NONE "hair: {model: %1$s, drag: 5, " ONE "%2$s}\n",
     "", HOLD "field, object: ball, range: 1, stiffness: 1e5", in_the_way, 8, 0.5, 0.2},
    {"tips",
     "wind: {velocity: [0, 0, 400]}\n" NONE "hair: [{model: %1$s, name: a, variation: 0, drag: 0, " ONE
     "}, {model: %1$s, name: b, variation: 0, drag: 8, " ONE "}]\n%2$s",
     "", "constraints: {kind: tips, along: [0.9, 1], hold: hard}", tips_part, 8, 0.5, 0.05},
    {"link",
     "wind: {velocity: [300, 0, 0], turbulence: 600}\n" NONE "hair: {model: %1$s, " CURL ", region: none, "
     "count: 4, spacing: 1.2, length: 12, drag: 5, contact: {method: solve, radius: 0.1}%2$s}\n",
     "", ", link: {count: 8, reach: 1, stretch_stiffness: 2e4}", off_middle, 8, 0.2, 0.15},
    {"jump",
     "character: {kind: none, %2$s keys: [[1, 0, 0, 0, 0, 0, 0], [5, 0, 0, 0, 0, 0, 0], [6, 0, 0, 0, 0, 0, "
     "0], [7, 60, 0, 0, 0, 50, 0], [8, 60, 0, 0, 0, 50, 0], [12, 60, 0, 0, 0, 50, 0]]}\n"
     "hair: {model: %1$s, sag: {mode: solve}, " ONE "}\n",
     "", "jump: 20,", whips, 8, 10.0, 1e-6},
    {"ease",
     "time: {preroll: %2$s, preroll_pose: ease}\n"
     "character: {kind: none, keys: [[1, 0, 0, 0, 0, 0, 75]]}\nhair: {model: %1$s, " ONE "}\n",
     "0", "36", whips, 2, 20.0, 1.0},
    {"reshape: groom",
     "gravity: [0, 0, 0]\n" NONE "hair: [{model: %1$s, name: a, reshape: {groom: b, blend: %2$s}, " ONE
     "}, {name: b, role: shape, region: none, style: coil, count: 1, length: 12, radius: 0.8, segment: 0.3, "
     "pitch: 0.8}]\n",
     "1", "[[1, 1], [6, 0]]", off_groom, 16, 0.5, 0.05},
};

static double held(const row *w, const char *model, const char *control) {
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 1, w->scene, model, control);
    while (run_view(&r).frame < w->frame)
        run_frames(&r, 1);
    double value = w->held(&r);
    run_end(&r);
    return value;
}

/* A Coil is held as the bound says, and as well as a Rod is. */
static void controls_hold_coils(void **state) {
    int failed = 0;
    (void)state;
    print_message("%-16s %10s %10s %10s\n", "control", "without", "with", "rod, with");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const row *w = &rows[i];
        double off = held(w, "coil", w->off), on = held(w, "coil", w->on), rod = held(w, "rod", w->on);
        int good = off > w->free && on < w->bound && on < 1.5 * rod + 1e-3;
        print_message("%-16s %10.3g %10.3g %10.3g%s\n", w->control, off, on, rod, good ? "" : " FAILED");
        failed += !good;
    }
    assert_int_equal(failed, 0);
}

/* Whether a scene is warned of almost straight hair. */
static int is_warned(const char *hair) {
    int warned = 0;
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 1, NONE "hair: {model: coil, region: none, length: 20, %s}\n", hair);
    for (int i = 0; i < rlt_messages_count(r.messages); i++)
        warned += strstr(rlt_messages_text(r.messages, i), "joints are almost straight") != NULL;
    run_end(&r);
    return warned;
}

static void almost_straight_hair_is_told(void **state) {
    (void)state;
    assert_int_equal(is_warned("style: coil, count: 1, radius: 0.5, pitch: 0.8, segment: 0.3"), 0);
    assert_int_equal(is_warned("style: coil, count: 1, radius: 0.5, pitch: 0.8, points_per_turn: 50"), 0);
    assert_int_equal(is_warned("style: coil, count: 1, radius: 0.5, pitch: 0.8, points_per_turn: 80"), 1);
    assert_int_equal(is_warned("strands: [[[0,0,0],[1,0,0],[2,0,0.05],[3,0,0.05]]]"), 1);
    assert_int_equal(is_warned("strands: [[[0,0,0],[1,0,0],[2,0,0],[3,0,0]]]"), 0); /* straight is fine */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(controls_hold_coils),
                                       cmocka_unit_test(almost_straight_hair_is_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
