/* The Rod in the simulation: roots, bodies, wind, constraints, jumps, new rest shapes, sag, checkpoints,
 * ranks and reports, with the same bytes for any threads, ranks and instruction set. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "folder_fixture.h"
#include "model_fixture.h"
#include "sim/simulation_data.h"
#include "solve/rod_solver_data.h"

#define TIME "time: {last: 12}\n"
#define HEAD TIME "motion: {kind: walk, amount: 2}\ncharacter: {kind: head, resolution: 16}\n"
#define HAIR                                                                                                 \
    "hair: {model: rod, preset: redhead, region: scalp, count: 24, total_points: 480, length: 24, drag: 1,"  \
    " rod: {radius: [[0, 60], [1, 40]], damping: 0.02}}\n"
#define BODY "colliders: [{kind: body}, {kind: sphere, bone: torso, position: [0, -30, 0], radius: 12}]\n"
#define LONE                                                                                                 \
    "character: {kind: none}\nhair: {model: rod, drag: 2, contact: {enabled: off}, rod: {radius: 30},"       \
    " strands: [[[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0], [4, 0, 0], [5, 0, 0], [6, 0, 0]],"              \
    " [[0, 0, 5], [1, 0, 5], [2, 0, 5], [3, 0, 5], [4, 0, 5], [5, 0, 5], [6, 0, 5]]]}\n"
#define BUSY HEAD HAIR BODY "wind: {velocity: [60, 0, 20], turbulence: 40}\n"

enum { LONE_TIP = 6, OTHER_TIP = 13 };

static char self[1024];

/* ---- resolution ---- */

/* Tips of a hanging curl of four turns over 40 frames. */
static void hang_curl(const char *model, int per_turn, double tips[40][3]) {
    char text[8192];
    int used = 0, points = 4 * per_turn + 1;
    run r;
    for (int i = 0; i < points; i++) {
        double angle = 2.0 * RLTI_PI * i / per_turn;
        used += snprintf(text + used, sizeof text - (size_t)used, "%s[%.9f, %.9f, %.9f]", i > 0 ? ", " : "",
                         cos(angle) - 1.0, -0.8 * i / per_turn, sin(angle));
    }
    run_begin(
        &r, RLT_SIMD_AUTO, 1,
        "time: {last: 50}\ncharacter: {kind: none}\n"
        "hair: {model: %s, contact: {enabled: off}, rod: {radius: 30, damping: 0.02}, strands: [[%s]]}\n",
        model, text);
    for (int f = 0; f < 40; f++) {
        run_frames(&r, 1);
        rlt_frame_view view = run_view(&r);
        for (int axis = 0; axis < 3; axis++)
            tips[f][axis] = view.points[3 * (points - 1) + axis];
    }
    run_end(&r);
}

/* Twice the points, from 4 a turn: the same motion. As chords, 4 a turn would be a fifth stiffer. */
static void twice_the_points_move_alike(void **state) {
    (void)state;
    static const int counts[] = {4, 6, 10, 5, 10};
    double length = 4.0 * sqrt(4.0 * RLTI_PI * RLTI_PI + 0.64);
    for (int k = 0; k < 5; k++) {
        const char *model = k < 3 ? "rod" : "coil";
        double once[40][3], twice[40][3], off = 0.0, moved = 0.0;
        hang_curl(model, counts[k], once);
        hang_curl(model, 2 * counts[k], twice);
        for (int f = 0; f < 40; f++) {
            off = fmax(off, sqrt(pow(once[f][0] - twice[f][0], 2) + pow(once[f][1] - twice[f][1], 2) +
                                 pow(once[f][2] - twice[f][2], 2)));
            moved = fmax(moved, fabs(twice[f][1] - twice[0][1]));
        }
        print_message("%s of %d points a turn: %.4f of the length off, moved %.2f\n", model, counts[k],
                      off / length, moved / length);
        assert_true(off < 0.03 * length && moved > 0.1 * length);
    }
}

