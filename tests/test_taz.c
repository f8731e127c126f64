/* The Taz strand: filter, frames, energies against finite differences, momentum, dissipation. */
#define RLTI_LANES_REFERENCE
#include "strand_fixture.h"

#include "base/lanes.h"
#include "model/fold.h"
#include "model/taz_filter.h"
#include "model/taz_frame.h"

enum { POINTS = 40 };

static const double no_gravity[3] = {0, 0, 0};

static taz_filter filter_for(double segment, double alpha) {
    double beta = rlti_fold_beta(segment, alpha);
    taz_filter f = {1.0 - beta, 1.0 / beta, 1.0 / (beta * beta), beta * beta};
    return f;
}

static lane3 random3(int id) {
    lane3 v = {rlti_random_signed(7, (uint64_t)id, 0), rlti_random_signed(7, (uint64_t)id, 1),
               rlti_random_signed(7, (uint64_t)id, 2)};
    return v;
}

static double distance3(lane3 a, lane3 b) {
    lane3 d = sub3(a, b);
    return sqrt(dot3(d, d));
}

/* Equation (2) as printed, for comparison with the two-pole form. */
static void printed_filter(const lane3 *e, lane3 *d, int n, double beta) {
    lane3 before = e[0], last = e[0];
    for (int i = 0; i < n; i++) {
        lane3 next = add3(sub3(scale3(2 * (1 - beta), last), scale3((1 - beta) * (1 - beta), before)),
                          scale3(beta * beta, e[i]));
        before = last;
        last = d[i] = next;
    }
}

static void test_filter_is_equation_2(void **state) {
    (void)state;
    const double alphas[] = {0.0, 0.3, 1.0, 3.0, 10.0, 100.0};
    for (size_t a = 0; a < sizeof(alphas) / sizeof(alphas[0]); a++) {
        taz_filter f = filter_for(1.0, alphas[a]);
        lane3 e[POINTS], d[POINTS];
        for (int i = 0; i < POINTS; i++)
            e[i] = random3(i);
        printed_filter(e, d, POINTS, rlti_fold_beta(1.0, alphas[a]));
        taz_filter_state s = taz_filter_begin(&f, e[0]);
        for (int i = 0; i < POINTS; i++) {
            taz_filter_next(&f, &s, e[i]);
            assert_true(distance3(scale3(f.unscale, s.d), d[i]) < 1e-12);
        }
    }
}

static void test_filter_limits(void **state) {
    (void)state;
    lane3 e0 = random3(0);
    taz_filter none = filter_for(1.0, 0.0), all = filter_for(1.0, 1e12), some = filter_for(1.0, 4.0);
    taz_filter_state n = taz_filter_begin(&none, e0), a = taz_filter_begin(&all, e0),
                     s = taz_filter_begin(&some, e0);
    for (int i = 0; i < 77; i++) {
        lane3 e = random3(i);
        taz_filter_next(&none, &n, e);
        assert_true(distance3(n.d, e) < 1e-15); /* alpha 0: no smoothing */
        taz_filter_next(&all, &a, e);
        assert_true(distance3(scale3(all.unscale, a.d), e0) <
                    1e-4); /* alpha infinite: the first edge everywhere */
        taz_filter_next(&some, &s, e);
        if (i == 0) /* the paper's choice of start: d_0 is the first edge */
            assert_true(distance3(scale3(some.unscale, s.d), e0) < 1e-14);
    }
}

static void test_filter_transpose(void **state) {
    (void)state;
    taz_filter f = filter_for(0.8, 5.0);
    lane3 e[POINTS], g[POINTS];
    double forward = 0, backward = 0;
    for (int i = 0; i < POINTS; i++) {
        e[i] = random3(i);
        g[i] = random3(1000 + i);
    }
    taz_filter_state s = taz_filter_begin(&f, e[0]);
    for (int i = 0; i < POINTS; i++) {
        taz_filter_next(&f, &s, e[i]);
        forward += dot3(s.d, g[i]);
    }
    s = (taz_filter_state){zero3(), zero3()};
    for (int i = POINTS - 1; i >= 0; i--) {
        taz_filter_transpose_next(&f, &s, g[i]);
        lane3 out = s.y;
        if (i == 0)
            out = add3(out, taz_filter_transpose_root(&f, &s));
        backward += dot3(out, e[i]);
    }
    assert_true(fabs(forward - backward) < 1e-12 * fabs(forward));
}

