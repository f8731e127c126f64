#include "contact/edge/mesh.h"

#include "base/memory.h"
#include "body/segment.h"
#include "contact/edge/four.h"

enum { WIDTH = RLTI_SWEEP_WIDTH, BLOCK = 512 };

static int run_count(const rlti_edge_mesh *mesh) {
    return (mesh->item_count + WIDTH - 1) / WIDTH;
}

int rlti_edge_mesh_triangle(const rlti_edge_mesh *mesh, int run, int item) {
    int place = run * WIDTH + item;
    if (place >= mesh->item_count)
        return -1;
    return mesh->shape != NULL ? place : rlti_surface_ordered(mesh->surface, place);
}

static void rest_boxes(const rlti_edge_mesh *mesh, rlti_run_box *boxes) {
    const rlti_surface *surface = mesh->surface;
    for (int r = 0; r < run_count(mesh); r++) {
        boxes[r] = rlti_run_box_empty();
        for (int i = 0; i < WIDTH; i++) {
            int triangle = rlti_edge_mesh_triangle(mesh, r, i);
            for (int k = 0; k < 3 && triangle >= 0; k++) {
                rlti_run_box corner =
                    rlti_run_box_around(surface->position[surface->triangles[triangle][k]], 0.0f);
                rlti_run_box_include(&boxes[r], &corner);
            }
        }
    }
}

int rlti_edge_mesh_create(const rlti_surface *surface, rlti_edge_mesh *mesh) {
    *mesh = (rlti_edge_mesh){
        .surface = surface, .item_count = surface->triangle_count, .sheet = surface->sides == RLTI_SHEET};
    mesh->vertices = RLTI_NEW(rlti_moving, surface->vertex_count);
    mesh->rows = RLTI_NEW(rlti_edge_vertex, surface->vertex_count);
    rlti_run_box *boxes = RLTI_NEW(rlti_run_box, run_count(mesh));
    int done = mesh->vertices != NULL && mesh->rows != NULL && boxes != NULL;
    if (done) {
        rest_boxes(mesh, boxes);
        done = rlti_sweep_tree_create(boxes, run_count(mesh), 1, &mesh->tree);
    }
    rlti_free(boxes);
    return done;
}

