/* Which strand sits in which lane of which tile. */
#ifndef RLTI_SOLVE_LAYOUT_H
#define RLTI_SOLVE_LAYOUT_H

#include "model/matter.h"

/* Strands of one hair section and similar length share a block of sixteen; a tile is the part of a block that
 * fits the kernel's lanes. The order depends only on the groom, so every build of the kernel sees the same
 * blocks. */
#define RLTI_BLOCK_STRANDS 16

typedef struct rlti_layout {
    int tile_count;
    int *first; /* [tile_count + 1] into order */
    int count;  /* strands placed */
    int *order; /* [count] strand ids, tile by tile */
} rlti_layout;

/* lanes divides RLTI_BLOCK_STRANDS; only strands with local[strand] are placed. `near` lists all strands so
 * that those near each other stand together: then what one sees of its neighbours is still in the caches from
 * the one before. Returns 0 when out of memory. */
int rlti_layout_create(const rlti_matter *matter, const int *section /* [strand_count] of the scene */,
                       const unsigned char *local, const int *near /* [strand_count] or NULL: as they are */,
                       int lanes, rlti_layout *layout);
void rlti_layout_destroy(rlti_layout *layout);

#endif
