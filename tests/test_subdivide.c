/* Smoothing of cages: known positions, sums of weights, boundaries, and what holds in the limit. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "geometry/subdivide.h"

static const double cube_points[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                         {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
static const int cube_counts[6] = {4, 4, 4, 4, 4, 4};
static const int cube_corners[24] = {0, 3, 2, 1, 4, 5, 6, 7, 0, 1, 5, 4, 1, 2, 6, 5, 2, 3, 7, 6, 3, 0, 4, 7};
static const rlti_cage cube = {8, 6, cube_counts, cube_corners};

static rlti_subdivision *smooth(rlti_scheme scheme, int levels, const rlti_cage *cage) {
    rlti_subdivision *s;
    assert_int_equal(rlti_subdivide("m", scheme, 0, levels, cage, NULL, &s), RLT_OK);
    /* every row sums to 1, in increasing order; every corner is a point */
    for (int p = 0; p < s->point_count; p++) {
        double sum = 0.0;
        for (int i = s->starts[p]; i < s->starts[p + 1]; i++) {
            sum += s->weights[i];
            assert_true(i == s->starts[p] || s->sources[i] > s->sources[i - 1]);
        }
        assert_true(fabs(sum - 1.0) < 1e-12);
    }
    for (int c = 0; c < s->corner_count; c++)
        assert_true(s->corners[c] >= 0 && s->corners[c] < s->point_count);
    return s;
}

static double (*place(const rlti_subdivision *s, const double *cage))[3] {
    double(*points)[3] = calloc((size_t)s->point_count, sizeof *points);
    rlti_subdivision_apply(s, 3, cage, points[0]);
    return points;
}

static void expect(const double *p, double x, double y, double z) {
    if (fabs(p[0] - x) > 1e-12 || fabs(p[1] - y) > 1e-12 || fabs(p[2] - z) > 1e-12)
        fail_msg("(%g %g %g) instead of (%g %g %g)", p[0], p[1], p[2], x, y, z);
}

/* By hand: corners go to 5/9, edges to 3/4, faces to their centres. */
static void test_cube_once(void **state) {
    (void)state;
    rlti_subdivision *s = smooth(RLTI_SCHEME_CATMULL_CLARK, 1, &cube);
    double(*p)[3] = place(s, cube_points[0]);
    assert_int_equal(s->point_count, 8 + 12 + 6);
    assert_int_equal(s->face_count, 24);
    for (int i = 0; i < 8; i++)
        expect(p[i], cube_points[i][0] * 5 / 9, cube_points[i][1] * 5 / 9, cube_points[i][2] * 5 / 9);
    expect(p[8], 0, -0.75, -0.75); /* edges are sorted by their points: 0-1 is the first */
    expect(p[8 + 12], 0, 0, -1);   /* the first face */
    for (int f = 0; f < 24; f++) {
        assert_int_equal(s->face_counts[f], 4);
        assert_int_equal(s->face_from[f], f / 4);
    }
    /* the first quad: corner, edge to the next corner, middle, edge from the corner before */
    assert_int_equal(s->corners[0], 0);
    assert_int_equal(s->corners[2], 20);
    free(p);
    rlti_subdivision_destroy(s);
}

static double volume(const rlti_subdivision *s, double (*p)[3]) {
    double sum = 0.0;
    for (int f = 0, first = 0; f < s->face_count; first += s->face_counts[f++])
        for (int k = 1; k + 1 < s->face_counts[f]; k++) {
            const double *a = p[s->corners[first]], *b = p[s->corners[first + k]],
                         *c = p[s->corners[first + k + 1]];
            sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                   a[2] * (b[0] * c[1] - b[1] * c[0]);
        }
    return sum / 6;
}

/* Each level changes the volume a quarter as much as the level before: the surface converges. */
static void test_limit(void **state) {
    (void)state;
    double volumes[6];
    for (int level = 0; level <= 5; level++) {
        rlti_subdivision *s = smooth(RLTI_SCHEME_CATMULL_CLARK, level, &cube);
        double(*p)[3] = place(s, cube_points[0]);
        volumes[level] = volume(s, p);
        assert_true(volumes[level] > 0.0);
        if (level == 5) /* in the limit (9 v + 4 sum of neighbours + sum of opposites) / 24 = 1/2 */
            for (int k = 0; k < 3; k++)
                assert_true(fabs(p[6][k] - 0.5) < 1e-3);
        free(p);
        rlti_subdivision_destroy(s);
    }
    assert_true(fabs(volumes[0] - 8.0) < 1e-12);
    for (int level = 3; level <= 5; level++) {
        double ratio = (volumes[level] - volumes[level - 1]) / (volumes[level - 1] - volumes[level - 2]);
        assert_true(ratio > 0.15 && ratio < 0.3);
    }
}

