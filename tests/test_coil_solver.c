/* The Coil in the simulation: sag, bodies, contacts, fixed counts of iterations, bad input, with the same
 * bytes for any threads, ranks and instruction set. What it shares with the Rod is in test_rod_solver.c. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "folder_fixture.h"
#include "model_fixture.h"

#define TIME "time: {last: 12}\n"
#define HEAD TIME "motion: {kind: walk, amount: 2}\ncharacter: {kind: head, resolution: 16}\n"
#define HAIR                                                                                                 \
    "hair: {model: coil, style: coil, region: scalp, count: 24, total_points: 720, length: 12, radius: 0.6," \
    " pitch: 0.9, rod: {radius: [[0, 60], [1, 40]], damping: 0.02%s}, coil: {bend: 3, torsion: 3%s}%s}\n"
#define BODY "colliders: [{kind: body}, {kind: sphere, bone: torso, position: [0, -30, 0], radius: 12}]\n"
#define BUSY HEAD BODY "wind: {velocity: [60, 0, 20], turbulence: 40}\n" HAIR

static char self[1024];
static char busy[2048];

/* More of hair.rod, of hair.coil and of hair. */
static void with(char *text, size_t size, const char *rod, const char *coil, const char *hair) {
    snprintf(text, size, BUSY, rod, coil, hair);
}

static int says(const run *r, const char *wanted) {
    int found = 0;
    for (int i = 0; i < rlt_messages_count(r->messages); i++)
        found += strstr(rlt_messages_text(r->messages, i), wanted) != NULL;
    return found;
}

/* ---- the same bytes ---- */

static void threads_checkpoints_and_widths_give_the_same_bytes(void **state) {
    (void)state;
    static const char *const more[][3] = {
        {"", "", ""},
        {", tolerance: 0, iterations: 3, steps: 1", ", matrix: stretch", ""},
        {"", ", matrix: gauss-newton",
         ", contact: {enabled: on, method: solve, radius: 0.15}, sag: {mode: solve}"}};
    for (int k = 0; k < 3; k++) {
        char text[2048];
        with(text, sizeof text, more[k][0], more[k][1], more[k][2]);
        uint64_t first = model_hash(RLT_SIMD_AUTO, 1, 0, text);
        assert_true(model_hash(RLT_SIMD_AUTO, 3, 1, text) == first);
        for (int simd = RLT_SIMD_PORTABLE; simd <= RLT_SIMD_AVX512; simd++)
            if (rlt_simd_available((rlt_simd)simd))
                assert_true(model_hash((rlt_simd)simd, 1, 0, text) == first);
    }
}

static void ranks_give_the_same_bytes(void **state) {
    (void)state;
    mpi_needed();
    model_assert_ranks(self, model_hash(RLT_SIMD_AUTO, 1, 0, busy));
}

/* ---- what acts ---- */

static void it_moves_with_the_body(void **state) {
    (void)state;
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 2, "%s", busy);
    run_frames(&r, 8);
    rlt_statistics s = run_statistics(&r);
    print_message("longest edge %.4g, %.3g iterations a step\n", s.longest,
                  (double)s.newton_iterations / (double)s.newton_steps);
    for (int k = 0; k < 24; k++)
        assert_true(model_distance_to_root(&r, k) < 1e-9);
    assert_true(s.longest > 0.9 && s.longest < 1.02);
    assert_string_equal(s.model, "coil");
    assert_true(rlt_named_find(s.energies, s.energy_count, "torsion") > 0.0);
    assert_true(run_deepest(r.simulation, r.messages) < 0.05);
    run_end(&r);
}

/* Three iterations a step, a step a frame: no warnings of what was not asked for. */
static void fixed_counts_take_all_iterations(void **state) {
    (void)state;
    char text[2048];
    run r;
    with(text, sizeof text, ", tolerance: 0, iterations: 3, steps: 1", "", ", collide: {enabled: off}");
    run_begin(&r, RLT_SIMD_AUTO, 1, "%s", text);
    int before = rlt_messages_count(r.messages);
    run_frames(&r, 6);
    rlt_statistics s = run_statistics(&r);
    assert_int_equal(s.newton_iterations, 3 * s.newton_steps);
    assert_int_equal(rlt_messages_count(r.messages), before);
    run_end(&r);
}

