#include <string.h>

#include "base/hash.h"
#include "base/list.h"
#include "base/memory.h"
#include "formats/usd/usdc_out.h"

uint32_t rlti_crate_tokens_put(rlti_crate_tokens *tokens, const char *text, int *is_new) {
    size_t bytes = strlen(text) + 1;
    uint64_t hash = rlti_hash_bytes(RLTI_HASH_START, text, bytes - 1);
    *is_new = 0;
    for (rlti_table_search s = rlti_table_begin(&tokens->table, hash); rlti_table_next(&tokens->table, &s);)
        if (strcmp(tokens->text + tokens->starts[s.number], text) == 0)
            return (uint32_t)s.number;
    if (tokens->count >= INT32_MAX ||
        !RLTI_LIST_RESERVE(tokens->text, tokens->used, bytes, tokens->capacity) ||
        !RLTI_LIST_RESERVE(tokens->starts, tokens->count, 1, tokens->start_capacity) ||
        !rlti_table_add(&tokens->table, hash, (int)tokens->count))
        return UINT32_MAX;
    *is_new = 1;
    memcpy(tokens->text + tokens->used, text, bytes);
    tokens->starts[tokens->count] = tokens->used;
    tokens->used += bytes;
    return tokens->count++;
}

void rlti_crate_tokens_free(rlti_crate_tokens *tokens) {
    RLTI_FREE(tokens->text, tokens->starts);
    rlti_table_clear(&tokens->table);
    *tokens = (rlti_crate_tokens){0};
}
