/* Specialized classes are weaker than all else, wherever in the tree they are written. So each moves to the
 * root of the tree, with all that it brings; the place where it was written stays, silent, for what is
 * implied from there. Where something new is found below a class that has moved, all that it brings goes back
 * first, so that classes are implied from where they were written, and moves again. */
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

/* Moves what a node says to a node of the same place below another parent: that which is there, or a new one.
 * NULL where there is to be none: what is implied within the moved tree `top` is implied there again. */
static rlti_usd_node *move(rlti_usd_frame *f, rlti_usd_node *parent, rlti_usd_node *node,
                           const rlti_usd_map *map, const rlti_usd_node *top, int goes_back, int *is_new) {
    int is_implied = rlti_usd_is_class(node) && node->origin != node->parent;
    *is_new = 0;
    if (node->parent == parent)
        return node;
    rlti_usd_node *there = rlti_usd_find_place(parent, node->stack, node->place);
    if (there == NULL && !(is_implied && is_within(node->origin, top)) &&
        (node->kind == RLTI_USD_VARIANT || !rlti_usd_leads_back(f, parent, node->stack, node->path))) {
        rlti_usd_new_arc new = {.like = *node, .is_moved = !goes_back};
        new.like.parent = parent;
        new.like.origin = node == top || is_implied ? node : parent;
        new.like.map = *map;
        new.like.arcs = parent->arcs + 1;
        if (node == top) {
            new.like.depth = rlti_usd_depth(parent->path);
            new.like.below = 0;
        }
        there = rlti_usd_add_arc(f, &new);
        *is_new = there != NULL;
    }
    if (there == NULL) {
        silence(node);
        return NULL;
    }
    there->is_silent = node->is_silent;
    node->is_silent = 1;
    return there;
}

static void move_to_root(rlti_usd_frame *f, rlti_usd_node *parent, rlti_usd_node *node,
                         const rlti_usd_map *map, const rlti_usd_node *top) {
    int is_new;
    rlti_usd_node *there = move(f, parent, node, map, top, 0, &is_new);
    for (rlti_usd_node *arc = there != NULL ? node->first : NULL; arc != NULL && f->c->status == RLT_OK;
         arc = arc->next)
        if (arc->kind != RLTI_USD_SPECIALIZE)
            move_to_root(f, there, arc, &arc->map, top);
}

static void find_specialized(rlti_usd_frame *f, rlti_usd_node *node) {
    rlti_usd_map map;
    if (node->kind == RLTI_USD_SPECIALIZE) {
        node->is_silent = 0; /* what was implied from a class that went back is still silent */
        if (!rlti_usd_map_to_root(f->c->arena, node, &map))
            rlti_usd_no_memory(f->c);
        else
            move_to_root(f, f->root, node, &map, node);
    }
    for (rlti_usd_node *arc = node->first; arc != NULL && f->c->status == RLT_OK; arc = arc->next)
        find_specialized(f, arc);
}

static void move_back(rlti_usd_frame *f, rlti_usd_node *parent, rlti_usd_node *node,
                      const rlti_usd_node *top) {
    int is_new;
    rlti_usd_node *there = move(f, parent, node, &node->map, top, 1, &is_new);
    if (is_new)
        silence(node); /* the rest is found again there */
    for (rlti_usd_node *arc = there != NULL && !is_new ? node->first : NULL;
         arc != NULL && f->c->status == RLT_OK; arc = arc->next)
        move_back(f, there, arc, top);
}

void rlti_usd_move_specialized(rlti_usd_frame *f, rlti_usd_node *node) {
    if (node->parent == NULL)
        return;
    if (!rlti_usd_is_moved(node)) {
        find_specialized(f, node);
        return;
    }
    for (rlti_usd_node *arc = node->first; arc != NULL && f->c->status == RLT_OK; arc = arc->next)
        move_back(f, node->origin, arc, node);
}
