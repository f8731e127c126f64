/* The order of the edits of one layer is OpenUSD's: delete, add, prepend, append, reorder. */
#include "formats/usd/usd_edits.h"

#include <string.h>

#include "formats/usd/usd_names.h"

rlti_usd_keys rlti_usd_text_keys(void) {
    return (rlti_usd_keys){.size = sizeof(const char *)};
}

/* The items of one edit with their keys, each key once. */
static int take(rlti_arena *arena, const rlti_usd_items *edit, const rlti_usd_keys *keys,
                rlti_usd_edited *to) {
    rlti_usd_names seen;
    *to = (rlti_usd_edited){0, rlti_arena_keep(arena, (size_t)edit->count, sizeof *to->items)};
    int ok = rlti_usd_names_create(&seen, edit->count) && to->items != NULL;
    for (int i = 0; ok && i < edit->count; i++) {
        const void *item = (const char *)edit->items + (size_t)i * keys->size;
        const char *key = keys->key == NULL ? *(const char *const *)item : NULL;
        int found = keys->key == NULL ? 1 : keys->key(keys->context, item, &key);
        ok = found >= 0;
        int before = seen.count;
        if (found > 0 && rlti_usd_names_put(&seen, key) == before)
            to->items[to->count++] = (rlti_usd_keyed){key, item, keys->from};
    }
    rlti_usd_names_free(&seen);
    return ok;
}

/* The keys of a list, to look them up. */
static int index_keys(const rlti_usd_edited *list, rlti_usd_names *to) {
    int ok = rlti_usd_names_create(to, list->count);
    for (int i = 0; ok && i < list->count; i++)
        rlti_usd_names_put(to, list->items[i].key);
    return ok;
}

/* Takes out of the list what another one has. */
static int filter(const rlti_usd_edited *other, rlti_usd_edited *list) {
    rlti_usd_names names;
    int ok = index_keys(other, &names), kept = 0;
    for (int i = 0; ok && i < list->count; i++)
        if (rlti_usd_names_find(&names, list->items[i].key) < 0)
            list->items[kept++] = list->items[i];
    list->count = ok ? kept : list->count;
    rlti_usd_names_free(&names);
    return ok;
}

/* One list after the other. */
static int join(rlti_arena *arena, const rlti_usd_edited *first, const rlti_usd_edited *then,
                rlti_usd_edited *to) {
    size_t count = (size_t)first->count + (size_t)then->count;
    rlti_usd_keyed *items = rlti_arena_keep(arena, count, sizeof *items);
    if (items == NULL)
        return 0;
    if (first->count > 0)
        memcpy(items, first->items, (size_t)first->count * sizeof *items);
    if (then->count > 0)
        memcpy(items + first->count, then->items, (size_t)then->count * sizeof *items);
    *to = (rlti_usd_edited){(int)count, items};
    return 1;
}

/* Items that the order names come in its order, each with those behind it that it does not name; those before
 * the first named one stay in front. */
static int reorder(rlti_arena *arena, rlti_usd_edited *order, rlti_usd_edited *list) {
    rlti_usd_names named, places;
    rlti_usd_edited made = {0, rlti_arena_keep(arena, (size_t)list->count, sizeof *made.items)};
    int has_named = index_keys(order, &named), has_places = index_keys(list, &places);
    int ok = has_named && has_places && made.items != NULL, i = 0;
    for (; ok && i < list->count && rlti_usd_names_find(&named, list->items[i].key) < 0; i++)
        made.items[made.count++] = list->items[i];
    for (int o = 0; ok && o < order->count; o++) {
        int at = rlti_usd_names_find(&places, order->items[o].key);
        if (at < 0)
            continue;
        made.items[made.count++] = list->items[at++];
        for (; at < list->count && rlti_usd_names_find(&named, list->items[at].key) < 0; at++)
            made.items[made.count++] = list->items[at];
    }
    if (ok)
        *list = made;
    rlti_usd_names_free(&named);
    rlti_usd_names_free(&places);
    return ok;
}

static int apply(rlti_arena *arena, rlti_usd_edit kind, rlti_usd_edited *edit, rlti_usd_edited *list) {
    switch (kind) {
    case RLTI_USD_DELETED:
        return filter(edit, list);
    case RLTI_USD_ADDED:
        return filter(list, edit) && join(arena, list, edit, list);
    case RLTI_USD_PREPENDED:
        return filter(edit, list) && join(arena, edit, list, list);
    case RLTI_USD_APPENDED:
        return filter(edit, list) && join(arena, list, edit, list);
    default:
        return reorder(arena, edit, list);
    }
}

int rlti_usd_edit_list(rlti_arena *arena, const rlti_usd_list *edits, const rlti_usd_keys *keys,
                       rlti_usd_edited *list) {
    static const rlti_usd_edit order[] = {RLTI_USD_DELETED, RLTI_USD_ADDED, RLTI_USD_PREPENDED,
                                          RLTI_USD_APPENDED, RLTI_USD_ORDERED};
    rlti_usd_edited edit;
    if (edits == NULL)
        return 1;
    if (edits->is_explicit)
        return take(arena, &edits->edits[RLTI_USD_EXPLICIT], keys, list);
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        if (edits->edits[order[i]].count > 0 &&
            (!take(arena, &edits->edits[order[i]], keys, &edit) || !apply(arena, order[i], &edit, list)))
            return 0;
    return 1;
}
