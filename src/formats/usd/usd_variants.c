/* Variants: of each set of a prim the one that is chosen, by the strongest layer that chooses any. */
#include <string.h>

#include "formats/usd/usd_node.h"

void rlti_usd_list_variants(rlti_usd_frame *f, rlti_usd_node *node) {
    const rlti_usd_keys keys = rlti_usd_text_keys();
    rlti_usd_edited sets = {0};
    if (!rlti_usd_speaks(node))
        return;
    for (int m = node->stack->count - 1; m >= 0; m--)
        if (node->prims[m] >= 0 &&
            !rlti_usd_edit_list(f->c->arena,
                                node->stack->members[m].layer->prims[node->prims[m]].variant_sets, &keys,
                                &sets)) {
            rlti_usd_no_memory(f->c);
            return;
        }
    for (int i = 0; i < sets.count; i++)
        rlti_usd_add_task(f, (rlti_usd_task){RLTI_USD_DO_VARIANT, node, sets.items[i].key, i});
}

/* ---- choices ---- */

/* The variant that a node's layers choose of a set for the prim at a path of its stack; NULL: nothing. */
static const char *choice_at(const rlti_usd_composer *c, const rlti_usd_node *node, const char *path,
                             const char *set) {
    int is_here = strcmp(path, node->path) == 0;
    const char *place = path;
    if (!is_here && node->kind == RLTI_USD_VARIANT && strcmp(node->place, node->path) != 0) {
        size_t rest = strlen(node->path) - strlen(path), length = strlen(node->place);
        if (rlti_usd_has_prefix(node->path, path) && rest < length)
            place = rlti_arena_text(c->arena, node->place, length - rest);
    }
    for (int m = 0; place != NULL && m < node->stack->count; m++) {
        const rlti_usd_member *member = &node->stack->members[m];
        int prim = is_here ? node->prims[m] : rlti_usd_prim_at(c, member->index, place);
        for (int i = 0; prim >= 0 && i < member->layer->prims[prim].selection_count; i++)
            if (strcmp(member->layer->prims[prim].selections[i].set, set) == 0)
                return member->layer->prims[prim].selections[i].variant;
    }
    return NULL;
}

static const char *choice_below(const rlti_usd_composer *c, const rlti_usd_node *node, const char *path,
                                const char *set) {
    const char *choice = node->is_silent ? NULL : choice_at(c, node, path, set);
    for (const rlti_usd_node *arc = node->first; arc != NULL && choice == NULL; arc = arc->next) {
        const char *there = rlti_usd_map_back(c->arena, &arc->map, path);
        if (there != NULL)
            choice = choice_below(c, arc, there, set);
    }
    return choice;
}

/* The variant of this set that the prim at a path of the root has already: so many names above what the tree
 * is for. */
static const char *chosen_before(rlti_arena *arena, const rlti_usd_node *node, const char *path,
                                 const char *set, int below) {
    const char *found = NULL;
    if (node->kind == RLTI_USD_VARIANT && node->below == below && strcmp(node->set, set) == 0) {
        rlti_usd_map map;
        const char *here =
            rlti_usd_map_to_root(arena, node, &map) ? rlti_usd_map_back(arena, &map, path) : NULL;
        size_t length = rlti_usd_written_length(node);
        if (here == NULL)
            return NULL;
        if (strlen(here) == length && strncmp(here, node->path, length) == 0)
            return node->variant;
    }
    for (const rlti_usd_node *arc = node->first; arc != NULL && found == NULL; arc = arc->next)
        found = chosen_before(arena, arc, path, set, below);
    return found;
}

static const char *path_in_root(rlti_arena *arena, const rlti_usd_node *node, const char *path) {
    rlti_usd_map map;
    if (node->parent == NULL)
        return path;
    return rlti_usd_map_to_root(arena, node, &map) ? rlti_usd_map_forth(arena, &map, path) : NULL;
}

