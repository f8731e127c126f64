/* Nearest points and continuous detection of edges and triangles: never missed, against oracles that
 * sample. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/random.h"
#include "contact/edge/nearest.h"
#include "contact/edge/passing.h"

typedef struct dice {
    uint64_t id, next;
} dice;

static double roll(dice *d) {
    return rlti_random_signed(d->id, d->next++, 77);
}

static rlti_vec3 roll_vector(dice *d, double size) {
    double x = roll(d), y = roll(d), z = roll(d);
    return rlti_v3(size * x, size * y, size * z);
}

static double roll_size(dice *d, double low, double high) {
    return low * pow(high / low, 0.5 + 0.5 * roll(d));
}

/* ---- nearest points ---- */

static rlti_vec3 corner_mix(const rlti_vec3 c[3], const double w[3]) {
    return rlti_madd(rlti_madd(rlti_scale(w[0], c[0]), w[1], c[1]), w[2], c[2]);
}

static void edges_case(const rlti_vec3 x[4]) {
    double share[2], distance = rlti_nearest_edges(x, x + 2, share);
    for (int k = 0; k < 2; k++)
        assert_true(share[k] >= 0.0 && share[k] <= 1.0);
    rlti_vec3 between = rlti_sub(rlti_between(x[0], x[1], share[0]), rlti_between(x[2], x[3], share[1]));
    assert_true(fabs(rlti_length(between) - distance) <= 1e-12 * (1.0 + distance));
    for (int i = 0; i <= 20; i++)
        for (int j = 0; j <= 20; j++) {
            rlti_vec3 other =
                rlti_sub(rlti_between(x[0], x[1], i / 20.0), rlti_between(x[2], x[3], j / 20.0));
            assert_true(distance <= rlti_length(other) + 1e-9);
        }
}

static void nearest_edges(void **state) {
    (void)state;
    for (uint64_t id = 0; id < 3000; id++) {
        dice d = {id, 0};
        rlti_vec3 x[4], u = roll_vector(&d, roll_size(&d, 1e-3, 3.0));
        double aside = id % 3 == 0 ? 0.0 : roll_size(&d, 1e-9, 3.0); /* parallel, nearly so, any */
        x[0] = roll_vector(&d, 1.0);
        x[1] = rlti_add(x[0], id % 7 == 0 ? rlti_v3(0, 0, 0) : u);
        x[2] = id % 11 == 0 ? rlti_madd(x[0], roll(&d), u) : roll_vector(&d, 1.0);
        x[3] = rlti_add(rlti_madd(x[2], roll(&d), u), roll_vector(&d, aside));
        edges_case(x);
    }
}

static void nearest_face(void **state) {
    (void)state;
    for (uint64_t id = 0; id < 3000; id++) {
        dice d = {id, 0};
        rlti_vec3 c[3], p = roll_vector(&d, 1.5);
        for (int k = 0; k < 3; k++)
            c[k] = roll_vector(&d, 1.0);
        if (id % 5 == 0) /* no area */
            c[2] = rlti_between(c[0], c[1], id % 2 ? 0.3 : 1.7);
        if (id % 35 == 0)
            c[1] = c[2] = c[0];
        double w[3], distance = rlti_nearest_face(p, c, w);
        assert_true(fabs(w[0] + w[1] + w[2] - 1.0) < 1e-12 && w[0] >= 0 && w[1] >= 0 && w[2] >= 0);
        assert_true(fabs(rlti_length(rlti_sub(p, corner_mix(c, w))) - distance) < 1e-9);
        for (int i = 0; i <= 20; i++)
            for (int j = 0; i + j <= 20; j++) {
                double other[3] = {i / 20.0, j / 20.0, (20 - i - j) / 20.0};
                assert_true(distance <= rlti_length(rlti_sub(p, corner_mix(c, other))) + 1e-9);
            }
    }
}

/* ---- the oracle: the step in many parts, sides by volumes, no nearest points ---- */

enum { PARTS = 1000 };

static double volume(const rlti_vec3 x[4]) {
    return rlti_dot(rlti_sub(x[1], x[0]), rlti_cross(rlti_sub(x[2], x[0]), rlti_sub(x[3], x[0])));
}

static void place(const rlti_moving points[4], double time, rlti_vec3 x[4]) {
    for (int k = 0; k < 4; k++)
        x[k] = rlti_between(points[k].from, points[k].to, time);
}

/* In one plane: by how much the lines meet within both edges, or the point lies within the triangle;
 * negative: not. */
