#include "base/table.h"

#include "base/memory.h"

enum { SMALLEST = 32 }; /* slots */

static uint32_t fold(uint64_t hash) {
    return (uint32_t)(hash ^ hash >> 32);
}

/* Into the first free slot from the hash's own on. */
static void put(rlti_table *table, rlti_table_slot made) {
    size_t mask = table->slot_count - 1, slot = made.hash & mask;
    while (table->slots[slot].taken != 0)
        slot = (slot + 1) & mask;
    table->slots[slot] = made;
}

/* Moves from behind a free slot on, so that numbers of one hash keep their order. */
static int resize(rlti_table *table, size_t count) {
    rlti_table old = *table;
    size_t start = 0;
    rlti_table_slot *slots = RLTI_NEW(rlti_table_slot, count);
    if (slots == NULL)
        return 0;
    table->slots = slots;
    table->slot_count = count;
    while (start < old.slot_count && old.slots[start].taken != 0)
        start++;
    for (size_t i = 0; i < old.slot_count; i++) {
        rlti_table_slot moved = old.slots[(start + i) & (old.slot_count - 1)];
        if (moved.taken != 0)
            put(table, moved);
    }
    rlti_free(old.slots);
    return 1;
}

int rlti_table_reserve(rlti_table *table, size_t count) {
    size_t slots = table->slot_count > 0 ? table->slot_count : SMALLEST;
    while (slots / 2 < table->count + count)
        slots *= 2;
    return slots == table->slot_count || resize(table, slots);
}

int rlti_table_add(rlti_table *table, uint64_t hash, int number) {
    if (!rlti_table_reserve(table, 1))
        return 0;
    put(table, (rlti_table_slot){fold(hash), number + 1});
    table->count++;
    return 1;
}

rlti_table_search rlti_table_begin(const rlti_table *table, uint64_t hash) {
    uint32_t folded = fold(hash);
    return (rlti_table_search){folded, table->slot_count > 0 ? folded & (table->slot_count - 1) : 0, -1};
}

int rlti_table_next(const rlti_table *table, rlti_table_search *search) {
    search->number = -1;
    while (table->slot_count > 0 && table->slots[search->slot].taken != 0) {
        rlti_table_slot at = table->slots[search->slot];
        search->slot = (search->slot + 1) & (table->slot_count - 1);
        if (at.hash == search->hash) {
            search->number = at.taken - 1;
            return 1;
        }
    }
    return 0;
}

void rlti_table_clear(rlti_table *table) {
    rlti_free(table->slots);
    *table = (rlti_table){0};
}
