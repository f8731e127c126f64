#include "contact/body/surface.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "contact/body/patches.h"
#include "geometry/sides.h"

/* Up to so many triangles are made ready in every pose: hair near a body asks for each of them several times
 * in a step, for those of a finer mesh hardly once. */
enum { FACES_MAX = 32768 };

static int find_rim(rlti_surface *surface) {
    int side_count = 3 * surface->triangle_count;
    for (int side = 0; side < side_count; side++)
        surface->rim_count += surface->adjacent[side / 3][side % 3] < 0;
    surface->rim_sides = RLTI_NEW(int, surface->rim_count);
    if (surface->rim_sides == NULL)
        return 0;
    for (int side = 0, count = 0; side < side_count; side++)
        if (surface->adjacent[side / 3][side % 3] < 0) {
            surface->rim[surface->triangles[side / 3][side % 3]] = 1;
            surface->rim[surface->triangles[side / 3][(side + 1) % 3]] = 1;
            surface->rim_sides[count++] = side;
        }
    return 1;
}

/* Pairs the sides that share an edge; where more than two do, neighbours in index order. */
static int find_adjacent(rlti_surface *surface) {
    int side_count = 3 * surface->triangle_count;
    rlti_side *sides = RLTI_NEW(rlti_side, side_count);
    if (sides == NULL)
        return 0;
    for (int side = 0; side < side_count; side++) {
        const int *corners = surface->triangles[side / 3];
        sides[side] = rlti_side_of(corners[side % 3], corners[(side + 1) % 3], side);
        surface->adjacent[side / 3][side % 3] = -1;
    }
    rlti_sides_sort(sides, side_count);
    for (int i = 0; i + 1 < side_count; i++) {
        const rlti_side *a = &sides[i], *b = &sides[i + 1];
        if (!rlti_side_shares(a, b))
            continue;
        surface->adjacent[a->side / 3][a->side % 3] = b->side / 3;
        surface->adjacent[b->side / 3][b->side % 3] = a->side / 3;
        i++;
    }
    rlti_free(sides);
    return find_rim(surface);
}

/* For every vertex the sides that begin at it. */
static void find_rings(rlti_surface *surface) {
    int *start = surface->ring_start; /* counts, then ends, then (filling backwards) starts */
    for (int side = 0; side < 3 * surface->triangle_count; side++)
        start[surface->triangles[side / 3][side % 3]]++;
    for (int v = 0; v < surface->vertex_count; v++)
        start[v + 1] += start[v];
    for (int side = 3 * surface->triangle_count - 1; side >= 0; side--)
        surface->ring[--start[surface->triangles[side / 3][side % 3]]] = side;
}

/* Those of a small mesh stay where they are. */
static void copy_triangles(const rlti_mesh *mesh, rlti_surface *surface) {
    int sorted = surface->patch_size > 1;
    for (int t = 0; t < surface->triangle_count; t++) {
        surface->place[surface->order[t]] = t;
        memcpy(surface->triangles[t], mesh->triangles[sorted ? surface->order[t] : t], sizeof(int[3]));
    }
    if (sorted) {
        RLTI_FREE(surface->order, surface->place);
        surface->order = surface->place = NULL;
    }
}

int rlti_surface_create(const rlti_mesh *mesh, rlti_surface *surface) {
    memset(surface, 0, sizeof *surface);
    size_t vertices = (size_t)mesh->vertex_count;
    size_t triangles = (size_t)mesh->triangle_count;
    surface->patch_size = rlti_patch_size(mesh->triangle_count);
    surface->patch_count = (mesh->triangle_count + surface->patch_size - 1) / surface->patch_size;
    if (!RLTI_ALLOCATE(RLTI_ITEMS(surface->triangles, triangles), RLTI_ITEMS(surface->adjacent, triangles),
                       RLTI_ITEMS(surface->rim, vertices), RLTI_ITEMS(surface->coefficients, 4 * vertices),
                       RLTI_ITEMS(surface->position, vertices), RLTI_ITEMS(surface->middle, vertices),
                       RLTI_ITEMS(surface->ring_start, vertices + 1),
                       RLTI_ITEMS(surface->ring, 3 * triangles), RLTI_ITEMS(surface->order, triangles),
                       RLTI_ITEMS(surface->place, triangles)))
        return 0;
    if (triangles <= FACES_MAX && !RLTI_ALLOCATE(RLTI_ITEMS(surface->faces, triangles)))
        return 0;
    surface->vertex_count = mesh->vertex_count;
    surface->triangle_count = mesh->triangle_count;
    if (!rlti_patch_order(mesh, surface->order))
        return 0;
    copy_triangles(mesh, surface);
    find_rings(surface);
    return find_adjacent(surface);
}