static double within(const rlti_vec3 x[4], int face) {
    double most = 1.0;
    if (face) {
        rlti_vec3 n = rlti_cross(rlti_sub(x[2], x[1]), rlti_sub(x[3], x[1]));
        for (int k = 0; k < 3; k++) {
            rlti_vec3 a = x[1 + (k + 1) % 3], b = x[1 + (k + 2) % 3];
            double w = rlti_dot(n, rlti_cross(rlti_sub(a, x[0]), rlti_sub(b, x[0]))) / rlti_dot(n, n);
            most = fmin(most, w);
        }
        return most;
    }
    rlti_vec3 u = rlti_sub(x[1], x[0]), v = rlti_sub(x[3], x[2]), w = rlti_sub(x[2], x[0]),
              n = rlti_cross(u, v);
    double s = rlti_dot(rlti_cross(w, v), n) / rlti_dot(n, n),
           t = rlti_dot(rlti_cross(w, u), n) / rlti_dot(n, n);
    return fmin(fmin(s, 1.0 - s), fmin(t, 1.0 - t));
}

/* The time of the first passage, or -1. */
static double oracle(const rlti_moving points[4], int face) {
    rlti_vec3 x[4];
    place(points, 0.0, x);
    double before = volume(x);
    for (int i = 1; i <= PARTS; i++) {
        double from = (double)(i - 1) / PARTS, to = (double)i / PARTS;
        place(points, to, x);
        double after = volume(x);
        if ((before > 0.0) != (after > 0.0)) {
            for (int k = 0; k < 50; k++) {
                double middle = 0.5 * (from + to);
                place(points, middle, x);
                if ((volume(x) > 0.0) == (before > 0.0))
                    from = middle;
                else
                    to = middle;
            }
            place(points, from, x);
            if (within(x, face) > 0.0)
                return from;
        }
        before = after;
    }
    return -1.0;
}

/* Edges or a triangle of any size, at a speed from slow to many lengths a step, aimed at each other or not;
 * `far` is where in the world. */
static void throw_pair(uint64_t id, int face, double far, rlti_moving points[4]) {
    dice d = {id, 1000};
    double size = roll_size(&d, 0.01, 10.0), speed = size * roll_size(&d, 0.01, 100.0);
    rlti_vec3 origin = roll_vector(&d, far), push = roll_vector(&d, speed);
    double when = 0.5 + 0.5 * roll(&d);
    for (int k = 0; k < 4; k++) {
        int second = face ? k > 0 : k > 1;
        rlti_vec3 middle = rlti_add(origin, roll_vector(&d, face && k == 0 ? 0.2 * size : size));
        rlti_vec3 own = rlti_add(roll_vector(&d, 0.3 * size), second ? push : rlti_v3(0, 0, 0));
        points[k].from = rlti_madd(middle, -when, own);
        points[k].to = rlti_madd(middle, 1.0 - when, own);
    }
}

static void throw_all(int face, int count, double far) {
    int passed = 0;
    for (int id = 0; id < count; id++) {
        rlti_moving points[4];
        rlti_passing found = {0};
        throw_pair((uint64_t)id, face, far, points);
        double time = oracle(points, face);
        int met = face ? rlti_passing_face(points, &found) : rlti_passing_edges(points, &found);
        passed += time >= 0.0;
        if (time >= 0.0) {
            assert_true(met);
            assert_true(found.time <= time + 1e-3);
        }
        if (!met)
            continue;
        rlti_vec3 x[4], sum = rlti_v3(0, 0, 0);
        place(points, found.time, x);
        for (int k = 0; k < 4; k++)
            sum = rlti_madd(sum, (face ? k > 0 : k > 1) ? -found.weights[k] : found.weights[k], x[k]);
        double longest = fmax(rlti_length(rlti_sub(x[3], x[2])), rlti_length(rlti_sub(x[1], x[0])));
        assert_true(rlti_length(sum) <= 1e-5 * fmax(longest, rlti_length(rlti_sub(x[3], x[1]))) + 1e-9);
    }
    assert_true(passed > count / 20);
}

static void throws_of_edges(void **state) {
    (void)state;
    throw_all(0, 10000, 0.0);
}

static void throws_far_away(void **state) {
    (void)state;
    throw_all(0, 1000, 1e5);
    throw_all(1, 1000, 1e5);
}

static void throws_of_points_at_faces(void **state) {
    (void)state;
    throw_all(1, 5000, 0.0);
}

/* ---- motion in one plane, where the cubic is zero all the time ---- */

