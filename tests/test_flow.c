/* The flow of a cluster of hair: what bounds on relative motion rest on is that it never changes more between
 * two places than its slope says, and that it is close to how hair moves together. */
#include "contact_fixture.h"

#include "contact/hair/flow.h"
#include "contact/hair/springs_data.h"
#include "solve/kernel.h"

enum { COUNT = 3000 };

static float places[COUNT][3];
static uint64_t seed;

static float uniform(float size) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return size * ((float)(seed >> 40) / 8388608.0f - 1.0f);
}

/* Particles in a box 20 x 12 x 30 about a corner that is not the origin. */
static rlti_flow *begin(void) {
    int samples[COUNT];
    seed = 5;
    for (int i = 0; i < COUNT; i++) {
        samples[i] = i;
        places[i][0] = 3 + uniform(10);
        places[i][1] = -8 + uniform(6);
        places[i][2] = uniform(15);
    }
    rlti_flow *flow = rlti_flow_create(samples, COUNT);
    assert_non_null(flow);
    rlti_flow_update(flow, (const float(*)[3])places, 1);
    assert_false(rlti_flow_moves(flow)); /* nothing is known of motion yet */
    return flow;
}

static double between(const float a[3], const float b[3]) {
    double x = (double)a[0] - (double)b[0], y = (double)a[1] - (double)b[1], z = (double)a[2] - (double)b[2];
    return sqrt(x * x + y * y + z * z);
}

static void together(void **state) {
    (void)state;
    rlti_flow *flow = begin();
    for (int i = 0; i < COUNT; i++) {
        places[i][0] += 0.25f;
        places[i][2] -= 0.5f;
    }
    rlti_flow_update(flow, (const float(*)[3])places, 1);
    assert_true(rlti_flow_moves(flow));
    assert_true(rlti_flow_slope(flow) < 1e-4);
    const float at[][3] = {{3, -8, 0}, {13, -2, 15}, {1000, 1000, -1000}}, wanted[3] = {0.25f, 0, -0.5f};
    for (int i = 0; i < 3; i++) {
        float moved[3];
        rlti_flow_at(flow, at[i], moved);
        assert_true(between(moved, wanted) < 1e-5);
    }
    rlti_flow_update(flow, (const float(*)[3])places, 0); /* not worth it */
    assert_false(rlti_flow_moves(flow));
    assert_true(rlti_flow_slope(flow) == 0.0);
    rlti_flow_destroy(flow);
}

/* Hair that swings about an axis and flutters. */
static void slope_is_a_bound(void **state) {
    (void)state;
    rlti_flow *flow = begin();
    double drift = 0, path = 0, steepest = 0;
    static float before[COUNT][3];
    for (int step = 0; step < 3; step++) {
        memcpy(before, places, sizeof places);
        for (int i = 0; i < COUNT; i++) {
            places[i][0] += 0.02f * before[i][2] + uniform(0.01f);
            places[i][2] -= 0.02f * before[i][0] + uniform(0.01f);
            if (step == 2) { /* the flow is that of the step before */
                float moved[3], at[3];
                rlti_flow_at(flow, before[i], moved);
                for (int k = 0; k < 3; k++)
                    at[k] = before[i][k] + moved[k];
                drift += between(at, places[i]);
                path += between(before[i], places[i]);
            }
        }
        rlti_flow_update(flow, (const float(*)[3])places, 1);
    }
    assert_true(rlti_flow_moves(flow));
    assert_true(drift < 0.3 * path);
    for (int i = 0; i < 100000; i++) {
        float a[3], b[3], from[3], to[3], apart = i % 2 == 0 ? 0.5f : 20.0f;
        for (int k = 0; k < 3; k++) {
            a[k] = uniform(20);
            b[k] = a[k] + uniform(apart);
        }
        rlti_flow_at(flow, a, from);
        rlti_flow_at(flow, b, to);
        assert_true(between(from, to) <= rlti_flow_slope(flow) * between(a, b) + 1e-6);
        steepest = fmax(steepest, between(from, to) / (between(a, b) + 1e-3));
    }
    assert_true(rlti_flow_slope(flow) < 10 * steepest); /* a bound that is worth something */
    rlti_flow_destroy(flow);
}

