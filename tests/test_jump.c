/* A character that jumps: hair goes along in one piece, with its shape and its speed. */
#include "run_fixture.h"

#include "body/jump.h"

/* Two scenes: one walks on evenly, one jumps far away and turns by 90 degrees between frames 6 and 7, then
 * goes on at the same pace. */
static const char scene[] = "time: {first: 1, last: 14, outer_steps: 30, force_steps: 15, damping_steps: 3}\n"
                            "gravity: [0, 0, 0]\n"
                            "character: {kind: none, jump: %s, keys: [%s]}\n"
                            "hair: {preset: straight, region: none, count: 2, length: 12, drag: 0}\n";

/* A key for every frame: two units a frame along x; beyond the jump along -z, which is x turned by 90 degrees
 * about y. */
static const char *keys(int jumps, char text[2048]) {
    int used = 0;
    for (int frame = 0; frame <= 17; frame++) {
        int beyond = jumps && frame > 6, way = 2 * (frame - 1);
        used +=
            snprintf(text + used, 2048 - (size_t)used, "%s[%d, %d, 0, %d, 0, %d, 0]", frame > 0 ? ", " : "",
                     frame, beyond ? 500 : way, beyond ? -way : 0, beyond ? 90 : 0);
    }
    return text;
}

static double shape_of(const rlt_frame_view *v, int p, int q) {
    return run_distance(v->points + 3 * p, v->points + 3 * q);
}

/* Greatest difference of distances between points of a strand, and of speeds relative to the root. */
static void compare(const run *a, const run *b, double *shape, double *speed) {
    rlt_frame_view u = run_view(a), v = run_view(b);
    *shape = *speed = 0.0;
    for (int s = 0; s < u.strand_count; s++)
        for (int p = u.first[s]; p < u.first[s + 1]; p++) {
            for (int q = u.first[s]; q < p; q++)
                *shape = fmax(*shape, fabs(shape_of(&u, p, q) - shape_of(&v, p, q)));
            int root = u.first[s];
            *speed = fmax(*speed, fabs(run_distance(u.velocities + 3 * p, u.velocities + 3 * root) -
                                       run_distance(v.velocities + 3 * p, v.velocities + 3 * root)));
        }
}

static void test_hair_goes_along(void **state) {
    (void)state;
    const double kick[3] = {0, 0, 30}; /* so that there is some motion to keep */
    char text[2048];
    run smooth, jump, torn;
    run_begin(&smooth, RLT_SIMD_AUTO, 1, scene, "0", keys(0, text));
    run_begin(&jump, RLT_SIMD_AUTO, 1, scene, "100", keys(1, text));
    run_begin(&torn, RLT_SIMD_AUTO, 1, scene, "0", keys(1, text));
    run *all[] = {&smooth, &jump, &torn};
    for (int k = 0; k < 3; k++) {
        run_frames(all[k], 3);
        rlt_simulation_kick(all[k]->simulation, kick);
    }
    double shape, speed, worst_shape = 0.0, worst_speed = 0.0, torn_shape = 0.0;
    for (int frame = 4; frame < 13; frame++) {
        run_frames(&smooth, 1);
        run_frames(&jump, 1);
        compare(&smooth, &jump, &shape, &speed);
        worst_shape = fmax(worst_shape, shape);
        worst_speed = fmax(worst_speed, speed);
    }
    if (rlt_simulation_advance(torn.simulation, torn.messages) == RLT_OK)
        for (int k = 0; k < 4 && rlt_simulation_advance(torn.simulation, torn.messages) == RLT_OK; k++) {
            rlt_frame_view v = run_view(&torn);
            torn_shape = fmax(torn_shape, fabs(shape_of(&v, 0, v.first[1] - 1) - 12.0));
        }
    print_message("jump: shape differs by %.2g units, speed by %.2g unit/s from an even walk; torn %.3g\n",
                  worst_shape, worst_speed, torn_shape);
    rlt_frame_view v = run_view(&jump);
    assert_true(fabs(v.points[0] - 500.0) < 5.0); /* it did jump */
    assert_true(worst_shape < 1e-4);
    assert_true(worst_speed < 0.05);
    run_end(&smooth);
    run_end(&jump);
    run_end(&torn);
}

/* Samples go on evenly on the near side of a jump. */
static void test_samples_beside_a_jump(void **state) {
    (void)state;
    for (int jumps = 0; jumps < 8; jumps++) {
        rlti_vec3 p[4] = {{1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {4, 0, 0}};
        rlti_quat q[4];
        if (jumps & RLTI_JUMP_BEFORE)
            p[0].x = 100;
        if (jumps & RLTI_JUMP_NOW)
            p[0].x = p[1].x = 200;
        if (jumps & RLTI_JUMP_AFTER)
            p[3].x = 300;
        for (int k = 0; k < 4; k++)
            q[k] = rlti_quat_axis_angle(rlti_v3(0, 1, 0), 0.01 * p[k].x);
        rlti_jump_positions(p, jumps);
        rlti_jump_rotations(q, jumps);
        double pace =
            (jumps & RLTI_JUMP_NOW) && (jumps & RLTI_JUMP_AFTER) ? 0.0 : 1.0; /* one sample alone stands */
        for (int k = 0; k < 4; k++) {
            double expected = 3.0 + pace * (k - 2);
            assert_true(fabs(p[k].x - expected) < 1e-12);
            assert_true(fabs(q[k].y - rlti_sin(0.005 * expected)) < 1e-12);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples_beside_a_jump),
        cmocka_unit_test(test_hair_goes_along),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
