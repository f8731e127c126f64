/* Contact springs in the lanes of every kernel: the life of one spring against the formulas in plain double,
 * forces that are opposite to the last bit, the same bytes in every float build. */
#include "contact_fixture.h"

#include "solve/kernel.h"

static const rlt_simd builds[] = {RLT_SIMD_PORTABLE, RLT_SIMD_AVX2, RLT_SIMD_AVX512, RLT_SIMD_REFERENCE};
enum { BUILDS = sizeof builds / sizeof builds[0] };

/* The standard values, for a step of 1/1440 s. */
static const float step = 1.0f / 1440;
static const rlti_spring_law standard = {.stiffness = 4000,
                                         .damping = 40,
                                         .rise = 1.0f / 14.4f,
                                         .break_at = 1.2f,
                                         .cling = 0.2f,
                                         .charge_range = 2};

/* ---- one pair of particles ---- */

typedef struct pair {
    const rlti_spring_lanes *lanes;
    rlti_spring_law law;
    rlti_seen seen[2];
    rlti_near item;
    float reach;
    /* of the last step */
    float force[4], gap;
    int live;
} pair;

/* Two particles that touch at distance 1, side by side along x. */
static pair make_pair(rlt_simd build) {
    const rlti_kernel *kernel = rlti_kernel_select(build);
    pair p = {.law = standard, .item = {0, 1, 1.0f, 0.0f}, .reach = 1.2f};
    if (kernel != NULL)
        p.lanes = &kernel->springs;
    for (int k = 0; k < 2; k++)
        p.seen[k] = (rlti_seen){.share = 1.0f, .radius = 0.5f};
    return p;
}

/* One step at this distance, parting at this speed. */
static void advance(pair *p, float distance, float parting) {
    float force[1][4] = {{0}};
    p->seen[0].position[0] = distance;
    p->seen[0].velocity[0] = parting;
    p->live = 0;
    p->gap = p->lanes->push(p->seen, &p->law, step, p->reach, &p->item, 1, 0, force, &p->live);
    memcpy(p->force, force[0], sizeof p->force);
}

static void assert_near(double value, double wanted, double tolerance) {
    if (!(fabs(value - wanted) <= tolerance))
        fail_msg("%.9g is not %.9g", value, wanted);
}

static double smooth(double x) {
    double t = x < 0 ? 0 : x > 1 ? 1 : x;
    return t * t * (3 - 2 * t);
}

/* For every build that this CPU can run. */
#define EACH_BUILD(p)                                                                                        \
    for (int build_ = 0; build_ < BUILDS; build_++)                                                          \
        for (pair p = make_pair(builds[build_]); p.lanes != NULL; p.lanes = NULL)

static void stiffness_rises_with_age(void **state) {
    (void)state;
    EACH_BUILD(p) {
        double age = 0;
        for (int k = 0; k < 20; k++) {
            advance(&p, 0.9f, 0);
            age = fmin(age + 1.0 / 14.4, 1);
            assert_near((double)p.item.age, age, 1e-5);
            assert_near((double)p.force[0], 4000 * 0.1 * smooth(age), 0.02);
            assert_true(p.force[1] == 0 && p.force[2] == 0);
            assert_int_equal(p.live, 1);
            assert_near((double)p.gap, 0.9 - 1.2, 1e-6);
        }
        assert_true(p.item.age == 1.0f); /* full after the ramp, and no more */
    }
}

static void damping_is_full_at_once(void **state) {
    (void)state;
    EACH_BUILD(p) {
        advance(&p, 0.999999f, -10);
        assert_near((double)p.force[0], 40 * 10, 0.1); /* while the stiffness is hardly there */
        advance(&p, 0.999999f, 10);
        assert_near((double)p.force[0], -40 * 10, 0.1);
        advance(&p, 0.999999f, 0);
        assert_near((double)p.force[0], 0, 0.01);
        /* what it takes of the motion in a step */
        assert_near((double)p.force[3], (40.0 + 4000 * smooth((double)p.item.age) / 1440) / 1440, 1e-2);
        assert_true((double)p.force[3] > 40.0 / 1440 - 1e-6);
    }
}

