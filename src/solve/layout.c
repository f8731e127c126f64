#include "solve/layout.h"

#include <stdlib.h>

#include "base/memory.h"

typedef struct entry {
    int hair, points, place, strand;
} entry;

/* By hair section, then longest first, then by place: a total order, so any sort gives the same result. */
static int compare(const void *a, const void *b) {
    const entry *x = a, *y = b;
    if (x->hair != y->hair)
        return x->hair < y->hair ? -1 : 1;
    if (x->points != y->points)
        return x->points > y->points ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

int rlti_layout_create(const rlti_matter *matter, const int *section, const unsigned char *local,
                       const int *near, int lanes, rlti_layout *layout) {
    int strands = matter->strand_count, n = 0;
    entry *entries = RLTI_NEW(entry, strands);
    layout->tile_count = 0;
    layout->order = RLTI_NEW(int, strands);
    layout->first = RLTI_NEW(int, strands + 1); /* at most one tile per strand */
    if (entries == NULL || layout->order == NULL || layout->first == NULL) {
        rlti_free(entries);
        rlti_layout_destroy(layout);
        return 0;
    }
    for (int k = 0; k < strands; k++) {
        int s = near != NULL ? near[k] : k;
        if (local[s])
            entries[n++] = (entry){section[s], rlti_matter_points(matter, s), k, s};
    }
    layout->count = n;
    qsort(entries, (size_t)n, sizeof(entry), compare);

    int in_section = 0; /* strands of this hair section so far */
    for (int i = 0; i < n; i++) {
        int new_section = i == 0 || entries[i].hair != entries[i - 1].hair;
        in_section = new_section ? 0 : in_section + 1;
        /* blocks start at multiples of sixteen within a section, tiles at multiples of the lanes within a
         * block */
        if (in_section % RLTI_BLOCK_STRANDS % lanes == 0)
            layout->first[layout->tile_count++] = i;
        layout->order[i] = entries[i].strand;
    }
    layout->first[layout->tile_count] = n;
    rlti_free(entries);
    return 1;
}

void rlti_layout_destroy(rlti_layout *layout) {
    rlti_free(layout->first);
    rlti_free(layout->order);
    layout->first = layout->order = NULL;
}
