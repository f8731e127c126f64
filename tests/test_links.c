/* Links solved with strands and contacts: their law to rounding, against springs in the matrix. */

#include <ringlet/simulation.h>

#include "couple_fixture.h"

/* Random links of neighbours, of a strand with itself now and then; `ratio`: damping over stiffness is the
 * same for pull and push. */
static void add_links(world *w, uint64_t seed, int count, double stiffness, int ratio) {
    w->link_count = count;
    for (int k = 0; k < count; k++) {
        uint64_t id = seed * 1000 + 500 + (uint64_t)k;
        int strand = k * STRANDS / count, other = (strand + k % 4) % STRANDS;
        int point = 1 + (int)(fabs(roll(id, 1)) * (POINTS - 1));
        int second = other == strand ? 1 + (point + 2) % (POINTS - 1) : (int)(fabs(roll(id, 2)) * POINTS);
        double pull = stiffness * (1.1 + roll(id, 3)), push = stiffness * (1.1 + roll(id, 4));
        w->links[k] = (rlti_couple_link){
            .strand = {strand, other},
            .point = {point, second},
            .apart = rlti_v3(0.3 * roll(id, 5), 0.3 * roll(id, 6), 0.3 * roll(id, 7)),
            .grown = 0.02 * roll(id, 8),
            .stiffness = {pull, push},
            .damping = {pull * (ratio ? 0.4 : fabs(roll(id, 9))), push * (ratio ? 0.4 : fabs(roll(id, 10)))}};
        w->links[k].rest = rlti_length(w->links[k].apart) + 0.03 * roll(id, 11);
    }
}

/* How far a link grows by the solution. */
static double growth(const world *w, const rlti_couple_link *l) {
    return rlti_dot(rlti_normalize(l->apart), rlti_sub(w->moved[w->first[l->strand[0]] + l->point[0]],
                                                       w->moved[w->first[l->strand[1]] + l->point[1]]));
}

/* The force by the law, as a displacement of the stiffest side; returns links by what they do. */
static void check_links(const world *w, double tolerance, int states[3]) {
    memset(states, 0, 3 * sizeof *states);
    for (int k = 0; k < w->link_count; k++) {
        const rlti_couple_link *l = &w->links[k];
        double by = growth(w, l), e = rlti_length(l->apart) - l->rest + by, g = l->grown + by;
        double pull = fmax(0.0, l->stiffness[0] * e + l->damping[0] * g),
               push = fmin(0.0, l->stiffness[1] * e + l->damping[1] * g),
               stiff = fmax(l->stiffness[0] + l->damping[0], l->stiffness[1] + l->damping[1]);
        assert_true(fabs(l->force + pull + push) <= tolerance * (stiff + 1.0));
        states[pull > 0.0 && push < 0.0 ? 2 : pull > 0.0]++;
    }
}

/* ---- springs in the matrix ---- */

enum { WHOLE = 3 * ALL };

static double system_of[WHOLE][WHOLE + 1];

/* Gauss with the diagonal as pivots: the matrix is positive definite. */
static void solve_system(double *x) {
    for (int k = 0; k < WHOLE; k++)
        for (int i = k + 1; i < WHOLE; i++) {
            double factor = system_of[i][k] / system_of[k][k];
            for (int j = k; j <= WHOLE && factor != 0.0; j++)
                system_of[i][j] -= factor * system_of[k][j];
        }
    for (int i = WHOLE - 1; i >= 0; i--) {
        x[i] = system_of[i][WHOLE];
        for (int j = i + 1; j < WHOLE; j++)
            x[i] -= system_of[i][j] * x[j];
        x[i] /= system_of[i][i];
    }
}

/* A link as a spring of one stiffness and damping, on top of the strands. */
static void add_spring(const world *w, const rlti_couple_link *l, double stiffness, double damping) {
    int at[2] = {3 * (w->first[l->strand[0]] + l->point[0]), 3 * (w->first[l->strand[1]] + l->point[1])};
    double axis[3], begin = stiffness * (rlti_length(l->apart) - l->rest) + damping * l->grown;
    rlti_v3_put(axis, rlti_normalize(l->apart));
    for (int i = 0; i < 6; i++) {
        double row = (i < 3 ? 1.0 : -1.0) * axis[i % 3];
        system_of[at[i / 3] + i % 3][WHOLE] -= row * begin;
        for (int j = 0; j < 6; j++)
            system_of[at[i / 3] + i % 3][at[j / 3] + j % 3] +=
                row * (j < 3 ? 1.0 : -1.0) * axis[j % 3] * (stiffness + damping);
    }
}