static double turn2(rlti_vec3 a, rlti_vec3 b, rlti_vec3 c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static int cross_flat(const rlti_vec3 x[4]) {
    return turn2(x[0], x[1], x[2]) * turn2(x[0], x[1], x[3]) < 0.0 &&
           turn2(x[2], x[3], x[0]) * turn2(x[2], x[3], x[1]) < 0.0;
}

static void throws_in_a_plane(void **state) {
    (void)state;
    int met = 0;
    for (int id = 0; id < 3000; id++) {
        rlti_moving points[4];
        rlti_vec3 x[4];
        rlti_passing found;
        throw_pair((uint64_t)id, 0, 0.0, points);
        for (int k = 0; k < 4; k++)
            points[k].from.z = points[k].to.z = 0.0;
        int crossed = 0;
        for (int i = 0; i <= 200 && !crossed; i++) {
            place(points, i / 200.0, x);
            crossed = cross_flat(x);
        }
        met += crossed;
        if (crossed)
            assert_true(rlti_passing_edges(points, &found));
    }
    assert_true(met > 300);
}

/* ---- single cases ---- */

static rlti_moving still(double x, double y, double z) {
    return (rlti_moving){rlti_v3(x, y, z), rlti_v3(x, y, z)};
}

static rlti_moving falls(double x, double y, double from, double to) {
    return (rlti_moving){rlti_v3(x, y, from), rlti_v3(x, y, to)};
}

static void ends_of_the_step(void **state) {
    (void)state;
    rlti_passing found;
    for (int at_end = 0; at_end < 2; at_end++) {
        double from = at_end ? 1.0 : 0.0, to = at_end ? 0.0 : -1.0;
        rlti_moving edges[4] = {still(-1, 0, 0), still(1, 0, 0), falls(0.3, -1, from, to),
                                falls(0.3, 1, from, to)};
        assert_true(rlti_passing_edges(edges, &found));
        assert_true(fabs(found.time - at_end) < 1e-5);
        assert_true(fabs(found.weights[1] - 0.65) < 1e-5 && fabs(found.weights[3] - 0.5) < 1e-5);
        rlti_moving face[4] = {falls(0.2, 0.2, from, to), still(0, 0, 0), still(1, 0, 0), still(0, 1, 0)};
        assert_true(rlti_passing_face(face, &found));
        assert_true(fabs(found.time - at_end) < 1e-5);
    }
    /* through a common end of two edges, and past it */
    rlti_moving corner[4] = {still(-1, 0, 0), still(0, 0, 0), falls(0, -1, 1, -1), falls(0, 1, 1, -1)};
    assert_true(rlti_passing_edges(corner, &found));
    rlti_moving past[4] = {still(-1, 0, 0), still(0, 0, 0), falls(1e-3, -1, 1, -1), falls(1e-3, 1, 1, -1)};
    assert_false(rlti_passing_edges(past, &found));
}

static void parallel_edges(void **state) {
    (void)state;
    rlti_passing found;
    rlti_moving through[4] = {still(0, 0, 0), still(1, 0, 0), falls(0.5, 0, 2, -1), falls(1.5, 0, 2, -1)};
    assert_true(rlti_passing_edges(through, &found));
    assert_true(fabs(found.time - 2.0 / 3.0) < 1e-5);
    rlti_moving beside[4] = {still(0, 0, 0), still(1, 0, 0), falls(0.5, 1e-3, 2, -1),
                             falls(1.5, 1e-3, 2, -1)};
    assert_false(rlti_passing_edges(beside, &found));
    /* along one line, one behind the other */
    rlti_moving line[4] = {still(0, 0, 0),
                           still(1, 0, 0),
                           {rlti_v3(2, 0, 0), rlti_v3(0.9, 0, 0)},
                           {rlti_v3(3, 0, 0), rlti_v3(1.9, 0, 0)}};
    assert_true(rlti_passing_edges(line, &found));
    assert_true(fabs(found.time - 1.0 / 1.1) < 1e-4);
    line[2].to.x = 1.1;
    line[3].to.x = 2.1;
    assert_false(rlti_passing_edges(line, &found));
}

static void no_length(void **state) {
    (void)state;
    rlti_passing found;
    rlti_moving point[4] = {still(-1, 0, 0), still(1, 0, 0), falls(0, 0, 1, -1), falls(0, 0, 1, -1)};
    assert_true(rlti_passing_edges(point, &found)); /* a point through an edge */
    rlti_moving points[4] = {still(0, 0, 0), still(0, 0, 0), falls(0, 0, 1, -1), falls(0, 0, 1, -1)};
    assert_true(rlti_passing_edges(points, &found)); /* through a point */
    rlti_moving none[4] = {still(0, 0, 0), still(0, 0, 0), falls(0, 1, 1, -1), falls(0, 1, 1, -1)};
    assert_false(rlti_passing_edges(none, &found));
    rlti_moving odd[4] = {still(NAN, 0, 0), still(1, 0, 0), falls(0, -1, 1, -1), falls(0, 1, 1, -1)};
    assert_false(rlti_passing_edges(odd, &found));
    rlti_moving sliver[4] = {falls(0.5, 0, 1, -1), still(0, 0, 0), still(1, 0, 0), still(0.5, 0, 0)};
    assert_true(rlti_passing_face(sliver, &found)); /* a triangle without area is its sides */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_edges),     cmocka_unit_test(nearest_face),
        cmocka_unit_test(throws_of_edges),   cmocka_unit_test(throws_far_away),
        cmocka_unit_test(throws_in_a_plane), cmocka_unit_test(throws_of_points_at_faces),
        cmocka_unit_test(ends_of_the_step),  cmocka_unit_test(parallel_edges),
        cmocka_unit_test(no_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
