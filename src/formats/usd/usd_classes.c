/* Classes across references. A prim of a referenced file that inherits </_class> there inherits the </_class>
 * of the file that references it as well, which so can change all that inherit it. OpenUSD calls these arcs
 * implied. */
#include <string.h>

#include "formats/usd/usd_node.h"

/* A path of a node's stack in that of its parent. What lies outside of what the arc leads to keeps its path,
 * as classes do; where that is the path the arc has come to, both change places, as in OpenUSD. NULL when out
 * of memory. */
static const char *in_parent(rlti_usd_composer *c, const rlti_usd_node *node, const char *path) {
    const char *made = path;
    if (node->from != NULL && rlti_usd_has_prefix(path, node->from))
        made = rlti_arena_join(c->arena, node->to, path + strlen(node->from), "");
    else if (node->from != NULL && rlti_usd_has_prefix(path, node->to))
        made = rlti_arena_join(c->arena, node->from, path + strlen(node->to), "");
    return made != NULL ? made : rlti_usd_no_memory(c);
}

static rlti_usd_node *find_class(const rlti_usd_node *node, rlti_usd_arc_kind kind, const char *path) {
    for (rlti_usd_node *arc = node->first; arc != NULL; arc = arc->next)
        if (arc->kind == kind && arc->stack == node->stack && strcmp(arc->path, path) == 0)
            return arc;
    return NULL;
}

/* 1 when any layer of the stack has the first prim of the path: most often none has. */
static int may_be_there(rlti_usd_composer *c, const rlti_usd_stack *stack, const char *path) {
    size_t length = strcspn(path + 1, "/");
    char *name = rlti_arena_text(c->arena, path + 1, length);
    for (int i = 0; name != NULL && i < stack->count; i++)
        if (rlti_usd_layers_child(c->layers, stack->members[i].index, RLTI_USD_ROOT_PRIM, name) >= 0)
            return 1;
    return 0;
}

/* 1 when the tree has a node with opinions at this place. */
static int has_node(const rlti_usd_node *tree, const rlti_usd_node *at) {
    if (tree->has_prims && tree->stack == at->stack && tree->kind != RLTI_USD_VARIANT &&
        strcmp(tree->path, at->path) == 0)
        return 1;
    for (const rlti_usd_node *arc = tree->first; arc != NULL; arc = arc->next)
        if (has_node(arc, at))
            return 1;
    return 0;
}

/* Takes out of an implied class what the tree has already, where the class stood first. */
static void silence(const rlti_usd_node *tree, rlti_usd_node *node) {
    if (node->has_prims && has_node(tree, node)) {
        for (int i = 0; i < node->stack->count; i++)
            node->prims[i] = RLTI_USD_NO_PRIM;
        node->has_prims = 0;
    }
    for (rlti_usd_node *arc = node->first; arc != NULL; arc = arc->next)
        silence(tree, arc);
}

/* The node that an arc which is no class is written in; variants belong to it. NULL at the root. */
static rlti_usd_node *above(const rlti_usd_node *node) {
    rlti_usd_node *to = node->parent;
    if (to == NULL || rlti_usd_is_class(node->kind) || node->kind == RLTI_USD_VARIANT)
        return NULL;
    while (to->kind == RLTI_USD_VARIANT && to->parent != NULL)
        to = to->parent;
    return to;
}

/* A class that `through`, an arc of `to`, leads to, as class of `to`. */
static int imply(rlti_usd_composer *c, rlti_usd_node *class_, const rlti_usd_node *through,
                 rlti_usd_node *to) {
    const char *path = in_parent(c, through, class_->path), *from = in_parent(c, through, class_->from),
               *behind = in_parent(c, through, class_->to);
    int added = 0, is_behind = through->from != NULL && !rlti_usd_has_prefix(class_->from, through->from) &&
                               rlti_usd_has_prefix(class_->from, through->to);
    if (is_behind && strcmp(class_->to, through->from) != 0)
        return 0; /* its path is taken by what the arc leads to */
    if (path == NULL || from == NULL || behind == NULL || c->status != RLT_OK)
        return 0;
    if (to->stack == class_->stack && strcmp(path, class_->path) == 0) {
        /* the same one again, but files further up may have their own */
        rlti_usd_node *up = above(to);
        rlti_usd_node same = *class_;
        same.from = from;
        same.to = behind;
        return up != NULL ? imply(c, &same, to, up) : 0;
    }
    rlti_usd_node *there = find_class(to, class_->kind, path);
    int is_within = 0; /* it would lead back to where it comes from */
    for (const rlti_usd_node *n = to; n != NULL; n = n->parent)
        is_within |= n->stack == to->stack &&
                     (rlti_usd_has_prefix(path, n->path) || rlti_usd_has_prefix(n->path, path) ||
                      rlti_usd_has_prefix(n->path, from));
    if (there == NULL && rlti_usd_has_site(to, to->stack, path))
        return 0;
    if (there == NULL && !is_within && may_be_there(c, to->stack, path)) {
        rlti_usd_node like = {.parent = to,
                              .kind = class_->kind,
                              .arcs = to->arcs + 1,
                              .stack = to->stack,
                              .from = from,
                              .to = behind,
                              .offset = to->offset,
                              .scale = to->scale,
                              .origin = class_->origin,
                              .implied = class_->implied + 1,
                              .depth = class_->depth};
        there = rlti_usd_node_at(c, &like, path);
        if (there != NULL) {
            const rlti_usd_node *root = to;
            while (root->parent != NULL)
                root = root->parent;
            silence(root, there);
            there->is_ancestral = class_->is_ancestral;
            class_->is_implying = class_->kind == RLTI_USD_SPECIALIZE;
            rlti_usd_insert_arc(to, there);
            added = 1;
        }
    }
    for (rlti_usd_node *arc = class_->first; arc != NULL; arc = arc->next)
        if (rlti_usd_is_class(arc->kind))
            added += imply(c, arc, through, there != NULL ? there : to);
    return added;
}

/* Classes of a node and of its variants. */
static int imply_all(rlti_usd_composer *c, rlti_usd_node *node, const rlti_usd_node *through,
                     rlti_usd_node *to) {
    int added = 0;
    for (rlti_usd_node *arc = node->first; arc != NULL && c->status == RLT_OK; arc = arc->next) {
        if (rlti_usd_is_class(arc->kind))
            added += imply(c, arc, through, to);
        else if (arc->kind == RLTI_USD_VARIANT)
            added += imply_all(c, arc, through, to);
    }
    return added;
}

int rlti_usd_imply_classes(rlti_usd_composer *c, rlti_usd_node *node) {
    int added = 0; /* those of arcs first, so that they go all the way up */
    for (rlti_usd_node *arc = node->first; arc != NULL && c->status == RLT_OK; arc = arc->next)
        added += rlti_usd_imply_classes(c, arc);
    rlti_usd_node *to = above(node);
    if (to != NULL && c->status == RLT_OK)
        added += imply_all(c, node, node, to);
    return added;
}
