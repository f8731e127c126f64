/* Diagnostics of Rods: material frames, twist and curvature against rest, Newton's residuals. */
#include "run_fixture.h"

#include "rod_fixture.h"
#include "sim/simulation_data.h"

enum { POINTS = 41 };

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

/* A scene of one strand, without weight, at rest as it is groomed. */
static void begin_strand(run *r, const rlti_vec3 *points, const char *model) {
    char text[POINTS * 80];
    int used = 0;
    for (int i = 0; i < POINTS; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s[%.12g, %.12g, %.12g]",
                         i > 0 ? ", " : "", points[i].x, points[i].y, points[i].z);
    run_begin(r, RLT_SIMD_AUTO, 1,
              "time: {last: 12}\ngravity: [0, 0, 0]\ncharacter: {kind: none}\n"
              "hair: {model: %s, contact: {enabled: off}, strands: [[%s]]}\n",
              model, text);
}

static void straight(rlti_vec3 *points, double edge) {
    for (int i = 0; i < POINTS; i++)
        points[i] = rlti_v3(edge * i, 0, 0);
}

/* A helix of radius R that rises by c a radian: curvature R / (R^2 + c^2). */
static double helix(rlti_vec3 *points, double radius, double rise, double step) {
    for (int i = 0; i < POINTS; i++)
        points[i] = rlti_v3(radius * (cos(step * i) - 1.0), radius * sin(step * i), rise * step * i);
    return radius / (radius * radius + rise * rise);
}

/* ---- twist and frames ---- */

/* A straight hair of edges of 0.5 whose directors turn by 0.3 a unit of length, the root's as well. */
static void a_twisted_hair_shows_its_twist(void **state) {
    (void)state;
    run r;
    rlti_vec3 x[POINTS], v[POINTS] = {{0}}, d[POINTS] = {{0}}, clamp[2];
    double spins[POINTS] = {0}, rate = 0.3, edge = 0.5;
    straight(x, edge);
    begin_strand(&r, x, "rod");
    rlti_solver *solver = rlti_simulation_solver(r.simulation, 0);
    void *const saved[] = {x, v, d, spins, clamp};
    solver->type->save(solver, 0, saved);
    rlti_vec3 first = d[0];
    for (int i = 0; i + 1 < POINTS; i++) /* of the middle of edge i */
        d[i] = rod_turned(first, rlti_v3(1, 0, 0), rate * edge * (i + 0.5));
    const void *const loaded[] = {x, v, d, spins, clamp};
    rlt_diagnostics *before = diagnose(&r);
    solver->type->load(solver, 0, loaded);
    rlt_diagnostics *after = diagnose(&r);
    for (int p = 0; p < POINTS; p++) {
        assert_near(before->twist[p], 0.0, 1e-12);
        assert_near(after->twist[p], rate, 1e-12);
        assert_near(after->curvature[p], 0.0, 1e-12);
    }
    for (int p = 0; p < POINTS; p++) {
        rlti_vec3 director = p > 0 ? d[p - 1] : first;
        const double *frame = after->frames + 9 * p, *at = after->frame_origins + 3 * p;
        assert_near(rlti_length(rlti_sub(rlti_v3_at(frame, 0), rlti_v3(1, 0, 0))), 0.0, 1e-12);
        assert_near(rlti_length(rlti_sub(rlti_v3_at(frame, 1), director)), 0.0, 1e-12);
        assert_near(rlti_dot(rlti_v3_at(frame, 2), director), 0.0, 1e-12);
        assert_near(at[0], p > 0 ? edge * (p - 0.5) : 0.0, 1e-9);
    }
    rlt_diagnostics_destroy(before);
    rlt_diagnostics_destroy(after);
    run_end(&r);
}

/* ---- curvature ---- */

static void assert_curvature(const run *r, double value, double tolerance) {
    rlt_diagnostics *d = diagnose(r);
    for (int p = 1; p < POINTS; p++) /* the clamp keeps the root's direction */
        assert_near(d->curvature[p], value, tolerance);
    rlt_diagnostics_destroy(d);
}

