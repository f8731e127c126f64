/* Groups of Rods, met within each step: as stiff as asked whatever the steps, at rest, in free fall and in
 * the wind; momentum is kept, and threads, ranks and checkpoints do not show. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "folder_fixture.h"
#include "model_fixture.h"
#include "rod_fixture.h"

/* Four strands side by side, of which the outer halves are a cloud. */
#define STRAND(y, z)                                                                                         \
    "[[0, " #y ", " #z "], [1, " #y ", " #z "], [2, " #y ", " #z "], [3, " #y ", " #z "], [4, " #y ", " #z   \
    "], [5, " #y ", " #z "], [6, " #y ", " #z "]]"
#define CLOUD                                                                                                \
    "character: {kind: none}\n"                                                                              \
    "hair: {model: rod, drag: 10, contact: {enabled: off}, rod: {radius: 30, damping: 0.02, steps: %d},"     \
    " strands: [" STRAND(0, 0) ", " STRAND(0, 5) ", " STRAND(4, 1) ", " STRAND(5, 6) "]}\n"
#define CENTROID "constraints: {name: heap, kind: centroid, along: [0.5, 1], stiffness: %g}\n"
#define BUSY                                                                                                 \
    "time: {last: 12}\nmotion: {kind: walk, amount: 2}\ncharacter: {kind: head, resolution: 16}\n"           \
    "hair:\n- {name: a, model: rod, preset: redhead, region: scalp, count: 14, total_points: 210,"           \
    " length: 24, rod: {steps: 1}}\n"                                                                        \
    "- {name: b, model: rod, region: scalp, count: 6, total_points: 60, length: 12, sag: {mode: off}}\n"     \
    "colliders: [{kind: body}, {kind: sphere, bone: torso, position: [0, -30, 0], radius: 12}]\n"            \
    "constraints:\n- {kind: centroid, hair: a, first_strand: 5, along: [0.5, 1], stiffness: 9e5}\n"          \
    "- {kind: tips, hair: a, last_strand: 4, touch: 100, neighbours: 2, stiffness: 1e4}\n"                   \
    "- {kind: bound, hair: b, bounds: [0.9, 1], along: [0.3, 1], stiffness: 1e5, weight: [[3, 0], [5, "      \
    "1]]}\n"

enum { CLOUD_POINTS = 28, CLOUD_STRAND = 7, CLOUD_FIRST = 3 };

static char self[1024];

static int in_cloud(int point) {
    return point % CLOUD_STRAND >= CLOUD_FIRST;
}

static rlti_vec3 middle_of(const double *points, const double *mass) {
    rlti_vec3 sum = rlti_v3(0, 0, 0);
    double all = 0.0;
    for (int p = 0; p < CLOUD_POINTS; p++)
        if (in_cloud(p)) {
            sum = rlti_madd(sum, mass[p], rlti_v3_at(points, p));
            all += mass[p];
        }
    return rlti_scale(1.0 / all, sum);
}

/* How far a point of the cloud is off its groomed distance from the middle, at most. */
static double excess_of(const run *r) {
    rlt_frame_view view = run_view(r);
    const double *mass = r->simulation->matter->mass;
    rlti_vec3 now = middle_of(view.points, mass), rest = middle_of(view.rest, mass);
    double most = 0.0;
    for (int p = 0; p < CLOUD_POINTS; p++)
        if (in_cloud(p))
            most = fmax(most, fabs(rlti_length(rlti_sub(rlti_v3_at(view.points, p), now)) -
                                   rlti_length(rlti_sub(rlti_v3_at(view.rest, p), rest))));
    return most;
}

static int count_says(const run *r, const char *wanted) {
    int count = 0;
    for (int i = 0; i < rlt_messages_count(r->messages); i++)
        count += strstr(rlt_messages_text(r->messages, i), wanted) != NULL;
    return count;
}

/* A hundred times what a middle that is known once a step could serve: what is left is what the forces at
 * rest, some ten times its weight on a point, take of such a spring. */
