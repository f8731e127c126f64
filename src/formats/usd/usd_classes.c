/* Classes across references. A prim of a referenced file that inherits </_class> there inherits the </_class>
 * of the file that references it as well, which so can change all that inherit it. OpenUSD calls these arcs
 * implied. A class that stands there already is implied silently, so that it reaches files further up. */
#include <string.h>

#include "formats/usd/usd_node.h"

int rlti_usd_has_class(const rlti_usd_node *node) {
    for (const rlti_usd_node *arc = node->first; arc != NULL; arc = arc->next)
        if (rlti_usd_is_class(arc))
            return 1;
    return 0;
}

rlti_usd_node *rlti_usd_find_place(const rlti_usd_node *node, const rlti_usd_stack *stack,
                                   const char *place) {
    for (rlti_usd_node *arc = node->first; arc != NULL; arc = arc->next)
        if (arc->stack == stack && strcmp(arc->place, place) == 0)
            return arc;
    return NULL;
}

/* Where the opinions of a class are: within the variant that its prim is in, for one of the same prim. */
static const char *class_place(rlti_arena *arena, const rlti_usd_node *node, const char *path) {
    const char *end = strrchr(node->place, '}');
    if (end == NULL || end[1] == '\0')
        return path;
    size_t rest = strlen(end + 1), length = strlen(node->path) - rest;
    if (strlen(node->path) < rest || strncmp(path, node->path, length) != 0 || path[length] != '/')
        return path;
    char *within = rlti_arena_text(arena, node->place, (size_t)(end + 1 - node->place));
    return within != NULL ? rlti_arena_join(arena, within, path + length, "") : NULL;
}

rlti_usd_node *rlti_usd_add_class(rlti_usd_frame *f, rlti_usd_node *parent, rlti_usd_node *origin,
                                  const rlti_usd_map *map, rlti_usd_arc_kind kind, int number) {
    const char *path = rlti_usd_map_back(f->c->arena, map, parent->path), *place;
    int is_implied = origin != parent;
    if (path == NULL || strcmp(path, "/") == 0)
        return NULL;
    place = class_place(f->c->arena, parent, path);
    if (place == NULL)
        return rlti_usd_no_memory(f->c);
    rlti_usd_node *there = rlti_usd_find_place(parent, parent->stack, place);
    if (there != NULL)
        return there;
    int is_silent = strcmp(place, parent->place) == 0 ||
                    (is_implied && origin->stack == parent->stack && strcmp(origin->place, place) == 0);
    rlti_usd_new_arc new = {.like = {.parent = parent,
                                     .origin = origin,
                                     .kind = kind,
                                     .arcs = parent->arcs + 1,
                                     .stack = parent->stack,
                                     .path = path,
                                     .place = place,
                                     .map = *map,
                                     .offset = parent->offset,
                                     .scale = parent->scale,
                                     .is_silent = is_silent,
                                     .depth = rlti_usd_depth(parent->path),
                                     .number = number},
                            .has_parents = !rlti_usd_is_root_path(path),
                            .skips_known = !is_silent};
    if (is_implied && rlti_usd_leads_back(f, parent, parent->stack, path))
        return NULL;
    return rlti_usd_add_arc(f, &new);
}

size_t rlti_usd_written_length(const rlti_usd_node *node) {
    size_t length = strlen(node->path);
    for (int i = 0; i < node->below; i++)
        while (length > 0 && node->path[--length] != '/')
            continue;
    return length;
}

rlti_usd_node *rlti_usd_class_start(rlti_usd_node *node) {
    while (node->parent != NULL && rlti_usd_is_class(node)) {
        rlti_usd_node *first = node;
        int below = node->below;
        while (node->parent != NULL && rlti_usd_is_class(node) && node->below == below) {
            first = node;
            node = node->parent;
        }
        size_t length = rlti_usd_is_class(node) ? rlti_usd_written_length(node) : 0;
        if (length > 0 && strncmp(first->path, node->path, length) == 0 &&
            (first->path[length] == '/' || first->path[length] == '\0'))
            break; /* a class within that of a prim above */
    }
    return node;
}

/* A class arc seen through another: back, along it, and forth again. */
static int imply_map(rlti_arena *arena, const rlti_usd_map *through, const rlti_usd_map *map,
                     rlti_usd_map *made) {
    rlti_usd_map back, along;
    if (!rlti_usd_map_turn(arena, through, &back) || !rlti_usd_map_join(arena, map, &back, &along) ||
        !rlti_usd_map_join(arena, through, &along, made))
        return 0;
    made->has_rest = 1;
    return 1;
}

/* Adds the classes of `from` to `to`; `through` leads from the one to the other. */
static void imply_tree(rlti_usd_frame *f, rlti_usd_node *to, rlti_usd_node *from, const rlti_usd_map *through,
                       int is_start) {
    rlti_arena *arena = f->c->arena;
    for (rlti_usd_node *arc = from->first; arc != NULL && f->c->status == RLT_OK; arc = arc->next) {
        rlti_usd_map map, back, along, next;
        if (!rlti_usd_is_class(arc) || (is_start && rlti_usd_is_class(from) && arc->below == from->below))
            continue; /* what continues the chain that `from` is in, is implied with it */
        if (!imply_map(arena, through, &arc->map, &map)) {
            rlti_usd_no_memory(f->c);
            return;
        }
        rlti_usd_node *there = to->first;
        while (there != NULL && !(there->origin == arc && rlti_usd_map_same(&there->map, &map)))
            there = there->next;
        if (there == NULL)
            there = rlti_usd_add_class(f, to, arc, &map, arc->kind, arc->number);
        if (there == NULL || !rlti_usd_has_class(arc))
            continue;
        if (!rlti_usd_map_turn(arena, &map, &back) || !rlti_usd_map_join(arena, through, &arc->map, &along) ||
            !rlti_usd_map_join(arena, &back, &along, &next))
            rlti_usd_no_memory(f->c);
        else
            imply_tree(f, there, arc, &next, 0);
    }
}

void rlti_usd_imply_classes(rlti_usd_frame *f, rlti_usd_node *node) {
    if (node->parent == NULL || rlti_usd_is_moved(node) || !rlti_usd_has_class(node))
        return;
    rlti_usd_map through = node->map;
    through.has_rest = 1; /* classes keep their paths */
    imply_tree(f, node->parent, node, &through, 1);
}
