/* Constraints: which points they choose, that they hold, that any stiffness is stable and means the same for
 * any steps, that momentum is kept, and what is said about bad ones. */
#include <unistd.h>

#include "base/random.h"
#include "mpi_fixture.h"
#include "run_fixture.h"
#include "shape/constraint.h"

/* Four strands of 10 units that stick out in a star, and close like an umbrella under gravity; no body. */
#define TIME(outer, force)                                                                                   \
    "time: {last: 40, outer_steps: " #outer ", force_steps: " #force ", damping_steps: 4}\n"
#define STRAND(x, z)                                                                                         \
    "[[" #x ", 0, " #z "], [" #x "2.0, 0, " #z "2.0], [" #x "4.0, 0, " #z "4.0], [" #x "6.0, 0, " #z         \
    "6.0], [" #x "8.0, 0, " #z "8.0], [" #x "10.0, 0, " #z "10.0]]"
#define LOCK                                                                                                 \
    "character: {kind: none}\n"                                                                              \
    "hair: {name: lock, preset: straight, region: none, drag: 4, contact: {enabled: off},\n"                 \
    "  strands: [" STRAND(0, 0) ", " STRAND(-0, -0) ", " STRAND(0, -0) ", " STRAND(                          \
        -0, 0) "],\n"                                                                                        \
               "  bend: {stiffness: [[0, 5e4], [1, 5e3]], damping: [[0, 500], [1, 100]]}}\n"

/* What one says about a scene with this under `constraints`. */
static void assert_refused(const char *constraint, const char *message) {
    char text[2048];
    snprintf(text, sizeof text, TIME(10, 10) LOCK "constraints:\n  - %s\n", constraint);
    run_assert_refused(text, 0, message);
}

static void bad_ones_are_told(void **state) {
    (void)state;
    assert_refused("{name: none, hair: [lok]}",
                   "s.yaml:7:24: constraints[0].hair = [\"lok\"]: no hair has the name lok; there is lock");
    assert_refused("{first_strand: 3, last_strand: 2}",
                   "s.yaml:7:36: constraints[0].last_strand = 2: must be >= constraints[0].first_strand (3)");
    assert_refused(
        "{name: far, first_strand: 4}",
        "s.yaml:7:5: constraint 'far' chooses no points: none of 4 strands is within first_strand 4 and "
        "last_strand -1");
    assert_refused(
        "{name: thin, along: [0.41, 0.42]}",
        "s.yaml:7:5: constraint 'thin' chooses no points: no point of 4 strands is within along with a "
        "ramp above 0");
    assert_refused("{name: bald, region: scalp}",
                   "s.yaml:7:5: constraint 'bald': region = scalp: no such region of the body; known: none");
    assert_refused("{name: one, first_strand: 2, last_strand: 2, along: [0.95, 1]}",
                   "s.yaml:7:5: constraint 'one' chooses one point (strand 2): a centroid needs at least "
                   "two; widen along");
    assert_refused(
        "{name: map, ramp: 'attribute:hold'}",
        "s.yaml:7:5: constraint 'map': ramp = attribute:hold: hair 'lock' is not from a file: generated "
        "strands have no attributes");
    assert_refused("{weight: [[1, 0], [1, 1]]}",
                   "s.yaml:7:24: constraints[0].weight[1] = 1: frames must increase");
    assert_refused("{weight: 2}", "s.yaml:7:14: constraints[0].weight = 2: must be within 0..1");
}

static int held(const char *constraint) {
    run r;
    rlt_statistics s = {.size = sizeof s};
    run_begin(&r, RLT_SIMD_AUTO, 1,
              "time: {force_steps: 12, damping_steps: 8}\n"
              "character: {resolution: 24}\n"
              "hair:\n"
              "  - {name: a, preset: straight, count: 10, total_points: 110, length: 10}\n"
              "  - {name: b, preset: straight, count: 5, total_points: 55, length: 10}\n"
              "constraints: {%s}\n",
              constraint);
    rlt_simulation_statistics(r.simulation, &s);
    run_end(&r);
    return s.constraints;
}