/* Where most points turn by more than a right angle there is no curve to speak of: a warning. */
static void coarse_curls_are_reported(void **state) {
    (void)state;
    run r;
    run_begin(
        &r, RLT_SIMD_AUTO, 1,
        "time: {last: 5}\ncharacter: {kind: none}\nhair: {model: rod, count: 3, region: none, style: helix, "
        "radius: 2, pitch: 1, points_per_turn: 3, length: 60}\n");
    int found = 0;
    for (int i = 0; i < rlt_messages_count(r.messages); i++)
        found +=
            rlt_messages_severity(r.messages, i) == RLT_WARNING &&
            strstr(rlt_messages_text(r.messages, i), "3 of 3 strands turn by more than 90 degrees") != NULL &&
            strstr(rlt_messages_text(r.messages, i), "at least 4 points a turn") != NULL;
    assert_int_equal(found, 1);
    run_end(&r);
}

/* ---- everything that acts ---- */

/* The first edge is the root's: it turns with the skin, and nothing is torn. */
static void roots_follow_the_body(void **state) {
    (void)state;
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 2, HEAD HAIR);
    double before[3];
    memcpy(before, run_view(&r).points, sizeof before);
    run_frames(&r, 8);
    double moved = run_distance(run_view(&r).points, before);
    rlt_statistics s = run_statistics(&r);
    print_message("a root moved by %.3g; longest edge %.4g\n", moved, s.longest);
    assert_true(moved > 0.1);
    for (int k = 0; k < 24; k++)
        assert_true(model_distance_to_root(&r, k) < 1e-9);
    assert_true(s.longest > 0.5 && s.longest < 1.01);
    run_end(&r);
}

static void bodies_keep_it_out(void **state) {
    (void)state;
    run r;
    /* under one strand; the other falls as it likes */
    run_begin(&r, RLT_SIMD_AUTO, 2,
              TIME LONE "colliders: {kind: sphere, position: [4, -1.9, 0], radius: 1.5}\n");
    run_frames(&r, 10);
    rlt_statistics s = run_statistics(&r);
    assert_true(s.contacts > 0);
    double deepest = run_deepest(r.simulation, r.messages);
    rlt_frame_view view = run_view(&r);
    print_message("%lld planes, deepest %.3g; y %.3g and %.3g\n", s.contacts, deepest, view.points[3 * 4 + 1],
                  view.points[3 * 11 + 1]);
    assert_true(deepest < 0.01);
    assert_true(view.points[3 * 4 + 1] > -0.2 && view.points[3 * 11 + 1] < -0.5);
    run_end(&r);
}

/* A strand falls into the crease between two balls: what leads out of one leads into the other. It comes to
 * rest out of both. */
static void a_crease_has_two_sides(void **state) {
    (void)state;
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 1,
              "time: {last: 60}\n" LONE "colliders: [{kind: sphere, position: [4, -1.7, 2.3], radius: 2},"
              " {kind: sphere, position: [4, -1.7, -2.1], radius: 2}]\n");
    double deepest = 0.0, moves = 0.0;
    for (int f = 0; f < 48; f++) {
        double before[3];
        memcpy(before, run_view(&r).points + 3 * 4, sizeof before);
        run_frames(&r, 1);
        deepest = fmax(deepest, run_deepest(r.simulation, r.messages));
        moves = f >= 40 ? fmax(moves, run_distance(run_view(&r).points + 3 * 4, before)) : 0.0;
    }
    rlt_frame_view view = run_view(&r);
    print_message("in the crease: deepest %.3g, moves %.2g a frame at rest, at %.3g, %.3g\n", deepest, moves,
                  view.points[3 * 4 + 1], view.points[3 * 4 + 2]);
    assert_true(deepest < 0.02 && moves < 1e-3);
    assert_true(fabs(view.points[3 * 4 + 2] - 0.1) < 0.01); /* between the two */
    run_end(&r);
}

static double tip_after(const char *more, int frames, int axis) {
    return model_point_after(TIME LONE, more, frames, LONE_TIP, axis);
}

static void wind_blows_it(void **state) {
    (void)state;
    double calm = tip_after("", 8, 2), blown = tip_after("wind: {velocity: [0, 0, 100]}\n", 8, 2);
    print_message("the tip goes from %.3g to %.3g\n", calm, blown);
    assert_true(fabs(calm) < 1e-9 && blown > 0.05);
}

/* How far the two tips are off their groomed distance, in turbulent air. */
static double spread_of(const char *more) {
    return model_spread_of(TIME LONE, more, LONE_TIP, OTHER_TIP);
}

