#include "contact/body/crossing.h"

#include "base/memory.h"

/* Six times the volume of the tetrahedron p, q, a, b, seen from p. */
static double volume(const float p[3], const float q[3], const float a[3], const float b[3]) {
    double d[3], u[3], v[3];
    for (int k = 0; k < 3; k++) {
        d[k] = (double)q[k] - (double)p[k];
        u[k] = (double)a[k] - (double)p[k];
        v[k] = (double)b[k] - (double)p[k];
    }
    return d[0] * (u[1] * v[2] - u[2] * v[1]) + d[1] * (u[2] * v[0] - u[0] * v[2]) +
           d[2] * (u[0] * v[1] - u[1] * v[0]);
}

/* On which side of the edge a -> b the line p -> q passes; both faces of an edge must get the same answer, so
 * it is always computed from the lower vertex. */
static int passes_left(const rlti_surface *surface, const float p[3], const float q[3], int a, int b) {
    const float(*at)[4] = (const float(*)[4])surface->position;
    if (a < b)
        return volume(p, q, at[a], at[b]) >= 0.0;
    return !(volume(p, q, at[b], at[a]) >= 0.0);
}

/* Six times the volume of the tetrahedron of a triangle and a point: its sign is the side. */
static double side_of(const float a[3], const float b[3], const float c[3], const float point[3]) {
    double u[3], v[3], w[3];
    for (int k = 0; k < 3; k++) {
        u[k] = (double)b[k] - (double)a[k];
        v[k] = (double)c[k] - (double)a[k];
        w[k] = (double)point[k] - (double)a[k];
    }
    return w[0] * (u[1] * v[2] - u[2] * v[1]) + w[1] * (u[2] * v[0] - u[0] * v[2]) +
           w[2] * (u[0] * v[1] - u[1] * v[0]);
}

static int passes_through(const rlti_surface *surface, int triangle, const float p[3], const float q[3]) {
    const int *v = surface->triangles[triangle];
    rlti_triangle scratch;
    if (rlti_surface_face(surface, triangle, &scratch)->inverse == 0.0f)
        return 0;
    const float *a = surface->position[v[0]], *b = surface->position[v[1]], *c = surface->position[v[2]];
    if ((side_of(a, b, c, p) >= 0.0) == (side_of(a, b, c, q) >= 0.0))
        return 0;
    int left = passes_left(surface, p, q, v[0], v[1]);
    return left == passes_left(surface, p, q, v[1], v[2]) && left == passes_left(surface, p, q, v[2], v[0]);
}

/* Where the segment meets the triangle's plane; the ends are on different sides of it. */
static void meeting_point(const rlti_triangle *face, const float p[3], const float q[3], float at[3]) {
    float over_p = 0.0f, over_q = 0.0f;
    for (int k = 0; k < 3; k++) {
        over_p += (p[k] - face->corner[k]) * face->normal[k];
        over_q += (q[k] - face->corner[k]) * face->normal[k];
    }
    float share = over_p != over_q ? over_p / (over_p - over_q) : 0.5f;
    share = share >= 0.0f ? (share <= 1.0f ? share : 1.0f) : 0.0f;
    for (int k = 0; k < 3; k++)
        at[k] = p[k] + share * (q[k] - p[k]);
}

static float edge_distance2(const float at[3], const float a[3], const float b[3]) {
    float along = 0.0f, square = 0.0f, distance2 = 0.0f;
    for (int k = 0; k < 3; k++) {
        along += (at[k] - a[k]) * (b[k] - a[k]);
        square += (b[k] - a[k]) * (b[k] - a[k]);
    }
    float t = along > 0.0f ? (along < square ? along / square : 1.0f) : 0.0f;
    for (int k = 0; k < 3; k++) {
        float d = at[k] - a[k] - t * (b[k] - a[k]);
        distance2 += d * d;
    }
    return distance2;
}

/* Whether a point is nearer than `margin` to the box of all that a patch sweeps. */
static int is_near_patch(const rlti_grid *grid, int patch, const float at[3], float margin) {
    const float(*box)[4] = grid->patches[patch];
    float square = 0.0f;
    for (int k = 0; k < 3; k++) {
        float below = box[0][k] - at[k], above = at[k] - box[1][k], out = below > above ? below : above;
        square += out > 0.0f ? out * out : 0.0f;
    }
    return square < margin * margin;
}

/* Whether the segment passes the triangle near the rim. */
static int is_near_rim(const rlti_grid *grid, const rlti_surface *surface, int triangle, const float p[3],
                       const float q[3], float margin) {
    rlti_triangle face;
    float at[3];
    meeting_point(rlti_surface_face(surface, triangle, &face), p, q, at);
    for (int i = 0; i < surface->rim_count; i++) {
        int side = surface->rim_sides[i];
        if (!is_near_patch(grid, side / 3 / surface->patch_size, at, margin))
            continue;
        const int *v = surface->triangles[side / 3];
        if (edge_distance2(at, surface->position[v[side % 3]], surface->position[v[(side + 1) % 3]]) <
            margin * margin)
            return 1;
    }
    return 0;
}

static int cell_crossings(const rlti_grid *grid, const rlti_surface *surface, const float p[3],
                          const float q[3], float rim_margin) {
    float middle[3], from_centre2;
    for (int k = 0; k < 3; k++)
        middle[k] = 0.5f * (p[k] + q[k]);
    const rlti_grid_cell *cell = rlti_grid_look_up(grid, middle, &from_centre2);
    int count = 0;
    for (int e = 0; cell != NULL && e < cell->count; e++) {
        int patch = grid->entries[cell->start + e], end = rlti_surface_patch_end(surface, patch);
        if (!is_near_patch(grid, patch, middle, 0.51f * grid->margin))
            continue;
        for (int t = patch * surface->patch_size; t < end; t++)
            count += passes_through(surface, t, p, q) && !is_near_rim(grid, surface, t, p, q, rim_margin);
    }
    return count;
}

