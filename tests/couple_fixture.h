/* Strands with dense matrices, and contacts and links of them: for tests of the solver that couples them. */
#ifndef COUPLE_FIXTURE_H
#define COUPLE_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "contact/couple/couple_data.h"

static int allocations; /* counted by the watch below */
static int refused;     /* the allocation that fails, from 1; 0: none */

int rlti_memory_watch(int change) {
    int count = __atomic_add_fetch(&allocations, change >= 0, __ATOMIC_RELAXED);
    return change < 0 || count != refused;
}

static double roll(uint64_t seed, int id) {
    return rlti_random_signed(seed, (uint64_t)id, 5);
}

/* Signorini and Coulomb, to `tolerance` of the sizes. */
static void check_law(const double u[3], const double r[3], const double mu[2], double u_size, double r_size,
                      double tolerance) {
    double slid = hypot(u[1], u[2]), rub = hypot(r[1], r[2]), small_u = tolerance * u_size,
           small_r = tolerance * r_size;
    assert_true(r[0] >= 0.0);
    assert_true(u[0] >= -small_u);
    assert_true(fmin(fabs(u[0]) / u_size, r[0] / r_size) <= tolerance);
    assert_true(rub <= mu[0] * r[0] + small_r);
    if (slid <= small_u || r[0] <= small_r)
        return;
    assert_true(fabs(rub - mu[1] * r[0]) <= small_r); /* slips: the kinetic force, against the motion */
    assert_true(fabs(u[1] * r[2] - u[2] * r[1]) <= small_u * r_size + small_r * slid);
    assert_true(u[1] * r[1] + u[2] * r[2] <= small_u * r_size);
}

/* ---- strands with dense matrices ---- */

enum { STRANDS = 12, POINTS = 8, ALL = STRANDS * POINTS, SIZE = 3 * POINTS, MOST = 200 };

typedef struct world {
    int first[STRANDS + 1], object[STRANDS], free_root;
    double mass[ALL], softness[ALL];
    double matrix[STRANDS][SIZE][SIZE], inverse[STRANDS][SIZE][SIZE];
    rlti_vec3 free[ALL], moved[ALL];
    int count;
    rlti_couple_contact contacts[MOST];
    int link_count;
    rlti_couple_link links[MOST];
    rlti_couple_operator strands;
    rlti_couple *couple;
    rlti_pool *pool;
} world;

static void solve_dense(const world *w, int strand, const rlti_vec3 *force, rlti_vec3 *moved) {
    const double *f = &force->x;
    double *x = &moved->x;
    for (int i = 0; i < SIZE; i++) {
        x[i] = 0.0;
        for (int j = 0; j < SIZE; j++)
            x[i] += w->inverse[strand][i][j] * f[j];
    }
}

static void solve_all(void *context, const int *strands, int count, const rlti_vec3 *force,
                      rlti_vec3 *moved) {
    const world *w = context;
    for (int k = 0; k < count; k++)
        solve_dense(w, strands[k], force + w->first[strands[k]], moved + w->first[strands[k]]);
}

static void block_dense(void *context, int strand, int edge, double block[6][6]) {
    const world *w = context;
    for (int i = 0; i < 36; i++)
        block[i / 6][i % 6] = w->inverse[strand][3 * edge + i / 6][3 * edge + i % 6];
}

static void push_dense(void *context, int strand, int edge, const double f[6], rlti_vec3 *moved) {
    const world *w = context;
    double *x = &moved->x;
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < 6; j++)
            x[i] += w->inverse[strand][i][3 * edge + j] * f[j];
}

/* Gauss and Jordan; rows of a root that is held stay 0. */
static void invert(world *w, int strand) {
    static double a[SIZE][2 * SIZE];
    int held = w->free_root ? 0 : 3;
    memset(a, 0, sizeof a);
    for (int i = 0; i < SIZE; i++) {
        for (int j = 0; j < SIZE; j++)
            a[i][j] = i < held || j < held ? (double)(i == j) : w->matrix[strand][i][j];
        a[i][SIZE + i] = i < held ? 0.0 : 1.0;
    }
    for (int k = 0; k < SIZE; k++) {
        double pivot = a[k][k];
        assert_true(pivot > 0.0);
        for (int j = 0; j < 2 * SIZE; j++)
            a[k][j] /= pivot;
        for (int i = 0; i < SIZE; i++)
            for (int j = 2 * SIZE - 1; i != k && j >= k; j--)
                a[i][j] -= a[i][k] * a[k][j];
    }
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++)
            w->inverse[strand][i][j] = 0.5 * (a[i][SIZE + j] + a[j][SIZE + i]);
}

