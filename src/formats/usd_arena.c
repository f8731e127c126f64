#include "formats/usd_arena.h"

#include <stdint.h>
#include <string.h>

#include "base/memory.h"

struct rlti_usd_arena_block {
    rlti_usd_arena_block *next;
    size_t used, size;
    size_t unused; /* keeps what follows aligned to 16 */
};

enum { BLOCK_BYTES = 32 * 1024 };

void *rlti_usd_arena_take(rlti_usd_arena *arena, size_t count, size_t size) {
    if (size > 0 && count > (SIZE_MAX / 2) / size)
        return NULL;
    size_t bytes = (count * size + 15) & ~(size_t)15;
    rlti_usd_arena_block *block = arena->blocks;
    if (block == NULL || block->size - block->used < bytes) {
        size_t room = bytes > BLOCK_BYTES / 4 ? bytes : BLOCK_BYTES;
        rlti_usd_arena_block *made = rlti_allocate(1, sizeof *made + room);
        if (made == NULL)
            return NULL;
        made->size = room;
        if (block != NULL && room == bytes) { /* a large piece: the block in use stays in front */
            made->next = block->next;
            block->next = made;
        } else {
            made->next = block;
            arena->blocks = made;
        }
        block = made;
    }
    void *taken = (char *)(block + 1) + block->used;
    block->used += bytes;
    return taken;
}

char *rlti_usd_arena_text(rlti_usd_arena *arena, const char *text, size_t length) {
    char *copy = rlti_usd_arena_take(arena, length + 1, 1);
    if (copy != NULL && length > 0)
        memcpy(copy, text, length);
    return copy;
}

char *rlti_usd_arena_join(rlti_usd_arena *arena, const char *a, const char *b, const char *c) {
    size_t lengths[3] = {strlen(a), strlen(b), strlen(c)};
    char *made = rlti_usd_arena_take(arena, lengths[0] + lengths[1] + lengths[2] + 1, 1);
    if (made != NULL) {
        memcpy(made, a, lengths[0]);
        memcpy(made + lengths[0], b, lengths[1]);
        memcpy(made + lengths[0] + lengths[1], c, lengths[2]);
    }
    return made;
}

void rlti_usd_arena_free(rlti_usd_arena *arena) {
    while (arena->blocks != NULL) {
        rlti_usd_arena_block *next = arena->blocks->next;
        rlti_free(arena->blocks);
        arena->blocks = next;
    }
}
