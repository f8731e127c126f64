/* Sums over the points of a group, in whole numbers: they are the same in any order, so neither threads nor
 * ranks can be seen in them. */
#include "shape/constraint_data.h"

/* Half of a sum's bits: both halves of 63 bits are exact as doubles, and so are their sums over ranks. */
#define HALF_BITS 31
#define HALF      ((int64_t)1 << HALF_BITS)

void rlti_holds_sum(rlti_holds *holds, const int *groups, int count, rlt_ranks *ranks) {
    double *to = holds->exchange;
    if (rlt_ranks_count(ranks) <= 1)
        return;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 6; k++) {
            int64_t sum = holds->groups[groups != NULL ? groups[i] : i].sum[k];
            int64_t low = ((sum % HALF) + HALF) % HALF;
            *to++ = (double)low;
            *to++ = (double)((sum - low) / HALF);
        }
    rlt_ranks_sum(ranks, holds->exchange, 12 * count);
    const double *from = holds->exchange;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 6; k++, from += 2)
            holds->groups[groups != NULL ? groups[i] : i].sum[k] = (int64_t)from[1] * HALF + (int64_t)from[0];
}
