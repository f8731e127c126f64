/* Arcs that are written: references, payloads, classes, relocates. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/messages.h"
#include "formats/usd/usd_node.h"

enum { ARCS_MAX = 64 }; /* references within references */

/* ---- what an arc leads to ---- */

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

/* The node above, which may be in the tree that this one is made for. */
static const rlti_usd_node *up(const rlti_usd_frame **f, const rlti_usd_node *node) {
    if (node->parent != NULL || (*f)->outer == NULL)
        return node->parent;
    node = (*f)->from;
    *f = (*f)->outer;
    return node;
}

/* The first node above in all trees at which an arc would come to where it has been; NULL: none. */
static const rlti_usd_node *find_cycle(const rlti_usd_frame *f, const rlti_usd_node *node,
                                       const rlti_usd_stack *stack, const char *path) {
    for (; node != NULL; node = up(&f, node))
        if (node->stack == stack &&
            (rlti_usd_has_prefix(node->path, path) || rlti_usd_has_prefix(path, node->path)))
            return node;
    return NULL;
}

int rlti_usd_leads_back(const rlti_usd_frame *f, const rlti_usd_node *node, const rlti_usd_stack *stack,
                        const char *path) {
    return find_cycle(f, node, stack, path) != NULL;
}

/* "a.usda</A> -> b.usda</B> -> ..." from the first node of the circle. */
static void report_cycle(const rlti_usd_frame *f, const rlti_usd_node *like, const char *place) {
    rlti_usd_composer *c = f->c;
    const rlti_usd_node *first = find_cycle(f, like->parent, like->stack, like->path);
    const char *text = "";
    if (!rlti_usd_may_warn(c))
        return;
    for (const rlti_usd_node *n = like->parent; n != NULL && text != NULL;) {
        char *one = rlti_arena_join(c->arena, n->stack->members[0].layer->file, "<", n->path);
        text = one != NULL ? rlti_arena_join(c->arena, one, "> -> ", text) : NULL;
        if (n == first)
            break;
        n = up(&f, n);
    }
    rlti_warn(c->messages, "%s: forms a cycle: %sthere again; left out", place, text != NULL ? text : "");
}

/* 1 when the arc may be followed. */
static int is_sound(const rlti_usd_frame *f, const rlti_usd_node *like, const char *place) {
    rlti_usd_composer *c = f->c;
    if (find_cycle(f, like->parent, like->stack, like->path) != NULL) {
        report_cycle(f, like, place);
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

static int has_prims(const rlti_usd_node *node) {
    int has = node->has_prims;
    for (const rlti_usd_node *arc = node->first; arc != NULL && !has; arc = arc->next)
        has = has_prims(arc);
    return has;
}

/* Adds a reference or payload of `node`, written in one of its layers. */
static void follow(rlti_usd_frame *f, rlti_usd_node *node, const rlti_usd_member *member,
                   const rlti_usd_prim *prim, const rlti_usd_arc *arc, rlti_usd_arc_kind kind, int number) {
    rlti_usd_composer *c = f->c;
    const char *place = place_of(c, member, prim, arc->asset[0] != '\0' ? arc->asset : arc->prim_path, kind);
    const rlti_usd_stack *stack = node->stack;
    if (place == NULL)
        return;
    if (arc->asset[0] != '\0') {
        rlt_messages *messages = c->problems < RLTI_USD_PROBLEMS_MAX ? c->messages : NULL;
        rlt_status status =
            rlti_usd_layers_stack(c->layers, member->index, arc->asset, place, messages, &stack);
        c->problems += status != RLT_OK;
        if (status == RLT_FAILED)
            c->status = status;
        if (status != RLT_OK)
            return;
    }
    const char *path = target_path(c, arc, stack, place);
    if (path == NULL)
        return;
    rlti_usd_new_arc new = {.like = {.parent = node,
                                     .origin = node,
                                     .kind = kind,
                                     .arcs = node->arcs + 1,
                                     .stack = stack,
                                     .path = path,
                                     .place = path,
                                     .depth = rlti_usd_depth(node->path),
                                     .number = number},
                            .has_parents = !rlti_usd_is_root_path(path)};
    fit_times(node, member, arc, &new.like);
    if (!rlti_usd_map_one(c->arena, path, node->path, 0, &new.like.map))
        rlti_usd_no_memory(c);
    if (c->status != RLT_OK || !is_sound(f, &new.like, place))
        return;
    int problems = c->problems;
    rlti_usd_node *made = rlti_usd_add_arc(f, &new);
    if (problems == c->problems && c->status == RLT_OK && (made == NULL || !has_prims(made)) &&
        rlti_usd_may_warn(c))
        rlti_warn(c->messages, "%s: there is no prim <%s> in it; left out", place, path);
}

/* Adds a class that a node's prim inherits or specializes. */
static void follow_class(rlti_usd_frame *f, rlti_usd_node *node, const rlti_usd_member *member,
                         const rlti_usd_prim *prim, const char *path, rlti_usd_arc_kind kind, int number) {
    const char *place = place_of(f->c, member, prim, path, kind);
    rlti_usd_map map;
    if (place == NULL || path[0] != '/' || path[1] == '\0')
        return;
    rlti_usd_node like = {
        .parent = node, .stack = node->stack, .path = path, .arcs = node->arcs + 1, .scale = node->scale};
    if (!is_sound(f, &like, place))
        return;
    if (!rlti_usd_map_one(f->c->arena, path, node->path, 1, &map))
        rlti_usd_no_memory(f->c);
    else
        rlti_usd_add_class(f, node, node, &map, kind, number);
}

/* Adds what references bring to another path of the stack, at the path that it is moved to. */
void rlti_usd_add_relocated(rlti_usd_frame *f, rlti_usd_node *node) {
    rlti_usd_composer *c = f->c;
    for (int i = 0; i < node->stack->relocate_count && !c->stays_put; i++) {
        const char *source = node->stack->relocates[i].source;
        if (strcmp(node->stack->relocates[i].target, node->path) != 0 || node->arcs >= ARCS_MAX)
            continue;
        rlti_usd_new_arc new = {.like = {.parent = node,
                                         .origin = node,
                                         .kind = RLTI_USD_RELOCATED,
                                         .arcs = node->arcs + 1,
                                         .stack = node->stack,
                                         .path = source,
                                         .place = source,
                                         .offset = node->offset,
                                         .scale = node->scale,
                                         .depth = rlti_usd_depth(node->path)},
                                .has_parents = 1};
        if (!rlti_usd_map_one(c->arena, source, node->path, 1, &new.like.map))
            rlti_usd_no_memory(c);
        c->stays_put++;
        rlti_usd_node *moved = rlti_usd_add_arc(f, &new);
        c->stays_put--;
        for (int k = 0; moved != NULL && k < moved->stack->count; k++)
            moved->prims[k] = RLTI_USD_NO_PRIM; /* what the stack itself says there counts for nothing */
        if (moved != NULL)
            moved->has_prims = 0;
    }
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

void rlti_usd_add_arcs(rlti_usd_frame *f, rlti_usd_node *node, rlti_usd_arc_kind kind) {
    rlti_usd_composer *c = f->c;
    rlti_usd_edited list = {0};
    int is_class = kind == RLTI_USD_INHERIT || kind == RLTI_USD_SPECIALIZE;
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
        if (is_class)
            follow_class(f, node, member, prim, list.items[i].key, kind, i);
        else
            follow(f, node, member, prim, list.items[i].item, kind, i);
    }
}