/* The path that a path of a tree's root has in the root of the tree that this one is made for; NULL: none. */
static const char *path_outside(const rlti_usd_frame *f, const char *path) {
    const char *out = f->outer != NULL ? rlti_usd_map_forth(f->c->arena, f->map, path) : NULL;
    return out != NULL ? path_in_root(f->c->arena, f->from, out) : NULL;
}

/* The variant that the trees choose, the outermost first in which the prim has a path. */
static const char *choice_of_trees(const rlti_usd_frame *f, const char *path, const char *set) {
    const char *out = path_outside(f, path), *choice = NULL;
    if (out != NULL)
        choice = choice_of_trees(f->outer, out, set);
    return choice != NULL ? choice : choice_below(f->c, f->root, path, set);
}

/* The variant chosen of a set, "" where the choice is none; NULL: nobody chooses. */
static const char *find_choice(const rlti_usd_frame *f, const rlti_usd_node *node, const char *set) {
    const rlti_usd_choices *choices = f->c->choices;
    for (int i = 0; choices != NULL && i < choices->count; i++)
        if (strcmp(choices->list[i].set, set) == 0)
            return choices->list[i].variant;
    const char *path = path_in_root(f->c->arena, node, node->path), *out = path;
    for (const rlti_usd_frame *g = f; g != NULL; g = g->outer) {
        const char *choice = out != NULL ? chosen_before(f->c->arena, g->root, out, set, f->above) : NULL;
        if (choice != NULL || out == NULL)
            return choice;
        out = path_outside(g, out);
        if (out == NULL)
            break;
    }
    return choice_of_trees(f, path, set);
}

/* Notes that a choice of the caller's met a set, and whether that has the variant. */
static void note_choice(rlti_usd_composer *c, const char *set, int is_there) {
    for (int i = 0; c->choices != NULL && i < c->choices->count; i++)
        if (strcmp(c->choices->list[i].set, set) == 0)
            c->choices->met[i] |= is_there ? RLTI_USD_CHOICE_TAKEN : RLTI_USD_CHOICE_MISSED;
}

/* ---- arcs ---- */

static rlti_usd_node *add_variant(rlti_usd_frame *f, rlti_usd_node *node, const char *set,
                                  const char *variant, int number) {
    enum { NESTED_MAX = 64 };
    rlti_usd_composer *c = f->c;
    const char *name = rlti_usd_variant_name(c->arena, set, variant),
               *place = name != NULL ? rlti_arena_join(c->arena, node->place, "/", name) : NULL;
    if (place == NULL)
        return rlti_usd_no_memory(c);
    if (node->arcs >= NESTED_MAX)
        return NULL;
    rlti_usd_new_arc new = {.like = {.parent = node,
                                     .origin = node,
                                     .kind = RLTI_USD_VARIANT,
                                     .arcs = node->arcs + 1,
                                     .stack = node->stack,
                                     .path = node->path,
                                     .place = place,
                                     .map = {.has_rest = 1},
                                     .offset = node->offset,
                                     .scale = node->scale,
                                     .depth = rlti_usd_depth(node->path),
                                     .number = number,
                                     .set = set,
                                     .variant = variant}};
    return rlti_usd_add_arc(f, &new);
}

void rlti_usd_choose_variant(rlti_usd_frame *f, rlti_usd_task task) {
    if (!rlti_usd_speaks(task.node))
        return;
    const char *variant = find_choice(f, task.node, task.set);
    if (variant == NULL) { /* until another variant may choose */
        task.kind = RLTI_USD_DO_NOTHING;
        rlti_usd_add_task(f, task);
        return;
    }
    if (variant[0] == '\0')
        return;
    rlti_usd_node *made = add_variant(f, task.node, task.set, variant, task.number);
    note_choice(f->c, task.set, made != NULL && made->has_prims);
    for (int i = 0; made != NULL && i < f->task_count; i++)
        if (f->tasks[i].kind == RLTI_USD_DO_NOTHING)
            f->tasks[i].kind = RLTI_USD_DO_VARIANT;
}
