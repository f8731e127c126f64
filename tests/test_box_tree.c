/* The tree of boxes: answers are those of looking at all triangles one by one; and what is built on it. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contact/body/crossing.h"
#include "contact/body/mesh_collider.h"
#include "reference_mesh.h"

/* A torus around `middle`, radii 6 and 2, bumpy, its triangles in an order that has nothing to do with
 * places; appended to the mesh. */
static void add_torus(rlti_mesh *mesh, rlti_vec3 middle, int ring, int tube) {
    int n = ring * tube, v0 = mesh->vertex_count, t0 = mesh->triangle_count;
    mesh->vertex_count += n;
    mesh->triangle_count += 2 * n;
    mesh->vertices = realloc(mesh->vertices, (size_t)mesh->vertex_count * sizeof *mesh->vertices);
    mesh->triangles = realloc(mesh->triangles, (size_t)mesh->triangle_count * sizeof *mesh->triangles);
    assert_non_null(mesh->vertices);
    assert_non_null(mesh->triangles);
    for (int i = 0; i < n; i++) {
        double u = 2.0 * RLTI_PI * (i / tube) / ring, v = 2.0 * RLTI_PI * (i % tube) / tube;
        double bump = 2.0 + 0.2 * sin(3.0 * v + 5.0 * u), r = 6.0 + bump * cos(v);
        mesh->vertices[v0 + i] = rlti_add(middle, rlti_v3(r * cos(u), bump * sin(v), r * sin(u)));
        int next = i % tube == tube - 1 ? i + 1 - tube : i + 1;
        int a = v0 + i, b = v0 + next, c = v0 + (i + tube) % n, d = v0 + (next + tube) % n;
        int first[3] = {a, b, c}, second[3] = {b, d, c};
        int place = t0 + 2 * (int)((long long)i * 7919 % n); /* a prime */
        memcpy(mesh->triangles[place], first, sizeof first);
        memcpy(mesh->triangles[place + 1], second, sizeof second);
    }
}

static void free_mesh(rlti_mesh *mesh) {
    free(mesh->vertices);
    free(mesh->triangles);
}

/* A turn that bends, so that the ways of the vertices are far from straight. */
static void turn(const rlti_mesh *mesh, rlti_surface *surface) {
    int n = mesh->vertex_count;
    for (int v = 0; v < n; v++) {
        rlti_vec3 x = mesh->vertices[v], across = rlti_cross(rlti_v3(0.2, 0.3, 0.1), x);
        surface->coefficients[v] = x;
        surface->coefficients[n + v] = rlti_add(rlti_v3(40, -10, 5), across);
        surface->coefficients[2 * n + v] = rlti_scale(0.5, rlti_cross(rlti_v3(0.2, 0.3, 0.1), across));
        surface->coefficients[3 * n + v] = rlti_v3(0, 0.3 * cos(x.z), -2);
    }
    rlti_surface_set_motion(surface);
}

static void hold(const rlti_mesh *mesh, rlti_surface *surface) {
    memset(surface->coefficients, 0, 4 * (size_t)mesh->vertex_count * sizeof(rlti_vec3));
    memcpy(surface->coefficients, mesh->vertices, (size_t)mesh->vertex_count * sizeof(rlti_vec3));
    rlti_surface_set_motion(surface);
}

/* One by one: `first`, then the others by index. */
static int one_by_one(const rlti_surface *surface, const float point[3], float limit, int first,
                      rlti_closest *closest) {
    rlti_triangle room;
    closest->distance2 = limit * limit;
    closest->triangle = -1;
    for (int i = -1; i < surface->triangle_count; i++) {
        int t = i < 0 ? first : i;
        if (t >= 0 && rlti_triangle_closest(rlti_surface_face(surface, t, &room), point, closest))
            closest->triangle = t;
    }
    return closest->triangle >= 0;
}

static void same_closest(const rlti_closest *a, const rlti_closest *b) {
    assert_int_equal(a->triangle, b->triangle);
    assert_int_equal(a->feature, b->feature);
    assert_memory_equal(a->weights, b->weights, sizeof a->weights);
    assert_memory_equal(a->offset, b->offset, sizeof a->offset);
    assert_true(a->distance2 == b->distance2);
}

