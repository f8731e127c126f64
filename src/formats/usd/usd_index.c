/* The tree of nodes of a prim, made as OpenUSD documents it: arcs bring nodes, nodes bring tasks, and tasks
 * are done in the order of their kinds until none is left, for what a task finds depends on what is there. A
 * child's tree is the parent's with a name added to every path, plus what the child's own opinions bring. */
#include <math.h>
#include <string.h>

#include "base/list.h"
#include "base/memory.h"
#include "base/messages.h"
#include "formats/usd/usd_node.h"

enum {
    NODES_MIN = 20000,
    NODES_PER_SPEC = 100 /* a layer of n prims may be referenced many times, but not without end */
};

int rlti_usd_may_warn(rlti_usd_composer *c) {
    return c->problems++ < RLTI_USD_PROBLEMS_MAX;
}

void *rlti_usd_no_memory(rlti_usd_composer *c) {
    if (c->status == RLT_OK)
        c->status = rlti_out_of_memory(c->messages);
    return NULL;
}

int rlti_usd_depth(const char *path) {
    int depth = 0;
    for (; *path != '\0'; path++)
        depth += *path == '/' && path[1] != '\0';
    return depth;
}

rlti_usd_node *rlti_usd_new_node(rlti_usd_composer *c, const rlti_usd_stack *stack) {
    size_t limit = NODES_MIN + NODES_PER_SPEC * rlti_usd_layers_specs(c->layers);
    if (c->status != RLT_OK)
        return NULL;
    if (++c->nodes > limit) {
        c->status = rlti_refuse(
            c->messages,
            "%s: references within references give more than %zu prims; flatten or split the file",
            rlti_usd_layers_get(c->layers, 0)->file, limit);
        return NULL;
    }
    rlti_usd_node *node = rlti_arena_keep(c->arena, 1, sizeof *node);
    int *prims = rlti_arena_keep(c->arena, (size_t)stack->count, sizeof *prims);
    if (node == NULL || prims == NULL)
        return rlti_usd_no_memory(c);
    node->stack = stack;
    node->prims = prims;
    node->serial = (int)c->nodes;
    return node;
}

/* A node like another, of the same stack or not, without arcs and opinions. */
static rlti_usd_node *new_like(rlti_usd_composer *c, const rlti_usd_node *like) {
    rlti_usd_node *made = rlti_usd_new_node(c, like->stack);
    if (made == NULL)
        return NULL;
    int *prims = made->prims, serial = made->serial;
    *made = *like;
    made->prims = prims;
    made->serial = serial;
    made->first = made->next = made->child = NULL;
    made->has_prims = made->has_whole = 0;
    for (int i = 0; i < made->stack->count; i++)
        prims[i] = RLTI_USD_NO_PRIM;
    return made;
}

/* ---- places ---- */

static int child_of(const rlti_usd_composer *c, int layer, int prim, const char *name) {
    int index = prim == RLTI_USD_NO_PRIM ? -1 : rlti_usd_layers_child(c->layers, layer, prim, name);
    return index >= 0 ? index : RLTI_USD_NO_PRIM;
}

int rlti_usd_prim_at(const rlti_usd_composer *c, int layer, const char *place) {
    int prim = RLTI_USD_ROOT_PRIM;
    while (prim != RLTI_USD_NO_PRIM && place[0] == '/' && place[1] != '\0') {
        const char *end = place[1] == '{' ? strchr(place, '}') : NULL; /* names of variants may be anything */
        size_t length = end != NULL ? (size_t)(end - place) : strcspn(place + 1, "/");
        char *name = rlti_arena_text(c->arena, place + 1, length);
        if (name == NULL)
            return RLTI_USD_NO_PRIM;
        prim = child_of(c, layer, prim, name);
        place += 1 + length;
    }
    return prim;
}

static void look_up(const rlti_usd_composer *c, rlti_usd_node *node) {
    for (int i = 0; i < node->stack->count; i++) {
        node->prims[i] = rlti_usd_prim_at(c, node->stack->members[i].index, node->place);
        node->has_prims |= node->prims[i] >= 0;
    }
}

/* ---- children ---- */

static const char *join_path(rlti_usd_composer *c, const char *path, const char *name) {
    const char *made = rlti_arena_join(c->arena, strcmp(path, "/") == 0 ? "" : path, "/", name);
    return made != NULL ? made : rlti_usd_no_memory(c);
}

/* 1 when relocates move the path away. */
static int is_moved_away(const rlti_usd_composer *c, const rlti_usd_node *node) {
    if (c->stays_put || node->kind == RLTI_USD_VARIANT)
        return 0;
    for (int i = 0; i < node->stack->relocate_count; i++)
        if (strcmp(node->stack->relocates[i].source, node->path) == 0)
            return 1;
    return 0;
}