int rlti_crossing_count(const rlti_grid *grid, const rlti_surface *surface, const float from[3],
                        const float to[3], float rim_margin) {
    double square = 0.0;
    for (int k = 0; k < 3; k++)
        square += ((double)to[k] - (double)from[k]) * ((double)to[k] - (double)from[k]);
    /* A cell lists all that comes nearer to its points than the margin, so pieces not longer than that are
     * safe. An edge so long that 1000 pieces do not do has diverged. */
    double wanted = ceil(sqrt(square) / (double)grid->margin);
    if (!(wanted <= 1000.0))
        return 0;
    int pieces = wanted > 1.0 ? (int)wanted : 1, count = 0;
    float p[3] = {from[0], from[1], from[2]}, q[3];
    for (int i = 1; i <= pieces; i++) {
        for (int k = 0; k < 3; k++)
            q[k] = i == pieces ? to[k] : from[k] + (to[k] - from[k]) * ((float)i / (float)pieces);
        count += cell_crossings(grid, surface, p, q, rim_margin);
        for (int k = 0; k < 3; k++)
            p[k] = q[k];
    }
    return count;
}

static int have_common_vertex(const int a[3], const int b[3]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (a[i] == b[j])
                return 1;
    return 0;
}

static int cut_each_other(const rlti_surface *surface, int a, int b) {
    const int *va = surface->triangles[a], *vb = surface->triangles[b];
    for (int k = 0; k < 3; k++)
        if (passes_through(surface, b, surface->position[va[k]], surface->position[va[(k + 1) % 3]]) ||
            passes_through(surface, a, surface->position[vb[k]], surface->position[vb[(k + 1) % 3]]))
            return 1;
    return 0;
}

/* Least and greatest coordinate of a triangle. */
static void range_of(const rlti_surface *surface, int triangle, int axis, float range[2]) {
    for (int k = 0; k < 3; k++) {
        float at = surface->position[surface->triangles[triangle][k]][axis];
        range[0] = k == 0 || at < range[0] ? at : range[0];
        range[1] = k == 0 || at > range[1] ? at : range[1];
    }
}

/* Whether the boxes of two triangles overlap. */
static int boxes_touch(const rlti_surface *surface, int a, int b) {
    for (int axis = 0; axis < 3; axis++) {
        float first[2], second[2];
        range_of(surface, a, axis, first);
        range_of(surface, b, axis, second);
        if (first[1] < second[0] || second[1] < first[0])
            return 0;
    }
    return 1;
}

/* Cells along one axis that a triangle's box touches. */
static void cell_range(const rlti_grid *grid, const rlti_surface *surface, int triangle, int axis,
                       int range[2]) {
    float extent[2];
    range_of(surface, triangle, axis, extent);
    float from = (extent[0] - grid->corner[axis]) * grid->inverse,
          to = (extent[1] - grid->corner[axis]) * grid->inverse;
    int last = grid->count[axis] - 1;
    range[0] = from >= 0.0f ? (from < (float)last ? (int)from : last) : 0;
    range[1] = to >= 0.0f ? (to < (float)last ? (int)to : last) : 0;
}

/* Pairs of one triangle with later ones of a patch. */
static long long patch_pairs(const rlti_surface *surface, int triangle, int patch, int first[2],
                             long long before) {
    int end = rlti_surface_patch_end(surface, patch);
    long long pairs = 0;
    for (int u = patch * surface->patch_size; u < end; u++) {
        if (u <= triangle || !boxes_touch(surface, triangle, u) ||
            have_common_vertex(surface->triangles[triangle], surface->triangles[u]) ||
            !cut_each_other(surface, triangle, u))
            continue;
        if (before + pairs++ == 0) {
            first[0] = triangle;
            first[1] = u;
        }
    }
    return pairs;
}

/* Whether a triangle's box may touch what a patch sweeps. */
static int meets_patch(const rlti_grid *grid, const rlti_surface *surface, int triangle, int patch) {
    for (int axis = 0; axis < 3; axis++) {
        float range[2];
        range_of(surface, triangle, axis, range);
        if (range[1] < grid->patches[patch][0][axis] || grid->patches[patch][1][axis] < range[0])
            return 0;
    }
    return 1;
}

long long rlti_crossing_pairs(const rlti_grid *grid, const rlti_surface *surface, int first[2]) {
    long long pairs = 0;
    int *seen = RLTI_NEW(int, surface->patch_count); /* the last triangle each was compared with, from 1 */
    if (seen == NULL)
        return -1;
    for (int t = 0; t < surface->triangle_count && grid->count[0] > 0; t++) {
        int x[2], y[2], z[2];
        cell_range(grid, surface, t, 0, x);
        cell_range(grid, surface, t, 1, y);
        cell_range(grid, surface, t, 2, z);
        for (int c = z[0]; c <= z[1]; c++)
            for (int b = y[0]; b <= y[1]; b++)
                for (int a = x[0]; a <= x[1]; a++) {
                    const rlti_grid_cell *cell = &grid->cells[(c * grid->count[1] + b) * grid->count[0] + a];
                    for (int e = 0; e < cell->count; e++) {
                        int patch = grid->entries[cell->start + e];
                        if (seen[patch] == t + 1)
                            continue;
                        seen[patch] = t + 1;
                        if (meets_patch(grid, surface, t, patch))
                            pairs += patch_pairs(surface, t, patch, first, pairs);
                    }
                }
    }
    rlti_free(seen);
    return pairs;
}
