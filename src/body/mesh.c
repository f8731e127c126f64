/* Surface nets (Gibson 1998): one vertex in every lattice cell the surface crosses, one quad around every
 * lattice edge it crosses. Chosen over marching cubes because its vertices may move freely: a few rounds of
 * smoothing, each followed by a projection back onto the surface, give even triangles without slivers. The
 * mesh is closed by construction: each side of a quad is shared by the two quads of a cell face with two
 * crossings. */
#include "body/mesh.h"

#include <string.h>

#include "base/memory.h"

enum { SETTLING_ROUNDS = 20, SMOOTHING_ROUNDS = 10, LAST_PROJECTIONS = 3 };

typedef struct net {
    rlti_field *field;
    const rlti_lattice *lattice;
    double *values;   /* at every lattice point */
    int *cell_vertex; /* of every cell, -1 without crossing */
    int (*quads)[4];
    int quad_count;
    rlti_vec3 *vertices;
    int vertex_count;
} net;

static size_t point_index(const rlti_lattice *lattice, int i, int j, int k) {
    return ((size_t)k * (size_t)lattice->count[1] + (size_t)j) * (size_t)lattice->count[0] + (size_t)i;
}

static rlti_vec3 lattice_point(const rlti_lattice *lattice, const int index[3]) {
    return rlti_v3(lattice->at[0][index[0]], lattice->at[1][index[1]], lattice->at[2][index[2]]);
}

static void sample_field(net *n) {
    const int *count = n->lattice->count;
    for (int k = 0; k < count[2]; k++)
        for (int j = 0; j < count[1]; j++)
            for (int i = 0; i < count[0]; i++) {
                int index[3] = {i, j, k};
                n->values[point_index(n->lattice, i, j, k)] = n->field(lattice_point(n->lattice, index));
            }
}

/* A cell face whose corners alternate in, out, in, out has four crossings, and four quads would meet in one
 * edge. The corner nearest to the surface then changes sides. Returns how many did. */
static int settle_faces(net *n) {
    const int *count = n->lattice->count;
    int changed = 0;
    for (int axis = 0; axis < 3; axis++) {
        int u = (axis + 1) % 3;
        int v = (axis + 2) % 3;
        int at[3];
        for (at[axis] = 0; at[axis] < count[axis]; at[axis]++)
            for (at[v] = 0; at[v] + 1 < count[v]; at[v]++)
                for (at[u] = 0; at[u] + 1 < count[u]; at[u]++) {
                    double *corner[4]; /* around the face */
                    for (int c = 0; c < 4; c++) {
                        int index[3] = {at[0], at[1], at[2]};
                        index[u] += c == 1 || c == 2;
                        index[v] += c >= 2;
                        corner[c] = &n->values[point_index(n->lattice, index[0], index[1], index[2])];
                    }
                    int inside = *corner[0] < 0.0;
                    if (inside == (*corner[1] < 0.0) || inside != (*corner[2] < 0.0) ||
                        inside == (*corner[3] < 0.0))
                        continue;
                    double *minimum = corner[0];
                    for (int c = 1; c < 4; c++)
                        minimum = fabs(*corner[c]) < fabs(*minimum) ? corner[c] : minimum;
                    *minimum = *minimum < 0.0 ? 1e-3 : -1e-3;
                    changed++;
                }
    }
    return changed;
}

/* 1: the cell's corners lie on both sides of the surface. Of many cells few do. */
static int is_crossed(const net *n, int i, int j, int k) {
    const int *count = n->lattice->count;
    const double *corner = n->values + point_index(n->lattice, i, j, k);
    size_t row = (size_t)count[0], layer = row * (size_t)count[1];
    int inside = corner[0] < 0.0, others = 0;
    for (int c = 1; c < 8; c++)
        others += (corner[(size_t)(c & 1) + (c & 2 ? row : 0) + (c & 4 ? layer : 0)] < 0.0) != inside;
    return others > 0;
}

