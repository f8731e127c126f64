#include "contact/body/grid.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"

/* The half diagonal of a cell in cell sizes is sqrt(3)/2 = 0.8660; the rest covers rounding. */
static const float half_diagonal = 0.87f;

enum {
    CELLS = 1 << 18,        /* a head and shoulders of 50 units with 1.2-unit cells need about 90,000 */
    FEWEST_CELLS = 1 << 12, /* a small mesh gets fewer: */
    CELLS_PER_TRIANGLE = 64,
    ENTRIES_PER_PATCH = 96, /* must be at least 27, which large enough cells never exceed */
    SLABS = 16              /* of layers, to be filled side by side */
};

static const float boundless = 1e18f; /* its square is finite */
static const float unknown = FLT_MAX; /* `distance` of cells the flood fill has not reached */
static const float flooded = 1e30f;   /* of cells that it has */

int rlti_grid_create(const rlti_surface *surface, rlti_grid *grid) {
    memset(grid, 0, sizeof *grid);
    grid->coarse = 1.0f;
    grid->cell_capacity = CELLS;
    if (surface->triangle_count < CELLS / CELLS_PER_TRIANGLE) {
        int enough = CELLS_PER_TRIANGLE * surface->triangle_count;
        grid->cell_capacity = enough > FEWEST_CELLS ? enough : FEWEST_CELLS;
    }
    grid->entry_capacity = ENTRIES_PER_PATCH * surface->patch_count;
    return RLTI_ALLOCATE(
               RLTI_ITEMS(grid->cells, grid->cell_capacity), RLTI_ITEMS(grid->entries, grid->entry_capacity),
               RLTI_ITEMS(grid->queue, grid->cell_capacity), RLTI_ITEMS(grid->boxes, surface->vertex_count),
               RLTI_ITEMS(grid->paths, surface->vertex_count),
               RLTI_ITEMS(grid->patches, surface->patch_count),
               RLTI_ITEMS(grid->ranges, surface->patch_count)) &&
           rlti_box_tree_create(surface, &grid->tree);
}

void rlti_grid_destroy(rlti_grid *grid) {
    rlti_box_tree_destroy(&grid->tree);
    RLTI_FREE(grid->cells, grid->entries, grid->queue, grid->boxes, grid->paths, grid->patches, grid->ranges);
    memset(grid, 0, sizeof *grid);
}

/* Context of tasks that build a grid. */
typedef struct builder {
    rlti_grid *grid;
    const rlti_surface *surface;
} builder;

static void for_each(rlti_grid *grid, const rlti_surface *surface, int count, rlti_task *task) {
    builder b = {grid, surface};
    if (grid->pool != NULL)
        rlti_pool_for(grid->pool, count, task, &b);
    for (int index = 0; grid->pool == NULL && index < count; index++)
        task(&b, index, 0);
}

/* The boxes swept by the patches, from those of their vertices. */
static void sweep_patches(rlti_grid *grid, const rlti_surface *surface) {
    for (int p = 0; p < surface->patch_count; p++) {
        float(*box)[4] = grid->patches[p];
        int first = 3 * p * surface->patch_size, end = 3 * rlti_surface_patch_end(surface, p);
        memcpy(box[0], grid->boxes[surface->triangles[first / 3][0]], sizeof(float[3]));
        memcpy(box[1], grid->boxes[surface->triangles[first / 3][0]] + 3, sizeof(float[3]));
        for (int side = first + 1; side < end; side++) {
            const float *other = grid->boxes[surface->triangles[side / 3][side % 3]];
            for (int k = 0; k < 3; k++) {
                box[0][k] = other[k] < box[0][k] ? other[k] : box[0][k];
                box[1][k] = other[3 + k] > box[1][k] ? other[3 + k] : box[1][k];
            }
        }
    }
}

/* Cells within the margin of the patch's box, minimum and maximum index per axis; clamped, so that nothing
 * (not even NaN) leads out of the grid. */
