/* Lists that grow: memory that at least doubles, or where it is large grows by a quarter, so that adding many
 * elements one by one stays cheap. */
#ifndef RLTI_BASE_LIST_H
#define RLTI_BASE_LIST_H

#include <stddef.h>

/* Ensures memory for `more` elements after the first `count` of the list `items`, which has memory for
 * `capacity` (an int or a size_t; 0 where `items` is NULL). Both are lvalues and change where the list has to
 * move; elements beyond the old capacity are zero. Is 1, or 0 when out of memory or when the number of
 * elements would overflow: the list is as before then. Free with rlti_free. Lists that share one capacity
 * grow one by one, all but the last with a copy of it:
 *
 *     int capacity = track->capacity;
 *     return RLTI_LIST_RESERVE(track->times, track->count, 1, capacity) &&
 *            RLTI_LIST_RESERVE(track->values, track->count, 1, track->capacity);
 */
#define RLTI_LIST_RESERVE(items, count, more, capacity)                                                      \
    _Generic((capacity), int                                                                                 \
             : rlti_list_reserve, size_t                                                                     \
             : rlti_list_reserve_long)(&(items), sizeof *(items), (count), (more), &(capacity))

/* The functions behind it; `list` points to the pointer to the elements, of `size` bytes each. */
int rlti_list_reserve(void *list, size_t size, int count, int more, int *capacity);
int rlti_list_reserve_long(void *list, size_t size, size_t count, size_t more, size_t *capacity);

/* The greatest number of elements in a run, where run i has those from first[i] to first[i + 1] - 1; 0
 * without runs. */
int rlti_longest_run(const int *first, int runs);

/* Increasing orders for qsort. */
int rlti_compare_ints(const void *a, const void *b);
int rlti_compare_doubles(const void *a, const void *b);

#endif
