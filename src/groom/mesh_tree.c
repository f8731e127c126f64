#include "groom/mesh_tree.h"

#include <stdlib.h>

#include "base/memory.h"

enum { LEAF_TRIANGLES = 4, STACK_SIZE = 64 };

typedef struct node {
    rlti_vec3 low, high;
    int first, count; /* triangles of a leaf in `order`; count 0: an inner node */
    int right;        /* second child; the first child follows its parent */
} node;

typedef struct sort_item {
    double key;
    int triangle;
} sort_item;

struct rlti_mesh_tree {
    const rlti_mesh *mesh;
    rlti_vec3 *normals; /* [vertex_count] unit, weighted by area */
    sort_item *order;   /* [triangle_count] */
    node *nodes;
    int node_count;
};

static int compare_items(const void *a, const void *b) {
    const sort_item *x = a;
    const sort_item *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->triangle < y->triangle ? -1 : (x->triangle > y->triangle);
}

static double component(rlti_vec3 v, int axis) {
    return axis == 0 ? v.x : (axis == 1 ? v.y : v.z);
}

static void grow_box(node *n, rlti_vec3 p) {
    n->low = rlti_v3(fmin(n->low.x, p.x), fmin(n->low.y, p.y), fmin(n->low.z, p.z));
    n->high = rlti_v3(fmax(n->high.x, p.x), fmax(n->high.y, p.y), fmax(n->high.z, p.z));
}

/* Splits at the median along the box's longest side; depth is at most log2 of the triangle count. */
static int build_node(rlti_mesh_tree *tree, int first, int count) {
    const rlti_mesh *mesh = tree->mesh;
    int index = tree->node_count++;
    node *n = &tree->nodes[index];
    n->low = n->high = mesh->vertices[mesh->triangles[tree->order[first].triangle][0]];
    for (int i = first; i < first + count; i++)
        for (int k = 0; k < 3; k++)
            grow_box(n, mesh->vertices[mesh->triangles[tree->order[i].triangle][k]]);
    n->first = first;
    if (count <= LEAF_TRIANGLES) {
        n->count = count;
        return index;
    }
    rlti_vec3 size = rlti_sub(n->high, n->low);
    int axis = size.x >= size.y && size.x >= size.z ? 0 : (size.y >= size.z ? 1 : 2);
    for (int i = first; i < first + count; i++) {
        const int *v = mesh->triangles[tree->order[i].triangle];
        tree->order[i].key = component(mesh->vertices[v[0]], axis) + component(mesh->vertices[v[1]], axis) +
                             component(mesh->vertices[v[2]], axis);
    }
    qsort(&tree->order[first], (size_t)count, sizeof(sort_item), compare_items);
    int half = count / 2;
    build_node(tree, first, half);
    int right = build_node(tree, first + half, count - half);
    tree->nodes[index].right = right;
    return index;
}

static void corner_normals(rlti_mesh_tree *tree) {
    const rlti_mesh *mesh = tree->mesh;
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *v = mesh->triangles[t];
        rlti_vec3 a = mesh->vertices[v[0]];
        rlti_vec3 normal = rlti_cross(rlti_sub(mesh->vertices[v[1]], a), rlti_sub(mesh->vertices[v[2]], a));
        for (int k = 0; k < 3; k++)
            tree->normals[v[k]] = rlti_add(tree->normals[v[k]], normal);
    }
    for (int v = 0; v < mesh->vertex_count; v++)
        tree->normals[v] = rlti_normalize(tree->normals[v]);
}

rlti_mesh_tree *rlti_mesh_tree_create(const rlti_mesh *mesh) {
    rlti_mesh_tree *tree = RLTI_NEW(rlti_mesh_tree, 1);
    if (tree == NULL)
        return NULL;
    tree->mesh = mesh;
    if (!RLTI_ALLOCATE(RLTI_ITEMS(tree->normals, mesh->vertex_count),
                       RLTI_ITEMS(tree->order, mesh->triangle_count),
                       RLTI_ITEMS(tree->nodes, 2 * (size_t)mesh->triangle_count))) {
        rlti_mesh_tree_destroy(tree);
        return NULL;
    }
    for (int t = 0; t < mesh->triangle_count; t++)
        tree->order[t].triangle = t;
    corner_normals(tree);
    build_node(tree, 0, mesh->triangle_count);
    return tree;
}