static void test_frames_stay_orthonormal_even_folded(void **state) {
    (void)state;
    taz_frame f = {{1, 0, 0}, {0, 1, 0}};
    int folds = 0;
    for (int i = 0; i < 1000; i++) {
        lane3 w = random3(i);
        if (i % 10 == 9)
            w = scale3(-1, f.u); /* exactly opposite: defined, finite */
        if (i % 10 == 8)         /* nearly opposite */
            w = add3(scale3(-1, f.u), scale3(1e-9, f.n));
        w = scale3(1.0 / sqrt(dot3(w, w)), w);
        int fold = 1 + dot3(f.u, w) < (double)TAZ_FOLD;
        taz_carry c = taz_frame_carry(&f, w);
        assert_true(isfinite(c.r) && c.r <= 2 / (double)TAZ_FOLD + 1e-9);
        if (!fold) {
            assert_true(fabs(dot3(f.n, f.n) - 1) < 1e-9);
            assert_true(fabs(dot3(f.u, f.n)) < 1e-9);
        } else { /* a fold shrinks or tilts n; put it right before going on, as each step's root frame does */
            folds++;
            assert_true(dot3(f.n, f.n) < 1 + 1e-9);
            f.n = sub3(f.n, scale3(dot3(f.n, f.u), f.u));
            f.n = scale3(1.0 / sqrt(dot3(f.n, f.n)), f.n);
        }
    }
    assert_true(folds > 100);
}

/* No direction, opposite direction, zero-length edges: every force stays finite. */
static void test_degenerate_shapes_are_finite(void **state) {
    (void)state;
    fixture f;
    rlti_vec3 rest[POINTS], p[POINTS], force[POINTS];
    fixture_helix(rest, POINTS, POINTS - 1, 1.7, 4.5);
    for (int shape = 0; shape < 3; shape++) {
        fixture_begin(&f, shape == 2 ? "redhead" : "horse");
        fixture_build(&f, RLT_SIMD_AUTO, rest, POINTS, 1, 1);
        for (int i = 0; i < POINTS; i++)
            p[i] = shape == 0   ? rlti_v3(0, i % 2, 0)  /* back and forth */
                   : shape == 1 ? rest[i < 20 ? i : 20] /* all in one place */
                                : rlti_v3(0, i < 20 ? -i : i - 38, 0);
        rlti_vec3 zero[POINTS] = {{0, 0, 0}}, at[POINTS];
        f.kernel->set_state(f.tile, 0, p, zero);
        f.kernel->forces(f.tile, no_gravity);
        f.kernel->damp(f.tile);
        f.kernel->get_state(f.tile, 0, at, force);
        for (int i = 0; i < POINTS; i++)
            assert_true(isfinite(rlti_length(force[i])));
        fixture_end(&f);
    }
}

/* A strand bent and stretched at random, so that every term of every energy acts. */
static void deform(const rlti_vec3 *rest, rlti_vec3 *p, int n, double amount, double stretch) {
    for (int i = 0; i < n; i++) {
        p[i] = rlti_scale(stretch, rest[i]);
        p[i].x += amount * rlti_random_signed(3, (uint64_t)i, 0);
        p[i].y += amount * rlti_random_signed(3, (uint64_t)i, 1);
        p[i].z += amount * rlti_random_signed(3, (uint64_t)i, 2);
    }
    p[0] = rest[0];
}

static void energies_at(fixture *f, const rlti_vec3 *p, double e[3]) {
    rlti_vec3 zero[POINTS] = {{0, 0, 0}};
    rlti_measure m[16];
    f->kernel->set_state(f->tile, 0, p, zero);
    f->kernel->measure(f->tile, no_gravity, m);
    for (int k = RLTI_TAZ_ENERGY_STRETCH; k <= RLTI_TAZ_ENERGY_CORE; k++)
        e[k] = m[0].energies[k];
}

/* Forces from velocities: with v = 0 one force pass gives v = h f / m. */
static void forces_at(fixture *f, const rlti_vec3 *p, rlti_vec3 *force) {
    rlti_vec3 zero[POINTS] = {{0, 0, 0}}, unused[POINTS];
    f->kernel->set_state(f->tile, 0, p, zero);
    f->kernel->forces(f->tile, no_gravity);
    f->kernel->get_state(f->tile, 0, unused, force);
    for (int i = 0; i < f->points; i++)
        force[i] = rlti_scale(f->model->mass[i] / f->force_step, force[i]);
}

enum { STRETCH = 1, BEND = 2, CORE = 4 };

