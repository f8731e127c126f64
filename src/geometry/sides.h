/* The sides of faces in the order of their edges, so that those which share an edge stand together. */
#ifndef RLTI_GEOMETRY_SIDES_H
#define RLTI_GEOMETRY_SIDES_H

typedef struct rlti_side {
    int low, high; /* points at its ends */
    int side;      /* its number among all: of the corner it begins at */
} rlti_side;

static inline rlti_side rlti_side_of(int from, int to, int side) {
    return (rlti_side){from < to ? from : to, from < to ? to : from, side};
}

static inline int rlti_side_shares(const rlti_side *a, const rlti_side *b) {
    return a->low == b->low && a->high == b->high;
}

/* By edges, then by number: the result does not depend on the C library. */
void rlti_sides_sort(rlti_side *sides, int count);

#endif