/* The mean of the crossings on the twelve edges of a crossed cell. */
static rlti_vec3 cell_point(const net *n, const int cell[3]) {
    rlti_vec3 sum = rlti_v3(0, 0, 0);
    int crossings = 0;
    for (int edge = 0; edge < 12; edge++) {
        int axis = edge >> 2;
        int a[3] = {cell[0], cell[1], cell[2]};
        a[(axis + 1) % 3] += edge & 1;
        a[(axis + 2) % 3] += (edge >> 1) & 1;
        int b[3] = {a[0], a[1], a[2]};
        b[axis]++;
        double va = n->values[point_index(n->lattice, a[0], a[1], a[2])];
        double vb = n->values[point_index(n->lattice, b[0], b[1], b[2])];
        if ((va < 0.0) == (vb < 0.0))
            continue;
        rlti_vec3 pa = lattice_point(n->lattice, a);
        rlti_vec3 pb = lattice_point(n->lattice, b);
        sum = rlti_add(sum, rlti_madd(pa, va / (va - vb), rlti_sub(pb, pa)));
        crossings++;
    }
    return rlti_scale(1.0 / crossings, sum);
}

/* Numbers the crossed cells; with `vertices` set also stores their points. */
static void place_vertices(net *n) {
    const int *count = n->lattice->count;
    n->vertex_count = 0;
    for (int k = 0; k + 1 < count[2]; k++)
        for (int j = 0; j + 1 < count[1]; j++)
            for (int i = 0; i + 1 < count[0]; i++) {
                int cell[3] = {i, j, k}, crossed = is_crossed(n, i, j, k);
                n->cell_vertex[point_index(n->lattice, i, j, k)] = crossed ? n->vertex_count : -1;
                if (!crossed)
                    continue;
                if (n->vertices != NULL)
                    n->vertices[n->vertex_count] = cell_point(n, cell);
                n->vertex_count++;
            }
}

/* Counts the quads, one around each crossed lattice edge; with `quads` set also stores them. */
static void place_quads(net *n) {
    const int *count = n->lattice->count;
    n->quad_count = 0;
    for (int axis = 0; axis < 3; axis++) {
        int u = (axis + 1) % 3;
        int v = (axis + 2) % 3;
        int at[3];
        for (at[v] = 1; at[v] + 1 < count[v]; at[v]++)
            for (at[u] = 1; at[u] + 1 < count[u]; at[u]++)
                for (at[axis] = 0; at[axis] + 1 < count[axis]; at[axis]++) {
                    int end[3] = {at[0], at[1], at[2]};
                    end[axis]++;
                    int inside = n->values[point_index(n->lattice, at[0], at[1], at[2])] < 0.0;
                    if (inside == (n->values[point_index(n->lattice, end[0], end[1], end[2])] < 0.0))
                        continue;
                    int slot = n->quad_count++;
                    if (n->quads == NULL)
                        continue;
                    /* the four cells around the edge, counter-clockwise seen from the edge's far end */
                    static const int around[4][2] = {{-1, -1}, {0, -1}, {0, 0}, {-1, 0}};
                    for (int c = 0; c < 4; c++) {
                        int cell[3] = {at[0], at[1], at[2]};
                        cell[u] += around[c][0];
                        cell[v] += around[c][1];
                        n->quads[slot][inside ? c : 3 - c] =
                            n->cell_vertex[point_index(n->lattice, cell[0], cell[1], cell[2])];
                    }
                }
    }
}

static rlti_vec3 field_gradient(rlti_field *field, rlti_vec3 p) {
    const double h = 1e-4;
    return rlti_scale(0.5 / h,
                      rlti_v3(field(rlti_v3(p.x + h, p.y, p.z)) - field(rlti_v3(p.x - h, p.y, p.z)),
                              field(rlti_v3(p.x, p.y + h, p.z)) - field(rlti_v3(p.x, p.y - h, p.z)),
                              field(rlti_v3(p.x, p.y, p.z + h)) - field(rlti_v3(p.x, p.y, p.z - h))));
}

