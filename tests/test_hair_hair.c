/* Two free hairs that collide, in the step kernel with its contact springs: momentum stays, energy never
 * grows, whatever the springs are told. */
#include "contact_fixture.h"

#include "base/memory.h"
#include "contact/hair/springs.h"
#include "solve/kernel.h"

enum { OUTER_STEPS = 60, FORCE_STEPS = 15, POINTS = 21 };

typedef struct crash {
    bundle b;
    const rlti_kernel *kernel;
    rlti_tile *tile;
    void *scratch;
    rlti_springs *springs;
    long long contacts; /* of all steps */
} crash;

/* A hair along x and one across it above, which comes down on it. */
static void crash_begin(crash *c, rlt_simd build, const char *contact, double height, double speed,
                        double mass) {
    char a[4096], b[4096];
    memset(c, 0, sizeof *c);
    /* the root takes no part in contacts: it is held in the particles, and free here */
    bundle_begin(&c->b, 1,
                 "character: {kind: none}\n"
                 "time: {outer_steps: %d, force_steps: %d}\n"
                 "hair: {region: none, strands: [%s, %s], mass: %g, prune: {random: 0},"
                 " stretch: {stiffness: %g, damping: %g, limit: 0, velocity_limit: 0}, drag: 0,"
                 " bend: {stiffness: %g, damping: %g}, core: {stiffness: 0, stiffness_max: 0, damping: 0,"
                 " damping_max: 0}, contact: {radius: [[0, 0], [0.05, 0.5], [1, 0.5]], %s}}\n",
                 OUTER_STEPS, FORCE_STEPS, straight(a, sizeof a, POINTS, -5, 0, 0, 0.5, 0, 0),
                 straight(b, sizeof b, POINTS, 0.2, height, -5, 0, 0, 0.5), mass, 2e4 * mass, 20 * mass,
                 500 * mass, 5 * mass, contact);
    c->kernel = rlti_kernel_select(build);
    const int strands[] = {0, 1};
    rlti_tile_def def = {.model = c->b.model,
                         .hair = &c->b.data->hair[0],
                         .strands = strands,
                         .count = 2,
                         .force_step = 1.0 / (24 * OUTER_STEPS * FORCE_STEPS),
                         .damping_steps = 2,
                         .pushed = 1};
    rlti_springs_def springs = {.scene = c->b.data,
                                .strands = c->b.strands,
                                .particles = c->b.particles,
                                .graph = c->b.graph,
                                .body = c->b.body,
                                .lanes = &c->kernel->springs,
                                .threads = 1,
                                .outer_step = 1.0 / (24 * OUTER_STEPS)};
    c->tile = c->kernel->create(&def);
    c->scratch = rlti_allocate(1, c->kernel->scratch_bytes(POINTS));
    assert_true(c->tile != NULL && c->scratch != NULL);
    c->kernel->bind(c->tile, c->scratch);
    assert_int_equal(rlti_springs_create(&springs, NULL, &c->springs), RLT_OK);
    for (int h = 0; h < 2; h++) {
        rlti_vec3 positions[POINTS], velocities[POINTS];
        for (int i = 0; i < POINTS; i++) {
            positions[i] = c->b.strands->points[h * POINTS + i];
            velocities[i] = rlti_v3(0, h == 0 ? 0 : -speed, 0);
        }
        c->kernel->set_state(c->tile, h, positions, velocities);
        c->kernel->set_root_frame(c->tile, h, c->b.model->strands[h].root_direction,
                                  c->b.model->strands[h].root_normal);
    }
    c->kernel->free_root(c->tile);
}

static void crash_end(crash *c) {
    rlti_springs_destroy(c->springs);
    c->kernel->destroy(c->tile);
    rlti_free(c->scratch);
    bundle_end(&c->b);
}

/* One outer step, as the loop does it. */
static void crash_step(crash *c, int o) {
    rlti_step step = {
        .force_steps = FORCE_STEPS, .frame_step = 1.0 / (OUTER_STEPS * FORCE_STEPS), .rate = 24};
    float positions[3 * POINTS], velocities[3 * POINTS], pushes[POINTS][3];
    const int *first = c->b.particles->first;
    rlti_vec3 origin = rlti_v3(0, 0, 0);
    if (o == 0)
        rlti_springs_begin_frame(c->springs, 1);
    rlti_springs_pose(c->springs, 0);
    for (int h = 0; h < 2; h++) {
        c->kernel->get_floats(c->tile, h, positions, velocities);
        rlti_springs_look(c->springs, h, &origin, positions, velocities);
    }
    c->kernel->clear_pushes(c->tile);
    for (int h = 0; h < 2; h++) {
        assert_int_equal(rlti_springs_push(c->springs, h, 0, pushes, NULL), 1);
        c->kernel->set_pushes(c->tile, h, c->b.particles->point + first[h], (const float(*)[3])pushes,
                              first[h + 1] - first[h]);
    }
    c->kernel->run(c->tile, &step);
    c->contacts += rlti_springs_counts(c->springs).ends / 2;
}