/* The motion with springs of the sides that act now; roots are held. */
static void solve_directly(const world *w, double *x) {
    memset(system_of, 0, sizeof system_of);
    for (int i = 0; i < WHOLE; i++) {
        const double *row = w->matrix[i / SIZE][i % SIZE], *free = &w->free[i / SIZE * POINTS].x;
        for (int j = 0; j < SIZE; j++) {
            system_of[i][i / SIZE * SIZE + j] = row[j];
            system_of[i][WHOLE] += row[j] * free[j];
        }
    }
    for (int k = 0; k < w->link_count; k++) {
        const rlti_couple_link *l = &w->links[k];
        double by = growth(w, l), e = rlti_length(l->apart) - l->rest + by, g = l->grown + by;
        if (l->stiffness[0] * e + l->damping[0] * g > 0.0)
            add_spring(w, l, l->stiffness[0], l->damping[0]);
        if (l->stiffness[1] * e + l->damping[1] * g < 0.0)
            add_spring(w, l, l->stiffness[1], l->damping[1]);
    }
    for (int i = 0; i < WHOLE; i++)
        for (int j = 0; i % SIZE < 3 && j <= WHOLE; j++)
            system_of[i][j] = j == WHOLE ? (&w->free[i / 3].x)[i % 3] : (double)(i == j);
    solve_system(x);
}

static void same_as_springs_in_the_matrix(void **state) {
    (void)state;
    const double stiffness[3] = {20.0, 300.0, 1e5};
    int both = 0;
    for (int k = 0; k < 18; k++) {
        static double x[WHOLE];
        int states[3];
        world *w = make_world(50.0, 20.0, 0, 4, 1);
        rlti_couple_settings settings = exact[k % 3];
        settings.accelerate = k & 1 || k / 3 % 3 == 2;
        add_links(w, (uint64_t)k, 40, stiffness[k / 3 % 3], k < 9);
        rlti_couple_result result = run(w, settings);
        assert_true(result.residual <= 1e-14 && result.links == 40 && result.unresolved_links == 0);
        assert_true(check_motion(w) > 0.01);
        check_links(w, 1e-10, states);
        assert_true(states[0] + states[2] > 5 && states[1] + states[2] > 5 && (k >= 9 || states[2] == 0));
        both += states[2];
        solve_directly(w, x);
        for (int i = 0; i < WHOLE; i++)
            assert_true(fabs(x[i] - (&w->moved[i / 3].x)[i % 3]) < 1e-8);
        free_world(w);
    }
    assert_true(both > 3);
}

/* ---- with contacts ---- */

static void with_contacts(void **state) {
    (void)state;
    const double stretch[3] = {0.0, 50.0, 2000.0}, bend[3] = {0.0, 20.0, 300.0};
    for (int k = 0; k < 9; k++) {
        int states[3];
        world *w = make_world(stretch[k % 3], bend[k % 3], 0, 4, 1);
        add_contacts(w, (uint64_t)k, 20, 3, k % 2 ? 0.9 : 0.3);
        add_links(w, (uint64_t)k, 20, 300.0, k % 2);
        rlti_couple_result result = run(w, exact[k / 3]);
        assert_true(result.residual <= 1e-14 && result.unresolved + result.unresolved_links == 0);
        assert_true(result.touching > 5 && result.contacts == 20 && result.links == 20);
        check_motion(w);
        check_contacts(w, 1e-10);
        check_links(w, 1e-10, states);
        free_world(w);
    }
}