static void patch_cells(const rlti_grid *grid, int patch, int range[6]) {
    const float(*box)[4] = grid->patches[patch];
    for (int k = 0; k < 6; k++) {
        float side = k < 3 ? box[0][k] - grid->margin : box[1][k - 3] + grid->margin;
        float at = (side - grid->corner[k % 3]) / grid->size;
        int last = grid->count[k % 3] - 1;
        range[k] = at >= (float)last ? last : (at >= 0.0f ? (int)at : 0);
    }
}

static int cell_index(const rlti_grid *grid, int i, int j, int k) {
    return (k * grid->count[1] + j) * grid->count[0] + i;
}

/* Lays out cells of the present size with one empty layer around everything; returns 0 if they do not fit. */
static int lay_out(rlti_grid *grid, const rlti_surface *surface) {
    float bounds[6] = {FLT_MAX, FLT_MAX, FLT_MAX, -FLT_MAX, -FLT_MAX, -FLT_MAX};
    for (int v = 0; v < surface->vertex_count; v++)
        for (int k = 0; k < 3; k++) {
            bounds[k] = grid->boxes[v][k] < bounds[k] ? grid->boxes[v][k] : bounds[k];
            bounds[3 + k] = grid->boxes[v][3 + k] > bounds[3 + k] ? grid->boxes[v][3 + k] : bounds[3 + k];
        }
    double cells = 1.0;
    for (int k = 0; k < 3; k++) {
        grid->corner[k] = bounds[k] - grid->margin - 1.01f * grid->size;
        double count = ceil((bounds[3 + k] + grid->margin - grid->corner[k]) / grid->size + 1.01);
        cells *= count;
        if (!(count >= 1.0 && cells <= grid->cell_capacity)) /* also vertices that are not finite */
            return 0;
        grid->count[k] = (int)count;
    }
    return 1;
}

/* Layers of a slab: those from [0] to before [1]. */
static void slab_layers(const rlti_grid *grid, int slab, int layers[2]) {
    for (int k = 0; k < 2; k++)
        layers[k] = (int)((long long)grid->count[2] * (slab + k) / SLABS);
}

/* Counts the patches of the cells of a slab. */
static void count_slab(void *context, int slab, int worker) {
    const builder *b = context;
    const rlti_grid *grid = b->grid;
    int layers[2], size = grid->count[0] * grid->count[1];
    (void)worker;
    slab_layers(grid, slab, layers);
    memset(grid->cells + (size_t)size * (size_t)layers[0], 0,
           (size_t)size * (size_t)(layers[1] - layers[0]) * sizeof *grid->cells);
    for (int p = 0; p < b->surface->patch_count; p++) {
        const int *range = grid->ranges[p];
        int end = range[5] < layers[1] ? range[5] + 1 : layers[1];
        for (int k = range[2] > layers[0] ? range[2] : layers[0]; k < end; k++)
            for (int j = range[1]; j <= range[4]; j++)
                for (int i = range[0]; i <= range[3]; i++)
                    grid->cells[cell_index(grid, i, j, k)].count++;
    }
}

/* Counts the patches of every cell; returns 0 if they are more than the entries hold. */
static int count_entries(rlti_grid *grid, const rlti_surface *surface) {
    long long total = 0;
    for (int p = 0; p < surface->patch_count; p++) {
        int *range = grid->ranges[p];
        patch_cells(grid, p, range);
        total += (long long)(range[3] - range[0] + 1) * (range[4] - range[1] + 1) * (range[5] - range[2] + 1);
        if (total > grid->entry_capacity)
            return 0;
    }
    for_each(grid, surface, SLABS, count_slab);
    return 1;
}

/* Adds a patch to a cell. Until all are there, `part` holds the minimum and the maximum place of their
 * triangles in the surface's order. */
static void add_entry(const rlti_grid *grid, rlti_grid_cell *cell, int patch, int minimum, int maximum) {
    cell->part.level = cell->count == 0 || minimum < cell->part.level ? minimum : cell->part.level;
    cell->part.node = cell->count == 0 || maximum > cell->part.node ? maximum : cell->part.node;
    grid->entries[cell->start + cell->count++] = patch;
}