static void a_helix_shows_its_curvature(void **state) {
    (void)state;
    run r;
    rlti_vec3 line[POINTS], coil[POINTS];
    double curvature = helix(coil, 2.0, 0.5, 0.05);
    straight(line, 0.05 * sqrt(2.0 * 2.0 + 0.5 * 0.5));
    begin_strand(&r, line, "rod");
    rlti_solver *solver = rlti_simulation_solver(r.simulation, 0);
    assert_curvature(&r, 0.0, 1e-12);
    solver->type->set(solver, 0, coil, NULL, NULL);
    assert_curvature(&r, curvature, 1e-3 * curvature); /* chords are shorter than arcs by step^2 / 24 */
    run_end(&r);
    begin_strand(&r, coil, "rod"); /* at rest, and pulled straight */
    solver = rlti_simulation_solver(r.simulation, 0);
    assert_curvature(&r, 0.0, 1e-9);
    solver->type->set(solver, 0, line, NULL, NULL);
    assert_curvature(&r, -curvature, 1e-3 * curvature);
    run_end(&r);
}

/* ---- residuals ---- */

static double greatest(const double *values, int count) {
    double most = 0.0;
    for (int i = 0; i < count; i++)
        most = !(values[i] <= most) ? values[i] : most;
    return most;
}

/* A hair of SI units; with planes, a floor below it. */
static rod_tile make_hair(const rod_strand *s, int planes) {
    const rod_strand *strands[] = {s};
    rod_tile t = rod_tile_create(RLT_SIMD_AUTO, RLTI_ENERGY_ROD, strands, 1, 0, planes, 0);
    rlti_plane floor[ROD_POINTS_MAX];
    for (int i = 0; i < s->points; i++)
        floor[i] = (rlti_plane){.point = i, .normal = {0, 0, 1}, .offset = 0.0f};
    if (planes)
        t.engine->set_planes(t.tile, 0, floor, s->points);
    return t;
}

/* Residuals after n iterations are the correction of the next one, to the last digits but six. */
static void assert_next_correction(rod_strand *s, int planes, int midpoint, int n) {
    rod_tile a = make_hair(s, planes), b = make_hair(s, planes);
    rlti_implicit_step step = {.gravity = {0, planes ? 8 : 49, -9.81},
                               .seconds = 0.02,
                               .midpoint = midpoint,
                               .iterations = n,
                               .friction = 0.5};
    rlti_implicit_result result;
    double left[ROD_POINTS_MAX];
    a.engine->residuals(a.tile, 0, a.scratch, left);
    assert_true(isnan(left[0]) && isnan(left[s->points - 1])); /* no step yet */
    a.engine->step(a.tile, &step, a.scratch, NULL);
    a.engine->residuals(a.tile, 0, a.scratch, left);
    step.iterations = n + 1;
    b.engine->step(b.tile, &step, b.scratch, &result);
    double most = greatest(left, s->points);
    print_message("%s%s, %d iterations: %.6g of a segment\n", midpoint ? "midpoint" : "Euler",
                  planes ? " on a floor" : "", n, most);
    assert_true(left[0] >= 0.0 && most > 0.0);
    assert_near(most, result.correction, 1e-6 * result.correction + 1e-12);
    a.engine->set_state(a.tile, 0, s->x, NULL, s->d, NULL);
    a.engine->residuals(a.tile, 0, a.scratch, left);
    assert_true(isnan(left[1])); /* a new state has no step behind it */
    rod_tile_destroy(&a);
    rod_tile_destroy(&b);
}

static void residuals_are_the_next_correction(void **state) {
    (void)state;
    static rod_strand s;
    for (int k = 0; k < 4; k++) {
        if (k & 1) /* lies on the floor and slides aside */
            rod_make_straight(&s, 20, 0.1, rlti_v3(1, 0, 0));
        else
            rod_make_helix(&s, 20, 0.01, 0.025, 1.5);
        rod_make_rest(&s, &rod_hair);
        for (int n = 1; n < 6; n++)
            assert_next_correction(&s, k & 1, k >> 1, n);
    }
}

static double residual_of(const char *rod, int frames) {
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 2,
              "time: {last: 12}\nmotion: {kind: walk, amount: 2}\ncharacter: {kind: head, resolution: 16}\n"
              "hair: {model: rod, preset: redhead, region: scalp, count: 12, total_points: 240,"
              " rod: {%s}}\n",
              rod);
    run_frames(&r, frames);
    rlt_diagnostics *d = diagnose(&r);
    double most = greatest(d->residual, d->point_count);
    rlt_diagnostics_destroy(d);
    run_end(&r);
    return most;
}

