/* Each prim of the stage has a small tree of nodes: the root stack, below it what it inherits, references and
 * so on, below that what those bring (usd_arcs.c, usd_classes.c, usd_variants.c). Here trees become prims. */
#include <string.h>

#include "base/list.h"
#include "base/memory.h"
#include "base/messages.h"
#include "formats/usd/usd_names.h"
#include "formats/usd/usd_node.h"

enum { DEPTH_MAX = 256 }; /* of prims */

/* ---- opinions ---- */

static int count_sites(const rlti_usd_node *node) {
    int count = 0;
    for (int i = 0; i < node->stack->count && !node->is_silent; i++)
        count += node->prims[i] >= 0;
    for (const rlti_usd_node *arc = node->first; arc != NULL; arc = arc->next)
        count += count_sites(arc);
    return count;
}

static rlti_usd_site *put_sites(rlti_usd_node *node, rlti_usd_site *to) {
    for (int i = 0; i < node->stack->count && !node->is_silent; i++) {
        const rlti_usd_member *m = &node->stack->members[i];
        if (node->prims[i] >= 0)
            *to++ = (rlti_usd_site){m->layer, &m->layer->prims[node->prims[i]],
                                    node->offset + node->scale * m->offset, node->scale * m->scale, node};
    }
    for (rlti_usd_node *arc = node->first; arc != NULL; arc = arc->next)
        to = put_sites(arc, to);
    return to;
}

/* Opinions about a node's prim, strongest first; NULL when out of memory. */
static rlti_usd_site *list_sites(rlti_usd_composer *c, rlti_usd_node *node, int *count) {
    *count = count_sites(node);
    rlti_usd_site *sites = rlti_arena_keep(c->arena, (size_t)*count, sizeof *sites);
    if (sites == NULL)
        return rlti_usd_no_memory(c);
    put_sites(node, sites);
    return sites;
}

/* ---- prims ---- */

/* 1 when any arc was written on the prim itself, in whatever layer, so that what is below it can be shared.
 */
static int has_own_arcs(const rlti_usd_node *node) {
    for (const rlti_usd_node *arc = node->first; arc != NULL; arc = arc->next)
        if ((arc->below == 0 && rlti_usd_speaks(arc)) || has_own_arcs(arc))
            return 1;
    return 0;
}

/* All below an instance comes from its own arcs alone: opinions of the root stack about prims below it,
 * and of what its parents reference, count for nothing. */
static void share(rlti_usd_node *node) {
    for (int i = 0; i < node->stack->count; i++)
        node->prims[i] = RLTI_USD_NO_PRIM;
    for (rlti_usd_node *arc = node->first; arc != NULL; arc = arc->next)
        if (arc->below > 0)
            share(arc);
}

/* A class that is inherited (not one that is specialized) does not make a class of what inherits it, but
 * classes within it do. */
static int is_class_itself(const rlti_usd_site *site) {
    if (site->prim->specifier != RLTI_USD_CLASS)
        return 0;
    for (const rlti_usd_node *n = site->node; n != NULL; n = n->parent)
        if (n->kind == RLTI_USD_INHERIT)
            return n->below == 0;
    return 0;
}

/* Adds the prim to the list: 1 when it is there to be seen (and so its children). */
static int add_prim(rlti_usd_composer *c, rlti_usd_node *node, const char *name, int parent) {
    int count;
    const rlti_usd_site *sites = list_sites(c, node, &count);
    if (sites == NULL)
        return 0;
    rlti_usd_specifier specifier = RLTI_USD_OVER;
    rlti_usd_flag active = RLTI_USD_UNSAID, instanceable = RLTI_USD_UNSAID;
    const char *type_name = "";
    for (int i = 0; i < count; i++) {
        if (active == RLTI_USD_UNSAID)
            active = sites[i].prim->active;
        if (instanceable == RLTI_USD_UNSAID)
            instanceable = sites[i].prim->instanceable;
        if (specifier == RLTI_USD_OVER && !is_class_itself(&sites[i]))
            specifier = sites[i].prim->specifier;
        if (type_name[0] == '\0')
            type_name = sites[i].prim->type_name;
    }
    if (specifier != RLTI_USD_DEF || active == RLTI_USD_FALSE)
        return 0;
    if (!RLTI_LIST_RESERVE(c->made->prims, c->made->count, 1, c->capacity)) {
        rlti_usd_no_memory(c);
        return 0;
    }
    c->made->prims[c->made->count++] =
        (rlti_usd_composed_prim){node->path, name, type_name, parent, count, sites};
    if (instanceable == RLTI_USD_TRUE && has_own_arcs(node))
        share(node);
    return 1;
}

