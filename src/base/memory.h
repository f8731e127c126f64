/* Allocation: zeroed, overflow-checked, aligned to a cache line so that every lane load is aligned. */
#ifndef RLTI_BASE_MEMORY_H
#define RLTI_BASE_MEMORY_H

#include <stddef.h>

#define RLTI_CACHE_LINE 64

/* Whole cache lines that hold so many bytes [byte]. */
static inline size_t rlti_cache_lines(size_t bytes) {
    return (bytes + RLTI_CACHE_LINE - 1) / RLTI_CACHE_LINE * RLTI_CACHE_LINE;
}

/* Returns `count * size` zeroed bytes aligned to 64, or NULL (also when the product overflows). A zero
 * count gives a valid pointer. Free with rlti_free. */
void *rlti_allocate(size_t count, size_t size);

/* Returns `memory` (from rlti_allocate, rlti_resize or NULL) with `count * size` bytes; what was there stays,
 * what is new is neither zeroed nor aligned to a cache line. NULL as above: `memory` is then as before. */
void *rlti_resize(void *memory, size_t count, size_t size);

/* Typed shorthand: `double *x = RLTI_NEW(double, n);` */
#define RLTI_NEW(type, count) ((type *)rlti_allocate((size_t)(count), sizeof(type)))

/* Memory for several arrays: 1, or 0 when out of memory; then the pointers that have none are NULL.
 *
 *     if (!RLTI_ALLOCATE(RLTI_ITEMS(mesh->vertices, vertices), RLTI_ITEMS(mesh->triangles, triangles)))
 */
#define RLTI_ALLOCATE(...)                                                                                   \
    rlti_allocate_each((const rlti_items[]){__VA_ARGS__},                                                    \
                       sizeof((const rlti_items[]){__VA_ARGS__}) / sizeof(rlti_items))
#define RLTI_ITEMS(pointer, count) ((rlti_items){&(pointer), (size_t)(count), sizeof *(pointer)})

/* So many items of a size, and the pointer to them. */
typedef struct rlti_items {
    void *pointer;
    size_t count, size;
} rlti_items;

int rlti_allocate_each(const rlti_items *list, size_t count);

void rlti_free(void *memory);

/* Frees each of a list of pointers, as a destructor does: RLTI_FREE(mesh->vertices, mesh->triangles); */
#define RLTI_FREE(...)                                                                                       \
    rlti_free_each((void *[]){__VA_ARGS__}, sizeof((void *[]){__VA_ARGS__}) / sizeof(void *))
void rlti_free_each(void *const *list, size_t count);

/* Copies of texts: of one, of one behind the other. NULL when out of memory. */
char *rlti_text_copy(const char *text);
char *rlti_text_join(const char *first, const char *second);

/* Zeroed address space: a page takes memory when it is first written. NULL where there is none, or of 0
 * bytes. Release with the same size. */
void *rlti_reserve(size_t bytes);
void rlti_release(void *memory, size_t bytes);

/* Called before memory is allocated (change 1), resized (0) and freed (-1), by any thread; 0 refuses, which a
 * free ignores. The library's own, in memory_watch.c, always returns 1. A test program that defines it stands
 * before the archive's, as with other twins: so faults are injected and leaks counted without a mutable
 * global, a compiler's extension or a second build of the library; the cost is a call per allocation. */
int rlti_memory_watch(int change);

#endif
