/* Presets of curl types: their sizes in millimetres, what differs between neighbours, and wet hair. */
#include "scene_fixture.h"

#include "base/math.h"
#include "body/body.h"
#include "groom/strands.h"
#include "model/rod_material.h"

/* The table of docs/guide/curl-types.md. */
static const struct type {
    const char *name;
    double diameter, pitch, shrinkage; /* [mm], [mm], [%] */
} types[] = {{"2a", 10, 90, 3},  {"2b", 14, 65, 10}, {"2c", 18, 50, 21},
             {"3a", 25, 70, 33}, {"3b", 16, 40, 38}, {"3c", 10, 18, 50},
             {"4a", 7, 8, 66},   {"4b", 5, 4.5, 72}, {"4c", 3.5, 2.8, 75}};
enum { TYPES = sizeof types / sizeof types[0] };

static rlti_strands *grow(fixture *f, const char *text, rlti_body **body) {
    const rlti_scene_data *scene = load_good(f, text);
    rlti_strands *strands = NULL;
    assert_int_equal(rlti_body_create(scene, f->messages, body), RLT_OK);
    assert_int_equal(rlti_groom_create(scene, *body, f->messages, &strands), RLT_OK);
    return strands;
}

/* One strand that hangs, without taper and variation: its diameter, its turns and how much shorter it is than
 * its length. */
static void sizes_are_as_stated(void **state) {
    for (int k = 0; k < TYPES; k++) {
        const struct type *t = &types[k];
        char text[300];
        snprintf(
            text, sizeof text,
            "character: {kind: none}\nhair: {preset: %s, region: none, count: 1, taper: 0, straight_root: 0, "
            "variation: 0, length_variation: 0, length: 60, points_per_turn: 40}\n",
            t->name);
        rlti_body *body = NULL;
        rlti_strands *s = grow(*state, text, &body);
        rlti_vec3 low = s->points[0], high = low; /* waves lie in one plane */
        for (int i = 0; i < s->point_count; i++) {
            rlti_vec3 p = s->points[i];
            low = rlti_v3(fmin(low.x, p.x), 0.0, fmin(low.z, p.z));
            high = rlti_v3(fmax(high.x, p.x), 0.0, fmax(high.z, p.z));
        }
        double across = 10.0 * fmax(high.x - low.x, high.z - low.z);
        rlti_vec3 along = rlti_sub(s->points[s->point_count - 1], s->points[0]);
        double length = rlti_points_length(s->points, s->point_count);
        assert_true(fabs(across - t->diameter) < 0.02 * t->diameter);
        assert_true(fabs(100.0 * (1.0 + along.y / length) - t->shrinkage) < 1.0);
        double turns = -10.0 * along.y / t->pitch, points = turns * 40.0;
        assert_true(fabs(points - (s->point_count - 1)) < 0.03 * points);
        rlti_groom_destroy(s);
        rlti_body_destroy(body);
    }
}

/* Handedness of a coil: the sign of the volume that three edges in a row span, summed. */
static int hand_of(const rlti_vec3 *p, int count) {
    double sum = 0.0;
    for (int i = 0; i + 3 < count; i++) {
        rlti_vec3 a = rlti_sub(p[i + 1], p[i]), b = rlti_sub(p[i + 2], p[i + 1]),
                  c = rlti_sub(p[i + 3], p[i + 2]);
        sum += rlti_dot(rlti_cross(a, b), c);
    }
    return sum > 0.0 ? 1 : -1;
}

/* Type 4 on the head: both hands in about equal shares, no common phase, and middle lines that stray from the
 * skin's normals. */
static void neighbours_differ(void **state) {
    rlti_body *body = NULL;
    rlti_strands *s = grow(*state, "character: {resolution: 24}\nhair: {preset: 4a, count: 200}\n", &body);
    int right = 0;
    rlti_vec3 mean = {0.0, 0.0, 0.0};
    for (int k = 0; k < s->strand_count; k++) {
        const rlti_vec3 *p = s->points + s->first[k];
        int count = s->first[k + 1] - s->first[k];
        right += hand_of(p, count) > 0;
        /* the curvature's direction well above the root, seen around a fixed axis */
        rlti_vec3 bend = rlti_sub(rlti_add(p[20], p[22]), rlti_scale(2.0, p[21]));
        mean = rlti_madd(mean, 1.0 / s->strand_count, rlti_normalize(bend));
    }
    print_message("%d of %d are right-handed, mean direction of bending %.2f\n", right, s->strand_count,
                  rlti_length(mean));
    assert_in_range(right, 70, 130);
    assert_true(rlti_length(mean) < 0.25);
    rlti_groom_destroy(s);
    rlti_body_destroy(body);
}

