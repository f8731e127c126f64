/* Inside of the springs, shared by springs.c (life, response, memory) and near.c (who is near whom).
 *
 * Seen from each strand, every neighbour in the contact graph is a block: the pairs of particles, one from
 * each hair, that are near each other. Hairs know how far they have come: `path` grows in every outer step by
 * the way of the particle that moved furthest (relative to the cluster). Two hairs that were a gap g apart
 * cannot touch before their paths together have grown by g, so most blocks sleep most of the time, and slow
 * hair is never searched again because of a fast strand elsewhere. Hairs that move together are asleep for
 * longer: `drift` is the way that a hair's particles have come apart from the flow around them (flow.h). */
#ifndef RLTI_CONTACT_HAIR_SPRINGS_DATA_H
#define RLTI_CONTACT_HAIR_SPRINGS_DATA_H

#include <stdatomic.h>

#include "contact/hair/flow.h"
#include "contact/hair/run_box.h"
#include "contact/hair/springs.h"

/* All near pairs with one neighbour; ordered by run of mine, run of other, mine, other. */
typedef struct rlti_block {
    int strand;   /* the neighbour */
    int first;    /* of its items in the strand's list */
    int count;    /* of items */
    int room;     /* for items */
    double valid; /* the list is complete while the two paths together are below this */
    /* the list is complete, too, while the two drifts together are below `still`, less `span` times what the
     * cluster's strain has grown from `strain` */
    double still, strain;
    float span; /* how far pairs not listed are apart at least [unit] */
    int twin;   /* the same two hairs seen from the neighbour: its place in `blocks`; -1: on another rank */
} rlti_block;

/* What is near one strand. */
typedef struct rlti_near_list {
    rlti_block *blocks; /* [graph degree], neighbours ascending */
    /* [graph degree] no pair of the block acts while the two paths together are below this; by itself, since
     * it is all that is read of blocks that sleep */
    double *wakes;
    rlti_near *items;
    int used, room; /* blocks that grow move to the end; when that is reached, all move together */
    int own;        /* 1: items are allocated, 0: a part of the springs' reserve */
} rlti_near_list;

/* A connected part of the graph, carried by the root of its first strand: what moves with that root cannot
 * bring two of its particles nearer. */
typedef struct rlti_cluster {
    int strand; /* first one */
    rlti_motion_segment motion;
    rlti_vec3 origin; /* now, world */
    float turn[9];    /* now: world to the root's axes, row major */
    rlti_flow *flow;  /* NULL: too few hairs */
    double strain;    /* sum of the flow's slopes since the start */
} rlti_cluster;

/* A block in which some pair may act, and the two paths together [unit]. */
typedef struct rlti_awake {
    int block;
    double paths;
} rlti_awake;

/* One worker's own memory. */
typedef struct rlti_springs_worker {
    rlti_near *items; /* a block's new list */
    int room;
    rlti_near *spare; /* a strand's list while its blocks move */
    int spare_room;
    rlti_awake *awake; /* [most neighbours of a strand] */
    float (*force)[4]; /* [most particles of a strand] force, and what it takes of the motion */
} rlti_springs_worker;

struct rlti_springs {
    rlti_springs_def def;
    double rate;           /* frames per second */
    rlti_spring_law *laws; /* [hair_count][hair_count] */
    float *fresh;          /* [hair_count] most that one new contact may take of a particle's motion [mass] */
    float reach;           /* greatest distance at which any pair acts, as a multiple of touch */
    float *margin;         /* [strand_count] pairs of two hairs are listed up to their mean [unit] */
    unsigned char *local;  /* [strand_count] */
    unsigned char *sparse; /* [strand_count] 1: its particles are far apart for their size */
    int *cluster_of;       /* [strand_count], -1: no neighbours */
    rlti_cluster *clusters;
    int cluster_count;
    float (*rest)[4]; /* [particle count] in the groom, relative to the cluster's first root */

    rlti_seen *seen;  /* [particle count] */
    float *rows;      /* [run count][4][RLTI_RUN] positions and radii of what is seen */
    int is_large;     /* 1: the rows are more than fits into a cache */
    float *share;     /* [particle count] for the next look */
    float (*last)[3]; /* [particle count] where it was at the last look, in the cluster's axes */
    double *path;     /* [strand_count] way of its fastest particle since the start [unit] */
    double *drift;    /* [strand_count] the same, of what it deviates from the flow [unit] */
    float *reach_of;  /* [strand_count] largest distance at which it acts on a point [unit] */
    /* sums over the strands at the start of the last outer step, and steps for which no flow is tried */
    long long searched, all_spared;
    int unmoved;
    /* Runs, boxes and rows lie in the graph's order, neighbouring strands together. */
    int *place;           /* [strand_count] where a strand is in that order */
    int *first_run;       /* [strand_count + 1] of each place */
    rlti_run_box *runs;   /* [run count] spheres as far as they act */
    rlti_run_box *boxes;  /* [strand_count] of each place */
    rlti_near_list *near; /* [strand_count] */
    rlti_block *blocks;   /* all of them, neighbouring strands together */
    double *wakes;        /* likewise */
    /* when a block wakes, or a little earlier, for its twin to read, whatever thread has it; -HUGE_VAL unless
     * its list is empty. By itself and short, since the twins of a strand's blocks are all over it. */
    _Atomic float *empty_until;
    rlti_near *reserve; /* for the items of all strands, in the same order */
    rlti_springs_worker *workers;

    /* per strand; contacts count twice, once from each end */
    int *live, *limited; /* [strand_count] of the last outer step */
    long long *searches; /* [strand_count] since the start */
    long long *spared;   /* [strand_count] likewise: not done, since the flow says that nothing is near */
};

/* near.c: finds all near pairs of one block, whose list may be incomplete; `paths` of both hairs together. 0:
 * out of memory. */
int rlti_near_search(rlti_springs *springs, int strand, rlti_block *block, double paths,
                     rlti_springs_worker *worker);

/* near.c: what the twin of a block may know of it. */
void rlti_near_tell_twin(rlti_springs *springs, const rlti_block *block, double empty_until);

/* near.c: takes the memory that will most likely be needed, by searching the groom. 0: out of memory. */
int rlti_near_prepare(rlti_springs *springs);

/* Boxes and positions of a strand from what is seen of it now. */
void rlti_near_boxes(rlti_springs *springs, int strand);

/* Room for `count` items in a strand's list, which grows by half. 0: out of memory. */
int rlti_near_list_room(rlti_near_list *list, int count);

#endif