/* M / h^2, stretch along x and bending of straight chains. */
static void make_strand(world *w, int strand, double stretch, double bend, double h) {
    double(*a)[SIZE] = w->matrix[strand];
    memset(a, 0, sizeof w->matrix[strand]);
    for (int p = 0; p < POINTS; p++) {
        int point = strand * POINTS + p;
        w->mass[point] = 0.5 + 0.3 * roll(99, point);
        w->softness[point] = p == 0 && !w->free_root ? 0.0 : h * h / w->mass[point];
        for (int k = 0; k < 3; k++)
            a[3 * p + k][3 * p + k] += w->mass[point] / (h * h);
    }
    for (int p = 0; p + 1 < POINTS; p++)
        for (int i = 0; i < 4; i++)
            a[3 * p + 3 * (i / 2)][3 * p + 3 * (i % 2)] += stretch * (i / 2 == i % 2 ? 1.0 : -1.0);
    for (int p = 0; p + 2 < POINTS; p++)
        for (int i = 0; i < 9; i++)
            for (int k = 1; k < 3; k++) {
                static const double row[3] = {1.0, -2.0, 1.0};
                a[3 * (p + i / 3) + k][3 * (p + i % 3) + k] += bend * row[i / 3] * row[i % 3];
            }
}

static world *make_world(double stretch, double bend, int free_root, int per_object, int threads) {
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->free_root = free_root;
    for (int s = 0; s < STRANDS; s++) {
        w->first[s + 1] = w->first[s] + POINTS;
        make_strand(w, s, stretch, bend, 0.1);
        invert(w, s);
    }
    assert_int_equal(rlti_couple_group(STRANDS, w->first, NULL, per_object * POINTS, w->object),
                     (STRANDS + per_object - 1) / per_object);
    for (int p = 0; p < ALL; p++)
        w->free[p] = rlti_v3(0.05 * roll(7, 3 * p), 0.05 * roll(7, 3 * p + 1), 0.05 * roll(7, 3 * p + 2));
    w->strands = (rlti_couple_operator){w, solve_all, block_dense, push_dense, w->softness, NULL};
    w->couple = rlti_couple_create(STRANDS, w->first, w->object);
    w->pool = rlti_pool_create(threads);
    assert_non_null(w->couple);
    return w;
}

static void free_world(world *w) {
    rlti_couple_destroy(w->couple);
    rlti_pool_destroy(w->pool);
    free(w);
}

/* Random contacts of neighbours and, every `body`-th, with something else; nearly all pressed together. */
static void add_contacts(world *w, uint64_t seed, int count, int body, double mu) {
    w->count = count;
    for (int k = 0; k < count; k++) {
        rlti_couple_contact *c = &w->contacts[k];
        uint64_t id = seed * 1000 + (uint64_t)k;
        int strand = k * STRANDS / count, other = (strand + 1 + k % 3) % STRANDS;
        *c = (rlti_couple_contact){
            .strand = {strand, body > 0 && k % body == 0 ? -1 : other},
            .edge = {1 + (int)(fabs(roll(id, 1)) * (POINTS - 2)),
                     1 + (int)(fabs(roll(id, 2)) * (POINTS - 2))},
            .share = {fabs(roll(id, 3)), fabs(roll(id, 4))},
            .normal = rlti_normalize(rlti_v3(0.3 * roll(id, 5), 1.0, 0.5 * roll(id, 6))),
            .gap = 0.02 * (roll(id, 7) - 0.7),
            .slip = rlti_v3(0.02 * roll(id, 8), 0.02 * roll(id, 9), 0.02 * roll(id, 10)),
            .friction = {mu, mu}};
    }
}

