/* Which of two arcs is stronger. */
#include <string.h>

#include "formats/usd/usd_node.h"

static int tree_depth(const rlti_usd_node *node) {
    int depth = 0;
    for (; node->parent != NULL; node = node->parent)
        depth++;
    return depth;
}

static int is_within(const rlti_usd_node *node, const rlti_usd_node *top) {
    while (node != NULL && node != top)
        node = node->parent;
    return node != NULL;
}

int rlti_usd_compare_nodes(const rlti_usd_node *a, const rlti_usd_node *b) {
    int a_depth = tree_depth(a), b_depth = tree_depth(b), deeper = a_depth - b_depth;
    for (; a_depth > b_depth; a_depth--)
        a = a->parent;
    for (; b_depth > a_depth; b_depth--)
        b = b->parent;
    if (a == b) /* a node is stronger than what it brings */
        return deeper < 0 ? -1 : deeper > 0;
    while (a->parent != b->parent) {
        a = a->parent;
        b = b->parent;
    }
    return a->rank < b->rank ? -1 : 1;
}

/* The node whose arc was written, of which this one was implied or moved, and how many times. */
static const rlti_usd_node *written(const rlti_usd_node *node, int *times) {
    for (*times = 0; node->origin != NULL && node->origin != node->parent; ++*times)
        node = node->origin;
    return node;
}

static int by_number(int a, int b) {
    return a < b ? -1 : a > b;
}

/* Which of two nodes comes first in the tree; `arc` is not in it yet, and what is comes before it. */
static int first_of(const rlti_usd_node *arc, const rlti_usd_node *a, const rlti_usd_node *b) {
    return a == arc ? 1 : b == arc ? -1 : rlti_usd_compare_nodes(a, b);
}

static int is_elsewhere(const rlti_usd_node *node) {
    return node->origin->stack != node->stack || strcmp(node->origin->place, node->place) != 0;
}

/* Depth in the namespace of the prim that has the chain of classes which a node is in. */
static int chain_depth(const rlti_usd_node *node) {
    int below = node->below;
    while (rlti_usd_is_class(node) && node->below == below)
        node = node->parent;
    return node->parent != NULL ? node->depth : 0;
}

/* Specialized classes of the whole tree stand side by side below its root: what was written deeper in the
 * namespace first, unless one brings the other; then in the order in which they were written. Of one that was
 * written once the copy that was implied furthest up comes first. */
static int compare_specialized(const rlti_usd_node *root, const rlti_usd_node *a, const rlti_usd_node *b) {
    int a_times, b_times, order = 0;
    const rlti_usd_node *a_written = written(a, &a_times), *b_written = written(b, &b_times);
    if (!is_within(a_written, b_written) && !is_within(b_written, a_written) && a->depth != b->depth)
        return by_number(b->depth, a->depth);
    if (a->origin == b->origin)
        return a_times == 0 ? by_number(a->number, b->number) : is_elsewhere(b) - is_elsewhere(a);
    if (a_written != b_written)
        return first_of(a, a_written, b_written);
    order = by_number(a_times > 0 ? chain_depth(a->origin) : 0, b_times > 0 ? chain_depth(b->origin) : 0);
    if (order == 0)
        order = by_number(b_times, a_times);
    if (order == 0 && a->stack == root->stack && b->stack == root->stack && a_times > 0 && b_times > 0)
        order = is_elsewhere(b) - is_elsewhere(a);
    return order != 0 ? order : first_of(a, a->origin, b->origin);
}

/* A new arc `a` against one that is there. */
static int compare_arcs(const rlti_usd_node *root, const rlti_usd_node *a, const rlti_usd_node *b) {
    if (a->kind != b->kind)
        return by_number((int)a->kind, (int)b->kind);
    if (a->kind == RLTI_USD_SPECIALIZE)
        return compare_specialized(root, a, b);
    if (a->depth != b->depth)
        return by_number(b->depth, a->depth);
    int order = a->origin != b->origin ? first_of(a, a->origin, b->origin) : 0;
    return order != 0 ? order : by_number(a->number, b->number);
}

void rlti_usd_insert_arc(rlti_usd_node *node, rlti_usd_node *arc) {
    const rlti_usd_node *root = node;
    rlti_usd_node **at = &node->first, **end;
    while (root->parent != NULL)
        root = root->parent;
    arc->parent = node;
    while (*at != NULL && (*at)->kind < arc->kind)
        at = &(*at)->next;
    for (end = at; *end != NULL && (*end)->kind == arc->kind && (*end)->next != NULL &&
                   (*end)->next->kind == arc->kind;)
        end = &(*end)->next;
    if (*end != NULL && (*end)->kind == arc->kind && compare_arcs(root, arc, *end) > 0 &&
        compare_arcs(root, arc, *at) >= 0)
        at = &(*end)->next; /* after all of its kind, as most are */
    else
        while (*at != NULL && (*at)->kind == arc->kind && compare_arcs(root, arc, *at) >= 0)
            at = &(*at)->next;
    arc->next = *at;
    *at = arc;
    int rank = 0;
    for (rlti_usd_node *n = node->first; n != NULL; n = n->next)
        n->rank = rank++;
}