static void residuals_tell_who_converged(void **state) {
    (void)state;
    double good = residual_of("tolerance: 1e-3", 4), bad = residual_of("iterations: 1", 4);
    print_message("greatest residual %.3g of a segment, with one iteration %.3g\n", good, bad);
    assert_true(good < 1e-3);
    assert_true(bad > 10.0 * good && bad > 1e-3);
}

/* ---- which model has what ---- */

#define TWO                                                                                                  \
    "character: {kind: none}\nhair:\n"                                                                       \
    "  - {name: a, region: none, count: 2, spacing: 3, length: 8}\n"                                         \
    "  - {name: b, model: rod, strands: [[[0, 0, 50], [1, 0, 50], [2, 0, 50], [3, 0, 50]]]}\n"

static void assert_told(const run *r, unsigned show, rlt_status status, const char *text) {
    int before = rlt_messages_count(r->messages);
    assert_int_equal(rlt_simulation_check_show(r->simulation, show, r->messages), status);
    assert_int_equal(rlt_messages_count(r->messages), before + (text != NULL));
    if (text != NULL)
        assert_string_equal(rlt_messages_text(r->messages, before), text);
}

static void models_say_what_they_have(void **state) {
    (void)state;
    run r;
    rlti_vec3 line[POINTS];
    straight(line, 1.0);
    begin_strand(&r, line, "taz");
    rlt_diagnostics *d = diagnose(&r);
    assert_true(d->twist == NULL && d->curvature == NULL && d->residual == NULL && d->smoothed != NULL);
    assert_memory_equal(d->frame_origins, d->smoothed, 3 * sizeof(double) * POINTS);
    rlt_diagnostics_destroy(d);
    assert_told(&r, RLT_SHOW_GUIDES | RLT_SHOW_CORE | RLT_SHOW_FRAMES | RLT_SHOW_SPEED, RLT_OK, NULL);
    assert_told(
        &r, RLT_SHOW_FRAMES | RLT_SHOW_TWIST, RLT_BAD_INPUT,
        "test:4:15: hair.model = taz: cannot show twist; choose a model that can (rod, coil), or show "
        "something else");
    assert_told(&r, 1u << 15, RLT_BAD_INPUT, "diagnostics: show = 32768: must be some of the 15 bits");
    assert_told(&r, RLT_SHOW_FORCES, RLT_BAD_INPUT,
                "test:4:15: hair.model = taz: cannot show forces; choose a model that can (rod, coil), or "
                "show something else");
    run_end(&r);
    begin_strand(&r, line, "rod");
    d = diagnose(&r);
    assert_true(d->twist != NULL && d->curvature != NULL && d->residual != NULL && d->targets != NULL);
    assert_true(d->smoothed == NULL && d->core == NULL);
    assert_true(isnan(d->residual[3])); /* no step yet */
    rlt_diagnostics_destroy(d);
    assert_told(&r, RLT_SHOW_FRAMES | RLT_SHOW_TARGETS | RLT_SHOW_RESIDUAL, RLT_OK, NULL);
    assert_told(&r, RLT_SHOW_CORE, RLT_BAD_INPUT,
                "test:4:15: hair.model = rod: cannot show core; choose a model that can (taz), or show "
                "something else");
    run_end(&r);
}

/* ---- forces of contacts ---- */

/* Two free hairs, one balanced across the other, on a floor: the floor bears both, the lower hair the upper
 * one, and friction holds all of it. Without friction what presses slips. Forces are over the weight of the
 * lower hair, of five edges; the upper one has four. */