/* The same where coils meet and Newton is lost: steps are not taken again in halves, nor is hair brought
 * back. */
static void fixed_counts_of_contacts_are_taken_as_they_are(void **state) {
    (void)state;
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 1,
              "time: {fps: 30, last: 12}\ncharacter: {kind: none, keys: [[1, 0, 0, 0, 0, 0, 0], "
              "[4, 6, 0, 0, 0, 0, 60], [7, -6, 0, 0, 0, 0, -60], [10, 6, 0, 0, 0, 0, 60]]}\n"
              "hair: {model: coil, region: none, style: coil, count: 16, spacing: 1, length: 12, "
              "segment: 0.3, radius: 0.6, pitch: 0.9, rod: {steps: 1, iterations: 4, tolerance: 0}, "
              "contact: {enabled: on, method: solve, radius: 0.1}}\n"
              "contacts: {block: lumped, early: 0, newton: 4, iterations: 3}\n");
    double touching = 0.0;
    for (int frame = 0; frame < 7; frame++) {
        run_frames(&r, 1);
        rlt_statistics s = run_statistics(&r);
        assert_true(s.solved_halved == 0 && s.solved_retreated == 0.0 && s.solved_newton <= 4.0);
        assert_true(s.longest < 1.01);
        touching = fmax(touching, s.solved_touching);
    }
    assert_true(touching > 10.0);
    run_end(&r);
}

/* A ball that is shaken by 5 units twice a second, so that its speed at a step's end is off its mean by up to
 * 1.7 segments a step: friction must not pull hair off its root where three iterations are all there are.
 * Each strand by itself, and by the solver of contacts, though these few do not touch. */
static void hair_that_is_shaken_hard_keeps_its_length(void **state) {
    (void)state;
    static const char scene[] =
        "time: {fps: 30, last: 60}\ncharacter: {kind: ball}\nmotion: {kind: shake, amount: 1}\n"
        "hair: {model: coil, style: coil, region: all, count: 16, total_points: 1600, length: 26, "
        "length_variation: 0, radius: 0.5, pitch: 0.6, taper: 0, fall: 0, "
        "rod: {steps: 1, iterations: 3, tolerance: 0, hairs: 100}, coil: {bend: 100, torsion: 100}, "
        "contact: {method: solve, radius: 0.05, enabled: %s}}\n"
        "contacts: {block: lumped, early: 0, newton: 3, iterations: 3, sweeps: 3}\n";
    for (int meets = 0; meets < 2; meets++) {
        run r;
        double longest = 0.0;
        run_begin(&r, RLT_SIMD_AUTO, 1, scene, meets ? "on" : "off");
        for (int frame = 0; frame < 16; frame++) {
            run_frames(&r, 1);
            longest = fmax(longest, run_statistics(&r).longest);
        }
        print_message("contacts %s: longest edge %.4g\n", meets ? "on" : "off", longest);
        assert_true(longest < 1.01);
        run_end(&r);
    }
}

/* Rest lengths and angles for which the groom stands; without, it falls by a tenth of its length. */
static void a_settled_groom_stays(void **state) {
    (void)state;
    static const char scene[] =
        "time: {last: 60}\ncharacter: {kind: none}\n"
        "hair: {model: coil, region: none, style: coil, count: 4, spacing: 9, length: 12, "
        "segment: 0.4, radius: 0.6, pitch: 0.9, direction: [1, 0.3, 0], "
        "length_variation: 0, contact: {enabled: off}, sag: {mode: %s}}\n";
    for (int settled = 0; settled < 2; settled++) {
        run r;
        run_begin(&r, RLT_SIMD_AUTO, 2, scene, settled ? "solve" : "off");
        rlt_frame_view view = run_view(&r);
        double *before = malloc((size_t)view.point_count * 3 * sizeof *before), most = 0.0;
        assert_non_null(before);
        memcpy(before, view.points, (size_t)view.point_count * 3 * sizeof *before);
        run_frames(&r, 24);
        view = run_view(&r);
        for (int p = 0; p < view.point_count; p++)
            most = fmax(most, run_distance(view.points + 3 * p, before + 3 * p));
        free(before);
        print_message("settled %d: moved by %.3g\n", settled, most);
        assert_true(settled ? most < 1e-9 && run_statistics(&r).sag.solved == 4 : most > 0.5);
        run_end(&r);
    }
}