/* ---- children ---- */

static int count_children(const rlti_usd_composer *c, const rlti_usd_node *node) {
    int count = node->stack->relocate_count;
    for (const rlti_usd_node *arc = node->first; arc != NULL; arc = arc->next)
        count += count_children(c, arc);
    for (int m = 0; m < node->stack->count; m++)
        if (node->prims[m] != RLTI_USD_NO_PRIM)
            for (int i = rlti_usd_layers_first(c->layers, node->stack->members[m].index, node->prims[m]);
                 i >= 0; i = rlti_usd_layers_next(c->layers, node->stack->members[m].index, i))
                count++;
    return count;
}

/* Names of prims that relocates move below this one. */
static void put_relocated(const rlti_usd_node *node, rlti_usd_names *to) {
    size_t length = strcmp(node->path, "/") == 0 ? 0 : strlen(node->path);
    for (int i = 0; i < node->stack->relocate_count; i++) {
        const char *target = node->stack->relocates[i].target;
        if (strncmp(target, node->path, length) == 0 && target[length] == '/' &&
            strchr(target + length + 1, '/') == NULL && target[length + 1] != '\0')
            rlti_usd_names_put(to, target + length + 1);
    }
}

/* The first arcs of a node, and how many; *rest is the first of those beyond 64, more than anyone writes. */
enum { ARCS_LISTED = 64 };
static int list_arcs(const rlti_usd_node *node, const rlti_usd_node *arcs[ARCS_LISTED],
                     const rlti_usd_node **rest) {
    int count = 0;
    const rlti_usd_node *arc = node->first;
    for (; arc != NULL && count < ARCS_LISTED; arc = arc->next)
        arcs[count++] = arc;
    *rest = arc;
    return count;
}

/* Names of a prim's children in all its layers, in the order of the weakest layer that has them. */
static void put_names(const rlti_usd_composer *c, const rlti_usd_node *node, rlti_usd_names *to) {
    const rlti_usd_node *arcs[ARCS_LISTED], *rest;
    int count = list_arcs(node, arcs, &rest);
    for (; rest != NULL; rest = rest->next)
        put_names(c, rest, to);
    while (count-- > 0)
        put_names(c, arcs[count], to);
    for (int m = node->stack->count - 1; m >= 0 && !node->is_silent; m--) {
        int index = node->stack->members[m].index;
        if (node->prims[m] == RLTI_USD_NO_PRIM)
            continue;
        for (int i = rlti_usd_layers_first(c->layers, index, node->prims[m]); i >= 0;
             i = rlti_usd_layers_next(c->layers, index, i))
            rlti_usd_names_put(to, rlti_usd_layers_get(c->layers, index)->prims[i].name);
    }
    put_relocated(node, to);
}

static void compose_children(rlti_usd_composer *c, rlti_usd_node *node, int parent, int depth) {
    rlti_usd_names to;
    int maximum = count_children(c, node);
    if (maximum == 0)
        return;
    if (depth > DEPTH_MAX) {
        c->status = rlti_refuse(c->messages, "%s: %s: prims nested deeper than %d",
                                node->stack->members[0].layer->file, node->path, DEPTH_MAX);
        return;
    }
    if (!rlti_usd_names_create(&to, maximum))
        rlti_usd_no_memory(c);
    else
        put_names(c, node, &to);
    for (int i = 0; i < to.count && c->status == RLT_OK; i++) {
        rlti_usd_node *child = rlti_usd_child_tree(c, node, to.list[i]);
        if (child != NULL && add_prim(c, child, to.list[i], parent))
            compose_children(c, child, c->made->count - 1, depth + 1);
    }
    rlti_usd_names_free(&to);
}

