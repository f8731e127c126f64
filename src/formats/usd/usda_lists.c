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

int rlti_usda_list_keep(rlti_usda_parser *p, rlti_usda_list *list, size_t size, rlti_usd_items *to) {
    *to = (rlti_usd_items){0, NULL};
    if (p->c.status != RLT_OK)
        return 0;
    if (list->count > 0) {
        void *items = rlti_arena_keep(p->arena, (size_t)list->count, size);
        if (items == NULL)
            return rlti_usda_no_memory(&p->c);
        memcpy(items, list->items, (size_t)list->count * size);
        *to = (rlti_usd_items){list->count, items};
    }
    list->count = 0;
    return 1;
}

int rlti_usda_set_edit(rlti_usda_parser *p, const rlti_usd_list **list, rlti_usd_edit edit,
                       rlti_usd_items items) {
    rlti_usd_list *made = rlti_arena_keep(p->arena, 1, sizeof *made);
    if (made == NULL)
        return rlti_usda_no_memory(&p->c);
    int is_explicit = edit == RLTI_USD_EXPLICIT;
    if (*list != NULL && (*list)->is_explicit == is_explicit) /* of a list and edits of one the last counts */
        *made = **list;
    made->edits[edit] = items;
    made->is_explicit = is_explicit;
    *list = made;
    return 1;
}