/* A soft coil falls onto a stiff strand below it and stays above. */
static void coils_meet(void **state) {
    (void)state;
    static const char scene[] =
        "time: {last: 40}\ncharacter: {kind: none}\nhair:\n"
        "- {name: a, model: coil, drag: 2, rod: {radius: 12}, contact: {enabled: %s, radius: 0.2, method: "
        "solve}, "
        "strands: [[[0, 0, 0], [1, 0, 0.1], [2, 0.1, 0], [3, 0, 0.1], [4, 0, 0], [5, 0, 0.1], [6, 0.1, "
        "0]]]}\n"
        "- {name: b, model: coil, rod: {radius: 400}, contact: {enabled: on, radius: 0.2, method: solve}, "
        "strands: [[[4, -0.8, -3], [4, -0.8, -2], [4.1, -0.8, -1], [4, -0.8, 0], [4, -0.8, 1], [4.1, -0.8, "
        "2]]]}\n";
    for (int touches = 0; touches < 2; touches++) {
        run r;
        run_begin(&r, RLT_SIMD_AUTO, 1, scene, touches ? "on" : "off");
        run_frames(&r, 30);
        double y = run_view(&r).points[3 * 4 + 1];
        print_message("contacts %s: at %.3g\n", touches ? "on" : "off", y);
        assert_true(touches ? y > -0.8 : y < -1.2);
        run_end(&r);
    }
}

/* Each model solves contacts of its own kind; with the other they are met by springs. */
static void coils_meet_rods_by_springs(void **state) {
    (void)state;
    static const char scene[] = HEAD
        "hair:\n"
        "- {name: a, model: coil, region: scalp, count: 12, total_points: 240, contact: {method: solve}}\n"
        "- {name: b, model: %s, region: scalp, count: 12, total_points: 240, contact: {method: solve}}\n";
    for (int rods = 0; rods < 2; rods++) {
        run r;
        run_begin(&r, RLT_SIMD_AUTO, 1, scene, rods ? "rod" : "coil");
        long long edges = run_statistics(&r).edges;
        assert_true(rods ? edges > 0 : edges == 0);
        run_end(&r);
    }
}

/* ---- a braid ---- */

enum { LOCKS = 3, LOCK_POINTS = 61, LOCK_TIP = LOCK_POINTS - 1 };
#define TIE "[[0, 0], [0.96, 0], [0.98, 1e6], [1, 1e6]]"

/* Three locks, each a period of the braid behind the next; the roots side by side. */
static void braid_points(int lock, char *text, size_t size) {
    int used = 0;
    for (int i = 0; i < LOCK_POINTS; i++) {
        double t = 6.283185307179586 * (2.5 * i / (LOCK_POINTS - 1) + lock / 3.0);
        used += snprintf(text + used, size - (size_t)used, "%s[%.4f, %.4f, %.4f]", i > 0 ? ", " : "",
                         0.7 * sin(t), -0.2 * i, 0.35 * sin(2.0 * t));
    }
}

/* How often two locks are wound about each other: the double integral of Gauss, which jumps by 1 where one
 * passes through the other. */