static void pins_and_centroids_hold_it(void **state) {
    (void)state;
    double fallen = tip_after("", 10, 1);
    double hard = tip_after("constraints: {kind: pin, along: [0.9, 1], hold: hard}\n", 10, 1);
    double soft = tip_after("constraints: {kind: pin, along: [0.9, 1], stiffness: 1e5}\n", 10, 1);
    print_message("the tip falls to %.3g, pinned to %.3g (soft) and %.3g (hard)\n", fallen, soft, hard);
    assert_true(fallen < -0.2);
    assert_true(fabs(hard) < 1e-6 && fabs(soft) < 0.1);
    double loose = spread_of(""),
           bound = spread_of("constraints: {kind: centroid, along: [0.5, 1], stiffness: 3000}\n");
    print_message("tips are off their distance by %.3g, bound by %.3g\n", loose, bound);
    assert_true(loose > 0.05 && bound < 0.5 * loose);
}

/* Every kind of constraint that the scene knows runs. */
/* A centroid stiffer than its steps allow is softer than asked, and that is told with the steps that help. */
static void a_stiff_centroid_is_told(void **state) {
    (void)state;
    static const int steps[] = {1, 8};
    for (int k = 0; k < 2; k++) {
        run r;
        run_begin(&r, RLT_SIMD_AUTO, 1,
                  TIME "character: {kind: none}\nhair: {model: rod, region: none, count: 6, length: 12,"
                       " rod: {steps: %d}}\n"
                       "constraints: {name: heap, kind: centroid, stiffness: 3e6}\n",
                  steps[k]);
        int told = 0;
        for (int i = 0; i < rlt_messages_count(r.messages); i++)
            told += strstr(rlt_messages_text(r.messages, i),
                           "constraint 'heap': stiffness = 3e+06 /s^2 acts as 57600: ") != NULL &&
                    strstr(rlt_messages_text(r.messages, i), "raise hair.rod.steps to 8") != NULL;
        assert_int_equal(told, k == 0);
        run_end(&r);
    }
}

static void all_constraints_run(void **state) {
    (void)state;
    static const char *const kinds[] = {
        "centroid", "scalp",          "pin",    "attach, object: ball", "tips", "bound",
        "blend",    "pose, frame: 4", "freeze", "field, object: ball"};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        run r;
        run_begin(&r, RLT_SIMD_AUTO, 2,
                  HEAD HAIR
                  "colliders: [{kind: body}, {name: ball, kind: sphere, bone: head, position: [0, -12, 6],"
                  " radius: 3}]\nconstraints: {kind: %s, along: [0.3, 1]}\n",
                  kinds[k]);
        run_frames(&r, 6);
        assert_true(run_statistics(&r).longest < 1.05);
        run_end(&r);
    }
}

/* One walks evenly, the other jumps and turns in between: the same motion, seen from the root. */
static const char *jump_keys(int jumps, char text[2048]) {
    int used = 0;
    for (int frame = 0; frame <= 17; frame++) {
        int beyond = jumps && frame > 6, walked = 2 * (frame - 1);
        used +=
            snprintf(text + used, 2048 - (size_t)used, "%s[%d, %d, 0, %d, 0, %d, 0]", frame > 0 ? ", " : "",
                     frame, beyond ? 500 : walked, beyond ? -walked : 0, beyond ? 90 : 0);
    }
    return text;
}

static void a_jump_takes_it_along(void **state) {
    (void)state;
    static const char scene[] =
        "time: {last: 14}\ngravity: [0, 0, 0]\n"
        "character: {kind: none, jump: %s, keys: [%s]}\n"
        "hair: {model: rod, region: none, style: helix, count: 2, length: 20, drag: 0}\n";
    const double kick[3] = {0, 0, 30};
    char text[2048];
    run smooth, jump;
    run_begin(&smooth, RLT_SIMD_AUTO, 1, scene, "0", jump_keys(0, text));
    run_begin(&jump, RLT_SIMD_AUTO, 1, scene, "100", jump_keys(1, text));
    run_frames(&smooth, 3);
    run_frames(&jump, 3);
    rlt_simulation_kick(smooth.simulation, kick);
    rlt_simulation_kick(jump.simulation, kick);
    run_frames(&smooth, 9);
    run_frames(&jump, 9);
    rlt_frame_view u = run_view(&smooth), v = run_view(&jump);
    double worst = 0.0;
    for (int p = 1; p < u.first[1]; p++)
        for (int q = 0; q < p; q++)
            worst = fmax(worst, fabs(run_distance(u.points + 3 * p, u.points + 3 * q) -
                                     run_distance(v.points + 3 * p, v.points + 3 * q)));
    print_message("after the jump the shape differs by %.2g\n", worst);
    assert_true(fabs(v.points[0] - 500.0) < 5.0);
    assert_true(worst < 1e-3);
    run_end(&smooth);
    run_end(&jump);
}