/* To the last bit, on corners and edges too, wherever the search starts, at any time of the stretch. */
static void check_tree(int ring, int tube, int points) {
    rlti_mesh mesh = {0};
    add_torus(&mesh, rlti_v3(0, 0, 0), ring, tube);
    rlti_surface surface;
    rlti_grid grid;
    int found_count = 0, features[7] = {0};
    assert_int_equal(rlti_surface_create(&mesh, &surface), 1);
    assert_int_equal(rlti_grid_create(&surface, &grid), 1);
    turn(&mesh, &surface);
    rlti_grid_build(&grid, &surface, 0.25, 0.75, 0.4f);
    rlti_box_tree_part all = rlti_box_tree_common(0, surface.triangle_count - 1);
    assert_int_equal(all.level, grid.tree.level_count - 1);
    for (int step = 0; step <= 4; step++) {
        rlti_surface_pose(&surface, 0.25 + 0.125 * step, 24.0);
        for (int i = 0; i < points; i++) {
            const float *near = surface.position[(i * 337) % surface.vertex_count];
            double size =
                i % 4 == 0 ? 0.0 : (i % 4 == 1 ? 2.0 : 0.3); /* a vertex itself: many are as close */
            rlti_vec3 d = random_point(1000 * step + i, size);
            float point[3] = {near[0] + (float)d.x, near[1] + (float)d.y, near[2] + (float)d.z};
            rlti_closest got, expected;
            int first = i % 3 == 0 ? -1 : (i * 7) % surface.triangle_count;
            int from = i % 5 == 0 ? -1 : (i * 13) % surface.triangle_count;
            int found = one_by_one(&surface, point, 0.5f, first, &expected);
            assert_int_equal(
                rlti_box_tree_closest(&grid.tree, &surface, point, all, 0.5f, from, first, NULL, &got),
                found);
            if (!found)
                continue;
            same_closest(&got, &expected);
            /* one of those that are equally close may be asked for */
            int asked = surface.ring[surface.ring_start[surface.triangles[got.triangle][0]]] / 3;
            assert_int_equal(one_by_one(&surface, point, 0.5f, asked, &expected), 1);
            assert_int_equal(
                rlti_box_tree_closest(&grid.tree, &surface, point, all, 0.5f, from, asked, NULL, &got), 1);
            same_closest(&got, &expected);
            found_count++;
            features[got.feature]++;
        }
    }
    assert_true(found_count > points && found_count < 5 * points);
    for (int f = 0; f < 7; f++)
        assert_true(features[f] > 0);
    rlti_grid_destroy(&grid);
    rlti_surface_destroy(&surface);
    free_mesh(&mesh);
}

static void test_tree_agrees_to_the_last_bit(void **state) {
    (void)state;
    check_tree(40, 16, 700);
    check_tree(220, 60, 80); /* large: faces are made where they are needed */
}

/* Meshes of 1 to 40 triangles: nodes that are not full. */
static void test_small_trees(void **state) {
    (void)state;
    rlti_mesh whole = {0};
    add_torus(&whole, rlti_v3(0, 0, 0), 5, 4);
    for (int count = 1; count <= whole.triangle_count; count++) {
        rlti_mesh mesh = whole;
        mesh.triangle_count = count;
        rlti_surface surface;
        rlti_grid grid;
        assert_int_equal(rlti_surface_create(&mesh, &surface), 1);
        assert_int_equal(rlti_grid_create(&surface, &grid), 1);
        hold(&mesh, &surface);
        rlti_grid_build(&grid, &surface, 0.0, 1.0, 0.4f);
        rlti_box_tree_part all = rlti_box_tree_common(0, count - 1);
        assert_int_equal(all.level, grid.tree.level_count - 1);
        for (int i = 0; i < 50; i++) {
            rlti_vec3 p = random_point(i, 9.0);
            float point[3] = {(float)p.x, (float)p.y, (float)p.z};
            rlti_closest got, expected;
            assert_int_equal(one_by_one(&surface, point, 1e9f, -1, &expected), 1);
            assert_int_equal(
                rlti_box_tree_closest(&grid.tree, &surface, point, all, 1e9f, -1, -1, NULL, &got), 1);
            same_closest(&got, &expected);
        }
        rlti_grid_destroy(&grid);
        rlti_surface_destroy(&surface);
    }
    free_mesh(&whole);
}

