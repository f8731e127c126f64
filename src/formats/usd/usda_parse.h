/* Inside of the .usda reader: what its files share while a layer is made. */
#ifndef RLTI_FORMATS_USD_USDA_PARSE_H
#define RLTI_FORMATS_USD_USDA_PARSE_H

#include "base/table.h"
#include "formats/usd/usd_layer.h"
#include "formats/usd/usda_text.h"

/* A list that grows; `bytes` of `size` each. */
typedef struct rlti_usda_list {
    void *items;
    int count, capacity;
} rlti_usda_list;

typedef struct rlti_usda_property {
    rlti_usd_property made;
    int prim;
} rlti_usda_property;

typedef struct rlti_usda_own {
    rlti_arena arena;
    const char *start, *end;
    const rlti_file_pages *pages; /* NULL: all bytes are there */
} rlti_usda_own;

typedef struct rlti_usda_parser {
    rlti_usda_cursor c; /* first */
    rlti_usd_layer *layer;
    rlti_arena *arena;
    rlti_usda_list prims;      /* rlti_usd_prim */
    rlti_usda_list properties; /* rlti_usda_property */
    /* of the statement that is read */
    rlti_usda_list texts;                  /* const char * */
    rlti_usda_list arcs;                   /* rlti_usd_arc */
    rlti_usda_list samples;                /* of one attribute */
    rlti_usda_list relocates;              /* of the layer, wherever they stand */
    rlti_table prim_table, property_table; /* by owner and name */
    int said_spline;                       /* that they are left out */
    size_t path_bytes;                     /* of all prims, and what relative paths were made longer */
} rlti_usda_parser;

/* Counts bytes of paths that are longer in memory than in the file, and fails where they get out of hand: a
 * long name of a root counts again with each of its children. */
int rlti_usda_count_path(rlti_usda_parser *p, size_t bytes, const char *place);

/* ---- usda_lists.c ---- */

/* A place for one more at the end; NULL (and failed) when out of memory. */
void *rlti_usda_list_add(rlti_usda_parser *p, rlti_usda_list *list, size_t size);
/* Contents of the list, moved to the layer's memory; the list is empty then, with its capacity. */
int rlti_usda_list_keep(rlti_usda_parser *p, rlti_usda_list *list, size_t size, rlti_usd_items *to);
/* Sets one edit of a list, which is made where it is NULL. */
int rlti_usda_set_edit(rlti_usda_parser *p, const rlti_usd_list **list, rlti_usd_edit edit,
                       rlti_usd_items items);

/* ---- usda_meta.c ---- */

/* How a statement changes a list ("prepend references = ..."): what one of the words says, or
 * RLTI_USD_EXPLICIT where it is none of them. */
rlti_usd_edit rlti_usda_read_op(rlti_usda_piece word, int *is_op);

int rlti_usda_layer_metadata(rlti_usda_parser *p);                  /* between ( and ) */
int rlti_usda_prim_metadata(rlti_usda_parser *p, int prim);         /* between ( and ) */
int rlti_usda_property_metadata(rlti_usda_parser *p, int property); /* between ( and ) */

/* ---- usda_clips.c ---- */

/* clips = { dictionary default = { asset[] assetPaths = [...], ... } } */
int rlti_usda_read_clips(rlti_usda_parser *p, int prim);

/* ---- usda_property.c ---- */

/* An attribute or relationship; `word` is its first word. */
int rlti_usda_property_statement(rlti_usda_parser *p, int prim, rlti_usda_piece word);

/* <path> made absolute, seen from the prim. */
const char *rlti_usda_target(rlti_usda_parser *p, int prim);

/* All properties in the order of their prims. */
int rlti_usda_finish_properties(rlti_usda_parser *p);

#endif
