#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE */
#include <sys/mman.h>

#include "base/memory.h"

void *rlti_reserve(size_t bytes) {
    if (bytes == 0 || !rlti_memory_watch(1))
        return NULL;
    void *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void rlti_release(void *memory, size_t bytes) {
    if (memory == NULL)
        return;
    rlti_memory_watch(-1);
    munmap(memory, bytes);
}
