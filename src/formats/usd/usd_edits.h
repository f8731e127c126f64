/* Lists that several layers edit: references, inherits, targets, schemas. Layers come weakest first. */
#ifndef RLTI_FORMATS_USD_USD_EDITS_H
#define RLTI_FORMATS_USD_USD_EDITS_H

#include "base/arena.h"
#include "formats/usd/usd_layer.h"

typedef struct rlti_usd_keyed {
    const char *key;  /* items with the same key are the same */
    const void *item; /* in the layer */
    int from;         /* whatever the caller has in rlti_usd_keys.from */
} rlti_usd_keyed;

typedef struct rlti_usd_edited {
    int count;
    rlti_usd_keyed *items; /* strongest first */
} rlti_usd_edited;

/* How the items of one layer are compared. */
typedef struct rlti_usd_keys {
    /* 1 and the key of an item; 0: it counts for nothing here; -1: out of memory. NULL: items are texts, and
     * their own keys. */
    int (*key)(void *context, const void *item, const char **key);
    void *context;
    size_t size; /* of an item */
    int from;
} rlti_usd_keys;

/* Applies what a layer says to what weaker ones have; `edits` may be NULL. 0 when out of memory. */
int rlti_usd_edit_list(rlti_arena *arena, const rlti_usd_list *edits, const rlti_usd_keys *keys,
                       rlti_usd_edited *list);

/* Keys for lists of texts. */
rlti_usd_keys rlti_usd_text_keys(void);

#endif