void rlti_surface_destroy(rlti_surface *surface) {
    RLTI_FREE(surface->triangles, surface->order, surface->place, surface->adjacent, surface->rim,
              surface->rim_sides, surface->coefficients, surface->position, surface->middle,
              surface->ring_start, surface->ring, surface->faces);
    memset(surface, 0, sizeof *surface);
}

void rlti_surface_set_motion(rlti_surface *surface) {
    int count = surface->vertex_count;
    for (int c = 0; c < 4; c++) {
        rlti_vec3 sum = rlti_v3(0, 0, 0);
        for (int v = 0; v < count; v++)
            sum = rlti_add(sum, surface->coefficients[(size_t)c * (size_t)count + (size_t)v]);
        surface->path[c] = rlti_scale(count > 0 ? 1.0 / count : 0.0, sum);
    }
}

/* Coefficients of one vertex relative to the centre. */
static void relative(const rlti_surface *surface, int vertex, rlti_vec3 c[4]) {
    for (int i = 0; i < 4; i++)
        c[i] = rlti_sub(surface->coefficients[(size_t)i * (size_t)surface->vertex_count + (size_t)vertex],
                        surface->path[i]);
}

static rlti_vec3 value_at(const rlti_vec3 c[4], double s) {
    return rlti_madd(c[0], s, rlti_madd(c[1], s, rlti_madd(c[2], s, c[3])));
}

/* d/ds */
static rlti_vec3 slope_at(const rlti_vec3 c[4], double s) {
    return rlti_madd(c[1], s, rlti_madd(rlti_scale(2.0, c[2]), 3.0 * s, c[3]));
}

static void place_vertices(const rlti_surface *surface, double s, float (*positions)[4]) {
    for (int v = 0; v < surface->vertex_count; v++) {
        rlti_vec3 c[4];
        relative(surface, v, c);
        rlti_v3_round(positions[v], value_at(c, s));
    }
}

void rlti_surface_velocity(const rlti_surface *surface, int vertex, float velocity[3]) {
    rlti_vec3 c[4];
    relative(surface, vertex, c);
    rlti_vec3 drift = rlti_scale(surface->rate, slope_at(surface->path, surface->s));
    rlti_v3_round(velocity, rlti_add(rlti_scale(surface->rate, slope_at(c, surface->s)), drift));
}

void rlti_surface_centroid(const rlti_surface *surface, int triangle, float centroid[3]) {
    const int *v = surface->triangles[triangle];
    const float *a = surface->position[v[0]], *b = surface->position[v[1]], *c = surface->position[v[2]];
    for (int k = 0; k < 3; k++)
        centroid[k] = (a[k] + b[k] + c[k]) * (1.0f / 3.0f);
}

void rlti_surface_pose(rlti_surface *surface, double s, double rate) {
    surface->s = s;
    surface->rate = rate;
    surface->centre = value_at(surface->path, s);
    rlti_v3_round(surface->drift, rlti_scale(rate, slope_at(surface->path, s)));
    surface->spread = (float)(1.001 * rate * surface->fastest);
    surface->spin[0] = surface->spin[1] = surface->spin[2] = 0.0f;
    surface->apart = surface->spread;
    place_vertices(surface, s, surface->position);
    for (int t = 0; t < surface->triangle_count && surface->faces != NULL; t++) {
        const int *v = surface->triangles[t];
        rlti_triangle_set(&surface->faces[t], surface->position[v[0]], surface->position[v[1]],
                          surface->position[v[2]]);
    }
}

/* The velocity of a vertex relative to the centre, and its place [unit/s]. */
static rlti_vec3 vertex_turns(const rlti_surface *surface, int vertex, rlti_vec3 *at) {
    rlti_vec3 c[4];
    relative(surface, vertex, c);
    *at = rlti_v3((double)surface->position[vertex][0], (double)surface->position[vertex][1],
                  (double)surface->position[vertex][2]);
    return rlti_scale(surface->rate, slope_at(c, surface->s));
}

/* The turn that a body of as many equal masses would have, with the same angular momentum: inertia times spin
 * is that. Returns 0 where there is none. */
