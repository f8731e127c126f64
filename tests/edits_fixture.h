/* Edited lists of USD layers in tests. */
#ifndef TESTS_EDITS_FIXTURE_H
#define TESTS_EDITS_FIXTURE_H

#include "formats/usd/usd_layer.h"

/* How many items one edit has. */
static inline int edits_count(const rlti_usd_list *list, rlti_usd_edit edit) {
    return list != NULL ? list->edits[edit].count : 0;
}

static inline const rlti_usd_arc *edits_arc(const rlti_usd_list *list, rlti_usd_edit edit, int index) {
    return (const rlti_usd_arc *)list->edits[edit].items + index;
}

static inline const char *edits_text(const rlti_usd_list *list, rlti_usd_edit edit, int index) {
    return ((const char *const *)list->edits[edit].items)[index];
}

/* Aborts, in fuzzing, where a list lacks what it says it has. */
static inline void edits_check(const rlti_usd_list *list, int is_arcs) {
    for (int e = 0; list != NULL && e < RLTI_USD_EDITS; e++)
        for (int i = 0; i < list->edits[e].count; i++) {
            const char *text =
                is_arcs ? edits_arc(list, (rlti_usd_edit)e, i)->asset : edits_text(list, (rlti_usd_edit)e, i);
            if (text == NULL || strlen(text) == SIZE_MAX ||
                (is_arcs && edits_arc(list, (rlti_usd_edit)e, i)->prim_path == NULL))
                abort();
        }
}

static inline void edits_check_prim(const rlti_usd_prim *p) {
    edits_check(p->references, 1);
    edits_check(p->payloads, 1);
    edits_check(p->inherits, 0);
    edits_check(p->specializes, 0);
    edits_check(p->api_schemas, 0);
    edits_check(p->variant_sets, 0);
    for (int i = 0; i < p->selection_count; i++)
        if (p->selections[i].set == NULL || p->selections[i].variant == NULL)
            abort();
    for (int i = 0; i < p->clip_count; i++)
        if (p->clips[i].name == NULL || p->clips[i].prim_path == NULL || p->clips[i].template_asset == NULL)
            abort();
}

#endif