/* Lists the patches of the cells of a slab. */
static void fill_slab(void *context, int slab, int worker) {
    const builder *b = context;
    const rlti_grid *grid = b->grid;
    const rlti_surface *surface = b->surface;
    int layers[2], size = grid->count[0] * grid->count[1];
    (void)worker;
    slab_layers(grid, slab, layers);
    for (int p = 0; p < surface->patch_count; p++) {
        const int *range = grid->ranges[p];
        if (range[5] < layers[0] || range[2] >= layers[1])
            continue;
        /* the triangles of a larger patch are in order */
        int minimum = rlti_surface_place(surface, p * surface->patch_size);
        int maximum = minimum + rlti_surface_patch_end(surface, p) - 1 - p * surface->patch_size;
        int end = range[5] < layers[1] ? range[5] + 1 : layers[1];
        for (int k = range[2] > layers[0] ? range[2] : layers[0]; k < end; k++)
            for (int j = range[1]; j <= range[4]; j++)
                for (int i = range[0]; i <= range[3]; i++)
                    add_entry(grid, &grid->cells[cell_index(grid, i, j, k)], p, minimum, maximum);
    }
    for (int c = size * layers[0]; c < size * layers[1]; c++)
        grid->cells[c].part = rlti_box_tree_common(grid->cells[c].part.level, grid->cells[c].part.node);
}

static void fill_entries(rlti_grid *grid, const rlti_surface *surface) {
    int cells = grid->count[0] * grid->count[1] * grid->count[2];
    int start = 0;
    for (int c = 0; c < cells; c++) {
        grid->cells[c].start = start;
        start += grid->cells[c].count;
        grid->cells[c].count = 0;
        grid->cells[c].seed = -1;
        grid->cells[c].distance = unknown;
    }
    for_each(grid, surface, SLABS, fill_slab);
}

static void cell_centre(const rlti_grid *grid, int index, float centre[3]) {
    int i = index % grid->count[0], rest = index / grid->count[0];
    centre[0] = grid->corner[0] + ((float)i + 0.5f) * grid->size;
    centre[1] = grid->corner[1] + ((float)(rest % grid->count[1]) + 0.5f) * grid->size;
    centre[2] = grid->corner[2] + ((float)(rest / grid->count[1]) + 0.5f) * grid->size;
}

/* 16 times the squared distance from a box. Four numbers for a vector, the last 0, and no branches: a
 * compiler makes a few vector instructions of this. */
static float box_distance2_16(const float minimum[4], const float maximum[4], const float point[4]) {
    float out[4];
    for (int k = 0; k < 4; k++) {
        float twice = fabsf((point[k] - minimum[k]) + (point[k] - maximum[k])) - (maximum[k] - minimum[k]);
        out[k] = twice + fabsf(twice); /* 0 within the box's range, else 4 times the distance from it */
    }
    return (out[0] * out[0] + out[1] * out[1]) + out[2] * out[2];
}

/* The closest among the triangles a cell lists and its seed. */
static int listed_closest(const rlti_grid *grid, const rlti_surface *surface, const rlti_grid_cell *cell,
                          const float at[3], float limit, rlti_closest *closest) {
    const float point[4] = {at[0], at[1], at[2], 0.0f};
    rlti_triangle scratch;
    closest->distance2 = limit * limit;
    closest->triangle = -1;
    if (cell->seed >= 0 &&
        rlti_triangle_closest(rlti_surface_face(surface, cell->seed, &scratch), point, closest))
        closest->triangle = cell->seed;
    for (int e = 0; e < cell->count; e++) {
        int patch = grid->entries[cell->start + e], end = rlti_surface_patch_end(surface, patch);
        const float(*box)[4] = grid->patches[patch];
        if (box_distance2_16(box[0], box[1], point) >= 16.0f * closest->distance2)
            continue;
        for (int t = patch * surface->patch_size; t < end; t++)
            if (rlti_triangle_closest(rlti_surface_face(surface, t, &scratch), point, closest))
                closest->triangle = t;
    }
    return closest->triangle >= 0;
}