static void a_stiff_group_holds(void **state) {
    (void)state;
    static const struct {
        int steps;
        double stiffness;
    } cases[] = {{4, 100.0 * 96 * 96}, {16, 100.0 * 384 * 384}, {1, 100.0 * 24 * 24}};
    for (int k = 0; k < 3; k++) {
        run r;
        run_begin(&r, RLT_SIMD_AUTO, 1, "time: {last: 80}\n" CLOUD CENTROID, cases[k].steps,
                  cases[k].stiffness);
        run_frames(&r, 70);
        double excess = excess_of(&r), load = 981.0 / cases[k].stiffness;
        rlt_statistics s = run_statistics(&r);
        print_message("%d steps, %.3g /s^2: off by %.2g (a point that hangs: %.2g); %.3g iterations a step\n",
                      cases[k].steps, cases[k].stiffness, excess, load,
                      (double)s.newton_iterations / (double)s.newton_steps);
        assert_true(excess < 15.0 * load);
        assert_int_equal(s.newton_unconverged, 0);
        assert_int_equal(count_says(&r, "acts as"), 0);
        run_end(&r);
    }
}

static void rest_does_not_depend_on_steps(void **state) {
    (void)state;
    static const int steps[] = {1, 2, 4};
    double rest[3][3 * CLOUD_POINTS], worst = 0.0, fallen = 0.0;
    for (int k = 0; k < 3; k++) {
        run r;
        run_begin(&r, RLT_SIMD_AUTO, 1, "time: {last: 170}\n" CLOUD CENTROID, steps[k], 5e4);
        run_frames(&r, 160);
        memcpy(rest[k], run_view(&r).points, sizeof rest[k]);
        run_end(&r);
    }
    for (int i = 0; i < 3 * CLOUD_POINTS; i++) {
        worst = fmax(worst, fmax(fabs(rest[1][i] - rest[0][i]), fabs(rest[2][i] - rest[0][i])));
        fallen = fmax(fallen, fabs(rest[0][i] - (i % 3 == 0 ? 6.0 : 0.0)));
    }
    print_message("24, 48 and 96 steps a second: at rest %.2g apart\n", worst);
    assert_true(worst < 1e-3 && fallen > 0.5);
}

/* In a gust, then in still air: nothing swings by itself. */
static void a_stiff_group_comes_to_rest(void **state) {
    (void)state;
    run r;
    double before[3 * CLOUD_POINTS], moves = 0.0, most = 0.0;
    run_begin(&r, RLT_SIMD_AUTO, 1,
              "time: {last: 250}\n" CLOUD CENTROID
              "wind: {velocity: [0, 300, 300], turbulence: 300, strength: [[40, 1], [50, 0]]}\n",
              1, 5.7e4);
    for (int f = 0; f < 200; f++) {
        memcpy(before, run_view(&r).points, sizeof before);
        run_frames(&r, 1);
        most = fmax(most, excess_of(&r));
        for (int i = 0; i < 3 * CLOUD_POINTS && f >= 190; i++)
            moves = fmax(moves, fabs(run_view(&r).points[i] - before[i]));
    }
    print_message("off by %.2g at most; moves by %.2g a frame in the end\n", most, moves);
    assert_true(most < 1.0 && moves < 1e-4);
    assert_int_equal(run_statistics(&r).newton_off, 0);
    run_end(&r);
}

/* ---- free fall ---- */

/* [unit/s^2]: little, because what is shown to groups is in single precision, and roots stay behind here. */
#define FALL   10.0
#define AGREED 2e-7 /* [unit] */
enum { STEPS = 40 };

/* Four free strands and their group, stepped as a solver does. */
typedef struct cloud {
    run r;
    rlti_body *body;
    rlti_strands *strands;
    rlti_holds *holds;
    rod_strand rods[4];
    rod_tile tiles[4];
    double mass[CLOUD_POINTS], step;
    int rounds;
} cloud;

