#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *rlti_allocate(size_t count, size_t size) {
    if (size != 0 && count > (SIZE_MAX - RLTI_CACHE_LINE) / size)
        return NULL;
    size_t bytes = count * size;
    if (bytes == 0)
        bytes = 1;
    /* aligned_alloc wants a multiple of the alignment */
    bytes = (bytes + RLTI_CACHE_LINE - 1) / RLTI_CACHE_LINE * RLTI_CACHE_LINE;
    void *memory = aligned_alloc(RLTI_CACHE_LINE, bytes);
    if (memory != NULL)
        memset(memory, 0, bytes);
    return memory;
}

void rlti_free(void *memory) {
    free(memory);
}
