#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/memory.h"
#include "base/messages.h"
#include "base/number.h"
#include "body/mesh.h"
#include "groom/import.h"

enum { CELLS = 128 }; /* of the grid over texture space, along each axis */

/* Triangles of the body by where they are in texture space. */
typedef struct uv_grid {
    const rlti_mesh *mesh;
    const double (*uv)[2];
    double low[2], size[2]; /* of a cell */
    int *first;             /* [CELLS * CELLS + 1] */
    int *triangles;
} uv_grid;

static int cell_of(const uv_grid *grid, double value, int axis) {
    double at = floor((value - grid->low[axis]) / grid->size[axis]);
    return at < 0.0 ? 0 : (at > CELLS - 1 ? CELLS - 1 : (int)at);
}

/* The cells a triangle touches: [from, to] along each axis; 0 when its coordinates are not numbers. */
static int cells_of(const uv_grid *grid, int t, int from[2], int to[2]) {
    const double(*corner)[2] = grid->uv + 3 * (size_t)t;
    for (int k = 0; k < 2; k++) {
        double low = fmin(corner[0][k], fmin(corner[1][k], corner[2][k]));
        double high = fmax(corner[0][k], fmax(corner[1][k], corner[2][k]));
        if (!isfinite(low) || !isfinite(high) || !(fabs(low) < 1e6) || !(fabs(high) < 1e6))
            return 0;
        from[k] = cell_of(grid, low, k);
        to[k] = cell_of(grid, high, k);
    }
    return 1;
}

static void bounds(uv_grid *grid) {
    double high[2] = {0.0, 0.0};
    int any = 0;
    for (int i = 0; i < 3 * grid->mesh->triangle_count; i++) {
        const double *p = grid->uv[i];
        if (!(fabs(p[0]) < 1e6) || !(fabs(p[1]) < 1e6))
            continue;
        for (int k = 0; k < 2; k++) {
            grid->low[k] = any ? fmin(grid->low[k], p[k]) : p[k];
            high[k] = any ? fmax(high[k], p[k]) : p[k];
        }
        any = 1;
    }
    for (int k = 0; k < 2; k++)
        grid->size[k] = fmax((high[k] - grid->low[k]) / CELLS, 1e-9);
}

/* Counting, then filling: `fill` 0 counts into first[cell + 1]. */
static void enter(uv_grid *grid, int fill) {
    for (int t = 0; t < grid->mesh->triangle_count; t++) {
        int from[2], to[2];
        if (!cells_of(grid, t, from, to))
            continue;
        for (int y = from[1]; y <= to[1]; y++)
            for (int x = from[0]; x <= to[0]; x++) {
                int cell = y * CELLS + x;
                if (fill)
                    grid->triangles[grid->first[cell]++] = t;
                else
                    grid->first[cell + 1]++;
            }
    }
}

static int grid_create(const rlti_mesh *mesh, const double (*uv)[2], uv_grid *grid) {
    *grid = (uv_grid){.mesh = mesh, .uv = uv};
    bounds(grid);
    grid->first = RLTI_NEW(int, CELLS *CELLS + 1);
    if (grid->first == NULL)
        return 0;
    enter(grid, 0);
    for (int i = 0; i < CELLS * CELLS; i++)
        grid->first[i + 1] += grid->first[i];
    grid->triangles = RLTI_NEW(int, grid->first[CELLS * CELLS]);
    if (grid->triangles == NULL)
        return 0;
    enter(grid, 1); /* which moves each beginning to the next one's */
    memmove(grid->first + 1, grid->first, (size_t)(CELLS * CELLS) * sizeof(int));
    grid->first[0] = 0;
    return 1;
}

static void grid_destroy(uv_grid *grid) {
    RLTI_FREE(grid->first, grid->triangles);
}

/* Where a point of texture space is in a triangle; 0 when outside. */
static int inside(const double (*c)[2], const double p[2], double b[3]) {
    double ux = c[1][0] - c[0][0], uy = c[1][1] - c[0][1], vx = c[2][0] - c[0][0], vy = c[2][1] - c[0][1];
    double px = p[0] - c[0][0], py = p[1] - c[0][1], area = ux * vy - uy * vx;
    const double slack = 1e-6; /* roots on an edge belong to somebody */
    if (!(fabs(area) > 0.0))
        return 0;
    b[1] = (px * vy - py * vx) / area;
    b[2] = (ux * py - uy * px) / area;
    b[0] = 1.0 - b[1] - b[2];
    return b[0] >= -slack && b[1] >= -slack && b[2] >= -slack;
}