static void forget_children(rlti_usd_node *node) {
    node->child = NULL;
    for (rlti_usd_node *arc = node->first; arc != NULL; arc = arc->next)
        forget_children(arc);
}

static rlti_usd_node *copy_tree(rlti_usd_composer *c, rlti_usd_node *node, rlti_usd_node *parent,
                                const char *name) {
    rlti_usd_node *made = new_like(c, node);
    if (parent == NULL)
        forget_children(node);
    if (made == NULL)
        return NULL;
    made->parent = parent;
    made->below += parent != NULL;
    made->path = join_path(c, node->path, name);
    made->place = node->place == node->path ? made->path : join_path(c, node->place, name);
    if (c->status != RLT_OK || is_moved_away(c, made))
        return NULL;
    node->child = made;
    for (int i = 0; i < node->stack->count; i++) {
        made->prims[i] = child_of(c, node->stack->members[i].index, node->prims[i], name);
        made->has_prims |= made->prims[i] >= 0;
    }
    rlti_usd_node **end = &made->first;
    for (rlti_usd_node *arc = node->first; arc != NULL; arc = arc->next) {
        *end = copy_tree(c, arc, made, name);
        if (*end != NULL)
            end = &(*end)->next;
    }
    return made;
}

/* Origins are nodes of the copy, too. */
static void copy_origins(rlti_usd_node *node) {
    if (node->origin != NULL)
        node->origin = node->origin->child != NULL ? node->origin->child : node->parent;
    for (rlti_usd_node *arc = node->first; arc != NULL; arc = arc->next)
        copy_origins(arc);
}

/* Drops nodes that say nothing when the tree is made (where a layer has no prim it has nothing below
 * either), but for arcs that were written here: their order counts below. Marks a node that has to stay
 * (`child` is free to be the mark), with those above it and their origins. */
static void keep(rlti_usd_node *node) {
    for (; node != NULL && node->child == NULL; node = node->parent) {
        node->child = node;
        keep(node->origin);
    }
}

static void keep_all(rlti_usd_node *node, int is_specialized) {
    is_specialized |= node->kind == RLTI_USD_SPECIALIZE;
    if (rlti_usd_speaks(node) || (node->below == 0 && node->parent != NULL) || is_specialized)
        keep(node);
    for (rlti_usd_node *arc = node->first; arc != NULL; arc = arc->next)
        keep_all(arc, is_specialized);
}

static void prune(rlti_usd_node *node) {
    rlti_usd_node **at = &node->first;
    while (*at != NULL) {
        if ((*at)->child == NULL)
            *at = (*at)->next;
        else {
            prune(*at);
            at = &(*at)->next;
        }
    }
    node->child = NULL;
}

/* ---- tasks ---- */

void rlti_usd_add_task(rlti_usd_frame *f, rlti_usd_task task) {
    for (int i = 0; i < f->task_count; i++)
        if (f->tasks[i].kind == task.kind && f->tasks[i].node == task.node && f->tasks[i].set == task.set)
            return;
    if (!RLTI_LIST_RESERVE(f->tasks, f->task_count, 1, f->task_capacity))
        rlti_usd_no_memory(f->c);
    else
        f->tasks[f->task_count++] = task;
}

/* 1 where a layer says something that a task is for. */
static int has_task(const rlti_usd_node *node, rlti_usd_task_kind kind) {
    for (int i = 0; i < node->stack->count && rlti_usd_speaks(node); i++) {
        const rlti_usd_prim *prim =
            node->prims[i] >= 0 ? &node->stack->members[i].layer->prims[node->prims[i]] : NULL;
        if (prim != NULL && (kind == RLTI_USD_DO_REFERENCES    ? prim->references
                             : kind == RLTI_USD_DO_PAYLOADS    ? prim->payloads
                             : kind == RLTI_USD_DO_INHERITS    ? prim->inherits
                             : kind == RLTI_USD_DO_SPECIALIZES ? prim->specializes
                                                               : prim->variant_sets) != NULL)
            return 1;
    }
    return 0;
}

/* Arcs that the node's own opinions may bring. `is_ready`: it was made in a tree of its own, with all but
 * variants. */