static void forces_bear_the_weight(void **state) {
    (void)state;
    for (int slippery = 0; slippery < 2; slippery++) {
        run r;
        double floor = 0.0, between = 0.0;
        run_begin(&r, RLT_SIMD_AUTO, 1,
                  "time: {last: 40}\ncharacter: {kind: none}\ncolliders:\n"
                  "- {kind: sphere, position: [0, -1000, 0], radius: 1000}\nhair:\n- model: rod\n"
                  "  rod: {root: free}\n  collide: {friction: %g, thickness: 0.2}\n"
                  "  contact: {method: solve, radius: 0.2, friction: 0.5, groom: push}\n  strands:\n"
                  "  - [[-3, 0.2, 0], [-2, 0.2, 0], [-1, 0.2, 0], [0, 0.2, 0], [1, 0.2, 0], [2, 0.2, 0]]\n"
                  "  - [[0.3, 0.7, -2], [0.3, 0.7, -1], [0.3, 0.7, 0], [0.3, 0.7, 1], [0.3, 0.7, 2]]\n",
                  slippery ? 0.0 : 0.5);
        run_frames(&r, 30);
        rlt_diagnostics *d = diagnose(&r);
        assert_true(d->force_count > 2);
        for (int k = 0; k < d->force_count; k++) {
            const double *place = d->force_places + 3 * (size_t)k, *other = d->force_others + 3 * (size_t)k,
                         *f = d->force_vectors + 3 * (size_t)k;
            assert_near(d->force_sizes[k], sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]), 1e-12);
            if (run_distance(place, other) > 0.0) {
                assert_near(run_distance(place, other), 0.4, 0.01); /* both radii */
                between += 5.0 * fabs(f[1]);
            } else {
                floor += 5.0 * f[1];
                assert_int_equal(d->force_slips[k], slippery);
            }
        }
        assert_near(floor, 9.0, 0.1);   /* weights of an edge */
        assert_near(between, 4.0, 0.1); /* the upper one lies on the lower alone */
        rlt_diagnostics_destroy(d);
        run_end(&r);
    }
}

/* Strands of the other model have no numbers. */
static void two_models_in_one_scene(void **state) {
    (void)state;
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 1, TWO);
    run_frames(&r, 1);
    rlt_diagnostics *d = diagnose(&r);
    rlt_frame_view view = run_view(&r);
    int other = view.first[2];
    for (int p = 0; p < d->point_count; p++) {
        assert_int_equal(isnan(d->twist[p]) != 0, p < other);
        assert_int_equal(isnan(d->residual[p]) != 0, p < other);
        assert_int_equal(isnan(d->smoothed[3 * p]) != 0, p >= other);
        assert_false(isnan(d->frames[9 * p]) || isnan(d->frame_origins[3 * p]));
    }
    rlt_diagnostics_destroy(d);
    assert_told(&r, RLT_SHOW_FRAMES, RLT_OK, NULL);
    assert_told(&r, RLT_SHOW_CURVATURE, RLT_OK,
                "test: hair 'a': hair.model: taz cannot show curvature; it is shown of the other hair only");
    run_end(&r);
}

static void looking_changes_nothing(void **state) {
    (void)state;
    static const char scene[] =
        "time: {last: 12}\nmotion: {kind: walk, amount: 2}\ncharacter: {kind: head, resolution: 16}\n"
        "colliders: [{kind: body}]\nhair: {model: rod, preset: redhead, region: scalp, count: 12,"
        " total_points: 240}\n";
    run a, b;
    run_begin(&a, RLT_SIMD_AUTO, 1, scene);
    run_begin(&b, RLT_SIMD_AUTO, 2, scene);
    for (int f = 0; f < 3; f++) {
        rlt_diagnostics_destroy(diagnose(&a));
        rlt_diagnostics *once = diagnose(&a), *twice = diagnose(&a);
        size_t bytes = sizeof(double) * (size_t)once->point_count;
        assert_memory_equal(once->residual, twice->residual, bytes);
        assert_memory_equal(once->curvature, twice->curvature, bytes);
        rlt_diagnostics_destroy(once);
        rlt_diagnostics_destroy(twice);
        run_frames(&a, 1);
        run_frames(&b, 1);
        assert_true(rlt_simulation_hash(a.simulation) == rlt_simulation_hash(b.simulation));
    }
    run_end(&a);
    run_end(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_twisted_hair_shows_its_twist),    cmocka_unit_test(a_helix_shows_its_curvature),
        cmocka_unit_test(residuals_are_the_next_correction), cmocka_unit_test(residuals_tell_who_converged),
        cmocka_unit_test(models_say_what_they_have),         cmocka_unit_test(forces_bear_the_weight),
        cmocka_unit_test(two_models_in_one_scene),           cmocka_unit_test(looking_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
