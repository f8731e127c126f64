#include <string.h>

#include "base/list.h"
#include "base/memory.h"
#include "formats/usd/usdc_out.h"

static size_t hash_of(const char *text) {
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    return (size_t)(hash ^ hash >> 32);
}

static void fill_slots(const rlti_crate_tokens *tokens, uint32_t *slots, size_t count) {
    for (uint32_t i = 0; i < tokens->count; i++) {
        size_t slot = hash_of(tokens->text + tokens->starts[i]) & (count - 1);
        while (slots[slot] != 0)
            slot = (slot + 1) & (count - 1);
        slots[slot] = i + 1;
    }
}

static int make_room(rlti_crate_tokens *tokens, size_t bytes) {
    if (!RLTI_LIST_RESERVE(tokens->text, tokens->used, bytes, tokens->room) ||
        !RLTI_LIST_RESERVE(tokens->starts, tokens->count, 1, tokens->start_room))
        return 0;
    if (2 * ((size_t)tokens->count + 1) > tokens->slot_count) {
        size_t count = tokens->slot_count > 0 ? 2 * tokens->slot_count : 256;
        uint32_t *slots = RLTI_NEW(uint32_t, count);
        if (slots == NULL)
            return 0;
        fill_slots(tokens, slots, count);
        rlti_free(tokens->slots);
        tokens->slots = slots;
        tokens->slot_count = count;
    }
    return 1;
}

uint32_t rlti_crate_tokens_put(rlti_crate_tokens *tokens, const char *text, int *is_new) {
    size_t bytes = strlen(text) + 1;
    *is_new = 0;
    if (!make_room(tokens, bytes) || tokens->count >= INT32_MAX)
        return UINT32_MAX;
    size_t slot = hash_of(text) & (tokens->slot_count - 1);
    for (; tokens->slots[slot] != 0; slot = (slot + 1) & (tokens->slot_count - 1))
        if (strcmp(tokens->text + tokens->starts[tokens->slots[slot] - 1], text) == 0)
            return tokens->slots[slot] - 1;
    *is_new = 1;
    memcpy(tokens->text + tokens->used, text, bytes);
    tokens->starts[tokens->count] = tokens->used;
    tokens->used += bytes;
    tokens->slots[slot] = ++tokens->count;
    return tokens->count - 1;
}

void rlti_crate_tokens_free(rlti_crate_tokens *tokens) {
    rlti_free(tokens->text);
    rlti_free(tokens->starts);
    rlti_free(tokens->slots);
    *tokens = (rlti_crate_tokens){0};
}