static rlti_vec3 momentum(const crash *c) {
    rlti_vec3 sum = rlti_v3(0, 0, 0), positions[POINTS], velocities[POINTS];
    for (int h = 0; h < 2; h++) {
        c->kernel->get_state(c->tile, h, positions, velocities);
        for (int i = 0; i < POINTS; i++)
            sum = rlti_madd(sum, c->b.model->mass[h * POINTS + i], velocities[i]);
    }
    return sum;
}

static double energy(const crash *c) {
    static const double none[3] = {0, 0, 0};
    rlti_measure m[16];
    c->kernel->measure(c->tile, none, m);
    assert_true(m[0].finite && m[1].finite);
    double sum = 0;
    for (int h = 0; h < 2; h++) {
        const double *e = m[h].energies;
        sum += m[h].kinetic + e[RLTI_TAZ_ENERGY_STRETCH] + e[RLTI_TAZ_ENERGY_BEND] + e[RLTI_TAZ_ENERGY_CORE];
    }
    return sum;
}

/* Mean height of each hair. */
static void heights(const crash *c, double y[2]) {
    rlti_vec3 positions[POINTS], velocities[POINTS];
    for (int h = 0; h < 2; h++) {
        c->kernel->get_state(c->tile, h, positions, velocities);
        y[h] = 0;
        for (int i = 0; i < POINTS; i++)
            y[h] += positions[i].y / POINTS;
    }
}

static const rlt_simd builds[] = {RLT_SIMD_AUTO, RLT_SIMD_PORTABLE};

static void momentum_stays(void **state) {
    (void)state;
    for (int b = 0; b < 2; b++) {
        crash c;
        crash_begin(&c, builds[b], "friction: 0.3", 1.2, 60, 1);
        rlti_vec3 before = momentum(&c), after;
        double worst = 0;
        for (int o = 0; o < 120; o++) {
            crash_step(&c, o);
            after = momentum(&c);
            worst = fmax(worst, rlti_length(rlti_sub(after, before)));
        }
        double y[2];
        heights(&c, y);
        print_message("momentum %.6g changed by %.2g; heights %.3g and %.3g, %lld contacts\n", before.y,
                      worst, y[0], y[1], c.contacts);
        assert_true(c.contacts > 20);
        assert_true(worst < 1e-5 * fabs(before.y));
        assert_true(y[0] < -0.1); /* the lower one was pushed */
        crash_end(&c);
    }
}

/* Springs of any strength, hairs of any mass, any speed: what comes out of a collision is at most what went
 * in. */
static void energy_does_not_grow(void **state) {
    (void)state;
    static const char *const contacts[] = {
        "stiffness: 4000, damping: 40",
        "stiffness: 0, damping: 40",
        "stiffness: 4000, damping: 4e3",
        "stiffness: 0, damping: 1e5",
        "stiffness: 1e6, damping: 1e6",
        "stiffness: 1e9, damping: 1e9",
        "stiffness: 1e12, damping: 1e12",
        "stiffness: 4000, damping: 40, friction: 5",
        "stiffness: 0, damping: 1e7, groom: push", /* from the first step on */
    };
    static const double masses[] = {1, 0.02}, speeds[] = {5, 300};
    double worst_of_all = 0;
    for (size_t k = 0; k < sizeof contacts / sizeof contacts[0]; k++)
        for (int m = 0; m < 2; m++)
            for (int v = 0; v < 2; v++) {
                crash c;
                crash_begin(&c, RLT_SIMD_AUTO, contacts[k], strstr(contacts[k], "push") ? 0.95 : 1.2,
                            speeds[v], masses[m]);
                double before = energy(&c), worst = 0;
                for (int o = 0; o < (v ? 30 : 150); o++) {
                    crash_step(&c, o);
                    worst = fmax(worst, energy(&c) / before);
                }
                print_message("%-45s mass %-5g speed %-4g energy at most %.4g of the start, %lld contacts\n",
                              contacts[k], masses[m], speeds[v], worst, c.contacts);
                worst_of_all = fmax(worst, worst_of_all);
                crash_end(&c);
            }
    assert_true(worst_of_all < 1.001);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_stays),
        cmocka_unit_test(energy_does_not_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