static int find_spin(const rlti_surface *surface, rlti_vec3 *spin) {
    rlti_vec3 momentum = rlti_v3(0, 0, 0), row[3] = {{0}};
    for (int v = 0; v < surface->vertex_count; v++) {
        rlti_vec3 x, velocity = vertex_turns(surface, v, &x);
        double square = rlti_dot(x, x);
        momentum = rlti_add(momentum, rlti_cross(x, velocity));
        row[0] = rlti_add(row[0], rlti_v3(square - x.x * x.x, -x.x * x.y, -x.x * x.z));
        row[1] = rlti_add(row[1], rlti_v3(-x.y * x.x, square - x.y * x.y, -x.y * x.z));
        row[2] = rlti_add(row[2], rlti_v3(-x.z * x.x, -x.z * x.y, square - x.z * x.z));
    }
    rlti_vec3 a = rlti_cross(row[1], row[2]), b = rlti_cross(row[2], row[0]), c = rlti_cross(row[0], row[1]);
    double volume = rlti_dot(row[0], a);
    if (!(volume > 0.0))
        return 0;
    *spin = rlti_scale(1.0 / volume,
                       rlti_madd(rlti_madd(rlti_scale(momentum.x, a), momentum.y, b), momentum.z, c));
    return 1;
}

void rlti_surface_spin(rlti_surface *surface) {
    rlti_vec3 spin;
    double most = 0.0;
    if (!find_spin(surface, &spin))
        return;
    for (int v = 0; v < surface->vertex_count; v++) {
        rlti_vec3 x, velocity = vertex_turns(surface, v, &x), other = rlti_sub(velocity, rlti_cross(spin, x));
        double square = rlti_dot(other, other);
        most = square > most ? square : most;
    }
    float apart = (float)(1.001 * sqrt(most) + 1e-5 * (double)surface->spread);
    if (!(apart < surface->apart))
        return;
    rlti_v3_round(surface->spin, spin);
    surface->apart = apart;
}

const rlti_triangle *rlti_surface_face(const rlti_surface *surface, int triangle, rlti_triangle *scratch) {
    if (surface->faces != NULL)
        return &surface->faces[triangle];
    const int *v = surface->triangles[triangle];
    rlti_triangle_set(scratch, surface->position[v[0]], surface->position[v[1]], surface->position[v[2]]);
    return scratch;
}

void rlti_surface_weigh(rlti_surface *surface, double s) {
    place_vertices(surface, s, surface->middle);
}

static float corner_angle(const rlti_surface *surface, int triangle, int corner) {
    const int *v = surface->triangles[triangle];
    const float *at = surface->middle[v[corner]];
    const float *next = surface->middle[v[(corner + 1) % 3]];
    const float *last = surface->middle[v[(corner + 2) % 3]];
    double a[3], b[3];
    for (int k = 0; k < 3; k++) {
        a[k] = (double)next[k] - (double)at[k];
        b[k] = (double)last[k] - (double)at[k];
    }
    return (float)rlti_angle(a, b);
}

/* The Bezier points of a cubic over [from, to]. */
static void bezier(const rlti_vec3 c[4], double from, double to, rlti_vec3 points[4]) {
    double width = to - from;
    rlti_vec3 q0 = value_at(c, from);
    rlti_vec3 q1 = rlti_scale(width / 3.0, slope_at(c, from));
    rlti_vec3 q2 = rlti_scale(width * width / 3.0, rlti_madd(c[2], 3.0 * from, c[3]));
    points[0] = q0;
    points[1] = rlti_add(q0, q1);
    points[2] = rlti_add(rlti_madd(q0, 2.0, q1), q2);
    points[3] = value_at(c, to);
}

/* A cubic differs from the line between its ends by 3 t (1 - t) times an average of how far its inner Bezier
 * points are from the thirds of that line. */
static void find_path(const rlti_vec3 points[4], rlti_vertex_path *path) {
    rlti_vec3 third = rlti_scale(1.0 / 3.0, rlti_sub(points[3], points[0]));
    float a[3], b[3];
    rlti_v3_round(a, rlti_sub(points[1], rlti_add(points[0], third)));
    rlti_v3_round(b, rlti_sub(points[2], rlti_sub(points[3], third)));
    rlti_v3_round(path->start, points[0]);
    rlti_v3_round(path->end, points[3]);
    for (int k = 0; k < 3; k++)
        path->aside[k] = 0.75f * fmaxf(fabsf(a[k]), fabsf(b[k])) + RLTI_SURFACE_ROUNDING;
}

