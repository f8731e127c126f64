/* Root frames: the rotation that fits a deformation best, for good, degenerate and inverted triangles; roots
 * of bodies. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "body/body.h"
#include "body/root_frame.h"
#include "ringlet/ringlet.h"

static double random_number(int id, int which) {
    return rlti_random_signed(11, (uint64_t)id, (uint64_t)which);
}

static rlti_vec3 random_vector(int id, int which) {
    return rlti_v3(random_number(id, which), random_number(id, which + 1), random_number(id, which + 2));
}

static double angle_between(rlti_quat a, rlti_quat b) {
    double d = fabs(a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z);
    return 2.0 * acos(d < 1.0 ? d : 1.0);
}

static rlti_quat fit(const rlti_vec3 rest[3], const rlti_vec3 now[3]) {
    rlti_matrix3 m = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
    rlti_deformation_add(&m, 0.3, rest, now);
    return rlti_nearest_rotation(&m);
}

static int is_unit(rlti_quat q) {
    return fabs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1.0) < 1e-12; /* not so for NaN */
}

/* How well rotation q fits m: the trace of R^T M. */
static double fitness(const rlti_matrix3 *m, rlti_quat q) {
    return rlti_dot(rlti_quat_rotate(q, rlti_v3(1, 0, 0)), m->column[0]) +
           rlti_dot(rlti_quat_rotate(q, rlti_v3(0, 1, 0)), m->column[1]) +
           rlti_dot(rlti_quat_rotate(q, rlti_v3(0, 0, 1)), m->column[2]);
}

static void test_rigid_motion_is_found(void **state) {
    (void)state;
    for (int n = 0; n < 500; n++) {
        rlti_quat q = rlti_quat_normalize(
            (rlti_quat){random_number(n, 0), random_number(n, 1), random_number(n, 2), random_number(n, 3)});
        rlti_vec3 rest[3], now[3], shift = random_vector(n, 20);
        for (int k = 0; k < 3; k++) {
            rest[k] = random_vector(n, 4 + 3 * k);
            now[k] = rlti_add(shift, rlti_quat_rotate(q, rest[k]));
        }
        if (rlti_triangle_twice_area(rest) < 0.05)
            continue;
        assert_true(angle_between(fit(rest, now), q) < 1e-6); /* acos near 1 */
        assert_true(angle_between(rlti_rotation_by_cross(rlti_rest_turned_back(rest), now), q) < 1e-6);
    }
}

/* No rotation fits better, whatever the matrix: mirrored ones, too. */
static void test_nothing_fits_better(void **state) {
    (void)state;
    int mirrored = 0;
    for (int n = 0; n < 200; n++) {
        rlti_matrix3 m = {{random_vector(n, 40), random_vector(n, 43), random_vector(n, 46)}};
        rlti_quat best = rlti_nearest_rotation(&m);
        double most = fitness(&m, best);
        assert_true(is_unit(best));
        mirrored += rlti_dot(m.column[0], rlti_cross(m.column[1], m.column[2])) < 0.0;
        for (int k = 0; k < 50; k++) {
            rlti_quat other = rlti_quat_normalize((rlti_quat){random_number(k, 50), random_number(k, 51),
                                                              random_number(k, 52), random_number(k, 53)});
            assert_true(fitness(&m, other) <= most + 1e-12);
            rlti_quat near =
                rlti_quat_normalize((rlti_quat){best.w + 1e-3 * other.w, best.x + 1e-3 * other.x,
                                                best.y + 1e-3 * other.y, best.z + 1e-3 * other.z});
            assert_true(fitness(&m, near) <= most + 1e-12);
        }
    }
    assert_true(mirrored > 50);
}

