/* Nodes and the arcs between them. A child's tree is the parent's with a name added to every path, plus the
 * arcs that the child's own opinions bring. Nodes without opinions go at once: where a layer has no prim it
 * has nothing below either. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/messages.h"
#include "formats/usd/usd_node.h"

enum {
    ARCS_MAX = 64, /* references within references */
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

int rlti_usd_has_prefix(const char *path, const char *prefix) {
    size_t length = strlen(prefix);
    return strncmp(path, prefix, length) == 0 &&
           (path[length] == '/' || path[length] == '.' || path[length] == '\0');
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
    return node;
}

/* ---- children ---- */

static const char *join_path(rlti_usd_composer *c, const char *path, const char *name) {
    return rlti_arena_join(c->arena, strcmp(path, "/") == 0 ? "" : path, "/", name);
}

/* Adds what references bring to another path of the stack, as arc of the node at the path it is moved to. */
static void add_relocated(rlti_usd_composer *c, rlti_usd_node *node, const char *source) {
    rlti_usd_node like = {.parent = node,
                          .kind = RLTI_USD_RELOCATED,
                          .arcs = node->arcs + 1,
                          .stack = node->stack,
                          .from = source,
                          .to = node->path,
                          .offset = node->offset,
                          .scale = node->scale};
    if (like.arcs > ARCS_MAX)
        return;
    c->stays_put++;
    rlti_usd_node *moved = rlti_usd_node_at(c, &like, source);
    c->stays_put--;
    if (moved == NULL)
        return;
    for (int i = 0; i < moved->stack->count; i++)
        moved->prims[i] = RLTI_USD_NO_PRIM; /* what the stack itself says there counts for nothing */
    moved->has_prims = 0;
    rlti_usd_insert_arc(node, moved);
}

/* 1 when the path is moved away; else adds what is moved to it. */
static int relocate(rlti_usd_composer *c, rlti_usd_node *node) {
    for (int i = 0; i < node->stack->relocate_count && !c->stays_put; i++)
        if (strcmp(node->stack->relocates[i].source, node->path) == 0)
            return 1;
    for (int i = 0; i < node->stack->relocate_count && !c->stays_put; i++)
        if (strcmp(node->stack->relocates[i].target, node->path) == 0)
            add_relocated(c, node, node->stack->relocates[i].source);
    return 0;
}

rlti_usd_node *rlti_usd_child_node(rlti_usd_composer *c, const rlti_usd_node *node, rlti_usd_node *parent,
                                   const char *name) {
    rlti_usd_node *made = rlti_usd_new_node(c, node->stack);
    if (made == NULL)
        return NULL;
    int *prims = made->prims;
    *made = *node;
    made->prims = prims;
    made->parent = parent;
    made->first = made->next = NULL;
    made->has_prims = made->expanded = made->has_sets = 0;
    made->is_ancestral = 1;
    made->path = join_path(c, node->path, name);
    if (made->path == NULL)
        return rlti_usd_no_memory(c);
    for (int i = 0; i < node->stack->count; i++) {
        int index =
            node->prims[i] == RLTI_USD_NO_PRIM
                ? -1
                : rlti_usd_layers_child(c->layers, node->stack->members[i].index, node->prims[i], name);
        prims[i] = index >= 0 ? index : RLTI_USD_NO_PRIM;
        made->has_prims |= index >= 0;
    }
    rlti_usd_node **end = &made->first;
    for (const rlti_usd_node *arc = node->first; arc != NULL; arc = arc->next) {
        *end = rlti_usd_child_node(c, arc, made, name);
        if (*end != NULL)
            end = &(*end)->next;
    }
    if (node->stack->relocate_count > 0 && node->kind != RLTI_USD_VARIANT && relocate(c, made))
        return NULL;
    /* a class that only files further up may have stays, for them */
    int is_awaited =
        rlti_usd_is_class(node->kind) && (node->is_implying || (!node->has_prims && node->first == NULL));
    return made->has_prims || made->first != NULL || is_awaited ? made : NULL;
}

rlti_usd_node *rlti_usd_node_at(rlti_usd_composer *c, const rlti_usd_node *like, const char *path) {
    rlti_usd_node *at = rlti_usd_new_node(c, like->stack);
    if (at == NULL)
        return NULL;
    int *prims = at->prims;
    *at = *like;
    at->prims = prims;
    at->path = "/";
    for (int i = 0; i < at->stack->count; i++)
        prims[i] = RLTI_USD_ROOT_PRIM;
    int is_root = strchr(path + 1, '/') == NULL;
    while (at != NULL && *path == '/' && path[1] != '\0') {
        size_t length = strcspn(path + 1, "/");
        char *name = rlti_arena_text(c->arena, path + 1, length);
        if (name == NULL)
            return rlti_usd_no_memory(c);
        at = rlti_usd_child_node(c, at, like->parent, name);
        path += 1 + length;
        if (at != NULL && path[0] == '/' && path[1] != '\0')
            rlti_usd_settle(c, at);      /* variants above it are chosen where they stand */
        else if (at != NULL && !is_root) /* roots get theirs with the tree they come to */
            rlti_usd_expand(c, at);
    }
    if (at != NULL)
        at->is_ancestral = 0;
    return at;
}