static void points_are_chosen(void **state) {
    (void)state;
    assert_int_equal(held("kind: centroid"), 150); /* all but the roots */
    assert_int_equal(held("hair: b"), 50);
    assert_int_equal(held("hair: [a, b], first_strand: 3, last_strand: 4"), 40);
    assert_int_equal(held("hair: a, along: [0.75, 1]"), 30);
    assert_int_equal(held("hair: a, ramp: [[0.55, 0], [0.65, 1]]"), 50);
    int left = held("region: left"), right = held("region: right");
    assert_true(left > 0 && right > 0 && left + right <= 150);
    assert_int_equal(held("enabled: off"), 0);
}

/* Hair in a tie is held from its roots to the tie, by each model; the tail is free. */
static void a_tie_holds(void **state) {
    (void)state;
    static const char *const models[] = {"taz", "rod", "coil"};
    for (int m = 0; m < 3; m++) {
        run r;
        rlt_statistics s = {.size = sizeof s};
        run_begin(&r, RLT_SIMD_AUTO, 1,
                  "time: {last: 4}\nmotion: {kind: still}\n"
                  "character: {resolution: 24}\n"
                  "hair: {preset: straight, model: %s, count: 12, length: 36, segment: 1.5, contact: "
                  "{enabled: off},"
                  " tie: {style: ponytail}}\n",
                  models[m]);
        rlt_simulation_statistics(r.simulation, &s);
        run_frames(&r, 3);
        rlt_frame_view view = run_view(&r);
        const double tie[3] = {0.0, 7.0, -11.5};
        int passed = 0;
        for (int k = 0; k < view.strand_count; k++) {
            int last = -1;
            for (int p = view.first[k]; p < view.first[k + 1]; p++)
                if (run_distance(view.rest + 3 * (size_t)p, tie) <= 1.1)
                    last = p;
            for (int p = view.first[k]; p <= last; p++)
                assert_true(run_distance(view.points + 3 * (size_t)p, view.rest + 3 * (size_t)p) < 0.02);
            passed += last >= 0;
        }
        assert_true(passed >= 9 && s.constraints > 12 && s.constraints < view.point_count - 12);
        run_end(&r);
    }
}

/* Mean distance of the points from the groom [unit]. */
static double off_groom(const run *r) {
    rlt_frame_view view = run_view(r);
    double sum = 0.0;
    for (int p = 0; p < view.point_count; p++)
        sum += run_distance(view.points + 3 * (size_t)p, view.rest + 3 * (size_t)p);
    return sum / view.point_count;
}

/* Greatest change of a point's distance from the middle of all points but the roots [unit]. */
static double off_middle(const run *r) {
    rlt_frame_view view = run_view(r);
    double middle[2][3] = {{0}}, worst = 0.0;
    int count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int s = 0; s < view.strand_count; s++)
            for (int p = view.first[s] + 1; p < view.first[s + 1]; p++) {
                const double *now = view.points + 3 * (size_t)p, *rest = view.rest + 3 * (size_t)p;
                count += pass == 0;
                for (int k = 0; k < 3 && pass == 0; k++) {
                    middle[0][k] += now[k];
                    middle[1][k] += rest[k];
                }
                double off = pass == 0 ? 0.0 : run_distance(now, middle[0]) - run_distance(rest, middle[1]);
                worst = fmax(worst, fabs(off));
                if (pass == 0 && s + 1 == view.strand_count && p + 1 == view.first[s + 1])
                    for (int k = 0; k < 6; k++)
                        middle[k / 3][k % 3] /= count;
            }
    return worst;
}

static void the_middle_holds_a_lock(void **state) {
    run loose, soft, hard;
    (void)state;
    run_begin(&loose, RLT_SIMD_AUTO, 1, TIME(15, 10) LOCK);
    run_begin(&soft, RLT_SIMD_AUTO, 1, TIME(15, 10) LOCK "constraints: {stiffness: 2000}\n");
    run_begin(&hard, RLT_SIMD_AUTO, 1, TIME(15, 10) LOCK "constraints: {hold: hard}\n");
    run_frames(&loose, 39);
    run_frames(&soft, 39);
    run_frames(&hard, 39);
    print_message("off the groom: %.3f loose, %.3f soft, %.3f hard; off the middle: %.3f, %.3f, %.3f\n",
                  off_groom(&loose), off_groom(&soft), off_groom(&hard), off_middle(&loose),
                  off_middle(&soft), off_middle(&hard));
    assert_true(off_middle(&soft) < 0.5 * off_middle(&loose));
    assert_true(off_middle(&hard) < 0.1 * off_middle(&loose));
    run_end(&loose);
    run_end(&soft);
    run_end(&hard);
}