/* Closest point of the surface to a point of the cell, if nearer than `limit`. Beyond the margin it is one of
 * those near the cell. None of these is nearer than `free`. */
static int cell_closest(const rlti_grid *grid, const rlti_surface *surface, const rlti_grid_cell *cell,
                        int from, const float point[3], float free, float limit, rlti_closest *closest) {
    float near = limit < grid->margin ? limit : grid->margin;
    if (free < near &&
        rlti_box_tree_closest(&grid->tree, surface, point, cell->part, near, from, cell->seed, closest))
        return 1;
    return free < limit && limit > near && listed_closest(grid, surface, cell, point, limit, closest);
}

/* Signed distance and seed at the centres of a layer of cells that are nearer than the margin. */
static void measure_layer(void *context, int layer, int worker) {
    const builder *all = context;
    rlti_grid *grid = all->grid;
    int size = grid->count[0] * grid->count[1], end = (layer + 1) * size;
    int previous = -1; /* the last cell's seed is a good first guess for this one's */
    (void)worker;
    for (int c = layer * size; c < end; c++) {
        rlti_grid_cell *cell = &grid->cells[c];
        rlti_closest closest;
        float centre[3];
        if (cell->count == 0)
            continue;
        cell_centre(grid, c, centre);
        cell->seed = previous;
        if (!cell_closest(grid, all->surface, cell, previous, centre, 0.0f, boundless, &closest))
            continue;
        cell->nearest = sqrtf(closest.distance2);
        cell->seed = previous = closest.triangle;
        if (closest.distance2 < grid->margin * grid->margin)
            cell->distance = rlti_surface_signed(all->surface, &closest);
    }
}

/* Layers begin anew, so that they are the same with any number of threads. */
static void measure_centres(rlti_grid *grid, const rlti_surface *surface) {
    for_each(grid, surface, grid->count[2], measure_layer);
}

/* From a cell to its six neighbours. Of cells in the outer layer some are not there: nothing starts there. */
static void find_steps(const rlti_grid *grid, int steps[6]) {
    int x = 1, y = grid->count[0], z = grid->count[0] * grid->count[1];
    const int all[6] = {-x, x, -y, y, -z, z};
    memcpy(steps, all, sizeof all);
}

static int is_outer(const rlti_grid *grid, int i, int j, int k) {
    return i == 0 || j == 0 || k == 0 || i + 1 == grid->count[0] || j + 1 == grid->count[1] ||
           k + 1 == grid->count[2];
}

/* Floods cells from three neighbours each, in the order of the cells or against it: that reaches most of
 * them. */
static void sweep_flood(rlti_grid *grid, int back) {
    int steps[6];
    find_steps(grid, steps);
    for (int layer = 1; layer + 1 < grid->count[2]; layer++)
        for (int row = 1; row + 1 < grid->count[1]; row++) {
            int k = back ? grid->count[2] - 1 - layer : layer, j = back ? grid->count[1] - 1 - row : row;
            rlti_grid_cell *cells = &grid->cells[cell_index(grid, 0, j, k)];
            for (int at = 1; at + 1 < grid->count[0]; at++) {
                rlti_grid_cell *cell = &cells[back ? grid->count[0] - 1 - at : at];
                if (cell->distance == unknown &&
                    (cell[steps[back]].distance == flooded || cell[steps[2 + back]].distance == flooded ||
                     cell[steps[4 + back]].distance == flooded))
                    cell->distance = flooded;
            }
        }
}

/* The outer layer is empty, and connected. */
static void flood_outer(rlti_grid *grid) {
    for (int k = 0; k < grid->count[2]; k++)
        for (int j = 0; j < grid->count[1]; j++)
            for (int i = 0; i < grid->count[0]; i++)
                if (is_outer(grid, i, j, k))
                    grid->cells[cell_index(grid, i, j, k)].distance = flooded;
}

/* Marks what can be reached from the empty outer layer as outside, the rest of the far centres as inside.
 * Only a closed surface has an inside that deep. */
