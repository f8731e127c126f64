/* The Rod's constants: SI in the scene's units, rest shapes, and Taz's material converted. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "model/rod_model.h"
#include "ringlet/ringlet.h"
#include "scene/scene_data.h"

enum { POINTS_MAX = 256 };

typedef struct rods {
    rlt_messages *messages;
    rlt_scene *scene;
    rlti_vec3 points[POINTS_MAX];
    int first[2], hair[1];
    rlti_strands strands;
    rlti_matter *matter;
    rlti_rod_model *model;
} rods;

/* One strand with the hair section `hair`, and an override or NULL. */
static void begin_set(rods *r, const char *set, const char *head, const char *hair, const rlti_vec3 *points,
                      int count) {
    char text[1024];
    snprintf(text, sizeof text, "character: {kind: none}\n%shair: {region: none, count: 1, model: rod, %s}\n",
             head, hair);
    memset(r, 0, sizeof *r);
    r->messages = rlt_messages_create();
    assert_int_equal(
        rlt_scene_load_text("s.yaml", text, strlen(text), &set, set != NULL, r->messages, &r->scene), RLT_OK);
    memcpy(r->points, points, (size_t)count * sizeof *points);
    r->first[1] = count;
    r->strands = (rlti_strands){
        .strand_count = 1, .point_count = count, .first = r->first, .points = r->points, .hair = r->hair};
    r->matter = rlti_matter_create(&r->strands);
    assert_int_equal(
        rlti_rod_model_create(rlti_scene_get(r->scene), &r->strands, NULL, r->matter, r->messages, &r->model),
        RLT_OK);
}

static void begin(rods *r, const char *head, const char *hair, const rlti_vec3 *points, int count) {
    begin_set(r, NULL, head, hair, points, count);
}

static void end(rods *r) {
    rlti_rod_model_destroy(r->model);
    rlti_matter_destroy(r->matter);
    rlt_scene_destroy(r->scene);
    rlt_messages_destroy(r->messages);
}

static void lay_straight(rlti_vec3 *p, int count, double length) {
    for (int i = 0; i < count; i++)
        p[i] = rlti_v3(3.0, -length * i / (count - 1), 1.0);
}

/* Radius 1.6, pitch 3.2. */
static void lay_helix(rlti_vec3 *p, int count, double length) {
    double arc = sqrt(RLTI_PI * RLTI_PI * 10.24 + 10.24);
    for (int i = 0; i < count; i++) {
        double turns = length / arc * i / (count - 1);
        p[i] = rlti_v3(1.6 * rlti_cos(2.0 * RLTI_PI * turns), -3.2 * turns,
                       1.6 * rlti_sin(2.0 * RLTI_PI * turns));
    }
}

static void assert_near(double found, double wanted, double relative) {
    if (!(fabs(found - wanted) <= relative * fabs(wanted)))
        print_error("%.17g, not %.17g\n", found, wanted);
    assert_true(fabs(found - wanted) <= relative * fabs(wanted));
}

static void real_hair_in_centimetres(void **state) {
    (void)state;
    rods r;
    rlti_vec3 p[11];
    lay_straight(p, 11, 10.0);
    begin(&r, "", "name: a", p, 11);
    const double *k = r.model->stiffness[5], *c = r.model->constants[5];
    assert_near(r.matter->mass[5], 1.0, 1e-12);
    assert_near(r.matter->mass[0], 0.5, 1e-12);
    assert_near(k[RLTI_ROD_EA], 4e9 / 1320.0 * 1e4, 1e-12);                  /* E / rho [m^2/s^2] in cm */
    assert_near(k[RLTI_ROD_EI_0], 4e9 * 16e-10 / 4.0 / 1320.0 * 1e8, 1e-12); /* E r^2 / (4 rho) */
    assert_near(k[RLTI_ROD_EI_1], k[RLTI_ROD_EI_0], 1e-12);
    assert_near(k[RLTI_ROD_GJ], 1.5e9 * 16e-10 / 2.0 / 1320.0 * 1e8, 1e-12);
    assert_near(c[RLTI_ROD_STRETCH], k[RLTI_ROD_EA], 1e-12); /* segments of one unit */
    assert_near(c[RLTI_ROD_BEND_0], k[RLTI_ROD_EI_0], 1e-12);
    assert_near(r.model->constants[0][RLTI_ROD_BEND_0], 2.0 * k[RLTI_ROD_EI_0],
                1e-12);                                   /* over half an edge */
    assert_near(c[RLTI_ROD_INERTIA], 0.5 * 16e-6, 1e-12); /* m r^2 / 2, 0.004 cm */
    assert_near(c[RLTI_ROD_DAMP_BEND], 0.01, 0.0);
    assert_int_equal(rlt_messages_count(r.messages), 0);
    end(&r);
}