/* Coming apart: first the pull fades, until half way to the break, then the damping. */
static void stiffness_fades_before_damping(void **state) {
    (void)state;
    EACH_BUILD(p) {
        for (int k = 0; k < 20; k++)
            advance(&p, 0.9f, 0);
        double last_pull = 0;
        for (int k = 0; k <= 40; k++) {
            double distance = 1.0 + 0.005 * k, way = (distance - 1) / 0.2;
            p.item.age = 1;
            advance(&p, (float)distance, 0);
            double pull = 4000 * 0.2 * (1 - distance) * (1 - smooth(2 * way));
            assert_near((double)p.force[0], pull, 0.01);
            assert_true(p.force[0] <= 0.0f); /* never a push */
            if (way > 0.5)
                assert_near((double)p.force[0], 0, 1e-3);
            last_pull = fmin(last_pull, (double)p.force[0]);
            p.item.age = 1;
            advance(&p, (float)distance, 7);
            assert_near((double)p.force[0], pull - 7 * 40 * (1 - smooth(2 * way - 1)), 0.02);
            if (way < 0.5)
                assert_near((double)p.force[0], pull - 7 * 40, 0.02);
        }
        assert_true(last_pull < -10);
    }
}

static void cling_zero_lets_go(void **state) {
    (void)state;
    EACH_BUILD(p) {
        p.law.cling = 0;
        for (int k = 0; k < 20; k++)
            advance(&p, 0.95f, 0);
        for (float d = 1.0f; d < 1.25f; d += 0.01f) {
            advance(&p, d, 0);
            assert_true(p.force[0] == 0);
        }
    }
}

static void memory_until_the_break(void **state) {
    (void)state;
    EACH_BUILD(p) {
        for (int k = 0; k < 8; k++)
            advance(&p, 0.9f, 0);
        float age = p.item.age;
        for (int k = 0; k < 100; k++) { /* out of touch, not broken: nothing is forgotten, nothing grows */
            advance(&p, 1.0f + 0.0019f * (float)k, 0);
            assert_true(p.item.age == age);
            assert_int_equal(p.live, 1);
        }
        advance(&p, 0.9f, 0); /* engaged again, at the strength it had */
        assert_near((double)p.force[0], 4000 * 0.1 * smooth((double)age + 1.0 / 14.4), 0.05);
        advance(&p, 1.2000004f, 0); /* broken */
        assert_true(p.item.age == 0 && p.live == 0 && p.gap > 0);
        assert_true(p.force[0] == 0 && p.force[3] == 0);
        advance(&p, 1.1f, -5); /* near again, but there is no contact before they touch */
        assert_true(p.item.age == 0 && p.live == 0 && p.force[0] == 0 && p.force[3] == 0);
        advance(&p, 0.9f, 0); /* a new one begins from nothing */
        assert_near((double)p.force[0], 4000 * 0.1 * smooth(1.0 / 14.4), 0.01);
    }
}

/* A pair of sections whose contacts break before the greatest reach of all. */
static void breaks_within_the_reach_of_others(void **state) {
    (void)state;
    EACH_BUILD(p) {
        p.reach = 3;
        for (int k = 0; k < 20; k++)
            advance(&p, 0.9f, 0);
        advance(&p, 1.19f, 3);
        assert_true(p.item.age == 1 && p.force[0] < 0);
        advance(&p, 1.21f, 3);
        assert_true(p.item.age == 0 && p.force[0] == 0 && p.live == 0);
    }
}

