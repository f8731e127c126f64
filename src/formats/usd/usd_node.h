/* Inside of the composition: the tree of nodes that a prim has (OpenUSD calls it the prim index), and who
 * makes it. */
#ifndef RLTI_FORMATS_USD_USD_NODE_H
#define RLTI_FORMATS_USD_USD_NODE_H

#include "formats/usd/usd_compose.h"
#include "formats/usd/usd_edits.h"
#include "formats/usd/usd_map.h"

/* Kinds of arcs that lead to a node, strongest first: of two arcs of a node, the one further up here counts.
 */
typedef enum rlti_usd_arc_kind {
    RLTI_USD_ROOT,
    RLTI_USD_INHERIT,
    RLTI_USD_VARIANT,
    RLTI_USD_RELOCATED,
    RLTI_USD_REFERENCE,
    RLTI_USD_PAYLOAD,
    RLTI_USD_SPECIALIZE /* moves to the root, so that it is weaker than all else */
} rlti_usd_arc_kind;

enum {
    RLTI_USD_NO_PRIM = -2,  /* a layer has nothing at a path */
    RLTI_USD_ROOT_PRIM = -1 /* "/" of any layer */
};

struct rlti_usd_node {
    rlti_usd_node *parent; /* whose arc leads here; NULL: the root of the tree */
    rlti_usd_node *first;  /* arcs from here, strongest first */
    rlti_usd_node *next;
    int rank; /* increases along these */
    rlti_usd_arc_kind kind;
    int arcs;   /* from the root stack to here */
    int serial; /* in the order in which they were made */
    const rlti_usd_stack *stack;
    const char *path;   /* in the stack */
    const char *place;  /* the same with variants, "/a/{set=name}/b" */
    rlti_usd_map map;   /* paths here -> in the parent */
    rlti_usd_map whole; /* paths here -> in the root of the tree, once asked for: */
    int has_whole;
    double offset, scale; /* time of the stage = scale * time of the stack + offset */
    int *prims;           /* [stack->count] index in each layer, or RLTI_USD_NO_PRIM */
    int has_prims;
    int is_silent;             /* what it says counts for nothing: it stands elsewhere, too */
    rlti_usd_node *origin;     /* the node that this one is implied by, or moved from; else the parent */
    int below;                 /* how many names below the prim on which the arc was written */
    int depth;                 /* in the namespace, of the prim on which the arc was written */
    int number;                /* of the arc in its list */
    const char *set, *variant; /* of a variant */
    rlti_usd_node *child;      /* the same one name further, while a child's tree is made */
};

typedef struct rlti_usd_composer {
    rlti_usd_layers *layers;
    rlti_arena *arena;
    rlt_messages *messages;
    rlti_usd_composition *made;
    rlti_usd_choices *choices; /* or NULL */
    int capacity;
    size_t nodes;
    int problems;
    int stays_put;     /* relocates do not count while this is set */
    rlt_status status; /* the first failure, which ends it */
} rlti_usd_composer;

/* Work that is still to be done to a tree, in this order. */
typedef enum rlti_usd_task_kind {
    RLTI_USD_DO_RELOCATES,
    RLTI_USD_DO_REFERENCES,
    RLTI_USD_DO_PAYLOADS,
    RLTI_USD_DO_INHERITS,
    RLTI_USD_DO_IMPLIED,
    RLTI_USD_DO_SPECIALIZES,
    RLTI_USD_DO_SPECIALIZED,
    RLTI_USD_DO_SETS,
    RLTI_USD_DO_VARIANT,
    RLTI_USD_DO_NOTHING /* variants that nobody has chosen yet */
} rlti_usd_task_kind;

typedef struct rlti_usd_task {
    rlti_usd_task_kind kind;
    rlti_usd_node *node;
    const char *set; /* of a variant */
    int number;      /* of the set */
} rlti_usd_task;

/* A tree while it is made. Arcs to prims below a root have one of their own, which joins the other when it is
 * ready. */
typedef struct rlti_usd_frame {
    rlti_usd_composer *c;
    rlti_usd_node *root;
    struct rlti_usd_frame *outer;      /* or NULL */
    rlti_usd_node *from;               /* node of the outer tree that has the arc */
    const rlti_usd_map *map;           /* of the arc */
    const char *asked;                 /* path that the arc leads to; the tree begins with its first prim */
    int above;                         /* names by which the tree is above what it is made for, in all */
    int has_variants, has_specialized; /* done here; else in the outer tree */
    int skips_known;                   /* what stands in any tree is not added again */
    rlti_usd_task *tasks;
    int task_count, task_capacity;
} rlti_usd_frame;

/* An arc to be added. */
typedef struct rlti_usd_new_arc {
    rlti_usd_node like; /* parent, kind, stack, path, map, times, origin, below, depth, number */
    int has_parents;    /* prims above the path may bring something, too */
    int skips_known;
    int is_moved; /* with all that it has, from another place of the tree */
} rlti_usd_new_arc;