/* A simple shear by s turns by atan(s / 2); a stretch along a diagonal does not turn at all. */
static void test_shear_and_stretch(void **state) {
    (void)state;
    const rlti_vec3 rest[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const rlti_quat none = {1, 0, 0, 0};
    rlti_vec3 sheared[3] = {{0, 0, 0}, {1, 0, 0}, {0.8, 1, 0}},
              diagonal[3] = {{0, 0, 0}, {1.5, 0.5, 0}, {0.5, 1.5, 0}};
    assert_true(fabs(angle_between(fit(rest, sheared), none) - 0.3805063771123649) < 1e-9);
    assert_true(angle_between(fit(rest, diagonal), none) < 1e-7);
    assert_true(angle_between(rlti_rotation_by_cross(rlti_rest_turned_back(rest), diagonal), none) > 0.3);
    for (int k = 0; k < 3; k++) { /* whichever corner comes first */
        rlti_vec3 a[3], b[3];
        for (int i = 0; i < 3; i++) {
            a[i] = rest[(i + k) % 3];
            b[i] = sheared[(i + k) % 3];
        }
        assert_true(angle_between(fit(a, b), fit(rest, sheared)) < 1e-7);
    }
}

static void test_degenerate_and_inverted_triangles(void **state) {
    (void)state;
    const rlti_vec3 rest[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const rlti_quat none = {1, 0, 0, 0};
    const rlti_vec3 point[3] = {{2, 2, 2}, {2, 2, 2}, {2, 2, 2}}, line[3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}},
                    mirrored[3] = {{0, 0, 0}, {-1, 0, 0}, {0, 1, 0}};
    assert_true(angle_between(fit(rest, point), none) == 0.0); /* nothing to go by: as at rest */
    assert_true(is_unit(fit(rest, line)));
    assert_true(is_unit(fit(rest, mirrored)));
    /* turned over about y, as its normal says */
    assert_true(angle_between(fit(rest, mirrored), (rlti_quat){0, 0, 1, 0}) < 1e-7);
    assert_true(angle_between(fit(line, rest), none) == 0.0); /* without area at rest it says nothing */
    rlti_matrix3 bad = {{{NAN, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    assert_true(angle_between(rlti_nearest_rotation(&bad), none) == 0.0);
}

/* Roots of the generated head on the walk: where the skin moves rigidly both ways agree, and the default is
 * the cheap one. */
static rlti_quat root_rotation(const char *frames, int triangle, int frame) {
    char text[256];
    snprintf(text, sizeof text,
             "character: {kind: head, resolution: 16%s%s}\nmotion: {kind: calisthenics}\n"
             "hair: {preset: straight, count: 1}\n",
             frames[0] != '\0' ? ", root_frames: " : "", frames);
    rlt_scene *scene = NULL;
    rlti_body *body = NULL;
    rlt_messages *messages = rlt_messages_create();
    assert_int_equal(rlt_scene_load_text("test", text, strlen(text), NULL, 0, messages, &scene), RLT_OK);
    assert_int_equal(rlti_body_create(rlti_scene_get(scene), messages, &body), RLT_OK);
    rlti_root root = {.triangle = triangle, .barycentric = {0.2, 0.3, 0.5}};
    rlti_motion_segment segment;
    rlti_body_root_segment(body, &root, frame, &segment);
    rlti_body_destroy(body);
    rlt_scene_destroy(scene);
    rlt_messages_destroy(messages);
    return segment.rotation[0];
}

static void test_roots_of_a_body(void **state) {
    (void)state;
    const rlti_quat none = {1, 0, 0, 0};
    double turned = 0.0, differ = 0.0;
    for (int t = 0; t < 400; t += 20) {
        rlti_quat cross = root_rotation("cross", t, 40), best = root_rotation("best-fit", t, 40),
                  standard = root_rotation("", t, 40);
        assert_true(memcmp(&cross, &standard, sizeof cross) == 0);
        assert_true(is_unit(best));
        turned = fmax(turned, angle_between(cross, none));
        differ = fmax(differ, angle_between(cross, best));
    }
    print_message("turned by up to %.3g rad, the two differ by up to %.3g\n", turned, differ);
    assert_true(turned > 0.05);
    assert_true(differ < 0.5 * turned);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rigid_motion_is_found),
        cmocka_unit_test(test_nothing_fits_better),
        cmocka_unit_test(test_shear_and_stretch),
        cmocka_unit_test(test_degenerate_and_inverted_triangles),
        cmocka_unit_test(test_roots_of_a_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