/* A flat grid stays flat and keeps its corners; its border is the cubic B-spline of its border points. */
static void test_boundary(void **state) {
    (void)state;
    double points[9][3];
    int counts[4] = {4, 4, 4, 4}, corners[16], used = 0;
    for (int i = 0; i < 9; i++) {
        points[i][0] = i % 3;
        points[i][1] = i / 3;
        points[i][2] = i == 1 ? 1.0 : 0.0; /* one point of the border is lifted */
    }
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 2; x++) {
            int a = 3 * y + x;
            corners[used++] = a;
            corners[used++] = a + 1;
            corners[used++] = a + 4;
            corners[used++] = a + 3;
        }
    rlti_cage grid = {9, 4, counts, corners};
    rlti_subdivision *s = smooth(RLTI_SCHEME_CATMULL_CLARK, 1, &grid);
    double(*p)[3] = place(s, points[0]);
    expect(p[0], 0, 0, 0); /* corners stay */
    expect(p[8], 2, 2, 0);
    expect(p[1], 1, 0, 0.75);  /* (1, 6, 1) / 8 */
    expect(p[9], 0.5, 0, 0.5); /* the edge 0-1: its middle */
    /* the middle: valence 4: v/2 + neighbours/16 + faces/16; of the lifted point 1/16 + 2 * (1/4)/16 */
    expect(p[4], 1, 1, 1.0 / 16 + 2.0 / 64);
    free(p);
    rlti_subdivision_destroy(s);
}

/* A regular tetrahedron: Loop with n = 3 gives each neighbour 3/16. */
static void test_loop(void **state) {
    (void)state;
    static const double points[4][3] = {{1, 1, 1}, {-1, -1, 1}, {-1, 1, -1}, {1, -1, -1}};
    static const int counts[4] = {3, 3, 3, 3}, corners[12] = {0, 1, 3, 0, 2, 1, 0, 3, 2, 1, 2, 3};
    rlti_cage cage = {4, 4, counts, corners};
    rlti_subdivision *s = smooth(RLTI_SCHEME_LOOP, 1, &cage);
    double(*p)[3] = place(s, points[0]);
    assert_int_equal(s->point_count, 4 + 6);
    assert_int_equal(s->face_count, 16);
    double k = 7.0 / 16 - 3.0 / 16; /* own - the others' sum is minus its own place */
    expect(p[0], k, k, k);
    expect(p[4], 3.0 / 8 * 0 + 1.0 / 8 * 0, 0, 3.0 / 8 * 2 - 1.0 / 8 * 2); /* the edge 0-1 */
    assert_true(volume(s, p) * volume(s, p) > 0.0);
    free(p);
    rlti_subdivision_destroy(s);
    rlt_messages *messages = rlt_messages_create();
    assert_int_equal(rlti_subdivide("f: /m", RLTI_SCHEME_LOOP, 0, 1, &cube, messages, &s), RLT_BAD_INPUT);
    assert_non_null(strstr(rlt_messages_text(messages, 0), "f: /m: face 0 has 4 corners"));
    assert_int_equal(rlti_subdivide("f", RLTI_SCHEME_CATMULL_CLARK, 0, 9, &cube, messages, &s),
                     RLT_BAD_INPUT);
    rlt_messages_destroy(messages);
}

/* Bilinear, and values at corners: the surface stays where it is. */
static void test_linear(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        rlti_subdivision *s;
        assert_int_equal(
            rlti_subdivide("m", k ? RLTI_SCHEME_BILINEAR : RLTI_SCHEME_CATMULL_CLARK, !k, 3, &cube, NULL, &s),
            RLT_OK);
        double(*p)[3] = place(s, cube_points[0]);
        assert_true(fabs(volume(s, p) - 8.0) < 1e-12);
        free(p);
        rlti_subdivision_destroy(s);
    }
}

/* Faces that hang together oddly do no harm: three at an edge, a repeated corner, loose points, a lone edge.
 */
static void test_odd_meshes(void **state) {
    (void)state;
    static const int counts[5] = {3, 3, 3, 4, 3},
                     corners[16] = {0, 1, 2, 0, 1, 3, 0, 1, 4, 0, 0, 1, 2, 5, 5, 5};
    double points[8][3] = {{0, 0, 0},  {1, 0, 0}, {0, 1, 0}, {0, 0, 1},
                           {0, -1, 0}, {2, 2, 2}, {3, 3, 3}, {4, 4, 4}};
    rlti_cage cage = {8, 5, counts, corners};
    for (int level = 1; level < 4; level++) {
        rlti_subdivision *s = smooth(RLTI_SCHEME_CATMULL_CLARK, level, &cage);
        double(*p)[3] = place(s, points[0]);
        expect(p[7], 4, 4, 4); /* a loose point stays */
        free(p);
        rlti_subdivision_destroy(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cube_once), cmocka_unit_test(test_limit),  cmocka_unit_test(test_boundary),
        cmocka_unit_test(test_loop),      cmocka_unit_test(test_linear), cmocka_unit_test(test_odd_meshes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
