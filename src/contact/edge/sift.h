/* Builds of boxes of edges, and of the sieve for pairs of edges that are surely apart, or counted with the
 * next edge: one source, an instruction set each. Which one is used makes no difference to contacts. */
#ifndef RLTI_CONTACT_EDGE_SIFT_H
#define RLTI_CONTACT_EDGE_SIFT_H

#include <stdint.h>

#include "contact/edge/sweep_tree.h"

/* Half runs: up to four edges of one strand that follow each other. Of two of them, bit 4 i + k is the pair
 * of the i-th and the k-th. */
enum { RLTI_EDGE_HALVES = 2, RLTI_EDGE_HALF = RLTI_SWEEP_WIDTH / RLTI_EDGE_HALVES };

/* Columns over all points, and a run beyond the last: where each ends from the centre, how it moves, where it
 * starts, where it is in the groom; of the edge that begins there, its greater radius, how near to bodies it
 * has contacts, and its strand from 1 on, negative where no edge follows. */
enum {
    RLTI_EDGE_END,
    RLTI_EDGE_MOTION = 3,
    RLTI_EDGE_START = 6,
    RLTI_EDGE_REST = 9,
    RLTI_EDGE_RADIUS = 12,
    RLTI_EDGE_BODY,
    RLTI_EDGE_STRAND,
    RLTI_EDGE_COLUMNS
};
enum { RLTI_EDGE_BEYOND = 16 };

/* Chords of half runs, of eight runs that follow each other in the tree: lane 8 h + i is the h-th half of the
 * i-th. Every point of the half is nearer to its chord than `bulge`. */
enum { RLTI_EDGE_CHORDS = 16 };
typedef struct rlti_edge_chords {
    float end[2][3][RLTI_EDGE_CHORDS]; /* first and last point from the centre */
    float motion[3][RLTI_EDGE_CHORDS]; /* of the half: the mean of its points' */
    float touch[RLTI_EDGE_CHORDS];     /* bulge, the greatest radius and the margin */
    float pass[RLTI_EDGE_CHORDS]; /* bulge, the greatest difference of a point's motion from the mean, and
                                   * twice the margin */
    unsigned used;                /* bit: the half has edges */
} rlti_edge_chords;

/* Eight runs of the tree, some of which may be near one run. */
typedef struct rlti_edge_eight {
    int node;                        /* their place in the tree over 8 */
    unsigned char of;                /* bit i: the i-th, before; its box meets the run's */
    uint16_t near[RLTI_EDGE_HALVES]; /* of each half of the run: bit 8 h + i, the i-th run's h-th half */
    uint16_t pass[RLTI_EDGE_HALVES]; /* of these: they may pass each other */
} rlti_edge_eight;

/* The same in short: its place over 8, and which. */
static inline uint32_t rlti_edge_wide(const rlti_edge_eight *eight) {
    return (uint32_t)eight->node << 8 | eight->of;
}
static inline int rlti_edge_wide_node(uint32_t wide) {
    return (int)(wide >> 8);
}

/* A half run that is near another. */
typedef struct rlti_edge_near {
    int half;            /* of all: 2 x its run, or the run's place in a tree, and 1 for the second */
    uint16_t mask, may;  /* pairs that may have contacts, and pass, in this search or a later one */
    uint16_t near, pass; /* pairs that may have contacts now; that may pass each other now */
} rlti_edge_near;

/* Four triangles: [corner][start x, y, z, end x, y, z], from the centre. */
typedef struct rlti_edge_triangles {
    float at[3][6][RLTI_EDGE_HALF];
    float shift; /* size of what was added to coordinates: of rounding */
} rlti_edge_triangles;

/* How near pairs are listed. */
typedef struct rlti_edge_limits {
    double offset;       /* contacts reach so much beyond radii [unit] */
    float own;           /* pairs in `mask` so much further, */
    const float *margin; /* and so much for each run; NULL: `mask` stays as it is [unit] */
    int keep;            /* 1: radii of a pair are no more than its distance in the groom */
} rlti_edge_limits;

typedef struct rlti_edge_sieve {
    /* The next runs of a walk, by eights, as many as there is capacity for; returns how many. The walk is at
     * its end when its depth is 0. */
    int (*walk)(rlti_sweep_walk *walk, rlti_edge_eight *found, int capacity);
    /* Of eights that a walk with a larger box has found, those with runs whose boxes meet this one, and which
     * runs; returns how many. */
    int (*narrow)(const rlti_sweep_tree *tree, const rlti_sweep_box *box, const uint32_t *from, int count,
                  rlti_edge_eight *found);
    /* Measures the chords of a run, the place-th of its eight, of `count` edges from point a on. */
    void (*chord)(float *const *columns, int a, int count, float margin, int place, rlti_edge_chords *chords);
    /* Sets `near` and `pass` of others: halves of the run at a place of the tree that may have contacts with
     * them. */
    void (*chords)(const rlti_edge_chords *chords, int place, double offset, rlti_edge_eight *others,
                   int count);
    /* Puts the boxes of the first `count` of eight edges that begin at point a, `far` larger than the values
     * of a column at the end; the others, and those with points that are not finite, meet nothing. Returns
     * bit i: the i-th edge has a box. */
    unsigned (*box)(float *const *columns, int column, int a, int count, double far, rlti_sweep_node *node);
    /* Keeps of the others, and of the pairs in `mask`, those whose boxes meet: the half run is that of the
     * node `own`, and runs have nodes[run]. Returns how many are left. */
    int (*meet)(const rlti_sweep_node *own, int half, const rlti_sweep_node *nodes, rlti_edge_near *others,
                int count);
    /* The half run's edges begin at point a, those of a run at first[run]. Of the pairs in `mask` and `may`
     * sets `near` and `pass`; and leaves in them those that are nearer than contacts can be by the margin. */
    void (*sift)(float *const *columns, int a, const int *first, const rlti_edge_limits *limits,
                 rlti_edge_near *others, int count);
    /* Pairs of a half run, whose edges begin at point a, and four triangles that may have contacts, as long
     * as no point ends further than `margin` from where it does now. */
    unsigned (*faces)(float *const *columns, int a, const rlti_edge_triangles *triangles, double margin);
} rlti_edge_sieve;

extern const rlti_edge_sieve rlti_edge_sieve_avx512;
extern const rlti_edge_sieve rlti_edge_sieve_avx2;
extern const rlti_edge_sieve rlti_edge_sieve_portable;

#endif
