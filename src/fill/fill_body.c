/* Hairs between guides that lie on the body would pass through it where it bulges: they are moved out. */
#include "base/memory.h"
#include "body/mesh.h"
#include "fill/fill_data.h"

#define CELLS 64  /* of the body's longest side: a step of the lattice that distances are looked up in */
#define CLEAR 2.0 /* widths of a hair that its points keep from the body */
#define RISE  4   /* points from the root over which that begins */

static int copy_vertices(rlt_fill *fill, const double *vertices) {
    rlti_mesh *mesh = &fill->body;
    if (mesh->vertices == NULL) {
        *mesh = (rlti_mesh){.vertex_count = fill->vertex_count, .triangle_count = fill->triangle_count};
        if (!RLTI_ALLOCATE(RLTI_ITEMS(mesh->vertices, fill->vertex_count),
                           RLTI_ITEMS(mesh->triangles, fill->triangle_count)))
            return 0;
        for (int t = 0; t < fill->triangle_count; t++)
            for (int k = 0; k < 3; k++)
                mesh->triangles[t][k] = fill->triangles[3 * (size_t)t + (size_t)k];
    }
    for (int v = 0; v < fill->vertex_count; v++) {
        const double *p = vertices + 3 * (size_t)v;
        mesh->vertices[v] = rlti_v3(p[0], p[1], p[2]);
    }
    return 1;
}

static void forget_frame(rlt_fill *fill) {
    if (fill->whole == NULL) {
        rlti_distance_grid_clear(&fill->distances);
        rlti_mesh_tree_destroy(fill->tree);
    }
    fill->tree = NULL;
}

int rlti_fill_take_body(rlt_fill *fill, const double *vertices) {
    forget_frame(fill);
    if (fill->whole != NULL) {
        fill->tree = fill->whole->tree;
        fill->distances = fill->def.outside ? fill->whole->distances : (rlti_distance_grid){0};
        return 1;
    }
    if (fill->vertex_count == 0 || fill->triangle_count == 0)
        return 1;
    if (!copy_vertices(fill, vertices))
        return 0;
    fill->tree = rlti_mesh_tree_create(&fill->body);
    if (fill->tree == NULL)
        return 0;
    rlti_vec3 low, high;
    rlti_mesh_bounds(&fill->body, &low, &high);
    rlti_vec3 side = rlti_sub(high, low);
    double cell = fmax(side.x, fmax(side.y, side.z)) / CELLS;
    if (!fill->def.outside || !(cell > 0.0) || !isfinite(cell))
        return 1;
    return rlti_distance_grid_create(fill->tree, cell, 2.0 * cell, &fill->distances);
}

void rlti_fill_forget_body(rlt_fill *fill) {
    forget_frame(fill);
    RLTI_FREE(fill->body.vertices, fill->body.triangles);
}

void rlti_fill_keep_outside(const rlt_fill *fill, float width, int count, float *points) {
    const rlti_distance_grid *grid = &fill->distances;
    if (grid->values == NULL)
        return;
    double clear = CLEAR * (double)width;
    for (int i = 1; i < count; i++) {
        float *p = points + 3 * (size_t)i;
        rlti_vec3 at = rlti_v3((double)p[0], (double)p[1], (double)p[2]), normal;
        double wanted = i < RISE ? clear * i / RISE : clear; /* the root is on the skin */
        if (rlti_distance_grid_beyond(grid, at, wanted))
            continue;
        double missing = wanted - rlti_distance_grid_at(grid, at, &normal);
        if (!(missing > 0.0))
            continue;
        at = rlti_madd(at, missing, normal);
        rlti_v3_round(p, at);
    }
}