static void check_gradient_of(const char *preset, int energies, double stretch, double amount) {
    fixture f;
    rlti_vec3 rest[POINTS], p[POINTS], force[POINTS];
    fixture_begin(&f, preset);
    rlti_ramp none = {.count = 1};
    if (!(energies & STRETCH))
        f.hair.stretch_stiffness = none;
    if (!(energies & BEND))
        f.hair.bend_stiffness = none;
    if (!(energies & CORE))
        f.hair.core_stiffness = f.hair.core_stiffness_max = none;
    f.hair.core_blend[0] = 0.9; /* so that both blends are part-way */
    f.hair.core_blend[1] = 1.9;
    fixture_helix(rest, POINTS, POINTS - 1, 1.7, 4.5);
    fixture_build(&f, RLT_SIMD_REFERENCE, rest, POINTS, 1, 0);
    f.kernel->free_root(f.tile);
    deform(rest, p, POINTS, amount, stretch);
    forces_at(&f, p, force);

    double worst = 0, largest = 0, total_core = 0;
    for (int i = 0; i < POINTS; i++) {
        double numeric[3];
        for (int axis = 0; axis < 3; axis++) {
            const double h = 1e-5;
            double *c = axis == 0 ? &p[i].x : axis == 1 ? &p[i].y : &p[i].z, old = *c, plus[3], minus[3];
            *c = old + h;
            energies_at(&f, p, plus);
            *c = old - h;
            energies_at(&f, p, minus);
            *c = old;
            numeric[axis] = -((plus[0] + plus[1] + plus[2]) - (minus[0] + minus[1] + minus[2])) / (2 * h);
            total_core = plus[2];
        }
        rlti_vec3 n = rlti_v3(numeric[0], numeric[1], numeric[2]);
        double error = rlti_length(rlti_sub(n, force[i])), size = rlti_length(n);
        worst = error > worst ? error : worst;
        largest = size > largest ? size : largest;
    }
    if (energies & CORE)
        assert_true(total_core > 0);
    assert_true(largest > 1);
    print_message("%s, energies %d: largest force %.4g, error %.2g of it\n", preset, energies, largest,
                  worst / largest);
    assert_true(worst < 1e-6 * largest);
    fixture_end(&f);
}

static void check_gradient(const char *preset, int energies, double stretch) {
    check_gradient_of(preset, energies, stretch, 0.2);
}

static void check_folded_gradient(const char *preset) {
    check_gradient_of(preset, BEND, 1.0, 3.0);
}

static void test_forces_are_energy_gradients(void **state) {
    (void)state;
    check_gradient("redhead", STRETCH, 1.0);
    check_gradient("redhead", BEND, 1.0);
    check_gradient("redhead", CORE, 1.4);
    check_gradient("redhead", STRETCH | BEND | CORE, 1.2);
    check_gradient("horse", BEND, 1.0); /* hardly smoothed */
    check_gradient("coil", STRETCH | BEND | CORE, 1.2);
    /* thrown about so much that some directions fold and some smoothed edges all but vanish */
    check_folded_gradient("horse");
    check_folded_gradient("redhead");
}

/* The paper's printed forces are not a gradient: the difference is the reason for the variational form. */
static void test_paper_form_leaves_out_part(void **state) {
    (void)state;
    fixture f;
    rlti_vec3 rest[POINTS], p[POINTS], printed[POINTS], whole[POINTS];
    fixture_helix(rest, POINTS, POINTS - 1, 1.7, 4.5);
    deform(rest, p, POINTS, 0.2, 1.2);
    for (int form = 0; form < 2; form++) {
        fixture_begin(&f, "redhead");
        f.hair.formulation = form == 0 ? RLTI_PAPER : RLTI_VARIATIONAL;
        f.hair.stretch_stiffness = (rlti_ramp){.count = 1}; /* the same in both, and much larger */
        fixture_build(&f, RLT_SIMD_REFERENCE, rest, POINTS, 1, 0);
        f.kernel->free_root(f.tile);
        forces_at(&f, p, form == 0 ? printed : whole);
        fixture_end(&f);
    }
    double difference = 0, sum = 0;
    rlti_vec3 total_printed = {0, 0, 0}, total_whole = {0, 0, 0};
    for (int i = 0; i < POINTS; i++) {
        difference += rlti_length(rlti_sub(printed[i], whole[i]));
        sum += rlti_length(whole[i]);
        total_printed = rlti_add(total_printed, printed[i]);
        total_whole = rlti_add(total_whole, whole[i]);
    }
    assert_true(difference > 0.05 * sum);
    /* both are made of opposite pairs, so both keep linear momentum */
    assert_true(rlti_length(total_printed) < 1e-9 * sum);
    assert_true(rlti_length(total_whole) < 1e-9 * sum);
}