/* The same hair in metres, with the same mass of a centimetre: forces and energies scale. */
static void units_do_not_matter(void **state) {
    (void)state;
    rods a, b;
    rlti_vec3 p[11], q[11];
    lay_helix(p, 11, 10.0);
    for (int i = 0; i < 11; i++)
        q[i] = rlti_scale(0.01, p[i]);
    begin(&a, "", "mass: 3", p, 11);
    begin(&b, "units: {metres_per_unit: 1}\n", "mass: 300", q, 11);
    for (int i = 1; i < 10; i++) {
        const double *x = a.model->constants[i], *y = b.model->constants[i];
        assert_near(b.matter->mass[i], a.matter->mass[i], 1e-12);
        assert_near(y[RLTI_ROD_STRETCH], x[RLTI_ROD_STRETCH], 1e-12);      /* mass/s^2 */
        assert_near(y[RLTI_ROD_BEND_0], 1e-4 * x[RLTI_ROD_BEND_0], 1e-12); /* mass m^2/s^2 */
        assert_near(y[RLTI_ROD_TWIST], 1e-4 * x[RLTI_ROD_TWIST], 1e-12);
        assert_near(y[RLTI_ROD_INERTIA], 1e-4 * x[RLTI_ROD_INERTIA], 1e-12);
        assert_true(fabs(y[RLTI_ROD_PHI_0] - x[RLTI_ROD_PHI_0]) < 1e-12);
    }
    end(&a);
    end(&b);
}

static void many_thin_flat_hairs(void **state) {
    (void)state;
    rods r;
    rlti_vec3 p[11];
    lay_straight(p, 11, 10.0);
    begin(&r, "", "rod: {radius: [[0, 40], [1, 20]], hairs: 12, density: 660, eccentricity: 0.8}", p, 11);
    const double *k = r.model->stiffness[5];
    double share = 30.0 * 30.0 / 1600.0 * 12.0 * 0.5;
    assert_near(r.matter->mass[5], share, 1e-12);
    assert_near(k[RLTI_ROD_EA], 12.0 * (29.0 * 29.0 / 1600.0) * 4e9 / 1320.0 * 1e4, 1e-12);
    assert_near(k[RLTI_ROD_EI_0] / k[RLTI_ROD_EI_1], 1.0 - 0.64, 1e-12); /* (thin / thick)^2 */
    assert_near(k[RLTI_ROD_EI_0] * k[RLTI_ROD_EI_1], pow(share * 4e9 * 9e-10 / 4.0 / 660.0 * 1e8, 2.0),
                1e-12);
    /* J = pi a^3 b^3 / (a^2 + b^2), a b = r^2, b / a = 0.6 */
    assert_near(k[RLTI_ROD_GJ], share * 1.5e9 * 9e-10 / (1.0 / 0.6 + 0.6) / 660.0 * 1e8, 1e-12);
    end(&r);
}

static void rest_shape_of_a_helix(void **state) {
    (void)state;
    rods r;
    rlti_vec3 p[101];
    lay_helix(p, 101, 50.0);
    begin(&r, "", "name: a", p, 101);
    double q2 = 1.6 * 1.6 + 0.25 * 10.24 / (RLTI_PI * RLTI_PI),
           bend = 1.6 / q2; /* R / (R^2 + (p / 2 pi)^2) */
    for (int i = 1; i < 100; i++) {
        const double *c = r.model->constants[i];
        rlti_vec3 d = rlti_v3_at(r.model->directors[i], 0), t = rlti_normalize(rlti_sub(p[i + 1], p[i]));
        double angle = sqrt(c[RLTI_ROD_PHI_0] * c[RLTI_ROD_PHI_0] + c[RLTI_ROD_PHI_1] * c[RLTI_ROD_PHI_1]);
        assert_near(angle / c[RLTI_ROD_LENGTH], bend, 0.01);
        assert_true(c[RLTI_ROD_THETA] == 0.0);
        assert_near(rlti_length(d), 1.0, 1e-12);
        assert_true(fabs(rlti_dot(d, t)) < 1e-12);
    }
    /* the first bend is about the first director */
    assert_near(r.model->constants[1][RLTI_ROD_PHI_0], 0.5 * bend, 0.01);
    assert_true(fabs(r.model->constants[1][RLTI_ROD_PHI_1]) < 1e-9);
    end(&r);
}

