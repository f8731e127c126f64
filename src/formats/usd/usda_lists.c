#include <string.h>

#include "base/list.h"
#include "base/memory.h"
#include "formats/usd/usda_parse.h"

void *rlti_usda_list_add(rlti_usda_parser *p, rlti_usda_list *list, size_t size) {
    if (p->c.status != RLT_OK)
        return NULL;
    if (!rlti_list_reserve(&list->items, size, list->count, 1, &list->room)) {
        rlti_usda_no_memory(&p->c);
        return NULL;
    }
    void *made = (char *)list->items + (size_t)list->count++ * size;
    memset(made, 0, size);
    return made;
}

int rlti_usda_list_keep(rlti_usda_parser *p, rlti_usda_list *list, size_t size, rlti_usda_items *to) {
    *to = (rlti_usda_items){NULL, 0};
    if (p->c.status != RLT_OK)
        return 0;
    if (list->count > 0) {
        to->items = rlti_arena_keep(p->arena, (size_t)list->count, size);
        if (to->items == NULL)
            return rlti_usda_no_memory(&p->c);
        memcpy(to->items, list->items, (size_t)list->count * size);
        to->count = list->count;
    }
    list->count = 0;
    return 1;
}

int rlti_usda_join(rlti_usda_parser *p, const rlti_usda_items lists[RLTI_USDA_LISTS], size_t size,
                   rlti_usda_items *to) {
    int count = 0;
    *to = (rlti_usda_items){NULL, 0};
    for (int i = 0; i < RLTI_USDA_LISTS; i++)
        if (lists[i].count > 0) {
            *to = lists[i]; /* the only one, most often */
            count += lists[i].count;
        }
    if (count == to->count)
        return 1;
    char *items = rlti_arena_keep(p->arena, (size_t)count, size), *out = items;
    if (items == NULL)
        return rlti_usda_no_memory(&p->c);
    for (int i = 0; i < RLTI_USDA_LISTS; i++)
        if (lists[i].count > 0) {
            memcpy(out, lists[i].items, (size_t)lists[i].count * size);
            out += (size_t)lists[i].count * size;
        }
    *to = (rlti_usda_items){items, count};
    return 1;
}

/* ---- names ---- */

static size_t hash_of(int owner, const char *name, size_t length) {
    uint64_t hash = 14695981039346656037u ^ (uint64_t)(uint32_t)owner; /* FNV-1a */
    hash *= 1099511628211u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)name[i]) * 1099511628211u;
    return (size_t)(hash ^ hash >> 32);
}

int rlti_usda_index_find(const rlti_usda_parser *p, const rlti_usda_index *index, rlti_usda_is_named *is,
                         int owner, const char *name, size_t length) {
    if (index->slot_count == 0)
        return -1;
    size_t mask = index->slot_count - 1;
    for (size_t slot = hash_of(owner, name, length) & mask;; slot = (slot + 1) & mask) {
        if (index->slots[slot] == 0)
            return -1;
        if (is(p, index->slots[slot] - 1, owner, name, length))
            return index->slots[slot] - 1;
    }
}

static void put(rlti_usda_parser *p, rlti_usda_index *index, rlti_usda_name_of *name_of, int at) {
    int owner;
    const char *name;
    name_of(p, at, &owner, &name);
    size_t mask = index->slot_count - 1, slot = hash_of(owner, name, strlen(name)) & mask;
    while (index->slots[slot] != 0)
        slot = (slot + 1) & mask;
    index->slots[slot] = at + 1;
}

int rlti_usda_index_add(rlti_usda_parser *p, rlti_usda_index *index, rlti_usda_name_of *name_of, int at) {
    if ((size_t)index->count + 1 > index->slot_count / 2) {
        size_t old_count = index->slot_count, count = old_count > 0 ? 2 * old_count : 64;
        int *old = index->slots, *slots = RLTI_NEW(int, count);
        if (slots == NULL)
            return rlti_usda_no_memory(&p->c);
        index->slots = slots;
        index->slot_count = count;
        for (size_t i = 0; i < old_count; i++)
            if (old[i] != 0)
                put(p, index, name_of, old[i] - 1);
        rlti_free(old);
    }
    put(p, index, name_of, at);
    index->count++;
    return 1;
}