/* Points that drift past a turning body: the same hits with a memory and without. */
static void test_memory_changes_nothing(void **state) {
    (void)state;
    enum { POINTS = 800, STEPS = 60 };
    rlti_mesh mesh = {0};
    add_torus(&mesh, rlti_v3(0, 0, 0), 60, 20);
    rlti_mesh_collider collider;
    static rlti_memory memory[POINTS];
    int hits = 0, remembered = 0;
    memset(memory, 0, sizeof memory);
    assert_int_equal(rlti_mesh_collider_create(&mesh, RLTI_SOLID, 1.3f, &collider), 1);
    turn(&mesh, &collider.surface);
    rlti_mesh_collider_set_motion(&collider);
    for (int step = 0; step < STEPS; step++) {
        double s = (double)step / STEPS, seconds = 1.0 / (24.0 * STEPS);
        rlti_mesh_collider_pose(&collider, s, 24.0);
        for (int i = 0; i < POINTS; i++) {
            rlti_vec3 at = random_point(i, 8.5), v = random_point(5000 + i, i % 2 ? 10.0 : 100.0);
            const float *drift = collider.surface.drift;
            float local[3] = {(float)(at.x + s / 24.0 * v.x), (float)(0.4 * at.y + s / 24.0 * v.y),
                              (float)(at.z + s / 24.0 * v.z)};
            float velocity[3] = {(float)v.x + drift[0], (float)v.y + drift[1], (float)v.z + drift[2]};
            rlti_hit with, without;
            memset(&with, 0, sizeof with);
            memset(&without, 0, sizeof without);
            int a = rlti_mesh_collider_hit(&collider, local, velocity, 0.3, seconds, 0, &memory[i], &with);
            int b = rlti_mesh_collider_hit(&collider, local, velocity, 0.3, seconds, 0, NULL, &without);
            assert_int_equal(a, b);
            assert_memory_equal(&with, &without, sizeof with);
            hits += a;
        }
    }
    for (int i = 0; i < POINTS; i++)
        remembered += memory[i].radius > 0.0f;
    assert_true(hits > 1000 && hits < POINTS * STEPS / 2);
    assert_true(remembered > 100);
    rlti_mesh_collider_destroy(&collider);
    free_mesh(&mesh);
}

/* Two large tori, apart and through each other: as many pairs as looking at all of them finds. */
static long long count_pairs(rlti_vec3 middle, int ring, int tube, int *patch_size) {
    rlti_mesh mesh = {0};
    add_torus(&mesh, rlti_v3(0, 0, 0), ring, tube);
    int first_count = mesh.vertex_count, first[2] = {-1, -1};
    add_torus(&mesh, middle, ring, tube);
    rlti_surface surface;
    rlti_grid grid;
    assert_int_equal(rlti_surface_create(&mesh, &surface), 1);
    assert_int_equal(rlti_grid_create(&surface, &grid), 1);
    hold(&mesh, &surface);
    rlti_grid_build(&grid, &surface, 0.0, 1.0, 0.4f);
    long long pairs = rlti_crossing_pairs(&grid, &surface, first);
    if (pairs > 0) { /* one of each torus */
        assert_true(first[0] >= 0 && first[1] > first[0] && first[1] < surface.triangle_count);
        assert_true((surface.triangles[first[0]][0] < first_count) !=
                    (surface.triangles[first[1]][0] < first_count));
    }
    *patch_size = surface.patch_size;
    rlti_grid_destroy(&grid);
    rlti_surface_destroy(&surface);
    free_mesh(&mesh);
    return pairs;
}

/* Segment p-q through triangle a-b-c, in double precision. */
static int passes(rlti_vec3 p, rlti_vec3 q, rlti_vec3 a, rlti_vec3 b, rlti_vec3 c) {
    rlti_vec3 n = rlti_cross(rlti_sub(b, a), rlti_sub(c, a));
    double over_p = rlti_dot(n, rlti_sub(p, a)), over_q = rlti_dot(n, rlti_sub(q, a));
    if ((over_p >= 0.0) == (over_q >= 0.0))
        return 0;
    rlti_vec3 x = rlti_madd(p, over_p / (over_p - over_q), rlti_sub(q, p));
    return rlti_dot(n, rlti_cross(rlti_sub(b, a), rlti_sub(x, a))) >= 0.0 &&
           rlti_dot(n, rlti_cross(rlti_sub(c, b), rlti_sub(x, b))) >= 0.0 &&
           rlti_dot(n, rlti_cross(rlti_sub(a, c), rlti_sub(x, c))) >= 0.0;
}