/* The direction of a strand's middle line, root to tip. */
static rlti_vec3 course(const rlti_strands *s, int strand) {
    return rlti_normalize(rlti_sub(s->points[s->first[strand + 1] - 1], s->points[s->first[strand]]));
}

/* hair.wander turns courses by tens of degrees, another seed by others; 0 changes nothing. */
static void strands_wander(void **state) {
    static const char *const texts[] = {"wander: 0", "wander: 0.6", "wander: 0.6, seed: 2"};
    rlti_strands *s[3];
    for (int k = 0; k < 3; k++) {
        char text[200];
        rlti_body *body = NULL;
        snprintf(text, sizeof text,
                 "character: {resolution: 24}\nhair: {preset: 4a, count: 60, fall: 0, %s}\n", texts[k]);
        s[k] = grow(*state, text, &body);
        rlti_body_destroy(body);
    }
    double turned = 0.0, most = 0.0;
    for (int i = 0; i < 60; i++) {
        double angle = acos(fmin(1.0, rlti_dot(course(s[0], i), course(s[1], i))));
        turned += angle / 60.0;
        most = fmax(most, angle);
    }
    print_message("wander: by %.2f rad in the mean, %.2f at most\n", turned, most);
    assert_true(turned > 0.15 && most > 0.4 && most < 1.6);
    assert_true(rlti_dot(course(s[1], 0), course(s[2], 0)) < 0.9999);
    for (int k = 0; k < 3; k++)
        rlti_groom_destroy(s[k]);
}

/* Short coils bend away from their course within it, too: straight ones are spikes. In the mean the outer
 * half of a middle line is turned against the inner half by 50 degrees. */
static void short_coils_bend(void **state) {
    rlti_body *body = NULL;
    rlti_strands *s =
        grow(*state, "character: {resolution: 24}\nhair: {preset: 4c, count: 60, fall: 0}\n", &body);
    double turned = 0.0;
    for (int k = 0; k < s->strand_count; k++) {
        const rlti_vec3 *p = s->points + s->first[k];
        int last = s->first[k + 1] - s->first[k] - 1, half = last / 2;
        rlti_vec3 inner = rlti_normalize(rlti_sub(p[half], p[0])),
                  outer = rlti_normalize(rlti_sub(p[last], p[half]));
        turned += acos(fmin(1.0, rlti_dot(inner, outer))) / s->strand_count;
    }
    print_message("halves are turned by %.2f rad\n", turned);
    assert_true(turned > 0.7);
    rlti_groom_destroy(s);
    rlti_body_destroy(body);
}

/* Wet hair against dry: the numbers of the schema's text, for hair of its own and for Taz's material. */
static void wet_hair_is_heavy_and_limp(void **state) {
    static const char *const sections[] = {"preset: 4b", "preset: 2b", "preset: redhead, model: rod"};
    for (int k = 0; k < 3; k++) {
        rlti_rod_material m[2];
        for (int wet = 0; wet < 2; wet++) {
            char text[200];
            rlti_body *body = NULL;
            snprintf(text, sizeof text,
                     "character: {kind: none}\nhair: {%s, region: none, count: 1, total_points: 0, rod: "
                     "{wet: %d}}\n",
                     sections[k], wet);
            rlti_strands *s = grow(*state, text, &body);
            const rlti_scene_data *scene = rlti_scene_get(((fixture *)*state)->scene);
            double *scratch = test_calloc((size_t)s->point_count, sizeof *scratch);
            rlti_rod_curl curl = rlti_rod_curl_of(s, 0, scene->hair, scratch);
            m[wet] = rlti_rod_material_at(scene, s, scene->hair, &curl, 3, 0, 0.5);
            test_free(scratch);
            rlti_groom_destroy(s);
            rlti_body_destroy(body);
        }
        assert_true(fabs(m[1].mass / m[0].mass - 1.32) < 1e-9);
        assert_true(fabs(m[1].stretch / m[0].stretch - 0.42 * 1.14 * 1.14) < 1e-9);
        assert_true(fabs(m[1].bend_0 / m[0].bend_0 - 0.71) < 5e-3);
        assert_true(fabs(m[1].twist / m[0].twist - 0.34) < 5e-3);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sizes_are_as_stated, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(neighbours_differ, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(short_coils_bend, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(strands_wander, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(wet_hair_is_heavy_and_limp, fixture_setup, fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