void rlti_mesh_tree_destroy(rlti_mesh_tree *tree) {
    if (tree == NULL)
        return;
    RLTI_FREE(tree->normals, tree->order, tree->nodes, tree);
}

rlti_vec3 rlti_mesh_tree_normal(const rlti_mesh_tree *tree, int triangle, const double barycentric[3]) {
    const int *v = tree->mesh->triangles[triangle];
    rlti_vec3 sum = rlti_v3(0, 0, 0);
    for (int k = 0; k < 3; k++)
        sum = rlti_madd(sum, barycentric[k], tree->normals[v[k]]);
    return rlti_normalize(sum);
}

/* Closest point on the segment a + t (b - a). */
static double edge_parameter(rlti_vec3 p, rlti_vec3 a, rlti_vec3 b) {
    rlti_vec3 ab = rlti_sub(b, a);
    double square = rlti_dot(ab, ab);
    double t = square > 0.0 ? rlti_dot(rlti_sub(p, a), ab) / square : 0.0;
    return t < 0.0 ? 0.0 : (t > 1.0 ? 1.0 : t);
}

/* Inside the triangle's prism the foot of the perpendicular, else the best of the three edges. Returns the
 * squared distance. */
static double closest_on_triangle(rlti_vec3 p, const rlti_vec3 c[3], double weights[3]) {
    rlti_vec3 e1 = rlti_sub(c[1], c[0]);
    rlti_vec3 e2 = rlti_sub(c[2], c[0]);
    rlti_vec3 d = rlti_sub(p, c[0]);
    double d11 = rlti_dot(e1, e1), d12 = rlti_dot(e1, e2), d22 = rlti_dot(e2, e2);
    double determinant = d11 * d22 - d12 * d12;
    if (determinant > 0.0) {
        double b1 = rlti_dot(d, e1), b2 = rlti_dot(d, e2);
        double u = (d22 * b1 - d12 * b2) / determinant;
        double v = (d11 * b2 - d12 * b1) / determinant;
        if (u >= 0.0 && v >= 0.0 && u + v <= 1.0) {
            weights[0] = 1.0 - u - v;
            weights[1] = u;
            weights[2] = v;
            rlti_vec3 off = rlti_madd(rlti_madd(d, -u, e1), -v, e2);
            return rlti_dot(off, off);
        }
    }
    double best = HUGE_VAL;
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3;
        double t = edge_parameter(p, c[k], c[next]);
        rlti_vec3 off = rlti_sub(p, rlti_madd(c[k], t, rlti_sub(c[next], c[k])));
        double square = rlti_dot(off, off);
        if (square >= best)
            continue;
        best = square;
        weights[k] = 1.0 - t;
        weights[next] = t;
        weights[(k + 2) % 3] = 0.0;
    }
    return best;
}

static double box_distance(const node *n, rlti_vec3 p) {
    double x = fmax(fmax(n->low.x - p.x, p.x - n->high.x), 0.0);
    double y = fmax(fmax(n->low.y - p.y, p.y - n->high.y), 0.0);
    double z = fmax(fmax(n->low.z - p.z, p.z - n->high.z), 0.0);
    return x * x + y * y + z * z;
}

/* The nearest triangle so far. Where the nearest point is a corner or an edge, several triangles are equally
 * near; the side the point is on is decided by that one whose plane it is farthest from. */
typedef struct candidate {
    double square; /* of the distance */
    double height; /* above the plane of the triangle that decides the side */
} candidate;

static const double tie = 1e-9; /* relative */