/* The same spring for any steps; beyond what an outer step can resolve it is as stiff as that allows. */
static void stiffness_does_not_depend_on_steps(void **state) {
    static const char *const laws[] = {"stiffness: 500", "stiffness: 1e12", "hold: hard"};
    (void)state;
    for (int k = 0; k < 3; k++) {
        run coarse, fine;
        run_begin(&coarse, RLT_SIMD_AUTO, 1, TIME(10, 12) LOCK "constraints: {%s}\n", laws[k]);
        run_begin(&fine, RLT_SIMD_AUTO, 1, TIME(20, 12) LOCK "constraints: {%s}\n", laws[k]);
        run_frames(&coarse, 39);
        run_frames(&fine, 39);
        rlt_frame_view a = run_view(&coarse), b = run_view(&fine);
        double worst = 0.0;
        for (int p = 0; p < a.point_count; p++)
            worst = fmax(worst, run_distance(a.points + 3 * (size_t)p, b.points + 3 * (size_t)p));
        print_message("%s: halving the steps moves a point by %.4f units of 10\n", laws[k], worst);
        assert_true(worst < (k == 0 ? 0.02 : 0.6));
        run_end(&coarse);
        run_end(&fine);
    }
}

/* Weight 0 is the same, to the last bit, as no constraint; a weight that comes and goes lets go again. */
static void weight_zero_is_nothing(void **state) {
    run none, zero, pulse;
    (void)state;
    run_begin(&none, RLT_SIMD_AUTO, 1, TIME(10, 12) LOCK);
    run_begin(&zero, RLT_SIMD_AUTO, 1, TIME(10, 12) LOCK "constraints: {weight: 0, hold: hard}\n");
    run_begin(&pulse, RLT_SIMD_AUTO, 1,
              TIME(10, 12) LOCK "constraints: {weight: [[2, 0], [3, 1], [4, 0]], stiffness: 1e4}\n");
    run_frames(&none, 8);
    run_frames(&zero, 8);
    run_frames(&pulse, 8);
    assert_true(rlt_simulation_hash(none.simulation) == rlt_simulation_hash(zero.simulation));
    assert_false(rlt_simulation_hash(none.simulation) == rlt_simulation_hash(pulse.simulation));
    run_frames(&none, 31);
    run_frames(&pulse, 31);
    assert_true(fabs(off_groom(&pulse) - off_groom(&none)) < 0.02 * off_groom(&none));
    run_end(&none);
    run_end(&zero);
    run_end(&pulse);
}

#define MANY                                                                                                 \
    "time: {last: 4, outer_steps: 6, force_steps: 12, damping_steps: 4}\n"                                   \
    "character: {resolution: 24}\nmotion: {kind: walk}\n"                                                    \
    "hair: {preset: straight, count: 20, length: 12, segment: 1.5}\n"                                        \
    "constraints:\n  - {kind: centroid, stiffness: 3000, along: [0.5, 1]}\n"                                 \
    "  - {kind: centroid, region: left, hold: hard}\n"