/* A free strand whose root frame is a free rigid body of inertia J, undamped: the sums of linear and angular
 * momentum stay the same. The frame's torque comes from its own closed form (taz_bend_root_torque), not from
 * the sum. */
static double momentum_drift(rlti_formulation formulation, double *linear_drift) {
    enum { STEPS = 9000 };
    const double inertia = 50.0;
    fixture f;
    rlti_vec3 rest[POINTS], p[POINTS], v[POINTS];
    fixture_begin(&f, "redhead");
    f.hair.formulation = formulation;
    f.hair.stretch_limit = f.hair.velocity_limit = 0;
    fixture_helix(rest, POINTS, POINTS - 1, 1.7, 4.5);
    fixture_build(&f, RLT_SIMD_REFERENCE, rest, POINTS, 1, 0);
    f.kernel->free_root(f.tile);
    deform(rest, p, POINTS, 0.05, 1.02);
    for (int i = 0; i < POINTS; i++)
        v[i] = rlti_add(rlti_v3(20, 5, -3), rlti_cross(rlti_v3(2, 1, 3), p[i]));
    f.kernel->set_state(f.tile, 0, p, v);
    rlti_vec3 u = f.model->strands[0].root_direction, n = f.model->strands[0].root_normal, omega = {0, 0, 0};
    rlti_vec3 first_linear = {0, 0, 0}, first_angular = {0, 0, 0};
    double drift = 0, scale = 0, linear_scale = 0;
    *linear_drift = 0;
    for (int step = 0; step <= STEPS; step++) {
        if (step % 900 == 0) {
            rlti_vec3 linear = {0, 0, 0}, angular = rlti_scale(inertia, omega);
            f.kernel->get_state(f.tile, 0, p, v);
            for (int i = 0; i < POINTS; i++) {
                linear = rlti_madd(linear, f.model->mass[i], v[i]);
                angular = rlti_madd(angular, f.model->mass[i], rlti_cross(p[i], v[i]));
                linear_scale += step == 0 ? f.model->mass[i] * rlti_length(v[i]) : 0;
                scale += step == 0 ? f.model->mass[i] * rlti_length(rlti_cross(p[i], v[i])) : 0;
            }
            if (step == 0) {
                first_linear = linear;
                first_angular = angular;
            }
            double l = rlti_length(rlti_sub(linear, first_linear)) / linear_scale;
            double a = rlti_length(rlti_sub(angular, first_angular)) / scale;
            *linear_drift = l > *linear_drift ? l : *linear_drift;
            drift = a > drift ? a : drift;
        }
        f.kernel->set_root_frame(f.tile, 0, u, n);
        f.kernel->forces(f.tile, no_gravity);
        omega = rlti_madd(omega, f.force_step / inertia, f.kernel->root_torque(f.tile, 0));
        f.kernel->move(f.tile);
        double speed = rlti_length(omega);
        if (speed > 0) {
            rlti_quat turn = rlti_quat_axis_angle(rlti_scale(1 / speed, omega), speed * f.force_step);
            u = rlti_quat_rotate(turn, u);
            n = rlti_quat_rotate(turn, n);
        }
    }
    fixture_end(&f);
    return drift;
}

static void test_free_strand_keeps_momentum(void **state) {
    (void)state;
    double linear, angular = momentum_drift(RLTI_VARIATIONAL, &linear);
    print_message("variational: linear drift %.2g, angular drift %.2g over 10 frames\n", linear, angular);
    assert_true(linear < 1e-12);
    assert_true(angular < 1e-11);
}

/* Damped and thrown, in zero gravity: total energy at frame ends never grows. With `limiters` the throw is
 * hard enough that both limits act. */