static void nothing_to_go_by(void **state) {
    (void)state;
    rlti_flow *flow = begin();
    places[7][1] = INFINITY;
    rlti_flow_update(flow, (const float(*)[3])places, 1);
    assert_false(rlti_flow_moves(flow));
    places[7][1] = 0;
    rlti_flow_update(flow, (const float(*)[3])places, 1); /* one has come from infinity */
    assert_false(rlti_flow_moves(flow));
    rlti_flow_update(flow, (const float(*)[3])places, 1);
    assert_true(rlti_flow_moves(flow));
    for (int i = 0; i < COUNT; i++)
        places[i][0] += uniform(50); /* an explosion: no bound is left to gain */
    rlti_flow_update(flow, (const float(*)[3])places, 1);
    assert_false(rlti_flow_moves(flow));
    assert_true(rlti_flow_slope(flow) == 0.0);
    rlti_flow_destroy(flow);
}

/* All hairs of a head fall alike, a margin a step, from the first step on: the first one, in which everything
 * comes out of nowhere, must not make a flow look useless. */
static void starts_at_once(void **state) {
    enum { STEPS = 12 };
    (void)state;
    bundle b;
    bundle_begin(&b, 1,
                 "character: {kind: head}\n"
                 "hair: {count: 300, total_points: 3000, length: 20, prune: {random: 0},"
                 " contact: {radius: 0.4}}\n");
    const int *first = b.strands->first;
    rlti_springs *springs = NULL;
    rlti_springs_def def = {.scene = b.data,
                            .strands = b.strands,
                            .particles = b.particles,
                            .graph = b.graph,
                            .body = b.body,
                            .lanes = &rlti_kernel_select(RLT_SIMD_AUTO)->springs,
                            .threads = 1,
                            .outer_step = 1.0 / 480};
    assert_int_equal(rlti_springs_create(&def, NULL, &springs), RLT_OK);
    float *positions = calloc((size_t)b.strands->point_count * 3, sizeof *positions),
          *still = calloc((size_t)b.strands->point_count * 3, sizeof *still),
          (*pushes)[3] = calloc((size_t)b.strands->point_count, sizeof *pushes);
    const rlti_vec3 origin = {0, 0, 0};
    rlti_springs_begin_frame(springs, 1);
    double path = 0, drift = 0;
    for (int step = 0; step < STEPS; step++) {
        rlti_springs_pose(springs, 0.0);
        for (int p = 0; p < b.strands->point_count; p++) {
            positions[3 * p] = (float)b.strands->points[p].x;
            positions[3 * p + 1] = (float)b.strands->points[p].y - 0.4f * (float)step;
            positions[3 * p + 2] = (float)b.strands->points[p].z;
        }
        for (int h = 0; h < b.strands->strand_count; h++)
            if (rlti_springs_has(springs, h))
                rlti_springs_look(springs, h, &origin, positions + 3 * first[h], still + 3 * first[h]);
        for (int h = 0; h < b.strands->strand_count; h++)
            if (rlti_springs_has(springs, h))
                assert_int_equal(rlti_springs_push(springs, h, 0, pushes, NULL), 1);
        for (int h = 0; step == STEPS / 2 - 1 && h < b.strands->strand_count; h++) {
            path -= springs->path[h];
            drift -= springs->drift[h];
        }
    }
    for (int h = 0; h < b.strands->strand_count; h++) {
        path += springs->path[h];
        drift += springs->drift[h];
    }
    print_message("path %g, drift %g\n", path, drift);
    assert_true(path > 100);
    assert_true(drift < 0.1 * path);
    free(positions);
    free(still);
    free(pushes);
    rlti_springs_destroy(springs);
    bundle_end(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(together),
        cmocka_unit_test(slope_is_a_bound),
        cmocka_unit_test(nothing_to_go_by),
        cmocka_unit_test(starts_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