/* A straight strand becomes the half circle of another groom. */
static void it_takes_a_new_rest_shape(void **state) {
    (void)state;
    run r;
    char curve[1024];
    int used = 0;
    for (int i = 0; i <= 12; i++) {
        double a = RLTI_PI * i / 12.0, radius = 12.0 / RLTI_PI;
        used += snprintf(curve + used, sizeof curve - (size_t)used, "%s[%.6f, %.6f, 0]", i > 0 ? ", " : "",
                         radius * sin(a), radius * (cos(a) - 1.0));
    }
    run_begin(&r, RLT_SIMD_AUTO, 1,
              "time: {last: 100}\ngravity: [0, 0, 0]\ncharacter: {kind: none}\nhair:\n"
              "- {name: a, model: rod, drag: 3, reshape: {groom: b, blend: [[1, 0], [8, 1]]}, contact: "
              "{enabled: off},"
              " strands: "
              "[[[0,0,0],[1,0,0],[2,0,0],[3,0,0],[4,0,0],[5,0,0],[6,0,0],[7,0,0],[8,0,0],[9,0,0],[10,0,0],"
              "[11,0,0],[12,0,0]]]}\n"
              "- {name: b, role: shape, strands: [[%s]]}\n",
              curve);
    run_frames(&r, 60);
    rlt_frame_view v = run_view(&r);
    double chord = run_distance(v.points, v.points + 3 * 12);
    print_message("ends are %.4g apart, half a circle has %.4g\n", chord, 24.0 / RLTI_PI);
    assert_true(fabs(chord - 24.0 / RLTI_PI) < 0.3);
    run_end(&r);
}

/* ---- sag ---- */

/* How far the farthest point has come from its groom after so many frames, and the strands that are stable.
 */
static double fallen_after(const char *sag, int frames, rlt_sag_report *report) {
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 2,
              "time: {last: 100}\ncharacter: {kind: head, resolution: 16}\n"
              "hair: {model: rod, preset: redhead, region: scalp, count: 12, total_points: 480, length: 30,"
              " contact: {enabled: off}, collide: {enabled: off}, rod: {radius: 60}, sag: {%s}}\n",
              sag);
    double *groom = run_points(&r), worst = 0.0;
    run_frames(&r, frames);
    rlt_frame_view v = run_view(&r);
    for (int p = 0; p < v.point_count; p++)
        worst = fmax(worst, run_distance(v.points + 3 * p, groom + 3 * p));
    *report = run_statistics(&r).sag;
    free(groom);
    run_end(&r);
    return worst;
}

static void a_settled_groom_stays(void **state) {
    (void)state;
    rlt_sag_report report;
    double loose = fallen_after("mode: off", 1, &report);
    double first = fallen_after("mode: solve", 1, &report), later = fallen_after("mode: solve", 48, &report);
    print_message("a frame moves it by %.3g, settled by %.3g, %.3g after two seconds; %d of %d solved, "
                  "%d stiffened (%.3g), %d unstable\n",
                  loose, first, later, report.solved, report.strands, report.stiffened, report.factor,
                  report.unstable);
    assert_true(loose > 0.05);
    assert_true(first < 1e-6 && later < 1e-3);
    assert_int_equal(report.solved, 12);
    assert_int_equal(report.unstable, 0);
    assert_true(fallen_after("mode: preload, amount: 0.5", 1, &report) < 0.7 * loose);
}