/* Reports choices that no prim has. */
static void report_choices(const rlti_usd_composer *c) {
    for (int i = 0; c->choices != NULL && i < c->choices->count; i++) {
        const rlti_usd_selection *choice = &c->choices->list[i];
        if (c->choices->met[i] == 0)
            rlti_warn(c->messages, "%s: variant %s=%s: no prim has a variant set '%s'",
                      rlti_usd_layers_get(c->layers, 0)->file, choice->set, choice->variant, choice->set);
        else if (c->choices->met[i] == RLTI_USD_CHOICE_MISSED)
            rlti_warn(c->messages, "%s: variant %s=%s: the set '%s' has no variant '%s'",
                      rlti_usd_layers_get(c->layers, 0)->file, choice->set, choice->variant, choice->set,
                      choice->variant);
    }
}

rlt_status rlti_usd_compose(rlti_usd_layers *layers, rlti_usd_choices *choices, rlti_arena *arena,
                            rlt_messages *messages, rlti_usd_composition *made) {
    *made = (rlti_usd_composition){0};
    const rlti_usd_stack *stack;
    rlt_status status = rlti_usd_layers_root(layers, messages, &stack);
    if (status != RLT_OK)
        return status;
    rlti_usd_composer c = {
        .layers = layers, .arena = arena, .messages = messages, .made = made, .choices = choices};
    rlti_usd_node *root = rlti_usd_new_node(&c, stack);
    if (root != NULL) {
        root->path = root->place = "/";
        root->scale = 1.0;
        for (int i = 0; i < stack->count; i++)
            root->prims[i] = RLTI_USD_ROOT_PRIM;
        compose_children(&c, root, -1, 1);
    }
    if (c.problems > RLTI_USD_PROBLEMS_MAX && c.status == RLT_OK)
        rlti_message(messages, RLT_NOTE, "%s: %d further problems like these are not listed",
                     rlti_usd_layers_get(layers, 0)->file, c.problems - RLTI_USD_PROBLEMS_MAX);
    if (c.status == RLT_OK)
        report_choices(&c);
    else
        rlti_usd_composition_free(made);
    return c.status;
}

void rlti_usd_composition_free(rlti_usd_composition *composition) {
    rlti_free(composition->prims);
    *composition = (rlti_usd_composition){0};
}

/* ---- paths ---- */

/* Where relocates of a stack put a path: that with the longest source counts. */
static const char *relocated(rlti_arena *arena, const rlti_usd_stack *stack, const char *path) {
    const rlti_usd_relocate *found = NULL;
    for (int i = 0; i < stack->relocate_count; i++) {
        const rlti_usd_relocate *r = &stack->relocates[i];
        if (rlti_usd_has_prefix(path, r->source) && r->target[0] != '\0' &&
            (found == NULL || strlen(r->source) > strlen(found->source)))
            found = r;
    }
    return found == NULL ? path : rlti_arena_join(arena, found->target, path + strlen(found->source), "");
}

int rlti_usd_map_to_root(rlti_arena *arena, const rlti_usd_node *node, rlti_usd_map *map) {
    *map = node->map;
    for (const rlti_usd_node *n = node->parent; n != NULL && n->parent != NULL; n = n->parent) {
        rlti_usd_map inner = *map;
        if (!rlti_usd_map_join(arena, &n->map, &inner, map))
            return 0;
    }
    return 1;
}

/* 1 where relocates may change a path on its way up. */
static int has_relocates(const rlti_usd_node *node) {
    for (; node != NULL; node = node->parent)
        if (node->stack->relocate_count > 0)
            return 1;
    return 0;
}

/* Relocates count between one arc and the next. */
static const char *map_by_steps(rlti_arena *arena, const rlti_usd_node *node, const char *path) {
    for (const rlti_usd_node *n = node; n != NULL && path != NULL; n = n->parent) {
        if (n->parent == NULL || n->kind == RLTI_USD_VARIANT)
            continue;
        path = rlti_usd_map_forth(arena, &n->map, path);
        if (path != NULL)
            path = relocated(arena, n->parent->stack, path);
    }
    return path;
}

const char *rlti_usd_map_path(rlti_arena *arena, const rlti_usd_site *site, const char *path) {
    rlti_usd_node *node = site->node;
    if (node->parent == NULL)
        return path;
    if (has_relocates(node))
        return map_by_steps(arena, node, path);
    if (!node->has_whole && !rlti_usd_map_to_root(arena, node, &node->whole))
        return NULL;
    node->has_whole = 1;
    return rlti_usd_map_forth(arena, &node->whole, path);
}
