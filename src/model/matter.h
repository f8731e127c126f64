/* Matter: what every strand model has, and all that contacts, constraints and reports need of one. The model
 * that a strand belongs to fills in its part when it is built; lengths follow when a rest shape changes. */
#ifndef RLTI_MODEL_MATTER_H
#define RLTI_MODEL_MATTER_H

#include <stddef.h>
#include <stdint.h>

#include "groom/strands.h"

typedef struct rlti_matter {
    int strand_count, point_count;
    const int *first; /* [strand_count + 1] the groom's */
    double *mass;     /* [point_count] */
    double *drag;     /* [point_count] [1/s] */
    double *rest;     /* [point_count] rest length of the edge after the point [unit]; 0 at a tip */
    double *segment;  /* [strand_count] mean rest length [unit] */
} rlti_matter;

/* Zeros for every strand of the groom, which must outlive it; NULL when out of memory. */
rlti_matter *rlti_matter_create(const rlti_strands *strands);
void rlti_matter_destroy(rlti_matter *matter);

static inline int rlti_matter_points(const rlti_matter *matter, int strand) {
    return matter->first[strand + 1] - matter->first[strand];
}

size_t rlti_matter_bytes(const rlti_matter *matter);
uint64_t rlti_matter_checksum(const rlti_matter *matter, uint64_t hash);

/* Points of the longest strand. */
int rlti_matter_longest(const rlti_matter *matter);

#endif
