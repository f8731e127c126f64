/* A groom that does not sag: equilibrium to rounding in both forms, stability, contacts, preload, what is
 * told. */
#include "run_fixture.h"
#include "strand_fixture.h"

#include "parallel/pool.h"
#include "solve/taz_sag.h"

enum { POINTS = 60 };

static const double gravity[3] = {0, -981, 0};

/* The fixture's only strand with its rest shape changed by `sag`, in a new tile. */
static rlti_sag_result hold(fixture *f, rlti_sag_data sag, const rlti_vec3 *loads) {
    f->hair.sag = sag;
    memcpy(f->data.gravity, gravity, sizeof gravity);
    rlti_pool *pool = rlti_pool_create(1);
    assert_non_null(pool);
    rlti_sag_result result;
    rlti_taz_sag_def def = {
        .scene = &f->data, .strands = &f->strands, .loads = loads, .force_step = f->force_step, .pool = pool};
    assert_true(rlti_sag_wanted(&f->data));
    assert_int_equal(rlti_taz_sag_apply(&def, f->model, NULL, &result), RLT_OK);
    rlti_pool_destroy(pool);

    f->kernel->destroy(f->tile);
    int id = 0;
    rlti_tile_def tile = {.model = f->model,
                          .hair = &f->hair,
                          .strands = &id,
                          .count = 1,
                          .force_step = f->force_step,
                          .damping_steps = 1};
    f->tile = f->kernel->create(&tile);
    assert_non_null(f->tile);
    f->kernel->bind(f->tile, f->scratch);
    return result;
}

static void put(fixture *f, const rlti_vec3 *points) {
    rlti_vec3 zero[POINTS] = {{0, 0, 0}};
    f->kernel->set_state(f->tile, 0, points, zero);
    f->kernel->set_root_frame(f->tile, 0, f->model->strands[0].root_direction,
                              f->model->strands[0].root_normal);
}

/* Greatest acceleration of a point in this pose, as a multiple of gravity. */
static double unrest(fixture *f, const rlti_vec3 *points, const rlti_vec3 *loads) {
    rlti_vec3 position[POINTS], velocity[POINTS];
    put(f, points);
    f->kernel->forces(f->tile, gravity);
    f->kernel->get_state(f->tile, 0, position, velocity);
    double worst = 0.0;
    for (int i = 1; i < f->points; i++) {
        rlti_vec3 a = rlti_scale(1.0 / f->force_step, velocity[i]);
        if (loads != NULL)
            a = rlti_add(a, rlti_scale(1.0 / f->model->mass[i], loads[i]));
        worst = fmax(worst, rlti_length(a) / 981.0);
    }
    return worst;
}

static const rlti_sag_data solve = {
    .mode = RLTI_SAG_SOLVE, .amount = 1, .limit = 1.2, .stiffen = 1000, .check = 1};

/* A curl that grows out sideways, so that every edge is bent by the weight beyond it. */
static void slanted_helix(rlti_vec3 *p) {
    fixture_helix(p, POINTS, POINTS - 1, 1.6, 3.2);
    rlti_quat turn = rlti_quat_axis_angle(rlti_v3(0, 0, 1), 1.0);
    for (int i = 0; i < POINTS; i++)
        p[i] = rlti_quat_rotate(turn, p[i]);
}

static void begin(fixture *f, const char *preset, rlti_formulation form, rlti_vec3 *rest) {
    slanted_helix(rest);
    fixture_begin(f, preset);
    f->hair.formulation = form;
    fixture_build(f, RLT_SIMD_REFERENCE, rest, POINTS, 1, 1);
}

