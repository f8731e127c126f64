/* Specialized classes of a tree of nodes, in the order of OpenUSD: weaker than all else, wherever in the
 * tree they stand, so that they count as if they were written at the root. */
#include "formats/usd/usd_node.h"

static int count_specialized(const rlti_usd_node *node) {
    int count = 0;
    for (const rlti_usd_node *arc = node->first; arc != NULL; arc = arc->next)
        count += (arc->kind == RLTI_USD_SPECIALIZE) + count_specialized(arc);
    return count;
}

static const rlti_usd_node **put_specialized(const rlti_usd_node *node, const rlti_usd_node **to) {
    for (const rlti_usd_node *arc = node->first; arc != NULL; arc = arc->next) {
        if (arc->kind == RLTI_USD_SPECIALIZE)
            *to++ = arc;
        to = put_specialized(arc, to);
    }
    return to;
}

static int is_below(const rlti_usd_node *node, const rlti_usd_node *top) {
    while (node != NULL && node != top)
        node = node->parent;
    return node != NULL;
}

/* The node that was written, of which this one was implied in a file further up. */
static const rlti_usd_node *written(const rlti_usd_node *const *list, int count, const rlti_usd_node *node) {
    for (int i = 0; node->implied > 0 && i < count; i++)
        if (list[i]->origin == node->origin && list[i]->implied < node->implied)
            node = list[i];
    return node;
}

/* 1 when `a`, which stands behind `b` in the tree, is stronger: of one origin that of the file furthest up,
 * else what was written deeper in the namespace, where neither is a part of the other. */
static int goes_before(const rlti_usd_node *a, const rlti_usd_node *a_written, const rlti_usd_node *b,
                       const rlti_usd_node *b_written) {
    if (a_written == b_written)
        return a->implied > b->implied;
    return a->depth > b->depth && !is_below(a_written, b_written) && !is_below(b_written, a_written);
}

const rlti_usd_node **rlti_usd_specialized(rlti_usd_composer *c, const rlti_usd_node *root, int *count) {
    int all = count_specialized(root), made = 0;
    *count = 0;
    const rlti_usd_node **found = rlti_arena_keep(c->arena, (size_t)all + 1, sizeof(rlti_usd_node *)),
                        **list = rlti_arena_keep(c->arena, (size_t)all + 1, sizeof(rlti_usd_node *));
    if (found == NULL || list == NULL)
        return rlti_usd_no_memory(c);
    put_specialized(root, found);
    for (int i = 0; i < all; i++) { /* each where the one stands that was written */
        if (written(found, all, found[i]) != found[i])
            continue;
        for (int k = 0; k < all; k++) {
            int at = made;
            if (written(found, all, found[k]) != found[i])
                continue;
            while (at > 0 &&
                   goes_before(found[k], found[i], list[at - 1], written(found, all, list[at - 1]))) {
                list[at] = list[at - 1];
                at--;
            }
            list[at] = found[k];
            made++;
        }
    }
    *count = made;
    return list;
}
