/* Sums over the points of a group, in whole numbers: they are the same in any order, so neither threads nor
 * ranks can be seen in them. */
#include "shape/constraint_data.h"

/* Half of a sum's bits: both halves of 63 bits are exact as doubles, and so are their sums over ranks. */
#define HALF_BITS 31
#define HALF      ((int64_t)1 << HALF_BITS)

void rlti_holds_sum(rlti_holds *holds, rlt_ranks *ranks) {
    double *to = holds->exchange;
    if (rlt_ranks_count(ranks) <= 1)
        return;
    for (int g = 0; g < holds->group_count; g++)
        for (int k = 0; k < 6; k++) {
            int64_t low = ((holds->groups[g].sum[k] % HALF) + HALF) % HALF;
            *to++ = (double)low;
            *to++ = (double)((holds->groups[g].sum[k] - low) / HALF);
        }
    rlt_ranks_sum(ranks, holds->exchange, 12 * holds->group_count);
    const double *from = holds->exchange;
    for (int g = 0; g < holds->group_count; g++)
        for (int k = 0; k < 6; k++, from += 2)
            holds->groups[g].sum[k] = (int64_t)from[1] * HALF + (int64_t)from[0];
}
