#include "list.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The pointer is copied as bytes: its type is the caller's. */
int list_reserve(void *list, int count, int *capacity, size_t size) {
    void *items, *more;
    if (count < *capacity)
        return 1;
    if (count > INT_MAX / 4)
        return 0;
    int larger = 2 * count + 16;
    memcpy(&items, list, sizeof items);
    more = realloc(items, (size_t)larger * size);
    if (more == NULL)
        return 0;
    memcpy(list, &more, sizeof more);
    *capacity = larger;
    return 1; /* cppcheck-suppress memleak ; the list has it */
}
