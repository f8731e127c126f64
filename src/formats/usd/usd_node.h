/* Inside of the composition: the tree of nodes that a prim has, and who makes it. */
#ifndef RLTI_FORMATS_USD_USD_NODE_H
#define RLTI_FORMATS_USD_USD_NODE_H

#include "formats/usd/usd_compose.h"
#include "formats/usd/usd_edits.h"

/* Kinds of arcs that lead to a node, strongest first: of two arcs of a prim, the one further up here counts.
 */
typedef enum rlti_usd_arc_kind {
    RLTI_USD_ROOT,
    RLTI_USD_INHERIT,
    RLTI_USD_VARIANT,
    RLTI_USD_RELOCATED,
    RLTI_USD_REFERENCE,
    RLTI_USD_PAYLOAD,
    RLTI_USD_SPECIALIZE /* weaker than all else, wherever in the tree it stands */
} rlti_usd_arc_kind;

enum {
    RLTI_USD_NO_PRIM = -2,  /* a layer has nothing at a path */
    RLTI_USD_ROOT_PRIM = -1 /* "/" of any layer */
};

struct rlti_usd_node {
    rlti_usd_node *parent; /* whose arc leads here; NULL: the root stack */
    rlti_usd_node *first;  /* arcs from here, strongest first */
    rlti_usd_node *next;
    rlti_usd_arc_kind kind;
    int arcs; /* from the root stack to here */
    const rlti_usd_stack *stack;
    const char *path;      /* in the stack */
    const char *from, *to; /* prefix of paths here -> in the parent; NULL at the root and in variants */
    double offset, scale;  /* time of the stage = scale * time of the stack + offset */
    int *prims;            /* [stack->count] index in each layer, or RLTI_USD_NO_PRIM */
    int has_prims;
    int expanded;     /* bits of the kinds of arcs that its own opinions have brought */
    int is_ancestral; /* its arc was written on a parent */
    int origin;       /* number of the class that was written, the same in all that are implied by it */
    int implied;      /* how many files further up than that */
    int is_implying;  /* others are implied by it, so that its place in the tree counts */
    int depth;        /* in the namespace, of the prim that names the class */
    const char *set;  /* of a variant: its set */
    int has_sets;
    rlti_usd_edited sets;     /* names of variant sets, strongest first */
    unsigned char *is_chosen; /* [sets.count] the variant is there */
};

typedef struct rlti_usd_composer {
    rlti_usd_layers *layers;
    rlti_arena *arena;
    rlt_messages *messages;
    rlti_usd_composition *made;
    rlti_usd_choices *choices; /* or NULL */
    int capacity;
    size_t nodes;
    int origins; /* classes that were written */
    int problems;
    int stays_put;     /* relocates do not count while this is set */
    rlt_status status; /* the first failure, which ends it */
} rlti_usd_composer;

/* 1 where a further warning may be added. */
int rlti_usd_may_warn(rlti_usd_composer *c);
/* Returns NULL. */
void *rlti_usd_no_memory(rlti_usd_composer *c);

int rlti_usd_has_prefix(const char *path, const char *prefix);
static inline int rlti_usd_is_class(rlti_usd_arc_kind kind) {
    return kind == RLTI_USD_INHERIT || kind == RLTI_USD_SPECIALIZE;
}

/* ---- usd_arcs.c ---- */

/* NULL after a failure. */
rlti_usd_node *rlti_usd_new_node(rlti_usd_composer *c, const rlti_usd_stack *stack);
/* The node one name further; NULL when neither it nor anything below it has opinions. */
rlti_usd_node *rlti_usd_child_node(rlti_usd_composer *c, const rlti_usd_node *node, rlti_usd_node *parent,
                                   const char *name);
/* The node of a path in a stack, with all the arcs its parents bring; NULL where there is nothing. */
rlti_usd_node *rlti_usd_node_at(rlti_usd_composer *c, const rlti_usd_node *like, const char *path);
/* Puts an arc behind those of the same kind that were written at the same place. */
void rlti_usd_insert_arc(rlti_usd_node *node, rlti_usd_node *arc);
/* 1 when the tree that the node is in has a node at this place: classes are not added again. */
int rlti_usd_has_site(const rlti_usd_node *node, const rlti_usd_stack *stack, const char *path);
/* Adds all arcs but variants to a node and those below it. */
void rlti_usd_expand(rlti_usd_composer *c, rlti_usd_node *node);
/* Adds all arcs. */
void rlti_usd_settle(rlti_usd_composer *c, rlti_usd_node *node);

/* ---- usd_classes.c ---- */

/* Classes that a referenced file inherits or specializes count in the file that references it, too: adds
 * those arcs, and returns how many. */
int rlti_usd_imply_classes(rlti_usd_composer *c, rlti_usd_node *node);

/* ---- usd_variants.c ---- */

/* Adds the first variant that is chosen but not there; 0 when there is none. */
int rlti_usd_add_variant(rlti_usd_composer *c, rlti_usd_node *root);

/* ---- usd_specialized.c ---- */

/* All nodes of a tree that are specialized, strongest first; NULL when out of memory. */
const rlti_usd_node **rlti_usd_specialized(rlti_usd_composer *c, const rlti_usd_node *root, int *count);

/* ---- usd_compose.c ---- */

/* Opinions about a node's prim, strongest first; NULL when out of memory. */
rlti_usd_site *rlti_usd_sites(rlti_usd_composer *c, const rlti_usd_node *node, int *count);

#endif
