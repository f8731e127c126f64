/* Closest points, signs and the grid on small meshes. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "contact/body/grid.h"
#include "reference_mesh.h"

static rlti_vec3 cube_vertices[8];
static int cube_triangles[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};

/* Corners at +-1. */
static rlti_mesh cube(void) {
    for (int i = 0; i < 8; i++)
        cube_vertices[i] = rlti_v3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
    return (rlti_mesh){
        .vertex_count = 8, .triangle_count = 12, .vertices = cube_vertices, .triangles = cube_triangles};
}

static rlti_vec3 tetra_vertices[4] = {
    {0, 0, 0}, {3, 0, 0}, {0.5, 2, 0}, {0.4, 0.3, 1}}; /* sharp and flat edges */
static int tetra_triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};

static rlti_mesh tetra(void) {
    return (rlti_mesh){
        .vertex_count = 4, .triangle_count = 4, .vertices = tetra_vertices, .triangles = tetra_triangles};
}

enum { RING = 40, TUBE = 16 };
static rlti_vec3 torus_vertices[RING * TUBE];
static int torus_triangles[2 * RING * TUBE][3];

/* Radii 6 and `thick`: closed, with a hole, both convex and concave features. */
static rlti_mesh torus(double thick) {
    for (int i = 0; i < RING; i++)
        for (int j = 0; j < TUBE; j++) {
            double u = 2.0 * RLTI_PI * i / RING, v = 2.0 * RLTI_PI * j / TUBE;
            double bump = thick * (1.0 + 0.2 * sin(3.0 * v + 5.0 * u));
            double r = 6.0 + bump * cos(v);
            torus_vertices[i * TUBE + j] = rlti_v3(r * cos(u), bump * sin(v), r * sin(u));
            int a = i * TUBE + j, b = i * TUBE + (j + 1) % TUBE;
            int c = (i + 1) % RING * TUBE + j, d = (i + 1) % RING * TUBE + (j + 1) % TUBE;
            int first[3] = {a, b, c}, second[3] = {b, d, c};
            memcpy(torus_triangles[2 * a], first, sizeof first);
            memcpy(torus_triangles[2 * a + 1], second, sizeof second);
        }
    return (rlti_mesh){.vertex_count = RING * TUBE,
                       .triangle_count = 2 * RING * TUBE,
                       .vertices = torus_vertices,
                       .triangles = torus_triangles};
}

static void hold_rest(const rlti_mesh *mesh, rlti_surface *surface) {
    memset(surface->coefficients, 0, 4 * (size_t)mesh->vertex_count * sizeof(rlti_vec3));
    memcpy(surface->coefficients, mesh->vertices, (size_t)mesh->vertex_count * sizeof(rlti_vec3));
    rlti_surface_set_motion(surface);
    rlti_surface_weigh(surface, 0.0);
    rlti_surface_pose(surface, 0.0, 24.0);
}

static double surface_distance(const rlti_surface *surface, rlti_vec3 p, rlti_closest *closest) {
    rlti_vec3 d = rlti_sub(p, surface->centre);
    float local[3] = {(float)d.x, (float)d.y, (float)d.z}, normal[3];
    closest->distance2 = FLT_MAX;
    assert_int_equal(rlti_surface_closest(surface, local, closest), 1);
    rlti_surface_pseudonormal(surface, closest, normal);
    double along = 0.0;
    for (int k = 0; k < 3; k++)
        along += (double)normal[k] * (double)closest->offset[k];
    double length = sqrt((double)closest->distance2);
    return along < 0.0 ? -length : length;
}

static void check_signs(const rlti_mesh *mesh, double size, int seen[7]) {
    rlti_surface surface;
    assert_int_equal(rlti_surface_create(mesh, &surface), 1);
    hold_rest(mesh, &surface);
    memset(seen, 0, 7 * sizeof(int));
    for (int i = 0; i < 20000; i++) {
        rlti_vec3 p = random_point(i, size);
        rlti_closest closest;
        double expected = reference_distance(mesh, mesh->vertices, p);
        double got = surface_distance(&surface, p, &closest);
        if (fabs(expected) > 1e-5)
            assert_true(fabs(got - expected) < 1e-5);
        seen[closest.feature]++;
        /* weights give the closest point back */
        rlti_vec3 c = rlti_v3(0, 0, 0);
        for (int k = 0; k < 3; k++)
            c = rlti_madd(c, (double)closest.weights[k],
                          mesh->vertices[mesh->triangles[closest.triangle][k]]);
        assert_true(fabs(rlti_length(rlti_sub(p, c)) - fabs(expected)) < 1e-5);
    }
    rlti_surface_destroy(&surface);
}