static void search_leaf(const rlti_mesh_tree *tree, const node *n, rlti_vec3 point, candidate *best,
                        rlti_nearest *nearest) {
    const rlti_mesh *mesh = tree->mesh;
    for (int i = n->first; i < n->first + n->count; i++) {
        int t = tree->order[i].triangle;
        const int *v = mesh->triangles[t];
        rlti_vec3 corners[3] = {mesh->vertices[v[0]], mesh->vertices[v[1]], mesh->vertices[v[2]]};
        double weights[3] = {0};
        double square = closest_on_triangle(point, corners, weights);
        if (square > (1.0 + tie) * best->square)
            continue;
        rlti_vec3 normal =
            rlti_normalize(rlti_cross(rlti_sub(corners[1], corners[0]), rlti_sub(corners[2], corners[0])));
        double height = rlti_dot(rlti_sub(point, corners[0]), normal);
        if (square < (1.0 - tie) * best->square || fabs(height) > fabs(best->height))
            best->height = height;
        if (square >= best->square)
            continue;
        best->square = square;
        nearest->triangle = t;
        for (int k = 0; k < 3; k++)
            nearest->barycentric[k] = weights[k];
    }
}

void rlti_mesh_tree_nearest(const rlti_mesh_tree *tree, rlti_vec3 point, rlti_nearest *nearest) {
    int stack[STACK_SIZE];
    int depth = 0;
    candidate best = {HUGE_VAL, 0.0};
    *nearest = (rlti_nearest){.triangle = 0, .barycentric = {1.0, 0.0, 0.0}};
    stack[depth++] = 0;
    while (depth > 0) {
        int index = stack[--depth];
        const node *n = &tree->nodes[index];
        if (box_distance(n, point) > (1.0 + tie) * best.square)
            continue;
        if (n->count > 0) {
            search_leaf(tree, n, point, &best, nearest);
            continue;
        }
        int left = index + 1;
        int left_first =
            box_distance(&tree->nodes[left], point) <= box_distance(&tree->nodes[n->right], point);
        stack[depth++] = left_first ? n->right : left;
        stack[depth++] = left_first ? left : n->right;
    }
    const rlti_mesh *mesh = tree->mesh;
    const int *v = mesh->triangles[nearest->triangle];
    nearest->point = rlti_v3(0, 0, 0);
    for (int k = 0; k < 3; k++)
        nearest->point = rlti_madd(nearest->point, nearest->barycentric[k], mesh->vertices[v[k]]);
    nearest->normal = rlti_mesh_tree_normal(tree, nearest->triangle, nearest->barycentric);
    double distance = rlti_length(rlti_sub(point, nearest->point));
    nearest->distance = best.height < 0.0 ? -distance : distance;
}

int rlti_distance_grid_create(const rlti_mesh_tree *tree, double cell, double margin,
                              rlti_distance_grid *grid) {
    const node *all = &tree->nodes[0];
    double low[3] = {all->low.x - margin, all->low.y - margin, all->low.z - margin};
    double high[3] = {all->high.x + margin, all->high.y + margin, all->high.z + margin};
    *grid = (rlti_distance_grid){.tree = tree, .cell = cell, .origin = rlti_v3(low[0], low[1], low[2])};
    grid->inverse = 1.0 / cell;
    size_t total = 1;
    for (int axis = 0; axis < 3; axis++) {
        grid->count[axis] = (int)ceil((high[axis] - low[axis]) / cell) + 1;
        total *= (size_t)grid->count[axis];
    }
    grid->values = rlti_allocate(total, sizeof *grid->values);
    if (grid->values == NULL)
        return 0;
    for (size_t i = 0; i < total; i++)
        atomic_init(&grid->values[i], NAN);
    return 1;
}

static float compute_value(const rlti_distance_grid *grid, int i, int j, int k, _Atomic float *place) {
    rlti_nearest nearest;
    rlti_mesh_tree_nearest(grid->tree, rlti_madd(grid->origin, grid->cell, rlti_v3(i, j, k)), &nearest);
    float value = (float)nearest.distance;
    atomic_store_explicit(place, value, memory_order_relaxed);
    return value;
}