float rlti_surface_sweep(rlti_surface *surface, double from, double to, float (*boxes)[6],
                         rlti_vertex_path *paths) {
    double furthest = 0.0, longest = 0.0;
    for (int v = 0; v < surface->vertex_count; v++) {
        rlti_vec3 c[4], points[4];
        relative(surface, v, c);
        bezier(c, from, to, points);
        if (paths != NULL)
            find_path(points, &paths[v]);
        rlti_vec3 middle = value_at(c, 0.5 * (from + to));
        for (int i = 0; i < 4; i++) {
            float p[3];
            rlti_v3_round(p, points[i]);
            for (int k = 0; k < 3; k++) {
                boxes[v][k] = i > 0 && boxes[v][k] < p[k] - RLTI_SURFACE_ROUNDING
                                  ? boxes[v][k]
                                  : p[k] - RLTI_SURFACE_ROUNDING;
                boxes[v][3 + k] = i > 0 && boxes[v][3 + k] > p[k] + RLTI_SURFACE_ROUNDING
                                      ? boxes[v][3 + k]
                                      : p[k] + RLTI_SURFACE_ROUNDING;
            }
            rlti_vec3 d = rlti_sub(points[i], middle);
            double square = rlti_dot(d, d);
            furthest = square > furthest ? square : furthest;
        }
        for (int i = 0; i < 3; i++) {
            rlti_vec3 d = rlti_sub(points[i + 1], points[i]);
            double square = rlti_dot(d, d);
            longest = square > longest ? square : longest;
        }
    }
    /* the velocity is a quadratic in the hull of the Bezier points' differences */
    surface->fastest = to > from ? 3.0 * sqrt(longest) / (to - from) : 0.0;
    return (float)sqrt(furthest) + RLTI_SURFACE_ROUNDING;
}

/* The sum of the faces' normals around a vertex, each weighted by its angle there. */
static void corner_normal(const rlti_surface *surface, int vertex, float normal[3]) {
    rlti_triangle scratch;
    normal[0] = normal[1] = normal[2] = 0.0f;
    for (int i = surface->ring_start[vertex]; i < surface->ring_start[vertex + 1]; i++) {
        int side = surface->ring[i];
        float angle = corner_angle(surface, side / 3, side % 3);
        const float *face = rlti_surface_face(surface, side / 3, &scratch)->normal;
        for (int k = 0; k < 3; k++)
            normal[k] += angle * face[k];
    }
}

void rlti_surface_pseudonormal(const rlti_surface *surface, const rlti_closest *closest, float normal[3]) {
    rlti_triangle scratch;
    if (closest->feature >= RLTI_FEATURE_CORNER) {
        int corner = closest->feature - RLTI_FEATURE_CORNER;
        corner_normal(surface, surface->triangles[closest->triangle][corner], normal);
        return;
    }
    memcpy(normal, rlti_surface_face(surface, closest->triangle, &scratch)->normal, sizeof(float[3]));
    if (closest->feature == RLTI_FEATURE_FACE)
        return;
    int other = surface->adjacent[closest->triangle][closest->feature - RLTI_FEATURE_EDGE];
    if (other < 0)
        return;
    const float *beyond = rlti_surface_face(surface, other, &scratch)->normal;
    for (int k = 0; k < 3; k++)
        normal[k] += beyond[k];
}

/* Whether the closest point lies on the rim of an open surface, where no face decides between inside and
 * outside. */
static int is_rim(const rlti_surface *surface, const rlti_closest *closest) {
    if (closest->feature >= RLTI_FEATURE_CORNER)
        return surface->rim[surface->triangles[closest->triangle][closest->feature - RLTI_FEATURE_CORNER]];
    return closest->feature != RLTI_FEATURE_FACE &&
           surface->adjacent[closest->triangle][closest->feature - RLTI_FEATURE_EDGE] < 0;
}

float rlti_surface_signed(const rlti_surface *surface, const rlti_closest *closest) {
    float normal[3];
    float distance = sqrtf(closest->distance2);
    if (surface->sides == RLTI_SHEET || (surface->sides == RLTI_SKIN && is_rim(surface, closest)))
        return distance;
    rlti_surface_pseudonormal(surface, closest, normal);
    const float *d = closest->offset;
    float along = d[0] * normal[0] + d[1] * normal[1] + d[2] * normal[2];
    return along < 0.0f ? -distance : distance;
}

int rlti_surface_closest(const rlti_surface *surface, const float point[3], rlti_closest *closest) {
    int found = 0;
    for (int t = 0; t < surface->triangle_count; t++) {
        rlti_triangle scratch;
        if (rlti_triangle_closest(rlti_surface_face(surface, t, &scratch), point, closest)) {
            closest->triangle = t;
            found = 1;
        }
    }
    return found;
}