/* Residual force below 1e-9 of what is carried, in the double reference kernel. */
static void test_the_groom_is_in_equilibrium(void **state) {
    (void)state;
    const char *presets[] = {"redhead", "straight", "wavy", "coil", "horse"};
    for (size_t k = 0; k < 2 * sizeof presets / sizeof presets[0]; k++) {
        fixture f;
        rlti_vec3 rest[POINTS];
        begin(&f, presets[k / 2], k % 2 ? RLTI_PAPER : RLTI_VARIATIONAL, rest);
        double before = unrest(&f, rest, NULL);
        rlti_sag_result result = hold(&f, solve, NULL);
        double after = unrest(&f, rest, NULL);
        print_message("%s, %s: %.3g g before, %.2g g after, |t|/|e| %.3f, stiffened %.3g\n", presets[k / 2],
                      k % 2 ? "paper" : "variational", before, after, result.ratio, result.factor);
        assert_true(before > 0.9);
        assert_true(after < 1e-9 * POINTS); /* of the weight that the first edge carries */
        assert_true(result.solved);
        assert_true(result.ratio < 1.2001);
        assert_int_equal(result.stable, k % 2 ? 2 : 1);
        fixture_end(&f);
    }
}

/* Other forces at rest take part. */
static void test_loads_are_carried(void **state) {
    (void)state;
    fixture f;
    rlti_vec3 rest[POINTS], loads[POINTS];
    for (int i = 0; i < POINTS; i++)
        loads[i] = rlti_scale(300, rlti_v3(rlti_random_signed(3, (uint64_t)i, 0),
                                           rlti_random_signed(3, (uint64_t)i, 1),
                                           rlti_random_signed(3, (uint64_t)i, 2)));
    begin(&f, "redhead", RLTI_VARIATIONAL, rest);
    hold(&f, solve, loads);
    assert_true(unrest(&f, rest, loads) < 1e-9 * POINTS);
    assert_true(unrest(&f, rest, NULL) > 0.01);
    fixture_end(&f);
}

/* The energy of stretch, bending, core and weight along a random direction through the groom: no slope, and
 * it rises to both sides. By finite differences of the kernel's energies, so it also tells that the look at
 * stability is right. */
static void energies(fixture *f, const rlti_vec3 *rest, int seed, double size, double out[3]) {
    for (int k = 0; k < 3; k++) {
        rlti_vec3 p[POINTS], sum = rlti_v3(0, 0, 0);
        for (int i = 0; i < POINTS; i++) {
            rlti_vec3 d = rlti_v3(rlti_random_signed((uint64_t)seed, (uint64_t)i, 0),
                                  rlti_random_signed((uint64_t)seed, (uint64_t)i, 1),
                                  rlti_random_signed((uint64_t)seed, (uint64_t)i, 2));
            /* across the edge, so that the stiff stretch does not drown the rest */
            if (i > 0) {
                rlti_vec3 e = rlti_normalize(rlti_sub(rest[i], rest[i - 1]));
                sum = rlti_add(sum, rlti_madd(d, -rlti_dot(d, e), e));
            }
            p[i] = rlti_madd(rest[i], (k - 1) * size, sum);
        }
        put(f, p);
        out[k] = fixture_energy(f, 0, gravity);
    }
}

static void test_the_energy_is_least_at_the_groom(void **state) {
    (void)state;
    fixture f;
    rlti_vec3 rest[POINTS];
    begin(&f, "redhead", RLTI_VARIATIONAL, rest);
    hold(&f, solve, NULL);
    const double size = 1e-5;
    for (int seed = 1; seed <= 20; seed++) {
        double e[3];
        energies(&f, rest, seed, size, e);
        double slope = (e[2] - e[0]) / (2.0 * size), bend = (e[2] - 2.0 * e[1] + e[0]) / (size * size);
        assert_true(bend > 0.0);
        assert_true(fabs(slope) < 1e-3 * 981.0); /* of one point's weight; rounding of the energy decides */
    }
    fixture_end(&f);
}

static void test_soft_hair_is_told_when_it_may_not_be_stiffened(void **state) {
    (void)state;
    fixture f;
    rlti_vec3 rest[POINTS];
    rlti_sag_data as_it_is = solve;
    as_it_is.stiffen = 1.0;
    begin(&f, "redhead", RLTI_VARIATIONAL, rest);
    rlti_sag_result result = hold(&f, as_it_is, NULL);
    assert_true(unrest(&f, rest, NULL) < 1e-9 * POINTS); /* in equilibrium all the same */
    assert_int_equal(result.stable, 0);
    assert_true(result.ratio > 5.0);
    assert_true(result.factor == 1.0);
    fixture_end(&f);
}