static inline double grid_value(const rlti_distance_grid *grid, int i, int j, int k) {
    size_t row = (size_t)k * (size_t)grid->count[1] + (size_t)j;
    _Atomic float *place = &grid->values[row * (size_t)grid->count[0] + (size_t)i];
    float value = atomic_load_explicit(place, memory_order_relaxed);
    return (double)(isnan(value) ? compute_value(grid, i, j, k, place) : value);
}

void rlti_distance_grid_clear(rlti_distance_grid *grid) {
    rlti_free((void *)grid->values);
    *grid = (rlti_distance_grid){0};
}

/* Cell and fraction of a coordinate (in cells), held inside the lattice. */
static int locate(double x, int count, double *fraction) {
    double limit = (double)(count - 1);
    x = x > 0.0 ? (x < limit ? x : limit) : 0.0;
    int cell = (int)x;
    if (cell > count - 2)
        cell = count - 2;
    *fraction = x - (double)cell;
    return cell;
}

double rlti_distance_grid_at(const rlti_distance_grid *grid, rlti_vec3 point, rlti_vec3 *normal) {
    rlti_vec3 local = rlti_scale(1.0 / grid->cell, rlti_sub(point, grid->origin));
    double f[3];
    int c[3] = {locate(local.x, grid->count[0], &f[0]), locate(local.y, grid->count[1], &f[1]),
                locate(local.z, grid->count[2], &f[2])};
    double value = 0.0;
    double slope[3] = {0.0, 0.0, 0.0};
    for (int corner = 0; corner < 8; corner++) {
        int bit[3] = {corner & 1, (corner >> 1) & 1, corner >> 2};
        double w[3];
        for (int axis = 0; axis < 3; axis++)
            w[axis] = bit[axis] ? f[axis] : 1.0 - f[axis];
        double v = grid_value(grid, c[0] + bit[0], c[1] + bit[1], c[2] + bit[2]);
        value += w[0] * w[1] * w[2] * v;
        slope[0] += (bit[0] ? v : -v) * w[1] * w[2];
        slope[1] += (bit[1] ? v : -v) * w[0] * w[2];
        slope[2] += (bit[2] ? v : -v) * w[0] * w[1];
    }
    *normal = rlti_normalize(rlti_v3(slope[0], slope[1], slope[2]));
    rlti_vec3 held = rlti_v3(c[0] + f[0], c[1] + f[1], c[2] + f[2]);
    return value + grid->cell * rlti_length(rlti_sub(local, held));
}

int rlti_distance_grid_beyond(const rlti_distance_grid *grid, rlti_vec3 point, double distance) {
    double x = (point.x - grid->origin.x) * grid->inverse, y = (point.y - grid->origin.y) * grid->inverse,
           z = (point.z - grid->origin.z) * grid->inverse;
    /* the lattice reaches beyond the mesh by its margin */
    if (!(x >= 0.0 && x <= grid->count[0] - 1 && y >= 0.0 && y <= grid->count[1] - 1 && z >= 0.0 &&
          z <= grid->count[2] - 1))
        return 1;
    /* a point of the lattice that is far enough from the mesh for all around it; a few of them save many */
    static const int strides[] = {9, 3};
    for (int s = 0; s < 2; s++) {
        const double at[3] = {x, y, z};
        int c[3];
        double square = 0.0;
        for (int axis = 0; axis < 3; axis++) {
            c[axis] = strides[s] * (int)(at[axis] / strides[s] + 0.5);
            c[axis] = c[axis] < grid->count[axis] ? c[axis] : grid->count[axis] - 1;
            square += (at[axis] - c[axis]) * (at[axis] - c[axis]);
        }
        if (grid_value(grid, c[0], c[1], c[2]) > distance + grid->cell * sqrt(square))
            return 1;
    }
    /* half a cell's diagonal to the nearest point of the lattice */
    return grid_value(grid, (int)(x + 0.5), (int)(y + 0.5), (int)(z + 0.5)) > distance + 0.87 * grid->cell;
}