static void links_keep_momentum(void **state) {
    (void)state;
    for (int k = 0; k < 6; k++) {
        world *w = make_world(50.0, 20.0, 1, 3, 1);
        add_links(w, 20 + (uint64_t)k, 60, 1e4, 0);
        add_contacts(w, 20 + (uint64_t)k, 20, 0, 0.4);
        run(w, (rlti_couple_settings){.block = (rlti_couple_block)(k % 3),
                                      .max_cbs = k < 3 ? 3 : 50,
                                      .max_lcp = 3,
                                      .accelerate = k > 2});
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

/* ---- odd links ---- */

static void links_that_can_do_nothing(void **state) {
    (void)state;
    world *w = make_world(50.0, 20.0, 0, 4, 1);
    const rlti_couple_link link = {.strand = {2, 3},
                                   .point = {4, 4},
                                   .apart = {0.1, 0.2, 0.0},
                                   .rest = 0.1,
                                   .stiffness = {100.0, 100.0},
                                   .damping = {10.0, 10.0}};
    w->link_count = 6;
    for (int k = 0; k < 6; k++)
        w->links[k] = link;
    w->links[0].apart = rlti_v3(0, 0, 0);                    /* no direction */
    w->links[1].point[0] = w->links[1].point[1] = 0;         /* roots are held */
    w->links[2].strand[1] = 2;                               /* a point with itself */
    w->links[3].stiffness[0] = w->links[3].damping[0] = 0.0; /* only pushes, and is stretched */
    w->links[4].apart.x = NAN;
    w->links[5].grown = NAN;
    for (int block = 0; block < 3; block++) {
        rlti_couple_result result = run(w, exact[block]);
        assert_true(result.residual == 0.0);
        assert_memory_equal(w->moved, w->free, sizeof w->free);
        for (int k = 0; k < 6; k++)
            assert_true(w->links[k].force == 0.0);
    }
    free_world(w);
}

/* ---- many steps: stable, however stiff, with the paper's few iterations ---- */

static void stable_at_any_stiffness(void **state) {
    (void)state;
    const double stiffness[4] = {1e3, 1e9, 1e30, 1e300};
    for (int k = 0; k < 16; k++) { /* the last four: lumped masses in single precision */
        int single = k >= 12;
        world *w = make_world(50.0, 20.0, 1, 4, 1);
        rlti_vec3 velocity[ALL], place[ALL];
        double begin = 0.0, energy = 0.0;
        add_links(w, 7, 60, stiffness[single ? k - 12 : k / 3], 1);
        for (int p = 0; p < ALL; p++) {
            velocity[p] = w->free[p];
            place[p] = rlti_v3(0, 0, 0);
            begin += w->mass[p] * rlti_dot(velocity[p], velocity[p]);
        }
        for (int l = 0; l < w->link_count; l++)
            w->links[l].rest = rlti_length(w->links[l].apart);
        for (int step = 0; step < 300; step++) {
            for (int s = 0; s < STRANDS; s++) { /* one implicit step of the strands alone */
                rlti_vec3 push[POINTS];
                for (int p = 0; p < POINTS; p++)
                    push[p] = rlti_scale(100.0 * w->mass[s * POINTS + p], velocity[s * POINTS + p]);
                for (int i = 0; i < SIZE; i++)
                    for (int j = 0; j < SIZE; j++)
                        (&push[i / 3].x)[i % 3] -=
                            (w->matrix[s][i][j] - (i == j ? 100.0 * w->mass[s * POINTS + i / 3] : 0.0)) *
                            (&place[s * POINTS].x)[j];
                solve_dense(w, s, push, w->free + s * POINTS);
            }
            for (int l = 0; l < w->link_count; l++)
                w->links[l].grown = 0.0;
            run(w, (rlti_couple_settings){.block = single ? RLTI_COUPLE_LUMPED : (rlti_couple_block)(k % 3),
                                          .max_cbs = 3,
                                          .max_lcp = 3,
                                          .accelerate = 1,
                                          .single = single});
            for (int l = 0; l < w->link_count; l++) { /* small motions: directions stay */
                double length = rlti_length(w->links[l].apart), by = growth(w, &w->links[l]);
                w->links[l].apart = rlti_scale((length + by) / length, w->links[l].apart);
            }
            energy = 0.0;
            for (int p = 0; p < ALL; p++) {
                velocity[p] = w->moved[p];
                place[p] = rlti_add(place[p], w->moved[p]);
                energy += w->mass[p] * rlti_dot(velocity[p], velocity[p]);
            }
            assert_true(energy < 3.0 * begin);
        }
        assert_true(energy < begin);
        free_world(w);
    }
}

/* ---- threads and memory ---- */

static void links_same_bytes(void **state) {
    (void)state;
    for (int block = 0; block < 3; block++) {
        world *w = make_world(50.0, 20.0, 0, 2, 1);
        rlti_couple_settings settings = {.block = (rlti_couple_block)block,
                                         .max_cbs = 5,
                                         .max_lcp = 3,
                                         .compliance = 1e-3,
                                         .accelerate = 1};
        rlti_vec3 moved[ALL];
        add_contacts(w, 41, 60, 4, 0.3);
        add_links(w, 41, 120, 300.0, 0);
        run(w, settings);
        memcpy(moved, w->moved, sizeof moved);
        rlti_pool_destroy(w->pool);
        w->pool = rlti_pool_create(3);
        run(w, settings);
        int before = allocations, counted = 0;
        run(w, settings);
        assert_int_equal(allocations, before);
        assert_memory_equal(moved, w->moved, sizeof moved);
        const rlti_couple *c = w->couple;
        for (int t = 0; t < c->plan.task_count; t++)
            counted += c->plan.tasks[t].count;
        for (int t = 0; t < c->link_plan.task_count; t++)
            counted += c->link_plan.tasks[t].count;
        assert_int_equal(counted, 180);
        free_world(w);
    }
}

/* Contacts and links of a batch share no point: the result is that of one after the other. */
static void check_batches(const rlti_couple *c) {
    int items = 0;
    for (int b = 0; b < c->plan.batch_count + c->link_plan.batch_count; b++) {
        int used[ALL] = {0}, link = b >= c->plan.batch_count;
        const rlti_couple_lumps *contacts = (const rlti_couple_lumps *)c->lumps + (link ? 0 : b);
        const rlti_couple_springs *links =
            (const rlti_couple_springs *)c->link_batches + (link ? b - c->plan.batch_count : 0);
        for (int k = 0; k < RLTI_COUPLE_BATCH; k++) {
            if (!((link ? links->used : contacts->used) >> k & 1))
                continue;
            items++;
            for (int side = 0; side < (link || contacts->hair >> k & 1 ? 2 : 1); side++)
                for (int i = 0; i < (link ? 1 : 2); i++) {
                    int point = (link ? links->point[side][k] : contacts->point[side][k]) + i;
                    assert_true(point < ALL && used[point]++ == 0);
                }
        }
    }
    assert_int_equal(items, 180);
}

/* A task's points are those of its items, the two of an edge are neighbours, and each point is handed on from
 * task to task: one begins with it, and one is the last. */
static void check_members(const world *w) {
    const rlti_couple *c = w->couple;
    int begun[ALL] = {0}, ended[ALL] = {0};
    for (int t = 0; t < c->plan.task_count; t++) {
        const rlti_couple_task *task = &c->plan.tasks[t];
        const rlti_couple_member *members = c->plan.members + task->member;
        for (int k = 0; k < task->members; k++) {
            begun[members[k].point] += members[k].before == 0 || members[k].before == -1;
            ended[members[k].point] += members[k].before < 0;
        }
        for (int b = task->batch; b < task->batch + task->batches; b++)
            for (int k = 0; k < RLTI_COUPLE_BATCH; k++) {
                const rlti_couple_lumps *l = (const rlti_couple_lumps *)c->lumps + b;
                const rlti_couple_contact *contact = &w->contacts[l->item[k] >= 0 ? l->item[k] : 0];
                for (int side = 0; side < 2 && l->item[k] >= 0 && contact->strand[side] >= 0; side++)
                    for (int i = 0; i < 2; i++)
                        assert_int_equal(members[l->point[side][k] + i].point,
                                         w->first[contact->strand[side]] + contact->edge[side] + i);
            }
        for (int b = 0; task->link >= 0 && b < c->link_plan.tasks[task->link].batches; b++)
            for (int k = 0; k < RLTI_COUPLE_BATCH; k++) {
                const rlti_couple_springs *l =
                    (const rlti_couple_springs *)c->link_batches + c->link_plan.tasks[task->link].batch + b;
                const rlti_couple_link *link = &w->links[l->item[k] >= 0 ? l->item[k] : 0];
                for (int side = 0; side < 2 && l->item[k] >= 0; side++)
                    assert_int_equal(members[l->point[side][k]].point,
                                     w->first[link->strand[side]] + link->point[side]);
            }
    }
    for (int p = 0; p < ALL; p++)
        assert_true(begun[p] == ended[p] && begun[p] <= 1);
}

/* Builds of both precisions. */
static void list_kernels(const void *kernels[2][3]) {
    for (int k = 0; k < 3; k++) {
        kernels[0][k] = &rlti_couple_kernel_portable;
        kernels[1][k] = &rlti_couple_kernel_single_portable;
    }
#if defined(RLTI_HAVE_X86)
    if (rlt_simd_available(RLT_SIMD_AVX2)) {
        kernels[0][1] = &rlti_couple_kernel_avx2;
        kernels[1][1] = &rlti_couple_kernel_single_avx2;
    }
    if (rlt_simd_available(RLT_SIMD_AVX512)) {
        kernels[0][2] = &rlti_couple_kernel_avx512;
        kernels[1][2] = &rlti_couple_kernel_single_avx512;
    }
#endif
}

/* Every width of lanes gives the same bytes, pull and push that both act included. */
static void lanes_same_bytes(void **state) {
    (void)state;
    const void *kernels[2][3];
    list_kernels(kernels);
    for (int kind = 0; kind < 4; kind++) {
        int single = kind >> 1;
        world *w = make_world(50.0, 20.0, 0, 2, 1);
        rlti_couple_settings settings = {
            .max_cbs = 5, .max_lcp = 3, .accelerate = kind & 1, .single = single};
        rlti_vec3 moved[ALL];
        add_contacts(w, 43, 60, 4, 0.3);
        add_links(w, 43, 120, 300.0, 1);
        for (int k = 0; k < w->link_count; k += 3)
            w->links[k].damping[0] = 0.5 * w->links[k].stiffness[0];
        for (int k = 0; k < w->count; k++)
            w->contacts[k].friction[1] = 0.2;
        rlti_couple_result first = run(w, settings);
        memcpy(moved, w->moved, sizeof moved);
        if (!single) {
            check_batches(w->couple);
            check_members(w);
        }
        for (int k = 0; k < 3; k++) {
            w->couple->kernel = kernels[single][k];
            rlti_couple_result again = run(w, settings);
            assert_memory_equal(moved, w->moved, sizeof moved);
            assert_true(first.residual == again.residual && again.touching > 10);
            assert_true(first.deepest == again.deepest && first.deepest_contact == again.deepest_contact);
            assert_true(first.touching == again.touching && first.slipping == again.slipping);
        }
        free_world(w);
    }
}

static void links_out_of_memory(void **state) {
    (void)state;
    world *w = make_world(50.0, 20.0, 0, 2, 1);
    const rlti_couple_settings settings = {.max_cbs = 5, .max_lcp = 3, .compliance = 1e-3, .accelerate = 1};
    rlti_vec3 moved[ALL];
    int failures = 0;
    add_contacts(w, 41, 60, 4, 0.3);
    add_links(w, 41, 120, 300.0, 0);
    run(w, settings);
    memcpy(moved, w->moved, sizeof moved);
    for (int fails = 1, last = 0; !last; fails++) {
        rlti_couple_destroy(w->couple);
        rlti_couple_result result;
        w->couple = rlti_couple_create(STRANDS, w->first, w->object);
        assert_non_null(w->couple);
        refused = allocations + fails;
        memcpy(w->moved, w->free, sizeof w->free);
        int done = rlti_couple_solve(w->couple, w->pool, &w->strands, &settings, w->contacts, w->count,
                                     w->links, w->link_count, w->moved, &result);
        last = allocations < refused;
        refused = 0;
        assert_int_equal(done, last);
        failures += !done;
        run(w, settings);
        assert_memory_equal(moved, w->moved, sizeof moved);
    }
    assert_true(failures > 8);
    free_world(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_springs_in_the_matrix),
        cmocka_unit_test(with_contacts),
        cmocka_unit_test(links_keep_momentum),
        cmocka_unit_test(links_that_can_do_nothing),
        cmocka_unit_test(stable_at_any_stiffness),
        cmocka_unit_test(links_same_bytes),
        cmocka_unit_test(lanes_same_bytes),
        cmocka_unit_test(links_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