/* Twice the points: the same hair. */
static void resolution_keeps_the_hair(void **state) {
    (void)state;
    rods a, b;
    rlti_vec3 p[51], q[101];
    lay_helix(p, 51, 50.0);
    lay_helix(q, 101, 50.0);
    begin(&a, "", "rod: {radius: [[0, 50], [1, 30]]}", p, 51);
    begin(&b, "", "rod: {radius: [[0, 50], [1, 30]]}", q, 101);
    double mass[2] = {0};
    for (int i = 0; i < 51; i++)
        mass[0] += a.matter->mass[i];
    for (int i = 0; i < 101; i++)
        mass[1] += b.matter->mass[i];
    assert_near(mass[1], mass[0], 0.02); /* chords of the same curve */
    for (int i = 0; i < 51; i++)
        for (int k = RLTI_ROD_EI_0; k < RLTI_ROD_STIFFNESSES; k++)
            assert_near(b.model->stiffness[2 * i][k], a.model->stiffness[i][k], 1e-9);
    end(&a);
    end(&b);
}

/* A new rest shape depends on its points only, whatever was before. */
static void reshaping_forgets(void **state) {
    (void)state;
    rods a, b;
    rlti_vec3 p[41], q[41], s[41];
    static double before[41][RLTI_ROD_CONSTANTS];
    lay_helix(p, 41, 40.0);
    lay_straight(s, 41, 30.0);
    for (int i = 0; i < 41; i++)
        q[i] = rlti_v3(p[i].y, p[i].x, 1.2 * p[i].z);
    begin(&a, "", "name: a", p, 41);
    begin(&b, "", "name: a", p, 41);
    memcpy(before, a.model->constants, sizeof before);
    rlti_rod_model_reshape(a.model, 0, q);
    rlti_rod_model_reshape(b.model, 0, s);
    assert_near(b.matter->segment[0], 0.75, 1e-12);
    assert_near(b.model->constants[7][RLTI_ROD_BEND_0] * 0.75, b.model->stiffness[7][RLTI_ROD_EI_0], 1e-12);
    assert_true(fabs(b.model->constants[7][RLTI_ROD_PHI_0]) < 1e-12);
    rlti_rod_model_reshape(b.model, 0, q);
    assert_memory_equal(a.model->constants, b.model->constants, 41 * sizeof *a.model->constants);
    assert_memory_equal(a.model->directors, b.model->directors, 40 * sizeof *a.model->directors);
    rlti_rod_model_reshape(b.model, 0, p);
    assert_memory_equal(before, b.model->constants, sizeof before);
    assert_true(rlti_rod_model_checksum(a.model, 0) != rlti_rod_model_checksum(b.model, 0));
    end(&a);
    end(&b);
}

static void taz_material_is_converted_and_noted(void **state) {
    (void)state;
    rods straight, curl;
    rlti_vec3 p[41];
    lay_straight(p, 41, 40.0);
    begin(&straight, "", "bend: {stiffness: 3e4, smoothing: 1, damping: 700}, core: {smoothing: 0}", p, 41);
    /* k_b lag(1, 1)^2, coth(1/2) = 2.164 */
    assert_near(straight.model->stiffness[20][RLTI_ROD_EI_0], 3e4 * 2.16395 * 2.16395, 1e-4);
    assert_near(straight.model->stiffness[20][RLTI_ROD_GJ],
                0.75 * straight.model->stiffness[20][RLTI_ROD_EI_0], 1e-12);
    assert_near(straight.matter->mass[20], 1.0, 1e-12);
    assert_true(straight.model->stiffness[20][RLTI_ROD_EA] >= 1e7);
    assert_true(straight.model->constants[20][RLTI_ROD_DAMP_BEND] <= 0.5);
    assert_int_equal(rlt_messages_count(straight.messages), 1);
    assert_int_equal(rlt_messages_severity(straight.messages, 0), RLT_NOTE);
    print_message("%s\n", rlt_messages_text(straight.messages, 0));
    assert_non_null(strstr(rlt_messages_text(straight.messages, 0), "s.yaml:2:39: hair 'hair': model: rod"));
    /* a curl of the same springs: its turns are short against the smoothing */
    lay_helix(p, 41, 40.0);
    begin(&curl, "", "bend: {stiffness: 3e4, smoothing: 10}, core: {stiffness: 0, stiffness_max: 0}", p, 41);
    double q = 0.5955; /* 1 / sqrt(R^2 + (p / 2 pi)^2) */
    assert_near(curl.model->stiffness[20][RLTI_ROD_EI_0], 3e4 / (q * q), 0.15);
    end(&straight);
    end(&curl);
}