static void assert_says(const run *r, const char *wanted) {
    int found = 0;
    for (int i = 0; i < rlt_messages_count(r->messages); i++)
        found = found || strstr(rlt_messages_text(r->messages, i), wanted) != NULL;
    for (int i = 0; !found && i < rlt_messages_count(r->messages); i++)
        print_error("%s\n", rlt_messages_text(r->messages, i));
    assert_true(found);
}

/* What the sag could not do is said in the model's own words and values, those that are converted too. */
static void sag_warns_with_values_of_rods(void **state) {
    (void)state;
    static const char scene[] =
        "time: {last: 2}\ncharacter: {kind: none}\n"
        "hair: {model: rod, region: none, style: straight, length_variation: 0, count: 2, length: 20, "
        "segment: 1, direction: [1, 0, 0], %s}\n";
    static const char *const cases[][2] = {
        {"rod: {radius: 5}, sag: {mode: preload}",
         "degrees at a point: hair so soft does not stay there; sag.mode: solve stiffens it"},
        {"bend: {stiffness: 0}, core: {stiffness: 0, stiffness_max: 0}, sag: {mode: solve}",
         "sag: 2 strands have joints without bending stiffness, or folded by more than 150 degrees, which "
         "will "
         "sag; raise hair.bend.stiffness, which is converted"},
    };
    for (int i = 0; i < 2; i++) {
        run r;
        run_begin(&r, RLT_SIMD_AUTO, 1, scene, cases[i][0]);
        assert_says(&r, cases[i][1]);
        run_end(&r);
    }
}

/* A soft hair that stands upright cannot stay there without stiffening, and is said to be unstable. */
static void an_upright_soft_hair_is_stiffened(void **state) {
    (void)state;
    static const char scene[] =
        "time: {last: 60}\ncharacter: {kind: none}\n"
        "hair: {model: rod, region: none, style: straight, length_variation: 0, count: 2, length: 20, "
        "segment: 1,"
        " direction: [0, 1, 0], rod: {radius: 30}, sag: {mode: solve, stiffen: %s}}\n";
    run soft, stiff;
    run_begin(&soft, RLT_SIMD_AUTO, 1, scene, "1");
    run_begin(&stiff, RLT_SIMD_AUTO, 1, scene, "1000");
    rlt_sag_report a = run_statistics(&soft).sag, b = run_statistics(&stiff).sag;
    print_message("unstable %d; stiffened %d by %.3g, unstable %d\n", a.unstable, b.stiffened, b.factor,
                  b.unstable);
    assert_int_equal(a.unstable, 2);
    assert_int_equal(b.unstable, 0);
    assert_int_equal(b.stiffened, 2);
    assert_says(&soft,
                "sag: the equilibrium of 2 strands is not stable (rest angles changed by up to 0 degrees "
                "at a point); raise hair.rod.young, hair.rod.radius or hair.sag.stiffen");
    /* Greenhill: L^3 = 7.837 E I / (m g); 1.5 at a time */
    double needed = 981.0 * 8000.0 / 7.837 / (4e9 * 9e-10 / 4.0 / 1320.0 * 1e8);
    print_message("theory: %.3g\n", needed);
    assert_true(b.factor > 0.9 * needed && b.factor < 1.6 * needed);
    run_end(&soft);
    run_end(&stiff);
}

/* ---- the same bytes ---- */

static void threads_checkpoints_and_widths_give_the_same_bytes(void **state) {
    (void)state;
    static const char *const scenes[] = {
        BUSY, HEAD HAIR BODY "constraints: {kind: centroid, along: [0.5, 1]}\n",
        HEAD "hair: {model: rod, region: scalp, count: 20, total_points: 300, length: 20, sag: {mode: solve},"
             " rod: {integration: midpoint, gradient: printed, steps: 3, eccentricity: 0.7}}\n",
        HEAD
        "hair:\n- {name: a, model: rod, region: scalp, style: straight, count: 12, total_points: 180, "
        "length: 14,"
        " sag: {mode: solve}, reshape: {groom: b, blend: [[1, 0], [8, 1]]}}\n"
        "- {name: b, role: shape, region: scalp, style: helix, count: 12, total_points: 180, length: 14}\n"};
    for (int k = 0; k < 4; k++) {
        uint64_t first = model_hash(RLT_SIMD_AUTO, 1, 0, scenes[k]);
        assert_true(model_hash(RLT_SIMD_AUTO, 3, 0, scenes[k]) == first);
        assert_true(model_hash(RLT_SIMD_AUTO, 2, 1, scenes[k]) == first);
        for (int simd = RLT_SIMD_PORTABLE; simd <= RLT_SIMD_AVX512; simd++)
            if (rlt_simd_available((rlt_simd)simd))
                assert_true(model_hash((rlt_simd)simd, 1, 0, scenes[k]) == first);
    }
}