static double winding(const double *points, int a, int b) {
    double sum = 0.0;
    for (int i = 0; i + 1 < LOCK_POINTS; i++)
        for (int j = 0; j + 1 < LOCK_POINTS; j++) {
            const double *p = points + 3 * (a * LOCK_POINTS + i), *q = points + 3 * (b * LOCK_POINTS + j);
            double d[3], e[3], r[3], size = 0.0;
            for (int k = 0; k < 3; k++) {
                d[k] = p[3 + k] - p[k];
                e[k] = q[3 + k] - q[k];
                r[k] = 0.5 * (p[3 + k] + p[k] - q[3 + k] - q[k]);
                size += r[k] * r[k];
            }
            double volume = r[0] * (d[1] * e[2] - d[2] * e[1]) + r[1] * (d[2] * e[0] - d[0] * e[2]) +
                            r[2] * (d[0] * e[1] - d[1] * e[0]);
            sum += volume / (size * sqrt(size)) / 12.566370614359172;
        }
    return sum;
}

/* Three locks, braided, are tied at their ends, swung about and left to come to rest: as with Rods, none
 * passes through another, edges keep their length, and ends stay in the tie. Springs, which hold no links,
 * let them pass. */
static void a_braid_of_coils_holds(void **state) {
    (void)state;
    static const char scene[] =
        "time: {fps: 30, last: 40}\n"
        "character: {kind: none, keys: [[1, 0, 0, 0, 0, 0, 0], [6, 4, 0, 0, 0, 0, 40], "
        "[11, -4, 0, 0, 0, 0, -40], [16, 4, 0, 0, 0, 60, 40], [20, 0, 0, 0, 0, 0, 0]]}\n"
        "hair: {model: %s, rod: {hairs: 200, damping: 0.02, steps: 4}, contact: {enabled: on, method: %s, "
        "radius: 0.25}, link: {count: 2, reach: 2, stretch_stiffness: " TIE ", compress_stiffness: " TIE "}, "
        "strands: [[%s], [%s], [%s]]}\n";
    static const char *const cases[3][2] = {{"coil", "springs"}, {"coil", "solve"}, {"rod", "solve"}};
    static char lock[LOCKS][2000];
    for (int k = 0; k < LOCKS; k++)
        braid_points(k, lock[k], sizeof lock[k]);
    for (int n = 0; n < 3; n++) {
        run r;
        double before[LOCKS], most = 0.0, longest = 0.0, apart = 0.0;
        run_begin(&r, RLT_SIMD_AUTO, 1, scene, cases[n][0], cases[n][1], lock[0], lock[1], lock[2]);
        const double *x = run_view(&r).points;
        double tie = run_distance(x + 3 * LOCK_TIP, x + 3 * (LOCK_POINTS + LOCK_TIP));
        for (int k = 0; k < LOCKS; k++)
            before[k] = winding(x, k, (k + 1) % LOCKS);
        for (int frame = 0; frame < 30; frame++) {
            run_frames(&r, 1);
            x = run_view(&r).points;
            for (int k = 0; k < LOCKS; k++)
                most = fmax(most, fabs(winding(x, k, (k + 1) % LOCKS) - before[k]));
            longest = fmax(longest, run_statistics(&r).longest);
            apart = fmax(apart, fabs(run_distance(x + 3 * LOCK_TIP, x + 3 * (LOCK_POINTS + LOCK_TIP)) - tie));
        }
        print_message("a braid, %s, %s: windings change by %.2g, edges to %.4g, tie by %.2g\n", cases[n][0],
                      cases[n][1], most, longest, apart);
        if (n == 0)
            assert_true(most > 0.8);
        else
            assert_true(most < 0.3 && longest < 1.01 && apart < 0.1);
        run_end(&r);
    }
}

/* ---- bad input ---- */

/* Few points, straight and folded strands, points that hardly differ, stiffnesses that differ by 1e8 and
 * more: messages, and never a NaN. */
