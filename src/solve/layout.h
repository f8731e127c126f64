/* Which strand sits in which lane of which tile. */
#ifndef RLTI_SOLVE_LAYOUT_H
#define RLTI_SOLVE_LAYOUT_H

#include "solve/solver.h"

/* Strands of one hair section and similar length share a block of sixteen; a tile is the part of a block that
 * fits the kernel's lanes. The order depends only on the groom, so every build of the kernel sees the same
 * blocks. */
#define RLTI_BLOCK_STRANDS 16

/* Where a strand is computed. */
typedef struct rlti_place {
    int tile, lane; /* tile -1: not here */
} rlti_place;

typedef struct rlti_layout {
    int tile_count;
    int *first;         /* [tile_count + 1] into order */
    int count;          /* strands placed */
    int *order;         /* [count] strand ids, tile by tile */
    rlti_place *places; /* [strand_count] */
} rlti_layout;

/* lanes divides RLTI_BLOCK_STRANDS; only the solver's own strands with local[strand] are placed. Those that
 * are near each other in the drive's graph stand together: then what one sees of its neighbours is still in
 * the caches from the one before. Returns 0 when out of memory. */
int rlti_layout_create(const rlti_solver_def *def, const rlti_drive *drive /* NULL: a trial */,
                       const unsigned char *local, int lanes, rlti_layout *layout);
void rlti_layout_destroy(rlti_layout *layout);

/* Strands of a tile. */
static inline int rlti_layout_size(const rlti_layout *layout, int tile) {
    return layout->first[tile + 1] - layout->first[tile];
}

static inline int rlti_layout_strand(const rlti_layout *layout, int tile, int lane) {
    return layout->order[layout->first[tile] + lane];
}

#endif
