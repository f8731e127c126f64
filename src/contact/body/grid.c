#include "contact/body/grid.h"

#include <float.h>
#include <math.h>
#include <sched.h>
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

/* Of a cell's half space, of its centre, and of the seeds inside. */
enum { UNKNOWN, BEGUN, KNOWN, NONE };

static const float boundless = 1e18f; /* its square is finite */
static const float unknown = FLT_MAX; /* `side` of cells the flood fill has not reached */
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
               RLTI_ITEMS(grid->cells, grid->cell_capacity), RLTI_ITEMS(grid->fronts, grid->cell_capacity),
               RLTI_ITEMS(grid->centres, grid->cell_capacity), RLTI_ITEMS(grid->seeded, 1),
               RLTI_ITEMS(grid->entries, grid->entry_capacity), RLTI_ITEMS(grid->queue, grid->cell_capacity),
               RLTI_ITEMS(grid->boxes, surface->vertex_count), RLTI_ITEMS(grid->paths, surface->vertex_count),
               RLTI_ITEMS(grid->patches, surface->patch_count),
               RLTI_ITEMS(grid->ranges, surface->patch_count)) &&
           rlti_box_tree_create(surface, &grid->tree);
}

void rlti_grid_destroy(rlti_grid *grid) {
    rlti_box_tree_destroy(&grid->tree);
    RLTI_FREE(grid->cells, grid->fronts, grid->centres, grid->seeded, grid->entries, grid->queue, grid->boxes,
              grid->paths, grid->patches, grid->ranges);
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
        grid->cells[c].side = unknown;
        grid->fronts[c].state = grid->centres[c].state = UNKNOWN;
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

/* The closest among the triangles a cell lists and a seed. */
static int listed_closest(const rlti_grid *grid, const rlti_surface *surface, const rlti_grid_cell *cell,
                          int seed, const float at[3], float limit, rlti_closest *closest) {
    const float point[4] = {at[0], at[1], at[2], 0.0f};
    rlti_triangle scratch;
    closest->distance2 = limit * limit;
    closest->triangle = -1;
    if (seed >= 0 && rlti_triangle_closest(rlti_surface_face(surface, seed, &scratch), point, closest))
        closest->triangle = seed;
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
 * those near the cell, or the seed. None of these is nearer than `free`. */
static int cell_closest(const rlti_grid *grid, const rlti_surface *surface, const rlti_grid_cell *cell,
                        int seed, int from, const float point[3], float free, float limit,
                        rlti_closest *closest) {
    float near = limit < grid->margin ? limit : grid->margin;
    if (free < near &&
        rlti_box_tree_closest(&grid->tree, surface, point, cell->part, near, from, seed, NULL, closest))
        return 1;
    return free < limit && limit > near && listed_closest(grid, surface, cell, seed, point, limit, closest);
}

/* Whether a corner of the cell's triangles is nearer to its centre than the margin: most are found so. */
static int has_corner_near(const rlti_grid *grid, const rlti_surface *surface, const rlti_grid_cell *cell,
                           const float centre[3]) {
    const float near = 0.999f * grid->margin;
    for (int e = 0; e < cell->count; e++) {
        int triangle = grid->entries[cell->start + e] * surface->patch_size;
        const float *at = surface->position[surface->triangles[triangle][0]];
        float x = at[0] - centre[0], y = at[1] - centre[1], z = at[2] - centre[2];
        rlti_triangle scratch;
        if (x * x + y * y + z * z < near * near &&
            rlti_surface_face(surface, triangle, &scratch)->inverse != 0.0f)
            return 1;
    }
    return 0;
}

/* Which cells of a layer are seen at once to have centres nearer than the margin. */
static void find_near(void *context, int layer, int worker) {
    const builder *all = context;
    rlti_grid *grid = all->grid;
    int size = grid->count[0] * grid->count[1], end = (layer + 1) * size;
    (void)worker;
    for (int c = layer * size; c < end; c++) {
        float centre[3];
        if (grid->cells[c].count == 0)
            continue;
        cell_centre(grid, c, centre);
        if (has_corner_near(grid, all->surface, &grid->cells[c], centre))
            grid->cells[c].side = 0.0f;
    }
}

/* Whether the flood may pass through a cell that it has not reached: its centre is not within the margin. */
static int is_passable(const rlti_grid *grid, const rlti_surface *surface, int index) {
    rlti_grid_cell *cell = &grid->cells[index];
    rlti_closest closest;
    float centre[3];
    if (cell->side != unknown)
        return 0;
    cell_centre(grid, index, centre);
    if (cell->count > 0 &&
        rlti_box_tree_closest(&grid->tree, surface, centre, cell->part, grid->margin, -1, -1, NULL, &closest))
        cell->side = 0.0f;
    return cell->side == unknown;
}

/* The surface as it is half way through the stretch. */
static rlti_surface half_way(const rlti_grid *grid, const rlti_surface *surface) {
    rlti_surface middle = *surface;
    middle.s = grid->middle;
    middle.position = surface->middle;
    middle.faces = NULL; /* made where they are asked for */
    return middle;
}

/* Measures a centre; `first` is the seed of the cell before it in its layer, or -1. Returns whether the
 * answer depends on that: among equally close triangles it comes first, and beyond the margin it may be
 * nearer than what the cell lists. */
static int measure(const rlti_grid *grid, const rlti_surface *middle, int index, int first,
                   rlti_grid_centre *centre) {
    const rlti_grid_cell *cell = &grid->cells[index];
    rlti_closest closest;
    int tied = 0;
    float at[3];
    cell_centre(grid, index, at);
    centre->seed = first;
    centre->distance = cell->side;
    centre->nearest = 0.0f;
    if (rlti_box_tree_closest(&grid->tree, middle, at, cell->part, grid->margin, first, first, &tied,
                              &closest))
        centre->distance = rlti_surface_signed(middle, &closest);
    else if (listed_closest(grid, middle, cell, first, at, boundless, &closest))
        tied = 1;
    else
        return 1;
    centre->nearest = sqrtf(closest.distance2);
    centre->seed = closest.triangle;
    return tied;
}

/* The cell with patches before one in its layer, -1: there is none. */
static int cell_before(const rlti_grid *grid, int index) {
    int size = grid->count[0] * grid->count[1], first = index / size * size;
    for (int c = index - 1; c >= first; c--)
        if (grid->cells[c].count > 0)
            return c;
    return -1;
}

static int is_known(const rlti_grid *grid, int index) {
    return __atomic_load_n(&grid->centres[index].state, __ATOMIC_ACQUIRE) == KNOWN;
}

/* One that is known: its numbers, which nobody writes any more, without its state, which others may ask. */
static rlti_grid_centre known_centre(const rlti_grid *grid, int index) {
    const rlti_grid_centre *from = &grid->centres[index];
    return (rlti_grid_centre){.seed = from->seed, .distance = from->distance, .nearest = from->nearest};
}

/* Whoever comes first keeps it for the others: all come to the same. */
static void keep_centre(const rlti_grid *grid, int index, const rlti_grid_centre *centre) {
    rlti_grid_centre *to = &grid->centres[index];
    int none = UNKNOWN;
    if (!__atomic_compare_exchange_n(&to->state, &none, BEGUN, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return;
    to->seed = centre->seed;
    to->distance = centre->distance;
    to->nearest = centre->nearest;
    __atomic_store_n(&to->state, KNOWN, __ATOMIC_RELEASE);
}

/* A centre that is not known yet: where it depends on the cell before it, that is measured first. */
static rlti_grid_centre find_centre(const rlti_grid *grid, const rlti_surface *surface, int index) {
    const rlti_surface middle = half_way(grid, surface);
    rlti_grid_centre centre = {.seed = -1};
    int first = index, before;
    while (measure(grid, &middle, first, -1, &centre) && (before = cell_before(grid, first)) >= 0) {
        first = before;
        if (is_known(grid, first)) {
            centre = known_centre(grid, first);
            break;
        }
    }
    keep_centre(grid, first, &centre);
    for (int c = first + 1; c <= index; c++)
        if (grid->cells[c].count > 0) {
            measure(grid, &middle, c, centre.seed, &centre);
            keep_centre(grid, c, &centre);
        }
    return centre;
}

static rlti_grid_centre centre_of(const rlti_grid *grid, const rlti_surface *surface,
                                  const rlti_grid_cell *cell) {
    int index = (int)(cell - grid->cells);
    return is_known(grid, index) ? known_centre(grid, index) : find_centre(grid, surface, index);
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
static void sweep_flood(rlti_grid *grid, const rlti_surface *surface, int back) {
    int steps[6];
    find_steps(grid, steps);
    for (int layer = 1; layer + 1 < grid->count[2]; layer++)
        for (int row = 1; row + 1 < grid->count[1]; row++) {
            int k = back ? grid->count[2] - 1 - layer : layer, j = back ? grid->count[1] - 1 - row : row;
            rlti_grid_cell *cells = &grid->cells[cell_index(grid, 0, j, k)];
            for (int at = 1; at + 1 < grid->count[0]; at++) {
                rlti_grid_cell *cell = &cells[back ? grid->count[0] - 1 - at : at];
                if (cell->side == unknown &&
                    (cell[steps[back]].side == flooded || cell[steps[2 + back]].side == flooded ||
                     cell[steps[4 + back]].side == flooded) &&
                    is_passable(grid, surface, (int)(cell - grid->cells)))
                    cell->side = flooded;
            }
        }
}

/* The outer layer is empty, and connected. */
static void flood_outer(rlti_grid *grid) {
    for (int k = 0; k < grid->count[2]; k++)
        for (int j = 0; j < grid->count[1]; j++)
            for (int i = 0; i < grid->count[0]; i++)
                if (is_outer(grid, i, j, k))
                    grid->cells[cell_index(grid, i, j, k)].side = flooded;
}

/* Marks what can be reached from the empty outer layer as outside, the rest as inside, where it counts for
 * far centres. Only a closed surface has an inside that deep. */
static void flood(rlti_grid *grid, const rlti_surface *surface) {
    int cells = grid->count[0] * grid->count[1] * grid->count[2];
    int head = 0, tail = 0, steps[6];
    for (int c = 0; c < cells && surface->sides != RLTI_SOLID; c++)
        grid->cells[c].side = grid->margin;
    if (surface->sides != RLTI_SOLID)
        return;
    for_each(grid, surface, grid->count[2], find_near);
    find_steps(grid, steps);
    flood_outer(grid);
    sweep_flood(grid, surface, 0);
    sweep_flood(grid, surface, 1);
    for (int c = 0; c < cells; c++) { /* what is left lies around corners */
        if (grid->cells[c].side != unknown)
            continue;
        for (int n = 0; n < 6 && grid->cells[c].side == unknown; n++)
            if (grid->cells[c + steps[n]].side == flooded && is_passable(grid, surface, c)) {
                grid->cells[c].side = flooded;
                grid->queue[tail++] = c;
            }
    }
    while (head < tail) {
        int from = grid->queue[head++];
        for (int n = 0; n < 6; n++)
            if (is_passable(grid, surface, from + steps[n])) {
                grid->cells[from + steps[n]].side = flooded;
                grid->queue[tail++] = from + steps[n];
            }
    }
    for (int c = 0; c < cells; c++) {
        float *side = &grid->cells[c].side;
        if (*side == flooded)
            *side = grid->margin;
        else if (*side == unknown)
            *side = -grid->margin;
    }
}

static float centroid_distance2(const rlti_surface *surface, int triangle, const float point[3]) {
    float centroid[3];
    rlti_surface_centroid(surface, triangle, centroid);
    float x = point[0] - centroid[0], y = point[1] - centroid[1], z = point[2] - centroid[2];
    return x * x + y * y + z * z;
}

/* The seed of any cell, in seed_inside. */
static int seed_of(const rlti_grid *grid, int index) {
    return grid->cells[index].count > 0 ? grid->centres[index].seed : grid->cells[index].seed;
}

/* Takes the best of the neighbours' seeds. */
static void improve_seed(const rlti_grid *grid, const rlti_surface *surface, int at, const int steps[6]) {
    rlti_grid_cell *cell = &grid->cells[at];
    float centre[3];
    cell_centre(grid, at, centre);
    for (int n = 0; n < 6; n++) {
        int seed = seed_of(grid, at + steps[n]);
        if (seed >= 0 &&
            centroid_distance2(surface, seed, centre) < centroid_distance2(surface, cell->seed, centre))
            cell->seed = seed;
    }
}

/* Hands seeds inwards, layer by layer, so that empty cells deep inside know a triangle near them. None of
 * these is in the outer layer. */
static void seed_inside(const rlti_grid *grid, const rlti_surface *surface) {
    int cells = grid->count[0] * grid->count[1] * grid->count[2];
    int head = 0, tail = 0, steps[6];
    find_steps(grid, steps);
    for (int c = 0; c < cells; c++)
        if (grid->cells[c].count > 0) {
            rlti_grid_centre centre = centre_of(grid, surface, &grid->cells[c]);
            if (centre.seed >= 0 && centre.distance < 0.0f)
                grid->queue[tail++] = c;
        }
    const rlti_surface middle = half_way(grid, surface);
    while (head < tail) {
        int from = grid->queue[head++];
        /* by now more neighbours have a seed than when this cell entered the queue */
        if (grid->cells[from].count == 0)
            improve_seed(grid, &middle, from, steps);
        for (int n = 0; n < 6; n++) {
            rlti_grid_cell *next = &grid->cells[from + steps[n]];
            if (next->seed >= 0 || next->count > 0 || next->side >= 0.0f)
                continue;
            next->seed = seed_of(grid, from);
            grid->queue[tail++] = from + steps[n];
        }
    }
}

/* The seed of an empty cell inside. Who asks first finds all of them; others wait. */
static int deep_seed(const rlti_grid *grid, const rlti_surface *surface, const rlti_grid_cell *cell) {
    int none = UNKNOWN;
    if (cell->side >= 0.0f)
        return -1;
    if (__atomic_compare_exchange_n(grid->seeded, &none, BEGUN, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
        seed_inside(grid, surface);
        __atomic_store_n(grid->seeded, KNOWN, __ATOMIC_RELEASE);
    }
    while (__atomic_load_n(grid->seeded, __ATOMIC_ACQUIRE) != KNOWN)
        sched_yield();
    return cell->seed;
}

int rlti_grid_seed(const rlti_grid *grid, const rlti_surface *surface, const rlti_grid_cell *cell) {
    return cell->count > 0 ? centre_of(grid, surface, cell).seed : deep_seed(grid, surface, cell);
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
    *grid->seeded = UNKNOWN;
    fill_entries(grid, surface);
    flood(grid, surface);
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
    if (cell->count == 0 && cell->side >= 0.0f)
        return NULL;
    x -= (float)i + 0.5f;
    y -= (float)j + 0.5f;
    z -= (float)k + 0.5f;
    *from_centre2 = (x * x + y * y + z * z) * (grid->size * grid->size);
    return cell;
}

/* A point deeper than the margin: its cell has no triangles but a seed. */
static int deep_closest(const rlti_surface *surface, int seed, const float point[3], float reach,
                        rlti_closest *closest, float *distance) {
    closest->distance2 = boundless * boundless;
    closest->triangle = seed;
    rlti_triangle scratch;
    if (seed < 0 || !rlti_triangle_closest(rlti_surface_face(surface, seed, &scratch), point, closest))
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

static float clear_around(const rlti_grid *grid, const rlti_surface *surface,
                          const rlti_grid_centre *centre) {
    return centre->distance >= 0.0f ? centre->distance - travel_now(grid, surface) : -boundless;
}

float rlti_grid_clear(const rlti_grid *grid, const rlti_surface *surface, const rlti_grid_cell *cell) {
    if (cell->count == 0)
        return -boundless;
    rlti_grid_centre centre = centre_of(grid, surface, cell);
    return clear_around(grid, surface, &centre);
}

/* Half way from the cell's centre to the surface near it: the direction in which most hair of the cell is. */
static int aim_front(const rlti_grid *grid, const rlti_surface *surface, int index, rlti_grid_front *front) {
    int seed = rlti_grid_seed(grid, surface, &grid->cells[index]);
    if (seed < 0)
        return 0;
    const int *corners = surface->triangles[seed];
    rlti_closest closest = {.distance2 = boundless * boundless};
    rlti_triangle triangle;
    float centre[3];
    cell_centre(grid, index, centre);
    rlti_triangle_set(&triangle, surface->middle[corners[0]], surface->middle[corners[1]],
                      surface->middle[corners[2]]);
    if (!rlti_triangle_closest(&triangle, centre, &closest) || !(closest.distance2 > 1e-4f))
        return 0;
    float scale = 1.0f / sqrtf(closest.distance2);
    for (int k = 0; k < 3; k++)
        front->normal[k] = scale * closest.offset[k];
    return 1;
}

static float along(const float normal[3], const float point[3]) {
    return normal[0] * point[0] + normal[1] * point[1] + normal[2] * point[2];
}

static int make_front(const rlti_grid *grid, const rlti_surface *surface, int index, rlti_grid_front *front) {
    const rlti_grid_cell *cell = &grid->cells[index];
    float centre[3];
    if (surface->sides != RLTI_SOLID || !(centre_of(grid, surface, cell).distance > 0.0f) ||
        !aim_front(grid, surface, index, front))
        return 0;
    front->level = -boundless;
    for (int e = 0; e < cell->count; e++) {
        int patch = grid->entries[cell->start + e], end = rlti_surface_patch_end(surface, patch);
        for (int t = patch * surface->patch_size; t < end; t++)
            for (int k = 0; k < 3; k++) {
                float at = along(front->normal, surface->middle[surface->triangles[t][k]]);
                front->level = at > front->level ? at : front->level;
            }
    }
    cell_centre(grid, index, centre);
    return along(front->normal, centre) - front->level > RLTI_SURFACE_ROUNDING;
}

/* Whoever comes first makes it; who comes before it is there does without. */
static int has_front(const rlti_grid *grid, const rlti_surface *surface, int index) {
    rlti_grid_front *front = &grid->fronts[index];
    int state = __atomic_load_n(&front->state, __ATOMIC_ACQUIRE), none = UNKNOWN;
    if (state == UNKNOWN &&
        __atomic_compare_exchange_n(&front->state, &none, BEGUN, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        state = make_front(grid, surface, index, front) ? KNOWN : NONE;
        __atomic_store_n(&front->state, state, __ATOMIC_RELEASE);
    }
    return state == KNOWN;
}

float rlti_grid_in_front(const rlti_grid *grid, const rlti_surface *surface, const rlti_grid_cell *cell,
                         const float point[3], float normal[3]) {
    int index = (int)(cell - grid->cells);
    if (cell->count == 0 || !has_front(grid, surface, index))
        return 0.0f;
    const rlti_grid_front *front = &grid->fronts[index];
    memcpy(normal, front->normal, sizeof front->normal);
    float height = along(normal, point) - front->level - travel_now(grid, surface) - RLTI_SURFACE_ROUNDING;
    return height > 0.0f ? height : 0.0f;
}

int rlti_grid_closest(const rlti_grid *grid, const rlti_surface *surface, const rlti_grid_cell *cell,
                      float from_centre2, const float point[3], float reach, int from, rlti_closest *closest,
                      float *distance) {
    if (cell->count == 0)
        return deep_closest(surface, deep_seed(grid, surface, cell), point, reach, closest, distance);
    rlti_grid_centre centre = centre_of(grid, surface, cell);

    /* The point is not of interest if it lies in the free ball around the centre shrunk by `reach`. Else, let
     * the ball around the point be at least so large that the two overlap: when it is free too, the point is
     * outside like the centre. */
    float limit = boundless, clear = clear_around(grid, surface, &centre);
    if (clear > -boundless) {
        if (clear > reach && (clear - reach) * (clear - reach) > from_centre2)
            return 0;
        float gap = 1.001f * sqrtf(from_centre2) - clear;
        limit = gap > reach ? gap : reach;
        limit = limit > 0.0f ? limit : 0.0f;
    }
    float free = 0.9999f * centre.nearest - 1.001f * sqrtf(from_centre2) - travel_now(grid, surface);
    if (!cell_closest(grid, surface, cell, centre.seed, from >= 0 ? from : centre.seed, point, free, limit,
                      closest))
        return 0;
    if (closest->distance2 < grid->margin * grid->margin)
        *distance = rlti_surface_signed(surface, closest);
    else
        *distance = centre.distance < 0.0f && surface->sides == RLTI_SOLID ? -sqrtf(closest->distance2)
                                                                           : sqrtf(closest->distance2);
    return *distance < reach;
}