/* However soft the hair, the step's limit for stiffness is not passed, and hair without bending springs is
 * told. */
static void test_stiffness_stays_within_the_step(void **state) {
    (void)state;
    fixture f;
    rlti_vec3 rest[POINTS];
    slanted_helix(rest);
    fixture_begin(&f, "redhead");
    f.force_step *= 2.0; /* hardly enough for the stretch springs */
    for (int k = 0; k < f.hair.bend_stiffness.count; k++)
        f.hair.bend_stiffness.value[k] = 1.0;
    fixture_build(&f, RLT_SIMD_REFERENCE, rest, POINTS, 1, 1);
    assert_true(rlti_taz_model_load(f.model, f.force_step, 10).force < 1.0);
    rlti_sag_data any = solve;
    any.limit = 1.01;
    any.stiffen = 1e6;
    rlti_sag_result result = hold(&f, any, NULL);
    assert_true(result.factor > 100.0);
    assert_true(rlti_taz_model_load(f.model, f.force_step, 10).force <= 1.0 + 1e-12);
    fixture_end(&f);

    fixture_begin(&f, "redhead");
    for (int k = 0; k < f.hair.bend_stiffness.count; k++)
        f.hair.bend_stiffness.value[k] = 0.0;
    fixture_build(&f, RLT_SIMD_REFERENCE, rest, POINTS, 1, 1);
    result = hold(&f, solve, NULL);
    assert_false(result.solved);
    fixture_end(&f);
}

/* Summed mass with c = 1 is exact in the paper's form; c = 1/2 leaves half of the weight; a point's own mass
 * leaves all but its own; and the variational form knows only the solve. */
static void test_preload(void **state) {
    (void)state;
    const struct {
        double amount;
        rlti_sag_mass mass;
        rlti_formulation form;
        double least, most; /* [g] */
    } cases[] = {{1.0, RLTI_SAG_SUMMED, RLTI_PAPER, 0.0, 1e-9 * POINTS},
                 {0.5, RLTI_SAG_SUMMED, RLTI_PAPER, 0.5 - 1e-9, 0.5 + 1e-9},
                 {0.0, RLTI_SAG_SUMMED, RLTI_PAPER, 1.0 - 1e-9, 1.0 + 1e-9},
                 {1.0, RLTI_SAG_POINT, RLTI_PAPER, 0.1, 3.0},
                 {1.0, RLTI_SAG_SUMMED, RLTI_VARIATIONAL, 0.1, 1e5}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        fixture f;
        rlti_vec3 rest[POINTS];
        rlti_sag_data preload = {.mode = RLTI_SAG_PRELOAD, .amount = cases[k].amount, .mass = cases[k].mass};
        begin(&f, "redhead", cases[k].form, rest);
        rlti_sag_result result = hold(&f, preload, NULL);
        double left = unrest(&f, rest, NULL);
        print_message("preload %g: %.3g g left\n", cases[k].amount, left);
        assert_true(left >= cases[k].least && left <= cases[k].most);
        assert_true(result.factor == 1.0 && !result.solved);
        fixture_end(&f);
    }
}

/* ---- whole scenes ---- */

static const char head[] =
    "time: {last: 200, outer_steps: 60, force_steps: 15, damping_steps: 4}\n"
    "character: {kind: head, resolution: 16}\n"
    "hair: {name: curls, preset: redhead, region: scalp, count: 12, total_points: 480, length: 38, seed: 4,"
    " variation: 0.3, contact: {radius: 6, groom: %s}, sag: {mode: %s}}\n";

