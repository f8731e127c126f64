#include "base/list.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"

enum { SMALLEST = 16 }; /* elements */

/* Lists of more elements than this grow by a quarter: what is not used of them counts. Elements, not bytes:
 * lists that share a capacity must grow alike. */
static const size_t large = 4096;

static size_t next_capacity(size_t old) {
    size_t more = old > large ? old / 4 : old;
    return more > SIZE_MAX - old ? old : old + more;
}

/* The pointer is copied as bytes: its type is the caller's. */
int rlti_list_reserve_long(void *list, size_t size, size_t count, size_t more, size_t *capacity) {
    size_t old = *capacity, larger = next_capacity(old);
    void *items, *moved;
    if (count <= old && more <= old - count)
        return 1;
    if (more > SIZE_MAX - count)
        return 0;
    if (larger < count + more)
        larger = count + more;
    if (larger < SMALLEST)
        larger = SMALLEST;
    moved = rlti_allocate(larger, size);
    if (moved == NULL)
        return 0;
    memcpy(&items, list, sizeof items);
    if (old > 0)
        memcpy(moved, items, old * size);
    rlti_free(items);
    memcpy(list, &moved, sizeof moved);
    *capacity = larger;
    return 1;
}

int rlti_list_reserve(void *list, size_t size, int count, int more, int *capacity) {
    if (count <= *capacity && more <= *capacity - count)
        return 1;
    size_t larger = (size_t)*capacity;
    /* doubled, it must still be an int */
    if (more > INT_MAX / 2 - count ||
        !rlti_list_reserve_long(list, size, (size_t)count, (size_t)more, &larger))
        return 0;
    *capacity = (int)larger;
    return 1;
}

int rlti_longest_run(const int *first, int runs) {
    int longest = 0;
    for (int i = 0; i < runs; i++)
        longest = first[i + 1] - first[i] > longest ? first[i + 1] - first[i] : longest;
    return longest;
}

int rlti_compare_ints(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

int rlti_compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