static void flood(rlti_grid *grid, const rlti_surface *surface) {
    int cells = grid->count[0] * grid->count[1] * grid->count[2];
    int head = 0, tail = 0, steps[6];
    find_steps(grid, steps);
    flood_outer(grid);
    sweep_flood(grid, 0);
    sweep_flood(grid, 1);
    for (int c = 0; c < cells; c++) { /* what is left lies around corners */
        if (grid->cells[c].distance != unknown)
            continue;
        for (int n = 0; n < 6 && grid->cells[c].distance == unknown; n++)
            if (grid->cells[c + steps[n]].distance == flooded) {
                grid->cells[c].distance = flooded;
                grid->queue[tail++] = c;
            }
    }
    while (head < tail) {
        int from = grid->queue[head++];
        for (int n = 0; n < 6; n++)
            if (grid->cells[from + steps[n]].distance == unknown) {
                grid->cells[from + steps[n]].distance = flooded;
                grid->queue[tail++] = from + steps[n];
            }
    }
    for (int c = 0; c < cells; c++) {
        float *distance = &grid->cells[c].distance;
        if (*distance == flooded)
            *distance = grid->margin;
        else if (*distance == unknown)
            *distance = surface->sides == RLTI_SOLID ? -grid->margin : grid->margin;
    }
}

static float centroid_distance2(const rlti_surface *surface, int triangle, const float point[3]) {
    float centroid[3];
    rlti_surface_centroid(surface, triangle, centroid);
    float x = point[0] - centroid[0], y = point[1] - centroid[1], z = point[2] - centroid[2];
    return x * x + y * y + z * z;
}

/* Takes the best of the neighbours' seeds. */
static void improve_seed(rlti_grid *grid, const rlti_surface *surface, int at, const int steps[6]) {
    rlti_grid_cell *cell = &grid->cells[at];
    float centre[3];
    cell_centre(grid, at, centre);
    for (int n = 0; n < 6; n++) {
        int seed = cell[steps[n]].seed;
        if (seed >= 0 &&
            centroid_distance2(surface, seed, centre) < centroid_distance2(surface, cell->seed, centre))
            cell->seed = seed;
    }
}

/* Hands seeds inwards, layer by layer, so that empty cells deep inside know a triangle near them. None of
 * these is in the outer layer. */
static void seed_inside(rlti_grid *grid, const rlti_surface *surface) {
    int cells = grid->count[0] * grid->count[1] * grid->count[2];
    int head = 0, tail = 0, steps[6];
    find_steps(grid, steps);
    for (int c = 0; c < cells; c++)
        if (grid->cells[c].count > 0 && grid->cells[c].seed >= 0 && grid->cells[c].distance < 0.0f)
            grid->queue[tail++] = c;
    while (head < tail) {
        int from = grid->queue[head++];
        const rlti_grid_cell *cell = &grid->cells[from];
        /* by now more neighbours have a seed than when this cell entered the queue */
        if (cell->count == 0)
            improve_seed(grid, surface, from, steps);
        for (int n = 0; n < 6; n++) {
            rlti_grid_cell *next = &grid->cells[from + steps[n]];
            if (next->seed >= 0 || next->count > 0 || next->distance >= 0.0f)
                continue;
            next->seed = cell->seed;
            grid->queue[tail++] = from + steps[n];
        }
    }
}

void rlti_grid_build(rlti_grid *grid, rlti_surface *surface, double from, double to, float reach) {
    grid->travel = rlti_surface_sweep(surface, from, to, grid->boxes, grid->paths);
    grid->middle = 0.5 * (from + to);
    rlti_surface_weigh(surface, grid->middle);
    rlti_surface_pose(surface, grid->middle, 0.0);

    sweep_patches(grid, surface);
    rlti_box_tree_fit(&grid->tree, surface, from, to, grid->paths);
    grid->size = grid->coarse * reach / half_diagonal;
    /* 2^60 times the first size: no finite mesh needs more rounds */
    int fits = 0;
    for (int round = 0; round < 120 && !fits && surface->triangle_count > 0; round++) {
        grid->margin = grid->travel + half_diagonal * grid->size;
        fits = lay_out(grid, surface) && count_entries(grid, surface);
        if (!fits)
            grid->size *= 1.4142f;
    }
    if (!fits) {
        memset(grid->count, 0, sizeof grid->count);
        return;
    }
    grid->inverse = 1.0f / grid->size;
    fill_entries(grid, surface);
    measure_centres(grid, surface);
    flood(grid, surface);
    seed_inside(grid, surface);
}

