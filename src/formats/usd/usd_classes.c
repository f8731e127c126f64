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

rlti_usd_node *rlti_usd_add_class(rlti_usd_frame *f, rlti_usd_node *parent, rlti_usd_node *origin,
                                  const rlti_usd_map *map, rlti_usd_arc_kind kind, int number) {
    const char *path = rlti_usd_map_back(f->c->arena, map, parent->path);
    int is_implied = origin != parent;
    if (path == NULL || strcmp(path, "/") == 0)
        return NULL;
    rlti_usd_new_arc new = {.like = {.parent = parent,
                                     .origin = origin,
                                     .kind = kind,
                                     .arcs = parent->arcs + 1,
                                     .stack = parent->stack,
                                     .path = path,
                                     .place = path,
                                     .map = *map,
                                     .offset = parent->offset,
                                     .scale = parent->scale,
                                     .is_silent = is_implied && origin->stack == parent->stack &&
                                                  strcmp(origin->place, path) == 0,
                                     .implied = is_implied ? origin->implied + 1 : 0,
                                     .below = is_implied ? origin->below : 0,
                                     .depth = is_implied ? origin->depth : rlti_usd_depth(parent->path),
                                     .number = number},
                            .has_parents = !rlti_usd_is_root_path(path),
                            .skips_known = 1};
    if (is_implied && !new.like.is_silent && rlti_usd_leads_back(f, parent, parent->stack, path))
        return NULL;
    new.skips_known = !new.like.is_silent;
    return rlti_usd_add_arc(f, &new);
}

rlti_usd_node *rlti_usd_find_arc(const rlti_usd_node *node, const rlti_usd_node *like,
                                 const rlti_usd_stack *stack, const rlti_usd_map *map) {
    for (rlti_usd_node *arc = node->first; arc != NULL; arc = arc->next)
        if (arc->kind == like->kind && arc->stack == stack && arc->below == like->below &&
            rlti_usd_map_same(&arc->map, map) &&
            (rlti_usd_is_class(arc) || strcmp(arc->place, like->place) == 0))
            return arc;
    return NULL;
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
        if (!rlti_usd_is_class(arc) || (!is_start && arc->below != from->below))
            continue;
        if (!imply_map(arena, through, &arc->map, &map)) {
            rlti_usd_no_memory(f->c);
            return;
        }
        rlti_usd_node *there = rlti_usd_find_arc(to, arc, to->stack, &map);
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
