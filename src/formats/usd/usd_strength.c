/* Which of two arcs is stronger. */
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
    for (const rlti_usd_node *n = a; n != NULL; n = n->next)
        if (n == b)
            return -1;
    return 1;
}

/* The node whose arc was written, of which this one was implied or moved. */
static const rlti_usd_node *written(const rlti_usd_node *node) {
    while (node->origin != NULL && node->origin != node->parent)
        node = node->origin;
    return node;
}

static int by_number(int a, int b) {
    return a < b ? -1 : a > b;
}

/* Specialized classes of the whole tree stand side by side: of one class that of the file furthest up, else
 * what was written deeper in the namespace, unless one brings the other. */
static int compare_specialized(const rlti_usd_node *a, const rlti_usd_node *b) {
    const rlti_usd_node *a_written = written(a), *b_written = written(b);
    if (a_written == b_written)
        return by_number(b->implied, a->implied);
    if (a_written == a && b_written == b) /* siblings where they were written */
        return a->depth != b->depth ? by_number(b->depth, a->depth) : by_number(a->number, b->number);
    if (!is_within(a_written, b_written) && !is_within(b_written, a_written) && a->depth != b->depth)
        return by_number(b->depth, a->depth);
    if (a_written == a || b_written == b) /* one is not in the tree yet: compare where they hang */
        return a_written->parent == b_written->parent
                   ? by_number(a->number, b->number)
                   : rlti_usd_compare_nodes(a_written == a ? a->parent : a_written,
                                            b_written == b ? b->parent : b_written);
    return rlti_usd_compare_nodes(a_written, b_written);
}

static int compare_arcs(const rlti_usd_node *a, const rlti_usd_node *b) {
    if (a->kind != b->kind)
        return by_number((int)a->kind, (int)b->kind);
    if (a->kind == RLTI_USD_SPECIALIZE)
        return compare_specialized(a, b);
    if (a->depth != b->depth)
        return by_number(b->depth, a->depth);
    int order = a->origin != b->origin ? rlti_usd_compare_nodes(a->origin, b->origin) : 0;
    return order != 0 ? order : by_number(a->number, b->number);
}

void rlti_usd_insert_arc(rlti_usd_node *node, rlti_usd_node *arc) {
    rlti_usd_node **at = &node->first;
    while (*at != NULL && compare_arcs(*at, arc) <= 0)
        at = &(*at)->next;
    arc->parent = node;
    arc->next = *at;
    *at = arc;
}
