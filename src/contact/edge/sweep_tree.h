/* A tree of moving boxes over runs of up to eight items: edges of strands, triangles of a body. Its shape
 * is made once, from the rest pose, and its boxes are taken anew in every step, from the items up.
 *
 * A box stands where its items are at the start of the step and where they are at the end, and moves evenly
 * in between, as they do. Two boxes are apart when one axis separates them in the same order at both ends:
 * so hair that moves together, however fast, is compared with as little as hair at rest. */
#ifndef RLTI_CONTACT_EDGE_SWEEP_TREE_H
#define RLTI_CONTACT_EDGE_SWEEP_TREE_H

#include "base/math.h"
#include "contact/hair/run_box.h"
#include "parallel/pool.h"

enum { RLTI_SWEEP_WIDTH = 8, RLTI_SWEEP_LEVELS = 12 };

/* At the start and at the end of the step. */
typedef struct rlti_sweep_box {
    rlti_run_box at[2];
} rlti_sweep_box;

/* Eight boxes, coordinate by coordinate: [axis][start or end of the step][box]. */
typedef struct rlti_sweep_node {
    float low[3][2][RLTI_SWEEP_WIDTH], high[3][2][RLTI_SWEEP_WIDTH];
} rlti_sweep_node;

/* Puts one box; returns bit i: the i-th box of the node may meet this one. */
rlti_sweep_box rlti_sweep_node_box(const rlti_sweep_node *node); /* of all eight */
void rlti_sweep_node_put(rlti_sweep_node *node, int place, const rlti_sweep_box *box);
unsigned rlti_sweep_node_meet(const rlti_sweep_node *node, const rlti_sweep_box *box);

typedef struct rlti_sweep_tree {
    int run_count;
    int *run;   /* [run_count, rounded up to eights] the run at a place of level 0 */
    int *place; /* [run_count] the inverse */
    int level_count;
    int start[RLTI_SWEEP_LEVELS], count[RLTI_SWEEP_LEVELS]; /* nodes of a level; those of level 0 are runs */
    rlti_sweep_node *nodes;
} rlti_sweep_tree;

/* Runs by their boxes at rest; returns 0 when out of memory (destroy still works). `items`: 1: runs have
 * nodes, with the boxes of their items; 0: there is only the box of each run, and there are no nodes of
 * level 0. The only function here that allocates, beside that of a part. */
int rlti_sweep_tree_create(const rlti_run_box *boxes, int run_count, int items, rlti_sweep_tree *tree);
void rlti_sweep_tree_destroy(rlti_sweep_tree *tree);

/* Puts the boxes of one run's items, all of them. Any thread, one run each. */
typedef void rlti_sweep_fill(void *context, int run, rlti_sweep_node *node);

/* Takes all boxes of a tree with items anew. */
void rlti_sweep_tree_refit(rlti_sweep_tree *tree, rlti_pool *pool, rlti_sweep_fill *fill, void *context);

/* The same of a tree without; of some runs, by their number, NULL: of all. */
typedef rlti_sweep_box rlti_sweep_fit(void *context, int run);
void rlti_sweep_tree_fit(rlti_sweep_tree *tree, const unsigned char *some, rlti_pool *pool,
                         rlti_sweep_fit *fit, void *context);

/* A tree of some of the runs of another without items, which must outlive it, for walks; returns 0 when
 * out of memory. And puts its boxes. */
int rlti_sweep_tree_create_part(const rlti_sweep_tree *whole, rlti_sweep_tree *part);
void rlti_sweep_tree_put_part(const rlti_sweep_tree *whole, const unsigned char *some, rlti_pool *pool,
                              rlti_sweep_tree *part);
void rlti_sweep_tree_destroy_part(rlti_sweep_tree *part);

/* The box of a run, in a tree without items. */
rlti_sweep_box rlti_sweep_tree_box(const rlti_sweep_tree *tree, int run);

/* A walk over the runs whose boxes may meet one, in no particular order; contact/edge/sift.h takes it. */
typedef struct rlti_sweep_walk {
    const rlti_sweep_tree *tree;
    rlti_sweep_box box;
    int depth;                                          /* 0: at its end */
    int stack[RLTI_SWEEP_LEVELS * RLTI_SWEEP_WIDTH][2]; /* level, node */
} rlti_sweep_walk;

void rlti_sweep_walk_begin(rlti_sweep_walk *walk, const rlti_sweep_tree *tree, const rlti_sweep_box *box);

/* A box that meets nothing. */
rlti_sweep_box rlti_sweep_box_empty(void);

/* The box of points at the start, and at the end `far` larger. Where one is not a number it meets nothing. */
rlti_sweep_box rlti_sweep_box_around(const rlti_vec3 *start, const rlti_vec3 *end, int count,
                                     rlti_vec3 centre, double far);

#endif
