#include <string.h>

#include "base/list.h"
#include "formats/usd/usda_parse.h"

void *rlti_usda_list_add(rlti_usda_parser *p, rlti_usda_list *list, size_t size) {
    if (p->c.status != RLT_OK)
        return NULL;
    if (!rlti_list_reserve(&list->items, size, list->count, 1, &list->capacity)) {
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