const rlti_grid_cell *rlti_grid_look_up(const rlti_grid *grid, const float point[3], float *from_centre2) {
    float x = (point[0] - grid->corner[0]) * grid->inverse;
    float y = (point[1] - grid->corner[1]) * grid->inverse;
    float z = (point[2] - grid->corner[2]) * grid->inverse;
    if (!(x >= 0.0f && x < (float)grid->count[0] && y >= 0.0f && y < (float)grid->count[1] && z >= 0.0f &&
          z < (float)grid->count[2]))
        return NULL;
    int i = (int)x, j = (int)y, k = (int)z;
    const rlti_grid_cell *cell = &grid->cells[cell_index(grid, i, j, k)];
    if (cell->count == 0 && cell->seed < 0)
        return NULL;
    x -= (float)i + 0.5f;
    y -= (float)j + 0.5f;
    z -= (float)k + 0.5f;
    *from_centre2 = (x * x + y * y + z * z) * (grid->size * grid->size);
    return cell;
}

/* A point deeper than the margin: its cell has no triangles but a seed. */
static int deep_closest(const rlti_surface *surface, const rlti_grid_cell *cell, const float point[3],
                        float reach, rlti_closest *closest, float *distance) {
    closest->distance2 = boundless * boundless;
    closest->triangle = cell->seed;
    rlti_triangle scratch;
    if (!rlti_triangle_closest(rlti_surface_face(surface, cell->seed, &scratch), point, closest))
        return 0;
    *distance = -sqrtf(closest->distance2);
    return *distance < reach;
}

/* No vertex is further than this from its place half way through the stretch. */
static float travel_now(const rlti_grid *grid, const rlti_surface *surface) {
    float travel =
        (float)(1.001 * surface->fastest * fabs(surface->s - grid->middle)) + 2.0f * RLTI_SURFACE_ROUNDING;
    return travel < grid->travel ? travel : grid->travel;
}

float rlti_grid_clear(const rlti_grid *grid, const rlti_surface *surface, const rlti_grid_cell *cell) {
    return cell->count > 0 && cell->distance >= 0.0f ? cell->distance - travel_now(grid, surface)
                                                     : -boundless;
}

int rlti_grid_closest(const rlti_grid *grid, const rlti_surface *surface, const rlti_grid_cell *cell,
                      float from_centre2, const float point[3], float reach, int from, rlti_closest *closest,
                      float *distance) {
    if (cell->count == 0)
        return deep_closest(surface, cell, point, reach, closest, distance);

    /* The point is not of interest if it lies in the free ball around the centre shrunk by `reach`. Else, let
     * the ball around the point be at least so large that the two overlap: when it is free too, the point is
     * outside like the centre. */
    float limit = boundless, clear = rlti_grid_clear(grid, surface, cell);
    if (clear > -boundless) {
        if (clear > reach && (clear - reach) * (clear - reach) > from_centre2)
            return 0;
        float gap = 1.001f * sqrtf(from_centre2) - clear;
        limit = gap > reach ? gap : reach;
        limit = limit > 0.0f ? limit : 0.0f;
    }
    float free = 0.9999f * cell->nearest - 1.001f * sqrtf(from_centre2) - travel_now(grid, surface);
    if (!cell_closest(grid, surface, cell, from >= 0 ? from : cell->seed, point, free, limit, closest))
        return 0;
    if (closest->distance2 < grid->margin * grid->margin)
        *distance = rlti_surface_signed(surface, closest);
    else
        *distance = cell->distance < 0.0f && surface->sides == RLTI_SOLID ? -sqrtf(closest->distance2)
                                                                          : sqrtf(closest->distance2);
    return *distance < reach;
}