static void add_own_tasks(rlti_usd_frame *f, rlti_usd_node *node, int is_ready) {
    static const rlti_usd_task_kind kinds[] = {RLTI_USD_DO_REFERENCES, RLTI_USD_DO_PAYLOADS,
                                               RLTI_USD_DO_INHERITS, RLTI_USD_DO_SPECIALIZES};
    if (!is_ready && node->stack->relocate_count > 0 && !f->c->stays_put && node->kind != RLTI_USD_VARIANT)
        rlti_usd_add_task(f, (rlti_usd_task){RLTI_USD_DO_RELOCATES, node, NULL, 0});
    for (size_t i = 0; !is_ready && i < sizeof kinds / sizeof kinds[0]; i++)
        if (has_task(node, kinds[i]))
            rlti_usd_add_task(f, (rlti_usd_task){kinds[i], node, NULL, 0});
    if (f->has_variants && has_task(node, RLTI_USD_DO_SETS))
        rlti_usd_add_task(f, (rlti_usd_task){RLTI_USD_DO_SETS, node, NULL, 0});
    for (rlti_usd_node *arc = node->first; arc != NULL; arc = arc->next)
        add_own_tasks(f, arc, is_ready);
}

void rlti_usd_add_variant_tasks(rlti_usd_frame *f, rlti_usd_node *node) {
    add_own_tasks(f, node, 1);
}

static int has_specialized(const rlti_usd_node *node) {
    for (const rlti_usd_node *arc = node->first; arc != NULL; arc = arc->next)
        if (arc->kind == RLTI_USD_SPECIALIZE)
            return 1;
    return 0;
}

/* The tasks that a new node, and those below it, bring; a class is implied with the whole chain of classes
 * that it is in, as far as that was written on one prim. */
static void add_tasks(rlti_usd_frame *f, rlti_usd_node *node, int is_ready, int is_moved) {
    rlti_usd_node *start = node, *specialized = NULL;
    if (rlti_usd_is_class(node))
        start = rlti_usd_class_start(node);
    for (rlti_usd_node *n = node; n != NULL; n = n->parent)
        if (n->kind == RLTI_USD_SPECIALIZE && n->parent != NULL)
            specialized = n;
    if (!is_moved && (start != node || rlti_usd_has_class(node)))
        rlti_usd_add_task(f, (rlti_usd_task){RLTI_USD_DO_IMPLIED, start, NULL, 0});
    if (!is_moved && f->has_specialized && (specialized != NULL || has_specialized(node)))
        rlti_usd_add_task(
            f, (rlti_usd_task){RLTI_USD_DO_SPECIALIZED, specialized != NULL ? specialized : node, NULL, 0});
    add_own_tasks(f, node, is_ready || is_moved);
}

/* 1 when `a` is to be done before `b`. */
static int is_before(const rlti_usd_task *a, const rlti_usd_task *b) {
    if (a->kind != b->kind)
        return a->kind < b->kind;
    if (a->node != b->node)
        return a->kind == RLTI_USD_DO_VARIANT   ? rlti_usd_compare_nodes(a->node, b->node) < 0
               : a->kind == RLTI_USD_DO_IMPLIED ? a->node->serial > b->node->serial
                                                : a->node->serial < b->node->serial;
    return a->number < b->number;
}

static void do_task(rlti_usd_frame *f, rlti_usd_task task) {
    static const rlti_usd_arc_kind kinds[] = {[RLTI_USD_DO_REFERENCES] = RLTI_USD_REFERENCE,
                                              [RLTI_USD_DO_PAYLOADS] = RLTI_USD_PAYLOAD,
                                              [RLTI_USD_DO_INHERITS] = RLTI_USD_INHERIT,
                                              [RLTI_USD_DO_SPECIALIZES] = RLTI_USD_SPECIALIZE};
    switch (task.kind) {
    case RLTI_USD_DO_RELOCATES:
        rlti_usd_add_relocated(f, task.node);
        break;
    case RLTI_USD_DO_IMPLIED:
        rlti_usd_imply_classes(f, task.node);
        break;
    case RLTI_USD_DO_SPECIALIZED:
        rlti_usd_move_specialized(f, task.node);
        break;
    case RLTI_USD_DO_SETS:
        rlti_usd_list_variants(f, task.node);
        break;
    case RLTI_USD_DO_VARIANT:
        rlti_usd_choose_variant(f, task);
        break;
    default:
        if (rlti_usd_speaks(task.node))
            rlti_usd_add_arcs(f, task.node, kinds[task.kind]);
    }
}

/* Does all tasks of a tree. */
static void settle(rlti_usd_frame *f) {
    add_tasks(f, f->root, 0, 0);
    while (f->c->status == RLT_OK) {
        int best = -1;
        for (int i = 0; i < f->task_count; i++)
            if (f->tasks[i].kind != RLTI_USD_DO_NOTHING &&
                (best < 0 || is_before(&f->tasks[i], &f->tasks[best])))
                best = i;
        if (best < 0)
            break;
        rlti_usd_task task = f->tasks[best];
        f->tasks[best] = f->tasks[--f->task_count];
        do_task(f, task);
    }
    rlti_free(f->tasks);
    f->tasks = NULL;
    f->task_count = f->task_capacity = 0;
}

