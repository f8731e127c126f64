/* Links of a groom: nearest first, so many at a point, as by looking at all pairs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "contact/link/links.h"

static int allocations; /* counted by the watch below */
static int refused;     /* the allocation that fails, from 1; 0: none */

int rlti_memory_watch(int change) {
    int count = __atomic_add_fetch(&allocations, change >= 0, __ATOMIC_RELAXED);
    return change < 0 || count != refused;
}

enum { STRANDS = 40, POINTS = 12, ALL = STRANDS * POINTS };

typedef struct groom {
    int first[STRANDS + 1], group[STRANDS], most[STRANDS];
    double reach[STRANDS], self[STRANDS];
    rlti_vec3 rest[ALL];
    rlti_link_strands strands;
} groom;

static double roll(uint64_t seed, int id) {
    return rlti_random_signed(seed, (uint64_t)id, 9);
}

/* A bundle of wavy hair that turns back on itself; `even`: on a lattice, with many equal distances. */
static void make_groom(groom *g, uint64_t seed, int even, double reach, int most) {
    for (int s = 0; s < STRANDS; s++) {
        g->first[s + 1] = POINTS * (s + 1);
        g->group[s] = s % 7 == 0 ? (s % 14 == 0 ? -1 : 1) : 0;
        g->most[s] = s % 5 == 0 ? most + 1 : most;
        g->reach[s] = s % 3 == 0 ? 1.2 * reach : reach;
        g->self[s] = s % 4 == 0 ? 3.0 : 0.0;
        rlti_vec3 at = rlti_v3(2.0 * roll(seed, s), 0.0, 2.0 * roll(seed, s + 100));
        for (int p = 0; p < POINTS; p++) {
            int id = 1000 + s * POINTS + p;
            double angle = 0.7 * p;
            g->rest[s * POINTS + p] = even ? rlti_v3(s % 8, p, s / 8 % 3)
                                           : rlti_add(at, rlti_v3(cos(angle) + 0.2 * roll(seed, id), 0.1 * p,
                                                                  sin(angle) + 0.2 * roll(seed, id + 1000)));
        }
    }
    g->first[0] = 0;
    g->strands = (rlti_link_strands){STRANDS, g->first, g->rest, g->group, g->most, g->reach, g->self};
}

typedef struct pair {
    double distance;
    int a, b;
} pair;

static int compare(const void *left, const void *right) {
    const pair *x = left, *y = right;
    if (x->distance < y->distance || x->distance > y->distance)
        return x->distance < y->distance ? -1 : 1;
    return x->a != y->a ? (x->a < y->a ? -1 : 1) : (x->b < y->b ? -1 : 1);
}

/* All pairs, in order of distance. */
static int find_all(const groom *g, pair *kept, int *used) {
    static pair pairs[ALL * (ALL - 1) / 2];
    int count = 0, found = 0;
    memset(used, 0, ALL * sizeof *used);
    for (int a = 0; a < ALL; a++)
        for (int b = a + 1; b < ALL; b++) {
            int s = a / POINTS, t = b / POINTS;
            double distance = rlti_length(rlti_sub(g->rest[b], g->rest[a])), arc = 0.0;
            for (int p = a; p < b && s == t; p++)
                arc += rlti_length(rlti_sub(g->rest[p + 1], g->rest[p]));
            if (a % POINTS == 0 || b % POINTS == 0 || g->group[s] < 0 || g->group[s] != g->group[t] ||
                !(distance > 0.0) || distance > 0.5 * (g->reach[s] + g->reach[t]) ||
                (s == t && (g->self[s] <= 0.0 || arc <= g->self[s])))
                continue;
            pairs[count++] = (pair){distance, a, b};
        }
    qsort(pairs, (size_t)count, sizeof *pairs, compare);
    for (int k = 0; k < count; k++) {
        int a = pairs[k].a, b = pairs[k].b;
        if (used[a] >= g->most[a / POINTS] || used[b] >= g->most[b / POINTS])
            continue;
        used[a]++;
        used[b]++;
        kept[found++] = pairs[k];
    }
    return found;
}