static rlti_couple_result run(world *w, rlti_couple_settings settings) {
    rlti_couple_result result;
    memcpy(w->moved, w->free, sizeof w->free);
    assert_true(rlti_couple_solve(w->couple, w->pool, &w->strands, &settings, w->contacts, w->count, w->links,
                                  w->link_count, w->moved, &result));
    return result;
}

/* Displacement and force of a contact in a frame of the test's own. */
static void own_frame(const world *w, const rlti_couple_contact *c, double u[3], double r[3]) {
    rlti_vec3 sum = rlti_v3(0, 0, 0), n = c->normal,
              t = rlti_normalize(rlti_cross(n, rlti_v3(0.1, 0.2, 0.9))), b = rlti_cross(n, t);
    for (int side = 0; side < 2; side++)
        if (c->strand[side] >= 0) {
            const rlti_vec3 *x = w->moved + w->first[c->strand[side]] + c->edge[side];
            rlti_vec3 at = rlti_add(rlti_scale(1.0 - c->share[side], x[0]), rlti_scale(c->share[side], x[1]));
            sum = side == 0 ? rlti_add(sum, at) : rlti_sub(sum, at);
        }
    u[0] = c->gap + rlti_dot(n, sum);
    u[1] = rlti_dot(t, rlti_add(sum, c->slip));
    u[2] = rlti_dot(b, rlti_add(sum, c->slip));
    r[0] = rlti_dot(n, c->force);
    r[1] = rlti_dot(t, c->force);
    r[2] = rlti_dot(b, c->force);
}

/* A (moved - free) = J^T f, by the matrix and not its inverse. Returns the greatest force on a point. */
static double check_motion(const world *w) {
    static double f[ALL][3];
    double most = 0.0;
    memset(f, 0, sizeof f);
    for (int k = 0; k < 2 * w->count; k++) {
        const rlti_couple_contact *c = &w->contacts[k / 2];
        int side = k & 1, strand = c->strand[side];
        double force[3], sign = side == 0 ? 1.0 : -1.0;
        rlti_v3_put(force, c->force);
        for (int i = 0; i < 6 && strand >= 0; i++)
            f[w->first[strand] + c->edge[side] + i / 3][i % 3] +=
                sign * (i < 3 ? 1.0 - c->share[side] : c->share[side]) * force[i % 3];
    }
    for (int k = 0; k < 2 * w->link_count; k++) {
        const rlti_couple_link *link = &w->links[k / 2];
        double force[3], sign = (k & 1) == 0 ? link->force : -link->force;
        rlti_v3_put(force, rlti_scale(sign, rlti_normalize(link->apart)));
        for (int i = 0; i < 3; i++)
            f[w->first[link->strand[k & 1]] + link->point[k & 1]][i] += force[i];
    }
    for (int p = 0; p < ALL; p++)
        for (int k = 0; k < 3; k++)
            most = fmax(most, fabs(f[p][k]));
    for (int s = 0; s < STRANDS; s++)
        for (int i = w->free_root ? 0 : 3; i < SIZE; i++) {
            double sum = 0.0;
            for (int j = 0; j < SIZE; j++) {
                const double *x = &w->moved[s * POINTS].x, *y = &w->free[s * POINTS].x;
                sum += w->matrix[s][i][j] * (x[j] - y[j]);
            }
            assert_true(fabs(sum - f[s * POINTS + i / 3][i % 3]) < 1e-8 * (most + 1.0));
        }
    return most;
}

static void check_contacts(const world *w, double tolerance) {
    for (int k = 0; k < w->count; k++) {
        double u[3], r[3];
        own_frame(w, &w->contacts[k], u, r);
        check_law(u, r, w->contacts[k].friction, 1.0, 1.0, tolerance);
    }
}

static const rlti_couple_settings exact[3] = {{RLTI_COUPLE_LUMPED, 200000, 3, 1e-14, 0.0, 0, 0, 0, 0},
                                              {RLTI_COUPLE_INVERSE, 200000, 1, 1e-14, 0.0, 0, 0, 0, 0},
                                              {RLTI_COUPLE_WHOLE, 200000, 1, 1e-14, 0.0, 0, 0, 0, 0}};

#endif