/* One Newton step back to the surface along the gradient. */
static rlti_vec3 project(rlti_field *field, rlti_vec3 p) {
    rlti_vec3 gradient = field_gradient(field, p);
    double square = rlti_dot(gradient, gradient);
    /* a flat spot of the field gives no direction: stay */
    return square > 1e-6 ? rlti_madd(p, -field(p) / square, gradient) : p;
}

/* Moves every vertex half way to the mean of its neighbours and back onto the surface. */
static void smooth(net *n, rlti_vec3 *sums, int *degrees) {
    for (int round = 0; round < SMOOTHING_ROUNDS; round++) {
        for (int v = 0; v < n->vertex_count; v++) {
            sums[v] = rlti_v3(0, 0, 0);
            degrees[v] = 0;
        }
        for (int q = 0; q < n->quad_count; q++)
            for (int c = 0; c < 4; c++) {
                int a = n->quads[q][c];
                sums[a] = rlti_add(sums[a], n->vertices[n->quads[q][(c + 1) & 3]]);
                degrees[a]++;
            }
        for (int v = 0; v < n->vertex_count; v++) {
            rlti_vec3 mean = degrees[v] > 0 ? rlti_scale(1.0 / degrees[v], sums[v]) : n->vertices[v];
            rlti_vec3 half = rlti_scale(0.5, rlti_add(n->vertices[v], mean));
            n->vertices[v] = project(n->field, half);
        }
    }
}

/* Each quad becomes two triangles along its shorter diagonal. */
static void split_quads(const net *n, int (*triangles)[3]) {
    for (int q = 0; q < n->quad_count; q++) {
        const int *c = n->quads[q];
        rlti_vec3 d02 = rlti_sub(n->vertices[c[2]], n->vertices[c[0]]);
        rlti_vec3 d13 = rlti_sub(n->vertices[c[3]], n->vertices[c[1]]);
        int first = rlti_dot(d02, d02) <= rlti_dot(d13, d13) ? 0 : 1;
        for (int half = 0; half < 2; half++) {
            int start = first + 2 * half;
            for (int k = 0; k < 3; k++)
                triangles[2 * q + half][k] = c[(start + k) & 3];
        }
    }
}

int rlti_mesh_extract(rlti_field *field, const rlti_lattice *lattice, rlti_mesh *mesh) {
    net n = {.field = field, .lattice = lattice};
    size_t points = (size_t)lattice->count[0] * (size_t)lattice->count[1] * (size_t)lattice->count[2];
    rlti_vec3 *sums = NULL;
    int *degrees = NULL;
    int done = 0;

    if (!RLTI_ALLOCATE(RLTI_ITEMS(n.values, points), RLTI_ITEMS(n.cell_vertex, points)))
        goto cleanup;
    sample_field(&n);
    for (int round = 0; round < SETTLING_ROUNDS && settle_faces(&n) > 0; round++) {
    }
    place_vertices(&n);
    place_quads(&n);

    n.vertices = RLTI_NEW(rlti_vec3, n.vertex_count);
    n.quads = (int(*)[4])rlti_allocate((size_t)n.quad_count, sizeof(int[4]));
    sums = RLTI_NEW(rlti_vec3, n.vertex_count);
    degrees = RLTI_NEW(int, n.vertex_count);
    mesh->triangles = (int(*)[3])rlti_allocate(2 * (size_t)n.quad_count, sizeof(int[3]));
    mesh->regions = RLTI_NEW(uint32_t, 2 * n.quad_count);
    if (n.vertices == NULL || n.quads == NULL || sums == NULL || degrees == NULL || mesh->triangles == NULL ||
        mesh->regions == NULL)
        goto cleanup;
    place_vertices(&n);
    place_quads(&n);
    smooth(&n, sums, degrees);
    for (int v = 0; v < n.vertex_count; v++)
        for (int step = 0; step < LAST_PROJECTIONS; step++)
            n.vertices[v] = project(field, n.vertices[v]);
    split_quads(&n, mesh->triangles);
    mesh->triangle_count = 2 * n.quad_count;
    mesh->vertex_count = n.vertex_count;
    mesh->vertices = n.vertices;
    n.vertices = NULL;
    done = 1;

cleanup:
    if (!done)
        rlti_mesh_clear(mesh);
    RLTI_FREE(n.values, n.cell_vertex, n.vertices, n.quads, sums, degrees);
    return done;
}

