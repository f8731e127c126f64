#define _DEFAULT_SOURCE /* madvise */
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Pages of large hair: what neighbours look up lies in many places, and with small pages the processor looks
 * up the pages' places again and again (a fifth of a frame with a million points). */
enum { LARGE_PAGE = 1 << 21, LARGE = 4 * LARGE_PAGE };

static void *allocate_aligned(size_t bytes) {
#ifdef MADV_HUGEPAGE
    if (bytes >= LARGE) {
        void *memory = aligned_alloc(LARGE_PAGE, (bytes + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE);
        if (memory != NULL)
            (void)madvise(memory, bytes, MADV_HUGEPAGE); /* a wish: nothing is lost without */
        return memory;
    }
#endif
    return aligned_alloc(RLTI_CACHE_LINE, bytes);
}

/* The bytes of an array, at least 1; 0 where the product overflows. */
static size_t bytes_of(size_t count, size_t size) {
    if (size != 0 && count > (SIZE_MAX - LARGE_PAGE) / size)
        return 0;
    return count * size > 0 ? count * size : 1;
}

void *rlti_allocate(size_t count, size_t size) {
    size_t bytes = bytes_of(count, size);
    if (bytes == 0 || !rlti_memory_watch(1))
        return NULL;
    bytes = rlti_cache_lines(bytes); /* aligned_alloc wants a multiple of the alignment */
    void *memory = allocate_aligned(bytes);
    if (memory != NULL)
        memset(memory, 0, bytes);
    return memory;
}

void *rlti_resize(void *memory, size_t count, size_t size) {
    size_t bytes = bytes_of(count, size);
    return bytes != 0 && rlti_memory_watch(memory == NULL) ? realloc(memory, bytes) : NULL;
}

void rlti_free_each(void *const *list, size_t count) {
    for (size_t i = 0; i < count; i++)
        rlti_free(list[i]);
}

char *rlti_text_copy(const char *text) {
    return rlti_text_join(text, "");
}

char *rlti_text_join(const char *first, const char *second) {
    size_t length = strlen(first), size = strlen(second) + 1;
    char *text = rlti_allocate(length + size, 1);
    if (text != NULL) {
        memcpy(text, first, length);
        memcpy(text + length, second, size);
    }
    return text;
}

int rlti_allocate_each(const rlti_items *list, size_t count) {
    int done = 1;
    for (size_t i = 0; i < count; i++) {
        void *memory = rlti_allocate(list[i].count, list[i].size);
        memcpy(list[i].pointer, &memory, sizeof memory);
        done = done && memory != NULL;
    }
    return done;
}

void rlti_free(void *memory) {
    if (memory != NULL)
        rlti_memory_watch(-1);
    free(memory);
}
