/* Contacts solved with strands: Coulomb's law to rounding, one contact and many, against other algorithms. */

#include "contact/couple/couple_edges.h"
#include "contact/edge/missed.h"
#include "couple_fixture.h"

/* ---- one contact ---- */

static rlti_coulomb_state solve_one(const double w[3][3], const double c[3], const double mu[2],
                                    double r[3]) {
    rlti_coulomb_block block;
    double lambda = 0.0;
    rlti_coulomb_prepare(w, &block);
    return rlti_coulomb_solve(&block, c, mu, &lambda, r);
}

/* Wherever a solution begins, it comes to the same force. */
static void check_starts(const double w[3][3], const double c[3], const double mu[2], const double r[3]) {
    static const double starts[] = {1e-12, 1e-3, 1.0, 1e4, 1e30, HUGE_VAL};
    rlti_coulomb_block block;
    rlti_coulomb_prepare(w, &block);
    for (size_t k = 0; k < sizeof starts / sizeof *starts; k++) {
        double lambda = starts[k], again[3];
        assert_int_equal(rlti_coulomb_solve(&block, c, mu, &lambda, again), RLTI_CONTACT_SLIP);
        for (int i = 0; i < 3; i++)
            assert_true(fabs(again[i] - r[i]) <= 1e-9 * (1.0 + mu[1]) * r[0]);
    }
}

/* Q diag Q^T with a random rotation and eigenvalues over so many powers of ten. */
static void random_block(uint64_t seed, double powers, double w[3][3]) {
    rlti_vec3 a = rlti_normalize(rlti_v3(roll(seed, 0), roll(seed, 1), roll(seed, 2))),
              b = rlti_normalize(rlti_cross(a, rlti_v3(roll(seed, 3), roll(seed, 4), roll(seed, 5)))),
              axes[3] = {a, b, rlti_cross(a, b)};
    memset(w, 0, sizeof(double[3][3]));
    for (int k = 0; k < 3; k++) {
        double axis[3], value = pow(10.0, powers * roll(seed, 6 + k));
        rlti_v3_put(axis, axes[k]);
        for (int i = 0; i < 9; i++)
            w[i / 3][i % 3] += value * axis[i / 3] * axis[i % 3];
    }
}

static void displacement(const double w[3][3], const double r[3], const double c[3], double u[3]) {
    for (int i = 0; i < 3; i++)
        u[i] = w[i][0] * r[0] + w[i][1] * r[1] + w[i][2] * r[2] + c[i];
}

static void one_contact(void **state) {
    (void)state;
    int states[3] = {0};
    for (int id = 0; id < 100000; id++) {
        uint64_t seed = (uint64_t)id;
        double w[3][3], r[3], u[3], c[3] = {roll(seed, 20), roll(seed, 21), roll(seed, 22)};
        double mu[2] = {fabs(roll(seed, 23)) * (id % 3 == 0 ? 5.0 : 1.0), 0.0}, size = 0.0;
        random_block(seed, id % 2 ? 1.0 : 2.5, w);
        for (int k = 0; k < 9 && id % 5 == 0; k++) /* as of lumped masses, with compliance */
            w[k / 3][k % 3] = k % 4 != 0 ? 0.0 : (k == 0 ? 1.1 : 1.0) * fabs(w[1][1]);
        mu[1] = id % 4 == 0 ? 0.7 * mu[0] : (id % 17 == 0 ? 0.0 : mu[0]);
        rlti_coulomb_state found = solve_one((const double(*)[3])w, c, mu, r);
        states[found]++;
        displacement((const double(*)[3])w, r, c, u);
        for (int k = 0; k < 9; k++)
            size = fmax(size, fabs(w[k / 3][k % 3]));
        double force = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
        check_law(u, r, mu, fmax(1.0, size * force), fmax(force, 1.0 / size), 1e-10);
        assert_true((found == RLTI_CONTACT_OPEN) == (c[0] >= 0.0));
        if (found == RLTI_CONTACT_SLIP && id % 8 == 1)
            check_starts((const double(*)[3])w, c, mu, r);
    }
    assert_true(states[0] > 30000 && states[1] > 2000 && states[2] > 5000);
}

