/* Diagnostics say what the solver sees: curves, frames, targets, contacts, and values. */
#include "run_fixture.h"

/* Six points straight down, 1 apart. */
#define STRAIGHT "[[0, 0, 0], [0, -1, 0], [0, -2, 0], [0, -3, 0], [0, -4, 0], [0, -5, 0]]"

static rlt_diagnostics *diagnose(const run *r) {
    rlt_diagnostics *d = NULL;
    assert_int_equal(rlt_simulation_diagnose(r->simulation, r->messages, &d), RLT_OK);
    assert_non_null(d);
    return d;
}

static void assert_near(double a, double b, double tolerance) {
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.9g is not %.9g within %.3g", a, b, tolerance);
}

/* A straight strand at rest is its own smoothed curve, and its edges are their targets. */
static void test_straight_strand(void **state) {
    (void)state;
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 1,
              "character: {kind: none}\nhair: {preset: straight, region: none, strands: [" STRAIGHT "]}\n");
    rlt_diagnostics *d = diagnose(&r);
    assert_int_equal(d->strand_count, 1);
    assert_int_equal(d->point_count, 6);
    for (int p = 0; p < 6; p++) {
        for (int c = 0; c < 3; c++) {
            double x = c == 1 ? -p : 0.0;
            assert_near(d->smoothed[3 * p + c], x, 1e-9);
            assert_near(d->core[3 * p + c], x, 1e-9);
            assert_near(d->targets[3 * p + c], c == 1 && p < 5 ? -1.0 : 0.0, 1e-6);
            assert_near(d->frames[9 * p + c], c == 1 ? -1.0 : 0.0, 1e-6); /* the tangent */
        }
        assert_near(d->stretch[p], 1.0, 1e-9);
        assert_near(d->speed[p], 0.0, 1e-12);
        assert_near(d->penetration[p], 0.0, 0.0);
    }
    assert_int_equal(d->spring_count, 0);
    rlt_diagnostics_destroy(d);
    run_end(&r);
}

/* Values, frames and targets in motion agree with what the simulation says of itself. */
static void test_agrees_with_the_solver(void **state) {
    (void)state;
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 1,
              "character: {kind: none}\ntime: {preroll: 0, outer_steps: 20}\n"
              "hair: {preset: redhead, region: none, count: 5, total_points: 150}\n");
    run_frames(&r, 4);
    rlt_diagnostics *d = diagnose(&r);
    rlt_frame_view view = run_view(&r);
    rlt_statistics statistics = {.size = sizeof statistics};
    rlt_simulation_statistics(r.simulation, &statistics);
    double longest = 0.0, fastest = 0.0;
    for (int p = 0; p < view.point_count; p++) {
        longest = fmax(longest, d->stretch[p]);
        fastest = fmax(fastest, d->speed[p]);
    }
    assert_near(longest, statistics.longest, 1e-5);
    assert_near(fastest, statistics.fastest, 1e-4 * statistics.fastest);
    assert_true(fastest > 1.0);

    double frames[9 * 200];
    for (int s = 0; s < view.strand_count; s++) {
        int first = view.first[s], points = view.first[s + 1] - first;
        assert_int_equal(rlt_simulation_strand_frames(r.simulation, s, frames), RLT_OK);
        assert_memory_equal(frames, d->frames + 9 * first, (size_t)points * 9 * sizeof(double));
        /* each frame's tangent is the direction of the smoothed edge before it */
        for (int p = first + 1; p < view.first[s + 1]; p++) {
            double along = run_distance(d->smoothed + 3 * p, d->smoothed + 3 * (p - 1));
            for (int c = 0; c < 3; c++)
                assert_near((d->smoothed[3 * p + c] - d->smoothed[3 * (p - 1) + c]) / along,
                            d->frames[9 * p + c], 1e-4);
        }
        /* a target is as long as its edge at rest */
        for (int p = first; p + 1 < view.first[s + 1]; p++) {
            double zero[3] = {0, 0, 0};
            assert_near(run_distance(d->targets + 3 * p, zero),
                        run_distance(view.rest + 3 * p, view.rest + 3 * (p + 1)), 1e-4);
        }
        assert_near(run_distance(d->core + 3 * first, view.points + 3 * first), 0.0, 0.0);
    }
    rlt_diagnostics_destroy(d);
    run_end(&r);
}

/* Point 3 is 1 inside a sphere of 2; hair that is to be pushed out keeps 0.25 from it. */
static void test_penetration(void **state) {
    (void)state;
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 1,
              "character: {kind: none}\ngravity: [0, 0, 0]\ntime: {outer_steps: 20}\n"
              "colliders: {kind: sphere, position: [1, -3, 0], radius: 2}\n"
              "hair: {preset: straight, region: none, collide: {thickness: 0.25, inside: push},"
              " strands: [" STRAIGHT "]}\n");
    rlt_diagnostics *d = diagnose(&r);
    assert_near(d->penetration[0], 0.0, 0.0); /* the root is not pushed */
    assert_near(d->penetration[3], 1.25, 1e-5);
    assert_near(d->penetration[2], 0.25 + 2.0 - sqrt(2.0), 1e-5);
    rlt_diagnostics_destroy(d);
    run_frames(&r, 12);
    d = diagnose(&r);
    rlt_frame_view view = run_view(&r);
    const double centre[3] = {1, -3, 0};
    for (int p = 1; p < 6; p++) {
        double outside = run_distance(view.points + 3 * p, centre) - 2.0;
        assert_near(d->penetration[p], fmax(0.0, 0.25 - outside), 1e-4);
    }
    assert_true(d->penetration[3] < 1.0);
    rlt_diagnostics_destroy(d);
    run_end(&r);
}