static long long reference_pairs(rlti_vec3 middle, int ring, int tube) {
    rlti_mesh mesh = {0};
    add_torus(&mesh, rlti_v3(0, 0, 0), ring, tube);
    int half = mesh.triangle_count;
    add_torus(&mesh, middle, ring, tube);
    long long pairs = 0;
    for (int t = 0; t < half; t++)
        for (int u = half; u < mesh.triangle_count; u++) {
            rlti_vec3 a[3], b[3];
            for (int k = 0; k < 3; k++) {
                a[k] = mesh.vertices[mesh.triangles[t][k]];
                b[k] = mesh.vertices[mesh.triangles[u][k]];
            }
            if (fabs(a[0].x - b[0].x) + fabs(a[0].y - b[0].y) + fabs(a[0].z - b[0].z) > 1.5)
                continue; /* no edge is longer than 0.5 */
            int cut = 0;
            for (int k = 0; k < 3 && !cut; k++)
                cut = passes(a[k], a[(k + 1) % 3], b[0], b[1], b[2]) ||
                      passes(b[k], b[(k + 1) % 3], a[0], a[1], a[2]);
            pairs += cut;
        }
    free_mesh(&mesh);
    return pairs;
}

static void test_crossing_pairs_of_a_large_mesh(void **state) {
    (void)state;
    int patch_size;
    rlti_vec3 through = rlti_v3(6.1, 0.53, 0.27), apart = rlti_v3(0.3, 7.0, 0.2);
    assert_true(count_pairs(apart, 110, 40, &patch_size) == 0);
    assert_true(patch_size > 1);
    long long expected = reference_pairs(through, 110, 40);
    long long pairs = count_pairs(through, 110, 40, &patch_size);
    assert_true(patch_size > 1);
    assert_true(expected > 200);
    assert_true(llabs(pairs - expected) <= 2); /* vertices are rounded to single precision */
}

/* A grid for one time finds the same as one for a stretch, whenever it is asked, and reaches less far. */
static void test_grids_of_an_instant_find_the_same(void **state) {
    (void)state;
    rlti_mesh mesh = {0};
    add_torus(&mesh, rlti_v3(0, 0, 0), 60, 20);
    rlti_mesh_collider whole, instant;
    const double times[] = {1.0, 0.3, 0.31, 0.31, 0.9};
    const float still[3] = {0, 0, 0};
    int hits = 0;
    assert_int_equal(rlti_mesh_collider_create(&mesh, RLTI_SOLID, 1.3f, &whole), 1);
    assert_int_equal(rlti_mesh_collider_create(&mesh, RLTI_SOLID, 1.3f, &instant), 1);
    instant.instant = 1;
    turn(&mesh, &whole.surface);
    turn(&mesh, &instant.surface);
    rlti_mesh_collider_set_motion(&whole);
    rlti_mesh_collider_set_motion(&instant);
    for (int n = 0; n < 5; n++) {
        rlti_mesh_collider_pose(&whole, times[n], 24.0);
        rlti_mesh_collider_pose(&instant, times[n], 24.0);
        assert_true(instant.grid.margin < whole.grid.margin);
        for (int i = 0; i < 2000; i++) {
            rlti_vec3 at = random_point(i, 8.5);
            float local[3] = {(float)at.x, (float)(0.4 * at.y), (float)at.z};
            rlti_hit a, b;
            memset(&a, 0, sizeof a);
            memset(&b, 0, sizeof b);
            int found = rlti_mesh_collider_hit(&whole, local, still, 0.3, 0.0, 0, NULL, &a);
            assert_int_equal(rlti_mesh_collider_hit(&instant, local, still, 0.3, 0.0, 0, NULL, &b), found);
            if (!found || a.distance < -1.0)
                continue;
            /* of triangles that share the closest edge either may be found: the same but for rounding */
            assert_true(fabs(a.distance - b.distance) < 1e-5 && fabs(a.height - b.height) < 1e-5);
            for (int k = 0; k < 3; k++)
                assert_true(fabs(a.velocity[k] - b.velocity[k]) < 1e-2);
            hits++;
        }
    }
    assert_true(hits > 500);
    rlti_mesh_collider_destroy(&whole);
    rlti_mesh_collider_destroy(&instant);
    free_mesh(&mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree_agrees_to_the_last_bit),
        cmocka_unit_test(test_small_trees),
        cmocka_unit_test(test_memory_changes_nothing),
        cmocka_unit_test(test_grids_of_an_instant_find_the_same),
        cmocka_unit_test(test_crossing_pairs_of_a_large_mesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