/* Break at the touching distance, and a ramp shorter than a step. */
static void hard_contacts(void **state) {
    (void)state;
    EACH_BUILD(p) {
        p.law.break_at = p.reach = 1;
        p.law.rise = 1;
        advance(&p, 0.9f, 0);
        assert_near((double)p.force[0], 400, 0.02);
        advance(&p, 1.0f, 5);
        assert_true(p.item.age == 0 && p.force[0] == 0);
        p.reach = 2;
        advance(&p, 0.9f, 0);
        advance(&p, 1.0000001f, 5);
        assert_true(p.item.age == 0 && p.force[0] == 0);
    }
}

static void friction_is_bounded(void **state) {
    (void)state;
    EACH_BUILD(p) {
        p.law.friction = 0.3f;
        for (int k = 0; k < 20; k++)
            advance(&p, 0.9f, 0);
        for (int k = -3; k < 8; k++) {
            float speed = powf(10, (float)k);
            p.seen[0].velocity[1] = speed;
            p.seen[0].velocity[2] = 2 * speed;
            advance(&p, 0.9f, 0);
            double across = sqrt(5) * (double)speed, most = 0.3 * (double)p.force[0];
            double is =
                sqrt((double)p.force[1] * (double)p.force[1] + (double)p.force[2] * (double)p.force[2]);
            assert_near((double)p.force[0], 400, 0.05); /* along the line it changes nothing */
            assert_near(is, fmin(40 * across, most), 1e-3 * most);
            assert_true(p.force[1] < 0 && p.force[2] < 0); /* against the sliding */
            assert_near((double)p.force[2] / (double)p.force[1], 2, 1e-4);
        }
        /* the press that counts is that of now: parting fast, there is none */
        p.seen[0].velocity[1] = 10;
        p.seen[0].velocity[2] = 0;
        advance(&p, 0.9f, 20);
        assert_true(p.force[0] < 0 && p.force[1] == 0);
        /* and out of touch there is only a pull */
        advance(&p, 1.05f, 0);
        assert_true(p.force[1] == 0);
    }
}

static void static_charge(void **state) {
    (void)state;
    EACH_BUILD(p) {
        p.law.charge = 50;
        p.reach = 2;
        for (float d = 0.05f; d < 2.3f; d += 0.05f) {
            p.item.age = 0;
            p.law.rise = 0;
            advance(&p, d, 0);
            double left = fmax(0, 1 - (double)d / 2);
            assert_near((double)p.force[0], 50 * left * left, 1e-3);
            assert_true(p.force[1] == 0 && p.force[2] == 0);
        }
        /* charge does not make a contact: nothing is damped */
        advance(&p, 1.5f, -30);
        assert_near((double)p.force[0], 50 * 0.0625, 1e-3);
        assert_true(p.live == 0 && p.force[3] == 0);
    }
}

static void shares_weaken_both(void **state) {
    (void)state;
    EACH_BUILD(p) {
        for (int k = 0; k < 20; k++)
            advance(&p, 0.9f, 0);
        p.seen[0].share = 0.5f;
        advance(&p, 0.9f, 0);
        assert_near((double)p.force[0], 200, 0.02);
        p.seen[1].share = 0.25f;
        advance(&p, 0.9f, 0);
        assert_near((double)p.force[0], 100, 0.02);
        /* what it would take is told in full, or the share would come back at once */
        assert_near((double)p.force[3], (40 + 4000.0 / 1440) / 1440, 1e-5);
    }
}

/* ---- both sides ---- */

/* The same pair from the other end. */
static void other_side(const pair *p, const rlti_near *before, float force[4]) {
    rlti_near item = {before->other, before->mine, before->touch, before->age};
    float sums[2][4] = {{0}};
    int live = 0;
    p->lanes->push(p->seen, &p->law, step, p->reach, &item, 1, 0, sums, &live);
    assert_true(item.age == p->item.age);
    assert_int_equal(live, p->live);
    memcpy(force, sums[1], 4 * sizeof(float));
}

/* Opposite to the last bit; a zero may have any sign. */
static void assert_opposite(const pair *p, const rlti_near *before) {
    float force[4];
    other_side(p, before, force);
    for (int axis = 0; axis < 3; axis++)
        assert_true(force[axis] == -p->force[axis]);
    assert_true(force[3] == p->force[3]);
}