/* The hash after some frames, and how many strands were gathered; with `never`, none may be. */
static uint64_t gathered_hash(rlt_simd simd, int threads, int never, const char *text, long long *moved) {
    run r;
    run_begin(&r, simd, threads, "%s", text);
    rod_solver *solver = (rod_solver *)r.simulation->solvers[0];
    if (never)
        solver->gathers = 0;
    run_frames(&r, 2);
    uint64_t hash = rlt_simulation_hash(r.simulation);
    *moved = 0;
    for (int w = 0; w < threads; w++)
        *moved += solver->work[w].moved;
    run_end(&r);
    return hash;
}

/* Stiff and soft, long and short hair, in bodies and constraints: those that take long are gathered from
 * their tiles, and nothing is seen of it. */
static void gathered_strands_give_the_same_bytes(void **state) {
    (void)state;
#define MIXED                                                                                                \
    HEAD BODY                                                                                                \
        "hair:\n- {name: a, model: rod, preset: redhead, region: scalp, count: 120, total_points: 2400,"     \
        " length: 20, length_variation: 0.4, rod: {damping: 0.02%s}}\n"                                      \
        "- {name: b, model: rod, preset: straight, region: scalp, count: 84, total_points: 1200,"            \
        " length: 30, rod: {radius: 20%s}}\n"
    static const char *const kinds[][2] = {
        {"", "constraints: {kind: pin, hair: b, along: [0.9, 1], hold: hard}\n"},
        {", integration: midpoint", "constraints: {kind: centroid, hair: a, along: [0.5, 1]}\n"}};
    for (int k = 0; k < 2; k++) {
        char text[4096];
        long long moved, none;
        snprintf(text, sizeof text, MIXED "%s", kinds[k][0], kinds[k][0], kinds[k][1]);
        uint64_t never = gathered_hash(RLT_SIMD_AUTO, 1, 1, text, &none);
        assert_int_equal(none, 0);
        for (int simd = RLT_SIMD_PORTABLE; simd <= RLT_SIMD_AVX512; simd++) {
            if (!rlt_simd_available((rlt_simd)simd))
                continue;
            assert_true(gathered_hash((rlt_simd)simd, 1, 0, text, &moved) == never);
            print_message("%lld strands were gathered\n", moved);
            assert_true(moved > 20);
        }
        assert_true(gathered_hash(RLT_SIMD_AUTO, 3, 0, text, &moved) == never);
        assert_true(moved > 20);
    }
}

/* The reference rounds otherwise, and shows the same motion. */
static void the_reference_agrees(void **state) {
    (void)state;
    run a, b;
    double worst = 0.0;
    run_begin(&a, RLT_SIMD_AUTO, 1, BUSY);
    run_begin(&b, RLT_SIMD_REFERENCE, 1, BUSY);
    run_frames(&a, 2);
    run_frames(&b, 2);
    rlt_frame_view u = run_view(&a), v = run_view(&b);
    for (int p = 0; p < u.point_count; p++)
        worst = fmax(worst, run_distance(u.points + 3 * p, v.points + 3 * p));
    print_message("the reference differs by %.2g\n", worst);
    assert_true(worst < 0.02);
    run_end(&a);
    run_end(&b);
}

static void ranks_give_the_same_bytes(void **state) {
    (void)state;
    mpi_needed();
    model_assert_ranks(self, model_hash(RLT_SIMD_AUTO, 1, 0, BUSY));
}