/* Another algorithm: scan directions of the slip for those in which the displacement goes where it should. */
static int matches_scan(const double w[3][3], const double c[3], double mu, const double r[3]) {
    const int parts = 2000;
    double before = 0.0;
    for (int i = 0; i <= parts; i++) {
        double from = 2.0 * RLTI_PI * (i - 1) / parts, to = 2.0 * RLTI_PI * i / parts, force[3], u[3],
               value = 0.0;
        for (int k = 0, end = 1; k <= end; k++) {
            double angle = k == 0 ? to : 0.5 * (from + to), x = cos(angle), y = sin(angle);
            double bottom = w[0][0] - mu * (w[0][1] * x + w[0][2] * y);
            force[0] = -c[0] / bottom;
            force[1] = -mu * force[0] * x;
            force[2] = -mu * force[0] * y;
            displacement(w, force, c, u);
            double turn = (x * u[2] - y * u[1]) * bottom; /* without the pole */
            if (k == 0) {
                value = turn;
                end = i > 0 && (turn < 0.0) != (before < 0.0) ? 60 : 0;
            } else if ((turn < 0.0) == (before < 0.0))
                from = angle;
            else
                to = angle;
            if (k == end && end > 0 && force[0] > 0.0 && x * u[1] + y * u[2] >= 0.0) {
                double apart = fabs(force[0] - r[0]) + fabs(force[1] - r[1]) + fabs(force[2] - r[2]);
                if (apart <= 1e-8 * (r[0] + mu * r[0]))
                    return 1;
            }
        }
        before = value;
    }
    return 0;
}

static void one_contact_by_scanning(void **state) {
    (void)state;
    int slips = 0;
    for (int id = 0; id < 1500; id++) {
        uint64_t seed = 500000 + (uint64_t)id;
        double w[3][3], r[3], c[3] = {-fabs(roll(seed, 20)), roll(seed, 21), roll(seed, 22)};
        double mu[2] = {0.05 + fabs(roll(seed, 23)), 0.0};
        mu[1] = mu[0];
        random_block(seed, 0.5, w);
        if (solve_one((const double(*)[3])w, c, mu, r) != RLTI_CONTACT_SLIP)
            continue;
        slips++;
        assert_true(matches_scan((const double(*)[3])w, c, mu[0], r));
    }
    assert_true(slips > 300);
}

/* A block on a plane: sticks where tan a <= mu, else slides with g (sin a - mu cos a). */
static void incline(void **state) {
    (void)state;
    const double h = 1.0 / 24.0, g = 981.0, m = 0.37, w = h * h / m;
    const double block[3][3] = {{w, 0, 0}, {0, w, 0}, {0, 0, w}};
    const double by[6] = {-0.02, -1e-9, -1e-12, 1e-12, 1e-9, 0.02};
    for (int degrees = 5; degrees < 80; degrees += 7)
        for (int k = 0; k < 6; k++) {
            double a = degrees * RLTI_PI / 180.0, mu = tan(a) * (1.0 + by[k]), both[2] = {mu, mu}, r[3], u[3];
            double c[3] = {-h * h * g * cos(a), h * h * g * sin(a) * cos(0.3), h * h * g * sin(a) * sin(0.3)};
            rlti_coulomb_state found = solve_one(block, c, both, r);
            assert_int_equal(found, by[k] > 0.0 ? RLTI_CONTACT_STICK : RLTI_CONTACT_SLIP);
            displacement(block, r, c, u);
            double slid = hypot(u[1], u[2]) / (h * h), expected = fmax(0.0, g * (sin(a) - mu * cos(a)));
            assert_true(fabs(slid - expected) < 1e-9 * g);
            assert_true(fabs(r[0] - m * g * cos(a)) < 1e-9 * m * g);
        }
}