/* Without the reaction a lock would drag itself along: what a step does to all points together is nothing. */
static void a_group_keeps_its_momentum(void **state) {
    run r;
    rlti_body *body = NULL;
    rlti_strands *strands = NULL;
    rlti_holds *holds = NULL;
    (void)state;
    run_begin(&r, RLT_SIMD_AUTO, 1,
              TIME(10, 12) LOCK "constraints: {stiffness: 3000, ramp: [[0, 0.2], [1, 1]]}\n");
    const rlti_scene_data *scene = rlti_scene_get(r.scene);
    assert_int_equal(rlti_body_create(scene, r.messages, &body), RLT_OK);
    assert_int_equal(rlti_groom_create(scene, body, r.messages, &strands), RLT_OK);
    double mass[64], sum[3] = {0}, most = 0.0, size = 0.0, step = 1e-4;
    for (int p = 0; p < strands->point_count; p++)
        mass[p] = 1.0 + 0.1 * (p % 7);
    const double as_groomed[] = {1.0, 1.0};
    rlti_holds_def def = {.scene = scene,
                          .size = as_groomed,
                          .strands = strands,
                          .body = body,
                          .mass = mass,
                          .outer_step = step,
                          .shortest_step = step};
    assert_int_equal(rlti_holds_create(&def, r.messages, &holds), RLT_OK);
    float points[64][3], velocities[64][3];
    for (int i = 0; i < 3 * strands->point_count; i++) {
        points[i / 3][i % 3] = (float)(10.0 * rlti_random(1, (uint64_t)i, 1));
        velocities[i / 3][i % 3] = (float)(100.0 * rlti_random(1, (uint64_t)i, 2));
    }
    const rlti_vec3 origin = {0, 0, 0};
    assert_int_equal(rlti_holds_begin_frame(holds, 1, r.messages), RLT_OK);
    rlti_holds_pose(holds, 1, 0.0);
    for (int s = 0; s < strands->strand_count; s++)
        rlti_holds_look(holds, s, &origin, points[strands->first[s]], velocities[strands->first[s]]);
    rlti_holds_meet(holds, NULL);
    for (int s = 0; s < strands->strand_count; s++)
        rlti_holds_react(holds, s);
    rlti_holds_answer(holds, NULL);
    for (int s = 0; s < strands->strand_count; s++) {
        rlti_hold hold[16];
        int first = strands->first[s];
        rlti_holds_fill(holds, s, &origin, hold);
        for (int k = 0; k < rlti_holds_of(holds, s); k++) { /* points from the root on, in order */
            const float *x = points[first + k + 1], *v = velocities[first + k + 1];
            double arm[3], distance = 0.0, away = 0.0;
            for (int i = 0; i < 3; i++) {
                arm[i] = (double)x[i] - (double)hold[k].anchor[i];
                distance += arm[i] * arm[i];
            }
            distance = sqrt(distance);
            for (int i = 0; i < 3; i++)
                away += arm[i] / distance * ((double)v[i] - (double)hold[k].velocity[i]);
            rlti_hold_step over = rlti_hold_over(step, hold[k].stiffness, hold[k].damping);
            double change =
                ((double)over.keep - 1.0) * away - (double)over.pull * (distance - (double)hold[k].low);
            for (int i = 0; i < 3; i++) {
                sum[i] += mass[first + k + 1] * (change * arm[i] / distance + step * (double)hold[k].push[i]);
                most = fmax(most, fabs(change));
                size += mass[first + k + 1] * fabs(change);
            }
        }
    }
    print_message("velocities change by up to %.2f, their sum by %.2g %.2g %.2g\n", most, sum[0], sum[1],
                  sum[2]);
    assert_true(most > 0.1);
    for (int i = 0; i < 3; i++)
        assert_true(fabs(sum[i]) < 0.01 * size);
    rlti_holds_destroy(holds);
    rlti_groom_destroy(strands);
    rlti_body_destroy(body);
    run_end(&r);
}

static void threads_do_not_show(void **state) {
    run one, three;
    (void)state;
    run_begin(&one, RLT_SIMD_AUTO, 1, MANY);
    run_begin(&three, RLT_SIMD_PORTABLE, 3, MANY);
    run_frames(&one, 3);
    run_frames(&three, 3);
    assert_true(rlt_simulation_hash(one.simulation) == rlt_simulation_hash(three.simulation));
    run_end(&one);
    run_end(&three);
}

static void ranks_do_not_show(void **state) {
    (void)state;
    mpi_needed();
    FILE *file = fopen("held.yaml", "w");
    assert_non_null(file);
    fputs(MANY, file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(ringlet("simulate held.yaml -o held-1.usda --quiet --threads 2"), 0);
    assert_int_equal(mpi_run(3, RLT_PROGRAM " simulate held.yaml -o held-3.usda --quiet --threads 1"), 0);
    assert_int_equal(system("cmp held-1.usda held-3.usda"), 0);
    unlink("held.yaml");
    unlink("held-1.usda");
    unlink("held-3.usda");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_ones_are_told),
        cmocka_unit_test(points_are_chosen),
        cmocka_unit_test(a_tie_holds),
        cmocka_unit_test(the_middle_holds_a_lock),
        cmocka_unit_test(stiffness_does_not_depend_on_steps),
        cmocka_unit_test(weight_zero_is_nothing),
        cmocka_unit_test(a_group_keeps_its_momentum),
        cmocka_unit_test(threads_do_not_show),
        cmocka_unit_test(ranks_do_not_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