static void same_as_all_pairs(void **state) {
    (void)state;
    const double reach[4] = {0.3, 1.0, 2.5, 500.0};
    groom g;
    static pair kept[ALL * 8];
    int used[ALL], full = 0, own = 0;
    for (int k = 0; k < 24; k++) {
        rlti_link *links;
        int count;
        make_groom(&g, (uint64_t)k, k % 6 == 5, reach[k % 4], k % 3 == 0 ? 1 : 4);
        int expected = find_all(&g, kept, used), matched = 0, rounds = 0;
        assert_true(rlti_links_find(&g.strands, &links, &count));
        assert_int_equal(count, expected);
        assert_true(count > 20);
        for (int i = 0; i < count; i++) {
            const rlti_link *l = &links[i];
            int a = g.first[l->strand[0]] + l->point[0], b = g.first[l->strand[1]] + l->point[1];
            assert_true(a < b);
            for (int j = 0; j < expected; j++)
                matched += kept[j].a == a && kept[j].b == b && kept[j].distance == l->rest;
            if (i > 0) { /* sorted: by strands, in each by rounds of points */
                const rlti_link *m = l - 1;
                rounds = m->strand[0] < l->strand[0] ? 0 : rounds + (l->point[0] <= m->point[0]);
                assert_true(m->strand[0] <= l->strand[0]);
                assert_true(rounds < g.most[l->strand[0]]);
            }
            own += l->strand[0] == l->strand[1];
        }
        assert_int_equal(matched, expected);
        for (int p = 0; p < ALL; p++) {
            assert_true(used[p] <= g.most[p / POINTS]);
            full += used[p] == g.most[p / POINTS];
        }
        rlti_free(links);
    }
    assert_true(full > 1000);
    assert_true(own > 20);
}

static void odd_grooms(void **state) {
    (void)state;
    groom g;
    rlti_link *links;
    int count, finite;
    make_groom(&g, 3, 0, 1.0, 3);
    assert_true(rlti_links_find(&g.strands, &links, &finite));
    rlti_free(links);
    g.rest[2 * POINTS + 4].y = NAN;
    g.rest[3 * POINTS + 4].x = INFINITY;
    assert_true(rlti_links_find(&g.strands, &links, &count));
    assert_true(count > 20 && count < finite + 10);
    for (int k = 0; k < count; k++)
        for (int side = 0; side < 2; side++)
            assert_true(links[k].point[side] != 4 || links[k].strand[side] / 2 != 1);
    rlti_free(links);
    for (int k = 0; k < 3; k++) { /* none */
        make_groom(&g, 3, 0, k == 0 ? 0.0 : 1.0, k == 1 ? -1 : 3);
        for (int s = 0; s < STRANDS && k == 2; s++)
            g.group[s] = -1;
        assert_true(rlti_links_find(&g.strands, &links, &count));
        assert_int_equal(count, 0);
        rlti_free(links);
    }
    make_groom(&g, 3, 0, 1.0, 3);
    for (int p = 0; p < ALL; p++)
        g.rest[p] = rlti_v3(1, 2, 3);
    assert_true(rlti_links_find(&g.strands, &links, &count));
    assert_int_equal(count, 0); /* in the same place */
    rlti_free(links);
}

static void out_of_memory(void **state) {
    (void)state;
    groom g;
    int failures = 0;
    make_groom(&g, 3, 0, 1.0, 3);
    for (int fails = 1, last = 0; !last; fails++) {
        rlti_link *links;
        int count;
        refused = allocations + fails;
        int done = rlti_links_find(&g.strands, &links, &count);
        last = allocations < refused;
        refused = 0;
        assert_int_equal(done, last);
        assert_true(done == (links != NULL) && done == (count > 0));
        failures += !done;
        rlti_free(links);
    }
    assert_true(failures > 6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_all_pairs),
        cmocka_unit_test(odd_grooms),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