static void test_signs_on_a_cube(void **state) {
    (void)state;
    rlti_mesh mesh = cube();
    int seen[7];
    check_signs(&mesh, 2.0, seen);
    for (int f = 0; f < 7; f++)
        assert_true(seen[f] > 0);
}

static void test_signs_on_a_tetrahedron(void **state) {
    (void)state;
    rlti_mesh mesh = tetra();
    int seen[7];
    check_signs(&mesh, 3.5, seen);
    for (int f = 0; f < 7; f++)
        assert_true(seen[f] > 0);
}

/* On both sides of every corner and edge middle of the cube, along the diagonal through it. */
static void test_features_of_a_cube(void **state) {
    (void)state;
    rlti_mesh mesh = cube();
    rlti_surface surface;
    rlti_closest closest;
    assert_int_equal(rlti_surface_create(&mesh, &surface), 1);
    hold_rest(&mesh, &surface);
    for (int i = 0; i < 27; i++) {
        rlti_vec3 feature = rlti_v3(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1);
        double axes = rlti_dot(feature, feature); /* 1 face, 2 edge, 3 corner */
        if (axes == 0.0)
            continue;
        double out = surface_distance(&surface, rlti_scale(1.25, feature), &closest);
        assert_true(fabs(out - 0.25 * sqrt(axes)) < 1e-6);
        double in = surface_distance(&surface, rlti_scale(0.75, feature), &closest);
        assert_true(fabs(in + 0.25) < 1e-6);
    }
    rlti_surface_destroy(&surface);
}

static void test_degenerate_triangles_do_no_harm(void **state) {
    (void)state;
    rlti_mesh good = cube();
    int triangles[15][3];
    memcpy(triangles, cube_triangles, sizeof cube_triangles);
    int bad[3][3] = {{0, 0, 0}, {1, 1, 7}, {2, 5, 2}};
    memcpy(triangles[12], bad, sizeof bad);
    rlti_mesh mesh = good;
    mesh.triangle_count = 15;
    mesh.triangles = triangles;
    rlti_surface surface;
    rlti_grid grid;
    assert_int_equal(rlti_surface_create(&mesh, &surface), 1);
    assert_int_equal(rlti_grid_create(&surface, &grid), 1);
    hold_rest(&mesh, &surface);
    rlti_grid_build(&grid, &surface, 0.0, 1.0, 0.5f);
    for (int i = 0; i < 2000; i++) {
        rlti_vec3 p = random_point(i, 1.5);
        float local[3] = {(float)p.x, (float)p.y, (float)p.z}, from_centre2, distance = 1.0f;
        double expected = reference_distance(&good, good.vertices, p);
        rlti_closest closest;
        const rlti_grid_cell *cell = rlti_grid_look_up(&grid, local, &from_centre2);
        int found = cell != NULL && rlti_grid_closest(&grid, &surface, cell, from_centre2, local, 0.4f, -1,
                                                      &closest, &distance);
        if (fabs(expected - 0.4) > 1e-5)
            assert_int_equal(found, expected < 0.4);
        if (found && fabs(expected) > 1e-5 && expected > -0.5)
            assert_true(fabs((double)distance - expected) < 1e-5);
    }
    rlti_grid_destroy(&grid);
    rlti_surface_destroy(&surface);
}

/* A translation, a turn, and a wobble of its own for every vertex. */
static void move(const rlti_mesh *mesh, rlti_surface *surface, double amount, rlti_vec3 place) {
    int n = mesh->vertex_count;
    for (int v = 0; v < n; v++) {
        rlti_vec3 x = mesh->vertices[v];
        surface->coefficients[v] = rlti_add(x, place);
        surface->coefficients[n + v] =
            rlti_add(rlti_v3(40, -10, 5), rlti_scale(amount, rlti_cross(rlti_v3(0.2, 0.3, 0.1), x)));
        surface->coefficients[2 * n + v] = rlti_v3(3, 0, amount * 0.1 * sin(x.x + 2.0 * x.y));
        surface->coefficients[3 * n + v] = rlti_v3(0, amount * 0.1 * cos(x.z), -2);
    }
    rlti_surface_set_motion(surface);
}