static void odd_strands(void **state) {
    (void)state;
    static const char *const stiffness[] = {"{}", "{stretch: 1e8}", "{bend: 1e8, torsion: 1e-8}",
                                            "{bend: 1e-8, torsion: 1e8}", "{bend: 0, torsion: 0}"};
    for (int k = 0; k < 5; k++) {
        run r;
        run_begin(&r, RLT_SIMD_AUTO, 1,
                  TIME "character: {kind: none, keys: [[1, 0, 0, 0, 0, 0, 0], [9, 4, 0, 0, 0, 0, 90]]}\n"
                       "hair: {model: coil, contact: {enabled: off}, coil: %s, strands: [[[0,0,0],[2,0,0]],"
                       " [[0,0,2],[1,0,2],[2,0,2.5]], [[0,0,4],[1,0,4],[2,0,4],[3,0,4],[4,0,4]],"
                       " [[0,0,6],[1,0,6],[2,0,6],[1,0,6],[0,0,6.0001]],"
                       " [[0,0,8],[1,0,8],[1.000001,0,8],[2,0,8]]]}\n",
                  stiffness[k]);
        assert_int_equal(says(&r, "2 of 5 strands have fewer than 4 points (first: strand 0)"), 1);
        assert_int_equal(
            says(&r, "1 of 5 strands fold back by exactly 180 degrees (first: strand 3, point 2)"), 1);
        run_frames(&r, 8);
        rlt_frame_view v = run_view(&r);
        for (int p = 0; p < 3 * v.point_count; p++)
            assert_true(isfinite(v.points[p]) && isfinite(v.velocities[p]));
        run_end(&r);
    }
    run_assert_refused(
        "character: {kind: none}\nhair: {model: coil, coil: {matrix: exact}, "
        "strands: [[[0,0,0],[1,0,0],[1,0,1]]]}\n",
        0,
        "s.yaml:2:36: hair.coil.matrix = \"exact\": must be one of filtered, stretch, gauss-newton, "
        "unfiltered");
}

/* Stiffnesses so far apart that Newton does not converge are told of at their place, with what to do; near
 * ones are not. */
static void stiffnesses_far_apart_are_told(void **state) {
    (void)state;
    static const struct {
        const char *coil, *told;
    } cases[] = {
        {"bend: 1e-4", "test:1:122: hair.coil.bend = 1e-4: torsion is more than 100 times as stiff as "
                       "bending, which Newton hardly converges for; raise coil.bend to at least a hundredth "
                       "of coil.torsion, or lower coil.torsion"},
        {"torsion: 1e8", "test:1:125: hair.coil.torsion = 1e8: torsion is more than 100 times as stiff as"},
        {"bend: 0", "test:1:122: hair.coil.bend = 0: torsion is more than 100 times as stiff as bending"},
        {"bend: 1e8, torsion: 1e8",
         "test:1:122: hair.coil.bend = 1e8: bending is more than a million times as stiff as stretching, so "
         "hair grows longer instead of bending; raise coil.stretch, or lower coil.bend"},
        {"stretch: 1e-7", "test:1:125: hair.coil.stretch = 1e-7: bending is more than a million times"},
        {"bend: 0.02, torsion: 1.9", NULL},
        {"bend: 0, torsion: 0", NULL},
        {"bend: 100, torsion: 100, stretch: 0.1", NULL}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        run r;
        run_begin(
            &r, RLT_SIMD_AUTO, 1,
            "{character: {kind: none}, hair: {model: coil, region: none, style: coil, count: 1, length: 4, "
            "segment: 0.3, coil: {%s}}}\n",
            cases[k].coil);
        if (cases[k].told != NULL)
            assert_int_equal(says(&r, cases[k].told), 1);
        else
            assert_int_equal(says(&r, "times as stiff"), 0);
        run_end(&r);
    }
}

