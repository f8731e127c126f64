/* A tree of boxes over a surface's triangles, for closest points.
 *
 * Its shape is made once, from the rest pose: triangles are ordered so that runs of 4, 16, 64, ... of them
 * lie together (contact/body/patches.h), and four runs make the next longer one. So nodes need no pointers,
 * and a new motion only needs new boxes. These move: in a stretch of the motion each side of a box goes
 * evenly from one place to another, so that what is in it stays there. */
#ifndef RLTI_CONTACT_BODY_BOX_TREE_H
#define RLTI_CONTACT_BODY_BOX_TREE_H

#include "contact/body/surface.h"

enum { RLTI_BOX_TREE_WIDTH = 4, RLTI_BOX_TREE_LEVELS = 16 };

/* The boxes of four nodes of the level below, or of four triangles, coordinate by coordinate: a compiler
 * makes vector instructions of loops over the last index. Missing ones are far away. */
typedef struct rlti_box_tree_node {
    float minimum[3][RLTI_BOX_TREE_WIDTH], maximum[3][RLTI_BOX_TREE_WIDTH]; /* at the start */
    float shift[3][RLTI_BOX_TREE_WIDTH];                                    /* from there to the end */
} rlti_box_tree_node;

/* Names a node: its level, and its place there. */
typedef struct rlti_box_tree_part {
    int level, node;
} rlti_box_tree_part;

typedef struct rlti_box_tree {
    int level_count;
    int start[RLTI_BOX_TREE_LEVELS],
        count[RLTI_BOX_TREE_LEVELS]; /* nodes of a level; level 0 holds triangles */
    rlti_box_tree_node *nodes;
    double from, to; /* the stretch */
} rlti_box_tree;

/* Returns 0 when out of memory (destroy still works). */
int rlti_box_tree_create(const rlti_surface *surface, rlti_box_tree *tree);
void rlti_box_tree_destroy(rlti_box_tree *tree);

/* Takes new boxes for s in [from, to]. What the paths leave aside must be a little more than rounding of
 * closest points. */
void rlti_box_tree_fit(rlti_box_tree *tree, const rlti_surface *surface, double from, double to,
                       const rlti_vertex_path *paths /* [vertex_count] */);

/* The smallest part that holds the triangles at places `minimum` to `maximum` of the surface's order. */
rlti_box_tree_part rlti_box_tree_common(int minimum, int maximum);

/* Closest point over all triangles of a part as posed (within the stretch), if nearer than `limit`. `from` is
 * a triangle to start at, in the part or not, or -1: the nearer it is, the shorter the search. Where several
 * are equally close to rounding, the answer is that of checking them one by one, `first` before the others,
 * these by index: it depends neither on the tree nor, if that is in the part, on `from`. `tied`, unless NULL:
 * whether another one is as close, so that it does depend on `first`. Returns 1 if found. */
int rlti_box_tree_closest(const rlti_box_tree *tree, const rlti_surface *surface, const float point[3],
                          rlti_box_tree_part part, float limit, int from, int first, int *tied,
                          rlti_closest *closest);

#endif