static float uniform(uint64_t *id, double scale) {
    return (float)(scale * rlti_random_signed(5, (*id)++, 0));
}

static void forces_are_opposite(void **state) {
    (void)state;
    uint64_t id = 0;
    EACH_BUILD(p) {
        p.law.friction = 0.4f;
        p.law.charge = 13;
        p.reach = 2;
        for (int trial = 0; trial < 500; trial++) {
            float force[1][4] = {{0}};
            for (int k = 0; k < 2; k++) {
                p.seen[k].share = fabsf(uniform(&id, 1));
                for (int axis = 0; axis < 3; axis++) {
                    p.seen[k].position[axis] = uniform(&id, 0.7);
                    p.seen[k].velocity[axis] = uniform(&id, 50);
                }
            }
            p.item.age = trial % 3 == 0 ? 0 : fabsf(uniform(&id, 1));
            rlti_near before = p.item;
            p.live = 0;
            p.lanes->push(p.seen, &p.law, step, p.reach, &p.item, 1, 0, force, &p.live);
            memcpy(p.force, force[0], sizeof p.force);
            assert_opposite(&p, &before);
        }
    }
}

static void coincident_particles(void **state) {
    (void)state;
    static const float apart[] = {0, 1e-30f, 1e-20f, 1e-13f, 1e-9f};
    EACH_BUILD(p) {
        p.law.friction = 0.4f;
        for (size_t k = 0; k < sizeof apart / sizeof apart[0]; k++) {
            p.item.age = 1;
            p.seen[0].velocity[2] = 3;
            rlti_near before = p.item;
            advance(&p, apart[k], -1);
            double size =
                sqrt((double)p.force[0] * (double)p.force[0] + (double)p.force[1] * (double)p.force[1] +
                     (double)p.force[2] * (double)p.force[2]);
            assert_true(isfinite(size));
            if (apart[k] == 0 || apart[k] > 1e-10f)
                assert_true(size > 3000 && size < 6000); /* pushed apart, somewhere */
            assert_opposite(&p, &before);
        }
    }
}

/* ---- many ---- */

/* Random pairs over many steps; what they get must not depend on the build, nor on the width of its lanes. */
enum { PARTICLES = 60, ITEMS = 500, STEPS = 30 };

static int random_run(const rlti_spring_lanes *lanes, float (*sums)[4], rlti_near *items, float *gaps) {
    rlti_seen seen[PARTICLES];
    rlti_spring_law law = standard;
    uint64_t id = 1000;
    int live = 0;
    law.friction = 0.2f;
    law.charge = 5;
    memset(seen, 0, sizeof seen);
    memset(sums, 0, PARTICLES * sizeof *sums);
    for (int k = 0; k < PARTICLES; k++)
        for (int axis = 0; axis < 3; axis++) {
            seen[k].position[axis] = uniform(&id, 1.5);
            seen[k].velocity[axis] = uniform(&id, 200);
        }
    for (int k = 0; k < ITEMS; k++) {
        int mine = (int)(rlti_random(6, (uint64_t)k, 0) * PARTICLES),
            other = (int)(rlti_random(6, (uint64_t)k, 1) * PARTICLES);
        items[k] = (rlti_near){mine, other == mine ? (mine + 1) % PARTICLES : other,
                               (float)(2 * rlti_random(6, (uint64_t)k, 2)), 0};
    }
    for (int n = 0; n < STEPS; n++) {
        for (int k = 0; k < PARTICLES; k++) {
            seen[k].share = fabsf(uniform(&id, 1));
            for (int axis = 0; axis < 3; axis++)
                seen[k].position[axis] += step * seen[k].velocity[axis];
        }
        /* in pieces of every length around the widths */
        for (int begin = 0, size = 1; begin < ITEMS; begin += size, size = size % 67 + 1) {
            int count = ITEMS - begin < size ? ITEMS - begin : size;
            *gaps++ = lanes->push(seen, &law, step, 2.0f, items + begin, count, 0, sums, &live);
        }
    }
    return live;
}