/* What helps limp and soft hair is its own stiffness: of coils that is hair.coil. */
static void limp_and_soft_hair_is_told_what_helps(void **state) {
    (void)state;
    static const char scene[] = TIME
        "character: {kind: none}\n"
        "hair: {model: coil, region: none, style: coil, count: 1, length: 12, segment: 0.3, radius: 0.6, "
        "pitch: 0.9, sag: {mode: %s}, coil: {%s}}\n";
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 1, scene, "solve", "bend: 1e-3, torsion: 1e-3");
    assert_int_equal(says(&r, "sag: 1 strands have straight places, which have no plane to bend in, or too "
                              "little stiffness, which will sag; straight hair: set hair.model to rod; limp "
                              "hair: raise hair.coil.bend and hair.coil.torsion"),
                     1);
    assert_int_equal(says(&r, "); raise hair.coil.bend and hair.coil.torsion, or hair.sag.stiffen"), 1);
    run_end(&r);
    run_begin(&r, RLT_SIMD_AUTO, 1, scene, "off", "stretch: 1e-8");
    rlt_status status = RLT_OK;
    for (int f = 0; f < 11 && status == RLT_OK; f++)
        status = rlt_simulation_advance(r.simulation, r.messages);
    assert_int_equal(status, RLT_DIVERGED);
    assert_int_equal(says(&r, "raise hair.rod.steps or hair.rod.iterations; hair that is soft: raise "
                              "hair.coil.stretch"),
                     1);
    run_end(&r);
}

/* A ball that turns of a coil are wound about, and one that swallows most of the other coil: it is reported,
 * with what to do, and all numbers stay finite while both coils are swung about; by all matrices, to a
 * tolerance and by fixed counts. */
static void colliders_inside_coils(void **state) {
    (void)state;
    static const char scene[] =
        "time: {fps: 30, last: 12}\n"
        "character: {kind: none, keys: [[1, 0, 0, 0, 0, 0, 0], [9, 4, 0, 0, 0, 0, 90]]}\n"
        "colliders:\n- {kind: sphere, position: [0, -3, 0], radius: 0.4}\n"
        "- {kind: sphere, position: [10, -3, 0], radius: 2}\n"
        "hair: {model: coil, region: none, style: coil, count: 2, spacing: 10, length: 12, segment: 0.3, "
        "radius: 0.6, pitch: 0.9, rod: {%s}, coil: {matrix: %s}, "
        "contact: {enabled: on, method: solve, radius: 0.1}}\n";
    static const char *const matrices[] = {"filtered", "stretch", "gauss-newton", "unfiltered"};
    for (int k = 0; k < 8; k++) {
        run r;
        run_begin(&r, RLT_SIMD_AUTO, 1, scene, k % 2 ? "steps: 1, iterations: 3, tolerance: 0" : "steps: 2",
                  matrices[k / 2]);
        assert_int_equal(says(&r, ": hair 'hair': 33 points of 1 strand lie inside a collider (first in "
                                  "strand 1); they keep their groomed depth; move the collider, or set "
                                  "hair.collide.inside to push"),
                         1);
        run_frames(&r, 8);
        rlt_frame_view v = run_view(&r);
        for (int p = 0; p < 3 * v.point_count; p++)
            assert_true(isfinite(v.points[p]) && isfinite(v.velocities[p]));
        run_end(&r);
    }
}

static int enter_folder(void **state) {
    (void)state;
    with(busy, sizeof busy, "", "", "");
    return folder_enter("coil");
}

int main(int argc, char **argv) {
    with(busy, sizeof busy, "", "", "");
    if (argc > 1)
        return model_work(busy);
    if (realpath(argv[0], self) == NULL)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_checkpoints_and_widths_give_the_same_bytes),
        cmocka_unit_test(ranks_give_the_same_bytes),
        cmocka_unit_test(it_moves_with_the_body),
        cmocka_unit_test(fixed_counts_take_all_iterations),
        cmocka_unit_test(fixed_counts_of_contacts_are_taken_as_they_are),
        cmocka_unit_test(hair_that_is_shaken_hard_keeps_its_length),
        cmocka_unit_test(a_settled_groom_stays),
        cmocka_unit_test(coils_meet),
        cmocka_unit_test(coils_meet_rods_by_springs),
        cmocka_unit_test(a_braid_of_coils_holds),
        cmocka_unit_test(odd_strands),
        cmocka_unit_test(stiffnesses_far_apart_are_told),
        cmocka_unit_test(limp_and_soft_hair_is_told_what_helps),
        cmocka_unit_test(colliders_inside_coils),
    };
    return cmocka_run_group_tests(tests, enter_folder, folder_leave);
}
