/* Memory in blocks that never move and are freed together: what composition makes lives as long as the stage.
 */
#ifndef RLTI_FORMATS_USD_ARENA_H
#define RLTI_FORMATS_USD_ARENA_H

#include <stddef.h>

typedef struct rlti_usd_arena_block rlti_usd_arena_block;
typedef struct rlti_usd_arena {
    rlti_usd_arena_block *blocks;
} rlti_usd_arena; /* zeroed is empty */

/* `count * size` zeroed bytes, aligned to 16; NULL when out of memory. */
void *rlti_usd_arena_take(rlti_usd_arena *arena, size_t count, size_t size);

/* A copy of `length` bytes with an end; NULL when out of memory. */
char *rlti_usd_arena_text(rlti_usd_arena *arena, const char *text, size_t length);

/* Three texts one after the other. */
char *rlti_usd_arena_join(rlti_usd_arena *arena, const char *a, const char *b, const char *c);

void rlti_usd_arena_free(rlti_usd_arena *arena);

#endif