static void builds_give_the_same_bytes(void **state) {
    (void)state;
    static float sums[2][PARTICLES][4], gaps[2][STEPS * ITEMS];
    static rlti_near items[2][ITEMS];
    memset(gaps, 0, sizeof gaps);
    int live = random_run(&rlti_kernel_select(RLT_SIMD_PORTABLE)->springs, sums[0], items[0], gaps[0]);
    print_message("%d contacts\n", live);
    assert_true(live > 500);
    for (int b = 1; b < BUILDS; b++) {
        const rlti_kernel *kernel = rlti_kernel_select(builds[b]);
        if (kernel == NULL)
            continue;
        assert_int_equal(random_run(&kernel->springs, sums[1], items[1], gaps[1]), live);
        if (builds[b] == RLT_SIMD_REFERENCE)
            for (int k = 0; k < PARTICLES; k++)
                for (int row = 0; row < 4; row++)
                    assert_near((double)sums[1][k][row], (double)sums[0][k][row],
                                1 + 1e-3 * fabs((double)sums[0][k][row]));
        else {
            assert_memory_equal(sums[1], sums[0], sizeof sums[0]);
            assert_memory_equal(items[1], items[0], sizeof items[0]);
            assert_memory_equal(gaps[1], gaps[0], sizeof gaps[0]);
        }
    }
}

/* The gap is the least distance from acting, of all pairs. */
static void gaps_are_least(void **state) {
    (void)state;
    for (int b = 0; b < BUILDS; b++) {
        const rlti_kernel *kernel = rlti_kernel_select(builds[b]);
        for (int count = 1; kernel != NULL && count < 150; count += 7) {
            rlti_seen seen[151];
            rlti_near items[150];
            rlti_spring_law law = standard;
            law.break_at = 1.5f;
            float force[151][4] = {{0}};
            int live = 0;
            double least = 1e9;
            memset(seen, 0, sizeof seen);
            for (int k = 0; k < count; k++) {
                double distance = 3 + 5 * rlti_random(9, (uint64_t)k, (uint64_t)count);
                seen[k + 1].position[2] = (float)distance;
                items[k] = (rlti_near){0, k + 1, 1.0f + 0.01f * (float)k, 0.5f};
                least = fmin(least, distance - 1.5 * (1 + 0.01 * k));
            }
            float gap = kernel->springs.push(seen, &law, step, 1.5f, items, count, 0, force, &live);
            assert_near((double)gap, least, 1e-5);
            for (int k = 0; k < count; k++)
                assert_true(items[k].age == (seen[k + 1].position[2] < 1.5f * items[k].touch ? 0.5f : 0));
        }
    }
}

/* Particles of a run as the lanes take them. */
static void fill_rows(const rlti_seen *seen, int count, float *rows) {
    for (int k = 0; k < RLTI_RUN; k++) {
        for (int axis = 0; axis < 3; axis++)
            rows[axis * RLTI_RUN + k] = k < count ? seen[k].position[axis] : RLTI_FAR_AWAY;
        rows[3 * RLTI_RUN + k] = k < count ? seen[k].radius : 0.0f;
    }
}