void rlti_usd_insert_arc(rlti_usd_node *node, rlti_usd_node *arc) {
    rlti_usd_node **at = &node->first;
    while (*at != NULL && ((*at)->kind < arc->kind ||
                           ((*at)->kind == arc->kind && (*at)->is_ancestral <= arc->is_ancestral)))
        at = &(*at)->next;
    arc->next = *at;
    *at = arc;
}

/* ---- what an arc leads to ---- */

/* "a.usda</A> -> b.usda</B> -> ..." from the first node of the circle. */
static void report_cycle(rlti_usd_composer *c, const rlti_usd_node *from, const rlti_usd_node *first,
                         const char *place) {
    const char *text = "";
    if (!rlti_usd_may_warn(c))
        return;
    for (const rlti_usd_node *n = from; n != NULL && text != NULL; n = n == first ? NULL : n->parent) {
        const char *name = n->stack->members[0].layer->file;
        char *one = rlti_arena_join(c->arena, name, "<", n->path);
        one = one != NULL ? rlti_arena_join(c->arena, one, "> -> ", text) : NULL;
        text = one;
    }
    rlti_warn(c->messages, "%s: forms a cycle: %sthere again; left out", place, text != NULL ? text : "");
}

/* "/A/B" without an end slash, or NULL where it is no path of a prim. */
static const char *target_path(rlti_usd_composer *c, const rlti_usd_arc *arc, const rlti_usd_stack *stack,
                               const char *place) {
    const rlti_usd_layer *layer = stack->members[0].layer;
    const char *path = arc->prim_path;
    if (path[0] == '\0') {
        if (layer->default_prim[0] == '\0') {
            if (rlti_usd_may_warn(c))
                rlti_warn(c->messages, "%s: %s has no default prim; name one; left out", place, layer->file);
            return NULL;
        }
        path = layer->default_prim;
        if (path[0] != '/') {
            path = rlti_arena_join(c->arena, "/", path, "");
            return path != NULL ? path : rlti_usd_no_memory(c);
        }
    }
    if (path[0] != '/' || path[1] == '\0' || strpbrk(path, "{}.") != NULL) {
        if (rlti_usd_may_warn(c))
            rlti_warn(c->messages, "%s: '%s' is no path of a prim; left out", place, path);
        return NULL;
    }
    return path;
}

/* Times of what an arc leads to, as OpenUSD has them. An arc to another file is written in the time of its
 * layer, so its scale gets the ratio of that layer's rate to the file's, and the layer's own place in the
 * stack comes after it. An arc within the file leads to the same stack, whose layers have all that already.
 */
static void fit_times(const rlti_usd_node *node, const rlti_usd_member *member, const rlti_usd_arc *arc,
                      rlti_usd_node *to) {
    double scale = arc->scale, offset = arc->offset;
    if (arc->asset[0] != '\0') {
        scale *= member->scale * rlti_usd_codes_per_second(member->layer) / to->stack->codes_per_second;
        offset = member->offset + member->scale * offset;
    }
    to->scale = node->scale * scale;
    to->offset = node->offset + node->scale * offset;
}

/* "FILE: /prim: reference to X" */
static const char *place_of(rlti_usd_composer *c, const rlti_usd_member *member, const rlti_usd_prim *prim,
                            const char *named, rlti_usd_arc_kind kind) {
    static const char *const words[] = {[RLTI_USD_INHERIT] = ": inherits ",
                                        [RLTI_USD_REFERENCE] = ": reference to ",
                                        [RLTI_USD_PAYLOAD] = ": payload of ",
                                        [RLTI_USD_SPECIALIZE] = ": specializes "};
    char *start = rlti_arena_join(c->arena, member->layer->file, ": ", prim->path);
    char *place = start != NULL ? rlti_arena_join(c->arena, start, words[kind], named) : NULL;
    return place != NULL ? place : rlti_usd_no_memory(c);
}

/* 1 when the arc may be followed. */
static int is_sound(rlti_usd_composer *c, const rlti_usd_node *node, const rlti_usd_node *like,
                    const char *path, const char *place) {
    for (const rlti_usd_node *n = node; n != NULL; n = n->parent)
        if (n->stack == like->stack &&
            (rlti_usd_has_prefix(n->path, path) || rlti_usd_has_prefix(path, n->path))) {
            report_cycle(c, node, n, place);
            return 0;
        }
    if (like->arcs <= ARCS_MAX && like->scale > 0.0 && isfinite(like->scale) && isfinite(like->offset))
        return 1;
    if (rlti_usd_may_warn(c)) {
        if (like->arcs > ARCS_MAX)
            rlti_warn(c->messages, "%s: more than %d references within references; the rest is left out",
                      place, ARCS_MAX);
        else
            rlti_warn(c->messages, "%s: its time scale must be > 0 and finite; left out", place);
    }
    return 0;
}

