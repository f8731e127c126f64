/* For every hair, how many of its neighbours each part has. Most hairs know few of many parts, so each hair
 * has a small hash table of its own, with a capacity of twice the parts it can know at once. */
#ifndef RLTI_PARTITION_PARTITION_COUNTS_H
#define RLTI_PARTITION_PARTITION_COUNTS_H

#include "contact/hair/graph.h"

typedef struct rlti_part_count {
    int part; /* + 1; 0 is an empty place */
    int count;
} rlti_part_count;

typedef struct rlti_part_counts {
    long long *first;       /* [hairs + 1] each hair's table, a power of two long */
    rlti_part_count *table; /* [first[hairs]] */
} rlti_part_counts;

/* Makes empty tables. Returns 0 when out of memory; rlti_part_counts_destroy is due in any case. */
int rlti_part_counts_create(const rlti_graph *graph, int parts, rlti_part_counts *counts);
void rlti_part_counts_destroy(rlti_part_counts *counts);

/* Counts anew. */
void rlti_part_counts_fill(rlti_part_counts *counts, const rlti_graph *graph, const int *part);

/* One neighbour of the hair goes from one part to another. */
void rlti_part_counts_move(rlti_part_counts *counts, int hair, int from, int to);

static inline unsigned rlti_part_hash(int part) {
    return (unsigned)part * 2654435761u >> 8;
}

static inline int rlti_part_counts_get(const rlti_part_counts *counts, int hair, int part) {
    const rlti_part_count *table = counts->table + counts->first[hair];
    unsigned mask = (unsigned)(counts->first[hair + 1] - counts->first[hair]) - 1;
    for (unsigned i = rlti_part_hash(part) & mask; table[i].part != 0; i = (i + 1) & mask)
        if (table[i].part == part + 1)
            return table[i].count;
    return 0;
}

#endif