static void cloud_begin(cloud *c, double step, double stiffness) {
    static const double sizes[] = {1.0};
    const rod_material material = {0.01, 4e9, 1.5e9, 1320.0, 0.0, 0.0};
    const void *meets[] = {c};
    *c = (cloud){.step = step};
    run_begin(&c->r, RLT_SIMD_AUTO, 1, "time: {last: 9}\n" CLOUD CENTROID, 1, stiffness);
    const rlti_scene_data *scene = rlti_scene_get(c->r.scene);
    assert_int_equal(rlti_body_create(scene, c->r.messages, &c->body), RLT_OK);
    assert_int_equal(rlti_groom_create(scene, c->body, c->r.messages, &c->strands), RLT_OK);
    for (int s = 0; s < 4; s++) {
        rod_strand *rod = &c->rods[s];
        rod->points = CLOUD_STRAND;
        for (int i = 0; i < CLOUD_STRAND; i++) {
            rod->x[i] = c->strands->points[CLOUD_STRAND * s + i];
            rod->v[i] = rlti_scale(20.0, rod_random_vector(7, CLOUD_STRAND * s + i));
        }
        rod_straight_directors(rod);
        rod_make_rest(rod, &material);
        memcpy(c->mass + CLOUD_STRAND * s, rod->mass, CLOUD_STRAND * sizeof(double));
        c->tiles[s] = rod_tile_create(RLT_SIMD_PORTABLE, RLTI_ENERGY_ROD, (const rod_strand *const[]){rod}, 1,
                                      CLOUD_STRAND, 0, 1);
    }
    rlti_holds_def def = {.scene = scene,
                          .size = sizes,
                          .strands = c->strands,
                          .body = c->body,
                          .mass = c->mass,
                          .meets = meets,
                          .outer_step = step,
                          .shortest_step = step};
    assert_int_equal(rlti_holds_create(&def, c->r.messages, &c->holds), RLT_OK);
    assert_int_equal(rlti_holds_begin_frame(c->holds, 1, c->r.messages), RLT_OK);
}

static void cloud_end(cloud *c) {
    for (int s = 0; s < 4; s++)
        rod_tile_destroy(&c->tiles[s]);
    rlti_holds_destroy(c->holds);
    rlti_groom_destroy(c->strands);
    rlti_body_destroy(c->body);
    run_end(&c->r);
}

/* Its momentum; kinetic energy in the system of its centre. */
static rlti_vec3 cloud_momentum(const cloud *c, double *kinetic) {
    rlti_vec3 sum = rlti_v3(0, 0, 0), x[CLOUD_STRAND], v[CLOUD_STRAND];
    double mass = 0.0, energy = 0.0;
    for (int s = 0; s < 4; s++) {
        c->tiles[s].engine->get_state(c->tiles[s].tile, 0, x, v, NULL, NULL);
        for (int i = 0; i < CLOUD_STRAND; i++) {
            sum = rlti_madd(sum, c->rods[s].mass[i], v[i]);
            energy += 0.5 * c->rods[s].mass[i] * rlti_dot(v[i], v[i]);
            mass += c->rods[s].mass[i];
        }
    }
    *kinetic = (energy - 0.5 * rlti_dot(sum, sum) / mass) / mass;
    return rlti_scale(1.0 / mass, sum);
}

static void cloud_set_holds(cloud *c) {
    static const rlti_vec3 origin;
    for (int s = 0; s < 4; s++) {
        rlti_hold holds[CLOUD_STRAND];
        rlti_holds_fill(c->holds, s, &origin, holds);
        c->tiles[s].engine->set_holds(c->tiles[s].tile, 0, holds, rlti_holds_of(c->holds, s));
    }
}

static void cloud_look(cloud *c) {
    static const rlti_vec3 origin;
    rlti_vec3 x[CLOUD_STRAND], v[CLOUD_STRAND];
    float points[CLOUD_STRAND][3], velocities[CLOUD_STRAND][3];
    rlti_holds_pose(c->holds, 1, 0.0);
    for (int s = 0; s < 4; s++) {
        c->tiles[s].engine->get_state(c->tiles[s].tile, 0, x, v, NULL, NULL);
        for (int i = 0; i < CLOUD_STRAND; i++) {
            rlti_v3_round(points[i], x[i]);
            rlti_v3_round(velocities[i], v[i]);
        }
        rlti_holds_look(c->holds, s, &origin, points[0], velocities[0]);
    }
    rlti_holds_meet(c->holds, NULL);
    for (int s = 0; s < 4; s++)
        rlti_holds_react(c->holds, s);
    rlti_holds_answer(c->holds, NULL);
}