/* 1 where a further warning may be added. */
int rlti_usd_may_warn(rlti_usd_composer *c);
/* Returns NULL. */
void *rlti_usd_no_memory(rlti_usd_composer *c);

static inline int rlti_usd_is_class(const rlti_usd_node *node) {
    return node->parent != NULL && (node->kind == RLTI_USD_INHERIT || node->kind == RLTI_USD_SPECIALIZE);
}
static inline int rlti_usd_speaks(const rlti_usd_node *node) {
    return node->has_prims && !node->is_silent;
}
/* How many names a path has. */
int rlti_usd_depth(const char *path);
static inline int rlti_usd_is_root_path(const char *path) {
    return rlti_usd_depth(path) <= 1;
}

/* ---- usd_index.c ---- */

/* NULL after a failure. */
rlti_usd_node *rlti_usd_new_node(rlti_usd_composer *c, const rlti_usd_stack *stack);
/* The tree of a prim's child; NULL where no layer has it. */
rlti_usd_node *rlti_usd_child_tree(rlti_usd_composer *c, rlti_usd_node *node, const char *name);
/* Adds an arc, with all that is above its target in the namespace; NULL where it is not taken. */
rlti_usd_node *rlti_usd_add_arc(rlti_usd_frame *f, const rlti_usd_new_arc *arc);
void rlti_usd_add_task(rlti_usd_frame *f, rlti_usd_task task);
/* Variants of a node, and of those below it, that had no say before. */
void rlti_usd_add_variant_tasks(rlti_usd_frame *f, rlti_usd_node *node);
/* The index of the prim at a place of a layer, or RLTI_USD_NO_PRIM. */
int rlti_usd_prim_at(const rlti_usd_composer *c, int layer, const char *place);

/* ---- usd_strength.c ---- */

/* -1 when `a` is stronger; both are in one tree. */
int rlti_usd_compare_nodes(const rlti_usd_node *a, const rlti_usd_node *b);
/* Puts an arc where its strength says. */
void rlti_usd_insert_arc(rlti_usd_node *node, rlti_usd_node *arc);

/* ---- usd_arcs.c ---- */

/* The arcs of one kind that the node's own opinions bring. */
void rlti_usd_add_arcs(rlti_usd_frame *f, rlti_usd_node *node, rlti_usd_arc_kind kind);
/* 1 when an arc of the node to this place would come to where it has been. */
int rlti_usd_leads_back(const rlti_usd_frame *f, const rlti_usd_node *node, const rlti_usd_stack *stack,
                        const char *path);
void rlti_usd_add_relocated(rlti_usd_frame *f, rlti_usd_node *node);

/* ---- usd_classes.c ---- */

/* Length of the part of a node's path that was its path where its arc was written. */
size_t rlti_usd_written_length(const rlti_usd_node *node);
int rlti_usd_has_class(const rlti_usd_node *node);
/* The node from which a class is implied: that which starts the chain of classes it is in. */
rlti_usd_node *rlti_usd_class_start(rlti_usd_node *node);
/* The class at the end of a map, of `parent`; `origin` is what implies it, or the parent. */
rlti_usd_node *rlti_usd_add_class(rlti_usd_frame *f, rlti_usd_node *parent, rlti_usd_node *origin,
                                  const rlti_usd_map *map, rlti_usd_arc_kind kind, int number);
/* The arc of a node that leads to a place; NULL where there is none. */
rlti_usd_node *rlti_usd_find_place(const rlti_usd_node *node, const rlti_usd_stack *stack, const char *place);
/* Classes that a referenced file inherits or specializes count in the file that references it, too: adds
 * those of a node to its parent. */
void rlti_usd_imply_classes(rlti_usd_frame *f, rlti_usd_node *node);

/* ---- usd_specialized.c ---- */

/* Moves what is specialized to the root, and what was added there, silently, back to where it comes from. */
void rlti_usd_move_specialized(rlti_usd_frame *f, rlti_usd_node *node);
int rlti_usd_is_moved(const rlti_usd_node *node);

/* ---- usd_compose.c ---- */

/* All maps from a node to the root of its tree as one; 0 when out of memory. Arcs one after the other lose
 * more paths: where a path meets another at one of them, it need not in the end. */
int rlti_usd_map_to_root(rlti_arena *arena, const rlti_usd_node *node, rlti_usd_map *map);

/* ---- usd_variants.c ---- */

void rlti_usd_list_variants(rlti_usd_frame *f, rlti_usd_node *node);
/* Adds the variant of a task, where one is chosen; else the task waits. */
void rlti_usd_choose_variant(rlti_usd_frame *f, rlti_usd_task task);

#endif