/* Why it is converted: there is no other material, only a preset's, or an older one. */
static void the_note_says_why(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"bend: {stiffness: 3e4}", "s.yaml:2:39: hair 'hair': model: rod: no hair.rod material is given, so "
                                   "Taz's is converted: its first strand bends like hair of 40 um with "},
        {"preset: redhead, bend: {stiffness: 3e4}",
         "s.yaml:2:39: hair 'hair': model: rod: hair.bend.stiffness (s.yaml:2:79) is given over the preset's "
         "material, so Taz's is converted: its first strand bends "},
        {"rod: {young: 4e9, shear: 2e9}, drag: 2",
         "s.yaml:2:39: hair 'hair': model: rod: hair.core.stiffness (--set:1:21) is given after "
         "hair.rod.young, "
         "so Taz's material is converted and that of hair.rod does nothing: its first strand bends "}};
    rlti_vec3 p[11];
    lay_straight(p, 11, 10.0);
    for (int i = 0; i < 3; i++) {
        rods r;
        begin_set(&r, i == 2 ? "hair.core.stiffness=5" : NULL, "", cases[i][0], p, 11);
        assert_int_equal(rlt_messages_count(r.messages), 1);
        if (strncmp(rlt_messages_text(r.messages, 0), cases[i][1], strlen(cases[i][1])) != 0)
            fail_msg("%s\n%s", rlt_messages_text(r.messages, 0), cases[i][1]);
        end(&r);
    }
}

/* Short edges, folds, two points: numbers that are finite, and lengths that are not 0. */
static void odd_strands(void **state) {
    (void)state;
    static const rlti_vec3 fold[] = {{0, 0, 0},  {0, -1, 0},    {0, -2, 0},
                                     {0, -1, 0}, {0, -1, 1e-9}, {1, -1, 0}};
    static const rlti_vec3 two[] = {{0, 0, 0}, {0, 2, 0}};
    static const char *const wanted[] = {
        "s.yaml:2:39: hair 'a': model: rod: 1 of 1 strands fold back by exactly 180 degrees (first: strand "
        "0, "
        "point 2), which has no side to bend to: their rest shape is straight there; move the point aside a "
        "little, or resample them (hair.resample)",
        NULL};
    for (int k = 0; k < 2; k++) {
        rods r;
        int count = k == 0 ? 6 : 2;
        begin(&r, "", "name: a", k == 0 ? fold : two, count);
        for (int i = 0; i < count; i++) {
            assert_true(isfinite(r.matter->mass[i]) && r.matter->mass[i] > 0.0);
            assert_true(i + 1 == count || r.model->constants[i][RLTI_ROD_LENGTH] > 0.0);
            for (int c = 0; c < RLTI_ROD_CONSTANTS; c++)
                assert_true(isfinite(r.model->constants[i][c]));
            for (int c = 0; c < 3; c++)
                assert_true(isfinite(r.model->directors[i][c]));
        }
        assert_int_equal(rlt_messages_count(r.messages), wanted[k] != NULL);
        if (wanted[k] != NULL) {
            assert_string_equal(rlt_messages_text(r.messages, 0), wanted[k]);
            assert_int_equal(rlt_messages_severity(r.messages, 0), RLT_WARNING);
        }
        end(&r);
    }
    rods r; /* a fold that has a side */
    static const rlti_vec3 bent[] = {{0, 0, 0}, {0, -1, 0}, {0, -2, 0}, {1e-3, -1, 0}, {1, -1, 0}};
    begin(&r, "", "name: a", bent, 5);
    assert_int_equal(rlt_messages_count(r.messages), 0);
    end(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_hair_in_centimetres),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(many_thin_flat_hairs),
        cmocka_unit_test(rest_shape_of_a_helix),
        cmocka_unit_test(resolution_keeps_the_hair),
        cmocka_unit_test(reshaping_forgets),
        cmocka_unit_test(taz_material_is_converted_and_noted),
        cmocka_unit_test(the_note_says_why),
        cmocka_unit_test(odd_strands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
