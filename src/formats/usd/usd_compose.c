/* Each prim of the stage has a small tree of nodes: the root stack, below it what it references, below that
 * what those reference. A child's tree is the parent's with a name added to every path, plus the arcs that
 * the child's own opinions bring. Nodes without opinions go at once: where a layer has no prim it has nothing
 * below either. */
#include "formats/usd/usd_compose.h"

#include <math.h>
#include <string.h>

#include "base/list.h"
#include "base/memory.h"
#include "base/messages.h"
#include "formats/usd/usd_names.h"

enum {
    DEPTH_MAX = 256, /* of prims */
    ARCS_MAX = 64,   /* references within references */
    NODES_MIN = 20000,
    NODES_PER_SPEC = 100, /* a layer of n prims may be referenced many times, but not without end */
    NO_PRIM = -2,         /* a layer has nothing at a path */
    ROOT_PRIM = -1        /* "/" of any layer */
};

struct rlti_usd_node {
    rlti_usd_node *parent; /* whose arc leads here; NULL: the root stack */
    rlti_usd_node *first;  /* arcs from here, strongest first */
    rlti_usd_node *next;
    int is_payload;
    int arcs; /* from the root stack to here */
    const rlti_usd_stack *stack;
    const char *path;      /* in the stack */
    const char *from, *to; /* prefix of paths here -> in the parent; NULL at the root */
    double offset, scale;  /* time of the stage = scale * time of the stack + offset */
    int *prims;            /* [stack->count] index in each layer, or NO_PRIM */
    int has_prims;
};

typedef struct composer {
    rlti_usd_layers *layers;
    rlti_arena *arena;
    rlt_messages *messages;
    rlti_usd_composition *made;
    int capacity;
    size_t nodes;
    int problems;
    rlt_status status; /* the first failure; memory failures end at once */
} composer;

static int is_stopped(const composer *c) {
    return c->status == RLT_FAILED || c->problems >= RLTI_USD_PROBLEMS_MAX;
}

static void problem(composer *c, rlt_status status) {
    c->problems++;
    if (c->status == RLT_OK || status == RLT_FAILED)
        c->status = status;
}

static void *no_memory(composer *c) {
    problem(c, rlti_out_of_memory(c->messages));
    return NULL;
}

static rlti_usd_node *new_node(composer *c, const rlti_usd_stack *stack) {
    size_t limit = NODES_MIN + NODES_PER_SPEC * rlti_usd_layers_specs(c->layers);
    if (++c->nodes > limit) {
        if (!is_stopped(c)) {
            rlti_refuse(
                c->messages,
                "%s: references within references give more than %zu prims; flatten or split the file",
                rlti_usd_layers_get(c->layers, 0)->file, limit);
            c->problems = RLTI_USD_PROBLEMS_MAX;
            c->status = c->status == RLT_OK ? RLT_BAD_INPUT : c->status;
        }
        return NULL;
    }
    rlti_usd_node *node = rlti_arena_keep(c->arena, 1, sizeof *node);
    int *prims = rlti_arena_keep(c->arena, (size_t)stack->count, sizeof *prims);
    if (node == NULL || prims == NULL)
        return no_memory(c);
    node->stack = stack;
    node->prims = prims;
    return node;
}

/* ---- children and arcs ---- */

static const char *join_path(composer *c, const char *path, const char *name) {
    return rlti_arena_join(c->arena, strcmp(path, "/") == 0 ? "" : path, "/", name);
}