static void pose_reference(const rlti_surface *surface, double s, rlti_vec3 *vertices) {
    int n = surface->vertex_count;
    for (int v = 0; v < n; v++) {
        const rlti_vec3 *c = surface->coefficients + v;
        vertices[v] = rlti_madd(c[0], s, rlti_madd(c[n], s, rlti_madd(c[2 * n], s, c[3 * n])));
    }
}

/* Every point: found exactly when its signed distance is below the reach, with the right distance; deep ones
 * too. */
static void check_grid(double thick, double amount, double from, double to, rlti_vec3 place, int *deep) {
    rlti_mesh mesh = torus(thick);
    rlti_surface surface;
    rlti_grid grid;
    const float reach = 0.3f;
    rlti_vec3 vertices[RING * TUBE];
    assert_int_equal(rlti_surface_create(&mesh, &surface), 1);
    assert_int_equal(rlti_grid_create(&surface, &grid), 1);
    move(&mesh, &surface, amount, place);
    rlti_grid_build(&grid, &surface, from, to, 0.4f);
    for (int step = 0; step <= 4; step++) {
        double s = from + (to - from) * step / 4.0;
        rlti_surface_pose(&surface, s, 24.0);
        pose_reference(&surface, s, vertices);
        for (int i = 0; i < 120; i++) {
            rlti_vec3 near = vertices[(i * 37) % (RING * TUBE)];
            rlti_vec3 p = rlti_add(near, random_point(1000 * step + i, i % 3 == 0 ? thick : 0.8));
            double expected = reference_distance(&mesh, vertices, p);
            rlti_vec3 d = rlti_sub(p, surface.centre);
            float local[3] = {(float)d.x, (float)d.y, (float)d.z}, from_centre2, distance = 0.0f;
            rlti_closest closest;
            const rlti_grid_cell *cell = rlti_grid_look_up(&grid, local, &from_centre2);
            int found = cell != NULL && rlti_grid_closest(&grid, &surface, cell, from_centre2, local, reach,
                                                          -1, &closest, &distance);
            if (fabs(expected - (double)reach) < 1e-4 || fabs(expected) < 1e-4)
                continue;
            assert_int_equal(found, expected < (double)reach);
            if (found && fabs(expected) < (double)grid.margin)
                assert_true(fabs((double)distance - expected) < 1e-4);
            if (expected <= -(double)grid.margin) {
                ++*deep;
                assert_true((double)distance <= expected + 1e-4 && (double)distance > 2.0 * expected);
            }
        }
    }
    rlti_grid_destroy(&grid);
    rlti_surface_destroy(&surface);
}

static void test_grid_agrees_with_brute_force(void **state) {
    (void)state;
    int deep = 0;
    rlti_vec3 origin = rlti_v3(0, 0, 0), far = rlti_v3(100000.0, 0, -50000.0);
    check_grid(2.5, 0.0, 0.0, 1.0, origin, &deep);
    check_grid(2.5, 1.0, 0.0, 0.25, origin, &deep);
    check_grid(2.5, 1.0, 0.75, 1.0, far, &deep);
    check_grid(0.8, 1.0, 0.0, 1.0, origin, &deep); /* travels further than the margin and the tube are wide */
    assert_true(deep > 20);
}

enum { FINE_RING = 220, FINE_TUBE = 60 };

/* A torus of 26,400 triangles, radii 6 and 2, in an order that has nothing to do with places. */
static rlti_mesh fine_torus(void) {
    int n = FINE_RING * FINE_TUBE;
    rlti_mesh mesh = {.vertex_count = n, .triangle_count = 2 * n};
    mesh.vertices = calloc((size_t)n, sizeof *mesh.vertices);
    mesh.triangles = calloc(2 * (size_t)n, sizeof *mesh.triangles);
    assert_non_null(mesh.vertices);
    assert_non_null(mesh.triangles);
    for (int i = 0; i < n; i++) {
        double u = 2.0 * RLTI_PI * (i / FINE_TUBE) / FINE_RING;
        double v = 2.0 * RLTI_PI * (i % FINE_TUBE) / FINE_TUBE;
        double bump = 2.0 + 0.2 * sin(3.0 * v + 5.0 * u), r = 6.0 + bump * cos(v);
        mesh.vertices[i] = rlti_v3(r * cos(u), bump * sin(v), r * sin(u));
        int next = i % FINE_TUBE == FINE_TUBE - 1 ? i + 1 - FINE_TUBE : i + 1;
        int a = i, b = next, c = (i + FINE_TUBE) % n, d = (next + FINE_TUBE) % n;
        int first[3] = {a, b, c}, second[3] = {b, d, c};
        int place = (int)((long long)i * 7919 % n); /* a prime */
        memcpy(mesh.triangles[2 * place], first, sizeof first);
        memcpy(mesh.triangles[2 * place + 1], second, sizeof second);
    }
    return mesh;
}