/* Lattice planes from `from` to `to`: spacing `fine` within [fine_from, fine_to], growing to `coarse`
 * outside. With `at` NULL only counts. */
static int planes(double from, double to, double fine_from, double fine_to, double fine, double coarse,
                  double *at) {
    int count = 0;
    double x = from;
    for (;; count++) {
        if (at != NULL)
            at[count] = x;
        if (x >= to)
            return count + 1;
        double away = x < fine_from ? fine_from - x : (x > fine_to ? x - fine_to : 0.0);
        x += fine + (coarse - fine) * rlti_smoothstep(away / 6.0);
    }
}

int rlti_mesh_build(rlti_field *field, const double ranges[3][4], double fine, double coarse,
                    rlti_mesh *mesh) {
    rlti_lattice lattice = {0};
    int done = 1;
    for (int axis = 0; axis < 3; axis++) {
        const double *r = ranges[axis];
        double from = r[0] - 2.0 * coarse;
        double to = r[1] + 2.0 * coarse;
        lattice.count[axis] = planes(from, to, r[2], r[3], fine, coarse, NULL);
        lattice.at[axis] = RLTI_NEW(double, lattice.count[axis]);
        done = done && lattice.at[axis] != NULL;
        if (lattice.at[axis] != NULL)
            planes(from, to, r[2], r[3], fine, coarse, lattice.at[axis]);
    }
    done = done && rlti_mesh_extract(field, &lattice, mesh);
    for (int axis = 0; axis < 3; axis++)
        rlti_free(lattice.at[axis]);
    return done;
}

int rlti_mesh_name_regions(rlti_mesh *mesh, const char *const *names, int count,
                           uint32_t (*regions_at)(rlti_vec3 centre)) {
    mesh->region_names = RLTI_NEW(rlti_region, count);
    if (mesh->region_names == NULL) {
        rlti_mesh_clear(mesh);
        return 0;
    }
    mesh->region_count = count;
    for (int r = 0; r < count; r++)
        memcpy(mesh->region_names[r].name, names[r], strlen(names[r]) + 1);
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *v = mesh->triangles[t];
        rlti_vec3 sum = rlti_add(mesh->vertices[v[0]], rlti_add(mesh->vertices[v[1]], mesh->vertices[v[2]]));
        mesh->regions[t] = regions_at(rlti_scale(1.0 / 3.0, sum));
    }
    return 1;
}

void rlti_mesh_bounds(const rlti_mesh *mesh, rlti_vec3 *low, rlti_vec3 *high) {
    *low = *high = mesh->vertices[0];
    for (int v = 1; v < mesh->vertex_count; v++) {
        rlti_vec3 p = mesh->vertices[v];
        *low = rlti_v3(fmin(low->x, p.x), fmin(low->y, p.y), fmin(low->z, p.z));
        *high = rlti_v3(fmax(high->x, p.x), fmax(high->y, p.y), fmax(high->z, p.z));
    }
}

void rlti_mesh_clear(rlti_mesh *mesh) {
    RLTI_FREE(mesh->vertices, mesh->triangles, mesh->regions, mesh->region_names);
    *mesh = (rlti_mesh){0};
}
