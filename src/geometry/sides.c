#include "geometry/sides.h"

#include <stdlib.h>

static int compare(const void *left, const void *right) {
    const rlti_side *a = left, *b = right;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return (a->side > b->side) - (a->side < b->side);
}

void rlti_sides_sort(rlti_side *sides, int count) {
    qsort(sides, (size_t)count, sizeof *sides, compare);
}
