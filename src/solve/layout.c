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

int rlti_layout_create(const rlti_solver_def *def, const rlti_drive *drive, const unsigned char *local,
                       int lanes, rlti_layout *layout) {
    const int *near = drive != NULL ? rlti_drive_graph(drive)->order : NULL; /* NULL: as they are */
    int strands = def->matter->strand_count, n = 0;
    entry *entries = RLTI_NEW(entry, strands);
    layout->tile_count = 0;
    layout->order = RLTI_NEW(int, strands);
    layout->first = RLTI_NEW(int, strands + 1); /* at most one tile per strand */
    layout->places = RLTI_NEW(rlti_place, strands);
    if (entries == NULL || layout->order == NULL || layout->first == NULL || layout->places == NULL) {
        rlti_free(entries);
        rlti_layout_destroy(layout);
        return 0;
    }
    for (int k = 0; k < strands; k++) {
        int s = near != NULL ? near[k] : k;
        layout->places[s].tile = -1;
        if (local[s] && def->mine[s])
            entries[n++] = (entry){def->strands->hair[s], rlti_matter_points(def->matter, s), k, s};
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
        layout->places[entries[i].strand] =
            (rlti_place){layout->tile_count - 1, i - layout->first[layout->tile_count - 1]};
    }
    layout->first[layout->tile_count] = n;
    rlti_free(entries);
    return 1;
}

void rlti_layout_destroy(rlti_layout *layout) {
    RLTI_FREE(layout->first, layout->order, layout->places);
    *layout = (rlti_layout){0};
}