/* A place in a stack where no layer has anything: taken all the same, as in OpenUSD. */
static rlti_usd_node *empty_node(rlti_usd_composer *c, const rlti_usd_node *like, const char *path) {
    rlti_usd_node *made = rlti_usd_new_node(c, like->stack);
    if (made == NULL)
        return NULL;
    int *prims = made->prims;
    *made = *like;
    made->path = path;
    made->prims = prims;
    for (int i = 0; i < made->stack->count; i++)
        prims[i] = RLTI_USD_NO_PRIM;
    return made;
}

/* The target of an arc of `node`, written in one of its layers; NULL after a problem. */
static rlti_usd_node *follow(rlti_usd_composer *c, rlti_usd_node *node, const rlti_usd_member *member,
                             const rlti_usd_prim *prim, const rlti_usd_arc *arc, rlti_usd_arc_kind kind) {
    const char *place = place_of(c, member, prim, arc->asset[0] != '\0' ? arc->asset : arc->prim_path, kind);
    const rlti_usd_stack *stack = node->stack;
    if (place == NULL)
        return NULL;
    if (arc->asset[0] != '\0') {
        rlt_messages *messages = c->problems < RLTI_USD_PROBLEMS_MAX ? c->messages : NULL;
        rlt_status status =
            rlti_usd_layers_stack(c->layers, member->index, arc->asset, place, messages, &stack);
        c->problems += status != RLT_OK;
        if (status == RLT_FAILED)
            c->status = status;
        if (status != RLT_OK)
            return NULL;
    }
    const char *path = target_path(c, arc, stack, place);
    if (path == NULL)
        return NULL;
    rlti_usd_node like = {.parent = node, .kind = kind, .arcs = node->arcs + 1, .stack = stack};
    like.from = path;
    like.to = node->path;
    fit_times(node, member, arc, &like);
    if (!is_sound(c, node, &like, path, place))
        return NULL;
    int problems = c->problems;
    rlti_usd_node *made = rlti_usd_node_at(c, &like, path);
    if (made == NULL && problems == c->problems && c->status == RLT_OK && rlti_usd_may_warn(c))
        rlti_warn(c->messages, "%s: there is no prim <%s> in it; left out", place, path);
    return made != NULL ? made : empty_node(c, &like, path);
}

static int depth_of(const char *path) {
    int depth = 0;
    for (; *path != '\0'; path++)
        depth += *path == '/';
    return depth;
}

/* The class that a node's prim inherits or specializes; NULL where nothing can be said about it. */
static rlti_usd_node *follow_class(rlti_usd_composer *c, rlti_usd_node *node, const rlti_usd_member *member,
                                   const rlti_usd_prim *prim, const char *path, rlti_usd_arc_kind kind) {
    const char *place = place_of(c, member, prim, path, kind);
    rlti_usd_node like = {.parent = node,
                          .kind = kind,
                          .arcs = node->arcs + 1,
                          .stack = node->stack,
                          .from = path,
                          .to = node->path,
                          .offset = node->offset,
                          .scale = node->scale,
                          .origin = ++c->origins,
                          .depth = depth_of(node->path)};
    if (place == NULL || path[0] != '/' || path[1] == '\0' || !is_sound(c, node, &like, path, place) ||
        rlti_usd_has_site(node, node->stack, path))
        return NULL;
    rlti_usd_node *made = rlti_usd_node_at(c, &like, path);
    if (made != NULL || node->parent == NULL)
        return made;
    return empty_node(c, &like, path); /* no layer has it here, but files that reference this one may */
}

/* ---- the arcs of a node ---- */

static const rlti_usd_list *list_of(const rlti_usd_prim *prim, rlti_usd_arc_kind kind) {
    switch (kind) {
    case RLTI_USD_INHERIT:
        return prim->inherits;
    case RLTI_USD_REFERENCE:
        return prim->references;
    case RLTI_USD_PAYLOAD:
        return prim->payloads;
    default:
        return prim->specializes;
    }
}

typedef struct arc_context {
    rlti_usd_composer *c;
    const rlti_usd_layer *layer;
} arc_context;

