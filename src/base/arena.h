/* Memory for many small things that are freed all at once. */
#ifndef RLTI_BASE_ARENA_H
#define RLTI_BASE_ARENA_H

#include <stddef.h>

typedef struct rlti_arena_block rlti_arena_block;

/* Zeroed is empty. */
typedef struct rlti_arena {
    rlti_arena_block *blocks;
    size_t used; /* bytes handed out */
} rlti_arena;

/* `count` things of `size` bytes, zeroed, aligned to 8; NULL when out of memory or when the product
 * overflows. */
void *rlti_arena_keep(rlti_arena *arena, size_t count, size_t size);

/* A copy of these bytes and a zero byte. */
char *rlti_arena_text(rlti_arena *arena, const char *text, size_t length);

/* Three texts one after the other. */
char *rlti_arena_join(rlti_arena *arena, const char *a, const char *b, const char *c);

void rlti_arena_clear(rlti_arena *arena);

#endif