/* Taz and Rod in one scene, where they do not touch: Taz moves as it does alone. */
/* The reference build gives other bytes, in doubles too: nothing made by the one continues with the other. */
static void the_reference_is_told_apart(void **state) {
    (void)state;
    static const rlt_simd simds[] = {RLT_SIMD_AUTO, RLT_SIMD_PORTABLE, RLT_SIMD_REFERENCE};
    uint64_t prints[3];
    for (int k = 0; k < 3; k++) {
        run r;
        run_begin(&r, simds[k], 1, TIME LONE);
        prints[k] = rlt_simulation_fingerprint(r.simulation);
        run_end(&r);
    }
    assert_true(prints[0] == prints[1]);
    assert_true(prints[0] != prints[2]);
}

static void two_models_share_a_scene(void **state) {
    (void)state;
    static const char taz[] =
        "  - {name: a, region: none, count: 3, spacing: 3, length: 8, contact: {enabled: off}}\n";
    static const char rod[] = "  - {name: b, model: rod, contact: {enabled: off},"
                              " strands: [[[0, 0, 50], [1, 0, 50], [2, 0, 50], [3, 0, 50]]]}\n";
    run both, one;
    run_begin(&both, RLT_SIMD_AUTO, 2, TIME "character: {kind: none}\nhair:\n%s%s", taz, rod);
    run_begin(&one, RLT_SIMD_AUTO, 2, TIME "character: {kind: none}\nhair:\n%s", taz);
    run_frames(&both, 4);
    run_frames(&one, 4);
    rlt_frame_view all = run_view(&both), a = run_view(&one);
    assert_memory_equal(all.points, a.points, (size_t)a.point_count * 3 * sizeof(double));
    assert_true(all.points[3 * all.point_count - 2] < -1e-6); /* the Rod falls, too */
    run_end(&both);
    run_end(&one);
}

/* ---- reports and odd input ---- */

static void newton_is_reported(void **state) {
    (void)state;
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 2, HEAD HAIR BODY);
    run_frames(&r, 2);
    rlt_statistics s = run_statistics(&r);
    print_message("%.3g iterations a step, %lld not converged\n",
                  (double)s.newton_iterations / (double)s.newton_steps, s.newton_unconverged);
    assert_int_equal(s.newton_steps, 2 * 4 * 24);
    assert_true(s.newton_iterations >= s.newton_steps);
    assert_int_equal(s.newton_failed, 0);
    assert_string_equal(s.model, "rod");
    assert_true(rlt_named_find(s.energies, s.energy_count, "bend") > 0.0);
    assert_true(rlt_named_find(s.energies, s.energy_count, "twist") > 0.0);
    assert_true(rlt_named_find(s.energies, s.energy_count, "core") == 0.0);
    run_end(&r);
}

#define FAST(rod)                                                                                            \
    "motion: {kind: flip}\ntime: {preroll: 0}\ncharacter: {kind: head, resolution: 16}\n"                    \
    "hair: {model: rod, count: 5, region: scalp, name: lock, rod: {" rod "}}\n"

/* Beyond a hundredth of a segment, with the count of such steps: when it begins, and when it has become twice
 * as bad. */
static void newton_warns_of_what_is_seen(void **state) {
    (void)state;
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 2, FAST("iterations: 1"));
    int before = rlt_messages_count(r.messages), frame = 1;
    long long off = 0, warned = 0, silent = 0;
    double told = 0.0;
    for (; frame < 13; frame++) {
        run_frames(&r, 1);
        rlt_statistics s = run_statistics(&r);
        int warns = rlt_messages_count(r.messages) - before;
        assert_int_equal(warns, s.newton_off > off && (warned == 0 || s.newton_worst > 2.0 * told));
        silent += s.newton_off > off && !warns;
        told = warns ? s.newton_worst : told;
        if (warns) {
            char begins[128];
            const char *text = rlt_messages_text(r.messages, before);
            snprintf(begins, sizeof begins,
                     "test: frame %d: Newton has not converged to 0.01 of a segment in %lld of 20 steps of "
                     "strands; worst is strand ",
                     frame + 1, s.newton_off - off);
            assert_int_equal(rlt_messages_severity(r.messages, before), RLT_WARNING);
            assert_true(strncmp(text, begins, strlen(begins)) == 0);
            assert_non_null(
                strstr(text, " of lock, whose last correction, depth in a body or error of a group was "));
            if (warned++ == 0)
                print_message("%s\n", text);
        }
        before += warns;
        off = s.newton_off;
        assert_true(s.newton_off <= s.newton_unconverged && (s.newton_off > 0) == (s.newton_worst > 0.01));
    }
    assert_true(warned > 0 && silent > 0);
    run_end(&r);
}

