#include "contact/edge/mesh.h"

#include "base/memory.h"

enum { WIDTH = RLTI_SWEEP_WIDTH };

static int run_count(const rlti_surface *surface) {
    return (surface->triangle_count + WIDTH - 1) / WIDTH;
}

int rlti_edge_mesh_triangle(const rlti_edge_mesh *mesh, int run, int item) {
    int place = run * WIDTH + item;
    return place < mesh->surface->triangle_count ? rlti_surface_ordered(mesh->surface, place) : -1;
}

static void rest_boxes(const rlti_edge_mesh *mesh, rlti_run_box *boxes) {
    const rlti_surface *surface = mesh->surface;
    for (int r = 0; r < run_count(surface); r++) {
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
    *mesh = (rlti_edge_mesh){.surface = surface};
    mesh->vertices = RLTI_NEW(rlti_moving, surface->vertex_count);
    rlti_run_box *boxes = RLTI_NEW(rlti_run_box, run_count(surface));
    int done = mesh->vertices != NULL && boxes != NULL;
    if (done) {
        rest_boxes(mesh, boxes);
        done = rlti_sweep_tree_create(boxes, run_count(surface), &mesh->tree);
    }
    rlti_free(boxes);
    return done;
}

void rlti_edge_mesh_destroy(rlti_edge_mesh *mesh) {
    rlti_free(mesh->vertices);
    rlti_sweep_tree_destroy(&mesh->tree);
    *mesh = (rlti_edge_mesh){0};
}

static rlti_vec3 place_of(const rlti_surface *surface, int vertex) {
    const float *at = surface->position[vertex];
    return rlti_add(surface->centre, rlti_v3((double)at[0], (double)at[1], (double)at[2]));
}

void rlti_edge_mesh_start(rlti_edge_mesh *mesh) {
    for (int v = 0; v < mesh->surface->vertex_count; v++)
        mesh->vertices[v].from = place_of(mesh->surface, v);
}

static void fill_run(void *context, int run, rlti_sweep_box boxes[RLTI_SWEEP_WIDTH], int *count) {
    const rlti_edge_mesh *mesh = context;
    for (*count = 0; *count < WIDTH; ++*count) {
        int triangle = rlti_edge_mesh_triangle(mesh, run, *count);
        if (triangle < 0)
            return;
        rlti_vec3 from[3], to[3];
        for (int k = 0; k < 3; k++) {
            rlti_moving vertex = mesh->vertices[mesh->surface->triangles[triangle][k]];
            from[k] = vertex.from;
            to[k] = vertex.to;
        }
        boxes[*count] = rlti_sweep_box_around(from, to, 3, mesh->centre, 0.0);
    }
}

void rlti_edge_mesh_end(rlti_edge_mesh *mesh, rlti_pool *pool) {
    for (int v = 0; v < mesh->surface->vertex_count; v++)
        mesh->vertices[v].to = place_of(mesh->surface, v);
    mesh->centre = mesh->surface->centre;
    rlti_sweep_tree_refit(&mesh->tree, pool, fill_run, mesh);
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
