/* Variants: of each set of a prim the one that is chosen, by the strongest layer that chooses any. */
#include <string.h>

#include "formats/usd/usd_node.h"

/* The names of a node's variant sets; 0 when out of memory. */
static int list_sets(rlti_usd_composer *c, rlti_usd_node *node) {
    const rlti_usd_keys keys = rlti_usd_text_keys();
    int ok = 1;
    for (int m = node->stack->count - 1; m >= 0 && ok; m--)
        if (node->prims[m] >= 0)
            ok = rlti_usd_edit_list(c->arena,
                                    node->stack->members[m].layer->prims[node->prims[m]].variant_sets, &keys,
                                    &node->sets);
    if (ok && node->sets.count > 0) {
        node->is_chosen = rlti_arena_keep(c->arena, (size_t)node->sets.count, 1);
        ok = node->is_chosen != NULL;
    }
    node->has_sets = 1;
    if (!ok)
        rlti_usd_no_memory(c);
    return ok;
}

/* The variant chosen of a set, "" where the choice is none; NULL: nobody chooses. */
static const char *find_choice(const rlti_usd_composer *c, const rlti_usd_site *sites, int count,
                               const char *set) {
    for (int i = 0; c->choices != NULL && i < c->choices->count; i++)
        if (strcmp(c->choices->list[i].set, set) == 0)
            return c->choices->list[i].variant;
    for (int s = 0; s < count; s++) {
        const rlti_usd_node *node = sites[s].node;
        if (node->kind == RLTI_USD_VARIANT && !node->is_ancestral && strcmp(node->set, set) == 0)
            continue; /* a variant does not choose within its own set */
        for (int i = 0; i < sites[s].prim->selection_count; i++)
            if (strcmp(sites[s].prim->selections[i].set, set) == 0)
                return sites[s].prim->selections[i].variant;
    }
    return NULL;
}

/* Notes that a choice of the caller's met a set, and whether that has the variant. */
static void note_choice(rlti_usd_composer *c, const char *set, int is_there) {
    for (int i = 0; c->choices != NULL && i < c->choices->count; i++)
        if (strcmp(c->choices->list[i].set, set) == 0)
            c->choices->met[i] |= is_there ? RLTI_USD_CHOICE_TAKEN : RLTI_USD_CHOICE_MISSED;
}

/* Adds the variant below the node that has the set. */
static void add_variant(rlti_usd_composer *c, rlti_usd_node *node, const char *set, const char *variant) {
    enum { NESTED_MAX = 64 };
    const char *name = rlti_usd_variant_name(c->arena, set, variant);
    rlti_usd_node *made = name != NULL ? rlti_usd_new_node(c, node->stack) : rlti_usd_no_memory(c);
    if (made == NULL || node->arcs >= NESTED_MAX)
        return;
    int *prims = made->prims;
    *made = (rlti_usd_node){.parent = node,
                            .kind = RLTI_USD_VARIANT,
                            .arcs = node->arcs + 1,
                            .stack = node->stack,
                            .path = node->path,
                            .set = set,
                            .offset = node->offset,
                            .scale = node->scale,
                            .prims = prims};
    for (int i = 0; i < node->stack->count; i++) {
        int index = node->prims[i] < 0 ? -1
                                       : rlti_usd_layers_child(c->layers, node->stack->members[i].index,
                                                               node->prims[i], name);
        prims[i] = index >= 0 ? index : RLTI_USD_NO_PRIM;
        made->has_prims |= index >= 0;
    }
    note_choice(c, set, made->has_prims);
    if (made->has_prims)
        rlti_usd_insert_arc(node, made);
}

/* 1 when one was looked for. */
static int choose(rlti_usd_composer *c, rlti_usd_node *node, const rlti_usd_site *sites, int count) {
    for (int i = 0; i < node->sets.count; i++) {
        const char *variant =
            node->is_chosen[i] ? NULL : find_choice(c, sites, count, node->sets.items[i].key);
        if (variant == NULL)
            continue;
        node->is_chosen[i] = 1;
        if (variant[0] == '\0')
            continue;
        add_variant(c, node, node->sets.items[i].key, variant);
        return 1;
    }
    for (rlti_usd_node *arc = node->first; arc != NULL; arc = arc->next)
        if (choose(c, arc, sites, count))
            return 1;
    return 0;
}

/* How many sets of the tree have no variant yet. */
static int count_open(rlti_usd_composer *c, rlti_usd_node *node) {
    int count = 0;
    if (node->has_prims && !node->has_sets && !list_sets(c, node))
        return 0;
    for (int i = 0; i < node->sets.count; i++)
        count += !node->is_chosen[i];
    for (rlti_usd_node *arc = node->first; arc != NULL; arc = arc->next)
        count += count_open(c, arc);
    return count;
}

int rlti_usd_add_variant(rlti_usd_composer *c, rlti_usd_node *root) {
    int count = 0;
    if (count_open(c, root) == 0 || c->status != RLT_OK)
        return 0;
    const rlti_usd_site *sites = rlti_usd_sites(c, root, &count);
    return sites != NULL && choose(c, root, sites, count) && c->status == RLT_OK;
}