int rlti_edge_mesh_create_shape(const rlti_shape *shape, rlti_edge_mesh *mesh) {
    const float origin[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    const rlti_run_box box = rlti_run_box_around(origin, 0.0f);
    *mesh = (rlti_edge_mesh){.shape = shape, .item_count = 1};
    mesh->vertices = RLTI_NEW(rlti_moving, 2);
    return mesh->vertices != NULL && rlti_sweep_tree_create(&box, 1, 1, &mesh->tree);
}

static int vertex_count(const rlti_edge_mesh *mesh) {
    return mesh->shape != NULL ? 2 : mesh->surface->vertex_count;
}

size_t rlti_edge_mesh_bytes(const rlti_edge_mesh *mesh) {
    size_t nodes = (size_t)mesh->tree.start[mesh->tree.level_count - 1] +
                   (size_t)mesh->tree.count[mesh->tree.level_count - 1];
    size_t each = sizeof *mesh->vertices + (mesh->rows != NULL ? sizeof *mesh->rows : 0);
    return sizeof *mesh + (size_t)vertex_count(mesh) * each + nodes * sizeof *mesh->tree.nodes +
           2 * (size_t)mesh->tree.run_count * sizeof(int);
}

void rlti_edge_mesh_destroy(rlti_edge_mesh *mesh) {
    RLTI_FREE(mesh->vertices, mesh->rows);
    rlti_sweep_tree_destroy(&mesh->tree);
    *mesh = (rlti_edge_mesh){0};
}

/* Puts the box of a triangle; where a corner is not finite, it meets nothing. */
static void put_triangle(const rlti_edge_mesh *mesh, int triangle, rlti_sweep_node *node, int place) {
    const float little = 5e-7f; /* of rounding to single precision */
    const int *c = mesh->surface->triangles[triangle];
    const rlti_edge_vertex *x = &mesh->rows[c[0]], *y = &mesh->rows[c[1]], *z = &mesh->rows[c[2]];
    int finite = x->at[0][3] + y->at[0][3] + z->at[0][3] == 0.0f;
    for (int e = 0; e < 2; e++) {
        rlti_four a = rlti_four_load(x->at[e]), b = rlti_four_load(y->at[e]), d = rlti_four_load(z->at[e]);
        rlti_four low = rlti_four_least(rlti_four_least(a, b), d),
                  high = rlti_four_most(rlti_four_most(a, b), d),
                  more = little * rlti_four_most(rlti_four_most(low, -low), rlti_four_most(high, -high));
        low -= more;
        high += more;
        for (int k = 0; k < 3; k++) {
            node->low[k][e][place] = finite ? low[k] : HUGE_VALF;
            node->high[k][e][place] = finite ? high[k] : -HUGE_VALF;
        }
    }
}

static void fill_run(void *context, int run, rlti_sweep_node *node) {
    const rlti_edge_mesh *mesh = context;
    const rlti_sweep_box none = rlti_sweep_box_empty();
    for (int i = 0; i < WIDTH; i++) {
        int item = rlti_edge_mesh_triangle(mesh, run, i);
        if (item < 0) {
            rlti_sweep_node_put(node, i, &none);
        } else if (mesh->shape == NULL) {
            put_triangle(mesh, item, node, i);
        } else {
            const rlti_vec3 from[2] = {mesh->vertices[0].from, mesh->vertices[1].from},
                            to[2] = {mesh->vertices[0].to, mesh->vertices[1].to};
            rlti_sweep_box box = rlti_sweep_box_around(from, to, 2, mesh->centre, mesh->shape->radius);
            rlti_sweep_node_put(node, i, &box);
        }
    }
}

static void move_shape(rlti_edge_mesh *mesh, double from, double to) {
    const rlti_motion_segment *motion = &mesh->shape->motion;
    const double at[2] = {from, to};
    rlti_vec3 middle[2], half[2];
    rlti_quat turn[2];
    for (int k = 0; k < 2; k++) {
        middle[k] = rlti_segment_position(motion, at[k]);
        turn[k] = rlti_quat_normalize(rlti_segment_rotation(motion, at[k]));
        half[k] = rlti_quat_rotate(turn[k], mesh->shape->half);
    }
    mesh->vertices[0] = (rlti_moving){rlti_sub(middle[0], half[0]), rlti_sub(middle[1], half[1])};
    mesh->vertices[1] = (rlti_moving){rlti_add(middle[0], half[0]), rlti_add(middle[1], half[1])};
    mesh->middle = (rlti_moving){middle[0], middle[1]};
    mesh->back = rlti_quat_multiply(turn[0], rlti_quat_conjugate(turn[1]));
    mesh->centre = middle[1];
}

/* A block of vertices. */
typedef struct moving {
    rlti_edge_mesh *mesh;
    double from, to;
} moving;

static void move_vertices(void *context, int index, int worker) {
    const moving *m = context;
    const rlti_surface *surface = m->mesh->surface;
    int count = surface->vertex_count;
    (void)worker;
    for (int v = index * BLOCK; v < (index + 1) * BLOCK && v < count; v++) {
        rlti_moving *vertex = &m->mesh->vertices[v];
        vertex->from = rlti_cubic_vector(surface->coefficients + v, (size_t)count, m->from);
        vertex->to = rlti_cubic_vector(surface->coefficients + v, (size_t)count, m->to);
        rlti_vec3 from = rlti_sub(vertex->from, m->mesh->centre), to = rlti_sub(vertex->to, m->mesh->centre);
        double sum = rlti_dot(from, from) + rlti_dot(to, to);
        float odd = sum - sum == 0.0 ? 0.0f : 1.0f; /* infinity less itself is not a number */
        m->mesh->rows[v] = (rlti_edge_vertex){{{(float)from.x, (float)from.y, (float)from.z, odd},
                                               {(float)to.x, (float)to.y, (float)to.z, odd}}};
    }
}

void rlti_edge_mesh_move(rlti_edge_mesh *mesh, double from, double to, rlti_pool *pool) {
    if (mesh->shape != NULL) {
        move_shape(mesh, from, to);
    } else {
        moving m = {mesh, from, to};
        mesh->centre = rlti_cubic_vector(mesh->surface->path, 1, to);
        rlti_pool_for(pool, (mesh->surface->vertex_count + BLOCK - 1) / BLOCK, move_vertices, &m);
    }
    rlti_sweep_tree_refit(&mesh->tree, pool, fill_run, mesh);
}

rlti_vec3 rlti_edge_mesh_carried(const rlti_edge_mesh *mesh, rlti_vec3 place) {
    rlti_vec3 arm = rlti_quat_rotate(mesh->back, rlti_sub(place, mesh->middle.to));
    return rlti_sub(place, rlti_add(mesh->middle.from, arm));
}

/* As the surface's own functions have it. */
static rlti_closest closest_of(const rlti_edge_beside *beside) {
    rlti_closest closest = {.triangle = beside->triangle,
                            .feature = RLTI_FEATURE_FACE,
                            .distance2 = (float)rlti_dot(beside->offset, beside->offset)};
    int zeros = 0, zero = 0, other = 0;
    for (int k = 0; k < 3; k++) {
        int none = beside->weights[k] == 0.0;
        zeros += none;
        zero = none ? k : zero;
        other = none ? other : k;
        closest.weights[k] = (float)beside->weights[k];
    }
    if (zeros == 2)
        closest.feature = RLTI_FEATURE_CORNER + other;
    else if (zeros == 1)
        closest.feature = RLTI_FEATURE_EDGE + (zero + 1) % 3; /* the side opposite to that corner */
    rlti_v3_round(closest.offset, beside->offset);
    return closest;
}

double rlti_edge_mesh_signed(const rlti_edge_mesh *mesh, const rlti_edge_beside *beside) {
    rlti_closest closest = closest_of(beside);
    double distance = rlti_length(beside->offset);
    return rlti_surface_signed(mesh->surface, &closest) < 0.0f ? -distance : distance;
}

rlti_vec3 rlti_edge_mesh_outward(const rlti_edge_mesh *mesh, const rlti_edge_beside *beside) {
    rlti_closest closest = closest_of(beside);
    float normal[3];
    rlti_surface_pseudonormal(mesh->surface, &closest, normal);
    return rlti_v3((double)normal[0], (double)normal[1], (double)normal[2]);
}
