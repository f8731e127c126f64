/* Builds of the proximities of pairs of edges: one source, an instruction set each. All of them round as
 * pairs.c does, one pair at a time. */
#ifndef RLTI_CONTACT_EDGE_KERNEL_PAIRS_H
#define RLTI_CONTACT_EDGE_KERNEL_PAIRS_H

#include "base/math.h"

/* Pairs that are looked into at once. */
enum { RLTI_EDGE_PACK = 8 };

/* A point and its radius: two of them, an edge, are eight numbers. */
typedef struct rlti_edge_row {
    rlti_vec3 at;
    double radius;
} rlti_edge_row;

/* Up to eight pairs of edges of different strands that do not pass each other. Lanes that are not used have
 * any edges. */
typedef struct rlti_edge_pack {
    const rlti_edge_row *end, *rest; /* [points] at the end of the step; the groom, NULL: it does not count */
    double offset;                   /* beyond the radii [unit] */
    int point[2][RLTI_EDGE_PACK];    /* first points of the edges */
    unsigned follows[2];             /* bits: the strand has an edge after this one */
} rlti_edge_pack;

/* Both parts of a pair: the second only of parallel edges. */
typedef struct rlti_edge_proximities {
    double share[2][2][RLTI_EDGE_PACK]; /* [part][side] */
    double normal[2][3][RLTI_EDGE_PACK];
    double along[2][RLTI_EDGE_PACK];  /* distance along the normal [unit] */
    double radius[2][RLTI_EDGE_PACK]; /* of the pair [unit] */
    unsigned near[2];                 /* bits: pairs that have this part */
    unsigned odd;                     /* bits: without a normal, to be looked into one by one */
} rlti_edge_proximities;

typedef struct rlti_edge_kernel {
    void (*meet)(const rlti_edge_pack *pack, rlti_edge_proximities *found);
} rlti_edge_kernel;

extern const rlti_edge_kernel rlti_edge_kernel_avx512;
extern const rlti_edge_kernel rlti_edge_kernel_avx2;
extern const rlti_edge_kernel rlti_edge_kernel_portable;

#endif
