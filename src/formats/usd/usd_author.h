/* Declarations as both writers of USD, text and crate, take them: schemas, names, types. */
#ifndef RLTI_FORMATS_USD_USD_AUTHOR_H
#define RLTI_FORMATS_USD_USD_AUTHOR_H

#include "base/arena.h"
#include "formats/tree/sink.h"

/* The prim's schema: "BasisCurves"... `moves` 1: it gets a transform, so a Scope will not do. */
const char *rlti_usd_prim_type(const rlti_prim *prim, int moves);

/* Attributes that come from the prim's own fields: type, basis, wrap, purpose... */
typedef struct rlti_usd_token {
    const char *name, *value;
    int is_uniform;
} rlti_usd_token;
enum { RLTI_USD_TOKENS = 6 };

/* Those to write for a prim; returns how many. An `over` gets none, and what was declared as an attribute
 * (by its name in `names`) is left out. */
typedef struct rlti_usd_naming rlti_usd_naming;
int rlti_usd_prim_tokens(const rlti_sink *sink, const rlti_usd_naming *names, int prim,
                         rlti_usd_token tokens[RLTI_USD_TOKENS]);

/* How an attribute is written. */
typedef struct rlti_usd_form {
    rlti_array_type type;      /* arity 0: USD cannot hold it */
    const char *type_name;     /* "point3f[]" */
    const char *interpolation; /* NULL: not stated */
    int element_size;          /* 0: not stated */
} rlti_usd_form;
rlti_usd_form rlti_usd_attribute_form(const rlti_attribute *attribute);

/* The value of an attribute in its form's type: the value's own data or, where it had to change, in
 * `scratch`. RLT_BAD_INPUT where it cannot be (texts for numbers). Boxes are rounded outward. */
rlt_status rlti_usd_fit(const rlti_sink *sink, int attribute, const rlti_array *value, rlti_array *scratch,
                        rlti_array *fitted, rlt_messages *messages);

/* Names that USD allows, no two the same among siblings or among one prim's attributes. A name that is legal
 * stays; other characters become '_', and where that is taken "_1", "_2"... follows. */
struct rlti_usd_naming {
    rlti_arena arena;
    const char **prims;          /* [prim_count] */
    const char **attributes;     /* [attribute_count] "primvars:st", "primvars:st:indices", "points" */
    int *first, *next;           /* [prim_count], [attribute_count] a prim's attributes in order; -1 ends */
    int *link_of;                /* [attribute_count] the link of the same name, or -1 */
    int *first_link, *next_link; /* [prim_count], [link_count] a prim's links that stand for themselves */
};
int rlti_usd_naming_make(const rlti_sink *sink, rlti_usd_naming *names); /* 0 when out of memory */
void rlti_usd_naming_clear(rlti_usd_naming *names);

#endif