static void cloud_step(cloud *c, int midpoint) {
    static const rlti_vec3 origin;
    rlti_implicit_step step = {.gravity = {0, -FALL, 0},
                               .seconds = c->step,
                               .midpoint = midpoint,
                               .iterations = 10000,
                               .tolerance = 1e-7};
    int again = 1;
    cloud_look(c);
    cloud_set_holds(c);
    for (int s = 0; s < 4; s++)
        c->tiles[s].engine->begin(c->tiles[s].tile, &step, c->tiles[s].scratch);
    for (int round = 0; again; round++) {
        for (int s = 0; s < 4; s++) {
            const rod_tile *t = &c->tiles[s];
            rlti_vec3 ends[CLOUD_STRAND], accelerations[CLOUD_STRAND];
            while (t->engine->iterate(t->tile, &step, t->scratch) != 0) {
            }
            t->engine->foresee(t->tile, 0, ends, accelerations);
            rlti_holds_foresee(c->holds, s, &origin, ends, accelerations);
        }
        again = rlti_holds_agree(c->holds, c, AGREED, NULL);
        if (again)
            cloud_set_holds(c);
        c->rounds = round > c->rounds ? round : c->rounds;
    }
    assert_true(rlti_holds_off(c->holds, 0) <= AGREED);
    for (int s = 0; s < 4; s++)
        c->tiles[s].engine->finish(c->tiles[s].tile, &step, c->tiles[s].scratch, NULL);
}

/* The group's own forces move it nowhere, and never make it faster. */
static void a_falling_group_keeps_its_momentum(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        cloud c;
        const double step = k < 2 ? 1.0 / 24 : 1e-3;
        cloud_begin(&c, step, (k == 0 ? 10.0 : 100.0) / (step * step));
        double first, last = 0.0, most = 0.0, off = 0.0;
        rlti_vec3 begin = cloud_momentum(&c, &first);
        for (int n = 1; n <= STEPS; n++) {
            cloud_step(&c, k == 2);
            rlti_vec3 fallen = rlti_v3(begin.x, begin.y - FALL * step * n, begin.z);
            double by = rlti_length(rlti_sub(cloud_momentum(&c, &last), fallen));
            off = fmax(off, by / sqrt(2.0 * first));
            most = fmax(most, last);
        }
        print_message("momentum off by %.2g; energy %.3g, at most %.3g, then %.3g; %d rounds\n", off, first,
                      most, last, c.rounds);
        assert_true(off < 0.05 * STEPS * AGREED / step / sqrt(2.0 * first)); /* of what rounds may leave */
        assert_true(most < first && last < (k < 2 ? 0.1 : 0.6) * first);
        assert_true(c.rounds < 30);
        cloud_end(&c);
    }
}

/* ---- what is said, and the same bytes ---- */

/* A group with points of a model that does not meet groups within its steps: its middle is known once a step,
 * and that limits its stiffness as ever. */
static void mixed_groups_are_met_once_a_step(void **state) {
    (void)state;
    run r;
    run_begin(
        &r, RLT_SIMD_AUTO, 1,
        "time: {last: 9, outer_steps: 20}\ncharacter: {kind: none}\nhair:\n"
        "- {name: a, model: rod, region: none, count: 3, spacing: 3, length: 8, contact: {enabled: off}}\n"
        "- {name: b, region: none, count: 3, spacing: 3, length: 8, contact: {enabled: off}}\n" CENTROID,
        1e6);
    assert_int_equal(count_says(&r, "acts as 230400: the middle of a group is known once a step; raise "
                                    "time.outer_steps to 42"),
                     1);
    run_end(&r);
}

static void threads_widths_and_checkpoints_do_not_show(void **state) {
    (void)state;
    uint64_t first = model_hash(RLT_SIMD_AUTO, 1, 0, BUSY);
    assert_true(model_hash(RLT_SIMD_AUTO, 3, 0, BUSY) == first);
    assert_true(model_hash(RLT_SIMD_AUTO, 2, 1, BUSY) == first);
    assert_true(model_hash(RLT_SIMD_PORTABLE, 1, 0, BUSY) == first);
}

static void ranks_do_not_show(void **state) {
    (void)state;
    mpi_needed();
    model_assert_ranks(self, model_hash(RLT_SIMD_AUTO, 1, 0, BUSY));
}

static int enter_folder(void **state) {
    (void)state;
    return folder_enter("rod_groups");
}

int main(int argc, char **argv) {
    if (argc > 1)
        return model_work(BUSY);
    if (realpath(argv[0], self) == NULL)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stiff_group_holds),
        cmocka_unit_test(rest_does_not_depend_on_steps),
        cmocka_unit_test(a_stiff_group_comes_to_rest),
        cmocka_unit_test(a_falling_group_keeps_its_momentum),
        cmocka_unit_test(mixed_groups_are_met_once_a_step),
        cmocka_unit_test(threads_widths_and_checkpoints_do_not_show),
        cmocka_unit_test(ranks_do_not_show),
    };
    return cmocka_run_group_tests(tests, enter_folder, folder_leave);
}