rlti_usd_node *rlti_usd_child_tree(rlti_usd_composer *c, rlti_usd_node *node, const char *name) {
    rlti_usd_node *made = copy_tree(c, node, NULL, name);
    if (made == NULL)
        return NULL;
    copy_origins(made);
    rlti_usd_frame f = {.c = c, .root = made, .has_variants = 1, .has_specialized = 1};
    settle(&f);
    keep_all(made, 0);
    prune(made);
    return c->status == RLT_OK ? made : NULL;
}

/* ---- arcs ---- */

/* The tree of an arc's target, with all that the prims above it bring; NULL where it is moved away. */
static rlti_usd_node *target_tree(rlti_usd_frame *outer, const rlti_usd_new_arc *arc) {
    rlti_usd_composer *c = outer->c;
    rlti_usd_node *at = new_like(c, &arc->like);
    const char *path = arc->like.path;
    if (at == NULL)
        return NULL;
    at->parent = NULL;
    at->path = at->place = "/";
    at->is_silent = 0;
    for (int i = 0; i < at->stack->count; i++)
        at->prims[i] = RLTI_USD_ROOT_PRIM;
    while (at != NULL && *path == '/' && path[1] != '\0') {
        size_t length = strcspn(path + 1, "/");
        char *name = rlti_arena_text(c->arena, path + 1, length);
        path += 1 + length;
        at = name != NULL ? copy_tree(c, at, NULL, name) : rlti_usd_no_memory(c);
        if (at == NULL)
            break;
        copy_origins(at);
        int is_last = path[0] == '\0' || path[1] == '\0';
        at->is_silent = is_last && arc->like.is_silent;
        rlti_usd_frame f = {.c = c,
                            .root = at,
                            .outer = outer,
                            .from = arc->like.parent,
                            .map = &arc->like.map,
                            .asked = arc->like.path,
                            .above = outer->above + (is_last ? 0 : rlti_usd_depth(path)),
                            .has_variants = !is_last,
                            .skips_known = arc->skips_known || outer->skips_known};
        settle(&f);
    }
    if (at != NULL) {
        at->origin = arc->like.origin;
        at->below = arc->like.below;
        at->kind = arc->like.kind;
    }
    return at;
}

static rlti_usd_node *single_node(rlti_usd_composer *c, const rlti_usd_node *like) {
    rlti_usd_node *made = new_like(c, like);
    if (made != NULL && made->kind != RLTI_USD_RELOCATED)
        look_up(c, made);
    return made;
}

/* Looks for a place in a tree; 1 where the node counts, by what it says or by what it brings. */
static int find_in_tree(const rlti_usd_node *tree, const rlti_usd_stack *stack, const char *place,
                        int *is_there) {
    int counts = tree->below == 0 || tree->kind == RLTI_USD_SPECIALIZE || rlti_usd_speaks(tree);
    for (const rlti_usd_node *arc = tree->first; arc != NULL; arc = arc->next)
        counts |= find_in_tree(arc, stack, place, is_there);
    *is_there |= counts && !tree->is_silent && tree->stack == stack && strcmp(tree->place, place) == 0;
    return counts;
}

/* 1 when any tree that is being made has a node at this place. */
static int is_known(rlti_usd_frame *f, const rlti_usd_stack *stack, const char *place) {
    for (; f != NULL && place != NULL; f = f->outer) {
        int is_there = 0;
        find_in_tree(f->root, stack, place, &is_there);
        if (is_there)
            return 1;
        if (f->outer != NULL && rlti_usd_has_prefix(f->asked, f->root->path)) /* which is further below */
            place = rlti_arena_join(f->c->arena, place, f->asked + strlen(f->root->path), "");
    }
    return 0;
}

rlti_usd_node *rlti_usd_add_arc(rlti_usd_frame *f, const rlti_usd_new_arc *arc) {
    const rlti_usd_node *like = &arc->like;
    if ((arc->skips_known || f->skips_known) && is_known(f, like->stack, like->place))
        return NULL;
    rlti_usd_node *made =
        arc->has_parents && !like->is_silent ? target_tree(f, arc) : single_node(f->c, like);
    if (made == NULL)
        return NULL;
    rlti_usd_insert_arc(like->parent, made);
    add_tasks(f, made, arc->has_parents && !like->is_silent, arc->is_moved);
    return made;
}