/* Greatest way of a point from the groom, as a share of its strand's length. */
static double way(const run *r) {
    rlt_frame_view v = run_view(r);
    double worst = 0.0;
    for (int s = 0; s < v.strand_count; s++) {
        double length = 0.0, most = 0.0;
        for (int p = v.first[s]; p < v.first[s + 1]; p++) {
            if (p > v.first[s])
                length += run_distance(v.rest + 3 * p, v.rest + 3 * p - 3);
            most = fmax(most, run_distance(v.points + 3 * p, v.rest + 3 * p));
        }
        worst = fmax(worst, most / length);
    }
    return worst;
}

static double way_after(const char *groom, const char *mode, int frames, rlt_statistics *stats) {
    run r;
    run_begin(&r, RLT_SIMD_AUTO, 1, head, groom, mode);
    run_frames(&r, frames);
    rlt_simulation_statistics(r.simulation, stats);
    double result = way(&r);
    run_end(&r);
    return result;
}

/* With contacts that push in the groom, too. */
static void test_a_head_of_hair_stands_still(void **state) {
    (void)state;
    rlt_statistics stats = {.size = sizeof stats};
    double off = way_after("keep", "off", 3, &stats);
    double keep = way_after("keep", "solve", 6, &stats), push = way_after("push", "solve", 6, &stats);
    print_message(
        "way from the groom: %.2g off, %.2g solve, %.2g solve with %lld pushing contacts of %lld pairs\n",
        off, keep, push, stats.hair_contacts_worst, stats.edges);
    assert_true(stats.hair_contacts > 0); /* or it says nothing about them */
    assert_true(off > 0.02);
    assert_true(keep < 1e-4);
    assert_true(push < 1e-3);
}

static void test_a_kick_dies_out(void **state) {
    (void)state;
    run r;
    const double kick[3] = {1, 0, 0};
    run_begin(&r, RLT_SIMD_AUTO, 2, head, "keep", "solve");
    rlt_simulation_kick(r.simulation, kick);
    rlt_frame_view v = run_view(&r);
    assert_true(v.velocities[0] == 0.0 && v.velocities[3] == 1.0); /* not the root */
    double most = 0.0;
    for (int frame = 0; frame < 24; frame++) {
        run_frames(&r, 1);
        most = fmax(most, way(&r));
    }
    print_message("way after a kick: up to %.2g, after a second %.2g\n", most, way(&r));
    assert_true(most > 1e-3 && most < 0.01);
    assert_true(way(&r) < 0.6 * most);
    run_end(&r);
}

static void test_threads_do_not_matter_and_it_is_told(void **state) {
    (void)state;
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        run r;
        run_begin(&r, RLT_SIMD_AUTO, 1 + 2 * k, head, "push", "solve");
        run_frames(&r, 1);
        hash[k] = rlt_simulation_hash(r.simulation);
        rlt_statistics s = {.size = sizeof s};
        rlt_simulation_statistics(r.simulation, &s);
        assert_int_equal(s.sag.strands, 12);
        assert_int_equal(s.sag.solved, 12);
        assert_int_equal(s.sag.unstable, 0);
        assert_int_equal(s.sag.unchecked, 0);
        assert_true(s.sag.stiffened > 0 && s.sag.factor > 1.0 && s.sag.worst >= 0);
        int told = 0;
        for (int i = 0; i < rlt_messages_count(r.messages); i++)
            told += strstr(rlt_messages_text(r.messages, i), "hair 'curls': sag: 12 of 12 strands") != NULL;
        assert_int_equal(told, 1);
        run_end(&r);
    }
    assert_true(hash[0] == hash[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_groom_is_in_equilibrium),
        cmocka_unit_test(test_loads_are_carried),
        cmocka_unit_test(test_the_energy_is_least_at_the_groom),
        cmocka_unit_test(test_soft_hair_is_told_when_it_may_not_be_stiffened),
        cmocka_unit_test(test_stiffness_stays_within_the_step),
        cmocka_unit_test(test_preload),
        cmocka_unit_test(test_a_head_of_hair_stands_still),
        cmocka_unit_test(test_a_kick_dies_out),
        cmocka_unit_test(test_threads_do_not_matter_and_it_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