static void odd_contacts(void **state) {
    (void)state;
    const double good[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, none[3][3] = {{0}},
                 bad[3][3] = {{1, 2, 0}, {2, 1, 0}, {0, 0, 1}}, mu[2] = {0.5, 0.4}, less[2] = {-1.0, -1.0},
                 nothing[2] = {0.0, 0.0}, c[3] = {-1, 3, 0}, odd[3] = {-1, NAN, 0}, still[3] = {-1, 0, 0};
    double r[3];
    assert_int_equal(solve_one(none, c, mu, r), RLTI_CONTACT_OPEN);
    assert_int_equal(solve_one(bad, c, mu, r), RLTI_CONTACT_OPEN);
    assert_int_equal(solve_one(good, odd, mu, r), RLTI_CONTACT_OPEN);
    assert_true(r[0] == 0.0 && r[1] == 0.0 && r[2] == 0.0);
    assert_int_equal(solve_one(good, c, nothing, r), RLTI_CONTACT_SLIP);
    assert_true(r[0] == 1.0 && r[1] == 0.0);
    assert_int_equal(solve_one(good, c, less, r), RLTI_CONTACT_SLIP); /* negative friction is none */
    assert_true(r[0] == 1.0 && r[1] == 0.0);
    assert_int_equal(solve_one(good, still, nothing, r), RLTI_CONTACT_STICK);
    assert_int_equal(solve_one(good, c, mu, r), RLTI_CONTACT_SLIP);
    assert_true(fabs(r[1] + 0.4) < 1e-14);
}

/* ---- many contacts ---- */

/* Measured where the solution has points, contacts are as the solution has said; where points have not moved
 * at all, they are as deep as they were given. */
static void check_again(world *w, rlti_couple_settings settings, const rlti_couple_result *result) {
    rlti_couple_result again = *result;
    double deepest = 0.0;
    for (int k = 0; k < w->count; k++)
        deepest = fmax(deepest, -w->contacts[k].gap);
    rlti_couple_measure_again(w->couple, w->pool, &w->strands, &settings, w->contacts, w->count, w->links,
                              w->link_count, w->moved, &again);
    assert_memory_equal(&again, result, sizeof again);
    memset(w->moved, 0, sizeof w->moved);
    rlti_couple_measure_again(w->couple, w->pool, &w->strands, &settings, w->contacts, w->count, w->links,
                              w->link_count, w->moved, &again);
    assert_true(deepest > 0.01 && fabs(again.deepest - deepest) < 1e-14 && again.residual > 0.01);
    assert_int_equal(again.iterations, result->iterations);
}

/* Every contact's law holds, however soft or stiff the strands, whichever block. */
static void many_contacts(void **state) {
    (void)state;
    const double stretch[3] = {0.0, 50.0, 2000.0}, bend[3] = {0.0, 20.0, 300.0};
    int sticking = 0;
    for (int k = 0; k < 9; k++) {
        world *w = make_world(stretch[k % 3], bend[k % 3], 0, 4, 1);
        add_contacts(w, (uint64_t)k, 20, 3, k % 2 ? 0.9 : 0.3);
        rlti_couple_result result = run(w, exact[k / 3]);
        assert_true(result.residual <= 1e-14 && result.unresolved == 0);
        assert_true(result.touching > 8 && result.slipping > 0);
        sticking += result.touching - result.slipping;
        assert_true(result.deepest <= 1e-12 && result.contacts == 20);
        assert_true(check_motion(w) > 0.01);
        check_contacts(w, 1e-10);
        check_again(w, exact[k / 3], &result);
        free_world(w);
    }
    assert_true(sticking > 10);
}

/* Less friction where it slips than where it sticks: it may not hold for both, and ends all the same. */
static void static_and_kinetic(void **state) {
    (void)state;
    for (int k = 0; k < 6; k++) {
        world *w = make_world(2000.0, 300.0, 0, 4, 1);
        add_contacts(w, (uint64_t)k, 20, 3, 0.4);
        for (int i = 0; i < 20; i++)
            w->contacts[i].friction[1] = 0.3;
        rlti_couple_result result = run(w, exact[k % 3]);
        assert_true(result.residual <= 1e-14);
        check_motion(w);
        check_contacts(w, 1e-10);
        free_world(w);
    }
}

/* By how much a force is outside of its cone, of its normal part. */
static double cone_excess(const rlti_couple_contact *c) {
    double along = rlti_dot(c->force, c->normal);
    double across = rlti_length(rlti_madd(c->force, -along, c->normal));
    return fmax(-along, (across - c->friction[0] * along) / fmax(along, 1e-9));
}

/* One contact a strand: its block of the inverse is all there is. With many, and stiff strands, iterations
 * are many, unless they are accelerated (docs/design/strand-contacts.md has the table). */
static void blocks_compared(void **state) {
    (void)state;
    const double stretch[4] = {0.0, 50.0, 2000.0, 2e5}, bend[4] = {0.0, 20.0, 300.0, 3000.0};
    for (int k = 0; k < 16; k++) {
        int few = k < 8, iterations[2];
        for (int accelerate = 0; accelerate < 2; accelerate++) {
            world *w = make_world(stretch[k % 4], bend[k % 4], 0, 4, 1);
            rlti_couple_settings settings = exact[k / 4 % 2];
            settings.tolerance = 1e-6;
            settings.accelerate = accelerate;
            settings.max_cbs = accelerate ? 1000 : 400;
            add_contacts(w, 3, few ? STRANDS / 2 : 5 * STRANDS, 0, 0.3);
            for (int c = 0; c < w->count && few; c++)
                for (int side = 0; side < 2; side++)
                    w->contacts[c].strand[side] = 2 * c + side;
            rlti_couple_result result = run(w, settings);
            assert_true(result.residual <= 1e-6 || (!accelerate && result.iterations == 400));
            assert_true((result.unresolved > 0) == (result.residual > 1e-6));
            iterations[accelerate] = result.iterations;
            check_motion(w);
            for (int c = 0; c < w->count; c++) /* however far it has come, no force is outside of its cone */
                assert_true(cone_excess(&w->contacts[c]) <= 1e-12);
            free_world(w);
        }
        assert_true(iterations[1] <= iterations[0] || iterations[0] == 400);
        assert_true(k / 4 != 1 || iterations[0] == 1);
    }
}

/* ---- another algorithm: De Saxce's fixed point, contact by contact, on displacements of the whole ---- */

static rlti_vec3 project(rlti_vec3 r, rlti_vec3 n, double mu) {
    double along = rlti_dot(r, n);
    rlti_vec3 across = rlti_madd(r, -along, n);
    double length = rlti_length(across);
    if (length <= mu * along)
        return r;
    if (mu * length <= -along)
        return rlti_v3(0, 0, 0);
    double push_n = (along + mu * length) / (1.0 + mu * mu);
    return rlti_add(rlti_scale(push_n, n), rlti_scale(mu * push_n / length, across));
}

/* Adds the motion that a force at a contact causes. */
static void add_motion(const world *w, const rlti_couple_contact *c, rlti_vec3 force, rlti_vec3 *moved) {
    for (int side = 0; side < 2; side++) {
        if (c->strand[side] < 0)
            continue;
        rlti_vec3 f[POINTS], x[POINTS];
        double sign = side == 0 ? 1.0 : -1.0;
        memset(f, 0, sizeof f);
        f[c->edge[side]] = rlti_scale(sign * (1.0 - c->share[side]), force);
        f[c->edge[side] + 1] = rlti_scale(sign * c->share[side], force);
        solve_dense(w, c->strand[side], f, x);
        for (int i = 0; i < POINTS; i++)
            moved[w->first[c->strand[side]] + i] = rlti_add(moved[w->first[c->strand[side]] + i], x[i]);
    }
}

static rlti_vec3 relative(const world *w, const rlti_couple_contact *c, const rlti_vec3 *moved) {
    rlti_vec3 sum = rlti_v3(0, 0, 0);
    for (int side = 0; side < 2; side++)
        if (c->strand[side] >= 0) {
            const rlti_vec3 *x = moved + w->first[c->strand[side]] + c->edge[side];
            rlti_vec3 at = rlti_add(rlti_scale(1.0 - c->share[side], x[0]), rlti_scale(c->share[side], x[1]));
            sum = side == 0 ? rlti_add(sum, at) : rlti_sub(sum, at);
        }
    return sum;
}

static void same_as_de_saxce(void **state) {
    (void)state;
    world *w = make_world(50.0, 20.0, 0, 4, 1);
    add_contacts(w, 11, 14, 3, 0.3);
    rlti_couple_result result = run(w, exact[0]);
    assert_true(result.touching > 4);
    rlti_vec3 moved[ALL], force[MOST];
    memcpy(moved, w->free, sizeof moved);
    memset(force, 0, sizeof force);
    for (int sweep = 0; sweep < 20000; sweep++)
        for (int k = 0; k < w->count; k++) {
            const rlti_couple_contact *c = &w->contacts[k];
            rlti_vec3 n = c->normal, x = relative(w, c, moved), slid = rlti_add(x, c->slip);
            slid = rlti_madd(slid, -rlti_dot(slid, n), n);
            double up = c->gap + rlti_dot(n, x) + c->friction[0] * rlti_length(slid);
            rlti_vec3 u = rlti_add(rlti_scale(up, n), slid), next;
            next = project(rlti_madd(force[k], -20.0, u), n, c->friction[0]);
            add_motion(w, c, rlti_sub(next, force[k]), moved);
            force[k] = next;
        }
    for (int k = 0; k < w->count; k++)
        assert_true(rlti_length(rlti_sub(force[k], w->contacts[k].force)) < 1e-7);
    for (int p = 0; p < ALL; p++)
        assert_true(rlti_length(rlti_sub(moved[p], w->moved[p])) < 1e-9);
    free_world(w);
}

/* ---- momentum, impossible sets, order, threads ---- */

static void momentum(void **state) {
    (void)state;
    for (int k = 0; k < 8; k++) { /* the last four in single precision */
        world *w = make_world(50.0, 20.0, 1, 3, 1);
        add_contacts(w, 20 + (uint64_t)k, 40, 0, 0.4);
        run(w, (rlti_couple_settings){(rlti_couple_block)(k % 2), k % 4 < 2 ? 3 : 50, 3, 0.0, 0.0, k % 4 > 1,
                                      0, 0, k > 3});
        rlti_vec3 sum = rlti_v3(0, 0, 0);
        double size = 0.0;
        for (int p = 0; p < ALL; p++) {
            rlti_vec3 change = rlti_scale(w->mass[p], rlti_sub(w->moved[p], w->free[p]));
            sum = rlti_add(sum, change);
            size += rlti_length(change);
        }
        assert_true(size > 0.01);
        assert_true(rlti_length(sum) < 1e-12 * size); /* converged or not */
        free_world(w);
    }
}

/* A place on a hair in a vice that is too narrow by 0.05, and one more contact that has nothing to do with
 * it. */
static void make_vice(world *w) {
    memset(w->free, 0, sizeof w->free);
    w->count = 3;
    for (int c = 0; c < 3; c++)
        w->contacts[c] = (rlti_couple_contact){.strand = {c < 2 ? 2 : 5, -1},
                                               .edge = {4, 0},
                                               .share = {0.5, 0.0},
                                               .normal = rlti_v3(0, c == 1 ? -1 : 1, 0),
                                               .gap = c == 0 ? -0.03 : (c == 1 ? -0.02 : -0.01),
                                               .slip = rlti_v3(0.01, 0, 0),
                                               .friction = {0.3, 0.3}};
}

/* With compliance both sides give way alike, and forces stay below what that takes; without it they grow
 * for ever. Hair stays where it is either way. */
static void impossible_sets(void **state) {
    (void)state;
    for (int kind = 0; kind < 8; kind++) {
        double force[2], compliance = kind & 4 ? 0.0 : 0.01;
        for (int k = 0; k < 2; k++) {
            world *w = make_world(50.0, 20.0, 0, 4, 1);
            make_vice(w);
            rlti_couple_result result = run(
                w, (rlti_couple_settings){(rlti_couple_block)(kind & 1), k == 0 ? 300 : 3000, 3,
                                          compliance > 0.0 ? 0.0 : 1e-6, compliance, kind >> 1 & 1, 0, 0, 0});
            assert_true(compliance > 0.0 ? fabs(result.deepest - 0.025) < 1e-3 : result.deepest <= 0.0501);
            assert_true(compliance > 0.0 || result.unresolved >= 1);
            for (int p = 0; p < ALL; p++)
                assert_true(rlti_length(w->moved[p]) < 0.05);
            force[k] = rlti_length(w->contacts[0].force) + rlti_length(w->contacts[1].force);
            assert_true(compliance == 0.0 || result.residual < 0.006);
            const rlti_couple_lumps *lumps = w->couple->lumps;
            double give =
                kind & 1 ? w->couple->locals[0].give : 1.0 / lumps[0].inverse[0][0] - lumps[0].model[0];
            /* 0.05 over the compliance, and friction */
            assert_true(compliance == 0.0 || force[k] < 0.05 * sqrt(1.0 + 0.09) / give);
            assert_true(fabs(0.5 * (w->moved[5 * POINTS + 4].y + w->moved[5 * POINTS + 5].y) - 0.01) < 1e-3);
            free_world(w);
        }
        assert_true(compliance == 0.0 ? force[1] > 5.0 * force[0] : force[1] < 2.0 * force[0]);
    }
}

static void shuffle(world *w, uint64_t seed, int *place) {
    rlti_couple_contact kept[MOST];
    for (int k = 0; k < w->count; k++)
        place[k] = k;
    for (int k = w->count - 1; k > 0; k--) {
        int other = (int)(rlti_random(seed, (uint64_t)k, 0) * (k + 1)), swap = place[k];
        place[k] = place[other];
        place[other] = swap;
    }
    memcpy(kept, w->contacts, sizeof kept);
    for (int k = 0; k < w->count; k++)
        w->contacts[k] = kept[place[k]];
}

/* How far results are apart when the same contacts stand in another order. */
static double apart_by_order(rlti_couple_settings settings) {
    world *w = make_world(50.0, 20.0, 0, 4, 1);
    rlti_vec3 moved[ALL];
    int place[MOST];
    double most = 0.0;
    add_contacts(w, 31, 60, 4, 0.3);
    run(w, settings);
    memcpy(moved, w->moved, sizeof moved);
    for (uint64_t seed = 0; seed < 5; seed++) {
        shuffle(w, seed, place);
        run(w, settings);
        for (int p = 0; p < ALL; p++)
            most = fmax(most, rlti_length(rlti_sub(moved[p], w->moved[p])));
    }
    free_world(w);
    return most;
}

static void order(void **state) {
    (void)state;
    double few = apart_by_order((rlti_couple_settings){RLTI_COUPLE_LUMPED, 3, 3, 0.0, 0.0, 0, 0, 0, 0}),
           many = apart_by_order((rlti_couple_settings){RLTI_COUPLE_LUMPED, 30, 3, 0.0, 0.0, 0, 0, 0, 0}),
           all = apart_by_order(exact[0]),
           inverse = apart_by_order((rlti_couple_settings){RLTI_COUPLE_INVERSE, 3, 3, 0.0, 0.0, 0, 0, 0, 0});
    print_message(
        "another order: %.1e after 3 iterations, %.1e after 30, %.1e converged, %.1e by inverse blocks\n",
        few, many, all, inverse);
    assert_true(few < 0.02 && many < few && all < 1e-10);
    assert_true(inverse < 1e-14); /* each contact for itself: rounding of sums only */
}

/* Sweeps in single precision come to the same, as far as it goes; and leave nothing behind for those in
 * double precision that follow. */
static void single_precision(void **state) {
    (void)state;
    const int iterations[3] = {3, 30, 3000};
    const double most[3] = {1e-7, 1e-5, 1e-5}; /* displacements are up to 0.1 */
    for (int k = 0; k < 3; k++) {
        world *w = make_world(50.0, 20.0, 0, 4, 1);
        rlti_couple_settings settings = {RLTI_COUPLE_LUMPED, iterations[k], 3, 0.0, 0.0, k > 0, 0, 0, 0};
        rlti_vec3 moved[ALL];
        double off = 0.0, size = 0.0;
        add_contacts(w, 31, 120, 4, 0.3);
        rlti_couple_result one = run(w, settings);
        memcpy(moved, w->moved, sizeof moved);
        settings.single = 1;
        rlti_couple_result other = run(w, settings);
        for (int p = 0; p < ALL; p++) {
            off = fmax(off, rlti_length(rlti_sub(moved[p], w->moved[p])));
            size = fmax(size, rlti_length(moved[p]));
        }
        print_message("%d iterations in single precision: off by %.1e of %.1e\n", iterations[k], off, size);
        assert_true(off > 0.0 && off < most[k] && size > 0.01);
        assert_int_equal(one.touching, other.touching);
        assert_int_equal(one.bodies, other.bodies);
        assert_true(fabs(one.deepest - other.deepest) < most[k]);
        if (k == 2)
            check_contacts(w, 1e-3);
        settings.single = 0;
        run(w, settings);
        assert_memory_equal(moved, w->moved, sizeof moved);
        free_world(w);
    }
}

static void same_bytes_and_pools(void **state) {
    (void)state;
    for (int block = 0; block < 3; block++) { /* the last: lumped masses in single precision */
        world *w = make_world(50.0, 20.0, 0, 2, 1);
        rlti_couple_settings settings = {
            (rlti_couple_block)(block % 2), 5, 3, 0.0, 1e-3, 1, 0, 0, block == 2};
        rlti_vec3 moved[ALL];
        add_contacts(w, 41, 120, 4, 0.3);
        rlti_couple_result one = run(w, settings), three;
        memcpy(moved, w->moved, sizeof moved);
        rlti_pool_destroy(w->pool);
        w->pool = rlti_pool_create(3);
        run(w, settings);
        int before = allocations;
        three = run(w, settings);
        assert_int_equal(allocations, before);
        assert_memory_equal(moved, w->moved, sizeof moved);
        assert_true(one.residual == three.residual && one.iterations == 5 && three.iterations == 5);
        const rlti_couple *c = w->couple;
        int counted = 0;
        assert_true(c->plan.pool_count > 1 && c->plan.pool_count <= 2 * 6 && one.pools == c->plan.pool_count);
        for (int p = 0; p < c->plan.pool_count; p++) {
            int used[STRANDS] = {0};
            for (int t = c->plan.pool_first[p]; t < c->plan.pool_first[p + 1]; t++) {
                const rlti_couple_task *task = &c->plan.tasks[t];
                counted += task->count;
                assert_int_equal(used[task->object[0]]++, 0);
                assert_true(task->object[0] == task->object[1] || used[task->object[1]]++ == 0);
                assert_true(t == c->plan.pool_first[p] || task->count <= task[-1].count);
            }
        }
        assert_int_equal(counted, 120);
        free_world(w);
    }
}

/* Whichever allocation fails, it is reported, and the next solution is the same as ever. */
static void out_of_memory(void **state) {
    (void)state;
    world *w = make_world(50.0, 20.0, 0, 2, 1);
    const rlti_couple_settings settings = {RLTI_COUPLE_LUMPED, 5, 3, 0.0, 1e-3, 1, 0, 0, 1};
    rlti_vec3 moved[ALL];
    int failures = 0;
    add_contacts(w, 41, 120, 4, 0.3);
    run(w, settings);
    memcpy(moved, w->moved, sizeof moved);
    for (int fails = 1, last = 0; !last; fails++) {
        rlti_couple_destroy(w->couple);
        rlti_couple_result result;
        refused = allocations + fails;
        w->couple = rlti_couple_create(STRANDS, w->first, w->object);
        memcpy(w->moved, w->free, sizeof w->free);
        int done =
            w->couple != NULL && rlti_couple_solve(w->couple, w->pool, &w->strands, &settings, w->contacts,
                                                   w->count, w->links, w->link_count, w->moved, &result);
        last = allocations < refused;
        refused = 0;
        assert_int_equal(done, last);
        failures += !done;
        if (w->couple == NULL)
            continue;
        run(w, settings);
        assert_memory_equal(moved, w->moved, sizeof moved);
    }
    assert_true(failures > 15);
    free_world(w);
}

/* ---- found and solved: two hairs thrown at each other do not pass ---- */

typedef struct thrown {
    double radius[ALL], friction[STRANDS][2];
    rlti_vec3 start[ALL], end[ALL], aim[ALL];
    rlti_edge_strands strands;
} thrown;

/* Strand 1 flies over strand 0, in any direction, by up to eight of its edges; the others are far away. */
static void throw_hair(thrown *t, int id) {
    rlti_vec3 along = rlti_normalize(rlti_v3(roll(60, 3 * id), roll(60, 3 * id + 1), roll(60, 3 * id + 2))),
              across = rlti_normalize(rlti_cross(along, rlti_v3(1, 0, 0))),
              speed = rlti_add(rlti_scale(4.0 * (1.1 + roll(61, id)), across),
                               rlti_v3(roll(62, id), roll(63, id), roll(64, id)));
    for (int p = 0; p < ALL; p++) {
        int strand = p / POINTS, i = p % POINTS;
        t->radius[p] = 0.02;
        t->friction[strand][0] = t->friction[strand][1] = 0.3;
        t->start[p] = rlti_v3(i, 100.0 * strand, 0.0);
        if (strand == 1)
            t->start[p] = rlti_madd(rlti_madd(rlti_v3(3.5, 0.0, 0.0), (double)i - 3.5, along), -0.5, speed);
        t->end[p] = t->aim[p] = strand == 1 ? rlti_add(t->start[p], speed) : t->start[p];
    }
}

/* Searches and solves by turns until nothing passes and all gaps are closed to 1e-6, at most 40 times.
 * Returns how often, and the gap that is left. */
static int find_and_solve(world *w, thrown *t, rlti_edge_contacts *contacts, int *passes, double *left) {
    rlti_edge_contacts_begin(contacts);
    for (int turn = 0;; turn++) {
        int count;
        double deepest = 0.0;
        rlti_vec3 travel[ALL];
        assert_true(rlti_edge_contacts_find(contacts, w->pool, t->start, t->end, NULL, 0));
        const rlti_edge_contact *found = rlti_edge_contacts_list(contacts, &count);
        rlti_missed missed = rlti_missed_count(contacts, t->start, t->end, NULL, 0, 10000, 0);
        assert_int_equal(missed.missed, 0);
        *passes += turn == 0 && missed.passed > 0;
        for (int k = 0; k < count; k++)
            deepest = fmax(deepest, -found[k].gap);
        *left = missed.passed == 0 ? deepest : HUGE_VAL;
        if (*left < 1e-6 || turn == 40)
            return turn;
        assert_true(count <= MOST);
        w->count = count;
        for (int p = 0; p < ALL; p++)
            travel[p] = rlti_sub(t->end[p], t->start[p]);
        rlti_couple_take(&t->strands, found, count, travel, NULL, NULL, w->contacts);
        for (int p = 0; p < ALL; p++)
            w->free[p] = rlti_sub(t->aim[p], t->end[p]);
        run(w, (rlti_couple_settings){RLTI_COUPLE_INVERSE, 200, 1, 1e-9, 0.0, 1, 0, 0, 0});
        for (int p = 0; p < ALL; p++)
            t->end[p] = rlti_add(t->end[p], w->moved[p]);
    }
}

static void thrown_hairs_do_not_pass(void **state) {
    (void)state;
    world *w = make_world(50.0, 20.0, 1, 4, 1);
    thrown *t = calloc(1, sizeof *t);
    int passes = 0, turns = 0, open = 0;
    assert_non_null(t);
    t->strands = (rlti_edge_strands){.strand_count = STRANDS,
                                     .first = w->first,
                                     .rest = t->start,
                                     .radius = t->radius,
                                     .friction = (const double(*)[2])t->friction,
                                     .offset = 0.02};
    throw_hair(t, 0);
    rlti_edge_contacts *contacts = rlti_edge_contacts_create(&t->strands);
    assert_non_null(contacts);
    for (int id = 0; id < 1000; id++) {
        throw_hair(t, id);
        double left;
        int turn = find_and_solve(w, t, contacts, &passes, &left);
        assert_true(left < 0.04); /* the radii: it stays on its side, closed or not */
        turns += turn;
        open += left >= 1e-6;
    }
    assert_true(passes > 900);
    assert_true(open < 50);
    print_message("%d throws of 1000 would pass: none does; %g solutions each, %d not closed\n", passes,
                  turns / 1000.0, open);
    rlti_edge_contacts_destroy(contacts);
    free(t);
    free_world(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_contact),
        cmocka_unit_test(one_contact_by_scanning),
        cmocka_unit_test(incline),
        cmocka_unit_test(odd_contacts),
        cmocka_unit_test(many_contacts),
        cmocka_unit_test(static_and_kinetic),
        cmocka_unit_test(blocks_compared),
        cmocka_unit_test(same_as_de_saxce),
        cmocka_unit_test(momentum),
        cmocka_unit_test(impossible_sets),
        cmocka_unit_test(order),
        cmocka_unit_test(single_precision),
        cmocka_unit_test(same_bytes_and_pools),
        cmocka_unit_test(out_of_memory),
        cmocka_unit_test(thrown_hairs_do_not_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