static rlti_vec3 point_at(const rlti_mesh *mesh, int triangle, const double b[3]) {
    rlti_vec3 p = rlti_v3(0, 0, 0);
    for (int k = 0; k < 3; k++)
        p = rlti_madd(p, b[k], mesh->vertices[mesh->triangles[triangle][k]]);
    return p;
}

/* The point of the body with these texture coordinates; where charts overlap, the one nearest to the root. */
static int find_uv(const uv_grid *grid, const double uv[2], rlti_vec3 root, rlti_root *found) {
    if (!isfinite(uv[0]) || !isfinite(uv[1]))
        return 0;
    int cell = cell_of(grid, uv[1], 1) * CELLS + cell_of(grid, uv[0], 0), any = 0;
    double best = HUGE_VAL;
    for (int i = grid->first[cell]; i < grid->first[cell + 1]; i++) {
        int t = grid->triangles[i];
        double b[3];
        if (!inside(grid->uv + 3 * (size_t)t, uv, b))
            continue;
        rlti_vec3 p = point_at(grid->mesh, t, b);
        double distance = rlti_length(rlti_sub(p, root));
        if (distance >= best)
            continue;
        best = distance;
        *found = (rlti_root){.triangle = t, .bone = RLTI_BONE_HEAD, .position = p};
        memcpy(found->barycentric, b, sizeof b);
        any = 1;
    }
    return any;
}

/* ---- the binding of one prim ---- */

typedef struct binding {
    const rlti_curves *curves;
    const int *first;
    const rlti_vec3 *points;
    rlti_root *roots;
    double *distances; /* [strand_count] */
    double *sorted;
    int fallen_back; /* roots whose uv is nowhere on the body */
} binding;

static void attach(binding *b, int s, const rlti_root *found) {
    rlti_vec3 root = b->points[b->first[s]];
    b->roots[s] = *found;
    /* hair stays where it was groomed: the displacement from the skin to the root is carried along */
    b->roots[s].offset = rlti_sub(root, found->position);
    b->roots[s].position = root;
    b->distances[s] = rlti_length(b->roots[s].offset);
}

static void bind_closest(binding *b, const rlti_mesh_tree *tree, int s) {
    rlti_nearest nearest;
    rlti_mesh_tree_nearest(tree, b->points[b->first[s]], &nearest);
    rlti_root root = {.triangle = nearest.triangle, .bone = RLTI_BONE_HEAD, .position = nearest.point};
    memcpy(root.barycentric, nearest.barycentric, sizeof root.barycentric);
    attach(b, s, &root);
}

static void bind_uv(binding *b, const uv_grid *grid, const rlti_mesh_tree *tree) {
    b->fallen_back = 0;
    for (int s = 0; s < b->curves->strand_count; s++) {
        rlti_root found;
        const double *uv = b->curves->root_uv + 2 * (size_t)b->curves->curve[s];
        if (find_uv(grid, uv, b->points[b->first[s]], &found)) {
            attach(b, s, &found);
        } else {
            bind_closest(b, tree, s);
            b->fallen_back++;
        }
    }
}

static double median(binding *b) {
    int count = b->curves->strand_count;
    memcpy(b->sorted, b->distances, (size_t)count * sizeof(double));
    qsort(b->sorted, (size_t)count, sizeof(double), rlti_compare_doubles);
    return b->sorted[count / 2];
}

typedef struct short_number {
    char text[32];
} short_number;

static short_number shown(double value) {
    short_number made;
    rlti_number_short(value < 1e-9 ? 0.0 : value, made.text, sizeof made.text); /* rounding is no distance */
    return made;
}

static double diagonal(const rlti_mesh *mesh) {
    rlti_vec3 low, high;
    rlti_mesh_bounds(mesh, &low, &high);
    return rlti_length(rlti_sub(high, low));
}

