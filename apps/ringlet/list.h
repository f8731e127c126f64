/* Lists that grow, in memory of the C library. */
#ifndef RINGLET_APP_LIST_H
#define RINGLET_APP_LIST_H

#include <stddef.h>

/* Ensures memory for one more after the first `count` elements of `size` bytes; `list` points to the pointer
 * to them. 0 when out of memory: the list is as before then. Free with free. */
int list_reserve(void *list, int count, int *capacity, size_t size);

#endif