/* Two references are the same where file, prim and times are. */
static int arc_key(void *context, const void *item, const char **key) {
    const arc_context *a = context;
    const rlti_usd_arc *arc = item;
    char times[64];
    if (arc->asset[0] == '\0' && arc->prim_path[0] == '\0')
        return 0;
    snprintf(times, sizeof times, "\n%.17g\n%.17g", arc->offset, arc->scale);
    const char *file = arc->asset;
    if (file[0] != '\0')
        file = rlti_usd_resolve(a->c->arena, a->layer->file, file);
    char *start = file != NULL ? rlti_arena_join(a->c->arena, file, "\n", arc->prim_path) : NULL;
    *key = start != NULL ? rlti_arena_join(a->c->arena, start, times, "") : NULL;
    return *key != NULL ? 1 : -1;
}

/* Arcs of one kind that the node's own opinions bring: what its layers, one after another, made of the list.
 */
static void add_arcs(rlti_usd_composer *c, rlti_usd_node *node, rlti_usd_arc_kind kind) {
    rlti_usd_edited list = {0};
    int is_class = rlti_usd_is_class(kind);
    for (int m = node->stack->count - 1; m >= 0; m--) {
        if (node->prims[m] < 0)
            continue;
        const rlti_usd_layer *layer = node->stack->members[m].layer;
        arc_context context = {c, layer};
        rlti_usd_keys keys =
            is_class ? rlti_usd_text_keys() : (rlti_usd_keys){arc_key, &context, sizeof(rlti_usd_arc), 0};
        keys.from = m;
        if (!rlti_usd_edit_list(c->arena, list_of(&layer->prims[node->prims[m]], kind), &keys, &list)) {
            rlti_usd_no_memory(c);
            return;
        }
    }
    for (int i = 0; i < list.count && c->status == RLT_OK; i++) {
        const rlti_usd_member *member = &node->stack->members[list.items[i].from];
        const rlti_usd_prim *prim = &member->layer->prims[node->prims[list.items[i].from]];
        rlti_usd_node *arc = is_class ? follow_class(c, node, member, prim, list.items[i].key, kind)
                                      : follow(c, node, member, prim, list.items[i].item, kind);
        if (arc != NULL)
            rlti_usd_insert_arc(node, arc);
    }
}

static int is_arc_of(const rlti_usd_node *node, const rlti_usd_node *parent) {
    for (const rlti_usd_node *arc = parent->first; arc != NULL; arc = arc->next)
        if (arc == node)
            return 1;
    return 0;
}

static int has_site(const rlti_usd_node *tree, const rlti_usd_stack *stack, const char *path) {
    if (tree->stack == stack && tree->kind != RLTI_USD_VARIANT && strcmp(tree->path, path) == 0)
        return 1;
    for (const rlti_usd_node *arc = tree->first; arc != NULL; arc = arc->next)
        if (has_site(arc, stack, path))
            return 1;
    return 0;
}

int rlti_usd_has_site(const rlti_usd_node *node, const rlti_usd_stack *stack, const char *path) {
    for (; node != NULL; node = node->parent) /* a tree that is being made is not below its parent yet */
        if ((node->parent == NULL || !is_arc_of(node, node->parent)) && has_site(node, stack, path))
            return 1;
    return 0;
}

/* Adds arcs of one kind (and payloads with references) to a node and those below it, strongest first. Classes
 * of one node at a time: returns 1 where there may be more. */
static int expand_kind(rlti_usd_composer *c, rlti_usd_node *node, rlti_usd_arc_kind kind) {
    if (c->status != RLT_OK)
        return 0;
    if (node->has_prims && !(node->expanded & 1 << kind)) {
        node->expanded |= 1 << kind;
        add_arcs(c, node, kind);
        if (kind == RLTI_USD_REFERENCE)
            add_arcs(c, node, RLTI_USD_PAYLOAD);
        else
            return 1;
    }
    for (rlti_usd_node *arc = node->first; arc != NULL; arc = arc->next)
        if (expand_kind(c, arc, kind))
            return 1;
    return 0;
}

static int imply_below(rlti_usd_composer *c, const rlti_usd_node *node) {
    int added = 0;
    for (rlti_usd_node *arc = node->first; arc != NULL && c->status == RLT_OK; arc = arc->next)
        added += rlti_usd_imply_classes(c, arc);
    return added > 0;
}

/* In the order of OpenUSD, on which it depends what is there already when a class is to be added. */
void rlti_usd_expand(rlti_usd_composer *c, rlti_usd_node *node) {
    do {
        expand_kind(c, node, RLTI_USD_REFERENCE);
    } while (c->status == RLT_OK && (expand_kind(c, node, RLTI_USD_INHERIT) || imply_below(c, node) ||
                                     expand_kind(c, node, RLTI_USD_SPECIALIZE)));
}

void rlti_usd_settle(rlti_usd_composer *c, rlti_usd_node *node) {
    do {
        rlti_usd_expand(c, node);
    } while (c->status == RLT_OK && rlti_usd_add_variant(c, node));
}