static rlt_status report(binding *b, const rlti_mesh *mesh, const char *by, rlt_messages *messages) {
    const rlti_curves *curves = b->curves;
    const char *file = curves->stage->file, *path = rlti_curves_path(curves);
    double sum = 0.0, worst = -1.0, limit = curves->hair->bind_limit;
    int worst_curve = 0;
    rlti_findings far = {0};
    for (int s = 0; s < curves->strand_count; s++) {
        sum += b->distances[s];
        if (b->distances[s] > limit)
            rlti_find(&far, curves->curve[s]);
        if (b->distances[s] > worst) {
            worst = b->distances[s];
            worst_curve = curves->curve[s];
        }
    }
    double middle = median(b);
    if (b->sorted[0] > fmax(limit, 0.1 * diagonal(mesh)))
        return rlti_refuse(
            messages,
            "%s: %s: no root is near the body: the nearest is %s units away; do groom and body have "
            "the same units and up axis? (hair.bind: none leaves roots where they are)",
            file, path, shown(b->sorted[0]).text);
    rlti_message(messages, RLT_NOTE,
                 "%s: %s: %d roots bound %s; distance to the body: mean %s, median %s, worst %s (curve %d)",
                 file, path, curves->strand_count, by, shown(sum / curves->strand_count).text,
                 shown(middle).text, shown(worst).text, worst_curve);
    if (b->fallen_back > 0)
        rlti_warn(messages,
                  "%s: %s: %d of %d roots have texture coordinates that are nowhere on the body: bound to "
                  "the closest point",
                  file, path, b->fallen_back, curves->strand_count);
    if (far.count > 0)
        rlti_warn(messages, "%s: %s: %d root%s further than %s units from the body (%s)", file, path,
                  far.count, far.count == 1 ? "" : "s", shown(limit).text, rlti_list_ids(&far).text);
    return RLT_OK;
}

/* By uv where that is asked for or fits: texture coordinates of another body would tear the groom apart. */
static rlt_status bind_all(binding *b, const rlti_body *body, const rlti_mesh_tree *tree,
                           rlt_messages *messages) {
    const rlti_curves *curves = b->curves;
    const rlti_mesh *mesh = rlti_body_mesh(body);
    rlti_bind how = curves->hair->bind;
    int has_uv = rlti_body_uv(body) != NULL && curves->root_uv != NULL;
    if (how == RLTI_BIND_UV && !has_uv)
        return rlti_refuse(messages, "%s: %s: hair.bind: uv, but %s", curves->stage->file,
                           rlti_curves_path(curves),
                           curves->root_uv == NULL
                               ? "the curves have no root uv (groom_root_uv, surface_uv_coordinate, st, uv)"
                               : "the body has no texture coordinates (st, uv, UVMap)");
    for (int s = 0; s < curves->strand_count; s++)
        bind_closest(b, tree, s);
    if (how == RLTI_BIND_CLOSEST || !has_uv)
        return report(b, mesh, "to the closest point", messages);
    double closest = median(b);
    uv_grid grid;
    if (!grid_create(mesh, rlti_body_uv(body), &grid)) {
        grid_destroy(&grid);
        return rlti_out_of_memory(messages);
    }
    bind_uv(b, &grid, tree);
    grid_destroy(&grid);
    double by_uv = median(b);
    int fits =
        b->fallen_back * 2 < curves->strand_count && by_uv <= fmax(curves->hair->bind_limit, 4.0 * closest);
    if (how == RLTI_BIND_UV || fits)
        return report(b, mesh, "by uv", messages);
    rlti_message(
        messages, RLT_NOTE,
        "%s: %s: the root uv does not fit the body (median distance %s units, %d roots nowhere on it)",
        curves->stage->file, rlti_curves_path(curves), shown(by_uv).text, b->fallen_back);
    b->fallen_back = 0;
    for (int s = 0; s < curves->strand_count; s++)
        bind_closest(b, tree, s);
    return report(b, mesh, "to the closest point", messages);
}

rlt_status rlti_curves_bind(const rlti_curves *curves, const rlti_body *body, const rlti_mesh_tree *tree,
                            const int *first, const rlti_vec3 *points, rlt_messages *messages,
                            rlti_root *roots) {
    binding b = {.curves = curves, .first = first, .points = points, .roots = roots};
    for (int s = 0; s < curves->strand_count; s++)
        roots[s] = (rlti_root){.triangle = -1, .bone = RLTI_BONE_HEAD, .position = points[first[s]]};
    if (tree == NULL || curves->hair->bind == RLTI_BIND_NONE) {
        rlti_message(messages, RLT_NOTE, "%s: %s: %d root%s not bound to a body", curves->stage->file,
                     rlti_curves_path(curves), curves->strand_count, curves->strand_count == 1 ? "" : "s");
        if (curves->geometry->time_count > 1)
            rlti_warn(messages,
                      "%s: %s: the file moves these curves, but roots that are not bound stay where they "
                      "are; bind them to the body they grow on (character.file)",
                      curves->stage->file, rlti_curves_path(curves));
        return RLT_OK;
    }
    if (curves->strand_count == 0)
        return RLT_OK;
    b.distances = RLTI_NEW(double, curves->strand_count);
    b.sorted = RLTI_NEW(double, curves->strand_count);
    rlt_status status = b.distances == NULL || b.sorted == NULL ? rlti_out_of_memory(messages)
                                                                : bind_all(&b, body, tree, messages);
    RLTI_FREE(b.distances, b.sorted);
    return status;
}
