/* Every motion we ship, with curls on the head: nothing diverges, and no hair ends up inside the body. */
#include "run_fixture.h"

#include "drive/drive_data.h"
#include "sim/simulation_data.h"

/* The worst of all frames of a run. */
typedef struct worst {
    double depth;   /* of any point below the skin, beyond where it was groomed [unit] */
    double fastest; /* [unit/s] */
    double longest; /* edge length / rest length */
    int broken;     /* numbers that are not finite */
} worst;

#define PREROLL 6

static double greater(double a, double b) {
    return a > b ? a : b;
}

static void measure(const rlt_simulation *sim, worst *w) {
    rlti_colliders_pose(sim->drive->colliders, 1.0);
    for (int p = 0; p < sim->strands->point_count; p++) {
        /* hair groomed below the skin near its root stays there; that is not penetration */
        double groomed = (double)sim->drive->thickness[p] < 0 ? (double)sim->drive->thickness[p] : 0;
        double depth = groomed - rlti_colliders_distance(sim->drive->colliders, 0, sim->points[p], 0.5, NULL);
        w->depth = greater(depth, w->depth);
    }
    rlt_frame_view view = {.size = sizeof view};
    rlt_simulation_view(sim, &view);
    for (int k = 0; k < 3 * view.point_count; k++)
        w->broken += !isfinite(view.points[k]) + !isfinite(view.velocities[k]);
    w->broken += !isfinite(sim->statistics.fastest) + !isfinite(sim->statistics.longest);
    w->fastest = greater(sim->statistics.fastest, w->fastest);
    w->longest = greater(sim->statistics.longest, w->longest);
}

/* Fails when the simulation says that it diverged. */
static worst run_motion(const char *motion, int frames) {
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 2,
              "time: {last: %d, preroll: %d, outer_steps: 60, damping_steps: 3}\nmotion: %s\n"
              "hair: {preset: redhead, region: scalp, count: 32, total_points: 2432, variation: 0.15}\n",
              frames + 1, PREROLL, motion);
    worst w = {0};
    for (int f = 0; f < PREROLL + frames; f++) {
        run_frames(&r, 1);
        measure(r.simulation, &w);
    }
    run_end(&r);
    return w;
}

static void test_motions_keep_hair_whole_and_out_of_the_body(void **state) {
    (void)state;
    static const struct {
        const char *motion;
        int frames;
        double depth; /* bound [unit] */
    } cases[] = {
        {"{kind: still}", 6, 0.3},
        {"{kind: walk}", 36, 0.3},
        {"{kind: calisthenics}", 84, 0.3},
        {"{kind: spin, spin: 1}", 48, 0.3},
        {"{kind: flip}", 72, 0.3},
        {"{kind: stop, stop_g: 10}", 66, 0.3},
        /* faster than the thickness is meant for: hair must survive, but may dip in for a moment */
        {"{kind: stop, stop_g: 30}", 72, INFINITY},
    };
    int failures = 0;
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        worst w = run_motion(cases[c].motion, cases[c].frames);
        print_message("%-26s deepest %.3f unit, fastest point %.0f unit/s, longest edge %.3f\n",
                      cases[c].motion, w.depth, w.fastest, w.longest);
        failures += w.broken > 0 || !(w.depth < cases[c].depth) || !(w.longest < 1.3);
    }
    assert_int_equal(failures, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_motions_keep_hair_whole_and_out_of_the_body)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
