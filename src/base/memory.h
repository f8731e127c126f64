/* Allocation: zeroed, overflow-checked, aligned to a cache line so that every lane load is aligned. */
#ifndef RLTI_BASE_MEMORY_H
#define RLTI_BASE_MEMORY_H

#include <stddef.h>

#define RLTI_CACHE_LINE 64

/* Returns `count * size` zeroed bytes aligned to 64, or NULL (also when the product overflows). A zero
 * count gives a valid pointer. Free with rlti_free. */
void *rlti_allocate(size_t count, size_t size);

/* Typed shorthand: `double *x = RLTI_NEW(double, n);` */
#define RLTI_NEW(type, count) ((type *)rlti_allocate((size_t)(count), sizeof(type)))

void rlti_free(void *memory);

#endif
