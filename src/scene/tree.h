/* YAML text as a tree of nodes with their places in the file, and the limits that keep hostile files
 * harmless. */
#ifndef RLTI_SCENE_TREE_H
#define RLTI_SCENE_TREE_H

#include <stddef.h>

#include "ringlet/status.h"

#define RLTI_TREE_DEPTH   64                 /* deepest nesting */
#define RLTI_TREE_NODES   16000000           /* maximum of values in one load */
#define RLTI_TREE_ANCHORS 1000               /* maximum of anchors in one text */
#define RLTI_TREE_BYTES   ((size_t)64 << 20) /* largest text */

typedef enum rlti_node_kind { RLTI_NODE_SCALAR, RLTI_NODE_LIST, RLTI_NODE_MAP } rlti_node_kind;

typedef struct rlti_node {
    rlti_node_kind kind;
    int plain;        /* a scalar written without quotes or tag: may be a number */
    int line, column; /* from 1, in characters */
    int index;        /* of a key in an override, hair[2]: 2; otherwise -1 */
    int count;        /* children; a map's are key, value, key, value, ... */
    const char *text; /* a scalar's text, with a zero byte after `length` bytes; "" otherwise */
    size_t length;
    struct rlti_node *first; /* child */
    struct rlti_node *next;  /* sibling */
} rlti_node;

/* Owns the nodes and texts of all that is read for one scene. */
typedef struct rlti_tree rlti_tree;

rlti_tree *rlti_tree_create(void);
void rlti_tree_destroy(rlti_tree *tree);
int rlti_tree_node_count(const rlti_tree *tree);

/* A new node without parent, or NULL when out of memory. */
rlti_node *rlti_tree_node(rlti_tree *tree, rlti_node_kind kind, int line, int column);
/* The same with a copy of a text. */
rlti_node *rlti_tree_scalar(rlti_tree *tree, const char *text, size_t length, int line, int column);

typedef struct rlti_tree_error {
    int line, column; /* 0 where the problem has no place */
    char text[256];
} rlti_tree_error;

/* Reads one YAML document. `column` is added to the columns of the first line. A text without a document
 * gives *root NULL. On RLT_BAD_INPUT `error` says where and why; RLT_FAILED is out of memory. Aliases become
 * copies that share children with the original: a tree may hold far more values than its text. */
rlt_status rlti_tree_parse(rlti_tree *tree, const char *text, size_t size, int column, rlti_tree_error *error,
                           rlti_node **root);

/* The value of a key in a map, or NULL; the first where the key is given twice. */
const rlti_node *rlti_node_find(const rlti_node *map, const char *key);

/* 1 for a scalar with nothing in it: "key:" alone, "~" or "null". */
int rlti_node_is_null(const rlti_node *node);

int rlti_node_is(const rlti_node *node, const char *text);

/* Writes a value as messages show it: numbers as they are, other text in quotes, long values cut short. */
void rlti_node_show(const rlti_node *node, char *text, size_t size);

/* Writes text so that it is safe to print, cut short to `size`. */
void rlti_text_show(const char *text, size_t length, char *shown, size_t size);

#endif