/* A tolerance below rounding is never met; what is left is far from being seen. Without bodies: planes are
 * renewed only while there are iterations left. */
static void newton_does_not_warn_of_less(void **state) {
    (void)state;
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 2, FAST("iterations: 30, tolerance: 1e-17}, collide: {enabled: off"));
    int before = rlt_messages_count(r.messages);
    run_frames(&r, 6);
    rlt_statistics s = run_statistics(&r);
    print_message("%lld of %lld steps not converged, worst %.3g of a segment\n", s.newton_unconverged,
                  s.newton_steps, s.newton_worst);
    assert_int_equal(s.newton_unconverged, s.newton_steps);
    assert_true(s.newton_worst > 0.0 && s.newton_worst < 0.01);
    assert_int_equal(s.newton_off, 0);
    assert_int_equal(rlt_messages_count(r.messages), before);
    run_end(&r);
}

/* Two points: bends at the root only. Folded, or with points that hardly differ: no NaN. */
static void odd_strands(void **state) {
    (void)state;
    run r;
    run_begin(
        &r, RLT_SIMD_AUTO, 1,
        TIME "character: {kind: none, keys: [[1, 0, 0, 0, 0, 0, 0], [9, 4, 0, 0, 0, 0, 90]]}\n"
             "hair: {model: rod, contact: {enabled: off}, strands: [[[0,0,0],[2,0,0]],"
             " [[0,0,4],[1,0,4],[2,0,4],[1,0,4],[0,0,4.0001]], [[0,0,8],[1,0,8],[1.000001,0,8],[2,0,8]]]}\n");
    run_frames(&r, 8);
    rlt_frame_view v = run_view(&r);
    assert_true(fabs(run_distance(v.points, v.points + 3) - 2.0) < 1e-4);
    assert_true(v.points[4] - v.points[1] > 1.5); /* turned by 90 degrees, all but its bend */
    for (int p = 0; p < 3 * v.point_count; p++)
        assert_true(isfinite(v.points[p]) && isfinite(v.velocities[p]));
    run_end(&r);
    run_assert_refused(
        "character: {kind: none}\nhair: {model: rod, strands: [[[0,0,0],[1,0,0],[1,0,0]]]}\n", 0,
        "s.yaml:2:47: hair.strands: strand 0, edge 1: has zero length; remove one of its two points");
}

static int enter_folder(void **state) {
    (void)state;
    return folder_enter("rod");
}

int main(int argc, char **argv) {
    if (argc > 1)
        return model_work(BUSY);
    if (realpath(argv[0], self) == NULL)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twice_the_points_move_alike),
        cmocka_unit_test(coarse_curls_are_reported),
        cmocka_unit_test(roots_follow_the_body),
        cmocka_unit_test(bodies_keep_it_out),
        cmocka_unit_test(a_crease_has_two_sides),
        cmocka_unit_test(wind_blows_it),
        cmocka_unit_test(pins_and_centroids_hold_it),
        cmocka_unit_test(a_stiff_centroid_is_told),
        cmocka_unit_test(all_constraints_run),
        cmocka_unit_test(a_jump_takes_it_along),
        cmocka_unit_test(it_takes_a_new_rest_shape),
        cmocka_unit_test(a_settled_groom_stays),
        cmocka_unit_test(an_upright_soft_hair_is_stiffened),
        cmocka_unit_test(sag_warns_with_values_of_rods),
        cmocka_unit_test(threads_checkpoints_and_widths_give_the_same_bytes),
        cmocka_unit_test(gathered_strands_give_the_same_bytes),
        cmocka_unit_test(the_reference_agrees),
        cmocka_unit_test(ranks_give_the_same_bytes),
        cmocka_unit_test(the_reference_is_told_apart),
        cmocka_unit_test(two_models_share_a_scene),
        cmocka_unit_test(newton_is_reported),
        cmocka_unit_test(newton_warns_of_what_is_seen),
        cmocka_unit_test(newton_does_not_warn_of_less),
        cmocka_unit_test(odd_strands),
    };
    return cmocka_run_group_tests(tests, enter_folder, folder_leave);
}