/* Two strands side by side in each other's spheres. */
static void test_contacts(void **state) {
    (void)state;
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 1,
              "character: {kind: none}\ngravity: [0, 0, 0]\ntime: {outer_steps: 20}\n"
              "hair: {preset: straight, region: none, contact: {radius: 0.6, groom: push},"
              " prune: {sparsity: 1, pairs: off, random: 0},"
              " strands: [" STRAIGHT
              ", [[1, 0, 0], [1, -1, 0], [1, -2, 0], [1, -3, 0], [1, -4, 0], [1, -5, 0]]]}\n");
    run_frames(&r, 1);
    rlt_diagnostics *d = diagnose(&r);
    rlt_statistics statistics = {.size = sizeof statistics};
    rlt_simulation_statistics(r.simulation, &statistics);
    int kept = 0, candidates = 0;
    for (int p = 0; p < 12; p++) {
        assert_near(d->radii[p], 0.6, 1e-6);
        kept += d->particle[p] == RLT_PARTICLE_KEPT;
        candidates += d->particle[p] != RLT_PARTICLE_NONE;
    }
    assert_int_equal(kept, statistics.particles);
    assert_int_equal(candidates, statistics.particles_before);
    assert_true(kept == 6 && candidates == 12); /* every second one: 2 > 1.2 > 1 */
    assert_int_equal(d->particle[2], RLT_PARTICLE_KEPT);
    assert_int_equal(d->particle[3], RLT_PARTICLE_PRUNED);
    assert_true(d->spring_count > 0 && d->spring_count == statistics.hair_contacts);
    for (long long k = 0; k < d->spring_count; k++) {
        assert_true(d->springs[k].point < 6 && d->springs[k].other >= 6);
        assert_int_equal(d->particle[d->springs[k].point], RLT_PARTICLE_KEPT);
        assert_true(d->springs[k].age > 0.0 && d->springs[k].age <= 1.0);
    }
    rlt_diagnostics_destroy(d);
    run_end(&r);
}

/* Looking does not change the motion, not by a bit. */
static void test_looking_changes_nothing(void **state) {
    (void)state;
    static const char scene[] =
        "character: {kind: head, resolution: 12}\nmotion: {kind: flip}\ntime: {preroll: 0, outer_steps: 20}\n"
        "hair: {preset: redhead, region: scalp, count: 30, total_points: 600}\n";
    run a, b;
    run_begin(&a, RLT_SIMD_AUTO, 1, scene);
    run_begin(&b, RLT_SIMD_AUTO, 2, scene);
    for (int f = 0; f < 4; f++) {
        rlt_diagnostics_destroy(diagnose(&a));
        run_frames(&a, 1);
        rlt_diagnostics_destroy(diagnose(&a));
        run_frames(&b, 1);
        assert_true(rlt_simulation_hash(a.simulation) == rlt_simulation_hash(b.simulation));
    }
    run_end(&a);
    run_end(&b);
}

/* A view by itself: stretched by a half, moving at 5. */
static void test_of_a_view(void **state) {
    (void)state;
    const int first[3] = {0, 2, 5};
    const double points[15] = {0, 0, 0, 0, 3, 0, 5, 0, 0, 5, 1, 0, 5, 1, 4};
    const double rest[15] = {0, 0, 0, 0, 2, 0, 5, 0, 0, 5, 1, 0, 5, 1, 1};
    const double velocities[15] = {3, 4, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0};
    rlt_frame_view view = {.size = sizeof view,
                           .strand_count = 2,
                           .point_count = 5,
                           .first = first,
                           .points = points,
                           .velocities = velocities,
                           .rest = rest};
    rlt_diagnostics *d = NULL;
    double widths[5] = {0.1, 0.1, 0.1, 0.1, 0.1};
    view.widths = widths;
    assert_int_equal(rlt_view_diagnose(&view, NULL, &d), RLT_OK);
    const double stretch[5] = {1.5, 1.5, 1, 4, 4}, speed[5] = {5, 0, 2, 0, 0};
    for (int p = 0; p < 5; p++) {
        assert_near(d->stretch[p], stretch[p], 1e-12);
        assert_near(d->speed[p], speed[p], 1e-12);
    }
    assert_true(d->smoothed == NULL && d->frames == NULL && d->penetration == NULL && d->particle == NULL);
    rlt_diagnostics_destroy(d);
    view.velocities = view.rest = NULL;
    assert_int_equal(rlt_view_diagnose(&view, NULL, &d), RLT_OK);
    assert_true(d->stretch == NULL && d->speed == NULL);
    rlt_diagnostics_destroy(d);
    view.points = NULL;
    assert_int_equal(rlt_view_diagnose(&view, NULL, &d), RLT_BAD_INPUT);
    assert_null(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_straight_strand),
        cmocka_unit_test(test_agrees_with_the_solver),
        cmocka_unit_test(test_penetration),
        cmocka_unit_test(test_contacts),
        cmocka_unit_test(test_looking_changes_nothing),
        cmocka_unit_test(test_of_a_view),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
