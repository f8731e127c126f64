/* A tree of boxes over short runs of spheres along hairs: which hairs come near which, without comparing each
 * with each. Runs are as long as a few of their spheres are wide, so that what meets a run's box is mostly
 * near the hair, be spheres larger or smaller than the distance between them. Building and asking grow with
 * the number of spheres and of neighbours, not with its square. */
#ifndef RLTI_CONTACT_HAIR_RUN_TREE_H
#define RLTI_CONTACT_HAIR_RUN_TREE_H

#include "contact/hair/run_box.h"

enum { RLTI_RUN_TREE_WIDTH = 8, RLTI_RUN_TREE_LEVELS = 12 };

/* The boxes of eight nodes of the level below, or of eight runs, coordinate by coordinate; missing ones meet
 * nothing. */
typedef struct rlti_run_node {
    float low[3][RLTI_RUN_TREE_WIDTH], high[3][RLTI_RUN_TREE_WIDTH];
} rlti_run_node;

typedef struct rlti_run_tree {
    int hair_count, run_count;
    int *first_run;      /* [hair_count + 1] */
    rlti_run_box *boxes; /* [run_count] in the order of hairs */
    int *hair;           /* [run_count] in the order of the tree */
    int *order;          /* [hair_count] all hairs; those asked about one after the other lie together */
    int level_count;
    int start[RLTI_RUN_TREE_LEVELS]; /* first node of a level; level 0 holds runs */
    rlti_run_node *nodes;
} rlti_run_tree;

/* Sphere i of a hair is at[i] = {x, y, z, radius}, first[hair] <= i < first[hair + 1]; hairs with taken[hair]
 * = 0 stay out. Returns 0 when out of memory (destroy still works). */
int rlti_run_tree_create(const float (*at)[4], const int *first, int hair_count, const unsigned char *taken,
                         rlti_run_tree *tree);
void rlti_run_tree_destroy(rlti_run_tree *tree);

/* Hairs after this one (of higher number) that may touch it: all whose spheres meet one of its own, and some
 * others; each once, in no order. Returns how many. `seen` is [hair_count], with no entry hair + 1 yet;
 * *visited grows by the nodes looked into. Any number of threads, each with its own arrays. */
int rlti_run_tree_find(const rlti_run_tree *tree, int hair, int *seen, int *found /* [hair_count] */,
                       long long *visited);

#endif
