/* Specialized classes are weaker than all else, wherever in the tree they are written. So each moves to the
 * root of the tree, with all that it brings; the place where it was written stays, silent, for what is
 * implied from there. */
#include <string.h>

#include "formats/usd/usd_node.h"

int rlti_usd_is_moved(const rlti_usd_node *node) {
    return node->kind == RLTI_USD_SPECIALIZE && node->parent != NULL && node->parent->parent == NULL &&
           node->origin != node->parent && node->origin->stack == node->stack &&
           strcmp(node->origin->place, node->place) == 0;
}

static void silence(rlti_usd_node *node) {
    node->is_silent = 1;
    for (rlti_usd_node *arc = node->first; arc != NULL; arc = arc->next)
        silence(arc);
}

static int is_within(const rlti_usd_node *node, const rlti_usd_node *top) {
    while (node != NULL && node != top)
        node = node->parent;
    return node != NULL;
}

/* The node below another parent: that which is there, or a new one; NULL where there is to be none. */
static rlti_usd_node *move(rlti_usd_frame *f, rlti_usd_node *parent, rlti_usd_node *node,
                           const rlti_usd_map *map, const rlti_usd_node *top, int is_silent) {
    if (node->parent == parent)
        return node;
    rlti_usd_node *there = rlti_usd_find_arc(parent, node, node->stack, map);
    int is_implied = rlti_usd_is_class(node) && node->origin != node->parent;
    if (there != NULL && there->is_silent && !node->is_silent && !is_silent) {
        there->is_silent = 0; /* it was implied from here, and stands there now */
        rlti_usd_add_variant_tasks(f, there);
    }
    if (there != NULL || (is_implied && is_within(node->origin, top)))
        return there;
    rlti_usd_new_arc new = {.like = *node, .is_moved = !is_silent};
    new.like.parent = parent;
    new.like.origin = node;
    new.like.map = *map;
    new.like.arcs = parent->arcs + 1;
    new.like.is_silent = node->is_silent || is_silent;
    return rlti_usd_add_arc(f, &new);
}

static void move_to_root(rlti_usd_frame *f, rlti_usd_node *parent, rlti_usd_node *node,
                         const rlti_usd_map *map, const rlti_usd_node *top) {
    rlti_usd_node *there = move(f, parent, node, map, top, 0);
    if (there == NULL || f->c->status != RLT_OK)
        return;
    for (rlti_usd_node *arc = node->first; arc != NULL; arc = arc->next)
        if (arc->kind != RLTI_USD_SPECIALIZE)
            move_to_root(f, there, arc, &arc->map, top);
    if (there != node)
        silence(node);
}

static int map_to_root(rlti_arena *arena, const rlti_usd_node *node, rlti_usd_map *map) {
    *map = node->map;
    for (const rlti_usd_node *n = node->parent; n != NULL && n->parent != NULL; n = n->parent) {
        rlti_usd_map inner = *map;
        if (!rlti_usd_map_join(arena, &n->map, &inner, map))
            return 0;
    }
    return 1;
}

static void find_specialized(rlti_usd_frame *f, rlti_usd_node *node) {
    rlti_usd_map map;
    if (node->kind == RLTI_USD_SPECIALIZE) {
        if (!map_to_root(f->c->arena, node, &map))
            rlti_usd_no_memory(f->c);
        else
            move_to_root(f, f->root, node, &map, node);
    }
    for (rlti_usd_node *arc = node->first; arc != NULL && f->c->status == RLT_OK; arc = arc->next)
        find_specialized(f, arc);
}

static void move_back(rlti_usd_frame *f, rlti_usd_node *parent, rlti_usd_node *node,
                      const rlti_usd_node *top) {
    rlti_usd_node *there = move(f, parent, node, &node->map, top, 1);
    for (rlti_usd_node *arc = there != NULL ? node->first : NULL; arc != NULL; arc = arc->next)
        move_back(f, there, arc, top);
}

void rlti_usd_move_specialized(rlti_usd_frame *f, rlti_usd_node *node) {
    if (node->parent == NULL)
        find_specialized(f, node);
    else if (rlti_usd_is_moved(node))
        for (rlti_usd_node *arc = node->first; arc != NULL; arc = arc->next)
            move_back(f, node->origin, arc, node);
    else
        find_specialized(f, node);
}