/* The node one name further; NULL when neither it nor anything below it has opinions. */
static rlti_usd_node *child_of(composer *c, const rlti_usd_node *node, rlti_usd_node *parent,
                               const char *name) {
    rlti_usd_node *made = new_node(c, node->stack);
    if (made == NULL)
        return NULL;
    int *prims = made->prims;
    *made = *node;
    made->prims = prims;
    made->parent = parent;
    made->first = made->next = NULL;
    made->has_prims = 0;
    made->path = join_path(c, node->path, name);
    if (made->path == NULL)
        return no_memory(c);
    for (int i = 0; i < node->stack->count; i++) {
        int index =
            node->prims[i] == NO_PRIM
                ? -1
                : rlti_usd_layers_child(c->layers, node->stack->members[i].index, node->prims[i], name);
        prims[i] = index >= 0 ? index : NO_PRIM;
        made->has_prims |= index >= 0;
    }
    rlti_usd_node **end = &made->first;
    for (const rlti_usd_node *arc = node->first; arc != NULL; arc = arc->next) {
        *end = child_of(c, arc, made, name);
        if (*end != NULL)
            end = &(*end)->next;
    }
    return made->has_prims || made->first != NULL ? made : NULL;
}

static int has_prefix(const char *path, const char *prefix) {
    size_t length = strlen(prefix);
    return strncmp(path, prefix, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

/* "a.usda</A> -> b.usda</B> -> ..." from the first node of the circle. */
static void report_cycle(composer *c, const rlti_usd_node *from, const rlti_usd_node *first,
                         const char *place) {
    const char *text = "";
    for (const rlti_usd_node *n = from; n != NULL && text != NULL; n = n == first ? NULL : n->parent) {
        const char *name = n->stack->members[0].layer->file;
        char *one = rlti_arena_join(c->arena, name, "<", n->path);
        one = one != NULL ? rlti_arena_join(c->arena, one, "> -> ", text) : NULL;
        text = one;
    }
    problem(c, rlti_refuse(c->messages, "%s: forms a cycle: %sthere again", place, text != NULL ? text : ""));
}

static void expand(composer *c, rlti_usd_node *node);

/* The node of a path in a stack, with all the arcs its parents bring. */
static rlti_usd_node *node_at(composer *c, const rlti_usd_node *like, const char *path) {
    rlti_usd_node *at = new_node(c, like->stack);
    if (at == NULL)
        return NULL;
    int *prims = at->prims;
    *at = *like;
    at->prims = prims;
    at->path = "/";
    for (int i = 0; i < at->stack->count; i++)
        prims[i] = ROOT_PRIM;
    while (at != NULL && *path == '/' && path[1] != '\0') {
        size_t length = strcspn(path + 1, "/");
        char *name = rlti_arena_text(c->arena, path + 1, length);
        if (name == NULL)
            return no_memory(c);
        at = child_of(c, at, like->parent, name);
        if (at != NULL)
            expand(c, at);
        path += 1 + length;
    }
    return at;
}

/* "/A/B" without an end slash, or NULL where it is no path of a prim. */
static const char *target_path(composer *c, const rlti_usd_arc *arc, const rlti_usd_stack *stack,
                               const char *place) {
    const rlti_usd_layer *layer = stack->members[0].layer;
    const char *path = arc->prim_path;
    if (path[0] == '\0') {
        if (layer->default_prim[0] == '\0') {
            problem(c, rlti_refuse(c->messages, "%s: %s has no default prim; name one", place, layer->file));
            return NULL;
        }
        path = layer->default_prim;
        if (path[0] != '/') {
            path = rlti_arena_join(c->arena, "/", path, "");
            return path != NULL ? path : no_memory(c);
        }
    }
    if (path[0] != '/' || path[1] == '\0' || strpbrk(path, "{}.") != NULL) {
        problem(c, rlti_refuse(c->messages, "%s: '%s' is no path of a prim", place, path));
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

/* The target of an arc of `node`, written in one of its layers; NULL after a problem. */
static rlti_usd_node *follow(composer *c, rlti_usd_node *node, const rlti_usd_member *member,
                             const rlti_usd_prim *prim, const rlti_usd_arc *arc, int is_payload) {
    const char *what = is_payload ? ": payload of " : ": reference to ";
    const char *named = arc->asset[0] != '\0' ? arc->asset : arc->prim_path;
    char *start = rlti_arena_join(c->arena, member->layer->file, ": ", prim->path);
    char *place = start != NULL ? rlti_arena_join(c->arena, start, what, named) : NULL;
    const rlti_usd_stack *stack = node->stack;
    if (place == NULL)
        return no_memory(c);
    if (arc->asset[0] != '\0') {
        rlt_status status =
            rlti_usd_layers_stack(c->layers, member->index, arc->asset, place, c->messages, &stack);
        if (status != RLT_OK) {
            problem(c, status);
            return NULL;
        }
    }
    const char *path = target_path(c, arc, stack, place);
    if (path == NULL)
        return NULL;
    for (const rlti_usd_node *n = node; n != NULL; n = n->parent)
        if (n->stack == stack && (has_prefix(n->path, path) || has_prefix(path, n->path))) {
            report_cycle(c, node, n, place);
            return NULL;
        }
    rlti_usd_node like = {.parent = node, .is_payload = is_payload, .arcs = node->arcs + 1, .stack = stack};
    like.from = path;
    like.to = node->path;
    fit_times(node, member, arc, &like);
    if (like.arcs > ARCS_MAX || !(like.scale > 0.0) || !isfinite(like.scale) || !isfinite(like.offset)) {
        problem(c,
                rlti_refuse(
                    c->messages,
                    like.arcs > ARCS_MAX
                        ? "%s: more than %d references within references; flatten the file: usdcat --flatten"
                        : "%s: its time scale must be > 0 and finite",
                    place, ARCS_MAX));
        return NULL;
    }
    int problems = c->problems;
    rlti_usd_node *made = node_at(c, &like, path);
    if (made == NULL && problems == c->problems && !is_stopped(c))
        problem(c, rlti_refuse(c->messages, "%s: there is no prim <%s> in it", place, path));
    return made;
}

/* 1 when a stronger layer of the stack has this arc already. */
static int is_repeated(const rlti_usd_node *node, int member, const rlti_usd_arc *arc, int is_payload) {
    for (int m = 0; m < member; m++) {
        if (node->prims[m] < 0)
            continue;
        const rlti_usd_prim *prim = &node->stack->members[m].layer->prims[node->prims[m]];
        int count = is_payload ? prim->payload_count : prim->reference_count;
        const rlti_usd_arc *list = is_payload ? prim->payloads : prim->references;
        for (int i = 0; i < count; i++)
            if (strcmp(list[i].asset, arc->asset) == 0 && strcmp(list[i].prim_path, arc->prim_path) == 0)
                return 1;
    }
    return 0;
}

/* The arcs that the node's own opinions bring, before those of its parents that are of the same kind. */
static void add_arcs(composer *c, rlti_usd_node *node, int is_payload) {
    rlti_usd_node **at = &node->first;
    while (is_payload && *at != NULL && !(*at)->is_payload)
        at = &(*at)->next;
    for (int m = 0; m < node->stack->count && !is_stopped(c); m++) {
        if (node->prims[m] < 0)
            continue;
        const rlti_usd_member *member = &node->stack->members[m];
        const rlti_usd_prim *prim = &member->layer->prims[node->prims[m]];
        int count = is_payload ? prim->payload_count : prim->reference_count;
        const rlti_usd_arc *list = is_payload ? prim->payloads : prim->references;
        for (int i = 0; i < count && !is_stopped(c); i++) {
            if (is_repeated(node, m, &list[i], is_payload) ||
                (list[i].asset[0] == '\0' && list[i].prim_path[0] == '\0'))
                continue;
            rlti_usd_node *arc = follow(c, node, member, prim, &list[i], is_payload);
            if (arc != NULL) {
                arc->next = *at;
                *at = arc;
                at = &arc->next;
            }
        }
    }
}

static void expand(composer *c, rlti_usd_node *node) {
    for (rlti_usd_node *arc = node->first; arc != NULL && !is_stopped(c); arc = arc->next)
        expand(c, arc);
    if (!node->has_prims || is_stopped(c))
        return;
    add_arcs(c, node, 0);
    add_arcs(c, node, 1);
}

/* ---- prims ---- */

static int count_sites(const rlti_usd_node *node) {
    int count = 0;
    for (int i = 0; i < node->stack->count; i++)
        count += node->prims[i] >= 0;
    for (const rlti_usd_node *arc = node->first; arc != NULL; arc = arc->next)
        count += count_sites(arc);
    return count;
}

static rlti_usd_site *put_sites(const rlti_usd_node *node, rlti_usd_site *to) {
    for (int i = 0; i < node->stack->count; i++) {
        const rlti_usd_member *m = &node->stack->members[i];
        if (node->prims[i] >= 0)
            *to++ = (rlti_usd_site){m->layer, &m->layer->prims[node->prims[i]],
                                    node->offset + node->scale * m->offset, node->scale * m->scale, node};
    }
    for (const rlti_usd_node *arc = node->first; arc != NULL; arc = arc->next)
        to = put_sites(arc, to);
    return to;
}

static int member_of(const rlti_usd_node *node, const rlti_usd_layer *layer) {
    for (int i = 0; i < node->stack->count; i++)
        if (node->stack->members[i].layer == layer)
            return i;
    return -1;
}

/* The prim of a path in one layer, or -1. */
static int find_path(composer *c, int layer, const char *path) {
    int prim = ROOT_PRIM;
    while (*path == '/' && path[1] != '\0') {
        size_t length = strcspn(path + 1, "/");
        char *name = rlti_arena_text(c->arena, path + 1, length);
        prim = name != NULL ? rlti_usd_layers_child(c->layers, layer, prim, name) : -1;
        if (prim < 0)
            return -1;
        path += 1 + length;
    }
    return prim;
}

/* 1 when any of the paths leads to a prim that says something. */
static int leads_somewhere(composer *c, const rlti_usd_node *node, const char *const *paths, int count) {
    if (paths == NULL)
        return 1;
    for (int p = 0; p < count; p++)
        for (int m = 0; m < node->stack->count; m++) {
            int layer = node->stack->members[m].index, prim = find_path(c, layer, paths[p]);
            if (prim < 0)
                continue;
            const rlti_usd_prim *target = &node->stack->members[m].layer->prims[prim];
            if (target->property_count > 0 || target->reference_count > 0 || target->payload_count > 0 ||
                target->variant_set_count > 0 || target->type_name[0] != '\0' ||
                rlti_usd_layers_first(c->layers, layer, prim) >= 0)
                return 1;
        }
    return 0;
}

/* usdcat --flatten itself leaves instances, as references to prims it names so. */
static int is_flattened_instance(const rlti_usd_prim *prim) {
    if (prim->payload_count > 0)
        return 0;
    for (int i = 0; i < prim->reference_count; i++)
        if (prim->references[i].asset[0] != '\0' ||
            strncmp(prim->references[i].prim_path, "/Flattened_", 11) != 0)
            return 0;
    return 1;
}

/* Types of materials: what they look like is nothing hair needs, so that what is not composed there is only
 * left out. */
static int is_shading(const char *type_name) {
    return strcmp(type_name, "Material") == 0 || strcmp(type_name, "Shader") == 0 ||
           strcmp(type_name, "NodeGraph") == 0;
}

/* The site that makes the prim an instance: the strongest that says anything, where it says so and any site
 * has arcs to share; else NULL. */
static const rlti_usd_site *instancing_site(const rlti_usd_site *sites, int count) {
    const rlti_usd_site *found = NULL;
    int shares = 0;
    for (int i = 0; i < count; i++) {
        const rlti_usd_prim *prim = sites[i].prim;
        if (found == NULL && prim->instanceable != RLTI_USD_UNSAID)
            found = &sites[i];
        shares |= (prim->reference_count > 0 || prim->payload_count > 0) && !is_flattened_instance(prim);
    }
    return shares && found != NULL && found->prim->instanceable == RLTI_USD_TRUE ? found : NULL;
}

/* Refuses what is not composed, once for each prim of a layer. */
static void refuse(composer *c, const rlti_usd_site *site, int is_instance, const char *type_name) {
    const rlti_usd_prim *prim = site->prim;
    char what[256] = "";
    if (prim->variant_set_count > 0) {
        const char *name = prim->variant_set != NULL ? prim->variant_set : "";
        size_t length = strlen(name) < 100 ? strlen(name) : 100;
        memcpy(what, "variants (set '", 15);
        memcpy(what + 15, name, length);
        memcpy(what + 15 + length, "')", 3);
    } else if (is_instance) {
        memcpy(what, "instancing (instanceable = true)", 33);
    } else if (prim->inherit_count > 0 &&
               leads_somewhere(c, site->node, prim->inherits, prim->inherit_count)) {
        memcpy(what, "inherits", 9);
    } else if (prim->specialize_count > 0 &&
               leads_somewhere(c, site->node, prim->specializes, prim->specialize_count)) {
        memcpy(what, "specializes", 12);
    } else if (prim->has_clips) {
        memcpy(what, "value clips", 12);
    } else {
        return;
    }
    int member = member_of(site->node, site->layer);
    int index = member >= 0 ? site->node->stack->members[member].index : 0;
    if (!rlti_usd_layers_report(c->layers, index, (int)(prim - site->layer->prims)))
        return;
    if (is_shading(type_name)) {
        rlti_warn(c->messages, "%s: %s: %s of a material are left out", site->layer->file, prim->path, what);
        return;
    }
    problem(c,
            rlti_refuse(c->messages,
                        "%s: %s: %s are not read; flatten the file first: usdcat --flatten %s -o FLAT.usdc",
                        site->layer->file, prim->path, what, rlti_usd_layers_get(c->layers, 0)->file));
}

/* Adds the prim to the list: 1 when it is there to be seen (and so its children). */
static int add_prim(composer *c, const rlti_usd_node *node, const char *name, int parent) {
    int count = count_sites(node);
    rlti_usd_site *sites = rlti_arena_keep(c->arena, (size_t)count, sizeof *sites);
    if (sites == NULL) {
        no_memory(c);
        return 0;
    }
    put_sites(node, sites);
    rlti_usd_specifier specifier = RLTI_USD_OVER;
    rlti_usd_flag active = RLTI_USD_UNSAID;
    const char *type_name = "";
    for (int i = 0; i < count; i++) {
        if (active == RLTI_USD_UNSAID)
            active = sites[i].prim->active;
        if (specifier == RLTI_USD_OVER)
            specifier = sites[i].prim->specifier;
        if (type_name[0] == '\0')
            type_name = sites[i].prim->type_name;
    }
    if (specifier != RLTI_USD_DEF || active == RLTI_USD_FALSE)
        return 0;
    const rlti_usd_site *instancing = instancing_site(sites, count);
    for (int i = 0; i < count && !is_stopped(c); i++)
        refuse(c, &sites[i], &sites[i] == instancing, type_name);
    if (!RLTI_LIST_RESERVE(c->made->prims, c->made->count, 1, c->capacity)) {
        no_memory(c);
        return 0;
    }
    c->made->prims[c->made->count++] =
        (rlti_usd_composed_prim){node->path, name, type_name, parent, count, sites};
    return 1;
}

static int count_children(const composer *c, const rlti_usd_node *node) {
    int count = 0;
    for (const rlti_usd_node *arc = node->first; arc != NULL; arc = arc->next)
        count += count_children(c, arc);
    for (int m = 0; m < node->stack->count; m++)
        if (node->prims[m] != NO_PRIM)
            for (int i = rlti_usd_layers_first(c->layers, node->stack->members[m].index, node->prims[m]);
                 i >= 0; i = rlti_usd_layers_next(c->layers, node->stack->members[m].index, i))
                count++;
    return count;
}

/* Names of a prim's children over all its layers, in the order of the weakest layer that has them. */
static void put_names(const composer *c, const rlti_usd_node *node, rlti_usd_names *to) {
    enum { ARCS_LISTED = 64 };
    const rlti_usd_node *arcs[ARCS_LISTED];
    int count = 0;
    for (const rlti_usd_node *arc = node->first; arc != NULL; arc = arc->next) {
        if (count < ARCS_LISTED)
            arcs[count++] = arc;
        else
            put_names(c, arc, to); /* more than anyone writes: their order does not matter */
    }
    while (count > 0)
        put_names(c, arcs[--count], to);
    for (int m = node->stack->count - 1; m >= 0; m--) {
        int index = node->stack->members[m].index;
        if (node->prims[m] == NO_PRIM)
            continue;
        for (int i = rlti_usd_layers_first(c->layers, index, node->prims[m]); i >= 0;
             i = rlti_usd_layers_next(c->layers, index, i))
            rlti_usd_names_put(to, rlti_usd_layers_get(c->layers, index)->prims[i].name);
    }
}

static void compose_children(composer *c, const rlti_usd_node *node, int parent, int depth) {
    rlti_usd_names to;
    int maximum = count_children(c, node);
    if (maximum == 0)
        return;
    if (depth > DEPTH_MAX) {
        problem(c, rlti_refuse(c->messages, "%s: %s: prims nested deeper than %d",
                               node->stack->members[0].layer->file, node->path, DEPTH_MAX));
        return;
    }
    if (!rlti_usd_names_create(&to, maximum))
        no_memory(c);
    else
        put_names(c, node, &to);
    for (int i = 0; i < to.count && !is_stopped(c); i++) {
        rlti_usd_node *child = child_of(c, node, NULL, to.list[i]);
        if (child == NULL)
            continue;
        expand(c, child);
        if (!is_stopped(c) && add_prim(c, child, to.list[i], parent))
            compose_children(c, child, c->made->count - 1, depth + 1);
    }
    rlti_usd_names_free(&to);
}

rlt_status rlti_usd_compose(rlti_usd_layers *layers, rlti_arena *arena, rlt_messages *messages,
                            rlti_usd_composition *made) {
    *made = (rlti_usd_composition){0};
    const rlti_usd_stack *stack;
    rlt_status status = rlti_usd_layers_root(layers, messages, &stack);
    if (status != RLT_OK)
        return status;
    composer c = {.layers = layers, .arena = arena, .messages = messages, .made = made};
    rlti_usd_node *root = new_node(&c, stack);
    if (root != NULL) {
        root->path = "/";
        root->scale = 1.0;
        for (int i = 0; i < stack->count; i++)
            root->prims[i] = ROOT_PRIM;
        compose_children(&c, root, -1, 1);
    }
    if (c.problems >= RLTI_USD_PROBLEMS_MAX && c.status == RLT_BAD_INPUT)
        rlti_message(messages, RLT_NOTE, "%s: further problems are not listed",
                     rlti_usd_layers_get(layers, 0)->file);
    if (c.status != RLT_OK)
        rlti_usd_composition_free(made);
    return c.status;
}

void rlti_usd_composition_free(rlti_usd_composition *composition) {
    rlti_free(composition->prims);
    *composition = (rlti_usd_composition){0};
}

const char *rlti_usd_map_path(rlti_arena *arena, const rlti_usd_site *site, const char *path) {
    for (const rlti_usd_node *n = site->node; n != NULL && path != NULL; n = n->parent) {
        if (n->from == NULL)
            continue;
        if (!has_prefix(path, n->from))
            return NULL;
        path = rlti_arena_join(arena, n->to, path + strlen(n->from), "");
    }
    return path;
}