static double energy_growth(const char *preset, rlti_formulation formulation, int free_root, int limiters,
                            double *end) {
    fixture f;
    rlti_vec3 rest[77], p[77], v[77];
    fixture_begin(&f, preset);
    f.hair.formulation = formulation;
    f.hair.stretch_limit = limiters ? 1.1 : 0;
    f.hair.velocity_limit = limiters ? 100 : 0;
    fixture_helix(rest, 77, 76, 1.7, 4.5);
    fixture_build(&f, RLT_SIMD_AUTO, rest, 77, 0, 10);
    deform(rest, p, 77, 0.02, limiters ? 1.15 : 1.05);
    for (int i = 0; i < 77; i++) {
        v[i] = rlti_cross(rlti_v3(4, 2, 1), p[i]);
        if (limiters)
            v[i] = rlti_add(v[i], rlti_v3(300 * rlti_random_signed(5, (uint64_t)i, 0), 0, 0));
    }
    v[0] = rlti_v3(0, 0, 0);
    for (int k = 0; k < f.kernel->lanes; k++)
        f.kernel->set_state(f.tile, k, p, v);
    if (free_root)
        f.kernel->free_root(f.tile);
    double start = fixture_energy(&f, 0, no_gravity), last = start, growth = 0;
    for (int frame = 0; frame < 24; frame++) {
        fixture_frame(&f, no_gravity);
        double now = fixture_energy(&f, 0, no_gravity);
        double g = isfinite(now) ? (now - last) / start : 1e9;
        growth = g > growth ? g : growth;
        last = now;
    }
    *end = last / start;
    fixture_end(&f);
    return growth;
}

static void test_damped_energy_never_grows(void **state) {
    (void)state;
    static const char *const presets[] = {"redhead", "horse", "straight", "wavy", "coil"};
    double end;
    for (int p = 0; p < 5; p++)
        for (int free_root = 0; free_root < 2; free_root++) {
            double growth = energy_growth(presets[p], RLTI_VARIATIONAL, free_root, 0, &end);
            print_message(
                "%-8s %s root, variational: greatest growth %.2g of the start, %.3g left after 1 s\n",
                presets[p], free_root ? "free" : "held", growth, end);
            assert_true(growth < 1e-4);
            assert_true(end < 0.9);
            growth = energy_growth(presets[p], RLTI_PAPER, free_root, 0, &end);
            print_message(
                "%-8s %s root, paper form:  greatest growth %.2g of the start, %.3g left after 1 s\n",
                presets[p], free_root ? "free" : "held", growth, end);
        }
}

static void test_limiters_take_energy_away(void **state) {
    (void)state;
    static const char *const presets[] = {"redhead", "horse", "straight", "wavy", "coil"};
    for (int p = 0; p < 5; p++) {
        double end, growth = energy_growth(presets[p], RLTI_VARIATIONAL, 0, 1, &end);
        print_message("%-8s thrown into its limits: greatest growth %.2g of the start, %.3g left after 1 s\n",
                      presets[p], growth, end);
        assert_true(growth < 1e-4);
        assert_true(end < 0.1);
    }
}

/* The checksum finds a change of any array, so that no checkpoint of another model is taken. */
static void test_the_checksum_covers_every_array(void **state) {
    (void)state;
    fixture f;
    rlti_vec3 rest[POINTS];
    fixture_begin(&f, "redhead");
    fixture_helix(rest, POINTS, 20.0, 1.0, 3.0);
    fixture_build(&f, RLT_SIMD_REFERENCE, rest, POINTS, 1, 5);
    double *const arrays[] = {f.model->stretch_k, f.model->stretch_c, f.model->stretch_limit,
                              f.model->bend_k,    f.model->bend_c,    &f.model->target[0][0],
                              f.model->core_rest, f.model->core_k,    f.model->core_dk,
                              f.model->core_c,    f.model->core_dc};
    uint64_t before = rlti_taz_model_checksum(f.model, 0);
    for (size_t a = 0; a < sizeof arrays / sizeof arrays[0]; a++) {
        double kept = arrays[a][POINTS / 2];
        arrays[a][POINTS / 2] = kept * 1.5 + 1.0;
        assert_true(rlti_taz_model_checksum(f.model, 0) != before);
        arrays[a][POINTS / 2] = kept;
    }
    assert_true(rlti_taz_model_checksum(f.model, 0) == before);
    fixture_end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filter_is_equation_2),
        cmocka_unit_test(test_filter_limits),
        cmocka_unit_test(test_filter_transpose),
        cmocka_unit_test(test_frames_stay_orthonormal_even_folded),
        cmocka_unit_test(test_degenerate_shapes_are_finite),
        cmocka_unit_test(test_forces_are_energy_gradients),
        cmocka_unit_test(test_paper_form_leaves_out_part),
        cmocka_unit_test(test_free_strand_keeps_momentum),
        cmocka_unit_test(test_damped_energy_never_grows),
        cmocka_unit_test(test_limiters_take_energy_away),
        cmocka_unit_test(test_the_checksum_covers_every_array),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
