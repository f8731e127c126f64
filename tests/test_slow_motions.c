/* Every motion we ship, with curls on the head: nothing diverges, and no hair ends up inside the body. */
#include "run_fixture.h"

#include "sim/simulation_data.h"

/* Runs a motion and returns the deepest any point was below the skin at a frame, beyond where it was groomed
 * [unit]. */
static double deepest(const char *motion, int frames, double *fastest, double *longest) {
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 2,
              "time: {last: %d, preroll: 12, outer_steps: 60, damping_steps: 3}\nmotion: %s\n"
              "hair: {preset: redhead, region: scalp, count: 32, total_points: 2432, variation: 0.15}\n",
              frames + 1, motion);
    rlt_simulation *sim = r.simulation;
    double worst = 0;
    *fastest = *longest = 0;
    for (int f = 0; f < frames + 12; f++) {
        run_frames(&r, 1);
        rlti_colliders_pose(sim->colliders, 1.0);
        for (int p = 0; p < sim->model->point_count; p++) {
            /* hair groomed below the skin near its root stays there; that is not penetration */
            double groomed = (double)sim->thickness[p] < 0 ? (double)sim->thickness[p] : 0;
            double depth = groomed - rlti_colliders_distance(sim->colliders, sim->points[p], 0.5);
            worst = depth > worst ? depth : worst;
        }
        *fastest = sim->statistics.fastest > *fastest ? sim->statistics.fastest : *fastest;
        *longest = sim->statistics.longest > *longest ? sim->statistics.longest : *longest;
    }
    run_end(&r);
    return worst;
}

static void test_motions_keep_hair_out_of_the_body(void **state) {
    (void)state;
    static const struct {
        const char *motion;
        int frames;
    } cases[] = {
        {"{kind: still}", 24},         {"{kind: walk}", 72}, {"{kind: calisthenics}", 120},
        {"{kind: spin, spin: 1}", 72}, {"{kind: flip}", 96}, {"{kind: stop, stop_g: 10}", 72},
    };
    int failures = 0;
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        double fastest, longest, depth = deepest(cases[c].motion, cases[c].frames, &fastest, &longest);
        print_message("%-26s deepest %.3f unit, fastest point %.0f unit/s, longest edge %.3f\n",
                      cases[c].motion, depth, fastest, longest);
        failures += !(depth < 0.3); /* the thickness */
    }
    assert_int_equal(failures, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_motions_keep_hair_out_of_the_body)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