/* Large meshes are searched patch by patch; the answers are those of all triangles. */
static void test_large_mesh_agrees_with_all_triangles(void **state) {
    (void)state;
    rlti_mesh mesh = fine_torus();
    rlti_surface surface;
    rlti_grid grid;
    int found_count = 0, corners = 0;
    const float reach = 0.3f;
    assert_int_equal(rlti_surface_create(&mesh, &surface), 1);
    assert_int_equal(rlti_grid_create(&surface, &grid), 1);
    assert_true(surface.patch_size > 1);
    move(&mesh, &surface, 0.5, rlti_v3(3, 0, 0));
    rlti_grid_build(&grid, &surface, 0.25, 0.5, 0.4f);
    for (int step = 0; step <= 2; step++) {
        rlti_surface_pose(&surface, 0.25 + 0.125 * step, 24.0);
        for (int i = 0; i < 400; i++) {
            const float *near = surface.position[(i * 337) % surface.vertex_count];
            rlti_vec3 d = random_point(1000 * step + i, i % 4 == 0 ? 2.0 : 0.4);
            float local[3] = {near[0] + (float)d.x, near[1] + (float)d.y, near[2] + (float)d.z};
            float from_centre2, distance = 0.0f, normal[3];
            rlti_closest closest, expected;
            expected.distance2 = FLT_MAX;
            assert_int_equal(rlti_surface_closest(&surface, local, &expected), 1);
            rlti_surface_pseudonormal(&surface, &expected, normal);
            float along = normal[0] * expected.offset[0] + normal[1] * expected.offset[1] +
                          normal[2] * expected.offset[2];
            float signed_distance = along < 0.0f ? -sqrtf(expected.distance2) : sqrtf(expected.distance2);
            const rlti_grid_cell *cell = rlti_grid_look_up(&grid, local, &from_centre2);
            int found = cell != NULL && rlti_grid_closest(&grid, &surface, cell, from_centre2, local, reach,
                                                          -1, &closest, &distance);
            if (fabsf(signed_distance - reach) < 1e-5f || fabsf(signed_distance) < 1e-5f)
                continue;
            assert_int_equal(found, signed_distance < reach);
            if (found && fabsf(signed_distance) < grid.margin)
                assert_true(fabsf(distance - signed_distance) < 1e-6f);
            found_count += found;
            corners += found && closest.feature >= RLTI_FEATURE_CORNER;
        }
    }
    assert_true(found_count > 300 && found_count < 1100);
    assert_true(corners > 0);
    rlti_grid_destroy(&grid);
    rlti_surface_destroy(&surface);
    free(mesh.vertices);
    free(mesh.triangles);
}