/* Two runs of random particles; bits and touching distances against counting. */
static void assert_masks(const rlti_spring_lanes *lanes, int m, int n, uint64_t *id, int counts[2]) {
    rlti_seen seen[2][RLTI_RUN];
    float rest[2][RLTI_RUN][4];
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < RLTI_RUN; k++) {
            seen[side][k] = (rlti_seen){.radius = fabsf(uniform(id, 1))};
            for (int axis = 0; axis < 3; axis++) {
                seen[side][k].position[axis] = uniform(id, 2);
                rest[side][k][axis] = uniform(id, 1);
            }
            rest[side][k][3] = NAN; /* not used */
        }
    _Alignas(64) float rows[2][4 * RLTI_RUN];
    for (int side = 0; side < 2; side++)
        fill_rows(seen[side], side == 0 ? m : n, rows[side]);
    float low[3] = {HUGE_VALF, HUGE_VALF, HUGE_VALF}, high[3] = {-HUGE_VALF, -HUGE_VALF, -HUGE_VALF};
    for (int j = 0; j < n; j++)
        for (int axis = 0; axis < 3; axis++) {
            low[axis] = fminf(low[axis], seen[1][j].position[axis] - 1.3f * seen[1][j].radius);
            high[axis] = fmaxf(high[axis], seen[1][j].position[axis] + 1.3f * seen[1][j].radius);
        }
    rlti_near_runs runs = {
        rows[0], rows[1], (const float(*)[4])rest[0], (const float(*)[4])rest[1], low, high, m, n};
    for (int keep = 0; keep < 2; keep++) {
        unsigned char masks[RLTI_RUN];
        float touch[RLTI_RUN][RLTI_RUN];
        memset(masks, 0xff, sizeof masks);
        double gap = (double)lanes->near(&runs, 1.3f, 0.4f, keep, masks, touch), least = 1e17;
        for (int i = 0; i < m; i++)
            for (int j = 0; j < RLTI_RUN; j++) {
                double apart = 0, groomed = 0, wanted = (double)(seen[0][i].radius + seen[1][j].radius);
                for (int axis = 0; axis < 3; axis++) {
                    double x = (double)(seen[0][i].position[axis] - seen[1][j].position[axis]),
                           y = (double)(rest[0][i][axis] - rest[1][j][axis]);
                    apart += x * x;
                    groomed += y * y;
                }
                wanted = keep ? fmin(wanted, sqrt(groomed)) : wanted;
                double far = sqrt(apart) - 1.3 * wanted - 0.4;
                int is = masks[i] >> j & 1;
                if (!is && j < n)
                    least = fmin(least, far + 0.4);
                counts[is]++;
                if (j >= n)
                    assert_false(is);
                else if (fabs(far) > 1e-5)
                    assert_int_equal(is, far < 0);
                if (is)
                    assert_near((double)touch[i][j], wanted, 1e-6);
            }
        /* never more than the nearest that was left out; less only where the groom or the box would allow
         * more, and never less than the margin without the groom */
        assert_true((gap <= least + 1e-5 || least == 1e17) && (keep || gap >= fmin(least, 0.4) - 1e-5));
    }
}

static void masks_of_near_runs(void **state) {
    (void)state;
    for (int b = 0; b < BUILDS; b++) {
        const rlti_kernel *kernel = rlti_kernel_select(builds[b]);
        if (kernel == NULL)
            continue;
        uint64_t id = 77;
        int counts[2] = {0, 0};
        for (int m = 1; m <= RLTI_RUN; m++)
            for (int n = 1; n <= RLTI_RUN; n++)
                for (int trial = 0; trial < 20; trial++)
                    assert_masks(&kernel->springs, m, n, &id, counts);
        assert_true(counts[0] > 2000 && counts[1] > 2000);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stiffness_rises_with_age),
        cmocka_unit_test(damping_is_full_at_once),
        cmocka_unit_test(stiffness_fades_before_damping),
        cmocka_unit_test(cling_zero_lets_go),
        cmocka_unit_test(memory_until_the_break),
        cmocka_unit_test(breaks_within_the_reach_of_others),
        cmocka_unit_test(hard_contacts),
        cmocka_unit_test(friction_is_bounded),
        cmocka_unit_test(static_charge),
        cmocka_unit_test(shares_weaken_both),
        cmocka_unit_test(forces_are_opposite),
        cmocka_unit_test(coincident_particles),
        cmocka_unit_test(builds_give_the_same_bytes),
        cmocka_unit_test(gaps_are_least),
        cmocka_unit_test(masks_of_near_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
