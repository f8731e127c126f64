/* A uniform grid over all that a surface sweeps in a stretch of its motion (Teschner et al. 2003, without the
 * hash), with three facts kept per cell that answer most queries in constant time:
 *   - the patches of triangles (in small meshes: the triangles) that come within `margin` of the cell,
 *   - a lower bound of the signed distance at the cell's centre, from which follows one for every point in
 *     it,
 *   - a triangle near the centre to start the search at.
 *
 * Let h be the cell's size, m the furthest a vertex gets from its place half way through the stretch. The
 * margin is m + 0.87 h or more, and a cell's half diagonal is below 0.87 h. So a point whose distance from
 * the surface is at least the margin has the sign of its cell's centre: the segment between them cannot cross
 * the surface. Centres nearer than the margin get their sign from the closest feature, the others by a flood
 * fill from outside (two neighbouring centres, both that far away, have no surface between them). Hence a
 * point can be arbitrarily deep inside a closed mesh and is still known to be inside. */
#ifndef RLTI_CONTACT_BODY_GRID_H
#define RLTI_CONTACT_BODY_GRID_H

#include "contact/body/box_tree.h"
#include "parallel/pool.h"

typedef struct rlti_grid_cell {
    int start, count;        /* of its patches in `entries` */
    rlti_box_tree_part part; /* of the tree that holds these patches */
    int seed;                /* of an empty cell: a triangle near it, -1 where none is known */
    float side;              /* the margin, negative inside, unless the centre is nearer than that */
} rlti_grid_cell;

/* The centre of a cell with patches, half way through the stretch: measured when it is first asked for, by
 * any thread. */
typedef struct rlti_grid_centre {
    int state;
    int seed;       /* a triangle near it */
    float distance; /* signed; at most (least) the margin where it is further */
    float nearest;  /* no triangle of the cell's patches is nearer; 0 where that is not known */
} rlti_grid_centre;

/* A half space beyond which no triangle of a cell's patches reaches half way, and which the cell's centre is
 * in front of. Made when it is first asked for, by any thread. */
typedef struct rlti_grid_front {
    float normal[3], level; /* normal . x <= level in it */
    int state;
} rlti_grid_front;

typedef struct rlti_grid {
    /* bounds fixed at creation; a grid that would need more gets larger cells */
    int cell_capacity, entry_capacity;
    rlti_grid_cell *cells;     /* [cell_capacity], x fastest */
    rlti_grid_front *fronts;   /* [cell_capacity] */
    rlti_grid_centre *centres; /* [cell_capacity] */
    int *seeded;               /* whether empty cells inside have seeds: when one is first asked for */
    int *entries;              /* [entry_capacity] patch indices, increasing within a cell */
    int *queue;                /* [cell_capacity] */
    int (*ranges)[6];          /* [patch_count] of cells near a patch: least index per axis, then greatest */
    float (*boxes)[6];         /* [vertex_count] swept in the stretch, least corner then greatest */
    float (*patches)[2][4];    /* [patch_count] the same for patches, each corner followed by 0 */

    rlti_pool *pool;         /* that builds it; NULL: the caller alone. Not the grid's own */
    rlti_vertex_path *paths; /* [vertex_count] */
    rlti_box_tree tree;      /* of all triangles */

    float
        coarse; /* cells are so many times larger: fewer to measure, with more to search in each. 1 at first */
    float corner[3]; /* least corner, relative to the surface's centre */
    float size;      /* of a cell */
    float inverse;   /* 1 / size */
    int count[3];    /* cells per axis; all 0 when the mesh is empty or not finite */
    float margin;
    float travel;  /* m above */
    double middle; /* half way through the stretch */
} rlti_grid;

/* Returns 0 when out of memory (destroy still works). The only function here that allocates. */
int rlti_grid_create(const rlti_surface *surface, rlti_grid *grid);
void rlti_grid_destroy(rlti_grid *grid);

/* Builds the grid for s in [from, to]. Distances below `reach` are to be found for sure. Leaves the surface
 * posed half way, weighed there. */
void rlti_grid_build(rlti_grid *grid, rlti_surface *surface, double from, double to, float reach);

/* The cell of a point, with the point's distance from its centre squared. NULL where no surface is near:
 * outside the grid, in empty cells outside the mesh, and for NaN. */
const rlti_grid_cell *rlti_grid_look_up(const rlti_grid *grid, const float point[3], float *from_centre2);

/* A triangle near the cell, -1: none is known. */
int rlti_grid_seed(const rlti_grid *grid, const rlti_surface *surface, const rlti_grid_cell *cell);

/* The radius of a ball around the cell's centre that is free of surface now, the centre being outside;
 * negative where none is known. */
float rlti_grid_clear(const rlti_grid *grid, const rlti_surface *surface, const rlti_grid_cell *cell);

/* How far a point of the cell is at least in front of all triangles near the cell now, and along which
 * normal; it is outside then. 0 where that is not known. */
float rlti_grid_in_front(const rlti_grid *grid, const rlti_surface *surface, const rlti_grid_cell *cell,
                         const float point[3], float normal[3]);

/* Finds the closest point of the surface where the signed distance of `point` may be below `reach`; the cell
 * and `from_centre2` come from rlti_grid_look_up. `from` is a triangle that may be near, or -1: it changes
 * nothing but the time. Returns 1 with the signed distance if that is below `reach`, else 0. Exact for
 * distances below the margin; deeper inside than that, the point found is near the closest. */
int rlti_grid_closest(const rlti_grid *grid, const rlti_surface *surface, const rlti_grid_cell *cell,
                      float from_centre2, const float point[3], float reach, int from, rlti_closest *closest,
                      float *distance);

#endif