/* A velocity is the slope of the vertex's path, and none exceeds the bound. */
static void test_velocities(void **state) {
    (void)state;
    rlti_mesh mesh = torus(2.5);
    rlti_surface surface;
    rlti_grid grid;
    assert_int_equal(rlti_surface_create(&mesh, &surface), 1);
    assert_int_equal(rlti_grid_create(&surface, &grid), 1);
    move(&mesh, &surface, 1.0, rlti_v3(0, 0, 0));
    rlti_surface_sweep(&surface, 0.25, 0.75, grid.boxes, NULL);
    for (int step = 0; step <= 4; step++) {
        double s = 0.25 + 0.125 * step, fastest = 0.0;
        rlti_surface_pose(&surface, s, 24.0);
        for (int v = 0; v < mesh.vertex_count; v++) {
            rlti_vec3 before[RING * TUBE], after[RING * TUBE];
            if (v % 97 != 0)
                continue;
            float velocity[3];
            rlti_surface_velocity(&surface, v, velocity);
            pose_reference(&surface, s - 1e-4, before);
            pose_reference(&surface, s + 1e-4, after);
            rlti_vec3 slope = rlti_scale(24.0 / 2e-4, rlti_sub(after[v], before[v]));
            assert_true(fabs(slope.x - (double)velocity[0]) < 1e-3 * rlti_length(slope));
            assert_true(fabs(slope.y - (double)velocity[1]) < 1e-3 * rlti_length(slope));
            assert_true(fabs(slope.z - (double)velocity[2]) < 1e-3 * rlti_length(slope));
            rlti_vec3 drift =
                rlti_v3((double)surface.drift[0], (double)surface.drift[1], (double)surface.drift[2]);
            fastest = fmax(fastest, rlti_length(rlti_sub(slope, drift)));
        }
        assert_true(fastest <= (double)surface.spread && (double)surface.spread < 3.0 * fastest);
    }
    rlti_grid_destroy(&grid);
    rlti_surface_destroy(&surface);
}

/* Millions of small cells would be needed: the grid takes larger ones and stays right. */
static void test_grid_falls_back_to_larger_cells(void **state) {
    (void)state;
    rlti_mesh mesh = torus(2.5);
    for (int v = 0; v < mesh.vertex_count; v++)
        mesh.vertices[v] = rlti_scale(50.0, mesh.vertices[v]);
    rlti_surface surface;
    rlti_grid grid;
    assert_int_equal(rlti_surface_create(&mesh, &surface), 1);
    assert_int_equal(rlti_grid_create(&surface, &grid), 1);
    hold_rest(&mesh, &surface);
    rlti_grid_build(&grid, &surface, 0.0, 1.0, 0.4f);
    assert_true(grid.count[0] > 0);
    assert_true((double)grid.count[0] * grid.count[1] * grid.count[2] <= grid.cell_capacity);
    assert_true(grid.size > 1.0f);
    for (int i = 0; i < 300; i++) {
        rlti_vec3 p = rlti_add(mesh.vertices[i], random_point(i, i % 2 ? 1.0 : 100.0));
        rlti_vec3 d = rlti_sub(p, surface.centre);
        double expected = reference_distance(&mesh, mesh.vertices, p);
        float local[3] = {(float)d.x, (float)d.y, (float)d.z}, from_centre2, distance;
        rlti_closest closest;
        const rlti_grid_cell *cell = rlti_grid_look_up(&grid, local, &from_centre2);
        int found = cell != NULL && rlti_grid_closest(&grid, &surface, cell, from_centre2, local, 0.3f, -1,
                                                      &closest, &distance);
        if (fabs(expected - 0.3) > 1e-3 && fabs(expected) > 1e-3)
            assert_int_equal(found, expected < 0.3);
    }
    rlti_grid_destroy(&grid);
    rlti_surface_destroy(&surface);
}

/* A mesh that is not finite has no grid and no contacts, but does not break anything. */
static void test_broken_mesh_is_ignored(void **state) {
    (void)state;
    rlti_mesh mesh = cube();
    cube_vertices[3].y = NAN;
    cube_vertices[5].z = INFINITY;
    rlti_surface surface;
    rlti_grid grid;
    assert_int_equal(rlti_surface_create(&mesh, &surface), 1);
    assert_int_equal(rlti_grid_create(&surface, &grid), 1);
    hold_rest(&mesh, &surface);
    rlti_grid_build(&grid, &surface, 0.0, 1.0, 0.4f);
    float from_centre2, local[3] = {0.0f, 0.0f, 0.0f};
    assert_null(rlti_grid_look_up(&grid, local, &from_centre2));
    rlti_grid_destroy(&grid);
    rlti_surface_destroy(&surface);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signs_on_a_cube),
        cmocka_unit_test(test_signs_on_a_tetrahedron),
        cmocka_unit_test(test_features_of_a_cube),
        cmocka_unit_test(test_degenerate_triangles_do_no_harm),
        cmocka_unit_test(test_grid_agrees_with_brute_force),
        cmocka_unit_test(test_large_mesh_agrees_with_all_triangles),
        cmocka_unit_test(test_velocities),
        cmocka_unit_test(test_grid_falls_back_to_larger_cells),
        cmocka_unit_test(test_broken_mesh_is_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
