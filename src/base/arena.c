#include "base/arena.h"

#include <stdint.h>
#include <string.h>

#include "base/memory.h"

struct rlti_arena_block {
    rlti_arena_block *next;
    size_t used, size;
};

/* Blocks grow with what was asked for, so that a small file needs little and a large one few blocks. */
enum { SMALLEST = 4 * 1024, LARGEST = 1024 * 1024 };

static size_t block_size(const rlti_arena *arena, size_t wanted) {
    size_t size = arena->used < SMALLEST ? SMALLEST : arena->used > LARGEST ? LARGEST : arena->used;
    return wanted > size ? wanted : size;
}

void *rlti_arena_keep(rlti_arena *arena, size_t count, size_t size) {
    if (size > 0 && count > (SIZE_MAX / 4) / size)
        return NULL;
    size_t bytes = (count * size + 8) & ~(size_t)7; /* never 0: each thing has its own address */
    rlti_arena_block *block = arena->blocks;
    if (block == NULL || block->size - block->used < bytes) {
        size_t capacity = block_size(arena, bytes);
        block = rlti_allocate(1, sizeof *block + capacity);
        if (block == NULL)
            return NULL;
        block->size = capacity;
        block->next = arena->blocks;
        arena->blocks = block;
    }
    void *made = (char *)(block + 1) + block->used;
    block->used += bytes;
    arena->used += bytes;
    return made;
}

char *rlti_arena_text(rlti_arena *arena, const char *text, size_t length) {
    char *copy = length < SIZE_MAX ? rlti_arena_keep(arena, length + 1, 1) : NULL;
    if (copy != NULL && length > 0)
        memcpy(copy, text, length);
    return copy;
}

char *rlti_arena_join(rlti_arena *arena, const char *a, const char *b, const char *c) {
    size_t lengths[3] = {strlen(a), strlen(b), strlen(c)};
    char *made = rlti_arena_keep(arena, lengths[0] + lengths[1] + lengths[2] + 1, 1);
    if (made != NULL) {
        memcpy(made, a, lengths[0]);
        memcpy(made + lengths[0], b, lengths[1]);
        memcpy(made + lengths[0] + lengths[1], c, lengths[2]);
    }
    return made;
}

void rlti_arena_clear(rlti_arena *arena) {
    while (arena->blocks != NULL) {
        rlti_arena_block *next = arena->blocks->next;
        rlti_free(arena->blocks);
        arena->blocks = next;
    }
    *arena = (rlti_arena){0};
}
